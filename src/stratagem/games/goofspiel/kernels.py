"""Rules of goofspiel: each round a prize lies open, all bid one card of their hand at once, and the highest bid takes it.

Where the highest bid is tied, nobody takes the prize (Ross 1971 lets it lapse; so does OpenSpiel). Cards that were bid are
gone. Hands and the deck of prizes are bit masks: card c is bit c - 1.
"""

from __future__ import annotations

from stratagem.bits import popcount
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below

# state: [the open prize or 0, the prizes still to come, points of each seat.., hand of each seat..]
OPEN, DECK, POINTS = 0, 1, 2

# bound for each game
SEATS, CARDS, HAND = 2, 4, 4  # HAND is the offset of the hands: POINTS + SEATS
SHUFFLED, DESCENDING, WIN_OR_LOSE = False, True, False


def card(mask: int, k: int) -> int:
    """The k-th lowest card of a mask."""
    for c in range(1, CARDS + 1):
        if mask >> (c - 1) & 1:
            if k == 0:
                return c
            k -= 1
    return 0


def turn(g: Ground, s: State) -> int:
    if s[OPEN] > 0:
        return TOGETHER
    return CHANCE if s[DECK] != 0 else OVER


def count(g: Ground, s: State, p: int) -> int:
    return popcount(s[DECK]) if p == CHANCE else popcount(s[HAND + p])


def move(g: Ground, s: State, p: int, k: int) -> int:
    """A card of the hand, high cards first."""
    return card(s[HAND + p], popcount(s[HAND + p]) - 1 - k)


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    n = 0
    for c in range(CARDS, 0, -1):
        if s[HAND + p] >> (c - 1) & 1:
            out[n] = c
            n += 1
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    return card(s[HAND + p], below(r, popcount(s[HAND + p])))


def odds(g: Ground, s: State, k: int) -> float:
    return 1.0 / popcount(s[DECK])


def turn_up(s: State, c: int) -> None:
    s[OPEN] = c
    s[DECK] &= ~(1 << (c - 1))


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Chance alone moves singly: it turns up the m-th lowest prize that is left."""
    turn_up(s, card(s[DECK], m))


def play_together(g: Ground, s: State, joint: Moves) -> None:
    best = 0
    winner = -1
    for p in range(SEATS):
        s[HAND + p] &= ~(1 << (joint[p] - 1))
        if joint[p] > best:
            best = joint[p]
            winner = p
        elif joint[p] == best:
            winner = -1
    if winner >= 0:
        s[POINTS + winner] += s[OPEN]
    s[OPEN] = 0
    left = popcount(s[DECK])
    if left > 0 and not SHUFFLED:
        turn_up(s, card(s[DECK], left - 1 if DESCENDING else 0))


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """The lead over the mean of the others; or a win, shared by those who share the lead, paid by the rest."""
    total = 0.0
    best = s[POINTS]
    for p in range(SEATS):
        total += s[POINTS + p]
        best = max(best, s[POINTS + p])
    winners = 0
    for p in range(SEATS):
        if s[POINTS + p] == best:
            winners += 1
    for p in range(SEATS):
        if WIN_OR_LOSE:
            out[p] = -1.0 / (SEATS - 1)
            if s[POINTS + p] == best:
                out[p] = (SEATS - winners) / (winners * (SEATS - 1.0))
        else:
            out[p] = s[POINTS + p] - (total - s[POINTS + p]) / (SEATS - 1)
