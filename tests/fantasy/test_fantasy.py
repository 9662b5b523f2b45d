"""The draft assistant: rosters as matchings, survival against its closed form, advice, files, the live command line."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.special import ndtr

from stratagem.errors import IllegalMove, ParseError, StratagemError
from stratagem.fantasy.advice import AdviceSettings, Opponents, recommend, survival
from stratagem.fantasy.league import League, Room, parse_keepers, parse_slots, parse_trades
from stratagem.fantasy.mock import draft_on, mock_draft, mock_league
from stratagem.fantasy.pictures import room_svg, room_text, survival_svg, survival_text
from stratagem.fantasy.quick import preliminary
from stratagem.fantasy.report import report, report_json
from stratagem.fantasy.sample import SAMPLE, sample_csv
from stratagem.fantasy.session import Session
from stratagem.fantasy.table import Item, find_item, parse_table, read_table


@pytest.fixture(scope="module")
def league() -> League:
    return League(read_table(SAMPLE))


def small(
    rng: random.Random, items: int = 14, teams: int = 2, slots: str = "A:1,A/B:1,C:1,BENCH:2", **more: object
) -> League:
    """A league with items of one or two positions; made again until its rosters can be completed."""
    while True:
        table = tuple(
            Item(
                f"i{x}",
                tuple(sorted(rng.sample("ABC", rng.choice((1, 1, 2))))),
                float(rng.randrange(1, 60)),
                x + 1.0,
                3.0,
            )
            for x in range(items)
        )
        try:
            return League(table, teams, slots, **more)  # type: ignore[arg-type]
        except ValueError:
            continue


def test_the_sample_is_what_its_generator_writes(league):
    assert SAMPLE.read_text() == sample_csv()
    assert len(league.items) == 300


def test_the_best_line_up_is_that_of_the_assignment_problem():
    rng = random.Random(1)
    for _ in range(150):
        league = small(rng, slots="A:1,B:1,A/B:1,A/B/C:1,C:1,BENCH:1")
        roster = rng.sample(range(14), rng.randrange(0, 7))
        points, held = league.arrays.lineup(roster)
        value = np.zeros((len(roster), len(league.starters)))
        for k, x in enumerate(roster):
            for s, slot in enumerate(league.starters):
                value[k, s] = league.items[x].points if set(slot) & set(league.items[x].positions) else 0.0
        rows, columns = linear_sum_assignment(value, maximize=True)
        assert points == pytest.approx(value[rows, columns].sum())
        assert sum(league.items[x].points for x in held.values()) == pytest.approx(points)


def test_an_item_is_legal_just_where_the_roster_can_still_be_completed():
    rng = random.Random(2)
    for _ in range(25):
        league = small(rng, teams=2)
        room, short = Room(league), set()
        while not room.over:
            team = room.team
            left = sum(1 for t in range(room.turn, league.turns) if league.order[t] == team)

            def completes(x: int, room: Room = room, team: int = team, left: int = left) -> bool:
                held = [set(room.league.items[y].positions) for y in (*room.roster(team), x)]
                slots = [set(slot) for slot in room.league.starters]
                best = 0
                for order in permutations(held, min(len(held), len(slots))):
                    # any assignment of held items to slots, leaving slots out where sizes differ
                    for chosen in permutations(range(len(slots)), len(order)):
                        best = max(best, sum(bool(p & slots[s]) for p, s in zip(order, chosen, strict=True)))
                return len(slots) - best <= left - 1

            want = [x for x in range(14) if x not in room.taken and completes(x)]
            if want:
                assert room.legal() == want
            else:
                short.add(team)  # others took what it needed
            room = room.apply(rng.choice(room.legal()))
        assert all(not room.open_slots(team) for team in range(2) if team not in short)


def independent_survival(adp, sd, item: int, picks: int) -> float:
    """The chance that an item is not among the first picks, where each pick takes the smallest key and nothing else counts.

    The keys are independent and normal: an integral over the item's own key of the chance that at least `picks` others
    have smaller ones, a sum of independent trials of unequal chances.
    """
    grid, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    total = 0.0
    for z, weight in zip(grid, weights, strict=True):
        key = adp[item] + sd[item] * z
        smaller = np.delete(ndtr((key - adp) / np.maximum(sd, 1e-9)), item)
        chances = np.zeros(picks)  # of exactly 0, 1, ... smaller ones
        if picks:
            chances[0] = 1.0
        for p in smaller:
            chances[1:] = chances[1:] * (1 - p) + chances[:-1] * p
            chances[:1] *= 1 - p
        total += weight * (1.0 - chances.sum())
    return float(min(max(total, 0.0), 1.0))


def test_survival_by_simulation_agrees_with_the_closed_form_where_needs_do_not_count():
    rng = random.Random(3)
    items = tuple(Item(f"i{x}", ("X",), 100.0 - x, 1 + x * 0.8, rng.uniform(1, 5)) for x in range(30))
    room = Room(League(items, 6, "X:1,BENCH:3"))
    adp, sd = np.array([i.adp for i in items]), np.array([i.sd for i in items])
    lasting = survival(room, 0, until=9, simulations=20_000, seed=4)
    # the team at the clock lets its turn go by, so eight picks are made before pick 10
    for x in range(0, 20, 3):
        assert lasting.at(x, 9) == pytest.approx(independent_survival(adp, sd, x, 8), abs=0.015)
    assert lasting.at(0, 1) == 1.0


def test_advice_is_repeatable_legal_and_says_what_waiting_costs(league):
    room = draft_on(Room(league), 14, Opponents(), seed=5)
    one, two = (recommend(room, simulations=20, seed=6) for _ in range(2))
    assert one.recommendations == two.recommendations
    assert {r.item for r in one.recommendations} <= set(room.legal())
    top = one.recommendations[0]
    assert all(top.worth >= r.worth for r in one.recommendations)
    assert 0 <= top.survival <= 1
    assert top.cost_of_waiting == pytest.approx(top.value - top.later)
    assert f"{top.value:.1f}" in top.reason
    assert one.next_turn == room.next_turn(room.team)
    assert recommend(room, (room.team + 3) % 12, simulations=4).team == (room.team + 3) % 12


def test_advice_between_picks_names_who_can_still_be_there(league):
    room = Room(league)
    later = room.next_turn(4, room.turn)
    for advice in (recommend(room, 4, simulations=10), preliminary(room, 4, AdviceSettings())):
        assert advice.turn == later
        assert advice.recommendations
        for r in advice.recommendations:
            assert 0.1 <= r.there <= 1
            assert r.reason.startswith(f"there at {league.pick_name(later)} {r.there:.0%} of the time")
    assert all(r.there == 1 for r in recommend(room, simulations=4).recommendations)
    gone = max(room.legal(), key=lambda x: -league.items[x].adp)  # surely taken before the fifth pick
    assert gone not in {r.item for r in recommend(room, 4, simulations=10).recommendations}


def test_forced_picks_at_the_end_are_seen_coming(league):
    room = Room(league)
    backs = [x for x, item in enumerate(league.items) if item.position in ("RB", "WR", "TE", "QB")]
    # team 1 takes no kicker and no defence as long as it may
    while room.turn < league.turns - 24:
        room = room.apply(next(x for x in backs if x not in room.taken and x in room.legal()))
    room = draft_on(room, room.next_turn(0, room.turn - 1) or 0, Opponents(), 0)
    assert {league.items[x].position for x in room.legal()} <= {"K", "DST"}
    advice = recommend(room, simulations=4)
    assert any("must fill" in alert for alert in advice.alerts)
    with pytest.raises(IllegalMove, match=r"picks must fill K, DST|picks must fill DST, K"):
        room.apply(next(x for x in backs if x not in room.taken))


def test_undo_correction_trades_and_keepers(league):
    items = league.items
    room = Room(league).apply("Ivin Stoneridge").apply("belian mill")
    assert room.undo().picks == room.picks[:1]
    assert room.replace(0, "Osric Ashley").picks == (find_item(items, "Osric Ashley"), room.picks[1])
    with pytest.raises(IllegalMove, match=r"Belian Millson is taken already, at 1\.01 by team 1"):
        room.replace(0, "Belian Millson")
    with pytest.raises(IllegalMove, match="no pick to undo"):
        Room(league).undo()
    kept = find_item(items, "Kelian Langley")
    changed = League(
        items, 12, trades=parse_trades(["1.02=5"], 12), keepers=parse_keepers(["1.03=Kelian Langley"], 12, items)
    )
    room = Room(changed).apply("Ivin Stoneridge")
    assert room.team == 4
    with pytest.raises(IllegalMove, match="is kept by its team"):
        room.apply(kept)
    room = room.apply("Belian Millson")
    assert room.picks[2] == kept
    assert room.roster(2) == [kept]
    whole = draft_on(room, changed.turns, Opponents(), 1)
    assert len(set(whole.picks)) == changed.turns
    assert all(not whole.open_slots(team) for team in range(12))


def test_multiple_rosters_are_refused_when_they_cannot_be_completed(league):
    with pytest.raises(StratagemError, match="12 teams start 24 of K, and the table has 22"):
        League(league.items, 12, "K:2,BENCH:3")
    with pytest.raises(StratagemError, match="no item of the table plays LB"):
        League(league.items, 12, "LB:1")
    with pytest.raises(StratagemError, match=r"team 1 cannot complete its roster: it has 1 picks for 2"):
        League(league.items, 2, "QB:1,RB:1", trades={3: 1})
    assert parse_slots("superflex, bn:2") == ((("QB", "RB", "WR", "TE"),), 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,points\nA,1\n", r"row 1: there is no column 'position'"),
        ("name,position,points\nA,RB,ten\n", r"row 2, column points: 'ten' is not a number"),
        ("name,position,points,adp\nA,RB,1,\nB,RB,2,-4\n", r"row 3, column adp: '-4' is below 0"),
        ("name,position,points\nA,,1\n", r"row 2, column position: it is empty"),
        ("name,position,points\nA,RB,1\na,RB,2\n", r"row 3, column name: 'a' is in row 2 already"),
        ("name,position,points,tier\nA,RB,1,x\n", r"row 2, column tier: 'x' is not a whole number"),
        ("name,position,points\nA,RB,1,5\n", r"row 2: 4 cells, but the header has 3"),
        ("name,position,points\n", "no rows"),
    ],
)
def test_errors_in_a_table_name_row_and_column(text, message):
    with pytest.raises(ParseError, match=message):
        parse_table(text.splitlines(keepends=True), "t.csv")


def test_names_are_matched_tolerantly_and_never_silently(league):
    assert find_item(league.items, "ivin stone") == find_item(league.items, "IVIN STONERIDGE")
    with pytest.raises(ParseError, match="may be any of 2 items: Ivin Stoneridge, Ivin Ironridge"):
        find_item(league.items, "ivin")
    with pytest.raises(StratagemError, match="did you mean Ivin Stoneridge"):
        find_item(league.items, "Ivan Stonerige")


def test_pictures_and_report(league, tmp_path):
    room = draft_on(Room(league), league.turns, Opponents("need"), 2)
    assert "team 12" in room_text(room)
    assert room_svg(room).startswith("<svg") and "<title>" in room_svg(room)
    lasting = survival(Room(league), 0, until=30, simulations=50)
    assert survival_text(league, lasting, [0, 1]).splitlines()[0].startswith(league.items[0].name)
    assert "polyline" in survival_svg(league, lasting, [0, 1])
    teams = report(room, drafts=2)
    assert sorted(t.rank for t in teams)[0] == 1
    for team in teams:
        for pick in team.picks:
            if pick.better is not None:
                # the better item was there, and the roster is worth that much more with it
                assert pick.better not in room.picks[: pick.turn]
                swapped = [x for x in room.roster(team.team) if x != pick.item] + [pick.better]
                gain = league.arrays.worth(swapped) - league.arrays.worth(room.roster(team.team))
                assert gain == pytest.approx(pick.regret)
    assert json.dumps(report_json(room, teams))
    session = Session(SAMPLE, room, 3)
    session.save(tmp_path / "d.json")
    assert Session.load(tmp_path / "d.json").room == room


def test_a_live_draft_from_the_keyboard(tmp_path: Path):
    file = tmp_path / "d.json"
    lines = "advice\nBelian Millson\nBelian Millson\nOsric Ashley\nundo\nnobody\nauto 3\nroster\nquit\n"
    command = [sys.executable, "-m", "stratagem", "draft", "live", "--slot", "2", "--seconds", "0", "--json"]
    done = subprocess.run(
        [*command, "--save", str(file)], input=lines, capture_output=True, text=True, timeout=250, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2  # two lines were bad
    assert next(a["error"] for a in answers if "error" in a) == "Belian Millson is taken already, at 1.01 by team 1"
    assert {"undone": "Osric Ashley"} in answers
    assert len(json.loads(file.read_text())["picks"]) == 4
    assert any("recommendations" in a for a in answers)
    again = subprocess.run(
        [sys.executable, "-m", "stratagem", "draft", "report", str(file), "--json"],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert len(again.stdout.splitlines()) == 12


def test_a_mock_draft_can_be_replayed(league):
    one, two = (mock_draft(league, 4, "waiting", Opponents(), seed=3) for _ in range(2))
    assert one == two
    assert not one.open_slots(4)


@pytest.mark.slow
def test_the_assistant_is_ahead_of_drafters_by_position_and_by_value(league):
    for others in ("adp", "vor"):
        found = mock_league(league, "assistant", Opponents(others), drafts=24, simulations=12)
        assert found.ahead - found.ahead_interval > 0
        assert found.rank < 4


@pytest.mark.parametrize("policy", ["kth", pytest.param("uct", marks=pytest.mark.slow)])
def test_look_ahead_policies_draft_a_legal_team(policy):
    from stratagem.fantasy.mock import choose

    league = League(read_table(SAMPLE), 4, "QB:1,RB:1,WR:1,BENCH:1")
    room = mock_draft(league, 1, policy, Opponents("adp"), seed=3, simulations=4)
    assert room.over and len(set(room.picks)) == league.turns
    again = mock_draft(league, 1, policy, Opponents("adp"), seed=3, simulations=4)
    assert again.picks == room.picks
    start = Room(league)
    assert choose(start, policy, opponents=Opponents("adp"), seed=1, simulations=4) in start.legal(0)
