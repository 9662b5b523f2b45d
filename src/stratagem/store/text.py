"""A game as text that people read: headers, then the decisions, one a line.

    [Game "connect4"]
    [Option width "8"]
    [Seat "you"]
    [Seat "medium"]
    [Seed "7"]

    1. 4
    2. 3

Everything that a record holds is there, so that it reads back; lines that begin with `;` are comments.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stratagem.errors import ParseError
from stratagem.numbers import whole
from stratagem.registry import game_class
from stratagem.store.record import Record

HEADER = re.compile(r'\[(\w+)(?: (\w+))? (".*")\]$')
DECISION = re.compile(r"(\d+)\. (.+)$")


def write_game(record: Record) -> str:
    """The text of a record."""
    rows = [_header("Game", record.game)]
    declared = {option.name: option.default for option in game_class(record.game).options}
    rows += [
        _header(f"Option {name}", _word(value))
        for name, value in record.options.items()
        if value != declared.get(name) and not (isinstance(value, list) and tuple(value) == declared.get(name))
    ]
    rows += [_header("Seat", seat) for seat in record.seats]
    rows.append(_header("Seed", str(record.seed)))
    for name, value in (("Position", record.origin), ("Ended", record.ended), ("Digest", record.digest)):
        rows += [_header(name, value)] if value else []
    return "\n".join([*rows, "", *(f"{k + 1}. {move}" for k, move in enumerate(record.moves))]) + "\n"


def read_game(text: str) -> Record:
    """The record of a text; the rules have not seen its moves yet."""
    found: dict[str, Any] = {"game": None, "options": {}, "moves": [], "seats": [], "seed": 0}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(";"):
            continue
        if header := HEADER.match(line):
            _take(found, header[1], header[2], _read(header[3], number), number)
        elif decision := DECISION.match(line):
            if decision[1] != str(len(found["moves"]) + 1):
                raise ParseError(f"line {number} is decision {decision[1][:20]}; {len(found['moves']) + 1} comes next")
            found["moves"].append(decision[2])
        else:
            raise ParseError(f"line {number}, {line[:60]!r}, is neither a header in brackets nor a decision like 1. e4")
    if found["game"] is None:
        raise ParseError('the text names no game: a first line like [Game "NAME"] is missing')
    return Record(**found)


def _read(quoted: str, number: int) -> str:
    try:
        return str(json.loads(quoted))
    except json.JSONDecodeError:
        raise ParseError(f"line {number}: {quoted[:60]} is no text in quotes as JSON has it") from None


def _take(found: dict[str, Any], name: str, option: str | None, value: str, number: int) -> None:
    if name == "Option" and option:
        found["options"][option] = value
    elif name == "Seat":
        found["seats"].append(value)
    elif name == "Seed" and value.isdecimal():
        found["seed"] = whole(value)
    elif name in ("Game", "Position", "Ended", "Digest"):
        found[{"Game": "game", "Position": "origin", "Ended": "ended", "Digest": "digest"}[name]] = value
    else:
        raise ParseError(f"line {number}: a header {name!r} with {value!r} is not known")


def _header(name: str, value: str) -> str:
    return f"[{name} {json.dumps(value, ensure_ascii=False)}]"


def _word(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
