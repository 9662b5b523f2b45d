"""Packs compiled code into a wheel: equal code gives equal bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import sys
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path

from stratagem.compile.cache import ASKED, CODE, MODULE, module_asked, read_code
from stratagem.compile.inside_numba import lightened
from stratagem.compile.levels import LEVEL
from stratagem.compile.shipped import MODULES, PACKAGE, sources, versions

ROOT = Path(__file__).resolve().parent.parent
FIRST_DATE = (2020, 1, 1, 0, 0, 0)  # of the files in a wheel, so that no clock is in it
SUMMARY = "Machine code of Stratagem's games and searches, so that nothing is compiled at first use"


def contents(cache: Path, since: float = 0.0, uses: Collection[str] = ()) -> dict[str, bytes]:
    """The files of the package, from a cache folder that was filled for the level; of what was used since a time.

    `uses` are the digests of uses that need nothing else."""
    files: dict[str, bytes] = {}
    for named, suffix in ((LEVEL, CODE), (MODULES, MODULE)):
        functions: dict[str, dict[str, tuple[int, int, str]]] = {}
        data = bytearray()
        for path in sorted(cache.glob(f"*{suffix}")):
            if path.stat().st_mtime < since:  # of an older version
                continue
            stem, mark, _ = path.name.split(".")
            code = read_code(path)
            if code is None:
                raise RuntimeError(f"{path} is damaged; build again")
            signature, light = lightened(f"stratagem_cache_{stem}", code) if suffix == CODE else (mark, code)
            packed = zlib.compress(light, 9)
            functions.setdefault(stem, {})[signature] = (len(data), len(packed), hashlib.sha256(packed).hexdigest())
            data += packed
        if suffix == MODULE and not functions:  # there was no linker
            continue
        asked = {
            path.stem: module_asked(path.stem, cache)
            for path in cache.glob(f"*{ASKED}")
            if path.stat().st_mtime >= since
        }
        index = {
            "versions": versions(),
            "sources": sources(),
            "functions": functions,
            "asked": {what: stem for what, stem in asked.items() if stem in functions},
            "uses": sorted(uses) if suffix == CODE else [],
        }
        files[f"{PACKAGE}/{named}.json"] = json.dumps(index, sort_keys=True, indent=0).encode()
        files[f"{PACKAGE}/{named}.data"] = bytes(data)
    return files


def write_wheel(files: dict[str, bytes], folder: Path) -> Path:
    """A wheel that holds the files of the package; returns its path."""
    made = versions()
    major, minor, *_ = platform.python_version_tuple()
    tag = f"cp{major}{minor}-none-{_platform_tag()}"
    information = f"{PACKAGE}-{made['stratagem']}.dist-info"
    metadata = [
        "Metadata-Version: 2.1",
        "Name: stratagem-kernels",
        f"Version: {made['stratagem']}",
        f"Summary: {SUMMARY}",
        "License: MIT",
        f"Requires-Python: =={major}.{minor}.*",
        *(f"Requires-Dist: {name}=={made[name]}" for name in ("stratagem", "numba", "llvmlite")),
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: stratagem (make kernels)", "Root-Is-Purelib: false", f"Tag: {tag}"]
    files = {
        f"{PACKAGE}/__init__.py": b'"""Machine code for Stratagem: data, which stratagem.compile.shipped reads."""\n',
        **files,
        f"{information}/METADATA": "\n".join([*metadata, ""]).encode(),
        f"{information}/WHEEL": "\n".join([*wheel, ""]).encode(),
        f"{information}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    rows = [f"{name},sha256={_record_hash(content)},{len(content)}" for name, content in files.items()]
    files[f"{information}/RECORD"] = "\n".join([*rows, f"{information}/RECORD,,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{PACKAGE}-{made['stratagem']}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, FIRST_DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return path


def _record_hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def _platform_tag() -> str:
    if sys.platform != "linux":
        raise SystemExit(
            f"kernels are packed on Linux alone, and this is {sys.platform}: code is compiled at first use here"
        )
    return f"manylinux_2_28_{platform.machine()}"
