"""Cards that do the same: the classes of a hand, and the numbers of its programmes, for people and for checking kernels.

Two rotations are alike if they turn by the same angle. Two translations of one effect are alike if no card between them
can be played by anybody else in our open registers: level 0 lets only cards of the hand itself lie between, level 1 also
cards locked in our own registers, or in somebody's register beyond our open ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.games.roborally import layout as k
from stratagem.plans import programme

LEVELS = (0, 1)


@dataclass(frozen=True)
class Locked:
    """A card in a locked register, 1 to 5, of ours or of somebody else's."""

    register: int
    card: int
    own: bool = False


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
            raise OptionError(f"level {self.level} is not there; it is 0 or 1")
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
        return int(_programmes("count_programmes")(self._mult(), len(self.classes), self.registers, _scratch()))

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
        return int(_programmes("rank")(self._mult(), len(self.classes), action, self.registers, _scratch()))

    def unrank(self, n: int) -> list[int]:
        """The class indices of a number."""
        if not 0 <= n < self.count:
            raise OptionError(f"there is no programme {n}; they are numbered 0 to {self.count - 1}")
        action = np.zeros(self.registers, np.int64)
        _programmes("unrank")(self._mult(), len(self.classes), n, self.registers, action, _scratch())
        return [int(c) for c in action]

    def realise(self, action: Sequence[int]) -> list[int]:
        """The canonical cards: each class in ascending order."""
        left = [list(group) for group in self.classes]
        return [left[c].pop(0) for c in action]

    def _mult(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([len(group) for group in self.classes], np.int64)


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
