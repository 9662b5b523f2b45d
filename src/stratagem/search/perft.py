"""Perft: the number of move sequences of a given length, the first check of any rules engine.

A game that ends earlier contributes only at its own length. Chance outcomes count like moves.
"""

from __future__ import annotations

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, Position
from stratagem.errors import OptionError, StratagemError
from stratagem.hints import row
from stratagem.kernel import CHANCE, OVER, Ground, count, moves, turn
from stratagem.search.alphabeta.score import check_suits
from stratagem.search.budget import Budget, StopFlag
from stratagem.search.stack import Stack, new_stack, play_below

STOPPED = -1
CHECK_EVERY = 1024  # nodes between two looks at the stop flag

# columns of a frame: the children still to come, and who moves
TO_COME, MOVER = 0, 1
FRAME = 2


def open_node(g: Ground, stack: Stack, ply: int, last: bool) -> int:
    """Set up the frame of a node; returns its leaves, where its children are the last ply and need not be played."""
    s, f = row(stack.states, ply), row(stack.frames, ply)
    p = turn(g, s)
    f[MOVER] = p
    f[TO_COME] = 0
    if p == OVER:
        return 0
    if last:
        return count(g, s, p)
    f[TO_COME] = count(g, s, CHANCE) if p == CHANCE else moves(g, s, p, row(stack.lists, ply))
    return 0


def perft_template(g: Ground, depth: int, stack: Stack, stop: StopFlag) -> int:
    """Leaves at exactly `depth` plies below the state at ply 0; the last ply is counted without being played."""
    states, frames, lists = stack
    leaves = open_node(g, stack, 0, depth == 1)
    nodes = 1
    ply = 0
    while True:
        f = row(frames, ply)
        if f[TO_COME] > 0:
            f[TO_COME] -= 1
            k = f[TO_COME]
            play_below(g, states, ply, f[MOVER], k if f[MOVER] == CHANCE else lists[ply, k])
            ply += 1
            leaves += open_node(g, stack, ply, ply == depth - 1)
            nodes += 1
            if nodes % CHECK_EVERY == 0 and stop[0] != 0:
                return STOPPED
        elif ply == 0:
            return leaves
        else:
            ply -= 1


class Perft:
    """Counts move sequences of one game."""

    def __init__(self, game: ArrayGame, *, target: str = "cpu") -> None:
        self.game = game
        self._count = specialise(perft_template, game.names, target=target, label=f"{game.name} perft", lean=True)

    def count(self, position: Position, depth: int, watch: Budget | None = None) -> int:
        position = check_suits("perft", position, chance=True, many=True)
        if depth < 0:
            raise OptionError(f"a depth of {depth} counts nothing; give 0 or more")
        if depth == 0:
            return 1
        game, watch = self.game, watch or Budget()
        stack = new_stack(game, depth + 1, FRAME)
        stack.states[0] = position.state
        result = watch.run(self._count, game.g, depth, stack, watch.flag)
        if result == STOPPED:
            raise KeyboardInterrupt if watch.interrupted else StratagemError("perft was stopped by the clock")
        return int(result)
