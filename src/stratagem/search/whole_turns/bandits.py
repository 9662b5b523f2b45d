"""Models of what single decisions of a turn are worth: n-tuple bandits and naive sampling.

*N-tuple bandit online evolution* (the N-tuple bandit of S. M. Lucas, J. Liu, D. Perez-Liebana, 2018, for turns, as in the
public ASMACAG code): tables of counts and means for each (place, decision) and each pair of them. It begins with random
turns, the best of which is current. Then, again and again, of some neighbours of the current one (one place always changed,
each other one with probability `change`) the one with the highest mean bound `mean + C sqrt(ln N / n)` over all its tables is
played, unseen entries counting as very high; it becomes current if it is better. The published code draws neighbours from an
alphabet of codes, legal or not, and has the rules punish illegal ones; here neighbours are legal turns, made by listed
decisions and repair, as in its authors' variant for Hero Academy. A code that may name what is not held finds holes in the
rules.

*Naive sampling* (S. Ontañón, *The Combinatorial Multi-Armed Bandit Problem and its Application to Real-Time Strategy Games*,
AIIDE 2013): a turn is built decision by decision, each with probability 1 - `local` the one with the best mean at its place
so far, untried ones first, else any; its value is entered at every place. The component is (place, decision). The published
search also replays the best turn of those tried with probability 0.6; a turn's value is certain here, so that would tell
nothing, and it is left out.

Tables are hashed: two entries may rarely share a cell. With dice inside the turn values are means over the sampled worlds,
and in naive sampling the decisions are chosen in the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stratagem.kernel import Ground, Moves, State, allowed, moves, play
from stratagem.rng import below, mix, unit
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    TURNS,
    Reals,
    TurnArrays,
    TurnTerms,
    another,
    begun,
    enter,
    filler,
    finish,
    goes_on,
    random_turn,
    scaled,
    set_out,
    spent,
    weigh,
)
from stratagem.search.whole_turns.settings import MendingSettings, TurnSettings

UNSEEN = 1e7  # the bound of an entry that was never seen
CELLS = 1 << 17  # of hashed tables


class TupleBandit(NamedTuple):
    """A model of places and pairs of them, and how it is asked."""

    exploration: float
    spread: float
    neighbours: int
    change: float
    starts: int
    cells: Reals  # [cells, 2]: hashed counts and sums


@dataclass(frozen=True, kw_only=True)
class TupleBanditSettings(MendingSettings):
    """The settings of n-tuple bandit online evolution."""

    exploration: float = 0.2  # weight of the bonus for what was tried little, in units of the spread
    spread: float = 0.0  # what values are divided by; 0: the spread of those seen
    neighbours: int = 5  # of the current turn, of which one is tried
    change: float = 0.55  # how often a neighbour differs at a place
    starts: int = 1000  # random turns that a model begins with

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_not_negative("exploration", "spread")
        self.check_shares("change")
        self.check_whole("neighbours", 1, 10_000)
        self.check_whole("starts", 1, 1 << 30)

    @property
    def rows(self) -> int:
        return 2 + self.neighbours

    def records(self, atoms: Atoms) -> tuple[TupleBandit]:
        exploration, spread, change = float(self.exploration), float(self.spread), float(self.change)
        return (TupleBandit(exploration, spread, self.neighbours, change, self.starts, np.zeros((CELLS, 2))),)


class NaiveSampling(NamedTuple):
    """What actions have been worth at their places, and how often that is overruled."""

    local: float
    cells: Reals  # [cells, 2]: hashed counts and sums


@dataclass(frozen=True, kw_only=True)
class NaiveSamplingSettings(TurnSettings):
    """The settings of naive sampling."""

    local: float = 0.3  # how often it takes any action

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_shares("local")

    def records(self, atoms: Atoms) -> tuple[NaiveSampling]:
        return (NaiveSampling(float(self.local), np.zeros((CELLS, 2))),)


def cell(i: int, a: int, j: int, b: int, cells: Reals) -> int:
    """The cell of a pair of places with their decisions; of one place alone with i == j."""
    h = mix(mix(mix(a) + i) + mix(b) * 3 + j)
    return h & (cells.shape[0] - 1)


def enter_tables(row: int, room: TurnArrays, cells: Reals) -> None:
    """Add a row's value to all its tables."""
    x = room.values[row]
    for i in range(room.lengths[row]):
        for j in range(i + 1):
            c = cell(i, room.genes[row, i], j, room.genes[row, j], cells)
            cells[c, 0] += 1.0
            cells[c, 1] += x


def bound(row: int, room: TurnArrays, own: TupleBandit) -> float:
    """The mean bound of a row over its tables."""
    log, total, n = math.log(room.tally[TURNS] + 1.0), 0.0, 0
    for i in range(room.lengths[row]):
        for j in range(i + 1):
            c = cell(i, room.genes[row, i], j, room.genes[row, j], own.cells)
            seen = own.cells[c, 0]
            if seen == 0.0:
                total += UNSEEN + unit(room.r)
            else:
                total += scaled(own.cells[c, 1] / seen, own.spread, room.tally) + own.exploration * math.sqrt(
                    log / seen
                )
            n += 1
    return total / max(n, 1)


def neighbour(g: Ground, p: int, current: int, row: int, change: float, room: TurnArrays, terms: TurnTerms) -> None:
    """A row that differs from the current one at a random place and here and there, and is legal."""
    s, genes, n = room.s, room.genes, room.lengths[current]
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which, k, always = begun(g, s), 0, below(room.r, max(n, 1))
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if k == always or (k < n and unit(room.r) < change):
            genes[row, k] = another(g, s, p, genes[current, k], room)
        elif k < n and allowed(g, s, p, genes[current, k]):
            genes[row, k] = genes[current, k]
        else:
            genes[row, k] = filler(g, s, p, room, terms)
        play(g, s, p, genes[row, k])
        k += 1
    room.lengths[row] = k


def clear_tables(cells: Reals) -> None:
    for c in range(cells.shape[0]):
        cells[c, 0], cells[c, 1] = 0.0, 0.0


def tuple_bandit(
    g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, own: TupleBandit, stop: Moves
) -> None:
    """Improve a current turn by neighbours that the model expects most of."""
    set_out(g, root, p, room, terms)
    clear_tables(own.cells)
    current, row = 0, 1  # of rows; those behind are neighbours
    for start in range(own.starts):
        if start > 0 and spent(room.tally, terms.turns, stop):
            return
        random_turn(g, p, row, room, terms)
        enter_tables(row, room, own.cells)
        if start == 0 or room.values[row] > room.values[current]:
            current, row = row, current
    while not spent(room.tally, terms.turns, stop):
        best, found = -np.inf, 2
        for k in range(2, 2 + own.neighbours):
            neighbour(g, p, current, k, own.change, room, terms)
            x = bound(k, room, own)
            if x > best:
                best, found = x, k
        weigh(g, p, found, room, terms)
        enter_tables(found, room, own.cells)
        if room.values[found] > room.values[current]:
            room.values[current], room.lengths[current] = room.values[found], room.lengths[found]
            for k in range(room.lengths[found]):
                room.genes[current, k] = room.genes[found, k]


def best_local(g: Ground, p: int, k: int, room: TurnArrays, cells: Reals) -> int:
    """The listed decision with the best mean at a place, untried ones first, of equals any."""
    n = moves(g, room.s, p, room.listed)
    best, found, equals = -np.inf, room.listed[0], 0
    for i in range(n):
        m = room.listed[i]
        c = cell(k, m, k, m, cells)
        x = np.inf
        if cells[c, 0] > 0.0:
            x = cells[c, 1] / cells[c, 0]
        if x > best:
            best, found, equals = x, m, 1
        elif x == best:
            equals += 1
            if below(room.r, equals) == 0:
                found = m
    return found


def naive(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, own: NaiveSampling, stop: Moves) -> None:
    """Build turn after turn by what actions have been worth."""
    set_out(g, root, p, room, terms)
    clear_tables(own.cells)
    random_turn(g, p, 0, room, terms)
    while not spent(room.tally, terms.turns, stop):
        enter(0, room.s, room.worlds, room.dice, terms.seed)
        which, k = begun(g, room.s), 0
        while k < room.genes.shape[1] and goes_on(g, room.s, p, which, room.dice):
            if unit(room.r) < own.local:
                m = another(g, room.s, p, -1, room)
            else:
                m = best_local(g, p, k, room, own.cells)
            room.genes[0, k] = m
            play(g, room.s, p, m)
            k += 1
        room.lengths[0] = k
        finish(g, p, 0, room, terms)
        for i in range(k):
            c = cell(i, room.genes[0, i], i, room.genes[0, i], own.cells)
            own.cells[c, 0] += 1.0
            own.cells[c, 1] += room.values[0]
