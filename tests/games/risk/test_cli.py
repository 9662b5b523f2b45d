"""Risk as a user types it: a game in the terminal, analysis, drawings, and mistakes that end in one line."""

from __future__ import annotations

import json

import pytest
from command import run

from stratagem.games.risk.atlas import IDS

BOARD = ",".join(["A3"] * 14 + ["B1"] * 14 + ["C2"] * 14)
ATTACK = f"phase=attack seat=A turn=3 board={BOARD}"


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_a_draft_is_played_and_saved(tmp_path):
    file = tmp_path / "game.json"
    code, out, _ = run(
        "play",
        "risk",
        "--seats",
        "you,random,random",
        "--seed",
        "1",
        stdin=f"brazil\natlantis\nbrazil\nperu\nsave {file}\n",
    )
    assert code == 0
    assert "Draft, pick 4 of 42: A" in out and "unknown territory 'atlantis'" in out and "brazil is taken by A" in out
    saved = json.loads(file.read_text())
    assert saved["moves"][0] == "brazil" and saved["moves"][3] == "peru" and len(saved["moves"]) == 6
    code, out, _ = run("play", "risk", "--resume", file, stdin="board\n")
    assert code == 0 and "pick 7 of 42: A" in out


def test_a_line_of_several_moves_is_played_and_dice_are_reported():
    typed = "iceland>great_britain until 1\n"
    code, out, _ = run("play", "risk", ATTACK, "--seats", "you,random,random", stdin=typed)
    assert code == 0 and "chance: lost" in out


def test_nobody_types_dice():
    typed = "iceland>great_britain roll 2; lost 0:1; 2\n"
    code, out, _ = run("play", "risk", ATTACK, "--seats", "you,random,random", stdin=typed)
    assert code == 0 and "'lost 0:1' is not for A to decide" in out and "took Great Britain" not in out


def test_a_person_sees_no_cards_of_others():
    position = f"phase=fortify seat=A turn=3 board={BOARD} hands=peru/japan/siam captured"
    code, out, _ = run("play", "risk", position, "--seats", "you,random,random", stdin="end\n")
    shown = [line for line in out.splitlines() if line[:3] in ("B: ", "C: ")]
    assert code == 0 and "1 card: peru" in out and "chance: A draws" in out
    assert any("1 card" in line for line in shown) and not any("card: " in line or "cards: " in line for line in shown)
    assert not any(f"{seat} draws {name}" in out for seat in "BC" for name in IDS)


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("phase=attack", "board"),
        (f"phase=nowhere seat=A turn=3 board={BOARD}", "nowhere"),
        (f"phase=attack seat=Q turn=3 board={BOARD}", "Q"),
        (f"phase=attack seat=A turn=3 board={BOARD},A1", "43"),
        (f"phase=attack seat=A turn=3 board={BOARD} hands=peru/peru/-", "peru is there twice"),
        (f"phase=attack seat=A turn=3 board={BOARD} hands=atlantis/-/-", "atlantis"),
        (f"phase=attack seat=A turn=3 board={BOARD} colour=red", "colour"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_bad_position_is_one_clear_line(position, said):
    code, out, err = run("draw", "risk", position)
    assert code == 2 and not out and len(err.splitlines()) == 1 and said in err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("atlantis>peru", "unknown territory 'atlantis'"),
        ("iceland>japan", "does not touch"),
        ("iceland>greenland", "own"),
        ("great_britain>iceland", "belongs to B"),
        ("iceland>great_britain roll 3", "roll 1 to roll 2"),
        ("iceland>great_britain until 9", "until 1 to until 2"),
        ("iceland>great_britain\nhurry\nroll 1", "'hurry': with 3 armies write roll 1 to roll 2"),
        ("alaska+peru+wild1", "alaska+peru+wild1"),
    ],
)
def test_an_illegal_move_is_answered_and_the_game_goes_on(typed, said):
    code, out, _ = run(
        "play", "risk", ATTACK, "--seats", "you,random,random", "--seed", "0", stdin=f"{typed}\nstop\nend\n"
    )
    assert code == 0 and said in out and "B plays" in out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--players", "7"], "from 2 to 6"),
        (["--cards", "golden"], "escalating, fixed, none"),
        (["--turn-cap", "0"], "at least 1"),
        (["--fortify", "anywhere"], "adjacent, connected, none"),
    ],
)
def test_bad_options_are_one_clear_line(flags, said):
    code, _, err = run("draw", "risk", *flags)
    assert code == 2 and said in err and len(err.splitlines()) == 1


def test_a_position_of_other_options_is_refused():
    code, _, err = run("draw", "risk", f"{ATTACK} hands=peru/-/-", "--cards", "none")
    assert code == 2 and "no cards" in err
    code, _, err = run("draw", "risk", ATTACK.replace("C2", "D2"))
    assert code == 2 and "D" in err


def test_a_saved_game_of_another_version_or_with_a_move_too_many_is_refused(tmp_path):
    file = tmp_path / "game.json"
    run("play", "risk", "--seats", "you,random,random", "--seed", "1", stdin=f"brazil\nsave {file}\n")
    saved = json.loads(file.read_text())
    for change in ({"moves": [*saved["moves"], "atlantis"]}, {"options": {"players": 9}}, {"options": {"colour": 1}}):
        file.write_text(json.dumps({**saved, **change}))
        code, _, err = run("play", "risk", "--resume", file)
        assert code == 2 and len(err.splitlines()) == 1, change
    file.write_text(json.dumps({**saved, "stratagem": 99}))
    code, _, err = run("play", "risk", "--resume", file)
    assert code == 2 and "saved in format 99" in err and len(err.splitlines()) == 1


def test_a_drawing_is_written(tmp_path):
    file = tmp_path / "map.svg"
    code, _, _ = run("draw", "risk", ATTACK, "--out", file)
    assert code == 0 and file.read_text().startswith("<svg")


def test_territories_are_ranked_by_what_they_add():
    reported = json.loads(run("risk", "ranking", "--players", "4", "--json").out)
    assert sorted(row["territory"] for row in reported["territories"]) == sorted(IDS)
    means = [row["mean"] for row in reported["territories"]]
    assert means == sorted(means, reverse=True) and means[0] > 0 > means[-1]
    assert all(len(row["seats"]) == 4 for row in reported["territories"])
    shown = run("risk", "ranking").out
    assert shown.index("Eastern") < shown.index("New Guinea")
    assert run("risk", "ranking", "--players", "9").code == 2
