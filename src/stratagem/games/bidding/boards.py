"""The boards of a base game: what it declares of them (`plans.bid.Boards`), and what goes without saying."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
from stratagem.games.bidding.kernels import NO_CELL
from stratagem.kernel import OVER, State
from stratagem.plans.bid import Boards, DeclaresBoards


class BaseBoards:
    """Text, symmetries and the cell of the turn of a base game's boards."""

    def __init__(self, base: ArrayGame) -> None:
        self.base = base
        self.declared = base.boards() if isinstance(base, DeclaresBoards) else Boards()

    @property
    def turn_cell(self) -> int:
        return NO_CELL if self.declared.turn_cell is None else self.declared.turn_cell

    @property
    def words(self) -> int:
        return self.declared.words

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """One a row, the first the identity."""
        found = self.declared.symmetries
        return self.identity if found is None else np.ascontiguousarray(found, np.int64)

    @property
    def identity(self) -> NDArray[np.int64]:
        return np.arange(self.base.size, dtype=np.int64)[None, :]

    def text(self, s: State) -> str:
        write = self.declared.text
        return self.base.state_text(self.base.position(s.copy())) if write is None else write(s)

    def parse(self, text: str) -> State:
        read = self.declared.parse
        return self.base.parse_state(text)[0] if read is None else read(text)

    def forget_turn(self, s: State) -> None:
        """Boards that differ only in whose turn it would be are one board."""
        if self.turn_cell != NO_CELL and s[self.turn_cell] != OVER:
            s[self.turn_cell] = 0


@cache
def boards_of(base: ArrayGame) -> BaseBoards:
    return BaseBoards(base)
