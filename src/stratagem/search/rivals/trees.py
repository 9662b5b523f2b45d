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

import numpy as np

from stratagem.kernel import Ground, Moves, State, allowed, moves, order, play
from stratagem.rng import unit
from stratagem.search.rivals.core import (
    DICE,
    HAS_ORDER,
    LONGEST,
    TURNS,
    Room,
    Terms,
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
    spent,
)

FIRST, COUNT, MOVE = 0, 1, 2  # of a node
VISITS, SUM = 0, 1  # of its statistics


def by_order(g: Ground, s: State, p: int, room: Room) -> int:
    """The best listed move by the rules' order."""
    n = moves(g, s, p, room.listed)
    narrowed(g, s, p, n, 1, room.listed)
    return room.listed[0]


def roll(g: Ground, s: State, p: int, room: Room, terms: Terms) -> int:
    if HAS_ORDER and unit(room.r) < terms.rollout:
        return by_order(g, s, p, room)
    return any_move(g, s, p, room)


def expand(g: Ground, s: State, p: int, node: int, used: int, room: Room) -> int:
    """Give a node all its children, if there is room; returns how many nodes are used then."""
    n = moves(g, s, p, room.listed)
    if used + n > room.nodes.shape[0]:
        return used
    if HAS_ORDER:
        for i in range(1, n):  # stable, the best first
            m = room.listed[i]
            rank, k = order(g, s, p, m), i
            while k > 0 and order(g, s, p, room.listed[k - 1]) < rank:
                room.listed[k] = room.listed[k - 1]
                k -= 1
            room.listed[k] = m
    room.nodes[node, FIRST], room.nodes[node, COUNT] = used, n
    for i in range(n):
        room.nodes[used + i, COUNT] = 0
        room.nodes[used + i, MOVE] = room.listed[i]
        room.stats[used + i, VISITS] = 0.0
        room.stats[used + i, SUM] = 0.0
    return used + n


def select(g: Ground, s: State, p: int, node: int, room: Room, terms: Terms) -> int:
    """A child that was never visited, or the one with the best bound; -1 where none is allowed."""
    best, found = -np.inf, -1
    log = math.log(room.stats[node, VISITS] + 1.0)
    first = room.nodes[node, FIRST]
    for c in range(first, first + room.nodes[node, COUNT]):
        if DICE and not allowed(g, s, p, room.nodes[c, MOVE]):
            continue
        visits = room.stats[c, VISITS]
        if visits == 0.0:
            return c
        x = scaled(room.stats[c, SUM] / visits, room, terms) + terms.exploration * math.sqrt(log / visits)
        if x > best:
            best, found = x, c
    return found


def best_child(node: int, room: Room) -> int:
    """The child with the best mean, or -1."""
    best, found = -np.inf, -1
    first = room.nodes[node, FIRST]
    for c in range(first, first + room.nodes[node, COUNT]):
        visits = room.stats[c, VISITS]
        if visits > 0.0 and room.stats[c, SUM] / visits > best:
            best, found = room.stats[c, SUM] / visits, c
    return found


def walk(g: Ground, p: int, base: int, fixed: int, used: int, room: Room, terms: Terms) -> int:
    """One simulation below a node, behind the actions that bridges were burnt for; returns how many nodes are used then."""
    s, genes, path = room.s, room.genes[0], room.path
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
    while k < LONGEST and goes_on(g, s, p, which, room.dice):
        if room.nodes[node, COUNT] == 0:
            if node != base and room.stats[node, VISITS] == 0.0:
                break
            used = expand(g, s, p, node, used, room)
        node = select(g, s, p, node, room, terms)
        if node < 0:
            break
        genes[k] = room.nodes[node, MOVE]
        play(g, s, p, genes[k])
        k += 1
        depth += 1
        path[depth] = node
    while k < LONGEST and goes_on(g, s, p, which, room.dice):
        genes[k] = roll(g, s, p, room, terms)
        play(g, s, p, genes[k])
        k += 1
    room.lengths[0] = k
    room.values[0] = judged(g, p, room, terms)
    note(0, room)
    for d in range(depth + 1):
        room.stats[path[d], VISITS] += 1.0
        room.stats[path[d], SUM] += room.values[0]
    return used


def atom_tree(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    base, fixed, used, phase = 0, 0, 1, 1
    room.nodes[0, COUNT] = 0
    room.stats[0, VISITS], room.stats[0, SUM] = 0.0, 0.0
    while not spent(room.tally, terms.turns, stop):
        used = walk(g, p, base, fixed, used, room, terms)
        if room.tally[TURNS] * terms.phases >= float(terms.turns) * phase:
            phase += 1
            best = best_child(base, room)
            if best >= 0 and phase <= terms.phases:
                room.genes[1, fixed] = room.nodes[best, MOVE]
                base, fixed = best, fixed + 1
    answer(g, p, base, fixed, room, terms)


def answer(g: Ground, p: int, base: int, fixed: int, room: Room, terms: Terms) -> None:
    """The path of best means, filled up greedily, becomes the turn to play."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    s, genes, which, k, node = room.s, room.genes[1], begun(g, room.s), 0, base
    while k < LONGEST and goes_on(g, s, p, which, room.dice):
        if k >= fixed:
            node = best_child(node, room)
            if node < 0:
                break
            genes[k] = room.nodes[node, MOVE]
        if not allowed(g, s, p, genes[k]):
            break
        play(g, s, p, genes[k])
        k += 1
    complete(g, p, 1, k, room, terms)
    finish(g, p, 1, room, terms)
    keep(1, room)
