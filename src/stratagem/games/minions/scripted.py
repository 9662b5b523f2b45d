"""A scripted general: spends its money, takes kills, holds graveyards. No search; one pass over each board.

The script is a kernel: one call makes a whole turn. `work` is room for lists, `WORK` words of it.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import worths
from stratagem.games.minions.kernels import MAGIC, Stream
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
ANSWERED_TYPES = np.array([_ANSWERS.get(t, 0) for t in range(rules.TYPES)], np.int64)
CARD_NUMBERS = np.array([_NUMBERS.get(t, 0) for t in range(rules.TYPES)], np.int64)


def nearest(h: int, lo: int, hi: int) -> int:
    """The distance from h to the nearest hex of a set that is not empty."""
    best = 100
    while lo != 0 or hi != 0:
        x, lo, hi = rules.take(lo, hi)
        best = min(best, apart(h, x))
    return best


# --------------------------------------------------------------------------------------------------------- what it is worth


def worth(g: Ground, s: State, side: int) -> float:
    """What a side has, in dollars."""
    total = s[rules.MONEY + side] + worths.POINT * s[rules.POINTS + side]
    acquired, unlocked = 0, 0
    for c in range(rules.CARDS):
        acquired += s[rules.CARD + side * rules.CARDS + c] == rules.ACQUIRED
        unlocked += s[rules.CARD + side * rules.CARDS + c] == rules.UNLOCKED
    total += g[rules.SPELL_PRICE] * (acquired + worths.UNLOCKED_SHARE * unlocked)
    for k in range(g[rules.BOARDS]):
        b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
        standing, waiting = 0, 0
        lo, hi = b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h, lo, hi = rules.take(lo, hi)
            standing += rules.unit(g, b[rules.CELL + h], rules.COST)
        for t in range(rules.TYPES):
            waiting += g[rules.UNIT + t * rules.COLUMNS + rules.COST] * b[rules.ZONE + side * rules.TYPES + t]
        total += standing
        total += worths.IN_ZONE * waiting
        total += worths.GRAVEYARD_TO_SCRIPT * rules.graveyards(g, k, b, side)
    return total


def chance(g: Ground, s: State, side: int) -> float:
    """A rough probability that a side wins."""
    if s[rules.WINNER] >= 0:
        return 1.0 if s[rules.WINNER] == side else 0.0
    return 1.0 / (1.0 + np.exp(-(worth(g, s, side) - worth(g, s, 1 - side)) / 100.0))


# ------------------------------------------------------------------------------------------------------------ the techline


def enemy_types(g: Ground, s: State) -> int:
    """The types that the enemy has on boards, as bits."""
    seen = 0
    for k in range(g[rules.BOARDS]):
        b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
        lo, hi = rules.foes(b, s[rules.SIDE])
        while lo != 0 or hi != 0:
            h, lo, hi = rules.take(lo, hi)
            seen |= 1 << ((b[rules.CELL + h] & rules.TYPE_MASK) - 1)
    return seen


def general(g: Ground, s: State, r: Rng, wild: bool, out: Stream) -> int:
    """Acquire the card that answers the enemy best, else march; buy a spell when rich."""
    if s[rules.TECHED] == 1:
        return 0
    side = s[rules.SIDE]
    spells = 2 if s[rules.MONEY + side] > 3 * g[rules.SPELL_PRICE] else 1
    locked, free = 0, 0
    for c in range(rules.CARDS):
        mine, theirs = s[rules.CARD + side * rules.CARDS + c], s[rules.CARD + (1 - side) * rules.CARDS + c]
        locked += mine == rules.LOCKED
        if mine == rules.UNLOCKED and theirs != rules.ACQUIRED and g[rules.CARD_UNIT + c] >= 0:
            free |= 1 << c
    out[0] = rules.TECH
    out[2] = 0
    if free != 0 and (spells > 1 or locked == 0 or below(r, 4) > 0):
        seen = enemy_types(g, s)
        best = -1
        for c in range(rules.CARDS):
            if (free >> c) & 1 == 1:
                t = g[rules.CARD_UNIT + c]
                answered = rules.size(ANSWERED_TYPES[t] & seen, 0)
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
    cell = b[rules.CELL + h]
    far = rules.reaching(g, cell)
    if apart(h, y) <= far:
        return h
    if rules.lumbers(g, cell) or not rules.can_move(g, b, h):
        return -1
    tiles = rules.tiles_of(k)
    foe_lo, foe_hi = rules.foes(b, rules.owner(cell))
    lo, hi = rules.reach(g, tiles, b, h, foe_lo, foe_hi)
    near_lo, near_hi = rules.within(g, y, far)
    lo &= near_lo & ~(b[rules.UNITS] | b[rules.UNITS + 2])
    hi &= near_hi & ~(b[rules.UNITS + 1] | b[rules.UNITS + 3])
    best, chosen = -1, -1
    while lo != 0 or hi != 0:
        x, lo, hi = rules.take(lo, hi)
        merit = (rules.holds(g[tiles], g[tiles + 1], x) * 1) * 64 + apart(x, y)
        if merit > best:
            best = merit
            chosen = x
    return chosen


def list_strikes(g: Ground, k: int, b: State, side: int, y: int, work: State) -> int:
    """Who could strike an enemy, the cheapest first: rows (cost, unit, from where, harm an attack, attacks) in `work`."""
    target = b[rules.CELL + y]
    need = rules.defense(g, target) - rules.hurt(target)
    necromancer = rules.unit(g, target, rules.NECROMANCER) == 1
    n = 0
    lo, hi = b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = rules.take(lo, hi)
        if not rules.can_attack(g, b, h):
            continue
        at = stand(g, k, b, h, y)
        cell = b[rules.CELL + h]
        if at < 0 or (rules.unit(g, cell, rules.NECROMANCER) == 1 and at != h and not necromancer):
            continue
        kind = rules.unit(g, cell, rules.KIND)
        harm = rules.damage(g, cell)
        if kind == rules.DEATHTOUCH:
            if necromancer:
                continue
            harm = need
        elif kind == rules.UNSUMMONS:
            harm = 1 if rules.unit(g, target, rules.PERSISTENT) == 1 else need
        cost = rules.unit(g, cell, rules.COST) + (2 if at != h else 0)
        row = n
        while row > 0 and work[5 * (row - 1)] > cost:
            for i in range(5):
                work[5 * row + i] = work[5 * (row - 1) + i]
            row -= 1
        work[5 * row] = cost
        work[5 * row + 1] = h
        work[5 * row + 2] = at
        work[5 * row + 3] = harm
        work[5 * row + 4] = rules.attacks(g, cell) - rules.used(cell)
        n += 1
    return n


def remove(g: Ground, s: State, k: int, y: int, out: Stream, at: int, work: State) -> int:
    """Go for an enemy if those who can reach it suffice; returns where the next action goes."""
    side = s[rules.SIDE]
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    need = rules.defense(g, b[rules.CELL + y]) - rules.hurt(b[rules.CELL + y])
    n = list_strikes(g, k, b, side, y, work)
    total = 0
    for i in range(n):
        total += work[5 * i + 3] * work[5 * i + 4]
    if total < need:
        return at
    taken_lo, taken_hi = 0, 0
    for i in range(n):
        if b[rules.CELL + y] == 0:
            break
        h, place, harm = work[5 * i + 1], work[5 * i + 2], work[5 * i + 3]
        if rules.holds(taken_lo, taken_hi, place) or (place != h and b[rules.CELL + place] != 0):
            continue  # somebody of ours stands there by now
        if place != h:
            at = note(g, s, out, at, rules.MOVE, k, h, place)
        taken_lo |= rules.low_bit(place)
        taken_hi |= rules.high_bit(place)
        for _ in range(min(work[5 * i + 4], -(-need // harm))):
            if b[rules.CELL + y] != 0:
                at = note(g, s, out, at, rules.ATTACK, k, place, y)
                need -= harm
    return at


def rank_foes(g: Ground, s: State, k: int, r: Rng, wild: bool, work: State) -> int:
    """The enemies of a board into `work`, the greatest prize first; returns how many."""
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    tiles = rules.tiles_of(k)
    n = 0
    lo, hi = rules.foes(b, s[rules.SIDE])
    while lo != 0 or hi != 0:
        y, lo, hi = rules.take(lo, hi)
        cell = b[rules.CELL + y]
        prize = (
            worths.NECROMANCER_KILLED
            if rules.unit(g, cell, rules.NECROMANCER) == 1
            else float(rules.unit(g, cell, rules.COST))
        )
        if rules.holds(g[tiles], g[tiles + 1], y):
            prize += worths.GRAVEYARD_TO_SCRIPT
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
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    again = True
    while again:
        again = False
        n = rank_foes(g, s, k, r, wild, work[RANKS:])
        for i in range(n):
            y = work[RANKS + 2 * i + 1]
            at = remove(g, s, k, y, out, at, work)
            if b[rules.CELL + y] == 0:
                again = True
                break
    return at


def march_order(g: Ground, b: State, side: int, work: State) -> int:
    """The units of a side into `work`, the fastest first and necromancers last; returns how many."""
    n = 0
    lo, hi = b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = rules.take(lo, hi)
        late = rules.unit(g, b[rules.CELL + h], rules.NECROMANCER) * 64 - rules.unit(g, b[rules.CELL + h], rules.SPEED)
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
    tiles = rules.tiles_of(k)
    lo, hi = g[tiles] & ~b[rules.UNITS + 2 * side], g[tiles + 1] & ~b[rules.UNITS + 2 * side + 1]
    if lo == 0 and hi == 0:
        left_lo, left_hi = rules.foes(b, side)
        while left_lo != 0 or left_hi != 0:
            y, left_lo, left_hi = rules.take(left_lo, left_hi)
            if rules.unit(g, b[rules.CELL + y], rules.NECROMANCER) == 1:
                lo |= rules.low_bit(y)
                hi |= rules.high_bit(y)
    if lo == 0 and hi == 0:
        return rules.low_bit(rules.start_hex(1 - side)), rules.high_bit(rules.start_hex(1 - side))
    return lo, hi


def advance(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int, work: State) -> int:
    """Units that have not fought go to graveyards in reach, or nearer to one that is not ours."""
    side = s[rules.SIDE]
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    tiles = rules.tiles_of(k)
    foe_lo, foe_hi = rules.foes(b, side)
    for i in range(march_order(g, b, side, work)):
        h = work[2 * i + 1]
        if not rules.can_move(g, b, h) or rules.holds(g[tiles], g[tiles + 1], h):
            continue
        want_lo, want_hi = wanted_hexes(g, k, b, side)
        lo, hi = rules.reach(g, tiles, b, h, foe_lo, foe_hi)
        lo &= ~(b[rules.UNITS] | b[rules.UNITS + 2])
        hi &= ~(b[rules.UNITS + 1] | b[rules.UNITS + 3])
        if MAGIC and rules.unit(g, b[rules.CELL + h], rules.PERSISTENT) == 0:  # mist would send it home
            lo &= ~g[tiles + rules.MIST_AT]
            hi &= ~g[tiles + rules.MIST_AT + 1]
        if rules.unit(g, b[rules.CELL + h], rules.NECROMANCER) == 1:
            home_lo, home_hi = rules.within(g, rules.start_hex(side), 3)
            lo &= g[tiles] & home_lo
            hi &= g[tiles + 1] & home_hi
        if lo == 0 and hi == 0:
            continue
        if wild and below(r, 3) == 0:
            aim = rules.nth_hex(want_lo, want_hi, below(r, rules.size(want_lo, want_hi)))
            want_lo, want_hi = rules.low_bit(aim), rules.high_bit(aim)
        best, chosen = 1 << 30, -1
        while lo != 0 or hi != 0:
            x, lo, hi = rules.take(lo, hi)
            far = nearest(x, want_lo, want_hi) + (0 if rules.holds(g[tiles], g[tiles + 1], x) else 128)
            if far < best:
                best = far
                chosen = x
        if best < 128 or best - 128 < nearest(h, want_lo, want_hi):
            at = note(g, s, out, at, rules.MOVE, k, h, chosen)
    return at


# --------------------------------------------------------------------------------------------------------- the spawn phase


def purchase(g: Ground, s: State, side: int, share: int, r: Rng, wild: bool) -> int:
    """A type to buy for at most `share`, mostly the dearest; -1 if nothing is for sale."""
    n, best, cost = 0, -1, -1
    for t in range(rules.TYPES):
        price = g[rules.UNIT + t * rules.COLUMNS + rules.COST]
        if price <= share and rules.for_sale(g, s, side, t) == rules.LEGAL:
            n += 1
            if price >= cost:
                best = t
                cost = price
    if n == 0 or not (wild or below(r, 3) == 0):
        return best
    left = below(r, n)
    for t in range(rules.TYPES):
        if g[rules.UNIT + t * rules.COLUMNS + rules.COST] <= share and rules.for_sale(g, s, side, t) == rules.LEGAL:
            if left == 0:
                return t
            left -= 1
    return -1


def recruit(g: Ground, s: State, k: int, r: Rng, wild: bool, out: Stream, at: int) -> int:
    """Buy the dearest units that this board's share of the money allows, and spawn what there is room for."""
    side = s[rules.SIDE]
    b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
    if not rules.spawns_now(b):
        return at
    tiles = rules.tiles_of(k)
    zone = rules.ZONE + side * rules.TYPES
    share = s[rules.MONEY + side] // (g[rules.BOARDS] - k)
    place_lo, place_hi = rules.spawn_places(g, b, side)
    room = rules.size(place_lo, place_hi)
    highest = 0
    for t in range(rules.TYPES):
        room -= b[zone + t]
        highest = max(highest, g[rules.UNIT + t * rules.COLUMNS + rules.COST])
    while room > 0:
        t = purchase(g, s, side, share, r, wild)
        if t < 0:
            break
        at = note(g, s, out, at, rules.BUY, k, t, 0)
        share -= g[rules.UNIT + t * rules.COLUMNS + rules.COST]
        room -= 1
    want_lo, want_hi = g[tiles] & ~b[rules.UNITS + 2 * side], g[tiles + 1] & ~b[rules.UNITS + 2 * side + 1]
    if want_lo == 0 and want_hi == 0:
        want_lo, want_hi = rules.low_bit(rules.start_hex(1 - side)), rules.high_bit(rules.start_hex(1 - side))
    for price in range(highest, -1, -1):
        for t in range(rules.TYPES):
            if g[rules.UNIT + t * rules.COLUMNS + rules.COST] != price:
                continue
            for _ in range(b[zone + t]):
                lo, hi = rules.spawn_places(g, b, side)
                open_lo, open_hi = rules.open_to(g, tiles, b, t)
                lo &= open_lo
                hi &= open_hi
                if MAGIC and g[rules.UNIT + t * rules.COLUMNS + rules.PERSISTENT] == 0:
                    lo &= ~g[tiles + rules.MIST_AT]
                    hi &= ~g[tiles + rules.MIST_AT + 1]
                best, chosen = 1 << 30, -1
                while lo != 0 or hi != 0:
                    x, lo, hi = rules.take(lo, hi)
                    far = nearest(x, want_lo, want_hi)
                    if far < best:
                        best = far
                        chosen = x
                if chosen < 0:
                    break
                at = note(g, s, out, at, rules.SPAWNS, k, t, chosen)
    return at


# ------------------------------------------------------------------------------------------------------------- whole turns


def greedy(g: Ground, s: State, r: Rng, wild: bool, out: Stream, work: State) -> int:
    """Play the scripted turn up to its end phase; the actions into `out`; returns their length. `wild` varies choices."""
    at = general(g, s, r, wild, out)
    for k in range(g[rules.BOARDS]):
        b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
        mode, phase = b[rules.MODE], b[rules.PHASE]
        if b[rules.RESIGNED] == 1:
            continue
        if mode in (rules.RESET_1, rules.RESET_2) and phase == rules.UNTOUCHED:
            at = note(g, s, out, at, rules.SETUP, k, g[rules.BASIC], rules.dearest(g, b, s[rules.SIDE]))
        if phase != rules.SPAWNING:
            at = fight(g, s, k, r, wild, out, at, work)
            at = advance(g, s, k, r, wild, out, at, work)
        at = recruit(g, s, k, r, wild, out, at)
    return at
