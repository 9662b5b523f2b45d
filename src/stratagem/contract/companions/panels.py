"""Questions that a game answers about a position, beside its engines: small forms on the analysis page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from stratagem.contract.companions.companion import Companion, Of
from stratagem.contract.companions.drawing import Mark
from stratagem.errors import UnknownName


@dataclass(frozen=True)
class Panel:
    """One question."""

    name: str
    title: str
    help: str
    fields: tuple[tuple[str, str], ...] = ()  # texts that are asked for: the name of each, and what it means


@dataclass(frozen=True)
class Finding:
    """The answer of a panel: words, and moves that can be played, each with a few words about it."""

    text: str
    moves: tuple[tuple[str, str], ...] = ()
    marks: tuple[Mark, ...] = ()  # what it is about, on the board


class Panels(Companion[Of]):
    """A game that answers questions of its own."""

    panels: ClassVar[tuple[Panel, ...]] = ()

    def answer(self, position: Of, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
        """The answer of one of the panels to the texts given, within a time."""
        raise NotImplementedError


def answered(position: Of, panel: str, given: Mapping[str, str], seconds: float) -> Finding:
    """The answer to a panel of the position's game; UnknownName where it has none of that name."""
    game = position.game
    known = [one.name for one in Panels.of(game).panels]
    if panel not in known:
        raise UnknownName(f"panel of {game.name}", panel, known)
    return Panels.of(game).answer(position, panel, given, seconds)
