"""What a finished draft of Risk looks like to each seat, as numbers that models of its worth are fitted to.

The first are those of Gibson, Desai and Zhao (AIIDE 2010): how many territories of each continent a seat holds (one cell a
number), its place in the turn order, its distinct enemy neighbours, the adjacent pairs inside its set. Then bonuses and
borders, which the logistic model uses too. Connected blocks, what rivals hold in each continent and every single territory
were tried, and ablation did not find them worth their cost (docs/what-did-not-work.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import lowest, popcount
from stratagem.compile import specialise
from stratagem.games.risk.atlas import BONUS as BONUSES
from stratagem.games.risk.atlas import CONTINENT_IDS, CONTINENT_SIZE, CONTINENTS, LANDS, TERRITORIES, TOUCHES

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]

STEP = np.concatenate([[0], np.cumsum(CONTINENT_SIZE + 1)[:-1]]).astype(np.int64)  # where a continent's steps begin
STEPS = int((CONTINENT_SIZE + 1).sum())  # 48: for each continent, how many of its territories are held
PLACE = STEPS  # 6 cells: the place in the turn order
ENEMIES, PAIRS = STEPS + 6, STEPS + 7  # distinct enemy neighbours; adjacent pairs inside
PAPER = STEPS + 8  # the features of the paper end here
WHOLE, ONE_SHORT, BORDER, EDGES, DENIED = PAPER, PAPER + 1, PAPER + 2, PAPER + 3, PAPER + 4
FEATURES = PAPER + 5
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
)


def describe(masks: Ints, x: Rows) -> None:
    """Into x[i] the features of seat i, whose territories are masks[i]."""
    n = masks.shape[0]
    for i in range(n):
        for k in range(FEATURES):
            x[i, k] = 0.0
    for i in range(n):
        mine = masks[i]
        x[i, PLACE + i] = 1.0
        for c in range(CONTINENTS):
            held = popcount(mine & LANDS[c])
            x[i, STEP[c] + held] = 1.0
            if held == CONTINENT_SIZE[c]:
                x[i, WHOLE] += BONUSES[c]
            elif held == CONTINENT_SIZE[c] - 1:
                x[i, ONE_SHORT] += BONUSES[c]
            for j in range(n):
                if j != i and popcount(masks[j] & LANDS[c]) >= CONTINENT_SIZE[c] - 1:
                    x[i, DENIED] += BONUSES[c]
        beside, pairs = 0, 0
        rest = mine
        while rest != 0:
            t = lowest(rest)
            rest &= rest - 1
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
        describe(masks[i], x[i])


def described(owners: Ints, players: int) -> Rows:
    """Features [draft, seat, feature]."""
    masks = masks_of(owners, players)
    x = np.zeros((*masks.shape, FEATURES))
    specialise(describe_template, {}, label="risk, features of drafts")(masks, x)
    return x
