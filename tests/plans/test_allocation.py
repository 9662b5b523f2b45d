"""Allocations: numbering, drawing, best splits against brute force, noise, flows."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.compile import specialise
from stratagem.errors import OptionError, Unlistable
from stratagem.plans import allocation as al
from stratagem.rng import generator


def brute(units, fronts):
    return [plan for plan in product(range(units + 1), repeat=fronts) if sum(plan) == units]


@pytest.mark.parametrize(("units", "fronts"), [(0, 1), (5, 1), (0, 4), (4, 3), (6, 4), (3, 6)])
def test_allocations_are_listed_in_the_order_of_their_numbers(units, fronts):
    listed = [tuple(plan) for plan in al.allocations(units, fronts).tolist()]
    assert listed == brute(units, fronts)
    assert len(listed) == al.count(units, fronts)
    assert [al.rank(plan) for plan in listed] == list(range(len(listed)))
    assert [al.unrank(k, units, fronts) for k in range(len(listed))] == listed


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_numbers_beyond_64_bits_come_back(plan):
    number = al.rank(plan)
    assert al.unrank(number, sum(plan), len(plan)) == tuple(plan)
    assert number < al.count(sum(plan), len(plan))


def test_counts_are_exact_far_beyond_64_bits():
    assert al.count(1000, 20) == math.comb(1019, 19) > 2**63
    assert al.unrank(al.count(1000, 20) - 1, 1000, 20) == (1000, *[0] * 19)


def test_samples_are_uniform_and_follow_the_seed():
    rng = generator(7)
    drawn = [al.sample(4, 3, rng) for _ in range(6000)]
    counts = np.bincount([al.rank(plan) for plan in drawn], minlength=15)
    chi = ((counts - 400) ** 2 / 400).sum()
    assert chi < 36  # 14 degrees of freedom: 1 in 1000
    rng = generator(7)
    assert [al.sample(4, 3, rng) for _ in range(6000)] == drawn


def random_tables(rng):
    fronts, units = int(rng.integers(1, 5)), int(rng.integers(0, 8))
    kind = rng.integers(4)
    tables = rng.integers(-3, 9, (fronts, units + 1)).astype(float)
    if kind == 1:  # all concave
        tables = np.cumsum(-np.sort(-tables, axis=1), axis=1)
    elif kind == 2:  # some concave
        tables[::2] = np.cumsum(-np.sort(-tables[::2], axis=1), axis=1)
    elif kind == 3:  # fronts that cannot take all
        tables[rng.random(tables.shape) < 0.2] = -np.inf
        tables[:, 0] = 0.0
    return tables, units, fronts


def test_best_splits_are_those_of_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(300):
        tables, units, fronts = random_tables(rng)
        worth = {plan: sum(tables[i, x] for i, x in enumerate(plan)) for plan in brute(units, fronts)}
        value, plan = al.best_split(tables)
        assert value == pytest.approx(max(worth.values()))
        assert worth[plan] == pytest.approx(value) if math.isfinite(value) else sum(plan) == units
        splits = al.best_splits(tables)
        for budget in range(units + 1):
            best = max(sum(tables[i, x] for i, x in enumerate(p)) for p in brute(budget, fronts))
            assert splits.values[budget] == pytest.approx(best)
            if math.isfinite(best):
                chosen = splits.plan(budget)
                assert sum(chosen) == budget
                assert sum(tables[i, x] for i, x in enumerate(chosen)) == pytest.approx(best)
        ranked = al.k_best_splits(tables, 6)
        expected = sorted((w for w in worth.values() if math.isfinite(w)), reverse=True)[:6]
        assert [v for v, _ in ranked] == pytest.approx(expected)
        assert len({p for _, p in ranked}) == len(ranked)
        assert all(worth[p] == pytest.approx(v) for v, p in ranked)


def test_concave_and_general_tables_agree_at_a_thousand_units():
    rng = np.random.default_rng(3)
    tables = np.cumsum(-np.sort(-rng.integers(0, 50, (20, 1001)), axis=1), axis=1).astype(float)
    greedy, plan = al.best_split(tables)
    rough = tables.copy()
    rough[:, -1] += 0.25  # no longer concave, and never chosen
    rough[:, -1] -= 1000
    assert al.best_split(rough)[0] == greedy
    assert sum(plan) == 1000


def test_noise_falls_with_visits_and_is_shared_by_a_front():
    rng = generator(2)
    tables = np.zeros((400, 6))
    few = al.stochastic_tables(tables, 0, rng, spread=2.0, shared=0.9)
    many = al.stochastic_tables(tables, 99, rng, spread=2.0, shared=0.9)
    assert few.std() == pytest.approx(2.0, rel=0.1)
    assert many.std() == pytest.approx(0.2, rel=0.1)
    assert np.corrcoef(few[:, 0], few[:, 5])[0, 1] == pytest.approx(0.9, abs=0.05)
    assert np.array_equal(al.stochastic_tables(tables, 0, generator(5)), al.stochastic_tables(tables, 0, generator(5)))


def test_a_flow_is_decomposed_into_the_mixture_that_it_came_from():
    rng = np.random.default_rng(4)
    plans = al.allocations(4, 3)
    weights = rng.dirichlet(np.ones(len(plans)))
    flow = np.zeros((3, 5, 5))
    for plan, weight in zip(plans, weights, strict=True):
        spent = 0
        for i, x in enumerate(plan):
            flow[i, spent, x] += weight
            spent += x
    found = al.decompose(flow)
    back = np.zeros_like(flow)
    for plan, weight in found.items():
        assert sum(plan) == 4
        spent = 0
        for i, x in enumerate(plan):
            back[i, spent, x] += weight
            spent += x
    assert np.allclose(back, flow)
    assert len(found) <= (flow > 0).sum()


def test_exponential_weights_over_all_allocations_have_the_marginals_of_their_list():
    rng = np.random.default_rng(5)
    worth = rng.normal(0, 3, (3, 6))
    plans = al.allocations(5, 3)
    weights = np.exp([sum(worth[i, x] for i, x in enumerate(plan)) for plan in plans])
    weights /= weights.sum()
    expected = np.zeros((3, 6))
    for plan, weight in zip(plans, weights, strict=True):
        expected[np.arange(3), plan] += weight
    flow, chances = np.zeros((3, 6, 6)), np.zeros((3, 6))
    run = specialise(al.gibbs_flow, target="python")
    run(worth, flow, 1.0, np.empty((4, 6)), np.empty((4, 6)), np.empty(6), chances)
    assert np.allclose(chances, expected)
    assert np.allclose(flow.sum(axis=1), expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: al.unrank(15, 4, 3), "no allocation 15"),
        (lambda: al.unrank(0, 4, 0), "0 fronts"),
        (lambda: al.sample(-1, 3, generator(0)), "-1 units"),
        (lambda: al.rank((1, -1)), "front 2"),
        (lambda: al.best_split([[0.0, np.nan]]), "front 1"),
        (lambda: al.best_split([]), "shape"),
        (lambda: al.stochastic_tables([[0.0]], 0, generator(0), shared=2), "shared"),
        (lambda: al.best_splits([[0.0, 1.0]]).plan(2), "0 to 1 units"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(OptionError, match=words):
        call()


def test_too_many_allocations_are_not_listed():
    with pytest.raises(Unlistable, match="too many"):
        al.allocations(1000, 20)
