"""The attack graph of a board: who can come to stand where and strike whom, if which enemies went first.

Suppose that every enemy can be removed. For each own unit and hex there is then an antichain of *ways*: smallest sets of
enemies whose removal opens a path. From the ways follow the *strikes*: the hexes from which a unit can attack an enemy. An
enemy whose attackers can neither unsummon it nor add up to its defense is *solid*: it stays and blocks, ways are walked
again without it, until nothing changes. Friends never block a path, and a hex that a friend holds can be had if that
friend can leave; one that can neither move nor blink is a *fixture*.

A *card* that may be cast in an attack is numbered behind the own units: it has a pair with every enemy that it could harm or
send back, stands nowhere and takes no time. Unholy Might is not a card of this kind: it gives a necromancer more attacks.

Sets of enemies are sets of hexes in two words, as everywhere in the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stratagem.games.minions import layout, magic
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.kernel import Ground, State

MOST = 100  # units of a side, and hexes: every unit stands on its own
MOST_WAYS = 64  # of one unit to one hex
POOL = 1 << 15  # ways of all units to all hexes

OWN, FOES, WAYS, PAIRS, FULL, ALONE, CARDS, CREDIT, MIGHTS, STUMBLES = range(10)  # of Graph.tally
UNSUMMONING = -1  # a harm: the strike sends its target back
PUSHING = -2  # a harm: the card puts its target on another hex
SPLITS = 4  # of Graph.loose


class Graph(NamedTuple):
    """What can be done on a board. Units are numbered by side in the order of their hexes; x is an own unit, y an enemy."""

    # own units, enemies, ways, pairs, whether room ran out, whether units that do not fight are off the board, cards, the mana
    # that they may cost with what is lost by not discarding them, cards of Unholy Might, cards of Stumble
    tally: Stream
    own: Stream  # x: its hex
    foe: Stream  # y: its hex
    at: Stream  # hex: the number of the unit that stands there, -1 if it is empty
    need: Stream  # y: damage that kills it
    solid: Stream  # y: 1 if it cannot be removed
    sore: Stream  # y: 1 if it has taken damage this turn
    card: Stream  # x, behind the own units: the spell
    left: Stream  # x: attacks that it has left, with Unholy Might where there is a card of it
    extra: Stream  # x: how many of them it has by Unholy Might alone
    lord: Stream  # x: 1 if it is a necromancer
    pace: Stream  # x: how far away a hex may be that it walks through, 0 for flyers
    push: Stream  # y: lo, hi of the hexes beside it, empty from the start, that it could be put on
    loose: Stream  # x: bit 0 if it may move, bit 1 if it may blink, bit 2 if it may move in several parts
    fixture: Stream  # lo, hi: hexes of own units that cannot leave
    way: Stream  # x * MOST + hex: where its ways begin, how many there are
    way_lo: Stream  # the pool of ways: each a set of enemies to be gone first
    way_hi: Stream
    strike: Stream  # x * MOST + y: lo, hi of the hexes from which x can attack y
    near: Stream  # x * MOST + y: lo, hi of the hexes from which x has y in range
    harm: Stream  # x * MOST + y: damage of one attack, UNSUMMONING, or 0 where there is no pair
    hits: Stream  # x * MOST + y: how many attacks of x on y can be of use
    label_n: Stream  # room for one unit's walk: sets found for each hex
    label_lo: Stream
    label_hi: Stream
    edge: Stream  # room for the walk's frontier: hex, lo, hi


def new_graph() -> Graph:
    """A graph to be filled; it may be filled again for another board."""

    square, sets = MOST * MOST, MOST * MOST_WAYS
    size = {"tally": 10, "push": 2 * MOST, "fixture": 2, "way_lo": POOL, "way_hi": POOL, "edge": 3 * sets}
    size |= dict.fromkeys(("way", "strike", "near"), 2 * square) | dict.fromkeys(("harm", "hits"), square)
    size |= dict.fromkeys(("label_lo", "label_hi"), sets)
    return Graph(*(np.zeros(size.get(name, MOST), np.int64) for name in Graph._fields))


def attacks_left(g: Ground, cell: int) -> int:
    """How many attacks the unit in a cell may still make, wherever the enemies are."""
    if (
        cell & layout.IDLE != 0
        or layout.reaching(g, cell) == 0
        or (cell & layout.MOVED != 0 and layout.lumbers(g, cell))
    ):
        return 0
    return max(layout.attacks(g, cell) - layout.used(cell), 0)


def list_units(g: Ground, b: State, side: int, graph: Graph) -> None:
    """Number the units of both sides and note what each has left of its turn."""
    for h in range(MOST):
        graph.at[h] = -1
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        cell = b[layout.CELL + h]
        graph.own[n] = h
        graph.at[h] = n
        graph.left[n] = attacks_left(g, cell)
        graph.lord[n] = layout.unit(g, cell, layout.NECROMANCER)
        graph.pace[n] = 0 if layout.unit(g, cell, layout.FLYING) == 1 else max(layout.speed(g, cell) - 1, 0)
        graph.extra[n] = 0
        if MAGIC and graph.lord[n] == 1 and graph.tally[MIGHTS] > 0:
            graph.extra[n] = attacks_left(g, cell | layout.MIGHTY) - graph.left[n]
            graph.left[n] += graph.extra[n]
        graph.loose[n] = (layout.can_move(g, b, h) * 1) | layout.unit(g, cell, layout.BLINK) << 1
        if MAGIC and g[layout.SPLIT_MOVES] == 1 and graph.loose[n] & 1 != 0 and layout.speed(g, cell) > 1:
            graph.loose[n] |= SPLITS
        n += 1
    graph.tally[OWN] = n
    n = 0
    lo, hi = layout.foes(b, side)
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        graph.foe[n] = h
        graph.at[h] = n
        graph.need[n] = layout.defense(g, b[layout.CELL + h]) - layout.hurt(b[layout.CELL + h])
        graph.sore[n] = (layout.hurt(b[layout.CELL + h]) > 0) * 1
        graph.solid[n] = 0
        n += 1
    graph.tally[FOES] = n
    graph.tally[FULL] = 0


# ----------------------------------------------------------------------------------------------------------------------- ways


def add_label(graph: Graph, h: int, lo: int, hi: int) -> bool:
    """Add a set to those of a hex unless a smaller one is there; larger ones go. Whether it was added."""
    n = graph.label_n[h]
    base = h * MOST_WAYS
    kept = 0
    for i in range(n):
        a, b = graph.label_lo[base + i], graph.label_hi[base + i]
        if a & ~lo == 0 and b & ~hi == 0:
            return False  # a smaller one was there, so none larger than the new one was
        if not (lo & ~a == 0 and hi & ~b == 0):
            graph.label_lo[base + kept] = a
            graph.label_hi[base + kept] = b
            kept += 1
    if kept == MOST_WAYS:
        graph.tally[FULL] = 1
        return False
    graph.label_lo[base + kept] = lo
    graph.label_hi[base + kept] = hi
    graph.label_n[h] = kept + 1
    return True


def walk(g: Ground, tiles: int, b: State, x: int, stop: Stream, foe_lo: int, foe_hi: int, graph: Graph) -> None:
    """The ways of a unit on foot to every hex, as labels; `stop` holds the solid enemies."""
    start = graph.own[x]
    t = (b[layout.CELL + start] & layout.TYPE_MASK) - 1
    open_lo, open_hi = layout.open_to(g, tiles, b, t)
    open_lo &= ~stop[0]
    open_hi &= ~stop[1]
    graph.edge[0] = start
    graph.edge[1] = 0
    graph.edge[2] = 0
    begin, end = 0, 1
    add_label(graph, start, 0, 0)
    for _ in range(layout.speed(g, b[layout.CELL + start])):
        last = end
        for i in range(begin, last):
            h, lo, hi = graph.edge[3 * i], graph.edge[3 * i + 1], graph.edge[3 * i + 2]
            near_lo, near_hi = layout.within(g, h, 1)
            near_lo &= open_lo & ~layout.low_bit(h)
            near_hi &= open_hi & ~layout.high_bit(h)
            while near_lo != 0 or near_hi != 0:
                to, near_lo, near_hi = layout.take(near_lo, near_hi)
                new_lo, new_hi = lo | (layout.low_bit(to) & foe_lo), hi | (layout.high_bit(to) & foe_hi)
                if add_label(graph, to, new_lo, new_hi):
                    if 3 * end + 3 > graph.edge.size:
                        graph.tally[FULL] = 1
                        return
                    graph.edge[3 * end] = to
                    graph.edge[3 * end + 1] = new_lo
                    graph.edge[3 * end + 2] = new_hi
                    end += 1
        begin = last


def fly(g: Ground, tiles: int, b: State, x: int, stop: Stream, graph: Graph) -> None:
    """The ways of a flyer: only who stands on its destination has to go."""
    start = graph.own[x]
    side_lo, side_hi = layout.foes(b, layout.owner(b[layout.CELL + start]))
    lo, hi = layout.reach(g, tiles, b, start, stop[0], stop[1])
    add_label(graph, start, 0, 0)
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if h != start:
            add_label(graph, h, layout.low_bit(h) & side_lo, layout.high_bit(h) & side_hi)


def find_ways(g: Ground, k: int, b: State, side: int, graph: Graph) -> None:
    """The ways of all own units, and the fixtures, with solid enemies in place."""
    tiles = layout.tiles_of(k)
    stop = graph.fixture  # its two words serve as room for the solid enemies until the fixtures are known
    stop[0] = 0
    stop[1] = 0
    foe_lo, foe_hi = layout.foes(b, side)
    for y in range(graph.tally[FOES]):
        if graph.solid[y] == 1:
            stop[0] |= layout.low_bit(graph.foe[y])
            stop[1] |= layout.high_bit(graph.foe[y])
    pool = 0
    fixed_lo, fixed_hi = 0, 0
    for x in range(graph.tally[OWN]):
        for h in range(MOST):
            graph.label_n[h] = 0
        if graph.loose[x] & 1 == 0:
            add_label(graph, graph.own[x], 0, 0)
        elif layout.unit(g, b[layout.CELL + graph.own[x]], layout.FLYING) == 1:
            fly(g, tiles, b, x, stop, graph)
        else:
            walk(g, tiles, b, x, stop, foe_lo, foe_hi, graph)
        hexes = 0
        for h in range(MOST):
            n = graph.label_n[h]
            graph.way[2 * (x * MOST + h)] = pool
            graph.way[2 * (x * MOST + h) + 1] = n
            hexes += n > 0
            if pool + n > POOL:
                graph.tally[FULL] = 1
                return
            for i in range(n):
                graph.way_lo[pool + i] = graph.label_lo[h * MOST_WAYS + i]
                graph.way_hi[pool + i] = graph.label_hi[h * MOST_WAYS + i]
            pool += n
        if hexes == 1 and graph.loose[x] & 2 == 0 and graph.tally[ALONE] == 0:
            fixed_lo |= layout.low_bit(graph.own[x])
            fixed_hi |= layout.high_bit(graph.own[x])
    graph.tally[WAYS] = pool
    graph.fixture[0] = fixed_lo
    graph.fixture[1] = fixed_hi


def reaches(graph: Graph, x: int, h: int) -> bool:
    """Whether a unit may come to stand on a hex, or stand there now."""
    if graph.way[2 * (x * MOST + h) + 1] == 0:
        return False
    return h == graph.own[x] or not layout.holds(graph.fixture[0], graph.fixture[1], h)


def without(graph: Graph, x: int, h: int, y: int) -> bool:
    """Whether some way of a unit to a hex leaves enemy y standing."""
    start = graph.way[2 * (x * MOST + h)]
    for i in range(graph.way[2 * (x * MOST + h) + 1]):
        if not layout.holds(graph.way_lo[start + i], graph.way_hi[start + i], graph.foe[y]):
            return True
    return False


# -------------------------------------------------------------------------------------------------------------------- strikes


def harm_of(g: Ground, cell: int, target: int, need: int) -> int:
    """What one attack does to a target: damage, UNSUMMONING, or 0 if it may not be attacked."""
    kind = layout.unit(g, cell, layout.KIND)
    if kind == layout.DEATHTOUCH:
        return 0 if layout.unit(g, target, layout.NECROMANCER) == 1 else need
    if kind == layout.UNSUMMONS:
        return 1 if layout.unit(g, target, layout.PERSISTENT) == 1 else UNSUMMONING
    return layout.damage(g, cell)


def find_strikes(g: Ground, b: State, graph: Graph) -> None:
    """The pairs: from where each own unit can attack each enemy that is not solid."""
    graph.tally[PAIRS] = 0
    for x in range(graph.tally[OWN]):
        home = graph.own[x]
        cell = b[layout.CELL + home]
        rooted = layout.lumbers(g, cell)
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            graph.harm[pair] = 0
            graph.strike[2 * pair] = 0
            graph.strike[2 * pair + 1] = 0
            if graph.solid[y] == 1 or graph.left[x] == 0:
                continue
            harm = harm_of(g, cell, b[layout.CELL + graph.foe[y]], graph.need[y])
            if harm == 0:
                continue
            near_lo, near_hi = layout.within(g, graph.foe[y], layout.reaching(g, cell))
            graph.near[2 * pair] = near_lo
            graph.near[2 * pair + 1] = near_hi
            lo, hi = 0, 0
            while near_lo != 0 or near_hi != 0:
                h, near_lo, near_hi = layout.take(near_lo, near_hi)
                if (not rooted or h == home) and reaches(graph, x, h) and without(graph, x, h, y):
                    lo |= layout.low_bit(h)
                    hi |= layout.high_bit(h)
            if lo != 0 or hi != 0:
                graph.strike[2 * pair] = lo
                graph.strike[2 * pair + 1] = hi
                graph.harm[pair] = harm
                useful = 1 if harm == UNSUMMONING else -(-graph.need[y] // harm)
                graph.hits[pair] = min(graph.left[x], useful)
                graph.tally[PAIRS] += 1


def find_casts(g: Ground, k: int, b: State, graph: Graph) -> None:
    """The pairs of the cards: minions that they could harm, send back, or put on another hex."""
    for y in range(graph.tally[FOES]):
        lo, hi = layout.open_to(g, layout.tiles_of(k), b, (b[layout.CELL + graph.foe[y]] & layout.TYPE_MASK) - 1)
        near_lo, near_hi = layout.within(g, graph.foe[y], 1)
        graph.push[2 * y] = lo & near_lo & ~(b[layout.UNITS] | b[layout.UNITS + 2])
        graph.push[2 * y + 1] = hi & near_hi & ~(b[layout.UNITS + 1] | b[layout.UNITS + 3])
    for x in range(graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]):
        spell = graph.card[x]
        for y in range(graph.tally[FOES]):
            pair = x * MOST + y
            target = b[layout.CELL + graph.foe[y]]
            graph.harm[pair] = 0
            graph.hits[pair] = 1
            graph.strike[2 * pair] = 0
            graph.strike[2 * pair + 1] = 0
            if graph.solid[y] == 0 and layout.unit(g, target, layout.NECROMANCER) == 0:
                if spell == magic.STUMBLE:
                    graph.harm[pair] = PUSHING if graph.push[2 * y] != 0 or graph.push[2 * y + 1] != 0 else 0
                elif spell != magic.UNSUMMON:
                    graph.harm[pair] = magic.HARM[spell]
                elif layout.unit(g, target, layout.PERSISTENT) == 0:
                    graph.harm[pair] = UNSUMMONING


def wounds_first(graph: Graph, x: int, y: int) -> bool:
    """Whether x can do the first damage to y: an attack that does damage, or a card that asks for none."""
    if graph.harm[x * MOST + y] <= 0:
        return False
    return x < graph.tally[OWN] or magic.WOUNDED[graph.card[x]] == 0


def strikers_needed(graph: Graph) -> bool:
    """Whether there is a card that asks for a unit that has attacked another enemy."""
    for x in range(graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]):
        if magic.BY_STRIKER[graph.card[x]] == 1:
            return True
    return False


def find_solid(graph: Graph) -> bool:
    """Mark the enemies that nothing can remove or move; whether one more was found."""
    found = False
    for y in range(graph.tally[FOES]):
        if graph.solid[y] == 1:
            continue
        total = 0
        sore = graph.sore[y] == 1
        if MAGIC:
            for x in range(graph.tally[OWN] + graph.tally[CARDS]):
                sore = sore or wounds_first(graph, x, y)
        for x in range(graph.tally[OWN] + graph.tally[CARDS]):
            harm = graph.harm[x * MOST + y]
            if MAGIC and x >= graph.tally[OWN] and not sore and magic.WOUNDED[graph.card[x]] == 1:
                continue
            total += graph.need[y] if harm < 0 else harm * graph.hits[x * MOST + y]
        if total < graph.need[y]:
            graph.solid[y] = 1
            found = True
    return found


def survey(g: Ground, k: int, b: State, side: int, alone: int, graph: Graph) -> int:
    """Fill the graph of board k for a side; returns the number of pairs, or -1 if something did not fit.

    The cards and what they may cost are in the graph already.
    With `alone` 1, units that do not fight are off the board and nobody blinks, which is how `perft` counts.
    """
    list_units(g, b, side, graph)
    graph.tally[ALONE] = alone
    again = True
    while again and graph.tally[FULL] == 0:
        find_ways(g, k, b, side, graph)
        find_strikes(g, b, graph)
        if MAGIC:
            find_casts(g, k, b, graph)
        again = find_solid(graph)
    return -1 if graph.tally[FULL] == 1 else graph.tally[PAIRS]
