"""Templates of look-ahead drafting: an explicit stack and a hash table of states.

Names bound at specialisation: `legal`, `state_key` (what of a node decides the future: see the variants below) and, where
worths depend on the state, `worth` and `final`. A template that fills its table returns GROW, keeps its stack, and goes on
when called again with a larger table.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from stratagem.bits import popcount
from stratagem.errors import MissingKernel
from stratagem.kernel import Ground
from stratagem.plans.draft import PASS, Ints
from stratagem.rng import mix

# bound for each draft
STATIC = True  # whether worths depend on player and item alone

DONE, GROW, STOPPED = 0, 1, 2  # what a template returns
UNDECIDED = -2

# info: [depth of the stack, states in the table, work done]
DEPTH, STATES, WORK = 0, 1, 2
# a frame: [turn, free items, trial k, replayed turn, replayed free items, items still to get, best trial, phase, count]
TURN, FREE, TRIAL, REPLAY_TURN, REPLAY_FREE, TO_GET, BEST, PHASE, COUNT = 0, 1, 2, 3, 4, 5, 6, 7, 8
FRAME = 9
ENTER, WORKING = 0, 1

# how a seat picks, to `outcome_template`
KTH, GREEDY, MAXIMISE = 0, 1, 2


# ------------------------------------------------------------------------------------------------- kernels to be bound


def worth(g: Ground, owned: Ints, i: int, x: int) -> float:
    """What taking the free item x is worth to player i where `owned` are the items of each player."""
    _unbound()


def final(g: Ground, owned: Ints, i: int) -> float:
    """What the finished draft `owned` is worth to player i."""
    _unbound()


def _unbound() -> NoReturn:
    raise MissingKernel("bound for each draft")


def legal(g: Ground, owned: Ints, i: int, x: int) -> bool:
    """Whether player i may take the free item x."""
    return True


def legal_within_limits(g: Ground, owned: Ints, i: int, x: int) -> bool:
    """ground: [limited positions; their limits..; their items..; the limited position of each item or -1..]"""
    positions = g[0]
    at = g[1 + 2 * positions + x]
    return at < 0 or popcount(owned[i] & g[1 + positions + at]) < g[1 + at]


def state_key(g: Ground, owned: Ints, free: int, t: int, out: Ints) -> None:
    """Static worths, no limits: the free items say all, the turn too."""
    out[0] = free


def key_with_counts(g: Ground, owned: Ints, free: int, t: int, out: Ints) -> None:
    """Limits: the free items, and the turn and how many of each limited position each player has, in mixed radix."""
    positions = g[0]
    packed = t
    for i in range(owned.shape[0]):
        for at in range(positions):
            packed = packed * (g[1 + at] + 1) + popcount(owned[i] & g[1 + positions + at])
    out[0] = free
    out[1] = packed


def key_with_owners(g: Ground, owned: Ints, free: int, t: int, out: Ints) -> None:
    """Worths that depend on the state: who has what. The last player's items follow from the others'."""
    out[0] = free
    out[1] = t
    for i in range(owned.shape[0] - 1):
        out[2 + i] = owned[i]


# ------------------------------------------------------------------------------------------------------------- pieces


def ranked(g: Ground, lists: Ints, owned: Ints, free: int, i: int, most: int, scratch: Ints, out: Ints) -> int:
    """The best `most` legal free items of player i, best first, into `out`; returns how many there are."""
    k = 0
    m = lists.shape[1]
    if STATIC:
        for at in range(m):
            x = lists[i, at]
            if free >> x & 1 and legal(g, owned, i, x):
                out[k] = x
                k += 1
                if k == most:
                    break
        return k
    # scratch rows: own worth and contest of the items in `out`
    for x in range(m):
        if free >> x & 1 == 0 or not legal(g, owned, i, x):
            continue
        own = np.int64(np.rint(worth(g, owned, i, x) * 1e9))
        contest = np.int64(0)
        for j in range(owned.shape[0]):
            if j != i:
                contest += np.int64(np.rint(worth(g, owned, j, x) * 1e9))
        at = k
        while at > 0 and (scratch[0, at - 1] < own or (scratch[0, at - 1] == own and scratch[1, at - 1] > contest)):
            scratch[0, at] = scratch[0, at - 1]
            scratch[1, at] = scratch[1, at - 1]
            out[at] = out[at - 1]
            at -= 1
        scratch[0, at] = own
        scratch[1, at] = contest
        out[at] = x
        k += 1
    return min(k, most)


def favourite(g: Ground, lists: Ints, owned: Ints, free: int, i: int, scratch: Ints) -> int:
    """The best legal free item of player i, or PASS."""
    if STATIC:
        for at in range(lists.shape[1]):
            x = lists[i, at]
            if free >> x & 1 and legal(g, owned, i, x):
                return x
        return PASS
    best = PASS
    own_best, contest_best = np.int64(0), np.int64(0)
    for x in range(lists.shape[1]):
        if free >> x & 1 == 0 or not legal(g, owned, i, x):
            continue
        own = np.int64(np.rint(worth(g, owned, i, x) * 1e9))
        if best >= 0 and own < own_best:
            continue
        contest = np.int64(0)
        for j in range(owned.shape[0]):
            if j != i:
                contest += np.int64(np.rint(worth(g, owned, j, x) * 1e9))
        if best < 0 or own > own_best or contest < contest_best:
            best, own_best, contest_best = x, own, contest
    return best


def must_fail(
    g: Ground, lists: Ints, order: Ints, owned: Ints, free: int, t: int, i: int, to_get: int, scratch: Ints
) -> bool:
    """Whether player i certainly misses some item of `to_get`, judged without look-ahead.

    Whoever is to move gets his favourite free item: he takes it now, or takes another one only because he gets it later.
    So a wanted item that is the favourite of an opponent who moves before i does is lost, to him or to one in between.
    """
    for u in range(t, order.shape[0]):
        j = order[u]
        if j == i:
            return False
        x = favourite(g, lists, owned, free, j, scratch)
        if x >= 0 and to_get >> x & 1:
            return True
        if not STATIC:
            return False  # what comes after depends on this pick
    return True


def find(keys: Ints, key: Ints) -> int:
    """The slot of a key, or -1 - the empty slot where it belongs. Word 0 of a key is never 0, which marks empty slots."""
    words = keys.shape[1]
    h = key[0]
    for w in range(1, words):
        h = mix(h) ^ key[w]
    at = mix(h) & (keys.shape[0] - 1)
    while keys[at, 0] != 0:
        same = True
        for w in range(words):
            if keys[at, w] != key[w]:
                same = False
                break
        if same:
            return at
        at = (at + 1) & (keys.shape[0] - 1)
    return -1 - at


def store(keys: Ints, values: Ints, key: Ints, value: Ints) -> None:
    at = -1 - find(keys, key)
    for w in range(keys.shape[1]):
        keys[at, w] = key[w]
    for w in range(values.shape[1]):
        values[at, w] = value[w]


def known(g: Ground, owned: Ints, free: int, t: int, key: Ints, value: Ints, keys: Ints, values: Ints) -> bool:
    """Whether the table has a node; its entry goes into `value`."""
    state_key(g, owned, free, t, key)
    at = find(keys, key)
    if at >= 0:
        for w in range(values.shape[1]):
            value[w] = values[at, w]
    return at >= 0


def step(keys: Ints, info: Ints, stop: Ints) -> int:
    """Count one more step of the work: DONE where it may go on, GROW where the table is full, STOPPED by the flag."""
    if 2 * info[STATES] >= keys.shape[0]:
        return GROW
    info[WORK] += 1
    return STOPPED if info[WORK] & 1023 == 0 and stop[0] != 0 else DONE


def push(owned: Ints, frames: Ints, info: Ints, holdings: Ints, free: int, t: int) -> None:
    """A node on top of the stack, to be worked out before the one below it."""
    info[DEPTH] += 1
    d = info[DEPTH]
    for p in range(holdings.shape[0]):
        owned[d, p] = holdings[p]
    frames[d, TURN] = t
    frames[d, FREE] = free
    frames[d, PHASE] = ENTER


def rehash_template(keys: Ints, values: Ints, new_keys: Ints, new_values: Ints) -> None:
    """Move all entries into larger arrays."""
    for at in range(keys.shape[0]):
        if keys[at, 0] != 0:
            store(new_keys, new_values, keys[at], values[at])


# --------------------------------------------------------------------------------------------------- kth-best, replayed


def kth_template(
    g: Ground, lists: Ints, order: Ints, left: Ints, prune: bool, ascending: bool,
    owned: Ints, replay: Ints, frames: Ints, tops: Ints, scratch: Ints,
    key: Ints, value: Ints, keys: Ints, values: Ints, info: Ints, stop: Ints,
) -> int:  # fmt: skip
    """kth_pick of the node in frame 0, by replays: its pick goes into `value`, and all nodes asked about into the table.

    prune: skip trials that must fail; the picks are the same, the states fewer. ascending: try k = 1, 2, ... and stop at
    the first failure. owned, replay: int64 [depth, players]; frames: [depth, FRAME]; tops: [depth, items].
    """
    turns = order.shape[0]
    n = owned.shape[1]
    while True:
        halt = step(keys, info, stop)
        if halt != DONE:
            return halt
        d = info[DEPTH]
        t, free = frames[d, TURN], frames[d, FREE]
        i = order[t]
        pick = UNDECIDED
        begin = False
        if frames[d, PHASE] == ENTER:
            if d == 0 and known(g, owned[d], free, t, key, value, keys, values):
                return DONE
            n_tops = ranked(g, lists, owned[d], free, i, left[t, i], scratch, tops[d])
            frames[d, COUNT] = n_tops
            frames[d, PHASE] = WORKING
            frames[d, BEST] = 0
            frames[d, TRIAL] = 1 if ascending else n_tops - 1
            begin = True
            if n_tops == 0:
                pick = PASS
            elif n_tops == 1:
                pick = tops[d, 0]
        pushed = False
        while pick == UNDECIDED and not pushed:
            k = frames[d, TRIAL]
            if begin:
                begin = False
                to_get = 0
                for at in range(k):
                    to_get |= 1 << tops[d, at]
                for j in range(n):
                    replay[d, j] = owned[d, j]
                replay[d, i] |= 1 << tops[d, k]
                frames[d, REPLAY_FREE] = free ^ (1 << tops[d, k])
                frames[d, REPLAY_TURN] = t + 1
                frames[d, TO_GET] = to_get
            failed = False
            while frames[d, TO_GET] != 0:
                u = frames[d, REPLAY_TURN]
                if u == turns:
                    failed = True
                    break
                j = order[u]
                if prune and must_fail(
                    g, lists, order, replay[d], frames[d, REPLAY_FREE], u, i, frames[d, TO_GET], scratch
                ):
                    failed = True
                    break
                state_key(g, replay[d], frames[d, REPLAY_FREE], u, key)
                at = find(keys, key)
                if at < 0:
                    # its pick is not known yet: work it out on top of the stack, then come back here
                    push(owned, frames, info, replay[d], frames[d, REPLAY_FREE], u)
                    pushed = True
                    break
                x = values[at, 0]
                frames[d, REPLAY_TURN] = u + 1
                if x == PASS:
                    continue
                if frames[d, TO_GET] >> x & 1:
                    if j != i:
                        failed = True
                        break
                    frames[d, TO_GET] ^= 1 << x
                replay[d, j] |= 1 << x
                frames[d, REPLAY_FREE] ^= 1 << x
            if pushed:
                break
            if ascending:
                if failed or k == frames[d, COUNT] - 1:
                    pick = tops[d, k - 1] if failed else tops[d, k]
                else:
                    frames[d, TRIAL] = k + 1
                    begin = True
            elif not failed:
                pick = tops[d, k]
            elif k == 1:
                pick = tops[d, 0]
            else:
                frames[d, TRIAL] = k - 1
                begin = True
        if pushed:
            continue
        state_key(g, owned[d], free, t, key)
        value[0] = pick
        store(keys, values, key, value)
        info[STATES] += 1
        if d == 0:
            return DONE
        info[DEPTH] = d - 1


# -------------------------------------------------------------------------------------------------- outcomes, no replays


def worth_of(points: Ints, i: int, mask: int) -> int:
    total = np.int64(0)
    x = 0
    while mask != 0:
        if mask & 1:
            total += points[i, x]
        mask >>= 1
        x += 1
    return int(total)


def outcome_template(
    g: Ground, lists: Ints, points: Ints, order: Ints, left: Ints, prune: bool, ascending: bool, rules: Ints, narrow: bool,
    owned: Ints, child: Ints, frames: Ints, tops: Ints, scratch: Ints,
    key: Ints, value: Ints, keys: Ints, values: Ints, info: Ints, stop: Ints,
) -> int:  # fmt: skip
    """What each player gets from the node in frame 0 on, where seat i picks by rules[i], into `value`.

    An entry of the table is [pick, items that player 0 gets from here on, player 1, ...]. KTH tests a top segment by one
    subset operation; MAXIMISE takes the largest own final worth, ties by the strict order; `narrow` says that the mover's
    best `left` items are enough for it (two players, static worths, no limits).
    """
    turns = order.shape[0]
    n = owned.shape[1]
    while True:
        halt = step(keys, info, stop)
        if halt != DONE:
            return halt
        d = info[DEPTH]
        t, free = frames[d, TURN], frames[d, FREE]
        i = order[t]
        rule = rules[i]
        if frames[d, PHASE] == ENTER:
            if d == 0 and known(g, owned[d], free, t, key, value, keys, values):
                return DONE
            most = left[t, i]
            if rule == GREEDY:
                most = 1
            elif rule == MAXIMISE and not narrow:
                most = lists.shape[1]
            n_tops = ranked(g, lists, owned[d], free, i, most, scratch, tops[d])
            frames[d, COUNT] = n_tops
            frames[d, PHASE] = WORKING
            frames[d, BEST] = 0
            frames[d, TRIAL] = 0
            if rule == KTH and n_tops > 0:
                frames[d, TRIAL] = min(1, n_tops - 1) if ascending else n_tops - 1
        pick = UNDECIDED
        pushed = False
        while pick == UNDECIDED:
            k = frames[d, TRIAL]
            x = tops[d, k] if frames[d, COUNT] > 0 else PASS
            segment = 0
            if rule == KTH:
                for at in range(k):
                    segment |= 1 << tops[d, at]
            for j in range(n):
                child[j] = owned[d, j]
            child_free = free
            if x != PASS:
                child[i] |= 1 << x
                child_free ^= 1 << x
            refuted = False  # without looking
            if prune and segment != 0:
                refuted = must_fail(g, lists, order, child, child_free, t + 1, i, segment, scratch)
            at = -1
            if not refuted and t + 1 < turns:
                state_key(g, child, child_free, t + 1, key)
                at = find(keys, key)
                if at < 0:
                    push(owned, frames, info, child, child_free, t + 1)
                    pushed = True
                    break
            if rule == MAXIMISE and x != PASS:
                if STATIC:
                    gained = points[i, x] + (worth_of(points, i, values[at, 1 + i]) if at >= 0 else 0)
                else:
                    if at >= 0:
                        for j in range(n):
                            child[j] |= values[at, 1 + j]
                    gained = np.int64(np.rint(final(g, child, i) * 1e9))
                if k == 0 or gained > scratch[2, d]:
                    scratch[2, d] = gained
                    frames[d, BEST] = k
                if k + 1 < frames[d, COUNT]:
                    frames[d, TRIAL] = k + 1
                else:
                    pick = tops[d, frames[d, BEST]]
            elif rule == KTH and x != PASS:
                gets = values[at, 1 + i] if at >= 0 else 0
                holds = not refuted and gets & segment == segment
                if ascending:
                    if holds and k + 1 < frames[d, COUNT]:
                        frames[d, BEST] = k
                        frames[d, TRIAL] = k + 1
                    else:
                        pick = x if holds else tops[d, frames[d, BEST]]
                elif holds:
                    pick = x
                else:
                    frames[d, TRIAL] = k - 1
            else:
                pick = x
        if pushed:
            continue
        value[0] = pick
        for j in range(n):
            value[1 + j] = 0
            child[j] = owned[d, j]
        child_free = free
        if pick != PASS:
            child[i] |= 1 << pick
            child_free ^= 1 << pick
        if t + 1 < turns:
            state_key(g, child, child_free, t + 1, key)
            at = find(keys, key)
            if at < 0:
                # only ascending comes here with the chosen child unseen: its trial 0 is never looked at
                push(owned, frames, info, child, child_free, t + 1)
                continue
            for j in range(n):
                value[1 + j] = values[at, 1 + j]
        if pick != PASS:
            value[1 + i] |= 1 << pick
        state_key(g, owned[d], free, t, key)
        store(keys, values, key, value)
        info[STATES] += 1
        if d == 0:
            return DONE
        info[DEPTH] = d - 1
