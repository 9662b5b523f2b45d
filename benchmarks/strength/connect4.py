"""Strength of the players of connect4."""

from benchmarks.strength import make
from stratagem.arena.config import Config

CONFIG = Config("connect4", ("random", "easy", "medium", "alphabeta:depth=8"), games=300, opening_plies=4, seed=1)
if __name__ == "__main__":
    make("connect4", CONFIG, "python -m benchmarks.strength.connect4")
