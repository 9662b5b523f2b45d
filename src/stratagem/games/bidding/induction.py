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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.simplex import Tableau, new_tableau, saddle, simplex
from stratagem.errors import StratagemError
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.graph import PASS, Graph
from stratagem.games.bidding.kernels import PASSES_ALLOWED
from stratagem.plans.bid import ADVANTAGE, COIN, FIXED, MARKER, POORMAN, least_bid, most_bid, pay

Vector = NDArray[np.float64]
Flags = NDArray[np.int64]

CLOSE = 1e-9  # values closer than this may be equal, if one of them is not exact
MOST_CHIPS = 5000  # of both together: an auction's matrices have a row and a column for every bid
CHUNK_STATES = 500_000  # states between two looks at the keyboard
EDGE, SLOPE = 2, 4.0  # the mark of a leaf; how fast the estimate of a leaf changes with money
EXACT = 2  # the cell of `Reach.settled` behind the two purses


class AuctionRules(NamedTuple):
    """Rules and sizes, all as whole numbers: one compilation serves every auction and every number of chips."""

    payment: int
    tie: int
    min_bids: tuple[int, int]  # the two players' minima may differ
    cap: int
    chooses: int  # whether winners choose who moves
    plain: int  # whether every matrix is solved without short cuts, for tests
    total: int  # chips
    most: tuple[int, int]  # the largest purses
    holders: int  # distinguished
    fixed_holder: int  # who wins fixed ties
    splits: int  # entries a holder
    levels: int  # passes distinguished
    width: int  # entries of a level: holders times splits
    conserves: int  # whether the first purse tells the second


class Nodes(NamedTuple):
    """What induction reads of a graph; see `graph.Graph`."""

    order: Flags
    children: Flags
    firsts: NDArray[np.int64]
    over: Flags
    ends: Vector
    leaves: Vector  # estimated thresholds, where `over` is EDGE


class SolutionTable(NamedTuple):
    """The solution so far, [nodes, levels * holders * splits]."""

    values: NDArray[np.float64]
    exact: NDArray[np.int8]


class Reach(NamedTuple):
    """What either winner of an auction can move to from the board at hand, and where an auction is settled."""

    best: NDArray[np.float64]  # [2, holders * splits]
    sure: NDArray[np.int64]  # whether that is exact
    settled: Flags  # [two purses, whether the value is exact]


class MatrixWork(NamedTuple):
    """Room for the matrix of one state, and what was counted."""

    low: Flags  # [2] the least bids
    high: Flags  # [2] the highest
    wins: NDArray[np.float64]  # [3, bids]: the value if a player wins with a bid; [2, i]: if both bid i
    matrix: NDArray[np.float64]  # [bids, bids]
    sure: NDArray[np.int64]  # whether its entries are exact
    mixtures: NDArray[np.float64]  # [2, bids]
    tableau: Tableau
    counts: Flags  # [mixed states, states, inexact states]


def place(rules: AuctionRules, h: int, a: int, b: int) -> int:
    """Where a holder and a split are within a row of values."""
    return h * rules.splits + (a if rules.conserves else a * (rules.most[1] + 1) + b)


def best_after(
    rules: AuctionRules, nodes: Nodes, table: SolutionTable, node: int, level: int, p: int, reach: Reach
) -> None:
    """For every holder and split, the best value that player p can move to, and whether it is exact."""
    best = reach.best[p]
    sure = reach.sure[p]
    sign = 1.0 - 2.0 * p  # the second player looks for the lowest
    width = rules.width
    for k in range(width):
        best[k] = -np.inf
        sure[k] = 1
    for c in range(nodes.firsts[node, p], nodes.firsts[node, p + 1]):
        child = nodes.children[c]
        at = 0
        if child == PASS:
            child = node
            at = (level + 1) * width
        drawn = nodes.children[c] == PASS and level + 1 == rules.levels
        for k in range(width):
            v = 0.0 if drawn else sign * table.values[child, at + k]
            e = 1 if drawn else table.exact[child, at + k]
            if v > best[k]:
                if best[k] > v - CLOSE and sure[k] == 0:
                    e = 0
                best[k] = v
                sure[k] = e
            elif e == 0 and v > best[k] - CLOSE:
                sure[k] = 0
    for k in range(width):
        best[k] *= sign


def outcome(rules: AuctionRules, h: int, a: int, b: int, winner: int, winning: int, losing: int, reach: Reach) -> float:
    """The value once an auction is paid for, the holder being h from now on; whether it is exact is noted in `reach`."""
    settled = reach.settled
    settled[0] = a
    settled[1] = b
    pay(rules.payment, settled, 0, winner, winning, losing)
    k = place(rules, h, settled[0], settled[1])
    settled[EXACT] = reach.sure[winner, k]
    return reach.best[winner, k]


def settle(rules: AuctionRules, h: int, a: int, b: int, i: int, j: int, reach: Reach) -> float:
    """The value of an auction by its bids; whether it is exact is noted in `reach`."""
    settled = reach.settled
    tie = rules.tie
    winner = 0 if i > j else 1
    after = h
    if i == j:
        winner = h if tie in (MARKER, ADVANTAGE) else rules.fixed_holder
        after = 1 - h if tie in (MARKER, ADVANTAGE) else h
    v = outcome(rules, after, a, b, winner, max(i, j), min(i, j), reach)
    if i != j or tie in (MARKER, FIXED):
        return v
    sure = settled[EXACT]
    other = outcome(rules, h, a, b, 1 - winner, i, i, reach)
    if tie == COIN:
        settled[EXACT] = min(settled[EXACT], sure)
        return (v + other) * 0.5
    if abs(v - other) < CLOSE:
        settled[EXACT] = min(settled[EXACT], sure)
    elif (v > other) == (h == 0):
        settled[EXACT] = sure
    return max(v, other) if h == 0 else min(v, other)


def first_price_saddle(rules: AuctionRules, h: int, a: int, b: int, reach: Reach, work: MatrixWork) -> float:
    """The value where only the winner pays, if there is a saddle point, else NaN; linear in the number of bids."""
    low, high, wins = work.low, work.high, work.wins
    for p in range(2):
        for i in range(low[p], high[p] + 1):
            wins[p, i] = outcome(rules, h, a, b, p, i, 0, reach)
    for i in range(max(low[0], low[1]), min(high[0], high[1]) + 1):
        wins[2, i] = settle(rules, h, a, b, i, i, reach)
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


def solve_state(rules: AuctionRules, h: int, a: int, b: int, reach: Reach, work: MatrixWork) -> float:
    """The value of one state; whether it is exact is noted in `reach`."""
    low, high, matrix, sure, counts = work.low, work.high, work.matrix, work.sure, work.counts
    settled = reach.settled
    low[0] = least_bid(a, rules.min_bids[0])
    low[1] = least_bid(b, rules.min_bids[1])
    high[0] = most_bid(a, rules.cap)
    high[1] = most_bid(b, rules.cap)
    counts[1] += 1
    if rules.payment <= POORMAN and not rules.plain and counts[2] == 0:
        v = first_price_saddle(rules, h, a, b, reach, work)
        if v == v:
            settled[EXACT] = 1
            return v
    m = high[0] - low[0] + 1
    n = high[1] - low[1] + 1
    for i in range(m):
        for j in range(n):
            matrix[i, j] = settle(rules, h, a, b, low[0] + i, low[1] + j, reach)
            sure[i, j] = settled[EXACT]
    found = saddle(matrix, m, n)
    if found < 0:
        counts[0] += 1
        counts[2] += 1
        settled[EXACT] = 0
        return simplex(matrix, m, n, work.mixtures[0], work.mixtures[1], work.tableau)
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
    settled[EXACT] = certain
    if certain == 0:
        counts[2] += 1
    return v


def choose_mover(rules: AuctionRules, reach: Reach) -> None:
    """Where winners choose who moves, either gets the better for itself of both players' best moves."""
    best, sure = reach.best, reach.sure
    for k in range(rules.width):
        most = max(best[0, k], best[1, k])
        best[1, k] = min(best[0, k], best[1, k])
        best[0, k] = most
        sure[0, k] = min(sure[0, k], sure[1, k])
        sure[1, k] = sure[0, k]


def induction_template(
    rules: AuctionRules, nodes: Nodes, table: SolutionTable, reach: Reach, work: MatrixWork, began: int, ended: int
) -> None:
    """Solve boards order[ended - 1] back to order[began], each after all that it leads to."""
    width = rules.width
    for at in range(ended - 1, began - 1, -1):
        node = nodes.order[at]
        for level in range(rules.levels - 1, -1, -1):
            if nodes.over[node] == 0:
                for p in range(2):
                    best_after(rules, nodes, table, node, level, p, reach)
                if rules.chooses:
                    choose_mover(rules, reach)
            for h in range(rules.holders):
                for a in range(rules.most[0] + 1):
                    last = rules.total - a if rules.conserves else min(rules.most[1], rules.total - a)
                    for b in range(last if rules.conserves else 0, last + 1):
                        k = level * width + place(rules, h, a, b)
                        if nodes.over[node] == 1:
                            table.values[node, k] = nodes.ends[node]
                            table.exact[node, k] = 1
                        elif nodes.over[node] == EDGE:
                            share = a / (a + b) if a + b > 0 else 0.5
                            table.values[node, k] = np.tanh(SLOPE * (share - nodes.leaves[node]))
                            table.exact[node, k] = 0
                        else:
                            table.values[node, k] = solve_state(rules, h, a, b, reach, work)
                            table.exact[node, k] = reach.settled[EXACT]


@cache
def inductor(target: str = "cpu") -> Callable[..., Any]:
    return specialise(induction_template, target=target, label="backward induction", lean=True)


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
    game: Bidding,
    graph: Graph,
    chips: tuple[int, int],
    *,
    leaves: NDArray[np.float64] | None = None,
    min_bids: tuple[int, int] | None = None,
    all_splits: bool = False,
    plain: bool = False,
    target: str = "cpu",
    report: Callable[[int, int], None] | None = None,  # called with how many boards of how many are solved
) -> Induction:
    """Solve a graph for all splits of the chips that can come from `chips`, or with `all_splits` for all of their total.

    `leaves` are estimates of the threshold at boards on the edge; `min_bids` may give the two players unlike minima.
    """
    total = sum(chips)
    conserves = game.payment.conserves
    most = (total, total) if conserves or all_splits else chips
    splits = total + 1 if conserves else (most[0] + 1) * (most[1] + 1)
    holders = 2 if game.tie in (MARKER, ADVANTAGE) else 1
    rules = AuctionRules(
        payment=game.payment.kind,
        tie=game.tie,
        min_bids=min_bids or (game["min_bid"], game["min_bid"]),
        cap=game["cap"],
        chooses=int(game["mover"] == "chosen"),
        plain=int(plain),
        total=total,
        most=most,
        holders=holders,
        fixed_holder=game["holder"],
        splits=splits,
        levels=PASSES_ALLOWED if graph.passes else 1,
        width=holders * splits,
        conserves=int(conserves),
    )
    if rules.total > MOST_CHIPS:
        raise StratagemError(
            f"{rules.total:,} chips allow too many bids to weigh against each other; up to {MOST_CHIPS:,} together are taken"
        )
    edge = np.zeros(graph.nodes) if leaves is None else leaves
    nodes = Nodes(graph.order, graph.children, graph.firsts, graph.over, graph.ends, edge)
    shape = (graph.nodes, rules.levels * rules.width)
    table = SolutionTable(np.zeros(shape), np.zeros(shape, np.int8))
    reach, work = new_reach(rules), new_work(rules)
    step = max(1, CHUNK_STATES // max(shape[1], 1))
    for ended in range(graph.nodes, 0, -step):
        began = max(ended - step, 0)
        inductor(target)(rules, nodes, table, reach, work, began, ended)
        if report:
            report(graph.nodes - began, graph.nodes)
    apart = (graph.nodes, rules.levels, rules.holders, rules.splits)
    values, exact = table.values.reshape(apart), table.exact.reshape(apart)
    return Induction(game, graph, total, most, values, exact, int(work.counts[0]), int(work.counts[1]))


def new_reach(rules: AuctionRules) -> Reach:
    return Reach(np.zeros((2, rules.width)), np.zeros((2, rules.width), np.int64), np.zeros(3, np.int64))


def new_work(rules: AuctionRules) -> MatrixWork:
    bids = rules.total + 2
    return MatrixWork(
        low=np.zeros(2, np.int64),
        high=np.zeros(2, np.int64),
        wins=np.zeros((3, bids)),
        matrix=np.zeros((bids, bids)),
        sure=np.zeros((bids, bids), np.int64),
        mixtures=np.zeros((2, bids)),
        tableau=new_tableau(bids, bids),
        counts=np.zeros(3, np.int64),
    )
