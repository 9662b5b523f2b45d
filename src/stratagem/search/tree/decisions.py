"""The table of decisions that `infosets` searches with: what each player has learned about each of its decisions.

A decision is an entry of a hash table: the key of the state (or of the player's view of it) and the player. Its arms lie
together. Equal positions share an entry, whichever way they were reached. What makes one search differ from another is bound: the
rule by which players mix (`RULES`), who mixes (`mixes`), what a player sees (`look`) and what is guessed (`imagine`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.game import ArrayGame
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
    count,
    draw,
    hide,
    key,
    moves,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, below, generator, mix, unit
from stratagem.search.budget import StopFlag
from stratagem.search.sampling.montecarlo import as_it_is, guess_hidden
from stratagem.search.sampling.playouts import HAS_CHANCE, HAS_TOGETHER, playout
from stratagem.search.tree.templates import STUCK

Floats = NDArray[np.float64]
Words = NDArray[np.int64]

# columns of `table`, one row a decision; a key of 0 is a free row
KEY, FIRST, COUNT, MET = 0, 1, 2, 3
# columns of `arms`, one row a move of a decision
VISITS, TOTAL, REGRET, STRATEGY = 0, 1, 2, 3
COLUMNS = 4
# columns of a path's rows: the decision, the arm taken, the player, whether it mixes
AT, ARM, WHO, MIXED = 0, 1, 2, 3
# cells of `room`: arms used, decisions used, most decisions
ARMS_USED, ROWS_USED, MOST_ROWS = 0, 1, 2

NO_ROOM = -1
PATH = 4096  # decisions along one simulation; beyond it the playout takes over
KEY_BITS = 7  # of a key that do not choose its row
FEWEST_ROWS = 4  # log2 of them


class Decisions(NamedTuple):
    """All that was learned."""

    table: Words  # [rows, 4] KEY, FIRST, COUNT and MET; the rows are a power of two
    arms: Floats  # [arms, 4] VISITS, TOTAL, REGRET and STRATEGY
    moves: Words  # [arms] the move of each
    room: Words  # [3] ARMS_USED, ROWS_USED and MOST_ROWS


def decisions(pool: int) -> Decisions:
    """Room for so many arms, and a table of which a quarter stays free."""
    rows = 1 << max(int(np.ceil(np.log2(pool))), FEWEST_ROWS)
    room = np.array([0, 0, rows * 3 // 4], np.int64)
    return Decisions(np.zeros((rows, COLUMNS), np.int64), np.zeros((pool, COLUMNS)), np.zeros(pool, np.int64), room)


class Explorer(NamedTuple):
    """What a simulation works with."""

    state: State  # [cells]
    seen: State  # [cells] a player's view of it
    rng: Rng  # [2]
    path: Words  # [PATH and a few, 4] AT, ARM, WHO and MIXED of the decisions on the way
    moments: Words  # [PATH and a few] where the decisions of a moment begin in it
    listed: Moves  # [moves]
    joint: Moves  # [players]
    sigma: Floats  # [moves] a mixed strategy
    ratio: Floats  # [players] how much likelier a strategy takes an arm than one that also explores
    out: Payoffs  # [players]
    reached: Payoffs  # [players] what followed the first moment
    answers: Floats  # [players, moves, 2] of the first moment's moves: weights, and weighted payoffs
    sums: Floats  # [2 * players] of this search's payoffs, and of their squares


def explorer(game: ArrayGame, seed: int) -> Explorer:
    n, widest = game.players, max(game.max_moves, 1)
    return Explorer(
        state=game.blank(),
        seen=game.blank(),
        rng=generator(seed),
        path=np.zeros((PATH + n, COLUMNS), np.int64),
        moments=np.zeros(PATH + n, np.int64),
        listed=np.zeros(widest, np.int64),
        joint=np.zeros(n, np.int64),
        sigma=np.zeros(widest),
        ratio=np.zeros(n),
        out=np.zeros(n),
        reached=np.zeros(n),
        answers=np.zeros((n, widest, 2)),
        sums=np.zeros(2 * n),
    )


class DecisionLimits(NamedTuple):
    """Numbers that bound a call."""

    exploration: float  # weight of UCB's bonus, in payoffs
    gamma: float  # the share of random moves where players mix
    cut: int  # plies after which playouts are judged, where they are
    cap: int  # plies after which a playout is endless
    at_least: int = 0  # simulations, whatever the flag says
    at_most: int = 0


# ---- what a player sees


def look_at_all(g: Ground, s: State, p: int, seen: State) -> int:
    """The key of a state that hides nothing."""
    return key(g, s)


def look_at_view(g: Ground, s: State, p: int, seen: State) -> int:
    """The key of player p's view, so that nobody acts on a secret (Cowling, Powley, Whitehouse 2012)."""
    for i in range(SIZE):
        seen[i] = s[i]
    hide(g, seen, p)
    return key(g, seen)


look, imagine = look_at_all, as_it_is  # or `look_at_view` and `guess_hidden`


def decision_key(g: Ground, s: State, p: int, seen: State) -> int:
    """The key of player p's decision in s; never 0."""
    h = mix(look(g, s, p, seen) ^ mix(p + 1))
    return h if h != 0 else 1


def find(g: Ground, p: int, known: Decisions, explorer: Explorer) -> int:
    """The row of player p's decision, made if it is new; NO_ROOM where the pool has ended, STUCK without a move."""
    s, table = explorer.state, known.table
    h = decision_key(g, s, p, explorer.seen)
    mask = table.shape[0] - 1
    row = (h >> KEY_BITS) & mask
    while table[row, KEY] != 0:
        if table[row, KEY] == h:
            return row
        row = (row + 1) & mask
    n = moves(g, s, p, explorer.listed)
    if n == 0:
        return STUCK
    first = known.room[ARMS_USED]
    if first + n > known.arms.shape[0] or known.room[ROWS_USED] >= known.room[MOST_ROWS]:
        return NO_ROOM
    known.room[ARMS_USED] += n
    known.room[ROWS_USED] += 1
    for k in range(n):
        for column in range(COLUMNS):
            known.arms[first + k, column] = 0.0
        known.moves[first + k] = explorer.listed[k]
    table[row, KEY] = h
    table[row, FIRST] = first
    table[row, COUNT] = n
    table[row, MET] = 0
    return row


# ---- who mixes: a player who alone decides, and sees everything, has no need to


def nobody_mixes(t: int) -> bool:
    """Everybody follows the bounds (decoupled UCT, where all decide at once)."""
    return False


def all_at_once_mix(t: int) -> bool:
    """Those who decide at once; t says who decides."""
    return t < 0


def everybody_mixes(t: int) -> bool:
    """Also who decides alone, since something is hidden."""
    return True


mixes = all_at_once_mix  # or another


def by_ucb(arms: Floats, first: int, n: int, met: int, c: float, r: Rng) -> int:
    """The arm of the highest upper confidence bound; untried ones first, drawn at random."""
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


# ---- how they mix


def weigh_regrets(arms: Floats, first: int, n: int, met: int, sigma: Floats) -> float:
    """Regret matching: in proportion to positive regrets (Hart and Mas-Colell 2000). Returns the sum of the weights."""
    total = 0.0
    for k in range(n):
        sigma[k] = max(arms[first + k, REGRET], 0.0)
        total += sigma[k]
    return total


def add_regret(arms: Floats, arm: int, mean: float, worth: float) -> None:
    """Regrets that never fall below zero (regret matching plus: Tammelin 2014)."""
    arms[arm, REGRET] = max(arms[arm, REGRET] + mean - worth, 0.0)


def weigh_gains(arms: Floats, first: int, n: int, met: int, sigma: Floats) -> float:
    """Exp3: in proportion to exponential gains (Auer, Cesa-Bianchi, Freund, Schapire 2002).

    The rate falls with the square root of the times met, as regret that grows more slowly than they do needs: at a fixed rate
    the strategies circle around an equilibrium for ever.
    """
    rate = np.sqrt(np.log(float(n)) / (n * max(met, 1)))
    total = 0.0
    top = -np.inf
    for k in range(n):
        top = max(top, arms[first + k, REGRET])
    for k in range(n):
        sigma[k] = np.exp(rate * (arms[first + k, REGRET] - top))
        total += sigma[k]
    return total


def add_gain(arms: Floats, arm: int, mean: float, worth: float) -> None:
    """What an arm has gained, from 0 to 1 a time."""
    arms[arm, REGRET] += (mean - LOW) / (HIGH - LOW)


def later_counts_more(met: int) -> float:
    """The values below a decision were rougher before."""
    return float(met)


def all_count_alike(met: int) -> float:
    """The mean of all strategies is what the bound of exponential weights is about."""
    return 1.0


weigh, regret, in_the_mean = (
    weigh_regrets,
    add_regret,
    later_counts_more,
)  # or `weigh_gains`, `add_gain`, `all_count_alike`
# where players who decide at once, or cannot see everything, follow a rule
RULES: dict[str, dict[str, Any]] = {
    "duct": {"mixes": nobody_mixes},
    "rm": {"weigh": weigh_regrets, "regret": add_regret, "in_the_mean": later_counts_more},
    "exp3": {"weigh": weigh_gains, "regret": add_gain, "in_the_mean": all_count_alike},
}
OPEN = {"look": look_at_all, "imagine": as_it_is, "mixes": all_at_once_mix}
SECRET = {"look": look_at_view, "imagine": guess_hidden, "mixes": everybody_mixes}


def mixture(arms: Floats, first: int, n: int, met: int, sigma: Floats) -> None:
    """The strategy of a decision met so often into sigma, by the rule bound."""
    total = weigh(arms, first, n, met, sigma)
    for k in range(n):
        sigma[k] = sigma[k] / total if total > 0.0 else 1.0 / n


def choose_arm(t: int, known: Decisions, row: int, explorer: Explorer, limits: DecisionLimits) -> int:
    """An arm of a decision: by its bounds, or drawn from the strategy, which is noted."""
    arms, sigma, r = known.arms, explorer.sigma, explorer.rng
    first = known.table[row, FIRST]
    n = known.table[row, COUNT]
    known.table[row, MET] += 1
    if n == 1:
        return 0
    if not mixes(t):
        return by_ucb(arms, first, n, known.table[row, MET], limits.exploration, r)
    mixture(arms, first, n, known.table[row, MET], sigma)
    weight = in_the_mean(known.table[row, MET])
    for k in range(n):
        arms[first + k, STRATEGY] += weight * sigma[k]
    if unit(r) < limits.gamma:
        return below(r, n)
    x = unit(r)
    for k in range(n - 1):
        x -= sigma[k]
        if x < 0.0:
            return k
    return n - 1


# ---- learning


def learn(known: Decisions, explorer: Explorer, begin: int, end: int, gamma: float) -> None:
    """Teach the decisions begin .. end of a path, all of one moment, the payoffs that followed.

    Where players mix, the payoffs passed further up are corrected for exploration: what the moment is worth under the
    strategies themselves.
    """
    table, arms, path, ratio = known.table, known.arms, explorer.path, explorer.ratio
    if path[begin, MIXED] == 0:
        for i in range(begin, end):
            arm = table[path[i, AT], FIRST] + path[i, ARM]
            arms[arm, VISITS] += 1.0
            arms[arm, TOTAL] += explorer.out[path[i, WHO]]
        return
    everyone = 1.0
    for i in range(begin, end):
        n = table[path[i, AT], COUNT]
        mixture(arms, table[path[i, AT], FIRST], n, table[path[i, AT], MET], explorer.sigma)
        played = explorer.sigma[path[i, ARM]]
        ratio[i - begin] = played / ((1.0 - gamma) * played + gamma / n)
        everyone *= ratio[i - begin]
    for i in range(begin, end):
        others = everyone / ratio[i - begin] if ratio[i - begin] > 0.0 else 0.0
        if ratio[i - begin] == 0.0:
            others = 1.0
            for j in range(begin, end):
                if j != i:
                    others *= ratio[j - begin]
        learn_mixed(known, explorer, i, others, gamma)


def learn_mixed(known: Decisions, explorer: Explorer, i: int, others: float, gamma: float) -> None:
    """Teach one decision of a moment in which players mix, and put what the moment is worth in the place of the payoff.

    Each arm's own mean serves as its baseline, which keeps the variance of the corrected payoff low (Schmid et al. 2019).
    """
    arms, sigma, out = known.arms, explorer.sigma, explorer.out
    row, a, p = explorer.path[i, AT], explorer.path[i, ARM], explorer.path[i, WHO]
    first, n = known.table[row, FIRST], known.table[row, COUNT]
    # An arm never tried counts as the middle of the range: 0 would be an opinion where payoffs do not lie around it.
    middle = 0.5 * (LOW + HIGH)
    mixture(arms, first, n, known.table[row, MET], sigma)
    q = (1.0 - gamma) * sigma[a] + gamma / n
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
        regret(arms, first + k, mean, worth)
    arms[first + a, VISITS] += 1.0
    arms[first + a, TOTAL] += u
    out[p] = worth


def note_answers(explorer: Explorer, begin: int, end: int) -> None:
    """What the moves begin .. end of a moment that was just learned are worth against the others' strategies.

    Others explore too, and to meet a random move is not to meet a strategy: payoffs are weighed by how much likelier the
    strategies alone take the others' moves (`ratio`).
    """
    path, ratio, answers = explorer.path, explorer.ratio, explorer.answers
    for i in range(begin, end):
        others = 1.0
        for j in range(begin, end):
            if j != i:
                others *= ratio[j - begin]
        p, k = path[i, WHO], path[i, ARM]
        answers[p, k, 0] += others
        answers[p, k, 1] += others * explorer.reached[p]


# ---- simulations


def decide(g: Ground, t: int, steps: int, known: Decisions, explorer: Explorer, limits: DecisionLimits) -> int:
    """All who decide in a moment choose, into `joint` and the path from row `steps` on.

    Returns the rows of the path then, or NO_ROOM, or STUCK.
    """
    path, joint = explorer.path, explorer.joint
    for p in range(PLAYERS):
        joint[p] = NO_MOVE
        if p == t or (t == TOGETHER and count(g, explorer.state, p) > 0):
            row = find(g, p, known, explorer)
            if row < 0:
                return row
            k = choose_arm(t, known, row, explorer, limits)
            joint[p] = known.moves[known.table[row, FIRST] + k]
            path[steps, AT] = row
            path[steps, ARM] = k
            path[steps, WHO] = p
            path[steps, MIXED] = 1 if mixes(t) else 0
            steps += 1
    return steps


def first_met(known: Decisions, path: Words, begin: int, end: int) -> bool:
    """Whether one of the decisions begin .. end was made for the first time: the playout takes over then."""
    for i in range(begin, end):
        if known.table[path[i, AT], MET] == 1:
            return True
    return False


def explore(
    g: Ground, start: State, viewer: int, known: Decisions, explorer: Explorer, limits: DecisionLimits, stop: StopFlag
) -> int:
    """Simulations until a budget or the flag; returns how many, or an error of `playout`, or STUCK."""
    s, r, joint, moments, out = explorer.state, explorer.rng, explorer.joint, explorer.moments, explorer.out
    done = 0
    while done < limits.at_most and (done < limits.at_least or stop[0] == 0):
        for i in range(SIZE):
            s[i] = start[i]
        imagine(g, s, viewer, r)
        steps = 0  # rows of the path
        when = 0  # moments: rows that belong together
        plies = 0
        fresh = False
        while not fresh:
            t = turn(g, s)
            if t == OVER or steps + PLAYERS > PATH or plies > limits.cap:
                break
            plies += 1
            if t == CHANCE:
                if HAS_CHANCE:
                    draw(g, s, r)
                continue
            rows = decide(g, t, steps, known, explorer, limits)
            if rows == STUCK:
                return STUCK
            if rows == NO_ROOM:
                break
            fresh = first_met(known, explorer.path, steps, rows)
            moments[when] = steps
            steps = rows
            when += 1
            if t >= 0:
                play(g, s, t, joint[t])
            elif HAS_TOGETHER:
                play_together(g, s, joint)
        plies = playout(g, s, r, joint, limits.cut, limits.cap, out)
        if plies < 0:
            return plies
        moments[when] = steps
        for w in range(when - 1, -1, -1):
            if w == 0:
                for p in range(PLAYERS):
                    explorer.reached[p] = out[p]
            learn(known, explorer, moments[w], moments[w + 1], limits.gamma)
        if when > 0 and explorer.path[0, MIXED] != 0:
            note_answers(explorer, 0, moments[1])
        for p in range(PLAYERS):
            explorer.sums[p] += out[p]
            explorer.sums[PLAYERS + p] += out[p] * out[p]
        done += 1
    return done


# A call hands over every array of a record, which took half of a simulation's time; so these are inlined, and only these: tests
# compare every build with the interpreter (forced inlining was once seen to give wrong code).
INLINED = (find, choose_arm, learn, learn_mixed, note_answers, decide, first_met)
