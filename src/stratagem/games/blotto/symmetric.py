"""A strategy that both players may play: find a symmetric equilibrium, or verify one, as a course in game theory asks for.

Both players have the same units and values, ties are split. A strategy is lines of `u1,...,un,probability`. The strategy
that the solver finds for the first player guarantees half of everything against anybody, so both may play it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stratagem.errors import ParseError
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.games.blotto.rules import Rules
from stratagem.games.blotto.solve import expected, solve
from stratagem.games.blotto.tournament import cells_of, read_mixture
from stratagem.numbers import whole

TOLERANCE = 1e-6


def find(values: str | Sequence[str], units: int, objective: str, tolerance: float = TOLERANCE) -> list[str]:
    """The lines of a symmetric equilibrium strategy."""
    rules = Rules.of((units, units), values, objective=objective)
    # the strategy faces a copy of itself: half of the width of the interval is what a reply can gain
    solution = solve(rules, tolerance=min(tolerance, TOLERANCE) / 4)
    mixture = {plan: p for plan, p in solution.strategies[0].items() if p > 1e-12}
    total = sum(mixture.values())
    return [",".join(map(str, plan)) + f",{p / total!r}" for plan, p in sorted(mixture.items())]


def verify(text: str, values: str | Sequence[str], objective: str, tolerance: float = TOLERANCE) -> str:
    """`PASSED`, or a line that names an allocation that gains more than the tolerance, and both expected values."""
    first = next(iter(cells_of(text.splitlines())), None)
    if first is None:
        raise ParseError("there is no strategy on standard input: write lines of u1,...,un,probability")
    fronts = len(Rules.of((0, 0), values).values[0])
    number, cells = first
    if len(cells) != fronts + 1:
        raise ParseError(
            f"line {number}: there are {len(cells)} cells; with {fronts} values write {fronts} units and a probability"
        )
    if not all(cell.isascii() and cell.isdigit() for cell in cells[:-1]):
        raise ParseError(f"line {number}: units are whole numbers, 0 or more; these are {','.join(cells[:-1])}")
    units = sum(whole(cell) for cell in cells[:-1])
    rules = Rules.of((units, units), values, objective=objective)
    mixture = read_mixture(text, rules, 0)
    own, _ = expected(rules, mixture, mixture)
    best, plan = Payoffs(rules).best(0, as_plans(list(mixture)), np.array(list(mixture.values())))
    if best - own <= tolerance:
        return "PASSED"
    return f"{','.join(map(str, plan))} gains {best - own:.9g}: it gets {best:.9g} and the strategy gets {own:.9g}"
