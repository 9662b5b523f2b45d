"""Threat maps: what a side could do to each hex in its next turn, as the board stands."""

from __future__ import annotations

from stratagem.games.minions import kernels as rules
from stratagem.games.minions.engine.desk import HARM, SEND, THREATS, TOUCH
from stratagem.games.minions.kernels import Stream
from stratagem.kernel import Ground, State


def lord_of(g: Ground, b: State, side: int) -> int:
    """The hex of a side's necromancer, or -1."""
    lo, hi = b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = rules.take(lo, hi)
        if rules.unit(g, b[rules.CELL + h], rules.NECROMANCER) == 1:
            return h
    return -1


def threaten(g: Ground, k: int, b: State, side: int, threat: Stream) -> None:
    """Add up, for each hex, what all units of a side together could bring there, each moving first if it may."""
    at = side * THREATS
    for i in range(THREATS):
        threat[at + i] = 0
    foe_lo, foe_hi = rules.foes(b, side)
    left_lo, left_hi = b[rules.UNITS + 2 * side], b[rules.UNITS + 2 * side + 1]
    while left_lo != 0 or left_hi != 0:
        h, left_lo, left_hi = rules.take(left_lo, left_hi)
        cell = b[rules.CELL + h]
        far, n = rules.reaching(g, cell), rules.attacks(g, cell)
        if far == 0 or n == 0:
            continue
        lo, hi = rules.low_bit(h), rules.high_bit(h)
        if not rules.lumbers(g, cell):
            lo, hi = rules.reach(g, rules.tiles_of(k), b, h, foe_lo, foe_hi)
        for _ in range(far):
            lo, hi = rules.grow(lo, hi)
        kind = rules.unit(g, cell, rules.KIND)
        what = TOUCH if kind == rules.DEATHTOUCH else SEND if kind == rules.UNSUMMONS else HARM
        much = n if kind in (rules.DEATHTOUCH, rules.UNSUMMONS) else n * rules.damage(g, cell)
        while lo != 0 or hi != 0:
            y, lo, hi = rules.take(lo, hi)
            threat[at + what + y] += much


def risk(g: Ground, t: int, h: int, by: int, threat: Stream) -> float:
    """How likely a unit of a type on a hex is to be removed by a side's next turn, roughly: 0 to 1."""
    at = by * THREATS + h
    row = rules.UNIT + t * rules.COLUMNS
    harm, touch, send = threat[at + HARM], threat[at + TOUCH], threat[at + SEND]
    persistent = g[row + rules.PERSISTENT] == 1
    if persistent:
        harm += send
    if touch > 0 and g[row + rules.NECROMANCER] == 0:
        return 1.0
    if harm >= g[row + rules.DEFENSE]:
        return 1.0 if harm >= 2 * g[row + rules.DEFENSE] else 0.8
    if send > 0 and not persistent:
        return 0.4
    return 0.0


def net(g: Ground, t: int) -> int:
    """What the death of a unit costs its side."""
    return g[rules.UNIT + t * rules.COLUMNS + rules.COST] - g[rules.UNIT + t * rules.COLUMNS + rules.REBATE]
