"""What pages are shown of positions, plans and marks, as JSON: made from a seat's view alone, and never failing over a game."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from stratagem.contract.game import CHANCE, TOGETHER, Game, Mark, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.errors import IllegalMove, StratagemError
from stratagem.web.deltas import Telling, pieces, telling

log = logging.getLogger("stratagem.web")

MANY = 400  # parts that are listed at most: a page with more buttons helps nobody, and typing always works
UNREADABLE = "these parts cannot be read"


def judged(position: Position, ask: Callable[[], Any], refusal: str) -> Any:
    """The answer of a game to untrusted text; a game that fails over it refuses it."""
    try:
        return ask()
    except StratagemError:
        raise
    except Exception:
        log.exception("%s failed over a text", position.game.name)
        raise IllegalMove(refusal) from None


def shown_parts(plan: GrowingPlan, played: dict[str, Any] | None = None) -> dict[str, Any]:
    """A plan as it grows, as JSON: what may come next, how that is asked for, its own drawing if it has one; or, once it
    was played, what came of it."""
    parts = judged(plan.view, lambda: plan.following, UNREADABLE)
    return {
        "prefix": list(plan.parts),
        "next": list(parts.next[:MANY]),
        "more": max(0, len(parts.next) - MANY),
        "complete": parts.complete,
        "free": parts.free,
        "said": said_parts(plan, parts.next[:MANY]),
        "grave": [part for part in parts.grave if part in parts.next[:MANY]],
        "form": None if parts.form is None else asdict(parts.form),
        "sketch": judged(plan.view, lambda: _sketch(plan), "these parts cannot be drawn") if played is None else None,
        "played": played,
    }


def _sketch(plan: GrowingPlan) -> Telling | None:
    """The drawing of a plan begun, told by what is new in it since the position's own; None where a game has none."""
    drawing = plan.drawing()
    return None if drawing is None else telling(pieces(plan.view.svg()), pieces(drawing))


def said_parts(plan: GrowingPlan, parts: Sequence[str]) -> list[str] | None:
    """What may come next in the words of buttons; None where a game has no other words than the parts themselves."""
    try:
        said = plan.view.phrases(parts, plan.parts, plan.seat)
    except Exception:  # a game that fails over its words is told by its texts
        log.exception("%s failed over the words of parts", plan.view.game.name)
        return None
    return None if said == list(parts) else said


def turn_word(position: Position) -> str:
    if position.over:
        return "over"
    return {CHANCE: "chance", TOGETHER: "together"}.get(position.turn, "seat")


def shown_marks(game: Game, ask: Callable[[], Sequence[Mark]]) -> list[dict[str, object]]:
    """Marks as JSON; a game that fails over them has none."""
    try:
        return [mark.json() for mark in ask()]
    except Exception:
        log.exception("%s failed over marks", game.name)
        return []


def shown_heading(view: Position) -> str:
    """Under which a decision stands in the record; a game that fails over it has none."""
    try:
        return view.heading()
    except Exception:
        log.exception("%s failed over a heading", view.game.name)
        return ""


def shown_sheet(position: Position) -> dict[str, Any] | None:
    """A position laid out for editing, as JSON; None for a game that cannot be."""
    sheet = position.game.sheet(position)
    return None if sheet is None else sheet.json()


def edited(position: Position, cells: Mapping[str, str], fields: Mapping[str, str]) -> Position:
    """The position of a sheet that was changed, or why there is no such position."""
    game = position.game
    sheet = game.sheet(position)
    if sheet is None:
        raise StratagemError(f"positions of {game.title} are not edited cell by cell")
    strange = [name for name in cells if name not in sheet.cells] + [
        name for name in fields if name not in {field.name for field in sheet.fields}
    ]
    if strange:
        raise StratagemError(f"{strange[0][:80]!r} is nothing that can be changed in {game.title}")
    values = {field.name: field.value for field in sheet.fields}
    text = judged(
        position,
        lambda: game.written(position, {**sheet.cells, **cells}, {**values, **fields}),
        "this cannot be written",
    )
    found: Position = judged(position, lambda: game.parse(text), "there is no such position")
    return found


class Drawings:
    """The last drawings, texts and first parts of views: a table is asked for the same ones by everybody who looks."""

    def __init__(self, kept: int = 256) -> None:
        self.kept = kept
        self._found: OrderedDict[tuple[int, int | None], tuple[Position, dict[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, position: Position, seat: int | None) -> dict[str, Any]:
        """What a seat sees of a position, and what it may do if it is asked."""
        name = id(position), seat  # a position that is kept keeps its number
        with self._lock:
            if name in self._found:
                self._found.move_to_end(name)
                return self._found[name][1]
        view = position.view(seat)
        asked = seat is not None and seat in position.asked
        found = {
            "svg": view.svg(),
            "text": str(view),
            "marks": shown_marks(view.game, view.marks),
            "parts": shown_parts(GrowingPlan(view, seat)) if asked else None,
            "question": view.question(seat) if seat is not None and asked else "",
        }
        with self._lock:
            self._found[name] = position, found
            if len(self._found) > self.kept:
                self._found.popitem(last=False)
        return found


drawings = Drawings()
