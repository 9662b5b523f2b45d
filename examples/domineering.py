"""Domineering: one side lays dominoes upright, the other across; who cannot lay one loses. With features, for a network."""

from typing import Any

from stratagem import OVER, ArrayGame, Ground, Option, Payoffs, State
from stratagem.kernel import Moves

SIDE = 6  # bound for each board
TURN, FILLED = 0, 1  # state: [to move or OVER, then a cell each: 0 empty, 1 filled]


def fits(s: State, p: int, cell: int) -> bool:
    """Whether player p can lay a domino on a cell and the one below it (player 0) or to its right (player 1)."""
    row, column = cell // SIDE, cell % SIDE
    if (row if p == 0 else column) == SIDE - 1:
        return False
    return s[FILLED + cell] == 0 and s[FILLED + cell + (SIDE if p == 0 else 1)] == 0


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    n = 0
    for cell in range(SIDE * SIDE):
        n += fits(s, p, cell)
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    for cell in range(SIDE * SIDE):
        if fits(s, p, cell):
            if k == 0:
                return cell
            k -= 1
    return -1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[FILLED + m] = 1
    s[FILLED + m + (SIDE if p == 0 else 1)] = 1
    s[TURN] = 1 - p if count(g, s, 1 - p) > 0 else OVER


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    filled = 0
    for cell in range(SIDE * SIDE):
        filled += s[FILLED + cell]
    last = 1 - filled // 2 % 2  # who laid the last domino wins
    out[last] = 1.0
    out[1 - last] = -1.0


def seen(cell: int, side: int) -> int:
    """The cell as a side sees it: the board turned so that one's own dominoes stand upright."""
    return cell if side == 0 else cell % SIDE * SIDE + cell // SIDE


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    n = 0
    for cell in range(SIDE * SIDE):
        if s[FILLED + cell]:
            out[n] = seen(cell, side)
            n += 1
    return n


def switched(g: Ground, s: State, side: int, p: int, m: int, out: Moves) -> int:
    out[0] = seen(m, side)
    out[1] = seen(m + (SIDE if p == 0 else 1), side)
    return 2


class Domineering(ArrayGame):
    name, title, summary = "domineering", "Domineering", "lay dominoes upright or across; who cannot loses"
    seats = ("upright", "across")
    options = (Option("side", 6, "cells along an edge", minimum=2, maximum=8),)

    def setup(self) -> None:
        cells = self["side"] ** 2
        self.size, self.max_moves, self.max_length = 1 + cells, cells, cells // 2
        self.feature_count = self.features_at_once = cells

    @property
    def constants(self) -> dict[str, Any]:
        return {"SIDE": self["side"]}
