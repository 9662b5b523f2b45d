"""Hidden information by sampled worlds: guess what is hidden, search as if all were seen, and add up what was found.

Simple and often strong, but it believes that it will see the secrets later (strategy fusion: Frank and Basin 1998): it
never values finding something out or hiding something. `infosets` does not have that fault.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report
from stratagem.errors import GameOver, MissingKernel, OptionError, UnsuitableSearch
from stratagem.rng import generator
from stratagem.search.running import Stopwatch
from stratagem.search.sampling.montecarlo import deciding_seat
from stratagem.search.sampling.playouts import check_kernels, has_chance, whole
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS, check_simulations


class Determinised:
    """Search in sampled worlds, each by `MCTS`, or by `InformationSets` where a tree of single moves cannot hold the game."""

    def __init__(
        self, game: ArrayGame, *, worlds: int = 16, simulations: int | None = None, seed: int = 0, **options: Any
    ) -> None:
        worlds = whole("worlds", worlds)
        if worlds < 1:
            raise OptionError(f"{worlds} worlds show nothing; give 1 or more")
        check_kernels("mcts", game)
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
