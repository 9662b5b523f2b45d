"""Rules of Skirmish, one action at a time (docs/games/skirmish.md states them; its headings are quoted below).

Squares are numbered row by row, sets of squares are words with a bit a square. A piece is one word: its kind plus one in three
bits, its side in one, what it carries in four, and its health in the rest; nothing is 0. What stands, what has fallen and the
towers that are left are kept as sets beside the board, which says the same: lists of moves are made from sets alone.

A move is a number below SQUARES ** 2 + 11 * SQUARES + 12, and means the same everywhere: a unit's square and where it acts, then
a card and where it is played, then a card that is put back, then the end of the turn. What a unit does follows from what is
there.

Draws are chance, a card at a time. In the view of a seat the other hand is among the other deck's cards.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from stratagem.bits import lowest, popcount
from stratagem.kernel import CHANCE, NOBODY, OVER, Ground, Moves, Payoffs, State, Unbound
from stratagem.rng import Rng, below

CARDS = 11
# state: [seat, turn, points left, phase, winner + 1 or 0, cards held 2, standing 2, fallen 2, towers 2,
#         hands 2 x CARDS, decks 2 x CARDS, board]
SEAT, TURN, LEFT, PHASE, WINNER, HELD, STANDING, FALLEN, TOWERS, HAND = 0, 1, 2, 3, 4, 5, 7, 9, 11, 13
DECK = HAND + 2 * CARDS
BOARD = DECK + 2 * CARDS

DEALING, PLAYING, DRAWING, ENDED = range(4)

# cards, of which the first UNITS are kinds of unit; a tower is a kind of piece
GUARD, BOWMAN, HEALER, MAGE, SCOUT, FIRE, DRAUGHT, EDGE, CHARM, PLATE, VEIL = range(CARDS)
TOWER = 5
UNITS = 5
HAND_SIZE = 6
UNITS_DEALT = 3  # of a first hand, exactly

# the parts of a piece
KIND_BITS, SIDE_AT, KIT_AT, HEALTH_AT = 7, 3, 4, 8
CARRIES_EDGE, CARRIES_CHARM, CARRIES_PLATE, CARRIES_VEIL = 1, 2, 4, 8

# The units. Tables by kind: guard, bowman, healer, mage, scout, tower.
HEALTH = np.array([1000, 800, 800, 800, 800, 4500], np.int64)
SPEED = np.array([2, 2, 2, 2, 3, 0], np.int64)
POWER = np.array([200, 300, 200, 200, 200, 0], np.int64)
RANGE = np.array([1, 3, 2, 2, 2, 0], np.int64)
CLOSE = np.array(
    [2, 1, 2, 2, 4, 0], np.int64
)  # halves of its power that a strike at distance 1 has; further it has two
MAGICAL = np.array([0, 0, 1, 1, 0, 0], np.int64)  # whether strikes are
RESISTS = np.array([20, 0, 0, 0, 0, 0], np.int64)  # physical damage
RESISTS_MAGIC = np.array([0, 0, 0, 10, 0, 0], np.int64)
ROOM = np.array([12, 24, 12, 12, 36, 0], np.int64)  # squares that it may act on, at most
HEALING = 2  # range of a healer
HEALS, REVIVES = 3, 2  # times its power
HARDER = 20  # resistance by a plate, a veil, a wall
BONUS = 300  # of a banner
SPRUNG = 100  # power of a spring
CHARMED = 3
FIRE_DAMAGE = 350
DRAUGHT_HEALS, DRAUGHT_REVIVES = 1000, 100
FIRST_LEAP, SECOND_LEAP = 75, 56  # hundredths of the damage

# The ground: a head, then tables of SQUARES cells each, named by their number.
GATES, BANNERS, WALLS, SPRINGS, POINTS, FIRST_POINTS, TURN_CAP, TABLES = 0, 2, 3, 4, 5, 6, 7, 8
FARTHEST = 3
NEAR = 0  # squares at distances from 1 to so many, a table for each up to FARTHEST
AROUND = FARTHEST  # a square and the eight around it
BESIDE = AROUND + 1  # the square next to it, a table for each direction
LINES = BESIDE + 8  # squares whose enemies block a strike, a table for each square it comes from; then the ways there
DIRECTIONS = (
    (0, -1),
    (1, 0),
    (-1, 0),
    (0, 1),
    (1, -1),
    (-1, -1),
    (1, 1),
    (-1, 1),
)  # columns, rows; as leaps prefer them
OPPOSITE = np.array([3, 2, 1, 0, 7, 6, 5, 4], np.int64)
NOWHERE = -1
TRIES = 64  # of a random move, before moves are counted

# bound for each game
SQUARES: int = cast(Any, Unbound("SQUARES"))
PUBLISHED: bool = cast(Any, Unbound("PUBLISHED"))

# what a position is worth, in points of health
HALFWAY = 8000.0  # ahead: half a win
STANDS, LIES = 2, 1  # times its full health, and what it carries
IN_CARDS = 7  # quarters of the health of a unit that has not entered
FIRE_WORTH = 750
GATE_WORTH = -75
BANNER_WORTH = np.array([120, 40, 10, 40, 50, 0], np.int64)
WALL_WORTH = np.array([30, 80, 20, 70, 60, 0], np.int64)
SPRING_WORTH = np.array([30, 120, 40, 100, 70, 0], np.int64)
KIT_WORTH = np.array(  # edge, charm, plate, veil, for each kind
    [-30, -10, 60, 20, 60, 80, 60, 40, 20, 30, 30, 20, 60, 80, 50, 40, 20, 70, 30, 30, 0, 0, 0, 0], np.int64
)


# ----------------------------------------------------------------------------------------------------------- pieces


def piece(kind: int, side: int, kit: int, health: int) -> int:
    return kind + 1 | side << SIDE_AT | kit << KIT_AT | health << HEALTH_AT


def kind_of(x: int) -> int:
    return (x & KIND_BITS) - 1


def side_of(x: int) -> int:
    return x >> SIDE_AT & 1


def kit_of(x: int) -> int:
    return x >> KIT_AT & 15


def health_of(x: int) -> int:
    return x >> HEALTH_AT


def full_health(x: int) -> int:
    """What a piece has at most: a tenth more for a plate, and for a veil."""
    most = HEALTH[kind_of(x)]
    more = (1 if kit_of(x) & CARRIES_PLATE else 0) + (1 if kit_of(x) & CARRIES_VEIL else 0)
    return most + more * (most // 10)


def put(s: State, square: int, x: int) -> None:
    """A unit comes to a square; what has fallen there is gone."""
    clear(s, square)
    s[BOARD + square] = x
    if health_of(x) > 0:
        s[STANDING + side_of(x)] |= 1 << square
    else:
        s[FALLEN + side_of(x)] |= 1 << square


def clear(s: State, square: int) -> None:
    s[BOARD + square] = 0
    for q in range(2):
        s[STANDING + q] &= ~(1 << square)
        s[FALLEN + q] &= ~(1 << square)


def power(g: Ground, s: State, square: int) -> int:
    x = s[BOARD + square]
    found = POWER[kind_of(x)]
    if kit_of(x) & CARRIES_EDGE:
        found += found // 2
    if g[SPRINGS] >> square & 1:
        found += SPRUNG
    return found * CHARMED if kit_of(x) & CARRIES_CHARM else found


def resistance(g: Ground, s: State, square: int, magical: int) -> int:
    x = s[BOARD + square]
    if magical:
        return RESISTS_MAGIC[kind_of(x)] + (HARDER if kit_of(x) & CARRIES_VEIL else 0)
    walled = g[WALLS] >> square & 1
    return RESISTS[kind_of(x)] + (HARDER if kit_of(x) & CARRIES_PLATE else 0) + HARDER * walled


def bonus(g: Ground, s: State, p: int, square: int) -> int:
    """What the banners that player p holds add to damage there."""
    if kind_of(s[BOARD + square]) != TOWER:
        return 0
    return BONUS * popcount(g[BANNERS] & s[STANDING + p])


def damage(g: Ground, s: State, a: int, b: int) -> int:
    """What the unit on a square would do to the piece on another, without banners."""
    kind = kind_of(s[BOARD + a])
    halves = CLOSE[kind] if g[TABLES + NEAR * SQUARES + a] >> b & 1 else 2
    return power(g, s, a) * halves * (100 - resistance(g, s, b, MAGICAL[kind])) // 200


# ------------------------------------------------------------------------------------------------------------ moves


def turn(g: Ground, s: State) -> int:
    if s[PHASE] == PLAYING:
        return s[SEAT]
    return OVER if s[PHASE] == ENDED else CHANCE


def near(g: Ground, square: int, distance: int) -> int:
    return g[TABLES + (NEAR + distance - 1) * SQUARES + square]


def blocking(g: Ground, a: int, b: int) -> int:
    return g[TABLES + (LINES + a) * SQUARES + b]


def hurt_units(s: State, p: int) -> int:
    """Units of a side that stand and are not whole."""
    found = 0
    rest = s[STANDING + p] & ~s[TOWERS + p]
    while rest != 0:
        square = lowest(rest)
        rest &= rest - 1
        x = s[BOARD + square]
        if health_of(x) < full_health(x):
            found |= 1 << square
    return found


def targets(g: Ground, s: State, p: int, square: int) -> int:
    """Where the living unit of player p on a square may act: go, strike, heal, change places."""
    kind = kind_of(s[BOARD + square])
    standing = s[STANDING] | s[STANDING + 1]
    found = near(g, square, SPEED[kind]) & ~standing & ~g[GATES + 1 - p]
    reached = near(g, square, RANGE[kind]) & s[STANDING + 1 - p]
    while reached != 0:
        b = lowest(reached)
        reached &= reached - 1
        if blocking(g, square, b) & s[STANDING + 1 - p] == 0:
            found |= 1 << b
    if kind == HEALER:
        found |= near(g, square, HEALING) & (s[FALLEN + p] | hurt_units(s, p))
    if kind == SCOUT:
        found |= s[STANDING + p] & ~s[TOWERS + p] & ~(1 << square)
    return found


def landing(g: Ground, s: State, p: int, c: int) -> int:
    """Where player p may play a card that it holds."""
    if c < UNITS:
        return g[GATES + p] & ~s[STANDING + p]
    if c == FIRE:
        return (1 << SQUARES) - 1
    if c == DRAUGHT:
        return s[FALLEN + p] | hurt_units(s, p)
    found = 0
    rest = s[STANDING + p] & ~s[TOWERS + p]
    while rest != 0:
        square = lowest(rest)
        rest &= rest - 1
        if kit_of(s[BOARD + square]) >> (c - EDGE) & 1 == 0:
            found |= 1 << square
    return found


def in_deck(s: State, p: int) -> int:
    n = 0
    for c in range(CARDS):
        n += s[DECK + p * CARDS + c]
    return n


def acting(s: State, p: int) -> int:
    return s[STANDING + p] & ~s[TOWERS + p]


def end_listed(n: int) -> bool:
    """Whether a turn may be ended where there are n other actions."""
    return n == 0 if PUBLISHED else True


def count(g: Ground, s: State, p: int) -> int:
    n = 0
    if p == CHANCE:
        q = taker(s)
        for c in range(CARDS):
            n += 1 if dealable(s, q, c) else 0
        return n
    rest = acting(s, p)
    while rest != 0:
        n += popcount(targets(g, s, p, lowest(rest)))
        rest &= rest - 1
    back = 1 if in_deck(s, p) > 0 else 0
    for c in range(CARDS):
        if s[HAND + p * CARDS + c] > 0:
            n += popcount(landing(g, s, p, c)) + back
    return n + 1 if end_listed(n) else n


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    n = 0
    rest = acting(s, p)
    while rest != 0:
        a = lowest(rest)
        rest &= rest - 1
        there = targets(g, s, p, a)
        while there != 0:
            out[n] = a * SQUARES + lowest(there)
            there &= there - 1
            n += 1
    back = in_deck(s, p) > 0
    for c in range(CARDS):
        if s[HAND + p * CARDS + c] > 0:
            there = landing(g, s, p, c)
            while there != 0:
                out[n] = (SQUARES + c) * SQUARES + lowest(there)
                there &= there - 1
                n += 1
            if back:
                out[n] = (SQUARES + CARDS) * SQUARES + c
                n += 1
    if end_listed(n):
        out[n] = (SQUARES + CARDS) * SQUARES + CARDS
        n += 1
    return n


def nth(b: int, k: int) -> int:
    """The k-th square of a set, the lowest first."""
    while k > 0:
        b &= b - 1
        k -= 1
    return lowest(b)


def move(g: Ground, s: State, p: int, k: int) -> int:
    rest = acting(s, p)
    while rest != 0:
        a = lowest(rest)
        rest &= rest - 1
        there = targets(g, s, p, a)
        n = popcount(there)
        if k < n:
            return a * SQUARES + nth(there, k)
        k -= n
    back = 1 if in_deck(s, p) > 0 else 0
    for c in range(CARDS):
        if s[HAND + p * CARDS + c] > 0:
            there = landing(g, s, p, c)
            n = popcount(there)
            if k < n:
                return (SQUARES + c) * SQUARES + nth(there, k)
            k -= n
            if k < back:
                return (SQUARES + CARDS) * SQUARES + c
            k -= back
    return (SQUARES + CARDS) * SQUARES + CARDS


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """Any move, all alike: a place is drawn among more than there are moves, and again where it is none.

    Only what a drawn place belongs to is looked into: a few units, where counting first would look into all of them twice.
    """
    back = 1 if in_deck(s, p) > 0 else 0
    units = popcount((s[STANDING + p] | s[FALLEN + p]) & ~s[TOWERS + p])
    gates = popcount(g[GATES + p])
    total = 0 if PUBLISHED else 1
    rest = acting(s, p)
    while rest != 0:
        total += ROOM[kind_of(s[BOARD + lowest(rest)])]
        rest &= rest - 1
    for c in range(CARDS):
        if s[HAND + p * CARDS + c] > 0:
            total += card_room(c, units, gates) + back
    for _ in range(TRIES if total > 0 else 0):
        m = placed(g, s, p, below(r, total), units, gates, back)
        if m >= 0:
            return m
    return move(g, s, p, below(r, count(g, s, p)))


def card_room(c: int, units: int, gates: int) -> int:
    """Squares that a card may be played on, at most."""
    return gates if c < UNITS else SQUARES if c == FIRE else units


def placed(g: Ground, s: State, p: int, k: int, units: int, gates: int, back: int) -> int:
    """The move at the k-th place of those that `sample` counts, or -1 where there is none."""
    rest = acting(s, p)
    while rest != 0:
        a = lowest(rest)
        rest &= rest - 1
        room = ROOM[kind_of(s[BOARD + a])]
        if k < room:
            there = targets(g, s, p, a)
            return a * SQUARES + nth(there, k) if k < popcount(there) else -1
        k -= room
    for c in range(CARDS):
        if s[HAND + p * CARDS + c] > 0:
            room = card_room(c, units, gates)
            if k < room:
                there = landing(g, s, p, c)
                return (SQUARES + c) * SQUARES + nth(there, k) if k < popcount(there) else -1
            k -= room
            if k < back:
                return (SQUARES + CARDS) * SQUARES + c
            k -= back
    return (SQUARES + CARDS) * SQUARES + CARDS


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    if s[PHASE] != PLAYING or s[SEAT] != p or m < 0 or m > (SQUARES + CARDS) * SQUARES + CARDS:
        return False
    if m == (SQUARES + CARDS) * SQUARES + CARDS:
        return not PUBLISHED or (count(g, s, p) == 1 and move(g, s, p, 0) == m)
    if m >= (SQUARES + CARDS) * SQUARES:
        return s[HAND + p * CARDS + m - (SQUARES + CARDS) * SQUARES] > 0 and in_deck(s, p) > 0
    a, b = m // SQUARES, m % SQUARES
    if a >= SQUARES:
        return s[HAND + p * CARDS + a - SQUARES] > 0 and landing(g, s, p, a - SQUARES) >> b & 1 == 1
    return acting(s, p) >> a & 1 == 1 and targets(g, s, p, a) >> b & 1 == 1


# --------------------------------------------------------------------------------------------------------- actions


def finish(g: Ground, s: State, winner: int) -> None:
    """The game is won by a side, or by NOBODY."""
    s[PHASE] = ENDED
    s[LEFT] = 0
    s[WINNER] = 0 if winner == NOBODY or (PUBLISHED and s[TURN] >= g[TURN_CAP]) else winner + 1


def hurt(g: Ground, s: State, square: int, points: int) -> None:
    """Falling: a piece loses health, and lies down, or is gone if it is a tower."""
    x = s[BOARD + square]
    left = health_of(x) - points
    if left > 0:
        s[BOARD + square] = x & 255 | left << HEALTH_AT
    elif kind_of(x) == TOWER:
        q = side_of(x)
        clear(s, square)
        s[TOWERS + q] &= ~(1 << square)
        if s[TOWERS + q] == 0:
            finish(g, s, 1 - q)
    else:
        put(s, square, x & 255)


def mend(s: State, square: int, points: int) -> None:
    """A unit gains health, and stands."""
    x = s[BOARD + square]
    put(s, square, x & 255 | min(health_of(x) + points, full_health(x)) << HEALTH_AT)


def push(g: Ground, s: State, a: int, b: int) -> None:
    x = s[BOARD + b]
    if kind_of(x) == TOWER:
        return
    to = g[TABLES + (BESIDE + g[TABLES + (LINES + SQUARES + a) * SQUARES + b]) * SQUARES + b]
    if to == NOWHERE or (s[STANDING] | s[STANDING + 1] | g[GATES + 1 - side_of(x)]) >> to & 1:
        return
    clear(s, b)
    put(s, to, x)


def next_leap(g: Ground, s: State, p: int, square: int, way: int) -> int:
    """The way in which a strike that came in a way leaps on from a square, or NOWHERE."""
    enemies = s[STANDING + 1 - p]
    on = g[TABLES + (BESIDE + way) * SQUARES + square]
    if on != NOWHERE and enemies >> on & 1:
        return way
    for d in range(8):
        to = g[TABLES + (BESIDE + d) * SQUARES + square]
        if d != OPPOSITE[way] and to != NOWHERE and enemies >> to & 1:
            return d
    return NOWHERE


def leap(g: Ground, s: State, p: int, a: int, b: int) -> None:
    """Leaping: a strike from a on b goes on to a second piece, and to a third."""
    way = g[TABLES + (LINES + SQUARES + a) * SQUARES + b]
    for jump in range(2):
        way = next_leap(g, s, p, b, way)
        if way == NOWHERE:
            return
        b = g[TABLES + (BESIDE + way) * SQUARES + b]
        share = FIRST_LEAP if jump == 0 else SECOND_LEAP
        hurt(g, s, b, damage(g, s, a, b) * share // 100 + bonus(g, s, p, b))


def strike(g: Ground, s: State, p: int, a: int, b: int) -> None:
    kind = kind_of(s[BOARD + a])
    hurt(g, s, b, damage(g, s, a, b) + bonus(g, s, p, b))
    if kind == GUARD and s[BOARD + b] != 0:
        push(g, s, a, b)
    if kind == MAGE:
        leap(g, s, p, a, b)
    spend_charm(s, a)


def spend_charm(s: State, square: int) -> None:
    s[BOARD + square] &= ~(CARRIES_CHARM << KIT_AT)


def act(g: Ground, s: State, p: int, a: int, b: int) -> None:
    """The unit on a does what there is to do on b."""
    x = s[BOARD + a]
    kind = kind_of(x)
    if s[STANDING + 1 - p] >> b & 1:
        strike(g, s, p, a, b)
    elif kind == HEALER and s[FALLEN + p] >> b & 1:
        mend(s, b, REVIVES * power(g, s, a))
        spend_charm(s, a)
    elif kind == HEALER and s[STANDING + p] >> b & 1:
        mend(s, b, HEALS * power(g, s, a))
        spend_charm(s, a)
    else:
        other = s[BOARD + b] if s[STANDING + p] >> b & 1 else 0  # of a scout that changes places
        clear(s, a)
        put(s, b, x)
        if other != 0:
            put(s, a, other)


def burn(g: Ground, s: State, p: int, square: int) -> None:
    there = g[TABLES + AROUND * SQUARES + square]
    gone = there & s[FALLEN + 1 - p]
    hit = there & s[STANDING + 1 - p]
    while gone != 0:
        clear(s, lowest(gone))
        gone &= gone - 1
    while hit != 0:
        b = lowest(hit)
        hit &= hit - 1
        hurt(g, s, b, FIRE_DAMAGE * (100 - resistance(g, s, b, 1)) // 100 + bonus(g, s, p, b))


def play_card(g: Ground, s: State, p: int, c: int, square: int) -> None:
    s[HAND + p * CARDS + c] -= 1
    s[HELD + p] -= 1
    if c < UNITS:
        put(s, square, piece(c, p, 0, HEALTH[c]))
    elif c == FIRE:
        burn(g, s, p, square)
    elif c == DRAUGHT:
        mend(s, square, DRAUGHT_REVIVES if s[FALLEN + p] >> square & 1 else DRAUGHT_HEALS)
    else:
        s[BOARD + square] |= 1 << (KIT_AT + c - EDGE)
        if c >= PLATE:
            mend(s, square, health_of(s[BOARD + square]) // 10)


def has_units(s: State, p: int) -> bool:
    for c in range(UNITS):
        if s[HAND + p * CARDS + c] + s[DECK + p * CARDS + c] > 0:
            return True
    return (s[STANDING + p] | s[FALLEN + p]) & ~s[TOWERS + p] != 0


def end_turn(g: Ground, s: State, p: int) -> None:
    s[LEFT] = 0
    rest = s[FALLEN + p]
    while rest != 0:
        clear(s, lowest(rest))
        rest &= rest - 1
    first, second = has_units(s, 0), has_units(s, 1)
    if not (first and second):
        finish(g, s, 0 if first else 1 if second else NOBODY)
    elif s[TURN] >= g[TURN_CAP]:
        finish(g, s, NOBODY)
    elif s[HELD + p] < HAND_SIZE and in_deck(s, p) > 0:
        s[PHASE] = DRAWING
    else:
        pass_on(g, s)


def pass_on(g: Ground, s: State) -> None:
    s[PHASE] = PLAYING
    s[SEAT] = 1 - s[SEAT]
    s[TURN] += 1
    s[LEFT] = g[POINTS]


def play(g: Ground, s: State, p: int, m: int) -> None:
    if p == CHANCE:
        q = taker(s)
        take(g, s, q, nth_card(s, q, m))
        return
    a, b = m // SQUARES, m % SQUARES
    if m == (SQUARES + CARDS) * SQUARES + CARDS:
        end_turn(g, s, p)
        return
    if m >= (SQUARES + CARDS) * SQUARES:
        c = m - (SQUARES + CARDS) * SQUARES
        s[HAND + p * CARDS + c] -= 1
        s[DECK + p * CARDS + c] += 1
        s[HELD + p] -= 1
    elif a >= SQUARES:
        play_card(g, s, p, a - SQUARES, b)
    else:
        act(g, s, p, a, b)
    if s[PHASE] == PLAYING:
        s[LEFT] -= 1
        if s[LEFT] == 0:
            end_turn(g, s, p)


# ----------------------------------------------------------------------------------------------------------- chance


def taker(s: State) -> int:
    """Whoever takes the next card."""
    if s[PHASE] == DRAWING:
        return s[SEAT]
    return 0 if s[HELD] < HAND_SIZE else 1


def dealable(s: State, q: int, c: int) -> bool:
    """Whether the next card of a side may be one of a kind: a first hand begins with its units."""
    if s[PHASE] == DEALING and (c < UNITS) != (s[HELD + q] < UNITS_DEALT):
        return False
    return s[DECK + q * CARDS + c] > 0


def nth_card(s: State, q: int, k: int) -> int:
    for c in range(CARDS):
        if dealable(s, q, c):
            if k == 0:
                return c
            k -= 1
    return -1


def odds(g: Ground, s: State, k: int) -> float:
    q = taker(s)
    total = 0
    for c in range(CARDS):
        if dealable(s, q, c):
            total += s[DECK + q * CARDS + c]
    return s[DECK + q * CARDS + nth_card(s, q, k)] / total


def any_card(s: State, q: int, units: bool, others: bool, r: Rng) -> int:
    """A card of a deck, all alike, of those that are asked for."""
    total = 0
    for c in range(CARDS):
        if (c < UNITS and units) or (c >= UNITS and others):
            total += s[DECK + q * CARDS + c]
    k = below(r, total)
    for c in range(CARDS):
        if (c < UNITS and units) or (c >= UNITS and others):
            k -= s[DECK + q * CARDS + c]
            if k < 0:
                return c
    return -1


def take(g: Ground, s: State, q: int, c: int) -> None:
    s[DECK + q * CARDS + c] -= 1
    s[HAND + q * CARDS + c] += 1
    s[HELD + q] += 1
    if s[PHASE] == DEALING and s[HELD + 1] == HAND_SIZE:
        s[PHASE] = PLAYING
        s[LEFT] = g[FIRST_POINTS]
    elif s[PHASE] == DRAWING and (s[HELD + q] == HAND_SIZE or in_deck(s, q) == 0):
        pass_on(g, s)


def draw(g: Ground, s: State, r: Rng) -> None:
    q = taker(s)
    if s[PHASE] == DEALING:
        first = s[HELD + q] < UNITS_DEALT
        take(g, s, q, any_card(s, q, first, not first, r))
    else:
        take(g, s, q, any_card(s, q, True, True, r))


def hide(g: Ground, s: State, p: int) -> None:
    """The hands of others go back among their decks; how many cards they hold stays."""
    for q in range(2):
        if q != p or p == NOBODY:
            for c in range(CARDS):
                s[DECK + q * CARDS + c] += s[HAND + q * CARDS + c]
                s[HAND + q * CARDS + c] = 0


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """The other hand is any of its cards; one that was dealt and not yet played has its three units."""
    hide(g, s, p)
    q = 1 - p
    untouched = s[PHASE] == DEALING or (s[TURN] == 1 and q == 1)
    for k in range(s[HELD + q]):
        c = any_card(s, q, not untouched or k < UNITS_DEALT, not untouched or k >= UNITS_DEALT, r)
        s[DECK + q * CARDS + c] -= 1
        s[HAND + q * CARDS + c] += 1


# --------------------------------------------------------------------------------------------------------- judgement


def turns(g: Ground, s: State) -> int:
    return s[TURN]


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 0.0
    out[1] = 0.0
    if s[WINNER] > 0:
        out[s[WINNER] - 1] = 1.0
        out[2 - s[WINNER]] = -1.0


def square_worth(g: Ground, kind: int, square: int) -> int:
    if g[BANNERS] >> square & 1:
        return BANNER_WORTH[kind]
    if g[WALLS] >> square & 1:
        return WALL_WORTH[kind]
    if g[SPRINGS] >> square & 1:
        return SPRING_WORTH[kind]
    return GATE_WORTH if (g[GATES] | g[GATES + 1]) >> square & 1 else 0


def piece_worth(g: Ground, s: State, square: int) -> int:
    """Health, twice its full health and what it carries if it stands, once if it lies, and where it stands."""
    x = s[BOARD + square]
    kind = kind_of(x)
    carried = HEALTH[kind]
    for k in range(4):
        if kit_of(x) >> k & 1:
            carried += KIT_WORTH[kind * 4 + k]
    if health_of(x) == 0:
        return LIES * carried
    return health_of(x) + STANDS * carried + square_worth(g, kind, square)


def worth(g: Ground, s: State, p: int) -> int:
    """All that a side has, in points of health."""
    total = 0
    rest = s[STANDING + p] | s[FALLEN + p]
    while rest != 0:
        total += piece_worth(g, s, lowest(rest))
        rest &= rest - 1
    for c in range(UNITS):
        total += (s[HAND + p * CARDS + c] + s[DECK + p * CARDS + c]) * HEALTH[c] * IN_CARDS // 4
    return total + (s[HAND + p * CARDS + FIRE] + s[DECK + p * CARDS + FIRE]) * FIRE_WORTH


def value(g: Ground, s: State, out: Payoffs) -> None:
    x = (worth(g, s, 0) - worth(g, s, 1)) / HALFWAY
    out[0] = x / (1.0 + abs(x))
    out[1] = -out[0]


def order(g: Ground, s: State, p: int, m: int) -> int:
    """At a glance: what an action gains in points of health, on top of what doing nothing counts."""
    if m == (SQUARES + CARDS) * SQUARES + CARDS:
        return 0
    if m >= (SQUARES + CARDS) * SQUARES:
        return 700
    a, b = m // SQUARES, m % SQUARES
    if a >= SQUARES:
        return 1000 + card_gain(g, s, p, a - SQUARES, b)
    return 1000 + action_gain(g, s, p, a, b)


def card_gain(g: Ground, s: State, p: int, c: int, square: int) -> int:
    if c < UNITS:
        return 350
    if c == FIRE:
        there = g[TABLES + AROUND * SQUARES + square]
        gain = 300 * popcount(there & s[STANDING + 1 - p]) - 500
        return gain + 1600 * popcount(there & s[FALLEN + 1 - p])
    x = s[BOARD + square]
    if c == DRAUGHT:
        return 800 if health_of(x) == 0 else min(full_health(x) - health_of(x), DRAUGHT_HEALS) - 300
    return KIT_WORTH[kind_of(x) * 4 + c - EDGE] * health_of(x) // full_health(x) * 2


def action_gain(g: Ground, s: State, p: int, a: int, b: int) -> int:
    x = s[BOARD + b]
    kind = kind_of(s[BOARD + a])
    if s[STANDING + 1 - p] >> b & 1:
        done = damage(g, s, a, b) + bonus(g, s, p, b)
        return done + (HEALTH[kind_of(x)] if done >= health_of(x) else 0)
    if s[FALLEN + 1 - p] >> b & 1:
        return 2 * full_health(x)
    if s[FALLEN + p] >> b & 1:
        return 1400 if kind == HEALER else -900
    if s[STANDING + p] >> b & 1:
        return min(full_health(x) - health_of(x), HEALS * power(g, s, a)) if kind == HEALER else -100
    return square_worth(g, kind, b) - square_worth(g, kind, a)
