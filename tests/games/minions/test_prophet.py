"""The network of the prophet: what it sees, says and is to learn; PyTorch is not needed here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions import layout, magic
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.engine.conjuring import FullStaging
from stratagem.games.minions.engine.fighting import BY_VALUE, NOTHING
from stratagem.games.minions.engine.scratch import ROW
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.maps import hex_index, neighbours
from stratagem.games.minions.networks import encoder, prophet, targets
from stratagem.games.minions.networks.encoder import HEXES, Shape
from stratagem.games.minions.networks.oracle import NETWORK
from stratagem.games.minions.networks.prophet import Vision, load, save
from stratagem.games.minions.networks.records import Record
from stratagem.games.minions.networks.seers import (
    Eyes,
    Foretold,
    mixed,
    prophecies,
)
from stratagem.games.minions.networks.targets import Examiner, fought_in, lesson_of, lessons_from
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.networks.weights import save_tensors
from stratagem.rng import generator
from tests.references.minions_encoder import encoded

TINY = targets.SMALL  # which is compiled for records anyway
LOCKED = "L" * 25


def board(men, money="20|20", state="n", cards=LOCKED, side=0, maps=("AllLand",)):
    boards = " ".join(f"{state}|||||{one}" for one in (men if isinstance(men, tuple) else (men,)))
    return parse_fen(f"{money} 0|0 {cards}|{LOCKED} {boards} {side} 9", GameConfig.make(maps))


def drawn(shape: Shape = TINY, seed: int = 1) -> Vision:
    """A network of random numbers."""
    draws = np.random.default_rng(seed)
    tensors = {name: draws.normal(0, 0.3, size).astype(np.float32) for name, size in shape.sizes().items()}
    return Vision.of(shape, tensors, {"measures": {}})


def turn_of(state: GameState, text: str) -> bytes:
    return GameTurn.parse(text, state.config.boards).words().tobytes()


def record(state: GameState, *texts: str, visits=None, values=None, game: int = 0) -> Record:
    n = len(texts)
    return Record(
        state.config,
        state.array.copy(),
        state.side,
        tuple(turn_of(state, text) for text in texts),
        np.array(visits or [1] * n, np.int32),
        np.array(values or [0.0] * n, np.float32),
        0,
        0.0,
        0.0,
        game,
        9,
    )


# -- the encoder


def test_taps_are_the_hex_and_its_six_neighbours():
    around = encoder.neighbours_by_tap().reshape(HEXES, encoder.TAPS)
    for h in range(HEXES):
        assert sorted(n for n in around[h] if n >= 0) == sorted((h, *neighbours(h)))


def said_by(vision: Vision, state: GameState, target: str = "cpu") -> tuple[Eyes, encoder.Seen]:
    staging = MinionsStaging(state.config, EngineOptions(solver=False))
    eyes = Eyes(staging, vision, target)
    eyes.say(state.array)
    return eyes, eyes._rooms.seen


@pytest.mark.parametrize("side", [0, 1])
def test_interpreted_and_compiled_encoders_say_the_same_to_the_last_bit_and_agree_with_plain_numpy(side):
    men = ("0/0/2N7/2Z7/4i5/0/0/5z4/7n2/0", "0/0/2N7/0/0/4s5/3Z6/5z4/7n2/0")
    state = board(men, side=side, maps=("BlackenedShores", "MidnightLake"))
    vision = drawn()
    found = [said_by(vision, state, target) for target in ("cpu", "python")]
    answers = [eyes.say(state.array) for eyes, _ in found]
    for mine, other in zip(*answers, strict=True):
        assert mine.dtype == np.float32
        assert mine.tobytes() == other.tobytes()
    eyes, seen = found[0]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(seen, found[1][1], strict=True))
    shown = {
        "token": seen.token,
        "board": seen.board.reshape(2, -1),
        "stands": seen.stands.reshape(2, HEXES),
        "tiles": eyes.place.tiles.reshape(2, 2, HEXES)[side],
        "reached": seen.reached.reshape(2, HEXES, -1),
    }
    hexes, boards = encoded(TINY, vision.tensors(), shown)
    np.testing.assert_allclose(answers[0].hexes, hexes if side == 0 else hexes[:, ::-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(answers[0].boards, boards, rtol=1e-4, atol=1e-4)


def test_both_sides_see_the_same_position_alike():
    """Blue's board is Yellow's after a half turn with the sides swapped; only whose turn it is differs."""
    yellow = board("0/0/2N7/2Z7/0/0/0/5z4/7n2/0", money="5|9")
    blue = board("0/2N7/4Z5/0/0/0/7z2/7n2/0/0", money="9|5", side=1)
    seen = [said_by(drawn(), state)[1] for state in (yellow, blue)]
    seen[0].token[5] = seen[1].token[5] = 0.0
    for mine, other in zip(*seen, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert (seen[0].stands > 0).sum() == 4


# -- what is to be learned


def test_of_a_turn_who_fell_and_who_fought_is_learned():
    state = board("0/0/2N7/0/0/4S5/4i5/0/7n2/0", money="9|0", cards="AA" + "U" * 3 + "L" * 20)
    text = "tech 1;board 0 move e5d6;board 0 attack d6e6;board 0 move c2d2;board 0 buy Z;board 0 spawn Z d1"
    assert state.allows(GameTurn.parse(text, 1))
    fell = state.during(GameTurn.parse(text, 1)).boards[0]["e6"] is None
    row = lesson_of(record(state, text), Examiner(state.config))
    assert {*np.flatnonzero(row["patterns"][0, 0])} == {hex_index("e5"), *([hex_index("e6")] if fell else [])}
    assert row["weights"][0].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_who_fought_is_known_by_where_it_stood_through_moves_and_cycles():
    words = [
        (layout.MOVE, 0, 2, 10, 11),
        (layout.CYCLE, 0, 3, 11, 20, 30),  # 11 -> 20 -> 30 -> 11
        (layout.MOVE, 0, 2, 30, 40),
        (layout.ATTACK, 0, 2, 20, 50),  # who stood on 10
        (layout.ATTACK, 0, 2, 40, 50),  # who stood on 20
        (layout.ATTACK, 0, 2, 11, 50),  # who stood on 30
        (layout.ATTACK, 0, 2, 60, 50),
        (layout.TECH, 2, 1, 4),
    ]
    turn = np.array([x for action in words for x in action], np.int64).tobytes()
    assert fought_in(turn, 1) == [{10, 20, 30, 60}]


def test_turns_count_by_their_visits_and_less_the_worse_they_turned_out():
    state = board("0/0/2N7/0/0/4S5/4i5/0/7n2/0", cards="AA" + "U" * 3 + "L" * 20)
    texts = ("board 0 move e5d6;board 0 attack d6e6", "board 0 move c2d2", "tech 1")
    row = lesson_of(
        record(state, *texts, visits=[6, 3, 3], values=[0.5, 0.5, 0.5 - targets.WARMTH]), Examiner(state.config)
    )
    fights, peace = 6, 3 + 3 / np.e
    np.testing.assert_allclose(row["weights"][0, :2], np.array([fights, peace]) / (fights + peace), rtol=1e-5)
    assert row["patterns"][0, 0].any() and not row["patterns"][0, 1].any()
    wanted = row["script"][0].astype(float)
    assert 0 < wanted[hex_index("e6")] <= 1 and wanted[hex_index("e8")] == 0  # an enemy that can fall; nobody


def test_lessons_of_blue_are_those_of_yellow_after_a_half_turn():
    yellow = board("0/0/2N7/2Z7/0/0/0/5z4/7n2/0", money="5|9")
    blue = board("0/2N7/4Z5/0/0/0/7z2/7n2/0/0", money="9|5", side=1)
    rows = [
        lesson_of(record(yellow, "board 0 move c3d3"), Examiner(yellow.config)),
        lesson_of(record(blue, "board 0 move h6g6"), Examiner(blue.config)),
    ]
    for name in ("stands", "tiles", "reached", "patterns", "weights"):
        np.testing.assert_array_equal(rows[0][name], rows[1][name], err_msg=name)


def test_values_that_are_no_numbers_are_refused_with_their_game():
    state = board("0/0/2N7/0/0/0/0/0/7n2/0")
    with pytest.raises(StratagemError, match="turn 9 of game 7 has visits or values that are no numbers"):
        lessons_from([record(state, "tech 1", values=[float("nan")], game=7)])


# -- files


def test_a_network_is_read_as_it_was_written(tmp_path: Path):
    vision, file = drawn(), tmp_path / "prophet.safetensors"
    save(vision, file)
    found = load(file)
    assert found.shape == vision.shape
    assert found.numbers.tobytes() == vision.numbers.tobytes()
    assert found.card["measures"] == {}


def test_files_that_do_not_fit_are_refused_with_the_reason(tmp_path: Path):
    whole, file = tmp_path / "whole.safetensors", tmp_path / "other.safetensors"
    save(drawn(), whole)
    file.write_bytes(whole.read_bytes()[:-2])
    with pytest.raises(StratagemError, match="ends in the middle of board_out_bias"):
        load(file)
    tensors = drawn().tensors()
    own = {"game": "minions", "network": "prophet", "version": 2, "shape": vars(TINY)}
    for card, why in (
        ({**own, "game": "othello"}, "is the prophet of othello"),
        ({**own, "network": "oracle"}, "is the oracle of minions"),
        ({**own, "version": 0}, "sees version 0"),
        ({**own, "shape": {}}, "should be float32"),
        ({**own, "shape": "large"}, "does not say its shape"),
    ):
        save_tensors(tensors, card, file)
        with pytest.raises(StratagemError, match=why):
            load(file)
    save_tensors({**tensors, "token_bias": np.full_like(tensors["token_bias"], np.nan)}, own, file)
    with pytest.raises(StratagemError, match=r"token_bias .* no numbers"):
        load(file)
    save_tensors({name: x for name, x in tensors.items() if name != "tiles"}, own, file)
    with pytest.raises(StratagemError, match="lacks tiles"):
        load(file)


def test_the_network_that_comes_with_the_game_fits_and_says_where_it_comes_from():
    vision = prophet.vision_of(NETWORK)
    assert vision is not None and vision.shape == Shape()
    assert {"command", "games", "turns", "recipe", "course", "measures on games held back"} <= vision.card.keys()
    assert prophet.vision_of(NETWORK) is vision  # it is read once


def test_an_engine_is_refused_a_network_that_is_not_there():
    game = stratagem.game("minions")
    with pytest.raises(OptionError, match="option prophet is 'nothing'; it is script, network or the file"):
        stratagem.player(game, "engine:prophet=nothing")


def test_the_network_that_comes_with_the_game_has_its_card_beside_it_and_plays_what_it_has_won():
    shipped = prophet.SHIPPED
    card = prophet.load(shipped).card
    assert card == json.loads(shipped.with_suffix(".json").read_text())
    assert card["command"].startswith("stratagem train minions") and card["games"] and card["recipe"]["seed"] == 1
    assert {"measures on games held back", "course", "turns", "hours"} <= card.keys() and card["trial"]["passed"]
    assert card["fails"]
    options = stratagem.player(stratagem.game("minions"), "strong").options
    assert options.prophet == "network"


# -- among the advisers


MEN = "0/0/2N7/2Z7/4i5/5z4/0/5z4/7n2/0"


@pytest.fixture(scope="module")
def eyes() -> Eyes:
    return said_by(drawn(), board(MEN, cards="AAUUU" + "L" * 20))[0]


def test_prophecies_speak_of_enemies_and_own_units_where_they_stand_the_likeliest_first(eyes: Eyes):
    state = board(MEN)
    shape = Shape(4, 4, 2, 3)
    said = np.zeros((1, HEXES, shape.hex_out), np.float32)
    said[0, hex_index("f7"), :3] = -7, 5, -1
    said[0, hex_index("c3"), 3:6] = 9, -12, -3
    answer = eyes.say(state.array)._replace(hexes=said, boards=np.array([[0, 2, 1]], np.float32))
    other = Eyes(eyes.staging, drawn(shape), "python")
    rows = prophecies(other, answer, 0, Script(other.staging).prophet(state.array, 0, b"", generator(1))[BY_VALUE] > 0)
    assert rows.shape == (3, ROW)
    falls, passive = rows[:, hex_index("f7")], rows[:, HEXES + hex_index("c3")]
    assert falls[0] > 0.99 > falls[1] > 0.5 > falls[2]
    assert passive[0] > 0.99 and passive[2] < 0.01
    assert {*np.flatnonzero(rows[0, :HEXES])} == {hex_index(h) for h in ("e4", "f5", "f7", "h8")}
    assert {*np.flatnonzero(rows[0, HEXES:])} == {hex_index(h) for h in ("c2", "c3")}


def test_prophecies_that_wish_the_same_or_nobody_gone_make_room_for_the_scripts():
    script = np.arange(8.0)[:, None] * np.ones(ROW)
    rows = np.zeros((4, ROW))
    rows[[1, 2], 33] = 0.9, 0.8
    rows[3, [33, 44]] = 0.7
    found = mixed(rows, script)
    assert found.shape == (8, ROW)
    assert [found[k, 33] for k in range(3)] == [0.9, NOTHING, 0.7]
    assert found[3:, 0].tolist() == [BY_VALUE, 2, 3, 4, 5]
    assert (mixed(rows[:1], script) == script).all()


def test_the_network_is_asked_once_a_position_and_at_the_root_alone(monkeypatch):
    state = board(MEN)
    asked = []
    known = Eyes._asked
    monkeypatch.setattr(Eyes, "_asked", lambda self, position: asked.append(1) or known(self, position))
    staging = MinionsStaging(state.config, EngineOptions(solver=False))
    foretold, script = Foretold(staging, drawn(), target="cpu"), Script(staging)
    by_script = script.prophet(state.array, 0, b"", generator(1))
    assert (foretold.prophet(state.array, 0, b"", generator(1)) == by_script).all() and not asked
    staging.begin(state.array)
    for _ in range(2):
        rows = foretold.prophet(state.array, 0, b"", generator(1))
        assert rows.shape == by_script.shape and not (rows == by_script).all()
        assert (rows[NOTHING] == by_script[NOTHING]).all()
        assert len(asked) == 1


def test_cards_taken_change_nothing_and_with_spells_the_network_is_asked_once_too():
    state = GameState.start(GameConfig.make(("MidnightLake",), profile="server")).dealt(generator(1))
    while not any(piece.side != state.side for _, piece in state.boards[0]):
        state = state.play(state.random_turn(generator(2))).dealt(generator(3))
    seen = state.hidden_from(state.side)
    staging = FullStaging(state.config, EngineOptions(solver=False), target="python")
    compiled = Foretold(staging, drawn(), target="cpu")
    asked, known = [], compiled.eyes._asked
    compiled.eyes._asked = lambda position: asked.append(1) or known(position)
    staging.begin(seen.array)
    richer = seen.array.copy()
    magic.add_to_hand(staging.g, richer, 0, state.side, magic.LIGHTNING_BOLT)
    for position in (seen.array, richer):
        rows = compiled.prophet(position, 0, b"", generator(1))
        assert not (rows == Script(staging).prophet(position, 0, b"", generator(1))).all()
    assert len(asked) == 1
    later = richer.copy()
    later[layout.PLY] += 1
    by_script = Script(staging).prophet(later, 0, b"", generator(1))
    assert (compiled.prophet(later, 0, b"", generator(1)) == by_script).all() and len(asked) == 1


def test_an_engine_with_a_network_plays_legal_turns(tmp_path: Path):
    save(drawn(), file := tmp_path / "prophet.safetensors")
    game = stratagem.game("minions", maps="BlackenedShores")
    player = stratagem.player(game, f"engine:visits=8,solver=false,prophet={file}", seed=1)
    position = game.start(seed=1)
    for _ in range(6):
        position = position.play(player.choose(position, Clock(None)).move)
    assert player.staging.faults == 0
    assert isinstance(player.staging.advisers, Foretold)
