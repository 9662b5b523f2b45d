"""Hidden information by sampled worlds: guess what is hidden, search as if all were seen, and add up what was found.

Simple and often strong, but it believes that it will see the secrets later (strategy fusion: Frank and Basin 1998): it
never values finding something out or hiding something. `infosets` does not have that fault.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.contract.player import Choice, Clock, Line, Report, check_lines, deciding_seat
from stratagem.errors import MissingKernel, OptionError, UnsuitableSearch
from stratagem.rng import generator
from stratagem.search.budget import Budget
from stratagem.search.sampling.playouts import check_kernels, has_chance
from stratagem.search.settings import SamplingSettings, settings_of, whole
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS


@dataclass(frozen=True, kw_only=True)
class DeterminisedSettings:
    """How many worlds are sampled; the search within them has settings of its own."""

    worlds: int = 16  # 1 or more
    simulations: int | None = None  # in all worlds together, where the call gives none; None: by the clock alone
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "worlds", whole("worlds", self.worlds))
        if self.worlds < 1:
            raise OptionError(f"{self.worlds} worlds show nothing; give 1 or more")
        if self.simulations is not None:
            SamplingSettings.budget(self.simulations)


class Determinised:
    """Search in sampled worlds, each by `MCTS`, or by `InformationSets` where a tree of single moves cannot hold the game.

    Options that are not its own are those of the search within the worlds.
    """

    def __init__(self, game: ArrayGame, settings: DeterminisedSettings | None = None, **options: Any) -> None:
        own = {field.name: options.pop(field.name) for field in fields(DeterminisedSettings) if field.name in options}
        self.settings = settings_of(DeterminisedSettings, settings, own)
        check_kernels("mcts", game)
        if not game.hidden:
            other = "InformationSets" if game.gives("play_together") else "MCTS"
            raise UnsuitableSearch(f"nothing is hidden in {game.name}, so all worlds are one; use {other}")
        if not game.gives("guess"):
            raise MissingKernel(f"something is hidden in {game.name}, and to search it the kernel 'guess' is needed")
        self.game = game
        joint = game.gives("play_together") or (has_chance(game) and not game.gives("odds"))
        kind: Any = InformationSets if joint else MCTS
        self.engine = kind(game, seed=self.settings.seed, reuse=False, open_hands=True, **options)
        self.rng = generator(self.settings.seed, 1)

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
        """Search each world for its share of the budget; every world has one vote, shared out by visits.

        As many worlds are searched as there are simulations, or as begin before the time is up; one at least.
        """
        check_lines(lines)
        game, own = self.game, self.settings
        seat = deciding_seat(position, seat)
        simulations = own.simulations if simulations is None else SamplingSettings.budget(simulations)
        worlds = own.worlds if simulations is None else min(own.worlds, simulations)
        visits: dict[int, int] = {}
        votes: dict[int, float] = {}
        totals: dict[int, float] = {}
        done, searched, budget = 0, 0, Budget(clock.seconds)
        for world in range(worlds):
            s = position.state.copy()
            if seat >= 0:
                game.run("guess", game.g, s, seat, self.rng)
            sampled = game.position(s)
            share = None if budget.left is None else max(budget.left, 0.0) / (worlds - world)
            each = None if simulations is None else simulations // worlds + (world < simulations % worlds)
            new, inner = self.engine.search(sampled, Clock(share), simulations=each)
            done += new
            searched += 1
            for m, n, vote, value in self._root(sampled, seat):
                visits[m] = visits.get(m, 0) + n
                votes[m] = votes.get(m, 0.0) + vote
                totals[m] = totals.get(m, 0.0) + (vote * value if vote else 0.0)
            budget.pause(inner.idle)  # the first search may have compiled
            if inner.interrupted:
                budget.interrupted = True
                break
            if budget.left is not None and budget.left <= 0:
                break
        order = sorted(votes, key=lambda m: -votes[m])[:lines]
        texts = [game.move_text(position.state, seat, m) for m in order]
        shown = tuple(
            Line((text,), totals[m] / votes[m] if votes[m] else None, None, visits[m])
            for text, m in zip(texts, order, strict=True)
        )
        work: dict[str, Any] = {"nodes": done, "seconds": budget.elapsed, "finished": not budget.interrupted}
        return Choice(
            texts[0], shown[0].value, shown, seat=max(seat, 0), engine="mcts", details={"worlds": searched}, **work
        )

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
