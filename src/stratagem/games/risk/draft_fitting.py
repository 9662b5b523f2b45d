"""Fitting models of a draft's worth to who won: linear regression and multinomial logistic.

The second maximises the likelihood of the winners under a softmax over the seats, with one utility for all of them:
a case is a draft, its seats are the alternatives. `x` are features [draft, seat, feature], `winners` a seat a draft.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem.games.risk.atlas import CONTINENT_SIZE, CONTINENTS
from stratagem.games.risk.draft_features import FEATURES, PAPER, STEP, Ints, Rows
from stratagem.games.risk.draft_worth import KIND, LINEAR, LOGISTIC, WEIGHTS


def blank(kind: float) -> Rows:
    row = np.zeros(WEIGHTS + FEATURES)
    row[KIND] = kind
    return row


def softmax(u: Any) -> Any:
    e = np.exp(u - u.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_loss(share: Any, winners: Ints) -> float:
    return float(-np.log(np.maximum(share[np.arange(len(share)), winners], 1e-12)).mean())


def fit_linear(x: Rows, winners: Ints, ridge: float = 1e-4) -> Rows:
    """The paper's regression: a seat's chance to win on its features, each seat of each draft one case."""
    cases = x[:, :, :PAPER].reshape(-1, PAPER)
    label = (np.arange(x.shape[1])[None, :] == winners[:, None]).astype(float).reshape(-1)
    gram = cases.T @ cases / len(cases) + ridge * np.eye(PAPER)
    row = blank(LINEAR)
    row[WEIGHTS : WEIGHTS + PAPER] = np.linalg.solve(gram, cases.T @ label / len(cases))
    return row


def fit_logistic(x: Rows, winners: Ints, ridge: float = 3e-4, columns: Ints | None = None) -> Rows:
    """The multinomial logistic model. Steps of a continent are drawn together by the ridge, so that a number of territories
    that hardly occurs stays near what its neighbours say."""
    from scipy.optimize import minimize  # slow to import, and only fitting needs it

    used = np.arange(FEATURES) if columns is None else columns
    z, n, rows = np.ascontiguousarray(x[:, :, used]), len(x), np.arange(len(x))
    smooth = np.eye(FEATURES)
    for c in range(CONTINENTS):
        for k in range(int(CONTINENT_SIZE[c])):
            d = np.zeros(FEATURES)
            d[STEP[c] + k], d[STEP[c] + k + 1] = 1.0, -1.0
            smooth += 3.0 * np.outer(d, d)
    smooth = ridge * smooth[np.ix_(used, used)]

    def loss(w: Rows) -> tuple[float, Rows]:
        share = softmax(z @ w)
        value = log_loss(share, winners) + 0.5 * w @ smooth @ w
        share[rows, winners] -= 1.0
        return float(value), np.einsum("ip,ipk->k", share, z) / n + smooth @ w

    found = minimize(loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    row = blank(LOGISTIC)
    row[WEIGHTS + used] = found.x
    return row


FITS: dict[str, Callable[[Rows, Ints], Rows]] = {
    "linear": fit_linear,
    "logistic": fit_logistic,
}
