"""A position, as everybody but the kernels sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stratagem.contract.companions.companion import Companion, undeclared
from stratagem.contract.companions.drawing import Drawing, Overlays
from stratagem.contract.companions.editing import Editing
from stratagem.contract.companions.panels import Panels
from stratagem.contract.companions.puzzling import Puzzles
from stratagem.contract.companions.sgf import Sgf
from stratagem.contract.companions.steps import Steps
from stratagem.contract.companions.wording import Wording
from stratagem.contract.parts import Parts
from stratagem.errors import IllegalMove, OptionError
from stratagem.kernel import OVER
from stratagem.rng import Rng

if TYPE_CHECKING:
    from stratagem.contract.rules import Game

JOINT = " | "
UNASKED = "-"
COMPANIONS: tuple[type[Companion], ...] = (Drawing, Editing, Overlays, Panels, Puzzles, Sgf, Steps, Wording)


class Position(ABC):
    """An immutable position. Equal positions compare equal, hash alike and pickle."""

    game: Game
    history: tuple[str, ...]  # texts played since `origin`, chance and joint moves included
    origin: str | None  # the text of the position the history starts from; None: the game's start
    seat: int | None = None  # whose view this is; None: the true position

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if (missing := undeclared(cls, COMPANIONS)) is not None:
            method, companion = missing
            raise OptionError(
                f"{cls.__name__} defines `{method}`, which belongs to {companion}: "
                f"define it in the game, class MyGame(ArrayGame, {companion})"
            )

    @property
    @abstractmethod
    def turn(self) -> int:
        """The seat that decides now, or `CHANCE`, `TOGETHER` (several decide at once) or `OVER`."""

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.turn == OVER

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that must decide now; none at `CHANCE` and when the game is over."""
        return (self.turn,) if self.turn >= 0 else ()

    @abstractmethod
    def moves(self, seat: int | None = None) -> list[str]:
        """Return the texts of all moves of a seat, or of all outcomes of chance.

        Args:
            seat: the seat; the one that decides, if not given.

        Raises:
            GameOver: the game is over.
            Unlistable: there are too many moves to list; `sample` and `parts` give them one at a time.
        """

    @abstractmethod
    def play(self, text: str | Sequence[str]) -> Position:
        """Return the position after a move, an outcome of chance, or a joint move. This position stays as it is.

        Args:
            text: the text of the move. Where several seats decide at once: one text per seat, or all with ` | `
                between.

        Raises:
            IllegalMove: the rules do not allow the move here.
            GameOver: the game is over.
        """

    @abstractmethod
    def sample(self, rng: Rng, seat: int | None = None) -> str:
        """Return the text of a random move of a seat, or of a random outcome of chance with its odds.

        Args:
            rng: the generator, from `stratagem.generator`.
            seat: the seat; the one that decides, if not given.
        """

    @property
    @abstractmethod
    def payoff(self) -> tuple[float, ...]:
        """Each seat's payoff in the finished game.

        Raises:
            NotOver: the game is not over.
        """

    @abstractmethod
    def __str__(self) -> str:
        """The text that `game.parse` reads back."""

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        """Return what may come next in a move that is built part by part.

        Args:
            prefix: the parts given so far.
            seat: the seat; the one that decides, if not given.

        Returns:
            The parts that may come next, and whether the parts so far are already a whole move.

        Raises:
            IllegalMove: no move begins with these parts; the message lists what would be right.
        """
        moves = [move.split(";") for move in self.moves(seat)]
        given = [part.strip() for part in prefix]
        fitting = [move for move in moves if move[: len(given)] == given]
        if not fitting:
            fit = max((k for k in range(len(given)) if any(move[:k] == given[:k] for move in moves)), default=0)
            there = list(dict.fromkeys(m[fit] for m in moves if m[:fit] == given[:fit] and len(m) > fit))
            shown = ", ".join(there[:12]) + ", ..." * (len(there) > 12) or "nothing"
            place = f"after {';'.join(given[:fit])!r} comes" if fit else "moves begin with"
            raise IllegalMove(f"no move here begins with {';'.join(given)!r}; {place}: {shown}")
        following = dict.fromkeys(move[len(given)] for move in fitting if len(move) > len(given))
        return Parts(tuple(following), any(len(move) == len(given) for move in fitting) and bool(given))

    def check(self, text: str, seat: int) -> str:
        """Return the text of one seat's move as the record would hold it. Nothing is played.

        Args:
            text: the move.
            seat: the seat that would play it.

        Raises:
            IllegalMove: the move is not allowed here, or not yet whole.
        """
        given = [part.strip() for part in text.split(";")]
        if not self.parts(given, seat).complete:
            raise IllegalMove(f"{text!r} is not yet a whole move")
        return ";".join(given)

    def view(self, seat: int | None) -> Position:
        """Return the position as a seat sees it. Where nothing is hidden, this is the position itself.

        Args:
            seat: the seat; None for a spectator.
        """
        return self

    def svg(self) -> str:
        """Return the drawing as SVG. `data-part` marks what can be clicked, with the text of that part."""
        return Drawing.of(self.game).draw(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def text_art(self) -> str:
        """Return a drawing of the position for the terminal."""
        return Drawing.of(self.game).art(self)

    def __repr__(self) -> str:
        return f"{self.game!r}.parse({str(self)!r})"

    def value_seat(self) -> int:
        """Return the seat for which values are stated: the one that decides, or would decide; else the first."""
        return self.game.next_seat(self) if self.over else max(self.turn, 0)
