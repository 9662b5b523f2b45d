"""What a network sees of a position: numbered things that are on or off, which a game declares as two small functions.

A game that can have a network has among its rules, or in a module of their own that it names as its `feature_rules`,

- `features(g, s, side, out)`: those that are on as `side` sees the position (own things first, say, the other's behind them);
- `switched(g, s, side, p, m, out)`, if that is cheaper than to list them all when a position is judged: what player p's move m
  will switch, asked before it is made; f for one that comes on, -1 - f for one that goes off;

- `policy_of(g, s, p, m)`, if its networks shall have a policy: the output, from 0, that stands for player p's move m as p sees
  it; then there are `policy_count` of them, and tree search plays with the network in place of alpha-beta;

and says how many features there are (`feature_count`, each a number from 0) and how many can be listed at most
(`features_at_once`). Where several features mean the same, such as mirror images, `feature_columns` names for each the column of
the network that they share. Where a position is as good as its mirror image, `feature_mirror` names for each feature the one
that is on there, and for each output of the policy likewise: then everything is learned twice.

What `stratagem train` does where nothing is said stands in the game's `trained_by`, a mapping of options of `Recipe` and
`TrainingCourse`, and `against`, the player that a first network is tried against. Self-play by alpha-beta or tree search is for
games without chance in which one decides after another; `by="playouts"` is for all: everybody follows `rollout(g, s, p, r)` of
the feature rules. What features need beside the rules, tables or constants, is made by the game's `ready_features()`, which
returns the constants by name.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import MissingKernel, OptionError, StratagemError
from stratagem.kernel import CHANCE, Ground, Moves, State
from stratagem.rng import generator

LOOK_AT = 24  # plies of the game that tells whether features are the same
DRAWN = 4  # and fewer where chance or several decide
NOBODY = "-"  # in a joint move: nothing is asked of a seat


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    """The features that are on as `side` sees it, into `out`; returns how many."""
    _unbound("features")


def switched(g: Ground, s: State, side: int, p: int, m: int, out: Moves) -> int:
    """What player p's move m will switch, as `side` sees it: f on, -1 - f off; returns how many."""
    _unbound("switched")


def policy_of(g: Ground, s: State, p: int, m: int) -> int:
    """The output of the policy that stands for player p's move m, as p sees it."""
    _unbound("policy_of")


def _unbound(name: str) -> NoReturn:
    raise MissingKernel(f"{name!r} is not bound: networks run only through compile.specialise")


@runtime_checkable
class WithFeatures(Protocol):
    """The trait of a game that can have a network."""

    feature_count: int
    features_at_once: int  # the most that can be on, or be switched by one move


def suits(game: Any) -> bool:
    """Whether a game can have a network: it declares features, two play it, and what one wins the other loses. Payoffs that
    always sum to the same, as shares of a prize do, are as good as those that sum to zero: the game says `constant_sum`. Chance
    and decisions at once are no hindrance."""
    if not (isinstance(game, ArrayGame) and isinstance(game, WithFeatures)):
        return False
    return game.players == 2 and (game.zero_sum or getattr(game, "constant_sum", False))


def policy_count(game: Any) -> int:
    """The outputs of a policy that networks of a game have; 0: none."""
    return int(getattr(game, "policy_count", 0))


def check_suits(game: Any) -> Any:
    """The game, if it can have a network: an `ArrayGame` that is `WithFeatures`."""
    if not (isinstance(game, ArrayGame) and isinstance(game, WithFeatures)):
        name = getattr(game, "name", game)
        raise OptionError(
            f"{name} with these options declares no features, so it cannot have a network (docs/networks.md)"
        )
    if not suits(game):
        raise OptionError(
            f"{game.name} cannot have a network: those judge two sides of which one wins what the other loses"
        )
    return game


def rules_of(game: Any) -> Any:
    """Where a game's features stand."""
    found = getattr(game, "feature_rules", None) or game.rules or sys.modules[type(game).__module__]
    if not hasattr(found, "features"):
        raise OptionError(f"{game.name} has a feature_count, but no function features(g, s, side, out)")
    return found


def bound(game: Any, name: str) -> Bound:
    """A function of the feature rules with the game's names, and with those that it has for its features alone."""
    names = game.__dict__.get("_feature_names")
    if names is None:
        names = game.names["turn"].names
        if hasattr(game, "ready_features"):  # tables that features need, and names of their own
            names = {**names, **game.ready_features()}
        game.__dict__["_feature_names"] = names
    return Bound(getattr(rules_of(game), name), names)


def columns_of(game: Any) -> NDArray[np.int64]:
    """The column of each feature of a game."""
    found = getattr(game, "feature_columns", None)
    if found is None:
        return np.arange(game.feature_count)
    columns: NDArray[np.int64] = np.asarray(found, np.int64)
    if columns.shape != (game.feature_count,) or columns.min() < 0:
        raise StratagemError(
            f"feature_columns of {game.name} has the shape {columns.shape}; "
            f"it names a column from 0 for each of its {game.feature_count} features"
        )
    return columns


def seen_by(game: Any, s: State, side: int) -> list[int]:
    """The features that are on, by the interpreter and checked: slow, and right for a look at one position."""
    out = np.full(game.features_at_once + 1, -1, np.int64)  # one more shows that there are too many
    found = bound(game, "features")
    look = specialise(found.function, found.names, target="python", label=f"{game.name} features")
    n = int(look(game.g, s if s.flags.writeable else padded(game, s), side, out))
    if n > game.features_at_once:
        raise StratagemError(
            f"{n} features of {game.name} are on at once; features_at_once promises {game.features_at_once} at most"
        )
    return [checked(game, int(f)) for f in out[:n]]


def padded(game: Any, s: State) -> State:
    """A copy of a state with the scratch cells behind it, to which features may write."""
    state: State = game.blank()
    state[: len(s)] = s[: len(state)]
    return state


def checked(game: Any, f: int) -> int:
    if not 0 <= f < game.feature_count:
        raise StratagemError(
            f"feature {f} of {game.name} is out of range; its features are numbered from 0 to {game.feature_count - 1}"
        )
    return f


def fingerprint(game: Any) -> str:
    """Tells features apart by what they say of one game, always the same: two games, two sets of options or two versions of the
    rules that see something else differ in it. Found out once for a game."""
    declared = (game.feature_count, game.features_at_once)
    known: dict[tuple[int, int], str] = game.__dict__.setdefault("_fingerprints", {})
    if declared not in known:
        known[declared] = _fingerprint(game)
    return known[declared]


def _fingerprint(game: Any) -> str:
    said = hashlib.sha256(f"{game.feature_count} {game.features_at_once}".encode())
    said.update(columns_of(game).tobytes())
    position, rng, drawn = game.start(), generator(0), 0
    for ply in range(LOOK_AT):
        if position.over or drawn > DRAWN:
            break
        for side in range(2):
            said.update(repr(sorted(seen_by(game, position.state, side))).encode())
        if position.turn >= 0:
            numbers = position.move_numbers()
            position = position.play(game.move_text(position.state, position.turn, numbers[ply * 7 % len(numbers)]))
            continue
        drawn += 1  # such games are often long to interpret
        if position.turn == CHANCE:
            position = position.play(position.sample(rng))
        else:
            position = position.play(
                [position.sample(rng, p) if p in position.asked else NOBODY for p in range(game.players)]
            )
    return said.hexdigest()[:16]
