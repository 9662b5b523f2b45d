"""Plans as people see them, in a real Chromium: what a unit reaches, what can be removed, dice, turns that fold, cards face
down; positions set up by clicking; links as QR codes; whole games by keyboard alone."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest
from web.serving import Server, bearer, new_table
from web.test_browser import SMALL, over, start, wait, wait_for_turn
from web.test_browser import page as page  # the fixture
from web.test_browser import tab_to as tab_at_most

from stratagem.registry import game_names

NOT_BUSY = "document.querySelector('#plan').ariaBusy !== 'true'"
KEYS = ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")


# ---------------------------------------------------------------------------------------------------------- Minions


@pytest.mark.slow
def test_a_unit_that_is_pointed_at_shows_where_it_may_go_and_whom_it_may_attack(page: Any, server: Server) -> None:
    start(page, server, "minions")
    wait_for_turn(page)
    page.locator("#board [data-place='0 c1']").dispatch_event("click")
    page.wait_for_selector("#board .layer-look .mark-reach", state="attached")
    reached = page.locator("#board .layer-look .mark-reach circle").count()
    assert reached > 0 and f"can go to {reached} hexes" in page.inner_text("#seen")
    enemy = next(
        option.get_attribute("value") for option in page.locator("#look option").all() if "Blue" in option.inner_text()
    )
    page.select_option("#look", enemy)
    wait(page, "document.querySelector('#seen').textContent.startsWith(\"Blue's\")")
    page.select_option("#look", "")
    wait(page, "document.querySelector('#board .layer-look') === null")


@pytest.mark.slow
def test_boards_stand_side_by_side_where_there_is_room_and_cards_say_names_prices_and_counters(
    page: Any, server: Server
) -> None:
    start(page, server, "minions")
    wait_for_turn(page)
    boxes = [panel.bounding_box() for panel in page.locator("#board [data-panel]").all()]
    assert len(boxes) == 2 and abs(boxes[0]["y"] - boxes[1]["y"]) < 30 and boxes[1]["x"] > boxes[0]["x"] + 300
    cards = page.locator("#board [data-flow]")
    assert cards.count() == 25 and "Warg 4" in cards.nth(2).text_content()
    assert "counters Skeleton, Serpent, Haunt" in cards.nth(2).text_content()
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    wait_for_turn(page)
    boxes = [panel.bounding_box() for panel in page.locator("#board [data-panel]").all()]
    assert boxes[1]["y"] > boxes[0]["y"] + 200, "on a telephone they stand below each other"


@pytest.mark.slow
def test_what_can_be_removed_is_marked_and_a_click_takes_up_the_plan(page: Any, server: Server) -> None:
    import httpx

    line = "L" * 25
    position = f"9|9 0|0 {line}|{line} n|||||MZv7/d9/0/0/0/0/0/0/0/0 0 9"
    with httpx.Client(base_url=server.url, timeout=60) as client:
        made = new_table(client, "minions", ["person", "random"], options={"maps": "AllLand"}, position=position)
    page.goto(f"{server.url}/play/{made['table']}#seat={made['tokens']['0']}")
    wait_for_turn(page)
    page.click("#panels button")
    page.wait_for_selector("#board .layer-found .mark-threat", state="attached", timeout=250_000)
    assert page.inner_text("#advice p") == "1 can be removed, each taken alone."
    page.click("#advice li button")
    wait(page, "document.querySelectorAll('#plan .chips li').length > 2")
    before = page.locator("#plan .chips li").count()
    page.reload()
    wait(page, f"document.querySelectorAll('#plan .chips li').length == {before}")
    page.locator("#plan .chips .drop").last.click()
    wait(page, f"document.querySelectorAll('#plan .chips li').length == {before - 1}")


# ------------------------------------------------------------------------------------------------------------- Risk


ATTACK = (
    "phase=attack seat=A turn=3 board=A9,A9,A9,A9,A9,A9,A9,A9,A9,A9,A9,A9,A9,"
    + ",".join(["B2"] * 15)
    + ","
    + ",".join(["C1"] * 14)
)


def risk_table(page: Any, server: Server) -> None:
    """In the middle of an attack, where A stands against B and C."""
    import httpx

    with httpx.Client(base_url=server.url, timeout=60) as client:
        made = new_table(client, "risk", ["person", "random", "random"], options={"players": 3}, position=ATTACK)
    page.goto(f"{server.url}/play/{made['table']}#seat={made['tokens']['0']}")
    wait_for_turn(page)


def attack(page: Any) -> str:
    """Choose an attack by pointing at two territories; its text."""
    move = next(
        text
        for choice in page.locator("#plan .choice").all()
        if ">" in (text := choice.get_attribute("data-choice") or "")
    )
    for place in move.split(">"):
        page.locator(f"#board [data-place='{place}']").dispatch_event("click")
        page.wait_for_timeout(50)
    wait(page, "document.querySelectorAll('#moves li').length == 1")
    wait_for_turn(page)
    return move


@pytest.mark.slow
def test_an_attack_shows_targets_odds_and_dice_is_undone_before_them_and_the_map_keeps_its_size(
    page: Any, server: Server
) -> None:
    risk_table(page, server)
    size = page.locator("#board [data-place='alaska']").bounding_box()
    first = attack(page)
    assert "%" in page.locator("#board [data-part^='until']").first.text_content()
    assert "to take it" in page.locator("#plan [data-choice^='until']").first.inner_text()
    page.click("#back")  # nothing has been rolled yet
    wait(page, "document.querySelectorAll('#moves li').length == 0")
    wait_for_turn(page)
    start_of_it = first.split(">")[0]
    page.locator(f"#board [data-place='{start_of_it}']").dispatch_event("click")
    assert page.locator("#board .target").count() > 0, "what may be attacked from there"
    page.locator(f"#board [data-place='{start_of_it}']").dispatch_event("click")
    attack(page)
    page.locator("#board [data-part='roll 3']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves li').length >= 3")
    wait(page, "document.querySelectorAll('#board title').length > 0")
    dice = [t for t in page.locator("#board title").all_text_contents() if t.startswith("a die that shows")]
    assert 4 <= len(dice) <= 5
    assert any(face in page.locator("#moves li").nth(2).text_content() for face in "⚀⚁⚂⚃⚄⚅")
    now = page.locator("#board [data-place='alaska']").bounding_box()
    assert abs(now["width"] - size["width"]) < 0.6 and abs(now["x"] - size["x"]) < 0.6
    assert page.locator("#back").is_disabled(), "what was rolled stays"


@pytest.mark.slow
def test_whole_turns_of_the_record_are_folded_but_the_last(page: Any, server: Server) -> None:
    risk_table(page, server)
    page.locator("#board [data-part='stop']").dispatch_event("click")
    wait(page, "!document.querySelector('#board [data-part=stop]')")
    wait_for_turn(page)
    if page.locator("#board [data-part='end']").count():
        page.locator("#board [data-part='end']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#moves details').length >= 3", 60)
    wait_for_turn(page)
    folds = page.locator("#moves details")
    assert "Turn 3, A" in folds.first.locator("summary").inner_text()
    open_ = [fold.get_attribute("open") is not None for fold in folds.all()]
    assert open_[-1] and not any(open_[:-1])
    folds.first.locator("summary").click()
    folds.first.locator("button").first.click()
    wait(page, "document.querySelector('#status').textContent.startsWith('Looking back: 1.')")


# -------------------------------------------------------------------------------------------- bids, and the table itself


def bid(page: Any, card: str) -> None:
    page.locator(f"#board .may[data-part='{card}']").dispatch_event("click")
    wait(page, "document.querySelectorAll('#plan .chips li').length == 1")
    page.click("#plan .primary")


@pytest.mark.slow
def test_a_secret_card_lies_face_down_until_all_are_turned_over_at_once(
    page: Any, browser: Any, server: Server
) -> None:
    start(page, server, "goofspiel", ["person", "person"])
    link = page.inner_text("#invite .link")
    context = browser.new_context()
    other = context.new_page()
    other.goto(link)
    wait_for_turn(page)
    wait_for_turn(other)
    assert page.locator("#seats .back.open").count() == 2
    bid(page, "3")
    wait(other, "document.querySelectorAll('#seats .back:not(.open)').length == 1")
    assert other.locator("#moves li").count() == 0 and "3" not in other.inner_text("#seats")
    other.evaluate(
        """() => {
            window.captions = [];
            new MutationObserver(() => window.captions.push(document.querySelector('#status').textContent))
                .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true });
        }"""
    )
    bid(other, "1")
    wait(other, "window.captions.some((text) => text.includes('first bids 3, second bids 1'))")
    context.close()


@pytest.mark.slow
def test_a_table_is_shared_by_a_code_that_holds_its_link(page: Any, server: Server) -> None:
    start(page, server, "tictactoe", ["person", "person"])
    wait_for_turn(page)
    page.click("#invite button:has-text('QR code')")
    page.wait_for_selector("#invite .qr svg path")
    page.click("#code")
    page.wait_for_selector("#code ~ .qr svg path")
    page.click("#code")
    assert page.locator("#code ~ .qr").count() == 0


@pytest.mark.slow
def test_what_is_clicked_on_a_telephone_is_large_enough_for_a_finger(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    small = """() => [...document.querySelectorAll('button, select, summary, a.button, .top nav a, .sign')]
        .filter((e) => e.offsetParent && !e.closest('.unseen'))
        .filter((e) => e.getBoundingClientRect().height < 43.5)
        .map((e) => `${e.tagName} ${e.id} ${e.textContent.slice(0, 20)}`)"""
    for game in ("tictactoe", "minions", "risk", "blotto"):
        start(page, server, game, **SMALL.get(game, {}))
        assert wait_for_turn(page)
        assert page.evaluate(small) == [], game
    page.goto(f"{server.url}/edit/tictactoe")
    page.wait_for_selector("#board .may")
    assert page.evaluate(small) == []
    context.close()


ACROSS = """(selector) => Math.min(...[...document.querySelectorAll(selector)].map((e) => {
    const { width, height } = e.getBoundingClientRect();
    return Math.min(width, height);
}))"""
MIDDLE = """(e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
}"""
IN_SIGHT = """(e) => {
    const [at, frame] = [e.getBoundingClientRect(), document.querySelector('#board').getBoundingClientRect()];
    return at.left >= frame.left - 1 && at.right <= frame.right + 1 && at.top >= frame.top - 1 && at.bottom <= frame.bottom + 1;
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "small", "done"),
    [
        ("hex", "[data-part='f6']", "document.querySelectorAll('#moves li').length > 0"),
        ("minions", "[data-place='0 c1']", "document.querySelector('#plan .pointed') !== null"),
        ("risk", "[data-place='japan']", "document.querySelectorAll('#moves li').length > 0"),
    ],
)
def test_a_finger_that_touches_several_small_things_brings_the_board_nearer_and_then_tells_them_apart(
    browser: Any, server: Server, game: str, small: str, done: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.add_init_script("localStorage.setItem('stratagem.speed', '4')")
    page = context.new_page()
    page.set_default_timeout(120_000)
    start(page, server, game)
    assert wait_for_turn(page)
    target = page.locator(f"#board {small}.may")
    assert min(target.bounding_box()["width"], target.bounding_box()["height"]) < 44, "or there is nothing to test"
    target.scroll_into_view_if_needed()
    page.touchscreen.tap(*target.evaluate(MIDDLE))
    wait(page, "document.querySelector('#board').classList.contains('large')")
    assert not page.evaluate(done), "nothing is clicked yet"
    assert page.evaluate(ACROSS, "#board .may") >= 44
    assert target.evaluate(IN_SIGHT), "what was touched is in sight"
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    target.scroll_into_view_if_needed()
    page.touchscreen.tap(*target.evaluate(MIDDLE))
    wait(page, done)
    page.click("#zoom")
    assert not page.evaluate("document.querySelector('#board').classList.contains('large')")
    context.close()


@pytest.mark.slow
def test_a_finger_that_misses_the_only_thing_to_touch_by_a_little_touches_it(browser: Any, server: Server) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    start(page, server, "nim", heaps="1")
    assert wait_for_turn(page)
    [target] = page.locator("#board .may").all()
    box = target.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] + 40, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    assert not over(page), "so far away it is not meant"
    page.touchscreen.tap(box["x"] + box["width"] + 15, box["y"] + box["height"] / 2)
    wait(page, "document.querySelector('#status').textContent.startsWith('The game is over')")
    context.close()


# ------------------------------------------------------------------------------------------------------- setting up


@pytest.mark.slow
def test_a_position_is_set_up_by_clicking_refused_in_the_games_words_and_opened_in_analysis(
    page: Any, server: Server
) -> None:
    page.goto(f"{server.url}/analyse/tictactoe")
    page.wait_for_selector("#board svg")
    page.click("#edit")
    page.wait_for_url("**/edit/tictactoe**")
    page.wait_for_selector("#board .may")
    page.locator("#board [data-part='b2']").dispatch_event("click")
    wait(page, "document.querySelector('#position').value === '____X____'")
    page.locator("#board [data-part='a1']").dispatch_event("click")
    wait(page, "document.querySelector('#problem').textContent.includes('2 X and 0 O')")
    assert page.locator("#board .layer-sketch .mark-sign").count() == 1
    assert page.locator("#play").is_disabled()
    page.locator(".sign input[value=O]").dispatch_event("click")
    page.locator("#board [data-part='a1']").dispatch_event("click")
    wait(page, "document.querySelector('#position').value === 'O___X____'")
    assert page.inner_text("#problem") == "" and page.inner_text("#status") == "A position: X to decide."
    page.click("#undo")
    wait(page, "document.querySelector('#problem').textContent.includes('2 X and 0 O')")
    page.click("#undo")
    wait(page, "document.querySelector('#position').value === '____X____'")
    page.click("#analyse")
    page.wait_for_url("**/analyse/tictactoe**")
    wait(page, "document.querySelector('#position').value === '____X____'")


@pytest.mark.slow
def test_a_position_is_set_up_with_the_keyboard_alone_and_played(page: Any, server: Server) -> None:
    page.goto(f"{server.url}/edit/connect4")
    page.wait_for_selector("#board .may")
    tab_to(page, "#board .may")
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait(page, "document.querySelector('#position').value.length === 1")
    tab_to(page, "#play")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/**")
    assert wait_for_turn(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", game_names())
def test_every_game_is_set_up_by_clicking_or_says_that_it_is_not(page: Any, server: Server, game: str) -> None:
    page.goto(f"{server.url}/edit/{game}")
    wait(page, "!document.querySelector('#status').textContent.endsWith('…')")
    if "not set up by clicking" in page.inner_text("#status"):
        assert game in ("blotto", "draft")
        return
    before = page.input_value("#position")
    if page.locator("#board .may").count():
        sign = page.locator(".sign input").nth(1)
        sign.dispatch_event("click")
        page.locator("#board .may").first.dispatch_event("click")
    else:
        field = page.locator("#fields input").first
        field.fill("2" if field.input_value() == "1" else "1")
        field.press("Tab")
    changed = f"document.querySelector('#position').value !== {before!r}"
    wait(page, f"{changed} || document.querySelector('#problem').textContent.length > 5")


# ------------------------------------------------------------------------------------------------- by keyboard alone


tab_to = partial(tab_at_most, most=250)


def wander_to(page: Any, selector: str, rng: random.Random) -> None:
    """Arrow keys at random until one of these has the focus, where there are any."""
    if page.locator(selector).count():
        for _ in range(60):
            if page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
            page.keyboard.press(rng.choice(KEYS))


def decide_by_keys(page: Any, rng: random.Random) -> None:
    """One whole move with Tab, arrow keys and Enter."""
    ply = page.locator("#moves li").count()
    for _ in range(120):
        chips = page.locator("#plan .chips li:not(.pointed)").count()
        commit = page.locator("#plan .primary")
        numbers = page.locator("#plan .stepper").count() > 0
        pieces = page.locator("#board .may[data-piece]").count()
        listed = page.locator("#plan .choice").count()
        ready = commit.is_visible() and commit.is_enabled()
        if ready and (numbers or pieces or (chips and (not listed or rng.random() < 0.4))):
            tab_to(page, "#plan .primary")
        elif page.locator("#board .may").count() and not numbers:
            tab_to(page, "#board .may")
            if pieces:  # from the left, one after another
                begun = page.locator("#plan .slot.full").count()
                for _ in range(1 if begun else 9):
                    page.keyboard.press("ArrowRight" if begun else "ArrowLeft")
            else:
                for _ in range(rng.randrange(5)):
                    page.keyboard.press(rng.choice(KEYS))
                wander_to(page, "#board .target", rng)  # what goes on from what is chosen, if anything is
        else:
            tab_to(page, "#plan .choice")
        page.keyboard.press("Enter")
        page.wait_for_timeout(30)
        wait(page, NOT_BUSY)
        if pieces and not ready:
            page.wait_for_timeout(200)  # what is picked is sketched
        if page.locator("#plan").is_hidden() or page.locator("#moves li").count() != ply:
            return
    raise AssertionError("the plan never came to an end")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("game", game_names())
def test_every_game_is_played_with_the_keyboard_alone(page: Any, server: Server, game: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    start(page, server, game, **SMALL.get(game, {}))
    rng = random.Random(width)
    while wait_for_turn(page):
        decide_by_keys(page, rng)
    assert over(page)


@pytest.mark.slow
def test_every_part_of_the_board_is_reached_by_page_down_and_page_up(page: Any, server: Server) -> None:
    start(page, server, "breakthrough", rows="5", columns="3")
    wait_for_turn(page)
    offered = page.evaluate("[...document.querySelectorAll('#board .may')].map((part) => part.dataset.place)")
    tab_to(page, "#board .may")
    for key, order in (("PageDown", offered), ("PageUp", offered[::-1])):
        seen = []
        for _ in offered:
            seen.append(page.evaluate("document.activeElement.dataset.place"))
            page.keyboard.press(key)
        begin = order.index(seen[0])
        assert seen == order[begin:] + order[:begin], "one after another, and round"


@pytest.mark.slow
def test_two_browsers_at_one_table_see_each_other_come_move_and_agree(page: Any, browser: Any, server: Server) -> None:
    start(page, server, "connect4", ["person", "person"])
    context = browser.new_context(viewport={"width": 390, "height": 844})
    other = context.new_page()
    other.goto(page.inner_text("#invite .link"))
    wait(page, "document.querySelector('#seats').textContent.includes('here')")
    for moves in range(6):
        mover = (page, other)[moves % 2]
        assert wait_for_turn(mover)
        mover.locator("#board .may").nth(moves).dispatch_event("click")
        for one in (page, other):
            wait(one, f"document.querySelectorAll('#moves li').length == {moves + 1}")
    assert page.title().startswith("● Your turn") and not other.title().startswith("●")
    page.click("#draw")
    wait(other, "document.querySelector('#draw').textContent === 'Accept the draw'")
    other.click("#draw")
    for one in (page, other):
        wait(one, "document.querySelector('#outcome').textContent.includes('draw by agreement')")
    context.close()


@pytest.mark.slow
def test_analyse_takes_the_whole_record_along_also_of_a_game_with_secrets_that_is_over(
    page: Any, server: Server
) -> None:
    start(page, server, "otters", ["person", "random"])
    assert wait_for_turn(page)
    assert page.locator("#analyse").is_hidden(), "while secrets last, nobody analyses them"
    while wait_for_turn(page):
        decide_by_keys(page, random.Random(1))
    played = page.locator("#moves li").count()
    page.click("#analyse")
    page.wait_for_url("**/analyse/otters**")
    wait(page, f"document.querySelectorAll('#tree button').length == {played + 1}")
    assert page.inner_text("#status").startswith("Over")


def test_the_watch_link_opens_no_seat(client: Any) -> None:
    made = new_table(client, "tictactoe", ["person", "random"])
    drawn = client.post("/api/qr", json={"text": f"http://127.0.0.1/play/{made['table']}"})
    assert drawn.status_code == 200 and drawn.json()["svg"].startswith("<svg") and "<script" not in drawn.text
    assert client.post("/api/qr", json={"text": "x" * 401}).status_code == 422
    state = client.get(f"/api/tables/{made['table']}", headers=bearer(made["tokens"]["0"])).json()
    assert state["panels"] == [] and not state["looks"]
