"""What the contract itself does: plans and their differences, players as text, names of before."""

import importlib
import subprocess
import sys

import pytest

import stratagem
from stratagem import OptionError, PlayerText
from stratagem._former import FORMER
from stratagem.contract.game import Position

TICTACTOE = stratagem.game("tictactoe")


def test_differences_are_the_parts_that_not_all_plans_have():
    start = TICTACTOE.start()
    assert start.differences(["a;b;c", "a;c;d", "c;a"]) == [["b"], ["d"], []]
    assert start.differences(["a;a;b", "a;b"]) == [["a"], []]  # twice is more than once
    assert start.differences(["a;b"]) == [[]]
    assert start.differences([]) == []


def test_a_move_is_described_by_its_text_unless_a_game_says_more():
    assert Position.describe(TICTACTOE.start(), "b2", 0) == "b2"
    assert TICTACTOE.start().describe("b2", 0) == "marks b2"


@pytest.mark.parametrize("text", ["strong", "alphabeta:depth=6", "mcts:time=0.2,threads=2", "mcts:solve=false"])
def test_a_player_as_text_reads_back(text):
    assert str(PlayerText.parse(text)) == text


def test_a_list_of_players_keeps_their_own_commas():
    assert [str(who) for who in PlayerText.parse_list("you, mcts:time=1,threads=2,strong")] == [
        "you",
        "mcts:time=1,threads=2",
        "strong",
    ]
    assert PlayerText.parse("mcts:time=1").having(depth=3).options == {"time": 1, "depth": 3}


def test_an_option_without_a_value_is_told():
    with pytest.raises(OptionError, match="'depth' in player 'alphabeta:depth' is not NAME=VALUE"):
        stratagem.player(TICTACTOE, "alphabeta:depth")


def test_a_plan_given_as_text_still_works_for_a_version():
    with pytest.warns(DeprecationWarning, match="declare a Plan"):

        class Old(type(TICTACTOE)):
            plan = "bid"

    assert Old.plan is stratagem.BID
    with (
        pytest.warns(DeprecationWarning, match="declare a Plan"),
        pytest.raises(OptionError, match="'coup'; it is a Plan, or one of move, "),
    ):

        class Odd(type(TICTACTOE)):
            plan = "coup"


@pytest.mark.parametrize("former", FORMER)
def test_a_module_still_imports_under_its_former_name(former):
    code = f"import warnings; warnings.simplefilter('error', ImportWarning); import {former} as m; print(m.__name__)"
    found = subprocess.run(
        [sys.executable, "-W", "always::DeprecationWarning", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert found.returncode == 0, found.stderr
    assert f"{former} is called {FORMER[former]} now" in found.stderr
    assert importlib.import_module(FORMER[former]) is not None


def test_importing_a_former_module_does_not_hide_the_function_of_its_name():
    code = "import stratagem, stratagem.game; from stratagem.game import Game; print(stratagem.game('nim').title)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout.strip()) == (0, "Nim"), found.stderr
