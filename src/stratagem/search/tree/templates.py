"""The tree of Monte-Carlo tree search as templates over kernels: walking down, growing, backing up, proving.

The tree is flat arrays. The children of a node lie together, so that a selection reads two or three cache lines; a node
expands at its second visit; logarithms and roots come from tables; the way down is a path array. A value in a node is for the
player who moved into it, so that selection compares neighbours without a sign. `mcts` drives it.

A walk is one chain of dependent reads, and nearly all its time is waiting for them. So all that a step needs lies side by side:
a child's score and where its own children are, which is then known as soon as the child is chosen, and chosen without a branch.

Arrays of several columns are passed flat, and node numbers are marked (`index`) where they are read: the compiler then knows
that they are not negative, and need not ask at every access whether to count from the end.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.hints import index, pick
from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    NO_MOVE,
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
from stratagem.rng import Rng, unit
from stratagem.search.running import StopFlag
from stratagem.search.sampling.playouts import INLINED as PLAYOUT_PARTS
from stratagem.search.sampling.playouts import playout

Floats = NDArray[np.float64]
Quick = NDArray[np.float32]
Firsts = NDArray[np.int32]
Words = NDArray[np.int64]

# `stats`, a float64 pair a node: visits, and the sum of payoffs above LOW to the player who moved into it
# (so that a walk under way, its visit counted and its payoff still to come, counts as lost: the virtual loss)
VISITS, TOTAL = 0, 1
# `quick`, four cells of four bytes a node. What UCT compares: the mean above LOW, 1 / sqrt(visits), and for its own children
# sqrt(log visits); derived from `stats` whenever those change, so that a walk waits for no logarithm or root. A proven node has
# its exact value for a mean and no spread. The last cell is an int32, the node's first child or 0; `firsts` is the same memory.
MEAN, SPREAD, LOGS, FIRST = 0, 1, 2, 3
QUICK = 4
UNTRIED = 1e30  # the spread of a child without visits: it comes before every other
MOST_NODES = 2**31 - 1  # that FIRST can tell apart
# `nodes`, a pair of words a node: the move into the node, and its kind: number of children << 4 | flags
MOVE, KIND = 0, 1
PROVEN = 1  # this node's value is exact
FLAG_BITS = 4
# cells of `pool`: the next free node and the end of a thread's range
NEXT, END = 0, 1
# `parcels`, five numbers a slot: the walks that a thread takes through a node that all threads know well (see `allot`)
NODE, CHILD, LEFT, GAIN, MOVER = 0, 1, 2, 3, 4
PARCEL = 5
SLOTS = 1024
PARTS = 64.0  # a parcel is such a part of the child's visits
LARGEST = 256.0  # and at most so many
WELL_KNOWN = 0.125  # the spread, 1 / sqrt(visits), from which on a node's children are taken by parcels
# `arms`, three numbers a root child, and three more for the root itself: this search's own count, sum, squares
SAMPLES, SUM, SQUARES = 0, 1, 2
ARM = 3

ROOT, NO_NODE = 0, -1
NO_ROOM = -2
FRESH = -1  # in place of a first child: the walk is the first to come here
STUCK = -3  # a player to decide has no move
BAD_PRIOR = -4  # a prior kernel gives NaN, an infinity or a negative number
PATH = 1024  # the deepest a path goes into the tree; deeper nodes stay leaves

# bound for each search
USE_PRIORS: bool = cast(Any, Unbound("USE_PRIORS"))  # PUCT in place of UCT
PRIOR_KERNEL: bool = cast(Any, Unbound("PRIOR_KERNEL"))  # priors come from a kernel, not from a network
SOLVE: bool = cast(Any, Unbound("SOLVE"))  # proofs are kept; for two players whose payoffs add up to nothing
SHARED: bool = cast(Any, Unbound("SHARED"))  # several threads in one tree

# Counts are looked up by the highest eight bits of a float64, its exponent and the start of its mantissa: without a branch, and
# for all counts up to 2**32. Below 256 that is exact, from there to within 0.4 % of a count, in the middle of its bin.
TABULATED = 4096
BELOW_BIN = 45  # bits of a float64 that do not tell
BIN_OF_ONE, BIN_OF_256 = 1023 << 7, 8 << 7
BINS = np.arange(TABULATED)
COUNTS = ((BINS + BIN_OF_ONE << BELOW_BIN) + (BINS >= BIN_OF_256) * (1 << BELOW_BIN - 1)).view(np.float64)
INVERSE_ROOT = (1.0 / np.sqrt(COUNTS)).astype(np.float32)
ROOT_LOG = np.sqrt(np.log(COUNTS)).astype(np.float32)
ROOT_LOG[0] = 1e-9  # a node of one visit: the bonus is nothing, yet a child never tried still comes first


def prior(g: Ground, s: State, p: int, m: int) -> float:
    """How likely move m of player p is to be good: a weight of at least 0, made to add up to 1 over a node's moves."""
    return 1.0


def link(firsts: Firsts, at: int, first: int) -> int:
    """Put a first child in its place, and return which one is there: where threads share a tree, another may have been quicker.

    Then it is one step, in which the children are written before the link to them is."""
    firsts[at] = first
    return first


def add(array: Floats, at: int, x: float) -> None:
    """Where threads share a tree, an atomic addition: racing ones would lose up to a tenth near the root."""
    array[at] += x


def first_child(firsts: Firsts, node: int) -> int:
    return int(firsts[QUICK * node + FIRST])


def child_count(kind: int) -> int:
    return kind >> FLAG_BITS


def refresh(stats: Floats, quick: Quick, nodes: Words, exact: Floats, node: int, p: int) -> None:
    """What UCT compares, anew from the visits and the total, or the proof, of a node that player p moved into."""
    n = stats[2 * node + VISITS]
    k = index(min((int(np.float64(n).view(np.int64)) >> BELOW_BIN) - BIN_OF_ONE, TABULATED - 1))
    quick[QUICK * node + LOGS] = ROOT_LOG[k]
    quick[QUICK * node + SPREAD] = INVERSE_ROOT[k]
    quick[QUICK * node + MEAN] = stats[2 * node + TOTAL] * np.divide(1.0, n)
    if SOLVE and nodes[2 * node + KIND] & PROVEN:
        quick[QUICK * node + SPREAD] = 0.0
        quick[QUICK * node + MEAN] = (-exact[node] if p == 1 else exact[node]) - LOW


def count_visits(
    stats: Floats, quick: Quick, nodes: Words, exact: Floats, node: int, child: int, p: int, n: float
) -> None:
    """Count walks before they are made, as losses, so that other walks under way go elsewhere; p moved from node to child."""
    add(stats, 2 * child + VISITS, n)
    refresh(stats, quick, nodes, exact, child, p)
    if node == ROOT:
        add(stats, 2 * ROOT + VISITS, n)
        refresh(stats, quick, nodes, exact, ROOT, NO_MOVE)


def slot_of(node: int) -> int:
    return PARCEL * (node & (SLOTS - 1))


def allot(
    stats: Floats, quick: Quick, nodes: Words, exact: Floats, parcels: Floats, node: int, child: int, p: int
) -> None:
    """From node, which all threads know well, this one will go on to a child for a 64th as many walks as went there.

    Cells near the root are wanted by all threads at every simulation, and each store takes them out of the caches of the others:
    that cost more than the simulations. So a thread counts a parcel of visits at once, which sends the others elsewhere, and
    adds the payoffs when they are all there (`settle`). In between it need not touch these cells."""
    settle(stats, quick, nodes, exact, parcels, slot_of(node))
    spread = np.float64(quick[QUICK * child + SPREAD])
    walks = 1.0
    if 0.0 < spread < WELL_KNOWN:  # a proven child has none
        walks = min(np.floor(1.0 / (PARTS * spread * spread)), LARGEST)
    slot = index(slot_of(node))
    parcels[slot + NODE] = node
    parcels[slot + CHILD] = child
    parcels[slot + LEFT] = walks
    parcels[slot + GAIN] = 0.0
    parcels[slot + MOVER] = p
    count_visits(stats, quick, nodes, exact, node, child, p, walks)


def goes_on(nodes: Words, parcels: Floats, node: int) -> bool:
    """Whether this thread has walks left of a parcel through a node."""
    slot = index(slot_of(node))
    if parcels[slot + NODE] != node or parcels[slot + LEFT] == 0.0:
        return False
    return not (SOLVE and nodes[2 * index(int(parcels[slot + CHILD])) + KIND] & PROVEN)


def settle(stats: Floats, quick: Quick, nodes: Words, exact: Floats, parcels: Floats, slot: int) -> None:
    """End a parcel: what was gained is added, and visits that were not made are taken back."""
    slot = index(slot)
    if parcels[slot + NODE] == NO_NODE:
        return
    node, child = int(parcels[slot + NODE]), index(int(parcels[slot + CHILD]))
    add(stats, 2 * child + TOTAL, parcels[slot + GAIN])
    count_visits(stats, quick, nodes, exact, node, child, int(parcels[slot + MOVER]), -parcels[slot + LEFT])
    parcels[slot + NODE] = NO_NODE


def select_uct(quick: Quick, firsts: Firsts, nodes: Words, node: int, first: int, c: float) -> tuple[int, int]:
    """The child of the highest upper confidence bound, and its own first child; children never tried come first, in order."""
    bonus = np.float32(c) * quick[QUICK * node + LOGS]
    best = np.float32(-1.0)  # means are above LOW, so every score is at least 0
    chosen = first
    below = 0
    for k in range(child_count(nodes[2 * node + KIND])):
        child = index(first + k)
        spread = quick[QUICK * child + SPREAD]
        if spread == np.float32(UNTRIED):
            return child, FRESH
        score = quick[QUICK * child + MEAN] + bonus * spread
        better = score > best
        best = max(score, best)
        chosen = pick(better, child, chosen)
        below = pick(better, first_child(firsts, child), below)
    return chosen, below


def select_puct(
    stats: Floats, nodes: Words, exact: Floats, priors: Floats, node: int, first: int, p: int, c: float
) -> int:
    """The child of the highest value plus prior bonus; one never tried counts as the mean of its tried siblings."""
    n = child_count(nodes[2 * node + KIND])
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
        if SOLVE and nodes[2 * child + KIND] & PROVEN:
            score = (exact[child] if p == 0 else -exact[child]) - LOW
        if score > best:
            best = score
            chosen = child
    return chosen


def expand(
    g: Ground, s: State, t: int, stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, priors: Floats, pool: Words,
    node: int, listed: Moves,
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
        firsts[QUICK * child + FIRST] = 0
        nodes[2 * child + MOVE] = k if t == CHANCE else listed[k]
        nodes[2 * child + KIND] = 0
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
    nodes[2 * node + KIND] |= n << FLAG_BITS
    linked = link(firsts, QUICK * node + FIRST, first)
    if SHARED and linked != first:
        pool[NEXT] = first
    return linked


def draw_child(g: Ground, s: State, nodes: Words, node: int, first: int, r: Rng) -> int:
    """A child of a chance node by its odds."""
    n = child_count(nodes[2 * node + KIND])
    x = unit(r)
    for k in range(n - 1):
        x -= odds(g, s, k)
        if x < 0.0:
            return first + k
    return first + n - 1


def descend(
    g: Ground, s: State, r: Rng, stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats, priors: Floats,
    pool: Words, c: float, path: Words, turns: Words, parcels: Floats, listed: Moves, eager: bool,
) -> int:  # fmt: skip
    """Walk from the root to a leaf, playing the moves on s. Returns the leaf's depth, or an error.

    `path` gets the nodes, `turns` who decides in each. A leaf is over, proven, on its first visit, or out of room; an
    eager walk (for networks) stops at every node that has no children yet.
    """
    depth = 0
    node = ROOT
    first = first_child(firsts, ROOT)
    path[0] = ROOT
    while True:
        t = turn(g, s)
        turns[depth] = t
        if t == OVER or first == FRESH or depth + 1 >= PATH:
            return depth
        if SOLVE and nodes[2 * node + KIND] & PROVEN:
            return depth
        if first == 0:
            if eager:
                return depth
            first = expand(g, s, t, stats, quick, firsts, nodes, priors, pool, node, listed)
            if first == NO_ROOM:
                return depth
            if first < 0:
                return first
        parent = node
        by_parcel = SHARED and t >= 0 and quick[QUICK * parent + SPREAD] < np.float32(WELL_KNOWN)
        if by_parcel and goes_on(nodes, parcels, parent):
            node = index(int(parcels[slot_of(parent) + CHILD]))
            first = first_child(firsts, node)
        else:
            if t >= 0 and not USE_PRIORS:
                node, first = select_uct(quick, firsts, nodes, node, first, c)
            else:
                if t >= 0:
                    node = select_puct(stats, nodes, exact, priors, node, first, t, c)
                else:
                    node = draw_child(g, s, nodes, node, first, r)
                first = first_child(firsts, node)
                if stats[2 * node + VISITS] == 0.0 and not eager:
                    first = FRESH
            node = index(node)
            if by_parcel:
                allot(stats, quick, nodes, exact, parcels, parent, node, t)
            elif SHARED or eager:
                count_visits(stats, quick, nodes, exact, parent, node, t, 1.0)
        if by_parcel:
            parcels[index(slot_of(parent)) + LEFT] -= 1.0
        play(g, s, t, nodes[2 * node + MOVE])
        depth += 1
        path[depth] = node


def back_up(
    stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats, path: Words, turns: Words, parcels: Floats,
    depth: int, out: Payoffs, arms: Floats, sums: Floats, counted: bool,
) -> None:  # fmt: skip
    """Add a simulation's payoffs along its path, and the visits too unless they were counted on the way down."""
    if not counted:
        stats[2 * ROOT + VISITS] += 1.0
        refresh(stats, quick, nodes, exact, ROOT, NO_MOVE)
    for d in range(1, depth + 1):
        node = index(path[d])
        gain = out[max(turns[d - 1], 0)] - LOW
        if SHARED:
            slot = index(slot_of(path[d - 1]))
            if parcels[slot + NODE] == path[d - 1] and parcels[slot + CHILD] == node:
                parcels[slot + GAIN] += gain
                if SOLVE and nodes[2 * node + KIND] & PROVEN:
                    settle(stats, quick, nodes, exact, parcels, slot)
                continue
        if not counted:
            stats[2 * node + VISITS] += 1.0
        add(stats, 2 * node + TOTAL, gain)
        refresh(stats, quick, nodes, exact, node, turns[d - 1])
    for p in range(PLAYERS):
        sums[p] += out[p]
    v = out[max(turns[0], 0)]
    arm = arms.shape[0] - ARM
    arms[arm + SAMPLES] += 1.0
    arms[arm + SUM] += v
    arms[arm + SQUARES] += v * v
    if depth > 0:
        arm = ARM * (path[1] - first_child(firsts, ROOT))
        arms[arm + SAMPLES] += 1.0
        arms[arm + SUM] += v
        arms[arm + SQUARES] += v * v


def prove(firsts: Firsts, nodes: Words, exact: Floats, path: Words, turns: Words, depth: int, v: float) -> None:
    """The leaf of a path is worth exactly v to seat 0: mark it, and every node above that this proves.

    A player's node is proven by one child of the best payoff there is, or when all children are; a chance node when all
    outcomes are worth the same. Proofs are only ever added, and exact values written before their marks.
    """
    node = index(path[depth])
    exact[node] = v
    nodes[2 * node + KIND] |= PROVEN
    for d in range(depth - 1, -1, -1):
        node = index(path[d])
        p = turns[d]
        first = first_child(firsts, node)
        n = child_count(nodes[2 * node + KIND])
        sign = -1.0 if p == 1 else 1.0
        best = -np.inf
        known = 0
        for child in range(first, first + n):
            if nodes[2 * child + KIND] & PROVEN:
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
        nodes[2 * node + KIND] |= PROVEN


def simulate(
    g: Ground, start: State, s: State, r: Rng, stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats,
    priors: Floats, pool: Words, c: float, cut: int, cap: int, path: Words, turns: Words, parcels: Floats, listed: Moves,
    joint: Moves, out: Payoffs, arms: Floats, sums: Floats, at_least: int, at_most: int, stop: StopFlag,
) -> int:  # fmt: skip
    """Simulations until a budget, a proof of the root, or the flag; returns how many, or an error."""
    done = 0
    while done < at_most and (done < at_least or stop[0] == 0):
        if SOLVE and nodes[2 * ROOT + KIND] & PROVEN:
            break
        for i in range(SIZE):
            s[i] = start[i]
        depth = descend(
            g, s, r, stats, quick, firsts, nodes, exact, priors, pool, c, path, turns, parcels, listed, False
        )
        if depth < 0:
            return depth
        leaf = index(path[depth])
        if SOLVE:
            if nodes[2 * leaf + KIND] & PROVEN:
                out[0] = exact[leaf]
                out[1] = -out[0]
            else:
                plies = playout(g, s, r, joint, cut, cap, out)
                if plies < 0:
                    return plies
                if turns[depth] == OVER:
                    prove(firsts, nodes, exact, path, turns, depth, out[0])
        else:
            plies = playout(g, s, r, joint, cut, cap, out)
            if plies < 0:
                return plies
        back_up(stats, quick, firsts, nodes, exact, path, turns, parcels, depth, out, arms, sums, SHARED)
        done += 1
    if SHARED:
        for slot in range(0, PARCEL * SLOTS, PARCEL):
            settle(stats, quick, nodes, exact, parcels, slot)
    return done


def gather(
    g: Ground, start: State, r: Rng, stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats, priors: Floats,
    pool: Words, c: float, states: Words, paths: Words, turns: Words, parcels: Floats, depths: Words, lists: Words,
    counts: Words, listed: Moves, joint: Moves, out: Payoffs, arms: Floats, sums: Floats, wanted: int, at_most: int,
    leaves: Words,
) -> int:  # fmt: skip
    """Walk until `wanted` leaves wait for a network, or `at_most` simulations are done; returns walks, or an error.

    Leaves that are over or proven are backed up at once. `leaves[0]` is how many wait; row i of the arrays is leaf i.
    """
    done = 0
    waiting = 0
    while waiting < wanted and done < at_most:
        if SOLVE and nodes[2 * ROOT + KIND] & PROVEN:
            break
        s = states[waiting]
        for i in range(SIZE):
            s[i] = start[i]
        path, movers = paths[waiting], turns[waiting]
        depth = descend(
            g, s, r, stats, quick, firsts, nodes, exact, priors, pool, c, path, movers, parcels, listed, True
        )
        if depth < 0:
            leaves[0] = waiting
            return depth
        done += 1
        t = movers[depth]
        leaf = index(path[depth])
        known = SOLVE and nodes[2 * leaf + KIND] & PROVEN != 0
        if SOLVE and known:
            out[0] = exact[leaf]
            out[1] = -out[0]
        elif t == OVER:
            plies = playout(g, s, r, joint, 0, 1, out)
            if plies < 0:
                leaves[0] = waiting
                return plies
            if SOLVE:
                prove(firsts, nodes, exact, path, movers, depth, out[0])
        if known or t == OVER:
            back_up(stats, quick, firsts, nodes, exact, path, movers, parcels, depth, out, arms, sums, True)
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
    g: Ground, states: Words, stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats, priors: Floats,
    pool: Words, paths: Words, turns: Words, parcels: Floats, depths: Words, lists: Words, counts: Words, listed: Moves,
    given: Floats, values: Floats, arms: Floats, sums: Floats, waiting: int,
) -> int:  # fmt: skip
    """Put a network's priors and values into the tree, one row a leaf that waits; returns 0, or STUCK."""
    for i in range(waiting):
        depth = depths[i]
        leaf = index(paths[i, depth])
        t = turns[i, depth]
        if first_child(firsts, leaf) == 0:  # else an earlier row was the same leaf
            first = expand(g, states[i], t, stats, quick, firsts, nodes, priors, pool, leaf, listed)
            if first == STUCK:
                return STUCK
            if first >= 0 and t >= 0:
                for k in range(counts[i]):
                    priors[first + k] = given[i, k]
        back_up(stats, quick, firsts, nodes, exact, paths[i], turns[i], parcels, depth, values[i], arms, sums, True)
    return 0


def copy_subtree(
    stats: Floats, quick: Quick, firsts: Firsts, nodes: Words, exact: Floats, priors: Floats, root: int, to_stats: Floats,
    to_quick: Quick, to_firsts: Firsts, to_nodes: Words, to_exact: Floats, to_priors: Floats, queue: Words, end: int,
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
        kind = nodes[2 * old + KIND]
        n = child_count(kind)
        first = first_child(firsts, old)
        if SOLVE:
            to_exact[at] = exact[old]
        if USE_PRIORS:
            to_priors[at] = priors[old]
        if first == 0 or used + n > end:
            to_firsts[QUICK * at + FIRST] = 0
            to_nodes[2 * at + KIND] = kind & PROVEN
        else:
            to_firsts[QUICK * at + FIRST] = used
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


PARCELS = (count_visits, slot_of, allot, goes_on, settle)
INLINED = (refresh, add, *PARCELS, select_uct, select_puct, expand, draw_child, descend, back_up, prove, *PLAYOUT_PARTS)
