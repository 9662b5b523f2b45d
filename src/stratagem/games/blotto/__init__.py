"""Colonel Blotto: a budget split over fronts, by both players at once."""

from stratagem.games.blotto.game import Blotto
from stratagem.games.blotto.rules import Rules

__all__ = ["Blotto", "Rules"]
