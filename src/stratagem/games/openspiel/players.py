"""Who plays OpenSpiel's games: our searches, interpreted, for their rules cannot be compiled with ours."""

from __future__ import annotations

from typing import Any

from stratagem.contract.game import Game
from stratagem.contract.player import Entry, Player
from stratagem.registry import general_players

SEARCHES = ("alphabeta", "expectimax", "mcts", "montecarlo")
LEVELS = (("easy", {"simulations": 20}), ("medium", {"simulations": 200}), ("strong", {"time": 1.0}))


def players(game: Game) -> dict[str, Entry]:
    known = general_players(game)
    found = {"random": known["random"]}
    for name in SEARCHES:
        if name in known:
            entry = known[name]
            found[name] = Entry(_interpreted(entry.make, {}), f"{entry.summary}, interpreted", entry.options)
    best = "mcts" if "mcts" in found else "montecarlo" if "montecarlo" in found else None
    for level, limits in LEVELS if best else ():
        assert best is not None
        words = ", ".join(f"{name} {value:g}" for name, value in limits.items())
        found[level] = Entry(_interpreted(known[best].make, limits), f"{best}, {words}")
    return found


def _interpreted(make: Any, limits: dict[str, Any]) -> Any:
    def made(game: Game, **options: Any) -> Player:
        player: Player = make(game, target="python", **{**limits, **options})
        return player

    return made
