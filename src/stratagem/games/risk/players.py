"""Players of Risk and their levels."""

from __future__ import annotations

from stratagem.game import Game
from stratagem.player import Entry, RandomPlayer


def players(game: Game) -> dict[str, Entry]:
    return {"random": Entry(RandomPlayer, "any legal move, all alike")}
