"""The rules of Minions on flat arrays: the phases of a board, the techline, whole turns.

Kernels that act return 0, or the number of what forbids the action (`turn.REASONS` has the words). The layout of the
arrays and what can be read from a board are in `layout`; spells, hands and decks are in `magic`.
"""

from __future__ import annotations

from stratagem.bits import lowest
from stratagem.games.minions import layout, magic
from stratagem.games.minions.layout import MAGIC, Stream
from stratagem.kernel import Ground, State

# ------------------------------------------------------------------------------------------------- the attack phase


def mover(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Whether the unit on h may go to another hex, whoever of its own side stands there now."""
    wrong, cell = layout.barred(b, side, h), b[layout.CELL + h]
    if wrong != layout.LEGAL:
        return wrong
    if cell & layout.MOVED != 0 and not (MAGIC and g[layout.SPLIT_MOVES] == 1 and layout.speed(g, cell) > 0):
        return layout.HAS_MOVED
    if layout.used(cell) > 0:
        return layout.HAS_ATTACKED
    if h == to:
        return layout.SAME_HEX
    foe_lo, foe_hi = layout.foes(b, side)
    if layout.holds(foe_lo, foe_hi, to):
        return layout.ENEMY_THERE
    lo, hi = layout.reach(g, tiles, b, h, foe_lo, foe_hi)
    if layout.holds(lo, hi, to) or (g[layout.LENIENT_PATHS] == 1 and layout.strays(g, tiles, b, h, to)):
        return layout.LEGAL
    return layout.UNREACHABLE


def moved_cell(g: Ground, tiles: int, b: State, h: int, to: int) -> int:
    """The cell of the unit on h when it has gone to another hex."""
    cell = b[layout.CELL + h] | layout.MOVED
    if MAGIC and g[layout.SPLIT_MOVES] == 1:
        cell += steps_to(g, tiles, b, h, to) << layout.STEPS_SHIFT
    return cell


def steps_to(g: Ground, tiles: int, b: State, h: int, to: int) -> int:
    """How many steps the unit on h takes to another hex, which it can reach."""
    foe_lo, foe_hi = layout.foes(b, layout.owner(b[layout.CELL + h]))
    lo, hi = layout.low_bit(h), layout.high_bit(h)
    taken, most = 0, layout.speed(g, b[layout.CELL + h])
    while taken < most and not layout.holds(lo, hi, to):
        taken += 1
        lo, hi = layout.reach_in(g, tiles, b, h, foe_lo, foe_hi, taken)
    return taken


def step(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Move one unit into an empty hex."""
    wrong = mover(g, tiles, b, side, h, to)
    if wrong != layout.LEGAL:
        return wrong
    if b[layout.CELL + to] != 0:
        return layout.FRIEND_THERE
    cell = moved_cell(g, tiles, b, h, to)
    layout.put(b, h, 0)
    layout.put(b, to, cell)
    return layout.LEGAL


def cycle(g: Ground, tiles: int, b: State, side: int, hexes: Stream, n: int) -> int:
    """The unit on each hex goes to the next, and the last one to the first, all at once."""
    if n < 2 and (g[layout.STAY_CYCLES] == 0 or n < 1):
        return layout.SHORT_CYCLE
    for i in range(n):
        for j in range(i):
            if hexes[i] == hexes[j]:
                return layout.REPEATED_HEX
    for i in range(n):
        wrong = mover(g, tiles, b, side, hexes[i], hexes[(i + 1) % n])
        if wrong != layout.LEGAL and not (wrong == layout.SAME_HEX and n == 1):
            return wrong
    last = moved_cell(g, tiles, b, hexes[n - 1], hexes[0])
    for i in range(n - 1, 0, -1):
        layout.put(b, hexes[i], moved_cell(g, tiles, b, hexes[i - 1], hexes[i]))
    layout.put(b, hexes[0], last)
    return layout.LEGAL


def attack(g: Ground, b: State, side: int, h: int, at: int) -> int:
    """One attack of the unit on h against the unit on another hex; kills and unsummons take effect at once."""
    wrong, cell = layout.barred(b, side, h), b[layout.CELL + h]
    if wrong != layout.LEGAL:
        return wrong
    target = b[layout.CELL + at]
    if target == 0:
        return layout.NO_TARGET
    if layout.owner(target) == side:
        return layout.OWN_TARGET
    near_lo, near_hi = layout.within(g, h, layout.reaching(g, cell))
    if not layout.holds(near_lo, near_hi, at):
        return layout.OUT_OF_RANGE
    if cell & layout.MOVED != 0 and layout.lumbers(g, cell):
        return layout.LUMBERS
    if layout.used(cell) >= layout.attacks(g, cell):
        return layout.NO_ATTACKS_LEFT if layout.attacks(g, cell) > 0 else layout.IS_FROZEN
    kind = layout.unit(g, cell, layout.KIND)
    if kind == layout.DEATHTOUCH and layout.unit(g, target, layout.NECROMANCER) == 1:
        return layout.NECROMANCER_IMMUNE
    layout.amend(b, h, cell + (1 << layout.USED_SHIFT))
    if MAGIC and g[layout.SPELLS_ON] == 1:
        layout.strike(b, h, at)
    if kind == layout.UNSUMMONS and layout.unit(g, target, layout.PERSISTENT) == 0:
        layout.withdraw(g, b, at)
    elif kind == layout.DEATHTOUCH:
        b[layout.OWED] += layout.slay(g, b, at)
    else:
        b[layout.OWED] += layout.harm(g, b, at, layout.damage(g, cell) if kind == layout.DEALS_DAMAGE else 1)
    return layout.LEGAL


def blink(g: Ground, b: State, side: int, h: int) -> int:
    """Return one's own unit to the reinforcements."""
    cell = b[layout.CELL + h]
    if cell == 0:
        return layout.NO_UNIT
    if layout.owner(cell) != side:
        return layout.NOT_YOURS
    if layout.unit(g, cell, layout.BLINK) == 0:
        return layout.NO_BLINK
    layout.withdraw(g, b, h)
    return layout.LEGAL


# ---------------------------------------------------------------------------------------------- setup and spawn phase


def start_hex(side: int) -> int:
    return 22 if side == 0 else 77


def advanced(g: Ground, t: int) -> bool:
    """Whether a type is an advanced necromancer of these rules."""
    necromancer = g[layout.UNIT + t * layout.COLUMNS + layout.NECROMANCER] == 1 and t != g[layout.BASIC]
    return necromancer and g[layout.TRAIT + t * layout.TRAITS + layout.ABSENT] == 0


def necromancer_for(g: Ground, s: State, t: int) -> int:
    """Whether the side to move may choose a necromancer at a setup."""
    if g[layout.ADVANCED_NECROMANCERS] == 0:
        return layout.LEGAL if t == g[layout.BASIC] else layout.NOT_BASIC
    used = s[layout.USED_NECROMANCERS + s[layout.SIDE]]
    if t == g[layout.BASIC]:
        for other in range(layout.TYPES):
            if advanced(g, other) and (used >> other) & 1 == 0:
                return layout.NOT_ADVANCED
        return layout.LEGAL
    if not advanced(g, t):
        return layout.NOT_ADVANCED
    return layout.LEGAL if (used >> t) & 1 == 0 else layout.NECROMANCER_USED


def dearest(g: Ground, b: State, side: int) -> int:
    """The dearest type of a zone, the later of equals; -1 if it is empty."""
    best = -1
    for t in range(layout.TYPES):
        price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
        if b[layout.ZONE + side * layout.TYPES + t] > 0 and (
            best < 0 or price >= g[layout.UNIT + best * layout.COLUMNS + layout.COST]
        ):
            best = t
    return best


def set_up(g: Ground, s: State, b: State, necromancer: int, keep: int) -> int:
    """The mandatory setup after a reset: a necromancer, one unit of the zone to keep (-1: none named), a free unit."""
    side = s[layout.SIDE]
    wrong = necromancer_for(g, s, necromancer)
    if wrong != layout.LEGAL:
        return wrong
    if keep < 0 and g[layout.KEEP_DEAREST] == 1:
        keep = dearest(g, b, side)
    kinds = 0
    for t in range(layout.TYPES):
        kinds += b[layout.ZONE + side * layout.TYPES + t] > 0
    if keep < 0 and kinds > 0 and g[layout.KEEP_ALL] == 0:
        return layout.MUST_KEEP
    if keep >= 0 and b[layout.ZONE + side * layout.TYPES + keep] == 0:
        return layout.NOT_IN_ZONE
    # a side has one necromancer: should a written position have it elsewhere, it goes
    for h in range(100):
        cell = b[layout.CELL + h]
        if cell != 0 and layout.owner(cell) == side and layout.unit(g, cell, layout.NECROMANCER) == 1:
            layout.put(b, h, 0)
    layout.put(b, start_hex(side), necromancer + 1 | side << layout.SIDE_SHIFT)
    if necromancer != g[layout.BASIC]:
        s[layout.USED_NECROMANCERS + side] |= 1 << necromancer
    if keep >= 0:
        for t in range(layout.TYPES):
            layout.stock(b, side, t, (t == keep) * 1 - b[layout.ZONE + side * layout.TYPES + t])
    layout.stock(b, side, g[layout.SETUP_UNIT], 1)
    return layout.LEGAL


def spawn_places(g: Ground, b: State, side: int) -> tuple[int, int]:
    """The empty hexes next to a friendly unit that supports spawning."""
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    near_lo, near_hi = 0, 0
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if layout.supports(g, b[layout.CELL + h]):
            more_lo, more_hi = layout.within(g, h, 1)
            near_lo |= more_lo
            near_hi |= more_hi
    return layout.vacant(b, near_lo, near_hi)


def places_for(g: Ground, tiles: int, b: State, side: int, t: int) -> tuple[int, int]:
    """The hexes on which a unit of a type may be spawned."""
    lo, hi = spawn_places(g, b, side)
    open_lo, open_hi = layout.open_to(g, tiles, b, t)
    return lo & open_lo, hi & open_hi


def supported(g: Ground, b: State, side: int, h: int) -> bool:
    """Whether a hex is next to a friendly unit that supports spawning."""
    lo, hi = layout.within(g, h, 1)
    lo &= b[layout.UNITS + 2 * side]
    hi &= b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        x, lo, hi = layout.take(lo, hi)
        if layout.supports(g, b[layout.CELL + x]):
            return True
    return False


def spawn(g: Ground, tiles: int, b: State, side: int, t: int, h: int) -> int:
    """Put a unit of the reinforcements on the board."""
    if b[layout.ZONE + side * layout.TYPES + t] == 0:
        return layout.NOT_IN_ZONE
    wrong = layout.closed(g, tiles, b, t, h)
    if wrong != layout.LEGAL:
        return wrong
    if not supported(g, b, side, h):
        return layout.NO_SPAWNER
    layout.stock(b, side, t, -1)
    layout.put(b, h, t + 1 | side << layout.SIDE_SHIFT | layout.SPAWNED)
    return layout.LEGAL


def for_sale(g: Ground, s: State, side: int, t: int) -> int:
    """Whether a side may buy a type now, money aside."""
    if g[layout.UNIT + t * layout.COLUMNS + layout.PRICED] == 0:
        return layout.NOT_FOR_SALE
    if t == g[layout.ZOMBIE]:
        return layout.LEGAL
    for c in range(layout.CARDS):
        if g[layout.CARD_UNIT + c] == t:
            fresh = (s[layout.FRESH] >> c) & 1 == 1 and g[layout.BUY_FRESH] == 0
            acquired = s[layout.CARD + side * layout.CARDS + c] == layout.ACQUIRED
            return layout.LEGAL if acquired and not fresh else layout.NOT_ACQUIRED
    return layout.NOT_FOR_SALE


def affordable(g: Ground, s: State, t: int, money: int) -> bool:
    """Whether the side to move may buy a type for so much money."""
    price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
    return price <= money and for_sale(g, s, s[layout.SIDE], t) == layout.LEGAL


def buy(g: Ground, s: State, b: State, t: int) -> int:
    """Pay for a unit, which goes to the reinforcements."""
    wrong = for_sale(g, s, s[layout.SIDE], t)
    if wrong != layout.LEGAL:
        return wrong
    price = g[layout.UNIT + t * layout.COLUMNS + layout.COST]
    if price > s[layout.MONEY + s[layout.SIDE]]:
        return layout.NO_MONEY
    s[layout.MONEY + s[layout.SIDE]] -= price
    layout.stock(b, s[layout.SIDE], t, 1)
    return layout.LEGAL


# ----------------------------------------------------------------------------------------------------- the techline


def march(g: Ground, s: State) -> int:
    """A spell on the first card on which the side has none."""
    at = layout.CARD + s[layout.SIDE] * layout.CARDS
    for c in range(layout.CARDS):
        if s[at + c] == layout.LOCKED:
            s[at + c] = layout.UNLOCKED
            return layout.LEGAL
    return layout.END_OF_LINE


def acquire(g: Ground, s: State, c: int) -> int:
    """A second spell on a card."""
    if c >= layout.CARDS:
        return layout.NO_SUCH_CARD
    side = s[layout.SIDE]
    mine, theirs = s[layout.CARD + side * layout.CARDS + c], s[layout.CARD + (1 - side) * layout.CARDS + c]
    if mine == layout.LOCKED:
        return layout.CARD_LOCKED
    if mine == layout.ACQUIRED:
        return layout.LEGAL if g[layout.ACQUIRE_OWNED] == 1 else layout.CARD_OWNED
    if theirs == layout.ACQUIRED and c != g[layout.COPYCAT_AT]:
        now = s[layout.CARD + side * layout.CARDS + g[layout.COPYCAT_AT]] == layout.ACQUIRED
        if not layout.had(s, g[layout.COPYCAT_AT]) and not (now and g[layout.COPYCAT_AT_ONCE] == 1):
            return layout.CARD_TAKEN
    s[layout.CARD + side * layout.CARDS + c] = layout.ACQUIRED
    s[layout.FRESH] |= 1 << c
    return layout.LEGAL


def place_spell(g: Ground, s: State, c: int) -> int:
    """One spell on card c, or on the next one (-1). The first of a turn is free, unless it was sold; the others are paid
    for, and each draws a card to choose from."""
    if s[layout.SPELLS] > 0 or s[layout.SOLD] == 1:
        if s[layout.MONEY + s[layout.SIDE]] < g[layout.SPELL_PRICE]:
            return layout.NO_MONEY
        s[layout.MONEY + s[layout.SIDE]] -= g[layout.SPELL_PRICE]
        if MAGIC and g[layout.SPELLS_ON] == 1:
            if s[layout.DRAWN] >= s[layout.deck_of(g, s[layout.SIDE]) + layout.KNOWN]:
                return layout.FEW_CARDS
            s[layout.DRAWN] += 1
    s[layout.SPELLS] += 1
    return march(g, s) if c < 0 else acquire(g, s, c)


def tech(g: Ground, s: State, marched: int, cards: Stream, n: int) -> int:
    """The general's turn: cards marched, then cards acquired."""
    if s[layout.TECHED] == 1:  # a turn that goes on from its middle brings an empty part
        return layout.LEGAL if marched + n == 0 else layout.TECH_DONE
    s[layout.TECHED] = 1
    for i in range(marched + n):
        c = -1 if i < marched else cards[i - marched]
        if i >= marched and c < 0:
            return layout.NO_SUCH_CARD
        wrong = place_spell(g, s, c)
        if wrong != layout.LEGAL:
            return wrong
    return layout.LEGAL


def may_sell(g: Ground, s: State) -> int:
    """Why the free spell may not be given up."""
    if not layout.had(s, g[layout.THAUMATURGY_AT]):
        return layout.NO_THAUMATURGY
    return layout.SPELL_USED if s[layout.SOLD] == 1 or s[layout.SPELLS] > 0 else layout.LEGAL


def sell(g: Ground, s: State) -> int:
    """Thaumaturgy: give up the free spell, unused, for a dollar a board."""
    wrong = may_sell(g, s)
    if wrong == layout.LEGAL:
        s[layout.SOLD] = 1
        s[layout.MONEY + s[layout.SIDE]] += g[layout.BOARDS]
    return wrong


# ------------------------------------------------------------------------------------------------------- whole turns


def spawns_now(b: State) -> bool:
    """Whether units may be placed on a board this turn."""
    return b[layout.MODE] == layout.NORMAL or b[layout.MODE] == layout.RESET_2


def spawn_phase(g: Ground, b: State) -> bool:
    """Whether a board has a spawn phase this turn, for all but spawning from reinforcements."""
    return spawns_now(b) or g[layout.OPEN_SPAWN_PHASE] == 1


def phase_for(g: Ground, b: State, kind: int) -> int:
    """Whether a board is in a phase in which an action of this kind may come; of spells and tiles more is asked."""
    if b[layout.RESIGNED] == 1:
        return layout.HAS_RESIGNED
    if b[layout.PHASE] == layout.DONE:
        return layout.WRONG_PHASE
    if b[layout.MODE] >= layout.RESET_1:
        if b[layout.MODE] == layout.RESET_0:
            return layout.MUST_PASS
        if kind != layout.RESIGN and (b[layout.PHASE] == layout.UNTOUCHED) != (kind == layout.SETUP):
            return layout.SETUP_DONE if kind == layout.SETUP else layout.NEEDS_SETUP
    elif kind == layout.SETUP:
        return layout.NO_SETUP
    if kind == layout.RESIGN:
        return layout.LEGAL if b[layout.PHASE] == layout.UNTOUCHED else layout.NOT_ALONE
    if kind in (layout.BUY, layout.SPAWNS):
        if spawns_now(b):
            return layout.LEGAL
        if g[layout.OPEN_SPAWN_PHASE] == 0:
            return layout.NO_SPAWN_PHASE
        return layout.LEGAL if kind == layout.BUY else layout.NO_SPAWNING_YET
    return layout.LEGAL if b[layout.PHASE] != layout.SPAWNING or kind >= layout.CAST else layout.WRONG_PHASE


def late(kind: int, first: int) -> bool:
    """Whether an action, of which the first argument is given, comes in the spawn phase only."""
    if kind == layout.CAST:
        return magic.in_spawn_phase_only(first)
    return kind in (layout.BUY, layout.SPAWNS, layout.ABILITY, layout.RISE)


def phase_for_magic(g: Ground, b: State, kind: int, spell: int) -> int:
    """The same for actions of spells and tiles."""
    if late(kind, spell):
        return layout.LEGAL if spawn_phase(g, b) else layout.NO_SPAWN_PHASE
    if kind in (layout.CAST, layout.DISCARD) or (kind == layout.TELEPORT and g[layout.TELEPORT_LATE] == 1):
        return layout.LEGAL
    return layout.LEGAL if b[layout.PHASE] != layout.SPAWNING else layout.WRONG_PHASE


def act(g: Ground, s: State, a: Stream) -> int:
    """One action; on an illegal one the state is left as far as it came, and must be thrown away."""
    if s[layout.WINNER] >= 0:
        return layout.GAME_ENDED
    if MAGIC and g[layout.SPELLS_ON] == 1 and s[layout.DRAWN] == 0:
        return layout.AWAITS_DEAL
    kind, k, n = a[0], a[1], a[2]
    if kind == layout.TECH:
        return tech(g, s, k, a[3:], n)
    if MAGIC and kind == layout.SELL:
        return sell(g, s)
    if k < 0 or k >= g[layout.BOARDS]:
        return layout.NO_SUCH_BOARD
    if MAGIC and kind == layout.GIVE:
        return magic.give(g, s, k, a[3])
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    wrong = phase_for(g, b, kind)
    if wrong != layout.LEGAL:
        return wrong
    if kind >= layout.CAST:
        if MAGIC:
            return act_by_magic(g, s, k, a)
        return layout.NO_SPELLS
    if kind == layout.RESIGN:
        b[layout.RESIGNED] = 1
        return layout.LEGAL
    if kind == layout.SETUP:
        b[layout.PHASE] = layout.SET_UP
        return set_up(g, s, b, a[3], a[4])
    if kind == layout.BUY:
        b[layout.PHASE] = layout.SPAWNING
        return buy(g, s, b, a[3])
    side = s[layout.SIDE]
    tiles = layout.tiles_of(k)
    if kind == layout.SPAWNS:
        b[layout.PHASE] = layout.SPAWNING
        return spawn(g, tiles, b, side, a[3], a[4])
    b[layout.PHASE] = layout.ATTACKING
    if kind == layout.MOVE:
        return step(g, tiles, b, side, a[3], a[4])
    if kind == layout.CYCLE:
        return cycle(g, tiles, b, side, a[3:], n)
    if kind == layout.BLINKING:
        return blink(g, b, side, a[3])
    wrong = attack(g, b, side, a[3], a[4])
    s[layout.MONEY + 1 - side] += b[layout.OWED]
    b[layout.OWED] = 0
    return wrong


def act_by_magic(g: Ground, s: State, k: int, a: Stream) -> int:
    """An action of spells or tiles on a board whose phase allows it; an illegal one changes nothing."""
    kind, n = a[0], a[2]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    wrong = phase_for_magic(g, b, kind, a[3])
    if wrong != layout.LEGAL:
        return wrong
    if kind == layout.CAST:
        wrong = magic.cast(g, s, k, a[3], a[4] if n > 1 else 0, a[5] if n > 2 else 0)
    elif kind == layout.DISCARD:
        wrong = magic.discard(g, s, k, a[3])
    elif kind == layout.ABILITY:
        wrong = magic.use_ability(g, s, k, a[3], a[4], a[5])
    elif kind == layout.TELEPORT:
        wrong = magic.teleport(g, k, b, s[layout.SIDE], a[3], a[4])
    else:
        wrong = magic.rise(g, k, b, s[layout.SIDE], a[3])
    if wrong == layout.LEGAL:
        b[layout.PHASE] = (
            layout.SPAWNING if late(kind, a[3]) or b[layout.PHASE] == layout.SPAWNING else layout.ATTACKING
        )
    return wrong


def income(g: Ground, k: int, b: State, side: int) -> int:
    """What a board pays a side at the end of its turn: graveyards held, a base, and one for a soul."""
    paid = g[layout.INCOME] + graveyards(g, k, b, side)
    lo, hi = b[layout.UNITS + 2 * side], b[layout.UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        paid += layout.unit(g, b[layout.CELL + h], layout.SOUL)
    return paid


def graveyards(g: Ground, k: int, b: State, side: int) -> int:
    """How many graveyards a side holds."""
    tiles = layout.tiles_of(k)
    return layout.size(b[layout.UNITS + 2 * side] & g[tiles], b[layout.UNITS + 2 * side + 1] & g[tiles + 1])


def refresh(b: State, side: int) -> None:
    """Wipe damage and what units have done this turn, and the spells on them whose time is over: `side` has moved.

    Spells on a unit last to the end of the turn of their caster's opponent, so that whose they are says how long.
    """
    for who in range(2):
        kept = layout.STANDING
        if MAGIC:
            kept |= layout.BLESSINGS if who == side else layout.CURSES
        for word in range(2):
            bits = b[layout.UNITS + 2 * who + word]
            while bits != 0:
                h = 50 * word + lowest(bits)
                bits &= bits - 1
                if b[layout.CELL + h] != b[layout.CELL + h] & kept:
                    layout.amend(b, h, b[layout.CELL + h] & kept)


def lay_out(g: Ground, k: int, b: State) -> None:
    """The start: each side's basic necromancer with a Zombie on each of the six hexes around it, and the terrain."""
    b[layout.LAND] = g[layout.tiles_of(k) + layout.LAND_AT]
    for h in range(100):
        if b[layout.CELL + h] != 0:
            layout.put(b, h, 0)
    for side in range(2):
        lo, hi = layout.within(g, start_hex(side), 1)
        for h in range(100):
            if layout.holds(lo, hi, h):
                layout.put(b, h, g[layout.ZOMBIE] + 1 | side << layout.SIDE_SHIFT)
        layout.put(b, start_hex(side), g[layout.BASIC] + 1 | side << layout.SIDE_SHIFT)


def reset(g: Ground, k: int, b: State) -> None:
    """A board won is laid out anew; each side keeps every type that it had there, once, in its zone."""
    for h in range(100):
        cell = b[layout.CELL + h]
        if cell != 0 and layout.unit(g, cell, layout.NECROMANCER) == 0:
            layout.stock(b, layout.owner(cell), (cell & layout.TYPE_MASK) - 1, 1)
    for side in range(2):
        for t in range(layout.TYPES):
            have = b[layout.ZONE + side * layout.TYPES + t]
            if have > 1:
                layout.stock(b, side, t, 1 - have)
    lay_out(g, k, b)
    b[layout.MODE] = layout.RESET_1


def disperse(g: Ground, k: int, b: State) -> None:
    """Units on mist, if not persistent, go to their owner's reinforcements."""
    at = layout.tiles_of(k) + layout.MIST_AT
    lo, hi = g[at] & (b[layout.UNITS] | b[layout.UNITS + 2]), g[at + 1] & (b[layout.UNITS + 1] | b[layout.UNITS + 3])
    while lo != 0 or hi != 0:
        h, lo, hi = layout.take(lo, hi)
        if layout.unit(g, b[layout.CELL + h], layout.PERSISTENT) == 0:
            layout.withdraw(g, b, h)


def end_board(g: Ground, s: State, k: int) -> int:
    """The end of a turn on one board: refresh, income, its next state; returns who has won it, or -1."""
    side = s[layout.SIDE]
    b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
    refresh(b, side)
    if MAGIC:
        disperse(g, k, b)
    if b[layout.MODE] != layout.RESET_0 or g[layout.PASSING_UNPAID] == 0:
        s[layout.MONEY + side] += income(g, k, b, side)
    winner = -1
    overrun = graveyards(g, k, b, 1 - side) >= g[layout.TO_WIN]
    if overrun and not (b[layout.KILLED] == 1 and g[layout.KILL_BEATS_GRAVEYARDS] == 1):
        winner = 1 - side
    elif b[layout.KILLED] == 1:
        winner = side
    elif b[layout.RESIGNED] == 1:
        winner = 1 - side
    if b[layout.MODE] == layout.RESET_0:
        b[layout.MODE] = layout.RESET_1
    else:
        b[layout.MODE] = layout.RESET_2 if b[layout.MODE] == layout.RESET_1 else layout.NORMAL
    b[layout.PHASE] = layout.UNTOUCHED
    b[layout.KILLED] = 0
    b[layout.RESIGNED] = 0
    b[layout.RAISED] = 0
    b[layout.MANA] = 0
    if winner >= 0:
        s[layout.POINTS + winner] += 1
        reset(g, k, b)
        if g[layout.WINNER_FIRST] == 1 and winner == side:
            b[layout.MODE] = layout.RESET_0  # the loser, who comes to move, passes
    return winner


def unready(g: Ground, s: State) -> int:
    """The first board whose setup is still missing, or -1."""
    for k in range(g[layout.BOARDS]):
        at = layout.board_of(k)
        fresh = s[at + layout.MODE] == layout.RESET_1 or s[at + layout.MODE] == layout.RESET_2
        if fresh and s[at + layout.PHASE] == layout.UNTOUCHED and s[at + layout.RESIGNED] == 0:
            return k
    return -1


def end_turn(g: Ground, s: State) -> None:
    """Boards in index order, then whether the game is won, then the other side's turn."""
    side = s[layout.SIDE]
    if g[layout.AUTO_MARCH] == 1 and s[layout.SPELLS] == 0 and s[layout.SOLD] == 0:
        march(g, s)
    if MAGIC and g[layout.SPELLS_ON] == 1:
        magic.settle(g, s)
    credited = -1  # on the last board that was won
    for k in range(g[layout.BOARDS]):
        winner = end_board(g, s, k)
        if winner >= 0:
            credited = winner
    s[layout.SPELLS] = 0
    s[layout.TECHED] = 0
    s[layout.FRESH] = 0
    s[layout.SOLD] = 0
    first = credited if g[layout.LAST_BOARD_DECIDES] == 1 and credited >= 0 else side
    if s[layout.POINTS + first] >= g[layout.TARGET]:
        s[layout.WINNER] = first
    elif s[layout.POINTS + 1 - first] >= g[layout.TARGET]:
        s[layout.WINNER] = 1 - first
    else:
        s[layout.SIDE] = 1 - side
        s[layout.PLY] += 1
        if MAGIC and g[layout.HAS_MANA] == 1:
            magic.begin_turn(g, s)


def play_actions(g: Ground, s: State, a: Stream, length: int) -> int:
    """Actions one after another: 0, or place * PLACE + reason for the first illegal one."""
    at = 0
    place = 0
    while at < length:
        wrong = act(g, s, a[at:])
        if wrong != layout.LEGAL:
            return place * layout.PLACE + wrong
        at += 3 + a[at + 2]
        place += 1
    return layout.LEGAL


def play_turn(g: Ground, s: State, a: Stream, length: int) -> int:
    """A whole turn: 0, or place * PLACE + reason; a missing setup has the place behind all actions."""
    wrong = play_actions(g, s, a, length)
    if wrong != layout.LEGAL:
        return wrong
    if MAGIC and g[layout.SPELLS_ON] == 1 and s[layout.DRAWN] == 0:
        return length * layout.PLACE + layout.AWAITS_DEAL
    if unready(g, s) >= 0:
        return length * layout.PLACE + layout.NEEDS_SETUP
    end_turn(g, s)
    return layout.LEGAL
