"""Players of Colonel Blotto and their levels.

A one-shot game against somebody who may know you is played by mixing: `strong` draws from an equilibrium and cannot be
exploited. `medium` replies best to opponents that place their units at random, `easy` spreads in proportion to the values
and moves a few units about. With more than two players nothing is solved, and `strong` replies to many `medium` ones.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem.contract.game import Game
from stratagem.contract.player import Choice, Clock, Entry, Line, Player, RandomPlayer, Request
from stratagem.errors import GameOver, OptionError
from stratagem.games.blotto.game import Blotto, BlottoPosition
from stratagem.games.blotto.oracle import Payoffs, as_plans
from stratagem.games.blotto.rules import Rules
from stratagem.games.blotto.solve import BlottoEquilibrium, solve
from stratagem.plans.allocation import Plan, sample
from stratagem.rng import Rng, below, generator, unit

SAMPLED = 32  # opponents that medium imagines
TRIED = 12  # plans, and opponents for each, where there are more than two players
CLEVER = 2  # replies of every seat that strong imagines then
MOVED = 3  # easy moves this part of its units: one in three


def text(plan: Plan) -> str:
    return ",".join(map(str, plan))


def _plan(choice: Choice) -> Plan:
    return tuple(int(x) for x in choice.move.split(","))


class _Blotto(Player[BlottoPosition]):
    """What the players share: the seat, the rules, the generator."""

    name = "blotto"

    def __init__(self, game: Blotto, *, seed: int = 0, time: float = 10.0) -> None:
        self.rules: Rules = game.rules
        self.rng: Rng = generator(seed)
        if time < 0:
            raise OptionError(f"time is {time}; give 0 seconds or more")
        self.seconds = float(time)

    def answer(self, request: Request[BlottoPosition]) -> Choice:
        if request.seat < 0:
            raise GameOver(f"there is nothing to choose in {str(request.view)!r}")
        began = time.perf_counter()
        with np.errstate(over="ignore"):
            choice = self.decide(request.seat, request.clock)
        return Choice(**{**vars(choice), "engine": self.name, "seconds": time.perf_counter() - began})

    @abstractmethod
    def decide(self, seat: int, clock: Clock) -> Choice: ...

    def drawn(self, seat: int) -> Plan:
        """A random plan on the fronts."""
        rules = self.rules
        return sample(rules.units[seat], rules.slots, self.rng)[: rules.fronts]


class Proportional(_Blotto):
    """In proportion to the values, with one unit in three moved at random."""

    name = "easy"

    def decide(self, seat: int, clock: Clock) -> Choice:
        plan = list(self.rules.proportional(seat))
        for _ in range(self.rules.units[seat] // MOVED):
            held = [i for i, x in enumerate(plan) if x]
            plan[held[int(below(self.rng, len(held)))]] -= 1
            plan[int(below(self.rng, len(plan)))] += 1
        return Choice(text(tuple(plan)))


class Replying(_Blotto):
    """The best reply to a few opponents imagined at random."""

    name = "medium"

    def decide(self, seat: int, clock: Clock) -> Choice:
        rules = self.rules
        if rules.players == 2:
            other = 1 - seat
            opponents = as_plans([rules.full(self.drawn(other), other) for _ in range(SAMPLED)])
            value, plan = Payoffs(rules).best(seat, opponents, np.full(SAMPLED, 1 / SAMPLED))
            return Choice(text(plan[: rules.fronts]), value)
        return self.tried(seat, [self.drawn(seat) for _ in range(TRIED)], self.drawn)

    def tried(self, seat: int, plans: list[Plan], drawn: Any) -> Choice:
        """The best of some plans against opponents drawn alike for all of them."""
        rules = self.rules
        others = [[drawn(p) for p in range(rules.players)] for _ in range(TRIED)]
        worth = []
        for plan in plans:
            total = 0.0
            for table in others:
                table[seat] = plan
                total += float(rules.payoffs(table)[seat])
            worth.append(total / TRIED)
        at = int(np.argmax(worth))
        return Choice(text(plans[at]), worth[at])


class Equilibrium(Replying):
    """Draws from an equilibrium strategy, solved once; among more than two, replies to opponents that themselves reply."""

    name = "strong"
    _solutions: dict[tuple[Rules, float], BlottoEquilibrium] = {}  # noqa: RUF012  # shared on purpose: solving is the dear part

    def decide(self, seat: int, clock: Clock) -> Choice:
        rules = self.rules
        if rules.players > 2:
            groups = [
                [_plan(super(Equilibrium, self).decide(p, clock)) for _ in range(CLEVER)] for p in range(rules.players)
            ]
            mine = [*groups[seat], rules.proportional(seat), *(self.drawn(seat) for _ in range(TRIED))]
            return self.tried(seat, mine, lambda p: groups[p][int(below(self.rng, CLEVER))])
        found = self._solved(clock)
        mixture = found.strategies[seat]
        plans, chances = list(mixture), np.cumsum(list(mixture.values()))
        plan = plans[min(int(np.searchsorted(chances, unit(self.rng) * chances[-1], side="right")), len(plans) - 1)]
        likely = sorted(mixture.items(), key=lambda item: -item[1])[:12]
        return Choice(
            text(plan),
            found.payoffs[seat],
            tuple(Line((text(p),), None, probability=w) for p, w in likely),
            {text(p): w for p, w in mixture.items()},
            details={"concept": found.concept, "gains": list(found.gains), "payoffs": list(found.payoffs)},
        )

    def weigh(
        self, view: BlottoPosition, moves: Sequence[str], clock: Clock, *, seat: int | None = None
    ) -> dict[str, float]:
        """What plans are worth against the other's equilibrium strategy."""
        rules, seat = self.rules, seat if seat is not None else view.seat or 0
        if rules.players > 2:
            return {}
        other = 1 - seat
        mixture = self._solved(clock).strategies[other]
        opponents = as_plans([rules.full(plan, other) for plan in mixture])
        own = as_plans([rules.full(rules.parse_plan(move, seat), seat) for move in moves])
        worth = Payoffs(rules).matrix(seat, own, opponents) @ np.array(list(mixture.values()), float)
        return dict(zip(moves, map(float, worth), strict=True))

    def _solved(self, clock: Clock) -> BlottoEquilibrium:
        key = self.rules, self.seconds if clock.seconds is None else clock.seconds
        if key not in self._solutions:
            self._solutions[key] = solve(self.rules, seconds=key[1])
        return self._solutions[key]


def players(game: Game) -> dict[str, Entry]:
    timed = ("seed", "time")
    return {
        "random": Entry(RandomPlayer, "any allocation, all alike"),
        "easy": Entry(Proportional, "in proportion to the values, a third of the units moved at random", timed),
        "medium": Entry(Replying, "the best reply to opponents imagined at random", timed),
        "strong": Entry(Equilibrium, "draws from an equilibrium strategy; cannot be exploited", timed),
    }
