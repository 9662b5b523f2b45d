"""A game's turns in single decisions, as the baselines see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stratagem.contract.game import ArrayGame, ArrayPosition, Game
from stratagem.errors import UnsuitableSearch
from stratagem.kernel import Ground, State
from stratagem.search.sampling.playouts import has_chance

LONGEST = 64  # decisions of a turn, where a game does not say that there are more
MANY = 8  # times the decisions that are worth planning: room for those beyond


@dataclass(frozen=True)
class Atoms:
    """Kernels over single decisions, and how a position becomes their state and a turn a move.

    A game whose moves are decisions needs none of its own: `atoms_of` makes one. A game whose move is a whole turn gives one that
    puts the text of a turn together (`whole`)."""

    names: Mapping[str, Any]  # kernels and constants, as templates resolve them
    ground: Ground
    cells: int  # of a state, scratch included
    players: int
    most_moves: int
    actions: int  # decisions of a usual turn
    longest: int  # decisions of a turn that is carried out whole
    dice: bool  # whether chance falls inside a turn
    secret: bool  # whether something must be guessed
    state: Callable[[Any], State]  # of a view
    text: Callable[[Any, Sequence[int]], str]  # the move that a turn begins with, or that it is
    turns_of: Callable[[State], int] | None = None  # how many turns have begun, where the rules count them
    whole: bool = False  # whether a move is a whole turn


def suits(game: Game) -> bool:
    """Whether a game's own kernels are single decisions of turns, and judge positions."""
    return (
        isinstance(game, ArrayGame)
        and game.actions > 1
        and not game.gives("play_together")
        and game.gives("value")
        and (not game.hidden or game.gives("guess"))
    )


def atoms_of(
    game: ArrayGame,
    *,
    dice: bool | None = None,  # None: wherever there is chance at all
    longest: int | None = None,
    names: Mapping[str, Any] | None = None,  # kernels in place of the game's
) -> Atoms:
    """The decisions of a game whose moves they are."""
    if not isinstance(game, ArrayGame) or game.gives("play_together") or not (game.gives("value") or names):
        raise UnsuitableSearch(
            f"searches of turns need kernels for single decisions and `value` to judge by; {game.name} has none: use mcts"
        )
    bound = {**game.names, **(names or {})}
    return Atoms(
        names=bound,
        ground=game.g,
        cells=game.size + game.scratch,
        players=game.players,
        most_moves=max(game.max_moves, 1),
        actions=game.actions,
        longest=longest or max(LONGEST, MANY * game.actions),
        dice=has_chance(game) if dice is None else dice,
        secret=game.hidden,
        state=_state,
        text=_first_move,
        turns_of=(lambda s: int(game.run("turns", game.g, s))) if game.gives("turns") else None,
    )


def _state(view: ArrayPosition) -> State:
    return view.state.copy()


def _first_move(view: ArrayPosition, turn: Sequence[int]) -> str:
    return view.game.move_text(view.state, view.turn, turn[0])
