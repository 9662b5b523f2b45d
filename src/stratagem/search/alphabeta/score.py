"""Scores: what two-player zero-sum searches compute with, in place of payoffs.

A score is an integer for the player to decide. A payoff at the top of the range is a win: WIN less the plies until then, so
that shorter wins are better and longer losses less bad. Any other payoff is counted in whole units; `units` says how many make
up a payoff of 1. Heuristic values lie strictly inside the range. So a proven result is never confused with a good position,
and payoffs that are whole numbers, decimals or small fractions come back exactly as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from stratagem.contract.game import ArrayGame, ArrayPosition, Game, Position
from stratagem.errors import StratagemError, UnsuitableSearch
from stratagem.kernel import HIGH, LOW, Ground, Payoffs, State, Unbound, payoff, value
from stratagem.search.sampling.playouts import check_kernels, has_chance, in_range

WIN = 1 << 30
DECIDED = WIN - (1 << 20)  # scores beyond this are proven wins and losses
MOST_UNITS = 1 << 29  # of a payoff at the top of the range: below DECIDED
INFINITY = WIN + 1
OUT_OF_RANGE = -(1 << 42)  # in the place of a score: a payoff that the game's payoff_range does not hold

# Units of a payoff of 1, the finest that fits is taken: multiples of many small numbers and of powers of ten, so that
# decimals and common fractions are whole numbers of them.
MYRIADS = (36_036, 18_018, 9_009, 3_003, 693, 252, 63, 9, 3, 1)
FINENESS = (*(10_000 * n for n in MYRIADS), 6_000, 3_000, 1_000, 600, 300, 100, 60, 20, 10, 2, 1)
ROUNDING = 1e-15  # of the top of the range
UNITS: float = cast(Any, Unbound("UNITS"))


def units(game: ArrayGame) -> float:
    """How many units of score a payoff of 1 is; whole, unless payoffs reach beyond 2**29."""
    high = game.payoff_range[1]
    return next((float(n) for n in FINENESS if n * high <= MOST_UNITS), MOST_UNITS / high)


def scoring(game: ArrayGame) -> dict[str, Any]:
    """What a template that uses scores is bound with."""
    return {"UNITS": units(game)}


def distance(ply: int) -> int:
    """The plies that a win or loss is away, as scores carry them."""
    return ply


def no_distance(ply: int) -> int:
    """All wins alike: the bare values of the textbooks."""
    return 0


def terminal_score(g: Ground, s: State, p: int, ply: int, out: Payoffs) -> int:
    """The score for player p of a game that is over, `ply` plies below the root, or OUT_OF_RANGE."""
    payoff(g, s, out)
    if not in_range(out):
        return OUT_OF_RANGE
    if out[p] >= HIGH:
        return WIN - distance(ply)
    if out[p] <= LOW:
        return distance(ply) - WIN
    return scaled(out[p])


def heuristic_score(g: Ground, s: State, p: int, out: Payoffs) -> int:
    """The score for player p of a game that is cut off here."""
    value(g, s, out)
    top = int(HIGH * UNITS) - 1
    return min(max(scaled(out[p]), -top), top)


def no_heuristic_score(g: Ground, s: State, p: int, out: Payoffs) -> int:
    """Where a game gives no estimate, everything undecided is worth a draw."""
    return 0


def scaled(x: float) -> int:
    """A payoff between a loss and a win, as a score."""
    return int(round(x * UNITS))


def is_exact(score: int, x: float) -> bool:
    """Whether a score of a finished game gives its payoff back as it was, but for what a sum of floats loses."""
    return abs(score) > DECIDED or abs(score / UNITS - x) <= ROUNDING * HIGH


@dataclass(frozen=True)
class ScoreVerdict:
    """A score in words."""

    value: float  # in units of payoff
    moves_to_end: int | None  # plies, where a win or a loss is proven


def verdict(game: ArrayGame, score: int) -> ScoreVerdict:
    low, high = game.payoff_range
    if score > DECIDED:
        return ScoreVerdict(high, WIN - score)
    if score < -DECIDED:
        return ScoreVerdict(low, WIN + score)
    return ScoreVerdict(score / units(game), None)


def out_of_range(game: ArrayGame, paid: Payoffs) -> StratagemError:
    """What is said of payoffs that the range does not hold: a search with them would be silently wrong."""
    low, high = game.payoff_range
    return StratagemError(
        f"a finished game of {game.name} pays {', '.join(f'{x:g}' for x in paid)}, but its payoff_range is "
        f"({low:g}, {high:g}); declare in the game's class the range of all that it pays"
    )


def check_game(search: str, game: Game, *, chance: bool = False, many: bool = False) -> None:
    """Refuse a game of a kind that a tree search of alternating moves cannot handle, and name a search that can."""
    game = check_kernels(search, game)
    if game.gives("play_together"):
        raise UnsuitableSearch(f"{search} cannot search {game.name}, where players decide at once; use mcts")
    if game.hidden:
        raise UnsuitableSearch(f"{search} cannot search {game.name}, where something is hidden; use montecarlo or mcts")
    if has_chance(game) and not game.gives("odds"):
        raise UnsuitableSearch(
            f"{search} cannot number the chance outcomes of {game.name}, which gives no odds; use montecarlo or mcts"
        )
    if not chance and game.gives("odds"):
        raise UnsuitableSearch(f"{search} cannot search {game.name}, a game of chance; use expectimax")
    if not many and (game.players != 2 or not game.zero_sum):
        raise UnsuitableSearch(f"{search} is for two players whose payoffs sum to zero; use expectimax or mcts")


def check_suits(search: str, position: Position, *, chance: bool = False, many: bool = False) -> ArrayPosition:
    """The position, if it is of a game that `check_game` lets pass."""
    check_game(search, position.game, chance=chance, many=many)
    assert isinstance(position, ArrayPosition)
    return position
