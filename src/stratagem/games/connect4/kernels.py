"""Rules of connect four on bitboards, for boards of up to 61 bits, a spare bit above each column counted.

Column c holds bits c * (HEIGHT + 1) .. c * (HEIGHT + 1) + HEIGHT - 1 from the bottom; the spare bit stays empty, so that
lines do not wrap from one column to the next. Larger boards use `cells.py`.
"""

from __future__ import annotations

from stratagem.bits import popcount
from stratagem.hints import pick, rare
from stratagem.kernel import MAY_WIN, OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below

# state: [stones of seat 0, stones of seat 1, to move or OVER]
TURN = 2

# bound for each board
WIDTH, HEIGHT, STRIDE = 7, 6, 7
BOTTOM = 0b1_0000001_0000001_0000001_0000001_0000001_0000001  # the lowest cell of every column
FULL = BOTTOM * 0b111111  # all cells
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)


def won(b: int) -> bool:
    """Whether a bitboard holds four in a row: upright, level, and the two diagonals. Free of branches, which pays."""
    upright = b & (b >> 1)
    level = b & (b >> STRIDE)
    falling = b & (b >> (STRIDE - 1))
    rising = b & (b >> (STRIDE + 1))
    lines = upright & (upright >> 2)
    lines |= level & (level >> (2 * STRIDE))
    lines |= falling & (falling >> (2 * (STRIDE - 1)))
    lines |= rising & (rising >> (2 * (STRIDE + 1)))
    return lines != 0


def openings(s: State) -> int:
    """The cell that a stone would fall into, in every column that is not full."""
    return ((s[0] | s[1]) + BOTTOM) & FULL


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return popcount(openings(s))


def is_open(s: State, column: int) -> bool:
    return (s[0] | s[1]) >> (column * STRIDE + HEIGHT - 1) & 1 == 0


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th open column, from the centre outwards."""
    for i in range(WIDTH):
        column = CENTRE_FIRST[i]
        if is_open(s, column):
            if k == 0:
                return column
            k -= 1
    return -1


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    stones = s[0] | s[1]
    n = 0
    for i in range(WIDTH):
        column = CENTRE_FIRST[i]
        if stones >> (column * STRIDE + HEIGHT - 1) & 1 == 0:
            out[n] = column
            n += 1
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """Columns are drawn until one is open."""
    while True:
        column = below(r, WIDTH)
        if is_open(s, column):
            return column


def play(g: Ground, s: State, p: int, m: int) -> None:
    stones = s[0] | s[1]
    stone = (stones + (1 << (m * STRIDE))) & ~stones  # the carry stops at the lowest empty cell
    own = s[p] | stone
    s[p] = own
    s[TURN] = OVER if rare(won(own) or stones | stone == FULL) else 1 - p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 1.0 * won(s[0]) - 1.0 * won(s[1])
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    """Exact: own stones plus all stones tells both (each column's sum tells its height), and the turn beside them."""
    return (s[0] + (s[0] | s[1])) * 2 + (s[TURN] & 1)


def threats(own: int, stones: int) -> int:
    """The empty cells that would complete a line of four."""
    r = (own << 1) & (own << 2) & (own << 3)
    for i in range(3):
        step = STRIDE - 1 + i
        pair = (own << step) & (own << 2 * step)
        r |= pair & (own << 3 * step)
        r |= pair & (own >> step)
        pair = (own >> step) & (own >> 2 * step)
        r |= pair & (own >> 3 * step)
        r |= pair & (own << step)
    return r & (FULL ^ stones)


def safe(g: Ground, s: State, p: int, out: Moves) -> int:
    """Columns after which the opponent has no win at once: forced ones if there are any, none below its winning cells."""
    stones = s[0] | s[1]
    possible = (stones + BOTTOM) & FULL
    if MAY_WIN and threats(s[p], stones) & possible:
        return -1
    danger = threats(s[1 - p], stones)
    forced = possible & danger
    if forced:
        if forced & (forced - 1):
            return 0
        possible = forced
    possible &= ~(danger >> 1)
    n = 0
    for i in range(WIDTH):
        column = CENTRE_FIRST[i]
        out[min(n, WIDTH - 1)] = column
        n += possible >> (column * STRIDE) & ((1 << HEIGHT) - 1) != 0
    return n


def rank(g: Ground, s: State, p: int, out: Moves, n: int) -> bool:
    """By the cells that would win for p; those above a winning cell of the opponent are of no use.

    The opponent is lost who must fill two cells at once, or can only open winning cells for p. Words are sorted by swaps
    without a branch, for ranks cannot be predicted: the rank, the place in the list, the column.
    """
    own = s[p]
    stones = own | s[1 - p]
    useful = ~(threats(s[1 - p], stones) << 1)
    for i in range(n):
        column = out[i]
        stone = (stones + (1 << (column * STRIDE))) & (((1 << HEIGHT) - 1) << (column * STRIDE))
        winning = threats(own | stone, stones | stone)
        possible = ((stones | stone) + BOTTOM) & FULL
        forced = winning & possible
        if rare(forced & (forced - 1) != 0 or pick(forced != 0, forced, possible) & ~(winning >> 1) == 0):
            return True
        promise = 2 * popcount(winning & useful) - (winning & (stone << 1) != 0)  # a cell right above will be blocked
        word = promise << 16 | (WIDTH - i) << 8 | column
        for j in range(i):
            other = out[j]
            behind = other < word
            out[j] = pick(behind, word, other)
            word = pick(behind, other, word)
        out[i] = word
    for i in range(n):
        out[i] &= 0xFF
    return False


def order(g: Ground, s: State, p: int, m: int) -> int:
    """The number of cells that would win for p after the move."""
    stones = s[0] | s[1]
    stone = (stones + (1 << (m * STRIDE))) & (((1 << HEIGHT) - 1) << (m * STRIDE))
    return popcount(threats(s[p] | stone, stones | stone))


def left(g: Ground, s: State) -> int:
    return WIDTH * HEIGHT - popcount(s[0] | s[1])
