"""Many positions at once, by the kernels that a search uses for one: on a core, or on a GPU with a thread for each position.

For whoever has positions to judge and no search around them: records, data to look at, measurements. Whole numbers come out, the
same from every target: the value and the spread before the last function, in units of 1 / `evaluator.ONE`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import cuda_target, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import OptionError, StratagemError
from stratagem.kernel import CELLS, Ground, State, turn
from stratagem.networks.evaluator import KEPT, ONE, head, prepare, refresh

cuda: Any = None  # bound where it is loaded
BLOCK = 128  # threads of a block
VALUE, SPREAD = 0, 1


def judge_row(g: Ground, s: State, out: NDArray[np.int64]) -> None:
    """A position's value, and its spread if there is room for it, from its cells alone: the sums are made anew."""
    t = turn(g, s)
    side = t if t > 0 else 0
    if KEPT:
        refresh(g, s)
    prepare(g, s, side)
    for k in range(out.shape[0]):
        out[k] = head(g, s, side, k)


def judge_rows(g: Ground, states: NDArray[np.int64], s: State, out: NDArray[np.int64]) -> None:
    for i in range(states.shape[0]):
        for k in range(states.shape[1]):
            s[k] = states[i, k]
        judge_row(g, s, out[i])


def judge_rows_on_gpu(g: Ground, states: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """A thread a position. States lie with a row a *cell*, so that neighbouring threads read neighbouring numbers."""
    i = cuda.grid(1)
    if i < states.shape[1]:
        s = cuda.local.array(CELLS, np.int64)
        for k in range(states.shape[0]):
            s[k] = states[k, i]
        judge_row(g, s, out[i])


class Batches:
    """Judges states of a game with a network (`networked`), many at once."""

    def __init__(self, game: ArrayGame[Any], target: str = "cpu") -> None:
        if "judged" not in game.names:
            raise OptionError(f"{game.name} has no network in it: give networked(game, network)")
        self.game, self.target = game, target
        names = {**game.names, **game.names["value"].names, "SIZE": game.size, "CELLS": game.size + game.scratch}
        if target == "cuda":
            self.cuda = cuda_target()
            if not self.cuda.is_available():
                raise StratagemError(
                    "batches on a GPU need an NVIDIA card and CUDA, and none was found; use target cpu"
                )
            self._ground = self.cuda.to_device(np.asarray(game.g))
            self._kernel: Any = specialise(judge_rows_on_gpu, {**names, "cuda": self.cuda}, target="cuda")
        else:
            self._kernel = specialise(judge_rows, names, target=target, label=f"{game.name} in batches")

    def place(self, states: NDArray[np.int64]) -> Any:
        """States [n, cells] of the plain game, or of the one with the network, where the kernel reads them."""
        if states.ndim != 2 or states.shape[1] > self.game.size + self.game.scratch:
            raise OptionError(f"states of shape {states.shape} are no rows of cells of {self.game.name}")
        rows = np.ascontiguousarray(states, np.int64)
        return self.cuda.to_device(np.ascontiguousarray(rows.T)) if self.target == "cuda" else rows

    def launch(self, placed: Any, out: Any) -> None:
        """Judge states that are placed, into `out` [n, 1 or 2], which lies there too."""
        if self.target == "cuda":
            n = placed.shape[1]
            self._kernel[-(-n // BLOCK), BLOCK](self._ground, placed, out)
        else:
            self._kernel(self.game.g, placed, self.game.blank(), out)

    def outputs(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value and the spread of each state, for the side to move, in units of 1 / ONE."""
        found = np.zeros((len(states), 2), np.int64)
        if not len(states):
            return found
        if self.target != "cuda":
            self.launch(self.place(states), found)
            return found
        there = self.cuda.to_device(found)
        self.launch(self.place(states), there)
        return np.asarray(there.copy_to_host())

    def values(self, states: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the network thinks of each state for the side to move, between -1 and 1."""
        x = self.outputs(states)[:, VALUE]
        return np.asarray(x / np.sqrt(ONE * ONE + x * x))


__all__ = ["SPREAD", "VALUE", "Batches"]
