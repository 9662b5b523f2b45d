"""Rules of the (m,n,k) game on bitboards, for boards of up to 62 cells: players mark empty cells; LINE of one's own in a row,
column or diagonal wins.

Cell (row, column) is bit row * COLUMNS + column. A line is found by shifting the board onto itself; those that begin too near
an edge to fit are masked out, since they would go on in the next row. Larger boards use `cells.py`.
"""

from __future__ import annotations

from stratagem.bits import lowest, members, popcount
from stratagem.hints import nth, rare
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, mix

# state: [cells of X (seat 0), cells of O (seat 1), to move or OVER]
TURN = 2

# bound for each board
ROWS, COLUMNS, LINE, CELL_COUNT = 3, 3, 3, 9
FULL = 0b111111111  # all cells
RIGHTWARD = 0b001001001  # where a line to the right can begin
LEFTWARD = 0b100100100  # where a line down to the left can begin
EXACT = True  # whether two boards and the turn fit into a key


def lines(b: int, step: int) -> int:
    """The cells at which LINE of a set follow each other at a step."""
    if (LINE - 1) * step >= CELL_COUNT:  # longer than the board
        return 0
    found = b
    for i in range(1, LINE):
        found &= b >> (i * step)
    return found


def won(b: int) -> bool:
    """Whether a bitboard holds a line. Free of branches, which pays."""
    found = (lines(b, 1) | lines(b, COLUMNS + 1)) & RIGHTWARD
    found |= lines(b, COLUMNS - 1) & LEFTWARD
    return found | lines(b, COLUMNS) != 0


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return CELL_COUNT - popcount(s[0] | s[1])


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th empty cell in reading order."""
    return lowest(nth(FULL & ~(s[0] | s[1]), k))


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    return members(FULL & ~(s[0] | s[1]), out)


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    empty = FULL & ~(s[0] | s[1])
    return lowest(nth(empty, below(r, popcount(empty))))


def play(g: Ground, s: State, p: int, m: int) -> None:
    own = s[p] | 1 << m
    s[p] = own
    s[TURN] = OVER if rare(won(own) or own | s[1 - p] == FULL) else 1 - p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 1.0 * won(s[0]) - 1.0 * won(s[1])
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    """Both boards and the turn side by side while they fit: exact up to 30 cells; beyond, a hash, and searches verify."""
    if EXACT:
        return (s[0] << CELL_COUNT | s[1]) << 2 | (s[TURN] + 1)
    return mix(mix(s[0] + 1) ^ s[1]) + s[TURN]


def order(g: Ground, s: State, p: int, m: int) -> int:
    """Central cells first: the number of lines through the cell grows towards the middle."""
    row = m // COLUMNS
    column = m % COLUMNS
    vertical = min(row, ROWS - 1 - row)
    horizontal = min(column, COLUMNS - 1 - column)
    both = 1 if vertical == horizontal else 0  # corners before edges, as on the small board
    return 4 * min(vertical, horizontal) + 2 * both + 1


def left(g: Ground, s: State) -> int:
    return CELL_COUNT - popcount(s[0] | s[1])
