"""Our games as environments of PettingZoo and Gymnasium: they pass those libraries' own tests, and play by our rules."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import stratagem
from stratagem import ArrayGame
from stratagem.errors import IllegalMove, OptionError
from stratagem.kernel import CHANCE
from stratagem.protocols.stepping import ArrayStepper, stepper
from stratagem.registry import game_names
from stratagem.rng import generator

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (pip install 'stratagem[neighbours]')")

from stratagem.protocols.gymnasium import SeatEnvironment, register
from stratagem.protocols.pettingzoo import aec, parallel

LISTABLE = [name for name in game_names() if name != "minions"]
QUICK = ["tictactoe", "connect4", "goofspiel", "nim", "pig", "blotto"]


def check_all_ways(name: str) -> None:
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, parallel_api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say about observations that are not pictures
        api_test(aec(name, compiled=False), num_cycles=20)
        parallel_api_test(parallel(name, compiled=False), num_cycles=10)
        seed_test(lambda: aec(name, compiled=False), num_cycles=10)
        check_env(SeatEnvironment(name, compiled=False), skip_render_check=True)


@pytest.mark.parametrize("name", QUICK)
def test_a_game_passes_the_other_libraries_own_tests(name: str) -> None:
    check_all_ways(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LISTABLE if name not in QUICK])
def test_every_listable_game_passes_the_other_libraries_own_tests(name: str) -> None:
    check_all_ways(name)


def test_games_whose_moves_cannot_be_listed_say_so() -> None:
    with pytest.raises(OptionError, match="too many to number"):
        stepper("minions")


@pytest.mark.parametrize(
    "name", ["tictactoe", "connect4", "hex", "breakthrough", "othello", "nim", "pig", "goofspiel", "draft"]
)
def test_moves_are_below_the_bound_that_a_game_declares(name: str) -> None:
    game = stratagem.game(name)
    assert isinstance(game, ArrayGame) and game.move_bound is not None
    rng = generator(5)
    for seed in range(3):
        position = game.start(seed=seed)
        while not position.over:
            if position.turn == CHANCE:
                position = position.play(position.sample(rng))
                continue
            for seat in position.asked:
                assert max(position.move_numbers(seat)) < game.move_bound
            texts = [position.sample(rng, p) if p in position.asked else "-" for p in range(game.players)]
            position = position.play(texts if position.turn < 0 else texts[position.turn])


@pytest.mark.parametrize("name", ["connect4", "goofspiel", "bidding"])
def test_steps_follow_the_rules_compiled_and_interpreted(name: str) -> None:
    """The same actions lead to the positions that the game's own moves lead to."""
    draws = np.random.default_rng(3)
    both = [stepper(name, compiled=name == "connect4"), stepper(name, compiled=False)]
    for steps in both:
        steps.reset(7)
    position = both[0].position()
    while both[0].turn != -1:
        assert both[0].asked == both[1].asked == position.asked
        actions = {seat: int(draws.choice(both[0].legal(seat))) for seat in both[0].asked}
        texts = [both[0].text_of(p, actions[p]) if p in actions else "-" for p in range(position.game.players)]
        assert all(both[0].action_of(p, texts[p]) == action for p, action in actions.items())
        position = position.play(texts if position.turn < 0 else texts[position.turn])
        for steps in both:
            steps.play(actions)
            assert steps.position() == position
            assert [list(steps.mask(p)) for p in range(2)] == [list(both[0].mask(p)) for p in range(2)]
    assert both[0].payoff == position.payoff


def test_what_is_hidden_is_not_in_an_observation() -> None:
    steps = stepper("roborally", compiled=False)
    assert isinstance(steps, ArrayStepper)
    steps.reset(3)
    position = steps.position()
    for seat in range(steps.game.players):
        assert np.array_equal(steps.observe(seat), position.view(seat).state[: steps.shape])
    assert not np.array_equal(steps.observe(0), steps.observe(1))


def test_an_action_outside_the_mask_loses_and_is_never_played() -> None:
    steps = stepper("tictactoe", compiled=False)
    steps.reset(0)
    steps.play({0: 4})
    with pytest.raises(IllegalMove, match="not in its action mask"):
        steps.play({1: 4})
    env = SeatEnvironment("tictactoe", compiled=False)
    env.reset(seed=1)
    env.step(4)
    _, reward, terminated, _, info = env.step(4)
    assert (reward, terminated, info) == (-1.0, True, {"illegal": True})
    wrapped = aec("tictactoe", compiled=False)
    wrapped.reset(seed=1)
    wrapped.step(4)
    wrapped.step(4)
    assert wrapped.unwrapped.rewards["player_1"] == -1.0 and all(wrapped.unwrapped.terminations.values())


def test_what_the_first_chose_is_not_seen_before_all_have_chosen() -> None:
    env = aec("goofspiel", compiled=False)
    env.reset(seed=1)
    before = env.observe("player_1")["observation"].copy()
    env.step(4)
    assert env.agent_selection == "player_1" and np.array_equal(env.observe("player_1")["observation"], before)
    env.step(3)
    assert not np.array_equal(env.observe("player_1")["observation"], before)


def test_the_drawing_as_pixels() -> None:
    pytest.importorskip("resvg_py", reason="resvg_py is not installed (pip install 'stratagem[neighbours]')")
    env = aec("connect4", "rgb_array", compiled=False)
    env.reset(seed=1)
    empty = env.render()
    env.step(3)
    assert empty.shape[2] == 3 and empty.dtype == np.uint8 and not np.array_equal(empty, env.render())
    shown = SeatEnvironment("tictactoe", render_mode="ansi", compiled=False)
    shown.reset(seed=1)
    assert isinstance(shown.render(), str)


def test_gymnasium_makes_our_games_by_name() -> None:
    import gymnasium

    assert "stratagem/connect4-v0" in register()
    env = gymnasium.make("stratagem/connect4-v0", opponent="random", compiled=False)
    seen, _ = env.reset(seed=5)
    total, over = 0.0, False
    while not over:
        seen, reward, over, _, _ = env.step(env.action_space.sample(seen["action_mask"]))
        total += float(reward)
    assert total in (-1.0, 0.0, 1.0)
