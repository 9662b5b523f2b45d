"""Draft rooms that survive anything: a live draft that one person follows, and mock drafts with friends and bots.

A room is a game of a store: its league and seats stand in the metadata, and the events since are its moves. An event is
committed before it counts, so that a killed server loses nothing; a room is what its events make of it.
"""

from __future__ import annotations

import json
import secrets
import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stratagem.compile import answer_now
from stratagem.errors import IllegalMove, OptionError
from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.auction import BIDDERS
from stratagem.fantasy.engine import MODELS
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.learning import Belief, Learner
from stratagem.fantasy.mock import draft_on
from stratagem.fantasy.presets import Setup
from stratagem.fantasy.quick import advise
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import Item
from stratagem.store import Records
from stratagem.store.sqlite import Store
from stratagem.web.refusals import Busy, Forbidden, Outdated
from stratagem.web.seats import PERSON, Seated, digest, kept, new_token, opened

LIVE, MOCK = "live", "mock"
BOTS = tuple(MODELS)
ADVICE_SECONDS = 0.3
MARK = {"room": MOCK}  # the options of a mock draft's record, by which it is distinguished from a live one
MOST_OPEN = 200  # rooms in memory, beyond which those that nobody follows are left to the store


def setup_json(setup: Setup) -> str:
    return json.dumps({**vars(setup), "table": str(setup.table)})


def setup_from(text: str) -> Setup:
    data = json.loads(text)
    if isinstance(data["order"], list):
        data["order"] = tuple(data["order"])
    return Setup(**{**data, "table": Path(data["table"]), "names": tuple(data["names"])})


class AnyRoom(Seated):
    """What draft and auction rooms share. Methods may be called from any thread.

    `now` is what the events have made of the room: a value, so that an event is tried before it is committed.
    """

    kind = "room"
    now: Any

    def __init__(self, store: Records, key: str) -> None:
        super().__init__(store, key)
        about, self.seed, self.seats = self.found.meta["room"], self.found.seed, self.found.seats
        self.live: bool = about["live"]
        self.setup = setup_from(about["setup"])
        table = tuple(Item(**{**i, "positions": tuple(i["positions"])}) for i in about["items"])
        self.league: League = self.setup.league(table)
        self.reload()

    def reload(self) -> None:
        found = self.store.game(self.number)
        self.take_seats(found)
        names = self.setup.team_names()
        self.names = [found.meta.get(f"name {seat}", name) for seat, name in enumerate(names)]
        self.count = 0  # events so far
        self.advices: dict[tuple[int, int], dict[str, Any]] = {}
        self.now = self.first()
        for text in found.texts:
            event = json.loads(text)
            self.now = self.after(event["kind"], event["data"])
            self.count += 1
        self.changed()

    @abstractmethod
    def first(self) -> Any:
        """The room before anything happened."""

    @abstractmethod
    def after(self, kind: str, data: Mapping[str, Any]) -> Any:
        """What an event makes of the room; raises where it cannot be."""

    def happen(self, kind: str, data: Mapping[str, Any]) -> None:
        """Check an event, commit it, then let it count and be reported."""
        then = self.after(kind, data)
        with self.writing():
            self.store.append(self.number, json.dumps({"kind": kind, "data": data}), ply=self.count)
        self.now = then
        self.count += 1
        self.advices.clear()
        self.changed()

    def may(self, seat: int | None) -> int:
        if seat is None:
            raise Forbidden("you are watching; the link of a seat lets you pick")
        return seat

    def named(self, seat: int, name: str) -> None:
        """Call whoever has taken a seat by a name."""
        name = name.strip()[:40]
        if name and name != self.names[seat]:
            with self.lock:
                with self.writing():
                    self.store.annotate(self.number, **{f"name {seat}": name})
                self.names[seat] = name
                self.changed()

    def bots(self) -> None:
        """What bots do until a person has to decide."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What does not change while it goes on."""

    @abstractmethod
    def advice(self, seat: int | None) -> dict[str, Any]:
        """What the seat should do."""

    @abstractmethod
    def undo(self, seat: int | None, turn: int) -> None:
        """Take the last event back, as far as the seat may."""

    def seats_shown(self) -> list[dict[str, Any]]:
        return [
            {
                "name": self.names[seat],
                "bot": who if who != PERSON else None,
                "here": who != PERSON or str(seat) in self.tokens,
            }
            for seat, who in enumerate(self.seats)
        ]

    def items_shown(self) -> list[dict[str, Any]]:
        return [
            {
                "name": i.name,
                "position": i.position,
                "team": i.team,
                "points": i.points,
                "adp": i.adp,
                "vor": round(self.league.vor[x], 1),
                "tier": i.tier,
                "bye": i.bye,
                "status": i.status,
            }
            for x, i in enumerate(self.league.items)
        ]


class DraftRoom(AnyRoom):
    """A draft by turns."""

    def __init__(self, store: Records, key: str) -> None:
        self.learners: dict[int, Learner] = {}
        super().__init__(store, key)

    @property
    def room(self) -> Room:
        found: Room = self.now
        return found

    def first(self) -> Room:
        return Room(self.league)

    def after(self, kind: str, data: Mapping[str, Any]) -> Room:
        room = self.room
        if kind == "picks":
            for x in data["items"]:
                room = room.apply(x)
        elif kind == "undo":
            for _ in range(data.get("picks", 1)):
                room = room.undo()
        elif kind == "fix":
            room = room.replace(data["turn"], data["item"])
        return room

    def at(self, turn: int) -> None:
        if turn != self.room.turn:
            raise Outdated(f"pick {turn + 1} was meant, but {self.room.turn} picks have been made; look again")

    def pick(self, seat: int | None, item: int, turn: int) -> None:
        """A pick by whoever is on the clock: in a live room whoever follows it says who was taken."""
        with self.lock:
            self.at(turn)
            self.may(seat)
            if self.room.over:
                raise IllegalMove("the draft is over")
            if not self.live and self.room.team != seat:
                raise Forbidden(f"{self.names[self.room.team]} is on the clock, not you")
            if not 0 <= item < len(self.league.items):
                raise IllegalMove(f"there is no player {item}")
            self.happen("picks", {"items": [item]})
            self.bots()

    def undo(self, seat: int | None, turn: int) -> None:
        """Take the last pick back; in a mock draft all picks since one's own, bots' only."""
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            if self.live:
                self.happen("undo", {"picks": 1})
                return
            made = [t for t in range(self.room.turn) if t not in self.league.keepers]
            for back, t in enumerate(reversed(made), 1):
                team = self.league.order[t]
                if team == me:
                    self.happen("undo", {"picks": back})
                    return
                if self.seats[team] == PERSON:
                    raise IllegalMove(f"{self.names[team]} has picked since; nobody else's pick is taken back")
            raise IllegalMove("you have made no pick to take back")

    def fix(self, seat: int | None, turn: int, item: int) -> None:
        """Correct an earlier pick of a live draft."""
        with self.lock:
            self.may(seat)
            if not self.live:
                raise IllegalMove("picks of a mock draft stay as they were made")
            self.happen("fix", {"turn": turn, "item": item})

    def auto(self, seat: int | None, turn: int) -> None:
        """In a live room all picks up to one's own by their models; in a mock draft that of an absent friend."""
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            if self.room.over:
                raise IllegalMove("the draft is over")
            if not self.live:
                self._draft_on(self.room.turn + 1, Opponents("adp"))
                self.bots()
                return
            end = self.room.next_turn(me, self.room.turn - 1)
            if end == self.room.turn:
                raise IllegalMove("you are on the clock; pick somebody")
            end = self.league.turns if end is None else end
            self._draft_on(end, self.belief(me).scenarios(1, self.seed)[0])

    def bots(self) -> None:
        """The picks of bots up to the next person."""
        with self.lock:
            if self.live or self.room.over:
                return
            end = self.room.turn
            while end < self.league.turns and (
                end in self.league.keepers or self.seats[self.league.order[end]] != PERSON
            ):
                end += 1
            models = {k: who for k, who in enumerate(self.seats) if who != PERSON}
            self._draft_on(end, Opponents(by_team=models))

    def _draft_on(self, end: int, opponents: Opponents) -> None:
        begin = self.room.turn
        if end <= begin:
            return
        after = answer_now(lambda: draft_on(self.room, end, opponents, self.seed))
        made = [after.picks[t] for t in range(begin, after.turn) if t not in self.league.keepers]
        if made:
            self.happen("picks", {"items": made})

    def about(self) -> dict[str, Any]:
        """What does not change while a draft goes on."""
        league = self.league
        return {
            "kind": LIVE if self.live else MOCK,
            "sample": self.setup.table == SAMPLE,
            "teams": league.teams,
            "rounds": league.rounds,
            "turns": league.turns,
            "order": list(league.order),
            "slots": ["/".join(slot) for slot in league.starters],
            "positions": list(league.positions),
            "keepers": {str(t): x for t, x in league.keepers.items()},
            "items": self.items_shown(),
        }

    def snapshot(self, seat: int | None) -> dict[str, Any]:
        with self.lock:
            room, league = self.room, self.league
            slots = room.board.slot_item
            rosters = []
            for team in range(league.teams):
                started = {int(x) for x in slots[team] if x >= 0}
                rosters.append(
                    {
                        "starters": [int(x) if x >= 0 else None for x in slots[team]],
                        "bench": [x for x in room.roster(team) if x not in started],
                        "points": round(room.lineup(team)[0], 1),
                    }
                )
            return {
                "count": self.count,
                "turn": room.turn,
                "over": room.over,
                "team": None if room.over else room.team,
                "pick": "" if room.over else league.pick_name(room.turn),
                "you": seat,
                "next": None if seat is None or room.over else room.next_turn(seat, room.turn - 1),
                "picks": list(room.picks),
                "barred": [] if room.over else self.barred(),
                "rosters": rosters,
                "seats": self.seats_shown(),
            }

    def barred(self) -> list[int]:
        """Players that are free, but would leave the team on the clock without a whole line-up."""
        legal = set(self.room.legal())
        return [x for x in range(len(self.league.items)) if x not in legal and x not in self.room.taken]

    def belief(self, team: int) -> Belief:
        reported = self.setup.opponents
        learner = self.learners.setdefault(team, Learner(self.league, team, reported))
        return learner.believe(self.room)

    def advice(self, seat: int | None, seconds: float = ADVICE_SECONDS) -> dict[str, Any]:
        """What the seat should take, with what is believed of the others."""
        with self.lock:
            team = self.may(seat)
            room, known = self.room, self.advices.get((self.room.turn, team))
            if known is not None:
                return known
            if room.over or (room.team != team and room.next_turn(team) is None):
                return {"turn": room.turn, "recommendations": [], "alerts": [], "learnt": [], "simulations": 0}
            belief = self.belief(team)
        advice = advise(room, team, opponents=belief, seconds=seconds, seed=self.seed)
        best = advice.recommendations[0].worth if advice.recommendations else 0.0
        reported = {
            **advice.json(),
            "turn": room.turn,
            "for": advice.turn,
            "sure": round(belief.sure, 3),
            "learnt": belief.words(self.names),
            "recommendations": [
                {**r.json(), "item": r.item, "name": r.name, "behind": round(best - r.worth, 1)}
                for r in advice.recommendations
            ],
        }
        with self.lock:
            if advice.simulations:  # a preliminary answer is not kept: a better one comes
                self.advices[room.turn, team] = reported
        return reported


class Rooms:
    """The rooms of one server; of mock drafts it keeps so many."""

    def __init__(self, store: Store, setup: Setup, most: int) -> None:
        self.store, self.setup, self.source, self.most = store, setup, str(setup.table.resolve()), most
        self.league = setup.league()
        self.note = ""  # for whoever starts the server
        self.open: dict[str, AnyRoom] = {}
        self.lock = threading.Lock()

    def any(self, key: str) -> AnyRoom:
        """A room of any kind."""
        from stratagem.web.auction_rooms import AuctionRoom  # it is a room too

        with self.lock:
            if key not in self.open:
                auction = setup_from(kept(self.store, key, AnyRoom.kind).meta["room"]["setup"]).budget > 0
                alone = [name for name, room in self.open.items() if not room.listeners]
                for name in alone[: max(0, len(self.open) - MOST_OPEN + 1)]:
                    del self.open[name]
                self.open[key] = AuctionRoom(self.store, key) if auction else DraftRoom(self.store, key)
            return self.open[key]

    def _add(
        self,
        live: bool,
        seats: Sequence[str],
        hashes: Mapping[str, Any],
        seed: int,
        own: tuple[Setup, League] | None = None,
    ) -> AnyRoom:
        key, (setup, league) = secrets.token_urlsafe(9), own or (self.setup, self.league)
        items = [{**vars(i), "positions": list(i.positions)} for i in league.items]
        about = {"live": live, "setup": setup_json(setup), "items": items, "source": self.source}
        self.store.begin("draft", {} if live else MARK, seats, seed=seed, key=key, meta={"room": about, **hashes})
        room = self.any(key)
        room.bots()
        return room

    def _make_room(self) -> None:
        """Forget the mock drafts that were used least, so that one more may be kept; none that somebody follows."""
        with self.lock:
            kept = self.store.least_used(MARK)
            followed = {key for key, room in self.open.items() if room.listeners}
            excess = len(kept) - self.most + 1
            gone = [(game, key) for game, key in kept if key not in followed][: max(0, excess)]
            if len(gone) < excess:
                raise Busy(f"{len(followed)} drafts are under way here, as many as are kept; try again later")
            if gone:
                self.store.forget([game for game, _ in gone])
            for _, key in gone:
                self.open.pop(key, None)

    def live(self, fresh: bool = False) -> tuple[AnyRoom, str]:
        """The room of the live draft, that of the last time if there is one, and a token of whoever follows it."""
        token, you = new_token(), self.setup.you - 1
        for found in self.store.games(newest=MOST_OPEN) if not fresh else ():
            about = found.meta.get("room", {})
            if found.key and about.get("live") and about["source"] == self.source:
                room = self.any(found.key)
                changed = setup_json(room.setup) != setup_json(self.setup) or room.league.items != self.league.items
                if changed and room.count:
                    self.note = (
                        "the league has changed since this draft began: it goes on as it was; --fresh begins anew"
                    )
                if not changed or room.count:
                    room.open_with(token, room.setup.you - 1)
                    return room, token
                break
        hashes = {"tokens": {str(you): digest(token)}}
        return self._add(True, [PERSON] * self.setup.teams, hashes, secrets.randbelow(2**31)), token

    def mock(
        self, seats: Sequence[str], seed: int | None = None, own: tuple[Setup, League] | None = None
    ) -> tuple[AnyRoom, str, dict[int, str]]:
        """A mock draft: who sits where, `person` or the model of a bot; the first person's token, the others' invitations.
        `own`: a league that is not the server's."""
        setup = own[0] if own else self.setup
        if len(seats) != setup.teams:
            raise OptionError(f"{len(seats)} seats were named; the league has {setup.teams} teams")
        bots = BIDDERS if setup.budget else BOTS
        for number, who in enumerate(seats):
            if who != PERSON and who not in bots:
                raise OptionError(f"seat {number + 1} is {who!r}; {PERSON} or one of {', '.join(bots)} would be right")
        people = [k for k, who in enumerate(seats) if who == PERSON]
        if not people:
            raise OptionError("nobody sits here; at least one seat is a person's")
        self._make_room()
        tokens, invitations, hashes = opened(people)
        room = self._add(False, seats, hashes, secrets.randbelow(2**31) if seed is None else seed, own)
        return room, tokens[people[0]], invitations
