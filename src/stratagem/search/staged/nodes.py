"""The tree of a search by stages as Python sees it: what a staging in Python gave, and views of the arrays for reports and tests.

The statistics are in the arrays (`records`). Beside them stands what only Python can hold: positions, stages and generators, the
parts that were proposed and the turns that they make. A part or a turn has a number there, its *handle*.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from stratagem.search.staged import cell
from stratagem.search.staged.bandit import deviation
from stratagem.search.staged.choosing import used_up
from stratagem.search.staged.records import Grid, Table
from stratagem.search.staged.stage import Generator, Proposal, Stage, StageError

if TYPE_CHECKING:
    from stratagem.search.staged.search import Staged

RETRIES = 3  # a generator that gives a part again is asked so often for another
KINDS = "first", "fine", "coarse"


class Proposals:
    """A generator, and the parts that it has proposed; one that it repeats is not entered twice."""

    def __init__(self, stage: str, generator: Generator) -> None:
        self.stage, self.generator = stage, generator
        self.parts: list[Any] = []
        self.known: set[Any] = set()
        self.repeats = 0

    def ask(self, way: int, base: int, noise: float) -> Proposal | None:
        """One more part that is new, in one of the ways; it is the next of `parts`."""
        for _ in range(RETRIES):
            if way == cell.FIRST:
                found = self.generator.first()
            elif way == cell.FINE:
                found = self.generator.finer(self.parts[base])
            else:
                found = self.generator.coarser(self.parts[base], noise)
            if found is None:
                return None
            if not found.prior > 0 or found.prior == math.inf:
                raise StageError(
                    f"stage {self.stage!r} gave the prior {found.prior!r} to {found.part!r}; give more than 0"
                )
            if found.part not in self.known:
                self.known.add(found.part)
                self.parts.append(found.part)
                return found
            self.repeats += 1
        return None


class Spoken(Sequence[Any]):
    """The parts that a source of kernels has proposed; in the place of `Proposals`, whose parts it gives."""

    def __init__(self, search: Staged[Any, Any], source: int) -> None:
        self.search, self.source = search, source

    @property
    def parts(self) -> Sequence[Any]:
        return self

    def __len__(self) -> int:
        return int(self.search.tree.sources[self.source, cell.USED])

    def __getitem__(self, k: Any) -> Any:
        tree = self.search.tree
        return tuple(tree.parts[tree.sources[self.source, cell.BLOCK] + k].tolist())


@dataclass(frozen=True)
class Bandit:
    """The rows of one node."""

    search: Staged[Any, Any]
    owners: str  # which nodes: "positions" or "nodes"
    k: int
    seat: int

    @property
    def _own(self) -> Any:
        owners: Grid = getattr(self.search.tree, self.owners)
        return owners[self.k]

    @property
    def n(self) -> int:
        """Rows in use: the node itself, the phantom, and the children."""
        return int(self._own[cell.USED])

    @property
    def block(self) -> int:
        return int(self._own[cell.BLOCK])

    @property
    def rows(self) -> Table:
        return self.search.tree.rows[self.block : self.block + self.n]

    def pending(self, row: int) -> int:
        return int(self.rows[row, cell.PENDING])

    def visits(self, row: int = cell.ALL) -> int:
        return int(self.rows[row, cell.VISITS])

    def mean(self, row: int = cell.ALL) -> float | None:
        """The mean for the seat that chooses here; None before any visit."""
        n = self.rows[row, cell.VISITS]
        return float(self.rows[row, cell.COLUMNS + self.seat] / n) if n else None

    def means(self, row: int) -> tuple[float, ...]:
        """The mean for every seat."""
        n = max(self.rows[row, cell.VISITS], 1.0)
        return tuple(float(x / n) for x in self.rows[row, cell.COLUMNS :])

    def error(self, row: int) -> float | None:
        """The standard error of the mean; None below two visits."""
        n = self.rows[row, cell.VISITS]
        return deviation(self.rows, row, self.seat) / math.sqrt(n - 1) if n > 1 else None


class Proposed(NamedTuple):
    """A part as it was proposed."""

    part: Any
    prior: float
    kind: str  # how it came: first, fine or coarse
    of: int | None  # the number of the one it was refined from
    family: int  # the number of the one that began its family
    noise: float


class Candidate(NamedTuple):
    """A part as one stage node knows it."""

    node: StageNode
    row: int

    @property
    def number(self) -> int:
        return self.row - cell.CHILDREN

    @property
    def part(self) -> Any:
        return self.node.proposals.parts[self.number]

    @property
    def proposed(self) -> Proposed:
        return self.node.given(self.number)


@dataclass(frozen=True)
class StageNode:
    """A stage in one context: a bandit over its candidates."""

    search: Staged[Any, Any]
    k: int
    source: int
    stage: Stage
    proposals: Proposals | Spoken
    seat: int

    @property
    def bandit(self) -> Bandit:
        return Bandit(self.search, "nodes", self.k, self.seat)

    @property
    def exhausted(self) -> bool:
        """Whether all candidates that there can be are known here."""
        return bool(used_up(self.search.tree, self.k))

    def candidate(self, row: int) -> Candidate:
        return Candidate(self, row)

    @property
    def candidates(self) -> list[Candidate]:
        return [Candidate(self, row) for row in range(cell.CHILDREN, self.bandit.n)]

    def given(self, number: int) -> Proposed:
        tree = self.search.tree
        k = tree.sources[self.source, cell.BLOCK] + number
        mark, row = tree.marks[k], tree.rows[k]
        of = None if mark[cell.OF] < 0 else int(mark[cell.OF])
        part = self.proposals.parts[mark[cell.HANDLE]]
        return Proposed(
            part, float(row[cell.PRIOR]), KINDS[mark[cell.KIND]], of, int(mark[cell.FAMILY]), float(row[cell.NOISE])
        )


class Turn(NamedTuple):
    """A whole turn: the candidates that it is made of, joined."""

    place: PositionNode
    row: int

    @property
    def _mark(self) -> Any:
        return self.place.search.tree.marks[self.place.bandit.block + self.row]

    @property
    def turn(self) -> Any:
        made = self.place.made
        return (
            made[self._mark[cell.HANDLE]] if made else self.place.search.staging.join(self.place.position, self.parts)
        )

    @property
    def choices(self) -> tuple[Candidate, ...]:
        of, n = self.place.search.stage_nodes, len(self.place.stages)
        return tuple(
            Candidate(of[choice >> cell.ROW_BITS], choice & cell.ROW_MASK)
            for choice in self._mark[cell.CHOICES : cell.CHOICES + n].tolist()
        )

    @property
    def parts(self) -> dict[str, Any]:
        return {choice.node.stage.name: choice.part for choice in self.choices}

    @property
    def children(self) -> set[Hashable]:
        """The keys of the positions it was seen to lead to."""
        search, found = self.place.search, set()
        at = int(self._mark[cell.LINKS])
        while at:
            child, at = (int(x) for x in search.tree.links[at - 1])
            if child in search.places:
                found.add(search.places[child].key)
        return found


class PositionNode:
    """A position between turns."""

    __slots__ = ("__weakref__", "k", "key", "made", "position", "search", "seat", "stages", "sub")

    def __init__(
        self,
        search: Staged[Any, Any],
        k: int,
        position: Any,
        key: Hashable | None,
        seat: int,
        stages: tuple[Stage, ...],
    ) -> None:
        self.search, self.k, self.position, self.key, self.seat, self.stages = search, k, position, key, seat, stages
        self.sub: dict[tuple[str, Hashable], StageNode] = {}  # by name and scope
        self.made: list[Any] = []  # turns by their handles

    @property
    def bandit(self) -> Bandit:
        return Bandit(self.search, "positions", self.k, self.seat)

    @property
    def under(self) -> list[StageNode]:
        """The nodes of its stages, in the order in which they were made."""
        tree, found, k = self.search.tree, [], int(self.search.tree.positions[self.k, cell.STAGES_UNDER])
        while k != cell.NONE:
            found.append(self.search.stage_nodes[k])
            k = int(tree.nodes[k, cell.NEXT])
        return found[::-1]

    @property
    def turns(self) -> list[Turn]:
        return [Turn(self, row) for row in range(cell.CHILDREN, self.bandit.n)]

    def turn(self, row: int) -> Turn:
        return Turn(self, row)

    @property
    def exhausted(self) -> bool:
        return bool(self.search.tree.positions[self.k, cell.EXHAUSTED])


class KernelStageNodes(dict[int, StageNode]):
    """Stage nodes that the core has made of kernels, as Python asks for them."""

    def __init__(self, search: Staged[Any, Any]) -> None:
        self.search = search

    def __missing__(self, k: int) -> StageNode:
        search = self.search
        own = search.tree.nodes[k]
        place, source = search.places[int(own[cell.UNDER])], int(own[cell.SOURCE])
        stage = place.stages[own[cell.STAGE]]
        return StageNode(search, k, source, stage, Spoken(search, source), place.seat)


__all__ = [
    "Bandit",
    "Candidate",
    "KernelStageNodes",
    "PositionNode",
    "Proposals",
    "Proposed",
    "StageNode",
    "Turn",
]
