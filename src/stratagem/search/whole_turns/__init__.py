"""The searches of the literature on turns of several actions, for any game with atomic kernels.

`WholeTurnSearch(game, "oep").consider(state, seat)` finds a turn; as players they go by their names, `--engine
oep:population=200`. Each is a template over the same core (`core`): a turn is a row of decisions that is always legal, judged
when it is over.
"""

from stratagem.search.whole_turns.atoms import Atoms, atoms_of, suits
from stratagem.search.whole_turns.baselines import BASELINES, Baseline
from stratagem.search.whole_turns.player import Found, WholeTurnPlayer, WholeTurnSearch, entries
from stratagem.search.whole_turns.settings import TurnSettings

__all__ = [
    "BASELINES",
    "Atoms",
    "Baseline",
    "Found",
    "TurnSettings",
    "WholeTurnPlayer",
    "WholeTurnSearch",
    "atoms_of",
    "entries",
    "suits",
]
