"""The board in a real Chromium: what moves is seen to move, once and in order; clicking, dragging, exchanging, reduced motion."""

from __future__ import annotations

from typing import Any

import pytest
from web.serving import Server, bearer, new_table
from web.test_browser import page as page  # the fixture
from web.test_browser import start, wait, wait_for_turn

CAPTIONS = """() => {
    window.captions = [];
    new MutationObserver(() => window.captions.push(document.querySelector('#status').textContent))
        .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true });
}"""


def centre(page: Any, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_piece_is_exchanged_for_another_let_go_and_dragged(page: Any, server: Server) -> None:
    start(page, server, "breakthrough", ["person", "random"], rows="5", columns="3")
    wait_for_turn(page)
    first, second = ("#board [data-place='a2']", "#board [data-place='b2']")
    page.locator(first).dispatch_event("click")
    assert page.locator(f"{first}.chosen").count() == 1 and page.locator("#board .target").count() == 2
    page.locator(second).dispatch_event("click")
    assert page.locator(f"{second}.chosen").count() == 1 and page.locator(f"{first}.chosen").count() == 0
    assert page.locator("#board .target").count() == 3
    page.locator(second).dispatch_event("click")
    assert page.locator("#board .chosen").count() == 0
    page.mouse.move(*centre(page, second))
    page.mouse.down()
    page.mouse.move(*centre(page, "#board [data-place='b3']"), steps=6)
    page.mouse.up()
    wait(page, "document.querySelectorAll('#moves li').length == 2")
    assert "b2 goes to b3" in page.locator("#moves li").first.inner_text()


def test_a_mark_is_laid_where_a_piece_comes_to_rest_also_while_it_moves(page: Any, server: Server) -> None:
    page.goto(server.url)
    begins = page.evaluate(
        """async () => {
            const { Board } = await import('/static/board.js');
            const place = document.querySelector('main');
            const drawing = (k) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50" width="200" height="50">` +
                [0, 1, 2, 3].map((i) => `<g data-place="p${i}"><rect x="${50 * i}" y="0" width="50" height="50"/>` +
                    (i === k ? `<circle data-id="stone" cx="${50 * i + 25}" cy="25" r="20"/>` : '') + '</g>').join('') + '</svg>';
            const board = new Board(place, {});
            board.draw(drawing(0));
            board.draw(drawing(2), { tween: 60000 });
            board.layer('last', [{ kind: 'arrow', places: ['p2', 'p3'] }]);
            const moving = place.getAnimations({ subtree: true }).filter((one) => one.playState === 'running').length;
            const line = place.querySelector('.mark-arrow line');
            return [moving, line.getAttribute('x1'), line.getAttribute('y1')];
        }"""
    )
    assert begins == [1, "125.0", "25.0"]


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_moved_is_seen_to_move_unless_the_reader_wants_stillness(
    browser: Any, server: Server, motion: str
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion=motion)
    context.add_init_script("localStorage.setItem('stratagem.speed', '0')")
    page = context.new_page()
    page.add_init_script(
        """
        window.animated = 0;
        const real = Element.prototype.animate;
        Element.prototype.animate = function (...given) { window.animated += 1; return real.apply(this, given); };
        """
    )
    start(page, server, "breakthrough", ["person", "random"], rows="5", columns="3")
    wait_for_turn(page)
    for place in ("a2", "a3"):
        page.locator(f"#board [data-place='{place}']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length == 2")
    wait_for_turn(page)
    assert (page.evaluate("window.animated") > 0) == (motion == "no-preference")
    assert page.locator("#board [data-place='a3'] [data-id]").count() == 1
    context.close()


@pytest.mark.slow
def test_a_turn_is_played_back_part_by_part_once_and_whoever_looks_back_is_left_alone(
    page: Any, server: Server
) -> None:
    start(page, server, "minions", ["person", "random"], plies="6")
    wait_for_turn(page)
    page.locator("#speed").fill("3")
    page.evaluate(CAPTIONS)
    page.evaluate(
        """() => {
            window.long = [];
            new PerformanceObserver((list) => window.long.push(...list.getEntries().map((task) => task.duration)))
                .observe({ type: 'longtask' });
        }"""
    )
    page.locator("#plan .choice").first.click()
    wait(page, "document.querySelectorAll('#plan .chips li').length == 1")
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length == 2", 60)
    wait_for_turn(page)
    steps = [
        text.rpartition("(")[2].rstrip(")").split(" of ") for text in page.evaluate("window.captions") if " of " in text
    ]
    counted = [int(k) for k, _ in steps]
    assert len(counted) > 3 and counted == list(range(1, len(counted) + 1)), "in order, and each once"
    page.click("#first")
    wait(page, "document.querySelector('#status').textContent === 'Looking back: the start'")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.wait_for_timeout(300)
    assert page.inner_text("#status") == "Looking back: the start"


@pytest.mark.slow
def test_bids_that_cannot_be_paid_look_so_and_only_the_bid_chosen_is_marked(page: Any, server: Server) -> None:
    start(page, server, "bidding", ["person", "random"], chips="2,4")
    wait_for_turn(page)
    cannot = [part.get_attribute("data-part") for part in page.locator("#board .cannot").all()]
    assert cannot == ["3", "4"]


@pytest.mark.slow
def test_the_card_that_is_bought_is_marked_and_no_other(page: Any, server: Server) -> None:
    start(page, server, "minions", ["person", "random"])
    wait_for_turn(page)
    card = page.locator("#board .may[data-part^='tech 0 '], #board .may[data-part='tech 1']").first
    part = card.get_attribute("data-part")
    card.dispatch_event("click")
    wait(page, "document.querySelectorAll('#plan .chips li').length == 1")
    marked = [element.get_attribute("data-part") for element in page.locator("#board .chosen").all()]
    assert set(marked) <= {part}


@pytest.mark.slow
def test_the_result_is_reported_and_a_rematch_begins_with_seats_swapped(page: Any, server: Server) -> None:
    start(page, server, "nim", ["person", "random"], heaps="1,1")
    wait_for_turn(page)
    page.locator("#board .may").first.dispatch_event("click")
    wait(page, "!document.querySelector('#result').hidden")
    assert page.inner_text("#result-title") == "You lost."
    before = page.url
    page.click("#swap")
    wait(
        page, f"location.href.split('#')[0] !== {before!r} && document.querySelector('#status').textContent.length > 0"
    )
    wait_for_turn(page)
    assert "Second" in page.locator("#seats .seat", has_text="You").inner_text()


@pytest.mark.slow
def test_a_clock_is_seen_to_run_and_its_flag_ends_the_game(page: Any, server: Server) -> None:
    import httpx

    with httpx.Client(base_url=server.url) as client:
        made = new_table(client, "tictactoe", ["person", "random"], clock={"seconds": 2.0})
        page.goto(f"{server.url}/play/{made['table']}#seat={made['tokens']['0']}")
        page.wait_for_selector("#seats .clock")
        wait(page, "document.querySelector('#outcome').textContent.includes('no time left')", 10)
        assert client.get(f"/api/tables/{made['table']}", headers=bearer(made["tokens"]["0"])).json()["turn"] == "over"


@pytest.mark.slow
def test_the_sound_of_ones_turn_can_be_off_and_stays_so(page: Any, server: Server) -> None:
    page.add_init_script(
        """
        window.tones = 0;
        const real = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { window.tones += 1; return real.apply(this); };
        """
    )
    start(page, server, "tictactoe", ["person", "easy"])
    wait_for_turn(page)
    assert page.inner_text("#sound") == "Sound: on"
    page.mouse.click(5, 5)  # a browser is silent until somebody has clicked something
    page.locator("#board .may").first.dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length == 2 && window.tones == 1")
    page.click("#sound")
    assert page.inner_text("#sound") == "Sound: off"
    page.reload()
    wait_for_turn(page)
    assert page.inner_text("#sound") == "Sound: off"
    page.mouse.click(5, 5)
    page.locator("#board .may").first.dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length == 4")
    wait_for_turn(page)
    assert page.evaluate("window.tones") == 0
    page.click("#sound")
    assert page.inner_text("#sound") == "Sound: on"


@pytest.mark.slow
def test_a_game_is_begun_with_one_click_and_listed_at_home(page: Any, server: Server) -> None:
    page.goto(server.url)
    page.select_option("#level", "easy")
    page.click("[data-quick=tictactoe]")
    page.wait_for_url("**/play/**")
    wait_for_turn(page)
    page.goto(server.url)
    assert "against the computer (easy): your turn" in page.inner_text("#mine")
    assert page.locator(".family h3").first.inner_text() == "RoboRally", "plans come first"
