"""Ratings from games between any number of players: one model, which between two is Elo.

The model is Plackett and Luce's: the winner is drawn from those at the table with chances in proportion to their
strengths, then the second from the rest, and so on. Strengths are found by maximum likelihood and given in Elo points
(400 points: ten times the strength), the average being 0. Between two players this is the logistic Elo model, a draw being half
a win and half a loss; in general those who tie share the places they tie for. Last places that are tied tell nothing of
their order: in a game with one winner, only the winner counts.

Errors are those of the sandwich estimator, clustered by opening: games that share an opening are not independent, and
draws make scores vary less than wins and losses would; both are measured rather than assumed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from stratagem.arena.sprt import Z95

ELO = 400.0 / math.log(10.0)  # points per unit of log strength
VIRTUAL = 1.0  # games drawn against the average that every player is granted where some have only won or only lost

Array = NDArray[np.float64]
Ranking = tuple[tuple[int, ...], ...]  # players by place, best first; those in one place tie


@dataclass(frozen=True)
class Outcome:
    """One game for the ratings."""

    players: tuple[str, ...]  # by seat
    payoff: tuple[float, ...]
    group: int  # games of a group share their opening


@dataclass(frozen=True)
class Rating:
    """A player's place in the table."""

    player: str
    elo: float
    error: float  # half of the 95% interval
    games: int
    score: float  # average share of wins, in 0 .. 1
    payoff: float  # average, in the game's own units
    payoff_error: float  # half of its 95% interval


@dataclass(frozen=True)
class Ratings:
    """Ratings, best first, with the certainty of each comparison."""

    table: tuple[Rating, ...]
    superiority: Array  # [i, j]: the probability that table[i] is stronger than table[j]
    certain: bool  # False: somebody has only won or only lost, and virtual draws bound the ratings

    def json(self) -> list[dict[str, Any]]:
        return [
            {
                **vars(rating),
                "payoff_error": rating.payoff_error if math.isfinite(rating.payoff_error) else None,
                "certain": self.certain,
                "superiority": {
                    other.player: float(self.superiority[i, j]) for j, other in enumerate(self.table) if j != i
                },
            }
            for i, rating in enumerate(self.table)
        ]


def ranking(indices: Sequence[int], payoff: Sequence[float]) -> Ranking:
    """Players by place from their payoffs."""
    places = sorted(set(payoff), reverse=True)
    return tuple(tuple(sorted(i for i, x in zip(indices, payoff, strict=True) if x == place)) for place in places)


def share_of_win(payoff: Sequence[float], seat: int) -> float:
    """1 for the only winner, a share for those who tie for it, else 0; between two, a draw is a half."""
    best = max(payoff)
    return (payoff[seat] == best) / list(payoff).count(best)


def rate(outcomes: Iterable[Outcome]) -> Ratings:
    """Rate all players that appear."""
    outcomes = list(outcomes)
    if not outcomes:
        return Ratings((), np.zeros((0, 0)), True)
    names = list(dict.fromkeys(name for outcome in outcomes for name in outcome.players))
    index = {name: k for k, name in enumerate(names)}
    groups: dict[int, list[Ranking]] = {}
    scores: dict[str, list[float]] = {name: [] for name in names}
    payoffs: dict[str, dict[int, list[float]]] = {name: {} for name in names}  # by group
    for outcome in outcomes:
        groups.setdefault(outcome.group, []).append(ranking([index[p] for p in outcome.players], outcome.payoff))
        for seat, name in enumerate(outcome.players):
            scores[name].append(share_of_win(outcome.payoff, seat))
            payoffs[name].setdefault(outcome.group, []).append(outcome.payoff[seat])
    clusters = Counter(tuple(sorted(group)) for group in groups.values())
    strengths, covariance, certain = fit(len(names), clusters)
    order = sorted(range(len(names)), key=lambda k: (-strengths[k], names[k]))
    table = tuple(
        Rating(
            names[k],
            float(ELO * strengths[k]),
            float(Z95 * ELO * math.sqrt(max(covariance[k, k], 0.0))),
            len(scores[names[k]]),
            float(np.mean(scores[names[k]])),
            *_mean_with_error(payoffs[names[k]]),
        )
        for k in order
    )
    superiority = np.full((len(names), len(names)), 0.5)
    for a, i in enumerate(order):
        for b, j in enumerate(order):
            spread = math.sqrt(max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
            if i != j:
                gap = strengths[i] - strengths[j]
                superiority[a, b] = (
                    0.5 * math.erfc(-gap / spread / math.sqrt(2)) if spread else 0.5 * (1 + np.sign(gap))
                )
    return Ratings(table, superiority, certain)


def _mean_with_error(groups: dict[int, list[float]]) -> tuple[float, float]:
    """The mean over all games, and half its 95% interval; games of a group are not independent, groups are."""
    values = [x for group in groups.values() for x in group]
    mean, count = float(np.mean(values)), len(groups)
    if count < 2:
        return mean, math.inf
    off = sum((sum(group) - mean * len(group)) ** 2 for group in groups.values())
    return mean, Z95 * math.sqrt(off * count / (count - 1)) / len(values)


# ------------------------------------------------------------------------------------------------- the likelihood


def stages(ranked: Ranking) -> list[tuple[tuple[int, ...], list[int], float]]:
    """(who was drawn, from whom, how many places they fill) for each place that tells something."""
    found = []
    for k, tied in enumerate(ranked):
        rest = [i for place in ranked[k:] for i in place]
        last = k == len(ranked) - 1
        if not last or k == 0:
            found.append((tied, rest, float(min(len(tied), len(rest) - 1))))
    return found


class _Games:
    """All stages of all distinct games as arrays, so that the likelihood is a few matrix products."""

    def __init__(self, n: int, games: Counter[Ranking]) -> None:
        self.index = {ranked: k for k, ranked in enumerate(games)}
        found = [(k, times, *stage) for k, (ranked, times) in enumerate(games.items()) for stage in stages(ranked)]
        self.game = np.array([row[0] for row in found])  # [stages] of which game
        self.times = np.array([row[1] for row in found], np.float64)  # how often that game was played so
        self.places = np.array([row[4] for row in found])
        self.present = np.zeros((len(found), n))  # [stages, players] how often a player sits among those drawn from
        self.drawn = np.zeros((len(found), n))  # places filled
        for k, (_, _, tied, rest, places) in enumerate(found):
            np.add.at(self.present[k], rest, 1.0)
            np.add.at(self.drawn[k], list(tied), places / len(tied))

    def chances(self, theta: Array) -> tuple[Array, Array]:
        """(log of the total strength, each player's chance to be drawn) at every stage."""
        top = theta.max()
        strength: Array = self.present * np.exp(theta - top)
        total = strength.sum(axis=1)
        return top + np.log(total), strength / total[:, None]

    def likelihood(self, theta: Array, prior: float) -> tuple[float, Array, Array]:
        """Log-likelihood, gradient, Hessian."""
        total, p = self.chances(theta)
        weight = self.times * self.places
        value = float(self.times @ (self.drawn @ theta) - weight @ total)
        gradient = self.times @ self.drawn - weight @ p
        hessian = (p * weight[:, None]).T @ p - np.diag(weight @ p)
        if prior:
            q = 1 / (1 + np.exp(-theta))
            value += prior * float(np.sum(0.5 * np.log(q) + 0.5 * np.log1p(-q)))
            gradient = gradient + prior * (0.5 - q)
            hessian = hessian - prior * np.diag(q * (1 - q))
        return value, gradient, hessian

    def gradients(self, theta: Array) -> Array:
        """[games, players] the gradient of each distinct game, played once."""
        _, p = self.chances(theta)
        out = np.zeros((len(self.index), len(theta)))
        np.add.at(out, self.game, self.drawn - self.places[:, None] * p)
        return out


def fit(n: int, clusters: Counter[tuple[Ranking, ...]]) -> tuple[Array, Array, bool]:
    """(log strengths with mean 0, their covariance, whether the likelihood alone decides them)."""
    counted: Counter[Ranking] = Counter()
    for cluster, times in clusters.items():
        for ranked in cluster:
            counted[ranked] += times
    certain = _connected(n, counted)
    prior = 0.0 if certain else VIRTUAL
    games = _Games(n, counted)
    theta = np.zeros(n)
    value, gradient, hessian = games.likelihood(theta, prior)
    for _ in range(200):
        step = np.linalg.solve(-hessian + np.ones((n, n)) / n, gradient)  # the ones fix the mean
        size = 1.0
        while True:
            trial = theta + size * step
            trial -= trial.mean() if certain else 0.0
            found = games.likelihood(trial, prior)
            if found[0] >= value - 1e-12 * abs(value) or size < 1e-9:
                break
            size /= 2
        moved = float(np.abs(trial - theta).max())
        theta, (value, gradient, hessian) = trial, found
        if moved < 1e-10:
            break
    covariance = _covariance(theta, hessian, games, clusters, certain)
    return theta - theta.mean(), covariance, certain


def _covariance(
    theta: Array, hessian: Array, games: _Games, clusters: Counter[tuple[Ranking, ...]], certain: bool
) -> Array:
    n, count = len(theta), sum(clusters.values())
    centre = np.eye(n) - 1.0 / n
    inverse = centre @ np.linalg.inv(-hessian + np.ones((n, n)) / n) @ centre
    if not certain or count < 2:
        return inverse
    gradients = games.gradients(theta)
    sums = np.array([gradients[[games.index[ranked] for ranked in cluster]].sum(axis=0) for cluster in clusters])
    spread = (sums * np.array(list(clusters.values()), np.float64)[:, None]).T @ sums
    sandwich: Array = inverse @ spread @ inverse * (count / (count - 1))
    # results that do not vary at all, such as draws only, say nothing of their spread: then the model does
    return sandwich if np.diag(sandwich).min() > 1e-12 else inverse


def _connected(n: int, games: Counter[Ranking]) -> bool:
    """Whether everybody has, over others, both beaten and been beaten by everybody: then the maximum exists."""
    beats = np.zeros((n, n))
    for ranked in games:
        for tied, rest, _ in stages(ranked):
            for i in tied:
                beats[i, rest] = 1
    return bool(connected_components(csr_array(beats), connection="strong")[0] == 1)


# ------------------------------------------------------------------------------------------------------ win rates


def wilson(wins: float, games: int) -> tuple[float, float]:
    """The 95% interval of a rate (Wilson's score interval)."""
    if games == 0:
        return 0.0, 1.0
    p, z = wins / games, Z95
    centre = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(centre - half, 0.0), min(centre + half, 1.0)


@dataclass(frozen=True)
class SeatRate:
    """How a seat has fared, or a player in it."""

    seat: int
    games: int
    wins: int  # alone
    ties: int  # for the best
    rate: float
    low: float
    high: float


def by_seat(outcomes: Iterable[Outcome], player: str | None = None) -> list[SeatRate]:
    """Win rates of the seats, over all games or those of one player in them."""
    tally: dict[int, list[int]] = {}
    for outcome in outcomes:
        for seat, name in enumerate(outcome.players):
            if player in (None, name):
                counts = tally.setdefault(seat, [0, 0, 0])
                share = share_of_win(outcome.payoff, seat)
                counts[0] += 1
                counts[1] += share == 1.0
                counts[2] += 0.0 < share < 1.0
    return [
        SeatRate(seat, games, wins, ties, wins / games, *wilson(wins, games))
        for seat, (games, wins, ties) in sorted(tally.items())
    ]


def pair_counts(outcomes: Iterable[Outcome], player: str) -> tuple[list[int], list[int]]:
    """Of two players' games, a player's results: ([losses, draws, wins], pairs by score, worst first)."""
    single, halves, double = [0, 0, 0], dict[int, list[float]](), [0] * 5
    for outcome in outcomes:
        score = share_of_win(outcome.payoff, outcome.players.index(player))
        single[round(2 * score)] += 1
        halves.setdefault(outcome.group, []).append(score)
    for scores in halves.values():
        if len(scores) == 2:
            double[round(2 * sum(scores))] += 1
    return single, double
