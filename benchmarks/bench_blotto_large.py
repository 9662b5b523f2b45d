"""Colonel Blotto, large: 50 against 45 units on values 1 to 10 (claim: under 3 s), the growth to 100 against 90 with a
certificate below 1e-6 of the total value, and a best reply with 1,000 units on 20 fronts (claim: under 5 ms).

There is no peer here: these sizes have 10^10 to 10^12 plans a side. Processor time, one core.
"""

import os
import statistics
import sys
import time

import numpy as np

from stratagem.games.blotto import Rules
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.games.blotto.solve import solve
from stratagem.plans.allocation import sample
from stratagem.rng import generator

GROWTH = [(10, 9), (20, 18), (30, 27), (40, 36), (50, 45), (60, 54), (70, 63), (80, 72), (90, 81), (100, 90)]


def main(limit):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rules = Rules.of((1000, 1000), range(1, 21))
    rng = generator(0)
    opponent, weights = as_plans([sample(1000, 20, rng) for _ in range(50)]), np.full(50, 0.02)
    payoffs = Payoffs(rules)
    payoffs.best(0, opponent, weights)
    times = []
    for _ in range(21):
        began = time.process_time()
        payoffs.best(0, opponent, weights)
        times.append(time.process_time() - began)
    print(f"best reply, 1000 units on 20 fronts, 50 opposing plans: {1e3 * statistics.median(times):.2f} ms")
    solve(Rules.of((3, 2), "1,2"))
    for values, name in ((range(1, 11), "1..10"), ([1] * 10, "ten equal")):
        for units in GROWTH:
            if units[0] > limit:
                break
            rules = Rules.of(units, values)
            total = float(sum(rules.values[0]))
            began = time.process_time()
            found = solve(rules, tolerance=1e-7 * total)
            spent = time.process_time() - began
            width = found.interval[1] - found.interval[0]
            print(
                f"{units[0]:>4} v {units[1]:<3} {name:>9}: value {found.payoffs[0]:.8f}, certificate {width / total:.1e} of the "
                f"total, {len(found.trace)} rounds, {spent:.2f} s",
                flush=True,
            )
            assert width < 1e-6 * total


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
