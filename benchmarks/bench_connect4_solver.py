"""Exact solution of connect-four positions against a C++ solver written for that one game.

The peer is P. Pons' solver; `STRATAGEM_C4SOLVER` names the folder of its sources, which are compiled into a temporary
folder with its own flags, once as they are (a table of 2**24 entries) and once with a smaller table. Both sides solve
whole batches in one compiled call, one core, the table empty at first and kept over the batch, no book; runs alternate,
and every score is compared.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import stratagem
from stratagem.search.running import Stopwatch
from stratagem.search.solver import Solver

GAME = stratagem.game("connect4")
SETS = {"end": (28, 36, 2000), "middle": (16, 24, 200)}
DEFAULT, SMALL = 24, 18  # log2 of the entries: the peer's own size, and one that fits into a cache
FLAGS = ["--std=c++11", "-O3", "-DNDEBUG"]


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


def build(sources, folder, bits):
    """The peer's program with a table of 2**bits entries."""
    home = folder / f"table{bits}"
    shutil.copytree(sources, home, ignore=shutil.ignore_patterns(".git", "*.o", "*.book"))
    shutil.copy(Path(__file__).with_name("connect4_peer.cpp"), home)
    header = home / "Solver.hpp"
    text, changed = re.subn(r"TABLE_SIZE = \d+", f"TABLE_SIZE = {bits}", header.read_text())
    assert changed == 1, "the peer's table size was not found"
    header.write_text(text)
    program = home / "peer"
    subprocess.run(["g++", *FLAGS, "-o", program, "connect4_peer.cpp", "Solver.cpp"], cwd=home, check=True)
    return program


def peer(program, batch):
    lines = "".join(f"{position}\n" for position in batch)
    out = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.split()
    return float(out[0]), int(out[1]), [int(x) for x in out[2:]]


def ours(solver, batch):
    solver.clear()
    solver.table[:] = 0  # touch the pages, as the peer does
    starts = np.array([position.state for position in batch])
    bounds = np.tile(np.array([-99, 99]), (len(batch), 1))
    began = time.process_time()
    solver.close_in(starts, bounds, Stopwatch())
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
    sources = os.environ.get("STRATAGEM_C4SOLVER")
    if not sources:
        print("connect four: STRATAGEM_C4SOLVER does not name the folder of a C++ solver; left out")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        programs = {bits: build(Path(sources), Path(folder), bits) for bits in (DEFAULT, SMALL)}
        for theirs, mine in ((DEFAULT, SMALL), (SMALL, SMALL), (DEFAULT, DEFAULT)):
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
        f"ours with 2**{solver.table_bits} {b:.1f} us ({our_nodes // n} nodes), ratio {b / a:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
