"""Players of ASMACAG and their levels. Chance deals once, before the first turn: nothing falls inside one."""

from __future__ import annotations

from typing import Any

from stratagem.compile import Bound
from stratagem.contract.game import Game
from stratagem.contract.player import Entry, Player
from stratagem.games.asmacag.game import Asmacag
from stratagem.games.asmacag.kernels import prospect
from stratagem.search.players import general_players, staged
from stratagem.search.whole_turns import Atoms, WholeTurnPlayer, atoms_of, entries

# of search by stages: turns that evolve, judged after all that follow in a game of three turns each, by the lead at its end
SEARCH = {"stages": "turns", "whole": True, "horizon": 5, "margin": 1.0}
# and bred so that long rows of doubles are found, while few proposals are asked for
SEARCH |= {"kept": 0.15, "insertion": 0.5, "further": 64, "varied": 100}


def atoms(game: Asmacag) -> Atoms:
    """The decisions of a turn, of which there are never more than the rules say."""
    return atoms_of(game, dice=False, longest=game.actions)


def planned(game: Asmacag) -> Atoms:
    """The same for search by stages, with a price for cards that are kept. The literature's searches judge by the lead alone."""
    return atoms_of(game, dice=False, longest=game.actions, names={"value": Bound(prospect, game.names["value"].names)})


def level(baseline: str, **settings: Any) -> Any:
    def make(game: Asmacag, **build: Any) -> Player:
        return WholeTurnPlayer(game, baseline, atoms=atoms(game), **settings, **build)

    return make


def players(game: Game) -> dict[str, Entry]:
    return {
        **general_players(game),
        **entries(atoms, dice=False),
        "staged": staged(planned, **SEARCH),
        "easy": Entry(level("oe", turns=5), "oe: online evolution, 5 turns looked at"),
        "medium": Entry(level("oe", turns=1000), "oe: online evolution, 1000 turns looked at"),
        "strong": Entry(
            staged(planned, time=1.0, **SEARCH).make, "staged: turns bred, and judged after all that follow, 1 s a turn"
        ),
    }
