"""Claim: whole games of Risk with scripted players, full rules with cards, at least 50 times as many a second as pyrisk's
bots play (which know no cards), with 2 and with 3 seats, on one core. Then how it grows with the number of seats.

The peer is a checkout of pyrisk, found through PYRISK; without it ours is measured alone. Both sides draft, place and play
to the end, the same bot on all seats; pyrisk's display and log are off.

    PYRISK=path/to/pyrisk python benchmarks/bench_risk.py
"""

from __future__ import annotations

import importlib
import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from alternate import pin, rates

from stratagem.games.risk.game import Risk
from stratagem.games.risk.scripted import STYLES
from stratagem.games.risk.simulation import simulate

ROUNDS = 3
GAMES = 300  # ours in one round
# with games in one round; of the other two bots, AlAI and ChronAI, each raises an error in some games
PEERS = (("stupid", "StupidAI", 24), ("better", "BetterAI", 16))
MOST_EVENTS = 5000


def ours(players: int, style: str, games: int = GAMES) -> Callable[[], int]:
    game = Risk(players=players, two_player="pure", turn_cap=1000)
    rows, seats = np.array([STYLES[style]]), np.zeros((games, players), np.int64)
    seed = 0

    def work() -> int:
        nonlocal seed
        seed += 1
        return len(simulate(game, rows, seats, seed=seed).winners)

    return work


class Endless(Exception):
    """A game of pyrisk that does not come to an end."""


def peer(players: int, module: str, name: str, games: int) -> Callable[[], int]:
    """Games of pyrisk from seeds with which they end: some of its games go on for ever."""
    base: Any = importlib.import_module("game").Game
    bot = getattr(importlib.import_module(f"ai.{module}"), name)

    class Game(base):  # type: ignore[misc]
        def event(self, *args: Any, **kwargs: Any) -> None:
            self.events = getattr(self, "events", 0) + 1
            if self.events > MOST_EVENTS:
                raise Endless
            super().event(*args, **kwargs)

    def play(kind: Any, seed: int) -> None:
        random.seed(seed)
        one = kind(curses=False, screen=None)
        for p in range(players):
            one.add_player("ABCDEF"[p], bot)
        one.play()

    ending: list[int] = []
    seed = 0
    while len(ending) < games:
        seed += 1
        try:
            play(Game, seed)
            ending.append(seed)
        except Endless:
            pass
    print(f"{players} seats, pyrisk {name}: {games} of {seed} games ended within {MOST_EVENTS:,} events", flush=True)

    def work() -> int:
        for seed in ending:
            play(base, seed)
        return games

    return work


def main() -> None:
    pin()
    folder = os.environ.get("PYRISK")
    if folder:
        sys.path.insert(0, folder)
        logging.disable(logging.CRITICAL)
        for players in (2, 3):
            works = {f"ours, {style}": ours(players, style) for style in ("border", "continent", "expected")}
            works |= {f"pyrisk {name}": peer(players, module, name, games) for module, name, games in PEERS}
            found = rates(works, ROUNDS)
            for name, rate in found.items():
                print(f"{players} seats, {name:18} {rate:10,.1f} games a CPU second")
            quickest = max(rate for name, rate in found.items() if name.startswith("pyrisk"))
            slowest = min(rate for name, rate in found.items() if name.startswith("ours"))
            print(f"{players} seats: our slowest to the quickest of pyrisk {slowest / quickest:.0f} times", flush=True)
    else:
        print("PYRISK names no checkout of pyrisk: ours alone")
    for players in range(2, 7):
        work = ours(players, "expected")
        work()
        taken = []
        for _ in range(ROUNDS):
            began = time.process_time()
            done = work()
            taken.append((time.process_time() - began) / done)
        print(f"{players} seats, expected: {1e3 * statistics.median(taken):.2f} ms a game", flush=True)


if __name__ == "__main__":
    main()
