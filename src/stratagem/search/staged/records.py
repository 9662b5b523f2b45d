"""The tree of a search by stages as arrays: positions between turns, stages under them, candidates, turns, and walkers.

One pool of rows holds all statistics. A *block* is a run of rows whose number is a power of two; a block that is full moves
to one twice as large, and blocks that are given up are used again. Three kinds of nodes own a block each:

- a **position**: the bandit over the turns that were made there. The integers beside a row (`marks`) say what the turn is
  made of.
- a **stage node**, a stage in one context under a position: the bandit over its candidates. Candidate k is proposal k of
  its source.
- a **source**, a generator: what it has proposed, in order. Positions that a stage takes for equal may share one.

The arrays have their full size from the beginning; the system gives memory to a page of them when it is used first. Only the
tables, whose entries lie anywhere, grow.
"""

from __future__ import annotations

import math
import mmap
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.rng import Rng
from stratagem.search.staged import cell

Words = NDArray[np.int64]
Grid = NDArray[np.int64]  # [rows, columns]
Floats = NDArray[np.float64]
Table = NDArray[np.float64]  # [rows, COLUMNS + players]


class Tree(NamedTuple):
    """All that a search knows. `plant` makes one."""

    counts: Words  # [COUNTS]
    rows: Table  # [rows, COLUMNS + players]
    quick: Table  # [rows, QUICK]
    marks: Grid  # [rows, CHOICES + stages]
    positions: Grid  # [positions, POSITION]
    scans: Grid  # [positions, SCAN_AT + stages]
    nodes: Grid  # [nodes, NODE]
    sources: Grid  # [sources, SOURCE_CELLS]
    links: Grid  # [links, 2] a position that a turn led to, and the next of that turn
    by_choice: Words  # [power of two] turns by what they are made of; 0: none, else 1 more
    by_context: Grid  # [power of two, 2] stage nodes by the candidates that they come after: a key, and the node and 1
    by_link: Words  # [power of two] links that are known, by keys
    # of stages that are kernels; one cell each where there are none
    parts: Grid  # [rows, words] what was proposed
    memories: Grid  # [sources, words]
    states: Grid  # [positions, cells]
    plans: Words  # [PLAN_CELLS] of each kind of turn how many stages, where the list of each is; and lists: how many, which


class Walker(NamedTuple):
    """What one thread has in hand."""

    at: Words  # [AT]
    path: Grid  # [depth, 2] positions, and the rows of the turns chosen in them
    chosen: Words  # [stages] candidates of the turn that is being made
    scan: Words  # [stages] how far a pass over all combinations is
    passed: Grid  # [attempts * stages, 2] candidates that were made to look tried, and how much
    ways: Words  # [WAYS] how a source will be asked, in order
    lessons: Grid  # [depth * stages, 2] sources, and the proposals that they can learn about
    taught: Floats  # [depth * stages] what a turn with each was worth
    values: Table  # [trials, players]
    sums: Floats  # [2 * players] of the payoffs, and of their squares
    mail: Words  # [MAIL]
    said: Floats  # [SAID]
    rng: Rng
    # for stages that are kernels
    turn: Grid  # [stages, words] the parts of a turn
    part: Words  # [words] one that is proposed
    base: Words  # [words] one that is refined
    state: Words  # [cells]
    luck: Rng
    out: Floats  # [players]


class Law(NamedTuple):
    """How a bandit chooses."""

    exploration: float  # weight of the bonus, in units of the deviation seen
    width: float  # of intervals, in deviations; 0: nothing is passed over
    grain: float  # trials of a visit
    factor: float  # progressive widening: fewer than factor * visits ** power children; 0: by the phantom
    power: float
    trust: float  # trials from which on the best reply counts for more than the mean; 0: it does not count


class Terms(NamedTuple):
    """What a search goes by: its settings, as the templates read them."""

    turns: Law
    parts: Law
    samples: int
    again: float
    depth: int
    first_weight: float
    fine_weight: float
    coarse_weight: float
    noise: float
    mixing: float
    most_turns: int
    looked: int  # combinations that are looked at in one walk
    certain: bool
    halves: bool  # whether half-made turns are judged
    shared: bool  # whether several threads walk


def untouched(kind: type, *shape: int) -> Any:
    """Zeros that take up memory only where they are used. Not `np.zeros`: the allocator of C keeps up to 32 MB that were given
    back, and clears them for the next caller, which takes tens of milliseconds."""
    cells = math.prod(shape)
    return np.frombuffer(mmap.mmap(-1, max(8 * cells, 1)), kind, cells).reshape(shape)


class Sizes(NamedTuple):
    """Of stages that are kernels."""

    part: int = 0  # words of a part, of a generator's memory, cells of a position
    memory: int = 0
    cells: int = 0
    shared: bool = False  # whether threads walk that never come back to Python: then no table can grow


NO_SIZES = Sizes()


def plant(turns: int, players: int, stages: int, sizes: Sizes = NO_SIZES) -> Tree:
    """An empty tree for so many turns of at most so many stages."""
    rows = (8 + 2 * stages) * turns + 512 * (stages + 1) + 4096
    positions = turns + 64
    nodes = max(stages, 2) * turns + 16 * stages + 64
    slots = slots_for(stages, 4 * (2 + stages) * turns if sizes.shared else 0)
    here = sizes.part > 0
    words = partial(untouched, np.int64)
    tree = Tree(
        np.zeros(cell.COUNTS, np.int64),
        untouched(np.float64, rows, cell.COLUMNS + players),
        untouched(np.float64, rows, cell.QUICK),
        words(rows, max(cell.CHOICES + stages, cell.PROPOSAL_MARKS)),
        words(positions, cell.POSITION),
        words(positions, cell.SCAN_AT + stages),
        words(nodes, cell.NODE),
        words(nodes, cell.SOURCE_CELLS),
        words(turns + 64, 2),
        words(slots),
        words(slots, 2),
        words(slots),
        words(rows if here else 1, max(sizes.part, 1)),
        words(nodes if here else 1, max(sizes.memory, 1)),
        words(positions if here else 1, max(sizes.cells, 1)),
        np.zeros(cell.PLAN_CELLS, np.int64),
    )
    tree.counts[cell.FREE : cell.FREE_LINKS + 1] = cell.NONE
    tree.counts[cell.ROOT] = cell.NONE
    return tree


def slots_for(stages: int, entries: int = 0) -> int:
    """Of tables that have room for turns of so many stages (`pool.room`) until they are a quarter full."""
    return 1 << (256 * (stages + 1) + entries).bit_length()


def crowded(tree: Tree) -> bool:
    """Whether the tables are a quarter full."""
    return bool(4 * max(tree.counts[cell.ENTRIES], tree.counts[cell.LINKS_END]) > len(tree.by_choice))


def unlisted(tree: Tree) -> Tree:
    """The same tree with empty tables, large enough for what is in it: `rehash` fills them."""
    return _with_slots(tree, len(tree.by_choice) << (2 if crowded(tree) else 0))


def _with_slots(tree: Tree, slots: int) -> Tree:
    return tree._replace(
        by_choice=np.zeros(slots, np.int64),
        by_context=np.zeros((slots, 2), np.int64),
        by_link=np.zeros(slots, np.int64),
    )


def broader(tree: Tree, stages: int) -> Tree:
    """The same tree with room for turns of more stages; its tables are empty: `rehash` fills them."""
    rows, positions = int(tree.counts[cell.ROWS_END]), int(tree.counts[cell.POSITIONS_END])
    marks = untouched(np.int64, len(tree.marks), max(cell.CHOICES + stages, cell.PROPOSAL_MARKS))
    marks[:rows, : tree.marks.shape[1]] = tree.marks[:rows]
    scans = untouched(np.int64, len(tree.scans), cell.SCAN_AT + stages)
    scans[:positions, : tree.scans.shape[1]] = tree.scans[:positions]
    return _with_slots(tree, max(len(tree.by_choice), slots_for(stages)))._replace(marks=marks, scans=scans)


def walker(
    players: int, stages: int, depth: int, trials: int, attempts: int, rng: Rng, sizes: Sizes = NO_SIZES
) -> Walker:
    """A walker at the root, for trees of so many stages."""
    return Walker(
        np.zeros(cell.AT, np.int64),
        np.zeros((depth, 2), np.int64),
        np.zeros(stages, np.int64),
        np.zeros(stages, np.int64),
        np.zeros((attempts * stages, 2), np.int64),
        np.zeros(cell.WAYS, np.int64),
        np.zeros((depth * stages, 2), np.int64),
        np.zeros(depth * stages),
        np.zeros((trials, players)),
        np.zeros(2 * players),
        np.zeros(cell.MAIL, np.int64),
        np.zeros(cell.SAID),
        rng,
        np.zeros((stages, max(sizes.part, 1)), np.int64),
        np.zeros(max(sizes.part, 1), np.int64),
        np.zeros(max(sizes.part, 1), np.int64),
        np.zeros(max(sizes.cells, 1), np.int64),
        np.zeros(2, np.int64),
        np.zeros(players),
    )


ENDS = {  # what of an array was ever in use; of the others all is
    **dict.fromkeys(("rows", "quick", "marks", "parts"), cell.ROWS_END),
    **dict.fromkeys(("positions", "scans", "states"), cell.POSITIONS_END),
    **dict.fromkeys(("sources", "memories"), cell.SOURCES_END),
    "nodes": cell.NODES_END,
    "links": cell.LINKS_END,
}


def used_bytes(tree: Tree) -> int:
    """What of a tree's arrays is in use."""
    total = 0
    for name, array in tree._asdict().items():
        used = min(int(tree.counts[ENDS[name]]), len(array)) if name in ENDS else len(array)
        total += used * array.strides[0]
    return total
