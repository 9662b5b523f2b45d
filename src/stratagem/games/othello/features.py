"""What a network sees of othello on 8 x 8: patterns of lines and corners (Buro, "Experiments with Multi-ProbCut and a new
high-quality evaluation function for Othello", 1997), the moves of both sides, and how full the board is.

A pattern is a few cells, each empty, own or the other's: a number in base 3. The board is seen in four rotations, and all cells that
go over into one another share a pattern, so that what is learned in one corner is known in all.
"""

from __future__ import annotations

import numpy as np

from stratagem.bits import popcount
from stratagem.games.othello.kernels import places
from stratagem.kernel import Ground, Moves, State

THREES = np.array([sum(3**k for k in range(10) if x >> k & 1) for x in range(1024)], np.int64)  # a set in base 3

# Where the patterns of each kind begin: an edge with the two cells diagonally next to its corners, the three lines behind it,
# a corner of 3 x 3, diagonals of 8 down to 4 cells; then the numbers of moves, then the discs on the board
RIM, LINE_2, LINE_3, LINE_4 = 0, 3**10, 3**10 + 3**8, 3**10 + 2 * 3**8
CORNER = LINE_4 + 3**8
DIAGONAL_8 = CORNER + 3**9
DIAGONALS = tuple(DIAGONAL_8 + sum(3**k for k in range(8, n, -1)) for n in range(9))  # by how many cells they have
MOVES = DIAGONALS[4] + 3**4
MOST_MOVES = 24  # more count as so many
DISCS = MOVES + 2 * MOST_MOVES
COUNT = DISCS + 16
AT_ONCE = 44

MAIN = -9205322385119247871  # the diagonal from the first cell to the last: 0x8040201008040201
FILES = 72340172838076673  # the first column: 0x0101010101010101


def transposed(b: int) -> int:
    """Rows become columns."""
    x = (b ^ (b >> 7)) & 0x00AA00AA00AA00AA
    b = b ^ x ^ (x << 7)
    x = (b ^ (b >> 14)) & 0x0000CCCC0000CCCC
    b = b ^ x ^ (x << 14)
    x = (b ^ (b >> 28)) & 0x00000000F0F0F0F0
    return b ^ x ^ (x << 28)


def upside_down(b: int) -> int:
    """The last row first."""
    b = ((b >> 8) & 0x00FF00FF00FF00FF) | ((b & 0x00FF00FF00FF00FF) << 8)
    b = ((b >> 16) & 0x0000FFFF0000FFFF) | ((b & 0x0000FFFF0000FFFF) << 16)
    return ((b >> 32) & 0x00000000FFFFFFFF) | (b << 32)


def edge(b: int) -> int:
    """The first row, and behind it the two cells diagonally next to its corners."""
    return (b & 255) | ((b >> 1) & 256) | ((b >> 5) & 512)


def corner(b: int) -> int:
    return (b & 7) | ((b >> 5) & 56) | ((b >> 10) & 448)


def diagonal(b: int, below: int) -> int:
    """The cells of the diagonal `below` rows below the main one, first row first."""
    return (((((b >> (8 * below)) & MAIN) * FILES) >> 56) & 255) & ((1 << (8 - below)) - 1)


def pattern(own: int, other: int) -> int:
    return THREES[own] + 2 * THREES[other]


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    own = s[side]
    other = s[1 - side]
    out[0] = MOVES + min(popcount(places(own, other)), MOST_MOVES - 1)
    out[1] = MOVES + MOST_MOVES + min(popcount(places(other, own)), MOST_MOVES - 1)
    out[2] = DISCS + min(popcount(own | other) >> 2, 15)
    out[3] = DIAGONAL_8 + pattern(diagonal(own, 0), diagonal(other, 0))
    n = 4
    for turned in range(4):
        out[n] = RIM + pattern(edge(own), edge(other))
        out[n + 1] = LINE_2 + pattern((own >> 8) & 255, (other >> 8) & 255)
        out[n + 2] = LINE_3 + pattern((own >> 16) & 255, (other >> 16) & 255)
        out[n + 3] = LINE_4 + pattern((own >> 24) & 255, (other >> 24) & 255)
        out[n + 4] = CORNER + pattern(corner(own), corner(other))
        for below in range(1, 5):
            out[n + 4 + below] = DIAGONALS[8 - below] + pattern(diagonal(own, below), diagonal(other, below))
        n += 9
        own = upside_down(transposed(own))
        other = upside_down(transposed(other))
        if turned == 0:
            out[n] = DIAGONAL_8 + pattern(diagonal(own, 0), diagonal(other, 0))
            n += 1
    return n
