"""Threat maps: what a side could do to each hex in its next turn, as the board stands."""

from __future__ import annotations

from stratagem.games.minions.engine.desk import HARM, SEND, THREATS, TOUCH, Desk
from stratagem.games.minions.kernels import (
    CELL,
    COLUMNS,
    COST,
    DEATHTOUCH,
    DEFENSE,
    KIND,
    NECROMANCER,
    PERSISTENT,
    REBATE,
    UNIT,
    UNITS,
    UNSUMMONS,
    attacks,
    damage,
    first_hex,
    foes,
    grow,
    high_bit,
    low_bit,
    lumbers,
    reach,
    reaching,
    tiles_of,
    unit,
)
from stratagem.kernel import Ground, State


def threaten(g: Ground, k: int, b: State, side: int, desk: Desk) -> None:
    """Add up, for each hex, what all units of a side together could bring there, each moving first if it may."""
    at = side * THREATS
    for i in range(THREATS):
        desk.threat[at + i] = 0
    foe_lo, foe_hi = foes(b, side)
    left_lo, left_hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while left_lo != 0 or left_hi != 0:
        h = first_hex(left_lo, left_hi)
        left_lo &= ~low_bit(h)
        left_hi &= ~high_bit(h)
        cell = b[CELL + h]
        far, n = reaching(g, cell), attacks(g, cell)
        if far == 0 or n == 0:
            continue
        lo, hi = low_bit(h), high_bit(h)
        if not lumbers(g, cell):
            lo, hi = reach(g, tiles_of(k), b, h, foe_lo, foe_hi)
        for _ in range(far):
            lo, hi = grow(lo, hi)
        kind = unit(g, cell, KIND)
        what = TOUCH if kind == DEATHTOUCH else SEND if kind == UNSUMMONS else HARM
        much = n if kind in (DEATHTOUCH, UNSUMMONS) else n * damage(g, cell)
        while lo != 0 or hi != 0:
            y = first_hex(lo, hi)
            lo &= ~low_bit(y)
            hi &= ~high_bit(y)
            desk.threat[at + what + y] += much


def risk(g: Ground, t: int, h: int, by: int, desk: Desk) -> float:
    """How likely a unit of a type on a hex is to be removed by a side's next turn, roughly: 0 to 1."""
    at = by * THREATS + h
    row = UNIT + t * COLUMNS
    harm, touch, send = desk.threat[at + HARM], desk.threat[at + TOUCH], desk.threat[at + SEND]
    persistent = g[row + PERSISTENT] == 1
    if persistent:
        harm += send
    if touch > 0 and g[row + NECROMANCER] == 0:
        return 1.0
    if harm >= g[row + DEFENSE]:
        return 1.0 if harm >= 2 * g[row + DEFENSE] else 0.8
    if send > 0 and not persistent:
        return 0.4
    return 0.0


def net(g: Ground, t: int) -> int:
    """What the death of a unit costs its side."""
    return g[UNIT + t * COLUMNS + COST] - g[UNIT + t * COLUMNS + REBATE]
