"""From a model to actions: who moves where and strikes whom becomes a sequence that the rules accept.

The order of a model is not read off but found again by playing: in each round all who can go do go, in one tick of chains
and cycles; then everybody in place strikes, and blinks if it has to; then spells are cast on those whom all have struck.
Going early never hurts, except that a hex which a blinking fighter leaves to others is kept for it. Who stepped aside for
nobody stays, and who would vanish steps aside instead where a hex is free.
"""

from __future__ import annotations

from typing import NamedTuple

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.attack.clauses import Model
from stratagem.games.minions.attack.graph import CARDS, FOES, MOST, OWN, STUMBLES, Graph, wounds_first
from stratagem.games.minions.attack.model import free_hexes
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.sampling import note
from stratagem.kernel import Ground, State


class Reading(NamedTuple):
    """A model being turned into actions."""

    graph: Graph
    model: Model
    true: Stream  # variable: 1 if it is true
    work: Stream  # rows of what each own unit does


# what each own unit does: columns of a row in `work`
GOAL, FIGHTS, BLINKS, STATE, READY, COLUMNS = 0, 1, 2, 3, 4, 5
HERE, ARRIVED, STRUCK, AWAY = range(4)  # of STATE
STUCK = -1  # the answer where a model cannot be played: a fault of the model


def read_model(p: Reading) -> None:
    """What each unit does, as rows: its goal (its own hex if it stays), whether it fights, whether it blinks."""
    graph, m, true, work = p.graph, p.model, p.true, p.work
    for x in range(graph.tally[OWN]):
        row = x * COLUMNS
        work[row + GOAL] = graph.own[x]
        work[row + FIGHTS] = 0
        work[row + BLINKS] = m.leave[x] != 0 and true[m.leave[x]] == 1
        work[row + STATE] = HERE
        for h in range(MOST):
            if m.fight[x * MOST + h] != 0 and true[m.fight[x * MOST + h]] == 1:
                work[row + GOAL] = h
                work[row + FIGHTS] = 1
            if m.step[x * MOST + h] != 0 and true[m.step[x * MOST + h]] == 1:
                work[row + GOAL] = h
        if work[row + FIGHTS] == 0:
            work[row + BLINKS] = 0


def leaves_somehow(m: Model, true: Stream, x: int) -> bool:
    """Whether the model has a unit step aside without naming the hex, or vanish."""
    return (m.aside[x] != 0 and true[m.aside[x]] == 1) or (m.vanish[x] != 0 and true[m.vanish[x]] == 1)


def drop_unneeded(p: Reading) -> None:
    """Only those step aside whose hex somebody enters; a hex for those who leave somehow; blinks only to make way."""
    graph, m, true, work = p.graph, p.model, p.true, p.work
    n = graph.tally[OWN]
    need_lo, need_hi = 0, 0  # hexes that are entered
    for x in range(n):
        row = x * COLUMNS
        if work[row + FIGHTS] == 1 and work[row + GOAL] != graph.own[x]:
            need_lo |= layout.low_bit(work[row + GOAL])
            need_hi |= layout.high_bit(work[row + GOAL])
    again = True
    while again:
        again = False
        for x in range(n):
            row = x * COLUMNS
            steps = work[row + FIGHTS] == 0 and work[row + GOAL] != graph.own[x]
            if (
                steps
                and layout.holds(need_lo, need_hi, graph.own[x])
                and not layout.holds(need_lo, need_hi, work[row + GOAL])
            ):
                need_lo |= layout.low_bit(work[row + GOAL])
                need_hi |= layout.high_bit(work[row + GOAL])
                again = True
    for x in range(n):
        row = x * COLUMNS
        if work[row + FIGHTS] == 0 and not layout.holds(need_lo, need_hi, graph.own[x]):
            work[row + GOAL] = graph.own[x]
    for x in range(n):
        row = x * COLUMNS
        if leaves_somehow(m, true, x) and layout.holds(need_lo, need_hi, graph.own[x]):
            lo, hi = 0, 0
            if graph.loose[x] & 1 != 0:
                lo, hi = free_hexes(graph, x)
            for w in range(n):
                lo &= ~layout.low_bit(work[w * COLUMNS + GOAL])
                hi &= ~layout.high_bit(work[w * COLUMNS + GOAL])
            if MAGIC and graph.tally[STUMBLES] > 0:
                for h in range(MOST):
                    for y in range(graph.tally[FOES]):
                        if m.shove[y * MOST + h] != 0 and true[m.shove[y * MOST + h]] == 1:
                            lo &= ~layout.low_bit(h)
                            hi &= ~layout.high_bit(h)
            if lo != 0 or hi != 0:
                work[row + GOAL] = layout.first_hex(lo, hi)
            else:
                work[row + BLINKS] = 1
    for x in range(n):
        row = x * COLUMNS
        if work[row + BLINKS] == 1 and work[row + FIGHTS] == 1:
            shared = False
            for w in range(n):
                shared = shared or (
                    w != x and work[w * COLUMNS + GOAL] == work[row + GOAL] and not idle(graph, work, w)
                )
            work[row + BLINKS] = shared * 1


def idle(graph: Graph, work: State, x: int) -> bool:
    """Whether a unit neither fights nor moves nor blinks."""
    row = x * COLUMNS
    return work[row + GOAL] == graph.own[x] and work[row + FIGHTS] == 0 and work[row + BLINKS] == 0


def waits(p: Reading, x: int) -> bool:
    """Whether a unit's goal is still to be used by a fighter that blinks before it comes."""
    graph, m, true, work = p.graph, p.model, p.true, p.work
    for w in range(graph.tally[OWN]):
        row = w * COLUMNS
        first = m.before[w * MOST + x]
        if (
            w != x
            and work[row + BLINKS] == 1
            and work[row + STATE] != AWAY
            and work[row + GOAL] == work[x * COLUMNS + GOAL]
            and first != 0
            and true[first] == 1
        ):
            return True
    return False


def find_ready(g: Ground, s: State, k: int, p: Reading) -> int:
    """Mark all who can go now, in one tick; returns how many."""
    graph, work = p.graph, p.work
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    n = graph.tally[OWN]
    ready = 0
    for x in range(n):
        row = x * COLUMNS
        goes = work[row + STATE] == HERE and work[row + GOAL] != graph.own[x]
        goes = (
            goes
            and rules.mover(g, layout.tiles_of(k), b, s[layout.SIDE], graph.own[x], work[row + GOAL]) == layout.LEGAL
        )
        work[row + READY] = (goes and not waits(p, x)) * 1
        ready += work[row + READY]
    again = True
    while again:
        again = False
        for x in range(n):
            goal = work[x * COLUMNS + GOAL]
            if work[x * COLUMNS + READY] == 0 or b[layout.CELL + goal] == 0:
                continue
            w = graph.at[goal]  # a friend: who came there this turn is no longer HERE, and is not ready
            at_home = 0 <= w < n and graph.own[w] == goal and work[w * COLUMNS + STATE] == HERE
            if not at_home or work[w * COLUMNS + READY] == 0:
                work[x * COLUMNS + READY] = 0
                ready -= 1
                again = True
    return ready


def tick(g: Ground, s: State, k: int, p: Reading, out: Stream, at: int) -> int:
    """Move all who are ready: chains from their far end, then cycles."""
    graph, work = p.graph, p.work
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    again = True
    while again:
        again = False
        for x in range(graph.tally[OWN]):
            row = x * COLUMNS
            if work[row + READY] == 1 and b[layout.CELL + work[row + GOAL]] == 0:
                at = note(g, s, out, at, layout.MOVE, k, graph.own[x], work[row + GOAL])
                work[row + READY] = 0
                work[row + STATE] = ARRIVED
                again = True
    for x in range(graph.tally[OWN]):
        if work[x * COLUMNS + READY] == 1:
            n = 0
            w = x
            while work[w * COLUMNS + READY] == 1:
                out[at + 3 + n] = graph.own[w]
                n += 1
                work[w * COLUMNS + READY] = 0
                work[w * COLUMNS + STATE] = ARRIVED
                w = graph.at[work[w * COLUMNS + GOAL]]
            out[at] = layout.CYCLE
            out[at + 1] = k
            out[at + 2] = n
            if rules.act(g, s, out[at:]) == layout.LEGAL:
                at += 3 + n
    return at


def strike(g: Ground, s: State, k: int, p: Reading, out: Stream, at: int) -> int:
    """All who are in place strike, and blink if they make way for others."""
    graph, m, true, work = p.graph, p.model, p.true, p.work
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for x in range(graph.tally[OWN]):
        row = x * COLUMNS
        goal = work[row + GOAL]
        in_place = work[row + STATE] == ARRIVED or (work[row + STATE] == HERE and goal == graph.own[x])
        if not in_place or (work[row + FIGHTS] == 0 and work[row + BLINKS] == 0):
            continue
        for y in range(graph.tally[FOES]):
            hit = m.hit[x * MOST + y]
            if hit == 0 or work[row + FIGHTS] == 0:
                continue
            for j in range(graph.hits[x * MOST + y]):
                if (
                    true[hit + j] == 1
                    and b[layout.CELL + graph.foe[y]] != 0
                    and layout.owner(b[layout.CELL + graph.foe[y]]) != s[layout.SIDE]
                ):
                    at = note(g, s, out, at, layout.ATTACK, k, goal, graph.foe[y])
        work[row + STATE] = STRUCK
        if work[row + BLINKS] == 1:
            at = note(g, s, out, at, layout.BLINKING, k, goal, 0)
            work[row + STATE] = AWAY
    return at


def empower(g: Ground, s: State, k: int, p: Reading, out: Stream, at: int) -> int:
    """Unholy Might on a necromancer that attacks more often than it could without."""
    graph, m, true = p.graph, p.model, p.true
    for x in range(graph.tally[OWN]):
        hits = 0
        for y in range(graph.tally[FOES]):
            if m.hit[x * MOST + y] != 0:
                for j in range(graph.hits[x * MOST + y]):
                    hits += true[m.hit[x * MOST + y] + j]
        if graph.extra[x] > 0 and hits > graph.left[x] - graph.extra[x]:
            at = note(g, s, out, at, layout.CAST, k, magic.UNHOLY_MIGHT, graph.own[x])
    return at


def due(p: Reading, y: int) -> bool:
    """Whether all who attack an enemy, or have it in range for a spell, have acted."""
    graph, m, true, work = p.graph, p.model, p.true, p.work
    for x in range(graph.tally[OWN]):
        hit, striker = m.hit[x * MOST + y], m.striker[x * MOST + y]
        part = (hit != 0 and true[hit] == 1) or (striker != 0 and true[striker] == 1)
        if part and work[x * COLUMNS + FIGHTS] == 1 and work[x * COLUMNS + STATE] < STRUCK:
            return False
    return True


def cast_spells(g: Ground, s: State, k: int, p: Reading, out: Stream, at: int) -> int:
    """The cards on enemies whose attackers have acted: first those that do the first damage."""
    graph, m, true = p.graph, p.model, p.true
    first, end = graph.tally[OWN], graph.tally[OWN] + graph.tally[CARDS]
    for y in range(graph.tally[FOES]):
        if not due(p, y):
            continue
        for late in range(2):
            for x in range(first, end):
                hit = m.hit[x * MOST + y]
                if hit != 0 and true[hit] == 1 and wounds_first(graph, x, y) == (late == 0):
                    before = at
                    if graph.card[x] == magic.STUMBLE:
                        at = push(g, s, k, p, y, out, at)
                    else:
                        at = note(g, s, out, at, layout.CAST, k, graph.card[x], graph.foe[y])
                    if at > before:
                        true[hit] = 0  # it is done
    return at


def push(g: Ground, s: State, k: int, p: Reading, y: int, out: Stream, at: int) -> int:
    """Stumble: an enemy goes to the hex that the model names."""
    for h in range(MOST):
        shove = p.model.shove[y * MOST + h]
        if shove != 0 and p.true[shove] == 1:
            out[at] = layout.CAST
            out[at + 1] = k
            out[at + 2] = 3
            out[at + 3] = magic.STUMBLE
            out[at + 4] = p.graph.foe[y]
            out[at + 5] = h
            return at + 6 if rules.act(g, s, out[at:]) == layout.LEGAL else at
    return at


def perform(g: Ground, s: State, k: int, p: Reading, out: Stream) -> int:
    """Play a model on board k and write its actions into `out`; returns their length, or STUCK."""
    graph, work = p.graph, p.work
    read_model(p)
    drop_unneeded(p)
    at = 0
    if MAGIC:
        at = empower(g, s, k, p, out, at)
    going = True
    while going:
        at = strike(g, s, k, p, out, at)
        if MAGIC:
            at = cast_spells(g, s, k, p, out, at)
        going = find_ready(g, s, k, p) > 0
        if going:
            at = tick(g, s, k, p, out, at)
    for x in range(graph.tally[OWN]):
        if not idle(graph, work, x) and work[x * COLUMNS + STATE] == HERE:
            return STUCK
        if work[x * COLUMNS + FIGHTS] == 1 and work[x * COLUMNS + STATE] < STRUCK:
            return STUCK
    return at
