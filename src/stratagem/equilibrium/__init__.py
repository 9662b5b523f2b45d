"""Equilibria of games in which each player decides once.

`zero_sum` for matrix games (`exact=True` gives fractions), `zero_sum_many` for thousands of small ones, `lemke_howson`,
`support_enumeration` and `correlated` for games whose payoffs do not sum to zero, `regret_matching` and
`fictitious_play` for large ones. Every answer carries its measured `exploitability`. Inside templates call the kernel
`simplex.solve_matrix`.
"""

from stratagem.equilibrium.bimatrix import Correlated, correlated, lemke_howson, support_enumeration
from stratagem.equilibrium.learning import fictitious_play, regret_matching
from stratagem.equilibrium.result import Equilibrium, exploitability
from stratagem.equilibrium.zero_sum import zero_sum, zero_sum_many

__all__ = [
    "Correlated",
    "Equilibrium",
    "correlated",
    "exploitability",
    "fictitious_play",
    "lemke_howson",
    "regret_matching",
    "support_enumeration",
    "zero_sum",
    "zero_sum_many",
]
