"""What a territory adds for a seat, by the learned worth of finished drafts: the rankings that look-ahead picking stands on.

The evaluation is meant for finished drafts, so a draft is finished first, at random. What a territory adds for a seat is the
mean worth of random completions in which the seat gets it, less the mean of all. There are two estimates of that number:

- `worths_by_lot`: many completions, in each of which every seat's territories are counted. For one node that is looked at
  closely: the empty map, or the draft as it stands.
- `chance_with`: a few completions, in each of which the territory is handed to the seat in exchange for the one of its next turn.
  All turns of a seat being alike, that is a random completion in which the seat gets it, so the mean is the same; and since the
  completions are the same for all territories, and their random orders for all nodes, differences need far fewer of them. It
  is cheap enough to be made at every node of a look-ahead.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stratagem.bits import lowest, popcount
from stratagem.compile import Bound, specialise
from stratagem.games.risk.atlas import TERRITORIES
from stratagem.games.risk.draft_features import Ints, Rows
from stratagem.games.risk.draft_worth import KIND, LINEAR, added, around, by_weights, utility
from stratagem.kernel import Payoffs
from stratagem.plans.draft import Node
from stratagem.rng import Rng, below, generator
from stratagem.search.drafts import Evaluation


def free_of(node: Node) -> Ints:
    """The territories that nobody has."""
    taken = node.taken
    return np.array([t for t in range(TERRITORIES) if not taken >> t & 1], np.int64)


# ----------------------------------------------------------------------------------------------------- one node, closely


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
        by_weights(g, owned, out)
        for k in range(order.shape[0]):
            sums[0, order[k], free[k]] += out[order[k]]
            sums[1, order[k], free[k]] += 1.0


@cache
def _completing(seats: int) -> Any:
    return specialise(completions_template, {"SEATS": seats}, label="risk, worths of territories")


def worths_by_completion(row: Rows, order: tuple[int, ...], node: Node, completions: int, seed: int) -> Rows:
    """[seats, territories]: what each free territory adds for each seat, in chances to win; 0 where it is taken."""
    seats = len(node.owned)
    sums = np.zeros((2, seats, TERRITORIES))
    with np.errstate(over="ignore"):
        _completing(seats)(
            row,
            Rest(np.array(node.owned, np.int64), np.array(order[node.turn :], np.int64), free_of(node)),
            completions,
            np.zeros(seats, np.int64),
            np.zeros(seats),
            sums,
            generator(seed),
        )
    # the sums hold a finished draft's worth once for each territory that the seat got in it
    total, times = sums[0].sum(axis=1), sums[1].sum(axis=1)
    mean = np.divide(total, times, out=np.zeros(seats), where=times > 0)
    each = np.divide(sums[0], sums[1], out=np.tile(mean[:, None], TERRITORIES), where=sums[1] > 0)
    found: Rows = each - mean[:, None]
    return found


# ------------------------------------------------------------------------------------------ every node of a look-ahead

NODE_COMPLETIONS = 16  # completions of a node
NOTHING = -1  # in place of a territory: the draft is completed in a random order

MOST_SEATS = 6

# the ground: [the seat of each turn, NODE_COMPLETIONS random orders of the territories, two rooms for numbers of the seats, the
# model]
TURNS = 0
FALLS = TURNS + TERRITORIES
CHANCES = FALLS + NODE_COMPLETIONS * TERRITORIES
MODEL = CHANCES + 2 * MOST_SEATS


def sampled_ground(model: Rows, order: tuple[int, ...], seed: int) -> Rows:
    """The ground of `chance_with`; `model` is its row."""
    falls = np.random.default_rng(seed).permuted(np.tile(np.arange(TERRITORIES), (NODE_COMPLETIONS, 1)), axis=1)
    return np.concatenate([np.array(order, np.float64), falls.ravel(), np.zeros(MODEL - CHANCES), model])


def complete(g: Rows, owned: Ints, taken: int, completion: int, i: int) -> int:
    """Hand out what is free in the order of a completion; returns what seat i gets at its next turn, NOTHING if it has none."""
    t, gets = popcount(taken), NOTHING
    for k in range(TERRITORIES):
        x = int(g[FALLS + completion * TERRITORIES + k])
        if taken >> x & 1 == 0:
            p = int(g[TURNS + t])
            owned[p] |= np.int64(1) << x
            if p == i and gets == NOTHING:
                gets = x
            t += 1
    return gets


def exchange(owned: Ints, i: int, gets: int, x: int) -> None:
    """Seat i has the territory x in place of one that it got; whoever had x has that one."""
    both = (np.int64(1) << gets) | (np.int64(1) << x)
    for p in range(owned.shape[0]):
        if owned[p] >> x & 1:
            owned[p] ^= both
    owned[i] ^= both


def chance_with(g: Rows, owned: Ints, i: int, x: int) -> float:
    """Seat i's mean chance to win over completions of the draft in which it gets x. `owned` is worked in, and put back."""
    taken = np.int64(0)
    for p in range(owned.shape[0]):
        taken |= owned[p]
    out = g[CHANCES : CHANCES + owned.shape[0]]
    total = 0.0
    for completion in range(NODE_COMPLETIONS):
        gets = complete(g, owned, int(taken), completion, i)
        if x != NOTHING and gets != NOTHING and owned[i] >> x & 1 == 0:
            exchange(owned, i, gets, x)
        by_weights(g[MODEL:], owned, out)
        total += out[i]
        for p in range(owned.shape[0]):
            owned[p] &= taken
    return total / NODE_COMPLETIONS


def chance_at_end(g: Rows, owned: Ints, i: int) -> float:
    """Seat i's chance to win after a finished draft."""
    out = g[CHANCES : CHANCES + owned.shape[0]]
    by_weights(g[MODEL:], owned, out)
    return float(out[i])


def strength(g: Rows, u: float, most: float) -> float:
    """What a utility weighs in the sum that chances are shares of."""
    return max(u, 0.0) if g[KIND] == LINEAR else math.exp(u - most)


def chances_with_each(g: Rows, owned: Ints, i: int, free: int, out: Rows) -> None:
    """Into out[x] `chance_with` of each territory of the mask `free`.

    A completion is made once. To hand over x changes the utilities of two seats, each by what the two territories add."""
    n = owned.shape[0]
    model, taken = g[MODEL:], np.int64(0)
    weight, with_it = g[CHANCES : CHANCES + n], g[CHANCES + MOST_SEATS : CHANCES + MOST_SEATS + n]
    for p in range(n):
        taken |= owned[p]
    for x in range(TERRITORIES):
        out[x] = 0.0
    for completion in range(NODE_COMPLETIONS):
        gets = complete(g, owned, int(taken), completion, i)
        most, total = -np.inf, 0.0
        for p in range(n):
            weight[p] = utility(model, owned[p], p)
            most = max(most, weight[p])
        gives = np.int64(0) if gets == NOTHING else np.int64(1) << gets
        rest, mine = 0.0, owned[i] & ~gives
        for p in range(n):  # who gives one for `gets`: its utility with both
            with_it[p] = 0.0 if p == i or gives == 0 else weight[p] + added(model, owned[p], around(owned[p]), gets)
            weight[p] = strength(model, weight[p], most)
            total += weight[p]
        usual = weight[i] / total if total > 0.0 else 1.0 / n
        beside = around(mine)
        if gives != 0:
            rest = utility(model, mine, i)
        for p in range(n):
            others = owned[p] & ~taken
            while others != 0:
                x = lowest(others)
                others &= others - 1
                if p == i or gives == 0:
                    out[x] += usual
                    continue
                left = (owned[p] | gives) & ~(np.int64(1) << x)
                his = strength(model, with_it[p] - added(model, left, around(left), x), most)
                own = strength(model, rest + added(model, mine, beside, x), most)
                sum_ = total - weight[p] - weight[i] + his + own
                out[x] += own / sum_ if sum_ > 0.0 else 1.0 / n
        for p in range(n):
            owned[p] &= taken
    for x in range(TERRITORIES):
        out[x] /= NODE_COMPLETIONS


def chances_template(g: Rows, owned: Ints, found: Rows) -> None:
    """Into found[seat], by territory, the chances with each free one, and last the chance with no one in particular."""
    free = (np.int64(1) << TERRITORIES) - 1
    for p in range(owned.shape[0]):
        free &= ~owned[p]
    for i in range(owned.shape[0]):
        chances_with_each(g, owned, i, int(free), found[i, :TERRITORIES])
        found[i, TERRITORIES] = chance_with(g, owned, i, NOTHING)


@cache
def _kernels() -> tuple[Bound, Bound, Bound, Any]:
    return (
        Bound(chance_with, {}),
        Bound(chances_with_each, {}),
        Bound(chance_at_end, {}),
        specialise(chances_template, {}, label="risk, chances with each territory", lean=True),
    )


class SampledDrafts:
    """The ranking at any node of a draft, by the same completions at every one."""

    def __init__(self, row: Rows, order: tuple[int, ...], seed: int) -> None:
        self.ground = sampled_ground(row, order, seed)
        worth, worths, final, self._chances = _kernels()
        self.evaluation = Evaluation(worth, final, self.ground, worths=worths)

    def chances(self, node: Node) -> tuple[Rows, Rows]:
        """[seats, territories]: the chance to win with each free territory, 0 where it is taken; and [seats]: with none."""
        found = np.zeros((len(node.owned), TERRITORIES + 1))
        self._chances(self.ground, np.array(node.owned, np.int64), found)
        return found[:, :TERRITORIES], found[:, TERRITORIES]
