"""The worth of a position of Risk at the beginning of a turn: a utility a seat, linear in a few features, softmax over seats.

The weights are fitted to who won scripted games (`stratagem train risk-value`), one row a number of seats, and lie with
their cards in `data/value.json`.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.games.risk import atlas, kernels
from stratagem.kernel import Ground, Payoffs, State

Rows = NDArray[np.float64]

NAMES = (
    "share of armies",
    "log of armies",
    "share of income",
    "log of income",
    "share of territories",
    "armies to come from cards",
    "turns until its own",
    "to move",
    "share of armies on the border",
    "armies beside it",
    "largest stack",
    "bonuses",
)
FEATURES = len(NAMES)
VALUE_WEIGHTS = np.zeros(FEATURES)  # bound for each game
NEARLY = 0.98  # values stay inside the range of payoffs


def features(s: State, x: Rows) -> None:
    """Into row p of x what seat p has; a seat that is out gets zeros."""
    total, income_total = 0.0, 0.0
    for p in range(kernels.SEATS):
        for k in range(FEATURES):
            x[p, k] = 0.0
        if s[kernels.OWNS + p] == 0:
            continue
        armies = float(s[kernels.LEFT + p] + (s[kernels.POOL] if p == s[kernels.PLAYER] else 0))
        mask, border, beside, largest = 0, 0.0, 0.0, 0.0
        for t in range(atlas.TERRITORIES):
            if s[kernels.OWNER + t] == p:
                mask |= 1 << t
                armies += s[kernels.ARMIES + t]
                largest = max(largest, s[kernels.ARMIES + t] + 0.0)
                foes = 0
                for k in range(atlas.START[t], atlas.START[t + 1]):
                    if s[kernels.OWNER + atlas.NEXT[k]] != p:
                        foes += s[kernels.ARMIES + atlas.NEXT[k]]
                if foes > 0:
                    border += s[kernels.ARMIES + t]
                    beside += foes
        bonus = 0.0
        for c in range(atlas.LANDS.shape[0]):
            if mask & atlas.LANDS[c] == atlas.LANDS[c]:
                bonus += atlas.BONUS[c]
        income = max(3.0, s[kernels.OWNS + p] // 3 + 0.0) + bonus
        total += armies
        income_total += income
        cards = 0.0
        if kernels.CARDS != kernels.NO_CARDS:
            cards = (
                s[kernels.HELD + p]
                * (kernels.escalated(s[kernels.SETS] + 1) if kernels.CARDS == kernels.ESCALATING else 8)
                / 3.0
            )
        wait = (p - s[kernels.PLAYER]) % kernels.SEATS
        x[p, 0] = armies
        x[p, 1] = math.log(1.0 + armies)
        x[p, 2] = income
        x[p, 3] = math.log(income)
        x[p, 4] = s[kernels.OWNS + p] / atlas.TERRITORIES
        x[p, 5] = cards
        x[p, 6] = wait / kernels.SEATS
        x[p, 7] = 1.0 if wait == 0 else 0.0
        x[p, 8] = border / (1.0 + armies)
        x[p, 9] = beside
        x[p, 10] = largest
        x[p, 11] = bonus / 24.0
    for p in range(kernels.SEATS):
        x[p, 0] /= max(total, 1.0)
        x[p, 2] /= max(income_total, 1.0)
        x[p, 5] /= max(total, 1.0)
        x[p, 9] /= max(total, 1.0)
        x[p, 10] /= max(total, 1.0)


def worths(g: Ground, s: State, x: Rows, out: Payoffs) -> None:
    """What each seat may expect, in units of payoff; `x` is room for the features."""
    features(s, x)
    most = -1e300
    for p in range(kernels.SEATS):
        out[p] = -1e300
        if s[kernels.OWNS + p] > 0:
            u = 0.0
            for k in range(FEATURES):
                u += VALUE_WEIGHTS[k] * x[p, k]
            out[p] = u
            most = max(most, u)
    total = 0.0
    for p in range(kernels.SEATS):
        out[p] = math.exp(out[p] - most) if s[kernels.OWNS + p] > 0 else 0.0
        total += out[p]
    for p in range(kernels.SEATS):
        share = out[p] / total
        out[p] = NEARLY * (share - (1.0 - share) / (kernels.SEATS - 1))


@cache
def value_weights(players: int) -> Rows:
    """The shipped weights for a number of seats; where none were fitted, those of three."""
    found: dict[str, Any] = json.loads((files(__package__) / "data" / "value.json").read_text())
    return np.array(found.get(str(players), found["3"])["weights"], np.float64)


def fit(x: Rows, winners: NDArray[np.int64], ridge: float = 1e-3) -> tuple[Rows, float]:
    """Weights of the softmax that best foretell winners, x being [positions, seats, features]; and the mean log loss."""
    from scipy.optimize import minimize  # slow to import, and only fitting needs it

    alive = x.any(axis=2)
    rows = np.arange(len(x))

    def loss(w: Rows) -> tuple[float, Rows]:
        u = np.where(alive, x @ w, -np.inf)
        u -= u.max(axis=1, keepdims=True)
        e = np.exp(u)
        share = e / e.sum(axis=1, keepdims=True)
        gap = share.copy()
        gap[rows, winners] -= 1.0
        gradient = np.einsum("ip,ipk->k", gap, x) / len(x) + ridge * w
        return float(-np.log(np.maximum(share[rows, winners], 1e-300)).mean() + 0.5 * ridge * w @ w), gradient

    found = minimize(loss, np.zeros(x.shape[2]), jac=True, method="L-BFGS-B")
    return found.x, float(found.fun)
