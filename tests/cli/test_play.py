"""`stratagem play` and `analyse` in the words of a game: plans that are typed part by part, moves that are described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from toys.caravan import CARGOES

CARAVAN = str(Path(__file__).parents[1] / "toys" / "caravan.py")


def play(tmp_path: Path, seats: str, typed: str, *more: str) -> Any:
    return run("play", CARAVAN, "--seats", seats, *more, stdin=typed, XDG_DATA_HOME=str(tmp_path))


def test_an_opponents_move_is_announced_by_its_words_beside_its_notation(tmp_path: Path) -> None:
    found = play(tmp_path, "you,planner", "north\nload\ngo\ndone\nquit\n", "--seed", "1")
    assert found.code == 0, found.err
    assert (
        "revealed: north | south: Ann: takes the northern road with saffron; Ben: takes the southern road with ?"
        in (found.out)
    )
    assert "Ben plays load;scout;go: loads ? 1 times, scouts 1 times (value +0.25)" in found.out


@pytest.mark.parametrize("seed", range(12))
def test_words_never_tell_a_person_what_another_seat_holds(tmp_path: Path, seed: int) -> None:
    typed = "north\n" + 2 * "load;go\n"
    found = play(tmp_path, "you,planner", typed, "--seed", str(seed))
    going_on, _, _ = found.out.partition("the game is over")
    shown = [cargo for cargo in CARGOES if cargo in going_on.rpartition("Ben plays")[0]]
    assert found.code == 0 and going_on.count("Ben plays") == 2 and len(shown) == 1, "one's own cargo alone"


def test_people_who_share_a_keyboard_are_told_everything(tmp_path: Path) -> None:
    found = play(tmp_path, "planner,planner", "", "--seed", "1")
    assert "revealed: south | south: Ann: takes the southern road with saffron" in found.out
    assert "Ben plays load;scout;go: loads ambergris 1 times" in found.out


def test_a_plan_is_typed_part_by_part_and_lines_pasted_from_an_engine_are_read(tmp_path: Path) -> None:
    typed = "north\nload\nfly\nparts\ndrop\ndrop\ndone\nscout\ndawn\nload\ngo\ndusk\nboard\nload\nquit\n"
    found = play(tmp_path, "you,planner", typed, "--seed", "1")
    assert found.code == 0, found.err
    assert "begins with 'load;fly'" in found.out
    assert "go; load; scout" in found.out
    assert "dropped load" in found.out and "there is no part to drop" in found.out
    assert "'' is no move" in found.out, "a plan without parts is none"
    assert "> load;go" in found.out, "what was typed before the pasted turn is not part of it"
    assert "the plan so far: load" in found.out


def test_a_plan_that_is_refused_is_refused_on_the_seats_own_view(tmp_path: Path) -> None:
    found = play(tmp_path, "planner,you", "east\nquit\n", "--seed", "1")
    assert "no move" in found.out and "saffron" not in found.out and "ambergris" in found.out


def test_long_plans_are_told_apart_by_their_differences() -> None:
    found = run("analyse", CARAVAN, "saffron/indigo > north | south", "--engine", "planner")
    assert found.code == 0, found.err
    assert "differs in" in found.out and "1 loaded" in found.out and "2 loaded" in found.out
    assert "the first one whole: load;scout;go" in found.out
    alone = run("analyse", CARAVAN, "saffron/indigo > north | south", "--engine", "planner", "--lines", "1")
    assert "differs in" not in alone.out and "load;scout;go" in alone.out


def test_a_part_that_begins_like_a_command_is_a_part(tmp_path: Path) -> None:
    typed = "tech 1\nboard 0 move c1c0\nboard 0 move c1c9\nboard\ndone\nquit\n"
    found = run("play", "minions", "--seats", "you,you", stdin=typed, XDG_DATA_HOME=str(tmp_path))
    assert found.code == 0, found.err
    assert "'board 0 move c1c9' is illegal" in found.out and found.out.count("Yellow to move, ply 1") == 2
    (file,) = (tmp_path / "stratagem").iterdir()
    assert json.loads(file.read_text())["moves"] == ["tech 1;board 0 move c1c0"]


def test_every_game_has_lots_of_its_own_unless_a_seed_repeats_one(tmp_path: Path) -> None:
    def rolled(*more: str) -> tuple[int, list[str]]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        found = run("play", "pig", "--seats", "random,random", *more, XDG_DATA_HOME=str(folder))
        (file,) = (folder / "stratagem").iterdir()
        record = json.loads(file.read_text())
        assert found.out.startswith(f"seed {record['seed']} ")
        return record["seed"], record["moves"]

    first, second = rolled(), rolled()
    assert first != second, "one in a million"
    assert rolled("--seed", str(first[0])) == first


def test_the_board_shown_includes_the_parts_typed_so_far(tmp_path: Path) -> None:
    typed = "tech 1\nboard 0 move c1c0\nboard\nquit\n"
    found = run("play", "minions", "--seats", "you,you", stdin=typed, XDG_DATA_HOME=str(tmp_path))
    first, second = (text.partition("board 1")[0].splitlines()[-2] for text in found.out.split("ply 1")[1:])
    assert first.split() == ["0", ".", ".", "+", ".", ".", ".", "+", ".", ".", "."]
    assert second.split() == ["0", ".", ".", "Z+", ".", ".", ".", "+", ".", ".", "."]
