"""Best replies in Colonel Blotto, always exact, each objective with the method that is right for it.

`Additive`: the payoff adds over the fronts, so that only the opponent's marginals matter, and a best reply is a split by
(max, +) convolution. Fronts with equal tables are one class: averaging a mixture over them changes no payoff guarantee,
and shrinks the game from all fronts to all classes.

`Winning`: the chance of the larger total does not add. Against one allocation it is a knapsack over (units, score); against
a mixture every allocation is tried, or, where there are too many, a mixed-integer program decides which of the
opponent's allocations to beat. A convolution over marginals would answer another question, so it is never used here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import lcm
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.equilibrium.double_oracle import highs
from stratagem.errors import StratagemError, UnsuitableSearch
from stratagem.games.blotto.rules import MOST_TOSSED, Rules
from stratagem.plans.allocation import Plan, allocations, best_split, count, reply

Vector = NDArray[np.float64]
Plans = NDArray[np.int64]  # [plans, slots]

TRIED = 400_000  # allocations tried one by one against a mixture; beyond, the mixed-integer program is quicker


def as_plans(plans: Sequence[Plan]) -> Plans:
    return np.array(plans, np.int64).reshape(len(plans), -1)


def marginals(plans: Plans, weights: Vector, units: int) -> Vector:
    """[slots, units + 1]: the chance that a mixture puts x units on each slot."""
    n = plans.shape[1]
    cells = (plans + np.arange(n) * (units + 1)).ravel()
    weighed = np.bincount(cells, np.repeat(weights, n), n * (units + 1))
    return weighed.astype(np.float64).reshape(n, units + 1)


_ready: dict[Callable[..., Any], Callable[..., Any]] = {}


def _compiled(template: Callable[..., Any], steps: Callable[..., float]) -> Callable[..., Any]:
    if template not in _ready:
        _ready[template] = specialise(template, label=f"blotto: {template.__name__.replace('_', ' ')}", meanwhile=steps)
    return _ready[template]


def _reply_steps(table: NDArray[np.float64], others: Plans, *rest: Any) -> float:
    """About how often the innermost loops of `best_reply` turn."""
    n, own, other = table.shape
    return float(others.size + n * own * other + n * own * own / 2)


def _chance_steps(own: Plans, other: Plans, mine: NDArray[np.int64], yours: Any, ties: int, out: Any) -> float:
    """The same of `win_chances`; with coins all ways that they can fall are tried."""
    return float(len(own) * len(other) * mine.size * (1 << mine.size if ties == 4 else 1))


def best_reply(
    table: NDArray[np.float64],
    others: Plans,
    weights: Vector,
    leaders: NDArray[np.int64],
    sizes: Vector,
    sign: float,
    plan: NDArray[np.int64],
) -> float:
    """The best split against a mixture: marginals (by class of slots), gains of x units a slot, (max, +) convolution.

    `leaders` are the first slots of the slots' classes, `sizes` how many slots those have; `sign` -1 looks for the least.
    """
    n, own, other = table.shape
    chances = np.zeros((n, other))
    gains = np.empty((n, own))
    for k in range(others.shape[0]):
        if weights[k] > 0.0:
            for i in range(n):
                chances[leaders[i], others[k, i]] += weights[k] / sizes[i]
    for i in range(n):
        leader = leaders[i]
        for x in range(table.shape[1]):
            if leader < i:
                gains[i, x] = gains[leader, x]
            else:
                total = 0.0
                for y in range(table.shape[2]):
                    total += table[i, x, y] * chances[i, y]
                gains[i, x] = sign * total
    return reply(gains, np.empty((n, own)), plan)


class Additive:
    """One payoff that adds over slots, `table[slot, x, y]`, to the row player, for a double oracle: columns minimise it."""

    def __init__(self, table: NDArray[np.float64], *, classes: bool = True) -> None:
        self.table = table
        self.n = table.shape[0]
        self.units = (table.shape[1] - 1, table.shape[2] - 1)
        self.flipped = np.ascontiguousarray(table.transpose(0, 2, 1))
        self.groups: list[NDArray[np.int64]] = []
        self.leaders = np.arange(self.n)  # the first slot of each slot's class
        self.sizes = np.ones(self.n)
        nothing: tuple[list[Plan], Plans] = [], np.empty((0, self.n), np.int64)
        self._seen = [nothing, nothing]  # for each side the plans last asked about, and the same as rows
        if classes:
            kinds: dict[bytes, list[int]] = {}
            for slot in range(self.n):
                kinds.setdefault(table[slot].tobytes(), []).append(slot)
            self.groups = [np.array(slots) for slots in kinds.values() if len(slots) > 1]
            for group in self.groups:
                self.leaders[group] = group[0]
                self.sizes[group] = len(group)

    def averaged(self, rows: Vector) -> Vector:
        """Rows of a table a slot, each replaced by the mean over the slots of its class."""
        for group in self.groups:
            rows[group] = rows[group].mean(axis=0)
        return rows

    def row_payoffs(self, row: Plan, columns: Sequence[Plan]) -> Vector:
        slots = np.arange(self.n)
        against = self.averaged(self.table[slots, row])
        return against[slots, as_plans(columns)].sum(axis=1) if columns else np.array([])

    def column_payoffs(self, rows: Sequence[Plan], column: Plan) -> Vector:
        slots = np.arange(self.n)
        against = self.averaged(self.flipped[slots, column])
        return against[slots, as_plans(rows)].sum(axis=1) if rows else np.array([])

    def gains(self, side: int, plans: Sequence[Plan] | Plans, weights: Vector) -> Vector:
        """[slots, own units + 1]: what x units on a slot bring the row player against a mixture of the other side."""
        chances = self.averaged(marginals(as_plans_array(plans), weights, self.units[1 - side]))
        table = self.table if side == 0 else self.flipped
        return np.matmul(table, chances[:, :, None])[:, :, 0]

    def best_row(self, columns: Sequence[Plan], weights: Vector) -> tuple[float, Plan]:
        return self._best(0, columns, weights)

    def best_column(self, rows: Sequence[Plan], weights: Vector) -> tuple[float, Plan]:
        value, plan = self._best(1, rows, weights)
        return -value, plan

    def _best(self, side: int, others: Sequence[Plan], weights: Vector) -> tuple[float, Plan]:
        """The best split of a side against a mixture, in one compiled call; B's worth is the negative of A's."""
        table, sign = (self.table, 1.0) if side == 0 else (self.flipped, -1.0)
        plan = np.empty(self.n, np.int64)
        plans = self._array(1 - side, others)
        value = _compiled(best_reply, _reply_steps)(table, plans, weights, self.leaders, self.sizes, sign, plan)
        return float(value), tuple(plan.tolist())

    def _array(self, side: int, plans: Sequence[Plan]) -> Plans:
        """The plans as rows; of a list that grew since the last time only the new ones are read."""
        seen, array = self._seen[side]
        known = len(seen)
        if not known or list(plans[:known]) != seen:
            known, array = 0, np.empty((0, self.n), np.int64)
        if len(plans) > known:
            array = np.vstack([array, as_plans(plans[known:])])
        self._seen[side] = list(plans), array
        return array

    def spread(self, plans: Sequence[Plan], weights: Vector) -> dict[Plan, float]:
        """A mixture over classes as one over fronts: every plan in equal parts in each rotation of its classes.

        Rotating gives each front of a class every place of the plan equally often, and that is all that payoffs see.
        """
        turns = lcm(*(len(group) for group in self.groups)) if self.groups else 1
        found: dict[Plan, float] = {}
        for plan, weight in zip(as_plans(plans), weights, strict=True):
            if weight <= 0:
                continue
            for turn in range(turns):
                turned = plan.copy()
                for group in self.groups:
                    turned[group] = np.roll(plan[group], turn)
                key = tuple(turned.tolist())
                found[key] = found.get(key, 0.0) + float(weight) / turns
        return found


def as_plans_array(plans: Sequence[Plan] | Plans) -> Plans:
    return plans if isinstance(plans, np.ndarray) else as_plans(plans)


# ------------------------------------------------------------------------------------------------- the chance of winning


def win_chances(
    own: Plans, other: Plans, mine: NDArray[np.int64], yours: NDArray[np.int64], ties: int, out: NDArray[np.float64]
) -> None:
    """out[k, j]: the chance that plan k of one side beats plan j of the other, equal totals counting half.

    `mine` and `yours` are the values, doubled so that halves are whole. ties: 0 split, 1 lost, 2 mine, 3 yours, 4 coin.
    """
    n = mine.shape[0]
    tied = np.empty(n, np.int64)
    for k in range(own.shape[0]):
        for j in range(other.shape[0]):
            lead = 0
            coins = 0
            for i in range(n):
                if own[k, i] > other[j, i]:
                    lead += mine[i]
                elif own[k, i] < other[j, i]:
                    lead -= yours[i]
                elif ties == 0:
                    lead += mine[i] // 2 - yours[i] // 2
                elif ties == 2:
                    lead += mine[i]
                elif ties == 3:
                    lead -= yours[i]
                elif ties == 4 and mine[i] + yours[i] > 0:
                    tied[coins] = i
                    coins += 1
            if coins == 0:
                out[k, j] = 1.0 if lead > 0 else (0.5 if lead == 0 else 0.0)
            else:
                won = 0
                for way in range(1 << coins):
                    total = lead
                    for c in range(coins):
                        if (way >> c) & 1:
                            total += mine[tied[c]]
                        else:
                            total -= yours[tied[c]]
                    if total > 0:
                        won += 2
                    elif total == 0:
                        won += 1
                out[k, j] = won / (2.0 * (1 << coins))


class Payoffs:
    """Payoffs and exact best replies of both players of a game, whatever their objectives."""

    def __init__(self, rules: Rules) -> None:
        rules.needs_two()
        self.rules = rules
        if rules.ties == "coin" and "win" in rules.objectives and rules.fronts > MOST_TOSSED:
            raise UnsuitableSearch(
                f"{rules.fronts} fronts are too many to try all coins for the objective win; up to {MOST_TOSSED} can be"
            )

    @cached_property
    def additive(self) -> tuple[Additive | None, Additive | None]:
        """For each player whose payoff adds over the fronts, that payoff; the player is the row of its own game."""
        made: list[Additive | None] = []
        for player in (0, 1):
            if self.rules.objectives[player] == "win":
                made.append(None)
            else:
                table = self.rules.table(player)
                made.append(Additive(table if player == 0 else table.transpose(0, 2, 1), classes=False))
        return made[0], made[1]

    def matrix(self, player: int, own: Plans, other: Plans) -> Vector:
        """[own plans, other plans]: what a player's plans pay against the other's."""
        additive = self.additive[player]
        if additive is not None:
            slots = np.arange(self.rules.slots)
            out = np.zeros((len(own), len(other)))
            for slot in slots:
                out += additive.table[slot][own[:, slot][:, None], other[:, slot][None, :]]
            return out
        values = self.rules.whole_values
        tie = {"split": 0, "lost": 1, "coin": 4}.get(self.rules.ties)
        if tie is None:
            tie = 2 if (self.rules.ties == "first") == (player == 0) else 3
        out = np.empty((len(own), len(other)))
        _compiled(win_chances, _chance_steps)(
            np.ascontiguousarray(own), np.ascontiguousarray(other), values[player], values[1 - player], tie, out
        )
        return out

    def worth(self, player: int, others: Plans, weights: Vector) -> Vector:
        """[slots, own units + 1]: what x units on a slot bring a player; only where payoffs add over slots.

        Weights need not sum to 1: a share of a mixture, such as what is known when one plan is known, brings that share of
        everything, of what is left unspent too.
        """
        rules = self.rules
        if rules.objectives[player] != "score":
            additive = self.additive[player]
            if additive is None:
                rules.table(player)  # raises: the objective win does not add
                raise AssertionError
            return additive.gains(0, others, weights)
        # a front goes to the larger number: the chances that the other has fewer, and as many, are enough
        own, other = rules.units[player], rules.units[1 - player]
        chances = marginals(others, weights, other)[: rules.fronts]
        width = max(own, other) + 1
        level = np.zeros((rules.fronts, width))
        level[:, : other + 1] = chances
        fewer = np.cumsum(level, axis=1) - level
        values = np.array([float(v) for v in rules.values[player]])[:, None]
        gained = values * (fewer + rules.tie_share(player) * level)[:, : own + 1]
        if rules.disposal:
            gained = np.vstack([gained, float(weights.sum()) * float(rules.worth) * np.arange(own + 1)])
        return np.ascontiguousarray(gained)

    def best(self, player: int, others: Sequence[Plan] | Plans, weights: Vector) -> tuple[float, Plan]:
        """The most that any plan of a player earns against a mixture of the other, and such a plan. Exact."""
        plans = as_plans_array(others)
        keep = weights > 0
        plans, weights = plans[keep], np.asarray(weights, np.float64)[keep]
        if self.rules.objectives[player] != "win":
            return best_split(self.worth(player, plans, weights))
        rules = self.rules
        if count(rules.units[player], rules.slots) <= TRIED:
            return self._tried(player, plans, weights)
        if rules.ties == "coin":
            raise UnsuitableSearch(
                f"a best reply for the objective win with coin ties tries all allocations, and "
                f"{rules.plans(player)} are too many; up to {TRIED} can be tried"
            )
        return self._programmed(player, plans, weights)

    def _tried(self, player: int, plans: Plans, weights: Vector) -> tuple[float, Plan]:
        own = allocations(self.rules.units[player], self.rules.slots)
        totals = np.zeros(len(own))
        for start in range(0, len(own), 1 << 14):  # in blocks, so that the matrix stays small
            block = own[start : start + (1 << 14)]
            totals[start : start + len(block)] = self.matrix(player, block, plans) @ weights
        at = int(totals.argmax())
        return float(totals[at]), tuple(own[at].tolist())

    def leads(self, player: int) -> NDArray[np.int64]:
        """[slots, own units + 1, other units + 1]: by how much one slot moves a player's total over the other's, doubled."""
        rules = self.rules
        mine, yours = rules.whole_values[player], rules.whole_values[1 - player]
        x = np.arange(rules.units[player] + 1)[:, None]
        y = np.arange(rules.units[1 - player] + 1)[None, :]
        own_tie = {"split": 0.5, "coin": 0.5, "lost": 0.0, "first": 1.0 - player, "second": float(player)}[rules.ties]
        other_tie = 0.0 if rules.ties == "lost" else 1.0 - own_tie
        table = np.zeros((rules.slots, x.size, y.size), np.int64)
        for i in range(rules.fronts):
            level = round(own_tie * int(mine[i])) - round(other_tie * int(yours[i]))
            table[i] = np.where(x > y, mine[i], np.where(x < y, -yours[i], level))
        return table

    def beat(self, player: int, other: Plan) -> tuple[int, Plan]:
        """The largest lead over one allocation, and the plan: the knapsack over (units, score) as a convolution of leads.

        A pure opponent is beaten if this lead is above 0; leads are whole numbers, so there is no rounding.
        """
        if self.rules.ties == "coin":
            raise UnsuitableSearch("with coin ties the largest mean lead need not win most often; ask for `best`")
        table = self.leads(player)[np.arange(self.rules.slots), :, list(other)]
        value, plan = best_split(table.astype(np.float64))
        return round(value), plan

    def _programmed(self, player: int, plans: Plans, weights: Vector) -> tuple[float, Plan]:
        """The mixed-integer program: choose the units of each front, and mark which opposing plans are beaten or held.

        A mark needs a lead: lead >= 1 for beaten, >= 0 for held, each worth half of that plan's chance. Leads are whole.
        """
        if len(plans) == 1:
            lead, plan = self.beat(player, tuple(plans[0].tolist()))
            return (1.0 if lead > 0 else 0.5 if lead == 0 else 0.0), plan
        units, slots = self.rules.units[player], self.rules.slots
        table = self.leads(player)
        width = units + 1
        lp = highs()
        lp.setOptionValue("mip_rel_gap", 0.0)
        lp.setOptionValue("mip_abs_gap", 1e-10)
        lp.changeObjectiveSense(highspy.ObjSense.kMaximize)
        placed = slots * width
        for _ in range(placed):
            lp.addVar(0.0, 1.0)
        for weight in weights:
            for _ in range(2):
                lp.addVar(0.0, 1.0)
                lp.changeColCost(lp.getNumCol() - 1, 0.5 * float(weight))
        for column in range(lp.getNumCol()):
            lp.changeColIntegrality(column, highspy.HighsVarType.kInteger)
        each = np.arange(placed, dtype=np.int32)
        for slot in range(slots):
            lp.addRow(1.0, 1.0, width, each[slot * width : (slot + 1) * width], np.ones(width))
        lp.addRow(float(units), float(units), placed, each, np.tile(np.arange(width, dtype=np.float64), slots))
        for k, plan in enumerate(plans):
            leads = table[np.arange(slots), :, plan].astype(np.float64)
            worst = float(leads.min(axis=1).sum())
            for mark, need in ((0, 1.0), (1, 0.0)):
                # lead >= need where marked, lead >= worst where not
                if worst >= need:
                    continue
                entries = np.concatenate([leads.ravel(), [worst - need]])
                where = np.concatenate([each, [placed + 2 * k + mark]]).astype(np.int32)
                lp.addRow(worst, highspy.kHighsInf, len(entries), where, entries)
        lp.run()
        if lp.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise StratagemError(f"the mixed-integer program for a best reply was not solved: {lp.getModelStatus()}")
        x = np.array(lp.getSolution().col_value)[:placed].reshape(slots, width)
        reply = x.argmax(axis=1)
        value = float((self.matrix(player, reply[None], plans) @ weights)[0])
        return value, tuple(reply.tolist())
