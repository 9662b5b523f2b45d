"""The solver: exact values of games where a win ends the game and moves alternate, such as connect four.

Null-window search to the end of the game, for games that give the kernels `safe`, `left` and an exact `key`. Every node
looks only at moves after which the opponent cannot win at once, so that lines of play are cut three and four plies
before their end; a transposition table of one word an entry keeps bounds; and the value is closed in by null windows that
lean to long games, which is iterative deepening on the length of the win. Use it to know the truth; where a game does
not give these kernels, `AlphaBeta.solve` does the same with the plain ones.

A score is for the player to move: top - d for a win in d plies, d - top for a loss, 0 for a draw, with top one more
than the plies left at the root. So scores are small and without gaps, and all windows are worth a probe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound, specialise
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.errors import OptionError, StratagemError, UnsuitableSearch
from stratagem.hints import prefetch, row
from stratagem.kernel import OVER, SIZE, Ground, Moves, State, Unbound, key, left, order, play, safe, turn
from stratagem.search.alphabeta.negamax import insert, log2, unpack
from stratagem.search.alphabeta.score import check_game
from stratagem.search.budget import Budget, StopFlag

Words = NDArray[np.int64]

CHECK_EVERY = 4096  # nodes between two looks at the stop flag
SMALLEST, LARGEST = 16, 32  # log2 of the table's entries; with 16 or more, tag and index together are the whole key

# An entry is one word: the key's hash above the lowest sixteen bits (the index is its top bits, so no two keys look
# alike), then work << 10 | (value + BIAS) << 1 | whether the value is a lower bound. Values are counted from the node:
# BIAS - d for a win in d plies.
HASH = -7046029254386353131
BIAS = 255
PAYLOAD = (1 << 16) - 1
LONGEST = BIAS - 5  # plies of a game whose values fit

# what the solver reports: nodes, the index of the position at work, and the bounds of its score
NODES, AT, LOW_BOUND, HIGH_BOUND = 0, 1, 2, 3

# columns of a frame
BEST, INDEX, COUNT, HASHED, BEFORE = 0, 1, 2, 3, 4
FRAME = 5
STOPPED = 1
DONE = 0

# bound for each game
USE_ORDER: bool = cast(Any, Unbound("USE_ORDER"))
TWO_TIER: bool = cast(Any, Unbound("TWO_TIER"))
safe_still = safe  # the safe moves of a mover who cannot win at once


def sort_safe(g: Ground, s: State, p: int, out: Moves, n: int) -> None:
    """By the order kernel; ties keep their order."""
    for i in range(n):
        insert(out, i, order(g, s, p, out[i]))
    unpack(out, n)


def probe(
    g: Ground, gamma: int, top: int, variant: int, states: Words, frames: Words, lists: Words, table: Words,
    shift: int, stats: Words, stop: StopFlag,
) -> int:  # fmt: skip
    """A bound of the score of states[0], whose mover cannot win at once: at least gamma, or an upper bound below it."""
    mask = table.shape[0] - 1
    nodes = stats[NODES]
    ply = 0
    p = turn(g, states[0])
    h = key(g, states[0]) * HASH
    slot = (h >> shift) & mask
    best = 0
    index = 0
    n = 0
    while True:
        # enter the node in states[ply]; its mover p cannot win at once
        nodes += 1
        if nodes % CHECK_EVERY == 0:
            stats[NODES] = nodes
            if stop[0] != 0:
                return 0
        s = row(states, ply)
        moves_here = row(lists, ply)
        n = safe_still(g, s, p, moves_here)
        plies_left = left(g, s)
        v = 0
        known = True
        if n <= 0:
            v = ply + 2 - top
        elif plies_left > 2:
            # no win before three plies, no loss before four
            highest = top - ply - 3
            lowest = ply + 4 - top if plies_left > 3 else 0
            if lowest >= gamma:
                v = lowest
            elif highest < gamma:
                v = highest
            else:
                known = False
                entry = table[slot]
                if TWO_TIER and (entry ^ (h << 16)) & ~PAYLOAD != 0:
                    entry = table[slot ^ 1]
                if (entry ^ (h << 16)) & ~PAYLOAD == 0 and entry & PAYLOAD != 0:
                    v = ((entry >> 1) & 511) - BIAS
                    if v > 0:
                        v += top - BIAS - ply
                    elif v < 0:
                        v += BIAS - top + ply
                    known = (entry & 1 == 1 and v >= gamma) or (entry & 1 == 0 and v < gamma)
        if not known:
            if USE_ORDER:
                sort_safe(g, s, p, moves_here, n)
            if variant > 0 and n > 1 and (h >> 40) % 4 < variant:
                moves_here[0], moves_here[1] = moves_here[1], moves_here[0]
            best = -top
            index = 0
            frames[ply, COUNT] = n
            frames[ply, HASHED] = h
            frames[ply, BEFORE] = nodes
        else:
            # give the value to the parent, and on upwards through all nodes that it finishes
            while True:
                if ply == 0:
                    stats[NODES] = nodes
                    return v
                ply -= 1
                p = 1 - p
                gamma = 1 - gamma
                v = -v
                best = max(frames[ply, BEST], v)
                index = frames[ply, INDEX]
                n = frames[ply, COUNT]
                if best < gamma and index < n:
                    break
                h = frames[ply, HASHED]
                v = best
                stored = best
                if stored > 0:
                    stored += BIAS - top + ply
                elif stored < 0:
                    stored += top - BIAS - ply
                entry = (h << 16) | ((stored + BIAS) << 1) | (1 if best >= gamma else 0)
                slot = (h >> shift) & mask
                if TWO_TIER:
                    # the entry that cost more stays; the other goes into the slot beside it
                    work = log2(nodes - frames[ply, BEFORE])
                    entry |= work << 10
                    old = table[slot]
                    if (old ^ entry) & ~PAYLOAD != 0 and (old >> 10) & 63 > work:
                        slot ^= 1
                table[slot] = entry
        # the next child
        m = lists[ply, index]
        frames[ply, BEST] = best
        frames[ply, INDEX] = index + 1
        s = row(states, ply)
        ply += 1
        child = row(states, ply)
        for i in range(SIZE):
            child[i] = s[i]
        play(g, child, p, m)
        p = 1 - p
        gamma = 1 - gamma
        h = key(g, child) * HASH
        slot = (h >> shift) & mask
        prefetch(table, slot)


def solve_template(
    g: Ground, starts: Words, bounds: Words, variant: int, states: Words, frames: Words, lists: Words, table: Words,
    shift: int, stats: Words, stop: StopFlag,
) -> int:  # fmt: skip
    """Close in the scores of all starts, none of them over, until bounds[k, 0] == bounds[k, 1].

    `variant` 0 is the solver itself; others try some moves in another order, for threads that share the table.
    """
    for k in range(starts.shape[0]):
        for i in range(SIZE):
            states[0, i] = starts[k, i]
        s = states[0]
        p = turn(g, s)
        top = left(g, s) + 1
        low = max(bounds[k, 0], 1 - top)
        high = min(bounds[k, 1], top - 1)
        n = safe(g, s, p, lists[0])
        if n < 0:
            low = top - 1
            high = top - 1
        stats[AT] = k
        stats[LOW_BOUND] = low
        stats[HIGH_BOUND] = high
        while low < high:
            # halve the interval, but first look at the longer games, which are cheap to refute
            middle = low + (high - low) // 2
            if middle <= 0 and low // 2 < middle:
                middle = -(-low // 2)
            elif middle >= 0 and high // 2 > middle:
                middle = high // 2
            v = probe(g, middle + 1, top, variant, states, frames, lists, table, shift, stats, stop)
            if stop[0] != 0:
                return STOPPED
            if v > middle:
                low = v
            else:
                high = v
            stats[LOW_BOUND] = low
            stats[HIGH_BOUND] = high
        bounds[k, 0] = low
        bounds[k, 1] = high
    return DONE


@dataclass(frozen=True)
class Solved:
    """The truth about a position."""

    score: int  # for the player to move; see the module
    plies: int  # until the end under best play; for a draw, until the board is full
    best: tuple[int, ...]  # the moves that keep both
    nodes: int


@dataclass(frozen=True)
class Known:
    """What is known while a solver works."""

    low: float  # bounds of the payoff
    high: float
    nodes: int
    seconds: float


Progress = Callable[[Known], None]


def can_solve(game: ArrayGame) -> bool:
    """Whether a game gives what the solver needs."""
    fits = game.max_length is not None and game.max_length <= LONGEST
    return fits and game.draws_fill and game.exact_key and game.gives("safe") and game.gives("left")


class Solver:
    """Exact scores of one game's positions. The table is kept between calls; one call at a time."""

    def __init__(
        self,
        game: ArrayGame,
        *,
        table_bits: int = 20,  # log2 of the table's entries, 8 bytes each
        two_tier: bool = False,  # entries that cost much stay, and others go beside them: pays where the table overflows
        ordered: bool = True,  # the game's order kernel
        threads: int = 1,  # that share the table; the first one answers
        target: str = "cpu",
    ) -> None:
        if not SMALLEST <= table_bits <= LARGEST:
            raise OptionError(
                f"a table of 2**{table_bits} entries cannot be made; table_bits goes from {SMALLEST} to {LARGEST}"
            )
        check_game("the solver", game)
        if not can_solve(game):
            raise UnsuitableSearch(f"the solver needs more than {game.name} gives; use alphabeta")
        self.game, self.table_bits, self.threads = game, table_bits, threads
        own = game.names["safe"]
        names = {
            **game.names, "USE_ORDER": ordered and game.gives("order"), "TWO_TIER": two_tier,
            "safe_still": Bound(own.function, {**own.names, "MAY_WIN": False}),
        }  # fmt: skip
        self._solve = specialise(solve_template, names, target=target, label=f"{game.name} solver")
        self.nodes = 0  # of the last call, all threads together
        self.clear()

    def clear(self) -> None:
        """Forget the table."""
        self.table = np.zeros(1 << self.table_bits, np.int64)

    def solve(self, position: ArrayPosition, watch: Budget | None = None, progress: Progress | None = None) -> Solved:
        """Value and length of best play, and all moves that keep both."""
        game, watch = self.game, watch or Budget()
        plies = int(game.run("left", game.g, position.state))
        score = self._closed([position.state], [[-plies, plies]], watch, progress)[0]
        nodes, best = self.nodes, []
        for m in position.move_numbers():
            after = position.state.copy()
            game.run("play", game.g, after, position.turn, m)
            if self._keeps(after, plies + 1, score, 1 - position.turn, watch, progress):
                best.append(m)
            nodes += self.nodes
        self.nodes = nodes
        return Solved(score, plies + 1 - abs(score) if score else plies, tuple(best), nodes)

    def _keeps(self, after: State, top: int, score: int, seat: int, watch: Budget, progress: Progress | None) -> bool:
        """Whether a move keeps the score: one null window on the position after it, whose scores have another top."""
        game = self.game
        self.nodes = 0
        if int(game.run("turn", game.g, after)) == OVER:
            out = np.zeros(game.players)
            game.run("payoff", game.g, after, out)
            return score == (1 - top if out[seat] >= game.payoff_range[1] else 0 if out[0] == out[1] else top - 1)
        below = int(game.run("left", game.g, after)) + 1
        distance = top - abs(score) - 1  # plies that the end is away from the position after the move
        wanted = 0 if score == 0 else (below - distance) * (1 if score > 0 else -1)
        # at least `wanted` for who moved: at most -wanted for the other side
        return self._closed([after], [[-wanted, 1 - wanted]], watch, progress)[0] <= -wanted

    def _closed(
        self, starts: Sequence[State], bounds: Sequence[Sequence[int]], watch: Budget, progress: Progress | None
    ) -> list[int]:
        closed = np.array(bounds, np.int64)
        self.close_in(np.array(starts), closed, watch, progress)
        return [int(x) for x in closed[:, 0]]

    def scores(self, positions: Sequence[ArrayPosition], watch: Budget | None = None) -> list[int]:
        """The scores of many positions, none of them over, in one compiled call."""
        states = [position.state for position in positions]
        return self._closed(states, [[-BIAS, BIAS]] * len(states), watch or Budget(), None)

    def close_in(self, starts: Words, bounds: Words, watch: Budget, progress: Progress | None = None) -> None:
        """Search until the bounds [low, high] of the score of every start meet, in place."""
        stats = np.zeros((self.threads, 4), np.int64)
        stats[0, LOW_BOUND], stats[0, HIGH_BOUND] = bounds[0]  # what is known before the first window
        helpers, calls = Budget(), []
        if progress is not None:
            watch.tick = lambda: progress(self._known(stats, watch))
        for k in range(1, self.threads):
            calls.append(helpers.start(self._run, starts, bounds.copy(), k, stats[k], helpers))
        try:
            stopped = watch.run(self._run, starts, bounds, 0, stats[0], watch)
        finally:
            helpers.stop()
            for call in calls:
                call.result()
            watch.tick = None
        self.nodes = int(stats[:, NODES].sum())
        if stopped:
            raise KeyboardInterrupt if watch.interrupted else StratagemError("the solution was stopped by the clock")

    def _run(self, starts: Words, bounds: Words, variant: int, stats: Words, watch: Budget) -> int:
        game = self.game
        plies = (game.max_length or 0) + 2
        result: int = self._solve(
            game.g, starts, bounds, min(variant, 3), np.zeros((plies, game.size + game.scratch), np.int64),
            np.zeros((plies, FRAME), np.int64), np.zeros((plies, game.max_moves), np.int64), self.table,
            64 - self.table_bits, stats, watch.flag,
        )  # fmt: skip
        return result

    def _known(self, stats: Words, watch: Budget) -> Known:
        low, high = self.game.payoff_range
        middle = (low + high) / 2
        at_least, at_most = int(stats[0, LOW_BOUND]), int(stats[0, HIGH_BOUND])
        return Known(
            high if at_least > 0 else middle if at_least == 0 else low,
            low if at_most < 0 else middle if at_most == 0 else high,
            int(stats[:, NODES].sum()), watch.elapsed,
        )  # fmt: skip
