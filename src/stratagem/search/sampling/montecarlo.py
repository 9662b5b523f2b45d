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
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report
from stratagem.errors import GameOver, MissingKernel, OptionError, StratagemError
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
from stratagem.search.running import StopFlag, Stopwatch, check_threads
from stratagem.search.sampling.playouts import (
    HAS_TOGETHER,
    INLINED,
    cap_of,
    check_kernels,
    complaint,
    number,
    playout,
    playout_names,
    rollout,
    whole,
)

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

# columns of `stats`, one row a first move: playouts, the sum of what they gave, the sum of squares
SAMPLES, SUM, SQUARES = 0, 1, 2
SHARES = ("uniform", "ucb", "halving")
NO_FIRST_MOVE = -1  # in place of a move: the playout begins at once
CONFIDENCE = 1.96  # standard errors either side of a mean: 95 %

SECRET: bool = False  # bound for each search: whether something must be guessed
REMEMBERS: bool = False  # and whether what was guessed and what others decide is kept for other moves
REMEMBERED = 8192  # playouts of a move whose guesses and replies are kept


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


def one_playout(
    g: Ground, start: State, seat: int, m: int, seed: int, stream: int, s: State, r: Rng, joint: Moves, depth: int,
    cap: int, out: Payoffs,
) -> int:  # fmt: skip
    """Playout number `stream` of a seed after the move m, into out; returns its plies, or an error."""
    seed_stream(r, seed, stream)
    for i in range(SIZE):
        s[i] = start[i]
    if SECRET:
        guess(g, s, seat, r)
    first_move(g, s, seat, m, r, joint)
    return playout(g, s, r, joint, depth, cap, out)


def remembered_playout(
    g: Ground, start: State, seat: int, m: int, seed: int, stream: int, s: State, r: Rng, joint: Moves, depth: int,
    cap: int, out: Payoffs, row: State,
) -> int:  # fmt: skip
    """The same playout where all decide at once: what is guessed and what others decide does not depend on m, so it is kept.

    `row` has the state, the joint move and the generator after them, and in its last cell whether they are there."""
    at = SIZE + PLAYERS
    if row[at + 2] == 0:
        seed_stream(r, seed, stream)
        for i in range(SIZE):
            s[i] = start[i]
        if SECRET:
            guess(g, s, seat, r)
        for i in range(SIZE):
            row[i] = s[i]
        for p in range(PLAYERS):
            row[SIZE + p] = NO_MOVE
            if p != seat and count(g, s, p) > 0:
                row[SIZE + p] = rollout(g, s, p, r)
        row[at] = r[0]
        row[at + 1] = r[1]
        row[at + 2] = 1
    for i in range(SIZE):
        s[i] = row[i]
    for p in range(PLAYERS):
        joint[p] = row[SIZE + p]
    joint[seat] = m
    r[0] = row[at]
    r[1] = row[at + 1]
    play_together(g, s, joint)
    return playout(g, s, r, joint, depth, cap, out)


def best_bound(alive: Words, stats: Floats, c: float) -> int:
    """The move alive of the highest upper confidence bound."""
    total = 0.0
    for k in alive:
        total += stats[k, SAMPLES]
    bonus = c * np.sqrt(np.log(total))
    best = -np.inf
    chosen = alive[0]
    for k in alive:
        inverse = 1.0 / max(stats[k, SAMPLES], 1.0)
        score = stats[k, SUM] * inverse + bonus * np.sqrt(inverse)
        if score > best:
            best = score
            chosen = k
    return chosen


def sample_moves(
    g: Ground, start: State, seat: int, listed: Moves, alive: Words, stats: Floats, seed: int, base: int, common: bool,
    by_ucb: bool, c: float, s: State, r: Rng, joint: Moves, depth: int, cap: int, out: Payoffs, memory: Words,
    at_least: int, at_most: int, stop: StopFlag,
) -> int:  # fmt: skip
    """Playouts for the moves alive, until a budget or the flag; returns how many, or an error.

    `memory` has a row for each of the first playouts of a move, or none: see `remembered_playout`."""
    n = alive.shape[0]
    at = 0  # whose turn it is: the first move that has least, so that it goes on where it stopped
    for j in range(1, n):
        if stats[alive[j], SAMPLES] < stats[alive[at], SAMPLES]:
            at = j
    for i in range(at_most):
        if i >= at_least and stop[0] != 0:
            return i
        k = alive[at]
        if by_ucb and stats[k, SAMPLES] > 0.0:
            k = best_bound(alive, stats, c)
        else:
            at = at + 1 if at + 1 < n else 0
        number = int(stats[k, SAMPLES])
        stream = base + (number if common else number * listed.shape[0] + k)
        if REMEMBERS and number < memory.shape[0]:
            m = listed[k]
            plies = remembered_playout(g, start, seat, m, seed, stream, s, r, joint, depth, cap, out, memory[number])
        else:
            plies = one_playout(g, start, seat, listed[k], seed, stream, s, r, joint, depth, cap, out)
        if plies < 0:
            return plies
        stats[k, SAMPLES] += 1.0
        stats[k, SUM] += out[seat]
        stats[k, SQUARES] += out[seat] * out[seat]
    return at_most


# ------------------------------------------------------------------------------------------------- the face


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

    def __init__(
        self,
        game: ArrayGame,
        *,
        share: str = "ucb",  # how playouts are shared out: uniform, ucb, or halving (sequential halving)
        exploration: float = 1.0,  # of UCB, in units of half the range of payoffs; above 0
        simulations: int | None = None,  # budget where the call gives none; None: by the clock alone
        common: bool = True,  # the j-th playout of every move draws the same random numbers
        strategy: Any = None,  # playout strategy: a kernel like sample(g, s, p, r); None: the game's sample
        playout_depth: int | None = None,  # plies after which a playout is judged by the value kernel; None: to the end
        evaluate: Any = None,  # a kernel value(g, s, out) in place of the game's; implies playout_depth=0 if not given
        playout_cap: int | None = None,  # plies after which a playout counts as endless
        remember: bool = False,  # where all decide at once, keep guesses and replies for all moves; pays if they cost much
        threads: int = 1,
        open_hands: bool = False,  # take the position as it is: nothing is guessed
        seed: int = 0,
        target: str = "cpu",  # "cuda": one playout a thread of a GPU, shared out evenly
        names: Mapping[str, Any] | None = None,  # further names to bind into the template, such as `counted`
        force_inline: bool = True,  # False where rules are long: forced inlining of those takes minutes and gains little
    ) -> None:
        check_kernels("montecarlo", game)
        if share not in SHARES:
            raise OptionError(f"playouts cannot be shared out by {share!r}; it is one of {', '.join(SHARES)}")
        exploration, threads = number("exploration", exploration), whole("threads", threads)
        if not (np.isfinite(exploration) and exploration > 0):
            raise OptionError(f"an exploration of {exploration!r} makes no search; give a number above 0, 1 is usual")
        check_threads(threads)
        self.secret = game.hidden and not open_hands
        if self.secret and not game.gives("guess"):
            raise MissingKernel(f"something is hidden in {game.name}, and to search it the kernel 'guess' is needed")
        if evaluate is not None and playout_depth is None:
            playout_depth = 0
        self.game, self.share, self.common, self.threads, self.seed = game, share, common, threads, seed
        self.simulations = None if simulations is None else check_playouts(simulations)
        low, high = game.payoff_range
        self.exploration = exploration * (high - low) / 2
        self.depth, self.cap = whole("playout_depth", playout_depth or 0), cap_of(game, playout_cap)
        bound = playout_names(game, strategy=strategy, depth=playout_depth, evaluate=evaluate)
        self.remembers = remember and common and game.gives("play_together")
        bound |= {"SECRET": self.secret, "REMEMBERS": self.remembers, **(names or {})}
        self.target = target
        if target == "cuda":
            self.share = "uniform" if share == "ucb" else share  # its playouts are launched by the thousand
            from stratagem.search.sampling.gpu import GPU

            self._gpu: Any = GPU(game, bound)
        else:
            self._sample = specialise(
                sample_moves,
                bound,
                target=target,
                label=f"{game.name} montecarlo",
                lean=force_inline,
                inline=(first_move, one_playout, *INLINED) if force_inline else (),
            )
        self._searches = 0
        self._warm = False

    def estimates(
        self, position: Position, clock: Clock | None = None, *, seat: int | None = None,
        simulations: int | None = None, report: Callable[[list[Estimate], int], None] | None = None,
        watch: Stopwatch | None = None, only: Sequence[int] | None = None,
    ) -> list[Estimate]:  # fmt: skip
        """What each first move of a seat is worth, in the order of its moves, or those of `only`; at chance, the position."""
        game = self.game
        clock = clock or Clock(None)
        simulations = self.simulations if simulations is None else check_playouts(simulations)
        if simulations is None and clock.seconds is None:
            raise OptionError("a search needs a budget: give simulations, or a clock with seconds")
        if position.game != game or not isinstance(position, ArrayPosition):
            raise StratagemError(f"this search is for {game!r}, and the position is of {position.game!r}")
        if position.over:
            raise GameOver(
                f"the game is over in {str(position)!r} ({game.outcome(position)}): there is no move to choose"
            )
        seat = deciding_seat(position, seat)
        if position.turn == CHANCE:
            numbers = [NO_FIRST_MOVE]
        else:
            numbers = position.move_numbers(seat) if only is None else [int(m) for m in only]
        run = _Run(self, position, max(seat, 0), np.array(numbers, np.int64), self._searches)
        self._searches += 1
        if not self._warm:
            run.sample(range(1), 0, 0, Stopwatch())  # compiles off the clock
            self._warm = True
        watch = watch or Stopwatch(clock.seconds)
        watch.began, watch.seconds = Stopwatch().began, clock.seconds

        def tell() -> None:
            if report is not None:
                report(run.estimates(), run.done)

        if self.share == "halving" and len(numbers) > 2:
            run.halve(simulations, watch, tell if report else None)
        else:
            run.spread(simulations, watch, tell if report else None)
        return run.estimates()

    def analyse(
        self, position: Position, clock: Clock, *, seat: int | None = None, simulations: int | None = None,
        lines: int = 1, report: Report | None = None, only: Sequence[int] | None = None,
    ) -> Choice:  # fmt: skip
        """The first move whose playouts gave most, with every line's mean, error and number of playouts."""
        if lines < 1:
            raise OptionError(f"{lines} lines show nothing; give 1 or more")
        watch = Stopwatch(clock.seconds)

        def tell(found: list[Estimate], done: int) -> None:
            if report is not None:
                report(self._choice(position, seat, found, lines, watch))

        found = self.estimates(
            position,
            clock,
            seat=seat,
            simulations=simulations,
            report=tell if report else None,
            watch=watch,
            only=only,
        )
        return self._choice(position, seat, found, lines, watch)

    def _choice(
        self, position: Position, seat: int | None, found: list[Estimate], lines: int, watch: Stopwatch
    ) -> Choice:
        assert isinstance(position, ArrayPosition)
        seat = deciding_seat(position, seat)
        playouts = sum(one.samples for one in found)
        work: dict[str, Any] = {
            "nodes": playouts,
            "seconds": watch.elapsed,
            "engine": "montecarlo",
            "finished": not watch.interrupted,
        }
        if position.turn == CHANCE:
            text = position.sample(generator(self.seed, playouts))
            one = found[0]
            return Choice(text, one.value, (Line((text,), one.value, one.error, one.samples),), **work)
        # where playouts are shared out unevenly, the most sampled move is the surest; its mean decides between equals
        uneven = self.share != "uniform"
        ranked = sorted(
            (one for one in found if one.samples), reverse=True,
            key=lambda one: (one.samples if uneven else 0, one.value),
        ) + [one for one in found if not one.samples]  # fmt: skip
        shown = tuple(
            Line(
                (self.game.move_text(position.state, seat, one.move),), one.value if one.samples else None, one.error,
                one.samples,
            )
            for one in ranked[:lines]
        )  # fmt: skip
        return Choice(shown[0].moves[0], shown[0].value, shown, **work, details={"share": self.share})


class _Run:
    """One search: a row of statistics for every first move, and the threads that fill them."""

    def __init__(self, owner: MonteCarlo, position: ArrayPosition, seat: int, listed: Words, number: int) -> None:
        self.owner, self.position, self.seat, self.listed = owner, position, seat, listed
        game = owner.game
        self.seed = int(generator(owner.seed, number)[0])  # each search of a game draws afresh
        self.stats = [np.zeros((len(listed), 3)) for _ in range(owner.threads)]
        self.spaces = [
            (game.blank(), np.zeros(2, np.int64), np.zeros(game.players, np.int64), np.zeros(game.players))
            for _ in range(owner.threads)
        ]
        rows = REMEMBERED if owner.remembers and position.turn == TOGETHER else 0
        self.memory = [np.zeros((rows, game.size + game.players + 3), np.int64) for _ in range(owner.threads)]
        self.done = 0

    def estimates(self) -> list[Estimate]:
        total = np.sum(self.stats, axis=0)
        return [estimate(int(m), row) for m, row in zip(self.listed, total, strict=True)]

    def sample(self, alive: range | list[int], at_least: int, at_most: int, watch: Stopwatch) -> int:
        """Playouts for some of the moves; over the threads, each with streams of its own."""
        o = self.owner
        if o.target == "cuda":
            return self._sample_gpu(alive, at_most)
        rows = np.array(alive, np.int64)
        shares = [at_most // o.threads + (k < at_most % o.threads) for k in range(o.threads)]
        done, failures = [0] * o.threads, []

        def work(k: int) -> None:
            s, r, joint, out = self.spaces[k]
            try:
                done[k] = int(
                    o._sample(
                        o.game.g, self.position.state, self.seat, self.listed, rows, self.stats[k], self.seed, k << 40,
                        o.common, o.share == "ucb", o.exploration, s, r, joint, o.depth, o.cap, out, self.memory[k],
                        min(at_least, shares[k]), shares[k], watch.flag,
                    )
                )  # fmt: skip
            except BaseException as error:
                failures.append(error)

        def everyone() -> None:
            threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(1, o.threads)]
            for thread in threads:
                thread.start()
            work(0)
            for thread in threads:
                thread.join()

        watch.run(everyone)
        if failures:
            raise failures[0]
        if min(done) < 0:
            raise complaint(o.game, min(done), o.cap)
        self.done += sum(done)
        return sum(done)

    def _sample_gpu(self, alive: range | list[int], at_most: int) -> int:
        o, rows = self.owner, np.array(alive, np.int64)
        base = int(self.stats[0][rows[0], SAMPLES]) if o.common else self.done
        done = o._gpu.sample(
            self.position.state, self.seat, self.listed, rows, self.stats[0], self.seed, base, o.common, o.depth, o.cap,
            at_most,
        )  # fmt: skip
        if done < 0:
            raise complaint(o.game, done, o.cap)
        self.done += done
        return int(done)

    def spread(self, simulations: int | None, watch: Stopwatch, tell: Callable[[], None] | None) -> None:
        """All moves stay alive; the rule of the share is inside the loop."""
        everything = range(len(self.listed))
        at_most = 1 << 40 if simulations is None else simulations
        at_least = min(len(everything) * self.owner.threads, at_most)  # with any clock, also zero, each is tried once
        size = at_most if tell is None else 64
        if self.owner.target == "cuda":
            size = 1 << 18  # a GPU reads no flag: the clock is looked at between launches
        if watch.seconds == 0:
            watch.flag[0] = 1
        while self.done < at_most and (self.done < at_least or not watch.stopped):
            now, began = min(size, at_most - self.done), watch.elapsed
            new = self.sample(everything, max(at_least - self.done, 0), now, watch)
            if tell is not None:
                tell()
            rate = new / max(watch.elapsed - began, 1e-6)
            ahead = 0.25 if watch.left is None else min(0.25, watch.left)
            size = max(min(2 * size, int(ahead * rate)), 64, len(everything))
            if watch.left is not None and watch.left <= 0:
                watch.flag[0] = 1

    def halve(self, simulations: int | None, watch: Stopwatch, tell: Callable[[], None] | None) -> None:
        """Sequential halving: rounds of equal cost, after each of which the worse half is dropped."""
        alive = list(range(len(self.listed)))
        rounds = math.ceil(math.log2(len(alive)))
        rate = 0.0
        if simulations is None:
            # a first taste of every move tells how many playouts the clock will pay for
            assert watch.seconds is not None
            while self.done == 0 or (watch.elapsed < 0.05 * watch.seconds and not watch.stopped):
                self.sample(alive, len(alive), max(self.done, 8 * len(alive)), watch)
            rate = self.done / max(watch.elapsed, 1e-6)
        for step in range(rounds):
            if simulations is None:  # what is left of the clock, at the rate seen last
                assert watch.left is not None
                rest = int(0.95 * rate * max(watch.left, 0.0))
            else:
                rest = simulations - self.done
            each = max(rest // (len(alive) * (rounds - step)), 1)
            budget = each * len(alive) if simulations is None else min(each * len(alive), rest)
            began = watch.elapsed
            new = self.sample(alive, len(alive) if step == 0 else 0, budget, watch)
            rate = new / max(watch.elapsed - began, 1e-6)
            if tell is not None:
                tell()
            if watch.stopped or (simulations is not None and self.done >= simulations):
                return
            total = np.sum(self.stats, axis=0)
            alive.sort(key=lambda k: -total[k, SUM] / max(total[k, SAMPLES], 1.0))
            alive = alive[: math.ceil(len(alive) / 2)]
        if simulations is not None:  # what could not be dealt evenly
            self.sample(alive[:1], 0, simulations - self.done, watch)


def deciding_seat(position: ArrayPosition, seat: int | None) -> int:
    """The seat meant: the one said, the viewer where it is asked, or the first that is; CHANCE at chance."""
    if position.turn == CHANCE:
        return CHANCE
    if seat is None:
        seat = position.seat if position.seat in position.asked else None
    if seat is None:
        return position.asked[0]
    if seat not in position.asked:
        raise StratagemError(f"{position.game.seat_name(seat)} has nothing to decide in {str(position)!r}")
    return seat


def check_playouts(simulations: Any) -> int:
    if whole("simulations", simulations) < 1:
        raise OptionError(f"a budget of {simulations!r} playouts tries nothing; give 1 or more")
    return int(simulations)
