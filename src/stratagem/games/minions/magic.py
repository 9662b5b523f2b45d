"""Spells, hands, decks, mana, and the tiles that act (section 12 of the rules).

A spell is cast on up to two hexes (or a terrain and a hex): `refused` says why it may not be, `cast` takes the card from the
hand, counts its mana and does it. What is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stratagem.games.minions import layout
from stratagem.games.minions.layout import Stream
from stratagem.games.minions.spells import Spell, spells
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, below

# spells by number: the order of the table
(FESTER, UNSUMMON, REPOSITION, SHIELD, STUMBLE, DISMEMBER, UNHOLY_MIGHT, PROTECTION, FREEZE_RAY, WEAKEN, LUMBERING_SPELL,
 SHACKLE, SPAWN_SPELL, RAISE_ZOMBIE, DOUBLE_CANTRIP, EARTHQUAKE_SPELL, FIRESTORM_SPELL, FLOOD_SPELL, WHIRLWIND_SPELL,
 NORMALIZE, TERRAFORM, CLEAVE, SUNDER, LIGHTNING_BOLT, DISPLACE, RISING_HORDE, BLINK_SPELL) = range(1, 28)  # fmt: skip


def column(value: Callable[[Spell], int]) -> Stream:
    """A table by number of the spell, from the table of spells."""
    return np.array([0, *map(value, spells())], np.int64)


EITHER, FRIEND, ENEMY, OWN_NECROMANCER = range(1, 5)  # whom a spell is cast on; 0: on no unit
_TARGETS = {
    "minion of either side": EITHER, "non-persistent minion of either side": EITHER, "friendly minion": FRIEND,
    "friendly minion and a hex": FRIEND, "enemy minion": ENEMY, "enemy minion and a hex": ENEMY,
    "friendly necromancer": OWN_NECROMANCER,
}  # fmt: skip
AIM = column(lambda spell: _TARGETS.get(spell.target, 0))
PUSHES = column(lambda spell: spell.shape == "pair")  # the target is put on an adjacent hex
_ARGUMENTS = column(lambda spell: {"": 0, "hex": 1}.get(spell.shape, 2))


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


def arguments(spell: int) -> int:
    """How many hexes (for Terraform a terrain and a hex) a spell is cast on."""
    return _ARGUMENTS[spell]


# ------------------------------------------------------------------------------------------------------------- hands


def place_in_hand(g: Ground, s: State, k: int, side: int, spell: int) -> int:
    """The place of the oldest card of a spell in a hand, or -1."""
    at = layout.hand_of(g, k, side)
    for i in range(s[at]):
        if s[at + 1 + i] == spell:
            return i
    return -1


def pull(s: State, at: int, n: int, place: int) -> int:
    """Take the card at a place out of a list of n, whose later ones move up."""
    spell = s[at + place]
    for i in range(at + place, at + n - 1):
        s[i] = s[i + 1]
    s[at + n - 1] = 0
    return spell


def add_to_hand(g: Ground, s: State, k: int, side: int, spell: int) -> None:
    at = layout.hand_of(g, k, side)
    s[at] += 1
    s[at + s[at]] = spell


def drop_from_hand(g: Ground, s: State, k: int, side: int, place: int) -> int:
    """The card at a place leaves a hand, and everybody sees it."""
    at = layout.hand_of(g, k, side)
    spell = pull(s, at + 1, s[at], place)
    s[at] -= 1
    s[layout.seen_at(g, side) + spell] += 1
    return spell


def credit(g: Ground, s: State, k: int) -> int:
    """The mana of a board and all that its hand would give when discarded."""
    mana = s[layout.board_of(k) + layout.MANA]
    if g[layout.SPELLS_ON] == 1:
        at = layout.hand_of(g, k, s[layout.SIDE])
        for i in range(s[at]):
            mana += mana_when_discarded(s[at + 1 + i])
    return mana


def affordable(g: Ground, s: State, k: int, spell: int) -> bool:
    """Whether a spell of the hand may be played: what is left of the hand still pays what the board then owes."""
    return credit(g, s, k) + mana_when_played(spell) - mana_when_discarded(spell) >= 0


def discard(g: Ground, s: State, k: int, spell: int) -> int:
    """Throw a card away for its mana."""
    if g[layout.SPELLS_ON] == 0:
        return layout.NO_SPELLS
    place = place_in_hand(g, s, k, s[layout.SIDE], spell)
    if place < 0:
        return layout.NOT_IN_HAND
    drop_from_hand(g, s, k, s[layout.SIDE], place)
    s[layout.board_of(k) + layout.MANA] += mana_when_discarded(spell)
    return layout.LEGAL


# ------------------------------------------------------------------------------------------------------------- decks


def metamagic(g: Ground, s: State) -> bool:
    """Whether the side to move has acquired Metamagic before this turn."""
    return layout.had(s, g[layout.METAMAGIC_AT])


def taken_in_all(g: Ground, s: State) -> int:
    n = 0
    for k in range(g[layout.BOARDS]):
        n += s[layout.taken_at(g, k)]
    return n


def leave_queue(g: Ground, s: State, place: int) -> int:
    """The card at a place of the known ones of the side to move leaves them."""
    at = layout.deck_of(g, s[layout.SIDE])
    spell = pull(s, at + layout.QUEUE, s[at + layout.KNOWN], place)
    s[at + layout.KNOWN] -= 1
    s[layout.DRAWN] -= 1
    return spell


def place_in_draw(g: Ground, s: State, spell: int) -> int:
    """The place of the first card of a spell among those drawn and not taken, or -1."""
    at = layout.deck_of(g, s[layout.SIDE]) + layout.QUEUE
    for i in range(s[layout.DRAWN]):
        if s[at + i] == spell:
            return i
    return -1


def give(g: Ground, s: State, k: int, spell: int) -> int:
    """A board takes one of the spells drawn into its hand."""
    if g[layout.SPELLS_ON] == 0:
        return layout.NO_SPELLS
    if place_in_draw(g, s, spell) < 0:
        return layout.NOT_DRAWN
    if s[layout.taken_at(g, k)] > 0 and not metamagic(g, s):
        return layout.BOARD_TOOK
    if taken_in_all(g, s) >= g[layout.BOARDS]:
        return layout.ALL_TAKEN
    if s[layout.hand_of(g, k, s[layout.SIDE])] >= g[layout.HAND_ROOM]:
        return layout.HAND_FULL
    add_to_hand(g, s, k, s[layout.SIDE], leave_queue(g, s, place_in_draw(g, s, spell)))
    s[layout.taken_at(g, k)] += 1
    return layout.LEGAL


def settle(g: Ground, s: State) -> None:
    """The end of a turn: debts of mana are paid by the oldest cards, boards that took no spell are given one."""
    side = s[layout.SIDE]
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        while b[layout.MANA] < 0 and s[layout.hand_of(g, k, side)] > 0:
            b[layout.MANA] += mana_when_discarded(drop_from_hand(g, s, k, side, 0))
    given = taken_in_all(g, s)
    for k in range(g[layout.BOARDS]):
        wanting = (
            s[layout.taken_at(g, k)] == 0
            and s[layout.DRAWN] > 0
            and s[layout.hand_of(g, k, side)] < g[layout.HAND_ROOM]
        )
        if s[layout.board_of(k) + layout.RESIGNED] == 1 and g[layout.RESIGNED_TAKES_NONE] == 1:
            wanting = False
        if wanting and (given < g[layout.BOARDS] or g[layout.GIFT_TO_ALL] == 1):
            add_to_hand(g, s, k, side, leave_queue(g, s, 0))
            given += 1
        s[layout.taken_at(g, k)] = 0
    while s[layout.DRAWN] > 0:  # they went to the techline, where their kind does not matter
        leave_queue(g, s, 0)


def due(g: Ground, s: State) -> int:
    """How many cards the side to move is to be shown before its turn: its draw, the next one, and some ahead."""
    draw = g[layout.BOARDS] + 1
    first = s[layout.SIDE] == 0 and s[layout.given_at(g, 0)] == 0  # Yellow in its first turn does not see its next draw
    return (draw if first else 2 * draw) + g[layout.AHEAD] - s[layout.deck_of(g, s[layout.SIDE]) + layout.KNOWN]


def cards_in(counts: Stream, at: int) -> int:
    """How many cards are counted in a table by number of the spell."""
    n = 0
    for spell in range(1, layout.SPELL_KINDS + 1):
        n += counts[at + spell]
    return n


def reveal(g: Ground, s: State, spell: int) -> int:
    """The next card of the deck of the side to move is this one; an exhausted deck is replaced by a fresh one."""
    side = s[layout.SIDE]
    cards = layout.unknown_at(g, side)
    if cards_in(s, cards) == 0:
        for kind in range(1, layout.SPELL_KINDS + 1):
            s[cards + kind] = g[layout.COPIES + kind]
    if spell < 1 or spell > layout.SPELL_KINDS or s[cards + spell] == 0:
        return layout.NO_SUCH_SPELL
    s[cards + spell] -= 1
    at = layout.deck_of(g, side)
    s[at + layout.QUEUE + s[at + layout.KNOWN]] = spell
    s[at + layout.KNOWN] += 1
    s[layout.given_at(g, side)] += 1
    return layout.LEGAL


def deal(g: Ground, s: State, cards: Stream, n: int) -> int:
    """Chance before a turn: the cards that the side to move comes to know, in order."""
    if g[layout.SPELLS_ON] == 0 or s[layout.DRAWN] > 0 or n != due(g, s):
        return layout.NOT_DRAWN
    for i in range(n):
        wrong = reveal(g, s, cards[i])
        if wrong != layout.LEGAL:
            return wrong
    s[layout.DRAWN] = g[layout.BOARDS] + 1
    return layout.LEGAL


def any_of(counts: Stream, at: int, r: Rng) -> int:
    """A random card of those counted in a table by number of the spell, which is not empty."""
    x = below(r, cards_in(counts, at))
    for spell in range(1, layout.SPELL_KINDS + 1):
        x -= counts[at + spell]
        if x < 0:
            return spell
    return 0


def random_deal(g: Ground, s: State, r: Rng, out: Stream) -> int:
    """Shuffle and deal: the cards into `out`, as far as it has room; returns how many there are."""
    n = due(g, s)
    side = s[layout.SIDE]
    for i in range(n):
        left = layout.unknown_at(g, side)
        card = any_of(s, left, r) if cards_in(s, left) > 0 else any_of(g, layout.COPIES, r)
        reveal(g, s, card)
        if i < out.size:
            out[i] = card
    s[layout.DRAWN] = g[layout.BOARDS] + 1
    return n


def hide(g: Ground, s: State, p: int) -> None:
    """Blank in place what player p cannot see: the other side's hands, its deck and what it knows of it."""
    for side in range(2):
        if side == p or g[layout.SPELLS_ON] == 0:
            continue
        at = layout.deck_of(g, side)
        for i in range(s[at + layout.KNOWN]):
            s[at + layout.QUEUE + i] = layout.UNKNOWN
        for spell in range(layout.KINDS):
            s[layout.unknown_at(g, side) + spell] = 0
        for k in range(g[layout.BOARDS]):
            hand = layout.hand_of(g, k, side)
            for i in range(s[hand]):
                s[hand + 1 + i] = layout.UNKNOWN


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """Draw anew in place what player p cannot see, from the cards of the other side's decks that were not yet shown.

    Of several decks begun the cards are mixed: a card kept since an earlier deck is taken to be as likely as one of this.
    """
    if g[layout.SPELLS_ON] == 0:
        return
    for side in range(2):
        if side != p:
            guess_side(g, s, side, r)


def guess_side(g: Ground, s: State, side: int, r: Rng) -> None:
    counts, whole = layout.unknown_at(g, side), cards_in(g, layout.COPIES)
    decks = (s[layout.given_at(g, side)] + whole - 1) // whole
    for spell in range(1, layout.SPELL_KINDS + 1):
        s[counts + spell] = max(decks * g[layout.COPIES + spell] - s[layout.seen_at(g, side) + spell], 0)
    at = layout.deck_of(g, side)
    for i in range(s[at + layout.KNOWN]):
        s[at + layout.QUEUE + i] = guessed_card(g, s, side, r)
    for k in range(g[layout.BOARDS]):
        hand = layout.hand_of(g, k, side)
        for i in range(s[hand]):
            s[hand + 1 + i] = guessed_card(g, s, side, r)
    # what is left over went to the techline unseen: first what one deck cannot hold
    rest = decks * whole - s[layout.given_at(g, side)]
    for spell in range(1, layout.SPELL_KINDS + 1):
        s[counts + spell] = min(s[counts + spell], g[layout.COPIES + spell])
    for _ in range(cards_in(s, counts) - rest):
        s[counts + any_of(s, counts, r)] -= 1


def guessed_card(g: Ground, s: State, side: int, r: Rng) -> int:
    counts = layout.unknown_at(g, side)
    if cards_in(s, counts) == 0:  # a position that was written down with cards from nowhere
        return any_of(g, layout.COPIES, r)
    spell = any_of(s, counts, r)
    s[counts + spell] -= 1
    return spell


# ----------------------------------------------------------------------------------------------- what spells ask for


def beside(g: Ground, h: int, to: int) -> bool:
    lo, hi = layout.within(g, h, 1)
    return h != to and layout.holds(lo, hi, to)


def room_for(g: Ground, tiles: int, b: State, at: int, to: int) -> int:
    """Whether the unit on a hex may be put on another, adjacent one."""
    if not beside(g, at, to):
        return layout.NOT_ADJACENT
    return layout.closed(g, tiles, b, (b[layout.CELL + at] & layout.TYPE_MASK) - 1, to)


def befriended(g: Ground, b: State, side: int, h: int) -> bool:
    """Whether a hex is next to a friendly unit that was not spawned this turn and is not done."""
    lo, hi = layout.within(g, h, 1)
    lo &= b[layout.UNITS + 2 * side]
    hi &= b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        if x != h and b[layout.CELL + x] & layout.IDLE == 0:
            return True
    return False


def striker(g: Ground, b: State, side: int, at: int) -> bool:
    """Whether a friendly minion has the unit on a hex in range and has attacked another enemy this turn."""
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        cell = b[layout.CELL + h]
        if layout.struck(cell) != 0 and layout.struck(cell) != at + 1 and layout.unit(g, cell, layout.NECROMANCER) == 0:
            near_lo, near_hi = layout.within(g, h, layout.reaching(g, cell))
            if layout.holds(near_lo, near_hi, at):
                return True
    return False


def lay(b: State, kind: int, h: int) -> None:
    """Movable terrain of a kind now lies on a hex; -1: nowhere."""
    b[layout.LAND] = (b[layout.LAND] & ~(layout.LAND_MASK << (layout.LAND_BITS * kind))) | (
        (h + 1) << (layout.LAND_BITS * kind)
    )


def land_on(b: State, h: int) -> int:
    """The kind of the movable terrain on a hex, or -1."""
    for kind in range(4):
        if layout.land_at(b, kind) == h:
            return kind
    return -1


def bare(g: Ground, k: int, b: State, h: int) -> int:
    """Whether a hex is empty ground, for movable terrain to come to."""
    if b[layout.CELL + h] != 0:
        return layout.OCCUPIED
    at = layout.tiles_of(k) + layout.GROUND_AT
    return layout.LEGAL if layout.holds(g[at], g[at + 1], h) and land_on(b, h) < 0 else layout.NOT_GROUND


# -------------------------------------------------------------------------------------------------------- the spells
#
# Spells come in families, each with one kernel that says why it may not be cast so, which changes nothing, and one that
# does it; tables say in what the spells of a family differ. That is also what makes them quick to compile.


def row_of(**values: int) -> Stream:
    """A table by number of the spell."""
    row = np.zeros(layout.SPELL_KINDS + 1, np.int64)
    for name, value in values.items():
        row[globals()[name]] = value
    return row


HARM = row_of(FESTER=1, DISMEMBER=3, CLEAVE=1, SUNDER=2, LIGHTNING_BOLT=1)  # damage
WOUNDED = row_of(FESTER=1, DISMEMBER=1, UNSUMMON=1, STUMBLE=1)  # the target has taken damage this turn
BY_STRIKER = row_of(CLEAVE=1, SUNDER=1)  # a friendly minion in range of the target has attacked another enemy
MODIFIER = row_of(
    SHIELD=layout.SHIELDED,
    FREEZE_RAY=layout.FROZEN,
    LUMBERING_SPELL=layout.SLOWED,
    SHACKLE=layout.SHACKLED,
    SPAWN_SPELL=layout.SUPPORTING,
    UNHOLY_MIGHT=layout.MIGHTY,
)  # a bit of the target's cell
TERRAIN = row_of(
    EARTHQUAKE_SPELL=layout.EARTHQUAKE,
    FIRESTORM_SPELL=layout.FIRESTORM,
    FLOOD_SPELL=layout.FLOOD,
    WHIRLWIND_SPELL=layout.WHIRLWIND,
)


def moves_land(spell: int) -> bool:
    return EARTHQUAKE_SPELL <= spell <= WHIRLWIND_SPELL or spell == TERRAFORM


def refused_by_unit(g: Ground, k: int, b: State, side: int, spell: int, x: int, y: int) -> int:
    """Why a spell on a unit may not be cast on the one on hex x (to hex y, if it puts it there)."""
    cell, aim = b[layout.CELL + x], AIM[spell]
    if cell == 0:
        return layout.NO_TARGET
    if (layout.unit(g, cell, layout.NECROMANCER) == 1) != (aim == OWN_NECROMANCER):
        return layout.NOT_NECROMANCER if aim == OWN_NECROMANCER else layout.NO_MINION
    if aim == ENEMY and layout.owner(cell) == side:
        return layout.ENEMY_NEEDED
    if (aim in (FRIEND, OWN_NECROMANCER)) and layout.owner(cell) != side:
        return layout.FRIEND_NEEDED
    if spell == UNSUMMON and layout.unit(g, cell, layout.PERSISTENT) == 1:
        return layout.IS_PERSISTENT
    if WOUNDED[spell] == 1 and layout.hurt(cell) == 0:
        return layout.UNHURT
    if BY_STRIKER[spell] == 1 and not striker(g, b, side, x):
        return layout.NO_STRIKER
    if spell == SPAWN_SPELL and cell & layout.IDLE != 0:
        return layout.FRESHLY_SPAWNED if cell & layout.SPAWNED != 0 else layout.IS_DONE
    return room_for(g, layout.tiles_of(k), b, x, y) if PUSHES[spell] == 1 else layout.LEGAL


def refused_by_hex(g: Ground, k: int, b: State, side: int, spell: int, h: int) -> int:
    """Why a spell on a hex may not be cast there: Raise Zombie, and those that move or remove terrain."""
    if spell == NORMALIZE:
        return layout.LEGAL if land_on(b, h) >= 0 else layout.NO_LAND
    if spell == RAISE_ZOMBIE:
        wrong = layout.closed(g, layout.tiles_of(k), b, g[layout.ZOMBIE], h)
    else:
        wrong = bare(g, k, b, h)
    if wrong != layout.LEGAL:
        return wrong
    return layout.LEGAL if befriended(g, b, side, h) else layout.NO_FRIEND_NEAR


def refused(g: Ground, k: int, b: State, side: int, spell: int, x: int, y: int) -> int:
    """Why a spell may not be cast so, hand and mana aside; x and y as for `cast`."""
    if AIM[spell] != 0:
        return refused_by_unit(g, k, b, side, spell, x, y)
    if arguments(spell) == 0:
        return layout.LEGAL
    return refused_by_hex(g, k, b, side, spell, y if spell == TERRAFORM else x)


def befall(g: Ground, s: State, b: State, spell: int, x: int, y: int) -> None:
    """What a spell does to the unit on a hex."""
    cell, harmful = b[layout.CELL + x], HARM[spell]
    if spell == BLINK_SPELL and layout.unit(g, cell, layout.PERSISTENT) == 1 and g[layout.BLINK_AS_MEANT] == 0:
        harmful = 1
    if harmful > 0:  # it kills like an attack
        s[layout.MONEY + layout.owner(cell)] += layout.harm(g, b, x, harmful)
    elif spell in (UNSUMMON, BLINK_SPELL):
        layout.withdraw(g, b, x)
    elif PUSHES[spell] == 1:
        layout.put(b, x, 0)
        layout.put(b, y, cell | layout.SPENT if spell == REPOSITION else cell)
        layout.follow(b, 1 - layout.owner(cell), x, y + 1)  # who has attacked it remembers
    elif spell in (SHIELD, PROTECTION):
        more = layout.defense(g, cell) if spell == SHIELD else 2
        bonus = min(((cell >> layout.BONUS_SHIFT) & layout.BONUS_MASK) + more, layout.BONUS_MASK)
        layout.amend(
            b, x, (cell & ~(layout.BONUS_MASK << layout.BONUS_SHIFT)) | (bonus << layout.BONUS_SHIFT) | MODIFIER[spell]
        )
    elif spell == WEAKEN:
        if layout.weakened(cell) < layout.WEAK_MASK:
            layout.amend(b, x, cell + (1 << layout.WEAK_SHIFT))
    else:
        layout.amend(b, x, cell | MODIFIER[spell])


def happen(g: Ground, k: int, b: State, side: int, spell: int, x: int, y: int) -> None:
    """What a spell does that is not cast on a unit."""
    if spell == RAISE_ZOMBIE:
        layout.put(b, x, g[layout.ZOMBIE] + 1 | side << layout.SIDE_SHIFT | layout.SPAWNED)
    elif spell == NORMALIZE:
        lay(b, land_on(b, x), -1)
    elif spell == TERRAFORM:
        lay(b, x, y)
    elif moves_land(spell):
        lay(b, TERRAIN[spell], x)
    elif spell == RISING_HORDE:
        lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            layout.amend(b, h, b[layout.CELL + h] | layout.SUPPORTING)


def cast(g: Ground, s: State, k: int, spell: int, x: int, y: int) -> int:
    """Play a spell of a board's hand; x and y are hexes, or for Terraform a terrain and a hex."""
    if g[layout.SPELLS_ON] == 0:
        return layout.NO_SPELLS
    if spell < 1 or spell > layout.SPELL_KINDS:
        return layout.NO_SUCH_SPELL
    side = s[layout.SIDE]
    place = place_in_hand(g, s, k, side, spell)
    if place < 0:
        return layout.NOT_IN_HAND
    if not affordable(g, s, k, spell):
        return layout.NO_MANA
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    wrong = refused(g, k, b, side, spell, x, y)
    if wrong != layout.LEGAL:
        return wrong
    drop_from_hand(g, s, k, side, place)
    b[layout.MANA] += mana_when_played(spell)
    if AIM[spell] != 0:
        befall(g, s, b, spell, x, y)
    else:
        happen(g, k, b, side, spell, x, y)
    return layout.LEGAL


# --------------------------------------------------------------------------------------------------- tiles that act


def may_use_ability(g: Ground, s: State, k: int, h: int, kind: int, to: int) -> int:
    """Why the unit on a hex may not move movable terrain of a kind to another, for one mana."""
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    wrong, cell = layout.barred(b, s[layout.SIDE], h), b[layout.CELL + h]
    if wrong != layout.LEGAL:
        return wrong
    if (layout.trait(g, cell, layout.ABILITY_KINDS) >> kind) & 1 == 0:
        return layout.NO_ABILITY
    if cell & layout.TAPPED != 0:
        return layout.ABILITY_USED
    if not beside(g, h, to):
        return layout.NOT_ADJACENT
    wrong = bare(g, k, b, to)
    if wrong != layout.LEGAL:
        return wrong
    return layout.LEGAL if credit(g, s, k) >= 1 else layout.NO_MANA


def use_ability(g: Ground, s: State, k: int, h: int, kind: int, to: int) -> int:
    """A unit moves movable terrain to empty ground next to it, for one mana."""
    wrong = may_use_ability(g, s, k, h, kind, to)
    if wrong == layout.LEGAL:
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        b[layout.MANA] -= 1
        if g[layout.ABILITY_ONCE] == 1:
            layout.amend(b, h, b[layout.CELL + h] | layout.TAPPED)
        lay(b, kind, to)
    return wrong


def may_teleport(g: Ground, k: int, b: State, side: int, h: int, to: int) -> int:
    """Why the unit on a hex may not be put on another by a teleporter."""
    cell = b[layout.CELL + h]
    if cell == 0:
        return layout.NO_UNIT
    if layout.owner(cell) != side:
        return layout.NOT_YOURS
    at = layout.tiles_of(k) + layout.TELEPORTERS_AT
    if not layout.holds(g[at], g[at + 1], h):
        return layout.NO_TELEPORTER
    if cell & (layout.IDLE | layout.MOVED | layout.TAPPED) != 0 or layout.used(cell) > 0:
        return layout.HAS_ACTED
    return layout.closed(g, layout.tiles_of(k), b, (cell & layout.TYPE_MASK) - 1, to)


def teleport(g: Ground, k: int, b: State, side: int, h: int, to: int) -> int:
    """A unit that began its turn on a teleporter, and has done nothing yet, is put on any empty hex."""
    wrong = may_teleport(g, k, b, side, h, to)
    if wrong == layout.LEGAL:
        cell = b[layout.CELL + h]
        layout.put(b, h, 0)
        layout.put(b, to, cell | layout.SPENT)
    return wrong


def may_rise(g: Ground, k: int, b: State, h: int) -> int:
    """Why no Zombie may come up on a hex."""
    if b[layout.RAISED] == 1:
        return layout.SPAWNER_USED
    at = layout.tiles_of(k) + layout.SPAWNERS_AT
    if not layout.holds(g[at], g[at + 1], h):
        return layout.NO_SPAWNER_TILE
    return layout.LEGAL if b[layout.CELL + h] == 0 else layout.OCCUPIED


def rise(g: Ground, k: int, b: State, side: int, h: int) -> int:
    """Once a turn a free Zombie comes up on an empty spawner tile."""
    wrong = may_rise(g, k, b, h)
    if wrong == layout.LEGAL:
        b[layout.RAISED] = 1
        layout.put(b, h, g[layout.ZOMBIE] + 1 | side << layout.SIDE_SHIFT | layout.SPAWNED)
    return wrong


def mana_at_start(g: Ground, k: int, b: State, side: int) -> int:
    """The mana with which a side begins its turn on a board: its sorcery nodes, and what a necromancer brings."""
    at = layout.tiles_of(k) + layout.NODES_AT
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    mana = layout.size(lo & g[at], hi & g[at + 1])
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        mana += layout.trait(g, b[layout.CELL + h], layout.MANA_GIVEN)
    return mana


def begin_turn(g: Ground, s: State) -> None:
    """Mana of the side to move, and the free Zombies that a necromancer brings."""
    side = s[layout.SIDE]
    for k in range(g[layout.BOARDS]):
        b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
        b[layout.MANA] = mana_at_start(g, k, b, side)
        lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
        while lo != 0 or hi != 0:
            h, lo, hi = layout.take(lo, hi)
            if layout.trait(g, b[layout.CELL + h], layout.REINFORCES) == 1:
                layout.stock(b, side, g[layout.ZOMBIE], 1)
