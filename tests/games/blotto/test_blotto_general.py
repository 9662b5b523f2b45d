"""Blotto games that are not constant-sum: the examples of the tables, certificates by brute force, correlated equilibria."""

import random
from fractions import Fraction

import numpy as np
import pytest
from references import blotto as reference
from scipy.optimize import linprog
from toys.blotto_cases import gains_by_brute_force, plain, random_rules

from stratagem.errors import UnsuitableSearch
from stratagem.games.blotto import Rules
from stratagem.games.blotto.general_sum import best_pair, extreme_equilibria
from stratagem.games.blotto.oracle import Payoffs
from stratagem.games.blotto.rules import TIES
from stratagem.games.blotto.solve import solve

MIRRORED = Rules.of((3, 3), "3,2,1", "1,2,3")
LOST = Rules.of((3, 3), "1,2,3", ties="lost")
UNEQUAL = Rules.of((3, 2), "3,2,1", "2,3,1")


def payoffs_of(equilibria):
    return sorted({tuple(round(x, 6) for x in e.payoffs) for e in equilibria})


def pure(equilibria):
    return [(*e.first, *e.second) for e in equilibria if len(e.first) == len(e.second) == 1]


def test_two_units_on_two_fronts_have_three_pure_equilibria():
    rules = Rules.of((2, 2), "1,2", "2,1")
    found = extreme_equilibria(rules)
    assert len(pure(found)) == 3 and payoffs_of(found) == [(2.0, 2.0)]
    assert solve(rules, exact=True).exact == (2, 2)
    assert solve(rules).security == pytest.approx((1.5, 1.5))


def test_unequal_budgets_and_private_values():
    found = extreme_equilibria(UNEQUAL)
    assert not pure(found)
    assert payoffs_of(found) == [(round(23 / 6, 6), 2.375), (round(23 / 6, 6), 2.5)]
    solved = solve(UNEQUAL)
    assert solved.payoffs[0] == pytest.approx(23 / 6) and min(abs(solved.payoffs[1] - x) for x in (2.375, 2.5)) < 1e-9
    assert solved.security == pytest.approx((19 / 5, 11 / 5))
    coarse = solve(UNEQUAL, "cce")
    assert coarse.payoffs == pytest.approx((25 / 6, 8 / 3))
    assert coarse.bound == pytest.approx(41 / 6)
    correlated = solve(UNEQUAL, "ce")
    assert sum(correlated.payoffs) == pytest.approx(19 / 3) == correlated.bound
    assert solve(UNEQUAL, welfare="sum").payoffs == pytest.approx((23 / 6, 2.5))


@pytest.mark.slow
def test_mirrored_values_have_four_extreme_equilibria():
    found = extreme_equilibria(MIRRORED)
    third = round(10 / 3, 6)
    assert len(found) == 4 and payoffs_of(found) == [(third, third), (third, 4.0), (4.0, third), (4.0, 4.0)]
    assert pure(found) == [((1, 2, 0), (0, 2, 1))]


def test_mirrored_values_security_and_welfare():
    found = solve(MIRRORED)
    assert found.security == pytest.approx((3, 3))
    assert sum(solve(MIRRORED, "ce").payoffs) == pytest.approx(8)
    assert solve(MIRRORED, welfare="sum").payoffs == pytest.approx((4, 4))


@pytest.mark.slow
def test_ties_lost_to_both_have_two_pure_equilibria_among_many():
    found = extreme_equilibria(LOST)
    # Gambit's enumeration prints 56, with repetitions: 37 of them are distinct, and they are these
    assert len(found) == 37
    assert sorted(pure(found)) == [((0, 0, 3), (1, 1, 1)), ((1, 1, 1), (0, 0, 3))]
    assert min(min(e.payoffs) for e in found) == pytest.approx(2)
    assert max(max(e.payoffs) for e in found) == pytest.approx(3)
    for e in found:
        assert max(gains_by_brute_force(LOST, e.first, e.second)[1]) < 1e-7


def test_ties_lost_to_both_security():
    assert solve(LOST).security == pytest.approx((2, 2))
    assert solve(LOST, welfare="sum").payoffs == pytest.approx((3, 3))


def test_four_units_with_mirrored_values():
    rules = Rules.of((4, 4), "4,2,1", "1,2,4")
    found = solve(rules)
    assert found.security == pytest.approx((3.5, 3.5))
    own, gains = gains_by_brute_force(rules, {(1, 3, 0): 1.0}, {(0, 3, 1): 1.0})
    assert own == pytest.approx([5, 5]) and max(gains) <= 1e-12
    assert solve(rules, welfare="sum").payoffs == pytest.approx((5, 5))


def test_a_mixed_equilibrium_pays_91_twentieths_there():
    from stratagem.equilibrium import lemke_howson

    rows, columns, a, b = reference.matrices((4, 4), [[4, 2, 1], [1, 2, 4]], ("score", "score"), "split")
    met = {tuple(np.round(lemke_howson(a, b, label=k).values, 9)) for k in range(len(rows) + len(columns))}
    assert (4.55, 4.55) in met


def coarse_welfare(a, b):
    """The best welfare of a coarse correlated equilibrium by one explicit program."""
    a, b = np.array(a), np.array(b)
    m, n = a.shape
    deviations = [(a[k][None, :] - a).ravel() for k in range(m)] + [(b[:, [k]] - b).ravel() for k in range(n)]
    found = linprog(
        -(a + b).ravel(), A_ub=np.array(deviations), b_ub=np.zeros(m + n), A_eq=np.ones((1, m * n)), b_eq=[1]
    )
    return -found.fun


def test_generated_coarse_equilibria_have_the_welfare_of_the_explicit_program():
    rng = random.Random(31)
    for _ in range(25):
        rules = random_rules(rng, 4, private=True)
        _, _, a, b = reference.matrices(
            rules.units, rules.values, rules.objectives, rules.ties, int(rules.power), rules.disposal, rules.worth
        )
        found = solve(rules, "cce")
        assert sum(found.payoffs) == pytest.approx(coarse_welfare(a, b), abs=1e-6)
        assert found.bound == pytest.approx(sum(found.payoffs), abs=1e-6)
        assert max(found.gains) < 1e-6
        for player in (0, 1):
            own = sum(p * float(plain(rules, *pair)[player]) for pair, p in found.joint.items())
            assert own == pytest.approx(found.payoffs[player], abs=1e-8)
            best = max(
                sum(p * float(plain(rules, *((d, pair[1]) if player == 0 else (pair[0], d)))[player])
                    for pair, p in found.joint.items())
                for d in reference.allocations(rules.units[player], rules.fronts, rules.disposal)
            )  # fmt: skip
            assert best - own <= 1e-6


def test_correlated_equilibria_are_between_nash_and_coarse():
    rng = random.Random(32)
    for _ in range(12):
        rules = random_rules(rng, 3, private=True)
        ce, cce, nash = solve(rules, "ce"), solve(rules, "cce"), solve(rules)
        assert sum(nash.payoffs) - 1e-6 <= sum(ce.payoffs) <= sum(cce.payoffs) + 1e-6
        assert max(ce.gains) < 1e-6
        by_hand = 0.0
        for reported in {a for a, _ in ce.joint}:
            part = {b: p for (a, b), p in ce.joint.items() if a == reported}
            own = sum(p * float(plain(rules, reported, b)[0]) for b, p in part.items())
            best = max(
                sum(p * float(plain(rules, d, b)[0]) for b, p in part.items())
                for d in reference.allocations(rules.units[0], rules.fronts, rules.disposal)
            )
            by_hand += max(best - own, 0.0)
        assert by_hand == pytest.approx(ce.gains[0], abs=1e-8)


def correlated_welfare(a, b):
    """The best welfare of a correlated equilibrium by an explicit program: a row for each plan recommended and each other one."""
    a, b = np.array(a), np.array(b)
    m, n = a.shape
    rows = []
    for reported in range(m):
        for instead in range(m):
            row = np.zeros((m, n))
            row[reported] = a[instead] - a[reported]
            rows.append(row.ravel())
    for reported in range(n):
        for instead in range(n):
            row = np.zeros((m, n))
            row[:, reported] = b[:, instead] - b[:, reported]
            rows.append(row.ravel())
    found = linprog(-(a + b).ravel(), A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=np.ones((1, m * n)), b_eq=[1])
    return -found.fun


def test_unspent_units_are_worth_their_share_of_the_plan_reported():
    """They once counted in full against a share of a mixture: rows that nothing violates were added for ever."""
    rules = Rules.of((2, 2), "1,2", "2,1", disposal=True, worth="1/10")
    found = solve(rules, "ce", seconds=60)
    assert found.finished and sum(found.payoffs) == pytest.approx(4) == found.bound
    part = Payoffs(rules).best(0, [(2, 0, 0)], np.array([0.25]))
    whole = Payoffs(rules).best(0, [(2, 0, 0)], np.array([1.0]))
    assert part[1] == whole[1] and part[0] == pytest.approx(whole[0] / 4)


def test_every_concept_agrees_with_plain_programs_where_unspent_units_have_a_worth():
    rng = random.Random(35)
    for number in range(30):
        fronts = rng.randint(1, 3)
        values = [tuple(Fraction(rng.randint(0, 4), rng.choice((1, 2))) for _ in range(fronts)) for _ in range(2)]
        objectives = ("score", "score") if number % 3 else ("score", "lottery")
        rules = Rules(
            (rng.randint(1, 3), rng.randint(1, 3)),
            (values[0], values[1]),
            objectives,
            TIES[number % len(TIES)],
            Fraction(2),
            True,
            Fraction(rng.randint(1, 6), 10),
        )
        _, _, a, b = reference.matrices(rules.units, rules.values, objectives, rules.ties, 2, True, rules.worth)
        ce, cce, nash = (solve(rules, concept, seconds=60) for concept in ("ce", "cce", "nash"))
        assert ce.finished and cce.finished and nash.finished
        assert sum(ce.payoffs) == pytest.approx(correlated_welfare(a, b), abs=1e-6)
        assert sum(cce.payoffs) == pytest.approx(coarse_welfare(a, b), abs=1e-6)
        assert max(*ce.gains, *cce.gains) < 1e-6
        own, gains = gains_by_brute_force(rules, *nash.strategies)
        assert own == pytest.approx(nash.payoffs) and max(gains) < 1e-6


def test_a_larger_game_of_private_values_is_certified():
    rules = Rules.of((12, 10), "1,2,3,4", "4,3,2,1")
    found = solve(rules)
    assert found.finished and max(found.gains) < 1e-8
    assert found.payoffs[0] > found.security[0] and found.payoffs[1] > found.security[1]
    coarse = solve(rules, "cce")
    assert coarse.finished and max(coarse.gains) < 1e-7
    assert sum(coarse.payoffs) == pytest.approx(coarse.bound, abs=1e-6)
    assert sum(coarse.payoffs) >= sum(found.payoffs) - 1e-6


def test_no_regret_play_is_a_coarse_equilibrium_up_to_its_regrets():
    found = solve(Rules.of((8, 6), "1,2,3", "3,2,1"), "cce", method="regret", seconds=2)
    assert found.concept == "cce" and 0 <= max(found.gains) < 0.1


def test_the_best_pair_of_plans_is_that_of_brute_force():
    rng = np.random.default_rng(33)
    for _ in range(20):
        f = rng.integers(-9, 10, (3, 5, 4)).astype(float)
        value, a, b = best_pair(f)
        pairs = [
            sum(f[i, x, y] for i, (x, y) in enumerate(zip(p, q, strict=True)))
            for p in reference.allocations(4, 3) for q in reference.allocations(3, 3)
        ]  # fmt: skip
        assert value == max(pairs)
        assert sum(f[i, a[i], b[i]] for i in range(3)) == value and sum(a) == 4 and sum(b) == 3


def test_different_objectives_make_a_game_of_their_own():
    rules = Rules.of((4, 4), "1,2,3", objective="score", objective_b="win")
    found = solve(rules)
    own, gains = gains_by_brute_force(rules, *found.strategies)
    assert own == pytest.approx(found.payoffs) and max(gains) < 1e-8


def test_large_games_refuse_the_methods_of_small_ones():
    large = Rules.of((20, 20), "1,2,3", "3,2,1")
    with pytest.raises(UnsuitableSearch, match="small games"):
        extreme_equilibria(large)
    with pytest.raises(UnsuitableSearch, match="40 plans"):
        solve(large, welfare="sum")
