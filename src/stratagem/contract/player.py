"""Players: given what a seat may see and a clock, they choose.

A player is a subclass of `Player` with `choose(view, clock) -> Choice`; it is given `position.view(seat)` and never the true
state. A `Choice` is the one report that the command line, the web page and the arena show. A `Solver` answers `solve`.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from stratagem.contract.game import Game, Position
from stratagem.errors import GameOver, OptionError
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
    value: float | None  # for the seat that is asked, in units of payoff
    error: float | None = None  # standard error of the value, 0 where it is exact
    visits: int | None = None
    moves_to_end: int | None = None  # plies until the end, where the result is proven
    probability: float | None = None  # in a mixed strategy

    def json(self) -> dict[str, Any]:
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
    def of_json(cls, told: Mapping[str, Any]) -> Line:
        return cls(**{**told, "moves": tuple(told["moves"])})


class Proposed(NamedTuple):
    """A part of a plan that a stage proposed."""

    words: str
    value: float | None  # of the plans with it, for the seat that decides
    visits: int


class StageSeen(NamedTuple):
    """What a stage proposed beside the part that the best plan has of it."""

    name: str
    proposed: int  # parts so far
    refined: int  # of them, those that better others
    passed_over: int  # of them, those that are not looked at now
    best: tuple[Proposed, ...]  # the most visited first

    def json(self) -> dict[str, Any]:
        return {**self._asdict(), "best": [part._asdict() for part in self.best]}


@dataclass(frozen=True)
class Choice:
    """A decision with its evidence."""

    move: str
    value: float | None = None
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
        return {
            "value": self.value,
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
    def of_json(cls, told: Mapping[str, Any]) -> Choice:
        """The decision and its evidence again, as another process told it; what one engine alone reports is left out."""
        return cls(
            told["best"],
            told["value"],
            tuple(Line.of_json(line) for line in told["lines"]),
            told.get("strategy"),
            told["depth"],
            told["nodes"],
            told["seconds"],
            told["engine"],
            by_move=told.get("values") or {},
        )

    def __str__(self) -> str:
        return json.dumps(self.json())


Report = Callable[[Choice], None]  # called with the best so far while a player thinks


Of = TypeVar("Of", bound=Position, default=Any)  # the positions that it understands


class Recipe(NamedTuple):
    """What a player was made by."""

    make: Callable[..., Player]  # (game, text, seed)
    game: Game
    text: str
    seed: int


class Player(ABC, Generic[Of]):
    """Whoever decides for a seat."""

    name: str
    recipe: Recipe | None = None  # how to make one like it again, where `stratagem.player` made it

    def __reduce__(self) -> Any:
        """A pickled or copied player is made anew: same game, name and seed; what it has learned stays behind."""
        return super().__reduce__() if self.recipe is None else (self.recipe.make, self.recipe[1:])

    def __repr__(self) -> str:
        if self.recipe is None:
            return object.__repr__(self)
        return f"stratagem.player({self.recipe.game!r}, {self.recipe.text!r}, seed={self.recipe.seed})"

    @abstractmethod
    def choose(
        self, view: Of, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        """A choice for a seat (the one to decide, if not said), with up to `lines` moves compared where it compares any."""

    def weigh(self, view: Of, moves: Sequence[str], clock: Clock, *, seat: int | None = None) -> dict[str, float]:
        """What given moves are worth to a seat, compared on equal terms; nothing where a player cannot say."""
        return {}

    def at_once(self, view: Of, seat: int | None, lines: int = 1) -> Choice | None:
        """A first choice by a cheaper way, with nothing compiled, for the time until `choose` can be asked; None: there is
        none. Its `engine` says how it was made."""
        return None

    def show(self, view: Of, choice: Choice, seat: int | None) -> str | None:
        """What people are told about a choice besides the table of its lines, in a terminal."""
        return None

    def picture(self, view: Of, choice: Choice, seat: int | None) -> str | None:
        """A choice as SVG, where the player draws it better than the game's own `heat`."""
        return None


class Solver(ABC, Generic[Of]):
    """Whoever tells the truth about a position."""

    tell: Callable[[str], None] | None = None  # told in a few words how far a long solution is

    def at_once(self, position: Of) -> str | None:
        """What can be said in a moment and with nothing compiled, an estimate or a bound; None: nothing."""
        return None

    @abstractmethod
    def solve(self, position: Of) -> dict[str, Any]:
        """The answer as data, the value first."""

    def show(self, position: Of, answer: dict[str, Any]) -> str | None:
        """The same for people, in a terminal; None: as it is."""
        return None

    def picture(self, position: Of, answer: dict[str, Any]) -> str | None:
        """The same as SVG; None: the position's own drawing."""
        return None


class RandomPlayer(Player):
    """Plays any legal move, all alike."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name = "random"
        self._rng = generator(seed)

    def choose(
        self, view: Position, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        if view.over:
            raise GameOver(f"the game is over in {str(view)!r}: there is no move to choose")
        return Choice(view.sample(self._rng, seat), engine=self.name)


Factory = Callable[..., Player]


@dataclass(frozen=True)
class Entry:
    """A named player of a game: `make(game, seed=..., **options)`, and what it is in a few words."""

    make: Factory
    summary: str
    options: tuple[str, ...] = ("seed",)
    external: bool = False  # it starts another program: never from the web


@dataclass(frozen=True)
class PlayerText:
    """A player as people write it: `strong`, `alphabeta:depth=6`, `mcts:time=0.2,threads=2`."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> PlayerText:
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
        """Players with commas between; the commas between a player's own options are told by the `=` that follows."""
        items: list[str] = []
        for item in text.split(","):
            if items and "=" in item and ":" in items[-1] and ":" not in item:
                items[-1] += "," + item
            else:
                items.append(item.strip())
        return [cls.parse(item) for item in items]

    def having(self, **options: Any) -> PlayerText:
        """The same player with more options."""
        return PlayerText(self.name, {**self.options, **options})

    def __str__(self) -> str:
        listed = ",".join(f"{name}={_word(value)}" for name, value in self.options.items())
        return f"{self.name}:{listed}" if listed else self.name


def _literal(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
