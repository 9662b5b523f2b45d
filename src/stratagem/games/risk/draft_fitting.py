"""Fitting models of a draft's worth to who won: linear regression, multinomial logistic, boosted trees, a small net.

All but the first maximise the likelihood of the winners under a softmax over the seats, with one utility for all of them:
a case is a draft, its seats are the alternatives. `x` are features [draft, seat, feature], `winners` a seat a draft.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.games.risk.atlas import CONTINENT_SIZE, CONTINENTS
from stratagem.games.risk.draft_features import FEATURES, GROUPS, PAPER, SIMPLE, STEP, STEPS, Ints, Rows
from stratagem.games.risk.draft_worth import (
    BOOSTING,
    DEPTH,
    KIND,
    LINEAR,
    LOGISTIC,
    NET,
    SIZE,
    WANTS_BLOCKS,
    WEIGHTS,
)

SHAPE = np.concatenate([GROUPS["blocks"], GROUPS["distance"]])
CHEAP = np.setdiff1d(np.arange(FEATURES), SHAPE)  # what boosting and the net use unless told otherwise


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

    used = np.arange(SIMPLE) if columns is None else columns
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


def validation(n: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Every eighth case is kept from fitting, to say when to stop."""
    return np.arange(n) % 8 == 3


# --------------------------------------------------------------------------------------------------------- boosting

BINS = 48
LIGHTEST = 20.0  # of a leaf, in summed second derivatives: about 90 cases of three seats
SHRINK = 10.0  # added to the weight of a leaf


def grow_template(codes: Any, slope: Rows, bend: Rows, depth: int, tree: Ints, leaves: Rows, at: Ints) -> None:
    """One tree, level by level: `codes` are the features in bins [case, feature], `slope` and `bend` the first and second
    derivatives of the loss by utility. tree[k] becomes (feature, bin that still goes left), `leaves` the steps that lower
    the loss, `at` the leaf of each case."""
    cases, features = codes.shape
    inner = (1 << depth) - 1
    at[:] = 0
    for level in range(depth):
        first, width = (1 << level) - 1, 1 << level
        sums = np.zeros((width, features, BINS, 2))
        for i in range(cases):
            node = at[i] - first
            for f in range(features):
                sums[node, f, codes[i, f], 0] += slope[i]
                sums[node, f, codes[i, f], 1] += bend[i]
        for node in range(width):
            g_all, h_all = sums[node, 0, :, 0].sum(), sums[node, 0, :, 1].sum()
            best = 0.0
            tree[first + node, 0] = 0
            tree[first + node, 1] = BINS
            for f in range(features):
                g, h = 0.0, 0.0
                for b in range(BINS - 1):
                    g += sums[node, f, b, 0]
                    h += sums[node, f, b, 1]
                    rest = h_all - h
                    if h >= LIGHTEST and rest >= LIGHTEST:
                        gain = g * g / (h + SHRINK) + (g_all - g) ** 2 / (rest + SHRINK) - g_all**2 / (h_all + SHRINK)
                        if gain > best:
                            best = gain
                            tree[first + node, 0] = f
                            tree[first + node, 1] = b
        for i in range(cases):
            k = at[i]
            at[i] = 2 * k + (2 if codes[i, tree[k, 0]] > tree[k, 1] else 1)
    total, weight = np.zeros(inner + 1), np.full(inner + 1, SHRINK)
    for i in range(cases):
        total[at[i] - inner] += slope[i]
        weight[at[i] - inner] += bend[i]
    for k in range(inner + 1):
        leaves[k] = -total[k] / weight[k]


def fit_boosting(
    x: Rows,
    winners: Ints,
    columns: Ints | None = None,
    *,
    trees: int = 300,
    depth: int = 4,
    rate: float = 0.1,
    patience: int = 30,
) -> Rows:
    """Gradient boosting with second derivatives, until trees no longer help on cases kept apart."""
    used = np.setdiff1d(CHEAP, np.arange(STEPS)) if columns is None else columns  # numbers in place of their steps
    n, seats = x.shape[:2]
    flat = x[:, :, used].reshape(n * seats, len(used))
    edges = [np.unique(column)[:BINS] for column in flat.T]
    codes = np.stack([np.searchsorted(e, column) for e, column in zip(edges, flat.T, strict=True)], axis=1)
    codes = np.minimum(codes, BINS - 1).astype(np.uint8)
    kept = np.repeat(validation(n), seats)
    apart = validation(n)
    learn = np.ascontiguousarray(codes[~kept])
    hit = np.zeros((n, seats))
    hit[np.arange(n), winners] = 1.0
    inner = (1 << depth) - 1
    grow = specialise(grow_template, {}, label="risk, boosting")
    found: list[Rows] = []
    u, best, best_size = np.zeros((n, seats)), np.inf, 0
    tree, leaves, at = np.zeros((inner, 2), np.int64), np.zeros(inner + 1), np.zeros(len(learn), np.int64)
    while len(found) < trees and len(found) < best_size + patience:
        share = softmax(u)
        slope, bend = (share - hit)[~apart].reshape(-1), (share * (1 - share))[~apart].reshape(-1)
        grow(learn, slope, bend, depth, tree, leaves, at)
        k = np.zeros(n * seats, np.int64)
        for _ in range(depth):
            k = 2 * k + np.where(codes[np.arange(len(codes)), tree[k, 0]] > tree[k, 1], 2, 1)
        u += rate * leaves[k - inner].reshape(n, seats)
        limits = [edges[f][min(b, len(edges[f]) - 1)] if b < BINS else np.inf for f, b in tree]
        nodes = np.stack([used[tree[:, 0]].astype(float), np.minimum(limits, 1e9)], axis=1)
        found.append(np.concatenate([nodes.reshape(-1), rate * leaves]))
        loss = log_loss(softmax(u[apart]), winners[apart])
        if loss < best - 1e-6:
            best, best_size = loss, len(found)
    row = np.zeros(WEIGHTS)
    row[KIND], row[SIZE], row[DEPTH] = BOOSTING, best_size, depth
    row[WANTS_BLOCKS] = np.isin(used, SHAPE).any()
    return np.concatenate([row, *found[:best_size]])


# -------------------------------------------------------------------------------------------------------------- net


@dataclass(frozen=True)
class NetSettings:
    """How the net is fitted."""

    width: int = 64  # of both layers
    epochs: int = 12
    batch: int = 512  # drafts a step
    pace: float = 5e-4  # of Adam
    decay: float = 1e-3  # of the weights of layers, a step
    seed: int = 1


def fit_net(x: Rows, winners: Ints, columns: Ints | None = None, **changes: Any) -> Rows:
    """The net, by Adam with decay; its linear part begins as the logistic model, and the best epoch on cases kept apart is
    taken. Features are scaled for the fit, and the scale goes into the weights afterwards. `changes` are to `NetSettings`."""
    how = NetSettings(**changes)
    width, batch, pace = how.width, how.batch, how.pace
    used = CHEAP if columns is None else columns
    rng = np.random.default_rng(how.seed)
    apart = validation(len(x))
    scale = np.maximum(x.reshape(-1, x.shape[2]).std(axis=0), 0.05)[used]
    z = (x[:, :, used] / scale).astype(np.float32)
    size = len(used)
    start = fit_logistic(x[~apart], winners[~apart])[WEIGHTS + used] * scale
    shapes = {
        "skip": (size,),
        "first": (size, width),
        "offset": (width,),
        "own": (width, width),
        "every": (width, width),
        "second": (width,),
        "last": (width,),
    }
    p = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    p["skip"][:] = start
    for name, inputs in (("first", 0.3 * size), ("own", 2.0 * width), ("every", 2.0 * width * x.shape[1])):
        p[name][:] = rng.normal(size=shapes[name]) * np.sqrt(2.0 / inputs)
    p["last"][:] = rng.normal(size=width) * 0.02  # begins near the logistic model
    mean = {name: np.zeros_like(w) for name, w in p.items()}
    square = {name: np.zeros_like(w) for name, w in p.items()}
    learn = np.flatnonzero(~apart)
    best, kept, steps = np.inf, {name: w.copy() for name, w in p.items()}, 0
    for _ in range(how.epochs):
        rng.shuffle(learn)
        for at in range(0, len(learn), batch):
            some = learn[at : at + batch]
            slopes = _slopes(p, z[some], winners[some])
            steps += 1
            for name, w in p.items():
                mean[name] += 0.1 * (slopes[name] - mean[name])
                square[name] += 0.001 * (slopes[name] ** 2 - square[name])
                speed = mean[name] / (1 - 0.9**steps) / (np.sqrt(square[name] / (1 - 0.999**steps)) + 1e-8)
                w -= pace * (speed + (how.decay / pace * w if w.ndim == 2 else 0.0))
        loss = log_loss(softmax(_forward(p, z[apart])[0]), winners[apart])
        if loss < best:
            best, kept = loss, {name: w.copy() for name, w in p.items()}
    row = blank(NET)
    row[SIZE], row[WANTS_BLOCKS] = width, np.isin(used, SHAPE).any()
    row[WEIGHTS + used] = kept["skip"] / scale
    first = np.zeros((FEATURES, width))
    first[used] = kept["first"] / scale[:, None]
    rest = [kept[name].astype(float).reshape(-1) for name in ("offset", "own", "every", "second", "last")]
    return np.concatenate([row, first.reshape(-1), *rest])


def _forward(p: dict[str, Any], z: Any) -> tuple[Any, Any, Any]:
    """Utilities, and the outputs of both layers."""
    code = np.maximum(z @ p["first"] + p["offset"], 0)
    seen = np.maximum(code @ p["own"] + (code.sum(axis=1) @ p["every"])[:, None, :] + p["second"], 0)
    return z @ p["skip"] + seen @ p["last"], code, seen


def _slopes(p: dict[str, Any], z: Any, winners: Ints) -> dict[str, Any]:
    """The derivatives of the mean log loss."""
    u, code, seen = _forward(p, z)
    n, width = len(z), code.shape[2]
    gap = softmax(u)
    gap[np.arange(n), winners] -= 1.0
    gap /= n
    back = gap[:, :, None] * p["last"] * (seen > 0)
    all_back = back.sum(axis=1)
    into = (back @ p["own"].T + (all_back @ p["every"].T)[:, None, :]) * (code > 0)
    flat, flat_into, flat_code = z.reshape(-1, z.shape[2]), into.reshape(-1, width), code.reshape(-1, width)
    return {
        "skip": gap.reshape(-1) @ flat,
        "first": flat.T @ flat_into,
        "offset": flat_into.sum(axis=0),
        "own": flat_code.T @ back.reshape(-1, width),
        "every": code.sum(axis=1).T @ all_back,
        "second": all_back.sum(axis=0),
        "last": gap.reshape(-1) @ seen.reshape(-1, width),
    }


FITS: dict[str, Callable[[Rows, Ints], Rows]] = {
    "linear": fit_linear,
    "logistic": fit_logistic,
    "boosting": fit_boosting,
    "net": fit_net,
}
