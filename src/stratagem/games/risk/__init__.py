"""Risk: draft territories, place armies, then trade, reinforce, attack and fortify until one seat is left."""

from stratagem.games.risk.game import Risk

__all__ = ["Risk"]
