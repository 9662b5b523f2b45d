"""Colonel Blotto, `score`: ours against explicit linear programs of SciPy, OpenSpiel, QuantEcon and Gambit.

Peers get the payoff matrix for nothing; ours starts from the rules. They alternate in one run, pinned to one core, and
processor time is taken, so that a busy machine does not count; medians and the ratio to the best peer are printed. A peer is
left out of larger sizes once it took longer than LIMIT. Claim: at 1,000 plans and beyond at least 20 times the best of them.
"""

import os
import statistics
import time

import numpy as np
from scipy.optimize import linprog

from stratagem.games.blotto import Rules
from stratagem.games.blotto.constant_sum import zero_sum_matrix
from stratagem.games.blotto.solve import solve
from stratagem.plans.allocation import allocations

SIZES = [((7, 6), 4), ((10, 9), 4), ((10, 9), 5), ((13, 12), 5), ((15, 14), 5)]
LIMIT = 15.0  # seconds of processor time
REPEATS = 3  # fewer where a peer takes longer than LIMIT


def scipy_program(matrix):
    m, n = matrix.shape
    found = linprog(
        np.append(np.zeros(m), -1.0), A_ub=np.hstack([-matrix.T, np.ones((n, 1))]), b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None], b_eq=[1.0], bounds=[(0, None)] * m + [(None, None)], method="highs",
    )  # fmt: skip
    return -found.fun


def peers():
    found = {"SciPy": scipy_program}
    try:
        import pyspiel
        from open_spiel.python.algorithms import lp_solver

        def openspiel(matrix):
            game = pyspiel.create_matrix_game(matrix, -matrix)
            return lp_solver.solve_zero_sum_matrix_game(game)[2]

        openspiel(np.array([[1.0, -1.0], [-1.0, 1.0]]))
        found["OpenSpiel"] = openspiel
    except Exception as error:
        print(f"OpenSpiel is not measured: {error}")
    try:
        from quantecon.game_theory.utilities import NashResult  # noqa: F401
        from quantecon.optimize import minmax

        minmax(np.array([[1.0, -1.0], [-1.0, 1.0]]))
        found["QuantEcon"] = lambda matrix: minmax(matrix)[0]
    except Exception as error:
        print(f"QuantEcon is not measured: {error}")
    try:
        import pygambit

        def gambit(matrix):
            kind = getattr(pygambit, "StrategicGame", pygambit.Game)  # as version 17 names it, or earlier ones
            game = kind.from_arrays(matrix, -matrix)
            result = pygambit.nash.lp_solve(game, rational=False)
            if hasattr(result, "equilibrium"):
                return float(next(iter(result.equilibrium.payoffs))[1])
            return float(result.equilibria[0].payoff(game.players[0]))

        gambit(np.array([[1.0, -1.0], [-1.0, 1.0]]))
        found["Gambit"] = gambit
    except Exception as error:
        print(f"Gambit is not measured: {error}")
    return found


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    contestants = peers()
    solve(Rules.of((3, 2), "1,2"))  # compiled, or loaded, before the clock runs
    print(
        f"{'game':>20} {'plans':>12} {'ours':>9}  "
        + "  ".join(f"{name:>10}" for name in contestants)
        + "   best peer / ours"
    )
    slow, last = set(), {}
    for units, fronts in SIZES:
        rules = Rules.of(units, range(1, fronts + 1))
        matrix = zero_sum_matrix(rules, *(allocations(u, fronts) for u in units))
        for name, (seconds, entries) in last.items():  # time grows at least with the cube of the plans
            if seconds * (matrix.size / entries) ** 1.5 > 4 * LIMIT:
                slow.add(name)
        times = {"ours": []} | {name: [] for name in contestants if name not in slow}
        values = {}
        for _ in range(REPEATS):
            for name in times:
                if name in slow:
                    continue
                began = time.process_time()
                try:
                    values[name] = solve(rules).payoffs[0] if name == "ours" else contestants[name](matrix)
                except Exception as error:
                    if name == "ours":
                        raise
                    print(f"{name} fails at {matrix.shape[0]} x {matrix.shape[1]}: {type(error).__name__}")
                    slow.add(name)
                    continue
                times[name].append(time.process_time() - began)
                if times[name][-1] > LIMIT:
                    slow.add(name)
        for name, value in values.items():
            assert abs(value - values["ours"]) < 1e-5, (name, value, values["ours"])
        medians = {name: statistics.median(t) for name, t in times.items() if t}
        last.update({name: (t, matrix.size) for name, t in medians.items() if name != "ours"})
        best = min((t for name, t in medians.items() if name != "ours"), default=float("nan"))
        cells = "  ".join(f"{medians[name]:9.3f}s" if name in medians else f"{'-':>10}" for name in contestants)
        label = f"{units[0]} v {units[1]} on 1..{fronts}"
        plans = f"{matrix.shape[0]:>5} x{matrix.shape[1]:>5}"
        print(f"{label:>20} {plans} {medians['ours']:8.4f}s  {cells}   {best / medians['ours']:.0f}x", flush=True)


if __name__ == "__main__":
    main()
