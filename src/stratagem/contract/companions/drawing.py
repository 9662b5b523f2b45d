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

    The kinds are:

    - `last`: places that the last move touched.
    - `line`: a chain that wins.
    - `arrow`: a way from each place to the next.
    - `strike`: an attack of the first place on the second.
    - `reach`: places where something may go.
    - `threat`: places that may be struck.
    - `zone`: places where something that stands here could be.
    - `sign`: places where the words, a letter or two, are written.
    - `gone`: places from where something disappears.
    """

    kind: str
    places: tuple[str, ...]
    words: str = ""

    def json(self) -> dict[str, object]:
        """Return the mark as data."""
        return {"kind": self.kind, "places": list(self.places), "words": self.words}


class Drawing(Companion[Of]):
    """A game that is drawn, rather than shown by the texts of its positions."""

    inks: ClassVar[
        tuple[tuple[str, str], ...]
    ] = ()  # colours of signs in a terminal: a pattern and a colour by its name

    seat_colours: ClassVar[tuple[str, ...]] = SEAT_COLOURS  # of what a seat has on the board, and of its name beside it

    def draw(self, position: Of) -> str:
        """Return the position as SVG. `data-part` marks what can be clicked, with the text of that part.

        Args:
            position: the position.
        """
        return text_card(position.game.title, self.art(position))

    def art(self, position: Of) -> str:
        """Return a drawing of the position for a terminal.

        Args:
            position: the position.
        """
        return str(position)

    def sketch(self, position: Of, prefix: Sequence[str], seat: int | None = None) -> str | None:
        """Return the drawing with the first parts of a plan carried out; None where that cannot be shown.

        Args:
            position: the position before the plan.
            prefix: the parts given so far.
            seat: the seat that decides; the one whose turn it is, if not given.
        """
        return None

    def text_sketch(self, position: Of, prefix: Sequence[str], seat: int | None = None) -> str | None:
        """Return a terminal's drawing with the first parts of a plan carried out; None where that cannot be shown.

        Args:
            position: the position before the plan.
            prefix: the parts given so far.
            seat: the seat that decides; the one whose turn it is, if not given.
        """
        return None

    def frames(self, position: Of, text: str, seat: int | None = None) -> list[Frame]:
        """Return how a move resolves step by step, as drawings. The position that follows the move is not among them.

        Args:
            position: the position before the move.
            text: the text of the move, or of the joint move.
            seat: the seat that looks; None for a spectator.

        Returns:
            The steps; none where a move is one step.
        """
        return []

    def trace(self, position: Of, move: str, mover: int) -> tuple[Mark, ...]:
        """Return marks of what a move does on the board. It is asked before the move is played.

        Args:
            position: the position before the move.
            move: the text of the move, or of the parts of one so far.
            mover: the seat that moves, or `CHANCE`.
        """
        return ()

    def places(self, position: Of, part: str, mover: int) -> tuple[str, ...]:
        """Return the places of the drawing (`data-place`) that a part of a move names.

        A pointer visits them in this order.

        Args:
            position: the position.
            part: the text of the part.
            mover: the seat that moves.
        """
        return ()

    def named(self, move: str) -> tuple[str, ...]:
        """Return the texts in the drawing (`data-part`, `data-place` or `data-piece`) of what a move consists of.

        Args:
            move: the text of the move.
        """
        return tuple(part.strip() for part in move.split(";"))

    def marks(self, position: Of) -> tuple[Mark, ...]:
        """Return marks of what there is to see in a position besides its drawing, such as the line that has won it.

        Args:
            position: the position.
        """
        return ()

    def heat(self, position: Of, values: Mapping[str, float]) -> str | None:
        """Return the drawing with the values of moves laid over it, as SVG; None where a game does not show them so.

        Args:
            position: the position.
            values: the value of each move, by its text.
        """
        return None

    def heat_text(self, position: Of, values: Mapping[str, float]) -> str | None:
        """Return a terminal's drawing with the values of moves; None where a game does not show them so.

        Args:
            position: the position.
            values: the value of each move, by its text.
        """
        return None

    def decisive(self, position: Of) -> Sequence[tuple[int, int]]:
        """Return where the terminal's drawing shows what decided a finished game, such as a line: rows and columns.

        Args:
            position: the finished game's last position.
        """
        return ()


class Overlays(Companion[Of]):
    """A game that marks what there is to see about one thing that is pointed at."""

    def overlay(
        self, position: Of, place: str, prefix: Sequence[str] = (), seat: int | None = None
    ) -> tuple[Mark, ...]:
        """Marks about the thing on a place, once the parts of a plan so far are carried out: where it may go, what it may
        strike. The words of the first mark say it."""
        return ()
