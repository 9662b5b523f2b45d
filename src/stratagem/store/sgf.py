"""Board games in SGF, the Smart Game Format (FF[4]), so that other programs can show them.

Othello and hex have numbers in that standard (GM 2 and 11), tic-tac-toe is written with its name in `GN` alone. A move goes by
the two letters of its cell, as the standard writes points, counted from the top left. Games whose moves are not cells are
written as text (`store/text.py`).
"""

from __future__ import annotations

import re
from typing import Any

from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.boards import cell_name, read_cell
from stratagem.registry import game
from stratagem.store.record import Record

NUMBERS = {"othello": 2, "hex": 11}
SIZES = {"othello": "size", "hex": "size"}  # the option that says how large a square board is
POINTS = ("tictactoe", "othello", "hex")  # games whose moves are cells
PASS = ""


def write_sgf(record: Record) -> str:
    """The game as SGF; refused where the game has no board, or its start is not the usual one."""
    if record.game not in POINTS:
        raise OptionError(f"{record.game} is not written as SGF; {', '.join(POINTS)} are, and every game as text")
    if record.origin is not None:
        raise OptionError("a game that begins from a position of its own is written as text, not as SGF")
    of = game(record.game, **record.options)
    number = f"GM[{NUMBERS[record.game]}]" if record.game in NUMBERS else ""
    size = f"SZ[{of[SIZES[record.game]]}]" if record.game in SIZES else ""
    names = "".join(f"P{'BW'[p]}[{_escaped(name)}]" for p, name in enumerate(record.seats[:2]))
    result = f"RE[{_escaped(record.ended)}]" if record.ended else ""
    rows = [f"(;FF[4]{number}GN[{record.game}]{size}{names}{result}"]
    position: Any = of.start()
    for move in record.moves:
        rows.append(f";{'BW'[position.turn]}[{_point(move)}]")
        position = position.play(move)
    return "\n".join(rows) + ")\n"


def read_sgf(text: str) -> Record:
    """The record of the main line of an SGF game."""
    values = dict(re.findall(r"(?<![A-Z])(GM|GN|SZ|PB|PW|RE)\[((?:\\.|[^\]])*)\]", text))
    by_number = {str(number): name for name, number in NUMBERS.items()}
    name = values.get("GN") if values.get("GN") in POINTS else by_number.get(values.get("GM", ""))
    if name is None:
        raise ParseError(f"the game of this SGF is not known; {', '.join(POINTS)} are read")
    options = {SIZES[name]: values["SZ"]} if name in SIZES and values.get("SZ", "").isdecimal() else {}
    of = game(name, **options)
    position: Any = of.start()
    for _, point in re.findall(r";\s*([BW])\[([a-z]*)\]", text):
        position = position.play(_cell(point, position.moves()))
    return Record.of(position, [values.get("PB", "you"), values.get("PW", "you")], 0, values.get("RE", ""))


def _point(move: str) -> str:
    row, column = read_cell(move)
    return chr(97 + column) + chr(97 + row) if row >= 0 else PASS


def _cell(point: str, moves: list[str]) -> str:
    if point == PASS:
        return next((move for move in moves if read_cell(move)[0] < 0), "pass")
    if len(point) != 2:
        raise IllegalMove(f"{point!r} is no point of SGF: two letters, the column and the row")
    return cell_name(ord(point[1]) - 97, ord(point[0]) - 97)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
