"""Sampling search over information sets: for players who decide at once, for hidden information, for chance without odds.

Where all decide at once, each player runs a bandit of its own over its moves, and what is learned is a mixed strategy:
decoupled UCT, regret matching plus or Exp3 (Tak, Lanctot, Winands 2014; Lisy, Kovarik, Lanctot, Bosansky 2013; Tammelin
2014). Where something
is hidden, each simulation first re-samples through `guess` what the searcher cannot see, and a player's decision is looked
up by what that player sees (`hide`), so that nobody acts on a secret (Cowling, Powley, Whitehouse 2012). Use `mcts` where
players alternate and see everything: its tree is faster and it proves results.

A decision is an entry of a hash table: the key of the state (or of the player's view of it) and the player. Its arms lie
together. Equal positions share an entry, whichever way they were reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import GameOver, MissingKernel, OptionError, StratagemError, UnsuitableSearch
from stratagem.game import ArrayGame, ArrayPosition, Position
from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    NO_MOVE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    Payoffs,
    State,
    Unbound,
    count,
    draw,
    guess,
    hide,
    key,
    moves,
    play,
    play_together,
    turn,
)
from stratagem.player import Choice, Clock, Line, Report
from stratagem.rng import Rng, below, generator, mix, unit
from stratagem.search.mcts import MCTS, check_simulations
from stratagem.search.montecarlo import deciding_seat
from stratagem.search.playouts import (
    HAS_CHANCE,
    HAS_TOGETHER,
    cap_of,
    complaint,
    has_chance,
    number,
    playout,
    playout_names,
    whole,
)
from stratagem.search.running import StopFlag, Stopwatch
from stratagem.search.tree import STUCK

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

# columns of `table`, one row a decision; a key of 0 is a free row
KEY, FIRST, COUNT, MET = 0, 1, 2, 3
# columns of `arms`, one row a move of a decision
VISITS, TOTAL, REGRET, STRATEGY = 0, 1, 2, 3
# columns of a path's rows: the decision, the arm taken, the player, whether it mixes
AT, ARM, WHO, MIXED = 0, 1, 2, 3
# cells of `room`: arms used, decisions used, most decisions
ARMS_USED, ROWS_USED, MOST_ROWS = 0, 1, 2

RULES = ("duct", "rm", "exp3")
NO_ROOM = -1
PATH = 4096  # decisions along one simulation; beyond it the playout takes over

# bound for each search
BY_UCB: bool = cast(Any, Unbound("BY_UCB"))
BY_EXP3: bool = cast(Any, Unbound("BY_EXP3"))
SECRET: bool = cast(Any, Unbound("SECRET"))  # whether decisions are looked up by views


def decision_key(g: Ground, s: State, p: int, seen: State) -> int:
    """The key of player p's decision in s; never 0."""
    if SECRET:
        for i in range(SIZE):
            seen[i] = s[i]
        hide(g, seen, p)
        h = key(g, seen)
    else:
        h = key(g, s)
    h = mix(h ^ mix(p + 1))
    return h if h != 0 else 1


def find(
    g: Ground, s: State, p: int, seen: State, table: Words, arms: Floats, arm_moves: Words, room: Words, listed: Moves
) -> int:
    """The row of player p's decision in s, made if it is new; NO_ROOM where the pool has ended, STUCK without a move."""
    h = decision_key(g, s, p, seen)
    mask = table.shape[0] - 1
    row = (h >> 7) & mask
    while table[row, KEY] != 0:
        if table[row, KEY] == h:
            return row
        row = (row + 1) & mask
    n = moves(g, s, p, listed)
    if n == 0:
        return STUCK
    first = room[ARMS_USED]
    if first + n > arms.shape[0] or room[ROWS_USED] >= room[MOST_ROWS]:
        return NO_ROOM
    room[ARMS_USED] += n
    room[ROWS_USED] += 1
    for k in range(n):
        for column in range(4):
            arms[first + k, column] = 0.0
        arm_moves[first + k] = listed[k]
    table[row, KEY] = h
    table[row, FIRST] = first
    table[row, COUNT] = n
    table[row, MET] = 0
    return row


def by_ucb(arms: Floats, first: int, n: int, met: int, c: float, r: Rng) -> int:
    """The arm of the highest upper confidence bound; untried ones first, drawn by lot."""
    untried = 0
    for k in range(n):
        if arms[first + k, VISITS] == 0.0:
            untried += 1
    if untried > 0:
        skip = below(r, untried)
        for k in range(n):
            if arms[first + k, VISITS] == 0.0:
                if skip == 0:
                    return k
                skip -= 1
    bonus = c * np.sqrt(np.log(float(max(met, 1))))
    best = -np.inf
    chosen = 0
    for k in range(n):
        inverse = 1.0 / arms[first + k, VISITS]
        score = arms[first + k, TOTAL] * inverse + bonus * np.sqrt(inverse)
        if score > best:
            best = score
            chosen = k
    return chosen


def mixture(arms: Floats, first: int, n: int, gamma: float, sigma: Floats) -> None:
    """The strategy of a decision into sigma: in proportion to positive regrets, or to exponential gains."""
    total = 0.0
    if BY_EXP3:
        top = -np.inf
        for k in range(n):
            top = max(top, arms[first + k, REGRET])
        for k in range(n):
            sigma[k] = np.exp(gamma / n * (arms[first + k, REGRET] - top))
            total += sigma[k]
    else:
        for k in range(n):
            sigma[k] = max(arms[first + k, REGRET], 0.0)
            total += sigma[k]
    for k in range(n):
        sigma[k] = sigma[k] / total if total > 0.0 else 1.0 / n


def choose_arm(t: int, arms: Floats, table: Words, row: int, c: float, gamma: float, sigma: Floats, r: Rng) -> int:
    """An arm by the rule bound; a player who alone decides, and sees everything, has no need to mix."""
    first = table[row, FIRST]
    n = table[row, COUNT]
    table[row, MET] += 1
    if n == 1:
        return 0
    if BY_UCB or (t >= 0 and not SECRET):
        return by_ucb(arms, first, n, table[row, MET], c, r)
    mixture(arms, first, n, gamma, sigma)
    weight = float(table[row, MET])  # later strategies count for more: the values below were rougher before
    for k in range(n):
        arms[first + k, STRATEGY] += weight * sigma[k]
    if unit(r) < gamma:
        return below(r, n)
    x = unit(r)
    for k in range(n - 1):
        x -= sigma[k]
        if x < 0.0:
            return k
    return n - 1


def learn(
    arms: Floats, table: Words, path: Words, begin: int, end: int, gamma: float, out: Payoffs, sigma: Floats,
    ratio: Floats,
) -> None:  # fmt: skip
    """Teach the decisions begin .. end of a path, all of one moment, the payoffs that followed.

    Where players mix, the payoffs passed further up are corrected for exploration: what the moment is worth under the
    strategies themselves. Each arm's own mean serves as its baseline, which keeps the variance of the corrected payoff low
    (Schmid et al. 2019).
    """
    if path[begin, MIXED] == 0:
        for i in range(begin, end):
            arm = table[path[i, AT], FIRST] + path[i, ARM]
            arms[arm, VISITS] += 1.0
            arms[arm, TOTAL] += out[path[i, WHO]]
        return
    # An arm never tried counts as the middle of the range: 0 would be an opinion where payoffs do not lie around it.
    middle = 0.5 * (LOW + HIGH)
    everyone = 1.0
    for i in range(begin, end):
        first = table[path[i, AT], FIRST]
        n = table[path[i, AT], COUNT]
        mixture(arms, first, n, gamma, sigma)
        played = sigma[path[i, ARM]]
        ratio[i - begin] = played / ((1.0 - gamma) * played + gamma / n)
        everyone *= ratio[i - begin]
    for i in range(begin, end):
        first = table[path[i, AT], FIRST]
        n = table[path[i, AT], COUNT]
        a = path[i, ARM]
        p = path[i, WHO]
        mixture(arms, first, n, gamma, sigma)
        q = (1.0 - gamma) * sigma[a] + gamma / n
        others = everyone / ratio[i - begin] if ratio[i - begin] > 0.0 else 0.0
        if ratio[i - begin] == 0.0:
            others = 1.0
            for j in range(begin, end):
                if j != i:
                    others *= ratio[j - begin]
        u = out[p]
        visits = arms[first + a, VISITS]
        baseline = arms[first + a, TOTAL] / visits if visits > 0.0 else u
        surprise = others * (u - baseline) / q
        worth = 0.0
        for k in range(n):
            mean = arms[first + k, TOTAL] / arms[first + k, VISITS] if arms[first + k, VISITS] > 0.0 else middle
            if k == a:
                mean = baseline + surprise
            worth += sigma[k] * mean
        for k in range(n):
            mean = arms[first + k, TOTAL] / arms[first + k, VISITS] if arms[first + k, VISITS] > 0.0 else middle
            if k == a:
                mean = baseline + surprise
            if BY_EXP3:
                arms[first + k, REGRET] += (mean - LOW) / (HIGH - LOW)
            else:
                arms[first + k, REGRET] = max(arms[first + k, REGRET] + mean - worth, 0.0)
        arms[first + a, VISITS] += 1.0
        arms[first + a, TOTAL] += u
        out[p] = worth


def explore(
    g: Ground, start: State, viewer: int, s: State, seen: State, r: Rng, table: Words, arms: Floats, arm_moves: Words,
    room: Words, c: float, gamma: float, cut: int, cap: int, path: Words, moments: Words, listed: Moves, joint: Moves,
    sigma: Floats, ratio: Floats, out: Payoffs, sums: Floats, at_least: int, at_most: int, stop: StopFlag,
) -> int:  # fmt: skip
    """Simulations until a budget or the flag; returns how many, or an error of `playout`, or STUCK."""
    done = 0
    while done < at_most and (done < at_least or stop[0] == 0):
        for i in range(SIZE):
            s[i] = start[i]
        if SECRET:
            guess(g, s, viewer, r)
        steps = 0  # rows of the path
        when = 0  # moments: rows that belong together
        plies = 0
        fresh = False
        while not fresh:
            t = turn(g, s)
            if t == OVER or steps + PLAYERS > PATH or plies > cap:
                break
            plies += 1
            if t == CHANCE:
                if HAS_CHANCE:
                    draw(g, s, r)
                continue
            moments[when] = steps
            full = False
            for p in range(PLAYERS):
                joint[p] = NO_MOVE
                if p == t or (t == TOGETHER and count(g, s, p) > 0):
                    row = find(g, s, p, seen, table, arms, arm_moves, room, listed)
                    if row == STUCK:
                        return STUCK
                    if row == NO_ROOM:
                        full = True
                        break
                    if table[row, MET] == 0:
                        fresh = True
                    k = choose_arm(t, arms, table, row, c, gamma, sigma, r)
                    joint[p] = arm_moves[table[row, FIRST] + k]
                    path[steps, AT] = row
                    path[steps, ARM] = k
                    path[steps, WHO] = p
                    path[steps, MIXED] = 0 if BY_UCB or (t >= 0 and not SECRET) else 1
                    steps += 1
            if full:
                steps = moments[when]
                break
            when += 1
            if t >= 0:
                play(g, s, t, joint[t])
            elif HAS_TOGETHER:
                play_together(g, s, joint)
        plies = playout(g, s, r, joint, cut, cap, out)
        if plies < 0:
            return plies
        for w in range(when - 1, -1, -1):
            learn(arms, table, path, moments[w], steps if w == when - 1 else moments[w + 1], gamma, out, sigma, ratio)
        for p in range(PLAYERS):
            sums[p] += out[p]
            sums[PLAYERS + p] += out[p] * out[p]
        done += 1
    return done


# ------------------------------------------------------------------------------------------------- the face


@dataclass(frozen=True)
class Decision:
    """What a search has learned about one seat's decision at the root."""

    seat: int
    moves: tuple[int, ...]
    strategy: tuple[float, ...]  # the mixed strategy; where nobody needs to mix, all on the most visited move
    visits: tuple[int, ...]
    values: tuple[float, ...]  # the mean payoff after each move, to the seat; NaN where never tried


class InformationSets:
    """Sampling search for joint moves, hidden information, and chance without odds. Keeps what it learned between calls."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        rule: str = "rm",  # at joint or secret decisions: duct, rm (regret matching plus) or exp3
        exploration: float = 1.4,  # of UCB, in units of half the range of payoffs; above 0
        gamma: float | None = None,  # share of random moves under rm and exp3, in (0, 1]; None: 0.2 and 0.1
        simulations: int | None = None,  # budget where the call gives none; None: by the clock alone
        pool: int = 1 << 20,  # moves of decisions held; when they are used up, the search learns about those it has
        reuse: bool = True,  # keep what was learned for the next search of the same game
        strategy: Any = None,  # playout strategy: a kernel like sample(g, s, p, r); None: the game's sample
        playout_depth: int | None = None,  # plies after which a playout is judged by the value kernel; None: to the end
        evaluate: Any = None,  # a kernel value(g, s, out) in place of the game's; implies playout_depth=0 if not given
        playout_cap: int | None = None,  # plies after which a playout counts as endless
        open_hands: bool = False,  # take the position as it is: nothing is guessed, and decisions see everything
        seed: int = 0,
        target: str = "cpu",
    ) -> None:
        if not isinstance(game, ArrayGame):
            raise UnsuitableSearch(f"mcts needs kernels, and {game.name} has none; use the players of {game.name}")
        if rule not in RULES:
            raise OptionError(f"there is no rule {rule!r} for joint moves; it is one of {', '.join(RULES)}")
        exploration, pool = number("exploration", exploration), whole("pool", pool)
        if not (np.isfinite(exploration) and exploration > 0):
            raise OptionError(f"an exploration of {exploration!r} makes no search; give a number above 0, 1.4 is usual")
        if gamma is None:
            gamma = 0.1 if rule == "exp3" else 0.2
        if not 0 < number("gamma", gamma) <= 1:
            raise OptionError(f"a share of {gamma!r} random moves makes no search; gamma lies above 0 and up to 1")
        if pool < 2:
            raise OptionError(f"a pool of {pool} moves holds no decision; give 2 or more")
        self.secret = game.hidden and not open_hands
        if self.secret:
            for name in ("guess", "hide"):
                if not game.gives(name):
                    raise MissingKernel(
                        f"something is hidden in {game.name}, and to search it the kernel {name!r} is needed"
                    )
        if evaluate is not None and playout_depth is None:
            playout_depth = 0
        self.game, self.rule, self.gamma, self.pool, self.reuse, self.seed = game, rule, gamma, pool, reuse, seed
        self.simulations = None if simulations is None else check_simulations(simulations)
        low, high = game.payoff_range
        self.exploration = exploration * (high - low) / 2
        self.cut, self.cap = whole("playout_depth", playout_depth or 0), cap_of(game, playout_cap)
        names = playout_names(game, strategy=strategy, depth=playout_depth, evaluate=evaluate)
        names |= {"BY_UCB": rule == "duct", "BY_EXP3": rule == "exp3", "SECRET": self.secret}
        self._explore = specialise(explore, names, target=target, label=f"{game.name} information sets", lean=True)
        rows = 1 << max(int(np.ceil(np.log2(pool))), 4)
        try:
            self.table = np.zeros((rows, 4), np.int64)
            self.arms = np.zeros((pool, 4))
            self.arm_moves = np.zeros(pool, np.int64)
        except MemoryError:
            raise OptionError(f"a pool of {pool} moves does not fit into memory; give fewer") from None
        self.room = np.array([0, 0, rows * 3 // 4], np.int64)
        self.rng = generator(seed)
        self._s, self._seen = game.blank(), game.blank()
        self._path = np.zeros((PATH + game.players, 4), np.int64)
        self._moments = np.zeros(PATH + game.players, np.int64)
        self._listed = np.zeros(max(game.max_moves, 1), np.int64)
        self._joint = np.zeros(game.players, np.int64)
        self._sigma, self._ratio = np.zeros(max(game.max_moves, 1)), np.zeros(game.players)
        self._out, self._sums = np.zeros(game.players), np.zeros(2 * game.players)
        self._key = specialise(decision_key, names, target="python")
        self._warm = False
        self._last: ArrayPosition | None = None

    def clear(self) -> None:
        """Forget everything, and start the generator anew: the next search depends on the seed alone."""
        self._forget()
        self.rng[:] = generator(self.seed)

    def _forget(self) -> None:
        if self.room[ROWS_USED]:
            self.table[:] = 0
        self.room[:2] = 0

    def search(
        self, position: Position, clock: Clock | None = None, *, seat: int | None = None,
        simulations: int | None = None, report: Callable[[], None] | None = None,
    ) -> tuple[int, Stopwatch]:  # fmt: skip
        """Learn about a position; returns the simulations done, and the watch. `decision` reads what was learned."""
        clock = clock or Clock(None)
        simulations = self.simulations if simulations is None else check_simulations(simulations)
        if simulations is None and clock.seconds is None:
            raise OptionError("a search needs a budget: give simulations, or a clock with seconds")
        game = self.game
        if position.game != game or not isinstance(position, ArrayPosition):
            raise StratagemError(f"this search is for {game!r}, and the position is of {position.game!r}")
        if position.over:
            raise GameOver(
                f"the game is over in {str(position)!r} ({game.outcome(position)}): there is no move to choose"
            )
        widest = max((len(position.move_numbers(p)) for p in position.asked), default=1)
        needed = widest * max(len(position.asked), 1)
        if self.pool < needed:
            raise OptionError(f"a pool of {self.pool} cannot hold the moves here; give {needed} or more")
        # What was learned stays true in the same game; where views hide the history, it may be another game's.
        used = int(self.room[ARMS_USED])
        if not self.reuse or used > self.pool // 2 or used + needed > self.pool:
            self._forget()
        self._sums[:] = 0.0
        viewer = seat if seat is not None else position.seat if position.seat is not None else position.value_seat()
        fixed = (
            game.g, position.state, viewer, self._s, self._seen, self.rng, self.table, self.arms, self.arm_moves,
            self.room, self.exploration, self.gamma, self.cut, self.cap, self._path, self._moments, self._listed,
            self._joint, self._sigma, self._ratio, self._out, self._sums,
        )  # fmt: skip
        if not self._warm:
            self._explore(*fixed, 0, 0, np.zeros(1, np.int64))  # compiles off the clock
            self._warm = True
        watch = Stopwatch(clock.seconds)
        at_most = 1 << 62 if simulations is None else simulations
        at_least = min(widest, at_most)
        done, slice_size = 0, 1 << 62 if report is None else 64
        if watch.seconds == 0:
            watch.flag[0] = 1
        while done < at_most and (done < at_least or not watch.stopped):
            now = min(at_most - done, slice_size)
            began = watch.elapsed
            new = int(watch.run(self._explore, *fixed, min(max(at_least - done, 0), now), now, watch.flag))
            if new == STUCK:
                raise StratagemError(f"{game.name}: a player who must decide has no move, so its rules are at fault")
            if new < 0:
                raise complaint(game, new, self.cap)
            self.done = done = done + new  # a report speaks of the work so far
            if report is not None:
                report()
                slice_size = min(max(2 * slice_size, 64), max(int(0.25 * new / max(watch.elapsed - began, 1e-6)), 64))
            if new < now or (watch.left is not None and watch.left <= 0 and done >= at_least):
                break
        self._last = position
        self.done = done
        return done, watch

    def values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Each seat's mean over the last search's simulations, and its standard error."""
        n, k = max(self.done, 1), self.game.players
        means = self._sums[:k] / n
        spread = np.sqrt(np.maximum(self._sums[k:] / n - means**2, 0.0) / n)
        return tuple(float(x) for x in means), tuple(float(x) for x in spread)

    def decision(self, position: ArrayPosition, seat: int) -> Decision:
        """What is known about a seat's decision in a position."""
        h = int(self._key(self.game.g, position.state.copy(), seat, self._seen))
        mask = self.table.shape[0] - 1
        row = (h >> 7) & mask
        while self.table[row, KEY] != h:
            if self.table[row, KEY] == 0:
                raise StratagemError(f"nothing was learned about {self.game.seat_name(seat)} in {str(position)!r}")
            row = (row + 1) & mask
        first, n = int(self.table[row, FIRST]), int(self.table[row, COUNT])
        arms = self.arms[first : first + n]
        visits = arms[:, VISITS]
        mixes = self.secret or position.turn == TOGETHER
        weights = visits if self.rule == "duct" else arms[:, STRATEGY]
        if not mixes:
            weights = (np.arange(n) == int(np.argmax(visits))).astype(float)
        weights = weights / weights.sum() if weights.sum() > 0 else np.full(n, 1.0 / n)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(visits > 0, arms[:, TOTAL] / np.maximum(visits, 1), np.nan)
        return Decision(
            seat, tuple(int(m) for m in self.arm_moves[first : first + n]), tuple(float(x) for x in weights),
            tuple(int(x) for x in visits), tuple(float(x) for x in means),
        )  # fmt: skip

    def analyse(
        self, position: Position, clock: Clock, *, seat: int | None = None, simulations: int | None = None,
        lines: int = 1, report: Report | None = None,
    ) -> Choice:  # fmt: skip
        """Search and report a seat's decision: its mixed strategy where there is one, and a move drawn from it."""
        if lines < 1:
            raise OptionError(f"{lines} lines show nothing; give 1 or more")
        assert isinstance(position, ArrayPosition)
        deciding = None if position.over or position.turn == CHANCE else deciding_seat(position, seat)

        def tell() -> None:
            if report is not None and deciding is not None:
                report(self._choice(position, deciding, lines, 0.0))

        done, watch = self.search(
            position, clock, seat=deciding, simulations=simulations, report=tell if report else None
        )
        if deciding is None:  # chance: there is a value, and no decision
            means, errors = self.values()
            text = position.sample(generator(self.seed, done))
            return Choice(
                text, means[0], (Line((text,), means[0], errors[0]),), nodes=done, seconds=watch.elapsed, engine="mcts",
                finished=not watch.interrupted,
            )  # fmt: skip
        choice = self._choice(position, deciding, lines, watch.elapsed)
        return replace(choice, finished=not watch.interrupted)

    def _choice(self, position: ArrayPosition, seat: int, lines: int, seconds: float) -> Choice:
        found = self.decision(position, seat)
        game = self.game
        texts = [game.move_text(position.state, seat, m) for m in found.moves]
        mixes = self.secret or position.turn == TOGETHER
        means, errors = self.values()
        order = sorted(range(len(texts)), key=lambda k: (-found.strategy[k], -found.visits[k]))
        shown = tuple(
            Line(
                (texts[k],), None if np.isnan(found.values[k]) else found.values[k], None, found.visits[k],
                probability=found.strategy[k] if mixes else None,
            )
            for k in order[:lines]
        )  # fmt: skip
        chosen = order[0]
        if mixes:
            with np.errstate(over="ignore"):
                x = unit(generator(self.seed, int(self.rng[1]) + 1))
            chosen = min(int(np.searchsorted(np.cumsum(found.strategy), x, side="right")), len(texts) - 1)
        value = means[seat]
        return Choice(
            texts[chosen], value, shown, strategy=dict(zip(texts, found.strategy, strict=True)) if mixes else None,
            nodes=self.done, seconds=seconds, engine="mcts",
            details={"rule": self.rule, "error": errors[seat], "decisions": int(self.room[ROWS_USED])},
        )  # fmt: skip


class Determinised:
    """Hidden information by sampled worlds: guess what is hidden, search as if all were seen, and add up what was found.

    Simple and often strong, but it believes that it will see the secrets later (strategy fusion: Frank and Basin 1998):
    it never values finding something out or hiding something. `InformationSets` does not have that fault.
    """

    def __init__(
        self, game: ArrayGame, *, worlds: int = 16, simulations: int | None = None, seed: int = 0, **options: Any
    ) -> None:
        worlds = whole("worlds", worlds)
        if worlds < 1:
            raise OptionError(f"{worlds} worlds show nothing; give 1 or more")
        if not isinstance(game, ArrayGame):
            raise UnsuitableSearch(f"mcts needs kernels, and {game.name} has none; use the players of {game.name}")
        if not game.hidden:
            other = "InformationSets" if game.gives("play_together") else "MCTS"
            raise UnsuitableSearch(f"nothing is hidden in {game.name}, so all worlds are one; use {other}")
        if not game.gives("guess"):
            raise MissingKernel(f"something is hidden in {game.name}, and to search it the kernel 'guess' is needed")
        self.game, self.worlds, self.seed = game, worlds, seed
        self.simulations = None if simulations is None else check_simulations(simulations)
        self.joint = game.gives("play_together") or (has_chance(game) and not game.gives("odds"))
        kind: Any = InformationSets if self.joint else MCTS
        self.engine = kind(game, seed=seed, reuse=False, open_hands=True, **options)
        self.rng = generator(seed, 1)

    def analyse(
        self, position: Position, clock: Clock, *, seat: int | None = None, simulations: int | None = None,
        lines: int = 1, report: Report | None = None,
    ) -> Choice:  # fmt: skip
        """Search each world for its share of the budget; every world has one vote, shared out by visits.

        As many worlds are searched as there are simulations, or as begin before the time is up; one at least.
        """
        if lines < 1:
            raise OptionError(f"{lines} lines show nothing; give 1 or more")
        assert isinstance(position, ArrayPosition)
        game = self.game
        if position.over:
            raise GameOver(f"the game is over in {str(position)!r}: there is no move to choose")
        seat = deciding_seat(position, seat)
        simulations = self.simulations if simulations is None else check_simulations(simulations)
        worlds = self.worlds if simulations is None else min(self.worlds, simulations)
        visits: dict[int, int] = {}
        votes: dict[int, float] = {}
        totals: dict[int, float] = {}
        done, searched, watch = 0, 0, Stopwatch(clock.seconds)
        for world in range(worlds):
            s = position.state.copy()
            if seat >= 0:
                game.run("guess", game.g, s, seat, self.rng)
            sampled = game.position(s)
            share = None if watch.left is None else max(watch.left, 0.0) / (worlds - world)
            each = None if simulations is None else simulations // worlds + (world < simulations % worlds)
            new, inner = self.engine.search(sampled, Clock(share), simulations=each)
            done += new
            searched += 1
            for m, n, vote, value in self._root(sampled, seat):
                visits[m] = visits.get(m, 0) + n
                votes[m] = votes.get(m, 0.0) + vote
                totals[m] = totals.get(m, 0.0) + (vote * value if vote else 0.0)
            if inner.interrupted:
                watch.interrupted = True
                break
            if world == 0:
                watch.began = max(watch.began, inner.began)  # the first search may have compiled
            if watch.left is not None and watch.left <= 0:
                break
        order = sorted(votes, key=lambda m: -votes[m])
        shown = tuple(
            Line(
                (game.move_text(position.state, seat, m),), totals[m] / votes[m] if votes[m] else None, None, visits[m]
            )
            for m in order[:lines]
        )  # fmt: skip
        return Choice(
            shown[0].moves[0], shown[0].value, shown, nodes=done, seconds=watch.elapsed, engine="mcts",
            finished=not watch.interrupted, details={"worlds": searched},
        )  # fmt: skip

    def _root(self, sampled: ArrayPosition, seat: int) -> list[tuple[int, int, float, float]]:
        """The root's moves in one world: visits, its vote by visits or by the mixed strategy, and values.

        A search ends when it has proven its world, after few visits maybe, and then votes for the move it has proven best.
        """
        if isinstance(self.engine, MCTS):
            arms = self.engine.arms()
            total = max(sum(arm.visits for arm in arms), 1)
            if self.engine.proven() is not None and sampled.turn >= 0:
                return [(arm.move, arm.visits, float(arm is arms[0]), arm.value) for arm in arms]
            return [(arm.move, arm.visits, arm.visits / total, arm.value) for arm in arms]
        found = self.engine.decision(sampled, seat)
        rows = zip(found.moves, found.visits, found.strategy, found.values, strict=True)
        return [(m, n, vote, 0.0 if np.isnan(v) else v) for m, n, vote, v in rows]
