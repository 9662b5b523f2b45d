"""Random legal turns, for playouts, tests and players that want something legal at once.

Every kind of action occurs: chains and cycles of moves, attacks between them, blinks, purchases, now and then a board
resigned. The actions are written in the words of the kernels as they are played.
"""

from __future__ import annotations

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below

SHORT = (layout.BLINKING, layout.BUY, layout.GIVE, layout.DISCARD, layout.RISE)  # actions of one argument


def note(g: Ground, s: State, out: Stream, at: int, kind: int, k: int, x: int, y: int) -> int:
    """Write an action behind `out[at]` and play it; returns where the next one goes, or `at` if it is illegal."""
    return attempt(g, s, out, at, 0 if kind == layout.RESIGN else 1 if kind in SHORT else 2, kind, k, x, y, 0)


def attempt(g: Ground, s: State, out: Stream, at: int, n: int, kind: int, k: int, x: int, y: int, z: int) -> int:
    """The same for an action of n arguments, of which three are given."""
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = kind, k, n, x, y
    if n > 2:
        out[at + 5] = z
    return at + 3 + n if rules.act(g, s, out[at:]) == layout.LEGAL else at


def random_tech(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """The general's part: the free spell, now and then bought ones, each marched or put on a card at random.

    Now and then the free spell is sold, where that can be done, and nothing placed."""
    side = s[layout.SIDE]
    out[0] = layout.TECH
    out[1] = 0
    out[2] = 0
    if s[layout.TECHED] == 1:
        return 3
    spells = 1
    most = 4
    if MAGIC and g[layout.SPELLS_ON] == 1:
        most = min(most, 1 + s[layout.deck_of(g, side) + layout.KNOWN] - s[layout.DRAWN])
    while spells < most and g[layout.SPELL_PRICE] * spells <= s[layout.MONEY + side] and below(r, 3) == 0:
        spells += 1
    if below(r, 16) == 0:
        spells = 0
    if MAGIC and g[layout.THAUMATURGY_AT] >= 0 and below(r, 4) == 0 and rules.sell(g, s) == layout.LEGAL:
        rules.tech(g, s, 0, out[3:], 0)
        out[0] = layout.SELL
        out[3] = layout.TECH
        out[4] = 0
        out[5] = 0
        return 6
    locked = 0
    for c in range(layout.CARDS):
        locked += s[layout.CARD + side * layout.CARDS + c] == layout.LOCKED
    marched = min(below(r, spells + 1), locked)
    out[1] = marched
    front = layout.CARDS - locked + marched  # cards before this place have a spell (in a sane position)
    for _ in range(spells - marched):
        if front > 0:
            c = below(r, front)
            mine, theirs = s[layout.CARD + side * layout.CARDS + c], s[layout.CARD + (1 - side) * layout.CARDS + c]
            copies = (
                c == g[layout.COPYCAT_AT]
                or s[layout.CARD + side * layout.CARDS + g[layout.COPYCAT_AT]] == layout.ACQUIRED
            )
            twice = mine == layout.ACQUIRED or (theirs == layout.ACQUIRED and not copies)
            for i in range(out[2]):
                twice = twice or out[3 + i] == c
            if not twice and (mine == layout.UNLOCKED or c >= layout.CARDS - locked):
                out[3 + out[2]] = c
                out[2] += 1
    rules.tech(g, s, out[1], out[3:], out[2])
    return 3 + out[2]


def random_walk(g: Ground, s: State, k: int, h: int, r: Rng, out: Stream, at: int) -> int:
    """A unit picks a hex; a friend on it makes way in the same manner: chains and cycles of moves come out."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    foe_lo, foe_hi = layout.foes(b, side)
    base = at + 64  # the walk is kept further back in `out`, then written out from its far end
    out[base] = h
    n = 1
    while n < 8:
        here = out[base + n - 1]
        lo, hi = layout.reach(g, layout.tiles_of(k), b, here, foe_lo, foe_hi)
        lo &= ~layout.low_bit(here)
        hi &= ~layout.high_bit(here)
        choices = layout.size(lo, hi)
        if choices == 0:
            return at
        to = layout.nth_hex(lo, hi, below(r, choices))
        for i in range(n):
            if out[base + i] == to:  # a cycle closes; who came before it on the walk stays
                out[at] = layout.CYCLE
                out[at + 1] = k
                out[at + 2] = n - i
                for j in range(n - i):
                    out[at + 3 + j] = out[base + i + j]
                return at + 3 + n - i if rules.act(g, s, out[at:]) == layout.LEGAL else at
        if b[layout.CELL + to] == 0:
            out[base + n] = to
            for i in range(n - 1, -1, -1):
                # writing reaches at most 5 words a move from `at`; base is far enough behind
                at = note(g, s, out, at, layout.MOVE, k, out[base + i], out[base + i + 1])
            return at
        if not layout.can_move(g, b, to):
            return at
        out[base + n] = to
        n += 1
    return at


def random_gifts(g: Ground, s: State, r: Rng, out: Stream, at: int) -> int:
    """Boards take spells that were drawn, now and then more than one, or none."""
    for _ in range(g[layout.BOARDS] + 1):
        if below(r, 8) > 0:
            k = below(r, g[layout.BOARDS])
            card = s[layout.deck_of(g, s[layout.SIDE]) + layout.QUEUE + below(r, s[layout.DRAWN])]
            at = note(g, s, out, at, layout.GIVE, k, card, 0)
    return at


def random_hex(b: State, g: Ground, side: int, r: Rng) -> int:
    """The hex of some unit of either side, or one next to a unit of one's own."""
    luck = below(r, 3)
    who = side if luck != 1 else 1 - side
    n = layout.size(b[layout.UNITS + 2 * who], b[layout.UNITS + 2 * who + 1])
    if n == 0:
        return below(r, 100)
    h = layout.nth_hex(b[layout.UNITS + 2 * who], b[layout.UNITS + 2 * who + 1], below(r, n))
    return beside_at_random(g, h, r) if luck == 2 else h


def beside_at_random(g: Ground, h: int, r: Rng) -> int:
    lo, hi = layout.within(g, h, 1)
    return layout.nth_hex(lo, hi, below(r, layout.size(lo, hi)))


def random_magic(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """A few spells cast at something, now and then one discarded."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    side = s[layout.SIDE]
    hand = layout.hand_of(g, k, side)
    for _ in range(8):
        if s[hand] == 0 or below(r, 12) == 0:
            break
        spell = s[hand + 1 + below(r, s[hand])]
        if below(r, 20) == 0:
            at = note(g, s, out, at, layout.DISCARD, k, spell, 0)
            continue
        x = random_hex(b, g, side, r)
        y = beside_at_random(g, x, r)
        if spell == magic.TERRAFORM:
            x, y = below(r, 4), x
        elif spell == magic.NORMALIZE and b[layout.LAND] != 0:
            x = max(layout.land_at(b, below(r, 4)), 0)
        at = attempt(g, s, out, at, 1 + magic.arguments(spell), layout.CAST, k, spell, x, y)
    return at


def random_tiles(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """Abilities of units, and a Zombie of a spawner tile."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    spawners = layout.tiles_of(k) + layout.SPAWNERS_AT
    for h in range(100):
        cell = b[layout.CELL + h]
        if cell == 0:
            if layout.holds(g[spawners], g[spawners + 1], h) and below(r, 2) == 0:
                at = note(g, s, out, at, layout.RISE, k, h, 0)
            continue
        able = layout.owner(cell) == s[layout.SIDE] and layout.trait(g, cell, layout.ABILITY_KINDS) != 0
        if able and below(r, 2) == 0:
            kind = below(r, 4)
            at = attempt(g, s, out, at, 3, layout.ABILITY, k, h, kind, beside_at_random(g, h, r))
    return at


def random_teleports(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """Units that began their turn on a teleporter are put anywhere."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    lo, hi = g[layout.tiles_of(k) + layout.TELEPORTERS_AT], g[layout.tiles_of(k) + layout.TELEPORTERS_AT + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if b[layout.CELL + h] != 0 and layout.owner(b[layout.CELL + h]) == s[layout.SIDE] and below(r, 4) > 0:
            at = note(g, s, out, at, layout.TELEPORT, k, h, below(r, 100))
    return at


def random_attacks(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The attack phase of a board: its units, in random order and several rounds, move, attack and blink at random."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    if MAGIC:
        at = random_teleports(g, s, k, r, out, at)
    for _ in range(1 + below(r, 3)):
        if MAGIC and g[layout.SPELLS_ON] == 1 and below(r, 2) == 0:
            at = random_magic(g, s, k, r, out, at)
        first = below(r, 100)
        for i in range(100):
            h = (first + 37 * i) % 100
            cell = b[layout.CELL + h]
            if cell == 0 or layout.owner(cell) != side:
                continue
            lo, hi = 0, 0
            if layout.can_attack(g, b, h):
                lo, hi = layout.targets(g, b, h, h)
            luck = below(r, 16)
            if luck == 0 and layout.unit(g, cell, layout.BLINK) == 1:
                at = note(g, s, out, at, layout.BLINKING, k, h, 0)
            elif (lo != 0 or hi != 0) and luck < 11:
                at = note(g, s, out, at, layout.ATTACK, k, h, layout.nth_hex(lo, hi, below(r, layout.size(lo, hi))))
            elif luck < 14 and layout.can_move(g, b, h):
                at = random_walk(g, s, k, h, r, out, at)
    return at


def random_spawns(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The spawn phase of a board: random purchases and random placements."""
    side = s[layout.SIDE]
    tiles = layout.tiles_of(k)
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    for _ in range(8):
        if below(r, 3) == 0:
            break
        t = below(r, layout.TYPES) if below(r, 4) > 0 else g[layout.ZOMBIE]
        if rules.affordable(g, s, t, s[layout.MONEY + side]):
            at = note(g, s, out, at, layout.BUY, k, t, 0)
    if MAGIC and g[layout.HAS_MANA] == 1:
        at = random_tiles(g, s, k, r, out, at)
    if not rules.spawns_now(b):
        return at
    for t in range(layout.TYPES):
        for _ in range(min(b[layout.ZONE + side * layout.TYPES + t], 8)):
            lo, hi = rules.places_for(g, tiles, b, side, t)
            choices = layout.size(lo, hi)
            if choices > 0 and below(r, 4) > 0:
                at = note(g, s, out, at, layout.SPAWNS, k, t, layout.nth_hex(lo, hi, below(r, choices)))
    return at


def random_setup(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The setup of a board: any type of the zone is kept."""
    side = s[layout.SIDE]
    zone = layout.board_of(k) + layout.ZONE + side * layout.TYPES
    kinds = 0
    keep = -1
    for t in range(layout.TYPES):
        if s[zone + t] > 0:
            kinds += 1
            if below(r, kinds) == 0:
                keep = t
    necromancer = g[layout.BASIC]
    if g[layout.ADVANCED_NECROMANCERS] == 1:
        kinds = 0
        for t in range(layout.TYPES):
            if rules.necromancer_for(g, s, t) == layout.LEGAL:
                kinds += 1
                if below(r, kinds) == 0:
                    necromancer = t
    if g[layout.KEEP_DEAREST] == 1 and below(r, 4) == 0:
        keep = -1
    return note(g, s, out, at, layout.SETUP, k, necromancer, keep)


def random_turn(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """Play a random legal turn up to its end phase; the actions into `out`; returns their length."""
    at = random_tech(g, s, r, out)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        at = random_gifts(g, s, r, out, at)
    for k in range(g[layout.BOARDS]):
        mode = s[layout.board_of(k) + layout.MODE]
        if mode == layout.RESET_0:
            continue
        if below(r, 256) == 0:
            at = note(g, s, out, at, layout.RESIGN, k, 0, 0)
            continue
        if mode in (layout.RESET_1, layout.RESET_2):
            at = random_setup(g, s, k, r, out, at)
        at = random_attacks(g, s, k, r, out, at)
        if rules.spawn_phase(g, s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]):
            at = random_spawns(g, s, k, r, out, at)
            if MAGIC and g[layout.SPELLS_ON] == 1:
                at = random_magic(g, s, k, r, out, at)
    return at
