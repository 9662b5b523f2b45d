"""Playouts on a CUDA GPU, from the same kernels: one playout a thread at a time, streams named by their number.

Imported only where a GPU, or Numba's simulator of one (NUMBA_ENABLE_CUDASIM=1), is asked for.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import announced, cuda_target, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.kernel import CELLS, PLAYERS, Ground, Moves, State
from stratagem.search.sampling.montecarlo import SAMPLES, SQUARES, SUM, one_playout
from stratagem.search.sampling.playouts import ENDLESS, UNSOUND

cuda = cuda_target()
warnings.filterwarnings(
    "ignore", ".*Grid size .* will likely result in GPU under-utilization"
)  # a short search is small

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

BLOCK = 256  # threads of a block
MOST_THREADS = 132 * 2048  # as many as the largest card of today keeps in flight
ROOM = 1 << 27  # numbers of all threads together: 1 GiB
CHUNKS = 256  # into which the rows of the threads are added up before they are copied


def playouts_on_gpu(
    g: Ground, start: State, seat: int, listed: Moves, alive: Words, seed: int, base: int, common: bool, depth: int,
    cap: int, each: int, total: int, threads: int, sums: Floats,
) -> None:  # fmt: skip
    """Thread i plays numbers i * each .. of `total` playouts, dealt to the moves alive in turn, and adds up what they gave.

    `sums` has a row a thread: the sum and the squares for each move alive, and how many playouts were endless or unsound.
    """
    i = cuda.grid(1)
    if i >= threads:
        return
    s = cuda.local.array(CELLS, np.int64)
    r = cuda.local.array(2, np.int64)
    joint = cuda.local.array(PLAYERS, np.int64)
    out = cuda.local.array(PLAYERS, np.float64)
    n = alive.shape[0]
    for column in range(2 * n + 2):
        sums[i, column] = 0.0
    for number in range(i * each, min((i + 1) * each, total)):
        arm = number % n
        k = alive[arm]
        stream = base + (number // n if common else number)
        plies = one_playout(g, start, seat, listed[k], seed, stream, s, r, joint, depth, cap, out)
        if plies < 0:
            sums[i, 2 * n + (1 if plies == UNSOUND else 0)] += 1.0
        else:
            sums[i, 2 * arm] += out[seat]
            sums[i, 2 * arm + 1] += out[seat] * out[seat]


def add_up(threads: int, sums: Floats, parts: Floats) -> None:
    """Every CHUNKS-th row of `sums` into a row of `parts`: in an order of its own, so that the sums are always the same."""
    k = cuda.grid(1)
    columns = parts.shape[1]
    if k >= CHUNKS * columns:
        return
    chunk, column = k // columns, k % columns
    part = 0.0
    for i in range(chunk, threads, CHUNKS):
        part += sums[i, column]
    parts[chunk, column] = part


class GPU:
    """The playouts of one game on a GPU; its ground stays there."""

    def __init__(self, game: ArrayGame, names: dict[str, Any]) -> None:
        if not cuda.is_available():
            raise StratagemError(
                "playouts on a GPU need an NVIDIA card and CUDA, and none was found; use the target cpu with threads"
            )
        self.kernel: Any = specialise(playouts_on_gpu, names, target="cuda")
        self.add_up: Any = specialise(add_up, target="cuda")
        self.sums: Any = None  # kept on the card: a row a thread
        self.label = f"{game.name} montecarlo for the GPU"
        self.ground = cuda.to_device(game.g.copy())

    def sample(
        self, start: State, seat: int, listed: Words, alive: Words, stats: Floats, seed: int, base: int, common: bool,
        depth: int, cap: int, at_most: int,
    ) -> int:  # fmt: skip
        """Playouts dealt evenly to the moves alive, added to their rows; returns how many, or an error. None: it compiles."""
        with announced(self.label) if at_most == 0 else nullcontext():
            return self._launch(start, seat, listed, alive, stats, seed, base, common, depth, cap, at_most)

    def _launch(
        self, start: State, seat: int, listed: Words, alive: Words, stats: Floats, seed: int, base: int, common: bool,
        depth: int, cap: int, at_most: int,
    ) -> int:  # fmt: skip
        n = len(alive)
        rounds = -(-at_most // n)
        total = rounds * n
        columns = 2 * n + 2
        each = max(-(-total // max(min(MOST_THREADS, ROOM // columns), 1)), 1)
        threads = max(-(-total // each), 1)
        if self.sums is None or self.sums.shape[0] < threads or self.sums.shape[1] < columns:
            self.sums = cuda.device_array((threads, columns))
        self.kernel[-(-threads // BLOCK), BLOCK](
            self.ground, cuda.to_device(start.copy()), seat, cuda.to_device(listed), cuda.to_device(alive), seed, base,
            common, depth, cap, each, total, threads, self.sums,
        )  # fmt: skip
        parts = cuda.device_array((CHUNKS, columns))
        self.add_up[-(-CHUNKS * columns // BLOCK), BLOCK](threads, self.sums, parts)
        found = parts.copy_to_host().sum(axis=0)
        if found[2 * n] or found[2 * n + 1]:
            return ENDLESS if found[2 * n] else UNSOUND
        stats[alive, SAMPLES] += rounds
        stats[alive, SUM] += found[0 : 2 * n : 2]
        stats[alive, SQUARES] += found[1 : 2 * n : 2]
        return total
