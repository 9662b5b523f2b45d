"""Nothing that a seat or a spectator receives depends on what it may not know.

Two ways to see it. By name: the small game's animals are words that no page holds by accident. By two worlds: from a seat's
side, the true position and one in which everything that the seat cannot see was drawn anew must give the same bytes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from web.otters import ANIMALS
from web.serving import KUHN, bearer, new_table, until

import stratagem
from stratagem import CHANCE, TOGETHER, ArrayGame, ArrayPosition
from stratagem.registry import game_names
from stratagem.rng import generator


def everything(client: TestClient, table: str, token: str | None) -> str:
    """All that one side can ask for."""
    head = bearer(token) if token else {}
    got = [client.get(f"/api/tables/{table}", headers=head).text]
    ply = json.loads(got[0])["ply"]
    got += [client.get(f"/api/tables/{table}/frames/{k}", headers=head).text for k in range(ply + 1)]
    got.append(client.get(f"/api/tables/{table}/record", headers=head).text)
    for prefix in ([], ["raise"], ["nonsense"]):
        got.append(client.post(f"/api/tables/{table}/parts", json={"prefix": prefix}, headers=head).text)
    for move in ("nonsense", "raise", "fold;3"):
        body = {"move": move, "ply": ply}
        got.append(client.post(f"/api/tables/{table}/moves", json=body, headers=head).text)
    got.append(client.get(f"/play/{table}", headers=head).text)
    return "\n".join(got)


@pytest.mark.parametrize("games", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_no_secret_of_another_seat_is_sent_in_fuzzed_games(client: TestClient, games: int) -> None:
    rng = generator(games)
    for _ in range(games):
        made = new_table(client, "otters", ["person", "person"])
        table, tokens = made["table"], [made["tokens"]["0"]]
        joined = client.post(f"/api/tables/{table}/join", json={"invitation": made["invitations"]["1"]}).json()
        tokens.append(joined["token"])
        true = client.app.app.state.tables.get(table)
        animals = true.position.held
        for seat in (0, 1, None):
            seen = everything(client, table, None if seat is None else tokens[seat])
            secrets = {animal for p, animal in enumerate(animals) if p != seat} | set(tokens) | {str(true.seed)}
            assert not [word for word in secrets if word in seen], seat
            assert seat is None or animals[seat] in seen
        stake = true.position.sample(rng, 0)
        body = {"move": stake, "ply": 1}
        assert client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[0])).status_code == 200
        for token in (tokens[1], None):
            seen = client.get(f"/api/tables/{table}", headers=bearer(token) if token else {}).json()
            assert seen["ready"] == [0] and seen["mine"] is None
            said = json.dumps({**seen, "parts": None})
            assert f'"{stake}"' not in said and animals[0] not in said
        body = {"move": true.position.sample(rng, 1), "ply": 1}
        end = client.post(f"/api/tables/{table}/moves", json=body, headers=bearer(tokens[1])).json()
        assert end["turn"] == "over" and all(animal in end["text"] for animal in animals)


def hidden_games() -> dict[str, Any]:
    """Every game of the library that hides something, and one of the tests' own, so that there is always one."""
    own = {name: stratagem.game(name) for name in game_names()}
    return {name: game for name, game in own.items() if game.hidden} | {"kuhn": stratagem.game(KUHN)}


@pytest.mark.parametrize("plies", [30, pytest.param(400, marks=pytest.mark.slow)])
def test_what_a_seat_receives_is_the_same_in_every_world_it_cannot_tell_apart(client: TestClient, plies: int) -> None:
    for name, game in hidden_games().items():
        if isinstance(game, ArrayGame) and game.gives("guess"):
            two_worlds(client, game, name, plies)
        else:
            pytest.fail(
                f"{name} hides something but has no guess kernel: give this test another way to see its secrets"
            )


def two_worlds(client: TestClient, game: ArrayGame, name: str, plies: int) -> None:
    rng = generator(plies)
    done = 0
    while done < plies:
        made = new_table(client, name, ["person"] * game.players)
        table = client.app.app.state.tables.get(made["table"])
        for _ in range(40):
            position = table.position
            if position.over or done >= plies:
                break
            done += 1
            for seat in (*range(game.players), None):
                told = table.shown(seat), table.frames(seat, table.ply), table.record(seat)
                other = another_world(game, position, seat, rng)
                if other is not None:
                    table.positions[-1] = other
                    again = table.shown(seat), table.frames(seat, table.ply), table.record(seat)
                    assert again == told, f"{name}, seat {seat}: {position}"
                    table.positions[-1] = position
            choose_at_random(table, rng)


def another_world(game: ArrayGame, position: Any, seat: int | None, rng: Any) -> ArrayPosition | None:
    """The position with all that a seat cannot see drawn anew; a spectator sees less than any seat."""
    assert isinstance(position, ArrayPosition)
    s = position.state.copy()
    with np.errstate(over="ignore"):
        for known in (0, 1) if seat is None else (seat,):  # a spectator knows neither: what each cannot see is drawn
            game.run("guess", game.g, s, known, rng)
    return game.position(s, retold(game, position, s, seat), position.origin)


def retold(game: ArrayGame, position: ArrayPosition, s: Any, seat: int | None) -> tuple[str, ...]:
    """The record of the other world. RoboRally's tells what was dealt, so each hand in it that is not the seat's is another."""
    if game.name != "roborally":
        return position.history
    from stratagem.games.roborally.game import hand_of, listed

    told = list(position.history)
    deals = [k for k, text in enumerate(told) if text.startswith("deal ")]
    for k in deals:
        hands = told[k].removeprefix("deal ").split("/")
        last = k == deals[-1] and k == len(told) - 1
        drawn = [listed(hand_of(s, p)) if last else ",".join(str(c) for c in range(1, 10)) for p in range(len(hands))]
        told[k] = "deal " + "/".join(hand if p == seat else drawn[p] or hand for p, hand in enumerate(hands))
    return tuple(told)


def choose_at_random(table: Any, rng: Any) -> None:
    position = table.position
    with np.errstate(over="ignore"):
        if position.turn == TOGETHER:
            for seat in position.asked:
                table.move(seat, position.view(seat).sample(rng, seat), table.ply)
        elif position.turn != CHANCE:
            table.move(position.turn, position.view(position.turn).sample(rng), table.ply)


def test_an_engine_is_given_the_view_alone(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bytes] = []
    import stratagem.web.engines as module

    real = module.pickle.dumps
    monkeypatch.setattr(module.pickle, "dumps", lambda work: given.append(real(work)) or given[-1])
    made = new_table(client, "otters", ["person", "random"])
    true = client.app.app.state.tables.get(made["table"])
    held = true.position.held
    client.post(
        f"/api/tables/{made['table']}/moves", json={"move": "raise;3", "ply": 1}, headers=bearer(made["tokens"]["0"])
    )
    until(client, made["table"], made["tokens"]["0"], lambda s: s["turn"] == "over")
    assert len(given) == 1 and held[1].encode() in given[0] and held[0].encode() not in given[0]
    assert len(set(held)) == 2 and set(held) <= set(ANIMALS)


def test_the_two_worlds_differ_and_a_leak_would_be_seen(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    game = stratagem.game(KUHN)
    monkeypatch.setattr(type(game), "hidden", False)  # views then show everything
    with pytest.raises(AssertionError, match="kuhn, seat"):
        two_worlds(client, game, "kuhn", 30)


def test_a_record_that_tells_of_other_hands_would_be_seen(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from stratagem.games.roborally.game import RallyPosition

    monkeypatch.setattr(RallyPosition, "game_history", lambda self, seat: self.history)
    with pytest.raises(AssertionError, match="roborally, seat"):
        two_worlds(client, stratagem.game("roborally"), "roborally", 5)
