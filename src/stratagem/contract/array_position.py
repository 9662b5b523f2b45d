"""Positions of games whose rules are kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.contract.companions.wording import Wording
from stratagem.contract.position import JOINT, UNASKED, Position
from stratagem.errors import GameOver, IllegalMove, NotOver, StratagemError
from stratagem.kernel import CHANCE, NO_MOVE, NOBODY, OVER, TOGETHER, State
from stratagem.rng import Rng, unit

if TYPE_CHECKING:
    from stratagem.contract.array_game import ArrayGame


class ArrayPosition(Position):
    """A position whose state is a flat array of whole numbers, which the game's kernels read."""

    def __init__(
        self,
        game: ArrayGame,
        state: State,
        history: tuple[str, ...] = (),
        origin: str | None = None,
        seat: int | None = None,
    ) -> None:
        self.game: ArrayGame = game
        self.state = state
        self.history = history
        self.origin = origin
        self.seat = seat
        state.setflags(write=False)

    @cached_property
    def turn(self) -> int:
        """The seat that decides now, or `CHANCE`, `TOGETHER` (several decide at once) or `OVER`."""
        found, seats = int(self.game.run("turn", self.game.g, self.state)), self.game.players
        if not (0 <= found < seats or found in (OVER, CHANCE, TOGETHER)):
            raise StratagemError(
                f"the kernel turn of {self.game.name} gave {found}; it gives a seat, 0 to {seats - 1}, or OVER, CHANCE, TOGETHER"
            )
        return found

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that must decide now; none at `CHANCE` and when the game is over."""
        if self.turn == TOGETHER:
            return tuple(p for p in range(self.game.players) if self.game.run("count", self.game.g, self.state, p) > 0)
        return (self.turn,) if self.turn >= 0 else ()

    def _decider(self, seat: int | None) -> int:
        if self.turn == OVER:
            raise GameOver(
                f"the game is over ({Wording.of(self.game).outcome(self)}): there is no move to make in {str(self)!r}"
            )
        if seat is None:
            if self.turn == TOGETHER:
                raise StratagemError("all seats decide at once here: say which seat's moves are meant")
            return self.turn
        if seat not in self.asked:
            raise IllegalMove(f"{self.game.seat_name(seat)} has nothing to decide in {str(self)!r}")
        return seat

    def move_numbers(self, seat: int | None = None) -> list[int]:
        """Return the moves of a seat as the kernels number them.

        Args:
            seat: the seat; the one that decides, if not given.

        Raises:
            GameOver: the game is over.
            IllegalMove: the seat has nothing to decide.
        """
        p = self._decider(seat)
        if p not in self._listed:
            self._listed[p] = self.game.legal(self.state, p)
        return list(self._listed[p])

    @cached_property
    def _listed(self) -> dict[int, list[int]]:
        """The moves of a player, once asked for: the rules are interpreted here, and searches ask again and again."""
        return {}

    def moves(self, seat: int | None = None) -> list[str]:
        """Return the texts of all moves of a seat, or of all outcomes of chance.

        Args:
            seat: the seat; the one that decides, if not given.

        Raises:
            GameOver: the game is over.
            IllegalMove: the seat has nothing to decide.
        """
        p = self._decider(seat)
        return [self.game.move_text(self.state, p, m) for m in self.move_numbers(seat)]

    def line(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the texts of moves that are played one after another from here.

        Args:
            numbers: the moves as the kernels number them.
        """
        game, s, texts = self.game, self.state.copy(), []
        for m in numbers:
            p = int(game.run("turn", game.g, s))
            texts.append(game.move_text(s, p, m))
            game.run("play", game.g, s, p, m)
        return tuple(texts)

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        """Return the text of a random move of a seat, or of a random outcome of chance with its odds.

        Args:
            rng: the generator, from `stratagem.generator`.
            seat: the seat; the one that decides, if not given.

        Raises:
            GameOver: the game is over.
            IllegalMove: the seat has nothing to decide.
        """
        p = self._decider(seat)
        game, g = self.game, self.game.g
        if p == CHANCE:
            return self._draw(rng)
        return game.move_text(self.state, p, int(game.run("sample", g, self.state, p, rng)))

    def check(self, text: str, seat: int) -> str:
        """Return the text of one seat's move as the record would hold it. Nothing is played.

        Args:
            text: the move.
            seat: the seat that would play it.

        Raises:
            IllegalMove: the move is not allowed here.
        """
        p = self._decider(seat)
        return self.game.move_text(self.state, p, self.game.parse_move(self.state, p, text))

    def _draw(self, rng: Rng) -> str:
        """A chance outcome's text. A game whose outcomes are too many to number overrides this and `_apply_chance`."""
        game, g = self.game, self.game.g
        n = int(game.run("count", g, self.state, CHANCE))
        chances = [float(game.run("odds", g, self.state, k)) for k in range(n)]
        with np.errstate(over="ignore"):
            x = unit(rng)
        k = int(np.searchsorted(np.cumsum(chances), x, side="right"))
        return game.move_text(self.state, CHANCE, min(k, n - 1))

    def _apply_chance(self, s: State, text: str) -> str:
        m = self.game.parse_move(self.state, CHANCE, text)
        self.game.run("play", self.game.g, s, CHANCE, m)
        return self.game.move_text(self.state, CHANCE, m)

    def play(self, text: str | Sequence[str]) -> Any:  # a position of the same game
        """Return the position after a move, an outcome of chance, or a joint move. This position stays as it is.

        Args:
            text: the text of the move. Where several seats decide at once: one text per seat, or all with ` | `
                between.

        Raises:
            IllegalMove: the rules do not allow the move here.
            GameOver: the game is over.
        """
        game, g = self.game, self.game.g
        if self.seat is not None and game.hidden and self.turn == TOGETHER:
            raise IllegalMove("this is one seat's view: a joint move needs the true position")
        s = self.state.copy()
        if self.turn == TOGETHER:
            text = self._play_together(s, text)
        else:
            text = _one_text(text)
            p = self._decider(None)
            if p == CHANCE:
                text = self._apply_chance(s, text)
            else:
                m = game.parse_move(self.state, p, text)
                text = game.move_text(self.state, p, m)
                game.run("play", g, s, p, m)
        return game.position(s, (*self.history, text), self.origin)

    def _play_together(self, s: State, text: str | Sequence[str]) -> str:
        game = self.game
        given = text.split(JOINT) if isinstance(text, str) else [_one_text(one) for one in text]
        asked = self.asked
        if len(given) == len(asked) != game.players:
            given = [given[asked.index(p)] if p in asked else UNASKED for p in range(game.players)]
        if len(given) != game.players:
            raise IllegalMove(
                f"all {game.players} seats decide at once: give {game.players} moves with {JOINT.strip()!r} between them"
            )
        joint = np.full(game.players, NO_MOVE, np.int64)
        texts = [UNASKED] * game.players
        for p in asked:
            try:
                joint[p] = game.parse_move(self.state, p, given[p])
            except IllegalMove as error:
                raise IllegalMove(f"{game.seat_name(p)}: {error}") from None
            texts[p] = game.move_text(self.state, p, int(joint[p]))
        game.run("play_together", game.g, s, joint)
        return JOINT.join(texts)

    @cached_property
    def payoff(self) -> tuple[float, ...]:
        """Each seat's payoff in the finished game.

        Raises:
            NotOver: the game is not over.
        """
        if self.turn != OVER:
            raise NotOver(f"the game is not over in {str(self)!r}, so nobody has a payoff yet")
        out = np.zeros(self.game.players, np.float64)
        self.game.run("payoff", self.game.g, self.state, out)
        return tuple(float(x) for x in out)

    def view(self, seat: int | None) -> ArrayPosition:
        """Return the position as a seat sees it. Where nothing is hidden, this is the position itself.

        Args:
            seat: the seat; None for a spectator.
        """
        if not self.game.hidden:
            return self
        s = self.state.copy()
        self.game.run("hide", self.game.g, s, NOBODY if seat is None else seat)
        shown = self.game.position(s)
        shown.seat = NOBODY if seat is None else seat
        shown.history = self.game_history(seat)
        return shown

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        """Return the part of the record that a seat may know. With hidden information, the default is nothing.

        Args:
            seat: the seat; None for a spectator.
        """
        return ()

    def __str__(self) -> str:
        return self.game.state_text(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayPosition)
            and self.game == other.game
            and self.seat == other.seat
            and bool(np.array_equal(self.state[: self.game.size], other.state[: other.game.size]))
        )

    def __hash__(self) -> int:
        return hash((self.game, self.state[: self.game.size].tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (
            type(self),
            type(self.game),
            self.game.chosen,
            self.state,
            self.history,
            self.origin,
            self.seat,
        )


def _one_text(given: Any) -> str:
    """The text of one move, also where it comes in a list."""
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 1:
        (given,) = given
    if not isinstance(given, str):
        raise IllegalMove(f"{given!r} is no text; a move is one, as position.moves() lists them")
    return given


def _restore(
    kind: type[ArrayPosition],
    game: type[ArrayGame],
    chosen: Mapping[str, Any],
    state: State,
    history: tuple[str, ...],
    origin: str | None,
    seat: int | None,
) -> ArrayPosition:
    return kind(game(**chosen), state, history, origin, seat)
