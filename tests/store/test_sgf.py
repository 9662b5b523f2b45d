"""Board games in SGF: what is written reads back, in the forms that the standard has."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

import stratagem
from stratagem.contract.companions.wording import Wording
from stratagem.rng import generator
from stratagem.store.record import Record
from stratagem.store.sgf import read_sgf, write_sgf, written

BOARDS = [
    ("tictactoe", {}),
    ("tictactoe", {"rows": 4, "columns": 5, "line": 4}),
    ("hex", {"size": 5}),
    ("othello", {"size": 6}),
    ("connect4", {}),
    ("connect4", {"width": 9, "height": 4, "line": 3}),
    ("breakthrough", {}),
    ("breakthrough", {"rows": 6, "columns": 5, "ranks": 1}),
]


def test_all_board_games_are_written() -> None:
    assert set(written()) == {"tictactoe", "hex", "othello", "connect4", "breakthrough"}


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_random_games_read_back(name: str, options: dict[str, int]) -> None:
    game = stratagem.game(name, **options)
    for seed in range(5):
        position, rng = game.start(), generator(seed)
        while not position.over:
            position = position.play(position.sample(rng))
        record = Record.of(position, ["Ann", "Ben"], 0, Wording.of(game).outcome(position))
        again = read_sgf(write_sgf(record))
        assert (again.moves, again.options, again.seats) == (record.moves, record.options, ["Ann", "Ben"])
        assert again.ended == record.ended and again.position() == position


def test_connect_four_names_the_cell_in_which_a_stone_comes_to_rest() -> None:
    position = stratagem.game("connect4").replay(["4", "4", "1"])
    sgf = write_sgf(Record.of(position, ["Ann", "Ben"], 0))
    assert sgf == "(;FF[4]GN[connect4]SZ[7:6]PB[Ann]PW[Ben]\n;B[df]\n;W[de]\n;B[af])\n"


def test_breakthrough_names_the_cells_a_step_goes_from_and_to_and_white_begins() -> None:
    position = stratagem.game("breakthrough").replay(["b2-a3", "g7-g6"])
    sgf = write_sgf(Record.of(position, ["Ann", "Ben"], 0))
    assert sgf == "(;FF[4]GN[breakthrough]SZ[8]PW[Ann]PB[Ben]\n;W[bg:af]\n;B[gb:gc])\n"


def test_rules_that_are_no_size_are_written_as_rules() -> None:
    position = stratagem.game("connect4", width=5, height=5, line=3).replay(["1"])
    assert "SZ[5]RU[line=3]" in write_sgf(Record.of(position, [], 0))


def test_only_the_main_line_is_read_and_brackets_in_comments_do_no_harm() -> None:
    text = "(;FF[4]GN[hex]SZ[5]C[a (comment\\] with ; and )]\n;B[aa]C[;W[bb\\]](;W[bb];B[cc])(;W[dd]))"
    assert read_sgf(text).moves == ["a1", "b2", "c3"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello", "is not SGF"),
        ("(;FF[4]GM[1]SZ[19];B[aa])", r"\(GM\[1\]\) is not known; .*connect4"),
        ("(;GN[connect4]SZ[big];B[af])", r"SZ\[big\] is no size"),
        ("(;GN[connect4];B[aa])", r"node 1 of this SGF, B\[aa\]: no legal move is written so; af"),
        ("(;GN[connect4];W[af])", "W moves, and it is B's turn"),
        ("(;GN[othello]AB[aa];B[dc])", "sets up a position of its own"),
        ("(;GN[tictactoe];B[aa];W[ba];B[ab];W[bb];B[ac];W[bc])", "the game is over, and a move follows"),
    ],
)
def test_what_is_wrong_with_a_record_is_reported(text: str, says: str) -> None:
    with pytest.raises(stratagem.StratagemError, match=says):
        read_sgf(text)


def test_the_command_line_writes_and_reads_sgf(tmp_path: Path) -> None:
    file, sgf, back = tmp_path / "game.json", tmp_path / "game.sgf", tmp_path / "back.json"
    Record.of(stratagem.game("breakthrough").replay(["b2-a3", "g7-g6"]), ["you", "easy"], 1).save(file)
    assert run("export", file, "--as", "sgf", "--out", sgf).code == 0
    assert run("export", sgf, "--as", "json", "--out", back).code == 0
    assert Record.load(back).position() == Record.load(file).position()
    assert "b2-a3" in run("export", sgf).out
