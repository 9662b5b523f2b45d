"""Players of connect4 and their levels."""

from __future__ import annotations

from stratagem.contract.game import Game
from stratagem.contract.player import Entry
from stratagem.search.players import general_players


def players(game: Game) -> dict[str, Entry]:
    return general_players(game)
