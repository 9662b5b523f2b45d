"""Players: given what a seat may see and a clock, they choose.

A player is any object with `choose(view, clock) -> Choice`; it is given `position.view(seat)` and never the true state.
A `Choice` is the one report that the command line, the web page and the arena show.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from stratagem.contract.game import Game, Position
from stratagem.errors import GameOver, OptionError
from stratagem.rng import generator

LEVELS = ("easy", "medium", "strong")


@dataclass(frozen=True)
class Clock:
    """How long a player may think about one move."""

    seconds: float | None = None  # None: as long as its own settings say

    def __post_init__(self) -> None:
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise OptionError(f"a time of {self.seconds!r} seconds makes no clock; give 0 or more")


@dataclass(frozen=True)
class Line:
    """A move considered, and what follows it."""

    moves: tuple[str, ...]
    value: float | None  # for the seat that decides (the first, where all decide at once), in units of payoff
    error: float | None = None  # standard error of the value, 0 where it is exact
    visits: int | None = None
    moves_to_end: int | None = None  # plies until the end, where the result is proven
    probability: float | None = None  # in a mixed strategy

    def json(self) -> dict[str, Any]:
        found = {
            "moves": list(self.moves), "value": self.value, "error": self.error, "visits": self.visits,
            "moves_to_end": self.moves_to_end, "probability": self.probability,
        }  # fmt: skip
        return {name: x for name, x in found.items() if x is not None or name == "value"}


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
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """The values of single moves: all that the engine gives in its details, else those of its lines."""
        given: Mapping[str, float] = self.details.get("values", {})
        return dict(given) or {line.moves[0]: line.value for line in self.lines if line.value is not None}

    def json(self) -> dict[str, Any]:
        return {
            "value": self.value, "best": self.move, "lines": [line.json() for line in self.lines],
            **({"strategy": dict(self.strategy)} if self.strategy is not None else {}),
            "depth": self.depth, "nodes": self.nodes, "seconds": round(self.seconds, 6), "engine": self.engine,
            **self.details,
        }  # fmt: skip

    def __str__(self) -> str:
        return json.dumps(self.json())


Report = Callable[[Choice], None]  # called with the best so far while a player thinks


@runtime_checkable
class Player(Protocol):
    """Whoever decides for a seat. `seat` in a view of TOGETHER is `view.seat`, or said by the caller."""

    name: str

    def choose(self, view: Position, clock: Clock, *, seat: int | None = None, report: Report | None = None) -> Choice:
        """A choice for a seat (the one to decide, if not said)."""
        ...


class RandomPlayer:
    """Plays any legal move, all alike."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name = "random"
        self._rng = generator(seed)

    def choose(self, view: Position, clock: Clock, *, seat: int | None = None, report: Report | None = None) -> Choice:
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
