"""Monte-Carlo tree search over single actions of a turn, plain and constrained.

*Plain*: an edge is one action, and several edges of one player follow each other; the tree ends with the turn. Selection is
`mean + C sqrt(ln N / n)`, every child is tried once before any is deepened, in the order of `order` where the rules give it;
the rollout is the rest of the turn, each action with probability `rollout` the best by `order`, else random. The turn played
is the path of best means, filled up greedily where the tree is shallower. Settings of Hero Academy: C = 2 on values in [0, 1]
that map +-60,000, rollout 0.5; of ASMACAG: C = 8 on raw scores, rollout 0. Here values are a share of the spread seen, since
C means nothing without the range, unless `spread` fixes it. Transpositions are not joined.

*Non-exploring* (NE-MCTS): C = 0 and rollouts by `order` alone. *Bridge-burning* (BB-MCTS): the budget is cut into phases; at
the end of each the best child by mean of the current root becomes the root, and its siblings are gone. (N. Justesen, T.
Mahlmann, S. Risi, J. Togelius, *Playing Multi-Action Adversarial Games: Online Evolutionary Planning versus Tree Search*,
IEEE T-CIAIG 2017.)

Without `order` rollouts are random throughout, also those of NE-MCTS. Dice inside the turn: the tree is open-loop. Each walk goes
through one of the sampled worlds in turn, and children that are not allowed there are passed over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem.kernel import Ground, Moves, State, allowed, moves, order, play
from stratagem.rng import unit
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    DICE,
    HAS_ORDER,
    TURNS,
    Reals,
    Rows,
    TurnArrays,
    TurnTerms,
    any_move,
    begun,
    complete,
    enter,
    filler,
    finish,
    goes_on,
    judged,
    keep,
    narrowed,
    note,
    scaled,
    set_out,
    spent,
)
from stratagem.search.whole_turns.settings import MOST_PHASES, TurnSettings

FIRST, COUNT, MOVE = 0, 1, 2  # of a node
VISITS, SUM = 0, 1  # of its statistics
NODES = 1 << 19


class ActionTree(NamedTuple):
    """A tree over single actions, and how it is grown."""

    exploration: float
    spread: float
    rollout: float
    phases: int
    nodes: Rows  # [nodes, 3]
    stats: Reals  # [nodes, 2]
    path: Moves  # [columns of `genes` + 1]: nodes from the root to the last action


@dataclass(frozen=True, kw_only=True)
class ActionTreeSettings(TurnSettings):
    """The settings of MCTS over actions."""

    exploration: float = 0.3  # weight of the bonus for what was tried little, in units of the spread
    spread: float = 0.0  # what values are divided by; 0: the spread of those seen
    rollout: float = 0.5  # how often a rollout takes the best action by the rules' order

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_not_negative("exploration", "spread")
        self.check_shares("rollout")

    def records(self, atoms: Atoms) -> tuple[ActionTree]:
        nodes, stats = np.zeros((NODES, 3), np.int64), np.zeros((NODES, 2))
        path = np.zeros(atoms.longest + 1, np.int64)
        numbers = float(self.exploration), float(self.spread), float(self.rollout)
        return (ActionTree(*numbers, self.phases_of(atoms), nodes, stats, path),)


@dataclass(frozen=True, kw_only=True)
class NonExploringSettings(ActionTreeSettings):
    """The same, without exploration and with rollouts by the rules' order."""

    exploration: float = 0.0
    rollout: float = 1.0


@dataclass(frozen=True, kw_only=True)
class BridgeBurningSettings(ActionTreeSettings):
    """The same in phases."""

    phases: int = 0  # parts of the budget after which bridges are burnt; 0: as many as a turn has actions

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_whole("phases", 0, MOST_PHASES)

    def phases_of(self, atoms: Atoms) -> int:
        return self.phases or max(atoms.actions, 1)


def by_order(g: Ground, s: State, p: int, room: TurnArrays) -> int:
    """The best listed move by the rules' order."""
    n = moves(g, s, p, room.listed)
    narrowed(g, s, p, n, 1, room.listed)
    return room.listed[0]


def roll(g: Ground, s: State, p: int, room: TurnArrays, rollout: float) -> int:
    if HAS_ORDER and unit(room.r) < rollout:
        return by_order(g, s, p, room)
    return any_move(g, s, p, room)


def expand(g: Ground, s: State, p: int, node: int, used: int, room: TurnArrays, tree: ActionTree) -> int:
    """Give a node all its children, if there is room; returns how many nodes are used then."""
    n = moves(g, s, p, room.listed)
    if used + n > tree.nodes.shape[0]:
        return used
    if HAS_ORDER:
        for i in range(1, n):  # stable, the best first
            m = room.listed[i]
            rank, k = order(g, s, p, m), i
            while k > 0 and order(g, s, p, room.listed[k - 1]) < rank:
                room.listed[k] = room.listed[k - 1]
                k -= 1
            room.listed[k] = m
    tree.nodes[node, FIRST], tree.nodes[node, COUNT] = used, n
    for i in range(n):
        tree.nodes[used + i, COUNT] = 0
        tree.nodes[used + i, MOVE] = room.listed[i]
        tree.stats[used + i, VISITS] = 0.0
        tree.stats[used + i, SUM] = 0.0
    return used + n


def select(g: Ground, s: State, p: int, node: int, tally: Reals, tree: ActionTree) -> int:
    """A child that was never visited, or the one with the best bound; -1 where none is allowed."""
    best, found = -np.inf, -1
    log = math.log(tree.stats[node, VISITS] + 1.0)
    first = tree.nodes[node, FIRST]
    for c in range(first, first + tree.nodes[node, COUNT]):
        if DICE and not allowed(g, s, p, tree.nodes[c, MOVE]):
            continue
        visits = tree.stats[c, VISITS]
        if visits == 0.0:
            return c
        x = scaled(tree.stats[c, SUM] / visits, tree.spread, tally) + tree.exploration * math.sqrt(log / visits)
        if x > best:
            best, found = x, c
    return found


def best_child(node: int, tree: ActionTree) -> int:
    """The child with the best mean, or -1."""
    best, found = -np.inf, -1
    first = tree.nodes[node, FIRST]
    for c in range(first, first + tree.nodes[node, COUNT]):
        visits = tree.stats[c, VISITS]
        if visits > 0.0 and tree.stats[c, SUM] / visits > best:
            best, found = tree.stats[c, SUM] / visits, c
    return found


def walk(
    g: Ground, p: int, base: int, fixed: int, used: int, room: TurnArrays, terms: TurnTerms, tree: ActionTree
) -> int:
    """One simulation below a node, behind the actions that bridges were burnt for; returns how many nodes are used then."""
    s, genes, path = room.s, room.genes[0], tree.path
    j = 0
    if DICE:
        j = int(room.tally[TURNS]) % terms.samples
    enter(j, room.s, room.worlds, room.dice, terms.seed)
    which, k, depth, node = begun(g, s), 0, 0, base
    while k < fixed and goes_on(g, s, p, which, room.dice):
        m = room.genes[1, k]
        genes[k] = m if allowed(g, s, p, m) else filler(g, s, p, room, terms)
        play(g, s, p, genes[k])
        k += 1
    path[0] = base
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if tree.nodes[node, COUNT] == 0:
            if node != base and tree.stats[node, VISITS] == 0.0:
                break
            used = expand(g, s, p, node, used, room, tree)
        node = select(g, s, p, node, room.tally, tree)
        if node < 0:
            break
        genes[k] = tree.nodes[node, MOVE]
        play(g, s, p, genes[k])
        k += 1
        depth += 1
        path[depth] = node
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        genes[k] = roll(g, s, p, room, tree.rollout)
        play(g, s, p, genes[k])
        k += 1
    room.lengths[0] = k
    room.values[0] = judged(g, p, room, terms)
    note(0, room)
    for d in range(depth + 1):
        tree.stats[path[d], VISITS] += 1.0
        tree.stats[path[d], SUM] += room.values[0]
    return used


def atom_tree(
    g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, tree: ActionTree, stop: Moves
) -> None:
    """Grow the tree, and answer by the path of best means."""
    set_out(g, root, p, room, terms)
    base, fixed, used, phase = 0, 0, 1, 1
    tree.nodes[0, COUNT] = 0
    tree.stats[0, VISITS], tree.stats[0, SUM] = 0.0, 0.0
    while not spent(room.tally, terms.turns, stop):
        used = walk(g, p, base, fixed, used, room, terms, tree)
        if room.tally[TURNS] * tree.phases >= float(terms.turns) * phase:
            phase += 1
            best = best_child(base, tree)
            if best >= 0 and phase <= tree.phases:
                room.genes[1, fixed] = tree.nodes[best, MOVE]
                base, fixed = best, fixed + 1
    answer(g, p, base, fixed, room, terms, tree)


def answer(g: Ground, p: int, base: int, fixed: int, room: TurnArrays, terms: TurnTerms, tree: ActionTree) -> None:
    """The path of best means, filled up greedily, becomes the turn to play."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    s, genes, which, k, node = room.s, room.genes[1], begun(g, room.s), 0, base
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if k >= fixed:
            node = best_child(node, tree)
            if node < 0:
                break
            genes[k] = tree.nodes[node, MOVE]
        if not allowed(g, s, p, genes[k]):
            break
        play(g, s, p, genes[k])
        k += 1
    complete(g, p, 1, k, room, terms)
    finish(g, p, 1, room, terms)
    keep(1, room)
