"""Files of allocations: tournaments of named ones, past plays, and mixed strategies. Bad lines are named by number."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stratagem.errors import ParseError, StratagemError
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.games.blotto.rules import Rules, Values
from stratagem.numbers import real, whole
from stratagem.plans.allocation import Plan

SUM_TOLERANCE = 1e-6  # by how much probabilities may miss 1


def cells_of(lines: Iterable[str]) -> Iterable[tuple[int, list[str]]]:
    """The cells of each line that is not empty or a comment, with its number."""
    for number, row in enumerate(csv.reader(lines), 1):
        cells = [cell.strip() for cell in row]
        if any(cells) and not cells[0].startswith("#"):
            yield number, cells


def _units(cells: list[str], number: int) -> Plan:
    for cell in cells:
        if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
            raise ParseError(f"line {number}: {cell!r} is no number of units; write whole numbers, 0 or more")
    return tuple(int(cell) for cell in cells)


# ------------------------------------------------------------------------------------------------------- tournaments


@dataclass(frozen=True)
class EntrantStanding:
    """How one entrant did against all others."""

    name: str
    allocation: Plan
    wins: float  # a tie counts half
    score: float  # all its scores added up
    rank_by_wins: int
    rank_by_score: int


def read_entries(
    lines: Iterable[str], fronts: int, units: int | None, disposal: bool = False
) -> tuple[dict[str, Plan], int]:
    """Names with their allocations, `NAME,u1,...,un` a line, and the budget (the first line's total if not said)."""
    found: dict[str, Plan] = {}
    for number, cells in cells_of(lines):
        if number == 1 and len(cells) > 1 and not any(cell.isdigit() for cell in cells[1:]):
            continue  # a heading
        name, placed = cells[0], cells[1:]
        if not name:
            raise ParseError(f"line {number}: the name is missing; write NAME,u1,...,u{fronts}")
        if name in found:
            raise ParseError(f"line {number}: the name {name!r} was used before")
        if len(placed) != fronts:
            raise ParseError(f"line {number}: {name} places units on {len(placed)} fronts; there are {fronts}")
        plan = _units(placed, number)
        if units is None:
            units = sum(plan)
        if sum(plan) > units or (sum(plan) < units and not disposal):
            must = "at most" if disposal else "exactly"
            raise ParseError(f"line {number}: {name}'s units add up to {sum(plan)}; they must be {must} {units}")
        found[name] = plan
    if len(found) < 2 or units is None:
        raise ParseError(f"a tournament needs two entrants or more; there are {len(found)}")
    return found, units


def tournament(
    entries: dict[str, Plan],
    values: Values,
    units: int,
    *,
    ties: str = "split",
    lottery: bool = False,
    disposal: bool = False,
) -> list[EntrantStanding]:
    """Everybody against everybody; the order is by wins, then score, then name."""
    rules = Rules((units, units), (values, values), ("win", "win"), ties, disposal=disposal)
    scored = Rules(
        (units, units),
        (values, values),
        ("lottery", "lottery") if lottery else ("score", "score"),
        ties,
        disposal=disposal,
    )
    plans = as_plans([rules.full(plan, 0) for plan in entries.values()])
    scores = Payoffs(scored).matrix(0, plans, plans)
    if lottery:
        lead = scores - Payoffs(scored).matrix(1, plans, plans).T
        wins = np.where(np.abs(lead) < 1e-12, 0.5, (lead > 0).astype(float))
    else:
        wins = Payoffs(rules).matrix(0, plans, plans)
        if ties in ("first", "second"):  # nobody is first by nature: each pair meets in both seats
            wins = (wins + Payoffs(rules).matrix(1, plans, plans)) / 2
            scores = (scores + Payoffs(scored).matrix(1, plans, plans)) / 2
    np.fill_diagonal(wins, 0.0)
    np.fill_diagonal(scores, 0.0)
    won, total = wins.sum(axis=1), scores.sum(axis=1)
    standings = [
        EntrantStanding(
            name,
            plan,
            float(won[k]),
            float(total[k]),
            1 + int((won > won[k] + 1e-9).sum()),
            1 + int((total > total[k] + 1e-9).sum()),
        )
        for k, (name, plan) in enumerate(entries.items())
    ]
    return sorted(standings, key=lambda s: (-s.wins, -s.score, s.name))


# ------------------------------------------------------------------------------------- mixtures and past allocations


def read_mixture(text: str, rules: Rules, player: int) -> dict[Plan, float]:
    """A player's mixed strategy: lines of units and a probability, lines of past allocations (each counts alike), or JSON
    as `blotto solve --json` prints it."""
    if text.lstrip()[:1] in ("{", "["):
        return _read_json(text, rules, player)
    found: dict[Plan, float] = {}
    kind: int | None = None
    for number, cells in cells_of(text.splitlines()):
        if kind is None:
            if len(cells) not in (rules.fronts, rules.fronts + 1):
                raise ParseError(
                    f"line {number}: there are {len(cells)} cells; write {rules.fronts} numbers of units, and behind them "
                    "a probability if this is a mixed strategy"
                )
            kind = len(cells)
        if len(cells) != kind:
            raise ParseError(f"line {number}: there are {len(cells)} cells; the lines before have {kind}")
        weight = 1.0
        if kind == rules.fronts + 1:
            weight = _probability(cells.pop(), f"line {number}")
        try:
            plan = rules.check_plan(_units(cells, number), player)
        except ParseError:
            raise
        except StratagemError as error:
            raise ParseError(f"line {number}: {error}") from None
        found[plan] = found.get(plan, 0.0) + weight
    if not found:
        raise ParseError("there is no allocation in the input")
    if kind == rules.fronts + 1:
        _check_sum(sum(found.values()))
    total = sum(found.values())
    return {plan: w / total for plan, w in found.items()}


def _read_json(text: str, rules: Rules, player: int) -> dict[Plan, float]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ParseError(f"the mixed strategy is no valid JSON: {error}") from None
    if isinstance(data, dict):
        data = data.get("strategies")
        if not (isinstance(data, list) and len(data) == 2):
            raise ParseError("the JSON object has no `strategies` of two players, as `blotto solve --json` prints them")
        data = data[player]
    found: dict[Plan, float] = {}
    for k, item in enumerate(data, 1):
        try:
            units = [whole(x) for x in item["allocation"]]
            weight = _probability(str(item["probability"]), f"entry {k}")
            plan = rules.check_plan(units, player)
        except (KeyError, TypeError):
            raise ParseError(f"entry {k} is not an object with `allocation` and `probability`") from None
        except StratagemError as error:
            raise ParseError(f"entry {k}: {str(error).removeprefix(f'entry {k}: ')}") from None
        found[plan] = found.get(plan, 0.0) + weight
    _check_sum(sum(found.values()))
    total = sum(found.values())
    return {plan: w / total for plan, w in found.items()}


def _probability(text: str, where: str) -> float:
    try:
        weight = real(text)
    except ParseError:
        raise ParseError(f"{where}: {text[:80]!r} is no probability") from None
    if not 0 <= weight <= 1:
        raise ParseError(f"{where}: {text} is no probability; it goes from 0 to 1")
    return weight


def _check_sum(total: float) -> None:
    if abs(total - 1) > SUM_TOLERANCE:
        raise ParseError(f"the probabilities add up to {total:.9g}; they must add up to 1")
