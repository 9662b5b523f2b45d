"""What the Oracle sees of a position: numbered things that are on or off, through the eyes of the side to move.

Boards are turned by their map's symmetry so that the mover always sits where Yellow does, and all boards share their features:
a position's are those of its boards, added up, and those of what lies beside boards. A unit is seen by its type and hex, and by
its type and whether it stands on a graveyard, beside one, or elsewhere; what is rare in one form is common in the other. What
the hand-written judgement looks at (`worth.look`) and what it makes of it are seen too, in steps.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.layout import Stream
from stratagem.games.minions.maps import map_of, mirror
from stratagem.kernel import Ground, State

VERSION = 1  # of what is listed here: raise it with every change
HEXES = 100
SPOTS = 3  # on a graveyard, beside one, elsewhere
RESERVE = 3  # units of a type in reinforcements that are distinguished, at the most
SPECIAL = 2  # cards that are no units: Copycat, and the others, which act with spells alone
PURSE, PURSE_STEP = 16, 2  # steps of money, and dollars a board of a step
TO_GO = 4  # points from winning that are distinguished
MODES = 5
HELD = 11  # graveyards held, from 0
SIZES = 4  # numbers of boards that are distinguished
LOOKS = 20  # of what the hand-written judgement looks at, behind the constant
STEPS = 11  # of each, the middle one from 0
ODDS, ODDS_STEP = 24, 2.0  # steps of its log odds, and how many to one

UNIT_AT = 0
SPOT_AT = UNIT_AT + 2 * layout.TYPES * HEXES
RESERVE_AT = SPOT_AT + 2 * layout.TYPES * SPOTS
CARD_AT = RESERVE_AT + 2 * layout.TYPES * RESERVE
PURSE_AT = CARD_AT + 2 * (layout.TYPES + SPECIAL) * 2
POINTS_AT = PURSE_AT + 2 * PURSE
MODE_AT = POINTS_AT + 2 * TO_GO
HELD_AT = MODE_AT + MODES
SIZE_AT = HELD_AT + 2 * HELD
LOOK_AT = SIZE_AT + SIZES
ODDS_AT = LOOK_AT + LOOKS * STEPS
FEATURES = ODDS_AT + ODDS

AT_ONCE = 960  # listed at the most; a position with more, which no game has shown, is seen without the rest
# steps to one of each, in the order of `worth.NAMES`: about two to a standard deviation in games
FINENESS = (2.0, 6.0, 12.0, 1.0, 2.5, 5.0, 6.0, 5.0, 5.0, 5.0, 5.0, 4.0, 1.0, 7.0, 6.0, 5.0, 8.0, 8.0, 8.0, 5.0)


def listed(g: Ground, s: State, x: NDArray[np.float64], odds: float, turned: Stream, out: Stream) -> int:
    """The features that are on, into `out`; returns how many. `x` and `odds` are what `worth.look` and its weights say."""
    side, n = s[layout.SIDE], 0
    for k in range(g[layout.BOARDS]):
        n = list_board(g, k, s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE], side, turned, out, n)
    for whose in range(2):
        n = list_purse(g, s, side if whose == 0 else 1 - side, whose, out, n)
    n = append(out, n, SIZE_AT + min(g[layout.BOARDS], SIZES) - 1)
    for i in range(LOOKS):
        step = math.floor(x[1 + i] * FINENESS[i]) + STEPS // 2
        n = append(out, n, LOOK_AT + i * STEPS + min(max(step, 0), STEPS - 1))
    step = math.floor(odds * ODDS_STEP) + ODDS // 2
    return append(out, n, ODDS_AT + min(max(step, 0), ODDS - 1))


def append(out: Stream, n: int, f: int) -> int:
    if n < AT_ONCE:
        out[n] = f
        return n + 1
    return n


def list_board(g: Ground, k: int, b: State, side: int, turned: Stream, out: Stream, n: int) -> int:
    """What stands on a board and waits beside it."""
    tiles = layout.tiles_of(k)
    grave_lo, grave_hi = g[tiles], g[tiles + 1]
    near_lo, near_hi = layout.grow(grave_lo, grave_hi)
    n = append(out, n, MODE_AT + min(b[layout.MODE], MODES - 1))
    for whose in range(2):
        p = side if whose == 0 else 1 - side
        lo, hi = b[layout.UNITS + 2 * p], b[layout.UNITS + 2 * p + 1]
        n = append(out, n, HELD_AT + whose * HELD + min(layout.size(lo & grave_lo, hi & grave_hi), HELD - 1))
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            kind = whose * layout.TYPES + (b[layout.CELL + h] & layout.TYPE_MASK) - 1
            seen_at = h if side == 0 else turned[k * HEXES + h]
            spot = 0 if layout.holds(grave_lo, grave_hi, h) else 1 if layout.holds(near_lo, near_hi, h) else 2
            n = append(out, n, UNIT_AT + kind * HEXES + seen_at)
            n = append(out, n, SPOT_AT + kind * SPOTS + spot)
        for t in range(layout.TYPES):
            for i in range(min(b[layout.ZONE + p * layout.TYPES + t], RESERVE)):
                n = append(out, n, RESERVE_AT + (whose * layout.TYPES + t) * RESERVE + i)
    return n


def list_purse(g: Ground, s: State, p: int, whose: int, out: Stream, n: int) -> int:
    """What a side has beside its boards: money, points and cards."""
    n = append(
        out, n, PURSE_AT + whose * PURSE + min(s[layout.MONEY + p] // (PURSE_STEP * g[layout.BOARDS]), PURSE - 1)
    )
    n = append(out, n, POINTS_AT + whose * TO_GO + min(max(g[layout.TARGET] - s[layout.POINTS + p], 1), TO_GO) - 1)
    for c in range(layout.CARDS):
        if s[layout.CARD + p * layout.CARDS + c] != layout.LOCKED:
            kind = g[layout.CARD_UNIT + c]
            if kind < 0:
                kind = layout.TYPES + (0 if c == g[layout.COPYCAT_AT] else 1)
            state = s[layout.CARD + p * layout.CARDS + c] - 1
            n = append(out, n, CARD_AT + ((whose * (layout.TYPES + SPECIAL)) + kind) * 2 + state)
    return n


def turned_hexes(config: GameConfig) -> Stream:
    """Where Blue sees each hex of each board: turned by the symmetry of its map, half round where it has none."""
    found = []
    for name in config.maps:
        symmetry = next(iter(map_of(name).symmetries), "rotation180")
        found += [mirror(symmetry, h) for h in range(HEXES)]
    return np.array(found, np.int64)
