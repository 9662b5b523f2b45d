"""Rules of othello on bitboards: a disc is placed so that it encloses a straight line of the other side's discs, and all
enclosed lines are turned over. Who cannot do that must pass; when neither can, the game is over, and more discs win.

Cell (row, column) is bit row * SIDE + column. On the board of 8 x 8 the last cell is the sign bit, so every shift to the
right is masked afterwards, which also stops lines at the edges.
"""

from __future__ import annotations

from stratagem.bits import bit, lowest, members, popcount
from stratagem.hints import nth
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, mix

# state: [discs of seat 0, discs of seat 1, to move or OVER]
TURN = 2

# bound for each board
SIDE, CELL_COUNT = 8, 64
STEPS = (1, 8, 7, 9)  # to the right, down, down left, down right
# cells that a step up to higher bits (UP) and down to lower bits (DOWN) can arrive at
UP = (-72340172838076674, -256, 9187201950435737344, -72340172838076928)
DOWN = (9187201950435737471, 72057594037927935, 71775015237779198, 35887507618889599)
CORNERS = -9151314442816847743
NEAR_CORNERS = 4810688826961678914  # diagonally next to a corner
EDGE = -35604928818740737
DISCS_PAY = False  # the payoff is the difference of discs, empty cells to the winner
WEIGHTS = (0,)  # of each cell, for the order of moves


def places(own: int, other: int) -> int:
    """The cells where `own` may place a disc."""
    empty = ~(own | other)
    found = 0
    for i in range(4):
        step = STEPS[i]
        line = (own << step) & UP[i] & other
        for _ in range(SIDE - 3):
            line |= (line << step) & UP[i] & other
        found |= (line << step) & UP[i]
        line = (own >> step) & DOWN[i] & other
        for _ in range(SIDE - 3):
            line |= (line >> step) & DOWN[i] & other
        found |= (line >> step) & DOWN[i]
    return found & empty


def turned(own: int, other: int, disc: int) -> int:
    """The discs that a disc placed turns over."""
    found = 0
    for i in range(4):
        step = STEPS[i]
        line = (disc << step) & UP[i] & other
        for _ in range(SIDE - 3):
            line |= (line << step) & UP[i] & other
        if (line << step) & UP[i] & own:
            found |= line
        line = (disc >> step) & DOWN[i] & other
        for _ in range(SIDE - 3):
            line |= (line >> step) & DOWN[i] & other
        if (line >> step) & DOWN[i] & own:
            found |= line
    return found


def on_board(b: int) -> int:
    if CELL_COUNT < 64:
        b &= (1 << CELL_COUNT) - 1
    return b


def legal(s: State, p: int) -> int:
    return on_board(places(s[p], s[1 - p]))


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return max(popcount(legal(s, p)), 1)


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th cell to place a disc on, in reading order; CELL_COUNT is a pass, the only move of who can place none."""
    b = legal(s, p)
    return lowest(nth(b, k)) if b else CELL_COUNT


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    b = legal(s, p)
    if b == 0:
        out[0] = CELL_COUNT
        return 1
    return members(b, out)


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    b = legal(s, p)
    return lowest(nth(b, below(r, popcount(b)))) if b else CELL_COUNT


def play(g: Ground, s: State, p: int, m: int) -> None:
    if m < CELL_COUNT:
        disc = bit(m)
        flips = turned(s[p], s[1 - p], disc)
        s[p] |= disc | flips
        s[1 - p] ^= flips
    if legal(s, 1 - p) == 0 and legal(s, p) == 0:
        s[TURN] = OVER
    else:
        s[TURN] = 1 - p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    first = popcount(s[0])
    second = popcount(s[1])
    if DISCS_PAY:
        # empty cells count for the winner, as in tournaments
        if first > second:
            out[0] = CELL_COUNT - 2.0 * second
        elif first < second:
            out[0] = 2.0 * first - CELL_COUNT
        else:
            out[0] = 0.0
    elif first > second:
        out[0] = 1.0
    elif first < second:
        out[0] = -1.0
    else:
        out[0] = 0.0
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    return mix(mix(s[0] + 1) ^ s[1]) + s[TURN]


def around(b: int) -> int:
    """The cells next to a set, with some of it."""
    found = 0
    for i in range(4):
        found |= ((b << STEPS[i]) & UP[i]) | ((b >> STEPS[i]) & DOWN[i])
    return found


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Moves, moves to come, corners and the cells that give corners away; near the end the discs themselves."""
    own = s[0]
    other = s[1]
    empty = on_board(~(own | other))
    free = popcount(empty)
    here = popcount(legal(s, 0)) - popcount(legal(s, 1))
    later = popcount(around(other) & empty) - popcount(around(own) & empty)
    corners = popcount(own & CORNERS) - popcount(other & CORNERS)
    open_corners = around(CORNERS & empty)
    risky = popcount(own & NEAR_CORNERS & open_corners) - popcount(other & NEAR_CORNERS & open_corners)
    edges = popcount(own & EDGE) - popcount(other & EDGE)
    discs = popcount(own) - popcount(other)
    x = 8.0 * here + 4.0 * later + 45.0 * corners - 18.0 * risky + 2.0 * edges
    if free < 12:
        x += (12 - free) * discs
    x /= 500.0
    if DISCS_PAY:
        x *= CELL_COUNT
        out[0] = min(max(x, 1.0 - CELL_COUNT), CELL_COUNT - 1.0)
    else:
        out[0] = min(max(x, -0.95), 0.95)
    out[1] = -out[0]


def order(g: Ground, s: State, p: int, m: int) -> int:
    """Corners first and cells beside them last, and moves that leave the other side few."""
    if m == CELL_COUNT:
        return 1
    disc = bit(m)
    flips = turned(s[p], s[1 - p], disc)
    replies = popcount(on_board(places(s[1 - p] ^ flips, s[p] | disc | flips)))
    return 2000 + 16 * WEIGHTS[m] - 40 * replies


def left(g: Ground, s: State) -> int:
    """Every pass is followed by a disc, and none comes first where a disc can be placed."""
    n = 2 * (CELL_COUNT - popcount(s[0] | s[1]))
    if s[TURN] == OVER:
        return 0
    return n if legal(s, s[TURN]) == 0 else n - 1
