"""A game with a network in it: the same rules, whose states carry the network's sums along and whose `value` is the network's.

Every search takes it like any other game: alpha-beta, tree search, stages. What people see stays the game's own; a position is
lifted to it right before a search (`lift`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.errors import StratagemError
from stratagem.kernel import Ground, State
from stratagem.networks.evaluator import judged, prior, refresh, spread, update, value
from stratagem.networks.features import bound, check_suits, columns_of, fingerprint, policy_count, rules_of
from stratagem.networks.weights import Network

LANES = 4  # numbers of 16 bits in a cell
EXPLORATION = 1.5  # of PUCT with a network's priors


def networked(game: Any, network: Network) -> ArrayGame[Any]:
    """The game with a network as its `value`."""
    check_fits(game, network)
    rules = rules_of(game)
    found: ArrayGame[Any] = copy.copy(game)
    found.__dict__.pop("_face", None)
    ground, places = packed(np.asarray(game.g), network, columns_of(game))
    shape = network.shape
    kept = hasattr(rules, "switched")
    end = (
        game.size + game.scratch
    )  # the game's scratch cells become part of the state: what stands behind them must be copied
    cells = -(-(2 if kept else shape.views) * shape.width // LANES)
    found.size, found.scratch = (end + cells, game.features_at_once) if kept else (end, cells + game.features_at_once)
    low, high = game.payoff_range
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
        "features": bound(game, "features"),
    }
    names = {
        **game.names,
        "SIZE": found.size,
        "CELLS": found.size + found.scratch,
        "value": Bound(value, own),
        "judged": Bound(judged, own),
        "spread": Bound(spread, own),
    }
    if shape.policy:
        own["policy_of"] = bound(game, "policy_of")
        names["prior"] = Bound(prior, own)
    if kept:
        own["switched"] = bound(game, "switched")
        names |= {"play": Bound(playing, own), "refresh_sums": Bound(refresh, own)}
    found.__dict__["names"] = names
    found.__dict__["g"] = ground
    return found


def tree_options(game: ArrayGame[Any]) -> dict[str, Any]:
    """How tree search plays with a network that has a policy: leaves by its value, moves by its priors."""
    return {"playout_depth": 0, "prior": game.names["prior"], "exploration": EXPLORATION}


def fits(game: Any, network: Network) -> bool:
    """Whether a network was made for this game with these options."""
    try:
        check_fits(game, network)
    except StratagemError:
        return False
    return True


def check_fits(game: Any, network: Network) -> None:
    """Refuse a network that was made for something else."""
    check_suits(game)
    made_for = network.card.get("game")
    if made_for != game.name:
        raise StratagemError(
            f"the network was trained for {made_for or 'no game that it names'!r}; this is {game.name!r}"
        )
    columns = int(columns_of(game).max()) + 1
    if network.shape.features != columns or network.card.get("features") != fingerprint(game):
        raise StratagemError(
            f"the network sees other features than {game!r}: it was trained for other options "
            f"({network.card.get('options')}) or another version of the rules ({network.shape.features} columns; here {columns})"
        )
    if network.shape.policy not in (0, policy_count(game)):
        raise StratagemError(
            f"the network's policy has {network.shape.policy} outputs; moves of {game!r} have {policy_count(game)}"
        )
    if not network.keeps_within(game.features_at_once):
        raise StratagemError(f"the network's columns are too large: {game.features_at_once} of them may leave 16 bits")


def packed(ground: Ground, network: Network, columns: NDArray[np.int64]) -> tuple[Ground, dict[str, int]]:
    """The game's ground and the network behind it, a column for every feature, and where each part of it stands."""
    biases = [network.first_bias, network.second_bias]
    parts: dict[str, NDArray[Any]] = {
        "COLUMNS": network.columns[np.concatenate([[0], 1 + columns])],
        "FIRST": network.first,
        "SECOND": network.second,
    }
    if network.policy is not None and network.policy_bias is not None:
        parts["POLICY"] = network.policy
        biases.append(network.policy_bias)
    return appended(ground, {"BIASES": np.concatenate(biases).astype(np.int64), **parts})


def appended(ground: Ground, parts: Mapping[str, NDArray[Any]]) -> tuple[Ground, dict[str, int]]:
    """Arrays behind a ground, each from a whole cell on, and where each begins in units of its own numbers."""
    whole, at, places = [ground], len(ground), {}
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
    if game.gives("refresh_sums"):
        game.run("refresh_sums", game.g, state)
    found: ArrayPosition = game.position(state, position.history, position.origin)
    found.seat = position.seat
    return found


def playing(g: Ground, s: State, p: int, m: int) -> None:
    """The game's `play`, and the sums kept up to date."""
    update(g, s, p, m)
    play_plain(g, s, p, m)


def play_plain(g: Ground, s: State, p: int, m: int) -> None:
    """Bound to the game's own `play`."""
    raise NotImplementedError
