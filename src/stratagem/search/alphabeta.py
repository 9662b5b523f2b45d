"""Alpha-beta: exact depth-limited search for two players whose payoffs add up to nothing.

Fail-soft negamax (Knuth and Moore 1975) with a fixed-size transposition table that keeps depth, bound and best move, move
ordering by the table's move and the game's `order` kernel, and iterative deepening under a clock. Use it where moves are
few and a result matters; use MCTS where evaluation is hard, and expectimax where there is chance.

The template is one loop over an explicit stack: recursion costs 10 to 60 % in Numba and its cached callers can crash.
The running node lives in locals and is saved only on descent. What a call promises, with m the true value:
alpha < v < beta: v = m; v >= beta: m >= v; v <= alpha: m <= v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.errors import GameOver, OptionError, StratagemError
from stratagem.game import ArrayGame, ArrayPosition, Position
from stratagem.kernel import EXACT_KEY, OVER, SIZE, Ground, Moves, Payoffs, Unbound, key, moves, order, play, turn
from stratagem.player import Choice, Clock, Line, Report
from stratagem.search.running import StopFlag, Stopwatch
from stratagem.search.score import (
    DECIDED,
    INFINITY,
    WIN,
    check_suits,
    heuristic_score,
    terminal_score,
    verdict,
)

Words = NDArray[np.int64]
Table = NDArray[np.int64]

CHECK_EVERY = 1024  # nodes between two looks at the stop flag
STOPPED = -(1 << 40)
SHALLOW_NODES = 50_000  # how far solving first looks for a short win
DEEPEST = 1023  # depths are stored in ten bits

# bound for each search
PRUNE: bool = cast(Any, Unbound("PRUNE"))  # False: plain minimax with a table
USE_TABLE: bool = cast(Any, Unbound("USE_TABLE"))
USE_ORDER: bool = cast(Any, Unbound("USE_ORDER"))
DEEPER: bool = cast(
    Any, Unbound("DEEPER")
)  # entries of greater depth are used too; False makes results those of no table

# bounds in the table
UPPER, LOWER, EXACT = 1, 2, 3

# An entry is two words: the key, and value << 32 | depth << 22 | bound << 20 | move + 1.
HASH = -7046029254386353131  # odd: the product is a bijection, and its top bits are the index
MOVE_BITS = 20

# columns of a frame
ALPHA_0, ALPHA, BETA, BEST, BEST_MOVE, INDEX, COUNT, MOVER, KEY = 0, 1, 2, 3, 4, 5, 6, 7, 8
FRAME = 9


def slot_of(h: int, mask: int, shift: int) -> int:
    return ((h * HASH) >> shift) & mask


def verified(cells: Table, slot: int, s: Words) -> bool:
    """Whether an entry belongs to this very state: asked only where keys are not exact."""
    for i in range(SIZE):
        if cells[slot, i] != s[i]:
            return False
    return True


def sort_moves(g: Ground, s: Words, p: int, out: Moves, n: int, first: int) -> None:
    """The table's move first, then by the order kernel; ties keep their order (insertion sort on packed words)."""
    for i in range(n):
        if USE_ORDER:
            rank = order(g, s, p, out[i]) + 1
        else:
            rank = 1
        if out[i] == first:
            rank = 1 << 16
        packed = (rank << 40) | out[i]
        j = i
        while j > 0 and (out[j - 1] >> 40) < rank:
            out[j] = out[j - 1]
            j -= 1
        out[j] = packed
    for i in range(n):
        out[i] &= (1 << 40) - 1


def alphabeta_template(
    g: Ground, root_moves: Moves, depth: int, alpha: int, beta: int, states: Words, frames: Words, lists: Words,
    table: Table, cells: Table, shift: int, pv: Words, pv_length: Words, out: Payoffs, stats: Words, stop: StopFlag,
) -> int:  # fmt: skip
    """The fail-soft score of states[0] over the root moves given, in the order given, for its mover."""
    mask = table.shape[0] - 1
    nodes = stats[0] + 1
    ply = 0
    mover = turn(g, states[0])
    n = root_moves.shape[0]
    for i in range(n):
        lists[0, i] = root_moves[i]
    alpha_0 = alpha
    best = -INFINITY
    best_move = -1
    index = 0
    h = 0
    pv_length[0] = 0
    while True:
        if index < n and (best < beta or not PRUNE):
            m = lists[ply, index]
            index += 1
            for i in range(SIZE):
                states[ply + 1, i] = states[ply, i]
            s = states[ply + 1]
            play(g, s, mover, m)
            nodes += 1
            if nodes % CHECK_EVERY == 0 and stop[0] != 0:
                stats[0] = nodes
                return STOPPED
            pv_length[ply + 1] = 0
            t = turn(g, s)
            if t == OVER:
                v = terminal_score(g, s, mover, ply + 1, out)
            elif ply + 1 == depth:
                v = heuristic_score(g, s, mover, out)
                stats[1] += 1
            else:
                # the child's window, for its own mover
                if t == mover:
                    child_alpha = alpha
                    child_beta = beta
                else:
                    child_alpha = -beta
                    child_beta = -alpha
                child_alpha_0 = child_alpha
                remaining = min(depth - ply - 1, DEEPEST)
                first = -1
                known = False
                v = 0
                child_h = 0
                if USE_TABLE:
                    child_h = key(g, s)
                    slot = slot_of(child_h, mask, shift)
                    data = table[slot, 1]
                    if data != 0 and table[slot, 0] == child_h and (EXACT_KEY or verified(cells, slot, s)):
                        first = (data & ((1 << MOVE_BITS) - 1)) - 1
                        stored = (data >> 22) & DEEPEST
                        if stored == remaining or (DEEPER and stored > remaining):
                            v = data >> 32
                            if v > DECIDED:
                                v -= ply + 1
                            elif v < -DECIDED:
                                v += ply + 1
                            bound = (data >> 20) & 3
                            if bound == EXACT or not PRUNE:
                                known = True
                            elif bound == LOWER:
                                child_alpha = max(child_alpha, v)
                            else:
                                child_beta = min(child_beta, v)
                            if child_alpha >= child_beta:
                                known = True
                if known:
                    if t != mover:
                        v = -v
                else:
                    f = frames[ply]
                    f[ALPHA_0] = alpha_0
                    f[ALPHA] = alpha
                    f[BETA] = beta
                    f[BEST] = best
                    f[BEST_MOVE] = best_move
                    f[INDEX] = index
                    f[COUNT] = n
                    f[MOVER] = mover
                    f[KEY] = h
                    ply += 1
                    n = moves(g, s, t, lists[ply])
                    if USE_ORDER or USE_TABLE:
                        sort_moves(g, s, t, lists[ply], n, first)
                    mover = t
                    alpha_0 = child_alpha_0
                    alpha = child_alpha
                    beta = child_beta
                    best = -INFINITY
                    best_move = first
                    index = 0
                    h = child_h
                    continue
        else:
            # this node is finished
            if ply == 0:
                stats[0] = nodes
                return best
            if USE_TABLE:
                slot = slot_of(h, mask, shift)
                remaining = min(depth - ply, DEEPEST)
                old = table[slot, 1]
                if old == 0 or table[slot, 0] == h or ((old >> 22) & DEEPEST) <= remaining or nodes & 3 == 0:
                    v = best
                    if v > DECIDED:
                        v += ply
                    elif v < -DECIDED:
                        v -= ply
                    bound = EXACT
                    if PRUNE:
                        if best >= beta:
                            bound = LOWER
                        elif best <= alpha_0:
                            bound = UPPER
                    kept = best_move + 1 if best_move < (1 << MOVE_BITS) - 1 else 0
                    table[slot, 0] = h
                    table[slot, 1] = (v << 32) | (remaining << 22) | (bound << 20) | kept
                    if not EXACT_KEY:
                        for i in range(SIZE):
                            cells[slot, i] = states[ply, i]
            v = best
            t = mover
            ply -= 1
            f = frames[ply]
            alpha_0 = f[ALPHA_0]
            alpha = f[ALPHA]
            beta = f[BETA]
            best = f[BEST]
            best_move = f[BEST_MOVE]
            index = f[INDEX]
            n = f[COUNT]
            mover = f[MOVER]
            h = f[KEY]
            m = lists[ply, index - 1]
            if t != mover:
                v = -v
        if v > best:
            best = v
            if v > alpha_0:  # a value that fails low names no reliable move
                best_move = m
            if v > alpha:
                alpha = v
                pv[ply, 0] = m
                for i in range(pv_length[ply + 1]):
                    pv[ply, i + 1] = pv[ply + 1, i]
                pv_length[ply] = pv_length[ply + 1] + 1


@dataclass(frozen=True)
class Found:
    """A finished search of one depth."""

    score: int  # for the mover; fail-soft, so outside the window it is a bound
    moves: tuple[int, ...]  # the principal variation
    nodes: int
    cut_off: int  # leaves judged by the heuristic


@dataclass(frozen=True)
class Solution:
    """The exact value of a position under best play, for the player to move."""

    value: float
    moves_to_end: int | None  # plies; None where the result is neither a win nor a loss and lengths may differ
    best: tuple[str, ...]  # all moves that keep both, sorted
    nodes: int
    seconds: float


class AlphaBeta:
    """Alpha-beta for one game. Workspace and table are kept between calls; not to be shared between threads."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        table_bits: int = 20,  # log2 of the table's entries; 0: no table
        prune: bool = True,  # False: minimax with a table
        ordered: bool = True,  # use the game's order kernel
        deeper: bool = True,  # False: only entries of the same depth, so that results equal those of no table
        distances: bool = True,  # wins carry their distance
        evaluate: Any = None,  # a kernel value(g, s, out), in place of the game's
        target: str = "cpu",
    ) -> None:
        if not 0 <= table_bits <= 30:
            raise OptionError(f"a table of 2**{table_bits} entries cannot be made; table_bits goes from 0 to 30")
        self.game = game
        names = {
            **game.names, "DISTANCES": distances, "HAS_VALUE": game.gives("value") or evaluate is not None,
            "PRUNE": prune, "USE_TABLE": table_bits > 0, "USE_ORDER": ordered and game.gives("order"), "DEEPER": deeper,
        }  # fmt: skip
        if evaluate is not None:
            names["value"] = evaluate
        self._search = specialise(alphabeta_template, names, target=target, label=f"{game.name} alpha-beta")
        self.ordered = ordered and game.gives("order")
        self.table_bits = table_bits
        self._plies = 0
        self.clear()

    def clear(self) -> None:
        """Forget the table."""
        entries = 1 << self.table_bits
        self.table = np.zeros((entries, 2), np.int64)
        exact = self.game.exact_key or self.table_bits == 0
        self.cells = np.zeros((1 if exact else entries, self.game.size), np.int64)

    def _workspace(self, depth: int) -> None:
        if depth <= self._plies:
            return
        game, plies = self.game, depth + 2
        self._plies = depth
        self._states = np.zeros((plies, game.size + game.scratch), np.int64)
        self._frames = np.zeros((plies, FRAME), np.int64)
        self._lists = np.zeros((plies, game.max_moves), np.int64)
        self._pv = np.zeros((plies, plies), np.int64)
        self._pv_length = np.zeros(plies, np.int64)
        self._out = np.zeros(game.players)

    def search(
        self, position: ArrayPosition, depth: int, alpha: int = -INFINITY, beta: int = INFINITY,
        root_moves: Sequence[int] | None = None, watch: Stopwatch | None = None,
    ) -> Found | None:  # fmt: skip
        """One search to a fixed depth; None if the watch stopped it."""
        position = check_suits("alphabeta", position)
        if depth < 1:
            raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")
        if position.over:
            raise GameOver(f"the game is over in {str(position)!r}: there is no move to search for")
        if self.game.max_length is not None:
            depth = min(depth, self.game.max_length)
        self._workspace(depth)
        self._states[0] = position.state
        order = np.array(self._ordered(position) if root_moves is None else root_moves, np.int64)
        stats = np.zeros(2, np.int64)
        watch = watch or Stopwatch()
        score = watch.run(
            self._search, self.game.g, order, depth, alpha, beta, self._states, self._frames, self._lists, self.table,
            self.cells, 64 - max(self.table_bits, 1), self._pv, self._pv_length, self._out, stats, watch.flag,
        )  # fmt: skip
        if score == STOPPED:
            return None
        line = tuple(int(m) for m in self._pv[0, : self._pv_length[0]])
        return Found(int(score), line, int(stats[0]), int(stats[1]))

    def _ordered(self, position: ArrayPosition) -> list[int]:
        """The root's moves, promising ones first."""
        game, s, p = self.game, position.state, position.turn
        order = position.move_numbers()
        if self.ordered:
            order.sort(key=lambda m: -int(game.run("order", game.g, s, p, m)))
        return order

    # -- solving

    def solve(self, position: Position, watch: Stopwatch | None = None) -> Solution:
        """The exact value, the length of best play, and all moves that keep both."""
        position = check_suits("solve", position)
        watch = watch or Stopwatch()
        game = self.game
        if position.over:
            value = position.payoff[position.value_seat()]
            return Solution(value, 0, (), 0, watch.elapsed)
        if game.max_length is None:
            raise StratagemError(
                f"a game of {game.name} may go on for ever, so it cannot be solved; use analyse --depth"
            )
        order = self._ordered(position)
        score, nodes = self._exact(position, order, watch)
        keep = []
        length = verdict(game, score).moves_to_end
        for m in order:
            # a win or loss in n plies is told from a slower one within n plies
            found = self._must(position, score - 1, score, [m], watch, length)
            nodes += found.nodes
            if found.score >= score:
                keep.append(game.move_text(position.state, position.turn, m))
        if length is None:
            length = self._draw_length(position)
        return Solution(verdict(game, score).value, length, tuple(sorted(keep)), nodes, watch.elapsed)

    def _draw_length(self, position: ArrayPosition) -> int | None:
        """Plies left where that does not depend on the moves (a board that must fill up)."""
        if not self.game.gives("left"):
            return None
        return int(self.game.run("left", self.game.g, position.state))

    def _must(
        self,
        position: ArrayPosition,
        alpha: int,
        beta: int,
        order: Sequence[int],
        watch: Stopwatch,
        depth: int | None = None,
    ) -> Found:
        found = self.search(position, depth or self.game.max_length or 0, alpha, beta, order, watch)
        if found is None:
            raise KeyboardInterrupt if watch.interrupted else StratagemError("the solution was stopped by the clock")
        return found

    def _exact(self, position: ArrayPosition, order: Sequence[int], watch: Stopwatch) -> tuple[int, int]:
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
        """Iterative deepening; returns the last finished depth. With any clock, also zero, depth 1 is finished."""
        position = check_suits("alphabeta", position)
        if position.over:
            raise GameOver(
                f"the game is over in {str(position)!r} ({self.game.outcome(position)}): there is no move to choose"
            )
        if depth is not None and depth < 1:
            raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")
        if lines < 1:
            raise OptionError(f"{lines} lines show nothing; give 1 or more")
        warming = Stopwatch()
        self.search(position, 1, watch=warming)  # compiles or loads before the clock starts
        watch = Stopwatch(clock.seconds)
        watch.interrupted = warming.interrupted
        deepest = self._deepest(position, depth)
        order = self._ordered(position)
        choice: Choice | None = None
        nodes = 0
        for d in range(1, deepest + 1):
            clocked = watch if d > 1 else Stopwatch(None)
            found = self._best_lines(position, d, order, lines, clocked)
            if found is None:
                break
            nodes += sum(line.nodes for line in found)
            order = [line.moves[0] for line in found] + [m for m in order if m not in {x.moves[0] for x in found}]
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
            # the next depth costs a few times this one: do not begin what cannot be finished
            if clock.seconds is not None and watch.elapsed > 0.6 * clock.seconds:
                break
        assert choice is not None
        return replace(choice, seconds=watch.elapsed, finished=not watch.interrupted)

    def _deepest(self, position: ArrayPosition, depth: int | None) -> int:
        longest = self.game.max_length or DEEPEST
        if self.game.gives("left"):
            longest = min(longest, int(self.game.run("left", self.game.g, position.state)))
        return min(depth or longest, longest, DEEPEST)

    def _best_lines(
        self, position: ArrayPosition, depth: int, order: Sequence[int], lines: int, watch: Stopwatch
    ) -> list[Found] | None:
        """The best `lines` moves with their variations: each search leaves out the moves found before."""
        found: list[Found] = []
        rest = list(order)
        while rest and len(found) < lines:
            one = self.search(position, depth, root_moves=rest, watch=watch)
            if one is None:
                return None
            found.append(one)
            rest.remove(one.moves[0])
        return found

    def _report(self, position: ArrayPosition, found: list[Found], depth: int, nodes: int, watch: Stopwatch) -> Choice:
        lines = []
        for one in found:
            result = verdict(self.game, one.score)
            texts = self._texts(position, one.moves)
            lines.append(Line(texts, result.value, moves_to_end=result.moves_to_end))
        return Choice(
            lines[0].moves[0], lines[0].value, tuple(lines), depth=depth, nodes=nodes, seconds=watch.elapsed,
            engine="alphabeta",
        )  # fmt: skip

    def _texts(self, position: ArrayPosition, numbers: Sequence[int]) -> tuple[str, ...]:
        game, s = self.game, position.state.copy()
        texts = []
        for m in numbers:
            p = int(game.run("turn", game.g, s))
            texts.append(game.move_text(s, p, m))
            game.run("play", game.g, s, p, m)
        return tuple(texts)
