"""Fit the engine's weights to who won: games of the engine against itself with varied weights, and against the script.

Every turn played gives a row: the features of the position that the engine judges it by, after the short answer to it. The weights
are those of a logistic regression (Newton's method, a ridge) of the mover's winning on the rows. The spread is the deviation of the
payoff from the value, less what comes of payoffs being wins and losses: measured as how much values move within a turn or two.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import GameConfig, Techline
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.desk import Reals
from stratagem.games.minions.engine.stages import Mind, MinionsStaging
from stratagem.games.minions.engine.worth import COUNT, NAMES, fitted_weights
from stratagem.games.minions.state import GameState
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
SCRIPTED = 0.15  # of the games: one side is the script
SHAKEN = 0.35  # deviation of the logarithm of each weight, drawn for each side of a game
VISITS = (20, 40, 80)
RIDGE = 3.0


@dataclass(frozen=True)
class Job:
    number: int
    seed: int


def play_game(job: Job) -> tuple[Reals, Reals]:
    """One game: rows of features, and for each whether its mover won; nothing if nobody did."""
    lots = random.Random(f"{job.seed} {job.number}")
    line = Techline.standard() if lots.random() < 0.5 else Techline.randomised(lots.getrandbits(30))
    config = GameConfig.make(lots.choice(MAPS), techline=line)
    sides = [_side(config, lots) for _ in range(2)]
    if lots.random() < SCRIPTED:
        sides[lots.randrange(2)] = None
    looker = MinionsStaging(config, Mind(solver=False))
    state, luck = GameState.start(config), generator(job.seed, job.number)
    rows, movers = [], []
    while state.winner is None and state.ply < PLIES:
        search = sides[state.side]
        if search is None:
            words = state.greedy_turn(luck, wild=True).words()
        else:
            found = search.consider(state.array, simulations=lots.choice(VISITS))
            words = np.frombuffer(found.best.turn, np.int64)
        looker.think(state.array, words, thinking.JUDGE)
        desk = looker.desk()
        if desk.s[rules.WINNER] < 0:
            rows.append(desk.x[:COUNT].copy())
            movers.append(state.side)
        looker.think(state.array, words, thinking.PLAY)
        state = GameState(config, looker.desk().s.copy())
    if state.winner is None:
        return np.zeros((0, COUNT)), np.zeros(0)
    return np.array(rows).reshape(-1, COUNT), np.array([float(m == state.winner) for m in movers])


def _side(config: GameConfig, lots: random.Random) -> Staged[Any, Any] | None:
    staging = MinionsStaging(config, Mind(solver=False))
    shake = [lots.lognormvariate(0.0, SHAKEN) for _ in range(COUNT)]
    staging.weights = fitted_weights() * np.array([*shake, 1.0])
    return Staged(staging, Settings(depth=1, pruning=0.0), seed=lots.getrandbits(30))


def games_of(jobs: list[Job], workers: int) -> Iterator[tuple[Reals, Reals]]:
    if workers == 1:
        yield from map(play_game, jobs)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(play_game, jobs)


def logistic(x: Reals, y: Reals, ridge: float = RIDGE) -> tuple[Reals, float]:
    """Weights of the regression of y (0 or 1) on x without a constant, and the mean log loss."""
    scale = np.maximum(x.std(axis=0), 1e-6)
    z = x / scale
    w = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ w))
        gradient = z.T @ (p - y) + ridge * w
        curve = (z * (p * (1 - p))[:, None]).T @ z + ridge * np.eye(len(w))
        step = np.linalg.solve(curve, gradient)
        w -= step
        if np.abs(step).max() < 1e-9:
            break
    p = np.clip(1 / (1 + np.exp(-z @ w)), 1e-9, 1 - 1e-9)
    return w / scale, float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


def drift(values: list[Reals]) -> float:
    """How much the value of a game moves from a turn to the mover's next one, as a share of `1 - value ** 2`."""
    gaps = [(v[2:] - v[:-2]) / np.maximum(1 - v[:-2] ** 2, 0.05) for v in values if len(v) > 2]
    return float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))


def fit_weights(
    games: int, seed: int, *, workers: int = 1, seconds: float | None = None, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Play and fit; returns the weights with their card. Stops early when the seconds are over."""
    began = time.perf_counter()
    jobs = [Job(k, seed) for k in range(games)]
    found: list[tuple[Reals, Reals]] = []
    for rows, won in games_of(jobs, workers):
        found.append((rows, won))
        if len(found) % 20 == 0:
            say(f"{len(found)} games, {sum(len(w) for _, w in found)} turns, {time.perf_counter() - began:.0f} s")
        if seconds is not None and time.perf_counter() - began > seconds:
            break
    ended = [(rows, won) for rows, won in found if len(won)]
    held = ended[::5]
    kept = [game for k, game in enumerate(ended) if k % 5]
    w, loss = logistic(np.concatenate([x for x, _ in kept]), np.concatenate([y for _, y in kept]))
    x, y = np.concatenate([x for x, _ in held]), np.concatenate([y for _, y in held])
    p = np.clip(1 / (1 + np.exp(-x @ w)), 1e-9, 1 - 1e-9)
    unseen = float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())
    w, _ = logistic(np.concatenate([x for x, _ in ended]), np.concatenate([y for _, y in ended]))
    values = [np.tanh(0.5 * (rows @ w)) * np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0) for rows, _ in ended]
    return {
        "weights": {name: round(float(x), 4) for name, x in zip(NAMES, w, strict=True)},
        "spread": round(drift(values), 4),
        "card": {
            "command": f"stratagem train minions-value --games {games} --seed {seed}",
            "games": len(found),
            "games that ended": len(ended),
            "turns": int(sum(len(won) for _, won in ended)),
            "players": "the engine at depth 1 with 20 to 80 simulations a turn and shaken weights; in 15 % one is the script",
            "log loss": round(loss, 4),
            "log loss on games not fitted to": round(unseen, 4),
            "log loss of a coin": round(float(np.log(2)), 4),
        },
    }


def main() -> None:
    import sys

    games, seed, workers, seconds = (int(x) for x in sys.argv[1:5])
    print(json.dumps(fit_weights(games, seed, workers=workers, seconds=seconds, say=lambda t: print(t, file=sys.stderr))))


if __name__ == "__main__":
    main()
