"""Alpha-beta: exact depth-limited search for two players whose payoffs sum to zero.

Negamax with a window (Knuth and Moore 1975), a transposition table, ordered moves, and iterative deepening under a clock; the
template is in `negamax.py`, this is what people call. Use it where moves are few and a result matters; use MCTS where
evaluation is hard, and expectimax where there is chance. No technique here changes a value: with `deeper=False` every
result equals that of plain minimax, and the tests say so for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report, Solution, check_depth, check_lines, refuse_over
from stratagem.errors import StratagemError
from stratagem.search.alphabeta.negamax import (
    CUT_OFF,
    INLINED,
    NODES,
    ROUNDED,
    STOPPED,
    Space,
    Task,
    alphabeta_template,
    new_space,
)
from stratagem.search.alphabeta.score import (
    DECIDED,
    INFINITY,
    OUT_OF_RANGE,
    WIN,
    check_game,
    check_suits,
    out_of_range,
    scoring,
    units,
    verdict,
)
from stratagem.search.alphabeta.settings import PLAIN, AlphaBetaSettings, parts
from stratagem.search.alphabeta.solver import SMALLEST, Progress, Solver, can_solve
from stratagem.search.alphabeta.solver import SolverSettings as SolverSettings
from stratagem.search.alphabeta.table import DEEPEST, VARIANTS, new_table
from stratagem.search.alphabeta.traits import draws_fill
from stratagem.search.budget import Budget
from stratagem.search.settings import settings_of

__all__ = ["PLAIN", "AlphaBeta", "AlphaBetaSettings", "SearchedDepth"]

SHALLOW_NODES = 50_000  # how far solving first looks for a short win
ASPIRATION = 50  # half the first window around the last value is this part of the range's top


@dataclass(frozen=True)
class SearchedDepth:
    """A finished search of one depth."""

    score: int  # for the mover; fail-soft, so outside the window it is a bound
    moves: tuple[int, ...]  # the principal variation
    nodes: int
    cut_off: int  # leaves judged by the heuristic


class AlphaBeta:
    """Alpha-beta for one game. Workspace and table are kept between calls; one call at a time.

    Options are those of `AlphaBetaSettings`, given as such or by name: `AlphaBeta(game, table_bits=16, killers=False)`.
    """

    def __init__(self, game: ArrayGame, settings: AlphaBetaSettings | None = None, **options: Any) -> None:
        check_game("alphabeta", game)
        self.game = game
        self.settings = settings_of(AlphaBetaSettings, settings, options)
        self.ordered = self.settings.ordered and game.gives("order")
        self.judges = self.settings.evaluate is not None or game.gives("value")  # positions short of the end
        self._search = specialise(
            alphabeta_template,
            {**game.names, **scoring(game), **parts(game, self.settings)},
            target=self.settings.target,
            label=f"{game.name} alpha-beta",
            lean=True,
            inline=INLINED,
        )
        self._spaces: list[Space] = []
        self._solver: Solver | None = None
        self.clear()

    def clear(self) -> None:
        """Forget the table, killers and history."""
        self.table = new_table(self.settings.table_bits, self.game.size, self.game.exact_key)
        self._spaces = []
        self._solver = None
        self._rounded = False  # whether the table may hold a payoff that was rounded

    # -- one search

    def search(
        self,
        position: ArrayPosition,
        depth: int,
        alpha: int = -INFINITY,
        beta: int = INFINITY,
        root_moves: Sequence[int] | None = None,
        watch: Budget | None = None,
    ) -> SearchedDepth | None:
        """One search to a fixed depth in one window; None if the watch stopped it."""
        position = check_suits("alphabeta", position)
        check_depth(depth)
        refuse_over(position)
        if self.game.max_length is not None:
            depth = min(depth, self.game.max_length)
        if not self.settings.prune:
            alpha, beta = -INFINITY, INFINITY
        order = list(self._ordered(position) if root_moves is None else root_moves)
        watch = watch or Budget()
        helpers, calls = Budget(), []
        for k in range(1, self.settings.threads):
            # helpers begin with other moves and other orders below, half of them a ply deeper
            turned = order[k % len(order) :] + order[: k % len(order)]
            deeper = min(depth + k % 2, self.game.max_length or DEEPEST)
            calls.append(helpers.start(self._run, k, position, deeper, alpha, beta, turned, helpers))
        try:
            score, space = watch.run(self._run, 0, position, depth, alpha, beta, order, watch)
        finally:
            helpers.stop()
            more = sum(int(call.result()[1].counts[NODES]) for call in calls)
        if score == STOPPED:
            return None
        if score == OUT_OF_RANGE:
            raise out_of_range(self.game, space.out)
        self._rounded |= bool(space.counts[ROUNDED])
        line = tuple(int(m) for m in space.line.moves[0, : space.line.lengths[0]])
        return SearchedDepth(score, line, int(space.counts[NODES]) + more, int(space.counts[CUT_OFF]))

    def _run(
        self, k: int, position: ArrayPosition, depth: int, alpha: int, beta: int, order: list[int], watch: Budget
    ) -> tuple[int, Space]:
        """The search of thread k; only thread 0 tries moves in their own order."""
        space = self._space(k, depth)
        space.stack.states[0] = position.state
        history = space.memory.history
        history >>= 1  # old cut-offs fade
        space.counts[:] = 0
        task = Task(depth, alpha, beta, min(k, VARIANTS - 1))
        return int(self._search(self.game.g, np.array(order, np.int64), task, space, self.table, watch.flag)), space

    def _space(self, k: int, depth: int) -> Space:
        if not self._spaces:
            self._spaces = [new_space(self.game, 0) for _ in range(self.settings.threads)]
        if self._spaces[k].depth < depth:
            self._spaces[k] = new_space(self.game, depth)
        return self._spaces[k]

    def _ordered(self, position: ArrayPosition) -> list[int]:
        """The root's moves, promising ones first."""
        game, s, p = self.game, position.state, position.turn
        order = position.move_numbers()
        if self.ordered:
            order.sort(key=lambda m: -int(game.run("order", game.g, s, p, m)))
        return order

    def value_of(
        self,
        position: ArrayPosition,
        depth: int,
        guess: int = 0,
        root_moves: Sequence[int] | None = None,
        watch: Budget | None = None,
    ) -> SearchedDepth | None:
        """The score of a depth by the driver of the settings, which begins from a guess; None if stopped."""
        order = list(self._ordered(position) if root_moves is None else root_moves)
        watch, nodes, cut = watch or Budget(), 0, 0

        def window(alpha: int, beta: int) -> SearchedDepth | None:
            nonlocal nodes, cut
            found = self.search(position, depth, alpha, beta, order, watch)
            if found is not None:
                nodes, cut = nodes + found.nodes, cut + found.cut_off
            return found

        driver = {"full": _full, "aspiration": _aspiration, "mtdf": _mtdf}[self.settings.driver]
        found = driver(window, guess, int(self.game.payoff_range[1] * units(self.game)))
        return found and replace(found, nodes=nodes, cut_off=cut)

    # -- solving

    def solve(self, position: Position, watch: Budget | None = None, progress: Progress | None = None) -> Solution:
        """The exact value, the length of best play, and all moves that keep both."""
        position = check_suits("solve", position)
        watch = watch or Budget()
        game = self.game
        if position.over:
            seat = position.value_seat()
            return Solution(position.payoff[seat], seat, moves_to_end=0, nodes=0, seconds=watch.elapsed)
        if game.max_length is None:
            raise StratagemError(
                f"a game of {game.name} may go on for ever, so it cannot be solved; use analyse --depth"
            )
        if self.settings.safe and self.settings.table_bits and self.settings.distances and can_solve(game):
            return self._solve_well(position, watch, progress)
        order = self._ordered(position)
        score, nodes = self._exact(position, order, watch)
        keep = []
        length = verdict(game, score).moves_to_end
        for m in order:
            # a win or loss in n plies is distinguished from a slower one within n plies
            found = self._must(position, score - 1, score, [m], watch, length)
            nodes += found.nodes
            if found.score >= score:
                keep.append(game.move_text(position.state, position.turn, m))
        if length is None and score == 0 and draws_fill(game):
            length = int(game.run("left", game.g, position.state))
        within = 0.5 / units(game) if self._rounded and verdict(game, score).moves_to_end is None else None
        return Solution(
            verdict(game, score).value,
            position.turn,
            tuple(sorted(keep)),
            length,
            within=within,
            nodes=nodes,
            seconds=watch.elapsed,
        )

    def _solve_well(self, position: ArrayPosition, watch: Budget, progress: Progress | None) -> Solution:
        """By the solver that knows which moves are safe."""
        if self._solver is None:
            use = self.settings
            bits = max(use.table_bits, SMALLEST)
            own = SolverSettings(
                table_bits=bits, two_tier=True, ordered=use.ordered, threads=use.threads, target=use.target
            )
            self._solver = Solver(self.game, own)
        game = self.game
        found = self._solver.solve(position, watch, progress)
        low, high = game.payoff_range
        value = high if found.score > 0 else low if found.score < 0 else (low + high) / 2
        texts = sorted(game.move_text(position.state, position.turn, m) for m in found.best)
        return Solution(value, position.turn, tuple(texts), found.plies, nodes=found.nodes, seconds=watch.elapsed)

    def _must(
        self,
        position: ArrayPosition,
        alpha: int,
        beta: int,
        order: Sequence[int],
        watch: Budget,
        depth: int | None = None,
    ) -> SearchedDepth:
        found = self.search(position, depth or self.game.max_length or 0, alpha, beta, order, watch)
        if found is None:
            raise KeyboardInterrupt if watch.interrupted else StratagemError("the solution was stopped by the clock")
        return found

    def _exact(self, position: ArrayPosition, order: Sequence[int], watch: Budget) -> tuple[int, int]:
        """The exact score by null windows: the sign first, then the length of the win or loss.

        Lengths are probed from the far end inwards by halving, leaning to the longer ones, as iterative deepening on
        the length of the win would.
        """
        nodes = 0

        def at_least(x: int, depth: int | None = None) -> bool:
            nonlocal nodes
            found = self._must(position, x - 1, x, order, watch, depth)
            nodes += found.nodes
            return found.score >= x

        longest = self.game.max_length or 0
        for depth in range(2, longest, 2):  # short wins and losses show at little cost
            shallow = self.search(position, depth, root_moves=order, watch=watch)
            if shallow is None:
                break
            nodes += shallow.nodes
            distance = verdict(self.game, shallow.score).moves_to_end
            if distance is not None and distance <= depth:
                return shallow.score, nodes
            if shallow.nodes > SHALLOW_NODES:
                break
        positive = at_least(1)
        if not positive and at_least(0):
            return 0, nodes
        if positive and not at_least(WIN - longest):
            found = self._must(position, 0, DECIDED, order, watch)  # a payoff between a draw and a win
            return found.score, nodes + found.nodes
        if not positive and at_least(longest - WIN + 1):
            found = self._must(position, -DECIDED, 0, order, watch)
            return found.score, nodes + found.nodes
        # decided: the plies q to the end lie in low .. high
        low, high = 1, longest
        while low < high:
            middle = max((low + high) // 2, high - max((high - low) // 2, 1))
            shorter = at_least(WIN - middle, middle) if positive else not at_least(middle - WIN + 1, middle)
            if shorter:
                high = middle
            else:
                low = middle + 1
        return (WIN - low if positive else low - WIN), nodes

    # -- analysing

    def analyse(
        self,
        position: Position,
        clock: Clock,
        *,
        depth: int | None = None,
        lines: int = 1,
        report: Report | None = None,
    ) -> Choice:
        """Iterative deepening; returns the last finished depth. With any clock, also zero, depth 1 is finished.

        A value is None where nothing is known: the game has no estimate, and the search did not see all games to their end.
        """
        position = check_suits("alphabeta", position)
        refuse_over(position)
        check_depth(depth)
        check_lines(lines)
        warming = Budget()
        self.search(position, 1, watch=warming)  # compiles or loads before the clock starts
        watch = Budget(clock.seconds)
        watch.interrupted = warming.interrupted
        deepest = self._deepest(position, depth)
        order = self._ordered(position)
        choice: Choice | None = None
        nodes = 0
        guesses = [0, 0]
        for d in range(1, deepest + 1):
            clocked = watch if d > 1 else Budget(None)
            found = self._best_lines(position, d, order, lines, guesses[d % 2], clocked)
            if found is None:
                break
            nodes += sum(line.nodes for line in found)
            order = [line.moves[0] for line in found] + [m for m in order if m not in {x.moves[0] for x in found}]
            guesses[d % 2] = found[0].score  # values swing with the side that moves last
            choice = self._report(position, found, d, nodes, watch)
            if report:
                report(choice)
            top = found[0]
            distance = verdict(self.game, top.score).moves_to_end
            if clocked.interrupted:
                watch.interrupted = True
            if watch.interrupted or (clock.seconds is not None and watch.elapsed >= clock.seconds):
                break
            if len(order) == 1 and depth is None and clock.seconds is not None:
                break
            if distance is not None and d >= distance and lines == 1:
                break
        assert choice is not None
        return replace(choice, seconds=watch.elapsed, finished=not watch.interrupted)

    def _deepest(self, position: ArrayPosition, depth: int | None) -> int:
        longest = self.game.max_length or DEEPEST
        if self.game.gives("left"):
            longest = min(longest, int(self.game.run("left", self.game.g, position.state)))
        return min(depth or longest, longest, DEEPEST)

    def _best_lines(
        self, position: ArrayPosition, depth: int, order: Sequence[int], lines: int, guess: int, watch: Budget
    ) -> list[SearchedDepth] | None:
        """The best `lines` moves with their variations: each search leaves out the moves found before."""
        found: list[SearchedDepth] = []
        rest = list(order)
        while rest and len(found) < lines:
            one = self.value_of(position, depth, guess, rest, watch)
            if one is None:
                return None
            found.append(one)
            rest.remove(one.moves[0])
        return found

    def _report(
        self, position: ArrayPosition, found: list[SearchedDepth], depth: int, nodes: int, watch: Budget
    ) -> Choice:
        lines = []
        for one in found:
            result = verdict(self.game, one.score)
            known = self.judges or result.moves_to_end is not None or depth >= self._deepest(position, None)
            texts = position.line(one.moves)
            lines.append(Line(texts, result.value if known else None, moves_to_end=result.moves_to_end))
        return Choice(
            lines[0].moves[0],
            lines[0].value,
            tuple(lines),
            seat=position.turn,
            depth=depth,
            nodes=nodes,
            seconds=watch.elapsed,
            engine="alphabeta",
        )


# ------------------------------------------------------------------------------------------- windows of the root

Window = Callable[[int, int], SearchedDepth | None]


def _full(window: Window, guess: int, top: int) -> SearchedDepth | None:
    return window(-INFINITY, INFINITY)


def _aspiration(window: Window, guess: int, top: int) -> SearchedDepth | None:
    """A window around the guess; the side that fails is widened, four times as far each time, then wholly."""
    below = above = max(top // ASPIRATION, 1)
    while True:
        alpha = guess - below if below < top else -INFINITY
        beta = guess + above if above < top else INFINITY
        found = window(max(alpha, -INFINITY), min(beta, INFINITY))
        if found is None or alpha < found.score < beta:
            return found
        if found.score <= alpha:
            below *= 4
        else:
            above *= 4


def _mtdf(window: Window, guess: int, top: int) -> SearchedDepth | None:
    """Null windows alone (Plaat 1995), from the guess; the last one, one wider, brings the variation out of the table."""
    low, high = -INFINITY, INFINITY
    g = min(max(guess, -WIN), WIN)
    while low < high:
        beta = max(g, low + 1)
        found = window(beta - 1, beta)
        if found is None:
            return None
        g = found.score
        if g < beta:
            high = g
        else:
            low = g
    last = window(g - 1, g + 1)
    # a deeper entry may have moved the value: then there is no variation, and the whole window finds one
    return last if last is None or last.moves else window(-INFINITY, INFINITY)
