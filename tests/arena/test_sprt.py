"""The sequential test against independently computed values and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from stratagem.arena.config import Config
from stratagem.arena.ratings import Outcome
from stratagem.arena.sequential import SequentialTest
from stratagem.arena.sprt import Hypotheses, elo_of, elo_with_error, expected_score, judge, log_likelihood_ratio
from stratagem.errors import OptionError


def by_definition(results: list[float], elo0: float, elo1: float) -> float:
    """The formula over single results, with NumPy's own mean and variance."""
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (elo0, elo1))
    return len(results) * (s1 - s0) * (2 * np.mean(results) - s0 - s1) / (2 * np.var(results))


def exact_ratio(counts: tuple[int, ...], elo0: float, elo1: float) -> float:
    """The generalised likelihood ratio itself: the likeliest distributions whose means are s0 and s1."""
    scores, weights = np.linspace(0, 1, len(counts)), np.array(counts) / sum(counts)

    def likeliest(mean: float) -> np.ndarray:
        low, high = -1 / (1 - mean) + 1e-9, 1 / mean - 1e-9
        tilt = brentq(lambda x: float(np.sum(weights * (scores - mean) / (1 + x * (scores - mean)))), low, high)
        return weights / (1 + tilt * (scores - mean))

    p0, p1 = likeliest(expected_score(elo0)), likeliest(expected_score(elo1))
    return float(np.sum(np.array(counts) * np.log(p1 / p0)))


@pytest.mark.parametrize("counts", [(80, 50, 100), (300, 900, 340), (1, 0, 2), (0, 5, 5)])
def test_trinomial_ratio_by_definition(counts: tuple[int, ...]) -> None:
    results = [0.0] * counts[0] + [0.5] * counts[1] + [1.0] * counts[2]
    assert log_likelihood_ratio(counts, 0, 5) == pytest.approx(by_definition(results, 0, 5), rel=1e-9)


@pytest.mark.parametrize("counts", [(10, 20, 50, 30, 12), (100, 400, 900, 450, 120), (0, 1, 5, 2, 0)])
def test_pentanomial_ratio_by_definition(counts: tuple[int, ...]) -> None:
    results = [k / 4 for k, count in enumerate(counts) for _ in range(count)]
    assert log_likelihood_ratio(counts, -2, 7) == pytest.approx(by_definition(results, -2, 7), rel=1e-9)


@pytest.mark.parametrize("counts", [(300, 900, 340), (2000, 5000, 2300), (100, 400, 900, 450, 120)])
def test_the_approximation_is_close_to_the_exact_ratio(counts: tuple[int, ...]) -> None:
    assert log_likelihood_ratio(counts, 0, 5) == pytest.approx(exact_ratio(counts, 0, 5), abs=0.02)


def test_bounds_and_decisions() -> None:
    hypotheses = Hypotheses(0, 5, alpha=0.05, beta=0.1)
    assert (hypotheses.lower, hypotheses.upper) == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert judge((3000, 6000, 3600), hypotheses).decision == "H1"
    assert judge((3600, 6000, 3000), hypotheses).decision == "H0"
    assert judge((30, 60, 36), hypotheses).decision == "continue"


def test_elo_and_its_error() -> None:
    elo, error = elo_with_error((80, 50, 100))
    assert elo == pytest.approx(400 * math.log10(125 / 105))
    spread = 1.959964 * math.sqrt((80 * 0.543478**2 + 50 * 0.043478**2 + 100 * 0.456522**2) / 230 / 230)
    assert error == pytest.approx((elo_of(125 / 230 + spread) - elo_of(125 / 230 - spread)) / 2, rel=1e-4)


def test_results_without_variance_still_decide_in_time() -> None:
    assert judge((0, 0, 0), Hypotheses()).llr == 0.0 and judge((0, 0, 0), Hypotheses()).elo is None
    few, many = (judge((0, 0, n), Hypotheses(0, 20)) for n in (1, 200))
    assert few.decision == "continue" and many.decision == "H1"
    assert many.elo is None and many.elo_error is None  # infinite
    assert judge((0, 40, 0), Hypotheses(0, 5)).llr < 0  # all drawn: rather elo0


@pytest.mark.parametrize("bad", [{"elo0": 5, "elo1": 5}, {"alpha": 0.0}, {"beta": 0.6}, {"elo1": math.inf}])
def test_hypotheses_that_make_no_test_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Hypotheses(**bad)


def a_test(elo0: float, elo1: float) -> SequentialTest:
    return SequentialTest.of(Config("nim", ("a", "b"), sprt={"elo0": elo0, "elo1": elo1, "alpha": 0.05, "beta": 0.05}))


def pairs(scores: list[tuple[float, float]], first: int = 0) -> list[Outcome]:
    """Pairs of the first player's scores, from both seats."""
    found = []
    for group, (x, y) in enumerate(scores, first):
        found.append(Outcome(("a", "b"), (2 * x - 1, 1 - 2 * x), group))
        found.append(Outcome(("b", "a"), (1 - 2 * y, 2 * y - 1), group))
    return found


def test_pairs_are_judged_in_the_order_of_the_schedule() -> None:
    rng = np.random.default_rng(3)
    games = pairs([tuple(rng.choice([0.0, 0.5, 1.0], 2, p=[0.2, 0.3, 0.5])) for _ in range(400)])
    orderly, mixed = a_test(0, 50), a_test(0, 50)
    for game in games:
        orderly.add([game])
    for k in rng.permutation(len(games)):
        mixed.add([games[k]])
    assert orderly.settled and orderly.verdict == mixed.verdict and orderly.next == mixed.next


@pytest.mark.parametrize("shared", [pytest.param(0.0, marks=pytest.mark.slow), 0.6])
@pytest.mark.parametrize("truth", ["elo0", "elo1"])
def test_error_rates_hold(truth: str, shared: float) -> None:
    """600 matches with each hypothesis true; with `shared`, openings often decide both games of a pair alike."""
    rng = np.random.default_rng(int(10 * shared) + (truth == "elo1"))
    elo0, elo1, runs = 0.0, 60.0, 600
    score = expected_score(elo0 if truth == "elo0" else elo1)
    odds = [0.85 - score, 0.3, score - 0.15]
    wrong = undecided = 0
    for _ in range(runs):
        found, at = a_test(elo0, elo1), 0
        while not found.settled and at < 4000:
            drawn = rng.choice([0.0, 0.5, 1.0], (50, 2), p=odds)
            alike = rng.random(50) < shared
            drawn[alike, 1] = drawn[alike, 0]
            found.add(pairs([tuple(row) for row in drawn], at))
            at += 50
        undecided += not found.settled
        wrong += found.settled and found.verdict.decision != ("H0" if truth == "elo0" else "H1")
    assert undecided == 0
    assert wrong / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)
    assert wrong > 0  # the claim is about a rate that is met, not about a test that is never wrong
