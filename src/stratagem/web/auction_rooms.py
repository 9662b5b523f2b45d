"""Rooms of auctions: a live one that a person follows, and mock ones with friends and bots.

In a mock auction everybody names how far he goes, in secret, and the highest pays one more than the second: what open
bidding comes to, without anybody having to be quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from stratagem.compile import answer_now
from stratagem.errors import IllegalMove
from stratagem.fantasy.auction import Auction, Bidder, advise_bid, advise_nomination, learn_market, sold
from stratagem.fantasy.presets import kept_players
from stratagem.web.refusals import Forbidden, Outdated
from stratagem.web.rooms import LIVE, MOCK, AnyRoom
from stratagem.web.seats import PERSON

ADVICE_SIMULATIONS = 100
MOST_VALUES = 80  # players whose values are sent


class Block(NamedTuple):
    """The auction, who is up for sale, and how far people go for him."""

    auction: Auction
    item: int | None = None
    limits: Mapping[int, int] = {}


class AuctionRoom(AnyRoom):
    """An auction."""

    @property
    def auction(self) -> Auction:
        found: Auction = self.now.auction
        return found

    def first(self) -> Block:
        return Block(Auction.begin(self.league, self.setup.budget, kept_players(self.setup, self.league)))

    def after(self, kind: str, data: Mapping[str, Any]) -> Block:
        now: Block = self.now
        if kind == "nominate":
            item = data["item"]
            if not 0 <= item < len(self.league.items) or item in now.auction.taken:
                raise IllegalMove("this player is not to be had")
            return Block(now.auction, item)
        if kind == "bid":
            return now._replace(limits={**now.limits, data["team"]: data["limit"]})
        if kind == "sold":
            return Block(now.auction.sell(data["item"], data["team"], data["price"]))
        if kind == "undo":
            return Block(now.auction) if now.item is not None else Block(now.auction.undo())
        return now

    def at(self, turn: int) -> None:
        if turn != len(self.auction.sales):
            raise Outdated(f"{len(self.auction.sales)} players have been sold by now; look again")

    # -- what people do

    def nominate(self, seat: int | None, item: int, turn: int) -> None:
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            if self.auction.over:
                raise IllegalMove("every roster is full: the auction is over")
            if not self.live:
                if self.now.item is not None:
                    raise IllegalMove(f"{self.league.items[self.now.item].name} is up already")
                if self.auction.nominator != me:
                    raise Forbidden(f"{self.names[self.auction.nominator]} nominates now, not you")
                if item not in self.auction.legal(me):
                    raise IllegalMove(
                        "nominate a player who fits into your own roster: nobody else may bid, and he is yours for 1"
                    )
            self.happen("nominate", {"item": item})
            self.settle()

    def sell(self, seat: int | None, item: int, team: int, price: int, turn: int) -> None:
        """A sale of a live auction, as it was."""
        with self.lock:
            self.at(turn)
            self.may(seat)
            if not self.live:
                raise IllegalMove("bids decide in this auction: a sale cannot be entered by hand")
            self.happen("sold", {"item": item, "team": team, "price": price})

    def bid(self, seat: int | None, limit: int, turn: int) -> None:
        """How far a person goes for whoever is up; 0: not at all."""
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            item = self.now.item
            if item is None or self.live:
                raise IllegalMove("no player is up for sale; wait for a nomination")
            if not 0 <= limit <= self.auction.most(me):
                raise IllegalMove(f"you can bid up to {self.auction.most(me)}, not {limit}")
            if limit and item not in self.auction.legal(me):
                raise IllegalMove("your roster has no place for him")
            self.happen("bid", {"team": me, "limit": limit})
            self.settle()

    def undo(self, seat: int | None, turn: int) -> None:
        with self.lock:
            self.at(turn)
            self.may(seat)
            if not self.live:
                raise IllegalMove("sales of a mock auction stay as they were made")
            self.happen("undo", {})

    # -- what follows by itself

    def waiting(self) -> list[int]:
        """The people whose bids are missing: those who could take whoever is up."""
        item = self.now.item
        if item is None or self.live:
            return []
        people = [t for t, who in enumerate(self.seats) if who == PERSON and t not in self.now.limits]
        return [t for t in people if item in self.auction.legal(t)]

    def bots(self) -> None:
        with self.lock:
            self.settle()

    def settle(self) -> None:
        """Sell whoever is up once everybody has said how far he goes; nominate for bots."""
        if self.live:
            return
        while not self.auction.over:
            auction = self.auction
            if self.now.item is None:
                team = auction.nominator
                who = self.seats[team]
                if who == PERSON:
                    return
                nominee = answer_now(partial(Bidder(who).nominate, auction, team, self.seed, 16))
                self.happen("nominate", {"item": nominee})
            if self.waiting():
                return
            item = self.now.item
            limits = dict(self.now.limits)
            for t, who in enumerate(self.seats):
                if who != PERSON and auction.left(t):
                    limits[t] = answer_now(partial(Bidder(who).limit, auction, t, item, self.seed, 16))
            sale = sold(auction, item, limits, auction.nominator).sales[-1]
            self.happen("sold", {"item": sale.item, "team": sale.team, "price": sale.price})

    # -- what is shown

    def about(self) -> dict[str, Any]:
        return {
            "kind": LIVE if self.live else MOCK,
            "teams": self.league.teams,
            "rounds": self.league.rounds,
            "budget": self.setup.budget,
            "slots": ["/".join(slot) for slot in self.league.starters],
            "positions": list(self.league.positions),
            "items": self.items_shown(),
        }

    def snapshot(self, seat: int | None) -> dict[str, Any]:
        with self.lock:
            auction = self.auction
            slots = auction.board.slot_item
            rosters = []
            for team in range(auction.teams):
                started = {int(x) for x in slots[team] if x >= 0}
                rosters.append(
                    {
                        "starters": [int(x) if x >= 0 else None for x in slots[team]],
                        "bench": [x for x in auction.roster(team) if x not in started],
                        "points": round(auction.lineup(team)[0], 1),
                        "money": auction.money(team),
                        "left": auction.left(team),
                        "most": auction.most(team),
                    }
                )
            order = sorted(range(len(self.league.items)), key=lambda x: -auction.values[x])[:MOST_VALUES]
            return {
                "count": self.count,
                "turn": len(auction.sales),
                "over": auction.over,
                "you": seat,
                "nominator": None if auction.over else auction.nominator,
                "item": self.now.item,
                "waiting": self.waiting(),
                "sales": [[s.item, s.team, s.price] for s in auction.sales],
                "values": {str(x): round(float(auction.values[x]), 1) for x in order},
                "inflation": round(auction.inflation, 3),
                "rosters": rosters,
                "seats": self.seats_shown(),
            }

    def advice(self, seat: int | None) -> dict[str, Any]:
        """How far to go for whoever is up, or whom to nominate; what the prices so far tell."""
        with self.lock:
            team = self.may(seat)
            auction, item, count = self.auction, self.now.item, self.count
            known = self.advices.get((count, team))
        if known is not None:
            return known
        market = learn_market(auction)
        reported: dict[str, Any] = {"count": count, "market": market.words(self.names), "bid": None, "nominate": []}
        if auction.over or not auction.left(team):
            return reported

        def advised(simulations: int = ADVICE_SIMULATIONS) -> dict[str, Any]:
            """What to do; 0 simulations: by values alone, which say nothing of nominations."""
            how: dict[str, Any] = {"market": market, "simulations": simulations, "seed": self.seed}
            if item is not None:
                return {**reported, "searched": simulations > 0, "bid": advise_bid(auction, team, item, **how).json()}
            best = advise_nomination(auction, team, **how)[:4] if simulations else []
            nominate = [{"item": n.item, "wanted": n.wanted, "reason": n.reason} for n in best]
            return {**reported, "searched": simulations > 0, "nominate": nominate}

        found = answer_now(advised, lambda: advised(0))
        with self.lock:
            if found["searched"]:
                self.advices[count, team] = found
        return found
