"""Spells and tiles that act in the engine's plans, compiled: each card at its best aim, while that gains more than keeping it.

Damage by spells ends what attacks began (`aid`, `finish`); guards, hindrances, Zombies, places to spawn at and terrain are said
in dollars (`gain_of`), and the most gainful cast comes first. Every cast goes through the rules, so that what is made is legal.
What a card in the hand is worth is a table; debts of mana are paid by the cards that are worth least.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic, worths
from stratagem.games.minions.engine.scratch import HARM, THREATS, TOUCH, EngineScratch, write
from stratagem.games.minions.engine.threats import net, risk
from stratagem.games.minions.spells import deck
from stratagem.kernel import Ground, State
from stratagem.rng import Rng
from stratagem.rng import unit as chance

# when a card is looked at: after all moves of the attack phase, before units are bought and placed, after that; 0: otherwise
LATE, OPENING, LAST = 1, 2, 3
WHEN = magic.row_of(
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
_COPIES = deck()
_MEAN = sum(n * worths.WANTED.get(spell, 0.0) for spell, n in enumerate(_COPIES)) / sum(_COPIES)
# dollars that a card in a hand is worth, by number of the spell; of one of which only the back is seen, the mean of a deck
KEPT = worths.WANTED_POINT * np.array(
    [0.0, *(worths.WANTED[spell] for spell in range(1, layout.SPELL_KINDS + 1)), _MEAN]
)
assert len(KEPT) == layout.KINDS
assert layout.UNKNOWN == layout.SPELL_KINDS + 1
MOST_CASTS = 6  # of one time of the turn
FAR_GAIN = 1.5  # dollars from which a unit is teleported


def hand_worth(g: Ground, s: State, k: int, side: int) -> float:
    """What a hand is worth, in dollars."""
    at = layout.hand_of(g, k, side)
    worth = 0.0
    for i in range(s[at]):
        worth += KEPT[s[at + 1 + i]]
    return min(worth, worths.FULL_HAND)


def write_cast(g: Ground, s: State, k: int, spell: int, x: int, y: int, at: int, scratch: EngineScratch) -> int:
    """Cast a spell if the rules allow it; returns where the next action goes."""
    if magic.cast(g, s, k, spell, x, y) != layout.LEGAL:
        return at
    return write(scratch.out, at, layout.CAST, k, (1 + magic.arguments(spell), spell, x, y))


# ------------------------------------------------------------------------------------------------- damage by spells


def aid(g: Ground, s: State, k: int, y: int) -> int:
    """The damage that the hand could add to an enemy's that is wounded, or all but one where it can be sent home then."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    cell, side = b[layout.CELL + y], s[layout.SIDE]
    if layout.unit(g, cell, layout.NECROMANCER) == 1:
        return 0
    total = 0
    at = layout.hand_of(g, k, side)
    for i in range(s[at]):
        spell = s[at + 1 + i]
        if spell in (magic.FESTER, magic.DISMEMBER, magic.LIGHTNING_BOLT) and magic.affordable(g, s, k, spell):
            total += magic.HARM[spell]
    if layout.unit(g, cell, layout.PERSISTENT) == 0 and magic.place_in_hand(g, s, k, side, magic.UNSUMMON) >= 0:
        total = max(total, layout.defense(g, cell) - layout.hurt(cell) - 1)
    return total


def harm_at_hand(g: Ground, s: State, k: int, y: int) -> int:
    """The damage that the hand can deal to an enemy now, one card after another."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    side = s[layout.SIDE]
    at = layout.hand_of(g, k, side)
    now, later = 0, 0
    for i in range(s[at]):
        spell = s[at + 1 + i]
        if magic.HARM[spell] > 0:
            if magic.refused(g, k, b, side, spell, y, 0) == layout.LEGAL:
                now += magic.HARM[spell]
            elif magic.WOUNDED[spell] == 1:  # when another has wounded it
                later += magic.HARM[spell]
    return now + later if now > 0 else 0


def finish(g: Ground, s: State, k: int, y: int, at: int, scratch: EngineScratch) -> int:
    """Remove an enemy by spells, if the hand has what it takes; returns where the next action goes."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    side = s[layout.SIDE]
    hand = layout.hand_of(g, k, side)
    if b[layout.CELL + y] == 0 or layout.unit(g, b[layout.CELL + y], layout.NECROMANCER) == 1:
        return at
    suffices = harm_at_hand(g, s, k, y) >= layout.defense(g, b[layout.CELL + y]) - layout.hurt(b[layout.CELL + y])
    while suffices and b[layout.CELL + y] != 0:
        need = layout.defense(g, b[layout.CELL + y]) - layout.hurt(b[layout.CELL + y])
        chosen, best = 0, -1000
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            much = magic.HARM[spell]
            if (
                much > 0
                and magic.affordable(g, s, k, spell)
                and magic.refused(g, k, b, side, spell, y, 0) == layout.LEGAL
            ):
                merit = 100 - much if much >= need else much  # the least that is enough, else the most
                if merit > best:
                    chosen, best = spell, merit
        before = at
        if chosen > 0:
            at = write_cast(g, s, k, chosen, y, 0, at, scratch)
        suffices = at > before
    if b[layout.CELL + y] != 0 and magic.place_in_hand(g, s, k, side, magic.UNSUMMON) >= 0:
        at = write_cast(g, s, k, magic.UNSUMMON, y, 0, at, scratch)
    return at


def empower(g: Ground, s: State, k: int, at: int, scratch: EngineScratch) -> int:
    """Unholy Might, if the necromancer is to fight and has two enemies in range; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if magic.place_in_hand(g, s, k, side, magic.UNHOLY_MIGHT) < 0:
        return at
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        cell = b[layout.CELL + h]
        if (
            layout.unit(g, cell, layout.NECROMANCER) == 1
            and scratch.fight.row[100 + h] <= 0.5
            and layout.attacks(g, cell) == 1
        ):
            near_lo, near_hi = layout.within(g, h, layout.reaching(g, cell))
            foe_lo, foe_hi = layout.foes(b, side)
            if layout.size(near_lo & foe_lo, near_hi & foe_hi) >= 2:
                return write_cast(g, s, k, magic.UNHOLY_MIGHT, h, 0, at, scratch)
    return at


# ------------------------------------------------------------------------------------------------ what a cast gains


def tile_worth(g: Ground, k: int, t: int, h: int) -> float:
    """Dollars that a tile that acts adds to where a unit of a type stands at the end of a turn."""
    tiles = layout.tiles_of(k)
    row = layout.UNIT + t * layout.COLUMNS
    if layout.holds(g[tiles + layout.MIST_AT], g[tiles + layout.MIST_AT + 1], h) and g[row + layout.PERSISTENT] == 0:
        return -2.0 - 0.5 * g[row + layout.COST]
    return worths.NODE if layout.holds(g[tiles + layout.NODES_AT], g[tiles + layout.NODES_AT + 1], h) else 0.0


def place_worth(g: Ground, k: int, side: int, t: int, h: int, scratch: EngineScratch) -> float:
    """Dollars that a hex is worth to a unit of a side at the end of its turn."""
    tiles = layout.tiles_of(k)
    fall = risk(g, t, h, 1 - side, scratch.threat)
    grave = layout.holds(g[tiles], g[tiles + 1], h)
    return tile_worth(g, k, t, h) + (worths.GRAVEYARD * (1.0 - 0.7 * fall) if grave else 0.0) - 0.6 * fall * net(g, t)


def pushed_worth(g: Ground, k: int, t: int, h: int) -> float:
    """Dollars that an enemy has from where it stands."""
    tiles = layout.tiles_of(k)
    return tile_worth(g, k, t, h) + (0.8 * worths.GRAVEYARD if layout.holds(g[tiles], g[tiles + 1], h) else 0.0)


def guarding(g: Ground, k: int, b: State, side: int, spell: int, h: int, scratch: EngineScratch) -> float:
    """What Shield or Protection on an own unit saves."""
    cell = b[layout.CELL + h]
    t = (cell & layout.TYPE_MASK) - 1
    fall = risk(g, t, h, 1 - side, scratch.threat)
    tiles = layout.tiles_of(k)
    stake = net(g, t) + (worths.GRAVEYARD if layout.holds(g[tiles], g[tiles + 1], h) else 0.0)
    if spell == magic.SHIELD:
        return 0.0 if cell & layout.SHIELDED != 0 else 0.6 * fall * stake
    at = (1 - side) * THREATS + h
    saved = scratch.threat[at + TOUCH] == 0 and scratch.threat[at + HARM] < layout.defense(g, cell) + 2
    return 0.8 * fall * stake * (1.0 if saved else 0.25)


def hampering(g: Ground, b: State, side: int, spell: int, y: int) -> float:
    """What it is worth that an enemy cannot do all it could next turn: nothing unless our units are in its reach."""
    cell = b[layout.CELL + y]
    n = layout.attacks(g, cell)
    if n == 0 or cell & layout.FROZEN != 0:
        return 0.0
    near_lo, near_hi = layout.within(g, y, layout.reaching(g, cell))  # what it can strike without a step
    lo, hi = near_lo, near_hi
    if not layout.lumbers(g, cell):
        for _ in range(layout.speed(g, cell)):
            lo, hi = layout.grow(lo, hi)
    own_lo, own_hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    if lo & own_lo == 0 and hi & own_hi == 0:
        return 0.0
    beside = near_lo & own_lo != 0 or near_hi & own_hi != 0
    strikes = layout.unit(g, cell, layout.KIND) == layout.DEALS_DAMAGE
    much = n * layout.damage(g, cell) if strikes else 4 * n
    worth = 0.3 + 0.25 * layout.unit(g, cell, layout.COST) + 0.5 * much
    if spell == magic.FREEZE_RAY:
        return worth
    if spell == magic.WEAKEN:
        return 0.0 if not strikes else worth if much == 1 else worth / much + 0.3
    if spell == magic.LUMBERING_SPELL:
        return 0.0 if layout.lumbers(g, cell) or cell & layout.SLOWED != 0 else 0.2 * worth if beside else 0.8 * worth
    fettered = layout.speed(g, cell) > 1 or layout.reaching(g, cell) > 1
    return 0.0 if not fettered else 0.1 * worth if beside else 0.5 * worth


def opening(g: Ground, s: State, k: int, lo: int, hi: int) -> float:
    """What it is worth that units on a set of hexes support spawning: graveyards come within reach of reinforcements."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if not rules.spawns_now(b):
        return 0.0
    waiting = s[layout.MONEY + side] // 2
    for t in range(layout.TYPES):
        waiting += b[layout.ZONE + side * layout.TYPES + t]
    if waiting == 0:
        return 0.0
    near_lo, near_hi = 0, 0
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if b[layout.CELL + h] & layout.IDLE == 0 and not layout.supports(g, b[layout.CELL + h]):
            more_lo, more_hi = layout.within(g, h, 1)
            near_lo |= more_lo
            near_hi |= more_hi
    had_lo, had_hi = rules.spawn_places(g, b, side)
    near_lo, near_hi = layout.vacant(b, near_lo & ~had_lo, near_hi & ~had_hi)
    tiles = layout.tiles_of(k)
    graves = layout.size(near_lo & g[tiles], near_hi & g[tiles + 1])
    return 0.7 * worths.GRAVEYARD * min(graves, waiting) + 0.1 * min(layout.size(near_lo, near_hi), waiting)


def barring(g: Ground, b: State, side: int, kind: int, h: int) -> float:
    """What terrain of a kind on a hex is worth: enemies beside it who may not enter, less own units."""
    if h < 0:
        return 0.0
    worth = 0.0
    lo, hi = layout.within(g, h, 1)
    lo &= b[layout.UNITS] | b[layout.UNITS + 2]
    hi &= b[layout.UNITS + 1] | b[layout.UNITS + 3]
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        if not layout.passes(g, (b[layout.CELL + x] & layout.TYPE_MASK) - 1, kind):
            worth += (
                -worths.BARRED
                if layout.holds(b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1], x)
                else worths.BARRED
            )
    return worth


def gain_of(g: Ground, s: State, k: int, spell: int, x: int, y: int, scratch: EngineScratch) -> float:
    """What a cast gains, in dollars, beside the card; x and y as for `cast`."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if spell in (magic.SHIELD, magic.PROTECTION):
        return guarding(g, k, b, side, spell, x, scratch)
    if spell in (magic.FREEZE_RAY, magic.WEAKEN, magic.LUMBERING_SPELL, magic.SHACKLE):
        return hampering(g, b, side, spell, x)
    if spell == magic.RAISE_ZOMBIE:
        return 0.8 * g[layout.UNIT + g[layout.ZOMBIE] * layout.COLUMNS + layout.COST] + place_worth(
            g, k, side, g[layout.ZOMBIE], x, scratch
        )
    if spell == magic.SPAWN_SPELL:
        return opening(g, s, k, layout.low_bit(x), layout.high_bit(x))
    if spell == magic.RISING_HORDE:
        return opening(g, s, k, b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1])
    t = (b[layout.CELL + x] & layout.TYPE_MASK) - 1
    if spell == magic.REPOSITION:
        return place_worth(g, k, side, t, y, scratch) - place_worth(g, k, side, t, x, scratch)
    if spell in (magic.STUMBLE, magic.DISPLACE):
        return pushed_worth(g, k, t, x) - pushed_worth(g, k, t, y)
    if spell == magic.BLINK_SPELL:
        return -place_worth(g, k, side, t, x, scratch) - 1.0
    if spell == magic.NORMALIZE:
        return -barring(g, b, side, magic.land_on(b, x), x)
    kind, h = (x, y) if spell == magic.TERRAFORM else (magic.TERRAIN[spell], x)
    return barring(g, b, side, kind, h) - barring(g, b, side, kind, layout.land_at(b, kind))


def aims(g: Ground, k: int, b: State, side: int, spell: int) -> tuple[int, int]:
    """The hexes that a spell might be cast on."""
    if magic.AIM[spell] != 0:
        who = 1 - side if magic.AIM[spell] == magic.ENEMY else side
        return b[layout.UNITS + 2 * who], b[layout.UNITS + 2 * who + 1]
    if spell == magic.NORMALIZE:
        lo, hi = 0, 0
        for kind in range(4):
            h = layout.land_at(b, kind)
            if h >= 0:
                lo |= layout.low_bit(h)
                hi |= layout.high_bit(h)
        return lo, hi
    lo, hi = layout.grow(b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1])
    lo, hi = layout.vacant(b, lo, hi)
    if spell != magic.RAISE_ZOMBIE:
        at = layout.tiles_of(k) + layout.GROUND_AT
        lo &= g[at]
        hi &= g[at + 1]
    return lo, hi


def best_aim(
    g: Ground, s: State, k: int, spell: int, r: Rng, noise: float, scratch: EngineScratch
) -> tuple[float, int, int]:
    """Where a card gains most: how much, and what it is cast on."""
    if magic.arguments(spell) == 0:
        return gain_of(g, s, k, spell, 0, 0, scratch), 0, 0
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    best, to_x, to_y = 0.0, 0, 0
    lo, hi = aims(g, k, b, side, spell)
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        ways = 1
        near_lo, near_hi = layout.within(g, h, 1)
        if magic.PUSHES[spell] == 1:
            near_lo, near_hi = layout.vacant(b, near_lo, near_hi)
            ways = layout.size(near_lo, near_hi)
        elif spell == magic.TERRAFORM:
            ways = 4
        for i in range(ways):
            x, y = h, 0
            if magic.PUSHES[spell] == 1:
                y, near_lo, near_hi = layout.take(near_lo, near_hi)
            elif spell == magic.TERRAFORM:
                x, y = i, h
            gain = gain_of(g, s, k, spell, x, y, scratch)
            if noise > 0.0 and gain > 0.0:
                gain += 2.0 * noise * (chance(r) + chance(r) - 1.0)
            if gain > best and magic.refused(g, k, b, side, spell, x, y) == layout.LEGAL:
                best, to_x, to_y = gain, x, y
    return best, to_x, to_y


def cast_best(g: Ground, s: State, k: int, when: int, r: Rng, noise: float, at: int, scratch: EngineScratch) -> int:
    """Cast the cards of a time of the turn, the most gainful first, each if it gains more than keeping it; returns where the
    next action goes."""
    hand = layout.hand_of(g, k, s[layout.SIDE])
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for _ in range(MOST_CASTS):
        best, chosen, to_x, to_y = 0.0, 0, 0, 0
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            if (
                WHEN[spell] != when
                or magic.place_in_hand(g, s, k, s[layout.SIDE], spell) != i
                or not magic.affordable(g, s, k, spell)
            ):
                continue
            price = KEPT[spell]
            if magic.mana_when_played(spell) < 0 and b[layout.MANA] <= 0:
                price += worths.DEBT
            elif magic.mana_when_played(spell) > 0 and b[layout.MANA] < 0:
                price -= worths.DEBT
            if noise > 0.0:
                price *= 1.0 + noise * (2.0 * chance(r) - 1.0)
            gain, x, y = best_aim(g, s, k, spell, r, noise, scratch)
            if gain - price > best:
                best, chosen, to_x, to_y = gain - price, spell, x, y
        if chosen == 0:
            return at
        at = write_cast(g, s, k, chosen, to_x, to_y, at, scratch)
    return at


# ----------------------------------------------------------------------------------------------------- tiles that act


def teleports(g: Ground, s: State, k: int, at: int, scratch: EngineScratch) -> int:
    """Units that began on a teleporter go where they are worth clearly more; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    left_lo = g[tiles + layout.TELEPORTERS_AT] & b[layout.UNITS + 2 * side]
    left_hi = g[tiles + layout.TELEPORTERS_AT + 1] & b[layout.UNITS + 2 * side + 1]
    while left_lo != 0 or left_hi != 0:
        h, left_lo, left_hi = layout.take(left_lo, left_hi)
        cell = b[layout.CELL + h]
        if cell & (layout.IDLE | layout.MOVED) != 0 or layout.unit(g, cell, layout.NECROMANCER) == 1:
            continue
        t = (cell & layout.TYPE_MASK) - 1
        best, found = place_worth(g, k, side, t, h, scratch) + FAR_GAIN, -1
        lo, hi = layout.open_to(g, tiles, b, t)
        lo, hi = layout.vacant(b, lo, hi)
        while lo != 0 or hi != 0:
            x, lo, hi = layout.take(lo, hi)
            worth = place_worth(g, k, side, t, x, scratch)
            if worth > best and magic.may_teleport(g, k, b, side, h, x) == layout.LEGAL:
                best, found = worth, x
        if found >= 0 and magic.teleport(g, k, b, side, h, found) == layout.LEGAL:
            at = write(scratch.out, at, layout.TELEPORT, k, (2, h, found, 0))
    return at


def raise_dead(g: Ground, s: State, k: int, at: int, scratch: EngineScratch) -> int:
    """A Zombie of a spawner where it is worth most; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    best, found = -1e9, -1
    lo, hi = layout.vacant(b, g[tiles + layout.SPAWNERS_AT], g[tiles + layout.SPAWNERS_AT + 1])
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        worth = place_worth(g, k, side, g[layout.ZOMBIE], h, scratch)
        if worth > best:
            best, found = worth, h
    if found >= 0 and magic.rise(g, k, b, side, found) == layout.LEGAL:
        at = write(scratch.out, at, layout.RISE, k, (1, found, 0, 0))
    return at


def shift_land(g: Ground, s: State, k: int, at: int, scratch: EngineScratch) -> int:
    """Mana that is left moves terrain to where it bars the enemy's way; returns where the next action goes."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    best, who, what, where = 0.5 * worths.BARRED, -1, 0, 0
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while b[layout.MANA] > 0 and (lo != 0 or hi != 0):
        h, lo, hi = layout.take(lo, hi)
        able = layout.trait(g, b[layout.CELL + h], layout.ABILITY_KINDS)
        if able == 0 or b[layout.CELL + h] & layout.IDLE != 0:
            continue
        near_lo, near_hi = layout.within(g, h, 1)
        near_lo &= ~(b[layout.UNITS] | b[layout.UNITS + 2]) & g[layout.tiles_of(k) + layout.GROUND_AT]
        near_hi &= ~(b[layout.UNITS + 1] | b[layout.UNITS + 3]) & g[layout.tiles_of(k) + layout.GROUND_AT + 1]
        while near_lo != 0 or near_hi != 0:
            to, near_lo, near_hi = layout.take(near_lo, near_hi)
            for kind in range(4):
                if (able >> kind) & 1 == 1 and magic.land_on(b, to) < 0:
                    gain = barring(g, b, side, kind, to) - barring(g, b, side, kind, layout.land_at(b, kind))
                    if gain > best:
                        best, who, what, where = gain, h, kind, to
    if who >= 0 and magic.use_ability(g, s, k, who, what, where) == layout.LEGAL:
        at = write(scratch.out, at, layout.ABILITY, k, (3, who, what, where))
    return at


def pay(g: Ground, s: State, k: int, at: int, scratch: EngineScratch) -> int:
    """Debts of mana are paid by the cards that are worth least: the end of the turn would take the oldest."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    hand = layout.hand_of(g, k, side)
    while b[layout.MANA] < 0 and s[hand] > 0:
        least, chosen = 1e9, 0
        for i in range(s[hand]):
            spell = s[hand + 1 + i]
            price = KEPT[spell] / magic.mana_when_discarded(spell)
            if price < least:
                least, chosen = price, spell
        magic.discard(g, s, k, chosen)
        at = write(scratch.out, at, layout.DISCARD, k, (1, chosen, 0, 0))
    return at
