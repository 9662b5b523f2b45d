"""What a store holds: games, moves, results, matches, and the errors it raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagem.errors import StratagemError

# Why a game ended. Those of FAULTS name the seat at fault in `Result.seat`.
OVER, TURN_LIMIT, ADJUDICATED, RESIGNED, ABANDONED = "over", "turn limit", "adjudicated", "resigned", "abandoned"
ILLEGAL, CRASH, TIME = "illegal move", "crash", "time"
FAULTS = (ILLEGAL, CRASH, TIME)
REASONS = (OVER, TURN_LIMIT, ADJUDICATED, RESIGNED, ABANDONED, *FAULTS)


class StoreError(StratagemError):
    """The store cannot be read or written, or holds something else."""


class Conflict(StoreError):
    """The game has moved on since the caller looked; nothing was written."""


class DiskFull(StoreError):
    """There is no room for more. Nothing was written; what was acknowledged is safe."""


class Unreachable(StoreError):
    """The server of the store has gone away. What was acknowledged is safe; what was not may be written or not."""


@dataclass(frozen=True)
class Move:
    """One text of the record: a move, a chance outcome or a joint move."""

    text: str
    seat: int | None = None  # None: chance, or all at once
    seconds: float | None = None  # thought about it
    note: Mapping[str, Any] | None = None  # such as the engine's value
    at: float = 0.0  # wall-clock time, seconds since 1970


@dataclass(frozen=True)
class Decision:
    """A seat's own part of a joint move."""

    seat: int
    text: str
    seconds: float | None = None
    at: float = 0.0


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    payoff: tuple[float, ...]
    reason: str = OVER  # one of REASONS
    seat: int | None = None  # the seat at fault, where there is one
    detail: str = ""  # in words
    at: float = 0.0


@dataclass(frozen=True)
class StoredGame:
    """A game as it stands."""

    id: int
    key: str | None  # unguessable name, for games on the web
    game: str  # name of the game, as `stratagem.game` takes it
    options: dict[str, Any]
    seats: list[str]  # who plays each seat
    origin: str | None = None  # text of the first position; None: the game's start
    seed: int = 0
    match: int | None = None
    number: int | None = None  # of the game in its match's schedule
    meta: dict[str, Any] = field(default_factory=dict)  # opaque to the store; later notes win
    moves: tuple[Move, ...] = ()  # as they stand, after take-backs
    pending: tuple[Decision, ...] = ()  # decided in secret, waiting for the others
    result: Result | None = None
    claims: dict[int, str] = field(default_factory=dict)  # seats that somebody has taken: what their token is known by
    consents: dict[str, dict[int, Any]] = field(
        default_factory=dict
    )  # since the last move: by what is agreed to, seats
    changes: int = 0  # rows that were ever added to it: grows with every change, and is the same for everybody
    at: float = 0.0

    @property
    def texts(self) -> list[str]:
        return [move.text for move in self.moves]


@dataclass(frozen=True)
class Match:
    """A configuration under a name; its games are numbered."""

    id: int
    name: str
    config: dict[str, Any]
    at: float


@dataclass(frozen=True)
class Played:
    """A finished engine game, to be recorded whole."""

    number: int | None
    game: str
    options: Mapping[str, Any]
    seats: Sequence[str]
    moves: Sequence[Move]
    result: Result
    decisions: Sequence[tuple[int, Decision]] = ()  # (ply, decision) of the joint moves
    origin: str | None = None
    seed: int = 0
    meta: Mapping[str, Any] | None = None
    at: float = 0.0  # when it began
