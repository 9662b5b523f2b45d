"""How often one player wins against others that are all alike, its seat rotated over the docks of the same starts.

`python -m benchmarks.strength.roborally --hero strong --others greedy --games 100` prints one row of a table: the share of
the win with its 95 % interval (Wilson), turns a game, and how games ended.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any

import numpy as np

import stratagem
from stratagem.game import CHANCE, TOGETHER
from stratagem.games.roborally import kernels as k
from stratagem.player import Clock
from stratagem.registry import player
from stratagem.rng import generator


def one_game(game: Any, names: list[str], seed: int) -> Any:
    """A game between players by name; returns its last position."""
    table = [player(game, name, seed=seed + p) for p, name in enumerate(names)]
    rng = generator(seed)
    at = game.start()
    while not at.over:
        if at.turn == CHANCE:
            at = at.play(at.sample(rng))
            continue
        chosen = {p: table[p].choose(at.view(p), Clock(None), seat=p).move for p in at.asked}
        at = at.play([chosen.get(p, "-") for p in range(game.players)] if at.turn == TOGETHER else chosen[at.turn])
    return at


def wilson(share: float, n: int) -> tuple[float, float]:
    z = 1.96
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hero", default="strong")
    arguments.add_argument("--others", default="random")
    arguments.add_argument("--robots", type=int, default=4)
    arguments.add_argument("--games", type=int, default=40)
    arguments.add_argument("--courses", default="Risky Exchange,Dizzy Dash")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    races = [stratagem.game("roborally", course=name, robots=given.robots) for name in given.courses.split(",")]
    shares, turns, flags = [], [], 0
    for number in range(given.games):
        seat, game = number % given.robots, races[number // given.robots % len(races)]
        names = [given.hero if p == seat else given.others for p in range(given.robots)]
        at = one_game(game, names, given.seed + number // given.robots)
        shares.append(at.payoff[seat])
        turns.append(int(at.state[k.TURN]))
        flags += any(at.state[k.ROBOTS + k.ROBOT * p + k.NEXT] > len(at.game.course.flags) for p in range(given.robots))
        print(f"\r{number + 1} of {given.games}: {np.mean(shares):.3f}", end="", file=sys.stderr, flush=True)
    low, high = wilson(float(np.mean(shares)), len(shares))
    print(file=sys.stderr)
    print(
        f"| {given.hero} | {given.robots - 1} x {given.others} | {len(shares)} | {np.mean(shares):.1%} | {low:.1%} to {high:.1%} "
        f"| {np.mean(turns):.1f} | {flags / len(shares):.0%} |"
    )


if __name__ == "__main__":
    main()
