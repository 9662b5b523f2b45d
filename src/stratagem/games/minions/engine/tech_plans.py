"""The general's plans over several turns: which cards to acquire one after another, and what of that can be done now.

Card i answers i-1, i-2 and i+3, so who takes a card invites its answer, and a plan prepares the answer to that. A *tech plan* is
a row of aims, cards to be acquired in order with a spell a turn. It is worth what its cards answer, sooner rather than later:
units that the enemy has and nothing of ours answers, and the card by which the enemy is likely to answer ours. Tech plans grow
lazily, the most promising first; a candidate of the general stage is what the best plan that begins so does this turn.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from stratagem.games.minions import layout
from stratagem.games.minions.engine.scratch import Reals
from stratagem.games.minions.engine.techs import Step, Techs, dearer, tech_words
from stratagem.games.minions.scripted import ANSWERED_TYPES, CARD_NUMBERS
from stratagem.kernel import State
from stratagem.search.staged import Generator, Proposal

MOST_AIMS = 3
MOST_CARDS = 7  # that plans are made of: those that are worth most alone
MOST_LOOKED = 100  # plans that are gone through for one price
FARTHEST = 6  # spells to a card that is still an aim
SOON = 4  # spells in which the enemy is expected to come to an answer
LATER = 0.85  # what a turn's delay leaves of a gain
ANSWERS_NOW = 1.0  # gain of answering all that is not answered of what the enemy has on boards
ANSWERS_NEXT = 0.3  # of answering the card by which the enemy is likely to answer ours
EXPOSED = 0.15  # loss where the enemy has an answer already
HIGHER = 0.02  # gain of a card's number: later cards are stronger
KEEPING = 0.1  # gain of going on with the plan of the last turn
SHARPNESS = 3.0  # of priors
LEAST = 0.05  # prior of a turn that no plan begins with

Aims = tuple[int, ...]  # cards, in the order in which they are to be acquired


@dataclass(frozen=True, eq=False)
class Line:
    """The techline as one side sees it."""

    types: tuple[int, ...]  # the unit of each card, or -1
    mine: int  # cards acquired, as bits
    theirs: int
    opened: int  # cards that this side has unlocked but not acquired, as bits
    reached: int  # the first card that is locked
    their_reach: int
    open_dollars: tuple[
        tuple[int, float], ...
    ]  # types that nothing of ours answers, with their share of the enemy's units
    intent: Aims  # what the last turn's plan was after
    expected: dict[int, int] = field(default_factory=dict)  # by which type the enemy is likely to answer one of ours

    @cached_property
    def their_types(self) -> int:
        """The types of the enemy's cards, as bits."""
        return sum(1 << t for c, t in enumerate(self.types) if t >= 0 and self.theirs >> c & 1)

    def spells_to(self, c: int) -> int:
        """Spells that acquiring a card takes."""
        return 1 if self.opened >> c & 1 else c - self.reached + 2

    def free(self, c: int) -> bool:
        return self.types[c] >= 0 and not (self.mine | self.theirs) >> c & 1


def line_of(g: State, position: State, dollars: Reals, intent: Aims) -> Line:
    """The techline for the side to move; `dollars`: the enemy's units on boards by type."""
    side = int(position[layout.SIDE])
    cards = position[layout.CARD : layout.CARD + 2 * layout.CARDS].reshape(2, layout.CARDS)
    types = g[layout.CARD_UNIT : layout.CARD_UNIT + layout.CARDS]
    bits = 1 << np.arange(layout.CARDS)
    mine, theirs = (int(bits[cards[p] == layout.ACQUIRED].sum()) for p in (side, 1 - side))
    locked = [np.flatnonzero(cards[p] == layout.LOCKED) for p in (side, 1 - side)]
    reached = [int(found[0]) if len(found) else layout.CARDS for found in locked]
    answered = 0
    for t in types[(cards[side] == layout.ACQUIRED) & (types >= 0)]:
        answered |= int(ANSWERED_TYPES[t])
    share = dollars / max(float(dollars.sum()), 1.0)
    return Line(
        types=tuple(types.tolist()),
        mine=mine,
        theirs=theirs,
        opened=int(bits[cards[side] == layout.UNLOCKED].sum()),
        reached=reached[0],
        their_reach=reached[1],
        open_dollars=tuple((int(t), float(share[t])) for t in np.flatnonzero(share) if not answered >> int(t) & 1),
        intent=tuple(c for c in intent if not (mine | theirs) >> c & 1),
    )


def expected_answer(line: Line, t: int) -> int:
    """The type by which the enemy is likely to answer one of ours: the one that it can have soonest; -1: none soon."""
    if t in line.expected:
        return line.expected[t]
    best, found = SOON, -1
    for c, u in enumerate(line.types):
        if u < 0 or line.mine >> c & 1 or not int(ANSWERED_TYPES[u]) >> t & 1:
            continue
        spells = 0 if line.theirs >> c & 1 else 1 if c < line.their_reach else c - line.their_reach + 2
        if spells < best:
            best, found = spells, u
    line.expected[t] = found
    return found


def worth(line: Line, aims: Aims) -> tuple[float, int]:
    """What a plan is worth, and the turns that it takes."""
    total, spells, answered, expected = 0.0, 0, 0, -1
    opened, reached = line.opened, line.reached
    for c in aims:
        if opened >> c & 1:
            spells += 1
        else:
            spells += c - reached + 2
            opened |= (1 << (c + 1)) - (1 << reached)
            reached = c + 1
        t = line.types[c]
        new = int(ANSWERED_TYPES[t]) & ~answered
        answered |= new
        gain = ANSWERS_NOW * sum(x for u, x in line.open_dollars if new >> u & 1)
        if expected >= 0 and int(ANSWERED_TYPES[t]) >> expected & 1:
            gain += ANSWERS_NEXT
        expected = expected_answer(line, t)
        if expected >= 0 and line.their_types >> expected & 1:
            gain -= EXPOSED
        gain += HIGHER * int(CARD_NUMBERS[t])
        total += LATER**spells * gain
    if aims and aims == line.intent[: len(aims)]:
        total += KEEPING
    return total, spells


def step_of(line: Line, aims: Aims, spells: int) -> Step:
    """What a plan does with so many spells: marches and cards; what is left over marches."""
    marched, acquired = 0, []
    opened, reached = line.opened, line.reached
    for c in aims:
        while spells > 0 and not opened >> c & 1 and reached < layout.CARDS:
            opened |= 1 << reached
            reached += 1
            marched += 1
            spells -= 1
        if spells == 0:
            break
        acquired.append(c)
        spells -= 1
    return marched + min(spells, layout.CARDS - reached), tuple(sorted(acquired))


def tech_plans(line: Line) -> Iterator[tuple[float, Aims]]:
    """Tech plans by falling worth: the most promising one is lengthened, or given if it is long enough."""
    near = [c for c in range(layout.CARDS) if line.free(c) and line.spells_to(c) <= FARTHEST]
    alone = {c: worth(line, (c,))[0] for c in near}
    aims = sorted(near, key=lambda c: -alone[c])[:MOST_CARDS]
    hope = max(alone.values(), default=0.0) + ANSWERS_NEXT
    waiting: list[tuple[float, float, Aims]] = []

    def push(plan: Aims) -> None:
        value, turns = worth(line, plan)
        missing = min(MOST_AIMS, len(aims)) - len(plan)
        heapq.heappush(waiting, (-value - missing * hope * LATER ** (turns + 1), value, plan))

    push(())
    while waiting:
        _, value, plan = heapq.heappop(waiting)
        if len(plan) == min(MOST_AIMS, len(aims)):
            yield value, plan
            continue
        for c in aims:
            if c not in plan:
                push((*plan, c))


class TechPlans(Generator):
    """General turns by what they are the beginning of, then all others that there are."""

    def __init__(self, line: Line, others: Techs) -> None:
        self.line, self.others = line, others
        self.aims: dict[bytes, Aims] = {}  # of steps that a plan begins with, by their words
        self._plans = itertools.islice(tech_plans(line), MOST_LOOKED)
        self._best: float | None = None
        self._bound = 1.0  # of priors of plans that were not looked at yet; 0: there are none
        self._waiting: list[tuple[float, Step, Aims]] = []

    def next_step(self) -> tuple[Step, float] | None:
        """The next step and its prior; None: all were given."""
        while self._waiting or self._bound > 0.0:
            if self._waiting and -self._waiting[0][0] >= self._bound:
                less, step, aims = heapq.heappop(self._waiting)
                if step not in self.others.given:
                    return self._entered(step, aims), -less
                continue
            value, plan = next(self._plans, (0.0, None))
            self._bound = 0.0 if plan is None else self._prior(value)
            if plan is not None:
                self._wait(self._bound, plan)
        other = self.others.next_step()
        return None if other is None else (other[0], LEAST)

    def _prior(self, value: float) -> float:
        self._best = value if self._best is None else self._best
        return max(math.exp(SHARPNESS * (value - self._best)), LEAST)

    def _wait(self, prior: float, aims: Aims) -> None:
        """What a plan does now with each number of spells, where that is a turn that was not given."""
        for spells in range(1, self.others.most + 1):
            step = step_of(self.line, aims, spells)
            if step not in self.others.given and self.others.has(step):
                heapq.heappush(self._waiting, (-prior * dearer(step), step, aims))

    def _entered(self, step: Step, aims: Aims) -> Step:
        self.others.given.add(step)
        self.aims[tech_words(step)] = aims
        return step

    def first(self) -> Proposal | None:
        return _proposed(self.next_step())

    def finer(self, part: bytes) -> Proposal | None:
        """The beginning of the same plan in another order, the best first."""
        _, marched, cards, *_rest = np.frombuffer(part, np.int64).tolist()
        orders = itertools.permutations(self.aims.get(part, ()))
        for value, aims in sorted(((worth(self.line, aims)[0], aims) for aims in orders), reverse=True):
            step = step_of(self.line, aims, marched + cards)
            if step not in self.others.given and self.others.has(step):
                return _proposed((self._entered(step, aims), self._prior(value) * dearer(step)))
        return None

    def coarser(self, part: bytes, noise: float) -> Proposal | None:
        """The beginning of the next plan that has another last aim."""
        return self.first()

    @property
    def exhausted(self) -> bool:
        return self.others.exhausted


def _proposed(found: tuple[Step, float] | None) -> Proposal | None:
    return None if found is None else Proposal(tech_words(found[0]), found[1])
