"""The site's page to play on: what its hook writes is true to the games, and the page plays without a server."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stratagem
from stratagem.errors import UnsuitableSearch
from stratagem.kernel import NO_MOVE, OVER
from stratagem.search import browser_rules
from stratagem.search.tree.mcts import MCTS

ROOT = Path(__file__).parents[2]
GAMES = ("connect4", "othello", "hex", "tictactoe")
SIMULATIONS = (150, 1, 849)
SLOW = [pytest.param(name, marks=() if name == "tictactoe" else pytest.mark.slow) for name in GAMES]

needs_tools = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None or shutil.which("node") is None,
    reason="modules are linked by ziglang and run by Node",
)


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    pytest.importorskip("mkdocs")
    spec = importlib.util.spec_from_file_location("site_play", ROOT / "docs" / "site_play.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def random_games(game: Any, games: int) -> list[list[int]]:
    """Whole games by the numbers of their moves."""
    draw = random.Random(3)
    played = []
    for _ in range(games):
        at, moves = game.start(), []
        while not at.over:
            moves.append(draw.choice(at.move_numbers()))
            at = at.play(game.move_text(at.state, at.turn, moves[-1]))
        played.append(moves)
    return played


def followed(game: Any, hook: ModuleType, moves: list[int]) -> Iterator[tuple[Any, list[Any]]]:
    """Each position of a game, and what the rules tell of it in the interpreter."""
    count = len(hook.places(game, [game.move_text(game.blank(), 0, m) for m in range(game.move_bound)]))
    rules, (g, s, _, *arrays) = browser_rules.rules(game, hook.READERS[game.name], count, target="python")
    who, listed, held, out = arrays
    at = game.start()
    for m in (NO_MOVE, *moves):
        if m != NO_MOVE:
            at = at.play(game.move_text(at.state, at.turn, m))
        n = int(rules(g, s, m, *arrays))
        yield at, [n, int(who[0]), listed[:n].tolist(), held.tolist(), out.tolist()]


def parts(drawing: str) -> dict[str, str]:
    """The markup of the places of a drawing by their names."""
    root = ET.fromstring(drawing)
    found = {}
    for element in root.iter():
        for key in ("data-at", "data-part"):
            if key in element.attrib:
                found[element.attrib[key]] = "".join(
                    ET.tostring(child, "unicode") for child in element if "title" not in child.tag
                )
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_tell_what_the_face_tells_and_pieces_look_as_the_game_draws_them(name: str, hook: ModuleType) -> None:
    game: Any = stratagem.game(name)
    places = hook.places(game, [game.move_text(game.blank(), 0, m) for m in range(game.move_bound)])
    pictures = [parts(picture) for picture in hook.pictures(game)]
    for moves in random_games(game, 2):
        for ply, (at, (n, turn, listed, held, out)) in enumerate(followed(game, hook, moves)):
            assert turn == at.turn
            assert listed == ([] if at.over else at.move_numbers()) and n == len(listed)
            assert (out == list(at.payoff)) if at.over else out == [0, 0]
            if ply % 8 == 0 or at.over:
                shown = parts(game.draw(at))
                assert [shown[place] for place in places] == [
                    pictures[x][place] for x, place in zip(held, places, strict=True)
                ]


def test_puzzles_are_reached_by_legal_moves_and_their_best_move_is_one(hook: ModuleType) -> None:
    game: Any = stratagem.game("connect4")
    texts = [game.move_text(game.blank(), 0, m) for m in range(game.move_bound)]
    found = hook.puzzles(game, texts)
    assert len(found) >= 40
    for one in found[::9]:
        *_, (at, _) = followed(game, hook, one["moves"])
        assert set(one["best"]) < set(at.move_numbers()) and len(one["best"]) == 1
    assert hook.puzzles(stratagem.game("hex"), []) == []


def test_a_move_that_is_not_legal_changes_nothing(hook: ModuleType) -> None:
    game: Any = stratagem.game("tictactoe")
    rules, (g, s, _, *arrays) = browser_rules.rules(game, hook.of_boards, 9, target="python")
    assert rules(g, s, 4, *arrays) == 8
    before = s.copy()
    assert [rules(g, s, m, *arrays) for m in (4, 9, -7)] == [browser_rules.REFUSED] * 3
    assert (s == before).all()


def test_games_of_chance_and_games_that_stay_on_the_server_are_refused(hook: ModuleType) -> None:
    for name, why in (("pig", "without chance"), ("skirmish", "hidden")):
        with pytest.raises(UnsuitableSearch, match=why):
            browser_rules.rules(stratagem.game(name), hook.of_boards, 9)


@needs_tools
@pytest.mark.parametrize("name", SLOW)
def test_the_module_of_the_rules_tells_what_the_interpreter_tells(name: str, hook: ModuleType, tmp_path: Path) -> None:
    game: Any = stratagem.game(name)
    reported, modules = hook.built(name)
    games = random_games(game, 4)
    (tmp_path / "asked.json").write_text(json.dumps({"manifest": reported["rules"]["manifest"], "games": games}))
    (tmp_path / "module.wasm").write_bytes(modules[reported["rules"]["module"]])
    script = Path(__file__).with_name("run_rules.mjs")
    done = subprocess.run(["node", str(script), str(tmp_path)], capture_output=True, text=True, check=True)
    for moves, found in zip(games, json.loads(done.stdout), strict=True):
        reported_here = [reported for _, reported in followed(game, hook, moves)]
        assert [one[:4] for one in found] == [one[:4] for one in reported_here]
        assert found[-1][4] == reported_here[-1][4]  # payoffs; before the end they are those of an earlier game


@needs_tools
@pytest.mark.parametrize("name", SLOW)
def test_the_search_finds_for_any_position_what_mcts_finds_there(name: str, hook: ModuleType, tmp_path: Path) -> None:
    game: Any = stratagem.game(name)
    reported, modules = hook.built(name)
    at = game.start()
    for m in random_games(game, 1)[0][:3]:
        at = at.play(game.move_text(at.state, at.turn, m))
    manifest = json.loads(json.dumps(reported["search"]["manifest"]))
    (start,) = [field for field in manifest["fields"] if field["name"] == "start"]
    start["first"] = b64encode(at.state[: start["shape"][0]].tobytes()).decode()
    asked = {"manifest": manifest, "seat": at.turn, "low": reported["low"], "slices": SIMULATIONS}
    (tmp_path / "begun.json").write_text(json.dumps(asked))
    (tmp_path / "module.wasm").write_bytes(modules[reported["search"]["module"]])
    script = ROOT / "tests" / "search" / "run_module.mjs"
    done = subprocess.run(["node", str(script), str(tmp_path)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["found"]
    native = MCTS(game, hook.replace(hook.SETTINGS, pool=hook.POOL, target="cpu"))
    args = native._arguments(native._begin(at), 0, sum(SIMULATIONS), sum(SIMULATIONS), np.zeros(1, np.int64))
    assert found["nodes"] == native._simulate(*args)
    assert [(arm["move"], arm["visits"], arm["line"]) for arm in found["arms"]] == [
        (arm.move, arm.visits, list(arm.line)) for arm in native.arms()
    ]


def test_without_a_linker_the_page_says_so(hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "play.md").read_text()
    page: Any = SimpleNamespace(file=SimpleNamespace(src_uri="play.md"))
    monkeypatch.setattr(hook, "cannot_build", lambda: "there is no linker")
    shown = hook.on_page_markdown(text, page, None, None)
    assert "were not built into this copy of the site: there is no linker." in shown and "<script" not in shown
    files: list[Any] = []
    assert hook.on_files(files, None) == []
    monkeypatch.setattr(hook, "cannot_build", lambda: None)
    assert hook.on_page_markdown(text, page, None, None) == text


# ------------------------------------------------------------------------------------------------------- in a browser


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    """The address of the site, which a plain server of files hands out below a folder of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.parent)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{site.name}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="modules are linked by ziglang")
def test_whole_games_are_played_on_the_built_site(served: str, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("response", lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith((served, "blob:", "data:")) else None)
    page.goto(f"{served}/play.html")
    status = page.locator("#play [role=status]")
    game, puzzle, level, side = (page.locator("#play select").nth(k) for k in range(4))
    ready = "#play [role=status]:text-matches('your move|is over')"

    def offered() -> list[str]:
        return page.eval_on_selector_all("#play .may", "all => all.map((one) => one.dataset.part)")

    def pieces() -> int:
        return page.locator("#play svg [data-id]").count()

    # connect four by mouse: seven columns are offered, and the engine answers every stone
    page.wait_for_selector(ready)
    assert sorted(offered()) == list("1234567") and pieces() == 0
    for count in (1, 2, 3):
        page.locator("#play [data-part='4'] circle").last.click()
        page.wait_for_function(f"document.querySelectorAll('#play svg [data-id]').length === {2 * count}")
        page.wait_for_selector(ready)
        assert "The engine played" in status.inner_text()
        assert page.locator("#play .layer-last .mark-last").count() == 1

    # a puzzle of connect four: a wrong answer changes nothing, the right one is played and answered
    asked = json.loads((page.request.get(f"{served}/play/connect4.json")).body())["puzzles"][0]
    puzzle.select_option("0")
    stones = len(asked["moves"])
    page.wait_for_function(f"document.querySelectorAll('#play svg [data-id]').length === {stones}")
    assert "find the only move" in status.inner_text()
    right = str(asked["best"][0] + 1)
    wrong_one = next(part for part in offered() if part != right)
    page.locator(f"#play [data-part='{wrong_one}']").last.dispatch_event("click")
    assert "another move is better" in status.inner_text() and pieces() == stones
    page.locator(f"#play [data-part='{right}']").last.dispatch_event("click")
    page.wait_for_function(f"document.querySelectorAll('#play svg [data-id]').length >= {stones + 1}")
    page.wait_for_selector(ready)
    assert "Right: no other move is as good" in status.inner_text()

    # tic-tac-toe by keyboard to the end; the engine begins
    level.select_option("easy")
    game.select_option("tictactoe")
    page.wait_for_selector("#play .may[data-part='b2']")
    side.select_option("1")
    position = stratagem.game("tictactoe").start()
    while True:
        page.wait_for_function(
            f"document.querySelectorAll('#play svg [data-id]').length === {len(position.history) + 1}"
        )
        page.wait_for_selector(ready)
        position = position.play(status.inner_text().removeprefix("The engine played ").partition(".")[0])
        if position.over:
            break
        assert sorted(offered()) == sorted(position.moves())
        page.locator("#play .may[tabindex='0']").focus()
        page.keyboard.press("PageDown")
        move = page.evaluate("document.activeElement.dataset.part")
        page.keyboard.press("Enter")
        position = position.play(move)
        if position.over:
            break
    won = position.payoff
    words = "a draw" if won[0] == won[1] else "The engine has won" if won[0] > won[1] else "You have won"
    assert position.turn == OVER and words in status.inner_text() and offered() == []

    # othello and hex show their openings in the dark
    side.select_option("0")
    for name in ("othello", "hex"):
        game.select_option(name)
        legal = stratagem.game(name).start().moves()
        page.wait_for_function(f"document.querySelectorAll('#play .may').length === {len(legal)}")
        assert sorted(offered()) == sorted(legal)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    context.close()
    assert wrong == []
