"""The command line as a user meets it; where signals or the cache are at stake, in a process of its own."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import process, run

import stratagem


def objects(found):
    return [json.loads(line) for line in found.out.splitlines()]


def test_solve_prints_value_length_and_all_best_moves():
    found = run("solve", "tictactoe", "XX_OO____", "--json")
    (answer,) = objects(found)
    assert (answer["value"], answer["moves_to_end"], answer["best"]) == (1, 1, ["c1"])
    assert answer["position"] == "XX_OO____"


def test_a_finished_game_is_solved_for_the_player_who_would_move():
    (answer,) = objects(run("solve", "connect4", "1212121", "--json"))
    assert (answer["value"], answer["moves_to_end"], answer["best"]) == (-1, 0, [])


def test_batches_go_on_after_a_bad_line():
    lines = ["1212121", "9", "", "44444", "12121213"]
    found = run("solve", "connect4", "-", "--width", "4", "--height", "4", "--json", stdin="\n".join(lines) + "\n")
    answers = objects(found)
    assert found.code == 2
    assert [answer["position"] for answer in answers] == lines
    assert ["error" in answer for answer in answers] == [False, True, False, True, True]
    assert answers[2]["value"] == 0
    assert "Traceback" not in found.err


def test_questions_may_be_json_and_answers_repeat_what_they_are_known_by():
    lines = [
        '{"id": 7, "position": "XX_OO____"}',
        '{"id": "b", "moves": ["a1", "b2"]}',
        "XX_OO____",
        '{"id": 8, "positions": "XX_OO____"}',
        '{"moves": "a1"}',
        '{"id": 9, "moves": ["a1", "a1"]}',
    ]
    found = run("solve", "tictactoe", "-", stdin="\n".join(lines) + "\n")
    first, second, third, *bad = objects(found)
    assert (first["id"], first["position"], first["best"]) == (7, "XX_OO____", ["c1"])
    assert (second["id"], second["moves"], second["value"]) == ("b", ["a1", "b2"], 0)
    assert "id" not in third and (third["position"], third["best"]) == ("XX_OO____", ["c1"])
    said = ("has no 'positions'", "no list of texts", "move 2, 'a1'")
    assert all(words in answer["error"] for words, answer in zip(said, bad, strict=True)), bad
    assert found.code == 2 and bad[2]["id"] == 9
    played = run("solve", "tictactoe", "-", "--moves", "a1 b2", stdin="\n")
    assert objects(played)[0]["value"] == 0


def test_a_thousand_end_positions_in_one_batch():
    game, rng, texts = stratagem.game("connect4"), random.Random(3), []
    while len(texts) < 1000:
        position = game.start()
        while not position.over:
            position = position.play(rng.choice(position.moves()))
        text = str(position)
        texts += [text[:n] for n in range(28, len(text))]
    found = run("solve", "connect4", "-", "--json", stdin="\n".join(texts) + "\n")
    assert found.code == 0, found.err
    assert len(objects(found)) == len(texts)


def test_perft_counts():
    assert objects(run("perft", "connect4", "", "6", "--json"))[0]["count"] == 117649
    assert run("perft", "tictactoe", "", "3").out.strip() == "504"


def test_analyse_draws_a_start_that_chance_decides():
    """Hands are dealt by the seed, and the position that is answered can be given again."""
    first, again, other = (
        objects(run("analyse", "roborally", "--engine", "random", "--seed", seed, "--json"))[0] for seed in "334"
    )
    assert first["position"].startswith("turn=1 phase=program")
    assert first["position"] == again["position"] != other["position"]
    (given,) = objects(run("analyse", "roborally", first["position"], "--engine", "random", "--seed", "3", "--json"))
    assert given["best"] == first["best"]


def test_analyse_prints_lines_with_values(tmp_path):
    file = tmp_path / "answer.svg"
    (answer,) = objects(run("analyse", "connect4", "4455", "--depth", "6", "--lines", "2", "--json"))
    assert set(answer) >= {"value", "best", "lines", "depth", "nodes", "seconds"}
    assert (answer["value"], answer["best"], len(answer["lines"])) == (1, "3", 2)
    assert "ends in" in run("analyze", "connect4", "4455", "--depth", "4", "--svg", str(file)).out
    assert file.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("solve", "connect4", "8"), "columns go from 1 to 7"),
        (("solve", "connect4", "1111111"), "column 1 is full"),
        (("solve", "connect4", "1" * 43), "the board holds 42"),
        (("solve", "connect4", "12121213"), "play went on after the end"),
        (("solve", "conect4"), "did you mean connect4"),
        (("analyse", "connect4", "--seconds", "-1"), "give 0 or more"),
        (("analyse", "connect4", "--depth", "0"), "give 1 or more"),
        (("analyse", "connect4", "-", "--svg", "x.svg"), "draws one position"),
        (("analyse", "connect4", "1212121"), "no move to choose"),
        (("analyse", "connect4", "--engine", "deepthought"), "unknown player"),
        (("analyse", "connect4", "--width", "many"), "a whole number"),
        (("analyse", "connect4", "--colour", "red"), "--colour"),
        (("play", "connect4", "--seats", "you"), "has 2"),
        (("play", "connect4", "--resume", "nowhere.json"), "nowhere.json"),
        (("solve", "pig"), "expectimax"),
        (("perft", "connect4", "", "-3"), "-3"),
        (("nonsense",), "unknown command"),
        (("solve",), "game"),
        (("solve", "no_such_file.py"), "no file"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, says):
    found = run(*arguments)
    assert found.code == 2
    assert says in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert "Traceback" not in found.err


def worked(process: int) -> float:
    """Seconds of processor time that a process has had."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say what a process has worked")
def test_ctrl_c_prints_the_best_so_far():
    assert run("analyse", "connect4", "--seconds", "0.01").code == 0  # compiled ahead
    process = subprocess.Popen(
        [sys.executable, "-m", "stratagem", "analyse", "connect4", "", "--seconds", "600", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "STRATAGEM_QUIET": "1"},
    )  # fmt: skip
    while worked(process.pid) < 6.0:  # however busy the machine is, it searches by then
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert json.loads(out)["best"] in "1234567"
    assert "Traceback" not in err


def test_a_game_in_the_terminal_with_hint_taking_back_saving_and_resuming(tmp_path):
    file = tmp_path / "game.json"
    typed = f"help\nmoves\nhint\na1\nback\nb2\nxx\nsave {file}\nquit\n"
    found = run("play", "tictactoe", "--seats", "you,you", stdin=typed, XDG_DATA_HOME=str(tmp_path))
    assert found.code == 0, found.err
    assert "would play" in found.out
    assert "names no cell" in found.out
    saved = json.loads(file.read_text())
    assert saved["moves"] == ["b2"]
    resumed = run("play", "tictactoe", "--resume", str(file), stdin="a1\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert resumed.code == 0, resumed.err
    assert json.loads(file.read_text())["moves"] == ["b2", "a1"]
    assert run("play", "connect4", "--resume", str(file)).code == 2
    file.write_text("{}")
    assert "not a saved game" in run("play", "tictactoe", "--resume", str(file)).err


def test_engines_play_a_whole_game_of_chance():
    found = run("play", "pig", "--seats", "random,random", "--target", "20", "--seed", "4")
    assert found.code == 0
    assert re.search(r"the game is over: (first|second) wins", found.out)
    assert found.out == run("play", "pig", "--seats", "random,random", "--target", "20", "--seed", "4").out


def test_the_lists():
    assert {g["game"] for g in objects(run("games", "--json"))} >= {"tictactoe", "connect4", "nim", "pig"}
    assert "--width" in run("games", "connect4").out
    assert "\x1b" not in run("games").out
    assert "…" not in run("games", COLUMNS="60").out  # no name is cut
    assert process("version").out.startswith("stratagem 0.")
    assert run("draw", "connect4", "44").out.startswith("<svg")


def test_cache_clear_empties_only_a_cache(tmp_path):
    folder = tmp_path / "cache"
    assert process("perft", "nim", "", "2", STRATAGEM_CACHE=str(folder)).code == 0
    assert any(folder.iterdir())
    assert "removed" in process("cache", "clear", STRATAGEM_CACHE=str(folder)).out
    assert not folder.exists()
    (tmp_path / "precious.txt").write_text("mine")
    assert process("cache", "clear", STRATAGEM_CACHE=str(tmp_path)).code == 2
    assert (tmp_path / "precious.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("play", "connect4", "--level", "foo"), "unknown player of connect4 'foo'"),
        (("analyse", "connect4", "--wdth", "7"), "did you mean --width"),
        (("analyse", "goofspiel", "--seat", "7"), "there is no seat 7; goofspiel has seats 0 to 1"),
        (("analyse", "connect4", "--engine", "alphabeta:depth=x"), "option depth of player alphabeta is 'x'"),
        (("risk", "odds", "-1", "3"), "-1 is read as a flag"),
        (("warmup", "--jobs", "0"), "0 processes warm nothing"),
    ],
)
def test_a_slip_is_reported_with_what_would_be_right(arguments, says):
    found = run(*arguments)
    assert found.code == 2 and found.out == ""
    assert says in found.err and len(found.err.splitlines()) == 1


def test_bytes_are_not_taken_for_text(tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(bytes(range(128, 256)))
    for arguments in (
        ("arena", "run", "tictactoe/random", "tictactoe/easy", "--openings", file, "--store", tmp_path / "store"),
        ("arena", "replay", "--file", file),
        ("roborally", "run", file),
        ("umi", "verify", file),
    ):
        found = run(*arguments)
        assert found.code == 2 and found.err == f"stratagem: {file} is not text in UTF-8\n"
    with file.open() as lines:
        found = subprocess.run(
            [sys.executable, "-m", "stratagem", "solve", "tictactoe", "-"], stdin=lines, capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
    assert found.returncode == 2 and found.stderr == "" and "error" in json.loads(found.stdout.splitlines()[0])


def test_input_that_is_closed_is_empty():
    command = f"exec {sys.executable} -m stratagem solve tictactoe - <&-"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_no_games_are_not_games_that_replay(tmp_path):
    (tmp_path / "none").touch()
    found = run("arena", "replay", "--file", tmp_path / "none")
    assert found.code == 2 and "no such games" in found.err


def interrupted(*arguments, after, **environment):
    """A command that Ctrl-C is pressed on as soon as its output has a line with `after`."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "stratagem", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "STRATAGEM_QUIET": "1", **environment},
    )  # fmt: skip
    while after not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_ctrl_c_ends_a_game_between_engines_and_says_how_to_go_on(tmp_path):
    status, out, err = interrupted(
        "play", "connect4", "--seats", "alphabeta:time=60,random", after="1 2 3 4 5 6 7", XDG_DATA_HOME=str(tmp_path)
    )
    assert (status, err) == (130, "") and "go on with: stratagem play connect4 --resume" in out


def test_a_game_is_never_kept_over_another(tmp_path, monkeypatch):
    from stratagem.cli import play

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(play.time, "strftime", lambda _: "NOW")
    names = []
    for _ in range(3):
        file = play._free_file("nim")
        file.parent.mkdir(exist_ok=True)
        file.touch()
        names.append(file.name)
    assert names == ["nim-NOW.json", "nim-NOW-2.json", "nim-NOW-3.json"]


@pytest.mark.slow
def test_warmup_goes_through_games_of_every_kind():
    found = run("warmup", "tictactoe", "goofspiel", "--jobs", "1")
    assert found.code == 0, found.err
    assert "tictactoe: ready after" in found.out and "goofspiel: ready after" in found.out


def test_three_seats_are_analysed_by_tree_search():
    found = run("analyse", "pig", "--players", "3", "--engine", "mcts:simulations=200")
    assert found.code == 0 and "roll" in found.out


def test_a_game_whose_engine_fails_is_kept(tmp_path):
    seats = "random,umi:command=no-such-program"
    found = run("play", "minions", "--seats", seats, XDG_DATA_HOME=str(tmp_path))
    assert found.code == 2 and "'no-such-program' cannot be started" in found.err
    assert "go on with: stratagem play minions --resume" in found.out
    (file,) = (tmp_path / "stratagem").iterdir()
    went_on = run("play", "minions", "--resume", file, "--seats", "random,you")  # somebody else in its place
    assert went_on.code == 0 and "Blue> " in went_on.out


def test_the_terminal_does_not_tell_which_spells_an_engine_took():
    game = ["play", "minions", "--profile", "server", "--maps", "SorcerersLair", "--seats", "you,greedy", "--seed", "3"]
    found = run(*game, stdin="tech 1; move c1c0\nquit\n")
    assert "takes a spell" in found.out
    taken = re.findall(r"give_spell \d+ (\w+)", found.out)
    assert taken
    assert set(taken) == {"unknown"}
