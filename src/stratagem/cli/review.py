"""`stratagem review`: look back on a game."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from stratagem.cli.export import read_any
from stratagem.cli.options import TrustFlag, check_writable, console
from stratagem.cli.terminal import captioned
from stratagem.compile import before_compiling, interpreting
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import Position
from stratagem.contract.player import PlayerText
from stratagem.errors import OptionError, StratagemError
from stratagem.readiness import MOMENT
from stratagem.registry import default_engine, players
from stratagem.review.judging import SECONDS, Review, review
from stratagem.store.record import Record
from stratagem.store.sqlite import Store


def review_command(
    name: Annotated[str, typer.Argument(help="a saved game: a file, a number of `stratagem saved`; or a match")] = "",
    number: Annotated[int | None, typer.Option(help="number of the game in the match")] = None,
    worst: Annotated[int, typer.Option(help="the most bad decisions to show")] = 3,
    engine: Annotated[
        str | None, typer.Option(help="the player that judges; the game's own analyst if left out")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help=f"thinking time a decision; {SECONDS} if left out")] = None,
    svg: Annotated[Path | None, typer.Option(help="write the course of the game as a picture")] = None,
    store: Annotated[Path | None, typer.Option(help="the file of matches; the arena's own if nothing is said")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    trust: TrustFlag = False,
) -> None:
    """Review a game: the accuracy of each seat, its worst decisions and what was better, judged by what the seat knew."""
    if worst < 1:
        raise OptionError(f"{worst} decisions show nothing; give 1 or more")
    check_writable(svg)
    last = _last_position(name, number, store, trust)
    if not last.history:
        raise StratagemError("nothing was decided in this game yet, so there is nothing to review")

    def look() -> None:
        if quick := _preliminary(last, engine):
            print(_in_a_line(quick), file=sys.stderr, flush=True)

    with before_compiling(look):
        found = judged_game(last, engine, seconds)
    if svg is not None:
        svg.write_text(found.svg() + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps(found.json()))
    else:
        _print(found, worst)


def _preliminary(last: Position, engine: str | None) -> Review | None:
    """The same in a moment, where the judge runs in the interpreter."""
    game = last.game
    said = PlayerText.parse(engine or default_engine(game, players(game)))
    try:
        with interpreting():
            thinker = players(game)[said.name].make(game, seed=0, target="python")
            return review(last, engine=thinker, seconds=MOMENT / max(len(last.history), 1))
    except (StratagemError, TypeError, KeyError):
        return None


def _in_a_line(found: Review) -> str:
    game = found.game
    known = [(game.seat_name(seat), found.accuracy(seat)) for seat in range(game.players)]
    said = [f"{name}: accuracy {accuracy:.1f} %" for name, accuracy in known if accuracy is not None]
    said += [
        f"decision {judged.ply + 1}, {judged.move}, lost {judged.loss:.2f}; better {judged.best}"
        for judged in found.worst(1)
    ]
    return f"a preliminary answer, by the interpreter: {'; '.join(said)}"


def show_review(record: Record) -> None:
    """A review at the end of a game in the terminal."""
    _print(judged_game(record.position(), None, None), 3)


def _last_position(name: str, number: int | None, store: Path | None, trust: bool) -> Position:
    if number is None:
        return read_any(name).position(trust=trust)
    if Path(name).is_file():
        raise OptionError(
            f"{name!r} is one game; --number names a game of a match, and --worst how many decisions are shown"
        )
    with Store(store, create=False) as opened:
        match = next((m for m in opened.matches() if m.name == name), None)
        if match is None:
            raise StratagemError(f"there is no match {name!r}; stratagem arena show lists them")
        game = next((g for g in opened.games(match.id) if g.number == number), None)
        if game is None:
            raise StratagemError(f"match {name!r} has no game {number} on record")
        texts = [move.text for move in game.moves]
        return Record(game.game, game.options, texts, game.origin).position(trust=trust)


def judged_game(last: Position, engine: str | None, seconds: float | None) -> Review:
    """The review of a game, with a bar where somebody looks on."""
    if not sys.stderr.isatty():
        return review(last, engine=engine, seconds=seconds)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judging", total=len(last.history))
        return review(
            last, engine=engine, seconds=seconds, progress=lambda done, total: bar.update(task, completed=done)
        )


def _print(found: Review, worst: int) -> None:
    game = found.game
    for seat in range(game.players):
        accuracy = found.accuracy(seat)
        print(f"{game.seat_name(seat)}: " + ("nothing is known" if accuracy is None else f"accuracy {accuracy:.1f} %"))
    table = Table(box=None, pad_edge=False)
    for column in ("decision", "seat", "played", "worth", "better", "worth", "lost"):
        table.add_column(column)
    for judged in found.worst(worst):
        played, better = _apart(found, judged.move, judged.best)
        table.add_row(
            str(judged.ply + 1), game.seat_name(judged.seat), played, f"{judged.value:+.2f}",
            better, f"{judged.best_value:+.2f}", f"{judged.loss:.2f}",
        )  # fmt: skip
    if found.worst(worst):
        console().print(captioned(f"the worst decisions, judged by {found.engine}", table))
    else:
        print("no decision lost anything that the engine can see")


def _apart(found: Review, played: str, better: str) -> tuple[str, str]:
    """Two moves; of long plans only what tells them apart."""
    if not found.game.plan.by_parts:
        return played, better
    one, other = Wording.of(found.game).differences(found.game.start(), [played, better])
    return "; ".join(one) or "(the same)", "; ".join(other) or "(less)"
