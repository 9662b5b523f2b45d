"""The tree of Monte-Carlo tree search as templates over kernels: walking down, growing, backing up, keeping.

`mcts` drives them. The parts that make one search differ from another are bound: how a child is selected and where priors come
from (`selection`), whether proofs are kept (`proofs`), whether walks share the tree (`traffic`).
"""

from __future__ import annotations

from stratagem.hints import index
from stratagem.kernel import CHANCE, OVER, PLAYERS, SIZE, Ground, Payoffs, State, count, moves, play, turn
from stratagem.search.budget import StopFlag
from stratagem.search.sampling.playouts import INLINED as PLAYOUT_PARTS
from stratagem.search.tree import cell, proofs, selection, traffic
from stratagem.search.tree.proofs import judge_leaf, proven
from stratagem.search.tree.records import Floats, Leaves, Tree, TreeLimits, Walk, Walker, Words
from stratagem.search.tree.selection import FRESH, child_count, first_child, give_priors
from stratagem.search.tree.traffic import credit, hand_in, link, step

NO_ROOM = -2  # the pool has ended: the node stays a leaf
STUCK = -3  # a player to decide has no move
WAITS = -6  # the node stays a leaf until a network has answered


def expand(g: Ground, s: State, t: int, tree: Tree, walker: Walker, node: int) -> int:
    """Children for every move or outcome in s, with their priors; returns the first, NO_ROOM, STUCK or BAD_PRIOR."""
    listed, pool = walker.listed, walker.pool
    if t == CHANCE:
        n = count(g, s, CHANCE)
    else:
        n = moves(g, s, t, listed)
    if n == 0:
        return STUCK
    first = pool[cell.NEXT]
    if first + n > pool[cell.END]:
        return NO_ROOM
    pool[cell.NEXT] = first + n
    for k in range(n):
        child = index(first + k)
        tree.stats[cell.PAIR * child + cell.VISITS] = 0.0
        tree.stats[cell.PAIR * child + cell.TOTAL] = 0.0
        tree.quick[cell.QUICK * child + cell.MEAN] = 0.0
        tree.quick[cell.QUICK * child + cell.SPREAD] = cell.UNTRIED
        tree.quick[cell.QUICK * child + cell.LOGS] = 0.0
        tree.firsts[cell.QUICK * child + cell.FIRST] = 0
        tree.nodes[cell.PAIR * child + cell.MOVE] = k if t == CHANCE else listed[k]
        tree.nodes[cell.PAIR * child + cell.KIND] = 0
    wrong = give_priors(g, s, t, tree, listed, first, n)
    if wrong < 0:
        return wrong
    tree.nodes[cell.PAIR * node + cell.KIND] |= n << cell.FLAG_BITS
    linked = link(tree.firsts, cell.QUICK * node + cell.FIRST, first)
    if linked != first:  # another thread was quicker
        pool[cell.NEXT] = first
    return linked


def await_network(g: Ground, s: State, t: int, tree: Tree, walker: Walker, node: int) -> int:
    """A walk for a network stops at every node that has no children yet."""
    return WAITS


grow = expand  # or `await_network`


def descend(g: Ground, tree: Tree, walker: Walker, walk: Walk, c: float) -> int:
    """Walk from the root to a leaf, playing the moves on the walk's state. Returns the leaf's depth, or an error.

    A leaf is over, proven, on its first visit, out of room, or waits for a network.
    """
    s = walk.state
    depth = 0
    node = cell.ROOT
    first = first_child(tree, cell.ROOT)
    walk.path[0] = cell.ROOT
    while True:
        t = turn(g, s)
        walk.turns[depth] = t
        if t == OVER or first == FRESH or depth + 1 >= cell.PATH:
            return depth
        if proven(tree, node):
            return depth
        if first == 0:
            first = grow(g, s, t, tree, walker, node)
            if first in (NO_ROOM, WAITS):
                return depth
            if first < 0:
                return first
        node, first = step(g, tree, walker, walk, t, node, first, c)
        node = index(node)
        play(g, s, t, tree.nodes[cell.PAIR * node + cell.MOVE])
        depth += 1
        walk.path[depth] = node


def back_up(tree: Tree, walker: Walker, walk: Walk, depth: int, out: Payoffs) -> None:
    """Add a simulation's payoffs along its path, and to what this search itself has seen."""
    credit(tree, walker, walk, depth, out)
    for p in range(PLAYERS):
        walker.sums[p] += out[p]
    v = out[max(walk.turns[0], 0)]
    tally(walker.arms, walker.arms.shape[0] - cell.ARM, v)
    if depth > 0:
        tally(walker.arms, cell.ARM * (walk.path[1] - first_child(tree, cell.ROOT)), v)


def tally(arms: Floats, arm: int, v: float) -> None:
    arms[arm + cell.SAMPLES] += 1.0
    arms[arm + cell.SUM] += v
    arms[arm + cell.SQUARES] += v * v


def simulate(g: Ground, start: State, tree: Tree, walker: Walker, limits: TreeLimits, stop: StopFlag) -> int:
    """Simulations until a budget, a proof of the root, or the flag; returns how many, or an error."""
    walk = walker.walk
    done = 0
    while done < limits.at_most and (done < limits.at_least or stop[0] == 0):
        if proven(tree, cell.ROOT):
            break
        for i in range(SIZE):
            walk.state[i] = start[i]
        depth = descend(g, tree, walker, walk, limits.exploration)
        if depth < 0:
            return depth
        plies = judge_leaf(g, tree, walker, walk, depth, limits)
        if plies < 0:
            return plies
        back_up(tree, walker, walk, depth, walker.out)
        done += 1
    hand_in(tree, walker)
    return done


# ---- networks


def waiting_walk(leaves: Leaves, i: int) -> Walk:
    """The walk of row i."""
    return Walk(leaves.states[i], leaves.paths[i], leaves.turns[i])


def gather(g: Ground, start: State, tree: Tree, walker: Walker, leaves: Leaves, limits: TreeLimits) -> int:
    """Walk until every row has a leaf that waits for a network, or so many simulations are done; returns walks, or an error.

    Leaves that are over or proven are backed up at once.
    """
    done = 0
    leaves.waiting[0] = 0
    while leaves.waiting[0] < leaves.depths.shape[0] and done < limits.at_most:
        if proven(tree, cell.ROOT):
            break
        i = leaves.waiting[0]
        walk = waiting_walk(leaves, i)
        for x in range(SIZE):
            walk.state[x] = start[x]
        depth = descend(g, tree, walker, walk, limits.exploration)
        if depth < 0:
            return depth
        done += 1
        t = walk.turns[depth]
        if t == OVER or proven(tree, index(walk.path[depth])):
            plies = judge_leaf(g, tree, walker, walk, depth, limits)
            if plies < 0:
                return plies
            back_up(tree, walker, walk, depth, walker.out)
            continue
        leaves.depths[i] = depth
        leaves.counts[i] = 0 if t == CHANCE else moves(g, walk.state, t, leaves.lists[i])
        leaves.waiting[0] += 1
    return done


def absorb(g: Ground, tree: Tree, walker: Walker, leaves: Leaves, priors: Floats, values: Floats) -> int:
    """Put a network's priors and values into the tree, one row a leaf that waits; returns 0, or STUCK."""
    for i in range(leaves.waiting[0]):
        walk = waiting_walk(leaves, i)
        depth = leaves.depths[i]
        leaf = index(walk.path[depth])
        t = walk.turns[depth]
        if first_child(tree, leaf) == 0:  # else an earlier row was the same leaf
            first = expand(g, walk.state, t, tree, walker, leaf)
            if first == STUCK:
                return STUCK
            if first >= 0 and t >= 0:
                for k in range(leaves.counts[i]):
                    tree.priors[first + k] = priors[i, k]
        back_up(tree, walker, walk, depth, values[i])
    return 0


# ---- keeping what is known


def copy_subtree(tree: Tree, root: int, to: Tree, queue: Words, end: int) -> int:
    """Copy the tree below a node into another, breadth first; returns the nodes used. What does not fit stays leaf."""
    queue[0] = root
    for i in range(cell.PAIR):
        to.stats[i] = tree.stats[cell.PAIR * root + i]
        to.nodes[i] = tree.nodes[cell.PAIR * root + i]
    for i in range(cell.QUICK):
        to.quick[i] = tree.quick[cell.QUICK * root + i]
    used = 1
    at = 0
    while at < used:
        old = queue[at]
        n = child_count(tree, old)
        first = first_child(tree, old)
        if tree.exact.shape[0] > 1:  # else there are no proofs, and the array is one cell
            to.exact[at] = tree.exact[old]
        if tree.priors.shape[0] > 1:
            to.priors[at] = tree.priors[old]
        if first == 0 or used + n > end:
            to.firsts[cell.QUICK * at + cell.FIRST] = 0
            to.nodes[cell.PAIR * at + cell.KIND] = tree.nodes[cell.PAIR * old + cell.KIND] & cell.PROVEN
        else:
            to.firsts[cell.QUICK * at + cell.FIRST] = used
            for i in range(cell.PAIR * n):
                to.stats[cell.PAIR * used + i] = tree.stats[cell.PAIR * first + i]
                to.nodes[cell.PAIR * used + i] = tree.nodes[cell.PAIR * first + i]
            for i in range(cell.QUICK * n):
                to.quick[cell.QUICK * used + i] = tree.quick[cell.QUICK * first + i]
            for k in range(n):
                queue[used + k] = first + k
            used += n
        at += 1
    return used


INLINED = (
    expand,
    await_network,
    descend,
    back_up,
    tally,
    waiting_walk,
    *selection.PARTS,
    *proofs.PARTS,
    *traffic.PARTS,
    *PLAYOUT_PARTS,
)
