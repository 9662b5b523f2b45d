"""Where a live draft or auction is kept, and whether a second run goes on with it."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from stratagem.cli.terminal import data_folder
from stratagem.errors import OptionError, StratagemError

AgainFlag = Annotated[
    bool, typer.Option("--again", help="begin anew; what is there is kept beside, under another name")
]
GROWS = {"picks", "sales", "seed"}  # what may differ between a saved draft and one that begins


def kept_in(named: Path | None, table: Path | None, suffix: str) -> Path:
    """The file named, else one in the user's data folder with the name of the table or league."""
    if named is not None:
        return named
    folder = data_folder() / "drafts"
    with suppress(OSError):  # saving says why
        folder.mkdir(parents=True, exist_ok=True)
    return folder / Path((table or Path("sample.csv")).name).with_suffix(suffix)


def goes_on(file: Path, again: bool) -> bool:
    """Whether there is something to go on with. With `again` it is set aside first, and there is not."""
    if not file.exists():
        return False
    if not again:
        print(f"going on with {file}; --again begins anew", file=sys.stderr)
        return True
    head, dot, tail = file.name.partition(".")
    aside = next(path for k in count(1) if not (path := file.with_name(f"{head}-{k}{dot}{tail}")).exists())
    file.rename(aside)
    print(f"what was in {file} is kept in {aside}", file=sys.stderr)
    return False


def check_same(file: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with a draft of other terms than those asked for."""
    other = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    if other := [name for name in other if name not in GROWS]:
        raise OptionError(
            f"{file} holds another draft, with other {', '.join(other)}: go on with --resume {file}, "
            "begin anew with --again, or name another file with --save"
        )


class KeptDraft(ABC):
    """A draft led line by line that is saved after every change. One that cannot be saved goes on, and says so once."""

    file: Path
    as_json: bool
    kept = True

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether nothing is left to be drafted."""

    @abstractmethod
    def ask(self) -> str | None:
        """The next line; None at the end of the input."""

    @abstractmethod
    def obey(self, line: str) -> bool:
        """Do what a line says; True to leave."""

    def due(self) -> None:
        """Say what there is to say before the first line."""

    def say(self, text: str, **data: object) -> None:
        """A line for people, or an object for programs."""
        print(json.dumps(data or {"message": text}) if self.as_json else text, flush=True)

    def ended(self) -> str:
        """What is said at the end."""
        return self.whereabouts

    def run(self) -> None:
        """Do what lines say until the draft is over, somebody leaves or the input ends."""
        self.keep()
        failed = False
        try:
            self.due()
            while not self.over:
                line = self.ask()
                if line is None:
                    break
                try:
                    if self.obey(line.strip()):
                        break
                except (StratagemError, OSError) as error:
                    failed = True
                    self.say(f"stratagem: {error}", error=str(error), line=line.strip())
        except KeyboardInterrupt:
            print(f"\n{self.whereabouts}", file=sys.stderr)
            raise typer.Exit(130) from None
        self.say(self.ended(), over=self.over, saved=str(self.file) if self.kept else None)
        if failed and not sys.stdin.isatty():
            raise typer.Exit(2)

    @abstractmethod
    def write(self, file: Path) -> None:
        """Save it in a file."""

    def keep(self) -> None:
        """Save it where it is kept."""
        try:
            self.write(self.file)
        except OSError as error:
            if self.kept:
                why = f"{self.file}: {error.strerror or error}"
                print(f"this draft is not kept: {why}; it goes on, and is saved as soon as that works", file=sys.stderr)
            self.kept = False
        else:
            self.kept = True

    @property
    def whereabouts(self) -> str:
        """Where it is kept, and how to go on with it."""
        return f"kept in {self.file}; go on with --resume {self.file}" if self.kept else "this draft is not kept"
