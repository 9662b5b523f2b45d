"""What a network sees of othello on 8 x 8: patterns of lines and corners (Buro, "Experiments with Multi-ProbCut and a new
high-quality evaluation function for Othello", 1997), the moves of both sides now and to come, and how full the board is.

A pattern is a few cells, each empty, own or the other's: a number in base 3. The board is seen in four rotations, and patterns
that are mirror images of one another share a column of the network, so that what is learned in one corner is known in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import popcount
from stratagem.games.othello.kernels import around, places
from stratagem.kernel import Ground, Moves, State

THREES = np.array([sum(3**k for k in range(9) if x >> k & 1) for x in range(512)], np.int64)  # a set in base 3


def folded(mirror: Sequence[int]) -> NDArray[np.int64]:
    """For each pattern of so many cells a number that it has together with its mirror image: cell k goes to `mirror[k]`."""
    cells = len(mirror)
    patterns = np.arange(3**cells)
    image = sum(patterns // 3**k % 3 * 3 ** mirror[k] for k in range(cells))
    return np.unique(np.minimum(patterns, image), return_inverse=True)[1].astype(np.int64)


LINES = [folded(range(n - 1, -1, -1)) for n in range(9)]  # by how many cells they have

# The kinds of patterns: the edge and the three lines behind it, corners of 3 x 3, diagonals of 8 down to 4 cells
KINDS = (*(LINES[8],) * 4, folded((0, 3, 6, 1, 4, 7, 2, 5, 8)), *(LINES[n] for n in range(8, 3, -1)))
CORNER, DIAGONAL = 4, 5
FIRST = tuple(sum(len(kind) for kind in KINDS[:k]) for k in range(len(KINDS)))  # the first feature of each kind
MOVES = FIRST[-1] + len(KINDS[-1])  # the numbers of moves of both sides, then the discs on the board
MOST_MOVES = 24  # more count as so many
DISCS = MOVES + 2 * MOST_MOVES
LATER = DISCS + 64  # empty cells next to each side's discs: where the other may come to move
MOST_LATER = 32
COUNT = LATER + 2 * MOST_LATER
AT_ONCE = 43


def shared() -> NDArray[np.int64]:
    """The column of each feature: mirror images have one together."""
    found: list[NDArray[np.int64]] = []
    begin = 0
    for kind in (*KINDS, np.arange(COUNT - MOVES)):
        found.append(kind + begin)
        begin += int(kind.max()) + 1
    return np.concatenate(found)


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


def corner(b: int) -> int:
    return (b & 7) | ((b >> 5) & 56) | ((b >> 10) & 448)


def diagonal(b: int, below: int) -> int:
    """The cells of the diagonal `below` rows below the main one, first row first."""
    return (((((b >> (8 * below)) & MAIN) * FILES) >> 56) & 255) & ((1 << (8 - below)) - 1)


def pattern(kind: int, own: int, other: int) -> int:
    return FIRST[kind] + THREES[own] + 2 * THREES[other]


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    own = s[side]
    other = s[1 - side]
    out[0] = MOVES + min(popcount(places(own, other)), MOST_MOVES - 1)
    out[1] = MOVES + MOST_MOVES + min(popcount(places(other, own)), MOST_MOVES - 1)
    out[2] = DISCS + min(popcount(own | other), 63)
    empty = ~(own | other)
    out[3] = LATER + min(popcount(around(own) & empty), MOST_LATER - 1)
    out[4] = LATER + MOST_LATER + min(popcount(around(other) & empty), MOST_LATER - 1)
    out[5] = pattern(DIAGONAL, diagonal(own, 0), diagonal(other, 0))
    n = 6
    for turned in range(4):
        for row in range(4):
            out[n + row] = pattern(row, (own >> (8 * row)) & 255, (other >> (8 * row)) & 255)
        out[n + 4] = pattern(CORNER, corner(own), corner(other))
        for below in range(1, 5):
            out[n + 4 + below] = pattern(DIAGONAL + below, diagonal(own, below), diagonal(other, below))
        n += 9
        own = upside_down(transposed(own))
        other = upside_down(transposed(other))
        if turned == 0:
            out[n] = pattern(DIAGONAL, diagonal(own, 0), diagonal(other, 0))
            n += 1
    return n
