"""Rules of pig: roll as often as you dare; a 1 loses what this turn had gathered; who holds at the target or more wins.

A turn begins with a roll: holding before it would let a game stand still.
"""

from __future__ import annotations

from stratagem.kernel import CHANCE, OVER, Ground, Payoffs, State

# state: [player whose turn it is, phase, gathered this turn, score of each player..]
PLAYER, PHASE, GATHERED, SCORE = 0, 1, 2, 3
DECIDE, ROLLING, ENDED = 0, 1, 2
ROLL, HOLD = 0, 1

TARGET = 0  # the ground's only cell: the points that win

# bound for each game
SEATS, FACES = 2, 6


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
        if s[SCORE + p] >= g[TARGET]:
            s[PHASE] = ENDED
        else:
            pass_on(s)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(SEATS):
        out[p] = -1.0 / (SEATS - 1)
    out[s[PLAYER]] = 1.0


def promise(g: Ground, s: State, p: int) -> float:
    """The points that p may count on: its score, and if it is its turn what the turn brings when held at the best sum.

    Rolling pays as long as it gains more on the mean than a 1 loses, up to `hold_at` gathered (20 with six faces); a turn
    that has nothing yet is worth about two fifths of that, and the worth grows evenly in between.
    """
    if p != s[PLAYER]:
        return float(s[SCORE + p])
    hold_at = FACES * (FACES + 1) / 2 - 1.0
    gathered = float(s[GATHERED])
    if s[PHASE] == ROLLING:
        gathered += 1.0 + FACES / 2  # the mean of the rolls that are no 1
    worth = max(gathered, 0.4 * hold_at + 0.6 * gathered)
    if s[PHASE] == ROLLING:
        worth *= 1.0 - 1.0 / FACES
    return s[SCORE + p] + worth


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Chances to win in inverse proportion to the square of the points still to go, as payoffs."""
    total = 0.0
    for p in range(SEATS):
        togo = max(g[TARGET] - promise(g, s, p), 0.0) + FACES
        out[p] = 1.0 / (togo * togo)
        total += out[p]
    for p in range(SEATS):
        chance = out[p] / total
        out[p] = 0.9 * (chance - (1.0 - chance) / (SEATS - 1))
