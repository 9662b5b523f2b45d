"""The bandit against its interpreter, and the stage that splits a budget against brute force."""

import numpy as np
import pytest

from stratagem.errors import OptionError
from stratagem.plans.allocation import allocations
from stratagem.rng import generator
from stratagem.search.staged.bandit import (
    CHILDREN,
    CLOSED,
    COLUMNS,
    ESTIMATE,
    EXPLORATION,
    FACTOR,
    GRAIN,
    OPEN,
    PENDING,
    PHANTOM,
    POWER,
    PRIOR,
    SPREAD,
    SQUARES,
    UNKNOWN,
    VISITS,
    WIDTH,
    compiled,
)
from stratagem.search.staged.blotto import Splitter


def random_rows(rng):
    n = CHILDREN + int(rng.integers(1, 8))
    rows = np.zeros((n, COLUMNS + 2))
    for k in range(CHILDREN, n):
        visits = int(rng.integers(0, 30))
        values = rng.normal(rng.normal(0, 0.2), 0.1, visits)
        rows[k, VISITS], rows[k, SQUARES] = visits, (values**2).sum()
        rows[k, COLUMNS], rows[k, COLUMNS + 1] = values.sum(), -values.sum()
        rows[k, PRIOR] = rng.uniform(0.1, 2)
        rows[k, PENDING] = rng.integers(0, 2)
        rows[k, SPREAD] = UNKNOWN if rng.uniform() < 0.5 else rng.uniform(0, 0.2)
        rows[k, ESTIMATE] = rng.normal(0, 0.2)
        rows[k, CLOSED] = rng.uniform() < 0.2
        rows[0] += rows[k]
        if visits:
            rows[PHANTOM, VISITS] += 1
            rows[PHANTOM, COLUMNS] += values[0]
            rows[PHANTOM, COLUMNS + 1] -= values[0]
    constants = np.zeros(7)
    constants[[EXPLORATION, WIDTH, GRAIN, FACTOR, POWER, OPEN]] = (
        1.0,
        rng.choice([0.0, 0.5, 2.0]),
        rng.choice([1, 4]),
        rng.choice([0.0, 1.0]),
        0.5,
        rng.choice([0.0, 1.0]),
    )
    return rows, n, constants


@pytest.mark.parametrize("rule", ["puct", "ucb"])
def test_the_compiled_choice_is_the_interpreters(rule):
    rng = np.random.default_rng(1)
    here, there = compiled("cpu")[rule], compiled("python")[rule]
    chosen = set()
    for _ in range(2000):
        rows, n, constants = random_rows(rng)
        seat = int(rng.integers(2))
        assert here(rows, n, seat, constants) == there(rows, n, seat, constants)
        chosen.add(int(here(rows, n, seat, constants)))
    assert len(chosen) > 5  # the phantom, none at all, and children


def test_a_closed_child_is_never_chosen_and_a_hopeless_one_is_passed_over():
    rng = np.random.default_rng(2)
    choose = compiled("cpu")["puct"]
    for _ in range(500):
        rows, n, constants = random_rows(rng)
        k = int(choose(rows, n, 0, constants))
        assert k < CHILDREN or not rows[k, CLOSED]


def test_credit_of_several_trials_is_that_of_one_after_another():
    credit = compiled("cpu")["credit"]
    one, many = np.zeros((4, COLUMNS + 2)), np.zeros((4, COLUMNS + 2))
    values = np.array([[0.1, -0.1], [0.3, -0.3], [-0.2, 0.2]])
    for row in values:
        credit(one, 2, row, 1.0, float(row[0] ** 2))
    credit(many, 2, values.sum(axis=0), 3.0, float((values[:, 0] ** 2).sum()))
    np.testing.assert_allclose(one[[0, 2]], many[[0, 2]])
    assert one[PHANTOM, VISITS] == many[PHANTOM, VISITS] == 1


# -------------------------------------------------------------------------------------------------------- the splitter


def test_without_noise_splits_come_in_the_order_of_their_worth_and_all_of_them():
    rng = np.random.default_rng(3)
    for budget, fronts in ((0, 2), (4, 1), (5, 3), (6, 2)):
        tables = rng.normal(size=(fronts, budget + 1))
        splitter = Splitter(budget, fronts, generator(1), tables=tables, spread=0.0)
        given = []
        while (found := splitter.first()) is not None:
            given.append(found.part)
        worths = [sum(tables[i, x] for i, x in enumerate(plan)) for plan in given]
        assert worths == sorted(worths, reverse=True)
        assert set(given) == set(map(tuple, allocations(budget, fronts).tolist())) and len(given) == len(set(given))
        assert splitter.exhausted


def test_a_front_that_takes_only_some_amounts_is_never_given_others():
    tables = np.zeros((3, 9))
    tables[2] = -np.inf
    tables[2, ::4] = 0.0  # a spell costs four
    splitter = Splitter(8, 3, generator(1), tables=tables)
    given = []
    while (found := splitter.first()) is not None:
        given.append(found.part)
    by_hand = {tuple(p) for p in allocations(8, 3).tolist() if p[2] % 4 == 0}
    assert set(given) == by_hand and splitter.possible == len(by_hand)


def test_finer_moves_one_unit():
    splitter = Splitter(6, 3, generator(1), spread=0.1)
    first = splitter.first().part
    finer = splitter.finer(first).part
    assert sum(abs(a - b) for a, b in zip(first, finer, strict=True)) == 2 and sum(finer) == 6


def test_every_turn_teaches_the_tables_and_confidence_grows():
    rng = np.random.default_rng(4)
    truth = np.array([np.sqrt(np.arange(7)), 0.5 * np.arange(7) / 3, np.zeros(7)]) / 4
    splitter = Splitter(6, 3, generator(1), spread=0.2, neighbours=0.0)
    splits = allocations(6, 3)
    for _ in range(6000):
        plan = tuple(int(x) for x in splits[rng.integers(len(splits))])
        worth = sum(truth[i, x] for i, x in enumerate(plan))
        splitter.learn(plan, worth + rng.normal(0, 0.05), 1.0)
    assert splitter.trials == 6000 and (splitter.spreads < 0.02).all()
    told = max(map(tuple, splits.tolist()), key=splitter.worth)
    best = max(sum(truth[i, x] for i, x in enumerate(plan)) for plan in splits.tolist())
    assert best - sum(truth[i, x] for i, x in enumerate(told)) < 0.1
    even = sum(truth[i, 2] for i in range(3))
    assert sum(truth[i, x] for i, x in enumerate(told)) > even


def test_noise_by_confidence_makes_splits_vary_until_they_are_known():
    def openings(trials):
        found = set()
        for seed in range(30):
            splitter = Splitter(5, 2, generator(seed), tables=np.array([np.arange(6), np.zeros(6)]) / 20, spread=0.3)
            splitter.counts += trials
            found.add(splitter.first().part)
        return len(found)

    assert openings(0) > openings(10_000) == 1


@pytest.mark.parametrize(("budget", "fronts", "tables"), [(-1, 2, None), (3, 0, None), (3, 2, np.zeros((2, 3)))])
def test_a_budget_that_cannot_be_split_is_refused(budget, fronts, tables):
    with pytest.raises(OptionError):
        Splitter(budget, fronts, generator(0), tables=tables)
