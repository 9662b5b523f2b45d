"""Settings of the searches: frozen, checked when they are made, and the same as options by name."""

from dataclasses import FrozenInstanceError, fields

import pytest
from toys.kuhn import Kuhn

import stratagem
from stratagem import Clock, OptionError
from stratagem.search.sampling import montecarlo
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.tree import determinised, infosets, mcts
from stratagem.search.tree.determinised import Determinised
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS

TICTACTOE = stratagem.game("tictactoe")
SEARCHES = [
    (MCTS, mcts.MctsSettings),
    (MonteCarlo, montecarlo.MonteCarloSettings),
    (InformationSets, infosets.InfosetSettings),
]


@pytest.mark.parametrize(("search", "settings"), SEARCHES)
def test_settings_and_options_by_name_mean_the_same(search, settings):
    options = {"exploration": 0.7, "seed": 3, "target": "python"}
    given = settings(**options)
    found = [
        search(TICTACTOE, *args, **named).analyse(TICTACTOE.start(), Clock(), simulations=40, lines=9)
        for args, named in (
            ((given,), {}),
            ((), options),
            ((settings(seed=3),), {"exploration": 0.7, "target": "python"}),
        )
    ]
    assert found[0].lines == found[1].lines == found[2].lines


@pytest.mark.parametrize(("search", "settings"), SEARCHES)
def test_an_option_that_a_search_does_not_have_is_named_beside_those_it_has(search, settings):
    with pytest.raises(OptionError, match=r"takes no option 'explore'; it takes exploration, simulations, "):
        search(TICTACTOE, explore=1)


@pytest.mark.parametrize("settings", [settings for _, settings in SEARCHES])
def test_settings_are_checked_whatever_the_game(settings):
    for name, value, message in (
        ("exploration", 0, "an exploration of 0.0 makes no search"),
        ("exploration", "much", "option exploration is 'much'; it takes a number"),
        ("simulations", 0, "a budget of 0 "),
        ("simulations", 2.5, "option simulations is 2.5; it takes a whole number"),
    ):
        with pytest.raises(OptionError, match=message):
            settings(**{name: value})
    with pytest.raises(FrozenInstanceError):
        settings().seed = 5


def test_the_usual_exploration_is_said_with_an_impossible_one():
    for kind, usual in ((mcts.MctsSettings, "1.4"), (montecarlo.MonteCarloSettings, "1")):
        with pytest.raises(OptionError, match=rf"give a number above 0, {usual} is usual"):
            kind(exploration=-1)


def test_sampled_worlds_hand_on_what_is_not_theirs():
    search = Determinised(Kuhn(), determinised.DeterminisedSettings(worlds=3), seed=5, solve=False, target="python")
    assert search.settings == determinised.DeterminisedSettings(worlds=3, seed=5)
    assert (search.engine.settings.solve, search.engine.settings.seed) == (False, 5)
    with pytest.raises(OptionError, match="0 worlds show nothing"):
        determinised.DeterminisedSettings(worlds=0)


def test_every_setting_of_the_players_is_a_setting_of_their_search():
    from stratagem.search.players import FLAT, SETS, TREE

    for names, kind in (
        (TREE, mcts.MctsSettings),
        (SETS, infosets.InfosetSettings),
        (FLAT, montecarlo.MonteCarloSettings),
    ):
        assert set(names) <= {field.name for field in fields(kind)}
