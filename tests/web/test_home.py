"""The front page: what it says to a stranger, and where it leads."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient
from web.serving import OTTERS

from stratagem.registry import game_names
from stratagem.web.home import FAMILIES, families


def test_every_game_is_in_one_family_and_plans_come_first(client: TestClient) -> None:
    found = families(client.get("/api/games").json())
    names = [game["name"] for _, alike in found for game in alike]
    assert sorted(names) == sorted({*names}) and set(game_names()) <= set(names)
    assert names[0] == "roborally" and [family for family, _ in found] == list(FAMILIES)
    own = re.findall(r"[^/]+(?=\.py)", OTTERS)[0]
    assert own in names, "a game of one's own is offered too"


def test_the_front_page_leads_to_puzzles_and_drafts_and_names_the_interface_last(client: TestClient) -> None:
    page = client.get("/").text
    assert page.index('href="/puzzles"') < page.index('href="/drafts"') < page.index('id="family-0"')
    assert "openapi" not in page[: page.index("<footer")] and "/api/openapi.json" in page


@pytest.mark.parametrize("page", ["play", "review"])
def test_a_link_to_no_game_says_so(client: TestClient, page: str) -> None:
    missing = client.get(f"/{page}/{'A' * 22}", headers={"accept": "text/html"})
    assert missing.status_code == 404 and "There is no game" in missing.text and 'href="/"' in missing.text


def test_a_server_of_games_has_rooms_for_mock_drafts(client: TestClient) -> None:
    page = client.get("/drafts").text
    assert "A mock draft" in page and "The live draft" not in page
    made = client.post("/api/rooms", json={"seats": ["person", *["adp"] * 11]}).json()
    assert client.get(f"/room/{made['room']}").status_code == 200
    state = client.get(f"/api/rooms/{made['room']}", headers={"authorization": f"Bearer {made['token']}"}).json()
    assert state["you"] == 0


EXPORT = "Player,Pos,Team,FPTS,ADP\n" + "\n".join(
    f"{position} {k},{position},ASH,{300 - 3 * k},{k * 6 + n}"
    for k in range(1, 40)
    for n, position in enumerate(("QB", "RB", "WR", "TE", "K", "DST"))
)


def test_a_room_drafts_the_visitors_own_players_by_a_sites_settings(client: TestClient) -> None:
    assert "they are made up" in client.get("/drafts").text
    league = {"preset": "espn-ppr", "teams": 8, "table": EXPORT}
    made = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": league}).json()
    about = client.get(f"/api/rooms/{made['room']}/league").json()
    assert about["teams"] == 8 and not about["sample"] and about["items"][0]["name"].startswith("QB ")
    sample = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": {"preset": "yahoo-half"}}).json()
    assert client.get(f"/api/rooms/{sample['room']}/league").json()["sample"]


STATISTICS = "Player,Pos,Team,REC,YDS,TDS,ADP\n" + "\n".join(
    f"{position} {k},{position},ASH,{100 - k},{1000 - 9 * k},{9 - k / 9:.1f},{k * 6 + n}"
    for k in range(1, 30)
    for n, position in enumerate(("RB", "WR"))
)


def test_ones_own_seat_roster_and_scoring_are_taken(client: TestClient) -> None:
    league = {"preset": "espn-ppr", "teams": 8, "you": 3, "roster": "RB:1,WR:2,BENCH:1", "table": STATISTICS}
    rooms = []
    for points in (None, 2.0):
        made = client.post(
            "/api/rooms", json={"seats": ["person", "adp"], "league": {**league, "catch": points}}
        ).json()
        path, head = f"/api/rooms/{made['room']}", {"authorization": f"Bearer {made['token']}"}
        assert client.get(path, headers=head).json()["you"] == 2
        rooms.append(client.get(f"{path}/league").json())
    assert rooms[0]["turns"] == 8 * 4
    first, other = (next(item for item in room["items"] if item["name"] == "WR 1") for room in rooms)
    assert other["points"] - first["points"] == pytest.approx(99, abs=0.5), "a point more for each of 99 receptions"
    for wrong, said in (
        ({"you": 9}, "team 9"),
        ({"roster": "nothing:x"}, "nothing:x"),
        ({"roster": "BENCH:40," * 20}, ""),
    ):
        answer = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": {**league, **wrong}})
        assert answer.status_code == 422 and said in answer.json()["error"], answer.text
    ball = {**league, "preset": "espn-baseball", "roster": "", "catch": 1.0}
    answer = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": ball})
    assert answer.status_code == 422 and "categories" in answer.json()["error"]


def test_a_table_that_cannot_be_read_is_refused_with_its_line(client: TestClient) -> None:
    for table, wrong in (("nothing here", "no header"), ("x" * 1_100_000, "at most"), ("<html>", "web page")):
        answer = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": {"table": table}})
        assert answer.status_code == 422 and wrong in answer.json()["error"], answer.text
    answer = client.post("/api/rooms", json={"seats": ["person", "adp"], "league": {"preset": "nobody"}})
    assert answer.status_code == 422 and "nobody" in answer.json()["error"]
    assert client.post("/api/rooms", content=b"x" * 3_000_000).status_code == 413
