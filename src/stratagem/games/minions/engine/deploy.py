"""The rest of a board's turn, compiled: units that have not moved go where they are worth most, then units are bought and placed.

Where a unit is worth most is an assignment of units to hexes: graveyards pay, the enemy's reach costs, and each unit has a goal
to get nearer to. Hexes of units that may still move can be had, so chains and cycles of moves come out by themselves. What is
bought is the best set of units for the money by their worth against this enemy. Noise on all of it makes other plans.
"""

from __future__ import annotations

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, worths
from stratagem.games.minions.engine import sorcery
from stratagem.games.minions.engine.assign import LOWEST, assign
from stratagem.games.minions.engine.fighting import shift
from stratagem.games.minions.engine.scratch import (
    COLUMNS,
    GOALS,
    HARM,
    LONGEST,
    MOST,
    MOST_BOUGHT,
    SEND,
    THREATS,
    EngineScratch,
    Shop,
    write,
)
from stratagem.games.minions.engine.threats import lord_of, net, risk, threaten
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.maps import apart
from stratagem.games.minions.scripted import ANSWERED_TYPES, nearest
from stratagem.kernel import Ground, State
from stratagem.rng import Rng
from stratagem.rng import unit as chance

NO_GOAL = -1
DISTANT = 40  # steps where there is no way

TYPE, FROM, GOAL, BLINKS = range(4)  # of EngineScratch.posts.men
STEPS_AT = GOALS  # of EngineScratch.posts.goal: hexes first, then where in `steps` the steps to each begin
UNKNOWN = -1  # in `steps`: not counted yet


def find_goals(g: Ground, k: int, b: State, side: int, scratch: EngineScratch) -> int:
    """Where units are wanted: graveyards without an own unit that has done its part, and the enemy's necromancer.

    The hexes go into `scratch.posts.goal`, and behind them where in `scratch.posts.steps` the steps over land from everywhere to
    each begin; returns how many goals there are."""
    goal, tiles = scratch.posts.goal, layout.tiles_of(k)
    n = 0
    lo, hi = g[tiles], g[tiles + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        fixed = layout.holds(b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1], h) and not layout.can_move(
            g, b, h
        )
        if not fixed and n < GOALS - 1:
            goal[n] = h
            n += 1
    lord = lord_of(g, b, 1 - side)
    goal[n] = lord if lord >= 0 else rules.start_hex(1 - side)
    n += 1
    for i in range(n):
        h = goal[i]
        at = (k * 100 + h) * 100
        if MAGIC and b[layout.LAND] != 0:  # tiles that move: these steps hold for now
            at = scratch.posts.steps.shape[0] - (GOALS - i) * 100
            scratch.posts.steps[at + h] = UNKNOWN
        if scratch.posts.steps[at + h] == UNKNOWN:
            count_steps(g, k, b, h, scratch.posts.steps[at : at + 100])
        goal[STEPS_AT + i] = at
    return n


def count_steps(g: Ground, k: int, b: State, h: int, steps: Stream) -> None:
    """The steps over land from everywhere to a hex, whoever stands in the way."""
    open_lo, open_hi = layout.open_to(g, layout.tiles_of(k), b, g[layout.ZOMBIE])
    for x in range(100):
        steps[x] = DISTANT
    steps[h] = 0
    lo, hi = layout.low_bit(h), layout.high_bit(h)
    for far in range(1, DISTANT):
        wide_lo, wide_hi = layout.grow(lo, hi)
        new_lo, new_hi = wide_lo & open_lo & ~lo, wide_hi & open_hi & ~hi
        if new_lo == 0 and new_hi == 0:
            break
        lo |= new_lo
        hi |= new_hi
        while new_lo != 0 or new_hi != 0:
            x, new_lo, new_hi = layout.take(new_lo, new_hi)
            steps[x] = far


def steps_to_goal(g: Ground, t: int, h: int, goal: int, scratch: EngineScratch) -> int:
    """Steps from a hex to a goal for a type of unit."""
    if g[layout.UNIT + t * layout.COLUMNS + layout.FLYING] == 1:
        return apart(h, scratch.posts.goal[goal])
    return scratch.posts.steps[scratch.posts.goal[STEPS_AT + goal] + h]


def send(g: Ground, k: int, n: int, goals: int, r: Rng, noise: float, scratch: EngineScratch) -> None:
    """Give each man a goal: graveyards one each, to whom it is nearest; the others go for the necromancer."""
    for i in range(n):
        scratch.posts.men[4 * i + GOAL] = NO_GOAL
    open_goals = (1 << (goals - 1)) - 1
    for _ in range(goals - 1):
        best, man, goal = 1e9, -1, -1
        for i in range(n):
            t, h = scratch.posts.men[4 * i + TYPE], scratch.posts.men[4 * i + FROM]
            if (
                scratch.posts.men[4 * i + GOAL] != NO_GOAL
                or g[layout.UNIT + t * layout.COLUMNS + layout.NECROMANCER] == 1
            ):
                continue
            for j in range(goals - 1):
                if (open_goals >> j) & 1 == 1:
                    far = steps_to_goal(g, t, h, j, scratch) / (
                        0.5 + g[layout.UNIT + t * layout.COLUMNS + layout.SPEED]
                    )
                    if noise > 0.0:
                        far += 2.0 * noise * chance(r)
                    if far < best:
                        best = far
                        man = i
                        goal = j
        if man < 0:
            break
        scratch.posts.men[4 * man + GOAL] = goal
        open_goals &= ~(1 << goal)
    for i in range(n):
        if scratch.posts.men[4 * i + GOAL] == NO_GOAL:
            scratch.posts.men[4 * i + GOAL] = goals - 1


def standing(g: Ground, k: int, b: State, side: int, t: int, h: int, goal: int, scratch: EngineScratch) -> float:
    """What a unit of a type is worth on a hex at the end of the turn, beside what it is worth anywhere."""
    tiles = layout.tiles_of(k)
    row = layout.UNIT + t * layout.COLUMNS
    worth = 0.0
    if MAGIC:
        worth += sorcery.tile_worth(g, k, t, h)
    grave = layout.holds(g[tiles], g[tiles + 1], h)
    fall = risk(g, t, h, 1 - side, scratch.threat)
    if g[row + layout.NECROMANCER] == 1:
        at = (1 - side) * THREATS + h
        harm = float(scratch.threat[at + HARM] + scratch.threat[at + SEND])
        share = min(harm / g[row + layout.DEFENSE], 1.0)
        worth -= worths.NECROMANCER_AT_STAKE * share * share
        worth -= worths.HOME * apart(h, rules.start_hex(side))
        return worth + (worths.GRAVEYARD if grave else 0.0)
    if grave:
        worth += worths.GRAVEYARD * (1.0 - 0.7 * fall)
    worth -= 0.6 * fall * net(g, t)
    worth -= worths.STEP * steps_to_goal(g, t, h, goal, scratch)
    far = g[row + layout.RANGE] + (0 if g[row + layout.LUMBERING] == 1 else g[row + layout.SPEED])
    foe_lo, foe_hi = layout.foes(b, side)
    near_lo, near_hi = layout.within(g, h, min(far, 3))
    if far > 3:
        near_lo, near_hi = layout.grow(near_lo, near_hi)
    return worth + worths.PRESS * min(layout.size(near_lo & foe_lo, near_hi & foe_hi), 3)


def rate(
    g: Ground, k: int, b: State, i: int, lo: int, hi: int, shake: tuple[float, int, Rng], scratch: EngineScratch
) -> None:
    """The scores of man i on the hexes of a set; all else is impossible. `shake`: noise, side, chance."""
    noise, side, r = shake
    for j in range(COLUMNS):
        scratch.posts.score[i * COLUMNS + j] = 10.0 * LOWEST
    t, goal = scratch.posts.men[4 * i + TYPE], scratch.posts.men[4 * i + GOAL]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        worth = standing(g, k, b, side, t, h, goal, scratch)
        if noise > 0.0:
            worth += 4.0 * noise * (chance(r) + chance(r) - 1.0)
        scratch.posts.score[i * COLUMNS + h] = worth


def muster(g: Ground, k: int, b: State, side: int, scratch: EngineScratch) -> int:
    """The units that have not moved or fought into `scratch.posts.men`; returns how many."""
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if layout.can_move(g, b, h):
            scratch.posts.men[4 * n + TYPE] = (b[layout.CELL + h] & layout.TYPE_MASK) - 1
            scratch.posts.men[4 * n + FROM] = h
            n += 1
    return n


def reposition(g: Ground, s: State, k: int, r: Rng, noise: float, at: int, scratch: EngineScratch) -> int:
    """Move the units that have not moved or fought to where they are worth most; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    n = muster(g, k, b, side, scratch)
    goals = find_goals(g, k, b, side, scratch)
    send(g, k, n, goals, r, noise, scratch)
    foe_lo, foe_hi = layout.foes(b, side)
    fixed_lo, fixed_hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    for i in range(n):
        fixed_lo &= ~layout.low_bit(scratch.posts.men[4 * i + FROM])
        fixed_hi &= ~layout.high_bit(scratch.posts.men[4 * i + FROM])
    for i in range(n):
        h, t = scratch.posts.men[4 * i + FROM], scratch.posts.men[4 * i + TYPE]
        lo, hi = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
        rate(g, k, b, i, lo & ~fixed_lo, hi & ~fixed_hi, (noise, side, r), scratch)
        if g[layout.UNIT + t * layout.COLUMNS + layout.BLINK] == 1:
            scratch.posts.score[i * COLUMNS + 100 + i] = -worths.BLINKED - worths.STEP * apart(h, rules.start_hex(side))
    if n > 0:
        assign(n, 100 + n, scratch.posts)
    return march(g, s, k, n, at, scratch)


def stroll(g: Ground, s: State, k: int, scratch: EngineScratch) -> None:
    """Units that have not fought step on graveyards in reach or nearer to one that is not theirs: a quick way to go on."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    foe_lo, foe_hi = layout.foes(b, side)
    left_lo, left_hi = b[layout.UNITS + 2 * side] & ~g[tiles], b[layout.UNITS + 2 * side + 1] & ~g[tiles + 1]
    while left_lo != 0 or left_hi != 0:
        h, left_lo, left_hi = layout.take(left_lo, left_hi)
        if (
            not layout.can_move(g, b, h)
            or g[layout.UNIT + ((b[layout.CELL + h] & layout.TYPE_MASK) - 1) * layout.COLUMNS + layout.NECROMANCER] == 1
        ):
            continue
        want_lo, want_hi = g[tiles] & ~b[layout.UNITS + 2 * side], g[tiles + 1] & ~b[layout.UNITS + 2 * side + 1]
        if want_lo == 0 and want_hi == 0:
            return
        lo, hi = layout.reach(g, tiles, b, h, foe_lo, foe_hi)
        lo, hi = layout.vacant(b, lo, hi)
        best, found = nearest(h, want_lo, want_hi), -1
        while lo != 0 or hi != 0:
            x, lo, hi = layout.take(lo, hi)
            far = nearest(x, want_lo, want_hi)
            if far < best:
                best = far
                found = x
        if found >= 0:
            shift(b, h, found)


def march(g: Ground, s: State, k: int, n: int, at: int, scratch: EngineScratch) -> int:
    """Carry out an assignment: blinks, chains from the far end, then cycles; returns where the next action goes."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    out = scratch.out
    for i in range(n):
        h = scratch.posts.men[4 * i + FROM]
        if scratch.posts.to[i] >= 100:
            layout.withdraw(g, b, h)
            at = write(out, at, layout.BLINKING, k, (1, h, 0, 0))
        if scratch.posts.to[i] >= 100 or scratch.posts.to[i] == h:
            scratch.posts.to[i] = -1
    going = True
    while going:
        going = False
        for i in range(n):
            to = scratch.posts.to[i]
            if to >= 0 and b[layout.CELL + to] == 0:
                shift(b, scratch.posts.men[4 * i + FROM], to)
                at = write(out, at, layout.MOVE, k, (2, scratch.posts.men[4 * i + FROM], to, 0))
                scratch.posts.to[i] = -1
                going = True
    for i in range(n):
        if scratch.posts.to[i] < 0:
            continue
        length, j = 0, i
        while j >= 0 and scratch.posts.to[j] >= 0:
            out[at + 3 + length] = scratch.posts.men[4 * j + FROM]
            length += 1
            to = scratch.posts.to[j]
            scratch.posts.to[j] = -1
            j = -1
            for m in range(n):
                if scratch.posts.men[4 * m + FROM] == to:
                    j = m
        out[at] = layout.CYCLE
        out[at + 1] = k
        out[at + 2] = length
        last = b[layout.CELL + out[at + 2 + length]] | layout.MOVED
        for m in range(length - 1, 0, -1):
            layout.put(b, out[at + 3 + m], b[layout.CELL + out[at + 2 + m]] | layout.MOVED)
        layout.put(b, out[at + 3], last)
        at += 3 + length
    return at


# ------------------------------------------------------------------------------------------------------------- the shop


def appraise(g: Ground, s: State, k: int, side: int, r: Rng, noise: float, counter: Shop) -> None:
    """What a unit of each type for sale is thought to be worth on a board, in dollars: dearer against whom it answers."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    total, seen = 0.0, 0
    for t in range(layout.TYPES):
        counter.good[t] = 0.0
    lo, hi = layout.foes(b, side)
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        t = (b[layout.CELL + h] & layout.TYPE_MASK) - 1
        cost = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        total += cost
        seen |= 1 << t
        counter.good[t] += cost
    for t in range(
        layout.TYPES
    ):  # first what of the enemy each answers, then, kept apart by its sign, what it is worth
        mine, theirs = 0.0, 0.0
        if rules.for_sale(g, s, side, t) == layout.LEGAL:
            for u in range(layout.TYPES):
                if (seen >> u) & 1 == 1:
                    if (ANSWERED_TYPES[t] >> u) & 1 == 1:
                        mine += max(counter.good[u], 0.0) / total
                    if (ANSWERED_TYPES[u] >> t) & 1 == 1:
                        theirs += max(counter.good[u], 0.0) / total
            worth = g[layout.UNIT + t * layout.COLUMNS + layout.COST] * (1.0 + 0.5 * mine - 0.3 * theirs)
            if noise > 0.0:
                worth *= 1.0 + 0.8 * noise * (chance(r) - 0.5)
            counter.thought[t] = int(1000.0 * worth)
        else:
            counter.thought[t] = 0
    for t in range(layout.TYPES):
        counter.good[t] = counter.thought[t] / 1000.0


def shop(g: Ground, budget: int, room: int, counter: Shop) -> None:
    """The best worth of at most n units for at most m dollars, into `counter.best[n * (LONGEST + 1) + m]`."""
    wide, types = LONGEST + 1, 0
    for t in range(layout.TYPES):
        if counter.good[t] > 0.0:
            counter.thought[types] = t
            types += 1
    for m in range(budget + 1):
        counter.best[m] = 0.0
    for n in range(1, room + 1):
        for m in range(budget + 1):
            best, pick = counter.best[(n - 1) * wide + m], -1
            for i in range(types):
                t = counter.thought[i]
                cost = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
                if cost <= m:
                    worth = counter.best[(n - 1) * wide + m - cost] + counter.good[t]
                    if worth > best + 1e-9:
                        best = worth
                        pick = t
            counter.best[n * wide + m] = best
            counter.pick[n * wide + m] = pick


def room_for(g: Ground, b: State, side: int) -> int:
    """How many units more than wait already could be placed on a board."""
    lo, hi = rules.spawn_places(g, b, side)
    room = layout.size(lo, hi)
    for t in range(layout.TYPES):
        room -= b[layout.ZONE + side * layout.TYPES + t]
    return max(0, min(room, MOST_BOUGHT))


def recruit(g: Ground, s: State, k: int, budget: int, r: Rng, noise: float, at: int, scratch: EngineScratch) -> int:
    """Buy what is worth most for the money, and place all that waits where it is worth most."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if not rules.spawns_now(b):
        return at
    budget = min(budget, LONGEST)
    n = room_for(g, b, side)
    appraise(g, s, k, side, r, noise, scratch.shop)
    shop(g, budget, n, scratch.shop)
    wide = LONGEST + 1
    while n > 0:
        t = scratch.shop.pick[n * wide + budget]
        if t >= 0:
            s[layout.MONEY + side] -= g[layout.UNIT + t * layout.COLUMNS + layout.COST]
            layout.stock(b, side, t, 1)
            at = write(scratch.out, at, layout.BUY, k, (1, t, 0, 0))
            budget -= g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        n -= 1
    return place(g, s, k, r, noise, at, scratch)


def place(g: Ground, s: State, k: int, r: Rng, noise: float, at: int, scratch: EngineScratch) -> int:
    """Place the units that wait where they are worth most."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    lo, hi = rules.spawn_places(g, b, side)
    if lo == 0 and hi == 0:
        return at
    n, most = 0, layout.size(lo, hi)
    for t in range(layout.TYPES):
        for _ in range(b[layout.ZONE + side * layout.TYPES + t]):
            if n < min(most, MOST):
                scratch.posts.men[4 * n + TYPE] = t
                scratch.posts.men[4 * n + FROM] = layout.first_hex(lo, hi)
                n += 1
    if n == 0:
        return at
    goals = find_goals(g, k, b, side, scratch)
    send(g, k, n, goals, r, noise, scratch)
    for i in range(n):
        t = scratch.posts.men[4 * i + TYPE]
        open_lo, open_hi = layout.open_to(g, layout.tiles_of(k), b, t)
        rate(g, k, b, i, lo & open_lo, hi & open_hi, (noise, side, r), scratch)
        scratch.posts.score[i * COLUMNS + 100 + i] = (
            -30.0 + 0.5 * g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        )  # it waits
    assign(n, 100 + n, scratch.posts)
    for i in range(n):
        if 0 <= scratch.posts.to[i] < 100:
            t = scratch.posts.men[4 * i + TYPE]
            layout.stock(b, side, t, -1)
            layout.put(b, scratch.posts.to[i], t + 1 | side << layout.SIDE_SHIFT | layout.SPAWNED)
            at = write(scratch.out, at, layout.SPAWNS, k, (2, t, scratch.posts.to[i], 0))
    return at


def deploy(g: Ground, s: State, k: int, budget: int, r: Rng, noise: float, scratch: EngineScratch) -> int:
    """Reposition, buy and place on board k, with spells and tiles that act; returns the length of the words in `scratch.out`."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    threaten(g, k, b, 1 - side, scratch.threat)
    at = 0
    if MAGIC:
        at = sorcery.teleports(g, s, k, at, scratch)
    at = reposition(g, s, k, r, noise, at, scratch)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        at = sorcery.cast_best(g, s, k, sorcery.LATE, r, noise, at, scratch)
        at = sorcery.cast_best(g, s, k, sorcery.OPENING, r, noise, at, scratch)
    if MAGIC and rules.spawn_phase(g, b):
        at = sorcery.raise_dead(g, s, k, at, scratch)
    at = recruit(g, s, k, budget, r, noise, at, scratch)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        if rules.spawn_phase(g, b):
            at = sorcery.cast_best(g, s, k, sorcery.LAST, r, noise, at, scratch)
        at = sorcery.pay(g, s, k, at, scratch)
    if MAGIC and rules.spawn_phase(g, b):
        at = sorcery.shift_land(g, s, k, at, scratch)
    return at
