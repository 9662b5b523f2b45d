"""A game on paper: options and the texts of what was played, chance outcomes included. It replays and verifies."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stratagem.contract.game import Position
from stratagem.errors import ParseError
from stratagem.registry import game

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

    @classmethod
    def of(cls, position: Position, seats: list[str], seed: int) -> Record:
        g = position.game
        return cls(g.address, dict(g.chosen), list(position.history), position.origin, seats, seed)

    def position(self) -> Position:
        """The last position; every move is checked on the way."""
        return game(self.game, **self.options).replay(self.moves, self.origin)

    def save(self, path: Path) -> None:
        """Write the file whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            json.dump({"stratagem": VERSION, **vars(self)}, file, indent=1)
        os.replace(temporary, path)

    @classmethod
    def load(cls, path: Path) -> Record:
        try:
            found = json.loads(path.read_text())
            version = found.pop("stratagem")
            record = cls(**found)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ParseError(f"{path} is not a saved game of stratagem") from None
        if version != VERSION:
            raise ParseError(f"{path} was saved in format {version!r}; this version reads format {VERSION}")
        return record
