"""Drafts whose worths depend on who holds what, without kernels to write: a table of synergies, or any Python function.

A table runs on the compiled drafters (`synergies`): a player ranks a free item by what it adds, and by its part of the sets
that it may still complete. A function is called in plain Python (`Dependent`), which serves small drafts: a player ranks an item
by what it adds now. Whether a ranking plays well is judged by the worth of the finished draft; with worths of this kind the
kth-best pick is a rule without a proof, and exact play is the yardstick.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from stratagem.bits import popcount
from stratagem.errors import OptionError
from stratagem.kernel import Ground
from stratagem.plans.draft import TIES, UNIT, Draft, Ints, Node, Picks
from stratagem.search.drafts.lookahead import Evaluation, KthDrafter, OutcomeDrafter, run_out
from stratagem.search.drafts.solution import DraftSolution, TooLarge
from stratagem.search.drafts.uct import DraftUctSettings, JudgedDraft, UctDrafter

METHODS = ("kth", "ascending", "exact", "greedy", "reply")
MOST_NODES = 300_000  # that a function is asked about
EVERYBODY = -1

# the ground of the kernels: [items, players, synergies, worths by player and item, then for each synergy its player or
# EVERYBODY, its items as a bitmask, its worth, all in units of 1e-9; and last what a value of 1 stands for]
ITEMS, SEATS, SETS, WORTHS = 0, 1, 2, 3


def synergy_ground(draft: Draft) -> Ints:
    sets = [
        (
            EVERYBODY if one.player is None else one.player,
            sum(1 << x for x in one.items),
            round(one.worth / UNIT),
        )
        for one in draft.synergies
    ]
    most = int(np.abs(draft.points).sum(axis=1).max()) + sum(abs(worth) for _, _, worth in sets)
    cells = [draft.size, draft.players, len(sets), *draft.points.ravel().tolist()]
    return np.array([*cells, *(x for one in sets for x in one), max(most, 1)], np.int64)


def synergy_final(g: Ground, owned: Ints, i: int) -> float:
    """What player i's items are worth to it, its whole sets included."""
    total = 0
    for x in range(g[ITEMS]):
        if owned[i] >> x & 1:
            total += g[WORTHS + i * g[ITEMS] + x]
    at = WORTHS + g[SEATS] * g[ITEMS]
    for k in range(g[SETS]):
        mask = g[at + 3 * k + 1]
        if (g[at + 3 * k] < 0 or g[at + 3 * k] == i) and owned[i] & mask == mask:
            total += g[at + 3 * k + 2]
    return total * 1e-9


def synergy_worth(g: Ground, owned: Ints, i: int, x: int) -> float:
    """The worth of taking x, and its part of the sets around it that nobody else has broken.

    Of a set of s items of which c are held, the next one brings ((c + 1)^2 - c^2) / s^2 of its worth: together all of it, the
    last ones most.
    """
    total = float(g[WORTHS + i * g[ITEMS] + x])
    at = WORTHS + g[SEATS] * g[ITEMS]
    for k in range(g[SETS]):
        mask = g[at + 3 * k + 1]
        if mask >> x & 1 == 0 or not (g[at + 3 * k] < 0 or g[at + 3 * k] == i):
            continue
        broken = 0
        for j in range(g[SEATS]):
            if j != i:
                broken |= owned[j] & mask
        if broken == 0:
            held = popcount(owned[i] & mask)
            size = popcount(mask)
            total += g[at + 3 * k + 2] * (2 * held + 1) / (size * size)
    return total * 1e-9


def synergy_values(g: Ground, owned: Ints, out: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """Each player's worth of a finished draft, from 0 to 1."""
    most = g[WORTHS + g[SEATS] * g[ITEMS] + 3 * g[SETS]] * 1e-9
    for i in range(g[SEATS]):
        out[i] = 0.5 + 0.5 * synergy_final(g, owned, i) / most


def plain_draft(draft: Draft) -> Draft:
    """The same items and turns with the worths alone: what the compiled drafters stand on."""
    return replace(draft, synergies=(), function=None)


def synergy_evaluation(draft: Draft) -> Evaluation:
    return Evaluation(synergy_worth, synergy_final, synergy_ground(draft))


def draft_with_synergies(draft: Draft, method: str, seat: int) -> tuple[Picks, int]:
    """Picks and states by the compiled drafters."""
    base, evaluation = plain_draft(draft), synergy_evaluation(draft)
    if method in ("kth", "ascending"):
        drafter = KthDrafter(base, evaluation=evaluation, ascending=method == "ascending")
        return drafter.picks(), drafter.states
    if method == "exact":
        rules = ["best"] * draft.players
    else:
        rules = ["best" if method == "reply" and i == seat else "greedy" for i in range(draft.players)]
    outcomes = OutcomeDrafter(base, tuple(rules), evaluation=evaluation)
    return outcomes.picks(), outcomes.states


def uct_with_synergies(draft: Draft, *, seed: int = 0, settings: DraftUctSettings | None = None) -> UctDrafter:
    judged = JudgedDraft(draft.size, draft.order, draft.players, synergy_values, synergy_ground(draft))
    return UctDrafter(judged, settings=settings, seed=seed)


class Dependent:
    """Drafting in plain Python by what the draft itself says that everything is worth."""

    def __init__(self, draft: Draft, most_nodes: int = MOST_NODES) -> None:
        self.draft, self.most = draft, most_nodes
        self._worths: dict[tuple[tuple[int, ...], int], int] = {}
        self._picks: dict[tuple[tuple[int, ...], bool], int] = {}
        self._ends: dict[tuple[int, ...], Node] = {}

    @property
    def nodes(self) -> int:
        return max(len(self._picks), len(self._ends))

    def worth(self, i: int, owned: tuple[int, ...]) -> int:
        """In units of 1e-9, so that float noise is never an order."""
        key = owned, i
        if key not in self._worths:
            self._worths[key] = round(self.draft.worth_of(i, owned) / UNIT)
        return self._worths[key]

    def adds(self, node: Node, i: int, x: int) -> int:
        """What taking a free item would add for a player."""
        return self.worth(i, node.plus(i, x).owned) - self.worth(i, node.owned)

    def ranked(self, node: Node) -> list[int]:
        """The free items of the player to move, best first, by the draft's own order of ties."""
        draft, i = self.draft, self.draft.order[node.turn]
        free = draft.free(node)
        points = np.zeros((draft.players, draft.size), np.int64)
        for j in range(draft.players):
            for x in free:
                points[j, x] = self.adds(node, j, x)
        keys = draft.tie_keys(points.sum(axis=0) - points)[i]
        return sorted(free, key=lambda x: (-points[i, x], keys[x]))

    def greedy_pick(self, node: Node) -> int:
        return self.ranked(node)[0]

    def kth_pick(self, node: Node, ascending: bool = False) -> int:
        key = node.owned, ascending
        if key in self._picks:
            return self._picks[key]
        self._count(len(self._picks))
        i = self.draft.order[node.turn]
        best = self.ranked(node)
        most = min(int(self.draft.left[node.turn, i]), len(best))
        pick = best[0]
        for k in range(1, most) if ascending else range(most - 1, 0, -1):
            gets = self.gets_all(set(best[:k]), i, node.plus(i, best[k]), ascending)
            if gets:
                pick = best[k]
            if gets != ascending:  # the longest segment is found, or the first one fails
                break
        self._picks[key] = pick
        return pick

    def gets_all(self, wanted: set[int], i: int, node: Node, ascending: bool = False) -> bool:
        """Whether player i gets all of a set from a node on, if everybody drafts by the rule."""
        wanted = set(wanted)
        while wanted:
            if node.turn >= self.draft.turns:
                return False
            x, mover = self.kth_pick(node, ascending), self.draft.order[node.turn]
            if x in wanted:
                if mover != i:
                    return False
                wanted.remove(x)
            node = node.plus(mover, x)
        return True

    def end(self, node: Node, deciding: frozenset[int]) -> Node:
        """The finished draft where some seats pick what ends best for them and the others take what adds most."""
        if node.turn >= self.draft.turns:
            return node
        if node.owned not in self._ends:
            self._count(len(self._ends))
            i = self.draft.order[node.turn]
            ends = [self.end(node.plus(i, x), deciding) for x in self._options(node, deciding)]
            self._ends[node.owned] = max(ends, key=lambda end: self.worth(i, end.owned))
        return self._ends[node.owned]

    def _options(self, node: Node, deciding: frozenset[int]) -> list[int]:
        ranked = self.ranked(node)
        return ranked if self.draft.order[node.turn] in deciding else ranked[:1]

    def best_pick(self, node: Node, deciding: frozenset[int]) -> int:
        """The pick that ends best; among equals the first in the mover's order."""
        i = self.draft.order[node.turn]
        return max(
            self._options(node, deciding), key=lambda x: self.worth(i, self.end(node.plus(i, x), deciding).owned)
        )

    def _count(self, known: int) -> None:
        if known >= self.most:
            raise TooLarge(
                f"more than {self.most:,} nodes are needed, and a function is asked at each: use fewer items or greedy, "
                "or write what you can as a table of synergies, which is compiled"
            )

    def picks(self, method: str, seat: int = 0) -> Picks:
        draft = self.draft
        if method == "greedy":
            return run_out(draft, draft.start(), self.greedy_pick)
        if method in ("kth", "ascending"):
            return run_out(draft, draft.start(), lambda node: self.kth_pick(node, method == "ascending"))
        deciding = frozenset(range(draft.players)) if method == "exact" else frozenset({seat})
        return run_out(draft, draft.start(), lambda node: self.best_pick(node, deciding))

    @cached_property
    def everybody(self) -> frozenset[int]:
        return frozenset(range(self.draft.players))


def solve_dependent(draft: Draft, method: str, seat: int = 0) -> DraftSolution:
    """A whole draft whose worths depend on who holds what."""
    if method not in METHODS:
        raise OptionError(
            f"method {method} is for worths that do not depend on who holds what; here there are {', '.join(METHODS)}"
            + (", uct" if draft.function is None else "")
        )
    if not 0 <= seat < draft.players:
        raise OptionError(f"there is no seat {seat}; seats go from 0 to {draft.players - 1}")
    ranked = "items are ranked by what they add"
    if draft.function is None and draft.ties == TIES[0]:
        picks, states = draft_with_synergies(draft, method, seat)
        return DraftSolution(method, draft, picks, states, note=f"{ranked} and their part of sets that are still open")
    drafter = Dependent(draft)
    return DraftSolution(method, draft, drafter.picks(method, seat), drafter.nodes, note=ranked)
