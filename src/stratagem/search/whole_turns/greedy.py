"""Greed, which every search of turns has to beat: the best decision after another, and the best turn of all.

*Greedy action* ("one-step look-ahead") plays each listed action on a copy, evaluates, and takes the best, ties at random,
until the turn is over. *Greedy turn* goes depth first through all sequences of the turn, entering each position once; where
it finishes, it is the ceiling of every search that stops at the end of its own turn. A cut leaves late actions of the first
decision unseen, so those are shuffled. (N. Justesen, T. Mahlmann, J. Togelius, *Online Evolution for Multi-Action Adversarial
Games*, EvoApplications 2016.)

With dice inside the turn greedy action looks at the mean over the sampled worlds. Greedy turn is not for such games: it would
choose the sequence that the sampled dice happen to favour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from stratagem.kernel import Ground, Moves, State, key, moves, play
from stratagem.rng import below
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import (
    Rows,
    TurnArrays,
    TurnTerms,
    begun,
    copy,
    enter,
    finish,
    goes_on,
    greedy_row,
    random_turn,
    remember,
    set_out,
    spent,
)
from stratagem.search.whole_turns.settings import TurnSettings

NEXT, COUNT = 0, 1  # of `TurnList.at`
KEYS = 1 << 20


class TurnList(NamedTuple):
    """A depth-first walk through all turns."""

    stack: Rows  # [columns of `genes`, cells]: positions on the way
    lists: Rows  # [as many, moves]: what can be done in each
    at: Rows  # [as many, 2]: of each list the next action, and how many there are
    seen: Moves  # [a power of two]: positions inside the turn that are known again


@dataclass(frozen=True, kw_only=True)
class GreedyTurnSettings(TurnSettings):
    """The settings of the list of all turns."""

    outcomes: ClassVar[int] = KEYS

    def records(self, atoms: Atoms) -> tuple[TurnList]:
        def ints(*shape: int) -> Rows:
            return np.zeros(shape, np.int64)

        n = atoms.longest
        return (TurnList(ints(n, atoms.cells), ints(n, atoms.most_moves), ints(n, 2), ints(KEYS)),)


def greedy_action(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, stop: Moves) -> None:
    """The best single action, one after another."""
    set_out(g, root, p, room, terms)
    greedy_row(g, p, 0, room, terms)
    finish(g, p, 0, room, terms)


def greedy_turn(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms, own: TurnList, stop: Moves) -> None:
    """The best of all turns, as far as there is time for them."""
    set_out(g, root, p, room, terms)
    for k in range(own.seen.shape[0]):
        own.seen[k] = 0
    list_turns(g, p, room, terms, own, stop)
    if room.best[0] == 0:  # stopped before anything was judged
        random_turn(g, p, 0, room, terms)


def list_turns(g: Ground, p: int, room: TurnArrays, terms: TurnTerms, own: TurnList, stop: Moves) -> None:
    """Judge every turn that leads through a new position."""
    stack, lists, at = own.stack, own.lists, own.at
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which, depth = begun(g, room.s), 0
    if not goes_on(g, room.s, p, which, room.dice):
        return
    copy(stack[0], room.s)
    at[0, NEXT], at[0, COUNT] = 0, moves(g, room.s, p, lists[0])
    for i in range(at[0, COUNT] - 1, 0, -1):
        k = below(room.r, i + 1)
        lists[0, i], lists[0, k] = lists[0, k], lists[0, i]
    while depth >= 0 and not spent(room.tally, terms.turns, stop):
        if at[depth, NEXT] == at[depth, COUNT]:
            depth -= 1
            continue
        m = lists[depth, at[depth, NEXT]]
        at[depth, NEXT] += 1
        room.genes[0, depth] = m
        copy(room.s, stack[depth])
        play(g, room.s, p, m)
        if depth + 1 == room.genes.shape[1] or not goes_on(g, room.s, p, which, room.dice):
            room.lengths[0] = depth + 1
            finish(g, p, 0, room, terms)
        elif remember(key(g, room.s), own.seen) == 1:
            depth += 1
            copy(stack[depth], room.s)
            at[depth, NEXT], at[depth, COUNT] = 0, moves(g, room.s, p, lists[depth])
