"""Equilibria of games that are given as nested lists of numbers, as the command line and other programs give them.

One matrix is a zero-sum game, by the row player's payoffs. Else there is a table a player, and each table has an axis a player:
`[[[6, 2], [7, 0]], [[6, 7], [2, 0]]]` are two players with two moves each.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem.equilibrium.normal_form import MOST_CELLS, Correlated, Payoffs, Profile, correlated, mixed, payoff_arrays
from stratagem.equilibrium.result import Equilibrium
from stratagem.equilibrium.zero_sum import zero_sum
from stratagem.errors import OptionError, ParseError
from stratagem.numbers import whole

CONCEPTS = {"nash": "Nash equilibrium", "ce": "correlated equilibrium", "cce": "coarse correlated equilibrium"}
LONGEST = 2_000_000  # characters of a text
EXACT_CELLS = 400  # of a matrix up to which the answer is in fractions
NEVER = 1e-12  # joint moves that are less likely are left out
FORM = "a matrix such as [[0,-1],[1,0]], or a table a player such as [[[6,2],[7,0]],[[6,7],[2,0]]]"


def parse_table(text: str) -> Any:
    """Return nested lists of numbers from a text."""
    if len(text) > LONGEST:
        raise ParseError(f"a game of {len(text):,} characters is too long; at most {LONGEST:,}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{text.strip()[:40]!r} is no game as JSON ({error}); write {FORM}") from None


def read_table(table: Any) -> tuple[Payoffs, bool]:
    """Return the payoffs, an array a player, and whether the game was given as one matrix."""
    depth, inside = 0, table
    while isinstance(inside, Sequence) and not isinstance(inside, str):
        depth += 1
        if not inside:
            raise ParseError(f"a list of the game is empty; write {FORM}")
        inside = inside[0]
    if depth < 2 or (depth > 2 and len(table) != depth - 1):
        raise ParseError(f"the game has {depth} levels of lists and {len(table) if depth else 0} tables; write {FORM}")
    try:
        if depth == 2:
            matrix = np.asarray(table, np.float64)
            return payoff_arrays((matrix, -matrix)), True
        return payoff_arrays(table), False
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, OptionError):
            raise
        raise ParseError(f"the game is no table of numbers with equal rows; write {FORM}") from None


def equilibria(
    table: Any,
    concept: str = "nash",
    *,
    objective: str | int = "sum",
    every: bool = False,
    seed: int = 0,
    seconds: float | None = None,
    most_cells: int = MOST_CELLS,
) -> dict[str, Any]:
    """Return equilibria of a game as data, each with what a best reply or deviation would gain each player.

    Args:
        table: nested lists of numbers, see the module.
        concept: nash, ce (correlated) or cce (coarse correlated).
        objective: of a correlated equilibrium: the best for the sum, or for a player from 0.
        every: all Nash equilibria that are found, in place of one.
        seed: of the search for Nash equilibria of three players and more.
        seconds: after which that search ends with what it has.
        most_cells: joint moves of a game, at most.
    """
    if concept not in CONCEPTS:
        raise OptionError(f"unknown concept {concept!r}; there are {', '.join(CONCEPTS)}")
    payoffs, single = read_table(table)
    if payoffs[0].size > most_cells:
        raise OptionError(f"{payoffs[0].size:,} joint moves are too many; at most {most_cells:,}")
    head = {"concept": concept, "moves": list(payoffs[0].shape)}
    if concept != "nash":
        if isinstance(objective, str) and objective.isdecimal():
            objective = whole(objective)
        found = correlated(*payoffs, objective=objective, coarse=concept == "cce")
        return {**head, "objective": objective, **_joint(found)}
    if single and not every:
        solution = zero_sum(payoffs[0], exact=payoffs[0].size <= EXACT_CELLS)
        return {**head, "equilibria": [_pair(solution)]}
    return {
        **head,
        "equilibria": [_profile(p) for p in mixed(*payoffs, most=None if every else 1, seed=seed, seconds=seconds)],
    }


def _pair(found: Equilibrium) -> dict[str, Any]:
    exact = {} if found.exact is None else {"exact": str(found.exact)}
    return {
        "strategies": [found.row.tolist(), found.column.tolist()],
        "values": [value + 0.0 for value in found.values],  # 0 and not -0
        **exact,
        "gains": list(found.gains),
        "gap": max(found.gains),
        "method": found.method,
    }


def _profile(found: Profile) -> dict[str, Any]:
    return {
        "strategies": [p.tolist() for p in found.strategies],
        "values": list(found.values),
        "gains": list(found.gains),
        "gap": found.gap,
        "method": found.method,
    }


def _joint(found: Correlated) -> dict[str, Any]:
    likely = sorted(np.argwhere(found.joint > NEVER).tolist(), key=lambda cell: -found.joint[tuple(cell)])
    return {
        "joint": [{"moves": cell, "probability": float(found.joint[tuple(cell)])} for cell in likely],
        "values": list(found.values),
        "gains": list(found.gains),
        "gap": max(found.gains),
    }
