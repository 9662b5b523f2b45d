"""What there is to choose in RoboRally: programmes, of which cards that are alike make one, and places of re-entry."""

from __future__ import annotations

from stratagem.games.roborally.layout import (
    ANNOUNCED,
    ARCHIVE,
    AT,
    CLASS_OF,
    COUNTS,
    DAMAGE,
    FACING,
    FELL,
    FLOOR,
    HAND,
    HAND_SIZE,
    KIND,
    MULT,
    PLAN,
    RACING,
    RE_ENTRY_DAMAGE,
    REDUCTION,
    REGISTER,
    REGISTERS,
    ROBOT,
    ROBOTS,
    SEATS,
    SPACES,
    STATUS,
    UNDAMAGED_MAY_REST,
    WIDTH,
    near,
    open_registers,
    plane,
    quarter_turns,
    robot_at,
    steps_of,
    walled,
)
from stratagem.kernel import SIZE, Ground, State
from stratagem.plans import programme

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
