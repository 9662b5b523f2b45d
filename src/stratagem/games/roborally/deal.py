"""What chance decides in RoboRally: docks, hands, and the cards of registers that lock while empty."""

from __future__ import annotations

from stratagem.games.roborally.layout import (
    ARCHIVE,
    AT,
    CARDS,
    DAMAGE,
    DEALING,
    DECK,
    DOCK,
    DOCKS_AT,
    DOWN,
    FACING,
    FELL,
    HALF,
    HAND,
    HAND_SIZE,
    LIVES,
    NEXT,
    NO_CARD,
    PHASE,
    RACING,
    REGISTER,
    REGISTERS,
    ROBOT,
    ROBOTS,
    SEATS,
    STARTING_LIVES,
    STATUS,
    TURN,
    WHO,
    by_dock,
    open_registers,
)
from stratagem.kernel import SIZE, Ground, State
from stratagem.rng import Rng, below


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
