"""Lots: a whole game whose turn is several decisions, in one file, for the page *stages for your own game*.

Twelve lots lie in a row, each with a price. In a turn a player claims three of them, one by one. When all are taken, a lot
is worth its price, and three in a row of one owner are a street, worth eight more.

`stratagem play examples/lots.py --level staged`
"""

from __future__ import annotations

from stratagem import OVER, ArrayGame, Ground, Payoffs, State

LOTS, CLAIMS, STREET = 12, 3, 8
PRICES = (3, 1, 4, 1, 5, 2, 2, 6, 1, 3, 4, 1)
# state: [whose turn, claims left in it, owner of each lot or -1]
TURN, LEFT, OWNER = 0, 1, 2


def turn(g: Ground, s: State) -> int:
    for lot in range(LOTS):
        if s[OWNER + lot] < 0:
            return s[TURN]
    return OVER


def count(g: Ground, s: State, p: int) -> int:
    free = 0
    for lot in range(LOTS):
        free += s[OWNER + lot] < 0
    return free


def move(g: Ground, s: State, p: int, k: int) -> int:
    for lot in range(LOTS):
        if s[OWNER + lot] < 0:
            if k == 0:
                return lot
            k -= 1
    return -1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[OWNER + m] = p
    s[LEFT] -= 1
    if s[LEFT] == 0:
        s[LEFT] = CLAIMS
        s[TURN] = 1 - s[TURN]


def lead(s: State) -> float:
    """How far the first player is ahead."""
    ahead = 0.0
    for lot in range(LOTS):
        p = s[OWNER + lot]
        if p >= 0:
            ahead += (1 - 2 * p) * PRICES[lot]
            if lot + 2 < LOTS and s[OWNER + lot + 1] == p and s[OWNER + lot + 2] == p:
                ahead += (1 - 2 * p) * STREET
    return ahead


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    ahead = lead(s)
    out[0] = 1.0 if ahead > 0 else -1.0 if ahead < 0 else 0.0
    out[1] = -out[0]


def value(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = lead(s) / 100.0
    out[1] = -out[0]


class Lots(ArrayGame):
    name, title, summary = "lots", "Lots", "claim three lots a turn; three in a row are a street"
    size, max_moves, max_length = OWNER + LOTS, LOTS, LOTS
    actions = CLAIMS  # decisions of one turn: that is all that staged search needs to know

    def first(self, s: State) -> None:
        s[LEFT] = CLAIMS
        s[OWNER : OWNER + LOTS] = -1

    def move_text(self, s: State, p: int, m: int) -> str:
        return f"lot{m + 1}"
