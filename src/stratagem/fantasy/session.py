"""A draft session in a file: the table, the league's settings and the picks, saved after every change."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratagem.errors import ParseError, StratagemError
from stratagem.fantasy.engine import BENCH_SHARE
from stratagem.fantasy.league import League, Room, parse_keepers, parse_trades
from stratagem.fantasy.learning import prior
from stratagem.fantasy.table import find_item, read_table
from stratagem.numbers import real, whole

VERSION = 1


@dataclass(frozen=True)
class Session:
    """A room, the team that is advised, and where its table came from."""

    table: Path
    room: Room
    team: int
    opponents: str = "adp"
    seed: int = 0

    def json(self) -> dict[str, Any]:
        items = self.room.league.items
        return {
            "draft": VERSION,
            "table": str(self.table),
            "team": self.team + 1,
            "opponents": self.opponents,
            "seed": self.seed,
            **self.room.league.json(),
            "picks": [items[x].name for x in self.room.picks],
        }

    def save(self, file: Path) -> None:
        """Write the session; a reader sees the old file or the new one, never half of it."""
        handle, temporary = tempfile.mkstemp(dir=file.resolve().parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(self.json(), out, indent=1)
            out.write("\n")
        os.replace(temporary, file)

    @classmethod
    def load(cls, file: Path) -> Session:
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ParseError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        except json.JSONDecodeError as error:
            raise ParseError(f"{file} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
        if not isinstance(data, dict) or data.get("draft") != VERSION:
            raise ParseError(f"{file} is not a saved draft")
        try:
            table = Path(data["table"])
            if not table.is_file() and not table.is_absolute():
                table = file.parent / table
            items = read_table(table)
            teams, team = whole(data["teams"]), whole(data["team"])
            order = data["order"]
            league = League(
                items,
                teams,
                data["slots"],
                order if isinstance(order, str) else "snake",
                parse_trades([f"{t}={team}" for t, team in data["trades"].items()], teams),
                parse_keepers([f"{t}={name}" for t, name in data["keepers"].items()], teams, items),
                dict(data["limits"]),
                None if isinstance(order, str) else tuple(whole(picking) - 1 for picking in order),
                real(data.get("bench_share", BENCH_SHARE)),
            )
            if not 1 <= team <= teams:
                raise ParseError(f"the league of {teams} teams has no team {team}")
            prior(data["opponents"])
            room = Room(league)
            for turn, name in enumerate(data["picks"]):
                if turn >= room.turn:  # keepers make theirs themselves
                    room = room.apply(find_item(items, name))
            return cls(table, room, team - 1, data["opponents"], whole(data["seed"]))
        except StratagemError as error:
            raise ParseError(f"{file}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ParseError(f"{file} is not a saved draft: {type(error).__name__} {error}") from None
