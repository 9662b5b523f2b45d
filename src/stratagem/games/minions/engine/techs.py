"""The general's turns of a price, the most appealing first. There can be tens of thousands, and each is made when asked for."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from stratagem.games.minions import layout
from stratagem.games.minions.engine.scratch import Reals
from stratagem.kernel import State
from stratagem.search.staged import Generator, Proposal

Step = tuple[int, tuple[int, ...]]  # of one turn: cards marched, cards acquired in order
Ranks = tuple[int, ...]  # of the cards chosen, among those that can be, by their appeal
LEAST_PRIOR = 1e-3


class Techs(Generator):
    """All general turns of exactly so many spells, or of the most that can be placed, by what is thought of cards and marches."""

    def __init__(self, g: State, position: State, side: int, spells: int, appeal: Reals) -> None:
        """`appeal` is [cards + 1]: of acquiring each card, and last of a march."""
        self.appeal: list[float] = appeal.tolist()
        self.cards: Sequence[Sequence[int]] = cards_by_marches(g, position, side)
        while spells and not self._count(spells):
            spells -= 1
        self.spells = spells
        self.count = self._count(spells) if spells else 1
        self.given: set[Step] = set()
        order = sorted(range(layout.CARDS), key=lambda c: (-self.appeal[c], c))
        self.cards = [[c for c in order if c in cards] for cards in self.cards[: spells + 1]]
        self._waiting: list[tuple[float, Step, Ranks]] = []
        self._met: set[tuple[int, Ranks]] = set()
        for marched, cards in enumerate(self.cards[: spells + 1]):
            if len(cards) >= spells - marched:
                self._meet(marched, tuple(range(spells - marched)))

    def _count(self, spells: int) -> int:
        return sum(math.comb(len(cards), spells - m) for m, cards in enumerate(self.cards[: spells + 1]))

    def _meet(self, marched: int, ranks: Ranks) -> None:
        if (marched, ranks) not in self._met:
            self._met.add((marched, ranks))
            step = marched, tuple(sorted(self.cards[marched][i] for i in ranks))
            liked = math.prod(self.appeal[c] for c in step[1]) * self.appeal[-1] ** marched
            heapq.heappush(self._waiting, (-liked, step, ranks))

    def has(self, step: Step) -> bool:
        """Whether this is one of the turns."""
        marched, chosen = step
        return (
            marched + len(chosen) == self.spells
            and marched < len(self.cards)
            and all(c in self.cards[marched] for c in chosen)
        )

    def next_step(self) -> tuple[Step, float] | None:
        """The next turn, and what is thought of it; None: all were given."""
        while self._waiting:
            liked, step, ranks = heapq.heappop(self._waiting)
            for j, rank in enumerate(ranks):
                if rank + 1 < (ranks[j + 1] if j + 1 < len(ranks) else len(self.cards[step[0]])):
                    self._meet(step[0], (*ranks[:j], rank + 1, *ranks[j + 1 :]))
            if step not in self.given:
                self.given.add(step)
                return step, -liked
        return None

    def first(self) -> Proposal | None:
        found = self.next_step()
        return None if found is None else Proposal(tech_words(found[0]), max(found[1], LEAST_PRIOR))

    @property
    def exhausted(self) -> bool:
        return len(self.given) == self.count


def cards_by_marches(g: State, position: State, side: int) -> tuple[tuple[int, ...], ...]:
    """The cards that can be acquired after each number of marches."""
    cards = position[layout.CARD : layout.CARD + 2 * layout.CARDS]
    return _by_marches(cards.tobytes(), int(g[layout.COPYCAT_AT]), side)


@lru_cache(1024)  # most replies leave the techline as it is
def _by_marches(line: bytes, copycat: int, side: int) -> tuple[tuple[int, ...], ...]:
    cards = np.frombuffer(line, np.int64).reshape(2, layout.CARDS)
    locked = np.flatnonzero(cards[side] == layout.LOCKED).tolist()
    copies = copycat >= 0 and cards[side, copycat] == layout.ACQUIRED
    opened = np.flatnonzero(cards[side] == layout.UNLOCKED).tolist()

    def free(c: int) -> bool:
        return bool(cards[1 - side, c] != layout.ACQUIRED or c == copycat or copies)

    return tuple(tuple(c for c in opened + locked[:marched] if free(c)) for marched in range(len(locked) + 1))


def most_spells(g: State, position: State, side: int) -> int:
    """How many spells can be placed in one turn."""
    return max(marched + len(cards) for marched, cards in enumerate(cards_by_marches(g, position, side)))


@lru_cache(4096)
def tech_words(step: Step) -> bytes:
    """A general's turn in words."""
    return np.array([layout.TECH, step[0], len(step[1]), *step[1]], np.int64).tobytes()
