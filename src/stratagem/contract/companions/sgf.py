"""How a board game is written in SGF, the format in which programs for board games exchange records."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from stratagem.contract.companions.companion import Companion, Of


class BoardRecord(NamedTuple):
    """The head of a record: which game it is, the size of its board, and the colours of the seats."""

    number: int = 0  # of the game in that standard; 0: it has none
    size: tuple[str, ...] = ()  # the options that say the board's size: one for a square, or columns and rows
    colours: str = "BW"  # of the first and the second seat


class Sgf(Companion[Of]):
    """A board game that is written in SGF."""

    sgf: ClassVar[BoardRecord] = BoardRecord()

    def sgf_move(self, position: Of, move: str) -> str | None:
        """What stands for a move: one point, or two with a colon between; None: the move is the name of a cell."""
        return None
