"""Flat Monte-Carlo: the first move whose playouts end best.

The strategy is argmax over first moves a0 of the mean of v(S), where S is a terminal or depth-d state sampled by playing
a0 and then a playout strategy for everyone, and v the payoff or a heuristic value. It needs nothing but a way to sample
play, so it fits every game: hidden things are re-sampled through `guess`, and where all decide at once the others play by
the playout strategy. It does not look ahead: it answers the playout strategy, not a clever opponent. Use `mcts` where the
opponents answer, and this where moves are huge or play after the first is well imitated.

Playouts are shared out evenly, by UCB, or by sequential halving (Karnin, Koren, Somekh 2013). The j-th playout of every
move draws the same random numbers, which makes differences between moves less noisy; the counter-based generator names
them by (seed, j), so that CPU threads and a GPU need no state between playouts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.contract.player import Choice, Clock, Line, Report, check_lines, deciding_seat
from stratagem.errors import MissingKernel, OptionError
from stratagem.kernel import (
    CHANCE,
    NO_MOVE,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    Payoffs,
    State,
    count,
    guess,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, generator, seed_stream
from stratagem.search.budget import Budget, StopFlag, check_threads
from stratagem.search.sampling.playouts import (
    HAS_TOGETHER,
    INLINED,
    cap_of,
    check_kernels,
    check_position,
    complaint,
    names_for,
    playout,
    rollout,
)
from stratagem.search.settings import SamplingSettings, settings_of, whole

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

# columns of `stats`, one row a first move: playouts, the sum of what they gave, the sum of squares
SAMPLES, SUM, SQUARES = 0, 1, 2
SHARES = ("uniform", "ucb", "halving")
NO_FIRST_MOVE = -1  # in place of a move: the playout begins at once
CONFIDENCE = 1.96  # standard errors either side of a mean: 95 %
STREAMS = 1 << 40  # of a thread, before those of the next begin
FIRST_LAUNCH = 1 << 18  # playouts: a GPU reads no flag, so the clock is looked at between launches
TRIAL = 8  # playouts of each move that tell what the clock will pay for
TRIAL_TIME = 0.05  # and the part of the clock that they may take
SPARE_TIME = 0.95  # of what is left is planned for

REMEMBERS: bool = (
    False  # bound for each search: whether what was guessed and what others decide is kept for other moves
)
REMEMBERED = 8192  # playouts of a move whose guesses and replies are kept
RNG_CELLS = 2  # of a generator


class Arms(NamedTuple):
    """The first moves that playouts begin with. `memory` has a row for each of the first playouts of a move, or none."""

    listed: Moves  # [moves]
    alive: Words  # [some] the numbers in `listed` of those that are still tried
    stats: Floats  # [moves, 3] SAMPLES, SUM and SQUARES
    memory: Words  # [REMEMBERED or 0, cells] see `remembered_playout`


class Scratch(NamedTuple):
    """What one playout works with."""

    state: State  # [cells]
    rng: Rng  # [2]
    joint: Moves  # [players]
    out: Payoffs  # [players] what it gave


class Streams(NamedTuple):
    """Which random numbers the playouts draw."""

    seed: int
    base: int  # the number of the first stream
    common: bool  # the j-th playout of every move draws from the same stream


class SamplingLimits(NamedTuple):
    """Numbers that bound a call."""

    depth: int  # plies after which playouts are judged, where they are
    cap: int  # plies after which a playout is endless
    exploration: float = 0.0  # weight of UCB's bonus, in payoffs; 0: playouts are dealt evenly
    at_least: int = 0  # playouts, whatever the flag says
    at_most: int = 0


def guess_hidden(g: Ground, s: State, seat: int, r: Rng) -> None:
    """What the seat cannot see is sampled anew."""
    guess(g, s, seat, r)


def as_it_is(g: Ground, s: State, seat: int, r: Rng) -> None:
    """Nothing is hidden."""


imagine = as_it_is  # or `guess_hidden`


def first_move(g: Ground, s: State, seat: int, m: int, r: Rng, joint: Moves) -> None:
    """Player `seat` makes the move m; where all decide at once, the others follow the playout strategy."""
    if m == NO_FIRST_MOVE:
        return
    if HAS_TOGETHER and turn(g, s) == TOGETHER:
        for p in range(PLAYERS):
            joint[p] = NO_MOVE
            if p == seat:
                joint[p] = m
            elif count(g, s, p) > 0:
                joint[p] = rollout(g, s, p, r)
        play_together(g, s, joint)
    else:
        play(g, s, seat, m)


def one_playout(g: Ground, start: State, seat: int, m: int, scratch: Scratch, limits: SamplingLimits) -> int:
    """A playout after the move m, by a generator that stands at its beginning; returns its plies, or an error."""
    s, r = scratch.state, scratch.rng
    for i in range(SIZE):
        s[i] = start[i]
    imagine(g, s, seat, r)
    first_move(g, s, seat, m, r, scratch.joint)
    return playout(g, s, r, scratch.joint, limits.depth, limits.cap, scratch.out)


def remembered_playout(
    g: Ground, start: State, seat: int, m: int, scratch: Scratch, limits: SamplingLimits, row: Words
) -> int:
    """The same playout where all decide at once: what is guessed and what others decide does not depend on m, so it is kept.

    `row` has the state, the joint move and the generator after them, and in its last cell whether they are there."""
    s, r, joint = scratch.state, scratch.rng, scratch.joint
    at = SIZE + PLAYERS
    if row[at + RNG_CELLS] == 0:
        for i in range(SIZE):
            s[i] = start[i]
        imagine(g, s, seat, r)
        for i in range(SIZE):
            row[i] = s[i]
        for p in range(PLAYERS):
            row[SIZE + p] = NO_MOVE
            if p != seat and count(g, s, p) > 0:
                row[SIZE + p] = rollout(g, s, p, r)
        for i in range(RNG_CELLS):
            row[at + i] = r[i]
        row[at + RNG_CELLS] = 1
    for i in range(SIZE):
        s[i] = row[i]
    for p in range(PLAYERS):
        joint[p] = row[SIZE + p]
    joint[seat] = m
    for i in range(RNG_CELLS):
        r[i] = row[at + i]
    play_together(g, s, joint)
    return playout(g, s, r, joint, limits.depth, limits.cap, scratch.out)


def best_bound(arms: Arms, c: float) -> int:
    """The move alive of the highest upper confidence bound (UCB1: Auer, Cesa-Bianchi, Fischer 2002)."""
    total = 0.0
    for k in arms.alive:
        total += arms.stats[k, SAMPLES]
    bonus = c * np.sqrt(np.log(total))
    best = -np.inf
    chosen = arms.alive[0]
    for k in arms.alive:
        inverse = 1.0 / max(arms.stats[k, SAMPLES], 1.0)
        score = arms.stats[k, SUM] * inverse + bonus * np.sqrt(inverse)
        if score > best:
            best = score
            chosen = k
    return chosen


def least_sampled(arms: Arms) -> int:
    """The place in `alive` of the first move that has least, so that dealing goes on where it stopped."""
    at = 0
    for j in range(1, arms.alive.shape[0]):
        if arms.stats[arms.alive[j], SAMPLES] < arms.stats[arms.alive[at], SAMPLES]:
            at = j
    return at


def sample_moves(
    g: Ground,
    start: State,
    seat: int,
    arms: Arms,
    scratch: Scratch,
    streams: Streams,
    limits: SamplingLimits,
    stop: StopFlag,
) -> int:
    """Playouts for the moves alive, until a budget or the flag; returns how many, or an error."""
    n = arms.alive.shape[0]
    stats = arms.stats
    at = least_sampled(arms)
    for i in range(limits.at_most):
        if i >= limits.at_least and stop[0] != 0:
            return i
        k = arms.alive[at]
        if limits.exploration > 0.0 and stats[k, SAMPLES] > 0.0:
            k = best_bound(arms, limits.exploration)
        else:
            at = at + 1 if at + 1 < n else 0
        number = int(stats[k, SAMPLES])
        stream = streams.base + (number if streams.common else number * arms.listed.shape[0] + k)
        seed_stream(scratch.rng, streams.seed, stream)
        if REMEMBERS and number < arms.memory.shape[0]:
            plies = remembered_playout(g, start, seat, arms.listed[k], scratch, limits, arms.memory[number])
        else:
            plies = one_playout(g, start, seat, arms.listed[k], scratch, limits)
        if plies < 0:
            return plies
        stats[k, SAMPLES] += 1.0
        stats[k, SUM] += scratch.out[seat]
        stats[k, SQUARES] += scratch.out[seat] * scratch.out[seat]
    return limits.at_most


PARTS = (guess_hidden, as_it_is, first_move, one_playout, *INLINED)  # that must be inlined


# ------------------------------------------------------------------------------------------------- the face


@dataclass(frozen=True, kw_only=True)
class MonteCarloSettings(SamplingSettings):
    """How playouts are shared out, and what they are."""

    exploration: float = 1.0  # of UCB, in units of half the range of payoffs; above 0
    share: str = "ucb"  # how playouts are shared out: uniform, ucb, or halving (sequential halving)
    common: bool = True  # the j-th playout of every move draws the same random numbers
    remember: bool = False  # where all decide at once, keep guesses and replies for all moves; pays if they cost much
    threads: int = 1  # 1 to 64
    target: str = "cpu"  # "cuda": one playout a thread of a GPU, shared out evenly
    names: Mapping[str, Any] | None = None  # further names to bind into the template, such as `counted`
    force_inline: bool = True  # False where rules are long: forced inlining of those takes minutes and gains little

    work = "playouts tries nothing"

    def __post_init__(self) -> None:
        if self.share not in SHARES:
            raise OptionError(f"playouts cannot be shared out by {self.share!r}; it is one of {', '.join(SHARES)}")
        super().__post_init__()
        self._hold(threads=whole("threads", self.threads))
        check_threads(self.threads)
        if self.target == "cuda" and self.share == "ucb":
            self._hold(share="uniform")  # its playouts are launched by the thousand


@dataclass(frozen=True)
class Estimate:
    """What the playouts of one first move gave."""

    move: int  # NO_FIRST_MOVE: the position itself
    samples: int
    value: float  # the mean to the seat that decides; NaN without a playout
    error: float | None  # its standard error; None below two samples

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean lies with 95 % confidence, by the normal approximation."""
        half = math.inf if self.error is None else CONFIDENCE * self.error
        return self.value - half, self.value + half


def estimate(move: int, row: Floats) -> Estimate:
    n = float(row[SAMPLES])
    mean = float(row[SUM]) / n if n else math.nan
    if n < 2:
        return Estimate(move, int(n), mean, None)
    variance = max(float(row[SQUARES]) / n - mean * mean, 0.0) * n / (n - 1)
    return Estimate(move, int(n), mean, math.sqrt(variance / n))


class MonteCarlo:
    """Flat Monte-Carlo for one game. Not to be shared between threads; it makes its own."""

    def __init__(self, game: ArrayGame, settings: MonteCarloSettings | None = None, **options: Any) -> None:
        check_kernels("montecarlo", game)
        self.game = game
        self.settings = own = settings_of(MonteCarloSettings, settings, options)
        secret = game.hidden and not own.open_hands
        if secret and not game.gives("guess"):
            raise MissingKernel(f"something is hidden in {game.name}, and to search it the kernel 'guess' is needed")
        low, high = game.payoff_range
        bonus = own.exploration * (high - low) / 2 if own.share == "ucb" else 0.0
        self.limits = SamplingLimits(own.cut, cap_of(game, own.playout_cap), bonus)
        self.remembers = own.remember and own.common and game.gives("play_together")
        names = names_for(game, own)
        names |= {"imagine": guess_hidden if secret else as_it_is, "REMEMBERS": self.remembers, **(own.names or {})}
        if own.target == "cuda":
            from stratagem.search.sampling.gpu import GPU

            self._gpu: Any = GPU(game, names)
        else:
            self._sample = specialise(
                sample_moves,
                names,
                target=own.target,
                label=f"{game.name} montecarlo",
                lean=True,
                inline=PARTS if own.force_inline else (),
            )
        self._searches = 0
        self._warm = False

    def estimates(
        self,
        position: ArrayPosition,
        clock: Clock | None = None,
        *,
        seat: int | None = None,
        simulations: int | None = None,
        report: Callable[[list[Estimate], int], None] | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Estimate]:
        """What each first move of a seat is worth, in the order of its moves, or those of `only`; at chance, the position."""
        budget = Budget.of(clock, self.settings.simulations_or(simulations))
        return self.within(budget, position, seat, only, report)

    def within(
        self,
        budget: Budget,
        position: ArrayPosition,
        seat: int | None,
        only: Sequence[int] | None,
        report: Callable[[list[Estimate], int], None] | None = None,
    ) -> list[Estimate]:
        """The same within a budget of the caller's, which then says what was used."""
        root = check_position(self.game, position)
        seat = deciding_seat(root, seat)
        if root.turn == CHANCE:
            numbers = [NO_FIRST_MOVE]
        else:
            numbers = root.move_numbers(seat) if only is None else [int(m) for m in only]
        run = _Run(self, root, max(seat, 0), np.array(numbers, np.int64), self._searches)
        self._searches += 1
        if not self._warm:
            with budget.paused():
                run.sample(range(1), Budget(), 0, 0)  # compiles
            self._warm = True
        if report is not None:
            budget.report = lambda: report(run.estimates(), run.done)
        if self.settings.share == "halving" and len(numbers) > 2:
            run.halve(budget)
        else:
            run.spread(budget)
        return run.estimates()

    def analyse(
        self,
        position: ArrayPosition,
        clock: Clock,
        *,
        seat: int | None = None,
        simulations: int | None = None,
        lines: int = 1,
        report: Report | None = None,
        only: Sequence[int] | None = None,
    ) -> Choice:
        """The first move whose playouts gave most, with every line's mean, error and number of playouts."""
        check_lines(lines)
        budget = Budget.of(clock, self.settings.simulations_or(simulations))

        def tell(found: list[Estimate], done: int) -> None:
            if report is not None:
                report(self._choice(position, seat, found, lines, budget))

        found = self.within(budget, position, seat, only, tell if report else None)
        return self._choice(position, seat, found, lines, budget)

    def _choice(
        self, position: ArrayPosition, seat: int | None, found: list[Estimate], lines: int, budget: Budget
    ) -> Choice:
        seat = deciding_seat(position, seat)
        playouts = sum(one.samples for one in found)
        work: dict[str, Any] = {
            "seat": max(seat, 0),
            "nodes": playouts,
            "seconds": budget.elapsed,
            "engine": "montecarlo",
            "finished": not budget.interrupted,
        }
        if position.turn == CHANCE:
            text = position.sample(generator(self.settings.seed, playouts))
            one = found[0]
            return Choice(text, one.value, (Line((text,), one.value, one.error, one.samples),), **work)
        # where playouts are shared out unevenly, the most sampled move is the surest; its mean decides between equals
        uneven = self.settings.share != "uniform"
        tried = [one for one in found if one.samples]
        tried.sort(key=lambda one: (one.samples if uneven else 0, one.value), reverse=True)
        ranked = tried + [one for one in found if not one.samples]
        texts = [self.game.move_text(position.state, seat, one.move) for one in ranked[:lines]]
        shown = tuple(
            Line((text,), one.value if one.samples else None, one.error, one.samples)
            for text, one in zip(texts, ranked, strict=False)
        )
        return Choice(shown[0].moves[0], shown[0].value, shown, **work, details={"share": self.settings.share})


class _Run:
    """One search: a row of statistics for every first move, and the threads that fill them."""

    def __init__(self, owner: MonteCarlo, position: ArrayPosition, seat: int, listed: Words, number: int) -> None:
        self.owner, self.position, self.seat, self.listed = owner, position, seat, listed
        self.seed = int(generator(owner.settings.seed, number)[0])  # each search of a game draws afresh
        self.threads = owner.settings.threads
        rows = REMEMBERED if owner.remembers and position.turn == TOGETHER else 0
        self.stats = [np.zeros((len(listed), 3)) for _ in range(self.threads)]
        self.scratch = [scratch(owner.game) for _ in range(self.threads)]
        cells = owner.game.size + owner.game.players + RNG_CELLS + 1
        self.memory = [np.zeros((rows, cells), np.int64) for _ in range(self.threads)]
        self.done = 0

    def estimates(self) -> list[Estimate]:
        total = np.sum(self.stats, axis=0)
        return [estimate(int(m), row) for m, row in zip(self.listed, total, strict=True)]

    def sample(self, alive: range | list[int], budget: Budget, at_least: int, at_most: int) -> int:
        """Playouts for some of the moves; over the threads, each with streams of its own."""
        rows = np.array(alive, np.int64)
        if self.owner.settings.target == "cuda":
            done = self._sample_gpu(rows, at_most)
        else:
            n = self.threads
            shares = [at_most // n + (k < at_most % n) for k in range(n)]
            works = [
                partial(self._sample, k, rows, budget.flag, min(at_least, share), share)
                for k, share in enumerate(shares)
            ]
            found = budget.run_together(works)
            done = sum(found) if min(found) >= 0 else min(found)
        if done < 0:
            raise complaint(self.owner.game, done, self.owner.limits.cap)
        self.done += done
        return done

    def _sample(self, k: int, alive: Words, stop: StopFlag, at_least: int, at_most: int) -> int:
        owner = self.owner
        arms = Arms(self.listed, alive, self.stats[k], self.memory[k])
        streams = Streams(self.seed, k * STREAMS, owner.settings.common)
        limits = owner.limits._replace(at_least=at_least, at_most=at_most)
        return int(
            owner._sample(owner.game.g, self.position.state, self.seat, arms, self.scratch[k], streams, limits, stop)
        )

    def _sample_gpu(self, alive: Words, at_most: int) -> int:
        owner, common = self.owner, self.owner.settings.common
        base = int(self.stats[0][alive[0], SAMPLES]) if common else self.done
        arms = Arms(self.listed, alive, self.stats[0], self.memory[0])
        limits = owner.limits._replace(at_most=at_most)
        return int(owner._gpu.sample(self.position.state, self.seat, arms, Streams(self.seed, base, common), limits))

    def spread(self, budget: Budget) -> None:
        """All moves stay alive; the rule of the share is inside the loop."""
        everything = range(len(self.listed))
        first = FIRST_LAUNCH if self.owner.settings.target == "cuda" else None
        # with any clock, also zero, each is tried once
        budget.spend(partial(self.sample, everything, budget), len(everything) * self.threads, first)

    def halve(self, budget: Budget) -> None:
        """Sequential halving: rounds of equal cost, after each of which the worse half is dropped."""
        alive = list(range(len(self.listed)))
        rounds = math.ceil(math.log2(len(alive)))
        simulations, rate = budget.work, 0.0
        if simulations is None:
            # a first taste of every move tells how many playouts the clock will pay for
            assert budget.seconds is not None
            while self.done == 0 or (budget.elapsed < TRIAL_TIME * budget.seconds and not budget.stopped):
                self.sample(alive, budget, len(alive), max(self.done, TRIAL * len(alive)))
            rate = self.done / max(budget.elapsed, 1e-6)
        for step in range(rounds):
            if simulations is None:  # what is left of the clock, at the rate seen last
                assert budget.left is not None
                rest = int(SPARE_TIME * rate * max(budget.left, 0.0))
            else:
                rest = simulations - self.done
            each = max(rest // (len(alive) * (rounds - step)), 1)
            playouts = each * len(alive) if simulations is None else min(each * len(alive), rest)
            began = budget.elapsed
            new = self.sample(alive, budget, len(alive) if step == 0 else 0, playouts)
            rate = new / max(budget.elapsed - began, 1e-6)
            if budget.report is not None:
                budget.report()
            if budget.stopped or (simulations is not None and self.done >= simulations):
                return
            total = np.sum(self.stats, axis=0)
            alive.sort(key=lambda k: -total[k, SUM] / max(total[k, SAMPLES], 1.0))
            alive = alive[: math.ceil(len(alive) / 2)]
        if simulations is not None:  # what could not be dealt evenly
            self.sample(alive[:1], budget, 0, simulations - self.done)


def scratch(game: ArrayGame) -> Scratch:
    players = game.players
    return Scratch(game.blank(), np.zeros(RNG_CELLS, np.int64), np.zeros(players, np.int64), np.zeros(players))


check_playouts = MonteCarloSettings.budget
