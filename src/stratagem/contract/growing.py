"""A move while it is put together, part by part: what a person does at a keyboard or in a browser.

Everything is judged on what the seat may see, so that no answer and no refusal can tell more."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.game import TOGETHER, Parts, Position
from stratagem.errors import IllegalMove, StratagemError, Unlistable


@dataclass(frozen=True)
class GrowingPlan:
    """The parts that a seat has chosen so far. Adding and dropping give another plan; what is illegal is refused at once."""

    view: Position  # as the seat sees it
    seat: int | None  # whose move it is; None: whoever is to decide
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, view: Position, seat: int | None, text: str) -> GrowingPlan:
        """The plan of a text with `;` between its parts, not judged yet."""
        return cls(view, seat, tuple(part.strip() for part in text.split(";")))

    @cached_property
    def following(self) -> Parts:
        """What may come next; where a game cannot list it, what to type."""
        try:
            return self.view.parts(self.parts, self.seat)
        except Unlistable as error:
            return Parts((), bool(self.parts), str(error))

    def add(self, *parts: str) -> GrowingPlan:
        """Return the plan with more parts.

        Args:
            *parts: the parts to add, in order.

        Raises:
            IllegalMove: no move begins with these parts.
        """
        grown = replace(self, parts=(*self.parts, *(part.strip() for part in parts)))
        _ = grown.following  # which refuses what no move begins with
        return grown

    def drop(self) -> GrowingPlan:
        """Without its last part."""
        return replace(self, parts=self.parts[:-1])

    @property
    def text(self) -> str:
        """The text of the parts so far."""
        return ";".join(self.parts)

    @property
    def full(self) -> bool:
        """Whether it is a whole move to which nothing can be added."""
        return self.following.complete and not self.following.next

    def drawing(self) -> str | None:
        """The position with the parts so far carried out, where the game can show that."""
        drawing = Drawing.of(self.view.game)
        return drawing.sketch(self.view, self.parts, self.seat) if self.parts else None

    def completed(self, rest: Sequence[str]) -> GrowingPlan:
        """This plan with as many of further parts as fit, in their order."""
        wanted = tuple(part.strip() for part in rest if part.strip())
        whole = replace(self, parts=(*self.parts, *wanted))
        try:
            if whole.following.complete:
                return whole
        except StratagemError:
            pass
        found = self
        for part in wanted:
            with suppress(StratagemError):
                found = found.add(part)
        return found

    def settled(self) -> tuple[str, ...]:
        """The plan as the record will hold it, or IllegalMove if it is no whole move.

        Where seats decide one after another, a game may read a text as several of its moves, such as an attack and how often.
        Each of them must be the same seat's to decide: nobody types the decisions of chance or of another seat."""
        view, seat = self.view, self.view.turn if self.seat is None else self.seat
        if view.turn == TOGETHER:
            return (view.check(self.text, seat),)
        steps = view.play(self.text).history[len(view.history) :]
        if len(steps) > 1:
            own_steps(view, seat, steps)
        return steps


def own_steps(position: Position, seat: int, steps: Sequence[str]) -> list[Position]:
    """The positions after moves that are played one after another, all of which must be the seat's own to decide."""
    found: list[Position] = []
    for step in steps:
        if position.turn != seat:
            name = position.game.seat_name(seat)
            raise IllegalMove(
                f"{';'.join(steps)[:80]!r} decides more than {name} may: {step[:80]!r} is not for {name} to decide; "
                "end the line before it"
            )
        position = position.play(step)
        found.append(position)
    return found
