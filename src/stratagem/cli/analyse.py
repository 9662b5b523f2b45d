"""`stratagem analyse`: what an engine thinks of a position."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from stratagem.cli.first_look import first_look
from stratagem.cli.options import (
    MOVES_HELP,
    Cluster,
    answer_lines,
    answer_on_cluster,
    check_writable,
    console,
    given_options,
    load_game,
    plain,
    position_of,
    seat_of,
)
from stratagem.compile import before_compiling
from stratagem.contract.game import Game, Position
from stratagem.contract.player import Choice, Clock, PlayerText
from stratagem.contract.words import folded
from stratagem.errors import OptionError
from stratagem.kernel import CHANCE
from stratagem.registry import default_engine, player, players


def analyse(
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[
        str, typer.Argument(help="a position, or - for one a line on standard input, as text or JSON")
    ] = "",
    engine: Annotated[str | None, typer.Option(help="a player of the game, such as alphabeta or mcts:time=2")] = None,
    seconds: Annotated[float | None, typer.Option(help="thinking time; 1 if nothing is said")] = None,
    depth: Annotated[int | None, typer.Option(help="plies, in place of a time")] = None,
    lines: Annotated[int, typer.Option(help="how many moves to show, at most")] = 3,
    moves: Annotated[str | None, typer.Option(help=MOVES_HELP)] = None,
    seed: Annotated[int, typer.Option(help="for engines that draw lots, and for a start that chance decides")] = 0,
    seat: Annotated[int | None, typer.Option(help="whose decision, where several decide at once")] = None,
    svg: Annotated[Path | None, typer.Option(help="write the drawing, with values where they can be shown")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a line")] = False,
    cluster: Cluster = None,
) -> None:
    """Analyse a position: the best moves, their values for the player to decide, and what may follow."""
    clock = Clock(seconds)
    if lines < 1:
        raise OptionError(f"{lines} lines show nothing; give 1 or more")
    if depth is not None and depth < 1:
        raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")
    check_writable(svg)
    of = load_game(game)
    if seat is not None:
        seat_of(of, seat)
    if not position and moves is None and of.start().turn == CHANCE:
        position = str(of.start(seed))  # what a player would sit down at, cards in hand
        print(f"chance was drawn by the seed {seed}: {position}", file=sys.stderr)
    said = PlayerText.parse(engine or _usual_engine(of, by_depth=depth is not None))
    named = str(said if depth is None else said.having(depth=depth))
    thinker = player(of, named, seed=seed)
    if cluster is not None:
        terms = {"seconds": seconds, "lines": lines, "seed": seed, "seat": seat, "moves": moves}
        shared = (of.address, given_options(), named, terms)
        answer_on_cluster(position, cluster, "stratagem.arena.questions:analysed", shared)
        return
    stopped = False

    def seen(start: Position) -> tuple[Position, int | None]:
        """What the seat to decide sees, and the seat; all of it where nobody decides."""
        who = seat if seat is not None else (start.asked[0] if start.asked else None)
        return (start if who is None else start.view(who)), who

    def think(start: Position, report: Any = None) -> Choice:
        nonlocal stopped
        view, who = seen(start)
        choice = thinker.choose(view, clock, seat=who, report=report, lines=lines)
        stopped = stopped or not choice.finished
        return replace(choice, lines=choice.lines[:lines])

    if as_json or position == "-":

        def answer(start: Position) -> dict[str, Any]:
            found = think(start).json()
            found["value"] = plain(found["value"])
            return found

        if svg is not None:
            raise OptionError("--svg draws one position; leave out --json and -")
        answer_lines(of, position, answer, moves)
    else:
        start = position_of(of, position, moves)
        print(start.text_art(), flush=True)
        screen = console()

        def look() -> None:
            view, who = seen(start)
            if found := first_look(of, said, view, who, lines):
                table = _table(start, found, seat)
                table.title = f"a first look, by the interpreter; {table.title}"
                (live.console if live else Console(stderr=True, highlight=False, soft_wrap=True)).print(table)

        with contextlib.ExitStack() as stack:
            live = stack.enter_context(Live(console=screen, transient=True)) if sys.stdout.isatty() else None
            stack.enter_context(before_compiling(look))
            report = (lambda c: live.update(Group(_table(start, c, seat), *_stages(c)))) if live else None
            choice = think(start, report)
        screen.print(_table(start, choice, seat))
        if told_apart(start, choice):
            print(f"the first one whole: {choice.lines[0].moves[0]}")
        if heat := of.heat_text(start, choice.values):
            print(heat)
        view, who = seen(start)
        if shown := thinker.show(view, choice, who):
            print(shown)
        if svg is not None:
            drawn = thinker.picture(view, choice, who) or of.heat(start, choice.values) or start.svg()
            svg.write_text(drawn + "\n", encoding="utf-8")
    if stopped:
        raise typer.Exit(130)


def _usual_engine(of: Game, by_depth: bool) -> str:
    """Who analyses where nobody is named; with a depth, somebody who searches to one."""
    known = players(of)
    deep = [name for name, entry in known.items() if "depth" in entry.options]
    return default_engine(of, deep if by_depth and deep else known)


def told_apart(position: Position, choice: Choice) -> list[str]:
    """What tells plans of many parts apart, a text for each line; nothing where moves are shown whole."""
    if not position.game.plan.by_parts or len(choice.lines) < 2:
        return []
    apart = position.differences([line.moves[0] for line in choice.lines])
    return ["; ".join(folded(parts)) or "nothing: it has what all have" for parts in apart]


def _table(position: Position, choice: Choice, seat: int | None) -> Table:
    who = position.game.seat_name(position.value_seat() if seat is None else seat)
    work = ", ".join(
        part
        for part in (
            choice.engine,
            f"depth {choice.depth}" if choice.depth is not None else "",
            f"{choice.nodes:,} nodes" if choice.nodes is not None else "",
            f"{choice.seconds:.2f} s",
        )
        if part
    )
    worth = (
        f"the mix is worth {valued(choice.value)} to {who}; " if choice.strategy and choice.value is not None else ""
    )
    table = Table(box=None, pad_edge=False, title=f"{worth}values for {who}; {work}", title_justify="left")
    apart = told_apart(position, choice)
    rows = [
        (
            (apart[k] if apart else line.moves[0])
            + (f"  ({line.probability:.1%})" if line.probability is not None else ""),
            valued(line.value, line.error),
            "" if line.moves_to_end is None else f"{line.moves_to_end} plies",
            "" if line.visits is None else f"{line.visits:,}",
            " ".join(line.moves[1:12]) + (" ..." if len(line.moves) > 12 else ""),
        )
        for k, line in enumerate(choice.lines)
    ] or [(choice.move, valued(choice.value), "", "", "")]
    columns = ("differs in" if apart else "move", "value", "ends in", "visits", "then")
    told = [
        k for k in range(len(columns)) if any(row[k] for row in rows)
    ]  # long plans need the room of what nobody knows
    for k in told:
        table.add_column(columns[k], justify="left" if k in (0, 4) else "right")
    for row in rows:
        table.add_row(*(row[k] for k in told))
    return table


def _stages(choice: Choice) -> list[Table]:
    """What each stage of a plan proposed so far, where it is put together by stages."""
    if not choice.stages:
        return []
    title = "proposed by stages, around the best so far"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left", expand=True)
    table.add_column("stage", no_wrap=True, width=26)
    for column in ("value", "visits"):
        table.add_column(column, justify="right", no_wrap=True, width=7)
    table.add_column("part", no_wrap=True, ratio=1)
    for stage in choice.stages:
        made = f"{stage.name}, {stage.proposed}" + (f" ({stage.refined} refined)" if stage.refined else "")
        for k, part in enumerate(stage.best):
            value = "" if part.value is None else f"{part.value:+.3f}"
            table.add_row("" if k else made, value, f"{part.visits:,}", part.words)
    return [table]


def valued(value: float | None, error: float | None = None) -> str:
    """A value as people read it; one that nobody knows is not nought."""
    return "unproven" if value is None else f"{value:+.3f}" + (f" ±{error:.3f}" if error else "")
