"""Zero-sum games with too many plans to list: the double oracle.

Keep a few plans a side, solve the small game between them, ask for each side's best reply among *all* plans, add the two
replies, and go on until they gain nothing (McMahan, Gordon and Blum, ICML 2003). Every round gives a certified interval:
no plan of the first player earns more than its best reply against the second's mixture, and the reverse, whatever the
linear program did. So it can be stopped at any time, and the answer says how good it is.

The small game is one linear program that grows by a row and a column a round and is solved again from its last basis,
which is what makes this fast: a few pivots in place of a whole solution. Use it where an exact best reply is cheap and
equilibria mix over few plans; a game whose equilibria need most plans is better listed and solved whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import highspy
import numpy as np
from numpy.typing import NDArray

from stratagem.equilibrium.zero_sum import zero_sum
from stratagem.errors import StratagemError

Vector = NDArray[np.float64]
P = TypeVar("P", bound=Hashable)

FEASIBILITY = 1e-9  # of the linear program; the certificate does not depend on it
STRATEGY_DUAL = 1
SMALL = 100  # rows and columns up to which the tableau is quicker than HiGHS from its last basis
INFINITE = float(highspy.kHighsInf)


class Oracles(Protocol[P]):
    """A zero-sum game known by its payoffs and best replies; payoffs are to the row player."""

    def row_payoffs(self, row: P, columns: Sequence[P]) -> Vector:
        """What a row earns against each of some columns."""
        ...

    def column_payoffs(self, rows: Sequence[P], column: P) -> Vector:
        """What each of some rows earns against a column."""
        ...

    def best_row(self, columns: Sequence[P], weights: Vector) -> tuple[float, P]:
        """The most that any row earns against a mixture, and a row that earns it."""
        ...

    def best_column(self, rows: Sequence[P], weights: Vector) -> tuple[float, P]:
        """The least that any column leaves to a mixture, and a column that does."""
        ...


@dataclass(frozen=True)
class Round:
    """How far a solver was at some time: the value of the game lies between `low` and `high`."""

    seconds: float
    low: float
    high: float
    plans: tuple[int, int] = (0, 0)


Report = Callable[[Round], None]


@dataclass(frozen=True)
class Bracket(Generic[P]):
    """Mixtures with the interval that they certify: `row` earns at least `low`, against `column` nobody earns above `high`."""

    rows: tuple[P, ...]
    row: Vector
    columns: tuple[P, ...]
    column: Vector
    low: float
    high: float
    trace: tuple[Round, ...]
    finished: bool  # False: stopped by hand or by time before the interval was as small as asked for
    interrupted: bool = False  # by hand

    @property
    def width(self) -> float:
        return self.high - self.low


def highs() -> Any:
    """A quiet program of HiGHS on one thread, to tight tolerances."""
    program: Any = highspy.Highs()
    program.setOptionValue("output_flag", False)
    program.setOptionValue("threads", 1)
    program.setOptionValue("primal_feasibility_tolerance", FEASIBILITY)
    program.setOptionValue("dual_feasibility_tolerance", FEASIBILITY)
    return program


class GrowingMatrix:
    """A zero-sum matrix game that grows by rows and columns.

    While it is small the compiled tableau solves it afresh, which costs less than a call of HiGHS. Beyond, HiGHS keeps the
    row player's program (maximise v over p >= 0 that sums to 1, with p * column >= v for every column), adds to it, and
    solves it again from its last basis.
    """

    def __init__(self) -> None:
        self.payoffs = np.zeros((SMALL, SMALL))  # with room to grow
        self.shape = (0, 0)
        self.lp: Any = None

    @property
    def matrix(self) -> Vector:
        return self.payoffs[: self.shape[0], : self.shape[1]]

    def _room(self) -> None:
        rows, columns = self.payoffs.shape
        if self.shape[0] == rows or self.shape[1] == columns:
            larger = np.zeros((2 * rows, 2 * columns))
            larger[:rows, :columns] = self.payoffs
            self.payoffs = larger

    def add_row(self, payoffs: Vector) -> None:
        """A row, by its payoffs against the columns so far."""
        self._room()
        self.payoffs[self.shape[0], : self.shape[1]] = payoffs
        self.shape = (self.shape[0] + 1, self.shape[1])
        if self.lp is not None:
            entries = np.concatenate([[1.0], payoffs])
            self.lp.addCol(0.0, 0.0, INFINITE, len(entries), np.arange(len(entries), dtype=np.int32), entries)

    def add_column(self, payoffs: Vector) -> None:
        """A column, by what the rows so far earn against it."""
        self._room()
        self.payoffs[: self.shape[0], self.shape[1]] = payoffs
        self.shape = (self.shape[0], self.shape[1] + 1)
        if self.lp is not None:
            self._program_column(payoffs)

    def _program_column(self, payoffs: Vector) -> None:
        entries = np.concatenate([[-1.0], payoffs])
        self.lp.addRow(0.0, INFINITE, len(entries), np.arange(len(entries), dtype=np.int32), entries)

    def _program(self) -> None:
        self.lp = highs()
        for option, value in (("presolve", "off"), ("solver", "simplex"), ("simplex_strategy", STRATEGY_DUAL)):
            self.lp.setOptionValue(option, value)
        self.lp.addVar(-INFINITE, INFINITE)
        self.lp.changeColCost(0, 1.0)
        self.lp.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.lp.addRow(1.0, 1.0, 0, np.array([], np.int32), np.array([], np.float64))
        for _ in range(self.shape[0]):
            self.lp.addCol(0.0, 0.0, INFINITE, 1, np.zeros(1, np.int32), np.ones(1))
        for column in self.matrix.T:
            self._program_column(column)

    def solve(self) -> tuple[float, Vector, Vector]:
        """The value and both mixtures."""
        if self.lp is None:
            if max(self.shape) <= SMALL:
                found = zero_sum(self.matrix, method="simplex")
                return found.value, found.row, found.column
            self._program()
        self.lp.run()
        if self.lp.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.lp.clearSolver()  # a basis gone bad: once more from nothing
            self.lp.run()
        status = self.lp.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise StratagemError(f"the linear program of {self.shape} plans was not solved: {status}")
        solution = self.lp.getSolution()
        row = np.maximum(np.array(solution.col_value)[1:], 0.0)
        column = np.abs(np.array(solution.row_dual)[1:])
        return float(solution.col_value[0]), row / row.sum(), column / column.sum()


def double_oracle(
    game: Oracles[P],
    rows: Sequence[P],
    columns: Sequence[P],
    *,
    tolerance: float = 1e-9,
    seconds: float | None = None,
    rounds: int | None = None,
    smoothing: float = 0.8,
    report: Report | None = None,
) -> Bracket[P]:
    """Solve a zero-sum game from some plans a side, until the value is known to `tolerance` or time is up.

    Mixtures of the small game jump about from round to round, and so do the replies. With `smoothing` above 0, replies
    to a running average (this part of the old, the rest of the new) are added as well: large games then need about
    half the rounds. 0 suits oracles that are dear. Ctrl-C ends it with the best found so far and `finished` False.
    """
    began = time.perf_counter()
    matrix = GrowingMatrix()
    mine: dict[P, None] = {}
    theirs: dict[P, None] = {}

    def add_row(plan: P) -> bool:
        if plan in mine:
            return False
        matrix.add_row(game.row_payoffs(plan, list(theirs)))
        mine[plan] = None
        return True

    def add_column(plan: P) -> bool:
        if plan in theirs:
            return False
        matrix.add_column(game.column_payoffs(list(mine), plan))
        theirs[plan] = None
        return True

    for plan in rows:
        add_row(plan)
    for plan in columns:
        add_column(plan)
    low, high = -np.inf, np.inf
    best_row: tuple[tuple[P, ...], Vector] = (tuple(mine), np.full(len(mine), 1 / len(mine)))
    best_column: tuple[tuple[P, ...], Vector] = (tuple(theirs), np.full(len(theirs), 1 / len(theirs)))
    trace: list[Round] = []
    finished = interrupted = False
    smooth_row, smooth_column = best_row[1], best_column[1]
    try:
        while True:
            _, p, q = matrix.solve()
            candidates = [(p, q)]
            if smoothing and len(trace) > 1:
                smooth_row, smooth_column = _toward(smooth_row, p, smoothing), _toward(smooth_column, q, smoothing)
                candidates.append((smooth_row, smooth_column))
            replies: list[tuple[P, P]] = []
            for row_mixture, column_mixture in candidates:
                upper, row = game.best_row(list(theirs), column_mixture)
                lower, column = game.best_column(list(mine), row_mixture)
                replies.append((row, column))
                # the mixtures with the best guarantees need not come from the same round
                if lower > low:
                    low, best_row = lower, (tuple(mine), row_mixture)
                if upper < high:
                    high, best_column = upper, (tuple(theirs), column_mixture)
            trace.append(Round(time.perf_counter() - began, low, high, matrix.shape))
            if report is not None:
                report(trace[-1])
            if high - low <= tolerance:
                finished = True
                break
            if (seconds is not None and trace[-1].seconds >= seconds) or (rounds is not None and len(trace) >= rounds):
                break
            new = [add_row(row) for row, _ in replies] + [add_column(column) for _, column in replies]
            if not (new[0] or new[len(replies)]):
                # Neither side has a new reply to the solution of the small game: what is left of the interval is the
                # rounding of the linear program.
                finished = True
                break
    except KeyboardInterrupt:
        interrupted = True
    return Bracket(*best_row, *best_column, float(low), float(high), tuple(trace), finished, interrupted)


def _toward(old: Vector, new: Vector, keep: float) -> Vector:
    """A running average of mixtures over a set of plans that grows."""
    longer = np.zeros(len(new))
    longer[: len(old)] = old
    return keep * longer + (1 - keep) * new
