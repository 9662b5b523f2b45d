"""Games whose rules are kernels over flat arrays."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, Generic

import numpy as np
from typing_extensions import TypeVar

from stratagem import kernel
from stratagem.compile import Bound, specialise
from stratagem.contract.array_position import ArrayPosition
from stratagem.contract.position import Position
from stratagem.contract.rules import Game
from stratagem.errors import IllegalMove, MissingKernel, OptionError, ParseError, StratagemError
from stratagem.kernel import CHANCE, Ground, State
from stratagem.rng import generator

ArrayOf = TypeVar("ArrayOf", bound="ArrayPosition", default=Any)


class ArrayGame(Game[ArrayOf], Generic[ArrayOf]):
    """A game whose rules are kernels. A subclass says where they are and how big things are, and gives text.

    `rules` is the module that holds the kernels; by default the module of the class, so that a whole game fits in one
    file. `constants` are bound into them at specialisation, and `size`, `max_moves` and the rest are set in `setup`.
    """

    rules: ModuleType | None = None
    size: int = 0  # cells of a state; every game says it
    scratch: int = 0  # spare cells behind them, outside copies and equality
    max_moves: int = 1  # the most moves one player can have
    move_bound: int | None = None  # moves are integers below it, and each means the same everywhere, where that is so
    actions: int = 1  # decisions of one turn, where a turn is several; those beyond are possible, but nobody plans them
    exact_key: bool = False  # whether equal keys mean equal states

    def usual_nodes(self, position: Position) -> float | None:
        """Return about how many nodes it takes to solve such a position, or None where that is not known.

        Args:
            position: the position to solve.
        """
        return None

    @property
    def constants(self) -> dict[str, Any]:
        """The names that the kernels mention and that this instance decides, each with its value."""
        return {}

    def ground(self) -> Ground:
        """Return the read-only data of this instance, which the kernels take as `g`."""
        return np.zeros(1, np.int64)

    def first(self, s: State) -> None:
        """Write the start of the game into a state of zeros.

        Args:
            s: the state, changed in place.
        """

    # -- kernels

    @cached_property
    def g(self) -> Ground:
        """The ground: what `ground` returned, made read-only."""
        ground = self.ground()
        ground.setflags(write=False)
        return ground

    @cached_property
    def names(self) -> dict[str, Any]:
        """All names that a template needs: the game's kernels, each with its constants, and the sizes."""
        module = self.rules or sys.modules[type(self).__module__]
        sizes: dict[str, Any] = {
            "SIZE": self.size,
            "CELLS": self.size + self.scratch,
            "PLAYERS": self.players,
            "MAX_MOVES": self.max_moves,
            "LOW": float(self.payoff_range[0]),
            "HIGH": float(self.payoff_range[1]),
            "EXACT_KEY": self.exact_key,
        }
        own = {**self.constants, **sizes}
        given = {
            name: getattr(module, name) for name in kernel.NAMES if inspect.isfunction(getattr(module, name, None))
        }
        given = {name: f for name, f in given.items() if f.__module__ != kernel.__name__}
        missing = [name for name in kernel.REQUIRED if name not in given]
        if missing:
            parts = [f"{name}({', '.join(inspect.signature(getattr(kernel, name)).parameters)})" for name in missing]
            raise OptionError(
                f"{module.__file__ or module.__name__} lacks the kernel{'s' * (len(parts) > 1)} {', '.join(parts)}: "
                "every game gives turn, count, move, play and payoff, also where they have nothing to do"
            )
        # Kernels that another one mentions, and derived ones, resolve in this game's own names.
        for name in kernel.DERIVED:
            given.setdefault(name, getattr(kernel, name))
        bound: dict[str, Any] = {name: Bound(f, own) for name, f in given.items()}
        own.update(bound)
        return {**bound, **sizes}

    def gives(self, name: str) -> bool:
        """Return whether the rules give an optional kernel.

        Args:
            name: the kernel's name, such as `"key"`.
        """
        return name in self.names

    @cached_property
    def _face(self) -> dict[str, Any]:
        return {}

    def run(self, name: str, *args: Any) -> Any:
        """Call one kernel from Python, interpreted.

        Args:
            name: the kernel's name, such as `"count"`.
            *args: its arguments, as `stratagem.kernel` lists them.

        Raises:
            MissingKernel: the game does not give this kernel.
            StratagemError: the kernel did not return a whole number where it must.
        """
        if name not in self._face:
            if name not in self.names:
                raise MissingKernel(f"{self.name} does not give the kernel {name!r}")
            bound: Bound = self.names[name]
            self._face[name] = specialise(bound.function, bound.names, target="python", label=f"{self.name} {name}")
        try:
            found = self._face[name](*args)
        except TypeError:
            self._check_parts(name, args)
            raise
        if name in kernel.WHOLE and not isinstance(found, int | np.integer | np.bool_):
            self._check_parts(name, args)
            gave = "nothing: it lacks a return" if found is None else f"{found}, no whole number: write // or int()"
            raise StratagemError(f"the kernel {name} of {self.name} gave {gave}")
        return found

    def _check_parts(self, name: str, args: Sequence[Any]) -> None:
        """Where a derived kernel passes on what `count` or `move` gave, name that one."""
        if name in ("moves", "sample") and self.names[name].function.__module__ == kernel.__name__:
            g, s, p = args[:3]
            for k in range(self.run("count", g, s, p)):
                self.run("move", g, s, p, k)

    def rule(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the rules that is not a kernel of the contract, interpreted.

        Args:
            function: a function that may use the names of kernels and constants of this game.
            *args: its arguments.

        Returns:
            What the function returns.
        """
        name = function.__name__
        if name not in self._face:
            self._face[name] = specialise(function, self.names["turn"].names, target="python")
        return self._face[name](*args)

    def blank(self) -> State:
        """Return a state of zeros, with the scratch cells behind it."""
        if self.size < 1:
            raise OptionError(
                f"the class {type(self).__name__} lacks `size`, how many numbers a state has, such as `size = 4`"
            )
        return np.zeros(self.size + self.scratch, np.int64)

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> ArrayOf:
        """Return the position of a state. A game with its own class of positions overrides this.

        Args:
            state: the state. It becomes read-only.
            history: the moves that led to it, as texts.
            origin: the text of the position from which `history` begins; None for the game's start.
        """
        found: Any = ArrayPosition(self, state, history, origin)
        return found

    # -- text: a game overrides these

    def move_text(self, s: State, p: int, m: int) -> str:
        """Return the text of a move or of an outcome of chance. The default is its number.

        Args:
            s: the state before the move.
            p: the player who moves, or `CHANCE`.
            m: the number of the move, as the kernels count.
        """
        return str(m)

    def parse_move(self, s: State, p: int, text: str) -> int:
        """Return the number of the move that a text describes. The default compares the texts of all legal moves.

        Args:
            s: the state.
            p: the player who moves, or `CHANCE`.
            text: the move.

        Raises:
            IllegalMove: no legal move has this text.
        """
        text = text.strip()
        for m in self.legal(s, p):
            if self.move_text(s, p, m) == text:
                return m
        raise IllegalMove(self.why_illegal(s, p, text))

    def why_illegal(self, s: State, p: int, text: str) -> str:
        """Return the message about a move that is not legal. The default lists the legal ones.

        Args:
            s: the state.
            p: the player who moves, or `CHANCE`.
            text: the move as it was given.
        """
        legal = [self.move_text(s, p, m) for m in self.legal(s, p)]
        shown = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
        return f"{text!r} is not a legal move here; legal: {shown}"

    def state_text(self, position: ArrayOf) -> str:
        """Return the text of a position. The default lists the cells of its state.

        Args:
            position: the position.
        """
        return ",".join(str(int(x)) for x in position.state[: self.size])

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        """Return the state that a text describes, and the moves that led to it if the text holds them.

        Args:
            text: the position in the game's notation.

        Raises:
            ParseError: the text is not a position.
        """
        s = self.blank()
        try:
            cells = [int(x) for x in text.split(",")]
        except ValueError:
            raise ParseError(f"{text!r} is not a position of {self.name}: {self.size} numbers with commas") from None
        if len(cells) != self.size:
            raise ParseError(f"{text!r} has {len(cells)} numbers; a position of {self.name} has {self.size}")
        s[: self.size] = cells
        return s, ()

    # -- the face

    def legal(self, s: State, p: int) -> list[int]:
        """Return the numbers of all legal moves of a player, or of all outcomes of chance.

        Args:
            s: the state.
            p: the player, or `CHANCE`.

        Raises:
            StratagemError: the rules gave more moves than `max_moves`.
        """
        if p == CHANCE:
            return list(range(self.run("count", self.g, s, CHANCE)))
        out = np.empty(max(self.max_moves, 1), np.int64)
        try:
            n = self.run("moves", self.g, s, p, out)
        except IndexError:
            if (given := int(self.run("count", self.g, s, p))) > self.max_moves:
                raise StratagemError(
                    f"the kernel count of {self.name} gave {given}, and its max_moves is {self.max_moves}"
                ) from None
            raise
        return [int(m) for m in out[:n]]

    def start(self, seed: int | None = None) -> ArrayOf:
        """Return the position at the start of the game.

        Args:
            seed: chance events that open the game are drawn from this seed. Without it, they are still to be played.

        Raises:
            OptionError: the class does not say its `size`.
        """
        s = self.blank()
        self.first(s)
        position: Any = self.position(s)
        if seed is not None:
            rng = generator(seed)
            while position.turn == CHANCE:
                position = position.play(position.sample(rng))
        return position

    def parse(self, text: str) -> ArrayOf:
        """Return the position that a text describes; `str(position)` is such a text.

        Args:
            text: the position in the game's notation. The empty text and `start` are the start of the game.

        Raises:
            ParseError: the text is not a position.
        """
        if not isinstance(text, str):
            raise ParseError(f"{text!r} is no text; a position of {self.name} is one, such as {str(self.start())!r}")
        text = text.strip()
        if text in ("", "start"):
            return self.start()
        s, history = self.parse_state(text)
        return self.position(s, history, None if history else text)
