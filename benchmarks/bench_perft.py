"""Perft: leaves a second of each classic game; the peer, where installed, is OpenSpiel's C++ rules driven from Python.

Ours visits all but the last ply and counts that; the peer's loop does the same with its legal_actions.
"""

from __future__ import annotations

import os
import statistics
import time

import stratagem
from stratagem.search.perft import Perft

# ours, theirs, our depth, their depth
CASES = (
    ("connect4", "connect_four", 9, 5),
    ("othello", "othello", 8, 4),
    ("breakthrough", "breakthrough", 5, 3),
    ("hex", "hex", 4, 2),
)
REPEATS = 5


def peer_perft(state, depth):
    if state.is_terminal():
        return 0
    if depth == 1:
        return len(state.legal_actions())
    return sum(peer_perft(state.child(action), depth - 1) for action in state.legal_actions())


def main():
    try:
        import pyspiel
    except ImportError:
        pyspiel = None
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for ours, theirs, our_depth, their_depth in CASES:
        game = stratagem.game(ours)
        perft = Perft(game)
        perft.count(game.start(), 2)
        rates, peers = [], []
        for _ in range(REPEATS):
            began = time.process_time()
            leaves = perft.count(game.start(), our_depth)
            rates.append(leaves / (time.process_time() - began))
            if pyspiel:
                began = time.process_time()
                count = peer_perft(pyspiel.load_game(theirs).new_initial_state(), their_depth)
                peers.append(count / (time.process_time() - began))
        mine = statistics.median(rates)
        against = (
            f", OpenSpiel {statistics.median(peers):,.0f}, ratio {mine / statistics.median(peers):,.0f}"
            if peers
            else ""
        )
        print(f"perft {ours} to depth {our_depth}: {leaves:,} leaves, {mine:,.0f}/s{against}", flush=True)


if __name__ == "__main__":
    main()
