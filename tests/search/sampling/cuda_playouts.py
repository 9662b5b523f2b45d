"""A template for CUDA: one random playout a thread."""

import numpy as np

from stratagem.kernel import OVER, SIZE, payoff, play, sample, turn
from stratagem.rng import seed_stream

cuda = None


def playouts(g, start, seed, results):
    i = cuda.grid(1)
    if i < results.size:
        s = cuda.local.array(SIZE, np.int64)
        r = cuda.local.array(2, np.int64)
        out = cuda.local.array(2, np.float64)
        for k in range(SIZE):
            s[k] = start[k]
        seed_stream(r, seed, i)
        t = turn(g, s)
        while t != OVER:
            play(g, s, t, sample(g, s, t, r))
            t = turn(g, s)
        payoff(g, s, out)
        results[i] = out[0]
