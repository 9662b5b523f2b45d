"""What a newcomer meets: a first answer before anything is compiled, saved games, a game of one's own, small things."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import process, run

import stratagem
from stratagem.cli import session as sessions
from stratagem.cli.first_look import first_look
from stratagem.cli.session import Session
from stratagem.contract.player import Clock, PlayerText
from stratagem.rng import generator
from stratagem.store.record import Record


def test_a_small_position_is_solved_without_compiling(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found = run("solve", "tictactoe", "XX_OO____", STRATAGEM_CACHE=str(cache))
    assert found.code == 0 and 'best: ["c1"]' in found.out
    assert not list(cache.rglob("*.code"))


def test_an_analysis_from_an_empty_cache_shows_a_first_look(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    found = process("analyse", "nim", "1,2,3", "--seconds", "0.1", STRATAGEM_CACHE=cache)
    assert found.code == 0 and "a first look, by the interpreter" in found.err
    again = process("analyse", "nim", "1,2,3", "--seconds", "0.1", STRATAGEM_CACHE=cache)
    assert again.code == 0 and "first look" not in again.err


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
def test_a_first_look_is_a_legal_move_with_nothing_compiled(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path / "cache"))
    game = stratagem.game(name)
    start = game.start(seed=3)
    seat = start.asked[0]
    found = first_look(game, PlayerText.parse(engine), start.view(seat), seat, 3)
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
    monkeypatch.setattr(sessions, "PATIENCE", 0.0)
    game = stratagem.game("draft")
    record = Record.of(game.start(), ["kth", "you", "kth"], 1)
    session = Session.of(record, tmp_path / "game.json", Clock())
    monkeypatch.setattr(session.ahead, "waiting", ["kth"])
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


def test_records_of_a_file_game_are_found_from_anywhere_and_a_changed_file_is_told(
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
