"""A scripted general: spends its money, takes kills, holds graveyards. No search; one pass over each board.

The script is a kernel: one call makes a whole turn. `work` is room for lists, `WORK` words of it.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions.kernels import (
    ACQUIRED,
    ATTACK,
    ATTACKS,
    BASIC,
    BOARD_SIZE,
    BOARDS,
    BUY,
    CARD,
    CARD_UNIT,
    CARDS,
    CELL,
    COLUMNS,
    COST,
    DAMAGE,
    DEATHTOUCH,
    DEFENSE,
    KIND,
    LEGAL,
    LOCKED,
    LUMBERING,
    MODE,
    MONEY,
    MOVE,
    NECROMANCER,
    NORMAL,
    PERSISTENT,
    PHASE,
    POINTS,
    RANGE,
    RESET_1,
    RESET_2,
    RESIGNED,
    SETUP,
    SIDE,
    SPAWNING,
    SPAWNS,
    SPEED,
    SPELL_PRICE,
    TECH,
    TECHED,
    TYPE_MASK,
    TYPES,
    UNIT,
    UNITS,
    UNLOCKED,
    UNSUMMONS,
    UNTOUCHED,
    WINNER,
    ZONE,
    Stream,
    board_of,
    can_attack,
    can_move,
    first_hex,
    foes,
    for_sale,
    graveyards,
    high_bit,
    holds,
    hurt,
    low_bit,
    nth_hex,
    open_to,
    owner,
    reach,
    size,
    spawn_places,
    start_hex,
    tech,
    tiles_of,
    unit,
    used,
    within,
)
from stratagem.games.minions.sampling import note
from stratagem.games.minions.units import by_name, cards
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below

GRAVEYARD_VALUE = 6.0  # dollars that a graveyard held is worth
POINT_VALUE = 40.0
NECROMANCER_VALUE = 60.0
IN_ZONE = 0.7  # worth of a unit in reinforcements, beside one on the board
UNLOCKED_SHARE = 0.4  # of a spell's price that an unlocked card is worth
RANKS = 512  # where the ranking of enemies begins in `work`; before it are rows of strikes, five words each
WORK = 768  # words that a script needs for its lists

# For each unit type: the types that its card answers, as bits, and the card's number.
_ANSWERS = {c.unit.index: sum(1 << by_name()[name].index for name in c.counters) for c in cards() if c.unit}
_NUMBERS = {c.unit.index: c.number for c in cards() if c.unit}
ANSWERED_TYPES = np.array([_ANSWERS.get(t, 0) for t in range(TYPES)], np.int64)
CARD_NUMBERS = np.array([_NUMBERS.get(t, 0) for t in range(TYPES)], np.int64)


def apart(a: int, b: int) -> int:
    """The distance of two hexes."""
    dx, dy = b % 10 - a % 10, b // 10 - a // 10
    return max(abs(dx), abs(dy), abs(dx + dy))


def nearest(h: int, lo: int, hi: int) -> int:
    """The distance from h to the nearest hex of a set that is not empty."""
    best = 100
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
        best = min(best, apart(h, x))
    return best


# --------------------------------------------------------------------------------------------------------- what it is worth


def worth(g: Ground, s: State, side: int) -> float:
    """What a side has, in dollars."""
    total = s[MONEY + side] + POINT_VALUE * s[POINTS + side]
    acquired, unlocked = 0, 0
    for c in range(CARDS):
        acquired += s[CARD + side * CARDS + c] == ACQUIRED
        unlocked += s[CARD + side * CARDS + c] == UNLOCKED
    total += g[SPELL_PRICE] * (acquired + UNLOCKED_SHARE * unlocked)
    for k in range(g[BOARDS]):
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        standing, waiting = 0, 0
        lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h = first_hex(lo, hi)
            lo &= ~low_bit(h)
            hi &= ~high_bit(h)
            standing += unit(g, b[CELL + h], COST)
        for t in range(TYPES):
            waiting += g[UNIT + t * COLUMNS + COST] * b[ZONE + side * TYPES + t]
        total += standing
        total += IN_ZONE * waiting
        total += GRAVEYARD_VALUE * graveyards(g, k, b, side)
    return total


def chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins."""
    if s[WINNER] >= 0:
        return 1.0 if s[WINNER] == side else 0.0
    return 1.0 / (1.0 + np.exp(-(worth(g, s, side) - worth(g, s, 1 - side)) / 100.0))


# ------------------------------------------------------------------------------------------------------------ the techline


def enemy_types(g: Ground, s: State) -> int:
    """The types that the enemy has on boards, as bits."""
    seen = 0
    for k in range(g[BOARDS]):
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        lo, hi = foes(b, s[SIDE])
        while lo != 0 or hi != 0:
            h = first_hex(lo, hi)
            lo &= ~low_bit(h)
            hi &= ~high_bit(h)
            seen |= 1 << ((b[CELL + h] & TYPE_MASK) - 1)
    return seen


def general(g: Ground, s: State, r: Rng, wild: bool, out: Stream) -> int:
    """Acquire the card that answers the enemy best, else march; buy a spell when rich."""
    if s[TECHED] == 1:
        return 0
    side = s[SIDE]
    spells = 2 if s[MONEY + side] > 3 * g[SPELL_PRICE] else 1
    locked, free = 0, 0
    for c in range(CARDS):
        mine, theirs = s[CARD + side * CARDS + c], s[CARD + (1 - side) * CARDS + c]
        locked += mine == LOCKED
        if mine == UNLOCKED and theirs != ACQUIRED and g[CARD_UNIT + c] >= 0:
            free |= 1 << c
    out[0] = TECH
    out[2] = 0
    if free != 0 and (spells > 1 or locked == 0 or below(r, 4) > 0):
        seen = enemy_types(g, s)
        best = -1
        for c in range(CARDS):
            if (free >> c) & 1 == 1:
                t = g[CARD_UNIT + c]
                answered = size(ANSWERED_TYPES[t] & seen, 0)
                if wild:
                    answered += below(r, 3)
                appeal = answered * 64 + CARD_NUMBERS[t]
                if appeal > best:
                    best = appeal
                    out[3] = c
        out[2] = 1
    out[1] = min(spells - out[2], locked)
    tech(g, s, out[1], out[3:], out[2])
    return 3 + out[2]


# -------------------------------------------------------------------------------------------------------- the attack phase


def stand(g: Ground, k: int, b: State, h: int, y: int) -> int:
    """Where a unit would attack an enemy from: where it is, else the best empty hex in range, -1 if there is none."""
    cell = b[CELL + h]
    far = unit(g, cell, RANGE)
    if apart(h, y) <= far:
        return h
    if unit(g, cell, LUMBERING) == 1 or not can_move(g, b, h):
        return -1
    tiles = tiles_of(k)
    foe_lo, foe_hi = foes(b, owner(cell))
    lo, hi = reach(g, tiles, b, h, foe_lo, foe_hi)
    near_lo, near_hi = within(g, y, far)
    lo &= near_lo & ~(b[UNITS] | b[UNITS + 2])
    hi &= near_hi & ~(b[UNITS + 1] | b[UNITS + 3])
    best, chosen = -1, -1
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
        merit = (holds(g[tiles], g[tiles + 1], x) * 1) * 64 + apart(x, y)
        if merit > best:
            best = merit
            chosen = x
    return chosen


def list_strikes(g: Ground, k: int, b: State, side: int, y: int, work: State) -> int:
    """Who could strike an enemy, the cheapest first: rows (cost, unit, from where, harm an attack, attacks) in `work`."""
    target = b[CELL + y]
    need = unit(g, target, DEFENSE) - hurt(target)
    necromancer = unit(g, target, NECROMANCER) == 1
    n = 0
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        if not can_attack(g, b, h):
            continue
        at = stand(g, k, b, h, y)
        cell = b[CELL + h]
        if at < 0 or (unit(g, cell, NECROMANCER) == 1 and at != h and not necromancer):
            continue
        kind = unit(g, cell, KIND)
        harm = unit(g, cell, DAMAGE)
        if kind == DEATHTOUCH:
            if necromancer:
                continue
            harm = need
        elif kind == UNSUMMONS:
            harm = 1 if unit(g, target, PERSISTENT) == 1 else need
        cost = unit(g, cell, COST) + (2 if at != h else 0)
        row = n
        while row > 0 and work[5 * (row - 1)] > cost:
            for i in range(5):
                work[5 * row + i] = work[5 * (row - 1) + i]
            row -= 1
        work[5 * row] = cost
        work[5 * row + 1] = h
        work[5 * row + 2] = at
        work[5 * row + 3] = harm
        work[5 * row + 4] = unit(g, cell, ATTACKS) - used(cell)
        n += 1
    return n


def remove(g: Ground, s: State, k: int, y: int, out: Stream, at: int, work: State) -> int:
    """Go for an enemy if those who can reach it suffice; returns where the next action goes."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    need = unit(g, b[CELL + y], DEFENSE) - hurt(b[CELL + y])
    n = list_strikes(g, k, b, side, y, work)
    total = 0
    for i in range(n):
        total += work[5 * i + 3] * work[5 * i + 4]
    if total < need:
        return at
    taken_lo, taken_hi = 0, 0
    for i in range(n):
        if b[CELL + y] == 0:
            break
        h, place, harm = work[5 * i + 1], work[5 * i + 2], work[5 * i + 3]
        if holds(taken_lo, taken_hi, place) or (place != h and b[CELL + place] != 0):
            continue  # somebody of ours stands there by now
        if place != h:
            at = note(g, s, out, at, MOVE, k, h, place)
        taken_lo |= low_bit(place)
        taken_hi |= high_bit(place)
        for _ in range(min(work[5 * i + 4], -(-need // harm))):
            if b[CELL + y] != 0:
                at = note(g, s, out, at, ATTACK, k, place, y)
                need -= harm
    return at


def rank_foes(g: Ground, s: State, k: int, r: Rng, wild: bool, work: State) -> int:
    """The enemies of a board into `work`, the greatest prize first; returns how many."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    n = 0
    lo, hi = foes(b, s[SIDE])
    while lo != 0 or hi != 0:
        y = first_hex(lo, hi)
        lo &= ~low_bit(y)
        hi &= ~high_bit(y)
        cell = b[CELL + y]
        prize = NECROMANCER_VALUE if unit(g, cell, NECROMANCER) == 1 else float(unit(g, cell, COST))
        if holds(g[tiles], g[tiles + 1], y):
            prize += GRAVEYARD_VALUE
        if wild:
            prize += below(r, 4)
        place = n
        while place > 0 and work[2 * (place - 1)] < int(prize):
            work[2 * place] = work[2 * (place - 1)]
            work[2 * place + 1] = work[2 * (place - 1) + 1]
            place -= 1
        work[2 * place] = int(prize)
        work[2 * place + 1] = y
        n += 1
    return n


def fight(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int, work: State) -> int:
    """Go for the enemies in order of their prize, as long as something can be removed."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    again = True
    while again:
        again = False
        n = rank_foes(g, s, k, r, wild, work[RANKS:])
        for i in range(n):
            y = work[RANKS + 2 * i + 1]
            at = remove(g, s, k, y, out, at, work)
            if b[CELL + y] == 0:
                again = True
                break
    return at


def march_order(g: Ground, b: State, side: int, work: State) -> int:
    """The units of a side into `work`, the fastest first and necromancers last; returns how many."""
    n = 0
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        late = unit(g, b[CELL + h], NECROMANCER) * 64 - unit(g, b[CELL + h], SPEED)
        place = n
        while place > 0 and work[2 * (place - 1)] > late:
            work[2 * place] = work[2 * (place - 1)]
            work[2 * place + 1] = work[2 * (place - 1) + 1]
            place -= 1
        work[2 * place] = late
        work[2 * place + 1] = h
        n += 1
    return n


def wanted_hexes(g: Ground, k: int, b: State, side: int) -> tuple[int, int]:
    """Graveyards that are not ours; if all are, enemy necromancers; if there is none, the enemy's start."""
    tiles = tiles_of(k)
    lo, hi = g[tiles] & ~b[UNITS + 2 * side], g[tiles + 1] & ~b[UNITS + 2 * side + 1]
    if lo == 0 and hi == 0:
        left_lo, left_hi = foes(b, side)
        while left_lo != 0 or left_hi != 0:
            y = first_hex(left_lo, left_hi)
            left_lo &= ~low_bit(y)
            left_hi &= ~high_bit(y)
            if unit(g, b[CELL + y], NECROMANCER) == 1:
                lo |= low_bit(y)
                hi |= high_bit(y)
    if lo == 0 and hi == 0:
        return low_bit(start_hex(1 - side)), high_bit(start_hex(1 - side))
    return lo, hi


def advance(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int, work: State) -> int:
    """Units that have not fought go to graveyards in reach, or nearer to one that is not ours."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    foe_lo, foe_hi = foes(b, side)
    for i in range(march_order(g, b, side, work)):
        h = work[2 * i + 1]
        if not can_move(g, b, h) or holds(g[tiles], g[tiles + 1], h):
            continue
        want_lo, want_hi = wanted_hexes(g, k, b, side)
        lo, hi = reach(g, tiles, b, h, foe_lo, foe_hi)
        lo &= ~(b[UNITS] | b[UNITS + 2])
        hi &= ~(b[UNITS + 1] | b[UNITS + 3])
        if unit(g, b[CELL + h], NECROMANCER) == 1:
            home_lo, home_hi = within(g, start_hex(side), 3)
            lo &= g[tiles] & home_lo
            hi &= g[tiles + 1] & home_hi
        if lo == 0 and hi == 0:
            continue
        if wild and below(r, 3) == 0:
            aim = nth_hex(want_lo, want_hi, below(r, size(want_lo, want_hi)))
            want_lo, want_hi = low_bit(aim), high_bit(aim)
        best, chosen = 1 << 30, -1
        while lo != 0 or hi != 0:
            x = first_hex(lo, hi)
            lo &= ~low_bit(x)
            hi &= ~high_bit(x)
            far = nearest(x, want_lo, want_hi) + (0 if holds(g[tiles], g[tiles + 1], x) else 128)
            if far < best:
                best = far
                chosen = x
        if best < 128 or best - 128 < nearest(h, want_lo, want_hi):
            at = note(g, s, out, at, MOVE, k, h, chosen)
    return at


# --------------------------------------------------------------------------------------------------------- the spawn phase


def purchase(g: Ground, s: State, side: int, share: int, r: Rng, wild: bool) -> int:
    """A type to buy for at most `share`, mostly the dearest; -1 if nothing is for sale."""
    n, dearest, cost = 0, -1, -1
    for t in range(TYPES):
        price = g[UNIT + t * COLUMNS + COST]
        if price <= share and for_sale(g, s, side, t) == LEGAL:
            n += 1
            if price >= cost:
                dearest = t
                cost = price
    if n == 0 or not (wild or below(r, 3) == 0):
        return dearest
    left = below(r, n)
    for t in range(TYPES):
        if g[UNIT + t * COLUMNS + COST] <= share and for_sale(g, s, side, t) == LEGAL:
            if left == 0:
                return t
            left -= 1
    return -1


def recruit(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int) -> int:
    """Buy the dearest units that this board's share of the money allows, and spawn what there is room for."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    zone = ZONE + side * TYPES
    share = s[MONEY + side] // (g[BOARDS] - k)
    place_lo, place_hi = spawn_places(g, b, side)
    room = size(place_lo, place_hi)
    dearest = 0
    for t in range(TYPES):
        room -= b[zone + t]
        dearest = max(dearest, g[UNIT + t * COLUMNS + COST])
    while room > 0:
        t = purchase(g, s, side, share, r, wild)
        if t < 0:
            break
        at = note(g, s, out, at, BUY, k, t, 0)
        share -= g[UNIT + t * COLUMNS + COST]
        room -= 1
    want_lo, want_hi = g[tiles] & ~b[UNITS + 2 * side], g[tiles + 1] & ~b[UNITS + 2 * side + 1]
    if want_lo == 0 and want_hi == 0:
        want_lo, want_hi = low_bit(start_hex(1 - side)), high_bit(start_hex(1 - side))
    for price in range(dearest, -1, -1):
        for t in range(TYPES):
            if g[UNIT + t * COLUMNS + COST] != price:
                continue
            for _ in range(b[zone + t]):
                lo, hi = spawn_places(g, b, side)
                open_lo, open_hi = open_to(g, tiles, b, t)
                lo &= open_lo
                hi &= open_hi
                best, chosen = 1 << 30, -1
                while lo != 0 or hi != 0:
                    x = first_hex(lo, hi)
                    lo &= ~low_bit(x)
                    hi &= ~high_bit(x)
                    far = nearest(x, want_lo, want_hi)
                    if far < best:
                        best = far
                        chosen = x
                if chosen < 0:
                    break
                at = note(g, s, out, at, SPAWNS, k, t, chosen)
    return at


# ------------------------------------------------------------------------------------------------------------- whole turns


def dearest_in_zone(g: Ground, b: State, side: int) -> int:
    """The type of the zone that a setup keeps, or -1."""
    keep, cost = -1, -1
    for t in range(TYPES):
        if b[ZONE + side * TYPES + t] > 0 and g[UNIT + t * COLUMNS + COST] >= cost:
            keep = t
            cost = g[UNIT + t * COLUMNS + COST]
    return keep


def greedy(g: Ground, s: State, r: Rng, wild: bool, out: Stream, work: State) -> int:
    """Play the scripted turn up to its end phase; the actions into `out`; returns their length. `wild` varies choices."""
    at = general(g, s, r, wild, out)
    for k in range(g[BOARDS]):
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        mode, phase = b[MODE], b[PHASE]
        if b[RESIGNED] == 1:
            continue
        if mode in (RESET_1, RESET_2) and phase == UNTOUCHED:
            at = note(g, s, out, at, SETUP, k, g[BASIC], dearest_in_zone(g, b, s[SIDE]))
        if phase != SPAWNING:
            at = fight(g, s, k, r, wild, out, at, work)
            at = advance(g, s, k, r, wild, out, at, work)
        if mode in (NORMAL, RESET_2):
            at = recruit(g, s, k, r, wild, out, at)
    return at
