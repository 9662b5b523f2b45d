"""Random legal turns, for playouts, tests and players that want something legal at once.

Every kind of action occurs: chains and cycles of moves, attacks between them, blinks, purchases, now and then a board
resigned. The actions are written in the words of the kernels as they are played.
"""

from __future__ import annotations

from stratagem.games.minions.kernels import *  # the names of the rules, as in `magic`
from stratagem.games.minions.magic import NORMALIZE, TERRAFORM, arguments, random_deal
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below


def note(g: Ground, s: State, out: Stream, at: int, kind: int, k: int, x: int, y: int) -> int:
    """Write an action behind `out[at]` and play it; returns where the next one goes, or `at` if it is illegal."""
    n = 0 if kind == RESIGN else 1 if kind in (BLINKING, BUY) else 2
    out[at] = kind
    out[at + 1] = k
    out[at + 2] = n
    out[at + 3] = x
    out[at + 4] = y
    return at + 3 + n if act(g, s, out[at:]) == LEGAL else at


def random_tech(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """The general's part: the free spell, now and then bought ones, each marched or put on a card at random.

    Now and then the free spell is sold, where that can be done, and nothing placed."""
    side = s[SIDE]
    out[0] = TECH
    out[1] = 0
    out[2] = 0
    if s[TECHED] == 1:
        return 3
    spells = 1
    most = 4
    if MAGIC and g[SPELLS_ON] == 1:
        most = min(most, 1 + s[deck_of(g, side) + KNOWN] - s[DRAWN])
    while spells < most and g[SPELL_PRICE] * spells <= s[MONEY + side] and below(r, 3) == 0:
        spells += 1
    if below(r, 16) == 0:
        spells = 0
    if MAGIC and g[THAUMATURGY_AT] >= 0 and below(r, 4) == 0 and sell(g, s) == LEGAL:
        tech(g, s, 0, out[3:], 0)
        out[0] = SELL
        out[3] = TECH
        out[4] = 0
        out[5] = 0
        return 6
    locked = 0
    for c in range(CARDS):
        locked += s[CARD + side * CARDS + c] == LOCKED
    marched = min(below(r, spells + 1), locked)
    out[1] = marched
    front = CARDS - locked + marched  # cards before this place have a spell (in a sane position)
    for _ in range(spells - marched):
        if front > 0:
            c = below(r, front)
            mine, theirs = s[CARD + side * CARDS + c], s[CARD + (1 - side) * CARDS + c]
            copies = c == g[COPYCAT_AT] or s[CARD + side * CARDS + g[COPYCAT_AT]] == ACQUIRED
            twice = mine == ACQUIRED or (theirs == ACQUIRED and not copies)
            for i in range(out[2]):
                twice = twice or out[3 + i] == c
            if not twice and (mine == UNLOCKED or c >= CARDS - locked):
                out[3 + out[2]] = c
                out[2] += 1
    tech(g, s, out[1], out[3:], out[2])
    return 3 + out[2]


def random_walk(g: Ground, s: State, k: int, h: int, r: Rng, out: Stream, at: int) -> int:
    """A unit picks a hex; a friend on it makes way in the same manner: chains and cycles of moves come out."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    foe_lo, foe_hi = foes(b, side)
    base = at + 64  # the walk is kept further back in `out`, then written out from its far end
    out[base] = h
    n = 1
    while n < 8:
        here = out[base + n - 1]
        lo, hi = reach(g, tiles_of(k), b, here, foe_lo, foe_hi)
        lo &= ~low_bit(here)
        hi &= ~high_bit(here)
        choices = size(lo, hi)
        if choices == 0:
            return at
        to = nth_hex(lo, hi, below(r, choices))
        for i in range(n):
            if out[base + i] == to:  # a cycle closes; who came before it on the walk stays
                out[at] = CYCLE
                out[at + 1] = k
                out[at + 2] = n - i
                for j in range(n - i):
                    out[at + 3 + j] = out[base + i + j]
                return at + 3 + n - i if act(g, s, out[at:]) == LEGAL else at
        if b[CELL + to] == 0:
            out[base + n] = to
            for i in range(n - 1, -1, -1):
                # writing reaches at most 5 words a move from `at`; base is far enough behind
                at = note(g, s, out, at, MOVE, k, out[base + i], out[base + i + 1])
            return at
        if not can_move(g, b, to):
            return at
        out[base + n] = to
        n += 1
    return at


def attempt(g: Ground, s: State, out: Stream, at: int, n: int) -> int:
    """Play the action of spells or tiles written behind `out[at]` with n arguments; an illegal one changes nothing."""
    out[at + 2] = n
    return at + 3 + n if act(g, s, out[at:]) == LEGAL else at


def random_gifts(g: Ground, s: State, r: Rng, out: Stream, at: int) -> int:
    """Boards take spells that were drawn, now and then more than one, or none."""
    for _ in range(g[BOARDS] + 1):
        if below(r, 8) > 0:
            out[at] = GIVE
            out[at + 1] = below(r, g[BOARDS])
            out[at + 3] = s[deck_of(g, s[SIDE]) + QUEUE + below(r, s[DRAWN])]
            at = attempt(g, s, out, at, 1)
    return at


def random_hex(b: State, g: Ground, side: int, r: Rng) -> int:
    """The hex of some unit of either side, or one next to a unit of one's own."""
    luck = below(r, 3)
    who = side if luck != 1 else 1 - side
    n = size(b[UNITS + 2 * who], b[UNITS + 2 * who + 1])
    if n == 0:
        return below(r, 100)
    h = nth_hex(b[UNITS + 2 * who], b[UNITS + 2 * who + 1], below(r, n))
    return beside_at_random(g, h, r) if luck == 2 else h


def beside_at_random(g: Ground, h: int, r: Rng) -> int:
    lo, hi = within(g, h, 1)
    return nth_hex(lo, hi, below(r, size(lo, hi)))


def random_magic(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """A few spells cast at something, now and then one discarded."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    side = s[SIDE]
    hand = hand_of(g, k, side)
    for _ in range(8):
        if s[hand] == 0 or below(r, 12) == 0:
            break
        spell = s[hand + 1 + below(r, s[hand])]
        out[at + 1] = k
        out[at + 3] = spell
        if below(r, 20) == 0:
            out[at] = DISCARD
            at = attempt(g, s, out, at, 1)
            continue
        out[at] = CAST
        out[at + 4] = random_hex(b, g, side, r)
        out[at + 5] = beside_at_random(g, out[at + 4], r)
        if spell == TERRAFORM:
            out[at + 5] = out[at + 4]
            out[at + 4] = below(r, 4)
        elif spell == NORMALIZE and b[LAND] != 0:
            out[at + 4] = max(land_at(b, below(r, 4)), 0)
        at = attempt(g, s, out, at, 1 + arguments(spell))
    return at


def random_tiles(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """Abilities of units, and a Zombie of a spawner tile."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    for h in range(100):
        cell = b[CELL + h]
        out[at + 1] = k
        out[at + 3] = h
        if cell == 0 and holds(g[tiles_of(k) + SPAWNERS_AT], g[tiles_of(k) + SPAWNERS_AT + 1], h) and below(r, 2) == 0:
            out[at] = RISE
            at = attempt(g, s, out, at, 1)
        elif cell != 0 and owner(cell) == s[SIDE] and trait(g, cell, ABILITY_KINDS) != 0 and below(r, 2) == 0:
            out[at] = ABILITY
            out[at + 4] = below(r, 4)
            out[at + 5] = beside_at_random(g, h, r)
            at = attempt(g, s, out, at, 3)
    return at


def random_teleports(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """Units that began their turn on a teleporter are put anywhere."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    lo, hi = g[tiles_of(k) + TELEPORTERS_AT], g[tiles_of(k) + TELEPORTERS_AT + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        if b[CELL + h] != 0 and owner(b[CELL + h]) == s[SIDE] and below(r, 4) > 0:
            out[at] = TELEPORT
            out[at + 1] = k
            out[at + 3] = h
            out[at + 4] = below(r, 100)
            at = attempt(g, s, out, at, 2)
    return at


def random_attacks(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The attack phase of a board: its units, in random order and several rounds, move, attack and blink at random."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if MAGIC:
        at = random_teleports(g, s, k, r, out, at)
    for _ in range(1 + below(r, 3)):
        if MAGIC and g[SPELLS_ON] == 1 and below(r, 2) == 0:
            at = random_magic(g, s, k, r, out, at)
        first = below(r, 100)
        for i in range(100):
            h = (first + 37 * i) % 100
            cell = b[CELL + h]
            if cell == 0 or owner(cell) != side:
                continue
            lo, hi = 0, 0
            if can_attack(g, b, h):
                lo, hi = targets(g, b, h, h)
            luck = below(r, 16)
            if luck == 0 and unit(g, cell, BLINK) == 1:
                at = note(g, s, out, at, BLINKING, k, h, 0)
            elif (lo != 0 or hi != 0) and luck < 11:
                at = note(g, s, out, at, ATTACK, k, h, nth_hex(lo, hi, below(r, size(lo, hi))))
            elif luck < 14 and can_move(g, b, h):
                at = random_walk(g, s, k, h, r, out, at)
    return at


def random_spawns(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The spawn phase of a board: random purchases and random placements."""
    side = s[SIDE]
    tiles = tiles_of(k)
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    for _ in range(8):
        if below(r, 3) == 0:
            break
        t = below(r, TYPES) if below(r, 4) > 0 else g[ZOMBIE]
        if for_sale(g, s, side, t) == LEGAL and g[UNIT + t * COLUMNS + COST] <= s[MONEY + side]:
            at = note(g, s, out, at, BUY, k, t, 0)
    if MAGIC and g[HAS_MANA] == 1:
        at = random_tiles(g, s, k, r, out, at)
    if b[MODE] != NORMAL and b[MODE] != RESET_2:
        return at
    for t in range(TYPES):
        for _ in range(min(b[ZONE + side * TYPES + t], 8)):
            lo, hi = spawn_places(g, b, side)
            open_lo, open_hi = open_to(g, tiles, b, t)
            lo &= open_lo
            hi &= open_hi
            choices = size(lo, hi)
            if choices > 0 and below(r, 4) > 0:
                at = note(g, s, out, at, SPAWNS, k, t, nth_hex(lo, hi, below(r, choices)))
    return at


def random_setup(g: Ground, s: State, k: int, r: Rng, out: Stream, at: int) -> int:
    """The setup of a board: any type of the zone is kept."""
    side = s[SIDE]
    zone = board_of(k) + ZONE + side * TYPES
    kinds = 0
    keep = -1
    for t in range(TYPES):
        if s[zone + t] > 0:
            kinds += 1
            if below(r, kinds) == 0:
                keep = t
    necromancer = g[BASIC]
    if g[ADVANCED_NECROMANCERS] == 1:
        kinds = 0
        for t in range(TYPES):
            if necromancer_for(g, s, t) == LEGAL:
                kinds += 1
                if below(r, kinds) == 0:
                    necromancer = t
    if g[KEEP_DEAREST] == 1 and below(r, 4) == 0:
        keep = -1
    return note(g, s, out, at, SETUP, k, necromancer, keep)


def random_turn(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """Play a random legal turn up to its end phase; the actions into `out`; returns their length."""
    at = random_tech(g, s, r, out)
    if MAGIC and g[SPELLS_ON] == 1:
        at = random_gifts(g, s, r, out, at)
    for k in range(g[BOARDS]):
        mode = s[board_of(k) + MODE]
        if mode == RESET_0:
            continue
        if below(r, 256) == 0:
            at = note(g, s, out, at, RESIGN, k, 0, 0)
            continue
        if mode in (RESET_1, RESET_2):
            at = random_setup(g, s, k, r, out, at)
        at = random_attacks(g, s, k, r, out, at)
        if spawn_phase(g, s[board_of(k) : board_of(k) + BOARD_SIZE]):
            at = random_spawns(g, s, k, r, out, at)
            if MAGIC and g[SPELLS_ON] == 1:
                at = random_magic(g, s, k, r, out, at)
    return at


def random_turns(g: Ground, s: State, start: State, r: Rng, out: Stream, turns: int) -> int:
    """Play that many random turns, from `start` again whenever a game ends; returns how many games ended."""
    ended = 0
    for _ in range(turns):
        if MAGIC and g[SPELLS_ON] == 1:
            random_deal(g, s, r, out)
        random_turn(g, s, r, out)
        end_turn(g, s)
        if s[WINNER] >= 0:
            ended += 1
            for i in range(s.size):
                s[i] = start[i]
    return ended
