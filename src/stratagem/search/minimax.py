"""Plain minimax: the definition itself, against which every faster search is checked.

Three forms. `minimax` on kernels, for two players whose payoffs sum to zero, with no pruning and no table.
`expectimax` on kernels, for any number of players (max^n) and chance by its odds. `graph_minimax` on any Python objects,
given `neighbours` and `evaluate`. Use them for small trees, for teaching and in tests; use alpha-beta for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, Position
from stratagem.contract.player import Choice, Clock, Line, Report
from stratagem.errors import GameOver, OptionError, StratagemError
from stratagem.kernel import (
    CHANCE,
    OVER,
    PLAYERS,
    SIZE,
    Ground,
    Moves,
    Payoffs,
    count,
    moves,
    odds,
    payoff,
    play,
    turn,
    value,
)
from stratagem.search.alphabeta.score import (
    HAS_VALUE,
    INFINITY,
    check_game,
    check_suits,
    heuristic_score,
    terminal_score,
)
from stratagem.search.budget import Budget, StopFlag

CHECK_EVERY = 1024  # nodes between two looks at the stop flag
STOPPED = -(1 << 40)

# columns of a frame
INDEX, COUNT, MOVER, BEST, BEST_MOVE = 0, 1, 2, 3, 4
FRAME = 5


def minimax_template(
    g: Ground, depth: int, states: NDArray[np.int64], frames: NDArray[np.int64], lists: NDArray[np.int64],
    out: Payoffs, best_move: Moves, stats: NDArray[np.int64], stop: StopFlag,
) -> int:  # fmt: skip
    """The score of states[0] for its mover at a depth of at least 1; the first of the best moves into best_move[0]."""
    ply = 0
    frames[0, MOVER] = turn(g, states[0])
    frames[0, COUNT] = moves(g, states[0], frames[0, MOVER], lists[0])
    frames[0, INDEX] = 0
    frames[0, BEST] = -INFINITY
    stats[0] += 1
    while True:
        if frames[ply, INDEX] < frames[ply, COUNT]:
            mover = frames[ply, MOVER]
            m = lists[ply, frames[ply, INDEX]]
            frames[ply, INDEX] += 1
            for i in range(SIZE):
                states[ply + 1, i] = states[ply, i]
            play(g, states[ply + 1], mover, m)
            stats[0] += 1
            if stats[0] % CHECK_EVERY == 0 and stop[0] != 0:
                return STOPPED
            t = turn(g, states[ply + 1])
            if t != OVER and ply + 1 < depth:
                ply += 1
                frames[ply, MOVER] = t
                frames[ply, COUNT] = moves(g, states[ply], t, lists[ply])
                frames[ply, INDEX] = 0
                frames[ply, BEST] = -INFINITY
                continue
            if t == OVER:
                v = terminal_score(g, states[ply + 1], mover, ply + 1, out)
            else:
                v = heuristic_score(g, states[ply + 1], mover, out)
        else:
            v = frames[ply, BEST]
            if ply == 0:
                best_move[0] = frames[0, BEST_MOVE]
                return v
            ply -= 1
            if frames[ply, MOVER] != frames[ply + 1, MOVER]:
                v = -v
        if v > frames[ply, BEST]:
            frames[ply, BEST] = v
            frames[ply, BEST_MOVE] = lists[ply, frames[ply, INDEX] - 1]


def expectimax_template(
    g: Ground, depth: int, states: NDArray[np.int64], frames: NDArray[np.int64], lists: NDArray[np.int64],
    values: NDArray[np.float64], best: Payoffs, out: Payoffs, stats: NDArray[np.int64], stop: StopFlag,
) -> int:  # fmt: skip
    """Each player's expected payoff at states[0] into values[0]; returns the first of the best moves, or -1 at chance.

    A player maximises its own entry (max^n); among equals the first move is kept. Chance nodes count as a ply.
    """
    ply = 0
    opened = False  # whether the frame of this ply is set up
    while True:
        if not opened:
            t = turn(g, states[ply])
            stats[0] += 1
            if stats[0] % CHECK_EVERY == 0 and stop[0] != 0:
                return STOPPED
            if t == OVER or ply == depth:
                if t == OVER:
                    payoff(g, states[ply], out)
                elif HAS_VALUE:
                    value(g, states[ply], out)
                else:
                    for p in range(PLAYERS):
                        out[p] = 0.0
                closed = True
            else:
                frames[ply, MOVER] = t
                frames[ply, INDEX] = 0
                frames[ply, BEST_MOVE] = -1
                if t == CHANCE:
                    frames[ply, COUNT] = count(g, states[ply], CHANCE)
                else:
                    frames[ply, COUNT] = moves(g, states[ply], t, lists[ply])
                best[ply] = -np.inf
                for p in range(PLAYERS):
                    values[ply, p] = 0.0
                opened = True
                closed = False
        elif frames[ply, INDEX] < frames[ply, COUNT]:
            k = frames[ply, INDEX]
            frames[ply, INDEX] += 1
            for i in range(SIZE):
                states[ply + 1, i] = states[ply, i]
            if frames[ply, MOVER] == CHANCE:
                play(g, states[ply + 1], CHANCE, k)
            else:
                play(g, states[ply + 1], frames[ply, MOVER], lists[ply, k])
            ply += 1
            opened = False
            continue
        else:
            for p in range(PLAYERS):
                out[p] = values[ply, p]
            closed = True
        if closed:
            if ply == 0:
                for p in range(PLAYERS):
                    values[0, p] = out[p]
                return frames[0, BEST_MOVE] if opened else -1
            ply -= 1
            opened = True
            k = frames[ply, INDEX] - 1
            if frames[ply, MOVER] == CHANCE:
                weight = odds(g, states[ply], k)
                for p in range(PLAYERS):
                    values[ply, p] += weight * out[p]
            elif out[frames[ply, MOVER]] > best[ply]:
                best[ply] = out[frames[ply, MOVER]]
                frames[ply, BEST_MOVE] = lists[ply, k]
                for p in range(PLAYERS):
                    values[ply, p] = out[p]


def _check_depth(depth: int) -> None:
    if depth < 1:
        raise OptionError(f"a depth of {depth} searches nothing; give 1 or more")


@dataclass(frozen=True)
class Found:
    """A finished search: the score for the mover, one best move, and the positions looked at."""

    score: int
    move: int
    nodes: int


class Minimax:
    """Plain minimax for one game; `distances=False` gives the bare values of the textbooks."""

    def __init__(self, game: ArrayGame, *, distances: bool = True, evaluate: Any = None, target: str = "cpu") -> None:
        check_game("minimax", game)
        self.game = game
        names = {**game.names, "DISTANCES": distances, "HAS_VALUE": game.gives("value") or evaluate is not None}
        if evaluate is not None:
            names["value"] = evaluate
        self._search = specialise(minimax_template, names, target=target, label=f"{game.name} minimax")

    def search(self, position: Position, depth: int, watch: Budget | None = None) -> Found:
        position = check_suits("minimax", position)
        _check_depth(depth)
        if position.over:
            raise GameOver(f"the game is over in {str(position)!r}: there is no move to search for")
        game = self.game
        states = np.zeros((depth + 2, game.size + game.scratch), np.int64)
        states[0] = position.state
        best, stats = np.full(1, -1, np.int64), np.zeros(1, np.int64)
        watch = watch or Budget()
        score = watch.run(
            self._search, game.g, depth, states, np.zeros((depth + 2, FRAME), np.int64),
            np.zeros((depth + 2, game.max_moves), np.int64), np.zeros(game.players), best, stats, watch.flag,
        )  # fmt: skip
        if score == STOPPED:
            raise StratagemError(f"minimax was stopped before it finished depth {depth}")
        return Found(int(score), int(best[0]), int(stats[0]))


class Expectimax:
    """Exact expectation over chance and max^n over players, to a fixed depth."""

    def __init__(self, game: ArrayGame, *, evaluate: Any = None, target: str = "cpu") -> None:
        check_game("expectimax", game, chance=True, many=True)
        self.game = game
        names = {**game.names, "HAS_VALUE": game.gives("value") or evaluate is not None}
        if evaluate is not None:
            names["value"] = evaluate
        if not game.gives("odds"):
            names["odds"] = _no_chance
        self._search = specialise(expectimax_template, names, target=target, label=f"{game.name} expectimax")

    def values(self, position: Position, depth: int, watch: Budget | None = None) -> tuple[tuple[float, ...], int, int]:
        """Each player's value, the number of a best move (-1 at chance or the end), and the nodes looked at."""
        position = check_suits("expectimax", position, chance=True, many=True)
        if depth < 0:
            raise OptionError(f"a depth of {depth} makes no search; give 0 or more")
        game = self.game
        shape = depth + 2
        states = np.zeros((shape, game.size + game.scratch), np.int64)
        states[0] = position.state
        values, stats = np.zeros((shape, game.players)), np.zeros(1, np.int64)
        watch = watch or Budget()
        best = watch.run(
            self._search, game.g, depth, states, np.zeros((shape, FRAME), np.int64),
            np.zeros((shape, game.max_moves), np.int64), values, np.zeros(shape), np.zeros(game.players), stats, watch.flag,
        )  # fmt: skip
        if best == STOPPED:
            raise StratagemError(f"expectimax was stopped before it finished depth {depth}")
        return tuple(float(x) for x in values[0]), int(best), int(stats[0])

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
        if position.over:
            raise GameOver(f"the game is over in {str(position)!r}: there is no move to choose")
        self.values(position, 1)  # compiles or loads before the clock starts
        watch = Budget(clock.seconds)
        seat, choice, nodes = position.turn, None, 0
        for d in range(1, (depth or 1000) + 1):
            found = []
            for text in position.moves():
                try:
                    after, _, n = self.values(position.play(text), d - 1, watch if choice else Budget(None))
                except StratagemError:
                    break
                nodes += n
                found.append(Line((text,), after[max(seat, 0)]))
            else:
                if seat != CHANCE:
                    found.sort(key=lambda line: -(line.value or 0.0))
                choice = Choice(
                    found[0].moves[0], found[0].value, tuple(found[:lines]), depth=d, nodes=nodes,
                    seconds=watch.elapsed, engine="expectimax",
                )  # fmt: skip
                if report:
                    report(choice)
            if watch.stopped or (watch.left is not None and watch.left < watch.elapsed):
                break
        assert choice is not None
        return choice if not watch.interrupted else replace(choice, finished=False)


def _no_chance(g: Any, s: Any, k: int) -> float:
    return 0.0


N = TypeVar("N", bound=Hashable)


def graph_minimax(
    node: N, depth: int, neighbours: Callable[[N], Iterable[N]], evaluate: Callable[[N], float],
    *, maximising: bool = True, table: dict[tuple[N, int, bool], float] | None = None,
) -> float:  # fmt: skip
    """Minimax on any graph of positions: a node without neighbours, or at depth 0, is worth `evaluate(node)`.

    The two players alternate. With a `table` (start it as `{}`) a position met again at the same depth is looked up;
    values are stored when they are finished, never before.
    """
    entry = (node, depth, maximising)
    if table is not None and entry in table:
        return table[entry]
    following = list(neighbours(node))
    if not following or depth == 0:
        result = evaluate(node)
    else:
        values = [
            graph_minimax(n, depth - 1, neighbours, evaluate, maximising=not maximising, table=table) for n in following
        ]
        result = max(values) if maximising else min(values)
    if table is not None:
        table[entry] = result
    return result
