"""A game made of random numbers: layered graphs with transpositions, movers in any order, payoffs and heuristics.

Searches are compared on it, since real games are too well behaved to find every mistake.
"""

import numpy as np

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import OVER, Ground, Payoffs, State

# state: [node]; ground: for each node [mover or OVER, payoff in hundredths, children n, child..]
WIDTH = 3 + 5


def turn(g: Ground, s: State) -> int:
    return g[s[0] * WIDTH]


def count(g: Ground, s: State, p: int) -> int:
    return g[s[0] * WIDTH + 2]


def move(g: Ground, s: State, p: int, k: int) -> int:
    return g[s[0] * WIDTH + 3 + k]


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[0] = m


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = g[s[0] * WIDTH + 1] / 100
    out[1] = -out[0]


def value(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = g[s[0] * WIDTH + 1] / 101
    out[1] = -out[0]


def key(g: Ground, s: State) -> int:
    return s[0]


class RandomTree(ArrayGame):
    name = "random tree"
    title = "Random tree"
    size = 1
    options = (
        Option("seed", 0, "which graph"),
        Option("layers", 6, "plies"),
        Option("alternating", True, "whether movers alternate"),
        Option("coarse", True, "whether payoffs are only -1, 0, 1"),
    )

    def setup(self):
        self.max_moves = 5
        self.max_length = self["layers"]
        self.exact_key = True
        self.nodes = 1 + 12 * self["layers"]

    def ground(self):
        rng = np.random.default_rng(self["seed"])
        g = np.zeros((self.nodes, WIDTH), np.int64)
        for node in range(self.nodes):
            layer = (node + 11) // 12
            last = layer == self["layers"] or (layer > 1 and rng.random() < 0.15)
            mover = layer % 2 if self["alternating"] else rng.integers(2)
            g[node, 0] = OVER if last else mover
            g[node, 1] = 100 * rng.integers(-1, 2) if self["coarse"] else rng.integers(-100, 101)
            if not last:
                n = rng.integers(1, 6)
                first = 1 + 12 * layer
                g[node, 2] = n
                g[node, 3 : 3 + n] = rng.choice(np.arange(first, first + 12), n, replace=False)
        return g.reshape(-1)
