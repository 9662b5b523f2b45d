"""Random trees for any number of players, with chance whose outcomes are not equally likely; any range of payoffs.

The exact answer, max^n with expectations at chance, is found by brute force.
"""

import numpy as np

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import CHANCE, OVER, PLAYERS, Ground, Payoffs, State

# state: [node]; ground: for each node [mover, CHANCE or OVER, first child, children, odds and payoffs in thousandths..]
MOVER, FIRST, CHILDREN, ODDS, PAYS = 0, 1, 2, 3, 4


def turn(g: Ground, s: State) -> int:
    return g[s[0] * (PAYS + PLAYERS) + MOVER]


def count(g: Ground, s: State, p: int) -> int:
    return g[s[0] * (PAYS + PLAYERS) + CHILDREN]


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def odds(g: Ground, s: State, k: int) -> float:
    return g[(g[s[0] * (PAYS + PLAYERS) + FIRST] + k) * (PAYS + PLAYERS) + ODDS] / 1000


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[0] = g[s[0] * (PAYS + PLAYERS) + FIRST] + m


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(PLAYERS):
        out[p] = g[s[0] * (PAYS + PLAYERS) + PAYS + p] / 1000


class LuckTree(ArrayGame):
    name = "luck tree"
    title = "Luck tree"
    options = (
        Option("seed", 0, "which tree"),
        Option("players", 3, "players"),
        Option("layers", 4, "plies"),
        Option("width", 3, "moves"),
        Option("chance", 0.3, "the share of nodes that are chance"),
        Option("first", 0, "who decides at the root; CHANCE: nobody"),
        Option("low", -1, "least payoff"),
        Option("high", 1, "largest payoff"),
        Option("coarse", False, "payoffs are only the least, the middle and the largest"),
    )
    size = 1

    def setup(self):
        self.players = self["players"]
        self.seats = tuple("ABCDEFGH"[: self.players])
        self.zero_sum = self.players == 2 and self["low"] == -self["high"]
        self.max_moves, self.max_length = self["width"], self["layers"]
        self.payoff_range = (float(self["low"]), float(self["high"]))

    def ground(self):
        rng, n = np.random.default_rng(self["seed"]), self["width"]
        inner = sum(n**k for k in range(self["layers"]))
        rows = np.zeros((inner + n ** self["layers"], PAYS + self.players), np.int64)
        rows[:, MOVER] = OVER
        for node in range(inner):
            rows[node, MOVER] = CHANCE if rng.random() < self["chance"] else rng.integers(self.players)
            rows[node, FIRST], rows[node, CHILDREN] = n * node + 1, n
            shares = rng.dirichlet(np.full(n, 0.6))
            cuts = np.diff(np.r_[0, (1000 * np.cumsum(shares)).astype(np.int64)[:-1], 1000])
            rows[n * node + 1 : n * node + 1 + n, ODDS] = cuts
        rows[0, MOVER] = self["first"]
        leaves = rows[inner:, PAYS:]
        leaves[:] = rng.integers(1000 * self["low"], 1000 * self["high"] + 1, leaves.shape)
        if self["coarse"]:
            middle = 500 * (self["low"] + self["high"])
            leaves[:] = rng.choice([1000 * self["low"], middle, 1000 * self["high"]], leaves.shape)
        if self.zero_sum:
            leaves[:, 1] = -leaves[:, 0]
        return rows.ravel()

    def brute_force(self, node=0):
        """Each player's value, and the values of the children to all."""
        row = self.g[node * (PAYS + self.players) :][: PAYS + self.players]
        if row[MOVER] == OVER:
            return row[PAYS:] / 1000, []
        children = range(int(row[FIRST]), int(row[FIRST] + row[CHILDREN]))
        found = [self.brute_force(child)[0] for child in children]
        if row[MOVER] == CHANCE:
            weights = [self.g[child * (PAYS + self.players) + ODDS] / 1000 for child in children]
            return sum(w * x for w, x in zip(weights, found, strict=True)), found
        return max(found, key=lambda x: x[row[MOVER]]), found
