"""The kernels: what a game's rules are to a search.

A kernel is a small module-level function over flat int64 arrays: `s`, the state, changed in place, and `g`, the ground,
read-only data of this instance of the game. Kernels allocate nothing, and the one source runs in the interpreter,
compiled on the CPU, and on a GPU. Searches are templates: they import the names below, and `compile.specialise` puts a
game's own functions and constants in their place.

Every function here is a place to be filled, and its docstring is the contract. A game must give `turn`, `count`, `move`,
`play` and `payoff`; the rest as it needs them. `p` is always explicit, because a bidding game lets either side move:
rules never derive the mover from the stones.
"""

from __future__ import annotations

from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import MissingKernel
from stratagem.rng import Rng, below, mix, unit

State = NDArray[np.int64]
Ground = NDArray[np.int64]
Moves = NDArray[np.int64]
Payoffs = NDArray[np.float64]

# What `turn` returns where no single player decides.
OVER = -1
CHANCE = -2
TOGETHER = -3
NOBODY = -4  # a spectator, to `hide`
NO_MOVE = -1  # the entry of a player who is not asked, in a joint move


def _unbound(name: str) -> NoReturn:
    raise MissingKernel(f"kernel {name!r} is not bound: a template runs only through compile.specialise")


class Unbound:
    """A constant that each game fills in."""

    def __init__(self, name: str) -> None:
        self.name = name


# Bound for each game. Typed as what they will be.
SIZE: int = cast(Any, Unbound("SIZE"))  # cells of a state
CELLS: int = cast(Any, Unbound("CELLS"))  # SIZE and the scratch cells behind it, outside copies and equality
PLAYERS: int = cast(Any, Unbound("PLAYERS"))
MAX_MOVES: int = cast(Any, Unbound("MAX_MOVES"))  # most moves one player can have
LOW: float = cast(Any, Unbound("LOW"))  # range of payoffs
HIGH: float = cast(Any, Unbound("HIGH"))
EXACT_KEY: bool = cast(Any, Unbound("EXACT_KEY"))  # whether equal keys mean equal states
MAY_WIN: bool = True  # False where a search knows that the mover cannot win at once, so that `safe` need not look


def turn(g: Ground, s: State) -> int:
    """The player to decide, or CHANCE, TOGETHER (all decide at once), OVER."""
    _unbound("turn")


def count(g: Ground, s: State, p: int) -> int:
    """How many moves player p has. At TOGETHER a player with 0 is not asked. For p = CHANCE: how many outcomes."""
    _unbound("count")


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th move of player p as an integer of at least 0; k from 0."""
    _unbound("move")


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    """All moves of player p into `out`, in static preference order; returns how many. Derived if absent."""
    n = count(g, s, p)
    for k in range(n):
        out[k] = move(g, s, p, k)
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """A random move of player p, for speed, or where moves are too many to count. Derived if absent."""
    return move(g, s, p, below(r, count(g, s, p)))


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """Whether player p, who is to decide, may play m, any number. Derived if absent; turns that are repaired ask it often."""
    n = count(g, s, p)
    for k in range(n):
        if move(g, s, p, k) == m:
            return True
    return False


def turns(g: Ground, s: State) -> int:
    """How many turns have begun; given where one player's turns of several decisions may follow each other."""
    _unbound("turns")


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Apply player p's move m; for p = CHANCE, outcome m."""
    _unbound("play")


def play_together(g: Ground, s: State, joint: Moves) -> None:
    """Apply a joint move, one entry a player, NO_MOVE for those not asked."""
    _unbound("play_together")


def draw(g: Ground, s: State, r: Rng) -> None:
    """Sample and apply a chance event. Derived from `odds` if absent."""
    x = unit(r)
    n = count(g, s, CHANCE)
    for k in range(n - 1):
        x -= odds(g, s, k)
        if x < 0.0:
            play(g, s, CHANCE, k)
            return
    play(g, s, CHANCE, n - 1)


def odds(g: Ground, s: State, k: int) -> float:
    """The probability of chance outcome k, of count(g, s, CHANCE)."""
    _unbound("odds")


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """Re-sample in place everything that player p cannot see."""
    _unbound("guess")


def hide(g: Ground, s: State, p: int) -> None:
    """Blank in place everything that player p cannot see; p = NOBODY leaves what a spectator sees."""
    _unbound("hide")


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """Each player's payoff, when over."""
    _unbound("payoff")


def value(g: Ground, s: State, out: Payoffs) -> None:
    """A heuristic estimate of the payoffs, strictly inside their range."""
    _unbound("value")


def key(g: Ground, s: State) -> int:
    """A 64-bit hash of all that affects the future. Derived, and not exact, if absent."""
    h = mix(np.int64(SIZE))  # type: ignore[arg-type]
    for i in range(SIZE):
        h = mix(h ^ s[i])
    return h


def order(g: Ground, s: State, p: int, m: int) -> int:
    """For alpha-beta: how promising move m looks, 0 .. 2**15 - 1; ties keep the order of `moves`."""
    _unbound("order")


def safe(g: Ground, s: State, p: int, out: Moves) -> int:
    """For alpha-beta: the moves after which the opponent cannot win at once; -1 if p can win at once itself.

    Only for games in which players take turns and no move loses by itself.
    """
    _unbound("safe")


def rank(g: Ground, s: State, p: int, out: Moves, n: int) -> bool:
    """For the solver: sort the n safe moves in `out`, best first, unless one of them leaves the opponent no safe move.

    True if there is such a move, whatever the order then is. Asked only where no move can end the game.
    """
    _unbound("rank")


def left(g: Ground, s: State) -> int:
    """For alpha-beta: an upper bound of the plies left."""
    _unbound("left")


REQUIRED = ("turn", "count", "move", "play", "payoff")
DERIVED = ("moves", "sample", "allowed", "draw", "key")
OPTIONAL = ("play_together", "odds", "guess", "hide", "value", "order", "safe", "rank", "left", "turns")
NAMES = REQUIRED + DERIVED + OPTIONAL
WHOLE = frozenset(("turn", "count", "move", "moves", "sample", "key", "order", "safe", "left"))  # give a whole number
