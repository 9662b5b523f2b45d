"""What chance decides in RoboRally: docks, hands, and the cards of registers that lock while empty."""

from __future__ import annotations

from stratagem.games.roborally import layout
from stratagem.kernel import SIZE, Ground, State
from stratagem.rng import Rng, below


def collect_deck(s: State) -> int:
    """The cards that are in no register; how many."""
    for c in range(layout.CARDS + 1):
        s[SIZE + layout.DECK + c] = 1
    for i in range(layout.SEATS):
        for r in range(layout.REGISTERS):
            s[SIZE + layout.DECK + s[layout.ROBOTS + layout.ROBOT * i + layout.REGISTER + r]] = 0
    n = 0
    for c in range(1, layout.CARDS + 1):
        if s[SIZE + layout.DECK + c] == 1:
            s[SIZE + layout.DECK + n] = c  # n < c: what is overwritten has been read
            n += 1
    return n


def deal_hands(s: State, seat: int, r: Rng) -> None:
    """4.2: 9 - damage cards to every robot that races awake, but not to `seat`, whose hand is known.

    A card that is taken already is drawn again: at most 83 of 84 are, and with four robots about two draws in three hit."""
    low = 0  # cards taken: 1 .. 42 as bits of the one, 43 .. 84 of the other
    high = 0
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        for j in range(layout.HAND_SIZE if i == seat else 0):
            card = int(s[at + layout.HAND + j])
            if card > layout.HALF:
                high |= 1 << (card - layout.HALF)
            else:
                low |= 1 << card
        for j in range(layout.open_registers(s[at + layout.DAMAGE]), layout.REGISTERS):
            card = int(s[at + layout.REGISTER + j])
            if card > layout.HALF:
                high |= 1 << (card - layout.HALF)
            else:
                low |= 1 << card
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        if i == seat:
            continue
        cards = (
            layout.HAND_SIZE - s[at + layout.DAMAGE]
            if s[at + layout.STATUS] == layout.RACING and s[at + layout.DOWN] == 0
            else 0
        )
        for c in range(layout.HAND_SIZE):
            s[at + layout.HAND + c] = layout.NO_CARD
        dealt = 0
        while dealt < cards:
            card = 1 + below(r, layout.CARDS)
            if card > layout.HALF:
                bit = 1 << (card - layout.HALF)
                if high & bit:
                    continue
                high |= bit
            else:
                bit = 1 << card
                if low & bit:
                    continue
                low |= bit
            j = dealt
            while j > 0 and s[at + layout.HAND + j - 1] > card:  # hands lie sorted
                s[at + layout.HAND + j] = s[at + layout.HAND + j - 1]
                j -= 1
            s[at + layout.HAND + j] = card
            dealt += 1


def fill_registers(g: Ground, s: State, r: Rng) -> None:
    """Ruling 11: locked registers that are empty get cards from the top of the undealt deck."""
    n = collect_deck(s)
    # what was dealt this turn is not undealt: hands are still there
    kept = 0
    for k in range(n):
        card = s[SIZE + layout.DECK + k]
        dealt = False
        for i in range(layout.SEATS):
            for c in range(layout.HAND_SIZE):
                if s[layout.ROBOTS + layout.ROBOT * i + layout.HAND + c] == card:
                    dealt = True
        if not dealt:
            s[SIZE + layout.DECK + kept] = card
            kept += 1
    n = kept
    for dock in range(layout.SEATS):
        i = layout.by_dock(s, dock)
        at = layout.ROBOTS + layout.ROBOT * i
        if s[at + layout.STATUS] == layout.RACING:
            for register in range(layout.open_registers(s[at + layout.DAMAGE]), layout.REGISTERS):
                if s[at + layout.REGISTER + register] == layout.NO_CARD:
                    k = below(r, n)
                    s[at + layout.REGISTER + register] = s[SIZE + layout.DECK + k]
                    n -= 1
                    s[SIZE + layout.DECK + k] = s[SIZE + layout.DECK + n]


def place_on_docks(g: Ground, s: State) -> None:
    """Every robot to its dock; DOCK is set."""
    for i in range(layout.SEATS):
        at = layout.ROBOTS + layout.ROBOT * i
        dock = g[layout.DOCKS_AT] + 2 * s[at + layout.DOCK]
        s[at + layout.AT] = g[dock]
        s[at + layout.ARCHIVE] = g[dock]
        s[at + layout.FACING] = g[dock + 1]
        s[at + layout.LIVES] = layout.STARTING_LIVES
        s[at + layout.NEXT] = 1
        s[at + layout.FELL] = -1
    s[layout.TURN] = 1
    s[layout.WHO] = -1
    s[layout.PHASE] = layout.DEALING


def draw_docks(g: Ground, s: State, r: Rng) -> None:
    """Before the race: a random dock for every robot."""
    for i in range(layout.SEATS):
        s[layout.ROBOTS + layout.ROBOT * i + layout.DOCK] = i
    for i in range(layout.SEATS - 1, 0, -1):
        j = below(r, i + 1)
        other = s[layout.ROBOTS + layout.ROBOT * j + layout.DOCK]
        s[layout.ROBOTS + layout.ROBOT * j + layout.DOCK] = s[layout.ROBOTS + layout.ROBOT * i + layout.DOCK]
        s[layout.ROBOTS + layout.ROBOT * i + layout.DOCK] = other
    place_on_docks(g, s)
