"""Presets of the sites, and the league file that people edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from stratagem.errors import ParseError, StratagemError, UnknownName
from stratagem.fantasy.engine import BENCH_SHARE
from stratagem.fantasy.league import Room, parse_slots
from stratagem.fantasy.presets import PRESETS, Setup, kept_players, preset_of, read_setup
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.session import Session

FOOTBALL = [name for name in PRESETS if "ball" not in name or "bestball" in name]


def test_the_four_sites_have_every_kind_of_league():
    for site in ("espn", "yahoo", "sleeper", "fantasypros"):
        for kind in ("standard", "half", "ppr", "superflex", "2qb", "bestball"):
            assert f"{site}-{kind}" in PRESETS
    assert preset_of("espn-ppr").scoring.catch == 1.0
    assert preset_of("sleeper-half").scoring.catch == 0.5
    with pytest.raises(UnknownName, match="did you mean"):
        preset_of("espn-pprr")


@pytest.mark.parametrize("name", FOOTBALL)
def test_a_preset_of_football_is_a_league_of_the_sample(name):
    chosen = preset_of(name)
    setup = Setup(SAMPLE, name, teams=8, roster=chosen.slots, best_ball=chosen.best_ball)
    league = setup.league()
    assert league.teams == 8
    slots, _ = parse_slots(setup.roster)
    assert ("QB", "RB", "WR", "TE") in slots or "superflex" not in name
    assert slots.count(("QB",)) == (2 if "2qb" in name else 1)
    assert (league.bench_share > BENCH_SHARE) == ("bestball" in name)


def test_a_league_file_reads_back_as_it_was_written(tmp_path):
    setup = Setup(
        SAMPLE,
        "espn-ppr",
        teams=3,
        roster="QB:1,RB:1,BENCH:1",
        order="third-round-reversal",
        you=2,
        opponents="vor",
        names=("Ann's", 'Bo "B"', "Cy"),
        trades={"1.02": 3},
        keepers={"3.01": "Kelian Langley"},
        limits={"QB": 2},
    )
    (tmp_path / "league.toml").write_text(setup.text())
    assert read_setup(tmp_path / "league.toml") == setup
    league = setup.league()
    # third-round reversal: 1 2 3, 3 2 1, 3 2 1; pick 1.02 was traded to team 3
    assert league.order == (0, 2, 2, 2, 1, 0, 2, 1, 0)
    assert Room(league).taken == frozenset(league.keepers.values())


def test_any_order_is_a_list_of_teams_and_survives_saving(tmp_path):
    setup = Setup(SAMPLE, teams=2, roster="QB:1,BENCH:1", order=(2, 1, 1, 2))
    league = setup.league()
    assert league.order == (1, 0, 0, 1)
    room = Room(league).apply(0)
    Session(SAMPLE, room, 1, "learnt").save(tmp_path / "d.json")
    again = Session.load(tmp_path / "d.json")
    assert again.room.league.order == league.order and again.room.picks == room.picks


def test_keepers_of_an_auction_belong_to_teams_by_name_or_number(tmp_path):
    setup = Setup(
        SAMPLE, teams=2, roster="QB:1,BENCH:1", budget=50, names=("Ann", "Bo"), kept={"Bo": {"Kelian Langley": 7}}
    )
    (tmp_path / "a.toml").write_text(setup.text())
    again = read_setup(tmp_path / "a.toml")
    league = again.league()
    assert [list(players.values()) for players in kept_players(again, league).values()] == [[7]]
    assert list(kept_players(again, league)) == [1]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("teams = 12", "there is no table"),
        ('table = "x.csv"\nteam = 3', "unknown setting 'team'; did you mean teams"),
        ('table = "x.csv"\nteams = "ten"', "teams is 'ten'; a whole number would be right"),
        ('table = "x.csv"\norder = "snail"', "unknown order 'snail'"),
        ('table = "x.csv"\norder = ["one"]', "the numbers of teams"),
        ('table = "x.csv"\nroster = "QB:x"', "slot 'QB:x'"),
        ('table = "x.csv"\npreset = "espn"', "unknown preset 'espn'"),
        ('table = "x.csv"\nbudget = -1', "buys nobody"),
        ('table = "x.csv"\n[keepers]\n"1.01" = 3', "a name would be right"),
        ('table = "x.csv"\n[kept.Ann]\n"Some Name" = "x"', "players and prices"),
        ("table = [", "is not a league file"),
    ],
)
def test_a_wrong_league_file_is_refused_by_name(tmp_path, text, wrong):
    file = tmp_path / "league.toml"
    file.write_text(text)
    with pytest.raises(ParseError, match=r"league\.toml") as refused:
        read_setup(file)
    assert wrong in str(refused.value)


def test_a_league_that_cannot_be_is_refused_when_it_is_made():
    for setup in (Setup(SAMPLE, you=13), Setup(SAMPLE, teams=0), Setup(Path("nowhere.csv"))):
        with pytest.raises(StratagemError):
            setup.league()
