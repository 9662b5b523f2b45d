"""What is asked is found again without making its text, and whatever changes the text is seen."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.compile import specialiser
from stratagem.compile.fingerprint import fingerprint
from stratagem.compile.specialiser import Bound, specialise

FACTOR, TABLE = 3, np.arange(4)


def below(x: int) -> int:
    return x * FACTOR + TABLE[0]


def template(x: int) -> int:
    return below(x) + EXTRA if WANTED else below(x)  # noqa: F821 - bound by name


NAMES = {"EXTRA": 1, "WANTED": True}


def found(**names: object) -> str | None:
    return fingerprint(specialiser._Scope(template, {**NAMES, **names}), "cpu")


def other(x: int) -> int:
    return x * FACTOR - TABLE[0]


def modules_of(name: str, player: str, **options: object) -> set[str]:
    """The generated modules that a player asks for, by name; nothing is compiled."""
    specialiser._asked.clear()
    stratagem.player(stratagem.game(name, **options), player)
    return {made.generated.stem for made, _ in specialiser._asked.values()}


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("skirmish", ("oep", "greedy-turn", "tbets"), {"points": 10}),
        ("roborally", ("strong",), {"course": "Checkmate"}),
    ],
)
def test_options_that_are_data_need_no_code_of_their_own(
    name: str, players: tuple[str, ...], options: dict[str, object]
) -> None:
    for player in players:
        usual = modules_of(name, player)
        assert usual and modules_of(name, player, **options) == usual


def test_equal_questions_are_equal_and_every_change_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    first = found()
    assert first is not None and first == found()
    changed = {
        "a constant": found(EXTRA=2),
        "a number of another kind": found(EXTRA=1.0),
        "a switch": found(WANTED=False),
        "a function": found(below=other),
        "a name of a function's own": found(below=Bound(below, {"FACTOR": 4})),
        "how": fingerprint(specialiser._Scope(template, NAMES), "cuda"),
    }
    monkeypatch.setitem(globals(), "FACTOR", 5)
    changed["a global of a function below"] = found()
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "TABLE", np.arange(1, 5))
    changed["a table"] = found()
    monkeypatch.undo()
    body = below.__code__.replace(co_consts=tuple(1 if c == 0 else c for c in below.__code__.co_consts))
    monkeypatch.setitem(globals(), "below", types.FunctionType(body, globals(), "below"))
    changed["a constant in a function below"] = found()
    monkeypatch.undo()
    assert found() == first == found(below=Bound(below, {"FACTOR": 3})), "the text is the same"
    assert len({first, *changed.values()}) == len(changed) + 1, changed


def test_what_is_no_constant_has_no_fingerprint() -> None:
    assert found(EXTRA=object()) is None


def test_places_of_files_are_not_in_it(tmp_path: Path) -> None:
    """So that a package finds what was asked where it was built."""
    said = []
    for folder in ("one", "another place"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "asked.py").write_text(
            "def twice(x):\n    return [2 * y for y in (x,) if y in {1, 2, 3}][0]\n"
        )
        code = (
            "import asked; from stratagem.compile.fingerprint import fingerprint; "
            "from stratagem.compile.specialiser import _Scope; print(fingerprint(_Scope(asked.twice, {}), 'cpu'))"
        )
        given = {**os.environ, "PYTHONPATH": str(tmp_path / folder)}
        done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, timeout=120)
        said.append(done.stdout)
    assert said[0] == said[1] and len(said[0].strip()) == 24


def test_no_text_is_made_for_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    run = specialise(template, NAMES)
    assert run(2) == 7 and run(2.0) == 7.0
    monkeypatch.setattr(specialiser, "_made", {})
    monkeypatch.setattr(specialiser, "_asked", {})
    again = specialise(template, NAMES)
    assert again(2) == 7 and len(again.dispatcher.stats.cache_hits) == 1  # type: ignore[attr-defined]
    assert again.generated._text is None, "loaded by its fingerprint"  # type: ignore[attr-defined]
    assert again(np.float32(2)) == 7.0, "another type is compiled, for which the text is made"
    assert again.generated._text is not None and again(2) == 7  # type: ignore[attr-defined]


def test_a_wrong_note_of_a_name_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    assert specialise(template, NAMES)(3) == 10
    assert specialise(template, {**NAMES, "EXTRA": 2})(3) == 11
    one, two = (tmp_path / "cache").glob("*.asked")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second), two.write_bytes(first)
    monkeypatch.setattr(specialiser, "_made", {})
    monkeypatch.setattr(specialiser, "_asked", {})
    assert specialise(template, NAMES)(3) == 10
    assert specialise(template, {**NAMES, "EXTRA": 2})(3) == 11
