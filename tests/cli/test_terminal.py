"""Terminal play as people do it, mistakes included: typed into a real terminal, read from its screen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.terminals import Terminal

pytestmark = pytest.mark.slow
Sits = Callable[..., Terminal]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sits]:
    """Sit down at a game; whatever happens, the terminal is closed at the end."""
    opened: list[Terminal] = []

    def open_one(*arguments: str) -> Terminal:
        opened.append(Terminal(tmp_path, "play", *arguments))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()


def test_tictactoe_is_won_the_line_is_marked_and_a_rematch_with_other_seats_begins(sit: Sits) -> None:
    terminal = sit("tictactoe", "--seats", "you,you")
    terminal.sees("A move is a cell")
    for move in ("a1", "a2", "b1", "b2"):
        terminal.type(move)
    terminal.type("zz")
    terminal.sees("zz")
    terminal.type("c1")
    terminal.sees("the game is over: X wins")
    shown = terminal.screen(with_colours=True)
    assert len(re.findall(r"\x1b\[[\d;]*\b7m", shown)) >= 3, "the winning line stands out"
    terminal.sees("what now>")
    terminal.type("what?")
    terminal.sees("again, swap (seats), review")
    terminal.type("review")
    terminal.sees("accuracy")
    terminal.type("swap")
    terminal.sees("seed ", times=2)
    terminal.type("b2")
    terminal.type("quit")
    terminal.sees("saved; go on with")


def test_connect_four_refuses_slips_completes_words_takes_back_and_resigns(sit: Sits, tmp_path: Path) -> None:
    terminal = sit("connect4", "--level", "random", "--seed", "1")
    terminal.sees("Yellow>")
    terminal.type("9")
    terminal.sees("'9' is no column; columns go from 1 to 7")
    terminal.type("moves")
    terminal.sees("1 2 3 4 5 6 7", times=2)
    terminal.type("4")
    terminal.sees("Red plays")
    terminal.press("b", "a", "c", "Tab")
    terminal.sees("Yellow> back")
    terminal.press("Enter")
    terminal.press("Up")
    terminal.sees("Yellow> back", times=2)
    terminal.press("Enter")
    terminal.sees("there is nothing to take back")
    terminal.type("resign")
    terminal.sees("the game is over: Yellow resigned")
    (file,) = (tmp_path / "stratagem").glob("*.json")
    assert json.loads(file.read_text())["ended"] == "Yellow resigned"


def test_a_game_is_resumed_without_its_path_and_taken_back_afterwards(sit: Sits) -> None:
    terminal = sit("connect4", "--level", "random", "--seed", "1")
    terminal.sees("Yellow>")
    terminal.type("4")
    terminal.sees("Red plays")
    terminal.press("C-c")
    terminal.sees("saved; go on with")
    terminal.close()
    again = sit("--resume")
    again.sees("Yellow>")
    assert "Y" in again.screen()
    again.type("back")
    again.type("back")
    again.sees("there is nothing to take back")


def test_hex_names_its_edges_and_gives_a_hint(sit: Sits) -> None:
    terminal = sit("hex", "--size", "4", "--level", "random")
    terminal.sees("X joins the upper and the lower edge")
    terminal.type("rules")
    terminal.sees("always succeeds")
    terminal.type("hint")
    terminal.sees("places a stone on")  # by the engine, or by the interpreter while it is compiled
    terminal.type("b2")
    terminal.sees("O plays")
    terminal.type("b2")
    terminal.sees("b2", times=2)
    terminal.press("C-l")
    terminal.sees("X>")


def test_pig_rolls_other_dice_each_time(sit: Sits) -> None:
    first = sit("pig", "--level", "random")
    first.sees("first>")
    first.type("rol")
    first.sees("'rol'")
    first.type("roll")
    first.sees("chance:")
    first.type("quit")
    seeds = {line for line in first.screen().splitlines() if line.startswith("seed ")}
    second = sit("pig", "--level", "random")
    second.sees("first>")
    assert not seeds & set(second.screen().splitlines())


def test_bidding_explains_the_marker(sit: Sits) -> None:
    terminal = sit("bidding", "--level", "random", "--seed", "2")
    terminal.sees("which decides equal bids")
    terminal.type("five")
    terminal.sees("'five'")
    terminal.type("9")
    terminal.sees("X>", times=3)
    terminal.type("1")
    terminal.sees("revealed: 1 |")


def test_roborally_takes_names_of_cards_and_tells_the_turn(sit: Sits) -> None:
    terminal = sit("roborally", "--robots", "2", "--seats", "you,random", "--seed", "1")
    terminal.sees("A>")
    terminal.type("m9 left")
    terminal.sees("'m9' in 'm9 left' is no card")
    terminal.type("1 2")
    terminal.sees("has 2 cards; 5 registers are open")
    hand = next(line for line in terminal.screen().splitlines() if line.startswith("A:")).rpartition("hand ")[2].split()
    names = {"U": "u", "L": "left", "R": "right", "B": "back", "1": "m1", "2": "m2", "3": "m3"}
    terminal.type(" ".join(names[card.partition("=")[2]] for card in hand[:5]))
    terminal.sees("register 1: ")
    terminal.sees("revealed: ")


def test_risk_shows_neighbours_and_places_armies_in_words(sit: Sits) -> None:
    terminal = sit("risk", "--level", "random", "--seed", "4")
    terminal.sees("A>")
    terminal.type("look atlantis")
    terminal.sees("look atlantis", times=2)
    terminal.type("look alaska")
    terminal.sees("next to it:")
    assert "kamchatka" in terminal.screen().partition("next to it:")[2].partition("\n")[0]
    terminal.press("a", "l", "a", "s", "Tab")
    terminal.sees("A> alaska")
    terminal.press("Enter")
    terminal.sees("B plays")


def test_a_minions_turn_is_typed_part_by_part(sit: Sits) -> None:
    terminal = sit("minions", "--seats", "you,random", "--seed", "1")
    terminal.sees("Yellow>")
    terminal.type("board 0 move d2e9")
    terminal.sees("'board 0 move d2e9'")
    terminal.type("tech 1")
    terminal.type("board 0 move c1c0")
    terminal.sees("Yellow (2 parts)>")
    terminal.type("board")
    terminal.sees("Z+")
    terminal.type("drop")
    terminal.sees("dropped board 0 move c1c0")
    terminal.type("parts")
    terminal.sees("board 1 move:")
    terminal.type("done")
    terminal.sees("Blue plays")


def test_nim_and_its_list_of_saved_games(sit: Sits, tmp_path: Path) -> None:
    terminal = sit("nim", "3,4,5", "--level", "random", "--seed", "1")
    terminal.sees("first>")
    terminal.type("2:9")
    terminal.sees("9 objects cannot be taken from heap 2")
    terminal.type("2:1")
    terminal.sees("second plays")
    terminal.type("quit")
    terminal.sees("saved; go on with")
    listing = Terminal(tmp_path, "saved")
    try:
        assert "nim" in listing.sees("you, random")
    finally:
        listing.close()
