"""Exports of sites as they come: every format and kind, spoilt files with line and column, names of two sources."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from fantasy.make_exports import PLAYERS, espn, fantasypros, sleeper, yahoo

from stratagem.errors import ParseError
from stratagem.fantasy.imports import parse_export, positions_of, read_export, split_name, text_of
from stratagem.fantasy.merging import merge
from stratagem.fantasy.names import Answers, defence, key, pair_of
from stratagem.fantasy.presets import preset_of
from stratagem.fantasy.scoring import Scoring
from stratagem.fantasy.table import read_table, write_table

EXPORTS = Path(__file__).parents[1] / "data" / "exports"
FILES = sorted(EXPORTS.iterdir())
ALL_POSITIONS = [f for f in FILES if "projections-" not in f.name]


def test_the_exports_are_what_their_generator_writes():
    made = {**fantasypros(), **sleeper(), **espn(), **yahoo()}
    assert {f.name for f in FILES} == set(made)
    for name, text in made.items():
        assert (EXPORTS / name).read_bytes() == (text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_every_format_is_read_without_a_flag(file):
    export = read_export(file)
    assert len(export.entries) == 20
    kind = {
        "adp": "average positions",
        "draft": "average positions",
        "projections": "projections",
        "rankings": "rankings",
    }
    wanted = kind[file.name.split("-")[1].split(".")[0]]
    assert export.kind == wanted or file.name == "espn-rankings.csv"  # which gives points too
    for entry in export.entries:
        assert entry.positions
        assert entry.points is not None or entry.adp is not None or entry.rank is not None


@pytest.mark.parametrize("file", ALL_POSITIONS, ids=lambda f: f.name)
def test_whole_tables_hold_the_players_with_club_position_and_numbers(file):
    found = {e.person.key: e for e in read_export(file, "standard").entries}
    for name, position, club, _, points, adp, _ in PLAYERS:
        wanted = f"{club} defence" if position == "DST" else key(name)
        entry = found[wanted]
        assert entry.positions == (position,)
        assert entry.team == club
        if entry.points is not None and name != "Davian Oakshaw":
            assert entry.points == pytest.approx(points, abs=0.06)
        if entry.adp is not None and "rankings" not in file.name:
            assert abs(entry.adp - adp) <= 0.31


def test_marks_of_injuries_are_read_from_names_and_from_columns():
    for name in ("yahoo-adp.csv", "espn-projections.tsv", "sleeper-rankings.csv", "yahoo-draft-analysis.csv"):
        found = {e.name: e.status for e in read_export(EXPORTS / name).entries}
        assert found["D.J. Hartford"] == "questionable"
        assert found["Kelo Ironwood"] == "out"
        assert found["Davian Oakshaw"] == ""


def test_thousands_and_decimal_commas_are_numbers():
    points = {e.name: e.points for e in read_export(EXPORTS / "yahoo-projections.csv").entries}
    assert points["Davian Oakshaw"] == pytest.approx(1326.0)
    points = {e.name: e.points for e in read_export(EXPORTS / "espn-rankings.csv").entries}
    assert points["Belian Millson Jr."] == pytest.approx(318.2, abs=0.11)


@pytest.mark.parametrize(
    ("text", "name", "reported"),
    [
        ("Ann Oak SF - RB", "Ann Oak", {"team": "SF", "position": "RB"}),
        ("Ann Oak Jr. SF (9)", "Ann Oak Jr.", {"team": "SF", "bye": "9"}),
        ("Ann Oak, Buf WR  Q", "Ann Oak", {"team": "BUF", "position": "WR", "status": "questionable"}),
        ("Ann Oak (NE - QB,TE)", "Ann Oak", {"team": "NE", "position": "QB,TE"}),
        ("Ann Oak (IR)", "Ann Oak", {"status": "injured reserve"}),
        ("Ann Oak II", "Ann Oak II", {}),
        ("Ann Oak*", "Ann Oak", {}),
        ("Ann De La Oak", "Ann De La Oak", {}),
    ],
)
def test_a_cell_with_more_than_a_name_is_taken_apart(text, name, reported):
    assert split_name(text) == (name, reported)


def test_positions_have_ranks_and_several_names():
    assert positions_of("RB12") == (("RB",), 12)
    assert positions_of("D/ST3") == (("DST",), 3)
    assert positions_of("1B,OF") == (("1B", "OF"), None)
    assert positions_of("QX") == ((), None)
    assert defence("Niners") is None
    assert defence("49ers D/ST") == defence("San Francisco") == defence("SF") == "SF"


# ------------------------------------------------------------------------------------------------------------- spoilt


def spoil(rng: random.Random) -> tuple[str, bytes]:
    """A file of ours with one thing wrong, and a name for it."""
    file = rng.choice([f for f in FILES if f.suffix == ".csv" and "espn-rankings" not in f.name])
    text = file.read_bytes().decode("utf-8-sig")
    lines = text.rstrip("\n").split("\n")
    separator = ";" if file.name == "sleeper-rankings.csv" else ","
    row = rng.randrange(4, 15)
    how = rng.choice(
        ["number", "quote", "cells", "position", "name", "bytes", "control", "header", "empty", "twice", "page"]
    )
    header = lines[0].replace('"', "").split(separator)
    numeric = [k for k, h in enumerate(header) if h in ("RK", "Rank", "AVG", "FPTS", "Avg Pick", "average_pick", "RNK")]
    spot = [k for k, h in enumerate(header) if h in ("POS", "Position", "position", "display_position")]

    def put(k: int, value: str) -> None:
        quoted = lines[row].startswith('"')
        cells = re.findall(r'"[^"]*"|[^' + separator + "]+|(?<=" + separator + ")(?=" + separator + "|$)", lines[row])
        cells[k] = f'"{value}"' if quoted else value
        lines[row] = separator.join(cells)

    if how == "number" and numeric and "1,0" not in lines[row]:
        put(numeric[-1] if numeric[-1] < 3 else numeric[0], rng.choice(["twelve", "1.2.3", "12x", "1e999", "0x1F"]))
    elif how == "position" and spot and "date" not in header[0].casefold():
        put(spot[0], rng.choice(["QQ", "R B 1", "7", "RB?", "Position"]))
    elif how == "cells":
        lines[row] += separator + "surplus" + separator + "more"
    elif how == "name":
        k = (
            next(
                k
                for k, h in enumerate(header)
                if h.casefold() in ("player", "player name", "full_name", "player, team pos")
            )
            if any(h.casefold() in ("player", "player name", "full_name") for h in header)
            else 0
        )
        put(k, rng.choice(["", "-", "12345"]))
    elif how == "bytes":
        lines[row] = lines[row][:3] + "\udc81\udcff" + lines[row][3:]
    elif how == "control":
        lines[row] = lines[row][:5] + rng.choice("\x00\x07\x1b") + lines[row][5:]
    elif how == "header":
        lines[0] = separator.join(["one", "two", "three"])
        del lines[1:]
    elif how == "empty":
        lines = [lines[0]] if rng.random() < 0.5 else [""]
    elif how == "twice":
        lines[0] = lines[0] + separator + '"POS"' + separator + '"POS"'
    elif how == "page":
        lines = [rng.choice(["<!doctype html><table>", "<html>", '{"players": []}', "PK\x03\x04"])]
    else:
        how = "quote"
        lines[row] = '"' + lines[row].replace('"', "") + separator + '"open'
    return f"{how} in {file.name}", "\n".join(lines).encode("utf-8", "surrogateescape")


def read_spoilt(how: str, data: bytes) -> None:
    parse_export(text_of(data, "spoilt.csv"), "spoilt.csv")
    raise AssertionError(f"{how}: it was read")


def test_a_hundred_spoilt_files_are_refused_with_line_and_column():
    rng = random.Random(28)
    kinds = set()
    for _ in range(100):
        how, data = spoil(rng)
        kinds.add(how.split()[0])
        with pytest.raises(ParseError) as refused:
            read_spoilt(how, data)
        assert re.search(r"line \d+, column \d+", str(refused.value)), (how, str(refused.value))
    assert len(kinds) == 11


# -------------------------------------------------------------------------------------------------------------- names

# one player, written by two sources; then what must not be joined in silence
VARIANTS = [
    ("Patrick Ashwell II", "Patrick Ashwell"),
    ("D.J. Bramby", "DJ Bramby"),
    ("Amon-Ra St. Crow", "Amon Ra St Crow"),
    ("Ja'Marr Dunley", "JaMarr Dunley"),
    ("José Everford", "Jose Everford"),
    ("Kenneth Fairman III", "Ken Fairman"),
    ("Gabriel Grimson", "Gabe Grimson"),
    ("Joshua Hartridge", "Josh Hartridge"),
    ("Michael Ironshaw Jr.", "Mike Ironshaw"),
    ("Robert Kirkmere", "Robbie Kirkmere"),
    ("Marquise Langwell", "Hollywood Langwell"),
    ("Mitchell Millby", "Mitch Millby"),
    ("O'Brien Northford", "OBrien Northford"),
    ("Odell Oakley Jr", "Odell Oakley"),
    ("T.J. Stoneman", "T. J. Stoneman"),
    ("Clyde Edwards-Ashwood", "Clyde Edwards Ashwood"),
    ("Zachary Bramson", "Zach Bramson"),
    ("Nicholas Crowridge", "Nick Crowridge"),
    ("Müller Dunshaw", "Muller Dunshaw"),
    ("William Evermere V", "Will Evermere"),
    ("Christopher Fairwell", "Chris Fairwell"),
    ("Jeffery Grimby", "Jeff Grimby"),
    ("Łukasz Hartford", "Lukasz Hartford"),
    ("DeVonta Ironley", "Devonta Ironley"),
    ("Kirkson, Tom", "Tom Kirkson"),
    ("Scott Langman", "Scotty Langman"),
    ("Deebo Millridge", "Tyshun Millridge"),
    ("Jaxon Northshaw", "Jaxson Northshaw"),
    ("Cedrick Oakmere", "Cedric Oakmere"),
    ("Chigoziem Stonewell", "Chig Stonewell"),
]


def source(names: list[str], column: str, clubs: list[str]) -> str:
    rows = [f'"{name}","{"RB" if k % 2 else "WR"}","{clubs[k]}",{200 - k}' for k, name in enumerate(names)]
    return "\n".join([f"Player,POS,Team,{column}", *rows]) + "\n"


def two_sources() -> list:
    clubs = ["ARI", "ATL", "BAL", "BUF", "CAR", "CHI", "CIN", "CLE", "DAL", "DEN"] * 4
    strangers = ["Ab Stranger", "Cor Foreigner", "Eri Newcomer"]
    left = parse_export(source([a for a, _ in VARIANTS] + strangers, "FPTS", clubs), "left.csv")
    right = parse_export(source([b for _, b in VARIANTS] + ["Iv Outsider"], "ADP", clubs), "right.csv")
    return [left, right]


def test_thirty_variants_of_names_are_joined_or_asked_about():
    merged = merge(two_sources())
    asked = {d.pair for d in merged.doubts}
    right = 0
    for k, (a, b) in enumerate(VARIANTS):
        if pair_of(a, b) in asked:
            continue
        item = next(i for i in merged.items if i.name == a)
        assert item.points == 200 - k
        assert item.adp == 200 - k, f"{a} and {b} were kept apart in silence"
        right += 1
    assert right >= 24  # the rules know most of them; the rest are questions
    assert not any("stranger" in pair or "outsider" in pair for pair in asked)


def test_a_question_is_asked_once_and_its_answer_kept(tmp_path):
    answers = Answers.load(tmp_path / "names.json")
    doubts = merge(two_sources(), answers).doubts
    assert doubts
    for doubt in doubts:
        answers.settle(doubt.pair, True)
    again = merge(two_sources(), Answers.load(tmp_path / "names.json"))
    assert again.doubts == []
    assert len(again.items) == 30 + 3 + 1


def test_two_players_of_one_name_are_told_apart_by_club_and_position():
    first = parse_export("Player,POS,Team,FPTS\nMike Ashby,WR,LAC,150\nMike Ashby,TE,DAL,90\n", "a.csv")
    second = parse_export("Player,POS,Team,ADP\nMike Ashby,TE,DAL,120\nMike Ashby,WR,LAC,60\n", "b.csv")
    merged = merge([first, second])
    assert {(i.points, i.adp) for i in merged.items} == {(150.0, 60.0), (90.0, 120.0)}
    assert len({i.name for i in merged.items}) == 2


# -------------------------------------------------------------------------------------------------------------- points


def test_points_are_counted_from_statistics_under_a_scoring():
    export = read_export(EXPORTS / "fantasypros-projections-rb.csv")
    plain, full = (merge([export], scoring=Scoring(catch=c)).items for c in (0.0, 1.0))
    entry = export.entries[0]
    for item, catch in ((plain, 0.0), (full, 1.0)):
        found = next(i for i in item if i.name == entry.name)
        s = entry.stats
        by_hand = 0.1 * (s["rush yards"] + s["rec yards"]) + 6 * (s["rush touchdowns"] + s["rec touchdowns"])
        assert found.points == pytest.approx(by_hand - 2 * s["fumbles"] + catch * s["rec catches"], abs=0.01)


def test_categories_of_baseball_and_basketball_become_points():
    text = "Player,POS,Team,R,HR,RBI,SB,AVG\nA Bat,OF,NYY,100,40,110,10,.300\n"
    text += "B Bat,1B/OF,BOS,80,20,70,5,.260\nC Bat,SS,LAD,60,8,50,30,.250\n"
    export = parse_export(text, "bats.csv")
    assert export.entries[1].positions == ("1B", "OF")
    items = merge([export], scoring=preset_of("yahoo-baseball").scoring).items
    points = {i.name: i.points for i in items}
    assert points["A Bat"] > points["C Bat"] > 0
    assert sum(points.values()) == pytest.approx(150, abs=0.1)  # standard scores add up to nothing
    text = "Player,POS,PTS,REB,AST,STL,BLK,3PM,FG%,FT%,TO\nA Hoop,PG,25,5,9,1.5,.3,3,.48,.9,3\nB Hoop,C,15,12,2,.6,2,0,.6,.6,2\n"
    items = merge([parse_export(text, "hoops.csv")], scoring=preset_of("espn-basketball").scoring).items
    assert len(items) == 2 and items[0].points != items[1].points


def test_a_table_that_is_written_reads_back(tmp_path):
    merged = merge(
        [read_export(EXPORTS / n) for n in ("sleeper-projections.csv", "fantasypros-adp-2024.csv", "espn-adp.csv")]
    )
    assert merged.joined == 40 and merged.doubts == [] and len(merged.items) == 20
    write_table(merged.items, tmp_path / "league.csv")
    assert read_table(tmp_path / "league.csv") == merged.items
