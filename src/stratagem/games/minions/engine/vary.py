"""A deployment changed in one place at a time, compiled: a unit goes elsewhere, a recruit is placed elsewhere or is another type.

A deployment is read back from its words. The changes that look best by the script's own measure are judged, each by the
position after it and a short answer on this board alone, so that the next candidates are the best ones near a good one. Which of
them are made, one or several at once, the spawn stage decides.
"""

from __future__ import annotations

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout
from stratagem.games.minions.engine.deploy import (
    FROM,
    GOAL,
    TYPE,
    find_goals,
    march,
    muster,
    send,
    standing,
)
from stratagem.games.minions.engine.fighting import write
from stratagem.games.minions.engine.scratch import (
    CHANGES,
    GOES,
    KEPT,
    LONGEST_PLAN,
    MOST,
    MOST_OFFERS,
    OFFERED,
    REACHED,
    RECRUITS,
    EngineScratch,
    Reals,
)
from stratagem.games.minions.engine.threats import threaten
from stratagem.games.minions.engine.worth import judge
from stratagem.games.minions.maps import apart
from stratagem.kernel import Ground, State
from stratagem.rng import Rng

# kinds of changes: a man goes to a hex, a recruit is placed on one, a recruit is of another type
GO, PLACE, TRADE = range(3)
HOME = 100  # where a man goes who blinks
NOWHERE = -1  # where a recruit is placed who waits
FEWEST = 3  # changes of each man and each recruit that are judged, at the least
KIND_OF, HEX_OF, BOUGHT = range(3)  # of a recruit
IMPOSSIBLE = -2.0  # what a change is worth that cannot be made


def man_from(n: int, h: int, scratch: EngineScratch) -> int:
    """The man who stands on a hex, or -1."""
    for i in range(n):
        if scratch.posts.men[4 * i + FROM] == h:
            return i
    return -1


def recall(g: Ground, s: State, k: int, length: int, scratch: EngineScratch) -> tuple[int, int]:
    """Read the deployment in `scratch.varied.plan` on the position after its attack: how many men and recruits there are."""
    side, plan = s[layout.SIDE], scratch.varied.plan
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    n, m = muster(g, k, b, side, scratch), 0
    foe_lo, foe_hi = layout.foes(b, side)
    fixed_lo, fixed_hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    for i in range(n):
        fixed_lo &= ~layout.low_bit(scratch.posts.men[4 * i + FROM])
        fixed_hi &= ~layout.high_bit(scratch.posts.men[4 * i + FROM])
    for i in range(n):
        h = scratch.posts.men[4 * i + FROM]
        lo, hi = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
        plan[GOES + i] = h
        plan[REACHED + 2 * i] = (lo | layout.low_bit(h)) & ~fixed_lo
        plan[REACHED + 2 * i + 1] = (hi | layout.high_bit(h)) & ~fixed_hi
    at = 0
    while at < length:
        kind, count = plan[at], plan[at + 2]
        if kind in (layout.MOVE, layout.BLINKING):
            i = man_from(n, plan[at + 3], scratch)
            if i >= 0:
                plan[GOES + i] = HOME if kind == layout.BLINKING else plan[at + 4]
        elif kind == layout.CYCLE:
            for x in range(count):
                i = man_from(n, plan[at + 3 + x], scratch)
                if i >= 0:
                    plan[GOES + i] = plan[at + 3 + (x + 1) % count]
        elif kind == layout.BUY and m < MOST:
            enrol(m, plan[at + 3], NOWHERE, 1, scratch)
            m += 1
        elif kind == layout.SPAWNS and m < MOST:
            found = -1
            for j in range(m):
                row = RECRUITS + 3 * j
                if found < 0 and plan[row + KIND_OF] == plan[at + 3] and plan[row + HEX_OF] == NOWHERE:
                    found = j
            if found >= 0:
                plan[RECRUITS + 3 * found + HEX_OF] = plan[at + 4]
            else:
                enrol(m, plan[at + 3], plan[at + 4], 0, scratch)
                m += 1
        at += 3 + count
    return n, m


def enrol(m: int, t: int, h: int, bought: int, scratch: EngineScratch) -> None:
    """Enter a recruit."""
    scratch.varied.plan[RECRUITS + 3 * m + KIND_OF] = t
    scratch.varied.plan[RECRUITS + 3 * m + HEX_OF] = h
    scratch.varied.plan[RECRUITS + 3 * m + BOUGHT] = bought


def change(n: int, m: int, kind: int, who: int, what: int, scratch: EngineScratch) -> bool:
    """Make one change of the deployment; whoever is in its way takes the place that is left. False: that cannot be."""
    plan = scratch.varied.plan
    if kind == GO:
        before = plan[GOES + who]
        if what != HOME:
            for i in range(n):
                if i != who and plan[GOES + i] == what:
                    if before == HOME or not layout.holds(plan[REACHED + 2 * i], plan[REACHED + 2 * i + 1], before):
                        return False
                    plan[GOES + i] = before
        plan[GOES + who] = what
        return True
    row = RECRUITS + 3 * who
    if kind == PLACE:
        for j in range(m):
            if j != who and plan[RECRUITS + 3 * j + HEX_OF] == what:
                plan[RECRUITS + 3 * j + HEX_OF] = plan[row + HEX_OF]
        plan[row + HEX_OF] = what
    else:
        plan[row + KIND_OF] = what
    return True


def carry_out(g: Ground, s: State, k: int, n: int, m: int, budget: int, scratch: EngineScratch) -> int:
    """Play the deployment as far as it goes; returns the length of its words in `scratch.out`."""
    side, plan = s[layout.SIDE], scratch.varied.plan
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for i in range(n):
        scratch.posts.to[i] = plan[GOES + i]
    at = march(g, s, k, n, 0, scratch)
    if not rules.spawns_now(b):
        return at
    for j in range(m):
        row = RECRUITS + 3 * j
        t = plan[row + KIND_OF]
        price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        if plan[row + BOUGHT] == 1 and price <= budget:
            budget -= price
            s[layout.MONEY + side] -= price
            layout.stock(b, side, t, 1)
            at = write(scratch.out, at, layout.BUY, k, t, 0) - 1
            scratch.out[at - 2] = 1
    for j in range(m):
        row = RECRUITS + 3 * j
        t, wanted = plan[row + KIND_OF], plan[row + HEX_OF]
        if wanted == NOWHERE or b[layout.ZONE + side * layout.TYPES + t] == 0:
            continue
        h = vacancy(g, k, b, side, t, wanted)
        if h >= 0:
            layout.stock(b, side, t, -1)
            layout.put(b, h, t + 1 | side << layout.SIDE_SHIFT | layout.SPAWNED)
            at = write(scratch.out, at, layout.SPAWNS, k, t, h)
    return at


def vacancy(g: Ground, k: int, b: State, side: int, t: int, wanted: int) -> int:
    """The hex nearest to the wanted one where a unit of a type can be placed, or -1."""
    lo, hi = rules.spawn_places(g, b, side)
    open_lo, open_hi = layout.open_to(g, layout.tiles_of(k), b, t)
    lo &= open_lo
    hi &= open_hi
    best, found = 1000, -1
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        far = apart(h, wanted)
        if far < best:
            best = far
            found = h
    return found


def offer_hexes(count: int, kind: int, who: int, lo: int, hi: int, most: int, scratch: EngineScratch) -> int:
    """Offer the hexes of a set that stand best by `scratch.posts.score`, at most so many; returns how many offers there are."""
    for _ in range(most):
        best, found = -1e18, -1
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            h, left_lo, left_hi = layout.take(left_lo, left_hi)
            if scratch.posts.score[h] > best:
                best = scratch.posts.score[h]
                found = h
        if found < 0 or count == MOST_OFFERS:
            break
        lo &= ~layout.low_bit(found)
        hi &= ~layout.high_bit(found)
        count = offer(count, kind, who, found, scratch)
    return count


def offer(count: int, kind: int, who: int, what: int, scratch: EngineScratch) -> int:
    """Enter a change to be judged; returns how many there are."""
    if count == MOST_OFFERS:
        return count
    scratch.varied.plan[OFFERED + 3 * count] = kind
    scratch.varied.plan[OFFERED + 3 * count + 1] = who
    scratch.varied.plan[OFFERED + 3 * count + 2] = what
    return count + 1


def offer_moves(g: Ground, k: int, b: State, side: int, n: int, most: int, scratch: EngineScratch) -> int:
    """Offer other hexes to each man, and the way home to those who can blink."""
    count = 0
    for i in range(n):
        t, goal = scratch.posts.men[4 * i + TYPE], scratch.posts.men[4 * i + GOAL]
        lo, hi = scratch.varied.plan[REACHED + 2 * i], scratch.varied.plan[REACHED + 2 * i + 1]
        goes = scratch.varied.plan[GOES + i]
        if goes != HOME:
            lo &= ~layout.low_bit(goes)
            hi &= ~layout.high_bit(goes)
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            h, left_lo, left_hi = layout.take(left_lo, left_hi)
            scratch.posts.score[h] = standing(g, k, b, side, t, h, goal, scratch)
        count = offer_hexes(count, GO, i, lo, hi, most, scratch)
        if g[layout.UNIT + t * layout.COLUMNS + layout.BLINK] == 1 and goes != HOME:
            count = offer(count, GO, i, HOME, scratch)
    return count


def offer_recruits(
    g: Ground, s: State, k: int, m: int, count: int, most: int, budget: int, scratch: EngineScratch
) -> int:
    """Offer other hexes and other types to each recruit; `s` is the position after the deployment."""
    side, plan = s[layout.SIDE], scratch.varied.plan
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for j in range(m):
        row = RECRUITS + 3 * j
        t = plan[row + KIND_OF]
        lo, hi = rules.spawn_places(g, b, side)
        open_lo, open_hi = layout.open_to(g, layout.tiles_of(k), b, t)
        lo &= open_lo
        hi &= open_hi
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            h, left_lo, left_hi = layout.take(left_lo, left_hi)
            scratch.posts.score[h] = standing(g, k, b, side, t, h, 0, scratch)
        count = offer_hexes(count, PLACE, j, lo, hi, most, scratch)
        if plan[row + BOUGHT] == 1:
            price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
            for u in range(layout.TYPES):
                cost = g[layout.UNIT + u * layout.COLUMNS + layout.COST]
                if (
                    u != t
                    and cost <= price + budget
                    and cost + 3 >= price
                    and rules.for_sale(g, s, side, u) == layout.LEGAL
                ):
                    count = offer(count, TRADE, j, u, scratch)
    return count


def survey(
    g: Ground, s: State, k: int, budget: int, length: int, r: Rng, weights: Reals, scratch: EngineScratch
) -> int:
    """Judge changes of the deployment in `scratch.varied.plan`, which then holds what is offered; returns how many there are.

    What each is worth to the mover goes into `scratch.varied.gains`, what the deployment is worth as it is into
    `scratch.judged.answer[2]`."""
    side, plan = s[layout.SIDE], scratch.varied.plan
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    n, m = recall(g, s, k, length, scratch)
    for x in range(len(s)):
        scratch.varied.spare[x] = s[x]
    threaten(g, k, b, 1 - side, scratch.threat)
    goals = find_goals(g, k, b, side, scratch)
    send(g, k, n, goals, r, 0.0, scratch)
    most = max(FEWEST, MOST_OFFERS // max(n + 2 * m, 1))
    count = offer_moves(g, k, b, side, n, most, scratch)
    for x in range(OFFERED - GOES):  # what was read of the deployment, for each change of it
        plan[KEPT + x] = plan[GOES + x]
    carry_out(g, s, k, n, m, budget, scratch)
    spent = scratch.varied.spare[layout.MONEY + side] - s[layout.MONEY + side]
    count = offer_recruits(g, s, k, m, count, most, budget - spent, scratch)
    for c in range(-1, count):
        if c >= 0:
            for x in range(len(s)):
                s[x] = scratch.varied.spare[x]
            for x in range(OFFERED - GOES):
                plan[GOES + x] = plan[KEPT + x]
            row = OFFERED + 3 * c
            if not change(n, m, plan[row], plan[row + 1], plan[row + 2], scratch):
                scratch.varied.gains[c] = IMPOSSIBLE
                continue
            carry_out(g, s, k, n, m, budget, scratch)
        rules.end_turn(g, s)
        judge(g, s, side, k, r, weights, scratch)
        if c >= 0:
            scratch.varied.gains[c] = scratch.judged.answer[0]
        else:
            scratch.judged.answer[2] = scratch.judged.answer[0]
    return count


def vary(g: Ground, s: State, k: int, budget: int, length: int, changes: int, scratch: EngineScratch) -> int:
    """The deployment in `scratch.varied.plan` with the changes there; returns the length of its words in `scratch.out`."""
    n, m = recall(g, s, k, length, scratch)
    for c in range(changes):
        row = CHANGES + 3 * c
        change(n, m, scratch.varied.plan[row], scratch.varied.plan[row + 1], scratch.varied.plan[row + 2], scratch)
    return carry_out(g, s, k, n, m, budget, scratch)


__all__ = ["LONGEST_PLAN", "survey", "vary"]
