"""Two players, one after another: alpha-beta with a table, and the solver that proves results."""

from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta, AlphaBetaSettings

__all__ = ["PLAIN", "AlphaBeta", "AlphaBetaSettings"]
