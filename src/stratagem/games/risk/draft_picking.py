"""Look-ahead picking in its home game: a ranking of territories made from the learned worth of finished drafts, and picks by it.

What a territory adds for a seat is the mean worth of random completions of the draft in which the seat gets it, less the mean of
all: the evaluation is meant for finished drafts, so they are finished first. `static` ranks once, on the empty map; `node`
anew at every pick, so that continents begun and neighbours held count. The picks are those of `search.drafts`, which take the
ranking as it is at the node for the rest of the draft.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.games.risk.atlas import IDS, TERRITORIES
from stratagem.games.risk.draft_features import Ints, Rows
from stratagem.games.risk.draft_worth import Evaluation, by_any, judge_of
from stratagem.games.risk.game import Risk
from stratagem.kernel import Payoffs
from stratagem.plans.draft import Draft, Node
from stratagem.rng import Rng, below, generator
from stratagem.search.drafts import KthDrafter, TooLarge, greedy_pick, solve_exact

METHODS = ("kth", "ascending", "exact", "greedy")
RANKINGS = ("static", "node")
COMPLETIONS = {"static": 20_000, "node": 2_000}
STATES = 1 << 17  # that a kth-best pick may cost before its ascending variant is tried
EXACT_ITEMS = 16  # free territories up to which `exact` plays the ranking out; before, it picks by the ascending rule
SHOWN = 5

evaluate = by_any  # or the kernel of the model at hand


class Rest(NamedTuple):
    """What is left of a draft."""

    start: Ints  # [seats]: what each has, as bitmasks
    order: Ints  # [turns left]: the seat
    free: Ints  # the territories left, whose order is changed


def completions_template(g: Rows, rest: Rest, completions: int, owned: Ints, out: Payoffs, sums: Rows, r: Rng) -> None:
    """Random completions of a draft: into sums, by seat and territory, the worths of drafts in which it gets it, and how many.

    sums: [2, seats, territories].
    """
    start, order, free = rest.start, rest.order, rest.free
    n = free.shape[0]
    for _ in range(completions):
        for p in range(owned.shape[0]):
            owned[p] = start[p]
        for k in range(order.shape[0]):
            j = k + below(r, n - k)
            t = free[j]
            free[j] = free[k]
            free[k] = t
            owned[order[k]] |= np.int64(1) << t
        evaluate(g, owned, out)
        for k in range(order.shape[0]):
            sums[0, order[k], free[k]] += out[order[k]]
            sums[1, order[k], free[k]] += 1.0


@cache
def _compiled(kernel: Any, seats: int) -> Any:
    return specialise(completions_template, {"evaluate": kernel, "SEATS": seats}, label="risk, worths of territories")


@dataclass(frozen=True)
class Picked:
    """A pick with its reason."""

    territory: int
    why: str
    worths: Rows  # [territories]: what each adds for the seat, in chances to win; NaN where it is taken


class Picker:
    """Picks of one game by a learned evaluation."""

    def __init__(self, game: Risk, evaluation: Evaluation, method: str, ranking: str = "static", seed: int = 0) -> None:
        if method not in METHODS:
            raise OptionError(f"there is no draft by {method!r}; there are {', '.join(METHODS)}")
        if ranking not in RANKINGS:
            raise OptionError(f"there is no ranking {ranking!r}; it is {' or '.join(RANKINGS)}")
        self.game, self.row, self.method, self.ranking, self.seed = game, evaluation.row, method, ranking, seed
        self.order = tuple(int(p) for p in game.claimers)
        self._known: dict[Node, Picked] = {}

    def worths(self, node: Node, completions: int) -> Rows:
        """[seats, territories]: what each free territory adds for each seat, in chances to win; 0 where it is taken."""
        seats, taken = self.game.players, node.taken
        free = np.array([t for t in range(TERRITORIES) if not taken >> t & 1], np.int64)
        sums = np.zeros((2, seats, TERRITORIES))
        kernel, ground = judge_of(self.row, seats)
        with np.errstate(over="ignore"):
            _compiled(kernel, seats)(
                ground,
                Rest(np.array(node.owned, np.int64), np.array(self.order[node.turn :], np.int64), free),
                completions,
                np.zeros(seats, np.int64),
                np.zeros(seats),
                sums,
                generator(self.seed),
            )
        # the sums hold a finished draft's worth once for each territory that the seat got in it
        total, times = sums[0].sum(axis=1), sums[1].sum(axis=1)
        mean = np.divide(total, times, out=np.zeros(seats), where=times > 0)
        each = np.divide(sums[0], sums[1], out=np.tile(mean[:, None], TERRITORIES), where=sums[1] > 0)
        found: Rows = each - mean[:, None]
        return found

    @cached_property
    def static(self) -> Rows:
        return self.worths(Node((0,) * self.game.players), COMPLETIONS["static"])

    def pick(self, node: Node) -> Picked:
        """The territory to take; the same node gives the same pick."""
        if node not in self._known:
            self._known[node] = self._pick(node)
        return self._known[node]

    def _pick(self, node: Node) -> Picked:
        worths = self.static if self.ranking == "static" else self.worths(node, COMPLETIONS["node"])
        taken = node.taken
        free = [t for t in range(TERRITORIES) if not taken >> t & 1]
        rest = Draft(
            tuple(IDS[t] for t in free),
            tuple(tuple(round(float(row[t]), 6) for t in free) for row in worths),
            self.order[node.turn :],
        )
        i = rest.order[0]
        at, how = self._by(rest)
        place = [int(x) for x in rest.lists[i]].index(at)
        shown = np.full(TERRITORIES, np.nan)
        shown[free] = worths[i][free]
        return Picked(free[at], self._why(rest, i, at, place, how), shown)

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

    def _why(self, rest: Draft, i: int, at: int, place: int, how: str) -> str:
        name, worth = rest.items[at], rest.worths[i][at]
        ranking = "on the empty map" if self.ranking == "static" else "from here"
        head = f"{name} adds {worth:+.1%} to the chance to win by the ranking {ranking}, and is number {place + 1} of {rest.size}"
        if how == "greedy":
            reason = (
                "greedy takes the first" if self.method == "greedy" else "look-ahead is too dear here, so the first"
            )
        elif place == 0:
            reason = "no longer segment of the list can be completed later" if how != "exact" else "exact play takes it"
        elif how == "exact":
            reason = "played out to the end it leaves most"
        else:
            ahead = ", ".join(rest.items[int(x)] for x in rest.lists[i][:place])
            reason = f"the {place} ahead of it ({ahead}) will still be there if all draft like this"
        if how != self.method and how != "greedy":
            reason += f" (by the {how} rule)"
        return f"{head}: {reason}"
