"""Board games in SGF, the Smart Game Format (FF[4]), so that other programs can show them.

A game that can be written so declares `Sgf`; its `sgf` is a `BoardRecord`: its number in the standard, which options are the
size of its board, which colour begins. Games that the standard has no number for are written without `GM`, by their name in
`GN`. Points are two letters, the column and the row, counted from the top left. Where a move is a cell nothing more is needed.
A game with other moves gives `sgf_move`: the point that stands for a move, or two with a colon between, which is the
standard's way to put two values into one. Connect four names the cell in which a stone comes to rest, breakthrough the cells
that a step goes from and to. The size is `SZ[8]`, or `SZ[7:6]` for columns and rows; options that are neither stand as rules,
`RU[line=5]`.

Other games are written as text (`store/text.py`).
"""

from __future__ import annotations

import re
from typing import Any

from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.game import Game, Position
from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError
from stratagem.registry import game, game_class, game_names
from stratagem.store.record import Record

PASS = ""
CELL = re.compile(r"([a-z])(\d+)")
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\]\\])*\]\s*)+))", re.S)
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.S)
SETUP = {"AB", "AW", "AE", "PL"}  # a position of its own
Node = dict[str, str]  # a property and its first value


def written() -> dict[str, BoardRecord]:
    """The games that are written so, by name."""
    found = {name: game_class(name) for name in game_names()}
    return {name: of.sgf for name, of in found.items() if issubclass(of, Sgf)}


def write_sgf(record: Record) -> str:
    """The game as SGF; refused where it is no board game, or its start is not the usual one."""
    of: Game = game(record.game, **record.options)
    if not isinstance(of, Sgf):
        raise OptionError(f"{record.game} is not written as SGF; {', '.join(written())} are, and every game as text")
    if record.origin is not None:
        raise OptionError("a game that begins from a position of its own is written as text, not as SGF")
    form = of.sgf
    head = (f"GM[{form.number}]" if form.number else "") + f"GN[{_escaped(record.game)}]" + _size(of, form)
    rules = ",".join(
        f"{option.name}={of[option.name]}"
        for option in of.options
        if option.name not in form.size and of[option.name] != option.default
    )
    names = "".join(f"P{form.colours[p]}[{_escaped(name)}]" for p, name in enumerate(record.seats[:2]))
    result = f"RE[{_escaped(record.ended)}]" if record.ended else ""
    rows = [f"(;FF[4]{head}" + (f"RU[{_escaped(rules)}]" if rules else "") + f"{names}{result}"]
    position: Position = of.start()
    for move in record.moves:
        rows.append(f";{form.colours[position.turn]}[{_value(of, position, move)}]")
        position = position.play(move)
    return "\n".join(rows) + ")\n"


def read_sgf(text: str) -> Record:
    """The record of the main line of an SGF game; variations are left out."""
    nodes = main_line(text)
    head = nodes[0]
    known = written()
    numbered = {str(form.number): name for name, form in known.items() if form.number}
    name = head.get("GN") if head.get("GN") in known else numbered.get(head.get("GM", ""))
    if name is None:
        said = head.get("GN") or (f"GM[{head['GM']}]" if "GM" in head else "no GN, no GM")
        raise ParseError(f"the game of this SGF ({said}) is not known; {', '.join(known)} are read")
    form = known[name]
    if any(SETUP & node.keys() for node in nodes):
        raise ParseError("this SGF sets up a position of its own (AB, AW, AE or PL); games from the start are read")
    of: Game = game(name, **_options(form, head))
    position: Position = of.start()
    for number, node in enumerate(nodes):
        for colour in ("B", "W"):
            if colour in node:
                try:
                    position = position.play(_move(of, position, colour, node[colour]))
                except StratagemError as error:
                    raise type(error)(f"node {number} of this SGF, {colour}[{node[colour]}]: {error}") from None
    seats = [head.get(f"P{colour}", "you") for colour in form.colours]
    return Record.of(position, seats, 0, head.get("RE", ""))


def main_line(text: str) -> list[Node]:
    """The properties of the nodes from the root to the end of the first line, each with its first value."""
    nodes: list[Node] = []
    at = max(text.find("("), 0)
    while token := TOKEN.match(text, at):
        at = token.end()
        sign, name, values = token.groups()
        if sign == ")":
            break
        if sign == ";":
            nodes.append({})
        elif name and nodes:
            first = VALUE.search(values)
            assert first is not None
            # older files write names of properties out: only the capitals count
            nodes[-1]["".join(c for c in name if c.isupper())] = re.sub(r"\\(.)", r"\1", first[1], flags=re.S)
    if not nodes:
        raise ParseError(f"{text.strip()[:40]!r} is not SGF: a game begins with (; and properties such as GN[hex]")
    return nodes


def _size(of: Game, form: BoardRecord) -> str:
    if not form.size:
        return ""
    sides = [str(of[option]) for option in form.size]
    return f"SZ[{sides[0]}]" if len(set(sides)) == 1 else f"SZ[{':'.join(sides)}]"


def _options(form: BoardRecord, head: Node) -> dict[str, Any]:
    """The options that a root says: the size of the board, and rules as they are written here."""
    options: dict[str, Any] = {}
    if "SZ" in head and form.size:
        sides = head["SZ"].split(":")
        if not all(side.isdecimal() for side in sides) or len(sides) > len(form.size):
            raise ParseError(f"SZ[{head['SZ']}] is no size of this board; it is SZ[8], or SZ[7:6] for columns and rows")
        options = dict(zip(form.size, sides * len(form.size) if len(sides) == 1 else sides, strict=False))
    for rule in head.get("RU", "").split(","):
        name, equals, value = rule.partition("=")
        if equals:
            options[name.strip()] = value.strip()
    return options


def _value(of: Game, position: Position, move: str) -> str:
    """What stands for a move between brackets."""
    own = Sgf.of(of).sgf_move(position, move)
    if own is not None:
        return own
    cell = CELL.fullmatch(move)
    return cell[1] + chr(96 + int(cell[2])) if cell else PASS


def _move(of: Game, position: Position, colour: str, value: str) -> str:
    """The move that a value stands for: the legal one that is written so."""
    if position.over:
        raise IllegalMove("the game is over, and a move follows")
    due = Sgf.of(of).sgf.colours[position.turn]
    if colour != due:
        raise IllegalMove(f"{colour} moves, and it is {due}'s turn")
    moves = {_value(of, position, move): move for move in position.moves()}
    if value not in moves:
        raise IllegalMove(f"no legal move is written so; {', '.join(sorted(moves)[:8])} are")
    return moves[value]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
