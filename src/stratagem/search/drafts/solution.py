"""What a method of drafting found, and its refusal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stratagem.errors import StratagemError
from stratagem.plans.draft import PASS, Draft, Node, Picks


class TooLarge(StratagemError):
    """An exact answer would cost more states or memory than allowed."""


@dataclass(frozen=True)
class DraftSolution:
    """A whole draft as a method plays it, with its evidence."""

    method: str
    draft: Draft
    picks: Picks
    states: int = 0  # distinct states looked at
    first: tuple[int, ...] = ()  # all optimal first picks, where the method proves them
    note: str = ""

    @cached_property
    def node(self) -> Node:
        """The node after all picks."""
        return self.draft.after(self.picks)

    @property
    def totals(self) -> tuple[float, ...]:
        """What each player has in the end, in worths."""
        return self.draft.totals(self.node)

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the items picked, in order; None where a player passed."""
        return tuple(None if x == PASS else self.draft.items[x] for x in self.picks)

    def json(self) -> dict[str, Any]:
        """Return the solution as data."""
        found: dict[str, Any] = {
            "method": self.method,
            "picks": list(self.names),
            "totals": list(self.totals),
            "states": self.states,
        }
        if self.first:
            found["first"] = sorted(self.draft.items[x] for x in self.first)
        if self.note:
            found["note"] = self.note
        return found
