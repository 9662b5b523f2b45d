"""A first answer while there is no compiled search yet: the same search in the interpreter, for a moment.

A compilation takes seconds; the interpreter is a hundred times slower than what comes of it, and begins at once.
"""

from __future__ import annotations

from typing import Any

from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import Choice, Clock, PlayerText
from stratagem.errors import StratagemError
from stratagem.registry import players
from stratagem.search.alphabeta.deepening import AlphaBeta, Solution
from stratagem.search.budget import Budget

SECONDS = 0.7  # of a first look


def first_look(game: Game, said: PlayerText, view: Position, seat: int | None, lines: int) -> Choice | None:
    """What a player thinks after a moment in the interpreter; None where it cannot run there, or found nothing so soon."""
    options: dict[str, Any] = {"seed": 0, **said.options, "target": "python"}
    for budget in ("simulations", "depth", "time", "threads"):
        options.pop(budget, None)
    try:
        thinker = players(game)[said.name].make(game, **options)
        return thinker.choose(view, Clock(SECONDS), seat=seat, lines=lines)
    except (StratagemError, TypeError, KeyError):
        return None


def solved_at_once(game: Game, position: Position) -> Solution | None:
    """The exact value, where the interpreter finds it in a moment."""
    if not isinstance(game, ArrayGame):
        return None
    try:
        return AlphaBeta(game, target="python", table_bits=16).solve(position, Budget(SECONDS))
    except StratagemError:
        return None
