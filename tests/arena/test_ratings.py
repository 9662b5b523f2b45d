"""Ratings against closed forms, an independent library, and players of known strength."""

from __future__ import annotations

import json
import math
from collections import Counter

import choix
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest, norm

from stratagem.arena.ratings import ELO, Outcome, by_seat, pair_counts, rate, share_of_win, stages, wilson
from stratagem.arena.sprt import elo_with_error, expected_score, likelihood_of_superiority


def duels(wins: int, draws: int, losses: int) -> list[Outcome]:
    payoffs = [(1.0, -1.0)] * wins + [(0.0, 0.0)] * draws + [(-1.0, 1.0)] * losses
    return [Outcome(("a", "b"), payoff, group) for group, payoff in enumerate(payoffs)]


def test_between_two_the_rating_is_elo_of_the_score() -> None:
    found = {r.player: r for r in rate(duels(60, 50, 30)).table}
    score = 85 / 140
    gap = 400 * math.log10(score / (1 - score))
    assert found["a"].elo - found["b"].elo == pytest.approx(gap, abs=1e-6)
    assert found["a"].elo + found["b"].elo == pytest.approx(0, abs=1e-9)
    # the gap's own error, to first order: that of the score through the slope of Elo
    variance = (60 * (1 - score) ** 2 + 50 * (0.5 - score) ** 2 + 30 * score**2) / 140
    slope = 400 / math.log(10) / (score * (1 - score))
    assert 2 * found["a"].error == pytest.approx(1.96 * slope * math.sqrt(variance / 139), rel=1e-3)


def test_ratings_agree_with_an_independent_library_on_pairs() -> None:
    rng = np.random.default_rng(1)
    strength = np.array([0.0, 0.5, 1.0, -0.7, 0.2])
    games, data = [], []
    for k in range(600):
        i, j = rng.choice(5, 2, replace=False)
        if rng.random() > 1 / (1 + math.exp(strength[j] - strength[i])):
            i, j = j, i
        data.append((i, j))
        games.append(Outcome((f"p{i}", f"p{j}"), (1.0, -1.0), k))
    theirs = choix.opt_pairwise(5, data)
    ours = {r.player: r.elo / ELO for r in rate(games).table}
    assert [ours[f"p{k}"] for k in range(5)] == pytest.approx(list(theirs - theirs.mean()), abs=1e-4)


def test_ratings_agree_with_an_independent_library_on_rankings() -> None:
    rng = np.random.default_rng(2)
    strength = np.array([0.0, 0.8, -0.4, 0.3])
    rankings, games, top, winners = [], [], [], []
    for k in range(400):
        order = np.argsort(-(strength + rng.gumbel(size=4)))
        table = rng.permutation(4)
        place = {int(player): 3 - float(at) for at, player in enumerate(order)}
        rankings.append(tuple(int(x) for x in order))
        games.append(Outcome(tuple(f"p{p}" for p in table), tuple(place[int(p)] for p in table), k))
        top.append((int(order[0]), [int(x) for x in order[1:]]))
        winners.append(Outcome(tuple(f"p{p}" for p in table), tuple(1.0 if p == order[0] else 0.0 for p in table), k))
    for data, solve, given in ((rankings, choix.opt_rankings, games), (top, choix.opt_top1, winners)):
        theirs = solve(4, data)
        ours = {r.player: r.elo / ELO for r in rate(given).table}
        assert [ours[f"p{k}"] for k in range(4)] == pytest.approx(list(theirs - theirs.mean()), abs=1e-4)


def test_ties_share_the_places_they_tie_for() -> None:
    """Against a likelihood written out again and maximised by a general optimiser."""
    games = [
        Outcome(("a", "b", "c"), (1.0, 1.0, 0.0), 0), Outcome(("b", "c", "a"), (2.0, 1.0, 0.0), 1),
        Outcome(("c", "a", "b"), (1.0, 0.0, 0.0), 2), Outcome(("a", "c", "b"), (1.0, 1.0, 1.0), 3),
        Outcome(("a", "b"), (0.0, 0.0), 4), Outcome(("a", "c"), (1.0, 0.0), 5),
    ]  # fmt: skip

    def chance(player: str, table: str, t: dict[str, float]) -> float:
        return t[player] - math.log(sum(math.exp(t[p]) for p in table))

    def loss(x: np.ndarray) -> float:
        t = dict(zip("abc", x, strict=True))
        total = chance("a", "abc", t) + chance("b", "abc", t)  # two places, drawn half and half each
        total += chance("b", "abc", t) + chance("c", "ca", t)
        total += chance("c", "abc", t)  # the last two tie: nothing is known of their order
        total += 2 / 3 * sum(chance(p, "abc", t) for p in "abc")
        total += 0.5 * chance("a", "ab", t) + 0.5 * chance("b", "ab", t)
        total += chance("a", "ac", t)
        return -total + sum(x) ** 2

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    ours = {r.player: r.elo / ELO for r in rate(games).table}
    assert [ours[p] for p in "abc"] == pytest.approx(list(best - best.mean()), abs=1e-5)


def test_last_places_that_tie_tell_nothing() -> None:
    assert stages(((0,), (1, 2))) == [((0,), [0, 1, 2], 1.0)]
    assert stages(((0, 1),)) == [((0, 1), [0, 1], 1.0)]


def test_a_player_that_has_only_won_gets_a_finite_rating_that_is_marked() -> None:
    found = rate(duels(30, 0, 0))
    assert not found.certain
    assert 200 < found.table[0].elo - found.table[1].elo < 2000 and math.isfinite(found.table[0].error)
    assert rate(duels(30, 1, 0)).certain


def test_few_games_give_plain_json() -> None:
    assert rate([]).json() == []
    for games in (duels(1, 0, 0), duels(0, 1, 0)):
        json.dumps(rate(games).json(), allow_nan=False)


def test_games_that_only_draw_have_an_error_all_the_same() -> None:
    assert rate(duels(0, 10, 0)).table[0].error > 10


@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_intervals_hold_the_truth_as_often_as_they_claim(seats: int) -> None:
    """Players of known strength, some openings drawish and some not: 95% intervals, 500 tournaments."""
    rng = np.random.default_rng(seats)
    names = ["a", "b", "c", "d"][: seats + 1]
    truth = np.array([120.0, 30.0, -50.0, -100.0])[: seats + 1] / ELO
    truth -= truth.mean()
    line_ups = [c for c in _line_ups(len(names), seats) for _ in range(30 if seats == 2 else 20)]
    held: Counter[str] = Counter()
    runs = 500
    for _ in range(runs):
        games = []
        for group, line_up in enumerate(line_ups):
            shared = rng.random()
            for turn in range(seats):
                table = [line_up[(k + turn) % seats] for k in range(seats)]
                if seats == 2:
                    score = _duel(truth[table[0]], truth[table[1]], rng, shared)
                    payoff = (score, -score)
                else:
                    drawn = truth[table] + rng.gumbel(size=seats)
                    payoff = tuple(float(x) for x in drawn.argsort().argsort())
                games.append(Outcome(tuple(names[k] for k in table), payoff, group))
        for rating in rate(games).table:
            held[rating.player] += abs(rating.elo / ELO - truth[names.index(rating.player)]) <= rating.error / ELO
    for name in names:
        assert binomtest(held[name], runs, 0.95).pvalue > 0.001, (name, held[name] / runs)


def _line_ups(players: int, seats: int) -> list[tuple[int, ...]]:
    from itertools import combinations

    return list(combinations(range(players), seats))


def _duel(first: float, second: float, rng: np.random.Generator, shared: float) -> float:
    """Win, draw or loss with the mean of the model; whether a game is drawish depends on the opening it shares."""
    score = 1 / (1 + math.exp(second - first))
    draw = 2 * min(score, 1 - score) * (0.8 if shared > 0.4 else 0.1)
    x = rng.random()
    return 1.0 if x < score - draw / 2 else 0.0 if x < score + draw / 2 else -1.0


def test_superiority_is_that_of_the_normal_approximation() -> None:
    counts = (30, 50, 60)
    elo, error = elo_with_error(counts)
    assert likelihood_of_superiority(counts) == pytest.approx(norm.cdf(elo / (error / 1.96)), abs=2e-3)
    assert rate(duels(60, 50, 30)).superiority[0, 1] == pytest.approx(likelihood_of_superiority(counts), abs=2e-3)
    # the usual formula with wins and losses alone
    assert likelihood_of_superiority(counts) == pytest.approx(norm.cdf(30 / math.sqrt(90)), abs=2e-3)


def test_wilson_intervals_agree_with_scipy() -> None:
    for wins, games in ((0, 10), (3, 10), (50, 100), (100, 100)):
        theirs = binomtest(wins, games).proportion_ci(0.95, method="wilson")
        assert wilson(wins, games) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_mean_payoffs_and_their_error() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        games = []
        for group in range(40):
            luck = rng.normal()  # shared by both games, in favour of the first player
            games += [
                Outcome(("a", "b"), (luck + 0.3 + rng.normal(), 0.0), group),
                Outcome(("b", "a"), (0.0, luck + 0.3 + rng.normal()), group),
            ]
        found = {r.player: r for r in rate(games).table}["a"]
        held += abs(found.payoff - 0.3) <= found.payoff_error
    assert binomtest(held, 400, 0.95).pvalue > 0.001


def test_win_rates_by_seat() -> None:
    games = [
        Outcome(("a", "b"), (1.0, -1.0), 0),
        Outcome(("b", "a"), (1.0, -1.0), 0),
        Outcome(("a", "b"), (0.0, 0.0), 1),
    ]
    first, second = by_seat(games)
    assert (first.games, first.wins, first.ties, second.wins) == (3, 2, 1, 0)
    assert [(r.seat, r.games, r.wins) for r in by_seat(games, "a")] == [(0, 2, 1), (1, 1, 0)]
    assert pair_counts(games, "a") == ([1, 1, 1], [0, 0, 1, 0, 0])


def test_the_share_of_a_win() -> None:
    assert [share_of_win((1.0, 1.0, 0.0), seat) for seat in range(3)] == [0.5, 0.5, 0.0]
    assert share_of_win((0.0, 0.0), 0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
