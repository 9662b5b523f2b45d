"""Cards that do the same: the classes of a hand, and the numbers of its programmes, for people and for checking kernels.

Two rotations are alike if they turn by the same angle. Two translations of one effect are alike if no card between them
can be played by anybody else in our open registers: level 0 lets only cards of the hand itself lie between, level 1 also
cards locked in our own registers, or in somebody's register beyond our open ones. Level 2 looks at the registers too: a card
locked in somebody's register j that we programme as well keeps two cards apart only if one of them is in register j. Cards then
have no classes, but programmes do: those that such exchanges lead to from one another are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.games.roborally import layout as k
from stratagem.plans import programme

LEVELS = (0, 1, 2)


@dataclass(frozen=True)
class Locked:
    """A card in a locked register, 1 to 5, of ours or of somebody else's."""

    register: int
    card: int
    own: bool = False


class Joined(NamedTuple):
    """Sequences of classes that are one programme."""

    first: NDArray[np.int64]  # [programmes]: the number of the first sequence of each
    number: NDArray[np.int64]  # [sequences]: the programme of each


@dataclass(frozen=True)
class Numbering:
    """The programmes of k registers from a hand, numbered 0 .. count - 1."""

    hand: tuple[int, ...]
    registers: int
    locked: tuple[Locked, ...] = ()
    level: int = 1

    def __post_init__(self) -> None:
        check_cards(self.hand, "the hand")
        if not 1 <= len(self.hand) <= k.HAND_SIZE:
            raise OptionError(f"the hand has {len(self.hand)} cards; a robot is dealt 1 to {k.HAND_SIZE}")
        most = min(k.REGISTERS, len(self.hand))
        if not 1 <= self.registers <= most:
            raise OptionError(
                f"{self.registers} registers do not fit a hand of {len(self.hand)} cards "
                f"({k.HAND_SIZE - len(self.hand)} damage): 1 to {most} can be open"
            )
        if self.level not in LEVELS:
            raise OptionError(f"level {self.level} is not there; it is one of 0, 1 and 2")
        check_cards([*self.hand, *(lock.card for lock in self.locked)], "hand and locked registers")
        for lock in self.locked:
            if not 1 <= lock.register <= k.REGISTERS:
                raise OptionError(f"there is no register {lock.register} to lock; they are 1 to {k.REGISTERS}")
            if lock.own and lock.register <= self.registers:
                raise OptionError(
                    f"our register {lock.register} is locked, but {self.registers} registers are to be open"
                )

    @cached_property
    def classes(self) -> list[list[int]]:
        """Lists of cards, ascending, by their smallest."""
        free = {lock.card for lock in self.locked if self.level and (lock.own or lock.register > self.registers)}
        found: list[list[int]] = []
        for card in sorted(self.hand):
            for cards in found:
                if k.quarter_turns(cards[0]) != k.quarter_turns(card) or k.steps_of(cards[0]) != k.steps_of(card):
                    continue
                if card <= 42 or free.issuperset(range(cards[-1] + 1, card)):
                    cards.append(card)
                    break
            else:
                found.append([card])
        return found

    @cached_property
    def count(self) -> int:
        if self._joined is not None:
            return len(self._joined.first)
        return self._in_classes

    @cached_property
    def _in_classes(self) -> int:
        """Programmes as sequences of classes: all there are at the levels 0 and 1."""
        return int(
            _programmes("count_programmes")(self.multiplicities(), len(self.classes), self.registers, _scratch())
        )

    @cached_property
    def apart(self) -> dict[tuple[int, int], int]:
        """Pairs of classes whose cards may be exchanged outside some registers (bit i: register i + 1), at level 2."""
        if self.level < 2:
            return {}
        own = {lock.card for lock in self.locked if lock.own} | set(self.hand)
        where: dict[int, int] = {}
        for lock in self.locked:
            if lock.card not in own:
                where[lock.card] = 1 << (lock.register - 1) if lock.register <= self.registers else 0
        found = {}
        for a, low in enumerate(self.classes):
            for b, high in enumerate(self.classes):
                if a == b or low[0] <= k.HALF or k.steps_of(low[0]) != k.steps_of(high[0]) or high[0] < low[0]:
                    continue
                between = [card for card in range(low[0] + 1, high[-1]) if card not in own]
                if all(card in where for card in between):
                    shut = 0
                    for card in between:
                        shut |= where[card]
                    found[a, b] = found[b, a] = shut
        return found

    @cached_property
    def _joined(self) -> Joined | None:
        """At level 2, where something is locked that matters there: which sequences of classes are one programme."""
        if not self.apart:
            return None
        m, registers = len(self.classes), self.registers
        closed = np.full(m * m, programme.NEVER, np.int64)
        for (a, b), shut in self.apart.items():
            closed[m * a + b] = shut
        parent = np.zeros(self._in_classes, np.int64)
        merge = specialise(programme.merge_exchanges, {}, label="programmes that are one")
        merge(
            self.multiplicities(),
            m,
            registers,
            closed,
            np.zeros(registers, np.int64),
            np.zeros(programme.BASE**registers, np.int64),
            parent,
        )
        first, number = np.unique(parent, return_inverse=True)
        return Joined(first, number)

    def rank(self, cards: Sequence[int]) -> int:
        """The number of the programme that these cards are, in any order within a class."""
        check_cards(cards, "the programme")
        if len(cards) != self.registers:
            raise OptionError(f"the programme has {len(cards)} cards; {self.registers} registers are open")
        where = {card: c for c, group in enumerate(self.classes) for card in group}
        for card in cards:
            if card not in where:
                raise OptionError(f"card {card} is not in the hand {','.join(map(str, sorted(self.hand)))}")
        action = np.array([where[card] for card in cards], np.int64)
        n = int(_programmes("rank")(self.multiplicities(), len(self.classes), action, self.registers, _scratch()))
        return n if self._joined is None else int(self._joined.number[n])

    def unrank(self, n: int) -> list[int]:
        """The class indices of a number."""
        if not 0 <= n < self.count:
            raise OptionError(f"there is no programme {n}; they are numbered 0 to {self.count - 1}")
        action = np.zeros(self.registers, np.int64)
        n = n if self._joined is None else int(self._joined.first[n])
        _programmes("unrank")(self.multiplicities(), len(self.classes), n, self.registers, action, _scratch())
        return [int(c) for c in action]

    def all(self) -> list[list[int]]:
        """The canonical cards of every programme, in the order of their numbers."""
        sequences = np.zeros((self._in_classes, self.registers), np.int64)
        listing = specialise(programme.list_programmes, {}, label="lists of programmes")
        action = np.zeros(self.registers, np.int64)
        listing(self.multiplicities(), len(self.classes), self.registers, action, sequences)
        kept = sequences if self._joined is None else sequences[self._joined.first]
        return [self.realise(row) for row in kept.tolist()]

    def realise(self, action: Sequence[int]) -> list[int]:
        """The canonical cards: each class in ascending order."""
        left = [list(group) for group in self.classes]
        return [left[c].pop(0) for c in action]

    def multiplicities(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([len(group) for group in self.classes], np.int64)


@dataclass(frozen=True)
class MixedNumbers:
    """The mixed-radix numbering of a hand's programmes, and what becomes of it as it was printed."""

    of: Numbering

    def __post_init__(self) -> None:
        if self.of.level > 1:
            raise OptionError("the mixed-radix numbering is one of classes; give the level 0 or 1")

    def rank(self, cards: Sequence[int]) -> int:
        """The repaired number: distinct for every programme, with gaps."""
        return self._number("rank_mixed", cards)

    def printed(self, cards: Sequence[int]) -> int:
        """The number by the loop as it was printed: several programmes may have it."""
        return self._number("rank_printed", cards)

    def unrank(self, n: int) -> list[int]:
        """The class indices of a repaired number; refused where it stands for none."""
        action = np.zeros(self.of.registers, np.int64)
        mult = self.of.multiplicities()
        if n < 0 or _programmes("unrank_mixed")(mult, len(mult), n, self.of.registers, action) == programme.GAP:
            raise OptionError(f"{n} is a gap of the mixed-radix numbering: it stands for no programme")
        return [int(c) for c in action]

    def figures(self) -> dict[str, int]:
        """How many programmes there are, how many numbers the printed loop has for them, and the largest repaired one."""
        printed, largest = set(), 0
        for cards in self.of.all():
            printed.add(self.printed(cards))
            largest = max(largest, self.rank(cards))
        return {"programmes": self.of.count, "printed": len(printed), "largest": largest}

    def _number(self, name: str, cards: Sequence[int]) -> int:
        self.of.rank(cards)  # refuses what is no programme of the hand
        where = {card: c for c, group in enumerate(self.of.classes) for card in group}
        action = np.array([where[card] for card in cards], np.int64)
        mult = self.of.multiplicities()
        return int(_programmes(name)(mult, len(mult), action, self.of.registers))


def check_cards(cards: Iterable[int], what: str) -> None:
    seen = set()
    for card in cards:
        if not 1 <= card <= k.CARDS:
            raise OptionError(f"{what}: there is no card {card}; they are numbered 1 to {k.CARDS}")
        if card in seen:
            raise OptionError(f"{what}: card {card} is there twice, and every card is unique")
        seen.add(card)


def _programmes(name: str):  # type: ignore[no-untyped-def]
    return specialise(getattr(programme, name), {}, target="python")


def _scratch() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.zeros(programme.SCRATCH, np.int64)
