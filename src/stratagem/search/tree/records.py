"""What the search tree is made of: the arrays of a tree and of a thread that walks in it, as records that templates read.

The tree is flat arrays. The children of a node lie together, so that a selection reads two or three cache lines; the way down is
a path array. A value in a node is for the player who moved into it, so that selection compares neighbours without a sign. A walk
is one chain of dependent reads, and nearly all its time is waiting for them. So all that a step needs lies side by side: a
child's score and where its own children are, which is then known as soon as the child is chosen.

Node numbers are marked (`index`) where templates read them: the compiler then knows that they are not negative, and need not ask
at every access whether to count from the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
from stratagem.kernel import Moves, Payoffs, State
from stratagem.rng import Rng, generator
from stratagem.search.tree import cell

Floats = NDArray[np.float64]
Quick = NDArray[np.float32]
Firsts = NDArray[np.int32]
Words = NDArray[np.int64]


class Tree(NamedTuple):
    """A tree: 48 bytes a node, 8 more with proofs, 8 more with priors; pages are touched when used. `plant` makes one."""

    stats: Floats  # [PAIR a node] VISITS and TOTAL
    quick: Quick  # [QUICK a node] MEAN, SPREAD and LOGS
    firsts: Firsts  # [QUICK a node] FIRST
    nodes: Words  # [PAIR a node] MOVE and KIND
    exact: Floats  # [nodes] the value of a proven node to seat 0; one cell without proofs
    priors: Floats  # [nodes] how likely the move into the node is to be good; one cell without priors

    # -- for people; templates read the arrays

    def children(self, node: int) -> range:
        first = int(self.firsts[cell.QUICK * node + cell.FIRST])
        return (
            range(first, first + (int(self.nodes[cell.PAIR * node + cell.KIND]) >> cell.FLAG_BITS))
            if first
            else range(0)
        )

    def visits(self, node: int) -> float:
        return float(self.stats[cell.PAIR * node + cell.VISITS])

    def total(self, node: int) -> float:
        return float(self.stats[cell.PAIR * node + cell.TOTAL])

    def move(self, node: int) -> int:
        return int(self.nodes[cell.PAIR * node + cell.MOVE])

    def proven(self, node: int) -> float | None:
        """The exact value to seat 0, where there is a proof."""
        return float(self.exact[node]) if int(self.nodes[cell.PAIR * node + cell.KIND]) & cell.PROVEN else None

    @property
    def size(self) -> int:
        return len(self.stats) // cell.PAIR

    @property
    def bytes_per_node(self) -> float:
        arrays = self.stats, self.quick, self.nodes, self.exact, self.priors
        return sum(a.nbytes for a in arrays if len(a) >= self.size) / self.size

    def clear(self) -> None:
        """Nothing but a root without children."""
        self.stats[: cell.PAIR] = 0.0
        self.quick[: cell.QUICK] = 0.0
        self.nodes[: cell.PAIR] = 0

    def list_root(self, moves: list[int], first: int) -> range:
        """Children of the root for its moves, in the nodes from `first` on, so that threads find them there."""
        end = first + len(moves)
        self.stats[cell.PAIR * first : cell.PAIR * end] = 0.0
        self.quick[cell.QUICK * first : cell.QUICK * end] = 0.0
        self.quick[cell.QUICK * first + cell.SPREAD : cell.QUICK * end : cell.QUICK] = cell.UNTRIED
        self.nodes[cell.PAIR * first + cell.MOVE : cell.PAIR * end : cell.PAIR] = moves
        self.nodes[cell.PAIR * first + cell.KIND : cell.PAIR * end : cell.PAIR] = 0
        self.nodes[cell.PAIR * cell.ROOT + cell.KIND] = len(moves) << cell.FLAG_BITS
        self.firsts[cell.QUICK * cell.ROOT + cell.FIRST] = first
        return range(first, end)


def plant(size: int, *, proofs: bool, priors: bool) -> Tree:
    """An empty tree with room for so many nodes."""
    quick = np.zeros(cell.QUICK * size, np.float32)
    nodes = np.zeros(cell.PAIR * size, np.int64)
    exact, likely = np.zeros(size if proofs else 1), np.zeros(size if priors else 1)
    return Tree(np.zeros(cell.PAIR * size), quick, quick.view(np.int32), nodes, exact, likely)


class Walk(NamedTuple):
    """One way from the root to a leaf."""

    state: State  # [cells] played on as the walk goes down
    path: Words  # [PATH] the nodes, the root first
    turns: Words  # [PATH] who decides in each


class Walker(NamedTuple):
    """What one thread works with: its range of the pool, a generator, scratch space, and what it has found."""

    walk: Walk
    rng: Rng
    batches: Floats  # [BATCH a slot] where threads share the tree
    listed: Moves  # [moves] of the node that grows
    joint: Moves  # [players] for playouts where all decide at once
    out: Payoffs  # [players] of the last simulation
    pool: Words  # [3] NEXT, END and BEGIN
    arms: Floats  # [ARM a root child, and the root's own at the end]
    sums: Floats  # [players] the payoffs of this search's simulations


def walker(game: ArrayGame, seed: int, stream: int, slots: int = 0) -> Walker:
    """A walker with room for so many batches: none where it is alone in the tree."""
    return Walker(
        walk=Walk(game.blank(), np.zeros(cell.PATH, np.int64), np.zeros(cell.PATH, np.int64)),
        rng=generator(seed, stream),
        batches=np.zeros(cell.BATCH * slots),
        listed=np.zeros(max(game.max_moves, 1), np.int64),
        joint=np.zeros(game.players, np.int64),
        out=np.zeros(game.players),
        pool=np.zeros(3, np.int64),
        arms=np.zeros(cell.ARM),
        sums=np.zeros(game.players),
    )


def ready(walker: Walker, arms: int, first: int, end: int) -> Walker:
    """A walker for a new search of a root with so many children, in the nodes first .. end of the pool."""
    walker.pool[:] = first, end, first
    walker.batches[cell.NODE :: cell.BATCH] = cell.NO_NODE
    walker.sums[:] = 0.0
    if len(walker.arms) != cell.ARM * (arms + 1):
        return walker._replace(arms=np.zeros(cell.ARM * (arms + 1)))
    walker.arms[:] = 0.0
    return walker


class Leaves(NamedTuple):
    """The leaves that wait for a network's answer, a row each."""

    states: Words  # [batch, cells]
    paths: Words  # [batch, PATH]
    turns: Words  # [batch, PATH]
    depths: Words  # [batch] of the leaf along its path
    lists: Words  # [batch, moves] the moves there
    counts: Words  # [batch] how many of them
    waiting: Words  # [1] how many leaves wait


def leaves(game: ArrayGame, batch: int) -> Leaves:
    return Leaves(
        states=np.zeros((batch, game.size + game.scratch), np.int64),
        paths=np.zeros((batch, cell.PATH), np.int64),
        turns=np.zeros((batch, cell.PATH), np.int64),
        depths=np.zeros(batch, np.int64),
        lists=np.zeros((batch, game.max_moves), np.int64),
        counts=np.zeros(batch, np.int64),
        waiting=np.zeros(1, np.int64),
    )


class TreeLimits(NamedTuple):
    """Numbers that bound a call."""

    exploration: float  # weight of the bonus, in payoffs
    cut: int  # plies after which playouts are judged, where they are
    cap: int  # plies after which a playout is endless
    at_least: int = 0  # simulations, whatever the flag says
    at_most: int = 0
