"""OpenSpiel's games as games of ours: `stratagem play openspiel:leduc_poker` (extra `neighbours`)."""

from stratagem.games.openspiel.game import OpenSpielGame, class_of

__all__ = ["OpenSpielGame", "class_of"]
