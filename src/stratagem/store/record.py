"""A game on paper: options and the texts of what was played, chance outcomes included. It replays and verifies."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from stratagem.contract.game import Position
from stratagem.errors import ParseError, StratagemError
from stratagem.numbers import LARGEST_WHOLE
from stratagem.registry import check_harmless, file_digest, game

VERSION = 1


@dataclass
class Record:
    """What a saved game holds."""

    game: str
    options: dict[str, Any]
    moves: list[str]
    origin: str | None = None
    seats: list[str] = field(default_factory=list)  # who plays each seat: `you`, or a player's name
    seed: int = 0
    ended: str = ""  # how, once it has: `X wins`, `O resigned`
    digest: str = ""  # of the file that the game was read from, if it was

    @classmethod
    def of(cls, position: Position, seats: list[str], seed: int, ended: str = "") -> Record:
        g = position.game
        moves, digest = list(position.history), file_digest(g.address)
        return cls(g.address, dict(g.chosen), moves, position.origin, seats, seed, ended, digest)

    def position(self, *, trust: bool = False) -> Position:
        """The last position; every move is checked on the way.

        Raises:
            Untrusted: if the game is a Python file that is not loaded yet, unless `trust` allows it.
        """
        check_harmless(self.game, self.options, trust=trust)
        found = game(self.game, **self.options)
        try:
            return found.replay(self.moves, self.origin)
        except StratagemError as error:
            if self.digest and self.digest != file_digest(self.game):
                error.args = (f"{error} ({self.game} has changed since the game was saved)",)
            raise

    def save(self, path: Path | str) -> None:
        """Write the file whole or not at all."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            held = {name: value for name, value in vars(self).items() if value or name not in ("ended", "digest")}
            json.dump({"stratagem": VERSION, **held}, file, indent=1)
        os.replace(temporary, path)

    @classmethod
    def load(cls, path: Path) -> Record:
        try:
            found = json.loads(path.read_text())
            version = found.pop("stratagem")
            record = cls(**found)
            check_types(record)
        except OSError as error:
            raise ParseError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ParseError(f"{path} is not a saved game of stratagem") from None
        if version != VERSION:
            raise ParseError(f"{path} was saved in format {version!r}; this version reads format {VERSION}")
        return record


def check_types(data: object) -> None:
    """Check that the fields of a dataclass, which were read from a file, are of the types that it declares.

    Raises:
        TypeError: names the first field that is not. Numbers are finite, and whole ones fit 64 bits.
    """
    for name, kind in get_type_hints(type(data)).items():
        if not _fits(getattr(data, name), kind):
            raise TypeError(f"{name} is no {kind}")


def _fits(value: object, kind: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(k, inner[0]) and _fits(x, inner[1]) for k, x in value.items())
    if origin in (list, tuple):
        return isinstance(value, origin) and all(_fits(x, inner[0]) for x in value)
    if kind is int:
        return isinstance(value, int) and type(value) is not bool and abs(value) <= LARGEST_WHOLE
    if kind is float:
        return isinstance(value, int | float) and type(value) is not bool and abs(value) <= sys.float_info.max
    return kind is Any or isinstance(value, kind)
