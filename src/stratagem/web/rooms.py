"""Draft rooms that survive anything: a live draft that one person follows, and mock drafts with friends and bots.

A room is a league, its seats and the events since, in one SQLite file. An event is committed before it counts, so that a
killed server loses nothing; a room is what its events make of it. Seats hold tokens, which travel behind `#` in links and
in the `Authorization` header, never in an address.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stratagem.errors import IllegalMove, OptionError, StratagemError
from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.auction import BIDDERS
from stratagem.fantasy.engine import MODELS
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.learning import Belief, Learner
from stratagem.fantasy.mock import draft_on
from stratagem.fantasy.presets import Setup
from stratagem.fantasy.quick import advise
from stratagem.fantasy.table import Item
from stratagem.web.table import Forbidden, NotFound, Outdated

LIVE, MOCK = "live", "mock"
PERSON = "person"
BOTS = tuple(MODELS)
ADVICE_SECONDS = 0.3
MOST_ROOMS = 500  # in one file
SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms(
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, setup TEXT NOT NULL, items TEXT NOT NULL, seats TEXT NOT NULL,
    source TEXT NOT NULL, seed INTEGER NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS events(
    room TEXT NOT NULL REFERENCES rooms(key), n INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY(room, n)) WITHOUT ROWID;
"""


class RoomStore:
    """The file of rooms: write-ahead log, full synchronisation, one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=FULL")
            self.db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise StratagemError(f"{path} cannot be used for rooms: {error}") from None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with self.lock:
            try:
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException as error:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise StratagemError(f"{self.path} cannot be written: {error}") from None
                raise

    def add(self, room: dict[str, Any]) -> None:
        with self.writing() as db:
            if db.execute("SELECT count(*) FROM rooms").fetchone()[0] >= MOST_ROOMS:
                raise OptionError(f"{self.path} holds {MOST_ROOMS} rooms; start with another file, --store NAME")
            names = ("key", "kind", "setup", "items", "seats", "source", "seed")
            db.execute("INSERT INTO rooms VALUES(?,?,?,?,?,?,?,?)", (*(room[name] for name in names), time.time()))

    def append(self, key: str, n: int, kind: str, data: Mapping[str, Any]) -> None:
        """Write event n of a room; refused where there is one already."""
        try:
            with self.writing() as db:
                db.execute("INSERT INTO events VALUES(?,?,?,?,?)", (key, n, kind, json.dumps(data), time.time()))
        except StratagemError as error:
            if "UNIQUE" in str(error):
                raise Outdated("the draft has moved on; look again") from None
            raise

    def seats(self, key: str, seats: str) -> None:
        with self.writing() as db:
            db.execute("UPDATE rooms SET seats=? WHERE key=?", (seats, key))

    def row(self, key: str) -> tuple[Any, ...] | None:
        with self.lock:
            names = "key, kind, setup, items, seats, source, seed"
            found: tuple[Any, ...] | None = self.db.execute(f"SELECT {names} FROM rooms WHERE key=?", (key,)).fetchone()
            return found

    def events(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        with self.lock:
            rows = self.db.execute("SELECT kind, data FROM events WHERE room=? ORDER BY n", (key,)).fetchall()
        return [(kind, json.loads(data)) for kind, data in rows]

    def keys(self, source: str, kind: str) -> list[str]:
        with self.lock:
            rows = self.db.execute("SELECT key FROM rooms WHERE source=? AND kind=? ORDER BY at", (source, kind))
            return [row[0] for row in rows.fetchall()]

    def close(self) -> None:
        with self.lock:
            self.db.close()


@dataclass
class Seat:
    """A team's place: a person's, with a token once somebody has it, or a bot's."""

    who: str  # PERSON, or the model of a bot
    name: str
    token: str = ""
    invitation: str = ""

    def json(self) -> dict[str, str]:
        return dict(vars(self))


def setup_json(setup: Setup) -> str:
    return json.dumps({**vars(setup), "table": str(setup.table)})


def setup_from(text: str) -> Setup:
    data = json.loads(text)
    if isinstance(data["order"], list):
        data["order"] = tuple(data["order"])
    return Setup(**{**data, "table": Path(data["table"]), "names": tuple(data["names"])})


class AnyRoom(ABC):
    """What draft and auction rooms share. Methods may be called from any thread.

    `now` is what the events have made of the room: a value, so that an event is tried before it is committed.
    """

    now: Any

    def __init__(self, store: RoomStore, key: str) -> None:
        row = store.row(key)
        if row is None:
            raise NotFound("there is no such room here; the link may be incomplete")
        _, self.kind, setup, items, seats, _, self.seed = row
        self.store, self.key = store, key
        self.setup = setup_from(setup)
        table = tuple(Item(**{**i, "positions": tuple(i["positions"])}) for i in json.loads(items))
        self.league: League = self.setup.league(table)
        self.seats = [Seat(**seat) for seat in json.loads(seats)]
        self.lock = threading.RLock()
        self.listeners: set[Callable[[], None]] = set()
        self.count = 0  # events so far
        self.advices: dict[tuple[int, int], dict[str, Any]] = {}
        self.now = self.first()
        for kind, data in store.events(key):
            self.now = self.after(kind, data)
            self.count += 1

    @abstractmethod
    def first(self) -> Any:
        """The room before anything happened."""

    @abstractmethod
    def after(self, kind: str, data: Mapping[str, Any]) -> Any:
        """What an event makes of the room; raises where it cannot be."""

    def happen(self, kind: str, data: Mapping[str, Any]) -> None:
        """Check an event, commit it, then let it count and be told."""
        then = self.after(kind, data)
        self.store.append(self.key, self.count, kind, data)
        self.now = then
        self.count += 1
        self.advices.clear()
        for ring in list(self.listeners):
            ring()

    def seat_of(self, token: str | None) -> int | None:
        """The seat of a token; for a live room that of the team that is advised."""
        for number, seat in enumerate(self.seats):
            if token and seat.token and secrets.compare_digest(seat.token, token):
                return number
        return None

    def may(self, seat: int | None) -> int:
        if seat is None:
            raise Forbidden("you are watching; the link of a seat lets you pick")
        return seat

    def join(self, invitation: str, name: str) -> tuple[int, str]:
        """Take a friend's seat."""
        with self.lock:
            for number, seat in enumerate(self.seats):
                if seat.invitation and secrets.compare_digest(seat.invitation, invitation):
                    if seat.token:
                        raise Forbidden("this seat is taken already; ask for another link")
                    seats = [*self.seats]
                    token = secrets.token_urlsafe(16)
                    seats[number] = replace(seat, token=token, name=name.strip()[:40] or seat.name)
                    self.store.seats(self.key, json.dumps([s.json() for s in seats]))
                    self.seats = seats
                    for ring in list(self.listeners):
                        ring()
                    return number, token
        raise Forbidden("this invitation is not one of this room's")

    def listen(self, ring: Callable[[], None]) -> None:
        with self.lock:
            self.listeners.add(ring)

    def leave(self, ring: Callable[[], None]) -> None:
        with self.lock:
            self.listeners.discard(ring)

    def bots(self) -> None:
        """What bots do until a person has to decide."""

    @abstractmethod
    def state(self, seat: int | None) -> dict[str, Any]:
        """The room as a seat or a spectator sees it."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What does not change while it goes on."""

    @abstractmethod
    def advice(self, seat: int | None) -> dict[str, Any]:
        """What the seat should do."""

    @abstractmethod
    def undo(self, seat: int | None, turn: int) -> None:
        """Take the last event back, as far as the seat may."""

    def seats_shown(self, seat: int | None) -> list[dict[str, Any]]:
        invited = seat is not None
        return [
            {
                "name": s.name,
                "bot": s.who if s.who != PERSON else None,
                "here": bool(s.token) or s.who != PERSON,
                "invitation": s.invitation if invited and s.invitation and not s.token else None,
            }
            for s in self.seats
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

    def __init__(self, store: RoomStore, key: str) -> None:
        super().__init__(store, key)
        self.learners: dict[int, Learner] = {}

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
            if self.kind == MOCK and self.room.team != seat:
                raise Forbidden(f"{self.seats[self.room.team].name} is on the clock, not you")
            if not 0 <= item < len(self.league.items):
                raise IllegalMove(f"there is no player {item}")
            self.happen("picks", {"items": [item]})
            self.bots()

    def undo(self, seat: int | None, turn: int) -> None:
        """Take the last pick back; in a mock draft all picks since one's own, bots' only."""
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            if self.kind == LIVE:
                self.happen("undo", {"picks": 1})
                return
            made = [t for t in range(self.room.turn) if t not in self.league.keepers]
            for back, t in enumerate(reversed(made), 1):
                team = self.league.order[t]
                if team == me:
                    self.happen("undo", {"picks": back})
                    return
                if self.seats[team].who == PERSON:
                    raise IllegalMove(f"{self.seats[team].name} has picked since; nobody else's pick is taken back")
            raise IllegalMove("you have made no pick to take back")

    def fix(self, seat: int | None, turn: int, item: int) -> None:
        """Correct an earlier pick of a live draft."""
        with self.lock:
            self.may(seat)
            if self.kind != LIVE:
                raise IllegalMove("picks of a mock draft stay as they were made")
            self.happen("fix", {"turn": turn, "item": item})

    def auto(self, seat: int | None, turn: int) -> None:
        """In a live room all picks up to one's own by their models; in a mock draft that of an absent friend."""
        with self.lock:
            self.at(turn)
            me = self.may(seat)
            if self.room.over:
                raise IllegalMove("the draft is over")
            if self.kind == MOCK:
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
            if self.kind != MOCK or self.room.over:
                return
            end = self.room.turn
            while end < self.league.turns and (
                end in self.league.keepers or self.seats[self.league.order[end]].who != PERSON
            ):
                end += 1
            models = {k: seat.who for k, seat in enumerate(self.seats) if seat.who != PERSON}
            self._draft_on(end, Opponents(by_team=models))

    def _draft_on(self, end: int, opponents: Opponents) -> None:
        begin = self.room.turn
        if end <= begin:
            return
        after = draft_on(self.room, end, opponents, self.seed)
        made = [after.picks[t] for t in range(begin, after.turn) if t not in self.league.keepers]
        if made:
            self.happen("picks", {"items": made})

    def about(self) -> dict[str, Any]:
        """What does not change while a draft goes on."""
        league = self.league
        return {
            "kind": self.kind,
            "teams": league.teams,
            "rounds": league.rounds,
            "turns": league.turns,
            "order": list(league.order),
            "slots": ["/".join(slot) for slot in league.starters],
            "positions": list(league.positions),
            "keepers": {str(t): x for t, x in league.keepers.items()},
            "items": self.items_shown(),
        }

    def state(self, seat: int | None) -> dict[str, Any]:
        """The room as a seat or a spectator sees it."""
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
                "seats": self.seats_shown(seat),
            }

    def barred(self) -> list[int]:
        """Players that are free, but would leave the team on the clock without a whole line-up."""
        legal = set(self.room.legal())
        return [x for x in range(len(self.league.items)) if x not in legal and x not in self.room.taken]

    def belief(self, team: int) -> Belief:
        told = self.setup.opponents
        learner = self.learners.setdefault(team, Learner(self.league, team, told))
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
        told = {
            **advice.json(),
            "turn": room.turn,
            "for": advice.turn,
            "sure": round(belief.sure, 3),
            "learnt": belief.words([s.name for s in self.seats]),
            "recommendations": [
                {**r.json(), "item": r.item, "name": r.name, "behind": round(best - r.worth, 1)}
                for r in advice.recommendations
            ],
        }
        with self.lock:
            if advice.simulations:  # a first look is not kept: a better one comes
                self.advices[room.turn, team] = told
        return told


class Rooms:
    """The rooms of one server."""

    def __init__(self, store: RoomStore, setup: Setup) -> None:
        self.store, self.setup, self.source = store, setup, str(setup.table.resolve())
        self.league = setup.league()
        self.note = ""  # for whoever starts the server
        self.open: dict[str, AnyRoom] = {}
        self.lock = threading.Lock()

    def any(self, key: str) -> AnyRoom:
        """A room of any kind."""
        from stratagem.web.auction_rooms import AuctionRoom  # it is a room too

        with self.lock:
            if key not in self.open:
                row = self.store.row(key)
                auction = row is not None and setup_from(row[2]).budget > 0
                self.open[key] = AuctionRoom(self.store, key) if auction else DraftRoom(self.store, key)
            return self.open[key]

    def get(self, key: str) -> DraftRoom:
        room = self.any(key)
        if not isinstance(room, DraftRoom):
            raise NotFound("this room holds an auction")
        return room

    def _add(self, kind: str, seats: Sequence[Seat], seed: int) -> AnyRoom:
        key = secrets.token_urlsafe(9)
        items = [{**vars(i), "positions": list(i.positions)} for i in self.league.items]
        self.store.add(
            {
                "key": key,
                "kind": kind,
                "setup": setup_json(self.setup),
                "items": json.dumps(items),
                "seats": json.dumps([seat.json() for seat in seats]),
                "source": self.source,
                "seed": seed,
            }
        )
        room = self.any(key)
        room.bots()
        return room

    def live(self, fresh: bool = False) -> tuple[AnyRoom, str]:
        """The room of the live draft, that of the last time if there is one, and the token of whoever follows it."""
        kept = self.store.keys(self.source, LIVE)
        if kept and not fresh:
            room = self.any(kept[-1])
            changed = setup_json(room.setup) != setup_json(self.setup) or room.league.items != self.league.items
            if changed and room.count:
                self.note = "the league has changed since this draft began: it goes on as it was; --fresh begins anew"
            if not changed or room.count:
                return room, room.seats[room.setup.you - 1].token
        names = self.setup.team_names()
        seats = [Seat(PERSON, name) for name in names]
        seats[self.setup.you - 1].token = secrets.token_urlsafe(16)
        room = self._add(LIVE, seats, secrets.randbelow(2**31))
        return room, room.seats[self.setup.you - 1].token

    def mock(self, seats: Sequence[str], seed: int | None = None) -> tuple[AnyRoom, str]:
        """A mock draft: who sits where, `person` or the model of a bot; the first person's token."""
        if len(seats) != self.setup.teams:
            raise OptionError(f"{len(seats)} seats were named; the league has {self.setup.teams} teams")
        made = []
        for number, who in enumerate(seats):
            bots = BIDDERS if self.setup.budget else BOTS
            if who != PERSON and who not in bots:
                raise OptionError(f"seat {number + 1} is {who!r}; {PERSON} or one of {', '.join(bots)} would be right")
            name = self.setup.team_names()[number]
            made.append(Seat(who, name, invitation=secrets.token_urlsafe(12) if who == PERSON else ""))
        first = next((k for k, seat in enumerate(made) if seat.who == PERSON), None)
        if first is None:
            raise OptionError("nobody sits here; at least one seat is a person's")
        made[first] = replace(made[first], token=secrets.token_urlsafe(16), invitation="")
        room = self._add(MOCK, made, secrets.randbelow(2**31) if seed is None else seed)
        return room, made[first].token
