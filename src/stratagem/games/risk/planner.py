"""A player of Risk that plans its turns by stages (`stages`); it drafts and sets up like the others."""

from __future__ import annotations

import time as clocks
from dataclasses import replace
from functools import cached_property
from typing import Any

from stratagem.contract.player import Choice, Line, Request
from stratagem.games.risk import kernels as k
from stratagem.games.risk.game import Risk, RiskPosition
from stratagem.games.risk.players import RiskPlayer
from stratagem.games.risk.stages import RiskStaging, Rows, carried
from stratagem.search.staged import Considered, Settings, Staged

VISITS = 85  # turns visited for one choice without a clock: about 5,000 trials, a tenth of a second


class StagedRisk(RiskPlayer):
    """Plans a turn when it begins, and carries it out as the dice fall."""

    def __init__(
        self,
        game: Risk,
        *,
        visits: int = VISITS,  # of turns for one choice, where no clock is given
        samples: int = 40,  # trials of a turn at its first visit; more at later ones
        horizon: int | None = None,  # turns after one's own until the judgement; None: two rounds
        threads: int = 1,
        seed: int = 0,
        name: str = "",
        **options: Any,  # of drafting and style, as of the other players
    ) -> None:
        super().__init__(game, seed=seed, name=name or "staged", **options)
        self._search_settings = Settings(
            samples=samples,
            again=1.0,
            simulations=visits,
            turn_exploration=0.7,
            widening="progressive",
            factor=4.0,
            fresh=0.6,
            fine=0.25,
            coarse=0.15,
            threads=threads,
        )
        self.staging = RiskStaging(game, style=self.settings.style, horizon=horizon)
        self._row: Rows | None = None
        self._ready = False

    @cached_property
    def search(self) -> Staged[Any, Any]:
        """Made when a turn is to be planned: drafts need none of it, and it compiles."""
        return Staged(self.staging, self._search_settings, seed=self.settings.seed)

    def answer(self, request: Request[RiskPosition]) -> Choice:
        if request.seat < 0 or request.view.state[k.PHASE] in (k.CLAIM, k.PLACE, k.DEFEND):
            return super().answer(request)
        began = clocks.perf_counter()
        return replace(self._planned_move(request), seconds=clocks.perf_counter() - began, engine=self.name)

    def _planned_move(self, request: Request[RiskPosition]) -> Choice:
        view, report, lines = request.view, request.report, request.lines
        if self._row is not None and self._goes_on(view):
            return Choice(self._carried(view, self._row))
        root = self._lent(view)
        if not self._ready:  # what must be compiled or loaded is not thinking
            self.search.consider(root, simulations=1)
            self._ready = True
        tick = None if report is None else lambda found: report(self._reported(view, found, lines))
        found = self.search.consider(root, seconds=request.clock.seconds, tick=tick)
        self._row, self._planned = found.best.turn, view
        return self._reported(view, found, lines)

    def _reported(self, view: RiskPosition, found: Considered, lines: int) -> Choice:
        seat = found.seat
        shown = tuple(
            Line(
                (self._carried(view, judged.turn), f"({judged.text})"), judged.values[seat], judged.error, judged.visits
            )
            for judged in found.listed(lines)
        )
        return Choice(
            shown[0].moves[0],
            found.best.values[seat],
            shown,
            nodes=found.trials,
            details={"intent": found.best.text, "turns": found.made},
            finished=found.finished,
            engine=self.name,
            stages=self.search.proposals(),
        )

    def _carried(self, view: RiskPosition, row: Rows) -> str:
        # interpreted: one decision takes milliseconds, and compiling it would take seconds
        m = int(self.game.rule(carried, self.game.g, self._lent(view), view.turn, row, self.rng))
        return self.game.move_text(view.state, view.turn, m)

    def show(self, view: RiskPosition, choice: Choice, seat: int | None) -> str | None:
        """Why a territory is taken, in a draft by a ranking; later, what each stage proposed for the turn."""
        reported = super().show(view, choice, seat)
        return reported or (str(self.search.report()) if self._row is not None else None)


OPTIONS = ("style", "draft", "ranking", "simulations", "visits", "samples", "horizon", "threads", "seed")


def staged(game: Risk, **options: Any) -> StagedRisk:
    return StagedRisk(game, **options)


def strong(game: Risk, **options: Any) -> StagedRisk:
    return StagedRisk(game, **options, name="strong")
