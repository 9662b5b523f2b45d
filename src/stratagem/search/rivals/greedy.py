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

from stratagem.kernel import Ground, Moves, key, moves, play
from stratagem.rng import below
from stratagem.search.rivals.core import (
    LONGEST,
    Room,
    Terms,
    begun,
    copy,
    enter,
    finish,
    goes_on,
    greedy_row,
    remember,
    spent,
)


def greedy_action(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    greedy_row(g, p, 0, room, terms)
    finish(g, p, 0, room, terms)


def greedy_turn(g: Ground, p: int, room: Room, terms: Terms, stop: Moves) -> None:
    stack, lists, at = (
        room.stack,
        room.lists,
        room.path,
    )  # at: the next action at each depth, and behind how many there are
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which, depth = begun(g, room.s), 0
    if not goes_on(g, room.s, p, which, room.dice):
        return
    copy(stack[0], room.s)
    at[0], at[LONGEST] = 0, moves(g, room.s, p, lists[0])
    for i in range(at[LONGEST] - 1, 0, -1):
        k = below(room.r, i + 1)
        lists[0, i], lists[0, k] = lists[0, k], lists[0, i]
    while depth >= 0 and not spent(room.tally, terms.turns, stop):
        if at[depth] == at[LONGEST + depth]:
            depth -= 1
            continue
        m = lists[depth, at[depth]]
        at[depth] += 1
        room.genes[0, depth] = m
        copy(room.s, stack[depth])
        play(g, room.s, p, m)
        if depth + 1 == LONGEST or not goes_on(g, room.s, p, which, room.dice):
            room.lengths[0] = depth + 1
            finish(g, p, 0, room, terms)
        elif remember(key(g, room.s), room.keys) == 1:
            depth += 1
            copy(stack[depth], room.s)
            at[depth], at[LONGEST + depth] = 0, moves(g, room.s, p, lists[depth])
