"""What pages are sent besides drawings: steps, words, marks; and how little of it goes over the wire."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient
from web.serving import bearer, new_table, until

import stratagem
from stratagem.contract.companions.drawing import Frame
from stratagem.contract.game import CHANCE, TOGETHER
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.words import in_words
from stratagem.games.risk.kernels import TURN
from stratagem.games.risk.odds import odds
from stratagem.games.risk.telling import taking
from stratagem.registry import game_names
from stratagem.rng import generator
from stratagem.web.deltas import brief_frames, pieces, put_together, telling
from stratagem.web.showing import shown_parts, shown_rules

PEOPLE = ["person", "person"]


def played(name: str, plies: int, **options: Any) -> list[tuple[Any, str]]:
    """Positions of a random game with what was decided in them."""
    game = stratagem.game(name, **options)
    position, rng, found = game.start(), generator(3), []
    while not position.over and len(found) < plies:
        if position.turn == TOGETHER:
            seats = range(game.players)
            text = " | ".join(position.sample(rng, p) if p in position.asked else "-" for p in seats)
        else:
            text = position.sample(rng)
        found.append((position, text))
        position = position.play(text)
    return [*found, (position, "")]


@pytest.mark.parametrize("name", game_names())
def test_a_drawing_is_put_together_from_what_is_new_in_it(name: str) -> None:
    before: list[str] = []
    for position, _ in played(name, 6):
        drawing = position.svg()
        reported = telling(before, pieces(drawing))
        assert put_together(before, reported) == drawing
        before = pieces(drawing)


def test_a_step_of_a_large_drawing_is_reported_briefly() -> None:
    (start, turn), *_ = played("minions", 1)
    frames = start.game.frames(start, turn)
    whole, *rest = brief_frames(None, frames)
    assert len(rest) > 3
    for step in rest:
        assert len(str(step["drawing"])) < 6000 < len(str(whole["drawing"]))


@pytest.mark.parametrize("name", game_names())
def test_every_game_tells_its_moves_in_words(name: str) -> None:
    for position, text in played(name, 12)[:-1]:
        said = in_words(position, text)
        assert said and said != text, text


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "hex", "breakthrough", "othello", "risk"])
def test_marks_name_places_that_the_drawing_has(name: str) -> None:
    reported = 0
    for position, text in played(name, 30)[:-1]:
        drawing = position.svg()
        for mark in (*position.game.trace(position, text, position.turn), *position.game.marks(position)):
            for place in mark.places:
                assert any(f'data-{kind}="{place}"' in drawing for kind in ("at", "place", "part")), place
                reported += 1
    assert reported


def test_the_line_that_wins_is_marked() -> None:
    connect4 = stratagem.game("connect4")
    assert connect4.marks(connect4.parse("1212121"))[0].places == ("1.1", "1.2", "1.3", "1.4")
    won = stratagem.game("hex", size=3).parse("XO_/XO_/X__")
    assert won.over and won.game.marks(won)[0].places == ("a1", "a2", "a3")


def test_the_chance_beside_an_attack_is_that_of_the_odds() -> None:
    for armies, defenders in ((4, 2), (9, 7), (2, 1)):
        assert taking(armies, defenders, 1) == pytest.approx(odds(armies - 1, defenders).win)
    assert taking(9, 7, 4) < taking(9, 7, 1)


def test_a_turn_of_minions_is_reported_part_by_part_and_spells_taken_stay_secret() -> None:
    game = stratagem.game("minions", profile="server", maps="Apocalypse", plies=50)
    position, rng = game.start(seed=2), generator(8)
    for _ in range(6):
        turn = position.sample(rng)
        if position.turn >= 0:
            other = 1 - position.turn
            frames = position.game.frames(position, turn, other)
            assert frames[-1].svg != frames[0].svg or len(frames) == 1
            hidden = " ".join(frame.words for frame in frames)
            for part in turn.split(";"):
                if part.startswith("give_spell"):
                    name = part.split()[-1]
                    assert name not in hidden.split(" takes ")[-1].split(":")[0].split()
        position = position.play(turn)


def test_what_was_bid_in_secret_is_not_taken_back(client: TestClient) -> None:
    made = new_table(client, "bidding", ["person", "random"])
    table, token = made["table"], made["tokens"]["0"]
    state = until(client, table, token, lambda s: s["parts"])
    body = {"move": state["parts"]["next"][0], "ply": state["ply"]}
    assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(token)).status_code == 200
    state = until(client, table, token, lambda s: s["ply"] > 0 and (s["parts"] or s["turn"] == "over"))
    assert not state["may"]["take_back"]
    refused = client.post(f"/api/tables/{table}/back", json={"ply": state["ply"]}, headers=bearer(token))
    assert refused.status_code == 422 and "decided alone" in refused.json()["error"]


def test_ones_own_step_is_taken_back_while_nobody_has_answered_it(client: TestClient) -> None:
    made = new_table(client, "risk", ["person"] * 3, options={"players": 3, "claim": "deal"})
    table = made["table"]
    tokens = {0: made["tokens"]["0"]}
    for seat, invitation in made["invitations"].items():
        joined = client.post(f"/api/tables/{table}/join", json={"invitation": invitation}).json()
        tokens[int(seat)] = joined["token"]
    rng = generator(4)
    game = stratagem.game("risk", players=3, claim="deal")
    seen = False
    for _ in range(200):
        state = client.get(f"/api/tables/{table}", headers=bearer(tokens[0])).json()
        seat = state["asked"][0]
        state = client.get(f"/api/tables/{table}", headers=bearer(tokens[seat])).json()
        view = game.parse(state["text"])
        again = [move for move in view.moves() if game.parse(state["text"]).play(move).turn == seat]
        move = again[0] if again else view.sample(rng)
        body = {"move": move, "ply": state["ply"]}
        after = client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[seat])).json()
        if again and after["ply"] == state["ply"] + 1:
            assert after["may"]["take_back"]
            undone = client.post(f"/api/tables/{table}/back", json={"ply": after["ply"]}, headers=bearer(tokens[seat]))
            assert undone.json()["text"] == state["text"]
            seen = True
            break
    assert seen


def test_frames_are_reported_by_what_is_new_since_a_ply(client: TestClient) -> None:
    made = new_table(client, "tictactoe", ["person", "random"])
    table, token = made["table"], made["tokens"]["0"]
    client.post(f"/api/tables/{table}/moves", json={"move": "b2", "ply": 0}, headers=bearer(token))
    until(client, table, token, lambda s: s["ply"] == 2)
    start = client.get(f"/api/tables/{table}/frames/0", headers=bearer(token)).json()["frames"]
    known = put_together([], start[-1]["drawing"])
    reported = client.get(f"/api/tables/{table}/frames/1?since=0", headers=bearer(token)).json()["frames"]
    whole = client.get(f"/api/tables/{table}/frames/1", headers=bearer(token)).json()["frames"]
    assert put_together(pieces(known), reported[-1]["drawing"]) == put_together([], whole[-1]["drawing"])
    assert len(str(reported)) < len(str(whole)) / 2
    assert client.get(f"/api/tables/{table}/frames/1?since=7", headers=bearer(token)).status_code == 404


def test_answers_are_packed_for_those_who_take_it_and_head_has_no_body(client: TestClient) -> None:
    packed = client.get("/static/style.css", headers={"accept-encoding": "gzip"})
    plain = client.get("/static/style.css", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and packed.text == plain.text
    assert "content-encoding" not in plain.headers
    with client.stream("GET", "/api/games", headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw) and len(raw) < 2000
    for path in ("/", "/api/games", "/static/style.css", "/games/hex"):
        head = client.head(path)
        assert head.status_code == 200 and head.content == b"", path
    made = new_table(client, "tictactoe", PEOPLE)
    assert client.head(f"/api/tables/{made['table']}/events").status_code == 200
    assert client.head("/nowhere").status_code == 404


def test_a_part_of_a_minions_plan_is_small_on_the_wire(client: TestClient) -> None:
    made = new_table(client, "minions", ["person", "random"])
    table, token = made["table"], made["tokens"]["0"]
    state = until(client, table, token, lambda s: s["parts"])
    part = next(text for text in state["parts"]["next"] if " move " in text)
    headers = {**bearer(token), "accept-encoding": "gzip"}
    with client.stream("POST", f"/api/tables/{table}/parts", json={"prefix": [part]}, headers=headers) as answer:
        assert len(b"".join(answer.iter_raw())) < 10_000


def test_a_rematch_waits_for_all_and_every_token_opens_it(client: TestClient) -> None:
    made = new_table(client, "nim", PEOPLE, options={"heaps": [1, 1]})
    table, first = made["table"], made["tokens"]["0"]
    second = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["1"]}).json()["token"]
    early = client.post(f"/api/tables/{table}/rematch", json={}, headers=bearer(first))
    assert early.status_code == 422 and "not over" in early.json()["error"]
    for ply, (token, move) in enumerate(((first, "1:1"), (second, "2:1"))):
        client.post(f"/api/tables/{table}/moves", json={"move": move, "ply": ply}, headers=bearer(token))
    assert client.post(f"/api/tables/{table}/rematch", json={"swap": True}, headers=bearer(first)).json() == {
        "next": None
    }
    state = client.get(f"/api/tables/{table}", headers=bearer(second)).json()
    assert state["agreed"] == [0]
    following = client.post(f"/api/tables/{table}/rematch", json={}, headers=bearer(second)).json()["next"]
    assert client.get(f"/api/tables/{table}").json()["next"] is None, "a spectator does not see where they play"
    assert client.get(f"/api/tables/{following}", headers=bearer(first)).json()["seat"] == 1
    assert client.get(f"/api/tables/{following}", headers=bearer(second)).json()["seat"] == 0


@pytest.mark.slow
def test_a_round_of_risk_is_replayed_in_little() -> None:
    position, rng = stratagem.game("risk", players=3, claim="deal").start(seed=1), generator(5)
    while position.state[TURN] < 1:
        position = position.play(position.sample(rng))
    weight, last = 0, int(position.state[TURN]) + 3
    while position.state[TURN] < last and not position.over:
        before, position = position, position.play(position.sample(rng))
        reported = brief_frames(before.view(0).svg(), [Frame(position.view(0).svg())])
        weight += len(gzip.compress(json.dumps({"ply": 1, "frames": reported}).encode())) + 250  # and the headers
    assert weight < 150_000


def test_two_people_agree_on_a_draw_and_an_offer_ends_with_the_next_move(client: TestClient) -> None:
    table, first, second = two_people(client, "tictactoe")
    client.post(f"/api/tables/{table}/draw", json={}, headers=bearer(second))
    client.post(f"/api/tables/{table}/moves", json={"move": "a1", "ply": 0}, headers=bearer(first))
    assert client.get(f"/api/tables/{table}").json()["offers"] == []
    client.post(f"/api/tables/{table}/draw", json={}, headers=bearer(first))
    state = client.post(f"/api/tables/{table}/draw", json={}, headers=bearer(second)).json()
    assert (state["turn"], state["payoff"], state["outcome"]) == ("over", [0.0, 0.0], "a draw by agreement")
    late = client.post(f"/api/tables/{table}/moves", json={"move": "b2", "ply": 1}, headers=bearer(second))
    assert late.status_code == 422 and late.json()["error"] == "the game is over"


def test_who_resigns_loses_and_a_spectator_cannot(client: TestClient) -> None:
    table, first, _ = two_people(client, "tictactoe")
    assert client.post(f"/api/tables/{table}/resign", json={}).status_code == 403
    state = client.post(f"/api/tables/{table}/resign", json={}, headers=bearer(first)).json()
    assert (state["payoff"], state["outcome"], state["asked"]) == ([-1.0, 1.0], "O wins: X resigns", [])
    tables = client.app.app.state.tables  # type: ignore[attr-defined]
    tables._open.clear()
    assert client.get(f"/api/tables/{table}").json()["outcome"] == "O wins: X resigns", "the store remembers it"


def test_a_clock_that_has_run_out_ends_the_game(client: TestClient) -> None:
    table, _, _ = two_people(client, "tictactoe", clock={"seconds": 1.0})
    state = until(client, table, None, lambda s: s["turn"] == "over", 120)
    assert state["outcome"] == "O wins: X has no time left" and state["clock"]["left"] == [0.0, 1.0]


def test_among_several_a_move_is_drawn_for_who_has_no_time_left(client: TestClient) -> None:
    options = {"players": 3, "target": 10}
    made = new_table(
        client, "pig", ["person", "random", "random"], options=options, clock={"seconds": 1.0, "each_move": True}
    )
    state = until(client, made["table"], None, lambda s: s["ply"] > 0, 120)
    assert state["moves"][0]["text"] in ("roll", "hold")


def test_a_clock_gives_back_what_a_move_brings(client: TestClient) -> None:
    table, first, _ = two_people(client, "tictactoe", clock={"seconds": 100.0, "increment": 7.0})
    state = client.post(f"/api/tables/{table}/moves", json={"move": "a1", "ply": 0}, headers=bearer(first)).json()
    assert 105 < state["clock"]["left"][0] <= 107 and state["clock"]["running"] == [1]


def test_everybody_sees_who_is_here(client: TestClient) -> None:
    key, first, _ = two_people(client, "tictactoe")
    table = client.app.app.state.tables.get(key)  # type: ignore[attr-defined]
    rung: list[str] = []
    rings = [lambda name=name: rung.append(name) for name in ("second", "somebody")]
    table.listen(rings[0], 1)
    table.listen(rings[1], None)
    assert rung == ["second"], "those who look hear of it, and who comes sees it anyway"
    state = client.get(f"/api/tables/{key}", headers=bearer(first)).json()
    assert (state["here"], state["watching"]) == ([1], 1)
    table.leave(rings[0])
    assert rung == ["second", "somebody"] and client.get(f"/api/tables/{key}").json()["here"] == []
    table.leave(rings[1])


def two_people(client: TestClient, game: str, **more: Any) -> tuple[str, str, str]:
    """A table and the tokens of both seats."""
    made = new_table(client, game, PEOPLE, **more)
    joined = client.post(f"/api/tables/{made['table']}/join", json={"invitation": made["invitations"]["1"]}).json()
    return made["table"], made["tokens"]["0"], joined["token"]


@pytest.mark.parametrize(
    ("name", "options"),
    [("breakthrough", {}), ("bidding", {"over": "breakthrough"}), ("minions", {}), ("risk", {}), ("skirmish", {})],
)
def test_the_places_of_a_part_are_on_the_drawing_in_the_order_of_pointing(name: str, options: dict[str, Any]) -> None:
    seen = 0
    for position, _ in played(name, 12, **options):
        if position.turn < 0:
            continue
        parts = shown_parts(GrowingPlan(position.view(position.turn), position.turn))
        drawn = set(re.findall('data-place="([^"]+)"', position.view(position.turn).svg()))
        for places in parts["places"] or []:
            assert set(places) <= drawn
            seen += len(places) > 0
    assert seen


def test_a_unit_s_way_is_reported_as_the_hexes_it_leaves_and_reaches() -> None:
    game = stratagem.game("minions")
    assert game.places(game.start(), "board 0 move c1c0", 0) == ("0 c1", "0 c0")
    assert game.places(game.start(), "board 0 buy S", 0) == ()


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("roborally", ["express belt, carries two squares", "pit, which costs a life", "robot A, faces", "flag 1,"]),
        ("goofspiel", ["prize of 4, bid for now", "prize of 1, still to come"]),
        ("asmacag", [" on the board", "a covered card in the hand of second"]),
        ("skirmish", ["gate of the first side, where its units enter"]),
    ],
)
def test_whatever_lies_on_a_board_says_what_it_is(name: str, reported: list[str]) -> None:
    position, rng = stratagem.game(name).start(seed=1), generator(1)
    while position.turn == CHANCE:
        position = position.play(position.sample(rng))
    titles = re.findall("<title>([^<]*)</title>", position.view(0).svg())
    for words in reported:
        assert any(words in title for title in titles), (words, titles)


@pytest.mark.parametrize("name", ["asmacag", "goofspiel", "bidding"])
def test_the_rules_panel_names_what_there_is(name: str) -> None:
    assert len(shown_rules(stratagem.game(name))["pieces"]) >= 2


def test_the_card_that_a_plan_unlocks_is_marked_and_not_the_next_one() -> None:
    game = stratagem.game("minions")
    sketch = ElementTree.fromstring(game.sketch(game.start(), ["tech 1"]))
    (marked,) = (element for element in sketch.iter() if element.get("data-part") == "tech 1")
    assert "Skeleton: Yellow unlocked" in "".join(marked.itertext())
