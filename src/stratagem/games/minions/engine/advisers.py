"""Who the engine asks: an oracle (`turn`: values), a prophet (attacks), a seer (money) and a general (the techline).

The script answers all four by its kernels; a network may take the prophet's place (`networks.seers`). All see a position from
the side to move; values are payoffs to it in [-1, 1] with a spread, the standard deviation of their error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.games.minions import layout
from stratagem.games.minions.engine.scratch import LONGEST, PROPHECIES, ROW, Reals
from stratagem.games.minions.scripted import ANSWERED_TYPES, CARD_NUMBERS
from stratagem.kernel import State
from stratagem.rng import Rng

if TYPE_CHECKING:
    from stratagem.games.minions.engine.stages import MinionsStaging

# [type, type]: 1 where the first answers the second
ANSWERS: Reals = ((ANSWERED_TYPES[:, None] >> np.arange(layout.TYPES)) & 1).astype(np.float64)


class Opinion(NamedTuple):
    """A value to the side that is asked about, and how far off it may be."""

    value: float
    spread: float


class Script:
    """The advisers by hand, on the kernels of a staging. Others are subclasses."""

    def __init__(self, staging: MinionsStaging) -> None:
        self.staging, self.g = staging, staging.g
        self._line = self.g[layout.CARD_UNIT : layout.CARD_UNIT + layout.CARDS].tobytes()

    def warm(self, position: State) -> None:  # most have nothing to do
        """Compile or load what the others call."""

    def turn(self, position: State, turn: bytes) -> Opinion:
        """The oracle: what a whole turn is worth to its mover."""
        self.staging.judged(position, turn)
        return Opinion(*self.staging.scratch().judged.answer[:2].tolist())

    def prophet(self, position: State, board: int, setup: bytes, rng: Rng) -> Reals:
        """[rows, 200]: prophecies for a board, most promising first: the chance that the enemy on each hex is removed, then
        that the own unit on each hex takes no part."""
        self.staging.played(position, setup)
        self.staging.prophesy(board, rng)
        return self.staging.scratch().fight.rows.reshape(PROPHECIES, ROW).copy()

    def seer(self, position: State, board: int, money: int, attack: bytes) -> Reals:
        """[dollars + 1]: what each amount is worth on a board after its attack, in payoffs; as far as it can be spent."""
        self.staging.played(position, attack)
        room = self.staging.price(board, money)
        resigned = position[layout.board_of(board) + layout.RESIGNED]
        most = min(money, LONGEST) if room > 0 and not resigned else 0
        begin = room * (LONGEST + 1)
        worth: Reals = self.staging.slope * self.staging.scratch().shop.best[begin : begin + most + 1]
        return worth

    def general(self, position: State) -> Reals:
        """[cards + 1]: how promising it is to acquire each card, and last to march.

        Answer the strongest enemies that nothing of ours answers, else take the card three above our best, else march."""
        side = int(position[layout.SIDE])
        cards = position[layout.CARD : layout.CARD + 2 * layout.CARDS]
        known = _known_of(cards.tobytes(), self._line, side)
        theirs = dollars_of(self.staging, position, 1 - side)
        open_to = theirs * known.unanswered / max(theirs.sum(), 1.0)
        found: Reals = known.rest.copy()
        found[known.at] = 0.4 + 2.0 * (known.answers @ open_to) + known.by_number + known.three_above
        return found


class Known(NamedTuple):
    """What a techline alone says of how promising its cards are."""

    unanswered: NDArray[np.bool_]  # [type]: that nothing of ours answers
    at: NDArray[np.int64]  # the cards that are units
    answers: Reals  # [card of `at`, type]: 1 where the card answers the type
    by_number: Reals  # [card of `at`]
    three_above: Reals  # [card of `at`]
    rest: Reals  # [cards + 1]: of special cards, and of a march


@lru_cache(1024)  # most replies leave the techline as it is
def _known_of(cards: bytes, line: bytes, side: int) -> Known:
    own, units = np.frombuffer(cards, np.int64).reshape(2, layout.CARDS), np.frombuffer(line, np.int64)
    mine = units[(own[side] == layout.ACQUIRED) & (units >= 0)]
    answered = int(np.bitwise_or.reduce(ANSWERED_TYPES[mine])) if len(mine) else 0
    top = int(CARD_NUMBERS[mine].max()) if len(mine) else 0
    at = np.flatnonzero(units >= 0)
    numbers = CARD_NUMBERS[units[at]]
    rest = np.full(layout.CARDS + 1, 0.05)
    free = int(((own[side] == layout.UNLOCKED) & (own[1 - side] != layout.ACQUIRED)).sum())
    rest[-1] = 1.2 if free < 2 else 0.7
    return Known(
        unanswered=(answered >> np.arange(layout.TYPES)) & 1 == 0,
        at=at,
        answers=ANSWERS[units[at]],
        by_number=0.04 * numbers.astype(np.float64),
        three_above=np.where(numbers - top == 3, 0.5, 0.0),
        rest=rest,
    )


def dollars_of(staging: MinionsStaging, position: State, side: int) -> Reals:
    """A side's units on boards, in dollars by type."""
    found = np.zeros(layout.TYPES)
    costs = staging.g[layout.UNIT + layout.COST : layout.UNIT + layout.TYPES * layout.COLUMNS : layout.COLUMNS]
    whose = side << layout.SIDE_SHIFT
    for k in range(staging.config.boards):
        at = layout.board_of(k) + layout.CELL
        cells = position[at : at + 100] & (1 << layout.SIDE_SHIFT | layout.TYPE_MASK)
        cells = cells[cells > 0]
        kinds = cells[(cells & (1 << layout.SIDE_SHIFT)) == whose] & layout.TYPE_MASK
        found += np.bincount(kinds, minlength=layout.TYPES + 1)[1:]
    return found * costs


FIRST_SPREAD = 0.15  # of what an amount of money is worth, before it was tried
