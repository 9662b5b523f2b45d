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

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.draft import PASS, Draft, Ints, Node, Solution
from stratagem.search.drafts.lookahead import DEFAULT_STATES, OutcomeDrafter, TooLarge, play

MEMORY = 4_000_000_000  # bytes an exact solution may use
PARALLEL_FROM = 1 << 15  # sets in a layer from which threads pay
NOTHING = -(2**62)  # below any worth


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


def layer_template(
    choose: Ints, points: Ints, place: Ints, i: int, f: int, low: int, high: int, below: Ints, here: Ints,
    picks: NDArray[np.uint8], members: Ints, stop: Ints,
) -> None:  # fmt: skip
    """Sets `low` to `high` of the layer with f free items, where player i picks.

    choose: binomials [items + 1, items + 2]; place: place[x] of item x in i's strict order; below, here: what each player
    gets from a set on, [players, sets of the layer].
    """
    n, m = points.shape
    mask = unrank(choose, m, f, low)
    rest = mask
    for q in range(f):
        lowest = rest & -rest
        members[q] = popcount(lowest - 1)
        rest ^= lowest
    members[f] = m + 1  # nothing runs into it
    for rank in range(low, high):
        if rank & 65535 == 0 and stop[0] != 0:
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
        picks[mask] = best_item
        # the next set of this size: the lowest item that can move up does, those below it fall back
        q = 0
        while members[q] + 1 == members[q + 1]:
            mask ^= np.int64(1) << members[q]
            members[q] = q
            mask |= np.int64(1) << q
            q += 1
        mask ^= np.int64(3) << members[q]
        members[q] += 1


@cache
def _layer() -> Callable[..., None]:
    return specialise(layer_template, {}, label="exact drafting by layers")


def layers_memory(draft: Draft) -> int:
    """The bytes that backward induction by layers would use."""
    m = draft.size
    widest = max(comb(m, f) + comb(m, f - 1) for f in range(max(m - draft.turns, 0) + 1, m + 1))
    return widest * 8 * draft.players + (1 << m)


def _by_layers(draft: Draft, stop: Ints) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Picks, all optimal first picks, and the number of states, for a whole draft without limits."""
    m, n, turns = draft.size, draft.players, draft.turns
    choose = np.array([[comb(a, b) for b in range(m + 2)] for a in range(m + 1)], np.int64)
    place = np.empty((n, m), np.int64)
    for i in range(n):
        place[i, draft.lists[i]] = np.arange(m)
    picks = np.zeros(1 << m, np.uint8)
    below = np.zeros((n, comb(m, m - turns)), np.int64)
    states = 0
    threads = os.cpu_count() or 1
    solve = _layer()
    last = below
    with ThreadPoolExecutor(threads) as pool:
        for f in range(m - turns + 1, m + 1):
            sets = comb(m, f)
            here = np.empty((n, sets), np.int64)
            i = draft.order[m - f]
            parts = threads if sets >= PARALLEL_FROM else 1
            bounds = [sets * k // parts for k in range(parts + 1)]
            work = [
                pool.submit(
                    solve, choose, draft.points, place[i], i, f, bounds[k], bounds[k + 1], below, here, picks,
                    np.zeros(m + 2, np.int64), stop,
                )
                for k in range(parts)
            ]  # fmt: skip
            try:
                pending = set(work)
                while pending:
                    pending = wait(pending, timeout=0.2).not_done
            except KeyboardInterrupt:
                stop[0] = 1
                raise
            for done in work:
                done.result()
            states += sets
            last, below = below, here
            del here
    free = (1 << m) - 1
    i = draft.order[0]
    # without item x, the numbers of the m - 1 others
    finals = [int(draft.points[i, x] + last[i, m - 1 - x]) for x in range(m)]
    best = max(finals)
    first = tuple(x for x in range(m) if finals[x] == best)
    played = []
    for _ in range(turns):
        x = int(picks[free])
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
    if draft.limits:
        raise OptionError("a draft with limits cannot be cut: what is legal depends on what is owned")
    free = draft.free(node)
    rest = Draft(
        tuple(draft.items[x] for x in free), tuple(tuple(row[x] for x in free) for row in draft.worths),
        draft.order[node.turn :],
    )  # fmt: skip
    keep = horizon(rest, exact=exact)
    return rest.cut(keep), [free[x] for x in keep]


# --------------------------------------------------------------------------------------------------------------- exact


def solve_exact(
    draft: Draft, node: Node | None = None, *, memory: int = MEMORY, most_states: int = DEFAULT_STATES,
    stop: Ints | None = None,
) -> Solution:  # fmt: skip
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
        return Solution("exact", draft, picks, states, first, note)
    rest, old = rest_of(draft, node)
    needs = layers_memory(rest)
    if needs <= memory:
        picks, first, states = _by_layers(rest, stop)
    elif draft.players == 2 and rest.size <= 40:
        picks, first, states = _by_table(rest, rest.start(), most_states, stop)
    else:
        raise TooLarge(
            f"exact play with {rest.size} items and {draft.players} players needs {needs / 1e9:.1f} GB, over the "
            f"{memory / 1e9:.1f} GB allowed: use kth, ascending or UCT drafting now and exact when fewer items are free"
            + (", or back-to-front" if draft.players == 2 and rest.size == rest.turns else "")
        )
    return Solution("exact", draft, tuple(old[x] for x in picks), states, tuple(old[x] for x in first), note)


def _by_table(
    draft: Draft, node: Node, most_states: int, stop: Ints
) -> tuple[tuple[int, ...], tuple[int, ...], int]:  # fmt: skip
    drafter = OutcomeDrafter(draft, "best", most_states=most_states, stop=stop)
    picks = drafter.picks(node)
    i = draft.order[node.turn]
    finals: dict[int, int] = {}
    for x in draft.legal(node):
        after = play(node, i, x)
        later = drafter.outcome(after)[i] if after.turn < draft.turns else 0
        finals[x] = int(draft.points[i, x]) + sum(int(draft.points[i, y]) for y in range(draft.size) if later >> y & 1)
    best = max(finals.values(), default=0)
    return picks, tuple(x for x in finals if finals[x] == best), drafter.states


# ---------------------------------------------------------------------------------------------------------- best reply


def obtainable(lists: Ints, order: Ints, begin: int, seat: int, free: int, wanted: int) -> bool:
    """Whether a seat can get all of `wanted` from greedy opponents.

    The opponents' picks are those they make where `wanted` is not there. A wanted item falls due when an opponent would
    rather have it than his pick; all can be had if before each turn no more are due than the seat has had turns.
    """
    turns, due, left = 0, 0, wanted
    for u in range(begin, order.shape[0]):
        j = order[u]
        if j == seat:
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


def reply_template(
    lists: Ints, order: Ints, begin: int, seat: int, free: int, mine: Ints, points: Ints, target: int,
    candidates: Ints, counts: Ints, at: Ints, chosen: Ints, gained: Ints, work: Ints,
) -> int:  # fmt: skip
    """The most that a seat can get from greedy opponents, by branch and bound over sets of items.

    mine: the seat's free items, best first; points: their worths. Ends early once `target` is reached. work: [nodes used,
    nodes allowed]; over the allowance the result is NOTHING. What can be had only shrinks as a set grows, so each level
    keeps the candidates that can still be added, and their best worths bound what is to come.
    """
    turns = 0
    for u in range(begin, order.shape[0]):
        turns += order[u] == seat
    best = np.int64(NOTHING)
    depth = 0
    chosen[0] = 0
    gained[0] = 0
    at[0] = 0
    counts[0] = 0
    for k in range(mine.shape[0]):
        if obtainable(lists, order, begin, seat, free, np.int64(1) << mine[k]):
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
            bound += points[candidates[depth, k]]
        if bound <= best:
            depth -= 1
            continue
        work[0] += 1
        if work[0] > work[1]:
            return NOTHING
        k = candidates[depth, at[depth]]
        at[depth] += 1
        chosen[depth + 1] = chosen[depth] | (np.int64(1) << mine[k])
        gained[depth + 1] = gained[depth] + points[k]
        at[depth + 1] = 0
        counts[depth + 1] = 0
        if depth + 1 < turns:
            for c in range(at[depth], counts[depth]):
                other = candidates[depth, c]
                if obtainable(lists, order, begin, seat, free, chosen[depth + 1] | (np.int64(1) << mine[other])):
                    candidates[depth + 1, counts[depth + 1]] = other
                    counts[depth + 1] += 1
        depth += 1
    return int(best)


@cache
def _reply() -> Callable[..., int]:
    return specialise(reply_template, {}, label="best reply to greedy drafters")


class _Reply:
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
        levels = turns + 1
        value = int(_reply()(
            draft.lists, draft.turn_order, node.turn, seat, free, mine, draft.points[seat][mine].copy(), target,
            np.zeros((levels, len(mine)), np.int64), np.zeros(levels, np.int64), np.zeros(levels, np.int64),
            np.zeros(levels, np.int64), np.zeros(levels, np.int64), self.work,
        ))  # fmt: skip
        if self.work[0] > self.work[1]:
            raise TooLarge(
                f"the best reply needs more than {int(self.work[1]):,} sets of items to be looked at; "
                "use kth or UCT drafting, or fewer items"
            )
        return value


def best_reply(
    draft: Draft, seat: int, node: Node | None = None, *, most_nodes: int = 1_000_000,
    most_states: int = DEFAULT_STATES, stop: Ints | None = None,
) -> Solution:  # fmt: skip
    """The draft from a node on where one seat replies best to greedy others."""
    if not 0 <= seat < draft.players:
        raise OptionError(f"there is no seat {seat}; seats go from 0 to {draft.players - 1}")
    node = node or draft.start()
    if draft.limits:
        rules = tuple("best" if i == seat else "greedy" for i in range(draft.players))
        drafter = OutcomeDrafter(draft, rules, most_states=most_states, stop=stop)
        return Solution("reply", draft, drafter.picks(node), drafter.states)
    rest, old = rest_of(draft, node)
    if rest.size > 62:
        raise TooLarge(f"{rest.size} items can matter, and sets hold at most 62: use UCT drafting")
    search = _Reply(rest, seat, most_nodes)
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
                if search.value(play(at, i, x), lacking) >= lacking:
                    worth = lacking
                    break
        picks.append(x)
        at = play(at, i, x)
    return Solution("reply", draft, tuple(old[x] for x in picks), int(search.work[0]))


__all__ = ["MEMORY", "best_reply", "horizon", "layers_memory", "rest_of", "solve_exact"]
