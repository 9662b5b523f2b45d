"""Looking for turns that were not made yet, one combination after another, where those made repeat."""

from __future__ import annotations

from stratagem.kernel import Ground
from stratagem.search.staged import cell, step
from stratagem.search.staged.bound import find_stage
from stratagem.search.staged.choosing import candidates_of, used_up
from stratagem.search.staged.records import Terms, Tree, Walker
from stratagem.search.staged.tables import node_in, stages_of, turn_of


def begin_scan(tree: Tree, walker: Walker, terms: Terms) -> None:
    """Go through all combinations, some steps at a time: where the last walk left it, or from the beginning. Other threads, which
    come while a generator works, begin their own pass."""
    at, p = walker.at, walker.at[cell.PLACE]
    scan = tree.scans[p]
    n = stages_of(tree, p)
    tree.positions[p, cell.IDLE] = 0
    begun = scan[cell.SCANNING] == 1
    at[cell.BEGUN] = scan[cell.SCAN_MADE] if begun else tree.positions[p, cell.USED]
    for i in range(n):
        walker.scan[i] = scan[cell.SCAN_AT + i] if begun else 0
    scan[cell.SCANNING] = 0
    at[cell.LOOKS_LEFT], at[cell.LEVEL_AT], at[cell.TODO] = terms.looked, 0, step.LEVEL


def scan_level(g: Ground, tree: Tree, walker: Walker) -> int:
    """Choose the next candidate at one level of the pass, or look at the combination when all are chosen."""
    at, p = walker.at, walker.at[cell.PLACE]
    level = at[cell.LEVEL_AT]
    if level == stages_of(tree, p):
        look_at_combination(tree, walker)
        return step.GO
    node = node_in(tree, p, level, walker.chosen)
    if node == cell.NONE:
        at[cell.STAGE_AT] = level
        return find_stage(g, tree, walker)
    if walker.scan[level] < candidates_of(tree, node):
        walker.chosen[level] = (node << cell.ROW_BITS) | (cell.CHILDREN + walker.scan[level])
        at[cell.LEVEL_AT] += 1
        return step.GO
    at[cell.SUB], at[cell.NEW] = node, cell.NONE
    at[cell.BASE] = cell.CHILDREN if walker.scan[level] > 0 else cell.ALL
    at[cell.BACK] = step.LEVEL_WIDENED
    at[cell.TODO] = step.LEVEL_WIDENED if used_up(tree, node) else step.WIDEN
    return step.GO


def scan_widened(tree: Tree, walker: Walker) -> int:
    """Go on with what was new at a level; where nothing was, with the next candidate of the level before."""
    at, p = walker.at, walker.at[cell.PLACE]
    at[cell.TODO] = step.LEVEL
    if at[cell.NEW] != cell.NONE:
        return step.GO
    level = at[cell.LEVEL_AT]
    if walker.scan[level] == 0:
        return step.NO_CANDIDATE
    walker.scan[level] = 0
    if level > 0:
        at[cell.LEVEL_AT] = level - 1
        walker.scan[level - 1] += 1
    elif at[cell.BEGUN] == tree.positions[p, cell.USED]:  # the whole pass found nothing new
        tree.positions[p, cell.EXHAUSTED] = 1 if all_used_up(tree, p) else 0
        at[cell.TURN], at[cell.TODO] = cell.NONE, step.FOUND
    else:
        at[cell.BEGUN] = tree.positions[p, cell.USED]
    return step.GO


def all_used_up(tree: Tree, p: int) -> bool:
    """Whether every stage node of a position has shown all that it ever can."""
    k = tree.positions[p, cell.STAGES_UNDER]
    while k != cell.NONE:
        if not used_up(tree, k):
            return False
        k = tree.nodes[k, cell.NEXT]
    return True


def look_at_combination(tree: Tree, walker: Walker) -> None:
    """Join a combination that is new; after some steps what is known must do."""
    at, p = walker.at, walker.at[cell.PLACE]
    n = stages_of(tree, p)
    new = turn_of(tree, p, walker.chosen) == cell.NONE
    walker.scan[n - 1] += 1
    at[cell.LEVEL_AT] = n - 1
    at[cell.LOOKS_LEFT] -= 1
    if not new and at[cell.LOOKS_LEFT] > 0:
        return
    scan = tree.scans[p]
    scan[cell.SCANNING], scan[cell.SCAN_MADE] = 1, at[cell.BEGUN]
    for i in range(n):
        scan[cell.SCAN_AT + i] = walker.scan[i]
    at[cell.IN_SCAN] = 1
    if new:
        at[cell.TODO] = step.JOIN
    else:
        at[cell.TURN], at[cell.TODO] = at[cell.KNOWN], step.FOUND
