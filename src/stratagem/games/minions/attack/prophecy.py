"""Plans from prophecies: what is expected of a board becomes a plan that makes as much of it true as can be.

A *prophecy* says how likely each own unit is to be passive and each enemy to be removed. A *candidate* takes its
statements by falling probability and keeps each that can hold beside those kept before (the exact greedy). Candidates from
one set of kept statements are a *family*: a finer one is the same intent in another way, until the family is exhausted,
which is proved. Whatever was given once is forbidden for good, so candidates are pairwise different.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stratagem.errors import OptionError
from stratagem.games.minions.attack.solver import AttackSolver, Plan, Statement


class Likely(NamedTuple):
    """A statement with its probability."""

    statement: Statement
    probability: float


@dataclass(frozen=True)
class Prophecy:
    """Probabilities by hex: that an own unit takes no part, that an enemy is removed, or how it is removed."""

    passive: Mapping[int, float] = field(default_factory=dict)
    removed: Mapping[int, float] = field(default_factory=dict)
    killed: Mapping[int, float] = field(default_factory=dict)
    unsummoned: Mapping[int, float] = field(default_factory=dict)

    def _tables(self) -> tuple[tuple[str, Mapping[int, float]], ...]:
        return (
            ("removed", self.removed),
            ("killed", self.killed),
            ("unsummoned", self.unsummoned),
            ("passive", self.passive),
        )

    def statements(self, threshold: float = 0.5) -> list[Likely]:
        """The statements above the threshold, and below its complement their contraries, the likeliest first."""
        if not 0.5 <= threshold < 1:
            raise OptionError(
                f"a threshold of {threshold!r} keeps statements and their contraries; give 0.5 to below 1"
            )
        found = []
        for kind, table in self._tables():
            for h, p in table.items():
                if not 0 <= p <= 1:
                    raise OptionError(f"the probability that {Statement(kind, h)} is {p!r}; it goes from 0 to 1")
                if p > threshold:
                    found.append(Likely(Statement(kind, h), p))
                elif p < 1 - threshold:
                    found.append(Likely(Statement(kind, h, False), 1 - p))
        return sorted(found, key=lambda item: -item.probability)  # stable: ties keep the order given


class Kept(NamedTuple):
    """What the exact greedy keeps of literals given in order of importance."""

    kept: list[int]  # places in the list given
    finished: bool  # false if time ran out: then nothing is kept
    possible: bool  # false if not even the empty set of statements has a plan left


def greedy(solver: AttackSolver, literals: Sequence[int], deadline: float | None = None) -> Kept:
    """Exactly the statements that adding them one by one, each if it can hold beside those kept, would keep.

    All are assumed at once; of those that conflict the least important is dropped, and the rest of the conflict is its
    *witness*. That alone would drop too much: a witness may itself be dropped later. So, once the rest can hold, the most
    important dropped one whose witness is no longer whole is taken up again, until there is none.
    """
    order = [k for k, literal in enumerate(literals) if literal != 0]
    dropped: dict[int, set[int]] = {}
    while True:
        active = [k for k in order if k not in dropped]
        found = solver.solve([literals[k] for k in active], deadline)
        if found is None:
            return Kept([], False, True)
        if found:
            again = next((k for k in order if k in dropped and not dropped[k].isdisjoint(dropped)), None)
            if again is None:
                return Kept(active, True, True)
            del dropped[again]
            continue
        core = set(solver.core)
        members = [k for k in active if literals[k] in core]
        if not members:
            return Kept([], True, False)
        dropped[members[-1]] = set(members[:-1])


@dataclass
class Family:
    """The candidates that keep the same statements."""

    kept: tuple[Statement, ...]
    dropped: tuple[Statement, ...]
    literals: list[int]
    exhausted: bool = False  # proved: there is no other plan


@dataclass(frozen=True)
class Candidate:
    """A plan, and the family that it belongs to."""

    plan: Plan
    family: Family


class Planner:
    """Candidates for the attack of one board, pairwise different. `exhausted` says, proved, that no plan at all is left."""

    def __init__(self, solver: AttackSolver, *, seed: int = 0, threshold: float = 0.5, diverse: bool = True) -> None:
        self.solver = solver
        self.threshold = threshold
        self.diverse = diverse
        self.dice = random.Random(seed)
        self.exhausted = False
        self.late = False  # whether the last request ran out of time
        model, n, foes = solver.model, len(solver.own), len(solver.foes)
        own = model.fight[: n * 100]
        self._choices = [int(v) for v in (*own[own > 0], *model.gone[:foes][model.gone[:foes] > 0])]

    def candidate(self, prophecy: Prophecy, seconds: float | None = None) -> Candidate | None:
        """A candidate from a prophecy, which founds a family; None if no plan is left, or if time ran out (`late`)."""
        deadline = None if seconds is None else time.perf_counter() + seconds
        wanted = [item.statement for item in prophecy.statements(self.threshold)]
        pairs = [(s, x) for s in wanted if (x := self.solver.literal(s)) is not None]
        literals = [x for _, x in pairs]
        self.solver.suggest([x for x in literals if x != 0])
        found = greedy(self.solver, literals, deadline)
        self.late = not found.finished
        self.exhausted = self.exhausted or not found.possible
        if not found.finished or not found.possible:
            return None
        places = set(found.kept)
        trivial = [s for s in wanted if self.solver.literal(s) is None]
        kept = (*(s for k, (s, _) in enumerate(pairs) if k in places), *trivial)
        dropped = tuple(s for k, (s, _) in enumerate(pairs) if k not in places)
        family = Family(kept, dropped, [literals[k] for k in found.kept])
        return self._take(family)

    def finer(self, family: Family, seconds: float | None = None) -> Candidate | None:
        """One more plan of a family; None if it is exhausted, or if time ran out (`late`)."""
        if family.exhausted:
            return None
        if self.diverse:
            self.solver.suggest([v if self.dice.random() < 0.5 else -v for v in self._choices])
        deadline = None if seconds is None else time.perf_counter() + seconds
        found = self.solver.solve(family.literals, deadline)
        self.late = found is None
        family.exhausted = found is False
        return self._take(family) if found else None

    def _take(self, family: Family) -> Candidate:
        self.solver.read()
        self.solver.forbid(self.solver.key())
        return Candidate(self.solver.plan(), family)
