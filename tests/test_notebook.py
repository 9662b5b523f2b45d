"""The board of a notebook, driven as its page drives it: by messages, without any server."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from web.serving import KUHN, OTTERS

import stratagem
from stratagem.errors import OptionError, Untrusted
from stratagem.rng import generator
from stratagem.store.record import Record

pytest.importorskip("anywidget", reason="anywidget is not installed (pip install 'stratagem[notebook]')")

from stratagem.notebook import Board


def click(board: Board, **message: object) -> None:
    """What the page sends when something is clicked."""
    board._heard(board, message, [])


def test_a_click_plays_and_the_engine_answers() -> None:
    board = Board("tictactoe", seats=["you", "random"], seed=3)
    assert "<svg" in board.svg and 'data-part="b2"' in board.svg and "b2" in board.offered
    click(board, do="choose", text="b2")
    assert board.ply == 2 and board.moves[0] == "b2" and board.trouble == ""
    click(board, do="choose", text="b2")
    assert board.trouble and board.ply == 2, "a refusal is shown on the page, and changes nothing"


def test_a_whole_game_is_played_to_its_end_and_saved(tmp_path: Path) -> None:
    board = Board("connect4", seats=["you", "random"], seed=1)
    while not board.position.over:
        click(board, do="choose", text=board.offered[0])
    assert "wins" in board.status or "draw" in board.status
    board.record().save(tmp_path / "game.json")
    again = Board.of_record(tmp_path / "game.json")
    assert again.position == board.position and again.moves == board.moves


def test_a_record_is_stepped_through_and_left_for_another_line() -> None:
    game = stratagem.game("tictactoe")
    board = Board.of_record(Record("tictactoe", dict(game.chosen), ["a1", "b2", "c3"]))
    assert board.ply == 3
    click(board, do="look", ply=1)
    assert board.position == game.replay(["a1"]) and board.moves == ["a1", "b2", "c3"]
    click(board, do="choose", text="b1")
    assert board.moves == ["a1", "b1"] and board.ply == 2
    click(board, do="look", ply=99)
    assert "there is no ply 99" in board.trouble


def test_a_record_does_not_run_the_python_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('ran').touch()\nfrom stratagem.games.nim import Nim\n"
        "class Mine(Nim):\n    name = 'mine'\n"
    )
    record = Record(str(tmp_path / "mine.py"), {}, [stratagem.game("nim").start().moves()[0]])
    record.save(tmp_path / "game.json")
    for given in (record, tmp_path / "game.json"):
        with pytest.raises(Untrusted, match="trust=True"):
            Board.of_record(given)
    assert not (tmp_path / "ran").exists()
    assert Board.of_record(record, trust=True).ply == 1 and (tmp_path / "ran").exists()


def test_a_move_of_many_parts_grows_and_shrinks() -> None:
    board = Board(OTTERS, seats=["you", "random"], seed=2)
    click(board, do="choose", text="raise")
    assert board.parts == ["raise"] and board.offered[:2] == ["1", "2"] and board.ply == 1
    click(board, do="undo")
    assert board.parts == [] and "fold" in board.offered
    click(board, do="choose", text="raise;3")
    assert board.position.over and board.moves[1].startswith("raise;3 | ")


def test_secret_moves_are_revealed_together_and_never_shown_before() -> None:
    board = Board("goofspiel", seats=["you", "you"])
    click(board, do="choose", text="4")
    assert board.ply == 0 and board.seat == 1 and board.moves == []
    click(board, do="choose", text="3")
    assert board.moves[0] == "4 | 3"


def test_an_engine_thinks_in_the_background_and_stops_when_reported() -> None:
    board = Board("tictactoe")
    board.analyse("mcts:simulations=200", seconds=5)
    until = time.monotonic() + 60
    while board.thinking and time.monotonic() < until:
        time.sleep(0.02)
    assert board.thoughts and board.thoughts[0]["move"] in board.offered and board.trouble == ""
    board.analyse("mcts", seconds=60)
    click(board, do="stop")
    assert not board.thinking
    board._thread.join(30)
    assert not board._thread.is_alive()


def test_hidden_hands_stay_hidden() -> None:
    board = Board(KUHN, seats=["you", "random"], seed=2)
    assert board.svg == board.position.view(0).svg() and board.svg != board.position.svg()


def test_seats_must_fit() -> None:
    with pytest.raises(OptionError, match="3 seats are filled"):
        Board("tictactoe", seats=["you", "you", "you"])
    assert Board(stratagem.game("nim").start().play(stratagem.game("nim").start().sample(generator(1)))).ply == 0
