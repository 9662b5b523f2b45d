"""Playouts: a game played to its end, or to a depth, by a playout strategy for everyone.

The one loop that MCTS and Monte-Carlo share, on the CPU and on a GPU. `rollout` is the playout strategy, a kernel like
`sample`: by default it is the game's `sample`, a uniformly random move. A playout that is still going after `cap` plies
is an error of the game or of the strategy, never silently a draw.
"""

from __future__ import annotations

from typing import Any, cast

from stratagem.compile import Bound
from stratagem.contract.game import ArrayGame, ArrayPosition, Game, Position
from stratagem.contract.player import refuse_over
from stratagem.errors import MissingKernel, OptionError, StratagemError, UnsuitableSearch
from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    NO_MOVE,
    OVER,
    PLAYERS,
    TOGETHER,
    Ground,
    Moves,
    Payoffs,
    State,
    Unbound,
    count,
    draw,
    payoff,
    play,
    play_together,
    sample,
    turn,
    value,
)
from stratagem.rng import Rng
from stratagem.search.settings import SamplingSettings, whole

ENDLESS = -1  # what `playout` returns past its cap
UNSOUND = -5  # what it returns where a value or a payoff is NaN, or a number that the game's payoff_range does not hold
SLACK = 1e-6  # how far a value may be out of the range of payoffs by rounding
DEFAULT_CAP = 100_000  # plies, where a game does not say how long it can last

HAS_CHANCE: bool = cast(Any, Unbound("HAS_CHANCE"))  # whether the rules give `odds` or `draw`
HAS_TOGETHER: bool = cast(Any, Unbound("HAS_TOGETHER"))  # whether all may decide at once
CUTS: bool = cast(Any, Unbound("CUTS"))  # whether playouts end at a depth, judged by `value`
JUDGES_CHANCE: bool = False  # and whether `value` may be asked before a chance event, which then need not be drawn


def rollout(g: Ground, s: State, p: int, r: Rng) -> int:
    """The playout strategy: player p's move. Any kernel of this shape may be bound in its place."""
    return sample(g, s, p, r)


def roll_together(g: Ground, s: State, r: Rng, joint: Moves) -> None:
    """All decide at once, each by the playout strategy."""
    for p in range(PLAYERS):
        joint[p] = NO_MOVE
        if count(g, s, p) > 0:
            joint[p] = rollout(g, s, p, r)
    play_together(g, s, joint)


def counted(t: int) -> int:
    """How much a decision of t (a seat, CHANCE or TOGETHER) adds to the depth of a playout; a game may count otherwise."""
    return 1


def in_range(out: Payoffs) -> bool:
    """Whether every number is one that a payoff can be; NaN is not. A tree whose means leave the range selects nonsense."""
    for p in range(PLAYERS):
        if not (LOW - SLACK <= out[p] <= HIGH + SLACK):
            return False
    return True


def judge(g: Ground, s: State, out: Payoffs, ply: int) -> int:
    """The value kernel's estimates into out; returns ply, or UNSOUND: a search with such a number would be silently wrong."""
    value(g, s, out)
    return ply if in_range(out) else UNSOUND


def playout(g: Ground, s: State, r: Rng, joint: Moves, depth: int, cap: int, out: Payoffs) -> int:
    """Play s on to the end, or to a `depth` where CUTS; payoffs or values into `out`. Returns plies, or an error."""
    ply = 0
    deep = 0
    while True:
        t = turn(g, s)
        if t >= 0:
            if CUTS and deep >= depth:
                return judge(g, s, out, ply)
            play(g, s, t, rollout(g, s, t, r))
        elif t == OVER:
            payoff(g, s, out)
            return ply if in_range(out) else UNSOUND
        elif t == CHANCE:
            if CUTS and JUDGES_CHANCE and deep >= depth:
                return judge(g, s, out, ply)
            if HAS_CHANCE:
                draw(g, s, r)
        elif t == TOGETHER:
            if CUTS and deep >= depth:
                return judge(g, s, out, ply)
            if HAS_TOGETHER:
                roll_together(g, s, r, joint)
        ply += 1
        deep += counted(t)
        if ply > cap:
            return ENDLESS


INLINED = (rollout, playout)  # see `compile.specialise`


def playout_names(
    game: ArrayGame, *, strategy: Any = None, depth: int | None = None, evaluate: Any = None
) -> dict[str, Any]:
    """The names that templates over playouts need: a game's own, the playout strategy, and where playouts end."""
    names: dict[str, Any] = {**game.names}
    if evaluate is not None:
        names["value"] = of_game(game, evaluate)
    if depth is not None:
        if whole("playout_depth", depth) < 0:
            raise OptionError(
                f"a playout depth of {depth} makes no playout; give 0 or more, or none to play to the end"
            )
        if "value" not in names:
            raise MissingKernel(
                f"playouts of {game.name} cannot end at a depth: its rules give no 'value' kernel; play them to the end"
            )
    names["HAS_CHANCE"] = has_chance(game)
    names["HAS_TOGETHER"] = game.gives("play_together")
    names["CUTS"] = depth is not None
    if strategy is not None:
        names["rollout"] = of_game(game, strategy)
    return names


def names_for(game: ArrayGame, settings: SamplingSettings) -> dict[str, Any]:
    """The names of playouts as a search's settings want them."""
    given = settings.strategy, settings.playout_depth, settings.evaluate
    return playout_names(game, strategy=given[0], depth=given[1], evaluate=given[2])


def of_game(game: ArrayGame, function: Any) -> Any:
    """A kernel of the caller's own, bound like the game's kernels: with its constants and its other kernels."""
    return function if isinstance(function, Bound) else Bound(function, game.names["turn"].names)


def check_kernels(search: str, game: Game) -> ArrayGame:
    """The game, if its rules are kernels."""
    if not isinstance(game, ArrayGame):
        raise UnsuitableSearch(f"{search} needs kernels, and {game.name} has none; use the players of {game.name}")
    return game


def check_position(game: ArrayGame, position: Position) -> ArrayPosition:
    """The position, if there is something to choose in it and it is of the game that a search was made for."""
    if position.game != game or not isinstance(position, ArrayPosition):
        raise StratagemError(f"this search is for {game!r}, and the position is of {position.game!r}")
    refuse_over(position)
    return position


def has_chance(game: ArrayGame) -> bool:
    """Whether the rules can draw chance events: by `odds`, or by a `draw` of their own."""
    return game.gives("odds") or game.names["draw"].function is not draw


def cap_of(game: ArrayGame, cap: int | None) -> int:
    """The plies after which a playout counts as endless; a game's own bound needs no guess."""
    if cap is not None:
        cap = whole("playout_cap", cap)
        if cap < 1:
            raise OptionError(f"a cap of {cap} plies ends every playout before it begins; give 1 or more")
        return cap
    return DEFAULT_CAP if game.max_length is None else max(4 * game.max_length, 64)


def complaint(game: ArrayGame, code: int, cap: int) -> StratagemError:
    """What an error of `playout` means, and what would repair it."""
    if code == UNSOUND:
        low, high = game.payoff_range
        return StratagemError(
            f"the value kernel or the payoffs of {game.name} gave NaN or a number out of the range of payoffs, "
            f"{low:g} to {high:g}: estimates must lie within it, and payoff_range must hold whatever the game pays"
        )
    return StratagemError(
        f"a playout of {game.name} had not ended after {cap} plies: give a playout depth (with a value kernel), "
        "another playout strategy, or a larger playout_cap"
    )
