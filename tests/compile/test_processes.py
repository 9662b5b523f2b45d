"""Several things are compiled at once, by several processes."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratagem.compile import Background, Compilers, Order, State, in_parallel, processes
from stratagem.compile.service import building
from stratagem.errors import StratagemError

MODULE = """
import os, time
from pathlib import Path
import numpy as np
from stratagem.compile import specialise
from stratagem.errors import StratagemError

SCALE = 1  # another one makes another build

def root(x): return x * x + SCALE
def first(out): return root(out[0]) + root(out[1])
def second(out): return 10 * root(out[0])

def use(name, scale):
    return int(specialise(globals()[name], {"SCALE": scale}, lean=True)(np.array([2, 3], np.int64)))

def use_and_note(name, scale, path):
    use(name, scale)
    with Path(path).open("a") as file:
        file.write(f"{name} {os.getpid()}\\n")

def crash(): os._exit(7)

def hang(): time.sleep(600)

def refuse(): raise StratagemError("this job cannot be done")
"""  # in a file of its own: other processes find it by its name


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STRATAGEM_QUIET", "1")
    return tmp_path / "cache"


@pytest.fixture
def apart(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "kernels_apart.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("kernels_apart")
    del sys.modules["kernels_apart"]


def test_another_process_takes_jobs_from_the_end(apart: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_cores", lambda: 2)
    taken, log = Order.take, tmp_path / "log"
    jobs = [partial(apart.use_and_note, name, 8, str(log)) for name in ("first", "second")]

    def patient(self: Order, name: str) -> bool:
        for _ in range(600):  # until the other process has taken it
            if name not in self._free:
                break
            threading.Event().wait(0.1)
        return taken(self, name)

    monkeypatch.setattr(Order, "take", patient)
    in_parallel(*jobs)
    done = [line.split() for line in log.read_text().splitlines()]
    others = [name for name, number in done if int(number) != os.getpid()]
    assert others == ["second"], "the last one was done beside"
    assert [name for name, number in done if int(number) == os.getpid()] == ["first", "second"]


def test_nothing_is_begun_beside_where_all_is_in_the_cache(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    apart.use("first", 9), apart.use("second", 9)
    monkeypatch.setattr(processes.subprocess, "Popen", None)
    monkeypatch.setattr(processes, "_cores", lambda: 4)
    in_parallel(partial(apart.use, "first", 9), partial(apart.use, "second", 9))


def test_who_builds_a_package_does_all_alone(apart: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only copies of the process give names that do not depend on what was compiled before."""
    monkeypatch.setattr(processes, "_cores", lambda: 4)
    log = tmp_path / "log"
    with building():
        in_parallel(*(partial(apart.use_and_note, name, 13, str(log)) for name in ("first", "second")))
    assert log.read_text() == f"first {os.getpid()}\nsecond {os.getpid()}\n"


def test_jobs_that_cannot_travel_or_fail_are_done_or_reported_here(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_cores", lambda: 2)
    done: list[int] = []
    in_parallel(lambda: done.append(apart.use("first", 10)), lambda: done.append(apart.use("second", 10)))
    assert done == [33, 140]
    monkeypatch.setattr(processes.sys, "executable", "/there/is/no/python")
    in_parallel(partial(apart.use, "first", 11), partial(apart.use, "second", 11))
    with pytest.raises(StratagemError, match="cannot be done"):
        in_parallel(partial(apart.use, "first", 12), apart.refuse)


@pytest.fixture
def compilers() -> Iterator[Compilers]:
    found = Compilers()
    yield found
    found.close()


def test_an_order_is_done_in_another_process_and_says_what_failed(
    apart: Any, cache: Path, compilers: Compilers
) -> None:
    mark = cache / "done.warm"
    jobs = {"good": partial(apart.use, "first", 20), "bad": apart.refuse, "worse": partial(apart.use, "first", 21)}
    reported: list[list[str]] = []
    order = compilers.order(jobs, mark=mark, tell=lambda order: reported.append(list(order.waiting)))
    assert order.wait("good", 120), "what comes first is done first"
    assert order.wait(None, 120) and order.failed == {"bad": "this job cannot be done"}
    assert len(list(cache.glob("first_*.code"))) == 2 and mark.exists()
    assert reported[0] == list(jobs) and reported[-1] == []
    assert compilers.order(jobs, mark=mark).wait(None, 0.0), "a mark says that nothing is left to do"


def test_a_process_that_crashes_costs_one_job(apart: Any, cache: Path, compilers: Compilers) -> None:
    mark = cache / "done.warm"
    order = compilers.order({"bad": apart.crash, "good": partial(apart.use, "first", 22)}, mark=mark)
    assert order.wait(None, 120) and order.failed == {"bad": processes.CRASHED}
    assert list(cache.glob("first_*.code")) and not mark.exists()


def test_what_nobody_waits_for_gives_way_and_is_done_later(apart: Any, compilers: Compilers, tmp_path: Path) -> None:
    log = tmp_path / "log"
    page = compilers.order({"page": apart.hang}, urgent=False)
    while not page.under_way:
        compilers.wait(0.1)
    table = compilers.order({"table": partial(apart.use_and_note, "second", 23, str(log))})
    assert table.wait(None, 120) and log.exists()
    assert page.waiting == ["page"], "its job was given back"
    compilers.close()
    assert page.wait(None, 0.0)


def test_equal_orders_are_one(apart: Any, compilers: Compilers) -> None:
    first = compilers.order({"page": apart.hang}, key="k", urgent=False)
    assert compilers.order({"page": apart.hang}, key="k") is first and first.urgent and compilers.orders == 1


def test_a_job_in_the_background_is_begun_when_it_is_asked_for() -> None:
    go, done = threading.Event(), threading.Event()

    def job() -> None:
        go.wait(60)
        done.set()

    work = Background(job, "a test")
    assert work.state is State.ABSENT and not done.is_set()
    assert not work.wait(0.0) and work.state is State.COMPILING
    go.set()
    assert work.wait(60) and work.state is State.READY and done.is_set()
