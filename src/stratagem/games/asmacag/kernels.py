"""Rules of ASMACAG, "a simple multi-action card game": a turn is several actions, and no card is ever drawn again.

A number of the hand is played on a number of the board: the difference, times the factor, is scored, both cards are gone and the
factor is one again. A special card doubles or halves the factor, for whoever plays the next number: it is *not* put back at the
end of a turn. A turn ends after ACTIONS actions, or when the hand is empty; the game, when both hands are, or the board is.

Hands and the board are counts by kind: the numbers from LOWEST up, then DOUBLE and HALF. Scores count in units of
2 ** -UNIT, so that halves of halves stay whole numbers; the factor is kept as its exponent.

PUBLISHED is the slip of the test bed's own code, which takes all special cards for equal: whoever holds one may play it as
either kind, and the one that came first into the hand goes. So the order of each hand's specials is kept then: QUEUE has a bit a
card, 1 for a double, the first one lowest.
"""

from __future__ import annotations

from typing import Any, cast

from stratagem.kernel import CHANCE, NOBODY, OVER, Ground, Moves, Payoffs, State, Unbound
from stratagem.rng import Rng, below

# state: [cards dealt, seat, actions left, exponent of the factor, scores 2, cards held 2, cards of the board, queues 2,
#         hands 2 x KINDS, board NUMBERS, rest KINDS: what was not dealt, and in a view the other's hand]
DEALT, SEAT, LEFT, EXPONENT, SCORE, HELD, ON_BOARD, QUEUE, HAND = 0, 1, 2, 3, 4, 6, 8, 9, 11

# bound for each game
NUMBERS: int = cast(Any, Unbound("NUMBERS"))  # how many different ones
LOWEST: int = cast(Any, Unbound("LOWEST"))
KINDS: int = cast(Any, Unbound("KINDS"))  # NUMBERS + 2
ACTIONS: int = cast(Any, Unbound("ACTIONS"))  # of a turn
TO_HANDS: int = cast(Any, Unbound("TO_HANDS"))  # cards dealt to both hands
TO_DEAL: int = cast(Any, Unbound("TO_DEAL"))  # and to the board as well
UNIT: int = cast(Any, Unbound("UNIT"))
BOARD: int = cast(Any, Unbound("BOARD"))  # where the board's counts begin
REST: int = cast(Any, Unbound("REST"))
POINTS: bool = cast(Any, Unbound("POINTS"))  # payoffs are leads in points, not wins
PUBLISHED: bool = cast(Any, Unbound("PUBLISHED"))

HALFWAY = 20.0  # points ahead that are valued as half a win


def turn(g: Ground, s: State) -> int:
    if s[DEALT] < TO_DEAL:
        return CHANCE
    if s[ON_BOARD] == 0 or s[HELD] + s[HELD + 1] == 0:
        return OVER
    return s[SEAT]


def dealt_kinds(s: State) -> int:
    """Kinds that may be dealt now: the board takes numbers alone."""
    return KINDS if s[DEALT] < TO_HANDS else NUMBERS


def specials(s: State, p: int) -> int:
    return s[HAND + p * KINDS + NUMBERS] + s[HAND + p * KINDS + NUMBERS + 1]


def may_turn(s: State, p: int, kind: int) -> bool:
    """Whether player p may play a special of a kind, 0 to double and 1 to halve."""
    if PUBLISHED:
        return specials(s, p) > 0
    return s[HAND + p * KINDS + NUMBERS + kind] > 0


def count(g: Ground, s: State, p: int) -> int:
    n = 0
    if p == CHANCE:
        for c in range(dealt_kinds(s)):
            n += s[REST + c] > 0
        return n
    held = 0
    open_ = 0
    for c in range(NUMBERS):
        held += s[HAND + p * KINDS + c] > 0
        open_ += s[BOARD + c] > 0
    return held * open_ + may_turn(s, p, 0) + may_turn(s, p, 1)


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    """Specials first, then numbers from the highest of the hand on the lowest of the board."""
    n = 0
    for kind in range(2):
        if may_turn(s, p, kind):
            out[n] = NUMBERS * NUMBERS + kind
            n += 1
    for a in range(NUMBERS - 1, -1, -1):
        if s[HAND + p * KINDS + a] > 0:
            for c in range(NUMBERS):
                if s[BOARD + c] > 0:
                    out[n] = a * NUMBERS + c
                    n += 1
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    for kind in range(2):
        if may_turn(s, p, kind):
            if k == 0:
                return NUMBERS * NUMBERS + kind
            k -= 1
    for a in range(NUMBERS - 1, -1, -1):
        if s[HAND + p * KINDS + a] > 0:
            for c in range(NUMBERS):
                if s[BOARD + c] > 0:
                    if k == 0:
                        return a * NUMBERS + c
                    k -= 1
    return -1


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    if s[SEAT] != p or s[DEALT] < TO_DEAL or s[ON_BOARD] == 0 or m < 0 or m > NUMBERS * NUMBERS + 1:
        return False
    if m >= NUMBERS * NUMBERS:
        return may_turn(s, p, m - NUMBERS * NUMBERS)
    return s[HAND + p * KINDS + m // NUMBERS] > 0 and s[BOARD + m % NUMBERS] > 0


def nth(s: State, at: int, k: int) -> int:
    """The kind of the k-th card of some counts, k from 0."""
    c = 0
    while k >= s[at + c]:
        k -= s[at + c]
        c += 1
    return c


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """Any card of the hand, all alike, and if it is a number any card of the board."""
    a = nth(s, HAND + p * KINDS, below(r, s[HELD + p]))
    if a >= NUMBERS:
        return NUMBERS * NUMBERS + a - NUMBERS
    return a * NUMBERS + nth(s, BOARD, below(r, s[ON_BOARD]))


def odds(g: Ground, s: State, k: int) -> float:
    total = 0
    for c in range(dealt_kinds(s)):
        total += s[REST + c]
    return s[REST + nth_kind(s, k)] / total


def nth_kind(s: State, k: int) -> int:
    """The k-th kind that may be dealt."""
    for c in range(dealt_kinds(s)):
        if s[REST + c] > 0:
            if k == 0:
                return c
            k -= 1
    return -1


def take(s: State, p: int, c: int) -> None:
    """A card of the rest goes into a hand; the number of cards held is counted elsewhere."""
    s[REST + c] -= 1
    if PUBLISHED and c == NUMBERS:
        s[QUEUE + p] |= 1 << specials(s, p)
    s[HAND + p * KINDS + c] += 1


def deal(s: State, c: int) -> None:
    if s[DEALT] < TO_HANDS:
        p = s[DEALT] % 2
        take(s, p, c)
        s[HELD + p] += 1
    else:
        s[REST + c] -= 1
        s[BOARD + c] += 1
        s[ON_BOARD] += 1
    s[DEALT] += 1


def draw(g: Ground, s: State, r: Rng) -> None:
    total = 0
    for c in range(dealt_kinds(s)):
        total += s[REST + c]
    deal(s, nth(s, REST, below(r, total)))


def play(g: Ground, s: State, p: int, m: int) -> None:
    if p == CHANCE:
        deal(s, nth_kind(s, m))
        return
    hand = HAND + p * KINDS
    if m < NUMBERS * NUMBERS:
        a, c = m // NUMBERS, m % NUMBERS
        s[hand + a] -= 1
        s[BOARD + c] -= 1
        s[ON_BOARD] -= 1
        s[SCORE + p] += (a - c) * (1 << (UNIT + s[EXPONENT]))
        s[EXPONENT] = 0
    else:
        kind = m - NUMBERS * NUMBERS
        s[EXPONENT] += 1 - 2 * kind
        if PUBLISHED:
            kind = 1 - (s[QUEUE + p] & 1)
            s[QUEUE + p] >>= 1
        s[hand + NUMBERS + kind] -= 1
    s[HELD + p] -= 1
    s[LEFT] -= 1
    if s[LEFT] == 0 or s[HELD + p] == 0:
        s[SEAT] = 1 - p
        s[LEFT] = ACTIONS


def hide(g: Ground, s: State, p: int) -> None:
    """The hands of others go back among the cards that were not dealt; how many they hold stays."""
    for q in range(2):
        if q != p or p == NOBODY:
            for c in range(KINDS):
                s[REST + c] += s[HAND + q * KINDS + c]
                s[HAND + q * KINDS + c] = 0
            s[QUEUE + q] = 0


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    hide(g, s, p)
    unseen = 0
    for c in range(KINDS):
        unseen += s[REST + c]
    for q in range(2):
        if q != p:
            for _ in range(s[HELD + q]):
                take(s, q, nth(s, REST, below(r, unseen)))
                unseen -= 1


def lead(s: State) -> float:
    """How many points the first seat is ahead."""
    return (s[SCORE] - s[SCORE + 1]) / (1 << UNIT)


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    ahead = lead(s)
    if not POINTS:
        ahead = 1.0 if ahead > 0.0 else -1.0 if ahead < 0.0 else 0.0
    out[0] = ahead
    out[1] = -ahead


def value(g: Ground, s: State, out: Payoffs) -> None:
    """The lead, in points or bent into the range of wins. Cards that are kept have no price, as in the test bed."""
    ahead = lead(s)
    if not POINTS:
        x = ahead / HALFWAY
        ahead = x / (1.0 + abs(x))
    out[0] = ahead
    out[1] = -ahead


def taken(s: State, n: float) -> float:
    """The sum of the n lowest numbers of the board, counted from LOWEST."""
    total = 0.0
    for c in range(NUMBERS):
        here = min(n, float(s[BOARD + c]))
        total += here * c
        n -= here
    return total


def behind(s: State, n: float) -> int:
    """The number of the board behind the n lowest, counted from LOWEST."""
    for c in range(NUMBERS):
        n -= s[BOARD + c]
        if n < 0.0:
            return c
    return NUMBERS - 1


def kept(s: State, p: int) -> float:
    """What the cards that are left may bring player p beside the other, by counting; of a hand that is not shown nothing.

    Turn by turn both play their numbers on the lowest of the board: who takes a low one keeps it from the other. Cards that
    halve go with the worst pairs. Cards that double have no price, or the best turn would always be to keep them."""
    hand, numbers, held, ahead = HAND + p * KINDS, 0, s[HELD + p], 0.0
    for a in range(NUMBERS):
        numbers += s[hand + a]
        ahead += a * s[hand + a]
    if s[ON_BOARD] == 0 or numbers + specials(s, p) < held:
        return 0.0
    unseen = unseen_numbers = points = 0
    for c in range(KINDS):
        cards = s[REST + c] + s[HAND + (1 - p) * KINDS + c]
        unseen += cards
        if c < NUMBERS:
            unseen_numbers += cards
            points += cards * c
    own, other = numbers / max(held, 1), unseen_numbers / max(unseen, 1)  # how many of the cards played are numbers
    seat, left, theirs, used = s[SEAT], s[LEFT], s[HELD + 1 - p], 0.0
    ahead -= theirs * points / max(unseen, 1)
    while held + theirs > 0:
        played = min(left, held) if seat == p else min(left, theirs)
        after = used + played * (own if seat == p else other)
        row = taken(s, after) - taken(s, used)
        if seat == p:
            held -= played
            ahead -= row
        else:
            theirs -= played
            ahead += row
        used, seat, left = after, 1 - seat, ACTIONS
    ahead -= left_to(s, p, used)
    return ahead + halved(s, p, used)


def left_to(s: State, p: int, used: float) -> float:
    """What the factor that player p leaves to the other is worth there; `used`: cards of the board that will be played."""
    e = s[EXPONENT]
    if s[SEAT] == p or s[HELD + 1 - p] == 0 or e == 0:
        return 0.0
    if e > 0:
        return ((1 << e) - 1.0) * (NUMBERS - 1 - behind(s, 0.0))
    return (1.0 - 1.0 / (1 << -e)) * max(behind(s, used - 1.0) - 1.0, 0.0)


def halved(s: State, p: int, used: float) -> float:
    """What player p's cards that halve save, one on each of its worst pairs: its lowest numbers on the last of the board."""
    hand, saved = HAND + p * KINDS, 0.0
    halves = s[hand + NUMBERS + 1]
    if s[SEAT] == p:
        halves -= min(s[EXPONENT], 0)
    for a in range(NUMBERS):
        for _ in range(s[hand + a]):
            loss = behind(s, max(used - 1.0, 0.0)) - a
            if halves == 0 or loss <= 0:
                return saved
            saved += 0.5 * loss
            halves -= 1
            used -= 1.0
    return saved


def prospect(g: Ground, s: State, out: Payoffs) -> None:
    """The lead as in `value`, with a price for the cards that each side keeps: what search by stages breeds its turns by."""
    for p in range(2):
        ahead = (1 - 2 * p) * lead(s) + kept(s, p)
        if not POINTS:
            x = ahead / HALFWAY
            ahead = x / (1.0 + abs(x))
        out[p] = ahead


def order(g: Ground, s: State, p: int, m: int) -> int:
    """What a number scores now, specials between gains and losses."""
    if m >= NUMBERS * NUMBERS:
        return 1000 - (m - NUMBERS * NUMBERS)
    return 1000 + 10 * (m // NUMBERS - m % NUMBERS)
