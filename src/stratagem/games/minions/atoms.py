"""Turns in single steps: `moves`, `allowed` and `play` on atoms, for searches that build a turn part by part.

An atom is one integer: a spell on the techline, the free spell sold, a drawn spell given to a board, a setup, a move, a cycle
of moves, an attack, a blink, a spell cast or discarded, an ability, a teleport, a Zombie of a spawner, a purchase, a placement,
a resignation, or the end of a phase. The general comes first, then the boards in index order, each with its attack phase and
its spawn phase; the end of the last phase ends the turn. The general's atoms have one order, so that his turn is reached in
one way only. What is legal beside order and phase, and what an atom does, the rules say: `write` makes an action of it.

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


def in_order(g: Ground, s: State, m: int) -> bool:
    """Whether an atom of the general keeps to his order: the sale, marches, cards by position, then spells for boards by
    index."""
    if MAGIC and g[layout.SPELLS_ON] == 1:
        for k in range(board_index(m) + 1 if kind_of(m) == layout.GIVE else 0, g[layout.BOARDS]):
            if s[layout.taken_at(g, k)] > 0:
                return False
    return kind_of(m) != layout.TECH or s[layout.FRESH] >> (argument(m, 0) if count_of(m) == 1 else 0) == 0


def in_phase(g: Ground, s: State, m: int) -> bool:
    """Whether an atom belongs to the board that is being played and to its phase, beside being legal."""
    kind, k = kind_of(m), present(g, s)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if kind == END:
        return not needs_setup(b)
    if board_index(m) != k or kind == layout.TECH or kind >= layout.GIVE:
        return False
    return b[layout.PHASE] == layout.SPAWNING or not rules.late(kind, argument(m, 0))


def well_formed(m: int) -> bool:
    """Whether the arguments of an atom are hexes, types, spells and terrain where they have to be."""
    kind, n, x, y = kind_of(m), count_of(m), argument(m, 0), argument(m, 1)
    if n > MOST_CYCLE:
        return False
    for i in range(n):
        if argument(m, i) >= 100:
            return False
    if kind in (layout.BUY, layout.SPAWNS, layout.SETUP):
        return x < layout.TYPES and (kind != layout.SETUP or y <= layout.TYPES)
    if kind == layout.CAST:
        if x < 1 or x > layout.SPELL_KINDS or n != 1 + magic.arguments(x):
            return False
        return x != magic.TERRAFORM or y < 4
    return kind != layout.ABILITY or y < 4


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """Whether player p may play an atom now."""
    if turn(g, s) != p or not well_formed(m):
        return False
    if present(g, s) >= 0:
        fitting = in_phase(g, s, m)
    elif kind_of(m) in (layout.TECH, layout.SELL, layout.GIVE):
        fitting = in_order(g, s, m)
    else:
        return kind_of(m) == END
    return fitting and (kind_of(m) == END or act(g, s.copy(), m) == layout.LEGAL)


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
    for t in range(layout.TYPES):
        if rules.affordable(g, s, t, s[layout.MONEY + side]):
            out[n] = atom(layout.BUY, k, 1, t, 0)
            n += 1
        if b[layout.ZONE + side * layout.TYPES + t] > 0 and rules.spawns_now(b):
            lo, hi = rules.places_for(g, tiles, b, side, t)
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


def offer(g: Ground, s: State, m: int, out: Stream, n: int) -> int:
    """Write an atom of the general behind `out[n]` if it is allowed; returns how many there are then."""
    if allowed(g, s, s[layout.SIDE], m):
        out[n] = m
        n += 1
    return n


def list_general(g: Ground, s: State, out: Stream) -> int:
    """The general's atoms."""
    n = offer(g, s, atom(layout.TECH, 0, 0, 0, 0), out, 0)
    for c in range(layout.CARDS):
        n = offer(g, s, atom(layout.TECH, 0, 1, c, 0), out, n)
    if MAGIC:
        n = offer(g, s, atom(layout.SELL, 0, 0, 0, 0), out, n)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        for k in range(g[layout.BOARDS]):
            for spell in range(1, layout.SPELL_KINDS + 1):
                n = offer(g, s, atom(layout.GIVE, k, 1, spell, 0), out, n)
    return offer(g, s, atom(END, 0, 0, 0, 0), out, n)


def list_setups(g: Ground, s: State, k: int, out: Stream) -> int:
    """The setups of a board: the necromancer and the unit kept, where there is a choice."""
    n = 0
    for necromancer in range(layout.TYPES):
        if rules.necromancer_for(g, s, necromancer) == layout.LEGAL:
            for keep in range(layout.TYPES + 1):
                out[n] = atom(layout.SETUP, k, 2, necromancer, keep)
                n += act(g, s.copy(), out[n]) == layout.LEGAL
    return n


def list_board(g: Ground, s: State, k: int, out: Stream) -> int:
    """The atoms of a board in its phase, but for ends and the resignation; whether it is this board's turn is not asked."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if needs_setup(b):
        return list_setups(g, s, k, out)
    if b[layout.MODE] == layout.RESET_0 or b[layout.RESIGNED] == 1:
        return 0
    if b[layout.PHASE] == layout.SPAWNING:
        n = list_spawning(g, s, k, out, 0)
    else:
        n = list_fighting(g, k, b, s[layout.SIDE], out, 0)
    if MAGIC:
        n = list_tiles(g, s, k, out, n)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        n = list_hand(g, s, k, out, n)
    return n


def moves(g: Ground, s: State, p: int, out: Stream) -> int:
    """All atoms of player p into `out` (of cycles those of two units); returns how many."""
    k = present(g, s)
    if k < 0:
        return list_general(g, s, out)
    n = list_board(g, s, k, out)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if not needs_setup(b):
        out[n] = atom(END, k, 0, 0, 0)
        n += 1
    if b[layout.PHASE] == layout.UNTOUCHED and b[layout.MODE] != layout.RESET_0:
        out[n] = atom(layout.RESIGN, k, 0, 0, 0)
        n += 1
    return n


# -------------------------------------------------------------------------------------------------------------------- playing


def write(m: int, out: Stream) -> int:
    """An atom, other than the end of a phase, as an action of the rules; returns its length."""
    n = count_of(m)
    out[0], out[1], out[2] = kind_of(m), board_index(m), n
    for i in range(n):
        out[3 + i] = argument(m, i)
    if out[0] == layout.SETUP:
        out[4] -= 1  # the unit kept
    elif out[0] == layout.TECH:
        out[1] = 1 - n  # marched, or a card acquired
    return 3 + n


def act(g: Ground, s: State, m: int) -> int:
    """Play an atom other than the end of a phase; an illegal one gives its reason, and s must be thrown away."""
    if kind_of(m) == layout.TECH:
        return rules.place_spell(g, s, argument(m, 0) if count_of(m) == 1 else -1)
    action = np.zeros(3 + MOST_CYCLE, np.int64)
    write(m, action)
    return rules.act(g, s, action)


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


def play(g: Ground, s: State, p: int, m: int) -> None:
    """Play an atom that is allowed."""
    k = present(g, s)
    if kind_of(m) != END:
        act(g, s, m)
    if kind_of(m) in (END, layout.RESIGN):
        end_phase(g, s, k)
