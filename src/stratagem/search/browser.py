"""Searches that a visitor's browser runs: Monte-Carlo tree search of games that hide nothing, as WebAssembly.

The template and the settings are those of `MCTS`, so the same seed gives the same tree, in a browser too. Here the tree is begun:
`begun` tells a position as the arrays that a search of it starts with. The page's `here.js` calls the module slice by slice and
reads the tree. A network, threads and what a search learned at other positions stay on the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem.compile.portable import Portable
from stratagem.contract.game import ArrayGame, ArrayPosition, Game, Position
from stratagem.errors import IllegalMove, UnsuitableSearch
from stratagem.kernel import OVER, TOGETHER
from stratagem.search.sampling.playouts import check_position
from stratagem.search.tree.mcts import MCTS, MctsSettings, refuse_unsuitable

POOL = 1 << 19  # nodes: 28 MB of a browser's memory with proofs
MOST_MOVES = 2000  # of a position, with their texts
MOST_CELLS = 100_000  # of a ground or a state, which travel with every position
SETTINGS = MctsSettings(pool=POOL, target="wasm")


def refused(game: Game) -> str | None:
    """Why a game's searches stay on the server; None where browsers run them."""
    if not isinstance(game, ArrayGame):
        return f"{game.name} has no kernels, so there is nothing to compile for browsers"
    if game.plan.by_parts or game.plan.name != "move":
        return f"a move of {game.name} is a {game.plan.name}, which engines of its own search better than a tree does"
    try:
        refuse_unsuitable(game)
    except UnsuitableSearch as error:
        return str(error)
    if max(game.g.size, game.size + game.scratch) > MOST_CELLS or game.max_moves > MOST_MOVES:
        return f"{game.name} with these options is too large to be sent to a browser at every move"
    return None


def offered(game: Game) -> bool:
    """Whether browsers run the searches of a game."""
    return refused(game) is None


def engine(game: Game, settings: MctsSettings = SETTINGS) -> MCTS:
    """The search that browsers run.

    Raises:
        UnsuitableSearch: browsers do not run searches of this game.
    """
    return MCTS(_checked(game), settings)


def _checked(game: Game) -> ArrayGame:
    why = refused(game)
    if why is not None or not isinstance(game, ArrayGame):
        raise UnsuitableSearch(why or "")
    return game


@dataclass(frozen=True)
class Begun:
    """A search that is to begin in a browser."""

    module: str  # the module's name
    manifest: dict[str, Any]  # the arrays that it begins with
    numbers: list[int]  # the moves here, in the tree's order
    template: Portable
    args: tuple[Any, ...]  # of its first call


def begun(game: Game, position: Position, settings: MctsSettings = SETTINGS) -> Begun:
    """A search of a position as a browser begins it.

    Raises:
        UnsuitableSearch: browsers do not run searches of this game.
        GameOver: there is nothing to decide.
        IllegalMove: chance decides here, and no player.
    """
    search = engine(game, settings)
    root = check_position(search.game, position)
    if root.turn < 0:
        raise IllegalMove("nobody has anything to decide in this position")
    search._begin(root)
    args = search._arguments(root, 0, 0, 0, np.zeros(1, np.int64))
    template: Any = search._simulate
    numbers = root.move_numbers()
    # a tree that has not grown is zeros behind the root's children, and all other arrays are small
    return Begun(template.name(args), template.manifest(args, MOST_CELLS), numbers, template, args)


def texts(position: Position, lines: Sequence[Sequence[int]]) -> list[tuple[str, ...]]:
    """The texts of lines of moves that a browser found, given by their numbers; each move is checked.

    Raises:
        UnsuitableSearch: browsers do not run searches of this game.
        IllegalMove: a move is not legal where it stands.
    """
    game = _checked(position.game)
    assert isinstance(position, ArrayPosition)
    for line in lines:
        s = position.state.copy()
        for m in line:
            p = int(game.run("turn", game.g, s))
            if p in (OVER, TOGETHER) or m not in game.legal(s, p):
                raise IllegalMove(f"the line {list(line)} holds {m} where that is no move")
            game.run("play", game.g, s, p, m)
    return [position.line(line) for line in lines]
