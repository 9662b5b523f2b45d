"""Tables over HTTP: whole games, secrets that are revealed together, invitations, take-backs, records."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import bearer, new_table, until

import stratagem
from stratagem import ArrayPosition
from stratagem.web.deltas import pieces, put_together
from stratagem.web.streams import changes, following


def whole_game(client: TestClient, game: str, **more: object) -> dict:
    """Play a game to its end: the first seat takes the first move there is, engines the others."""
    players = client.get(f"/api/games/{game}").json()["players"]
    made = new_table(client, game, ["person"] + ["random"] * (players - 1), **more)
    table, token = made["table"], made["tokens"]["0"]
    while True:
        state = until(client, table, token, lambda s: s["turn"] == "over" or s["parts"])
        if state["turn"] == "over":
            return state
        prefix: list[str] = []
        parts = state["parts"]
        while parts["next"] and not parts["complete"]:
            prefix.append(parts["next"][0])
            parts = client.post(f"/api/tables/{table}/parts", json={"prefix": prefix}, headers=bearer(token)).json()
        body = {"move": ";".join(prefix), "ply": state["ply"]}
        assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize("game", ["tictactoe", "nim", "otters"])
def test_a_whole_game_is_played_and_its_record_replays(client: TestClient, game: str) -> None:
    state = whole_game(client, game)
    assert state["outcome"] and len(state["payoff"]) == 2
    if game != "otters":
        record = client.get(f"/api/tables/{state['table']}/record").json()
        end = stratagem.game(game, **record["options"]).replay(record["moves"], record["origin"])
        assert end.over and str(end) == state["text"]


def test_chance_is_drawn_by_the_server_and_recorded(client: TestClient) -> None:
    state = whole_game(client, "pig", options={"target": 10})
    assert {"chance", 0} <= {move["by"] for move in state["moves"]}
    record = client.get(f"/api/tables/{state['table']}/record").json()
    assert stratagem.game("pig", target=10).replay(record["moves"]).over


def test_three_at_a_table_two_of_them_people(client: TestClient) -> None:
    made = new_table(client, "pig", ["person", "random", "person"], options={"players": 3, "target": 15})
    table = made["table"]
    joined = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["2"]}).json()
    tokens = {0: made["tokens"]["0"], joined["seat"]: joined["token"]}
    assert set(tokens) == {0, 2}
    while True:
        state = until(client, table, None, lambda s: s["turn"] == "over" or s["asked"][0] in tokens)
        if state["turn"] == "over":
            break
        mover = state["asked"][0]
        other = tokens[2 - mover]
        body = {"move": "roll", "ply": state["ply"]}
        assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(other)).status_code == 422
        assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[mover])).status_code == 200
        at = client.get(f"/api/tables/{table}", headers=bearer(tokens[mover])).json()
        if at["parts"] and "hold" in at["parts"]["next"]:
            body = {"move": "hold", "ply": at["ply"]}
            assert (
                client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[mover])).status_code == 200
            )
    assert len(state["payoff"]) == 3


def test_secret_moves_are_revealed_together(client: TestClient) -> None:
    made = new_table(client, "otters", ["person", "person"])
    table, first = made["table"], made["tokens"]["0"]
    second = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["1"]}).json()["token"]
    answer = client.post(f"/api/tables/{table}/moves", json={"move": "raise;3", "ply": 1}, headers=bearer(first)).json()
    assert answer["mine"] == "raise;3" and answer["ready"] == [0] and answer["parts"] is None
    assert answer["mine_named"] == ["raise", "3"]
    seen = client.get(f"/api/tables/{table}", headers=bearer(second))
    assert seen.json()["ready"] == [0] and seen.json()["mine"] is None and "raise;3" not in seen.text
    again = client.post(f"/api/tables/{table}/moves", json={"move": "fold", "ply": 1}, headers=bearer(first))
    assert again.status_code == 422 and "decided already" in again.json()["error"]
    end = client.post(f"/api/tables/{table}/moves", json={"move": "fold", "ply": 1}, headers=bearer(second)).json()
    assert end["turn"] == "over" and end["moves"][1]["text"] == "raise;3 | fold" and end["payoff"] == [1.0, -1.0]


def test_an_invitation_works_once(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    path, body = f"/api/tables/{made['table']}/join", {"invitation": made["invitations"]["1"]}
    assert client.post(path, json=body).json()["seat"] == 1
    assert client.post(path, json=body).status_code == 403


def test_a_move_sent_twice_is_played_once(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "random"])
    path, head = f"/api/tables/{made['table']}", bearer(made["tokens"]["0"])
    body = {"move": "a1", "ply": 0}
    assert client.post(path + "/moves", json=body, headers=head).status_code == 200
    assert client.post(path + "/moves", json=body, headers=head).status_code in (409, 422)
    state = until(client, made["table"], made["tokens"]["0"], lambda s: s["ply"] == 2)
    assert [move["by"] for move in state["moves"]] == [0, 1]
    assert client.post(path + "/moves", json=body, headers=head).status_code == 409


def test_taking_back_goes_to_the_last_decision_and_dice_fall_as_before(client: TestClient) -> None:
    while True:
        made = new_table(client, "pig", ["person", "random"], options={"faces": 100, "target": 10000})
        path, token = f"/api/tables/{made['table']}", made["tokens"]["0"]
        rolled = client.post(path + "/moves", json={"move": "roll", "ply": 0}, headers=bearer(token)).json()
        if (
            rolled["moves"][1]["text"] != "1"
        ):  # a 1, at one table in a hundred, passes the turn on, and the other side plays
            break
    back = client.post(path + "/back", json={"ply": rolled["ply"]}, headers=bearer(token)).json()
    assert back["ply"] == 0 and back["parts"]["next"] == ["roll"]
    again = client.post(path + "/moves", json={"move": "roll", "ply": 0}, headers=bearer(token)).json()
    assert again["moves"][1]["text"] == rolled["moves"][1]["text"]
    assert client.post(path + "/back", json={"ply": 0}, headers=bearer(token)).status_code == 409


def test_taking_back_is_refused_against_people_and_where_something_is_hidden(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    head = bearer(made["tokens"]["0"])
    client.post(f"/api/tables/{made['table']}/moves", json={"move": "a1", "ply": 0}, headers=head)
    assert client.post(f"/api/tables/{made['table']}/back", json={"ply": 1}, headers=head).status_code == 422
    made = new_table(client, "otters", ["person", "random"])
    token = made["tokens"]["0"]
    client.post(f"/api/tables/{made['table']}/moves", json={"move": "fold", "ply": 1}, headers=bearer(token))
    until(client, made["table"], token, lambda s: s["turn"] == "over")
    assert client.post(f"/api/tables/{made['table']}/back", json={"ply": 2}, headers=bearer(token)).status_code == 422


def test_a_hint_is_streamed(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "random"], position="XX_OO____")
    answer = client.post(f"/api/tables/{made['table']}/hint", headers=bearer(made["tokens"]["0"]))
    assert "event: done" in answer.text and '"best": "c1"' in answer.text


def test_an_analysis_is_streamed_and_names_the_winning_move(client: TestClient) -> None:
    question = {"game": "connect4", "moves": list("121212"), "seconds": 0.3, "lines": 2}
    answer = client.post("/api/analyse", json=question)
    assert answer.status_code == 200 and answer.text.startswith("event: queued")
    last = answer.text.strip().split("\n\n")[-1]
    assert last.startswith("event: done") and '"best": "1"' in last


def test_values_of_picks_are_drawn_on_the_board(client: TestClient) -> None:
    question = {"game": "risk", "moves": ["brazil", "siam", "peru"], "seconds": 0.3, "lines": 2}
    answer = client.post("/api/analyse", json=question)
    last = answer.text.strip().split("\n\n")[-1]
    assert last.startswith("event: done") and "chance of A to win after each pick" in last
    plain = client.post("/api/analyse", json={"game": "nim", "moves": [], "seconds": 0.1}).text
    assert '"svg"' not in plain


@pytest.mark.slow
def test_the_engine_of_every_game_analyses_and_reports(client: TestClient) -> None:
    for game in client.get("/api/games").json():
        line: dict[str, Any] = {"game": game["name"], "moves": []}
        while client.post("/api/position", json=line).json()["turn"] == "chance":
            line["moves"].append(client.post("/api/draw?seed=5", json=line).json()["outcome"])
        answer = client.post("/api/analyse", json={**line, "seconds": 0.5})
        last = answer.text.strip().split("\n\n")[-1]
        assert last.startswith("event: done"), (game["name"], last)


def test_a_position_is_described_for_every_game(client: TestClient) -> None:
    for game in client.get("/api/games").json():
        found = client.post("/api/position", json={"game": game["name"]}).json()
        assert found["svg"].startswith("<svg") and found["turn"] in ("seat", "chance", "together"), game
        assert "style=" not in found["svg"], f"{game['name']}: a style attribute is refused by the pages' policy"
        if found["turn"] == "chance":
            line = {"game": game["name"]}
            outcome = client.post("/api/draw?seed=5", json=line).json()["outcome"]
            assert client.post("/api/position", json={**line, "moves": [outcome]}).status_code == 200


def test_playback_gives_every_ply_and_ends_in_the_present(client: TestClient) -> None:
    state = whole_game(client, "nim")
    for ply in range(state["ply"] + 1):
        frames = client.get(f"/api/tables/{state['table']}/frames/{ply}").json()["frames"]
        drawings, before = [], ""
        for frame in frames:
            before = put_together(pieces(before), frame["drawing"])
            drawings.append(before)
        assert drawings and all(drawing.startswith("<svg") for drawing in drawings)
    assert drawings[-1] == state["svg"]
    assert client.get(f"/api/tables/{state['table']}/frames/{state['ply'] + 1}").status_code == 404


def test_engines_among_themselves_play_only_while_somebody_looks(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["random", "random"])
    assert client.get(f"/api/tables/{made['table']}").json()["ply"] == 0
    table = client.app.app.state.tables.get(made["table"])

    def look() -> None:
        pass

    table.listen(look)
    assert until(client, made["table"], None, lambda s: s["turn"] == "over")["outcome"]
    table.leave(look)


def test_pages_escape_what_games_say_and_carry_no_inline_code(client: TestClient) -> None:
    for path in ("/", "/games/otters", "/analyse/otters", "/games/tictactoe"):
        page = client.get(path).text
        assert "<script>alert" not in page and "<b>" not in page
        assert " style=" not in page and "onclick" not in page
    assert client.get("/games/chess", headers={"accept": "text/html"}).status_code == 404
    assert "<h1>Not here</h1>" in client.get("/nowhere", headers={"accept": "text/html"}).text


def test_a_text_of_several_moves_is_several_plies_and_all_of_them_are_the_movers(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game may play a line of moves as one text; here the draft does, in which the third player picks twice."""
    real = ArrayPosition.play

    def play(self: ArrayPosition, text: str) -> ArrayPosition:
        after = self
        for part in text.split(";"):
            after = real(after, part)
        return after

    monkeypatch.setattr(ArrayPosition, "play", play)
    monkeypatch.setattr(ArrayPosition, "check", lambda self, text, seat: text)
    made = new_table(client, "draft", ["person"] * 3)
    path, tokens = f"/api/tables/{made['table']}", {0: made["tokens"]["0"]}
    for seat, invitation in made["invitations"].items():
        tokens[int(seat)] = client.post(f"{path}/join", json={"invitation": invitation}).json()["token"]

    def move(seat: int, text: str, ply: int) -> Any:
        return client.post(f"{path}/moves", json={"move": text, "ply": ply}, headers=bearer(tokens[seat]))

    assert move(0, "apple", 0).json()["ply"] == 1
    assert move(1, "banana", 1).json()["ply"] == 2
    assert move(2, "cherry;date", 2).json()["ply"] == 4
    refused = move(1, "fig;grape", 4)
    assert refused.status_code == 422 and "more than player 2 may" in refused.json()["error"]
    client.app.app.state.tables._open.clear()  # as the store has it
    state = client.get(path).json()
    assert [one["text"] for one in state["moves"]] == ["apple", "banana", "cherry", "date"] and state["ply"] == 4


# ---------------------------------------------------------------------------------------------- fewer hops


def test_a_part_that_makes_a_move_whole_is_played_by_the_same_request(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    path, head = f"/api/tables/{made['table']}", bearer(made["tokens"]["0"])
    asked = client.post(path + "/parts", json={"prefix": ["b2"]}, headers=head).json()
    assert asked["complete"] and asked["played"] is None, "without a ply nothing is played"
    assert client.get(path).json()["ply"] == 0
    body = {"prefix": ["b2"], "ply": 0}
    played = client.post(path + "/parts", json=body, headers=head).json()["played"]
    assert played["ply"] == 1 and played["moves"][0]["text"] == "b2" and played == client.get(path, headers=head).json()
    assert client.post(path + "/parts", json=body, headers=head).status_code == 409, "sent twice, it is played once"
    refused = client.post(path + "/parts", json={"prefix": ["a1"], "ply": 1}, headers=head)
    assert refused.status_code == 422 and "not X's turn" in refused.json()["error"]


def test_a_part_that_leaves_a_move_unfinished_is_not_played(client: TestClient) -> None:
    made = new_table(client, "otters", ["person", "person"])
    path, head = f"/api/tables/{made['table']}", bearer(made["tokens"]["0"])
    grown = client.post(path + "/parts", json={"prefix": ["raise"], "ply": 1}, headers=head).json()
    assert grown["next"] == ["1", "2", "3"] and grown["played"] is None
    whole = client.post(path + "/parts", json={"prefix": ["raise", "3"], "ply": 1}, headers=head).json()
    assert whole["played"]["mine"] == "raise;3"


def test_an_answer_is_brief_where_a_stream_tells_the_rest(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    path, head = f"/api/tables/{made['table']}", bearer(made["tokens"]["0"])
    brief = {**head, "prefer": "return=minimal"}
    answer = client.post(path + "/moves", json={"move": "b2", "ply": 0}, headers=brief).json()
    state = client.get(path, headers=head).json()
    assert answer == {name: state[name] for name in ("table", "version", "ply")} and answer["ply"] == 1


def test_a_stream_tells_the_table_once_and_then_what_changes(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "person"])
    table = client.app.app.state.tables.get(made["table"])
    head = bearer(made["tokens"]["0"])

    async def follow() -> list[tuple[str, Any]]:
        reported = []
        stream = following(table, 0, nullcontext(), "table", "change")
        for move in ("a1", "b2", "c3", None):
            kind, data = (await anext(stream)).split("\n", 2)[:2]
            reported.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
            if move is not None:
                table.move(len(reported) % 2 ^ 1, move, len(reported) - 1)
        await stream.aclose()
        return reported

    with ThreadPoolExecutor(1) as thread:  # a browser's tests may have left a loop running on this one
        reported = thread.submit(asyncio.run, follow()).result()
    assert [kind for kind, _ in reported] == ["table", "change", "change", "change"]
    state = reported[0][1]
    for _, change in reported[1:]:
        assert {"drawing", "ply", "version"} <= set(change) and not {"title", "options", "seats"} & set(change)
        assert change["kept"] == state["ply"] and len(change["moves"]) == 1, "moves that stayed are not sent again"
        moves = [*state["moves"][: change.pop("kept")], *change["moves"]]
        drawing = put_together(pieces(state["svg"]), change.pop("drawing"))
        state = {**state, **change, "moves": moves, "svg": drawing}
    assert state.pop("here") == [0], "while it is followed"
    after = client.get(f"/api/tables/{made['table']}", headers=head).json()
    assert after.pop("here") == [] and state == after


def test_a_move_taken_back_is_a_change_too() -> None:
    one, two, other = ({"by": 0, "text": text, "words": None} for text in "abc")
    reported = {"version": 1, "moves": [one, two], "svg": "<svg>"}
    assert changes(reported, {**reported, "version": 2, "moves": [one]}) == {"version": 2, "moves": [], "kept": 1}
    assert changes(reported, {**reported, "version": 2, "moves": [one, other]}) == {
        "version": 2,
        "moves": [other],
        "kept": 1,
    }
    assert changes(reported, {**reported, "version": 2}) == {"version": 2}


def test_a_click_in_an_analysis_is_one_request(client: TestClient) -> None:
    line = {"game": "connect4", "moves": ["4"]}
    asked = client.post("/api/parts", json={**line, "prefix": ["4"], "seat": 1}).json()
    assert asked["complete"] and asked["played"] is None
    played = client.post("/api/parts", json={**line, "prefix": ["4"], "seat": 1, "play": True}).json()["played"]
    assert played == client.post("/api/position", json={"game": "connect4", "moves": ["4", "4"]}).json()
    together = {"game": "goofspiel", "moves": [], "prefix": ["1"], "seat": 0, "play": True}
    found = client.post("/api/position", json={"game": "goofspiel"}).json()
    while found["turn"] == "chance":
        together["moves"].append(client.post("/api/draw?seed=5", json={"game": "goofspiel"}).json()["outcome"])
        found = client.post("/api/position", json={"game": "goofspiel", "moves": together["moves"]}).json()
    assert client.post("/api/parts", json=together).json()["played"] is None, "one seat of several does not move alone"


def test_a_table_keeps_its_engine_from_move_to_move_and_another_takes_over_when_it_was_killed(
    client: TestClient,
) -> None:
    made = new_table(client, "connect4", ["person", "random"])
    path, token = f"/api/tables/{made['table']}", made["tokens"]["0"]
    pool = client.app.app.state.pool
    for k in range(4):
        state = until(client, made["table"], token, lambda s: s["parts"])
        assert (made["table"] in pool._homes) == (k > 0), "it has a home once an engine was asked"
        if k == 2:
            for process in multiprocessing.active_children():
                process.kill()
        body = {"move": "1357"[k], "ply": state["ply"]}
        assert client.post(path + "/moves", json=body, headers=bearer(token)).status_code == 200
    state = until(client, made["table"], token, lambda s: s["parts"])
    assert state["ply"] == 8 and state["trouble"] is None, "a killed process costs nothing"


def test_the_players_of_a_finished_game_are_let_go(client: TestClient) -> None:
    state = whole_game(client, "nim")
    assert state["table"] not in client.app.app.state.pool._homes


# ---------------------------------------------------------------------------------------------- words


def test_a_games_words_stand_beside_the_notation_as_each_side_may_know_them(client: TestClient) -> None:
    made = new_table(client, "caravan", ["person", "person"])
    table, tokens = made["table"], [made["tokens"]["0"]]
    joined = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["1"]}).json()
    tokens.append(joined["token"])
    cargoes = client.app.app.state.tables.get(table).position.held
    days = [(0, "north"), (1, "south"), (0, "load;go"), (1, "scout;scout;go"), (0, "go")]
    for ply, (seat, move) in zip((1, 1, 2, 3, 4), days, strict=True):
        body = {"move": move, "ply": ply}
        answer = client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[seat]))
        assert answer.status_code == 200, answer.text
        for viewer, token in ((0, tokens[0]), (1, tokens[1]), (None, None)):
            seen = client.get(f"/api/tables/{table}", headers=bearer(token) if token else {})
            secret = [cargo for p, cargo in enumerate(cargoes) if p != viewer]
            assert not [cargo for cargo in secret if cargo in seen.text], "no word of what another seat holds"
    reported = {
        viewer: [move["words"] for move in client.get(f"/api/tables/{table}", headers=head).json()["moves"]]
        for viewer, head in ((0, bearer(tokens[0])), (1, bearer(tokens[1])), (None, {}))
    }
    assert reported[0][1] == (f"Ann: takes the northern road with {cargoes[0]}; Ben: takes the southern road with ?")
    assert reported[0][2] == f"loads {cargoes[0]} 1 times, scouts 0 times"
    assert reported[1][2] == reported[None][2] == "loads ? 1 times, scouts 0 times"
    assert reported[None][0] == "the camels are laden"


def test_moves_without_words_and_words_that_fail_leave_the_notation(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert {move["words"] for move in whole_game(client, "otters")["moves"]} == {None}
    caravan = type(client.app.app.state.tables.catalogue.game("caravan"))

    def fail(*_: Any) -> str:
        raise ZeroDivisionError("camels")

    monkeypatch.setattr(caravan, "describe", fail)
    made = new_table(client, "caravan", ["person", "planner"])
    state = client.get(f"/api/tables/{made['table']}").json()
    assert state["moves"][0] == {"by": "chance", "text": "?/?", "words": None, "heading": "", "marks": []}
    assert "caravan failed over a description" in caplog.text


def test_long_plans_are_analysed_by_their_differences(client: TestClient) -> None:
    question = {"game": "caravan", "moves": ["saffron/indigo", "north | south"], "seconds": 0.1, "lines": 3}
    last = client.post("/api/analyse", json=question).text.strip().split("\n\n")[-1]
    assert last.startswith("event: done")
    choice = json.loads(last.partition("data: ")[2])
    assert choice["differences"] == [["1 loaded"], ["2 loaded"], ["0 loaded"]]
    assert choice["lines"][1]["moves"] == ["load;load;scout;go"], "and programs have the plans whole"
    alone = client.post("/api/analyse", json={**question, "lines": 1}).text
    assert "differences" not in alone


def test_a_game_says_how_its_parts_are_asked_for(client: TestClient) -> None:
    blotto = client.post("/api/position", json={"game": "blotto"}).json()["parts"]["0"]
    assert blotto["form"] == {
        "kind": "numbers", "labels": [f"front {k}" for k in (1, 2, 3, 4)], "total": 10, "spare": False,
    }  # fmt: skip
    assert client.post("/api/position", json={"game": "nim"}).json()["parts"]["0"]["form"] is None


def test_a_whole_deal_is_drawn_at_once_and_by_its_seed(client: TestClient) -> None:
    first = client.post("/api/draw?seed=5&on=true", json={"game": "asmacag"}).json()
    assert len(first["outcomes"]) == 38 and first["outcome"] == first["outcomes"][0]
    assert client.post("/api/draw?seed=5&on=true", json={"game": "asmacag"}).json() == first
    after = client.post("/api/position", json={"game": "asmacag", "moves": first["outcomes"]}).json()
    assert after["turn"] == "seat"
    assert client.post("/api/draw?seed=5", json={"game": "asmacag"}).json()["outcomes"] == [first["outcome"]]


def test_a_view_is_made_once_for_all_who_look_as_the_same_seat(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stratagem.web.table import Table

    made = new_table(client, "tictactoe", ["person", "person"])
    table = client.app.app.state.tables.get(made["table"])
    counted: list[int | None] = []
    snapshot = Table.snapshot
    monkeypatch.setattr(Table, "snapshot", lambda self, seat: (counted.append(seat), snapshot(self, seat))[1])
    for _ in range(5):
        for seat in (None, 0):
            table.shown(seat)
    assert counted == [None, 0]
    table.move(0, "a1", 0)
    assert [table.shown(None)["ply"] for _ in range(5)] == [1] * 5 and counted == [None, 0, None]


@pytest.mark.parametrize("game", ["nim", "goofspiel", "pig"])
def test_a_view_that_is_kept_is_as_one_made_anew(
    game: str, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stratagem.web.table import Table

    seen, compared = Table.seen, []

    def compare(self: Table, seat: int | None) -> dict[str, Any]:
        with self.lock:
            compared.append(seen(self, seat) == self.snapshot(seat))
            return seen(self, seat)

    monkeypatch.setattr(Table, "seen", compare)
    made = new_table(client, game, ["person", "person"])
    path = f"/api/tables/{made['table']}"
    joined = client.post(f"{path}/join", json={"invitation": made["invitations"]["1"]}).json()
    tokens = [made["tokens"]["0"], joined["token"]]
    for number in range(8):
        for seat, token in enumerate(tokens):
            state = client.get(path, headers=bearer(token)).json()
            client.get(path)
            if state["turn"] == "over" or seat not in state["asked"] or not state["parts"]:
                continue
            prefix, parts = [], state["parts"]
            while parts["next"] and not parts["complete"]:
                prefix.append(parts["next"][0])
                parts = client.post(f"{path}/parts", json={"prefix": prefix}, headers=bearer(token)).json()
            client.post(f"{path}/moves", json={"move": ";".join(prefix), "ply": state["ply"]}, headers=bearer(token))
        if number == 5:
            client.post(f"{path}/draw", headers=bearer(tokens[0]))
    client.post(f"{path}/resign", headers=bearer(tokens[1]))
    client.get(path, headers=bearer(tokens[0]))
    assert len(compared) > 20 and all(compared)
