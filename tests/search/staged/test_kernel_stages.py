"""Search by stages where stages are kernels, on a toy whose turns can all be listed."""

import math

import numpy as np
import pytest
from toys.snacks import Snacks, coarser, exhausted, worth

from stratagem.errors import OptionError
from stratagem.search.staged import Settings, Staged, StageError, cell

SHELF = np.array([4, 3, 5])


def value(turn):
    return worth(SHELF, np.array(turn))


def grown(search):
    root = search.root
    rows = [(turn.turn, root.bandit.rows[turn.row].tolist()) for turn in root.turns]
    return rows, [(sub.stage.name, [c.proposed for c in sub.candidates]) for sub in root.under]


def check_sums(search):
    root = search.root
    used = {}
    for turn in root.turns:
        for choice in turn.choices:
            used.setdefault((choice.node.k, choice.row), []).append(root.bandit.rows[turn.row])
    for sub in root.under:
        for candidate in sub.candidates:
            rows = used.get((sub.k, candidate.row), [np.zeros_like(root.bandit.rows[0])])
            for column in (cell.VISITS, cell.COLUMNS, cell.COLUMNS + 1):
                assert sub.bandit.rows[candidate.row, column] == pytest.approx(sum(row[column] for row in rows))
        assert not sub.bandit.rows[:, cell.PENDING].any()
    assert root.bandit.rows[cell.ALL, cell.VISITS] == root.bandit.rows[cell.CHILDREN :, cell.VISITS].sum()


@pytest.mark.parametrize("dice", [False, True])
@pytest.mark.parametrize("estimates", [False, True])
def test_the_interpreted_kernels_grow_the_compiled_ones_tree(dice, estimates):
    found = []
    for target in ("cpu", "python"):
        settings = Settings(simulations=120, samples=2 if dice else 1)
        search = Staged(Snacks(dice=dice, estimates=estimates), settings, seed=2, target=target)
        search.consider(SHELF)
        check_sums(search)
        found.append(grown(search))
    assert found[0] == found[1]


def test_every_turn_is_found_and_the_search_ends_with_the_best():
    staging = Snacks()
    turns = staging.turns(SHELF)
    search = Staged(staging, Settings(simulations=10**6), seed=1)
    found = search.consider(SHELF)
    assert found.exhausted and found.made == len(turns)
    assert {turn.turn for turn in search.root.turns} == turns
    assert found.best.turn == max(turns, key=value)
    assert found.best.parts == {"bread": (3,), "spread": (1,), "amount": (4,)} or value(found.best.turn) == max(
        map(value, turns)
    )
    assert all(line.exhausted for line in search.report().stages)


def slander(g, s, p, stage, turn, out):
    """Says of whatever belongs to the best turn that it is worth little."""
    out[0] = -0.5 if turn[0, 0] == 3 else 0.3
    out[1] = -out[0]
    return 0.1


@pytest.mark.parametrize("pruning", [0.0, 2.0])
def test_estimates_that_lie_delay_the_best_turn_and_never_lose_it(pruning):
    made, spared = [], []
    for lies in (False, True):
        staging = Snacks(estimates=lies)
        if lies:
            staging.kernels["estimate"] = slander
        search = Staged(staging, Settings(simulations=10**6, pruning=pruning), seed=1, target="python")
        search.consider(SHELF, simulations=12)
        made.append(sum(turn.parts["bread"] == (3,) for turn in search.root.turns))
        spared.append(search.report().spared)
        assert (f", {spared[-1]} not completed;" in str(search.report())) == lies
        found = search.consider(SHELF)
        assert found.exhausted and found.made == len(staging.turns(SHELF))
        assert value(found.best.turn) == max(map(value, staging.turns(SHELF)))
    assert made[1] < made[0] and spared[1] > spared[0] == 0


def test_the_chance_of_the_best_turn_rises_with_the_budget():
    best = max(map(value, Snacks().turns(SHELF)))
    hits = [
        np.mean(
            [
                value(Staged(Snacks(), Settings(simulations=n), seed=seed).consider(SHELF).best.turn) > best - 1e-9
                for seed in range(20)
            ]
        )
        for n in (5, 20, 72)
    ]
    assert hits == sorted(hits) and hits[0] < 0.6 and hits[2] > 0.9


def test_threads_that_never_come_back_lose_no_visit():
    for seed in range(3):
        settings = Settings(simulations=20_000, samples=2, threads=2)
        search = Staged(Snacks(dice=True), settings, seed=seed)
        found = search.consider(SHELF)
        assert found.simulations == 20_000 and found.trials == 40_000
        check_sums(search)
        assert value(found.best.turn) > 0.3  # the dice of two threads differ from run to run


def test_a_clock_ends_a_search_of_kernels():
    search = Staged(Snacks(dice=True), Settings(), seed=1)
    search.consider(SHELF, simulations=1)
    found = search.consider(SHELF, seconds=0.05)
    assert found.simulations > 100 and found.finished


def test_kernels_run_interpreted_in_one_thread():
    with pytest.raises(OptionError, match="threads=1"):
        Staged(Snacks(), Settings(threads=2), target="python")


def bad_prior(g, s, p, stage, turn, memory, r, part):
    return -1.0


def nothing(g, s, p, stage, turn, memory, r, part):
    return 0.0


def no_number(g, s, p, stage, turn, out):
    out[0] = math.nan
    return 0.1


def too_much(g, s, p, stage, turn, out):
    out[0] = 1.5
    return 0.1


def less_than_exact(g, s, p, stage, turn, out):
    out[0] = 0.5
    return -0.1


def no_spread(g, s, p, stage, turn, out):
    out[0] = 0.5
    return math.nan


def wild(g, s, p, turn, r, out):
    out[0], out[1] = 7.0, -7.0


@pytest.mark.parametrize(
    ("name", "kernel", "words"),
    [
        ("propose", bad_prior, "stage 'bread' gave a prior"),
        ("propose", nothing, "stage 'bread' proposes nothing"),
        ("trial", wild, "the judge gave 7.0"),
        ("estimate", no_number, "the estimate of stage 'bread' is nan with spread 0.1"),
        ("estimate", too_much, "the estimate of stage 'bread' is 1.5 with spread 0.1"),
        ("estimate", less_than_exact, "the estimate of stage 'bread' is 0.5 with spread -0.1"),
        ("estimate", no_spread, "the estimate of stage 'bread' is 0.5 with spread nan"),
    ],
)
def test_kernels_that_break_their_promise_are_named(name, kernel, words):
    staging = Snacks()
    staging.kernels = {"exhausted": exhausted, **staging.kernels, name: kernel}
    if name == "propose":
        del staging.kernels["finer"], staging.kernels["coarser"]
    else:
        assert staging.kernels["coarser"] is coarser
    with pytest.raises(StageError, match=words):
        Staged(staging, Settings(simulations=5), seed=1, target="python").consider(SHELF)
