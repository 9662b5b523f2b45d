"""How a game is drawn: on a page, in a terminal, the steps of a move, marks that a page lays over the board.

Of marks a game says what they are about, and whoever shows the board draws them: they name places by the words that the
drawing gives them (`data-at`, `data-place` or `data-part`), and nothing about colours or shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from stratagem.contract.companions.companion import Companion, Of
from stratagem.drawing import SEAT_COLOURS, text_card

MARKS = ("last", "line", "arrow", "strike", "reach", "threat", "zone", "sign", "gone")


class Frame(NamedTuple):
    """One step of how a move resolves: its drawing, and what happens in it, in words."""

    svg: str
    words: str = ""


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


class Drawing(Companion[Of]):
    """A game that is drawn, rather than shown by the texts of its positions."""

    inks: ClassVar[
        tuple[tuple[str, str], ...]
    ] = ()  # colours of signs in a terminal: a pattern and a colour by its name

    seat_colours: ClassVar[tuple[str, ...]] = SEAT_COLOURS  # of what a seat has on the board, and of its name beside it

    def draw(self, position: Of) -> str:
        """The position as SVG; `data-part` marks what can be clicked, with the text of that part."""
        return text_card(position.game.title, self.art(position))

    def art(self, position: Of) -> str:
        """The position for a terminal."""
        return str(position)

    def sketch(self, position: Of, prefix: Sequence[str], seat: int | None = None) -> str | None:
        """The drawing with the first parts of a plan carried out; None where that cannot be shown."""
        return None

    def text_sketch(self, position: Of, prefix: Sequence[str], seat: int | None = None) -> str | None:
        """The same for a terminal."""
        return None

    def frames(self, position: Of, text: str, seat: int | None = None) -> list[Frame]:
        """How a move resolves step by step, as drawings for a seat, up to but without the position that follows it.

        Where a move is one step there is nothing between, and the list is empty."""
        return []

    def trace(self, position: Of, move: str, mover: int) -> tuple[Mark, ...]:
        """What a move, or the parts of one so far, does on the board, asked before it is played."""
        return ()

    def places(self, position: Of, part: str, mover: int) -> tuple[str, ...]:
        """The places of the drawing (`data-place`) that a part of a move is about, in the order of pointing at them."""
        return ()

    def named(self, move: str) -> tuple[str, ...]:
        """The texts in the drawing (`data-part`, `data-place` or `data-piece`) of what a move consists of."""
        return tuple(part.strip() for part in move.split(";"))

    def marks(self, position: Of) -> tuple[Mark, ...]:
        """What is to be seen about a position besides its drawing, such as the line that has won it."""
        return ()

    def heat(self, position: Of, values: Mapping[str, float]) -> str | None:
        """The drawing with the values of moves laid over it, as SVG, where a game shows them so; else None."""
        return None

    def heat_text(self, position: Of, values: Mapping[str, float]) -> str | None:
        """The same for a terminal."""
        return None

    def decisive(self, position: Of) -> Sequence[tuple[int, int]]:
        """Where in the terminal's drawing the line, or whatever decided a finished game, lies: rows and columns."""
        return ()


class Overlays(Companion[Of]):
    """A game that marks what there is to see about one thing that is pointed at."""

    def overlay(
        self, position: Of, place: str, prefix: Sequence[str] = (), seat: int | None = None
    ) -> tuple[Mark, ...]:
        """Marks about the thing on a place, once the parts of a plan so far are carried out: where it may go, what it may
        strike. The words of the first mark say it."""
        return ()
