"""The commands around a draft: import, league, presets, live with a league file and Tab, report as HTML."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stratagem.cli import main
from stratagem.cli.draft_live import Live
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.presets import read_setup
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.session import Session
from stratagem.fantasy.table import read_table

EXPORTS = Path(__file__).parents[1] / "data" / "exports"


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(["draft", *map(str, arguments)])
    return int(left.value.code or 0)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", ["live", "auction"])
def test_a_second_run_goes_on_with_the_draft_and_another_keeps_it(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    drafts, grown = tmp_path / "data" / "stratagem" / "drafts", {"live": "picks", "auction": "sales"}[command]
    file = drafts / f"sample.{'draft' if command == 'live' else 'auction'}.json"
    first = {"live": "Belian Millson\n", "auction": "sold belian mill, 2, 55\n"}[command]

    def sit(typed: str, *flags: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "quit\n"))
        assert run(command, *flags) == 0
        return capsys.readouterr().err

    assert "going on" not in sit(first)
    assert f"going on with {file}; --again begins anew" in sit("")
    assert len(json.loads(file.read_text())[grown]) == 1
    assert "kept in" in sit("", "--again")
    aside = file.with_name(file.name.replace("sample", "sample-1"))
    assert not json.loads(file.read_text())[grown] and len(json.loads(aside.read_text())[grown]) == 1
    assert run(command, "--slot", "3") == 2
    assert "holds another draft, with other" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize(("command", "typed"), [("live", "Belian Millson\n"), ("auction", "sold belian mill, 2, 55\n")])
def test_a_data_folder_that_cannot_be_written_to_ends_no_draft(command, typed, tmp_path, monkeypatch, capsys):
    (tmp_path / "stratagem").write_text("a file where the folder would be")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "undo\n" + typed + "quit\n"))
    assert run(command) == 0
    printed = capsys.readouterr()
    assert printed.err.count("this draft is not kept") == 1 and "took back" in printed.out
    assert "kept in" not in printed.out and "--resume" not in printed.out


def test_import_shows_what_it_understood_and_writes_a_table(capsys):
    files = [EXPORTS / "sleeper-projections.csv", EXPORTS / "fantasypros-adp-2024.csv"]
    assert run("import", *files, "--out", "league.csv", "--answers", "n.json") == 0
    said = capsys.readouterr().out
    assert "pts_half_ppr = points" in said and "AVG = adp" in said and "left alone: player_id" in said
    assert "20 rows were about players of an earlier file" in said
    assert len(read_table("league.csv")) == 20
    assert run("import", *files, "--out", "other.csv", "--answers", "n.json", "--preset", "espn-ppr", "--json") == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["players"] == 20 and reported["files"][0]["columns"]["pts_ppr"] == "points"


def test_doubts_are_reported_and_settled_by_flags(capsys):
    Path("a.csv").write_text("Player,POS,Team,FPTS\nChigoziem Ashby,WR,BUF,100\nBo Crow,RB,KC,90\n")
    Path("b.csv").write_text("Player,POS,Team,ADP\nChig Ashby,WR,BUF,50\nBo Crow,RB,KC,60\n")
    assert run("import", "a.csv", "b.csv", "--out", "c.csv", "--answers", "n.json") == 0
    said = capsys.readouterr().out
    assert '--same "Chigoziem Ashby=Chig Ashby"' in said and len(read_table("c.csv")) == 3
    run("import", "a.csv", "b.csv", "--out", "c.csv", "--answers", "n.json", "--same", "Chigoziem Ashby=Chig Ashby")
    assert len(read_table("c.csv")) == 2
    run("import", "a.csv", "b.csv", "--out", "c.csv", "--answers", "n.json")  # remembered
    assert len(read_table("c.csv")) == 2
    assert run("import", "a.csv", "--out", "a.csv") == 2
    assert run("import", "a.csv", "--same", "nonsense") == 2


def test_a_league_file_is_written_and_drafted_with(capsys):
    assert run("league", SAMPLE, "--preset", "yahoo-half", "--slot", "3", "--keeper", "2.01=Kelian Langley") == 0
    setup = read_setup(Path("league.toml"))
    assert (setup.teams, setup.you, setup.keepers) == (10, 3, {"2.01": "Kelian Langley"})
    assert run("league", SAMPLE) == 2 and "--force" in capsys.readouterr().err
    assert run("mock", "league.toml", "--policy", "adp", "--save", "d.json", "--json") == 0
    picks = json.loads(capsys.readouterr().out)["picks"]
    assert len(picks) == 150 and picks[10] == "Kelian Langley"
    assert run("league", SAMPLE, "--order", "snail", "--out", "x.toml") == 2
    assert run("presets") == 0 and "sleeper-bestball" in capsys.readouterr().out


def test_the_report_is_written_as_one_page(capsys):
    assert run("mock", "--teams", "4", "--roster", "QB:1,RB:1,WR:1,BENCH:1", "--policy", "adp", "--save", "d.json") == 0
    assert run("report", "d.json", "--html", "report.html") == 0
    text = Path("report.html").read_text()
    assert text.startswith("<!doctype html>") and "What the engine would have done" in text


def test_tab_completes_commands_and_free_players(tmp_path):
    room = Room(League(read_table(SAMPLE))).apply("Ivin Stoneridge")
    live = Live(Session(SAMPLE, room, 1), tmp_path / "d.json", 0.1, False)
    assert live.complete("adv", 0) == "advice"
    assert live.complete("belian m", 0) == "Belian Millson"
    assert live.complete("what-if belian m", 0) == "what-if Belian Millson"
    assert live.complete("millson", 0) in {i.name for i in room.league.items if i.name.endswith("Millson")}
    assert live.complete("ivin stone", 0) is None  # he is gone
    assert live.complete("zzz", 0) is None


def test_a_live_draft_at_a_terminal_completes_by_tab(tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "stratagem", "draft", "live", "--slot", "12", "--save", "d.json"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, close_fds=True)
    os.close(theirs)
    heard = b""

    def hear(wanted: bytes, seconds: float = 60.0) -> None:
        nonlocal heard
        end = time.monotonic() + seconds
        while wanted not in heard:
            assert time.monotonic() < end, heard
            heard += os.read(ours, 4096)

    try:
        hear(b"1.01 team 1> ")
        os.write(ours, b"Belian Mil\t\n")
        hear(b"takes Belian Millson")
        os.write(ours, b"quit\n")
        hear(b"kept in d.json")
    finally:
        process.wait(20)
        os.close(ours)
    assert json.loads((tmp_path / "d.json").read_text())["picks"] == ["Belian Millson"]
