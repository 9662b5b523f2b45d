"""What is handed out: a wheel and a source archive that hold everything, install into an empty environment and play."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import stratagem

ROOT = Path(__file__).parents[2]


def run(*command: str, cwd: Path, seconds: float = 280) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=cwd)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert cited is not None and cited[1] == project["version"] == stratagem.__version__
    assert re.search(rf"^## {re.escape(project['version'])}", (ROOT / "CHANGELOG.md").read_text(), re.M)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for needed in ("build", "twine", "hatchling"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed (pip install 'stratagem[release]')")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT), cwd=folder)
    return folder


@pytest.mark.slow
def test_the_archives_are_sound_and_hold_everything(built: Path) -> None:
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    assert "PASSED" in run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(source), cwd=built)
    held = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "src/stratagem", cwd=ROOT).split()
    assert {name.removeprefix("src/") for name in tracked} <= held
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CITATION.cff", "constraints.txt", "tests/conftest.py", "docs/versions.md"} <= names


@pytest.mark.slow
def test_the_wheel_plays_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = str(tmp_path / "empty" / "bin" / "python")
    install = ("-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt"))
    run(python, *install, str(wheel), cwd=tmp_path)
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[0]
    reported = run(python, "-c", code, cwd=tmp_path)
    assert "wins" in reported or "draw" in reported
    assert stratagem.__version__ in run(str(tmp_path / "empty" / "bin" / "stratagem"), "version", cwd=tmp_path)
    heavy = run(python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check", cwd=tmp_path).lower()
    assert not re.search(r"^(ray|torch|psycopg|pettingzoo|open-spiel|open_spiel|anywidget)==", heavy, re.M)


@pytest.mark.slow
def test_the_documentation_builds_strictly(site: Path) -> None:
    assert (site / "index.html").exists() and (site / "games" / "minions.html").exists()
