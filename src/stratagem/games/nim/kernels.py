"""Rules of nim: take any number of objects from one heap; who takes the last object wins, or loses where MISERE."""

from __future__ import annotations

from stratagem.kernel import OVER, Ground, Payoffs, State

# state: [to move or OVER, who took the last object, objects of each heap..]; ground: the largest size of each heap
TURN, TAKER, HEAP = 0, 1, 2

# bound for each game; a move is heap * MAX_TAKE + objects taken - 1
HEAPS, MAX_TAKE, MISERE = 3, 5, False


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    n = 0
    for heap in range(HEAPS):
        n += min(s[HEAP + heap], MAX_TAKE)
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    for heap in range(HEAPS):
        here = min(s[HEAP + heap], MAX_TAKE)
        if k < here:
            return heap * MAX_TAKE + k
        k -= here
    return -1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[HEAP + m // MAX_TAKE] -= m % MAX_TAKE + 1
    s[TURN] = 1 - p
    for heap in range(HEAPS):
        if s[HEAP + heap] > 0:
            return
    s[TAKER] = p
    s[TURN] = OVER


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    winner = 1 - s[TAKER] if MISERE else s[TAKER]
    out[winner] = 1.0
    out[1 - winner] = -1.0


def key(g: Ground, s: State) -> int:
    """Mixed radix over the heaps, the turn and the last taker."""
    k = (s[TURN] + 1) * 2 + s[TAKER]
    for heap in range(HEAPS):
        k = k * (g[heap] + 1) + s[HEAP + heap]
    return k


def left(g: Ground, s: State) -> int:
    n = 0
    for heap in range(HEAPS):
        n += s[HEAP + heap]
    return n
