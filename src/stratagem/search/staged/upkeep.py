"""Keeping a tree from search to search: what cannot be reached is forgotten, and the tables are filled anew."""

from __future__ import annotations

from stratagem.search.staged import cell
from stratagem.search.staged.choosing import renew_turn
from stratagem.search.staged.pool import forget, free_links, new_node, new_source
from stratagem.search.staged.records import Terms, Tree, Walker, Words
from stratagem.search.staged.tables import enter_link, enter_node, enter_turn, stages_of


def open_node(tree: Tree, walker: Walker, p: int, stage: int, source: int, node: int) -> int:
    """Note the node of a stage for the context of what is chosen; where there is none yet it is made, and its source too."""
    if node == cell.NONE:
        own = new_source(tree) if source == cell.NONE else source
        if own == cell.NONE:
            return cell.NONE
        node = new_node(tree, p, stage, own)
        if node == cell.NONE:
            return cell.NONE
    enter_node(tree, p, stage, walker.chosen, node)
    return node


def prune(tree: Tree, terms: Terms, root: int, keep: Words, queue: Words, gone: Words) -> int:
    """Keep the positions that can be reached from the root, and forget the others; the tables are empty before. Sources that
    nobody uses any more are put into `gone`; returns how many."""
    if root != cell.NONE:
        keep[root], queue[0] = 1, root
        n, at = 1, 0
        while at < n:
            p = queue[at]
            at += 1
            for row in range(cell.CHILDREN, tree.positions[p, cell.USED]):
                if terms.depth > 1:  # what was judged at the end of a walk can be looked into now
                    tree.rows[tree.positions[p, cell.BLOCK] + row, cell.CLOSED] = 0.0
                    renew_turn(tree, p, row, terms)
                link_at = tree.marks[tree.positions[p, cell.BLOCK] + row, cell.LINKS]
                while link_at != 0:
                    child = tree.links[link_at - 1, 0]
                    if keep[child] == 0:
                        keep[child] = 1
                        queue[n] = child
                        n += 1
                    link_at = tree.links[link_at - 1, 1]
    lost = 0
    for p in range(tree.counts[cell.POSITIONS_END]):
        if tree.positions[p, cell.ALIVE] == 1 and keep[p] == 0:
            lost = forget(tree, p, gone, lost)
    rehash(tree)
    return lost


def rehash(tree: Tree) -> None:
    """Fill the tables, which are empty, after positions were forgotten; links to those are cut."""
    tree.counts[cell.ENTRIES] = 0
    for p in range(tree.counts[cell.POSITIONS_END]):
        if tree.positions[p, cell.ALIVE] == 1:
            n = stages_of(tree, p)
            for row in range(cell.CHILDREN, tree.positions[p, cell.USED]):
                mark = tree.positions[p, cell.BLOCK] + row
                chosen = tree.marks[mark, cell.CHOICES :]
                enter_turn(tree, p, row, chosen)
                for stage in range(n):
                    enter_node(tree, p, stage, chosen, chosen[stage] >> cell.ROW_BITS)
                at, kept = tree.marks[mark, cell.LINKS], 0
                while at != 0:
                    child, after = tree.links[at - 1, 0], tree.links[at - 1, 1]
                    if tree.positions[child, cell.ALIVE] == 1:
                        tree.links[at - 1, 1] = kept
                        kept = at
                        enter_link(tree, p, row, child)
                    else:
                        tree.links[at - 1, 1] = 0
                        free_links(tree, at)
                    at = after
                tree.marks[mark, cell.LINKS] = kept
