"""Positions laid out for editing: what a sheet says is written and read back, and what is impossible is refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stratagem
from stratagem.errors import StratagemError
from stratagem.kernel import TOGETHER
from stratagem.rng import generator

EDITED: dict[str, dict[str, Any]] = {
    "tictactoe": {},
    "hex": {"size": 4},
    "othello": {"size": 6},
    "breakthrough": {"rows": 5, "columns": 4},
    "connect4": {},
    "nim": {},
    "pig": {"target": 30},
    "goofspiel": {},
    "bidding": {},
    "risk": {"players": 3, "claim": "deal"},
    "minions": {},
    "roborally": {"robots": 2},
    "asmacag": {},
    "skirmish": {},
}


def played(game: Any, plies: int, seed: int) -> Any:
    rng, position = generator(seed), game.start(seed=seed)
    while game.sheet(position) is None:  # until cards are dealt
        position = position.play(position.sample(rng))
    with np.errstate(over="ignore"):
        for _ in range(plies):
            if position.over:
                break
            asked = position.asked
            text: Any = position.sample(rng) if position.turn != TOGETHER else [
                position.sample(rng, p) if p in asked else "-" for p in range(game.players)
            ]  # fmt: skip
            position = position.play(text)
    return position


def written(game: Any, position: Any, cells: dict[str, str] | None = None, **fields: str) -> str:
    sheet = game.sheet(position)
    values = {field.name: field.value for field in sheet.fields}
    text: str = game.written(position, {**sheet.cells, **(cells or {})}, {**values, **fields})
    return text


@pytest.mark.parametrize("name", EDITED)
def test_a_sheet_that_nobody_changed_is_the_position_it_came_from(name: str) -> None:
    game = stratagem.game(name, **EDITED[name])
    plies = {"risk": 60, "minions": 3, "roborally": 2}.get(name, 5)
    for seed in range(3):
        position = played(game, plies, seed)
        sheet, again = game.sheet(position), game.parse(written(game, position))
        found = game.sheet(again)
        assert sheet is not None and found is not None
        assert found.cells == sheet.cells
        if not position.over:
            assert [field.value for field in found.fields] == [field.value for field in sheet.fields]


@pytest.mark.parametrize("name", EDITED)
def test_the_drawing_names_every_place_of_a_sheet_and_signs_say_what_may_stand_there(name: str) -> None:
    game = stratagem.game(name, **EDITED[name])
    position = played(game, 0, 1)
    sheet, drawing = game.sheet(position), position.svg()
    assert sheet is not None
    missing = [p for p in sheet.cells if not any(f'data-{kind}="{p}"' in drawing for kind in ("at", "place", "part"))]
    assert not missing, missing[:5]
    starts = {sign.text for sign in sheet.signs}
    counted = {sign.text for sign in sheet.signs if sign.counted}
    assert all(sign in starts or sign[:1] in counted for sign in sheet.cells.values())


@pytest.mark.parametrize(
    ("name", "cells", "says"),
    [
        ("tictactoe", {"a1": "X", "b1": "X"}, "2 X and 0 O"),
        ("hex", {"a1": "O"}, "0 X and 1 O"),
        ("othello", {"c3": "_"}, "no disc on"),
        ("breakthrough", {"a5": "W", "b5": "W"}, "far row"),
        ("connect4", {"4.2": "Y"}, "hangs in the air"),
        ("connect4", {"4.1": "R"}, "Yellow moves first"),
        ("risk", {"alaska": "A0"}, "number of armies of alaska"),
        ("minions", {"0 e5": "N"}, "2 necromancers"),
        ("skirmish", {"a1": "G2000"}, "more health than the 1000"),
        ("skirmish", {"c2": ".", "b4": "."}, "no tower"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_refused_with_the_games_own_words(name: str, cells: dict[str, str], says: str) -> None:
    game = stratagem.game(name, **EDITED[name])
    position = played(game, 60 if name == "risk" else 0, 1)
    if name == "breakthrough":
        cells = {**{f"{c}{r}": "_" for c in "abcd" for r in (1, 2, 4, 5)}, **cells}
    with pytest.raises(StratagemError, match=says):
        game.parse(written(game, position, cells))


def test_stones_of_connect_four_are_written_as_an_order_of_play_and_those_that_have_none_are_refused() -> None:
    game = stratagem.game("connect4")
    for seed in range(12):
        position = played(game, 5 + 3 * seed, seed)
        again = game.parse(written(game, position))
        assert game.board_text(again.state) == game.board_text(position.state)
        assert again.over == position.over
    start = game.start()
    # Red's four lie under Yellow's last stones: play would have ended before them
    won = {f"{c}.1": "R" for c in "1234"} | {f"{c}.2": "Y" for c in "1234"}
    with pytest.raises(StratagemError, match=r"both sides|in no order"):
        written(game, start, won)


def test_a_robot_is_put_elsewhere_and_turned_and_the_cards_are_dealt_anew() -> None:
    game = stratagem.game("roborally", robots=2)
    position = game.start(seed=1)
    sheet = game.sheet(position)
    assert sheet is not None
    at = next(place for place, sign in sheet.cells.items() if sign.startswith("A"))
    free = next(place for place, sign in sheet.cells.items() if sign == ".")
    after = game.parse(written(game, position, {at: ".", free: "A>"}, **{"damage B": "2"}))
    found = game.sheet(after)
    assert found is not None and found.cells[free] == "A>" and found.cells[at] == "."
    assert "damage2" in str(after) and "phase=deal" in str(after)
    with pytest.raises(StratagemError, match="damage of B"):
        game.parse(written(game, position, **{"damage B": "12"}))


def test_armies_and_the_turn_of_risk_are_set_up() -> None:
    game = stratagem.game("risk", **EDITED["risk"])
    position = played(game, 200, 3)
    after = game.parse(written(game, position, {"alaska": "B7"}, phase="attack", seat="B", pool="0"))
    assert "B7" in str(after) and after.turn == 1


def test_what_was_done_with_a_unit_is_forgotten_when_another_stands_there() -> None:
    game = stratagem.game("minions")
    position = game.start()
    sheet = game.sheet(position)
    assert sheet is not None
    at = next(place for place, sign in sheet.cells.items() if sign.isupper() and sign != "N")
    after = game.parse(written(game, position, {at: "S"}, **{"money 0": "12"}))
    assert game.sheet(after).cells[at] == "S" and after.state.money[0] == 12


def test_units_of_skirmish_are_placed_with_health_and_what_they_carry_goes_with_them() -> None:
    game = stratagem.game("skirmish")
    position = played(game, 0, 1)
    after = game.parse(written(game, position, {"d3": "G700"}, kit="d3E"))
    assert "d3G700E" in str(after)
    cards = [sum(field.value.count("G") for field in game.sheet(x).fields[-4::2]) for x in (position, after)]
    assert cards == [3, 2], "a card that is on the board is not in the deck"
    gone = game.parse(written(game, after, {"d3": "."}))
    assert "d3" not in str(gone)
    assert game.parse(written(game, position, turn="2", left="5")).turn == 1  # an even turn is the second side's
    with pytest.raises(StratagemError, match="carried by nobody"):
        written(game, position, kit="d3E")


def test_cards_of_asmacag_are_exchanged_and_the_unseen_ones_make_up_for_it() -> None:
    game = stratagem.game("asmacag")
    position = played(game, 0, 1)
    hand = {"hand 0": "111111DDD", "hand 1": "666655HHH", "board": "2" * 8 + "3" * 8 + "4444"}
    with pytest.raises(StratagemError, match="6 cards 1; there are 5"):
        game.parse(written(game, position, **hand))
    after = game.parse(written(game, position, **{**hand, "hand 0": "111112DDD", "board": "2" * 7 + "3" * 8 + "44445"}))
    assert "111112DDD/555666HHH" not in str(after) and "111112DDD/556666HHH" in str(after) and after.turn == 0
    covered = game.parse(written(game, after, **{"hand 1": "?9"}))
    assert "/?9 " in str(covered)
    with pytest.raises(StratagemError, match="do not lead to"):
        game.parse(written(game, after, **{"hand 1": "556666HH"}))
