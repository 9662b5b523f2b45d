"""Fields, a toy whose turn is up to three actions, small enough to list every turn.

Five fields bear fruit. An action picks a field (its fruit is scored, and both neighbours grow by one), rests (the turn ends),
or, with dice, bets: chance brings -2, 1 or 4, all alike. Rounds are few; who has more in the end wins by the difference.
"""

from __future__ import annotations

from typing import Any

from stratagem import CHANCE, OVER, ArrayGame, Ground, Option, Payoffs, State

FIELDS, ACTIONS = 5, 3
REST, BET = FIELDS, FIELDS + 1
BETS = (-2, 1, 4)
# state: [seat, actions left, turns begun, a bet is on, scores 2, fruit of each field]
SEAT, LEFT, BEGUN, BETTING, SCORE, FRUIT = 0, 1, 2, 3, 4, 6
TURNS, DICE = 6, False  # bound


def turn(g: Ground, s: State) -> int:
    if s[BEGUN] > TURNS:
        return OVER
    return CHANCE if s[BETTING] == 1 else s[SEAT]


def turns(g: Ground, s: State) -> int:
    return s[BEGUN]


def count(g: Ground, s: State, p: int) -> int:
    if p == CHANCE:
        return 3
    n = 2 if DICE else 1
    for f in range(FIELDS):
        n += s[FRUIT + f] > 0
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    for f in range(FIELDS):
        if s[FRUIT + f] > 0:
            if k == 0:
                return f
            k -= 1
    return REST + k


def odds(g: Ground, s: State, k: int) -> float:
    return 1.0 / 3.0


def play(g: Ground, s: State, p: int, m: int) -> None:
    if p == CHANCE:
        s[SCORE + s[SEAT]] += BETS[m]
        s[BETTING] = 0
        pass_on(s, s[LEFT] == 0)
        return
    s[LEFT] -= 1
    if m == BET:
        s[BETTING] = 1
        return
    if m < FIELDS:
        s[SCORE + p] += s[FRUIT + m]
        s[FRUIT + m] = 0
        if m > 0:
            s[FRUIT + m - 1] += 1
        if m + 1 < FIELDS:
            s[FRUIT + m + 1] += 1
    pass_on(s, m == REST or s[LEFT] == 0)


def pass_on(s: State, ended: bool) -> None:
    if ended:
        s[SEAT] = 1 - s[SEAT]
        s[LEFT] = ACTIONS
        s[BEGUN] += 1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = float(s[SCORE] - s[SCORE + 1])
    out[1] = -out[0]


def value(g: Ground, s: State, out: Payoffs) -> None:
    payoff(g, s, out)


class Fields(ArrayGame):
    name, title = "fields", "Fields"
    options = (Option("turns", 6, "turns of both", minimum=1), Option("dice", False, "whether one may bet"))
    size, max_moves, actions = FRUIT + FIELDS, FIELDS + 2, ACTIONS
    payoff_range = (-200.0, 200.0)

    @property
    def constants(self) -> dict[str, Any]:
        return {"TURNS": self["turns"], "DICE": self["dice"]}

    def first(self, s: State) -> None:
        s[LEFT], s[BEGUN] = ACTIONS, 1
        s[FRUIT : FRUIT + FIELDS] = (3, 1, 4, 1, 5)

    def move_text(self, s: State, p: int, m: int) -> str:
        return str(BETS[m]) if p == CHANCE else "rest" if m == REST else "bet" if m == BET else f"pick{m + 1}"
