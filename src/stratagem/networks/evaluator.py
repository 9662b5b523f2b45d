"""The arithmetic of a network as kernels: whole numbers all the way, so that every target gives the same value to the last bit.

The first layer is a sum: a bias and one column of WIDTH small numbers for each feature that is on. A side sees the features from
its own place; a network looks through the mover's eyes alone, or through both sides' (VIEWS). Where a game tells what a move
switches, the sums stand behind the game's own cells in the state, every search copies them along, and a move changes them by
the columns of what it switches (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions", 2018); elsewhere they
are made when a position is judged. Behind them come two layers: the sums, cut to 0 .. TOP, go to HIDDEN numbers, and those, cut
likewise, to a value and a spread. A network may have a policy too: from the cut sums straight to one number for each move.

In the ground, behind the game's own: biases as whole cells at BIASES; COLUMNS (the bias, then a column for each feature) in units
of 16 bits; FIRST (HIDDEN rows of VIEWS WIDTH) and SECOND (two rows of HIDDEN) in units of 8 bits; a policy's rows of
VIEWS WIDTH at POLICY likewise, its biases behind the others.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from stratagem.kernel import Ground, Payoffs, State, Unbound, turn
from stratagem.networks.features import features, policy_of, switched

# Bound for each network and game
WIDTH: int = cast(Any, Unbound("WIDTH"))
HIDDEN: int = cast(Any, Unbound("HIDDEN"))
VIEWS: int = cast(Any, Unbound("VIEWS"))
KEPT: bool = cast(Any, Unbound("KEPT"))  # the sums of both sides are in the state, up to date
SUMS: int = cast(Any, Unbound("SUMS"))  # where the sums begin, in units of 16 bits
LISTED: int = cast(Any, Unbound("LISTED"))  # the cells behind the state in which features are listed
MOST: int = cast(Any, Unbound("MOST"))  # how many can be listed
COLUMNS: int = cast(Any, Unbound("COLUMNS"))
FIRST: int = cast(Any, Unbound("FIRST"))
SECOND: int = cast(Any, Unbound("SECOND"))
BIASES: int = cast(Any, Unbound("BIASES"))
POLICY: int = cast(Any, Unbound("POLICY"))
MIDDLE: float = cast(Any, Unbound("MIDDLE"))  # of the range of payoffs
HALF: float = cast(Any, Unbound("HALF"))  # of its width

TOP = 127  # of what passes from layer to layer: 1.0
SCALE_BITS = 6
SCALE = 1 << SCALE_BITS  # of the weights of layers: 1.0
ONE = TOP * SCALE  # of what the layers put out
CERTAIN = 0.98  # no position is judged as won


def begin_of(f: int) -> int:
    """Where the column of feature f begins. Columns are cut out whole (`columns[begin : begin + WIDTH]`): of a piece whose
    indices are seen to be good ones the compiler makes vector code."""
    return COLUMNS + (1 + f) * WIDTH


def add_up(g: Ground, s: State, side: int, at: int) -> None:
    """The sum of all features that are on as `side` sees it, four at a time: fewer ways through memory."""
    sums = s.view(np.int16)[at : at + WIDTH]
    columns = g.view(np.int16)
    listed = s[LISTED : LISTED + MOST]
    n = features(g, s, side, listed)
    for i in range(WIDTH):
        sums[i] = columns[COLUMNS + i]  # the bias
    whole = n // 4 * 4
    for k in range(0, whole, 4):
        at_a, at_b, at_c, at_d = (
            begin_of(listed[k]),
            begin_of(listed[k + 1]),
            begin_of(listed[k + 2]),
            begin_of(listed[k + 3]),
        )
        a = columns[at_a : at_a + WIDTH]
        b = columns[at_b : at_b + WIDTH]
        c = columns[at_c : at_c + WIDTH]
        d = columns[at_d : at_d + WIDTH]
        for i in range(WIDTH):
            sums[i] += a[i] + b[i] + c[i] + d[i]
    for k in range(whole, n):
        begin = begin_of(listed[k])
        a = columns[begin : begin + WIDTH]
        for i in range(WIDTH):
            sums[i] += a[i]


def refresh(g: Ground, s: State) -> None:
    """Both sides' sums anew."""
    for side in range(2):
        add_up(g, s, side, SUMS + side * WIDTH)


def update(g: Ground, s: State, p: int, m: int) -> None:
    """Both sides' sums as they will be after player p's move m, which has not been made yet."""
    columns = g.view(np.int16)
    listed = s[LISTED : LISTED + MOST]
    for side in range(2):
        at = SUMS + side * WIDTH
        sums = s.view(np.int16)[at : at + WIDTH]
        for k in range(switched(g, s, side, p, m, listed)):
            if listed[k] >= 0:
                begin = begin_of(listed[k])
                a = columns[begin : begin + WIDTH]
                for i in range(WIDTH):
                    sums[i] += a[i]
            else:
                begin = begin_of(-1 - listed[k])
                a = columns[begin : begin + WIDTH]
                for i in range(WIDTH):
                    sums[i] -= a[i]


def cut(x: int) -> int:
    """To 0 .. TOP. Conditions become the instructions of `min` and `max`, which not every compiler for GPUs takes."""
    x = x if x > 0 else 0
    return x if x < TOP else TOP


def cut_narrow(x: Any) -> Any:
    """The same without leaving 16 bits: so it becomes vector code of twice the width."""
    x = x if x > np.int16(0) else np.int16(0)
    return x if x < np.int16(TOP) else np.int16(TOP)


def own_sums(side: int) -> int:
    """Where the sums of the side that is asked stand."""
    return SUMS + side * WIDTH if KEPT else SUMS


def other_sums(side: int) -> int:
    return SUMS + (1 - side) * WIDTH if KEPT else SUMS + WIDTH


def head(g: Ground, s: State, side: int, output: int) -> int:
    """What the layers make of the sums for `side`: the value (output 0) or the spread (1), in units of 1 / ONE.

    The inner loops stand here and again in `policy`: as a function of their own they take half as long again."""
    sums = s.view(np.int16)
    begin = own_sums(side)
    own = sums[begin : begin + WIDTH]
    begin = other_sums(side)
    other = sums[begin : begin + WIDTH]
    weights = g.view(np.int8)
    found = g[BIASES + HIDDEN + output]
    for j in range(HIDDEN):
        begin = FIRST + VIEWS * j * WIDTH
        row = weights[begin : begin + WIDTH]
        x = np.int32(0)
        for i in range(WIDTH):
            x = np.int32(x + np.int32(cut_narrow(own[i])) * np.int32(row[i]))
        if VIEWS == 2:
            row = weights[begin + WIDTH : begin + 2 * WIDTH]
            for i in range(WIDTH):
                x = np.int32(x + np.int32(cut_narrow(other[i])) * np.int32(row[i]))
        found += cut((x + g[BIASES + j]) >> SCALE_BITS) * np.int64(weights[SECOND + output * HIDDEN + j])
    return found


def prepare(g: Ground, s: State, side: int) -> None:
    """The sums, where they are not kept: the mover's, then the other's if the network looks through both sides' eyes."""
    if not KEPT:
        add_up(g, s, side, SUMS)
        if VIEWS == 2:
            add_up(g, s, 1 - side, SUMS + WIDTH)


def judged(g: Ground, s: State, side: int) -> float:
    """What the network thinks of a position for `side`: x / sqrt(1 + x x), of which every target rounds every step alike."""
    prepare(g, s, side)
    x = head(g, s, side, 0)
    return x / math.sqrt(ONE * ONE + x * x)


def spread(g: Ground, s: State, side: int) -> float:
    """How far off the network expects to be."""
    prepare(g, s, side)
    return max(head(g, s, side, 1), 0) / ONE


def policy(g: Ground, s: State, p: int, m: int) -> int:
    """What the policy says of player p's move m, in units of 1 / ONE; the sums are there (`prepare`)."""
    k = policy_of(g, s, p, m)
    sums = s.view(np.int16)
    begin = own_sums(p)
    own = sums[begin : begin + WIDTH]
    begin = other_sums(p)
    other = sums[begin : begin + WIDTH]
    weights = g.view(np.int8)
    begin = POLICY + VIEWS * k * WIDTH
    row = weights[begin : begin + WIDTH]
    x = np.int32(0)
    for i in range(WIDTH):
        x = np.int32(x + np.int32(cut_narrow(own[i])) * np.int32(row[i]))
    if VIEWS == 2:
        row = weights[begin + WIDTH : begin + 2 * WIDTH]
        for i in range(WIDTH):
            x = np.int32(x + np.int32(cut_narrow(other[i])) * np.int32(row[i]))
    return x + g[BIASES + HIDDEN + 2 + k]


def prior(g: Ground, s: State, p: int, m: int) -> float:
    """How likely a move is to be good, as a weight for PUCT: (x + sqrt(1 + x x)) squared, which is exp(2 asinh(x)) by steps that
    every target rounds alike."""
    prepare(g, s, p)
    x = policy(g, s, p, m)
    y = (x + math.sqrt(ONE * ONE + x * x)) / ONE
    return y * y


def value(g: Ground, s: State, out: Payoffs) -> None:
    """The game's `value`, by the network: through the eyes of the side to move; before chance, or where both decide at once,
    what both sides see, halfway between."""
    side = turn(g, s)
    if side >= 0:
        x = judged(g, s, side)
        if side == 1:
            x = -x
    else:
        x = 0.5 * (judged(g, s, 0) - judged(g, s, 1))
    x = min(max(x, -CERTAIN), CERTAIN)
    out[0] = MIDDLE + HALF * x
    out[1] = MIDDLE - HALF * x
