"""Players of ASMACAG and their levels. Chance deals once, before the first turn: nothing falls inside one."""

from __future__ import annotations

from typing import Any

from stratagem.contract.game import Game
from stratagem.contract.player import Entry, Player
from stratagem.games.asmacag.game import Asmacag
from stratagem.search.players import general_players, staged
from stratagem.search.rivals import Atoms, RivalPlayer, atoms_of, entries

AHEAD = 5  # turns: all that follow the first of a game


def atoms(game: Asmacag) -> Atoms:
    """The decisions of a turn, of which there are never more than the rules say."""
    return atoms_of(game, dice=False, longest=game.actions)


def level(rival: str, **settings: Any) -> Any:
    def make(game: Asmacag, **build: Any) -> Player:
        return RivalPlayer(game, rival, atoms=atoms(game), **settings, **build)

    return make


def players(game: Game) -> dict[str, Entry]:
    return {
        **general_players(game),
        **entries(atoms, dice=False),
        "staged": staged(atoms, stages="turns", whole=True, horizon=AHEAD, margin=1.0),
        "easy": Entry(level("greedy-action"), "greedy-action: the best single action, one after another"),
        "medium": Entry(level("oe", turns=1000), "oe: online evolution, 1000 turns looked at"),
        "strong": Entry(level("oep", time=1.0), "oep: online evolutionary planning, 1 s a turn"),
    }
