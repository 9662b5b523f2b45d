"""Rows to learn from: made once of each part of self-play, and kept beside it.

A file of rows appears whole or not at all. It is made anew where it is damaged, or holds another version.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError
from stratagem.games.minions.networks.records import FILES
from stratagem.networks.rounds import over_processes

Arrays = Mapping[str, Any]  # arrays by name
Tell = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Kind:
    """What is kept: how its files end, its version, and the function of a module that makes it of a part."""

    ending: str
    version: str
    make: Callable[[Path], Arrays]

    def file(self, part: Path) -> Path:
        return part.with_suffix(self.ending)

    def write(self, part: Path) -> None:
        """The rows of a part beside it. Runs in a process of its own too."""
        unfinished = self.file(part).with_suffix(f".{os.getpid()}.unfinished")
        with unfinished.open("wb") as out:
            np.savez_compressed(out, version=np.array(self.version), **self.make(part))
        unfinished.replace(self.file(part))

    def read(self, part: Path) -> Arrays | None:
        """The rows of a part; None if there are none of this version."""
        try:
            with np.load(self.file(part)) as found:
                if str(found["version"]) != self.version:
                    return None
                return {name: found[name] for name in found.files if name != "version"}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return None


def all_rows(folder: Path, kind: Kind, count: int, tell: Tell) -> dict[str, NDArray[Any]]:
    """The rows of all parts below a folder, joined; those that are missing are made over so many processes."""
    parts = sorted(Path(folder).rglob(FILES))
    if not parts:
        raise StratagemError(f"there are no parts of self-play ({FILES}) in {str(folder)!r}")
    kept: dict[Path, Arrays] = {}

    def missing() -> list[Path]:
        for part in parts:
            if part not in kept and (found := kind.read(part)) is not None:
                kept[part] = found
        return [part for part in parts if part not in kept]

    def news(left: int) -> None:
        tell("looking", {"parts": len(parts) - left, "of": len(parts)})

    over_processes(partial(Kind.write, kind), missing, count, news, "look at records")

    def joined(name: str) -> NDArray[Any]:
        found = [kept[part][name] for part in parts]
        return np.concatenate([x for x in found if len(x)] or found[:1])  # a part without rows has no shape either

    return {name: joined(name) for name in kept[parts[0]]}
