"""What a network sees of breakthrough: whose piece stands where, own pieces first, the board turned so that one's own go up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import bit, lowest
from stratagem.games.breakthrough.kernels import COLUMNS, ROWS, target
from stratagem.kernel import Ground, Moves, State


def seen(cell: int, side: int) -> int:
    """The cell as a side sees it: upside down for Black."""
    if side == 0:
        return cell
    return (ROWS - 1 - cell // COLUMNS) * COLUMNS + cell % COLUMNS


def mirrored(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The features of a position seen in a mirror, by those of the position itself; there is no policy."""
    cells = (columns * np.arange(rows)[:, None] + np.arange(columns)[::-1]).ravel()
    return np.concatenate([cells, rows * columns + cells]), np.zeros(0, np.int64)


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    n = 0
    for whose in range(2):
        b = s[side] if whose == 0 else s[1 - side]
        while b:
            out[n] = whose * ROWS * COLUMNS + seen(lowest(b), side)
            b &= b - 1
            n += 1
    return n


def switched(g: Ground, s: State, side: int, p: int, m: int, out: Moves) -> int:
    """A piece leaves one cell for another, and a piece that stood there is gone."""
    own = 0 if side == p else ROWS * COLUMNS
    to = target(p, m)
    out[0] = -1 - own - seen(m // 3, side)
    out[1] = own + seen(to, side)
    if s[1 - p] & bit(to):
        out[2] = -1 - (ROWS * COLUMNS - own) - seen(to, side)
        return 3
    return 2
