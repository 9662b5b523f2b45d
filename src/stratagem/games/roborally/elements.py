"""One register of RoboRally: cards by priority, belts, pushers, gears, crushers, lasers, flags; destruction and repair.

Numbers in the comments name the sections and rulings of docs/games/roborally.md.
"""

from __future__ import annotations

from stratagem.games.roborally.layout import (
    ANNOUNCED,
    ARCHIVE,
    AT,
    BEAM_BITS,
    BEAMS,
    BELT,
    COLUMN,
    CRUSHES,
    DAMAGE,
    DESTROYED,
    DOWN,
    FACING,
    FALLS,
    FELL,
    FLAG,
    FLAGS,
    GEAR,
    GONE,
    HITS,
    HOLE,
    KIND,
    LASERS,
    LASERS_AT,
    LIST,
    LIVES,
    NEXT,
    NO_CARD,
    PUSHER,
    PUSHES,
    RACING,
    REGISTER,
    REGISTERS,
    REPAIR,
    ROBOT,
    ROBOTS,
    SEATS,
    SEES,
    SPEED,
    STARTING_LIVES,
    STATUS,
    WAITING,
    WANT,
    by_dock,
    near,
    plane,
    quarter_turns,
    robot_at,
    steps_of,
    walled,
)
from stratagem.kernel import SIZE, Ground, State

# ------------------------------------------------------------------------------------------- destruction and damage


def destroy(s: State, i: int) -> None:
    """Section 9: off the course, a life less where lives are counted, undamaged, registers emptied."""
    at = ROBOTS + ROBOT * i
    s[at + AT] = -1
    s[at + STATUS] = WAITING
    if STARTING_LIVES > 0:
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
