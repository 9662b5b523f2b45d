"""The steps of a turn: what a page lists while somebody goes through one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stratagem.contract.companions.companion import Companion, Of

if TYPE_CHECKING:
    from stratagem.contract.parts import Parts

OPEN, DONE, LATER = "open", "done", "later"


class Step(NamedTuple):
    """One step of a turn: where it stands, what has been done in it, what it ends or what ends it."""

    name: str
    state: str  # OPEN, DONE (nothing more is possible) or LATER
    said: str = ""  # what has been done in it, and what is left
    note: str = ""
    parts: tuple[str, ...] = ()  # of what may come next, what belongs to it


class Steps(Companion[Of]):
    """A game whose turn has steps."""

    def steps(self, position: Of, prefix: Sequence[str], following: Parts, seat: int | None = None) -> tuple[Step, ...]:
        """The steps of the turn, once the parts of a plan so far are carried out, after which `following` may come."""
        return ()

    def held(self, position: Of, prefix: Sequence[str], following: Parts) -> tuple[str, ...]:
        """The places that the last part leaves pointed at, such as a unit that may still attack: what is clicked next goes
        on from there."""
        return ()

    def shortcuts(self, position: Of, prefix: Sequence[str], following: Parts) -> tuple[str, ...]:
        """Several parts, with `;` between, that a page offers as one."""
        return ()

    def midway(self, position: Of, prefix: Sequence[str]) -> Of | None:
        """A position in the middle of the turn, from which an engine chooses the rest; None where there is no such thing:
        the engine then chooses a whole turn, and what still fits of it is added."""
        return None


def actions_left(left: int, whole: int, following: Parts) -> tuple[Step, ...]:
    """The steps of a turn of so many actions of any kind, of which some are left."""
    now = max(whole - left, 0)
    return tuple(
        Step(f"Action {k + 1}", DONE if k < now else OPEN if k == now else LATER, parts=following.next * (k == now))
        for k in range(whole)
    )
