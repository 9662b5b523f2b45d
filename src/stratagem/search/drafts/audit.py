"""Is a rule an equilibrium? The one-shot deviation test at every node of a draft, reached or not.

A profile of rules is subgame perfect exactly when at no node the player to move gains by changing that one pick and
following the profile from there on. `audit` tests one draft; `audit_all` every profile of rankings of a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from stratagem.bits import popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.draft import Draft, DraftArrays, Ints
from stratagem.search.drafts.solution import TooLarge
from stratagem.search.drafts.tables import worth_of

RULES = ("kth", "ascending", "greedy")
KTH, ASCENDING, GREEDY = 0, 1, 2
MOST_ITEMS = 20
DEVIATES = 64  # beside a pick: another one gains


@dataclass(frozen=True)
class Audit:
    """What the test found, over one draft or many."""

    profiles: int  # drafts tested
    imperfect: int  # of them, those with a profitable deviation at some node
    on_path: int  # of them, those with one at a node that is reached
    nodes: int  # nodes with a profitable deviation, in all drafts together


def audit_template(draft: DraftArrays, rule: int, outs: Ints, picks: Ints) -> tuple[int, int]:
    """(nodes with a profitable deviation, those of them on the played path) of one draft with static worths.

    outs: [sets, players], what each player gets from a set of free items on. A set minus one item is a smaller number,
    so one pass upwards is backward induction.
    """
    lists, points = draft.lists, draft.points
    n, m = lists.shape
    turns = draft.order.shape[0]
    top = np.empty(m, np.int64)
    nodes = 0
    for free in range(1 << m):
        t = m - popcount(free)
        if t >= turns:
            for j in range(n):
                outs[free, j] = 0
            continue
        i = draft.order[t]
        count = 0
        most = 1 if rule == GREEDY else draft.left[t, i]
        for at in range(m):
            x = lists[i, at]
            if free >> x & 1 and count < most:
                top[count] = x
                count += 1
        pick = top[0]
        if rule != GREEDY:
            segment = 0
            for k in range(1, count):
                segment |= 1 << top[k - 1]
                if outs[free ^ (1 << top[k]), i] & segment == segment:
                    pick = top[k]
                elif rule == ASCENDING:
                    break
        picks[free] = pick
        for j in range(n):
            outs[free, j] = outs[free ^ (1 << pick), j]
        outs[free, i] |= 1 << pick
        gets = worth_of(points, i, outs[free, i])
        picks[free] = pick
        for x in range(m):
            if free >> x & 1 and points[i, x] + worth_of(points, i, outs[free ^ (1 << x), i]) > gets:
                nodes += 1
                picks[free] = pick | DEVIATES
                break
    reached = 0
    free = (1 << m) - 1
    for _ in range(turns):
        reached += picks[free] & DEVIATES != 0
        free ^= 1 << (picks[free] & (DEVIATES - 1))
    return nodes, reached


def audit_all_template(draft: DraftArrays, rule: int, outs: Ints, picks: Ints, found: Ints) -> None:
    """The test on every profile: player 0 ranks the items in order, the others in every way; worths are rank points.

    draft.lists must start as the identity in each row, and is changed, as are the points; found: [profiles, imperfect, on the
    path, nodes].
    """
    lists, points = draft.lists, draft.points
    n, m = lists.shape
    while True:
        for j in range(n):
            for at in range(m):
                points[j, lists[j, at]] = m - at
        nodes, reached = audit_template(draft, rule, outs, picks)
        found[0] += 1
        found[1] += nodes > 0
        found[2] += reached > 0
        found[3] += nodes
        j = n - 1
        while j > 0:
            # the next permutation of row j; when it was the last one, start again and carry to the row before
            at = m - 2
            while at >= 0 and lists[j, at] > lists[j, at + 1]:
                at -= 1
            if at >= 0:
                other = m - 1
                while lists[j, other] < lists[j, at]:
                    other -= 1
                lists[j, at], lists[j, other] = lists[j, other], lists[j, at]
            low, high = at + 1, m - 1
            while low < high:
                lists[j, low], lists[j, high] = lists[j, high], lists[j, low]
                low += 1
                high -= 1
            if at >= 0:
                break
            j -= 1
        if j == 0:
            return


@cache
def _compiled(template: Callable[..., Any]) -> Callable[..., Any]:
    return specialise(template, {}, label="the test of draft rules")


def _code(rule: str) -> int:
    if rule not in RULES:
        raise OptionError(f"rule {rule!r} is not tested; there are: {', '.join(RULES)}")
    return RULES.index(rule)


def audit(draft: Draft, rule: str = "kth") -> Audit:
    """The test on one draft without limits."""
    if draft.limits:
        raise OptionError("the test is for drafts without limits")
    if draft.size > MOST_ITEMS:
        raise TooLarge(f"the test looks at all {draft.size}-item sets' subsets; at most {MOST_ITEMS} items")
    outs, picks = np.zeros((1 << draft.size, draft.players), np.int64), np.zeros(1 << draft.size, np.int64)
    nodes, reached = _compiled(audit_template)(draft.arrays, _code(rule), outs, picks)
    return Audit(1, int(nodes > 0), int(reached > 0), int(nodes))


def audit_all(players: int, items: int, order: tuple[int, ...], rule: str = "kth") -> Audit:
    """The test on all profiles of strict rankings, the first player's fixed; worths are rank points."""
    model = Draft(tuple(map(str, range(items))), ((0,) * items,) * players, order)
    lists = np.tile(np.arange(items, dtype=np.int64), (players, 1))
    outs, picks = np.zeros((1 << items, players), np.int64), np.zeros(1 << items, np.int64)
    found = np.zeros(4, np.int64)
    every = model.arrays._replace(lists=lists, points=np.zeros_like(lists))
    _compiled(audit_all_template)(every, _code(rule), outs, picks, found)
    return Audit(*(int(x) for x in found))
