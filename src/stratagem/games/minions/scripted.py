"""A scripted general: spends its money, takes kills, holds graveyards. No search; one pass over each board.

The script is a kernel: one call makes a whole turn. `work` is room for lists, `WORK` words of it.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, worths
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.games.minions.maps import apart
from stratagem.games.minions.sampling import note
from stratagem.games.minions.units import by_name, cards
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below

RANKS = 512  # where the ranking of enemies begins in `work`; before it are rows of strikes, five words each
WORK = 768  # words that a script needs for its lists

# For each unit type: the types that its card answers, as bits, and the card's number.
_ANSWERS = {c.unit.index: sum(1 << by_name()[name].index for name in c.counters) for c in cards() if c.unit}
_NUMBERS = {c.unit.index: c.number for c in cards() if c.unit}
ANSWERED_TYPES = np.array([_ANSWERS.get(t, 0) for t in range(layout.TYPES)], np.int64)
CARD_NUMBERS = np.array([_NUMBERS.get(t, 0) for t in range(layout.TYPES)], np.int64)


def nearest(h: int, lo: int, hi: int) -> int:
    """The distance from h to the nearest hex of a set that is not empty."""
    best = 100
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        best = min(best, apart(h, x))
    return best


# --------------------------------------------------------------------------------------------------------- what it is worth


def worth(g: Ground, s: State, side: int) -> float:
    """What a side has, in dollars."""
    total = s[layout.MONEY + side] + worths.POINT * s[layout.POINTS + side]
    acquired, unlocked = 0, 0
    for c in range(layout.CARDS):
        acquired += s[layout.CARD + side * layout.CARDS + c] == layout.ACQUIRED
        unlocked += s[layout.CARD + side * layout.CARDS + c] == layout.UNLOCKED
    total += g[layout.SPELL_PRICE] * (acquired + worths.UNLOCKED_SHARE * unlocked)
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        standing, waiting = 0, 0
        lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            standing += layout.unit(g, b[layout.CELL + h], layout.COST)
        for t in range(layout.TYPES):
            waiting += g[layout.UNIT + t * layout.COLUMNS + layout.COST] * b[layout.ZONE + side * layout.TYPES + t]
        total += standing
        total += worths.IN_ZONE * waiting
        total += worths.GRAVEYARD_TO_SCRIPT * rules.graveyards(g, k, b, side)
    return total


def chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins."""
    if s[layout.WINNER] >= 0:
        return 1.0 if s[layout.WINNER] == side else 0.0
    return 1.0 / (1.0 + np.exp(-(worth(g, s, side) - worth(g, s, 1 - side)) / 100.0))


# ------------------------------------------------------------------------------------------------------------ the techline


def enemy_types(g: Ground, s: State) -> int:
    """The types that the enemy has on boards, as bits."""
    seen = 0
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        lo, hi = layout.foes(b, s[layout.SIDE])
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            seen |= 1 << ((b[layout.CELL + h] & layout.TYPE_MASK) - 1)
    return seen


def general(g: Ground, s: State, r: Rng, wild: bool, out: Stream) -> int:
    """Acquire the card that answers the enemy best, else march; buy a spell when rich."""
    if s[layout.TECHED] == 1:
        return 0
    side = s[layout.SIDE]
    spells = 2 if s[layout.MONEY + side] > 3 * g[layout.SPELL_PRICE] else 1
    locked, free = 0, 0
    for c in range(layout.CARDS):
        mine, theirs = s[layout.CARD + side * layout.CARDS + c], s[layout.CARD + (1 - side) * layout.CARDS + c]
        locked += mine == layout.LOCKED
        if mine == layout.UNLOCKED and theirs != layout.ACQUIRED and g[layout.CARD_UNIT + c] >= 0:
            free |= 1 << c
    out[0] = layout.TECH
    out[2] = 0
    if free != 0 and (spells > 1 or locked == 0 or below(r, 4) > 0):
        seen = enemy_types(g, s)
        best = -1
        for c in range(layout.CARDS):
            if (free >> c) & 1 == 1:
                t = g[layout.CARD_UNIT + c]
                answered = layout.size(ANSWERED_TYPES[t] & seen, 0)
                if wild:
                    answered += below(r, 3)
                appeal = answered * 64 + CARD_NUMBERS[t]
                if appeal > best:
                    best = appeal
                    out[3] = c
        out[2] = 1
    out[1] = min(spells - out[2], locked)
    rules.tech(g, s, out[1], out[3:], out[2])
    return 3 + out[2]


# -------------------------------------------------------------------------------------------------------- the attack phase


def stand(g: Ground, k: int, b: State, h: int, y: int) -> int:
    """Where a unit would attack an enemy from: where it is, else the best empty hex in range, -1 if there is none."""
    cell = b[layout.CELL + h]
    far = layout.reaching(g, cell)
    if apart(h, y) <= far:
        return h
    if layout.lumbers(g, cell) or not layout.can_move(g, b, h):
        return -1
    tiles = layout.tiles_of(k)
    foe_lo, foe_hi = layout.foes(b, layout.owner(cell))
    lo, hi = layout.reach(g, tiles, b, h, foe_lo, foe_hi)
    near_lo, near_hi = layout.within(g, y, far)
    lo, hi = layout.vacant(b, lo & near_lo, hi & near_hi)
    best, chosen = -1, -1
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        merit = (layout.holds(g[tiles], g[tiles + 1], x) * 1) * 64 + apart(x, y)
        if merit > best:
            best = merit
            chosen = x
    return chosen


def list_strikes(g: Ground, k: int, b: State, side: int, y: int, work: State) -> int:
    """Who could strike an enemy, the cheapest first: rows (cost, unit, from where, harm an attack, attacks) in `work`."""
    target = b[layout.CELL + y]
    need = layout.defense(g, target) - layout.hurt(target)
    necromancer = layout.unit(g, target, layout.NECROMANCER) == 1
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if not layout.can_attack(g, b, h):
            continue
        at = stand(g, k, b, h, y)
        cell = b[layout.CELL + h]
        if at < 0 or (layout.unit(g, cell, layout.NECROMANCER) == 1 and at != h and not necromancer):
            continue
        kind = layout.unit(g, cell, layout.KIND)
        harm = layout.damage(g, cell)
        if kind == layout.DEATHTOUCH:
            if necromancer:
                continue
            harm = need
        elif kind == layout.UNSUMMONS:
            harm = 1 if layout.unit(g, target, layout.PERSISTENT) == 1 else need
        cost = layout.unit(g, cell, layout.COST) + (2 if at != h else 0)
        row = n
        while row > 0 and work[5 * (row - 1)] > cost:
            for i in range(5):
                work[5 * row + i] = work[5 * (row - 1) + i]
            row -= 1
        work[5 * row] = cost
        work[5 * row + 1] = h
        work[5 * row + 2] = at
        work[5 * row + 3] = harm
        work[5 * row + 4] = layout.attacks(g, cell) - layout.used(cell)
        n += 1
    return n


def remove(g: Ground, s: State, k: int, y: int, out: Stream, at: int, work: State) -> int:
    """Go for an enemy if those who can reach it suffice; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    need = layout.defense(g, b[layout.CELL + y]) - layout.hurt(b[layout.CELL + y])
    n = list_strikes(g, k, b, side, y, work)
    total = 0
    for i in range(n):
        total += work[5 * i + 3] * work[5 * i + 4]
    if total < need:
        return at
    taken_lo, taken_hi = 0, 0
    for i in range(n):
        if b[layout.CELL + y] == 0:
            break
        h, place, harm = work[5 * i + 1], work[5 * i + 2], work[5 * i + 3]
        if layout.holds(taken_lo, taken_hi, place) or (place != h and b[layout.CELL + place] != 0):
            continue  # somebody of ours stands there by now
        if place != h:
            at = note(g, s, out, at, layout.MOVE, k, h, place)
        taken_lo |= layout.low_bit(place)
        taken_hi |= layout.high_bit(place)
        for _ in range(min(work[5 * i + 4], -(-need // harm))):
            if b[layout.CELL + y] != 0:
                at = note(g, s, out, at, layout.ATTACK, k, place, y)
                need -= harm
    return at


def insert(work: State, n: int, key: int, h: int) -> int:
    """Put a hex into a list of n pairs (key, hex) in order of their keys, behind equal ones; returns the new length."""
    place = n
    while place > 0 and work[2 * (place - 1)] > key:
        work[2 * place] = work[2 * (place - 1)]
        work[2 * place + 1] = work[2 * (place - 1) + 1]
        place -= 1
    work[2 * place] = key
    work[2 * place + 1] = h
    return n + 1


def rank_foes(g: Ground, s: State, k: int, r: Rng, wild: bool, work: State) -> int:
    """The enemies of a board into `work`, the greatest prize first; returns how many."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    n = 0
    lo, hi = layout.foes(b, s[layout.SIDE])
    while lo != 0 or hi != 0:
        y, lo, hi = layout.take(lo, hi)
        cell = b[layout.CELL + y]
        prize = (
            worths.NECROMANCER_KILLED
            if layout.unit(g, cell, layout.NECROMANCER) == 1
            else float(layout.unit(g, cell, layout.COST))
        )
        if layout.holds(g[tiles], g[tiles + 1], y):
            prize += worths.GRAVEYARD_TO_SCRIPT
        if wild:
            prize += below(r, 4)
        n = insert(work, n, -int(prize), y)
    return n


def fight(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int, work: State) -> int:
    """Go for the enemies in order of their prize, as long as something can be removed."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    again = True
    while again:
        again = False
        n = rank_foes(g, s, k, r, wild, work[RANKS:])
        for i in range(n):
            y = work[RANKS + 2 * i + 1]
            at = remove(g, s, k, y, out, at, work)
            if b[layout.CELL + y] == 0:
                again = True
                break
    return at


def march_order(g: Ground, b: State, side: int, work: State) -> int:
    """The units of a side into `work`, the fastest first and necromancers last; returns how many."""
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        late = layout.unit(g, b[layout.CELL + h], layout.NECROMANCER) * 64 - layout.unit(
            g, b[layout.CELL + h], layout.SPEED
        )
        n = insert(work, n, late, h)
    return n


def wanted_hexes(g: Ground, k: int, b: State, side: int) -> tuple[int, int]:
    """Graveyards that are not ours; if all are, enemy necromancers; if there is none, the enemy's start."""
    tiles = layout.tiles_of(k)
    lo, hi = g[tiles] & ~b[layout.UNITS + 2 * side], g[tiles + 1] & ~b[layout.UNITS + 2 * side + 1]
    if lo == 0 and hi == 0:
        left_lo, left_hi = layout.foes(b, side)
        while left_lo != 0 or left_hi != 0:
            y, left_lo, left_hi = layout.take(left_lo, left_hi)
            if layout.unit(g, b[layout.CELL + y], layout.NECROMANCER) == 1:
                lo |= layout.low_bit(y)
                hi |= layout.high_bit(y)
    if lo == 0 and hi == 0:
        return layout.low_bit(rules.start_hex(1 - side)), layout.high_bit(rules.start_hex(1 - side))
    return lo, hi


def advance(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int, work: State) -> int:
    """Units that have not fought go to graveyards in reach, or nearer to one that is not ours."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    foe_lo, foe_hi = layout.foes(b, side)
    for i in range(march_order(g, b, side, work)):
        h = work[2 * i + 1]
        if not layout.can_move(g, b, h) or layout.holds(g[tiles], g[tiles + 1], h):
            continue
        want_lo, want_hi = wanted_hexes(g, k, b, side)
        lo, hi = layout.reach(g, tiles, b, h, foe_lo, foe_hi)
        lo, hi = layout.vacant(b, lo, hi)
        if MAGIC and layout.unit(g, b[layout.CELL + h], layout.PERSISTENT) == 0:  # mist would send it home
            lo &= ~g[tiles + layout.MIST_AT]
            hi &= ~g[tiles + layout.MIST_AT + 1]
        if layout.unit(g, b[layout.CELL + h], layout.NECROMANCER) == 1:
            home_lo, home_hi = layout.within(g, rules.start_hex(side), 3)
            lo &= g[tiles] & home_lo
            hi &= g[tiles + 1] & home_hi
        if lo == 0 and hi == 0:
            continue
        if wild and below(r, 3) == 0:
            aim = layout.nth_hex(want_lo, want_hi, below(r, layout.size(want_lo, want_hi)))
            want_lo, want_hi = layout.low_bit(aim), layout.high_bit(aim)
        best, chosen = 1 << 30, -1
        while lo != 0 or hi != 0:
            x, lo, hi = layout.take(lo, hi)
            far = nearest(x, want_lo, want_hi) + (0 if layout.holds(g[tiles], g[tiles + 1], x) else 128)
            if far < best:
                best = far
                chosen = x
        if best < 128 or best - 128 < nearest(h, want_lo, want_hi):
            at = note(g, s, out, at, layout.MOVE, k, h, chosen)
    return at


# --------------------------------------------------------------------------------------------------------- the spawn phase


def purchase(g: Ground, s: State, share: int, r: Rng, wild: bool) -> int:
    """A type to buy for at most `share`, mostly the dearest; -1 if nothing is for sale."""
    n, best, cost = 0, -1, -1
    for t in range(layout.TYPES):
        price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        if rules.affordable(g, s, t, share):
            n += 1
            if price >= cost:
                best = t
                cost = price
    if n == 0 or not (wild or below(r, 3) == 0):
        return best
    left = below(r, n)
    for t in range(layout.TYPES):
        if rules.affordable(g, s, t, share):
            if left == 0:
                return t
            left -= 1
    return -1


def recruit(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int) -> int:
    """Buy the dearest units that this board's share of the money allows, and spawn what there is room for."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if not rules.spawns_now(b):
        return at
    tiles = layout.tiles_of(k)
    zone = layout.ZONE + side * layout.TYPES
    share = s[layout.MONEY + side] // (g[layout.BOARDS] - k)
    place_lo, place_hi = rules.spawn_places(g, b, side)
    room = layout.size(place_lo, place_hi)
    highest = 0
    for t in range(layout.TYPES):
        room -= b[zone + t]
        highest = max(highest, g[layout.UNIT + t * layout.COLUMNS + layout.COST])
    while room > 0:
        t = purchase(g, s, share, r, wild)
        if t < 0:
            break
        at = note(g, s, out, at, layout.BUY, k, t, 0)
        share -= g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        room -= 1
    want_lo, want_hi = g[tiles] & ~b[layout.UNITS + 2 * side], g[tiles + 1] & ~b[layout.UNITS + 2 * side + 1]
    if want_lo == 0 and want_hi == 0:
        want_lo, want_hi = layout.low_bit(rules.start_hex(1 - side)), layout.high_bit(rules.start_hex(1 - side))
    for price in range(highest, -1, -1):
        for t in range(layout.TYPES):
            if g[layout.UNIT + t * layout.COLUMNS + layout.COST] != price:
                continue
            for _ in range(b[zone + t]):
                lo, hi = rules.places_for(g, tiles, b, side, t)
                if MAGIC and g[layout.UNIT + t * layout.COLUMNS + layout.PERSISTENT] == 0:
                    lo &= ~g[tiles + layout.MIST_AT]
                    hi &= ~g[tiles + layout.MIST_AT + 1]
                best, chosen = 1 << 30, -1
                while lo != 0 or hi != 0:
                    x, lo, hi = layout.take(lo, hi)
                    far = nearest(x, want_lo, want_hi)
                    if far < best:
                        best = far
                        chosen = x
                if chosen < 0:
                    break
                at = note(g, s, out, at, layout.SPAWNS, k, t, chosen)
    return at


# ------------------------------------------------------------------------------------------------------------- whole turns


def greedy(g: Ground, s: State, r: Rng, wild: bool, out: Stream, work: State) -> int:
    """Play the scripted turn up to its end phase; the actions into `out`; returns their length. `wild` varies choices."""
    at = general(g, s, r, wild, out)
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        mode, phase = b[layout.MODE], b[layout.PHASE]
        if b[layout.RESIGNED] == 1:
            continue
        if mode in (layout.RESET_1, layout.RESET_2) and phase == layout.UNTOUCHED:
            at = note(g, s, out, at, layout.SETUP, k, g[layout.BASIC], rules.dearest(g, b, s[layout.SIDE]))
        if phase != layout.SPAWNING:
            at = fight(g, s, k, r, wild, out, at, work)
            at = advance(g, s, k, r, wild, out, at, work)
        at = recruit(g, s, k, r, wild, out, at)
    return at
