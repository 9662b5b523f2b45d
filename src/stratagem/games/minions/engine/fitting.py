"""Fit the engine's weights to who won games of varied players: the best of a few scripted turns, and the engine itself.

Every turn played gives a row: the features of the position that the engine judges it by, after the short answer to it. The
weights are those of a logistic regression of the mover's winning on the rows (Newton's method, a ridge towards the weights by
hand, no sign other than theirs, the ratios of what is property kept). The spread says how much values move from a turn of a
side to its next.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig, Techline
from stratagem.games.minions.engine.scratch import Reals
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.engine.worth import COUNT, NAMES, fitted_weights, unfitted_weights
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turns import scripted_words
from stratagem.rng import generator
from stratagem.search.staged import Settings, Staged

MAPS = (
    ("BlackenedShores",),
    ("MidnightLake",),
    ("BlackenedShores", "MidnightLake"),
    ("MidnightLake", "MidnightLake"),
    ("BlackenedShores", "MidnightLake", "MidnightLake"),
)
PLIES = 160  # after which a game teaches nothing: nobody won
SHAKEN = 0.35  # deviation of the logarithm of each weight, drawn for each side of a game
MOST_SCRIPTED = 16  # scripted turns of which a side of a game takes the best, at the most; at the least 1
PROPERTY = (
    "units on boards",
    "rebates on boards",
    "reinforcements",
    "money",
    "cards acquired",
    "cards unlocked",
)
VISITS = (25, 50, 100)  # simulations a turn of a side that is the engine
RIDGE = 200.0  # turns of evidence that the weights by hand count for, in each feature


class Job(NamedTuple):
    """A game to be played."""

    number: int
    seed: int
    searched: float  # the share of sides that are the engine


Side = Callable[[GameState], bytes]  # the words of a turn
NO_LUCK = generator(0)


def play_game(job: Job) -> tuple[Reals, Reals]:
    """One game: rows of features, and for each whether its mover won; nothing if nobody did."""
    rng = random.Random(f"{job.seed} {job.number}")
    line = Techline.standard() if rng.random() < 0.5 else Techline.randomised(rng.getrandbits(30))
    config = GameConfig.make(rng.choice(MAPS), techline=line)
    looker = MinionsStaging(config, EngineOptions(solver=False))
    sides = [_side(looker, rng, rng.random() < job.searched) for _ in range(2)]
    state = GameState.start(config)
    rows, movers = [], []
    while state.winner is None and state.ply < PLIES:
        words = sides[state.side](state)
        looker.judged(state.array, words)
        scratch = looker.scratch()
        if scratch.s[layout.WINNER] < 0:
            rows.append(scratch.judged.x[:COUNT].copy())
            movers.append(state.side)
        state = GameState(config, looker.play(state.array, words, NO_LUCK))
    if state.winner is None:
        return np.zeros((0, COUNT)), np.zeros(0)
    return np.array(rows).reshape(-1, COUNT), np.array([float(m == state.winner) for m in movers])


def _side(looker: MinionsStaging, rng: random.Random, searched: bool) -> Side:
    """A player with weights of its own: the engine at depth 1, or the best of a few scripted turns."""
    shake = [rng.lognormvariate(0.0, SHAKEN) for _ in range(COUNT)]
    staging = MinionsStaging(looker.config, looker.options)
    staging.weights = fitted_weights() * np.array([*shake, 1.0])
    if searched:
        search = Staged(staging, Settings(depth=1, pruning=0.0), seed=rng.getrandbits(30))
        visits = rng.choice(VISITS)
        return lambda state: search.consider(state.array, simulations=visits).best.turn
    most, luck = rng.randint(1, MOST_SCRIPTED), generator(rng.getrandbits(30))

    def best(state: GameState) -> bytes:
        found, value = b"", -2.0
        for k in range(most):
            words = scripted_words(state.config, state.array.copy(), luck, wild=k > 0).tobytes()
            if (worth := staging.judged(state.array, words)) > value:
                found, value = words, worth
        return found

    return best


Spread = Callable[[str, Sequence[Any]], Iterator[Any]]  # calls a function by its name for each of many tasks, in order


def games_of(jobs: list[Job], workers: int, spread: Spread | None = None) -> Iterator[tuple[Reals, Reals]]:
    if spread is not None:
        yield from spread(f"{__name__}:play_game", jobs)
        return
    if workers == 1:
        yield from map(play_game, jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(play_game, jobs)


def logistic(x: Reals, y: Reals, prior: Reals, ridge: float = RIDGE) -> tuple[Reals, float]:
    """Weights of the regression of y (0 or 1) on x without a constant, and the mean log loss.

    They are drawn towards the prior by a ridge, and none may have the other sign. What is property (`PROPERTY`) keeps the
    ratios that it has by hand: money that nobody spends goes with losing, but is not its cause.
    """
    tied = np.eye(len(prior))  # columns are what is fitted: the first property stands for all of it
    for name in PROPERTY[1:]:
        k, first = NAMES.index(name), NAMES.index(PROPERTY[0])
        tied[k, k] = 0.0
        tied[k, first] = prior[k] / prior[first]
    w, loss = _fitted(x @ tied, y, np.where(np.diag(tied) > 0, prior, 0.0), ridge)
    return tied @ w, loss


def _fitted(x: Reals, y: Reals, prior: Reals, ridge: float) -> tuple[Reals, float]:
    """The same where nothing is tied; a prior of 0 leaves a weight out."""
    scale = np.maximum(x.std(axis=0), 1e-6)
    z, middle = x / scale, prior * scale
    w, free = middle.copy(), prior != 0
    while True:
        w = _newton(z, y, w, middle, free, ridge)
        wrong = free & (w * middle < 0) & (np.arange(len(w)) > 0)  # having the move may count either way
        if not wrong.any():
            break
        free &= ~wrong
        w[wrong] = 0.0
    return w / scale, log_loss(z, y, w)


def log_loss(x: Reals, y: Reals, w: Reals) -> float:
    """The mean of it, by weights."""
    p = np.clip(1 / (1 + np.exp(-x @ w)), 1e-9, 1 - 1e-9)
    return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


def _newton(z: Reals, y: Reals, w: Reals, middle: Reals, free: Reals, ridge: float) -> Reals:
    """The weights that fit best, those that are not free left as they are."""
    at = np.flatnonzero(free)
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ w))
        gradient = z[:, at].T @ (p - y) + ridge * (w - middle)[at]
        curve = (z[:, at] * (p * (1 - p))[:, None]).T @ z[:, at] + ridge * np.eye(len(at))
        step = np.linalg.solve(curve, gradient)
        w = w.copy()
        w[at] -= step
        if np.abs(step).max() < 1e-9:
            break
    return w


def drift(values: list[Reals]) -> float:
    """How much the value of a game moves from a turn to the mover's next one, as a share of `1 - value ** 2`."""
    gaps = [(v[2:] - v[:-2]) / np.maximum(1 - v[:-2] ** 2, 0.05) for v in values if len(v) > 2]
    return float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))


def fit_weights(
    games: int,
    seed: int,
    *,
    searched: float = 0.0,
    workers: int = 1,
    seconds: float | None = None,
    say: Callable[[str], None] = print,
    spread: Spread | None = None,
) -> dict[str, Any]:
    """Play and fit; returns the weights with their card. Stops early when the seconds are over. `spread` plays elsewhere."""
    began = time.perf_counter()
    jobs = [Job(k, seed, searched) for k in range(games)]
    found: list[tuple[Reals, Reals]] = []
    for rows, won in games_of(jobs, workers, spread):
        found.append((rows, won))
        if len(found) % 50 == 0:
            say(f"{len(found)} games, {sum(len(w) for _, w in found)} turns, {time.perf_counter() - began:.0f} s")
        if seconds is not None and time.perf_counter() - began > seconds:
            break
    ended = [(rows, won) for rows, won in found if len(won)]
    prior = unfitted_weights()[:COUNT]
    held = ended[::5]
    kept = [game for k, game in enumerate(ended) if k % 5]
    w, loss = logistic(np.concatenate([x for x, _ in kept]), np.concatenate([y for _, y in kept]), prior)
    x, y = np.concatenate([x for x, _ in held]), np.concatenate([y for _, y in held])
    unseen = log_loss(x, y, w)
    by_hand = min(log_loss(x, y, scale * prior) for scale in np.geomspace(0.25, 4.0, 33))
    w, _ = logistic(np.concatenate([x for x, _ in ended]), np.concatenate([y for _, y in ended]), prior)
    values = [np.tanh(0.5 * (rows @ w)) * np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0) for rows, _ in ended]
    return {
        "weights": {name: round(float(x), 4) for name, x in zip(NAMES, w, strict=True)},
        "spread": round(drift(values), 4),
        "card": {
            "command": f"stratagem train minions-value --games {games} --seed {seed} --searched {searched:g}",
            "games": len(found),
            "games that ended": len(ended),
            "turns": int(sum(len(won) for _, won in ended)),
            "players": f"the best of 1 to {MOST_SCRIPTED} scripted turns, weights shaken; a share {searched:g} is the engine",
            "log loss": round(loss, 4),
            "log loss on games not fitted to": round(unseen, 4),
            "log loss of the weights by hand, scaled, on the same": round(by_hand, 4),
            "log loss of a coin": round(float(np.log(2)), 4),
        },
    }
