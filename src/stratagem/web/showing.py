"""What pages are shown of positions, plans and marks, as JSON: made from a seat's view alone, and never failing over a game."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing
from stratagem.contract.companions.steps import Steps
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, TOGETHER, Game, Parts, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.errors import IllegalMove, StratagemError
from stratagem.web.deltas import Telling, pieces, telling

log = logging.getLogger("stratagem.web")

WORDED = 60  # parts of a plan begun that are put into words; each is asked for after those before it
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
    parts = judged(plan.view, lambda: _following(plan), UNREADABLE)
    next_parts = parts.next[:MANY]
    steps = shown_steps(plan, parts) if played is None else {}
    offered = (*next_parts, *steps.pop("shortcuts", ()))
    return {
        "prefix": list(plan.parts),
        "worded": None if played else said_prefix(plan),
        "next": list(offered),
        "more": max(0, len(parts.next) - MANY),
        "complete": parts.complete,
        "free": parts.free,
        "said": said_parts(plan, offered),
        "places": part_places(plan, offered),
        "grave": [part for part in parts.grave if part in next_parts],
        **steps,
        "form": None if parts.form is None else asdict(parts.form),
        "sketch": judged(plan.view, lambda: _sketch(plan), "these parts cannot be drawn") if played is None else None,
        "played": played,
    }


def _following(plan: GrowingPlan) -> Parts:
    """What may come next. Numbers that do not add up are a plan still being put together, which is drawn all the same."""
    try:
        return plan.following
    except IllegalMove:
        begun = plan.drop().following if plan.parts else None
        if begun is None or begun.form is None or begun.form.kind != "numbers":
            raise
        return replace(begun, next=(), complete=False)


def _sketch(plan: GrowingPlan) -> Telling | None:
    """The drawing of a plan begun, given as what is new in it since the position's own; None where a game has none."""
    drawing = plan.drawing()
    return None if drawing is None else telling(pieces(plan.view.svg()), pieces(drawing))


def said_parts(plan: GrowingPlan, parts: Sequence[str]) -> list[str] | None:
    """What may come next in the words of buttons; None where a game has no other words than the parts themselves."""
    try:
        said = Wording.of(plan.view.game).phrases(plan.view, parts, plan.parts, plan.seat)
    except Exception:  # a game that fails over its words is shown by its texts
        log.exception("%s failed over the words of parts", plan.view.game.name)
        return None
    return None if said == list(parts) else said


def said_prefix(plan: GrowingPlan) -> list[str] | None:
    """The parts of a plan begun in the words of buttons, each as it was offered after those before it."""
    begun = (replace(plan, parts=plan.parts[:k]) for k in range(min(len(plan.parts), WORDED)))
    said = [(said_parts(before, (part,)) or [part])[0] for before, part in zip(begun, plan.parts, strict=False)]
    return None if said == list(plan.parts[:WORDED]) else said


def part_places(plan: GrowingPlan, parts: Sequence[str]) -> list[list[str]] | None:
    """The places of the drawing that each of some parts is about; None where none is about any."""
    try:
        drawing = Drawing.of(plan.view.game)
        mover = plan.view.turn if plan.seat is None else plan.seat
        found = [list(drawing.places(plan.view, part, mover)) for part in parts]
    except Exception:  # a game that fails over them is played by its texts
        log.exception("%s failed over the places of parts", plan.view.game.name)
        return None
    return found if any(found) else None


def shown_steps(plan: GrowingPlan, parts: Parts) -> dict[str, Any]:
    """The steps of a turn as JSON, each with the numbers of the parts that belong to it, what the last part leaves pointed
    at, and parts that are offered as one; nothing where a game has no steps, or fails over them."""
    game, view = plan.view.game, plan.view
    if not isinstance(game, Steps):
        return {}
    try:
        shortcuts = tuple(game.shortcuts(view, plan.parts, parts))
        number = {part: k for k, part in enumerate((*parts.next[:MANY], *shortcuts))}
        steps = [
            {**step._asdict(), "parts": [number[part] for part in step.parts if part in number]}
            for step in game.steps(view, plan.parts, replace(parts, next=(*parts.next, *shortcuts)), plan.seat)
        ]
        return {"steps": steps, "held": list(game.held(view, plan.parts, parts)), "shortcuts": shortcuts}
    except Exception:
        log.exception("%s failed over the steps of a turn", game.name)
        return {}


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
        return Wording.of(view.game).heading(view)
    except Exception:
        log.exception("%s failed over a heading", view.game.name)
        return ""


def apart_from_best(view: Position, plans: Sequence[str]) -> list[list[dict[str, Any]]]:
    """For each of several plans how it differs from the first, by boards or whatever groups the game has: the parts that it
    has and the first lacks, and those that it lacks, in words."""
    wording = Wording.of(view.game)
    split = [[part.strip() for part in plan.split(";") if part.strip()] for plan in plans]
    said = _worded(view, list(dict.fromkeys(part for parts in split for part in parts)))
    found: list[list[dict[str, Any]]] = []
    for parts in split:
        groups: dict[str, dict[str, Any]] = {}
        for kind, ours, theirs in (("has", parts, split[0]), ("lacks", split[0], parts)):
            differing = Counter(ours) - Counter(theirs)
            for part in ours:
                if differing[part] > 0:
                    differing[part] -= 1
                    name = wording.group(view, part)
                    groups.setdefault(name, {"name": name, "has": [], "lacks": []})[kind].append(said[part])
        found.append([groups[name] for name in sorted(groups)])
    return found


def _worded(view: Position, parts: list[str]) -> dict[str, str]:
    """Parts in the words of buttons, without the board, which stands above them; where there are none, their texts."""
    try:
        said = Wording.of(view.game).phrases(view, parts, (), view.turn)
    except Exception:  # a game that fails over its words is shown by its texts
        log.exception("%s failed over the words of plans", view.game.name)
        said = parts
    return {part: words.partition(": ")[2] or words for part, words in zip(parts, said, strict=True)}


def shown_rules(game: Game) -> dict[str, Any]:
    """The rules in brief for somebody at the table: in sentences, and as a list of pieces."""
    return {
        "rules": game.brief or game.summary,
        "pieces": [{"name": name, "words": words} for name, words in Wording.of(game).pieces()],
    }


def shown_sheet(position: Position) -> dict[str, Any] | None:
    """A position laid out for editing, as JSON; None for a game that cannot be."""
    sheet = Editing.of(position.game).sheet(position)
    return None if sheet is None else sheet.json()


def edited(position: Position, cells: Mapping[str, str], fields: Mapping[str, str]) -> Position:
    """The position of a sheet that was changed, or why there is no such position."""
    game = position.game
    editing = Editing.of(game)
    sheet = editing.sheet(position)
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
        lambda: editing.written(position, {**sheet.cells, **cells}, {**values, **fields}),
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
            "marks": shown_marks(view.game, partial(Drawing.of(view.game).marks, view)),
            "parts": shown_parts(GrowingPlan(view, seat)) if asked else None,
            "question": Wording.of(view.game).question(view, seat) if seat is not None and asked else "",
            "first": list(Wording.of(view.game).first_steps(view)) if asked else [],
        }
        with self._lock:
            self._found[name] = position, found
            if len(self._found) > self.kept:
                self._found.popitem(last=False)
        return found


drawings = Drawings()
