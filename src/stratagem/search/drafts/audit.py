"""Is a rule an equilibrium? The one-shot deviation test at every node of a draft, reached or not.

A profile of rules is subgame perfect exactly when at no node the player to move gains by changing that one pick and
following the profile from there on. `audit` tests one draft; `audit_all` every profile of rankings of a small one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np

from stratagem.bits import popcount
from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.draft import TIES, UNIT, Draft, DraftArrays, Ints, Node, Picks, round_robin, snake
from stratagem.search.drafts.dependent import Dependent
from stratagem.search.drafts.solution import TooLarge
from stratagem.search.drafts.tables import worth_of

RULES = ("kth", "ascending", "greedy", "strict")
# strict: kth where equals do not count as better, so that they are given away
KTH, ASCENDING, GREEDY, STRICT = range(4)
MOST_ITEMS = 20
MOST_DEPENDENT = 20_000  # nodes, where worths depend on who holds what
DEVIATES = 64  # beside a pick: another one gains


@dataclass(frozen=True)
class Audit:
    """What the test found, over one draft or many."""

    profiles: int  # drafts tested
    imperfect: int  # of them, those with a profitable deviation at some node
    on_path: int  # of them, those with one at a node that is reached
    nodes: int  # nodes with a profitable deviation, in all drafts together


@dataclass(frozen=True)
class Deviation:
    """A pick that gains, by a player who then follows the rule again."""

    turn: int
    player: int
    picks: tuple[int, int]  # by the rule, and the better one
    gain: float


@dataclass(frozen=True)
class AuditVerdict:
    """Is the rule optimal in one draft, and by how much not?"""

    rule: str
    picks: Picks
    totals: tuple[float, ...]
    sets: int  # sets of free items, nodes of the draft
    nodes: int  # of them, those at which the player to move gains by another pick
    largest: float  # gain at any node
    path: tuple[Deviation, ...]  # at nodes that are reached

    @property
    def perfect(self) -> bool:
        """Whether no pick at any node gains."""
        return self.nodes == 0

    def json(self, draft: Draft) -> dict[str, Any]:
        """Return the verdict as data.

        Args:
            draft: the draft, which gives the items their names.
        """
        return {
            "rule": self.rule,
            "subgame_perfect": self.perfect,
            "equilibrium_on_path": not self.path,
            "nodes": self.sets,
            "nodes_with_gain": self.nodes,
            "largest_gain": self.largest,
            "picks": [draft.items[x] for x in self.picks],
            "totals": list(self.totals),
            "deviations": [
                {
                    "turn": one.turn + 1,
                    "player": one.player,
                    "pick": draft.items[one.picks[0]],
                    "better": draft.items[one.picks[1]],
                    "gain": one.gain,
                }
                for one in self.path
            ],
        }


def audit_template(draft: DraftArrays, rule: int, outs: Ints, picks: Ints, gains: Ints) -> tuple[int, int]:
    """(nodes with a profitable deviation, those of them on the played path) of one draft with static worths.

    gains: [sets, 2], the most that another pick gains, and that pick; one row is enough where nobody asks for them.
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
                if rule == STRICT:
                    segment = 0
                    for better in range(k):
                        if points[i, top[better]] > points[i, top[k]]:
                            segment |= 1 << top[better]
                if outs[free ^ (1 << top[k]), i] & segment == segment:
                    pick = top[k]
                elif rule == ASCENDING:
                    break
        picks[free] = pick
        for j in range(n):
            outs[free, j] = outs[free ^ (1 << pick), j]
        outs[free, i] |= 1 << pick
        gets = worth_of(points, i, outs[free, i])
        most_gained = 0
        at_best = pick
        for x in range(m):
            if free >> x & 1:
                gain = points[i, x] + worth_of(points, i, outs[free ^ (1 << x), i]) - gets
                if gain > most_gained:
                    most_gained = gain
                    at_best = x
        if most_gained > 0:
            nodes += 1
            picks[free] = pick | DEVIATES
        if gains.shape[0] > 1:
            gains[free, 0] = most_gained
            gains[free, 1] = at_best
    reached = 0
    free = (1 << m) - 1
    for _ in range(turns):
        reached += picks[free] & DEVIATES != 0
        free ^= 1 << (picks[free] & (DEVIATES - 1))
    return nodes, reached


def audit_all_template(draft: DraftArrays, rule: int, outs: Ints, picks: Ints, gains: Ints, found: Ints) -> None:
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
        nodes, reached = audit_template(draft, rule, outs, picks, gains)
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
    outs, picks = _tables(draft)
    nodes, reached = _compiled(audit_template)(draft.arrays, _code(rule), outs, picks, NO_GAINS.copy())
    return Audit(1, int(nodes > 0), int(reached > 0), int(nodes))


NO_GAINS = np.zeros((1, 2), np.int64)


def _tables(draft: Draft) -> tuple[Ints, Ints]:
    if draft.limits:
        raise OptionError("the test is for drafts without limits")
    if draft.size > MOST_ITEMS:
        raise TooLarge(f"the test looks at all {draft.size}-item sets' subsets; at most {MOST_ITEMS} items")
    return np.zeros((1 << draft.size, draft.players), np.int64), np.zeros(1 << draft.size, np.int64)


def examine(draft: Draft, rule: str = "kth") -> AuditVerdict:
    """Whether a rule is optimal in a draft, and what better picks would gain where it is not."""
    if draft.dependent:
        return _examine_dependent(draft, rule)
    outs, picks = _tables(draft)
    gains = np.zeros((1 << draft.size, 2), np.int64)
    nodes, _ = _compiled(audit_template)(draft.arrays, _code(rule), outs, picks, gains)
    node, played, path = draft.start(), [], []
    for turn, i in enumerate(draft.order):
        free = ((1 << draft.size) - 1) & ~node.taken
        x = int(picks[free]) & (DEVIATES - 1)
        if gains[free, 0] > 0:
            path.append(Deviation(turn, i, (x, int(gains[free, 1])), float(gains[free, 0] * UNIT)))
        played.append(x)
        node = node.plus(i, x)
    largest, least = float(gains[:, 0].max() * UNIT), draft.size - draft.turns
    sets = sum(comb(draft.size, free) for free in range(least + 1, draft.size + 1))
    return AuditVerdict(rule, tuple(played), draft.totals(node), sets, int(nodes), largest, tuple(path))


def _examine_dependent(draft: Draft, rule: str) -> AuditVerdict:
    """The same where worths depend on who holds what: every node that any picks lead to, in plain Python."""
    if rule not in ("kth", "ascending", "greedy"):
        raise OptionError(
            f"rule {rule!r} is not tested where worths depend on who holds what; kth, ascending, greedy are"
        )
    drafter = Dependent(draft)
    ends: dict[tuple[int, ...], Node] = {}

    def pick(node: Node) -> int:
        return drafter.greedy_pick(node) if rule == "greedy" else drafter.kth_pick(node, rule == "ascending")

    def end(node: Node) -> Node:
        if node.turn >= draft.turns:
            return node
        if node.owned not in ends:
            ends[node.owned] = end(node.plus(draft.order[node.turn], pick(node)))
        return ends[node.owned]

    def better(node: Node) -> Deviation | None:
        i = draft.order[node.turn]
        gets = drafter.worth(i, end(node).owned)
        others = {x: drafter.worth(i, end(node.plus(i, x)).owned) - gets for x in draft.free(node)}
        best = max(others, key=lambda x: (others[x], -x))
        return Deviation(node.turn, i, (pick(node), best), others[best] * UNIT) if others[best] > 0 else None

    layer, seen, nodes, largest = {draft.start().owned: draft.start()}, 0, 0, 0.0
    for turn in range(draft.turns):
        seen += len(layer)
        if seen > MOST_DEPENDENT:
            raise TooLarge(f"the draft has more than {MOST_DEPENDENT:,} nodes to test; give fewer items or turns")
        for node in layer.values():
            found = better(node)
            nodes += found is not None
            largest = max(largest, found.gain if found else 0.0)
        after = (node.plus(draft.order[turn], x) for node in layer.values() for x in draft.free(node))
        layer = {node.owned: node for node in after} if turn + 1 < draft.turns else {}
    node, played, path = draft.start(), [], []
    while node.turn < draft.turns:
        if (found := better(node)) is not None:
            path.append(found)
        played.append(pick(node))
        node = node.plus(draft.order[node.turn], played[-1])
    return AuditVerdict(rule, tuple(played), draft.totals(node), seen, nodes, largest, tuple(path))


def audit_all(players: int, items: int, order: tuple[int, ...], rule: str = "kth") -> Audit:
    """The test on all profiles of strict rankings, the first player's fixed; worths are rank points."""
    model = Draft(tuple(map(str, range(items))), ((0,) * items,) * players, order)
    lists = np.tile(np.arange(items, dtype=np.int64), (players, 1))
    outs, picks = np.zeros((1 << items, players), np.int64), np.zeros(1 << items, np.int64)
    found = np.zeros(4, np.int64)
    gains = NO_GAINS.copy()
    every = model.arrays._replace(lists=lists, points=np.zeros_like(lists))
    _compiled(audit_all_template)(every, _code(rule), outs, picks, gains, found)
    return Audit(*(int(x) for x in found))


# ---------------------------------------------------------------------------------------------------- the study of ties

STUDIED = (*TIES, "strict")  # five orders, and the rule under which equals do not count as better
SETTINGS = ((2, 8), (2, 9), (3, 8), (3, 9), (4, 8))  # players and items, each with a round robin and a snake
TIED_WORTHS = 6  # integers from 0: many ties


@dataclass(frozen=True)
class TieRow:
    """How the kth-best pick does under one order of ties, over many drafts with ties."""

    ties: str
    drafts: int
    perfect: int  # drafts in which it is an equilibrium at every node
    total: float  # mean of what all players get together


def tie_study(drafts: int, seed: int = 0, progress: Callable[[int], None] | None = None) -> list[TieRow]:
    """The kth-best pick under six orders of equals, on the same random drafts with integer worths."""
    if drafts < 1:
        raise OptionError(f"{drafts} drafts tell nothing; give 1 or more")
    perfect, totals = dict.fromkeys(STUDIED, 0), dict.fromkeys(STUDIED, 0.0)
    for number in range(drafts):
        rng = np.random.default_rng([seed, number])
        players, items = SETTINGS[number // 2 % len(SETTINGS)]
        order = (round_robin if number % 2 == 0 else snake)(players, items)
        worths = rng.integers(0, TIED_WORTHS, (players, items)).tolist()
        for ties in STUDIED:
            rule = "strict" if ties == "strict" else "kth"
            shown = TIES[0] if ties == "strict" else ties
            draft = Draft(tuple(map(str, range(items))), worths, order, ties=shown, tie_seed=number)
            outs, picks = _tables(draft)
            nodes, _ = _compiled(audit_template)(draft.arrays, _code(rule), outs, picks, NO_GAINS.copy())
            perfect[ties] += nodes == 0
            every = (1 << items) - 1
            got = [sum(worths[i][x] for x in range(items) if int(outs[every, i]) >> x & 1) for i in range(players)]
            totals[ties] += sum(got)
        if progress is not None:
            progress(number + 1)
    return [TieRow(ties, drafts, perfect[ties], totals[ties] / drafts) for ties in STUDIED]
