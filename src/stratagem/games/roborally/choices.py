"""What there is to choose in RoboRally: programmes, of which cards that are alike make one, and places of re-entry."""

from __future__ import annotations

from stratagem.games.roborally import layout
from stratagem.kernel import SIZE, Ground, State
from stratagem.plans import programme

# ----------------------------------------------------------------------------------------------------- card equivalence


def is_bridge(s: State, seat: int, card: int, k: int) -> bool:
    """Whether nobody else can play a card in the open registers: it is locked with us, or with another beyond them."""
    if layout.REDUCTION == 0:
        return False
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.STATUS] == layout.RACING:
            for r in range(layout.open_registers(s[at + layout.DAMAGE]), layout.REGISTERS):
                if s[at + layout.REGISTER + r] == card and (i == seat or r >= k):
                    return True
    return False


def same_block(a: int, b: int) -> bool:
    return a > 42 and b > 42 and layout.steps_of(a) == layout.steps_of(b)


def classes(s: State, seat: int) -> int:
    """Classes of a seat's hand into CLASS_OF, by their smallest card, and their sizes into MULT; returns how many."""
    at = layout.ROBOTS + layout.ROBOT * seat
    hand = layout.HAND_SIZE - s[at + layout.DAMAGE]
    k = layout.open_registers(s[at + layout.DAMAGE])
    n = 0
    for c in range(hand):
        card = s[at + layout.HAND + c]
        found = -1
        for b in range(c if layout.REDUCTION >= 0 else 0):
            other = s[at + layout.HAND + b]
            if card <= 42:
                if other <= 42 and layout.quarter_turns(other) == layout.quarter_turns(card):
                    found = s[SIZE + layout.CLASS_OF + b]
                    break
            elif b == c - 1 and same_block(other, card):
                linked = True
                for between in range(other + 1, card):
                    if not is_bridge(s, seat, between, k):
                        linked = False
                if linked:
                    found = s[SIZE + layout.CLASS_OF + b]
        if found < 0:
            found = n
            s[SIZE + layout.MULT + n] = 0
            n += 1
        s[SIZE + layout.CLASS_OF + c] = found
        s[SIZE + layout.MULT + found] += 1
    return n


def realise(s: State, seat: int, k: int) -> int:
    """The cards of the class sequence in PLAN, each class in ascending order, as a programme's number."""
    at = layout.ROBOTS + layout.ROBOT * seat
    hand = layout.HAND_SIZE - s[at + layout.DAMAGE]
    packed = 0
    used = 0
    for r in range(k):
        for c in range(hand):
            if s[SIZE + layout.CLASS_OF + c] == s[SIZE + layout.PLAN + r] and (used >> c) & 1 == 0:
                used |= 1 << c
                packed |= s[at + layout.HAND + c] << (7 * r)
                break
    return packed


def may_announce(s: State, seat: int) -> bool:
    return layout.UNDAMAGED_MAY_REST or s[layout.ROBOTS + layout.ROBOT * seat + layout.DAMAGE] > 0


def programmes(s: State, seat: int, m: int) -> int:
    """How many reduced programmes a seat has, its m classes being known."""
    k = layout.open_registers(s[layout.ROBOTS + layout.ROBOT * seat + layout.DAMAGE])
    return programme.count_programmes(s[SIZE + layout.MULT :], m, k, s[SIZE + layout.COUNTS :])


# ------------------------------------------------------------------------------------------------------- re-entry


def sight_is_free(g: Ground, s: State, space: int, d: int) -> bool:
    """No robot in the line of sight within three spaces; walls cut it."""
    for _ in range(3):
        if layout.walled(g, space, d):
            return True
        space = layout.near(g, space, d)
        if space < 0:
            return True
        if layout.robot_at(s, space) >= 0:
            return False
    return True


def entry_choices(g: Ground, s: State, i: int, wanted: int) -> int:
    """Section 9. With wanted < 0: how many (space, facing) pairs robot i may re-enter with; else that pair as a number."""
    archive = s[layout.ROBOTS + layout.ROBOT * i + layout.ARCHIVE]
    if layout.robot_at(s, archive) < 0:
        return 4 if wanted < 0 else 4 * archive + wanted
    width = g[layout.WIDTH]
    rows = g[layout.SPACES] // width
    x = archive % width
    y = archive // width
    for ring in range(1, width + rows):
        n = 0
        for cy in range(max(y - ring, 0), min(y + ring, rows - 1) + 1):
            for cx in range(max(x - ring, 0), min(x + ring, width - 1) + 1):
                if max(abs(cx - x), abs(cy - y)) != ring:
                    continue
                space = cy * width + cx
                if layout.plane(g, space, layout.KIND) != layout.FLOOR or layout.robot_at(s, space) >= 0:
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
    at = layout.ROBOTS + layout.ROBOT * i
    s[at + layout.STATUS] = layout.RACING
    s[at + layout.AT] = m // 8
    s[at + layout.FACING] = (m // 2) % 4
    s[at + layout.DAMAGE] = layout.RE_ENTRY_DAMAGE
    s[at + layout.ANNOUNCED] = m % 2
    s[at + layout.FELL] = -1
