"""The stack of a depth-first search, as the record that templates take.

Recursion costs 10 to 60 % in Numba and its cached callers can crash, so a search keeps a row a ply and moves up and down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
from stratagem.hints import row
from stratagem.kernel import SIZE, Ground, play

Words = NDArray[np.int64]


class Stack(NamedTuple):
    """A row a ply, the root first."""

    states: Words  # [plies, cells]: the state
    frames: Words  # [plies, columns]: the node there while its children are searched; each search names its columns
    lists: Words  # [plies, moves]: its moves


def new_stack(game: ArrayGame, plies: int, columns: int) -> Stack:
    return Stack(
        np.zeros((plies, game.size + game.scratch), np.int64),
        np.zeros((plies, columns), np.int64),
        np.zeros((plies, game.max_moves), np.int64),
    )


def play_below(g: Ground, states: Words, ply: int, p: int, m: int) -> None:
    """The state after move m of player p, one ply below."""
    above = row(states, ply)
    s = row(states, ply + 1)
    for i in range(SIZE):
        s[i] = above[i]
    play(g, s, p, m)
