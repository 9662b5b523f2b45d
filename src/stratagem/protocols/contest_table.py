"""Makes the table of the contest program: `python -m stratagem.protocols.contest_table` writes it into the package.

It is the exact solution (games/bidding) of tic-tac-toe with 8 gold, richman payment and the marker, for a first player that
bids at least 1 while it has gold against a second that may bid 0. Boards that a game can go on from, up to symmetry.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import stratagem
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.graph import explore
from stratagem.games.bidding.induction import solve_graph
from stratagem.games.tictactoe import TicTacToe
from stratagem.protocols.contest import GOLD, TABLE, TOTAL, code


def build() -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Board numbers in rising order, and for each the values by [the first player wins ties, its gold]."""
    base, game = stratagem.game("tictactoe"), stratagem.game("bidding", chips=(GOLD, GOLD))
    assert isinstance(base, TicTacToe) and isinstance(game, Bidding)
    graph = explore(base, base.start().state)
    solved = solve_graph(game, graph, (GOLD, GOLD), min_bids=(1, 0))
    going_on = np.flatnonzero(graph.over == 0)
    numbers = np.array([code(tuple(int(x) for x in base.marked(graph.states[node]))) for node in going_on], np.int16)
    values = solved.values[going_on, 0][:, ::-1]  # holders in the order [they, we]
    order = np.argsort(numbers)
    return numbers[order], values.reshape(len(going_on), 2 * (TOTAL + 1))[order].astype(np.int8)


if __name__ == "__main__":
    boards, table = build()
    file = Path(__file__).parent / "data" / TABLE
    np.savez_compressed(file, boards=boards, values=table)
    print(f"{file}: {len(boards)} boards, {file.stat().st_size} bytes")
