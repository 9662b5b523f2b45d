"""Sampling search over information sets: for players who decide at once, for hidden information, for chance without odds.

Where all decide at once, each player runs a bandit of its own over its moves, and what is learned is a mixed strategy:
decoupled UCT, regret matching plus or Exp3 (Tak, Lanctot, Winands 2014; Lisy, Kovarik, Lanctot, Bosansky 2013; Tammelin
2014). Where something is hidden, each simulation first re-samples through `guess` what the searcher cannot see, and a
player's decision is looked up by what that player sees (`hide`), so that nobody acts on a secret (Cowling, Powley,
Whitehouse 2012). Use `mcts` where players alternate and see everything: its tree is faster and it proves results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report
from stratagem.errors import GameOver, MissingKernel, OptionError, StratagemError
from stratagem.kernel import CHANCE, TOGETHER
from stratagem.rng import generator, unit
from stratagem.search.running import Stopwatch
from stratagem.search.sampling.montecarlo import deciding_seat
from stratagem.search.sampling.playouts import cap_of, check_kernels, complaint, number, playout_names, whole
from stratagem.search.tree.decisions import (
    ARMS_USED,
    COUNT,
    FIRST,
    KEY,
    PATH,
    ROWS_USED,
    STRATEGY,
    TOTAL,
    VISITS,
    decision_key,
    explore,
)
from stratagem.search.tree.mcts import check_simulations
from stratagem.search.tree.templates import STUCK

RULES = ("duct", "rm", "exp3")


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
        check_kernels("mcts", game)
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
