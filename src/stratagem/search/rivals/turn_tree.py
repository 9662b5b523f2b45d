"""Turn-based evolutionary tree search: nodes are positions at the start of a turn, edges whole turns, for all sides.

(Neller, Huang, Cho, *Turn-Based Evolutionary Tree Search*, Advances in Computer Games 2025, by its public code for
TUBSTAP.) The root begins with 20 random turns, other nodes with 5. While a node has fewer than 2 n^0.4 children, n being its
visits, it gets one more with probability 0.95: a mutation of a sibling (0.3) or a crossover of two (0.7), each parent the
better of two drawn at random. Else the child with the best `value + C sqrt(ln N / n)` is gone into, by the eyes of whoever
moves there: the public code takes the searcher's value at the opponent's nodes as well, which is not repeated. Values are
backed up by maximising for the mover of each node. The answer is the child of the root with the best value. The code's
preference for attacks in random turns is left out.

Values are vectors, one entry a player, in [-1, 1]; C is in units of the spread of own values seen. With dice inside turns a
walk draws its own chance, turns are mended as they meet it, and values are means, since the best of lucky samples would be no
estimate.
"""

from __future__ import annotations

import math

import numpy as np

from stratagem.kernel import PLAYERS, Ground, Moves, allowed, play
from stratagem.rng import below, seed_stream, unit
from stratagem.search.rivals.core import (
    DICE,
    LONGEST,
    TURNS,
    Room,
    Terms,
    another,
    any_move,
    begun,
    carry,
    enter,
    goes_on,
    keep,
    note,
    scaled,
    settle,
    spent,
    worth,
)

PARENT, CHILD, NEXT, COUNT, MOVER = 0, 1, 2, 3, 4  # of a node; MOVER decides there, -1 at the end of the game
VISITS = 0  # of its statistics; behind it a value for each player
WALKS = 1 << 41  # streams of chance of walks
FIRST_TURNS, LATER_TURNS = 20, 5
WIDTH, POWER, WIDEN, MUTATE = 2.0, 0.4, 0.95, 0.3


def sprout(g: Ground, node: int, parent: int, room: Room) -> None:
    """A node for the position at hand, which a row has led to; its first values are those of the position."""
    nodes, stats = room.nodes, room.stats
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


def sibling(node: int, mover: int, room: Room) -> int:
    """The better of two random children of a node, by the mover's eyes."""
    found = -1
    for _ in range(2):
        child = room.nodes[node, CHILD]
        for _ in range(below(room.r, room.nodes[node, COUNT])):
            child = room.nodes[child, NEXT]
        if found < 0 or room.stats[child, 1 + mover] > room.stats[found, 1 + mover]:
            found = child
    return found


def new_turn(g: Ground, node: int, row: int, room: Room) -> None:
    """A new turn at a node, played on the position at hand: random at first, then a mutation or a crossover of siblings."""
    s, genes, p = room.s, room.genes, room.nodes[node, MOVER]
    first = LATER_TURNS if room.nodes[node, PARENT] >= 0 else FIRST_TURNS
    a = b = -1
    at = -1
    if room.nodes[node, COUNT] >= first:
        a = b = sibling(node, p, room)
        if unit(room.r) < MUTATE:
            at = below(room.r, max(room.lengths[a], 1))
        else:
            b = sibling(node, p, room)
    which, k = begun(g, s), 0
    while k < LONGEST and goes_on(g, s, p, which, room.dice):
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


def widens(node: int, room: Room) -> bool:
    """Whether a node gets a further child now."""
    n = room.nodes[node, COUNT]
    if n < (LATER_TURNS if room.nodes[node, PARENT] >= 0 else FIRST_TURNS):
        return True
    return n < WIDTH * math.pow(room.stats[node, VISITS] + 1.0, POWER) and unit(room.r) < WIDEN


def best_turn(node: int, explore: float, room: Room, terms: Terms) -> int:
    """The child that is best for whoever moves at a node, with a bonus for those visited little."""
    best, found, mover = -np.inf, -1, room.nodes[node, MOVER]
    log, child = math.log(room.stats[node, VISITS] + 1.0), room.nodes[node, CHILD]
    while child >= 0:
        x = scaled(room.stats[child, 1 + mover], room, terms)
        x += explore * math.sqrt(log / (room.stats[child, VISITS] + 1.0))
        if x > best:
            best, found = x, child
        child = room.nodes[child, NEXT]
    return found


def back_up(g: Ground, node: int, leaf: int, room: Room, terms: Terms) -> None:
    """Values on the way up: those of the best child for the mover of each node; with dice the mean of what was seen."""
    while node >= 0:
        room.stats[node, VISITS] += 1.0
        if DICE:
            n = room.stats[node, VISITS]
            for q in range(PLAYERS):
                room.stats[node, 1 + q] += (room.stats[leaf, 1 + q] - room.stats[node, 1 + q]) / n
        else:
            best = best_turn(node, 0.0, room, terms)
            for q in range(PLAYERS):
                room.stats[node, 1 + q] = room.stats[best, 1 + q]
        node = room.nodes[node, PARENT]


def turn_tree(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    spare = room.genes.shape[0] - 1
    most = spare - 1
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    sprout(g, 0, -1, room)
    used = 1
    while used < most and not spent(room.tally, terms.turns, stop):
        enter(int(room.tally[TURNS]) % terms.samples, room.s, room.worlds, room.dice, terms.seed)
        if DICE:  # chance of its own for a walk
            seed_stream(room.dice, terms.seed, WALKS + int(room.tally[TURNS]))
        node = 0
        while room.nodes[node, MOVER] >= 0 and not widens(node, room):
            node = best_turn(node, terms.exploration, room, terms)
            for k in range(room.lengths[node]):
                room.genes[spare, k] = room.genes[node, k]
            carry(g, room.nodes[room.nodes[node, PARENT], MOVER], room.genes[spare], room.lengths[node], room, terms)
            if DICE and settle(g, room.s, room.dice) != room.nodes[node, MOVER]:  # the dice have led elsewhere
                break
        if room.nodes[node, MOVER] < 0 or settle(g, room.s, room.dice) != room.nodes[node, MOVER]:
            room.tally[TURNS] += 1
            back_up(g, room.nodes[node, PARENT], node, room, terms)
            room.stats[node, VISITS] += 1.0
            continue
        new_turn(g, node, used, room)
        sprout(g, used, node, room)
        room.values[used] = room.stats[used, 1 + p]
        note(used, room)
        back_up(g, node, used, room, terms)
        used += 1
    best = best_turn(0, 0.0, room, terms)
    if best >= 0:
        room.values[best] = room.stats[best, 1 + p]
        keep(best, room)
