"""Othello on boards of 4 x 4, 6 x 6 and 8 x 8."""

from stratagem.games.othello.game import Othello

__all__ = ["Othello"]
