"""The one bandit of staged search: a choice among children that are still being proposed.

Rows of one block hold the statistics of the node itself (ALL), of the *phantom*, a child that stands for those not proposed
yet (its statistics are those of the children at their first visits: where it wins, one more is asked for), and of the
children. Children whose most hopeful value lies below the least that the best one can be worth are passed over; the width of
the intervals grows with the visits of the node, so that nothing is passed over for ever.

All functions take the rows of the pool, where the node's block begins, and how many of its rows are in use. `quick` holds what
a choice compares; whoever changes a row calls `refresh`.
"""

from __future__ import annotations

import math

from stratagem.search.staged import cell
from stratagem.search.staged.records import Floats, Law, Table

SLACK = 1e-6  # how far a payoff may be out of [-1, 1] by rounding
FIRST_UNIT = 0.5  # the unit of values where none were seen to differ yet, in payoffs
INFINITE = math.inf
UNSEEN = -1e9  # the centre of a child of which nothing is known: what is usual in its node


def deviation(rows: Table, k: int, seat: int) -> float:
    """The standard deviation of the payoffs that a row has seen."""
    n = rows[k, cell.VISITS]
    if n < 2.0:
        return 0.0
    mean = rows[k, cell.COLUMNS + seat] / n
    return math.sqrt(max(rows[k, cell.SQUARES] / n - mean * mean, 0.0))


def centre(rows: Table, k: int, seat: int, otherwise: float, trust: float) -> float:
    """What a child is taken to be worth: its mean, the more it was visited the more what the best reply to it leaves; before
    any visit its estimate, without one what is usual here."""
    n = rows[k, cell.VISITS]
    if n > 0.0:
        mean = rows[k, cell.COLUMNS + seat] / n
        if trust > 0.0 and rows[k, cell.LEAVES] < INFINITE:
            mean += (1.0 if rows[k, cell.CLOSED] > 0.0 else n / (n + trust)) * (rows[k, cell.LEAVES] - mean)
        return mean
    return rows[k, cell.ESTIMATE] if rows[k, cell.SPREAD] < INFINITE else otherwise


def refresh(rows: Table, quick: Table, k: int, seat: int, law: Law, by_prior: bool) -> None:
    """Derive what a choice compares from the statistics of row k, after they have changed: a choice looks at every child, and
    would else take most of its time for roots and divisions."""
    n = rows[k, cell.VISITS]
    quick[k, cell.CENTRE] = centre(rows, k, seat, UNSEEN, law.trust)
    if n == 0.0:
        quick[k, cell.ERROR], quick[k, cell.REST] = rows[k, cell.SPREAD], 0.0
    else:
        quick[k, cell.ERROR] = deviation(rows, k, seat) / math.sqrt(n)
        quick[k, cell.REST] = 1.0 / math.sqrt(1.0 + n / law.grain)
    trials = n + rows[k, cell.PENDING]
    if rows[k, cell.CLOSED] > 0.0:
        quick[k, cell.BONUS] = -INFINITE
    elif by_prior:
        quick[k, cell.BONUS] = rows[k, cell.PRIOR] / (1.0 + trials / law.grain)  # PUCT (Silver et al. 2017)
    else:
        quick[k, cell.BONUS] = 1.0 / math.sqrt(trials + 1e-9)  # UCB (Auer et al. 2002)


def setting(rows: Table, block: int, seat: int, law: Law) -> tuple[float, float, float, float]:
    """Of a node: its visits, what is usual in it, the unit of values (the deviation seen), and the width of intervals."""
    all_ = block + cell.ALL
    total = (rows[all_, cell.VISITS] + rows[all_, cell.PENDING]) / law.grain
    usual = rows[all_, cell.COLUMNS + seat] / rows[all_, cell.VISITS] if rows[all_, cell.VISITS] > 0.0 else 0.0
    unit = deviation(rows, all_, seat)
    if unit == 0.0:
        unit = FIRST_UNIT
    return total, usual, unit, law.width * math.sqrt(1.0 + math.log(1.0 + total))


def least(rows: Table, quick: Table, block: int, n: int, seat: int, law: Law) -> float:
    """The floor: the most that some child is worth at least; children that cannot reach it are passed over."""
    if law.width == 0.0:
        return -INFINITE
    _, usual, unit, wide = setting(rows, block, seat, law)
    return floor_of(quick, block, n, usual, unit, wide)


def floor_of(quick: Table, block: int, n: int, usual: float, unit: float, wide: float) -> float:
    floor = -INFINITE
    for k in range(block + cell.CHILDREN, block + n):
        mean = quick[k, cell.CENTRE] if quick[k, cell.CENTRE] > UNSEEN else usual
        floor = max(floor, mean - wide * max(quick[k, cell.ERROR], unit * quick[k, cell.REST]))
    return floor


def hope(rows: Table, quick: Table, block: int, k: int, seat: int, law: Law) -> float:
    """The most that child k may be worth."""
    _, usual, unit, wide = setting(rows, block, seat, law)
    k += block
    mean = quick[k, cell.CENTRE] if quick[k, cell.CENTRE] > UNSEEN else usual
    return mean + wide * max(quick[k, cell.ERROR], unit * quick[k, cell.REST])


def hopeless(rows: Table, quick: Table, block: int, n: int, seat: int, law: Law, k: int) -> bool:
    """Whether child k, which was never visited, is passed over by what is said of it."""
    if law.width == 0.0 or rows[block + k, cell.SPREAD] == INFINITE:
        return False
    return hope(rows, quick, block, k, seat, law) < least(rows, quick, block, n, seat, law)


def choose(
    rows: Table,
    quick: Table,
    block: int,
    n: int,
    seat: int,
    law: Law,
    exploration: float,
    pruned: bool,
    wide: bool,
    by_prior: bool,
) -> int:
    """The row to visit among the first n; PHANTOM: ask for another child; ALL: none is left to visit.

    `exploration` takes the place of the law's. `wide`: more children may be asked for. `by_prior`: by PUCT, else by UCB, as the
    rows were refreshed."""
    total, usual, unit, width = setting(rows, block, seat, law)
    children = n - cell.CHILDREN
    if children == 0:
        return cell.PHANTOM if wide else cell.ALL
    floor = floor_of(quick, block, n, usual, unit, width) if pruned and law.width > 0.0 else -INFINITE
    priors = rows[block + cell.ALL, cell.PRIOR]
    best, found = -INFINITE, cell.ALL
    by_phantom = wide and law.factor == 0.0
    if by_phantom:
        priors += priors / children  # the phantom looks as promising as the average child
    scale = exploration * unit * (math.sqrt(total) / priors if by_prior else math.sqrt(math.log(1.0 + total)))
    if by_phantom:
        x = rows[block + cell.PHANTOM, cell.VISITS]
        mean = rows[block + cell.PHANTOM, cell.COLUMNS + seat] / x if x > 0.0 else usual
        best = mean + scale * (priors / (children + 1) / (1.0 + x) if by_prior else 1.0 / math.sqrt(x + 1e-9))
        found = cell.PHANTOM
    elif wide:  # progressive widening
        if children < law.factor * max(total, 1.0) ** law.power:
            return cell.PHANTOM
        found = cell.PHANTOM  # where all children are closed
    for k in range(block + cell.CHILDREN, block + n):
        mean = quick[k, cell.CENTRE] if quick[k, cell.CENTRE] > UNSEEN else usual
        if quick[k, cell.BONUS] > -INFINITE:  # else it is closed
            x = mean + scale * quick[k, cell.BONUS]
            within = floor == -INFINITE or mean + width * max(quick[k, cell.ERROR], unit * quick[k, cell.REST]) >= floor
            if x > best and within:
                best, found = x, k - block
    return found


def pend(rows: Table, block: int, k: int, visits: float) -> None:
    """Visits that are under way: the row looks less new to other walks."""
    rows[block + k, cell.PENDING] += visits
    rows[block + cell.ALL, cell.PENDING] += visits


def credit(rows: Table, block: int, k: int, sums: Floats, visits: float, squares: float) -> None:
    """Enter `visits` trials into a row, its node and, at its first, the phantom; they are no longer pending."""
    k += block
    first = rows[k, cell.VISITS] == 0.0
    players = rows.shape[1] - cell.COLUMNS  # `sums` may hold more
    for row in (k, block + cell.ALL):
        rows[row, cell.VISITS] += visits
        rows[row, cell.PENDING] = max(rows[row, cell.PENDING] - visits, 0.0)
        rows[row, cell.SQUARES] += squares
        for p in range(players):
            rows[row, cell.COLUMNS + p] += sums[p]
    if first:
        rows[block + cell.PHANTOM, cell.VISITS] += 1.0
        for p in range(players):
            rows[block + cell.PHANTOM, cell.COLUMNS + p] += sums[p] / visits


def enter(rows: Table, block: int, k: int, sums: Floats, visits: float, seat: int) -> None:
    """`visits` trials more of a row whose mean is `sums / visits` now, whatever was thought of it before: where the best is
    backed up. The sums of the node stay those of its rows, so that its deviation is that of what its turns are worth."""
    k += block
    all_, phantom = block + cell.ALL, block + cell.PHANTOM
    n = rows[k, cell.VISITS] + visits
    for p in range(rows.shape[1] - cell.COLUMNS):
        value = sums[p] / visits
        rows[all_, cell.COLUMNS + p] += n * value - rows[k, cell.COLUMNS + p]
        rows[k, cell.COLUMNS + p] = n * value
        if n == visits:
            rows[phantom, cell.COLUMNS + p] += value
    if n == visits:
        rows[phantom, cell.VISITS] += 1.0
    worth = sums[seat] / visits
    square = n * worth * worth
    rows[all_, cell.SQUARES] += square - rows[k, cell.SQUARES]
    rows[k, cell.SQUARES] = square
    for row in (k, all_):
        rows[row, cell.VISITS] += visits
        rows[row, cell.PENDING] = max(rows[row, cell.PENDING] - visits, 0.0)


def improve(rows: Table, block: int, k: int, sums: Floats, spare: Floats, visits: float, seat: int) -> None:
    """`visits` trials more of a part that is worth what the best turn with it is; some turn with it is worth `sums / visits`."""
    row = block + k
    n = rows[row, cell.VISITS]
    kept = n > 0.0 and rows[row, cell.COLUMNS + seat] / n >= sums[seat] / visits
    for p in range(rows.shape[1] - cell.COLUMNS):
        spare[p] = rows[row, cell.COLUMNS + p] / n * visits if kept else sums[p]
    enter(rows, block, k, spare, visits, seat)


def best(rows: Table, block: int, n: int, seat: int) -> int:
    """The row of the first n that is worth most to a seat; ALL: none was visited."""
    most, found = -INFINITE, cell.ALL
    for k in range(block + cell.CHILDREN, block + n):
        if rows[k, cell.VISITS] > 0.0:
            mean = rows[k, cell.COLUMNS + seat] / rows[k, cell.VISITS]
            if mean > most:
                most, found = mean, k - block
    return found


def tally(values: Table, n: int, out: Floats) -> bool:
    """The sums of each seat's payoffs in n trials, then of their squares, into `out`; False: one of them can be no payoff."""
    players = values.shape[1]
    sound = True
    for p in range(players):
        total, squares = 0.0, 0.0
        for j in range(n):
            x = values[j, p]
            sound = sound and -1.0 - SLACK <= x <= 1.0 + SLACK
            total += x
            squares += x * x
        out[p] = total
        out[players + p] = squares
    return sound
