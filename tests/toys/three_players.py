"""Random trees for three players. No two leaves pay a player alike, so that max^n has one answer, found by brute force."""

import numpy as np

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import OVER, Ground, Payoffs, State

# state: [node]; ground: for each node [mover or OVER, first child, children, payoff of each player in thousandths]
MOVER, FIRST, CHILDREN, PAYS, WIDTH = 0, 1, 2, 3, 6


def turn(g: Ground, s: State) -> int:
    return g[s[0] * WIDTH + MOVER]


def count(g: Ground, s: State, p: int) -> int:
    return g[s[0] * WIDTH + CHILDREN]


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[0] = g[s[0] * WIDTH + FIRST] + m


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(3):
        out[p] = g[s[0] * WIDTH + PAYS + p] / 1000


class ThreePlayers(ArrayGame):
    name = "three players"
    title = "Three players"
    options = (Option("seed", 0, "which tree"),)
    players, seats, zero_sum = 3, ("A", "B", "C"), False
    size, max_moves, max_length = 1, 3, 3

    def ground(self):
        rng = np.random.default_rng(self["seed"])
        rows = np.zeros((1 + 3 + 9 + 27, WIDTH), np.int64)
        rows[:, MOVER] = OVER
        for node in range(13):
            rows[node, MOVER] = rng.integers(3)
            rows[node, FIRST], rows[node, CHILDREN] = 3 * node + 1, 3
        for p in range(3):
            rows[13:, PAYS + p] = rng.permutation(np.linspace(-1000, 1000, 27).astype(np.int64))
        return rows.ravel()

    def brute_force(self, node=0):
        """The payoffs of max^n, and the move at the root."""
        row = self.g[node * WIDTH : (node + 1) * WIDTH]
        if row[MOVER] == OVER:
            return tuple(row[PAYS:] / 1000), None
        found = [self.brute_force(row[FIRST] + k)[0] for k in range(row[CHILDREN])]
        best = max(range(len(found)), key=lambda k: found[k][row[MOVER]])
        return found[best], best
