"""How a search by stages thinks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stratagem.errors import OptionError
from stratagem.search.budget import check_threads
from stratagem.search.settings import number, switch, whole
from stratagem.search.staged.records import Law, Terms

MEAN, BEST = "mean", "best"  # what is backed up
LOOKED = 200  # combinations that are looked at in one walk


@dataclass(frozen=True)
class Settings:
    """How a search by stages thinks."""

    samples: int = 1  # trials of a turn at a visit; more where one is cheap and chance is great
    again: float = (
        0.0  # trials at later visits of a turn: this part of those it has had, from `samples` to MOST_AGAIN times that
    )
    depth: int = 1  # turns of all players that a walk may join; 1: judged right after the own turn
    exploration: float = 1.0  # weight of the bonus among candidates of a stage, in units of the deviation seen; above 0
    turn_exploration: float = 1.4  # the same among whole turns
    widening: str = (
        "progressive"  # when a stage asks for one more candidate: by a law of its visits, or by the "phantom"
    )
    factor: float = 2.0  # progressive: fewer than factor * visits ** power candidates
    power: float = 0.5
    turn_factor: float = (
        2.0  # the same for whole turns; 0: by the phantom, under which they grow with the logarithm only
    )
    turn_power: float = 0.7
    fresh: float = 0.35  # how one more candidate is asked for: weights of a first proposal,
    fine: float = 0.4  # of a fine refinement of the best so far,
    coarse: float = 0.25  # and of a coarse one
    noise: float = 1.0  # of coarse refinement; it shrinks towards half as a family is visited
    mixing: float = 0.1  # how often a stage chooses any candidate at random, so that all combinations are met
    pruning: float = (
        2.0  # half-width of the intervals by which candidates are passed over, in deviations; 0: none are, and
    )
    # an estimate of a half-made turn is the first value of its new part in the choice among all
    caution: float = 1.0  # the turn played has the best mean less so many standard errors
    backup: str = (
        MEAN  # what a turn is worth: the mean of its trials, or, where all is certain, what the best reply leaves
    )
    # of the mean, where all is certain: the trials of a turn from which on what the best reply leaves counts for more than the
    # mean; 0: it does not count
    trust: float = 0.0
    turns: int = 200_000  # turns held at most; after that no new ones are made
    simulations: int = 1000  # visits for one choice where no clock is given
    threads: int = 1
    reuse: bool = True  # begin with what the last search knew about the position

    def __post_init__(self) -> None:
        for name in ("samples", "depth", "turns", "simulations"):
            if whole(name, getattr(self, name)) < 1:
                raise OptionError(f"{name} is {getattr(self, name)}; give 1 or more")
        if self.widening not in ("phantom", "progressive"):
            raise OptionError(f"widening is {self.widening!r}; it is 'phantom' or 'progressive'")
        for name in ("exploration", "turn_exploration", "factor", "power", "turn_power"):
            if not (math.isfinite(number(name, getattr(self, name))) and getattr(self, name) > 0):
                raise OptionError(f"{name} is {getattr(self, name)!r}; give a number above 0")
        for name in ("fresh", "fine", "coarse", "noise", "pruning", "caution", "trust", "turn_factor", "again"):
            if not (math.isfinite(number(name, getattr(self, name))) and getattr(self, name) >= 0):
                raise OptionError(f"{name} is {getattr(self, name)!r}; give a number of at least 0")
        if self.backup not in (MEAN, BEST):
            raise OptionError(f"backup is {self.backup!r}; it is {MEAN!r} or {BEST!r}")
        if self.fresh + self.fine + self.coarse == 0:
            raise OptionError("fresh, fine and coarse are all 0; candidates come from at least one of them")
        if not 0 < number("mixing", self.mixing) < 1:
            raise OptionError(f"mixing is {self.mixing!r}; it lies between 0 and 1")
        check_threads(whole("threads", self.threads))
        switch("reuse", self.reuse)


def terms_of(s: Settings, *, certain: bool, halves: bool) -> Terms:
    """Settings as the core reads them."""
    width, grain = float(s.pruning), float(s.samples)
    factor = float(s.factor) if s.widening == "progressive" else 0.0
    return Terms(
        turns=Law(float(s.turn_exploration), width, grain, float(s.turn_factor), float(s.turn_power), float(s.trust)),
        parts=Law(float(s.exploration), width, grain, factor, float(s.power), 0.0),
        samples=int(s.samples),
        again=float(s.again),
        depth=int(s.depth),
        first_weight=float(s.fresh),
        fine_weight=float(s.fine),
        coarse_weight=float(s.coarse),
        noise=float(s.noise),
        mixing=float(s.mixing),
        most_turns=int(s.turns),
        looked=LOOKED,
        certain=bool(certain),
        halves=bool(halves),
        shared=s.threads > 1,
    )
