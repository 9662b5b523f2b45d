"""A turn of three stages as kernels: a bread, a spread that depends on it, and how much of it; small enough to list.

State: [breads, spreads, most]. Memory: [a bit for every part that was given]. The first proposals of an amount are none and the
most; finer: one less; coarser: any.
"""

from __future__ import annotations

from stratagem.rng import below, unit
from stratagem.search.staged import cell
from stratagem.search.staged.kernels import KernelStaging, Outline

BREAD, SPREAD, AMOUNT = range(3)


def choices(s, stage):
    return s[stage] + (1 if stage == AMOUNT else 0)


def given(memory, k):
    return memory[0] >> k & 1 == 1


def give(memory, part, k):
    memory[0] |= 1 << k
    part[0] = k
    return 1.0


def propose(g, s, p, stage, turn, memory, r, part):
    for k in range(choices(s, stage)):
        if not given(memory, k) and (stage != AMOUNT or k in (0, s[AMOUNT])):
            return give(memory, part, k)
    return 0.0


def finer(g, s, p, stage, turn, memory, base, r, part):
    if stage == AMOUNT and base[0] > 0 and not given(memory, base[0] - 1):
        return give(memory, part, base[0] - 1)
    return 0.0


def coarser(g, s, p, stage, turn, memory, base, noise, r, part):
    k = below(r, choices(s, stage))
    return 0.0 if given(memory, k) else give(memory, part, k)


def exhausted(g, s, p, stage, memory):
    return memory[0] == (1 << choices(s, stage)) - 1


def worth(s, turn):
    """Best: the last bread with the second spread, one less than the most; no two parts are worth their sum."""
    suits = 1.0 if turn[SPREAD, 0] == (turn[BREAD, 0] + 1) % s[SPREAD] else 0.2
    return 0.1 * turn[BREAD, 0] + 0.2 * suits - 0.05 * abs(turn[AMOUNT, 0] - s[AMOUNT] + 1)


def trial(g, s, p, turn, r, out):
    out[0] = worth(s, turn)
    out[1] = -out[0]


def noisy_trial(g, s, p, turn, r, out):
    out[0] = worth(s, turn) + 0.2 * (unit(r) - 0.5)
    out[1] = -out[0]


def estimate(g, s, p, stage, turn, out):
    """Of a bread alone: what it adds, with a spread for the rest."""
    out[0] = 0.1 * turn[BREAD, 0] + 0.05 if stage == BREAD else 0.0
    out[1] = -out[0]
    return 0.05 if stage == BREAD else cell.UNKNOWN


class Snacks(KernelStaging):
    outline = (Outline("bread"), Outline("spread", ("bread",)), Outline("amount"))
    cells = 3

    def __init__(self, *, dice=False, estimates=False):
        self.certain = not dice
        self.kernels = {"propose": propose, "finer": finer, "coarser": coarser, "exhausted": exhausted}
        self.kernels["trial"] = noisy_trial if dice else trial
        if estimates:
            self.kernels["estimate"] = estimate

    def mover(self, position):
        return 0

    def turns(self, position):
        a, b, c = position.tolist()
        return {((x,), (y,), (z,)) for x in range(a) for y in range(b) for z in range(c + 1)}
