"""Machine code that came in a package of its own, `stratagem-kernels`, and is read from there and never written.

Modules for browsers (`portable`) are shipped in the same way, and are for no processor: their level is `wasm`.

The package holds two files for a level of processors. `LEVEL.json` is the index: the versions that the code was made with, and,
for each function, by the name of its generated module and its signature, where its code lies, how long it is and its SHA-256.
`LEVEL.data` is the code, one compressed piece after another. The names contain a digest of text and versions, so what does not
fit is not found. A package that does not fit as a whole (another version, a lesser processor, a file of another owner) is not
used, and one line says why; code is then compiled as without it. `STRATAGEM_KERNELS=off` leaves it aside.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import stat
import sys
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stratagem.compile import levels
from stratagem.compile.notices import say_once

PACKAGE = "stratagem_kernels"
LARGEST = 64_000_000  # bytes of one function's code when unpacked
MODULES = "wasm"  # in place of a level: modules for browsers


@dataclass(frozen=True)
class Shipped:
    """The code for the level of processors, or why it is not used."""

    data: Path | None = None
    functions: dict[str, dict[str, tuple[int, int, str]]] | None = (
        None  # by module: by signature: from, length, SHA-256
    )
    asked: dict[str, str] | None = None  # modules by the fingerprint of what is asked
    uses: frozenset[str] = frozenset()  # digests of uses that need nothing else
    made_of: str = ""  # the digest of the sources that those were tried with
    why_not: str = ""

    def holds(self, stem: str, signature: str | None = None) -> bool:
        """Whether there is code for a generated module, and for a signature."""
        found = (self.functions or {}).get(stem)
        return found is not None and (signature is None or signature in found)

    def module_asked(self, what: str) -> str | None:
        """The module that was made for what is asked, by its fingerprint."""
        return (self.asked or {}).get(what)

    def does(self, use: str) -> bool:
        """Whether there is all code that a use needs, by its digest: not where sources were edited, or `pdep` is slow."""
        return use in self.uses and levels.deposits() and self.made_of == sources()

    def names(self, entry: str) -> bool:
        """Whether there is any code of a template of this name."""
        return any(stem.rpartition("_")[0] == entry for stem in self.functions or ())

    def code(self, stem: str, signature: str) -> bytes | None:
        """The code of a function; None where there is none, or a damaged file, which is said."""
        packed = self._packed(stem, signature)
        try:
            return None if packed is None else zlib.decompressobj().decompress(packed, LARGEST)
        except zlib.error as error:
            self._say_damaged(str(error))
            return None

    def sound(self, stem: str, signature: str) -> bool:
        """Whether there is code of a function, as its hash says."""
        return self._packed(stem, signature) is not None

    def _packed(self, stem: str, signature: str) -> bytes | None:
        if self.data is None or self.functions is None or not self.holds(stem, signature):
            return None
        begin, length, seal = self.functions[stem][signature]
        try:
            with self.data.open("rb") as file:
                file.seek(begin)
                packed = file.read(length)
        except OSError as error:
            self._say_damaged(error.strerror or str(error))
            return None
        if hashlib.sha256(packed).hexdigest() != seal:
            self._say_damaged("its hash is another")
            return None
        return packed

    def _say_damaged(self, why: str) -> None:
        say_once(
            str(self.data), f"{self.data} is damaged ({why}): compiling in its place; install stratagem-kernels again"
        )

    def say_why_not(self) -> None:
        """Tell the user once why a package that is there is not used."""
        if self.why_not:
            say_once(PACKAGE, f"stratagem-kernels is not used: {self.why_not}; compiling in its place")


def versions() -> dict[str, str]:
    """What code depends on besides its text: versions by name."""
    import llvmlite
    import numba

    return {
        "stratagem": importlib.metadata.version("stratagem"),
        "python": str(sys.implementation.cache_tag),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


@cache
def sources() -> str:
    """The digest of all modules of this package."""
    digest, folder = hashlib.sha256(), Path(__file__).resolve().parent.parent
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()


def shipped() -> Shipped:
    """What the installed package has for this processor."""
    return _NOTHING if os.environ.get("STRATAGEM_KERNELS") == "off" else _opened()


def shipped_modules() -> Shipped:
    """What the installed package has for browsers."""
    return _NOTHING if os.environ.get("STRATAGEM_KERNELS") == "off" else _opened(MODULES)


_NOTHING = Shipped()


@cache
def _opened(level: str | None = None) -> Shipped:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return _NOTHING
    folder = Path(next(iter(spec.submodule_search_locations)))
    if level is None and (name := levels.named()):
        return Shipped(why_not=f"Numba is set to compile for {name} (NUMBA_CPU_NAME, NUMBA_CPU_FEATURES)")
    if level is None and not levels.reaches_level():
        return Shipped(why_not=f"this processor, {levels.host()[0]}, lacks instructions of {levels.LEVEL}")
    level = level or levels.LEVEL
    index, data = folder / f"{level}.json", folder / f"{level}.data"
    try:
        for path in (folder, index, data):
            if wrong := _who_may_write(path):
                return Shipped(why_not=f"{path} {wrong}")
        contents = json.loads(index.read_text())
        made = contents["versions"]
        for name, version in versions().items():
            if made[name] != version:
                return Shipped(why_not=f"it was made for {name} {made[name]}, and this is {name} {version}")
        functions = {
            str(stem): {
                str(signature): (int(at), int(length), str(seal)) for signature, (at, length, seal) in each.items()
            }
            for stem, each in contents["functions"].items()
        }
        asked = {str(what): str(stem) for what, stem in contents["asked"].items()}
        uses, made_of = frozenset(map(str, contents["uses"])), str(contents["sources"])
        size = data.stat().st_size
    except FileNotFoundError as error:
        return Shipped(why_not=f"it has no file {error.filename}")
    except OSError as error:
        return Shipped(why_not=f"{error.filename} cannot be read ({error.strerror})")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Shipped(why_not=f"{index} is damaged")
    if size < max((at + length for each in functions.values() for at, length, _ in each.values()), default=0):
        return Shipped(why_not=f"{data} is shorter than its index says")
    return Shipped(data, functions, asked, uses, made_of)


def _who_may_write(path: Path) -> str:
    """What is wrong with the owner of code's file or folder, or with who else may write it."""
    info = path.stat()
    if not hasattr(os, "getuid"):
        return ""
    if info.st_uid not in (0, os.getuid()):
        return f"belongs to another user (number {info.st_uid})"
    if info.st_mode & stat.S_IWOTH:
        return "can be written by anybody"
    if info.st_mode & stat.S_IWGRP and not _alone(info.st_uid, info.st_gid):
        return f"can be written by its group (number {info.st_gid})"
    return ""


def _alone(user: int, group: int) -> bool:
    """Whether a group is the user's own, as many systems make one for each: of the same name, with nobody else in it."""
    import grp  # which not every system has
    import pwd

    try:
        name, found = pwd.getpwuid(user).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == name and set(found.gr_mem) <= {name}
