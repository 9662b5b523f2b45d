"""A tiny game for auctions: whoever moves scores a point, and the first to `goal` points wins."""

import numpy as np

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import OVER
from stratagem.plans.bid import Boards

# state: [to move or OVER, points of 0, points of 1]; ground: [goal]
TURN, POINTS = 0, 1


class Race(ArrayGame):
    name = "race"
    title = "Race"
    options = (Option("goal", 2, "points that win", minimum=1, maximum=9),)
    size = 3
    max_moves = 1

    def boards(self):
        return Boards(turn_cell=TURN)

    def ground(self):
        return np.array([self["goal"]], np.int64)


def turn(g, s):
    return s[TURN]


def count(g, s, p):
    return 1


def move(g, s, p, k):
    return 0


def play(g, s, p, m):
    s[POINTS + p] += 1
    s[TURN] = OVER if s[POINTS + p] == g[0] else 1 - p


def payoff(g, s, out):
    out[0] = 1.0 if s[POINTS] == g[0] else -1.0
    out[1] = -out[0]
