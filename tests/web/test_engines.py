"""Engines in their processes: stopped, hung, crashed, and always replaced."""

from __future__ import annotations

import os
import queue
import signal
import time
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem.web.engines as module
from stratagem.registry import game_class
from stratagem.web.engines import Engines, Job
from stratagem.web.thinking import Kept, Question

WILD = '''
"""Otters with players that misbehave."""
import os, time
from stratagem import Choice, Entry
from stratagem.web.thinking import memory_used
from toys.otters import Otters as Tame

class Otters(Tame):
    pass

class Wild:
    def __init__(self, game, *, seed=0):
        self.name = "wild"
    def choose(self, view, clock, *, seat=None, report=None, lines=1):
        self.act(view)
        return Choice("fold", engine=self.name)

class Sleeper(Wild):
    def act(self, view):
        while True:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                pass
class Crasher(Wild):
    def act(self, view):
        os._exit(3)
class Thrower(Wild):
    def act(self, view):
        raise RuntimeError("secret: " + str(view))
class Good(Wild):
    def act(self, view):
        pass
class Rememberer(Wild):
    """Tells what it was ever asked, and where it lives."""
    def __init__(self, game, *, seed=0):
        self.name, self.seed, self.seen = "rememberer", seed, []
    def choose(self, view, clock, *, seat=None, report=None, lines=1):
        self.seen.append(str(view))
        details = {"seen": list(self.seen), "process": os.getpid(), "seed": self.seed}
        return Choice("fold", engine=self.name, details=details)
class Dozer(Rememberer):
    """Takes its time, and is gone with what it has when it is woken."""
    def choose(self, view, clock, *, seat=None, report=None, lines=1):
        found = super().choose(view, clock, seat=seat)
        report(found)
        time.sleep(60 if len(self.seen) == 1 else 0)
        return found
class Hoarder(Wild):
    """Needs 64 MB, and tells how much its process has."""
    def __init__(self, game, *, seed=0):
        self.name, self.hoard = "hoarder", bytearray(os.urandom(1 << 16) * (1 << 10))
    def choose(self, view, clock, *, seat=None, report=None, lines=1):
        return Choice("fold", engine=self.name, details={"memory": memory_used()[1], "process": os.getpid()})

def players(game):
    return {name: Entry(kind, "") for name, kind in
            {"sleeper": Sleeper, "crasher": Crasher, "thrower": Thrower, "good": Good, "rememberer": Rememberer,
             "dozer": Dozer, "hoarder": Hoarder}.items()}
'''


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engines, Any]]:
    folder = tmp_path_factory.mktemp("wild")
    file = folder / "wild.py"
    file.write_text(WILD)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(Path(__file__).parents[1]))
    patch.setattr(module, "GRACE", 0.3)
    position = game_class(f"{file}:Otters")().start().play("quokka/okapi")
    pool = Engines(1, files=[f"{file}:Otters"])
    yield pool, position
    pool.close()
    patch.undo()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


def run(
    wild: tuple[Engines, Any], engine: str, stop_after: float | None = None, table: str = "", seat: int = 0
) -> tuple[str, Any]:
    pool, position = wild
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    job = Job(
        Question(position.view(seat), seat, engine, seed=7, table=table), lambda kind, data: said.put((kind, data))
    )
    pool.submit(job)
    while True:
        kind, data = said.get(timeout=30)
        if kind == "thinking" and stop_after is not None:
            time.sleep(stop_after)
            job.stop()
        if kind in ("done", "failed"):
            return kind, data


def test_a_job_stopped_while_its_process_is_set_up_ends_quietly(
    wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "GRACE", 30.0)
    assert run(wild, "crasher")[0] == "failed"  # so that the next job needs a new process
    assert run(wild, "sleeper", stop_after=0.0) == ("failed", "stopped before there was an answer")
    assert "Traceback" not in capfd.readouterr().err


def test_an_engine_that_misbehaves_fails_alone(wild: tuple[Engines, Any]) -> None:
    assert run(wild, "good")[1]["best"] == "fold"
    assert run(wild, "crasher") == ("failed", "the engine's process ended before it had an answer")
    assert run(wild, "good")[0] == "done"
    assert run(wild, "sleeper", stop_after=1.0) == ("failed", "the engine did not stop in time and was ended")
    assert run(wild, "good")[0] == "done"
    kind, line = run(wild, "thrower")
    assert kind == "failed" and line == "thrower failed: RuntimeError"
    assert run(wild, "good")[0] == "done"


def test_a_stopped_search_answers_with_what_it_has(wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import stratagem

    monkeypatch.setattr(module, "GRACE", 10.0)  # it answers at once where the machine lets it
    pool = wild[0]
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    position = stratagem.game("connect4").start()
    for _ in range(2):
        job = Job(Question(position, 0, "alphabeta", seconds=20.0, lines=1), lambda kind, data: said.put((kind, data)))
        pool.submit(job)
        began = time.monotonic()
        while True:
            kind, data = said.get(timeout=60)
            if kind == "report":
                job.stop()
            if kind in ("done", "failed"):
                break
        assert kind == "done" and data["best"] in "1234567" and time.monotonic() - began < 15


# ------------------------------------------------------------------------------------------ players that stay


def remembered(wild: tuple[Engines, Any], **more: Any) -> int:
    """How often the player that answers has been asked."""
    kind, data = run(wild, "rememberer", **more)
    assert kind == "done"
    return len(data["seen"])


def test_a_tables_player_stays_between_its_moves_and_each_seat_has_its_own(wild: tuple[Engines, Any]) -> None:
    assert [remembered(wild, table="a") for _ in range(3)] == [1, 2, 3]
    assert remembered(wild, table="b") == 1, "another table has another player"
    assert [remembered(wild) for _ in range(2)] == [1, 1], "who sits at no table does not stay"
    assert remembered(wild, table="a", seat=1) == 1
    kind, data = run(wild, "rememberer", table="a")
    assert kind == "done" and len(data["seen"]) == 4 and data["seed"] == 7
    assert all("quokka/?" in view for view in data["seen"]), "it was given its own seat's views and no other"
    kind, data = run(wild, "rememberer", table="a", seat=1)
    assert all("?/okapi" in view for view in data["seen"]) and "quokka" not in str(data)


def test_a_table_that_is_over_is_forgotten(wild: tuple[Engines, Any]) -> None:
    assert [remembered(wild, table="over") for _ in range(2)] == [1, 2]
    wild[0].forget("over")
    wild[0].forget("never seen")
    assert remembered(wild, table="over") == 1


def test_a_killed_process_loses_nothing_but_what_its_players_knew(wild: tuple[Engines, Any]) -> None:
    _, data = run(wild, "rememberer", table="killed")
    os.kill(data["process"], signal.SIGKILL)
    while not dead(data["process"]):
        time.sleep(0.01)
    kind, after = run(wild, "rememberer", table="killed")
    assert kind == "done", after
    assert len(after["seen"]) == 1 and after["process"] != data["process"]


def dead(process: int) -> bool:
    """Whether the last thread of a process has gone, and its parent could know."""
    at = Path(f"/proc/{process}")
    return len(list((at / "task").iterdir())) == 1 and (at / "stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_player_that_was_torn_out_of_its_work_does_not_stay(
    wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GRACE", 30.0)
    pool, position = wild
    for _ in range(2):
        said: queue.Queue[tuple[str, Any]] = queue.Queue()
        job = Job(
            Question(position.view(0), 0, "dozer", lines=1, table="torn"), lambda *told, said=said: said.put(told)
        )
        pool.submit(job)
        while (told := said.get(timeout=30))[0] != "report":
            assert told[0] != "failed"
        job.stop()
        kind, data = said.get(timeout=30)
        assert kind == "done" and len(data["seen"]) == 1, "what a new player had reported is the answer"


def test_a_table_stays_with_its_process_until_that_is_busy_for_long(wild: tuple[Engines, Any]) -> None:
    pool = Engines(2, files=wild[0].files)
    two = pool, wild[1]
    try:
        homes = {}
        for table in "abcd":
            _, data = run(two, "rememberer", table=table)
            homes[table] = data["process"]
        for _ in range(2):
            for table in "dcba":
                assert run(two, "rememberer", table=table)[1]["process"] == homes[table]
        sleeping = Job(Question(wild[1].view(0), 0, "sleeper", table="a"), lambda *_: None)
        pool.submit(sleeping)  # which keeps the process of table a busy
        began = time.monotonic()
        _, data = run(two, "rememberer", table="a")
        assert data["process"] != homes["a"] and len(data["seen"]) == 1, "another one takes over, with a new player"
        assert time.monotonic() - began >= module.LOYALTY * 0.9
        home, (_, data) = data["process"], run(two, "rememberer", table="a")
        assert data["process"] == home and len(data["seen"]) == 2, "and is its home from then on"
        sleeping.stop()
    finally:
        pool.close()


def test_players_that_stay_are_bounded_in_number_and_in_memory() -> None:
    used = [1000, 500]  # without players: addresses, memory
    sizes: dict[Any, Any] = {}  # of the players that stay, which are numbers here
    kept = Kept(3, (1000, 200), lambda: (used[0] + 10 * len(sizes), used[1] + sum(sizes.values())))
    kept._players = sizes = OrderedDict()
    for table in "abcd":
        assert kept.take((table, 0)) is None
        kept.give_back((table, 0), 60)
    assert len(kept) == 3 and kept.take(("a", 0)) is None, "who was asked longest ago has gone"
    assert len(kept) == 2 and kept.take(("c", 0)) == 60
    kept.give_back(("c", 0), 150)
    assert len(kept) == 1 and kept.take(("d", 0)) is None, "it has grown, and others make room for it"
    kept.give_back(("c", 0), 900)
    assert len(kept) == 0, "a player that is too large alone does not stay"
    used[1] = 5000  # something was compiled meanwhile, which is nobody's
    assert kept.take(("e", 0)) is None
    kept.give_back(("e", 0), 60)
    used[0] = 3000
    assert kept.take(("f", 0)) is None and len(kept) == 0, "addresses are bounded too"


def test_the_memory_of_a_process_is_bounded_however_many_tables_it_serves(wild: tuple[Engines, Any]) -> None:
    pool = Engines(1, files=wild[0].files)
    pool._memory = 200 << 20  # three players of 64 MB
    try:
        told = [run((pool, wild[1]), "hoarder", table=str(k))[1] for k in range(8)]
    finally:
        pool.close()
    assert len({one["process"] for one in told}) == 1
    most = max(one["memory"] for one in told) - told[0]["memory"]
    assert 100 << 20 < most < 300 << 20, "players stay as long as there is room, and no longer"


def test_the_tree_of_a_search_survives_from_move_to_move(wild: tuple[Engines, Any]) -> None:
    import stratagem

    pool, position = wild[0], stratagem.game("tictactoe").start()
    trees = []
    for reply in ("a1", "c3"):
        said: queue.Queue[tuple[str, Any]] = queue.Queue()
        job = Job(
            Question(position, 0, "mcts", seconds=0.2, table="tree"),
            lambda kind, data, said=said: said.put((kind, data)),
        )
        pool.submit(job)
        while (found := said.get(timeout=60))[0] not in ("done", "failed"):
            pass
        assert found[0] == "done", found
        trees.append(found[1])
        position = position.play(found[1]["best"])
        position = position.play(reply if reply in position.moves() else position.moves()[0])
    fresh, kept = trees
    assert fresh["visits"] == fresh["nodes"] and kept["visits"] > kept["nodes"], "what was known before counts too"
