"""What was decided, in a game's own words to somebody who may not know everything."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import JOINT, NOBODY, TOGETHER, UNASKED, Position
from stratagem.errors import StratagemError


def in_words(before: Position, text: str, viewer: int | None = None) -> str | None:
    """A decision of the record in words, asked of the position before it; None where the game has none but the text.

    The viewer is a seat, NOBODY (a spectator), or None: whoever may know everything. The view is asked in place of the
    position, so that words can tell no more than the viewer sees; `text` must be what the viewer may read of the record."""
    game = before.game
    if not isinstance(game, Wording):
        return None
    asked = before if viewer is None else before.view(None if viewer == NOBODY else viewer)
    try:
        if before.turn != TOGETHER:
            said = game.describe(asked, text, before.turn, viewer)
            return None if said == text else said
        moves = text.split(JOINT)
        if len(moves) != game.players:  # it is not known who decided what
            return None
        reported = {p: game.describe(asked, move, p, viewer) for p, move in enumerate(moves) if move != UNASKED}
    except StratagemError:  # a move that the viewer cannot follow keeps its text
        return None
    if all(said == moves[p] for p, said in reported.items()):
        return None
    return "; ".join(f"{game.seat_name(p)}: {said}" for p, said in reported.items())


def folded(parts: Sequence[str]) -> list[str]:
    """Parts of a plan for people: neighbours that differ in their last word alone become one, `board 0 move c1c0, d2e2`."""
    found: list[str] = []
    before = ""
    for part in parts:
        head, _, last = part.rpartition(" ")
        if head and head == before:
            found[-1] += f", {last}"
        else:
            found.append(part)
        before = head
    return found
