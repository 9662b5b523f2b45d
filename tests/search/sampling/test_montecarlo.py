"""Flat Monte-Carlo against exact means, on the CPU, in threads and on Numba's simulator of a GPU."""

import os
import subprocess
import sys
import textwrap

import pytest
from toys.kuhn import Kuhn

import stratagem
from stratagem import Clock, MissingKernel, OptionError, StratagemError
from stratagem.search.sampling.montecarlo import MonteCarlo

TICTACTOE = stratagem.game("tictactoe")


def exact_mean(position, seat):
    """The mean payoff to a seat under uniformly random play, by going through all of it."""
    if position.over:
        return position.payoff[seat]
    following = [exact_mean(position.play(move), seat) for move in position.moves()]
    return sum(following) / len(following)


POSITION = TICTACTOE.parse("X_O_X____")  # O to play


def test_means_agree_with_random_play_gone_through_in_full():
    search = MonteCarlo(TICTACTOE, share="uniform", seed=1)
    for one in search.estimates(POSITION, simulations=60_000):
        after = POSITION.play(TICTACTOE.move_text(POSITION.state, 1, one.move))
        low, high = one.interval
        assert abs(one.value - exact_mean(after, 1)) < 4 * one.error + 1e-9
        assert low < one.value < high or one.error == 0


@pytest.mark.parametrize("share", ["uniform", "ucb", "halving"])
def test_every_share_finds_the_move(share):
    search = MonteCarlo(TICTACTOE, share=share, seed=1)
    choice = search.analyse(POSITION, Clock(), simulations=10_000, lines=6)
    assert choice.move == "c3"  # the only move that does not lose at once
    assert abs(sum(line.visits for line in choice.lines) - 10_000) < 40
    spread = [line.visits for line in choice.lines]
    assert (max(spread) == min(spread) or max(spread) - min(spread) == 1) == (share == "uniform")
    # on a busy machine half a second may be a handful of playouts
    assert any(search.analyse(POSITION, Clock(seconds)).move == "c3" for seconds in (0.5, 5.0, 50.0))


def test_the_same_seed_gives_the_same_estimates_and_the_interpreter_agrees():
    found = [
        MonteCarlo(TICTACTOE, seed=seed, target=target).estimates(POSITION, simulations=500)
        for seed, target in ((1, "cpu"), (1, "cpu"), (1, "python"), (2, "cpu"))
    ]
    assert found[0] == found[1] == found[2] != found[3]


def test_common_random_numbers_make_differences_less_noisy():
    """In poker the same hidden cards and the same answers are met by both moves."""
    game = Kuhn()
    position = game.start().play("2")

    def spread(common):
        differences = []
        for seed in range(40):
            search = MonteCarlo(game, share="uniform", common=common, seed=seed, target="python")
            a, b = search.estimates(position.view(0), seat=0, simulations=100)
            differences.append(a.value - b.value)
        mean = sum(differences) / len(differences)
        return sum((x - mean) ** 2 for x in differences) / len(differences)

    assert spread(True) < 0.7 * spread(False)


def test_threads_add_up():
    search = MonteCarlo(TICTACTOE, share="uniform", threads=2, seed=1)
    found = search.estimates(POSITION, simulations=60_001)
    assert sum(one.samples for one in found) == 60_001
    for one in found:
        after = POSITION.play(TICTACTOE.move_text(POSITION.state, 1, one.move))
        assert abs(one.value - exact_mean(after, 1)) < 4 * one.error + 1e-9


def test_chance_at_the_root_gives_the_value_of_the_position():
    game = stratagem.game("pig", target=30)
    choice = MonteCarlo(game, seed=1).analyse(game.parse("10,10 first 9*"), Clock(), simulations=20_000)
    assert choice.move in {"1", "2", "3", "4", "5", "6"}
    assert 0 < choice.value < 1


def test_a_playout_may_end_at_a_depth():
    game = stratagem.game("pig", target=30)
    choice = MonteCarlo(game, playout_depth=0, target="python").analyse(
        game.parse("0,25 second 4"), Clock(), simulations=50, lines=2
    )
    hold = next(line for line in choice.lines if line.moves[0] == "hold")
    assert hold.error < 1e-6  # the heuristic value, every time
    with pytest.raises(MissingKernel, match="cannot end at a depth: its rules give no 'value' kernel"):
        MonteCarlo(TICTACTOE, playout_depth=3)


def greedy(g, s, p, r):
    """A playout strategy: take the first empty cell."""
    for cell in range(9):
        if (s[0] | s[1]) >> cell & 1 == 0:
            return cell
    return -1


def test_a_playout_strategy_of_ones_own():
    search = MonteCarlo(TICTACTOE, strategy=greedy, share="uniform", target="python")
    found = {
        TICTACTOE.move_text(POSITION.state, 1, one.move): one for one in search.estimates(POSITION, simulations=60)
    }
    assert all(one.error == 0 for one in found.values())  # nothing is random
    position = POSITION.play("c3")
    while not position.over:
        position = position.play(position.moves()[0])
    assert found["c3"].value == position.payoff[1]


def test_where_all_decide_at_once_the_others_are_sampled():
    game = stratagem.game("goofspiel", cards=3)
    choice = MonteCarlo(game, target="python", seed=1).analyse(game.start(), Clock(), seat=1, simulations=300, lines=3)
    assert choice.move == "3"
    with pytest.raises(StratagemError, match="nothing to decide"):
        MonteCarlo(TICTACTOE, target="python").analyse(POSITION, Clock(), seat=0, simulations=10)


def test_hidden_cards_are_guessed():
    game = Kuhn()
    position = game.start().play("2").play("bet")  # the first holds 2 and bets; the second holds 3
    choice = MonteCarlo(game, seed=1, target="python").analyse(
        position.view(1), Clock(), seat=1, simulations=200, lines=2
    )
    assert (choice.move, choice.value) == ("bet", 2.0)


def test_bad_input():
    for options, message in (
        ({"simulations": 0}, "a budget of 0 playouts tries nothing"),
        ({"share": "fair"}, "one of uniform, ucb, halving"),
        ({"threads": 0}, "0 threads"),
        ({"threads": 100_000}, "there may be 1 to 64"),
        ({"exploration": float("nan")}, "an exploration of nan"),
    ):
        with pytest.raises(OptionError, match=message):
            MonteCarlo(TICTACTOE, **options)
    with pytest.raises(StratagemError, match="had not ended after 3 plies"):
        MonteCarlo(TICTACTOE, playout_cap=3, target="python").estimates(TICTACTOE.start(), simulations=10)


GPU = """
    import stratagem
    from stratagem.search.sampling.montecarlo import MonteCarlo
    for name, options, text in (("tictactoe", {}, "X_O_X____"), ("goofspiel", {"cards": 3, "order": "random"}, "")):
        game = stratagem.game(name, **options)
        position = game.parse(text)
        found = [
            MonteCarlo(game, share="uniform", seed=3, target=target).estimates(position, simulations=60)
            for target in ("python", "cuda")
        ]
        assert found[0] == found[1], found
    try:
        MonteCarlo(stratagem.game("tictactoe"), target="cuda", playout_cap=2).estimates(position.game.start(), simulations=9)
    except stratagem.StratagemError as error:
        print(error)
"""


def test_the_gpu_plays_the_same_playouts_on_the_simulator():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(GPU)], capture_output=True, text=True, check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_without_a_gpu_the_message_says_what_to_do():
    from numba import cuda

    if cuda.is_available():
        assert MonteCarlo(TICTACTOE, target="cuda").estimates(POSITION, simulations=600)
    else:
        with pytest.raises(StratagemError, match="none was found; use the target cpu with threads"):
            MonteCarlo(TICTACTOE, target="cuda")


@pytest.mark.parametrize("share", ["uniform", "ucb", "halving"])
def test_a_budget_is_kept_to_the_playout_and_reports_change_nothing(share):
    for budget in (1, 5, 9, 14, 100, 301):
        found = []
        for report in (None, lambda choice: None):
            search = MonteCarlo(TICTACTOE, share=share, seed=4)
            found.append(search.analyse(TICTACTOE.start(), Clock(), simulations=budget, lines=9, report=report))
        assert found[0].nodes == budget
        assert found[0].lines == found[1].lines, budget
