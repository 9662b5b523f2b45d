"""The interpreter answers until compiling is worth while, and nobody who wants an answer at once waits for a compiler."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stratagem.compile import State, answer_now, impatient, interpreting, specialise
from stratagem.errors import CompileError

module = importlib.import_module("stratagem.equilibrium.zero_sum")  # whose function has the same name


def add_up(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total


def multiply(n: int) -> int:
    total = 1
    for i in range(1, n):
        total *= i
    return total


def double(n: int) -> int:
    return 2 * n


def halve(n: int) -> int:
    times = 0
    while n > 1:
        n //= 2
        times += 1
    return times


def count_down(n: int) -> int:
    while n > 0:
        n -= 1
    return n


def listed(n: int) -> int:
    return len(sorted(str(k) for k in range(n)))


def steps(n: int) -> float:
    return float(n)


def compiled_beside() -> None:
    for thread in threading.enumerate():
        if thread.name == "compiler":
            thread.join()


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_small_questions_are_answered_by_the_interpreter_and_a_large_one_compiles(empty: Path) -> None:
    run: Any = specialise(add_up, meanwhile=steps)
    assert run(10) == 45 and run.waits(10) and not list(empty.rglob("*.code"))
    assert run(30_000_000) == 449_999_985_000_000  # half a minute in the interpreter
    assert not run.waits(10) and list(empty.rglob("*.code"))
    again: Any = specialise(add_up, meanwhile=steps)
    assert not again.waits(10), "what the cache holds is used at once"


def test_who_has_asked_much_gets_it_compiled(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.compile.service.PATIENCE", 1e-4)
    monkeypatch.setattr("stratagem.compile.service.expected_seconds", lambda *_: 1e-4)
    run: Any = specialise(add_up, meanwhile=lambda n: 1.0)
    assert run.waits(1)
    for _ in range(20):
        assert run(20_000) == 199_990_000
    assert not run.waits(1)


def test_who_wants_an_answer_at_once_is_answered_by_the_interpreter(empty: Path) -> None:
    run, gradual = specialise(multiply), specialise(add_up, meanwhile=lambda n: 1e12)
    with interpreting():
        assert run(5) == 24 and gradual(5) == 10 and not list(empty.rglob("*.code"))
    assert run(5) == 24 and list(empty.rglob("multiply_*.code"))
    with interpreting():
        assert run(6) == 120, "what is compiled may be used"


def test_an_answer_that_must_not_wait_is_another_one_until_a_thread_has_compiled_what_was_missing(empty: Path) -> None:
    run: Any = specialise(halve)
    assert run.state is State.ABSENT
    assert answer_now(lambda: (run(8), "compiled"), lambda: (run(8), "sooner")) == (3, "sooner")
    assert answer_now(lambda: run(16)) == 4, "without another answer the interpreter gives this one"
    compiled_beside()
    assert run.state is State.READY and list(empty.rglob("halve_*.code"))
    assert answer_now(lambda: (run(8), "compiled"), lambda: (0, "sooner")) == (3, "compiled")


def test_the_interpreter_answers_while_another_thread_loads_what_the_cache_holds(empty: Path) -> None:
    run: Any = specialise(double)
    assert run(8) == 16 and run.kept
    run._ready = False  # as in a process that has just begun
    with run._lock:  # as the thread that loads it has it
        assert run.state is State.COMPILING
        assert answer_now(lambda: (run(8), "compiled"), lambda: (run(8), "sooner")) == (16, "sooner")
    compiled_beside()
    assert answer_now(lambda: run(9)) == 18


def test_what_cannot_be_compiled_says_so_once_that_is_known(empty: Path) -> None:
    run: Any = specialise(listed)
    assert answer_now(lambda: run(3)) == 3
    compiled_beside()
    assert run.state is State.FAILED
    with pytest.raises(CompileError, match="listed"):
        answer_now(lambda: run(3))


def test_a_gradual_function_goes_on_in_the_interpreter_while_a_thread_compiles(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stratagem.compile.service.PATIENCE", 1e-3)
    run: Any = specialise(count_down, meanwhile=steps)
    with interpreting():
        assert run(20_000) == 0  # which has cost enough
    assert answer_now(lambda: run(10)) == 0 and answer_now(lambda: run(20_000), lambda: -1) == -1
    compiled_beside()
    assert answer_now(lambda: run(20_000), lambda: -1) == 0 and not run.waits(10)


def test_the_interpreter_may_cost_what_compiling_would(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.compile.service.PATIENCE", 0.0)
    monkeypatch.setattr("stratagem.compile.service.expected_seconds", lambda *_: 3600.0)
    run: Any = specialise(add_up, meanwhile=lambda n: 1e6)
    assert run(20_000) == 199_990_000 and run.waits(1) and not list(empty.rglob("*.code"))
    with impatient():
        assert not run.waits(1), "who compiles ahead compiles"


def test_matrix_games_are_solved_alike_before_and_after(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(3)
    games = [draws.integers(-5, 6, (m, n)).astype(float) for m, n in ((1, 4), (2, 2), (3, 5), (5, 5), (6, 3)) * 4]
    compiled = [module.zero_sum(game) for game in games]
    plain = specialise(module.solve_template, target="python")
    monkeypatch.setattr(module, "_compiled", plain)
    for game, one in zip(games, compiled, strict=True):
        other = module.zero_sum(game)
        assert abs(one.value - other.value) < 1e-12 and one.method == other.method
