"""Room for the engine's kernels: one `EngineScratch` a thread, allocated once, so that nothing is allocated while it thinks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.games.minions import layout
from stratagem.games.minions.layout import Stream
from stratagem.kernel import State

Reals = NDArray[np.float64]

MOST = 100  # units of a side: every unit stands on its own hex
COLUMNS = 200  # of an assignment: hexes, then a private column a unit
GOALS = 16  # hexes that units are sent to, at the most
LONGEST = 64  # dollars that the shop looks at for one board
MOST_BOUGHT = 12  # units that the shop buys for one board in a turn
PROPHECIES = 8  # rows that a prophet gives at once
ROW = 200  # of a prophecy: for each hex that the enemy there is removed, then that the own unit there is passive
FEATURES = 32  # room for what the oracle looks at
SEEN = 1 + 64 + 960  # of `Judged.seen`: how many features are on, room for 256 sums, the features

HARM, TOUCH, SEND = (
    0,
    100,
    200,
)  # of `EngineScratch.threat`, by hex: damage, deathtouches, unsummonings that a side can bring
THREATS = 300  # words of a side


def write(out: Stream, at: int, kind: int, k: int, stated: tuple[int, int, int, int]) -> int:
    """Write an action at `out[at]`; `stated`: how many arguments it has, and room for three. Returns where the next one goes."""
    out[at] = kind
    out[at + 1] = k
    out[at + 2] = stated[0]
    out[at + 3] = stated[1]
    out[at + 4] = stated[2]
    out[at + 5] = stated[3]
    return at + 3 + stated[0]


class Fight(NamedTuple):
    """What the attack stage works with."""

    row: Reals  # [ROW]: the prophecy that a fight follows
    rows: Reals  # [PROPHECIES * ROW]: what a prophet has said
    stand: Reals  # [hex]: how good a hex is to fight from
    strikes: Stream  # [MOST * 8]: who could strike an enemy


class Posts(NamedTuple):
    """What the spawn stage works with to send units to hexes."""

    goal: Stream  # [2 * GOALS]: the hexes, then where in `steps` the steps to each begin
    steps: Stream  # [boards * 100 * 100, to, from], -1 where not counted yet; then [GOALS * 100] where tiles move
    men: Stream  # [MOST * 4]: units to place or move
    score: Reals  # [MOST * COLUMNS]: what each is worth where; LOWEST: it cannot be there
    duals: Reals  # of an assignment
    match: Stream  # [4 * COLUMNS + ..]: of an assignment, the row of each column first
    to: Stream  # [MOST]: the column of each row


class Shop(NamedTuple):
    """What the blotto and spawn stages work with to buy units for a board."""

    good: Reals  # [TYPES]: what a unit of each type is thought to be worth here, in dollars
    thought: Stream  # [TYPES]: the same, in thousandths, while it is made; then the types for sale
    best: Reals  # [(MOST_BOUGHT + 1) * (LONGEST + 1)]: the shop's table
    pick: Stream  # the same: the type taken last


class Judged(NamedTuple):
    """What a position is judged with, and the judgement."""

    x: Reals  # [FEATURES]: what the oracle looks at
    answer: Reals  # [4]: value for the side asked about, spread, ..
    network: Stream  # the Oracle's numbers (`networks.oracle`); the first is 0 where there is none
    seen: Stream  # [SEEN]: what it sees of a position, and its sums
    turned: Stream  # [boards * 100]: where Blue sees each hex


class EngineScratch(NamedTuple):
    """What kernels read and write beside the ground: a position, the actions made, and what belongs to each stage."""

    s: State  # a position to work on
    out: Stream  # the words of the actions made
    threat: Stream  # [side * THREATS + kind + hex]
    fight: Fight
    posts: Posts
    shop: Shop
    judged: Judged


def new_scratch(words: int, boards: int) -> EngineScratch:
    """Scratch arrays for positions of so many words."""

    def ints(n: int) -> Stream:
        return np.zeros(n, np.int64)

    def reals(n: int) -> Reals:
        return np.zeros(n, np.float64)

    cells = (MOST_BOUGHT + 1) * (LONGEST + 1)
    return EngineScratch(
        s=ints(words),
        out=ints(4096 * (boards + 1)),
        threat=ints(2 * THREATS),
        fight=Fight(row=reals(ROW), rows=reals(PROPHECIES * ROW), stand=reals(100), strikes=ints(MOST * 8)),
        posts=Posts(
            goal=ints(2 * GOALS),
            steps=np.full((boards * 100 + GOALS) * 100, -1, np.int64),
            men=ints(MOST * 4),
            score=reals(MOST * COLUMNS),
            duals=reals(3 * (COLUMNS + 1) + MOST + 1),
            match=ints(4 * (COLUMNS + 1)),
            to=ints(MOST),
        ),
        shop=Shop(good=reals(layout.TYPES), thought=ints(layout.TYPES), best=reals(cells), pick=ints(cells)),
        judged=Judged(x=reals(FEATURES), answer=reals(4), network=ints(1), seen=ints(SEEN), turned=ints(boards * 100)),
    )
