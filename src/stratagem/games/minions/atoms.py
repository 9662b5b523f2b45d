"""Turns in single steps: `moves`, `allowed` and `play` on atoms, for searches that build a turn part by part.

An atom is one integer: a spell on the techline, the free spell sold, a drawn spell given to a board, a setup, a move, a cycle
of moves, an attack, a blink, a spell cast or discarded, an ability, a teleport, a Zombie of a spawner, a purchase, a placement,
a resignation, or the end of a phase. The general comes first, then the boards in index order, each with its attack phase and
its spawn phase; the end of the last phase ends the turn. The general's atoms have one order, so that his turn is reached in
one way only: the sale, marches, cards by position, then spells for boards by index.

`moves` lists cycles of two units; `allowed` and `play` take cycles of up to `MOST_CYCLE`. Where there are spells, `turn` is
CHANCE until `draw` has dealt.
"""

from __future__ import annotations

import numpy as np

from stratagem.games.minions.kernels import *  # the names of the rules, as in `sampling`
from stratagem.games.minions.magic import (
    AIM,
    EITHER,
    ENEMY,
    NORMALIZE,
    TERRAFORM,
    affordable,
    arguments,
    cast,
    discard,
    give,
    in_spawn_phase_only,
    may_cast,
    may_give,
    may_rise,
    may_teleport,
    may_use_ability,
    place_in_hand,
    random_deal,
    refused,
    rise,
    taken_in_all,
    teleport,
    use_ability,
)
from stratagem.kernel import CHANCE, OVER, Ground, State
from stratagem.rng import Rng

NO_ROOM = np.zeros(0, np.int64)

END = 16  # the kind of an atom that ends a phase; the others are those of actions
KIND_BITS, BOARD_BITS, COUNT_BITS, ARGUMENT_BITS = 5, 8, 3, 7
COUNT_SHIFT = KIND_BITS + BOARD_BITS
ARGUMENT_SHIFT = COUNT_SHIFT + COUNT_BITS
MOST_CYCLE = 6  # hexes that fit into an atom
MAX_ATOMS = 8192  # room for `moves`


def atom(kind: int, k: int, n: int, x: int, y: int) -> int:
    """An atom of up to two arguments."""
    return kind | k << KIND_BITS | n << COUNT_SHIFT | x << ARGUMENT_SHIFT | y << (ARGUMENT_SHIFT + ARGUMENT_BITS)


def kind_of(m: int) -> int:
    return m & ((1 << KIND_BITS) - 1)


def board_index(m: int) -> int:
    return (m >> KIND_BITS) & ((1 << BOARD_BITS) - 1)


def count_of(m: int) -> int:
    return (m >> COUNT_SHIFT) & ((1 << COUNT_BITS) - 1)


def argument(m: int, i: int) -> int:
    return (m >> (ARGUMENT_SHIFT + i * ARGUMENT_BITS)) & ((1 << ARGUMENT_BITS) - 1)


def turn(g: Ground, s: State) -> int:
    """The side to decide, OVER, or CHANCE where spells are to be dealt."""
    if s[WINNER] >= 0:
        return OVER
    if MAGIC and g[SPELLS_ON] == 1 and s[DRAWN] == 0:
        return CHANCE
    return s[SIDE]


def draw(g: Ground, s: State, r: Rng) -> None:
    """Chance before a turn: the side to move is dealt its spells."""
    random_deal(g, s, r, NO_ROOM)


def present(g: Ground, s: State) -> int:
    """The board whose phases are being played, -1 while the general is at it."""
    if s[TECHED] == 0:
        return -1
    for k in range(g[BOARDS]):
        if s[board_of(k) + PHASE] != DONE:
            return k
    return g[BOARDS]


def needs_setup(b: State) -> bool:
    return (b[MODE] == RESET_1 or b[MODE] == RESET_2) and b[PHASE] == UNTOUCHED


# ------------------------------------------------------------------------------------------------------------------- legality


def costs(s: State) -> bool:
    """Whether the general's next spell is to be paid for."""
    return s[SPELLS] > 0 or s[SOLD] == 1


def may_spell(g: Ground, s: State, n: int, c: int) -> bool:
    """Whether a spell may go to the next card (n = 0) or to card c (n = 1)."""
    side = s[SIDE]
    if (
        MAGIC
        and g[SPELLS_ON] == 1
        and (taken_in_all(g, s) > 0 or (costs(s) and s[DRAWN] >= s[deck_of(g, side) + KNOWN]))
    ):
        return False  # spells for boards come later, and each one bought draws a card
    if costs(s) and s[MONEY + side] < g[SPELL_PRICE]:
        return False
    if n == 0:
        return s[FRESH] == 0 and s[CARD + side * CARDS + CARDS - 1] == LOCKED
    if c >= CARDS or (s[FRESH] >> c) != 0 or s[CARD + side * CARDS + c] != UNLOCKED:
        return False
    copycat = g[COPYCAT_AT]
    copies = s[CARD + side * CARDS + copycat] == ACQUIRED and (s[FRESH] >> copycat) & 1 == 0
    return s[CARD + (1 - side) * CARDS + c] != ACQUIRED or c == copycat or copies


def may_take(g: Ground, s: State, m: int) -> bool:
    """Whether a board may take a drawn spell; boards take theirs by index."""
    k = board_index(m)
    if k >= g[BOARDS] or may_give(g, s, k, argument(m, 0)) != LEGAL:
        return False
    for later in range(k + 1, g[BOARDS]):
        if s[taken_at(g, later)] > 0:
            return False
    return True


def may_set_up(g: Ground, s: State, b: State, m: int) -> bool:
    """Whether a setup may keep a type (+ 1; 0: nothing) and have a necromancer (+ 1; 0: the basic one)."""
    side, keep, necromancer = s[SIDE], argument(m, 0) - 1, argument(m, 1) - 1
    if necromancer >= TYPES or necromancer == g[BASIC]:
        return False
    if necromancer_for(g, s, g[BASIC] if necromancer < 0 else necromancer) != LEGAL:
        return False
    if keep >= 0:
        return keep < TYPES and b[ZONE + side * TYPES + keep] > 0
    for t in range(TYPES):
        if b[ZONE + side * TYPES + t] > 0:
            return g[KEEP_ALL] == 1 or g[KEEP_DEAREST] == 1
    return True


def may_cycle(g: Ground, k: int, b: State, side: int, m: int) -> bool:
    """Whether the units of a cyclic move may change places."""
    n = count_of(m)
    if n < 2 or n > MOST_CYCLE:
        return False
    for i in range(n):
        if argument(m, i) >= 100:
            return False
        for j in range(i):
            if argument(m, i) == argument(m, j):
                return False
    for i in range(n):
        if mover(g, tiles_of(k), b, side, argument(m, i), argument(m, (i + 1) % n)) != LEGAL:
            return False
    return True


def may_fight(g: Ground, k: int, b: State, side: int, m: int) -> bool:
    """Whether an action of the attack phase is legal."""
    kind, x, y = kind_of(m), argument(m, 0), argument(m, 1)
    if kind == CYCLE:
        return may_cycle(g, k, b, side, m)
    if x >= 100 or y >= 100:
        return False
    cell = b[CELL + x]
    if cell == 0 or owner(cell) != side:
        return False
    if kind == BLINKING:
        return unit(g, cell, BLINK) == 1
    if kind == MOVE:
        return b[CELL + y] == 0 and mover(g, tiles_of(k), b, side, x, y) == LEGAL
    lo, hi = targets(g, b, x, x)
    return can_attack(g, b, x) and holds(lo, hi, y)


def may_spawn(g: Ground, s: State, k: int, m: int) -> bool:
    """Whether an action of the spawn phase is legal."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    t, h = argument(m, 0), argument(m, 1)
    if t >= TYPES:
        return False
    if kind_of(m) == BUY:
        return for_sale(g, s, side, t) == LEGAL and g[UNIT + t * COLUMNS + COST] <= s[MONEY + side]
    if b[MODE] != NORMAL and b[MODE] != RESET_2:  # a spawn phase for all but this
        return False
    lo, hi = spawn_places(g, b, side)
    open_lo, open_hi = open_to(g, tiles_of(k), b, t)
    return h < 100 and b[ZONE + side * TYPES + t] > 0 and holds(lo & open_lo, hi & open_hi, h)


def may_use_magic(g: Ground, s: State, k: int, m: int) -> bool:
    """Whether an action of spells or tiles is legal in the present phase."""
    kind, x, y, z = kind_of(m), argument(m, 0), argument(m, 1), argument(m, 2)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    late = b[PHASE] == SPAWNING
    if kind == CAST:
        if x < 1 or x > SPELL_KINDS or y >= 100 or z >= 100 or count_of(m) != 1 + arguments(x):
            return False
        if (x == TERRAFORM and y >= 4) or (in_spawn_phase_only(x) and not late):
            return False
        return may_cast(g, s, k, x, y, z) == LEGAL
    if kind == DISCARD:
        return g[SPELLS_ON] == 1 and place_in_hand(g, s, k, s[SIDE], x) >= 0
    if kind == ABILITY:
        return late and x < 100 and y < 4 and z < 100 and may_use_ability(g, s, k, x, y, z) == LEGAL
    if kind == TELEPORT:
        if late and g[TELEPORT_LATE] == 0:
            return False
        return x < 100 and y < 100 and may_teleport(g, k, b, s[SIDE], x, y) == LEGAL
    return kind == RISE and late and x < 100 and may_rise(g, k, b, x) == LEGAL


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """Whether player p may play an atom now."""
    if turn(g, s) != p:
        return False
    kind, k = kind_of(m), present(g, s)
    if k < 0:
        if kind == TECH:
            return may_spell(g, s, count_of(m), argument(m, 0))
        if MAGIC and kind == SELL:
            return may_sell(g, s) == LEGAL and (g[SPELLS_ON] == 0 or taken_in_all(g, s) == 0)
        if MAGIC and kind == GIVE:
            return may_take(g, s, m)
        return kind == END
    if kind == TECH or (kind != END and board_index(m) != k):
        return False
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if b[MODE] == RESET_0:
        return kind == END
    if kind == RESIGN:
        return b[PHASE] == UNTOUCHED
    if needs_setup(b):
        return kind == SETUP and may_set_up(g, s, b, m)
    if kind == END:
        return True
    if kind >= CAST:
        if MAGIC:
            return may_use_magic(g, s, k, m)
        return False
    if kind == SETUP:
        return False
    if kind in (BUY, SPAWNS):
        return b[PHASE] == SPAWNING and may_spawn(g, s, k, m)
    return b[PHASE] != SPAWNING and may_fight(g, k, b, p, m)


# -------------------------------------------------------------------------------------------------------------------- listing


def list_fighting(g: Ground, k: int, b: State, side: int, out: Stream, n: int) -> int:
    """The actions of the attack phase behind `out[n]`: attacks, moves, cycles of two, blinks."""
    tiles = tiles_of(k)
    foe_lo, foe_hi = foes(b, side)
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        if can_attack(g, b, h):
            at_lo, at_hi = targets(g, b, h, h)
            while at_lo != 0 or at_hi != 0:
                y = first_hex(at_lo, at_hi)
                at_lo &= ~low_bit(y)
                at_hi &= ~high_bit(y)
                out[n] = atom(ATTACK, k, 2, h, y)
                n += 1
        if can_move(g, b, h):
            to_lo, to_hi = reach(g, tiles, b, h, foe_lo, foe_hi)
            while to_lo != 0 or to_hi != 0:
                x = first_hex(to_lo, to_hi)
                to_lo &= ~low_bit(x)
                to_hi &= ~high_bit(x)
                if b[CELL + x] == 0:
                    out[n] = atom(MOVE, k, 2, h, x)
                    n += 1
                elif h < x and mover(g, tiles, b, side, x, h) == LEGAL:
                    out[n] = atom(CYCLE, k, 2, h, x)
                    n += 1
        if unit(g, b[CELL + h], BLINK) == 1:
            out[n] = atom(BLINKING, k, 1, h, 0)
            n += 1
    return n


def list_spawning(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """The actions of the spawn phase behind `out[n]`: purchases and placements."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    tiles = tiles_of(k)
    all_lo, all_hi = spawn_places(g, b, side)
    for t in range(TYPES):
        if g[UNIT + t * COLUMNS + COST] <= s[MONEY + side] and for_sale(g, s, side, t) == LEGAL:
            out[n] = atom(BUY, k, 1, t, 0)
            n += 1
        if b[ZONE + side * TYPES + t] > 0 and (b[MODE] == NORMAL or b[MODE] == RESET_2):
            open_lo, open_hi = open_to(g, tiles, b, t)
            lo, hi = all_lo & open_lo, all_hi & open_hi
            while lo != 0 or hi != 0:
                h = first_hex(lo, hi)
                lo &= ~low_bit(h)
                hi &= ~high_bit(h)
                out[n] = atom(SPAWNS, k, 2, t, h)
                n += 1
    return n


def list_casts(g: Ground, s: State, k: int, spell: int, out: Stream, n: int) -> int:
    """The ways to cast a spell behind `out[n]`, its phase and mana aside."""
    side, base = s[SIDE], atom(CAST, k, 1 + arguments(spell), spell, 0)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if arguments(spell) == 0:
        out[n] = base
        return n + 1
    first, second = ARGUMENT_SHIFT + ARGUMENT_BITS, ARGUMENT_SHIFT + 2 * ARGUMENT_BITS
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    if AIM[spell] == 0:  # a hex next to our units, or one with terrain
        lo, hi = grow(lo, hi)
        if spell == NORMALIZE:
            lo, hi = ALL, ALL
    elif AIM[spell] == ENEMY:
        lo, hi = foes(b, side)
    elif AIM[spell] == EITHER:
        lo, hi = b[UNITS] | b[UNITS + 2], b[UNITS + 1] | b[UNITS + 3]
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
        if spell == TERRAFORM:
            if refused(g, k, b, side, spell, 0, x) == LEGAL:
                for kind in range(4):
                    out[n] = base | kind << first | x << second
                    n += 1
        elif arguments(spell) == 1:
            if refused(g, k, b, side, spell, x, 0) == LEGAL:
                out[n] = base | x << first
                n += 1
        else:
            near_lo, near_hi = within(g, x, 1)
            while near_lo != 0 or near_hi != 0:
                y = first_hex(near_lo, near_hi)
                near_lo &= ~low_bit(y)
                near_hi &= ~high_bit(y)
                if refused(g, k, b, side, spell, x, y) == LEGAL:
                    out[n] = base | x << first | y << second
                    n += 1
    return n


def list_hand(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """The casts and discards of a board's hand behind `out[n]`, each kind of card once."""
    hand = hand_of(g, k, s[SIDE])
    late = s[board_of(k) + PHASE] == SPAWNING
    for i in range(s[hand]):
        spell = s[hand + 1 + i]
        if place_in_hand(g, s, k, s[SIDE], spell) < i:
            continue
        out[n] = atom(DISCARD, k, 1, spell, 0)
        n += 1
        if (late or not in_spawn_phase_only(spell)) and affordable(g, s, k, spell):
            n = list_casts(g, s, k, spell, out, n)
    return n


def list_tiles(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """Abilities, teleports and Zombies of spawners behind `out[n]`."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    late = b[PHASE] == SPAWNING
    for h in range(100):
        if late and b[CELL + h] == 0 and may_rise(g, k, b, h) == LEGAL:
            out[n] = atom(RISE, k, 1, h, 0)
            n += 1
        if b[CELL + h] == 0 or owner(b[CELL + h]) != side:
            continue
        teleporters = tiles_of(k) + TELEPORTERS_AT
        if holds(g[teleporters], g[teleporters + 1], h) and (not late or g[TELEPORT_LATE] == 1):
            for to in range(100):
                if may_teleport(g, k, b, side, h, to) == LEGAL:
                    out[n] = atom(TELEPORT, k, 2, h, to)
                    n += 1
        if late and trait(g, b[CELL + h], ABILITY_KINDS) != 0:
            lo, hi = within(g, h, 1)
            while lo != 0 or hi != 0:
                to = first_hex(lo, hi)
                lo &= ~low_bit(to)
                hi &= ~high_bit(to)
                for kind in range(4):
                    if may_use_ability(g, s, k, h, kind, to) == LEGAL:
                        out[n] = atom(ABILITY, k, 3, h, kind) | to << (ARGUMENT_SHIFT + 2 * ARGUMENT_BITS)
                        n += 1
    return n


def list_general(g: Ground, s: State, out: Stream) -> int:
    """The general's atoms."""
    n = 0
    if may_spell(g, s, 0, 0):
        out[n] = atom(TECH, 0, 0, 0, 0)
        n += 1
    for c in range(CARDS):
        if may_spell(g, s, 1, c):
            out[n] = atom(TECH, 0, 1, c, 0)
            n += 1
    if MAGIC and allowed(g, s, s[SIDE], atom(SELL, 0, 0, 0, 0)):
        out[n] = atom(SELL, 0, 0, 0, 0)
        n += 1
    if MAGIC and g[SPELLS_ON] == 1:
        for k in range(g[BOARDS]):
            for spell in range(1, SPELL_KINDS + 1):
                if may_take(g, s, atom(GIVE, k, 1, spell, 0)):
                    out[n] = atom(GIVE, k, 1, spell, 0)
                    n += 1
    out[n] = atom(END, 0, 0, 0, 0)
    return n + 1


def list_setups(g: Ground, s: State, k: int, out: Stream) -> int:
    """The setups of a board: the unit kept and the necromancer, where there is a choice."""
    n = 0
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    for necromancer in range(TYPES + 1 if g[ADVANCED_NECROMANCERS] == 1 else 1):
        for keep in range(TYPES + 1):
            m = atom(SETUP, k, 1 if necromancer == 0 else 2, keep, necromancer)
            if may_set_up(g, s, b, m):
                out[n] = m
                n += 1
    return n


def moves(g: Ground, s: State, p: int, out: Stream) -> int:
    """All atoms of player p into `out` (of cycles those of two units); returns how many."""
    k = present(g, s)
    if k < 0:
        return list_general(g, s, out)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if needs_setup(b):
        n = list_setups(g, s, k, out)
    else:
        n = 0
        if b[MODE] != RESET_0:
            n = list_spawning(g, s, k, out, n) if b[PHASE] == SPAWNING else list_fighting(g, k, b, p, out, n)
            if MAGIC:
                n = list_tiles(g, s, k, out, n)
            if MAGIC and g[SPELLS_ON] == 1:
                n = list_hand(g, s, k, out, n)
        out[n] = atom(END, k, 0, 0, 0)
        n += 1
    if b[PHASE] == UNTOUCHED and b[MODE] != RESET_0:
        out[n] = atom(RESIGN, k, 0, 0, 0)
        n += 1
    return n


# -------------------------------------------------------------------------------------------------------------------- playing


def place_spell(g: Ground, s: State, n: int, c: int) -> None:
    """One spell: the first of a turn is free, unless it was sold; each one bought draws a card to choose from."""
    if costs(s):
        s[MONEY + s[SIDE]] -= g[SPELL_PRICE]
        if MAGIC and g[SPELLS_ON] == 1:
            s[DRAWN] += 1
    s[SPELLS] += 1
    if n == 0:
        march(g, s)
    else:
        acquire(g, s, c)


def end_phase(g: Ground, s: State, k: int) -> None:
    """The general's end, the end of an attack phase, of a board, and with the last board of the turn."""
    if k < 0:
        s[TECHED] = 1
        return
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    fought = b[PHASE] != SPAWNING and b[RESIGNED] == 0
    b[PHASE] = SPAWNING if fought and b[MODE] != RESET_0 and spawn_phase(g, b) else DONE
    if present(g, s) == g[BOARDS]:
        end_turn(g, s)


def rotate(g: Ground, tiles: int, b: State, m: int) -> None:
    """The unit on each hex of a cycle goes to the next, the last to the first."""
    n = count_of(m)
    last = moved_cell(g, tiles, b, argument(m, n - 1), argument(m, 0))
    for i in range(n - 1, 0, -1):
        put(b, argument(m, i), moved_cell(g, tiles, b, argument(m, i - 1), argument(m, i)))
    put(b, argument(m, 0), last)


def play_magic(g: Ground, s: State, k: int, m: int) -> None:
    """An action of spells or tiles."""
    kind, x, y, z = kind_of(m), argument(m, 0), argument(m, 1), argument(m, 2)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if b[PHASE] != SPAWNING:
        b[PHASE] = ATTACKING
    if kind == CAST:
        cast(g, s, k, x, y, z)
    elif kind == DISCARD:
        discard(g, s, k, x)
    elif kind == ABILITY:
        use_ability(g, s, k, x, y, z)
    elif kind == TELEPORT:
        teleport(g, k, b, s[SIDE], x, y)
    else:
        rise(g, k, b, s[SIDE], x)


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Play an atom that is allowed."""
    kind, k, x, y = kind_of(m), present(g, s), argument(m, 0), argument(m, 1)
    if kind == TECH:
        place_spell(g, s, count_of(m), x)
        return
    if kind == END:
        end_phase(g, s, k)
        return
    if MAGIC and kind == SELL:
        sell(g, s)
        return
    if MAGIC and kind == GIVE:
        give(g, s, board_index(m), x)
        return
    if MAGIC and kind >= CAST:
        play_magic(g, s, k, m)
        return
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if kind == RESIGN:
        b[RESIGNED] = 1
        end_phase(g, s, k)
    elif kind == SETUP:
        b[PHASE] = SET_UP
        set_up(g, s, b, g[BASIC] if y == 0 else y - 1, x - 1)
    elif kind == BUY:
        s[MONEY + p] -= g[UNIT + x * COLUMNS + COST]
        stock(b, p, x, 1)
    elif kind == SPAWNS:
        spawn(g, tiles_of(k), b, p, x, y)
    else:
        b[PHASE] = ATTACKING
        if kind == MOVE:
            step(g, tiles_of(k), b, p, x, y)
        elif kind == CYCLE:
            rotate(g, tiles_of(k), b, m)
        elif kind == BLINKING:
            blink(g, b, p, x)
        else:
            attack(g, b, p, x, y)
            s[MONEY + 1 - p] += b[OWED]
            b[OWED] = 0
