"""Equilibria of games in which each player decides once.

`zero_sum` for matrix games (`exact=True` gives fractions), `zero_sum_many` for thousands of small ones, `lemke_howson` and
`support_enumeration` for two players whose payoffs do not sum to zero, `mixed` and `correlated` for any number of players,
`regret_matching` and `fictitious_play` for large games. Every answer carries its measured `exploitability`, or the gains of
best replies. Inside templates call the kernel `simplex.solve_matrix`.
"""

from stratagem.equilibrium.bimatrix import lemke_howson, support_enumeration
from stratagem.equilibrium.learning import fictitious_play, regret_matching
from stratagem.equilibrium.normal_form import Correlated, Profile, correlated, measured_profile, mixed
from stratagem.equilibrium.result import Equilibrium, exploitability
from stratagem.equilibrium.zero_sum import zero_sum, zero_sum_many

__all__ = [
    "Correlated",
    "Equilibrium",
    "Profile",
    "correlated",
    "exploitability",
    "fictitious_play",
    "lemke_howson",
    "measured_profile",
    "mixed",
    "regret_matching",
    "support_enumeration",
    "zero_sum",
    "zero_sum_many",
]
