"""ASMACAG, the card game of several actions a turn that searches of whole turns are tried on."""

from stratagem.games.asmacag.game import Asmacag

__all__ = ["Asmacag"]
