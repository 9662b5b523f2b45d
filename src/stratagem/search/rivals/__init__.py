"""The searches of the literature on turns of several actions, for any game with atomic kernels.

`RivalSearch(game, "oep").consider(state, seat)` finds a turn; as players they go by their names, `--engine
oep:population=200`. Each is a template over the same core (`core`): a turn is a row of decisions that is always legal, judged
when it is over.
"""

from stratagem.search.rivals.atoms import Atoms, atoms_of, suits
from stratagem.search.rivals.player import Found, RivalPlayer, RivalSearch, entries
from stratagem.search.rivals.settings import RIVALS, Rival, Settings

__all__ = [
    "RIVALS",
    "Atoms",
    "Found",
    "Rival",
    "RivalPlayer",
    "RivalSearch",
    "Settings",
    "atoms_of",
    "entries",
    "suits",
]
