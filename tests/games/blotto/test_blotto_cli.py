"""`stratagem blotto` and `stratagem play blotto`, as a user types them."""

import json
import subprocess
import sys

import pytest
from command import run


def test_solve_prints_payoffs_strategies_and_gains():
    code, out, _ = run("blotto", "solve", "--units", "6,5", "--values", "1,2,3", "--exact", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["exact"] == ["1491/430", "1089/430"]
    assert found["payoffs"] == pytest.approx([1491 / 430, 1089 / 430])
    assert found["concept"] == "nash" and found["seconds"] > 0 and max(found["gains"]) < 1e-9
    for side, units in zip(found["strategies"], (6, 5), strict=True):
        assert sum(entry["probability"] for entry in side) == pytest.approx(1)
        assert all(sum(entry["allocation"]) == units for entry in side)


def test_solve_takes_all_axes(tmp_path):
    picture, plot = tmp_path / "m.svg", tmp_path / "c.svg"
    code, out, _ = run(
        "blotto", "solve", "--units", "4,3", "--values", "1,2", "--values-b", "2,1", "--ties", "lost", "--disposal",
        "--worth", "0.25", "--concept", "cce", "--marginals", picture, "--certificate", plot,
    )  # fmt: skip
    assert code == 0 and "not strategies to play alone" in out and "welfare" in out
    assert picture.read_text().startswith("<svg") and plot.read_text().startswith("<svg")
    code, out, _ = run("blotto", "solve", "--units", "4,4", "--values", "1,2,3", "--objective", "win", "--ties", "coin")
    assert code == 0 and "A gets 0.5" in out
    code, out, _ = run("blotto", "solve", "--units", "10,8", "--values", "1,2,3,4", "--exact")
    assert code == 0 and "A gets 6, exactly;" in out  # and not "6 = 6"
    code, out, _ = run("blotto", "solve", "--units", "2,2", "--values", "1,2", "--values-b", "2,1", "--all")
    assert code == 0 and "3 extreme equilibria" in out


def test_respond_reads_past_plays_mixtures_and_json(tmp_path):
    flags = ("--units", "10,10", "--values", "1,2,3", "--json")
    code, out, _ = run("blotto", "respond", "-", *flags, stdin="3,3,4\n4,4,2\n")
    assert code == 0 and json.loads(out)["payoff"] == 5
    code, out, _ = run("blotto", "respond", "-", *flags, "--best", "3", stdin="3,3,4,0.25\n4,4,2,0.75\n")
    assert len(json.loads(out)["replies"]) == 3
    solved = run("blotto", "solve", *flags)[1]
    file = tmp_path / "solved.json"
    file.write_text(solved)
    code, out, _ = run("blotto", "respond", file, *flags)
    assert code == 0 and json.loads(out)["payoff"] == pytest.approx(3)
    code, out, _ = run("blotto", "respond", "-", *flags, "--objective", "win", "--seat", "1", stdin="0,0,10\n")
    assert json.loads(out)["payoff"] == 0.5


def test_a_tournament_ranks_by_wins_and_by_score(tmp_path):
    file = tmp_path / "class.csv"
    file.write_text("name,a,b,c,d\nAnn,1,0,4,5\nBob,1,1,3,5\nCy,2,2,2,4\nDee,3,4,2,1\n")
    code, out, _ = run("blotto", "tournament", file, "--values", "1,2,3,4", "--json")
    found = {s["name"]: s for s in json.loads(out)["standings"]}
    assert code == 0 and len(found) == 4
    assert sum(s["wins"] for s in found.values()) == 6 and sum(s["score"] for s in found.values()) == 60
    # Ann beats Bob and Cy beats Dee by 5.5 to 4.5
    code, out, _ = run("blotto", "tournament", "-", "--values", "1,2,3,4", stdin="Ann,1,0,4,5\nBob,1,1,3,5\n")
    assert out.split()[6:10] != [] and out.index("Ann") < out.index("Bob") and "5.5" in out and "4.5" in out
    code, out, _ = run("blotto", "tournament", "-", "--values", "1,2,3,4", stdin="Dee,3,4,2,1\nCy,2,2,2,4\n")
    assert out.index("Cy") < out.index("Dee")


@pytest.mark.parametrize("objective", ["--score", "--win", "--lottery"])
def test_what_the_course_program_finds_it_verifies(objective):
    code, out, _ = run("blotto", "course", "--find", objective, "--units", "7", "1", "2", "4", "4")
    assert code == 0
    rows = [line.split(",") for line in out.splitlines()]
    assert all(len(row) == 5 and sum(map(int, row[:4])) == 7 for row in rows)
    assert sum(float(row[4]) for row in rows) == pytest.approx(1)
    code, verdict, _ = run("blotto", "course", "--verify", objective, "1", "2", "4", "4", stdin=out)
    assert (code, verdict) == (0, "PASSED\n")


def test_the_course_program_names_a_violation():
    code, out, _ = run(
        "blotto", "course", "--verify", "--tolerance", "1e-6", "--score", "1", "2", "3", stdin="6,0,0,1\n"
    )
    assert code == 1
    assert "gains 2" in out and "gets 5" in out and "gets 3" in out


def test_lotto_and_the_continuous_game():
    assert json.loads(run("blotto", "lotto", "5/2", "3/2", "--json")[1])["exact"] == "3/8"
    assert json.loads(run("blotto", "continuous", "3", "4", "5", "--json")[1])["exact"] == ["2/5", "3/5"]


def test_a_game_is_played_at_the_keyboard(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    answers = iter(["1,2,3", "1,1,1"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    code, out, _ = run("play", "blotto", "--units", "3,3", "--values", "1,2,3", "--level", "strong")
    assert code == 0
    assert "adds up to 6" in out and "revealed: 1,1,1 | " in out and "the game is over" in out


def test_solve_names_the_game_among_the_others():
    code, out, _ = run("solve", "blotto", "--units", "4,3", "--values", "1,1,1", "--json")
    assert code == 0 and json.loads(out)["value"] == pytest.approx(11 / 6)
    code, out, _ = run("solve", "blotto", "--units", "4,3", "--values", "1,1,1")
    assert code == 0 and "equilibrium, by" in out and "its best reply would gain" in out and "{" not in out


INTERRUPTED = """
import os, signal, sys
from stratagem.cli import main
from stratagem.equilibrium.double_oracle import GrowingMatrix

signal.signal(signal.SIGINT, signal.default_int_handler)
plain, rounds = GrowingMatrix.solve, []

def solve(self):
    rounds.append(1)
    if len(rounds) == 20:
        os.kill(os.getpid(), signal.SIGINT)
    return plain(self)

GrowingMatrix.solve = solve
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_prints_the_best_so_far_and_ends_with_130():
    values = ",".join(map(str, range(1, 11)))
    arguments = ["blotto", "solve", "--units", "140,130", "--values", values, "--json"]
    run = subprocess.run([sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True, timeout=120)
    found = json.loads(run.stdout)
    assert run.returncode == 130 and not found["finished"]
    low, high = found["interval"]
    assert low < high and sum(entry["probability"] for entry in found["strategies"][0]) == pytest.approx(1)


SOLVE = ("blotto", "solve", "--units", "6,5")


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        ((*SOLVE, "--values", ""), "", "at least one front"),
        ((*SOLVE, "--values=1,-2"), "", "front 2 is worth -2"),
        ((*SOLVE, "--values", "1,nan"), "", "front 2"),
        ((*SOLVE, "--values", "1,2", "--values-b", "1"), "", "same fronts"),
        ((*SOLVE, "--values", "1,2", "--objective", "glory"), "", "one of score, win, lottery"),
        ((*SOLVE, "--values", "1,2", "--ties", "glory"), "", "one of split"),
        ((*SOLVE, "--values", "1,2", "--concept", "peace"), "", "one of nash"),
        ((*SOLVE, "--values", "1,2", "--tolerance", "nan"), "", "tolerance"),
        (("blotto", "solve", "--units", "6", "--values", "1,2"), "", "both players"),
        (("blotto", "solve", "--units", "6,-5", "--values", "1,2"), "", "both players"),
        (("blotto", "solve", "--units", "6,5,4", "--values", "1,2"), "", "3 players"),
        (("blotto", "solve", "--units", "60000,60000", "--values", "1,2"), "", "cells"),
        (("blotto", "respond", "-", "--units", "6,5", "--values", "1,2"), "3,2\n3,3\n", "line 2: allocation 3,3 adds up to 6"),
        (("blotto", "respond", "-", "--units", "6,5", "--values", "1,2"), "3,2,0.5\n4,1,0.4\n", "add up to 0.9"),
        (("blotto", "respond", "-", "--units", "6,5", "--values", "1,2"), "3,2,1.5\n", "line 1: 1.5 is no probability"),
        (("blotto", "respond", "-", "--units", "6,5", "--values", "1,2"), "", "no allocation"),
        (("blotto", "respond", "-", "--units", "6,5", "--values", "1,2"), '{"a": 1}', "strategies"),
        (("blotto", "respond", "nowhere.csv", "--units", "6,5", "--values", "1,2"), "", "no file"),
        (("blotto", "tournament", "-", "--values", "1,2"), "Ann,3,3\nBob,3,2\n", "line 2: Bob's units add up to 5"),
        (("blotto", "tournament", "-", "--values", "1,2"), "Ann,3,3\nBob,3\n", "line 2: Bob places"),
        (("blotto", "tournament", "-", "--values", "1,2"), "Ann,3,3\nAnn,3,3\n", "line 2: the name 'Ann'"),
        (("blotto", "tournament", "-", "--values", "1,2"), "Ann,3,x\nBob,3,3\n", "line 1: 'x'"),
        (("blotto", "tournament", "-", "--values", "1,2"), "", "two entrants"),
        (("blotto", "course", "--find", "--score", "1", "2"), "", "--units"),
        (("blotto", "course", "--find", "--score", "--units", "5"), "", "at least one front"),
        (("blotto", "course", "--find", "--score", "--win", "--units", "5", "1"), "", "one of --win"),
        (("blotto", "course", "--verify", "--score", "1", "2"), "", "no strategy"),
        (("blotto", "course", "--verify", "--score", "1", "2"), "1,2\n", "line 1"),
        (("blotto", "course", "--verify", "--score", "1", "2"), "1,2,0.5\n", "add up to 0.5"),
        (("blotto", "lotto", "0", "1"), "", "above 0"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_two(arguments, stdin, words):
    code, out, err = run(*arguments, stdin=stdin)
    assert code == 2 and out == ""
    assert words in err and len(err.splitlines()) == 1
