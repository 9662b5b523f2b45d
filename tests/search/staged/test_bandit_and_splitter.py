"""The bandit against its interpreter, and the stage that splits a budget against brute force."""

import math

import numpy as np
import pytest

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.plans.allocation import allocations
from stratagem.rng import generator
from stratagem.search.staged import bandit, cell
from stratagem.search.staged.blotto import Splitter
from stratagem.search.staged.records import Law
from stratagem.search.staged.stage import Listed

BEFORE = 3  # rows of the pool before the block


def random_rows(rng):
    n = cell.CHILDREN + int(rng.integers(1, 8))
    pool = np.full((BEFORE + n, cell.COLUMNS + 2), np.nan)
    rows = pool[BEFORE:]
    rows[:] = 0.0
    for k in range(cell.CHILDREN, n):
        visits = int(rng.integers(0, 30))
        values = rng.normal(rng.normal(0, 0.2), 0.1, visits)
        rows[k, cell.VISITS], rows[k, cell.SQUARES] = visits, (values**2).sum()
        rows[k, cell.COLUMNS], rows[k, cell.COLUMNS + 1] = values.sum(), -values.sum()
        rows[k, cell.PRIOR] = rng.uniform(0.1, 2)
        rows[k, cell.PENDING] = rng.integers(0, 2)
        rows[k, cell.SPREAD] = cell.UNKNOWN if rng.uniform() < 0.5 else rng.uniform(0, 0.2)
        rows[k, cell.ESTIMATE] = rng.normal(0, 0.2)
        rows[k, cell.CLOSED] = rng.uniform() < 0.2
        rows[0] += rows[k]
        if visits:
            rows[cell.PHANTOM, cell.VISITS] += 1
            rows[cell.PHANTOM, cell.COLUMNS] += values[0]
            rows[cell.PHANTOM, cell.COLUMNS + 1] -= values[0]
    law = Law(
        exploration=1.0,
        width=float(rng.choice([0.0, 0.5, 2.0])),
        grain=float(rng.choice([1, 4])),
        factor=float(rng.choice([0.0, 1.0])),
        power=0.5,
        trust=0.0,
    )
    rows[0, cell.PRIOR] = rows[cell.CHILDREN :, cell.PRIOR].sum()
    return pool, n, law, bool(rng.integers(2))


def derived(pool, law, by_prior, seat):
    quick = np.zeros((len(pool), cell.QUICK))
    for k in range(BEFORE + cell.CHILDREN, len(pool)):
        bandit.refresh(pool, quick, k, seat, law, by_prior)
    return quick


def made(part):
    return specialise(part, {}, target="cpu", label=f"the bandit, {part.__name__}", lean=True)


def by_definition(rows, n, seat, law, wide, by_prior):
    """The choice by the formulas of the documentation, with nothing derived ahead."""
    total = (rows[0, cell.VISITS] + rows[0, cell.PENDING]) / law.grain
    usual = rows[0, cell.COLUMNS + seat] / rows[0, cell.VISITS] if rows[0, cell.VISITS] else 0.0
    unit = bandit.deviation(rows, 0, seat) or 0.5
    width = law.width * math.sqrt(1 + math.log(1 + total))
    children = range(cell.CHILDREN, n)
    if wide and law.factor and len(children) < law.factor * max(total, 1) ** law.power:
        return cell.PHANTOM
    priors = sum(rows[k, cell.PRIOR] for k in children)
    average = priors / len(children)
    centre, half = {}, {}
    for k in children:
        trials = rows[k, cell.VISITS]
        centre[k] = bandit.centre(rows, k, seat, usual, 0.0)
        rest = unit / math.sqrt(1 + trials / law.grain)
        half[k] = rows[k, cell.SPREAD] if not trials else max(bandit.deviation(rows, k, seat) / math.sqrt(trials), rest)
    floor = max(centre[k] - width * half[k] for k in children) if law.width else -math.inf
    found = {}
    if wide and not law.factor:
        priors += average
        x = rows[cell.PHANTOM, cell.VISITS]
        bonus = (
            average / priors * math.sqrt(total) / (1 + x) if by_prior else math.sqrt(math.log(1 + total) / (x + 1e-9))
        )
        found[cell.PHANTOM] = (rows[cell.PHANTOM, cell.COLUMNS + seat] / x if x else usual) + unit * bonus
    for k in children:
        if rows[k, cell.CLOSED] or (law.width and centre[k] + width * half[k] < floor):
            continue
        x = rows[k, cell.VISITS] + rows[k, cell.PENDING]
        bonus = (
            rows[k, cell.PRIOR] / priors * math.sqrt(total) / (1 + x / law.grain)
            if by_prior
            else math.sqrt(math.log(1 + total) / (x + 1e-9))
        )
        found[k] = centre[k] + unit * bonus
    return max(found, key=found.get) if found else cell.PHANTOM if wide else 0


@pytest.mark.parametrize("by_prior", [True, False])
def test_a_choice_is_what_the_formulas_say(by_prior):
    rng = np.random.default_rng(5)
    for _ in range(1500):
        rows, n, law, wide = random_rows(rng)
        seat = int(rng.integers(2))
        quick = derived(rows, law, by_prior, seat)
        k = bandit.choose(rows, quick, BEFORE, n, seat, law, law.exploration, True, wide, by_prior)
        assert k == by_definition(rows[BEFORE:], n, seat, law, wide, by_prior)


@pytest.mark.parametrize("by_prior", [True, False])
def test_the_compiled_choice_is_the_interpreters(by_prior):
    rng = np.random.default_rng(1)
    here, there = made(bandit.choose), bandit.choose
    chosen = set()
    for _ in range(2000):
        rows, n, law, wide = random_rows(rng)
        seat = int(rng.integers(2))
        quick = derived(rows, law, by_prior, seat)
        asked = (rows, quick, BEFORE, n, seat, law, law.exploration, True, wide, by_prior)
        assert here(*asked) == there(*asked)
        chosen.add(int(here(*asked)))
    assert len(chosen) > 5  # the phantom, none at all, and children


def test_a_closed_child_is_never_chosen_and_a_hopeless_one_is_passed_over():
    rng = np.random.default_rng(2)
    choose = made(bandit.choose)
    for _ in range(500):
        rows, n, law, wide = random_rows(rng)
        quick = derived(rows, law, True, 0)
        k = int(choose(rows, quick, BEFORE, n, 0, law, 1.0, True, wide, True))
        assert k < cell.CHILDREN or not rows[BEFORE + k, cell.CLOSED]
        if k >= cell.CHILDREN and law.width:
            assert bandit.hope(rows, quick, BEFORE, k, 0, law) >= bandit.least(rows, quick, BEFORE, n, 0, law)


def test_credit_of_several_trials_is_that_of_one_after_another():
    one, many = np.zeros((4, cell.COLUMNS + 2)), np.zeros((4, cell.COLUMNS + 2))
    values = np.array([[0.1, -0.1], [0.3, -0.3], [-0.2, 0.2]])
    for row in values:
        bandit.credit(one, 0, 2, row, 1.0, float(row[0] ** 2))
    bandit.credit(many, 0, 2, values.sum(axis=0), 3.0, float((values[:, 0] ** 2).sum()))
    np.testing.assert_allclose(one[[0, 2]], many[[0, 2]])
    assert one[cell.PHANTOM, cell.VISITS] == many[cell.PHANTOM, cell.VISITS] == 1


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


def test_finer_moves_as_many_units_as_the_tables_say_and_skips_what_a_front_cannot_take():
    tables = np.full((3, 13), -np.inf)
    tables[0, ::4] = [0.0, 0.1, 0.15, 0.16]  # units cost four
    tables[1, ::3] = [0.0, 0.2, 0.25, 0.27, 0.28]  # and three
    tables[2] = 0.01 * np.arange(13)
    splitter = Splitter(12, 3, generator(1), tables=tables, spread=0.0)
    splitter.given.add((12, 0, 0))
    found = [(12, 0, 0)]
    while (finer := splitter.finer(found[-1])) is not None:
        found.append(finer.part)
    assert found[1] == (0, 12, 0)  # of (8, 0, 4), (4, 0, 8), (0, 0, 12) and this one the best
    assert all(sum(part) == 12 and splitter.worth(part) > -np.inf for part in found)
    assert len(found) > 5


def test_a_front_is_not_praised_for_what_another_one_did():
    rng = np.random.default_rng(7)
    splits = allocations(6, 3)
    splitter = Splitter(6, 3, generator(1), spread=0.2, neighbours=0.0)
    for _ in range(400):
        plan = tuple(int(x) for x in splits[rng.integers(len(splits))])
        splitter.learn(plan, 0.1 * plan[0] + rng.normal(0, 0.02), 1.0)
    slopes = [np.polyfit(range(5), row[:5], 1)[0] for row in splitter.values]
    # what is common to all fronts says nothing, since all units are spent
    assert slopes[0] - slopes[1] == pytest.approx(0.1, abs=0.02) == slopes[0] - slopes[2]


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
    reported = max(map(tuple, splits.tolist()), key=splitter.worth)
    best = max(sum(truth[i, x] for i, x in enumerate(plan)) for plan in splits.tolist())
    assert best - sum(truth[i, x] for i, x in enumerate(reported)) < 0.1
    even = sum(truth[i, 2] for i in range(3))
    assert sum(truth[i, x] for i, x in enumerate(reported)) > even


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


class Refines:
    """What a class that is no generator gives beside one counts, too."""

    def finer(self, part):
        return None


class Plain(Listed):
    """Gives none of the optional methods."""


class Mixed(Refines, Listed):
    def learn(self, part, value, weight):
        """Learn nothing."""


def test_a_generator_knows_which_optional_methods_it_gives():
    assert Plain.given_methods == frozenset()
    assert Mixed.given_methods == {"finer", "learn"}
    assert type("Below", (Mixed,), {}).given_methods == {"finer", "learn"}
