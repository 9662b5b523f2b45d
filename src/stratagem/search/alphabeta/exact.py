"""Alpha-beta to the end of the game, as the one who answers `solve`."""

from __future__ import annotations

from typing import Any

from stratagem.contract.game import ArrayGame, Position
from stratagem.contract.player import Solver
from stratagem.search.alphabeta.deepening import AlphaBeta, Solution
from stratagem.search.alphabeta.solver import Progress


class Exact(Solver):
    """One search with a table for all positions of a game."""

    def __init__(self, game: ArrayGame, threads: int, table_bits: int) -> None:
        self.search = AlphaBeta(game, table_bits=table_bits, threads=threads)

    def solve(self, position: Position, progress: Progress | None = None) -> dict[str, Any]:
        return as_data(self.search.solve(position, progress=progress))


def as_data(found: Solution) -> dict[str, Any]:
    value = int(found.value) if float(found.value).is_integer() else found.value
    return {
        "value": value,
        **({} if found.within is None else {"within": found.within}),
        "moves_to_end": found.moves_to_end,
        "best": list(found.best),
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
    }
