"""A plan that is changed: moves after purchases, hints, reloads, other choices, and what a review and an analysis say of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from web.serving import Server
from web.test_browser import compile_first, page, start, type_in, wait, wait_for_turn
from web.test_draft_room import open_page, served, until

__all__ = ["page", "served"]  # the fixtures

pytestmark = pytest.mark.slow

CHIPS = "[...document.querySelectorAll('#plan .chips li:not(.pointed)')].map((chip) => chip.title).join('; ')"


def click(page: Any, selector: str) -> None:
    page.locator(selector).first.dispatch_event("click")


def hinted(page: Any, best: str) -> None:
    """A server whose engine would play so."""
    choice = {"best": best, "value": None, "lines": [], "marks": [[]], "words": [best]}
    body = f"event: done\ndata: {json.dumps(choice)}\n\n"
    page.route("**/hint", lambda route: route.fulfill(content_type="text/event-stream", body=body))


def test_units_still_move_on_a_board_after_something_was_bought_there(page: Any, server: Server) -> None:
    start(page, server, "minions", ["random", "person"])  # the first side has no money yet
    wait_for_turn(page)
    move = page.locator("#plan [data-choice^='board 0 move ']").first.get_attribute("data-choice")
    bought = page.locator("#plan [data-choice^='board 0 buy ']").first.get_attribute("data-choice")
    type_in(page, bought)
    wait(page, f"{CHIPS} === '{bought}'")
    unit, to = re.findall("[a-z][0-9]+", move)
    click(page, f"#board [data-place='0 {unit}']")
    wait(page, f"document.querySelector(\"#board [data-place='0 {to}'].target\") !== null")
    click(page, f"#board [data-place='0 {to}']")
    wait(page, f"{CHIPS} === '{bought}; {move}'")
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length >= 2")


def test_a_hint_replaces_a_plan_that_was_begun_and_undo_brings_it_back(page: Any, server: Server) -> None:
    start(page, server, "minions")
    wait_for_turn(page)
    click(page, "#board [data-place='0 c1']")
    click(page, "#board [data-place='0 c0']")
    wait(page, f"{CHIPS} === 'board 0 move c1c0'")
    hinted(page, "board 0 move c1d0; board 0 move d1c1")  # the second goes where the first came from
    page.click("#hint")
    page.click("#advice button")
    wait(page, f"{CHIPS} === 'board 0 move c1d0; board 0 move d1c1'")
    assert page.locator("#plan .chips li").nth(1).inner_text().startswith("board 0: Zombie d1 goes to c1")
    page.click("#plan button:has-text('Undo')")
    wait(page, f"{CHIPS} === 'board 0 move c1c0'")


def test_the_marks_of_a_hint_go_when_a_move_was_made(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    wait_for_turn(page)
    page.click("#hint")
    wait(page, "document.querySelector('#board .candidate, #board .layer-candidate > *') !== null")
    page.locator("#board .may:not(.candidate)").first.dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length >= 2")
    wait_for_turn(page)
    assert page.locator("#board .candidate, #board .layer-candidate > *").count() == 0


def test_a_programme_and_an_allocation_that_were_begun_are_there_after_a_reload(page: Any, server: Server) -> None:
    start(page, server, "roborally", ["person", "random"], robots="2", max_turns="2")
    wait_for_turn(page)
    for k in (4, 1, 6):
        page.locator("#plan .hand .pick").nth(k).click()
    wait(page, "document.querySelectorAll('#plan .slot.full').length == 3")
    picked = page.locator("#plan .slot.full").evaluate_all("slots => slots.map((slot) => slot.ariaLabel)")
    page.reload()
    wait(page, "document.querySelectorAll('#plan .slot.full').length == 3")
    assert page.locator("#plan .slot.full").evaluate_all("slots => slots.map((slot) => slot.ariaLabel)") == picked
    for emptied in (1, 0):  # a gap between two cards, then none in the first register
        page.locator("#plan .slot").nth(emptied).click()
        left = page.locator("#plan .slot").evaluate_all("slots => slots.map((slot) => slot.ariaLabel)")
        page.reload()
        wait(page, "document.querySelectorAll('#plan .slot.full').length > 0")
        assert page.locator("#plan .slot").evaluate_all("slots => slots.map((slot) => slot.ariaLabel)") == left
    start(page, server, "blotto")
    wait_for_turn(page)
    page.locator("#plan .entries input").first.fill("3")
    page.wait_for_timeout(200)
    page.reload()
    wait(page, "document.querySelector('#plan .entries input')?.value === '3'")


def test_the_board_shows_an_allocation_that_is_over_budget(page: Any, server: Server) -> None:
    start(page, server, "blotto")
    wait_for_turn(page)
    wait(page, "document.querySelector('#board [data-entry].may') !== null")
    before = page.inner_html("#board svg")
    page.locator("#plan .entries input").first.fill("7")
    page.wait_for_timeout(400)
    wait(page, "document.querySelector('#plan .total').textContent.includes('too many')")
    assert page.inner_html("#board svg") != before and page.inner_text("#plan [role=alert]") == ""
    assert page.locator("#plan .primary").is_disabled()


def test_another_choice_replaces_one_that_waits_to_be_committed(page: Any, server: Server) -> None:
    start(page, server, "goofspiel")
    wait_for_turn(page)
    click(page, "#board .may[data-part='3']")
    wait(page, f"{CHIPS} === '3'")
    click(page, "#board .may[data-part='1']")
    wait(page, f"{CHIPS} === '1'")
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length >= 1")


def test_whoever_opens_the_plain_address_on_the_servers_machine_drafts(browser: Any, served: Any) -> None:
    wrong: list[str] = []
    page = open_page(browser, 1280, wrong)
    page.goto(served.url)
    page.click("#live")
    until(page, "document.querySelectorAll('#players .player button.take:not(:disabled)').length > 0")
    assert wrong == []


def test_the_review_of_an_allocation_says_what_it_was_worth(page: Any, server: Server) -> None:
    compile_first("blotto", "strong")
    start(page, server, "blotto")
    wait_for_turn(page)
    for field, units in zip(page.locator("#plan .entries input").all(), (10, 0, 0, 0), strict=True):
        field.fill(str(units))
    wait(page, "!document.querySelector('#plan .primary').disabled")
    page.click("#plan .primary")
    wait(page, "!document.querySelector('#result').hidden")
    page.click("#review")
    page.wait_for_url("**/review/**")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", 120)
    assert "accuracy" in page.inner_text("#accuracy") and "nothing is known" not in page.inner_text("#accuracy")
    assert page.locator("#worst .decision").count() >= 1, "all units on the smallest front"
    wait(page, "document.querySelector('#here [data-plan=\"1\"]') !== null")
    values = [float(text) for text in page.locator("#here .finding .number").all_inner_texts()]
    assert values[0] < values[1]


def test_a_game_against_a_person_is_not_analysed_before_it_is_over(page: Any, server: Server) -> None:
    start(page, server, "tictactoe", ["person", "person"])
    wait_for_turn(page)
    assert page.locator("#analyse").is_hidden()
    start(page, server, "tictactoe", ["person", "random"])
    wait_for_turn(page)
    assert page.locator("#analyse").is_visible()


def test_an_analysis_of_robots_compares_programmes_that_differ_and_opens_again_on_a_hand(
    page: Any, server: Server
) -> None:
    compile_first("roborally", "strong", robots=2)
    for _ in range(2):
        page.goto(f"{server.url}/analyse/roborally?robots=2")
        wait(page, "document.querySelectorAll('#lines tbody tr').length >= 3", 120)
        reported = page.locator("#lines tbody tr td:first-child").all_inner_texts()
        assert len(set(reported)) == len(reported) and "Chance" not in page.inner_text("#status")
        page.goto(server.url)
