"""Players with a network: a search of the game with the network in it."""

from __future__ import annotations

from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from stratagem.contract.game import ArrayGame, ArrayPosition, Game
from stratagem.contract.player import Choice, Clock, Entry, Player, Report
from stratagem.errors import OptionError
from stratagem.networks.features import suits
from stratagem.networks.networked import lift, networked
from stratagem.networks.weights import Network, load
from stratagem.search import players as searches

SHIPPED = "shipped"


def shipped(game: Game) -> Path | None:
    """The file of the network that comes with a game, if one does."""
    home = type(game).__module__
    if not home.startswith("stratagem.games."):
        return None
    file = resources.files(".".join(home.split(".")[:3])) / "data" / "network.safetensors"
    return Path(str(file)) if file.is_file() else None


def network_of(game: Game, weights: str) -> Network:
    file = shipped(game) if weights == SHIPPED else Path(weights).expanduser()
    if file is None:
        raise OptionError(f"no network comes with {game.name}; train one: stratagem train {game.name}")
    return load(file)


class NetworkPlayer(Player[ArrayPosition]):
    """Lifts a position into the game with the network, and searches there."""

    def __init__(self, game: ArrayGame, *, weights: str = SHIPPED, **options: Any) -> None:
        self.name = "network"
        self.game = networked(game, network_of(game, weights))
        self.inner = searches.alphabeta(self.game, **options)

    def choose(
        self,
        view: ArrayPosition,
        clock: Clock,
        *,
        seat: int | None = None,
        report: Report | None = None,
        lines: int = 1,
    ) -> Choice:
        return self.inner.choose(lift(self.game, view), clock, seat=seat, report=report, lines=lines)


def network_players(game: Game) -> dict[str, Entry]:
    """`network`, for games that declare features; and the levels, where a network comes with the game: one does only if it has
    won against what they were before."""
    if not suits(game):
        return {}
    options = ("weights", "time", "depth", "table_bits", "threads", "seed")
    ships = shipped(game) is not None
    words = "alpha-beta with " + (
        "the network that comes with the game, or weights=FILE" if ships else "a network: weights=FILE"
    )
    found = {"network": Entry(NetworkPlayer, words, options, external=not ships)}
    if ships:
        found["medium"] = Entry(partial(NetworkPlayer, depth=4), "alphabeta with a network, depth 4")
        found["strong"] = Entry(partial(NetworkPlayer, time=1.0), "alphabeta with a network, 1 s a move")
    return found
