"""Rules of a draft: in the order given, players take one free item each that their limits allow; who has none passes."""

from __future__ import annotations

from stratagem.bits import lowest, popcount
from stratagem.hints import nth
from stratagem.kernel import OVER, Ground, Payoffs, State

# state: [turns that are over, items of player 0 as a bitmask, of player 1, ..]
TURN, OWNED = 0, 1
# ground: [players, items, turns, order.., worths of player 0 in 1e-9.., of player 1.., limited positions P, limits.. of P,
#          their items as bitmasks.. of P]; move x takes item x, move `items` passes
SEATS, ITEMS, TURNS, ORDER = 0, 1, 2, 3


def turn(g: Ground, s: State) -> int:
    return g[ORDER + s[TURN]] if s[TURN] < g[TURNS] else OVER


def legal(g: Ground, s: State, p: int) -> int:
    """The items that player p may take, as a bitmask."""
    free = (1 << g[ITEMS]) - 1
    for i in range(g[SEATS]):
        free &= ~s[OWNED + i]
    at = ORDER + g[TURNS] + g[SEATS] * g[ITEMS]
    positions = g[at]
    for k in range(positions):
        same = g[at + 1 + positions + k]
        if popcount(s[OWNED + p] & same) >= g[at + 1 + k]:
            free &= ~same
    return free


def count(g: Ground, s: State, p: int) -> int:
    return max(popcount(legal(g, s, p)), 1)


def move(g: Ground, s: State, p: int, k: int) -> int:
    mask = legal(g, s, p)
    return lowest(nth(mask, k)) if mask else g[ITEMS]


def play(g: Ground, s: State, p: int, m: int) -> None:
    if m < g[ITEMS]:
        s[OWNED + p] |= 1 << m
    s[TURN] += 1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """What each player's items are worth to it."""
    for i in range(g[SEATS]):
        total = 0
        for x in range(g[ITEMS]):
            total += (s[OWNED + i] >> x & 1) * g[ORDER + g[TURNS] + i * g[ITEMS] + x]
        out[i] = total * 1e-9


def left(g: Ground, s: State) -> int:
    return g[TURNS] - s[TURN]
