"""The variables of an attack, and how clauses about them are written into one flat array; variables count from 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stratagem.games.minions.attack.graph import MOST
from stratagem.games.minions.layout import Stream

VARIABLES, LITERALS, CLAUSES, OVERFLOW = range(4)  # of Model.tally
ROOM = 1 << 19  # literals of all clauses
LIST = 4096  # room for lists of literals
FEW = 7  # literals of which at most one is true are written pair by pair up to this number
GROUP = 6  # else in groups of this size


class Model(NamedTuple):
    """The variables of an attack and its clauses. x, w are own units, y, z enemies, h a hex; 0 where there is no variable."""

    tally: Stream  # variables, literals, clauses, whether room ran out
    literals: Stream  # of all clauses, one behind the other
    ends: Stream  # where each clause ends
    stay: Stream  # x stays where it is and does not fight
    passive: Stream  # x does not fight
    fight: Stream  # x * MOST + h: x fights from h
    step: Stream  # x * MOST + h: x steps aside to h
    aside: Stream  # x steps aside to some hex that nobody else can want
    vanish: Stream  # x blinks without fighting
    leave: Stream  # x blinks after fighting
    hit: Stream  # x * MOST + y: x attacks y at least once; the next variables mean at least twice and so on
    kill: Stream  # y is killed
    unsummon: Stream  # y is unsummoned
    gone: Stream  # y is removed
    opened: Stream  # z * MOST + x: z is gone before x moves
    before: Stream  # w * MOST + x: w acts before x moves
    level: Stream  # x: the variable before its first level
    cast: Stream  # x: the card is cast
    might: Stream  # in its one cell: Unholy Might is cast
    split: Stream  # in its one cell: who may move in several parts counts as out of the way whenever others come
    striker: Stream  # x * MOST + y: x, which has attacked another enemy, has y in range
    pushed: Stream  # y is put on another hex
    shove: Stream  # y * MOST + h: on this one
    chip: Stream  # x * MOST + y: x attacks y, which stays, to be a striker
    follows: Stream  # x: lo, hi of the units that may have to come before x, itself or through others
    hexes: Stream  # x: lo, hi of the hexes from which it may fight
    list: Stream  # room for literals
    spare: Stream  # room for units and hexes


def new_model() -> Model:
    """A model to be filled; it may be filled again for another board."""

    square = dict.fromkeys(("fight", "step", "hit", "opened", "before", "striker", "shove", "chip"), MOST * MOST)
    others = {"tally": 4, "literals": ROOM, "ends": ROOM // 2, "might": 1, "split": 1, "list": LIST, "spare": LIST}
    size = {**square, **others, "follows": 2 * MOST, "hexes": 2 * MOST}
    return Model(*(np.zeros(size.get(name, MOST), np.int64) for name in Model._fields))


def clear(m: Model, units: int) -> None:
    """Forget the variables of another board, where a side has no more units than this, with its cards."""
    for array in m:
        if array.size in (4, 1, MOST):
            array.fill(0)
        elif array.size == MOST * MOST:
            array[: MOST * units].fill(0)


def variable(m: Model) -> int:
    m.tally[VARIABLES] += 1
    return m.tally[VARIABLES]


def put_literal(m: Model, literal: int) -> None:
    """Add a literal to the clause being written."""
    if m.tally[LITERALS] >= ROOM:
        m.tally[OVERFLOW] = 1
        return
    m.literals[m.tally[LITERALS]] = literal
    m.tally[LITERALS] += 1


def close(m: Model) -> None:
    """End the clause being written."""
    if m.tally[CLAUSES] >= ROOM // 2:
        m.tally[OVERFLOW] = 1
        return
    m.ends[m.tally[CLAUSES]] = m.tally[LITERALS]
    m.tally[CLAUSES] += 1


def clause2(m: Model, a: int, b: int) -> None:
    put_literal(m, a)
    put_literal(m, b)
    close(m)


def clause3(m: Model, a: int, b: int, c: int) -> None:
    put_literal(m, a)
    put_literal(m, b)
    put_literal(m, c)
    close(m)


def clause4(m: Model, a: int, b: int, c: int, d: int) -> None:
    put_literal(m, a)
    put_literal(m, b)
    put_literal(m, c)
    put_literal(m, d)
    close(m)


def at_most_one(m: Model, n: int) -> None:
    """Of the n literals in the list at most one is true; the list is used up."""
    begin = 0
    while n - begin > FEW:
        for i in range(begin, begin + GROUP):
            for j in range(begin, i):
                clause2(m, -m.list[i], -m.list[j])
        some = variable(m)
        for i in range(begin, begin + GROUP):
            clause2(m, -m.list[i], some)
        begin += GROUP - 1
        m.list[begin] = some
    for i in range(begin, n):
        for j in range(begin, i):
            clause2(m, -m.list[i], -m.list[j])


def at_least_one(m: Model, n: int) -> None:
    """Of the n literals in the list at least one is true, behind what stands in the clause already."""
    for i in range(n):
        put_literal(m, m.list[i])
    close(m)


def at_most(m: Model, n: int, k: int) -> None:
    """Of the n literals in the list at most k are true: a counter in unary that runs along the list."""
    before = 0  # the variable before the counter of the last literal
    for i in range(n):
        now = m.tally[VARIABLES]
        m.tally[VARIABLES] += k
        for j in range(1, k + 1):  # now + j: at least j of the first i + 1
            if i > 0:
                clause2(m, -(before + j), now + j)
                if j > 1:
                    clause3(m, -m.list[i], -(before + j - 1), now + j)
        clause2(m, -m.list[i], now + 1)
        if i > 0:
            clause2(m, -m.list[i], -(before + k))
        before = now
