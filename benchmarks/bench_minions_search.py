"""Minions: whole turns that the engine judges a second on one, two and three boards, where the time goes, growth with units; how
late its answers come; and what a tree of a minute holds.

The engine is the one that plays, with its network. Positions come from scripted games. Times are of this process's CPU, so
that a busy machine counts less; lateness is by the clock and by the CPU time beyond it, of which the second is the engine's
own.

    python benchmarks/bench_minions_search.py [--seconds 2] [--depth 2]
    python benchmarks/bench_minions_search.py --only clock [--turns 200]
    python benchmarks/bench_minions_search.py --only memory --seconds 60
    python benchmarks/bench_minions_search.py --only splits --seconds 0.1
    python benchmarks/bench_minions_search.py --only threads
    python benchmarks/bench_minions_search.py --only judgements
    python benchmarks/bench_minions_search.py --only rate [--turns 2000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import stratagem
from stratagem.contract.player import Clock
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.player import TURNS, EnginePlayer, staging_of
from stratagem.games.minions.engine.stages import Attacks, Deployments, EngineOptions, MinionsStaging
from stratagem.games.minions.engine.tech_plans import TechPlans
from stratagem.games.minions.state import GameState
from stratagem.games.minions.wizard import scripted_turn
from stratagem.kernel import State
from stratagem.rng import generator
from stratagem.search.budget import uncollected
from stratagem.search.staged import Staged
from stratagem.search.staged.blotto import Splitter

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


def started(state: GameState, depth: int = 2, threads: int = 1) -> Staged[State, bytes]:
    """A search of the engine that has begun."""
    player = EnginePlayer(stratagem.game("minions", maps=MAPS[1][0]))
    staging = MinionsStaging(state.config, player.options)
    staging.begin(state.array)
    search = Staged(staging, replace(player.settings, depth=depth, threads=threads), seed=1)
    search.consider(state.array, simulations=20)
    return search


def searched(search: Staged[State, bytes], seconds: float) -> float:
    """Turns judged a second of CPU."""
    began, done = time.process_time(), 0
    with np.errstate(over="ignore"), uncollected():
        while time.process_time() - began < seconds and search.walk():
            done += 1
    return done / (time.process_time() - began)


def speed(depth: int, seconds: float) -> None:
    print(f"turns judged a CPU second, depth {depth}: median of {POSITIONS} positions, and the least")
    for boards in MAPS:
        searches = [started(state, depth) for state in positions(boards)]
        rates = [searched(search, seconds) for search in searches]
        aim = f" (aim {AIM})" if boards == 2 else ""
        tree = searches[0].report().bytes / 1e6
        print(
            f"  {boards} boards: {statistics.median(rates):6.0f}, {min(rates):6.0f}{aim}; {tree:.1f} MB of statistics"
        )


def rate(depth: int, simulations: int) -> None:
    """Whole searches of so many simulations on two boards."""
    rates = []
    for state in positions(2):
        search = started(state, depth)
        began = time.process_time()
        search.consider(state.array, simulations=simulations)
        rates.append(simulations / (time.process_time() - began))
    print(
        f"simulations a CPU second, two boards: {statistics.median(rates):.0f} ({', '.join(f'{x:.0f}' for x in rates)})"
    )


def threads(depth: int, seconds: float) -> None:
    """Both for as long by the clock, three times in turn; the median of each."""
    print(f"turns judged a second by the clock, depth {depth}: median of {POSITIONS} positions; two threads beside one")
    for boards in MAPS:
        rates: dict[int, list[float]] = {1: [], 2: []}
        for state in positions(boards):
            for n, of in 3 * tuple(rates.items()):
                found = started(state, depth, n).consider(state.array, seconds=seconds)
                of.append(found.simulations / found.seconds)
        one, two = (statistics.median(of) for of in rates.values())
        print(f"  {boards} boards: {one:6.0f}, {two:6.0f}; {two / one:.2f} times")


def growth(depth: int, seconds: float) -> None:
    print("growth with units, two boards: ply, units on them, turns a second")
    for plies in (0, 8, 16, 24):
        states = positions(2, plies)
        units = statistics.mean(sum(len(board.pieces) for board in state.boards) for state in states)
        rate = statistics.median(searched(started(state, depth), seconds) for state in states)
        print(f"  ply {plies:2d}, {units:3.0f} units: {rate:6.0f}")


def shares(depth: int, seconds: float) -> None:
    """Where the time goes: into what each stage proposes and learns, into judging, and into the tree."""
    timed = Timed()
    undo = [
        timed.wrap(owner, name, label)
        for label, owner, names in (
            ("judging turns", MinionsStaging, ("sample",)),
            ("blotto", MinionsStaging, ("_blotto",)),
            ("blotto", Splitter, ("first", "finer", "learn")),
            ("general", MinionsStaging, ("_general",)),
            ("general", TechPlans, ("first",)),
            ("attack", Attacks, ("__init__", "first", "finer", "coarser")),
            ("spawn", Deployments, ("__init__", "first", "finer", "coarser")),
        )
        for name in names
    ]
    searches = [started(state, depth) for state in positions(2)]  # whose stages call what is wrapped now
    timed.spent.clear()
    began = time.process_time()
    for search in searches:
        searched(search, seconds)
    whole = time.process_time() - began
    for back in undo:
        back()
    print("share of time by stage, two boards")
    for label, spent in [*timed.spent.most_common(), ("the tree", whole - sum(timed.spent.values()))]:
        print(f"  {label:22}{spent / whole:6.1%}")


def splits(depth: int, seconds: float) -> None:
    """How often a split of the purse is asked to be refined, and is."""
    print(f"refined splits of the purse, {seconds:g} s of CPU: asked for, none found")
    plain = Splitter.finer
    for boards in MAPS:
        asked: Counter[bool] = Counter()

        def counted(self: Splitter, part: Any, asked: Counter[bool] = asked) -> Any:
            found = plain(self, part)
            asked[found is None] += 1
            return found

        for state in positions(boards):
            Splitter.finer = counted  # type: ignore[method-assign]
            try:
                searched(started(state, depth), seconds)
            finally:
                Splitter.finer = plain  # type: ignore[method-assign]
        print(f"  {boards} boards: {asked.total()}, {asked[True]}")


def lateness(turns: int) -> None:
    """How late answers come, on one to three boards, as games go on."""
    print(f"answers later than their time, of {turns} turns a row: by the clock, and by CPU time beyond it, in ms")
    for boards, maps in MAPS.items():
        game = stratagem.game("minions", maps=",".join(maps))
        player = EnginePlayer(game, seed=1)
        player.search_for(game.start().state.config)
        for seconds in (0.001, 0.01, 0.1, 0.5):
            position, by_clock, by_work = game.start(), [], []
            for _ in range(turns if seconds < 0.5 else turns // 5):
                if position.over:
                    position = game.start()
                began, worked = time.perf_counter(), time.process_time()
                choice = player.choose(position.view(position.turn), Clock(seconds))
                by_clock.append(1000 * (time.perf_counter() - began - seconds))
                by_work.append(1000 * (time.process_time() - worked - seconds))
                position = position.play(choice.move)
            reported = []
            for name, late in (("clock", by_clock), ("work", by_work)):
                late.sort()
                at = [late[len(late) // 2], late[int(0.99 * (len(late) - 1))], late[-1]]
                beyond = sum(x > 1000 * max(0.02, 0.05 * seconds) for x in late)
                reported.append(f"{name} {at[0]:+6.1f} {at[1]:+6.1f} {at[2]:+6.1f}, {beyond} beyond")
            print(f"  {boards} boards, {seconds:5.3f} s: middle, 99 %, worst: {'; '.join(reported)}")


def slices(walks: int) -> None:
    """What one walk takes at the most: the clock is looked at before each, so that an answer is later by no more than that."""
    print(
        f"one walk in ms of CPU, of {walks} a position: middle, 99 %, worst; and the worst of those after the first 20"
    )
    game = stratagem.game("minions", maps=MAPS[1][0])
    EnginePlayer(game).search_for(game.start().state.config)  # what is loaded at first is not thinking
    for boards in MAPS:
        for plies in (0, 12, 24):
            times, later = [], []
            for state in positions(boards, plies):
                search = started(state)
                with np.errstate(over="ignore"), uncollected():
                    for k in range(walks):
                        began = time.thread_time()
                        if not search.walk():
                            break
                        times.append(1000 * (time.thread_time() - began))
                        later += times[-1:] if k >= 20 else []
            times.sort()
            at = [times[len(times) // 2], times[int(0.99 * (len(times) - 1))], times[-1]]
            print(
                f"  {boards} boards, ply {plies:2d}: {at[0]:6.2f} {at[1]:6.2f} {at[2]:6.2f}; {max(later, default=0.0):6.2f}"
            )


def memory(seconds: float) -> None:
    """What a tree holds after a while, the largest positions first."""
    print(f"a tree after {seconds:g} s of CPU: turns held (at most {TURNS:,}), positions, memory")
    game = stratagem.game("minions", maps=MAPS[1][0])
    EnginePlayer(game).search_for(game.start().state.config)  # what is loaded at first is no tree
    empty = held()
    for boards in MAPS:  # each holds more than the one before, whose memory the process keeps
        state = positions(boards, 24)[0]
        search = started(state)
        began = time.process_time()
        while time.process_time() - began < seconds and search.walk():
            pass
        grown = held() - empty
        print(
            f"  {boards} boards: {search.made:,} turns, {len(search.nodes):,} positions, {grown / 1e6:.0f} MB, "
            f"{grown / max(search.made, 1) / 1e3:.1f} kB a turn; statistics alone {search.report().bytes / 1e6:.1f} MB"
        )


def judgements(rounds: int = 20) -> None:
    """What one judgement of a turn takes, by the fitted weights alone and with the Oracle, without spells and with them."""
    print(
        "microseconds of CPU of one judgement, the turn played and answered: fitted weights, with the Oracle, difference"
    )
    for profile in ("spooky", "server"):
        for boards, maps in MAPS.items():
            config = GameConfig.make(maps, profile=profile)
            kinds = [
                staging_of(config, EngineOptions(solver=False, oracle=oracle)) for oracle in ("material", "network")
            ]
            jobs, luck = [], generator(boards)
            state = GameState.start(config)
            for _ in range(16):
                state = state.dealt(luck)
                turn = scripted_turn(state, luck, wild=True)
                jobs.append((kinds[0].imagined(state.hidden_from(state.side).array), turn.words().tobytes()))
                state = state.play(turn)
                if state.winner is not None:
                    break
            taken: list[list[float]] = [[], []]
            for _ in range(rounds):
                for kind, times in zip(kinds, taken, strict=True):
                    began = time.process_time()
                    for position, words in jobs:
                        kind.judged(position, words)
                    times.append(1e6 * (time.process_time() - began) / len(jobs))
            plain, networked = (statistics.median(times) for times in taken)
            print(f"  {profile}, {boards} boards: {plain:6.1f} {networked:6.1f} {networked - plain:+6.1f}")


def held() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: turns that the engine judges a second.")
    parser.add_argument(
        "--only", choices=("speed", "clock", "memory", "splits", "threads", "judgements", "rate"), default="speed"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU a position")
    parser.add_argument("--turns", type=int, default=200, help="of a row about lateness; or simulations")
    parser.add_argument("--depth", type=int, default=2)
    given = parser.parse_args()
    if given.only == "clock":
        slices(2 * given.turns)
        lateness(given.turns)
        return
    if given.only == "memory":
        memory(given.seconds)
        return
    if given.only == "judgements":
        judgements()
        return
    if given.only == "threads":
        threads(given.depth, given.seconds)
        return
    if given.only == "rate":
        rate(given.depth, given.turns)
        return
    if given.only == "splits":
        splits(given.depth, given.seconds)
        return
    speed(given.depth, given.seconds)
    growth(given.depth, given.seconds / 2)
    shares(given.depth, given.seconds)


if __name__ == "__main__":
    main()
