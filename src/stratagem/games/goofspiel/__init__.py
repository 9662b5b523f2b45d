"""Goofspiel, the game of pure strategy: all bid at once for prizes, each card once."""

from stratagem.games.goofspiel.game import Goofspiel

__all__ = ["Goofspiel"]
