"""What base games declare of their boards, and the graph of those boards."""

from pathlib import Path

import numpy as np
import pytest
from toys.race import TURN, Race

import stratagem
from stratagem.compile import specialise
from stratagem.games.bidding.boards import BaseBoards, boards_of
from stratagem.games.bidding.game import base_game
from stratagem.games.bidding.graph import ExploreScratch, base_names, blank_growth, explore, explore_template, explorer
from stratagem.kernel import OVER
from stratagem.rng import generator

RACE = str(Path(__file__).parents[2] / "toys" / "race.py")
DECLARED = (
    "tictactoe",
    "tictactoe:rows=8,columns=8,line=5",
    "connect4",
    "nim",
    "hex:size=4",
    "othello",
    "breakthrough",
)


@pytest.mark.parametrize("over", DECLARED)
def test_boards_of_any_order_of_moves_round_trip_through_their_text(over):
    base, rng = base_game(over), generator(5)
    boards = boards_of(base)
    for _ in range(30):
        s = base.start().state.copy()
        for ply in range(12):
            if base.run("turn", base.g, s) == OVER:
                break
            p = int(rng[1] >> ply & 1)  # either side, whosever turn it would be
            if base.legal(s, p):
                with np.errstate(over="ignore"):
                    base.run("play", base.g, s, p, int(base.run("sample", base.g, s, p, rng)))
            boards.forget_turn(s)
            read = boards.parse(boards.text(s))
            boards.forget_turn(read)
            assert boards.text(read) == boards.text(s)
            assert base.run("turn", base.g, read) == base.run("turn", base.g, s)


def test_a_game_that_declares_nothing_is_bid_over_all_the_same():
    class Plain(Race):
        boards = None

    boards, declared = BaseBoards(Plain()), BaseBoards(Race())
    start = Plain().start().state
    assert boards.text(start) == "0,0,0" and boards.parse("0,1,1")[:3].tolist() == [0, 1, 1]
    assert boards.symmetries.tolist() == [[0, 1, 2]]
    second_to_move = boards.parse("1,0,0")
    boards.forget_turn(second_to_move)
    assert second_to_move[TURN] == 1, "no cell was named for it to forget"
    declared.forget_turn(second_to_move)
    assert second_to_move[TURN] == 0


def test_boards_that_differ_only_in_whose_turn_it_is_are_one_node():
    base = stratagem.game("nim", heaps=(2, 3))
    graph = explore(base, base.start().state)
    assert graph.nodes == 13, "heaps of 0 to 2 and 0 to 3, and the last object taken by either"
    first, second = base.parse("1,3").state, base.start().play("1:1").state
    assert first[0] != second[0] and graph.node(first) == graph.node(second) > 0


@pytest.mark.parametrize("over", ["nim:heaps=2,3", "tictactoe:rows=2,columns=3,line=2", f"{RACE}:Race:goal=3"])
@pytest.mark.parametrize("depth", [-1, 2])
def test_a_graph_is_the_same_explored_by_the_interpreter(over, depth):
    base = base_game(over)
    boards, found = boards_of(base), []
    for run in (explorer(base), specialise(explore_template, base_names(base), target="python")):
        growth = blank_growth(base, 512, depth >= 0)
        growth.states[0] = base.start().state[: base.size]
        images = boards.symmetries if depth < 0 else boards.identity
        cells = base.blank(), base.blank(), np.zeros(base.max_moves, np.int64), base.blank(), np.zeros(2)
        while run(base.g, growth, images, depth, 7, ExploreScratch(*cells)) > 0:
            pass
        found.append(growth)
    assert found[0].progress[0] > 5
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)
