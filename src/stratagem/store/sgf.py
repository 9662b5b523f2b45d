"""Board games in SGF, the Smart Game Format (FF[4]), so that other programs can show them.

A game whose moves are cells, a letter for the column and a number for the row, says so by `sgf`: its number in that standard
(0: none, it is written by its name in `GN` alone) and the option that is the size of its board. A move goes by the two letters
of its cell, as the standard writes points, counted from the top left. Other games are written as text (`store/text.py`).
"""

from __future__ import annotations

import re
from typing import Any, Protocol, runtime_checkable

from stratagem.contract.game import Game
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.registry import game, game_class, game_names
from stratagem.store.record import Record

PASS = ""
CELL = re.compile(r"([a-z])(\d+)")


@runtime_checkable
class WrittenAsSgf(Protocol):
    """A game whose moves are cells."""

    sgf: tuple[int, str]  # its number in the standard, and the option that is the size of its board


def written() -> dict[str, tuple[int, str]]:
    """The games that are written so, by name."""
    found: dict[str, tuple[int, str]] = {}
    for name in game_names():
        kind: Any = game_class(name)
        if hasattr(kind, "sgf"):
            found[name] = kind.sgf
    return found


def write_sgf(record: Record) -> str:
    """The game as SGF; refused where its moves are not cells, or its start is not the usual one."""
    of: Game = game(record.game, **record.options)
    if not isinstance(of, WrittenAsSgf):
        raise OptionError(f"{record.game} is not written as SGF; {', '.join(written())} are, and every game as text")
    if record.origin is not None:
        raise OptionError("a game that begins from a position of its own is written as text, not as SGF")
    number, option = of.sgf
    head = (
        (f"GM[{number}]" if number else "") + f"GN[{record.game}]" + (f"SZ[{record.options[option]}]" if option else "")
    )
    names = "".join(f"P{'BW'[p]}[{_escaped(name)}]" for p, name in enumerate(record.seats[:2]))
    result = f"RE[{_escaped(record.ended)}]" if record.ended else ""
    rows = [f"(;FF[4]{head}{names}{result}"]
    position: Any = game(record.game, **record.options).start()
    for move in record.moves:
        rows.append(f";{'BW'[position.turn]}[{_point(move)}]")
        position = position.play(move)
    return "\n".join(rows) + ")\n"


def read_sgf(text: str) -> Record:
    """The record of the main line of an SGF game."""
    values = dict(re.findall(r"(?<![A-Z])(GM|GN|SZ|PB|PW|RE)\[((?:\\.|[^\]])*)\]", text))
    known = written()
    numbered = {str(number): name for name, (number, _) in known.items() if number}
    name = values.get("GN") if values.get("GN") in known else numbered.get(values.get("GM", ""))
    if name is None:
        raise ParseError(f"the game of this SGF is not known; {', '.join(known)} are read")
    option = known[name][1]
    options = {option: values["SZ"]} if option and values.get("SZ", "").isdecimal() else {}
    position: Any = game(name, **options).start()
    for _, point in re.findall(r";\s*([BW])\[([a-z]*)\]", text):
        position = position.play(_cell(point, position.moves()))
    return Record.of(position, [values.get("PB", "you"), values.get("PW", "you")], 0, values.get("RE", ""))


def _point(move: str) -> str:
    cell = CELL.fullmatch(move)
    return cell[1] + chr(96 + int(cell[2])) if cell else PASS


def _cell(point: str, moves: list[str]) -> str:
    if point == PASS:
        return next((move for move in moves if not CELL.fullmatch(move)), "pass")
    if len(point) != 2:
        raise IllegalMove(f"{point!r} is no point of SGF: two letters, the column and the row")
    return f"{point[0]}{ord(point[1]) - 96}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
