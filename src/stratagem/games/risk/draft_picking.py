"""Look-ahead picking in its home game: picks by a ranking of territories that the learned worth of finished drafts gives.

What a territory adds for a seat is said in `draft_ranking`. `static` ranks once, on the empty map; `pick` anew at every pick, so
that continents begun and neighbours held count; in both the look-ahead takes the ranking of its root for the rest of the draft.
`node` ranks anew at every node of the look-ahead as well: whoever is to move there goes by what the territories are worth there.
The picks are those of `search.drafts`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratagem.errors import OptionError
from stratagem.games.risk.atlas import IDS, TERRITORIES
from stratagem.games.risk.draft_features import Ints, Rows
from stratagem.games.risk.draft_ranking import SampledDrafts, free_of, worths_by_completion
from stratagem.games.risk.draft_worth import Evaluation
from stratagem.games.risk.game import Risk
from stratagem.plans.draft import Draft, Node
from stratagem.search.drafts import KthDrafter, OutcomeDrafter, TooLarge, greedy_pick, solve_exact

METHODS = ("kth", "ascending", "exact", "greedy")
RANKINGS = ("static", "pick", "node")
COMPLETIONS = {"static": 20_000, "pick": 2_000}
STATES = 1 << 17  # that a kth-best pick may cost before its ascending variant is tried
EXACT_ITEMS = 16  # free territories up to which `exact` plays the ranking out; before, it picks by the ascending rule
# the same where every state is ranked anew, so that a pick takes a second at most
NODE_STATES = 1 << 14
WIDTHS = (2, 3, 4, 6, 9, 14, 21)  # how many of the best territories a look-ahead by node tries, one width after another
NODE_EXACT_STATES = 1 << 14

_RANKED = {"static": "on the empty map", "pick": "from here", "node": "of this node"}


@dataclass(frozen=True)
class Picked:
    """A pick with its reason."""

    territory: int
    why: str
    worths: Rows  # [territories]: what each adds for the seat, in chances to win; NaN where it is taken


def states_from(order: tuple[int, ...]) -> int:
    """How many states these turns may lead to where it matters who has what, and all items are taken."""
    total, ways = 1, 1  # ways: to hand that many items to the seats that had their turns
    had = [0] * (max(order, default=0) + 1)
    for k, p in enumerate(order, 1):
        had[p] += 1
        ways = ways * k // had[p]
        total += math.comb(len(order), k) * ways
    return total


class Picker:
    """Picks of one game by a learned evaluation."""

    def __init__(self, game: Risk, evaluation: Evaluation, method: str, ranking: str = "static", seed: int = 0) -> None:
        if method not in METHODS:
            raise OptionError(f"there is no draft by {method!r}; there are {', '.join(METHODS)}")
        check_ranking(ranking)
        self.game, self.row, self.method, self.ranking, self.seed = game, evaluation.row, method, ranking, seed
        self.order = tuple(int(p) for p in game.claimers)
        self._known: dict[Node, Picked] = {}

    def worths(self, node: Node, completions: int) -> Rows:
        """[seats, territories]: what each free territory adds for each seat, in chances to win; 0 where it is taken."""
        return worths_by_completion(self.row, self.order, node, completions, self.seed)

    @cached_property
    def static(self) -> Rows:
        return self.worths(Node((0,) * self.game.players), COMPLETIONS["static"])

    @cached_property
    def sampled(self) -> SampledDrafts:
        return SampledDrafts(self.row, self.order, self.seed)

    @cached_property
    def whole(self) -> Draft:
        """All territories and turns, for rankings that depend on the node: what they are worth is said elsewhere."""
        return Draft(IDS, ((0,) * TERRITORIES,) * self.game.players, self.order)

    def pick(self, node: Node) -> Picked:
        """The territory to take; the same node gives the same pick."""
        if node not in self._known:
            self._known[node] = self._pick(node)
        return self._known[node]

    def _pick(self, node: Node) -> Picked:
        i = self.order[node.turn]
        free = free_of(node)
        if self.ranking == "node":
            ranked, alone = self.sampled.chances(node)
            worths, digits = ranked - alone[:, None], 9
        else:
            ranked = worths = self.static if self.ranking == "static" else self.worths(node, COMPLETIONS["pick"])
            digits = 6
        rest = Draft(
            tuple(IDS[t] for t in free),
            tuple(tuple(round(float(row[t]), digits) for t in free) for row in ranked),
            self.order[node.turn :],
        )
        seen = 0
        if self.ranking == "node":
            at, how, seen = self._by_node(rest, node, free)
        else:
            at, how = self._by(rest)
        shown = np.full(TERRITORIES, np.nan)
        shown[free] = worths[i][free]
        return Picked(int(free[at]), self._why(rest, at, float(shown[free[at]]), how, seen), shown)

    def _by(self, rest: Draft) -> tuple[int, str]:
        """The item to take of what is left, and by which rule."""
        if self.method == "greedy":
            return greedy_pick(rest), "greedy"
        if self.method == "exact" and rest.size <= EXACT_ITEMS:
            return solve_exact(rest).picks[0], "exact"
        if self.method == "kth":
            try:
                return KthDrafter(rest, most_states=STATES).pick(), "kth"
            except TooLarge:
                pass
        try:
            return KthDrafter(rest, ascending=True, most_states=STATES).pick(), "ascending"
        except TooLarge:
            return greedy_pick(rest), "greedy"

    def _by_node(self, rest: Draft, node: Node, free: Ints) -> tuple[int, str, int]:
        """The same where every node has its own ranking, and how many of its best territories a seat tries, 0 for all.

        `rest` has the ranking of the node itself. `exact` is then exact play by the learned evaluation of the finished draft, no
        ranking between. Others look at more and more of the best territories, until that takes too many states.
        """
        at, how, seen = greedy_pick(rest), "greedy", 0
        if self.method == "greedy":
            return at, how, seen
        evaluation = self.sampled.evaluation
        places = {int(t): at for at, t in enumerate(free)}
        if self.method == "exact" and states_from(rest.order) <= NODE_EXACT_STATES:
            return places[OutcomeDrafter(self.whole, "best", evaluation=evaluation).pick(node)], "exact", 0
        rule = "kth" if self.method == "kth" else "ascending"
        turns = rest.order.count(rest.order[0])
        for width in WIDTHS:
            drafter = KthDrafter(
                self.whole, evaluation=evaluation, ascending=rule == "ascending", longest=width, most_states=NODE_STATES
            )
            try:
                at = places[drafter.pick(node)]
            except TooLarge:
                break
            how, seen = rule, width if width < turns else 0
            if not seen:
                break
        return at, how, seen

    def _why(self, rest: Draft, at: int, worth: float, how: str, seen: int) -> str:
        i = rest.order[0]
        place = [int(x) for x in rest.lists[i]].index(at)
        head = (
            f"{rest.items[at]} adds {worth:+.1%} to the chance to win by the ranking {_RANKED[self.ranking]}, "
            f"and is number {place + 1} of {rest.size}"
        )
        if how == "greedy":
            reason = (
                "greedy takes the first" if self.method == "greedy" else "look-ahead is too dear here, so the first"
            )
        elif how == "exact":
            reason = "exact play takes it" if place == 0 else "played out to the end it leaves most"
        elif place == 0:
            reason = "no longer segment of the list can be completed later"
            if seen:
                reason = f"of the first {seen} none can wait"
        else:
            ahead = ", ".join(rest.items[int(x)] for x in rest.lists[i][:place])
            reason = f"the {place} ahead of it ({ahead}) will still be there if all draft like this"
            if self.ranking == "node":
                reason += ", each time by the ranking of the node they are at"
            if seen:
                reason += f" and among the first {seen}"
        if how != self.method and how != "greedy":
            reason += f" (by the {how} rule)"
        return f"{head}: {reason}"


def check_ranking(ranking: str) -> None:
    if ranking not in RANKINGS:
        raise OptionError(f"there is no ranking {ranking!r}; it is {', '.join(RANKINGS[:-1])} or {RANKINGS[-1]}")
