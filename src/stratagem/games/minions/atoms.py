"""Turns in single steps: `moves`, `allowed` and `play` on atoms, for searches that build a turn part by part.

An atom is one integer: a spell on the techline, a setup, a move, a cycle of moves, an attack, a blink, a purchase, a
placement, a resignation, or the end of a phase. The general comes first, then the boards in index order, each with its
attack phase and its spawn phase; the end of the last phase ends the turn. Spells are placed in one order, marches before
cards and cards by position, so that a general's turn is reached in one way only.

`moves` lists cycles of two units; `allowed` and `play` take cycles of up to `MOST_CYCLE`.
"""

from __future__ import annotations

from stratagem.games.minions.kernels import (
    ACQUIRED,
    ATTACK,
    ATTACKING,
    BASIC,
    BLINK,
    BLINKING,
    BOARD_SIZE,
    BOARDS,
    BUY,
    CARD,
    CARDS,
    CELL,
    COLUMNS,
    COPYCAT_AT,
    COST,
    CYCLE,
    DONE,
    FRESH,
    KEEP_ALL,
    LEGAL,
    LOCKED,
    MODE,
    MONEY,
    MOVE,
    MOVED,
    NORMAL,
    OWED,
    PHASE,
    RESET_1,
    RESET_2,
    RESIGN,
    RESIGNED,
    SET_UP,
    SETUP,
    SIDE,
    SPAWNING,
    SPAWNS,
    SPELL_PRICE,
    SPELLS,
    TECH,
    TECHED,
    TYPES,
    UNIT,
    UNITS,
    UNLOCKED,
    UNTOUCHED,
    WINNER,
    ZONE,
    Stream,
    acquire,
    attack,
    blink,
    board_of,
    can_attack,
    can_move,
    end_turn,
    first_hex,
    foes,
    for_sale,
    high_bit,
    holds,
    low_bit,
    march,
    mover,
    open_to,
    owner,
    put,
    reach,
    set_up,
    spawn,
    spawn_places,
    step,
    stock,
    targets,
    tiles_of,
    unit,
)
from stratagem.kernel import OVER, Ground, State

END = 9  # the kind of an atom that ends a phase; the others are those of actions
KIND_BITS, BOARD_BITS, COUNT_BITS, ARGUMENT_BITS = 4, 8, 3, 7
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
    """The side to decide, or OVER."""
    return OVER if s[WINNER] >= 0 else s[SIDE]


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


def has_spawn_phase(b: State) -> bool:
    return b[MODE] == NORMAL or b[MODE] == RESET_2


# ------------------------------------------------------------------------------------------------------------------- legality


def may_spell(g: Ground, s: State, n: int, c: int) -> bool:
    """Whether a spell may go to the next card (n = 0) or to card c (n = 1)."""
    side = s[SIDE]
    if s[SPELLS] > 0 and s[MONEY + side] < g[SPELL_PRICE]:
        return False
    if n == 0:
        return s[FRESH] == 0 and s[CARD + side * CARDS + CARDS - 1] == LOCKED
    if c >= CARDS or (s[FRESH] >> c) != 0 or s[CARD + side * CARDS + c] != UNLOCKED:
        return False
    copycat = g[COPYCAT_AT]
    copies = s[CARD + side * CARDS + copycat] == ACQUIRED and (s[FRESH] >> copycat) & 1 == 0
    return s[CARD + (1 - side) * CARDS + c] != ACQUIRED or c == copycat or copies


def may_set_up(g: Ground, b: State, side: int, keep: int) -> bool:
    """Whether a setup may keep a type, or nothing (-1)."""
    if keep >= 0:
        return keep < TYPES and b[ZONE + side * TYPES + keep] > 0
    for t in range(TYPES):
        if b[ZONE + side * TYPES + t] > 0:
            return g[KEEP_ALL] == 1
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
    lo, hi = spawn_places(g, b, side)
    tiles = tiles_of(k)
    open_lo, open_hi = open_to(g, tiles, b, t)
    return h < 100 and b[ZONE + side * TYPES + t] > 0 and holds(lo & open_lo, hi & open_hi, h)


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """Whether player p may play an atom now."""
    if turn(g, s) != p:
        return False
    kind, k = kind_of(m), present(g, s)
    if k < 0:
        if kind == TECH:
            return may_spell(g, s, count_of(m), argument(m, 0))
        return kind == END
    if kind == TECH or (kind != END and board_index(m) != k):
        return False
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if kind == RESIGN:
        return b[PHASE] == UNTOUCHED
    if needs_setup(b):
        return kind == SETUP and may_set_up(g, b, p, argument(m, 0) - 1)
    if kind == END:
        return True
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
        if b[ZONE + side * TYPES + t] > 0:
            open_lo, open_hi = open_to(g, tiles, b, t)
            lo, hi = all_lo & open_lo, all_hi & open_hi
            while lo != 0 or hi != 0:
                h = first_hex(lo, hi)
                lo &= ~low_bit(h)
                hi &= ~high_bit(h)
                out[n] = atom(SPAWNS, k, 2, t, h)
                n += 1
    return n


def moves(g: Ground, s: State, p: int, out: Stream) -> int:
    """All atoms of player p into `out` (of cycles those of two units); returns how many."""
    n = 0
    k = present(g, s)
    if k < 0:
        if may_spell(g, s, 0, 0):
            out[n] = atom(TECH, 0, 0, 0, 0)
            n += 1
        for c in range(CARDS):
            if may_spell(g, s, 1, c):
                out[n] = atom(TECH, 0, 1, c, 0)
                n += 1
        out[n] = atom(END, 0, 0, 0, 0)
        return n + 1
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if needs_setup(b):
        for keep in range(-1, TYPES):
            if may_set_up(g, b, p, keep):
                out[n] = atom(SETUP, k, 1, keep + 1, 0)
                n += 1
    elif b[PHASE] == SPAWNING:
        n = list_spawning(g, s, k, out, n)
    else:
        n = list_fighting(g, k, b, p, out, n)
    if not needs_setup(b):
        out[n] = atom(END, k, 0, 0, 0)
        n += 1
    if b[PHASE] == UNTOUCHED:
        out[n] = atom(RESIGN, k, 0, 0, 0)
        n += 1
    return n


# -------------------------------------------------------------------------------------------------------------------- playing


def place_spell(g: Ground, s: State, n: int, c: int) -> None:
    """One spell: the first of a turn is free."""
    if s[SPELLS] > 0:
        s[MONEY + s[SIDE]] -= g[SPELL_PRICE]
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
    b[PHASE] = SPAWNING if fought and has_spawn_phase(b) else DONE
    if present(g, s) == g[BOARDS]:
        end_turn(g, s)


def rotate(b: State, m: int) -> None:
    """The unit on each hex of a cycle goes to the next, the last to the first."""
    n = count_of(m)
    last = b[CELL + argument(m, n - 1)]
    for i in range(n - 1, 0, -1):
        put(b, argument(m, i), b[CELL + argument(m, i - 1)] | MOVED)
    put(b, argument(m, 0), last | MOVED)


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Play an atom that is allowed."""
    kind, k, x, y = kind_of(m), present(g, s), argument(m, 0), argument(m, 1)
    if kind == TECH:
        place_spell(g, s, count_of(m), x)
        return
    if kind == END:
        end_phase(g, s, k)
        return
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if kind == RESIGN:
        b[RESIGNED] = 1
        end_phase(g, s, k)
    elif kind == SETUP:
        b[PHASE] = SET_UP
        set_up(g, s, b, g[BASIC], x - 1)
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
            rotate(b, m)
        elif kind == BLINKING:
            blink(g, b, p, x)
        else:
            attack(g, b, p, x, y)
            s[MONEY + 1 - p] += b[OWED]
            b[OWED] = 0
