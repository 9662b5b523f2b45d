"""Companions: what a game may have beside its rules, for people.

A game declares a companion by naming it among its bases, `class Notakto(ArrayGame, Drawing)`, and gives those of its
methods that it has something to say to. Every method takes the position it is about, so that one companion serves all
positions of a game. Who shows games asks `isinstance(game, Editing)`, or takes `Drawing.of(game)`, which is the default
where the game declares none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Self

from typing_extensions import TypeVar

if TYPE_CHECKING:
    from stratagem.contract.game import Game, Position

Of = TypeVar("Of", bound="Position", default=Any)  # the positions of a game


class Companion(Generic[Of]):
    @classmethod
    def of(cls, game: Game) -> Self:
        """The game itself where it declares this companion, else the default."""
        return game if isinstance(game, cls) else cls()


def undeclared(kind: type, companions: Iterable[type[Companion]]) -> tuple[str, str] | None:
    """A companion's method that a class defines without declaring the companion, and the companion's name."""
    for companion in companions:
        for name in vars(kind):
            if not name.startswith("_") and name in vars(companion) and not issubclass(kind, companion):
                return name, companion.__name__
    return None
