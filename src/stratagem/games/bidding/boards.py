"""The boards of a base game: what it declares of them (`plans.bid.Boards`), and what goes without saying."""

from __future__ import annotations

import warnings
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
        self.declared = base.boards() if isinstance(base, DeclaresBoards) else declared_before(base)

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


def declared_before(base: ArrayGame) -> Boards:
    """Version 0.1 knew boards by attributes of a game; such games are still understood, and no longer from version 0.3 on."""
    names = {"board_text": "text", "parse_board": "parse", "turn_cell": "turn_cell", "symmetric_words": "words"}
    found = {field: getattr(base, name) for name, field in names.items() if hasattr(base, name)}
    if hasattr(base, "symmetries"):
        found["symmetries"] = base.symmetries()
    if found:
        kind = type(base).__name__
        warnings.warn(f"{kind} says what its boards are by a method `boards` now", DeprecationWarning, stacklevel=2)
    return Boards(**found)


@cache
def boards_of(base: ArrayGame) -> BaseBoards:
    return BaseBoards(base)
