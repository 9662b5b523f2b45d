"""Two threads that share the table against one, beside an ideal loop that shares nothing.

The loop is pure arithmetic, compiled, on the same threads: what the machine itself gives to a second thread now. Runs of
one and two threads alternate; wall time; fresh tables. No peer: this is a claim about ourselves.
"""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import stratagem
from stratagem.compile import specialise
from stratagem.rng import mix
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.solver import Solver
from stratagem.search.budget import Budget

REPEATS = 3


def ideal_loop(n, out):
    x = 1
    for _ in range(n):
        x = mix(x)
    out[0] = x


def wall(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main():
    loop = specialise(ideal_loop)
    loop(1000, np.zeros(1, np.int64))
    pool = ThreadPoolExecutor(2)
    connect4, othello = stratagem.game("connect4"), stratagem.game("othello")
    hard = connect4.parse("12345671")
    solvers = {k: Solver(connect4, table_bits=20, threads=k) for k in (1, 2)}
    searches = {k: AlphaBeta(othello, threads=k) for k in (1, 2)}

    def ideal(k):
        work = [pool.submit(loop, 60_000_000, np.zeros(1, np.int64)) for _ in range(k)]
        for one in work:
            one.result()

    def solve(k):
        solvers[k].clear()
        solvers[k].scores([hard], Budget(120))

    def search(k):
        searches[k].clear()
        for depth in range(1, 13):
            searches[k].search(othello.start(), depth)

    for k in (1, 2):
        solvers[k].scores([connect4.parse("4455")])
        searches[k].search(othello.start(), 2)
    for name, work, same in (("an ideal loop", ideal, False), ("the solver, connect four", solve, True),
                             ("alpha-beta, othello depth 12", search, True)):  # fmt: skip
        times = {1: [], 2: []}
        for _ in range(REPEATS):
            for k in (1, 2):
                times[k].append(wall(lambda k=k, work=work: work(k)))
        one, two = (statistics.median(times[k]) for k in (1, 2))
        gain = one / two if same else 2 * one / two
        print(f"{name}: one thread {one:.2f} s, two {two:.2f} s, speed-up {gain:.2f}", flush=True)


if __name__ == "__main__":
    main()
