"""Auctions: budgets, nominations, bids; what players are worth to whom as rosters fill and money goes.

**Values** come from what the rosters still need and the money that is left, not from a table. All open starting slots of all
teams are filled by points. The players that remain give the replacement of each position, and the money beyond one a place is
shared out by value over it. **Inflation** is the ratio of these values to those of the beginning.

**Bids are searched.** The rest of the auction is simulated many times. Players come up with the dearest first. Every team bids
up to its own limit: the value, times how this room and this team have paid so far, times noise, within its budget. The highest
bid pays one more than the second. Ours bids by the best of several ways. A bid is worth making while winning at that price
ends, on average, in a better line-up than letting the player go: `limit` is the price at which the two are equal. A nomination
is what leaves us best off when it comes up now.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stratagem.errors import GameOver, IllegalMove, OptionError
from stratagem.fantasy import engine
from stratagem.fantasy.engine import Floats, Ints, Matching, RoomBoard, Rules, function_of, lineup_worth, take
from stratagem.fantasy.league import League
from stratagem.fantasy.table import find_item
from stratagem.rng import Rng, seed_stream, unit

BUDGET = 200
BENCH_VALUE = 0.12  # of its value, what a player for the bench fetches
NOISE = 0.18  # of a bidder's limit, as a logarithm, before prices say more
SHRINK = 5.0  # sales' worth of prior in what is learnt from prices
SECOND = 1.1  # standard deviations by which the second highest of a dozen limits is above their mean
WAYS = (0.85, 1.0, 1.2)  # of the value: how far our own bids may go in simulated auctions
CHEAP = 3.0  # below it a player's price is not searched for
GRID = 5  # prices at which a bid is tried
LEAST_SLOPE = 0.3  # points that a line-up loses for each 1 of money spent, at least
PRIOR_SHARE = 0.25  # of its value, how far off a player's worth to us may be
CANDIDATES = 8  # nominations tried


# ---------------------------------------------------------------------------------------------------------------- state


@dataclass(frozen=True)
class Sale:
    """A player sold, or kept from before."""

    item: int
    team: int
    price: int
    kept: bool = False
    value: float = 0.0  # what he should have fetched then


@dataclass(frozen=True)
class Auction:
    """An auction in progress, as a value."""

    league: League
    budget: int = BUDGET
    sales: tuple[Sale, ...] = ()

    def __post_init__(self) -> None:
        if self.budget < self.league.rounds:
            raise OptionError(f"a budget of {self.budget} cannot fill {self.league.rounds} places at 1 each")

    @classmethod
    def begin(
        cls, league: League, budget: int = BUDGET, kept: Mapping[int, Mapping[int, int]] | None = None
    ) -> Auction:
        """The auction before its first nomination; kept: team -> item -> price."""
        auction = cls(league, budget)
        for team, players in (kept or {}).items():
            for item, price in players.items():
                auction = auction.sell(item, team, price, kept=True)
        return auction

    @property
    def teams(self) -> int:
        return self.league.teams

    @cached_property
    def taken(self) -> frozenset[int]:
        return frozenset(sale.item for sale in self.sales)

    def roster(self, team: int) -> list[int]:
        return [sale.item for sale in self.sales if sale.team == team]

    def money(self, team: int) -> int:
        return self.budget - sum(sale.price for sale in self.sales if sale.team == team)

    def left(self, team: int) -> int:
        """Places that a team has left."""
        return self.league.rounds - len(self.roster(team))

    def most(self, team: int) -> int:
        """The most that a team can bid: every other place costs at least 1."""
        return self.money(team) - (self.left(team) - 1) if self.left(team) else 0

    @property
    def over(self) -> bool:
        return all(self.left(team) == 0 for team in range(self.teams))

    @property
    def nominator(self) -> int:
        """Whose turn it is to nominate: the teams in order, those that are full passed over."""
        if self.over:
            raise GameOver("every roster is full: the auction is over")
        last = next((k for k in range(len(self.sales) - 1, -1, -1) if not self.sales[k].kept), None)
        begin = 0 if last is None else (self._nominators[last] + 1) % self.teams
        return next(t for t in (*range(begin, self.teams), *range(begin)) if self.left(t))

    @cached_property
    def _nominators(self) -> list[int]:
        """Who nominated each sale; kept ones count as nobody's."""
        found: list[int] = []
        for k, sale in enumerate(self.sales):
            if sale.kept:
                found.append(-1)
                continue
            before = replace(self, sales=self.sales[:k])
            last = next((j for j in range(k - 1, -1, -1) if found[j] >= 0), None)
            begin = 0 if last is None else (found[last] + 1) % self.teams
            found.append(next(t for t in (*range(begin, self.teams), *range(begin)) if before.left(t)))
        return found

    @cached_property
    def board(self) -> RoomBoard:
        rules = self.league.arrays
        teams, slots, rounds = self.teams, len(rules.accepts), self.league.rounds
        board = RoomBoard(
            taken=np.zeros(len(self.league.items), np.int64),
            slot_item=np.full((teams, slots), engine.FREE, np.int64),
            opens=np.full(teams, np.bitwise_or.reduce(rules.accepts), np.int64),
            matched=np.zeros(teams, np.int64),
            left=np.full(teams, rounds, np.int64),
            counts=np.zeros((teams, len(self.league.positions)), np.int64),
            rosters=np.zeros((teams, rounds + 1), np.int64),
            sizes=np.zeros(teams, np.int64),
        )
        matching = rules.matching(rounds + 1)
        for sale in self.sales:
            take(rules, board, sale.team, sale.item, matching)
        return board

    def legal(self, team: int) -> list[int]:
        """The players that a team may buy and still complete its roster; all that are free if none can do that any more."""
        if not self.left(team):
            return []
        fitting = self.board.legal(team, self.league.arrays)
        return fitting or [x for x in range(len(self.league.items)) if x not in self.taken]

    def sell(self, item: int | str, team: int, price: int, *, kept: bool = False) -> Auction:
        """The auction after a sale."""
        items = self.league.items
        x = find_item(items, item) if isinstance(item, str) else item
        if not 0 <= team < self.teams:
            raise IllegalMove(f"there is no team {team + 1}; teams go from 1 to {self.teams}")
        if x in self.taken:
            sale = next(s for s in self.sales if s.item == x)
            raise IllegalMove(f"{items[x].name} went to team {sale.team + 1} for {sale.price} already")
        if self.left(team) == 0:
            raise IllegalMove(f"team {team + 1} is full")
        if not 1 <= price <= self.most(team):
            raise IllegalMove(
                f"team {team + 1} cannot pay {price} for {items[x].name}: it has {self.money(team)} for {self.left(team)} "
                f"places, so that 1 to {self.most(team)} would be right"
            )
        if x not in self.legal(team):
            raise IllegalMove(f"team {team + 1} cannot take {items[x].name}: its other places must fill its line-up")
        value = 0.0 if kept else round(float(self.values[x]), 2)
        return replace(self, sales=(*self.sales, Sale(x, team, price, kept, value)))

    def undo(self) -> Auction:
        if not self.sales or self.sales[-1].kept:
            raise IllegalMove("there is no sale to undo")
        return replace(self, sales=self.sales[:-1])

    def lineup(self, team: int) -> tuple[float, dict[int, int]]:
        return self.league.arrays.lineup(self.roster(team))

    # -- values

    @cached_property
    def values(self) -> Floats:
        """What each free player should fetch now, in money; 0 for those who are gone."""
        return values_of(self)

    @cached_property
    def first_values(self) -> Floats:
        """The values before the first nomination."""
        kept = tuple(sale for sale in self.sales if sale.kept)
        return values_of(replace(self, sales=kept))

    @property
    def inflation(self) -> float:
        """What a player costs now for each 1 of his value at the beginning, over the players still to be bought."""
        places = sum(self.left(t) for t in range(self.teams))
        free = [x for x in range(len(self.league.items)) if x not in self.taken]
        bought = sorted(free, key=lambda x: -self.first_values[x])[:places]
        then = float(sum(max(self.first_values[x] - 1.0, 0.0) for x in bought))
        now = sum(self.money(t) - self.left(t) for t in range(self.teams))
        return now / then if then > 0 else 1.0


def values_of(auction: Auction) -> Floats:
    """Values by what the rosters still need and the money that is left."""
    league, rules, board = auction.league, auction.league.arrays, auction.board
    free = np.flatnonzero(board.taken == 0)
    by_points = sorted((int(x) for x in free), key=lambda x: -rules.points[x])
    # all open starting slots of all teams, those for one position first, filled by points
    kinds: dict[int, int] = {}
    for team in range(auction.teams):
        for slot, held in zip(rules.accepts, board.slot_item[team], strict=True):
            if held == engine.FREE:
                kinds[int(slot)] = kinds.get(int(slot), 0) + 1
    left = list(by_points)
    started: list[int] = []
    for slot, count in sorted(kinds.items(), key=lambda pair: (pair[0].bit_count(), pair[0])):
        fitting = [x for x in left if int(rules.positions[x]) & slot][:count]
        started += fitting
        gone = set(fitting)
        left = [x for x in left if x not in gone]
    level = {}
    for p in range(len(league.positions)):
        level[p] = max((rules.points[x] for x in left if rules.positions[x] >> p & 1), default=0.0)
    worth = np.zeros(len(league.items))
    for x in started:
        mine = [level[p] for p in level if rules.positions[x] >> p & 1]
        worth[x] = max(rules.points[x] - min(mine), 0.0)
    places = sum(auction.left(t) for t in range(auction.teams))
    bench = sorted(left, key=lambda x: -rules.bench[x])[: max(places - len(started), 0)]
    worth[bench] = rules.bench[bench]
    money = sum(auction.money(t) - auction.left(t) for t in range(auction.teams))
    total = worth.sum()
    values = np.where(board.taken == 0, 1.0, 0.0)
    return values + (worth * money / total if total > 0 else 0.0)


# -------------------------------------------------------------------------------------------------------------- learning


@dataclass(frozen=True)
class Market:
    """How this room pays, learnt from the prices so far."""

    level: float = 1.0  # prices over values
    by_position: Mapping[str, float] = field(default_factory=dict, hash=False)  # beyond the level
    by_team: Mapping[int, float] = field(default_factory=dict, hash=False)  # what a team pays, beyond the room's
    noise: float = NOISE
    sales: int = 0

    def words(self, names: Sequence[str] | None = None) -> list[str]:
        if not self.sales:
            return ["no sale yet: prices are taken to follow the values"]
        said = [
            f"after {self.sales} sales prices are {self.level - 1:+.0%} to the values, give or take {self.noise:.0%}"
        ]
        said += [f"{p} goes {f - 1:+.0%} beside the rest" for p, f in self.by_position.items() if abs(f - 1) >= 0.08]
        for team, f in self.by_team.items():
            if abs(f - 1) >= 0.08:
                who = names[team] if names else f"team {team + 1}"
                said.append(f"{who} pays {f - 1:+.0%} beside the others")
        return said


def learn_market(auction: Auction) -> Market:
    """The market from the sales: each price beside the value of its moment, with a prior that it equals it."""
    items = auction.league.items
    # a player for 1 or 2 says nothing
    rows = [
        (math.log(sale.price / sale.value), items[sale.item].positions[0], sale.team)
        for sale in auction.sales
        if sale.value >= 3.0
    ]
    if not rows:
        return Market(sales=len(auction.sales))

    def shrunk(values: Sequence[float]) -> float:
        return sum(values) / (len(values) + SHRINK)

    level = shrunk([r for r, _, _ in rows])
    positions = {p: shrunk([r - level for r, q, _ in rows if q == p]) for p in {q for _, q, _ in rows}}
    teams = {t: shrunk([r - level - positions[p] for r, p, q in rows if q == t]) for t in {q for _, _, q in rows}}
    rest = [(r - level - positions[p]) ** 2 for r, p, _ in rows]
    noise = math.sqrt((sum(rest) + SHRINK * NOISE**2) / (len(rest) + SHRINK))
    return Market(
        math.exp(level),
        {p: math.exp(x) for p, x in sorted(positions.items())},
        {t: math.exp(x) for t, x in sorted(teams.items())},
        noise,
        len(rows),
    )


# ------------------------------------------------------------------------------------------------------------ simulation


class Bids(NamedTuple):
    """What is simulated: the rest of an auction for team `me`."""

    me: int
    first: int  # the player who comes up first, or NONE
    winner: int  # who wins him: a team, or NONE where bids decide
    price: int  # what he then costs
    simulations: int
    seed: int
    way: float  # of the value, how far our own bids go
    noise: float  # of the others' limits, as a logarithm
    value: Floats  # [items]: what they should fetch
    level: Floats  # [items]: what the room pays for each, over its value
    habit: Floats  # [teams]: what a team pays, beyond the room's
    money: Ints  # [teams]


class Pit(NamedTuple):
    """What one thread works with."""

    board: RoomBoard
    money: Ints  # [teams]
    keys: Floats  # [items]: when each comes up, the largest first
    order: Ints  # [items]
    matching: Matching
    rng: Rng


def normal(rng: Rng) -> float:
    return math.sqrt(-2.0 * math.log(1.0 - unit(rng))) * math.cos(6.283185307179586 * unit(rng))


def bid_limit(rules: Rules, bids: Bids, pit: Pit, team: int, x: int, inflation: float) -> int:
    """How far a team goes for a player in this simulated room; 0 where it does not want him."""
    board = pit.board
    if board.left[team] == 0:
        return 0
    positions = rules.positions[x]
    needed = positions & board.opens[team] != 0
    if not needed and rules.accepts.shape[0] - board.matched[team] >= board.left[team]:
        return 0
    for p in range(rules.most.shape[0]):
        if positions >> p & 1 and board.counts[team, p] >= rules.most[p]:
            return 0
    worth = (bids.value[x] - 1.0) * inflation
    if not needed:
        if positions & rules.flexible == 0:
            return 0  # nobody pays for a second kicker
        worth *= BENCH_VALUE
    if team == bids.me:
        worth *= bids.way * pace(pit, team)
    else:
        worth *= bids.level[x] * bids.habit[team] * math.exp(bids.noise * normal(pit.rng))
    most = pit.money[team] - (board.left[team] - 1)
    return int(min(1.0 + worth, most))


def pace(pit: Pit, team: int) -> float:
    """How much more than the others a team has to spend on each of its places: money that is left at the end buys nobody."""
    spare, places = 0.0, 0
    for t in range(pit.money.shape[0]):
        spare += pit.money[t] - pit.board.left[t]
        places += pit.board.left[t]
    mine = (pit.money[team] - pit.board.left[team]) / pit.board.left[team]
    if spare <= 0.0:
        return 1.0
    return min(max(mine * places / spare, 0.5), 3.0)


def hand_over(rules: Rules, pit: Pit, team: int, x: int, price: int) -> None:
    pit.money[team] -= price
    take(rules, pit.board, team, x, pit.matching)


def come_up(rules: Rules, bids: Bids, pit: Pit, x: int, inflation: float) -> int:
    """One player is sold to the highest bidder; what he cost, or 0 where nobody wanted him."""
    teams = pit.money.shape[0]
    best, second, winner = 0, 0, -1
    begin = int(unit(pit.rng) * teams)  # of equal limits, any one may have been first
    for k in range(teams):
        team = (begin + k) % teams
        limit = bid_limit(rules, bids, pit, team, x, inflation)
        if limit > best:
            second, best, winner = best, limit, team
        elif limit > second:
            second = limit
    if winner < 0:
        return 0
    price = min(second + 1, best)
    hand_over(rules, pit, winner, x, price)
    return price


def set_out(rules: Rules, start: RoomBoard, bids: Bids, pit: Pit) -> None:
    """Lay out one simulated auction: the order in which players come up, the dearest first and some luck."""
    engine.lay_out(pit.board, start)
    items = rules.positions.shape[0]
    for t in range(bids.money.shape[0]):
        pit.money[t] = bids.money[t]
    for k in range(items):
        x = rules.by_vor[k]
        pit.keys[x] = bids.value[x] * math.exp(0.5 * normal(pit.rng)) + 0.001 * rules.vor[x]
        at = k
        while at > 0 and pit.keys[pit.order[at - 1]] < pit.keys[x]:
            pit.order[at] = pit.order[at - 1]
            at -= 1
        pit.order[at] = x


def auction_template(rules: Rules, start: RoomBoard, bids: Bids, pit: Pit, worths: Floats) -> None:
    """What our line-up comes to in each simulated auction, into `worths` [simulations]."""
    items, teams = rules.positions.shape[0], bids.money.shape[0]
    for k in range(bids.simulations):
        seed_stream(pit.rng, bids.seed, k)
        set_out(rules, start, bids, pit)
        if bids.first != engine.NONE and bids.winner != engine.NONE:
            hand_over(rules, pit, bids.winner, bids.first, bids.price)
        elif bids.first != engine.NONE:
            come_up(rules, bids, pit, bids.first, 1.0)
        money, worth, places = 0.0, 0.0, 0
        for t in range(teams):
            money += pit.money[t] - pit.board.left[t]
            places += pit.board.left[t]
        counted = 0
        for at in range(items):
            x = pit.order[at]
            if pit.board.taken[x] == 0 and counted < places:
                worth += bids.value[x] - 1.0
                counted += 1
        for at in range(items):
            x = pit.order[at]
            if places == 0:
                break
            if pit.board.taken[x] != 0:
                continue
            # as money and players go, what is left of the one is spread over what is left of the other
            inflation = min(max(money / worth, 0.3), 3.0) if worth > 1.0 else 1.0
            price = come_up(rules, bids, pit, x, inflation)
            worth = max(worth - (bids.value[x] - 1.0), 0.0)
            if price > 0:
                money = max(money - (price - 1), 0.0)
                places -= 1
        size = pit.board.sizes[bids.me]
        worths[k] = lineup_worth(rules, pit.board.rosters[bids.me], size, pit.matching)


def simulate_rest(auction: Auction, market: Market, team: int, **asked: Any) -> Floats:
    """What a team's line-up comes to in simulated ends of an auction, by the best way of bidding on."""
    league = auction.league
    rules = league.arrays.without_replacements()
    board = auction.board
    # a price is about the second of many limits, so that limits lie below prices
    limits = market.level * math.exp(-SECOND * market.noise)
    level = np.array([limits * market.by_position.get(i.positions[0], 1.0) for i in league.items])
    bids = Bids(
        me=team,
        first=asked.get("first", engine.NONE),
        winner=asked.get("winner", engine.NONE),
        price=asked.get("price", 0),
        simulations=asked.get("simulations", 40),
        seed=asked.get("seed", 0),
        way=1.0,
        noise=market.noise,
        value=auction.values,
        level=level,
        habit=np.array([market.by_team.get(t, 1.0) for t in range(auction.teams)]),
        money=np.array([auction.money(t) for t in range(auction.teams)], np.int64),
    )
    items = len(league.items)
    pit = Pit(
        board.copy(),
        bids.money.copy(),
        np.zeros(items),
        np.zeros(items, np.int64),
        rules.matching(board.rosters.shape[1]),
        np.zeros(2, np.int64),
    )
    found = []
    for way in asked.get("ways", WAYS):
        worths = np.zeros(bids.simulations)
        function_of(auction_template)(rules, board, bids._replace(way=way), pit, worths)
        found.append(worths)
    return max(found, key=lambda w: float(w.mean()))


# ---------------------------------------------------------------------------------------------------------------- advice


@dataclass(frozen=True)
class BidAdvice:
    """How far to go for a player."""

    item: int
    limit: int  # the highest bid that is worth making; 0: let him go
    value: float  # what he should fetch
    likely: float  # what this room is likely to pay
    most: int  # what the budget allows
    gain: float  # points of the final line-up that winning at the likely price brings over letting him go
    error: float
    reason: str

    def json(self) -> dict[str, Any]:
        return {name: round(x, 2) if isinstance(x, float) else x for name, x in vars(self).items()}


def advise_bid(
    auction: Auction, team: int, item: int, *, market: Market | None = None, simulations: int = 100, seed: int = 0
) -> BidAdvice:
    """Push or drop out: the price at which winning is worth as much as letting the player go; 0 simulations: by value."""
    market = learn_market(auction) if market is None else market
    value = float(auction.values[item])
    position = auction.league.items[item].positions[0]
    likely = 1.0 + (value - 1.0) * market.level * market.by_position.get(position, 1.0)
    name = auction.league.items[item].name
    most = auction.most(team)
    if item not in auction.legal(team) or most < 1:
        return BidAdvice(item, 0, value, likely, most, 0.0, 0.0, f"{name} has no place on this roster")
    needed, spare = wants(auction, team, item)
    if spare:
        return BidAdvice(
            item, 0, value, likely, most, 0.0, 0.0, f"let {name} go: he would only sit behind one who starts"
        )
    if value < CHEAP or simulations == 0:
        limit = int(min(most, likely if simulations == 0 and needed else 2 if needed else 1))
        why = f"by his value alone: {limit}"
        return BidAdvice(item, limit, value, likely, most, 0.0, 0.0, why)
    rivals = [t for t in range(auction.teams) if t != team and item in auction.legal(t)]
    richest = max(rivals, key=lambda t: (auction.most(t), -t), default=None)
    asked = {"simulations": simulations, "seed": seed, "first": item}
    if richest is None:
        return BidAdvice(item, 1, value, 1.0, most, 0.0, 0.0, f"nobody else can take {name}: 1 is enough")
    pays = int(min(max(round(likely), 1), auction.most(richest)))
    ways = {way: simulate_rest(auction, market, team, winner=richest, price=pays, ways=(way,), **asked) for way in WAYS}
    way = max(ways, key=lambda w: float(ways[w].mean()))
    lose = ways[way]
    top = int(min(most, max(2 * value, 1.5 * likely, 4)))
    prices = sorted({max(1, round(1 + (top - 1) * k / (GRID - 1))) for k in range(GRID)})
    gains = np.array(
        [simulate_rest(auction, market, team, winner=team, price=p, ways=(way,), **asked) - lose for p in prices]
    )
    limit = _break_even(np.array(prices, float), gains, value, top)
    near = int(np.argmin(np.abs(np.array(prices) - likely)))
    gain, error = float(gains[near].mean()), float(gains[near].std() / math.sqrt(simulations))
    if limit == 0:
        why = f"let {name} go: the money buys more elsewhere, even at 1"
    elif limit < likely - 0.5:
        why = f"bid to {limit} and no further: the room may pay {likely:.0f}, and beyond {limit} others are the better buy"
    else:
        why = f"push to {limit}: at about {likely:.0f} it is worth {gain:+.1f} points over letting him go"
    return BidAdvice(item, limit, value, likely, most, gain, error, why)


def _break_even(prices: Floats, gains: Floats, value: float, top: int) -> int:
    """The price at which gains [prices, simulations] cross zero, drawn towards the value as far as they are uncertain.

    Whoever bids by an estimate wins most where it errs upwards; without a prior that would be most of the buys.
    """
    mean = gains.mean(axis=1)
    if len(prices) == 1:
        return int(prices[0]) if mean[0] >= 0 else 0
    slope, at_zero = np.polyfit(prices, mean, 1)
    slope = min(slope, -LEAST_SLOPE)
    crossing = mean.mean() / -slope + prices.mean() if slope == -LEAST_SLOPE else at_zero / -slope
    # the error of the whole line: that of the mean over prices, which share their rooms
    error = gains.mean(axis=0).std() / math.sqrt(gains.shape[1]) / -slope
    doubt = PRIOR_SHARE * value
    found = (crossing / error**2 + value / doubt**2) / (1 / error**2 + 1 / doubt**2) if error > 0 else crossing
    return int(min(max(found, 0.0), top))


@dataclass(frozen=True)
class Nomination:
    """A player to nominate, and what that is worth."""

    item: int
    worth: float  # our line-up at the end
    error: float  # of the difference to the best
    wanted: bool  # whether we would bid for him ourselves
    reason: str


def advise_nomination(
    auction: Auction, team: int, *, market: Market | None = None, simulations: int = 40, seed: int = 0
) -> list[Nomination]:
    """Whom to nominate, best first: each candidate comes up now in the same simulated auctions."""
    market = learn_market(auction) if market is None else market
    free = [x for x in range(len(auction.league.items)) if x not in auction.taken]
    legal = set(auction.legal(team))
    by_value = sorted(free, key=lambda x: (-auction.values[x], x))
    wanted = [
        x for x in by_value if x in legal and int(auction.league.arrays.positions[x]) & int(auction.board.opens[team])
    ]
    unwanted = [x for x in by_value if x not in set(wanted)]
    half = CANDIDATES // 2
    taker = {x: any(wants(auction, t, x)[0] for t in range(auction.teams) if auction.left(t)) for x in by_value[:200]}
    chosen = [*wanted[:half], *[x for x in unwanted if taker.get(x)][:half]]
    # where nobody needs anybody, whoever fits a bench
    chosen = chosen or [x for x in by_value if x in legal][:half] or by_value[:1]
    found = {
        x: simulate_rest(auction, market, team, first=x, simulations=simulations, seed=seed, ways=(1.0,))
        for x in chosen
    }
    order = sorted(chosen, key=lambda x: (-float(found[x].mean()), x))
    best = found[order[0]]
    reported = []
    for x in order:
        mine = x in wanted
        why = (
            "wanted, and the room is likely to let him go near his value"
            if mine
            else "others pay for him, and their money is gone"
        )
        error = float((best - found[x]).std() / math.sqrt(simulations))
        reported.append(Nomination(x, float(found[x].mean()), error, mine, why))
    return reported


# ------------------------------------------------------------------------------------------------------------------ mock


@dataclass(frozen=True)
class Bidder:
    """A bot: it bids up to a value, within its budget.

    kind: `table`, the values of the beginning; `value`, those of the moment; `assistant`, as advised.
    """

    kind: str = "value"
    noise: float = NOISE

    def limit(self, auction: Auction, team: int, item: int, seed: int, simulations: int = 24) -> int:
        if item not in auction.legal(team):
            return 0
        most = auction.most(team)
        if self.kind == "assistant":
            return min(advise_bid(auction, team, item, simulations=simulations, seed=seed).limit, most)
        value = float((auction.first_values if self.kind == "table" else auction.values)[item])
        needed, spare = wants(auction, team, item)
        if spare:
            return 0
        share = 1.0 if needed else BENCH_VALUE
        luck = np.random.default_rng([seed, team, item]).normal(0.0, self.noise)
        # nobody sits on money that the last places cannot use
        worth = (value - 1.0) * share * math.exp(luck)
        return int(max(1, min(1.0 + worth, most)))

    def nominate(self, auction: Auction, team: int, seed: int, simulations: int = 16) -> int:
        if self.kind == "assistant":
            return advise_nomination(auction, team, simulations=simulations, seed=seed)[0].item
        free = [x for x in range(len(auction.league.items)) if x not in auction.taken]
        luck = np.random.default_rng([seed, team, len(auction.sales)])
        legal = set(auction.legal(team))
        ranked = sorted(free, key=lambda x: (-auction.values[x], x))
        near = ranked[: 1 + int(luck.integers(0, 6))]
        # somebody must be able to take him; the nominator, if nobody else
        return next((x for x in reversed(near) if x in legal), next(x for x in ranked if x in legal))


def wants(auction: Auction, team: int, item: int) -> tuple[bool, bool]:
    """Whether a player would start for a team, and whether he would be a second one of those that only start."""
    rules = auction.league.arrays
    positions = int(rules.positions[item])
    needed = bool(positions & int(auction.board.opens[team]))
    return needed, not needed and not positions & rules.flexible


BIDDERS = ("value", "table", "assistant")


def sold(auction: Auction, item: int, limits: Mapping[int, int], nominator: int) -> Auction:
    """The auction after open bidding for a player: the highest limit wins, for one more than the second."""
    willing = {t: limit for t, limit in limits.items() if limit >= 1}
    if not willing:
        return auction.sell(item, nominator, 1)
    teams = sorted(willing, key=lambda t: (-willing[t], (t - nominator) % auction.teams))
    second = willing[teams[1]] if len(teams) > 1 else 0
    return auction.sell(item, teams[0], min(second + 1, willing[teams[0]]))


def mock_auction(
    league: League, bidders: Sequence[Bidder], *, budget: int = BUDGET, seed: int = 0, simulations: int = 24
) -> Auction:
    """A whole auction among bots."""
    auction = Auction.begin(league, budget)
    while not auction.over:
        nominator = auction.nominator
        item = bidders[nominator].nominate(auction, nominator, seed, simulations)
        limits = {
            t: bidders[t].limit(auction, t, item, seed, simulations) for t in range(auction.teams) if auction.left(t)
        }
        auction = sold(auction, item, limits, nominator)
    return auction
