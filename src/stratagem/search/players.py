"""Players made of searches, for any game with kernels that fit; a game's own players.py picks from these and adds levels.

A search is loaded when a player of it is made: all of them take a fifth of a command's start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stratagem.contract.game import ArrayGame, ArrayPosition, Game
from stratagem.contract.player import Choice, Clock, Entry, Player, RandomPlayer, Request, check_depth
from stratagem.errors import OptionError
from stratagem.search.sampling.playouts import has_chance

if TYPE_CHECKING:
    from stratagem.search.whole_turns import Atoms

DEFAULT_SECONDS = 1.0
MINIMAX_BITS = 18  # of its table: it is for small trees


class SearchPlayer(Player[ArrayPosition]):
    """Runs one search a move, to a fixed depth or under a clock."""

    def __init__(self, name: str, engine: Any, seconds: float | None, depth: int | None) -> None:
        self.name = name
        self.engine = engine
        self.seconds = Clock(None if seconds is None else float(seconds)).seconds
        self.depth = None if depth is None else int(depth)
        check_depth(self.depth)

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        seconds = request.clock.seconds if request.clock.seconds is not None else self.seconds
        if seconds is None and self.depth is None:
            seconds = DEFAULT_SECONDS
        choice: Choice = self.engine.analyse(
            request.view, Clock(seconds), depth=self.depth, lines=request.lines, report=request.report
        )
        return choice


def alphabeta(
    game: ArrayGame, *, time: float | None = None, depth: int | None = None, seed: int = 0, **options: Any
) -> SearchPlayer:
    from stratagem.search.alphabeta.deepening import AlphaBeta

    return SearchPlayer("alphabeta", AlphaBeta(game, **options), time, depth)


def minimax(
    game: ArrayGame,
    *,
    time: float | None = None,
    depth: int | None = None,
    seed: int = 0,
    table_bits: int = MINIMAX_BITS,
    **options: Any,
) -> SearchPlayer:
    from stratagem.search.minimax import Minimax

    check_flags(options)
    return SearchPlayer("minimax", Minimax(game, table_bits=table_bits, **options), time, depth)


def expectimax(
    game: ArrayGame, *, time: float | None = None, depth: int | None = None, seed: int = 0, **options: Any
) -> SearchPlayer:
    from stratagem.search.minimax import Expectimax

    return SearchPlayer("expectimax", Expectimax(game, **options), time, depth)


class SamplingPlayer(Player[ArrayPosition]):
    """Runs simulations, so many a move or as many as the clock allows. A clock that is given overrides the player's own."""

    def __init__(self, name: str, engine: Any, seconds: float | None, simulations: int | None) -> None:
        self.name = name
        self.engine = engine
        self.seconds = Clock(None if seconds is None else float(seconds)).seconds
        self.simulations = simulations

    def answer(self, request: Request[ArrayPosition]) -> Choice:
        seconds = request.clock.seconds if request.clock.seconds is not None else self.seconds
        if seconds is None and self.simulations is None:
            seconds = DEFAULT_SECONDS
        choice: Choice = self.engine.analyse(
            request.view,
            Clock(seconds),
            seat=request.seat,
            simulations=self.simulations,
            lines=request.lines,
            report=request.report,
        )
        return choice


FLAGS = ("solve", "reuse", "common", "same_depth")


def check_flags(options: dict[str, Any]) -> None:
    """The command line passes on what was typed, and "no" would count as true."""
    for name in FLAGS:
        if name in options and options[name] not in (True, False):
            raise OptionError(f"option {name} is {options[name]!r}; it is true or false")


def mcts(
    game: ArrayGame,
    *,
    time: float | None = None,
    simulations: int | None = None,
    seed: int = 0,
    worlds: int = 0,
    **options: Any,
) -> SamplingPlayer:
    """The sampling search that suits the game: a tree, information sets, or (with `worlds`) sampled worlds."""
    from stratagem.search.tree.mcts import MCTS, check_simulations

    check_flags(options)
    engine: Any
    if game.hidden and worlds:
        from stratagem.search.tree.determinised import Determinised

        engine = Determinised(game, worlds=worlds, seed=seed, **options)
    elif tree_fits(game):
        engine = MCTS(game, seed=seed, **options)
    else:
        from stratagem.search.tree.infosets import InformationSets

        engine = InformationSets(game, seed=seed, **options)
    return SamplingPlayer("mcts", engine, time, None if simulations is None else check_simulations(simulations))


def montecarlo(
    game: ArrayGame, *, time: float | None = None, simulations: int | None = None, seed: int = 0, **options: Any
) -> SamplingPlayer:
    from stratagem.search.sampling.montecarlo import MonteCarlo, check_playouts

    check_flags(options)
    engine = MonteCarlo(game, seed=seed, **options)
    return SamplingPlayer("montecarlo", engine, time, None if simulations is None else check_playouts(simulations))


def tree_fits(game: ArrayGame) -> bool:
    """Whether players decide one after another and see everything, and chance, if any, can be numbered."""
    return not (game.hidden or game.gives("play_together") or (has_chance(game) and not game.gives("odds")))


IN_SIGHT = 12  # plies: games no longer than this are searched to their end


def blind(game: ArrayGame) -> bool:
    """Whether a search by depth knows nothing of most positions: no estimate, and the end is out of sight."""
    return not game.gives("value") and (game.max_length is None or game.max_length > IN_SIGHT)


TREE = ("exploration", "threads", "parallel", "pool", "solve", "reuse", "playout_depth", "playout_cap")
SETS = ("rule", "exploration", "gamma", "pool", "reuse", "playout_depth", "playout_cap")
STAGED = ("depth", "samples", "actions", "units", "exploration", "threads", "whole", "stages")
BREEDING = ("kept", "insertion", "further", "varied")
TURNS = ("horizon", "bred", "share", "replies", "polish", "worlds", "population", "mutation", "margin", *BREEDING)
FLAT = ("share", "exploration", "threads", "common", "playout_depth", "playout_cap", "target")


def general_players(game: Game) -> dict[str, Entry]:
    """The engines that suit a game, judged by what its rules give."""
    entries = {"random": Entry(RandomPlayer, "any legal move, all alike")}
    if not isinstance(game, ArrayGame):
        return entries
    timed, sampled = ("time", "depth", "seed"), ("time", "simulations", "seed")
    levels: tuple[tuple[str, dict[str, Any]], ...]
    by_depth = (("easy", {"depth": 1}), ("medium", {"depth": 4}), ("strong", {"time": 1.0}))
    by_samples = (("easy", {"simulations": 30}), ("medium", {"simulations": 1000}), ("strong", {"time": 1.0}))
    levels = by_depth
    best: Any = None
    if tree_fits(game):
        entries["expectimax"] = Entry(expectimax, "exact expectation to a depth", timed)
        best = expectimax
        if not (has_chance(game) or game.players > 2 or not game.zero_sum):
            entries["alphabeta"] = Entry(
                alphabeta, "alpha-beta with a table, by depth or time", (*timed, "table_bits", "threads", "driver")
            )
            entries["minimax"] = Entry(
                minimax, "minimax with a table and no pruning, for teaching", (*timed, "table_bits", "same_depth")
            )
            best = alphabeta
        if blind(game):
            best, levels = mcts, by_samples
        entries["mcts"] = Entry(mcts, "Monte-Carlo tree search, by simulations or time", (*sampled, *TREE))
    elif not game.hidden or (game.gives("guess") and game.gives("hide")):
        what = (
            "information sets"
            if game.hidden
            else "mixed strategies"
            if game.gives("play_together")
            else "sampled chance"
        )
        secret = ("worlds",) if game.hidden else ()
        entries["mcts"] = Entry(mcts, f"Monte-Carlo tree search over {what}", (*sampled, *SETS, *secret))
        best, levels = mcts, by_samples
    if not game.hidden or game.gives("guess"):
        entries["montecarlo"] = Entry(montecarlo, "flat Monte-Carlo: playouts after each move", (*sampled, *FLAT))
        if best is None:
            best, levels = montecarlo, by_samples
    if game.actions > 1 and not game.gives("play_together") and (not game.hidden or game.gives("guess")):
        entries["staged"] = staged()
    entries |= whole_turns(game)
    if best is not None:
        for level, limits in levels:
            entries[level] = Entry(_level(best, limits), f"{best.__name__}, {_words(limits)}")
    return entries


def staged(atoms: Callable[[Any], Atoms] | None = None, **usual: Any) -> Entry:
    """Search by stages with the default staging; `atoms` says what the decisions of a game's turns are, where its kernels alone
    do not, and `usual` what its options are where nothing is said."""

    def make(game: ArrayGame, **options: Any) -> Player:
        from stratagem.search.staged.atomic import StagedPlayer

        asked = options.get("stages", usual.get("stages"))
        return StagedPlayer(
            game,
            atoms=None if atoms is None else atoms(game),
            **{**(usual if asked == usual.get("stages") else {}), **options},
        )

    reads = ("time", "simulations", "seed", *STAGED, *TURNS)
    return Entry(make, "whole turns by stages, with the default staging", reads)


def whole_turns(game: Game) -> dict[str, Entry]:
    """The searches of the literature on turns of several decisions, where a game has such turns and judges positions."""
    if not isinstance(game, ArrayGame) or game.actions == 1:
        return {}
    from stratagem.search.whole_turns import atoms_of, entries, suits

    return entries(atoms_of, dice=has_chance(game)) if suits(game) else {}


def _words(limits: dict[str, Any]) -> str:
    for name, words in (("depth", "depth {}"), ("simulations", "{} simulations a move"), ("time", "{:g} s a move")):
        if name in limits:
            return words.format(limits[name])
    return "as long as it takes"


def _level(make: Any, limits: dict[str, Any]) -> Any:
    def level(game: ArrayGame, *, seed: int = 0, **build: Any) -> Player:
        player: Player = make(game, seed=seed, **limits, **build)
        return player

    return level


__all__ = [
    "SamplingPlayer",
    "SearchPlayer",
    "alphabeta",
    "expectimax",
    "general_players",
    "mcts",
    "minimax",
    "montecarlo",
]
