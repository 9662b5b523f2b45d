"""What a network sees of connect four on bitboards: whose stone lies where, and which empty cells would complete a line of four
for each side. Own things come first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest
from stratagem.games.connect4.kernels import HEIGHT, STRIDE, WIDTH, threats
from stratagem.kernel import Ground, Moves, State


def listed(bits: int, first: int, off: bool, out: Moves, n: int) -> int:
    """The cells of a set as features from `first` on, behind the n that are there; returns how many there are then."""
    while bits:
        at = lowest(bits)
        f = first + at // STRIDE * HEIGHT + at % STRIDE
        out[n] = -1 - f if off else f
        bits &= bits - 1
        n += 1
    return n


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    own = s[side]
    other = s[1 - side]
    cells = WIDTH * HEIGHT
    n = listed(own, 0, False, out, 0)
    n = listed(other, cells, False, out, n)
    n = listed(threats(own, own | other), 2 * cells, False, out, n)
    return listed(threats(other, own | other), 3 * cells, False, out, n)


def switched(g: Ground, s: State, side: int, p: int, m: int, out: Moves) -> int:
    """A stone comes, it may threaten new cells, and the cell it lies in is no threat any more."""
    stones = s[0] | s[1]
    stone = (stones + (1 << (m * STRIDE))) & ~stones
    cells = WIDTH * HEIGHT
    whose = 0 if side == p else 1
    n = listed(stone, whose * cells, False, out, 0)
    before = threats(s[p], stones)
    after = threats(s[p] | stone, stones | stone)
    n = listed(after & ~before, (2 + whose) * cells, False, out, n)
    n = listed(before & ~after, (2 + whose) * cells, True, out, n)
    return listed(threats(s[1 - p], stones) & stone, (3 - whose) * cells, True, out, n)


def mirrored(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The features and the outputs of a position seen in a mirror, by those of the position itself."""
    columns = np.arange(width)[::-1]
    cells = (height * columns[:, None] + np.arange(height)).ravel()
    return np.concatenate([kind * width * height + cells for kind in range(4)]), columns


def policy_of(g: Ground, s: State, p: int, m: int) -> int:
    return m
