"""OpenSpiel's states behind flat arrays: a state is the list of actions that led to it, and states seen lately are kept.

state: [number of actions, the actions one after another]; a joint move is one action a player. The ground is one number: which of
the games opened in this process it is.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from stratagem.errors import StratagemError
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, State

try:
    import pyspiel
except ImportError as error:
    raise StratagemError("games of OpenSpiel need it installed: pip install 'stratagem[neighbours]'") from error

KEPT = 20_000  # states
LENGTH = 0  # the cell of the number of actions; they follow it

_games: list[Any] = []
_numbers: dict[str, int] = {}
_nodes: OrderedDict[tuple[int, bytes], OpenSpielNode] = OrderedDict()


class OpenSpielNode:
    """A state of theirs and what is asked of it again and again."""

    def __init__(self, state: Any) -> None:
        self.state = state

    @cached_property
    def turn(self) -> int:
        if self.state.is_terminal():
            return OVER
        if self.state.is_chance_node():
            return CHANCE
        return TOGETHER if self.state.is_simultaneous_node() else int(self.state.current_player())

    @cached_property
    def outcomes(self) -> list[tuple[int, float]]:
        return list(self.state.chance_outcomes())

    def legal(self, player: int) -> list[int]:
        return [int(action) for action in self.state.legal_actions(player)]

    def seen_by(self, player: int) -> str:
        """What tells a player's knowledge from any other."""
        kind = self.state.get_game().get_type()
        if kind.provides_information_state_string:
            return str(self.state.information_state_string(player))
        return str(self.state.observation_string(player))


def number_of(name: str) -> int:
    """The number of a game in this process; OptionError of the caller if there is none of that name."""
    if name not in _numbers:
        _games.append(pyspiel.load_game(name))
        _numbers[name] = len(_games) - 1
    return _numbers[name]


def game_of(number: int) -> Any:
    return _games[number]


def at(g: Ground, s: State) -> OpenSpielNode:
    """The node of a state."""
    number, n = int(g[0]), int(s[LENGTH])
    actions = s[1 : n + 1]
    found = _nodes.get((number, actions.tobytes()))
    if found is not None:
        _nodes.move_to_end((number, actions.tobytes()))
        return found
    before = _nodes.get((number, actions[:-1].tobytes())) if n else None
    if before is not None and before.turn != TOGETHER:
        state = before.state.clone()
        state.apply_action(int(actions[-1]))
    else:
        state = replayed(number, [int(action) for action in actions])
    node = _nodes[number, actions.tobytes()] = OpenSpielNode(state)
    if len(_nodes) > KEPT:
        _nodes.popitem(last=False)
    return node


def replayed(number: int, actions: list[int]) -> Any:
    """Their state after all actions; IndexError if they end within a joint move."""
    state, k = _games[number].new_initial_state(), 0
    while k < len(actions):
        if state.is_simultaneous_node():
            players = _games[number].num_players()
            if k + players > len(actions):
                raise IndexError("the actions end within a joint move")
            state.apply_actions(actions[k : k + players])
            k += players
        else:
            state.apply_action(actions[k])
            k += 1
    return state


def write(s: State, actions: list[int]) -> None:
    """Make a state the one after some actions."""
    s[:] = 0
    s[LENGTH] = len(actions)
    s[1 : len(actions) + 1] = actions


def resampled(node: OpenSpielNode, player: int, draw: Callable[[], float]) -> list[int]:
    """The actions of a random state that a player cannot tell from this one."""
    return [int(action) for action in node.state.resample_from_infostate(player, draw).history()]


def canonical(node: OpenSpielNode, player: int) -> list[int]:
    """Such a state that follows from what the player knows, and from nothing else: a view that holds no secret."""
    seed = int.from_bytes(hashlib.sha256(node.seen_by(player).encode()).digest()[:8], "little")
    return resampled(node, player, np.random.default_rng(seed).random)


def digest(s: State) -> int:
    """A hash of a state that fits into 63 bits."""
    return int.from_bytes(hashlib.blake2b(s[: int(s[LENGTH]) + 1].tobytes(), digest_size=8).digest(), "little") >> 1
