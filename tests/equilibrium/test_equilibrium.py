"""One-shot games: known equilibria, and for everything else the definition, checked by best responses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.compile import specialise
from stratagem.equilibrium import (
    correlated,
    exploitability,
    fictitious_play,
    lemke_howson,
    regret_matching,
    support_enumeration,
    zero_sum,
    zero_sum_many,
)
from stratagem.equilibrium.simplex import Tableau, new_tableau, solve_matrix, undominated
from stratagem.errors import OptionError

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def brute_force_value(a) -> Fraction:
    """Shapley and Snow: some square submatrix, made to equalise, gives the value. Slow, and obviously right."""
    from itertools import combinations

    a = [[Fraction(x) for x in row] for row in a]
    m, n = len(a), len(a[0])

    def solve(rows):
        k = len(rows) - 1
        t = [row[:] for row in rows]
        for c in range(k + 1):
            at = next((i for i in range(c, k + 1) if t[i][c]), None)
            if at is None:
                return None
            t[c], t[at] = t[at], t[c]
            t[c] = [x / t[c][c] for x in t[c]]
            for i in range(k + 1):
                if i != c:
                    t[i] = [x - t[i][c] * y for x, y in zip(t[i], t[c], strict=True)]
        return [row[-1] for row in t]

    for k in range(1, min(m, n) + 1):
        for rows in combinations(range(m), k):
            for columns in combinations(range(n), k):
                x = solve([[*(a[i][j] for i in rows), Fraction(-1), Fraction(0)] for j in columns]
                          + [[Fraction(1)] * k + [Fraction(0), Fraction(1)]])  # fmt: skip
                y = solve([[*(a[i][j] for j in columns), Fraction(-1), Fraction(0)] for i in rows]
                          + [[Fraction(1)] * k + [Fraction(0), Fraction(1)]])  # fmt: skip
                if x is None or y is None or min(x[:-1]) < 0 or min(y[:-1]) < 0:
                    continue
                least = min(sum(p * a[i][j] for p, i in zip(x, rows, strict=False)) for j in range(n))
                most = max(sum(p * a[i][j] for p, j in zip(y, columns, strict=False)) for i in range(m))
                if least == most:
                    return least
    raise AssertionError("every matrix game has a value")


def test_rock_paper_scissors_is_played_uniformly():
    found = zero_sum(ROCK_PAPER_SCISSORS)
    assert found.row == pytest.approx([1 / 3] * 3)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert not found.pure


def test_a_saddle_point_is_found_and_pure():
    found = zero_sum([[4, 2, 5], [3, 1, 0], [6, 2, 8]])
    assert (found.method, found.value, found.pure, found.exploitability) == ("saddle", 2, True, 0)


def test_dominated_rows_and_columns_go_first():
    a = np.array([[3.0, 0, 5], [0, 3, 5], [-1, 2, 4]])  # the last row and the last column are dominated
    rows, columns = np.zeros(3, np.int64), np.zeros(3, np.int64)
    left = undominated(a, 3, 3, rows, columns)
    assert (left // 4, left % 4) == (2, 2)
    assert zero_sum(a).row == pytest.approx([0.5, 0.5, 0])


def test_the_value_is_a_fraction_on_request():
    found = zero_sum([[Fraction(1, 3), 0], [0, Fraction(1, 7)]], exact=True)
    assert found.exact == Fraction(1, 10)
    assert found.exact_row == (Fraction(3, 10), Fraction(7, 10))


def test_random_games_of_whole_numbers_agree_with_brute_force():
    rng = np.random.default_rng(7)
    for _ in range(150):
        a = rng.integers(-2, 3, rng.integers(1, 5, 2))
        value = brute_force_value(a.tolist())
        assert zero_sum(a, exact=True).exact == value
        found = zero_sum(a)
        assert found.value == pytest.approx(float(value), abs=1e-12)
        assert found.exploitability < 1e-12


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([1e-9, 1.0, 1e9]))
def test_best_responses_gain_nothing_whatever_the_scale(m, n, seed, scale):
    a = np.random.default_rng(seed).normal(size=(m, n)) * scale + scale
    found = zero_sum(a)
    assert exploitability(a, found.row, found.column) <= 1e-12 * scale
    assert found.row.sum() == pytest.approx(1) and found.column.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "a",
    [
        np.zeros((4, 6)),  # everything ties
        np.ones((5, 5)) - 2 * np.eye(5),
        np.outer([1, 2, 3], [1, -1, 2]),  # rank one
        np.tile(ROCK_PAPER_SCISSORS, (3, 3)),  # copies
        1 / (np.arange(10)[:, None] + np.arange(10)[None, :] + 1.0) * (-1.0) ** np.arange(10),  # Hilbert's matrix
        np.array([[1e12, -1e12, 1], [-1e12, 1e12, 0], [1, 0, 1e-6]]),  # eighteen orders of magnitude
        np.array([[1, -1], [-1, 1 + 1e-13]]),
    ],
)
def test_degenerate_and_ill_conditioned_matrices_are_solved(a):
    found = zero_sum(a)
    exact = zero_sum(a, exact=True)
    spread = float(a.max() - a.min()) or 1.0
    assert found.value == pytest.approx(exact.value, abs=1e-9 * spread)
    assert found.exploitability <= 1e-9 * spread
    assert max(exploitability(a, exact.row, exact.column), 0) <= 1e-9 * spread


def test_a_known_cycle_of_the_simplex_method_ends():
    # Beale's example as a game: equal ratios at every step
    a = np.array([[0.25, -60, -0.04, 9], [0.5, -90, -0.02, 3], [0, 0, 1, 0]])
    assert zero_sum(a, method="simplex").exploitability < 1e-9


def test_highs_takes_the_large_ones():
    a = np.random.default_rng(1).integers(-1, 2, (260, 250))
    found = zero_sum(a)
    assert found.method == "lp" and found.exploitability < 1e-9
    assert found.value == pytest.approx(zero_sum(a, method="simplex").value, abs=1e-9)


def test_many_small_games_at_once_are_the_same_games():
    a = np.random.default_rng(3).integers(-4, 5, (200, 4, 5)).astype(float)
    values, x, y, gaps = zero_sum_many(a)
    assert values == pytest.approx([zero_sum(game).value for game in a], abs=1e-12)
    assert gaps.max() < 1e-12 and x.shape == (200, 4) and y.shape == (200, 5)


def count_mixed_template(a, x, y, tableau: Tableau):
    mixed = 0
    for k in range(a.shape[0]):
        solve_matrix(a[k], 3, 3, x, y, tableau)
        if x[0] < 1 and x[1] < 1 and x[2] < 1:
            mixed += 1
    return mixed


def test_the_solver_runs_inside_other_templates():
    a = np.array([ROCK_PAPER_SCISSORS, np.ones((3, 3)), ROCK_PAPER_SCISSORS], float)
    for target in ("python", "cpu"):
        assert specialise(count_mixed_template, target=target)(a, np.zeros(3), np.zeros(3), new_tableau(3, 3)) == 2


@pytest.mark.parametrize("payoffs", [[], [[]], [1, 2], [[1, float("nan")]], [["a"]]])
def test_what_is_no_matrix_is_refused(payoffs):
    with pytest.raises(OptionError):
        zero_sum(payoffs)


# -- bimatrix games


def test_the_battle_of_the_sexes_has_three_equilibria():
    found = support_enumeration([[3, 0], [0, 2]], [[2, 0], [0, 3]])
    assert {e.exact_row for e in found} == {(1, 0), (0, 1), (Fraction(3, 5), Fraction(2, 5))}


def test_degenerate_games_keep_their_extreme_equilibria():
    # von Stengel's example: the second row leaves the column player indifferent
    found = support_enumeration([[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]])
    rows = {(e.exact_row, e.exact_column) for e in found}
    assert ((1, 0, 0), (1, 0)) in rows and ((1, 0, 0), (Fraction(2, 3), Fraction(1, 3))) in rows
    assert ((0, Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 3), Fraction(2, 3))) in rows
    assert all(e.exploitability < 1e-12 for e in found)


def test_lemke_howson_never_cycles_nor_loses_its_way_in_degenerate_games():
    rng = np.random.default_rng(11)
    for _ in range(60):
        shape = rng.integers(1, 5, 2)
        a, b = rng.integers(0, 2, shape), rng.integers(0, 2, shape)  # nearly all of these are degenerate
        extreme = [(e.exact_row, e.exact_column) for e in support_enumeration(a, b)]
        for label in range(sum(shape)):
            exact = lemke_howson(a, b, label=label, exact=True)
            assert (exact.exact_row, exact.exact_column) in extreme
            assert lemke_howson(a, b, label=label).exploitability < 1e-9


def test_lemke_howson_in_floats_and_in_whole_numbers_walk_the_same_path():
    rng = np.random.default_rng(5)
    for _ in range(20):
        a, b = rng.integers(-9, 10, (6, 5)), rng.integers(-9, 10, (6, 5))
        floats, exact = lemke_howson(a, b, label=3), lemke_howson(a, b, label=3, exact=True)
        assert floats.row == pytest.approx(exact.row) and floats.work == exact.work


def test_lemke_howson_on_badly_scaled_payoffs():
    a, b = np.array([[1e9, 1e-9], [0, 1e-8]]), np.array([[1, 1 + 1e-12], [1, 1]])
    assert lemke_howson(a, b).gains[0] <= 1e-9 * 1e9


def test_the_best_correlated_equilibrium_of_chicken_beats_the_mixed_one():
    a, b = [[6, 2], [7, 0]], [[6, 7], [2, 0]]
    found = correlated(a, b)
    assert sum(found.values) == pytest.approx(10.5)  # Aumann's example; the mixed equilibrium gives 28 / 3
    assert found.exploitability < 1e-9


def test_unlike_shapes_are_refused():
    with pytest.raises(OptionError, match="shapes"):
        lemke_howson([[1, 2]], [[1], [2]])


# -- learning


def test_regret_matching_and_fictitious_play_approach_the_value():
    a = np.random.default_rng(2).normal(size=(40, 30))
    value = zero_sum(a).value
    fast = regret_matching(a, iterations=100_000, tolerance=1e-4)
    assert fast.exploitability <= 1e-4 and fast.value == pytest.approx(value, abs=2e-4)
    slow = fictitious_play(a, iterations=100_000)
    assert slow.exploitability < 0.03
    assert regret_matching(a, iterations=500).exploitability > 1e-4  # the tolerance above was earned
