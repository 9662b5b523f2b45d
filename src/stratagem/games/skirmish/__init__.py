"""Skirmish: two small armies, several actions a turn, hidden hands; the game that searches of whole turns were first tried on."""

from stratagem.games.skirmish.game import Skirmish

__all__ = ["Skirmish"]
