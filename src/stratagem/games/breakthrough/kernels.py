"""Rules of breakthrough (Dan Troyka, 2000) on bitboards: a piece goes one step straight or diagonally forward, captures
diagonally only, and wins by reaching the far row; who loses all pieces loses.

Cell (row, column) is bit row * COLUMNS + column, row 0 at White's side; White goes up. On a board of 64 cells the last one is
the sign bit, so every shift to the right is masked. The foremost piece is never blocked diagonally (on two columns or more),
so the player to move always has a move.
"""

from __future__ import annotations

from stratagem.bits import bit, lowest, popcount
from stratagem.hints import nth, rare
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, mix

# state: [pieces of White (seat 0), pieces of Black (seat 1), to move or OVER]
TURN = 2
# A move is 3 * the cell it starts from + its way: 0 to the left, 1 straight on, 2 to the right, as White sees it.

# bound for each board
ROWS, COLUMNS = 8, 8
FULL = -1  # all cells
NOT_LEFT = -72340172838076674  # all but the first column
NOT_RIGHT = 9187201950435737471  # all but the last one
GOALS = (-72057594037927936, 255)  # the row that each seat must reach


def down(b: int, by: int) -> int:
    """A shift to lower bits that brings no copies of the sign bit in."""
    return (b >> by) & (bit(ROWS * COLUMNS - by) - 1)


def starts(s: State, p: int, way: int) -> int:
    """The pieces of p that can go one way: left and right unless a piece of its own is there, straight to empty cells."""
    own = s[p]
    if way == 1:
        free = FULL & ~(s[0] | s[1])
        return own & (down(free, COLUMNS) if p == 0 else free << COLUMNS)
    free = FULL & ~own
    if way == 0:
        if p == 0:
            return own & NOT_LEFT & down(free, COLUMNS - 1)
        return own & NOT_LEFT & (free << (COLUMNS + 1))
    if p == 0:
        return own & NOT_RIGHT & down(free, COLUMNS + 1)
    return own & NOT_RIGHT & (free << (COLUMNS - 1))


def target(p: int, m: int) -> int:
    """The cell that a move goes to."""
    return m // 3 + (COLUMNS if p == 0 else -COLUMNS) + m % 3 - 1


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return popcount(starts(s, p, 0)) + popcount(starts(s, p, 1)) + popcount(starts(s, p, 2))


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th move: all to the left, then straight on, then to the right, by cells."""
    for way in range(3):
        b = starts(s, p, way)
        n = popcount(b)
        if k < n:
            return 3 * lowest(nth(b, k)) + way
        k -= n
    return -1


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    n = 0
    for way in range(3):
        b = starts(s, p, way)
        while b:
            out[n] = 3 * lowest(b) + way
            b &= b - 1
            n += 1
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    return move(g, s, p, below(r, count(g, s, p)))


def play(g: Ground, s: State, p: int, m: int) -> None:
    arrival = bit(target(p, m))
    s[p] ^= bit(m // 3) | arrival
    s[1 - p] &= ~arrival
    if rare(arrival & GOALS[p] != 0 or s[1 - p] == 0):
        s[TURN] = OVER
    else:
        s[TURN] = 1 - p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 1.0 if s[0] & GOALS[0] or s[1] == 0 else -1.0
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    return mix(mix(s[0] + 1) ^ s[1]) + s[TURN]


def guarded(s: State, p: int) -> int:
    """The cells that pieces of p could capture on."""
    own = s[p]
    if p == 0:
        return FULL & (((own & NOT_LEFT) << (COLUMNS - 1)) | ((own & NOT_RIGHT) << (COLUMNS + 1)))
    return down(own & NOT_LEFT, COLUMNS + 1) | down(own & NOT_RIGHT, COLUMNS - 1)


def strength(s: State, p: int) -> int:
    """Pieces, how far they have come, and how far the foremost that is not under attack has."""
    far = 0
    total = 0
    free = s[p] & ~(guarded(s, 1 - p) & ~guarded(s, p))
    for i in range(ROWS):
        row = i if p == 0 else ROWS - 1 - i
        cells = (bit(COLUMNS) - 1) << (row * COLUMNS)
        total += (10 + i) * popcount(s[p] & cells)
        if free & cells:
            far = i
    return total + far * far


def value(g: Ground, s: State, out: Payoffs) -> None:
    lead = strength(s, 0) - strength(s, 1) + (4 if s[TURN] == 0 else -4)
    x = lead / (30.0 * COLUMNS)
    out[0] = min(max(x, -0.95), 0.95)
    out[1] = -out[0]


def order(g: Ground, s: State, p: int, m: int) -> int:
    """Winning steps, captures, then pieces far ahead."""
    arrival = bit(target(p, m))
    row = target(p, m) // COLUMNS
    ahead = row if p == 0 else ROWS - 1 - row
    if arrival & GOALS[p]:
        return 1000
    return ahead + (100 if arrival & s[1 - p] else 0) - (50 if arrival & guarded(s, 1 - p) else 0) + 60


def left(g: Ground, s: State) -> int:
    """Every ply brings a piece one row on."""
    n = 0
    for row in range(ROWS):
        cells = (bit(COLUMNS) - 1) << (row * COLUMNS)
        n += (ROWS - 1 - row) * popcount(s[0] & cells) + row * popcount(s[1] & cells)
    return n
