"""What a newcomer meets: a first answer before anything is compiled, saved games, a game of one's own, small things."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import process, run
from rich.console import Console
from rich.table import Table

import stratagem
from stratagem.cli import ALIASES, COMMANDS
from stratagem.cli import session as sessions
from stratagem.cli.analyse import _SoFar, unlisted
from stratagem.cli.session import Session
from stratagem.cli.solve import answer_in_words
from stratagem.cli.terminal import captioned
from stratagem.contract.player import Choice, Clock, Line, Player, PlayerText, Request, Solution
from stratagem.readiness import preliminary
from stratagem.registry import players
from stratagem.rng import generator
from stratagem.store.record import Record


def test_a_small_position_is_solved_without_compiling(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found = run("solve", "tictactoe", "XX_OO____", STRATAGEM_CACHE=str(cache))
    assert found.code == 0 and "\nX wins in 1 ply: c1\n" in found.out
    assert not list(cache.rglob("*.code"))


def test_an_analysis_from_an_empty_cache_shows_a_preliminary_answer(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    asked = ("analyse", "nim", "1,2,3", "--seconds", "0.1", "--depth", "2")
    found = process(*asked, STRATAGEM_CACHE=cache)
    assert found.code == 0 and "a preliminary answer, by the interpreter" in found.err
    assert re.search(r"preliminary.*, depth 2,", found.err)  # no deeper than was asked
    again = process(*asked, STRATAGEM_CACHE=cache)
    assert again.code == 0 and "preliminary answer" not in again.err


@pytest.mark.parametrize(
    ("position", "found", "said"),
    [
        ("_________", Solution(0, 0, ("a1", "b2")), "a draw; X keeps it with a1, b2"),
        ("XXXOO____", Solution(-1, 1, (), 0), "the game is over: X wins"),
        ("XX_OO____", Solution(1, 0, ("c1",), 1), "X wins in 1 ply: c1"),
        ("XX_O_____", Solution(-1, 1, ("c1",), 2), "X wins in 2 plies; the longest defence: c1"),
        ("XX_O_____", Solution(1, 1), "O wins"),
    ],
)
def test_a_solution_is_reported_in_words(position: str, found: Solution, said: str) -> None:
    assert answer_in_words(stratagem.game("tictactoe").parse(position), found) == said


def test_a_solution_in_other_units_says_what_the_position_is_worth() -> None:
    at = stratagem.game("othello", size=4, payoff="discs").start()
    assert answer_in_words(at, Solution(-8, 0, ("b1",), None)) == "worth -8 to X: b1"
    assert "off by 0.5 at most" in answer_in_words(at, Solution(2.5, 0, within=0.5))


def test_a_mixture_that_is_not_shown_whole_says_its_share() -> None:
    mixed = {"1": 0.5, "2": 0.3, "3": 0.2, "4": 0.0}
    lines = tuple(Line((move,), 0.0, probability=p) for move, p in mixed.items())
    cut = Choice("1", 0.0, lines=lines[:2], strategy=mixed)
    assert unlisted(cut) == "these are 80.0% of a mixture of 3 moves; --lines 3 shows all"
    assert unlisted(replace(cut, lines=lines[:3])) == "" and unlisted(replace(cut, strategy=None)) == ""


def test_the_time_of_a_search_that_is_watched_runs_between_its_reports() -> None:
    at = stratagem.game("tictactoe").start()
    watched = _SoFar(at, None)
    watched.report(Choice("b2", 0.0, lines=(Line(("b2",), 0.0),), seconds=2.0, engine="mcts"))
    watched.at -= 3.0  # as if it had been so long ago
    console = Console(width=100, file=io.StringIO())
    console.print(watched)
    assert "values for X; mcts, 5.0" in console.file.getvalue()


def test_a_caption_takes_the_width_of_the_terminal() -> None:
    console = Console(width=60, file=io.StringIO())
    table = Table("a", box=None)
    table.add_row("1")
    console.print(captioned("values for X; mcts, 12,345 nodes, 2.00 s", table))
    assert console.file.getvalue().splitlines()[0] == "values for X; mcts, 12,345 nodes, 2.00 s"


def test_a_preliminary_answer_searches_no_deeper_than_was_asked() -> None:
    at = stratagem.game("connect4").start()
    found = preliminary(PlayerText.parse("alphabeta:depth=2"), at, 0)
    assert found is not None and found.depth == 2
    sampled = preliminary(PlayerText.parse("mcts:simulations=5"), at, 0)
    assert sampled is not None and sampled.nodes == 5


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("hex", "medium"),
        ("bidding", "strong"),
        ("draft", "strong"),
        ("minions", "strong"),
        ("risk", "strong"),
        ("roborally", "strong"),
    ],
)
def test_a_preliminary_answer_is_a_legal_move_with_nothing_compiled(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    game = stratagem.game(name)
    start = game.start(seed=3)
    seat = start.asked[0]
    found = preliminary(PlayerText.parse(engine), start.view(seat), seat, 3)
    assert found is not None and found.engine
    _is_legal(start, seat, found.move)
    assert not list((tmp_path / "cache").rglob("*.code"))


def _is_legal(position: stratagem.Position, seat: int, move: str) -> None:
    """Raise where it is not."""
    if len(position.asked) == 1:
        position.play(move)
    else:
        plans = [position.sample(generator(1), p) for p in range(position.game.players)]
        plans[seat] = move
        position.play(plans)


def test_while_an_engine_is_compiled_a_cheaper_way_makes_its_move_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sessions, "LONGEST_WAIT", 0.0)
    game = stratagem.game("draft")
    record = Record.of(game.start(), ["kth", "you", "kth"], 1)
    session = Session.of(record, tmp_path / "game.json", Clock())
    monkeypatch.setattr(session.order, "waiting", ["kth"])
    session.step()
    said = capsys.readouterr().out
    assert "kth is still being compiled; its move is made by greedy picks, in the interpreter" in said
    assert "player 1 plays apple" in said


def test_draft_engines_compare_as_many_picks_as_they_are_asked_for() -> None:
    game = stratagem.game("draft")
    for engine in ("greedy", "exact", "strong"):
        choice = stratagem.analyse(game.start(), engine=engine, lines=3)
        assert len(choice.lines) == 3 and choice.move == choice.lines[0].moves[0]
        for line in choice.lines:
            assert len(line.moves) == 9, "the draft to its end"
            last = game.replay(line.moves)
            assert last.over and last.payoff[0] == pytest.approx(line.value)
    assert choice.lines[0].value == max(line.value or 0.0 for line in choice.lines)


def test_moves_are_played_from_a_position_wherever_one_is_taken(tmp_path: Path) -> None:
    assert (
        run("draw", "tictactoe", "--moves", "b2,a1").out
        == stratagem.game("tictactoe").replay(["b2", "a1"]).svg() + "\n"
    )
    assert json.loads(run("solve", "tictactoe", "--moves", "a1 a2 b1 b2", "--json").out)["best"] == ["c1"]
    wrong = run("analyse", "connect4", "--moves", "4 9")
    assert wrong.code == 2 and "move 2, '9': '9' is no column" in wrong.err


def test_a_picture_that_cannot_be_written_is_refused_before_the_search() -> None:
    for command in ("analyse", "solve"):
        found = run(command, "connect4", "--svg", "/nowhere/x.svg")
        assert found.code == 2 and "there is no folder '/nowhere'" in found.err and found.out == ""


def test_saved_games_are_listed_and_resumed_by_number(tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path)}
    assert "no game is saved yet" in run("saved", **home).out
    run("play", "nim", "--seats", "you,you", stdin="1:1\nquit\n", **home)
    assert "nim" in run("saved", **home).out
    for said in (("--resume",), ("--resume", "1"), ("nim", "--resume")):
        found = run("play", *said, stdin="back\nback\nquit\n", **home)
        assert found.code == 0, found.err
        assert "there is nothing to take back" in found.out
        run("play", "--resume", stdin="1:1\nquit\n", **home)
    assert "there is no saved game 7" in run("play", "--resume", "7", **home).err
    assert "no unfinished game of pig" in run("play", "pig", "--resume", **home).err


def test_a_new_game_plays_conforms_and_is_not_written_over(tmp_path: Path) -> None:
    assert run("new", "river", "--folder", tmp_path).code == 0
    file = tmp_path / "river.py"
    found = run("conform", file, "--games", "3")
    assert found.code == 0, found.err
    assert "river conforms: 3 random games" in found.out and "not checked: value" in found.out
    assert json.loads(run("solve", file, "--sticks", "6", "--json").out)["best"] == ["2"]
    assert "is there already" in run("new", "river", "--folder", tmp_path).err
    assert "cannot be called 'my game'" in run("new", "my game").err


def test_records_of_a_file_game_are_found_from_anywhere_and_a_changed_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("new", "brook", "--folder", tmp_path)
    monkeypatch.chdir(tmp_path)
    run("play", "brook.py", "--seats", "you,you", stdin="2\nquit\n", XDG_DATA_HOME=str(tmp_path))
    monkeypatch.chdir(os.sep)
    (saved,) = (tmp_path / "stratagem").glob("*.json")
    record = Record.load(saved)
    assert record.position().history == ("2",) and Path(record.game).is_absolute() and len(record.digest) == 16
    source = tmp_path / "brook.py"
    source.write_text(source.read_text() + "\n# changed\n")
    record.moves = ["9"]
    with pytest.raises(stratagem.StratagemError, match="has changed since the game was saved"):
        record.position()


def test_levels_of_a_game_without_an_estimate_are_tree_search() -> None:
    levels = stratagem.players(stratagem.game("connect4"))
    assert (
        "mcts" in levels["medium"].summary
        and "alphabeta" in stratagem.players(stratagem.game("othello"))["medium"].summary
    )
    assert "alphabeta" in stratagem.players(stratagem.game("tictactoe"))["medium"].summary, "its end is in sight"


def test_a_word_left_out_and_a_file_that_is_not_there_say_what_would_be_right() -> None:
    assert run("analyse").err == "stratagem: Missing argument 'game'; stratagem analyse --help says what it takes\n"
    assert run("blotto", "solve").err.endswith("'--units'; stratagem blotto solve --help says what it takes\n")
    for command in (("review", "nothing.json"), ("play", "--resume", "nothing.json"), ("export", "nothing.json")):
        found = run(*command)
        assert found.code == 2, command
        assert "'nothing.json' is no file, and no number of the list of `stratagem saved`" in found.err


def test_small_things_of_the_command_line(tmp_path: Path) -> None:
    assert run("--version").out.startswith("stratagem ")
    assert run("cache").out.count("Usage:") == 1
    assert "<bool>" not in run("analyse", "--help").out
    assert run("draw", "tictactoe", "--out", "-").out.startswith("<svg")
    assert "takes time, depth" in run("games", "othello").out
    match = ("arena", "run", "nim/random", "nim/easy", "--heaps", "1,2", "--games", "2", "--json")
    found = run(*match, "--store", tmp_path / "store.sqlite")
    assert found.code == 0, found.err
    shown = run("arena", "show", "--json", "--store", tmp_path / "store.sqlite")
    assert json.loads(shown.out.splitlines()[0])["options"]["heaps"] == [1, 2]


def test_the_help_lists_every_command_in_groups_and_imports_none_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    script = (
        "import sys, stratagem.cli as cli\ntry: cli.main(['--help'])\nexcept SystemExit: print(*sorted(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    text, _, loaded = found.stdout.rstrip().rpartition("\n")
    assert {name for name in loaded.split() if name.startswith("stratagem.cli.")} <= {"stratagem.cli.options"}
    listed = re.findall(r"^  (\S+)  +\S", text, re.M)
    assert set(listed) == set(COMMANDS) - ALIASES and len(listed) == len(set(listed))
    assert text.index("\nPlay:") < text.index("\nPositions:") < text.index("\nThis installation:")


def test_an_engine_loads_no_search_but_its_own() -> None:
    code = "import sys, stratagem as s; s.player(s.game('othello'), 'alphabeta'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    loaded = {name.split(".")[2] for name in done.stdout.split() if name.startswith("stratagem.search.")}
    assert "alphabeta" in loaded and not loaded & {"tree", "staged", "whole_turns", "minimax"}, done.stderr


@pytest.mark.parametrize(("name", "options"), [("tictactoe", {}), ("goofspiel", {"cards": "3"})])
def test_reports_of_a_tree_search_say_how_long_it_has_searched(name: str, options: dict[str, str]) -> None:
    position = stratagem.game(name, **options).start(seed=1)
    times: list[float] = []
    engine = players(position.game)["mcts"].make(position.game, simulations=400, target="python", seed=1)
    engine.choose(position.view(0), Clock(), seat=0, report=lambda choice: times.append(choice.seconds))
    assert times and all(times) and times == sorted(times)


def test_a_hint_out_of_a_mixture_says_how_often_it_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = stratagem.game("bidding", over="tictactoe", payment="allpay", chips="2,2")
    start = game.start()

    class Mixes(Player):
        name = "mixes"

        def answer(self, request: Request) -> Choice:
            return Choice("1", 0.0, strategy={"0": 0.75, "1": 0.25})

    session = Session(start, ["you", "random"], {}, Clock(), 1, tmp_path / "game.json")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sessions, "player", lambda *given, **named: Mixes())
        patched.setattr(Session, "ready", lambda *given: True)
        session.hint(start, 0)
    session.compilers.close()
    assert "would play 25.0% of the time; this time 1" in capsys.readouterr().out
