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

import numpy as np

from stratagem.kernel import Ground, Moves
from stratagem.rng import below
from stratagem.search.rivals.core import TURNS, Room, Terms, finish, greedy_row, mutate, scaled, spent

PARENT, CHILD, NEXT, COUNT = 0, 1, 2, 3  # of a node: its first child, its next sibling, how many children it has
VISITS, SUM, BELOW = 0, 1, 2  # of its statistics; BELOW: the best value at it or below
BY_BEST, BY_MEAN, BY_OWN = 0, 1, 2  # which child becomes the root


def plant(node: int, parent: int, room: Room) -> None:
    """A node for a row that was just judged, which counts in all its ancestors."""
    room.nodes[node, PARENT], room.nodes[node, CHILD], room.nodes[node, COUNT] = parent, -1, 0
    room.nodes[node, NEXT] = -1
    if parent >= 0:
        room.nodes[node, NEXT] = room.nodes[parent, CHILD]
        room.nodes[parent, CHILD] = node
        room.nodes[parent, COUNT] += 1
    room.stats[node, VISITS], room.stats[node, SUM], room.stats[node, BELOW] = 0.0, 0.0, -np.inf
    at = node
    while at >= 0:
        room.stats[at, VISITS] += 1.0
        room.stats[at, SUM] += room.values[node]
        room.stats[at, BELOW] = max(room.stats[at, BELOW], room.values[node])
        at = room.nodes[at, PARENT]


def descend(room: Room, terms: Terms) -> int:
    """The node to be mutated next."""
    node = 0
    while room.nodes[node, COUNT] >= terms.children:
        best, found = -np.inf, room.nodes[node, CHILD]
        log = math.log(room.stats[node, VISITS])
        child = found
        while child >= 0:
            visits = room.stats[child, VISITS]
            x = scaled(room.stats[child, SUM] / visits, room, terms) + terms.exploration * math.sqrt(log / visits)
            if x > best:
                best, found = x, child
            child = room.nodes[child, NEXT]
        node = found
    return node


def burn(room: Room, terms: Terms) -> None:
    """The best child becomes the root; all else is forgotten. Without children the root stays."""
    best, found = -np.inf, 0
    child = room.nodes[0, CHILD]
    while child >= 0:
        x = room.stats[child, BELOW]
        if terms.burning == BY_MEAN:
            x = room.stats[child, SUM] / room.stats[child, VISITS]
        elif terms.burning == BY_OWN:
            x = room.values[child]
        if x > best:
            best, found = x, child
        child = room.nodes[child, NEXT]
    room.values[0], room.lengths[0] = room.values[found], room.lengths[found]
    for k in range(room.lengths[found]):
        room.genes[0, k] = room.genes[found, k]
    plant(0, -1, room)


def mutation_tree(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    greedy_row(g, p, 0, room, terms)
    finish(g, p, 0, room, terms)
    plant(0, -1, room)
    used, phase, most = 1, 1, room.genes.shape[0] - 2
    while not spent(room.tally, terms.turns, stop):
        parent = descend(room, terms)
        mutate(g, p, parent, below(room.r, max(room.lengths[parent], 1)), used, room, terms)
        plant(used, parent, room)
        used += 1
        over = room.tally[TURNS] * terms.phases >= float(terms.turns) * phase
        if over or used == most:  # a full tree ends a phase early
            phase += over
            burn(room, terms)
            used = 1
