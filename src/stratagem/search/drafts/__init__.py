"""Drafts: the order in which to take items that others want too.

How a pick is chosen in a `Draft` (`plans.draft`): `KthDrafter`, `greedy`, `back_to_front`, `solve_exact` and `best_reply` say
what to take; `audit` tests whether a rule is an equilibrium. UCT drafting is in `uct`,
and `methods` plays whole drafts by any of them.
"""

from stratagem.plans.draft import ORDERS, PASS, Draft, Node, round_robin, snake, third_round_reversal
from stratagem.search.drafts.audit import Audit, audit, audit_all
from stratagem.search.drafts.exact import best_reply, horizon, solve_exact
from stratagem.search.drafts.lookahead import (
    Evaluation,
    KthDrafter,
    OutcomeDrafter,
    back_to_front,
    greedy,
    greedy_pick,
)
from stratagem.search.drafts.solution import DraftSolution, TooLarge

__all__ = [
    "ORDERS",
    "PASS",
    "Audit",
    "Draft",
    "DraftSolution",
    "Evaluation",
    "KthDrafter",
    "Node",
    "OutcomeDrafter",
    "TooLarge",
    "audit",
    "audit_all",
    "back_to_front",
    "best_reply",
    "greedy",
    "greedy_pick",
    "horizon",
    "round_robin",
    "snake",
    "solve_exact",
    "third_round_reversal",
]
