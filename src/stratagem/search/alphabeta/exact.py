"""Alpha-beta to the end of the game, as the one who answers `solve`."""

from __future__ import annotations

from stratagem.contract.game import ArrayGame, Position
from stratagem.contract.player import Solution, Solver
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.solver import Progress


class Exact(Solver):
    """One search with a table for all positions of a game."""

    def __init__(self, game: ArrayGame, threads: int, table_bits: int) -> None:
        self.search = AlphaBeta(game, table_bits=table_bits, threads=threads)

    def solve(self, position: Position, progress: Progress | None = None) -> Solution:
        return self.search.solve(position, progress=progress)
