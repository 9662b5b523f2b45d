"""Whole matches on worker processes: faults, resuming, kills."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from postgres import Server, missing

from stratagem.arena.config import Config
from stratagem.arena.playing import replay
from stratagem.arena.runner import Progress, open_match, run_match
from stratagem.store import open_store
from stratagem.store.sqlite import CRASH, ILLEGAL, OVER, TIME, Conflict, Played, Store, StoreError

AUCTION = str(Path(__file__).parents[1] / "toys" / "auction.py")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "games.sqlite")


def finish(store: Store, config: Config, **more) -> dict[int, tuple]:
    match = open_match(store, config, "m", resume=False)
    run_match(store, match, workers=2, **more)
    games = list(store.games(match.id))
    assert sorted(game.number for game in games) == list(range(config.total))
    for game in games:
        replay(game)
    return {game.number: (game.seats, game.result, game.texts) for game in games}


def test_the_run_goes_on_after_every_kind_of_fault(store: Store) -> None:
    """Hanging in Python and in native code, dying, crashing, cheating: each loses, nobody else suffers."""
    wanted = {"hang": TIME, "spin": TIME, "die": CRASH, "crash": CRASH, "cheat": ILLEGAL, "random": OVER}
    names = tuple(f"{what}:after=1" if what != "random" else what for what in wanted)
    config = Config(
        AUCTION, ("highest", *names), {"players": 2}, games=12, format="gauntlet", patience=0.8, grace=0.2, first_move=0.0
    )  # fmt: skip
    for seats, result, texts in finish(store, config).values():
        other = next(name for name in seats if name != "highest")
        what = other.partition(":")[0]
        assert result.reason == wanted[what], result
        if what != "random":
            assert result.seat == seats.index(other) and result.payoff[seats.index("highest")] == 1.0
            # its second decision: the first seat is asked in every round, the second in every other one
            assert len(texts) == (3 if seats[0] == other else 7), "the moves so far are kept"


def test_a_worker_killed_from_outside_costs_nobody_the_game(store: Store) -> None:
    config = Config(AUCTION, ("dawdle", "dawdle:seed=1"), {"players": 2}, games=60)
    killed = threading.Timer(1.5, lambda: [os.kill(pid, signal.SIGKILL) for pid in workers_of(os.getpid())])
    killed.start()
    found = finish(store, config)
    killed.join()
    assert Counter(result.reason for _, result, _ in found.values()) == {OVER: 60}


def test_a_player_that_is_always_killed_loses_in_the_end(store: Store) -> None:
    config = Config(AUCTION, ("oom", "random"), {"players": 2}, games=2)
    for seats, result, _ in finish(store, config).values():
        assert (result.reason, result.seat) == (CRASH, seats.index("oom")) and "killed 3 times" in result.detail


def test_a_program_that_a_player_started_goes_with_it(store: Store) -> None:
    config = Config(
        AUCTION, ("spawn:after=0", "random"), {"players": 2}, games=2, patience=0.8, grace=0.2, first_move=0.0
    )
    assert {result.reason for _, result, _ in finish(store, config).values()} == {TIME}
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists() and b"98765" in path.read_bytes()]
    assert left == []


def test_results_do_not_depend_on_the_workers(store: Store, tmp_path: Path) -> None:
    config = Config("pig", ("random", "random:seed=1", "random:seed=2"), {"players": 3, "target": 30}, games=30, seed=9)
    one = finish(store, config)
    with Store(tmp_path / "other.sqlite") as other:
        match = open_match(other, config, "m", resume=False)
        run_match(other, match, workers=1)
        two = {game.number: (game.seats, game.texts) for game in other.games()}
    assert {number: (seats, texts) for number, (seats, _, texts) in one.items()} == two


def test_a_stopped_match_goes_on_where_it_was(store: Store) -> None:
    config = Config("nim", ("random", "random:seed=1"), games=40)
    match = open_match(store, config, "m", resume=False)
    run_match(store, match, workers=1, stop=lambda games: True)
    done = store.numbers(match.id)
    assert 0 < len(done) < 40
    again = open_match(store, config, "m")
    assert again.id == match.id and open_match(store, config, "m", resume=True).id == match.id
    assert [open_match(store, config, "m", again=True).name for _ in range(2)] == ["m-2", "m-3"]
    progress = run_match(store, again, workers=2)
    assert store.numbers(match.id) == set(range(40)) and progress.fresh == 40 - len(done)


def test_a_resume_under_other_terms_is_refused_and_the_difference_named(store: Store) -> None:
    open_match(store, Config("nim", ("random", "easy"), games=10, seed=1), "m", resume=False)
    with pytest.raises(Conflict, match="seed was 1, now 2"):
        open_match(store, Config("nim", ("random", "easy"), games=10, seed=2), "m", resume=True)
    with pytest.raises(StoreError, match="no match 'other'"):
        open_match(store, Config("nim", ("random", "easy")), "other", resume=True)


def test_a_match_is_played_by_one_process_at_a_time(store: Store) -> None:
    from stratagem.arena.runner import sole_runner

    match = open_match(store, Config("nim", ("random", "easy")), "m", resume=False)
    with sole_runner(store, match), pytest.raises(StoreError, match="another process"):
        run_match(store, match)


def test_a_full_disk_stops_the_run_and_keeps_what_was_recorded(store: Store) -> None:
    match = open_match(store, Config("nim", ("random", "random:seed=1"), games=3000), "m", resume=False)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 8}")
    with pytest.raises(StoreError, match="disk is full"):
        run_match(store, match, workers=1)
    store._db.execute("PRAGMA max_page_count = 1000000")
    done = store.numbers(match.id)
    assert 0 < len(done) < 3000 and all(replay(game) for game in store.games())


def test_runners_of_several_matches_share_a_store_on_a_server(postgres: Server, store: Store) -> None:
    config = Config("nim", ("random", "random:seed=1"), games=20, seed=3)
    alone = finish(store, config)
    address = postgres.address()
    with open_store(address) as one, open_store(address) as two:
        matches = [open_match(records, config, name, resume=False) for records, name in ((one, "a"), (two, "b"))]
        threads = [
            threading.Thread(target=run_match, args=(records, match), kwargs={"workers": 1})
            for records, match in zip((one, two), matches, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for match in matches:
            found = {game.number: (game.seats, game.texts) for game in one.games(match.id)}
            assert found == {number: (seats, texts) for number, (seats, _, texts) in alone.items()}


@pytest.mark.slow
def test_a_run_goes_on_when_the_server_of_its_store_was_killed() -> None:
    if why := missing():
        pytest.skip(why)
    server = Server()
    try:
        with open_store(server.address()) as records:
            config = Config(AUCTION, ("dawdle:ms=1", "dawdle:ms=1,seed=1"), {"players": 2}, games=200)
            match = open_match(records, config, "m", resume=False)
            seen: list[int] = []

            def watch(progress: Progress, games: list[Played]) -> None:
                seen.extend(game.number for game in games if game.number is not None)
                if len(seen) > 50 and not killed.is_set():
                    killed.set()
                    server.kill()
                    server.start()

            killed = threading.Event()
            run_match(records, match, workers=2, watch=watch)
            assert killed.is_set() and sorted(seen) == list(range(200)) == sorted(records.numbers(match.id))
    finally:
        server.close()


# ------------------------------------------------------------------------------------------------- killing it


def workers_of(parent: int) -> list[int]:
    """The worker processes of a runner."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(status.rpartition(")")[2].split()[1]) == parent and b"stratagem.arena.worker" in command:
                found.append(int(entry.name))
    return found


def start(file: Path, games: int, resume: bool) -> subprocess.Popen:
    names = [f"{AUCTION}/dawdle:ms=1", f"{AUCTION}/dawdle:ms=1,seed=1"]
    command = [sys.executable, "-m", "stratagem", "arena", "run", *names, "-o", "players=2", "--games", str(games)]
    command += ["--store", str(file), "--name", "m", "--workers", "2", *(["--resume"] if resume else [])]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def recorded(file: Path) -> int:
    if not file.exists():
        return 0
    with Store(file) as store:
        return sum(len(store.numbers(match.id)) for match in store.matches())


def kill_again_and_again(file: Path, games: int, kills: int, seed: int) -> None:
    draws = random.Random(seed)
    for kill in range(kills):
        resume = file.exists() and bool(Store(file).matches())
        runner = start(file, games, resume)
        # Kill after a while of recording: some of the times while it starts, so that every phase is met.
        until = time.monotonic() + 240
        goal = recorded(file) + (1 if kill % 3 else 0)
        while recorded(file) < goal and runner.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(draws.uniform(0.0, 0.5))
        workers = workers_of(runner.pid)
        for worker in workers[: draws.randrange(3)]:
            os.kill(worker, signal.SIGKILL)
        if draws.random() < 0.5:
            time.sleep(draws.uniform(0.0, 0.3))
        workers = workers_of(runner.pid)
        runner.kill()
        runner.communicate(timeout=120)
        gone = time.monotonic() + 120
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < gone:
            time.sleep(0.05)
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers), "workers outlive their runner"
    before = recorded(file)
    assert before < games, "everything was played before the last kill: the test is too slow to bite"
    last = start(file, games, before > 0 or bool(Store(file).matches()))
    _, complaint = last.communicate(timeout=200)
    assert last.returncode == 0, complaint
    with Store(file) as store:
        store.check()
        (match,) = store.matches()
        assert sorted(game.number for game in store.games(match.id)) == list(range(games))
        for game in store.games(match.id):
            replay(game)
            assert game.result.reason == OVER, game.result


def test_killing_runner_and_workers_loses_and_doubles_nothing(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path / "games.sqlite", 300, kills=2, seed=1)


@pytest.mark.slow
def test_ten_kills_in_two_thousand_games_lose_and_double_nothing(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path / "games.sqlite", 2000, kills=10, seed=2)


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    runner = start(file, 5000, resume=False)
    until = time.monotonic() + 240
    while recorded(file) == 0 and time.monotonic() < until:
        time.sleep(0.05)
    runner.send_signal(signal.SIGINT)
    _, reported = runner.communicate(timeout=120)
    assert runner.returncode == 130
    assert "go on with: stratagem arena run --resume --name m" in reported and "Traceback" not in reported
    assert 0 < recorded(file) < 5000 and os.listdir(tmp_path) == ["games.sqlite"]
