"""The rules of a game with its options fixed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from typing_extensions import TypeVar

from stratagem.contract.companions.companion import undeclared
from stratagem.contract.options import Option
from stratagem.contract.position import COMPANIONS, Position
from stratagem.errors import OptionError, StratagemError, UnknownName
from stratagem.plans.plan import MOVE, Plan

if TYPE_CHECKING:
    from stratagem.contract.player import Solver

Of = TypeVar("Of", bound=Position, default=Any)  # the positions of a game


class Game(ABC, Generic[Of]):
    """The rules of a game with its options fixed. `Game[MyPosition]` says what its positions are.

    Most games derive from `ArrayGame`. Derive from `Game` itself where moves cannot be numbered. `stratagem.game` makes
    a game by name; equal games have the same class and options.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    brief: ClassVar[str] = ""  # the rules in a few sentences
    guide: ClassVar[str] = ""  # how to read the drawing in a terminal, and how a move is typed, in a line or a few
    plan: ClassVar[Plan] = MOVE  # the kind of plan that a move is
    family: ClassVar[str] = (
        ""  # the group of games that a front page lists it in, "armies" say; by its plan if not given
    )
    options: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[
        tuple[tuple[str, Mapping[str, Any]], ...]
    ] = ()  # usual ways to play it in words, and their options

    source: ClassVar[str | None] = None  # the file a game was read from, if it is not one of the package's

    players: int = 2
    seats: tuple[str, ...] = ("first", "second")  # the seats' names in text
    zero_sum: bool = True
    payoff_range: tuple[float, float] = (-1.0, 1.0)
    hidden: bool = False  # whether some seat cannot see everything
    max_length: int | None = None  # the most plies a game can last, if known
    engine: str | None = None  # the player that analyses it, where that is not the usual one

    def __init__(self, **options: Any) -> None:
        for needed in ("name", "title"):
            if not hasattr(self, needed):
                raise OptionError(f"the class {type(self).__name__} lacks `{needed}`, a text")
        declared = {option.name: option for option in self.options}
        for name in options:
            if name not in declared:
                raise (
                    UnknownName(f"option of {self.name}", name, declared)
                    if declared
                    else OptionError(f"{self.name} has no options, so none called {name!r}")
                )
        self.chosen: dict[str, Any] = {
            name: option.check(options.get(name, option.default)) for name, option in declared.items()
        }
        self.setup()
        self._check_range()

    def _check_range(self) -> None:
        """Searches compute with the range, so that a wrong one would give wrong answers without a word."""
        try:
            low, high = (float(x) for x in self.payoff_range)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise OptionError(
                f"payoff_range of {self.name} is {self.payoff_range!r}; give the least and the largest payoff, as (-1.0, 1.0)"
            )
        if self.players == 2 and self.zero_sum and low != -high:
            most = max(abs(low), abs(high))
            raise OptionError(
                f"payoff_range of {self.name} is {self.payoff_range!r}, but what one of two players wins the other loses: "
                f"give {(-most, most)!r}, or zero_sum = False"
            )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not isinstance(cls.plan, Plan):
            raise OptionError(f"{cls.__name__}.plan is {cls.plan!r}; it is a Plan, such as stratagem.plans.plan.BID")
        if (missing := undeclared(cls, COMPANIONS)) is not None:
            method, companion = missing
            raise OptionError(
                f"{cls.__name__} defines `{method}`, which belongs to {companion}: "
                f"declare it, class {cls.__name__}(ArrayGame, {companion})"
            )

    def setup(self) -> None:
        """Derive what the options decide, such as the size of a state. Authors of games override this.

        Raises:
            OptionError: the combination of options makes no game.
        """

    @classmethod
    def suggested(cls, option: str) -> tuple[str, ...]:
        """Return values of an option to choose from, where it takes others too, such as names beside files.

        Args:
            option: the name of the option.
        """
        return ()

    def __getitem__(self, option: str) -> Any:
        return self.chosen[option]

    @property
    def address(self) -> str:
        """The text by which `stratagem.game` finds this game: its name, or the file that it was read from."""
        return self.source or self.name

    @abstractmethod
    def start(self, seed: int | None = None) -> Of:
        """Return the position at the start of the game.

        Args:
            seed: chance events that open the game are drawn from this seed. Without it, they are still to be played.
        """

    @abstractmethod
    def parse(self, text: str) -> Of:
        """Return the position that a text describes; `str(position)` is such a text.

        Args:
            text: the position in the game's notation, which the game's page describes.

        Raises:
            ParseError: the text is not a position.
        """

    def next_seat(self, position: Of) -> int:
        """Return the seat whose turn it would be in a finished game.

        Args:
            position: the finished game's last position.
        """
        return len(position.history) % self.players

    def seat_name(self, seat: int) -> str:
        """Return the name of a seat in text.

        Args:
            seat: the seat, from 0.
        """
        return self.seats[seat] if seat < len(self.seats) else f"player {seat + 1}"

    def solver(self) -> Solver[Of] | None:
        """Return the game's own solver, which `stratagem.solve` then uses; None for alpha-beta to the end."""
        return None

    def replay(self, moves: Iterable[str], origin: str | None = None) -> Of:
        """Return the position after the moves of a record.

        Args:
            moves: the texts of all that was played, outcomes of chance included.
            origin: the text of the position that the record begins with; the start of the game, if not given.

        Raises:
            StratagemError: a move is not allowed; the message says which one.
        """
        position: Any = self.start() if origin is None else self.parse(origin)
        for ply, text in enumerate(moves):
            try:
                position = position.play(text)
            except StratagemError as error:
                error.args = (f"move {ply + 1} of the record: {error}",)
                raise
        return position

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Game) and self.chosen == other.chosen

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.chosen.values())))

    def __reduce__(self) -> tuple[Any, ...]:
        """From its options, for pickling and copying: what is derived of them is derived again."""
        return _made_again, (type(self), self.chosen)

    def __repr__(self) -> str:
        declared = {option.name: option.default for option in self.options}
        changed = "".join(f", {name}={value!r}" for name, value in self.chosen.items() if value != declared[name])
        return f"stratagem.game({self.address!r}{changed})"


def _made_again(kind: type[Game], chosen: Mapping[str, Any]) -> Game:
    return kind(**chosen)
