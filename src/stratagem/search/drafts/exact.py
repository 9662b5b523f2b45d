"""Exact drafts: subgame perfect equilibrium by layers, best replies to greedy drafters, and the horizon cut.

States with f free items all belong to one turn, so backward induction goes f = 0, 1, 2, ... and needs two layers of values
at a time: sets of one size are numbered by the combinatorial number system, and removing one item from a set changes its
number by sums that run along with the loop. Picks are kept for all sets, one byte each, to play the draft from the front.

With three or more players an equilibrium need not be unique, nor better for anyone than plain greedy picking: among
equally good picks the one that is best in the mover's strict order is taken, and that choice selects among equilibria.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.draft import MOST_ITEMS, PASS, Draft, DraftArrays, Ints, Node, Picks
from stratagem.search.drafts.lookahead import DEFAULT_STATES, OutcomeDrafter
from stratagem.search.drafts.solution import DraftSolution, TooLarge

MEMORY = 4_000_000_000  # bytes an exact solution may use
PARALLEL_FROM = 1 << 15  # sets in a layer from which threads pay
NOTHING = -(2**62)  # below any worth
STOP_EVERY = 65536  # sets between two looks at the flag, a power of 2
MOST_BY_TABLE = 40  # items up to which two players' states are worked out one by one


# -------------------------------------------------------------------------------------------------------------- layers


def unrank(choose: Ints, size: int, f: int, rank: int) -> int:
    """The set number `rank` among the f-subsets of `size` items, in increasing order of their masks."""
    mask = np.int64(0)
    at = size - 1
    for j in range(f, 0, -1):
        while choose[at, j] > rank:
            at -= 1
        mask |= np.int64(1) << at
        rank -= choose[at, j]
    return int(mask)


class Sets(NamedTuple):
    """All sets of free items of a draft, numbered by size."""

    choose: Ints  # [items + 1, items + 2]: binomials
    points: Ints  # [players, items]: worths in units of 1e-9
    place: Ints  # [players, items]: the place of an item in a player's strict order
    picks: NDArray[np.uint8]  # [2 ** items]: the pick from a set

    @classmethod
    def of(cls, draft: Draft) -> Sets:
        m, n = draft.size, draft.players
        place = np.empty((n, m), np.int64)
        for i in range(n):
            place[i, draft.lists[i]] = np.arange(m)
        choose = np.array([[comb(a, b) for b in range(m + 2)] for a in range(m + 1)], np.int64)
        return cls(choose, draft.points, place, np.zeros(1 << m, np.uint8))


class Layer(NamedTuple):
    """The sets of one size, and what each player gets from a set on; that of the sets of one item less is known."""

    mover: int
    size: int  # of the sets: free items
    below: Ints  # [players, sets of one item less]
    here: Ints  # [players, sets]


def layer_template(sets: Sets, layer: Layer, low: int, high: int, members: Ints, stop: Ints) -> None:
    """The sets `low` to `high` of a layer. members: [items + 2], scratch."""
    choose, points, place = sets.choose, sets.points, sets.place[layer.mover]
    below, here = layer.below, layer.here
    n, m = points.shape
    i, f = layer.mover, layer.size
    mask = unrank(choose, m, f, low)
    rest = mask
    for q in range(f):
        lowest = rest & -rest
        members[q] = popcount(lowest - 1)
        rest ^= lowest
    members[f] = m + 1  # nothing runs into it
    for rank in range(low, high):
        if rank & (STOP_EVERY - 1) == 0 and stop[0] != 0:
            return
        # without its q-th item a set's number is that of the items before q, and of those behind, one place earlier
        before, behind = np.int64(rank), np.int64(0)
        best = np.int64(NOTHING)
        best_item, best_rank, best_place = np.int64(0), np.int64(0), np.int64(m)
        for q in range(f - 1, -1, -1):
            x = members[q]
            before -= choose[x, q + 1]
            after = before + behind
            gained = points[i, x] + below[i, after]
            if gained >= best and (gained > best or place[x] < best_place):
                best, best_item, best_rank, best_place = gained, x, after, place[x]
            behind += choose[x, q]
        for j in range(n):
            here[j, rank] = below[j, best_rank]
        here[i, rank] = best
        sets.picks[mask] = best_item
        # the next set of this size: the lowest item that can move up does, those below it fall back
        q = 0
        while members[q] + 1 == members[q + 1]:
            mask ^= np.int64(1) << members[q]
            members[q] = q
            mask |= np.int64(1) << q
            q += 1
        mask ^= np.int64(3) << members[q]
        members[q] += 1


def _steps(sets: Sets, layer: Layer, low: int, high: int, *others: Any) -> float:
    """About how often the innermost loop of a layer turns."""
    return float((high - low) * (layer.size + 4))


@cache
def _layer() -> Callable[..., None]:
    return specialise(layer_template, {}, label="exact drafting by layers", lean=True, meanwhile=_steps)


def layers_memory(draft: Draft) -> int:
    """The bytes that backward induction by layers would use."""
    m = draft.size
    widest = max(comb(m, f) + comb(m, f - 1) for f in range(max(m - draft.turns, 0) + 1, m + 1))
    return widest * 8 * draft.players + (1 << m)


def _by_layers(draft: Draft, stop: Ints) -> tuple[Picks, Picks, int]:
    """Picks, all optimal first picks, and the number of states, for a whole draft without limits."""
    m, n, turns = draft.size, draft.players, draft.turns
    sets = Sets.of(draft)
    last = below = np.zeros((n, comb(m, m - turns)), np.int64)
    states = 0
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        for f in range(m - turns + 1, m + 1):
            size = comb(m, f)
            here = np.empty((n, size), np.int64)
            layer = Layer(draft.order[m - f], f, below, here)
            parts = threads if size >= PARALLEL_FROM else 1
            bounds = [size * k // parts for k in range(parts + 1)]
            work = [
                pool.submit(_layer(), sets, layer, bounds[k], bounds[k + 1], np.zeros(m + 2, np.int64), stop)
                for k in range(parts)
            ]
            try:
                pending = set(work)
                while pending:
                    pending = wait(pending, timeout=0.2).not_done
            except KeyboardInterrupt:
                stop[0] = 1
                raise
            for done in work:
                done.result()
            states += size
            last, below = below, here
            del here, layer
    i = draft.order[0]
    # without item x, the numbers of the m - 1 others
    finals = [int(draft.points[i, x] + last[i, m - 1 - x]) for x in range(m)]
    first = tuple(x for x in range(m) if finals[x] == max(finals))
    free, played = (1 << m) - 1, []
    for _ in range(turns):
        x = int(sets.picks[free])
        played.append(x)
        free ^= 1 << x
    return tuple(played), first, states


# ------------------------------------------------------------------------------------------------------------- horizon


def horizon(draft: Draft, *, exact: bool) -> list[int]:
    """The items that can matter, by index: with u turns in the whole draft, each player's best u.

    That holds every pick that greedy or kth drafters can make. Exact play may also want to pass, by taking an item that
    nobody wants: for it each player's best items among the others stay too, as many as he has turns.
    """
    turns = draft.turns
    keep = {int(x) for row in draft.lists for x in row[:turns]}
    if exact:
        others = [[int(x) for x in row if int(x) not in keep] for row in draft.lists]
        keep |= {x for i, row in enumerate(others) for x in row[: draft.order.count(i)]}
    return sorted(keep)


def rest_of(draft: Draft, node: Node, *, exact: bool = True) -> tuple[Draft, list[int]]:
    """What is left of a draft from a node on, cut to its horizon, and the old index of each item. Not with limits."""
    draft.check_static()
    if draft.limits:
        raise OptionError("a draft with limits cannot be cut: what is legal depends on what is owned")
    free = draft.free(node)
    items, worths = [draft.items[x] for x in free], [tuple(row[x] for x in free) for row in draft.worths]
    order = draft.order[node.turn :]
    rest = Draft(tuple(items), tuple(worths), order, ties=draft.ties, tie_seed=draft.tie_seed)
    keep = horizon(rest, exact=exact)
    return rest.cut(keep), [free[x] for x in keep]


# --------------------------------------------------------------------------------------------------------------- exact


def solve_exact(
    draft: Draft,
    node: Node | None = None,
    *,
    memory: int = MEMORY,
    most_states: int = DEFAULT_STATES,
    stop: Ints | None = None,
) -> DraftSolution:
    """Subgame perfect picks from a node on, and all optimal first picks; refuses with the reason when too large.

    `.picks` are those from the node on; `.totals` is for solutions from the start.
    """
    node = node or draft.start()
    stop = np.zeros(1, np.int64) if stop is None else stop
    if node.turn >= draft.turns:
        raise OptionError(f"the draft is over after {draft.turns} turns: there is nothing to solve")
    note = "among equally good picks, the best in the mover's own order"
    if draft.players > 2:
        note += "; with three or more players this selects one of several equilibria"
    if draft.limits:
        picks, first, states = _by_table(draft, node, most_states, stop)
        return DraftSolution("exact", draft, picks, states, first, note)
    rest, old = rest_of(draft, node)
    needs = layers_memory(rest)
    if needs <= memory:
        picks, first, states = _by_layers(rest, stop)
    elif draft.players == 2 and rest.size <= MOST_BY_TABLE:
        picks, first, states = _by_table(rest, rest.start(), most_states, stop)
    else:
        raise TooLarge(
            f"exact play with {rest.size} items and {draft.players} players needs {needs / 1e9:.1f} GB, over the "
            f"{memory / 1e9:.1f} GB allowed: use kth, ascending or UCT drafting now and exact when fewer items are free"
            + (", or back-to-front" if draft.players == 2 and rest.size == rest.turns else "")
        )
    return DraftSolution("exact", draft, tuple(old[x] for x in picks), states, tuple(old[x] for x in first), note)


def _by_table(draft: Draft, node: Node, most_states: int, stop: Ints) -> tuple[Picks, Picks, int]:
    """The same as `_by_layers` from a node on, by a table of the states that are met."""
    drafter = OutcomeDrafter(draft, "best", most_states=most_states, stop=stop)
    picks = drafter.picks(node)
    i = draft.order[node.turn]
    finals: dict[int, int] = {}
    for x in draft.legal(node):
        after = node.plus(i, x)
        later = drafter.outcome(after)[i] if after.turn < draft.turns else 0
        finals[x] = int(draft.points[i, x]) + sum(int(draft.points[i, y]) for y in range(draft.size) if later >> y & 1)
    best = max(finals.values(), default=0)
    return picks, tuple(x for x in finals if finals[x] == best), drafter.states


# ---------------------------------------------------------------------------------------------------------- best reply


class GreedyQuestion(NamedTuple):
    """A seat among greedy opponents, at a node."""

    draft: DraftArrays
    seat: int
    turn: int
    free: int  # items, as a bitmask
    mine: Ints  # [free items]: in the seat's order, best first
    worths: Ints  # [free items]: of those to the seat, in units of 1e-9


class Branches(NamedTuple):
    """A branch of the search, a level an item chosen."""

    candidates: Ints  # [levels, free items]: those of `mine`, by place, that can be added
    counts: Ints  # [levels]: how many those are
    at: Ints  # [levels]: the next one to be tried
    chosen: Ints  # [levels]: the items chosen so far, as a bitmask
    gained: Ints  # [levels]: what they are worth

    @classmethod
    def empty(cls, levels: int, items: int) -> Branches:
        return cls(np.zeros((levels, items), np.int64), *(np.zeros(levels, np.int64) for _ in range(4)))


def obtainable(asked: GreedyQuestion, free: int, wanted: int) -> bool:
    """Whether the seat can get all of `wanted` from greedy opponents, where `free` are the free items.

    The opponents' picks are those they make where `wanted` is not there. A wanted item falls due when an opponent would
    rather have it than his pick; all can be had if before each turn no more are due than the seat has had turns.
    """
    lists, order = asked.draft.lists, asked.draft.order
    turns, due, left = 0, 0, wanted
    for u in range(asked.turn, order.shape[0]):
        j = order[u]
        if j == asked.seat:
            turns += 1
            continue
        for at in range(lists.shape[1]):
            x = lists[j, at]
            if free >> x & 1 == 0:
                continue
            if left >> x & 1:
                left ^= np.int64(1) << x
                free ^= np.int64(1) << x
                due += 1
                if due > turns:
                    return False
            else:
                free ^= np.int64(1) << x
                break
    return due + popcount(left) <= turns


def reply_template(asked: GreedyQuestion, branches: Branches, target: int, work: Ints) -> int:
    """The most that a seat can get from greedy opponents, by branch and bound over sets of items.

    Ends early once `target` is reached. work: [nodes used, nodes allowed]; over the allowance the result is NOTHING. What can
    be had only shrinks as a set grows, so each level keeps the candidates that can still be added, and their best worths
    bound what is to come.
    """
    candidates, counts, at = branches.candidates, branches.counts, branches.at
    chosen, gained = branches.chosen, branches.gained
    turns = asked.draft.left[asked.turn, asked.seat]
    best = np.int64(NOTHING)
    depth = 0
    chosen[0] = 0
    gained[0] = 0
    at[0] = 0
    counts[0] = 0
    for k in range(asked.mine.shape[0]):
        if obtainable(asked, asked.free, np.int64(1) << asked.mine[k]):
            candidates[0, counts[0]] = k
            counts[0] += 1
    while depth >= 0:
        lacking = turns - depth
        if lacking == 0:
            best = max(best, gained[depth])
            if best >= target:
                return int(best)
            depth -= 1
            continue
        if at[depth] + lacking > counts[depth]:
            depth -= 1
            continue
        bound = gained[depth]
        for k in range(at[depth], at[depth] + lacking):
            bound += asked.worths[candidates[depth, k]]
        if bound <= best:
            depth -= 1
            continue
        work[0] += 1
        if work[0] > work[1]:
            return NOTHING
        k = candidates[depth, at[depth]]
        at[depth] += 1
        chosen[depth + 1] = chosen[depth] | (np.int64(1) << asked.mine[k])
        gained[depth + 1] = gained[depth] + asked.worths[k]
        at[depth + 1] = 0
        counts[depth + 1] = 0
        if depth + 1 < turns:
            for c in range(at[depth], counts[depth]):
                other = candidates[depth, c]
                if obtainable(asked, asked.free, chosen[depth + 1] | (np.int64(1) << asked.mine[other])):
                    candidates[depth + 1, counts[depth + 1]] = other
                    counts[depth + 1] += 1
        depth += 1
    return int(best)


@cache
def _reply() -> Callable[..., int]:
    return specialise(reply_template, {}, label="best reply to greedy drafters", lean=True)


class _Replies:
    """Best replies in one draft without limits; what a node is worth to the seat."""

    def __init__(self, draft: Draft, seat: int, most_nodes: int) -> None:
        self.draft, self.seat = draft, seat
        self.work = np.array([0, most_nodes], np.int64)

    def value(self, node: Node, target: int = 2**62) -> int:
        """The most that the seat gets from a node on, or any value of at least `target` that it can get."""
        draft, seat = self.draft, self.seat
        turns = int(draft.left[node.turn, seat])
        if turns == 0:
            return 0
        taken = node.taken
        mine = np.array([x for x in draft.lists[seat] if not taken >> int(x) & 1], np.int64)
        free = ((1 << draft.size) - 1) & ~taken
        asked = GreedyQuestion(draft.arrays, seat, node.turn, free, mine, draft.points[seat][mine])
        value = int(_reply()(asked, Branches.empty(turns + 1, len(mine)), target, self.work))
        if self.work[0] > self.work[1]:
            raise TooLarge(
                f"the best reply needs more than {int(self.work[1]):,} sets of items to be looked at; "
                "use kth or UCT drafting, or fewer items"
            )
        return value


def best_reply(
    draft: Draft,
    seat: int,
    node: Node | None = None,
    *,
    most_nodes: int = 1_000_000,
    most_states: int = DEFAULT_STATES,
    stop: Ints | None = None,
) -> DraftSolution:
    """The draft from a node on where one seat replies best to greedy others."""
    if not 0 <= seat < draft.players:
        raise OptionError(f"there is no seat {seat}; seats go from 0 to {draft.players - 1}")
    node = node or draft.start()
    if draft.limits:
        rules = tuple("best" if i == seat else "greedy" for i in range(draft.players))
        drafter = OutcomeDrafter(draft, rules, most_states=most_states, stop=stop)
        return DraftSolution("reply", draft, drafter.picks(node), drafter.states)
    rest, old = rest_of(draft, node)
    if rest.size > MOST_ITEMS:
        raise TooLarge(f"{rest.size} items can matter, and sets hold at most {MOST_ITEMS}: use UCT drafting")
    search = _Replies(rest, seat, most_nodes)
    at = rest.start()
    picks: list[int] = []
    worth = search.value(at)
    while at.turn < rest.turns:
        i = rest.order[at.turn]
        taken = at.taken
        free = (int(x) for x in rest.lists[i] if not taken >> int(x) & 1)
        x = PASS
        if i != seat:
            x = next(free)
        else:
            for x in free:
                lacking = worth - int(rest.points[i, x])
                if search.value(at.plus(i, x), lacking) >= lacking:
                    worth = lacking
                    break
        picks.append(x)
        at = at.plus(i, x)
    return DraftSolution("reply", draft, tuple(old[x] for x in picks), int(search.work[0]))
