"""Judging positions and playing quickly: evaluators E0 to E2 with terms, and the playout strategies P0 to P4, as kernels.

An evaluator says how far a robot still has to go: in straight steps (E0), in steps around walls and pits (E1), or in
registers, with belts, gears and turning (E2). `value` turns that, damage and lives into chances to win: the robots share 1
in proportion to exp of their scores.

A playout strategy writes a programme quickly: any cards (P0), any reduced programme (P1), the best of a few random ones
for a robot alone on the floor (P2), that but now and then any cards (P3), or a draw among the few by their worth (P4).
"""

from __future__ import annotations

import numpy as np

from stratagem.games.roborally.kernels import (
    ANNOUNCE,
    ANNOUNCED,
    ARCHIVE,
    AT,
    DAMAGE,
    ENTERING,
    FACING,
    FAR,
    FLAGS,
    GONE,
    HAND,
    HAND_SIZE,
    LEGS_AT,
    LIVES,
    LONE_AT,
    NEXT,
    PHASE,
    PROGRAMMING,
    REACH_AT,
    REGISTER,
    REGISTERS,
    ROBOT,
    ROBOTS,
    SEATS,
    SPACES,
    STATUS,
    STAYING,
    WALK_AT,
    WIDTH,
    count,
    entry_choices,
    is_awake,
    move,
    open_registers,
    plane,
)
from stratagem.games.roborally.kernels import FLAG as FLAG_PLANE
from stratagem.kernel import SIZE, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, unit

# bound for each player
EVALUATOR = 2
STRATEGY = 2
CANDIDATES = 24  # programmes that P2 to P4 look at
EPSILON = 0.1  # how often P3 plays anything
WARMTH = 2.0  # of P4, in registers
PER_REGISTER, PER_LIFE, PER_DAMAGE, PER_LOCK = 0.3, 0.7, 0.06, 0.12  # weights of the score
DEATH = 25  # registers that a lost life is worth, to a robot alone
CALM = 4  # damage from which a playout announces a power-down
WIDEST = 60  # registers beyond which distance no longer matters
TRIAL = 184  # scratch: five cards


# ------------------------------------------------------------------------------------------------------ evaluators


def distance(g: Ground, next_flag: int, space: int, facing: int) -> int:
    """To a flag and on by all later ones, by the evaluator in use; facing -1: the best one."""
    flags = g[FLAGS]
    if next_flag > flags:
        return 0
    if EVALUATOR == 0:
        way = FAR
        for target in range(g[SPACES]):
            if plane(g, target, FLAG_PLANE) == next_flag:
                way = abs(target % g[WIDTH] - space % g[WIDTH]) + abs(target // g[WIDTH] - space // g[WIDTH])
    elif EVALUATOR == 1:
        way = g[g[WALK_AT] + (next_flag - 1) * g[SPACES] + space]
    else:
        at = g[REACH_AT] + 4 * (next_flag - 1) * g[SPACES] + 4 * space
        if facing >= 0:
            way = g[at + facing]
        else:
            way = min(g[at], g[at + 1], g[at + 2], g[at + 3])
    return way + g[g[LEGS_AT] + EVALUATOR * (flags + 1) + next_flag - 1]


def score(g: Ground, s: State, i: int) -> float:
    """How well robot i stands, alone."""
    at = ROBOTS + ROBOT * i
    if s[at + AT] >= 0:
        way = distance(g, s[at + NEXT], s[at + AT], s[at + FACING])
        damage = s[at + DAMAGE] if s[at + ANNOUNCED] == 0 else s[at + DAMAGE] // 2 + 2
    else:
        way = distance(g, s[at + NEXT], s[at + ARCHIVE], -1) + 1
        damage = 2
    locks = max(damage - 4, 0)
    return (
        -PER_REGISTER * min(way, WIDEST + 40)
        + PER_LIFE * min(s[at + LIVES], 3)
        - PER_DAMAGE * damage
        - PER_LOCK * locks
    )


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Chances to win: shares of 1 in proportion to exp(score) among those not out."""
    best = -1e9
    for i in range(SEATS):
        out[i] = -1e9
        if s[ROBOTS + ROBOT * i + STATUS] != GONE:
            out[i] = score(g, s, i)
            best = max(best, out[i])
    total = 0.0
    for i in range(SEATS):
        out[i] = np.exp(max(out[i] - best, -60.0))
        total += out[i]
    for i in range(SEATS):
        out[i] /= total


# ---------------------------------------------------------------------------------------------------- a robot alone


def effect_of(card: int) -> int:
    """U, L, R, back, 1, 2, 3 as 0 .. 6."""
    if card <= 6:
        return 0
    if card <= 42:
        return 1 if card % 2 == 1 else 2
    if card <= 48:
        return 3
    if card <= 66:
        return 4
    return 5 if card <= 78 else 6


def alone(g: Ground, s: State, p: int, m: int) -> int:
    """How far robot p would still have to go after programme m, were it alone; lower is better."""
    at = ROBOTS + ROBOT * p
    node = 4 * s[at + AT] + s[at + FACING]
    flag = s[at + NEXT]
    open_ = open_registers(s[at + DAMAGE])
    for r in range(REGISTERS):
        card = (m >> (7 * r)) & 127 if r < open_ else s[at + REGISTER + r]
        node = g[g[LONE_AT] + (r * 4 * g[SPACES] + node) * 7 + effect_of(card)]
        if node < 0:
            return DEATH + distance(g, flag, s[at + ARCHIVE], -1)
        if plane(g, node >> 2, FLAG_PLANE) == flag:
            flag += 1
            if flag > g[FLAGS]:
                return r - REGISTERS
    return distance(g, flag, node >> 2, node & 3)


def score_alone(g: Ground, s: State, p: int, listed: Moves, out: Moves) -> None:
    """`alone` for every move of a list."""
    for j in range(listed.shape[0]):
        out[j] = alone(g, s, p, listed[j])


# --------------------------------------------------------------------------------------------------------- playouts


def any_cards(s: State, p: int, r: Rng) -> int:
    """A programme uniform over ordered choices of cards."""
    at = ROBOTS + ROBOT * p
    hand = HAND_SIZE - s[at + DAMAGE]
    packed = 0
    used = 0
    for register in range(open_registers(s[at + DAMAGE])):
        c = below(r, hand - register)
        for j in range(hand):  # the c-th card not used
            if (used >> j) & 1 == 0:
                if c == 0:
                    used |= 1 << j
                    packed |= s[at + HAND + j] << (7 * register)
                    break
                c -= 1
    return packed


def few_programmes(g: Ground, s: State, p: int, r: Rng) -> int:
    """P2 and P4: the best of a few random programmes for a robot alone, or a draw by their worth."""
    best = any_cards(s, p, r)
    least = 1e9
    for _ in range(CANDIDATES):
        m = any_cards(s, p, r)
        worth = alone(g, s, p, m) + 0.0
        if STRATEGY == 4:
            worth += WARMTH * np.log(-np.log(unit(r) * 0.999999 + 5e-7))  # Gumbel noise: a draw from the softmax
        if worth < least:
            least = worth
            best = m
    return best


def write_quickly(g: Ground, s: State, p: int, r: Rng) -> int:
    if STRATEGY == 0:
        return any_cards(s, p, r)
    if STRATEGY == 3 and unit(r) < EPSILON:
        return any_cards(s, p, r)
    m = few_programmes(g, s, p, r)
    return m | ANNOUNCE if s[ROBOTS + ROBOT * p + DAMAGE] >= CALM else m


def playout(g: Ground, s: State, p: int, r: Rng) -> int:
    """The playout strategy, whatever is to be decided."""
    if s[PHASE] == PROGRAMMING:
        if STRATEGY == 1:
            return move(g, s, p, below(r, count(g, s, p)))
        return write_quickly(g, s, p, r)
    if s[PHASE] == STAYING:
        return 1 if s[ROBOTS + ROBOT * p + DAMAGE] > 2 else 0
    return quick_entry(g, s, p)


def quick_entry(g: Ground, s: State, p: int) -> int:
    """Re-entry nearest to the flag, ties in the order of choices; powered down if that was announced."""
    at = ROBOTS + ROBOT * p
    n = entry_choices(g, s, p, -1)
    best = 0
    least = 1 << 40
    for j in range(n):
        choice = entry_choices(g, s, p, j)
        way = distance(g, s[at + NEXT], choice >> 2, choice & 3)
        if way < least:
            least = way
            best = choice
    return 2 * best


def asked(g: Ground, s: State, p: int) -> int:
    """In place of `count` where only whether a seat is asked matters."""
    if s[PHASE] == PROGRAMMING:
        return 1 if is_awake(s, p) else 0
    return count(g, s, p)


def turns(t: int) -> int:
    """The depth of a playout is counted in turns: only programmes add to it."""
    return 1 if t == -3 else 0


__all__ = ["ENTERING", "SIZE", "alone", "asked", "playout", "score_alone", "turns", "value"]
