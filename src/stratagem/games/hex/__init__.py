"""Hex on a board of any size."""

from stratagem.games.hex.game import Hex

__all__ = ["Hex"]
