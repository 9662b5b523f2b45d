"""The tables of a tree: stage nodes by their contexts, turns by what they are made of, links that are known."""

from __future__ import annotations

from stratagem.rng import mix
from stratagem.search.staged import cell
from stratagem.search.staged.records import Tree, Words


def stages_of(tree: Tree, p: int) -> int:
    return tree.plans[tree.positions[p, cell.PLAN]]


def context_key(tree: Tree, p: int, stage: int, chosen: Words) -> int:
    """What tells contexts of a stage apart: 64 bits, of which two that differ are equal once in 10 ** 19 times."""
    h = mix((tree.positions[p, cell.SERIAL] << 20) + stage)
    at = tree.plans[tree.positions[p, cell.PLAN] + 1 + stage]
    for i in range(tree.plans[at]):
        h = mix(h ^ chosen[tree.plans[at + 1 + i]])
    return h | 1  # never 0


def node_in(tree: Tree, p: int, stage: int, chosen: Words) -> int:
    """The node of a stage in the context of what is chosen, or NONE."""
    table = tree.by_context
    mask = table.shape[0] - 1
    key = context_key(tree, p, stage, chosen)
    at = (key >> 1) & mask
    while table[at, 0] != 0:
        if table[at, 0] == key:
            return table[at, 1] - 1
        at = (at + 1) & mask
    return cell.NONE


def enter_node(tree: Tree, p: int, stage: int, chosen: Words, node: int) -> None:
    """Note which node a stage has in a context."""
    table = tree.by_context
    mask = table.shape[0] - 1
    key = context_key(tree, p, stage, chosen)
    at = (key >> 1) & mask
    while table[at, 0] != 0 and table[at, 0] != key:
        at = (at + 1) & mask
    table[at, 0], table[at, 1] = key, node + 1
    tree.counts[cell.ENTRIES] += 1


def choice_key(tree: Tree, p: int, chosen: Words, n: int) -> int:
    h = mix(tree.positions[p, cell.SERIAL])
    for i in range(n):
        h = mix(h ^ chosen[i])
    return h


def turn_of(tree: Tree, p: int, chosen: Words) -> int:
    """The row of the turn that is made of what is chosen, or NONE."""
    n = stages_of(tree, p)
    table = tree.by_choice
    mask = table.shape[0] - 1
    at = choice_key(tree, p, chosen, n) & mask
    while table[at] != 0:
        found = table[at] - 1
        if found >> cell.ROW_BITS == p:
            row = found & cell.ROW_MASK
            if row < tree.positions[p, cell.USED] and made_of(tree, p, row, chosen, n):
                return row
        at = (at + 1) & mask
    return cell.NONE


def made_of(tree: Tree, p: int, row: int, chosen: Words, n: int) -> bool:
    at = tree.positions[p, cell.BLOCK] + row
    for i in range(n):
        if tree.marks[at, cell.CHOICES + i] != chosen[i]:
            return False
    return True


def enter_turn(tree: Tree, p: int, row: int, chosen: Words) -> None:
    table = tree.by_choice
    mask = table.shape[0] - 1
    at = choice_key(tree, p, chosen, stages_of(tree, p)) & mask
    while table[at] != 0:
        at = (at + 1) & mask
    table[at] = ((p << cell.ROW_BITS) | row) + 1
    tree.counts[cell.ENTRIES] += 1


def enter_link(tree: Tree, p: int, row: int, child: int) -> None:
    table = tree.by_link
    mask = table.shape[0] - 1
    key = mix(mix((p << cell.ROW_BITS) | row) ^ child) | 1
    at = (key >> 1) & mask
    while table[at] != 0:
        at = (at + 1) & mask
    table[at] = key


def link(tree: Tree, p: int, row: int, child: int) -> None:
    """Note that a turn led to a position, once."""
    table = tree.by_link
    mask = table.shape[0] - 1
    key = mix(mix((p << cell.ROW_BITS) | row) ^ child) | 1
    at = (key >> 1) & mask
    while table[at] != 0:
        if table[at] == key:
            return
        at = (at + 1) & mask
    counts = tree.counts
    new = counts[cell.FREE_LINKS]
    if new != cell.NONE:
        counts[cell.FREE_LINKS] = tree.links[new - 1, 1]
        counts[cell.FREE_LINKS + cell.HOW_MANY] -= 1
    elif counts[cell.LINKS_END] < tree.links.shape[0]:
        counts[cell.LINKS_END] += 1
        new = counts[cell.LINKS_END]
    else:
        return
    table[at] = key
    mark = tree.positions[p, cell.BLOCK] + row
    tree.links[new - 1, 0], tree.links[new - 1, 1] = child, tree.marks[mark, cell.LINKS]
    tree.marks[mark, cell.LINKS] = new
