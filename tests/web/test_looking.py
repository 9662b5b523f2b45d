"""What is to be seen about one thing, questions at a table, and positions set up: what the server answers."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient
from web.serving import bearer, new_table, until
from web.test_panels import LINE, POSITION


def test_a_unit_shows_its_reach_and_an_empty_place_nothing(client: TestClient) -> None:
    made = new_table(client, "minions", ["person", "random"])
    path, head = f"/api/tables/{made['table']}/look", bearer(made["tokens"]["0"])
    seen = client.post(path, json={"place": "0 c1"}, headers=head).json()
    kinds = {mark["kind"]: mark["places"] for mark in seen["marks"]}
    assert kinds["reach"] and all(place.startswith("0 ") for place in kinds["reach"])
    assert f"can go to {len(kinds['reach'])} hexes" in seen["words"]
    moved = client.post(path, json={"place": "0 c0", "prefix": ["board 0 move c1c0"]}, headers=head).json()
    assert {mark["kind"]: mark["places"] for mark in moved["marks"]}["reach"] == [], "it has moved in the plan"
    for place in ("0 e5", "9 c1", "nonsense", "", "0 z9"):
        assert client.post(path, json={"place": place}, headers=head).json() == {"marks": [], "words": ""}
    assert client.post(path, json={"place": "0 c1"}).json()["marks"], "a spectator looks too"


def test_what_can_be_removed_is_proved_for_each_enemy_alone(client: TestClient) -> None:
    asked = {"game": "minions", "options": {"maps": "AllLand"}, "position": POSITION, "panel": "removable"}
    found = client.post("/api/panel", json=asked).json()
    assert found["text"] == "1 can be removed, each taken alone"
    assert found["marks"] == [{"kind": "threat", "places": ["0 c0"], "words": found["text"]}]
    (move,) = found["moves"]
    assert move["words"].startswith("board 0 Vampire c0: kills c0")
    line = {key: asked[key] for key in ("game", "options", "position")}
    assert client.post("/api/position", json={**line, "moves": [move["move"]]}).status_code == 200


def test_questions_are_answered_at_a_table_against_engines_alone(client: TestClient) -> None:
    body: dict[str, Any] = {"options": {"maps": "AllLand"}, "position": POSITION}
    for seats, status in ((["person", "random"], 200), (["person", "person"], 403)):
        made = new_table(client, "minions", seats, **body)
        path, head = f"/api/tables/{made['table']}/panel", bearer(made["tokens"]["0"])
        assert client.post(path, json={"panel": "removable"}, headers=head).status_code == status
        assert client.post(path, json={"panel": "removable"}).status_code == 403, "a spectator asks nothing"


def test_a_position_is_set_up_by_its_cells_and_refused_with_the_games_words(client: TestClient) -> None:
    sheet = client.post("/api/sheet", json={"game": "tictactoe"}).json()
    assert sheet["sheet"]["cells"]["b2"] == "_" and [s["text"] for s in sheet["sheet"]["signs"]] == ["_", "X", "O"]
    made = client.post("/api/edit", json={"game": "tictactoe", "cells": {"b2": "X"}}).json()
    assert made["text"] == "____X____" and made["asked"] == [1]
    for cells, says in (({"b2": "X", "a1": "X"}, "2 X and 0 O"), ({"z9": "X"}, "'z9'"), ({"b2": "Q"}, "'Q'")):
        refused = client.post("/api/edit", json={"game": "tictactoe", "cells": cells})
        assert refused.status_code == 422 and says in refused.json()["error"], cells
    assert client.post("/api/sheet", json={"game": "blotto"}).json()["sheet"] is None
    refused = client.post("/api/edit", json={"game": "blotto", "cells": {}})
    assert refused.status_code == 422 and "not edited cell by cell" in refused.json()["error"]


def test_a_change_of_fields_is_judged_too(client: TestClient) -> None:
    asked = {"game": "minions", "options": {"maps": "AllLand"}}
    position = f"0|0 0|0 {LINE}|{LINE} n|||||N9/0/0/0/0/0/0/0/0/9n 0 1"
    made = client.post("/api/edit", json={**asked, "position": position, "fields": {"money 1": "30", "side": "Blue"}})
    assert made.status_code == 200 and made.json()["text"].startswith("0|30 ") and made.json()["asked"] == [1]
    refused = client.post("/api/edit", json={**asked, "position": position, "fields": {"money 1": "much"}})
    assert refused.status_code == 422 and "much" in refused.json()["error"]


def test_the_dice_of_a_battle_are_in_the_record_of_a_table(client: TestClient) -> None:
    board = ",".join(["A9"] * 13 + ["B2"] * 15 + ["C1"] * 14)
    text = f"phase=attack seat=A turn=3 board={board}"
    made = new_table(client, "risk", ["person", "random", "random"], options={"players": 3}, position=text)
    table, head = made["table"], bearer(made["tokens"]["0"])
    state = until(client, table, made["tokens"]["0"], lambda s: s["parts"])
    attack = next(part for part in state["parts"]["next"] if ">" in part)
    for ply, move in enumerate((attack, "roll 3")):
        answer = client.post(f"/api/tables/{table}/moves", json={"move": move, "ply": ply}, headers=head)
        assert answer.status_code == 200, answer.text
    moves = client.get(f"/api/tables/{table}", headers=head).json()["moves"]
    assert (
        " by " in moves[2]["text"]
        and moves[2]["words"].endswith(")")
        and {m["heading"] for m in moves} == {"Turn 3, A"}
    )
