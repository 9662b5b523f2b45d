"""The layout of a Minions position on flat arrays, and what can be read from a board.

Sets of hexes are bitboards of two words, `lo` for ranks 0..4 and `hi` for ranks 5..9, fifty bits each, so that no sign bit
is ever in play. A board is `BOARD_SIZE` words and is copied as it is; its hash is kept up to date by `put`, `amend` and `stock`.
A statistic of a unit as it stands, spells on it counted, comes from `defense`, `attacks`, `damage`, `speed`, `reaching`,
`lumbers` and `supports`; `unit` gives the printed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.kernel import Ground, State
from stratagem.rng import mix

# ------------------------------------------------------------------------------------------------------------ layout

TYPES, CARDS = 33, 25
# Bound to False where a configuration has neither spells nor tiles that act nor split moves (`GameConfig.constants`): what
# depends on it is then not compiled at all, which saves most of the time that takes, and costs nothing when it runs.
MAGIC: bool = True

# ground: [switches, numbers of the configuration, unit type of each card, units, disks, tiles of each board, spells]
(KILL_BEATS_GRAVEYARDS, BUY_FRESH, SPAWNED_SUPPORT, COPYCAT_AT_ONCE, ACQUIRE_OWNED, KEEP_ALL, LENIENT_PATHS, STAY_CYCLES,
 SPELLS_ON, SPLIT_MOVES, OPEN_SPAWN_PHASE, AUTO_MARCH, KEEP_DEAREST, ADVANCED_NECROMANCERS, WINNER_FIRST,
 LAST_BOARD_DECIDES, BLINK_AS_MEANT, ABILITY_ONCE, TELEPORT_LATE, GIFT_TO_ALL, RESIGNED_TAKES_NONE,
 PASSING_UNPAID) = range(22)  # fmt: skip
(BOARDS, SPELL_PRICE, TARGET, COPYCAT_AT, SETUP_UNIT, INCOME, TO_WIN, BASIC, ZOMBIE, THAUMATURGY_AT, METAMAGIC_AT,
 HAND_ROOM, AHEAD, QUEUE_ROOM, HAS_MANA) = range(32, 47)  # fmt: skip
CARD_UNIT = 64  # the unit type of the card at each position of the line, -1 for a special card
UNIT = 96  # a row of COLUMNS for each type
COLUMNS = 16
(KIND, DAMAGE, ATTACKS, DEFENSE, SPEED, RANGE, COST, REBATE, NECROMANCER, LUMBERING, FLYING, PERSISTENT, SPAWN, BLINK,
 SOUL, PRICED) = range(16)  # fmt: skip
DEALS_DAMAGE, UNSUMMONS, DEATHTOUCH = range(3)
TRAIT = (
    UNIT + TYPES * COLUMNS
)  # a row of TRAITS for each type: what the live server alone gives, and terrain it may enter
TRAITS = 5
ABILITY_KINDS, MANA_GIVEN, REINFORCES, ABSENT, PASSES = range(5)
DISK = TRAIT + TYPES * TRAITS  # hexes at distance 0..3 of each hex: lo, hi
SPELL_KINDS = 27  # spells of the table; in hands and decks they are numbered from 1
COPIES = DISK + 4 * 100 * 2  # copies in a deck, by number of the spell
TILES = COPIES + SPELL_KINDS + 1
# for each board: graveyards, what each type may enter where nothing movable lies, ground, then the tiles of the server
GROUND_AT = 2 + TYPES * 2  # plain ground, the starting places of movable terrain included
NODES_AT, TELEPORTERS_AT, SPAWNERS_AT, MIST_AT = GROUND_AT + 2, GROUND_AT + 4, GROUND_AT + 6, GROUND_AT + 8
LAND_AT = GROUND_AT + 10  # where the movable terrain starts, as the state's LAND
TILES_SIZE = LAND_AT + 1

# state: [side to move, ply, winner or -1, money of both, points of both, spells placed this turn, whether tech is done,
#         cards acquired this turn as bits, whether the free spell was sold, spells drawn and not yet taken, advanced
#         necromancers that each side has used as bits, cards of Yellow, cards of Blue, boards.., magic]
SIDE, PLY, WINNER, MONEY, POINTS, SPELLS, TECHED, FRESH, SOLD, DRAWN = 0, 1, 2, 3, 5, 7, 8, 9, 10, 11
USED_NECROMANCERS = 12
CARD = 14
LOCKED, UNLOCKED, ACQUIRED = range(3)
BOARD = CARD + 2 * CARDS

# board: [state code, phase reached this turn, whether the enemy necromancer was killed, whether resigned, hash, rebate owed
#         to the enemy, units of Yellow lo, hi, of Blue lo, hi, cells of the 100 hexes, reinforcements of Yellow, of Blue,
#         movable terrain, mana of the side to move, whether a spawner tile was used this turn]
MODE, PHASE, KILLED, RESIGNED, HASH, OWED, UNITS, CELL = 0, 1, 2, 3, 4, 5, 6, 10
ZONE = CELL + 100
LAND = ZONE + 2 * TYPES  # seven bits for each of flood, earthquake, whirlwind, firestorm: its hex + 1, or 0
MANA = LAND + 1
RAISED = LAND + 2
BOARD_SIZE = LAND + 3
FIRST, NORMAL, RESET_1, RESET_2, RESET_0 = range(5)  # state codes
UNTOUCHED, SET_UP, ATTACKING, SPAWNING, DONE = range(5)  # phases; DONE only where a turn is played by atoms
FLOOD, EARTHQUAKE, WHIRLWIND, FIRESTORM = range(4)  # movable terrain
LAND_BITS, LAND_MASK = 7, 127

# magic, behind the boards where there are spells. For each side: how many of its next cards are known, these cards, the
# number of cards that its decks have given so far, its deck's cards that nobody knows yet and its cards seen by the
# opponent, both by number of the spell. Then for each board: spells taken this turn, and both sides' hands, each a number
# and the cards, oldest first.
KNOWN = 0
QUEUE = 1
UNKNOWN = SPELL_KINDS + 1  # a card of which a view shows the back
KINDS = SPELL_KINDS + 2  # room of a table by number of the spell

# cell: 0 if empty, else type + 1 | side | moved | spawned | attacks used | damage, and where there are spells or tiles of
# the server: done | defense added | shielded | frozen | slowed | shackled | weakened | supporting | mighty | struck | steps
TYPE_MASK, SIDE_SHIFT, MOVED, SPAWNED, USED_SHIFT, HURT_SHIFT = 63, 6, 1 << 7, 1 << 8, 9, 15
COUNT_MASK, HURT_MASK = 63, (1 << 12) - 1
MODIFIER_SHIFT = 27  # from here on: what spooky never sets
SPENT = 1 << 27  # teleported or repositioned: it does nothing more this turn
BONUS_SHIFT, BONUS_MASK = 28, (1 << 12) - 1  # defense by Shield and Protection, in the order in which they came
SHIELDED = 1 << 40  # soulbound: goes to the reinforcements instead of dying
FROZEN, SLOWED, SHACKLED = 1 << 41, 1 << 42, 1 << 43
WEAK_SHIFT, WEAK_MASK = 44, 31
SUPPORTING, MIGHTY = 1 << 49, 1 << 50
STRUCK_SHIFT, STRUCK_MASK = 51, 127  # the hex + 1 of the one enemy that it attacked this turn, or SEVERAL
SEVERAL = 101  # it attacked more than one, or one that is gone
STEPS_SHIFT, STEPS_MASK = 58, 7  # of its speed spent, where a move may be split
TAPPED = 1 << 61  # it has used its ability, where that counts
STANDING = 127  # type and side: what is left of a plain cell when a turn ends
IDLE = SPAWNED | SPENT
BLESSINGS = BONUS_MASK << BONUS_SHIFT | SHIELDED  # put on own units, and gone at the end of the opponent's next turn
CURSES = FROZEN | SLOWED | SHACKLED | WEAK_MASK << WEAK_SHIFT  # put on enemies, and gone at the end of their next turn

# actions: [kind, board, number of arguments, arguments..]; of tech the board is the number of cards marched
(TECH, SETUP, MOVE, CYCLE, ATTACK, BLINKING, BUY, SPAWNS, RESIGN, CAST, DISCARD, ABILITY, TELEPORT, RISE, GIVE,
 SELL) = range(16)  # fmt: skip

ALL = (1 << 50) - 1
FILE_A = 1 | 1 << 10 | 1 << 20 | 1 << 30 | 1 << 40
NOT_A = ALL ^ FILE_A
NOT_J = ALL ^ (FILE_A << 9)
RANK = (1 << 10) - 1

# why an action is illegal
(LEGAL, NO_UNIT, NOT_YOURS, FRESHLY_SPAWNED, HAS_MOVED, HAS_ATTACKED, SAME_HEX, ENEMY_THERE, UNREACHABLE, FRIEND_THERE,
 REPEATED_HEX, SHORT_CYCLE, LUMBERS, NO_TARGET, OWN_TARGET, OUT_OF_RANGE, NO_ATTACKS_LEFT, NECROMANCER_IMMUNE, NO_BLINK,
 WRONG_PHASE, NO_SPAWN_PHASE, NEEDS_SETUP, NO_SETUP, SETUP_DONE, NOT_BASIC, NOT_IN_ZONE, MUST_KEEP, HAS_RESIGNED, NOT_ALONE,
 NOT_FOR_SALE, NOT_ACQUIRED, NO_MONEY, OCCUPIED, BAD_TILE, NO_SPAWNER, END_OF_LINE, CARD_LOCKED, CARD_TAKEN, CARD_OWNED,
 TECH_DONE, GAME_ENDED, NO_SUCH_BOARD, NO_SUCH_CARD, IS_DONE, IS_FROZEN, MUST_PASS, NECROMANCER_USED, NOT_ADVANCED,
 NO_SPAWNING_YET, NO_SPELLS, NO_SUCH_SPELL, NOT_IN_HAND, NOT_DRAWN, BOARD_TOOK, ALL_TAKEN, HAND_FULL, FEW_CARDS, NO_MANA,
 NO_MINION, NOT_NECROMANCER, ENEMY_NEEDED, FRIEND_NEEDED, UNHURT, IS_PERSISTENT, NOT_ADJACENT, NO_FRIEND_NEAR,
 NOT_GROUND, NO_LAND, NO_STRIKER, NO_ABILITY, ABILITY_USED, NO_TELEPORTER, HAS_ACTED, NO_SPAWNER_TILE, SPAWNER_USED,
 NO_THAUMATURGY, SPELL_USED, AWAITS_DEAL) = range(78)  # fmt: skip
PLACE = 128  # an illegal turn is reported as the place of the action * PLACE + the reason

Stream = NDArray[np.int64]


# --------------------------------------------------------------------------------------------------------- bitboards


def low_bit(h: int) -> int:
    return 1 << h if h < 50 else 0


def high_bit(h: int) -> int:
    return 1 << (h - 50) if h >= 50 else 0


def holds(lo: int, hi: int, h: int) -> bool:
    return (lo >> h) & 1 == 1 if h < 50 else (hi >> (h - 50)) & 1 == 1


def first_hex(lo: int, hi: int) -> int:
    """The lowest hex of a set that is not empty."""
    return lowest(lo) if lo != 0 else 50 + lowest(hi)


def take(lo: int, hi: int) -> tuple[int, int, int]:
    """The lowest hex of a set that is not empty, and the set without it."""
    if lo != 0:
        return lowest(lo), lo & (lo - 1), hi
    return 50 + lowest(hi), lo, hi & (hi - 1)


def nth_hex(lo: int, hi: int, n: int) -> int:
    """The n-th hex of a set, from 0."""
    for _ in range(n):
        if lo != 0:
            lo &= lo - 1
        else:
            hi &= hi - 1
    return first_hex(lo, hi)


def size(lo: int, hi: int) -> int:
    return popcount(lo) + popcount(hi)


def grow(lo: int, hi: int) -> tuple[int, int]:
    """A set and all neighbours of its hexes."""
    # E and W stay in a rank; NW is W then N, SE is E then S
    east_lo, east_hi = (lo & NOT_J) << 1, (hi & NOT_J) << 1
    west_lo, west_hi = (lo & NOT_A) >> 1, (hi & NOT_A) >> 1
    up_lo, up_hi = lo | west_lo, hi | west_hi
    down_lo, down_hi = lo | east_lo, hi | east_hi
    new_lo = lo | east_lo | west_lo | ((up_lo << 10) & ALL) | (down_lo >> 10) | ((down_hi & RANK) << 40)
    new_hi = hi | east_hi | west_hi | ((up_hi << 10) & ALL) | (up_lo >> 40) | (down_hi >> 10)
    return new_lo, new_hi


# ------------------------------------------------------------------------------------------------------------- units


def unit(g: Ground, cell: int, column: int) -> int:
    """A printed statistic of the unit in a cell."""
    return g[UNIT + ((cell & TYPE_MASK) - 1) * COLUMNS + column]


def trait(g: Ground, cell: int, column: int) -> int:
    """What the live server gives the unit in a cell."""
    return g[TRAIT + ((cell & TYPE_MASK) - 1) * TRAITS + column]


def owner(cell: int) -> int:
    return (cell >> SIDE_SHIFT) & 1


def used(cell: int) -> int:
    return (cell >> USED_SHIFT) & COUNT_MASK


def hurt(cell: int) -> int:
    return (cell >> HURT_SHIFT) & HURT_MASK


def weakened(cell: int) -> int:
    return (cell >> WEAK_SHIFT) & WEAK_MASK


def struck(cell: int) -> int:
    return (cell >> STRUCK_SHIFT) & STRUCK_MASK


def steps(cell: int) -> int:
    return (cell >> STEPS_SHIFT) & STEPS_MASK


def defense(g: Ground, cell: int) -> int:
    """The damage that kills the unit in a cell, spells counted."""
    if MAGIC:
        return unit(g, cell, DEFENSE) + ((cell >> BONUS_SHIFT) & BONUS_MASK)
    return unit(g, cell, DEFENSE)


def attacks(g: Ground, cell: int) -> int:
    """How many attacks a turn the unit in a cell has, spells counted."""
    n = unit(g, cell, ATTACKS)
    if MAGIC and cell >> MODIFIER_SHIFT != 0:
        if cell & FROZEN != 0:
            return 0
        if cell & MIGHTY != 0:
            n = max(n, 2)
        if weakened(cell) > 0 and unit(g, cell, KIND) == DEALS_DAMAGE:
            if n > 1:  # a flurry loses attacks, another unit damage, and none is left of less than one
                n = max(n - weakened(cell), 0)
            elif unit(g, cell, DAMAGE) <= weakened(cell):
                n = 0
    return n


def damage(g: Ground, cell: int) -> int:
    """What one attack of the unit in a cell deals, spells counted."""
    harm = unit(g, cell, DAMAGE)
    if MAGIC and weakened(cell) > 0 and unit(g, cell, ATTACKS) == 1:
        harm = max(harm - weakened(cell), 0)
    return harm


def speed(g: Ground, cell: int) -> int:
    """How many steps the unit in a cell has left of its speed, spells counted."""
    n = unit(g, cell, SPEED)
    if MAGIC and cell >> MODIFIER_SHIFT != 0:
        if cell & SHACKLED != 0:
            n = min(n, 1)
        n = max(n - steps(cell), 0)
    return n


def reaching(g: Ground, cell: int) -> int:
    """The range of the unit in a cell, spells counted."""
    n = unit(g, cell, RANGE)
    if MAGIC and cell & SHACKLED != 0:
        return min(n, 1)
    return n


def lumbers(g: Ground, cell: int) -> bool:
    if MAGIC and cell & SLOWED != 0:
        return True
    return unit(g, cell, LUMBERING) == 1


def supports(g: Ground, cell: int) -> bool:
    """Whether the unit in a cell has the spawn keyword and may use it now."""
    if cell & SPAWNED != 0 and g[SPAWNED_SUPPORT] == 0:
        return False
    if MAGIC and cell & (SPENT | SUPPORTING) != 0:
        return cell & SPENT == 0
    return unit(g, cell, SPAWN) == 1


def land_at(b: State, kind: int) -> int:
    """The hex of the movable terrain of a kind, or -1."""
    return ((b[LAND] >> (LAND_BITS * kind)) & LAND_MASK) - 1


def passes(g: Ground, t: int, kind: int) -> bool:
    """Whether a type may enter movable terrain of a kind."""
    return (g[TRAIT + t * TRAITS + PASSES] >> kind) & 1 == 1


def open_to(g: Ground, tiles: int, b: State, t: int) -> tuple[int, int]:
    """The hexes whose tiles a type may enter now, whoever stands there."""
    lo, hi = g[tiles + 2 + 2 * t], g[tiles + 3 + 2 * t]
    if MAGIC and b[LAND] != 0:
        for kind in range(4):
            h = land_at(b, kind)
            if h >= 0 and not passes(g, t, kind):
                lo &= ~low_bit(h)
                hi &= ~high_bit(h)
    return lo, hi


def had(s: State, c: int) -> bool:
    """Whether the side to move acquired the card at a position (-1: there is none) before this turn."""
    return c >= 0 and s[CARD + s[SIDE] * CARDS + c] == ACQUIRED and (s[FRESH] >> c) & 1 == 0


def barred(b: State, side: int, h: int) -> int:
    """Why the unit on a hex can do nothing more for a side this turn."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    if cell & IDLE != 0:
        return FRESHLY_SPAWNED if cell & SPAWNED != 0 else IS_DONE
    return LEGAL


def closed(g: Ground, tiles: int, b: State, t: int, h: int) -> int:
    """Why a unit of a type cannot be put on a hex."""
    if b[CELL + h] != 0:
        return OCCUPIED
    lo, hi = open_to(g, tiles, b, t)
    return LEGAL if holds(lo, hi, h) else BAD_TILE


def tiles_of(k: int) -> int:
    """Where the tiles of board k are in the ground."""
    return TILES + k * TILES_SIZE


def board_of(k: int) -> int:
    """Where board k is in the state."""
    return BOARD + k * BOARD_SIZE


def magic_of(g: Ground) -> int:
    """Where the state has what belongs to spells."""
    return BOARD + g[BOARDS] * BOARD_SIZE


def deck_of(g: Ground, side: int) -> int:
    """Where a side's known cards begin: their number at KNOWN, then the cards."""
    return magic_of(g) + side * (QUEUE + g[QUEUE_ROOM] + 1 + 2 * KINDS)


def given_at(g: Ground, side: int) -> int:
    """Where the number of cards is that a side's decks have given so far, those that it knows in advance included."""
    return deck_of(g, side) + QUEUE + g[QUEUE_ROOM]


def unknown_at(g: Ground, side: int) -> int:
    """Where the cards left in a side's deck are counted, by number of the spell."""
    return given_at(g, side) + 1


def seen_at(g: Ground, side: int) -> int:
    """Where the cards of a side that were played or discarded are counted, by number of the spell."""
    return unknown_at(g, side) + KINDS


def taken_at(g: Ground, k: int) -> int:
    """Where the number of spells is that board k has taken this turn."""
    return deck_of(g, 2) + k * (1 + 2 * (1 + g[HAND_ROOM]))


def hand_of(g: Ground, k: int, side: int) -> int:
    """Where a side's hand on board k begins: the number of cards, then the cards, oldest first."""
    return taken_at(g, k) + 1 + side * (1 + g[HAND_ROOM])


def magic_size(g: Ground) -> int:
    return taken_at(g, g[BOARDS]) - magic_of(g) if g[SPELLS_ON] == 1 else 0


def cell_key(cell: int, h: int) -> int:
    """The part that a cell has in the hash of its board."""
    if MAGIC and cell >> MODIFIER_SHIFT != 0:
        plain = cell & ((1 << MODIFIER_SHIFT) - 1)
        return mix((plain * 100 + h) * 4 + 1) ^ mix(((cell >> MODIFIER_SHIFT) * 100 + h) * 4)
    return mix((cell * 100 + h) * 4 + 1)


def put(b: State, h: int, cell: int) -> None:
    """Write a cell, and with it the sets of units and the hash."""
    old = b[CELL + h]
    lo, hi = low_bit(h), high_bit(h)
    if old != 0:
        b[HASH] ^= cell_key(old, h)
        b[UNITS + 2 * owner(old)] &= ~lo
        b[UNITS + 2 * owner(old) + 1] &= ~hi
    if cell != 0:
        b[HASH] ^= cell_key(cell, h)
        b[UNITS + 2 * owner(cell)] |= lo
        b[UNITS + 2 * owner(cell) + 1] |= hi
    b[CELL + h] = cell


def amend(b: State, h: int, cell: int) -> None:
    """Write the cell of a unit that stands on h already, and with it the hash: the sets of units stay as they are."""
    b[HASH] ^= cell_key(b[CELL + h], h) ^ cell_key(cell, h)
    b[CELL + h] = cell


def stock(b: State, side: int, t: int, change: int) -> None:
    """Add units of a type to a side's reinforcements, or take them away."""
    at = ZONE + side * TYPES + t
    b[HASH] ^= mix((b[at] * 100 + side * TYPES + t) * 4 + 2)
    b[at] += change
    b[HASH] ^= mix((b[at] * 100 + side * TYPES + t) * 4 + 2)


def board_key(b: State) -> int:
    """A 64-bit hash of a board in mid-turn or between turns."""
    key = b[HASH] ^ mix((((b[MODE] * 8 + b[PHASE]) * 2 + b[KILLED]) * 2 + b[RESIGNED]) * 4 + 3)
    if MAGIC and (b[LAND] != 0 or b[MANA] != 0 or b[RAISED] != 0):
        key = mix(mix(key ^ b[LAND]) + 2 * b[MANA] + b[RAISED])
    return key


def key(g: Ground, s: State) -> int:
    """A 64-bit hash of all that affects the future."""
    h = mix(s[SIDE] * 3 + s[WINNER] + 1)
    for at in range(PLY, BOARD):
        if at != WINNER:
            h = mix(h ^ s[at])
    for k in range(g[BOARDS]):
        h = mix(h ^ board_key(s[board_of(k) : board_of(k) + BOARD_SIZE]))
    if MAGIC and g[SPELLS_ON] == 1:
        for at in range(magic_of(g), magic_of(g) + magic_size(g)):
            if s[at] != 0:
                h = mix(h ^ mix(s[at] * 65536 + at))
    return h


# ------------------------------------------------------------------------------------------- what befalls units


def strike(b: State, h: int, at: int) -> None:
    """Remember that the unit on h has attacked the enemy on another hex: Cleave and Sunder ask for it."""
    cell = b[CELL + h]
    before = struck(cell)
    if before != at + 1 and before != SEVERAL:
        now = at + 1 if before == 0 else SEVERAL
        amend(b, h, (cell & ~(STRUCK_MASK << STRUCK_SHIFT)) | (now << STRUCK_SHIFT))


def follow(b: State, side: int, at: int, now: int) -> None:
    """Units of a side that have attacked the enemy on a hex remember it elsewhere: on another hex, or among SEVERAL."""
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = take(lo, hi)
        cell = b[CELL + h]
        if struck(cell) == at + 1:
            amend(b, h, (cell & ~(STRUCK_MASK << STRUCK_SHIFT)) | (now << STRUCK_SHIFT))


def withdraw(g: Ground, b: State, at: int) -> None:
    """The unit on a hex goes to its owner's reinforcements."""
    cell = b[CELL + at]
    put(b, at, 0)
    stock(b, owner(cell), (cell & TYPE_MASK) - 1, 1)
    if MAGIC and g[SPELLS_ON] == 1:
        follow(b, 1 - owner(cell), at, SEVERAL)


def slay(g: Ground, b: State, at: int) -> int:
    """The unit on a hex would die; returns the rebate that its owner is paid."""
    cell = b[CELL + at]
    if MAGIC and cell & SHIELDED != 0:  # soulbound
        withdraw(g, b, at)
        return 0
    put(b, at, 0)
    if unit(g, cell, NECROMANCER) == 1:
        b[KILLED] = 1
    if MAGIC and g[SPELLS_ON] == 1:
        follow(b, 1 - owner(cell), at, SEVERAL)
    return unit(g, cell, REBATE)


def harm(g: Ground, b: State, at: int, amount: int) -> int:
    """Damage to the unit on a hex, which dies when it reaches its defense; returns the rebate paid."""
    cell = b[CELL + at]
    if hurt(cell) + amount >= defense(g, cell):
        return slay(g, b, at)
    amend(b, at, cell + (amount << HURT_SHIFT))
    return 0


# ------------------------------------------------------------------------------------------- reach, paths, attack sets


def reach(g: Ground, tiles: int, b: State, h: int, foe_lo: int, foe_hi: int) -> tuple[int, int]:
    """The hexes that the unit on h can go to when enemies stand on `foe`, its own and those of friends included.

    Whether the unit has moved already is not asked. Leave enemies out of `foe` to see what their removal would open.
    """
    return reach_in(g, tiles, b, h, foe_lo, foe_hi, speed(g, b[CELL + h]))


def reach_in(g: Ground, tiles: int, b: State, h: int, foe_lo: int, foe_hi: int, n: int) -> tuple[int, int]:
    """The same in n steps."""
    t = (b[CELL + h] & TYPE_MASK) - 1
    open_lo, open_hi = open_to(g, tiles, b, t)
    if g[UNIT + t * COLUMNS + FLYING] == 0:
        open_lo &= ~foe_lo
        open_hi &= ~foe_hi
    lo, hi = low_bit(h), high_bit(h)
    own_lo, own_hi = lo, hi
    for _ in range(n):
        wide_lo, wide_hi = grow(lo, hi)
        lo |= wide_lo & open_lo
        hi |= wide_hi & open_hi
    return (lo & ~foe_lo) | own_lo, (hi & ~foe_hi) | own_hi


def vacant(b: State, lo: int, hi: int) -> tuple[int, int]:
    """Those of a set of hexes on which nobody stands."""
    return lo & ~(b[UNITS] | b[UNITS + 2]), hi & ~(b[UNITS + 1] | b[UNITS + 3])


def foes(b: State, side: int) -> tuple[int, int]:
    return b[UNITS + 2 * (1 - side)], b[UNITS + 2 * (1 - side) + 1]


def within(g: Ground, h: int, r: int) -> tuple[int, int]:
    """The hexes at distance 1..r of h, and h itself."""
    return g[DISK + (r * 100 + h) * 2], g[DISK + (r * 100 + h) * 2 + 1]


def strays(g: Ground, tiles: int, b: State, h: int, to: int) -> bool:
    """Whether a path reaches `to` that may leave the board and come back: the reference engine takes such moves."""
    cell = b[CELL + h]
    t = (cell & TYPE_MASK) - 1
    foe_lo, foe_hi = foes(b, owner(cell))
    if holds(foe_lo, foe_hi, to):
        return False
    open_lo, open_hi = open_to(g, tiles, b, t)
    most = speed(g, cell)
    for walk in range(6**most):
        x, y = h % 10, h // 10
        for _ in range(most):
            turn = walk % 6
            walk //= 6
            x += (turn == 3 or turn == 4) * 1 - (turn == 0 or turn == 1) * 1
            y += (turn == 1 or turn == 2) * 1 - (turn == 4 or turn == 5) * 1
            if 0 <= x < 10 and 0 <= y < 10:
                at = 10 * y + x
                if not holds(open_lo, open_hi, at):
                    break
                if holds(foe_lo, foe_hi, at) and g[UNIT + t * COLUMNS + FLYING] == 0:
                    break
                if at == to:
                    return True
    return False


def can_move(g: Ground, b: State, h: int) -> bool:
    """Whether the unit on h still has its move."""
    cell = b[CELL + h]
    if MAGIC and g[SPLIT_MOVES] == 1:
        return cell & IDLE == 0 and used(cell) == 0 and speed(g, cell) > 0
    return cell & (MOVED | IDLE) == 0 and used(cell) == 0


def can_attack(g: Ground, b: State, h: int) -> bool:
    """Whether the unit on h has an attack left."""
    cell = b[CELL + h]
    if cell & IDLE != 0 or used(cell) >= attacks(g, cell):
        return False
    return cell & MOVED == 0 or not lumbers(g, cell)


def aimed(g: Ground, b: State, cell: int, lo: int, hi: int) -> tuple[int, int]:
    """Of a set of enemies those that a unit may aim at: deathtouch spares necromancers."""
    if unit(g, cell, KIND) == DEATHTOUCH:
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            y, left_lo, left_hi = take(left_lo, left_hi)
            if unit(g, b[CELL + y], NECROMANCER) == 1:
                lo &= ~low_bit(y)
                hi &= ~high_bit(y)
    return lo, hi


def targets(g: Ground, b: State, h: int, at: int) -> tuple[int, int]:
    """The enemies that the unit on h, had it the right to attack, could attack from the hex `at`."""
    cell = b[CELL + h]
    side = owner(cell)
    near_lo, near_hi = within(g, at, reaching(g, cell))
    foe_lo, foe_hi = foes(b, side)
    return aimed(g, b, cell, near_lo & foe_lo, near_hi & foe_hi)


def threat(g: Ground, tiles: int, b: State, h: int) -> tuple[int, int]:
    """The enemies that the unit on h can attack this turn with what stands now, moving first if that helps."""
    if not can_attack(g, b, h):
        return 0, 0
    cell = b[CELL + h]
    side = owner(cell)
    lo, hi = low_bit(h), high_bit(h)
    foe_lo, foe_hi = foes(b, side)
    if reaching(g, cell) == 0:
        return 0, 0
    if can_move(g, b, h) and not lumbers(g, cell):
        lo, hi = reach(g, tiles, b, h, foe_lo, foe_hi)
    for _ in range(reaching(g, cell)):
        lo, hi = grow(lo, hi)
    return aimed(g, b, cell, lo & foe_lo, hi & foe_hi)
