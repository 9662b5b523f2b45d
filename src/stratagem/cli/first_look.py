"""A first answer while there is no compiled search yet: the same search in the interpreter, or the player's own cheaper way.

A compilation takes seconds; the interpreter is a hundred times slower than what comes of it, and begins at once.
"""

from __future__ import annotations

import contextlib
from typing import Any

from stratagem.compile import nothing_compiled
from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import Choice, Clock, Player, PlayerText
from stratagem.errors import StratagemError
from stratagem.registry import default_engine, player, players
from stratagem.review.judging import BUDGETS, Review, review
from stratagem.search.alphabeta.deepening import AlphaBeta, Solution
from stratagem.search.budget import Budget

SECONDS = 0.7  # of a first look


def first_look(game: Game, said: PlayerText, view: Position, seat: int | None, lines: int) -> Choice | None:
    """What a player thinks after a moment, with nothing compiled; None where it cannot, or found nothing so soon."""
    with nothing_compiled():
        with contextlib.suppress(StratagemError):
            own = player(game, str(said))
            if isinstance(own, Player) and (found := own.at_once(view, seat, lines)):
                return found
        options: dict[str, Any] = {"seed": 0, **said.options, "target": "python"}
        for name in (*BUDGETS, "threads"):  # which the moment takes the place of
            options.pop(name, None)
        try:
            thinker = players(game)[said.name].make(game, **options)
            return thinker.choose(view, Clock(SECONDS), seat=seat, lines=lines)
        except (StratagemError, TypeError, KeyError):
            return None


def reviewed_at_once(last: Position, engine: str | None) -> Review | None:
    """A game looked back on in a moment, where its judge runs in the interpreter."""
    game = last.game
    said = PlayerText.parse(engine or default_engine(game, players(game)))
    try:
        with nothing_compiled():
            thinker = players(game)[said.name].make(game, seed=0, target="python")
            return review(last, engine=thinker, seconds=SECONDS / max(len(last.history), 1))
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
