"""The analysis page with its engine in the browser: the CPU's answers, and the server's engine where that cannot be."""

from __future__ import annotations

import base64
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from search.same_arrays import CASES, SMALL, asked, on_the_cpu, position
from web.serving import Server

import stratagem
from stratagem.search import browser as searches
from stratagem.search.tree.mcts import MCTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="modules are linked by ziglang"),
]
PAGE = "/analyse/connect4?m=4&m=4"
DONE = "document.querySelector('#think').textContent === 'Analyse' && document.querySelector('#lines tbody tr')"


def wait(page: Any, condition: str, seconds: float = 120) -> None:
    page.wait_for_function(f"() => {condition}", timeout=seconds * 1000)


@pytest.fixture(scope="module")
def ready(server: Server) -> Server:
    """The server, with the module of connect four built."""
    start = stratagem.game("connect4").start()
    begun = searches.begun(start.game, start)
    begun.template.module(begun.args)
    return server


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    found = context.new_page()
    found.set_default_timeout(120_000)
    errors: list[str] = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield found
    context.close()
    assert errors == []


def test_the_page_shows_what_the_cpu_finds_by_the_same_seed_and_simulations(page: Any, ready: Server) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(ready.url)))
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    work = page.inner_text("#work")
    assert work.startswith("here: mcts, ")
    found = re.search(r"([\d,]+) nodes", work)
    assert found
    simulations = int(found[1].replace(",", ""))
    assert asked.count("/api/here") == 1 and "/api/analyse" not in asked
    shown = page.eval_on_selector_all(
        "#lines tbody tr",
        "rows => rows.map(row => [row.querySelector('button').dataset.move, row.querySelector('.visits').textContent])",
    )

    start = stratagem.game("connect4").start().play("4").play("4")
    native = MCTS(start.game, replace(searches.SETTINGS, target="cpu"))
    root = native._begin(start)
    native._simulate(*native._arguments(root, 0, simulations, simulations, np.zeros(1, np.int64)))
    arms = native.arms()[:5]
    assert shown == [[start.game.move_text(root.state, 0, arm.move), f"{arm.visits:,}"] for arm in arms]
    # the best line goes on, and is marked on the board
    assert page.locator("#lines tbody tr").first.locator(".then").inner_text() == " ".join(
        root.line(arms[0].line)[1:13]
    )
    page.wait_for_selector("#board .layer-candidate .mark", state="attached")


RUN = """async ({ manifest, seat, low, slices, module }) => {
  const { open } = await import("/static/wasm.js"), { Search } = await import("/static/here.js");
  const code = Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0));
  const opened = await open(await WebAssembly.compile(code), manifest);
  const search = new Search(opened, { seat, low, manifest });
  for (const simulations of slices) if (!search.slice(simulations)) break;
  const digests = {};
  for (const [name, { buffer, byteOffset, byteLength }] of Object.entries(opened.arrays)) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(buffer, byteOffset, byteLength)));
    digests[name] = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return { digests, found: search.found() };
}"""


@pytest.mark.parametrize(("name", "options", "moves"), [pytest.param(*case, id=case[0]) for case in CASES])
def test_every_array_of_every_game_is_the_cpus(
    name: str, options: dict[str, object], moves: str, page: Any, server: Server
) -> None:
    at = position(name, options, moves)
    begun = searches.begun(at.game, at, SMALL)
    module = base64.b64encode(begun.template.module(begun.args)).decode()
    page.goto(server.url + "/")
    assert page.evaluate(RUN, {**asked(at, begun), "module": module}) == on_the_cpu(at, begun)


def test_it_goes_on_until_stopped_and_then_where_it_was(page: Any, ready: Server) -> None:
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    nodes = "Number(/([\\d,]+) nodes/.exec(document.querySelector('#work').textContent)?.[1].replaceAll(',', ''))"
    before = page.evaluate(nodes)
    page.check("#engine [name=endless]")
    page.click("#think")
    wait(page, f"{nodes} > {before}")  # the tree is gone on with
    page.click("#think")
    wait(page, "document.querySelector('#think').textContent === 'Analyse'")
    page.locator("#board .may[data-part='3']").dispatch_event("click")
    wait(page, "document.querySelector('#status').textContent.startsWith('Red to decide')")
    wait(page, "document.querySelector('#work').textContent.startsWith('here: mcts')")


def test_without_webassembly_the_server_answers_and_a_line_says_so(page: Any, ready: Server) -> None:
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    assert "server’s engine answers: this browser runs no WebAssembly" in page.inner_text("#where")
    assert "here" not in page.inner_text("#work")


def test_a_module_that_fails_to_load_leaves_the_position_to_the_server(page: Any, ready: Server) -> None:
    broken = {"status": 200, "content_type": "application/wasm", "body": "broken"}
    page.route("**/modules/*.wasm", lambda route: route.fulfill(**broken))
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    assert "server’s engine answers: the engine failed in this browser" in page.inner_text("#where")
    assert "here" not in page.inner_text("#work")
    assert page.workers == []


def test_a_worker_that_cannot_be_loaded_leaves_the_position_to_the_server(page: Any, ready: Server) -> None:
    page.route("**/static/here.js", lambda route: route.fulfill(status=404, body="gone"))
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    assert "the engine could not be started in this browser" in page.inner_text("#where")


def test_leaving_the_page_ends_the_search(page: Any, ready: Server) -> None:
    page.goto(ready.url + PAGE)
    page.check("#engine [name=endless]")
    wait(page, "document.querySelector('#lines tbody tr')")
    assert len(page.workers) == 1
    ended: list[Any] = []
    page.workers[0].on("close", lambda worker: ended.append(worker.url))
    page.goto(ready.url + "/")
    assert page.workers == [] and len(ended) == 1


def test_the_switch_asks_the_servers_engine_and_is_kept(page: Any, ready: Server) -> None:
    page.goto(ready.url + PAGE)
    wait(page, DONE)
    assert "runs in your browser" in page.inner_text("#where")
    assert page.locator("#which").is_hidden()
    page.check("#engine [value=server]")
    page.select_option("#engine select", "mcts")
    wait(page, "document.querySelector('#work').textContent.startsWith('mcts,')")
    page.reload()
    wait(page, "document.querySelector('#engine [value=server]').checked")
    assert page.inner_text("#where") == "" and page.locator("#which").is_visible()
    page.check("#engine [value=here]")
    wait(page, "document.querySelector('#work').textContent.startsWith('here: mcts')")
