"""A user's mistakes get one clear line."""

import pickle

import pytest

import stratagem
from stratagem import IllegalMove, OptionError, ParseError, StratagemError, UnknownName


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("connect4", "8", "columns go from 1 to 7"),
        ("connect4", "1111111", "column 1 is full"),
        ("connect4", "1" * 60, "the board holds 42"),
        ("connect4", "12121213", "play went on after the end"),
        ("connect4", "4x", "is no column"),
        ("tictactoe", "XX_", "3 x 3"),
        ("tictactoe", "XXZ______", "cells are X, O or _"),
        ("tictactoe", "XXX______", "X has as many"),
        ("tictactoe", "XXXOOO___", "lines of both"),
        ("tictactoe", "XXX_OO_O_", "play went on after the end"),
        ("nim", "3,4,9", "starts with 5"),
        ("nim", "3,4", "3 heaps"),
        ("nim", "3,4,5 third", "first or second"),
        ("pig", "3,4 nobody 3", "no seat is called"),
        ("pig", "3 first 3", "is not like"),
        ("pig", "100,100 first 3", "play went on after the end"),
    ],
)
def test_a_position_that_is_none_says_why(name, text, says):
    with pytest.raises(ParseError, match=says):
        stratagem.game(name).parse(text)


@pytest.mark.parametrize(
    ("name", "position", "move", "says"),
    [
        ("connect4", "", "9", "columns go from 1 to 7"),
        ("connect4", "111111", "1", "column 1 is full"),
        ("tictactoe", "X________", "a1", "already holds X"),
        ("tictactoe", "X________", "d1", "names no cell"),
        ("nim", "3,4,5", "1:9", "from 1 to 3"),
        ("nim", "3,4,5", "7:1", "no heap 7"),
        ("nim", "3,4,5", "hello", "heap:objects"),
        ("pig", "", "hold", "begins with roll"),
        ("pig", "", "jump", "roll or hold"),
    ],
)
def test_an_illegal_move_says_what_would_be_right(name, position, move, says):
    with pytest.raises(IllegalMove, match=says):
        stratagem.game(name).parse(position).play(move)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("connect4", {"width": 0}, "from 1 to 35"),
        ("connect4", {"width": "seven"}, "a whole number"),
        ("connect4", {"wide": 7}, "did you mean width"),
        ("tictactoe", {"line": 4}, "does not fit"),
        ("nim", {"heaps": "1,x"}, "whole numbers with commas"),
        ("nim", {"misere": "perhaps"}, "option misere"),
    ],
)
def test_a_wrong_option_says_what_would_be_right(name, options, says):
    with pytest.raises(StratagemError, match=says):
        stratagem.game(name, **options)


def test_an_unknown_game_names_the_nearest():
    with pytest.raises(UnknownName, match="did you mean connect4"):
        stratagem.game("conect4")


def test_an_unknown_player_names_the_nearest():
    with pytest.raises(UnknownName, match="alphabeta"):
        stratagem.player(stratagem.game("connect4"), "alphabet")
    with pytest.raises(OptionError, match="NAME=VALUE"):
        stratagem.player(stratagem.game("connect4"), "alphabeta:depth")
    with pytest.raises(UnknownName, match="depth"):
        stratagem.player(stratagem.game("connect4"), "alphabeta:dept=3")


def test_a_finished_game_has_no_moves():
    over = stratagem.game("connect4").parse("1212121")
    assert over.over
    assert over.payoff == (1.0, -1.0)
    with pytest.raises(stratagem.GameOver, match="Yellow wins"):
        over.moves()
    with pytest.raises(stratagem.GameOver, match="no move to choose"):
        stratagem.player(over.game, "alphabeta").choose(over, stratagem.Clock(0.1))


def test_an_unknown_name_survives_the_way_from_a_worker_process():
    error = UnknownName("course", "Riski Exchange", ["Risky Exchange", "Twister"])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is UnknownName and str(again) == str(error)


@pytest.mark.parametrize("name", ["connect4", "bidding", "blotto", "minions"])
def test_a_game_that_is_not_over_has_no_payoff_and_can_be_asked_whether_it_has(name):
    position = stratagem.game(name).start(seed=1)
    assert not hasattr(position, "payoff") and getattr(position, "payoff", None) is None
    with pytest.raises(stratagem.NotOver, match="not over"):
        _ = position.payoff


def test_a_beginning_that_no_move_has_is_reported_beside_those_that_moves_have():
    with pytest.raises(IllegalMove, match="no move here begins with 'x'; moves begin with: 4, 3, 5"):
        stratagem.game("connect4").start().parts(["x"])
    with pytest.raises(IllegalMove, match="no move here begins with '1;2'; after '1' comes: nothing"):
        stratagem.game("connect4").start().parts(["1", "2"])
