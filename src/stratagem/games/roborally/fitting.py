"""Fitting the weights of the evaluators to games: `python -m stratagem.games.roborally.fitting` writes data/weights.json.

Robots play themselves by the playout strategy `best` (the best programme for a robot alone, by turns) on all
shipped courses. Every position at which a playout may be judged is kept with the result of its game, and the weights are
those under which the winners were likeliest: each robot wins with a chance in proportion to exp(score), a conditional
logit, found by Newton's method. One game in five is held out; what the card says is measured there.
"""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stratagem
from stratagem import kernel
from stratagem.compile import specialise
from stratagem.games.roborally import heuristics, players
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import course_names
from stratagem.games.roborally.heuristics import FOUND, ROOT_UNITS, playout, terms
from stratagem.kernel import Ground, Moves, Payoffs, State
from stratagem.rng import Rng, generator

Floats = NDArray[np.float64]
RIDGE = 1e-3  # keeps a term that never varies at 0
PLAIN = 7  # terms that are no products of others


def race(
    g: Ground, s: State, r: Rng, joint: Moves, out: Payoffs, kept: NDArray[np.int16], results: Floats, n: int
) -> int:
    """One race to its end; positions go to `kept` from row n on, with the result; returns the row after the last."""
    first = n
    while True:
        t = kernel.turn(g, s)
        if t == kernel.OVER:
            kernel.payoff(g, s, out)
            for row in range(first, n):
                for p in range(kernel.PLAYERS):
                    results[row, p] = out[p]
            return n
        if t == kernel.CHANCE:
            kernel.draw(g, s, r)
            continue
        if n < kept.shape[0]:
            for i in range(kernel.SIZE):
                kept[n, i] = s[i]
            n += 1
        if t == kernel.TOGETHER:
            for p in range(kernel.PLAYERS):
                joint[p] = playout(g, s, p, r) if k.is_awake(s, p) else kernel.NO_MOVE
            kernel.play_together(g, s, joint)
        else:
            kernel.play(g, s, t, playout(g, s, t, r))


def measure(g: Ground, s: State, kept: NDArray[np.int16], found: Floats) -> None:
    """The terms of every robot in every position kept, of the evaluator that is bound."""
    for row in range(kept.shape[0]):
        for i in range(kernel.SIZE):
            s[i] = kept[row, i]
        for p in range(kernel.PLAYERS):
            terms(g, s, p)
            for j in range(PLAIN):
                found[row, p, j] = s[kernel.SIZE + FOUND + j]
            found[row, p, 0] /= ROOT_UNITS
            found[row, p, PLAIN] = found[row, p, 2] * found[row, p, 0]
            found[row, p, PLAIN + 1] = found[row, p, 6] * found[row, p, 0]


def self_play(
    course: str, robots: int, games: int, seed: int
) -> tuple[Any, NDArray[np.int16], Floats, NDArray[np.int64]]:
    """The game, positions, results and the number of the game of each position."""
    game: Any = stratagem.game("roborally", course=course, robots=robots)
    own = players.constants(game, "turns", "best")
    run = specialise(race, {**game.names, **own}, label="roborally self-play")
    kept = np.zeros((games * 60, game.size), np.int16)
    results, number = np.zeros((len(kept), robots)), np.zeros(len(kept), np.int64)
    joint, out, n = np.zeros(robots, np.int64), np.zeros(robots), 0
    for j in range(games):
        s = game.blank()
        s[: game.size] = game.start().state[: game.size]
        end = run(game.g, s, generator(seed, j), joint, out, kept, results, n)
        number[n:end], n = j, end
    return game, kept[:n], results[:n], number[:n]


def fit(x: Floats, present: NDArray[np.bool_], y: Floats) -> Floats:
    """Weights w that make the shares y likeliest under softmax(x w) among those present: Newton's method."""
    w = np.zeros(x.shape[2])
    for _ in range(40):
        p = chances(x, present, w)
        mean = np.einsum("nr,nrf->nf", p, x)
        gradient = np.einsum("nr,nrf->f", y - p, x) - RIDGE * w
        hessian = np.einsum("nr,nrf,nrh->fh", p, x, x) - mean.T @ mean + RIDGE * np.eye(len(w))
        step = np.linalg.solve(hessian, gradient)
        w += step
        if np.abs(step).max() < 1e-9:
            break
    return w


def chances(x: Floats, present: NDArray[np.bool_], w: Floats) -> Floats:
    z = np.where(present, x @ w, -np.inf)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=int, default=400, help="games on each course")
    arguments.add_argument("--robots", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rows: dict[str, list[Floats]] = {name: [] for name in heuristics.EVALUATORS}
    results, present, held = [], [], []
    for course in course_names():
        game, kept, y, number = self_play(course, given.robots, given.games, given.seed)
        results.append(y)
        present.append(kept[:, k.ROBOTS + k.STATUS : game.size : k.ROBOT] != k.GONE)
        held.append(number % 5 == 4)
        for name in heuristics.EVALUATORS:
            own = players.constants(game, name)
            found = np.zeros((len(kept), given.robots, len(heuristics.TERMS)))
            specialise(measure, {**game.names, **own}, label="roborally terms")(game.g, game.blank(), kept, found)
            rows[name].append(found)
        print(
            f"{course:22} {given.games} games, {len(kept)} positions, {number.size / given.games:.1f} a game",
            flush=True,
        )
    y, there, test = np.concatenate(results), np.concatenate(present), np.concatenate(held)
    card: dict[str, Any] = {
        "command": "python -m stratagem.games.roborally.fitting "
        f"--games {given.games} --robots {given.robots} --seed {given.seed}",
        "games": given.games * len(course_names()),
        "positions": len(y),
        "held_out": int(test.sum()),
        "strategy": "best by turns",
    }
    weights = {}
    for name in heuristics.EVALUATORS:
        x = np.concatenate(rows[name])
        w = fit(x[~test], there[~test], y[~test])
        p = chances(x[test], there[test], w)
        loss = -np.mean(np.sum(y[test] * np.log(np.maximum(p, 1e-12)), axis=1))
        top = np.mean(y[test][np.arange(len(p)), p.argmax(axis=1)])
        weights[name] = {term: round(float(v), 5) for term, v in zip(heuristics.TERMS, w, strict=True)}
        card[name] = {"log_loss": round(float(loss), 4), "favourite_wins": round(float(top), 4)}
        print(f"{name}: log loss {loss:.4f}, the favourite wins {top:.1%}; {weights[name]}")
    text = json.dumps({"card": card, "weights": weights}, indent=1)
    Path(str(files("stratagem.games.roborally").joinpath(players.WEIGHTS))).write_text(text + "\n")


if __name__ == "__main__":
    main()
