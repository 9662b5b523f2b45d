"""Python for people: what is asked of a position, objects that travel, and slips told in a line."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import stratagem
from stratagem import Clock, StratagemError

TICTACTOE = stratagem.game("tictactoe")


def test_a_position_is_analysed_in_one_call() -> None:
    choice = stratagem.analyse(TICTACTOE.parse("XX_OO____"), seconds=60, lines=2)
    assert (choice.move, choice.value, len(choice.lines)) == ("c1", 1.0, 2)


def test_an_analysis_streams_and_its_last_word_is_the_choice() -> None:
    found = list(stratagem.analysing(TICTACTOE.start(), seconds=60))  # it ends by itself at depth 9
    assert len(found) > 2 and [choice.depth for choice in found[:3]] == [1, 2, 3]
    assert found[-1].value == 0.0 and found[-1].depth == 9


def test_an_error_of_a_streamed_analysis_reaches_the_one_who_reads_it() -> None:
    with pytest.raises(stratagem.UnknownName, match="unknown player"):
        list(stratagem.analysing(TICTACTOE.start(), engine="nobody"))


def test_a_position_is_solved_in_one_call() -> None:
    assert stratagem.solve(TICTACTOE.parse("XX_OO____"))["best"] == ["c1"]
    with pytest.raises(StratagemError, match="no solver"):
        stratagem.solve(stratagem.game("minions").start())


def test_one_player_answers_again_and_again() -> None:
    engine = stratagem.player(TICTACTOE, "alphabeta:depth=2")
    assert stratagem.analyse(TICTACTOE.start(), engine=engine).depth == 2


@pytest.mark.parametrize("name", ["connect4", "bidding", "blotto", "draft", "minions", "risk", "roborally"])
def test_games_and_players_pickle_copy_and_show_how_to_make_them_again(name: str) -> None:
    game = stratagem.game(name)
    engine = stratagem.player(game, "random", seed=7)
    for again in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game), eval(repr(game))):
        assert again == game and again.start(seed=1) == game.start(seed=1)
    start = game.start(seed=1)
    seat = start.asked[0]
    moves = set()
    for same in (engine, pickle.loads(pickle.dumps(engine)), copy.deepcopy(engine), eval(repr(engine))):
        moves.add(same.choose(start.view(seat), Clock(0.0), seat=seat).move)
    assert len(moves) == 1, "they have the same seed"


@pytest.mark.parametrize(
    ("slip", "says"),
    [
        (lambda: stratagem.game(4), "4 is no game's name"),
        (lambda: stratagem.player("connect4", "strong"), "'connect4' is no game"),
        (lambda: stratagem.player(TICTACTOE, 3), "3 is no player's name"),
        (lambda: stratagem.analyse("XX_OO____"), "'XX_OO____' is no position"),
        (lambda: stratagem.analyse(TICTACTOE.start(), "1"), "a clock takes a number of seconds, not '1'"),
        (lambda: TICTACTOE.parse(5), "5 is no text"),
        (lambda: TICTACTOE.start().play(5), "5 is no text"),
        (lambda: stratagem.game("goofspiel").start(seed=0).play([1, 2]), "1 is no text"),
        (lambda: Clock("2"), "a clock takes a number"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_told_in_a_line(slip: Callable[[], Any], says: str) -> None:
    with pytest.raises(StratagemError) as told:
        slip()
    assert says in str(told.value) and "\n" not in str(told.value)
