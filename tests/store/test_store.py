"""The store: what is written stays, in order, once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stratagem.store.sqlite import ADJUDICATED, Conflict, Decision, Move, Played, Result, Store, StoreError


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "games.sqlite")


def played(number: int, *texts: str) -> Played:
    moves = [Move(text, ply % 2, 0.5) for ply, text in enumerate(texts)]
    return Played(number, "tictactoe", {"rows": 3}, ["a", "b"], moves, Result((1.0, -1.0)), seed=7, at=100.0)


def test_a_game_in_progress_is_read_back_as_it_was_written(store: Store) -> None:
    game = store.begin("tictactoe", {"rows": 3}, ["you", "strong"], seed=5, key="abc", meta={"token": "h1"})
    store.append(game, "b2", ply=0, seat=0, seconds=3.5)
    store.append(game, "a1", ply=1, seat=1, note={"value": -0.5})
    found = store.game(store.find("abc"))
    assert (found.game, found.options, found.seats, found.seed) == ("tictactoe", {"rows": 3}, ["you", "strong"], 5)
    assert found.texts == ["b2", "a1"]
    assert (found.moves[0].seat, found.moves[0].seconds, found.moves[1].note) == (0, 3.5, {"value": -0.5})
    assert found.result is None and found.meta == {"token": "h1"}


def test_another_process_sees_a_move_as_soon_as_it_is_made(store: Store) -> None:
    game = store.begin("nim", {}, ["you", "strong"])
    store.append(game, "1:1", ply=0)
    with Store(store.path) as other:
        assert other.game(game).texts == ["1:1"]


def test_a_move_sent_twice_is_played_once(store: Store) -> None:
    game = store.begin("nim", {}, ["you", "strong"])
    store.append(game, "1:1", ply=0)
    with pytest.raises(Conflict, match="at ply 1, not 0"):
        store.append(game, "1:1", ply=0)
    assert store.game(game).texts == ["1:1"]


def test_taking_back_shortens_the_record_and_keeps_the_rows(store: Store) -> None:
    game = store.begin("tictactoe", {}, ["you", "strong"])
    for ply, text in enumerate(["a1", "b1", "a2", "b2"]):
        store.append(game, text, ply=ply)
    store.take_back(game, ply=4, to=2)
    assert store.game(game).texts == ["a1", "b1"]
    store.append(game, "c3", ply=2)
    assert store.game(game).texts == ["a1", "b1", "c3"]
    rows = sqlite3.connect(store.path).execute("SELECT count(*) FROM moves").fetchone()[0]
    assert rows == 6


def test_a_finished_game_takes_no_move_until_something_is_taken_back(store: Store) -> None:
    game = store.begin("tictactoe", {}, ["you", "strong"])
    store.append(game, "a1", ply=0)
    store.finish(game, (1.0, -1.0), "resigned", ply=1, seat=1)
    assert store.game(game).result is not None
    with pytest.raises(Conflict, match="over"):
        store.append(game, "b1", ply=1)
    with pytest.raises(Conflict, match="over"):
        store.finish(game, (1.0, -1.0), ply=1)
    store.take_back(game, ply=1, to=0)
    assert store.game(game).result is None
    store.append(game, "b2", ply=0)
    assert store.game(game).texts == ["b2"]


def test_secret_decisions_wait_for_the_joint_move(store: Store) -> None:
    game = store.begin("blotto", {}, ["you", "friend"])
    assert [d.text for d in store.decide(game, 1, "3,4", ply=0)] == ["3,4"]
    with pytest.raises(Conflict, match="decided already"):
        store.decide(game, 1, "1,6", ply=0)
    assert [d.seat for d in store.decide(game, 0, "5,2", ply=0)] == [0, 1]
    assert [d.text for d in store.game(game).pending] == ["5,2", "3,4"]
    store.append(game, "5,2 | 3,4", ply=0)
    assert store.game(game).pending == ()
    assert [(ply, d.seat, d.text) for ply, d in store.decisions(game)] == [(0, 0, "5,2"), (0, 1, "3,4")]


def test_notes_add_to_the_metadata_and_the_newest_counts(store: Store) -> None:
    game = store.begin("nim", {}, ["you", "?"], meta={"seats": ["h1", None]})
    store.annotate(game, seats=["h1", "h2"], name="Ada")
    assert store.game(game).meta == {"seats": ["h1", "h2"], "name": "Ada"}


def test_games_in_progress_can_be_listed(store: Store) -> None:
    first, second, third = (store.begin("nim", {}, ["you", "strong"]) for _ in range(3))
    store.append(first, "1:1", ply=0)
    store.finish(first, (0.0, 0.0), "abandoned", ply=1)
    assert [game.id for game in store.games(open_only=True)] == [second, third]
    assert [game.id for game in store.games(newest=2)] == [third, second]


def test_engine_games_are_written_whole_and_once(store: Store) -> None:
    match = store.open_match("m", {"seed": 1})
    (game,) = store.record(match.id, [played(0, "a1", "b1")])
    found = store.game(game)
    assert (found.number, found.texts, found.result and found.result.payoff) == (0, ["a1", "b1"], (1.0, -1.0))
    assert [move.at for move in found.moves] == [100.5, 101.0]
    with pytest.raises(Conflict, match="recorded already"):
        store.record(match.id, [played(1, "a1"), played(0, "c3")])
    assert store.numbers(match.id) == {0}  # the whole transaction was refused
    assert store.results(match.id)[0][:2] == (0, ["a", "b"])


def test_decisions_of_a_joint_engine_game_keep_their_times(store: Store) -> None:
    match = store.open_match("m", {})
    joint = Played(
        0, "blotto", {}, ["a", "b"], [Move("1 | 2")], Result((0.0, 0.0), ADJUDICATED),
        decisions=[(0, Decision(0, "1", 0.1)), (0, Decision(1, "2", 0.2))],
    )  # fmt: skip
    (game,) = store.record(match.id, [joint])
    assert [(ply, d.seat, d.seconds) for ply, d in store.decisions(game)] == [(0, 0, 0.1), (0, 1, 0.2)]


def test_a_match_name_is_taken_once(store: Store) -> None:
    store.open_match("m", {"seed": 1})
    with pytest.raises(Conflict, match="already"):
        store.open_match("m", {"seed": 1})
    with pytest.raises(ValueError, match="there are: m"):
        store.match("other")


@pytest.mark.parametrize("column", ["matches.name", "games.seed", "moves.text", "results.reason"])
def test_nothing_can_be_changed_or_deleted(store: Store, column: str) -> None:
    store.record(store.open_match("m", {}).id, [played(0, "a1")])
    table, name = column.split(".")
    db = sqlite3.connect(store.path)
    for change in (f"DELETE FROM {table}", f"UPDATE {table} SET {name} = 'x'"):
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            db.execute(change)


def test_threads_and_processes_write_side_by_side(store: Store) -> None:
    match = store.open_match("m", {}).id

    def write(first: int) -> None:
        for number in range(first, first + 50):
            store.record(match, [played(number, "a1", "b2")])

    threads = [threading.Thread(target=write, args=(50 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    program = "import sys; from stratagem.store.sqlite import Store; s = Store(sys.argv[1])\n"
    program += "for k in range(50): g = s.begin('nim', {}, ['x', 'y']); s.append(g, '1:1', ply=0)"
    subprocess.run([sys.executable, "-c", program, str(store.path)], check=True, timeout=60)
    for thread in threads:
        thread.join()
    assert store.numbers(match) == set(range(200))
    assert sum(1 for _ in store.games(open_only=True)) == 50
    store.check()


def test_a_locked_file_is_named_and_nothing_is_written(store: Store) -> None:
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store(store.path, wait=0.05) as impatient, pytest.raises(StoreError, match="locked by another process"):
        impatient.begin("nim", {}, ["a", "b"])
    other.execute("ROLLBACK")
    assert list(store.games()) == []


@pytest.mark.parametrize("content", [b"", b"a letter, not a database", b"SQLite format 3\0" + bytes(200)])
def test_a_file_of_something_else_is_refused_and_untouched(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(StoreError, match="nothing was changed"):
        Store(file)
    assert file.read_bytes() == content and os.listdir(tmp_path) == ["other"]


def test_another_programs_database_is_refused_and_untouched(tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite"
    db = sqlite3.connect(file)
    db.execute("CREATE TABLE t(x)")
    db.commit()
    db.close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(file)
    assert file.read_bytes() == before


def test_a_damaged_file_is_named_and_untouched(store: Store) -> None:
    store.record(store.open_match("m", {}).id, [played(k, *["a1"] * 200) for k in range(20)])
    store.close()
    damaged = bytearray(store.path.read_bytes())
    damaged[4096:-4096] = os.urandom(len(damaged) - 8192)
    store.path.write_bytes(damaged)
    with pytest.raises(StoreError, match="damaged"), Store(store.path) as again:
        again.check()
    assert store.path.read_bytes() == damaged


def test_a_full_disk_is_named_and_keeps_what_was_recorded(store: Store) -> None:
    match = store.open_match("m", {}).id
    store.record(match, [played(0, "a1")])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="disk is full"):
        store.record(match, [played(k, *["a1"] * 500) for k in range(1, 50)])
    assert store.numbers(match) == {0}
    store.check()


def test_a_file_that_cannot_grow_keeps_what_was_recorded(tmp_path: Path) -> None:
    """The system's own limit on file sizes stands in for a full disk: the failure comes from the write itself."""
    program = (
        "import resource, sys; from stratagem.store.sqlite import *\n"
        "store = Store(sys.argv[1]); match = store.open_match('m', {}).id\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "k = 0\n"
        "try:\n"
        "    while True:\n"
        "        store.record(match, [Played(k, 'nim', {}, ['a', 'b'], [Move('1:1')] * 50, Result((0.0, 0.0)))]); k += 1\n"
        "except StoreError as error: print(k); print(error)\n"
    )
    file = tmp_path / "games.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=60, check=True
    )
    count, message = done.stdout.splitlines()
    assert "recorded before is safe" in message
    with Store(file) as store:
        assert store.numbers(1) == set(range(int(count))) and int(count) > 3
        store.check()


def test_every_move_that_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    program = (
        "import sys; from stratagem.store.sqlite import *\n"
        "store = Store(sys.argv[1]); game = store.begin('nim', {}, ['you', 'friend'])\n"
        "for ply in range(10**9):\n"
        "    store.append(game, str(ply), ply=ply)\n"
        "    print(ply, flush=True)\n"
    )
    file = tmp_path / "games.sqlite"
    for kill in range(3):
        server = subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        for _ in range(50 + 37 * kill):
            told = int(server.stdout.readline())
        server.kill()
        rest = server.communicate(timeout=30)[0].splitlines()
        told = int(rest[-1]) if rest and rest[-1].isdigit() and len(rest[-1]) >= len(str(told)) else told
        with Store(file) as store:
            texts = store.game(kill + 1).texts
            assert texts == [str(ply) for ply in range(len(texts))] and len(texts) > told
            store.check()


def test_options_survive_as_json(store: Store) -> None:
    game = store.begin("nim", {"heaps": (1, 3, 5)}, ["a", "b"])
    assert json.dumps(store.game(game).options) == '{"heaps": [1, 3, 5]}'
