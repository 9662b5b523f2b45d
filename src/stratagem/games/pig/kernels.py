"""Rules of pig: roll as often as you dare; a 1 loses what this turn had gathered; who holds at TARGET or more wins.

A turn begins with a roll: holding before it would let a game stand still.
"""

from __future__ import annotations

from stratagem.kernel import CHANCE, OVER, Ground, Payoffs, State

# state: [player whose turn it is, phase, gathered this turn, score of each player..]
PLAYER, PHASE, GATHERED, SCORE = 0, 1, 2, 3
DECIDE, ROLLING, ENDED = 0, 1, 2
ROLL, HOLD = 0, 1

# bound for each game
SEATS, TARGET, FACES = 2, 100, 6


def turn(g: Ground, s: State) -> int:
    if s[PHASE] == ROLLING:
        return CHANCE
    if s[PHASE] == ENDED:
        return OVER
    return s[PLAYER]


def count(g: Ground, s: State, p: int) -> int:
    if p == CHANCE:
        return FACES
    return 1 if s[GATHERED] == 0 else 2


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def odds(g: Ground, s: State, k: int) -> float:
    return 1.0 / FACES


def pass_on(s: State) -> None:
    s[GATHERED] = 0
    s[PLAYER] = (s[PLAYER] + 1) % SEATS


def play(g: Ground, s: State, p: int, m: int) -> None:
    if p == CHANCE:
        s[PHASE] = DECIDE
        if m == 0:
            pass_on(s)
        else:
            s[GATHERED] += m + 1
    elif m == ROLL:
        s[PHASE] = ROLLING
    else:
        s[SCORE + p] += s[GATHERED]
        s[GATHERED] = 0
        if s[SCORE + p] >= TARGET:
            s[PHASE] = ENDED
        else:
            pass_on(s)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(SEATS):
        out[p] = -1.0 / (SEATS - 1)
    out[s[PLAYER]] = 1.0


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Each player's lead over the mean of the others, as a share of the target; half of what is gathered counts."""
    total = 0.0
    for p in range(SEATS):
        out[p] = min(s[SCORE + p] + (0.5 * s[GATHERED] if p == s[PLAYER] else 0.0), float(TARGET))
        total += out[p]
    for p in range(SEATS):
        out[p] = 0.9 * (out[p] - (total - out[p]) / (SEATS - 1)) / TARGET
        out[p] = max(out[p], -0.9 / (SEATS - 1))
