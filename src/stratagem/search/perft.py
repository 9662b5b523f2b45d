"""Perft: the number of move sequences of a given length, the first check of any rules engine.

A game that ends earlier contributes only at its own length. Chance outcomes count like moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, Position
from stratagem.errors import OptionError, StratagemError
from stratagem.kernel import CHANCE, OVER, SIZE, Ground, count, moves, play, turn
from stratagem.search.alphabeta.score import check_suits
from stratagem.search.budget import Budget, StopFlag

STOPPED = -1


def perft_template(
    g: Ground,
    depth: int,
    states: NDArray[np.int64],
    lists: NDArray[np.int64],
    frames: NDArray[np.int64],
    stop: StopFlag,
) -> int:
    """Leaves at exactly `depth` plies below states[0]; the last ply is counted without being played."""
    leaves = 0
    ply = 0
    entering = True
    while True:
        if entering:
            t = turn(g, states[ply])
            entering = False
            if t == OVER:
                frames[ply, 0] = 0
            elif ply == depth - 1:
                leaves += count(g, states[ply], t)
                frames[ply, 0] = 0
                if leaves & 4095 < 8 and stop[0] != 0:
                    return STOPPED
            else:
                if t == CHANCE:
                    n = count(g, states[ply], CHANCE)
                    for k in range(n):
                        lists[ply, k] = k
                else:
                    n = moves(g, states[ply], t, lists[ply])
                frames[ply, 0] = n
                frames[ply, 1] = t
        if frames[ply, 0] > 0:
            frames[ply, 0] -= 1
            for i in range(SIZE):
                states[ply + 1, i] = states[ply, i]
            play(g, states[ply + 1], frames[ply, 1], lists[ply, frames[ply, 0]])
            ply += 1
            entering = True
        else:
            if ply == 0:
                return leaves
            ply -= 1


class Perft:
    """Counts move sequences of one game."""

    def __init__(self, game: ArrayGame, *, target: str = "cpu") -> None:
        self.game = game
        self._count = specialise(perft_template, game.names, target=target, label=f"{game.name} perft")

    def count(self, position: Position, depth: int, watch: Budget | None = None) -> int:
        position = check_suits("perft", position, chance=True, many=True)
        if depth < 0:
            raise OptionError(f"a depth of {depth} counts nothing; give 0 or more")
        if depth == 0:
            return 1
        game, watch = self.game, watch or Budget()
        states = np.zeros((depth + 1, game.size + game.scratch), np.int64)
        states[0] = position.state
        widest = max(game.max_moves, 128)  # chance nodes may be wider than a player's list
        result = watch.run(
            self._count, game.g, depth, states, np.zeros((depth + 1, widest), np.int64),
            np.zeros((depth + 1, 2), np.int64), watch.flag,
        )  # fmt: skip
        if result == STOPPED:
            raise KeyboardInterrupt if watch.interrupted else StratagemError("perft was stopped by the clock")
        return int(result)
