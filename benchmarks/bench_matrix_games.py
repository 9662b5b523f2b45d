"""Claim: small zero-sum games are solved faster than by nashpy, Gambit and QuantEcon, and as exactly.

One game a call, all in one process, alternating; the matrices are games of whole numbers and of reals without a saddle point.
`zero_sum` also measures the exploitability of its answer in that time. Run: python benchmarks/bench_matrix_games.py
"""

import statistics
import time
import warnings

import numpy as np

from stratagem.equilibrium import zero_sum, zero_sum_many

warnings.filterwarnings("ignore")
REPEATS = 9
AT_LEAST = 4000  # games of the quick solvers in one measurement: a few milliseconds, so that cold caches do not tell


def peers():
    found = {}
    try:
        from quantecon.optimize import minmax

        found["QuantEcon minmax"] = (minmax, 1)
    except ImportError:
        print("QuantEcon is not installed: left out")
    try:
        import nashpy

        found["nashpy linear_program"] = (lambda a: (lambda s: s[0] @ a @ s[1])(nashpy.Game(a).linear_program()), 20)
    except ImportError:
        print("nashpy is not installed: left out")
    try:
        import pygambit

        def gambit(a):
            kind = getattr(pygambit, "StrategicGame", pygambit.Game)  # 17 renamed what 16 has
            game = kind.from_arrays(a, -a)
            found = pygambit.nash.lp_solve(game, rational=False)
            profile = found.equilibrium if hasattr(found, "equilibrium") else found.equilibria[0]
            payoff = profile.payoff if hasattr(profile, "payoff") else profile._payoff
            return float(payoff(next(iter(game.players))))

        found["Gambit lp_solve"] = (gambit, 20)
    except ImportError:
        print("Gambit is not installed: left out")
    return found


def games(kind, size, count):
    rng = np.random.default_rng(size)
    found = []
    while len(found) < count:
        a = rng.integers(-3, 4, (size, size)).astype(float) if kind == "whole" else rng.normal(size=(size, size))
        if a.min(axis=1).max() < a.max(axis=0).min():
            found.append(a)
    return found


def value_of(found):
    if hasattr(found, "gains"):
        return found.value
    return found[0] if isinstance(found, tuple) else found


def rate(solve, batch, times):
    began = time.process_time()
    for _ in range(times):
        for a in batch:
            solve(a)
    return times * len(batch) / (time.process_time() - began)


def main():
    others = peers()
    for kind in ("whole", "real"):
        for size in (3, 5, 10):
            batch = games(kind, size, 400)
            solvers = {"ours, one a call": (zero_sum, 1), **others}
            for solve, part in solvers.values():  # compile, and agree
                assert all(abs(value_of(solve(a)) - zero_sum(a).value) < 1e-6 for a in batch[: 40 // part + 1])
            stack = np.array(batch)
            zero_sum_many(stack)
            rates = {name: [] for name in solvers}
            many = []
            for _ in range(REPEATS):
                for name, (solve, part) in solvers.items():
                    times = AT_LEAST // len(batch) if part == 1 else 1
                    rates[name].append(rate(solve, batch[: len(batch) // part], times))
                many.append(rate(zero_sum_many, [stack], AT_LEAST // len(batch)) * len(batch))
            ours = statistics.median(rates["ours, one a call"])
            print(
                f"{size} x {size}, {kind} numbers: ours {ours:,.0f} games/cpu-s one a call, "
                f"{statistics.median(many):,.0f} at once"
            )
            for name in others:
                peer = statistics.median(rates[name])
                print(
                    f"    {name}: {peer:,.0f} games/cpu-s; ours / theirs {ours / peer:.1f} one a call, "
                    f"{statistics.median(many) / peer:.1f} at once"
                )


if __name__ == "__main__":
    main()
