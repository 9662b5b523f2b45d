"""Judging positions and playing quickly: evaluators with their terms, and playout strategies, as kernels.

An evaluator says how far a robot still has to go: in `straight` steps, in steps around walls and pits (`walk`), in `registers`,
with belts, gears and turning, or in `turns` to be expected with the luck of the cards. `value` turns
that, lives, damage and dangers into chances to win: the robots share 1 in proportion to exp of their scores. The weights of
the score are fitted to games (data/weights.json).

A playout strategy writes a programme quickly: `any` cards, any `reduced` programme, the `best` for a robot alone on the floor, of
a few random ones or of all, that but now and then any cards (`straying`), or a draw among a few by their worth (`drawn`).
"""

from __future__ import annotations

import numpy as np

from stratagem.games.roborally import layout
from stratagem.games.roborally.choices import (
    entry_choices,
)
from stratagem.games.roborally.kernels import (
    count,
    move,
)
from stratagem.games.roborally.lone import LOST
from stratagem.kernel import SIZE, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, unit

EVALUATORS = ("straight", "walk", "registers", "turns")
IN_STRAIGHT_STEPS, IN_STEPS, IN_REGISTERS, IN_TURNS = 0, 1, 2, 3
STRATEGIES = ("any", "reduced", "best", "straying", "drawn")
ANY_CARDS, ANY_REDUCED, BEST_ALONE, STRAYING, DRAWN = 0, 1, 2, 3, 4

# bound for each player
EVALUATOR = IN_REGISTERS
STRATEGY = BEST_ALONE
CANDIDATES = 0  # programmes that the last three strategies look at; 0: all, and FEW where one is drawn
PRUNES = True  # whether the ground has the bounds of the evaluator
FEW = 24
EPSILON = 0.1  # how often a straying one plays anything
WARMTH = 2.0  # of a draw by worth, in registers
# weights of the score, fitted for each evaluator: the root of the way, a life, a damage, a locked register, a side from
# which a push would destroy, a place in a beam, a turn powered down; and of damage and rest once more for the root of the way
TERMS = (
    "PER_WAY",
    "PER_LIFE",
    "PER_DAMAGE",
    "PER_LOCK",
    "PER_BRINK",
    "PER_BEAM",
    "PER_REST",
    "PER_DAMAGED_WAY",
    "PER_RESTED_WAY",
)
PER_WAY, PER_LIFE, PER_DAMAGE, PER_LOCK, PER_BRINK, PER_BEAM, PER_REST = -1.0, 0.7, -0.06, -0.12, 0.0, 0.0, -1.0
PER_DAMAGED_WAY, PER_RESTED_WAY = 0.0, 0.0
ROOT_UNITS = 100  # the root of a way in hundredths, to be kept in a cell
CALM = 4  # damage from which a playout announces a power-down
WIDEST = 100  # registers beyond which distance no longer matters
TURN_UNITS = 100  # turns are counted in hundredths
REGISTER_UNITS = 20
FOUND = layout.DECK + 40  # scratch: the terms of a robot
BEST_EFFECTS = layout.DECK + 32  # scratch of `search_alone`, which uses the cells of the deck before it

# ------------------------------------------------------------------------------------------------------ evaluators


def distance(g: Ground, next_flag: int, space: int, facing: int) -> int:
    """To a flag and on by all later ones, by the evaluator in use; facing -1: the best one."""
    flags = g[layout.FLAGS]
    if next_flag > flags:
        return 0
    if EVALUATOR == IN_STRAIGHT_STEPS:
        way = layout.FAR
        for target in range(g[layout.SPACES]):
            if layout.plane(g, target, layout.FLAG) == next_flag:
                way = abs(target % g[layout.WIDTH] - space % g[layout.WIDTH]) + abs(
                    target // g[layout.WIDTH] - space // g[layout.WIDTH]
                )
    elif EVALUATOR == IN_STEPS:
        way = g[g[layout.WALK_AT] + (next_flag - 1) * g[layout.SPACES] + space]
    else:
        at = (
            g[layout.REACH_AT if EVALUATOR == IN_REGISTERS else layout.TURNS_AT]
            + 4 * (next_flag - 1) * g[layout.SPACES]
            + 4 * space
        )
        if facing >= 0:
            way = g[at + facing]
        else:
            way = min(g[at], g[at + 1], g[at + 2], g[at + 3])
    if EVALUATOR == IN_TURNS:
        return way  # by all flags
    return way + g[g[layout.LEGS_AT] + EVALUATOR * (flags + 1) + next_flag - 1]


def registers(n: int) -> int:
    """So many registers in the unit of the evaluator."""
    return n * REGISTER_UNITS if EVALUATOR == IN_TURNS else n


def brinks(g: Ground, space: int) -> int:
    """From how many sides a push would destroy."""
    n = 0
    for d in range(4):
        if not layout.walled(g, space, d):
            next_space = layout.near(g, space, d)
            if next_space < 0 or layout.plane(g, next_space, layout.KIND) == layout.HOLE:
                n += 1
    return n


def terms(g: Ground, s: State, i: int) -> None:
    """What the score of robot i weighs, into scratch, in the order of TERMS as far as they are no products.

    The root: a turn more or less decides a race that is nearly over, and little of one that has just begun."""
    at = layout.ROBOTS + layout.ROBOT * i
    out = SIZE + FOUND
    space = s[at + layout.AT]
    brink = 0
    beam = 0
    if space >= 0:
        way = distance(g, s[at + layout.NEXT], space, s[at + layout.FACING])
        damage = s[at + layout.DAMAGE]
        brink = brinks(g, space)
        beam = 1 if layout.plane(g, space, layout.BEAMS) != 0 else 0
    else:
        way = distance(g, s[at + layout.NEXT], s[at + layout.ARCHIVE], -1)
        damage = layout.RE_ENTRY_DAMAGE
    # in other phases, who is powered down has rested already
    resting = s[at + layout.DOWN] == 1 and (s[layout.PHASE] == layout.DEALING or s[layout.PHASE] == layout.PROGRAMMING)
    rests = 1 if s[at + layout.ANNOUNCED] == 1 or resting else 0
    if rests == 1:
        damage = 0
    s[out] = int(ROOT_UNITS * np.sqrt(min(way, registers(WIDEST))))
    s[out + 1] = min(s[at + layout.LIVES], 3)
    s[out + 2] = damage
    s[out + 3] = max(damage - 4, 0)
    s[out + 4] = brink
    s[out + 5] = beam
    s[out + 6] = rests


def score(g: Ground, s: State, i: int) -> float:
    """How well robot i stands, alone."""
    terms(g, s, i)
    out = SIZE + FOUND
    root = s[out] / ROOT_UNITS
    return (
        (PER_WAY + PER_DAMAGED_WAY * s[out + 2] + PER_RESTED_WAY * s[out + 6]) * root
        + PER_LIFE * s[out + 1]
        + PER_DAMAGE * s[out + 2]
        + PER_LOCK * s[out + 3]
        + PER_BRINK * s[out + 4]
        + PER_BEAM * s[out + 5]
        + PER_REST * s[out + 6]
    )


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Chances to win: shares of 1 in proportion to exp(score) among those not out."""
    best = -1e9
    for i in range(layout.SEATS):
        out[i] = -1e9
        if s[layout.ROBOTS + layout.ROBOT * i + layout.STATUS] != layout.GONE:
            out[i] = score(g, s, i)
            best = max(best, out[i])
    total = 0.0
    for i in range(layout.SEATS):
        out[i] = np.exp(max(out[i] - best, -60.0))
        total += out[i]
    for i in range(layout.SEATS):
        out[i] /= total


# ---------------------------------------------------------------------------------------------------- a robot alone


def effect_of(card: int) -> int:
    """U, L, R, back, 1, 2, 3 as 0 .. 6."""
    if card <= 6:
        return 0
    if card <= 42:
        return 1 if card % 2 == 1 else 2
    if card <= 48:
        return 3
    if card <= 66:
        return 4
    return 5 if card <= 78 else 6


def alone(g: Ground, s: State, p: int, m: int) -> int:
    """How far robot p would still have to go after programme m, were it alone; lower is better."""
    at = layout.ROBOTS + layout.ROBOT * p
    node = 4 * s[at + layout.AT] + s[at + layout.FACING]
    flag = s[at + layout.NEXT]
    open_ = layout.open_registers(s[at + layout.DAMAGE])
    for r in range(layout.REGISTERS):
        card = (m >> (7 * r)) & 127 if r < open_ else s[at + layout.REGISTER + r]
        node = g[g[layout.LONE_AT] + (r * 4 * g[layout.SPACES] + node) * 7 + effect_of(card)]
        if node < 0:
            return registers(LOST) + distance(g, flag, s[at + layout.ARCHIVE], -1)
        if layout.plane(g, node >> 2, layout.FLAG) == flag:
            flag += 1
            if flag > g[layout.FLAGS]:
                return registers(r + 1 - layout.REGISTERS)
    return distance(g, flag, node >> 2, node & 3)


def score_alone(g: Ground, s: State, p: int, listed: Moves, out: Moves) -> None:
    """`alone` for every move of a list."""
    for j in range(listed.shape[0]):
        out[j] = alone(g, s, p, listed[j])


# --------------------------------------------------------------------------------------------------------- playouts


def any_cards(s: State, p: int, r: Rng) -> int:
    """A programme uniform over ordered choices of cards."""
    at = layout.ROBOTS + layout.ROBOT * p
    hand = layout.HAND_SIZE - int(s[at + layout.DAMAGE])
    packed = 0
    left = 0x876543210  # places in the hand not used yet, four bits each; the last fills the gap
    for register in range(layout.open_registers(s[at + layout.DAMAGE])):
        c = 4 * below(r, hand - register)
        j = (left >> c) & 15
        left ^= (j ^ ((left >> (4 * (hand - register - 1))) & 15)) << c
        packed |= int(s[at + layout.HAND + j]) << (7 * register)  # whatever the width of a state's cells
    return packed


def best_alone(g: Ground, s: State, p: int, r: Rng) -> int:
    """The best of all programmes for a robot alone; a random one of the best, though not each alike."""
    search_alone(g, s, p, below(r, 7))
    open_ = layout.open_registers(s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE])
    return cards_of(
        s,
        p,
        s[SIZE + BEST_EFFECTS],
        open_,
        below(r, max(layout.HAND_SIZE - s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE], 1)),
    )


def search_alone(g: Ground, s: State, p: int, turned: int) -> int:
    """`alone` of the best programme; its effects, three bits each, are left in the scratch cell BEST_EFFECTS.

    Alone, only the effects of cards matter, of which there are seven: their sequences are walked depth first, the effects
    in an order turned by so many places, the first of equals being kept. Where no cards at all could lead to less than the
    best so far, the walk turns back."""
    at = layout.ROBOTS + layout.ROBOT * p
    hand = layout.HAND_SIZE - s[at + layout.DAMAGE]
    open_ = layout.open_registers(s[at + layout.DAMAGE])
    s[SIZE + BEST_EFFECTS] = 0
    if open_ == 0:
        return alone(g, s, p, 0)
    left = 0  # cards of each effect not used yet, four bits each
    for j in range(hand):
        left += 1 << (4 * effect_of(s[at + layout.HAND + j]))
    spaces = g[layout.SPACES]
    table = g[layout.LONE_AT]
    last_flag = g[layout.FLAGS]
    bounds = g[layout.BOUNDS_AT] + (0 if EVALUATOR == IN_REGISTERS else 4 * (layout.REGISTERS - 1) * last_flag * spaces)
    here = SIZE + layout.DECK  # for each register: node and next flag before it, and how many effects have been tried
    s[here] = 4 * s[at + layout.AT] + s[at + layout.FACING]
    s[here + 8] = s[at + layout.NEXT]
    s[here + 16] = 0
    least = 1 << 40
    best = 0
    path = 0
    i = 0
    while i >= 0:
        tried = s[here + 16 + i]
        if tried == 7:
            i -= 1
            if i >= 0:  # the card is free again
                left += 1 << (4 * ((path >> (3 * i)) & 7))
                path &= (1 << (3 * i)) - 1
            continue
        s[here + 16 + i] = tried + 1
        e = tried + turned
        if e >= 7:
            e -= 7
        if (left >> (4 * e)) & 15 == 0:
            continue
        node = g[table + (i * 4 * spaces + s[here + i]) * 7 + e]
        flag = s[here + 8 + i]
        worth = -1
        over = True
        if node >= 0:
            if layout.plane(g, node >> 2, layout.FLAG) == flag:
                flag += 1
            if flag > last_flag:
                worth = registers(i + 1 - layout.REGISTERS)
            elif i + 1 < open_:
                over = False
            else:
                for register in range(open_, layout.REGISTERS):  # locked ones
                    if node >= 0 and flag <= last_flag:
                        node = g[
                            table + (register * 4 * spaces + node) * 7 + effect_of(s[at + layout.REGISTER + register])
                        ]
                        if node >= 0 and layout.plane(g, node >> 2, layout.FLAG) == flag:
                            flag += 1
                            worth = registers(register + 1 - layout.REGISTERS)
                if node >= 0 and flag <= last_flag:
                    worth = distance(g, flag, node >> 2, node & 3)
        if over:
            if node < 0:
                worth = registers(LOST) + distance(g, flag, s[at + layout.ARCHIVE], -1)
            if worth < least:
                least = worth
                best = path | (e << (3 * i))
        elif not (
            PRUNES and EVALUATOR >= IN_REGISTERS and g[bounds + 4 * (i * last_flag + flag - 1) * spaces + node] >= least
        ):
            path |= e << (3 * i)
            left -= 1 << (4 * e)
            i += 1
            s[here + i] = node
            s[here + 8 + i] = flag
            s[here + 16 + i] = 0
    s[SIZE + BEST_EFFECTS] = best
    return least


def cards_of(s: State, p: int, effects: int, open_: int, first: int) -> int:
    """A programme with these effects, three bits each; a sequence that ended early goes on with what is left."""
    at = layout.ROBOTS + layout.ROBOT * p
    hand = layout.HAND_SIZE - s[at + layout.DAMAGE]
    packed = 0
    used = 0
    for register in range(open_):
        e = (effects >> (3 * register)) & 7
        found = -1
        for k in range(hand):
            j = first + k
            if j >= hand:
                j -= hand
            if (used >> j) & 1 == 0 and (found < 0 or effect_of(s[at + layout.HAND + j]) == e):
                found = j
                if effect_of(s[at + layout.HAND + j]) == e:
                    break
        used |= 1 << found
        packed |= int(s[at + layout.HAND + found]) << (7 * register)
    return packed


def few_programmes(g: Ground, s: State, p: int, r: Rng, candidates: int) -> int:
    """The best of a few random programmes for a robot alone, or a draw by their worth."""
    best = any_cards(s, p, r)
    least = 1e9
    for _ in range(candidates):
        m = any_cards(s, p, r)
        worth = alone(g, s, p, m) + 0.0
        if STRATEGY == DRAWN:
            # Gumbel noise: a draw from the softmax
            worth += WARMTH * registers(1) * np.log(-np.log(unit(r) * 0.999999 + 5e-7))
        if worth < least:
            least = worth
            best = m
    return best


def write_quickly(g: Ground, s: State, p: int, r: Rng) -> int:
    """A programme by any strategy but that of reduced ones."""
    if STRATEGY == ANY_CARDS:
        return any_cards(s, p, r)
    if STRATEGY == STRAYING and unit(r) < EPSILON:
        return any_cards(s, p, r)
    if CANDIDATES == 0 and STRATEGY != DRAWN:
        m = best_alone(g, s, p, r)
    else:
        m = few_programmes(g, s, p, r, CANDIDATES if CANDIDATES > 0 else FEW)
    return m | layout.ANNOUNCE if s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE] >= CALM else m


def playout(g: Ground, s: State, p: int, r: Rng) -> int:
    """The playout strategy, whatever is to be decided."""
    if s[layout.PHASE] == layout.PROGRAMMING:
        if STRATEGY == ANY_REDUCED:
            return move(g, s, p, below(r, count(g, s, p)))
        return write_quickly(g, s, p, r)
    if s[layout.PHASE] == layout.STAYING:
        return 1 if s[layout.ROBOTS + layout.ROBOT * p + layout.DAMAGE] > 2 else 0
    return quick_entry(g, s, p)


def quick_entry(g: Ground, s: State, p: int) -> int:
    """Re-entry nearest to the flag, ties in the order of choices; powered down if that was announced."""
    at = layout.ROBOTS + layout.ROBOT * p
    n = entry_choices(g, s, p, -1)
    best = 0
    least = 1 << 40
    for j in range(n):
        choice = entry_choices(g, s, p, j)
        way = distance(g, s[at + layout.NEXT], choice >> 2, choice & 3)
        if way < least:
            least = way
            best = choice
    return 2 * best


def asked(g: Ground, s: State, p: int) -> int:
    """In place of `count` where only whether a seat is asked matters."""
    if s[layout.PHASE] == layout.PROGRAMMING:
        return 1 if layout.is_awake(s, p) else 0
    return count(g, s, p)


def turns(t: int) -> int:
    """The depth of a playout is counted in turns: only programmes add to it."""
    return 1 if t == -3 else 0


__all__ = ["alone", "asked", "playout", "score_alone", "turns", "value"]
