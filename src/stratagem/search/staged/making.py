"""Making a turn: candidates chosen, asked for, refined, passed over, and joined."""

from __future__ import annotations

import math

from stratagem.kernel import Ground
from stratagem.rng import unit
from stratagem.search.staged import cell, step
from stratagem.search.staged.bandit import hope, least
from stratagem.search.staged.bound import ask, find_stage, join, judge_half
from stratagem.search.staged.choosing import (
    candidates_of,
    least_of_best_turn,
    pend_choice,
    renew_part,
    renew_turn,
    row_among_parts,
    used_up,
    waits,
)
from stratagem.search.staged.pool import add_row
from stratagem.search.staged.records import Terms, Tree, Walker
from stratagem.search.staged.tables import enter_turn, node_in, stages_of, turn_of

PATIENCE = 16  # turns in a row that were known already, after which the turns not made yet are looked for one by one


def take_part(walker: Walker, node: int, row: int) -> None:
    """The candidate of this stage; then comes the next one."""
    at = walker.at
    walker.chosen[at[cell.STAGE_AT]] = (node << cell.ROW_BITS) | row
    at[cell.STAGE_AT] += 1
    at[cell.TODO] = step.PART


def choose_part(g: Ground, tree: Tree, walker: Walker, terms: Terms) -> int:
    """One of a stage's candidates, or one more; a stage that is pressed gives one more, if it has any."""
    at, p = walker.at, walker.at[cell.PLACE]
    stages, stage = stages_of(tree, p), walker.at[cell.STAGE_AT]
    if stage == stages:
        at[cell.TODO] = step.JOIN
        return step.GO
    node = node_in(tree, p, stage, walker.chosen)
    if node == cell.NONE:
        return find_stage(g, tree, walker)
    pressed = at[cell.ATTEMPT] > 0 and stage == (stages - at[cell.ATTEMPT] % stages) % stages  # the last first
    known = candidates_of(tree, node)
    if known > 0 and not pressed and unit(walker.rng) < terms.mixing:
        take_part(walker, node, cell.CHILDREN + int(unit(walker.rng) * known))
        return step.GO
    visits = tree.rows[tree.nodes[node, cell.BLOCK] + cell.ALL, cell.VISITS]
    wide = (tree.nodes[node, cell.OPEN] == 1 or visits >= tree.nodes[node, cell.AGAIN]) and not used_up(tree, node)
    if not (pressed and wide):
        row = row_among_parts(tree, node, terms, wide)
        if row >= cell.CHILDREN:
            take_part(walker, node, row)
            return step.GO
    at[cell.SUB], at[cell.BASE] = node, row_among_parts(tree, node, terms, False)
    at[cell.BACK], at[cell.TODO] = step.WIDENED, step.WIDEN
    return step.GO


def widen(tree: Tree, walker: Walker, terms: Terms) -> int:
    """One more candidate for SUB, refined from BASE where it is refined; then comes BACK, with the row as NEW or NONE."""
    at, node = walker.at, walker.at[cell.SUB]
    source = tree.nodes[node, cell.SOURCE]
    if waits(tree, node) or tree.sources[source, cell.DRY] == 1:
        at[cell.TODO] = step.TAKE
        return step.GO
    if tree.sources[source, cell.BUSY] == 1:  # another thread is asking
        if candidates_of(tree, node) == 0:
            return step.WAIT
        at[cell.NEW], at[cell.TODO] = cell.NONE, at[cell.BACK]
        return step.GO
    tree.sources[source, cell.BUSY] = 1
    order_ways(tree, walker, terms, source)
    at[cell.WAY], at[cell.TODO] = 0, step.ASK
    return step.GO


def order_ways(tree: Tree, walker: Walker, terms: Terms, source: int) -> None:
    """The ways to ask that may give something, the order drawn by their weights."""
    at, own, ways = walker.at, tree.sources[source], walker.ways
    base = at[cell.BASE] - cell.CHILDREN
    first = terms.first_weight if own[cell.FRESH] == 1 else 0.0
    fine = terms.fine_weight if base >= 0 and own[cell.CAN_REFINE] == 1 and refinable(tree, source, base) else 0.0
    coarse = terms.coarse_weight if base >= 0 and own[cell.CAN_PERTURB] == 1 else 0.0
    n = 0
    while first + fine + coarse > 0.0:
        x = unit(walker.rng) * (first + fine + coarse)
        if x < first:
            ways[n], first = cell.FIRST, 0.0
        elif x < first + fine:
            ways[n], fine = cell.FINE, 0.0
        elif coarse > 0.0:
            ways[n], coarse = cell.COARSE, 0.0
        elif fine > 0.0:
            ways[n], fine = cell.FINE, 0.0
        else:
            ways[n], first = cell.FIRST, 0.0
        n += 1
    at[cell.WAYS_LEFT] = n
    noise = terms.noise
    if base >= 0:
        visits = tree.rows[tree.nodes[at[cell.SUB], cell.BLOCK] + at[cell.BASE], cell.VISITS]
        noise *= 0.5 + 0.5 / math.sqrt(1.0 + visits / terms.samples)
    walker.said[cell.SAID_NOISE] = noise


def refinable(tree: Tree, source: int, k: int) -> bool:
    """Whether the family of proposal k may still be refined finely."""
    block = tree.sources[source, cell.BLOCK]
    return tree.marks[block + tree.marks[block + k, cell.FAMILY], cell.REFINABLE] == 1


def ask_source(g: Ground, tree: Tree, walker: Walker, terms: Terms) -> int:
    """Ask in the next way; the answer is heard next."""
    at, mail = walker.at, walker.mail
    source = tree.nodes[at[cell.SUB], cell.SOURCE]
    if at[cell.WAY] == at[cell.WAYS_LEFT]:
        tree.sources[source, cell.BUSY] = 0
        at[cell.TODO] = step.TAKE
        return step.GO
    mail[cell.ASKED_ABOUT], mail[cell.ASKED_BASE] = source, at[cell.BASE] - cell.CHILDREN
    mail[cell.ASKED_WAY], mail[cell.ANSWER] = walker.ways[at[cell.WAY]], cell.NONE
    at[cell.TODO] = step.STATED
    return ask(g, tree, walker)


def hear(tree: Tree, walker: Walker) -> None:
    """Enter what a source proposed; where it gave nothing in this way, it is asked in the next."""
    at, mail, said = walker.at, walker.mail, walker.said
    source, base, way = mail[cell.ASKED_ABOUT], mail[cell.ASKED_BASE], mail[cell.ASKED_WAY]
    own = tree.sources[source]
    own[cell.DRY] = mail[cell.EMPTIED]
    k = cell.NONE
    if mail[cell.ANSWER] != cell.NONE:
        k = add_row(tree, tree.sources, source, said[cell.SAID_PRIOR])
    block = own[cell.BLOCK]
    if k == cell.NONE:
        if way == cell.FIRST:
            own[cell.FRESH] = 0
        elif way == cell.FINE:
            tree.marks[block + tree.marks[block + base, cell.FAMILY], cell.REFINABLE] = 0
        at[cell.WAY] += 1
        at[cell.TODO] = step.ASK
        return
    mark = tree.marks[block + k]
    mark[cell.HANDLE], mark[cell.KIND], mark[cell.REFINABLE] = mail[cell.ANSWER], way, 1
    mark[cell.OF] = cell.NONE if way == cell.FIRST else base
    mark[cell.FAMILY] = tree.marks[block + base, cell.FAMILY] if way == cell.FINE else k
    tree.rows[block + k, cell.NOISE] = said[cell.SAID_NOISE] if way == cell.COARSE else 0.0
    if tree.parts.shape[0] > 1:
        for c in range(walker.part.shape[0]):
            tree.parts[block + k, c] = walker.part[c]
    own[cell.BUSY] = 0
    at[cell.TODO] = step.TAKE


def take_candidate(tree: Tree, walker: Walker, terms: Terms) -> None:
    """The next part that was proposed but is not known here yet. Where there is none, the source is left in peace until the
    visits have doubled."""
    at, node = walker.at, walker.at[cell.SUB]
    own = tree.nodes[node]
    at[cell.NEW] = cell.NONE
    if waits(tree, node):
        proposal = tree.sources[own[cell.SOURCE], cell.BLOCK] + candidates_of(tree, node)
        prior = tree.rows[proposal, cell.PRIOR]
        at[cell.NEW] = add_row(tree, tree.nodes, node, prior)
        if at[cell.NEW] != cell.NONE:
            tree.rows[own[cell.BLOCK] + cell.ALL, cell.PRIOR] += prior
            renew_part(tree, (node << cell.ROW_BITS) | at[cell.NEW], terms)
    own[cell.OPEN] = 1 if at[cell.NEW] != cell.NONE else 0
    if at[cell.NEW] == cell.NONE:
        own[cell.AGAIN] = 2 * int(tree.rows[own[cell.BLOCK] + cell.ALL, cell.VISITS]) + terms.samples
    at[cell.TODO] = at[cell.BACK]


def take_new_part(g: Ground, tree: Tree, walker: Walker, terms: Terms) -> int:
    """Go on with the new candidate, or without one with the best that is known."""
    at, node = walker.at, walker.at[cell.SUB]
    if at[cell.NEW] == cell.NONE:
        if candidates_of(tree, node) == 0:
            return step.NO_CANDIDATE
        take_part(walker, node, max(row_among_parts(tree, node, terms, False), cell.CHILDREN))
        return step.GO
    if not terms.halves:
        take_part(walker, node, at[cell.NEW])
        return step.GO
    walker.chosen[at[cell.STAGE_AT]] = (node << cell.ROW_BITS) | at[cell.NEW]
    walker.said[cell.SAID_SPREAD] = cell.UNKNOWN
    at[cell.TODO] = step.HALVED
    return judge_half(g, tree, walker)


def weigh_half(tree: Tree, walker: Walker, terms: Terms) -> None:
    """Pass a new candidate over whose hope is below what the best part here, or the best turn, is worth at least. Where nothing
    is passed over, its estimate is its first value in the choice among all."""
    at, node, said = walker.at, walker.at[cell.SUB], walker.said
    rows, quick, own, law = tree.rows, tree.quick, tree.nodes[node], terms.parts
    block, new, seat = own[cell.BLOCK], at[cell.NEW], tree.positions[at[cell.PLACE], cell.SEAT]
    rows[block + new, cell.ESTIMATE], rows[block + new, cell.SPREAD] = said[cell.SAID_VALUE], said[cell.SAID_SPREAD]
    renew_part(tree, (node << cell.ROW_BITS) | new, terms)
    floor = max(least(rows, quick, block, own[cell.USED], seat, law), least_of_best_turn(tree, at[cell.PLACE], terms))
    if said[cell.SAID_SPREAD] < cell.UNKNOWN and (law.width == 0.0 or hope(rows, quick, block, new, seat, law) < floor):
        new = max(row_among_parts(tree, node, terms, False), cell.CHILDREN)
        tree.counts[cell.SPARED] += int(new != at[cell.NEW])
    take_part(walker, node, new)


def join_parts(g: Ground, tree: Tree, walker: Walker) -> int:
    """The turn that the parts make: one that is known, or a new one."""
    at = walker.at
    at[cell.NEW] = turn_of(tree, at[cell.PLACE], walker.chosen)
    walker.said[cell.SAID_SPREAD] = cell.UNKNOWN
    walker.mail[cell.ANSWER] = cell.NONE
    at[cell.TODO] = step.JOINED
    return step.GO if at[cell.NEW] != cell.NONE else join(g, tree, walker)


def enter_joined(tree: Tree, walker: Walker, terms: Terms) -> None:
    """Enter a new turn; then try it, or where it is known for certain press the stages for another."""
    at, p, chosen = walker.at, walker.at[cell.PLACE], walker.chosen
    place = tree.positions[p]
    row = turn_of(tree, p, chosen)  # which another thread may have entered meanwhile
    if row == cell.NONE:
        row = add_turn(tree, walker, terms, p)
        place[cell.IDLE] = 0
    else:
        place[cell.IDLE] += 1
    at[cell.TURN] = row
    if at[cell.IN_SCAN] == 1 or row == cell.NONE:
        unpress(tree, walker, terms)
        at[cell.TODO] = step.FOUND
        return
    if (
        tree.rows[place[cell.BLOCK] + row, cell.CLOSED] > 0.0
        and place[cell.IDLE] < PATIENCE
        and at[cell.ATTEMPT] + 1 < PATIENCE
    ):
        press(tree, walker, terms, stages_of(tree, p), terms.samples << at[cell.ATTEMPT])
        at[cell.ATTEMPT] += 1
        at[cell.TODO] = step.ATTEMPTED
        return
    unpress(tree, walker, terms)
    at[cell.KNOWN] = row
    at[cell.TODO] = step.SCAN if place[cell.IDLE] >= PATIENCE else step.FOUND


def add_turn(tree: Tree, walker: Walker, terms: Terms, p: int) -> int:
    """The row of a new turn, or NONE where there is no room."""
    chosen, said = walker.chosen, walker.said
    n = stages_of(tree, p)
    prior = 1.0
    for i in range(n):
        prior *= tree.rows[tree.nodes[chosen[i] >> cell.ROW_BITS, cell.BLOCK] + (chosen[i] & cell.ROW_MASK), cell.PRIOR]
    row = add_row(tree, tree.positions, p, prior)
    if row == cell.NONE:
        return cell.NONE
    at = tree.positions[p, cell.BLOCK] + row
    tree.marks[at, cell.HANDLE], tree.marks[at, cell.LINKS] = walker.mail[cell.ANSWER], 0
    for i in range(n):
        tree.marks[at, cell.CHOICES + i] = chosen[i]
    if said[cell.SAID_SPREAD] < cell.UNKNOWN:
        tree.rows[at, cell.ESTIMATE], tree.rows[at, cell.SPREAD] = said[cell.SAID_VALUE], said[cell.SAID_SPREAD]
    tree.rows[tree.positions[p, cell.BLOCK] + cell.ALL, cell.PRIOR] += prior
    renew_turn(tree, p, row, terms)
    enter_turn(tree, p, row, chosen)
    tree.counts[cell.MADE] += 1
    return row


def press(tree: Tree, walker: Walker, terms: Terms, stages: int, weight: int) -> None:
    """Make the parts of a turn that is known for certain look more and more tried."""
    at = walker.at
    for i in range(stages):
        walker.passed[at[cell.PASSED], 0], walker.passed[at[cell.PASSED], 1] = walker.chosen[i], weight
        at[cell.PASSED] += 1
        pend_choice(tree, terms, walker.chosen[i], float(weight))


def unpress(tree: Tree, walker: Walker, terms: Terms) -> None:
    for k in range(walker.at[cell.PASSED]):
        pend_choice(tree, terms, walker.passed[k, 0], -float(walker.passed[k, 1]))
    walker.at[cell.PASSED] = 0
