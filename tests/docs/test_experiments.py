"""The scripts behind the tables of the documentation: what was run is kept, and tables go between their marks."""

import argparse
import importlib
import json
import math
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def experiments(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.experiments")


def square(x, y):
    return {"product": x * y}


def given(path, **changes):
    return argparse.Namespace(
        **({"results": path, "workers": 1, "cluster": None, "limit": math.inf, "table": False} | changes)
    )


def test_finished_parts_are_kept_and_not_run_again(experiments, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    work = importlib.import_module("test_experiments").square
    path = tmp_path / "results.jsonl"
    found = experiments.run(work, [(2, 3), (4, 5)], given(path))
    assert found == {(2, 3): {"product": 6}, (4, 5): {"product": 20}}
    path.write_text(path.read_text().replace("20", "21") + '{"task": [9')  # a line cut short is passed over
    again = experiments.run(work, [(4, 5)], given(path, limit=0.0))
    assert again == {(4, 5): {"product": 21}}
    assert experiments.run(work, [(6, 7)], given(path, table=True)) == {}
    assert len([json.loads(line) for line in path.read_text().splitlines()[:2]]) == 2


def test_a_table_goes_between_its_marks(experiments, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(experiments, "PAGES", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- experiment one -->\nold\n<!-- end of one -->\nafter\n")
    experiments.publish("one", "page.md", ["| new |"], True)
    assert re.sub(r"\n+", "\n", page.read_text()) == (
        "before\n<!-- experiment one -->\n| new |\n<!-- end of one -->\nafter\n"
    )
    with pytest.raises(SystemExit, match="no place"):
        experiments.publish("two", "page.md", ["| new |"], True)
    assert experiments.interval(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert experiments.parts(50, 20) == [(0, 20), (20, 20), (40, 10)]
    assert sys.version_info and "new" in capsys.readouterr().out


@pytest.mark.parametrize(
    "script", sorted((ROOT / "benchmarks" / "experiments").glob("[a-z]*.py")), ids=lambda p: p.stem
)
def test_every_experiment_has_its_places_in_the_documentation(script):
    text = script.read_text()
    page = re.search(r'PAGE = .*?"([\w/-]+\.md)"', text)
    shown = (ROOT / "docs" / page[1]).read_text()
    names = re.findall(r'publish\(f?"([\w ]+)', text) or re.findall(r'NAME, PAGE = "([\w ]+)"', text)
    assert names
    for name in names:
        assert f"<!-- experiment {name}" in shown and f"<!-- end of {name}" in shown
        assert f"benchmarks.experiments.{script.stem}" in shown
