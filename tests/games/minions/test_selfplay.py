"""Random self-play: what may never happen, and the symmetry of the maps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from stratagem.games.minions import GameConfig, GameState, GameTurn, layout
from stratagem.games.minions.config import hexes_of
from stratagem.games.minions.maps import hex_index, hex_name, mirror
from stratagem.games.minions.notation import fen, parse_fen
from stratagem.games.minions.turn import BoardAction
from stratagem.rng import generator

MAPS = ("AllLand", "BlackenedShores", "MidnightLake")
UNITS_AT_START = 14


def census(state: GameState) -> list[Counter[int]]:
    """How many units each side has on each board and in its zone, necromancers included."""
    found = []
    for board in state.boards:
        count = Counter(piece.side for _, piece in board)
        for side in range(2):
            count[side] += board.reinforcements(side).total()
        found.append(count)
    return found


def check(before: GameState, turn: GameTurn, after: GameState) -> None:
    """The invariants of one turn."""
    middle = before.during(turn)
    assert min(after.money) >= 0
    assert min(middle.money) >= 0
    assert all(b >= a for a, b in zip(before.points, after.points, strict=True))
    assert sum(after.points) - sum(before.points) <= before.config.boards
    side = before.side
    was, is_now, will_be = census(before), census(middle), census(after)
    for k, actions in enumerate(turn.boards):
        now, then, board = was[k], is_now[k], middle.boards[k]
        kinds = Counter(action.kind for action in actions)
        # one's own units change only by purchase and set-up; the enemy's only by kills
        if not kinds["setup"]:
            assert then[side] == now[side] + kinds["buy"]
        assert then[1 - side] <= now[1 - side]
        assert now[1 - side] - then[1 - side] <= kinds["attack"]
        won = sum(after.points) > sum(before.points) and after.boards[k].state == "1"
        if not won:
            assert will_be[k] == then
        else:
            assert len(after.boards[k].pieces) == UNITS_AT_START
        for state in (middle, after):
            words = state.boards[k].words
            cells = words[layout.CELL : layout.CELL + 100]
            sets = [set(hexes_of(*words[layout.UNITS + 2 * s : layout.UNITS + 2 * s + 2])) for s in range(2)]
            assert not sets[0] & sets[1]
            assert sets[0] | sets[1] == set(np.flatnonzero(cells).tolist())
            assert all(layout.owner(int(cells[h])) == s for s in range(2) for h in sets[s])
            assert words[layout.ZONE :].min() >= 0
            for name, piece in state.boards[k]:
                tiles = state.config.lands[k].tiles
                assert piece.unit.flying or tiles[hex_index(name)] != "w"
        necromancers = Counter(piece.side for _, piece in after.boards[k] if piece.unit.necromancer)
        assert necromancers == {0: 1, 1: 1}
        assert board.words[layout.OWED] == 0


def self_play(turns: int, seed: int) -> None:
    config = GameConfig.make(MAPS)
    rng = generator(seed)
    state = GameState.start(config)
    ended = 0
    for _ in range(turns):
        turn = state.random_turn(rng)
        after = state.play(turn)
        check(state, turn, after)
        if after.winner is None:
            assert (after.side, after.ply) == (1 - state.side, state.ply + 1)
        else:
            ended += 1
            after = GameState.start(config)
        state = after
    assert ended or turns < 1000


def test_random_self_play_breaks_no_invariant():
    self_play(300, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_ten_thousand_turns_of_random_self_play_break_no_invariant(seed):
    self_play(2500, seed)  # four times


# -- symmetry


def swapped(state: GameState, names: tuple[str, ...]) -> GameState:
    """The position with every board mirrored and the colours exchanged."""
    money, points, cards, *boards, side, ply = fen(state).split()
    flipped = ["|".join(reversed(text.split("|"))) for text in (money, points, cards)]
    for k, text in enumerate(boards):
        mode, yellow, blue, *_ = text.split("|")
        rows = [["."] * 10 for _ in range(10)]
        for name, piece in state.boards[k]:
            h = mirror(names[k], hex_index(name))
            rows[h // 10][h % 10] = piece.letter.swapcase()
        texts = []
        for row in rows:
            line = "".join(row)
            for gap in range(10, 0, -1):
                line = line.replace("." * gap, str(gap) if gap < 10 else "0")
            texts.append(line)
        flipped.append(f"{mode}|{blue.upper()}|{yellow.lower()}|||{'/'.join(texts)}")
    return parse_fen(" ".join([*flipped, str(1 - int(side)), ply]), state.config)


def test_the_symmetry_of_a_map_with_colours_swapped_maps_turns_to_turns():
    config = GameConfig.make(MAPS)
    names = tuple(next(s for s in land.symmetries if s != "diagonal") for land in config.lands)
    rng = generator(8)
    state = GameState.start(config)
    for _ in range(120):
        turn = state.random_turn(rng)
        boards = tuple(
            tuple(BoardAction(a.kind, tuple(mirror(names[k], h) for h in a.hexes), a.unit, a.keep) for a in actions)
            for k, actions in enumerate(turn.boards)
        )
        after = state.play(turn)
        reflected = swapped(state, names).play(GameTurn(turn.tech, boards))
        assert reflected == swapped(after, names)
        assert swapped(swapped(state, names), names) == state
        if after.winner is not None:
            assert reflected.winner == 1 - after.winner
            after = GameState.start(config)
        state = after
    assert hex_name(mirror("antidiagonal", hex_index("c2"))) == "h7"
