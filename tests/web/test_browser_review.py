"""Looking back and puzzles in a real Chromium: reviews of whole games, puzzles by clicks and by keyboard, variations, home."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from web.serving import Server
from web.test_browser import compile_first, held, over, page, play_out, start, tab_to, wait, wait_for_turn

from stratagem.puzzles import Puzzle, of_game, shipped

__all__ = ["page"]  # the fixture

pytestmark = pytest.mark.slow

THROWN = ["a1", "a2", "b1", "b2", "c3", "c2"]  # X could win at c1, and O then wins at c2
SECONDS = 200  # within which a short game is judged, where its engine may have to be compiled


def reviewed(page: Any) -> None:
    """From the result panel to a review that is done."""
    assert over(page)
    page.click("#review")
    page.wait_for_url("**/review/**")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)


def test_a_race_of_robots_is_reviewed_as_each_seat_saw_it(page: Any, server: Server) -> None:
    compile_first("roborally", "strong", robots=2, max_turns=2)
    start(page, server, "roborally", ["person", "random"], robots="2", max_turns="2")
    play_out(page, random.Random(5))
    reviewed(page)
    assert page.locator("#accuracy tr").count() == 2 and "accuracy" in page.inner_text("#accuracy")
    assert page.locator("#graph .course").count() == 2, "a line a seat, for each knew something else"
    page.evaluate("document.querySelector('#all').open = true")
    decisions = page.locator("#decisions tbody tr")
    assert decisions.count() >= 4
    assert page.locator("#decisions tbody td:nth-child(4)", has_text="%").count() >= 4, "each programme has a worth"
    # one seat's decision: its own hand and no other, with the way that the better programme would have gone
    page.locator("#viewer").select_option("0")
    page.locator("#decisions button").first.click()
    wait(page, "document.querySelector('#here [data-plan]') !== null")
    first = page.locator("#viewer").input_value()
    assert page.locator("#board [data-piece]").count() == 9
    hand = {card.get_attribute("data-piece") for card in page.locator("#board [data-piece]").all()}
    page.locator("#viewer").select_option("1" if first == "0" else "0")
    page.wait_for_timeout(300)
    other = {card.get_attribute("data-piece") for card in page.locator("#board [data-piece]").all()}
    assert hand.isdisjoint(other), "hands are dealt from one deck"
    if page.locator("#worst .decision").count():
        page.locator("#worst .decision").first.click()
        wait(page, "document.querySelector('#here [data-plan=\"1\"]')?.ariaPressed === 'true'")
        assert "Better (" in page.inner_text("#status")
        assert "if nobody interferes" in page.get_attribute("#board svg", "aria-label")
    page.reload()
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", 10)


def test_a_game_of_minions_is_reviewed_and_the_better_turn_is_drawn(page: Any, server: Server) -> None:
    compile_first("minions", "strong", plies=4, maps="BlackenedShores")
    start(page, server, "minions", ["person", "random"], plies="4", maps="BlackenedShores")
    play_out(page, random.Random(11))
    reviewed(page)
    assert page.locator("#graph .course").count() == 1, "both see everything, so one line says all"
    assert page.locator("#worst .decision").count() >= 1, "turns at random lose something"
    page.locator("#worst .decision").first.click()
    wait(page, "document.querySelector('#here [data-plan=\"1\"]')?.ariaPressed === 'true'")
    assert page.locator("#here .finding details:not([open])").count() >= 1, "a long turn is folded"
    better = page.inner_html("#board svg")
    page.click("#here [data-plan='0']")
    wait(page, "document.querySelector('#status').textContent.includes('Played (')")
    page.wait_for_timeout(300)
    assert page.inner_html("#board svg") != better
    page.click("#here a:has-text('Analyse')")
    page.wait_for_url("**/analyse/minions**")
    wait(page, "/to decide/.test(document.querySelector('#status').textContent)")


def test_a_review_is_stopped_gone_on_with_and_stepped_through_by_keyboard(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/othello?size=4#")
    wait(page, "/to decide/.test(document.querySelector('#status').textContent)")
    import stratagem
    from stratagem.rng import generator

    position, rng = stratagem.game("othello", size=4).start(), generator(3)
    while not position.over:
        position = position.play(position.sample(rng))
    page.fill("#import", json.dumps({"game": "othello", "options": {"size": 4}, "moves": list(position.history)}))
    page.click("#load")
    wait(page, "document.querySelector('#status').textContent.startsWith('Over')")
    page.click("#look")
    page.wait_for_url("**/review/**")
    wait(page, "document.querySelector('#go').textContent === 'Stop'")
    page.click("#go")
    wait(
        page,
        "['Go on', ''].includes(document.querySelector('#go').textContent) || document.querySelector('#go').hidden",
        60,
    )
    if not page.locator("#go").is_hidden():
        assert "Stopped after" in page.inner_text("#work")
        page.click("#go")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)
    page.locator("h1").click()
    page.keyboard.press("Home")
    wait(page, "document.querySelector('#status').textContent.startsWith('1 of')")
    page.keyboard.press("ArrowRight")
    wait(page, "document.querySelector('#status').textContent.startsWith('2 of')")
    page.keyboard.press("End")
    wait(page, "document.querySelector('#status').textContent.includes('The end')")
    tab_to(page, "#worst .decision") if page.locator("#worst .decision").count() else None


def test_home_shows_your_games_as_they_stand_and_leads_to_their_review(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    wait_for_turn(page)
    page.goto(server.url)
    page.wait_for_selector("#mine svg")
    assert "your turn" in page.inner_text("#mine") and "against the computer (random)" in page.inner_text("#mine")
    page.click("#mine .button:has-text('Open')")
    page.wait_for_url("**/play/**")
    play_out(page, random.Random(2))
    page.goto(server.url)
    page.wait_for_selector("#mine .button:has-text('Review'):visible")
    page.click("#mine .button:has-text('Review')")
    page.wait_for_url("**/review/**")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)


def test_a_game_begins_with_one_click_in_one_of_its_usual_ways(page: Any, server: Server) -> None:
    page.goto(server.url)
    page.select_option("#level", "easy")
    card = page.locator(".grid .card", has=page.locator("[data-quick=bidding]"))
    card.locator("select").select_option("all pay")
    card.locator("[data-quick]").click()
    page.wait_for_url("**/play/**")
    wait_for_turn(page)
    assert "bid" in page.inner_text("#status") and page.locator("#board").inner_text().count("8") >= 2


def test_lists_are_offered_where_there_are_some_and_others_can_be_typed(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/games/bidding")
    page.wait_for_selector("#seats select")
    page.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })")
    page.select_option("#o-over", "connect4")
    wait(page, "document.querySelector('#seats label').textContent === 'Yellow'")
    page.select_option("#o-over", "")
    page.fill("[data-other=o-over]", "hex:size=3")
    page.locator("h1").click()
    wait(page, "document.querySelector('#seats label').textContent !== 'Yellow'")
    page.goto(f"{server.url}/games/roborally")
    assert page.locator("#o-course option").count() > 10


def one_of(game: str, plain: bool = True) -> Puzzle:
    return next(one for one in of_game(game) if not plain or len(one.best[0]) < 8)


def test_a_puzzle_of_one_click_is_solved_after_a_wrong_answer_and_remembered(page: Any, server: Server) -> None:
    one = one_of("connect4")
    page.goto(f"{server.url}/puzzles/{one.number}")
    page.wait_for_selector("#board .may")
    page.locator(f"#board .may[data-part='{one.second}']").first.dispatch_event("click")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Better exists')")
    page.click("#hint")
    wait(page, "document.querySelectorAll('#hints li').length == 1")
    page.locator(f"#board .may[data-part='{one.best[0]}']").first.dispatch_event("click")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')")
    page.goto(f"{server.url}/puzzles")
    assert "solved" in (page.locator(f".numbers [href='/puzzles/{one.number}']").get_attribute("class") or "")
    assert "1 solved" in page.inner_text("#count")
    page.goto(f"{server.url}/puzzles/{one.number}")
    wait(page, "!document.querySelector('#solved').hidden")


def test_a_mistake_of_ones_own_is_missed_asked_again_and_kept_in_the_browser(page: Any, server: Server) -> None:
    made = page.request.post(f"{server.url}/api/records", data={"game": "tictactoe", "moves": THROWN}).json()
    page.goto(f"{server.url}/review/{made['table']}")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)
    page.click("#mistakes")
    page.wait_for_url("**/mistakes/**/4/0")
    page.wait_for_selector("#board .may")
    assert "You played" in page.inner_text("#kind")
    page.locator("#board .may[data-part=a3]").first.dispatch_event("click")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Better exists')", 60)
    page.locator("#board .may[data-part=c1]").first.dispatch_event("click")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')")
    page.goto(f"{server.url}/puzzles")
    page.wait_for_selector("#mine:not([hidden])")
    assert "1 of them missed before" in page.inner_text("#mine-count"), "it was found at the second go alone"
    page.evaluate("document.querySelector('#mine details').open = true")
    page.locator("#mine li a", has_text="move 5").click()
    page.wait_for_selector("#board .may")
    page.locator("#board .may[data-part=c1]").first.dispatch_event("click")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')")
    page.goto(f"{server.url}/puzzles")
    wait(page, "document.querySelector('#mine ul').textContent.includes('solved, asked again later')")


def test_a_programme_is_found_by_picking_cards(page: Any, server: Server) -> None:
    one = one_of("roborally", plain=False)
    page.goto(f"{server.url}/puzzles/{one.number}")
    page.wait_for_selector("#board .may[data-piece]")
    cards = one.best[0].split()[0].split(",")
    for card in cards:
        page.locator(f"#board [data-piece='{card}']").dispatch_event("click")
    wait(page, "!document.querySelector('#plan .primary').disabled")
    page.click("#plan .primary")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')", SECONDS)


def test_a_plan_is_shown_as_the_solution_and_typed(page: Any, server: Server) -> None:
    one = one_of("roborally", plain=False)
    page.goto(f"{server.url}/puzzles/{one.number}")
    page.wait_for_selector("#board .may")
    page.click("#solution")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('The solution')")
    page.click("#again")
    wait(page, "!document.querySelector('#plan').hidden")
    page.evaluate("document.querySelector('#plan details').open = true")
    page.fill("#plan form input[type=text]", one.best[0])
    page.press("#plan form input[type=text]", "Enter")
    wait(page, "!document.querySelector('#plan .primary').disabled")
    page.click("#plan .primary")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')", SECONDS)


def test_a_bid_is_found_with_the_keyboard_alone(page: Any, server: Server) -> None:
    one = next(p for p in of_game("bidding") if p.best[0].isdecimal())
    page.goto(f"{server.url}/puzzles/{one.number}")
    page.wait_for_selector("#board .may, #plan .choice")
    tab_to(page, "#plan summary")  # the list of what the board offers
    page.keyboard.press("Enter")
    tab_to(page, f"#plan .choice[data-choice='{one.best[0]}']")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    if page.locator("#plan .primary").is_visible() and held(page, "!document.querySelector('#plan .primary').disabled"):
        tab_to(page, "#plan .primary")
        page.keyboard.press("Enter")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('Right')")


def test_variations_are_commented_promoted_dropped_and_survive_reload_and_back(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/tictactoe?m=b2&m=a1")
    wait(page, "document.querySelector('#status').textContent.startsWith('X to decide')")
    page.fill("#comment", "the corner")
    page.press("#comment", "Enter")
    page.locator("h1").click()
    wait(page, "document.querySelector('#tree .comment')?.textContent.includes('the corner')")
    page.click("#up")
    wait(page, "document.querySelector('#status').textContent.startsWith('O to decide')")
    page.locator("#board .may[data-part=a2]").dispatch_event("click")
    wait(page, "document.querySelectorAll('#tree .branch').length == 1")
    assert "a2" in page.inner_text("#tree .branch") and "2. a2" in page.inner_text("#tree")
    page.click("#promote")
    wait(page, "document.querySelector('#tree .branch').textContent.includes('a1')")
    page.reload()
    wait(page, "document.querySelector('#tree .branch')?.textContent.includes('the corner')")
    page.go_back()
    wait(page, "document.querySelector('#tree .branch')?.textContent.includes('the corner')")
    with page.expect_download() as saved:
        page.click("#save")
    record = json.loads(saved.value.path().read_text())
    assert [child["move"] for child in record["tree"]["children"][0]["children"]] == ["a2", "a1"]
    assert record["tree"]["children"][0]["children"][1]["comment"] == "the corner"
    page.goto(f"{server.url}/analyse/nim")
    wait(page, "/to decide/.test(document.querySelector('#status').textContent)")
    page.fill("#import", json.dumps(record))
    page.click("#load")
    page.wait_for_url("**/analyse/tictactoe**")
    wait(page, "document.querySelector('#tree .branch')?.textContent.includes('the corner')")
    page.locator("#tree button", has_text="a1").click()
    wait(page, "document.querySelector('#comment').value === 'the corner'")
    page.click("#prune")
    wait(page, "document.querySelectorAll('#tree .branch').length == 0")


def test_an_analysis_goes_on_until_it_is_stopped_and_does_not_begin_anew(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/othello")
    page.wait_for_selector("#lines tbody tr", timeout=120_000)
    page.check("#engine [value=server]")
    page.select_option("#engine select", "mcts")
    page.check("#engine [name=endless]")
    if "Stop" in page.inner_text("#think"):
        page.click("#think")
    page.click("#think")
    visits = "Number(document.querySelector('#lines td.visits').textContent.replaceAll(',', ''))"
    wait(page, f"document.querySelector('#work').textContent.startsWith('mcts') && {visits} > 2000", 120)
    page.click("#think")
    wait(page, "document.querySelector('#think').textContent === 'Analyse'")
    page.wait_for_timeout(500)
    before = page.evaluate(visits)
    page.uncheck("#engine [name=endless]")
    page.fill("#engine [name=seconds]", "0.3")
    page.click("#think")
    wait(page, f"document.querySelector('#think').textContent === 'Analyse' && {visits} > {before}", 60)


def test_axe_finds_nothing_on_the_new_pages_and_nothing_runs_over_the_edge(browser: Any, server: Server) -> None:
    from axe_playwright_python.sync_playwright import Axe

    games = sorted({one.game for one in shipped()})
    for width, theme in ((390, "dark"), (1280, "light"), (390, "light"), (1280, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
        page = context.new_page()
        page.set_default_timeout(120_000)
        made = page.request.post(
            f"{server.url}/api/records", data={"game": "tictactoe", "moves": ["a1", "a2", "b1", "b2", "c3", "c2"]}
        ).json()
        paths = [
            "/",
            "/puzzles",
            f"/review/{made['table']}",
            *(f"/puzzles/{of_game(game)[0].number}" for game in games),
        ]
        for path in paths:
            page.goto(server.url + path)
            if path.startswith("/review"):
                wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)
                page.locator("#worst .decision").first.click()
                page.evaluate("document.querySelector('#all').open = true")
            page.wait_for_timeout(600)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (path, width)
            found = Axe().run(page).response["violations"]
            lines = [(v["id"], v["impact"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found]
            assert not lines, (path, theme, lines)
        context.close()


def test_the_review_of_a_game_against_the_computer_fits_a_telephone(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    start(page, server, "tictactoe", ["person", "random"])
    wait_for_turn(page)
    page.locator("#board .may").first.dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length >= 2")
    for _ in range(2):  # the second says that it is meant
        page.click("#resign")
    page.click("#review")
    page.wait_for_url("**/review/**")
    wait(page, "document.querySelector('#work').textContent.startsWith('Judged by')", SECONDS)
    assert page.inner_text("#accuracy").count("accuracy") == 2
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    context.close()


def test_the_new_pages_are_light(page: Any, server: Server) -> None:
    wire: list[Any] = []

    def finished(request: Any) -> None:
        wire.append(request)

    page.on("requestfinished", finished)
    games = sorted({one.game for one in shipped()})
    for path in ("/", "/puzzles", *(f"/puzzles/{of_game(game)[0].number}" for game in games)):
        wire.clear()
        page.goto(server.url + path, wait_until="networkidle")
        weight = sum(request.sizes()[f"response{part}Size"] for request in wire for part in ("Body", "Headers"))
        assert weight < 150_000, (path, weight)
