"""Backing up: what the trials at the end of a walk say of every turn on it, and of the parts of those."""

from __future__ import annotations

from typing import Any

from stratagem.search.staged import cell
from stratagem.search.staged.bandit import best, credit, enter, improve
from stratagem.search.staged.choosing import renew_part, renew_turn
from stratagem.search.staged.records import Terms, Tree, Walker
from stratagem.search.staged.tables import stages_of


def teach(tree: Tree, walker: Walker, choice: int, value: float) -> None:
    """Note what a source that learns is to hear."""
    at = walker.at
    source = tree.nodes[choice >> cell.ROW_BITS, cell.SOURCE]
    if tree.sources[source, cell.LEARNS] == 1:
        k = at[cell.LESSONS]
        walker.lessons[k, 0], walker.lessons[k, 1] = source, (choice & cell.ROW_MASK) - cell.CHILDREN
        walker.taught[k] = value
        at[cell.LESSONS] = k + 1


def credit_parts(tree: Tree, walker: Walker, terms: Terms, p: int, row: int, n: float, squares: float) -> None:
    """Enter trials of a turn, whose payoffs are in `sums`, into the stages that it is made of."""
    mean = walker.sums[tree.positions[p, cell.SEAT]] / n
    for i in range(stages_of(tree, p)):
        choice = tree.marks[tree.positions[p, cell.BLOCK] + row, cell.CHOICES + i]
        credit(
            tree.rows, tree.nodes[choice >> cell.ROW_BITS, cell.BLOCK], choice & cell.ROW_MASK, walker.sums, n, squares
        )
        renew_part(tree, choice, terms)
        teach(tree, walker, choice, mean)


def closes_never(terms: Terms) -> bool:
    """Whether a turn is closed when every reply to it was tried."""
    return terms.turns.trust > 0.0


def closes_always(terms: Terms) -> bool:
    return True


def back_up_means(tree: Tree, walker: Walker, terms: Terms) -> None:
    """Every turn of the walk is worth the mean of its trials, and so is every part."""
    at, sums, n = walker.at, walker.sums, float(walker.at[cell.TRIALS])
    players = walker.values.shape[1]
    for d in range(at[cell.DEPTH]):
        p, row = walker.path[d, 0], walker.path[d, 1]
        squares = sums[players + tree.positions[p, cell.SEAT]]
        credit(tree.rows, tree.positions[p, cell.BLOCK], row, sums, n, squares)
        credit_parts(tree, walker, terms, p, row, n, squares)
        if terms.certain and terms.depth == 1:
            tree.rows[tree.positions[p, cell.BLOCK] + row, cell.CLOSED] = 1.0
        renew_turn(tree, p, row, terms)
    if terms.turns.trust > 0.0:
        note_best_replies(tree, walker, terms)


def note_best_replies(tree: Tree, walker: Walker, terms: Terms) -> None:
    """For every turn of the walk what the best reply to it leaves. Once a turn is trusted, known replies teach nothing."""
    at, rows = walker.at, tree.rows
    for d in range(at[cell.DEPTH] - 1):
        p, turn = walker.path[d, 0], walker.path[d, 1]
        q, reply = walker.path[d + 1, 0], walker.path[d + 1, 1]
        after = tree.positions[q]
        row = best(rows, after[cell.BLOCK], after[cell.USED], after[cell.SEAT])
        found = after[cell.BLOCK] + row
        rows[tree.positions[p, cell.BLOCK] + turn, cell.LEAVES] = (
            rows[found, cell.COLUMNS + tree.positions[p, cell.SEAT]] / rows[found, cell.VISITS]
        )
        if d + 2 == at[cell.DEPTH] and at[cell.DEPTH] == terms.depth:
            trusted = rows[after[cell.BLOCK] + cell.ALL, cell.VISITS] > terms.turns.trust
            rows[after[cell.BLOCK] + reply, cell.CLOSED] = 1.0 if trusted else 0.0
            renew_turn(tree, q, reply, terms)
        renew_turn(tree, p, turn, terms)


def back_up_best(tree: Tree, walker: Walker, terms: Terms) -> None:
    """From the last turn of the walk to the first: each is worth what the best turn known after it leaves."""
    at, rows, sums, n = walker.at, tree.rows, walker.sums, float(walker.at[cell.TRIALS])
    players = walker.values.shape[1]
    spare = sums[players:]
    for d in range(at[cell.DEPTH] - 1, -1, -1):
        p, row = walker.path[d, 0], walker.path[d, 1]
        block, seat = tree.positions[p, cell.BLOCK], tree.positions[p, cell.SEAT]
        if d + 1 < at[cell.DEPTH]:
            after = tree.positions[walker.path[d + 1, 0]]
            found = after[cell.BLOCK] + best(rows, after[cell.BLOCK], after[cell.USED], after[cell.SEAT])
            for q in range(players):
                sums[q] = n * rows[found, cell.COLUMNS + q] / rows[found, cell.VISITS]
        elif at[cell.DEPTH] == terms.depth or at[cell.PAID] == 1:
            rows[block + row, cell.CLOSED] = 1.0  # nothing more can be learned of it
        enter(rows, block, row, sums, n, seat)
        renew_turn(tree, p, row, terms)
        mean = sums[seat] / n
        if d + 1 < terms.depth:
            credit_parts(tree, walker, terms, p, row, n, mean * mean * n)
            continue
        # what a turn is worth here stays: its parts are worth what the best turn with them is
        for i in range(stages_of(tree, p)):
            choice = tree.marks[block + row, cell.CHOICES + i]
            improve(rows, tree.nodes[choice >> cell.ROW_BITS, cell.BLOCK], choice & cell.ROW_MASK, sums, spare, n, seat)
            renew_part(tree, choice, terms)
            teach(tree, walker, choice, mean)


closes, back_up = closes_never, back_up_means
BACKUPS: dict[str, dict[str, Any]] = {
    "mean": {"back_up": back_up_means, "closes": closes_never},
    "best": {"back_up": back_up_best, "closes": closes_always},
}
