"""Strength of the players of pig."""

from benchmarks.strength import make
from stratagem.arena.config import Config

# three at a table, to 50 points
CONFIG = Config("pig", ("random", "easy", "medium"), {"players": 3, "target": 50}, games=300, seed=1)
if __name__ == "__main__":
    make("pig", CONFIG, "python -m benchmarks.strength.pig")
