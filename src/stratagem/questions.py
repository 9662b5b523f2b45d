"""What people ask of a position: `stratagem.analyse`, `stratagem.analysing`, `stratagem.solve` and `stratagem.trace`.

position = stratagem.game("othello").start().play("d3")
print(stratagem.analyse(position, seconds=2).move)
for choice in stratagem.analysing(position, seconds=10):
    print(choice.depth, choice.move, choice.value)
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import Choice, Clock, Player, Report, Solver
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.registry import default_engine, player, players

if TYPE_CHECKING:
    from stratagem.search.trace import Tree

SECONDS = 1.0
TABLE_BITS = 22  # of the table that solves


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
    """What an engine thinks of a position: its choice, with the best lines, their values and the work done.

    The engine is a player of the game by name, or one made before, which may go on from what it knows. Without a time it has
    what its own settings say, or a second. The seat is whose decision it is, where several decide at once; what that seat
    cannot see the engine is not shown.
    """
    position = _position(position)
    if lines < 1:
        raise OptionError(f"{lines} lines show nothing; give 1 or more")
    name = engine or default_engine(position.game, players(position.game))
    thinker = name if isinstance(name, Player) else player(position.game, name, seed=seed)
    who = seat if seat is not None else (position.asked[0] if position.asked else None)
    view = position if who is None else position.view(who)
    return thinker.choose(view, Clock(seconds), seat=who, report=report, lines=lines)


def analysing(position: Position, seconds: float = SECONDS, **options: Any) -> Iterator[Choice]:
    """The same as it grows: every choice that the engine reports while it thinks, and its last one.

    Leaving the loop early does not stop the engine, which ends with its seconds."""
    position = _position(position)
    told: queue.SimpleQueue[Choice | BaseException | None] = queue.SimpleQueue()

    def think() -> None:
        try:
            told.put(analyse(position, seconds, report=told.put, **options))
            told.put(None)
        except BaseException as error:  # for the one who waits
            told.put(error)

    threading.Thread(target=think, daemon=True).start()
    while (found := told.get()) is not None:
        if isinstance(found, BaseException):
            raise found
        yield found


def solve(position: Position) -> dict[str, Any]:
    """The exact value of a position, the value first: by the game's own solver, or by alpha-beta to the end."""
    position = _position(position)
    return solver(position.game).solve(position)


def trace(
    tree: Position | Sequence[Any],
    depth: int | None = None,
    *,
    engine: str = "alphabeta",
    table: bool = False,
    maximising: bool = True,
    most: int = 5000,
) -> Tree:
    """The tree that minimax or alpha-beta walks, with windows, cut branches and the order of visits.

    Args:
        tree: a position, or a tree of one's own: nested lists of numbers, such as `[[3, 5], [2, 9]]`.
        depth: plies, 3 unless given; a tree of one's own is walked to its leaves.
        engine: `alphabeta` or `minimax`.
        table: whether a position met again is looked up; equal lists are the same position.
        maximising: whether the root of one's own tree takes the largest; in a game the first player does.
        most: refuse a tree of more nodes.

    Returns:
        The tree: `print` shows it as text, a notebook draws it, `.svg()` is the drawing and `.json()` the data.
    """
    from stratagem.search import trace as tracing

    if not isinstance(tree, Position):
        if depth is not None:
            raise OptionError(f"a tree of one's own is walked to its leaves; leave the depth of {depth} out")
        root = tracing.trace_lists(tree, engine, most, table=table, maximising=maximising)
        return tracing.Tree(root, engine, "A tree")
    plies = 3 if depth is None else depth
    root = tracing.trace(tree, plies, engine, most, table=table)
    return tracing.Tree(root, engine, f"{tree.game.title}, depth {plies}")


def solver(game: Game, threads: int = 1, table_bits: int = TABLE_BITS) -> Solver:
    """What answers `solve` for a game: its own solver if it has one, else alpha-beta to the end."""
    own = game.solver()
    if own is not None:
        return own
    if not isinstance(game, ArrayGame):
        raise UnsuitableSearch(f"{game.name} has no solver")
    from stratagem.search.alphabeta.exact import Exact

    return Exact(game, threads, table_bits)


def _position(given: Any) -> Position:
    if not isinstance(given, Position):
        raise OptionError(f"{given!r} is no position; give one, such as stratagem.game('connect4').parse('4453')")
    return given
