"""What the contract itself does: plans and their differences, players as text."""

import pytest
from toys.race import Race

import stratagem
from stratagem import OptionError, PlayerText
from stratagem.contract.companions.editing import Editing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import COMPANIONS, ArrayGame, ArrayPosition, Game, Position

TICTACTOE = stratagem.game("tictactoe")


def test_differences_are_the_parts_that_not_all_plans_have():
    start = TICTACTOE.start()
    assert Wording().differences(start, ["a;b;c", "a;c;d", "c;a"]) == [["b"], ["d"], []]
    assert Wording().differences(start, ["a;a;b", "a;b"]) == [["a"], []]  # twice is more than once
    assert Wording().differences(start, ["a;b"]) == [[]]
    assert Wording().differences(start, []) == []


def test_a_move_is_described_by_its_text_unless_a_game_says_more():
    assert Wording().describe(TICTACTOE.start(), "b2", 0) == "b2"
    assert TICTACTOE.describe(TICTACTOE.start(), "b2", 0) == "marks b2"


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


def test_an_option_without_a_value_is_reported():
    with pytest.raises(OptionError, match="'depth' in player 'alphabeta:depth' is not NAME=VALUE"):
        stratagem.player(TICTACTOE, "alphabeta:depth")


def test_a_plan_given_as_text_is_refused():
    with pytest.raises(OptionError, match="'bid'; it is a Plan, such as"):

        class Odd(type(TICTACTOE)):
            plan = "bid"


def test_a_companion_is_declared_and_a_game_without_it_gets_the_default() -> None:
    assert isinstance(TICTACTOE, Editing) and Editing.of(TICTACTOE) is TICTACTOE
    race = Race()
    assert not isinstance(race, Editing) and Editing.of(race).sheet(race.start()) is None


def test_a_companions_method_without_the_companion_is_refused() -> None:
    with pytest.raises(OptionError, match=r"defines `sheet`, which belongs to Editing: declare it"):
        type("Forgetful", (Race,), {"sheet": lambda self, position: None})
    with pytest.raises(OptionError, match=r"defines `trace`, which belongs to Drawing: define it in the game"):
        type("Misplaced", (ArrayPosition,), {"trace": lambda self, move, mover: ()})


def test_companions_share_no_names_with_the_contract_or_each_other() -> None:
    given = [name for companion in COMPANIONS for name in vars(companion) if not name.startswith("_")]
    assert len(given) == len(set(given))
    assert not {*given} & {*vars(Game), *vars(Position), *vars(ArrayGame), *vars(ArrayPosition)}
