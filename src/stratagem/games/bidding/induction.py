"""Backward induction over a bidding game: the value of every board for every split of the chips at once.

Each state (board, passes, holder, purses) is a matrix game: rows are the first player's bids, columns the second's. Per board
two vectors are made first, the best that either player can reach by a move for every split of the money; an entry of a
matrix is then one lookup. Where only the winner pays, an entry off the diagonal depends on the winning bid alone, so that the
guarantees of both sides, and with them a saddle point, are found in time linear in the bids. Only where there is no saddle
point is the matrix built and solved, by the simplex method.

Values of whole numbers and their halves are exact in floating point; `exact` says for each state whether its value is, which
stops being so above the first mixture (`rational` in solver.py takes over there).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.simplex import saddle, simplex
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.graph import PASS, Graph
from stratagem.games.bidding.kernels import PASSES_ALLOWED
from stratagem.plans.bid import ADVANTAGE, COIN, FIXED, MARKER, POORMAN, least_bid, most_bid, pay

Vector = NDArray[np.float64]
Flags = NDArray[np.int64]

CLOSE = 1e-9  # values closer than this may be equal, if one of them is not exact
CHUNK_STATES = 2_000_000  # states between two looks at the keyboard
EDGE, SLOPE = 2, 4.0  # the mark of a leaf; how fast the estimate of a leaf changes with money

# The rules and sizes, in the array z: one compilation serves them all.
PAYMENT, TIE_RULE, MIN_BID, CAP = 0, 1, 2, 4  # the two players' minima may differ
CHOOSES, PLAIN = 5, 6  # whether winners choose who moves; whether every matrix is solved without short cuts, for tests
TOTAL, MOST, HOLDERS, FIXED_HOLDER = 7, 8, 10, 11  # chips, largest purses, holders told apart, who wins fixed ties
SPLITS, LEVELS, CONSERVES = 12, 13, 14  # entries a holder, passes told apart, whether the first purse tells the second
SIZES = 15


def place(z: Flags, h: int, a: int, b: int) -> int:
    """Where a holder and a split are within a row of values."""
    return h * z[SPLITS] + (a if z[CONSERVES] else a * (z[MOST + 1] + 1) + b)


def best_after(
    z: Flags, values: NDArray[np.float64], exact: NDArray[np.int8], children: Flags, first: int, last: int, sign: float,
    node: int, level: int, best: Vector, sure: Flags,
) -> None:  # fmt: skip
    """For every holder and split, the best value a player can move to (sign 1: highest, -1: lowest) and whether it is exact."""
    width = z[HOLDERS] * z[SPLITS]
    for k in range(width):
        best[k] = -np.inf
        sure[k] = 1
    for c in range(first, last):
        child = children[c]
        at = 0
        if child == PASS:
            child = node
            at = (level + 1) * width
        drawn = children[c] == PASS and level + 1 == z[LEVELS]
        for k in range(width):
            v = 0.0 if drawn else sign * values[child, at + k]
            e = 1 if drawn else exact[child, at + k]
            if v > best[k]:
                if best[k] > v - CLOSE and sure[k] == 0:
                    e = 0
                best[k] = v
                sure[k] = e
            elif e == 0 and v > best[k] - CLOSE:
                sure[k] = 0
    for k in range(width):
        best[k] *= sign


def outcome(
    z: Flags, h: int, a: int, b: int, winner: int, winning: int, losing: int,
    w: NDArray[np.float64], e: NDArray[np.int64], small: Flags,
) -> float:  # fmt: skip
    """The value once an auction is paid for, the holder being h from now on; small = [two purses, whether it is exact]."""
    small[0] = a
    small[1] = b
    pay(z[PAYMENT], small, 0, winner, winning, losing)
    k = place(z, h, small[0], small[1])
    small[2] = e[winner, k]
    return w[winner, k]


def settle(
    z: Flags, h: int, a: int, b: int, i: int, j: int, w: NDArray[np.float64], e: NDArray[np.int64], small: Flags
) -> float:
    """The value of an auction by its bids; whether it is exact into small[2]."""
    tie = z[TIE_RULE]
    winner = 0 if i > j else 1
    after = h
    if i == j:
        winner = h if tie in (MARKER, ADVANTAGE) else z[FIXED_HOLDER]
        after = 1 - h if tie in (MARKER, ADVANTAGE) else h
    v = outcome(z, after, a, b, winner, max(i, j), min(i, j), w, e, small)
    if i != j or tie in (MARKER, FIXED):
        return v
    sure = small[2]
    other = outcome(z, h, a, b, 1 - winner, i, i, w, e, small)
    if tie == COIN:
        small[2] = min(small[2], sure)
        return (v + other) * 0.5
    if abs(v - other) < CLOSE:
        small[2] = min(small[2], sure)
    elif (v > other) == (h == 0):
        small[2] = sure
    return max(v, other) if h == 0 else min(v, other)


def first_price_saddle(
    z: Flags, h: int, a: int, b: int, low: Flags, high: Flags, w: NDArray[np.float64], e: NDArray[np.int64], small: Flags,
    wins: NDArray[np.float64],
) -> float:  # fmt: skip
    """The value where only the winner pays, if there is a saddle point, else NaN; linear in the number of bids.

    wins[p, i]: the value if p wins with a bid of i; wins[2, i]: if both bid i.
    """
    for p in range(2):
        for i in range(low[p], high[p] + 1):
            wins[p, i] = outcome(z, h, a, b, p, i, 0, w, e, small)
    for i in range(max(low[0], low[1]), min(high[0], high[1]) + 1):
        wins[2, i] = settle(z, h, a, b, i, i, w, e, small)
    found = 0.0
    for p in range(2):  # what the first player can guarantee, then what the second must concede: for it, signs turn
        q = 1 - p
        sign = 1.0 if p == 0 else -1.0
        most = -np.inf
        above = np.inf  # the worst of the opponent's wins with bids above i
        at = high[q]
        for i in range(high[p], low[p] - 1, -1):
            while at > i and at >= low[q]:
                above = min(above, sign * wins[q, at])
                at -= 1
            guaranteed = above
            if low[q] < i:
                guaranteed = min(guaranteed, sign * wins[p, i])
            if low[q] <= i <= high[q]:
                guaranteed = min(guaranteed, sign * wins[2, i])
            most = max(most, guaranteed)
        if p == 0:
            found = most
        elif found < -most:
            return np.nan
    return found


def solve_state(
    z: Flags, h: int, a: int, b: int, w: NDArray[np.float64], e: NDArray[np.int64], small: Flags, low: Flags, high: Flags,
    wins: NDArray[np.float64], matrix: NDArray[np.float64], sure: NDArray[np.int64], mixtures: NDArray[np.float64],
    t: NDArray[np.float64], labels: Flags, counts: Flags,
) -> float:  # fmt: skip
    """The value of one state; whether it is exact into small[2]. counts = [mixed states, states, inexact states]."""
    low[0] = least_bid(a, z[MIN_BID])
    low[1] = least_bid(b, z[MIN_BID + 1])
    high[0] = most_bid(a, z[CAP])
    high[1] = most_bid(b, z[CAP])
    counts[1] += 1
    if z[PAYMENT] <= POORMAN and not z[PLAIN] and counts[2] == 0:
        v = first_price_saddle(z, h, a, b, low, high, w, e, small, wins)
        if v == v:
            small[2] = 1
            return v
    m = high[0] - low[0] + 1
    n = high[1] - low[1] + 1
    for i in range(m):
        for j in range(n):
            matrix[i, j] = settle(z, h, a, b, low[0] + i, low[1] + j, w, e, small)
            sure[i, j] = small[2]
    found = saddle(matrix, m, n)
    if found < 0:
        counts[0] += 1
        counts[2] += 1
        small[2] = 0
        return simplex(matrix, m, n, mixtures[0], mixtures[1], t, labels)
    row = found // n
    column = found % n
    v = matrix[row, column]
    certain = sure[row, column]
    for j in range(n):
        if sure[row, j] == 0 and matrix[row, j] < v + CLOSE:
            certain = 0
    for i in range(m):
        if sure[i, column] == 0 and matrix[i, column] > v - CLOSE:
            certain = 0
    small[2] = certain
    if certain == 0:
        counts[2] += 1
    return v


def induction_template(
    z: Flags, order: Flags, began: int, ended: int, children: Flags, firsts: NDArray[np.int64], over: Flags, ends: Vector,
    leaves: Vector, values: NDArray[np.float64], exact: NDArray[np.int8], w: NDArray[np.float64], e: NDArray[np.int64],
    small: Flags, low: Flags, high: Flags, wins: NDArray[np.float64], matrix: NDArray[np.float64],
    sure: NDArray[np.int64], mixtures: NDArray[np.float64], t: NDArray[np.float64], labels: Flags, counts: Flags,
) -> None:  # fmt: skip
    """Solve boards order[ended - 1] back to order[began], each after all that it leads to."""
    width = z[HOLDERS] * z[SPLITS]
    for at in range(ended - 1, began - 1, -1):
        node = order[at]
        for level in range(z[LEVELS] - 1, -1, -1):
            if over[node] == 0:
                for p in range(2):
                    best_after(
                        z,
                        values,
                        exact,
                        children,
                        firsts[node, p],
                        firsts[node, p + 1],
                        1.0 - 2.0 * p,
                        node,
                        level,
                        w[p],
                        e[p],
                    )
                if z[CHOOSES]:
                    for k in range(width):
                        most = max(w[0, k], w[1, k])
                        w[1, k] = min(w[0, k], w[1, k])
                        w[0, k] = most
                        e[0, k] = min(e[0, k], e[1, k])
                        e[1, k] = e[0, k]
            for h in range(z[HOLDERS]):
                for a in range(z[MOST] + 1):
                    last = z[TOTAL] - a if z[CONSERVES] else min(z[MOST + 1], z[TOTAL] - a)
                    for b in range(last if z[CONSERVES] else 0, last + 1):
                        k = level * width + place(z, h, a, b)
                        if over[node] == 1:
                            values[node, k] = ends[node]
                            exact[node, k] = 1
                        elif over[node] == EDGE:
                            share = a / (a + b) if a + b > 0 else 0.5
                            values[node, k] = np.tanh(SLOPE * (share - leaves[node]))
                            exact[node, k] = 0
                        else:
                            values[node, k] = solve_state(
                                z, h, a, b, w, e, small, low, high, wins, matrix, sure, mixtures, t, labels, counts
                            )
                            exact[node, k] = small[2]


@cache
def inductor() -> Callable[..., Any]:
    return specialise(induction_template, label="backward induction")


@dataclass
class Induction:
    """The values of a solved graph: values[node, passes, holder, split] for the first player."""

    game: Bidding
    graph: Graph
    total: int
    most: tuple[int, int]  # the largest purses
    values: NDArray[np.float64]
    exact: NDArray[np.int8]
    mixed: int  # states without a saddle point
    states: int
    asked: dict[Any, Any] = field(default_factory=dict)  # auctions and moves that were looked at before

    @property
    def conserves(self) -> bool:
        return self.game.payment.conserves

    def covers(self, a: int, b: int) -> bool:
        if self.conserves:
            return a + b == self.total
        return a <= self.most[0] and b <= self.most[1] and a + b <= self.total

    def split(self, a: int, b: int) -> int:
        return a if self.conserves else a * (self.most[1] + 1) + b

    def holder(self, h: int) -> int:
        """The index of a holder: where it never changes there is only one."""
        return h if self.values.shape[2] == 2 else 0

    def at(self, node: int, passes: int, h: int, a: int, b: int) -> tuple[int, int, int, int]:
        return node, min(passes, self.values.shape[1] - 1), self.holder(h), self.split(a, b)

    def value(self, node: int, passes: int, h: int, a: int, b: int) -> float:
        return float(self.values[self.at(node, passes, h, a, b)])


def solve_graph(
    game: Bidding, graph: Graph, chips: tuple[int, int], *, leaves: NDArray[np.float64] | None = None,
    min_bids: tuple[int, int] | None = None, all_splits: bool = False, plain: bool = False, report: Any = None,
) -> Induction:  # fmt: skip
    """Solve a graph for all splits of the chips that can come from `chips`, or with `all_splits` for all of their total.

    `leaves` are estimates of the threshold at boards on the edge; `min_bids` may give the two players unlike minima.
    """
    total = sum(chips)
    conserves = game.payment.conserves
    most = (total, total) if conserves or all_splits else chips
    splits = total + 1 if conserves else (most[0] + 1) * (most[1] + 1)
    holders = 2 if game.tie in (MARKER, ADVANTAGE) else 1
    levels = PASSES_ALLOWED if graph.passes else 1
    low = min_bids or (game["min_bid"], game["min_bid"])
    z = np.zeros(SIZES, np.int64)
    z[PAYMENT], z[TIE_RULE], z[MIN_BID : MIN_BID + 2], z[CAP] = game.payment.kind, game.tie, low, game["cap"]
    z[CHOOSES], z[PLAIN], z[TOTAL], z[MOST : MOST + 2] = game["mover"] == "chosen", plain, total, most
    z[HOLDERS], z[FIXED_HOLDER], z[SPLITS], z[LEVELS], z[CONSERVES] = holders, game["holder"], splits, levels, conserves
    width, bids = holders * splits, total + 2
    values = np.zeros((graph.nodes, levels * width))
    exact = np.zeros((graph.nodes, levels * width), np.int8)
    counts = np.zeros(3, np.int64)
    work = (
        np.zeros((2, width)), np.zeros((2, width), np.int64), np.zeros(3, np.int64), np.zeros(2, np.int64),
        np.zeros(2, np.int64), np.zeros((3, bids)), np.zeros((bids, bids)), np.zeros((bids, bids), np.int64),
        np.zeros((2, bids)), np.zeros((bids + 1, bids + 1)), np.zeros(2 * bids, np.int64), counts,
    )  # fmt: skip
    edge = np.zeros(graph.nodes) if leaves is None else leaves
    step = max(1, CHUNK_STATES // max(levels * width, 1))
    for ended in range(graph.nodes, 0, -step):
        began = max(ended - step, 0)
        inductor()(
            z,
            graph.order,
            began,
            ended,
            graph.children,
            graph.firsts,
            graph.over,
            graph.ends,
            edge,
            values,
            exact,
            *work,
        )
        if report:
            report(graph.nodes - began, graph.nodes)
    shape = (graph.nodes, levels, holders, splits)
    return Induction(
        game, graph, total, most, values.reshape(shape), exact.reshape(shape), int(counts[0]), int(counts[1])
    )
