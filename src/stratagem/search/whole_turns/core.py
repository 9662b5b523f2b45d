"""What the searches of the literature on whole turns share: a turn is a row of genes, each one decision.

A row is *carried out* from the beginning of the turn. A gene that is not allowed when its moment comes is repaired: another
decision takes its place, at random or the greedily best. A turn that is longer than its row is filled up the same way. So
every row is a legal turn. It is judged when the turn is over, after the hand-over and whatever chance brings then, by the
rules' `value` for the seat that searches, or by its payoff where the game is over.

Dice inside a turn make a row an open-loop plan. It is carried out in `samples` worlds with streams of chance of their own, the
same for all rows, and repaired inside each; its value is the mean. What is hidden is guessed once a world.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    OVER,
    SIZE,
    Ground,
    Moves,
    Payoffs,
    State,
    allowed,
    draw,
    guess,
    key,
    moves,
    order,
    payoff,
    play,
    sample,
    turn,
    turns,
    value,
)
from stratagem.rng import Rng, below, mix, seed_stream

Rows = NDArray[np.int64]
Reals = NDArray[np.float64]

# how turns are repaired; whole tail: all that follows a broken gene, greedily
AT_RANDOM, GREEDILY, WHOLE_TAIL = range(3)
TURNS, GENES, REPAIRED, LOOKS, DISTINCT, BEST, LEAST, MOST = range(8)  # of `TurnArrays.tally`
TRIED = 16  # cells of a table that are looked at for one key
SEARCH_STREAM = 1 << 40  # far from the streams of worlds

# bound
HAS_CHANCE: bool = cast(Any, True)  # whether there is chance anywhere
DICE: bool = cast(Any, True)  # whether there is chance inside a turn
SECRET: bool = cast(Any, False)
COUNTS_TURNS: bool = cast(Any, False)  # whether the rules give `turns`
HAS_SAMPLE: bool = cast(Any, True)
HAS_ORDER: bool = cast(Any, False)
AHEAD: bool = cast(Any, False)  # whether this search may look past its own turn
INSERTS: bool = cast(Any, False)  # whether mutations may put a decision into a turn


class TurnTerms(NamedTuple):
    """The settings of every search, as compiled code reads them."""

    turns: int  # to judge
    seed: int
    samples: int  # worlds
    mending: int  # AT_RANDOM, GREEDILY or WHOLE_TAIL
    horizon: int  # turns of all players after one's own until the judgement
    narrow: int  # actions that a greedy reply looks at, the best by the rules' order; 0: all
    distinct: int  # whether different outcomes are counted


class TurnArrays(NamedTuple):
    """What every search writes to; a search's own arrays are in a record of its own."""

    worlds: Rows  # [samples, cells]: the position with what is hidden guessed
    s: State  # [cells]: the position at hand
    ahead: State  # [cells]: a copy for looking one decision ahead
    r: Rng  # random draws of the search
    dice: Rng  # chance inside turns: a stream a world
    luck: Rng  # chance while looking ahead
    listed: Moves  # [moves]
    out: Payoffs  # [players]
    genes: Rows  # [rows + 2, decisions of the longest turn]; the last two are spare; a longer turn is cut and judged as it is
    lengths: Moves  # [rows + 2]
    values: Reals  # [rows + 2]
    keys: Moves  # [a power of two]: outcomes seen, where they are counted; else a single cell
    best: Moves  # [1 + columns of `genes`]: the length of the best turn so far, then its genes
    tally: Reals  # [8]


# ---------------------------------------------------------------------------------------------------------- the rules


def copy(to: State, s: State) -> None:
    for x in range(SIZE):
        to[x] = s[x]


def settle(g: Ground, s: State, r: Rng) -> int:
    """Draw what chance brings; returns who decides then."""
    t = turn(g, s)
    if HAS_CHANCE:
        while t == CHANCE:
            draw(g, s, r)
            t = turn(g, s)
    return t


def begun(g: Ground, s: State) -> int:
    """Which turn it is, where one player's turns may follow each other."""
    if COUNTS_TURNS:
        return turns(g, s)
    return 0


def goes_on(g: Ground, s: State, p: int, which: int, r: Rng) -> bool:
    """Whether player p decides next, in the same turn."""
    if settle(g, s, r) != p:
        return False
    if COUNTS_TURNS:
        return turns(g, s) == which
    return True


def worth(g: Ground, s: State, p: int, out: Payoffs) -> float:
    """What player p may expect, in [-1, 1]."""
    if turn(g, s) == OVER:
        payoff(g, s, out)
    else:
        value(g, s, out)
    return (2.0 * out[p] - HIGH - LOW) / (HIGH - LOW)


def any_move(g: Ground, s: State, p: int, room: TurnArrays) -> int:
    if HAS_SAMPLE:
        return sample(g, s, p, room.r)
    return room.listed[below(room.r, moves(g, s, p, room.listed))]


def narrowed(g: Ground, s: State, p: int, n: int, narrow: int, listed: Moves) -> int:
    """Of n listed moves the best few by `order` to the front; returns how many are left."""
    if narrow <= 0 or n <= narrow:
        return n
    for i in range(narrow):
        at = i
        for k in range(i + 1, n):
            if order(g, s, p, listed[k]) > order(g, s, p, listed[at]):
                at = k
        listed[i], listed[at] = listed[at], listed[i]
    return narrow


def best_move(g: Ground, s: State, p: int, narrow: int, room: TurnArrays, terms: TurnTerms) -> int:
    """The move that is worth most to player p one decision later, of equals any."""
    listed = room.listed
    n = moves(g, s, p, listed)
    if n == 1:
        return listed[0]
    if HAS_ORDER:
        n = narrowed(g, s, p, n, narrow, listed)
    found, best, equals = listed[0], -np.inf, 0
    tries = 1
    if DICE:
        tries = terms.samples
    for i in range(n):
        x = 0.0
        for j in range(tries):
            copy(room.ahead, s)
            play(g, room.ahead, p, listed[i])
            if HAS_CHANCE:
                seed_stream(room.luck, terms.seed, j)
                settle(g, room.ahead, room.luck)
            x += worth(g, room.ahead, p, room.out)
        if x > best:
            found, best, equals = listed[i], x, 1
        elif x == best:
            equals += 1
            if below(room.r, equals) == 0:
                found = listed[i]
    room.tally[LOOKS] += n * tries
    return found


def filler(g: Ground, s: State, p: int, room: TurnArrays, terms: TurnTerms) -> int:
    """What takes the place of a gene that cannot be played."""
    if terms.mending == AT_RANDOM:
        return any_move(g, s, p, room)
    return best_move(g, s, p, 0, room, terms)


# ---------------------------------------------------------------------------------------------------------- turns


def enter(j: int, s: State, worlds: Rows, dice: Rng, seed: int) -> None:
    """The beginning of the turn in world j. Not the whole room: what a function is given is copied at every call."""
    copy(s, worlds[j])
    if DICE:
        seed_stream(dice, seed, j)


def carry(g: Ground, p: int, genes: Moves, n: int, room: TurnArrays, terms: TurnTerms) -> int:
    """Play a row of n genes to the end of the turn, repaired where need be; the row becomes what was played. Its length."""
    s, tally = room.s, room.tally
    which, broken = begun(g, s), False
    for k in range(genes.shape[0]):
        if not goes_on(g, s, p, which, room.dice):
            return k
        tally[GENES] += 1
        if k >= n or broken or not allowed(g, s, p, genes[k]):
            tally[REPAIRED] += k < n
            broken = terms.mending == WHOLE_TAIL
            genes[k] = filler(g, s, p, room, terms)
        play(g, s, p, genes[k])
    return genes.shape[0]


def reply(g: Ground, s: State, room: TurnArrays, terms: TurnTerms) -> bool:
    """Play the turn of whoever is on move greedily, by its own eyes; False where nobody is."""
    p = settle(g, s, room.dice)
    if p < 0:
        return False
    which = begun(g, s)
    for _ in range(room.genes.shape[1]):
        play(g, s, p, best_move(g, s, p, terms.narrow, room, terms))
        if not goes_on(g, s, p, which, room.dice):
            return True
    return True


def judged(g: Ground, p: int, room: TurnArrays, terms: TurnTerms) -> float:
    """What the end of a turn is worth to the seat that searches; with a horizon after so many greedy turns more."""
    if AHEAD:
        for _ in range(terms.horizon):
            if not reply(g, room.s, room, terms):
                break
    settle(g, room.s, room.dice)
    return worth(g, room.s, p, room.out)


def finish(g: Ground, p: int, row: int, room: TurnArrays, terms: TurnTerms) -> float:
    """Judge a row whose turn has just been played in the first world, and play it in the others."""
    if AHEAD:
        total = judged(g, p, room, terms)
    else:  # the same in short: this is where every search spends its time
        settle(g, room.s, room.dice)
        total = worth(g, room.s, p, room.out)
    if terms.distinct > 0:
        room.tally[DISTINCT] += remember(key(g, room.s), room.keys)
    for j in range(1, terms.samples):
        spare = room.genes[room.genes.shape[0] - 1]
        enter(j, room.s, room.worlds, room.dice, terms.seed)
        for k in range(room.lengths[row]):
            spare[k] = room.genes[row, k]
        carry(g, p, spare, room.lengths[row], room, terms)
        total += judged(g, p, room, terms)
    x = total / terms.samples
    room.values[row] = x
    if count_turn(x, room.tally) or room.best[0] == 0:
        keep(row, room)
    return x


def weigh(g: Ground, p: int, row: int, room: TurnArrays, terms: TurnTerms) -> float:
    """Carry out a row and judge it; repaired as it was in the first world it stays."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    room.lengths[row] = carry(g, p, room.genes[row], room.lengths[row], room, terms)
    return finish(g, p, row, room, terms)


def count_turn(x: float, tally: Reals) -> bool:
    """Count a turn and how far values lie apart; returns whether it is better than the best so far."""
    tally[TURNS] += 1
    tally[LEAST] = min(tally[LEAST], x)
    tally[MOST] = max(tally[MOST], x)
    return x > tally[BEST]


def note(row: int, room: TurnArrays) -> None:
    """Count a turn whose value is known, and keep it if it is the best so far."""
    if count_turn(room.values[row], room.tally) or room.best[0] == 0:
        keep(row, room)


def keep(row: int, room: TurnArrays) -> None:
    """The answer is a row from now on."""
    room.tally[BEST] = room.values[row]
    room.best[0] = room.lengths[row]
    for k in range(room.lengths[row]):
        room.best[1 + k] = room.genes[row, k]


def greedy_row(g: Ground, p: int, row: int, room: TurnArrays, terms: TurnTerms) -> None:
    """Fill a row with the greedily best decisions, one after another, in the first world."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    complete(g, p, row, 0, room, terms)


def complete(g: Ground, p: int, row: int, n: int, room: TurnArrays, terms: TurnTerms) -> None:
    """Go on greedily behind n genes that have been played."""
    which = begun(g, room.s)
    while n < room.genes.shape[1] and goes_on(g, room.s, p, which, room.dice):
        room.genes[row, n] = best_move(g, room.s, p, 0, room, terms)
        play(g, room.s, p, room.genes[row, n])
        n += 1
    room.lengths[row] = n


def random_turn(g: Ground, p: int, row: int, room: TurnArrays, terms: TurnTerms) -> None:
    """A row by random play, judged."""
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    room.lengths[row] = random_row(g, p, room.genes[row], room)
    finish(g, p, row, room, terms)


def random_row(g: Ground, p: int, genes: Moves, room: TurnArrays) -> int:
    """Play a random turn on the position at hand and write it down; its length."""
    which = begun(g, room.s)
    for k in range(genes.shape[0]):
        if not goes_on(g, room.s, p, which, room.dice):
            return k
        genes[k] = any_move(g, room.s, p, room)
        play(g, room.s, p, genes[k])
    return genes.shape[0]


def mutate(g: Ground, p: int, parent: int, at: int, row: int, room: TurnArrays, terms: TurnTerms) -> None:
    """A row like a parent but with another decision at a place, where there is another; its tail is repaired. Then judged."""
    s, genes = room.s, room.genes
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which, n, broken, k = begun(g, s), room.lengths[parent], False, 0
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if k == at:
            genes[row, k] = another(g, s, p, genes[parent, k], room)
        elif k < n and not broken and allowed(g, s, p, genes[parent, k]):
            genes[row, k] = genes[parent, k]
        else:
            room.tally[REPAIRED] += k < n
            broken = terms.mending == WHOLE_TAIL
            genes[row, k] = filler(g, s, p, room, terms)
        room.tally[GENES] += 1
        play(g, s, p, genes[row, k])
        k += 1
    room.lengths[row] = k
    finish(g, p, row, room, terms)


def another(g: Ground, s: State, p: int, old: int, room: TurnArrays) -> int:
    """A random listed move other than the old one, all alike; the old one where it is the only one."""
    n = moves(g, s, p, room.listed)
    if n == 1:
        return room.listed[0]
    m = room.listed[below(room.r, n)]
    while m == old:
        m = room.listed[below(room.r, n)]
    return m


def breed(g: Ground, p: int, a: int, b: int, at: int, later: int, row: int, room: TurnArrays, terms: TurnTerms) -> None:
    """Uniform crossover of two rows with repair, and with `at` >= 0 another decision there; then judged.

    `later`: 1 where that decision is put in, and those of the parents from there on come one place later; else 0.
    At each place the first that is allowed: the gene of the parent that a coin chose, the other's, the next gene of either, and
    a filler. The published codes mutate in a second pass; here it is one, which plays the turn once."""
    s, genes, lengths = room.s, room.genes, room.lengths
    enter(0, room.s, room.worlds, room.dice, terms.seed)
    which, k = begun(g, s), 0
    while k < room.genes.shape[1] and goes_on(g, s, p, which, room.dice):
        if below(room.r, 2) == 1:
            a, b = b, a
        i = k - later if INSERTS and k > at else k
        if k == at:
            m = another(g, s, p, genes[a, k] if k < lengths[a] else -1, room)
        elif i < lengths[a] and allowed(g, s, p, genes[a, i]):
            m = genes[a, i]
        elif i < lengths[b] and allowed(g, s, p, genes[b, i]):
            m = genes[b, i]
        elif i + 1 < lengths[a] and allowed(g, s, p, genes[a, i + 1]):
            m = genes[a, i + 1]
        elif i + 1 < lengths[b] and allowed(g, s, p, genes[b, i + 1]):
            m = genes[b, i + 1]
        else:
            room.tally[REPAIRED] += 1
            m = filler(g, s, p, room, terms)
        genes[row, k] = m
        play(g, s, p, m)
        k += 1
    lengths[row] = k
    room.tally[GENES] += k
    if DICE or AHEAD or terms.samples > 1 or terms.distinct > 0:
        finish(g, p, row, room, terms)
        return
    settle(g, s, room.dice)  # the same in short: handing the room on once more costs a tenth of the time
    room.values[row] = worth(g, s, p, room.out)
    if count_turn(room.values[row], room.tally):
        keep(row, room)


# ---------------------------------------------------------------------------------------------------------- bookkeeping


def spent(tally: Reals, most: int, stop: Moves) -> bool:
    """Whether so many turns were judged, or somebody has said stop."""
    return stop[0] != 0 or tally[TURNS] >= most


def scaled(x: float, spread: float, tally: Reals) -> float:
    """A value as a share of the spread of values seen, or in units of a fixed one: what exploration is measured in."""
    if spread > 0.0:
        return x / spread
    return (x - tally[LEAST]) / max(tally[MOST] - tally[LEAST], 1e-12)


def remember(word: int, keys: Moves) -> int:
    """1 where a key is new; 0 where it was seen, or there is no room for it."""
    at, size = mix(word), keys.shape[0]
    if word == 0:
        word = 1
    for k in range(TRIED):
        i = (at + k) & (size - 1)
        if keys[i] == word:
            return 0
        if keys[i] == 0:
            keys[i] = word
            return 1
    return 0


def set_out(g: Ground, root: State, p: int, room: TurnArrays, terms: TurnTerms) -> None:
    """Clear the room and make the worlds."""
    seed_stream(room.r, terms.seed, SEARCH_STREAM)
    seed_stream(room.dice, terms.seed, 0)
    for j in range(terms.samples):
        copy(room.worlds[j], root)
        if SECRET:
            seed_stream(room.luck, terms.seed, SEARCH_STREAM + 1 + j)
            guess(g, room.worlds[j], p, room.luck)
    for k in range(room.keys.shape[0]):
        room.keys[k] = 0
    for k in range(room.tally.shape[0]):
        room.tally[k] = 0.0
    room.tally[LEAST], room.tally[MOST] = np.inf, -np.inf
    room.best[0] = 0
