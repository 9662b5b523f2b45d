"""Games by numbers, for learners: whose turn it is, what may be done as a mask, what a seat sees as an array.

An action is a number. Where a game says that its moves are integers below a bound (`move_bound`), that integer is the action, and
it means the same in every position; elsewhere the k-th of the moves listed is action k, and its meaning changes with the
position. A seat's observation is the cells of its view, so nothing that is hidden from it is in there.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import CHANCE, OVER, TOGETHER, UNASKED, ArrayGame, Game, Position
from stratagem.errors import IllegalMove, OptionError, StratagemError, Unlistable
from stratagem.kernel import (
    NO_MOVE,
    NOBODY,
    Ground,
    Moves,
    State,
    Unbound,
    draw,
    hide,
    moves,
    play,
    play_together,
    turn,
)
from stratagem.registry import game as make_game
from stratagem.rng import Rng, generator
from stratagem.search.sampling.playouts import has_chance

HAS_CHANCE: bool = cast(Any, Unbound("HAS_CHANCE"))
HAS_TOGETHER: bool = cast(Any, Unbound("HAS_TOGETHER"))
TEXT_LENGTH = 400  # cells of an observation that is a text
MOST_ACTIONS = 200_000

Numbers = NDArray[np.integer[Any]]


def settle(g: Ground, s: State, r: Rng) -> int:
    """Draw what chance decides; whose turn it is then."""
    if HAS_CHANCE:
        while turn(g, s) == CHANCE:
            draw(g, s, r)
    return turn(g, s)


def one_decides(g: Ground, s: State, p: int, m: int, r: Rng) -> int:
    play(g, s, p, m)
    return settle(g, s, r)


def all_decide(g: Ground, s: State, joint: Moves, r: Rng) -> int:
    play_together(g, s, joint)
    return settle(g, s, r)


def listed(g: Ground, s: State, p: int, out: Moves) -> int:
    return moves(g, s, p, out)


def seen_by(g: Ground, s: State, p: int) -> None:
    hide(g, s, p)


class Stepper(ABC):
    """One game under way, by numbers. `reset` begins it; `turn` and `asked` say who decides, `play` what they do."""

    game: Game
    actions: int  # an action is less than this
    shape: int  # cells of an observation
    dtype: type = np.int64
    turn: int = OVER

    @abstractmethod
    def reset(self, seed: int | None = None) -> None:
        """A new game; chance falls by the seed."""

    @property
    @abstractmethod
    def asked(self) -> tuple[int, ...]: ...

    @abstractmethod
    def legal(self, seat: int) -> list[int]:
        """The actions that a seat has now."""

    @abstractmethod
    def observe(self, seat: int) -> Numbers: ...

    @abstractmethod
    def play(self, actions: dict[int, int]) -> None:
        """The action of the seat that decides, or of all that do at once."""

    @abstractmethod
    def position(self) -> Position:
        """The true position, without its history."""

    @abstractmethod
    def action_of(self, seat: int, text: str) -> int: ...

    @abstractmethod
    def text_of(self, seat: int, action: int) -> str: ...

    @property
    def payoff(self) -> tuple[float, ...]:
        return self.position().payoff

    def mask(self, seat: int) -> NDArray[np.int8]:
        found = np.zeros(self.actions, np.int8)
        if seat in self.asked:
            found[self.legal(seat)] = 1
        return found

    def _check(self, actions: dict[int, int]) -> None:
        for seat in self.asked:
            if seat not in actions:
                raise IllegalMove(
                    f"{self.game.seat_name(seat)} has to decide too; give an action for seats {self.asked}"
                )
            if int(actions[seat]) not in self.legal(seat):
                raise IllegalMove(f"action {actions[seat]!r} of {self.game.seat_name(seat)} is not in its action mask")


class ArrayStepper(Stepper):
    """By kernels, compiled or interpreted."""

    def __init__(self, game: ArrayGame, *, compiled: bool = True) -> None:
        self.game: ArrayGame = game
        self.shape = game.size
        self.bound = game.move_bound
        self.actions = self.bound or game.max_moves
        names = {**game.names, "HAS_CHANCE": has_chance(game), "HAS_TOGETHER": game.gives("play_together")}
        target = "cpu" if compiled else "python"

        def made(template: Any) -> Any:
            return specialise(template, names, target=target, label=f"{game.name} by numbers")

        self._settle, self._one, self._moves = made(settle), made(one_decides), made(listed)
        self._all = made(all_decide) if game.gives("play_together") else None
        self._hide = made(seen_by) if game.hidden else None
        self._out = np.empty(max(game.max_moves, 1), np.int64)
        self._listed: dict[int, list[int]] = {}
        self.state = game.blank()
        self._rng = generator(0)

    def reset(self, seed: int | None = None) -> None:
        self._rng = generator(secrets.randbits(62) if seed is None else seed)
        self.state = self.game.blank()
        self.game.first(self.state)
        self._turned(self._settle(self.game.g, self.state, self._rng))

    def _turned(self, turn: int) -> None:
        self.turn = int(turn)
        self._listed = {}

    @property
    def asked(self) -> tuple[int, ...]:
        if self.turn == TOGETHER:
            return tuple(p for p in range(self.game.players) if self._numbers(p))
        return (self.turn,) if self.turn >= 0 else ()

    def _numbers(self, seat: int) -> list[int]:
        found = self._listed.get(seat)
        if found is None:
            n = self._moves(self.game.g, self.state, seat, self._out)
            found = self._listed[seat] = self._out[:n].tolist()
        return found

    def legal(self, seat: int) -> list[int]:
        return self._numbers(seat) if self.bound is not None else list(range(len(self._numbers(seat))))

    def observe(self, seat: int) -> Numbers:
        seen = self.state.copy()
        if self._hide is not None:
            self._hide(self.game.g, seen, NOBODY if seat < 0 else seat)
        return seen[: self.game.size]

    def _number(self, seat: int, action: int) -> int:
        return int(action) if self.bound is not None else self._numbers(seat)[int(action)]

    def play(self, actions: dict[int, int]) -> None:
        if self.turn == OVER:
            raise StratagemError("the game is over: reset it first")
        self._check(actions)
        g, s, r = self.game.g, self.state, self._rng
        if self.turn == TOGETHER:
            joint = np.full(self.game.players, NO_MOVE, np.int64)
            for seat in self.asked:
                joint[seat] = self._number(seat, actions[seat])
            assert self._all is not None
            self._turned(self._all(g, s, joint, r))
        else:
            self._turned(self._one(g, s, self.turn, self._number(self.turn, actions[self.turn]), r))

    def position(self) -> Position:
        found: Position = self.game.position(self.state.copy())
        return found

    def action_of(self, seat: int, text: str) -> int:
        number = self.game.parse_move(self.state, seat, text)
        return number if self.bound is not None else self._numbers(seat).index(number)

    def text_of(self, seat: int, action: int) -> str:
        return self.game.move_text(self.state, seat, self._number(seat, action))


class TextStepper(Stepper):
    """By texts, for a game without kernels whose moves can be listed: action k is the k-th move. A seat sees the letters of
    its view's text, as numbers."""

    dtype = np.int32

    def __init__(self, game: Game) -> None:
        self.game = game
        self.shape = TEXT_LENGTH
        start = game.start(seed=0)
        try:
            self.actions = max(len(start.moves(seat)) for seat in start.asked)
        except Unlistable as error:
            raise OptionError(f"the moves of {game!r} are too many to number: {error}") from None
        self._at: Position = start
        self._rng = generator(0)

    def reset(self, seed: int | None = None) -> None:
        self._rng = generator(secrets.randbits(62) if seed is None else seed)
        self._settle(self.game.start())

    def _settle(self, position: Position) -> None:
        while position.turn == CHANCE:
            position = position.play(position.sample(self._rng))
        self._at, self.turn = position, position.turn

    @property
    def asked(self) -> tuple[int, ...]:
        return self._at.asked

    def legal(self, seat: int) -> list[int]:
        return list(range(len(self._at.moves(seat))))

    def observe(self, seat: int) -> Numbers:
        seen = np.zeros(self.shape, self.dtype)
        text = [ord(letter) for letter in str(self._at.view(None if seat < 0 else seat))[: self.shape]]
        seen[: len(text)] = text
        return seen

    def play(self, actions: dict[int, int]) -> None:
        if self.turn == OVER:
            raise StratagemError("the game is over: reset it first")
        self._check(actions)
        texts = [self.text_of(p, actions[p]) if p in self.asked else UNASKED for p in range(self.game.players)]
        self._settle(self._at.play(texts if self.turn == TOGETHER else texts[self.turn]))

    def position(self) -> Position:
        return self._at

    def action_of(self, seat: int, text: str) -> int:
        return self._at.moves(seat).index(text)

    def text_of(self, seat: int, action: int) -> str:
        return self._at.moves(seat)[int(action)]


def stepper(game: str | Game, *, compiled: bool = True, **options: Any) -> Stepper:
    """A game by numbers; OptionError where its moves cannot be listed."""
    of = make_game(game, **options) if isinstance(game, str) else game
    if not isinstance(of, ArrayGame):
        return TextStepper(of)
    start = of.start(seed=0)
    try:
        start.moves(start.asked[0])
    except Unlistable as error:
        raise OptionError(f"the moves of {of!r} are too many to number: {error}") from None
    if (of.move_bound or of.max_moves) > MOST_ACTIONS:
        raise OptionError(f"{of!r} has up to {of.max_moves} moves; {MOST_ACTIONS} can be numbered")
    return ArrayStepper(of, compiled=compiled)


def raster(svg: str, width: int = 480) -> NDArray[np.uint8]:
    """A drawing as pixels: uint8 array [height, width, 3]."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise StratagemError("pixels need resvg_py and pillow: pip install 'stratagem[neighbours]'") from None
    import io

    png = resvg_py.svg_to_bytes(svg_string=svg, width=width, background="#ffffff")
    return np.asarray(Image.open(io.BytesIO(bytes(png))).convert("RGB"))
