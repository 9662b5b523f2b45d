"""Equilibria of two and more players given as numbers, checked by their definitions."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from command import run

from stratagem.equilibrium import correlated, lemke_howson, measured_profile, mixed
from stratagem.equilibrium.tables import equilibria
from stratagem.errors import OptionError, ParseError

CHICKEN = [[6, 2], [7, 0]], [[6, 7], [2, 0]]
SHAPES = [(2, 2), (3, 2), (2, 2, 2), (2, 3, 2), (2, 2, 2, 2)]  # each is a few hundred supports at most


def random_game(shape, seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(-9, 10, shape).astype(float) for _ in shape]


def chance_of(strategies, cell):
    return np.prod([p[k] for p, k in zip(strategies, cell, strict=True)])


def value(u, strategies):
    """By the definition: over all joint moves."""
    return sum(u[cell] * chance_of(strategies, cell) for cell in itertools.product(*map(range, u.shape)))


def gains_by_definition(game, strategies):
    found = []
    for i, u in enumerate(game):
        now = value(u, strategies)
        replies = [value(u, [*strategies[:i], np.eye(u.shape[i])[k], *strategies[i + 1 :]]) for k in range(u.shape[i])]
        found.append(max(replies) - now)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_nobody_gains_by_leaving_a_mixed_equilibrium(shape):
    for seed in range(3):
        game = random_game(shape, seed)
        (found,) = mixed(*game)
        assert all(p.min() >= 0 and p.sum() == pytest.approx(1) for p in found.strategies)
        assert max(gains_by_definition(game, found.strategies)) < 1e-7
        assert found.gains == pytest.approx([max(g, 0) for g in gains_by_definition(game, found.strategies)], abs=1e-9)
        assert found.values == pytest.approx([value(u, found.strategies) for u in game])


def test_three_players_whose_equilibrium_is_known():
    """Everybody wants to differ from the next one: cyclic matching pennies, in which all mix alike."""
    game = [np.zeros((2, 2, 2)) for _ in range(3)]
    for a, b, c in itertools.product(range(2), repeat=3):
        game[0][a, b, c], game[1][a, b, c], game[2][a, b, c] = a == b, b == c, c != a
    (found,) = mixed(*game, most=None)
    assert all(p == pytest.approx([0.5, 0.5]) for p in found.strategies) and found.gap < 1e-12


def test_an_irrational_equilibrium_of_three_players_is_found_to_the_last_digits():
    """As Nash remarked, three players may mix by irrational numbers: here each by the root of one half."""
    game = [np.zeros((2, 2, 2)) for _ in range(3)]
    for i, u in enumerate(game):
        u[0, 0, 0] = 1.0  # with the others, else nothing; alone always one half
        np.moveaxis(u, i, 0)[1] = 0.5
    found = [f for f in mixed(*game, most=None) if f.method != "pure"]
    assert any(all(p[0] == pytest.approx(0.5**0.5, abs=1e-12) for p in f.strategies) for f in found)
    assert all(f.gap < 1e-9 for f in found)


def test_all_equilibria_of_a_game_of_coordination_are_found():
    game = [np.zeros((2, 2, 2)) for _ in range(3)]
    for u in game:
        u[0, 0, 0], u[1, 1, 1] = 1, 1
    found = mixed(*game, most=None)
    pure = [f for f in found if f.method == "pure"]
    assert len(pure) >= 2 and any(f.strategies[0] == pytest.approx([0.5, 0.5]) for f in found)
    assert all(f.gap < 1e-9 for f in found)


def test_two_players_are_answered_by_the_exact_methods():
    (one,) = mixed(*CHICKEN)
    assert one.method == "lemke-howson" and one.values == lemke_howson(*CHICKEN).values
    assert len(mixed(*CHICKEN, most=None)) == 3


def test_the_same_seed_gives_the_same_answer_and_a_clock_ends_the_search():
    game = random_game((3, 3, 3), 5)
    one, two = mixed(*game, seed=4), mixed(*game, seed=4)
    assert all((p == q).all() for p, q in zip(one[0].strategies, two[0].strategies, strict=True))
    hurried = mixed(*[np.random.default_rng(k).normal(size=(5, 5, 5)) for k in range(3)], seconds=0.0)
    assert len(hurried) == 1 and hurried[0].gap >= 0


def test_the_certificate_of_any_mixtures():
    found = measured_profile(random_game((2, 2, 2), 1), [[1, 0], [0.5, 0.5], [0, 1]])
    assert found.gains == pytest.approx(gains_by_definition(random_game((2, 2, 2), 1), found.strategies))
    with pytest.raises(OptionError, match="do not fit"):
        measured_profile(CHICKEN, [[1, 0], [1, 0, 0]])


# ------------------------------------------------------------------------------------------- correlated equilibria


def deviations(game, joint, coarse):
    """What each player gains by its best deviation, over all joint moves one by one."""
    found = []
    for i, u in enumerate(game):
        gains = []
        for reported, to in itertools.product(range(u.shape[i]), repeat=2):
            gain = 0.0
            for cell in itertools.product(*map(range, u.shape)):
                if coarse or cell[i] == reported:
                    gain += joint[cell] * (u[(*cell[:i], to, *cell[i + 1 :])] - u[cell])
            gains.append(gain)
        found.append(max(gains))
    return found


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_nobody_gains_by_a_deviation_from_a_correlated_equilibrium(shape, coarse):
    for seed in range(3):
        game = random_game(shape, seed)
        found = correlated(*game, coarse=coarse)
        assert found.joint.min() >= 0 and found.joint.sum() == pytest.approx(1)
        assert max(deviations(game, found.joint, coarse)) < 1e-7 and max(found.gains) < 1e-7
        assert found.values == pytest.approx([(u * found.joint).sum() for u in game])


@pytest.mark.parametrize("shape", SHAPES)
def test_no_equilibrium_is_better_for_the_sum_than_the_correlated_one_and_coarse_ones_are_no_worse(shape):
    game = random_game(shape, 8)
    nash, best, coarse = mixed(*game)[0], correlated(*game), correlated(*game, coarse=True)
    assert sum(nash.values) <= sum(best.values) + 1e-7 <= sum(coarse.values) + 2e-7
    for player in range(len(shape)):
        own = correlated(*game, objective=player)
        assert own.values[player] >= best.values[player] - 1e-7


def test_chickens_best_correlated_equilibrium_is_aumanns():
    found = correlated(*CHICKEN)
    assert found.values == pytest.approx((5.25, 5.25)) and found.joint == pytest.approx(
        np.array([[0.5, 0.25], [0.25, 0]])
    )


def test_large_games_have_correlated_equilibria_too():
    found = correlated(*random_game((60, 50), 2))
    assert max(found.gains) < 1e-7


# ------------------------------------------------------------------------------------------------------ as numbers


def test_a_matrix_is_a_zero_sum_game_and_tables_are_players():
    found = equilibria([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
    assert found["equilibria"][0]["strategies"][0] == [0.25, 0.5, 0.25] and found["equilibria"][0]["exact"] == "0"
    assert len(equilibria(CHICKEN, every=True)["equilibria"]) == 3
    three = equilibria([u.tolist() for u in random_game((2, 2, 2), 3)], "ce", objective="1")
    assert three["objective"] == 1 and sum(row["probability"] for row in three["joint"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ([1, 2], "levels of lists"),
        ([[]], "empty"),
        ([[1, 2], [3]], "equal rows"),
        ([[1, "a"], [2, 3]], "no table of numbers"),
        ([[[1, 2]]], "levels of lists"),
        ([[[1, 2]], [[1, 2], [3, 4]]], "equal rows|must be alike"),
        ([[10**400]], "no table of numbers"),
        ([[float("nan")]], "not finite"),
        ({"a": 1}, "levels of lists"),
        (json.loads("[" * 40 + "1" + "]" * 40), "levels of lists"),
    ],
)
def test_what_is_no_game_is_refused_in_a_line(table, wrong):
    with pytest.raises((ParseError, OptionError), match=wrong):
        equilibria(table)


def test_the_command_line_finds_equilibria(tmp_path):
    found = run("equilibrium", "[[0,-1,2],[1,0,-1],[-2,1,0]]")
    assert found.code == 0 and "player 0 plays  0: 0.25  1: 0.5  2: 0.25" in found.out
    file = tmp_path / "chicken.json"
    file.write_text(json.dumps(CHICKEN))
    reported = run("equilibrium", str(file), "--concept", "ce")
    assert reported.code == 0 and "player 0 gets 5.25; a deviation would gain 0" in reported.out
    reported = run("equilibrium", "-", "--json", stdin=json.dumps([u.tolist() for u in random_game((2, 2, 2), 2)]))
    assert reported.code == 0 and json.loads(reported.out)["equilibria"][0]["gap"] < 1e-9
    for wrong in ("nowhere.json", "[[1,2", "[[1,2],[3]]"):
        assert run("equilibrium", wrong).code == 2
    assert "unknown objective" in run("equilibrium", str(file), "--concept", "ce", "--objective", "7").err
