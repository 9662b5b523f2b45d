"""Exact solution of connect-four positions against a C++ solver written for that one game.

`STRATAGEM_C4SOLVER` names a program around the peer (measured with P. Pons' solver): it reads positions, one a line, solves
them in one go with its table kept and no book, and prints one line: its processor seconds, its nodes, and the scores, 22
less the winner's stones. `STRATAGEM_C4SOLVER_SMALL` names the same program with a table of 2**18 entries in place of the
default 2**24. Both sides solve whole batches in one compiled call, on one core; runs alternate, and every score is compared.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time

import numpy as np

import stratagem
from stratagem.search.alphabeta.solver import Solver
from stratagem.search.budget import Budget

GAME = stratagem.game("connect4")
SETS = {"end": (28, 36, 2000), "middle": (16, 24, 200)}
DEFAULT, SMALL = 24, 18  # log2 of the entries: the peer's own size, and one that fits into a cache


def positions(shortest, longest, n, seed):
    """Positions of random games with a random number of stones."""
    rng, found = random.Random(seed), []
    while len(found) < n:
        stones, position = rng.randint(shortest, longest), GAME.start()
        while not position.over and len(position.history) < stones:
            position = position.play(rng.choice(position.moves()))
        if not position.over:
            found.append(position)
    return found


def peer(program, batch):
    lines = "".join(f"{position}\n" for position in batch)
    out = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.split()
    return float(out[0]), int(out[1]), [int(x) for x in out[2:]]


def ours(solver, batch):
    solver.clear()
    solver.table.entries[:] = 0  # touch the pages, as the peer does
    starts = np.array([position.state for position in batch])
    bounds = np.tile(np.array([-99, 99]), (len(batch), 1))
    began = time.process_time()
    solver.close_in(starts, bounds, Budget())
    return time.process_time() - began, solver.nodes, [int(x) for x in bounds[:, 0]]


def pons(position, score):
    """Our score in the peer's convention: 22 less the winner's stones at the end."""
    if score == 0:
        return 0
    stones = len(position.history) + solver_plies(position, score)
    return (22 - (stones + 1) // 2) * (1 if score > 0 else -1)


def solver_plies(position, score):
    return 43 - len(position.history) - abs(score)


def main():
    programs = {DEFAULT: os.environ.get("STRATAGEM_C4SOLVER"), SMALL: os.environ.get("STRATAGEM_C4SOLVER_SMALL")}
    if not programs[DEFAULT]:
        print("connect four: STRATAGEM_C4SOLVER does not name a C++ solver to compare with; left out")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    for theirs, mine in ((DEFAULT, SMALL), (SMALL, SMALL), (DEFAULT, DEFAULT)):
        if programs[theirs]:
            solver = Solver(GAME, table_bits=mine)
            for kind, (shortest, longest, n) in SETS.items():
                compare(programs[theirs], solver, positions(shortest, longest, n, seed=1), repeats, theirs, kind)


def compare(program, solver, batch, repeats, bits, kind):
    times = {"peer": [], "ours": []}
    for _ in range(repeats):
        seconds, their_nodes, theirs = peer(program, batch)
        times["peer"].append(seconds)
        seconds, our_nodes, scores = ours(solver, batch)
        times["ours"].append(seconds)
        assert theirs == [pons(p, x) for p, x in zip(batch, scores, strict=True)], "scores differ"
    n = len(batch)
    a, b = (statistics.median(times[who]) / n * 1e6 for who in ("peer", "ours"))
    print(
        f"connect four, {n} {kind} positions: C++ with 2**{bits} entries {a:.1f} us ({their_nodes // n} nodes), "
        f"ours with 2**{solver.settings.table_bits} {b:.1f} us ({our_nodes // n} nodes), ratio {b / a:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
