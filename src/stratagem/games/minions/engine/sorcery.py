"""Spells and tiles that act in the engine's plans, compiled: each card at its best aim, while that gains more than keeping it.

Damage by spells ends what attacks began (`aid`, `finish`); guards, hindrances, Zombies, places to spawn at and terrain are said
in dollars (`gain_of`), and the most gainful cast comes first. Every cast goes through the rules, so that what is made is legal.
What a card in the hand is worth is a table; debts of mana are paid by the cards that are worth least.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions.engine.desk import HARM, THREATS, TOUCH, Desk
from stratagem.games.minions.engine.threats import net, risk
from stratagem.games.minions.kernels import (
    ABILITY,
    ABILITY_KINDS,
    BOARD_SIZE,
    CAST,
    CELL,
    COST,
    DEALS_DAMAGE,
    DISCARD,
    FROZEN,
    GROUND_AT,
    IDLE,
    KIND,
    KINDS,
    LEGAL,
    MANA,
    MIST_AT,
    MODE,
    MONEY,
    MOVED,
    NECROMANCER,
    NODES_AT,
    NORMAL,
    PERSISTENT,
    RESET_2,
    RISE,
    SHIELDED,
    SIDE,
    SLOWED,
    SPAWNERS_AT,
    SPELL_KINDS,
    TELEPORT,
    TELEPORTERS_AT,
    TYPE_MASK,
    TYPES,
    UNIT,
    UNITS,
    UNKNOWN,
    ZOMBIE,
    ZONE,
    attacks,
    board_of,
    damage,
    defense,
    first_hex,
    foes,
    grow,
    hand_of,
    high_bit,
    holds,
    hurt,
    land_at,
    low_bit,
    lumbers,
    open_to,
    passes,
    reaching,
    size,
    spawn_places,
    speed,
    supports,
    tiles_of,
    trait,
    unit,
    within,
)
from stratagem.games.minions.kernels import COLUMNS as STATS
from stratagem.games.minions.magic import (
    AIM,
    BLINK_SPELL,
    DISMEMBER,
    DISPLACE,
    ENEMY,
    FESTER,
    FREEZE_RAY,
    LIGHTNING_BOLT,
    LUMBERING_SPELL,
    NORMALIZE,
    PROTECTION,
    PUSHES,
    RAISE_ZOMBIE,
    REPOSITION,
    RISING_HORDE,
    SHACKLE,
    SHIELD,
    SPAWN_SPELL,
    STUMBLE,
    TERRAFORM,
    TERRAIN,
    UNHOLY_MIGHT,
    UNSUMMON,
    WEAKEN,
    WOUNDED,
    affordable,
    arguments,
    cast,
    discard,
    land_on,
    mana_when_discarded,
    mana_when_played,
    may_teleport,
    place_in_hand,
    refused,
    rise,
    row_of,
    teleport,
    use_ability,
)
from stratagem.games.minions.magic import HARM as SPELL_HARM
from stratagem.games.minions.spells import deck
from stratagem.games.minions.wizard import WANTED
from stratagem.kernel import Ground, State
from stratagem.rng import Rng
from stratagem.rng import unit as chance

# when a card is looked at: after all moves of the attack phase, before units are bought and placed, after that; 0: otherwise
LATE, OPENING, LAST = 1, 2, 3
WHEN = row_of(
    SHIELD=LATE,
    PROTECTION=LATE,
    FREEZE_RAY=LATE,
    WEAKEN=LATE,
    LUMBERING_SPELL=LATE,
    SHACKLE=LATE,
    RAISE_ZOMBIE=LATE,
    STUMBLE=LATE,
    SPAWN_SPELL=OPENING,
    RISING_HORDE=OPENING,
    REPOSITION=LAST,
    DISPLACE=LAST,
    BLINK_SPELL=LAST,
    EARTHQUAKE_SPELL=LAST,
    FIRESTORM_SPELL=LAST,
    FLOOD_SPELL=LAST,
    WHIRLWIND_SPELL=LAST,
    NORMALIZE=LAST,
    TERRAFORM=LAST,
)
WANTED_DOLLARS = 0.6  # what a card is worth for each point that the script wants it by
_COPIES = deck()
_MEAN = sum(n * WANTED.get(spell, 0.0) for spell, n in enumerate(_COPIES)) / sum(_COPIES)
# dollars that a card in a hand is worth, by number of the spell; of one of which only the back is seen, the mean of a deck
KEPT = WANTED_DOLLARS * np.array([0.0, *(WANTED[spell] for spell in range(1, SPELL_KINDS + 1)), _MEAN])
assert len(KEPT) == KINDS
assert UNKNOWN == SPELL_KINDS + 1
FULL_WORTH = 6.0  # dollars that a hand is worth at the most: more than that cannot be played
DEBT = 0.8  # dollars that a mana costs where none is left: a card goes for it
HELD = 5.0  # dollars that a graveyard held is worth
NODE = 0.8  # dollars that standing on a sorcery node is worth
BARRED = 0.4  # dollars that terrain next to a unit that may not enter it is worth
MOST_CASTS = 6  # of one time of the turn
FAR_GAIN = 1.5  # dollars from which a unit is teleported


def hand_worth(g: Ground, s: State, k: int, side: int) -> float:
    """What a hand is worth, in dollars."""
    at = hand_of(g, k, side)
    worth = 0.0
    for i in range(s[at]):
        worth += KEPT[s[at + 1 + i]]
    return min(worth, FULL_WORTH)


def write_cast(g: Ground, s: State, k: int, spell: int, x: int, y: int, at: int, desk: Desk) -> int:
    """Cast a spell if the rules allow it; returns where the next action goes."""
    if cast(g, s, k, spell, x, y) != LEGAL:
        return at
    return write_act(desk, at, CAST, k, (1 + arguments(spell), spell, x, y))


def write_act(desk: Desk, at: int, kind: int, k: int, told: tuple[int, int, int, int]) -> int:
    """Write an action; `told` is how many arguments it has, and three words for them."""
    out = desk.out
    out[at] = kind
    out[at + 1] = k
    out[at + 2] = told[0]
    out[at + 3] = told[1]
    out[at + 4] = told[2]
    out[at + 5] = told[3]
    return at + 3 + told[0]


# ------------------------------------------------------------------------------------------------- damage by spells


def aid(g: Ground, s: State, k: int, y: int) -> int:
    """The damage that the hand could add to an enemy's that is wounded, or all but one where it can be sent home then."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    cell, side = b[CELL + y], s[SIDE]
    if unit(g, cell, NECROMANCER) == 1:
        return 0
    total = 0
    at = hand_of(g, k, side)
    for i in range(s[at]):
        spell = s[at + 1 + i]
        if spell in (FESTER, DISMEMBER, LIGHTNING_BOLT) and affordable(g, s, k, spell):
            total += SPELL_HARM[spell]
    if unit(g, cell, PERSISTENT) == 0 and place_in_hand(g, s, k, side, UNSUMMON) >= 0:
        total = max(total, defense(g, cell) - hurt(cell) - 1)
    return total


def harm_at_hand(g: Ground, s: State, k: int, y: int) -> int:
    """The damage that the hand can deal to an enemy now, one card after another."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    side = s[SIDE]
    at = hand_of(g, k, side)
    now, later = 0, 0
    for i in range(s[at]):
        spell = s[at + 1 + i]
        if SPELL_HARM[spell] > 0:
            if refused(g, k, b, side, spell, y, 0) == LEGAL:
                now += SPELL_HARM[spell]
            elif WOUNDED[spell] == 1:  # when another has wounded it
                later += SPELL_HARM[spell]
    return now + later if now > 0 else 0


def finish(g: Ground, s: State, k: int, y: int, at: int, desk: Desk) -> int:
    """Remove an enemy by spells, if the hand has what it takes; returns where the next action goes."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    side = s[SIDE]
    hand = hand_of(g, k, side)
    if b[CELL + y] == 0 or unit(g, b[CELL + y], NECROMANCER) == 1:
        return at
    suffices = harm_at_hand(g, s, k, y) >= defense(g, b[CELL + y]) - hurt(b[CELL + y])
    while suffices and b[CELL + y] != 0:
        need = defense(g, b[CELL + y]) - hurt(b[CELL + y])
        chosen, best = 0, -1000
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            much = SPELL_HARM[spell]
            if much > 0 and affordable(g, s, k, spell) and refused(g, k, b, side, spell, y, 0) == LEGAL:
                merit = 100 - much if much >= need else much  # the least that is enough, else the most
                if merit > best:
                    chosen, best = spell, merit
        before = at
        if chosen > 0:
            at = write_cast(g, s, k, chosen, y, 0, at, desk)
        suffices = at > before
    if b[CELL + y] != 0 and place_in_hand(g, s, k, side, UNSUMMON) >= 0:
        at = write_cast(g, s, k, UNSUMMON, y, 0, at, desk)
    return at


def empower(g: Ground, s: State, k: int, at: int, desk: Desk) -> int:
    """Unholy Might, if the necromancer is to fight and has two enemies in range; returns where the next action goes."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if place_in_hand(g, s, k, side, UNHOLY_MIGHT) < 0:
        return at
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        cell = b[CELL + h]
        if unit(g, cell, NECROMANCER) == 1 and desk.row[100 + h] <= 0.5 and attacks(g, cell) == 1:
            near_lo, near_hi = within(g, h, reaching(g, cell))
            foe_lo, foe_hi = foes(b, side)
            if size(near_lo & foe_lo, near_hi & foe_hi) >= 2:
                return write_cast(g, s, k, UNHOLY_MIGHT, h, 0, at, desk)
    return at


# ------------------------------------------------------------------------------------------------ what a cast gains


def tile_worth(g: Ground, k: int, t: int, h: int) -> float:
    """Dollars that a tile that acts adds to where a unit of a type stands at the end of a turn."""
    tiles = tiles_of(k)
    row = UNIT + t * STATS
    if holds(g[tiles + MIST_AT], g[tiles + MIST_AT + 1], h) and g[row + PERSISTENT] == 0:
        return -2.0 - 0.5 * g[row + COST]
    return NODE if holds(g[tiles + NODES_AT], g[tiles + NODES_AT + 1], h) else 0.0


def place_worth(g: Ground, k: int, side: int, t: int, h: int, desk: Desk) -> float:
    """Dollars that a hex is worth to a unit of a side at the end of its turn."""
    tiles = tiles_of(k)
    fall = risk(g, t, h, 1 - side, desk)
    grave = holds(g[tiles], g[tiles + 1], h)
    return tile_worth(g, k, t, h) + (HELD * (1.0 - 0.7 * fall) if grave else 0.0) - 0.6 * fall * net(g, t)


def pushed_worth(g: Ground, k: int, t: int, h: int) -> float:
    """Dollars that an enemy has from where it stands."""
    tiles = tiles_of(k)
    return tile_worth(g, k, t, h) + (0.8 * HELD if holds(g[tiles], g[tiles + 1], h) else 0.0)


def guarding(g: Ground, k: int, b: State, side: int, spell: int, h: int, desk: Desk) -> float:
    """What Shield or Protection on an own unit saves."""
    cell = b[CELL + h]
    t = (cell & TYPE_MASK) - 1
    fall = risk(g, t, h, 1 - side, desk)
    tiles = tiles_of(k)
    stake = net(g, t) + (HELD if holds(g[tiles], g[tiles + 1], h) else 0.0)
    if spell == SHIELD:
        return 0.0 if cell & SHIELDED != 0 else 0.6 * fall * stake
    at = (1 - side) * THREATS + h
    saved = desk.threat[at + TOUCH] == 0 and desk.threat[at + HARM] < defense(g, cell) + 2
    return 0.8 * fall * stake * (1.0 if saved else 0.25)


def hampering(g: Ground, b: State, side: int, spell: int, y: int) -> float:
    """What it is worth that an enemy cannot do all it could next turn: nothing unless our units are in its reach."""
    cell = b[CELL + y]
    n = attacks(g, cell)
    if n == 0 or cell & FROZEN != 0:
        return 0.0
    near_lo, near_hi = within(g, y, reaching(g, cell))  # what it can strike without a step
    lo, hi = near_lo, near_hi
    if not lumbers(g, cell):
        for _ in range(speed(g, cell)):
            lo, hi = grow(lo, hi)
    own_lo, own_hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    if lo & own_lo == 0 and hi & own_hi == 0:
        return 0.0
    beside = near_lo & own_lo != 0 or near_hi & own_hi != 0
    strikes = unit(g, cell, KIND) == DEALS_DAMAGE
    much = n * damage(g, cell) if strikes else 4 * n
    worth = 0.3 + 0.25 * unit(g, cell, COST) + 0.5 * much
    if spell == FREEZE_RAY:
        return worth
    if spell == WEAKEN:
        return 0.0 if not strikes else worth if much == 1 else worth / much + 0.3
    if spell == LUMBERING_SPELL:
        return 0.0 if lumbers(g, cell) or cell & SLOWED != 0 else 0.2 * worth if beside else 0.8 * worth
    fettered = speed(g, cell) > 1 or reaching(g, cell) > 1
    return 0.0 if not fettered else 0.1 * worth if beside else 0.5 * worth


def opening(g: Ground, s: State, k: int, lo: int, hi: int) -> float:
    """What it is worth that units on a set of hexes support spawning: graveyards come within reach of reinforcements."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if b[MODE] != NORMAL and b[MODE] != RESET_2:
        return 0.0
    waiting = s[MONEY + side] // 2
    for t in range(TYPES):
        waiting += b[ZONE + side * TYPES + t]
    if waiting == 0:
        return 0.0
    near_lo, near_hi = 0, 0
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        if b[CELL + h] & IDLE == 0 and not supports(g, b[CELL + h]):
            more_lo, more_hi = within(g, h, 1)
            near_lo |= more_lo
            near_hi |= more_hi
    had_lo, had_hi = spawn_places(g, b, side)
    near_lo &= ~(had_lo | b[UNITS] | b[UNITS + 2])
    near_hi &= ~(had_hi | b[UNITS + 1] | b[UNITS + 3])
    tiles = tiles_of(k)
    graves = size(near_lo & g[tiles], near_hi & g[tiles + 1])
    return 0.7 * HELD * min(graves, waiting) + 0.1 * min(size(near_lo, near_hi), waiting)


def barring(g: Ground, b: State, side: int, kind: int, h: int) -> float:
    """What terrain of a kind on a hex is worth: enemies beside it who may not enter, less own units."""
    if h < 0:
        return 0.0
    worth = 0.0
    lo, hi = within(g, h, 1)
    lo &= b[UNITS] | b[UNITS + 2]
    hi &= b[UNITS + 1] | b[UNITS + 3]
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
        if not passes(g, (b[CELL + x] & TYPE_MASK) - 1, kind):
            worth += -BARRED if holds(b[UNITS + 2 * side], b[UNITS + 2 * side + 1], x) else BARRED
    return worth


def gain_of(g: Ground, s: State, k: int, spell: int, x: int, y: int, desk: Desk) -> float:
    """What a cast gains, in dollars, beside the card; x and y as for `cast`."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if spell in (SHIELD, PROTECTION):
        return guarding(g, k, b, side, spell, x, desk)
    if spell in (FREEZE_RAY, WEAKEN, LUMBERING_SPELL, SHACKLE):
        return hampering(g, b, side, spell, x)
    if spell == RAISE_ZOMBIE:
        return 0.8 * g[UNIT + g[ZOMBIE] * STATS + COST] + place_worth(g, k, side, g[ZOMBIE], x, desk)
    if spell == SPAWN_SPELL:
        return opening(g, s, k, low_bit(x), high_bit(x))
    if spell == RISING_HORDE:
        return opening(g, s, k, b[UNITS + 2 * side], b[UNITS + 2 * side + 1])
    t = (b[CELL + x] & TYPE_MASK) - 1
    if spell == REPOSITION:
        return place_worth(g, k, side, t, y, desk) - place_worth(g, k, side, t, x, desk)
    if spell in (STUMBLE, DISPLACE):
        return pushed_worth(g, k, t, x) - pushed_worth(g, k, t, y)
    if spell == BLINK_SPELL:
        return -place_worth(g, k, side, t, x, desk) - 1.0
    if spell == NORMALIZE:
        return -barring(g, b, side, land_on(b, x), x)
    kind, h = (x, y) if spell == TERRAFORM else (TERRAIN[spell], x)
    return barring(g, b, side, kind, h) - barring(g, b, side, kind, land_at(b, kind))


def aims(g: Ground, k: int, b: State, side: int, spell: int) -> tuple[int, int]:
    """The hexes that a spell might be cast on."""
    if AIM[spell] != 0:
        who = 1 - side if AIM[spell] == ENEMY else side
        return b[UNITS + 2 * who], b[UNITS + 2 * who + 1]
    if spell == NORMALIZE:
        lo, hi = 0, 0
        for kind in range(4):
            h = land_at(b, kind)
            if h >= 0:
                lo |= low_bit(h)
                hi |= high_bit(h)
        return lo, hi
    lo, hi = grow(b[UNITS + 2 * side], b[UNITS + 2 * side + 1])
    lo &= ~(b[UNITS] | b[UNITS + 2])
    hi &= ~(b[UNITS + 1] | b[UNITS + 3])
    if spell != RAISE_ZOMBIE:
        at = tiles_of(k) + GROUND_AT
        lo &= g[at]
        hi &= g[at + 1]
    return lo, hi


def best_aim(g: Ground, s: State, k: int, spell: int, r: Rng, noise: float, desk: Desk) -> tuple[float, int, int]:
    """Where a card gains most: how much, and what it is cast on."""
    if arguments(spell) == 0:
        return gain_of(g, s, k, spell, 0, 0, desk), 0, 0
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    best, to_x, to_y = 0.0, 0, 0
    lo, hi = aims(g, k, b, side, spell)
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        ways = 1
        near_lo, near_hi = within(g, h, 1)
        if PUSHES[spell] == 1:
            near_lo &= ~(b[UNITS] | b[UNITS + 2])
            near_hi &= ~(b[UNITS + 1] | b[UNITS + 3])
            ways = size(near_lo, near_hi)
        elif spell == TERRAFORM:
            ways = 4
        for i in range(ways):
            x, y = h, 0
            if PUSHES[spell] == 1:
                y = first_hex(near_lo, near_hi)
                near_lo &= ~low_bit(y)
                near_hi &= ~high_bit(y)
            elif spell == TERRAFORM:
                x, y = i, h
            gain = gain_of(g, s, k, spell, x, y, desk)
            if noise > 0.0 and gain > 0.0:
                gain += 2.0 * noise * (chance(r) + chance(r) - 1.0)
            if gain > best and refused(g, k, b, side, spell, x, y) == LEGAL:
                best, to_x, to_y = gain, x, y
    return best, to_x, to_y


def cast_best(g: Ground, s: State, k: int, when: int, r: Rng, noise: float, at: int, desk: Desk) -> int:
    """Cast the cards of a time of the turn, the most gainful first, each if it gains more than keeping it; returns where the
    next action goes."""
    hand = hand_of(g, k, s[SIDE])
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    for _ in range(MOST_CASTS):
        best, chosen, to_x, to_y = 0.0, 0, 0, 0
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            if WHEN[spell] != when or place_in_hand(g, s, k, s[SIDE], spell) != i or not affordable(g, s, k, spell):
                continue
            price = KEPT[spell]
            if mana_when_played(spell) < 0 and b[MANA] <= 0:
                price += DEBT
            elif mana_when_played(spell) > 0 and b[MANA] < 0:
                price -= DEBT
            if noise > 0.0:
                price *= 1.0 + noise * (2.0 * chance(r) - 1.0)
            gain, x, y = best_aim(g, s, k, spell, r, noise, desk)
            if gain - price > best:
                best, chosen, to_x, to_y = gain - price, spell, x, y
        if chosen == 0:
            return at
        at = write_cast(g, s, k, chosen, to_x, to_y, at, desk)
    return at


# ----------------------------------------------------------------------------------------------------- tiles that act


def teleports(g: Ground, s: State, k: int, at: int, desk: Desk) -> int:
    """Units that began on a teleporter go where they are worth clearly more; returns where the next action goes."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    left_lo = g[tiles + TELEPORTERS_AT] & b[UNITS + 2 * side]
    left_hi = g[tiles + TELEPORTERS_AT + 1] & b[UNITS + 2 * side + 1]
    while left_lo != 0 or left_hi != 0:
        h = first_hex(left_lo, left_hi)
        left_lo &= ~low_bit(h)
        left_hi &= ~high_bit(h)
        cell = b[CELL + h]
        if cell & (IDLE | MOVED) != 0 or unit(g, cell, NECROMANCER) == 1:
            continue
        t = (cell & TYPE_MASK) - 1
        best, found = place_worth(g, k, side, t, h, desk) + FAR_GAIN, -1
        lo, hi = open_to(g, tiles, b, t)
        lo &= ~(b[UNITS] | b[UNITS + 2])
        hi &= ~(b[UNITS + 1] | b[UNITS + 3])
        while lo != 0 or hi != 0:
            x = first_hex(lo, hi)
            lo &= ~low_bit(x)
            hi &= ~high_bit(x)
            worth = place_worth(g, k, side, t, x, desk)
            if worth > best and may_teleport(g, k, b, side, h, x) == LEGAL:
                best, found = worth, x
        if found >= 0 and teleport(g, k, b, side, h, found) == LEGAL:
            at = write_act(desk, at, TELEPORT, k, (2, h, found, 0))
    return at


def raise_dead(g: Ground, s: State, k: int, at: int, desk: Desk) -> int:
    """A Zombie of a spawner where it is worth most; returns where the next action goes."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    best, found = -1e9, -1
    lo = g[tiles + SPAWNERS_AT] & ~(b[UNITS] | b[UNITS + 2])
    hi = g[tiles + SPAWNERS_AT + 1] & ~(b[UNITS + 1] | b[UNITS + 3])
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        worth = place_worth(g, k, side, g[ZOMBIE], h, desk)
        if worth > best:
            best, found = worth, h
    if found >= 0 and rise(g, k, b, side, found) == LEGAL:
        at = write_act(desk, at, RISE, k, (1, found, 0, 0))
    return at


def shift_land(g: Ground, s: State, k: int, at: int, desk: Desk) -> int:
    """Mana that is left moves terrain to where it bars the enemy's way; returns where the next action goes."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    best, who, what, where = 0.5 * BARRED, -1, 0, 0
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while b[MANA] > 0 and (lo != 0 or hi != 0):
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        able = trait(g, b[CELL + h], ABILITY_KINDS)
        if able == 0 or b[CELL + h] & IDLE != 0:
            continue
        near_lo, near_hi = within(g, h, 1)
        near_lo &= ~(b[UNITS] | b[UNITS + 2]) & g[tiles_of(k) + GROUND_AT]
        near_hi &= ~(b[UNITS + 1] | b[UNITS + 3]) & g[tiles_of(k) + GROUND_AT + 1]
        while near_lo != 0 or near_hi != 0:
            to = first_hex(near_lo, near_hi)
            near_lo &= ~low_bit(to)
            near_hi &= ~high_bit(to)
            for kind in range(4):
                if (able >> kind) & 1 == 1 and land_on(b, to) < 0:
                    gain = barring(g, b, side, kind, to) - barring(g, b, side, kind, land_at(b, kind))
                    if gain > best:
                        best, who, what, where = gain, h, kind, to
    if who >= 0 and use_ability(g, s, k, who, what, where) == LEGAL:
        at = write_act(desk, at, ABILITY, k, (3, who, what, where))
    return at


def pay(g: Ground, s: State, k: int, at: int, desk: Desk) -> int:
    """Debts of mana are paid by the cards that are worth least: the end of the turn would take the oldest."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    hand = hand_of(g, k, side)
    while b[MANA] < 0 and s[hand] > 0:
        least, chosen = 1e9, 0
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            price = KEPT[spell] / mana_when_discarded(spell)
            if price < least:
                least, chosen = price, spell
        discard(g, s, k, chosen)
        at = write_act(desk, at, DISCARD, k, (1, chosen, 0, 0))
    return at


__all__ = [
    "LAST",
    "LATE",
    "OPENING",
    "aid",
    "cast_best",
    "empower",
    "finish",
    "hand_worth",
    "pay",
    "raise_dead",
    "shift_land",
    "teleports",
    "tile_worth",
]
