"""The pool of rows of a tree, and its nodes: made, given up, and used again."""

from __future__ import annotations

from stratagem.search.staged import cell
from stratagem.search.staged.records import Grid, Tree, Words

LARGEST_POWER = 20  # of a block


def new_block(tree: Tree, power: int) -> int:
    """The first row of a block of 2 ** power rows that hold nothing; NONE: the pool is used up."""
    counts, rows = tree.counts, tree.rows
    block = counts[cell.FREE + power]
    if block == cell.NONE and counts[cell.ROWS_END] + (1 << power) <= rows.shape[0]:
        block = counts[cell.ROWS_END]
        counts[cell.ROWS_END] = block + (1 << power)
    else:
        larger = power
        while larger < LARGEST_POWER and counts[cell.FREE + larger] == cell.NONE:
            larger += 1
        block = counts[cell.FREE + larger]
        if block == cell.NONE:
            return cell.NONE
        counts[cell.FREE + larger] = tree.marks[block, 0]
        counts[cell.ROWS_FREE] -= 1 << larger
        while larger > power:  # the second half of a larger block stays free
            larger -= 1
            free_block(tree, block + (1 << larger), larger)
    for k in range(block, block + (1 << power)):
        for c in range(rows.shape[1]):
            rows[k, c] = 0.0
    return block


def free_block(tree: Tree, block: int, power: int) -> None:
    tree.marks[block, 0] = tree.counts[cell.FREE + power]
    tree.counts[cell.FREE + power] = block
    tree.counts[cell.ROWS_FREE] += 1 << power


def add_row(tree: Tree, owners: Grid, k: int, prior: float) -> int:
    """One more row in the block of a node; returns its number within the block, or NONE where there is no room."""
    rows, marks, quick = tree.rows, tree.marks, tree.quick
    used, power = owners[k, cell.USED], owners[k, cell.POWER]
    if used == 1 << power:
        block, old = new_block(tree, power + 1), owners[k, cell.BLOCK]
        if block == cell.NONE:
            return cell.NONE
        for i in range(used):
            for c in range(rows.shape[1]):
                rows[block + i, c] = rows[old + i, c]
            for c in range(quick.shape[1]):
                quick[block + i, c] = quick[old + i, c]
            for c in range(marks.shape[1]):
                marks[block + i, c] = marks[old + i, c]
            if tree.parts.shape[0] > 1:
                for c in range(tree.parts.shape[1]):
                    tree.parts[block + i, c] = tree.parts[old + i, c]
        free_block(tree, old, power)
        owners[k, cell.BLOCK], owners[k, cell.POWER] = block, power + 1
    at = owners[k, cell.BLOCK] + used
    for c in range(rows.shape[1]):
        rows[at, c] = 0.0
    rows[at, cell.PRIOR], rows[at, cell.SPREAD], rows[at, cell.LEAVES] = prior, cell.UNKNOWN, cell.UNKNOWN
    owners[k, cell.USED] = used + 1
    return used


def new_cell(tree: Tree, owners: Grid, free: int, end: int, rows_used: int) -> int:
    """A node with a block of its own, of which the first rows are in use; NONE: there is no room."""
    counts = tree.counts
    block = new_block(tree, cell.FIRST_POWER)
    if block == cell.NONE:
        return cell.NONE
    k = counts[free]
    if k != cell.NONE:
        counts[free] = owners[k, 0]
        counts[free + cell.HOW_MANY] -= 1
    elif counts[end] < owners.shape[0]:
        k = counts[end]
        counts[end] = k + 1
    else:
        free_block(tree, block, cell.FIRST_POWER)
        return cell.NONE
    for c in range(owners.shape[1]):
        owners[k, c] = 0
    owners[k, cell.BLOCK], owners[k, cell.POWER], owners[k, cell.USED] = block, cell.FIRST_POWER, rows_used
    return k


def free_cell(tree: Tree, owners: Grid, k: int, free: int) -> None:
    free_block(tree, owners[k, cell.BLOCK], owners[k, cell.POWER])
    owners[k, 0] = tree.counts[free]
    tree.counts[free] = k
    tree.counts[free + cell.HOW_MANY] += 1


def room(tree: Tree, stages: int) -> bool:
    """Whether one more turn of so many stages fits, with all that may be new in it, in every thread at once."""
    counts = tree.counts
    needed = 4 * stages + 4
    return (
        tree.rows.shape[0] - counts[cell.ROWS_END] + counts[cell.ROWS_FREE] > (needed << cell.FIRST_POWER) * 16
        and tree.nodes.shape[0] - counts[cell.NODES_END] + counts[cell.FREE_NODES + cell.HOW_MANY] > needed
        and tree.sources.shape[0] - counts[cell.SOURCES_END] + counts[cell.FREE_SOURCES + cell.HOW_MANY] > needed
        and tree.positions.shape[0] - counts[cell.POSITIONS_END] + counts[cell.FREE_POSITIONS + cell.HOW_MANY] > 8
        and tree.links.shape[0] - counts[cell.LINKS_END] + counts[cell.FREE_LINKS + cell.HOW_MANY] > 8
        and 2 * (counts[cell.ENTRIES] + 16 * needed) < tree.by_choice.shape[0]
    )


def half_free(tree: Tree) -> bool:
    """Whether at least half of the rows and of the sources are free."""
    counts = tree.counts
    rows = tree.rows.shape[0] - counts[cell.ROWS_END] + counts[cell.ROWS_FREE]
    sources = tree.sources.shape[0] - counts[cell.SOURCES_END] + counts[cell.FREE_SOURCES + cell.HOW_MANY]
    return bool(2 * rows >= tree.rows.shape[0] and 2 * sources >= tree.sources.shape[0])


def new_position(tree: Tree, seat: int, plan: int) -> int:
    p = new_cell(tree, tree.positions, cell.FREE_POSITIONS, cell.POSITIONS_END, cell.CHILDREN)
    if p != cell.NONE:
        tree.positions[p, cell.SEAT], tree.positions[p, cell.PLAN] = seat, plan
        tree.positions[p, cell.STAGES_UNDER], tree.positions[p, cell.ALIVE] = cell.NONE, 1
        tree.counts[cell.SERIALS] += 1
        tree.positions[p, cell.SERIAL] = tree.counts[cell.SERIALS]
        tree.scans[p, cell.SCANNING] = 0
    return p


def new_source(tree: Tree) -> int:
    s = new_cell(tree, tree.sources, cell.FREE_SOURCES, cell.SOURCES_END, 0)
    if s != cell.NONE:
        tree.sources[s, cell.FRESH] = 1
    return s


def new_node(tree: Tree, p: int, stage: int, source: int) -> int:
    """A node of a stage under a position."""
    nodes = tree.nodes
    k = new_cell(tree, nodes, cell.FREE_NODES, cell.NODES_END, cell.CHILDREN)
    if k != cell.NONE:
        nodes[k, cell.STAGE], nodes[k, cell.UNDER], nodes[k, cell.SOURCE] = stage, p, source
        nodes[k, cell.OPEN], nodes[k, cell.AGAIN] = 1, 1
        nodes[k, cell.NEXT] = tree.positions[p, cell.STAGES_UNDER]
        tree.positions[p, cell.STAGES_UNDER] = k
        tree.sources[source, cell.USERS] += 1
    return k


def forget(tree: Tree, p: int, gone: Words, n: int) -> int:
    """Give up a position with all under it; sources that nobody uses any more are put behind the first n of `gone`."""
    k = tree.positions[p, cell.STAGES_UNDER]
    while k != cell.NONE:
        source, after = tree.nodes[k, cell.SOURCE], tree.nodes[k, cell.NEXT]
        tree.sources[source, cell.USERS] -= 1
        if tree.sources[source, cell.USERS] == 0:
            gone[n] = source
            n += 1
            free_cell(tree, tree.sources, source, cell.FREE_SOURCES)
        free_cell(tree, tree.nodes, k, cell.FREE_NODES)
        k = after
    for row in range(cell.CHILDREN, tree.positions[p, cell.USED]):
        free_links(tree, tree.marks[tree.positions[p, cell.BLOCK] + row, cell.LINKS])
    tree.counts[cell.MADE] -= tree.positions[p, cell.USED] - cell.CHILDREN
    tree.positions[p, cell.ALIVE] = 0
    free_cell(tree, tree.positions, p, cell.FREE_POSITIONS)
    return n


def free_links(tree: Tree, at: int) -> None:
    """Give up a list of links."""
    while at != 0:
        after = tree.links[at - 1, 1]
        tree.links[at - 1, 1] = tree.counts[cell.FREE_LINKS]
        tree.counts[cell.FREE_LINKS] = at
        tree.counts[cell.FREE_LINKS + cell.HOW_MANY] += 1
        at = after
