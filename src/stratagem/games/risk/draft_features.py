"""What a finished draft of Risk looks like to each seat, as numbers that models of its worth are fitted to.

The first are those of Gibson, Desai and Zhao (AIIDE 2010): how many territories of each continent a seat holds (one cell a
number), its place in the turn order, its distinct enemy neighbours, the adjacent pairs inside its set. Then bonuses and
borders, which the logistic model uses too; then blocks, what rivals hold in each continent, and every territory, which
ablation did not find worth their cost there, and which boosting and the net may use.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.compile import specialise
from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENT_IDS, CONTINENT_SIZE, CONTINENTS, IDS, LANDS, TERRITORIES, TOUCHES

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

STEP = np.concatenate([[0], np.cumsum(CONTINENT_SIZE + 1)[:-1]]).astype(np.int64)  # where a continent's steps begin
STEPS = int((CONTINENT_SIZE + 1).sum())  # 48: for each continent, how many of its territories are held
PLACE = STEPS  # 6 cells: the place in the turn order
ENEMIES, PAIRS = STEPS + 6, STEPS + 7  # distinct enemy neighbours; adjacent pairs inside
PAPER = STEPS + 8  # the features of the paper end here
WHOLE, ONE_SHORT, BORDER, EDGES, DENIED = PAPER, PAPER + 1, PAPER + 2, PAPER + 3, PAPER + 4
SIMPLE = PAPER + 5  # those of the logistic model end here
BLOCKS, LARGEST, NEAR = SIMPLE, SIMPLE + 1, SIMPLE + 2
RIVALS = SIMPLE + 3  # 6 cells: the share of each continent that the best opponent there has
OPPONENTS = RIVALS + 6  # 6 cells: opponents in each continent
COUNTS = OPPONENTS + 6  # 6 cells: territories held in each, as a number
HOLDS = COUNTS + 6  # 42 cells: which territories are held
FEATURES = HOLDS + TERRITORIES
NAMES = (
    *(f"{CONTINENT_IDS[c]} {k}" for c in range(CONTINENTS) for k in range(int(CONTINENT_SIZE[c]) + 1)),
    *(f"place {k + 1}" for k in range(6)),
    "enemy neighbours",
    "friendly pairs",
    "bonuses",
    "bonuses one short",
    "border territories",
    "border edges",
    "rivals' bonuses one short or whole",
    "blocks",
    "largest block",
    "steps from it to a rival's",
    *(f"best rival in {name}" for name in CONTINENT_IDS),
    *(f"rivals in {name}" for name in CONTINENT_IDS),
    *(f"number in {name}" for name in CONTINENT_IDS),
    *(f"holds {name}" for name in IDS),
)

# for ablation
GROUPS: dict[str, Ints] = {
    "paper": np.arange(PAPER),
    "borders and bonuses": np.arange(PAPER, SIMPLE),
    "blocks": np.array([BLOCKS, LARGEST]),
    "distance": np.array([NEAR]),
    "best rivals": np.arange(RIVALS, RIVALS + 6),
    "number of rivals": np.arange(OPPONENTS, OPPONENTS + 6),
    "numbers": np.arange(COUNTS, COUNTS + 6),
    "territories": np.arange(HOLDS, FEATURES),
}


def widened(mask: int) -> int:
    """A set of territories with all their neighbours."""
    wide = mask
    while mask != 0:
        wide |= TOUCHES[lowest(mask)]
        mask &= mask - 1
    return wide


def block(mine: int, start: int) -> int:
    """The connected part of a set around one of its territories, given as a bit."""
    found, wide = 0, start
    while wide != found:
        found = wide
        wide = widened(found) & mine
    return found


def describe_blocks(masks: Ints, x: Rows) -> None:
    """The features of connected blocks, which cost more than all others together.

    Until all are known, the cell of a largest block's size holds the block itself: 42 bits are exact in a float.
    """
    n = masks.shape[0]
    for i in range(n):
        rest = masks[i]
        while rest != 0:
            one = block(masks[i], rest & -rest)
            rest &= ~one
            x[i, BLOCKS] += 1.0
            if popcount(one) > popcount(int(x[i, LARGEST])):
                x[i, LARGEST] = one
    for i in range(n):
        theirs = 0
        for j in range(n):
            theirs |= int(x[j, LARGEST]) if j != i else 0
        reach = int(x[i, LARGEST])
        while reach & theirs == 0 and theirs != 0:
            reach = widened(reach)
            x[i, NEAR] += 1.0
    for i in range(n):
        x[i, LARGEST] = popcount(int(x[i, LARGEST]))


def describe(masks: Ints, blocks: bool, x: Rows) -> None:
    """Into x[i] the features of seat i, whose territories are masks[i]; those of blocks where they are wanted."""
    n = masks.shape[0]
    for i in range(n):
        for k in range(FEATURES):
            x[i, k] = 0.0
    if blocks:
        describe_blocks(masks, x)
    for i in range(n):
        mine = masks[i]
        x[i, PLACE + i] = 1.0
        for c in range(CONTINENTS):
            held = popcount(mine & LANDS[c])
            x[i, STEP[c] + held] = 1.0
            x[i, COUNTS + c] = held
            if held == CONTINENT_SIZE[c]:
                x[i, WHOLE] += BONUSES[c]
            elif held == CONTINENT_SIZE[c] - 1:
                x[i, ONE_SHORT] += BONUSES[c]
            for j in range(n):
                theirs = popcount(masks[j] & LANDS[c]) if j != i else 0
                x[i, RIVALS + c] = max(x[i, RIVALS + c], theirs / CONTINENT_SIZE[c])
                x[i, OPPONENTS + c] += 1.0 if theirs > 0 else 0.0
                if theirs >= CONTINENT_SIZE[c] - 1:
                    x[i, DENIED] += BONUSES[c]
        beside, pairs = 0, 0
        rest = mine
        while rest != 0:
            t = lowest(rest)
            rest &= rest - 1
            x[i, HOLDS + t] = 1.0
            beside |= TOUCHES[t]
            pairs += popcount(TOUCHES[t] & mine)
            out = popcount(TOUCHES[t] & ~mine)
            x[i, EDGES] += out
            x[i, BORDER] += 1.0 if out > 0 else 0.0
        x[i, ENEMIES] = popcount(beside & ~mine)
        x[i, PAIRS] = pairs // 2


def masks_of(owners: Ints, players: int) -> Ints:
    """The territories of each seat as bits, [draft, seat]."""
    bit = np.int64(1) << np.arange(TERRITORIES, dtype=np.int64)
    return np.stack([((owners == p) * bit).sum(axis=1) for p in range(players)], axis=1)


def describe_template(masks: Ints, x: Rows) -> None:
    for i in range(masks.shape[0]):
        describe(masks[i], True, x[i])


def described(owners: Ints, players: int) -> Rows:
    """Features [draft, seat, feature]."""
    masks = masks_of(owners, players)
    x = np.zeros((*masks.shape, FEATURES))
    specialise(describe_template, {}, label="risk, features of drafts")(masks, x)
    return x
