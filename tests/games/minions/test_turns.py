"""Compiled turns against the interpreter and the plain script; turns in atoms against whole turns."""

from __future__ import annotations

import random

import numpy as np
import pytest
from references.minions_script import chance, greedy_turn

from stratagem.compile import specialise
from stratagem.games.minions import GameConfig, GameState, GameTurn, atoms, kernels, layout, turns
from stratagem.games.minions.config import profile_of
from stratagem.games.minions.magic import arguments
from stratagem.games.minions.notation import parse_fen
from stratagem.games.minions.sampling import random_turn
from stratagem.games.minions.spells import spells
from stratagem.games.minions.units import units
from stratagem.kernel import CHANCE, OVER
from stratagem.rng import generator

MAPS = ("BlackenedShores", "MidnightLake")


def positions(seed: int, turns_made: int, maps: tuple[str, ...] = MAPS):
    """States of a game in which random, wild and scripted turns alternate; from the start again when one ends."""
    rng = generator(seed)
    state = start = GameState.start(GameConfig.make(maps))
    for k in range(turns_made):
        if state.winner is not None:
            state = start
        yield state
        turn = state.random_turn(rng) if k % 4 == 3 else state.greedy_turn(rng, wild=k % 2 == 0)
        state = state.play(turn)


def compare_scripts(seed: int, number: int) -> None:
    for k, state in enumerate(positions(seed, number)):
        for wild in (False, True):
            mine, theirs = generator(seed, k), generator(seed, k)
            assert str(state.greedy_turn(mine, wild=wild)) == str(greedy_turn(state, theirs, wild=wild)), str(state)
            assert np.array_equal(mine, theirs), str(state)
        assert state.chance(state.side) == pytest.approx(chance(state, state.side), abs=1e-12)


def test_the_compiled_script_makes_the_turns_of_the_plain_one() -> None:
    compare_scripts(1, 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_compiled_script_makes_the_turns_of_the_plain_one_in_many_games(seed: int) -> None:
    compare_scripts(seed, 200)


def test_the_script_goes_on_from_the_middle_of_a_turn() -> None:
    rng = generator(3)
    for k, state in enumerate(positions(4, 30)):
        whole = state.greedy_turn(rng)
        half = GameTurn(whole.tech, tuple(actions[: len(actions) // 2] for actions in whole.boards))
        middle = state.during(half)
        assert str(middle.greedy_turn(generator(5, k))) == str(greedy_turn(middle, generator(5, k)))


def compare_targets(seed: int, number: int) -> None:
    finish, some, at_random = (turns.interpreted(f) for f in (kernels.play_turn, kernels.play_actions, random_turn))
    for k, state in enumerate(positions(seed, number)):
        turn = state.random_turn(generator(seed, k))
        out, _ = turns.room(2)
        length = at_random(state.config.ground, state.array.copy(), generator(seed, k), out)
        words = turn.words()
        assert np.array_equal(out[:length], words)
        spoilt = words.copy()
        spoilt[random.Random(1000 * seed + k).randrange(len(words))] += 1 if k % 2 else 7
        for whole, slow in ((True, finish), (False, some)):
            for stream in (words, spoilt) if readable(spoilt) else (words,):
                a, b = state.array.copy(), state.array.copy()
                found = slow(state.config.ground, a, stream, stream.size)
                assert found == turns.play(state.config.ground, b, stream, whole=whole)
                assert found != layout.LEGAL or np.array_equal(a, b)


def readable(words: np.ndarray) -> bool:
    """Whether a stream of words is made of actions with arguments of the right kind and number."""
    at = 0
    while at < len(words):
        if at + 3 > len(words) or not 0 <= words[at] <= layout.RESIGN or words[at + 2] < 0:
            return False
        kind, n = int(words[at]), int(words[at + 2])
        wanted = {layout.BLINKING: 1, layout.BUY: 1, layout.RESIGN: 0}.get(kind, 2)
        if (kind not in (layout.TECH, layout.CYCLE) and n != wanted) or at + 3 + n > len(words):
            return False
        rest = words[at + 3 : at + 3 + n]
        if (rest < (-1 if kind == layout.SETUP else 0)).any() or (rest >= 100).any():
            return False
        types = {layout.BUY: 1, layout.SPAWNS: 1, layout.SETUP: 2}.get(kind, 0)  # arguments that are types
        if (rest[:types] >= len(units())).any():
            return False
        at += 3 + n
    return True


def test_compiled_turns_are_those_of_the_interpreter() -> None:
    compare_targets(11, 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 16))
def test_compiled_turns_are_those_of_the_interpreter_in_many_games(seed: int) -> None:
    compare_targets(seed, 300)


def test_a_turn_is_tested_without_being_played() -> None:
    state = GameState.start(GameConfig.make(MAPS))
    before = state.array.copy()
    assert state.allows(GameTurn.parse("tech 1; board 0 move c1c0", 2))
    assert not state.allows(GameTurn.parse("tech 1; board 0 move c1j9", 2))
    assert np.array_equal(state.array, before)


# ---------------------------------------------------------------------------------------------------------------------- atoms


def atom_games(
    seed: int, number: int, config: GameConfig, target: str = "cpu", *, start: GameState | None = None
) -> dict[int, int]:
    """Random games by atoms; each turn is written down as actions and played whole as well."""
    g = config.ground
    moves, allowed, play, draw, write = (
        specialise(f, config.constants, target=target)
        for f in (atoms.moves, atoms.allowed, atoms.play, atoms.draw, atoms.write)
    )
    dice, rng = random.Random(seed), generator(seed)
    out, action = np.zeros(atoms.MAX_ATOMS, np.int64), np.zeros(3 + atoms.MOST_CYCLE, np.int64)
    begin = start or GameState.start(config)
    s = begin.array.copy()
    words: list[int] = []  # of the turn, which began with `before`
    seen: dict[int, int] = {}
    for _ in range(number):
        if atoms.turn(g, s) == OVER:
            s = begin.array.copy()
        if atoms.turn(g, s) == CHANCE:
            draw(g, s, rng)
        if not words:
            before, words = s.copy(), [layout.TECH, 0, 0]
        side = int(atoms.turn(g, s))
        n = int(moves(g, s, side, out))
        listed = [int(m) for m in out[:n]]
        assert n > 0 and len(set(listed)) == n
        assert all(allowed(g, s, side, m) for m in listed)
        assert not any(allowed(g, s, 1 - side, m) for m in listed)
        if dice.randrange(8 if target == "cpu" else 40) == 0:
            check_complete(g, s, side, set(listed), allowed)
        m = dice.choice(listed)
        kind = int(atoms.kind_of(m))
        seen[kind] = seen.get(kind, 0) + 1
        if kind != atoms.END:
            words += action[: int(write(m, action))].tolist()
        ply, winner = int(s[layout.PLY]), int(s[layout.WINNER])
        play(g, s, side, m)
        if s[layout.PLY] != ply or s[layout.WINNER] != winner:
            whole = GameTurn.from_words(words, config.boards).words()
            assert turns.play(g, before, whole, magic=config.magical) == layout.LEGAL
            assert np.array_equal(before, s)
            words = []
    return seen


def check_complete(g, s, side, listed, allowed) -> None:
    """Whatever is allowed of all atoms there could be is listed."""
    k = max(int(atoms.present(g, s)), 0)
    own = [h for h in range(100) if s[layout.board_of(k) + layout.CELL + h]]
    every = [atoms.atom(layout.TECH, 0, 0, 0, 0), atoms.atom(layout.RESIGN, k, 0, 0, 0)]
    every += [atoms.atom(layout.TECH, 0, 1, c, 0) for c in range(layout.CARDS)]
    every += [atoms.atom(kind, k, 2, x, y) for kind in (layout.MOVE, layout.ATTACK) for x in own for y in range(100)]
    every += [atoms.atom(layout.CYCLE, k, 2, x, y) for x in own for y in own if x < y]
    every += [atoms.atom(layout.BLINKING, k, 1, x, 0) for x in range(100)]
    for t in range(layout.TYPES):
        every += [atoms.atom(layout.BUY, k, 1, t, 0)]
        every += [atoms.atom(layout.SETUP, k, 2, t, keep) for keep in range(layout.TYPES + 1)]
        every += [atoms.atom(layout.SPAWNS, k, 2, t, h) for h in range(100)]
    hand, third = sorted(set(hand_at(g, s, k, side))), atoms.ARGUMENT_SHIFT + 2 * atoms.ARGUMENT_BITS
    every += [atoms.atom(layout.SELL, 0, 0, 0, 0)]
    for spell in range(1, layout.SPELL_KINDS + 1):
        every += [atoms.atom(layout.DISCARD, k, 1, spell, 0), atoms.atom(layout.GIVE, k, 1, spell, 0)]
    for spell in hand:
        n = 1 + int(arguments(spell))
        near = range(100) if n == 3 else range(1)
        every += [
            atoms.atom(layout.CAST, k, n, spell, x) | y << third for x in range(100 if n > 1 else 1) for y in near
        ]
    every += [atoms.atom(layout.RISE, k, 1, x, 0) for x in range(100)]
    every += [atoms.atom(layout.TELEPORT, k, 2, x, y) for x in own for y in range(100)]
    every += [
        atoms.atom(layout.ABILITY, k, 3, x, kind) | y << third for x in own for kind in range(4) for y in range(100)
    ]
    assert {m for m in every if allowed(g, s, side, m)} <= listed


def hand_at(g, s, k: int, side: int) -> list[int]:
    if g[layout.SPELLS_ON] == 0:
        return []
    at = int(layout.hand_of(g, k, side))
    return s[at + 1 : at + 1 + s[at]].tolist()


PLAIN = {*range(layout.CAST), atoms.END}  # kinds of atoms without spells and tiles that act


def test_turns_built_of_atoms_are_turns() -> None:
    seen = atom_games(13, 900, GameConfig.make(MAPS))
    assert PLAIN - {layout.SETUP} <= set(seen) <= PLAIN


@pytest.mark.slow
def test_turns_built_of_atoms_are_turns_in_many_games() -> None:
    assert set(atom_games(2, 10_000, GameConfig.make(MAPS))) == PLAIN


def with_cards(config: GameConfig, spell_cards: str) -> GameState:
    """The start with Thaumaturgy and Metamagic acquired, and a hand on each board."""
    line = "A" * 25
    boards = " ".join(
        f"n|ZI|zi|{spell_cards}|{spell_cards}|0/2ZZ6/1ZNZ6/1ZZ3V3/2C3E3/0/7zz1/6znz1/6zz2/0" for _ in config.lands
    )
    return parse_fen(f"40|40 0|0 {line}|{line} {boards} 0 9", config)


@pytest.mark.parametrize("maps", [("SorcerersLair",), ("TreacherousPathways", "Apocalypse")])
def test_turns_of_the_server_are_built_of_atoms(maps: tuple[str, ...]) -> None:
    config = GameConfig.make(maps, profile="server", rare_spells=2)
    hand = ",".join(spell.key for spell in spells() if not spell.key.endswith("ll"))
    seen = atom_games(3, 100, config, "python", start=with_cards(config, hand))
    seen |= atom_games(4, 80, config, "python")
    assert {layout.GIVE, layout.CAST, layout.DISCARD, layout.ABILITY} <= set(seen)


def test_turns_of_the_book_are_built_of_atoms() -> None:
    config = GameConfig.make(("MidnightLake",), profile="book", points=3)
    assert set(atom_games(5, 600, config)) <= PLAIN


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["server", "book"])
def test_turns_of_every_profile_are_built_of_atoms_in_many_games(profile: str) -> None:
    kinds = set()
    for k, name in enumerate(profile_of(profile).maps):
        config = GameConfig.make((name, "MidnightLake"), profile=profile)
        kinds |= set(atom_games(k, 300, config, "python" if config.magical else "cpu"))
    wanted = PLAIN - {layout.SETUP, layout.BLINKING}  # late in a game: a board lost, a card far up the techline
    if profile == "server":
        wanted |= {layout.CAST, layout.DISCARD, layout.GIVE, layout.TELEPORT, layout.RISE}
    assert kinds >= wanted


def test_a_cycle_of_three_units_is_an_atom() -> None:
    state = GameState.start(GameConfig.make(("AllLand",)))
    s = state.array.copy()
    g = state.config.ground
    atoms.play(g, s, 0, atoms.atom(atoms.END, 0, 0, 0, 0))
    ring = (22, 31, 32)  # c2, b3, c3
    m = atoms.atom(layout.CYCLE, 0, 3, ring[0], ring[1]) | ring[2] << (atoms.ARGUMENT_SHIFT + 2 * atoms.ARGUMENT_BITS)
    with np.errstate(over="ignore"):
        assert atoms.allowed(g, s, 0, m)
        atoms.play(g, s, 0, m)
        after = state.during(GameTurn.parse("board 0 move_cyclic c2 b3 c3", 1))
    assert np.array_equal(s[layout.BOARD :], after.array[layout.BOARD :])
