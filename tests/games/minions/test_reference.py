"""The kernels against the slow, plain reference: random turns, whole and spoilt, over all maps of the profile."""

from __future__ import annotations

import random

import numpy as np
import pytest
from references.minions import Illegal, Reference, apart, read, write

from benchmarks.minions_work import attack_sets, reach_sets
from stratagem.errors import IllegalMove
from stratagem.games.minions import GameConfig, GameState, GameTurn
from stratagem.games.minions.config import hexes_of, profile_of
from stratagem.games.minions.maps import hex_name, maps
from stratagem.games.minions.notation import extended_fen, fen, parse_fen
from stratagem.games.minions.spells import TERRAINS, by_key, spell_word, spells
from stratagem.games.minions.turns import interpreted, specialised
from stratagem.rng import Rng, generator

MAPS = ("AllLand", "BlackenedShores", "MidnightLake")
SERVER_MAPS = tuple(maps())


def server(*names: str) -> GameConfig:
    """The live server's rules, with the four rare spells in the decks too."""
    return GameConfig.make(names, profile="server", points=2, rare_spells=2)


def scattered(config: GameConfig, dice: random.Random) -> GameState:
    """A position that play would take long to reach: many kinds of units close together, cards owned, any state code."""
    letters = "ZZZSPWGTHKXAUJVMLOCRQBEYDI"
    words = [f"{dice.randrange(60)}|{dice.randrange(60)}", "0|0"]
    lines = []
    for _ in range(2):
        known = dice.randrange(26)
        lines.append("".join(dice.choice("UUA") for _ in range(known)) + "L" * (25 - known))
    words.append("|".join(lines))
    for land in config.lands:
        rows = [["." for _ in range(10)] for _ in range(10)]
        for _ in range(dice.randrange(4, 45)):
            x, y = dice.randrange(10), dice.randrange(10)
            if land.tiles[10 * y + x] != "w":
                letter = dice.choice(letters)
                rows[y][x] = letter if dice.random() < 0.5 else letter.lower()
        for letter in "Nn":
            while True:
                x, y = (2, 2) if letter == "N" else (7, 7)
                if dice.random() < 0.5:
                    x, y = dice.randrange(10), dice.randrange(10)
                if land.tiles[10 * y + x] != "w" and rows[y][x] not in "Nn":
                    rows[y][x] = letter
                    break
        text = "/".join("".join(row) for row in rows)
        for gap in range(9, 0, -1):
            text = text.replace("." * gap, str(gap))
        text = "/".join("0" if row == "91" else row for row in text.split("/"))
        zones = ["".join(dice.choice(letters) for _ in range(dice.randrange(4))) for _ in range(2)]
        state = dice.choice("nnnf")
        keys = [spell.key for spell in spells()] if config.switches.spells else []
        hands = [",".join(dice.choice(keys) for _ in range(dice.randrange(8) if keys else 0)) for _ in range(2)]
        words.append(f"{state}|{zones[0]}|{zones[1].lower()}|{hands[0]}|{hands[1]}|{text}")
    side = dice.randrange(2)
    made = parse_fen(" ".join([*words, str(side), "7"]), config)
    return enchanted(made, dice) if config.switches.spells else made


def enchanted(state: GameState, dice: random.Random) -> GameState:
    """The position with spells on units and movable terrain here and there, as they can be between turns."""
    pieces, terrain = [], []
    for board in state.boards:
        for name, piece in board:
            if dice.random() < 0.2 and not piece.unit.necromancer:
                marks = ["b5", "b2h", "b40h"] if piece.side != state.side else ["f", "l", "c", "w1", "w3", "flcw2"]
                pieces.append(f"{board.index}{name}:{dice.choice(marks)}")
        ground = [hex_name(h) for h in range(100) if board.map.tiles[h] in ".WEAF" and hex_name(h) not in board.pieces]
        kinds = [kind for kind in TERRAINS if dice.random() < 0.4]
        places = dice.sample(ground, len(kinds))
        terrain.append(f"{board.index}:{'.'.join(map(''.join, zip(kinds, places, strict=True)))}")
    said = ([f"pieces={','.join(pieces)}"] if pieces else []) + [f"terrain={','.join(terrain)}"]
    return parse_fen(f"{fen(state)} + {' '.join(said)}", state.config)


def compare(state: GameState, parts: list[str], lenient: bool = False) -> GameState | None:
    """Play a turn by both; they must agree on whether it is legal, on what comes of it, and on its middle."""
    turn = GameTurn.parse(parts, state.config.boards)
    slow = Reference(state.config, extended_fen(state), lenient)
    try:
        after = state.play(turn, lenient=lenient)
    except IllegalMove:
        with pytest.raises(Illegal):
            slow.act(parts)
        return None
    slow.act(parts)
    middle = state.during(turn, lenient=lenient)
    assert extended_fen(middle) == slow.extended(), (extended_fen(state), parts)
    slow.end()
    assert extended_fen(after) == slow.extended(), (extended_fen(state), parts)
    assert after.winner == slow.winner
    return after


def deal(state: GameState, rng: Rng) -> GameState:
    """Chance deals spells where it must, and both agree on what is known then."""
    if not state.awaits_deal:
        return state
    cards = state.random_deal(rng)
    after = state.deal(cards)
    slow = Reference(state.config, extended_fen(state)).deal([spell_word(card) for card in cards])
    assert extended_fen(after) == slow.extended()
    return after


def spoil(parts: list[str], dice: random.Random, hand: tuple[str, ...] = ()) -> list[str]:
    """A turn with one thing changed: often illegal, sometimes not."""
    parts = list(parts)
    spell = by_key()[dice.choice(hand)] if hand else None
    at = dice.randrange(len(parts))
    words = parts[at].split()
    how = dice.randrange(7)
    some_hex = lambda: write((dice.randrange(10), dice.randrange(10)))  # noqa: E731
    if how == 0:
        parts.append(parts[at])
    elif how == 1 and len(parts) > 1:
        del parts[at]
    elif how == 2 and words[0] == "board" and words[2] in ("move", "attack"):
        x, y = read(words[3][2:])
        near = (min(max(x + dice.randint(-2, 2), 0), 9), min(max(y + dice.randint(-2, 2), 0), 9))
        parts[at] = " ".join([*words[:3], words[3][:2] + write(near)])
    elif how == 5 and spell is not None:
        aim = {"": "", "hex": some_hex(), "pair": some_hex() + some_hex(), "terrain": f"flood {some_hex()}"}[
            spell.shape
        ]
        parts.insert(at + 1, f"board 0 cast {spell.key} {aim}".rstrip())
    elif how == 6 and dice.random() < 0.5:
        parts.insert(at, dice.choice(["sell_spell", f"give_spell 0 {dice.choice(spells()).key}"]))
    elif how == 3 and words[0] == "tech":
        parts[at] = f"tech {dice.randrange(3)} " + " ".join(str(dice.randrange(8)) for _ in range(dice.randrange(3)))
    elif how == 4:
        parts.insert(at, f"board 0 {dice.choice(['move', 'attack'])} {some_hex()}{some_hex()}")
    else:
        letter = dice.choice("ZSPWGTHIN")
        some_pair = lambda: some_hex() + some_hex()  # noqa: E731
        extra = [
            f"rise {some_hex()}",
            f"teleport {some_pair()}",
            f"ability {some_hex()} {dice.choice(TERRAINS)} {some_hex()}",
            f"discard {dice.choice(spells()).key}",
            "setup ManaNecromancer",
            f"buy {letter}",
            f"spawn {letter} {some_hex()}",
            "resign",
            "setup N",
            f"setup N {letter}",
            f"blink {some_hex()}",
        ]
        parts.append(f"board 0 {dice.choice(extra)}")
    return parts


def run(config: GameConfig, seed: int, turns: int, lenient: bool = False, spoilt_turns: int = 2) -> tuple[int, int]:
    """Random turns from random positions and along games; returns how many were legal and how many were not."""
    dice, rng = random.Random(seed), generator(seed)
    state = GameState.start(config)
    legal = wrong = 0
    for k in range(turns):
        if state.winner is not None or k % 20 == 10:
            state = scattered(config, dice)
        state = deal(state, rng)
        turn = state.random_turn(rng)
        hand = state.boards[0].hand(state.side)
        for _ in range(spoilt_turns):
            spoilt = compare(state, spoil(turn.parts(), dice, hand), lenient)
            legal, wrong = legal + (spoilt is not None), wrong + (spoilt is None)
        after = compare(state, turn.parts(), lenient)
        assert after is not None, (extended_fen(state), str(turn))
        state = after
        legal += 1
    return legal, wrong


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("lenient", [False, True])
def test_turns_agree_with_the_reference(name: str, lenient: bool) -> None:
    legal, wrong = run(
        GameConfig.make((name,), points=2), seed=hash((MAPS.index(name), lenient)), turns=150, lenient=lenient
    )
    assert legal > 150
    assert wrong > 60


def test_turns_on_three_boards_agree_with_the_reference() -> None:
    run(GameConfig.make(MAPS), seed=5, turns=60)


@pytest.mark.parametrize("name", SERVER_MAPS)
def test_turns_of_the_server_agree_with_the_reference(name: str) -> None:
    legal, wrong = run(server(name), seed=SERVER_MAPS.index(name), turns=25)
    assert legal > 25
    assert wrong > 5


def test_turns_of_the_server_on_three_boards_agree_with_the_reference() -> None:
    run(server("ChaosDiamond", "Apocalypse", "SorcerersLair"), seed=77, turns=12)


@pytest.mark.parametrize(
    "switch",
    ["gift_to_all", "resigned_takes_none", "blink_as_meant", "ability_once", "spells", "split_moves", "live_units"],
)
def test_turns_agree_with_the_reference_when_a_switch_of_the_server_is_turned(switch: str) -> None:
    plain = profile_of("server").switches
    config = GameConfig.make(
        ("TreacherousPathways",), profile="server", points=2, **{switch: not getattr(plain, switch)}
    )
    run(config, seed=len(switch), turns=15)


@pytest.mark.parametrize("name", ["MidnightLake", "RiverStyx"])
def test_turns_of_the_book_agree_with_the_reference(name: str) -> None:
    legal, wrong = run(GameConfig.make((name,), profile="book", points=3), seed=len(name), turns=60)
    assert legal > 60
    assert wrong > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVER_MAPS)
def test_thousands_of_turns_of_the_server_agree_with_the_reference(name: str) -> None:
    run(server(name), seed=900 + SERVER_MAPS.index(name), turns=80)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_many_thousands_of_turns_agree_with_the_reference(name: str) -> None:
    for lenient in (False, True):
        legal, wrong = run(GameConfig.make((name,), points=2), seed=100 + MAPS.index(name), turns=1000, lenient=lenient)
        assert legal > 1000
        assert wrong > 400


@pytest.mark.slow
def test_terrain_of_other_maps_agrees_with_the_reference() -> None:
    config = GameConfig.make(("EternalBattlefield", "RiverStyx"), other_maps=True)
    run(config, seed=9, turns=500)


@pytest.mark.parametrize("name", MAPS)
def test_reach_and_attack_sets_agree_with_the_reference(name: str) -> None:
    config = GameConfig.make((name,))
    dice = random.Random(3)
    out = np.zeros(300, np.int64)
    for _ in range(60):
        state = scattered(config, dice)
        slow = Reference(config, fen(state))
        (field,) = slow.fields
        (board,) = state.boards
        for side in range(2):
            n = int(interpreted(reach_sets)(config.ground, 0, board.words, side, out))
            for h, lo, hi in out[: 3 * n].reshape(n, 3):
                expected = sorted(write(x) for x in slow.reachable(field, read(hex_name(h))))
                assert sorted(map(hex_name, hexes_of(lo, hi))) == expected
            n = int(interpreted(attack_sets)(config.ground, 0, board.words, side, out))
            for h, lo, hi in out[: 3 * n].reshape(n, 3):
                start = read(hex_name(h))
                man = field.men[start]
                places = {start} if man.unit.lumbering else slow.reachable(field, start)
                expected = sorted(
                    write(y) for y, foe in field.men.items()
                    if foe.side != side and not (man.unit.attack == "deathtouch" and foe.unit.necromancer)
                    and any(apart(p, y) <= man.unit.range for p in places)
                )  # fmt: skip
                assert sorted(map(hex_name, hexes_of(lo, hi))) == expected


def test_compiled_attack_sets_are_the_interpreted_ones() -> None:
    config = GameConfig.make(("BlackenedShores",))
    dice = random.Random(6)
    slow, fast = np.zeros(300, np.int64), np.zeros(300, np.int64)
    for _ in range(40):
        words = scattered(config, dice).boards[0].words.copy()
        for side in range(2):
            n = int(interpreted(attack_sets)(config.ground, 0, words, side, slow))
            assert n == specialised(attack_sets, "cpu")(config.ground, 0, words, side, fast)
            assert np.array_equal(slow[: 3 * n], fast[: 3 * n])
