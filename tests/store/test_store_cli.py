"""`stratagem store`, and addresses on the command line: what is wrong is reported in one line."""

from __future__ import annotations

import json
from pathlib import Path

from command import run
from postgres import Server

from stratagem.store.sqlite import Move, Played, Result, Store


def filled(path: Path) -> Path:
    with Store(path) as store:
        match = store.open_match("m", {"seed": 1}).id
        store.record(match, [Played(k, "nim", {}, ["a", "b"], [Move("1:1")], Result((1.0, -1.0))) for k in range(3)])
    return path


def test_a_store_is_shown_checked_and_copied(tmp_path: Path) -> None:
    source, target = filled(tmp_path / "a.sqlite"), tmp_path / "b.sqlite"
    shown = json.loads(run("store", "show", str(source), "--json").out)
    assert (shown["games"], shown["matches"]) == (3, ["m"])
    assert "is sound" in run("store", "check", str(source)).out
    assert run("store", "copy", str(source), str(target)).out.strip() == "3 games copied, 0 were there already"
    assert run("store", "copy", str(source), str(target)).out.strip() == "0 games copied, 3 were there already"


def test_what_is_wrong_with_an_address_is_one_line(tmp_path: Path) -> None:
    for words, said in (
        (("store", "show", str(tmp_path / "none.sqlite")), "there is no store of games"),
        (("store", "copy", "a", "a"), "named twice"),
        (("engines", "--store", str(filled(tmp_path / "c.sqlite"))), "is a file, which one process serves"),
    ):
        found = run(*words)
        assert found.code == 2 and said in found.err and len(found.err.strip().splitlines()) == 1, found.err


def test_a_wrong_password_is_one_line_without_the_password(postgres: Server) -> None:
    found = run("store", "show", postgres.address(password="guess"))
    assert found.code == 2 and "refuses this user or password" in found.err
    assert "guess" not in found.err and len(found.err.strip().splitlines()) == 1
