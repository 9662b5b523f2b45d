"""What a table's page offers beside the board: the walk from unit to unit, the rest by an engine, the rules, replays, results;
and the pages around it: candidates as pictures, the own league, one's own turn first."""

from __future__ import annotations

import json
from typing import Any

import pytest
from web.kinds import KINDS, opened
from web.serving import Server
from web.test_browser import page, start, type_in, wait, wait_for_turn

import stratagem
from stratagem.registry import game_names
from stratagem.web.app import choice_in_words

__all__ = ["page"]  # the fixture

pytestmark = pytest.mark.slow

CHIPS = "[...document.querySelectorAll('#plan .chips li:not(.pointed)')].map((chip) => chip.title)"
ADDED = "document.querySelectorAll('#plan .chips .added').length"
POINTED = "document.querySelector('#plan .chips .pointed')"

# The height in pixels of the smallest label that can be seen on the board, or 99.
SMALLEST = """() => {
  const seen = (text) => text.textContent.trim() && getComputedStyle(text).visibility === 'visible';
  const high = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d;
  return Math.min(99, ...[...document.querySelectorAll('#board > svg text')].filter(seen).map(high));
}"""


def telephone(browser: Any) -> Any:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
    found = context.new_page()
    found.set_default_timeout(120_000)
    return found


def click(page: Any, selector: str) -> None:
    page.locator(selector).first.dispatch_event("click")


def events(page: Any, path: str, kind: str, data: Any) -> None:
    """A server whose stream at a path says one thing."""
    body = f"event: {kind}\ndata: {json.dumps(data)}\n\n"
    page.route(path, lambda route: route.fulfill(content_type="text/event-stream", body=body))


def test_next_unit_goes_from_one_to_the_next_and_past_those_that_stay(page: Any, server: Server) -> None:
    start(page, server, "minions", maps="BlackenedShores")
    wait_for_turn(page)
    page.click("#plan button:has-text('Next unit')")
    wait(page, f"{POINTED} !== null")
    first = page.inner_text("#plan .chips .pointed")
    click(page, "#board .may.target")
    wait(page, f"{CHIPS}.length === 1 && {POINTED} !== null")
    second = page.inner_text("#plan .chips .pointed")
    assert second != first, "another unit is pointed at, unasked"
    page.click("#plan button:has-text('Next unit')")
    wait(page, f"{POINTED}.textContent !== {json.dumps(second)}")
    assert page.evaluate(f"{CHIPS}.length") == 1, "who is passed over does nothing"


def test_a_click_where_the_unit_pointed_at_cannot_go_is_for_the_next_one_that_can(page: Any, server: Server) -> None:
    start(page, server, "minions", maps="BlackenedShores")
    wait_for_turn(page)
    page.click("#plan button:has-text('Next unit')")
    wait(page, f"{POINTED} !== null")
    reached = page.locator("#board .may.target").evaluate_all("all => all.map((one) => one.dataset.place)")
    moves = page.locator("#plan [data-choice*=' move ']").evaluate_all("all => all.map((one) => one.dataset.choice)")
    pointed = moves[0].split()[-1][:2]
    offers = stratagem.game("minions", maps="BlackenedShores").start().parts(()).next
    goals = [part.split()[-1] for part in offers if " move " in part]
    far = next(goal[2:] for goal in goals if goal[:2] != pointed and f"0 {goal[2:]}" not in reached)
    click(page, f"#board [data-place='0 {far}']")
    wait(page, f"{CHIPS}.length === 1")
    assert page.evaluate(f"{CHIPS}[0]").endswith(far)


def test_the_rest_of_a_turn_is_shown_undone_and_played_by_nobody_else(page: Any, server: Server) -> None:
    start(page, server, "minions", maps="BlackenedShores")
    wait_for_turn(page)
    type_in(page, "board 0 move c1c0")
    wait(page, f"{CHIPS}.length === 1")
    events(page, "**/finish", "done", {"parts": ["board 0 move c1c0", "tech 1", "board 0 move b3a4"]})
    page.click("#plan button:has-text('Finish the rest for me')")
    wait(page, f"{ADDED} === 2")
    assert "has added 2 parts" in page.inner_text("#plan [role=status]")
    assert page.locator("#moves li").count() == 0, "nothing is played"
    page.click("#plan button:has-text('Undo part')")
    wait(page, f"{CHIPS}.join() === 'board 0 move c1c0'")
    assert page.evaluate(ADDED) == 0


def test_the_rules_and_pieces_are_reported_once_they_are_asked_for(page: Any, server: Server) -> None:
    start(page, server, "minions")
    wait_for_turn(page)
    page.click("#rules summary")
    wait(page, "document.querySelectorAll('#rules dt').length > 10")
    assert "Zombie" in page.inner_text("#rules dl") and len(page.inner_text("#rules p")) > 100


def test_three_steps_lead_through_a_first_turn_and_are_not_reported_again(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    wait(page, "document.querySelectorAll('#first-time:not([hidden]) li').length === 3")
    click(page, "#board .may")
    wait(page, "document.querySelector('#first-time').hidden")
    wait_for_turn(page)
    assert page.locator("#first-time").is_hidden()
    start(page, server, "connect4")
    wait_for_turn(page)
    assert page.locator("#first-time").is_hidden(), "a plan of the same kind"
    start(page, server, "skirmish")
    wait_for_turn(page)
    wait(page, "document.querySelectorAll('#first-time:not([hidden]) li').length === 3")
    page.click("#first-time button")
    page.reload()
    wait_for_turn(page)
    assert page.locator("#first-time").is_hidden()


def test_a_card_is_dragged_from_one_register_to_another(page: Any, server: Server) -> None:
    start(page, server, "roborally", ["person", "random"], robots="2", max_turns="2")
    wait_for_turn(page)
    for k in range(2):
        page.locator("#plan .hand .pick").nth(k).click()
    wait(page, "document.querySelectorAll('#plan .slot.full').length === 2")
    labels = "[...document.querySelectorAll('#plan .slot')].map((slot) => slot.ariaLabel.split(': ')[1])"
    first, second = page.evaluate(labels)[:2]
    page.locator("#plan .slots").scroll_into_view_if_needed()
    for slot in (0, 3):
        box = page.locator("#plan .slot").nth(slot).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if slot == 0:
            page.mouse.down()
    page.mouse.up()
    wait(page, f"{labels}[0] === 'empty'")
    assert page.evaluate(labels) == ["empty", second, "empty", first, "empty"]


def test_a_replay_says_where_it_is_and_is_skipped(page: Any, server: Server) -> None:
    page.add_init_script("localStorage.setItem('stratagem.speed', '0')")  # a whole game would take a minute
    start(page, server, "connect4", ["random", "random"])
    wait(page, "/^\\d+ of \\d+$/.test(document.querySelector('#where').textContent)")
    wait(page, "!document.querySelector('#skip').hidden")
    page.click("#skip")  # while the engines play on
    wait(page, "(([at, , whole]) => at === whole)(document.querySelector('#where').textContent.split(' '))")
    page.click("#first")
    wait(page, "document.querySelector('#where').textContent.startsWith('0 of ')")


def test_the_result_says_who_won_and_by_what(page: Any, server: Server) -> None:
    start(page, server, "othello", ["random", "random"], size="4")
    wait(page, "!document.querySelector('#result').hidden", 60)
    said = page.inner_text("#result-title")
    assert said.startswith(("Black won ", "White won ", "A draw, ")) and " : " in said
    assert page.locator("#result .seat .number").count() == 2


def test_whoever_loses_is_reported_so(page: Any, server: Server) -> None:
    start(page, server, "tictactoe", ["person", "person"])
    wait_for_turn(page)
    page.click("#resign")
    page.click("#resign")
    wait(page, "document.querySelector('#result-title').textContent === 'You lost.'")


def test_candidates_are_pictures_and_say_what_sets_them_apart(page: Any, server: Server) -> None:
    position = stratagem.game("minions").start()
    plans = [
        "tech 1;board 0 move c1c0;board 1 move c1c0",
        "tech 0;board 0 move c1c0;board 0 move c3c4;board 1 move c1c0",
    ]
    lines = [{"moves": [plan], "value": value, "visits": 9} for plan, value in zip(plans, (0.2, 0.1), strict=True)]
    choice = {
        "best": plans[0], "value": 0.2, "lines": lines, "engine": "medium", "depth": None, "nodes": None, "seconds": 1.0,
    }  # fmt: skip
    events(page, "**/api/analyse", "done", choice_in_words(position, choice, 0))
    page.goto(f"{server.url}/analyse/minions")
    wait(page, "document.querySelectorAll('#lines tbody tr').length === 2")
    wait(
        page, "document.querySelectorAll('#lines .miniature svg').length === 3"
    )  # of each board, then of the one that differs
    drawn = [row.locator(".miniature svg").count() for row in page.locator("#lines tbody tr").all()]
    assert drawn == [2, 1]
    assert page.locator("#lines .apart .has").all_inner_texts() == ["Zombie c3 goes to c4", "no technology"]
    assert page.locator("#lines .apart .lacks").all_inner_texts() == ["without:\nunlock Skeleton"]


def test_commit_stays_in_reach_on_a_telephone(browser: Any, server: Server) -> None:
    page = telephone(browser)
    try:
        start(page, server, "minions")
        wait_for_turn(page)
        page.locator("#plan [data-choice='tech 1']").first.dispatch_event("click")
        wait(page, f"{CHIPS}.length === 1")
        for top in (0, 10_000):
            page.evaluate("(top) => scrollTo(0, top)", top)
            page.wait_for_timeout(100)
            box = page.locator("#plan .commit .primary").bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 844 and box["height"] >= 40
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    finally:
        page.context.close()


@pytest.mark.parametrize("name", game_names())
def test_labels_on_a_board_are_at_least_eleven_pixels(browser: Any, server: Server, name: str) -> None:
    page = telephone(browser)
    try:
        start(page, server, name)
        wait_for_turn(page)
        assert page.evaluate(SMALLEST) > 10.9
        page.click("#zoom")
        assert page.evaluate(SMALLEST) > 10.9
        page.click("#zoom")  # all of it, however small
        assert page.evaluate(SMALLEST) > 10.9
    finally:
        page.context.close()


def test_a_league_of_ones_own_is_drafted_and_its_twelve_teams_fit(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}/drafts")
    page.fill("#teams", "12")
    page.fill("#you", "2")
    page.click("#own button.primary")
    page.wait_for_url("**/room/**")
    wait(page, "document.querySelectorAll('#board thead th').length === 12", 60)
    assert page.inner_text("#board thead .mine") == "Team 2"
    assert page.evaluate("(box => box.scrollWidth - box.clientWidth)(document.querySelector('#board'))") <= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_a_table_that_waits_for_its_player_comes_first_at_home(page: Any, server: Server) -> None:
    start(page, server, "tictactoe", ["person", "person"])  # one's own turn, the older table
    wait_for_turn(page)
    start(page, server, "connect4", ["person", "person"])
    wait_for_turn(page)
    click(page, "#board .may")
    wait(page, "document.querySelector('#status').textContent.startsWith('Waiting')")
    page.goto(server.url)
    wait(page, "document.querySelectorAll('#mine .tables > .card').length === 2")
    wait(page, "document.querySelector('#mine .tables > .card').classList.contains('turn-mine')")
    first = page.inner_text("#mine .tables > .card >> nth=0")
    assert "your turn" in first and ("just now" in first or "minute" in first), first


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_on_any_kind_of_page(browser: Any, server: Server, width: int, theme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # axe's own script is not the page's, so the policy is set aside while it looks
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    try:
        for kind in KINDS:
            opened(page, server.url, kind)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (kind, width)
            found = Axe().run(page).response["violations"]
            lines = [(v["id"], v["impact"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found]
            assert not lines, (kind, width, theme, lines)
    finally:
        context.close()
