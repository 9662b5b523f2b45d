"""Players with a network: a search of the game with the network in it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from stratagem.contract.game import ArrayGame, ArrayPosition, Game
from stratagem.contract.player import Choice, Entry, Player, Request
from stratagem.errors import OptionError
from stratagem.networks.features import policy_count, suits
from stratagem.networks.networked import fits, lift, networked, tree_options
from stratagem.networks.weights import Network, load
from stratagem.search import players as searches

SHIPPED = "shipped"


def shipped(game: Game) -> Network | None:
    """The network that comes with a game and its options, if one does."""
    home = type(game).__module__
    found = _in_package(".".join(home.split(".")[:3])) if home.startswith("stratagem.games.") else None
    return found if found is not None and fits(game, found) else None


@cache
def _in_package(name: str) -> Network | None:
    file = resources.files(name) / "data" / "network.safetensors"
    return load(Path(str(file))) if file.is_file() else None


def network_of(game: Game, weights: str) -> Network:
    found = shipped(game) if weights == SHIPPED else load(Path(weights).expanduser())
    if found is None:
        raise OptionError(
            f"no network comes with {game.name} with these options; train one: stratagem train {game.name}"
        )
    return found


class NetworkPlayer(Player[ArrayPosition]):
    """Lifts a position into the game with the network, and searches there: by tree search if the network has a policy, else by
    alpha-beta."""

    def __init__(self, game: ArrayGame, *, weights: str = SHIPPED, **options: Any) -> None:
        self.name = "network"
        network = network_of(game, weights)
        self.game = networked(game, network)
        self.inner: Player[ArrayPosition]
        if network.policy is not None:
            self.inner = searches.mcts(self.game, **{**tree_options(self.game), **options})
        else:
            self.inner = searches.alphabeta(self.game, **options)

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        return self.inner.answer(replace(request, view=lift(self.game, request.view)))


def network_players(game: Game) -> dict[str, Entry]:
    """`network`, for games that declare features; and the levels, where a network comes with the game: one does only if it has
    won against what they were before."""
    if not (suits(game) and isinstance(game, ArrayGame) and searches.tree_fits(game)):
        return {}
    options: tuple[str, ...] = ("weights", "time", "depth", "table_bits", "threads", "seed")
    limits: dict[str, Any] = {"depth": 4}
    search = "alphabeta"
    if policy_count(game):
        options = ("weights", "time", "simulations", "exploration", "threads", "parallel", "pool", "solve", "seed")
        search, limits = "mcts", {"simulations": 1000}
    ships = shipped(game) is not None
    words = f"{search} with " + (
        "the network that comes with the game, or weights=FILE" if ships else "a network: weights=FILE"
    )
    found = {"network": Entry(NetworkPlayer, words, options, external=not ships)}
    if ships:
        ((what, much),) = limits.items()
        found["medium"] = Entry(partial(NetworkPlayer, **limits), f"{search} with a network, {what} {much}")
        found["strong"] = Entry(partial(NetworkPlayer, time=1.0), f"{search} with a network, 1 s a move")
    return found
