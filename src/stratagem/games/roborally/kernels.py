"""Rules of RoboRally, the classic edition: one deck of 84 cards, 2 to 8 robots, option cards left out.

A turn: power states (a powered-down robot may stay so), the deal, programmes with power-down announcements in secret, five
registers (robots by priority, belts, pushers, gears, crushers, lasers, flags), repairs, re-entries. One position is a
decision or a chance event; the five registers run between them without a stop, inside `play_together`.

Numbers in the comments name the sections and rulings of docs/games/roborally.md.
"""

from __future__ import annotations

from stratagem.games.roborally import layout
from stratagem.games.roborally.choices import classes, entry_choices, may_announce, programmes, re_enter, realise
from stratagem.games.roborally.deal import deal_hands, draw_docks, fill_registers
from stratagem.games.roborally.elements import repair, run_register
from stratagem.kernel import CHANCE, NOBODY, OVER, SIZE, TOGETHER, Ground, Moves, Payoffs, State
from stratagem.plans import programme
from stratagem.rng import Rng

# ---------------------------------------------------------------------------------------------------------- the turn


def run_turn(g: Ground, s: State) -> None:
    """Five registers and the clean-up, up to the next decision or chance event."""
    s[layout.UNDER_WAY] = s[layout.FALLS]
    for register in range(layout.REGISTERS):
        winners = run_register(g, s, register)
        if winners > 0:
            end_with_winners(g, s)
            return
    clean_up(g, s)
    go_on(g, s)


def end_with_winners(g: Ground, s: State) -> None:
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        s[at + layout.SHARE] = 1 if s[at + layout.NEXT] > g[layout.FLAGS] else 0
    clear_hands(s)
    s[layout.PHASE] = layout.ENDED


def clear_hands(s: State) -> None:
    for i in range(layout.SEATS):
        for c in range(layout.HAND_SIZE):
            s[layout.ROBOTS + layout.ROBOT * i + layout.HAND + c] = layout.NO_CARD


def clean_up(g: Ground, s: State) -> None:
    """8.1 and 8.2: repairs, then unlocked registers and hands are emptied."""
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        space = s[at + layout.AT]
        if space >= 0:
            if layout.plane(g, space, layout.REPAIR) > 0 or layout.plane(g, space, layout.FLAG) > 0:
                repair(s, i)
            for r in range(layout.open_registers(s[at + layout.DAMAGE])):
                s[at + layout.REGISTER + r] = layout.NO_CARD
    # a hand left over tells which cards are undealt: it is kept until locked registers are filled
    s[layout.PHASE] = layout.FILLING


def unfilled(s: State) -> int:
    """A robot with an empty locked register (it was hit while powered down: ruling 11), or -1."""
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.STATUS] == layout.RACING:
            for r in range(layout.open_registers(s[at + layout.DAMAGE]), layout.REGISTERS):
                if s[at + layout.REGISTER + r] == layout.NO_CARD:
                    return i
    return -1


def next_to_enter(s: State) -> int:
    """The waiting robot that fell first, or -1."""
    first = -1
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.STATUS] == layout.WAITING and (
            first < 0 or s[at + layout.FELL] < s[layout.ROBOTS + layout.ROBOT * first + layout.FELL]
        ):
            first = i
    return first


def go_on(g: Ground, s: State) -> None:
    """From the clean-up on to the next decision or chance event."""
    if s[layout.PHASE] == layout.FILLING:
        if unfilled(s) >= 0:
            return  # chance fills them
        clear_hands(s)
        if finished(g, s):
            return
        s[layout.PHASE] = layout.ENTERING
    if s[layout.PHASE] == layout.ENTERING:
        s[layout.WHO] = next_to_enter(s)
        if s[layout.WHO] >= 0:
            return
        s[layout.TURN] += 1
        if s[layout.TURN] > layout.MAX_TURNS:
            end_by_limit(g, s)
            return
        s[layout.PHASE] = layout.STAYING
        s[layout.WHO] = -1
    if s[layout.PHASE] == layout.STAYING:
        s[layout.WHO] = next_to_stay(s)
        if s[layout.WHO] >= 0:
            return
        power(s)
        s[layout.PHASE] = layout.DEALING


def finished(g: Ground, s: State) -> bool:
    """8.4: one robot left wins; none left is a draw among those that fell in this turn."""
    left = 0
    last = -1
    for i in range(layout.SEATS):
        if s[layout.ROBOTS + layout.ROBOT * i + layout.STATUS] != layout.GONE:
            left += 1
            last = i
    if left > 1:
        return False
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if left == 1:
            s[at + layout.SHARE] = 1 if i == last else 0
        else:
            s[at + layout.SHARE] = 1 if s[at + layout.FELL] >= s[layout.UNDER_WAY] else 0
    s[layout.PHASE] = layout.ENDED
    return True


def steps_to_flag(g: Ground, s: State, i: int) -> int:
    """Walking steps of a robot to its next flag; FAR off the course."""
    at = layout.ROBOTS + layout.ROBOT * i
    if s[at + layout.AT] < 0:
        return layout.FAR
    return g[g[layout.WALK_AT] + (s[at + layout.NEXT] - 1) * g[layout.SPACES] + s[at + layout.AT]]


def end_by_limit(g: Ground, s: State) -> None:
    """Ruling 17: flags, then distance to the next flag, then a draw."""
    best = -1
    for i in range(layout.SEATS):
        if s[layout.ROBOTS + layout.ROBOT * i + layout.STATUS] != layout.GONE:
            best = max(
                best,
                s[layout.ROBOTS + layout.ROBOT * i + layout.NEXT] * (layout.FAR + 1)
                + layout.FAR
                - steps_to_flag(g, s, i),
            )
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        mine = s[at + layout.NEXT] * (layout.FAR + 1) + layout.FAR - steps_to_flag(g, s, i)
        s[at + layout.SHARE] = 1 if s[at + layout.STATUS] != layout.GONE and mine == best else 0
    s[layout.PHASE] = layout.ENDED


def next_to_stay(s: State) -> int:
    """The next powered-down robot, by dock, that has not said whether it stays so. ANNOUNCED is -1 for one that wakes."""
    first = -1
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if (
            s[at + layout.STATUS] == layout.RACING
            and s[at + layout.DOWN] == 1
            and s[at + layout.ANNOUNCED] == 0
            and (first < 0 or s[at + layout.DOCK] < s[layout.ROBOTS + layout.ROBOT * first + layout.DOCK])
        ):
            first = i
    return first


def power(s: State) -> None:
    """4.1: who announced it is powered down now, loses all damage and its registers; the others are awake."""
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        s[at + layout.DOWN] = 0
        if s[at + layout.STATUS] == layout.RACING and s[at + layout.ANNOUNCED] == 1:
            s[at + layout.DOWN] = 1
            s[at + layout.DAMAGE] = 0
            for r in range(layout.REGISTERS):
                s[at + layout.REGISTER + r] = layout.NO_CARD
        s[at + layout.ANNOUNCED] = 0


def begin_programming(g: Ground, s: State) -> None:
    """After the deal; where nobody is awake the turn runs at once."""
    s[layout.PHASE] = layout.PROGRAMMING
    for i in range(layout.SEATS):
        if layout.is_awake(s, i):
            return
    run_turn(g, s)


def draw(g: Ground, s: State, r: Rng) -> None:
    if s[layout.PHASE] == layout.DOCKING:
        draw_docks(g, s, r)
    elif s[layout.PHASE] == layout.DEALING:
        deal_hands(s, -1, r)
        begin_programming(g, s)
    else:
        fill_registers(g, s, r)
        go_on(g, s)


# --------------------------------------------------------------------------------------------------------- contract


def turn(g: Ground, s: State) -> int:
    phase = s[layout.PHASE]
    if phase == layout.PROGRAMMING:
        return TOGETHER
    if phase == layout.ENDED:
        return OVER
    if phase in (layout.STAYING, layout.ENTERING):
        return s[layout.WHO]
    return CHANCE


def count(g: Ground, s: State, p: int) -> int:
    phase = s[layout.PHASE]
    if phase == layout.PROGRAMMING:
        if not layout.is_awake(s, p):
            return 0
        n = programmes(s, p, classes(s, p))
        return 2 * n if may_announce(s, p) else n
    if p != s[layout.WHO]:
        return 0
    if phase == layout.STAYING:
        return 2
    n = entry_choices(g, s, p, -1)
    return 2 * n if s[layout.ROBOTS + layout.ROBOT * p + layout.ANNOUNCED] == 1 else n


def move(g: Ground, s: State, p: int, k: int) -> int:
    phase = s[layout.PHASE]
    if phase == layout.STAYING:
        return k
    if phase == layout.ENTERING:
        if s[layout.ROBOTS + layout.ROBOT * p + layout.ANNOUNCED] == 1:
            return 2 * entry_choices(g, s, p, k // 2) + k % 2
        return 2 * entry_choices(g, s, p, k)
    m = classes(s, p)
    n = programmes(s, p, m)
    open_ = layout.open_registers(s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE])
    programme.unrank(s[SIZE + layout.MULT :], m, k % n, open_, s[SIZE + layout.PLAN :], s[SIZE + layout.COUNTS :])
    return realise(s, p, open_) | (layout.ANNOUNCE if k >= n else 0)


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    """All moves in the order of `move`; programmes by counting up in place of unranking each."""
    if s[layout.PHASE] != layout.PROGRAMMING:
        few = count(g, s, p)
        for k in range(few):
            out[k] = move(g, s, p, k)
        return few
    if not layout.is_awake(s, p):
        return 0
    m = classes(s, p)
    k = layout.open_registers(s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE])
    n = 0
    i = 0  # the register to fill; PLAN has the class tried last in it
    s[SIZE + layout.PLAN] = -1
    while i >= 0:
        c = m
        if i == k:
            out[n] = realise(s, p, k)
            n += 1
        else:
            c = s[SIZE + layout.PLAN + i] + 1
            while c < m and s[SIZE + layout.MULT + c] == 0:
                c += 1
        if c < m:
            s[SIZE + layout.PLAN + i] = c
            s[SIZE + layout.MULT + c] -= 1
            i += 1
            s[SIZE + layout.PLAN + i] = -1
        else:  # nothing more here: one register back, whose card is free again
            i -= 1
            if i >= 0:
                s[SIZE + layout.MULT + s[SIZE + layout.PLAN + i]] += 1
    if may_announce(s, p):
        for j in range(n):
            out[n + j] = out[j] | layout.ANNOUNCE
        n *= 2
    return n


def play(g: Ground, s: State, p: int, m: int) -> None:
    at = layout.ROBOTS + layout.ROBOT * p
    if s[layout.PHASE] == layout.STAYING:
        s[at + layout.ANNOUNCED] = 1 if m == 1 else -1
    else:
        re_enter(g, s, p, m)
    go_on(g, s)


def play_together(g: Ground, s: State, joint: Moves) -> None:
    for i in range(layout.SEATS):
        if layout.is_awake(s, i):
            write_programme(s, i, joint[i])
    run_turn(g, s)


def write_programme(s: State, i: int, m: int) -> None:
    at = layout.ROBOTS + layout.ROBOT * i
    for r in range(layout.open_registers(s[at + layout.DAMAGE])):
        s[at + layout.REGISTER + r] = (m >> (7 * r)) & 127
    s[at + layout.ANNOUNCED] = 1 if m & layout.ANNOUNCE else 0


def hide(g: Ground, s: State, p: int) -> None:
    """Other hands are blanked; p = NOBODY blanks all."""
    for i in range(layout.SEATS):
        if i != p or p == NOBODY:
            for c in range(layout.HAND_SIZE):
                s[layout.ROBOTS + layout.ROBOT * i + layout.HAND + c] = layout.NO_CARD


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    """Section 13: others hold any of the cards that are neither locked nor in p's hand, all alike."""
    if s[layout.PHASE] == layout.PROGRAMMING:
        deal_hands(s, p, r)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """1 to the winner; winners of one moment share it."""
    winners = 0
    for i in range(layout.SEATS):
        winners += s[layout.ROBOTS + layout.ROBOT * i + layout.SHARE]
    for i in range(layout.SEATS):
        out[i] = s[layout.ROBOTS + layout.ROBOT * i + layout.SHARE] / winners
