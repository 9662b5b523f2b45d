"""Who sits at a table, for people: what seats are called, in which colours, and how a game ended for them."""

from __future__ import annotations

import logging
from typing import Any

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import Game, Position

log = logging.getLogger("stratagem.web")


def called(game: Game, seat: int) -> str:
    """What a seat is called by people, who see the board and no notation."""
    people, name = Wording.of(game).people, game.seat_name(seat)
    return people[seat] if seat < len(people) else f"{name[:1].upper()}{name[1:]}"


def seats_shown(game: Game) -> list[dict[str, Any]]:
    """Each seat: `name` in notation, what it is `called`, and the `colour` of what it has on the board."""
    colours = Drawing.of(game).seat_colours
    return [
        {
            "seat": seat,
            "name": game.seat_name(seat),
            "called": called(game, seat),
            "colour": colours[seat % len(colours)],
        }
        for seat in range(game.players)
    ]


def tally_shown(position: Position) -> list[float] | None:
    """What people count at the end; None before it, and where a game counts nothing or fails over it."""
    if not position.over:
        return None
    try:
        found = Wording.of(position.game).tally(position)
    except Exception:
        log.exception("%s failed over what is counted", position.game.name)
        return None
    return None if found is None else [float(x) for x in found]
