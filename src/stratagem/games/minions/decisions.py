"""Turns of Minions decision by decision, for the searches that build a turn of single actions (`search.whole_turns`).

The decisions are the rules' atoms without resignations. A position is judged by the engine's fitted weights, as it stands:
without the short answer by which the engine's own search sees what hangs. Spells, and tiles that act, are left to the script,
as by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from stratagem import kernel
from stratagem.compile import Bound
from stratagem.games.minions import atoms as atomic
from stratagem.games.minions import layout
from stratagem.games.minions.atoms import MAX_ATOMS, kind_of, moves
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.scratch import FEATURES, THREATS, Reals
from stratagem.games.minions.engine.worth import fitted_weights, look, weigh
from stratagem.games.minions.game import Minions, MinionsPosition
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.kernel import Ground, Moves, Payoffs, State, Unbound
from stratagem.search.whole_turns import Atoms

PER_BOARD, BESIDE = 64, 16  # decisions of a turn that are carried out
WEIGHTS: Reals = cast(Any, Unbound("WEIGHTS"))


def decisions(g: Ground, s: State, p: int, out: Moves) -> int:
    """All atoms but the resignation, which comes last."""
    n = moves(g, s, p, out)
    if n > 1 and kind_of(out[n - 1]) == layout.RESIGN:
        return n - 1
    return n


def value(g: Ground, s: State, out: Payoffs) -> None:
    """By the fitted weights."""
    x = np.zeros(FEATURES)
    look(g, s, np.zeros(2 * THREATS, np.int64), x)
    out[s[layout.SIDE]] = weigh(x, WEIGHTS)
    out[1 - s[layout.SIDE]] = -out[s[layout.SIDE]]


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(2):
        out[p] = 1.0 if s[layout.WINNER] == p else -1.0


@lru_cache(maxsize=8)
def _names(config: GameConfig) -> dict[str, Any]:
    cells = GameState.blank(config).size
    own: dict[str, Any] = {**config.constants, "WEIGHTS": fitted_weights(), "SIZE": cells}
    kernels: dict[str, Callable[..., Any]] = {
        "turn": atomic.turn,
        "moves": decisions,
        "allowed": atomic.allowed,
        "play": atomic.play,
        "value": value,
        "payoff": payoff,
        "key": kernel.key,
    }
    sizes = {"SIZE": cells, "CELLS": cells, "PLAYERS": 2, "MAX_MOVES": MAX_ATOMS, "LOW": -1.0, "HIGH": 1.0}
    return {**{name: Bound(f, own) for name, f in kernels.items()}, **sizes, "EXACT_KEY": False}


def atoms(game: Minions) -> Atoms:
    """The decisions of a game of Minions."""
    config = game.config
    return Atoms(
        names=_names(config),
        ground=config.ground,
        cells=GameState.blank(config).size,
        players=2,
        most_moves=MAX_ATOMS,
        actions=10 * config.boards,
        longest=PER_BOARD * config.boards + BESIDE,
        dice=False,
        secret=False,
        state=_state,
        text=_text,
        whole=True,
    )


def _state(view: MinionsPosition) -> State:
    return view.state.array.copy()


def _text(view: MinionsPosition, turn: Sequence[int]) -> str:
    """A turn of atoms as a move; ends of phases are understood."""
    words, at = np.zeros((3 + atomic.MOST_CYCLE) * len(turn), np.int64), 0
    for m in turn:
        at += atomic.write(m, words[at:]) if kind_of(m) != atomic.END else 0
    return str(GameTurn.from_words(words[:at], view.game.config.boards))
