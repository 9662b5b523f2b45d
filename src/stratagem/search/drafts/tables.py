"""Templates of look-ahead drafting: an explicit stack and a hash table of states.

Names bound at specialisation: `legal`, `state_key` (what of a node decides the future: see the variants below) and, where
worths depend on the state, `worth` and `final`. A template that fills its table returns GROW, keeps its stack, and goes on
when called again with a larger table.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from stratagem.bits import popcount
from stratagem.errors import MissingKernel
from stratagem.kernel import Ground
from stratagem.plans.draft import PASS, DraftArrays, Ints
from stratagem.rng import mix

Units = NDArray[np.float64]

# bound for each draft
STATIC = True  # whether worths depend on player and item alone

DONE, GROW, STOPPED = 0, 1, 2  # what a template returns
UNDECIDED = -2  # in place of a pick: another node was put on top of the stack, and must be worked out first
HOLDS, FAILS, WAITS = 0, 1, 2  # what a trial comes to; WAITS like UNDECIDED
LAST, MISSING = -1, -2  # in place of a slot: nothing comes after; like UNDECIDED
UNASKED = -(1 << 62)  # in place of a contest that nothing depended on yet

# `Stack.info`
DEPTH, STATES, WORK = 0, 1, 2  # of the node on top; in the table; steps done
# a row of `Stack.frames`. BEST is the best trial so far, COUNT how many items are in `tops`
TURN, FREE, TRIAL, REPLAY_TURN, REPLAY_FREE, TO_GET, BEST, PHASE, COUNT = 0, 1, 2, 3, 4, 5, 6, 7, 8
FRAME = 9
ENTER, RANKED, WORKING = 0, 1, 2  # PHASE
STOP_EVERY = 1024  # steps between two looks at the flag, a power of 2

# how a seat picks, to `outcome_template`
KTH, GREEDY, MAXIMISE = 0, 1, 2


# --------------------------------------------------------------------------------------------------------------- records


class Manner(NamedTuple):
    """How the players draft."""

    prune: bool  # skip trials that must fail: the picks are the same, the states fewer
    ascending: bool  # try k = 1, 2, ... and stop at the first failure
    narrow: bool  # the mover's best items, as many as he has turns, are enough for MAXIMISE
    rules: Ints  # [players]: KTH, GREEDY or MAXIMISE


class Stack(NamedTuple):
    """Nodes that are being worked out, a row each, the one that was asked about at the bottom."""

    frames: Ints  # [depth, FRAME]
    owned: Ints  # [depth, players]: their items as bitmasks
    replay: Ints  # [depth, players]: the same in a trial that is being played on
    tops: Ints  # [depth, items]: the mover's best items, best first
    gained: Ints  # [depth]: what the best trial so far comes to
    child: Ints  # [players]: their items after a trial's pick
    ranks: Ints  # [2, items]: own worth and contest, while items are ranked
    worths: Units  # [items]: what each free item is worth to the mover
    info: Ints  # [3]: DEPTH, STATES, WORK

    @classmethod
    def empty(cls, draft: DraftArrays) -> Stack:
        (players, items), depth = draft.lists.shape, len(draft.order) + 2
        return cls(
            frames=np.zeros((depth, FRAME), np.int64),
            owned=np.zeros((depth, players), np.int64),
            replay=np.zeros((depth, players), np.int64),
            tops=np.zeros((depth, items), np.int64),
            gained=np.zeros(depth, np.int64),
            child=np.zeros(players, np.int64),
            ranks=np.zeros((2, items), np.int64),
            worths=np.zeros(items),
            info=np.zeros(3, np.int64),
        )


class States(NamedTuple):
    """A hash table of nodes, and the one entry that is being looked at. Word 0 of a key is never 0: that marks empty slots."""

    keys: Ints  # [slots, words]; the slots are a power of 2
    values: Ints  # [slots, words of an entry]: the pick, and in tables of outcomes what each player gets from there on
    key: Ints  # [words]
    value: Ints  # [words of an entry]

    @classmethod
    def empty(cls, slots: int, words: int, entry: int) -> States:
        keys, values = np.zeros((slots, words), np.int64), np.zeros((slots, entry), np.int64)
        return cls(keys, values, np.zeros(words, np.int64), np.zeros(entry, np.int64))

    def twice(self) -> States:
        """An empty table of twice the slots."""
        return States.empty(2 * len(self.keys), self.keys.shape[1], self.values.shape[1])


# ------------------------------------------------------------------------------------------------- kernels to be bound


def worth(g: Ground, owned: Ints, i: int, x: int) -> float:
    """What taking the free item x is worth to player i where `owned` are the items of each player."""
    _unbound()


def worths(g: Ground, owned: Ints, i: int, free: int, out: Units) -> None:
    """Into out[x] what taking each free item is worth to player i: `worth` item by item, if nothing better is bound."""
    for x in range(out.shape[0]):
        if free >> x & 1:
            out[x] = worth(g, owned, i, x)


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


# ------------------------------------------------------------------------------------------------------------- rankings


def in_units(x: float) -> int:
    """A worth as a whole number of 1e-9, so that float noise is never an order."""
    return int(np.int64(np.rint(x * 1e9)))


def contest(g: Ground, owned: Ints, i: int, x: int) -> int:
    """What the free item x is worth to the opponents of player i together."""
    total = np.int64(0)
    for j in range(owned.shape[0]):
        if j != i:
            total += in_units(worth(g, owned, j, x))
    return int(total)


def rank_items(g: Ground, draft: DraftArrays, stack: Stack, i: int, most: int) -> int:
    """The best `most` legal free items of player i in the node on top, best first, into `tops`; returns how many there are."""
    d = stack.info[DEPTH]
    owned, out, free = stack.owned[d], stack.tops[d], stack.frames[d, FREE]
    k = 0
    m = draft.lists.shape[1]
    if STATIC:
        for at in range(m):
            x = draft.lists[i, at]
            if free >> x & 1 and legal(g, owned, i, x):
                out[k] = x
                k += 1
                if k == most:
                    break
        return k
    own_ranks, contests = stack.ranks[0], stack.ranks[1]
    worths(g, owned, i, free, stack.worths)
    for x in range(m):
        if free >> x & 1 == 0 or not legal(g, owned, i, x):
            continue
        own, contested = in_units(stack.worths[x]), UNASKED
        at = k
        while at > 0 and own_ranks[at - 1] <= own:
            if own_ranks[at - 1] == own:  # only among equals does it matter who else wants them
                contested = contest(g, owned, i, x) if contested == UNASKED else contested
                if contests[at - 1] == UNASKED:
                    contests[at - 1] = contest(g, owned, i, out[at - 1])
                if contests[at - 1] <= contested:
                    break
            own_ranks[at] = own_ranks[at - 1]
            contests[at] = contests[at - 1]
            out[at] = out[at - 1]
            at -= 1
        own_ranks[at] = own
        contests[at] = contested
        out[at] = x
        k += 1
    return min(k, most)


def favourite(g: Ground, draft: DraftArrays, owned: Ints, free: int, i: int) -> int:
    """The best legal free item of player i, or PASS."""
    if STATIC:
        for at in range(draft.lists.shape[1]):
            x = draft.lists[i, at]
            if free >> x & 1 and legal(g, owned, i, x):
                return int(x)
        return PASS
    best = PASS
    own_best, contest_best = 0, 0
    for x in range(draft.lists.shape[1]):
        if free >> x & 1 == 0 or not legal(g, owned, i, x):
            continue
        own = in_units(worth(g, owned, i, x))
        if best >= 0 and own < own_best:
            continue
        contested = contest(g, owned, i, x)
        if best < 0 or own > own_best or contested < contest_best:
            best, own_best, contest_best = x, own, contested
    return best


def must_fail(g: Ground, draft: DraftArrays, owned: Ints, free: int, t: int, i: int, to_get: int) -> bool:
    """Whether player i certainly misses some item of `to_get`, judged without look-ahead.

    Whoever is to move gets his favourite free item: he takes it now, or takes another one only because he gets it later.
    So a wanted item that is the favourite of an opponent who moves before i does is lost, to him or to one in between.
    """
    for u in range(t, draft.order.shape[0]):
        j = draft.order[u]
        if j == i:
            return False
        x = favourite(g, draft, owned, free, j)
        if x >= 0 and to_get >> x & 1:
            return True
        if not STATIC:
            return False  # what comes after depends on this pick
    return True


def lost_at(g: Ground, draft: DraftArrays, stack: Stack, i: int, to_get: int) -> bool:
    """`must_fail` where worths depend on the state, of the node just put on top: its ranking stays there, for what comes next."""
    t = stack.frames[stack.info[DEPTH], TURN]
    j = draft.order[t]
    if j == i or enter(g, draft, stack, draft.left[t, j]) == 0:
        return False
    return bool(to_get >> stack.tops[stack.info[DEPTH], 0] & 1)


def top_segment(tops: Ints, k: int) -> int:
    """The best k items of a list as a bitmask."""
    segment = 0
    for at in range(k):
        segment |= 1 << tops[at]
    return segment


# ------------------------------------------------------------------------------------------------ the table and the stack


def find(states: States) -> int:
    """The slot of the key that is looked at, or -1 - the empty slot where it belongs."""
    keys, key = states.keys, states.key
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
            return int(at)
        at = (at + 1) & (keys.shape[0] - 1)
    return int(-1 - at)


def store(states: States) -> None:
    """Put the entry that is looked at into the table."""
    at = -1 - find(states)
    for w in range(states.keys.shape[1]):
        states.keys[at, w] = states.key[w]
    for w in range(states.values.shape[1]):
        states.values[at, w] = states.value[w]


def known(g: Ground, stack: Stack, states: States) -> bool:
    """Whether the table has the node on top; its entry goes into `states.value`."""
    d = stack.info[DEPTH]
    state_key(g, stack.owned[d], stack.frames[d, FREE], stack.frames[d, TURN], states.key)
    at = find(states)
    if at >= 0:
        for w in range(states.values.shape[1]):
            states.value[w] = states.values[at, w]
    return at >= 0


def step(stack: Stack, states: States, stop: Ints) -> int:
    """Count one more step of the work: DONE where it may go on, GROW where the table is full, STOPPED by the flag."""
    if 2 * stack.info[STATES] >= states.keys.shape[0]:
        return GROW
    stack.info[WORK] += 1
    return STOPPED if stack.info[WORK] & (STOP_EVERY - 1) == 0 and stop[0] != 0 else DONE


def push(stack: Stack, owned: Ints, free: int, t: int) -> None:
    """A node on top of the stack, to be worked out before the one below it."""
    stack.info[DEPTH] += 1
    d = stack.info[DEPTH]
    for p in range(owned.shape[0]):
        stack.owned[d, p] = owned[p]
    stack.frames[d, TURN] = t
    stack.frames[d, FREE] = free
    stack.frames[d, PHASE] = ENTER


def enter(g: Ground, draft: DraftArrays, stack: Stack, most: int) -> int:
    """Begin with the node on top: rank its mover's best `most` items; returns how many there are."""
    frame = stack.frames[stack.info[DEPTH]]
    frame[COUNT] = rank_items(g, draft, stack, draft.order[frame[TURN]], most)
    frame[PHASE] = RANKED
    frame[BEST] = 0
    frame[TRIAL] = 0
    return int(frame[COUNT])


def keep(g: Ground, stack: Stack, states: States) -> bool:
    """Put what was found for the node on top into the table, and take it off; True where it was the last one."""
    d = stack.info[DEPTH]
    state_key(g, stack.owned[d], stack.frames[d, FREE], stack.frames[d, TURN], states.key)
    store(states)
    stack.info[STATES] += 1
    if d == 0:
        return True
    stack.info[DEPTH] = d - 1
    return False


def rehash_template(old: States, new: States) -> None:
    """Move all entries into a larger table."""
    for at in range(old.keys.shape[0]):
        if old.keys[at, 0] != 0:
            for w in range(old.keys.shape[1]):
                new.key[w] = old.keys[at, w]
            for w in range(old.values.shape[1]):
                new.value[w] = old.values[at, w]
            store(new)


# --------------------------------------------------------------------------------------------------- kth-best, replayed


def begin_trial(draft: DraftArrays, stack: Stack, k: int) -> None:
    """In the node on top the mover takes his k-th best item, and wants to get all better ones later."""
    d = stack.info[DEPTH]
    frame, tops = stack.frames[d], stack.tops[d]
    for j in range(stack.owned.shape[1]):
        stack.replay[d, j] = stack.owned[d, j]
    stack.replay[d, draft.order[frame[TURN]]] |= 1 << tops[k]
    frame[TRIAL] = k
    frame[REPLAY_FREE] = frame[FREE] ^ (1 << tops[k])
    frame[REPLAY_TURN] = frame[TURN] + 1
    frame[TO_GET] = top_segment(tops, k)


def play_trial(g: Ground, draft: DraftArrays, manner: Manner, stack: Stack, states: States) -> int:
    """Play a trial on by the rule, until the mover has all that he wanted (HOLDS), or cannot get it (FAILS)."""
    d = stack.info[DEPTH]
    frame, replay = stack.frames[d], stack.replay[d]
    i = draft.order[frame[TURN]]
    while frame[TO_GET] != 0:
        t = frame[REPLAY_TURN]
        if t == draft.order.shape[0]:
            return FAILS
        if STATIC and manner.prune and must_fail(g, draft, replay, frame[REPLAY_FREE], t, i, frame[TO_GET]):
            return FAILS
        state_key(g, replay, frame[REPLAY_FREE], t, states.key)
        at = find(states)
        if at < 0:
            push(stack, replay, frame[REPLAY_FREE], t)
            if not STATIC and manner.prune and lost_at(g, draft, stack, i, frame[TO_GET]):
                stack.info[DEPTH] = d
                return FAILS
            return WAITS
        x = states.values[at, 0]
        j = draft.order[t]
        frame[REPLAY_TURN] = t + 1
        if x == PASS:
            continue
        if frame[TO_GET] >> x & 1:
            if j != i:
                return FAILS
            frame[TO_GET] ^= 1 << x
        replay[j] |= 1 << x
        frame[REPLAY_FREE] ^= 1 << x
    return HOLDS


def kth_pick(g: Ground, draft: DraftArrays, manner: Manner, stack: Stack, states: States) -> int:
    """The pick in the node on top, which has two items to choose from or more; or UNDECIDED."""
    d = stack.info[DEPTH]
    frame, tops = stack.frames[d], stack.tops[d]
    while True:
        found = play_trial(g, draft, manner, stack, states)
        if found == WAITS:
            return UNDECIDED
        k = frame[TRIAL]
        if manner.ascending:
            if found == FAILS:
                return int(tops[k - 1])
            if k == frame[COUNT] - 1:
                return int(tops[k])
            begin_trial(draft, stack, k + 1)
        else:
            if found == HOLDS:
                return int(tops[k])
            if k == 1:
                return int(tops[0])
            begin_trial(draft, stack, k - 1)


def kth_template(g: Ground, draft: DraftArrays, manner: Manner, stack: Stack, states: States, stop: Ints) -> int:
    """The kth-best pick in the node in frame 0, by replays, into `states.value`; all nodes asked about go into the table."""
    while True:
        halt = step(stack, states, stop)
        if halt != DONE:
            return halt
        d = stack.info[DEPTH]
        t = stack.frames[d, TURN]
        if stack.frames[d, PHASE] == ENTER:
            if d == 0 and known(g, stack, states):
                return DONE
            enter(g, draft, stack, draft.left[t, draft.order[t]])
        count = stack.frames[d, COUNT]
        if stack.frames[d, PHASE] == RANKED:
            stack.frames[d, PHASE] = WORKING
            if count > 1:
                begin_trial(draft, stack, 1 if manner.ascending else count - 1)
        if count > 1:
            pick = kth_pick(g, draft, manner, stack, states)
        else:
            pick = stack.tops[d, 0] if count == 1 else PASS
        if pick == UNDECIDED:
            continue
        states.value[0] = pick
        if keep(g, stack, states):
            return DONE


# -------------------------------------------------------------------------------------------------- outcomes, no replays


def worth_of(points: Ints, i: int, mask: int) -> int:
    """What a set of items is worth to player i, in units."""
    total = np.int64(0)
    x = 0
    while mask != 0:
        if mask & 1:
            total += points[i, x]
        mask >>= 1
        x += 1
    return int(total)


def trials_of(draft: DraftArrays, manner: Manner, t: int) -> int:
    """How many of the mover's best items are tried at a turn."""
    i = draft.order[t]
    if manner.rules[i] == GREEDY:
        return 1
    if manner.rules[i] == MAXIMISE and not manner.narrow:
        return int(draft.lists.shape[1])
    return int(draft.left[t, i])


def lay_child(draft: DraftArrays, stack: Stack, x: int) -> int:
    """Who has what after the pick x in the node on top, into `child`; returns the items that are free then."""
    d = stack.info[DEPTH]
    for j in range(stack.owned.shape[1]):
        stack.child[j] = stack.owned[d, j]
    free = stack.frames[d, FREE]
    if x != PASS:
        stack.child[draft.order[stack.frames[d, TURN]]] |= 1 << x
        free ^= 1 << x
    return int(free)


def find_child(g: Ground, draft: DraftArrays, stack: Stack, states: States, free: int) -> int:
    """The slot of the node that `child` is, LAST where the draft is over, or MISSING."""
    t = stack.frames[stack.info[DEPTH], TURN] + 1
    if t == draft.order.shape[0]:
        return LAST
    state_key(g, stack.child, free, t, states.key)
    at = find(states)
    if at < 0:
        push(stack, stack.child, free, t)
        return MISSING
    return at


def gain(g: Ground, draft: DraftArrays, stack: Stack, states: States, i: int, x: int, at: int) -> int:
    """What player i ends with after taking x, in units; the entry `at` tells what happens from there on."""
    if STATIC:
        return int(draft.points[i, x] + (worth_of(draft.points, i, states.values[at, 1 + i]) if at >= 0 else 0))
    if at >= 0:
        for j in range(stack.child.shape[0]):
            stack.child[j] |= states.values[at, 1 + j]
    return in_units(final(g, stack.child, i))


def outcome_pick(g: Ground, draft: DraftArrays, manner: Manner, stack: Stack, states: States) -> int:
    """The pick in the node on top by its mover's rule, or UNDECIDED."""
    d = stack.info[DEPTH]
    frame, tops = stack.frames[d], stack.tops[d]
    t = frame[TURN]
    i = draft.order[t]
    rule = manner.rules[i]
    while True:
        k = frame[TRIAL]
        x = tops[k] if frame[COUNT] > 0 else PASS
        segment = top_segment(tops, k) if rule == KTH else 0
        free = lay_child(draft, stack, x)
        at = LAST
        refuted = manner.prune and segment != 0 and must_fail(g, draft, stack.child, free, t + 1, i, segment)
        if not refuted:
            at = find_child(g, draft, stack, states, free)
            if at == MISSING:
                return UNDECIDED
        if x == PASS or rule == GREEDY:
            return int(x)
        if rule == MAXIMISE:
            gained = gain(g, draft, stack, states, i, x, at)
            if k == 0 or gained > stack.gained[d]:
                stack.gained[d] = gained
                frame[BEST] = k
            if k + 1 == frame[COUNT]:
                return int(tops[frame[BEST]])
            frame[TRIAL] = k + 1
            continue
        gets = states.values[at, 1 + i] if at >= 0 else 0
        holds = not refuted and gets & segment == segment
        if manner.ascending:
            if not holds:
                return int(tops[frame[BEST]])
            if k + 1 == frame[COUNT]:
                return int(x)
            frame[BEST] = k
            frame[TRIAL] = k + 1
        elif holds:
            return int(x)
        else:
            frame[TRIAL] = k - 1


def set_outcome(g: Ground, draft: DraftArrays, stack: Stack, states: States, pick: int) -> bool:
    """What each player gets from the node on top on, into `states.value`; False where that must be worked out first."""
    free = lay_child(draft, stack, pick)
    at = find_child(g, draft, stack, states, free)
    if at == MISSING:
        # only ascending comes here with the chosen child unseen: its trial 0 is never looked at
        return False
    states.value[0] = pick
    for j in range(stack.child.shape[0]):
        states.value[1 + j] = states.values[at, 1 + j] if at >= 0 else 0
    if pick != PASS:
        states.value[1 + draft.order[stack.frames[stack.info[DEPTH], TURN]]] |= 1 << pick
    return True


def outcome_template(g: Ground, draft: DraftArrays, manner: Manner, stack: Stack, states: States, stop: Ints) -> int:
    """What each player gets from the node in frame 0 on, where seat i picks by rules[i], into `states.value`.

    An entry of the table is [pick, items that player 0 gets from here on, player 1, ...]. KTH tests a top segment by one
    subset operation; MAXIMISE takes the largest own final worth, ties by the strict order.
    """
    while True:
        halt = step(stack, states, stop)
        if halt != DONE:
            return halt
        d = stack.info[DEPTH]
        frame = stack.frames[d]
        if frame[PHASE] == ENTER:
            if d == 0 and known(g, stack, states):
                return DONE
            count = enter(g, draft, stack, trials_of(draft, manner, frame[TURN]))
            if count > 0 and manner.rules[draft.order[frame[TURN]]] == KTH:
                frame[TRIAL] = min(1, count - 1) if manner.ascending else count - 1
        pick = outcome_pick(g, draft, manner, stack, states)
        if pick != UNDECIDED and set_outcome(g, draft, stack, states, pick) and keep(g, stack, states):
            return DONE


# see `compile.specialise`: a call that passes the stack and the table costs as much as the work of these
_PIECES = (rank_items, favourite, must_fail, lost_at, top_segment, find, store, known, step, push, enter, keep)
_KTH_PIECES = (begin_trial, play_trial, kth_pick)
_OUTCOME_PIECES = (worth_of, trials_of, lay_child, find_child, gain, outcome_pick, set_outcome)
INLINED = (*_PIECES, *_KTH_PIECES, *_OUTCOME_PIECES)
