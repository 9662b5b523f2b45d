"""What a game says for pictures and records: the steps of a move, marks that a page lays over the board, how it is written.

A game declares and whoever shows the board draws: marks name places by the words that the drawing gives them (`data-at`,
`data-place` or `data-part`), and nothing about colours or shapes."""

from __future__ import annotations

from typing import NamedTuple

MARKS = ("last", "line", "arrow", "strike", "reach", "threat", "zone", "sign", "gone")


class Frame(NamedTuple):
    """One step of how a move resolves: its drawing, and what happens in it, in words."""

    svg: str
    words: str = ""


class BoardRecord(NamedTuple):
    """How a board game is written in SGF, the format in which programs for board games exchange records."""

    number: int = 0  # of the game in that standard; 0: it has none
    size: tuple[str, ...] = ()  # the options that say the board's size: one for a square, or columns and rows
    colours: str = "BW"  # of the first and the second seat


class Mark(NamedTuple):
    """Something to be seen about places of the board: what it is (one of MARKS), where, and a few words.

    `last` are places that the last move touched, `line` a chain that wins, `arrow` a way from each place to the next,
    `strike` an attack of the first on the second, `reach` where something may go, `threat` what may be struck, `zone` where
    whatever stands could be, `sign` where its words, a letter or two, are written, `gone` from where something disappears."""

    kind: str
    places: tuple[str, ...]
    words: str = ""

    def json(self) -> dict[str, object]:
        return {"kind": self.kind, "places": list(self.places), "words": self.words}
