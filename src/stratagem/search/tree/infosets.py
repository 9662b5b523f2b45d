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
from functools import partial
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.contract.player import Choice, Clock, Line, Report, check_lines, deciding_seat
from stratagem.errors import MissingKernel, OptionError, StratagemError
from stratagem.kernel import CHANCE, TOGETHER
from stratagem.rng import generator, unit
from stratagem.search.budget import Budget, StopFlag
from stratagem.search.sampling.playouts import cap_of, check_kernels, check_position, complaint, names_for
from stratagem.search.settings import SamplingSettings, number, settings_of, whole
from stratagem.search.tree.decisions import (
    ARMS_USED,
    COUNT,
    FIRST,
    INLINED,
    KEY,
    KEY_BITS,
    MOST_ROWS,
    OPEN,
    ROWS_USED,
    RULES,
    SECRET,
    STRATEGY,
    TOTAL,
    VISITS,
    DecisionLimits,
    Decisions,
    decision_key,
    decisions,
    explore,
    explorer,
)
from stratagem.search.tree.templates import STUCK


@dataclass(frozen=True, kw_only=True)
class InfosetSettings(SamplingSettings):
    """How decisions are learned."""

    rule: str = "rm"  # at joint or secret decisions: duct, rm (regret matching plus) or exp3
    gamma: float | None = None  # share of random moves under rm and exp3, in (0, 1]; None: 0.2 and 0.1
    pool: int = 1 << 20  # moves of decisions held, 2 or more; when used up, the search learns about those it has
    reuse: bool = True  # keep what was learned for the next search of the same game

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError(f"there is no rule {self.rule!r} for joint moves; it is one of {', '.join(RULES)}")
        super().__post_init__()
        if self.gamma is None:
            self._hold(gamma=0.1 if self.rule == "exp3" else 0.2)
        if not 0 < number("gamma", self.gamma) <= 1:
            raise OptionError(f"a share of {self.gamma!r} random moves makes no search; gamma lies above 0 and up to 1")
        self._hold(pool=whole("pool", self.pool))
        if self.pool < 2:
            raise OptionError(f"a pool of {self.pool} moves holds no decision; give 2 or more")


@dataclass(frozen=True)
class RootDecision:
    """What a search has learned about one seat's decision at the root."""

    seat: int
    moves: tuple[int, ...]
    strategy: tuple[float, ...]  # the mixed strategy; where nobody needs to mix, all on the most visited move
    visits: tuple[int, ...]
    values: tuple[float, ...]  # the mean payoff after each move, to the seat; NaN where never tried


class InformationSets:
    """Sampling search for joint moves, hidden information, and chance without odds. Keeps what it learned between calls."""

    def __init__(self, game: ArrayGame, settings: InfosetSettings | None = None, **options: Any) -> None:
        check_kernels("mcts", game)
        self.game = game
        self.settings = own = settings_of(InfosetSettings, settings, options)
        self.secret = game.hidden and not own.open_hands
        for name in ("guess", "hide") if self.secret else ():
            if not game.gives(name):
                raise MissingKernel(
                    f"something is hidden in {game.name}, and to search it the kernel {name!r} is needed"
                )
        low, high = game.payoff_range
        assert own.gamma is not None
        cap = cap_of(game, own.playout_cap)
        self.limits = DecisionLimits(own.exploration * (high - low) / 2, float(own.gamma), own.cut, cap)
        names = names_for(game, own) | (SECRET if self.secret else OPEN) | RULES[own.rule]
        label = f"{game.name} information sets"
        self._explore = specialise(explore, names, target=own.target, label=label, lean=True, inline=INLINED)
        self._key = specialise(decision_key, names, target="python")
        try:
            self.known: Decisions = decisions(own.pool)
        except MemoryError:
            raise OptionError(f"a pool of {own.pool} moves does not fit into memory; give fewer") from None
        self._explorer = explorer(game, own.seed)
        self.done = 0  # simulations of the last search
        self._warm = False

    def clear(self) -> None:
        """Forget everything, and start the generator anew: the next search depends on the seed alone."""
        self._forget()
        self._explorer.rng[:] = generator(self.settings.seed)

    def _forget(self) -> None:
        if self.known.room[ROWS_USED]:
            self.known.table[:] = 0
        self.known.room[:MOST_ROWS] = 0

    def search(
        self,
        position: ArrayPosition,
        clock: Clock | None = None,
        *,
        seat: int | None = None,
        simulations: int | None = None,
        report: Callable[[], None] | None = None,
    ) -> tuple[int, Budget]:
        """Learn about a position; returns the simulations done, and the budget. `decision` reads what was learned."""
        budget = Budget.of(clock, self.settings.simulations_or(simulations), report)
        root, pool = check_position(self.game, position), self.settings.pool
        # of another's hand a view says nothing that could be counted
        seen = [p for p in root.asked if not self.game.hidden or seat in (None, p)]
        widest = max((len(root.move_numbers(p)) for p in seen), default=1)
        needed = widest * max(len(root.asked), 1)
        if pool < needed:
            raise OptionError(f"a pool of {pool} cannot hold the moves here; give {needed} or more")
        # What was learned stays true in the same game; where views hide the history, it may be another game's.
        used = int(self.known.room[ARMS_USED])
        if not self.settings.reuse or used > pool // 2 or used + needed > pool:
            self._forget()
        self._explorer.sums[:] = 0.0
        self._explorer.answers[:] = 0.0
        viewer = seat if seat is not None else root.seat if root.seat is not None else root.value_seat()
        simulated = partial(self._simulated, root, viewer, budget.flag)
        if not self._warm:
            with budget.paused():
                simulated(0, 0)  # compiles
            self._warm = True
        self.done = 0

        def work(at_least: int, at_most: int) -> int:
            new = budget.run_slice(simulated, at_least, at_most)
            self.done += new  # a report speaks of the work so far
            return new

        return budget.spend(work, widest), budget

    def _simulated(self, root: ArrayPosition, viewer: int, stop: StopFlag, at_least: int, at_most: int) -> int:
        game, limits = self.game, self.limits._replace(at_least=at_least, at_most=at_most)
        done = int(self._explore(game.g, root.state, viewer, self.known, self._explorer, limits, stop))
        if done == STUCK:
            raise StratagemError(f"{game.name}: a player who must decide has no move, so its rules are at fault")
        if done < 0:
            raise complaint(game, done, limits.cap)
        return done

    def values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Each seat's mean over the last search's simulations, and its standard error."""
        n, k = max(self.done, 1), self.game.players
        sums = self._explorer.sums
        means = sums[:k] / n
        spread = np.sqrt(np.maximum(sums[k:] / n - means**2, 0.0) / n)
        return tuple(float(x) for x in means), tuple(float(x) for x in spread)

    def decision(self, position: ArrayPosition, seat: int) -> RootDecision:
        """What is known about a seat's decision in a position."""
        table = self.known.table
        h = int(self._key(self.game.g, position.state.copy(), seat, self._explorer.seen))
        mask = len(table) - 1
        row = (h >> KEY_BITS) & mask
        while table[row, KEY] != h:
            if table[row, KEY] == 0:
                raise StratagemError(f"nothing was learned about {self.game.seat_name(seat)} in {str(position)!r}")
            row = (row + 1) & mask
        first, n = int(table[row, FIRST]), int(table[row, COUNT])
        arms = self.known.arms[first : first + n]
        visits = arms[:, VISITS]
        mixes = self.secret or position.turn == TOGETHER
        weights = visits if self.settings.rule == "duct" else arms[:, STRATEGY]
        if not mixes:
            weights = (np.arange(n) == int(np.argmax(visits))).astype(float)
        weights = weights / weights.sum() if weights.sum() > 0 else np.full(n, 1.0 / n)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(visits > 0, arms[:, TOTAL] / np.maximum(visits, 1), np.nan)
        moves = tuple(int(m) for m in self.known.moves[first : first + n])
        strategy, tried = tuple(float(x) for x in weights), tuple(int(x) for x in visits)
        return RootDecision(seat, moves, strategy, tried, tuple(float(x) for x in means))

    def _against_strategies(self, seat: int, found: RootDecision) -> tuple[float, ...]:
        """What each move of the last search's root was worth against the others' strategies, without their exploration."""
        weights, sums = self._explorer.answers[seat, : len(found.moves)].T
        return tuple(
            float(total / weight) if weight > 0 else mean
            for weight, total, mean in zip(weights, sums, found.values, strict=True)
        )

    def analyse(
        self,
        position: ArrayPosition,
        clock: Clock,
        *,
        seat: int | None = None,
        simulations: int | None = None,
        lines: int = 1,
        report: Report | None = None,
    ) -> Choice:
        """Search and report a seat's decision: its mixed strategy where there is one, and a move drawn from it."""
        check_lines(lines)
        deciding = None if position.over or position.turn == CHANCE else deciding_seat(position, seat)

        def tell() -> None:
            if report is not None and deciding is not None:
                report(self._choice(position, deciding, lines, 0.0))

        done, budget = self.search(
            position, clock, seat=deciding, simulations=simulations, report=tell if report else None
        )
        if deciding is None:  # chance: there is a value, and no decision
            means, errors = self.values()
            text = position.sample(generator(self.settings.seed, done))
            line = Line((text,), means[0], errors[0])
            choice = Choice(text, means[0], (line,), seat=0, nodes=done, seconds=budget.elapsed, engine="mcts")
        else:
            choice = self._choice(position, deciding, lines, budget.elapsed)
        return replace(choice, finished=not budget.interrupted)

    def _choice(self, position: ArrayPosition, seat: int, lines: int, seconds: float) -> Choice:
        found = self.decision(position, seat)
        game = self.game
        texts = [game.move_text(position.state, seat, m) for m in found.moves]
        mixes = self.secret or position.turn == TOGETHER
        means, errors = self.values()
        values = self._against_strategies(seat, found) if mixes else found.values
        order = sorted(range(len(texts)), key=lambda k: (-found.strategy[k], -found.visits[k]))
        shown = tuple(
            Line(
                (texts[k],),
                None if np.isnan(values[k]) else values[k],
                None,
                found.visits[k],
                probability=found.strategy[k] if mixes else None,
            )
            for k in order[:lines]
        )
        chosen = order[0]
        if mixes:
            with np.errstate(over="ignore"):
                x = unit(generator(self.settings.seed, int(self._explorer.rng[1]) + 1))
            chosen = min(int(np.searchsorted(np.cumsum(found.strategy), x, side="right")), len(texts) - 1)
        return Choice(
            texts[chosen],
            means[seat],
            shown,
            seat=seat,
            strategy=dict(zip(texts, found.strategy, strict=True)) if mixes else None,
            nodes=self.done,
            seconds=seconds,
            engine="mcts",
            details={
                "rule": self.settings.rule,
                "error": errors[seat],
                "decisions": int(self.known.room[ROWS_USED]),
            },
        )
