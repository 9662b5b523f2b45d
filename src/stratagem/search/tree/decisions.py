"""The table of decisions that `infosets` searches with: what each player has learned about each of its decisions.

A decision is an entry of a hash table: the key of the state (or of the player's view of it) and the player. Its arms lie
together. Equal positions share an entry, whichever way they were reached.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.kernel import (
    CHANCE,
    HIGH,
    LOW,
    NO_MOVE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    Payoffs,
    State,
    Unbound,
    count,
    draw,
    guess,
    hide,
    key,
    moves,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, below, mix, unit
from stratagem.search.running import StopFlag
from stratagem.search.sampling.playouts import HAS_CHANCE, HAS_TOGETHER, playout
from stratagem.search.tree.templates import STUCK

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

# columns of `table`, one row a decision; a key of 0 is a free row
KEY, FIRST, COUNT, MET = 0, 1, 2, 3
# columns of `arms`, one row a move of a decision
VISITS, TOTAL, REGRET, STRATEGY = 0, 1, 2, 3
# columns of a path's rows: the decision, the arm taken, the player, whether it mixes
AT, ARM, WHO, MIXED = 0, 1, 2, 3
# cells of `room`: arms used, decisions used, most decisions
ARMS_USED, ROWS_USED, MOST_ROWS = 0, 1, 2

NO_ROOM = -1
PATH = 4096  # decisions along one simulation; beyond it the playout takes over

# bound for each search
BY_UCB: bool = cast(Any, Unbound("BY_UCB"))
BY_EXP3: bool = cast(Any, Unbound("BY_EXP3"))
SECRET: bool = cast(Any, Unbound("SECRET"))  # whether decisions are looked up by views


def decision_key(g: Ground, s: State, p: int, seen: State) -> int:
    """The key of player p's decision in s; never 0."""
    if SECRET:
        for i in range(SIZE):
            seen[i] = s[i]
        hide(g, seen, p)
        h = key(g, seen)
    else:
        h = key(g, s)
    h = mix(h ^ mix(p + 1))
    return h if h != 0 else 1


def find(
    g: Ground, s: State, p: int, seen: State, table: Words, arms: Floats, arm_moves: Words, room: Words, listed: Moves
) -> int:
    """The row of player p's decision in s, made if it is new; NO_ROOM where the pool has ended, STUCK without a move."""
    h = decision_key(g, s, p, seen)
    mask = table.shape[0] - 1
    row = (h >> 7) & mask
    while table[row, KEY] != 0:
        if table[row, KEY] == h:
            return row
        row = (row + 1) & mask
    n = moves(g, s, p, listed)
    if n == 0:
        return STUCK
    first = room[ARMS_USED]
    if first + n > arms.shape[0] or room[ROWS_USED] >= room[MOST_ROWS]:
        return NO_ROOM
    room[ARMS_USED] += n
    room[ROWS_USED] += 1
    for k in range(n):
        for column in range(4):
            arms[first + k, column] = 0.0
        arm_moves[first + k] = listed[k]
    table[row, KEY] = h
    table[row, FIRST] = first
    table[row, COUNT] = n
    table[row, MET] = 0
    return row


def by_ucb(arms: Floats, first: int, n: int, met: int, c: float, r: Rng) -> int:
    """The arm of the highest upper confidence bound; untried ones first, drawn by lot."""
    untried = 0
    for k in range(n):
        if arms[first + k, VISITS] == 0.0:
            untried += 1
    if untried > 0:
        skip = below(r, untried)
        for k in range(n):
            if arms[first + k, VISITS] == 0.0:
                if skip == 0:
                    return k
                skip -= 1
    bonus = c * np.sqrt(np.log(float(max(met, 1))))
    best = -np.inf
    chosen = 0
    for k in range(n):
        inverse = 1.0 / arms[first + k, VISITS]
        score = arms[first + k, TOTAL] * inverse + bonus * np.sqrt(inverse)
        if score > best:
            best = score
            chosen = k
    return chosen


def mixture(arms: Floats, first: int, n: int, gamma: float, sigma: Floats) -> None:
    """The strategy of a decision into sigma: in proportion to positive regrets, or to exponential gains."""
    total = 0.0
    if BY_EXP3:
        top = -np.inf
        for k in range(n):
            top = max(top, arms[first + k, REGRET])
        for k in range(n):
            sigma[k] = np.exp(gamma / n * (arms[first + k, REGRET] - top))
            total += sigma[k]
    else:
        for k in range(n):
            sigma[k] = max(arms[first + k, REGRET], 0.0)
            total += sigma[k]
    for k in range(n):
        sigma[k] = sigma[k] / total if total > 0.0 else 1.0 / n


def choose_arm(t: int, arms: Floats, table: Words, row: int, c: float, gamma: float, sigma: Floats, r: Rng) -> int:
    """An arm by the rule bound; a player who alone decides, and sees everything, has no need to mix."""
    first = table[row, FIRST]
    n = table[row, COUNT]
    table[row, MET] += 1
    if n == 1:
        return 0
    if BY_UCB or (t >= 0 and not SECRET):
        return by_ucb(arms, first, n, table[row, MET], c, r)
    mixture(arms, first, n, gamma, sigma)
    weight = float(table[row, MET])  # later strategies count for more: the values below were rougher before
    for k in range(n):
        arms[first + k, STRATEGY] += weight * sigma[k]
    if unit(r) < gamma:
        return below(r, n)
    x = unit(r)
    for k in range(n - 1):
        x -= sigma[k]
        if x < 0.0:
            return k
    return n - 1


def learn(
    arms: Floats, table: Words, path: Words, begin: int, end: int, gamma: float, out: Payoffs, sigma: Floats,
    ratio: Floats,
) -> None:  # fmt: skip
    """Teach the decisions begin .. end of a path, all of one moment, the payoffs that followed.

    Where players mix, the payoffs passed further up are corrected for exploration: what the moment is worth under the
    strategies themselves. Each arm's own mean serves as its baseline, which keeps the variance of the corrected payoff low
    (Schmid et al. 2019).
    """
    if path[begin, MIXED] == 0:
        for i in range(begin, end):
            arm = table[path[i, AT], FIRST] + path[i, ARM]
            arms[arm, VISITS] += 1.0
            arms[arm, TOTAL] += out[path[i, WHO]]
        return
    # An arm never tried counts as the middle of the range: 0 would be an opinion where payoffs do not lie around it.
    middle = 0.5 * (LOW + HIGH)
    everyone = 1.0
    for i in range(begin, end):
        first = table[path[i, AT], FIRST]
        n = table[path[i, AT], COUNT]
        mixture(arms, first, n, gamma, sigma)
        played = sigma[path[i, ARM]]
        ratio[i - begin] = played / ((1.0 - gamma) * played + gamma / n)
        everyone *= ratio[i - begin]
    for i in range(begin, end):
        first = table[path[i, AT], FIRST]
        n = table[path[i, AT], COUNT]
        a = path[i, ARM]
        p = path[i, WHO]
        mixture(arms, first, n, gamma, sigma)
        q = (1.0 - gamma) * sigma[a] + gamma / n
        others = everyone / ratio[i - begin] if ratio[i - begin] > 0.0 else 0.0
        if ratio[i - begin] == 0.0:
            others = 1.0
            for j in range(begin, end):
                if j != i:
                    others *= ratio[j - begin]
        u = out[p]
        visits = arms[first + a, VISITS]
        baseline = arms[first + a, TOTAL] / visits if visits > 0.0 else u
        surprise = others * (u - baseline) / q
        worth = 0.0
        for k in range(n):
            mean = arms[first + k, TOTAL] / arms[first + k, VISITS] if arms[first + k, VISITS] > 0.0 else middle
            if k == a:
                mean = baseline + surprise
            worth += sigma[k] * mean
        for k in range(n):
            mean = arms[first + k, TOTAL] / arms[first + k, VISITS] if arms[first + k, VISITS] > 0.0 else middle
            if k == a:
                mean = baseline + surprise
            if BY_EXP3:
                arms[first + k, REGRET] += (mean - LOW) / (HIGH - LOW)
            else:
                arms[first + k, REGRET] = max(arms[first + k, REGRET] + mean - worth, 0.0)
        arms[first + a, VISITS] += 1.0
        arms[first + a, TOTAL] += u
        out[p] = worth


def explore(
    g: Ground, start: State, viewer: int, s: State, seen: State, r: Rng, table: Words, arms: Floats, arm_moves: Words,
    room: Words, c: float, gamma: float, cut: int, cap: int, path: Words, moments: Words, listed: Moves, joint: Moves,
    sigma: Floats, ratio: Floats, out: Payoffs, sums: Floats, at_least: int, at_most: int, stop: StopFlag,
) -> int:  # fmt: skip
    """Simulations until a budget or the flag; returns how many, or an error of `playout`, or STUCK."""
    done = 0
    while done < at_most and (done < at_least or stop[0] == 0):
        for i in range(SIZE):
            s[i] = start[i]
        if SECRET:
            guess(g, s, viewer, r)
        steps = 0  # rows of the path
        when = 0  # moments: rows that belong together
        plies = 0
        fresh = False
        while not fresh:
            t = turn(g, s)
            if t == OVER or steps + PLAYERS > PATH or plies > cap:
                break
            plies += 1
            if t == CHANCE:
                if HAS_CHANCE:
                    draw(g, s, r)
                continue
            moments[when] = steps
            full = False
            for p in range(PLAYERS):
                joint[p] = NO_MOVE
                if p == t or (t == TOGETHER and count(g, s, p) > 0):
                    row = find(g, s, p, seen, table, arms, arm_moves, room, listed)
                    if row == STUCK:
                        return STUCK
                    if row == NO_ROOM:
                        full = True
                        break
                    if table[row, MET] == 0:
                        fresh = True
                    k = choose_arm(t, arms, table, row, c, gamma, sigma, r)
                    joint[p] = arm_moves[table[row, FIRST] + k]
                    path[steps, AT] = row
                    path[steps, ARM] = k
                    path[steps, WHO] = p
                    path[steps, MIXED] = 0 if BY_UCB or (t >= 0 and not SECRET) else 1
                    steps += 1
            if full:
                steps = moments[when]
                break
            when += 1
            if t >= 0:
                play(g, s, t, joint[t])
            elif HAS_TOGETHER:
                play_together(g, s, joint)
        plies = playout(g, s, r, joint, cut, cap, out)
        if plies < 0:
            return plies
        for w in range(when - 1, -1, -1):
            learn(arms, table, path, moments[w], steps if w == when - 1 else moments[w + 1], gamma, out, sigma, ratio)
        for p in range(PLAYERS):
            sums[p] += out[p]
            sums[PLAYERS + p] += out[p] * out[p]
        done += 1
    return done
