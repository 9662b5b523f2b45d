"""Risk played by its players under every option: legal, the same again with the same seed, by views alone."""

from __future__ import annotations

import numpy as np
import pytest
from toys.risk_cases import case

import stratagem
from stratagem.contract.game import CHANCE
from stratagem.contract.player import Clock
from stratagem.errors import OptionError, StratagemError, UnknownName
from stratagem.games.risk import Risk
from stratagem.games.risk import kernels as k
from stratagem.registry import player, players
from stratagem.rng import generator

SCRIPTED = ("random", "border", "continent", "expected")


def played(game: Risk, names: list[str], seed: int):
    """A whole game, each seat by the player named; every move is checked by the rules as it is played."""
    seats = [player(game, name, seed=seed + p) for p, name in enumerate(names)]
    rng, position = generator(seed), game.start()
    while not position.over:
        if position.turn == CHANCE:
            position = position.play(position.sample(rng))
        else:
            view = position.view(position.turn)
            position = position.play(seats[position.turn].choose(view, Clock()).move)
    return position


@pytest.mark.parametrize("k_", range(0, 30, 2))
def test_scripted_players_are_legal_under_every_option(k_):
    options = case(k_) | {"turn_cap": 16}
    game = Risk(**options)
    names = [f"{SCRIPTED[(k_ + p) % 4]}" + (":draft=preference" if (k_ + p) % 4 else "") for p in range(game.players)]
    position = played(game, names, seed=k_)
    assert position.over and len(position.history) > 100


def test_the_same_seed_gives_the_same_game():
    game = Risk(players=3, turn_cap=12)
    names = ["border", "continent:draft=random", "random"]
    assert played(game, names, 3).history == played(game, names, 3).history != played(game, names, 4).history


def test_a_player_decides_by_its_view_alone():
    """Whatever the others hold, the same view and the same seed give the same move."""
    game = Risk(players=3, turn_cap=30)
    position, rng, compared = game.start(), generator(2), 0
    seats = [player(game, "continent:draft=random", seed=p) for p in range(3)]
    while not position.over and compared < 60:
        if position.turn == CHANCE:
            position = position.play(position.sample(rng))
            continue
        seat = position.turn
        if position.state[k.HELD : k.HELD + 3].sum() > position.state[k.HELD + seat]:
            s = position.state.copy()
            game.run("guess", game.g, s, seat, rng)
            other = game.position(s, position.history)
            moves = [
                player(game, "expected:draft=random", seed=7).choose(world.view(seat), Clock()).move
                for world in (position, other)
            ]
            assert moves[0] == moves[1]
            compared += 1
        position = position.play(seats[seat].choose(position.view(seat), Clock()).move)
    assert compared >= 40


def test_levels_and_names():
    known = players(Risk())
    assert {"easy", "medium", "strong", "random", "border", "continent", "expected", "campaign"} <= set(known)
    with pytest.raises(UnknownName):
        player(Risk(), "brilliant")
    with pytest.raises(StratagemError):
        player(Risk(), "campaign:samples=-1")
    with pytest.raises(OptionError):
        player(Risk(), "campaign:style=brilliant")
    with pytest.raises((StratagemError, OSError)):
        player(Risk(), "strong:draft=nowhere.json")


def test_a_scripted_player_beats_random_play():
    game = stratagem.game("risk", players=2, two_player="pure", claim="deal", turn_cap=60)
    wins = np.zeros(2)
    for seed in range(10):
        names = ["expected", "random"] if seed % 2 else ["random", "expected"]
        position = played(game, names, seed)
        wins[seed % 2] += position.payoff[0 if seed % 2 else 1] > 0
    assert wins.sum() >= 9


@pytest.mark.slow
def test_the_searching_player_is_legal_with_neutral_and_defenders_who_choose():
    game = Risk(players=2, defence="choose", fortify="connected", cards="fixed", turn_cap=10)
    position = played(game, ["campaign:samples=20", "campaign:samples=20,again=true"], seed=1)
    assert position.over
