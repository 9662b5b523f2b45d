"""A game for pages without a server: its rules as a WebAssembly module, and the search for positions that only the page knows.

`search.browser` begins a search where a server knows the position. Here the page knows it: it plays by `rules`, and copies the
state into the field `start` of the search from `anywhere`. For two players who move in turn, without chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile.portable import Portable
from stratagem.compile.specialiser import Bound, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import MissingKernel, UnsuitableSearch
from stratagem.kernel import NO_MOVE, OVER, Ground, Moves, Payoffs, State, allowed, moves, payoff, play, turn
from stratagem.search import browser
from stratagem.search.tree.mcts import MctsSettings
from stratagem.search.tree.records import ready

Words = NDArray[np.int64]
REFUSED = -2  # in place of a number of moves: that was no legal move


def holder(g: Ground, s: State, k: int) -> int:
    """Whose piece stands on the k-th place of the drawing: 0 nobody's, 1 the first seat's, 2 the second's."""
    raise MissingKernel("give a kernel that reads the places of this game's drawing")


def follow(g: Ground, s: State, m: int, who: Words, listed: Moves, held: Words, out: Payoffs) -> int:
    """Play a move, or NO_MOVE for none, and describe the position that follows.

    Args:
        g: the ground.
        s: [cells] the state, changed in place.
        m: the move of the seat to decide.
        who: [1] receives the seat to decide, or OVER.
        listed: [most moves] receives the legal moves.
        held: [places] receives whose piece stands on each place.
        out: [players] receives the payoffs, when over.

    Returns:
        The number of legal moves, 0 when over, or REFUSED: then nothing has changed.
    """
    t = turn(g, s)
    if m != NO_MOVE:
        if t == OVER or not allowed(g, s, t, m):
            return REFUSED
        play(g, s, t, m)
        t = turn(g, s)
    who[0] = t
    for k in range(held.shape[0]):
        held[k] = holder(g, s, k)
    if t == OVER:
        payoff(g, s, out)
        return 0
    return moves(g, s, t, listed)


def rules(
    game: ArrayGame, reader: Callable[..., int], places: int, target: str = "wasm"
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return `follow` for a game, and the arguments of a call at the start of the game.

    Args:
        game: what is played.
        reader: takes the place of `holder`; the constants of the game's kernels are bound in it.
        places: how many places the drawing has.
        target: as `specialise` takes it.

    Raises:
        UnsuitableSearch: browsers do not run searches of this game, or it has chance.
    """
    if (why := browser.refused(game)) is not None:
        raise UnsuitableSearch(why)
    if game.gives("odds") or game.players != 2:
        raise UnsuitableSearch(f"{game.name} is not a game of two players without chance")
    names = {**game.names, "holder": Bound(reader, game.names["turn"].names)}
    made = specialise(follow, names, target=target, label=f"{game.name} rules", lean=True)
    state = game.blank()
    game.first(state)
    who, listed = np.zeros(1, np.int64), np.zeros(max(game.max_moves, 1), np.int64)
    return made, (game.g, state, NO_MOVE, who, listed, np.zeros(places, np.int64), np.zeros(game.players))


def anywhere(game: ArrayGame, settings: MctsSettings = browser.SETTINGS) -> tuple[Portable, tuple[Any, ...]]:
    """Return the search that browsers run, and the arguments of a call for any position: its state is the field `start`.

    The tree is a root without children, which the first simulation lists as `MCTS` does. So the tree is the same as that of
    `search.browser.begun`.

    Raises:
        UnsuitableSearch: browsers do not run searches of this game.
    """
    engine = browser.engine(game, settings)
    walker = ready(engine.workers[0], game.max_moves, 1, settings.pool)
    template: Any = engine._simulate
    start = game.start().state
    return template, (game.g, start, engine.trees[0], walker, engine._limits(0, 0), np.zeros(1, np.int64))
