"""Searches in a browser: the module gives, byte for byte, what the CPU gives, and the page reads the same from it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from search.same_arrays import CASES, SMALL, asked, on_the_cpu, position

from stratagem import game
from stratagem.errors import IllegalMove, UnsuitableSearch
from stratagem.registry import game_names
from stratagem.search import browser

needs_tools = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None or shutil.which("node") is None,
    reason="modules are linked by ziglang and run by Node",
)


def test_board_games_that_hide_nothing_are_offered_and_no_others() -> None:
    found = {name for name in game_names() if browser.offered(game(name))}
    assert found == {name for name, _, _ in CASES}


def test_a_game_that_stays_on_the_server_says_why() -> None:
    for name, why in (("skirmish", "hidden"), ("draft", "draft"), ("minions", "kernels"), ("goofspiel", "bid")):
        with pytest.raises(UnsuitableSearch, match=why):
            browser.begun(game(name), game(name).start())


def test_where_chance_decides_no_search_begins() -> None:
    at = game("pig").start().play("roll")
    with pytest.raises(IllegalMove, match="nobody has anything to decide"):
        browser.begun(at.game, at)


def test_a_manifest_tells_all_that_is_not_zero() -> None:
    at = position("hex", {"size": 7}, "")
    found = browser.begun(at.game, at, SMALL)
    assert found.manifest == found.template.manifest(found.args), "looking at fewer cells misses nothing"
    by_name = {field["name"]: field for field in found.manifest["fields"]}
    assert by_name["tree_firsts"]["same"] == "tree_quick"
    assert by_name["tree_exact"]["first"] == ""
    assert by_name["tree_stats"]["shape"] == [2 * SMALL.pool]


def test_lines_that_a_browser_found_are_checked_and_put_into_words() -> None:
    at = position("breakthrough", {}, "")
    first = at.move_numbers()[0]
    after = at.play(at.moves()[0])
    reply = after.move_numbers()[-1]
    assert browser.texts(at, [[first, reply], []]) == [(at.moves()[0], after.moves()[-1]), ()]
    for wrong in ([10**6], [first, -3], [first] * 2):
        with pytest.raises(IllegalMove, match="is no move"):
            browser.texts(at, [wrong])


@needs_tools
@pytest.mark.parametrize(
    ("name", "options", "moves"),
    [pytest.param(*case, id=case[0], marks=() if case[0] == "tictactoe" else pytest.mark.slow) for case in CASES],
)
def test_a_module_leaves_every_array_as_the_cpu_does(
    name: str, options: dict[str, object], moves: str, tmp_path: Path
) -> None:
    at = position(name, options, moves)
    begun = browser.begun(at.game, at, SMALL)
    (tmp_path / "begun.json").write_text(json.dumps(asked(at, begun)))
    (tmp_path / "module.wasm").write_bytes(begun.template.module(begun.args))
    script = Path(__file__).with_name("run_module.mjs")
    done = subprocess.run(["node", str(script), str(tmp_path)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert {what: found[what] for what in ("digests", "found")} == on_the_cpu(at, begun)
