"""Turn-based evolutionary tree search: nodes are positions at the start of a turn, edges whole turns, for all sides.

(Neller, Huang, Cho, *Turn-Based Evolutionary Tree Search*, Advances in Computer Games 2025, by its public code for
TUBSTAP.) The root begins with 20 random turns, other nodes with 5. While a node has fewer than 2 n^0.4 children, n being its
visits, it gets one more with probability 0.95: a mutation of a sibling (0.3) or a crossover of two (0.7), each parent the
better of two drawn at random. Else the child with the best `value + C sqrt(ln N / n)` is gone into, by the eyes of whoever
moves there: the public code takes the searcher's value at the opponent's nodes as well, which is not repeated. Values are
backed up by maximising for the mover of each node. The answer is the child of the root with the best value. The code's
preference for attacks in random turns is left out.

Values are vectors, one entry a player, in [-1, 1]; C is in units of the spread of own values seen. With dice inside turns a
walk draws its own chance, turns are repaired as they meet it, and values are means, since the best of lucky samples would be no
estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem.kernel import PLAYERS, Ground, Moves, State, allowed, play
from stratagem.rng import Rng, below, seed_stream, unit
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    DICE,
    TURNS,
    Reals,
    Rows,
    TurnArrays,
    TurnTerms,
    another,
    any_move,
    begun,
    carry,
    enter,
    goes_on,
    keep,
    note,
    random_turn,
    scaled,
    set_out,
    settle,
    spent,
    worth,
)
from stratagem.search.whole_turns.settings import MendingSettings

PARENT, CHILD, NEXT, COUNT, MOVER = 0, 1, 2, 3, 4  # of a node; MOVER decides there, -1 at the end of the game
VISITS = 0  # of its statistics; behind it a value for each player
WALKS = 1 << 41  # streams of chance of walks
FIRST_TURNS, LATER_TURNS = 20, 5
WIDTH, POWER, WIDEN, MUTATE = 2.0, 0.4, 0.95, 0.3
NODES = 1 << 16  # turns that the tree holds; when it is full, the search ends


class TurnTree(NamedTuple):
    """A tree over positions at the start of a turn, each with the row of genes that led to it."""

    exploration: float
    spread: float
    nodes: Rows  # [rows, 5]
    stats: Reals  # [rows, 1 + players]


@dataclass(frozen=True, kw_only=True)
class TurnTreeSettings(MendingSettings):
    """The settings of turn-based evolutionary tree search."""

    exploration: float = 1.414  # weight of the bonus for what was tried little, in units of the spread
    spread: float = 0.0  # what values are divided by; 0: the spread of those seen

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_not_negative("exploration", "spread")

    @property
    def rows(self) -> int:
        return NODES

    def records(self, atoms: Atoms) -> tuple[TurnTree]:
        nodes, stats = np.zeros((NODES, 5), np.int64), np.zeros((NODES, 1 + atoms.players))
        return (TurnTree(float(self.exploration), float(self.spread), nodes, stats),)


def sprout(g: Ground, node: int, parent: int, room: TurnArrays, tree: TurnTree) -> None:
    """A node for the position at hand, which a row has led to; its first values are those of the position."""
    nodes, stats = tree.nodes, tree.stats
    nodes[node, PARENT], nodes[node, CHILD], nodes[node, COUNT] = parent, -1, 0
    nodes[node, MOVER] = settle(g, room.s, room.dice)
    nodes[node, NEXT] = -1
    if parent >= 0:
        nodes[node, NEXT] = nodes[parent, CHILD]
        nodes[parent, CHILD] = node
        nodes[parent, COUNT] += 1
    stats[node, VISITS] = 0.0
    for q in range(PLAYERS):
        stats[node, 1 + q] = worth(g, room.s, q, room.out)


def sibling(node: int, mover: int, r: Rng, tree: TurnTree) -> int:
    """The better of two random children of a node, by the mover's eyes."""
    found = -1
    for _ in range(2):
        child = tree.nodes[node, CHILD]
        for _ in range(below(r, tree.nodes[node, COUNT])):
            child = tree.nodes[child, NEXT]
        if found < 0 or tree.stats[child, 1 + mover] > tree.stats[found, 1 + mover]:
            found = child
    return found


def new_turn(g: Ground, node: int, row: int, room: TurnArrays, tree: TurnTree) -> None:
    """A new turn at a node, played on the position at hand: random at first, then a mutation or a crossover of siblings."""
    s, genes, p = room.s, room.genes, tree.nodes[node, MOVER]
    first = LATER_TURNS if tree.nodes[node, PARENT] >= 0 else FIRST_TURNS
    a = b = -1
    at = -1
    if tree.nodes[node, COUNT] >= first:
        a = b = sibling(node, p, room.r, tree)
        if unit(room.r) < MUTATE:
            at = below(room.r, max(room.lengths[a], 1))
        else:
            b = sibling(node, p, room.r, tree)
    which, k = begun(g, s), 0
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if below(room.r, 2) == 1:
            a, b = b, a
        if a >= 0 and k == at:
            m = another(g, s, p, genes[a, k], room)
        elif a >= 0 and k < room.lengths[a] and allowed(g, s, p, genes[a, k]):
            m = genes[a, k]
        elif b >= 0 and k < room.lengths[b] and allowed(g, s, p, genes[b, k]):
            m = genes[b, k]
        else:
            m = any_move(g, s, p, room)
        genes[row, k] = m
        play(g, s, p, m)
        k += 1
    room.lengths[row] = k


def widens(node: int, r: Rng, tree: TurnTree) -> bool:
    """Whether a node gets a further child now."""
    n = tree.nodes[node, COUNT]
    if n < (LATER_TURNS if tree.nodes[node, PARENT] >= 0 else FIRST_TURNS):
        return True
    return n < WIDTH * math.pow(tree.stats[node, VISITS] + 1.0, POWER) and unit(r) < WIDEN


def best_turn(node: int, explore: float, tally: Reals, tree: TurnTree) -> int:
    """The child that is best for whoever moves at a node, with a bonus for those visited little."""
    best, found, mover = -np.inf, -1, tree.nodes[node, MOVER]
    log, child = math.log(tree.stats[node, VISITS] + 1.0), tree.nodes[node, CHILD]
    while child >= 0:
        x = scaled(tree.stats[child, 1 + mover], tree.spread, tally)
        x += explore * math.sqrt(log / (tree.stats[child, VISITS] + 1.0))
        if x > best:
            best, found = x, child
        child = tree.nodes[child, NEXT]
    return found


def back_up(node: int, leaf: int, tally: Reals, tree: TurnTree) -> None:
    """Values on the way up: those of the best child for the mover of each node; with dice the mean of what was seen."""
    while node >= 0:
        tree.stats[node, VISITS] += 1.0
        if DICE:
            n = tree.stats[node, VISITS]
            for q in range(PLAYERS):
                tree.stats[node, 1 + q] += (tree.stats[leaf, 1 + q] - tree.stats[node, 1 + q]) / n
        else:
            best = best_turn(node, 0.0, tally, tree)
            for q in range(PLAYERS):
                tree.stats[node, 1 + q] = tree.stats[best, 1 + q]
        node = tree.nodes[node, PARENT]


def turn_tree(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, tree: TurnTree, stop: Moves) -> None:
    """Grow the tree until it is full, and answer by the best child of the root."""
    set_out(g, root, p, room, terms)
    spare, most = room.genes.shape[0] - 1, tree.nodes.shape[0]
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    sprout(g, 0, -1, room, tree)
    used = 1
    while used < most and not spent(room.tally, terms.turns, stop):
        enter(int(room.tally[TURNS]) % terms.samples, room.s, room.worlds, room.dice, terms.seed)
        if DICE:  # chance of its own for a walk
            seed_stream(room.dice, terms.seed, WALKS + int(room.tally[TURNS]))
        node = 0
        while tree.nodes[node, MOVER] >= 0 and not widens(node, room.r, tree):
            node = best_turn(node, tree.exploration, room.tally, tree)
            for k in range(room.lengths[node]):
                room.genes[spare, k] = room.genes[node, k]
            carry(g, tree.nodes[tree.nodes[node, PARENT], MOVER], room.genes[spare], room.lengths[node], room, terms)
            if DICE and settle(g, room.s, room.dice) != tree.nodes[node, MOVER]:  # the dice have led elsewhere
                break
        if tree.nodes[node, MOVER] < 0 or settle(g, room.s, room.dice) != tree.nodes[node, MOVER]:
            room.tally[TURNS] += 1
            back_up(tree.nodes[node, PARENT], node, room.tally, tree)
            tree.stats[node, VISITS] += 1.0
            continue
        new_turn(g, node, used, room, tree)
        sprout(g, used, node, room, tree)
        room.values[used] = tree.stats[used, 1 + p]
        note(used, room)
        back_up(node, used, room.tally, tree)
        used += 1
    best = best_turn(0, 0.0, room.tally, tree)
    if best >= 0:
        room.values[best] = tree.stats[best, 1 + p]
        keep(best, room)
    else:  # stopped before anything was judged
        random_turn(g, p, 0, room, terms)
