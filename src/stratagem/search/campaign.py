"""Campaigns in their simplest form: propose a few whole turns, judge each by sampling, play the best.

A turn of a campaign is a sequence of decisions with chance between them, so it cannot be listed and cannot be written down
as moves beforehand. What is proposed is an intent, a row of numbers that the game's own `carry` turns into moves as the dice
fall. Each intent is carried out on copies of the position: what is hidden is guessed, the turn is played, everybody goes on
by a usual intent for some turns, and `judge` estimates what came out. The j-th sample of every intent draws the same random
numbers, and the samples are shared out by sequential halving, so that most go to the intents that may be best.

It is as good as its proposals: what none of them does is never found. Stages that propose parts of a turn and refine them
belong in a search above this one, for which `sample_turns` judges whole turns whatever made them.

The game gives four kernels besides the rules' own: `propose`, `carry`, `judge`, and `turns`, which counts; and the usual
intent as a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import OptionError
from stratagem.kernel import (
    CELLS,
    CHANCE,
    OVER,
    PLAYERS,
    SIZE,
    Ground,
    Payoffs,
    State,
    Unbound,
    _unbound,
    draw,
    guess,
    payoff,
    play,
    turn,
)
from stratagem.rng import Rng, mix, seed_stream, word

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PLANS: int = cast(Any, Unbound("MOST_PLANS"))  # rows that `propose` may write
PLAN_SIZE: int = cast(Any, Unbound("PLAN_SIZE"))  # numbers of an intent
SECRET: bool = False  # whether something must be guessed

# columns of `stats`, one row a plan
SAMPLES, SUM, SQUARES = 0, 1, 2


class Proposals(NamedTuple):
    """Intents for one turn, and what their samples gave."""

    plans: Rows  # [MOST_PLANS, PLAN_SIZE]
    usual: Rows  # [PLAN_SIZE] the intent by which everybody goes on
    alive: Ints  # [MOST_PLANS] numbers of plans: those still sampled first
    stats: Rows  # [MOST_PLANS, 3] SAMPLES, SUM and SQUARES


class Scratch(NamedTuple):
    """What a sample works with."""

    state: State  # [cells]
    rng: Rng  # [2]
    out: Payoffs  # [players]


class CampaignLimits(NamedTuple):
    """Numbers that bound a choice."""

    samples: int  # in all
    horizon: int  # turns of all players after one's own, before the judgement
    seed: int


class Part(NamedTuple):
    """Some of the samples."""

    plans: int  # how many of those alive
    first: int  # the number of the first sample
    each: int  # samples of a plan


def propose(g: Ground, s: State, p: int, plans: Rows) -> int:
    """Write intents for player p's turn into the rows of `plans`; returns how many."""
    _unbound("propose")


def carry(g: Ground, s: State, p: int, plan: Rows, r: Rng) -> int:
    """Player p's next move under an intent."""
    _unbound("carry")


def judge(g: Ground, s: State, out: Payoffs) -> None:
    """What each player may expect, at the beginning of a turn."""
    _unbound("judge")


def turns(g: Ground, s: State) -> int:
    """How many turns have begun."""
    _unbound("turns")


def one_turn(g: Ground, s: State, seat: int, plan: Rows, usual: Rows, horizon: int, r: Rng, out: Payoffs) -> None:
    """Carry out an intent in the rest of this turn and the usual one for `horizon` turns more, and judge."""
    began = turns(g, s)
    while True:
        t = turn(g, s)
        if t == CHANCE:
            draw(g, s, r)
        elif t == OVER:
            payoff(g, s, out)
            return
        else:
            passed = turns(g, s) - began
            if passed > horizon:
                judge(g, s, out)
                return
            play(g, s, t, carry(g, s, t, plan if t == seat and passed == 0 else usual, r))


def sample_turns(
    g: Ground,
    root: State,
    seat: int,
    proposals: Proposals,
    scratch: Scratch,
    limits: CampaignLimits,
    part: Part,
    stop: Ints,
) -> None:
    """Samples of the first plans alive, each drawn from its own stream; a stop ends it, but not before the very first."""
    s, r, stats = scratch.state, scratch.rng, proposals.stats
    for j in range(part.first, part.first + part.each):
        if j > 0 and stop[0] != 0:
            return
        for i in range(part.plans):
            k = proposals.alive[i]
            seed_stream(r, limits.seed, j)
            for x in range(SIZE):
                s[x] = root[x]
            if SECRET:
                guess(g, s, seat, r)
            one_turn(g, s, seat, proposals.plans[k], proposals.usual, limits.horizon, r, scratch.out)
            stats[k, SAMPLES] += 1.0
            stats[k, SUM] += scratch.out[seat]
            stats[k, SQUARES] += scratch.out[seat] * scratch.out[seat]


def sample_move(
    g: Ground, root: State, seat: int, move: int, usual: Rows, scratch: Scratch, limits: CampaignLimits, out: Rows
) -> None:
    """Samples of one move, after which everybody goes on by the usual intent: their SAMPLES, SUM and SQUARES into `out`.

    Sample j draws the same random numbers whatever the move, and the judgement comes at the same turn."""
    s, r = scratch.state, scratch.rng
    out[:] = 0.0
    for j in range(limits.samples):
        seed_stream(r, limits.seed, j)
        for x in range(SIZE):
            s[x] = root[x]
        if SECRET:
            guess(g, s, seat, r)
        play(g, s, seat, move)
        passed = turns(g, s) - turns(g, root)
        one_turn(g, s, seat, usual, usual, max(limits.horizon - passed, 0), r, scratch.out)
        out[SAMPLES] += 1.0
        out[SUM] += scratch.out[seat]
        out[SQUARES] += scratch.out[seat] * scratch.out[seat]


def rank(alive: Ints, n: int, stats: Rows) -> None:
    """Order the first n plans alive by their means, best first; ties keep the order of proposal."""
    for i in range(1, n):
        k = alive[i]
        x = stats[k, SUM] / max(stats[k, SAMPLES], 1.0)
        at = i
        while at > 0 and stats[alive[at - 1], SUM] / max(stats[alive[at - 1], SAMPLES], 1.0) < x:
            alive[at] = alive[at - 1]
            at -= 1
        alive[at] = k


def choose_plan(
    g: Ground, root: State, seat: int, proposals: Proposals, scratch: Scratch, limits: CampaignLimits, stop: Ints
) -> int:
    """Propose, sample by sequential halving, and return how many plans there are.

    The plans are left in `alive`, best first: the one chosen, then the others as they dropped out. A stop ends the halving
    and leaves them as they stand."""
    alive, stats = proposals.alive, proposals.stats
    n = propose(g, root, seat, proposals.plans)
    for k in range(n):
        alive[k] = k
        stats[k, SAMPLES] = 0.0
        stats[k, SUM] = 0.0
        stats[k, SQUARES] = 0.0
    rounds = 1
    while 1 << rounds < n:
        rounds += 1
    left, done = n, 0
    for _ in range(rounds):
        if left == 1 or (done > 0 and stop[0] != 0):
            break
        each = max(1, limits.samples // (rounds * left))
        sample_turns(g, root, seat, proposals, scratch, limits, Part(left, done, each), stop)
        done += each
        rank(alive, left, stats)
        left = (left + 1) // 2
    return n


@dataclass(frozen=True)
class CampaignSettings:
    """How a campaign player thinks about a turn."""

    samples: int = 200  # turns played out for one choice, shared among the plans
    horizon: int = 3  # turns of all players after one's own, before the judgement

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise OptionError(f"{self.samples} samples judge nothing; give 1 or more")
        if self.horizon < 0:
            raise OptionError(f"a horizon of {self.horizon} turns is none; give 0 or more")


@dataclass(frozen=True)
class JudgedTurn:
    """A proposed turn and what its samples gave."""

    index: int  # the number of the proposal
    plan: Rows
    samples: int
    value: float
    error: float | None  # standard error; None below two samples


class Campaign:
    """Chooses whole turns of one game. `names`: the game's kernels and constants, and those of a campaign; `usual`: the
    intent by which everybody is imagined to go on."""

    def __init__(
        self,
        names: Mapping[str, Any],
        usual: Rows,
        settings: CampaignSettings,
        *,
        seed: int = 0,
        label: str = "campaign",
        target: str = "cpu",
    ) -> None:
        self.settings, self.seed = settings, seed
        self._choose = specialise(choose_plan, names, target=target, label=f"{label}, whole turns")
        self._sample = specialise(sample_move, names, target=target, label=f"{label}, moves weighed")
        most, players = names["MOST_PLANS"], names["PLAYERS"]
        self.proposals = Proposals(
            np.zeros((most, names["PLAN_SIZE"])), usual, np.zeros(most, np.int64), np.zeros((most, 3))
        )
        self.scratch = Scratch(np.zeros(names["CELLS"], np.int64), np.zeros(2, np.int64), np.zeros(players))
        self.asked = 0

    def consider(
        self, g: Ground, root: State, seat: int, *, samples: int | None = None, stop: Ints | None = None
    ) -> Sequence[JudgedTurn]:
        """The proposals for a seat's turn, best first; `root` has the scratch cells of a state behind it."""
        self.asked += 1
        with np.errstate(over="ignore"):
            seed = int(mix(word(self.seed * 1_000_003 + self.asked)))
        limits = CampaignLimits(self.settings.samples if samples is None else samples, self.settings.horizon, seed)
        flag = np.zeros(1, np.int64) if stop is None else stop
        n = int(self._choose(g, root, seat, self.proposals, self.scratch, limits, flag))
        return [self._judged(int(k)) for k in self.proposals.alive[:n]]

    def weigh(self, g: Ground, root: State, seat: int, moves: Sequence[int], *, samples: int, seed: int) -> list[float]:
        """What single moves are worth to a seat, each sampled as often and with the same random numbers."""
        limits, found = CampaignLimits(samples, self.settings.horizon, seed), np.zeros(3)
        means = []
        for move in moves:
            self._sample(g, root, seat, move, self.proposals.usual, self.scratch, limits, found)
            means.append(float(found[SUM] / found[SAMPLES]))
        return means

    def _judged(self, k: int) -> JudgedTurn:
        samples, total, squares = (float(x) for x in self.proposals.stats[k])
        mean = total / samples if samples else math.nan
        error = math.sqrt(max(squares / samples - mean * mean, 0.0) / (samples - 1)) if samples > 1 else None
        return JudgedTurn(k, self.proposals.plans[k].copy(), int(samples), mean, error)


__all__ = [
    "CELLS",
    "PLAYERS",
    "Campaign",
    "CampaignLimits",
    "CampaignSettings",
    "JudgedTurn",
    "Proposals",
    "Scratch",
    "carry",
    "choose_plan",
    "judge",
    "one_turn",
    "propose",
    "sample_move",
    "sample_turns",
    "turns",
]
