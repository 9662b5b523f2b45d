"""Rules of classic Risk, 2 to 6 seats, as kernels.

**Phases**, with who decides and the texts of the moves (a territory is its id, `alaska`; a number is how many armies):

| phase | who | moves | then |
|---|---|---|---|
| `deal` | chance | a free territory, for the sides in turn | `place` |
| `claim` | seat | a free territory | `place` |
| `place` | seat | an own territory takes one army (`neutral`: own, own, then one of neutral's) | `trade`, `reinforce` |
| `trade` | seat | three cards `alaska+peru+wild1`, or `keep`; with 3 cards or more, set or not | `bonus`, `trade`, `reinforce` |
| `bonus` | seat | which own territory on the cards traded takes two armies, if there are several | as after `trade` |
| `reinforce` | seat | an own territory | `add` |
| `add` | seat | 1 up to all armies in the pool | `reinforce`, or `attack` when all are placed |
| `attack` | seat | `alaska>kamchatka`, or `stop` | `dice`, `fortify` |
| `dice` | seat | `roll 1` to `roll 3`; `until 1` ..: the most dice until captured or so few armies are left | `defend`, `roll` |
| `defend` | defender | `defend 1`, `defend 2`; with defence `choose` and two armies or more, never neutral | `roll` |
| `roll` | chance | `lost 1:1`: armies lost by the attacker and the defender | `roll`, `defend`, `attack`, `occupy` |
| `occupy` | seat | how many armies move in: the dice of the last roll up to all but one | `attack`, `trade`, `over` |
| `fortify` | seat | `alaska>alberta`, or `end` | `shift`, `card`, next turn |
| `shift` | seat | 1 up to all but one | `card`, next turn |
| `card` | chance | `A draws alaska`; if a territory was captured and there is a card | next turn |
| `over` | | | |

A turn that begins with three cards or more begins with `trade` whatever they are, so that the phase tells nothing of the
hand. Nothing else is skipped because only one move is there. `occupy` comes before anything else that a capture brings, the
end of the game included. After `until`, chance (and a defender who may choose) is asked again and again, but not the
attacker: the distribution is that of single rolls because it is single rolls.

**State**, all int64; a seat is 0 .. 5, with `neutral` side 2 is the neutral one; -1 is nobody:

    PHASE PLAYER TURN SETS CAPTURED BONUS FROM TO DICE UNTIL DEFENCE POOL MIDTURN PICKS STEP | LEFT 6 | OWNS 6 | HELD 6
    | OWNER 42 | ARMIES 42 | CARD 44

PLAYER: whose turn it is. TURN: turns of players begun. SETS: sets traded so far, by anyone. CAPTURED, BONUS: this turn a
territory was taken, the two armies for a card were. FROM, TO: territories of the attack, occupation or fortification under
way; FROM alone: of `add`; in `bonus` FROM, TO and DICE are the cards traded. DICE, DEFENCE: dice of the roll. UNTIL: 0 for a
single roll. POOL: armies to place now. MIDTURN: trading or placing after an elimination. PICKS: territories claimed. STEP:
of a placement with `neutral`, 0 to 2; in `occupy` the side whose territory it was. LEFT: armies still to be placed in the
setup. OWNS: territories. HELD: number of cards. CARD: where each card is, UNSEEN (the deck, and in a view the hands of
others), DISCARDED, or HAND + seat. Cards 0 to 41 show that territory and the symbol i mod 3, 42 and 43 are wild.

**Text of a position**: `NAME=VALUE` words, those that are zero, empty or nobody left out, except the first four:

    phase=attack seat=A turn=7 board=A3,A1,B2,.. sets=2 captured bonus from=alaska to=kamchatka dice=3 until=1 defence=2
    pool=5 midturn step=1 was=B cards=peru+japan+siam hands=alaska+wild1/-/?2 discard=peru+japan+siam

`board` has the 42 territories in canonical order, the owner's letter and the armies, `N` for neutral, `.` for free.
`hands` has one hand a seat; `?2` is two cards that this view does not show.
"""

from __future__ import annotations

from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENTS, LANDS, LOSSES, TERRITORIES, TOUCHES
from stratagem.kernel import CHANCE, NOBODY, OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below, unit

PHASE, PLAYER, TURN, SETS, CAPTURED, BONUS, FROM, TO, DICE, UNTIL, DEFENCE, POOL, MIDTURN, PICKS, STEP = range(15)
LEFT, OWNS, HELD, OWNER, ARMIES, CARD = 15, 21, 27, 33, 75, 117
STATE_SIZE = 161

(
    DEALING,
    CLAIM,
    PLACE,
    TRADE,
    CHOOSE_BONUS,
    REINFORCE,
    ADD,
    ATTACK,
    HOW,
    DEFEND,
    ROLL,
    OCCUPY,
    FORTIFY,
    SHIFT,
    DRAW,
    ENDED,
) = range(16)
PHASES = (
    "deal",
    "claim",
    "place",
    "trade",
    "bonus",
    "reinforce",
    "add",
    "attack",
    "dice",
    "defend",
    "roll",
    "occupy",
    "fortify",
    "shift",
    "card",
    "over",
)

SETUP_ARMIES = {2: 40, 3: 35, 4: 30, 5: 25, 6: 20}  # of each side, by seats
DECK = 44
UNSEEN, DISCARDED, HAND = 0, 1, 2
WILD = 42  # cards from here on
KEEP = DECK * DECK * DECK  # the trade of no set
STOP = TERRITORIES * TERRITORIES  # of attacking, and of the turn
DICE_MOVES = 3  # `roll 1` to `roll 3` are the moves 1 to 3, `until k` is 3 + k
LISTED = 1000  # numbers of armies that are listed; where more are possible, the last one listed is all of them
MOST_MOVES = TERRITORIES * (TERRITORIES - 1) + 1
ESCALATING, FIXED, NO_CARDS = 0, 1, 2
ADJACENT, CONNECTED, NO_FORTIFY = 0, 1, 2

# bound for each game
SEATS, SIDES = 3, 3
NEUTRAL, DEALT, SNAKE, DEFENDER_CHOOSES = False, False, False, False
CARDS, FORTIFYING = ESCALATING, ADJACENT

TURN_CAP = 0  # the ground's only cell: turns after which the game stops undecided, 0 for never


# ------------------------------------------------------------------------------------------------- reading the board


def owned(s: State, p: int) -> int:
    """The territories of a side as bits."""
    mask = 0
    for t in range(TERRITORIES):
        mask |= (1 if s[OWNER + t] == p else 0) << t
    return mask


def armies(s: State, p: int) -> int:
    """The armies of a side on the board."""
    total = 0
    for t in range(TERRITORIES):
        total += s[ARMIES + t] if s[OWNER + t] == p else 0
    return total


def bonuses(mask: int) -> int:
    """The bonuses of the continents that lie wholly in a set of territories."""
    total = 0
    for c in range(CONTINENTS):
        if mask & LANDS[c] == LANDS[c]:
            total += BONUSES[c]
    return total


def reinforcement(s: State, p: int) -> int:
    """The armies that a seat receives at the start of its turn, cards apart."""
    return max(3, s[OWNS + p] // 3) + bonuses(owned(s, p))


def region(own: int, t: int) -> int:
    """The territories of a set that are joined to t within it, as bits."""
    found = 1 << t
    edge = found
    while edge != 0:
        grown = 0
        for x in range(TERRITORIES):
            if edge >> x & 1:
                grown |= TOUCHES[x]
        edge = grown & own & ~found
        found |= edge
    return found


def is_set(a: int, b: int, c: int) -> bool:
    """Three cards, ascending: alike, all different, or with a wild one (which then is the last)."""
    return c >= WILD or (a + b + c) % 3 == 0


def escalated(k: int) -> int:
    """The worth of the k-th set traded in a game, k from 1: 4, 6, 8, 10, 12, 15, 20, 25, .."""
    return 2 + 2 * k if k <= 5 else 15 + 5 * (k - 6)


def worth(s: State, a: int, b: int, c: int) -> int:
    """The armies for a set, cards ascending."""
    if CARDS == ESCALATING:
        return escalated(s[SETS] + 1)
    if b >= WILD:
        return 10
    if a % 3 != b % 3 or (c < WILD and a % 3 != c % 3):
        return 10
    return 4 + 2 * (a % 3)


def winner(s: State) -> int:
    """The seat that has won, or -1."""
    if NEUTRAL:
        for p in range(2):
            if s[OWNS + p] > 0 and s[OWNS + 1 - p] == 0 and s[PICKS] == TERRITORIES:
                return p
        return -1
    for p in range(SEATS):
        if s[OWNS + p] == TERRITORIES:
            return p
    return -1


# ------------------------------------------------------------------------------------------------------- who decides


def turn(g: Ground, s: State) -> int:
    phase = s[PHASE]
    if phase in (DEALING, ROLL, DRAW):
        return CHANCE
    if phase == ENDED:
        return OVER
    if phase == DEFEND:
        return s[OWNER + s[TO]]
    return s[PLAYER]


def numbers(s: State) -> int:
    """In a phase that asks how many: the least and the most, as least + most << 32."""
    least, most = 1, s[POOL]
    if s[PHASE] == OCCUPY:
        least, most = s[DICE], s[ARMIES + s[FROM]] - 1
    elif s[PHASE] == SHIFT:
        most = s[ARMIES + s[FROM]] - 1
    elif s[PHASE] == HOW:
        most = DICE_MOVES + s[ARMIES + s[FROM]] - 1
    elif s[PHASE] == DEFEND:
        most = 2
    return least + (most << 32)


def targets(s: State, p: int, a: int, own: int) -> int:
    """Where armies of an own territory may attack or be moved, as bits."""
    if s[PHASE] == ATTACK:
        return TOUCHES[a] & ~own
    if FORTIFYING == CONNECTED:
        return region(own, a) & ~(1 << a)
    return TOUCHES[a] & own


def scan(s: State, p: int, wanted: int, out: Moves) -> int:
    """The move number `wanted`, counted from 0, of player p, or, if there is none, how many there are; `out` takes those it
    has room for."""
    phase = s[PHASE]
    n = 0
    stop = phase in (ATTACK, FORTIFY)
    if stop or (phase == TRADE and s[MIDTURN] == 0 and s[HELD + p] < 5):
        if wanted == 0:
            return STOP if stop else KEEP
        if out.shape[0] > 0:
            out[0] = STOP if stop else KEEP
        n = 1
    if stop:
        own = owned(s, p)
        for a in range(TERRITORIES):
            if s[OWNER + a] == p and s[ARMIES + a] >= 2:
                goals = targets(s, p, a, own)
                for b in range(TERRITORIES):
                    if goals >> b & 1:
                        if n == wanted:
                            return a * TERRITORIES + b
                        if n < out.shape[0]:
                            out[n] = a * TERRITORIES + b
                        n += 1
    elif phase in (DEALING, CLAIM, PLACE, CHOOSE_BONUS, REINFORCE):
        side = -1 if phase <= CLAIM else p
        if NEUTRAL and phase == PLACE and s[STEP] == 2:
            side = 2
        for t in range(TERRITORIES):
            if s[OWNER + t] == side and (phase != CHOOSE_BONUS or t == s[FROM] or t == s[TO] or t == s[DICE]):
                if n == wanted:
                    return t
                if n < out.shape[0]:
                    out[n] = t
                n += 1
    elif phase == TRADE:
        for a in range(DECK):
            if s[CARD + a] == HAND + p:
                for b in range(a + 1, DECK):
                    if s[CARD + b] == HAND + p:
                        for c in range(b + 1, DECK):
                            if s[CARD + c] == HAND + p and is_set(a, b, c):
                                if n == wanted:
                                    return a + DECK * (b + DECK * c)
                                if n < out.shape[0]:
                                    out[n] = a + DECK * (b + DECK * c)
                                n += 1
    else:  # how many: the k-th is least + k, but the last one listed is all; of `roll` only as many dice as there may be
        bounds = numbers(s)
        least, most = bounds & 0xFFFFFFFF, bounds >> 32
        size = min(most - least + 1, LISTED)
        gap = max(2 * DICE_MOVES - most, 0) if phase == HOW else 0
        size -= gap
        for k in range(max(wanted, 0), size):
            m = most if k == size - 1 else least + k + (gap if k >= DICE_MOVES - gap else 0)
            if k == wanted:
                return m
            if k < out.shape[0]:
                out[k] = m
        n = size
    return n


def count(g: Ground, s: State, p: int) -> int:
    if p == CHANCE:
        if s[PHASE] == ROLL:
            return min(s[DICE], s[DEFENCE]) + 1
        if s[PHASE] == DRAW:
            n = 0
            for c in range(DECK):
                n += s[CARD + c] == UNSEEN
            return n
        return TERRITORIES - s[PICKS]
    return scan(s, p, -1, s[:0])


def move(g: Ground, s: State, p: int, k: int) -> int:
    return scan(s, p, k, s[:0])


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    return scan(s, p, -1, out)


def allowed(g: Ground, s: State, p: int, m: int) -> bool:
    """The same as `scan` would find, without going through all that there is."""
    phase = s[PHASE]
    if phase in (ATTACK, FORTIFY):
        if m < 0 or m >= STOP:
            return m == STOP
        a, b = m // TERRITORIES, m % TERRITORIES
        if s[OWNER + a] != p or s[ARMIES + a] < 2:
            return False
        return targets(s, p, a, owned(s, p)) >> b & 1 == 1
    if phase in (CLAIM, PLACE, CHOOSE_BONUS, REINFORCE):
        side = -1 if phase == CLAIM else p
        if NEUTRAL and phase == PLACE and s[STEP] == 2:
            side = 2
        if m < 0 or m >= TERRITORIES or s[OWNER + m] != side:
            return False
        return phase != CHOOSE_BONUS or m == s[FROM] or m == s[TO] or m == s[DICE]
    if phase == TRADE:
        if m < 0 or m >= KEEP:
            return m == KEEP and s[MIDTURN] == 0 and s[HELD + p] < 5
        a, b, c = m % DECK, m // DECK % DECK, m // (DECK * DECK)
        mine = s[CARD + a] == HAND + p and s[CARD + b] == HAND + p and s[CARD + c] == HAND + p
        return a < b < c and mine and is_set(a, b, c)
    bounds = numbers(s)
    least, most = bounds & 0xFFFFFFFF, bounds >> 32
    if m < least or m > most:
        return False
    if phase == HOW and m <= DICE_MOVES:  # only as many dice as there may be
        return m <= DICE_MOVES - max(2 * DICE_MOVES - most, 0)
    return m - least < LISTED - 1 or m == most


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    wanted, found = -1, 0
    for _ in range(2):  # counting and choosing by one call in the text: half of what there is to compile
        found = scan(s, p, wanted, s[:0])
        if wanted < 0:
            wanted = below(r, found)
    return found


def odds(g: Ground, s: State, k: int) -> float:
    if s[PHASE] == ROLL:
        return LOSSES[s[DICE] - 1, s[DEFENCE] - 1, k]
    return 1.0 / count(g, s, CHANCE)


def draw(g: Ground, s: State, r: Rng) -> None:
    if s[PHASE] == ROLL:
        x = unit(r)
        k = 0
        while k < min(s[DICE], s[DEFENCE]) and x >= LOSSES[s[DICE] - 1, s[DEFENCE] - 1, k]:
            x -= LOSSES[s[DICE] - 1, s[DEFENCE] - 1, k]
            k += 1
        resolve(s, k)
    elif s[PHASE] == DRAW:
        take_card(g, s, below(r, count(g, s, CHANCE)))
    else:
        claim(s, nth_free(s, below(r, TERRITORIES - s[PICKS])))


# ------------------------------------------------------------------------------------------------------ what happens


def play(g: Ground, s: State, p: int, m: int) -> None:
    phase = s[PHASE]
    ends = False
    if phase == ROLL:
        resolve(s, m)
    elif phase == ATTACK:
        if m == STOP:
            if FORTIFYING == NO_FORTIFY:
                ends = True
            else:
                s[PHASE] = FORTIFY
        else:
            s[FROM] = m // TERRITORIES
            s[TO] = m % TERRITORIES
            s[PHASE] = HOW
    elif phase == HOW:
        s[UNTIL] = 0 if m <= DICE_MOVES else m - DICE_MOVES
        throw(s, m if m <= DICE_MOVES else min(3, s[ARMIES + s[FROM]] - 1))
    elif phase == DEFEND:
        s[DEFENCE] = m
        s[PHASE] = ROLL
    elif phase == OCCUPY:
        occupy(s, m)
    elif phase == REINFORCE:
        s[FROM] = m
        s[PHASE] = ADD
    elif phase == ADD:
        s[ARMIES + s[FROM]] += m
        s[POOL] -= m
        s[FROM] = 0
        if s[POOL] > 0:
            s[PHASE] = REINFORCE
        else:
            s[MIDTURN] = 0
            s[PHASE] = ATTACK
    elif phase == FORTIFY:
        if m == STOP:
            ends = True
        else:
            s[FROM] = m // TERRITORIES
            s[TO] = m % TERRITORIES
            s[PHASE] = SHIFT
    elif phase == SHIFT:
        s[ARMIES + s[FROM]] -= m
        s[ARMIES + s[TO]] += m
        ends = True
    elif phase == TRADE:
        trade(s, p, m)
    elif phase == CHOOSE_BONUS:
        s[FROM] = 0
        s[TO] = 0
        s[DICE] = 0
        s[ARMIES + m] += 2
        s[BONUS] = 1
        after_trade(s, p)
    elif phase == PLACE:
        place(g, s, p, m)
    elif phase == DRAW:
        take_card(g, s, m)
    else:
        claim(s, nth_free(s, m) if phase == DEALING else m)
    if ends:
        finish(g, s)


def nth_free(s: State, k: int) -> int:
    """The k-th free territory, k from 0."""
    for t in range(TERRITORIES):
        if s[OWNER + t] < 0:
            if k == 0:
                return t
            k -= 1
    return -1


def claimer(k: int) -> int:
    """The side that claims the k-th territory, k from 0."""
    sides = SIDES if DEALT else SEATS
    if SNAKE and k // sides % 2 == 1:
        return sides - 1 - k % sides
    return k % sides


def claim(s: State, t: int) -> None:
    side = claimer(s[PICKS])
    s[OWNER + t] = side
    s[ARMIES + t] = 1
    s[OWNS + side] += 1
    s[LEFT + side] -= 1
    s[PICKS] += 1
    if s[PICKS] < TERRITORIES:
        s[PLAYER] = claimer(s[PICKS]) if s[PHASE] == CLAIM else 0
    else:
        s[PHASE] = PLACE
        s[PLAYER] = (side + 1) % SIDES


def place(g: Ground, s: State, p: int, t: int) -> None:
    """One army of the setup."""
    s[ARMIES + t] += 1
    s[LEFT + s[OWNER + t]] -= 1
    if NEUTRAL:
        s[STEP] = (s[STEP] + 1) % 3
        if s[STEP] != 0:
            return
    q = p
    for _ in range(SEATS):
        q = (q + 1) % SEATS
        if s[LEFT + q] > 0:
            s[PLAYER] = q
            return
    begin(g, s, 0)


def begin(g: Ground, s: State, p: int) -> None:
    """The turn of a seat begins."""
    if g[TURN_CAP] > 0 and s[TURN] >= g[TURN_CAP]:
        s[PHASE] = ENDED
        return
    s[TURN] += 1
    s[PLAYER] = p
    s[CAPTURED] = 0
    s[BONUS] = 0
    s[POOL] = reinforcement(s, p)
    s[PHASE] = TRADE if s[HELD + p] >= 3 else REINFORCE


def trade(s: State, p: int, m: int) -> None:
    if m == KEEP:
        s[PHASE] = REINFORCE
        return
    a, b, c = m % DECK, m // DECK % DECK, m // (DECK * DECK)
    s[POOL] += worth(s, a, b, c)
    s[SETS] += 1
    s[HELD + p] -= 3
    s[CARD + a] = DISCARDED
    s[CARD + b] = DISCARDED
    s[CARD + c] = DISCARDED
    if s[BONUS] == 0:
        fitting = 0
        best = 0
        for k in range(3):
            t = a if k == 0 else b if k == 1 else c
            if t < WILD and s[OWNER + t] == p:
                fitting += 1
                best = t
        if fitting == 1:
            s[ARMIES + best] += 2
            s[BONUS] = 1
        elif fitting > 1:
            s[FROM] = a
            s[TO] = b
            s[DICE] = c
            s[PHASE] = CHOOSE_BONUS
            return
    after_trade(s, p)


def after_trade(s: State, p: int) -> None:
    """Another set may follow; after an elimination it must with more than four cards, and may not with fewer."""
    if s[MIDTURN] == 1:
        s[PHASE] = TRADE if s[HELD + p] > 4 else REINFORCE
    else:
        s[PHASE] = TRADE if s[HELD + p] >= 3 else REINFORCE


def throw(s: State, dice: int) -> None:
    """An attack with that many dice: the defender is asked for its number, or takes the most."""
    s[DICE] = dice
    s[DEFENCE] = min(2, s[ARMIES + s[TO]])
    s[PHASE] = ROLL
    if DEFENDER_CHOOSES and s[ARMIES + s[TO]] >= 2 and s[OWNER + s[TO]] < SEATS:
        s[DEFENCE] = 0
        s[PHASE] = DEFEND


def resolve(s: State, lost: int) -> None:
    """The dice have cost the attacker `lost` armies and the defender the others."""
    a, d = s[FROM], s[TO]
    s[ARMIES + a] -= lost
    s[ARMIES + d] -= min(s[DICE], s[DEFENCE]) - lost
    s[DEFENCE] = 0
    if s[ARMIES + d] == 0:
        s[OWNS + s[OWNER + d]] -= 1
        s[OWNS + s[PLAYER]] += 1
        s[STEP] = s[OWNER + d]  # whose it was, until the occupation is done
        s[OWNER + d] = s[PLAYER]
        s[CAPTURED] = 1
        s[UNTIL] = 0
        s[PHASE] = OCCUPY
    elif s[UNTIL] > 0 and s[ARMIES + a] > s[UNTIL]:
        throw(s, min(3, s[ARMIES + a] - 1))
    else:
        s[FROM] = 0
        s[TO] = 0
        s[DICE] = 0
        s[UNTIL] = 0
        s[PHASE] = ATTACK


def occupy(s: State, n: int) -> None:
    p, q = s[PLAYER], s[STEP]
    s[ARMIES + s[FROM]] -= n
    s[ARMIES + s[TO]] += n
    s[FROM] = 0
    s[TO] = 0
    s[DICE] = 0
    s[STEP] = 0
    s[PHASE] = ATTACK
    if s[OWNS + q] == 0 and q < SEATS:
        for c in range(DECK):
            if s[CARD + c] == HAND + q:
                s[CARD + c] = HAND + p
        s[HELD + p] += s[HELD + q]
        s[HELD + q] = 0
        if winner(s) >= 0:
            s[PHASE] = ENDED
        elif s[HELD + p] >= 6:
            s[MIDTURN] = 1
            s[PHASE] = TRADE


def finish(g: Ground, s: State) -> None:
    """The end of a turn but for its card."""
    s[FROM] = 0
    s[TO] = 0
    if s[CAPTURED] == 1 and CARDS != NO_CARDS:
        held = 0
        dealt = 0
        for p in range(SEATS):
            held += s[HELD + p]
        for c in range(DECK):
            dealt += s[CARD + c] == DISCARDED
        if held + dealt == DECK:  # the deck is empty: the discards become the new one
            for c in range(DECK):
                if s[CARD + c] == DISCARDED:
                    s[CARD + c] = UNSEEN
        if held < DECK:
            s[PHASE] = DRAW
            return
    pass_on(g, s)


def take_card(g: Ground, s: State, k: int) -> None:
    """The player draws the k-th unseen card, k from 0."""
    for c in range(DECK):
        if s[CARD + c] == UNSEEN:
            if k == 0:
                s[CARD + c] = HAND + s[PLAYER]
                s[HELD + s[PLAYER]] += 1
                break
            k -= 1
    pass_on(g, s)


def pass_on(g: Ground, s: State) -> None:
    q = (s[PLAYER] + 1) % SEATS
    while s[OWNS + q] == 0:
        q = (q + 1) % SEATS
    begin(g, s, q)


# ---------------------------------------------------------------------------------------------------- what is hidden


def hide(g: Ground, s: State, p: int) -> None:
    """The hands of others go back among the unseen cards; how many they hold stays."""
    for c in range(DECK):
        if s[CARD + c] >= HAND and (p == NOBODY or s[CARD + c] != HAND + p):
            s[CARD + c] = UNSEEN


def guess(g: Ground, s: State, p: int, r: Rng) -> None:
    hide(g, s, p)
    unseen = 0
    for c in range(DECK):
        unseen += s[CARD + c] == UNSEEN
    for q in range(SEATS):
        if q != p:
            for _ in range(s[HELD + q]):
                k = below(r, unseen)
                unseen -= 1
                for c in range(DECK):
                    if s[CARD + c] == UNSEEN:
                        if k == 0:
                            s[CARD + c] = HAND + q
                            break
                        k -= 1


# ------------------------------------------------------------------------------------------------------------ worths


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    """The winner takes one from the others together; a game stopped at its cap has no winner."""
    won = winner(s)
    for p in range(SEATS):
        out[p] = 0.0 if won < 0 else -1.0 / (SEATS - 1)
    if won >= 0:
        out[won] = 1.0


def value(g: Ground, s: State, out: Payoffs) -> None:
    """Shares of strength, squared: armies, and what two turns will bring."""
    total = 0.0
    for p in range(SEATS):
        out[p] = 0.0
        if s[OWNS + p] > 0 or s[PICKS] < TERRITORIES:
            strength = 1.0 + s[LEFT + p] + 2.0 * reinforcement(s, p) + 1.5 * s[HELD + p]
            for t in range(TERRITORIES):
                if s[OWNER + t] == p:
                    strength += s[ARMIES + t]
            if p == s[PLAYER]:
                strength += s[POOL]
            out[p] = strength * strength
        total += out[p]
    for p in range(SEATS):
        share = out[p] / total
        out[p] = 0.98 * (share - (1.0 - share) / (SEATS - 1))
