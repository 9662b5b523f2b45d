"""The order in which alpha-beta tries moves: the table's move, then by the game's `order`, by killers and by history.

One number, the rank, says it all: it is packed above the move, and insertion sort keeps ties in the order of `moves`. Killers
are worth so many units of `order` more (Akl and Newborn 1977), and the history of cut-offs decides among equals (Schaeffer
1983). What a search does without is bound to the function that gives nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import Ground, Moves, State, order

Words = NDArray[np.int64]

BELOW_RANK = 40  # bits of a move, below its rank
MOVE_PART = (1 << BELOW_RANK) - 1
HISTORY_BITS = 6  # of a rank, below its units of `order`
MOST_HISTORY = (1 << HISTORY_BITS) - 1
LAST_KILLER, FORMER_KILLER = 65, 64  # units of `order` that the two killers are worth
FROM_TABLE = 1 << 22  # the rank of the table's move, above all others
HISTORY_SIZE = 4096  # moves are folded into so many
FOLD = HISTORY_SIZE - 1
NO_KILLER = -1


class Memory(NamedTuple):
    """The moves that cut before."""

    killers: Words  # [plies, 2]: the last two at each ply
    history: Words  # [2 players, HISTORY_SIZE]: credit by move


def new_memory(plies: int) -> Memory:
    return Memory(np.full((plies, 2), NO_KILLER, np.int64), np.zeros((2, HISTORY_SIZE), np.int64))


# --------------------------------------------------------------------------------------------------------------- sorting


def insert(out: Moves, i: int, rank: int) -> None:
    """Insertion sort on packed words: out[i] goes before all moves of a lower rank, and behind those of its own."""
    packed = (rank << BELOW_RANK) | out[i]
    j = i
    while j > 0 and (out[j - 1] >> BELOW_RANK) < rank:
        out[j] = out[j - 1]
        j -= 1
    out[j] = packed


def unpack(out: Moves, n: int) -> None:
    """The moves alone, once all are inserted."""
    for i in range(n):
        out[i] &= MOVE_PART


def sort_moves(g: Ground, s: State, p: int, out: Moves, n: int, first: int, ply: int, memory: Memory) -> None:
    """Promising moves first, the table's move before all."""
    for i in range(n):
        m = out[i]
        units = 1 + order(g, s, p, m) + killer_units(memory, ply, m)
        rank = (units << HISTORY_BITS) + history_rank(memory, p, m)
        insert(out, i, FROM_TABLE if m == first else rank)
    unpack(out, n)


def keep_moves(g: Ground, s: State, p: int, out: Moves, n: int, first: int, ply: int, memory: Memory) -> None:
    """As the game lists them, where nothing tells more."""


def no_order(g: Ground, s: State, p: int, m: int) -> int:
    """In the place of a game's `order`."""
    return 0


# --------------------------------------------------------------------------------------------------------------- killers


def killer_units(memory: Memory, ply: int, m: int) -> int:
    if m == memory.killers[ply, 0]:
        return LAST_KILLER
    if m == memory.killers[ply, 1]:
        return FORMER_KILLER
    return 0


def no_killer_units(memory: Memory, ply: int, m: int) -> int:
    return 0


def keep_killer(memory: Memory, ply: int, m: int) -> None:
    """Move m cut at this ply."""
    if memory.killers[ply, 0] != m:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = m


def keep_no_killer(memory: Memory, ply: int, m: int) -> None:
    pass


# --------------------------------------------------------------------------------------------------------------- history


def log2(n: int) -> int:
    """Of a number below 2**63, rounded down and 1 more; 0 for 0."""
    r = 0
    while n > 0:
        n >>= 1
        r += 1
    return r


def history_rank(memory: Memory, p: int, m: int) -> int:
    return min(2 * log2(memory.history[p, m & FOLD]), MOST_HISTORY)


def no_history_rank(memory: Memory, p: int, m: int) -> int:
    return 0


def credit(memory: Memory, p: int, m: int, depth: int) -> None:
    """Move m of player p cut, with so many plies below it."""
    memory.history[p, m & FOLD] += depth * depth


def credit_nobody(memory: Memory, p: int, m: int, depth: int) -> None:
    pass
