"""The compiled side of the assistant: rosters as matchings, models of drafters, and simulated drafts.

A roster is a matching of items to starting slots, kept up to date by augmenting paths, so that slots for several positions
and items with several positions are exact. Worth lies on the items alone, so filling a line-up by falling points, with
augmenting paths, gives the best one (a transversal matroid).

In one simulated draft every free item gets a key, its average position plus normal noise with its spread: how this room
sees it. A drafter by average position takes the smallest key, plus a penalty for what his starting slots do not need.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.rng import Rng, seed_stream, unit

if TYPE_CHECKING:
    from stratagem.fantasy.league import League as LeagueRules
    from stratagem.fantasy.league import Room

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_SLOTS = 24
FREE = -1
# how a team drafts
ADP, VOR, NEED, POINTS, SLOTS, WAITS = 0, 1, 2, 3, 4, 5
MODELS = {"adp": ADP, "vor": VOR, "need": NEED, "points": POINTS, "slots": SLOTS}
BENCH_SHARE = 0.05  # of its points over what will be left at the end, what an item on the bench is worth
NEED_SHARE = 0.5  # of its points over what will be left at the end, what an item is worth to an open slot at least
SLOTS_BENCH = 0.15  # of its value over replacement, what a drafter by slots gives an item for the bench
SPARE_SHARE = 0.01  # the same, of a position that no slot for several positions takes
BENCH_PENALTY = 1.5  # rounds by which a drafter by average position puts off what no open slot takes
SPARE_PENALTY = 5.0  # rounds, where no slot for several positions takes it either


# ------------------------------------------------------------------------------------------------------------ matchings


def augment(accepts: Ints, positions: Ints, held: Ints, x: int, before: Ints, queue: Ints) -> bool:
    """Put item x into the slots `held`, moving others on if need be; False if they cannot make room.

    accepts: the positions that each slot takes, as bits; positions: those of each item.
    """
    slots = accepts.shape[0]
    for s in range(slots):
        before[s] = -2  # not seen
    n = 0
    for s in range(slots):
        if accepts[s] & positions[x]:
            before[s] = -1
            queue[n] = s
            n += 1
    at = 0
    while at < n:
        s = queue[at]
        at += 1
        if held[s] == FREE:
            while before[s] >= 0:
                held[s] = held[before[s]]
                s = before[s]
            held[s] = x
            return True
        for other in range(slots):
            if before[other] == -2 and accepts[other] & positions[held[s]]:
                before[other] = s
                queue[n] = other
                n += 1
    return False


def open_positions(accepts: Ints, positions: Ints, held: Ints, before: Ints) -> int:
    """The positions, as bits, of which one more item would fill one more slot."""
    slots = accepts.shape[0]
    found = np.int64(0)
    grew = False
    for s in range(slots):
        before[s] = held[s] == FREE
        if held[s] == FREE:
            found |= accepts[s]
            grew = True
    while grew:
        grew = False
        for s in range(slots):
            # a full slot counts as open if its item could move on to an open one
            if before[s] == 0 and positions[held[s]] & found:
                before[s] = 1
                if accepts[s] & ~found:
                    found |= accepts[s]
                    grew = True
    return int(found)


def lineup_worth(
    accepts: Ints, positions: Ints, points: Floats, bench: Floats, roster: Ints, size: int, fill: Floats, held: Ints,
    before: Ints, queue: Ints, order: Ints,
) -> float:  # fmt: skip
    """The points of the best starting line-up, open slots at the points `fill` of a replacement, and the bench."""
    slots = accepts.shape[0]
    for s in range(slots):
        held[s] = FREE
    for k in range(size):
        at = k
        while at > 0 and points[order[at - 1]] < points[roster[k]]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = roster[k]
    worth = 0.0
    for k in range(size):
        x = order[k]
        if augment(accepts, positions, held, x, before, queue):
            worth += points[x]
        else:
            worth += bench[x]
    for s in range(slots):
        if held[s] == FREE:
            worth += fill[s]
    return worth


# -------------------------------------------------------------------------------------------------------------- drafting


def may_take(
    positions: Ints, most: Ints, taken: Ints, counts: Ints, team: int, x: int, tight: bool, open_mask: int
) -> bool:  # fmt: skip
    if taken[x] != 0 or (tight and positions[x] & open_mask == 0):
        return False
    for p in range(most.shape[0]):
        if positions[x] >> p & 1 and counts[team, p] >= most[p]:
            return False
    return True


def take(
    accepts: Ints, positions: Ints, taken: Ints, slot_item: Ints, opens: Ints, matched: Ints, left: Ints, counts: Ints,
    rosters: Ints, sizes: Ints, team: int, x: int, before: Ints, queue: Ints,
) -> None:  # fmt: skip
    taken[x] = 1
    left[team] -= 1
    rosters[team, sizes[team]] = x
    sizes[team] += 1
    for p in range(counts.shape[1]):
        counts[team, p] += positions[x] >> p & 1
    if positions[x] & opens[team] and augment(accepts, positions, slot_item[team], x, before, queue):
        matched[team] += 1
        opens[team] = open_positions(accepts, positions, slot_item[team], before)


def choose(
    model: int, positions: Ints, most: Ints, flexible: int, vor: Floats, need: Floats, bench: Floats, keys: Floats, bias: Floats,
    least_bias: float, by_key: Ints, by_vor: Ints, by_points: Ints, by_need: Ints, heads: Ints, taken: Ints, counts: Ints,
    opens: Ints,
    tight: bool, team: int, round_size: float,
) -> int:  # fmt: skip
    """The item that a team takes by its model. heads: where the first free item may stand in
    by_key, by_vor, by_points and by_need."""
    m = positions.shape[0]
    list_of = by_key
    head = 0
    if model in (VOR, SLOTS):
        list_of = by_vor
        head = 1
    elif model == NEED:
        list_of = by_need
        head = 3
    elif model == POINTS:
        list_of = by_points
        head = 2
    while heads[head] < m and taken[list_of[heads[head]]] != 0:
        heads[head] += 1
    best, best_score = np.int64(-1), -1e300
    for at in range(heads[head], m):
        x = list_of[at]
        if taken[x] != 0:
            continue
        if model == ADP:
            if -(keys[x] + least_bias) <= best_score:
                break
        elif model == NEED:
            if need[x] <= best_score:
                break
        elif model == SLOTS:
            if vor[x] <= best_score:
                break
        elif best >= 0:
            break
        if not may_take(positions, most, taken, counts, team, x, tight, opens[team]):
            continue
        needed = positions[x] & opens[team] != 0
        if model == ADP:
            score = -(keys[x] + bias[team, x])
            if not needed:
                score -= round_size * (BENCH_PENALTY if positions[x] & flexible else SPARE_PENALTY)
        elif model == NEED:
            score = need[x] if needed else bench[x]
        elif model == SLOTS:
            score = vor[x] if needed or vor[x] <= 0.0 else SLOTS_BENCH * vor[x]
        else:
            score = 0.0
        if score > best_score:
            best, best_score = x, score
    return int(best)


def run_on(
    begin: int, end: int, order: Ints, forced: Ints, models: Ints, accepts: Ints, positions: Ints, most: Ints, flexible: int,
    vor: Floats, need: Floats, bench: Floats, keys: Floats, bias: Floats, least_bias: Floats, by_key: Ints,
    by_vor: Ints, by_points: Ints, by_need: Ints, heads: Ints, taken: Ints, slot_item: Ints, opens: Ints, matched: Ints,
    left: Ints, counts: Ints, rosters: Ints, sizes: Ints, when: Ints, before: Ints, queue: Ints,
) -> None:  # fmt: skip
    """Make the picks `begin` to `end` by the teams' models; WAITS lets a team's turn go by. when: the turn of each item."""
    slots = accepts.shape[0]
    for t in range(begin, end):
        team = order[t]
        if forced[t] >= 0 or models[team] == WAITS:
            continue
        tight = slots - matched[team] >= left[team]
        x = choose(
            models[team], positions, most, flexible, vor, need, bench, keys, bias, least_bias[team], by_key, by_vor, by_points,
            by_need, heads, taken, counts, opens, tight, team, float(left.shape[0]),
        )  # fmt: skip
        if x < 0:
            # nothing left can complete this roster within its limits: the pick is made all the same
            for at in range(by_key.shape[0]):
                x = by_key[at]
                if taken[x] == 0:
                    break
        take(accepts, positions, taken, slot_item, opens, matched, left, counts, rosters, sizes, team, x, before, queue)
        when[x] = t


def imagine(adp: Floats, sd: Floats, by_adp: Ints, r: Rng, keys: Floats, by_key: Ints) -> None:
    """How one room sees the items: keys, and the items by falling appeal. by_adp is nearly that order already."""
    m = adp.shape[0]
    for k in range(0, m, 2):
        # two normal numbers at a time (Box and Muller)
        radius = math.sqrt(-2.0 * math.log(1.0 - unit(r)))
        angle = 6.283185307179586 * unit(r)
        keys[k] = adp[k] + sd[k] * radius * math.cos(angle)
        if k + 1 < m:
            keys[k + 1] = adp[k + 1] + sd[k + 1] * radius * math.sin(angle)
    for k in range(m):
        x = by_adp[k]
        at = k
        while at > 0 and keys[by_key[at - 1]] > keys[x]:
            by_key[at] = by_key[at - 1]
            at -= 1
        by_key[at] = x


# ------------------------------------------------------------------------------------------------------------- templates


def simulate_template(
    candidates: Ints, simulations: int, seed: int, begin: int, end: int, me: int, order: Ints, forced: Ints, models: Ints,
    accepts: Ints, positions: Ints, most: Ints, flexible: int, points: Floats, vor: Floats, need: Floats, bench: Floats,
    fill: Floats,
    worths: Floats, adp: Floats, sd: Floats, bias: Floats, least_bias: Floats, by_adp: Ints, by_vor: Ints, by_points: Ints,
    by_need: Ints, taken0: Ints, slot_item0: Ints, opens0: Ints, matched0: Ints, left0: Ints, counts0: Ints,
    rosters0: Ints, sizes0: Ints, worth: Floats, gone: Floats, expected: Floats, when: Ints, stop: Ints,
) -> int:  # fmt: skip
    """Simulated drafts of the picks `begin` to `end`, with each candidate taken first by team `me`; returns how many.

    worth[c, k]: what team `me` ends with in simulation k after candidate c. gone[x, t - begin]: share of all drafts in which
    item x is taken at turn t; expected[p]: mean of the largest worths[x] among the items of position p left at `end`; when:
    the turn of each item in the last draft. A candidate of -1 is none. The same room is imagined for all candidates of one
    simulation, so that their differences are less noisy than their worths.
    """
    m, turns = positions.shape[0], order.shape[0]
    keys, by_key, heads = np.empty(m), np.empty(m, np.int64), np.zeros(4, np.int64)
    before, queue, r = np.empty(32, np.int64), np.empty(32, np.int64), np.zeros(2, np.int64)
    held, ranked = np.empty(accepts.shape[0], np.int64), np.empty(rosters0.shape[1], np.int64)
    share = 1.0 / (simulations * candidates.shape[0])
    for k in range(simulations):
        if stop[0] != 0:
            return k
        seed_stream(r, seed, k)
        imagine(adp, sd, by_adp, r, keys, by_key)
        for c in range(candidates.shape[0]):
            taken, slot_item, opens, matched = taken0.copy(), slot_item0.copy(), opens0.copy(), matched0.copy()
            left, counts, rosters, sizes = left0.copy(), counts0.copy(), rosters0.copy(), sizes0.copy()
            heads[:] = 0
            when[:] = turns
            if candidates[c] >= 0:
                take(
                    accepts, positions, taken, slot_item, opens, matched, left, counts, rosters, sizes, me, candidates[c],
                    before, queue,
                )  # fmt: skip
            run_on(
                begin, end, order, forced, models, accepts, positions, most, flexible, vor, need, bench, keys, bias,
                least_bias, by_key, by_vor, by_points, by_need, heads, taken, slot_item, opens, matched, left, counts,
                rosters, sizes, when, before, queue,
            )  # fmt: skip
            worth[c, k] = lineup_worth(
                accepts, positions, points, bench, rosters[me], sizes[me], fill, held, before, queue, ranked
            )
            for x in range(m):
                if begin <= when[x] < end:
                    gone[x, when[x] - begin] += share
            for p in range(expected.shape[0]):
                best = -1e300
                for x in range(m):
                    if positions[x] >> p & 1 and taken[x] == 0 and worths[x] > best:
                        best = worths[x]
                if best > -1e300:
                    expected[p] += best * share
    return simulations


def worth_template(
    accepts: Ints, positions: Ints, points: Floats, bench: Floats, roster: Ints, size: int, fill: Floats, held: Ints
) -> float:  # fmt: skip
    before, queue, ranked = np.empty(32, np.int64), np.empty(32, np.int64), np.empty(roster.shape[0], np.int64)
    return lineup_worth(accepts, positions, points, bench, roster, size, fill, held, before, queue, ranked)


def gains_template(
    accepts: Ints, positions: Ints, points: Floats, bench: Floats, roster: Ints, size: int, fill: Floats, taken: Ints,
    gains: Floats,
) -> None:  # fmt: skip
    """What each free item would add to the worth of a roster; roster has room for one more."""
    held, before, queue = np.empty(32, np.int64), np.empty(32, np.int64), np.empty(32, np.int64)
    ranked = np.empty(roster.shape[0], np.int64)
    base = lineup_worth(accepts, positions, points, bench, roster, size, fill, held, before, queue, ranked)
    for x in range(positions.shape[0]):
        if taken[x] == 0:
            roster[size] = x
            with_x = lineup_worth(
                accepts, positions, points, bench, roster, size + 1, fill, held, before, queue, ranked
            )
            gains[x] = with_x - base


def take_template(
    accepts: Ints, positions: Ints, taken: Ints, slot_item: Ints, opens: Ints, matched: Ints, left: Ints, counts: Ints,
    rosters: Ints, sizes: Ints, teams: Ints, items: Ints,
) -> None:  # fmt: skip
    """Make real picks in place: items[k] by teams[k]."""
    before, queue = np.empty(32, np.int64), np.empty(32, np.int64)
    for k in range(items.shape[0]):
        team, x = teams[k], items[k]
        take(accepts, positions, taken, slot_item, opens, matched, left, counts, rosters, sizes, team, x, before, queue)


@cache
def compiled(template: Any) -> Any:
    return specialise(template, {}, label=f"the draft assistant, {template.__name__.removesuffix('_template')}")


# ---------------------------------------------------------------------------------------------------------------- arrays


@dataclass(frozen=True, eq=False)
class League:
    """A league's rules as arrays."""

    order: Ints  # the team of each turn
    forced: Ints  # the item kept with each turn, which nobody picks then, or -1
    accepts: Ints  # positions that each starting slot takes, as bits
    positions: Ints  # of each item, as bits
    most: Ints  # of each position that a team may hold
    flexible: int  # positions that some slot for several takes, as bits
    points: Floats
    vor: Floats
    need: Floats  # what each item is worth to a slot that must be filled: by need, not over replacement alone
    bench: Floats  # what each item is worth on a bench
    fill: Floats  # points of a replacement in each slot
    adp: Floats
    sd: Floats
    by_adp: Ints
    by_vor: Ints
    by_points: Ints
    by_need: Ints

    @classmethod
    def make(cls, rules: LeagueRules) -> League:
        items, names = rules.items, rules.positions
        bit = {name: 1 << k for k, name in enumerate(names)}
        accepts = np.array([sum(bit.get(p, 0) for p in slot) for slot in rules.starters], np.int64)
        forced = np.full(rules.turns, -1, np.int64)
        for turn, x in rules.keepers.items():
            forced[turn] = x
        vor, points = np.array(rules.vor), np.array([item.points for item in items])
        adp = np.array([item.adp for item in items])
        several = {p for slot in rules.starters if len(slot) > 1 for p in slot}
        bench = np.array([
            max((BENCH_SHARE if p in several else SPARE_SHARE) * max(item.points - rules.waiver[p], 0.0) for p in item.positions)
            for item in items
        ])  # fmt: skip
        # below replacement a slot still wants the best there is: waiting longer ends at what is left when all is over
        over_waiver = np.array([item.points - min(rules.waiver[p] for p in item.positions) for item in items])
        need = np.maximum(vor, NEED_SHARE * over_waiver)
        return cls(
            order=np.array(rules.order, np.int64), forced=forced, accepts=accepts,
            positions=np.array([sum(bit[p] for p in item.positions) for item in items], np.int64),
            most=np.array([rules.limits.get(name, 99) for name in names], np.int64),
            flexible=sum(bit[p] for p in several if p in bit), points=points, vor=vor, need=need, bench=bench,
            fill=np.array([max((rules.replacement[p] for p in slot if p in bit), default=0.0) for slot in rules.starters]),
            adp=adp, sd=np.array([item.sd for item in items]), by_adp=np.argsort(adp, kind="stable").astype(np.int64),
            by_vor=np.argsort(-vor, kind="stable").astype(np.int64),
            by_points=np.argsort(-points, kind="stable").astype(np.int64),
            by_need=np.argsort(-need, kind="stable").astype(np.int64),
        )  # fmt: skip

    def worth(self, roster: list[int]) -> float:
        """What a roster is worth: its best line-up, replacements in open slots, and the bench's share."""
        held = np.empty(len(self.accepts), np.int64)
        size = len(roster)
        return float(compiled(worth_template)(
            self.accepts, self.positions, self.points, self.bench, np.array([*roster, 0], np.int64), size, self.fill, held
        ))  # fmt: skip

    def gains(self, roster: list[int], taken: Ints) -> Floats:
        """What each free item would add to the worth of a roster; -inf for taken ones."""
        gains = np.full(len(self.points), -np.inf)
        compiled(gains_template)(
            self.accepts, self.positions, self.points, self.bench, np.array([*roster, 0, 0], np.int64), len(roster),
            self.fill, taken, gains,
        )  # fmt: skip
        return gains

    def lineup(self, roster: list[int]) -> tuple[float, dict[int, int]]:
        """The points of the best line-up of a roster alone, and the item in each slot that is filled."""
        held = np.empty(len(self.accepts), np.int64)
        none = np.zeros_like(self.bench)
        points = float(compiled(worth_template)(
            self.accepts, self.positions, self.points, none, np.array([*roster, 0], np.int64), len(roster),
            np.zeros_like(self.fill), held,
        ))  # fmt: skip
        return points, {s: int(x) for s, x in enumerate(held) if x != FREE}


@dataclass(frozen=True, eq=False)
class Board:
    """A draft in progress as arrays."""

    taken: Ints
    slot_item: Ints  # [teams, slots]
    opens: Ints  # positions of which each team could start one more, as bits
    matched: Ints
    left: Ints  # picks that each team has left
    counts: Ints  # [teams, positions]
    rosters: Ints
    sizes: Ints

    @classmethod
    def make(cls, room: Room) -> Board:
        rules, arrays = room.league, room.league.arrays
        teams, slots = rules.teams, len(arrays.accepts)
        order = np.array(rules.order, np.int64)
        left = np.bincount(order, minlength=teams).astype(np.int64)
        board = cls(
            np.zeros(len(rules.items), np.int64), np.full((teams, slots), FREE, np.int64),
            np.full(teams, np.bitwise_or.reduce(arrays.accepts), np.int64), np.zeros(teams, np.int64), left,
            np.zeros((teams, len(rules.positions)), np.int64), np.zeros((teams, int(left.max()) + 1), np.int64),
            np.zeros(teams, np.int64),
        )  # fmt: skip
        made = {**dict(enumerate(room.picks)), **rules.keepers}  # keepers are on their rosters from the start
        turns, items = np.array(list(made), np.int64), np.array(list(made.values()), np.int64)
        compiled(take_template)(arrays.accepts, arrays.positions, *board.state, order[turns], items)
        return board

    @property
    def state(self) -> tuple[Ints, ...]:
        return (
            self.taken, self.slot_item, self.opens, self.matched, self.left, self.counts, self.rosters, self.sizes,
        )  # fmt: skip

    def copy(self) -> Board:
        return Board(*(array.copy() for array in self.state))

    def legal(self, team: int, arrays: League) -> list[int]:
        """The free items with which a team stays within its limits and can still complete its roster."""
        fits = self.taken == 0
        if len(arrays.accepts) - self.matched[team] >= self.left[team]:
            fits &= (arrays.positions & self.opens[team]) != 0
        for p, most in enumerate(arrays.most):
            if self.counts[team, p] >= most:
                fits &= (arrays.positions >> p & 1) == 0
        return [int(x) for x in np.flatnonzero(fits)]
