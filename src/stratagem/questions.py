"""What people ask of positions: `analyse`, `analysing`, `analyse_many`, `solve`, `solve_many` and `trace` of `stratagem`.

position = stratagem.game("othello").start().play("d3")
print(stratagem.analyse(position, seconds=2).move)
for choice in stratagem.analysing(position, seconds=10):
    print(choice.depth, choice.move, choice.value)
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import Choice, Clock, Player, Report, Solution, Solver
from stratagem.errors import OptionError, StratagemError, UnsuitableSearch
from stratagem.processes import workers
from stratagem.registry import default_engine, game_class, player, players

if TYPE_CHECKING:
    from stratagem.search.trace import WalkedTree

SECONDS = 1.0
TABLE_BITS = 22  # of the table that solves

Answer = TypeVar("Answer")


def analyse(
    position: Position,
    seconds: float | None = None,
    *,
    engine: str | Player | None = None,
    lines: int = 3,
    seat: int | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> Choice:
    """Return what an engine thinks of a position: its choice, the best lines, their values and the work done.

    Args:
        position: the position to analyse. The engine sees only what the seat can see.
        seconds: how long to think. Without it, the engine's own settings decide; where they say nothing, it is a
            second.
        engine: a player of the game by name, such as `"mcts"` or `"alphabeta:depth=6"`, or a player made before.
            A player made before may use what it has already searched.
        lines: the most moves to compare.
        seat: whose decision it is, where several seats decide at once. The default is the first of them.
        seed: the seed of the engine's random numbers.
        report: a function that is called with the best choice so far while the engine thinks.

    Returns:
        The choice. `choice.move` is the best move, and `choice.value` is in units of payoff for `choice.seat`.

    Raises:
        OptionError: `position` is not a position, or an argument is out of range.
        UnknownName: the game has no player of this name; the message names similar ones.
        GameOver: the game is over, so there is no move to choose.
        UnsuitableSearch: the engine cannot handle this kind of game; the message names one that can.

    Example:
        >>> position = stratagem.game("connect4").parse("4453")
        >>> choice = stratagem.analyse(position, seconds=2)
        >>> print(choice.move, choice.value)
    """
    position = _position(position)
    thinker = _thinker(position.game, engine, seed)
    who = seat if seat is not None else (position.asked[0] if position.asked else None)
    view = position if who is None else position.view(who)
    return thinker.choose(view, Clock(seconds), seat=who, report=report, lines=lines)


def analysing(position: Position, seconds: float = SECONDS, **options: Any) -> Iterator[Choice]:
    """Yield the choices that an engine reports while it thinks, and its final one at the end.

    Leaving the loop early does not stop the engine. It ends when its seconds are over.

    Args:
        position: the position to analyse.
        seconds: how long to think.
        **options: the other arguments of `analyse`, except `report`.

    Yields:
        The best choice so far; the last one is what `analyse` returns.

    Raises:
        StratagemError: as `analyse` does.
    """
    position = _position(position)
    reported: queue.SimpleQueue[Choice | BaseException | None] = queue.SimpleQueue()

    def think() -> None:
        try:
            reported.put(analyse(position, seconds, report=reported.put, **options))
            reported.put(None)
        except BaseException as error:  # for the one who waits
            reported.put(error)

    threading.Thread(target=think, daemon=True).start()
    while (found := reported.get()) is not None:
        if isinstance(found, BaseException):
            raise found
        yield found


def analyse_many(
    positions: Iterable[Position],
    seconds: float | None = None,
    *,
    engine: str | Player | None = None,
    lines: int = 3,
    seat: int | None = None,
    seed: int = 0,
    processes: int = 1,
) -> list[Choice]:
    """Return what an engine thinks of each position, in the order of the positions.

    One engine per game answers all of its positions and keeps what it has searched. With several processes, each
    process has an engine of its own and answers every n-th position. A script that asks for several processes needs
    `if __name__ == "__main__":`.

    Args:
        positions: the positions; they may be of different games.
        seconds: how long to think about each position.
        engine: as in `analyse`.
        lines: as in `analyse`.
        seat: as in `analyse`.
        seed: as in `analyse`.
        processes: how many processes share the work.

    Returns:
        One choice per position.

    Raises:
        OptionError: `processes` is below 1, or `positions` is a single position.
        StratagemError: as `analyse` does, or a process ended before it had answered.
    """
    terms: dict[str, Any] = {"seconds": seconds, "lines": lines, "seat": seat}
    return _shared_out(partial(_analysed, engine, seed, terms), positions, processes)


def _analysed(
    engine: str | Player | None, seed: int, terms: dict[str, Any], positions: Sequence[Position]
) -> list[Choice]:
    kept: dict[Game, Player] = {}
    found = []
    for position in positions:
        if position.game not in kept:
            kept[position.game] = _thinker(position.game, engine, seed)
        found.append(analyse(position, engine=kept[position.game], **terms))
    return found


def solve(position: Position) -> Solution:
    """Return the exact value of a position, from the game's own solver or by alpha-beta to the end.

    Args:
        position: the position to solve. A large game may take very long.

    Returns:
        The solution. Its value is for `solution.seat`, and `solution.best` holds all best moves; `solution.json()` is
        the same as data.

    Raises:
        OptionError: `position` is not a position.
        UnsuitableSearch: the game has no solver, and alpha-beta cannot handle it.
    """
    position = _position(position)
    return solver(position.game).solve(position)


def solve_many(positions: Iterable[Position], *, processes: int = 1) -> list[Solution]:
    """Return the exact value of each position, in the order of the positions.

    One solver per game, with one table, solves all of its positions. With several processes, each process has a solver
    of its own and solves every n-th position. A script that asks for several processes needs
    `if __name__ == "__main__":`.

    Args:
        positions: the positions; they may be of different games.
        processes: how many processes share the work.

    Returns:
        One solution per position.

    Raises:
        OptionError: `processes` is below 1, or `positions` is a single position.
        StratagemError: as `solve` does, or a process ended before it had answered.
    """
    return _shared_out(_solved, positions, processes)


def _solved(positions: Sequence[Position]) -> list[Solution]:
    kept: dict[Game, Solver] = {}
    found = []
    for position in positions:
        if position.game not in kept:
            kept[position.game] = solver(position.game)
        found.append(kept[position.game].solve(position))
    return found


def _shared_out(
    ask: Callable[[Sequence[Position]], list[Answer]], positions: Iterable[Position], processes: int
) -> list[Answer]:
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise OptionError(f"{processes!r} processes answer nothing; give 1 or more")
    if isinstance(positions, Position):
        raise OptionError("one position is no list of them; put it into brackets")
    asked = [_position(position) for position in positions]
    count = min(processes, len(asked))
    if count < 2:
        return ask(asked)
    files = {position.game.source for position in asked if position.game.source}
    with workers(count, _know, tuple(files)) as pool:
        shares = [pool.submit(ask, asked[k::count]) for k in range(count)]
        try:
            answers = [share.result() for share in shares]
        except BrokenProcessPool:
            raise StratagemError(
                "a process ended before it had answered; a script that asks for several needs `if __name__ == '__main__':` "
                "before what it runs, as any that uses multiprocessing"
            ) from None
    return [answers[k % count][k // count] for k in range(len(asked))]


def _know(files: Iterable[str]) -> None:
    """Read games from files, so that their positions can be unpickled."""
    for file in files:
        game_class(file)


def trace(
    tree: Position | Sequence[Any],
    depth: int | None = None,
    *,
    engine: str = "alphabeta",
    table: bool = False,
    maximising: bool = True,
    most: int = 5000,
) -> WalkedTree:
    """Return the tree that minimax or alpha-beta walks, with windows, cut branches and the order of visits.

    Args:
        tree: a position, or a tree of your own: nested lists of numbers, such as `[[3, 5], [2, 9]]`.
        depth: plies from a position, 3 if not given. A tree of your own is always walked to its leaves.
        engine: `"alphabeta"` or `"minimax"`.
        table: whether a position that was met before is looked up. Equal lists are the same position.
        maximising: whether the root of a tree of your own takes the largest value. In a game, the first player does.
        most: the most nodes of a tree; a larger tree is refused.

    Returns:
        The tree. `print` shows it as text, a notebook draws it, `.svg()` is the drawing and `.json()` the data.

    Raises:
        OptionError: a depth was given for a tree of your own, or `maximising=False` for a game; the engine is not
            one of the two; or the tree has more than `most` nodes.
        UnsuitableSearch: the game is not one for minimax, such as a game in which all decide at once.
    """
    from stratagem.search import trace as tracing

    if not isinstance(tree, Position):
        if depth is not None:
            raise OptionError(f"a tree of one's own is walked to its leaves; leave the depth of {depth} out")
        root = tracing.trace_lists(tree, engine, most, table=table, maximising=maximising)
        return tracing.WalkedTree(root, engine, "A tree")
    if not maximising:
        raise OptionError(
            "maximising=False is for a tree of one's own; in a game the first player takes the largest value"
        )
    plies = 3 if depth is None else depth
    root = tracing.trace(tree, plies, engine, most, table=table)
    return tracing.WalkedTree(root, engine, f"{tree.game.title}, depth {plies}")


def solver(game: Game, threads: int = 1, table_bits: int = TABLE_BITS) -> Solver:
    """What answers `solve` for a game: its own solver if it has one, else alpha-beta to the end."""
    own = game.solver()
    if own is not None:
        return own
    if not isinstance(game, ArrayGame):
        raise UnsuitableSearch(f"{game.name} has no solver")
    from stratagem.search.alphabeta.exact import Exact

    return Exact(game, threads, table_bits)


def _thinker(game: Game, engine: str | Player | None, seed: int) -> Player:
    if isinstance(engine, Player):
        return engine
    return player(game, engine or default_engine(game, players(game)), seed=seed)


def _position(given: Any) -> Position:
    if not isinstance(given, Position):
        raise OptionError(f"{given!r} is no position; give one, such as stratagem.game('connect4').parse('4453')")
    return given
