"""The tree of Monte-Carlo tree search as templates over kernels: walking down, growing, backing up, proving.

The tree is flat arrays. The children of a node lie together, so that a selection reads one or two cache lines; a node
expands at its second visit; logarithms and roots of small counts come from tables; the way down is a path array. A value
in a node is for the player who moved into it, so that selection compares neighbours without a sign. `mcts` drives it.

Arrays of several columns are passed flat, and node numbers are marked (`index`) where they are read: the compiler then knows
that they are not negative, and need not ask at every access whether to count from the end.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    OVER,
    PLAYERS,
    SIZE,
    Ground,
    Moves,
    Payoffs,
    State,
    Unbound,
    count,
    moves,
    odds,
    play,
    turn,
)
from stratagem.native import index
from stratagem.rng import Rng, unit
from stratagem.search.playouts import INLINED as PLAYOUT_PARTS
from stratagem.search.playouts import playout
from stratagem.search.running import StopFlag

Floats = NDArray[np.float64]
Quick = NDArray[np.float32]
Words = NDArray[np.int64]

# `stats`, a float64 pair a node: visits, and the sum of payoffs above LOW to the player who moved into it
# (so that a walk under way, its visit counted and its payoff still to come, counts as lost: the virtual loss)
VISITS, TOTAL = 0, 1
# `quick`, a few float32 a node, what UCT compares: the mean above LOW, 1 / sqrt(visits), and for its own children
# sqrt(log visits). Derived from `stats` whenever those change, so that a walk waits for no logarithm or root.
MEAN, SPREAD, LOGS = 0, 1, 2
QUICK = 3
UNTRIED = 1e30  # the spread of a child without visits: it comes before every other
# `nodes`, a pair of words a node: the move into the node, and its link: first child << 26 | number of children << 4 | flags
MOVE, LINK = 0, 1
PROVEN, SOME_PROVEN = 1, 2  # this node's value is exact; some child's is
COUNT_BITS, FLAG_BITS = 22, 4
FIRST_SHIFT = COUNT_BITS + FLAG_BITS
COUNT_MASK = (1 << COUNT_BITS) - 1
# cells of `pool`: the next free node and the end of a thread's range
NEXT, END = 0, 1
# `arms`, three numbers a root child, and three more for the root itself: this search's own count, sum, squares
SAMPLES, SUM, SQUARES = 0, 1, 2
ARM = 3

ROOT = 0
NO_ROOM = -2
STUCK = -3  # a player to decide has no move
BAD_PRIOR = -4  # a prior kernel gives NaN, an infinity or a negative number
PATH = 1024  # the deepest a path goes into the tree; deeper nodes stay leaves

# bound for each search
USE_PRIORS: bool = cast(Any, Unbound("USE_PRIORS"))  # PUCT in place of UCT
PRIOR_KERNEL: bool = cast(Any, Unbound("PRIOR_KERNEL"))  # priors come from a kernel, not from a network
SOLVE: bool = cast(Any, Unbound("SOLVE"))  # proofs are kept; for two players whose payoffs add up to nothing
SHARED: bool = cast(Any, Unbound("SHARED"))  # several threads in one tree

TABULATED = 1024  # a power of two
INVERSE = 1.0 / np.maximum(np.arange(TABULATED), 1)
INVERSE_ROOT = np.sqrt(INVERSE).astype(np.float32)
ROOT_LOG = np.sqrt(np.log(np.maximum(np.arange(TABULATED), 1))).astype(np.float32)
ROOT_LOG[:2] = 1e-9  # a node of one visit: the bonus is nothing, yet a child never tried still comes first
QUARTERS = 12  # a count above the table is quartered until it is in it, at most so often
FINE = TABULATED // 4
LOGS_OF_QUARTERS = np.log(4.0) * np.arange(QUARTERS + 1)[:, None] + np.log((np.arange(FINE) + 0.5) * 4 + 1)
ROOT_LOG_LARGE = np.sqrt(LOGS_OF_QUARTERS).astype(np.float32).ravel()


def prior(g: Ground, s: State, p: int, m: int) -> float:
    """How likely move m of player p is to be good: a weight of at least 0, made to add up to 1 over a node's moves."""
    return 1.0


def publish() -> None:
    """Where threads share a tree, a fence: the children are written before the link to them is. Else nothing."""


def add(array: Floats, at: int, x: float) -> None:
    """Where threads share a tree, an atomic addition: racing ones would lose up to a tenth near the root."""
    array[at] += x


def first_child(link: int) -> int:
    return link >> FIRST_SHIFT


def child_count(link: int) -> int:
    return link >> FLAG_BITS & COUNT_MASK


def root_log(n: float) -> float:
    """sqrt(log n), of large numbers to within a thousandth: the root alone would take as long as two children."""
    if n < TABULATED:
        return ROOT_LOG[int(n) & (TABULATED - 1)]
    k = 0
    while n >= TABULATED and k < QUARTERS:
        n *= 0.25
        k += 1
    return ROOT_LOG_LARGE[k * FINE + min(int(n) >> 2, FINE - 1)]


def refresh(stats: Floats, quick: Quick, node: int) -> None:
    """What UCT compares, anew from a node's visits and total."""
    n = stats[2 * node + VISITS]
    quick[QUICK * node + LOGS] = root_log(n)
    if n < TABULATED:
        k = int(n) & (TABULATED - 1)
        quick[QUICK * node + MEAN] = stats[2 * node + TOTAL] * INVERSE[k]
        quick[QUICK * node + SPREAD] = INVERSE_ROOT[k]
    else:
        inverse = 1.0 / n
        quick[QUICK * node + MEAN] = stats[2 * node + TOTAL] * inverse
        quick[QUICK * node + SPREAD] = np.sqrt(inverse)


def select_uct(stats: Floats, quick: Quick, nodes: Words, exact: Floats, node: int, p: int, c: float) -> int:
    """The child of the highest upper confidence bound for player p; children never tried come first, in order."""
    link = nodes[2 * node + LINK]
    first = first_child(link)
    bonus = np.float32(c) * quick[QUICK * node + LOGS]
    best = np.float32(-1.0)  # means are above LOW, so every score is at least 0
    chosen = first
    if SOLVE and link & SOME_PROVEN:
        for k in range(child_count(link)):
            child = index(first + k)
            score = quick[QUICK * child + MEAN] + bonus * quick[QUICK * child + SPREAD]
            if nodes[2 * child + LINK] & PROVEN:
                score = np.float32((exact[child] if p == 0 else -exact[child]) - LOW)
            if score > best:
                best = score
                chosen = child
        return chosen
    for k in range(child_count(link)):
        child = index(first + k)
        score = quick[QUICK * child + MEAN] + bonus * quick[QUICK * child + SPREAD]
        if score > best:
            best = score
            chosen = child
    return chosen


def select_puct(stats: Floats, nodes: Words, exact: Floats, priors: Floats, node: int, p: int, c: float) -> int:
    """The child of the highest value plus prior bonus; one never tried counts as the mean of its tried siblings."""
    link = nodes[2 * node + LINK]
    first = first_child(link)
    n = child_count(link)
    visited = 0.0
    total = 0.0
    for k in range(n):
        child = index(first + k)
        visited += stats[2 * child + VISITS]
        total += stats[2 * child + TOTAL]
    untried = total / visited if visited > 0.0 else 0.5 * (HIGH - LOW)
    bonus = c * np.sqrt(max(visited, 1.0))
    best = -np.inf
    chosen = first
    for k in range(n):
        child = index(first + k)
        visits = stats[2 * child + VISITS]
        score = (stats[2 * child + TOTAL] / visits if visits > 0.0 else untried) + bonus * priors[child] / (
            1.0 + visits
        )
        if SOLVE and nodes[2 * child + LINK] & PROVEN:
            score = (exact[child] if p == 0 else -exact[child]) - LOW
        if score > best:
            best = score
            chosen = child
    return chosen


def expand(
    g: Ground, s: State, t: int, stats: Floats, quick: Quick, nodes: Words, priors: Floats, pool: Words, node: int,
    listed: Moves,
) -> int:  # fmt: skip
    """Children for every move or outcome in s, with their priors; returns the first, NO_ROOM, STUCK or BAD_PRIOR."""
    if t == CHANCE:
        n = count(g, s, CHANCE)
    else:
        n = moves(g, s, t, listed)
    if n == 0:
        return STUCK
    first = pool[NEXT]
    if first + n > pool[END]:
        return NO_ROOM
    pool[NEXT] = first + n
    for k in range(n):
        child = index(first + k)
        stats[2 * child + VISITS] = 0.0
        stats[2 * child + TOTAL] = 0.0
        quick[QUICK * child + MEAN] = 0.0
        quick[QUICK * child + SPREAD] = UNTRIED
        quick[QUICK * child + LOGS] = 0.0
        nodes[2 * child + MOVE] = k if t == CHANCE else listed[k]
        nodes[2 * child + LINK] = 0
        if USE_PRIORS:
            priors[child] = 1.0 / n
    if USE_PRIORS and PRIOR_KERNEL and t >= 0:
        total = 0.0
        for k in range(n):
            weight = prior(g, s, t, listed[k])
            if not (0.0 <= weight < np.inf):
                return BAD_PRIOR
            priors[first + k] = weight
            total += weight
        if total > 0.0:
            for k in range(n):
                priors[first + k] /= total
    if SHARED:
        publish()
    nodes[2 * node + LINK] = (first << FIRST_SHIFT) | (n << FLAG_BITS)
    return first


def draw_child(g: Ground, s: State, nodes: Words, node: int, r: Rng) -> int:
    """A child of a chance node by its odds."""
    link = nodes[2 * node + LINK]
    first = first_child(link)
    n = child_count(link)
    x = unit(r)
    for k in range(n - 1):
        x -= odds(g, s, k)
        if x < 0.0:
            return first + k
    return first + n - 1


def descend(
    g: Ground, s: State, r: Rng, stats: Floats, quick: Quick, nodes: Words, exact: Floats, priors: Floats, pool: Words, c: float,
    path: Words, turns: Words, listed: Moves, eager: bool,
) -> int:  # fmt: skip
    """Walk from the root to a leaf, playing the moves on s. Returns the leaf's depth, or an error.

    `path` gets the nodes, `turns` who decides in each. A leaf is over, proven, on its first visit, or out of room; an
    eager walk (for networks) stops at every node that has no children yet.
    """
    depth = 0
    node = ROOT
    path[0] = ROOT
    fresh = False
    while True:
        t = turn(g, s)
        turns[depth] = t
        link = nodes[2 * node + LINK]
        if t == OVER or fresh or depth + 1 >= PATH:
            return depth
        if SOLVE and link & PROVEN:
            return depth
        if link >> FLAG_BITS == 0:
            if eager:
                return depth
            first = expand(g, s, t, stats, quick, nodes, priors, pool, node, listed)
            if first == NO_ROOM:
                return depth
            if first < 0:
                return first
        if t >= 0:
            if USE_PRIORS:
                node = select_puct(stats, nodes, exact, priors, node, t, c)
            else:
                node = select_uct(stats, quick, nodes, exact, node, t, c)
        else:
            node = draw_child(g, s, nodes, node, r)
        node = index(node)
        fresh = stats[2 * node + VISITS] == 0.0 and not eager
        play(g, s, t, nodes[2 * node + MOVE])
        if SHARED or eager:
            add(stats, 2 * node + VISITS, 1.0)
            refresh(stats, quick, node)
        depth += 1
        path[depth] = node


def back_up(
    stats: Floats, quick: Quick, nodes: Words, path: Words, turns: Words, depth: int, out: Payoffs, arms: Floats,
    sums: Floats, counted: bool,
) -> None:  # fmt: skip
    """Add a simulation's payoffs along its path, and the visits too unless they were counted on the way down."""
    add(stats, 2 * ROOT + VISITS, 1.0)
    refresh(stats, quick, ROOT)
    for d in range(1, depth + 1):
        node = index(path[d])
        if not counted:
            stats[2 * node + VISITS] += 1.0
        add(stats, 2 * node + TOTAL, out[max(turns[d - 1], 0)] - LOW)
        refresh(stats, quick, node)
    for p in range(PLAYERS):
        sums[p] += out[p]
    v = out[max(turns[0], 0)]
    arm = arms.shape[0] - ARM
    arms[arm + SAMPLES] += 1.0
    arms[arm + SUM] += v
    arms[arm + SQUARES] += v * v
    if depth > 0:
        arm = ARM * (path[1] - first_child(nodes[2 * ROOT + LINK]))
        arms[arm + SAMPLES] += 1.0
        arms[arm + SUM] += v
        arms[arm + SQUARES] += v * v


def prove(nodes: Words, exact: Floats, path: Words, turns: Words, depth: int, v: float) -> None:
    """The leaf of a path is worth exactly v to seat 0: mark it, and every node above that this proves.

    A player's node is proven by one child of the best payoff there is, or when all children are; a chance node when all
    outcomes are worth the same. Proofs are only ever added, and exact values written before their marks.
    """
    node = index(path[depth])
    exact[node] = v
    nodes[2 * node + LINK] |= PROVEN
    for d in range(depth - 1, -1, -1):
        node = index(path[d])
        p = turns[d]
        link = nodes[2 * node + LINK]
        first = first_child(link)
        n = child_count(link)
        if link & SOME_PROVEN == 0:
            nodes[2 * node + LINK] = link | SOME_PROVEN
        sign = -1.0 if p == 1 else 1.0
        best = -np.inf
        known = 0
        for child in range(first, first + n):
            if nodes[2 * child + LINK] & PROVEN:
                known += 1
                if p == CHANCE:
                    if exact[child] != v:
                        return
                    best = v
                else:
                    best = max(best, sign * exact[child])
        if known < n and (p == CHANCE or best < HIGH):
            return
        v = sign * best
        exact[node] = v
        nodes[2 * node + LINK] |= PROVEN


def simulate(
    g: Ground, start: State, s: State, r: Rng, stats: Floats, quick: Quick, nodes: Words, exact: Floats,
    priors: Floats, pool: Words, c: float, cut: int, cap: int, path: Words, turns: Words, listed: Moves, joint: Moves,
    out: Payoffs, arms: Floats, sums: Floats, at_least: int, at_most: int, stop: StopFlag,
) -> int:  # fmt: skip
    """Simulations until a budget, a proof of the root, or the flag; returns how many, or an error."""
    done = 0
    while done < at_most and (done < at_least or stop[0] == 0):
        if SOLVE and nodes[2 * ROOT + LINK] & PROVEN:
            break
        for i in range(SIZE):
            s[i] = start[i]
        depth = descend(g, s, r, stats, quick, nodes, exact, priors, pool, c, path, turns, listed, False)
        if depth < 0:
            return depth
        leaf = index(path[depth])
        if SOLVE:
            if nodes[2 * leaf + LINK] & PROVEN:
                out[0] = exact[leaf]
                out[1] = -out[0]
            else:
                plies = playout(g, s, r, joint, cut, cap, out)
                if plies < 0:
                    return plies
                if turns[depth] == OVER:
                    prove(nodes, exact, path, turns, depth, out[0])
        else:
            plies = playout(g, s, r, joint, cut, cap, out)
            if plies < 0:
                return plies
        back_up(stats, quick, nodes, path, turns, depth, out, arms, sums, SHARED)
        done += 1
    return done


def gather(
    g: Ground, start: State, r: Rng, stats: Floats, quick: Quick, nodes: Words, exact: Floats, priors: Floats,
    pool: Words, c: float, states: Words, paths: Words, turns: Words, depths: Words, lists: Words, counts: Words,
    listed: Moves, joint: Moves, out: Payoffs, arms: Floats, sums: Floats, wanted: int, at_most: int, leaves: Words,
) -> int:  # fmt: skip
    """Walk until `wanted` leaves wait for a network, or `at_most` simulations are done; returns walks, or an error.

    Leaves that are over or proven are backed up at once. `leaves[0]` is how many wait; row i of the arrays is leaf i.
    """
    done = 0
    waiting = 0
    while waiting < wanted and done < at_most:
        if SOLVE and nodes[2 * ROOT + LINK] & PROVEN:
            break
        s = states[waiting]
        for i in range(SIZE):
            s[i] = start[i]
        depth = descend(
            g, s, r, stats, quick, nodes, exact, priors, pool, c, paths[waiting], turns[waiting], listed, True
        )
        if depth < 0:
            leaves[0] = waiting
            return depth
        done += 1
        t = turns[waiting, depth]
        leaf = index(paths[waiting, depth])
        ready = t == OVER
        if SOLVE and nodes[2 * leaf + LINK] & PROVEN:
            out[0] = exact[leaf]
            out[1] = -out[0]
            back_up(stats, quick, nodes, paths[waiting], turns[waiting], depth, out, arms, sums, True)
            continue
        if ready:
            playout(g, s, r, joint, 0, 1, out)
            if SOLVE:
                prove(nodes, exact, paths[waiting], turns[waiting], depth, out[0])
            back_up(stats, quick, nodes, paths[waiting], turns[waiting], depth, out, arms, sums, True)
            continue
        depths[waiting] = depth
        if t == CHANCE:
            counts[waiting] = 0
        else:
            counts[waiting] = moves(g, s, t, lists[waiting])
        waiting += 1
    leaves[0] = waiting
    return done


def absorb(
    g: Ground, states: Words, stats: Floats, quick: Quick, nodes: Words, exact: Floats, priors: Floats, pool: Words, paths: Words,
    turns: Words, depths: Words, lists: Words, counts: Words, listed: Moves, given: Floats, values: Floats,
    arms: Floats, sums: Floats, waiting: int,
) -> int:  # fmt: skip
    """Put a network's priors and values into the tree, one row a leaf that waits; returns 0, or STUCK."""
    for i in range(waiting):
        depth = depths[i]
        leaf = index(paths[i, depth])
        t = turns[i, depth]
        if nodes[2 * leaf + LINK] >> FLAG_BITS == 0:  # else an earlier row was the same leaf
            first = expand(g, states[i], t, stats, quick, nodes, priors, pool, leaf, listed)
            if first == STUCK:
                return STUCK
            if first >= 0 and t >= 0:
                for k in range(counts[i]):
                    priors[first + k] = given[i, k]
        back_up(stats, quick, nodes, paths[i], turns[i], depth, values[i], arms, sums, True)
    return 0


def copy_subtree(
    stats: Floats, quick: Quick, nodes: Words, exact: Floats, priors: Floats, root: int, to_stats: Floats,
    to_quick: Quick, to_nodes: Words, to_exact: Floats, to_priors: Floats, queue: Words, end: int,
) -> int:  # fmt: skip
    """Copy the tree below a node into another pool, breadth first; returns the nodes used. What does not fit stays leaf."""
    queue[0] = root
    for i in range(2):
        to_stats[i] = stats[2 * root + i]
        to_nodes[i] = nodes[2 * root + i]
    for i in range(QUICK):
        to_quick[i] = quick[QUICK * root + i]
    used = 1
    at = 0
    while at < used:
        old = queue[at]
        link = nodes[2 * old + LINK]
        n = child_count(link)
        first = first_child(link)
        if SOLVE:
            to_exact[at] = exact[old]
        if USE_PRIORS:
            to_priors[at] = priors[old]
        if used + n > end:
            to_nodes[2 * at + LINK] = link & PROVEN
        elif n > 0:
            to_nodes[2 * at + LINK] = (used << FIRST_SHIFT) | (n << FLAG_BITS) | (link & (PROVEN | SOME_PROVEN))
            for i in range(2 * n):
                to_stats[2 * used + i] = stats[2 * first + i]
                to_nodes[2 * used + i] = nodes[2 * first + i]
            for i in range(QUICK * n):
                to_quick[QUICK * used + i] = quick[QUICK * first + i]
            for k in range(n):
                queue[used + k] = first + k
            used += n
        at += 1
    return used


INLINED = (root_log, refresh, add, select_uct, select_puct, expand, draw_child, descend, back_up, prove, *PLAYOUT_PARTS)
