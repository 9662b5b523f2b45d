"""Threat maps: what a side could do to each hex in its next turn, as the board stands."""

from __future__ import annotations

from stratagem.games.minions import layout
from stratagem.games.minions.engine.scratch import HARM, SEND, THREATS, TOUCH
from stratagem.games.minions.layout import Stream
from stratagem.kernel import Ground, State


def lord_of(g: Ground, b: State, side: int) -> int:
    """The hex of a side's necromancer, or -1."""
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if layout.unit(g, b[layout.CELL + h], layout.NECROMANCER) == 1:
            return h
    return -1


def threaten(g: Ground, k: int, b: State, side: int, threat: Stream) -> None:
    """Add up, for each hex, what all units of a side together could bring there, each moving first if it may."""
    at = side * THREATS
    for i in range(THREATS):
        threat[at + i] = 0
    foe_lo, foe_hi = layout.foes(b, side)
    left_lo, left_hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while left_lo != 0 or left_hi != 0:
        h, left_lo, left_hi = layout.take(left_lo, left_hi)
        cell = b[layout.CELL + h]
        far, n = layout.reaching(g, cell), layout.attacks(g, cell)
        if far == 0 or n == 0:
            continue
        lo, hi = layout.low_bit(h), layout.high_bit(h)
        if not layout.lumbers(g, cell):
            lo, hi = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
        for _ in range(far):
            lo, hi = layout.grow(lo, hi)
        kind = layout.unit(g, cell, layout.KIND)
        what = TOUCH if kind == layout.DEATHTOUCH else SEND if kind == layout.UNSUMMONS else HARM
        much = n if kind in (layout.DEATHTOUCH, layout.UNSUMMONS) else n * layout.damage(g, cell)
        while lo != 0 or hi != 0:
            y, lo, hi = layout.take(lo, hi)
            threat[at + what + y] += much


def risk(g: Ground, t: int, h: int, by: int, threat: Stream) -> float:
    """How likely a unit of a type on a hex is to be removed by a side's next turn, roughly: 0 to 1."""
    at = by * THREATS + h
    row = layout.UNIT + t * layout.COLUMNS
    harm, touch, send = threat[at + HARM], threat[at + TOUCH], threat[at + SEND]
    persistent = g[row + layout.PERSISTENT] == 1
    if persistent:
        harm += send
    if touch > 0 and g[row + layout.NECROMANCER] == 0:
        return 1.0
    if harm >= g[row + layout.DEFENSE]:
        return 1.0 if harm >= 2 * g[row + layout.DEFENSE] else 0.8
    if send > 0 and not persistent:
        return 0.4
    return 0.0


def net(g: Ground, t: int) -> int:
    """What the death of a unit costs its side."""
    return g[layout.UNIT + t * layout.COLUMNS + layout.COST] - g[layout.UNIT + t * layout.COLUMNS + layout.REBATE]
