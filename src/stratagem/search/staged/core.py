"""The core of search by stages as a template.

`simulate` makes walks. What only a game knows is asked for through functions that are bound (`bound`); where a staging is
written in Python, that leaves compiled code. So a walk is a row of small steps, each of which ends by saying what comes next
(`TODO`), and all that a walk must remember lies in its walker. While one walker waits for its mail, those of other threads go on.

One walker at a time works on the tree; proposals and trials are made meanwhile (`release`, `take`).
"""

from __future__ import annotations

from stratagem.kernel import Ground
from stratagem.search.budget import StopFlag
from stratagem.search.staged import cell, step
from stratagem.search.staged.backup import back_up, closes
from stratagem.search.staged.bandit import pend, tally
from stratagem.search.staged.bound import play_on, release, take, try_turn
from stratagem.search.staged.choosing import choose_turn, pend_choice, renew_turn, weigh_turn
from stratagem.search.staged.making import (
    ask_source,
    choose_part,
    enter_joined,
    hear,
    join_parts,
    take_candidate,
    take_new_part,
    unpress,
    weigh_half,
    widen,
)
from stratagem.search.staged.records import Terms, Tree, Walker
from stratagem.search.staged.scan import begin_scan, scan_level, scan_widened
from stratagem.search.staged.tables import link, stages_of

MOST_AGAIN = 8  # visits in one, at the most


def simulate(g: Ground, tree: Tree, walker: Walker, terms: Terms, stop: StopFlag) -> int:
    """Walk until the limit, until the flag is set at the end of a walk, or until Python is asked for something."""
    at = walker.at
    code = step.GO
    take(tree)
    while code == step.GO:
        todo = at[cell.TODO]
        if todo == step.START:
            code = start(tree, walker, terms, stop)
        elif todo == step.CHOOSE:
            choose_turn(tree, walker, terms)
        elif todo == step.MAKE:
            at[cell.ATTEMPT], at[cell.PASSED], at[cell.TODO] = 0, 0, step.ATTEMPTED
        elif todo == step.ATTEMPTED:
            at[cell.STAGE_AT], at[cell.IN_SCAN], at[cell.TODO] = 0, 0, step.PART
        elif todo == step.PART:
            code = choose_part(g, tree, walker, terms)
        elif todo == step.WIDEN:
            code = widen(tree, walker, terms)
        elif todo == step.ASK:
            code = ask_source(g, tree, walker, terms)
        elif todo == step.STATED:
            hear(tree, walker)
        elif todo == step.TAKE:
            take_candidate(tree, walker, terms)
        elif todo == step.WIDENED:
            code = take_new_part(g, tree, walker, terms)
        elif todo == step.HALVED:
            weigh_half(tree, walker, terms)
        elif todo == step.JOIN:
            code = join_parts(g, tree, walker)
        elif todo == step.JOINED:
            enter_joined(tree, walker, terms)
        elif todo == step.SCAN:
            begin_scan(tree, walker, terms)
        elif todo == step.LEVEL:
            code = scan_level(g, tree, walker)
        elif todo == step.LEVEL_WIDENED:
            code = scan_widened(tree, walker)
        elif todo == step.FOUND:
            weigh_turn(tree, walker, terms)
        elif todo == step.CHOSEN:
            code = go_on(g, tree, walker, terms)
        elif todo == step.PLAYED:
            arrive(tree, walker)
        elif todo == step.NOTHING:
            code = turn_back(tree, walker, terms)
        elif todo == step.REACHED:
            code = reach(g, tree, walker, terms)
        elif todo == step.TALLY:
            at[cell.TODO] = step.BACK_UP
            if not tally(walker.values, at[cell.TRIALS], walker.sums):
                code = step.NO_PAYOFF
        elif todo == step.BACK_UP:
            code = finish(tree, walker, terms)
        else:  # LEARN: all is learned
            at[cell.TODO] = step.START
    release(tree)
    return code


def start(tree: Tree, walker: Walker, terms: Terms, stop: StopFlag) -> int:
    """Begin a walk at the root."""
    counts, at = tree.counts, walker.at
    if stop[0] != 0 or counts[cell.WALKS] >= counts[cell.LIMIT]:
        return step.ENDED
    if not terms.shared and 4 * max(counts[cell.ENTRIES], counts[cell.LINKS_END]) > tree.by_choice.shape[0]:
        return step.WANT_ROOM
    counts[cell.WALKS] += 1
    at[cell.DEPTH], at[cell.PLACE], at[cell.TODO] = 0, counts[cell.ROOT], step.CHOOSE
    at[cell.PAID], at[cell.PENDED], at[cell.PASSED] = 0, 0, 0
    return step.GO


def go_on(g: Ground, tree: Tree, walker: Walker, terms: Terms) -> int:
    """Step along the turn that was chosen."""
    at, p, row = walker.at, walker.at[cell.PLACE], walker.at[cell.TURN]
    k = tree.positions[p, cell.BLOCK] + row
    walker.path[at[cell.DEPTH], 0], walker.path[at[cell.DEPTH], 1] = p, row
    at[cell.DEPTH] += 1
    at[cell.FIRST_STREAM] = int(tree.rows[k, cell.VISITS] + tree.rows[k, cell.PENDING])
    if at[cell.DEPTH] == terms.depth or tree.rows[k, cell.VISITS] == 0.0:
        at[cell.TODO] = step.REACHED
        return step.GO
    known = tree.marks[k, cell.LINKS]
    if terms.certain and known != 0:
        at[cell.PLACE], at[cell.TODO] = tree.links[known - 1, 0], step.CHOOSE
        return step.GO
    at[cell.TODO] = step.PLAYED
    name_turn(tree, walker)
    return play_on(g, tree, walker)


def arrive(tree: Tree, walker: Walker) -> None:
    """Go on in the position that a turn leads to; where the game is over, or there is no room for it, the walk ends."""
    at, child = walker.at, walker.mail[cell.ANSWER]
    if at[cell.PAID] == 1 or child == cell.NONE:
        at[cell.TODO] = step.REACHED
        return
    if walker.mail[cell.ALONE] == 0:
        link(tree, walker.path[at[cell.DEPTH] - 1, 0], walker.path[at[cell.DEPTH] - 1, 1], child)
    at[cell.PLACE], at[cell.TODO] = child, step.CHOOSE


def turn_back(tree: Tree, walker: Walker, terms: Terms) -> int:
    """Nothing is left to try in a position: its turn is closed where that proves something, and the walk begins anew. Where no
    turn could be made, since the tree was filled by other threads meanwhile, the walk ends here."""
    at = walker.at
    if at[cell.DEPTH] > 0 and tree.positions[at[cell.PLACE], cell.USED] == cell.CHILDREN:
        at[cell.TODO] = step.REACHED
        return step.GO
    if at[cell.DEPTH] == 0 or not closes(terms):
        at[cell.TODO] = step.START
        tree.counts[cell.WALKS] -= 1
        return step.NOTHING_LEFT
    p, row = walker.path[at[cell.DEPTH] - 1, 0], walker.path[at[cell.DEPTH] - 1, 1]
    tree.rows[tree.positions[p, cell.BLOCK] + row, cell.CLOSED] = 1.0  # every reply to it was tried: look elsewhere
    renew_turn(tree, p, row, terms)
    at[cell.DEPTH], at[cell.PLACE], at[cell.TODO] = 0, tree.counts[cell.ROOT], step.CHOOSE
    return step.GO


def reach(g: Ground, tree: Tree, walker: Walker, terms: Terms) -> int:
    """The end of a walk: how often its last turn is tried, or what is known of it."""
    at = walker.at
    first = at[cell.FIRST_STREAM]
    at[cell.TRIALS] = min(max(int(terms.again * first), terms.samples), MOST_AGAIN * terms.samples)
    if terms.shared:
        under_way(tree, walker, terms, float(at[cell.TRIALS]))
        at[cell.PENDED] = 1
    players = walker.values.shape[1]
    at[cell.TODO] = step.TALLY
    if at[cell.PAID] == 1:
        for j in range(1, at[cell.TRIALS]):
            for p in range(players):
                walker.values[j, p] = walker.values[0, p]
        return step.GO
    k = tree.positions[walker.path[at[cell.DEPTH] - 1, 0], cell.BLOCK] + walker.path[at[cell.DEPTH] - 1, 1]
    visits = tree.rows[k, cell.VISITS]
    # one that was walked beyond is worth a mean
    if terms.certain and at[cell.DEPTH] == terms.depth and visits > 0.0 and tree.marks[k, cell.LINKS] == 0:
        for p in range(players):
            value = tree.rows[k, cell.COLUMNS + p] / visits
            for j in range(at[cell.TRIALS]):
                walker.values[j, p] = value
        return step.GO
    name_turn(tree, walker)
    return try_turn(g, tree, walker)


def name_turn(tree: Tree, walker: Walker) -> None:
    """Put into the mail which turn it is about: the last of the path."""
    at, mail = walker.at, walker.mail
    p, row = walker.path[at[cell.DEPTH] - 1, 0], walker.path[at[cell.DEPTH] - 1, 1]
    mail[cell.ASKED_ABOUT], mail[cell.ASKED_TURN] = p, tree.marks[tree.positions[p, cell.BLOCK] + row, cell.HANDLE]
    mail[cell.ASKED_FIRST], mail[cell.ASKED_TRIALS] = at[cell.FIRST_STREAM], at[cell.TRIALS]


def under_way(tree: Tree, walker: Walker, terms: Terms, trials: float) -> None:
    """Note trials as pending, so that other threads look elsewhere; or, below 0, as given up."""
    for d in range(walker.at[cell.DEPTH]):
        p, row = walker.path[d, 0], walker.path[d, 1]
        block = tree.positions[p, cell.BLOCK]
        pend(tree.rows, block, row, trials)
        renew_turn(tree, p, row, terms)
        for i in range(stages_of(tree, p)):
            pend_choice(tree, terms, tree.marks[block + row, cell.CHOICES + i], trials)


def abandon(tree: Tree, walker: Walker, terms: Terms) -> None:
    """Undo what a walk that is given up has noted."""
    at = walker.at
    unpress(tree, walker, terms)
    if at[cell.PENDED] == 1:
        under_way(tree, walker, terms, -float(at[cell.TRIALS]))
        at[cell.PENDED] = 0
    if at[cell.TODO] == step.STATED:
        tree.sources[walker.mail[cell.ASKED_ABOUT], cell.BUSY] = 0
    at[cell.TODO] = step.START


def finish(tree: Tree, walker: Walker, terms: Terms) -> int:
    at = walker.at
    at[cell.LESSONS] = 0
    back_up(tree, walker, terms)
    at[cell.PENDED] = 0
    at[cell.TODO] = step.LEARN
    return step.WANT_LEARN if at[cell.LESSONS] > 0 else step.GO
