"""`stratagem play` and `analyse` in the words of a game: plans that are typed part by part, moves that are described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from toys.caravan import CARGOES

CARAVAN = str(Path(__file__).parents[1] / "toys" / "caravan.py")
SEALED = str(Path(__file__).parents[1] / "toys" / "sealed.py")


def play(tmp_path: Path, seats: str, typed: str, *more: str) -> Any:
    return run("play", CARAVAN, "--seats", seats, *more, stdin=typed, XDG_DATA_HOME=str(tmp_path))


def test_an_opponents_move_is_announced_by_its_words_beside_its_notation(tmp_path: Path) -> None:
    found = play(tmp_path, "you,planner", "north\nload\ngo\ndone\nquit\n", "--seed", "1")
    assert found.code == 0, found.err
    assert (
        "revealed: north | south: Ann: takes the northern road with saffron; Ben: takes the southern road with ?"
        in (found.out)
    )
    assert "Ben plays load;scout;go: loads ? 1 times, scouts 1 times\n" in found.out, "a worth would tell what it holds"


@pytest.mark.parametrize("seed", range(12))
def test_words_never_tell_a_person_what_another_seat_holds(tmp_path: Path, seed: int) -> None:
    typed = "north\n" + 2 * "load;go\n"
    found = play(tmp_path, "you,planner", typed, "--seed", str(seed))
    going_on, _, _ = found.out.partition("the game is over")
    shown = [cargo for cargo in CARGOES if cargo in going_on.rpartition("Ben plays")[0]]
    assert found.code == 0 and going_on.count("Ben plays") == 2 and len(shown) == 1, "one's own cargo alone"


def test_somebody_who_watches_engines_is_reported_everything(tmp_path: Path) -> None:
    found = play(tmp_path, "planner,planner", "", "--seed", "1")
    assert "revealed: south | south: Ann: takes the southern road with saffron" in found.out
    assert "Ben plays load;scout;go: loads ambergris 1 times" in found.out


def test_what_a_game_does_not_make_public_stays_secret_until_it_is_over(tmp_path: Path) -> None:
    found = run("play", SEALED, "--seats", "you,random", stdin="bid1\nbid2\nbid0\n", XDG_DATA_HOME=str(tmp_path))
    going_on, over, _ = found.out.partition("the game is over")
    assert found.code == 0 and over and going_on.count("all have decided") == 2, found.out
    assert "bid" not in going_on and "revealed" not in going_on
    other = run(
        "play", SEALED, "--seats", "random,you", "--seed", "1", stdin="bid1\nbid2\n", XDG_DATA_HOME=str(tmp_path)
    )
    assert "first plays bid" in other.out, "nothing is secret once it is over"


def test_people_who_share_a_keyboard_each_see_their_own(tmp_path: Path) -> None:
    typed = "bid1\nbid2\nbid0\nbid1\nquit\n"
    found = run("play", SEALED, "--seats", "you,you", stdin=typed, XDG_DATA_HOME=str(tmp_path))
    assert found.code == 0 and "1 ? 0 0" in found.out and "? 2 0 0" in found.out, found.out
    assert "1 2" not in found.out and "bid2" not in found.out


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


def test_a_data_folder_that_cannot_be_written_to_ends_no_game(tmp_path: Path) -> None:
    (tmp_path / "stratagem").write_text("a file where the folder would be")
    found = run("play", "tictactoe", "--seats", "you,random", stdin="b2\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert found.code == 0, found.err
    assert found.out.count("this game is not kept") == 1 and " X " in found.out and "go on with" not in found.out
    kept = tmp_path / "elsewhere.json"
    found = run(
        "play", "tictactoe", "--seats", "you,random", stdin=f"b2\nsave {kept}\nquit\n", XDG_DATA_HOME=str(tmp_path)
    )
    assert found.code == 0 and kept.exists(), "and it can be saved elsewhere"
