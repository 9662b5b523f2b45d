"""Plain minimax: the definition itself, against which every faster search is checked.

Three forms. `minimax` on kernels, for two players whose payoffs sum to zero, with no pruning, and no table unless one is
asked for. `expectimax` on kernels, for any number of players (max^n) and chance by its odds. `graph_minimax` on any Python
objects, given `neighbours` and `evaluate`, and `graph_alphabeta` on the same. Use them for small trees, for teaching and in
tests; use alpha-beta on kernels for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, ArrayPosition, Position
from stratagem.contract.player import Choice, Clock, Line, Report, check_depth, refuse_over
from stratagem.errors import OptionError, StratagemError
from stratagem.hints import row
from stratagem.kernel import (
    CHANCE,
    OVER,
    PLAYERS,
    Ground,
    Payoffs,
    State,
    count,
    key,
    moves,
    odds,
    payoff,
    turn,
    value,
)
from stratagem.search.alphabeta.score import (
    DECIDED,
    INFINITY,
    OUT_OF_RANGE,
    check_game,
    check_suits,
    distance,
    heuristic_score,
    no_distance,
    no_heuristic_score,
    out_of_range,
    scoring,
    terminal_score,
    verdict,
)
from stratagem.search.alphabeta.table import (
    DEEPEST,
    EXACT,
    NO_SLOT,
    VALUE_AT,
    TranspositionTable,
    depth_in,
    find,
    new_table,
    packed,
    place,
    serves,
    serves_alike,
    store,
)
from stratagem.search.budget import Budget, StopFlag
from stratagem.search.settings import settings_of, whole
from stratagem.search.stack import Stack, Words, new_stack, play_below

CHECK_EVERY = 1024  # nodes between two looks at the stop flag
STOPPED = -(1 << 40)
UNKNOWN = -(1 << 41)
NO_MOVE = -1
FIRST_DEPTH = 2  # of iterative deepening
MOST_BITS = 28  # log2 of the entries of a table
TOO_LATE = 0.5  # of the time, after which no further depth is begun: it costs several times the last

# columns of a frame
INDEX, COUNT, MOVER, BEST, BEST_MOVE = 0, 1, 2, 3, 4  # the last in expectimax only
FRAME = 5


class Unfinished(StratagemError):
    """The clock stopped a depth."""


def open_node(g: Ground, stack: Stack, ply: int, p: int) -> None:
    """Set up the frame of a node whose mover is p: all its moves are still to come."""
    f = row(stack.frames, ply)
    f[MOVER] = p
    f[COUNT] = moves(g, row(stack.states, ply), p, row(stack.lists, ply))
    f[INDEX] = 0
    f[BEST] = -INFINITY


def recall_nothing(g: Ground, s: State, left: int, ply: int, table: TranspositionTable) -> int:
    """Without a table."""
    return UNKNOWN


def keep_nothing(g: Ground, s: State, left: int, ply: int, score: int, table: TranspositionTable, nodes: int) -> None:
    """Without a table."""


def recall_score(g: Ground, s: State, left: int, ply: int, table: TranspositionTable) -> int:
    """The score for its mover of a node met before with at least so many plies left, or UNKNOWN."""
    slot = find(table, key(g, s), s)
    if slot == NO_SLOT:
        return UNKNOWN
    data = table.entries[slot, 1]
    if not serves(depth_in(data), left):
        return UNKNOWN
    score = data >> VALUE_AT
    if score > DECIDED:
        return score - distance(ply)  # ends are kept as far away as they are from the node
    if score < -DECIDED:
        return score + distance(ply)
    return score


def keep_score(g: Ground, s: State, left: int, ply: int, score: int, table: TranspositionTable, nodes: int) -> None:
    """Keep the score of a node that is finished: an unfinished one has none."""
    if score > DECIDED:
        score += distance(ply)
    elif score < -DECIDED:
        score -= distance(ply)
    h = key(g, s)
    slot = place(table, h, left, nodes)
    if slot != NO_SLOT:
        store(table, slot, h, s, packed(score, left, EXACT, NO_MOVE))


recall, keep = recall_nothing, keep_nothing  # or `recall_score` and `keep_score`


def minimax_template(
    g: Ground,
    depth: int,
    stack: Stack,
    out: Payoffs,
    table: TranspositionTable,
    root: Words,
    stats: Words,
    stop: StopFlag,
) -> int:
    """The score of the state at ply 0 for its mover, at a depth of at least 1; the score of its every move into root.

    At a node: is the game over, is this the horizon, is it in the table; only then its moves.
    """
    states, frames, lists = stack
    ply = 0
    open_node(g, stack, 0, turn(g, row(states, 0)))
    stats[0] += 1
    while True:
        f = row(frames, ply)
        if f[INDEX] < f[COUNT]:
            play_below(g, states, ply, f[MOVER], lists[ply, f[INDEX]])
            f[INDEX] += 1
            stats[0] += 1
            if stats[0] % CHECK_EVERY == 0 and stop[0] != 0:
                return STOPPED
            s = row(states, ply + 1)
            t = turn(g, s)
            if t == OVER:
                v = terminal_score(g, s, f[MOVER], ply + 1, out)
                if v == OUT_OF_RANGE:
                    return OUT_OF_RANGE
            elif ply + 1 == depth:
                v = heuristic_score(g, s, f[MOVER], out)
            else:
                v = recall(g, s, depth - ply - 1, ply + 1, table)
                if v == UNKNOWN:
                    ply += 1
                    open_node(g, stack, ply, t)
                    continue
                if t != f[MOVER]:
                    v = -v
        else:
            v = f[BEST]
            if ply == 0:
                return v
            keep(g, row(states, ply), depth - ply, ply, v, table, stats[0])
            ply -= 1
            if frames[ply, MOVER] != f[MOVER]:
                v = -v
        f = row(frames, ply)
        if ply == 0:
            root[f[INDEX] - 1] = v
        f[BEST] = max(v, f[BEST])


class Expected(NamedTuple):
    """What expectimax knows of the nodes above the running one, in payoffs."""

    values: NDArray[np.float64]  # [plies, players]: the best so far, or the sum over chance
    best: Payoffs  # [plies]: what the mover gets of it
    out: Payoffs  # [players]: the value of the node that was finished last


def judge(g: Ground, s: State, t: int, out: Payoffs) -> None:
    """Each player's payoff of a game that is over, or an estimate."""
    if t == OVER:
        payoff(g, s, out)
    else:
        value(g, s, out)


def no_value(g: Ground, s: State, out: Payoffs) -> None:
    """In the place of a game's `value`."""
    for p in range(PLAYERS):
        out[p] = 0.0


def no_odds(g: Ground, s: State, k: int) -> float:
    """In the place of the `odds` of a game without chance."""
    return 0.0


def open_expected(g: Ground, stack: Stack, known: Expected, ply: int, t: int) -> None:
    """Set up a node of a player or of chance."""
    f = row(stack.frames, ply)
    f[MOVER] = t
    f[INDEX] = 0
    f[BEST_MOVE] = NO_MOVE
    if t == CHANCE:
        f[COUNT] = count(g, row(stack.states, ply), CHANCE)
    else:
        f[COUNT] = moves(g, row(stack.states, ply), t, row(stack.lists, ply))
    known.best[ply] = -np.inf
    for p in range(PLAYERS):
        known.values[ply, p] = 0.0


def weigh(g: Ground, stack: Stack, known: Expected, ply: int) -> None:
    """Give `out`, the value of the child at work, to its parent: the mover's best (max^n) or chance's sum."""
    f = row(stack.frames, ply)
    k = f[INDEX] - 1
    if f[MOVER] == CHANCE:
        weight = odds(g, row(stack.states, ply), k)
        for p in range(PLAYERS):
            known.values[ply, p] += weight * known.out[p]
    elif known.out[f[MOVER]] > known.best[ply]:
        known.best[ply] = known.out[f[MOVER]]
        f[BEST_MOVE] = stack.lists[ply, k]
        for p in range(PLAYERS):
            known.values[ply, p] = known.out[p]


def expectimax_template(g: Ground, depth: int, stack: Stack, known: Expected, stats: Words, stop: StopFlag) -> int:
    """Each player's expected payoff at ply 0 into known.out; returns the first of the best moves, or NO_MOVE at chance.

    A player maximises its own entry (max^n); among equals the first move is kept. Chance nodes count as a ply.
    """
    states, frames, lists = stack
    ply = 0
    entering = True
    while True:
        if entering:
            s = row(states, ply)
            t = turn(g, s)
            stats[0] += 1
            if stats[0] % CHECK_EVERY == 0 and stop[0] != 0:
                return STOPPED
            entering = t != OVER and ply < depth
            if entering:
                open_expected(g, stack, known, ply, t)
            else:
                judge(g, s, t, known.out)
                if ply == 0:
                    return NO_MOVE
                ply -= 1
                weigh(g, stack, known, ply)
        f = row(frames, ply)
        if f[INDEX] < f[COUNT]:
            k = f[INDEX]
            f[INDEX] += 1
            play_below(g, states, ply, f[MOVER], k if f[MOVER] == CHANCE else lists[ply, k])
            ply += 1
            entering = True
        else:
            for p in range(PLAYERS):
                known.out[p] = known.values[ply, p]
            if ply == 0:
                return f[BEST_MOVE]
            ply -= 1
            weigh(g, stack, known, ply)
            entering = False


@dataclass(frozen=True)
class BestMove:
    """A finished search: the score for the mover, one best move, and the positions looked at."""

    score: int
    move: int
    nodes: int
    scores: tuple[int, ...] = ()  # of every move of the root, as it lists them


@dataclass(frozen=True)
class ExpectimaxSettings:
    """What expectimax uses."""

    evaluate: Any = None  # a kernel value(g, s, out) in place of the game's; None: the game's, or 0 where it has none
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter


@dataclass(frozen=True)
class MinimaxSettings:
    """What minimax uses."""

    distances: bool = True  # wins carry their distance in plies; False: the bare values of the textbooks
    evaluate: Any = None  # a kernel value(g, s, out) in place of the game's; None: the game's, or a draw
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter
    table_bits: int = 0  # log2 of the entries of a table, 1 to 28; 0: none
    same_depth: bool = False  # trust only entries of the very depth asked for: then values are those of no table

    def __post_init__(self) -> None:
        object.__setattr__(self, "table_bits", whole("table_bits", self.table_bits))
        if not 0 <= self.table_bits <= MOST_BITS:
            raise OptionError(
                f"a table of 2**{self.table_bits} entries is none; give 1 to {MOST_BITS}, or 0 for no table"
            )


class Minimax:
    """Minimax for one game, plain or with a table. Settings are given whole or by name: `Minimax(game, distances=False)`.

    With a table a position that was met before is looked up if it was searched at least as deep as now: the value at a depth
    can then be a deeper one. The table is kept from call to call.
    """

    def __init__(self, game: ArrayGame, settings: MinimaxSettings | None = None, **options: Any) -> None:
        check_game("minimax", game)
        self.game = game
        self.settings = settings_of(MinimaxSettings, settings, options)
        names = {**game.names, **scoring(game)}
        if not self.settings.distances:
            names["distance"] = no_distance
        if self.settings.evaluate is not None:
            names["value"] = self.settings.evaluate
        elif not game.gives("value"):
            names["heuristic_score"] = no_heuristic_score
        tabled = self.settings.table_bits > 0
        names |= (
            {"recall": recall_score, "keep": keep_score} if tabled else {"recall": recall_nothing, "keep": keep_nothing}
        )
        names["serves"] = serves_alike if self.settings.same_depth else serves
        self._search = specialise(
            minimax_template, names, target=self.settings.target, label=f"{game.name} minimax", lean=True
        )
        self.table = new_table(self.settings.table_bits, game.size, game.exact_key)

    def search(self, position: Position, depth: int, watch: Budget | None = None) -> BestMove:
        position = check_suits("minimax", position)
        check_depth(depth)
        refuse_over(position)
        game = self.game
        stack = new_stack(game, depth + 2, FRAME)
        stack.states[0] = position.state
        listed = position.move_numbers()
        out, root, stats = np.zeros(game.players), np.zeros(max(game.max_moves, 1), np.int64), np.zeros(1, np.int64)
        watch = watch or Budget()
        score = watch.run(self._search, game.g, depth, stack, out, self.table, root, stats, watch.flag)
        if score == STOPPED:
            raise Unfinished(f"minimax was stopped before it finished depth {depth}")
        if score == OUT_OF_RANGE:
            raise out_of_range(game, out)
        scores = tuple(int(x) for x in root[: len(listed)])
        return BestMove(int(score), listed[scores.index(int(score))], int(stats[0]), scores)

    def analyse(
        self,
        position: Position,
        clock: Clock,
        *,
        depth: int | None = None,
        lines: int = 1,
        report: Report | None = None,
    ) -> Choice:
        """Iterative deepening from depth 2 (or a lesser depth asked for), which is always finished; the last depth finished."""
        position = check_suits("minimax", position)
        refuse_over(position)
        check_depth(depth)
        self.search(position, 1)  # compiles or loads before the clock starts
        watch, choice, nodes = Budget(clock.seconds), None, 0
        deepest = min(depth or DEEPEST, self.game.max_length or DEEPEST, DEEPEST)
        for d in range(min(FIRST_DEPTH, deepest), deepest + 1):
            first = Budget(None)
            try:
                found = self.search(position, d, watch if choice else first)
            except Unfinished:
                break
            watch.interrupted = watch.interrupted or first.interrupted
            nodes += found.nodes
            choice = self._choice(position, found, lines, d, nodes, watch)
            if report:
                report(choice)
            ends = verdict(self.game, found.score).moves_to_end
            late = clock.seconds is not None and watch.elapsed > TOO_LATE * clock.seconds
            if watch.interrupted or late or (ends is not None and d >= ends):
                break
        assert choice is not None
        return replace(choice, seconds=watch.elapsed, finished=not watch.interrupted)

    def _choice(
        self, position: ArrayPosition, found: BestMove, lines: int, depth: int, nodes: int, watch: Budget
    ) -> Choice:
        """Every move was searched in full, so all have values; among equals the first listed comes first."""
        compared = []
        for m, score in sorted(zip(position.move_numbers(), found.scores, strict=True), key=lambda pair: -pair[1]):
            result = verdict(self.game, score)
            text = self.game.move_text(position.state, position.turn, m)
            compared.append(Line((text,), result.value, moves_to_end=result.moves_to_end))
        return Choice(
            compared[0].moves[0],
            compared[0].value,
            tuple(compared[:lines]),
            seat=position.turn,
            depth=depth,
            nodes=nodes,
            seconds=watch.elapsed,
            engine="minimax",
            by_move={line.moves[0]: line.value for line in compared if line.value is not None},
        )


class Expectimax:
    """Exact expectation over chance and max^n over players, to a fixed depth."""

    def __init__(self, game: ArrayGame, settings: ExpectimaxSettings | None = None, **options: Any) -> None:
        check_game("expectimax", game, chance=True, many=True)
        self.game = game
        self.settings = settings_of(ExpectimaxSettings, settings, options)
        names = dict(game.names)
        if self.settings.evaluate is not None:
            names["value"] = self.settings.evaluate
        elif not game.gives("value"):
            names["value"] = no_value
        if not game.gives("odds"):
            names["odds"] = no_odds
        self._search = specialise(
            expectimax_template, names, target=self.settings.target, label=f"{game.name} expectimax", lean=True
        )

    def values(self, position: Position, depth: int, watch: Budget | None = None) -> tuple[tuple[float, ...], int, int]:
        """Each player's value, the number of a best move (-1 at chance or the end), and the nodes looked at."""
        position = check_suits("expectimax", position, chance=True, many=True)
        if depth < 0:
            raise OptionError(f"a depth of {depth} makes no search; give 0 or more")
        game = self.game
        plies = depth + 2
        stack = new_stack(game, plies, FRAME)
        stack.states[0] = position.state
        known = Expected(np.zeros((plies, game.players)), np.zeros(plies), np.zeros(game.players))
        stats = np.zeros(1, np.int64)
        watch = watch or Budget()
        best = watch.run(self._search, game.g, depth, stack, known, stats, watch.flag)
        if best == STOPPED:
            raise Unfinished(f"expectimax was stopped before it finished depth {depth}")
        return tuple(float(x) for x in known.out), int(best), int(stats[0])

    def analyse(
        self,
        position: Position,
        clock: Clock,
        *,
        depth: int | None = None,
        lines: int = 1,
        report: Report | None = None,
    ) -> Choice:
        """Iterative deepening under a clock; returns the last finished depth."""
        position = check_suits("expectimax", position, chance=True, many=True)
        refuse_over(position)
        self.values(position, 1)  # compiles or loads before the clock starts
        watch = Budget(clock.seconds)
        seat, choice, nodes = position.turn, None, 0
        for d in range(1, (depth or 1000) + 1):
            found = []
            for text in position.moves():
                try:
                    after, _, n = self.values(position.play(text), d - 1, watch if choice else Budget(None))
                except Unfinished:
                    break
                nodes += n
                found.append(Line((text,), after[max(seat, 0)]))
            else:
                if seat != CHANCE:
                    found.sort(key=lambda line: -(line.value or 0.0))
                choice = Choice(
                    found[0].moves[0],
                    found[0].value,
                    tuple(found[:lines]),
                    seat=max(seat, 0),
                    depth=d,
                    nodes=nodes,
                    seconds=watch.elapsed,
                    engine="expectimax",
                )
                if report:
                    report(choice)
            if watch.stopped or (watch.left is not None and watch.left <= 0):
                break
        assert choice is not None
        return replace(choice, seconds=watch.elapsed, finished=not watch.interrupted)


N = TypeVar("N", bound=Hashable)


def graph_minimax(
    node: N,
    depth: int,
    neighbours: Callable[[N], Iterable[N]],
    evaluate: Callable[[N], float],
    *,
    maximising: bool = True,
    table: dict[tuple[N, bool], tuple[float, float]] | None = None,
) -> float:
    """Minimax on any graph of positions: a node without neighbours, or at depth 0, is worth `evaluate(node)`.

    The two players alternate. With a `table` (start it as `{}`) a position that was searched at least as deep before is
    looked up, so that a value may be a deeper one than asked for. The table holds depth and value by node and player; values
    are stored when they are finished, never before.
    """
    if table is not None and (node, maximising) in table:
        searched, known = table[node, maximising]
        if searched >= depth:
            return known
    reached: float = depth
    following = list(neighbours(node))
    if not following or depth == 0:
        result = evaluate(node)
        if not following:
            reached = math.inf  # no depth sees more
    else:
        values = [
            graph_minimax(n, depth - 1, neighbours, evaluate, maximising=not maximising, table=table) for n in following
        ]
        result = max(values) if maximising else min(values)
    if table is not None:
        table[node, maximising] = (reached, result)
    return result


def graph_alphabeta(
    node: N,
    depth: int,
    neighbours: Callable[[N], Iterable[N]],
    evaluate: Callable[[N], float],
    *,
    maximising: bool = True,
    window: tuple[float, float] = (-math.inf, math.inf),
    table: dict[tuple[N, int, bool], tuple[float, float]] | None = None,
) -> float:
    """Alpha-beta on any graph of positions, as `graph_minimax` takes it; fail-soft.

    Inside the window the result is that of minimax; at or beyond an end of it the result is a bound: minimax is at most
    it below, at least it above. With a `table` (start it as `{}`) each position keeps the interval its value is known to lie in.
    """
    alpha, beta = window
    if not alpha < beta:
        raise OptionError(f"a window from {alpha:g} to {beta:g} holds no value; its lower end comes first")
    entry = (node, depth, maximising)
    low, high = table.get(entry, (-math.inf, math.inf)) if table is not None else (-math.inf, math.inf)
    if low == high or low >= beta:
        return low
    if high <= alpha:
        return high
    following = list(neighbours(node)) if depth else []
    if not following:
        best = evaluate(node)
        low = high = best
    else:
        a, b = max(alpha, low), min(beta, high)
        inner = a, b
        best = -math.inf if maximising else math.inf
        for n in following:
            v = graph_alphabeta(
                n, depth - 1, neighbours, evaluate, maximising=not maximising, window=(a, b), table=table
            )
            best = max(best, v) if maximising else min(best, v)
            a, b = (max(a, best), b) if maximising else (a, min(b, best))
            if a >= b:
                break
        if best > inner[0]:
            low = max(low, best)
        if best < inner[1]:
            high = min(high, best)
    if table is not None:
        table[entry] = (low, high)
    return best
