"""A matrix game, zero-sum but for a constant, played in one joint move. The matrix is the ground: one compilation for all."""

import numpy as np

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import OVER, TOGETHER, Ground, Moves, Payoffs, State

# state: [played, row, column]
# ground: [rows, columns, what is added to every payoff, payoffs to the first player row by row..], in thousandths
PLAYED, ROW, COLUMN = 0, 1, 2
ADDED, CELLS = 2, 3


def turn(g: Ground, s: State) -> int:
    return OVER if s[PLAYED] else TOGETHER


def count(g: Ground, s: State, p: int) -> int:
    return g[p]


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def play(g: Ground, s: State, p: int, m: int) -> None:
    pass


def play_together(g: Ground, s: State, joint: Moves) -> None:
    s[PLAYED] = 1
    s[ROW] = joint[0]
    s[COLUMN] = joint[1]


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    x = g[CELLS + s[ROW] * g[1] + s[COLUMN]]
    out[0] = (g[ADDED] + x) / 1000
    out[1] = (g[ADDED] - x) / 1000


class MatrixGame(ArrayGame):
    name = "matrix"
    title = "Matrix game"
    options = (
        Option("rows", 2, "rows"),
        Option("thousandths", (1000, -1000, -1000, 1000), "payoffs to the first player, row by row"),
        Option("added", 0, "thousandths added to every payoff"),
    )
    size, max_moves, max_length = 3, 5, 1

    def setup(self):
        cells = np.array(self["thousandths"], np.int64)
        self.matrix = cells.reshape(self["rows"], -1) / 1000
        self.zero_sum = self["added"] == 0
        self.payoff_range = (self["added"] / 1000 - 1, self["added"] / 1000 + 1)

    def ground(self):
        return np.array([*self.matrix.shape, self["added"], *self["thousandths"]], np.int64)

    @staticmethod
    def of(matrix, added=0):
        cells = tuple(int(x) for x in (1000 * np.asarray(matrix)).round().astype(int).ravel())
        return MatrixGame(rows=len(matrix), thousandths=cells, added=1000 * added)
