"""The board of a notebook in a real Chromium: its module is loaded as anywidget loads it, and a kernel's own board answers.

Jupyter is not here: a small model stands for its connection (`get`, `on`, `send`), with the same state and messages.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem
from stratagem.store.record import Record

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("anywidget") is None,
    reason="anywidget is not installed (pip install 'stratagem[notebook]')",
)

HOST = "http://notebook.test/"
SHOWN = ("svg", "status", "trouble", "moves", "ply", "parts", "offered", "asking", "complete", "thoughts", "thinking")
PAGE = """<!doctype html><meta charset="utf-8"><title>a cell</title><link rel="stylesheet" href="board.css">
<div id="cell"></div>
<script type="module">
import widget from "./board.js";
const heard = {};
let state = await window.kernel(null);
const model = {
  get: (name) => state[name],
  on: (name, call) => (heard[name] ??= []).push(call),
  off: (name, call) => { heard[name] = heard[name].filter((other) => other !== call); },
  send: async (message) => take(await window.kernel(message)),
};
function take(fresh) {
  const changed = Object.keys(fresh).filter((name) => JSON.stringify(fresh[name]) !== JSON.stringify(state[name]));
  state = fresh;
  for (const name of changed) for (const call of heard[`change:${name}`] ?? []) call();
}
setInterval(async () => take(await window.kernel(null)), 50);
window.gone = widget.render({ model, el: document.querySelector("#cell") });
window.listeners = () => Object.values(heard).flat().length;
</script>"""


class Cell:
    """A board on a page, and clicks on it."""

    def __init__(self, page: Any, board: Any) -> None:
        self.page, self.board = page, board
        folder = Path(stratagem.__file__).parent / "notebook"
        files = {"": ("text/html", PAGE)}
        for name, kind in (("board.js", "text/javascript"), ("board.css", "text/css")):
            files[name] = (kind, (folder / name).read_text())

        def serve(route: Any) -> None:
            kind, body = files.get(route.request.url.removeprefix(HOST), ("text/plain", ""))
            route.fulfill(content_type=kind, body=body)

        page.route("**/*", serve)
        page.expose_function("kernel", self.heard)
        page.goto(HOST)
        page.wait_for_selector("#cell svg")

    def heard(self, message: dict[str, Any] | None) -> dict[str, Any]:
        """A message as the page sends it, and what the kernel then has."""
        if message is not None:
            self.board._heard(self.board, message, [])
        return {name: getattr(self.board, name) for name in SHOWN}

    def until(self, holds: Any, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.page.inner_text("#cell")
            self.page.wait_for_timeout(20)

    def moves(self) -> list[str]:
        return [text.strip() for text in self.page.locator(".st-moves li").all_inner_texts()]

    def picture(self, name: str) -> None:
        """For looking at, where a folder is named."""
        if folder := os.environ.get("STRATAGEM_PICTURES"):
            self.page.locator("#cell").screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 900, "height": 700})
    found = context.new_page()
    found.set_default_timeout(120_000)
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield found
    context.close()
    assert wrong == []


@pytest.mark.slow
def test_a_click_on_the_notebooks_board_plays_and_the_engine_answers(page: Any) -> None:
    from stratagem.notebook import Board

    board = Board("tictactoe", seats=["you", "random"], seed=3)
    cell = Cell(page, board)
    page.locator('#cell svg [data-part="b2"]').first.click()
    cell.until(lambda: len(cell.moves()) == 2)
    assert cell.moves()[0] == "b2" and board.ply == 2
    cell.picture("notebook-play")
    page.fill(".st-typed", "b2")
    page.press(".st-typed", "Enter")
    cell.until(lambda: page.inner_text(".st-trouble"))
    assert len(cell.moves()) == 2, "what cannot be played is refused in a line on the page"
    page.locator(".st-offered button").first.click()
    cell.until(lambda: len(cell.moves()) == 4)
    assert not page.inner_text(".st-trouble")
    assert page.evaluate("window.listeners()") == len(SHOWN)
    assert page.evaluate("(window.gone(), window.listeners())") == 0, "an output that goes leaves nothing behind"


@pytest.mark.slow
def test_a_record_is_stepped_through_on_the_page_and_left_for_another_line(page: Any) -> None:
    from stratagem.notebook import Board

    game = stratagem.game("tictactoe")
    board = Board.of_record(Record("tictactoe", dict(game.chosen), ["a1", "b2", "c3"]))
    cell = Cell(page, board)
    assert cell.moves() == ["a1", "b2", "c3"]
    last = page.inner_html(".st-board")
    page.get_by_label("one move back").click()
    page.get_by_label("one move back").click()
    cell.until(lambda: page.inner_text(".st-moves .st-here") == "a1")
    assert page.inner_html(".st-board") != last and board.position == game.replay(["a1"])
    page.get_by_label("ply").evaluate("(slider) => { slider.value = 3; slider.dispatchEvent(new Event('change')); }")
    cell.until(lambda: page.inner_html(".st-board") == last)
    page.get_by_label("one move back").click()
    cell.until(lambda: page.inner_text(".st-moves .st-here") == "b2")
    cell.picture("notebook-record")
    page.locator('#cell svg [data-part="a2"]').first.click()
    cell.until(lambda: cell.moves() == ["a1", "b2", "a2"])


@pytest.mark.slow
def test_an_analysis_grows_on_the_page_and_stops_when_reported(page: Any) -> None:
    from stratagem.notebook import Board

    board = Board("connect4")
    cell = Cell(page, board)
    page.get_by_role("button", name="analyse").click()
    cell.until(lambda: page.locator(".st-thoughts tr").count() >= 2, 120)
    first = page.inner_text(".st-thoughts")
    cell.until(lambda: page.inner_text(".st-thoughts") != first)
    assert page.locator(".st-thoughts tr").first.locator("td").first.inner_text() in board.offered
    cell.picture("notebook-analysis")
    page.get_by_role("button", name="stop").click()
    page.get_by_role("button", name="analyse").wait_for()
    assert not board.thinking
