"""Playouts on a CUDA GPU, from the same kernels: one playout a thread at a time, streams named by their number.

Imported only where a GPU, or Numba's simulator of one (NUMBA_ENABLE_CUDASIM=1), is asked for.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import announced, cuda_target, specialise
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.kernel import CELLS, PLAYERS, Ground, Moves, State
from stratagem.rng import seed_stream
from stratagem.search.sampling.montecarlo import (
    RNG_CELLS,
    SAMPLES,
    SQUARES,
    SUM,
    Arms,
    SamplingLimits,
    Scratch,
    Streams,
    one_playout,
)
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


class Candidates(NamedTuple):
    """The first moves, on the card."""

    listed: Moves  # [moves]
    alive: Words  # [some] the numbers in `listed` of those that are tried


class Deal(NamedTuple):
    """How playouts are dealt to threads."""

    each: int  # to a thread
    threads: int


def playouts_on_gpu(
    g: Ground,
    start: State,
    seat: int,
    moves: Candidates,
    streams: Streams,
    limits: SamplingLimits,
    deal: Deal,
    sums: Floats,
) -> None:
    """Thread i plays its share of `at_most` playouts, dealt to the moves alive in turn, and adds up what they gave.

    `sums` has a row a thread: the sum and the squares for each move alive, and how many playouts were endless or unsound.
    """
    i = cuda.grid(1)
    if i >= deal.threads:
        return
    s = cuda.local.array(CELLS, np.int64)
    r = cuda.local.array(RNG_CELLS, np.int64)
    joint = cuda.local.array(PLAYERS, np.int64)
    out = cuda.local.array(PLAYERS, np.float64)
    scratch = Scratch(s, r, joint, out)
    n = moves.alive.shape[0]
    for column in range(2 * n + 2):
        sums[i, column] = 0.0
    for number in range(i * deal.each, min((i + 1) * deal.each, limits.at_most)):
        arm = number % n
        seed_stream(r, streams.seed, streams.base + (number // n if streams.common else number))
        plies = one_playout(g, start, seat, moves.listed[moves.alive[arm]], scratch, limits)
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

    def sample(self, start: State, seat: int, arms: Arms, streams: Streams, limits: SamplingLimits) -> int:
        """Playouts dealt evenly to the moves alive, added to their rows; returns how many, or an error. None: it compiles."""
        with announced(self.label) if limits.at_most == 0 else nullcontext():
            return self._launch(start, seat, arms, streams, limits)

    def _launch(self, start: State, seat: int, arms: Arms, streams: Streams, limits: SamplingLimits) -> int:
        alive, stats = arms.alive, arms.stats
        n = len(alive)
        rounds = -(-limits.at_most // n)
        total = rounds * n
        columns = 2 * n + 2
        each = max(-(-total // max(min(MOST_THREADS, ROOM // columns), 1)), 1)
        threads = max(-(-total // each), 1)
        if self.sums is None or self.sums.shape[0] < threads or self.sums.shape[1] < columns:
            self.sums = cuda.device_array((threads, columns))
        self.kernel[-(-threads // BLOCK), BLOCK](
            self.ground,
            cuda.to_device(start.copy()),
            seat,
            Candidates(cuda.to_device(arms.listed), cuda.to_device(alive)),
            streams,
            limits._replace(at_most=total),
            Deal(each, threads),
            self.sums,
        )
        parts = cuda.device_array((CHUNKS, columns))
        self.add_up[-(-CHUNKS * columns // BLOCK), BLOCK](threads, self.sums, parts)
        found = parts.copy_to_host().sum(axis=0)
        if found[2 * n] or found[2 * n + 1]:
            return ENDLESS if found[2 * n] else UNSOUND
        stats[alive, SAMPLES] += rounds
        stats[alive, SUM] += found[0 : 2 * n : 2]
        stats[alive, SQUARES] += found[1 : 2 * n : 2]
        return total
