"""Which programmes of a RoboRally hand are the same, done slowly: every exchange of two cards tried by the definition.

Cards a < b of one effect may be exchanged between two places (open registers, or the hand that is left over) if no card strictly
between them can be played by another robot in either place. A card cannot if it is in our hand or locked in our registers, or
locked in a register of somebody else's that is neither of the two places. Rotations by one angle may always be exchanged.
"""

from itertools import permutations

OPEN_HAND = 0  # the place of cards that are not played; registers are 1 .. k


def effect(card):
    if card <= 6:
        return "u-turn"
    if card <= 42:
        return "left" if card % 2 else "right"
    return "back" if card <= 48 else "1" if card <= 66 else "2" if card <= 78 else "3"


def may_exchange(a, b, places, hand, locked):
    """`locked` is a list of (register, card, own)."""
    if effect(a) != effect(b):
        return False
    if a <= 42:
        return True
    for card in range(min(a, b) + 1, max(a, b)):
        harmless = card in hand
        for register, held, own in locked:
            if held == card and (own or register not in places):
                harmless = True
        if not harmless:
            return False
    return True


def neighbours(cards, hand, locked):
    """All programmes that one exchange makes of a programme, a tuple of cards."""
    left = [card for card in hand if card not in cards]
    for p, a in enumerate(cards):
        for b in left:
            if may_exchange(a, b, (p + 1, OPEN_HAND), hand, locked):
                yield (*cards[:p], b, *cards[p + 1 :])
        for q in range(p + 1, len(cards)):
            b = cards[q]
            if may_exchange(a, b, (p + 1, q + 1), hand, locked):
                swapped = list(cards)
                swapped[p], swapped[q] = b, a
                yield tuple(swapped)


def orbits(hand, k, locked):
    """A list of sets of programmes that exchanges lead to from one another."""
    # a card between two is harmless in two places if it is in each of them, so that each place can be asked about once
    free = {
        (a, b): {p for p in range(k + 1) if may_exchange(a, b, (p, p), hand, locked)}
        for a in hand
        for b in hand
        if a != b
    }
    partners = {a: [(b, free[a, b]) for b in hand if b != a and free[a, b]] for a in hand}
    unseen, found = set(permutations(sorted(hand), k)), []
    while unseen:
        start = unseen.pop()
        orbit, todo = {start}, [start]
        while todo:
            cards = todo.pop()
            at = {card: p for p, card in enumerate(cards)}
            for p, a in enumerate(cards):
                for b, places in partners[a]:
                    q = at.get(b, -1)  # -1: it is not played, and lies in the open hand
                    if p + 1 not in places or q + 1 not in places or 0 <= q < p:
                        continue
                    swapped = list(cards)
                    swapped[p] = b
                    if q >= 0:
                        swapped[q] = a
                    other = tuple(swapped)
                    if other in unseen:
                        unseen.remove(other)
                        orbit.add(other)
                        todo.append(other)
        found.append(orbit)
    return found
