"""Engines in their processes: stopped, hung, crashed, and always replaced."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem.web.engines as module
from stratagem.registry import game_class
from stratagem.web.engines import Engines, Job

WILD = '''
"""Otters with players that misbehave."""
import os, time
from stratagem import Choice, Entry
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

def players(game):
    return {name: Entry(kind, "") for name, kind in
            {"sleeper": Sleeper, "crasher": Crasher, "thrower": Thrower, "good": Good}.items()}
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


def run(wild: tuple[Engines, Any], engine: str, stop_after: float | None = None) -> tuple[str, Any]:
    pool, position = wild
    said: queue.Queue[tuple[str, Any]] = queue.Queue()
    job = Job(position.view(0), 0, engine, lambda kind, data: said.put((kind, data)))
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
        job = Job(position, 0, "alphabeta", lambda kind, data: said.put((kind, data)), seconds=20.0, lines=1)
        pool.submit(job)
        began = time.monotonic()
        while True:
            kind, data = said.get(timeout=60)
            if kind == "report":
                job.stop()
            if kind in ("done", "failed"):
                break
        assert kind == "done" and data["best"] in "1234567" and time.monotonic() - began < 15
