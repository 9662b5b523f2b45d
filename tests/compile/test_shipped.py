"""Shipped machine code: it is used where it fits, and where it does not, code is compiled and one line says why."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from kernels.wheel import contents, write_wheel
from stratagem.compile import cache, levels, shipped
from stratagem.compile.levels import LEVEL

ROOT = Path(__file__).parents[2]
TEMPLATE = "def twice(x):\n    return 2 * x + 1 // x\n"
RUN = """
import os, sys
from stratagem.compile import levels, shipped, specialise
{before}
import template
run = specialise(template.twice)
print(run({argument}), len(run.dispatcher.stats.cache_hits))
"""
LACKING = "levels.host = lambda: ('old processor', {'avx': True})"


def ran(
    folder: Path, cache: str, *, before: str = "", argument: str = "21", package: Path | None = None, **environment: str
) -> tuple[list[str], list[str]]:
    """Run the template in a fresh process; returns what it printed and said."""
    (folder / "template.py").write_text(TEMPLATE)
    path = [str(folder), *([] if package is None else [str(package)]), str(ROOT / "src")]
    given = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "STRATAGEM_"))}
    given |= {"STRATAGEM_CACHE": str(folder / cache), "PYTHONPATH": os.pathsep.join(path), **environment}
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(before=before, argument=argument)],
        capture_output=True,
        text=True,
        env=given,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr.splitlines()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that holds one function, installed as a wheel is: unpacked."""
    if not levels.reaches_level() or sys.platform != "linux":
        pytest.skip(f"shipped code is for Linux on {LEVEL}")
    folder = tmp_path_factory.mktemp("shipped")
    before = "from stratagem.compile.service import building; held = building(); held.__enter__()"
    reported, _ = ran(
        folder,
        "build",
        before=before,
        NUMBA_CPU_NAME=LEVEL,
        NUMBA_CPU_FEATURES="",
        PYTHONHASHSEED="0",
        STRATAGEM_QUIET="1",
    )
    assert reported == ["42", "1"], "a copy of the process compiles, and the process loads"
    wheel = write_wheel(contents(folder / "build"), folder)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def copy(package: Path, tmp_path: Path) -> Path:
    """The package's own files, to be changed."""
    folder = tmp_path / "installed"
    (folder / shipped.PACKAGE).mkdir(parents=True)
    for path in (package / shipped.PACKAGE).iterdir():
        if path.is_file():
            (folder / shipped.PACKAGE / path.name).write_bytes(path.read_bytes())
    return folder


def test_shipped_code_is_used_and_nothing_is_written(package: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert ran(tmp_path, "cache", package=package) == (["42", "1"], [])
    assert not list(tmp_path.glob("cache/*"))
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_what_was_not_shipped_is_compiled_for_this_processor_and_kept(package: Path, tmp_path: Path) -> None:
    reported, said = ran(tmp_path, "cache", package=package, argument="21.0")
    assert reported == ["42.0", "0"] and not [line for line in said if "not used" in line]
    assert len(list(tmp_path.glob("cache/twice_*.code"))) == 1
    assert ran(tmp_path, "cache", package=package, argument="21.0")[0] == ["42.0", "1"]


def test_eviction_leaves_shipped_code_alone(package: Path, tmp_path: Path) -> None:
    """The limit holds for what this machine has compiled, however large the package is."""
    before = {path: path.read_bytes() for path in package.rglob("*.data")}
    small, old = {"STRATAGEM_CACHE_MB": "0.0001"}, tmp_path / "cache" / "old_1.code"
    old.parent.mkdir(mode=0o700)
    old.write_bytes(bytes(1000))
    os.utime(old, (1e9, 1e9))
    assert ran(tmp_path, "cache", package=package, argument="21.0", **small)[0] == ["42.0", "0"]
    assert not old.exists(), "something was evicted"
    assert ran(tmp_path, "cache", package=package, **small) == (["42", "1"], [])
    assert before and before == {path: path.read_bytes() for path in before}


def test_modules_for_browsers_are_shipped_for_any_processor(copy: Path, tmp_path: Path) -> None:
    name = "simulate_" + "0" * 20 + "." + "1" * 12
    cache.write_code(tmp_path / f"{name}.wasm", b"\0asm the module")
    files = contents(tmp_path)
    for path, content in files.items():
        if "wasm" in path:
            (copy / path).write_bytes(content)
    find = f"from stratagem.compile import portable; print(portable.module_named({name!r}))"

    def found(**environment: str) -> tuple[str, str]:
        given = {
            **os.environ,
            "STRATAGEM_CACHE": str(tmp_path / "empty"),
            "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}/src",
            **environment,
        }
        done = subprocess.run([sys.executable, "-c", find], capture_output=True, text=True, env=given, check=True)
        return done.stdout.strip(), done.stderr

    assert found(NUMBA_CPU_NAME="generic") == (str(b"\0asm the module"), "")
    assert found(STRATAGEM_KERNELS="off")[0] == "None"
    data = copy / shipped.PACKAGE / "wasm.data"
    data.write_bytes(b"x" * data.stat().st_size)
    reported, said = found()
    assert reported == "None" and "wasm.data is damaged" in said


def another_version(folder: Path) -> None:
    index = folder / shipped.PACKAGE / f"{LEVEL}.json"
    held = json.loads(index.read_text())
    held["versions"]["numba"] = "0.0.1"
    index.write_text(json.dumps(held))


def truncated_data(folder: Path) -> None:
    data = folder / shipped.PACKAGE / f"{LEVEL}.data"
    data.write_bytes(data.read_bytes()[:100])


def truncated_index(folder: Path) -> None:
    index = folder / shipped.PACKAGE / f"{LEVEL}.json"
    index.write_text(index.read_text()[:100])


def changed_byte(folder: Path) -> None:
    data = folder / shipped.PACKAGE / f"{LEVEL}.data"
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)


def written_by_anybody(folder: Path) -> None:
    (folder / shipped.PACKAGE / f"{LEVEL}.data").chmod(0o666)


def folder_written_by_anybody(folder: Path) -> None:
    (folder / shipped.PACKAGE).chmod(0o777)


def another_owner(folder: Path) -> None:
    if os.getuid() == 0:  # the files of root are used by everybody
        os.chown(folder / shipped.PACKAGE / f"{LEVEL}.data", 1234, -1)


def no_data(folder: Path) -> None:
    (folder / shipped.PACKAGE / f"{LEVEL}.data").unlink()


@pytest.mark.parametrize(
    ("change", "before", "environment", "reason"),
    [
        (another_version, "", {}, "it was made for numba 0.0.1, and this is numba "),
        (truncated_data, "", {}, "is shorter than its index says"),
        (truncated_index, "", {}, f"{LEVEL}.json is damaged"),
        (changed_byte, "", {}, f"{LEVEL}.data is damaged (its hash is another)"),
        (no_data, "", {}, "it has no file "),
        (written_by_anybody, "", {}, "can be written by anybody"),
        (folder_written_by_anybody, "", {}, f"{shipped.PACKAGE} can be written by anybody"),
        (another_owner, "os.getuid = lambda: 4321", {}, "belongs to another user"),
        (None, LACKING, {}, "this processor, old processor, lacks instructions of x86-64-v3"),
        (None, "", {"NUMBA_CPU_NAME": "generic"}, "Numba is set to compile for generic"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_does_not_fit_is_never_run_and_one_line_says_why(
    copy: Path,
    tmp_path: Path,
    change: Callable[[Path], None] | None,
    before: str,
    environment: dict[str, str],
    reason: str,
) -> None:
    if change is not None:
        change(copy)
    reported, said = ran(tmp_path, "cache", before=before, package=copy, **environment)
    assert reported == ["42", "0"], "compiled, not loaded"
    why_reported = [line for line in said if reason in line]
    assert len(why_reported) == 1 and "compiling in its place" in why_reported[0]
    assert not [line for line in said if "Traceback" in line]


def test_a_group_with_others_in_it_may_not_write_what_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many systems give each user a group of their own, and let it write: nobody else is in it."""
    import grp
    import pwd

    me = pwd.getpwuid(os.getuid()).pw_name
    file = tmp_path / "code"
    file.touch()
    for path, mode in ((file, 0o664), (tmp_path, 0o775)):
        path.chmod(mode)
        for name, members, fine in ((me, [], True), (me, [me], True), (me, ["eve"], False), ("users", [], False)):
            group = grp.struct_group((name, "x", path.stat().st_gid, members))
            monkeypatch.setattr(grp, "getgrgid", lambda _, group=group: group)
            assert bool(shipped._who_may_write(path)) is not fine, (name, members)
        path.chmod(mode & ~0o020)
        assert shipped._who_may_write(path) == ""


def test_it_can_be_left_aside(package: Path, tmp_path: Path) -> None:
    reported, said = ran(tmp_path, "cache", package=package, STRATAGEM_KERNELS="off")
    assert reported == ["42", "0"] and not [line for line in said if "not used" in line]


@pytest.mark.parametrize("name", [None, "generic"])
def test_the_command_line_says_what_is_there(package: Path, tmp_path: Path, name: str | None) -> None:
    path = os.pathsep.join([str(package), str(ROOT / "src")])
    given = {**os.environ, "PYTHONPATH": path, "STRATAGEM_CACHE": str(tmp_path), "STRATAGEM_KERNELS": ""}
    given |= {} if name is None else {"NUMBA_CPU_NAME": name}
    command = [sys.executable, "-m", "stratagem", "cache", "show"]
    reported = subprocess.run(command, env=given, capture_output=True, text=True, timeout=120).stdout.splitlines()
    wanted = f"stratagem-kernels: 1 functions for {LEVEL}, in {package / shipped.PACKAGE}"
    assert reported[1] == wanted if name is None else "is not used: Numba is set to compile for generic" in reported[1]


@pytest.mark.slow
def test_two_builds_of_a_game_are_the_same_bytes_and_its_commands_compile_nothing(tmp_path: Path) -> None:
    """Whatever the number of processes and the folder: `python -m kernels nim`, as `make kernels` does it for all games."""
    if not levels.reaches_level() or sys.platform != "linux":
        pytest.skip(f"shipped code is for Linux on {LEVEL}")
    given = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for jobs in ("1", "2"):
        build = [sys.executable, "-m", "kernels", "nim", "--jobs", jobs]
        build += ["--out", str(tmp_path / f"out {jobs}"), "--work", str(tmp_path / f"work {jobs}")]
        done = subprocess.run(build, cwd=ROOT, env=given, capture_output=True, text=True, timeout=1800)
        assert done.returncode == 0, done.stderr
    one, two = (next(tmp_path.glob(f"out {jobs}/*.whl")) for jobs in "12")
    assert one.name == two.name and one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        archive.extractall(tmp_path / "installed")
    given = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "STRATAGEM_"))}
    given |= {"PYTHONPATH": os.pathsep.join([str(tmp_path / "installed"), str(ROOT / "src")])}
    given |= {"STRATAGEM_CACHE": str(tmp_path / "cache")}
    for command in ("solve nim 3,4,5 --json", "analyse nim --seconds 0.1", "perft nim 3,4,5 4"):
        done = subprocess.run(
            [sys.executable, "-m", "stratagem", *command.split()],
            env=given,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0 and "preliminary" not in done.stderr, done.stderr
    assert not list((tmp_path / "cache").glob("*.code"))


def test_the_record_of_a_wheel_and_its_pins_are_right(package: Path) -> None:
    information = next(package.glob("*.dist-info"))
    metadata = (information / "METADATA").read_text()
    for name in ("stratagem", "numba", "llvmlite"):
        assert f"Requires-Dist: {name}=={shipped.versions()[name]}\n" in metadata
    for line in (information / "RECORD").read_text().splitlines():
        name, _, size = line.split(",")
        assert (package / name).exists() and (not size or (package / name).stat().st_size == int(size))


def test_the_package_needs_no_pickle_to_be_looked_into(package: Path) -> None:
    index = json.loads((package / shipped.PACKAGE / f"{LEVEL}.json").read_text())
    ((signature, (begin, length, seal)),) = next(iter(index["functions"].values())).items()
    packed = (package / shipped.PACKAGE / f"{LEVEL}.data").read_bytes()[begin : begin + length]
    assert signature == "(int64,)" and hashlib.sha256(packed).hexdigest() == seal
    assert str(ROOT).encode() not in zlib.decompress(packed), "no path of the machine that built it"


SERVED = """
from stratagem.readiness import digest, needs
from stratagem.registry import game_class
start = game_class("nim")().start(seed=0)
print(digest(start.game, "mcts"), *needs(start, ["mcts", "minimax"]), *needs(start, ["mcts"], rules_first=True))
"""


@pytest.mark.parametrize("edited", [False, True])
def test_a_use_that_was_shipped_needs_no_process(copy: Path, edited: bool) -> None:
    """Else an engine whose code is there is said to be still compiled, and a preliminary answer makes its move."""

    def reported() -> list[str]:
        given = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "STRATAGEM_"))}
        given |= {"PYTHONPATH": os.pathsep.join([str(copy), str(ROOT / "src")])}
        done = subprocess.run([sys.executable, "-c", SERVED], env=given, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.replace("the rules", "rules").split()

    use, *jobs = reported()
    assert jobs == ["mcts", "minimax", "rules", "rules", "mcts"]
    index = copy / shipped.PACKAGE / f"{LEVEL}.json"
    held = json.loads(index.read_text())
    held["uses"] = [use]
    if edited:
        held["sources"] = "those of another day"
    index.write_text(json.dumps(held))
    left = jobs if edited or not levels.deposits() else ["minimax", "rules", "rules", "mcts"]
    assert reported()[1:] == left
