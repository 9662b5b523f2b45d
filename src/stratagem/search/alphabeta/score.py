"""Scores: what two-player zero-sum searches compute with, in place of payoffs.

A score is an integer for the player to decide. A payoff at the top of the range is a win, WIN less the plies until then,
so that shorter wins are better and longer losses less bad; anything else is the payoff scaled to -SCALE .. SCALE, and
heuristic values lie strictly inside that. So a proven result is never confused with a good position.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.contract.game import ArrayGame, ArrayPosition, Game, Position
from stratagem.errors import UnsuitableSearch
from stratagem.kernel import HIGH, LOW, Ground, Payoffs, State, payoff, value
from stratagem.search.sampling.playouts import check_kernels, has_chance

WIN = 1 << 30
DECIDED = WIN - (1 << 20)  # scores beyond this are proven wins and losses
SCALE = 1 << 20
INFINITY = WIN + 1


def distance(ply: int) -> int:
    """The plies that a win or loss is away, as scores carry them."""
    return ply


def no_distance(ply: int) -> int:
    """All wins alike: the bare values of the textbooks."""
    return 0


def terminal_score(g: Ground, s: State, p: int, ply: int, out: Payoffs) -> int:
    """The score for player p of a game that is over, `ply` plies below the root."""
    payoff(g, s, out)
    if out[p] >= HIGH:
        return WIN - distance(ply)
    if out[p] <= LOW:
        return distance(ply) - WIN
    return scaled(out[p])


def heuristic_score(g: Ground, s: State, p: int, out: Payoffs) -> int:
    """The score for player p of a game that is cut off here."""
    value(g, s, out)
    return min(max(scaled(out[p]), 1 - SCALE), SCALE - 1)


def no_heuristic_score(g: Ground, s: State, p: int, out: Payoffs) -> int:
    """Where a game gives no estimate, everything undecided is worth a draw."""
    return 0


def scaled(x: float) -> int:
    """A payoff between a loss and a win, as a score."""
    return int(round((2.0 * x - LOW - HIGH) / (HIGH - LOW) * SCALE))


@dataclass(frozen=True)
class Verdict:
    """A score in words."""

    value: float  # in units of payoff
    moves_to_end: int | None  # plies, where a win or a loss is proven


def verdict(game: ArrayGame, score: int) -> Verdict:
    low, high = game.payoff_range
    if score > DECIDED:
        return Verdict(high, WIN - score)
    if score < -DECIDED:
        return Verdict(low, WIN + score)
    return Verdict((low + high) / 2 + score / SCALE * (high - low) / 2, None)


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
