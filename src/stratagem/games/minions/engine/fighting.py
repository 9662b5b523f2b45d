"""Attack plans from prophecies, compiled: the wanted enemies one after another, by the cheapest who can, through what has fallen.

A prophecy is a row: for each hex how likely the enemy there is to be removed, then how likely the own unit there is to take no
part. Enemies above a half are gone for in falling order, own units above a half stay out. A removal opens ways, so those that
failed are tried again after each success; friends in the way step aside. Not complete: the attack solver is (`attack`).
"""

from __future__ import annotations

import math

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, worths
from stratagem.games.minions.engine.scratch import HARM, PROPHECIES, ROW, THREATS, EngineScratch, Fight, Reals, write
from stratagem.games.minions.engine.sorcery import aid, empower, finish
from stratagem.games.minions.engine.threats import lord_of, net, threaten
from stratagem.games.minions.layout import MAGIC
from stratagem.games.minions.maps import apart
from stratagem.kernel import Ground, State
from stratagem.rng import Rng
from stratagem.rng import unit as chance

# kinds of prophecies
BY_VALUE, NOTHING, CHEAPLY, GRAVEYARDS, NECROMANCERS, DEFENCE, SOME, OTHERS = range(PROPHECIES)

# Below, actions are carried out on the board without asking whether they are legal, which they are by how they were found: every
# turn is played by the rules before it is judged. Calling the rules here would have them compiled again in each caller.

COSTS, HEX, SPOTS_LO, SPOTS_HI, GIVES, HITS, SPOT, DONE = range(8)  # of a strike


def shift(b: State, h: int, to: int) -> None:
    """The unit on h goes to an empty hex; where moves may be split, all its steps are taken as spent."""
    cell = b[layout.CELL + h] | layout.MOVED
    if MAGIC:
        cell |= layout.STEPS_MASK << layout.STEPS_SHIFT
    layout.put(b, h, 0)
    layout.put(b, to, cell)


def prize(g: Ground, k: int, b: State, y: int) -> float:
    """What the removal of an enemy is worth, in dollars."""
    cell = b[layout.CELL + y]
    if layout.unit(g, cell, layout.NECROMANCER) == 1:
        return worths.NECROMANCER_KILLED
    grave = layout.holds(g[layout.tiles_of(k)], g[layout.tiles_of(k) + 1], y)
    return net(g, (cell & layout.TYPE_MASK) - 1) + 1.0 + (worths.GRAVEYARD if grave else 0.0)


def prophesy(g: Ground, k: int, b: State, side: int, r: Rng, fight: Fight) -> None:
    """The script's prophecies for a board into `fight.rows`, a row a kind."""
    tiles = layout.tiles_of(k)
    for i in range(PROPHECIES * ROW):
        fight.rows[i] = 0.0
    home, throne = lord_of(g, b, side), lord_of(g, b, 1 - side)
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        cell = b[layout.CELL + h]
        lord = h == home
        dear = layout.unit(g, cell, layout.COST) / 10.0
        on_grave = 0.15 if layout.holds(g[tiles], g[tiles + 1], h) else 0.0
        for kind in range(PROPHECIES):
            p = 0.45 if lord else 0.1 + 0.2 * dear + on_grave
            if kind == NOTHING:
                p = 0.97
            elif kind == CHEAPLY:
                p = 0.9 if lord or dear > 0.4 else p
            elif kind >= SOME:
                p = chance(r) * 0.7
            fight.rows[kind * ROW + 100 + h] = p
    lo, hi = layout.foes(b, side)
    while lo != 0 or hi != 0:
        y, lo, hi = layout.take(lo, hi)
        worth = prize(g, k, b, y)
        p = 0.5 + 0.49 * worth / (worth + 6.0)
        grave = layout.holds(g[tiles], g[tiles + 1], y)
        fight.rows[BY_VALUE * ROW + y] = p
        fight.rows[NOTHING * ROW + y] = 0.03
        fight.rows[CHEAPLY * ROW + y] = p
        fight.rows[GRAVEYARDS * ROW + y] = p if grave or worth > 50 else 0.3
        near = throne >= 0 and apart(throne, y) <= 2
        fight.rows[NECROMANCERS * ROW + y] = 0.99 if y == throne else (1.0 - p * 0.5 if near else 0.2)
        close = home >= 0 and apart(home, y) <= 4
        fight.rows[DEFENCE * ROW + y] = p if close or worth > 50 else 0.3
        fight.rows[SOME * ROW + y] = 0.99 if worth > 50 else chance(r)
        fight.rows[OTHERS * ROW + y] = 0.99 if worth > 50 else chance(r)


def shake(noise: float, r: Rng, fight: Fight) -> None:
    """Add normal noise of a deviation to the logits of the prophecy `fight.row`."""
    for i in range(0, ROW, 2):  # Box and Muller
        first, second = chance(r), chance(r)
        if fight.row[i] <= 0.0 and fight.row[i + 1] <= 0.0:
            continue
        radius, angle = math.sqrt(-2.0 * math.log(1.0 - first)), 2.0 * math.pi * second
        for j in range(2):
            p = min(max(fight.row[i + j], 0.01), 0.99)
            draw = radius * (math.cos(angle) if j == 0 else math.sin(angle))
            if fight.row[i + j] > 0.0:
                fight.row[i + j] = 1.0 / (1.0 + math.exp(-math.log(p / (1.0 - p)) - noise * draw))


def grade_hexes(g: Ground, k: int, b: State, side: int, r: Rng, noise: float, scratch: EngineScratch) -> None:
    """How good each hex is to fight from: graveyards are, and hexes out of the enemy's reach."""
    threaten(g, k, b, 1 - side, scratch.threat)
    tiles = layout.tiles_of(k)
    at = (1 - side) * THREATS + HARM
    for h in range(100):
        grade = worths.GRAVEYARD_TO_FIGHT_FROM if layout.holds(g[tiles], g[tiles + 1], h) else 0.0
        grade -= 0.3 * min(scratch.threat[at + h], 8)
        if noise > 0.0:
            grade += noise * 3.0 * (chance(r) + chance(r) - 1.0)
        scratch.fight.stand[h] = grade


def list_strikes(g: Ground, k: int, b: State, side: int, y: int, scratch: EngineScratch) -> int:
    """Who could remove an enemy or help to, the readiest first."""
    target = b[layout.CELL + y]
    need = layout.defense(g, target) - layout.hurt(target)
    lord = layout.unit(g, target, layout.NECROMANCER) == 1
    persistent = layout.unit(g, target, layout.PERSISTENT) == 1
    foe_lo, foe_hi = layout.foes(b, side)
    n = 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if scratch.fight.row[100 + h] > 0.5 or not layout.can_attack(g, b, h):
            continue
        cell = b[layout.CELL + h]
        kind = layout.unit(g, cell, layout.KIND)
        if kind == layout.DEATHTOUCH and lord:
            continue
        near_lo, near_hi = layout.within(g, y, layout.reaching(g, cell))
        at_lo, at_hi = layout.low_bit(h), layout.high_bit(h)
        if not layout.lumbers(g, cell) and layout.can_move(g, b, h):
            at_lo, at_hi = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
        at_lo &= near_lo
        at_hi &= near_hi
        if at_lo == 0 and at_hi == 0:
            continue
        gives = layout.damage(g, cell)
        if kind == layout.DEATHTOUCH:
            gives = need
        elif kind == layout.UNSUMMONS:
            gives = 1 if persistent else need
        left = layout.attacks(g, cell) - layout.used(cell)
        cost = int(1000.0 * scratch.fight.row[100 + h]) + (20 if not layout.holds(at_lo, at_hi, h) else 0)
        i = n
        while i > 0 and scratch.fight.strikes[8 * (i - 1) + COSTS] > cost:
            for j in range(8):
                scratch.fight.strikes[8 * i + j] = scratch.fight.strikes[8 * (i - 1) + j]
            i -= 1
        scratch.fight.strikes[8 * i + COSTS] = cost
        scratch.fight.strikes[8 * i + HEX] = h
        scratch.fight.strikes[8 * i + SPOTS_LO] = at_lo
        scratch.fight.strikes[8 * i + SPOTS_HI] = at_hi
        scratch.fight.strikes[8 * i + GIVES] = gives
        scratch.fight.strikes[8 * i + HITS] = left
        scratch.fight.strikes[8 * i + SPOT] = -1
        scratch.fight.strikes[8 * i + DONE] = 0
        n += 1
    return n


def best_of(grades: Reals, lo: int, hi: int, least: float) -> int:
    """The hex of a set with the highest grade, if that is above the least; else -1."""
    best, found = least, -1
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if grades[h] > best:
            best, found = grades[h], h
    return found


def find_spot(g: Ground, b: State, h: int, lo: int, hi: int, scratch: EngineScratch) -> int:
    """The best hex of a set for the unit on h to fight from; one that a friend holds is good only if that friend can go."""
    best, found = -1e9, -1
    while lo != 0 or hi != 0:
        at, lo, hi = layout.take(lo, hi)
        grade = scratch.fight.stand[at]
        if at == h:
            grade += 0.5
        elif b[layout.CELL + at] != 0:
            if not layout.can_move(g, b, at):
                continue
            grade -= 3.0
        if grade > best:
            best = grade
            found = at
    return found


def enlist(g: Ground, b: State, need: int, n: int, scratch: EngineScratch) -> bool:
    """Choose strikes, each from a hex of its own, until they suffice; those not needed in the end are let go."""
    rows = scratch.fight.strikes
    taken_lo, taken_hi = 0, 0
    total = 0
    for i in range(n):
        if total >= need:
            break
        row = 8 * i
        spot = find_spot(
            g, b, rows[row + HEX], rows[row + SPOTS_LO] & ~taken_lo, rows[row + SPOTS_HI] & ~taken_hi, scratch
        )
        if spot >= 0:
            rows[row + SPOT] = spot
            taken_lo |= layout.low_bit(spot)
            taken_hi |= layout.high_bit(spot)
            total += rows[row + GIVES] * rows[row + HITS]
    if total < need:
        return False
    for i in range(n):
        row = 8 * i
        gives = rows[row + GIVES] * rows[row + HITS]
        if rows[row + SPOT] >= 0 and total - gives >= need:
            rows[row + SPOT] = -1
            total -= gives
    return True


def make_way(g: Ground, s: State, k: int, h: int, n: int, at: int, scratch: EngineScratch) -> int:
    """The friend on a hex steps aside if it may, not to where a striker is to stand; returns where the next action goes."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if not layout.can_move(g, b, h):
        return at
    for i in range(n):  # a striker itself: it goes in its own turn or not at all
        row = 8 * i
        if (
            scratch.fight.strikes[row + HEX] == h
            and scratch.fight.strikes[row + SPOT] >= 0
            and scratch.fight.strikes[row + DONE] == 0
        ):
            return at
    foe_lo, foe_hi = layout.foes(b, s[layout.SIDE])
    lo, hi = layout.reach(g, layout.tiles_of(k), b, h, foe_lo, foe_hi)
    lo, hi = layout.vacant(b, lo, hi)
    for i in range(n):
        spot = scratch.fight.strikes[8 * i + SPOT]
        if spot >= 0:
            lo &= ~layout.low_bit(spot)
            hi &= ~layout.high_bit(spot)
    found = best_of(scratch.fight.stand, lo, hi, -1e9)
    if found < 0:
        return at
    shift(b, h, found)
    return write(scratch.out, at, layout.MOVE, k, (2, h, found, 0))


def strike(g: Ground, s: State, k: int, y: int, n: int, at: int, scratch: EngineScratch) -> int:
    """Those enlisted go to their hexes and strike; returns where the next action goes."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    rows = scratch.fight.strikes
    going = True
    while going and b[layout.CELL + y] != 0:
        going = False
        for i in range(n):
            row = 8 * i
            h, spot = rows[row + HEX], rows[row + SPOT]
            if spot < 0 or rows[row + DONE] == 1 or (spot != h and b[layout.CELL + spot] != 0):
                continue
            if spot != h:
                shift(b, h, spot)
                at = write(scratch.out, at, layout.MOVE, k, (2, h, spot, 0))
            for _ in range(rows[row + HITS]):
                if b[layout.CELL + y] != 0 and rules.attack(g, b, s[layout.SIDE], spot, y) == layout.LEGAL:
                    at = write(scratch.out, at, layout.ATTACK, k, (2, spot, y, 0))
            rows[row + DONE] = 1
            going = True
        if going:
            continue
        for i in range(n):
            row = 8 * i
            spot = rows[row + SPOT]
            if spot >= 0 and rows[row + DONE] == 0 and b[layout.CELL + spot] != 0:
                before = at
                at = make_way(g, s, k, spot, n, at, scratch)
                if at > before:
                    going = True
                    break
                rows[row + DONE] = 1
    return at


def fight(g: Ground, s: State, k: int, scratch: EngineScratch) -> int:
    """Play the attack that follows `scratch.fight.row` on board k; returns the length of its words in `scratch.out`."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    at = 0
    if MAGIC and g[layout.SPELLS_ON] == 1:
        at = empower(g, s, k, at, scratch)
    left_lo, left_hi = layout.foes(b, side)
    tried_lo, tried_hi = 0, 0
    while True:
        y = best_of(scratch.fight.row, left_lo & ~tried_lo, left_hi & ~tried_hi, 0.5)
        if y < 0:
            s[layout.MONEY + 1 - side] += b[layout.OWED]
            b[layout.OWED] = 0
            return at
        tried_lo |= layout.low_bit(y)
        tried_hi |= layout.high_bit(y)
        n = list_strikes(g, k, b, side, y, scratch)
        need = layout.defense(g, b[layout.CELL + y]) - layout.hurt(b[layout.CELL + y])
        if n > 0 and enlist(g, b, need, n, scratch):
            at = strike(g, s, k, y, n, at, scratch)
        elif MAGIC and g[layout.SPELLS_ON] == 1 and prize(g, k, b, y) >= worths.DEAR:
            added = aid(g, s, k, y)  # blows as far as spells can do the rest
            if added > 0 and n > 0 and enlist(g, b, max(need - added, 1), n, scratch):
                at = strike(g, s, k, y, n, at, scratch)
            at = finish(g, s, k, y, at, scratch)
        now_lo, now_hi = layout.foes(b, side)
        if layout.size(now_lo, now_hi) < layout.size(left_lo, left_hi):  # a way may have opened
            left_lo, left_hi = now_lo, now_hi
            tried_lo, tried_hi = 0, 0
