"""The solver: exact values of games where a win ends the game and moves alternate, such as connect four.

Null-window search to the end of the game, for games that give the kernels `safe`, `left` and an exact `key`. Every node looks
only at moves after which the opponent cannot win at once, so lines of play are cut three and four plies before their end, and
five where the game gives `rank`. A transposition table of one word an entry keeps bounds. Null windows close in on the value;
the first asks whether the mover wins at all. Use it to know the exact value. Where a game does not give these kernels,
`AlphaBeta.solve` does the same with the plain ones.

A score is for the player to move: top - d for a win in d plies, d - top for a loss, 0 for a draw, with top one more than the
plies left at the root. So scores are small and without gaps, and all windows are worth a probe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stratagem.compile import Bound, specialise
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.errors import OptionError, StratagemError, UnsuitableSearch
from stratagem.hints import prefetch, row
from stratagem.kernel import OVER, SIZE, Ground, Moves, State, key, left, order, rank, safe, turn
from stratagem.search.alphabeta.ordering import insert, log2, unpack
from stratagem.search.alphabeta.score import check_game
from stratagem.search.alphabeta.table import HASH, VARIANTS, drawn
from stratagem.search.alphabeta.traits import draws_fill
from stratagem.search.budget import Budget, StopFlag, check_threads
from stratagem.search.settings import settings_of
from stratagem.search.stack import Stack, Words, new_stack, play_below

CHECK_EVERY = 4096  # nodes between two looks at the stop flag
SMALLEST, LARGEST = 16, 32  # log2 of the table's entries; with 16 or more, tag and index together are the whole key

# An entry is one word: the hash of a key above the payload (the slot is the hash's top bits, so no two keys look alike). The
# payload is, from the lowest bit: whether the value is a lower bound, the value + BIAS, and the work it took, as log2 of its
# nodes. Values are counted from the node: BIAS - d for a win in d plies.
TAG_AT, WORK_AT, VALUE_AT = 16, 10, 1
PAYLOAD, VALUES, IS_LOWER = (1 << TAG_AT) - 1, (1 << WORK_AT - VALUE_AT) - 1, 1
MOST_WORK = (1 << TAG_AT - WORK_AT) - 1
BIAS = 255
LONGEST = BIAS - 5  # plies of a game whose values fit

# what the solver reports: nodes, the index of the position at work, and the bounds of its score
NODES, AT, LOW_BOUND, HIGH_BOUND = 0, 1, 2, 3

# columns of a frame
BEST, INDEX, COUNT, HASHED, BEFORE = 0, 1, 2, 3, 4
FRAME = 5
STOPPED = 1
DONE = 0

safe_still = safe  # the safe moves of a mover who cannot win at once


class BoundTable(NamedTuple):
    """Bounds by the top bits of the hashed key."""

    entries: Words  # [slots]
    shift: int  # from a hash down to its slot


def sort_safe(g: Ground, s: State, p: int, out: Moves, n: int, plies_left: int, gamma: int) -> tuple[bool, int]:
    """Sort by the order kernel; ties keep their order. The value of the node stays unknown, unlike in `rank_safe`."""
    for i in range(n):
        insert(out, i, order(g, s, p, out[i]))
    unpack(out, n)
    return False, 0


def rank_safe(g: Ground, s: State, p: int, out: Moves, n: int, plies_left: int, gamma: int) -> tuple[bool, int]:
    """Sort by the rank kernel. A move may win in three plies; else none does before five. The same pair as `judge`."""
    if rank(g, s, p, out, n):
        return True, plies_left - 2
    highest = max(plies_left - 4, 0)
    return highest < gamma, highest


def keep_safe(g: Ground, s: State, p: int, out: Moves, n: int, plies_left: int, gamma: int) -> tuple[bool, int]:
    """Leave the moves as the game lists them."""
    return False, 0


# ------------------------------------------------------------------------------------------------------------- the table


def slot_of(table: BoundTable, h: int) -> int:
    return (h >> table.shift) & (table.entries.shape[0] - 1)


def same_key(entry: int, h: int) -> bool:
    return (entry ^ (h << TAG_AT)) & ~PAYLOAD == 0


def find(table: BoundTable, h: int) -> int:
    """The payload of a hash, or 0."""
    entry = table.entries[slot_of(table, h)]
    return entry & PAYLOAD if same_key(entry, h) else 0


def find_either(table: BoundTable, h: int) -> int:
    """The same where an entry may be in the slot beside its own."""
    entry = table.entries[slot_of(table, h)]
    if not same_key(entry, h):
        entry = table.entries[slot_of(table, h) ^ 1]
    return entry & PAYLOAD if same_key(entry, h) else 0


def keep(table: BoundTable, h: int, payload: int, nodes: int) -> None:
    """The newest entry displaces what was there."""
    table.entries[slot_of(table, h)] = (h << TAG_AT) | payload


def keep_costly(table: BoundTable, h: int, payload: int, nodes: int) -> None:
    """The entry that cost more nodes stays; the other goes into the slot beside it."""
    work = log2(nodes)
    slot = slot_of(table, h)
    old = table.entries[slot]
    if not same_key(old, h) and (old >> WORK_AT) & MOST_WORK > work:
        slot ^= 1
    table.entries[slot] = (h << TAG_AT) | (work << WORK_AT) | payload


def packed(v: int, is_lower: bool, ply: int, top: int) -> int:
    """A bound of the score of a node at a ply, as a payload without its work."""
    if v > 0:
        v += BIAS - top + ply
    elif v < 0:
        v += top - BIAS - ply
    return ((v + BIAS) << VALUE_AT) | (IS_LOWER if is_lower else 0)


def value_in(payload: int, ply: int, top: int) -> int:
    """The bound again, seen from the root."""
    v = ((payload >> VALUE_AT) & VALUES) - BIAS
    if v > 0:
        v += top - BIAS - ply
    elif v < 0:
        v += BIAS - top + ply
    return v


# ------------------------------------------------------------------------------------------------------------ the search


def judge(g: Ground, s: State, n: int, ply: int, gamma: int, top: int) -> tuple[bool, int]:
    """Whether a node with n safe moves need not be searched, and then a value that answers for gamma."""
    if n <= 0:
        return True, ply + 2 - top
    plies_left = left(g, s)
    if plies_left <= 2:
        return True, 0
    # no win before three plies, no loss before four
    highest = top - ply - 3
    lowest = ply + 4 - top if plies_left > 3 else 0
    if lowest >= gamma:
        return True, lowest
    if highest < gamma:
        return True, highest
    return False, 0


def look_up(table: BoundTable, h: int, ply: int, gamma: int, top: int) -> tuple[bool, int]:
    """The same by the table, which the hint has had time to fetch while the moves were sorted."""
    payload = find(table, h)
    if payload == 0:
        return False, 0
    v = value_in(payload, ply, top)
    if payload & IS_LOWER:
        return v >= gamma, v
    return v < gamma, v


def probe(
    g: Ground, gamma: int, top: int, variant: int, stack: Stack, table: BoundTable, stats: Words, stop: StopFlag
) -> int:
    """A bound of the score of the state at ply 0, whose mover cannot win at once: at least gamma, or an upper bound below it."""
    states, frames, lists = stack
    nodes = stats[NODES]
    ply = 0
    p = turn(g, row(states, 0))
    h = key(g, row(states, 0)) * HASH
    best = 0
    index = 0
    while True:
        # enter the node at this ply; its mover p cannot win at once
        nodes += 1
        if nodes % CHECK_EVERY == 0:
            stats[NODES] = nodes
            if stop[0] != 0:
                return 0
        s = row(states, ply)
        here = row(lists, ply)
        n = safe_still(g, s, p, here)
        known, v = judge(g, s, n, ply, gamma, top)
        if not known:
            known, v = sort_safe(g, s, p, here, n, top - ply - 1, gamma)
        if not known and n > 1:
            known, v = look_up(table, h, ply, gamma, top)
        if known:
            # give the value to the parent, and on upwards through all nodes that it finishes
            while True:
                if ply == 0:
                    stats[NODES] = nodes
                    return v
                ply -= 1
                p = 1 - p
                gamma = 1 - gamma
                best = max(frames[ply, BEST], -v)
                index = frames[ply, INDEX]
                if best < gamma and index < frames[ply, COUNT]:
                    break
                v = best
                if frames[ply, COUNT] > 1:  # an only move is as cheap to play as its entry is to find
                    payload = packed(best, best >= gamma, ply, top)
                    keep(table, frames[ply, HASHED], payload, nodes - frames[ply, BEFORE])
        else:
            if n > 1 and drawn(h, variant):
                here[0], here[1] = here[1], here[0]
            best = -top
            index = 0
            frames[ply, COUNT] = n
            frames[ply, HASHED] = h
            frames[ply, BEFORE] = nodes
        # the next child
        frames[ply, BEST] = best
        frames[ply, INDEX] = index + 1
        play_below(g, states, ply, p, lists[ply, index])
        ply += 1
        p = 1 - p
        gamma = 1 - gamma
        h = key(g, row(states, ply)) * HASH
        prefetch(table.entries, slot_of(table, h))


def next_question(low: int, high: int) -> int:
    """Where to split the interval of a score: first whether the mover can win at all, then in the middle."""
    return 0 if low < 0 < high else low + (high - low) // 2


def solve_template(
    g: Ground, starts: Words, bounds: Words, variant: int, stack: Stack, table: BoundTable, stats: Words, stop: StopFlag
) -> int:
    """Close in the scores of all starts, none of them over, until bounds[k, 0] == bounds[k, 1].

    `variant` 0 is the solver itself; others try some moves in another order, for threads that share the table.
    """
    s = row(stack.states, 0)
    for k in range(starts.shape[0]):
        for i in range(SIZE):
            s[i] = starts[k, i]
        top = left(g, s) + 1
        low = max(bounds[k, 0], 1 - top)
        high = min(bounds[k, 1], top - 1)
        if safe(g, s, turn(g, s), row(stack.lists, 0)) < 0:  # a win at once
            low = top - 1
            high = top - 1
        stats[AT] = k
        stats[LOW_BOUND] = low
        stats[HIGH_BOUND] = high
        while low < high:
            middle = next_question(low, high)
            v = probe(g, middle + 1, top, variant, stack, table, stats, stop)
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


INLINED = (judge, look_up, play_below, sort_safe, rank_safe)


@dataclass(frozen=True)
class SolverSettings:
    """What the solver uses; none of it changes a score."""

    table_bits: int = 20  # log2 of the table's entries, 8 bytes each; 16 to 32
    two_tier: bool = False  # entries that cost much stay, and others go beside them: pays where the table overflows
    ordered: bool = True  # the game's `order` kernel
    threads: int = 1  # that share the table, 1 to 64; the first one answers
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter

    def __post_init__(self) -> None:
        if not SMALLEST <= self.table_bits <= LARGEST:
            raise OptionError(
                f"a table of 2**{self.table_bits} entries cannot be made; table_bits goes from {SMALLEST} to {LARGEST}"
            )
        check_threads(self.threads)


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
    moves: tuple[int, int] | None = None  # once the value is known: which move is compared with it, and of how many


Progress = Callable[[Known], None]


def _about_move(progress: Progress, score: int, nodes: int, moves: tuple[int, int], game: ArrayGame) -> Progress:
    """The progress of comparing one move, reported as that of the whole: the value is known by then."""
    low, high = game.payoff_range
    value = high if score > 0 else low if score < 0 else (low + high) / 2

    def reported(now: Known) -> None:
        progress(Known(value, value, nodes + now.nodes, now.seconds, moves))

    return reported


def can_solve(game: ArrayGame) -> bool:
    """Whether a game gives what the solver needs."""
    fits = game.max_length is not None and game.max_length <= LONGEST
    return fits and draws_fill(game) and game.exact_key and game.gives("safe") and game.gives("left")


class Solver:
    """Exact scores of one game's positions. The table is kept between calls; one call at a time."""

    def __init__(self, game: ArrayGame, settings: SolverSettings | None = None, **options: Any) -> None:
        self.settings = use = settings_of(SolverSettings, settings, options)
        check_game("the solver", game)
        if not can_solve(game):
            raise UnsuitableSearch(f"the solver needs more than {game.name} gives; use alphabeta")
        self.game = game
        own = game.names["safe"]
        names = {**game.names, "safe_still": Bound(own.function, {**own.names, "MAY_WIN": False})}
        if use.ordered and game.gives("rank"):
            names["sort_safe"] = rank_safe
        elif not (use.ordered and game.gives("order")):
            names["sort_safe"] = keep_safe
        if use.two_tier:
            names |= {"find": find_either, "keep": keep_costly}
        self._solve = specialise(
            solve_template, names, target=use.target, label=f"{game.name} solver", lean=True, inline=INLINED
        )
        self.nodes = 0  # of the last call, all threads together
        self.clear()

    def clear(self) -> None:
        """Forget the table."""
        bits = self.settings.table_bits
        self.table = BoundTable(np.zeros(1 << bits, np.int64), 64 - bits)

    def solve(self, position: ArrayPosition, watch: Budget | None = None, progress: Progress | None = None) -> Solved:
        """Value and length of best play, and all moves that keep both."""
        game, watch = self.game, watch or Budget()
        plies = int(game.run("left", game.g, position.state))
        score = self._closed([position.state], [[-plies, plies]], watch, progress)[0]
        nodes, best = self.nodes, []
        listed = position.move_numbers()
        for k, m in enumerate(listed):
            after = position.state.copy()
            game.run("play", game.g, after, position.turn, m)
            reported = None if progress is None else _about_move(progress, score, nodes, (k + 1, len(listed)), game)
            if self._keeps(after, plies + 1, score, 1 - position.turn, watch, reported):
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
        stats = np.zeros((self.settings.threads, 4), np.int64)
        stats[0, LOW_BOUND], stats[0, HIGH_BOUND] = bounds[0]  # what is known before the first window
        helpers, calls = Budget(), []
        if progress is not None:
            watch.tick = lambda: progress(self._known(stats, watch))
        for k in range(1, self.settings.threads):
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
        stack = new_stack(self.game, (self.game.max_length or 0) + 2, FRAME)
        variant = min(variant, VARIANTS - 1)
        return int(self._solve(self.game.g, starts, bounds, variant, stack, self.table, stats, watch.flag))

    def _known(self, stats: Words, watch: Budget) -> Known:
        low, high = self.game.payoff_range
        middle = (low + high) / 2
        at_least, at_most = int(stats[0, LOW_BOUND]), int(stats[0, HIGH_BOUND])
        return Known(
            high if at_least > 0 else middle if at_least == 0 else low,
            low if at_most < 0 else middle if at_most == 0 else high,
            int(stats[:, NODES].sum()),
            watch.elapsed,
        )
