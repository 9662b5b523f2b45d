"""`stratagem analyse`: what an engine thinks of a position."""

from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

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
    print_answer,
    seat_of,
)
from stratagem.cli.terminal import captioned
from stratagem.compile import before_compiling
from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import Game, Position
from stratagem.contract.player import PARTS_ARE_MEANS, Choice, Clock, PlayerText, check_depth, check_lines
from stratagem.contract.words import folded
from stratagem.errors import OptionError
from stratagem.kernel import CHANCE
from stratagem.readiness import preliminary
from stratagem.registry import default_engine, player, players

NEVER = 1e-9  # what is played less often is not part of a mixture


def analyse(
    asked: typer.Context,
    game: Annotated[str, typer.Argument(help="a game")],
    position: Annotated[
        str, typer.Argument(help="a position, or - for one a line on standard input, as text or JSON")
    ] = "",
    engine: Annotated[str | None, typer.Option(help="a player of the game, such as alphabeta or mcts:time=2")] = None,
    seconds: Annotated[float | None, typer.Option(help="thinking time; 1 if nothing is said")] = None,
    depth: Annotated[int | None, typer.Option(help="depth of the search in plies, in place of a time")] = None,
    lines: Annotated[int, typer.Option(help="the most moves to show")] = 3,
    moves: Annotated[str | None, typer.Option(help=MOVES_HELP)] = None,
    seed: Annotated[
        int, typer.Option(help="seed of the engine's random numbers, and of a start that chance decides")
    ] = 0,
    seat: Annotated[int | None, typer.Option(help="the seat that decides, where several decide at once")] = None,
    svg: Annotated[Path | None, typer.Option(help="write the drawing, with values where they can be shown")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
    cluster: Cluster = None,
) -> None:
    """Analyse a position: the best moves, their values for the player to decide, and what may follow."""
    clock = Clock(seconds)
    check_lines(lines)
    check_depth(depth)
    check_writable(svg)
    of = load_game(asked, game)
    if seat is not None:
        seat_of(of, seat)
    one = None if position == "-" else position_of(of, position, moves)
    if one is not None and not position and moves is None and one.turn == CHANCE:
        one = of.start(seed)  # what a player would sit down at, cards in hand
        position = str(one)
        print(f"chance was drawn by the seed {seed}: {position}", file=sys.stderr)
    said = PlayerText.parse(engine or _usual_engine(of, by_depth=depth is not None))
    said = said if depth is None else said.having(depth=depth)
    named = str(said)
    thinker = player(of, named, seed=seed)
    if cluster is not None:
        terms = {"seconds": seconds, "lines": lines, "seed": seed, "seat": seat, "moves": moves}
        shared = (of.address, given_options(asked), named, terms)
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

    if as_json or one is None:

        def answer(start: Position) -> dict[str, Any]:
            found = think(start).json()
            found["value"] = plain(found["value"])
            return found

        if svg is not None:
            raise OptionError("--svg draws one position; leave out --json and -")
        if one is None:
            answer_lines(of, answer, moves)
        else:
            print_answer(position, answer(one))
    else:
        start = one
        print(start.text_art(), flush=True)
        screen = console()

        def look() -> None:
            view, who = seen(start)
            if found := preliminary(said, view, who, lines):
                reported = captioned(
                    f"a preliminary answer, by the interpreter; {_caption(start, found, seat)}", _table(start, found)
                )
                (live.console if live else Console(stderr=True, highlight=False, soft_wrap=True)).print(reported)

        with contextlib.ExitStack() as stack:
            seen_so_far = _SoFar(start, seat)
            shown_live = Live(seen_so_far, console=screen, transient=True)
            live = stack.enter_context(shown_live) if sys.stdout.isatty() else None
            stack.enter_context(before_compiling(look))
            choice = think(start, seen_so_far.report if live else None)
        screen.print(captioned(_caption(start, choice, seat), _table(start, choice)))
        if left_out := unlisted(choice):
            print(left_out)
        if told_apart(start, choice):
            print(f"the first one whole: {choice.lines[0].moves[0]}")
        if heat := Drawing.of(of).heat_text(start, choice.values):
            print(heat)
        view, who = seen(start)
        if shown := thinker.show(view, choice, who):
            print(shown)
        if svg is not None:
            drawn = thinker.picture(view, choice, who) or Drawing.of(of).heat(start, choice.values) or start.svg()
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
    apart = Wording.of(position.game).differences(position, [line.moves[0] for line in choice.lines])
    return ["; ".join(folded(parts)) or "nothing: it has what all have" for parts in apart]


class _SoFar:
    """The best so far while an engine thinks. Between two reports only its time changes."""

    def __init__(self, start: Position, seat: int | None) -> None:
        self.start, self.seat = start, seat
        self.choice: Choice | None = None
        self.rows: tuple[Table, ...] = ()
        self.at = time.perf_counter()  # of the last report

    def report(self, choice: Choice) -> None:
        rows = (_table(self.start, choice), *_stages(choice))
        self.choice, self.rows, self.at = choice, rows, time.perf_counter()

    def __rich__(self) -> Group:
        since = time.perf_counter() - self.at
        if self.choice is None:
            return Group(Text(f"thinking, {since:.1f} s"))
        now = replace(self.choice, seconds=self.choice.seconds + since)
        return Group(Text(_caption(self.start, now, self.seat)), *self.rows)


def unlisted(choice: Choice) -> str:
    """Which part of a mixed strategy the lines are, where they are not all of it."""
    mixed = [move for move, p in (choice.strategy or {}).items() if p > NEVER]
    listed = [line for line in choice.lines if line.probability is not None and line.probability > NEVER]
    if not mixed or len(listed) >= len(mixed):
        return ""
    share = sum(line.probability or 0.0 for line in listed)
    return f"these are {share:.1%} of a mixture of {len(mixed)} moves; --lines {len(mixed)} shows all"


def _caption(position: Position, choice: Choice, seat: int | None) -> str:
    """Whose values, what the mixture is worth, and the work done."""
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
    return f"{worth}values for {who}; {work}"


def _table(position: Position, choice: Choice) -> Table:
    table = Table(box=None, pad_edge=False)
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
    reported = [
        k for k in range(len(columns)) if any(row[k] for row in rows)
    ]  # long plans need the room of what nobody knows
    for k in reported:
        table.add_column(columns[k], justify="left" if k in (0, 4) else "right")
    for row in rows:
        table.add_row(*(row[k] for k in reported))
    return table


def _stages(choice: Choice) -> list[Table]:
    """What each stage of a plan proposed so far, where it is put together by stages."""
    if not choice.stages:
        return []
    title = f"proposed by stages, around the best so far; {PARTS_ARE_MEANS}"
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
