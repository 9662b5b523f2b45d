"""Minions: whole turns that the engine judges a second on one, two and three boards, where the time goes, and growth with units.

Positions come from scripted games. Times are of this process's CPU, so that a busy machine counts less.

    python benchmarks/bench_minions_search.py [--seconds 2] [--depth 2]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.stages import Attacks, Deployments, Mind, MinionsStaging
from stratagem.games.minions.state import GameState
from stratagem.rng import generator
from stratagem.search.staged import Settings, Staged
from stratagem.search.staged.search import Chance

MAPS = {
    1: ("MidnightLake",),
    2: ("BlackenedShores", "MidnightLake"),
    3: ("BlackenedShores", "MidnightLake", "MidnightLake"),
}
POSITIONS = 4
AIM = 1000  # turns a second on two boards


def positions(boards: int, plies: int = 14) -> list[GameState]:
    """Positions out of scripted games that are still going on."""
    config, found, seed = GameConfig.make(MAPS[boards]), list[GameState](), 0
    while len(found) < POSITIONS:
        seed += 1
        state, rng = GameState.start(config), generator(seed)
        for _ in range(plies + seed % 4):
            if state.winner is None:
                state = state.play(state.greedy_turn(rng, wild=True))
        if state.winner is None:
            found.append(state)
    return found


class Timed:
    """CPU seconds inside functions, by name; those of inner ones are not the outer's."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._inner = [0.0]

    def wrap(self, owner: Any, name: str, label: str) -> Callable[[], None]:
        plain = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            began = time.process_time()
            try:
                return plain(*args, **kwargs)
            finally:
                took = time.process_time() - began
                self.spent[label] += took - self._inner.pop()
                self._inner[-1] += took

        setattr(owner, name, timed)
        return lambda: setattr(owner, name, plain)


def searched(state: GameState, depth: int, seconds: float) -> tuple[float, int, int]:
    """(turns judged a second, turns in the root, bytes of the tree's statistics)."""
    staging = MinionsStaging(state.config, Mind())
    staging.root = state.array.tobytes()
    search = Staged(staging, Settings(depth=depth), seed=1)
    search.consider(state.array, simulations=20)
    lots, began, done = Chance.of(1, 1), time.process_time(), 0
    while time.process_time() - began < seconds:
        search.simulate(lots)
        done += 1
    return done / (time.process_time() - began), len(search.root.turns) if search.root else 0, search.report().bytes


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: turns that the engine judges a second.")
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU a position")
    parser.add_argument("--depth", type=int, default=2)
    given = parser.parse_args()
    print(f"turns judged a CPU second, depth {given.depth}, median of {POSITIONS} positions")
    for boards in MAPS:
        rows = [searched(state, given.depth, given.seconds) for state in positions(boards)]
        rate = statistics.median(row[0] for row in rows)
        aim = f" (aim {AIM})" if boards == 2 else ""
        print(
            f"  {boards} boards: {rate:8.0f}{aim}; {rows[0][1]} turns at the root, {rows[0][2] / 1e6:.1f} MB of statistics"
        )
    print("growth with units, two boards: units on them, turns a second")
    for plies in (0, 8, 16, 24):
        states = positions(2, plies)
        units = statistics.mean(sum(len(board.pieces) for board in state.boards) for state in states)
        rate = statistics.median(searched(state, given.depth, given.seconds / 2)[0] for state in states)
        print(f"  {units:5.0f} units: {rate:8.0f}")
    timed = Timed()
    undo = [
        timed.wrap(MinionsStaging, "sample", "judging turns"),
        timed.wrap(MinionsStaging, "_blotto", "blotto"),
        timed.wrap(MinionsStaging, "_general", "general"),
        timed.wrap(Attacks, "__init__", "attack"),
        timed.wrap(Attacks, "first", "attack"),
        timed.wrap(Attacks, "_new", "attack"),
        timed.wrap(Attacks, "_solved", "attack"),
        timed.wrap(Deployments, "_new", "spawn"),
    ]
    began = time.process_time()
    for state in positions(2):
        searched(state, given.depth, given.seconds)
    whole = time.process_time() - began
    for back in undo:
        back()
    print("share of time by stage, two boards")
    for label, spent in timed.spent.most_common():
        print(f"  {label:16} {spent / whole:6.1%}")
    print(f"  {'the search itself':16} {1 - sum(timed.spent.values()) / whole:6.1%}")


if __name__ == "__main__":
    main()
