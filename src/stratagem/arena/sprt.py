"""Elo from scores, and the sequential probability ratio test that says when a match has been played long enough.

Elo is logistic: a player 400 points ahead scores 10 to 1. The test compares two strengths, elo0 and elo1, by a log-likelihood
ratio in its generalised form (normal approximation; Van den Bergh, "The generalized likelihood ratio for the
expectation of a distribution", 2019): with N games of mean score s and variance v, and expected scores s0 and s1,

    LLR = N (s1 - s0) (2 s - s0 - s1) / (2 v).

Games are counted one by one (trinomial: loss, draw, win) or, where an opening is played from both sides, by pairs
(pentanomial): the games of a pair resemble each other, and the variance of pairs tells how much (N counts pairs then).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stratagem.errors import OptionError

TRINOMIAL = (0.0, 0.5, 1.0)
PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)
Z95 = 1.959963984540054
FEWEST = 32  # games or pairs before a match may be stopped: the normal approximation needs some

H0, H1, GO_ON = "H0", "H1", "continue"


def expected_score(elo: float) -> float:
    """The score of a player ahead by so many points, in 0 .. 1."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def elo_of(score: float) -> float:
    """The points by which a player with a score is ahead; infinite at 0 and 1."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def moments(counts: Sequence[float], scores: Sequence[float]) -> tuple[float, float, float]:
    """(N, mean, variance) of results counted by score."""
    n = float(sum(counts))
    mean = sum(c * x for c, x in zip(counts, scores, strict=True)) / n
    return n, mean, sum(c * (x - mean) ** 2 for c, x in zip(counts, scores, strict=True)) / n


def elo_with_error(counts: Sequence[float]) -> tuple[float, float]:
    """Elo of the mean score of three or five counts, worst first, and half its 95% interval."""
    n, mean, variance = moments(counts, _scores(counts))
    spread = Z95 * math.sqrt(variance / n)
    return elo_of(mean), (elo_of(mean + spread) - elo_of(mean - spread)) / 2


def likelihood_of_superiority(counts: Sequence[float]) -> float:
    """The probability that the first player is the stronger, from three or five counts, worst first."""
    n, mean, variance = moments(counts, _scores(counts))
    if variance == 0.0:
        n, mean, variance = moments([c + 0.5 for c in counts], _scores(counts))
    return 0.5 * math.erfc((0.5 - mean) / math.sqrt(2 * variance / n))


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """LLR of elo1 against elo0 from three or five counts, worst first.

    While all results are the same they have no variance, and half a result of every kind is added.
    """
    if sum(counts) == 0:
        return 0.0
    n, mean, variance = moments(counts, _scores(counts))
    if variance == 0.0:
        n, mean, variance = moments([c + 0.5 for c in counts], _scores(counts))
    s0, s1 = expected_score(elo0), expected_score(elo1)
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)


def _scores(counts: Sequence[float]) -> tuple[float, ...]:
    return TRINOMIAL if len(counts) == 3 else PENTANOMIAL


@dataclass(frozen=True)
class Hypotheses:
    """What is tested, and how often it may be wrong."""

    elo0: float = 0.0  # accepted in vain (though elo1 is true) with probability beta at most
    elo1: float = 5.0  # accepted in vain (though elo0 is true) with probability alpha at most
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise OptionError(f"elo0 is {self.elo0:g} and elo1 {self.elo1:g}; elo0 must be the smaller")
        for name, x in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < x < 0.5:
                raise OptionError(f"{name} is {x:g}; it lies between 0 and 0.5")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at or below which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at or above which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def decide(self, llr: float) -> str:
        """Return what a log-likelihood ratio decides: H1, H0 or to go on.

        Args:
            llr: the log-likelihood ratio of H1 against H0.
        """
        return H1 if llr >= self.upper else H0 if llr <= self.lower else GO_ON


@dataclass(frozen=True)
class SprtVerdict:
    """Where a sequential test stands."""

    llr: float
    lower: float
    upper: float
    decision: str  # H0, H1 or continue
    elo: float | None  # None: no game, or infinite
    elo_error: float | None
    los: float | None
    counts: tuple[int, ...]  # results by score, worst first

    def json(self) -> dict[str, Any]:
        """Return the verdict as data."""
        return {**vars(self), "counts": list(self.counts)}


def judge(counts: Sequence[int], hypotheses: Hypotheses) -> SprtVerdict:
    """Judge three counts (losses, draws, wins) or five (pairs of games, worst first)."""
    llr = log_likelihood_ratio(counts, hypotheses.elo0, hypotheses.elo1)
    elo = error = los = None
    if sum(counts):
        found, spread = elo_with_error(counts)
        elo = found if math.isfinite(found) else None
        error = spread if elo is not None and math.isfinite(spread) else None
        los = likelihood_of_superiority(counts)
    return SprtVerdict(
        llr, hypotheses.lower, hypotheses.upper, hypotheses.decide(llr), elo, error, los, tuple(int(c) for c in counts)
    )
