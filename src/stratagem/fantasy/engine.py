"""The compiled side of the assistant: rosters as matchings, models of drafters, and simulated drafts.

A roster is a matching of items to starting slots, kept up to date by augmenting paths, so that slots for several positions
and items with several positions are exact. Worth lies on the items alone, so filling a line-up by falling points, with
augmenting paths, gives the best one (a transversal matroid).

In one simulated draft every free item gets a key, its average position plus normal noise with its spread: how this room
sees it. A drafter by average position takes the smallest key, plus a penalty for what his starting slots do not need.

Templates take records: `Rules` is the league, `RoomBoard` a draft in progress, `Drafters` the models of the teams, `Trials` what
is asked, `Simulated` the answer, and `RoomScratch` what one thread works with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import specialise
from stratagem.rng import Rng, seed_stream, unit

if TYPE_CHECKING:
    from stratagem.fantasy.league import League, Room

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_SLOTS = 24
FREE = -1  # in place of an item: nobody is in this slot
NONE = -1  # in place of an item: none, or none is kept with this turn
NO_WORTH = -1e300  # below any worth
# how a team drafts
ADP, VOR, NEED, POINTS, SLOTS, WAITS = 0, 1, 2, 3, 4, 5
MODELS = {"adp": ADP, "vor": VOR, "need": NEED, "points": POINTS, "slots": SLOTS}
BENCH_SHARE = 0.05  # of its points over what will be left at the end, what an item on the bench is worth
NEED_SHARE = 0.5  # of its points over what will be left at the end, what an item is worth to an open slot at least
SLOTS_BENCH = 0.15  # of its value over replacement, what a drafter by slots gives an item for the bench
SPARE_SHARE = 0.01  # the same, of a position that no slot for several positions takes
BENCH_PENALTY = 1.5  # rounds by which a drafter by average position puts off what no open slot takes
SPARE_PENALTY = 5.0  # rounds, where no slot for several positions takes it either
UNLIMITED = 99  # more of a position than any roster holds

# `RoomScratch.heads`: the places in the four lists before which everything is taken
BY_KEY, BY_VOR, BY_POINTS, BY_NEED = 0, 1, 2, 3
LISTS = 4
RUN_WINDOW = 6  # picks that make a run on a position
# `Matching.before`: a slot that no path has reached, and one where a path begins
UNSEEN, BEGINS = -2, -1


# --------------------------------------------------------------------------------------------------------------- records


class Matching(NamedTuple):
    """Scratch space for matchings of a roster to the starting slots."""

    held: Ints  # [slots]: the item in each, or FREE
    before: Ints  # [slots]: the slot from which a path comes
    queue: Ints  # [slots]: those that a path has reached
    ranked: Ints  # [roster]: items by falling points


class Rules(NamedTuple):
    """A league's rules as arrays. Positions are bits of a word; lists hold items by number, best first."""

    order: Ints  # [turns]: the team
    forced: Ints  # [turns]: the item kept with it, which nobody picks then, or NONE
    accepts: Ints  # [slots]: the positions that a starting slot takes
    most: Ints  # [positions]: how many of them a team may hold
    flexible: int  # the positions that some slot for several takes
    fill: Floats  # [slots]: points of a replacement
    positions: Ints  # [items]
    points: Floats  # [items]
    vor: Floats  # [items]: value over replacement
    need: Floats  # [items]: what it is worth to a slot that must be filled: by need, not over replacement alone
    bench: Floats  # [items]: what it is worth on a bench
    adp: Floats  # [items]: average draft position
    sd: Floats  # [items]: its spread
    by_adp: Ints  # [items]
    by_vor: Ints  # [items]
    by_points: Ints  # [items]
    by_need: Ints  # [items]

    @classmethod
    def of(cls, league: League) -> Rules:
        items, names = league.items, league.positions
        bit = {name: 1 << k for k, name in enumerate(names)}
        forced = np.full(league.turns, NONE, np.int64)
        for turn, x in league.keepers.items():
            forced[turn] = x
        vor, points = np.array(league.vor), np.array([item.points for item in items])
        adp = np.array([item.adp for item in items])
        several = {p for slot in league.starters if len(slot) > 1 for p in slot}
        share = {p: league.bench_share if p in several else SPARE_SHARE for p in names}
        bench = [max(share[p] * max(item.points - league.waiver[p], 0.0) for p in item.positions) for item in items]
        # below replacement a slot still wants the best there is: waiting longer ends at what is left when all is over
        over_waiver = np.array([item.points - min(league.waiver[p] for p in item.positions) for item in items])
        need = np.maximum(vor, NEED_SHARE * over_waiver)
        fill = [max((league.replacement[p] for p in slot if p in bit), default=0.0) for slot in league.starters]
        return cls(
            order=np.array(league.order, np.int64),
            forced=forced,
            accepts=np.array([sum(bit.get(p, 0) for p in slot) for slot in league.starters], np.int64),
            most=np.array([league.limits.get(name, UNLIMITED) for name in names], np.int64),
            flexible=sum(bit[p] for p in several if p in bit),
            fill=np.array(fill),
            positions=np.array([sum(bit[p] for p in item.positions) for item in items], np.int64),
            points=points,
            vor=vor,
            need=need,
            bench=np.array(bench),
            adp=adp,
            sd=np.array([item.sd for item in items]),
            by_adp=best_first(-adp),
            by_vor=best_first(vor),
            by_points=best_first(points),
            by_need=best_first(need),
        )

    def matching(self, roster: int) -> Matching:
        """Scratch space for rosters of so many items."""
        slots = len(self.accepts)
        return Matching(*(np.empty(size, np.int64) for size in (slots, slots, slots, roster)))

    def without_replacements(self) -> Rules:
        """The same, for a draft that is over: a slot that is open then stays so."""
        return self._replace(fill=np.zeros_like(self.fill))

    def worth(self, roster: list[int]) -> float:
        """What a roster is worth: its best line-up, replacements in open slots, and the bench's share."""
        size = len(roster)
        held = np.array([*roster, 0], np.int64)
        return float(function_of(lineup_worth)(self, held, size, self.matching(size)))

    def gains(self, roster: list[int], taken: Ints) -> Floats:
        """What each free item would add to the worth of a roster; -inf for taken ones."""
        gains = np.full(len(self.points), -np.inf)
        size = len(roster)
        held = np.array([*roster, 0], np.int64)  # with room for one more
        function_of(gains_template)(self, held, size, taken, gains, self.matching(size + 1))
        return gains

    def lineup(self, roster: list[int]) -> tuple[float, dict[int, int]]:
        """The points of the best line-up of a roster alone, and the item in each slot that is filled."""
        alone = self.without_replacements()._replace(bench=np.zeros_like(self.bench))
        size = len(roster)
        matching = self.matching(size)
        points = float(function_of(lineup_worth)(alone, np.array([*roster, 0], np.int64), size, matching))
        return points, {s: int(x) for s, x in enumerate(matching.held) if x != FREE}


def best_first(values: Floats) -> Ints:
    """Items by falling value, among equals by number."""
    return np.argsort(-values, kind="stable").astype(np.int64)


class RoomBoard(NamedTuple):
    """A draft in progress as arrays."""

    taken: Ints  # [items]: 1 where it is
    slot_item: Ints  # [teams, slots]: the item in each starting slot, or FREE
    opens: Ints  # [teams]: the positions of which it could start one more, as bits
    matched: Ints  # [teams]: how many of its starting slots are filled
    left: Ints  # [teams]: picks that it has left
    counts: Ints  # [teams, positions]: how many of each it holds
    rosters: Ints  # [teams, picks]: its items
    sizes: Ints  # [teams]: how many those are

    @classmethod
    def of(cls, room: Room) -> RoomBoard:
        league, rules = room.league, room.league.arrays
        teams, slots = league.teams, len(rules.accepts)
        left = np.bincount(rules.order, minlength=teams).astype(np.int64)
        most = int(left.max()) + 1
        board = cls(
            taken=np.zeros(len(league.items), np.int64),
            slot_item=np.full((teams, slots), FREE, np.int64),
            opens=np.full(teams, np.bitwise_or.reduce(rules.accepts), np.int64),
            matched=np.zeros(teams, np.int64),
            left=left,
            counts=np.zeros((teams, len(league.positions)), np.int64),
            rosters=np.zeros((teams, most), np.int64),
            sizes=np.zeros(teams, np.int64),
        )
        made = {**dict(enumerate(room.picks)), **league.keepers}  # keepers are on their rosters from the start
        turns, items = np.array(list(made), np.int64), np.array(list(made.values()), np.int64)
        function_of(take_template)(rules, board, rules.order[turns], items, rules.matching(most))
        return board

    def copy(self) -> RoomBoard:
        return RoomBoard(*(array.copy() for array in self))

    def legal(self, team: int, rules: Rules) -> list[int]:
        """The free items with which a team stays within its limits and can still complete its roster."""
        fits = self.taken == 0
        if len(rules.accepts) - self.matched[team] >= self.left[team]:
            fits &= (rules.positions & self.opens[team]) != 0
        for p, most in enumerate(rules.most):
            if self.counts[team, p] >= most:
                fits &= (rules.positions >> p & 1) == 0
        return [int(x) for x in np.flatnonzero(fits)]


class Drafters(NamedTuple):
    """How the teams draft."""

    models: Ints  # [teams]: ADP, VOR ..; WAITS lets a team's turns go by
    bias: Floats  # [teams, items]: what a team adds to an item's key, in picks
    least_bias: Floats  # [teams]: the least of those, at most 0
    runs: Floats  # [teams]: how many picks earlier a team takes a position for each of the last picks that was of it


class Trials(NamedTuple):
    """Which drafts to simulate: the picks `begin` to `end`, with each candidate taken first by team `me`."""

    me: int
    begin: int
    end: int
    simulations: int  # a candidate
    seed: int
    candidates: Ints  # items; NONE is none
    worths: Floats  # [items]: what each is worth to `me`, for the best that is left
    lately: Ints  # [RUN_WINDOW]: the positions of the last picks made, as bits; the last one first


class Simulated(NamedTuple):
    """What simulated drafts show."""

    worth: Floats  # [candidates, simulations]: what the team ends with
    gone: Floats  # [items, turns]: share of all drafts in which an item is taken at a turn, from `begin` on
    expected: Floats  # [positions]: mean of the largest worth among the items that are left at `end`
    when: Ints  # [items]: the turn at which each was taken in the last draft; the number of turns where it was not

    @classmethod
    def blank(cls, trials: Trials, positions: int) -> Simulated:
        items = len(trials.worths)
        return cls(
            worth=np.zeros((len(trials.candidates), trials.simulations)),
            gone=np.zeros((items, max(trials.end - trials.begin, 1))),
            expected=np.zeros(positions),
            when=np.zeros(items, np.int64),
        )


class RoomScratch(NamedTuple):
    """What one thread works with: a draft that it plays on, how its room sees the items, and scratch space."""

    board: RoomBoard
    keys: Floats  # [items]: how this room sees them, the smallest first
    by_key: Ints  # [items]: in that order
    heads: Ints  # [LISTS]: places in the lists before which everything is taken
    lately: Ints  # [RUN_WINDOW]: as in `Trials`, in the draft that is played on
    matching: Matching
    rng: Rng

    @classmethod
    def of(cls, rules: Rules, board: RoomBoard) -> RoomScratch:
        items = len(rules.points)
        return cls(
            board=board.copy(),
            keys=np.zeros(items),
            by_key=np.zeros(items, np.int64),
            heads=np.zeros(LISTS, np.int64),
            lately=np.zeros(RUN_WINDOW, np.int64),
            matching=rules.matching(board.rosters.shape[1]),
            rng=np.zeros(2, np.int64),
        )


# ------------------------------------------------------------------------------------------------------------ matchings


def augment(rules: Rules, held: Ints, x: int, matching: Matching) -> bool:
    """Put item x into the slots `held`, moving others on if need be; False if they cannot make room."""
    accepts, positions, before, queue = rules.accepts, rules.positions, matching.before, matching.queue
    slots = accepts.shape[0]
    n = 0
    for s in range(slots):
        before[s] = UNSEEN
        if accepts[s] & positions[x]:
            before[s] = BEGINS
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
            if before[other] == UNSEEN and accepts[other] & positions[held[s]]:
                before[other] = s
                queue[n] = other
                n += 1
    return False


def open_positions(rules: Rules, held: Ints, matching: Matching) -> int:
    """The positions, as bits, of which one more item would fill one more slot."""
    accepts, opened = rules.accepts, matching.before
    slots = accepts.shape[0]
    found = np.int64(0)
    grew = False
    for s in range(slots):
        opened[s] = held[s] == FREE
        if held[s] == FREE:
            found |= accepts[s]
            grew = True
    while grew:
        grew = False
        for s in range(slots):
            # a full slot counts as open if its item could move on to an open one
            if opened[s] == 0 and rules.positions[held[s]] & found:
                opened[s] = 1
                if accepts[s] & ~found:
                    found |= accepts[s]
                    grew = True
    return int(found)


def lineup_worth(rules: Rules, roster: Ints, size: int, matching: Matching) -> float:
    """The points of the best starting line-up, open slots at those of a replacement, and the bench; matching.held tells it."""
    points, held, ranked = rules.points, matching.held, matching.ranked
    slots = held.shape[0]
    for s in range(slots):
        held[s] = FREE
    for k in range(size):
        at = k
        while at > 0 and points[ranked[at - 1]] < points[roster[k]]:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = roster[k]
    worth = 0.0
    for k in range(size):
        x = ranked[k]
        if augment(rules, held, x, matching):
            worth += points[x]
        else:
            worth += rules.bench[x]
    for s in range(slots):
        if held[s] == FREE:
            worth += rules.fill[s]
    return worth


# -------------------------------------------------------------------------------------------------------------- drafting


def may_take(rules: Rules, board: RoomBoard, team: int, x: int, tight: bool) -> bool:
    """Whether a team may take item x; `tight` says that it needs every pick it has left for an open slot."""
    positions = rules.positions[x]
    if board.taken[x] != 0 or (tight and positions & board.opens[team] == 0):
        return False
    for p in range(rules.most.shape[0]):
        if positions >> p & 1 and board.counts[team, p] >= rules.most[p]:
            return False
    return True


def take(rules: Rules, board: RoomBoard, team: int, x: int, matching: Matching) -> None:
    """Item x goes to a team."""
    board.taken[x] = 1
    board.left[team] -= 1
    board.rosters[team, board.sizes[team]] = x
    board.sizes[team] += 1
    for p in range(board.counts.shape[1]):
        board.counts[team, p] += rules.positions[x] >> p & 1
    if rules.positions[x] & board.opens[team] and augment(rules, board.slot_item[team], x, matching):
        board.matched[team] += 1
        board.opens[team] = open_positions(rules, board.slot_item[team], matching)


def choose(rules: Rules, drafters: Drafters, scratch: RoomScratch, team: int) -> int:
    """The item that a team takes by its model, or NONE where nothing that is left can complete its roster."""
    board, model = scratch.board, drafters.models[team]
    items = rules.positions.shape[0]
    tight = rules.accepts.shape[0] - board.matched[team] >= board.left[team]
    listed, head = scratch.by_key, BY_KEY
    if model in (VOR, SLOTS):
        listed, head = rules.by_vor, BY_VOR
    elif model == NEED:
        listed, head = rules.by_need, BY_NEED
    elif model == POINTS:
        listed, head = rules.by_points, BY_POINTS
    while scratch.heads[head] < items and board.taken[listed[scratch.heads[head]]] != 0:
        scratch.heads[head] += 1
    best, best_score = np.int64(NONE), NO_WORTH
    for at in range(scratch.heads[head], items):
        x = listed[at]
        if board.taken[x] != 0:
            continue
        # the lists fall, so that nothing behind an item that cannot be better is
        if model == ADP:
            if -(scratch.keys[x] + drafters.least_bias[team] - drafters.runs[team] * RUN_WINDOW) <= best_score:
                break
        elif model == NEED:
            if rules.need[x] <= best_score:
                break
        elif model == SLOTS:
            if rules.vor[x] <= best_score:
                break
        elif best >= 0:
            break
        if not may_take(rules, board, team, x, tight):
            continue
        needed = rules.positions[x] & board.opens[team] != 0
        if model == ADP:
            score = -(scratch.keys[x] + drafters.bias[team, x])
            if drafters.runs[team] > 0.0:
                for ago in range(RUN_WINDOW):
                    if scratch.lately[ago] & rules.positions[x]:
                        score += drafters.runs[team]
            if not needed:
                rounds = BENCH_PENALTY if rules.positions[x] & rules.flexible else SPARE_PENALTY
                score -= float(board.left.shape[0]) * rounds
        elif model == NEED:
            score = rules.need[x] if needed else rules.bench[x]
        elif model == SLOTS:
            score = rules.vor[x] if needed or rules.vor[x] <= 0.0 else SLOTS_BENCH * rules.vor[x]
        else:
            score = 0.0
        if score > best_score:
            best, best_score = x, score
    return int(best)


def run_on(rules: Rules, drafters: Drafters, trials: Trials, scratch: RoomScratch, when: Ints) -> None:
    """Make the picks of the trials by the teams' models; `when` gets the turn of each item."""
    board = scratch.board
    for t in range(trials.begin, trials.end):
        team = rules.order[t]
        if rules.forced[t] != NONE or drafters.models[team] == WAITS:
            continue
        x = choose(rules, drafters, scratch, team)
        if x == NONE:
            # nothing left can complete this roster within its limits: the pick is made all the same
            for at in range(scratch.by_key.shape[0]):
                x = scratch.by_key[at]
                if board.taken[x] == 0:
                    break
        take(rules, board, team, x, scratch.matching)
        when[x] = t
        for ago in range(RUN_WINDOW - 1, 0, -1):
            scratch.lately[ago] = scratch.lately[ago - 1]
        scratch.lately[0] = rules.positions[x]


def imagine(rules: Rules, scratch: RoomScratch) -> None:
    """How one room sees the items: keys, and the items in their order. by_adp is nearly that order already."""
    adp, sd, keys, by_key = rules.adp, rules.sd, scratch.keys, scratch.by_key
    items = adp.shape[0]
    for k in range(0, items, 2):
        # two normal numbers at a time (Box and Muller)
        radius = math.sqrt(-2.0 * math.log(1.0 - unit(scratch.rng)))
        angle = 6.283185307179586 * unit(scratch.rng)
        keys[k] = adp[k] + sd[k] * radius * math.cos(angle)
        if k + 1 < items:
            keys[k + 1] = adp[k + 1] + sd[k + 1] * radius * math.sin(angle)
    for k in range(items):
        x = rules.by_adp[k]
        at = k
        while at > 0 and keys[by_key[at - 1]] > keys[x]:
            by_key[at] = by_key[at - 1]
            at -= 1
        by_key[at] = x


def lay_out(board: RoomBoard, start: RoomBoard) -> None:
    """Make a board what another one is."""
    for x in range(start.taken.shape[0]):
        board.taken[x] = start.taken[x]
    for team in range(start.left.shape[0]):
        board.opens[team] = start.opens[team]
        board.matched[team] = start.matched[team]
        board.left[team] = start.left[team]
        board.sizes[team] = start.sizes[team]
        for s in range(start.slot_item.shape[1]):
            board.slot_item[team, s] = start.slot_item[team, s]
        for p in range(start.counts.shape[1]):
            board.counts[team, p] = start.counts[team, p]
        for k in range(start.sizes[team]):
            board.rosters[team, k] = start.rosters[team, k]


def best_left(rules: Rules, worths: Floats, taken: Ints, p: int) -> float:
    """The largest worth among the free items of a position, or NO_WORTH."""
    best = NO_WORTH
    for x in range(worths.shape[0]):
        if rules.positions[x] >> p & 1 and taken[x] == 0 and worths[x] > best:
            best = worths[x]
    return best


# ------------------------------------------------------------------------------------------------------------- templates


def simulate_template(
    rules: Rules,
    drafters: Drafters,
    start: RoomBoard,
    trials: Trials,
    found: Simulated,
    scratch: RoomScratch,
    stop: Ints,
) -> int:
    """Simulated drafts from a board on, into `found`; returns how many a candidate.

    The same room is imagined for all candidates of one simulation, so that their differences are less noisy than their
    worths.
    """
    items, turns = rules.positions.shape[0], rules.order.shape[0]
    share = 1.0 / (trials.simulations * trials.candidates.shape[0])
    for k in range(trials.simulations):
        if stop[0] != 0:
            return k
        seed_stream(scratch.rng, trials.seed, k)
        imagine(rules, scratch)
        for c in range(trials.candidates.shape[0]):
            lay_out(scratch.board, start)
            for head in range(LISTS):
                scratch.heads[head] = 0
            for ago in range(RUN_WINDOW):
                scratch.lately[ago] = trials.lately[ago]
            for x in range(items):
                found.when[x] = turns
            if trials.candidates[c] != NONE:
                take(rules, scratch.board, trials.me, trials.candidates[c], scratch.matching)
            run_on(rules, drafters, trials, scratch, found.when)
            roster, size = scratch.board.rosters[trials.me], scratch.board.sizes[trials.me]
            found.worth[c, k] = lineup_worth(rules, roster, size, scratch.matching)
            for x in range(items):
                if trials.begin <= found.when[x] < trials.end:
                    found.gone[x, found.when[x] - trials.begin] += share
            for p in range(found.expected.shape[0]):
                best = best_left(rules, trials.worths, scratch.board.taken, p)
                if best > NO_WORTH:
                    found.expected[p] += best * share
    return trials.simulations


def gains_template(rules: Rules, roster: Ints, size: int, taken: Ints, gains: Floats, matching: Matching) -> None:
    """What each free item would add to the worth of a roster; roster has room for one more."""
    base = lineup_worth(rules, roster, size, matching)
    for x in range(rules.positions.shape[0]):
        if taken[x] == 0:
            roster[size] = x
            gains[x] = lineup_worth(rules, roster, size + 1, matching) - base


def take_template(rules: Rules, board: RoomBoard, teams: Ints, items: Ints, matching: Matching) -> None:
    """Make real picks in place: items[k] by teams[k]."""
    for k in range(items.shape[0]):
        take(rules, board, teams[k], items[k], matching)


# about how often the innermost loops turn
STEPS: dict[Any, Callable[..., float]] = {
    lineup_worth: lambda rules, roster, size, matching: 5.0 * size,
    gains_template: lambda rules, roster, size, *others: len(rules.points) * (6 + 4.5 * size),
    take_template: lambda rules, board, teams, *others: 13.0 * len(teams),
}


@cache
def function_of(template: Any) -> Any:
    """A template of this package as it is called; none of them allocates."""
    name = template.__name__.removesuffix("_template").replace("_", " ")
    label = f"the draft assistant, {name}"
    return specialise(template, {}, label=label, lean=True, meanwhile=STEPS.get(template, lambda *_: math.inf))
