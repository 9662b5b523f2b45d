"""Two players, one after another: alpha-beta with a table, and the solver that proves results."""

from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta, Settings, Solution

__all__ = ["PLAIN", "AlphaBeta", "Settings", "Solution"]
