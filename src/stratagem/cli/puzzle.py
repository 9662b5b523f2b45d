"""`stratagem puzzle`: find the plan, in the terminal; `stratagem puzzles`: the list, and making more of them."""

from __future__ import annotations

import datetime
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from stratagem.cli.options import check_writable, console
from stratagem.cli.terminal import Keyboard, Screen, data_folder, folded, listed
from stratagem.contract.growing import GrowingPlan
from stratagem.errors import OptionError, StratagemError
from stratagem.puzzles import Puzzle, Verdict, load, numbered, of_game, shipped, today

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Puzzles: a list of them, and making a file of your own."
)

FileFlag = Annotated[Path | None, typer.Option(help="a file of puzzles; those that come with the package if left out")]
SOLVED = "puzzles.json"  # in the folder of saved games: the ids of those that were solved


def puzzle_command(
    which: Annotated[
        str, typer.Argument(help="a number, or a game: its next one that is not solved; else today's")
    ] = "",
    file: FileFlag = None,
    seconds: Annotated[float, typer.Option(help="thinking time of the engine that judges an answer")] = 2.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="the puzzle as one JSON object, without its solution")
    ] = False,
) -> None:
    """Find the plan: today's puzzle, one by its number, or one of a game. hint helps, solution shows it, quit leaves."""
    puzzle = _chosen(which, _puzzles(file))
    if as_json:
        told = {"number": puzzle.number, "id": puzzle.id, "game": puzzle.game, "options": puzzle.options}
        print(json.dumps({**told, "position": puzzle.position_text, "seat": puzzle.seat, "question": puzzle.question}))
        return
    position = puzzle.position()
    Screen(position.game).show(position.text_art())
    kind = "proved" if puzzle.proved else "judged by an engine"
    print(f"puzzle {puzzle.number}, {puzzle.title} ({kind})\n{puzzle.question}")
    if position.game.guide:
        print(folded(position.game.guide))
    _solve(puzzle, seconds)


def _puzzles(file: Path | None) -> list[Puzzle]:
    return list(shipped()) if file is None else load(file)


def _chosen(which: str, among: list[Puzzle]) -> Puzzle:
    if not which:
        return today(among=among)
    if which.isdecimal():
        return numbered(int(which), among)
    found = of_game(which, among)
    solved = _solved()
    return next((one for one in found if one.id not in solved), found[0])


def _solve(puzzle: Puzzle, seconds: float) -> None:
    """Ask until it is solved or given up."""
    keyboard, hints = Keyboard(), puzzle.hints()
    view = puzzle.position()
    first = GrowingPlan(view, puzzle.seat).following

    def words() -> list[str]:
        return [*first.next[:400], "hint", "solution", "moves", "quit"]

    while True:
        try:
            text = keyboard.ask("your plan: ", words, lambda: print(view.text_art())).strip()
        except EOFError:
            print()
            return
        if text in ("quit", "exit", "q"):
            return
        if text == "moves":
            print(listed(first.next) or first.free or "type a move")
        elif text == "hint":
            print(hints.pop(0) if hints else "there are no more hints; solution shows it")
        elif text == "solution":
            _tell_solution(puzzle)
            return
        elif text and _answered(puzzle, text, seconds):
            return


def _answered(puzzle: Puzzle, text: str, seconds: float) -> bool:
    """Whether an answer was right; what is to be said of it is said."""
    try:
        move = puzzle.read(text)
        if puzzle.known(move) is None and sys.stderr.isatty():
            print("the engine compares it with the best plan ...", file=sys.stderr)
        found = puzzle.check(text, seconds=seconds)
    except StratagemError as error:
        print(error)
        return False
    print(_verdict(puzzle, found))
    if found.right:
        _remember(puzzle)
    return found.right


def _verdict(puzzle: Puzzle, found: Verdict) -> str:
    if found.right:
        same = "" if found.move == puzzle.best[0] else f" (the solution of the file is {puzzle.best[0]})"
        return f"right: {puzzle.said(found.move)}, worth {found.best_value:+.2f}{same}"
    if found.loss is None:
        return "the engine cannot tell what this is worth; it is not the best plan"
    apart = f"; the best plan does without {', '.join(found.apart)}" if found.apart else ""
    return f"better exists: this is worth {found.value:+.2f}, the best plan {found.best_value:+.2f}{apart}"


def _tell_solution(puzzle: Puzzle) -> None:
    print(f"{puzzle.best[0]}\n{puzzle.said(puzzle.best[0])}, worth {puzzle.value:+.2f}")
    print(f"next best: {puzzle.said(puzzle.second)}, worth {puzzle.second_value:+.2f}")


def _solved() -> set[str]:
    try:
        return set(json.loads((data_folder() / SOLVED).read_text()))
    except (OSError, ValueError):
        return set()


def _remember(puzzle: Puzzle) -> None:
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOLVED).write_text(json.dumps(sorted(_solved() | {puzzle.id})))


@app.command("list")
def list_command(
    game: Annotated[str, typer.Argument(help="one game's only")] = "",
    file: FileFlag = None,
) -> None:
    """The puzzles there are, those that were solved marked."""
    known, solved = _puzzles(file), _solved()
    shown = of_game(game, known) if game else known
    table = Table(box=None, pad_edge=False)
    for column in ("number", "game", "question", "margin", ""):
        table.add_column(column)
    for one in shown:
        table.add_row(str(one.number), one.game, one.question, f"{one.margin:g}", "solved" if one.id in solved else "")
    console().print(table)
    counts = ", ".join(f"{name} {number}" for name, number in Counter(one.game for one in shown).items())
    print(f"{len(shown)} puzzles: {counts}; today's is number {today(datetime.date.today(), known).number}")


@app.command("make")
def make_command(
    games: Annotated[
        list[str] | None, typer.Argument(help="of these games; of all that declare puzzles if left out")
    ] = None,
    out: Annotated[Path, typer.Option(help="the file; one that is there is gone on with")] = Path("puzzles.jsonl"),
    count: Annotated[int, typer.Option(help="puzzles in all")] = 240,
    seed: Annotated[int, typer.Option(help="of the self-play")] = 0,
) -> None:
    """Make puzzles of analysed self-play. Ctrl-C keeps what was found, and the same command goes on where it was."""
    from stratagem.puzzles.making import make

    check_writable(out)
    quiet = not sys.stderr.isatty()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        tasks: dict[str, TaskID] = {}

        def tell(name: str, found: int, wanted: int, played: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=wanted)
            bar.update(tasks[name], completed=found, description=f"{name}, {played} games of self-play")

        try:
            found = make(out, names=games or (), count=count, seed=seed, progress=tell)
        except KeyboardInterrupt:
            bar.stop()
            kept = len(load(out)) if out.exists() else 0
            print(f"\ninterrupted: {kept} puzzles are in {out}; the same command goes on", file=sys.stderr)
            raise
    counts = ", ".join(f"{name} {number}" for name, number in Counter(one.game for one in found).items())
    print(f"{len(found)} puzzles in {out}: {counts}")


@app.command("verify")
def verify_command(
    file: FileFlag = None,
    every: Annotated[int, typer.Option(help="only every so many-th puzzle")] = 1,
    seed: Annotated[int, typer.Option(help="of the lots that are drawn anew")] = 7,
) -> None:
    """Judge puzzles anew, with other lots: is each best plan still ahead?"""
    from stratagem.puzzles.making import verify

    if every < 1:
        raise OptionError(f"every {every}-th puzzle is none; give 1 or more")
    wrong = 0
    shown = _puzzles(file)[::every]
    for one in shown:
        if (fault := verify(one, seed=seed)) is not None:
            wrong += 1
            print(f"puzzle {one.number}, {one.game}: {fault}")
    print(f"{len(shown) - wrong} of {len(shown)} puzzles hold")
    if wrong:
        raise typer.Exit(1)
