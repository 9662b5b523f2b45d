"""The template of alpha-beta: fail-soft negamax over kernels, in one loop with an explicit stack.

Recursion costs 10 to 60 % in Numba and its cached callers can crash, so the running node lives in locals and is saved only
on descent. What a call promises, with m the true value: alpha < v < beta: v = m; v >= beta: m >= v; v <= alpha: m <= v.

Each technique is a constant bound at specialisation, so that what is off costs nothing; none of them changes a value.
`alphabeta.Settings` says what they are.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.hints import row
from stratagem.kernel import (
    EXACT_KEY,
    OVER,
    SIZE,
    Ground,
    Moves,
    Payoffs,
    State,
    Unbound,
    key,
    left,
    moves,
    order,
    play,
    safe,
    turn,
)
from stratagem.search.alphabeta.score import DECIDED, DISTANCES, INFINITY, WIN, heuristic_score, terminal_score
from stratagem.search.budget import StopFlag

Words = NDArray[np.int64]

CHECK_EVERY = 1024  # nodes between two looks at the stop flag
STOPPED = -(1 << 40)
DEEPEST = 1023  # depths are stored in ten bits; this one also means: to the end of the game

# bound for each search
PRUNE: bool = cast(Any, Unbound("PRUNE"))  # False: plain minimax with a table
USE_TABLE: bool = cast(Any, Unbound("USE_TABLE"))
TWO_TIER: bool = cast(Any, Unbound("TWO_TIER"))  # every entry has a neighbour for what does not displace it
USE_ORDER: bool = cast(Any, Unbound("USE_ORDER"))
USE_KILLERS: bool = cast(Any, Unbound("USE_KILLERS"))
USE_HISTORY: bool = cast(Any, Unbound("USE_HISTORY"))
USE_SAFE: bool = cast(Any, Unbound("USE_SAFE"))
USE_LEFT: bool = cast(Any, Unbound("USE_LEFT"))
SCOUT: bool = cast(Any, Unbound("SCOUT"))  # principal variation search
DEEPER: bool = cast(
    Any, Unbound("DEEPER")
)  # entries of greater depth serve too; without, results are those of no table

# bounds in the table
UPPER, LOWER, EXACT = 1, 2, 3

# An entry is two words: key ^ data, and data = value << 32 | depth << 22 | bound << 20 | move + 1. The exclusive or makes an
# entry that two threads wrote at once look like none.
HASH = -7046029254386353131  # odd: the product is a bijection, and its top bits are the index
MOVE_BITS = 20

# columns of a frame
ALPHA_0, ALPHA, BETA, BEST, BEST_MOVE, INDEX, COUNT, MOVER, KEY, REACH, NARROW = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
FRAME = 11

# The order of moves is by one number, the rank, packed above a move of up to BELOW_RANK bits: first the table's move, then
# by the kernel's order, in which killers are worth so many units more, and among equals by the history of cut-offs.
BELOW_RANK = 40
HISTORY_BITS = 6
KILLER_0 = 65 << HISTORY_BITS
KILLER_1 = 64 << HISTORY_BITS
FROM_TABLE = 1 << 22
HISTORY_SIZE = 4096  # moves are folded into this many


def slot_of(h: int, mask: int, shift: int) -> int:
    return ((h * HASH) >> shift) & mask


def is_of(table: Words, cells: Words, slot: int, h: int, s: State) -> bool:
    """Whether an entry belongs to this very state; the state itself is compared only where keys are not exact."""
    data = table[slot, 1]
    if data == 0 or table[slot, 0] ^ data != h:
        return False
    if not EXACT_KEY:
        for i in range(SIZE):
            if cells[slot, i] != s[i]:
                return False
    return True


def log2(n: int) -> int:
    """Of a number below 2**63, rounded down and 1 more; 0 for 0."""
    r = 0
    while n > 0:
        n >>= 1
        r += 1
    return r


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
        out[i] &= (1 << BELOW_RANK) - 1


def sort_moves(
    g: Ground, s: State, p: int, out: Moves, n: int, first: int, ply: int, killers: Words, history: Words
) -> None:
    """Promising moves first; ties keep the order of `moves`."""
    for i in range(n):
        m = out[i]
        rank = 1
        if USE_ORDER:
            rank += order(g, s, p, m)
        rank <<= HISTORY_BITS
        if USE_HISTORY:
            rank += min(2 * log2(history[p, m & (HISTORY_SIZE - 1)]), (1 << HISTORY_BITS) - 1)
        if USE_KILLERS:
            if m == killers[ply, 0]:
                rank += KILLER_0
            elif m == killers[ply, 1]:
                rank += KILLER_1
        if m == first:
            rank = FROM_TABLE
        insert(out, i, rank)
    unpack(out, n)


def alphabeta_template(
    g: Ground, root_moves: Moves, depth: int, alpha: int, beta: int, variant: int, states: Words, frames: Words,
    lists: Words, table: Words, cells: Words, shift: int, killers: Words, history: Words, pv: Words, pv_length: Words,
    out: Payoffs, stats: Words, stop: StopFlag,
) -> int:  # fmt: skip
    """The fail-soft score of states[0] over the root moves given, in the order given, for its mover.

    `variant` 0 is the search itself; others try some moves in another order, for threads that share the table.
    """
    mask = table.shape[0] - 1
    nodes = stats[0] + 1
    ply = 0
    mover = turn(g, row(states, 0))
    n = root_moves.shape[0]
    for i in range(n):
        lists[0, i] = root_moves[i]
    alpha_0 = alpha
    best = -INFINITY
    best_move = -1
    index = 0
    h = 0
    reach = 0
    narrow = 0  # 1: the child at work has a null window; 2: it is searched again with the whole one
    pv_length[0] = 0
    while True:
        if index < n and (best < beta or not PRUNE):
            m = lists[ply, index]
            index += 1
            above = row(states, ply)
            s = row(states, ply + 1)
            for i in range(SIZE):
                s[i] = above[i]
            play(g, s, mover, m)
            nodes += 1
            if nodes % CHECK_EVERY == 0 and stop[0] != 0:
                stats[0] = nodes
                return STOPPED
            pv_length[ply + 1] = 0
            t = turn(g, s)
            certain = True  # whether v is the child's true value, in any window
            if t == OVER:
                v = terminal_score(g, s, mover, ply + 1, out)
            elif ply + 1 == depth:
                v = heuristic_score(g, s, mover, out)
                stats[1] += 1
            else:
                # the child's window, for its own mover
                upper = beta
                if SCOUT and PRUNE:
                    if narrow == 2 or index == 1 or beta - alpha <= 1:
                        narrow = 0
                    else:
                        narrow = 1
                        upper = alpha + 1
                if t == mover:
                    child_alpha = alpha
                    child_beta = upper
                else:
                    child_alpha = -upper
                    child_beta = -alpha
                child_alpha_0 = child_alpha
                remaining = min(depth - ply - 1, DEEPEST - 1)
                child_reach = remaining
                if USE_LEFT and remaining >= left(g, s):
                    child_reach = DEEPEST  # deeper would see nothing more
                first = -1
                known = False
                v = 0
                child_h = 0
                if USE_TABLE:
                    child_h = key(g, s)
                    slot = slot_of(child_h, mask, shift)
                    found = is_of(table, cells, slot, child_h, s)
                    if TWO_TIER and not found:
                        slot ^= 1
                        found = is_of(table, cells, slot, child_h, s)
                    data = table[slot, 1]
                    if found:
                        first = (data & ((1 << MOVE_BITS) - 1)) - 1
                        stored = (data >> 22) & DEEPEST
                        if stored == child_reach or (stored > child_reach and DEEPER):
                            v = data >> 32
                            if DISTANCES and v > DECIDED:
                                v -= ply + 1
                            elif DISTANCES and v < -DECIDED:
                                v += ply + 1
                            bound = (data >> 20) & 3
                            if bound == EXACT or not PRUNE:
                                known = True
                            elif bound == LOWER:
                                child_alpha = max(child_alpha, v)
                            else:
                                child_beta = min(child_beta, v)
                            if child_alpha >= child_beta:
                                known = True
                                certain = bound == EXACT
                child_n = -2
                if USE_SAFE and PRUNE and not known and remaining >= 2:
                    child_n = safe(g, s, t, row(lists, ply + 1))
                    late = ply + 1 if DISTANCES else 0
                    unit = 1 if DISTANCES else 0
                    if child_n == -1:
                        v = WIN - late - unit
                        known = True
                    elif child_n == 0:
                        v = late + 2 * unit - WIN
                        known = True
                    elif DISTANCES:
                        # no win before three plies, no loss before four
                        if late + 4 - WIN >= child_beta:
                            v = late + 4 - WIN
                            known = True
                            certain = False
                        elif WIN - late - 3 <= child_alpha:
                            v = WIN - late - 3
                            known = True
                            certain = False
                if known:
                    if t != mover:
                        v = -v
                else:
                    f = row(frames, ply)
                    f[ALPHA_0] = alpha_0
                    f[ALPHA] = alpha
                    f[BETA] = beta
                    f[BEST] = best
                    f[BEST_MOVE] = best_move
                    f[INDEX] = index
                    f[COUNT] = n
                    f[MOVER] = mover
                    f[KEY] = h
                    f[REACH] = reach
                    f[NARROW] = narrow
                    ply += 1
                    here = row(lists, ply)
                    n = child_n
                    if n < 0:
                        n = moves(g, s, t, here)
                    if USE_ORDER or USE_TABLE or USE_KILLERS or USE_HISTORY:
                        sort_moves(g, s, t, here, n, first, ply, killers, history)
                    if variant > 0 and n > 2 and (child_h * HASH >> 40) % 4 < variant:
                        here[1], here[2] = here[2], here[1]
                    mover = t
                    alpha_0 = child_alpha_0
                    alpha = child_alpha
                    beta = child_beta
                    best = -INFINITY
                    best_move = first
                    index = 0
                    h = child_h
                    reach = child_reach
                    narrow = 0
                    continue
        else:
            # this node is finished
            if ply == 0:
                stats[0] = nodes
                return best
            if PRUNE and best >= beta:
                if USE_HISTORY:
                    history[mover, best_move & (HISTORY_SIZE - 1)] += (depth - ply) * (depth - ply)
                if USE_KILLERS and killers[ply, 0] != best_move:
                    killers[ply, 1] = killers[ply, 0]
                    killers[ply, 0] = best_move
            if USE_TABLE:
                s = row(states, ply)
                slot = slot_of(h, mask, shift)
                old = table[slot, 1]
                mine = old == 0 or table[slot, 0] ^ old == h
                if TWO_TIER:
                    # the deeper entry stays, and the newer goes into the slot beside it
                    if not mine and (old >> 22) & DEEPEST > reach:
                        slot ^= 1
                    mine = True
                if mine or (old >> 22) & DEEPEST <= reach or nodes & 3 == 0:
                    v = best
                    if DISTANCES and v > DECIDED:
                        v += ply
                    elif DISTANCES and v < -DECIDED:
                        v -= ply
                    bound = EXACT
                    if PRUNE:
                        if best >= beta:
                            bound = LOWER
                        elif best <= alpha_0:
                            bound = UPPER
                    kept = best_move + 1 if best_move < (1 << MOVE_BITS) - 1 else 0
                    data = (v << 32) | (reach << 22) | (bound << 20) | kept
                    table[slot, 0] = h ^ data
                    table[slot, 1] = data
                    if not EXACT_KEY:
                        for i in range(SIZE):
                            cells[slot, i] = s[i]
            v = best
            t = mover
            certain = alpha_0 < best < beta
            ply -= 1
            f = row(frames, ply)
            alpha_0 = f[ALPHA_0]
            alpha = f[ALPHA]
            beta = f[BETA]
            best = f[BEST]
            best_move = f[BEST_MOVE]
            index = f[INDEX]
            n = f[COUNT]
            mover = f[MOVER]
            h = f[KEY]
            reach = f[REACH]
            narrow = f[NARROW]
            m = lists[ply, index - 1]
            if t != mover:
                v = -v
        if SCOUT and PRUNE and narrow == 1:
            if not certain and alpha < v < beta:
                # better than all before it: the null window only says so, the whole one says how good
                narrow = 2
                index -= 1
                continue
            narrow = 0
        if v > best:
            best = v
            if v > alpha_0:  # a value that fails low names no reliable move
                best_move = m
            if v > alpha:
                alpha = v
                pv[ply, 0] = m
                for i in range(pv_length[ply + 1]):
                    pv[ply, i + 1] = pv[ply + 1, i]
                pv_length[ply] = pv_length[ply + 1] + 1
