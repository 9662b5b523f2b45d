"""Players: given what a seat may see and a clock, they choose.

People call `player.choose(position, clock)`. Authors subclass `Player` and write `answer(request) -> Choice`: a `Request` holds
what one seat is asked, with its view of the position and never the true state. A `Choice` is the one report that the command
line, the web page and the arena show. A `Solver` answers `solve`.
"""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from stratagem.contract.companions.wording import Wording
from stratagem.contract.display import choice_html, solution_html
from stratagem.contract.game import Game, Position
from stratagem.errors import GameOver, OptionError, ParseError, StratagemError
from stratagem.kernel import CHANCE
from stratagem.numbers import real, whole
from stratagem.rng import generator

LEVELS = ("easy", "medium", "strong")


@dataclass(frozen=True)
class Clock:
    """How long a player may think about one move."""

    seconds: float | None = None  # None: as long as its own settings say

    def __post_init__(self) -> None:
        if self.seconds is not None and (isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float)):
            raise OptionError(f"a clock takes a number of seconds, not {self.seconds!r}")
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise OptionError(f"a time of {self.seconds!r} seconds makes no clock; give 0 or more")


@dataclass(frozen=True)
class Line:
    """A move considered, and what follows it."""

    moves: tuple[str, ...]
    value: float | None  # for the choice's seat, in units of payoff
    error: float | None = None  # standard error of the value, 0 where it is exact
    visits: int | None = None
    moves_to_end: int | None = None  # plies until the end, where the result is proven
    probability: float | None = None  # in a mixed strategy

    def json(self) -> dict[str, Any]:
        """Return the line as data, without the fields that are not known."""
        found = {
            "moves": list(self.moves),
            "value": self.value,
            "error": self.error,
            "visits": self.visits,
            "moves_to_end": self.moves_to_end,
            "probability": self.probability,
        }
        return {name: x for name, x in found.items() if x is not None or name == "value"}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Line:
        """Return the line that `json` gave as data.

        Args:
            data: the line as `json` returns it.
        """
        return cls(**{**data, "moves": tuple(data["moves"])})


class Proposed(NamedTuple):
    """A part of a plan that a stage proposed."""

    words: str
    value: float | None  # of the plans with it, for the seat that decides
    visits: int


# why the stages' table and the choice may differ
PARTS_ARE_MEANS = "a part's value is the mean of all turns tried with it; turns are ranked by their own"


class StageSeen(NamedTuple):
    """What a stage proposed beside the part that the best plan has of it."""

    name: str
    proposed: int  # parts so far
    refined: int  # of them, those that better others
    passed_over: int  # of them, those that are not looked at now
    best: tuple[Proposed, ...]  # the most visited first

    def in_units(self, payoff: Callable[[float], float]) -> StageSeen:
        """Return the same with values as `payoff` makes them of those that the search counts in."""
        best = (part if part.value is None else part._replace(value=payoff(part.value)) for part in self.best)
        return self._replace(best=tuple(best))

    def json(self) -> dict[str, Any]:
        """Return the same as data."""
        return {**self._asdict(), "best": [part._asdict() for part in self.best]}


@dataclass(frozen=True, repr=False)
class Choice:
    """A decision with its evidence.

    All values are for one seat, `seat`, in units of payoff: the seat that decided, or the first where chance decides.
    `print` gives JSON, a notebook shows a table.

    Attributes:
        move: the move, as `position.play` takes it.
        value: what the position is worth to `seat`; None where the player does not say.
        seat: whose the values are; None where the choice did not come from `Player.choose`.
        lines: the moves compared, the best first, each with what would follow.
        strategy: the mixed strategy that the move was drawn from, by move.
        by_move: values of more moves than there are lines, where they are known.
    """

    move: str
    value: float | None = None
    seat: int | None = field(default=None, kw_only=True)
    lines: tuple[Line, ...] = ()
    strategy: Mapping[str, float] | None = None  # the mixed strategy that the move was drawn from
    depth: int | None = None
    nodes: int | None = None  # positions or simulations, as the engine counts its work
    seconds: float = 0.0
    engine: str = ""
    finished: bool = True  # False: stopped by hand before its budget
    by_move: Mapping[str, float] = field(default_factory=dict)  # values of more moves than there are lines, if known
    details: Mapping[str, Any] = field(default_factory=dict)  # what this engine alone reports, for programs
    stages: tuple[StageSeen, ...] = ()  # of a plan that is put together by stages, in their order
    why: tuple[str, ...] = ()  # reasons in sentences

    @property
    def values(self) -> dict[str, float]:
        """The values of single moves: all that the engine gives, else those of its lines."""
        return dict(self.by_move) or {line.moves[0]: line.value for line in self.lines if line.value is not None}

    def json(self) -> dict[str, Any]:
        """Return the choice as data. The move is `best`, and fields that do not apply are left out."""
        return {
            "value": self.value,
            **({"seat": self.seat} if self.seat is not None else {}),
            "best": self.move,
            "lines": [line.json() for line in self.lines],
            **({"strategy": dict(self.strategy)} if self.strategy is not None else {}),
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "engine": self.engine,
            **({"values": dict(self.by_move)} if self.by_move else {}),
            **({"stages": [stage.json() for stage in self.stages]} if self.stages else {}),
            **({"why": list(self.why)} if self.why else {}),
            **self.details,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Choice:
        """Return the choice that `json` gave as data. Details that one engine alone reports are left out.

        Args:
            data: the choice as `json` returns it.
        """
        return cls(
            data["best"],
            data["value"],
            tuple(Line.of_json(line) for line in data["lines"]),
            data.get("strategy"),
            data["depth"],
            data["nodes"],
            data["seconds"],
            data["engine"],
            seat=data.get("seat"),
            by_move=data.get("values") or {},
        )

    def __str__(self) -> str:
        return json.dumps(self.json())

    def __repr__(self) -> str:
        return _shown(self)

    def _repr_html_(self) -> str:
        return choice_html(self)


@dataclass(frozen=True, repr=False)
class Solution:
    """The truth about a position, as `stratagem.solve` gives it.

    `print` gives JSON, a notebook shows a table. A game's own solver may return a subclass that knows more.

    Attributes:
        value: what the position is worth to `seat` under best play of all, in units of payoff.
        seat: whose the value is: the seat to move; the first where several decide at once or nobody does.
        best: all moves of that seat that keep the value and its length; none where a mixed strategy is needed.
        moves_to_end: plies until the end; None where the result is neither a win nor a loss and lengths may differ.
        strategies: one mixed strategy a seat, where all decide at once, by move.
        exact: the value as a fraction, where it is known as one.
        within: how far the value may be off; None: it is exact.
        nodes: positions searched, where the solver counts them.
        seconds: how long it took.
    """

    value: float
    seat: int
    best: tuple[str, ...] = ()
    moves_to_end: int | None = None
    strategies: tuple[Mapping[str, float], ...] = ()
    exact: Fraction | None = None
    within: float | None = None
    nodes: int | None = None
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """Return the answer as data, the value first."""
        return {
            **self._worth(),
            **({} if self.within is None else {"within": self.within}),
            "moves_to_end": self.moves_to_end,
            "best": list(self.best),
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }

    def _worth(self) -> dict[str, Any]:
        return {"value": int(self.value) if float(self.value).is_integer() else self.value, "seat": self.seat}

    def __str__(self) -> str:
        return json.dumps(self.json())

    def __repr__(self) -> str:
        return _shown(self)

    def _repr_html_(self) -> str:
        return solution_html(self)


def _shown(record: Choice | Solution) -> str:
    """Return how to make a record again, without the fields that have their defaults."""
    plain = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(record)}
    set_here = {name: value for name in plain if (value := getattr(record, name)) != plain[name]}
    return f"{type(record).__name__}({', '.join(f'{name}={value!r}' for name, value in set_here.items())})"


Report = Callable[[Choice], None]  # called with the best so far while a player thinks


Of = TypeVar("Of", bound=Position, default=Any)  # the positions that it understands


@dataclass(frozen=True)
class Request(Generic[Of]):
    """What a player is asked: one decision of one seat."""

    view: Of  # the position as the seat sees it; it is not over
    clock: Clock
    seat: int  # the seat that decides, CHANCE where chance does
    report: Report | None = None  # takes the best so far while the player thinks; None: nobody listens
    lines: int = 1  # moves to compare, at most, where the player compares any

    def __post_init__(self) -> None:
        check_lines(self.lines)


def check_lines(lines: int) -> None:
    """Refuse to compare no moves at all."""
    if lines < 1:
        raise OptionError(f"{lines} lines show nothing; give 1 or more")


def check_depth(depth: int | None) -> None:
    """Refuse a depth at which nothing is searched; None is no limit."""
    if depth is not None and depth < 1:
        raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")


def refuse_over(view: Position) -> None:
    """Refuse a position in which nobody decides any more."""
    if view.over:
        outcome = Wording.of(view.game).outcome(view)
        raise GameOver(f"the game is over in {str(view)!r} ({outcome}): there is no move to choose")


def deciding_seat(view: Position, seat: int | None) -> int:
    """Return the seat meant: the one given, the viewer if it is asked, or the first that is; CHANCE at chance."""
    refuse_over(view)
    if view.turn == CHANCE:
        return CHANCE
    asked = view.asked
    if seat is None:
        return view.seat if view.seat is not None and view.seat in asked else asked[0]
    if seat not in asked:
        raise StratagemError(f"{view.game.seat_name(seat)} has nothing to decide in {str(view)!r}")
    return seat


class Recipe(NamedTuple):
    """What a player was made by."""

    make: Callable[..., Player]  # (game, text, seed)
    game: Game
    text: str
    seed: int


class Player(ABC, Generic[Of]):
    """A player: given what a seat may see and a clock, it chooses.

    Call `choose`. To write a player, subclass this and implement `answer`. A pickled or copied player from
    `stratagem.player` is made anew from its game, name and seed; what it has learned stays behind.
    """

    name: str
    recipe: Recipe | None = None  # how to make one like it again, where `stratagem.player` made it

    def __reduce__(self) -> Any:
        """A pickled or copied player is made anew: same game, name and seed; what it has learned stays behind."""
        return super().__reduce__() if self.recipe is None else (self.recipe.make, self.recipe[1:])

    def __repr__(self) -> str:
        if self.recipe is None:
            return object.__repr__(self)
        return f"stratagem.player({self.recipe.game!r}, {self.recipe.text!r}, seed={self.recipe.seed})"

    def choose(
        self, view: Of, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        """Choose a move for a seat.

        Args:
            view: the position as the seat sees it, `position.view(seat)`.
            clock: how long to think; `Clock()` leaves it to the player's settings.
            seat: who decides; the seat whose turn it is, if not given.
            report: called with the best choice so far, again and again, where the player reports at all.
            lines: how many moves to compare at most, where the player compares any.

        Returns:
            The choice. Its values are for `choice.seat`: the seat that decides, or the first where chance does.

        Raises:
            GameOver: the position has no decision left.
            StratagemError: the seat has nothing to decide.
        """
        decides, began = deciding_seat(view, seat), time.perf_counter()

        def owned(choice: Choice) -> Choice:
            return replace(choice, seat=max(decides, 0)) if choice.seat is None else choice

        def tell(choice: Choice) -> None:
            if report is not None:  # trees report what they know, and not for how long they have searched
                report(owned(replace(choice, seconds=choice.seconds or time.perf_counter() - began)))

        return owned(self.answer(Request(view, clock, decides, tell if report else None, lines)))

    @abstractmethod
    def answer(self, request: Request[Of]) -> Choice:
        """Return the choice that a request asks for. Authors of players implement this.

        Args:
            request: the view, the clock, the seat that decides, and who listens to reports. The position is not over.
        """

    def weigh(self, view: Of, moves: Sequence[str], clock: Clock, *, seat: int | None = None) -> dict[str, float]:
        """Return what given moves are worth to a seat, compared on equal terms.

        Args:
            view: the position as the seat sees it.
            moves: the texts of the moves.
            clock: how long to think about all of them.
            seat: whose moves they are; the seat whose turn it is, if not given.

        Returns:
            The value of each move in units of payoff, or nothing where the player cannot compare moves.
        """
        return {}

    def show(self, view: Of, choice: Choice, seat: int | None) -> str | None:
        """Return what a terminal shows about a choice besides the table of its lines; None for nothing.

        Args:
            view: the position as the seat sees it.
            choice: the choice, which this player made.
            seat: the seat that looks at it; None for a spectator.
        """
        return None

    def picture(self, view: Of, choice: Choice, seat: int | None) -> str | None:
        """Return a choice as SVG, where the player draws it better than the game's own `heat`; else None.

        Args:
            view: the position as the seat sees it.
            choice: the choice, which this player made.
            seat: the seat that looks at it; None for a spectator.
        """
        return None


class Solver(ABC, Generic[Of]):
    """A solver: it gives the exact value of a position, or a value with its error."""

    tell: Callable[[str], None] | None = None  # called with a few words on how far a long solution is

    @abstractmethod
    def solve(self, position: Of) -> Solution:
        """Return the exact value of a position and the best moves, as far as the solver knows them.

        Args:
            position: the position to solve.
        """

    def show(self, position: Of, solution: Any) -> str | None:
        """Return a solution as text for a terminal; None for the usual form.

        Args:
            position: the position that was solved.
            solution: the solution, which this solver made.
        """
        return None

    def picture(self, position: Of, solution: Any) -> str | None:
        """Return a solution as SVG; None for the position's own drawing.

        Args:
            position: the position that was solved.
            solution: the solution, which this solver made.
        """
        return None


class RandomPlayer(Player):
    """A player that chooses any legal move, all with the same probability.

    Args:
        game: the game; it is not used, and any will do.
        seed: the seed of its random numbers.
    """

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name = "random"
        self._rng = generator(seed)

    def answer(self, request: Request) -> Choice:
        """Return a random legal move of the seat that decides.

        Args:
            request: the view and the seat that decides.
        """
        view, seat = request.view, request.seat
        return Choice(view.sample(self._rng, None if seat == CHANCE else seat), engine=self.name)


Factory = Callable[..., Player]


@dataclass(frozen=True)
class Entry:
    """A named player of a game: `make(game, seed=..., **options)`, and what it is in a few words."""

    make: Factory
    summary: str
    options: tuple[str, ...] = ("seed",)
    external: bool = False  # it starts another program: never from the web
    quick: Factory | None = None  # the player that answers in its place where an answer must come within a moment


@dataclass(frozen=True)
class PlayerText:
    """A player as people write it: `strong`, `alphabeta:depth=6`, `mcts:time=0.2,threads=2`."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> PlayerText:
        """Return the player that a text names.

        Args:
            text: a name and, after a colon, options with commas between: `"mcts:time=0.2,threads=2"`.

        Raises:
            OptionError: an option is not NAME=VALUE.
        """
        name, _, listed = text.strip().partition(":")
        options: dict[str, Any] = {}
        for item in filter(None, listed.split(",")):
            option, equals, value = item.partition("=")
            if not equals:
                raise OptionError(f"{item!r} in player {text!r} is not NAME=VALUE")
            options[option.strip()] = _literal(value.strip())
        return cls(name, options)

    @classmethod
    def parse_list(cls, text: str) -> list[PlayerText]:
        """Return the players that a text lists, with commas between them.

        A comma may also separate the options of one player. What follows it is an option if it holds `=` and no `:`.

        Args:
            text: the players, such as `"easy,mcts:time=0.2,threads=2,strong"`.

        Raises:
            OptionError: an option is not NAME=VALUE.
        """
        items: list[str] = []
        for item in text.split(","):
            if items and "=" in item and ":" in items[-1] and ":" not in item:
                items[-1] += "," + item
            else:
                items.append(item.strip())
        return [cls.parse(item) for item in items]

    def having(self, **options: Any) -> PlayerText:
        """Return the same player with more options.

        Args:
            **options: the options, by name. They replace those of the same name.
        """
        return PlayerText(self.name, {**self.options, **options})

    def __str__(self) -> str:
        listed = ",".join(f"{name}={_word(value)}" for name, value in self.options.items())
        return f"{self.name}:{listed}" if listed else self.name


def _literal(text: str) -> Any:
    for read in (whole,) if text.isdecimal() else (whole, real):  # no seed is rounded to a float
        with suppress(ParseError):
            return read(text)
    return {"true": True, "false": False}.get(text, text)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
