"""The attack phase of one board, solved completely: the graph, the model in clauses, the solver, plans from prophecies."""

from stratagem.games.minions.attack.answers import AttackAnswer, attacks, panel_answer, removable
from stratagem.games.minions.attack.prophecy import Candidate, Family, Likely, Planner, Prophecy
from stratagem.games.minions.attack.solver import AttackSolver, Plan, Statement, statement

__all__ = [
    "AttackAnswer",
    "AttackSolver",
    "Candidate",
    "Family",
    "Likely",
    "Plan",
    "Planner",
    "Prophecy",
    "Statement",
    "attacks",
    "panel_answer",
    "removable",
    "statement",
]
