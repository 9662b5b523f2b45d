"""Spells, hands, decks, mana, and the tiles that act (section 12 of the rules).

A spell is a kernel of its name that takes the board and up to two hexes (or a terrain and a hex) and returns 0 or why it
may not be cast so; `cast` takes the card from the hand, counts its mana and runs it. A kernel that refuses may leave the
state half changed: whoever calls it throws that away.
"""

from __future__ import annotations

from stratagem.games.minions.board import *  # the layout, as in `kernels`
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below

# spells by number: the order of the table
(FESTER, UNSUMMON, REPOSITION, SHIELD, STUMBLE, DISMEMBER, UNHOLY_MIGHT, PROTECTION, FREEZE_RAY, WEAKEN, LUMBERING_SPELL,
 SHACKLE, SPAWN_SPELL, RAISE_ZOMBIE, DOUBLE_CANTRIP, EARTHQUAKE_SPELL, FIRESTORM_SPELL, FLOOD_SPELL, WHIRLWIND_SPELL,
 NORMALIZE, TERRAFORM, CLEAVE, SUNDER, LIGHTNING_BOLT, DISPLACE, RISING_HORDE, BLINK_SPELL) = range(1, 28)  # fmt: skip


def mana_when_played(spell: int) -> int:
    """Sorceries cost 1, cantrips give 1, the double cantrip 2."""
    if spell in (DISMEMBER, FREEZE_RAY, SPAWN_SPELL, TERRAFORM, SUNDER, LIGHTNING_BOLT, RISING_HORDE):
        return -1
    if spell in (PROTECTION, WEAKEN, RAISE_ZOMBIE, NORMALIZE):
        return 1
    return 2 if spell == DOUBLE_CANTRIP else 0


def mana_when_discarded(spell: int) -> int:
    return 2 if spell == DOUBLE_CANTRIP else 1


def in_spawn_phase_only(spell: int) -> bool:
    return spell in (REPOSITION, DISPLACE, BLINK_SPELL) or EARTHQUAKE_SPELL <= spell <= TERRAFORM


# ------------------------------------------------------------------------------------------------------------- hands


def place_in_hand(g: Ground, s: State, k: int, side: int, spell: int) -> int:
    """The place of the oldest card of a spell in a hand, or -1."""
    at = hand_of(g, k, side)
    for i in range(s[at]):
        if s[at + 1 + i] == spell:
            return i
    return -1


def add_to_hand(g: Ground, s: State, k: int, side: int, spell: int) -> None:
    at = hand_of(g, k, side)
    s[at] += 1
    s[at + s[at]] = spell


def drop_from_hand(g: Ground, s: State, k: int, side: int, place: int) -> int:
    """The card at a place leaves a hand, and everybody sees it."""
    at = hand_of(g, k, side)
    spell = s[at + 1 + place]
    for i in range(place, s[at] - 1):
        s[at + 1 + i] = s[at + 2 + i]
    s[at + s[at]] = 0
    s[at] -= 1
    s[seen_at(g, side) + spell] += 1
    return spell


def solvent(g: Ground, s: State, k: int) -> bool:
    """Whether what a hand would give when discarded pays what its board owes."""
    mana = s[board_of(k) + MANA]
    if mana >= 0 or g[SPELLS_ON] == 0:
        return mana >= 0
    at = hand_of(g, k, s[SIDE])
    for i in range(s[at]):
        mana += mana_when_discarded(s[at + 1 + i])
    return mana >= 0


def discard(g: Ground, s: State, k: int, spell: int) -> int:
    """Throw a card away for its mana."""
    if g[SPELLS_ON] == 0:
        return NO_SPELLS
    place = place_in_hand(g, s, k, s[SIDE], spell)
    if place < 0:
        return NOT_IN_HAND
    drop_from_hand(g, s, k, s[SIDE], place)
    s[board_of(k) + MANA] += mana_when_discarded(spell)
    return LEGAL


# ------------------------------------------------------------------------------------------------------------- decks


def metamagic(g: Ground, s: State) -> bool:
    """Whether the side to move has acquired Metamagic before this turn."""
    c = g[METAMAGIC_AT]
    return c >= 0 and s[CARD + s[SIDE] * CARDS + c] == ACQUIRED and (s[FRESH] >> c) & 1 == 0


def taken_in_all(g: Ground, s: State) -> int:
    n = 0
    for k in range(g[BOARDS]):
        n += s[taken_at(g, k)]
    return n


def leave_queue(g: Ground, s: State, place: int) -> int:
    """The card at a place of the known ones of the side to move leaves them."""
    at = deck_of(g, s[SIDE])
    spell = s[at + QUEUE + place]
    for i in range(place, s[at + KNOWN] - 1):
        s[at + QUEUE + i] = s[at + QUEUE + i + 1]
    s[at + KNOWN] -= 1
    s[at + QUEUE + s[at + KNOWN]] = 0
    s[DRAWN] -= 1
    return spell


def give(g: Ground, s: State, k: int, spell: int) -> int:
    """A board takes one of the spells drawn into its hand."""
    if g[SPELLS_ON] == 0:
        return NO_SPELLS
    at = deck_of(g, s[SIDE])
    place = -1
    for i in range(s[DRAWN] - 1, -1, -1):
        if s[at + QUEUE + i] == spell:
            place = i
    if place < 0:
        return NOT_DRAWN
    if s[taken_at(g, k)] > 0 and not metamagic(g, s):
        return BOARD_TOOK
    if taken_in_all(g, s) >= g[BOARDS]:
        return ALL_TAKEN
    if s[hand_of(g, k, s[SIDE])] >= g[HAND_ROOM]:
        return HAND_FULL
    add_to_hand(g, s, k, s[SIDE], leave_queue(g, s, place))
    s[taken_at(g, k)] += 1
    return LEGAL


def settle(g: Ground, s: State) -> None:
    """The end of a turn: debts of mana are paid by the oldest cards, boards that took no spell are given one."""
    side = s[SIDE]
    for k in range(g[BOARDS]):
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        while b[MANA] < 0 and s[hand_of(g, k, side)] > 0:
            b[MANA] += mana_when_discarded(drop_from_hand(g, s, k, side, 0))
    given = taken_in_all(g, s)
    for k in range(g[BOARDS]):
        wanting = s[taken_at(g, k)] == 0 and s[DRAWN] > 0 and s[hand_of(g, k, side)] < g[HAND_ROOM]
        if wanting and (given < g[BOARDS] or g[GIFT_TO_ALL] == 1):
            add_to_hand(g, s, k, side, leave_queue(g, s, 0))
            given += 1
        s[taken_at(g, k)] = 0
    while s[DRAWN] > 0:  # they went to the techline, where their kind does not matter
        leave_queue(g, s, 0)


def due(g: Ground, s: State) -> int:
    """How many cards the side to move is to be shown before its turn: its draw, the next one, and some ahead."""
    draw = g[BOARDS] + 1
    first = s[SIDE] == 0 and s[given_at(g, 0)] == 0  # Yellow in its first turn does not see its next draw
    return (draw if first else 2 * draw) + g[AHEAD] - s[deck_of(g, s[SIDE]) + KNOWN]


def left_in_deck(g: Ground, s: State, side: int) -> int:
    n = 0
    for spell in range(1, SPELL_KINDS + 1):
        n += s[unknown_at(g, side) + spell]
    return n


def reveal(g: Ground, s: State, spell: int) -> int:
    """The next card of the deck of the side to move is this one; an exhausted deck is replaced by a fresh one."""
    side = s[SIDE]
    cards = unknown_at(g, side)
    if left_in_deck(g, s, side) == 0:
        for kind in range(1, SPELL_KINDS + 1):
            s[cards + kind] = g[COPIES + kind]
    if spell < 1 or spell > SPELL_KINDS or s[cards + spell] == 0:
        return NO_SUCH_SPELL
    s[cards + spell] -= 1
    at = deck_of(g, side)
    s[at + QUEUE + s[at + KNOWN]] = spell
    s[at + KNOWN] += 1
    s[given_at(g, side)] += 1
    return LEGAL


def deal(g: Ground, s: State, cards: Stream, n: int) -> int:
    """Chance before a turn: the cards that the side to move comes to know, in order."""
    if g[SPELLS_ON] == 0 or s[DRAWN] > 0 or n != due(g, s):
        return NOT_DRAWN
    for i in range(n):
        wrong = reveal(g, s, cards[i])
        if wrong != LEGAL:
            return wrong
    s[DRAWN] = g[BOARDS] + 1
    return LEGAL


def any_of(s: State, counts: int, r: Rng, n: int) -> int:
    """A random card of n that are counted by number of the spell."""
    x = below(r, n)
    for spell in range(1, SPELL_KINDS + 1):
        x -= s[counts + spell]
        if x < 0:
            return spell
    return 0


def random_deal(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """Shuffle and deal: the cards into `out`; returns how many."""
    n = due(g, s)
    side = s[SIDE]
    for i in range(n):
        left = left_in_deck(g, s, side)
        out[i] = any_of(s, unknown_at(g, side), r, left) if left > 0 else fresh_card(g, r)
        reveal(g, s, out[i])
    s[DRAWN] = g[BOARDS] + 1
    return n


def fresh_card(g: Ground, r: Rng) -> int:
    """The first card of a fresh deck."""
    n = 0
    for spell in range(1, SPELL_KINDS + 1):
        n += g[COPIES + spell]
    x = below(r, n)
    for spell in range(1, SPELL_KINDS + 1):
        x -= g[COPIES + spell]
        if x < 0:
            return spell
    return 0


def hide(g: Ground, s: State, p: int) -> None:
    """Blank in place what player p cannot see: the other side's hands, its deck and what it knows of it."""
    for side in range(2):
        if side == p or g[SPELLS_ON] == 0:
            continue
        at = deck_of(g, side)
        for i in range(s[at + KNOWN]):
            s[at + QUEUE + i] = UNKNOWN
        for spell in range(KINDS):
            s[unknown_at(g, side) + spell] = 0
        for k in range(g[BOARDS]):
            hand = hand_of(g, k, side)
            for i in range(s[hand]):
                s[hand + 1 + i] = UNKNOWN


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """Draw anew in place what player p cannot see, from the cards of the other side's decks that were not yet shown.

    Of several decks begun the cards are mixed: a card kept since an earlier deck is taken to be as likely as one of this.
    """
    if g[SPELLS_ON] == 0:
        return
    for side in range(2):
        if side != p:
            guess_side(g, s, side, r)


def guess_side(g: Ground, s: State, side: int, r: Rng) -> None:
    counts = unknown_at(g, side)
    whole = 0
    for spell in range(1, SPELL_KINDS + 1):
        whole += g[COPIES + spell]
    decks = (s[given_at(g, side)] + whole - 1) // whole
    for spell in range(1, SPELL_KINDS + 1):
        s[counts + spell] = max(decks * g[COPIES + spell] - s[seen_at(g, side) + spell], 0)
    at = deck_of(g, side)
    for i in range(s[at + KNOWN]):
        s[at + QUEUE + i] = guessed_card(g, s, side, r)
    for k in range(g[BOARDS]):
        hand = hand_of(g, k, side)
        for i in range(s[hand]):
            s[hand + 1 + i] = guessed_card(g, s, side, r)
    # what is left over went to the techline unseen: first what one deck cannot hold
    rest = decks * whole - s[given_at(g, side)]
    for spell in range(1, SPELL_KINDS + 1):
        s[counts + spell] = min(s[counts + spell], g[COPIES + spell])
    left = left_in_deck(g, s, side)
    while left > rest:
        s[counts + any_of(s, counts, r, left)] -= 1
        left -= 1


def guessed_card(g: Ground, s: State, side: int, r: Rng) -> int:
    counts = unknown_at(g, side)
    left = left_in_deck(g, s, side)
    if left == 0:  # a position that was written down with cards from nowhere
        return fresh_card(g, r)
    spell = any_of(s, counts, r, left)
    s[counts + spell] -= 1
    return spell


# ----------------------------------------------------------------------------------------------- what spells ask for


def minion(g: Ground, b: State, at: int) -> int:
    """Whether a minion stands on a hex."""
    if b[CELL + at] == 0:
        return NO_TARGET
    return LEGAL if unit(g, b[CELL + at], NECROMANCER) == 0 else NO_MINION


def minion_of(g: Ground, b: State, side: int, at: int, wrong: int) -> int:
    """Whether a minion of a side stands on a hex; `wrong` is said of the other side's."""
    found = minion(g, b, at)
    if found != LEGAL:
        return found
    return LEGAL if owner(b[CELL + at]) == side else wrong


def beside(g: Ground, h: int, to: int) -> bool:
    lo, hi = within(g, h, 1)
    return h != to and holds(lo, hi, to)


def room_for(g: Ground, tiles: int, b: State, at: int, to: int) -> int:
    """Whether the unit on a hex may be put on another, adjacent one."""
    if not beside(g, at, to):
        return NOT_ADJACENT
    if b[CELL + to] != 0:
        return OCCUPIED
    lo, hi = open_to(g, tiles, b, (b[CELL + at] & TYPE_MASK) - 1)
    return LEGAL if holds(lo, hi, to) else BAD_TILE


def befriended(g: Ground, b: State, side: int, h: int) -> bool:
    """Whether a hex is next to a friendly unit that was not spawned this turn and is not done."""
    lo, hi = within(g, h, 1)
    lo &= b[UNITS + 2 * side]
    hi &= b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
        if x != h and b[CELL + x] & IDLE == 0:
            return True
    return False


def striker(g: Ground, b: State, side: int, at: int) -> bool:
    """Whether a friendly minion has the unit on a hex in range and has attacked another enemy this turn."""
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        cell = b[CELL + h]
        if struck(cell) != 0 and struck(cell) != at + 1 and unit(g, cell, NECROMANCER) == 0:
            near_lo, near_hi = within(g, h, reaching(g, cell))
            if holds(near_lo, near_hi, at):
                return True
    return False


def wound(g: Ground, s: State, k: int, at: int, amount: int) -> int:
    """Damage by a spell, which kills like damage by an attack."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    who = owner(b[CELL + at])
    s[MONEY + who] += harm(g, b, at, amount)
    return LEGAL


def mark(b: State, at: int, modifier: int) -> int:
    amend(b, at, b[CELL + at] | modifier)
    return LEGAL


def shift(b: State, at: int, to: int) -> int:
    """Put an enemy on another hex; who has attacked it remembers."""
    cell = b[CELL + at]
    put(b, at, 0)
    put(b, to, cell)
    follow(b, 1 - owner(cell), at, to + 1)
    return LEGAL


def strengthen(g: Ground, b: State, at: int, more: int) -> None:
    """Add to the defense of a unit."""
    cell = b[CELL + at]
    bonus = min(((cell >> BONUS_SHIFT) & BONUS_MASK) + more, BONUS_MASK)
    amend(b, at, (cell & ~(BONUS_MASK << BONUS_SHIFT)) | (bonus << BONUS_SHIFT))


def lay(b: State, kind: int, h: int) -> None:
    """Movable terrain of a kind now lies on a hex; -1: nowhere."""
    b[LAND] = (b[LAND] & ~(LAND_MASK << (LAND_BITS * kind))) | ((h + 1) << (LAND_BITS * kind))


def bare(g: Ground, k: int, b: State, h: int) -> int:
    """Whether a hex is empty ground, for movable terrain to come to."""
    if b[CELL + h] != 0:
        return OCCUPIED
    at = tiles_of(k) + GROUND_AT
    if not holds(g[at], g[at + 1], h):
        return NOT_GROUND
    for kind in range(4):
        if land_at(b, kind) == h:
            return NOT_GROUND
    return LEGAL


# -------------------------------------------------------------------------------------------------------- the spells


def fester(g: Ground, s: State, k: int, x: int) -> int:
    """1 damage to a damaged minion of either side."""
    return hurt_more(g, s, k, x, 1)


def dismember(g: Ground, s: State, k: int, x: int) -> int:
    """3 damage to a damaged minion of either side."""
    return hurt_more(g, s, k, x, 3)


def hurt_more(g: Ground, s: State, k: int, x: int, amount: int) -> int:
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion(g, b, x)
    if wrong != LEGAL:
        return wrong
    return wound(g, s, k, x, amount) if hurt(b[CELL + x]) > 0 else UNHURT


def unsummon(g: Ground, s: State, k: int, x: int) -> int:
    """A damaged minion of either side, not persistent, returns to its owner's reinforcements."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion(g, b, x)
    if wrong != LEGAL:
        return wrong
    if unit(g, b[CELL + x], PERSISTENT) == 1:
        return IS_PERSISTENT
    if hurt(b[CELL + x]) == 0:
        return UNHURT
    withdraw(g, b, x)
    return LEGAL


def reposition(g: Ground, s: State, k: int, x: int, y: int) -> int:
    """A friendly minion is put on an adjacent hex and is done for the turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, s[SIDE], x, FRIEND_NEEDED)
    if wrong == LEGAL:
        wrong = room_for(g, tiles_of(k), b, x, y)
    if wrong == LEGAL:
        cell = b[CELL + x]
        put(b, x, 0)
        put(b, y, cell | SPENT)
    return wrong


def shield(g: Ground, s: State, k: int, x: int) -> int:
    """A friendly minion is soulbound and its defense doubled."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, s[SIDE], x, FRIEND_NEEDED)
    if wrong == LEGAL:
        strengthen(g, b, x, defense(g, b[CELL + x]))
        mark(b, x, SHIELDED)
    return wrong


def protection(g: Ground, s: State, k: int, x: int) -> int:
    """A friendly minion has 2 more defense."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, s[SIDE], x, FRIEND_NEEDED)
    if wrong == LEGAL:
        strengthen(g, b, x, 2)
    return wrong


def stumble(g: Ground, s: State, k: int, x: int, y: int) -> int:
    """A damaged enemy minion is put on an adjacent hex."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, 1 - s[SIDE], x, ENEMY_NEEDED)
    if wrong != LEGAL:
        return wrong
    return displace(g, s, k, x, y) if hurt(b[CELL + x]) > 0 else UNHURT


def displace(g: Ground, s: State, k: int, x: int, y: int) -> int:
    """An enemy minion is put on an adjacent hex."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, 1 - s[SIDE], x, ENEMY_NEEDED)
    if wrong == LEGAL:
        wrong = room_for(g, tiles_of(k), b, x, y)
    return shift(b, x, y) if wrong == LEGAL else wrong


def unholy_might(g: Ground, s: State, k: int, x: int) -> int:
    """The friendly necromancer has at least 2 attacks this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if b[CELL + x] == 0:
        return NO_TARGET
    if unit(g, b[CELL + x], NECROMANCER) == 0:
        return NOT_NECROMANCER
    return mark(b, x, MIGHTY) if owner(b[CELL + x]) == s[SIDE] else FRIEND_NEEDED


def curse(g: Ground, s: State, k: int, x: int, modifier: int) -> int:
    """An enemy minion suffers a spell to the end of its next turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, 1 - s[SIDE], x, ENEMY_NEEDED)
    return mark(b, x, modifier) if wrong == LEGAL else wrong


def freeze_ray(g: Ground, s: State, k: int, x: int) -> int:
    """An enemy minion cannot attack."""
    return curse(g, s, k, x, FROZEN)


def lumbering(g: Ground, s: State, k: int, x: int) -> int:
    """An enemy minion is lumbering."""
    return curse(g, s, k, x, SLOWED)


def shackle(g: Ground, s: State, k: int, x: int) -> int:
    """An enemy minion has speed and range at most 1."""
    return curse(g, s, k, x, SHACKLED)


def weaken(g: Ground, s: State, k: int, x: int) -> int:
    """An enemy minion loses one damage, a flurry one attack."""
    wrong = curse(g, s, k, x, 0)
    if wrong == LEGAL:
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        if weakened(b[CELL + x]) < WEAK_MASK:
            amend(b, x, b[CELL + x] + (1 << WEAK_SHIFT))
    return wrong


def spawn_keyword(g: Ground, s: State, k: int, x: int) -> int:
    """A friendly minion that was not spawned this turn has the spawn keyword this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, s[SIDE], x, FRIEND_NEEDED)
    if wrong == LEGAL and b[CELL + x] & IDLE != 0:
        wrong = FRESHLY_SPAWNED if b[CELL + x] & SPAWNED != 0 else IS_DONE
    return mark(b, x, SUPPORTING) if wrong == LEGAL else wrong


def rising_horde(g: Ground, s: State, k: int) -> int:
    """All friendly units have the spawn keyword this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    lo, hi = b[UNITS + 2 * s[SIDE]], b[UNITS + 2 * s[SIDE] + 1]
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        mark(b, h, SUPPORTING)
    return LEGAL


def raise_zombie(g: Ground, s: State, k: int, x: int) -> int:
    """A free Zombie is spawned next to a friendly unit that was not spawned this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    if b[CELL + x] != 0:
        return OCCUPIED
    lo, hi = open_to(g, tiles_of(k), b, g[ZOMBIE])
    if not holds(lo, hi, x):
        return BAD_TILE
    if not befriended(g, b, s[SIDE], x):
        return NO_FRIEND_NEAR
    put(b, x, g[ZOMBIE] + 1 | s[SIDE] << SIDE_SHIFT | SPAWNED)
    return LEGAL


def terraform(g: Ground, s: State, k: int, kind: int, x: int) -> int:
    """Movable terrain of a kind moves to empty ground next to a friendly unit that was not spawned this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = bare(g, k, b, x)
    if wrong != LEGAL:
        return wrong
    if not befriended(g, b, s[SIDE], x):
        return NO_FRIEND_NEAR
    lay(b, kind, x)
    return LEGAL


def earthquake(g: Ground, s: State, k: int, x: int) -> int:
    """The movable earthquake moves."""
    return terraform(g, s, k, EARTHQUAKE, x)


def firestorm(g: Ground, s: State, k: int, x: int) -> int:
    """The movable firestorm moves."""
    return terraform(g, s, k, FIRESTORM, x)


def flood(g: Ground, s: State, k: int, x: int) -> int:
    """The movable flood moves."""
    return terraform(g, s, k, FLOOD, x)


def whirlwind(g: Ground, s: State, k: int, x: int) -> int:
    """The movable whirlwind moves."""
    return terraform(g, s, k, WHIRLWIND, x)


def normalize(g: Ground, s: State, k: int, x: int) -> int:
    """Movable terrain is removed."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    for kind in range(4):
        if land_at(b, kind) == x:
            lay(b, kind, -1)
            return LEGAL
    return NO_LAND


def cut(g: Ground, s: State, k: int, x: int, amount: int) -> int:
    """Damage to an enemy minion in range of a friendly minion that has attacked another enemy this turn."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, 1 - s[SIDE], x, ENEMY_NEEDED)
    if wrong != LEGAL:
        return wrong
    return wound(g, s, k, x, amount) if striker(g, b, s[SIDE], x) else NO_STRIKER


def cleave(g: Ground, s: State, k: int, x: int) -> int:
    """1 damage of that kind."""
    return cut(g, s, k, x, 1)


def sunder(g: Ground, s: State, k: int, x: int) -> int:
    """2 damage of that kind."""
    return cut(g, s, k, x, 2)


def lightning_bolt(g: Ground, s: State, k: int, x: int) -> int:
    """1 damage to an enemy minion."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, 1 - s[SIDE], x, ENEMY_NEEDED)
    return wound(g, s, k, x, 1) if wrong == LEGAL else wrong


def blink_away(g: Ground, s: State, k: int, x: int) -> int:
    """The spell Blink: a friendly minion returns to the reinforcements; as coded a persistent one takes 1 damage."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = minion_of(g, b, s[SIDE], x, FRIEND_NEEDED)
    if wrong != LEGAL:
        return wrong
    if unit(g, b[CELL + x], PERSISTENT) == 1 and g[BLINK_AS_MEANT] == 0:
        return wound(g, s, k, x, 1)
    withdraw(g, b, x)
    return LEGAL


def effect(g: Ground, s: State, k: int, spell: int, x: int, y: int) -> int:
    """Run a spell."""
    if spell in (FESTER, DISMEMBER, UNSUMMON, CLEAVE, SUNDER, LIGHTNING_BOLT):
        if spell == FESTER:
            return fester(g, s, k, x)
        if spell == DISMEMBER:
            return dismember(g, s, k, x)
        if spell == UNSUMMON:
            return unsummon(g, s, k, x)
        if spell == CLEAVE:
            return cleave(g, s, k, x)
        return sunder(g, s, k, x) if spell == SUNDER else lightning_bolt(g, s, k, x)
    if spell in (SHIELD, PROTECTION, UNHOLY_MIGHT, SPAWN_SPELL, RISING_HORDE):
        if spell == SHIELD:
            return shield(g, s, k, x)
        if spell == PROTECTION:
            return protection(g, s, k, x)
        if spell == UNHOLY_MIGHT:
            return unholy_might(g, s, k, x)
        return spawn_keyword(g, s, k, x) if spell == SPAWN_SPELL else rising_horde(g, s, k)
    if spell in (FREEZE_RAY, WEAKEN, LUMBERING_SPELL, SHACKLE):
        if spell == FREEZE_RAY:
            return freeze_ray(g, s, k, x)
        if spell == WEAKEN:
            return weaken(g, s, k, x)
        return lumbering(g, s, k, x) if spell == LUMBERING_SPELL else shackle(g, s, k, x)
    if spell in (REPOSITION, STUMBLE, DISPLACE, BLINK_SPELL, RAISE_ZOMBIE):
        if spell == REPOSITION:
            return reposition(g, s, k, x, y)
        if spell == STUMBLE:
            return stumble(g, s, k, x, y)
        if spell == DISPLACE:
            return displace(g, s, k, x, y)
        return blink_away(g, s, k, x) if spell == BLINK_SPELL else raise_zombie(g, s, k, x)
    if spell == EARTHQUAKE_SPELL:
        return earthquake(g, s, k, x)
    if spell == FIRESTORM_SPELL:
        return firestorm(g, s, k, x)
    if spell == FLOOD_SPELL:
        return flood(g, s, k, x)
    if spell == WHIRLWIND_SPELL:
        return whirlwind(g, s, k, x)
    if spell == NORMALIZE:
        return normalize(g, s, k, x)
    if spell == TERRAFORM:
        return terraform(g, s, k, x, y)
    return LEGAL  # the double cantrip gives its mana alone


def cast(g: Ground, s: State, k: int, spell: int, x: int, y: int) -> int:
    """Play a spell of a board's hand; x and y are hexes, or for Terraform a terrain and a hex."""
    if g[SPELLS_ON] == 0:
        return NO_SPELLS
    if spell < 1 or spell > SPELL_KINDS:
        return NO_SUCH_SPELL
    place = place_in_hand(g, s, k, s[SIDE], spell)
    if place < 0:
        return NOT_IN_HAND
    drop_from_hand(g, s, k, s[SIDE], place)
    s[board_of(k) + MANA] += mana_when_played(spell)
    if not solvent(g, s, k):
        return NO_MANA
    return effect(g, s, k, spell, x, y)


# --------------------------------------------------------------------------------------------------- tiles that act


def use_ability(g: Ground, s: State, k: int, h: int, kind: int, to: int) -> int:
    """A unit moves movable terrain to empty ground next to it, for one mana."""
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != s[SIDE]:
        return NOT_YOURS
    if (trait(g, cell, ABILITY_KINDS) >> kind) & 1 == 0:
        return NO_ABILITY
    if cell & IDLE != 0:
        return FRESHLY_SPAWNED if cell & SPAWNED != 0 else IS_DONE
    if cell & TAPPED != 0:
        return ABILITY_USED
    if not beside(g, h, to):
        return NOT_ADJACENT
    wrong = bare(g, k, b, to)
    if wrong != LEGAL:
        return wrong
    b[MANA] -= 1
    if not solvent(g, s, k):
        return NO_MANA
    if g[ABILITY_ONCE] == 1:
        amend(b, h, cell | TAPPED)
    lay(b, kind, to)
    return LEGAL


def teleport(g: Ground, k: int, b: State, side: int, h: int, to: int) -> int:
    """A unit that began its turn on a teleporter, and has done nothing yet, is put on any empty hex."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    at = tiles_of(k) + TELEPORTERS_AT
    if not holds(g[at], g[at + 1], h):
        return NO_TELEPORTER
    if cell & (IDLE | MOVED | TAPPED) != 0 or used(cell) > 0:
        return HAS_ACTED
    if b[CELL + to] != 0:
        return OCCUPIED
    lo, hi = open_to(g, tiles_of(k), b, (cell & TYPE_MASK) - 1)
    if not holds(lo, hi, to):
        return BAD_TILE
    put(b, h, 0)
    put(b, to, cell | SPENT)
    return LEGAL


def rise(g: Ground, k: int, b: State, side: int, h: int) -> int:
    """Once a turn a free Zombie comes up on an empty spawner tile."""
    if b[RAISED] == 1:
        return SPAWNER_USED
    at = tiles_of(k) + SPAWNERS_AT
    if not holds(g[at], g[at + 1], h):
        return NO_SPAWNER_TILE
    if b[CELL + h] != 0:
        return OCCUPIED
    b[RAISED] = 1
    put(b, h, g[ZOMBIE] + 1 | side << SIDE_SHIFT | SPAWNED)
    return LEGAL


def mana_at_start(g: Ground, k: int, b: State, side: int) -> int:
    """The mana with which a side begins its turn on a board: its sorcery nodes, and what a necromancer brings."""
    at = tiles_of(k) + NODES_AT
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    mana = size(lo & g[at], hi & g[at + 1])
    while lo != 0 or hi != 0:
        h = first_hex(lo, hi)
        lo &= ~low_bit(h)
        hi &= ~high_bit(h)
        mana += trait(g, b[CELL + h], MANA_GIVEN)
    return mana


def begin_turn(g: Ground, s: State) -> None:
    """Mana of the side to move, and the free Zombies that a necromancer brings."""
    side = s[SIDE]
    for k in range(g[BOARDS]):
        b = s[board_of(k) : board_of(k) + BOARD_SIZE]
        b[MANA] = mana_at_start(g, k, b, side)
        lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h = first_hex(lo, hi)
            lo &= ~low_bit(h)
            hi &= ~high_bit(h)
            if trait(g, b[CELL + h], REINFORCES) == 1:
                stock(b, side, g[ZOMBIE], 1)
