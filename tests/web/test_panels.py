"""Questions that a game declares and its positions answer: the web knows only their form."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

LINE = "L" * 25
POSITION = f"9|9 0|0 {LINE}|{LINE} n|||||MZv7/d9/0/0/0/0/0/0/0/0 0 9"
ASKED = {"game": "minions", "options": {"maps": "AllLand"}, "position": POSITION, "panel": "attacks"}


def ask(client: TestClient, **more: Any) -> Any:
    return client.post("/api/panel", json={**ASKED, **more})


def test_a_game_declares_its_panels(client: TestClient) -> None:
    simple, panel = client.get("/api/games/minions").json()["panels"]
    assert (simple["name"], simple["fields"], panel["name"]) == ("removable", [], "attacks")
    assert [name for name, _ in panel["fields"]] == ["remove", "keep", "board"]
    assert client.get("/api/games/connect4").json()["panels"] == []


def test_a_panel_answers_with_words_and_moves_that_can_be_played(client: TestClient) -> None:
    found = ask(client, given={"remove": "c0"}).json()
    assert found["text"] == "yes: 1 way and there is no other"
    (move,) = found["moves"]
    assert move["words"].startswith("kills c0: move b0b1, move a0b0")
    after = client.post(
        "/api/position", json={**{k: ASKED[k] for k in ("game", "options", "position")}, "moves": [move["move"]]}
    )
    assert after.status_code == 200


def test_a_panel_says_no_with_what_conflicts(client: TestClient) -> None:
    assert "a1 (Blue Shadowlord)" in ask(client, given={"remove": "a1"}).json()["text"]


def test_a_bad_question_is_refused_in_words(client: TestClient) -> None:
    for more, says in (
        ({"given": {"remove": "e5"}}, "no unit stands on"),
        ({"given": {"board": "x"}}, "index of a board"),
        ({"panel": "magic"}, "unknown panel"),
        ({"game": "connect4", "position": "", "options": {}}, "unknown panel"),
    ):
        refused = ask(client, **more)
        assert refused.status_code in (400, 422)
        assert says in refused.json()["error"]
