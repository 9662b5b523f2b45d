"""Python for people: what is asked of a position, objects that travel, and mistakes reported in a line."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
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
    assert stratagem.solve(TICTACTOE.parse("XX_OO____")).best == ("c1",)
    with pytest.raises(StratagemError, match="no solver"):
        stratagem.solve(stratagem.game("minions").start())


def test_a_solution_says_whose_value_it_is_and_has_a_json_form() -> None:
    lost = stratagem.solve(TICTACTOE.parse("XX_OO_X__"))
    assert (lost.value, lost.seat, lost.best) == (1, 1, ("c2",))
    reported = lost.json()
    assert list(reported)[:2] == ["value", "seat"] and reported["best"] == ["c2"]
    assert json.loads(str(lost)) == reported
    assert eval(repr(lost), {"Solution": stratagem.Solution}) == lost


def test_an_auction_and_an_allocation_are_solved_for_the_first_player() -> None:
    auction = stratagem.solve(stratagem.game("bidding", payment="allpay", chips="3,3").start())
    assert auction.seat == 0 and len(auction.strategies) == 2 and auction.exact is not None
    assert all(sum(mixture.values()) == pytest.approx(1) for mixture in auction.strategies)
    split = stratagem.solve(stratagem.game("blotto", units="3,2", values="1,2").start())
    assert split.seat == 0 and split.json()["payoffs"][0] == split.value
    for seat, mixture in enumerate(split.strategies):
        assert sum(mixture.values()) == pytest.approx(1)
        assert set(mixture) <= set(stratagem.game("blotto", units="3,2", values="1,2").start().moves(seat))


@pytest.mark.parametrize(
    ("name", "engine"),
    [("tictactoe", "minimax"), ("bidding", "strong"), ("blotto", "strong"), ("goofspiel", "mcts"), ("draft", "strong")],
)
def test_every_choice_says_whose_values_it_holds(name: str, engine: str) -> None:
    position = stratagem.game(name).start(seed=1)
    reported: list[stratagem.Choice] = []
    for seat in position.asked:
        choice = stratagem.analyse(position, 0.05, engine=engine, seat=seat, report=reported.append)
        assert choice.seat == choice.json()["seat"] == seat and f"seat={seat}" in repr(choice)
        assert all(early.seat == seat for early in reported)
        reported.clear()


def test_both_sides_of_an_equilibrium_are_reported_their_own_payoff() -> None:
    start = stratagem.game("blotto", units="6,2", values="1,2,3").start()
    first, second = (stratagem.analyse(start, engine="strong", seat=seat) for seat in (0, 1))
    assert (first.value, second.value) == pytest.approx(first.details["payoffs"])
    assert first.value != second.value


def test_values_at_chance_are_the_first_seats() -> None:
    start = stratagem.game("pig").start().play("roll")
    assert stratagem.analyse(start, 0.05, engine="expectimax:depth=1").seat == 0


def test_notebooks_show_a_choice_and_a_solution_as_tables() -> None:
    position = TICTACTOE.parse("XX_OO____")
    shown = stratagem.analyse(position, seconds=60, lines=2)._repr_html_()
    assert "value +1 for seat 0" in shown and shown.count("<tr>") == 3 and "<td>c1</td>" in shown
    assert "best: <b>c1</b>" in stratagem.solve(position)._repr_html_()
    odd = stratagem.Choice("<b>", 0.5, (stratagem.Line(("<i>",), 0.5),), {"<u>": 1.0}, seat=1)._repr_html_()
    assert "<i>" not in odd and "<u>" not in odd and "&lt;i&gt;" in odd and "for seat 1" in odd


CONNECT4 = stratagem.game("connect4")
LATE = ["7422341735647741166133573473", "23163416124767223154467471272416755633"]


def test_many_positions_are_solved_by_one_solver() -> None:
    late = [CONNECT4.parse(text) for text in LATE]
    asked = [late[0], TICTACTOE.start(), late[1], late[0]]
    found = stratagem.solve_many(asked)
    for position, solution in zip(asked, found, strict=True):
        alone = stratagem.solve(position)
        assert (solution.value, solution.seat, solution.best) == (alone.value, alone.seat, alone.best)
    assert found[3].nodes < found[0].nodes, "its table was kept"


def test_many_positions_are_shared_out_among_processes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(Path("examples/notakto.py").read_text())
    mine = stratagem.game(str(file)).start()
    asked = [mine, TICTACTOE.start(), mine.play(mine.moves()[0])]
    alone = stratagem.solve_many(asked)
    assert [x.json()["best"] for x in stratagem.solve_many(asked, processes=2)] == [list(x.best) for x in alone]
    choices = stratagem.analyse_many(asked, engine="alphabeta:depth=3", processes=2)
    assert [x.value for x in choices] == [x.value for x in stratagem.analyse_many(asked, engine="alphabeta:depth=3")]


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
        (lambda: stratagem.solve_many(TICTACTOE.start()), "one position is no list"),
        (lambda: stratagem.solve_many(["XX_OO____"]), "'XX_OO____' is no position"),
        (lambda: stratagem.analyse_many([TICTACTOE.start()], processes=0), "0 processes answer nothing"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_reported_in_a_line(slip: Callable[[], Any], says: str) -> None:
    with pytest.raises(StratagemError) as reported:
        slip()
    assert says in str(reported.value) and "\n" not in str(reported.value)
