"""OpenSpiel's games as games of ours: `stratagem play openspiel:leduc_poker` (extra `neighbours`)."""

from stratagem.games.openspiel import bridge as _bridge  # noqa: F401  # first: it says in a line that OpenSpiel is missing
from stratagem.games.openspiel.game import OpenSpielGame, class_of

__all__ = ["OpenSpielGame", "class_of"]
