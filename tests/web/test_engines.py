"""Engines in their processes: stopped, hung, crashed, and always replaced."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import pytest

import stratagem.web.engines as module
from stratagem.registry import game_class
from stratagem.web.engines import ASKED, REPLY, REVIEW, Engines, Job
from stratagem.web.streams import job_stream
from stratagem.web.thinking import STOPPED, Interrupts, Kept, Question

WILD = '''
"""Otters with players that misbehave."""
import os, time
from stratagem import Choice, Entry, Player
from stratagem.web.thinking import memory_used
from toys.otters import Otters as Tame

class Otters(Tame):
    pass

class Wild(Player):
    def __init__(self, game, *, seed=0):
        self.name = "wild"
    def answer(self, request):
        self.act(request.view)
        return Choice("fold", engine=self.name)

class Sleeper(Wild):
    def act(self, view):
        while True:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                pass
class Spinner(Wild):
    def act(self, view):
        while True:
            try:
                while True:
                    pass
            except KeyboardInterrupt:
                pass
class Crasher(Wild):
    def act(self, view):
        os._exit(3)
class Orphaner(Wild):
    """Crashes, and leaves a copy of its process that holds whatever is open."""
    def act(self, view):
        if os.fork() == 0:
            time.sleep(60)
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
    def answer(self, request):
        self.seen.append(str(request.view))
        details = {"seen": list(self.seen), "process": os.getpid(), "seed": self.seed}
        return Choice("fold", engine=self.name, details=details)
class Dozer(Rememberer):
    """Takes its time, and is gone with what it has when it is woken."""
    def answer(self, request):
        found = super().answer(request)
        request.report(found)
        time.sleep(60 if len(self.seen) == 1 else 0)
        return found
class Thinker(Rememberer):
    """Thinks for as long as it is given, reports, and stops with what it has when it is interrupted."""
    def answer(self, request):
        found = super().answer(request)
        end = time.monotonic() + request.clock.seconds
        try:
            while time.monotonic() < end:
                request.report(found)
                time.sleep(0.05)
        except KeyboardInterrupt:
            pass
        return found
class Hoarder(Wild):
    """Needs 64 MB, and tells how much its process has."""
    def __init__(self, game, *, seed=0):
        self.name, self.hoard = "hoarder", bytearray(os.urandom(1 << 16) * (1 << 10))
    def answer(self, request):
        return Choice("fold", engine=self.name, details={"memory": memory_used()[1], "process": os.getpid()})

def players(game):
    return {name: Entry(kind, "") for name, kind in
            {"sleeper": Sleeper, "spinner": Spinner, "crasher": Crasher, "orphaner": Orphaner, "thrower": Thrower, "good": Good,
             "rememberer": Rememberer, "dozer": Dozer, "thinker": Thinker, "hoarder": Hoarder}.items()}
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
    wild: tuple[Engines, Any],
    engine: str,
    stop_after: float | None = None,
    table: str = "",
    seat: int = 0,
    limit: float = 120.0,
) -> tuple[str, Any]:
    pool, position = wild
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    question = Question(position.view(seat), seat, engine, seed=7, table=table)
    job = Job(question, lambda kind, data: said.put((kind, data)), limit=limit)
    pool.submit(job)
    while True:
        kind, data = said.get(timeout=120)
        if kind == "thinking" and stop_after is not None:
            time.sleep(stop_after)
            job.stop()
        if kind in ("done", "failed"):
            return kind, data


def started_since(before: set[Any]) -> set[Any]:
    """The processes that were started since, and are still there."""
    return set(multiprocessing.active_children()) - before


def test_a_process_that_starts_is_kept_when_its_job_is_stopped(
    wild: tuple[Engines, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gate, file = tmp_path / "gate", tmp_path / "gated.py"
    file.write_text(f"""
import time
from pathlib import Path
from stratagem.games.nim import Nim
while not Path({str(gate)!r}).exists():
    time.sleep(0.01)
class Gated(Nim):
    pass
""")
    before, pool = set(multiprocessing.active_children()), Engines(1, files=[f"{file}:Gated", *wild[0].files])
    try:
        for moment in (0.0, 0.1, 0.5):
            assert run((pool, wild[1]), "sleeper", stop_after=moment) == ("failed", STOPPED)
            (process,) = started_since(before)
            os.kill(process.pid, signal.SIGINT)  # Ctrl-C in the server's terminal, before the process has left it
        gate.touch()
        assert run((pool, wild[1]), "good")[0] == "done"
        assert started_since(before) == {process}, "the process was there for the next one"
    finally:
        gate.touch()
        pool.close()
    assert "Traceback" not in capfd.readouterr().err


def test_a_job_is_stopped_at_any_moment_and_the_queue_goes_on(
    wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "GRACE", 60.0)
    for moment in (0.03, 0.1, 0.25, 0.5, 1.0):
        assert run(wild, "crasher")[0] == "failed"  # so that the next job needs a new process
        resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]  # as before a server's first process
        shown = run(wild, "dozer", stop_after=moment)  # its process starts, imports, or answers by then
        assert shown == ("failed", STOPPED) or shown[0] == "done", shown
        assert run(wild, "good")[0] == "done"
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("when", ["starting", "idle", "answering"])
def test_whenever_a_process_is_killed_the_next_one_is_answered(wild: tuple[Engines, Any], when: str) -> None:
    before, pool = set(multiprocessing.active_children()), Engines(1, files=wild[0].files)
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    try:
        if when == "idle":
            assert run((pool, wild[1]), "good")[0] == "done"
        else:
            question = Question(wild[1].view(0), 0, "dozer", lines=1)
            pool.submit(Job(question, lambda *shown: said.put(shown)))
            while said.get(timeout=120)[0] != ("thinking" if when == "starting" else "report"):
                pass
        while not (started := started_since(before)):
            time.sleep(0.01)
        (process,) = started
        process.kill()
        if when == "idle":
            process.join(30.0)
        else:
            assert said.get(timeout=120) == ("failed", "the engine's process ended before it had an answer")
        assert run((pool, wild[1]), "good")[0] == "done"
    finally:
        pool.close()


def test_a_process_is_gone_even_if_what_it_started_holds_its_pipe(wild: tuple[Engines, Any]) -> None:
    assert run(wild, "orphaner") == ("failed", "the engine's process ended before it had an answer")
    assert run(wild, "good")[0] == "done"


@pytest.mark.parametrize("when", ["queued", "thinking", "report", "done", "failed"])
def test_a_listener_that_fails_holds_up_nobody(wild: tuple[Engines, Any], when: str) -> None:
    pool, position = wild
    failed = threading.Event()

    def shown(kind: str, data: Any) -> None:
        if kind == when:
            failed.set()
            raise RuntimeError("nobody listens")

    engine = "thrower" if when == "failed" else "thinker"
    pool.submit(Job(Question(position.view(0), 0, engine, seconds=0.3, lines=1), shown, rank=REPLY))
    assert failed.wait(60)
    for _ in range(2):
        assert "seen" not in run(wild, "good")[1], "the answer is the one to this question"


def test_who_left_the_queue_is_reported_when_it_is_cleared() -> None:
    question = Question(game_class("tictactoe")().start(), 0, "random")
    said: list[tuple[str, Any]] = []
    pool = Engines(0)
    job = Job(question, lambda *shown: said.append(shown))
    pool.submit(job)
    job.stop()
    pool.submit(Job(question, lambda *_: None))
    assert said == [("queued", 1), ("failed", module.UNBEGUN)], "a review waits for this"


def test_an_engine_stops_though_whoever_asked_left_before_the_stream_began() -> None:
    job = Job(Question(game_class("tictactoe")().start(), 0, "random"), lambda *_: None)

    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        await asyncio.sleep(0)  # as where the way out is full

    async def follow() -> None:
        await (await job_stream(lambda tell: job))({"type": "http", "asgi": {"spec_version": "2.3"}}, gone, send)

    apart = threading.Thread(target=lambda: asyncio.run(follow()))  # this one may have a loop, of a browser's driver
    apart.start()
    apart.join(60.0)
    assert job.stopped.is_set()


def test_interrupts_fall_into_no_message_and_only_into_jobs() -> None:
    interrupts, passed = Interrupts(), []
    interrupts.arrived()  # between jobs: nothing

    def job() -> None:
        with interrupts.taken():
            with interrupts.held():
                interrupts.arrived()
                passed.append("the message is whole")
            passed.append("too late")

    with pytest.raises(KeyboardInterrupt):
        job()
    assert passed == ["the message is whole"]
    with interrupts.taken():
        with pytest.raises(KeyboardInterrupt):
            interrupts.arrived()
        interrupts.arrived()  # one is enough
    interrupts.arrived()


def test_an_engine_that_misbehaves_fails_alone(wild: tuple[Engines, Any]) -> None:
    assert run(wild, "good")[1]["best"] == "fold"
    assert run(wild, "crasher") == ("failed", "the engine's process ended before it had an answer")
    assert run(wild, "good")[0] == "done"
    assert run(wild, "sleeper", stop_after=1.0) == ("failed", "the engine did not stop in time and was ended")
    assert run(wild, "good")[0] == "done"
    kind, line = run(wild, "thrower")
    assert kind == "failed" and line == "thrower failed: RuntimeError"
    assert run(wild, "good")[0] == "done"


@pytest.mark.parametrize("engine", ["sleeper", "spinner"])  # by the clock, and by what it works
def test_an_engine_that_goes_on_beyond_its_limit_is_ended(wild: tuple[Engines, Any], engine: str) -> None:
    assert run(wild, engine, limit=0.3) == ("failed", "the engine did not stop in time and was ended")
    assert run(wild, "good")[0] == "done"


def test_a_stopped_search_answers_with_what_it_has(wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import stratagem

    monkeypatch.setattr(module, "GRACE", 60.0)  # it answers at once where the machine lets it
    pool = wild[0]
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    position = stratagem.game("connect4").start()
    for _ in range(2):
        job = Job(Question(position, 0, "alphabeta", seconds=900.0, lines=1), lambda kind, data: said.put((kind, data)))
        pool.submit(job)
        while True:
            kind, data = said.get(timeout=120)
            if kind == "report":
                job.stop()
            if kind in ("done", "failed"):
                break
        assert kind == "done" and data["best"] in "1234567", data


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
            Question(position.view(0), 0, "dozer", lines=1, table="torn"), lambda *shown, said=said: said.put(shown)
        )
        pool.submit(job)
        while (shown := said.get(timeout=120))[0] != "report":
            assert shown[0] != "failed"
        job.stop()
        kind, data = said.get(timeout=120)
        assert kind == "done" and len(data["seen"]) == 1, "what a new player had reported is the answer"


def test_a_table_stays_with_its_process_until_that_is_busy_for_long(
    wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOYALTY", 120.0)  # as long as a busy machine may need
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
        begun = threading.Event()
        sleeping = Job(
            Question(wild[1].view(0), 0, "sleeper", table="a"), lambda kind, _: kind == "thinking" and begun.set()
        )
        pool.submit(sleeping)  # which keeps the process of table a busy
        assert begun.wait(120)
        monkeypatch.setattr(module, "LOYALTY", 1.0)
        began = time.monotonic()
        _, data = run(two, "rememberer", table="a")
        assert data["process"] != homes["a"] and len(data["seen"]) == 1, "another one takes over, with a new player"
        assert time.monotonic() - began >= module.LOYALTY * 0.9
        monkeypatch.setattr(module, "LOYALTY", 120.0)
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
        shown = [run((pool, wild[1]), "hoarder", table=str(k))[1] for k in range(8)]
    finally:
        pool.close()
    assert len({one["process"] for one in shown}) == 1
    most = max(one["memory"] for one in shown) - shown[0]["memory"]
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
        while (found := said.get(timeout=120))[0] not in ("done", "failed"):
            pass
        assert found[0] == "done", found
        trees.append(found[1])
        position = position.play(found[1]["best"])
        position = position.play(reply if reply in position.moves() else position.moves()[0])
    fresh, kept = trees
    assert fresh["visits"] == fresh["nodes"] and kept["visits"] > kept["nodes"], "what was known before counts too"


# ------------------------------------------------------------------------------------------------ who comes first


def order(jobs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """In which order a worker takes jobs of (visitor, rank) that were all asked for at once."""
    import stratagem

    question = Question(stratagem.game("tictactoe").start(), 0, "random", seconds=1.0)
    pool = Engines(0, each_client=100)
    for client, rank in jobs:
        pool.submit(Job(question, lambda *_: None, client=client, rank=rank))
    taken = []
    while (job := pool._next(0)) is not None:
        taken.append((job.client, job.rank))
    return taken


def test_replies_come_first_and_visitors_take_turns() -> None:
    asked = [("a", ASKED), ("a", ASKED), ("a", ASKED), ("b", ASKED), ("a", REPLY), ("c", REVIEW), ("c", REPLY)]
    assert order(asked) == [
        ("a", REPLY), ("c", REPLY), ("b", ASKED), ("a", ASKED), ("a", ASKED), ("a", ASKED), ("c", REVIEW)
    ]  # fmt: skip


def test_nobody_waits_for_ever_behind_replies() -> None:
    taken = order([("patient", REVIEW), *[("greedy", REPLY)] * 30])
    assert taken.index(("patient", REVIEW)) == module.LONGEST_WAITING - 1


def test_one_visitors_analyses_do_not_delay_a_reply_at_another_table(wild: tuple[Engines, Any]) -> None:
    pool, position = Engines(1, files=wild[0].files), wild[1]
    said: queue.Queue[tuple[str, str, Any]] = queue.Queue()

    def job(name: str, engine: str, seconds: float | None, **more: Any) -> Job:
        question = Question(position.view(0), 0, engine, seconds=seconds, lines=1)
        return Job(question, lambda kind, data: said.put((name, kind, data)), **more)

    def until(name: str, *kinds: str) -> Any:
        while True:
            shown = said.get(timeout=120)
            if shown[1] != "report" or "report" in kinds:
                heard.append(shown[:2])
            if shown[0] == name and shown[1] in kinds:
                return shown[2]

    heard: list[tuple[str, str]] = []
    try:
        analyses = [job(f"analysis {k}", "thinker", 60.0, client="greedy") for k in range(4)]
        for analysis in analyses:
            pool.submit(analysis)
        until("analysis 0", "report")
        pool.submit(job("reply", "good", None, client="other", rank=REPLY))
        until("reply", "done")
        begun = [name for name, kind in heard if kind == "thinking"]
        assert begun == ["analysis 0", "reply"] and ("analysis 0", "done") not in heard, "before all that waited longer"
        until("analysis 1", "report")
        pool.submit(job("guest", "thinker", 0.2, client="guest"))
        until("guest", "done")
        begun = [name for name, kind in heard if kind == "thinking"]
        assert begun == ["analysis 0", "reply", "analysis 1", "guest"], (
            "a visitor's own analyses are not cut for each other"
        )
        for analysis in analyses[:3]:
            analysis.stop()
        assert until("analysis 3", "report")["seen"], "and what was cut goes on"
    finally:
        for analysis in analyses:
            analysis.stop()
        pool.close()


def test_an_analysis_that_was_cut_goes_on_with_the_same_player_and_the_time_it_has_left(
    wild: tuple[Engines, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GRACE", 60.0)
    pool, position = Engines(1, files=wild[0].files), wild[1]
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    question = Question(position.view(0), 0, "thinker", seconds=600.0, lines=1)
    thinker = Job(question, lambda *shown: said.put(shown), client="a")

    def until(*kinds: str) -> tuple[str, Any]:
        while (shown := said.get(timeout=120))[0] not in kinds:
            pass
        return shown

    try:
        pool.submit(thinker)
        until("report")
        other: queue.Queue[str] = queue.Queue()
        pool.submit(Job(Question(position.view(0), 0, "good"), lambda kind, _: other.put(kind)))
        while other.get(timeout=120) != "done":
            pass
        until("queued")  # again, for it was cut
        until("thinking")
        until("report")
        thinker.stop()
        kind, data = until("done", "failed")
        assert kind == "done" and len(data["seen"]) == 2, "the same player was asked twice"
        assert thinker.question.seconds is not None and thinker.question.seconds <= 600.0 - module.SLICE
        for _ in range(3000):
            if thinker.table not in pool._homes:
                break
            time.sleep(0.01)
        else:
            raise AssertionError("its player stays though it is over")
    finally:
        pool.close()
