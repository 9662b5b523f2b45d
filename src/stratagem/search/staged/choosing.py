"""Choosing among the turns that were made in a position, and among the candidates of a stage."""

from __future__ import annotations

from stratagem.rng import unit
from stratagem.search.staged import cell, step
from stratagem.search.staged.bandit import choose, hopeless, least, pend, refresh
from stratagem.search.staged.pool import room
from stratagem.search.staged.records import Terms, Tree, Walker
from stratagem.search.staged.tables import stages_of

ATTEMPTS = 4  # at a turn that is not known for certain
# times `trust`: trials of all turns from which on more of them look for replies to the turn that looks best than for others
LEAD = 20.0


def renew_turn(tree: Tree, p: int, row: int, terms: Terms) -> None:
    """Derive what a choice compares, after the statistics of a turn have changed."""
    refresh(
        tree.rows, tree.quick, tree.positions[p, cell.BLOCK] + row, tree.positions[p, cell.SEAT], terms.turns, False
    )


def renew_part(tree: Tree, choice: int, terms: Terms) -> None:
    """The same of a candidate."""
    own = tree.nodes[choice >> cell.ROW_BITS]
    seat = tree.positions[own[cell.UNDER], cell.SEAT]
    refresh(tree.rows, tree.quick, own[cell.BLOCK] + (choice & cell.ROW_MASK), seat, terms.parts, True)


def pend_choice(tree: Tree, terms: Terms, choice: int, weight: float) -> None:
    pend(tree.rows, tree.nodes[choice >> cell.ROW_BITS, cell.BLOCK], choice & cell.ROW_MASK, weight)
    renew_part(tree, choice, terms)


def row_among_turns(tree: Tree, p: int, terms: Terms, exploration: float, pruned: bool, wide: bool) -> int:
    rows, quick, place, law = tree.rows, tree.quick, tree.positions[p], terms.turns
    block, n, seat = place[cell.BLOCK], place[cell.USED], place[cell.SEAT]
    return choose(rows, quick, block, n, seat, law, exploration, pruned, wide, False)


def choose_turn(tree: Tree, walker: Walker, terms: Terms) -> None:
    """The turn to try: the bandit's choice among those made, or one that is put together now."""
    at, p = walker.at, walker.at[cell.PLACE]
    if terms.turns.trust > 0.0 and p == tree.counts[cell.ROOT]:
        total = tree.rows[tree.positions[p, cell.BLOCK] + cell.ALL, cell.VISITS]
        if unit(walker.rng) * (total + LEAD * terms.turns.trust) < total:
            row = row_among_turns(tree, p, terms, 0.0, True, False)
            if row != cell.ALL:
                at[cell.TURN], at[cell.TODO] = row, step.CHOSEN
                return
    wide = (
        tree.positions[p, cell.EXHAUSTED] == 0
        and (tree.counts[cell.MADE] < terms.most_turns or tree.positions[p, cell.USED] == cell.CHILDREN)
        and room(tree, stages_of(tree, p))
    )
    row = row_among_turns(tree, p, terms, terms.turns.exploration, True, wide)
    if row == cell.PHANTOM:
        at[cell.TRIES], at[cell.TODO] = 0, step.MAKE
    else:
        at[cell.KNOWN] = cell.NONE
        settle_on(tree, walker, terms, row)


def least_of_best_turn(tree: Tree, p: int, terms: Terms) -> float:
    """What the best turn of a position is worth at least; of one that is known for certain, what it is worth."""
    rows, place = tree.rows, tree.positions[p]
    block, n = place[cell.BLOCK], place[cell.USED]
    floor = least(rows, tree.quick, block, n, place[cell.SEAT], terms.turns)
    for k in range(block + cell.CHILDREN, block + n):
        if rows[k, cell.CLOSED] > 0.0:
            floor = max(floor, tree.quick[k, cell.CENTRE])
    return floor


def settle_on(tree: Tree, walker: Walker, terms: Terms, row: int) -> None:
    """Take a row of the bandit; where none is left to try, one that was passed over, at last one that is known for certain."""
    at, p = walker.at, walker.at[cell.PLACE]
    if row == cell.ALL:
        row = row_among_turns(tree, p, terms, terms.turns.exploration, False, False)
    if row == cell.ALL and at[cell.DEPTH] + 1 == terms.depth:
        row = at[cell.KNOWN] if at[cell.KNOWN] != cell.NONE else cell.ALL
    at[cell.TURN] = row
    at[cell.TODO] = step.NOTHING if row == cell.ALL else step.CHOSEN


def weigh_turn(tree: Tree, walker: Walker, terms: Terms) -> None:
    """A turn was made, or NONE: try it, make another, or go on with what is known."""
    at, p, row = walker.at, walker.at[cell.PLACE], walker.at[cell.TURN]
    place = tree.positions[p]
    at[cell.TRIES] += 1
    closed = row != cell.NONE and tree.rows[place[cell.BLOCK] + row, cell.CLOSED] > 0.0
    if closed and at[cell.DEPTH] + 1 < terms.depth and at[cell.TRIES] < ATTEMPTS:
        at[cell.TODO] = step.MAKE
        return
    if row != cell.NONE and not closed:
        seen = tree.rows[place[cell.BLOCK] + row, cell.VISITS] > 0.0
        if seen or not hopeless(
            tree.rows, tree.quick, place[cell.BLOCK], place[cell.USED], place[cell.SEAT], terms.turns, row
        ):
            at[cell.TODO] = step.CHOSEN
            return
    at[cell.KNOWN] = row
    settle_on(tree, walker, terms, row_among_turns(tree, p, terms, terms.turns.exploration, True, False))


def candidates_of(tree: Tree, node: int) -> int:
    return tree.nodes[node, cell.USED] - cell.CHILDREN


def waits(tree: Tree, node: int) -> bool:
    """Whether a part was proposed that a node does not know yet."""
    return candidates_of(tree, node) < tree.sources[tree.nodes[node, cell.SOURCE], cell.USED]


def used_up(tree: Tree, node: int) -> bool:
    """Whether all candidates that there can be are known in a node."""
    return tree.sources[tree.nodes[node, cell.SOURCE], cell.DRY] == 1 and not waits(tree, node)


def row_among_parts(tree: Tree, node: int, terms: Terms, wide: bool) -> int:
    own, law = tree.nodes[node], terms.parts
    block, n, seat = own[cell.BLOCK], own[cell.USED], tree.positions[own[cell.UNDER], cell.SEAT]
    return choose(tree.rows, tree.quick, block, n, seat, law, law.exploration, True, wide, True)
