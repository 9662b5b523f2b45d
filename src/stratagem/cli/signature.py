"""`stratagem signature`: node counts of fixed searches, which change only on purpose."""

from __future__ import annotations

from stratagem.contract.game import ArrayGame
from stratagem.registry import game
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.solver import Solver

# game, position, depth: each searched from an empty table
SEARCHES = (
    ("tictactoe", "", 9),
    ("connect4", "", 14),
    ("connect4", "4444", 14),
    ("connect4", "44455554221", 12),
    ("nim", "", 12),
    ("othello", "", 6),
    ("breakthrough", "", 5),
)
SOLVED = "444444222223"  # a position of connect four, for the solver


def total() -> tuple[int, list[tuple[str, str, int, int]]]:
    """All nodes, and those of each search."""
    rows = []
    for name, text, depth in SEARCHES:
        of = game(name)
        assert isinstance(of, ArrayGame)
        found = AlphaBeta(of, table_bits=16).search(of.parse(text), depth)
        assert found is not None
        rows.append((name, text, depth, found.nodes))
    board = game("connect4")
    assert isinstance(board, ArrayGame)
    solved = Solver(board, table_bits=16).solve(board.parse(SOLVED))
    rows.append(("connect4", SOLVED, solved.plies, solved.nodes))
    return sum(row[3] for row in rows), rows


def signature() -> None:
    """Print the nodes of fixed searches; a change that is meant to alter nothing keeps them."""
    nodes, rows = total()
    for name, text, depth, n in rows:
        print(f"{name:12} {text or 'start':14} depth {depth:3} {n:10}")
    print(nodes)
