"""`stratagem export`: a saved game as text that people, or other programs, read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from stratagem.cli.options import TrustFlag, check_writable
from stratagem.cli.saved import to_resume
from stratagem.errors import OptionError
from stratagem.store.record import Record
from stratagem.store.sgf import write_sgf
from stratagem.store.text import read_game, write_game

FORMS = ("text", "sgf", "json")


def export(
    name: Annotated[
        str, typer.Argument(help="a file in any of the forms, a number of `stratagem saved`, - for text")
    ] = "",
    form: Annotated[str, typer.Option("--as", help="text, sgf (board games), json")] = "text",
    out: Annotated[Path | None, typer.Option(help="the file to write; standard output if left out")] = None,
    trust: TrustFlag = False,
) -> None:
    """Write a game as text or SGF, or as a saved game that `play --resume` takes; every move is checked on the way."""
    if form not in FORMS:
        raise OptionError(f"a game is not written as {form!r}; it is one of {', '.join(FORMS)}")
    check_writable(out)
    if form == "json" and out is None:
        raise OptionError("a saved game is a file: name it with --out")
    record = read_any(name)
    record.position(trust=trust)
    if form == "json" and out is not None:
        record.save(out)
        return
    text = write_game(record) if form == "text" else write_sgf(record)
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")


def read_any(name: str) -> Record:
    """A game in any form that it is written in."""
    if name == "-":
        return read_text(sys.stdin.read())
    file = to_resume(name, None)
    return Record.load(file) if file.suffix == ".json" else read_text(file.read_text(encoding="utf-8"))


def read_text(text: str) -> Record:
    from stratagem.store.sgf import read_sgf

    return read_sgf(text) if text.lstrip().startswith("(;") else read_game(text)
