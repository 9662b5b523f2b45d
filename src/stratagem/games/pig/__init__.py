"""Pig, the dice game: the smallest game in which luck and nerve both matter."""

from stratagem.games.pig.game import Pig

__all__ = ["Pig"]
