"""The store: what is written stays, in order, once."""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import Server, missing

from stratagem.store import Records, open_store
from stratagem.store.copying import copy
from stratagem.store.sqlite import ADJUDICATED, Conflict, Decision, Move, Played, Result, Store, StoreError


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that is not yet there, in each of the two databases."""
    if request.param == "sqlite":
        return str(tmp_path / "games.sqlite")
    found: str = request.getfixturevalue("postgres").address()
    return found


@pytest.fixture
def records(address: str) -> Iterator[Records]:
    with open_store(address) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An SQLite file, for what only a file can suffer."""
    with Store(tmp_path / "games.sqlite") as opened:
        yield opened


def raw(records: Records, sql: str) -> list:
    """What the database itself says."""
    if isinstance(records, Store):
        db = sqlite3.connect(records.path)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()
    with records.connection() as db:  # type: ignore[attr-defined]
        found = db.execute(sql)
        return found.fetchall() if found.description else []


def played(number: int, *texts: str) -> Played:
    moves = [Move(text, ply % 2, 0.5) for ply, text in enumerate(texts)]
    return Played(number, "tictactoe", {"rows": 3}, ["a", "b"], moves, Result((1.0, -1.0)), seed=7, at=100.0)


def test_a_game_in_progress_is_read_back_as_it_was_written(records: Records) -> None:
    game = records.begin("tictactoe", {"rows": 3}, ["you", "strong"], seed=5, key="abc", meta={"token": "h1"})
    records.append(game, "b2", ply=0, seat=0, seconds=3.5)
    records.append(game, "a1", ply=1, seat=1, note={"value": -0.5})
    found = records.game(records.find("abc"))
    assert (found.game, found.options, found.seats, found.seed) == ("tictactoe", {"rows": 3}, ["you", "strong"], 5)
    assert found.texts == ["b2", "a1"]
    assert (found.moves[0].seat, found.moves[0].seconds, found.moves[1].note) == (0, 3.5, {"value": -0.5})
    assert found.result is None and found.meta == {"token": "h1"}


def test_consent_holds_until_the_record_changes_and_is_given_once(records: Records, address: str) -> None:
    game = records.begin("nim", {}, ["you", "you"], meta={"token": "h1"})
    records.append(game, "1:1", ply=0)
    assert records.agree(game, "draw", 1) == {1: True}
    with open_store(address) as other:
        assert other.agree(game, "draw", 0, "gladly") == {1: True, 0: "gladly"}
        assert list(other.game(game).consents["draw"]) == [1, 0], "in the order in which they agreed"
        with pytest.raises(Conflict, match="agreed already"):
            other.agree(game, "draw", 1)
    before = records.changes(game)
    records.append(game, "2:1", ply=1)
    found = records.game(game)
    assert found.consents == {} and found.meta == {"token": "h1"} and records.changes(game) == before + 1
    records.take_back(game, ply=2, to=1)
    assert records.game(game).consents == {}, "not even when the record is as it was"


def test_a_result_and_what_it_adds_are_written_together_or_not_at_all(records: Records) -> None:
    game = records.begin("nim", {}, ["you", "you"])
    records.append(game, "1:1", ply=0)
    with pytest.raises(Conflict):
        records.finish(game, (1.0, -1.0), ply=0, meta={"settled": "resigned"})
    assert records.game(game).meta == {} and records.game(game).result is None
    records.finish(game, (1.0, -1.0), ply=1, meta={"settled": "resigned"})
    assert records.game(game).meta == {"settled": "resigned"} and records.game(game).result is not None


def test_another_process_sees_a_move_as_soon_as_it_is_made(records: Records, address: str) -> None:
    game = records.begin("nim", {}, ["you", "strong"])
    records.append(game, "1:1", ply=0)
    with open_store(address) as other:
        assert other.game(game).texts == ["1:1"]


def test_a_move_sent_twice_is_played_once(records: Records) -> None:
    game = records.begin("nim", {}, ["you", "strong"])
    records.append(game, "1:1", ply=0)
    with pytest.raises(Conflict, match="at ply 1, not 0"):
        records.append(game, "1:1", ply=0)
    assert records.game(game).texts == ["1:1"]


def test_taking_back_shortens_the_record_and_keeps_the_rows(records: Records) -> None:
    game = records.begin("tictactoe", {}, ["you", "strong"])
    for ply, text in enumerate(["a1", "b1", "a2", "b2"]):
        records.append(game, text, ply=ply)
    records.take_back(game, ply=4, to=2)
    assert records.game(game).texts == ["a1", "b1"]
    records.append(game, "c3", ply=2)
    assert records.game(game).texts == ["a1", "b1", "c3"]
    assert raw(records, "SELECT count(*) FROM moves")[0][0] == 6


def test_a_finished_game_takes_no_move_until_something_is_taken_back(records: Records) -> None:
    game = records.begin("tictactoe", {}, ["you", "strong"])
    records.append(game, "a1", ply=0)
    records.finish(game, (1.0, -1.0), "resigned", ply=1, seat=1)
    assert records.game(game).result is not None
    with pytest.raises(Conflict, match="over"):
        records.append(game, "b1", ply=1)
    with pytest.raises(Conflict, match="over"):
        records.finish(game, (1.0, -1.0), ply=1)
    records.take_back(game, ply=1, to=0)
    assert records.game(game).result is None
    records.append(game, "b2", ply=0)
    assert records.game(game).texts == ["b2"]


def test_secret_decisions_wait_for_the_joint_move(records: Records) -> None:
    game = records.begin("blotto", {}, ["you", "friend"])
    assert [d.text for d in records.decide(game, 1, "3,4", ply=0)] == ["3,4"]
    with pytest.raises(Conflict, match="decided already"):
        records.decide(game, 1, "1,6", ply=0)
    assert [d.seat for d in records.decide(game, 0, "5,2", ply=0)] == [0, 1]
    assert [d.text for d in records.game(game).pending] == ["5,2", "3,4"]
    records.append(game, "5,2 | 3,4", ply=0)
    assert records.game(game).pending == ()
    assert [(ply, d.seat, d.text) for ply, d in records.decisions(game)] == [(0, 0, "5,2"), (0, 1, "3,4")]


def test_notes_add_to_the_metadata_and_the_newest_counts(records: Records) -> None:
    game = records.begin("nim", {}, ["you", "?"], meta={"seats": ["h1", None]})
    records.annotate(game, seats=["h1", "h2"], name="Ada")
    assert records.game(game).meta == {"seats": ["h1", "h2"], "name": "Ada"}


def test_games_in_progress_can_be_listed(records: Records) -> None:
    first, second, third = (records.begin("nim", {}, ["you", "strong"]) for _ in range(3))
    records.append(first, "1:1", ply=0)
    records.finish(first, (0.0, 0.0), "abandoned", ply=1)
    assert [game.id for game in records.games(open_only=True)] == [second, third]
    assert [game.id for game in records.games(newest=2)] == [third, second]


def test_engine_games_are_written_whole_and_once(records: Records) -> None:
    match = records.open_match("m", {"seed": 1})
    (game,) = records.record(match.id, [played(0, "a1", "b1")])
    found = records.game(game)
    assert (found.number, found.texts, found.result and found.result.payoff) == (0, ["a1", "b1"], (1.0, -1.0))
    assert [move.at for move in found.moves] == [100.5, 101.0]
    with pytest.raises(Conflict, match="recorded already"):
        records.record(match.id, [played(1, "a1"), played(0, "c3")])
    assert records.numbers(match.id) == {0}  # the whole transaction was refused
    assert records.results(match.id)[0][:2] == (0, ["a", "b"])


def test_decisions_of_a_joint_engine_game_keep_their_times(records: Records) -> None:
    match = records.open_match("m", {})
    joint = Played(
        0, "blotto", {}, ["a", "b"], [Move("1 | 2")], Result((0.0, 0.0), ADJUDICATED),
        decisions=[(0, Decision(0, "1", 0.1)), (0, Decision(1, "2", 0.2))],
    )  # fmt: skip
    (game,) = records.record(match.id, [joint])
    assert [(ply, d.seat, d.seconds) for ply, d in records.decisions(game)] == [(0, 0, 0.1), (0, 1, 0.2)]


def test_a_match_name_is_taken_once(records: Records) -> None:
    records.open_match("m", {"seed": 1})
    with pytest.raises(Conflict, match="already"):
        records.open_match("m", {"seed": 1})
    with pytest.raises(ValueError, match="there are: m"):
        records.match("other")


@pytest.mark.parametrize("column", ["matches.name", "games.seed", "moves.text", "results.reason", "claims.token"])
def test_nothing_can_be_changed_or_deleted(records: Records, column: str) -> None:
    (game,) = records.record(records.open_match("m", {}).id, [played(0, "a1")])
    records.claim(game, 1, "h1")
    table, name = column.split(".")
    for change in (f"DELETE FROM {table}", f"UPDATE {table} SET {name} = {name}"):
        with pytest.raises(Exception, match="append-only"):
            raw(records, change)


def test_threads_and_processes_write_side_by_side(records: Records, address: str) -> None:
    match = records.open_match("m", {}).id

    def write(first: int) -> None:
        for number in range(first, first + 50):
            records.record(match, [played(number, "a1", "b2")])

    threads = [threading.Thread(target=write, args=(50 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    program = "import sys; from stratagem.store import open_store; s = open_store(sys.argv[1])\n"
    program += "for k in range(50): g = s.begin('nim', {}, ['x', 'y']); s.append(g, '1:1', ply=0)"
    subprocess.run([sys.executable, "-c", program, address], check=True, timeout=60)
    for thread in threads:
        thread.join()
    assert records.numbers(match) == set(range(200))
    assert sum(1 for _ in records.games(open_only=True)) == 50
    records.check()


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
            reported = int(server.stdout.readline())
        server.kill()
        rest = server.communicate(timeout=120)[0].splitlines()
        reported = int(rest[-1]) if rest and rest[-1].isdigit() and len(rest[-1]) >= len(str(reported)) else reported
        with Store(file) as store:
            texts = store.game(kill + 1).texts
            assert texts == [str(ply) for ply in range(len(texts))] and len(texts) > reported
            store.check()


def test_options_survive_as_json(records: Records) -> None:
    game = records.begin("nim", {"heaps": (1, 3, 5)}, ["a", "b"])
    assert json.dumps(records.game(game).options) == '{"heaps": [1, 3, 5]}'


# -------------------------------------------------------------------------------- what only a store on a server can do


def test_a_seat_is_taken_once_however_many_try_at_the_same_moment(records: Records, address: str) -> None:
    game = records.begin("nim", {}, ["person", "person"])
    won: list[int] = []

    def take(k: int) -> None:
        with open_store(address) as own:
            try:
                own.claim(game, 1, f"hash {k}")
                won.append(k)
            except Conflict:
                pass

    threads = [threading.Thread(target=take, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and records.game(game).claims == {1: f"hash {won[0]}"}


def test_every_change_is_counted_once(records: Records) -> None:
    game = records.begin("goofspiel", {}, ["person", "person"])
    seen = [records.game(game).changes]
    records.claim(game, 1, "h")
    seen.append(records.changes(game))
    records.decide(game, 0, "1", ply=0)
    seen.append(records.changes(game))
    records.append(game, "1 | 2", ply=0)
    seen.append(records.changes(game))
    records.annotate(game, name="Ada")
    seen.append(records.game(game).changes)
    assert seen == [0, 1, 2, 3, 4]


def test_a_move_and_a_result_at_one_moment_do_not_both_stand(records: Records, address: str) -> None:
    for _ in range(10):
        game = records.begin("nim", {}, ["a", "b"])
        refused: list[str] = []

        def attempt(name: str, game: int = game, refused: list[str] = refused) -> None:
            with open_store(address) as own:
                try:
                    own.append(game, "1:1", ply=0) if name == "move" else own.finish(game, (0.0, 0.0), ply=0)
                except Conflict:
                    refused.append(name)

        threads = [threading.Thread(target=attempt, args=(name,)) for name in ("move", "end")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = records.game(game)
        assert len(refused) == 1 and (found.texts == ["1:1"]) == (found.result is None) == (refused == ["end"])


def test_a_store_of_the_first_version_is_brought_to_the_present_one(tmp_path: Path) -> None:
    from stratagem.store import schema
    from stratagem.store.sqlite import APPLICATION, _statements

    file = tmp_path / "old.sqlite"
    db = sqlite3.connect(file)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute("PRAGMA user_version = 1")
    for statement in _statements(schema.VERSIONS[0]):
        db.execute(statement)
    db.execute("INSERT INTO games VALUES(1, 'k', NULL, NULL, 'nim', '{}', NULL, '[\"a\",\"b\"]', 3, NULL, 9.0)")
    db.execute("INSERT INTO moves VALUES(1, 0, 0, 0, '1:1', NULL, NULL, 9.5)")
    db.commit()
    db.close()
    with Store(file) as opened:
        game = opened.find("k")
        opened.claim(game, 0, "h")
        assert opened.game(game).texts == ["1:1"] and opened.game(game).claims == {0: "h"}
    with Store(file) as again:
        assert again.game(1).changes == 2


def test_a_store_of_a_newer_version_is_refused_and_untouched(records: Records, address: str) -> None:
    if isinstance(records, Store):
        raw(records, "PRAGMA user_version = 99")
    else:
        raw(records, "INSERT INTO versions VALUES(99, 0)")
    with pytest.raises(StoreError, match="format 99; this version of stratagem reads formats up to"):
        open_store(address)


def test_a_store_that_is_not_there_is_not_made_by_looking(address: str) -> None:
    with pytest.raises(StoreError, match="there is no store of games at"):
        open_store(address, create=False)


def test_one_process_has_a_name_at_a_time(records: Records, address: str) -> None:
    with open_store(address) as other, records.sole("web", "taken"):
        with pytest.raises(StoreError, match="taken"), other.sole("web", "taken"):
            pass
        with other.sole("another", "taken"):
            pass
    with open_store(address) as other, other.sole("web", "taken"):
        pass


@pytest.mark.parametrize("away", ["to postgresql", "to sqlite"])
def test_a_copy_in_the_other_database_has_everything_once(tmp_path: Path, postgres: Server, away: str) -> None:
    addresses = [str(tmp_path / "games.sqlite"), postgres.address()]
    if away == "to sqlite":
        addresses.reverse()
    with open_store(addresses[0]) as source, open_store(addresses[1]) as target:
        match = source.open_match("m", {"seed": 1})
        source.record(match.id, [played(k, "a1", "b1") for k in range(3)])
        source.record(None, [played(0, "c3")])
        game = source.begin("tictactoe", {"rows": 3}, ["you", "strong"], key="abc", meta={"web": 1})
        for ply, text in enumerate(["a1", "b1", "a2"]):
            source.append(game, text, ply=ply, seat=ply % 2, note={"value": 0.5})
        source.take_back(game, ply=3, to=1)
        source.claim(game, 0, "h")
        source.annotate(game, name="Ada")
        source.decide(game, 1, "z", ply=1)
        assert copy(source, target) == (5, 0)
        assert copy(source, target) == (0, 5)

        def everything(records: Records) -> list:
            return [dataclasses.replace(g, id=0, match=g.match and 1) for g in records.games()]

        assert everything(source) == everything(target)
        assert [(m.name, m.config) for m in target.matches()] == [("m", {"seed": 1})]
        copied = target.find("abc")
        assert {t: r for t, r in target.rows(copied).items() if t != "games"} == {
            t: r for t, r in source.rows(game).items() if t != "games"
        }


def test_a_copy_into_a_match_of_other_terms_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as source, Store(tmp_path / "b.sqlite") as target:
        source.open_match("m", {"seed": 1})
        target.open_match("m", {"seed": 2})
        with pytest.raises(Conflict, match="match 'm' has other terms"):
            copy(source, target)


def test_changes_are_told_to_other_processes(postgres: Server) -> None:
    address = postgres.address()
    heard: queue.Queue[int | None] = queue.Queue()
    with open_store(address) as mine, open_store(address) as other:
        game = mine.begin("nim", {}, ["a", "b"])
        stop = other.follow(heard.put)
        assert heard.get(timeout=120) is None  # it listens from now on
        mine.append(game, "1:1", ply=0)
        assert heard.get(timeout=120) == game
        stop()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("password", "refuses this user or password"),
        ("database", "createdb"),
        ("schema", "not a name of small letters"),
        ("host", "cannot be reached"),
    ],
)
def test_an_address_that_opens_nothing_is_reported_without_its_password(
    postgres: Server, wrong: str, said: str
) -> None:
    from stratagem.store.postgres import PostgresStore

    address = {
        "password": postgres.address(password="guess"),
        "database": postgres.address().replace("/postgres?", "/nowhere?"),
        "schema": postgres.address(schema="Robert'); DROP TABLE"),
        "host": postgres.address().replace(f":{postgres.port}/", ":1/"),
    }[wrong]
    with pytest.raises(StoreError, match=said) as reported:
        PostgresStore(address, wait=0.1)
    assert "guess" not in str(reported.value) and "secret" not in str(reported.value)


def test_a_schema_of_another_program_is_refused(postgres: Server) -> None:
    with open_store(postgres.address()) as other:
        raw(other, "CREATE SCHEMA theirs; CREATE TABLE theirs.games(x INT)")
    with pytest.raises(StoreError, match="holds tables of another program"):
        open_store(postgres.address(schema="theirs"))


def write_until_stopped(address: str, writer: int, games: int) -> str:
    return (
        f"from stratagem.store import open_store\n"
        f"store = open_store({address!r}); match = store.match('m').id\n"
        f"from stratagem.store.sqlite import Played, Move, Result\n"
        f"for k in range({games}):\n"
        f"    number = {writer} * {games} + k\n"
        f"    store.record(match, [Played(number, 'nim', {{}}, ['a', 'b'], [Move('1:1')] * 5, Result((1.0, -1.0)))])\n"
        f"    print(number, flush=True)\n"
    )


def many_writers(postgres: Server, writers: int, games: int) -> None:
    """Writers of their own processes: every game once, and a number that two want is refused to one."""
    address = postgres.address()
    with open_store(address) as store:
        match = store.open_match("m", {}).id
        programs = [write_until_stopped(address, k, games) for k in range(writers)]
        running = [
            subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) for text in programs
        ]
        reported = [int(line) for process in running for line in process.communicate(timeout=250)[0].split()]
        assert [process.returncode for process in running] == [0] * writers
        assert sorted(reported) == list(range(writers * games)) == sorted(store.numbers(match))
        store.check()


def test_several_writers_at_once_write_every_game_once(postgres: Server) -> None:
    many_writers(postgres, 4, 10)


@pytest.mark.slow
def test_fifty_writers_at_once_write_every_game_once(postgres: Server) -> None:
    many_writers(postgres, 50, 20)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_server_is_killed() -> None:
    if why := missing():
        pytest.skip(why)
    server = Server()  # one of its own, for others would notice
    try:
        address = server.address()
        with open_store(address) as store:
            match = store.open_match("m", {}).id
            for kill in range(3):
                writer = subprocess.Popen(
                    [sys.executable, "-c", write_until_stopped(address, kill, 1_000_000)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                assert writer.stdout is not None
                for _ in range(40 + 17 * kill):
                    writer.stdout.readline()
                server.kill()
                time.sleep(0.3)
                writer.kill()
                rest = writer.communicate(timeout=120)[0].split()
                reported = [int(line) for line in rest if len(line) == len(rest[0])] if rest else []
                server.start()
                recorded = store.numbers(match)
                last = max(reported, default=kill * 1_000_000 + 39 + 17 * kill)
                assert set(range(kill * 1_000_000, last + 1)) <= recorded
                store.check()
    finally:
        server.close()
