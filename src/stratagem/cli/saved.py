"""`stratagem saved`: games that can be gone on with."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stratagem.cli.options import console
from stratagem.cli.terminal import data_folder
from stratagem.errors import OptionError, StratagemError
from stratagem.numbers import whole
from stratagem.store.record import Record


def saved(
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a game")] = False,
) -> None:
    """List the saved games, the latest first; `stratagem play --resume 2` goes on with the second."""
    found = saved_games()
    if as_json:
        for file, record in found:
            print(
                json.dumps({"file": str(file), "game": record.game, "seats": record.seats, "moves": len(record.moves)})
            )
        return
    if not found:
        print("no game is saved yet; stratagem play keeps every game that it plays")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("", "game", "seats", "decisions", "ended", "saved", "file"):
        table.add_column(column, overflow="fold", no_wrap=column == "decisions")  # file names are whole
    for k, (file, record) in enumerate(found):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(file.stat().st_mtime))
        row = (record.game, ", ".join(record.seats), str(len(record.moves)), record.ended or "no", when, str(file))
        table.add_row(str(k + 1), *row)
    console().print(table)


def saved_games() -> list[tuple[Path, Record]]:
    """The files that hold a game, the latest first; what holds none is passed over."""
    found = []
    for file in sorted(data_folder().glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            found.append((file, Record.load(file)))
        except StratagemError:
            continue
    return found


def to_resume(said: str, game: str | None) -> Path:
    """The file of a saved game: a path, a number of the list, or with nothing said the latest that has not ended."""
    if said and not said.isdecimal():
        if not Path(said).is_file():
            raise OptionError(f"{said!r} is no file, and no number of the list of `stratagem saved`")
        return Path(said)
    found = saved_games()
    if said:
        if not 1 <= whole(said) <= len(found):
            raise OptionError(f"there is no saved game {said}; stratagem saved lists {len(found)}")
        return found[whole(said) - 1][0]
    for file, record in found:
        if not record.ended and game in (None, record.game):
            return file
    raise OptionError(f"no unfinished game{'' if game is None else ' of ' + game} is saved; stratagem saved lists them")
