"""Questions one a line, answered anywhere: a function of plain data for each kind, so that a cluster can call it by name.

Every answer is made by a player or solver of its own, from the seed: which host answers, and in which order, changes nothing.

A line is the text of a position, or a JSON object with any of `position`, `moves` (a list, played from there) and `id`; an answer
begins with what the line was known by.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from stratagem.contract.game import Game, Position
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, StratagemError
from stratagem.registry import game, player

Answer = tuple[dict[str, Any], dict[str, Any]]  # what it begins with, and what was found or an error
FIELDS = ("id", "position", "moves")  # of a question as JSON


class AskedLine(NamedTuple):
    """What one line asks about."""

    head: dict[str, Any]  # what its answer begins with
    text: str  # of the position; empty: the start
    moves: Sequence[str] | str | None  # played from there

    def position(self, of: Game) -> Position:
        start: Position = of.parse(self.text)
        return start if self.moves is None else after_moves(start, self.moves)


def read_line(line: str, moves: str | None = None) -> AskedLine:
    """What a line asks about; `moves` are played where it does not say any."""
    given = line.rstrip("\r\n")
    try:
        data = json.loads(given) if given.lstrip().startswith("{") else None
    except ValueError:
        data = None  # the text of a position may begin like that too, and the game says what is wrong with it
    if data is None:
        return AskedLine({"position": given}, given, moves)
    text, played = data.get("position", ""), data.get("moves", moves)
    if unknown := [name for name in data if name not in FIELDS]:
        raise OptionError(f"a question has no {unknown[0]!r}; it may have {', '.join(FIELDS)}")
    if not isinstance(text, str):
        raise OptionError(f"the position {text!r} of a question is no text")
    if played is not moves and not (isinstance(played, list) and all(isinstance(move, str) for move in played)):
        raise OptionError(f"the moves {played!r} of a question are no list of texts")
    return AskedLine(data, text, played)


def after_moves(position: Position, moves: Sequence[str] | str) -> Position:
    """The position after moves in a list, or as people write them one after another.

    Moves that hold spaces or commas themselves are then written a line each, or with ` / ` between."""
    for k, move in enumerate(_apart(moves) if isinstance(moves, str) else moves):
        try:
            position = position.play(move)
        except StratagemError as error:
            raise type(error)(f"move {k + 1}, {move!r}: {error}") from None
    return position


def _apart(moves: str) -> list[str]:
    for between in ("\n", " / "):
        if between in moves:
            return [move.strip() for move in moves.split(between) if move.strip()]
    return moves.replace(",", " ").split()


def analysed(name: str, options: dict[str, Any], engine: str, terms: dict[str, Any], line: str) -> Answer:
    """A choice as JSON; terms: seconds, lines, seed, seat, moves."""
    head: dict[str, Any] = {"position": line}
    try:
        asked = read_line(line, terms["moves"])
        head = asked.head
        of = game(name, **options)
        start = asked.position(of)
        seat = terms["seat"] if terms["seat"] is not None else (start.asked[0] if start.asked else None)
        view = start if seat is None else start.view(seat)
        thinker = player(of, engine, seed=terms["seed"])
        choice = thinker.choose(view, Clock(terms["seconds"]), seat=seat, lines=terms["lines"])
        return head, choice.json()
    except StratagemError as error:
        return head, {"error": str(error)}
