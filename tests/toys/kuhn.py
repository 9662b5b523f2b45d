"""Kuhn's poker of three cards: each antes 1 and gets a card; one bet of 1 may be made, and called or folded (Kuhn 1950)."""

from stratagem.contract.game import ArrayGame
from stratagem.kernel import CHANCE, NOBODY, OVER, Ground, Payoffs, State
from stratagem.rng import Rng, below

# state: [card of each seat + 1, or 0 if not seen.., acts so far, acts as bits from the first]
CARDS, ACTS, BITS = 0, 2, 3
PASS, BET = 0, 1


def turn(g: Ground, s: State) -> int:
    if s[ACTS] < 0:
        return CHANCE
    if s[ACTS] == 2 and s[BITS] != 0b10:  # pass pass, bet pass, bet bet: bits are read from the lowest
        return OVER
    if s[ACTS] == 3:
        return OVER
    return s[ACTS] % 2


def count(g: Ground, s: State, p: int) -> int:
    return 6 if p == CHANCE else 2


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def odds(g: Ground, s: State, k: int) -> float:
    return 1.0 / 6.0


def play(g: Ground, s: State, p: int, m: int) -> None:
    if p == CHANCE:
        s[CARDS] = m // 2 + 1
        s[CARDS + 1] = (m // 2 + 1 + m % 2) % 3 + 1
        s[ACTS] = 0
    else:
        s[BITS] |= m << s[ACTS]
        s[ACTS] += 1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    stake = 1.0
    if s[BITS] == 0b11 or s[BITS] == 0b110:  # a bet that was called
        stake = 2.0
    winner = 0 if s[CARDS] > s[CARDS + 1] else 1
    if s[ACTS] == 2 and s[BITS] == 0b01:
        winner = 0
    elif s[ACTS] == 3 and s[BITS] == 0b010:
        winner = 1
    out[winner] = stake
    out[1 - winner] = -stake


def hide(g: Ground, s: State, p: int) -> None:
    for q in range(2):
        if q != p:
            s[CARDS + q] = 0


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    if s[ACTS] < 0 or p == NOBODY:
        return
    other = 1 - p
    card = below(r, 2) + 1
    if card >= s[CARDS + p]:
        card += 1
    s[CARDS + other] = card


class Kuhn(ArrayGame):
    name = "kuhn"
    title = "Kuhn poker"
    hidden = True
    payoff_range = (-2.0, 2.0)
    size, max_moves, max_length = 4, 2, 4

    def first(self, s):
        s[ACTS] = -1

    def move_text(self, s, p, m):
        return str(m) if p == CHANCE else ("pass", "bet")[m]
