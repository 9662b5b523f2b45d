"""Players of RoboRally and their levels."""

from __future__ import annotations

from stratagem.game import Game
from stratagem.player import Entry
from stratagem.search.players import general_players


def players(game: Game) -> dict[str, Entry]:
    return {name: entry for name, entry in general_players(game).items() if name == "random"}
