"""Strength of the players of tictactoe."""

from benchmarks.strength import make
from stratagem.arena.config import Config

CONFIG = Config("tictactoe", ("random", "easy", "medium", "alphabeta:depth=9"), games=600, opening_plies=2, seed=1)
if __name__ == "__main__":
    make("tictactoe", CONFIG, "python -m benchmarks.strength.tictactoe")
