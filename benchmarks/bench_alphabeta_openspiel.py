"""Plain alpha-beta, nodes a second, against OpenSpiel's Python alpha-beta (its C++ one is not in the wheel).

Both search the same trees: no table, no heuristic, moves in the order that each game lists them. The peer's nodes are
counted in a pass of its own and divided by the time of an uncounted one; runs alternate, processor time, one core.
"""

from __future__ import annotations

import os
import statistics
import time

import stratagem
from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta

# ours, theirs, our depth, their depth
CASES = (
    ("tictactoe", "tic_tac_toe", 9, 9),
    ("connect4", "connect_four", 12, 6),
    ("breakthrough", "breakthrough", 6, 3),
)
REPEATS = 5


def main():
    try:
        import pyspiel
        from open_spiel.python.algorithms import minimax
    except ImportError:
        print("alpha-beta against OpenSpiel: open_spiel is not installed; left out")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    inner = minimax._alpha_beta
    for ours, theirs, our_depth, their_depth in CASES:
        peer = pyspiel.load_game(theirs)
        calls = 0

        def counted(*args, **named):
            nonlocal calls
            calls += 1
            return inner(*args, **named)

        def run(peer=peer, depth=their_depth):
            minimax.alpha_beta_search(peer, value_function=lambda state: 0.0, maximum_depth=depth)

        minimax._alpha_beta = counted
        run()
        minimax._alpha_beta = inner
        game = stratagem.game(ours)
        search = AlphaBeta(game, PLAIN, table_bits=0, ordered=False, distances=False, evaluate=nothing)
        search.search(game.start(), 2)
        rates = {"peer": [], "ours": []}
        for _ in range(REPEATS):
            began = time.process_time()
            run()
            rates["peer"].append(calls / (time.process_time() - began))
            began = time.process_time()
            nodes = search.search(game.start(), our_depth).nodes
            rates["ours"].append(nodes / (time.process_time() - began))
        a, b = (statistics.median(rates[who]) for who in ("peer", "ours"))
        print(
            f"plain alpha-beta, {ours}: OpenSpiel (Python over C++) {a:,.0f} nodes/s at depth {their_depth}, "
            f"ours {b:,.0f} at depth {our_depth} ({nodes:,} nodes), ratio {b / a:,.0f}",
            flush=True,
        )


def nothing(g, s, out):
    """No heuristic, as on the other side."""
    out[0] = 0.0
    out[1] = 0.0


if __name__ == "__main__":
    main()
