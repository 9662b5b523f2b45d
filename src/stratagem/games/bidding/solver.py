"""The exact solution of a bidding game, asked one position at a time: values, optimal bids, best moves, fractions.

`BiddingSolver(game).solve(position)` is what `stratagem solve bidding` prints. A solution holds every board below the position
it was made for and every split of the chips, so the rest of a game is looked up. Solutions that took long are saved in the
cache folder and read back at once; the file's name changes with the rules and the code.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import cache_folder, limit_bytes, make_room, note_use
from stratagem.contract.game import ArrayPosition
from stratagem.contract.player import Solution, Solver
from stratagem.equilibrium import zero_sum
from stratagem.equilibrium.exact import solve_exactly
from stratagem.errors import StratagemError
from stratagem.games.bidding.boards import boards_of
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.graph import LARGEST, PASS, Graph, explore, explorer
from stratagem.games.bidding.induction import CLOSE, Induction, inductor, solve_graph
from stratagem.games.bidding.kernels import (
    BID,
    BIDS,
    FLIP,
    HOLDER,
    MOVE,
    PASSES,
    PASSES_ALLOWED,
    PHASE,
    PURSE,
    TIE,
    WHO,
)
from stratagem.games.bidding.view import bars, draw
from stratagem.kernel import State
from stratagem.plans.bid import ADVANTAGE, COIN, FIXED, MARKER, POORMAN, least_bid, most_bid, pay

FEW_PLAYOUTS = 10  # for one board, of a look that must be quick
SLOW = 1.0  # seconds from which a solution is worth saving
FOLDER = "solutions"  # of the cache folder
SHARE = 0.25  # of the cache's limit that solutions may take, so that they never drive compiled code out
FREE = 500e6  # bytes that saving a solution leaves free on the disk
MOST_STATES = 60_000_000  # values of one solution
MOST_HALVINGS = 45  # of a coin, that a float holds exactly
MOST_FRACTIONS = 400_000  # states in rational arithmetic before giving up on a fraction

KEPT = ("states", "children", "firsts", "ends", "over", "order", "layers")  # of a graph, in a file

Mixture = dict[int, float]


@dataclass(frozen=True)
class Auction:
    """One state's matrix game."""

    lows: tuple[int, int]  # the least bids
    matrix: NDArray[np.float64]  # [first player's bids, second player's bids], value for the first
    value: float
    mixtures: tuple[Mixture, Mixture]

    @property
    def pure(self) -> bool:
        return all(len(mixture) == 1 for mixture in self.mixtures)


class Stakes(NamedTuple):
    """What a position has beside its board."""

    passes: int  # in a row
    holder: int  # of the marker or the token
    first: int  # the first player's chips
    second: int

    @staticmethod
    def of(s: State) -> Stakes:
        return Stakes(int(s[PASSES]), int(s[HOLDER]), int(s[PURSE]), int(s[PURSE + 1]))


@dataclass(frozen=True, repr=False, kw_only=True)
class BiddingSolution(Solution):
    """The truth about an auction, or about a decision between two auctions; the value is the first player's."""

    seat: int = 0
    auction: Auction | None = field(default=None, compare=False)  # None where nobody bids now
    moves: tuple[tuple[str, ...], ...] = ((), ())  # each player's best moves if it wins the auction, the best first

    def json(self) -> dict[str, Any]:
        return {
            **self._worth(),
            "exact": None if self.exact is None else str(self.exact),
            "bids": [dict(mixture) for mixture in self.strategies] or None,
            "pure": self.auction is None or self.auction.pure,
            "moves": [list(moves) for moves in self.moves],
        }


class _Solving:
    """Tells how many boards are solved, and how long the rest may take."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell, self.began = tell, time.perf_counter()

    def __call__(self, done: int, boards: int) -> None:
        left = (time.perf_counter() - self.began) * (boards - done) / max(done, 1)
        self.tell(f"{done:,} of {boards:,} boards are solved, about {left:.0f} s to go")


class BiddingSolver(Solver[ArrayPosition]):
    """Solves positions of one bidding game; keeps the last solution."""

    def __init__(
        self,
        game: Bidding,
        *,
        largest: int = LARGEST,
        most_work: float = inf,
        min_bids: tuple[int, int] | None = None,
    ) -> None:
        self.game = game
        self.largest = largest
        self.most_work = most_work  # bids, or pairs of bids, that one solution may weigh
        self.min_bids = min_bids or (game["min_bid"], game["min_bid"])
        self.found: Induction | None = None
        self._fractions: dict[tuple[int, Stakes], Fraction] = {}

    # -- solutions

    def solution(self, position: ArrayPosition) -> tuple[Induction, int]:
        """A solution that holds the position, and the position's node."""
        game, s = self.game, position.state
        a, b = int(s[PURSE]), int(s[PURSE + 1])
        base = game.base_state(s)
        if self.found is not None and self.found.covers(a, b):
            node = self.found.graph.node(base)
            if node >= 0:
                return self.found, node
        self._fractions = {}
        began = time.perf_counter()
        saved = self._file(base, a, b)
        found = self._load(saved)
        if found is not None:
            self._check_size(found.graph, a, b)  # what is taken on does not depend on what was solved before
        else:
            graph = explore(game.base, base, largest=self.largest, report=self._listing if self.tell else None)
            self._check_size(graph, a, b)
            report = _Solving(self.tell) if self.tell else None
            found = solve_graph(game, graph, (a, b), min_bids=self.min_bids, report=report)
            if time.perf_counter() - began > SLOW:
                self._save(saved, found)
        self.found = found
        return found, found.graph.node(base)

    def _listing(self, boards: int) -> None:
        if self.tell is not None:
            self.tell(f"{boards:,} boards are found")

    def _check_size(self, graph: Graph, a: int, b: int) -> None:
        splits = a + b + 1 if self.game.payment.conserves else (a + 1) * (b + 1)
        states = graph.nodes * splits * 2 * (PASSES_ALLOWED if graph.passes else 1)
        if states > MOST_STATES:
            raise StratagemError(
                f"{graph.nodes:,} boards times {splits:,} splits of the chips are too many to solve; "
                "use fewer chips, a smaller board, or `analyse`"
            )
        if states * self._bids_weighed(a, b) > self.most_work:
            raise StratagemError(f"{states:,} values with up to {max(a, b):,} chips each take long to solve")

    def _bids_weighed(self, a: int, b: int) -> float:
        """How many entries the auction of a state has on average: bids where only the winner pays, pairs of them else."""
        cap = self.game["cap"] or a + b
        conserves = self.game.payment.conserves
        if self.game.payment.kind <= POORMAN:
            return float(min(2 * cap, a + b if conserves else (a + b) / 2))
        return min(cap**2, (a + b) ** 2 / 6 if conserves else a * b / 4)

    def _file(self, base: State, a: int, b: int) -> Path:
        """Where the solution of this position is kept: the name holds the rules, the position, and the code."""
        game = self.game
        code = [str(getattr(run, "path", "")).rpartition("/")[2] for run in (explorer(game.base), inductor())]
        text = repr((repr(game), self.min_bids, base[: game.base.size].tolist(), a, b, code))
        return cache_folder() / FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"

    def _save(self, file: Path, found: Induction) -> None:
        """Keep a solution where there is room for it; one that cannot be kept is made again."""
        arrays = {name: getattr(found.graph, name) for name in KEPT}
        arrays |= {"values": found.values, "exact": found.exact}
        arrays["counts"] = np.array([found.total, *found.most, found.mixed, found.states])
        size = sum(array.nbytes for array in arrays.values())
        temporary = None
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if size > SHARE * limit_bytes() or shutil.disk_usage(file.parent).free < size + FREE:
                return
            handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
            with os.fdopen(handle, "wb") as out:
                np.savez(out, **arrays)
            os.replace(temporary, file)
            make_room(FOLDER, SHARE)
        except OSError:
            if temporary is not None:
                with suppress(OSError):
                    os.unlink(temporary)

    def _load(self, file: Path) -> Induction | None:
        try:
            with np.load(file) as kept:
                note_use(file)
                total, first, second, mixed, states = (int(x) for x in kept["counts"])
                base = self.game.base
                graph = Graph(base, boards_of(base).symmetries, **{name: kept[name] for name in KEPT})
                return Induction(self.game, graph, total, (first, second), kept["values"], kept["exact"], mixed, states)
        except (OSError, ValueError, KeyError, BadZipFile):  # missing, or written by something else
            return None

    # -- auctions

    def auction(self, found: Induction, node: int, stakes: Stakes) -> Auction:
        """The matrix of a state and optimal bids: pure where pure is enough, and then those that punish mistakes most."""
        state = (node, stakes)
        if state not in found.asked:
            found.asked[state] = self._auction(found, node, stakes)
        auction: Auction = found.asked[state]
        return auction

    def _auction(self, found: Induction, node: int, stakes: Stakes) -> Auction:
        lows, highs = self._range(stakes)
        after = [self._after(found, node, stakes.passes, p) for p in (0, 1)]
        matrix = np.array(
            [
                [self._entry(found, after, stakes, i, j) for j in range(lows[1], highs[1] + 1)]
                for i in range(lows[0], highs[0] + 1)
            ]
        )
        least, most = matrix.min(axis=1), matrix.max(axis=0)
        value = float(least.max())
        if most.min() <= value + 1e-12:
            rows, columns = np.flatnonzero(least >= value - 1e-12), np.flatnonzero(most <= value + 1e-12)
            row = rows[np.argmax(matrix[rows].mean(axis=1))]
            column = columns[np.argmin(matrix[:, columns].mean(axis=0))]
            return Auction(lows, matrix, value, ({int(lows[0] + row): 1.0}, {int(lows[1] + column): 1.0}))
        mixed = zero_sum(matrix)
        mixtures = tuple(
            {low + k: float(p) for k, p in enumerate(mixture) if p > 1e-12}
            for low, mixture in zip(lows, (mixed.row, mixed.column), strict=True)
        )
        return Auction(lows, matrix, mixed.value, (mixtures[0], mixtures[1]))

    def _range(self, stakes: Stakes) -> tuple[tuple[int, int], tuple[int, int]]:
        """Both players' least and highest bids."""
        cap = self.game["cap"]
        lows = (least_bid(stakes.first, self.min_bids[0]), least_bid(stakes.second, self.min_bids[1]))
        return lows, (most_bid(stakes.first, cap), most_bid(stakes.second, cap))

    def _after(self, found: Induction, node: int, passes: int, p: int) -> NDArray[np.float64]:
        """For every holder and split, the value once player p has won the auction."""
        best = [self._moved(found, node, passes, q) for q in ((0, 1) if self.game["mover"] == "chosen" else (p,))]
        together = best[0] if len(best) == 1 else (np.maximum if p == 0 else np.minimum)(*best)
        return together

    def _moved(self, found: Induction, node: int, passes: int, p: int) -> NDArray[np.float64]:
        rows = []
        for child in found.graph.after(node, p):
            if child != PASS:
                rows.append(found.values[child, 0])
            elif passes + 1 < found.values.shape[1]:
                rows.append(found.values[node, passes + 1])
            else:
                rows.append(np.zeros(found.values.shape[2:]))
        return np.max(rows, axis=0) if p == 0 else np.min(rows, axis=0)

    def _entry(self, found: Induction, after: Sequence[Any], stakes: Stakes, i: int, j: int) -> float:
        values = [
            float(after[winner][found.holder(then.holder), found.split(then.first, then.second)])
            for winner, then in self.outcomes(stakes, i, j)
        ]
        return self.combine(stakes.holder, values)

    def outcomes(self, stakes: Stakes, i: int, j: int) -> list[tuple[int, Stakes]]:
        """What bids of i and j can lead to: the winner, and the stakes from then on; two where a tie leaves it open."""
        h = stakes.holder
        if i != j:
            possible = [(0 if i > j else 1, h)]
        elif self.game.tie == MARKER:
            possible = [(h, 1 - h)]
        elif self.game.tie == FIXED:
            possible = [(self.game["holder"], h)]
        elif self.game.tie == ADVANTAGE:
            possible = [(h, 1 - h), (1 - h, h)]
        else:
            possible = [(0, h), (1, h)]
        return [
            (winner, Stakes(stakes.passes, holder, *self._paid(stakes, winner, max(i, j), min(i, j))))
            for winner, holder in possible
        ]

    def _paid(self, stakes: Stakes, winner: int, winning: int, losing: int) -> tuple[int, int]:
        """Both purses after an auction."""
        purses = [stakes.first, stakes.second]
        pay(self.game.payment.kind, purses, 0, winner, winning, losing)
        return purses[0], purses[1]

    def combine(self, h: int, values: Sequence[Any]) -> Any:
        """The value of a tie that leaves two outcomes: the holder's choice, or a coin."""
        if len(values) == 1:
            return values[0]
        if self.game.tie == COIN:
            return (values[0] + values[1]) / 2
        return max(values) if h == 0 else min(values)

    # -- moves

    def ranked_moves(self, found: Induction, base: State, p: int, stakes: Stakes) -> list[tuple[str, float, float]]:
        """Player p's moves on a board with their values and the opponent's room to err, the best for p first."""
        state = (base[: self.game.base.size].tobytes(), p, stakes)
        if state in found.asked:
            known: list[tuple[str, float, float]] = found.asked[state]
            return known
        game, sign = self.game.base, 1 if p == 0 else -1
        ranked = []
        for k, m in enumerate(game.legal(base, p)):
            node, same = self.child(found, base, p, k, m)
            then = stakes._replace(passes=stakes.passes + 1 if same else 0)
            if then.passes >= PASSES_ALLOWED:
                value, room = 0.0, 0.0
            else:
                value = found.value(node, *then)
                room = sign * self.room(found, node, then, p)
                if found.graph.over[node] == 1:
                    room *= 2  # a win now before one later, and the other way round for losses
            ranked.append((game.move_text(base, p, m), value, room))
        ranked.sort(key=lambda move: (-round(sign * move[1], 9), -round(move[2], 9)))
        found.asked[state] = ranked
        return ranked

    def child(self, found: Induction, base: State, p: int, k: int, m: int) -> tuple[int, bool]:
        """The node after player p's k-th move m on a board, and whether the move is a pass."""
        after = base.copy()
        self.game.base.run("play", self.game.base.g, after, p, m)
        node = found.graph.node(after)
        return node, node == found.graph.node(base) and found.graph.over[node] == 0

    def room(self, found: Induction, node: int, stakes: Stakes, p: int) -> float:
        """The mean value over all of the opponent's bids when p bids optimally: how much mistakes would cost it."""
        if found.graph.over[node]:
            return found.value(node, *stakes._replace(passes=0))
        auction = self.auction(found, node, stakes)
        weights = np.zeros(auction.matrix.shape[p])
        for bid, chance in auction.mixtures[p].items():
            weights[bid - auction.lows[p]] = chance
        met = weights @ auction.matrix if p == 0 else auction.matrix @ weights
        return float(met.mean())

    def best_moves(self, found: Induction, base: State, p: int, stakes: Stakes) -> tuple[str, ...]:
        """The texts of all moves as good as the best; where the winner chooses who moves, with the mover's name."""
        sign = 1 if p == 0 else -1
        movers = (0, 1) if self.game["mover"] == "chosen" else (p,)
        ranked = []
        for q in movers:
            named = f"{self.game.seats[q]} " if len(movers) == 2 else ""
            ranked += [(named + text, sign * value) for text, value, _ in self.ranked_moves(found, base, q, stakes)]
            if len(movers) == 2:  # the seat that is asked to move picks what is best for itself
                own = [value for _, value in ranked if _.startswith(named)]
                best = min(own) if q != p else max(own)
                ranked = [(t, v) for t, v in ranked if not t.startswith(named) or v == best]
        if not ranked:
            return ()
        best = max(value for _, value in ranked)
        return tuple(text for text, value in ranked if value >= best - CLOSE)

    # -- the answer

    def solve(self, position: ArrayPosition) -> BiddingSolution:
        game, s = self.game, position.state
        if position.over:
            value = position.payoff[0]
            return BiddingSolution(value=value, exact=Fraction(value))
        found, node = self.solution(position)
        stakes, base = Stakes.of(s), game.base_state(s)
        if s[PHASE] == BIDS:
            auction = self.auction(found, node, stakes)
            moves = tuple(self._moves_after(found, base, p, stakes, auction) for p in (0, 1))
            value, exact = auction.value, self.exact(found, node, stakes)
            if exact is not None:
                value = float(exact)
                if not auction.pure:
                    auction = self._sharpened(found, node, stakes, auction)
            mixtures = tuple({str(bid): chance for bid, chance in mixture.items()} for mixture in auction.mixtures)
            return BiddingSolution(value=value, exact=exact, strategies=mixtures, auction=auction, moves=moves)
        # somebody decides, or a coin does: the value is that of what may follow
        after = [self._after(found, node, stakes.passes, p) for p in (0, 1)]
        if s[PHASE] in (TIE, FLIP):
            tied = int(s[BID])
            value = self._entry(found, after, stakes, tied, tied)
            return BiddingSolution(value=value)
        who = int(s[WHO])
        mover_chosen = s[PHASE] == MOVE
        row = self._moved(found, node, stakes.passes, who) if mover_chosen else after[who]
        value = float(row[found.holder(stakes.holder), found.split(stakes.first, stakes.second)])
        if mover_chosen:
            best = self._best_of(self.ranked_moves(found, base, who, stakes), who)
        else:
            best = self.best_moves(found, base, who, stakes)
        empty: tuple[str, ...] = ()
        return BiddingSolution(value=value, best=best, moves=(best, empty) if who == 0 else (empty, best))

    @staticmethod
    def _best_of(ranked: list[tuple[str, float, float]], p: int) -> tuple[str, ...]:
        if not ranked:
            return ()
        return tuple(text for text, value, _ in ranked if abs(value - ranked[0][1]) < CLOSE)

    def _moves_after(self, found: Induction, base: State, p: int, stakes: Stakes, auction: Auction) -> tuple[str, ...]:
        """Player p's best moves if it wins the auction with its likeliest bid, against the likeliest bid that loses to it."""
        own = max(auction.mixtures[p], key=lambda bid: auction.mixtures[p][bid])
        losing = {bid: chance for bid, chance in auction.mixtures[1 - p].items() if bid < own}
        other = max(losing, key=lambda bid: losing[bid]) if losing else max(own - 1, 0)
        first, second = self._paid(stakes, p, own, other)
        return self.best_moves(found, base, p, stakes._replace(first=first, second=second))

    def show(self, position: ArrayPosition, solution: BiddingSolution) -> str:
        """The answer for people: bars under the board."""
        names, exact = self.game.seats, solution.exact
        lines = [
            f"value for {names[solution.seat]}: {solution.json()['value']}"
            + (f" = {exact}" if exact is not None and exact.denominator > 1 else "")
        ]
        if solution.auction is not None:
            lines.append(bars(self.game, solution.auction.mixtures))
        lines += [f"{names[p]:>8} then plays {' '.join(moves)}" for p, moves in enumerate(solution.moves) if moves]
        return "\n".join(lines)

    def picture(self, position: ArrayPosition, solution: BiddingSolution) -> str:
        """The answer as SVG."""
        return draw(self.game, position, () if solution.auction is None else solution.auction.mixtures)

    # -- fractions

    def exact(self, found: Induction, node: int, stakes: Stakes) -> Fraction | None:
        """The value as a fraction, or None where that would take too long."""
        if self.game.tie == COIN and int(found.graph.layers.max()) > MOST_HALVINGS:
            return None
        try:
            return self._rational(found, node, stakes)
        except OverflowError:
            return None

    def _rational(self, found: Induction, node: int, stakes: Stakes) -> Fraction:
        at = found.at(node, *stakes)
        if found.exact[at]:
            return Fraction(float(found.values[at]))
        state = (node, stakes._replace(passes=at[1]))
        if state not in self._fractions:
            if len(self._fractions) > MOST_FRACTIONS:
                raise OverflowError
            self._fractions[state] = matrix_value(self._rational_matrix(found, *state))
        return self._fractions[state]

    def _rational_matrix(self, found: Induction, node: int, stakes: Stakes) -> list[list[Fraction]]:
        lows, highs = self._range(stakes)
        return [
            [self._rational_entry(found, node, stakes, i, j) for j in range(lows[1], highs[1] + 1)]
            for i in range(lows[0], highs[0] + 1)
        ]

    def _rational_entry(self, found: Induction, node: int, stakes: Stakes, i: int, j: int) -> Fraction:
        values = [self._rational_after(found, node, *way) for way in self.outcomes(stakes, i, j)]
        combined: Fraction = self.combine(stakes.holder, values)
        return combined

    def _sharpened(self, found: Induction, node: int, stakes: Stakes, auction: Auction) -> Auction:
        """The auction with mixtures from rational arithmetic: no rounding error of the values below is left in them."""
        value, x, y = solve_exactly(self._rational_matrix(found, node, stakes))
        mixtures = [
            {low + k: float(p) for k, p in enumerate(mix) if p} for low, mix in zip(auction.lows, (x, y), strict=True)
        ]
        return Auction(auction.lows, auction.matrix, float(value), (mixtures[0], mixtures[1]))

    def _rational_after(self, found: Induction, node: int, winner: int, stakes: Stakes) -> Fraction:
        """The value once a player has won and moved: only moves within rounding of the best need fractions."""
        if self.game["mover"] == "winner":
            return self._rational_moved(found, node, winner, stakes)
        both = [self._rational_moved(found, node, q, stakes) for q in (0, 1)]
        return max(both) if winner == 0 else min(both)

    def _rational_moved(self, found: Induction, node: int, mover: int, stakes: Stakes) -> Fraction:
        sign = 1 if mover == 0 else -1
        moved, passed = stakes._replace(passes=0), stakes._replace(passes=stakes.passes + 1)
        options: list[tuple[float, tuple[int, Stakes] | None]] = []
        for child in dict.fromkeys(int(c) for c in found.graph.after(node, mover)):
            if child != PASS:
                options.append((sign * found.value(child, *moved), (child, moved)))
            elif passed.passes < found.values.shape[1]:
                options.append((sign * found.value(node, *passed), (node, passed)))
            else:
                options.append((0.0, None))
        best = max(value for value, _ in options)
        near = [
            Fraction(0) if to is None else self._rational(found, *to) for value, to in options if value > best - CLOSE
        ]
        return max(near) if mover == 0 else min(near)


def matrix_value(matrix: list[list[Fraction]]) -> Fraction:
    """The value of a matrix of fractions: a saddle point, or the rational simplex."""
    most = max(min(row) for row in matrix)
    if most == min(max(column) for column in zip(*matrix, strict=True)):
        return most
    return solve_exactly(matrix)[0]
