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
parasite that another host's turn makes illegal is repaired for that meeting. The rolling part, a genome that is shifted on, is
not taken over: a whole turn is played. With more than two players the next one in turn replies.

With dice inside the turn all of them evolve open-loop plans, judged by their mean over the sampled worlds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem.kernel import Ground, Moves, State, allowed, play
from stratagem.rng import Rng, below, unit
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    INSERTS,
    TURNS,
    Reals,
    TurnArrays,
    TurnTerms,
    another,
    any_move,
    begun,
    breed,
    carry,
    enter,
    finish,
    goes_on,
    greedy_row,
    keep,
    random_row,
    random_turn,
    set_out,
    settle,
    spent,
    worth,
)
from stratagem.search.whole_turns.settings import MOST_ROWS, MendingSettings


class Evolution(NamedTuple):
    """A population in the first rows of genes, and how it evolves."""

    population: int
    kept: int  # rows that survive
    unique: int
    mutation: float
    insertion: float
    greedy_start: int
    ranks: Moves  # [population]: rows, the survivors first


@dataclass(frozen=True, kw_only=True)
class EvolutionSettings(MendingSettings):
    """The settings of evolution, as in online evolutionary planning but for `unique`."""

    population: int = 100  # 2 or more
    kept: float = 0.5  # share of a population that survives
    unique: bool = False  # one turn of each value survives: orders of the same actions would fill a population
    mutation: float = 0.1  # how often a child is mutated
    insertion: float = 0.0  # share of mutations that put a decision in and push the rest on; others replace one
    greedy_start: int = 0  # turns of the first population that are greedy

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_whole("population", 2, MOST_ROWS)
        self.check_whole("greedy_start", 0, MOST_ROWS)
        self.check_shares("kept", "mutation", "insertion")
        self.check_one_of("unique", (True, False))

    @property
    def rows(self) -> int:
        return self.population

    def records(self, atoms: Atoms) -> tuple[Evolution]:
        n = self.population
        kept = min(max(int(self.kept * n), 2), n)
        ranks = np.zeros(n, np.int64)
        rates = float(self.mutation), float(self.insertion)
        return (Evolution(n, kept, int(self.unique), *rates, self.greedy_start, ranks),)


@dataclass(frozen=True, kw_only=True)
class OnlineEvolutionSettings(EvolutionSettings):
    """Online evolution, as in the ASMACAG test bed."""

    population: int = 125
    kept: float = 0.15
    mutation: float = 0.15


@dataclass(frozen=True, kw_only=True)
class EvolutionaryPlanningSettings(EvolutionSettings):
    """Online evolutionary planning, with one turn of each value."""

    unique: bool = True


class Coevolution(NamedTuple):
    """Hosts in the first rows of genes, parasites in as many behind them, and how they evolve."""

    population: int
    mutation: float
    meetings: int
    ranks: Moves  # [2 * population]: rows in some order
    met: Reals  # [2 * population, 2]: of a parasite: meetings and the sum of its worths


@dataclass(frozen=True, kw_only=True)
class CoevolutionSettings(MendingSettings):
    """The settings of co-evolution."""

    population: int = 40  # of hosts and of parasites, 2 or more
    mutation: float = 0.3  # how often a child is mutated
    meetings: int = 30  # of a host in a generation

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_whole("population", 2, MOST_ROWS)
        self.check_whole("meetings", 1, 10_000)
        self.check_shares("mutation")

    @property
    def rows(self) -> int:
        return 2 * self.population

    def records(self, atoms: Atoms) -> tuple[Coevolution]:
        ranks, met = np.zeros(self.rows, np.int64), np.zeros((self.rows, 2))
        return (Coevolution(self.population, float(self.mutation), self.meetings, ranks, met),)


# -------------------------------------------------------------------------------------------------------------- evolution


def online_evolution(
    g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves
) -> None:
    """Let turns evolve from a position."""
    set_out(g, root, p, room, terms)
    evolve(g, p, room, terms, own, stop)


def evolve(g: Ground, p: int, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves) -> None:
    begin(g, p, room, terms, own, stop)
    go_on(g, p, room, terms, own, stop)


def begin(g: Ground, p: int, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves) -> None:
    """The first population."""
    populate(g, p, own.population, own.greedy_start, room, terms, stop)
    for i in range(own.population):
        own.ranks[i] = i


def go_on(g: Ground, p: int, room: TurnArrays, terms: TurnTerms, own: Evolution, stop: Moves) -> None:
    """Generation after generation until so many turns were judged; a generation may be left in its midst and gone on with."""
    n, ranks = own.population, own.ranks
    while not spent(room.tally, terms.turns, stop):
        alive = max(rank(n, own.kept, own.unique, ranks, room.values), 2)
        for i in range(min(alive, n - 1), n):  # where all survive, the worst makes room
            a, b = two_of(alive, room.r)
            at, later = -1, 0
            if unit(room.r) < own.mutation:
                at = below(room.r, max(room.lengths[ranks[a]], 1))
                if INSERTS and unit(room.r) < own.insertion:
                    later = 1
            breed(g, p, ranks[a], ranks[b], at, later, ranks[i], room, terms)
            if spent(room.tally, terms.turns, stop):
                return


def populate(g: Ground, p: int, rows: int, greedy: int, room: TurnArrays, terms: TurnTerms, stop: Moves) -> None:
    """The first rows by random play, `greedy` of them greedily."""
    for i in range(rows):
        if i < greedy:
            greedy_row(g, p, i, room, terms)
            finish(g, p, i, room, terms)
        else:
            random_turn(g, p, i, room, terms)
        if stop[0] != 0:  # the rest are no turns, and never chosen
            for k in range(i + 1, rows):
                room.lengths[k], room.values[k] = 0, -np.inf
            return


def rank(n: int, kept: int, unique: int, ranks: Moves, values: Reals) -> int:
    """The best rows of the first n of `ranks` to its front, best first; of equals those that were there before.

    With `unique` one row of each value: orders of the same actions would fill a population. Returns how many are kept."""
    m = 0
    for i in range(n):
        row = ranks[i]
        x = values[row]
        if m == kept and values[ranks[m - 1]] >= x:
            continue
        if unique > 0 and held(x, m, ranks, values):
            continue
        if m < kept:
            ranks[i] = ranks[m]
            m += 1
        else:  # the last of the kept makes room
            ranks[i] = ranks[m - 1]
        k = m - 1
        while k > 0 and values[ranks[k - 1]] < x:
            ranks[k] = ranks[k - 1]
            k -= 1
        ranks[k] = row
    return m


def held(x: float, m: int, ranks: Moves, values: Reals) -> bool:
    """Whether one of the first m rows has a value."""
    for k in range(m):
        if values[ranks[k]] == x:
            return True
    return False


def two_of(n: int, r: Rng) -> tuple[int, int]:
    """Two different numbers below n, which is at least 2."""
    a = below(r, n)
    b = below(r, n - 1)
    return a, b + 1 if b >= a else b


# ---------------------------------------------------------------------------------------------------------- co-evolution


def meet(g: Ground, p: int, host: int, parasite: int, room: TurnArrays, terms: TurnTerms) -> int:
    """Play a host and then a parasite, repaired for this meeting, from one of the worlds; returns who replied, or -1."""
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


def pair_off(g: Ground, p: int, room: TurnArrays, terms: TurnTerms, own: Coevolution, stop: Moves) -> None:
    """Let every host meet some parasites."""
    n, met = own.population, own.met
    for i in range(n, 2 * n):
        met[i, 0], met[i, 1] = 0.0, 0.0
    for host in range(n):
        total = 0.0
        for _ in range(own.meetings):
            parasite = n + below(room.r, n)
            q = meet(g, p, host, parasite, room, terms)
            total += worth(g, room.s, p, room.out)
            if q >= 0:
                met[parasite, 0] += 1.0
                met[parasite, 1] += worth(g, room.s, q, room.out)
            room.tally[TURNS] += 1
        room.values[host] = total / own.meetings
        if stop[0] != 0:
            for left in range(host + 1, n):
                room.values[left] = -np.inf
            break
    for i in range(n, 2 * n):
        room.values[i] = met[i, 1] / met[i, 0] if met[i, 0] > 0.0 else -1.0


def mix_rows(g: Ground, p: int, a: int, b: int, row: int, mutation: float, room: TurnArrays) -> None:
    """A child of two rows on the position at hand, by a coin at each place, mutated in one gene now and then; not judged."""
    genes, lengths, which, k = room.genes, room.lengths, begun(g, room.s), 0
    at = -1
    if unit(room.r) < mutation:
        at = below(room.r, max(lengths[a], 1))
    while k < room.genes.shape[1] and goes_on(g, room.s, p, which, room.dice):
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


def coevolve(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, own: Coevolution, stop: Moves) -> None:
    """Let turns and the replies to them evolve from a position."""
    set_out(g, root, p, room, terms)
    n, kept, ranks = own.population, 2, own.ranks
    populate(g, p, n, 0, room, terms, stop)
    for i in range(n):
        ranks[i] = i
    rank(n, kept, 0, ranks, room.values)
    keep(ranks[0], room)
    for i in range(n, 2 * n):  # parasites answer hosts at random
        answer_to(g, p, below(room.r, n), room, terms)
        q = settle(g, room.s, room.dice)
        room.lengths[i] = random_row(g, q, room.genes[i], room) if q >= 0 else 0
    while not spent(room.tally, terms.turns, stop):
        pair_off(g, p, room, terms, own, stop)
        for i in range(2 * n):
            ranks[i] = i
        rank(n, kept, 0, ranks, room.values)
        keep(ranks[0], room)
        if spent(room.tally, terms.turns, stop):
            return
        order_parasites(n, ranks, room.values)
        for i in range(kept, n):
            a, b = two_of(kept, room.r)
            answer_to(g, p, ranks[0], room, terms)
            q = settle(g, room.s, room.dice)
            if q >= 0:
                mix_rows(g, q, ranks[n + a], ranks[n + b], ranks[n + i], own.mutation, room)
        for i in range(kept, n):
            a, b = two_of(kept, room.r)
            enter(0, room.s, room.worlds, room.dice, terms.seed)
            mix_rows(g, p, ranks[a], ranks[b], ranks[i], own.mutation, room)


def answer_to(g: Ground, p: int, host: int, room: TurnArrays, terms: TurnTerms) -> None:
    """The position after a host's turn, in the first world."""
    spare = room.genes[room.genes.shape[0] - 1]
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    for k in range(room.lengths[host]):
        spare[k] = room.genes[host, k]
    carry(g, p, spare, room.lengths[host], room, terms)


def order_parasites(n: int, ranks: Moves, values: Reals) -> None:
    """The same as `rank`, for the rows behind the hosts."""
    for i in range(n + 1, 2 * n):
        row = ranks[i]
        k = i
        while k > n and values[ranks[k - 1]] < values[row]:
            ranks[k] = ranks[k - 1]
            k -= 1
        ranks[k] = row
