"""Records as arguments of templates: read by name on every target, and never by a stale order of their fields."""

import os
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

from stratagem.compile import specialise
from stratagem.errors import CompileError

RECORD = """
from __future__ import annotations
from typing import NamedTuple
import numpy as np

class Purse(NamedTuple):
{fields}

def template(purse: Purse, times: int):
    return times * purse.gold[0] - purse.debt[0]
"""
INNER = """
class Pocket(NamedTuple):
    purse: Purse

def template(pocket: Pocket, times: int):
    return times * pocket.purse.gold[0] - pocket.purse.debt[0]
"""
RUN = """
import numpy as np
from stratagem.compile import specialise
from template import Purse, template
import template as written
run = specialise(template)
purse = Purse(gold=np.array([10]), debt=np.array([3]))
given = written.Pocket(purse) if hasattr(written, "Pocket") else purse
print(run(given, 2), len(run.dispatcher.stats.cache_hits), len(run.dispatcher.stats.cache_misses))
"""


@pytest.mark.parametrize("record", [RECORD, RECORD + INNER], ids=["a record", "a record in a record"])
def test_another_order_of_the_fields_compiles_anew(tmp_path, record):
    """The types of the arguments stay the same, and so does the text of the function: the fields alone have changed places."""
    gold, debt = "    gold: np.ndarray\n", "    debt: np.ndarray\n"
    (tmp_path / "run.py").write_text(RUN)

    def run(fields):
        (tmp_path / "template.py").write_text(record.format(fields=fields))
        environment = {**os.environ, "STRATAGEM_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        found = subprocess.run(
            [sys.executable, str(tmp_path / "run.py")], env=environment, capture_output=True, text=True, timeout=120
        )
        assert found.returncode == 0, found.stderr
        return found.stdout.split()

    assert run(gold + debt) == ["17", "0", "1"]
    assert run(gold + debt) == ["17", "1", "0"]  # from the disk cache
    assert run(debt + gold) == ["17", "0", "1"]
    assert run(gold + debt) == ["17", "1", "0"]


class Point(NamedTuple):
    x: np.ndarray
    y: np.ndarray


class Limits(NamedTuple):
    factor: float
    most: int


class Figure(NamedTuple):
    centre: Point
    size: np.ndarray
    limits: Limits


def shifted(point: Point, n: int) -> Point:
    return Point(point.x[n:], point.y[n:])


def total(point: Point, limits: Limits) -> float:
    found = 0.0
    for i in range(limits.most):
        found += limits.factor * point.x[i] + point.y[i]
    return found


def measure(figure: Figure, plain: int, limits: Limits) -> float:
    """Records within a record, numbers in one, a record that is made on the way, and one that is handed on."""
    figure.size[0] = plain
    return total(shifted(figure.centre, plain), figure.limits) + 1000 * limits.factor


@pytest.mark.parametrize("lean", [False, True])
def test_records_hold_records_and_numbers_and_are_made_on_the_way(lean):
    found = []
    for target in ("python", "cpu"):
        figure = Figure(Point(np.arange(5.0), 10 * np.arange(5.0)), np.zeros(1), Limits(2.0, 3))
        run = specialise(measure, target=target, lean=lean)
        found += [run(figure, 1, Limits(0.5, 0)), float(figure.size[0])]
    assert found == [2 * (1 + 2 + 3) + 10 * (1 + 2 + 3) + 500, 1] * 2


def nameless(figure, n):
    return figure.x[n]


def test_a_record_that_no_annotation_names_is_refused():
    with pytest.raises(CompileError, match=r"nameless is given a Point for 'figure', and its annotation says none"):
        specialise(nameless)(Point(np.zeros(2), np.zeros(2)), 1)


def test_another_record_than_the_annotation_says_is_refused():
    with pytest.raises(CompileError, match=r"given a Point for 'limits', and its annotation says Limits"):
        specialise(total)(Point(np.zeros(2), np.zeros(2)), Point(np.zeros(2), np.zeros(2)))


def endless(point: Point, n: int) -> int:
    return 0 if n == 0 else endless(point, n - 1)


def test_a_template_of_records_that_calls_itself_is_refused():
    with pytest.raises(CompileError, match="endless takes records and calls itself"):
        specialise(endless)


def test_records_on_the_simulator_of_a_gpu():
    code = """
        import numpy as np
        from numba import cuda
        from cuda_records import Limits, Scratch, Series, sums
        from stratagem.compile import specialise
        run = specialise(sums, {"cuda": cuda}, target="cuda")
        out = np.zeros(4)
        run[2, 3](Series(cuda.to_device(np.arange(8.0)), cuda.to_device(np.ones(8))), Limits(2, 0.5), out)
        assert out.tolist() == [0.5 * (2 * i + 2 * i + 1) + 2 for i in range(4)], out
        try:
            run[2, 3]((1, 2), Limits(2, 0.5), out)
        except Exception as error:
            print(error)
    """
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.path.dirname(__file__)}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert "sums is given a tuple for 'series', and its annotation says Series" in found.stdout
