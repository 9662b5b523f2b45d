"""How walks keep out of each other's way: one at a time, several under way, or threads in one tree.

Three functions are bound together. `step` goes on from a node to a child; `credit` adds a simulation's payoffs along its path;
`hand_in` ends what a thread still holds. A walk under way counts as lost (virtual loss: Chaslot, Winands, van den Herik,
*Parallel Monte-Carlo tree search*, 2008), so that others go elsewhere meanwhile.

Cells near the root are wanted by all threads at every simulation, and each store takes them out of the caches of the others: that
cost more than the simulations. So from a node that all know well a thread counts a batch of visits at once, which sends the
others elsewhere, and adds the payoffs when they are all there. In between it need not touch these cells.
"""

from __future__ import annotations

import numpy as np

from stratagem.hints import index
from stratagem.kernel import LOW, NO_MOVE, Ground, Payoffs
from stratagem.search.tree import cell
from stratagem.search.tree.proofs import proven
from stratagem.search.tree.records import Firsts, Floats, Tree, Walk, Walker
from stratagem.search.tree.selection import below_or_fresh, draw_child, first_child, refresh, select

SHARES = 64.0  # a batch is such a part of the child's visits
LARGEST = 256.0  # and at most so many
WELL_KNOWN = 0.125  # the spread, 1 / sqrt(visits), from which on a node's children are taken by batches


def link(firsts: Firsts, at: int, first: int) -> int:
    """Put a first child in its place, and return which one is there: where threads share a tree, another may have been quicker.

    Then it is one step, in which the children are written before the link to them is."""
    firsts[at] = first
    return first


def add(array: Floats, at: int, x: float) -> None:
    """Where threads share a tree, an atomic addition: racing ones would lose up to a tenth near the root."""
    array[at] += x


# ---- one walk at a time


def step_alone(
    g: Ground, tree: Tree, walker: Walker, walk: Walk, t: int, node: int, first: int, c: float
) -> tuple[int, int]:
    """The child that a walk goes on to from a node, and that child's own first child, or FRESH."""
    if t >= 0:
        return select(tree, node, first, t, c)
    child = index(draw_child(g, walk.state, tree, node, first, walker.rng))
    return child, below_or_fresh(tree, child)


def credit_alone(tree: Tree, walker: Walker, walk: Walk, depth: int, out: Payoffs) -> None:
    """Visits and payoffs at once."""
    tree.stats[cell.PAIR * cell.ROOT + cell.VISITS] += 1.0
    refresh(tree, cell.ROOT, NO_MOVE)
    for d in range(1, depth + 1):
        node = index(walk.path[d])
        tree.stats[cell.PAIR * node + cell.VISITS] += 1.0
        tree.stats[cell.PAIR * node + cell.TOTAL] += out[max(walk.turns[d - 1], 0)] - LOW
        refresh(tree, node, walk.turns[d - 1])


def nothing_to_hand_in(tree: Tree, walker: Walker) -> None:
    """All is in the tree."""


# ---- several walks under way


def count_visits(tree: Tree, node: int, child: int, p: int, n: float) -> None:
    """Count walks before they are made, as losses, so that other walks under way go elsewhere; p moved from node to child."""
    add(tree.stats, cell.PAIR * child + cell.VISITS, n)
    refresh(tree, child, p)
    if node == cell.ROOT:
        add(tree.stats, cell.PAIR * cell.ROOT + cell.VISITS, n)
        refresh(tree, cell.ROOT, NO_MOVE)


def step_counted(
    g: Ground, tree: Tree, walker: Walker, walk: Walk, t: int, node: int, first: int, c: float
) -> tuple[int, int]:
    """The same, with the visit counted."""
    child, below = step_alone(g, tree, walker, walk, t, node, first, c)
    child = index(child)
    count_visits(tree, node, child, t, 1.0)
    return child, below


def credit_counted(tree: Tree, walker: Walker, walk: Walk, depth: int, out: Payoffs) -> None:
    """The payoffs alone: the visits were counted on the way down."""
    for d in range(1, depth + 1):
        node = index(walk.path[d])
        add(tree.stats, cell.PAIR * node + cell.TOTAL, out[max(walk.turns[d - 1], 0)] - LOW)
        refresh(tree, node, walk.turns[d - 1])


# ---- threads in one tree


def slot_of(node: int) -> int:
    return cell.BATCH * (node & (cell.SLOTS - 1))


def settle(tree: Tree, batches: Floats, slot: int) -> None:
    """End a batch: what was gained is added, and visits that were not made are taken back."""
    slot = index(slot)
    if batches[slot + cell.NODE] == cell.NO_NODE:
        return
    node, child = int(batches[slot + cell.NODE]), index(int(batches[slot + cell.CHILD]))
    add(tree.stats, cell.PAIR * child + cell.TOTAL, batches[slot + cell.GAIN])
    count_visits(tree, node, child, int(batches[slot + cell.MOVER]), -batches[slot + cell.LEFT])
    batches[slot + cell.NODE] = cell.NO_NODE


def allot(tree: Tree, batches: Floats, node: int, child: int, p: int) -> None:
    """From node, which all threads know well, this one will go on to a child for a 64th as many walks as went there."""
    settle(tree, batches, slot_of(node))
    spread = np.float64(tree.quick[cell.QUICK * child + cell.SPREAD])
    walks = 1.0
    if 0.0 < spread < WELL_KNOWN:  # a proven child has none
        walks = min(np.floor(1.0 / (SHARES * spread * spread)), LARGEST)
    slot = index(slot_of(node))
    batches[slot + cell.NODE] = node
    batches[slot + cell.CHILD] = child
    batches[slot + cell.LEFT] = walks
    batches[slot + cell.GAIN] = 0.0
    batches[slot + cell.MOVER] = p
    count_visits(tree, node, child, p, walks)


def goes_on(tree: Tree, batches: Floats, node: int) -> bool:
    """Whether this thread has walks left of a batch through a node."""
    slot = index(slot_of(node))
    if batches[slot + cell.NODE] != node or batches[slot + cell.LEFT] == 0.0:
        return False
    return not proven(tree, index(int(batches[slot + cell.CHILD])))


def step_by_parcel(
    g: Ground, tree: Tree, walker: Walker, walk: Walk, t: int, node: int, first: int, c: float
) -> tuple[int, int]:
    """The same by batches, where the node is well known."""
    if t < 0 or tree.quick[cell.QUICK * node + cell.SPREAD] >= np.float32(WELL_KNOWN):
        return step_counted(g, tree, walker, walk, t, node, first, c)
    if goes_on(tree, walker.batches, node):
        child = index(int(walker.batches[slot_of(node) + cell.CHILD]))
        below = first_child(tree, child)
    else:
        child, below = select(tree, node, first, t, c)
        child = index(child)
        allot(tree, walker.batches, node, child, t)
    walker.batches[index(slot_of(node)) + cell.LEFT] -= 1.0
    return child, below


def credit_by_parcel(tree: Tree, walker: Walker, walk: Walk, depth: int, out: Payoffs) -> None:
    """The payoffs to the batches that the walk was part of, and where there was none to the tree."""
    for d in range(1, depth + 1):
        node = index(walk.path[d])
        gain = out[max(walk.turns[d - 1], 0)] - LOW
        slot = index(slot_of(walk.path[d - 1]))
        if walker.batches[slot + cell.NODE] == walk.path[d - 1] and walker.batches[slot + cell.CHILD] == node:
            walker.batches[slot + cell.GAIN] += gain
            if proven(tree, node):
                settle(tree, walker.batches, slot)
        else:
            add(tree.stats, cell.PAIR * node + cell.TOTAL, gain)
            refresh(tree, node, walk.turns[d - 1])


def settle_all(tree: Tree, walker: Walker) -> None:
    """End every batch."""
    for slot in range(0, cell.BATCH * cell.SLOTS, cell.BATCH):
        settle(tree, walker.batches, slot)


step, credit, hand_in = step_alone, credit_alone, nothing_to_hand_in  # or those of one of these
ALONE = {"step": step_alone, "credit": credit_alone, "hand_in": nothing_to_hand_in}
COUNTED = {"step": step_counted, "credit": credit_counted, "hand_in": nothing_to_hand_in}
BY_PARCEL = {"step": step_by_parcel, "credit": credit_by_parcel, "hand_in": settle_all}
PARTS = (
    add,
    step_alone,
    credit_alone,
    nothing_to_hand_in,
    count_visits,
    step_counted,
    credit_counted,
    slot_of,
    settle,
    allot,
    goes_on,
    step_by_parcel,
    credit_by_parcel,
    settle_all,
)
