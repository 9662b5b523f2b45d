"""Search by stages: whole turns judged a second beside the campaign sampler, memory a turn, growth with stages and candidates.

The judging kernels are the same for both: the turn is carried out on a copy, everybody goes on as scripted for two rounds, a
fitted value judges. `turns`: trials a CPU second over the same positions of Risk, in alternation in one process, for turns of a
tenth of a second and of half a second. `memory`: what the tree of a search holds, by tracing allocations. `growth`: CPU time of
one simulation on an artificial turn, by the number of stages and of candidates a stage, with a judge that costs nothing. `curve`:
on the tests' toy campaign, how often the best of all its turns is chosen, by the number of simulations. `quality`: what the turns
that it chooses in Risk are worth beside the sampler's, by the judgement that both use. All settings are those shipped.

    python -m benchmarks.bench_staged [turns] [memory] [growth] [curve] [quality]
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Mapping
from itertools import count, cycle
from pathlib import Path
from typing import Any

import numpy as np

import stratagem
from benchmarks.alternate import Work, pin, rates
from stratagem.contract.player import Clock
from stratagem.games.risk import kernels as k
from stratagem.games.risk.game import Risk
from stratagem.games.risk.planner import StagedRisk
from stratagem.games.risk.players import RiskPlayer
from stratagem.games.risk.scripted import SCRATCH
from stratagem.kernel import State
from stratagem.rng import Rng, generator
from stratagem.search.staged import Judgement, Listed, Settings, Stage, Staged, Staging

BUDGETS = ((5_000, 85), (40_000, 450))  # trials of the sampler, and visits that come to about as many: 0.1 s and 0.6 s


def states(players: int, wanted: int = 8) -> tuple[Risk, list[State]]:
    """Beginnings of turns of scripted games, one turn in four, as the seat to move sees them."""
    game: Risk = stratagem.game("risk", players=players, claim="deal", turn_cap=300)
    found: list[State] = []
    for number in count(1):
        found += _beginnings(game, number)
        if len(found) >= wanted:
            return game, found[:wanted]
    raise AssertionError


def _beginnings(game: Risk, number: int) -> list[State]:
    script = RiskPlayer(game, style="expected", draft="random")
    position, chance = game.start(seed=number), generator(number + 1)
    found: list[State] = []
    last = 0
    while not position.over:
        if position.turn < 0:
            position = position.play(position.sample(chance))
            continue
        if position.state[k.TURN] != last and position.state[k.PHASE] in (k.TRADE, k.REINFORCE):
            last = int(position.state[k.TURN])
            if last % 4 == 1:
                s = np.zeros(k.STATE_SIZE + SCRATCH, np.int64)
                s[: k.STATE_SIZE] = position.view(position.turn).state[: k.STATE_SIZE]
                found.append(s)
        position = position.play(script.choose(position, Clock()).move)
    return found


def turns() -> None:
    for players in (2, 3):
        game, roots = states(players)
        planner = StagedRisk(game, draft="random")
        for trials, visits in BUDGETS:
            sampler = RiskPlayer(game, samples=trials, draft="random")
            works = {"campaign": _by_campaign(sampler, roots), "staged": _by_stages(planner, roots, visits)}
            found = rates(works, rounds=2 * len(roots))
            ratio = found["staged"] / found["campaign"]
            print(
                f"risk, {players} seats, about {trials:>6,} trials a turn   campaign {found['campaign']:>9,.0f} turns/s   "
                f"staged {found['staged']:>9,.0f} turns/s   ratio {ratio:.2f}",
                flush=True,
            )


def _by_campaign(sampler: RiskPlayer, roots: list[Any]) -> Work:
    """Judge the turns of one position after another, each the next time."""
    todo = cycle(roots)

    def work() -> int:
        s = next(todo)
        assert sampler.campaign is not None
        return sum(judged.samples for judged in sampler.campaign.consider(sampler.game.g, s, int(s[k.PLAYER])))

    return work


def _by_stages(planner: StagedRisk, roots: list[Any], visits: int) -> Work:
    todo = cycle(roots)

    def work() -> int:
        planner.search.nodes.clear()
        return planner.search.consider(next(todo), simulations=visits).trials

    return work


def quality(positions: int = 36, judged: int = 6000) -> None:
    """What the turns that both choose with as many trials are worth, by new trials of both with the same dice."""
    for players in (2, 3):
        game, roots = states(players, positions)
        planner, sampler = StagedRisk(game, draft="random"), RiskPlayer(game, samples=1, draft="random")
        gains, trials = [], []
        for root in roots:
            seat = int(root[k.PLAYER])
            planner.search.nodes.clear()
            found = planner.search.consider(root)  # as shipped: its own number of visits
            trials.append(found.trials)
            assert sampler.campaign is not None
            other = sampler.campaign.consider(game.g, root, seat, samples=found.trials)[0]
            row = np.zeros_like(found.best.turn)
            row[: len(other.plan)] = other.plan
            ours, theirs = (
                planner.staging.sample(root, turn, seat, range(judged), seed=99)[:, seat].mean()
                for turn in (found.best.turn, row)
            )
            gains.append(float(ours - theirs))
        error = np.std(gains, ddof=1) / np.sqrt(len(gains))
        print(
            f"risk, {players} seats, {positions} positions, {np.mean(trials):,.0f} trials each: "
            f"staged's turns are worth {np.mean(gains):+.3f} ± {error:.3f} beside the sampler's (standard error)",
            flush=True,
        )


class Artificial(Staging[int, tuple[int, ...]]):
    """A turn of many stages with as many candidates each, worth the mean of its parts."""

    certain = False

    def __init__(self, stages: int, candidates: int) -> None:
        self.n, self.candidates = stages, candidates

    def mover(self, position: int) -> int:
        return 0

    def stages(self, position: int) -> list[Stage]:
        return [Stage(f"stage {i}", lambda context: Listed(range(self.candidates))) for i in range(self.n)]

    def join(self, position: int, parts: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(parts.values())

    def play(self, position: int, turn: tuple[int, ...], rng: Rng) -> int:
        return sum(turn)

    def payoffs(self, position: int) -> None:
        return None

    def judge(self, position: int, rng: Rng) -> Judgement:
        value = position / (self.n * self.candidates)
        return Judgement((value, -value), 0.1)


def growth() -> None:
    print(f"{'stages':>7} {'candidates':>11} {'simulations':>12} {'turns made':>11} {'us a simulation':>16}")
    for stages, candidates in ((1, 20), (2, 20), (4, 20), (8, 20), (16, 20), (4, 5), (4, 80), (4, 320)):
        Staged(Artificial(stages, candidates), seed=1).consider(0, simulations=20)
        for simulations in (500, 4000):
            began = time.process_time()
            found = Staged(Artificial(stages, candidates), seed=1).consider(0, simulations=simulations)
            took = 1e6 * (time.process_time() - began) / simulations
            print(f"{stages:7} {candidates:11} {simulations:12} {found.made:11} {took:16.0f}", flush=True)


def memory() -> None:
    game, roots = states(3)
    planner = StagedRisk(game, draft="random")
    planner.search.consider(roots[0], simulations=2)
    for name, search, root, simulations in (
        ("risk, 3 seats", planner.search, roots[1], 2000),
        ("artificial, 8 stages", Staged(Artificial(8, 20), Settings(), seed=1), 0, 4000),
    ):
        search.nodes.clear()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        found = search.consider(root, simulations=simulations)
        held = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        print(
            f"{name:24} {found.made} turns of {simulations} simulations hold {held / 1e6:.2f} MB, "
            f"{held / found.made:,.0f} bytes each"
        )


def curve(runs: int = 40) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from toys.campaign import CampStaging, small  # type: ignore[import-not-found]

    rules, camp = small()
    turns = list(rules.turns(camp))
    best = max(rules.values(rules.play(camp, turn, generator(0)))[0] for turn in turns)
    print(f"toy campaign, {len(turns)} turns, {runs} seeds: how often the best is chosen; random: simulations / turns")
    ways = {"all": {}, "no refinement": {"fine": 0.0, "coarse": 0.0}, "by the phantom": {"widening": "phantom"}}
    for simulations in (10, 25, 50, 100, 150, 200, 300, len(turns)):
        line = f"{simulations:5}"
        for name, changed in ways.items():
            hits = 0
            for seed in range(runs):
                search = Staged(CampStaging(rules), Settings(simulations=simulations, **changed), seed=seed)
                hits += search.consider(camp).best.values[0] > best - 1e-9
            line += f"   {name} {hits / runs:4.0%}"
        print(line, flush=True)


WORKS = {"turns": turns, "memory": memory, "growth": growth, "curve": curve, "quality": quality}


def main() -> None:
    pin()
    for name in sys.argv[1:] or WORKS:
        WORKS[name]()


if __name__ == "__main__":
    main()
