"""One compiled function for a family of rivals; what a family has no use for is not compiled."""

from __future__ import annotations

from typing import Any, cast

from stratagem.kernel import Ground, Moves, State
from stratagem.search.rivals.bandits import naive, tuple_bandit
from stratagem.search.rivals.core import Room, Terms, random_turn, set_out
from stratagem.search.rivals.evolution import coevolve, evolve
from stratagem.search.rivals.greedy import greedy_action, greedy_turn
from stratagem.search.rivals.mutations import mutation_tree
from stratagem.search.rivals.trees import atom_tree
from stratagem.search.rivals.turn_tree import turn_tree

FIRST, SECOND = 0, 1  # which of a family

# bound: the family
GREEDY: bool = cast(Any, False)
TREES: bool = cast(Any, False)
EVOLUTION: bool = cast(Any, False)
MUTATIONS: bool = cast(Any, False)
BANDITS: bool = cast(Any, False)
TURN_TREE: bool = cast(Any, False)


def think(g: Ground, root: State, seat: int, which: int, room: Room, terms: Terms, stop: Moves) -> None:
    """Search the turn of a seat; the answer is left in `room.best`."""
    set_out(g, root, seat, room, terms)
    if GREEDY:
        if which == FIRST:
            greedy_action(g, seat, room, terms, stop)
        else:
            greedy_turn(g, seat, room, terms, stop)
    if TREES:
        atom_tree(g, seat, room, terms, stop)
    if EVOLUTION:
        if which == FIRST:
            evolve(g, seat, room, terms, stop)
        else:
            coevolve(g, seat, room, terms, stop)
    if MUTATIONS:
        mutation_tree(g, seat, room, terms, stop)
    if BANDITS:
        if which == FIRST:
            tuple_bandit(g, seat, room, terms, stop)
        else:
            naive(g, seat, room, terms, stop)
    if TURN_TREE:
        turn_tree(g, seat, room, terms, stop)
    if room.best[0] == 0:  # stopped before anything was judged
        random_turn(g, seat, 0, room, terms)
