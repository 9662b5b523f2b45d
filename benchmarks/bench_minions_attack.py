"""Minions' attack stage: plans from prophecies against Z3 on the same model, in turn in one process.

On each board both solve the same prophecies: ours by the exact greedy, everything in Python counted; Z3 (bit vectors,
assumptions, cores) by dropping the least important statement of each core, of which only the time inside its solver is
counted. Then both list distinct plans. Boards are synthetic contacts of 10 to 20 units against 8 to 18, grouped by the
number of pairs (a unit and an enemy that it can attack), and boards of self-play beside them.

    python -m benchmarks.bench_minions_attack                    # the two take turns board by board, four prophecies each
    python -m benchmarks.bench_minions_attack --each-candidate   # they take turns prophecy by prophecy
    python -m benchmarks.bench_minions_attack --growth           # our side alone, 5 to 130 pairs

Turns after each prophecy cost the smaller solver more: Z3 leaves nothing of it in the processor's caches.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.alternate import pin
from stratagem.games.minions import GameState
from stratagem.games.minions.attack import AttackSolver, Statement
from stratagem.games.minions.attack.prophecy import greedy

TESTS = Path(__file__).parents[1] / "tests"
for folder in (TESTS, TESTS / "games" / "minions"):
    sys.path.insert(0, str(folder))

from attack_checks import contact, random_prophecy, self_play  # noqa: E402

PROPHECIES = 4  # a board
PLANS = 60  # listed a board, at most
Z3_PLANS = 10
EACH_CANDIDATE = "--each-candidate" in sys.argv
clock = time.thread_time  # other programs may use the machine; both solvers work in the thread that calls them


class Measured(NamedTuple):
    """One board: milliseconds, and plans a second."""

    pairs: int
    build: float
    ours: list[float]  # a candidate
    theirs: list[float]
    ours_rate: float
    theirs_rate: float


def timed(work: Callable[[], object]) -> float:
    began = clock()
    work()
    return 1000 * (clock() - began)


def prophecies(of: AttackSolver, seed: int) -> list[list[Statement]]:
    dice = random.Random(seed)
    return [[item.statement for item in random_prophecy(of, dice).statements()] for _ in range(PROPHECIES)]


def candidate(of: AttackSolver, statements: list[Statement]) -> None:
    literals = of.literals(statements)
    of.suggest([x for x in literals if x])
    assert greedy(of, literals).finished


def listed(of: AttackSolver) -> int:
    """List distinct plans as a search does: found, read, forbidden; actions are made when one is played."""
    for k in range(PLANS):
        if not of.solve([]):
            return k
        of.read()
        of.forbid(of.key())
    return PLANS


def by_cores(second: Any, statements: list[Statement]) -> float:
    """The time inside Z3 for one candidate."""
    left, spent = list(statements), 0.0
    while True:
        began = clock()
        found = second.satisfiable(left)
        spent += clock() - began
        if found:
            return 1000 * spent
        core = second.core(left)
        left.remove(max(core, key=left.index))


def their_rate(second: Any) -> float:
    spent, k = 0.0, 0
    for _ in range(Z3_PLANS):
        began = clock()
        found = second.satisfiable()
        spent += clock() - began
        if not found:
            break
        second.forbid()
        k += 1
    return k / spent if k else 0.0


def measure(state: GameState, seed: int, peer: bool) -> Measured:
    AttackSolver(state).close()  # its room is allocated
    made: list[AttackSolver] = []
    build = min(timed(lambda: made.append(AttackSolver(state))) for _ in range(2))
    of = made.pop()
    rate = 0.0
    asked = prophecies(of, seed)
    if peer:
        from references.minions_attack_z3 import SecondModel

        second = SecondModel(of)
    ours, theirs = [], []
    for block in [[statements] for statements in asked] if EACH_CANDIDATE else [asked]:
        ours += [timed(lambda statements=statements: candidate(of, statements)) for statements in block]  # type: ignore[misc]
        if peer:
            theirs += [by_cores(second, statements) for statements in block]
    if peer:
        rate = their_rate(second)
    began = clock()
    number = listed(of)
    found = Measured(of.pairs, build, ours, theirs, number / max(clock() - began, 1e-9), rate)
    of.close()
    for other in made:
        other.close()
    return found


def boards(kind: str, number: int) -> Iterator[GameState]:
    if kind == "contact":
        yield from (contact(seed) for seed in range(number))
        return
    for seed in range(number // 5):
        yield from self_play(seed, 80)[10::14]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def row(name: str, found: list[Measured], peer: bool) -> None:
    if not found:
        return
    ours = [x for m in found for x in m.ours]
    text = f"{name:22} {len(found):4} boards  build {statistics.median(m.build for m in found):5.2f} ms   "
    text += f"candidate {statistics.median(ours):.3f} / {percentile(ours, 0.95):.3f} ms   "
    text += f"plans {statistics.median(m.ours_rate for m in found):7,.0f}/s"
    if peer:
        theirs = [x for m in found for x in m.theirs]
        ratios = [b / a for m in found for a, b in zip(m.ours, m.theirs, strict=True)]
        rates = [m.ours_rate / m.theirs_rate for m in found if m.theirs_rate]
        text += f"   Z3 {statistics.median(theirs):6.1f} / {percentile(theirs, 0.95):6.1f} ms"
        text += f"   ratio {statistics.median(ratios):5.0f} median, {sum(theirs) / sum(ours):5.0f} total"
        text += f", plans {statistics.median(rates):4.0f}" if rates else ""
    print(text, flush=True)


GROUPS = ((1, 30), (30, 60), (60, 91), (91, 1000))


def main() -> None:
    pin()
    growth = "--growth" in sys.argv
    for kind, number in (("contact", 60), ("self-play", 60)) if not growth else (("contact", 300),):
        measure(next(boards(kind, 10)), 0, not growth)
        found = [measure(state, seed, not growth) for seed, state in enumerate(boards(kind, number))]
        print(f"{kind}: median and 95th percentile of a candidate; ratios are Z3's time over ours")
        steps = [(low, low + 10) for low in range(0, 140, 10)] if growth else GROUPS
        for low, high in steps:
            row(f"{low} to {high - 1} pairs", [m for m in found if low <= m.pairs < high], not growth)
        if not growth:
            row("30 to 90 pairs", [m for m in found if 30 <= m.pairs <= 90], True)


if __name__ == "__main__":
    main()
