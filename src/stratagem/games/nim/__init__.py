"""Nim."""

from stratagem.games.nim.game import Nim

__all__ = ["Nim"]
