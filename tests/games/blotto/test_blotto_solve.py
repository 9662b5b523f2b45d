"""Equilibria of Blotto: published and computed values, agreement with a plain linear program, certificates by brute force."""

import random
from fractions import Fraction

import numpy as np
import pytest
from references import blotto as reference
from toys.blotto_cases import gains_by_brute_force, plain, random_rules

import stratagem
from stratagem.equilibrium.double_oracle import GrowingMatrix, double_oracle
from stratagem.errors import OptionError, UnsuitableSearch
from stratagem.games.blotto import Rules, view
from stratagem.games.blotto.constant_sum import by_oracle, constant, zero_sum_form
from stratagem.games.blotto.lotto import continuous_shares, lotto, lotto_value
from stratagem.games.blotto.oracle import Additive
from stratagem.games.blotto.solve import replies, solve

# --------------------------------------------------------------------------------------------------- reference values

SCORE_AND_WIN = [
    ((3, 2), "1,1,1", "2", "1"),
    ((4, 3), "1,1,1", "11/6", "5/6"),
    ((5, 4), "1,1,1", "7/4", "3/4"),
    ((6, 5), "1,1,1", "31/18", "13/18"),
    ((6, 4), "1,1,1", "2", "1"),
    ((5, 3), "1,2,3", "25/6", "1"),
    ((6, 5), "1,2,3", "1491/430", "149/207"),
    ((10, 9), "1,2,3", "79/24", "501267/783598"),
    ((7, 5), "1,2,3,4", "1539/248", "95/108"),
    ((10, 8), "1,2,3,4", "6", None),
]


@pytest.mark.parametrize(("units", "values", "score", "win"), SCORE_AND_WIN)
def test_exact_values_of_score_and_win(units, values, score, win):
    rules = Rules.of(units, values)
    found = solve(rules, exact=True)
    assert found.exact == (Fraction(score), sum(rules.values[0]) - Fraction(score))
    assert found.gains == (0, 0)
    if win is not None:
        assert solve(Rules.of(units, values, objective="win"), exact=True).exact[0] == Fraction(win)


def test_the_larger_value_of_win_by_decimal():
    found = solve(Rules.of((10, 8), "1,2,3,4", objective="win"))
    assert found.payoffs[0] == pytest.approx(0.74748909, abs=5e-9)


@pytest.mark.parametrize("method", ["oracle", "flow", "lp"])
@pytest.mark.parametrize(("units", "values", "score", "win"), SCORE_AND_WIN[3:])
def test_all_methods_agree_with_the_exact_values(method, units, values, score, win):
    found = solve(Rules.of(units, values), method=method)
    assert found.payoffs[0] == pytest.approx(float(Fraction(score)), abs=1e-8)
    assert max(found.gains) < 1e-8


def test_larger_games_have_the_values_of_the_table():
    assert solve(Rules.of((20, 15), "1,2,3,4,5"), exact=True).exact[0] == Fraction(27217, 2926)
    assert float(Fraction(27217, 2926)) == pytest.approx(9.30177717, abs=5e-9)
    assert solve(Rules.of((30, 25), "1,2,3,4,5,6")).payoffs[0] == pytest.approx(12.18547619, abs=5e-9)
    assert solve(Rules.of((20, 20), ["1"] * 10)).payoffs[0] == pytest.approx(5)
    assert solve(Rules.of((20, 15), "1,2,3,4,5"), method="flow").payoffs[0] == pytest.approx(9.30177717, abs=5e-9)


def test_fifty_against_fortyfive_units_on_ten_fronts():
    found = solve(Rules.of((50, 45), range(1, 11)))
    assert found.payoffs[0] == pytest.approx(30.02777778, abs=5e-9)
    assert found.interval[1] - found.interval[0] < 1e-6
    assert found.finished


def test_lottery_values():
    first = solve(Rules.of((6, 5), "1,2,3", objective="lottery"), exact=True)
    assert first.exact[0] == Fraction(7, 2)
    assert first.strategies == ({(1, 2, 3): 1.0}, {(0, 2, 3): 1.0})
    assert solve(Rules.of((10, 8), "1,2,3,4", objective="lottery")).payoffs[0] == pytest.approx(6.040300813, abs=5e-10)
    even = solve(Rules.of((5, 5), "1,2,3", objective="lottery"), exact=True)
    assert even.exact[0] == 3
    assert even.strategies == ({(0, 2, 3): 1.0}, {(0, 2, 3): 1.0})


LOTTO = {(2, 1): "1/2", (3, 2): "1/3", ("5/2", "3/2"): "3/8", ("5/2", "9/4"): "1/12", ("3/2", "5/4"): "1/8",
         ("7/3", "5/3"): "7/27", ("8/3", 2): "2/9"}  # fmt: skip


@pytest.mark.parametrize(("means", "value"), LOTTO.items())
def test_general_lotto_by_formula_and_by_program(means, value):
    assert lotto_value(*means) == Fraction(value)
    assert lotto_value(*reversed(means)) == -Fraction(value)
    found = lotto(*means)
    assert found.value == pytest.approx(float(Fraction(value)))
    for numbers, mean in ((found.first, means[0]), (found.second, means[1])):
        assert sum(numbers) == pytest.approx(1)
        assert sum(x * p for x, p in enumerate(numbers)) == pytest.approx(float(Fraction(mean)))


THREE = {
    2: "1/3 0", 3: "2/3 1/3 0", 4: "7/9# 4/9 2/9# 0", 5: "8/9# 5/9 7/18# 1/6 0", 6: "1# 2/3 13/27# 1/3 4/27# 0",
    7: "1# 7/9# 5/9 11/27 5/18# 1/9 0",
}  # fmt: skip
FOUR = {4: "3/4 1/2 1/4 0", 6: "7/8# 5/8 1/2# 1/4 1/8 0", 8: "1# 3/4 5/8 1/2 3/8 1/4 1/8 0"}


@pytest.mark.parametrize(("fronts", "table"), [(3, THREE), (4, FOUR)])
def test_equal_fronts_have_the_values_of_hart(fronts, table):
    for a, row in table.items():
        for b, entry in enumerate(row.split(), 1):
            value = Fraction(entry.rstrip("#"))
            score = solve(Rules.of((a, b), ["1"] * fronts), exact=True).exact[0]
            assert (2 * score - fronts) / fronts == value, (a, b)
            assert (value != lotto_value(Fraction(a, fronts), Fraction(b, fronts))) == entry.endswith("#"), (a, b)


def test_equal_budgets_are_worth_half():
    for ties in ("split", "coin"):
        assert solve(Rules.of((5, 5), "1,2,4", ties=ties), exact=True).exact[0] == Fraction(7, 2)
        assert solve(Rules.of((5, 5), "1,2,4", ties=ties, objective="win")).payoffs[0] == pytest.approx(0.5)


def test_continuous_budgets_by_closed_form():
    assert continuous_shares(3, 4, 5) == (Fraction(2, 5), Fraction(3, 5))
    assert continuous_shares(5, 10, 4) == (Fraction(4, 5), Fraction(1, 5))
    # many units approach it: 60 against 48 units on 3 equal fronts
    share = solve(Rules.of((48, 60), "1,1,1")).payoffs[0] / 3
    assert share == pytest.approx(0.4, abs=0.02)
    with pytest.raises(UnsuitableSearch, match="ratio"):
        continuous_shares(3, 1, 5)
    with pytest.raises(UnsuitableSearch, match="3 fronts"):
        continuous_shares(2, 4, 5)


# ------------------------------------------------------------------------------- agreement with the plain linear program


def agrees(rules):
    """One random game: the value against SciPy's explicit program on the reference's matrix, the certificate by force."""
    found = solve(rules)
    own, gains = gains_by_brute_force(rules, *found.strategies)
    assert own == pytest.approx(found.payoffs, abs=1e-9)
    assert gains == pytest.approx(found.gains, abs=1e-9)
    assert max(gains) < 1e-7
    for mixture, units in zip(found.strategies, rules.units, strict=True):
        assert sum(mixture.values()) == pytest.approx(1)
        assert all(sum(plan) == units or (rules.disposal and sum(plan) < units) for plan in mixture)
    _, _, a, b = reference.matrices(
        rules.units, rules.values, rules.objectives, rules.ties, int(rules.power), rules.disposal, rules.worth
    )
    total = constant(rules)
    sums = np.add(a, b)
    if total is not None:
        assert np.allclose(sums, float(total))
        assert found.payoffs[0] == pytest.approx(reference.value(a), abs=1e-7)
        assert found.interval[0] - 1e-9 <= reference.value(a) <= found.interval[1] + 1e-9
        return "constant"
    assert found.security == pytest.approx((reference.value(a), reference.value(np.transpose(b))), abs=1e-6)
    assert found.payoffs[0] >= found.security[0] - 1e-6 and found.payoffs[1] >= found.security[1] - 1e-6
    return "zero-sum form" if zero_sum_form(rules) is not None else "general"


def test_hundreds_of_random_games_agree_with_the_explicit_program():
    rng = random.Random(21)
    kinds = [agrees(random_rules(rng, 4)) for _ in range(220)]
    assert min(kinds.count(kind) for kind in ("constant", "zero-sum form", "general")) >= 10


@pytest.mark.slow
def test_many_more_random_games_agree_with_the_explicit_program():
    rng = random.Random(22)
    for _ in range(500):
        agrees(random_rules(rng, 6, 3))
    for _ in range(60):
        agrees(random_rules(rng, 4, 4))


@pytest.mark.parametrize("method", ["lp", "flow", "oracle", "regret"])
def test_each_method_has_an_honest_certificate(method):
    rules = Rules.of((5, 4), "1,2,3")
    found = solve(rules, method=method, tolerance=1e-3)
    own, gains = gains_by_brute_force(rules, *found.strategies)
    assert own == pytest.approx(found.payoffs, abs=1e-9)
    assert gains == pytest.approx(found.gains, abs=1e-9)
    assert sum(gains) < 2e-3


def test_regret_minimisation_over_flows_narrows_its_interval():
    found = solve(Rules.of((20, 15), "1,2,3,4,5"), method="regret", seconds=3)
    assert found.interval[0] <= 9.301777170198 <= found.interval[1]
    assert found.interval[1] - found.interval[0] < 0.5
    assert found.method == "regret"


def test_equal_fronts_are_one_class_and_the_spread_strategy_is_as_good():
    rules = Rules.of((9, 7), ["1"] * 4 + ["2"] * 2)
    game = Additive(rules.table(0))
    assert sorted(len(g) for g in game.groups) == [2, 4]
    plainly = double_oracle(
        Additive(rules.table(0), classes=False), [rules.proportional(0)], [rules.proportional(1)], tolerance=1e-9
    )
    found = solve(rules)
    assert found.payoffs[0] == pytest.approx(plainly.low, abs=1e-8)
    assert max(found.gains) < 1e-8


def test_the_double_oracle_is_any_time():
    rules = Rules.of((30, 25), "1,2,3,4,5,6")
    seen = []
    found = by_oracle(rules, 1e-9, rounds=10, report=seen.append)
    assert not found.finished and len(seen) == 10
    assert all(r.low <= 12.18547620 and r.high >= 12.18547618 for r in seen)
    widths = [r.high - r.low for r in seen]
    assert widths == sorted(widths, reverse=True)


def test_a_keyboard_interrupt_gives_the_best_so_far():
    def stop(now):
        if now.plans[0] > 12:
            raise KeyboardInterrupt

    found = solve(Rules.of((30, 25), "1,2,3,4,5,6"), report=stop)
    assert not found.finished
    assert found.interval[0] <= 12.18547620 and found.interval[1] >= 12.18547618
    assert sum(found.strategies[0].values()) == pytest.approx(1)


def test_a_growing_matrix_is_solved_like_the_whole_one():
    rng = np.random.default_rng(6)
    whole = rng.integers(-5, 6, (12, 12)).astype(float)
    matrix = GrowingMatrix()
    for k in range(12):
        matrix.add_row(whole[k, :k])
        matrix.add_column(whole[: k + 1, k])
        value, p, q = matrix.solve()
        part = whole[: k + 1, : k + 1]
        assert value == pytest.approx(reference.value(part))
        assert (p @ part).min() == pytest.approx(value, abs=1e-7)
        assert (part @ q).max() == pytest.approx(value, abs=1e-7)


def test_replies_in_order_are_those_of_brute_force():
    rules = Rules.of((5, 5), "1,2,3")
    opponent = {(1, 2, 2): 0.5, (0, 0, 5): 0.5}
    worth = sorted(
        (sum(w * float(plain(rules, a, b)[0]) for b, w in opponent.items()) for a in reference.allocations(5, 3)),
        reverse=True,
    )
    assert [v for v, _ in replies(rules, 0, opponent, 5)] == pytest.approx(worth[:5])


def test_pictures_are_well_formed():
    from xml.etree import ElementTree

    found = solve(Rules.of((6, 5), "1,2,3"))
    ElementTree.fromstring(view.marginals(found.rules, found.strategies))
    times, widths = [r.seconds for r in found.trace], [r.high - r.low for r in found.trace]
    assert "polyline" in view.certificate(times, widths)
    ElementTree.fromstring(view.certificate(times, widths))
    ElementTree.fromstring(view.certificate([], []))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"concept": "stackelberg"}, OptionError, "one of nash"),
        ({"method": "magic"}, OptionError, "one of auto"),
        ({"tolerance": float("nan")}, OptionError, "tolerance"),
        ({"seconds": -1}, OptionError, "seconds"),
        ({"concept": "cce", "exact": True}, UnsuitableSearch, "nash only"),
        ({"concept": "cce", "welfare": "all"}, OptionError, "one of sum"),
    ],
)
def test_wrong_questions_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        solve(Rules.of((3, 3), "1,2"), **options)


def test_methods_refuse_games_they_do_not_fit():
    private = Rules.of((3, 3), "1,2", "2,1")
    for method in ("flow", "lp", "regret"):
        with pytest.raises(UnsuitableSearch, match="not zero-sum"):
            solve(private, method=method)
    with pytest.raises(UnsuitableSearch, match="does not"):
        solve(Rules.of((3, 3), "1,2", objective="win"), method="flow")
    with pytest.raises(UnsuitableSearch, match="3 players"):
        solve(Rules.of((3, 3, 3), "1,2"))
    with pytest.raises(UnsuitableSearch, match="cells"):
        solve(Rules.of((50_000, 50_000), "1,2"))


def test_an_allocation_is_drawn_before_it_is_committed():
    position = stratagem.game("blotto", units="5,4", values="1,2,3").start()
    sketch = position.game.sketch(position, ["0,2,2"], 1)
    assert "second: 2 units on front 3" in sketch
    assert "first: " not in sketch.replace("first: 5 units", "") and "payoffs" not in sketch
    assert "second: 9 units on front 3" in position.game.sketch(position, ["9,9,9"], 1), "also over budget"
