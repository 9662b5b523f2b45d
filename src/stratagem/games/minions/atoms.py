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

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.layout import MAGIC, Stream
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
    if s[layout.WINNER] >= 0:
        return OVER
    if MAGIC and g[layout.SPELLS_ON] == 1 and s[layout.DRAWN] == 0:
        return CHANCE
    return s[layout.SIDE]


def draw(g: Ground, s: State, r: Rng) -> None:
    """Chance before a turn: the side to move is dealt its spells."""
    magic.random_deal(g, s, r, NO_ROOM)


def present(g: Ground, s: State) -> int:
    """The board whose phases are being played, -1 while the general is at it."""
    if s[layout.TECHED] == 0:
        return -1
    for k in range(g[layout.BOARDS]):
        if s[layout.board_of(k) + layout.PHASE] != layout.DONE:
            return k
    return g[layout.BOARDS]


def needs_setup(b: State) -> bool:
    return (b[layout.MODE] == layout.RESET_1 or b[layout.MODE] == layout.RESET_2) and b[
        layout.PHASE
    ] == layout.UNTOUCHED


# ------------------------------------------------------------------------------------------------------------------- legality


def costs(s: State) -> bool:
    """Whether the general's next spell is to be paid for."""
    return s[layout.SPELLS] > 0 or s[layout.SOLD] == 1


def may_spell(g: Ground, s: State, n: int, c: int) -> bool:
    """Whether a spell may go to the next card (n = 0) or to card c (n = 1)."""
    side = s[layout.SIDE]
    if (
        MAGIC
        and g[layout.SPELLS_ON] == 1
        and (
            magic.taken_in_all(g, s) > 0 or (costs(s) and s[layout.DRAWN] >= s[layout.deck_of(g, side) + layout.KNOWN])
        )
    ):
        return False  # spells for boards come later, and each one bought draws a card
    if costs(s) and s[layout.MONEY + side] < g[layout.SPELL_PRICE]:
        return False
    if n == 0:
        return s[layout.FRESH] == 0 and s[layout.CARD + side * layout.CARDS + layout.CARDS - 1] == layout.LOCKED
    if c >= layout.CARDS or (s[layout.FRESH] >> c) != 0 or s[layout.CARD + side * layout.CARDS + c] != layout.UNLOCKED:
        return False
    copycat = g[layout.COPYCAT_AT]
    copies = s[layout.CARD + side * layout.CARDS + copycat] == layout.ACQUIRED and (s[layout.FRESH] >> copycat) & 1 == 0
    return s[layout.CARD + (1 - side) * layout.CARDS + c] != layout.ACQUIRED or c == copycat or copies


def may_take(g: Ground, s: State, m: int) -> bool:
    """Whether a board may take a drawn spell; boards take theirs by index."""
    k = board_index(m)
    if k >= g[layout.BOARDS] or magic.may_give(g, s, k, argument(m, 0)) != layout.LEGAL:
        return False
    for later in range(k + 1, g[layout.BOARDS]):
        if s[layout.taken_at(g, later)] > 0:
            return False
    return True


def may_set_up(g: Ground, s: State, b: State, m: int) -> bool:
    """Whether a setup may keep a type (+ 1; 0: nothing) and have a necromancer (+ 1; 0: the basic one)."""
    side, keep, necromancer = s[layout.SIDE], argument(m, 0) - 1, argument(m, 1) - 1
    if necromancer >= layout.TYPES or necromancer == g[layout.BASIC]:
        return False
    if rules.necromancer_for(g, s, g[layout.BASIC] if necromancer < 0 else necromancer) != layout.LEGAL:
        return False
    if keep >= 0:
        return keep < layout.TYPES and b[layout.ZONE + side * layout.TYPES + keep] > 0
    for t in range(layout.TYPES):
        if b[layout.ZONE + side * layout.TYPES + t] > 0:
            return g[layout.KEEP_ALL] == 1 or g[layout.KEEP_DEAREST] == 1
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
        if rules.mover(g, layout.tiles_of(k), b, side, argument(m, i), argument(m, (i + 1) % n)) != layout.LEGAL:
            return False
    return True


def may_fight(g: Ground, k: int, b: State, side: int, m: int) -> bool:
    """Whether an action of the attack phase is legal."""
    kind, x, y = kind_of(m), argument(m, 0), argument(m, 1)
    if kind == layout.CYCLE:
        return may_cycle(g, k, b, side, m)
    if x >= 100 or y >= 100:
        return False
    cell = b[layout.CELL + x]
    if cell == 0 or layout.owner(cell) != side:
        return False
    if kind == layout.BLINKING:
        return layout.unit(g, cell, layout.BLINK) == 1
    if kind == layout.MOVE:
        return b[layout.CELL + y] == 0 and rules.mover(g, layout.tiles_of(k), b, side, x, y) == layout.LEGAL
    lo, hi = layout.targets(g, b, x, x)
    return layout.can_attack(g, b, x) and layout.holds(lo, hi, y)


def may_spawn(g: Ground, s: State, k: int, m: int) -> bool:
    """Whether an action of the spawn phase is legal."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    t, h = argument(m, 0), argument(m, 1)
    if t >= layout.TYPES:
        return False
    if kind_of(m) == layout.BUY:
        return (
            rules.for_sale(g, s, side, t) == layout.LEGAL
            and g[layout.UNIT + t * layout.COLUMNS + layout.COST] <= s[layout.MONEY + side]
        )
    if not rules.spawns_now(b):  # a spawn phase for all but this
        return False
    lo, hi = rules.spawn_places(g, b, side)
    open_lo, open_hi = layout.open_to(g, layout.tiles_of(k), b, t)
    return h < 100 and b[layout.ZONE + side * layout.TYPES + t] > 0 and layout.holds(lo & open_lo, hi & open_hi, h)


def may_use_magic(g: Ground, s: State, k: int, m: int) -> bool:
    """Whether an action of spells or tiles is legal in the present phase."""
    kind, x, y, z = kind_of(m), argument(m, 0), argument(m, 1), argument(m, 2)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    late = b[layout.PHASE] == layout.SPAWNING
    if kind == layout.CAST:
        if x < 1 or x > layout.SPELL_KINDS or y >= 100 or z >= 100 or count_of(m) != 1 + magic.arguments(x):
            return False
        if (x == magic.TERRAFORM and y >= 4) or (magic.in_spawn_phase_only(x) and not late):
            return False
        return magic.may_cast(g, s, k, x, y, z) == layout.LEGAL
    if kind == layout.DISCARD:
        return g[layout.SPELLS_ON] == 1 and magic.place_in_hand(g, s, k, s[layout.SIDE], x) >= 0
    if kind == layout.ABILITY:
        return late and x < 100 and y < 4 and z < 100 and magic.may_use_ability(g, s, k, x, y, z) == layout.LEGAL
    if kind == layout.TELEPORT:
        if late and g[layout.TELEPORT_LATE] == 0:
            return False
        return x < 100 and y < 100 and magic.may_teleport(g, k, b, s[layout.SIDE], x, y) == layout.LEGAL
    return kind == layout.RISE and late and x < 100 and magic.may_rise(g, k, b, x) == layout.LEGAL


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """Whether player p may play an atom now."""
    if turn(g, s) != p:
        return False
    kind, k = kind_of(m), present(g, s)
    if k < 0:
        if kind == layout.TECH:
            return may_spell(g, s, count_of(m), argument(m, 0))
        if MAGIC and kind == layout.SELL:
            return rules.may_sell(g, s) == layout.LEGAL and (g[layout.SPELLS_ON] == 0 or magic.taken_in_all(g, s) == 0)
        if MAGIC and kind == layout.GIVE:
            return may_take(g, s, m)
        return kind == END
    if kind == layout.TECH or (kind != END and board_index(m) != k):
        return False
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if b[layout.MODE] == layout.RESET_0:
        return kind == END
    if kind == layout.RESIGN:
        return b[layout.PHASE] == layout.UNTOUCHED
    if needs_setup(b):
        return kind == layout.SETUP and may_set_up(g, s, b, m)
    if kind == END:
        return True
    if kind >= layout.CAST:
        if MAGIC:
            return may_use_magic(g, s, k, m)
        return False
    if kind == layout.SETUP:
        return False
    if kind in (layout.BUY, layout.SPAWNS):
        return b[layout.PHASE] == layout.SPAWNING and may_spawn(g, s, k, m)
    return b[layout.PHASE] != layout.SPAWNING and may_fight(g, k, b, p, m)


# -------------------------------------------------------------------------------------------------------------------- listing


def list_fighting(g: Ground, k: int, b: State, side: int, out: Stream, n: int) -> int:
    """The actions of the attack phase behind `out[n]`: attacks, moves, cycles of two, blinks."""
    tiles = layout.tiles_of(k)
    foe_lo, foe_hi = layout.foes(b, side)
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if layout.can_attack(g, b, h):
            at_lo, at_hi = layout.targets(g, b, h, h)
            while at_lo != 0 or at_hi != 0:
                y, at_lo, at_hi = layout.take(at_lo, at_hi)
                out[n] = atom(layout.ATTACK, k, 2, h, y)
                n += 1
        if layout.can_move(g, b, h):
            to_lo, to_hi = layout.reach(g, tiles, b, h, foe_lo, foe_hi)
            while to_lo != 0 or to_hi != 0:
                x, to_lo, to_hi = layout.take(to_lo, to_hi)
                if b[layout.CELL + x] == 0:
                    out[n] = atom(layout.MOVE, k, 2, h, x)
                    n += 1
                elif h < x and rules.mover(g, tiles, b, side, x, h) == layout.LEGAL:
                    out[n] = atom(layout.CYCLE, k, 2, h, x)
                    n += 1
        if layout.unit(g, b[layout.CELL + h], layout.BLINK) == 1:
            out[n] = atom(layout.BLINKING, k, 1, h, 0)
            n += 1
    return n


def list_spawning(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """The actions of the spawn phase behind `out[n]`: purchases and placements."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    tiles = layout.tiles_of(k)
    all_lo, all_hi = rules.spawn_places(g, b, side)
    for t in range(layout.TYPES):
        if (
            g[layout.UNIT + t * layout.COLUMNS + layout.COST] <= s[layout.MONEY + side]
            and rules.for_sale(g, s, side, t) == layout.LEGAL
        ):
            out[n] = atom(layout.BUY, k, 1, t, 0)
            n += 1
        if b[layout.ZONE + side * layout.TYPES + t] > 0 and rules.spawns_now(b):
            open_lo, open_hi = layout.open_to(g, tiles, b, t)
            lo, hi = all_lo & open_lo, all_hi & open_hi
            while lo != 0 or hi != 0:
                h, lo, hi = layout.take(lo, hi)
                out[n] = atom(layout.SPAWNS, k, 2, t, h)
                n += 1
    return n


def list_casts(g: Ground, s: State, k: int, spell: int, out: Stream, n: int) -> int:
    """The ways to cast a spell behind `out[n]`, its phase and mana aside."""
    side, base = s[layout.SIDE], atom(layout.CAST, k, 1 + magic.arguments(spell), spell, 0)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if magic.arguments(spell) == 0:
        out[n] = base
        return n + 1
    first, second = ARGUMENT_SHIFT + ARGUMENT_BITS, ARGUMENT_SHIFT + 2 * ARGUMENT_BITS
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    if magic.AIM[spell] == 0:  # a hex next to our units, or one with terrain
        lo, hi = layout.grow(lo, hi)
        if spell == magic.NORMALIZE:
            lo, hi = layout.ALL, layout.ALL
    elif magic.AIM[spell] == magic.ENEMY:
        lo, hi = layout.foes(b, side)
    elif magic.AIM[spell] == magic.EITHER:
        lo, hi = b[layout.UNITS] | b[layout.UNITS + 2], b[layout.UNITS + 1] | b[layout.UNITS + 3]
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        if spell == magic.TERRAFORM:
            if magic.refused(g, k, b, side, spell, 0, x) == layout.LEGAL:
                for kind in range(4):
                    out[n] = base | kind << first | x << second
                    n += 1
        elif magic.arguments(spell) == 1:
            if magic.refused(g, k, b, side, spell, x, 0) == layout.LEGAL:
                out[n] = base | x << first
                n += 1
        else:
            near_lo, near_hi = layout.within(g, x, 1)
            while near_lo != 0 or near_hi != 0:
                y, near_lo, near_hi = layout.take(near_lo, near_hi)
                if magic.refused(g, k, b, side, spell, x, y) == layout.LEGAL:
                    out[n] = base | x << first | y << second
                    n += 1
    return n


def list_hand(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """The casts and discards of a board's hand behind `out[n]`, each kind of card once."""
    hand = layout.hand_of(g, k, s[layout.SIDE])
    late = s[layout.board_of(k) + layout.PHASE] == layout.SPAWNING
    for i in range(s[hand]):
        spell = s[hand + 1 + i]
        if magic.place_in_hand(g, s, k, s[layout.SIDE], spell) < i:
            continue
        out[n] = atom(layout.DISCARD, k, 1, spell, 0)
        n += 1
        if (late or not magic.in_spawn_phase_only(spell)) and magic.affordable(g, s, k, spell):
            n = list_casts(g, s, k, spell, out, n)
    return n


def list_tiles(g: Ground, s: State, k: int, out: Stream, n: int) -> int:
    """Abilities, teleports and Zombies of spawners behind `out[n]`."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    late = b[layout.PHASE] == layout.SPAWNING
    for h in range(100):
        if late and b[layout.CELL + h] == 0 and magic.may_rise(g, k, b, h) == layout.LEGAL:
            out[n] = atom(layout.RISE, k, 1, h, 0)
            n += 1
        if b[layout.CELL + h] == 0 or layout.owner(b[layout.CELL + h]) != side:
            continue
        teleporters = layout.tiles_of(k) + layout.TELEPORTERS_AT
        if layout.holds(g[teleporters], g[teleporters + 1], h) and (not late or g[layout.TELEPORT_LATE] == 1):
            for to in range(100):
                if magic.may_teleport(g, k, b, side, h, to) == layout.LEGAL:
                    out[n] = atom(layout.TELEPORT, k, 2, h, to)
                    n += 1
        if late and layout.trait(g, b[layout.CELL + h], layout.ABILITY_KINDS) != 0:
            lo, hi = layout.within(g, h, 1)
            while lo != 0 or hi != 0:
                to, lo, hi = layout.take(lo, hi)
                for kind in range(4):
                    if magic.may_use_ability(g, s, k, h, kind, to) == layout.LEGAL:
                        out[n] = atom(layout.ABILITY, k, 3, h, kind) | to << (ARGUMENT_SHIFT + 2 * ARGUMENT_BITS)
                        n += 1
    return n


def list_general(g: Ground, s: State, out: Stream) -> int:
    """The general's atoms."""
    n = 0
    if may_spell(g, s, 0, 0):
        out[n] = atom(layout.TECH, 0, 0, 0, 0)
        n += 1
    for c in range(layout.CARDS):
        if may_spell(g, s, 1, c):
            out[n] = atom(layout.TECH, 0, 1, c, 0)
            n += 1
    if MAGIC and allowed(g, s, s[layout.SIDE], atom(layout.SELL, 0, 0, 0, 0)):
        out[n] = atom(layout.SELL, 0, 0, 0, 0)
        n += 1
    if MAGIC and g[layout.SPELLS_ON] == 1:
        for k in range(g[layout.BOARDS]):
            for spell in range(1, layout.SPELL_KINDS + 1):
                if may_take(g, s, atom(layout.GIVE, k, 1, spell, 0)):
                    out[n] = atom(layout.GIVE, k, 1, spell, 0)
                    n += 1
    out[n] = atom(END, 0, 0, 0, 0)
    return n + 1


def list_setups(g: Ground, s: State, k: int, out: Stream) -> int:
    """The setups of a board: the unit kept and the necromancer, where there is a choice."""
    n = 0
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for necromancer in range(layout.TYPES + 1 if g[layout.ADVANCED_NECROMANCERS] == 1 else 1):
        for keep in range(layout.TYPES + 1):
            m = atom(layout.SETUP, k, 1 if necromancer == 0 else 2, keep, necromancer)
            if may_set_up(g, s, b, m):
                out[n] = m
                n += 1
    return n


def moves(g: Ground, s: State, p: int, out: Stream) -> int:
    """All atoms of player p into `out` (of cycles those of two units); returns how many."""
    k = present(g, s)
    if k < 0:
        return list_general(g, s, out)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if needs_setup(b):
        n = list_setups(g, s, k, out)
    else:
        n = 0
        if b[layout.MODE] != layout.RESET_0:
            n = (
                list_spawning(g, s, k, out, n)
                if b[layout.PHASE] == layout.SPAWNING
                else list_fighting(g, k, b, p, out, n)
            )
            if MAGIC:
                n = list_tiles(g, s, k, out, n)
            if MAGIC and g[layout.SPELLS_ON] == 1:
                n = list_hand(g, s, k, out, n)
        out[n] = atom(END, k, 0, 0, 0)
        n += 1
    if b[layout.PHASE] == layout.UNTOUCHED and b[layout.MODE] != layout.RESET_0:
        out[n] = atom(layout.RESIGN, k, 0, 0, 0)
        n += 1
    return n


# -------------------------------------------------------------------------------------------------------------------- playing


def place_spell(g: Ground, s: State, n: int, c: int) -> None:
    """One spell: the first of a turn is free, unless it was sold; each one bought draws a card to choose from."""
    if costs(s):
        s[layout.MONEY + s[layout.SIDE]] -= g[layout.SPELL_PRICE]
        if MAGIC and g[layout.SPELLS_ON] == 1:
            s[layout.DRAWN] += 1
    s[layout.SPELLS] += 1
    if n == 0:
        rules.march(g, s)
    else:
        rules.acquire(g, s, c)


def end_phase(g: Ground, s: State, k: int) -> None:
    """The general's end, the end of an attack phase, of a board, and with the last board of the turn."""
    if k < 0:
        s[layout.TECHED] = 1
        return
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    fought = b[layout.PHASE] != layout.SPAWNING and b[layout.RESIGNED] == 0
    b[layout.PHASE] = (
        layout.SPAWNING if fought and b[layout.MODE] != layout.RESET_0 and rules.spawn_phase(g, b) else layout.DONE
    )
    if present(g, s) == g[layout.BOARDS]:
        rules.end_turn(g, s)


def rotate(g: Ground, tiles: int, b: State, m: int) -> None:
    """The unit on each hex of a cycle goes to the next, the last to the first."""
    n = count_of(m)
    last = rules.moved_cell(g, tiles, b, argument(m, n - 1), argument(m, 0))
    for i in range(n - 1, 0, -1):
        layout.put(b, argument(m, i), rules.moved_cell(g, tiles, b, argument(m, i - 1), argument(m, i)))
    layout.put(b, argument(m, 0), last)


def play_magic(g: Ground, s: State, k: int, m: int) -> None:
    """An action of spells or tiles."""
    kind, x, y, z = kind_of(m), argument(m, 0), argument(m, 1), argument(m, 2)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if b[layout.PHASE] != layout.SPAWNING:
        b[layout.PHASE] = layout.ATTACKING
    if kind == layout.CAST:
        magic.cast(g, s, k, x, y, z)
    elif kind == layout.DISCARD:
        magic.discard(g, s, k, x)
    elif kind == layout.ABILITY:
        magic.use_ability(g, s, k, x, y, z)
    elif kind == layout.TELEPORT:
        magic.teleport(g, k, b, s[layout.SIDE], x, y)
    else:
        magic.rise(g, k, b, s[layout.SIDE], x)


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Play an atom that is allowed."""
    kind, k, x, y = kind_of(m), present(g, s), argument(m, 0), argument(m, 1)
    if kind == layout.TECH:
        place_spell(g, s, count_of(m), x)
        return
    if kind == END:
        end_phase(g, s, k)
        return
    if MAGIC and kind == layout.SELL:
        rules.sell(g, s)
        return
    if MAGIC and kind == layout.GIVE:
        magic.give(g, s, board_index(m), x)
        return
    if MAGIC and kind >= layout.CAST:
        play_magic(g, s, k, m)
        return
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if kind == layout.RESIGN:
        b[layout.RESIGNED] = 1
        end_phase(g, s, k)
    elif kind == layout.SETUP:
        b[layout.PHASE] = layout.SET_UP
        rules.set_up(g, s, b, g[layout.BASIC] if y == 0 else y - 1, x - 1)
    elif kind == layout.BUY:
        s[layout.MONEY + p] -= g[layout.UNIT + x * layout.COLUMNS + layout.COST]
        layout.stock(b, p, x, 1)
    elif kind == layout.SPAWNS:
        rules.spawn(g, layout.tiles_of(k), b, p, x, y)
    else:
        b[layout.PHASE] = layout.ATTACKING
        if kind == layout.MOVE:
            rules.step(g, layout.tiles_of(k), b, p, x, y)
        elif kind == layout.CYCLE:
            rotate(g, layout.tiles_of(k), b, m)
        elif kind == layout.BLINKING:
            rules.blink(g, b, p, x)
        else:
            rules.attack(g, b, p, x, y)
            s[layout.MONEY + 1 - p] += b[layout.OWED]
            b[layout.OWED] = 0
