"""The tree of a search by stages: positions between turns, the stages under them, and the turns put together from both.

A `Position`'s node holds one bandit over the turns made so far and, for each stage and each scope of what it depends on, a
stage node: a bandit over that stage's candidates. Candidates are shared by all turns that use them, and what was proposed
(`Proposals`) may be shared between positions that a stage takes for equal.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stratagem.search.staged.bandit import CHILDREN, Bandit
from stratagem.search.staged.stage import Generator, Proposal, Stage, StageError

FIRST, FINE, COARSE = "first", "fine", "coarse"
RETRIES = 3  # a generator that gives a part again is asked so often for another


@dataclass(slots=True)
class Proposed:
    """A part as it was proposed: where from, and what became of its family."""

    part: Any
    prior: float
    kind: str = FIRST  # how it came: first, fine or coarse
    of: int | None = None  # the number of the one it was refined from
    family: int = 0  # the number of the one that began its family
    noise: float = 0.0
    fine: bool = True  # whether its family may still be refined finely


class Proposals:
    """All that one generator has proposed, in order; a part that it repeats is not entered twice."""

    def __init__(self, stage: str, generator: Generator) -> None:
        self.stage, self.generator = stage, generator
        self.given: list[Proposed] = []
        self.known: dict[Any, int] = {}
        self.repeats = 0
        self.fine, self.coarse = generator.can_refine
        self.fresh = True  # whether `first` may still give something
        self.lock = threading.Lock()  # one thread at a time asks the generator

    def first(self) -> bool:
        return self._enter(self.generator.first, Proposed(None, 1.0)) or self._dry()

    def _dry(self) -> bool:
        self.fresh = False
        return False

    def finer(self, k: int) -> bool:
        """Refine number k finely; a family that has no other realisation is never asked again."""
        base = self.given[k]
        family = self.given[base.family]
        if not (self.fine and family.fine):
            return False
        made = Proposed(None, 1.0, FINE, k, base.family)
        family.fine = self._enter(lambda: self.generator.finer(base.part), made)
        return family.fine

    def coarser(self, k: int, noise: float) -> bool:
        """Perturb number k: a new family."""
        base = self.given[k]
        made = Proposed(None, 1.0, COARSE, k, len(self.given), noise)
        return self.coarse and self._enter(lambda: self.generator.coarser(base.part, noise), made)

    def _enter(self, ask: Any, entry: Proposed) -> bool:
        for _ in range(RETRIES):
            proposal: Proposal | None = ask()
            if proposal is None:
                return False
            entry.part, entry.prior = proposal.part, self._sound(proposal)
            if entry.part not in self.known:
                if entry.kind == FIRST:
                    entry.family = len(self.given)
                self.known[entry.part] = len(self.given)
                self.given.append(entry)
                return True
            self.repeats += 1
        return False

    def _sound(self, proposal: Proposal) -> float:
        if not proposal.prior > 0 or proposal.prior == float("inf"):
            raise StageError(
                f"stage {self.stage!r} gave the prior {proposal.prior!r} to {proposal.part!r}; give more than 0"
            )
        return float(proposal.prior)

    @property
    def exhausted(self) -> bool:
        return self.generator.exhausted


@dataclass(slots=True)
class Candidate:
    """A part as one stage node knows it."""

    node: StageNode
    row: int
    number: int  # in the node's proposals
    proposed: Proposed

    @property
    def part(self) -> Any:
        return self.proposed.part


class StageNode:
    """A stage in one context: a bandit over its candidates."""

    __slots__ = ("asked_again", "bandit", "candidates", "learns", "proposals", "stage")

    def __init__(self, stage: Stage, proposals: Proposals, bandit: Bandit) -> None:
        self.stage, self.proposals, self.bandit = stage, proposals, bandit
        self.candidates: list[Candidate] = []
        self.learns = type(proposals.generator).learn is not Generator.learn
        self.asked_again = 1  # visits from which a generator that found nothing is asked once more

    @property
    def exhausted(self) -> bool:
        """Whether all candidates that there can be are known here."""
        return not self.waiting and self.proposals.exhausted

    @property
    def waiting(self) -> bool:
        """Whether a part was proposed that is not known here yet."""
        return len(self.candidates) < len(self.proposals.given)

    def candidate(self, row: int) -> Candidate:
        return self.candidates[row - CHILDREN]

    def take(self) -> Candidate | None:
        """The next part that was proposed but is not known here yet."""
        number = len(self.candidates)
        if number == len(self.proposals.given):
            return None
        proposed = self.proposals.given[number]
        new = Candidate(self, self.bandit.add(proposed.prior), number, proposed)
        self.candidates.append(new)
        return new

    def ask(self, best: int, weights: tuple[float, float, float], noise: float, lots: random.Random) -> bool:
        """Ask the generator for one more part. Which way it is asked is drawn by the weights of first, fine and coarse,
        among those that can still give something; False: it gave nothing new."""
        if self.proposals.exhausted:
            return False
        base = self.candidate(best).number if best >= CHILDREN else -1
        for kind in self._ways(weights, base, lots):
            if (
                (kind == FIRST and self.proposals.first())
                or (kind == FINE and self.proposals.finer(base))
                or (kind == COARSE and self.proposals.coarser(base, noise))
            ):
                return True
        return False

    def _ways(self, weights: tuple[float, float, float], base: int, lots: random.Random) -> list[str]:
        """The ways to ask, the drawn one first."""
        proposals, given = self.proposals, self.proposals.given
        left = [(FIRST, weights[0])] if proposals.fresh and weights[0] > 0 else []
        if base >= 0:
            if proposals.fine and weights[1] > 0 and given[given[base].family].fine:
                left.append((FINE, weights[1]))
            if proposals.coarse and weights[2] > 0:
                left.append((COARSE, weights[2]))
        order: list[str] = []
        while len(left) > 1:
            x = lots.random() * sum(w for _, w in left)
            at = 0
            while at < len(left) - 1 and x >= left[at][1]:
                x -= left[at][1]
                at += 1
            order.append(left.pop(at)[0])
        return order + [kind for kind, _ in left]


@dataclass(slots=True)
class Turn:
    """A whole turn: the candidates that it is made of, joined."""

    choices: tuple[Candidate, ...]
    turn: Any
    row: int
    children: set[Hashable] = field(default_factory=set)  # keys of the positions it was seen to lead to


class PositionNode:
    """A position between turns."""

    __slots__ = (
        "bandit",
        "exhausted",
        "idle",
        "key",
        "position",
        "seat",
        "stages",
        "sub",
        "turns",
        "turns_by_choice",
        "unfinished",
    )

    def __init__(
        self, position: Any, key: Hashable | None, seat: int, stages: tuple[Stage, ...], bandit: Bandit
    ) -> None:
        self.position, self.key, self.seat, self.stages, self.bandit = position, key, seat, stages, bandit
        self.sub: dict[tuple[str, Hashable], StageNode] = {}
        self.turns: list[Turn] = []
        self.turns_by_choice: dict[tuple[int, ...], Turn] = {}
        self.exhausted = False  # whether every turn that there can be was made
        self.idle = 0  # times in a row that no new turn was found
        # a pass over all combinations that is not over: turns made when it began, and the rest of it
        self.unfinished: tuple[int, Iterator[Mapping[str, Candidate]]] | None = None

    def turn(self, row: int) -> Turn:
        return self.turns[row - CHILDREN]

    def forget(self) -> None:
        """Cut what holds each other, so that all of it goes at once and not at the next collection of garbage."""
        self.unfinished = None
        for sub in self.sub.values():
            sub.candidates.clear()


def scope_of(stage: Stage, chosen: Mapping[str, Candidate]) -> Hashable:
    """What tells contexts of a stage apart."""
    if not stage.after:
        return ()
    if stage.scope is not None:
        return stage.scope({name: chosen[name].part for name in stage.after})
    return tuple(id(chosen[name]) for name in stage.after)
