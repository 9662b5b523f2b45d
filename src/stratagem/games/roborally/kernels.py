"""Rules of RoboRally, the classic edition: one deck of 84 cards, 2 to 8 robots, option cards left out.

A turn: power states (a powered-down robot may stay so), the deal, programmes with power-down announcements in secret, five
registers (robots by priority, belts, pushers, gears, crushers, lasers, flags), repairs, re-entries. One position is a
decision or a chance event; the five registers run between them without a stop, inside `play_together`.

Numbers in the comments name the sections and rulings of docs/games/roborally.md.
"""

from __future__ import annotations

from stratagem.kernel import CHANCE, NOBODY, OVER, SIZE, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.plans import programme
from stratagem.rng import Rng, below

# ------------------------------------------------------------------------------------------------------ the ground
# header, then PLANES cells for each space, then lasers (space, direction, beams), docks (space, facing), and for each flag
# the walking steps from every space; for one robot alone, where every card leads from every place, and for each flag the
# registers from there; for each measure of distance the way from each flag to the last; and for each flag the expected
# turns from everywhere to the last flag, in hundredths, -1 where they have not been computed
SPACES, WIDTH, FLAGS, LASERS, LASERS_AT, DOCKS_AT, WALK_AT, LONE_AT, REACH_AT, LEGS_AT = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
TURNS_AT = 10
HEADER = 11
LEGS = 3  # measures of distance with legs: straight, walking, in registers
NEAR, KIND, WALLS, BELT, SPEED, GEAR, PUSHER, PUSHES, CRUSHES, REPAIR, FLAG = 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
COLUMN, BEAMS = 14, 15  # beams: bit k % BEAM_BITS for every laser k whose ray crosses the space
SEES = 16  # for each direction, how far a ray goes from the space before a wall or the outside, in numbers of spaces
PLANES = 21  # one to spare: an odd number spreads a plane over the banks of a memory
BEAM_BITS = 60
OUTSIDE, FLOOR, HOLE = 0, 1, 2
FAR = 1000

# ------------------------------------------------------------------------------------------------------- the state
# header, then ROBOT cells for each robot
PHASE, TURN, FALLS, WHO, UNDER_WAY = 0, 1, 2, 3, 4  # falls: destructions so far; who: the robot that decides alone
ROBOTS = 5
# a robot: space, facing, damage, lives, archive, next flag, powered down, announced, status, dock, when it fell,
# five registers, nine cards in hand; and its share of the win when over
AT, FACING, DAMAGE, LIVES, ARCHIVE, NEXT, DOWN, ANNOUNCED, STATUS, DOCK, FELL, SHARE = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
)
REGISTER, HAND = 12, 17
ROBOT = 26
RACING, WAITING, GONE = 0, 1, 2  # status
DOCKING, STAYING, DEALING, PROGRAMMING, FILLING, ENTERING, ENDED = 0, 1, 2, 3, 4, 5, 6  # phases

# scratch behind SIZE: lists of robots and intents while a turn runs; what numbers of programmes need; and a deck while locked
# registers are filled, or what looks at programmes outside the rules, over the same cells
LIST, WANT, HITS, MULT, CLASS_OF, COUNTS, PLAN = 0, 8, 16, 32, 44, 56, 72
DECK = 0
SCRATCH = 88

CARDS = 84
HALF = 42  # the first half of the deck: rotations
HAND_SIZE = 9
REGISTERS = 5
DESTROYED = 10  # damage
RE_ENTRY_DAMAGE = 2
NO_CARD = 0
ANNOUNCE = 1 << 40  # in a programme's number, beside five cards of seven bits

# bound for each game
SEATS, STARTING_LIVES, MAX_TURNS, UNDAMAGED_MAY_REST = 4, 3, 200, False
REDUCTION = 1  # which cards are alike: none (-1), and the levels 0 and 1 of `equivalence`


# --------------------------------------------------------------------------------------------------- small questions


def near(g: Ground, space: int, d: int) -> int:
    """The next space in a direction, or -1 for the outside."""
    return g[HEADER + PLANES * space + NEAR + d]


def plane(g: Ground, space: int, which: int) -> int:
    return g[HEADER + PLANES * space + which]


def walled(g: Ground, space: int, d: int) -> bool:
    return (g[HEADER + PLANES * space + WALLS] >> d) & 1 != 0


def robot_at(s: State, space: int) -> int:
    """The robot on a space, or -1. Only robots on the course have a space of at least 0."""
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + AT] == space:
            return i
    return -1


def by_dock(s: State, dock: int) -> int:
    """The robot of a dock."""
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + DOCK] == dock:
            return i
    return -1


def open_registers(damage: int) -> int:
    return min(REGISTERS, HAND_SIZE - damage)


def quarter_turns(card: int) -> int:
    """Clockwise quarter turns of a rotation, 0 for a translation."""
    if card <= 6:
        return 2
    if card <= 42:
        return 3 if card % 2 == 1 else 1
    return 0


def steps_of(card: int) -> int:
    """Spaces of a translation; -1 backs up."""
    if card <= 42:
        return 0
    if card <= 48:
        return -1
    if card <= 66:
        return 1
    return 2 if card <= 78 else 3


# ------------------------------------------------------------------------------------------- destruction and damage


def destroy(s: State, i: int) -> None:
    """Section 9: off the course, a life less, undamaged, registers emptied."""
    at = ROBOTS + ROBOT * i
    s[at + AT] = -1
    s[at + LIVES] -= 1
    s[at + STATUS] = GONE if s[at + LIVES] == 0 else WAITING
    s[at + FACING] = 0
    s[at + DAMAGE] = 0
    s[at + DOWN] = 0
    if s[at + STATUS] == GONE:
        s[at + ANNOUNCED] = 0
    s[at + FELL] = s[FALLS]
    s[FALLS] += 1
    for r in range(REGISTERS):
        s[at + REGISTER + r] = NO_CARD


def enter(g: Ground, s: State, i: int, space: int) -> None:
    """Put a robot on a space; the outside and pits destroy it."""
    if space < 0 or plane(g, space, KIND) == HOLE:
        destroy(s, i)
    else:
        s[ROBOTS + ROBOT * i + AT] = space


def repair(s: State, i: int) -> None:
    """One damage less; from 5 on, register 10 - d comes free and its card goes back."""
    at = ROBOTS + ROBOT * i
    d = s[at + DAMAGE]
    if d == 0:
        return
    if d >= 5:
        s[at + REGISTER + 9 - d] = NO_CARD
    s[at + DAMAGE] = d - 1


# ------------------------------------------------------------------------------------------------ robots and belts


def step(g: Ground, s: State, i: int, d: int) -> bool:
    """5.1: robot i steps, pushing the line before it; False if a wall stops it or it was destroyed."""
    pushed = 0  # the robots of the line behind its front, four bits each
    n = 0
    space = s[ROBOTS + ROBOT * i + AT]
    j = i
    while True:
        if walled(g, space, d):
            return False
        space = near(g, space, d)
        ahead = robot_at(s, space) if space >= 0 else -1
        if ahead < 0:
            break
        pushed = pushed << 4 | j
        n += 1
        j = ahead
    before = s[ROBOTS + ROBOT * j + AT]
    enter(g, s, j, space)  # the front one first
    while n > 0:
        n -= 1
        at = ROBOTS + ROBOT * (pushed & 15)
        pushed >>= 4
        here = s[at + AT]
        s[at + AT] = before
        before = here
    return s[ROBOTS + ROBOT * i + STATUS] == RACING


def act(g: Ground, s: State, i: int, card: int) -> None:
    """Robot i runs a card."""
    at = ROBOTS + ROBOT * i
    s[at + FACING] = (s[at + FACING] + quarter_turns(card)) & 3
    steps = steps_of(card)
    d = s[at + FACING]
    if steps < 0:
        d = (d + 2) & 3
        steps = 1
    while steps > 0:
        steps -= 1
        if not step(g, s, i, d):
            return


def move_robots(g: Ground, s: State, register: int) -> None:
    """5.B: the highest card first."""
    n = 0
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if s[at + STATUS] == RACING and s[at + DOWN] == 0:
            entry = s[at + REGISTER + register] * 16 + i
            j = n
            while j > 0 and s[SIZE + LIST + j - 1] < entry:
                s[SIZE + LIST + j] = s[SIZE + LIST + j - 1]
                j -= 1
            s[SIZE + LIST + j] = entry
            n += 1
    for k in range(n):
        i = s[SIZE + LIST + k] & 15
        if s[ROBOTS + ROBOT * i + STATUS] == RACING:
            act(g, s, i, s[SIZE + LIST + k] >> 4)


STAYS = -2  # no intent


def belts(g: Ground, s: State, slowest: int) -> None:
    """5.2: all belts of at least this speed carry one space, at the same time; belts never push."""
    wanted = 0
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        s[SIZE + WANT + i] = STAYS
        space = s[at + AT]
        if space >= 0 and plane(g, space, SPEED) >= slowest:
            d = plane(g, space, BELT) - 1
            if not walled(g, space, d):
                target = near(g, space, d)
                if target >= 0 and plane(g, target, KIND) == HOLE:
                    target = -1  # no conflict there: both fall (ruling 6)
                s[SIZE + WANT + i] = target
                wanted += 1
    if wanted == 0:
        return
    for i in range(SEATS):  # 2: two for one space; the marks keep the comparison with the first intents
        want = s[SIZE + WANT + i]
        here = s[ROBOTS + ROBOT * i + AT]
        cancelled = 0
        if want >= 0:
            for j in range(SEATS):
                other = s[SIZE + WANT + j]
                swap = other == here and s[ROBOTS + ROBOT * j + AT] == want
                if (i != j and want == other) or swap:  # 2 and 3
                    cancelled = 1
        s[SIZE + HITS + i] = cancelled
    for i in range(SEATS):
        if s[SIZE + HITS + i] == 1:
            s[SIZE + WANT + i] = STAYS
    changed = True
    while changed:  # 4: behind one that stays
        changed = False
        for i in range(SEATS):
            if s[SIZE + WANT + i] >= 0:
                j = robot_at(s, s[SIZE + WANT + i])
                if j >= 0 and s[SIZE + WANT + j] == STAYS:
                    s[SIZE + WANT + i] = STAYS
                    changed = True
    falling = False
    for i in range(SEATS):  # 5: all together
        at = ROBOTS + ROBOT * i
        target = s[SIZE + WANT + i]
        if target < 0:
            falling = falling or target != STAYS
            continue
        d = plane(g, s[at + AT], BELT) - 1
        s[at + AT] = target
        if plane(g, target, SPEED) > 0:  # 6: carried around a curve
            e = plane(g, target, BELT) - 1
            if e == (d + 1) & 3:
                s[at + FACING] = (s[at + FACING] + 1) & 3
            elif e == (d + 3) & 3:
                s[at + FACING] = (s[at + FACING] + 3) & 3
    if falling:
        for dock in range(SEATS):  # in the order of docks (ruling 10)
            i = by_dock(s, dock)
            if s[SIZE + WANT + i] == -1:
                destroy(s, i)


def any_on(g: Ground, s: State, which: int, register: int) -> bool:
    """Whether a robot stands where a pusher or crusher acts in this register."""
    for i in range(SEATS):
        space = s[ROBOTS + ROBOT * i + AT]
        if space >= 0 and (plane(g, space, which) >> register) & 1:
            return True
    return False


def pushers(g: Ground, s: State, register: int) -> None:
    """5.3: by dock, each robot once, if it stands on an active pusher at that moment."""
    if any_on(g, s, PUSHES, register):
        for dock in range(SEATS):
            i = by_dock(s, dock)
            space = s[ROBOTS + ROBOT * i + AT]
            if space >= 0 and (plane(g, space, PUSHES) >> register) & 1:
                step(g, s, i, plane(g, space, PUSHER) - 1)


def gears_and_crushers(g: Ground, s: State, register: int) -> None:
    """5.4."""
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if s[at + AT] >= 0:
            s[at + FACING] = (s[at + FACING] + plane(g, s[at + AT], GEAR)) & 3
    if any_on(g, s, CRUSHES, register):
        for dock in range(SEATS):
            i = by_dock(s, dock)
            space = s[ROBOTS + ROBOT * i + AT]
            if space >= 0 and (plane(g, space, CRUSHES) >> register) & 1:
                destroy(s, i)


# -------------------------------------------------------------------------------------------------- lasers and flags


def first_in_line(g: Ground, s: State, space: int, d: int) -> int:
    """The first robot seen from a space in a direction, beginning behind that space; -1 if none."""
    seen = plane(g, space, SEES + d)
    column = plane(g, space, COLUMN)
    first = -1
    for j in range(SEATS):
        other = s[ROBOTS + ROBOT * j + AT]
        ahead = other - space if d == 1 or d == 2 else space - other
        if other >= 0 and 0 < ahead <= seen and (d & 1 == 1 or plane(g, other, COLUMN) == column):
            seen = ahead
            first = j
    return first


def lasers(g: Ground, s: State) -> None:
    """Section 6: all hits from one snapshot. Lasers of the board are looked at only where a robot stands in a ray."""
    crossed = 0
    for i in range(SEATS):
        s[SIZE + HITS + i] = 0
        if s[ROBOTS + ROBOT * i + AT] >= 0:
            crossed |= plane(g, s[ROBOTS + ROBOT * i + AT], BEAMS)
    if crossed != 0:
        for k in range(g[LASERS]):
            if (crossed >> (k % BEAM_BITS)) & 1:
                at = g[LASERS_AT] + 3 * k
                j = robot_at(s, g[at])
                if j < 0:
                    j = first_in_line(g, s, g[at], g[at + 1])
                if j >= 0:
                    s[SIZE + HITS + j] += g[at + 2]
    hit = crossed != 0
    for i in range(SEATS):
        robot = ROBOTS + ROBOT * i
        if s[robot + AT] >= 0 and s[robot + DOWN] == 0:
            j = first_in_line(g, s, s[robot + AT], s[robot + FACING])
            if j >= 0:
                s[SIZE + HITS + j] += 1
                hit = True
    if hit:
        falling = False
        for i in range(SEATS):
            robot = ROBOTS + ROBOT * i
            s[robot + DAMAGE] += s[SIZE + HITS + i]
            falling = falling or s[robot + DAMAGE] >= DESTROYED
        if falling:
            for dock in range(SEATS):
                i = by_dock(s, dock)
                if s[ROBOTS + ROBOT * i + DAMAGE] >= DESTROYED:
                    destroy(s, i)


def touch(g: Ground, s: State) -> int:
    """Section 7: archives and flags; the number of robots that have touched the last flag."""
    winners = 0
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        space = s[at + AT]
        if space >= 0:
            flag = plane(g, space, FLAG)
            if flag > 0 or plane(g, space, REPAIR) > 0:
                s[at + ARCHIVE] = space
            if flag > 0 and flag == s[at + NEXT]:
                s[at + NEXT] += 1
                if s[at + NEXT] > g[FLAGS]:
                    winners += 1
    return winners


def run_register(g: Ground, s: State, register: int) -> int:
    """Section 5; the number of robots that have won."""
    move_robots(g, s, register)
    belts(g, s, 2)
    belts(g, s, 1)
    pushers(g, s, register)
    gears_and_crushers(g, s, register)
    lasers(g, s)
    return touch(g, s)


# ---------------------------------------------------------------------------------------------------------- the turn


def run_turn(g: Ground, s: State) -> None:
    """Five registers and the clean-up, up to the next decision or chance event."""
    s[UNDER_WAY] = s[FALLS]
    for register in range(REGISTERS):
        winners = run_register(g, s, register)
        if winners > 0:
            end_with_winners(g, s)
            return
    clean_up(g, s)
    go_on(g, s)


def end_with_winners(g: Ground, s: State) -> None:
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        s[at + SHARE] = 1 if s[at + NEXT] > g[FLAGS] else 0
    clear_hands(s)
    s[PHASE] = ENDED


def clear_hands(s: State) -> None:
    for i in range(SEATS):
        for c in range(HAND_SIZE):
            s[ROBOTS + ROBOT * i + HAND + c] = NO_CARD


def clean_up(g: Ground, s: State) -> None:
    """8.1 and 8.2: repairs, then unlocked registers and hands are emptied."""
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        space = s[at + AT]
        if space >= 0:
            if plane(g, space, REPAIR) > 0 or plane(g, space, FLAG) > 0:
                repair(s, i)
            for r in range(open_registers(s[at + DAMAGE])):
                s[at + REGISTER + r] = NO_CARD
    # a hand left over tells which cards are undealt: it is kept until locked registers are filled
    s[PHASE] = FILLING


def unfilled(s: State) -> int:
    """A robot with an empty locked register (it was hit while powered down: ruling 11), or -1."""
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if s[at + STATUS] == RACING:
            for r in range(open_registers(s[at + DAMAGE]), REGISTERS):
                if s[at + REGISTER + r] == NO_CARD:
                    return i
    return -1


def next_to_enter(s: State) -> int:
    """The waiting robot that fell first, or -1."""
    first = -1
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if s[at + STATUS] == WAITING and (first < 0 or s[at + FELL] < s[ROBOTS + ROBOT * first + FELL]):
            first = i
    return first


def go_on(g: Ground, s: State) -> None:
    """From the clean-up on to the next decision or chance event."""
    if s[PHASE] == FILLING:
        if unfilled(s) >= 0:
            return  # chance fills them
        clear_hands(s)
        if finished(g, s):
            return
        s[PHASE] = ENTERING
    if s[PHASE] == ENTERING:
        s[WHO] = next_to_enter(s)
        if s[WHO] >= 0:
            return
        s[TURN] += 1
        if s[TURN] > MAX_TURNS:
            end_by_limit(g, s)
            return
        s[PHASE] = STAYING
        s[WHO] = -1
    if s[PHASE] == STAYING:
        s[WHO] = next_to_stay(s)
        if s[WHO] >= 0:
            return
        power(s)
        s[PHASE] = DEALING


def finished(g: Ground, s: State) -> bool:
    """8.4: one robot left wins; none left is a draw among those that fell in this turn."""
    left = 0
    last = -1
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + STATUS] != GONE:
            left += 1
            last = i
    if left > 1:
        return False
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if left == 1:
            s[at + SHARE] = 1 if i == last else 0
        else:
            s[at + SHARE] = 1 if s[at + FELL] >= s[UNDER_WAY] else 0
    s[PHASE] = ENDED
    return True


def steps_to_flag(g: Ground, s: State, i: int) -> int:
    """Walking steps of a robot to its next flag; FAR off the course."""
    at = ROBOTS + ROBOT * i
    if s[at + AT] < 0:
        return FAR
    return g[g[WALK_AT] + (s[at + NEXT] - 1) * g[SPACES] + s[at + AT]]


def end_by_limit(g: Ground, s: State) -> None:
    """Ruling 17: flags, then distance to the next flag, then a draw."""
    best = -1
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + STATUS] != GONE:
            best = max(best, s[ROBOTS + ROBOT * i + NEXT] * (FAR + 1) + FAR - steps_to_flag(g, s, i))
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        mine = s[at + NEXT] * (FAR + 1) + FAR - steps_to_flag(g, s, i)
        s[at + SHARE] = 1 if s[at + STATUS] != GONE and mine == best else 0
    s[PHASE] = ENDED


def next_to_stay(s: State) -> int:
    """The next powered-down robot, by dock, that has not said whether it stays so. ANNOUNCED is -1 for one that wakes."""
    first = -1
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if (
            s[at + STATUS] == RACING
            and s[at + DOWN] == 1
            and s[at + ANNOUNCED] == 0
            and (first < 0 or s[at + DOCK] < s[ROBOTS + ROBOT * first + DOCK])
        ):
            first = i
    return first


def power(s: State) -> None:
    """4.1: who announced it is powered down now, loses all damage and its registers; the others are awake."""
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        s[at + DOWN] = 0
        if s[at + STATUS] == RACING and s[at + ANNOUNCED] == 1:
            s[at + DOWN] = 1
            s[at + DAMAGE] = 0
            for r in range(REGISTERS):
                s[at + REGISTER + r] = NO_CARD
        s[at + ANNOUNCED] = 0


# -------------------------------------------------------------------------------------------------------- the deal


def collect_deck(s: State) -> int:
    """The cards that are in no register; how many."""
    for c in range(CARDS + 1):
        s[SIZE + DECK + c] = 1
    for i in range(SEATS):
        for r in range(REGISTERS):
            s[SIZE + DECK + s[ROBOTS + ROBOT * i + REGISTER + r]] = 0
    n = 0
    for c in range(1, CARDS + 1):
        if s[SIZE + DECK + c] == 1:
            s[SIZE + DECK + n] = c  # n < c: what is overwritten has been read
            n += 1
    return n


def deal_hands(s: State, seat: int, r: Rng) -> None:
    """4.2: 9 - damage cards to every robot that races awake, but not to `seat`, whose hand is known.

    A card that is taken already is drawn again: at most 83 of 84 are, and with four robots about two draws in three hit."""
    low = 0  # cards taken: 1 .. 42 as bits of the one, 43 .. 84 of the other
    high = 0
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        for j in range(HAND_SIZE if i == seat else 0):
            card = int(s[at + HAND + j])
            if card > HALF:
                high |= 1 << (card - HALF)
            else:
                low |= 1 << card
        for j in range(open_registers(s[at + DAMAGE]), REGISTERS):
            card = int(s[at + REGISTER + j])
            if card > HALF:
                high |= 1 << (card - HALF)
            else:
                low |= 1 << card
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if i == seat:
            continue
        cards = HAND_SIZE - s[at + DAMAGE] if s[at + STATUS] == RACING and s[at + DOWN] == 0 else 0
        for c in range(HAND_SIZE):
            s[at + HAND + c] = NO_CARD
        dealt = 0
        while dealt < cards:
            card = 1 + below(r, CARDS)
            if card > HALF:
                bit = 1 << (card - HALF)
                if high & bit:
                    continue
                high |= bit
            else:
                bit = 1 << card
                if low & bit:
                    continue
                low |= bit
            j = dealt
            while j > 0 and s[at + HAND + j - 1] > card:  # hands lie sorted
                s[at + HAND + j] = s[at + HAND + j - 1]
                j -= 1
            s[at + HAND + j] = card
            dealt += 1


def begin_programming(g: Ground, s: State) -> None:
    """After the deal; where nobody is awake the turn runs at once."""
    s[PHASE] = PROGRAMMING
    for i in range(SEATS):
        if is_awake(s, i):
            return
    run_turn(g, s)


def is_awake(s: State, i: int) -> bool:
    at = ROBOTS + ROBOT * i
    return s[at + STATUS] == RACING and s[at + DOWN] == 0


def fill_registers(g: Ground, s: State, r: Rng) -> None:
    """Ruling 11: locked registers that are empty get cards from the top of the undealt deck."""
    n = collect_deck(s)
    # what was dealt this turn is not undealt: hands are still there
    kept = 0
    for k in range(n):
        card = s[SIZE + DECK + k]
        dealt = False
        for i in range(SEATS):
            for c in range(HAND_SIZE):
                if s[ROBOTS + ROBOT * i + HAND + c] == card:
                    dealt = True
        if not dealt:
            s[SIZE + DECK + kept] = card
            kept += 1
    n = kept
    for dock in range(SEATS):
        i = by_dock(s, dock)
        at = ROBOTS + ROBOT * i
        if s[at + STATUS] == RACING:
            for register in range(open_registers(s[at + DAMAGE]), REGISTERS):
                if s[at + REGISTER + register] == NO_CARD:
                    k = below(r, n)
                    s[at + REGISTER + register] = s[SIZE + DECK + k]
                    n -= 1
                    s[SIZE + DECK + k] = s[SIZE + DECK + n]


def place_on_docks(g: Ground, s: State) -> None:
    """Every robot to its dock; DOCK is set."""
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        dock = g[DOCKS_AT] + 2 * s[at + DOCK]
        s[at + AT] = g[dock]
        s[at + ARCHIVE] = g[dock]
        s[at + FACING] = g[dock + 1]
        s[at + LIVES] = STARTING_LIVES
        s[at + NEXT] = 1
        s[at + FELL] = -1
    s[TURN] = 1
    s[WHO] = -1
    s[PHASE] = DEALING


def draw_docks(g: Ground, s: State, r: Rng) -> None:
    """Before the race: a random dock for every robot."""
    for i in range(SEATS):
        s[ROBOTS + ROBOT * i + DOCK] = i
    for i in range(SEATS - 1, 0, -1):
        j = below(r, i + 1)
        other = s[ROBOTS + ROBOT * j + DOCK]
        s[ROBOTS + ROBOT * j + DOCK] = s[ROBOTS + ROBOT * i + DOCK]
        s[ROBOTS + ROBOT * i + DOCK] = other
    place_on_docks(g, s)


def draw(g: Ground, s: State, r: Rng) -> None:
    if s[PHASE] == DOCKING:
        draw_docks(g, s, r)
    elif s[PHASE] == DEALING:
        deal_hands(s, -1, r)
        begin_programming(g, s)
    else:
        fill_registers(g, s, r)
        go_on(g, s)


# ----------------------------------------------------------------------------------------------------- card equivalence


def is_bridge(s: State, seat: int, card: int, k: int) -> bool:
    """Whether nobody else can play a card in the open registers: it is locked with us, or with another beyond them."""
    if REDUCTION == 0:
        return False
    for i in range(SEATS):
        at = ROBOTS + ROBOT * i
        if s[at + STATUS] == RACING:
            for r in range(open_registers(s[at + DAMAGE]), REGISTERS):
                if s[at + REGISTER + r] == card and (i == seat or r >= k):
                    return True
    return False


def same_block(a: int, b: int) -> bool:
    return a > 42 and b > 42 and steps_of(a) == steps_of(b)


def classes(s: State, seat: int) -> int:
    """Classes of a seat's hand into CLASS_OF, by their smallest card, and their sizes into MULT; returns how many."""
    at = ROBOTS + ROBOT * seat
    hand = HAND_SIZE - s[at + DAMAGE]
    k = open_registers(s[at + DAMAGE])
    n = 0
    for c in range(hand):
        card = s[at + HAND + c]
        found = -1
        for b in range(c if REDUCTION >= 0 else 0):
            other = s[at + HAND + b]
            if card <= 42:
                if other <= 42 and quarter_turns(other) == quarter_turns(card):
                    found = s[SIZE + CLASS_OF + b]
                    break
            elif b == c - 1 and same_block(other, card):
                linked = True
                for between in range(other + 1, card):
                    if not is_bridge(s, seat, between, k):
                        linked = False
                if linked:
                    found = s[SIZE + CLASS_OF + b]
        if found < 0:
            found = n
            s[SIZE + MULT + n] = 0
            n += 1
        s[SIZE + CLASS_OF + c] = found
        s[SIZE + MULT + found] += 1
    return n


def realise(s: State, seat: int, k: int) -> int:
    """The cards of the class sequence in PLAN, each class in ascending order, as a programme's number."""
    at = ROBOTS + ROBOT * seat
    hand = HAND_SIZE - s[at + DAMAGE]
    packed = 0
    used = 0
    for r in range(k):
        for c in range(hand):
            if s[SIZE + CLASS_OF + c] == s[SIZE + PLAN + r] and (used >> c) & 1 == 0:
                used |= 1 << c
                packed |= s[at + HAND + c] << (7 * r)
                break
    return packed


def may_announce(s: State, seat: int) -> bool:
    return UNDAMAGED_MAY_REST or s[ROBOTS + ROBOT * seat + DAMAGE] > 0


def programmes(s: State, seat: int, m: int) -> int:
    """How many reduced programmes a seat has, its m classes being known."""
    k = open_registers(s[ROBOTS + ROBOT * seat + DAMAGE])
    return programme.count_programmes(s[SIZE + MULT :], m, k, s[SIZE + COUNTS :])


# ------------------------------------------------------------------------------------------------------- re-entry


def sight_is_free(g: Ground, s: State, space: int, d: int) -> bool:
    """No robot in the line of sight within three spaces; walls cut it."""
    for _ in range(3):
        if walled(g, space, d):
            return True
        space = near(g, space, d)
        if space < 0:
            return True
        if robot_at(s, space) >= 0:
            return False
    return True


def entry_choices(g: Ground, s: State, i: int, wanted: int) -> int:
    """Section 9. With wanted < 0: how many (space, facing) pairs robot i may re-enter with; else that pair as a number."""
    archive = s[ROBOTS + ROBOT * i + ARCHIVE]
    if robot_at(s, archive) < 0:
        return 4 if wanted < 0 else 4 * archive + wanted
    width = g[WIDTH]
    rows = g[SPACES] // width
    x = archive % width
    y = archive // width
    for ring in range(1, width + rows):
        n = 0
        for cy in range(max(y - ring, 0), min(y + ring, rows - 1) + 1):
            for cx in range(max(x - ring, 0), min(x + ring, width - 1) + 1):
                if max(abs(cx - x), abs(cy - y)) != ring:
                    continue
                space = cy * width + cx
                if plane(g, space, KIND) != FLOOR or robot_at(s, space) >= 0:
                    continue
                for d in range(4):
                    if sight_is_free(g, s, space, d):
                        if n == wanted:
                            return 4 * space + d
                        n += 1
        if n > 0:
            return n
    return 0


def re_enter(g: Ground, s: State, i: int, m: int) -> None:
    """Move m is 2 * (4 * space + facing), plus 1 to come in powered down next turn."""
    at = ROBOTS + ROBOT * i
    s[at + STATUS] = RACING
    s[at + AT] = m // 8
    s[at + FACING] = (m // 2) % 4
    s[at + DAMAGE] = RE_ENTRY_DAMAGE
    s[at + ANNOUNCED] = m % 2
    s[at + FELL] = -1


# --------------------------------------------------------------------------------------------------------- contract


def turn(g: Ground, s: State) -> int:
    phase = s[PHASE]
    if phase == PROGRAMMING:
        return TOGETHER
    if phase == ENDED:
        return OVER
    if phase in (STAYING, ENTERING):
        return s[WHO]
    return CHANCE


def count(g: Ground, s: State, p: int) -> int:
    phase = s[PHASE]
    if phase == PROGRAMMING:
        if not is_awake(s, p):
            return 0
        n = programmes(s, p, classes(s, p))
        return 2 * n if may_announce(s, p) else n
    if p != s[WHO]:
        return 0
    if phase == STAYING:
        return 2
    n = entry_choices(g, s, p, -1)
    return 2 * n if s[ROBOTS + ROBOT * p + ANNOUNCED] == 1 else n


def move(g: Ground, s: State, p: int, k: int) -> int:
    phase = s[PHASE]
    if phase == STAYING:
        return k
    if phase == ENTERING:
        if s[ROBOTS + ROBOT * p + ANNOUNCED] == 1:
            return 2 * entry_choices(g, s, p, k // 2) + k % 2
        return 2 * entry_choices(g, s, p, k)
    m = classes(s, p)
    n = programmes(s, p, m)
    open_ = open_registers(s[ROBOTS + ROBOT * p + DAMAGE])
    programme.unrank(s[SIZE + MULT :], m, k % n, open_, s[SIZE + PLAN :], s[SIZE + COUNTS :])
    return realise(s, p, open_) | (ANNOUNCE if k >= n else 0)


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    """All moves in the order of `move`; programmes by counting up in place of unranking each."""
    if s[PHASE] != PROGRAMMING:
        few = count(g, s, p)
        for k in range(few):
            out[k] = move(g, s, p, k)
        return few
    if not is_awake(s, p):
        return 0
    m = classes(s, p)
    k = open_registers(s[ROBOTS + ROBOT * p + DAMAGE])
    n = 0
    i = 0  # the register to fill; PLAN has the class tried last in it
    s[SIZE + PLAN] = -1
    while i >= 0:
        c = m
        if i == k:
            out[n] = realise(s, p, k)
            n += 1
        else:
            c = s[SIZE + PLAN + i] + 1
            while c < m and s[SIZE + MULT + c] == 0:
                c += 1
        if c < m:
            s[SIZE + PLAN + i] = c
            s[SIZE + MULT + c] -= 1
            i += 1
            s[SIZE + PLAN + i] = -1
        else:  # nothing more here: one register back, whose card is free again
            i -= 1
            if i >= 0:
                s[SIZE + MULT + s[SIZE + PLAN + i]] += 1
    if may_announce(s, p):
        for j in range(n):
            out[n + j] = out[j] | ANNOUNCE
        n *= 2
    return n


def play(g: Ground, s: State, p: int, m: int) -> None:
    at = ROBOTS + ROBOT * p
    if s[PHASE] == STAYING:
        s[at + ANNOUNCED] = 1 if m == 1 else -1
    else:
        re_enter(g, s, p, m)
    go_on(g, s)


def play_together(g: Ground, s: State, joint: Moves) -> None:
    for i in range(SEATS):
        if is_awake(s, i):
            write_programme(s, i, joint[i])
    run_turn(g, s)


def write_programme(s: State, i: int, m: int) -> None:
    at = ROBOTS + ROBOT * i
    for r in range(open_registers(s[at + DAMAGE])):
        s[at + REGISTER + r] = (m >> (7 * r)) & 127
    s[at + ANNOUNCED] = 1 if m & ANNOUNCE else 0


def hide(g: Ground, s: State, p: int) -> None:
    """Other hands are blanked; p = NOBODY blanks all."""
    for i in range(SEATS):
        if i != p or p == NOBODY:
            for c in range(HAND_SIZE):
                s[ROBOTS + ROBOT * i + HAND + c] = NO_CARD


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """Section 13: others hold any of the cards that are neither locked nor in p's hand, all alike."""
    if s[PHASE] == PROGRAMMING:
        deal_hands(s, p, r)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """1 to the winner; winners of one moment share it."""
    winners = 0
    for i in range(SEATS):
        winners += s[ROBOTS + ROBOT * i + SHARE]
    for i in range(SEATS):
        out[i] = s[ROBOTS + ROBOT * i + SHARE] / winners
