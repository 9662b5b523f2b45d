"""MCTS against exact values: proofs never contradict, means converge, and bad input is refused in one line."""

import os
import random
import signal

import numpy as np
import pytest
from toys.node_rows import rows
from toys.random_trees import RandomTree
from toys.three_players import ThreePlayers

import stratagem
from stratagem import Clock, OptionError, StratagemError, UnsuitableSearch
from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame
from stratagem.kernel import OVER
from stratagem.rng import generator
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.score import verdict
from stratagem.search.minimax import Expectimax, Minimax
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.tree import cell
from stratagem.search.tree.mcts import MCTS
from stratagem.search.tree.proofs import no_proof
from stratagem.search.tree.records import plant
from stratagem.search.tree.selection import refresh

TICTACTOE = stratagem.game("tictactoe")
CONNECT4 = stratagem.game("connect4")


def random_position(game, rng, plies):
    """A position `plies` random moves from the start, or a few less where the game ends before."""
    position = game.start()
    for _ in range(plies):
        after = position.play(position.sample(rng))
        if after.over:
            return position
        position = after
    return position


# ----------------------------------------------------------------------------------------------------- exact values


def test_a_proof_never_contradicts_minimax_on_random_trees():
    proven = 0
    for seed in range(25):
        for coarse in (True, False):
            game = RandomTree(seed=seed, alternating=False, coarse=coarse)
            search = MCTS(game, seed=seed, pool=4000)
            search.search(game.start(), simulations=400)
            minimax = Minimax(game, distances=False)
            exact = verdict(game, minimax.search(game.start(), 6).score).value
            for arm in search.arms():
                child = game.start().play(str(arm.move))
                if arm.proven and not child.over:
                    score = minimax.search(child, 6).score
                    theirs = verdict(game, score).value * (1 if child.turn == game.start().turn else -1)
                    assert arm.value == pytest.approx(theirs, abs=1e-5)
            if search.proven() is not None:
                proven += 1
                assert search.proven() == pytest.approx(exact, abs=1e-5)
    assert proven > 15


def test_a_proof_never_contradicts_alpha_beta_on_connect_four_endings():
    rng, exact, search = generator(5), AlphaBeta(CONNECT4), MCTS(CONNECT4, seed=1, reuse=False, pool=400_000)
    proven = kept = 0
    for _ in range(40):
        position = random_position(CONNECT4, rng, 28)
        search.search(position, simulations=30_000)
        solution, best = exact.solve(position), search.arms()[0]
        text = CONNECT4.move_text(position.state, position.turn, best.move)
        kept += value_after(exact, position, text) == solution.value
        for arm in search.arms():
            if arm.proven:
                text = CONNECT4.move_text(position.state, position.turn, arm.move)
                assert arm.value == value_after(exact, position, text)
        if search.proven() is not None:
            proven += 1
            assert search.proven() == solution.value
    assert proven > 25
    assert kept == 40  # proven or not, the move chosen keeps the value of the position


def test_uct_plays_tic_tac_toe_without_a_mistake():
    """From every position after two marks, and from random ones, its move keeps the value of the game."""
    exact, search = AlphaBeta(TICTACTOE), MCTS(TICTACTOE, seed=2, reuse=False, pool=100_000)
    rng, draws = generator(8), random.Random(8)
    openings = [TICTACTOE.start().play(a) for a in TICTACTOE.start().moves()]
    for position in openings + [random_position(TICTACTOE, rng, 2 + draws.randrange(5)) for _ in range(20)]:
        choice = search.analyse(position, Clock(), simulations=20_000)
        assert choice.move in {
            move for move in position.moves()
            if value_after(exact, position, move) == exact.solve(position).value
        }, str(position)  # fmt: skip


def value_after(exact, position, move):
    after = position.play(move)
    return after.payoff[position.turn] if after.over else -exact.solve(after).value


def test_the_value_of_tic_tac_toe_converges():
    search = MCTS(TICTACTOE, seed=3, reuse=False, solve=True, pool=600_000)
    off = [abs(search.analyse(TICTACTOE.start(), Clock(), simulations=n).value) for n in (300, 300_000)]
    assert off[1] < 0.03 < off[0]


def test_max_n_of_three_players_comes_out():
    search_error = []
    for seed in range(12):
        game = ThreePlayers(seed=seed)
        payoffs, move = game.brute_force()
        search = MCTS(game, seed=seed, pool=4000)
        search.search(game.start(), simulations=100_000)
        assert search.arms()[0].move == move
        search_error.append(max(abs(a - b) for a, b in zip(search.values()[0], payoffs, strict=True)))
    assert max(search_error) < 0.25
    assert np.mean(search_error) < 0.1


def test_the_values_of_pig_agree_with_exact_expectation():
    """Near the end, where ten plies see most games out; the rest of the difference is the horizon and the error."""
    game = stratagem.game("pig", target=10)
    exact, search = Expectimax(game), MCTS(game, seed=4, reuse=False, pool=600_000)
    for text in ("7,4 first 2", "8,5 second 0", "3,8 first 4*"):
        position = game.parse(text)
        low, high = (exact.values(position, depth)[0] for depth in (9, 10))
        seat = position.value_seat()
        horizon = abs(low[seat] - high[seat])
        choice = search.analyse(position, Clock(), simulations=200_000)
        assert choice.value == pytest.approx(high[seat], abs=0.04 + 2 * horizon), text


def test_chance_may_stand_at_the_root():
    game = stratagem.game("pig", target=10)
    search = MCTS(game, seed=4, reuse=False, pool=600_000)
    position = game.parse("0,0 first 6*")
    choice = search.analyse(position, Clock(), simulations=60_000, lines=6)
    assert [line.moves[0] for line in choice.lines] == ["1", "2", "3", "4", "5", "6"]
    assert all(abs(line.visits - 10_000) < 500 for line in choice.lines)
    assert choice.lines[3].value == 1.0  # a 4 makes 10: hold, and the game is won
    assert choice.value == pytest.approx(np.mean([line.value for line in choice.lines]), abs=0.02)


# ------------------------------------------------------------------------------------------------------- the tree


def tree_of(game, position, seed, target, simulations):
    search = MCTS(game, seed=seed, target=target, pool=100_000)
    search.search(position, simulations=simulations)
    tree = rows(search.trees[0])
    return [array[: search.nodes_used].tobytes() for array in (tree.stats, tree.quick, tree.nodes)]


def test_the_same_seed_gives_the_same_tree():
    found = [tree_of(TICTACTOE, TICTACTOE.start(), seed, "cpu", 400) for seed in (5, 5, 6)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "pig", "three"])
def test_the_interpreter_grows_the_same_tree(name):
    """Compiled code is inlined by force here, so every kind of node is compared: players, chance, three seats, proofs."""
    game = ThreePlayers() if name == "three" else stratagem.game(name, **({"target": 10} if name == "pig" else {}))
    for position in [game.start(), game.parse("5,3 second 2*") if name == "pig" else game.start()]:
        assert tree_of(game, position, 5, "cpu", 300) == tree_of(game, position, 5, "python", 300)


def test_reports_in_between_change_nothing():
    seen = []
    plain = MCTS(TICTACTOE, seed=5, pool=100_000).analyse(TICTACTOE.start(), Clock(), simulations=3000, lines=9)
    reported = MCTS(TICTACTOE, seed=5, pool=100_000).analyse(
        TICTACTOE.start(), Clock(), simulations=3000, lines=9, report=seen.append
    )
    assert reported.lines == plain.lines
    assert len(seen) > 1
    assert seen[0].nodes < seen[-1].nodes


def test_the_tree_is_kept_from_move_to_move():
    search = MCTS(TICTACTOE, seed=1, pool=300_000)
    first = search.analyse(TICTACTOE.start(), Clock(), simulations=20_000, lines=9)
    position = TICTACTOE.start().play(first.move)
    reply = next(line for line in first.lines if line.moves[0] == first.move).moves[1]
    kept = search.analyse(position.play(reply), Clock(), simulations=1)
    assert kept.details["visits"] > 100
    other = search.analyse(TICTACTOE.parse("XXOO_____"), Clock(), simulations=10)
    assert other.details["visits"] == 10


def test_a_reused_tree_is_the_old_subtree():
    search = MCTS(TICTACTOE, seed=1, pool=300_000)
    search.search(TICTACTOE.start(), simulations=20_000)
    old, node = search.trees[0], search.trees[0].children(0)[4]
    wanted = [(old.move(c), old.visits(c)) for c in old.children(node)]
    search._begin(TICTACTOE.start().play("b2"))
    new = search.trees[0]
    assert [(new.move(c), new.visits(c)) for c in new.children(0)] == wanted


def test_what_uct_compares_is_right_for_every_count():
    """Roots and logarithms come from tables of bins: exact for small counts, near for large ones, and past the end the last."""
    tree = plant(1, proofs=False, priors=False)
    quick, refreshed = tree.quick, specialise(refresh, {"proven": no_proof, "LOW": -1.0}, target="python")
    for n in (*range(1, 1000), *(2**k + d for k in range(10, 33) for d in (-1, 0, 1)), 2**40):
        tree.stats[:] = float(n), 0.25 * n
        refreshed(tree, 0, 0)
        near = 1e-6 if n < 256 else 0.002 if n < 2**32 else np.inf
        assert quick[cell.MEAN] == np.float32(0.25)
        assert abs(quick[cell.SPREAD] * np.sqrt(n) - 1) < near
        assert abs(quick[cell.LOGS] / np.sqrt(np.log(n)) - 1) < near if n > 1 else 0 < quick[cell.LOGS] < 1e-6


def test_a_pool_of_ten_nodes_still_searches():
    search = MCTS(TICTACTOE, seed=1, pool=10)
    choice = search.analyse(TICTACTOE.start(), Clock(), simulations=5000)
    assert choice.move == "b2"
    assert choice.details == {"visits": 5000, "tree": 10}
    with pytest.raises(OptionError, match="a pool of 9 nodes cannot hold the 9 moves here; give 10 or more"):
        MCTS(TICTACTOE, pool=9).analyse(TICTACTOE.start(), Clock(), simulations=10)
    with pytest.raises(OptionError, match="more than a tree can number; give at most 2147483647"):
        MCTS(TICTACTOE, pool=2**31, target="python")


def test_a_pool_beyond_memory_is_refused(monkeypatch):
    def full(*args, **options):
        raise MemoryError

    monkeypatch.setattr("stratagem.search.tree.mcts.plant", full)
    with pytest.raises(OptionError, match="a pool of 5000 nodes does not fit into memory; give fewer"):
        MCTS(TICTACTOE, pool=5000, target="python")


def test_an_immediate_win_is_proven_and_ends_the_search():
    choice = MCTS(TICTACTOE, seed=1, pool=10_000).analyse(TICTACTOE.parse("XX_OO____"), Clock(), simulations=100_000)
    assert (choice.move, choice.value, choice.details["proven"]) == ("c1", 1.0, True)
    assert choice.nodes < 1000


@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_threads_share_the_work(parallel):
    search = MCTS(TICTACTOE, seed=1, threads=2, parallel=parallel, pool=200_000)
    choice = search.analyse(TICTACTOE.start(), Clock(), simulations=100_001, lines=9)
    assert choice.nodes == 100_001
    assert sum(line.visits for line in choice.lines) == 100_001  # additions are atomic: none is lost
    assert abs(choice.value) < (0.06 if parallel == "tree" else 0.15)


def test_in_a_shared_tree_every_visit_is_counted_once():
    """Simulations of a batch are counted before they are walked; what is given up for another must be taken back."""
    search = MCTS(CONNECT4, seed=1, threads=2, parallel="tree", solve=False, pool=400_000)
    search.search(CONNECT4.start(), simulations=40_000)
    tree = search.trees[0]
    assert tree.visits(0) == 40_000
    grown = [node for node in range(1, 400_000) if len(tree.children(node))]
    visits = np.array([tree.visits(node) for node in grown])
    stats = rows(tree).stats
    below = np.array([stats[list(tree.children(node)), cell.VISITS].sum() for node in grown])
    own = visits - below  # the first visit is a node's own, and where two threads were first at once the second too
    assert own.min() == 1 and own.max() <= 2 and own.mean() < 1.1
    gains = stats[: search.nodes_used, cell.TOTAL]
    assert (gains >= 0).all() and (gains <= 2 * stats[: search.nodes_used, cell.VISITS]).all()


# ------------------------------------------------------------------------------------------- priors and networks


def corner_prior(g, s, p, m):
    return 8.0 if m in (0, 2, 6, 8) else 1.0


def test_a_prior_kernel_steers_the_search():
    search = MCTS(TICTACTOE, seed=1, prior=corner_prior, pool=20_000, target="python")
    search.search(TICTACTOE.start(), simulations=300)
    corners = sum(arm.visits for arm in search.arms() if arm.move in (0, 2, 6, 8))
    assert corners > 200
    assert search.trees[0].priors[1:10].sum() == pytest.approx(1)


def perfect(states, movers, lists, counts):
    """A network that has read the solution: values are exact, priors even."""
    values = np.zeros((len(states), 2))
    for i, s in enumerate(states):
        position = TICTACTOE.position(np.ascontiguousarray(s))
        v = EXACT.solve(position).value
        values[i] = (v, -v) if movers[i] == 0 else (-v, v)
    return np.ones(lists.shape), values


EXACT = AlphaBeta(TICTACTOE)


def test_a_network_is_asked_in_batches():
    asked = []

    def network(states, movers, lists, counts):
        asked.append(len(states))
        return perfect(states, movers, lists, counts)

    search = MCTS(TICTACTOE, network=network, batch=16, pool=20_000)
    position = TICTACTOE.parse("X___O____")
    choice = search.analyse(position, Clock(), simulations=400)
    assert value_after(EXACT, position, choice.move) == EXACT.solve(position).value
    assert max(asked) == 16
    assert sum(asked) <= 401


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n, w: (np.ones((n, w)), np.full((n, 2), np.nan)), "values hold NaN"),
        (lambda n, w: (np.full((n, w), np.nan), np.zeros((n, 2))), "priors hold NaN"),
        (lambda n, w: (np.ones((n, w)), np.zeros(n)), r"values have the shape \(1,\); \(1, 2\) was asked for"),
        (lambda n, w: (np.ones((n, w + 1)), np.zeros((n, 2))), r"priors have the shape \(1, 10\)"),
        (lambda n, w: (np.ones((n, w)), np.full((n, 2), 7.0)), "leave the range of payoffs, -1 to 1"),
        (lambda n, w: np.ones(n), "must return"),
        (lambda n, w: ("a", "b"), "must return arrays of numbers"),
    ],
)
def test_a_bad_network_is_named(answer, message):
    search = MCTS(TICTACTOE, network=lambda s, m, lists, c: answer(len(s), lists.shape[1]), pool=20_000)
    with pytest.raises(StratagemError, match=message):
        search.analyse(TICTACTOE.start(), Clock(), simulations=10)


# --------------------------------------------------------------------------------------------------- bad input


def not_a_number(g, s, out):
    out[0] = np.nan
    out[1] = 0.0


def out_of_range(g, s, out):
    out[0] = 0.5
    out[1] = -50.0


@pytest.mark.parametrize(
    ("kernel", "target"), [(not_a_number, "cpu"), (not_a_number, "python"), (out_of_range, "python")]
)
def test_an_evaluator_without_sense_is_an_error(kernel, target):
    message = "NaN or a number out of the range of payoffs, -1 to 1"
    with pytest.raises(StratagemError, match=message):
        MCTS(TICTACTOE, evaluate=kernel, pool=1000, target=target).search(TICTACTOE.start(), simulations=10)
    with pytest.raises(StratagemError, match=message):
        MonteCarlo(TICTACTOE, evaluate=kernel, target="python").estimates(TICTACTOE.start(), simulations=10)


def no_prior(g, s, p, m):
    return np.nan


def late_prior(g, s, p, m):
    return 1.0 if p == 0 else -1.0


@pytest.mark.parametrize("kernel", [no_prior, late_prior])
def test_priors_without_sense_are_an_error(kernel):
    with pytest.raises(StratagemError, match="gave NaN, an infinity or a negative number"):
        MCTS(TICTACTOE, prior=kernel, pool=1000, target="python").search(TICTACTOE.start(), simulations=30)


def test_options_that_are_no_numbers_are_named():
    for options, message in (
        ({"pool": "abc"}, "option pool is 'abc'; it takes a whole number"),
        ({"threads": 1.5}, "option threads is 1.5; it takes a whole number"),
        ({"simulations": "many"}, "option simulations is 'many'; it takes a whole number"),
        ({"playout_depth": "deep"}, "option playout_depth is 'deep'; it takes a whole number"),
        ({"exploration": "x"}, "option exploration is 'x'; it takes a number"),
    ):
        for kind in (MCTS, MonteCarlo):
            if kind is MCTS or "pool" not in options:
                with pytest.raises(OptionError, match=message):
                    kind(TICTACTOE, **options)


def test_bad_budgets_and_options():
    for options, message in (
        ({"simulations": 0}, "a budget of 0 simulations searches nothing"),
        ({"exploration": 0.0}, "an exploration of 0.0"),
        ({"threads": 0}, "0 threads"),
        ({"threads": 100_000}, "there may be 1 to 64"),
        ({"parallel": "leaf"}, "it is tree or root"),
        ({"pool": 1}, "a pool of 1 nodes"),
        ({"playout_cap": 0}, "a cap of 0 plies"),
    ):
        with pytest.raises(OptionError, match=message):
            MCTS(TICTACTOE, **options)
    with pytest.raises(OptionError, match="needs a budget"):
        MCTS(TICTACTOE).search(TICTACTOE.start())


def test_no_time_at_all_tries_every_move_once():
    choice = MCTS(TICTACTOE, seed=1, pool=20_000).analyse(TICTACTOE.start(), Clock(0.0), lines=9)
    assert [line.visits for line in choice.lines] == [1] * 9


def test_a_playout_that_never_ends_is_an_error():
    game = Waiting()
    search = MCTS(game, target="python", playout_cap=500)
    with pytest.raises(StratagemError, match="a playout of waiting had not ended after 500 plies"):
        search.search(game.start(), simulations=10)


def test_games_that_need_another_search_are_refused_by_name():
    with pytest.raises(UnsuitableSearch, match="players decide at once; use InformationSets"):
        MCTS(stratagem.game("goofspiel"))


# A game that never ends, for the cap.


def turn(g, s):
    return 0 if s[0] == 0 else OVER


def count(g, s, p):
    return 1


def move(g, s, p, k):
    return 0


def play(g, s, p, m):
    s[0] = 0


def payoff(g, s, out):
    out[0] = 0.0
    out[1] = 0.0


class Waiting(ArrayGame):
    name = "waiting"
    title = "Waiting"
    size = 1


def test_a_network_that_fails_leaves_nothing_to_go_on_with():
    calls = []

    def fails_once(states, movers, lists, counts):
        calls.append(len(states))
        if len(calls) == 5:
            raise RuntimeError("out of memory")
        return np.ones(lists.shape), np.zeros((len(states), 2))

    search = MCTS(TICTACTOE, seed=1, network=fails_once, batch=16, pool=20_000, target="python", solve=False)
    with pytest.raises(RuntimeError, match="out of memory"):
        search.search(TICTACTOE.start(), simulations=200)
    search.search(TICTACTOE.start(), simulations=100)
    tree = search.trees[0]
    assert tree.visits(0) == rows(tree).stats[list(tree.children(0)), cell.VISITS].sum() == 100


def test_control_c_ends_a_search_by_network_and_keeps_what_it_found():
    calls = []

    def pressed(states, movers, lists, counts):
        calls.append(len(states))
        if len(calls) == 3:  # the first is about the root, before anything is found
            os.kill(os.getpid(), signal.SIGINT)
        return np.ones(lists.shape), np.zeros((len(states), 2))

    search = MCTS(TICTACTOE, seed=1, network=pressed, batch=4, pool=20_000, target="python")
    choice = search.analyse(TICTACTOE.start(), Clock(20.0))
    assert not choice.finished and choice.nodes > 0 and choice.move in TICTACTOE.start().moves()


def test_the_seat_asked_for_must_be_the_one_that_decides():
    for seat in (1, 7):
        with pytest.raises(StratagemError, match="nothing to decide"):
            MCTS(TICTACTOE, target="python", pool=100).analyse(TICTACTOE.start(), Clock(), seat=seat, simulations=10)


def test_the_same_position_again_goes_on_with_the_same_tree():
    search = MCTS(TICTACTOE, seed=1, pool=20_000, target="python", solve=False)
    search.search(TICTACTOE.start(), simulations=100)
    before, used = search.trees[0], search.nodes_used
    search.search(TICTACTOE.start(), simulations=100)
    assert search.trees[0] is before and search.nodes_used > used
    assert before.visits(0) == 200 == sum(arm.visits for arm in search.arms())
