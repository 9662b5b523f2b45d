"""The rules of Minions on flat arrays: the phases of a board, the techline, whole turns.

Kernels that act return 0, or the number of what forbids the action (`turn.REASONS` has the words). The layout of the
arrays and what can be read from a board are in `board`, whose names are names of this module too: `kernels.CELL`,
`kernels.reach`. Spells, hands and decks are in `magic`.
"""

from __future__ import annotations

from stratagem.bits import lowest
from stratagem.games.minions import magic
from stratagem.games.minions.board import *  # the layout's names are read as `kernels.CELL` everywhere
from stratagem.kernel import Ground, State

# ------------------------------------------------------------------------------------------------- the attack phase


def mover(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Whether the unit on h may go to another hex, whoever of its own side stands there now."""
    cell = b[CELL + h]
    if cell == 0:
        return NO_UNIT
    if owner(cell) != side:
        return NOT_YOURS
    if cell & IDLE != 0:
        return FRESHLY_SPAWNED if cell & SPAWNED != 0 else IS_DONE
    if cell & MOVED != 0 and not (MAGIC and g[SPLIT_MOVES] == 1 and speed(g, cell) > 0):
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


def moved_cell(g: Ground, tiles: int, b: State, h: int, to: int) -> int:
    """The cell of the unit on h when it has gone to another hex."""
    cell = b[CELL + h] | MOVED
    if MAGIC and g[SPLIT_MOVES] == 1:
        cell += steps_to(g, tiles, b, h, to) << STEPS_SHIFT
    return cell


def steps_to(g: Ground, tiles: int, b: State, h: int, to: int) -> int:
    """How many steps the unit on h takes to another hex, which it can reach."""
    cell = b[CELL + h]
    foe_lo, foe_hi = foes(b, owner(cell))
    open_lo, open_hi = open_to(g, tiles, b, (cell & TYPE_MASK) - 1)
    if unit(g, cell, FLYING) == 0:
        open_lo &= ~foe_lo
        open_hi &= ~foe_hi
    lo, hi = low_bit(h), high_bit(h)
    taken, most = 0, speed(g, cell)
    while taken < most and not holds(lo, hi, to):
        wide_lo, wide_hi = grow(lo, hi)
        lo |= wide_lo & open_lo
        hi |= wide_hi & open_hi
        taken += 1
    return taken


def step(g: Ground, tiles: int, b: State, side: int, h: int, to: int) -> int:
    """Move one unit into an empty hex."""
    wrong = mover(g, tiles, b, side, h, to)
    if wrong != LEGAL:
        return wrong
    if b[CELL + to] != 0:
        return FRIEND_THERE
    cell = moved_cell(g, tiles, b, h, to)
    put(b, h, 0)
    put(b, to, cell)
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
    last = moved_cell(g, tiles, b, hexes[n - 1], hexes[0])
    for i in range(n - 1, 0, -1):
        put(b, hexes[i], moved_cell(g, tiles, b, hexes[i - 1], hexes[i]))
    put(b, hexes[0], last)
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
        moves[2 * i] = moved_cell(g, tiles, b, h, moves[2 * i + 1])
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
    if cell & IDLE != 0:
        return FRESHLY_SPAWNED if cell & SPAWNED != 0 else IS_DONE
    target = b[CELL + at]
    if target == 0:
        return NO_TARGET
    if owner(target) == side:
        return OWN_TARGET
    near_lo, near_hi = within(g, h, reaching(g, cell))
    if not holds(near_lo, near_hi, at):
        return OUT_OF_RANGE
    if cell & MOVED != 0 and lumbers(g, cell):
        return LUMBERS
    if used(cell) >= attacks(g, cell):
        return NO_ATTACKS_LEFT if attacks(g, cell) > 0 else IS_FROZEN
    kind = unit(g, cell, KIND)
    if kind == DEATHTOUCH and unit(g, target, NECROMANCER) == 1:
        return NECROMANCER_IMMUNE
    amend(b, h, cell + (1 << USED_SHIFT))
    if MAGIC and g[SPELLS_ON] == 1:
        strike(b, h, at)
    if kind == UNSUMMONS and unit(g, target, PERSISTENT) == 0:
        withdraw(g, b, at)
    elif kind == DEATHTOUCH:
        b[OWED] += slay(g, b, at)
    else:
        b[OWED] += harm(g, b, at, damage(g, cell) if kind == DEALS_DAMAGE else 1)
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
    withdraw(g, b, h)
    return LEGAL


# ---------------------------------------------------------------------------------------------- setup and spawn phase


def start_hex(side: int) -> int:
    return 22 if side == 0 else 77


def necromancer_for(g: Ground, s: State, t: int) -> int:
    """Whether the side to move may choose a necromancer at a setup."""
    if g[ADVANCED_NECROMANCERS] == 0:
        return LEGAL if t == g[BASIC] else NOT_BASIC
    left = 0
    for other in range(TYPES):
        row = UNIT + other * COLUMNS
        if g[row + NECROMANCER] == 1 and g[TRAIT + other * TRAITS + ABSENT] == 0 and other != g[BASIC]:
            left += (s[USED_NECROMANCERS + s[SIDE]] >> other) & 1 == 0
    if t == g[BASIC]:
        return LEGAL if left == 0 else NOT_ADVANCED
    if g[UNIT + t * COLUMNS + NECROMANCER] == 0 or g[TRAIT + t * TRAITS + ABSENT] == 1:
        return NOT_ADVANCED
    return LEGAL if (s[USED_NECROMANCERS + s[SIDE]] >> t) & 1 == 0 else NECROMANCER_USED


def dearest(g: Ground, b: State, side: int) -> int:
    """The dearest type of a zone, the later of equals; -1 if it is empty."""
    best = -1
    for t in range(TYPES):
        price = g[UNIT + t * COLUMNS + COST]
        if b[ZONE + side * TYPES + t] > 0 and (best < 0 or price >= g[UNIT + best * COLUMNS + COST]):
            best = t
    return best


def set_up(g: Ground, s: State, b: State, necromancer: int, keep: int) -> int:
    """The mandatory setup after a reset: a necromancer, one unit of the zone to keep (-1: none named), a free unit."""
    side = s[SIDE]
    wrong = necromancer_for(g, s, necromancer)
    if wrong != LEGAL:
        return wrong
    if keep < 0 and g[KEEP_DEAREST] == 1:
        keep = dearest(g, b, side)
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
    if necromancer != g[BASIC]:
        s[USED_NECROMANCERS + side] |= 1 << necromancer
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
        h, lo, hi = take(lo, hi)
        if supports(g, b[CELL + h]):
            more_lo, more_hi = within(g, h, 1)
            near_lo |= more_lo
            near_hi |= more_hi
    return (
        near_lo & ~(b[UNITS] | b[UNITS + 2]),
        near_hi & ~(b[UNITS + 1] | b[UNITS + 3]),
    )


def supported(g: Ground, b: State, side: int, h: int) -> bool:
    """Whether a hex is next to a friendly unit that supports spawning."""
    lo, hi = within(g, h, 1)
    lo &= b[UNITS + 2 * side]
    hi &= b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        x = first_hex(lo, hi)
        if supports(g, b[CELL + x]):
            return True
        lo &= ~low_bit(x)
        hi &= ~high_bit(x)
    return False


def spawn(g: Ground, tiles: int, b: State, side: int, t: int, h: int) -> int:
    """Put a unit of the reinforcements on the board."""
    if b[ZONE + side * TYPES + t] == 0:
        return NOT_IN_ZONE
    if b[CELL + h] != 0:
        return OCCUPIED
    open_lo, open_hi = open_to(g, tiles, b, t)
    if not holds(open_lo, open_hi, h):
        return BAD_TILE
    if not supported(g, b, side, h):
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


def buy(g: Ground, s: State, b: State, t: int) -> int:
    """Pay for a unit, which goes to the reinforcements."""
    wrong = for_sale(g, s, s[SIDE], t)
    if wrong != LEGAL:
        return wrong
    price = g[UNIT + t * COLUMNS + COST]
    if price > s[MONEY + s[SIDE]]:
        return NO_MONEY
    s[MONEY + s[SIDE]] -= price
    stock(b, s[SIDE], t, 1)
    return LEGAL


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
    bought = s[SPELLS] if s[SOLD] == 1 else max(s[SPELLS] - 1, 0)
    price = g[SPELL_PRICE] * bought
    if price > s[MONEY + s[SIDE]]:
        return NO_MONEY
    s[MONEY + s[SIDE]] -= price
    if MAGIC and g[SPELLS_ON] == 1:  # each one bought draws a card to choose from
        if s[DRAWN] + bought > s[deck_of(g, s[SIDE]) + KNOWN]:
            return FEW_CARDS
        s[DRAWN] += bought
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


def may_sell(g: Ground, s: State) -> int:
    """Why the free spell may not be given up."""
    c = g[THAUMATURGY_AT]
    if c < 0 or s[CARD + s[SIDE] * CARDS + c] != ACQUIRED or (s[FRESH] >> c) & 1 == 1:
        return NO_THAUMATURGY
    return SPELL_USED if s[SOLD] == 1 or s[SPELLS] > 0 else LEGAL


def sell(g: Ground, s: State) -> int:
    """Thaumaturgy: give up the free spell, unused, for a dollar a board."""
    wrong = may_sell(g, s)
    if wrong == LEGAL:
        s[SOLD] = 1
        s[MONEY + s[SIDE]] += g[BOARDS]
    return wrong


# ------------------------------------------------------------------------------------------------------- whole turns


def spawns_now(b: State) -> bool:
    """Whether units may be placed on a board this turn."""
    return b[MODE] == NORMAL or b[MODE] == RESET_2


def spawn_phase(g: Ground, b: State) -> bool:
    """Whether a board has a spawn phase this turn, for all but spawning from reinforcements."""
    return spawns_now(b) or g[OPEN_SPAWN_PHASE] == 1


def phase_for(g: Ground, b: State, kind: int) -> int:
    """Whether a board is in a phase in which an action of this kind may come; of spells and tiles more is asked."""
    if b[RESIGNED] == 1:
        return HAS_RESIGNED
    if b[PHASE] == DONE:
        return WRONG_PHASE
    if b[MODE] >= RESET_1:
        if b[MODE] == RESET_0:
            return MUST_PASS
        if kind != RESIGN and (b[PHASE] == UNTOUCHED) != (kind == SETUP):
            return SETUP_DONE if kind == SETUP else NEEDS_SETUP
    elif kind == SETUP:
        return NO_SETUP
    if kind == RESIGN:
        return LEGAL if b[PHASE] == UNTOUCHED else NOT_ALONE
    if kind in (BUY, SPAWNS):
        if spawns_now(b):
            return LEGAL
        if g[OPEN_SPAWN_PHASE] == 0:
            return NO_SPAWN_PHASE
        return LEGAL if kind == BUY else NO_SPAWNING_YET
    return LEGAL if b[PHASE] != SPAWNING or kind >= CAST else WRONG_PHASE


def phase_for_magic(g: Ground, b: State, kind: int, spell: int) -> int:
    """The same for actions of spells and tiles."""
    if kind in (ABILITY, RISE) or (kind == CAST and magic.in_spawn_phase_only(spell)):
        return LEGAL if spawn_phase(g, b) else NO_SPAWN_PHASE
    if kind in (CAST, DISCARD) or (kind == TELEPORT and g[TELEPORT_LATE] == 1):
        return LEGAL
    return LEGAL if b[PHASE] != SPAWNING else WRONG_PHASE


def act(g: Ground, s: State, a: Stream) -> int:
    """One action; on an illegal one the state is left as far as it came, and must be thrown away."""
    if s[WINNER] >= 0:
        return GAME_ENDED
    if MAGIC and g[SPELLS_ON] == 1 and s[DRAWN] == 0:
        return AWAITS_DEAL
    kind, k, n = a[0], a[1], a[2]
    if kind == TECH:
        return tech(g, s, k, a[3:], n)
    if MAGIC and kind == SELL:
        return sell(g, s)
    if k < 0 or k >= g[BOARDS]:
        return NO_SUCH_BOARD
    if MAGIC and kind == GIVE:
        return magic.give(g, s, k, a[3])
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = phase_for(g, b, kind)
    if wrong != LEGAL:
        return wrong
    if kind >= CAST:
        if MAGIC:
            return act_by_magic(g, s, k, a)
        return NO_SPELLS
    if kind == RESIGN:
        b[RESIGNED] = 1
        return LEGAL
    if kind == SETUP:
        b[PHASE] = SET_UP
        return set_up(g, s, b, a[3], a[4])
    if kind == BUY:
        b[PHASE] = SPAWNING
        return buy(g, s, b, a[3])
    side = s[SIDE]
    tiles = tiles_of(k)
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


def act_by_magic(g: Ground, s: State, k: int, a: Stream) -> int:
    """An action of spells or tiles on a board whose phase allows it; an illegal one changes nothing."""
    kind, n = a[0], a[2]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    wrong = phase_for_magic(g, b, kind, a[3])
    if wrong != LEGAL:
        return wrong
    if kind == CAST:
        wrong = magic.cast(g, s, k, a[3], a[4] if n > 1 else 0, a[5] if n > 2 else 0)
    elif kind == DISCARD:
        wrong = magic.discard(g, s, k, a[3])
    elif kind == ABILITY:
        wrong = magic.use_ability(g, s, k, a[3], a[4], a[5])
    elif kind == TELEPORT:
        wrong = magic.teleport(g, k, b, s[SIDE], a[3], a[4])
    else:
        wrong = magic.rise(g, k, b, s[SIDE], a[3])
    if wrong == LEGAL:
        late = kind in (ABILITY, RISE) or (kind == CAST and magic.in_spawn_phase_only(a[3]))
        b[PHASE] = SPAWNING if late or b[PHASE] == SPAWNING else ATTACKING
    return wrong


def income(g: Ground, k: int, b: State, side: int) -> int:
    """What a board pays a side at the end of its turn: graveyards held, a base, and one for a soul."""
    paid = g[INCOME] + graveyards(g, k, b, side)
    lo, hi = b[UNITS + 2 * side], b[UNITS + 2 * side + 1]
    while lo != 0 or hi != 0:
        h, lo, hi = take(lo, hi)
        paid += unit(g, b[CELL + h], SOUL)
    return paid


def graveyards(g: Ground, k: int, b: State, side: int) -> int:
    """How many graveyards a side holds."""
    tiles = tiles_of(k)
    return size(b[UNITS + 2 * side] & g[tiles], b[UNITS + 2 * side + 1] & g[tiles + 1])


def refresh(b: State, side: int) -> None:
    """Wipe damage and what units have done this turn, and the spells on them whose time is over: `side` has moved.

    Spells on a unit last to the end of the turn of their caster's opponent, so that whose they are says how long.
    """
    if MAGIC:
        refresh_charmed(b, side)
        return
    for word in range(2):
        bits = b[UNITS + word] | b[UNITS + 2 + word]
        while bits != 0:
            h = 50 * word + lowest(bits)
            bits &= bits - 1
            if b[CELL + h] != b[CELL + h] & STANDING:
                amend(b, h, b[CELL + h] & STANDING)


def refresh_charmed(b: State, side: int) -> None:
    for who in range(2):
        kept = STANDING | BLESSINGS if who == side else STANDING | CURSES
        for word in range(2):
            bits = b[UNITS + 2 * who + word]
            while bits != 0:
                h = 50 * word + lowest(bits)
                bits &= bits - 1
                if b[CELL + h] != b[CELL + h] & kept:
                    amend(b, h, b[CELL + h] & kept)


def lay_out(g: Ground, k: int, b: State) -> None:
    """The start: each side's basic necromancer with a Zombie on each of the six hexes around it, and the terrain."""
    b[LAND] = g[tiles_of(k) + LAND_AT]
    for h in range(100):
        if b[CELL + h] != 0:
            put(b, h, 0)
    for side in range(2):
        lo, hi = within(g, start_hex(side), 1)
        for h in range(100):
            if holds(lo, hi, h):
                put(b, h, g[ZOMBIE] + 1 | side << SIDE_SHIFT)
        put(b, start_hex(side), g[BASIC] + 1 | side << SIDE_SHIFT)


def reset(g: Ground, k: int, b: State) -> None:
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
    lay_out(g, k, b)
    b[MODE] = RESET_1


def disperse(g: Ground, k: int, b: State) -> None:
    """Units on mist, if not persistent, go to their owner's reinforcements."""
    at = tiles_of(k) + MIST_AT
    lo, hi = g[at] & (b[UNITS] | b[UNITS + 2]), g[at + 1] & (b[UNITS + 1] | b[UNITS + 3])
    while lo != 0 or hi != 0:
        h, lo, hi = take(lo, hi)
        if unit(g, b[CELL + h], PERSISTENT) == 0:
            withdraw(g, b, h)


def end_board(g: Ground, s: State, k: int) -> int:
    """The end of a turn on one board: refresh, income, its next state; returns who has won it, or -1."""
    side = s[SIDE]
    b = s[board_of(k) : board_of(k) + BOARD_SIZE]
    refresh(b, side)
    if MAGIC:
        disperse(g, k, b)
    if b[MODE] != RESET_0 or g[PASSING_UNPAID] == 0:
        s[MONEY + side] += income(g, k, b, side)
    winner = -1
    overrun = graveyards(g, k, b, 1 - side) >= g[TO_WIN]
    if overrun and not (b[KILLED] == 1 and g[KILL_BEATS_GRAVEYARDS] == 1):
        winner = 1 - side
    elif b[KILLED] == 1:
        winner = side
    elif b[RESIGNED] == 1:
        winner = 1 - side
    if b[MODE] == RESET_0:
        b[MODE] = RESET_1
    else:
        b[MODE] = RESET_2 if b[MODE] == RESET_1 else NORMAL
    b[PHASE] = UNTOUCHED
    b[KILLED] = 0
    b[RESIGNED] = 0
    b[RAISED] = 0
    b[MANA] = 0
    if winner >= 0:
        s[POINTS + winner] += 1
        reset(g, k, b)
        if g[WINNER_FIRST] == 1 and winner == side:
            b[MODE] = RESET_0  # the loser, who comes to move, passes
    return winner


def unready(g: Ground, s: State) -> int:
    """The first board whose setup is still missing, or -1."""
    for k in range(g[BOARDS]):
        at = board_of(k)
        fresh = s[at + MODE] == RESET_1 or s[at + MODE] == RESET_2
        if fresh and s[at + PHASE] == UNTOUCHED and s[at + RESIGNED] == 0:
            return k
    return -1


def end_turn(g: Ground, s: State) -> None:
    """Boards in index order, then whether the game is won, then the other side's turn."""
    side = s[SIDE]
    if g[AUTO_MARCH] == 1 and s[SPELLS] == 0 and s[SOLD] == 0:
        march(g, s)
    if MAGIC and g[SPELLS_ON] == 1:
        magic.settle(g, s)
    credited = -1  # on the last board that was won
    for k in range(g[BOARDS]):
        winner = end_board(g, s, k)
        if winner >= 0:
            credited = winner
    s[SPELLS] = 0
    s[TECHED] = 0
    s[FRESH] = 0
    s[SOLD] = 0
    first = credited if g[LAST_BOARD_DECIDES] == 1 and credited >= 0 else side
    if s[POINTS + first] >= g[TARGET]:
        s[WINNER] = first
    elif s[POINTS + 1 - first] >= g[TARGET]:
        s[WINNER] = 1 - first
    else:
        s[SIDE] = 1 - side
        s[PLY] += 1
        if MAGIC and g[HAS_MANA] == 1:
            magic.begin_turn(g, s)


def play_actions(g: Ground, s: State, a: Stream, length: int) -> int:
    """Actions one after another: 0, or place * PLACE + reason for the first illegal one."""
    at = 0
    place = 0
    while at < length:
        wrong = act(g, s, a[at:])
        if wrong != LEGAL:
            return place * PLACE + wrong
        at += 3 + a[at + 2]
        place += 1
    return LEGAL


def play_turn(g: Ground, s: State, a: Stream, length: int) -> int:
    """A whole turn: 0, or place * PLACE + reason; a missing setup has the place behind all actions."""
    wrong = play_actions(g, s, a, length)
    if wrong != LEGAL:
        return wrong
    if MAGIC and g[SPELLS_ON] == 1 and s[DRAWN] == 0:
        return length * PLACE + AWAITS_DEAL
    if unready(g, s) >= 0:
        return length * PLACE + NEEDS_SETUP
    end_turn(g, s)
    return LEGAL
