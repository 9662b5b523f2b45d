"""`stratagem arena`, as a user runs it."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from stratagem.arena.config import split_names
from stratagem.arena.plots import lengths_plot, ratings_plot, times_plot
from stratagem.arena.ratings import Outcome, rate
from stratagem.cli import main
from stratagem.cli.arena import _rating_rows
from stratagem.errors import OptionError
from stratagem.search.whole_turns import BASELINES
from stratagem.store.sqlite import Store

TWO = ["tictactoe/random", "tictactoe/random:seed=1"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "games.sqlite"
    monkeypatch.setenv("STRATAGEM_STORE", str(file))
    return file


def arena(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["arena", *arguments])
    out, error = capsys.readouterr()
    assert ended.value.code == status, error
    return out, error


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    _, error = arena(capsys, *arguments, status=2)
    assert len(error.splitlines()) == 1 and "Traceback" not in error
    return error


def test_a_match_from_start_to_export(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = arena(
        capsys, "run", *TWO, "tictactoe/random:seed=2", "--games", "20", "--name", "m", "--opening-plies", "1"
    )
    assert "24 of 24 games of tictactoe" in out and "win rate" in out
    out, _ = arena(capsys, "show")
    assert "m" in out and "24" in out
    out, _ = arena(capsys, "show", "m", "--json", "--plots", str(tmp_path / "plots"))
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 3 and all(row["games"] == 16 for row in rows)
    assert sum(row["elo"] for row in rows) == pytest.approx(0, abs=1e-6)
    for name in ("ratings", "seats", "lengths", "times"):
        ET.parse(tmp_path / "plots" / f"{name}.svg")
    out, _ = arena(capsys, "replay", "m")
    assert "24 games replayed" in out
    out, _ = arena(capsys, "export", "m")
    games = [json.loads(line) for line in out.splitlines()]
    assert sorted(game["number"] for game in games) == list(range(24))
    assert set(games[0]) >= {"game", "options", "origin", "seats", "seed", "moves", "payoff", "reason"}
    exported = tmp_path / "games.jsonl"
    arena(capsys, "export", "--out", str(exported))
    out, _ = arena(capsys, "replay", "--file", str(exported))
    assert "24 games replayed" in out
    out, _ = arena(capsys, "replay", "m", "--number", "3")
    assert "payoffs" in out and "1. X:" in out


def test_a_player_may_meet_its_like(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = arena(capsys, "run", "tictactoe/random", "tictactoe/random", "--games", "20", "--name", "m")
    assert "random#2" in out and "note: only" not in out and "pairs of random, as arena sprt --pairs takes them" in out
    out, _ = arena(capsys, "run", "tictactoe/easy", "tictactoe/easy", "--games", "20", "--name", "same")
    assert "note: only 2 of these games differ" in out


def test_a_record_that_was_tampered_with_is_found(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arena(capsys, "run", *TWO, "--games", "4", "--name", "m")
    out, _ = arena(capsys, "export")
    lines = out.splitlines()
    changed = json.loads(lines[2])
    changed["payoff"] = [3, -3]
    lines[2] = json.dumps(changed)
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join(lines))
    out, error = arena(capsys, "replay", "--file", str(file), status=2)
    assert "1 of 4 records do not replay" in error and "payoffs [3, -3] are recorded" in out
    file.write_text("{}\n")
    assert "line 1 is not an exported game" in complaint(capsys, "replay", "--file", str(file))


def test_a_sequential_test_stops_when_the_answer_is_in(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    terms = ["tictactoe/alphabeta:depth=3", "tictactoe/random", "--elo0", "0", "--elo1", "100", "--name", "t"]
    out, _ = arena(capsys, "test", *terms, "--json")
    found = json.loads(out)
    assert found["decision"] == "H1" and found["llr"] > found["upper"] and found["pairs"] >= 32
    assert found["games"] < 1000
    out, _ = arena(capsys, "test", *terms, "--json", "--resume")
    assert json.loads(out) == found  # the answer is in: nothing more is played
    assert "is a sequential test" in complaint(capsys, "run", "--name", "t", "--resume")


def test_sprt_of_given_results(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = arena(
        capsys, "sprt", "--wins", "100", "--draws", "50", "--losses", "80", "--elo0", "0", "--elo1", "5", "--json"
    )
    found = json.loads(out)
    assert found["llr"] == pytest.approx(0.3406108, abs=1e-6)
    assert (found["lower"], found["upper"]) == pytest.approx((-math.log(19), math.log(19)))
    assert found["decision"] == "continue"
    assert (found["elo"], found["elo_error"]) == pytest.approx((30.28829, 40.01074), abs=1e-4)
    out, _ = arena(capsys, "sprt", "--pairs", "10,20,50,30,12", "--elo0", "0", "--elo1", "5", "--json")
    assert json.loads(out)["counts"] == [10, 20, 50, 30, 12]
    same, _ = arena(
        capsys, "sprt", "--wins", "90", "--draws", "78", "--losses", "76", "--pairs", "10,20,50,30,12",
        "--elo0", "0", "--elo1", "5", "--json",
    )  # fmt: skip
    assert same == out
    out, _ = arena(capsys, "sprt", "--wins", "9000", "--draws", "0", "--losses", "6000")
    assert "H1: elo1 is accepted" in out


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["run", "chess/random", "chess/x"], "unknown game 'chess'"),
        (["run", "tictactoe/random", "tictactoe/nobody"], "unknown player"),
        (["run", "tictactoe/random", "tictactoe/alphabeta:depht=3"], "did you mean depth"),
        (["run", "tictactoe/random"], "two players"),
        (["run", "random", "random"], "lacks its game"),
        (["run"], "at least two players"),
        (["run", *TWO, "-o", "rows=99"], "option rows is 99"),
        (["run", *TWO, "-o", "colour=red"], "unknown option"),
        (["run", *TWO, "-o", "rows"], "not an option NAME=VALUE"),
        (["run", *TWO, "--games", "0"], "at least 1"),
        (["run", *TWO, "--workers", "0"], "1 or more"),
        (["run", *TWO, "--time", "-1"], "no clock"),
        (["run", *TWO, "--time", "soon"], "it takes seconds"),
        (["test", *TWO, "--time", "0.2,1"], "one number of seconds"),
        (["run", *TWO, "--adjudicate", "much"], "not VALUE:N"),
        (["run", *TWO, "--openings", "/nowhere/at/all"], "No such file"),
        (["run", *TWO, "--resume", "--name", "never"], "no match 'never'"),
        (["test", *TWO, "tictactoe/easy"], "two players"),
        (["test", *TWO, "--elo0", "5", "--elo1", "0"], "elo0 must be the smaller"),
        (["sprt", "--elo0", "0", "--elo1", "5"], "give the results"),
        (["sprt", "--wins", "-1"], "counted from 0"),
        (["sprt", "--pairs", "1,2,3"], "five counts"),
        (["sprt", "--pairs", "1,2,3,4,5", "--wins", "3", "--draws", "0", "--losses", "0"], "do not add up"),
        (["show", "never"], "no matches"),
        (["replay", "--number", "3"], "of which match"),
        (["replay", "--game", "77"], "no game 77"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: list[str], reported: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Store(store).close()
    assert reported in complaint(capsys, *arguments)


def test_a_store_that_is_not_there_is_not_made_by_looking(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no store of games" in complaint(capsys, "show")
    assert not store.exists()


def test_a_file_of_something_else_is_untouched(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.write_text("dear diary")
    assert "nothing was changed" in complaint(capsys, "run", *TWO)
    assert store.read_text() == "dear diary"


def test_a_locked_store_is_reported(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(store).close()
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    before = Store.__init__.__kwdefaults__
    monkeypatch.setitem(before, "wait", 0.1)
    assert "locked by another process" in complaint(capsys, "run", *TWO)
    other.close()


def test_a_resume_under_other_terms_names_the_difference(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arena(capsys, "run", *TWO, "--games", "2", "--name", "m")
    reported = complaint(capsys, "run", *TWO, "--games", "2", "--name", "m", "--resume", "--seed", "5", "-o", "rows=4")
    assert "seed was 0, now 5" in reported and "'rows': 3" in reported and "'rows': 4" in reported


def test_a_second_run_goes_on_and_says_how_to_begin_anew(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("run", *TWO, "--games", "2", "--name", "m", "--workers", "1")
    first, _ = arena(capsys, *command)
    second, said = arena(capsys, *command)
    assert second == first and "match 'm' is complete; --again plays it anew" in said
    anew, said = arena(capsys, *command, "--again")
    assert "m-2: 2 of 2 games" in anew and "--again" not in said
    assert "give one of them" in complaint(capsys, *command, "--again", "--resume")


def test_ratings_show_names_whole_in_a_narrow_terminal() -> None:
    table = Table(box=None, pad_edge=False)
    long = "mcts:simulations=1000,exploration=1.25,reuse=false,threads=2"
    _rating_rows(table, [Outcome((long, "random"), (1.0, -1.0), 0), Outcome(("random", long), (-1.0, 1.0), 0)])
    console = Console(width=80, file=io.StringIO())
    console.print(table)
    shown = console.file.getvalue()
    assert "…" not in shown and long in "".join(line[:16].strip() for line in shown.splitlines())


def test_a_full_disk_is_reported_and_what_was_played_stays(store: Path) -> None:
    """The system's limit on file sizes stands in for the disk; the run goes on when there is room again."""
    terms = ["arena", "run", *TWO, "--games", "3000", "--name", "m", "--workers", "1"]
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))\n"
    limited += "from stratagem.cli import main; main(sys.argv[1:])"
    full = subprocess.run(
        [sys.executable, "-c", limited, *terms], capture_output=True, text=True, timeout=120, check=False
    )
    assert full.returncode == 2 and "recorded before is safe" in full.stderr and "Traceback" not in full.stderr
    with Store(store) as opened:
        done = len(opened.numbers(1))
        opened.check()
    assert 0 < done < 3000
    again = subprocess.run(
        [sys.executable, "-m", "stratagem", *terms, "--resume"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert again.returncode == 0 and "3000 of 3000 games" in again.stdout


def test_plots_say_in_words_what_they_show() -> None:
    games = [
        Outcome(("a<b", "c"), (1.0, -1.0), 0),
        Outcome(("c", "a<b"), (1.0, -1.0), 1),
        Outcome(("c", "a<b"), (0.0, 0.0), 2),
    ]
    drawn = ratings_plot(rate(games), "m & n")
    tree = ET.fromstring(drawn)
    assert tree.find("{*}title").text == "m & n: ratings" and "a<b: " in tree.find("{*}desc").text
    long = "montecarlo:simulations=800,keep=2,horizon=3,style=greedy"
    for drawn in (ratings_plot(rate([Outcome((long, "c"), (1.0, -1.0), 0)]), "m"), times_plot({long: [0.1]}, "m")):
        assert long in [text.text for text in ET.fromstring(drawn).findall(".//{*}text")], "names are whole"
    assert "3 games, 5 to 40 plies, mean 17.3" in lengths_plot([5, 7, 40], "m")
    assert "median" in times_plot({"a": [0.001, 0.1], "b": [2.0]}, "m")
    for odd in (lengths_plot([], "m"), lengths_plot([4], "m"), times_plot({}, "m"), times_plot({"a": [0.0]}, "m")):
        ET.fromstring(odd)


def test_all_baselines_stand_for_every_search_of_whole_turns_that_a_game_has() -> None:
    game, names = split_names(["asmacag/all-baselines:turns=50", "asmacag/staged"])
    assert game == "asmacag" and names[-1] == "staged"
    assert [name.partition(":")[0] for name in names[:-1]] == list(BASELINES)
    assert all(name.endswith(":turns=50") for name in names[:-1])
    assert "greedy-turn" not in split_names(["risk/all-baselines"])[1], "chance falls inside the turns of Risk"
    with pytest.raises(OptionError, match="has no searches of whole turns"):
        split_names(["connect4/all-baselines"])


def test_several_times_are_a_match_each(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported, _ = arena(capsys, "run", *TWO, "--games", "2", "--name", "quick", "--time", "0.01,0.02", "--workers", "1")
    assert "quick-0.01s: 2 of 2 games" in reported and "quick-0.02s: 2 of 2 games" in reported


def test_several_times_that_were_interrupted_go_on_with_the_same_command(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("run", *TWO, "--games", "2", "--name", "cut", "--time", "0.01,0.02", "--workers", "1")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("stratagem.cli.arena.run_match", interrupted)
        _, said = arena(capsys, *command, status=130)
    assert "the same command goes on with this time and the others" in said
    reported, _ = arena(capsys, *command)
    assert "cut-0.01s: 2 of 2 games" in reported and "cut-0.02s: 2 of 2 games" in reported
    said = complaint(capsys, "run", *TWO, "--name", "none", "--time", "0.01,0.02", "--resume")
    assert "there is no match 'none-0.01s'" in said, "the first of them must have begun"
