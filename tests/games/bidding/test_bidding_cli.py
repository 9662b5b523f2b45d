"""Bidding at the command line: answers in JSON, and mistakes reported in one line."""

import json

import pytest
from command import run


def test_solve_prints_value_bids_and_moves():
    code, out, _ = run("solve", "bidding", "--chips", "3,3", "--payment", "allpay", "--json")
    answer = json.loads(out)
    assert code == 0 and (answer["exact"], answer["pure"]) == ("59/96", False)
    assert set(answer) == {"position", "value", "seat", "exact", "bids", "pure", "moves"}


def test_positions_may_hold_any_numbers_of_marks():
    code, out, _ = run("solve", "bidding", "XXX_X____", "--json")
    assert code == 0 and json.loads(out)["value"] == 1


def test_people_see_bars_and_a_picture(tmp_path):
    code, out, _ = run("solve", "bidding", "--svg", str(tmp_path / "answer.svg"))
    assert code == 0 and "bids    1 █" in out and "<svg" in (tmp_path / "answer.svg").read_text()


def test_thresholds_are_fractions():
    code, out, _ = run("bidding", "threshold", "--json")
    answer = json.loads(out)
    assert code == 0 and answer["win_exact"] == "133/256" and answer["critical_bid_exact"] == "41/256"


def test_boards_come_one_a_line():
    code, out, _ = run("bidding", "threshold", "-", stdin="\n____X____\nABC\n")
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 2 and answers[1]["win_exact"] == "23/64" and "error" in answers[2]


CONNECT4 = ("bidding", "--over", "connect4", "--chips", "20,20")


def test_a_game_too_large_to_solve_is_refused():
    code, out, err = run("solve", *CONNECT4)
    assert (code, out) == (2, "") and "too many to list" in err.splitlines()[-1]  # a first run says that it compiles


def test_sampling_search_analyses_bidding_connect_four():
    code, out, _ = run("analyse", *CONNECT4, "--engine", "mcts:simulations=500", "--json")
    answer = json.loads(out)
    assert code == 0 and (answer["engine"], answer["rule"], answer["nodes"]) == ("mcts", "rm", 500)
    assert answer["best"] in answer["strategy"] and sum(answer["strategy"].values()) == pytest.approx(1)


def test_sampling_search_plays_bidding_connect_four():
    code, out, _ = run("play", *CONNECT4, "--seats", "mcts:simulations=200,random", "--seed", "1")
    assert code == 0 and "Yellow wins" in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("solve", "bidding", "--chips=-1,4"), "chips"),
        (("solve", "bidding", "--chips", "4"), "two numbers"),
        (("solve", "bidding", "--over", "pig"), "game of chance"),
        (("solve", "bidding", "--payment", "taxman:1/2"), "not chips"),
        (("solve", "bidding", "--tie", "dice"), "marker"),
        (("solve", "bidding", "XYZ______"), "'Y'"),
        (("solve", "bidding", "--over", "chess"), "unknown game"),
        (("bidding", "threshold", "--payment", "taxman:x"), "tax"),
        (("bidding", "threshold", "--payment", "allpay"), "no threshold"),
        (("bidding", "threshold", "XX"), "cells"),
        (("bidding", "threshold", "--over", "pig"), "game of chance"),
        (("play", "bidding", "--chips=-1,4"), "chips"),
        (("analyse", *CONNECT4, "--engine", "mcts:simulations=0"), "0 simulations"),
        (("analyse", *CONNECT4, "--engine", "mcts:rule=dice"), "duct, rm, exp3"),
    ],
)
def test_mistakes_are_reported_in_one_line(arguments, reason):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and err.count("\n") == 1 and reason in err


def test_the_line_sum_player_shows_what_it_went_by():
    found = run("analyse", "bidding", "XX_OO____", "--engine", "linesum")
    assert "if X wins: c1 +1000  c2 +10" in found.out and "if O wins: c2 +1000" in found.out
    moving = run("analyse", "bidding", "XX_OO____ @ 3*:5 O moves", "--engine", "linesum", "--lines", "5")
    assert moving.out.index("c2    +1.000") < moving.out.index("c1    +0.021") < moving.out.index("b3    +0.002")


def test_more_chips_than_an_auction_can_weigh_are_refused_in_a_line():
    for command in ("analyse", "solve"):
        found = run(command, "bidding", "--chips", "100000,100000")
        assert found.code == 2 and found.err.count("\n") == 1 and "too many" in found.err, found.err
