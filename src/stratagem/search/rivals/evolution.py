"""Turns that evolve: online evolution, its successor, and hosts that evolve beside the replies to them.

*Online evolution* (OE; Justesen, Mahlmann, Togelius 2016) and *online evolutionary planning* (OEP; Justesen, Mahlmann, Risi,
Togelius 2017): a population by random play, judged at the end of the turn; the better part is kept, and the rest replaced by
uniform crossovers of two different ones, with repair, of which a tenth is mutated in one gene. The answer is the best row
ever judged, so it is never one that was bred and not judged yet. Kept rows are not judged again: streams of chance are fixed,
so it would tell nothing. Orders of the same actions have one value and would fill a population, so that hundreds of thousands
of turns find nothing new: `oep` keeps one turn of each value (`unique`), which is our addition; `oe` is as published. The
improved OEP of the evolutionary tree-search paper is not described where we could read it; a greedy start (`greedy_start=1`)
and greedy repair (`mending=greedy`) are our reading of it.

*Co-evolution* (J. Liu, D. Perez-Liebana, S. M. Lucas, *Rolling Horizon Coevolutionary Planning for Two-Player Video Games*,
CEEC 2016, and a public code for Hero Academy): hosts are own turns, parasites replies. Each generation every host meets some
parasites; the fitness of each is the mean worth after host and reply, *by its own eyes*. Two of each kind are kept. A
parasite that another host's turn makes illegal is mended for that meeting. The rolling part, a genome that is shifted on, is
not taken over: a whole turn is played. With more than two players the next one in turn replies.

With dice inside the turn all of them evolve open-loop plans, judged by their mean over the sampled worlds.
"""

from __future__ import annotations

import numpy as np

from stratagem.kernel import Ground, Moves, allowed, play
from stratagem.rng import Rng, below, unit
from stratagem.search.rivals.core import (
    LONGEST,
    TURNS,
    Room,
    Terms,
    another,
    any_move,
    begun,
    breed,
    carry,
    enter,
    goes_on,
    keep,
    populate,
    random_row,
    rank,
    settle,
    spent,
    worth,
)


def evolve(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    begin(g, p, room, terms, stop)
    go_on(g, p, room, terms, stop)


def begin(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    """The first population."""
    populate(g, p, terms.population, room, terms, stop)
    for i in range(terms.population):
        room.ranks[i] = i


def survivors(terms: Terms) -> int:
    """How many of a population are kept."""
    return min(max(int(terms.kept * terms.population), 2), terms.population)


def go_on(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    """Generation after generation until so many turns were judged; a generation may be left in its midst and gone on with."""
    n, kept = terms.population, survivors(terms)
    while not spent(room.tally, terms.turns, stop):
        alive = max(rank(n, kept, terms.unique, room), 2)
        for i in range(alive, n):
            a, b = two_of(alive, room.r)
            at = -1
            if unit(room.r) < terms.mutation:
                at = below(room.r, max(room.lengths[room.ranks[a]], 1))
            breed(g, p, room.ranks[a], room.ranks[b], at, room.ranks[i], room, terms)
            if spent(room.tally, terms.turns, stop):
                return


def two_of(n: int, r: Rng) -> tuple[int, int]:
    """Two different numbers below n, which is at least 2."""
    a = below(r, n)
    b = below(r, n - 1)
    return a, b + 1 if b >= a else b


# ---------------------------------------------------------------------------------------------------------- co-evolution


def meet(g: Ground, p: int, host: int, parasite: int, room: Room, terms: Terms) -> int:
    """Play a host and then a parasite, mended for this meeting, from one of the worlds; returns who replied, or -1."""
    spare = room.genes[room.genes.shape[0] - 1]
    enter(below(room.r, terms.samples), room.s, room.worlds, room.dice, terms.seed)
    for k in range(room.lengths[host]):
        spare[k] = room.genes[host, k]
    carry(g, p, spare, room.lengths[host], room, terms)
    q = settle(g, room.s, room.dice)
    if q < 0:
        return -1
    for k in range(room.lengths[parasite]):
        spare[k] = room.genes[parasite, k]
    carry(g, q, spare, room.lengths[parasite], room, terms)
    settle(g, room.s, room.dice)
    return q


def pair_off(g: Ground, p: int, n: int, room: Room, terms: Terms, stop: Moves) -> None:
    """Let every host meet some parasites: rows from 0 are hosts, rows from n parasites."""
    met = room.stats  # of a parasite: meetings and the sum of its worths
    for i in range(n, 2 * n):
        met[i, 0], met[i, 1] = 0.0, 0.0
    for host in range(n):
        total = 0.0
        for _ in range(terms.meetings):
            parasite = n + below(room.r, n)
            q = meet(g, p, host, parasite, room, terms)
            total += worth(g, room.s, p, room.out)
            if q >= 0:
                met[parasite, 0] += 1.0
                met[parasite, 1] += worth(g, room.s, q, room.out)
            room.tally[TURNS] += 1
        room.values[host] = total / terms.meetings
        if stop[0] != 0:
            for left in range(host + 1, n):
                room.values[left] = -np.inf
            break
    for i in range(n, 2 * n):
        room.values[i] = met[i, 1] / met[i, 0] if met[i, 0] > 0.0 else -1.0


def mix_rows(g: Ground, p: int, a: int, b: int, row: int, room: Room, terms: Terms) -> None:
    """A child of two rows on the position at hand, by a coin at each place, mutated in one gene now and then; not judged."""
    genes, lengths, which, k = room.genes, room.lengths, begun(g, room.s), 0
    at = -1
    if unit(room.r) < terms.mutation:
        at = below(room.r, max(lengths[a], 1))
    while k < LONGEST and goes_on(g, room.s, p, which, room.dice):
        if below(room.r, 2) == 1:
            a, b = b, a
        if k == at:
            m = another(g, room.s, p, -1, room)
        elif k < lengths[a] and allowed(g, room.s, p, genes[a, k]):
            m = genes[a, k]
        elif k < lengths[b] and allowed(g, room.s, p, genes[b, k]):
            m = genes[b, k]
        else:
            m = any_move(g, room.s, p, room)
        genes[row, k] = m
        play(g, room.s, p, m)
        k += 1
    lengths[row] = k


def coevolve(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    n, kept = terms.population, 2
    populate(g, p, n, room, terms, stop)
    for i in range(n):
        room.ranks[i] = i
    rank(n, kept, 0, room)
    keep(room.ranks[0], room)
    for i in range(n, 2 * n):  # parasites answer hosts at random
        answer_to(g, p, below(room.r, n), room, terms)
        q = settle(g, room.s, room.dice)
        room.lengths[i] = random_row(g, q, room.genes[i], room) if q >= 0 else 0
    while not spent(room.tally, terms.turns, stop):
        pair_off(g, p, n, room, terms, stop)
        for i in range(2 * n):
            room.ranks[i] = i
        rank(n, kept, 0, room)
        keep(room.ranks[0], room)
        if spent(room.tally, terms.turns, stop):
            return
        order_parasites(n, room)
        for i in range(kept, n):
            a, b = two_of(kept, room.r)
            answer_to(g, p, room.ranks[0], room, terms)
            q = settle(g, room.s, room.dice)
            if q >= 0:
                mix_rows(g, q, room.ranks[n + a], room.ranks[n + b], room.ranks[n + i], room, terms)
        for i in range(kept, n):
            a, b = two_of(kept, room.r)
            enter(0, room.s, room.worlds, room.dice, terms.seed)
            mix_rows(g, p, room.ranks[a], room.ranks[b], room.ranks[i], room, terms)


def answer_to(g: Ground, p: int, host: int, room: Room, terms: Terms) -> None:
    """The position after a host's turn, in the first world."""
    spare = room.genes[room.genes.shape[0] - 1]
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    for k in range(room.lengths[host]):
        spare[k] = room.genes[host, k]
    carry(g, p, spare, room.lengths[host], room, terms)


def order_parasites(n: int, room: Room) -> None:
    """The same as `rank`, for the rows behind the hosts."""
    ranks, values = room.ranks, room.values
    for i in range(n + 1, 2 * n):
        row = ranks[i]
        k = i
        while k > n and values[ranks[k - 1]] < values[row]:
            ranks[k] = ranks[k - 1]
            k -= 1
        ranks[k] = row
