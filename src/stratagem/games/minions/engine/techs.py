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
DEARER = 0.6  # what each spell beyond the free one leaves of a prior


def spells_of(step: Step) -> int:
    """How many spells a turn places, the free one included."""
    return step[0] + len(step[1])


def dearer(step: Step) -> float:
    """What its price leaves of a turn's prior."""
    return DEARER ** max(spells_of(step) - 1, 0)


class Techs(Generator):
    """All general turns of up to so many spells, the free one included, by what is thought of cards, marches and dollars."""

    def __init__(self, g: State, position: State, side: int, most: int, appeal: Reals) -> None:
        """`appeal` is [cards + 1]: of acquiring each card, and last of a march."""
        self.appeal: list[float] = (appeal / appeal.max()).tolist()
        self.cards: Sequence[Sequence[int]] = cards_by_marches(g, position, side)
        turns = sum(self._count(spells) for spells in range(1, most + 1))
        self.most, self.count = most, max(turns, 1)
        self.given: set[Step] = set()
        order = sorted(range(layout.CARDS), key=lambda c: (-self.appeal[c], c))
        self.cards = [[c for c in order if c in cards] for cards in self.cards[: most + 1]]
        self._waiting: list[tuple[float, Step, Ranks]] = []
        self._met: set[tuple[int, Ranks]] = set()
        for marched in range(1, len(self.cards)):
            self._meet(marched, ())
        if self.cards[0] or not turns:  # without cards ahead the turn is empty
            self._meet(0, (0,) if turns else ())

    def _count(self, spells: int) -> int:
        return sum(math.comb(len(cards), spells - m) for m, cards in enumerate(self.cards[: spells + 1]))

    def _meet(self, marched: int, ranks: Ranks) -> None:
        if (marched, ranks) not in self._met:
            self._met.add((marched, ranks))
            step = marched, tuple(sorted(self.cards[marched][i] for i in ranks))
            liked = math.prod(self.appeal[c] for c in step[1]) * self.appeal[-1] ** marched
            heapq.heappush(self._waiting, (-liked * dearer(step), step, ranks))

    def has(self, step: Step) -> bool:
        """Whether this is one of the turns."""
        marched, chosen = step
        return (
            0 < marched + len(chosen) <= self.most
            and marched < len(self.cards)
            and all(c in self.cards[marched] for c in chosen)
        )

    def next_step(self) -> tuple[Step, float] | None:
        """The next turn, and what is thought of it; None: all were given."""
        while self._waiting:
            liked, step, ranks = heapq.heappop(self._waiting)
            cards = len(self.cards[step[0]])
            for j, rank in enumerate(ranks):
                if rank + 1 < (*ranks[j + 1 :], cards)[0]:
                    self._meet(step[0], (*ranks[:j], rank + 1, *ranks[j + 1 :]))
            another = ranks[-1] + 1 if ranks else 0
            if another < cards and spells_of(step) < self.most:
                self._meet(step[0], (*ranks, another))
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


def bought(general: bytes) -> int:
    """How many spells a general's turn pays for: all beyond the free one, which may be sold."""
    words = np.frombuffer(general, np.int64).tolist()
    sold = words[0] == layout.SELL
    at = 3 if sold else 0
    return max(words[at + 1] + words[at + 2] - (0 if sold else 1), 0)
