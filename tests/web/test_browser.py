"""The pages in a real Chromium: whole games by clicking, a killed server, analysis by URL, keyboard, labels, weight."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web.kinds import KINDS
from web.serving import Server

import stratagem
from stratagem.contract.player import Clock
from stratagem.registry import game_names

# So that whole games stay short.
SMALL = {
    "nim": {"heaps": "1,2,3"}, "pig": {"target": "20"}, "hex": {"size": "3"}, "othello": {"size": "4"},
    "breakthrough": {"rows": "5", "columns": "3"}, "minions": {"plies": "4"},
    "roborally": {"robots": "2", "max_turns": "2"}, "risk": {"players": "6", "claim": "deal", "turn_cap": "1"},
    "skirmish": {"map": "lane", "deck": "tiny", "points": "2", "turn_cap": "4"},
}  # fmt: skip


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page at once (no pauses in playback) that fails the test on any script error or refused resource."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
    found = context.new_page()
    found.set_default_timeout(120_000)
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda message: wrong.append(message.text) if "Security Policy" in message.text else None)
    found.on("request", lambda r: wrong.append(r.url) if not r.url.startswith(("http://127.0.0.1", "blob:")) else None)
    yield found
    context.close()
    assert wrong == []


def start(page: Any, server: Server, game: str, seats: list[str] | None = None, **options: str) -> None:
    page.goto(f"{server.url}/games/{game}")
    page.wait_for_selector("#seats select")
    page.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })")
    for name, value in options.items():
        field = page.locator(f"#o-{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.locator("h1").click()  # leave the field, so that the seats follow the options
    page.wait_for_timeout(200)
    for seat in range(page.locator("#seats select").count()):
        wanted = seats[seat] if seats else "person" if seat == 0 else "random"
        page.select_option(f"#seat-{seat}", wanted)
    page.click("#new button.primary")
    page.wait_for_url("**/play/**")


def wait(page: Any, holds: str, seconds: float = 120.0) -> None:
    """Wait until an expression holds in the page; Playwright's own waiting needs eval, which the pages' policy forbids."""
    end = time.monotonic() + seconds
    while not held(page, holds):
        assert time.monotonic() < end, f"it never held: {holds}; status: {page.inner_text('#status')}"
        page.wait_for_timeout(20)


def held(page: Any, holds: str) -> bool:
    from playwright.sync_api import Error

    try:
        return bool(page.evaluate(holds))
    except Error:  # between two pages there is nothing to look at
        return False


def over(page: Any) -> bool:
    return "The game is over" in page.inner_text("#status")


def wait_for_turn(page: Any) -> bool:
    """Whether there is something to decide; False when the game is over."""
    wait(
        page,
        "document.querySelector('#status').textContent.startsWith('The game is over') || !document.querySelector('#plan').hidden",
    )
    return not over(page)


def decide(page: Any, rng: random.Random) -> str:
    """One whole move: parts clicked on the board where they are, else in the list, then commit. How it was done."""
    ply = page.locator("#moves li").count()
    how = "list"
    for _ in range(200):
        on_board, listed = page.locator("#board .may"), page.locator("#plan .choice")
        commit = page.locator("#plan .primary")
        chips = page.locator("#plan .chips li").count()
        pieces = page.locator("#board .may[data-piece]")
        numbers = page.locator("#plan .stepper").count() > 0  # which add up from the start
        if pieces.count() and not chips:
            write_programme(page, rng)
            commit.click()
            how = "board"
        elif commit.is_enabled() and (numbers or (chips and (not listed.count() or rng.random() < 0.3))):
            commit.click()
        elif on_board.count():
            on_board.nth(rng.randrange(on_board.count())).dispatch_event("click")
            how = "board"
        elif listed.count():
            listed.nth(rng.randrange(min(listed.count(), 20))).click()
        else:
            raise AssertionError("there is nothing to click")
        page.wait_for_timeout(20)
        wait(page, "document.querySelector('#plan').ariaBusy !== 'true'")
        if page.locator("#plan").is_hidden() or page.locator("#moves li").count() != ply:
            return how
    raise AssertionError("the plan never came to an end")


def write_programme(page: Any, rng: random.Random) -> list[str]:
    """Pick as many cards of the hand as registers are open, in any order; the cards."""
    hand = [card.get_attribute("data-piece") for card in page.locator("#board .may[data-piece]").all()]
    chosen = rng.sample(hand, page.locator("#plan .slot").count())
    for card in chosen:
        page.locator(f"#board [data-piece='{card}']").dispatch_event("click")
    assert page.locator("#plan .slot.full").count() == len(chosen)
    wait(page, "!document.querySelector('#plan .primary').disabled")
    return chosen


def type_in(page: Any, text: str) -> None:
    """Type a move or a part of it, in the field that is folded away."""
    page.evaluate("document.querySelector('#plan details').open = true")
    page.fill("#plan form input[type=text]", text)
    page.press("#plan form input[type=text]", "Enter")


@pytest.mark.slow
def test_units_are_put_on_fronts_by_fields(page: Any, server: Server) -> None:
    start(page, server, "blotto")
    wait_for_turn(page)
    fields = page.locator("#plan .entries input")
    given = [int(field.input_value()) for field in fields.all()]
    commit = page.locator("#plan .primary")
    assert commit.is_enabled(), "the example is a legal plan"
    page.click("#plan .stepper >> nth=0 >> button >> nth=1")
    assert commit.is_disabled() and "1 too many" in page.inner_text("#plan .total"), "an overdrawn plan is not"
    page.click("#plan .stepper >> nth=-1 >> button >> nth=0")
    wait(page, "!document.querySelector('#plan .primary').disabled")
    plus = page.locator("#board [data-entry='1'][data-by='1']")
    wait(page, "document.querySelector('#board [data-entry].may') !== null")
    plus.dispatch_event("click")
    assert int(fields.nth(1).input_value()) == given[1] + 1, "the bars have steps of their own"
    page.locator("#board [data-entry='1'][data-by='-1']").dispatch_event("click")
    wait(page, "!document.querySelector('#plan .primary').disabled")
    commit.click()
    wait(page, "document.querySelectorAll('#moves li').length >= 1")


@pytest.mark.slow
def test_a_turn_of_minions_is_built_by_pointing_at_hexes_and_its_sketch_is_drawn(page: Any, server: Server) -> None:
    start(page, server, "minions")
    wait_for_turn(page)
    page.locator("#board [data-place='0 c1']").dispatch_event("click")
    wait(page, "document.querySelector('#plan .pointed') !== null")
    assert any("goes to" in text for text in page.locator("#plan .choice").all_inner_texts()), (
        "parts are shown in words"
    )
    assert page.locator("#board [data-place='0 c0'].target").count() == 1
    before = page.inner_html("#board [data-place='0 c0']")
    page.locator("#board [data-place='0 c0']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#plan .chips li:not(.pointed)').length == 1")
    assert page.get_attribute("#plan .chips li", "title") == "board 0 move c1c0"
    page.reload()
    wait(page, "document.querySelectorAll('#plan .chips li:not(.pointed)').length == 1")
    assert page.inner_html("#board [data-place='0 c0']") != before, "the unit is drawn where the plan moves it"
    page.click("#plan button:has-text('Undo part')")
    wait(page, "document.querySelectorAll('#plan .chips li').length == 0")
    wait(page, "document.querySelector('#plan').ariaBusy !== 'true'")
    assert page.locator("#board [data-place='0 c1'] circle").count() > 0


def compile_first(game: str, engine: str, **options: Any) -> None:
    """Have an engine compiled before a server asks it, whose engines give way to everything else on the machine."""
    made = stratagem.game(game, **options)
    position = made.start(seed=1)
    stratagem.player(made, engine).choose(position.view(position.asked[0]), Clock(0.1), seat=position.asked[0])


def play_out(page: Any, rng: random.Random, most: int = 400) -> list[str]:
    """Decide until the game is over, or so often; how each decision was made."""
    done: list[str] = []
    while len(done) < most and wait_for_turn(page):
        done.append(decide(page, rng))
    return done


def test_a_whole_game_of_tic_tac_toe_is_played_by_clicking_cells(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    done = play_out(page, random.Random(1))
    assert over(page) and set(done) == {"board"}
    moves = page.locator("#moves li").count()
    assert 5 <= moves <= 9
    page.click("#first")
    wait(page, "document.querySelector('#status').textContent.includes('the start')")
    page.click("#last")
    assert "The game is over" in page.inner_text("#status")


def test_a_click_that_makes_a_move_is_one_request_and_its_answer_is_brief(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    wait_for_turn(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    for moves in (2, 4):
        asked.clear()
        with page.expect_response(lambda response: response.request.method == "POST") as answer:
            page.locator("#board .may").first.dispatch_event("click")
        assert set(answer.value.json()["played"]) == {"table", "version", "ply"}, "the stream tells the rest"
        wait(page, f"document.querySelectorAll('#moves li').length == {moves}")
        wait_for_turn(page)
        assert len(asked) == 1, asked


@pytest.mark.slow
@pytest.mark.parametrize("silenced", ["while it runs", "before it begins"])
def test_a_move_is_seen_though_the_stream_is_silent(page: Any, server: Server, silenced: str) -> None:
    page.add_init_script(
        """
        const real = window.fetch;
        window.fetch = async (path, options) => {
          const response = await real(path, options);
          if (!String(path).endsWith("/events")) return response;
          const heard = new TransformStream({ transform: (piece, on) => window.silent || on.enqueue(piece) });
          return new Response(response.body.pipeThrough(heard));
        };
        """
    )
    start(page, server, "tictactoe", ["person", "person"])
    wait_for_turn(page)
    page.evaluate("window.silent = true")
    if silenced == "before it begins":  # the page lets go of its stream, and the next one tells nothing
        page.evaluate(
            """() => {
                for (const value of [true, false]) {
                    Object.defineProperty(document, 'hidden', { value, configurable: true });
                    document.dispatchEvent(new Event('visibilitychange'));
                }
            }"""
        )
        page.wait_for_timeout(50)
    with page.expect_response(lambda response: response.request.method == "POST") as answer:
        page.locator("#board .may[data-part=b2]").dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length == 1")
    assert ("svg" in answer.value.json()["played"]) == (silenced == "before it begins")


@pytest.mark.slow
def test_a_click_in_an_analysis_asks_for_the_position_once(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/tictactoe")
    page.wait_for_selector("#board .may[data-part=b2]")
    page.wait_for_timeout(300)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.locator("#board .may[data-part=b2]").dispatch_event("click")
    wait(page, "document.querySelector('#status').textContent.startsWith('O to decide')")
    assert [url.rpartition("/")[2] for url in asked if not url.endswith("/analyse") and "/here" not in url] == ["parts"]
    assert page.url.endswith("m=b2")


@pytest.mark.slow
def test_an_analysis_calls_the_seats_what_people_call_them(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/othello")
    wait(page, "document.querySelector('#status').textContent === 'Black to decide.'")
    assert page.inner_text("#plan h2") == "Black's move"
    page.locator("#board .may[data-part]").first.dispatch_event("click")
    wait(page, "document.querySelector('#status').textContent === 'White to decide.'")
    page.goto(f"{server.url}/games/othello")
    wait(page, "document.querySelectorAll('#seats label').length == 2")
    assert page.locator("#seats label").all_inner_texts() == ["Black", "White"]
    page.goto(f"{server.url}/edit/othello")
    wait(page, "document.querySelector('#status').textContent.includes('Black to decide')")


@pytest.mark.slow
def test_a_games_words_are_read_in_the_list_and_while_it_is_played_back(page: Any, server: Server) -> None:
    start(page, server, "caravan", ["person", "planner"])
    wait_for_turn(page)
    page.locator("#plan .choice", has_text="north").click()
    wait(page, "document.querySelectorAll('#plan .chips li').length == 1")
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length == 2")
    reported = page.locator("#moves li").nth(1).inner_text()
    assert reported.startswith("Ann: takes the northern road with")
    assert reported.endswith("Ben: takes the southern road with ?")
    wait_for_turn(page)
    type_in(page, "load;go")
    wait(page, "document.querySelectorAll('#plan .chips li').length == 2")
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length == 4")
    page.locator("#moves button[data-ply='4']").click()
    page.click("#before")
    page.click("#after")
    wait_for_turn(page)
    page.locator("#moves button[data-ply='3']").click()
    wait(page, "document.querySelector('#status').textContent.startsWith('Looking back: 3. Ann loads ')")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("game", game_names())
def test_every_game_is_played_by_clicking(page: Any, server: Server, game: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    start(page, server, game, **SMALL.get(game, {}))
    done = play_out(page, random.Random(7))
    assert over(page) and done


@pytest.mark.slow
def test_a_race_of_robots_is_programmed_by_picking_cards_and_played_back_register_by_register(
    page: Any, server: Server
) -> None:
    compile_first("roborally", "easy", robots=2, max_turns=2)
    start(page, server, "roborally", ["person", "easy"], robots="2", max_turns="2")
    rng = random.Random(5)
    assert wait_for_turn(page)
    hand = [card.get_attribute("data-piece") for card in page.locator("#board .may[data-piece]").all()]
    assert len(hand) == 9 == page.locator("#board [data-piece]").count(), "one's own hand is seen, and no other"
    first = page.locator(f"#board [data-piece='{hand[0]}']")
    first.dispatch_event("click")
    assert "chosen" in (first.get_attribute("class") or "")
    first.dispatch_event("click")
    assert page.locator("#plan .slot.full").count() == 0 and "chosen" not in first.get_attribute("class")
    for card in hand[:6]:
        page.locator(f"#board [data-piece='{card}']").dispatch_event("click")
    assert page.locator("#plan .slot.full").count() == 5
    assert "5 are picked" in page.locator("#plan [role=alert]").inner_text()
    wait(page, "document.querySelector('#board svg').ariaLabel.includes('if nobody interferes')")
    type_in(page, "85,1,2")
    wait(page, "document.querySelector('#plan [role=alert]').textContent.includes('not in the hand')")
    page.fill("#plan form input[type=text]", "")
    for _ in range(5):
        page.locator("#plan .slot.full").first.click()
    assert page.locator("#plan .primary").is_disabled(), "an empty programme cannot be committed"
    programme = write_programme(page, rng)
    page.click("#plan .primary")
    wait(page, "document.querySelectorAll('#moves li').length >= 3", 120)  # where the engine is compiled first
    reported = page.locator("#moves li button").nth(2)
    assert (
        ",".join(programme) in reported.get_attribute("title")
        and "A: " in reported.text_content()
        and "; B: " in reported.text_content()
    )
    while wait_for_turn(page):
        decide(page, rng)
    assert over(page)

    # The record plays back step by step: the position before the first register, after each of them, and the end.
    page.evaluate("document.querySelectorAll('#moves details').forEach((folded) => { folded.open = true; })")
    page.locator("#speed").fill("3")
    page.locator("#moves button[data-ply='2']").click()
    wait(page, "document.querySelector('#status').textContent.startsWith('Looking back')")
    page.evaluate(
        """() => {
            window.captions = [];
            new MutationObserver(() => window.captions.push(document.querySelector('#status').textContent))
                .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true });
        }"""
    )
    page.click("#run")
    wait(page, "document.querySelector('#status').textContent.startsWith('The game is over')", 60)
    captions = page.evaluate("window.captions")
    steps = [text.rpartition("(")[2].split(" of ") for text in captions if text.startswith("3. ")]
    assert [int(k) for k, _ in steps] == list(range(1, len(steps) + 1)), "in order, and each once"
    assert {many for _, many in steps} == {f"{len(steps)})"} and len(steps) > 7
    assert any("Register 5" in text for text in captions)


@pytest.mark.slow
def test_a_whole_game_of_minions_is_played_against_an_engine(page: Any, server: Server) -> None:
    compile_first("minions", "easy", plies=4)
    start(page, server, "minions", ["person", "easy"], plies="4")
    done = play_out(page, random.Random(11))
    assert over(page) and len(done) == 2 and page.locator("#moves li").count() == 4
    assert "board" in done
    assert page.locator("#plan").is_hidden()


@pytest.mark.slow
def test_a_game_goes_on_after_the_server_was_killed(page: Any, tmp_path: Path) -> None:
    server = Server(tmp_path / "games.sqlite")
    try:
        start(page, server, "connect4")
        rng = random.Random(3)
        for _ in range(3):
            wait_for_turn(page)
            decide(page, rng)
        before = page.locator("#moves li").all_inner_texts()
        server.kill()
        server.start(server.port)
        wait(page, "!document.querySelector('#plan').hidden")
        after = page.locator("#moves li").all_inner_texts()
        assert after[: len(before)] == before
        play_out(page, rng)
        assert over(page)
    finally:
        server.kill()


@pytest.mark.slow
def test_two_people_play_by_link_and_the_invitation_is_used_up(page: Any, browser: Any, server: Server) -> None:
    start(page, server, "tictactoe", ["person", "person"])
    link = page.inner_text("#invite .link")
    context = browser.new_context()
    other = context.new_page()
    other.goto(link)
    wait(other, "document.querySelector('#status').textContent.startsWith('Waiting for X')")
    assert "#" not in other.url
    page.locator("#board .may[data-part=b2]").dispatch_event("click")
    other.wait_for_selector("#board .may[data-part=a1]").dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length == 2")
    third = browser.new_context().new_page()
    third.goto(link)
    wait(third, "document.querySelector('#problem').textContent.includes('has been used')")
    wait(third, "document.querySelectorAll('#moves li').length == 2")
    assert third.locator("#plan").is_hidden()
    third.context.close()
    context.close()


@pytest.mark.slow
def test_engines_are_watched_to_the_end(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/games/connect4")
    page.wait_for_selector("#seats select")
    page.select_option("#seat-0", "easy")
    page.select_option("#seat-1", "random")
    page.click("#watch")
    page.wait_for_url("**/play/**")
    wait(page, "document.querySelector('#status').textContent.startsWith('The game is over')", 60)
    assert page.locator("#plan").is_hidden() and page.locator("#moves li").count() >= 7
    page.evaluate("document.querySelector('#speed').value = 0")
    page.click("#run")  # the whole game again, slowly
    wait(page, "document.querySelector('#moves button[aria-current]').dataset.ply == 2")
    page.click("#last")  # and no further
    assert page.inner_text("#status").startswith("The game is over")
    assert page.locator("#last").is_disabled()


@pytest.mark.slow
def test_take_back_hint_and_typing(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    wait_for_turn(page)
    type_in(page, "z9")
    wait(page, "document.querySelector('#plan [role=alert]').textContent.length > 5")
    type_in(page, "b2")
    wait(page, "document.querySelectorAll('#moves li').length == 2")
    page.click("#hint")
    page.wait_for_selector("#advice button", timeout=30_000)
    page.click("#back")
    wait(page, "document.querySelectorAll('#moves li').length == 0")
    assert page.locator("#board .may").count() == 9


@pytest.mark.slow
def test_a_game_is_played_with_the_keyboard_alone(page: Any, server: Server) -> None:
    start(page, server, "tictactoe")
    for _ in range(5):
        if not wait_for_turn(page):
            break
        ply = page.locator("#moves li").count()
        for _ in range(12):
            if page.evaluate("document.activeElement.matches('.may')"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        wait(page, f"document.querySelectorAll('#moves li').length > {ply}")
    assert page.locator("#moves li").count() >= 5


def tab_to(page: Any, selector: str, most: int = 60) -> None:
    for _ in range(most):
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


@pytest.mark.slow
def test_a_programme_is_picked_and_committed_with_the_keyboard_alone(page: Any, server: Server) -> None:
    start(page, server, "roborally", ["person", "random"], robots="2", max_turns="1")
    assert wait_for_turn(page)
    tab_to(page, "#board .may[data-piece]")
    picked = []
    for _ in range(5):
        page.keyboard.press("Enter")
        picked.append(page.evaluate("document.activeElement.dataset.piece"))
        page.keyboard.press("ArrowRight")
    assert len(set(picked)) == 5 and page.locator("#plan .slot.full").count() == 5
    wait(page, "!document.querySelector('#plan .primary').disabled")
    tab_to(page, "#plan .primary")
    page.keyboard.press("Enter")
    wait(page, "document.querySelectorAll('#moves li').length >= 3")
    assert ",".join(picked) in page.locator("#moves li button").nth(2).get_attribute("title")


@pytest.mark.slow
def test_a_campaign_is_built_and_committed_with_the_keyboard_alone(page: Any, server: Server) -> None:
    start(page, server, "minions", ["person", "random"], plies="2")
    assert wait_for_turn(page)
    for part in range(2):
        for _ in range(40):  # hex by hex, until what is pointed at is one part
            tab_to(page, "#board .may")
            page.keyboard.press("Enter")
            page.wait_for_timeout(30)
            wait(page, "document.querySelector('#plan').ariaBusy !== 'true'")
            if page.locator("#plan .chips li:not(.pointed)").count() > part:
                break
            page.keyboard.press(("ArrowDown", "ArrowRight")[part])
        assert page.locator("#plan .chips li:not(.pointed)").count() == part + 1
        assert page.evaluate("document.activeElement.closest('#board') !== null"), "the focus stays on the board"
    tab_to(page, "#plan .primary")
    page.keyboard.press("Enter")
    wait(page, "document.querySelector('#status').textContent.startsWith('The game is over')", 60)
    assert page.locator("#moves li").count() == 2


@pytest.mark.slow
def test_the_next_unit_of_a_turn_is_in_sight_on_a_telephone(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    start(page, server, "minions")
    assert wait_for_turn(page)
    page.tap("#plan button:has-text('Next unit')")
    place = "document.querySelector('#board .chosen').getBoundingClientRect()"
    wait(page, f"document.querySelector('#board .chosen') && {place}.top > 0 && {place}.bottom < innerHeight - 60")
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 360, 390])
def test_the_header_fits_a_telephone(browser: Any, server: Server, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 740}, has_touch=True)
    page = context.new_page()
    for path in ("/puzzles", "/drafts", "/games/connect4"):
        page.goto(server.url + path)
        for part in ("brand", "top nav a:last-child", "top button"):
            box = page.locator(f".{part}").bounding_box()
            assert box["x"] >= 4 and box["x"] + box["width"] <= width - 4, (path, part)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    context.close()


def test_boards_fit_a_telephone_and_are_clicked_there(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
    page = context.new_page()
    page.set_default_timeout(120_000)
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    wide = "document.querySelector('#board').scrollWidth > document.querySelector('#board').clientWidth"
    for game in game_names():
        start(page, server, game, **SMALL.get(game, {}))
        assert wait_for_turn(page)
        assert page.evaluate(fits), game
        larger = page.inner_text("#zoom") == "Larger"
        # Boards with small labels are wider than the page from the beginning.
        assert page.evaluate(wide) != larger, game
        assert page.evaluate("document.querySelector('#board').classList.contains('more')") != larger, game
        if larger:
            page.click("#zoom")
            assert page.evaluate(fits), f"{game}, larger"
        page.click("#zoom")
        assert not page.evaluate(wide), f"all of {game}"
        targets = page.locator("#board .may")
        if targets.count():  # a finger finds it where it is drawn
            target = targets.nth(targets.count() // 2)
            target.scroll_into_view_if_needed()
            box = target.bounding_box()
            assert min(box["width"], box["height"]) >= 20, (game, box)
            target.tap(timeout=5000)
            page.wait_for_timeout(50)
            if page.evaluate("document.querySelector('#board').classList.contains('large')"):
                target.tap(timeout=5000)  # which was too small to tell from what is beside it
                page.wait_for_timeout(50)
            wait(page, "document.querySelector('#plan').ariaBusy !== 'true'")
            seen = "#plan .chips li, #moves li, #board .chosen, #plan .total.wrong"
            written = f"document.querySelectorAll('{seen}').length > 0"
            wait(page, written)
    context.close()


@pytest.mark.slow
def test_a_position_is_analysed_by_its_url(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/analyse/connect4?m=1&m=2&m=1&m=2&m=1&m=2")
    page.wait_for_selector("#lines tbody tr", timeout=60_000)
    wait(page, "!document.querySelector('#work').textContent.endsWith('…')", 60)
    first = page.locator("#lines tbody tr").first
    assert first.locator("button").get_attribute("title") == "1"
    assert first.locator("td").nth(1).inner_text().startswith("100.0 %")
    assert "100.0 % for Yellow" in page.get_attribute("#bar", "aria-label")
    page.wait_for_selector(
        "#board .layer-candidate .mark", state="attached"
    )  # what it would play, before anybody points
    first.hover()
    page.wait_for_selector("#board .layer-candidate .mark", state="attached")
    first.locator("button").click()
    wait(page, "document.querySelector('#status').textContent.startsWith('Over: Yellow wins')")
    assert page.url.endswith("m=2&m=1")
    page.click("#up")
    wait(page, "document.querySelector('#status').textContent.startsWith('Yellow to decide')")
    page.locator("#board .may[data-part='7']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#tree .branch').length == 1")
    wait(page, "document.querySelector('#bar').ariaLabel.endsWith('for Yellow')")  # whoever is to move
    page.reload()
    wait(page, "document.querySelectorAll('#tree .branch').length == 1")
    page.go_back()
    wait(page, "document.querySelectorAll('#tree .branch').length == 1")
    page.goto(f"{server.url}/analyse/connect4?m=44")
    wait(page, "document.querySelector('#problem').textContent.includes('44 cannot be played')")
    assert page.evaluate("document.querySelector('#problem').getBoundingClientRect().bottom < innerHeight")
    page.fill("#import", '{"stratagem": 1, "game": "nim", "options": {"heaps": [1, 2]}, "moves": ["1:1"]}')
    page.click("#load")
    page.wait_for_url("**/analyse/nim?**")
    wait(page, "document.querySelector('#position').value == '0,2 second'")
    moves = ",".join(f'"{1 + k % 9}:1"' for k in range(18 * 45))
    page.fill("#import", f'{{"game": "nim", "options": {{"heaps": "{",".join(["90"] * 9)}"}}, "moves": [{moves}]}}')
    page.click("#load")
    wait(page, "document.querySelector('#position').value == '0,0,0,0,0,0,0,0,0'")
    assert "#heaps" in page.url
    page.reload()
    wait(page, "document.querySelector('#status').textContent.startsWith('Over')")


@pytest.mark.slow
def test_a_games_own_question_is_asked_and_its_answer_played(page: Any, server: Server) -> None:
    line = "L" * 25
    position = f"9|9 0|0 {line}|{line} n|||||MZv7/d9/0/0/0/0/0/0/0/0 0 9".replace("|", "%7C").replace(" ", "+")
    page.goto(f"{server.url}/analyse/minions?maps=AllLand&position={position}")
    page.wait_for_selector(".panel form")
    panel = page.locator(".panel", has=page.locator("input[name=remove]"))
    panel.locator("input[name=remove]").fill("c0")
    panel.locator("button[type=submit]").click()
    panel.locator(".panel-moves button").wait_for(timeout=250_000)  # the solver may have to be compiled
    assert panel.locator(".panel-answer").inner_text() == "yes: 1 way and there is no other"
    panel.locator(".panel-moves button").click()
    page.wait_for_url("**m=tech**")
    wait(page, "[...document.querySelectorAll('.panel-answer')].every((answer) => answer.textContent === '')")
    panel.locator("input[name=remove]").fill("e5")
    panel.locator("button[type=submit]").click()
    said = "[...document.querySelectorAll('.panel-answer')].some((answer) => answer.textContent.includes('no unit stands on'))"
    wait(page, said)


@pytest.mark.slow
def test_every_game_is_analysed(page: Any, server: Server) -> None:
    for game in game_names():
        page.goto(f"{server.url}/analyse/{game}")
        page.wait_for_selector("#board svg")
        if page.locator("#engine [value=server]").count():
            page.check("#engine [value=server]")
        page.select_option("#engine select", "random")
        page.fill("#engine [name=seconds]", "0.5")
        # what chance decides at the start is drawn, and somebody is asked
        wait(page, "/to decide|at once/.test(document.querySelector('#status').textContent)")
        page.wait_for_timeout(100)
        if "Stop" in page.inner_text("#think"):
            page.click("#think")
        page.click("#think")
        page.wait_for_selector("#lines tbody tr", timeout=240_000)


@pytest.mark.slow
def test_axe_finds_nothing_in_either_theme_and_nothing_runs_over_the_edge(browser: Any, server: Server) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for width, theme in ((390, "dark"), (1280, "light")):
        # axe's own script is not the page's, so the policy is set aside while it looks
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme, bypass_csp=True)
        page = context.new_page()
        page.set_default_timeout(120_000)
        large = ["connect4", "roborally", "minions"]
        played = [f"play {game}" for game in (game_names() if theme == "light" else large)]
        for path in (
            "/",
            "/games/connect4",
            "/games/minions",
            "/nowhere",
            "/analyse/connect4?m=4",
            "/edit/hex",
            "/edit/minions",
            "/edit/asmacag",
            *played,
        ):
            if path.startswith("play"):
                start(page, server, path.removeprefix("play "))
                wait_for_turn(page)
                if theme == "dark":
                    page.click("#zoom")
            else:
                page.goto(server.url + path)
                page.wait_for_timeout(800)
            over_the_edge = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over_the_edge <= 0, (path, width)
            found = Axe().run(page).response["violations"]
            lines = [(v["id"], v["impact"], [node["html"][:120] for node in v["nodes"][:3]]) for v in found]
            assert not lines, (path, theme, lines)
        context.close()


@pytest.mark.slow
def test_every_page_is_light(page: Any, server: Server) -> None:
    wire: list[Any] = []

    def finished(request: Any) -> None:
        wire.append(request)

    page.on("requestfinished", finished)
    each = [f"/{kind}/{game}" for kind in ("games", "analyse") for game in game_names()]
    for path in [*each, *(made(server.url) for made in KINDS.values())]:
        wire.clear()
        page.goto(server.url + path, wait_until="load")
        page.wait_for_timeout(300)
        heard = [request for request in wire if not request.url.endswith("/events")]  # which goes on
        weights = [sum(request.sizes()[f"response{part}Size"] for part in ("Body", "Headers")) for request in heard]
        assert len(weights) > 3 and sum(weights) < 150_000, (path, sum(weights))
