"""The contract between games, searches and people; read this first.

A `Game` is one set of rules with its options fixed; a `Position` is an immutable point in it. Together they are what the
command line, the web page, the arena and players see: positions and moves have text, positions draw themselves, and a
record of a game is its options and the texts of what was played, chance outcomes included.

Most games are an `ArrayGame`: kernels over flat arrays (`stratagem.kernel`) with a thin face on top. A one-shot game or a
game whose moves cannot be listed may subclass `Game` and `Position` alone and give only text moves and payoffs.

Where the players decide one after another, `position.turn` is a seat. At `TOGETHER` every seat of `position.asked`
decides in secret, and the joint move's text has ` | ` between the seats' moves, `-` for seats that are not asked. At
`CHANCE` nobody is asked, and outcomes are played like moves. A move of many parts has `;` between them.
"""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import numpy as np
from typing_extensions import TypeVar

from stratagem import kernel
from stratagem.compile import Bound, specialise
from stratagem.contract.editing import Sheet
from stratagem.contract.puzzling import Puzzling
from stratagem.contract.showing import BoardRecord, Frame, Mark
from stratagem.drawing import text_card
from stratagem.errors import (
    GameOver,
    IllegalMove,
    MissingKernel,
    OptionError,
    ParseError,
    StratagemError,
    UnknownName,
)
from stratagem.kernel import CHANCE, NO_MOVE, NOBODY, OVER, TOGETHER, Ground, State
from stratagem.plans.plan import KINDS, MOVE, Plan
from stratagem.rng import Rng, generator, unit

if TYPE_CHECKING:
    from stratagem.contract.player import Solver

__all__ = [
    "CHANCE",
    "NOBODY",
    "OVER",
    "TOGETHER",
    "ArrayGame",
    "ArrayPosition",
    "BoardRecord",
    "Form",
    "Frame",
    "Game",
    "Mark",
    "Option",
    "Parts",
    "Plan",
    "Position",
]

JOINT = " | "
UNASKED = "-"


@dataclass(frozen=True)
class Option:
    """One option of a game; the command line and the web build their flags and forms from these."""

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    kind: type | None = (
        None  # int, float, bool, str, or tuple (comma-separated integers); the default's own type if None
    )
    outside: bool = False  # its value names a file: taken on the command line, refused from the web

    @property
    def type(self) -> type:
        return self.kind or type(self.default)

    def check(self, value: Any) -> Any:
        """The value in the option's own type, or an OptionError that says what would be right."""
        if value is None and self.default is None:
            return None
        try:
            if self.type is tuple:
                items = value.split(",") if isinstance(value, str) else value
                value = tuple(int(item) for item in items)
            elif self.type is bool and isinstance(value, str):
                value = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
            elif self.type is int and isinstance(value, float) and value != int(value):
                raise ValueError
            else:
                value = self.type(value)
        except (ValueError, KeyError, TypeError):
            expected = {"tuple": "whole numbers with commas between", "int": "a whole number", "float": "a number"}
            raise OptionError(
                f"option {self.name} is {value!r}; it takes {expected.get(self.type.__name__, 'a ' + self.type.__name__)}"
            ) from None
        if self.choices and value not in self.choices:
            raise OptionError(f"option {self.name} is {value!r}; it is one of {', '.join(map(str, self.choices))}")
        for item in value if isinstance(value, tuple) else (value,):
            if (self.minimum is not None and item < self.minimum) or (self.maximum is not None and item > self.maximum):
                if self.maximum is None:
                    bounds = f"at least {self.minimum:g}"
                elif self.minimum is None:
                    bounds = f"at most {self.maximum:g}"
                else:
                    bounds = f"from {self.minimum:g} to {self.maximum:g}"
                raise OptionError(f"option {self.name} is {item!r}; it goes {bounds}")
        return value


@dataclass(frozen=True)
class Form:
    """How a part that is written is filled in: entries with commas between, each with a label of its own."""

    kind: str  # one of FORMS
    labels: tuple[str, ...]  # what each entry is for, in their order
    total: int | None = None  # of numbers: what they add up to
    spare: bool = False  # of numbers: whether a smaller sum will do

    def __post_init__(self) -> None:
        if self.kind not in FORMS:
            raise OptionError(f"a form of kind {self.kind!r} is not known; it is one of {', '.join(FORMS)}")


FORMS = ("numbers", "pieces")  # a field for each; pieces of the drawing (`data-piece`), picked in order


@dataclass(frozen=True)
class Parts:
    """What may follow the parts of a move given so far."""

    next: tuple[str, ...]  # texts of the parts that may come next; for free text a few examples
    complete: bool  # whether the parts given are already a whole move
    free: str | None = None  # where parts are not listed: what to type, in words
    form: Form | None = None  # and how a page asks for it
    grave: tuple[str, ...] = ()  # of `next`, those that give something up: pages set them apart and ask again


@dataclass(frozen=True)
class Panel:
    """A question that a game answers about a position, beside its engines: a small form on the analysis page."""

    name: str
    title: str
    help: str
    fields: tuple[tuple[str, str], ...] = ()  # texts that are asked for: the name of each, and what it means


@dataclass(frozen=True)
class Finding:
    """The answer of a panel: words, and moves that can be played, each with a few words about it."""

    text: str
    moves: tuple[tuple[str, str], ...] = ()
    marks: tuple[Mark, ...] = ()  # what it is about, on the board


class Position(ABC):
    """An immutable position. Equal positions compare equal, hash alike and pickle."""

    game: Game
    history: tuple[str, ...]  # texts played since `origin`, chance and joint moves included
    origin: str | None  # the text of the position the history starts from; None: the game's start
    seat: int | None = None  # whose view this is; None: the true position

    @property
    @abstractmethod
    def turn(self) -> int:
        """The seat to decide, or CHANCE, TOGETHER or OVER."""

    @property
    def over(self) -> bool:
        return self.turn == OVER

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that must decide now."""
        return (self.turn,) if self.turn >= 0 else ()

    @abstractmethod
    def moves(self, seat: int | None = None) -> list[str]:
        """The texts of all moves of a seat (the one to decide, if not said), or of chance; raises Unlistable."""

    @abstractmethod
    def play(self, text: str | Sequence[str]) -> Position:
        """The position after a move, a chance outcome, or a joint move (its text, or one text a seat)."""

    @abstractmethod
    def sample(self, rng: Rng, seat: int | None = None) -> str:
        """The text of a random move of a seat, or of a random chance outcome with its odds."""

    @property
    @abstractmethod
    def payoff(self) -> tuple[float, ...]:
        """Each seat's payoff; the game must be over."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that `game.parse` reads back."""

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        """What may come next after the parts of a move given so far."""
        moves = [move.split(";") for move in self.moves(seat)]
        given = [part.strip() for part in prefix]
        fitting = [move for move in moves if move[: len(given)] == given]
        if not fitting:
            raise IllegalMove(f"no move of {self} begins with {';'.join(given)!r}")
        following = dict.fromkeys(move[len(given)] for move in fitting if len(move) > len(given))
        return Parts(tuple(following), any(len(move) == len(given) for move in fitting) and bool(given))

    def check(self, text: str, seat: int) -> str:
        """The text of one seat's move as the record would hold it, or IllegalMove: nothing is played yet."""
        given = [part.strip() for part in text.split(";")]
        if not self.parts(given, seat).complete:
            raise IllegalMove(f"{text!r} is not yet a whole move")
        return ";".join(given)

    def describe(self, move: str, mover: int, viewer: int | None = None) -> str:
        """A move in words, asked before it is played: of seat `mover` (or CHANCE), as `viewer` may know it (None: everything).

        The default is the move's own text; a game that says more says what the move does to whom."""
        return move

    def story(self, text: str, viewer: int | None = None) -> list[str]:
        """What comes of a decision step by step, in sentences, asked before it; nothing where a move is one step."""
        return []

    def look(self, word: str) -> str | None:
        """What there is to know about one thing of the position, such as a territory; None where there is no such thing."""
        return None

    def differences(self, moves: Sequence[str]) -> list[list[str]]:
        """What tells several plans apart: of each, the parts that not all of them have, in its own order."""
        plans = [[part.strip() for part in move.split(";") if part.strip()] for move in moves]
        common = Counter(plans[0]) if plans else Counter()
        for plan in plans[1:]:
            common &= Counter(plan)
        found: list[list[str]] = []
        for plan in plans:
            left = common.copy()
            found.append([])
            for part in plan:
                if left[part] > 0:
                    left[part] -= 1
                else:
                    found[-1].append(part)
        return found

    def answer(self, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
        """The answer of one of the game's panels to the texts given, within a time."""
        raise UnknownName(f"panel of {self.game.name}", panel, [known.name for known in self.game.panels])

    def view(self, seat: int | None) -> Position:
        """What a seat may see (None: a spectator). Where nothing is hidden, the position itself."""
        return self

    def sketch(self, prefix: Sequence[str], seat: int | None = None) -> str:
        """The drawing with the first parts of a plan carried out, where that can be shown; else the position's own."""
        return self.svg()

    def frames(self, text: str, seat: int | None = None) -> list[Frame]:
        """How a move resolves step by step, as drawings for a seat, up to but without the position that follows it.

        Where a move is one step there is nothing between, and the list is empty."""
        return []

    def trace(self, move: str, mover: int) -> tuple[Mark, ...]:
        """What a move, or the parts of one so far, does on the board, asked before it is played."""
        return ()

    def marks(self) -> tuple[Mark, ...]:
        """What is to be seen about this position besides its drawing, such as the line that has won it."""
        return ()

    def overlay(self, place: str, prefix: Sequence[str] = (), seat: int | None = None) -> tuple[Mark, ...]:
        """What is to be seen about the thing on a place, once the parts of a plan so far are carried out: where it may go, what
        it may strike. The words of the first mark say it."""
        return ()

    def heading(self) -> str:
        """Under which the next decision stands in a record, where several belong together: `Turn 3, A`; else nothing."""
        return ""

    def question(self, seat: int) -> str:
        """What a seat is asked to decide, in a few words, where that is more than a move of the game; else nothing."""
        return ""

    def phrases(self, parts: Sequence[str], prefix: Sequence[str] = (), seat: int | None = None) -> list[str]:
        """Parts that may come next, in the words of buttons; where a move has one part, the moves in words."""
        mover = self.turn if seat is None else seat
        if self.game.plan.by_parts or prefix:
            return list(parts)
        return [self.describe(part, mover, seat) for part in parts]

    def svg(self) -> str:
        """The drawing, as SVG; `data-part` marks what can be clicked, with the text of that part."""
        return self.game.draw(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def text_art(self) -> str:
        """A drawing for the terminal."""
        return str(self)

    def text_sketch(self, prefix: Sequence[str], seat: int | None = None) -> str:
        """The same with the first parts of a plan carried out, where that can be shown."""
        return self.text_art()

    def __repr__(self) -> str:
        return f"{self.game!r}.parse({str(self)!r})"

    def value_seat(self) -> int:
        """The seat for whom values are stated: the one to decide; when over, the one who would; else the first."""
        return self.game.next_seat(self) if self.over else max(self.turn, 0)


Of = TypeVar("Of", bound=Position, default=Any)  # the positions of a game


class Game(ABC, Generic[Of]):
    """The rules of a game with its options fixed. `Game[MyPosition]` says what its positions are."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    brief: ClassVar[str] = ""  # the rules in a few sentences
    guide: ClassVar[str] = ""  # how to read the drawing in a terminal, and how a move is typed, in a line or a few
    inks: ClassVar[tuple[tuple[str, str], ...]] = ()  # colours of signs in it: a pattern and a colour by its name
    plan: ClassVar[Plan] = MOVE  # the kind of plan that a move is
    options: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[
        tuple[tuple[str, Mapping[str, Any]], ...]
    ] = ()  # usual ways to play it in words, and their options
    panels: ClassVar[tuple[Panel, ...]] = ()  # questions that positions answer, beside engines
    puzzles: ClassVar[tuple[Puzzling, ...]] = ()  # how puzzles are made of it, if they are
    sgf: ClassVar[BoardRecord | None] = None  # how a board game is written for other programs

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
        if isinstance(cls.plan, str):
            warnings.warn(
                f"{cls.__name__}.plan is a text; declare a Plan, such as stratagem.plans.plan.{cls.plan.upper()}",
                DeprecationWarning,
                stacklevel=2,
            )
            if cls.plan not in KINDS:
                raise OptionError(f"{cls.__name__}.plan is {cls.plan!r}; it is a Plan, or one of {', '.join(KINDS)}")
            cls.plan = KINDS[cls.plan]

    def setup(self) -> None:
        """Derive what the options decide; raise OptionError for a combination that makes no game."""

    @classmethod
    def suggested(cls, option: str) -> tuple[str, ...]:
        """Values of an option that people choose from where it takes others too, such as names beside files."""
        return ()

    def __getitem__(self, option: str) -> Any:
        return self.chosen[option]

    @property
    def address(self) -> str:
        """What `stratagem.game` finds this game by."""
        return self.source or self.name

    @abstractmethod
    def start(self, seed: int | None = None) -> Of:
        """The start. With a seed, chance events that open the game are drawn from it."""

    @abstractmethod
    def parse(self, text: str) -> Of:
        """The position of a text."""

    def draw(self, position: Of) -> str:
        """The position as SVG."""
        return text_card(self.title, position.text_art())

    def sheet(self, position: Of) -> Sheet | None:
        """The position laid out for editing, cell by cell; None for a game that cannot be set up so."""
        return None

    def written(self, position: Of, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        """The text of a sheet of the position that was changed; `parse` judges it."""
        raise StratagemError(f"positions of {self.name} are not edited cell by cell")

    def heat(self, position: Of, values: Mapping[str, float]) -> str | None:
        """The drawing with the values of moves laid over it, as SVG, where a game shows them so; else None."""
        return None

    def decisive(self, position: Of) -> Sequence[tuple[int, int]]:
        """Where in the terminal's drawing the line, or whatever decided a finished game, lies: rows and columns."""
        return ()

    def heat_text(self, position: Of, values: Mapping[str, float]) -> str | None:
        """The same for the terminal."""
        return None

    def next_seat(self, position: Of) -> int:
        """The seat whose turn it would be in a finished game."""
        return len(position.history) % self.players

    def seat_name(self, seat: int) -> str:
        return self.seats[seat] if seat < len(self.seats) else f"player {seat + 1}"

    def outcome(self, position: Of) -> str:
        """The result of a finished game in a few words."""
        payoff = position.payoff
        best = max(payoff)
        winners = [seat for seat, x in enumerate(payoff) if x == best]
        if len(winners) == self.players:
            return "a draw"
        return " and ".join(self.seat_name(seat) for seat in winners) + (" wins" if len(winners) == 1 else " win")

    def sgf_move(self, position: Of, move: str) -> str | None:
        """What stands for a move in SGF: one point, or two with a colon between; None: the move is the name of a cell."""
        return None

    def solver(self) -> Solver[Of] | None:
        """What answers `solve` for this game, where that is not alpha-beta to the end."""
        return None

    def replay(self, moves: Iterable[str], origin: str | None = None) -> Of:
        """The position after the moves of a record."""
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


# ------------------------------------------------------------------------------------------- games on flat arrays


ArrayOf = TypeVar("ArrayOf", bound="ArrayPosition", default=Any)


class ArrayGame(Game[ArrayOf], Generic[ArrayOf]):
    """A game whose rules are kernels. A subclass says where they are and how big things are, and gives text.

    `rules` is the module that holds the kernels; by default the module of the class, so that a whole game fits in one
    file. `constants` are bound into them at specialisation, and `size`, `max_moves` and the rest are set in `setup`.
    """

    rules: ModuleType | None = None
    size: int = 1  # cells of a state
    scratch: int = 0  # spare cells behind them, outside copies and equality
    max_moves: int = 1  # the most moves one player can have
    move_bound: int | None = None  # moves are integers below it, and each means the same everywhere, where that is so
    actions: int = 1  # decisions of one turn, where a turn is several; those beyond are possible, but nobody plans them
    exact_key: bool = False  # whether equal keys mean equal states

    def usual_nodes(self, position: Position) -> float | None:
        """About how many nodes it takes to solve a position like this one, where that is known: for telling how long it takes."""
        return None

    @property
    def constants(self) -> dict[str, Any]:
        """Names that the kernels mention and this instance decides."""
        return {}

    def ground(self) -> Ground:
        """Read-only data of this instance, for the kernels' `g`."""
        return np.zeros(1, np.int64)

    def first(self, s: State) -> None:
        """Write the start into a zeroed state."""

    # -- kernels

    @cached_property
    def g(self) -> Ground:
        ground = self.ground()
        ground.setflags(write=False)
        return ground

    @cached_property
    def names(self) -> dict[str, Any]:
        """All names that a template needs: this game's kernels, each with its constants, and the sizes."""
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
        """Whether the rules have an optional kernel."""
        return name in self.names

    @cached_property
    def _face(self) -> dict[str, Any]:
        return {}

    def run(self, name: str, *args: Any) -> Any:
        """Call one kernel from Python."""
        if name not in self._face:
            if name not in self.names:
                raise MissingKernel(f"{self.name} does not give the kernel {name!r}")
            bound: Bound = self.names[name]
            self._face[name] = specialise(bound.function, bound.names, target="python", label=f"{self.name} {name}")
        return self._face[name](*args)

    def rule(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the rules that is no kernel of the contract."""
        name = function.__name__
        if name not in self._face:
            self._face[name] = specialise(function, self.names["turn"].names, target="python")
        return self._face[name](*args)

    def blank(self) -> State:
        return np.zeros(self.size + self.scratch, np.int64)

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> ArrayOf:
        found: Any = ArrayPosition(self, state, history, origin)
        return found

    # -- text: a game overrides these

    def move_text(self, s: State, p: int, m: int) -> str:
        """The text of player p's move m, or of chance outcome m."""
        return str(m)

    def parse_move(self, s: State, p: int, text: str) -> int:
        """The move of a text; the default looks it up among the texts of the legal ones."""
        text = text.strip()
        for m in self.legal(s, p):
            if self.move_text(s, p, m) == text:
                return m
        raise IllegalMove(self.why_illegal(s, p, text))

    def why_illegal(self, s: State, p: int, text: str) -> str:
        legal = [self.move_text(s, p, m) for m in self.legal(s, p)]
        shown = ", ".join(legal[:12]) + (", ..." if len(legal) > 12 else "")
        return f"{text!r} is not a legal move here; legal: {shown}"

    def state_text(self, position: ArrayOf) -> str:
        """The text of a position; the default is the cells."""
        return ",".join(str(int(x)) for x in position.state[: self.size])

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        """The state of a text, and the moves that led to it if the text tells them."""
        s = self.blank()
        try:
            cells = [int(x) for x in text.split(",")]
        except ValueError:
            raise ParseError(f"{text!r} is not a position of {self.name}: {self.size} numbers with commas") from None
        if len(cells) != self.size:
            raise ParseError(f"{text!r} has {len(cells)} numbers; a position of {self.name} has {self.size}")
        s[: self.size] = cells
        return s, ()

    def art(self, position: ArrayOf) -> str:
        """A drawing for the terminal."""
        return self.state_text(position)

    # -- words and marks: what `Position` declares, for games whose positions have no class of their own

    def describe(self, position: ArrayOf, move: str, mover: int, viewer: int | None) -> str:
        return move

    def trace(self, position: ArrayOf, move: str, mover: int) -> tuple[Mark, ...]:
        return ()

    def marks(self, position: ArrayOf) -> tuple[Mark, ...]:
        return ()

    def question(self, position: ArrayOf, seat: int) -> str:
        return ""

    def frames(self, position: ArrayOf, text: str, seat: int | None) -> list[Frame]:
        return []

    # -- the face

    def legal(self, s: State, p: int) -> list[int]:
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
        s = self.blank()
        self.first(s)
        position: Any = self.position(s)
        if seed is not None:
            rng = generator(seed)
            while position.turn == CHANCE:
                position = position.play(position.sample(rng))
        return position

    def parse(self, text: str) -> ArrayOf:
        if not isinstance(text, str):
            raise ParseError(f"{text!r} is no text; a position of {self.name} is one, such as {str(self.start())!r}")
        text = text.strip()
        if text in ("", "start"):
            return self.start()
        s, history = self.parse_state(text)
        return self.position(s, history, None if history else text)


class ArrayPosition(Position):
    """A position on a flat array."""

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
        found, seats = int(self.game.run("turn", self.game.g, self.state)), self.game.players
        if not (0 <= found < seats or found in (OVER, CHANCE, TOGETHER)):
            raise StratagemError(
                f"the kernel turn of {self.game.name} gave {found}; it gives a seat, 0 to {seats - 1}, or OVER, CHANCE, TOGETHER"
            )
        return found

    @property
    def asked(self) -> tuple[int, ...]:
        if self.turn == TOGETHER:
            return tuple(p for p in range(self.game.players) if self.game.run("count", self.game.g, self.state, p) > 0)
        return (self.turn,) if self.turn >= 0 else ()

    def _decider(self, seat: int | None) -> int:
        if self.turn == OVER:
            raise GameOver(f"the game is over ({self.game.outcome(self)}): there is no move to make in {str(self)!r}")
        if seat is None:
            if self.turn == TOGETHER:
                raise StratagemError("all seats decide at once here: say which seat's moves are meant")
            return self.turn
        if seat not in self.asked:
            raise IllegalMove(f"{self.game.seat_name(seat)} has nothing to decide in {str(self)!r}")
        return seat

    def move_numbers(self, seat: int | None = None) -> list[int]:
        """The moves as the kernels number them."""
        p = self._decider(seat)
        if p not in self._listed:
            self._listed[p] = self.game.legal(self.state, p)
        return list(self._listed[p])

    @cached_property
    def _listed(self) -> dict[int, list[int]]:
        """The moves of a player, once asked for: the rules are interpreted here, and searches ask again and again."""
        return {}

    def moves(self, seat: int | None = None) -> list[str]:
        p = self._decider(seat)
        return [self.game.move_text(self.state, p, m) for m in self.move_numbers(seat)]

    def line(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The texts of moves that are played one after another."""
        game, s, texts = self.game, self.state.copy(), []
        for m in numbers:
            p = int(game.run("turn", game.g, s))
            texts.append(game.move_text(s, p, m))
            game.run("play", game.g, s, p, m)
        return tuple(texts)

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        p = self._decider(seat)
        game, g = self.game, self.game.g
        if p == CHANCE:
            return self._draw(rng)
        return game.move_text(self.state, p, int(game.run("sample", g, self.state, p, rng)))

    def check(self, text: str, seat: int) -> str:
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
        if self.turn != OVER:
            raise StratagemError(f"the game is not over in {str(self)!r}, so nobody has a payoff yet")
        out = np.zeros(self.game.players, np.float64)
        self.game.run("payoff", self.game.g, self.state, out)
        return tuple(float(x) for x in out)

    def view(self, seat: int | None) -> ArrayPosition:
        if not self.game.hidden:
            return self
        s = self.state.copy()
        self.game.run("hide", self.game.g, s, NOBODY if seat is None else seat)
        shown = self.game.position(s)
        shown.seat = NOBODY if seat is None else seat
        shown.history = self.game_history(seat)
        return shown

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        """What a seat may know of the record; in games with secrets, nothing unless the game says more."""
        return ()

    def describe(self, move: str, mover: int, viewer: int | None = None) -> str:
        return self.game.describe(self, move, mover, viewer)

    def trace(self, move: str, mover: int) -> tuple[Mark, ...]:
        return self.game.trace(self, move, mover)

    def marks(self) -> tuple[Mark, ...]:
        return self.game.marks(self)

    def question(self, seat: int) -> str:
        return self.game.question(self, seat)

    def frames(self, text: str, seat: int | None = None) -> list[Frame]:
        return self.game.frames(self, text, seat)

    def text_art(self) -> str:
        return self.game.art(self)

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
