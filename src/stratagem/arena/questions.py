"""Questions one a line, answered anywhere: a function of plain data for each kind, so that a cluster can call it by name.

Every answer is made by a player or solver of its own, from the seed: which host answers, and in which order, changes nothing.
"""

from __future__ import annotations

from typing import Any

from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.registry import game, player


def analysed(
    name: str, options: dict[str, Any], engine: str, terms: dict[str, Any], text: str
) -> tuple[str, dict[str, Any]]:
    """(the text given, a choice as JSON or an error) of a position; terms: seconds, lines, seed, seat."""
    try:
        of = game(name, **options)
        start = of.parse(text)
        seat = terms["seat"] if terms["seat"] is not None else (start.asked[0] if start.asked else None)
        view = start if seat is None else start.view(seat)
        thinker = player(of, engine, seed=terms["seed"])
        choice = thinker.choose(view, Clock(terms["seconds"]), seat=seat, lines=terms["lines"])
        return text, choice.json()
    except StratagemError as error:
        return text, {"error": str(error)}
