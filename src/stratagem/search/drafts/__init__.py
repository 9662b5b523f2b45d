"""Drafts: the order in which to take items that others want too.

`Draft` is the pool, the worths and the order; `kth_best_pick`, `ascending_pick`, `greedy`, `back_to_front`, `solve_exact`
and `best_reply` say what to take; `audit` tests whether a rule is an equilibrium. UCT drafting is in `uct`.
"""

from stratagem.plans.draft import ORDERS, PASS, Draft, Node, Solution, round_robin, snake, third_round_reversal
from stratagem.search.drafts.audit import Audit, audit, audit_all
from stratagem.search.drafts.exact import best_reply, horizon, solve_exact
from stratagem.search.drafts.lookahead import (
    Evaluation,
    KthDrafter,
    OutcomeDrafter,
    TooLarge,
    ascending_pick,
    back_to_front,
    gets_all,
    greedy,
    greedy_pick,
    kth_best_pick,
)

__all__ = [
    "ORDERS", "PASS", "Audit", "Draft", "Evaluation", "KthDrafter", "Node", "OutcomeDrafter", "Solution", "TooLarge",
    "ascending_pick", "audit", "audit_all", "back_to_front", "best_reply", "gets_all", "greedy", "greedy_pick", "horizon",
    "kth_best_pick", "round_robin", "snake", "solve_exact", "third_round_reversal",
]  # fmt: skip
