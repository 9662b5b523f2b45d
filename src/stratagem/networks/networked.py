"""A game with a network in it: the same rules, whose states carry the network's sums along and whose `value` is the network's.

Every search takes it like any other game: alpha-beta, tree search, stages. What people see stays the game's own; a position is
lifted to it right before a search (`lift`).
"""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np

from stratagem.compile import Bound
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.errors import OptionError
from stratagem.kernel import Ground, State
from stratagem.networks.evaluator import judged, refresh, spread, update, value
from stratagem.networks.weights import Network

LANES = 4  # numbers of 16 bits in a cell


@runtime_checkable
class Seen(Protocol):
    """The trait of a game that can have a network: see `networks.features`."""

    feature_rules: ModuleType
    feature_count: int
    features_at_once: int  # the most that can be on, or be switched by one move


def networked(game: ArrayGame[Any], network: Network) -> ArrayGame[Any]:
    """The game with a network as its `value`."""
    if not isinstance(game, Seen):
        raise OptionError(f"{game.name} declares no features, so it cannot have a network")
    if game.players != 2 or not game.zero_sum:
        raise OptionError(f"{game.name} cannot have a network: those judge two sides whose payoffs sum to zero")
    if network.shape.features != game.feature_count:
        made_for = network.card.get("game", "another game")
        raise OptionError(
            f"the network was made for {made_for} with {network.shape.features} features; this is {game.title} with {game.feature_count}"
        )
    found = copy.copy(game)
    found.__dict__.pop("_face", None)
    ground, places = packed(np.asarray(game.g), network)
    shape = network.shape
    kept = hasattr(game.feature_rules, "switched")
    end = game.size + game.scratch  # the game's scratch cells become part of the state: what stands behind them must be copied
    cells = -(-(2 if kept else shape.views) * shape.width // LANES)
    found.size, found.scratch = (end + cells, game.features_at_once) if kept else (end, cells + game.features_at_once)
    low, high = game.payoff_range
    inner = game.names["turn"].names
    own: dict[str, Any] = {
        **places,
        "WIDTH": shape.width,
        "HIDDEN": shape.hidden,
        "VIEWS": shape.views,
        "KEPT": kept,
        "SUMS": LANES * end,
        "LISTED": end + cells,
        "MOST": game.features_at_once,
        "MIDDLE": (low + high) / 2,
        "HALF": (high - low) / 2,
        "turn": game.names["turn"],
        "play_plain": game.names["play"],
        "features": Bound(game.feature_rules.features, inner),
    }
    names = {
        **game.names,
        "SIZE": found.size,
        "CELLS": found.size + found.scratch,
        "value": Bound(value, own),
        "judged": Bound(judged, own),
        "spread": Bound(spread, own),
    }
    if kept:
        own["switched"] = Bound(game.feature_rules.switched, inner)
        names |= {"play": Bound(playing, own), "refresh": Bound(refresh, own)}
    found.__dict__["names"] = names
    found.__dict__["g"] = ground
    return found


def packed(ground: Ground, network: Network) -> tuple[Ground, dict[str, int]]:
    """The game's ground and the network behind it, and where each part of it stands."""
    parts = {"COLUMNS": network.columns, "FIRST": network.first, "SECOND": network.second}
    biases = np.concatenate([network.first_bias, network.second_bias]).astype(np.int64)
    places = {"BIASES": len(ground)}
    whole = [ground, biases]
    at = len(ground) + len(biases)
    for name, part in parts.items():
        bytes_ = np.ascontiguousarray(part).tobytes()
        cells = np.frombuffer(bytes_ + bytes(-len(bytes_) % 8), np.int64)
        places[name] = at * 8 // part.dtype.itemsize
        whole.append(cells)
        at += len(cells)
    found = np.concatenate(whole)
    found.setflags(write=False)
    return found, places


def lift(game: ArrayGame[Any], position: ArrayPosition) -> ArrayPosition:
    """A position of the plain game as one of the game with the network."""
    state = np.zeros(game.size + game.scratch, np.int64)
    state[: len(position.state)] = position.state
    if game.gives("refresh"):
        game.run("refresh", game.g, state)
    return game.position(state, position.history, position.origin)


def playing(g: Ground, s: State, p: int, m: int) -> None:
    """The game's `play`, and the sums kept up to date."""
    update(g, s, p, m)
    play_plain(g, s, p, m)


def play_plain(g: Ground, s: State, p: int, m: int) -> None:
    """Bound to the game's own `play`."""
    raise NotImplementedError
