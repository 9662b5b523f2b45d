"""The cache folder: generated modules, compiled code, and results that took long.

A generated module `NAME_DIGEST.py` and its compiled code `NAME_DIGEST.PROCESSOR-SIGNATURE.code` are named by a hash of all that
they depend on, so a file is never stale. It can be damaged: code files begin with the SHA-256 of what follows, and a file that
does not match is thrown away. The folder has a size limit (`STRATAGEM_CACHE_MB`). Whatever was used least recently goes first.
A folder that cannot be used, or a full disk, costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import shutil
import stat
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path

import platformdirs

from stratagem.compile.levels import processor
from stratagem.compile.notices import say_once
from stratagem.errors import CompileError, OptionError

CODE = ".code"  # compiled functions
MODULE = ".wasm"  # modules for browsers, behind their seal
ASKED = ".asked"  # names of modules, by what was asked for
MARK = ".warm"  # empty files: all that something needs is in the folder
TIMES = "compile-times.json"  # what compilations took on this machine
_OURS = {".py", ".pyc", CODE, MODULE, ASKED, ".nbi", ".nbc", ".npz", ".tmp", MARK}
LIMIT_MB = 1000.0  # of the folder; everything that ships takes about 30
ROOM = 0.9  # of the limit is left after an eviction, so that not every file causes one
SECONDS_A_LINE = 0.0035  # of generated text, on an idle 2.8 GHz core; other machines are measured
SECONDS_AT_LEAST = 1.0  # the compiler itself has to be loaded
MOST_TIMES = 200  # templates whose compilation times are kept


def cache_folder() -> Path:
    """Where generated modules and compiled code live: `STRATAGEM_CACHE`, or the user's cache folder."""
    named = os.environ.get("STRATAGEM_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("stratagem", appauthor=False))


def usable_folder() -> Path | None:
    """The cache folder, made if need be; None where it cannot be used, which is said once."""
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            why = "others than its owner can write to it"
        elif os.access(folder, os.W_OK | os.X_OK):
            return folder
        else:
            why = "it cannot be written to"
    except OSError as error:
        why = error.strerror or str(error)
    say_once(str(folder), f"the cache folder {folder} is not used ({why}): {_THIS_RUN}; set STRATAGEM_CACHE")
    return None


_THIS_RUN = "compiling for this run only"


def clear_cache() -> int:
    """Empty the cache folder; returns how many files went."""
    folder = cache_folder()
    if not folder.is_dir():
        return 0
    gone = [path for path in folder.rglob("*") if path.is_file()]
    foreign = [path for path in gone if path.suffix not in _OURS and path.name != TIMES]
    if foreign:
        raise CompileError(f"{folder} holds files that are not a cache's ({foreign[0].name}); it is left alone")
    shutil.rmtree(folder)
    return len(gone)


# ---- files


def write(path: Path, content: bytes, *, replace: bool = True) -> bool:
    """Write a file whole or not at all; False where that is impossible, which is said once.

    Without `replace` a file that another process wrote meanwhile stays: it may be locked by now."""
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if replace:
            os.replace(temporary, path)
        else:
            _link(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        why = "is full: its disk has no space left" if full else f"cannot be written to ({error.strerror or error})"
        say_once(
            f"{path.parent} {error.errno}", f"the cache folder {path.parent} {why}; {_THIS_RUN}; free some space there"
        )
        return False
    return True


def _link(temporary: str, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        os.replace(temporary, path)
    Path(temporary).unlink(missing_ok=True)


def read_code(path: Path) -> bytes | None:
    """What was kept by `write_code`; None if there is nothing or a damaged file, which is thrown away."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    seal, kept = content[: hashlib.sha256().digest_size], content[hashlib.sha256().digest_size :]
    if hashlib.sha256(kept).digest() != seal:
        throw_away(path)
        return None
    note_use(path)
    return kept


def code_stem(module: Path) -> str:
    """How the names of files begin that hold a module's code for this processor."""
    return f"{module.stem}.{hashlib.sha256(processor().encode()).hexdigest()[:8]}-"


def write_code(path: Path, code: bytes) -> None:
    """Keep compiled code, and make room for it."""
    if write(path, hashlib.sha256(code).digest() + code):
        make_room()


class NothingKept(Exception):
    """There is no code where there was some."""


def module_asked(what: str, folder: Path | None = None) -> str | None:
    """The generated module that was made for what is asked, by its fingerprint; None where none is known."""
    kept = read_code((folder or cache_folder()) / f"{what}{ASKED}")
    said, _, stem = (kept or b"").decode(errors="replace").partition(" ")
    return stem if said == what and stem.isidentifier() else None


def note_asked(what: str, stem: str) -> None:
    """Keep the name of the module that is made for what is asked."""
    path = cache_folder() / f"{what}{ASKED}"
    if not path.exists():
        content = f"{what} {stem}".encode()
        write(path, hashlib.sha256(content).digest() + content)


def throw_away(path: Path) -> None:
    """Remove a damaged file; what it held is made again."""
    say_once(str(path), f"{path} is damaged: it is thrown away and made again")
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def note_use(path: Path) -> None:
    """Mark a file as used now, so that it is not among the first to be evicted."""
    with contextlib.suppress(OSError):
        os.utime(path)


def limit_bytes() -> float:
    """The largest size of the cache folder: `STRATAGEM_CACHE_MB`, or the default."""
    named = os.environ.get("STRATAGEM_CACHE_MB") or str(LIMIT_MB)
    try:
        limit = float(named)
    except ValueError:
        limit = -1.0
    if not 0 < limit < math.inf:
        raise OptionError(f"STRATAGEM_CACHE_MB is {named!r}; give the megabytes that the cache may take, such as 500")
    return limit * 1e6


def make_room(part: str = "", share: float = 1.0) -> int:
    """Evict what was used least recently where the folder is larger than its limit; returns how many files went.

    Files of one generated module go together, and the module that was used last stays whatever its size. `part` names a folder
    inside, which may take that share of the limit.
    """
    limit = share * limit_bytes()
    groups: dict[str, list[tuple[float, int, Path]]] = defaultdict(list)
    total = 0
    for path in (cache_folder() / part).rglob("*"):
        with contextlib.suppress(OSError):  # another process was quicker
            info = path.stat()
            if path.suffix in _OURS - {MARK} and stat.S_ISREG(info.st_mode):
                groups[path.name.partition(".")[0]].append((info.st_mtime, info.st_size, path))
                total += info.st_size
    if total <= limit:
        return 0
    gone = 0
    oldest_first = sorted(groups.values(), key=lambda files: max(files)[0])
    for files in oldest_first[:-1]:
        for _, size, path in files:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            total, gone = total - size, gone + 1
        if total <= ROOM * limit:
            break
    for mark in (cache_folder() / part).glob(f"*{MARK}"):  # what they promise may have gone
        mark.unlink(missing_ok=True)
    return gone


# ---- times


def _times() -> dict[str, tuple[str, int, float]]:
    """By label: the template, the lines of its generated text, and the seconds that its compilation took here."""
    try:
        found = json.loads((cache_folder() / TIMES).read_text())
        return {str(label): (str(name), int(lines), float(took)) for label, (name, lines, took) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def note_time(label: str, template: str, lines: int, seconds: float) -> None:
    """Keep what a compilation took on this machine."""
    times = _times()
    times.pop(label, None)
    kept = {**dict(list(times.items())[1 - MOST_TIMES :]), label: (template, lines, round(seconds, 3))}
    write(cache_folder() / TIMES, json.dumps(kept).encode())


def expected_seconds(label: str, template: str, lines: int) -> float:
    """About how long a compilation takes here.

    Lines alone say little about it. So the time by lines is multiplied by what was measured on this machine: for the same label,
    which was compiled for another version or other options, else for the same template, else for all.
    """
    by_lines, times = SECONDS_AT_LEAST + SECONDS_A_LINE * lines, _times()
    same = [times[label]] if label in times else [one for one in times.values() if one[0] == template]
    ratios = [took / (SECONDS_AT_LEAST + SECONDS_A_LINE * long) for _, long, took in same or times.values()]
    return by_lines * (statistics.median(ratios) if ratios else 1.0)
