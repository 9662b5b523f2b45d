"""What all rivals do around their search."""

from __future__ import annotations

from stratagem.errors import MissingKernel
from stratagem.kernel import Ground, Moves, State
from stratagem.search.rivals.core import Room, Terms, random_turn, set_out


def search(g: Ground, seat: int, room: Room, terms: Terms, stop: Moves) -> None:
    """Bound to a rival's own."""
    raise MissingKernel("no rival's search is bound: `think` runs only through compile.specialise")


def think(g: Ground, root: State, seat: int, room: Room, terms: Terms, stop: Moves) -> None:
    """Search the turn of a seat; the answer is left in `room.best`."""
    set_out(g, root, seat, room, terms)
    search(g, seat, room, terms, stop)
    if room.best[0] == 0:  # stopped before anything was judged
        random_turn(g, seat, 0, room, terms)
