"""Players made of searches, for any game with kernels that fit; a game's own players.py picks from these and adds levels."""

from __future__ import annotations

from typing import Any

from stratagem.errors import OptionError
from stratagem.game import ArrayGame, Game, Position
from stratagem.player import Choice, Clock, Entry, RandomPlayer, Report
from stratagem.search.alphabeta import AlphaBeta
from stratagem.search.mcts import MCTS
from stratagem.search.minimax import Expectimax

DEFAULT_SECONDS = 1.0


class SearchPlayer:
    """Runs one search a move, to a fixed depth or under a clock."""

    def __init__(self, name: str, engine: Any, seconds: float | None, depth: int | None) -> None:
        self.name = name
        self.engine = engine
        self.seconds = Clock(None if seconds is None else float(seconds)).seconds
        if depth is not None and int(depth) < 1:
            raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")
        self.depth = None if depth is None else int(depth)

    def choose(
        self, view: Position, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        seconds = clock.seconds if clock.seconds is not None else self.seconds
        if seconds is None and self.depth is None:
            seconds = DEFAULT_SECONDS
        choice: Choice = self.engine.analyse(view, Clock(seconds), depth=self.depth, lines=lines, report=report)
        return choice


def alphabeta(
    game: ArrayGame, *, time: float | None = None, depth: int | None = None, seed: int = 0, **options: Any
) -> SearchPlayer:
    return SearchPlayer("alphabeta", AlphaBeta(game, **options), time, depth)


def expectimax(
    game: ArrayGame, *, time: float | None = None, depth: int | None = None, seed: int = 0, **options: Any
) -> SearchPlayer:
    return SearchPlayer("expectimax", Expectimax(game, **options), time, depth)


class SamplingPlayer:
    """Runs simulations, so many a move or as many as the clock allows. A clock that is given overrides the player's own."""

    def __init__(self, name: str, engine: Any, seconds: float | None, simulations: int | None) -> None:
        self.name = name
        self.engine = engine
        self.seconds = Clock(None if seconds is None else float(seconds)).seconds
        self.simulations = simulations

    def choose(
        self, view: Position, clock: Clock, *, seat: int | None = None, report: Report | None = None, lines: int = 1
    ) -> Choice:
        seconds = clock.seconds if clock.seconds is not None else self.seconds
        if seconds is None and self.simulations is None:
            seconds = DEFAULT_SECONDS
        choice: Choice = self.engine.analyse(
            view, Clock(seconds), seat=seat, simulations=self.simulations, lines=lines, report=report
        )
        return choice


def mcts(
    game: ArrayGame, *, time: float | None = None, simulations: int | None = None, seed: int = 0, **options: Any
) -> SamplingPlayer:
    return SamplingPlayer("mcts", MCTS(game, seed=seed, simulations=simulations, **options), time, simulations)


def general_players(game: Game) -> dict[str, Entry]:
    """The engines that suit a game, judged by what its rules give."""
    entries = {"random": Entry(RandomPlayer, "any legal move, all alike")}
    if not isinstance(game, ArrayGame) or game.hidden or game.gives("play_together"):
        return entries
    timed = ("time", "depth", "seed")
    if game.gives("odds") or game.players > 2 or not game.zero_sum:
        entries["expectimax"] = Entry(expectimax, "exact expectation to a depth", timed)
        best = expectimax
    else:
        entries["alphabeta"] = Entry(alphabeta, "alpha-beta with a table, by depth or time", (*timed, "table_bits"))
        best = alphabeta
    sampled = ("time", "simulations", "seed", "exploration", "threads", "parallel", "pool", "solve", "playout_depth")
    entries["mcts"] = Entry(mcts, "Monte-Carlo tree search, by simulations or time", sampled)
    for level, limits in (("easy", {"depth": 1}), ("medium", {"depth": 4}), ("strong", {"time": 1.0})):
        entries[level] = Entry(_level(best, limits), f"{best.__name__}, {_words(limits)}")
    return entries


def _words(limits: dict[str, Any]) -> str:
    return f"depth {limits['depth']}" if "depth" in limits else f"{limits['time']:g} s a move"


def _level(make: Any, limits: dict[str, Any]) -> Any:
    def level(game: ArrayGame, *, seed: int = 0) -> SearchPlayer:
        player: SearchPlayer = make(game, seed=seed, **limits)
        return player

    return level


__all__ = ["SearchPlayer", "alphabeta", "expectimax", "general_players"]
