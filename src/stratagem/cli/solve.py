"""`stratagem solve`: the exact value of a position."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stratagem.arena.questions import read_line
from stratagem.cli.options import (
    MOVES_HELP,
    Cluster,
    answer_lines,
    answer_on_cluster,
    check_writable,
    given_options,
    load_game,
    plain,
    position_of,
    print_answer,
)
from stratagem.cli.terminal import folded
from stratagem.compile import Unneeded, before_compiling
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, Position
from stratagem.contract.player import PlayerText, Solution, Solver
from stratagem.errors import StratagemError
from stratagem.questions import TABLE_BITS, solver
from stratagem.readiness import MOMENT, preliminary
from stratagem.registry import default_engine, game_class, players
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.exact import Exact
from stratagem.search.alphabeta.solver import Known
from stratagem.search.budget import Budget


class _Reporting(Solver):
    """Alpha-beta to the end that tells how far it is, and is not compiled where the interpreter is quicker."""

    def __init__(self, exact: Exact) -> None:
        self.exact = exact

    def solve(self, position: Position) -> Solution:
        known: list[Solution] = []
        usual = position.game.usual_nodes(position) if isinstance(position.game, ArrayGame) else None

        def look() -> None:
            if found := _in_a_moment(position):
                known.append(found)
                raise Unneeded

        try:
            with before_compiling(look), told() as tell:
                return self.exact.solve(position, lambda now: tell(reported(now, usual)))
        except Unneeded:
            return known[0]


def _in_a_moment(position: Position) -> Solution | None:
    """The exact value, where the interpreter finds it in a moment."""
    if not isinstance(position.game, ArrayGame):
        return None
    try:
        return AlphaBeta(position.game, target="python", table_bits=16).solve(position, Budget(MOMENT))
    except StratagemError:
        return None


def solved(
    name: str, options: dict[str, Any], threads: int, bits: int, moves: str | None, line: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the answer to a line begins with, and the answer or an error, as data: what a cluster calls by name."""
    head: dict[str, Any] = {"position": line}
    try:
        asked = read_line(line, moves)
        head = asked.head
        of = game_class(name)(**options)
        return head, solver(of, threads, bits).solve(asked.position(of)).json()
    except StratagemError as error:
        return head, {"error": str(error)}


def reported(now: Known, usual: float | None) -> str:
    """What is known while a position is solved, and how long it may still take, by what such positions usually take."""
    value = f"{now.low:+g}" if now.low == now.high else f"from {now.low:+g} to {now.high:+g}"
    words = [f"value {value}"]
    if now.moves is not None:
        words.append(f"comparing move {now.moves[0]} of {now.moves[1]}")
    words += [f"{now.nodes:,} nodes", f"{duration(now.seconds)}"]
    if usual is not None and now.seconds > 0 and now.nodes > 0:
        left = (usual - now.nodes) / (now.nodes / now.seconds)
        if left > 0:
            words.append(f"about {duration(left)} to go if it is usual, up to ten times that if not")
        else:
            words.append(f"longer than usual ({usual:,.0f} nodes)")
    return ", ".join(words)


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


@contextlib.contextmanager
def told() -> Iterator[Callable[[str], None]]:
    """What is known so far: on one line of a terminal that vanishes, and for good when Ctrl-C stops it."""
    so_far = ""
    with contextlib.ExitStack() as stack:
        seen = sys.stderr.isatty()
        line = stack.enter_context(Console(stderr=True).status("solving ... (Ctrl-C stops)")) if seen else None

        def tell(text: str) -> None:
            nonlocal so_far
            so_far = text
            if line is not None:
                line.update(f"solving: {text} (Ctrl-C stops)")

        try:
            yield tell
        except KeyboardInterrupt:
            stack.close()
            print(f"stopped; so far: {so_far or 'nothing is known'}", file=sys.stderr)
            raise


@contextlib.contextmanager
def watched(solves: Solver, position: Position) -> Iterator[None]:
    """A game's own solver at work: what can be said at once while it is compiled, how far it is, and what Ctrl-C leaves."""

    def look() -> None:
        who = PlayerText(default_engine(position.game, players(position.game)))
        for seat in position.asked[:1]:
            found = preliminary(who, position.view(seat), seat)
            if found is None or found.value is None:
                continue
            of = f"value for {position.game.seat_name(seat)}: about {found.value:+.2f}"
            print(
                f"a preliminary answer while the solver is compiled: {of}, by {found.engine}",
                file=sys.stderr,
                flush=True,
            )

    with told() as tell, before_compiling(look):
        solves.tell = tell
        try:
            yield
        finally:
            solves.tell = None


def answer_in_words(position: Position, found: Solution) -> str:
    """The value, how far the end is, and the moves that keep both, as people say it: `X wins in 1 ply: c1`."""
    game = position.game
    if position.over:
        return f"the game is over: {Wording.of(game).outcome(position)}"
    mover, plies = game.seat_name(found.seat), found.moves_to_end
    far = "" if plies is None else f" in {plies} {'ply' if plies == 1 else 'plies'}"
    moves = f": {', '.join(found.best)}" if found.best else ""
    least, most = game.payoff_range
    if game.players == 2 and game.zero_sum and (least, most) == (-1.0, 1.0) and found.within is None:
        if found.value == most:
            return f"{mover} wins{far}{moves}"
        if found.value == least:
            return f"{game.seat_name(1 - found.seat)} wins{far}" + (f"; the longest defence{moves}" if moves else "")
        if found.value == 0:
            return "a draw" + (f"; {mover} keeps it with{moves.removeprefix(':')}" if moves else "")
    off = "" if found.within is None else f", off by {found.within:g} at most"
    return f"worth {plain(found.value):+} to {mover}{off}{far and ', the end' + far}{moves}"


def solve(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[
        str | None, typer.Argument(help="a position, or - for one a line on standard input, as text or JSON")
    ] = None,
    moves: Annotated[str | None, typer.Option(help=MOVES_HELP)] = None,
    threads: Annotated[int, typer.Option(help="threads that share one table")] = 1,
    table_bits: Annotated[
        int,
        typer.Option(help="log2 of the table's entries: more for hard positions, 26 for an empty connect-four board"),
    ] = TABLE_BITS,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
    svg: Annotated[Path | None, typer.Option(help="write a picture of the answer to a file")] = None,
    cluster: Cluster = None,
) -> None:
    """Solve a position exactly: its value for the player to move, how long it takes, and all moves that keep both."""
    check_writable(svg)
    of = load_game(asked, game)
    start = (
        None if position == "-" else position_of(of, position, moves)
    )  # a bad one is reported before anything compiles
    if cluster is not None:
        shared = (of.address, given_options(asked), threads, table_bits, moves)
        answer_on_cluster(position, cluster, "stratagem.cli.solve:solved", shared)
        return
    solves = solver(of, threads, table_bits)
    own = not isinstance(solves, Exact)
    if isinstance(solves, Exact):
        solves = _Reporting(solves)

    def answer(start: Position) -> Solution:
        with watched(solves, start) if own else contextlib.nullcontext():
            return solves.solve(start)

    if start is None:
        answer_lines(of, lambda start: answer(start).json(), moves)
        return
    found = answer(start)
    if as_json:
        print_answer(position, found.json())
        return
    if svg is not None:
        svg.write_text(solves.picture(start, found) or start.svg())
    print(start.text_art())
    if shown := solves.show(start, found):
        print(shown)
        return
    print(folded(answer_in_words(start, found)))
    counted = [] if found.nodes is None else [f"{found.nodes:,} positions searched"]
    print(", ".join([*counted, f"{found.seconds:.2f} s; --json gives the answer as data"]))
