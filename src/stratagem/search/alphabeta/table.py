"""The transposition table of alpha-beta, and the rules by which entries are found, trusted and displaced.

An entry is two words: key ^ data, and data, which packs the value (node-relative: a distance is counted from the node), the
depth, the bound and the move. The exclusive or makes an entry that two threads wrote at once look like none. Functions
that share a first word are alternatives: `deepening` binds the one that the settings choose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import EXACT_KEY, SIZE, Ground, State

Words = NDArray[np.int64]

HASH = -7046029254386353131  # odd: the product is a bijection, and its top bits are the slot
NO_SLOT = -1
NO_MOVE = -1

# bounds
UPPER, LOWER, EXACT = 1, 2, 3

# the parts of data, from the lowest bit: move + 1, bound, depth, value
BOUND_AT, DEPTH_AT, VALUE_AT = 20, 22, 32
MOST_MOVES = (1 << BOUND_AT) - 1  # moves from here on are not kept
BOUNDS = 3
DEEPEST = 1023  # the greatest depth that fits; it also means: to the end of the game


VARIANT_AT = 40  # the bits of a hash by which helping threads differ
VARIANTS = 4


class TranspositionTable(NamedTuple):
    """Entries by the top bits of the hashed key."""

    entries: Words  # [slots, 2]: key ^ data, data; data is 0 in an empty one
    cells: Words  # [slots, cells]: the state of each entry, where keys are not exact; elsewhere one row
    shift: int  # from a hash down to its slot


def new_table(bits: int, size: int, exact: bool) -> TranspositionTable:
    """2**bits empty slots, for states of so many cells whose keys are exact or not."""
    slots = 1 << bits
    cells = np.zeros((1 if exact or slots == 1 else slots, size), np.int64)
    return TranspositionTable(np.zeros((slots, 2), np.int64), cells, 64 - max(bits, 1))


def packed(value: int, depth: int, bound: int, m: int) -> int:
    kept = m + 1 if m < MOST_MOVES else 0
    return (value << VALUE_AT) | (depth << DEPTH_AT) | (bound << BOUND_AT) | kept


def depth_in(data: int) -> int:
    return (data >> DEPTH_AT) & DEEPEST


def slot_of(table: TranspositionTable, h: int) -> int:
    return ((h * HASH) >> table.shift) & (table.entries.shape[0] - 1)


def drawn(hashed: int, variant: int) -> bool:
    """True at `variant` of VARIANTS nodes, always the same ones: there a thread that helps goes another way."""
    return (hashed >> VARIANT_AT) % VARIANTS < variant


def is_of(table: TranspositionTable, slot: int, h: int, s: State) -> bool:
    """Whether an entry belongs to this very state; the state itself is compared only where keys are not exact."""
    data = table.entries[slot, 1]
    if data == 0 or table.entries[slot, 0] ^ data != h:
        return False
    if not EXACT_KEY:
        for i in range(SIZE):
            if table.cells[slot, i] != s[i]:
                return False
    return True


# ------------------------------------------------------------------------------------------------------- finding entries


def find(table: TranspositionTable, h: int, s: State) -> int:
    """The slot that holds an entry of the state, its own or the one beside it, or NO_SLOT."""
    slot = slot_of(table, h)
    if is_of(table, slot, h, s):
        return slot
    if is_of(table, slot ^ 1, h, s):
        return slot ^ 1
    return NO_SLOT


def find_in_one(table: TranspositionTable, h: int, s: State) -> int:
    slot = slot_of(table, h)
    return slot if is_of(table, slot, h, s) else NO_SLOT


def find_nowhere(table: TranspositionTable, h: int, s: State) -> int:
    """Without a table."""
    return NO_SLOT


def no_key(g: Ground, s: State) -> int:
    """Without a table no key is needed."""
    return 0


# --------------------------------------------------------------------------------------------------- trusting an entry


def serves(stored: int, wanted: int) -> bool:
    """Whether an entry of one depth answers for another: a deeper one does."""
    return stored >= wanted


def serves_alike(stored: int, wanted: int) -> bool:
    """Only one of the very same depth, so that results are those of no table."""
    return stored == wanted


# ---------------------------------------------------------------------------------------------------- displacing entries


def place(table: TranspositionTable, h: int, depth: int, nodes: int) -> int:
    """The slot to write to: a deeper entry of another state stays, and the newer goes into the slot beside it."""
    slot = slot_of(table, h)
    old = table.entries[slot, 1]
    if old != 0 and table.entries[slot, 0] ^ old != h and depth_in(old) > depth:
        slot ^= 1
    return slot


def place_in_one(table: TranspositionTable, h: int, depth: int, nodes: int) -> int:
    """NO_SLOT where a deeper entry of another state stays, as three in four do."""
    slot = slot_of(table, h)
    old = table.entries[slot, 1]
    stays = old != 0 and table.entries[slot, 0] ^ old != h and depth_in(old) > depth and nodes & 3 != 0
    return NO_SLOT if stays else slot


def place_nowhere(table: TranspositionTable, h: int, depth: int, nodes: int) -> int:
    """Without a table."""
    return NO_SLOT


def store(table: TranspositionTable, slot: int, h: int, s: State, data: int) -> None:
    table.entries[slot, 0] = h ^ data
    table.entries[slot, 1] = data
    if not EXACT_KEY:
        for i in range(SIZE):
            table.cells[slot, i] = s[i]
