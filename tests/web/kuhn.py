"""Kuhn's poker as kernels, for the web's tests of secrets: three cards, one each, a bet or none."""

from __future__ import annotations

from stratagem import CHANCE, OVER, ArrayGame
from stratagem.errors import IllegalMove
from stratagem.rng import below

# state: [plies since the deal + 1 or 0 before it, card of 0, card of 1, bets so far as bits, the first seat's first act]
PLY, CARD, BETS, ACTS = 0, 1, 3, 4
DEALS = ((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2))
FIRST = (1, 1, 2, 2, 3, 3)
SECOND = (2, 3, 1, 3, 1, 2)


def turn(g, s):
    if s[PLY] == 0:
        return CHANCE
    acts = s[ACTS]
    # acts as digits: 1 pass, 2 bet
    if acts == 11 or acts == 21 or acts == 22 or acts == 121 or acts == 122:
        return OVER
    return (s[PLY] - 1) % 2


def count(g, s, p):
    return 6 if p == CHANCE else 2


def odds(g, s, k):
    return 1.0 / 6.0


def move(g, s, p, k):
    return k


def play(g, s, p, m):
    if p == CHANCE:
        s[CARD] = FIRST[m]
        s[CARD + 1] = SECOND[m]
        s[PLY] = 1
        return
    s[ACTS] = s[ACTS] * 10 + 1 + m
    s[PLY] += 1


def payoff(g, s, out):
    better = 1.0 if s[CARD] > s[CARD + 1] else -1.0
    acts = s[ACTS]
    if acts == 11:
        out[0] = better
    elif acts == 21:
        out[0] = 1.0
    elif acts == 121:
        out[0] = -1.0
    else:
        out[0] = 2.0 * better
    out[1] = -out[0]


def hide(g, s, p):
    for seat in range(2):
        if seat != p and turn(g, s) != OVER:
            s[CARD + seat] = 0


def guess(g, s, p, rng):
    if s[PLY] == 0 or turn(g, s) == OVER:
        return
    card = 1 + below(rng, 2)
    mine = s[CARD + p]
    s[CARD + 1 - p] = card if card < mine else card + 1


class Kuhn(ArrayGame):
    name = "kuhn"
    title = "Kuhn's poker"
    summary = "three cards, one each, a bet or none"
    size = 5
    max_moves = 2
    max_length = 4
    payoff_range = (-2.0, 2.0)
    hidden = True

    def move_text(self, s, p, m):
        return "/".join("?JQK"[c] for c in DEALS[m]) if p == CHANCE else ("pass", "bet")[m]

    def parse_move(self, s, p, text):
        known = [self.move_text(s, p, m) for m in range(count(None, s, p))]
        if text not in known:
            raise IllegalMove(f"{text!r} is none of {known}")
        return known.index(text)
