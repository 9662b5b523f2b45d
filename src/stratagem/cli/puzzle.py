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

from stratagem.cli.export import read_any
from stratagem.cli.options import TrustFlag, check_writable, console
from stratagem.cli.review import judged_game
from stratagem.cli.terminal import Keyboard, Screen, data_folder, folded, listed
from stratagem.contract.growing import GrowingPlan
from stratagem.errors import OptionError, StratagemError
from stratagem.numbers import whole
from stratagem.puzzles import Puzzle, PuzzleVerdict, load, numbered, of_game, of_mistakes, shipped, today
from stratagem.review import positions_of

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="List puzzles, make a file of your own, and judge puzzles anew."
)

FileFlag = Annotated[Path | None, typer.Option(help="a file of puzzles; those that come with the package if left out")]
KEPT = "puzzles.json"  # in the folder of saved games: the ids of those that were solved
SOLVED, MISSED, LEFT = "solved", "missed", "left"


def puzzle_command(
    which: Annotated[
        str, typer.Argument(help="a number, or a game: its next one that is not solved; else today's")
    ] = "",
    file: FileFlag = None,
    game: Annotated[
        str, typer.Option("--from", help="a saved game: a file, a number of `stratagem saved`; your mistakes are asked")
    ] = "",
    engine: Annotated[
        str | None, typer.Option(help="with --from: the player that judges; the game's analyst if left out")
    ] = None,
    seconds: Annotated[float, typer.Option(help="thinking time of the engine that judges an answer")] = 2.0,
    trust: TrustFlag = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="print the puzzle as one JSON object, without its solution")
    ] = False,
) -> None:
    """Find the plan: today's puzzle, one by its number, one of a game, or your mistakes in a saved game.

    Type `hint` for help, `solution` to see it, `quit` to leave."""
    if game:
        if file is not None:
            raise OptionError("--file has puzzles and --from makes them of a game; give one of them")
        _ask_mistakes(_mistakes(game, engine, trust), which, seconds, as_json)
        return
    if engine is not None:
        raise OptionError("--engine says who looks for mistakes; it needs --from and a game")
    puzzle = _chosen(which, _puzzles(file, trust))
    if as_json:
        _print_json(puzzle)
    else:
        _ask(puzzle, seconds)


def _print_json(puzzle: Puzzle) -> None:
    reported = {"number": puzzle.number, "id": puzzle.id, "game": puzzle.game, "options": puzzle.options}
    print(json.dumps({**reported, "position": puzzle.position_text, "seat": puzzle.seat, "question": puzzle.question}))


def _mistakes(name: str, engine: str | None, trust: bool) -> list[Puzzle]:
    """The mistakes of the people at a saved game; of every seat where there is none."""
    record = read_any(name)
    last = record.position(trust=trust)
    if not last.history:
        raise StratagemError("nothing was decided in this game yet, so there are no mistakes in it")
    people = [seat for seat, who in enumerate(record.seats) if who == "you"]
    found = judged_game(last, engine, None)
    return of_mistakes(positions_of(last), found.decisions, found.engine, people or None)


def _ask_mistakes(found: list[Puzzle], which: str, seconds: float, as_json: bool) -> None:
    """One after the other, and what was missed again at the end; those that were solved before are left out."""
    if not found:
        print("no decision of this game lost enough to be asked again")
        return
    if which:
        if not which.isdecimal():
            raise OptionError(f"{which!r} is no number of a mistake; there are {len(found)}, the worst is 1")
        open_ones = [numbered(whole(which), found)]
    else:
        solved = _solved()
        open_ones = [one for one in found if as_json or one.id not in solved]
    if as_json:
        for one in open_ones:
            _print_json(one)
        return
    if not open_ones:
        print(f"all {len(found)} mistakes are solved; a number asks one again: stratagem puzzle 1 --from ...")
    while open_ones:
        one = open_ones.pop(0)
        how = _ask(one, seconds)
        if how == LEFT:
            print(f"{len(open_ones) + 1} left; the same command asks them")
            return
        if how == MISSED:
            print("it is asked again at the end" if open_ones else "once more")
            open_ones.append(one)


def _ask(puzzle: Puzzle, seconds: float) -> str:
    """Show a puzzle and ask for its plan; how that ended."""
    position = puzzle.position()
    Screen(position.game).show(position.text_art())
    kind = "proved" if puzzle.proved or puzzle.goal else "judged by an engine"
    print(f"{'mistake' if puzzle.played else 'puzzle'} {puzzle.number}, {puzzle.title} ({kind})\n{puzzle.question}")
    if puzzle.played:
        print(
            f"played: {puzzle.said(puzzle.decoy)}, worth {puzzle.second_value:+.2f}; find what is worth {puzzle.value:+.2f}"
        )
    if position.game.guide:
        print(folded(position.game.guide))
    return _solve(puzzle, seconds)


def _puzzles(file: Path | None, trust: bool = False) -> list[Puzzle]:
    return list(shipped()) if file is None else load(file, trust=trust)


def _chosen(which: str, among: list[Puzzle]) -> Puzzle:
    if not which:
        return today(among=among)
    if which.isdecimal():
        return numbered(whole(which), among)
    found = of_game(which, among)
    solved = _solved()
    return next((one for one in found if one.id not in solved), found[0])


def _solve(puzzle: Puzzle, seconds: float) -> str:
    """Ask until it is solved or given up: SOLVED, MISSED if an answer was wrong before or the solution was shown, or LEFT."""
    keyboard, hints = Keyboard(), puzzle.hints()
    view = puzzle.position()
    missed = False
    first = GrowingPlan(view, puzzle.seat).following

    def words() -> list[str]:
        return [*first.next[:400], "hint", "solution", "moves", "quit"]

    while True:
        try:
            text = keyboard.ask("your plan: ", words, lambda: print(view.text_art())).strip()
        except EOFError:
            print()
            return LEFT
        if text in ("quit", "exit", "q"):
            return LEFT
        if text == "moves":
            print(listed(first.next) or first.free or "type a move")
        elif text == "hint":
            print(hints.pop(0) if hints else "there are no more hints; solution shows it")
        elif text == "solution":
            _tell_solution(puzzle)
            return MISSED
        elif text and (right := _answered(puzzle, text, seconds)) is not None:
            if right:
                if not (missed and puzzle.played):  # a mistake that is missed again is not learned yet
                    _remember(puzzle)
                return MISSED if missed else SOLVED
            missed = True


def _answered(puzzle: Puzzle, text: str, seconds: float) -> bool | None:
    """Whether an answer was right; None: it was none. What is to be said of it is said."""
    try:
        move = puzzle.read(text)
        if puzzle.known(move) is None and sys.stderr.isatty():
            print("the engine compares it with the best plan ...", file=sys.stderr)
        found = puzzle.check(text, seconds=seconds)
    except StratagemError as error:
        print(error)
        return None
    print(_verdict(puzzle, found))
    return found.right


def _verdict(puzzle: Puzzle, found: PuzzleVerdict) -> str:
    if puzzle.goal:
        return f"{'right' if found.right else 'this does not do it'}: {puzzle.said(found.move)}"
    if found.right:
        same = "" if found.move == puzzle.best[0] else f" (the solution of the file is {puzzle.best[0]})"
        return f"right: {puzzle.said(found.move)}, worth {found.best_value:+.2f}{same}"
    if found.loss is None:
        return "the engine cannot tell what this is worth; it is not the best plan"
    apart = f"; the best plan does without {', '.join(found.apart)}" if found.apart else ""
    return f"better exists: this is worth {found.value:+.2f}, the best plan {found.best_value:+.2f}{apart}"


def _tell_solution(puzzle: Puzzle) -> None:
    worth = "" if puzzle.goal else f", worth {puzzle.value:+.2f}"
    print(f"{puzzle.best[0]}\n{puzzle.said(puzzle.best[0])}{worth}")
    if puzzle.goal:
        return
    print(f"next best: {puzzle.said(puzzle.second)}, worth {puzzle.second_value:+.2f}")


def _solved() -> set[str]:
    try:
        return set(json.loads((data_folder() / KEPT).read_text()))
    except (OSError, ValueError):
        return set()


def _remember(puzzle: Puzzle) -> None:
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / KEPT).write_text(json.dumps(sorted(_solved() | {puzzle.id})))
    except OSError as error:
        print(f"that it is solved is not kept: {folder}: {error.strerror or error}")


@app.command("list")
def list_command(
    game: Annotated[str, typer.Argument(help="the game whose puzzles are listed")] = "",
    file: FileFlag = None,
) -> None:
    """List the puzzles, and mark those that you have solved."""
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
        list[str] | None, typer.Argument(help="games to make puzzles of; all that declare puzzles if left out")
    ] = None,
    out: Annotated[Path, typer.Option(help="the file; one that is there is gone on with")] = Path("puzzles.jsonl"),
    count: Annotated[int, typer.Option(help="number of puzzles in all")] = 240,
    seed: Annotated[int, typer.Option(help="seed of the self-play")] = 0,
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
    seed: Annotated[int, typer.Option(help="seed of the new random draws")] = 7,
) -> None:
    """Judge puzzles anew, with other random draws, and say whether each best plan is still ahead."""
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
