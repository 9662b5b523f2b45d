"""What a game says for pictures besides its drawing: the steps of a move, and marks that a page lays over the board.

A game declares and whoever shows the board draws: marks name places by the words that the drawing gives them (`data-at`,
`data-place` or `data-part`), and nothing about colours or shapes."""

from __future__ import annotations

from typing import NamedTuple

MARKS = ("last", "line", "arrow", "strike", "reach", "threat", "zone")


class Frame(NamedTuple):
    """One step of how a move resolves: its drawing, and what happens in it, in words."""

    svg: str
    words: str = ""


class Mark(NamedTuple):
    """Something to be seen about places of the board: what it is (one of MARKS), where, and a few words.

    `last` are places that the last move touched, `line` a chain that wins, `arrow` a way from each place to the next,
    `strike` an attack of the first on the second, `reach` where something may go, `threat` what may be struck, `zone` where
    whatever stands could be."""

    kind: str
    places: tuple[str, ...]
    words: str = ""

    def json(self) -> dict[str, object]:
        return {"kind": self.kind, "places": list(self.places), "words": self.words}
