"""The draft room: whole drafts by clicks in a real Chromium, a server killed in the middle, friends and bots, refusals."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from stratagem.cli import main
from stratagem.fantasy.presets import Setup
from stratagem.fantasy.sample import SAMPLE
from stratagem.store.sqlite import Store, StoreError
from stratagem.web.draft import create_draft_app
from stratagem.web.guard import Limits

SMALL = ["--teams", "4", "--slot", "2", "--roster", "QB:1,RB:1,WR:1,BENCH:1"]


class DraftServer:
    """`stratagem draft serve` in a process of its own, which can be killed."""

    def __init__(self, store: Path, *flags: str) -> None:
        self.store, self.flags, self.port = store, flags, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-c", "from stratagem.cli import main; main()", "draft", "serve", "--no-open"]
        command += ["--port", str(self.port), "--store", str(self.store), *self.flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://[\d.]+:(\d+))(/room/([\w-]+)#([\w-]+))", line)
        assert found, line
        self.url, self.port, self.path, self.key, self.token = found[1], int(found[2]), found[3], found[4], found[5]
        for _ in range(200):
            try:
                httpx.get(self.url + f"/api/rooms/{self.key}", timeout=5)
                return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[DraftServer]:
    found = DraftServer(tmp_path / "rooms.sqlite", *SMALL)
    yield found
    found.kill()


def open_page(browser: Any, width: int, wrong: list[str]) -> Any:
    context = browser.new_context(viewport={"width": width, "height": 844}, has_touch=width < 500)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if "Security Policy" in message.text else None)
    return page


def until(page: Any, holds: str, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < end, f"it never held: {holds}; status: {page.inner_text('#status')}"
        page.wait_for_timeout(25)


def picks(page: Any) -> int:
    return int(page.evaluate("document.querySelectorAll('#board .cell').length"))


def click_pick(page: Any, made: int, narrow: bool) -> None:
    """One click a pick: the first advice that may be taken, or somebody found by name."""
    first = "#advice button.take:not([disabled])"
    if made % 3 != 2:
        if narrow:
            page.click("#tab-advice")
        until(page, "document.querySelector('#advice').ariaBusy === 'false'")
    if made % 3 == 2 or not page.locator(first).count():  # none of mine may go to the team on the clock
        if narrow:
            page.click("#tab-players")
        row = page.locator("#players .player:has(button:not([disabled]))").nth(1)
        page.fill("#search", row.locator(".who").inner_text().split()[0])
        first = "#players button.take:not([disabled])"
    page.locator(first).first.click()
    until(page, f"document.querySelectorAll('#board .cell').length > {made}")


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_a_whole_live_draft_by_clicks(browser, served, width):
    wrong: list[str] = []
    page = open_page(browser, width, wrong)
    page.goto(served.url + served.path)
    until(page, "document.querySelectorAll('#players .player').length > 0")
    for made in range(16):
        click_pick(page, made, width < 500)
        if made == 5:  # undo, and the same again
            page.click("#undo")
            until(page, "document.querySelectorAll('#board .cell').length === 5")
            click_pick(page, 5, width < 500)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    until(page, "document.querySelector('#status').textContent.includes('over')")
    assert picks(page) == 16
    if width < 500:
        page.click("#tab-teams")
    assert "—" not in page.inner_text("#roster")
    report = httpx.get(f"{served.url}/room/{served.key}/report", timeout=60)
    assert report.status_code == 200 and "Grades" in report.text and "<script" not in report.text
    assert wrong == []


def test_the_room_says_that_it_thinks_until_there_is_advice(browser, served):
    page = open_page(browser, 390, [])
    page.route("**/advice", lambda _: None)  # no answer comes
    page.goto(served.url + served.path)
    until(page, "document.querySelectorAll('#players .player').length > 0")
    until(page, "document.querySelector('#advice-about').textContent === 'Thinking …'")
    assert page.locator("#learnt-part").is_hidden(), "nothing is known of the others"


def test_a_killed_server_loses_no_pick(browser, served):
    wrong: list[str] = []
    page = open_page(browser, 390, wrong)
    page.goto(served.url + served.path)
    until(page, "document.querySelectorAll('#players .player').length > 0")
    for made in range(5):
        click_pick(page, made, True)
    before = httpx.get(f"{served.url}/api/rooms/{served.key}").json()["picks"]
    key = served.key
    served.kill()
    served.start()
    assert served.key == key
    assert httpx.get(f"{served.url}/api/rooms/{served.key}").json()["picks"] == before
    # the page finds the server again by itself, and the draft goes on with the token that it has
    until(page, "document.querySelector('#status').textContent.includes('picks')")
    click_pick(page, 5, True)
    assert picks(page) == 6
    assert wrong == []


def test_a_mock_draft_with_a_friend_by_link_and_bots(browser, served):
    wrong: list[str] = []
    host = open_page(browser, 1280, wrong)
    host.goto(served.url + "/")
    host.select_option("[data-seat='0']", "person")
    host.select_option("[data-seat='1']", "adp")
    host.select_option("[data-seat='2']", "person")
    host.click("#mock button.primary")
    host.wait_for_url("**/room/**")
    until(host, "document.querySelector('#friends li .link')")
    friend = open_page(browser, 390, wrong)
    friend.goto(host.inner_text("#friends li .link"))
    until(friend, "document.querySelector('#status').textContent.includes('to go')")
    for _ in range(4):
        for page in (host, friend) if "(you)" in host.inner_text("#status") else (friend, host):
            until(page, "document.querySelector('#status').textContent.includes('(you)')")
            made = picks(page)
            if page is friend:
                page.click("#tab-players")
            page.locator("#players button.take:not([disabled])").first.click()
            until(page, f"document.querySelectorAll('#board .cell').length > {made}")
    for page in (host, friend):
        until(page, "document.querySelector('#status').textContent.includes('over')")
        assert picks(page) == 16
    assert wrong == []


# ------------------------------------------------------------------------------------------------------ the interface


@pytest.fixture
def client(tmp_path: Path) -> Iterator[tuple[TestClient, str, str]]:
    setup = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,BENCH:1", keepers={"2.01": "Kelian Langley"})
    store = Store(tmp_path / "rooms.sqlite")
    app, path, note = create_draft_app(store, setup, limits=Limits(rate=1e6, burst=10**6))
    assert note == ""
    with TestClient(app, base_url="http://127.0.0.1") as found:
        key, token = path.removeprefix("/room/").split("#")
        yield found, f"/api/rooms/{key}", token
    store.close()


def test_only_who_holds_the_link_may_pick_and_only_the_pick_that_is_meant(client):
    web, room, token = client
    mine = {"authorization": f"Bearer {token}"}
    assert web.post(f"{room}/picks", json={"item": 0, "turn": 0}).status_code == 403
    assert web.post(f"{room}/picks", json={"item": 0, "turn": 1}, headers=mine).status_code == 409
    assert web.post(f"{room}/picks", json={"item": 0, "turn": 0}, headers=mine).json()["turn"] == 1
    again = web.post(f"{room}/picks", json={"item": 0, "turn": 1}, headers=mine)
    assert again.status_code == 422 and "taken already" in again.json()["error"]
    assert web.post(f"{room}/picks", json={"item": -1, "turn": 1}, headers=mine).status_code == 422
    assert web.post(f"{room}/fix", json={"item": 5, "turn": 0}, headers=mine).json()["picks"][0] == 5
    assert web.post(f"{room}/undo", json={"turn": 1}, headers=mine).json()["turn"] == 0
    assert web.post(f"{room}/undo", json={"turn": 0}, headers=mine).status_code == 422
    assert web.get("/api/rooms/nowhere").status_code == 404
    assert web.get(f"{room}/advice").status_code == 403
    assert web.get(f"{room}/advice", headers=mine).json()["recommendations"]


def test_picks_to_mine_are_made_by_models_and_keepers_by_themselves(client):
    web, room, token = client
    mine = {"authorization": f"Bearer {token}"}
    web.post(f"{room}/picks", json={"item": 0, "turn": 0}, headers=mine)
    state = web.post(f"{room}/auto", json={"turn": 1}, headers=mine).json()
    league = web.get(f"{room}/league").json()
    assert state["team"] == 0 or state["over"]
    assert league["items"][state["picks"][3]]["name"] == "Kelian Langley"


def test_a_mock_room_refuses_seats_that_are_none(client):
    web, _, _ = client
    assert web.post("/api/rooms", json={"seats": ["person"]}).status_code == 422
    assert web.post("/api/rooms", json={"seats": ["adp", "adp", "vor"]}).status_code == 422
    assert web.post("/api/rooms", json={"seats": ["person", "nobody", "adp"]}).status_code == 422
    made = web.post("/api/rooms", json={"seats": ["adp", "person", "vor"]}).json()
    state = web.get(f"/api/rooms/{made['room']}", headers={"authorization": f"Bearer {made['token']}"}).json()
    assert state["you"] == 1 and state["turn"] == 1
    other = web.post(f"/api/rooms/{made['room']}/join", json={"invitation": "guess"})
    assert other.status_code == 403


def test_a_friend_takes_a_seat_by_invitation_and_the_file_holds_hashes_alone(client, tmp_path):
    web, _, token = client
    made = web.post("/api/rooms", json={"seats": ["person", "person", "adp"]}).json()
    room, mine = f"/api/rooms/{made['room']}", {"authorization": f"Bearer {made['token']}"}
    assert list(made["invitations"]) == ["1"]
    chosen = {"invitation": made["invitations"]["1"], "token": "f" * 40, "name": "Ann"}
    for _ in range(2):  # the answer may be lost
        assert web.post(f"{room}/join", json=chosen).json() == {"seat": 1, "token": "f" * 40}
    assert web.post(f"{room}/join", json={**chosen, "token": "g" * 40}).status_code == 403
    state = web.get(room, headers=mine).json()
    assert state["you"] == 0 and [seat["here"] for seat in state["seats"]] == [True] * 3
    assert state["seats"][1]["name"] == "Ann" and made["invitations"]["1"] not in str(state)
    assert web.get(room, headers={"authorization": "Bearer guess"}).status_code == 403
    files = list(tmp_path.glob("rooms.sqlite*"))
    assert files and all(file.stat().st_mode & 0o777 == 0o600 for file in files), "nobody else reads them"
    raw = b"".join(file.read_bytes() for file in files)
    assert made["room"].encode() in raw
    for secret in (token, made["token"], made["invitations"]["1"], "f" * 40):
        assert secret.encode() not in raw


def test_mock_rooms_are_kept_up_to_a_number_and_those_used_least_go_first(tmp_path):
    """A visitor may make 60 an hour, of up to 5,000 players each: without a bound they fill the disk."""
    setup = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,BENCH:1")
    with Store(tmp_path / "rooms.sqlite") as store:
        app, live, _ = create_draft_app(store, setup, limits=Limits(rooms=3, new_rooms=10**6))
        with TestClient(app, base_url="http://127.0.0.1") as web:

            def made() -> dict[str, Any]:
                answer = web.post("/api/rooms", json={"seats": ["person", "adp", "adp"]})
                assert answer.status_code == 201, answer.text
                return answer.json()

            first, *others = [made() for _ in range(3)]
            mine = {"authorization": f"Bearer {first['token']}"}
            assert web.post(f"/api/rooms/{first['room']}/picks", json={"item": 0, "turn": 0}, headers=mine).is_success
            last = [made() for _ in range(12)]
            there = [web.get(f"/api/rooms/{one['room']}").status_code for one in (first, *others, *last)]
            assert there == [200, *[404] * 12, 200, 200], "that of which a pick was made, and the newest"
            assert web.get(f"/api{live.partition('#')[0].replace('room', 'rooms')}").status_code == 200
            size = (tmp_path / "rooms.sqlite").stat().st_size
            for _ in range(20):
                made()
            assert len(store.ids()) == 4 and (tmp_path / "rooms.sqlite").stat().st_size <= 2 * size
            with pytest.raises(StoreError, match="append-only"), store._write() as db:
                db.execute("DELETE FROM games")
            room = app.app.state.rooms().any(made()["room"])
            app.app.state.rooms().most = 1
            room.listen(lambda: None)
            assert web.post("/api/rooms", json={"seats": ["person", "adp", "adp"]}).status_code == 503
            assert store.game(room.number).key == room.key, "one that somebody follows stays"


def test_a_proxy_that_is_named_tells_who_visits(tmp_path, monkeypatch):
    """Without it, everybody behind a proxy counts as one visitor."""
    heard = []
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: heard.append(server.config))
    for proxies in ([], ["--proxy", "10.0.0.1"]):
        command = [
            "draft",
            "serve",
            "--no-open",
            "--port",
            "0",
            "--store",
            str(tmp_path / "rooms.sqlite"),
            *SMALL,
            *proxies,
        ]
        with suppress(SystemExit):
            main(command)
    assert [config.proxy_headers for config in heard] == [False, True]
    assert heard[1].forwarded_allow_ips == ["10.0.0.1"]


def test_a_table_with_very_many_players_is_refused_before_it_is_read(client):
    web, _, _ = client
    table = "name,pos,adp\n" + "".join(f"A B{k},QB,1\n" for k in range(60_000))
    answer = web.post("/api/rooms", json={"seats": ["person", "adp"], "league": {"table": table}})
    assert answer.status_code == 422 and "60001 lines" in answer.json()["error"]


def test_a_room_is_what_its_events_made_of_it_after_the_server_was_started_again(tmp_path):
    setup = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,BENCH:1")
    with Store(tmp_path / "rooms.sqlite") as store:
        app, path, _ = create_draft_app(store, setup)
        room, token = path.removeprefix("/room/").split("#")
        mine = {"authorization": f"Bearer {token}"}
        with TestClient(app, base_url="http://127.0.0.1") as web:
            for turn, item in enumerate((3, 5, 1)):
                web.post(f"/api/rooms/{room}/picks", json={"item": item, "turn": turn}, headers=mine)
            web.post(f"/api/rooms/{room}/undo", json={"turn": 3}, headers=mine)
            before = web.get(f"/api/rooms/{room}", headers=mine).json()
    with Store(tmp_path / "rooms.sqlite") as store:
        app, again, _ = create_draft_app(store, setup)
        with TestClient(app, base_url="http://127.0.0.1") as web:
            assert web.get(f"/api/rooms/{room}", headers=mine).json() == before and before["picks"] == [3, 5]
            new = {"authorization": f"Bearer {again.partition('#')[2]}"}
            assert again.startswith(f"/room/{room}#") and new != mine, "old links stay, and the new one opens it too"
            assert web.get(f"/api/rooms/{room}", headers=new).json() == before


# ------------------------------------------------------------------------------------------------------------ auctions


@pytest.fixture
def auctioned(tmp_path: Path) -> Iterator[DraftServer]:
    league = tmp_path / "league.toml"
    setup = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,WR:1", budget=30)
    league.write_text(setup.text())
    found = DraftServer(tmp_path / "rooms.sqlite", str(league))
    yield found
    found.kill()


@pytest.mark.slow
def test_a_live_auction_by_clicks_on_a_telephone_and_a_killed_server(browser, auctioned):
    wrong: list[str] = []
    page = open_page(browser, 390, wrong)
    page.goto(auctioned.url + auctioned.path)
    until(page, "document.querySelectorAll('#players .player').length > 0")
    for sale in range(3):
        page.click("#tab-players")
        page.locator("#players button.take:not([disabled])").nth(sale).click()
        until(
            page, "document.querySelector('#advice').ariaBusy === 'false' && document.querySelector('#advice .limit')"
        )
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        page.select_option("#buyer", str(sale % 3))
        page.fill("#price", "4")
        page.click("#sale button")
        until(page, f"document.querySelectorAll('#sales li').length === {sale + 1}")
    page.click("#undo")
    until(page, "document.querySelectorAll('#sales li').length === 2")
    before = httpx.get(f"{auctioned.url}/api/rooms/{auctioned.key}").json()["sales"]
    auctioned.kill()
    auctioned.start()
    assert httpx.get(f"{auctioned.url}/api/rooms/{auctioned.key}").json()["sales"] == before
    report = httpx.get(f"{auctioned.url}/room/{auctioned.key}/report", timeout=60)
    assert report.status_code == 200 and "Best buys" in report.text
    page.click("#tab-teams")
    until(page, "document.querySelector('#budgets').textContent.includes('26')")
    assert wrong == []


@pytest.mark.slow
def test_a_whole_mock_auction_against_bots(browser, auctioned):
    wrong: list[str] = []
    page = open_page(browser, 1280, wrong)
    page.goto(auctioned.url + "/")
    page.click("#mock button.primary")
    page.wait_for_url("**/room/**")
    until(page, "document.querySelectorAll('#players .player').length > 0")
    for _ in range(30):
        until(page, "/you\\) nominates|your bid|over/.test(document.querySelector('#status').textContent)")
        status = page.inner_text("#status")
        if "over" in status:
            break
        if "your bid" in status:
            until(page, "document.querySelector('#advice').ariaBusy === 'false'")
            page.click("#bid button.primary" if page.input_value("#limit") != "0" else "#pass")
        else:
            for k in range(40):
                page.evaluate("document.querySelector('#problem').textContent = ''")
                page.locator("#players button.take:not([disabled])").nth(k).click()
                moved = f"document.querySelector('#status').textContent !== {status!r}"
                until(page, f"{moved} || document.querySelector('#problem').textContent")
                if page.evaluate(moved):
                    break
            continue
        until(page, f"document.querySelector('#status').textContent !== {status!r}")
    assert "over" in page.inner_text("#status")
    assert page.locator("#sales li").count() == 9
    assert wrong == []


def test_the_pages_have_no_faults_of_access(browser, served):
    from axe_playwright_python.sync_playwright import Axe

    for width in (390, 1280):
        context = browser.new_context(viewport={"width": width, "height": 844}, bypass_csp=True)
        page = context.new_page()
        page.goto(served.url + served.path)
        until(page, "document.querySelectorAll('#players .player').length > 0")
        found = Axe().run(page).response["violations"]
        assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == []
        page.goto(served.url + "/")
        assert [v["id"] for v in Axe().run(page).response["violations"]] == []
        context.close()


def test_a_league_that_was_changed_goes_on_as_it_was_once_a_pick_is_made(tmp_path):
    store = Store(tmp_path / "rooms.sqlite")
    first = Setup(SAMPLE, teams=3, you=1, roster="QB:1,RB:1,BENCH:1")
    _, before, _ = create_draft_app(store, first)
    other = Setup(SAMPLE, teams=4, you=1, roster="QB:1,RB:1,BENCH:1")
    app, after, note = create_draft_app(store, other)  # nothing was picked: a new draft
    assert after != before and note == ""
    key, token = after.removeprefix("/room/").split("#")
    with TestClient(app, base_url="http://127.0.0.1") as web:
        picked = web.post(
            f"/api/rooms/{key}/picks", json={"item": 0, "turn": 0}, headers={"authorization": f"Bearer {token}"}
        )
        assert picked.json()["turn"] == 1
    _, again, note = create_draft_app(store, first)
    assert again.partition("#")[0] == after.partition("#")[0] and "--fresh" in note
    assert create_draft_app(store, first, fresh=True)[1] != after
    store.close()
