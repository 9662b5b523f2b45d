"""One register of RoboRally: cards by priority, belts, pushers, gears, crushers, lasers, flags; destruction and repair.

Numbers in the comments name the sections and rulings of docs/games/roborally.md.
"""

from __future__ import annotations

from stratagem.games.roborally import layout
from stratagem.kernel import SIZE, Ground, State

# ------------------------------------------------------------------------------------------- destruction and damage


def destroy(s: State, i: int) -> None:
    """Section 9: off the course, a life less where lives are counted, undamaged, registers emptied."""
    at = layout.ROBOTS + layout.ROBOT * i
    s[at + layout.AT] = -1
    s[at + layout.STATUS] = layout.WAITING
    if layout.STARTING_LIVES > 0:
        s[at + layout.LIVES] -= 1
        s[at + layout.STATUS] = layout.GONE if s[at + layout.LIVES] == 0 else layout.WAITING
    s[at + layout.FACING] = 0
    s[at + layout.DAMAGE] = 0
    s[at + layout.DOWN] = 0
    if s[at + layout.STATUS] == layout.GONE:
        s[at + layout.ANNOUNCED] = 0
    s[at + layout.FELL] = s[layout.FALLS]
    s[layout.FALLS] += 1
    for r in range(layout.REGISTERS):
        s[at + layout.REGISTER + r] = layout.NO_CARD


def enter(g: Ground, s: State, i: int, space: int) -> None:
    """Put a robot on a space; the outside and pits destroy it."""
    if space < 0 or layout.plane(g, space, layout.KIND) == layout.HOLE:
        destroy(s, i)
    else:
        s[layout.ROBOTS + layout.ROBOT * i + layout.AT] = space


def repair(s: State, i: int) -> None:
    """One damage less; from 5 on, register 10 - d comes free and its card goes back."""
    at = layout.ROBOTS + layout.ROBOT * i
    d = s[at + layout.DAMAGE]
    if d == 0:
        return
    if d >= 5:
        s[at + layout.REGISTER + 9 - d] = layout.NO_CARD
    s[at + layout.DAMAGE] = d - 1


# ------------------------------------------------------------------------------------------------ robots and belts


def step(g: Ground, s: State, i: int, d: int) -> bool:
    """5.1: robot i steps, pushing the line before it; False if a wall stops it or it was destroyed."""
    pushed = 0  # the robots of the line behind its front, four bits each
    n = 0
    space = s[layout.ROBOTS + layout.ROBOT * i + layout.AT]
    j = i
    while True:
        if layout.walled(g, space, d):
            return False
        space = layout.near(g, space, d)
        ahead = layout.robot_at(s, space) if space >= 0 else -1
        if ahead < 0:
            break
        pushed = pushed << 4 | j
        n += 1
        j = ahead
    before = s[layout.ROBOTS + layout.ROBOT * j + layout.AT]
    enter(g, s, j, space)  # the front one first
    while n > 0:
        n -= 1
        at = layout.ROBOTS + layout.ROBOT * (pushed & 15)
        pushed >>= 4
        here = s[at + layout.AT]
        s[at + layout.AT] = before
        before = here
    return s[layout.ROBOTS + layout.ROBOT * i + layout.STATUS] == layout.RACING


def act(g: Ground, s: State, i: int, card: int) -> None:
    """Robot i runs a card."""
    at = layout.ROBOTS + layout.ROBOT * i
    s[at + layout.FACING] = (s[at + layout.FACING] + layout.quarter_turns(card)) & 3
    steps = layout.steps_of(card)
    d = s[at + layout.FACING]
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
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.STATUS] == layout.RACING and s[at + layout.DOWN] == 0:
            entry = s[at + layout.REGISTER + register] * 16 + i
            j = n
            while j > 0 and s[SIZE + layout.LIST + j - 1] < entry:
                s[SIZE + layout.LIST + j] = s[SIZE + layout.LIST + j - 1]
                j -= 1
            s[SIZE + layout.LIST + j] = entry
            n += 1
    for k in range(n):
        i = s[SIZE + layout.LIST + k] & 15
        if s[layout.ROBOTS + layout.ROBOT * i + layout.STATUS] == layout.RACING:
            act(g, s, i, s[SIZE + layout.LIST + k] >> 4)


STAYS = -2  # no intent


def belts(g: Ground, s: State, slowest: int) -> None:
    """5.2: all belts of at least this speed carry one space, at the same time; belts never push."""
    wanted = 0
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        s[SIZE + layout.WANT + i] = STAYS
        space = s[at + layout.AT]
        if space >= 0 and layout.plane(g, space, layout.SPEED) >= slowest:
            d = layout.plane(g, space, layout.BELT) - 1
            if not layout.walled(g, space, d):
                target = layout.near(g, space, d)
                if target >= 0 and layout.plane(g, target, layout.KIND) == layout.HOLE:
                    target = -1  # no conflict there: both fall (ruling 6)
                s[SIZE + layout.WANT + i] = target
                wanted += 1
    if wanted == 0:
        return
    for i in range(layout.SEATS):  # 2: two for one space; the marks keep the comparison with the first intents
        want = s[SIZE + layout.WANT + i]
        here = s[layout.ROBOTS + layout.ROBOT * i + layout.AT]
        cancelled = 0
        if want >= 0:
            for j in range(layout.SEATS):
                other = s[SIZE + layout.WANT + j]
                swap = other == here and s[layout.ROBOTS + layout.ROBOT * j + layout.AT] == want
                if (i != j and want == other) or swap:  # 2 and 3
                    cancelled = 1
        s[SIZE + layout.HITS + i] = cancelled
    for i in range(layout.SEATS):
        if s[SIZE + layout.HITS + i] == 1:
            s[SIZE + layout.WANT + i] = STAYS
    changed = True
    while changed:  # 4: behind one that stays
        changed = False
        for i in range(layout.SEATS):
            if s[SIZE + layout.WANT + i] >= 0:
                j = layout.robot_at(s, s[SIZE + layout.WANT + i])
                if j >= 0 and s[SIZE + layout.WANT + j] == STAYS:
                    s[SIZE + layout.WANT + i] = STAYS
                    changed = True
    falling = False
    for i in range(layout.SEATS):  # 5: all together
        at = layout.ROBOTS + layout.ROBOT * i
        target = s[SIZE + layout.WANT + i]
        if target < 0:
            falling = falling or target != STAYS
            continue
        d = layout.plane(g, s[at + layout.AT], layout.BELT) - 1
        s[at + layout.AT] = target
        if layout.plane(g, target, layout.SPEED) > 0:  # 6: carried around a curve
            e = layout.plane(g, target, layout.BELT) - 1
            if e == (d + 1) & 3:
                s[at + layout.FACING] = (s[at + layout.FACING] + 1) & 3
            elif e == (d + 3) & 3:
                s[at + layout.FACING] = (s[at + layout.FACING] + 3) & 3
    if falling:
        for dock in range(layout.SEATS):  # in the order of docks (ruling 10)
            i = layout.by_dock(s, dock)
            if s[SIZE + layout.WANT + i] == -1:
                destroy(s, i)


def any_on(g: Ground, s: State, which: int, register: int) -> bool:
    """Whether a robot stands where a pusher or crusher acts in this register."""
    for i in range(layout.SEATS):
        space = s[layout.ROBOTS + layout.ROBOT * i + layout.AT]
        if space >= 0 and (layout.plane(g, space, which) >> register) & 1:
            return True
    return False


def pushers(g: Ground, s: State, register: int) -> None:
    """5.3: by dock, each robot once, if it stands on an active pusher at that moment."""
    if any_on(g, s, layout.PUSHES, register):
        for dock in range(layout.SEATS):
            i = layout.by_dock(s, dock)
            space = s[layout.ROBOTS + layout.ROBOT * i + layout.AT]
            if space >= 0 and (layout.plane(g, space, layout.PUSHES) >> register) & 1:
                step(g, s, i, layout.plane(g, space, layout.PUSHER) - 1)


def gears_and_crushers(g: Ground, s: State, register: int) -> None:
    """5.4."""
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.AT] >= 0:
            s[at + layout.FACING] = (s[at + layout.FACING] + layout.plane(g, s[at + layout.AT], layout.GEAR)) & 3
    if any_on(g, s, layout.CRUSHES, register):
        for dock in range(layout.SEATS):
            i = layout.by_dock(s, dock)
            space = s[layout.ROBOTS + layout.ROBOT * i + layout.AT]
            if space >= 0 and (layout.plane(g, space, layout.CRUSHES) >> register) & 1:
                destroy(s, i)


# -------------------------------------------------------------------------------------------------- lasers and flags


def first_in_line(g: Ground, s: State, space: int, d: int) -> int:
    """The first robot seen from a space in a direction, beginning behind that space; -1 if none."""
    seen = layout.plane(g, space, layout.SEES + d)
    column = layout.plane(g, space, layout.COLUMN)
    first = -1
    for j in range(layout.SEATS):
        other = s[layout.ROBOTS + layout.ROBOT * j + layout.AT]
        ahead = other - space if d == 1 or d == 2 else space - other
        if other >= 0 and 0 < ahead <= seen and (d & 1 == 1 or layout.plane(g, other, layout.COLUMN) == column):
            seen = ahead
            first = j
    return first


def lasers(g: Ground, s: State) -> None:
    """Section 6: all hits from one snapshot. Lasers of the board are looked at only where a robot stands in a ray."""
    crossed = 0
    for i in range(layout.SEATS):
        s[SIZE + layout.HITS + i] = 0
        if s[layout.ROBOTS + layout.ROBOT * i + layout.AT] >= 0:
            crossed |= layout.plane(g, s[layout.ROBOTS + layout.ROBOT * i + layout.AT], layout.BEAMS)
    if crossed != 0:
        for k in range(g[layout.LASERS]):
            if (crossed >> (k % layout.BEAM_BITS)) & 1:
                at = g[layout.LASERS_AT] + 3 * k
                j = layout.robot_at(s, g[at])
                if j < 0:
                    j = first_in_line(g, s, g[at], g[at + 1])
                if j >= 0:
                    s[SIZE + layout.HITS + j] += g[at + 2]
    hit = crossed != 0
    for i in range(layout.SEATS):
        robot = layout.ROBOTS + layout.ROBOT * i
        if s[robot + layout.AT] >= 0 and s[robot + layout.DOWN] == 0:
            j = first_in_line(g, s, s[robot + layout.AT], s[robot + layout.FACING])
            if j >= 0:
                s[SIZE + layout.HITS + j] += 1
                hit = True
    if hit:
        falling = False
        for i in range(layout.SEATS):
            robot = layout.ROBOTS + layout.ROBOT * i
            s[robot + layout.DAMAGE] += s[SIZE + layout.HITS + i]
            falling = falling or s[robot + layout.DAMAGE] >= layout.DESTROYED
        if falling:
            for dock in range(layout.SEATS):
                i = layout.by_dock(s, dock)
                if s[layout.ROBOTS + layout.ROBOT * i + layout.DAMAGE] >= layout.DESTROYED:
                    destroy(s, i)


def touch(g: Ground, s: State) -> int:
    """Section 7: archives and flags; the number of robots that have touched the last flag."""
    winners = 0
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        space = s[at + layout.AT]
        if space >= 0:
            flag = layout.plane(g, space, layout.FLAG)
            if flag > 0 or layout.plane(g, space, layout.REPAIR) > 0:
                s[at + layout.ARCHIVE] = space
            if flag > 0 and flag == s[at + layout.NEXT]:
                s[at + layout.NEXT] += 1
                if s[at + layout.NEXT] > g[layout.FLAGS]:
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
