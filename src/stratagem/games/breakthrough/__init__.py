"""Breakthrough on boards of up to 64 cells."""

from stratagem.games.breakthrough.game import Breakthrough

__all__ = ["Breakthrough"]
