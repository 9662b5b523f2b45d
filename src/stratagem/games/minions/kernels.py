"""The rules of Minions on flat arrays.

Sets of hexes are bitboards of two words, `lo` for ranks 0..4 and `hi` for ranks 5..9, fifty bits each, so that no sign bit
is ever in play. A board is `BOARD_SIZE` words and is copied as it is; its hash is kept up to date by `put` and `stock`.
Kernels that act return 0, or the number of what forbids the action (`turn.REASONS` has the words).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.kernel import Ground, State
from stratagem.rng import mix

# ------------------------------------------------------------------------------------------------------------ layout

TYPES, CARDS = 33, 25

# ground: [switches, numbers of the configuration, unit type of each card, units, neighbours, disks, tiles of each board]
(KILL_BEATS_GRAVEYARDS, BUY_FRESH, SPAWNED_SUPPORT, COPYCAT_AT_ONCE, ACQUIRE_OWNED, KEEP_ALL, LENIENT_PATHS,
 STAY_CYCLES) = range(8)  # fmt: skip
BOARDS, SPELL_PRICE, TARGET, COPYCAT_AT, SETUP_UNIT, INCOME, TO_WIN, BASIC, ZOMBIE = range(16, 25)
CARD_UNIT = 32  # the unit type of the card at each position of the line, -1 for a special card
UNIT = 64  # a row of COLUMNS for each type
COLUMNS = 16
(KIND, DAMAGE, ATTACKS, DEFENSE, SPEED, RANGE, COST, REBATE, NECROMANCER, LUMBERING, FLYING, PERSISTENT, SPAWN, BLINK,
 SOUL, PRICED) = range(16)  # fmt: skip
DEALS_DAMAGE, UNSUMMONS, DEATHTOUCH = range(3)
DISK = UNIT + TYPES * COLUMNS  # hexes at distance 0..3 of each hex: lo, hi
TILES = DISK + 4 * 100 * 2  # for each board: graveyards lo, hi, then what each type may enter: lo, hi
TILES_SIZE = 2 + TYPES * 2

# state: [side to move, ply, winner or -1, money of both, points of both, spells placed this turn, whether tech is done,
#         cards acquired this turn as bits, cards of Yellow, cards of Blue, boards..]
SIDE, PLY, WINNER, MONEY, POINTS, SPELLS, TECHED, FRESH, CARD = 0, 1, 2, 3, 5, 7, 8, 9, 10
LOCKED, UNLOCKED, ACQUIRED = range(3)
BOARD = CARD + 2 * CARDS

# board: [state code, phase reached this turn, whether the enemy necromancer was killed, whether resigned, hash, rebate owed
#         to the enemy, units of Yellow lo, hi, of Blue lo, hi, cells of the 100 hexes, reinforcements of Yellow, of Blue]
MODE, PHASE, KILLED, RESIGNED, HASH, OWED, UNITS, CELL = 0, 1, 2, 3, 4, 5, 6, 10
ZONE = CELL + 100
BOARD_SIZE = ZONE + 2 * TYPES
FIRST, NORMAL, RESET_1, RESET_2 = range(4)  # state codes
UNTOUCHED, SET_UP, ATTACKING, SPAWNING, DONE = range(5)  # phases; DONE only where a turn is played by atoms

# cell: 0 if empty, else type + 1 | side << 6 | moved << 7 | spawned << 8 | attacks used << 9 | damage << 15
TYPE_MASK, SIDE_SHIFT, MOVED, SPAWNED, USED_SHIFT, HURT_SHIFT = 63, 6, 1 << 7, 1 << 8, 9, 15
COUNT_MASK = 63
STANDING = 127  # type and side: what is left of a cell when a turn ends

# actions: [kind, board, number of arguments, arguments..]; of tech the board is the number of cards marched
TECH, SETUP, MOVE, CYCLE, ATTACK, BLINKING, BUY, SPAWNS, RESIGN = range(9)

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
 TECH_DONE, GAME_ENDED, NO_SUCH_BOARD, NO_SUCH_CARD) = range(43)  # fmt: skip

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


def owner(cell: int) -> int:
    return (cell >> SIDE_SHIFT) & 1


def used(cell: int) -> int:
    return (cell >> USED_SHIFT) & COUNT_MASK


def hurt(cell: int) -> int:
    return (cell >> HURT_SHIFT) & COUNT_MASK


def tiles_of(k: int) -> int:
    """Where the tiles of board k are in the ground."""
    return TILES + k * TILES_SIZE


def board_of(k: int) -> int:
    """Where board k is in the state."""
    return BOARD + k * BOARD_SIZE


def put(b: State, h: int, cell: int) -> None:
    """Write a cell, and with it the sets of units and the hash."""
    old = b[CELL + h]
    lo, hi = low_bit(h), high_bit(h)
    if old != 0:
        b[HASH] ^= mix((old * 100 + h) * 4 + 1)
        b[UNITS + 2 * owner(old)] &= ~lo
        b[UNITS + 2 * owner(old) + 1] &= ~hi
    if cell != 0:
        b[HASH] ^= mix((cell * 100 + h) * 4 + 1)
        b[UNITS + 2 * owner(cell)] |= lo
        b[UNITS + 2 * owner(cell) + 1] |= hi
    b[CELL + h] = cell


def stock(b: State, side: int, t: int, change: int) -> None:
    """Add units of a type to a side's reinforcements, or take them away."""
    at = ZONE + side * TYPES + t
    b[HASH] ^= mix((b[at] * 100 + side * TYPES + t) * 4 + 2)
    b[at] += change
    b[HASH] ^= mix((b[at] * 100 + side * TYPES + t) * 4 + 2)


def board_key(b: State) -> int:
    """A 64-bit hash of a board in mid-turn or between turns."""
    return b[HASH] ^ mix((((b[MODE] * 8 + b[PHASE]) * 2 + b[KILLED]) * 2 + b[RESIGNED]) * 4 + 3)


def key(g: Ground, s: State) -> int:
    """A 64-bit hash of all that affects the future."""
    h = mix(s[SIDE] * 3 + s[WINNER] + 1)
    for at in range(PLY, BOARD):
        if at != WINNER:
            h = mix(h ^ s[at])
    for k in range(g[BOARDS]):
        h = mix(h ^ board_key(s[board_of(k) : board_of(k) + BOARD_SIZE]))
    return h


# ------------------------------------------------------------------------------------------- reach, paths, attack sets


def reach(g: Ground, tiles: int, b: State, h: int, foe_lo: int, foe_hi: int) -> tuple[int, int]:
    """The hexes that the unit on h can go to when enemies stand on `foe`, its own and those of friends included.

    Whether the unit has moved already is not asked. Leave enemies out of `foe` to see what their removal would open.
    """
    cell = b[CELL + h]
    t = (cell & TYPE_MASK) - 1
    open_lo, open_hi = g[tiles + 2 + 2 * t], g[tiles + 3 + 2 * t]
    if g[UNIT + t * COLUMNS + FLYING] == 0:
        open_lo &= ~foe_lo
        open_hi &= ~foe_hi
    lo, hi = low_bit(h), high_bit(h)
    own_lo, own_hi = lo, hi
    for _ in range(g[UNIT + t * COLUMNS + SPEED]):
        wide_lo, wide_hi = grow(lo, hi)
        lo |= wide_lo & open_lo
        hi |= wide_hi & open_hi
    return (lo & ~foe_lo) | own_lo, (hi & ~foe_hi) | own_hi


def foes(b: State, side: int) -> tuple[int, int]:
    return b[UNITS + 2 * (1 - side)], b[UNITS + 2 * (1 - side) + 1]


def within(g: Ground, h: int, r: int) -> tuple[int, int]:
    """The hexes at distance 1..r of h, and h itself."""
    return g[DISK + (r * 100 + h) * 2], g[DISK + (r * 100 + h) * 2 + 1]


def path(g: Ground, tiles: int, b: State, h: int, to: int, out: State) -> int:
    """The steps of a shortest path from h to another hex into `out`; returns its length, or -1 if there is none."""
    cell = b[CELL + h]
    t = (cell & TYPE_MASK) - 1
    foe_lo, foe_hi = foes(b, owner(cell))
    open_lo, open_hi = g[tiles + 2 + 2 * t], g[tiles + 3 + 2 * t]
    if g[UNIT + t * COLUMNS + FLYING] == 0:
        open_lo &= ~foe_lo
        open_hi &= ~foe_hi
    if to == h or holds(foe_lo, foe_hi, to) or not holds(open_lo, open_hi, to):
        return -1
    length = 0
    lo, hi = low_bit(h), high_bit(h)
    while not holds(lo, hi, to):
        if length == g[UNIT + t * COLUMNS + SPEED]:
            return -1
        wide_lo, wide_hi = grow(lo, hi)
        lo |= wide_lo & open_lo
        hi |= wide_hi & open_hi
        length += 1
    out[length - 1] = to
    for left in range(length - 1, 0, -1):
        lo, hi = low_bit(h), high_bit(h)
        for _ in range(left):
            wide_lo, wide_hi = grow(lo, hi)
            lo |= wide_lo & open_lo
            hi |= wide_hi & open_hi
        near_lo, near_hi = within(g, out[left], 1)
        out[left - 1] = first_hex(lo & near_lo & open_lo, hi & near_hi & open_hi)
    return length


def strays(g: Ground, tiles: int, b: State, h: int, to: int) -> bool:
    """Whether a path reaches `to` that may leave the board and come back: the reference engine takes such moves."""
    cell = b[CELL + h]
    t = (cell & TYPE_MASK) - 1
    foe_lo, foe_hi = foes(b, owner(cell))
    if holds(foe_lo, foe_hi, to):
        return False
    speed = g[UNIT + t * COLUMNS + SPEED]
    for walk in range(6**speed):
        x, y = h % 10, h // 10
        for _ in range(speed):
            turn = walk % 6
            walk //= 6
            x += (turn == 3 or turn == 4) * 1 - (turn == 0 or turn == 1) * 1
            y += (turn == 1 or turn == 2) * 1 - (turn == 4 or turn == 5) * 1
            if 0 <= x < 10 and 0 <= y < 10:
                at = 10 * y + x
                if not holds(g[tiles + 2 + 2 * t], g[tiles + 3 + 2 * t], at):
                    break
                if holds(foe_lo, foe_hi, at) and g[UNIT + t * COLUMNS + FLYING] == 0:
                    break
                if at == to:
                    return True
    return False


def can_move(g: Ground, b: State, h: int) -> bool:
    """Whether the unit on h still has its move."""
    cell = b[CELL + h]
    return cell & (MOVED | SPAWNED) == 0 and used(cell) == 0


def can_attack(g: Ground, b: State, h: int) -> bool:
    """Whether the unit on h has an attack left."""
    cell = b[CELL + h]
    if cell & SPAWNED != 0 or used(cell) >= unit(g, cell, ATTACKS):
        return False
    return cell & MOVED == 0 or unit(g, cell, LUMBERING) == 0


def aimed(g: Ground, b: State, cell: int, lo: int, hi: int) -> tuple[int, int]:
    """Of a set of enemies those that a unit may aim at: deathtouch spares necromancers."""
    if unit(g, cell, KIND) == DEATHTOUCH:
        left_lo, left_hi = lo, hi
        while left_lo != 0 or left_hi != 0:
            y = first_hex(left_lo, left_hi)
            left_lo &= ~low_bit(y)
            left_hi &= ~high_bit(y)
            if unit(g, b[CELL + y], NECROMANCER) == 1:
                lo &= ~low_bit(y)
                hi &= ~high_bit(y)
    return lo, hi


def targets(g: Ground, b: State, h: int, at: int) -> tuple[int, int]:
    """The enemies that the unit on h, had it the right to attack, could attack from the hex `at`."""
    cell = b[CELL + h]
    side = owner(cell)
    near_lo, near_hi = within(g, at, unit(g, cell, RANGE))
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
    if unit(g, cell, RANGE) == 0:
        return 0, 0
    if can_move(g, b, h) and unit(g, cell, LUMBERING) == 0:
        lo, hi = reach(g, tiles, b, h, foe_lo, foe_hi)
    for _ in range(unit(g, cell, RANGE)):
        lo, hi = grow(lo, hi)
    return aimed(g, b, cell, lo & foe_lo, hi & foe_hi)


def reach_sets(g: Ground, k: int, b: State, side: int, out: State) -> int:
    """For each unit of a side: hex, reach lo, hi into `out`; returns how many."""
    n = 0
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    foe_lo, foe_hi = foes(b, side)
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        out[3 * n] = h
        out[3 * n + 1], out[3 * n + 2] = reach(g, tiles_of(k), b, h, foe_lo, foe_hi)
        n += 1
    return n


def attack_sets(g: Ground, k: int, b: State, side: int, out: State) -> int:
    """For each unit of a side: hex, enemies it can attack this turn lo, hi into `out`; returns how many."""
    n = 0
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        out[3 * n] = h
        out[3 * n + 1], out[3 * n + 2] = threat(g, tiles_of(k), b, h)
        n += 1
    return n


# ------------------------------------------------------------------------------------------------- the attack phase


def mover(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Whether the unit on h may go to another hex, whoever of its own side stands there now."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    if cell & SPAWNED != 0:
        return FRESHLY_SPAWNED
    if cell & MOVED != 0:
        return HAS_MOVED
    if used(cell) > 0:
        return HAS_ATTACKED
    if h == to:
        return SAME_HEX
    foe_lo, foe_hi = foes(b, side)
    if holds(foe_lo, foe_hi, to):
        return ENEMY_THERE
    lo, hi = reach(g, tiles, b, h, foe_lo, foe_hi)
    if holds(lo, hi, to) or (g[LENIENT_PATHS] == 1 and strays(g, tiles, b, h, to)):
        return LEGAL
    return UNREACHABLE


def step(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Move one unit into an empty hex."""
    wrong = mover(g, tiles, b, side, h, to)
    if wrong != LEGAL:
        return wrong
    if b[CELL + to] != 0:
        return FRIEND_THERE
    cell = b[CELL + h]
    put(b, h, 0)
    put(b, to, cell | MOVED)
    return LEGAL


def cycle(g: Ground, tiles: int, b: State, side: int, hexes: Stream, n: int) -> int:
    """The unit on each hex goes to the next, and the last one to the first, all at once."""
    if n < 2 and (g[STAY_CYCLES] == 0 or n < 1):
        return SHORT_CYCLE
    for i in range(n):
        for j in range(i):
            if hexes[i] == hexes[j]:
                return REPEATED_HEX
    for i in range(n):
        wrong = mover(g, tiles, b, side, hexes[i], hexes[(i + 1) % n])
        if wrong != LEGAL and not (wrong == SAME_HEX and n == 1):
            return wrong
    last = b[CELL + hexes[n - 1]]
    for i in range(n - 1, 0, -1):
        put(b, hexes[i], b[CELL + hexes[i - 1]] | MOVED)
    put(b, hexes[0], last | MOVED)
    return LEGAL


def tick(g: Ground, tiles: int, b: State, side: int, moves: Stream, n: int) -> int:
    """n units move at once; `moves` holds pairs (from, to). Nothing changes if one may not."""
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    for i in range(n):
        wrong = mover(g, tiles, b, side, moves[2 * i], moves[2 * i + 1])
        if wrong != LEGAL:
            return wrong
        if not holds(lo, hi, moves[2 * i]):
            return REPEATED_HEX
        lo &= ~low_bit(moves[2 * i])
        hi &= ~high_bit(moves[2 * i])
    for i in range(n):
        if holds(lo, hi, moves[2 * i + 1]):
            return FRIEND_THERE
        lo |= low_bit(moves[2 * i + 1])
        hi |= high_bit(moves[2 * i + 1])
    # a mover's cell may already hold who came: lift it by its own word, kept aside in `moves`
    for i in range(n):
        h = moves[2 * i]
        moves[2 * i] = b[CELL + h] | MOVED
        put(b, h, 0)
    for i in range(n):
        put(b, moves[2 * i + 1], moves[2 * i])
    return LEGAL


def attack(g: Ground, b: State, side: int, h: int, at: int) -> int:
    """One attack of the unit on h against the unit on another hex; kills and unsummons take effect at once."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    if cell & SPAWNED != 0:
        return FRESHLY_SPAWNED
    target = b[CELL + at]
    if target == 0:
        return NO_TARGET
    if owner(target) == side:
        return OWN_TARGET
    near_lo, near_hi = within(g, h, unit(g, cell, RANGE))
    if not holds(near_lo, near_hi, at):
        return OUT_OF_RANGE
    if cell & MOVED != 0 and unit(g, cell, LUMBERING) == 1:
        return LUMBERS
    if used(cell) >= unit(g, cell, ATTACKS):
        return NO_ATTACKS_LEFT
    kind = unit(g, cell, KIND)
    if kind == DEATHTOUCH and unit(g, target, NECROMANCER) == 1:
        return NECROMANCER_IMMUNE
    put(b, h, cell + (1 << USED_SHIFT))
    if kind == UNSUMMONS and unit(g, target, PERSISTENT) == 0:
        put(b, at, 0)
        stock(b, 1 - side, (target & TYPE_MASK) - 1, 1)
        return LEGAL
    harm = 1
    if kind == DEALS_DAMAGE:
        harm = unit(g, cell, DAMAGE)
    if kind == DEATHTOUCH or hurt(target) + harm >= unit(g, target, DEFENSE):
        put(b, at, 0)
        b[OWED] += unit(g, target, REBATE)
        if unit(g, target, NECROMANCER) == 1:
            b[KILLED] = 1
    else:
        put(b, at, target + (harm << HURT_SHIFT))
    return LEGAL


def blink(g: Ground, b: State, side: int, h: int) -> int:
    """Return one's own unit to the reinforcements."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    if unit(g, cell, BLINK) == 0:
        return NO_BLINK
    put(b, h, 0)
    stock(b, side, (cell & TYPE_MASK) - 1, 1)
    return LEGAL


# ---------------------------------------------------------------------------------------------- setup and spawn phase


def start_hex(side: int) -> int:
    return 22 if side == 0 else 77


def set_up(g: Ground, b: State, side: int, necromancer: int, keep: int) -> int:
    """The mandatory setup after a reset: a necromancer, one unit of the zone to keep (-1: none named), a free unit."""
    if necromancer != g[BASIC]:
        return NOT_BASIC
    kinds = 0
    for t in range(TYPES):
        kinds += b[ZONE + side * TYPES + t] > 0
    if keep < 0 and kinds > 0 and g[KEEP_ALL] == 0:
        return MUST_KEEP
    if keep >= 0 and b[ZONE + side * TYPES + keep] == 0:
        return NOT_IN_ZONE
    # a side has one necromancer: should a written position have it elsewhere, it goes
    for h in range(100):
        cell = b[CELL + h]
        if cell != 0 and owner(cell) == side and unit(g, cell, NECROMANCER) == 1:
            put(b, h, 0)
    put(b, start_hex(side), necromancer + 1 | side << SIDE_SHIFT)
    if keep >= 0:
        for t in range(TYPES):
            stock(b, side, t, (t == keep) * 1 - b[ZONE + side * TYPES + t])
    stock(b, side, g[SETUP_UNIT], 1)
    return LEGAL


def spawn_places(g: Ground, b: State, side: int) -> tuple[int, int]:
    """The empty hexes next to a friendly unit that supports spawning."""
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    near_lo, near_hi = 0, 0
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        cell = b[CELL + h]
        if unit(g, cell, SPAWN) == 1 and (cell & SPAWNED == 0 or g[SPAWNED_SUPPORT] == 1):
            more_lo, more_hi = within(g, h, 1)
            near_lo |= more_lo
            near_hi |= more_hi
    return (
        near_lo & ~(b[UNITS] | b[UNITS + 2]),
        near_hi & ~(b[UNITS + 1] | b[UNITS + 3]),
    )


def spawn(g: Ground, tiles: int, b: State, side: int, t: int, h: int) -> int:
    """Put a unit of the reinforcements on the board."""
    if b[ZONE + side * TYPES + t] == 0:
        return NOT_IN_ZONE
    if b[CELL + h] != 0:
        return OCCUPIED
    if not holds(g[tiles + 2 + 2 * t], g[tiles + 3 + 2 * t], h):
        return BAD_TILE
    lo, hi = spawn_places(g, b, side)
    if not holds(lo, hi, h):
        return NO_SPAWNER
    stock(b, side, t, -1)
    put(b, h, t + 1 | side << SIDE_SHIFT | SPAWNED)
    return LEGAL


def for_sale(g: Ground, s: State, side: int, t: int) -> int:
    """Whether a side may buy a type now, money aside."""
    if g[UNIT + t * COLUMNS + PRICED] == 0:
        return NOT_FOR_SALE
    if t == g[ZOMBIE]:
        return LEGAL
    for c in range(CARDS):
        if g[CARD_UNIT + c] == t:
            if s[CARD + side * CARDS + c] != ACQUIRED:
                return NOT_ACQUIRED
            if (s[FRESH] >> c) & 1 == 1 and g[BUY_FRESH] == 0:
                return NOT_ACQUIRED
            return LEGAL
    return NOT_FOR_SALE


# ----------------------------------------------------------------------------------------------------- the techline


def march(g: Ground, s: State) -> int:
    """A spell on the first card on which the side has none."""
    at = CARD + s[SIDE] * CARDS
    for c in range(CARDS):
        if s[at + c] == LOCKED:
            s[at + c] = UNLOCKED
            return LEGAL
    return END_OF_LINE


def acquire(g: Ground, s: State, c: int) -> int:
    """A second spell on a card."""
    side = s[SIDE]
    mine, theirs = s[CARD + side * CARDS + c], s[CARD + (1 - side) * CARDS + c]
    if mine == LOCKED:
        return CARD_LOCKED
    if mine == ACQUIRED:
        return LEGAL if g[ACQUIRE_OWNED] == 1 else CARD_OWNED
    if theirs == ACQUIRED and c != g[COPYCAT_AT]:
        copycat = g[COPYCAT_AT]
        if s[CARD + side * CARDS + copycat] != ACQUIRED:
            return CARD_TAKEN
        if (s[FRESH] >> copycat) & 1 == 1 and g[COPYCAT_AT_ONCE] == 0:
            return CARD_TAKEN
    s[CARD + side * CARDS + c] = ACQUIRED
    s[FRESH] |= 1 << c
    return LEGAL


def tech(g: Ground, s: State, marched: int, cards: Stream, n: int) -> int:
    """The general's turn: cards marched, then cards acquired; all spells but the free one are paid for."""
    if s[TECHED] == 1:  # a turn that goes on from its middle brings an empty part
        return LEGAL if marched + n == 0 else TECH_DONE
    s[TECHED] = 1
    s[SPELLS] = marched + n
    price = g[SPELL_PRICE] * max(s[SPELLS] - 1, 0)
    if price > s[MONEY + s[SIDE]]:
        return NO_MONEY
    s[MONEY + s[SIDE]] -= price
    for _ in range(marched):
        wrong = march(g, s)
        if wrong != LEGAL:
            return wrong
    for i in range(n):
        if cards[i] < 0 or cards[i] >= CARDS:
            return NO_SUCH_CARD
        wrong = acquire(g, s, cards[i])
        if wrong != LEGAL:
            return wrong
    return LEGAL


# ------------------------------------------------------------------------------------------------------- whole turns


def phase_for(b: State, kind: int) -> int:
    """Whether a board is in a phase in which an action of this kind may come, and the phase that it leads to."""
    if b[RESIGNED] == 1:
        return HAS_RESIGNED
    if b[PHASE] == DONE:
        return WRONG_PHASE
    fresh = b[MODE] == RESET_1 or b[MODE] == RESET_2
    if kind == RESIGN:
        return LEGAL if b[PHASE] == UNTOUCHED else NOT_ALONE
    if kind == SETUP:
        if not fresh:
            return NO_SETUP
        return LEGAL if b[PHASE] == UNTOUCHED else SETUP_DONE
    if fresh and b[PHASE] == UNTOUCHED:
        return NEEDS_SETUP
    if kind in (BUY, SPAWNS):
        return LEGAL if b[MODE] == NORMAL or b[MODE] == RESET_2 else NO_SPAWN_PHASE
    return LEGAL if b[PHASE] != SPAWNING else WRONG_PHASE


def act(g: Ground, s: State, a: Stream) -> int:
    """One action; on an illegal one the state is left as far as it came, and must be thrown away."""
    if s[WINNER] >= 0:
        return GAME_ENDED
    kind, k, n = a[0], a[1], a[2]
    if kind == TECH:
        return tech(g, s, k, a[3:], n)
    if k < 0 or k >= g[BOARDS]:
        return NO_SUCH_BOARD
    side = s[SIDE]
    tiles = tiles_of(k)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = phase_for(b, kind)
    if wrong != LEGAL:
        return wrong
    if kind == RESIGN:
        b[RESIGNED] = 1
        return LEGAL
    if kind == SETUP:
        b[PHASE] = SET_UP
        return set_up(g, b, side, a[3], a[4])
    if kind == BUY:
        b[PHASE] = SPAWNING
        wrong = for_sale(g, s, side, a[3])
        if wrong != LEGAL:
            return wrong
        price = g[UNIT + a[3] * COLUMNS + COST]
        if price > s[MONEY + side]:
            return NO_MONEY
        s[MONEY + side] -= price
        stock(b, side, a[3], 1)
        return LEGAL
    if kind == SPAWNS:
        b[PHASE] = SPAWNING
        return spawn(g, tiles, b, side, a[3], a[4])
    b[PHASE] = ATTACKING
    if kind == MOVE:
        return step(g, tiles, b, side, a[3], a[4])
    if kind == CYCLE:
        return cycle(g, tiles, b, side, a[3:], n)
    if kind == BLINKING:
        return blink(g, b, side, a[3])
    wrong = attack(g, b, side, a[3], a[4])
    s[MONEY + 1 - side] += b[OWED]
    b[OWED] = 0
    return wrong


def income(g: Ground, k: int, b: State, side: int) -> int:
    """What a board pays a side at the end of its turn: graveyards held, a base, and one for a soul."""
    paid = g[INCOME] + graveyards(g, k, b, side)
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        paid += unit(g, b[CELL + h], SOUL)
    return paid


def graveyards(g: Ground, k: int, b: State, side: int) -> int:
    """How many graveyards a side holds."""
    tiles = tiles_of(k)
    return size(b[UNITS + 2 * side] & g[tiles], b[UNITS + 2 * side + 1] & g[tiles + 1])


def refresh(b: State) -> None:
    """Wipe damage and what units have done this turn."""
    for word in range(2):
        bits = b[UNITS + word] | b[UNITS + 2 + word]
        while bits != 0:
            h = 50 * word + lowest(bits)
            bits &= bits - 1
            if b[CELL + h] != b[CELL + h] & STANDING:
                put(b, h, b[CELL + h] & STANDING)


def lay_out(g: Ground, b: State) -> None:
    """The start: each side's basic necromancer with a Zombie on each of the six hexes around it."""
    for h in range(100):
        if b[CELL + h] != 0:
            put(b, h, 0)
    for side in range(2):
        lo, hi = within(g, start_hex(side), 1)
        for h in range(100):
            if holds(lo, hi, h):
                put(b, h, g[ZOMBIE] + 1 | side << SIDE_SHIFT)
        put(b, start_hex(side), g[BASIC] + 1 | side << SIDE_SHIFT)


def reset(g: Ground, b: State) -> None:
    """A board won is laid out anew; each side keeps every type that it had there, once, in its zone."""
    for h in range(100):
        cell = b[CELL + h]
        if cell != 0 and unit(g, cell, NECROMANCER) == 0:
            stock(b, owner(cell), (cell & TYPE_MASK) - 1, 1)
    for side in range(2):
        for t in range(TYPES):
            have = b[ZONE + side * TYPES + t]
            if have > 1:
                stock(b, side, t, 1 - have)
    lay_out(g, b)
    b[MODE] = RESET_1


def end_board(g: Ground, s: State, k: int) -> None:
    """The end of a turn on one board: refresh, income, who has won it, its next state."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    refresh(b)
    s[MONEY + side] += income(g, k, b, side)
    winner = -1
    overrun = graveyards(g, k, b, 1 - side) >= g[TO_WIN]
    if overrun and not (b[KILLED] == 1 and g[KILL_BEATS_GRAVEYARDS] == 1):
        winner = 1 - side
    elif b[KILLED] == 1:
        winner = side
    elif b[RESIGNED] == 1:
        winner = 1 - side
    b[MODE] = RESET_2 if b[MODE] == RESET_1 else NORMAL
    b[PHASE] = UNTOUCHED
    b[KILLED] = 0
    b[RESIGNED] = 0
    if winner >= 0:
        s[POINTS + winner] += 1
        reset(g, b)


def unready(g: Ground, s: State) -> int:
    """The first board whose setup is still missing, or -1."""
    for k in range(g[BOARDS]):
        at = board_of(k)
        if s[at + MODE] >= RESET_1 and s[at + PHASE] == UNTOUCHED and s[at + RESIGNED] == 0:
            return k
    return -1


def end_turn(g: Ground, s: State) -> None:
    """Boards in index order, then whether the game is won, then the other side's turn."""
    for k in range(g[BOARDS]):
        end_board(g, s, k)
    s[SPELLS] = 0
    s[TECHED] = 0
    s[FRESH] = 0
    side = s[SIDE]
    if s[POINTS + side] >= g[TARGET]:
        s[WINNER] = side
    elif s[POINTS + 1 - side] >= g[TARGET]:
        s[WINNER] = 1 - side
    else:
        s[SIDE] = 1 - side
        s[PLY] += 1


def play_actions(g: Ground, s: State, a: Stream, length: int) -> int:
    """Actions one after another: 0, or place * 64 + reason for the first illegal one."""
    at = 0
    place = 0
    while at < length:
        wrong = act(g, s, a[at:])
        if wrong != LEGAL:
            return place * 64 + wrong
        at += 3 + a[at + 2]
        place += 1
    return LEGAL


def play_turn(g: Ground, s: State, a: Stream, length: int) -> int:
    """A whole turn: 0, or place * 64 + reason; a missing setup has the place behind all actions."""
    wrong = play_actions(g, s, a, length)
    if wrong != LEGAL:
        return wrong
    if unready(g, s) >= 0:
        return length * 64 + NEEDS_SETUP
    end_turn(g, s)
    return LEGAL
