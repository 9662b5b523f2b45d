"""A turn with steps: what is listed, where the walk goes on, what is offered in one, and the rest by an engine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from web.serving import bearer, new_table, until

import stratagem
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE
from stratagem.contract.growing import GrowingPlan
from stratagem.registry import game_names
from stratagem.rng import generator
from stratagem.web.app import choice_in_words
from stratagem.web.showing import apart_from_best, shown_parts

BOARD = {"maps": "BlackenedShores"}


def minions(plies: int = 0) -> Any:
    position = stratagem.game("minions", **BOARD).start()
    for _ in range(plies):
        position = position.play("tech 0")
    return position


def offered(position: Any, *prefix: str) -> dict[str, Any]:
    return shown_parts(GrowingPlan(position.view(position.turn), position.turn, prefix))


def test_the_steps_of_a_turn_say_what_was_chosen_and_what_is_left() -> None:
    technology, acting, spawning = offered(minions(), "tech 1", "board 0 move c1c0")["steps"]
    assert (technology["state"], technology["said"]) == ("done", "unlock Skeleton")
    assert acting["state"] == "open"
    assert acting["said"].startswith("1 chosen; ")
    assert spawning["state"] == "done"
    assert spawning["parts"] == []


def test_every_listed_part_of_a_step_is_one_that_is_offered() -> None:
    shown = offered(minions(2))
    for step in shown["steps"]:
        assert all(0 <= number < len(shown["next"]) for number in step["parts"])
    spawning = [shown["next"][number] for number in shown["steps"][2]["parts"]]
    assert spawning
    assert all(part.split()[2] in ("buy", "spawn") for part in spawning)


def test_a_unit_that_was_bought_is_pointed_at_and_one_more_is_offered_in_one() -> None:
    position = minions(2)
    assert offered(position, "board 0 buy Z")["held"] == ["0 Z"]
    money = position.state.money[position.state.side]
    place = next(part for part in offered(position, "board 0 buy Z")["next"] if "spawn Z" in part)
    shown = offered(position, "board 0 buy Z", place)
    both = [part for part in shown["next"] if ";" in part]
    assert bool(both) == (money >= 4)


def test_parts_offered_in_one_are_legal_one_after_the_other() -> None:
    position = stratagem.game("minions", money="20|20", **BOARD).start().play("tech 0").play("tech 0")
    place = next(part for part in offered(position, "board 0 buy Z")["next"] if "spawn Z" in part)
    shown = offered(position, "board 0 buy Z", place)
    both = [part for part in shown["next"] if ";" in part]
    assert both
    assert shown["held"] == ["0 Z"]
    for part in both[:3]:
        position.play(";".join(["board 0 buy Z", place, part]))
    number = shown["next"].index(both[0])
    assert shown["places"][number][0] == "0 Z"
    assert "Zombie" in shown["said"][number]


def test_every_part_of_a_plan_begun_is_reported_in_words() -> None:
    shown = offered(minions(), "tech 0", "board 0 move c1c0", "board 0 move d1c1")  # the last was not offered at first
    assert shown["worded"] == ["no technology", "board 0: Zombie c1 goes to c0", "board 0: Zombie d1 goes to c1"]
    assert offered(minions())["worded"] is None


def test_after_the_last_purchase_the_reinforcements_are_pointed_at() -> None:
    position = minions(2)
    zombies = position.state.money[position.state.side] // 2
    prefix = ["board 0 buy Z"] * zombies
    for _ in range(zombies):
        prefix.append(next(part for part in offered(position, *prefix)["next"] if " spawn Z " in part))
    assert offered(position, *prefix)["held"] == ["0 I"], "an Initiate waits from the start"


LINE = "L" * 25
CLOSE = f"9|9 0|0 {LINE}|{LINE} n|||||MV1d6/9d/0/0/0/0/0/0/0/0 0 9"  # a Vampire one hex away from an enemy


def test_an_enemy_in_reach_is_gone_to_and_attacked_in_one() -> None:
    position = stratagem.game("minions", maps="AllLand").parse(CLOSE)
    shown = offered(position)
    charges = [part for part in shown["next"] if " attack " in part and ";" in part]
    assert charges
    for part in charges:
        position.play(part)
        number = shown["next"].index(part)
        unit, enemy = shown["places"][number]
        assert f" move {unit[2:]}" in part and part.endswith(enemy[2:])
        direct = [one for one in shown["next"] if one == f"board 0 attack {unit[2:]}{enemy[2:]}"]
        assert not direct, "who need not move is offered the attack alone"
        assert " goes to " in shown["said"][number] and " and attacks " in shown["said"][number]


@pytest.mark.parametrize(("name", "least"), [("risk", 0), ("skirmish", 3), ("asmacag", 2)])
def test_games_of_several_actions_list_them(name: str, least: int) -> None:
    position = stratagem.game(name).start(seed=1)
    rng = generator(1)
    while position.turn < 0:
        position = position.play(position.sample(rng))
    steps = offered(position)["steps"]
    assert len(steps) >= least
    assert sum(step["state"] == "open" for step in steps) == bool(steps)


def test_risk_lists_the_phases_of_a_turn_once_turns_begin() -> None:
    position, rng = stratagem.game("risk").start(seed=1), generator(1)
    while not offered(position)["steps"]:
        position = position.play(position.sample(rng))
    assert [step["name"] for step in offered(position)["steps"]] == ["Trade cards", "Reinforce", "Attack", "Fortify"]


def test_a_plan_takes_as_many_further_parts_as_fit() -> None:
    plan = GrowingPlan(minions(), 0, ("board 0 move c1c0",))
    grown = plan.completed(["tech 1", "board 0 move c1d0", "board 0 move c3c4"])
    assert grown.parts == ("board 0 move c1c0", "tech 1", "board 0 move c3c4")


def test_an_engine_completes_a_plan_and_plays_nothing(client: TestClient) -> None:
    made = new_table(client, "minions", ["person", "easy"], options=BOARD)
    token = bearer(made["tokens"]["0"])
    prefix = ["tech 0", "board 0 move c1c0"]
    with client.stream(
        "POST", f"/api/tables/{made['table']}/finish", json={"prefix": prefix}, headers=token
    ) as reported:
        lines = [line for line in reported.iter_lines() if line.startswith("data: ")]
    parts = json.loads(lines[-1][6:])["parts"]
    assert parts[:2] == prefix
    assert len(parts) > 2
    stratagem.game("minions", **BOARD).start().play(";".join(parts))
    assert client.get(f"/api/tables/{made['table']}", headers=token).json()["ply"] == 0


def test_nobody_is_helped_against_a_person(client: TestClient) -> None:
    made = new_table(client, "minions", ["person", "person"], options=BOARD)
    reported = client.post(
        f"/api/tables/{made['table']}/finish", json={"prefix": []}, headers=bearer(made["tokens"]["0"])
    )
    assert reported.status_code == 403


@pytest.mark.parametrize("name", ["minions", "risk", "roborally", "skirmish", "tictactoe"])
def test_the_rules_are_reported_at_the_table_with_the_pieces(client: TestClient, name: str) -> None:
    players = stratagem.game(name).players
    made = new_table(client, name, ["person", *["random"] * (players - 1)])
    reported = client.get(f"/api/tables/{made['table']}/rules").json()
    assert reported["rules"]
    assert all(piece["name"] and piece["words"] for piece in reported["pieces"])
    assert bool(reported["pieces"]) == (name != "tictactoe")


@pytest.mark.parametrize("name", game_names())
def test_three_steps_lead_through_a_first_plan_of_every_game(client: TestClient, name: str) -> None:
    made = new_table(client, name, ["person"] * stratagem.game(name).players)
    shown = until(client, made["table"], made["tokens"]["0"], lambda state: state["asked"])
    assert len(shown["first"]) == (3 if 0 in shown["asked"] else 0)


def test_the_steps_of_a_first_plan_are_about_what_is_decided() -> None:
    dealt = stratagem.game("risk", claim="deal").start(seed=1)
    rng = generator(1)
    reported: list[list[str]] = []
    while len(reported) < 2:
        if dealt.turn >= 0:
            said = list(Wording.of(dealt.game).first_steps(dealt))
            reported += [said] if said not in reported else []
        dealt = dealt.play(dealt.sample(rng))
    assert reported[0][2] == "When all armies are placed, the turns begin."
    assert "Attack" in reported[1][1]
    auction = stratagem.game("bidding").start()
    won = auction.play(["1", "0"])
    assert "secret price" in Wording.of(auction.game).first_steps(auction)[0]
    assert "marked places" in Wording.of(won.game).first_steps(won)[0]
    bids = Wording.of(stratagem.game("goofspiel")).first_steps(stratagem.game("goofspiel").start())
    assert not any("board" in step for step in bids)


def test_plans_are_told_apart_from_the_best_by_boards_in_words() -> None:
    plans = ["tech 1;board 0 move c1c0", "tech 0;board 0 move c1c0;board 0 move c3c4"]
    best, other = apart_from_best(minions(), plans)
    assert best == []
    assert other == [
        {"name": "Board 0", "has": ["Zombie c3 goes to c4"], "lacks": []},
        {"name": "Technology", "has": ["no technology"], "lacks": ["unlock Skeleton"]},
    ]


def test_programmes_that_lead_to_the_same_place_are_one_candidate() -> None:
    position, rng = stratagem.game("roborally", robots=2).start(seed=1), generator(1)
    while position.turn == CHANCE:
        position = position.play(position.sample(rng))
    view = position.view(0)
    plans: dict[str, str] = {}  # by their words
    while len(plans) < 3:
        plan = view.sample(rng, 0)
        plans.setdefault(Wording.of(view.game).describe(view, plan, 0, 0), plan)
    numbers = [(0.4, 0.01, 90), (0.4, 0.01, 90), (0.3, 0.01, 90)]
    lines = [
        {"moves": [plan], "value": value, "error": error, "visits": visits}
        for plan, (value, error, visits) in zip(plans.values(), numbers, strict=True)
    ]
    reported = choice_in_words(view, {"best": lines[0]["moves"][0], "value": 0.4, "lines": lines}, 0, 5)
    assert [line["value"] for line in reported["lines"]] == [0.4, 0.3]
