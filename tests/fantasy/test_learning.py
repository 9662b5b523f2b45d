"""The other drafters learnt from their picks: which model, how loose, runs, loves; and advice that survives a wrong belief."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stratagem.errors import UnknownName
from stratagem.fantasy.advice import AdviceSettings, Opponents, recommend
from stratagem.fantasy.engine import RoomBoard
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.learning import HYPOTHESES, SLIP, Learner, prior
from stratagem.fantasy.mock import MIXTURE, draft_on, mock_draft, others
from stratagem.fantasy.quick import preliminary
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import read_table


@pytest.fixture(scope="module")
def league() -> League:
    return League(read_table(SAMPLE))


@pytest.mark.parametrize(("model", "picks"), [("adp", 24), ("points", 24), ("vor", 96), ("need", 132)])
def test_a_room_of_one_kind_is_found_out(league, model, picks):
    room = draft_on(Room(league), picks, Opponents(model), 3)
    belief = Learner(league, 0).believe(room)
    assert belief.picks == picks * 11 // 12
    assert belief.room()[model] > 0.7
    assert belief.sure > 0.7
    assert any(f"{belief.room()[model]:.0%}" in line for line in belief.words())


def test_a_room_that_goes_by_value_is_known_within_two_rounds_if_not_by_which(league):
    belief = Learner(league, 0).believe(draft_on(Room(league), 24, Opponents("vor"), 3))
    room = belief.room()
    assert room["vor"] + room["need"] + room["slots"] > 0.9  # early on they all take the best
    assert room["adp"] < 0.1


def test_what_was_reported_is_a_prior_and_no_more(league):
    reported = Learner(league, 0, "adp")
    before = reported.believe(Room(league)).room()
    assert before["adp"] > 0.65
    after = reported.believe(draft_on(Room(league), 24, Opponents("vor"), 3)).room()
    assert after["adp"] < 0.1
    with pytest.raises(UnknownName):
        Learner(league, 0, "guess")


def test_the_teams_of_a_mixed_room_are_told_apart(league):
    room = draft_on(Room(league), league.turns - 24, others("mixed", 12), 5)
    belief = Learner(league, 0).believe(room)
    right = sum(belief.by_model(t)[MIXTURE[t % len(MIXTURE)]] > 0.5 for t in range(1, 12))
    assert right >= 8


def test_taking_a_pick_back_takes_back_what_it_taught(league):
    learner = Learner(league, 0)
    early = draft_on(Room(league), 15, Opponents("vor"), 1)
    weights = learner.believe(early).weights
    learner.believe(draft_on(early, 40, Opponents("points"), 1))
    assert np.array_equal(learner.believe(early).weights, weights)
    assert np.allclose(Learner(league, 0).believe(early).weights, weights)


def test_the_likelihood_of_a_pick_is_that_of_the_softmax(league):
    room = Room(league)
    learner = Learner(league, 0)
    room = room.apply(0).apply(5)
    learner.believe(room)
    row = learner.likelihood[1]
    assert row is not None
    rules = league.arrays
    free = [x for x in range(len(league.items)) if x != 0]
    k = next(k for k, h in enumerate(HYPOTHESES) if h.model == "vor" and h.loose == 15.0)
    weights = {x: math.exp(league.vor[x] / 15.0) for x in free}
    chance = weights[5] / sum(weights.values())
    assert row[k] == pytest.approx(math.log((1 - SLIP) * chance + SLIP / len(free)))
    assert RoomBoard.of(room).taken.sum() == 2 and rules.order[1] == 1


def test_a_love_for_a_club_is_seen(league):
    loved = league.items[0].team
    room = Room(league)
    fans = sorted((x for x, i in enumerate(league.items) if i.team == loved), key=lambda x: league.items[x].adp)
    while room.turn < 60:
        if room.team == 4:
            room = room.apply(next(x for x in fans if x in room.legal()))
        else:
            room = draft_on(room, room.turn + 1, Opponents(), 2)
    belief = Learner(league, 0).believe(room)
    assert loved in belief.loves.get(4, {})
    assert any(loved in line for line in belief.words())


def test_runs_are_followed_in_simulated_drafts(league):
    start = Room(league)
    for x in [x for x, i in enumerate(league.items) if i.position == "RB"][:3]:
        start = start.apply(x)
    backs = []
    for runs in (0.0, 4.0):
        believed = Opponents(runs=dict.fromkeys(range(12), runs))
        after = [draft_on(start, 16, believed, seed) for seed in range(20)]
        backs.append(sum(league.items[x].position == "RB" for room in after for x in room.picks[3:]))
    assert backs[1] > backs[0]


def test_scenarios_hold_each_way_in_proportion(league):
    belief = Learner(league, 0).believe(Room(league))
    drawn = belief.scenarios(40, 1)
    share = np.mean([case.by_team[3] == "adp" for case in drawn])
    assert share == pytest.approx(prior(None)[[h.model == "adp" for h in HYPOTHESES]].sum(), abs=0.08)
    assert [case.by_team for case in belief.scenarios(5, 7)] == [case.by_team for case in belief.scenarios(5, 7)]


def test_reported_wrong_it_stays_ahead_of_best_available(league):
    ahead: dict[str, list[float]] = {}
    for belief in ("adp", Opponents("adp"), None):
        for team in (1, 7):
            policy = "assistant" if belief is not None else "vor"
            room = mock_draft(league, team, policy, Opponents("vor"), seed=team, simulations=8, believed=belief)
            lineups = [room.lineup(t)[0] for t in range(12)]
            name = policy if belief is None else str(type(belief).__name__)
            ahead.setdefault(name, []).append(lineups[team] - (sum(lineups) - lineups[team]) / 11)
    assert np.mean(ahead["str"]) > np.mean(ahead["vor"]) - 10
    assert np.mean(ahead["str"]) > np.mean(ahead["Opponents"]) + 60


def test_a_preliminary_answer_needs_no_compiler_and_names_who_will_not_come_back(league):
    room = draft_on(Room(league), 8, Opponents(), 1)
    advice = preliminary(room, 8, AdviceSettings())
    assert advice.simulations == 0 and len(advice.recommendations) == 8
    best = recommend(room, 8, simulations=64)
    # the two agree on most of the players that matter
    same = {r.item for r in advice.recommendations} & {r.item for r in best.recommendations}
    assert len(same) >= 4
    for r in advice.recommendations:
        assert 0 <= r.survival <= 1 and r.reason
