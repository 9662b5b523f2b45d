"""Every search agrees with plain minimax, and the published figures come out."""

import random
import time

import numpy as np
import pytest
from toys.leaves import Leaves
from toys.random_positions import random_positions
from toys.random_trees import RandomTree

import stratagem
from stratagem import Clock, OptionError, StratagemError, UnsuitableSearch
from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta
from stratagem.search.alphabeta.score import INFINITY, WIN, verdict
from stratagem.search.minimax import Expectimax, Minimax, graph_minimax

TICTACTOE = stratagem.game("tictactoe")
CONNECT4 = stratagem.game("connect4")


# ------------------------------------------------------------------------------------------------ published figures


def test_minimax_of_tic_tac_toe_sees_the_whole_tree():
    found = Minimax(TICTACTOE, distances=False).search(TICTACTOE.start(), 9)
    assert (found.score, found.nodes) == (0, 549_946)


def test_minimax_with_a_table_calls_16168_times():
    search = AlphaBeta(TICTACTOE, prune=False, ordered=False, distances=False, table_bits=22)
    found = search.search(TICTACTOE.start(), 9)
    assert (found.score, found.nodes) == (0, 16_168)


@pytest.mark.parametrize(("ordered", "wide", "narrow"), [(False, 18_297, 16_811), (True, 7_275, 6_323)])
def test_alpha_beta_of_tic_tac_toe_without_a_table(ordered, wide, narrow):
    search = AlphaBeta(TICTACTOE, PLAIN, ordered=ordered, distances=False, table_bits=0)
    assert search.search(TICTACTOE.start(), 9).nodes == wide  # the window -2 .. 2
    assert search.search(TICTACTOE.start(), 9, -WIN, WIN).nodes == narrow  # the window -1 .. 1


def test_tic_tac_toe_has_5478_positions():
    seen, todo = set(), [TICTACTOE.start()]
    while todo:
        position = todo.pop()
        if str(position) not in seen:
            seen.add(str(position))
            if not position.over:
                todo += [position.play(move) for move in position.moves()]
    assert len(seen) == 5478


def pons_score(game, text):
    """22 less the winner's stones at the end, negative for a loss; the convention of the public benchmark sets."""
    solution = AlphaBeta(game).solve(game.parse(text))
    if solution.value == 0:
        return 0
    stones = len(text) + solution.moves_to_end
    return int(solution.value) * (22 - (stones + 1) // 2)


@pytest.mark.parametrize(("text", "score"), [("4455", 18), ("44455554221", -15)])
def test_scores_of_connect_four_positions(text, score):
    assert pons_score(CONNECT4, text) == score


SMALL = {(6, 4): -1, (4, 5): 0}
LARGER = {(4, 4): 0, (5, 4): 0, (5, 5): 0, (4, 6): 0, (7, 5): 0, (6, 6): -1}  # each size is compiled anew


@pytest.mark.parametrize(
    ("size", "value"),
    [
        *SMALL.items(),
        *(pytest.param(*item, marks=[pytest.mark.slow, pytest.mark.timeout(1200)]) for item in LARGER.items()),
    ],
    ids=str,
)
def test_values_of_smaller_boards(size, value):
    """J. Tromp's table, re-solved."""
    game = stratagem.game("connect4", width=size[0], height=size[1])
    assert AlphaBeta(game, table_bits=22).solve(game.start()).value == value


# ------------------------------------------------------------------------------------------ agreement with minimax


def test_every_search_agrees_with_minimax_on_connect_four():
    plain = Minimax(CONNECT4)
    searches = [AlphaBeta(CONNECT4, table_bits=0), AlphaBeta(CONNECT4, table_bits=14, deeper=False)]
    for position in random_positions(CONNECT4, 300, 2, range(30)):
        expected = plain.search(position, 5).score
        for search in searches:
            assert search.search(position, 5).score == expected


def test_windows_keep_their_promise():
    """v inside: the value; v >= beta: a lower bound; v <= alpha: an upper bound."""
    plain, search = Minimax(CONNECT4), AlphaBeta(CONNECT4, table_bits=0)
    rng = random.Random(5)
    for position in random_positions(CONNECT4, 200, 3, range(25, 36)):
        m = plain.search(position, 6).score
        alpha = m + rng.choice([-WIN, -3, -1, 0, 1, 3])
        beta = alpha + rng.choice([1, 2, 5, WIN])
        v = search.search(position, 6, alpha, beta).score
        if alpha < v < beta:
            assert v == m
        elif v >= beta:
            assert m >= v
        else:
            assert m <= v


def test_random_trees_with_transpositions():
    """One specialisation serves all trees: only the ground differs."""
    first = RandomTree()
    plain, bare = Minimax(first), AlphaBeta(first, table_bits=0)
    same_depth, full = AlphaBeta(first, table_bits=4, deeper=False), AlphaBeta(first, table_bits=5)
    for alternating in (True, False):
        for coarse in (True, False):
            for seed in range(150):
                game = RandomTree(seed=seed, alternating=alternating, coarse=coarse)
                for search in (plain, bare, same_depth, full):
                    search.game = game
                same_depth.clear()
                full.clear()
                for depth in (2, 4, 6):
                    expected = plain.search(game.start(), depth).score
                    assert bare.search(game.start(), depth).score == expected
                    assert same_depth.search(game.start(), depth).score == expected
                assert full.search(game.start(), 6).score == expected


def test_solve_agrees_with_minimax_on_values_lengths_and_best_moves():
    plain, search = Minimax(CONNECT4), AlphaBeta(CONNECT4)
    for position in random_positions(CONNECT4, 60, 7, range(34, 41)):
        solution = search.solve(position)
        left = 42 - len(position.history)
        score = plain.search(position, left).score
        result = verdict(CONNECT4, score)
        assert solution.value == result.value
        assert solution.moves_to_end == (result.moves_to_end if result.moves_to_end is not None else left)
        scores = {}
        for move in position.moves():
            after = position.play(move)
            if after.over:
                scores[move] = WIN - 1 if after.payoff[position.turn] > 0 else 0
            else:
                s = -plain.search(after, left).score
                scores[move] = s - np.sign(s) if abs(s) > WIN / 2 else s
        assert solution.best == tuple(sorted(m for m, s in scores.items() if s == max(scores.values())))


def test_shorter_wins_and_longer_losses_are_preferred():
    position = TICTACTOE.parse("XX_OO____")
    solution = AlphaBeta(TICTACTOE).solve(position)
    assert (solution.value, solution.moves_to_end, solution.best) == (1, 1, ("c1",))
    lost = CONNECT4.parse("44455554221")
    assert AlphaBeta(CONNECT4).solve(lost).moves_to_end == 2


def test_minimax_on_a_plain_graph():
    tree = {"a": ["b", "c"], "b": ["d", "e"], "c": ["f", "d"]}
    worth = {"d": 3, "e": 5, "f": 2}
    calls = []

    def evaluate(node):
        calls.append(node)
        return worth.get(node, 0)

    assert graph_minimax("a", 2, lambda n: tree.get(n, []), evaluate) == 3
    assert graph_minimax("a", 2, lambda n: tree.get(n, []), evaluate, maximising=False) == 3
    calls.clear()
    assert graph_minimax("a", 2, lambda n: tree.get(n, []), evaluate, table={}) == 3
    assert len(calls) == 3  # d is looked up the second time


def test_expectimax_of_pig_by_hand():
    """Target 2 wins with any hold: a roll wins unless it is a 1."""
    game = stratagem.game("pig", target=2)
    values, move, _ = Expectimax(game).values(game.parse("0,0 first 2"), 2)
    assert (values, game.move_text(None, 0, move)) == ((1.0, -1.0), "hold")
    # A roll in "0,0 first 0": 5/6 wins by holding next; after a 1 the other player rolls, and there the tree is cut.
    one_roll, _, _ = Expectimax(game).values(game.start(), 3)
    cut = np.zeros(2)
    game.run("value", game.g, game.parse("0,0 second 0*").state, cut)
    assert one_roll[0] == pytest.approx(5 / 6 + 1 / 6 * cut[0])


def test_one_ply_of_pig_is_better_than_chance():
    game = stratagem.game("pig", target=50)
    rng, won = random.Random(5), 0
    for k in range(100):
        seats = [stratagem.player(game, "random", seed=k)]
        seats.insert(k % 2, stratagem.player(game, "easy"))
        position = game.start()
        while not position.over:
            if position.turn == stratagem.CHANCE:
                position = position.play(str(rng.randint(1, 6)))
            else:
                position = position.play(seats[position.turn].choose(position, Clock()).move)
        won += position.payoff[k % 2] == 1
    assert won >= 60


def test_expectimax_agrees_with_a_plain_recursion():
    game = stratagem.game("pig", target=7, players=3, faces=3)
    search = Expectimax(game)

    def plain(position, depth):
        if position.over:
            return position.payoff
        if depth == 0:
            out = np.zeros(3)
            game.run("value", game.g, position.state, out)
            return tuple(out)
        after = [plain(position.play(text), depth - 1) for text in position.moves()]
        if position.turn == stratagem.CHANCE:
            return tuple(np.mean(after, axis=0))
        return max(after, key=lambda values: values[position.turn])

    for depth in range(7):
        assert search.values(game.start(), depth)[0] == pytest.approx(plain(game.start(), depth))


# --------------------------------------------------------------------------------------------------- clock and input


def test_a_search_stopped_by_the_clock_returns_a_finished_depth():
    search = AlphaBeta(CONNECT4, deeper=False)
    fixed = AlphaBeta(CONNECT4, deeper=False)
    for seconds in (0.0, 0.001, 0.01, 0.03, 0.1):
        search.clear()
        choice = search.analyse(CONNECT4.start(), Clock(seconds))
        assert choice.depth >= 1
        fixed.clear()
        exact = verdict(CONNECT4, fixed.search(CONNECT4.start(), choice.depth).score)
        assert exact.value == (choice.value or 0.0), "nothing is known so early, and a search counts that as a draw"
        assert choice.move in CONNECT4.start().moves()


def test_the_clock_is_kept():
    search = AlphaBeta(CONNECT4)
    search.analyse(CONNECT4.start(), Clock(0.0))
    began = time.perf_counter()
    search.analyse(CONNECT4.start(), Clock(0.3))
    assert time.perf_counter() - began < 10.0  # generous: the machine may be busy


def test_several_lines_are_the_best_moves_in_order():
    position = CONNECT4.parse("4455")
    choice = AlphaBeta(CONNECT4).analyse(position, Clock(None), depth=6, lines=4)
    assert [line.moves[0] for line in choice.lines[:2]] == ["3", "6"]
    values = [line.value or 0.0 for line in choice.lines]
    assert values == sorted(values, reverse=True)
    assert choice.lines[0].moves_to_end == 3


def test_a_users_evaluation_plugs_in():
    search = AlphaBeta(CONNECT4, evaluate=prefers_the_edge)
    choice = search.analyse(CONNECT4.start(), Clock(None), depth=1)
    assert choice.move == "1"
    assert choice.value == pytest.approx(0.5)


def prefers_the_edge(g, s, out):
    out[0] = 0.5 if s[0] & 1 else 0.0
    out[1] = -out[0]


def test_what_a_search_cannot_do_it_says():
    pig = stratagem.game("pig")
    with pytest.raises(UnsuitableSearch, match="use expectimax"):
        AlphaBeta(CONNECT4).search(pig.start(), 2)
    with pytest.raises(OptionError, match="1 or more"):
        AlphaBeta(CONNECT4).search(CONNECT4.start(), 0)
    with pytest.raises(OptionError, match="0 or more"):
        Clock(-1)


def test_scores_are_bounded():
    assert verdict(CONNECT4, WIN - 5).moves_to_end == 5
    assert verdict(CONNECT4, 5 - WIN).value == -1.0
    assert INFINITY > WIN


def test_a_value_that_nobody_knows_is_none_and_not_nought():
    far = AlphaBeta(CONNECT4).analyse(CONNECT4.parse("4453"), Clock(None), depth=6, lines=7)
    assert [line.value for line in far.lines] == [None] * 7 and far.value is None
    near = AlphaBeta(TICTACTOE).analyse(TICTACTOE.start(), Clock(None), lines=9)
    assert [line.value for line in near.lines] == [0.0] * 9, "searched to the end: draws that are known"
    won = AlphaBeta(CONNECT4).analyse(CONNECT4.parse("445566"), Clock(None), depth=4, lines=2)
    assert (won.value, won.lines[0].moves_to_end) == (1.0, 1)


# ------------------------------------------------------------------------------------------------------- payoffs as they are


@pytest.mark.parametrize(
    ("paid", "top"),
    [
        ((6.0, 9.0, 2.0, 8.0), 10.0),
        ((0.6, 0.9, 0.3, 0.7), 1.0),
        ((1 / 3, 0.9, 0.25, 0.7), 1.0),
        ((0.1234, 0.9, 0.1, 0.7), 2.5),
        ((123456.0, 200000.0, 5.0, 9.0), 1e6),
    ],
)
def test_a_tree_is_worth_what_its_leaf_pays_to_the_last_digit(paid, top):
    game = Leaves(paid=" ".join(map(repr, paid)), top=top, bottom=-top)
    found = AlphaBeta(game, target="python").solve(game.start())
    assert (found.value, found.within, found.best) == (paid[0], None, ("1",))
    assert Minimax(game, target="python").analyse(game.start(), Clock(None), depth=2).value == paid[0]


def test_a_payoff_that_no_score_carries_is_reported_with_its_error():
    game = Leaves(paid="0.612345678901 0.9 0.3 0.7", top=1.0, bottom=-1.0)
    found = AlphaBeta(game, target="python").solve(game.start())
    assert 0 < found.within < 1e-8
    assert abs(found.value - 0.612345678901) <= found.within != 0
    assert stratagem.solve(game.start()).within == found.within


@pytest.mark.parametrize("search", [AlphaBeta, Minimax])
def test_a_payoff_out_of_the_declared_range_is_an_error_and_no_answer(search):
    game = Leaves(top=1.0, bottom=-1.0)
    with pytest.raises(StratagemError, match=r"leaves pays 6, -6, but its payoff_range is \(-1, 1\)"):
        search(game, target="python").search(game.start(), 2)


class Endless(Leaves):
    name = title = "endless"

    def setup(self):
        self.payoff_range = (-1.0, float("inf"))


@pytest.mark.parametrize(("bottom", "top"), [(1.0, -1.0), (-1.0, 10.0)])
def test_a_payoff_range_is_checked_when_a_game_is_made(bottom, top):
    with pytest.raises(OptionError, match="payoff_range of leaves is"):
        Leaves(bottom=bottom, top=top)
    with pytest.raises(OptionError, match="payoff_range of endless is"):
        Endless()
