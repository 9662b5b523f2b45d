"""Search by stages: whole turns judged a second beside the campaign sampler, memory a turn, growth with stages and candidates.

The judging kernels are the same for both: the turn is carried out on a copy, everybody goes on as scripted for two rounds, a
fitted value judges. `turns`: trials a CPU second over the same positions of Risk, in alternation in one process, for turns of
a tenth of a second and of half a second. `memory`: what the tree of a search holds when it is full. `growth`: CPU time of one
simulation on an artificial turn, by the number of stages and of candidates a stage, with a judge that costs nothing: stages in
Python, and stages that are kernels. `threads`: those with one thread and with more. `waiting`: walks in a second where a
generator in Python waits for something outside the interpreter, with one thread and with two. `estimates`: on a toy, how many
completions of turns estimates save, and what is chosen. `curve`: on the tests' toy campaign, how often the best of all its
turns is chosen, by the number of simulations. `quality`: what the turns that it chooses in Risk are worth beside the
sampler's, by the judgement that both use. All settings are those shipped.

    python -m benchmarks.bench_staged [turns] [memory] [growth] [threads] [waiting] [curve] [estimates] [quality]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

import stratagem
from benchmarks.alternate import Work, pin, rates
from stratagem.contract.player import Clock
from stratagem.games.risk import kernels as k
from stratagem.games.risk.game import Risk
from stratagem.games.risk.planner import StagedRisk
from stratagem.games.risk.players import RiskPlayer
from stratagem.games.risk.scripted import SCRATCH
from stratagem.kernel import Ground, Payoffs, State
from stratagem.rng import Rng, generator, unit
from stratagem.search.staged import Judgement, Listed, Proposal, Settings, Stage, Staged, Staging
from stratagem.search.staged.kernels import KernelStaging, Outline
from stratagem.search.staged.records import Grid, Words

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


# state: [candidates of a stage]; memory: [how many were given]
def listed(g: Ground, s: State, p: int, stage: int, turn: Grid, memory: Words, r: Rng, part: Words) -> float:
    if memory[0] == s[0]:
        return 0.0
    part[0] = memory[0]
    memory[0] += 1
    return 1.0


def all_listed(g: Ground, s: State, p: int, stage: int, memory: Words) -> bool:
    return memory[0] == s[0]


def mean_of_parts(g: Ground, s: State, p: int, turn: Grid, r: Rng, out: Payoffs) -> None:
    total = 0.0
    for i in range(turn.shape[0]):
        total += turn[i, 0]
    out[0] = total / (turn.shape[0] * s[0])
    out[1] = -out[0]


class Compiled(KernelStaging):
    """The same with stages that are kernels; a position is how many candidates a stage has."""

    kernels: ClassVar[Any] = {"propose": listed, "exhausted": all_listed, "trial": mean_of_parts}

    def __init__(self, stages: int) -> None:
        self.outline = tuple(Outline(f"stage {i}") for i in range(stages))

    def mover(self, position: State) -> int:
        return 0


def growth() -> None:
    print(f"{'':30} {'turns made':>11} {'us a simulation, stages in Python':>34} {'as kernels':>11}")
    for stages, candidates in ((1, 20), (2, 20), (4, 20), (8, 20), (16, 20), (4, 5), (4, 80), (4, 320)):
        works: list[tuple[Any, Any]] = [(Artificial(stages, candidates), 0), (Compiled(stages), np.array([candidates]))]
        for simulations in (500, 4000):
            took = []
            for staging, position in works:
                Staged(staging, seed=1).consider(position, simulations=20)
                began = time.process_time()
                found = Staged(staging, seed=1).consider(position, simulations=simulations)
                took.append(1e6 * (time.process_time() - began) / simulations)
            reported = f"{stages} stages of {candidates}, {simulations} walks"
            print(f"{reported:30} {found.made:11} {took[0]:34.1f} {took[1]:11.1f}", flush=True)


def memory() -> None:
    """Search on until the tree is full, and half as long again."""
    print(f"{'':34} {'turns':>8} {'MB in use':>10} {'bytes a turn':>13} {'MB resident':>12}")
    for name, staging, position in (
        ("kernels, 4 stages of 20", Compiled(4), np.array([20])),
        ("kernels, 8 stages of 80", Compiled(8), np.array([80])),
        ("in Python, 4 stages of 20", Artificial(4, 20), 0),
    ):
        Staged(staging, seed=1).consider(position, simulations=2)
        for most in (1_000, 5_000):
            before = resident()
            search = Staged(staging, Settings(turns=most), seed=1)
            walks = int((most / search.settings.turn_factor) ** (1 / search.settings.turn_power))
            found = search.consider(position, simulations=3 * walks // 2)
            held = search.report().bytes
            assert found.made == most
            print(
                f"{name:34} {found.made:8} {held / 1e6:10.2f} {held / found.made:13,.0f} {resident() - before:12.2f}",
                flush=True,
            )


def resident() -> float:
    """Megabytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def slow_mean_of_parts(g: Ground, s: State, p: int, turn: Grid, r: Rng, out: Payoffs) -> None:
    """As long as a short trial: 20,000 random numbers, some twenty microseconds."""
    mean_of_parts(g, s, p, turn, r, out)
    noise = 0.0
    for _ in range(20_000):
        noise += unit(r) - 0.5
    for q in range(2):
        out[q] += 0.0001 * noise * (1 - 2 * q)


def threads(walks: int = 20_000) -> None:
    """Walks a second of threads that share a tree, beside as many searches of one thread each that share nothing. Threads wait
    for the tree at work, so that what they cost each other is in the processors' time, on busy cores too."""
    staging = Compiled(4)
    staging.kernels = {**Compiled.kernels, "trial": slow_mean_of_parts}
    for n in (1, 2, 4, *((8,) if len(os.sched_getaffinity(0)) >= 8 else ())):
        searches = [Staged(staging, Settings(threads=t, turns=1000), seed=k) for k, t in enumerate((n, *(1,) * n))]
        for search in searches:
            search.consider(np.array([20]), simulations=10)
        for _ in range(4):
            began, spent = time.perf_counter(), time.process_time()
            searches[0].consider(np.array([20]), simulations=walks)
            shared, spent = walks / (time.perf_counter() - began), 1e6 * (time.process_time() - spent) / walks
            began = time.perf_counter()
            with ThreadPoolExecutor(n) as pool:
                list(pool.map(lambda search: search.consider(np.array([20]), simulations=walks), searches[1:]))
            apart = n * walks / (time.perf_counter() - began)
            print(
                f"{n} threads: {shared:11,.0f} walks/s   apart {apart:11,.0f}   us of processors a walk {spent:6.1f}",
                flush=True,
            )


class Slow(Listed):
    """Waits for each part, as for a solver's process or a network elsewhere."""

    def first(self) -> Proposal | None:
        time.sleep(0.02)
        return super().first()


class Waiting(Artificial):
    """The first stage's parts are slow to come."""

    def stages(self, position: int) -> list[Stage]:
        return [Stage("slow", lambda context: Slow(range(self.candidates))), *super().stages(position)[1:]]


def waiting() -> None:
    for n in (1, 2):
        made = []
        for _ in range(5):
            search = Staged(Waiting(4, 200), Settings(threads=n), seed=1)
            walks = search.consider(0, seconds=1.0).simulations
            made.append((walks, len(search.root.sub["slow", ()].candidates) if search.root else 0))
        shown = ", ".join(f"{walks:,} ({parts} slow parts)" for walks, parts in made)
        print(f"{n} threads, walks in a second: {shown}", flush=True)


def estimates(runs: int = 40) -> None:
    """How often the best turn of the toy campaign is chosen, the mean regret, and how often a turn was not completed with a new
    part, where half-made turns are judged: by what the best turn with those parts is worth, and an error as large as the spread
    says. Interpreted, since no time is measured."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from toys.campaign import CampStaging, small  # type: ignore[import-not-found]

    rules, camp = small()
    worths = {turn: rules.values(rules.play(camp, turn, generator(0)))[0] for turn in rules.turns(camp)}
    best, boards = max(worths.values()), range(rules.boards)
    made_of = {
        turn: {
            **{f"attack {b}": turn.attacks[b] for b in boards},
            "blotto": turn.split,
            **{f"spawn {b}": turn.spawns[b] for b in boards},
        }
        for turn in worths
    }

    class Foretold(CampStaging):  # type: ignore[misc]
        noise, seed = 0.0, 0

        def half_made(self, position: Any, parts: Mapping[str, Any]) -> Judgement | None:
            if not self.noise:
                return None
            with_them = [turn for turn, of in made_of.items() if all(of[name] == part for name, part in parts.items())]
            off = np.random.default_rng([self.seed, crc32(repr(sorted(parts.items())).encode())]).normal()
            value = max((worths[turn] for turn in with_them), default=-1.0) + self.noise * off
            return Judgement((value, -value), self.noise)

    print(f"toy campaign, {len(worths)} turns of deviation {np.std(list(worths.values())):.3f}, {runs} seeds")
    for name, noise, pruning in (
        ("no estimates", 0.0, 2.0),
        ("passed over, spread 0.01", 0.01, 2.0),
        ("passed over, spread 0.03", 0.03, 2.0),
        ("first values, spread 0.01", 0.01, 0.0),
        ("first values, spread 0.03", 0.03, 0.0),
    ):
        line = f"{name:28}"
        for simulations in (25, 50, 100):
            regrets, spared = [], []
            for seed in range(runs):
                staging = Foretold(rules)
                staging.noise, staging.seed = noise, seed
                settings = Settings(simulations=simulations, pruning=pruning)
                search = Staged(staging, settings, seed=seed, target="python")
                regrets.append(best - worths[search.consider(camp).best.turn])
                spared.append(search.report().spared)
            line += f"   {simulations}: {np.mean(np.array(regrets) < 1e-9):4.0%} {np.mean(regrets):.4f} {np.mean(spared):5.1f}"
        print(line, flush=True)


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


WORKS = {
    "turns": turns,
    "memory": memory,
    "growth": growth,
    "threads": threads,
    "waiting": waiting,
    "curve": curve,
    "estimates": estimates,
    "quality": quality,
}


def main() -> None:
    everywhere = os.sched_getaffinity(0)
    for name in sys.argv[1:] or WORKS:
        if name not in ("threads", "waiting"):
            pin()
        WORKS[name]()
        os.sched_setaffinity(0, everywhere)


if __name__ == "__main__":
    main()
