"""A newcomer at every table: clicks only what the page marks, reads no notation, and finishes a legal first turn.

`pytest -m slow -rP tests/web/test_newcomer.py` tells how many clicks each turn took."""

from __future__ import annotations

import time
from typing import Any

import pytest
from web.serving import Server
from web.test_browser import start, wait

from stratagem.registry import game_names

pytestmark = [pytest.mark.slow]

CLICKS = 60  # that a first turn takes at most
SIZES = {390: 844, 1440: 900}

# What is marked: on the board, then what the page offers beside it; as a list of things to click, best first.
MARKED = """() => {
  const shown = (element) => element.getClientRects().length && !element.disabled && !element.closest('details:not([open])');
  const found = [];
  const take = (kind, elements) => { for (const one of elements) if (shown(one)) found.push([kind, one]); };
  const commit = [...document.querySelectorAll('#plan > .commit button.primary')];
  take('commit', commit);
  take('target', document.querySelectorAll('#board .may.target'));
  take('pick', document.querySelectorAll('#plan .pick[aria-pressed="false"]'));
  take('choice', document.querySelectorAll('#plan .choices .choice'));
  take('board', document.querySelectorAll('#board .may:not(.chosen)'));
  window.marked = found.map(([, one]) => one);
  return found.map(([kind]) => kind);
}"""

MIDDLE = """(k) => {
  const { x, y, width, height } = window.marked[k].getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""


def click(page: Any, number: int) -> None:
    """A click on what is marked, wherever it has to be scrolled to; on a telephone a tap, and another one if it came nearer."""
    page.evaluate("(k) => window.marked[k].scrollIntoView({ block: 'center', inline: 'center' })", number)
    box = page.evaluate(MIDDLE, number)
    if page.viewport_size["width"] > 500:
        page.mouse.click(*box)
        return
    page.touchscreen.tap(*box)
    if page.locator(".toast").count():
        box = page.evaluate(MIDDLE, number)
        page.evaluate("document.querySelector('.toast')?.remove()")
        page.touchscreen.tap(*box)


def played(page: Any) -> bool:
    """Whether this seat's first turn is over: somebody else, or chance, has decided after it, or its plan is in."""
    return bool(
        page.evaluate(
            """async () => {
              const table = await (await fetch(`/api/tables/${document.body.dataset.table}`)).json();
              const { moves, turn, asked, ready } = table;
              const own = moves.findIndex(({ by }) => by === 0 || by === 'together');
              const after = own < 0 ? [] : moves.slice(own);
              const passed = own >= 0 && (!asked.includes(0) || after.some(({ by }) => by !== 0));
              return turn === 'over' || ready.includes(0) || passed;
            }"""
        )
    )


def settled(page: Any) -> None:
    """Wait until the page has drawn what came of a click."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        page.wait_for_timeout(200)
        if not page.evaluate("document.querySelector('#plan').getAttribute('aria-busy') === 'true'"):
            return


def first_turn(page: Any) -> int:
    """Clicks until the first turn of this seat is played, or is in and waits for others."""
    for clicks in range(CLICKS):
        end = time.monotonic() + 30
        kinds = page.evaluate(MARKED)
        while not kinds and not played(page) and time.monotonic() < end:
            page.wait_for_timeout(200)
            kinds = page.evaluate(MARKED)
        if played(page):
            return clicks
        assert kinds, f"nothing is marked after {clicks} clicks; {page.inner_text('#status')}"
        problem = page.inner_text("#plan [role=alert]")
        assert not problem, problem
        click(page, 0)
        settled(page)
    raise AssertionError(f"no turn was finished in {CLICKS} clicks")


@pytest.mark.parametrize("width", list(SIZES))
@pytest.mark.parametrize("name", game_names())
def test_a_newcomer_finishes_a_first_turn(server: Server, name: str, width: int, browser: Any) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]}, has_touch=width < 500, is_mobile=width < 500
    )
    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
    page = context.new_page()
    try:
        start(page, server, name)
        wait(page, "!document.querySelector('#plan').hidden", 60)
        print(f"{name} at {width}: {first_turn(page)} clicks")  # pytest -rP shows it; docs/web.md has the table
    finally:
        context.close()
