"""Evolutionary tree search: nodes are whole turns, edges are mutations.

*Evolutionary MCTS* (H. Baier, P. I. Cowling, *Evolutionary MCTS for Multi-Action Adversarial Games*, CIG 2018). The root is
the greedy turn. Down from it the child with the best `mean + C sqrt(ln N / n)` is taken while a node has `children` children;
a node with fewer gets one more, another action at a random place with the tail repaired. It is judged once, without a
rollout, and counts in all its ancestors. The budget is cut into phases; after each the best child becomes the root, so that
the turn drifts by one mutation a phase. The answer is the best turn ever judged. Phases, C, the number of children and greedy
repair are read in public re-implementations, not in the paper, whose body we could not read. Burning bridges by the mean of a
child mixes it with its own mutations; by default it is the best value below (`burning`), which is our choice.

*Flexible horizon* (H. Baier, P. I. Cowling, *Evolutionary MCTS with Flexible Search Horizon*, AIIDE 2018): the same, judged
after `horizon` further turns of whoever is on move. Those are not searched but built greedily after every change before them,
each by the eyes of its own player, who looks at the ten best actions by `order` (at all where the rules give none). Own later
turns are built greedily too, which is our reading.

With dice inside the turn rows are open-loop plans, judged by their mean over the sampled worlds, replies included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem.kernel import Ground, Moves, State
from stratagem.rng import below
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    TURNS,
    Reals,
    Rows,
    TurnArrays,
    TurnTerms,
    finish,
    greedy_row,
    mutate,
    scaled,
    set_out,
    spent,
)
from stratagem.search.whole_turns.settings import MOST_PHASES, MOST_ROWS, MendingSettings

PARENT, CHILD, NEXT, COUNT = 0, 1, 2, 3  # of a node: its first child, its next sibling, how many children it has
VISITS, SUM, BELOW = 0, 1, 2  # of its statistics; BELOW: the best value at it or below
BY_BEST, BY_MEAN, BY_OWN = 0, 1, 2  # which child becomes the root
BURNINGS = {"best": BY_BEST, "mean": BY_MEAN, "own": BY_OWN}
NODES = 1 << 13  # whole turns that the tree holds; when it is full, a phase ends


class MutationTree(NamedTuple):
    """A tree of whole turns, one a row of genes, and how it is grown."""

    exploration: float
    spread: float
    phases: int
    children: int
    burning: int
    nodes: Rows  # [rows, 4]
    stats: Reals  # [rows, 3]


@dataclass(frozen=True, kw_only=True)
class MutationTreeSettings(MendingSettings):
    """The settings of evolutionary MCTS."""

    exploration: float = 0.15  # weight of the bonus for what was tried little, in units of the spread
    spread: float = 0.0  # what values are divided by; 0: the spread of those seen
    phases: int = 30  # parts of the budget after which bridges are burnt; 0: as many as a turn has actions
    children: int = 100  # of a node
    burning: str = "best"  # which child becomes the root: by the best value below it, its mean, or its own
    mending: str = "greedy"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_not_negative("exploration", "spread")
        self.check_whole("phases", 0, MOST_PHASES)
        self.check_whole("children", 1, MOST_ROWS)
        self.check_one_of("burning", BURNINGS)

    @property
    def rows(self) -> int:
        return NODES

    def phases_of(self, atoms: Atoms) -> int:
        return self.phases or max(atoms.actions, 1)

    def records(self, atoms: Atoms) -> tuple[MutationTree]:
        nodes, stats = np.zeros((NODES, 4), np.int64), np.zeros((NODES, 3))
        numbers = float(self.exploration), float(self.spread)
        return (MutationTree(*numbers, self.phases_of(atoms), self.children, BURNINGS[self.burning], nodes, stats),)


@dataclass(frozen=True, kw_only=True)
class FlexibleHorizonSettings(MutationTreeSettings):
    """The same, judged after greedy replies."""

    horizon: int = 1  # turns of all players after one's own until the judgement
    narrow: int = 10  # actions that a greedy reply looks at, the best by the rules' order; 0: all

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_whole("horizon", 0, 100)
        self.check_whole("narrow", 0, MOST_ROWS)

    def terms(self, turns: int, seed: int, samples: int = 1) -> TurnTerms:
        return super().terms(turns, seed, samples)._replace(horizon=self.horizon, narrow=self.narrow)


def plant(node: int, parent: int, values: Reals, tree: MutationTree) -> None:
    """A node for a row that was just judged, which counts in all its ancestors."""
    tree.nodes[node, PARENT], tree.nodes[node, CHILD], tree.nodes[node, COUNT] = parent, -1, 0
    tree.nodes[node, NEXT] = -1
    if parent >= 0:
        tree.nodes[node, NEXT] = tree.nodes[parent, CHILD]
        tree.nodes[parent, CHILD] = node
        tree.nodes[parent, COUNT] += 1
    tree.stats[node, VISITS], tree.stats[node, SUM], tree.stats[node, BELOW] = 0.0, 0.0, -np.inf
    at = node
    while at >= 0:
        tree.stats[at, VISITS] += 1.0
        tree.stats[at, SUM] += values[node]
        tree.stats[at, BELOW] = max(tree.stats[at, BELOW], values[node])
        at = tree.nodes[at, PARENT]


def descend(tally: Reals, tree: MutationTree) -> int:
    """The node to be mutated next."""
    node = 0
    while tree.nodes[node, COUNT] >= tree.children:
        best, found = -np.inf, tree.nodes[node, CHILD]
        log = math.log(tree.stats[node, VISITS])
        child = found
        while child >= 0:
            visits = tree.stats[child, VISITS]
            x = scaled(tree.stats[child, SUM] / visits, tree.spread, tally) + tree.exploration * math.sqrt(log / visits)
            if x > best:
                best, found = x, child
            child = tree.nodes[child, NEXT]
        node = found
    return node


def burn(room: TurnArrays, tree: MutationTree) -> None:
    """The best child becomes the root; all else is forgotten. Without children the root stays."""
    best, found = -np.inf, 0
    child = tree.nodes[0, CHILD]
    while child >= 0:
        x = tree.stats[child, BELOW]
        if tree.burning == BY_MEAN:
            x = tree.stats[child, SUM] / tree.stats[child, VISITS]
        elif tree.burning == BY_OWN:
            x = room.values[child]
        if x > best:
            best, found = x, child
        child = tree.nodes[child, NEXT]
    room.values[0], room.lengths[0] = room.values[found], room.lengths[found]
    for k in range(room.lengths[found]):
        room.genes[0, k] = room.genes[found, k]
    plant(0, -1, room.values, tree)


def mutation_tree(
    g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, tree: MutationTree, stop: Moves
) -> None:
    """Grow the tree, phase after phase."""
    set_out(g, root, p, room, terms)
    greedy_row(g, p, 0, room, terms)
    finish(g, p, 0, room, terms)
    plant(0, -1, room.values, tree)
    used, phase, most = 1, 1, tree.nodes.shape[0]
    while not spent(room.tally, terms.turns, stop):
        parent = descend(room.tally, tree)
        mutate(g, p, parent, below(room.r, max(room.lengths[parent], 1)), used, room, terms)
        plant(used, parent, room.values, tree)
        used += 1
        over = room.tally[TURNS] * tree.phases >= float(terms.turns) * phase
        if over or used == most:  # a full tree ends a phase early
            phase += over
            burn(room, tree)
            used = 1
