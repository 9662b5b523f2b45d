"""`stratagem draft serve`: the page of a draft, and rooms by link for mock drafts with friends.

The same guard, policy and streams as the games' server; a room's state goes out whole after every event, for it is small.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import Field

from stratagem import __version__
from stratagem.errors import IllegalMove, OptionError
from stratagem.fantasy.auction import BIDDERS
from stratagem.fantasy.html_report import auction_html, report_html
from stratagem.fantasy.imports import parse_export, text_of
from stratagem.fantasy.league import League
from stratagem.fantasy.merging import merge
from stratagem.fantasy.presets import PRESETS, Setup, preset_of
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.scoring import FOOTBALL
from stratagem.store.sqlite import Store
from stratagem.web.app import (
    STATIC,
    Body,
    Key,
    Name,
    NewToken,
    Static,
    Token,
    token_of,
)
from stratagem.web.auction_rooms import AuctionRoom
from stratagem.web.guard import Bucket, Guard, Limits, client_of, hostname
from stratagem.web.pages import NAVIGATION as GAMES
from stratagem.web.pages import page
from stratagem.web.refusals import REFUSALS, Busy, add_errors
from stratagem.web.rooms import BOTS, AnyRoom, DraftRoom, Rooms
from stratagem.web.seats import PERSON
from stratagem.web.streams import Gate, followed

MOST_TABLE = 1_000_000  # characters of an export
MOST_LINES = 5_000  # of an export, with the header: twice as many players take four times as long to tell apart
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})  # this machine
NAVIGATION = '<a href="/">Drafts</a>'  # where there are drafts alone
Turn = Annotated[int, Field(ge=0, le=100_000)]
Number = Annotated[int, Field(ge=0, le=100_000)]


class PickBody(Body):
    item: Number
    turn: Turn


class TurnBody(Body):
    turn: Turn


class BidBody(Body):
    limit: Number
    turn: Turn


class SaleBody(PickBody):
    team: Annotated[int, Field(ge=0, le=100)]
    price: Number


class JoinRoom(Body):
    invitation: Name
    name: Name = ""
    token: NewToken | None = None


class LeagueChoice(Body):
    """A league in place of the server's."""

    preset: Name = Field("", description="of a site, such as espn-ppr; its roster, teams and scoring")
    teams: int | None = Field(None, ge=2, le=20)
    you: int = Field(
        1, ge=1, le=20, description="whose seat is the person's: the team that picks so in the first round"
    )
    roster: Annotated[str, Field(max_length=200)] = Field("", description="slots in place of the preset's: QB:1,RB:2")
    catch: float | None = Field(None, ge=-10, le=10, description="points of a reception, in place of the preset's")
    table: Annotated[str, Field(max_length=MOST_TABLE)] = Field("", description="players, as a site exports them: CSV")


class NewMock(Body):
    seats: list[Name] = Field(
        max_length=40,
        description="`person`, or the model of a bot, one a team; with a league of one's own also two: `you`, and all others",
    )
    league: LeagueChoice | None = None


def create_draft_app(
    store: Store, setup: Setup, *, limits: Limits | None = None, names: tuple[str, ...] = (), fresh: bool = False
) -> tuple[Guard, str, str]:
    """The server as an ASGI application, the path of the live draft's page with its token, and what there is to say."""
    limits = limits or Limits()
    rooms = Rooms(store, setup, limits.rooms)
    live, token = rooms.live(fresh)
    app = FastAPI(
        title="Stratagem, drafts",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=REFUSALS,
    )
    add_errors(app)
    _add_pages(app, rooms, live, token)
    _add_rooms(app, lambda: rooms, limits)
    app.mount("/static", Static(directory=STATIC))
    hosts = LOOPBACK | {name.lower() for name in names}
    return Guard(app, limits, hosts), f"/room/{live.key}#{token}", rooms.note


# ------------------------------------------------------------------------------------------------------------- pages


def _add_pages(app: FastAPI, rooms: Rooms, live: AnyRoom, token: str) -> None:
    @app.get("/", include_in_schema=False)
    def home() -> HTMLResponse:
        return HTMLResponse(home_page(rooms, live))

    _add_room_pages(app, lambda: rooms, live.key, token)

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> HTMLResponse:
        return HTMLResponse((STATIC / "icon.svg").read_text(), media_type="image/svg+xml")


def _add_room_pages(app: FastAPI, rooms: Callable[[], Rooms], live: str = "", token: str = "") -> None:
    """Rooms and their reports; `live` is the room whose token anybody at this machine is given."""
    navigation = NAVIGATION if live else GAMES

    @app.get("/room/{key}", include_in_schema=False)
    def room_page(key: str, request: Request) -> HTMLResponse:
        room = rooms().any(key)
        own = token if key == live and at_home(request) else ""
        shown = auction_page if isinstance(room, AuctionRoom) else draft_page
        return HTMLResponse(shown(room, own, navigation))

    @app.get("/room/{key}/report", include_in_schema=False)
    def report_page(key: str) -> HTMLResponse:
        room = rooms().any(key)
        if isinstance(room, AuctionRoom):
            text = auction_html(room.auction, room.names, team=room.setup.you - 1, seed=room.seed)
        else:
            team = room.setup.you - 1 if room.live else None
            text = report_html(room.now, room.names, team=team, seed=room.seed)
        return HTMLResponse(text, headers={"content-disposition": 'attachment; filename="draft-report.html"'})


def at_home(request: Request) -> bool:
    """Whether whoever asks sits at this machine: then the live draft is theirs. A proxy passes another host's name on."""
    host = hostname(request.headers.get("host", ""))
    return client_of(request.scope) in LOOPBACK and host in LOOPBACK and "x-forwarded-for" not in request.headers


def add_mock_rooms(app: FastAPI, path: Path, limits: Limits) -> Callable[[], None]:
    """Rooms for mock drafts beside the games of a server, in a file of their own, made when the first visitor comes; returns
    what closes the file. The league is the sample's, unless a room is made with one of its own."""
    made: list[Rooms] = []
    lock = threading.Lock()

    def rooms() -> Rooms:
        with lock:
            if not made:
                made.append(Rooms(Store(path, durable=True), Setup(SAMPLE), limits.rooms))
            return made[0]

    @app.get("/drafts", include_in_schema=False)
    def drafts() -> HTMLResponse:
        return HTMLResponse(home_page(rooms(), None))

    _add_room_pages(app, rooms)
    _add_rooms(app, rooms, limits)

    def close() -> None:
        with lock:
            while made:
                made.pop().store.close()

    return close


def home_page(rooms: Rooms, live: AnyRoom | None) -> str:
    """The front page of drafts; `live`: the room of the draft that this server was started for."""
    teams = rooms.setup.teams
    choices = "".join(f'<option value="{bot}">{bot} bot</option>' for bot in (BIDDERS if rooms.setup.budget else BOTS))
    seats = "".join(
        f"""<li><label>{escape(name)} <select class="seat-choice" data-seat="{k}">
<option value="{PERSON}"{" selected" if k == rooms.setup.you - 1 else ""}>person</option>{choices}</select></label></li>"""
        for k, name in enumerate(rooms.setup.team_names())
    )
    follow = (
        f"""<section class="card" aria-labelledby="live-title"><h2 id="live-title">The live draft</h2>
<p>Follow your draft as it goes, with advice; {live.count} entries so far.</p>
<p><a class="button primary" id="live" href="/room/{escape(live.key)}">Open it</a></p></section>"""
        if live
        else ""
    )
    sample = ": a sample, they are made up" if rooms.setup.table == SAMPLE else ""
    presets = "".join(
        f'''<option value="{escape(preset.name)}" data-teams="{preset.teams}" data-roster="{escape(preset.slots)}"'''
        f"""{"" if preset.scoring.categories else f' data-catch="{preset.scoring.catch:g}"'}>{escape(preset.summary)}</option>"""
        for preset in PRESETS.values()
    )
    what = f"an auction with {rooms.setup.budget} a team" if rooms.setup.budget else f"{rooms.league.rounds} rounds"
    return page(
        "Drafts",
        f"""<h1>Drafts</h1>
<p class="lead">{teams} teams, {what}, {len(rooms.league.items)} players{sample}.</p>
{follow}<div class="columns">
<section class="card" aria-labelledby="mock-title"><h2 id="mock-title">A mock draft with friends and bots</h2>
<p>Choose who sits where; every person but the first gets a link.</p>
<form id="mock"><ol class="plain seats">{seats}</ol>
<p><button type="submit" class="primary">Open a room</button></p><p id="problem" role="alert"></p></form></section>
<section class="card" aria-labelledby="own-title"><h2 id="own-title">Your own league</h2>
<p>Take a site’s roster and scoring, and the rankings or projections that it exports as CSV. Bots draft for the other teams.</p>
<form id="own" autocomplete="off">
<div class="field"><label for="preset">league</label><select id="preset">{presets}</select></div>
<div class="field"><label for="teams">teams</label><input id="teams" type="number" min="2" max="20" value="12"></div>
<div class="field"><label for="you">your pick</label><input id="you" type="number" min="1" max="20" value="1">
<small>In the first round.</small></div>
<div class="field"><label for="slots">roster</label><input id="slots" type="text" maxlength="200" spellcheck="false"></div>
<div class="field" id="catching"><label for="catch">points a reception</label><input id="catch" type="number" min="-10"
max="10" step="0.1"><small>Counts where your export has statistics.</small></div>
<div class="field"><label for="export">players</label><input id="export" type="file" accept=".csv,.tsv,.txt,text/csv">
<small>Without a file: the sample, whose players are made up.</small></div>
<p><button type="submit" class="primary">Open a room</button></p><p id="own-problem" role="alert"></p></form></section>
</div>""",
        "drafts",
        navigation=NAVIGATION if live else GAMES,
        style="draft",
    )


def draft_page(room: AnyRoom, own: str, navigation: str) -> str:
    live = room.live
    return page(
        "Draft",
        f"""<h1 class="unseen">{"Live draft" if live else "Mock draft"}</h1>
<div class="strip"><p id="status" role="status" aria-live="polite">Opening the room …</p>
<div class="row"><button type="button" id="undo">Undo</button>
<button type="button" id="auto" class="quiet">{"To my pick" if live else "Pick for them"}</button>
<a class="button quiet" id="report" href="/room/{escape(room.key)}/report" download>Report</a></div></div>
<p id="problem" role="alert"></p>
<div class="tabs" role="tablist" aria-label="Parts of the room">
<button type="button" role="tab" id="tab-advice" aria-controls="advice-part" aria-selected="true">Advice</button>
<button type="button" role="tab" id="tab-players" aria-controls="players-part" aria-selected="false">Players</button>
<button type="button" role="tab" id="tab-teams" aria-controls="teams-part" aria-selected="false">Teams</button>
<button type="button" role="tab" id="tab-board" aria-controls="board-part" aria-selected="false">Board</button>
</div>
<div class="draft">
<section class="card part" id="advice-part" aria-labelledby="advice-title"><h2 id="advice-title">Advice</h2>
<p class="note" id="advice-about"></p><ol id="advice" class="plain"></ol>
<div id="changed"></div><ul id="alerts" class="plain"></ul>
<details id="learnt-part"><summary>What the others seem to do</summary><ul id="learnt" class="plain"></ul></details>
<h3>Best available</h3><div id="best"></div></section>
<section class="card part" id="players-part" aria-labelledby="players-title"><h2 id="players-title">Players</h2>
<label class="find">Find <input id="search" type="search" autocomplete="off" maxlength="60" spellcheck="false"></label>
<div id="filters" class="row" role="group" aria-label="Positions"></div>
<ul id="players" class="plain"></ul></section>
<section class="card part" id="teams-part" aria-labelledby="teams-title"><h2 id="teams-title">Teams</h2>
<label>Team <select id="team"></select></label><div id="roster"></div>
<div id="friends" hidden><h3>Invite</h3><ul class="plain"></ul></div></section>
<section class="card part wide" id="board-part" aria-labelledby="board-title"><h2 id="board-title">Board</h2>
<div id="board" class="scroll" tabindex="0" role="region" aria-label="The board, round by round"></div></section>
</div>""",
        "draft",
        navigation=navigation,
        style="draft",
        room=room.key,
        own=own,
    )


def auction_page(room: AnyRoom, own: str, navigation: str) -> str:
    live = room.live
    deal = (
        """<form id="sale" class="row" autocomplete="off"><label>to <select id="buyer"></select></label>
<label>for <input id="price" type="number" min="1" value="1" inputmode="numeric"></label>
<button type="submit" class="primary">Sold</button></form>"""
        if live
        else """<form id="bid" class="row" autocomplete="off"><label>up to <input id="limit" type="number" min="0" value="0"
inputmode="numeric"></label><button type="submit" class="primary">Bid</button>
<button type="button" id="pass">Let him go</button></form>"""
    )
    return page(
        "Auction",
        f"""<h1 class="unseen">{"Live auction" if live else "Mock auction"}</h1>
<div class="strip"><p id="status" role="status" aria-live="polite">Opening the room …</p>
<div class="row"><button type="button" id="undo"{"" if live else " hidden"}>Undo</button>
<a class="button quiet" href="/room/{escape(room.key)}/report" download>Report</a></div></div>
<p id="problem" role="alert"></p>
<div class="tabs" role="tablist" aria-label="Parts of the room">
<button type="button" role="tab" id="tab-block" aria-controls="block-part" aria-selected="true">Block</button>
<button type="button" role="tab" id="tab-players" aria-controls="players-part" aria-selected="false">Players</button>
<button type="button" role="tab" id="tab-teams" aria-controls="teams-part" aria-selected="false">Teams</button>
<button type="button" role="tab" id="tab-sales" aria-controls="sales-part" aria-selected="false">Sales</button>
</div>
<div class="draft">
<section class="card part" id="block-part" aria-labelledby="block-title"><h2 id="block-title">On the block</h2>
<div id="block"></div>{deal}<div id="advice" aria-live="polite"></div>
<h3>The market</h3><ul id="market" class="plain"></ul></section>
<section class="card part" id="players-part" aria-labelledby="players-title"><h2 id="players-title">Players</h2>
<label class="find">Find <input id="search" type="search" autocomplete="off" maxlength="60" spellcheck="false"></label>
<div id="filters" class="row" role="group" aria-label="Positions"></div><ul id="players" class="plain"></ul></section>
<section class="card part" id="teams-part" aria-labelledby="teams-title"><h2 id="teams-title">Teams</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Budgets"><table id="budgets"></table></div>
<label>Team <select id="team"></select></label><div id="roster"></div>
<div id="friends" hidden><h3>Invite</h3><ul class="plain"></ul></div></section>
<section class="card part wide" id="sales-part" aria-labelledby="sales-title"><h2 id="sales-title">Sales</h2>
<ol id="sales" class="plain"></ol></section>
</div>""",
        "auction",
        navigation=navigation,
        style="draft",
        room=room.key,
        own=own,
    )


# --------------------------------------------------------------------------------------------------------------- API


RoomOf = TypeVar("RoomOf", bound=AnyRoom)


class Seat(NamedTuple, Generic[RoomOf]):
    """The room that a request is about, and the seat of its token; None: a spectator."""

    room: RoomOf
    seat: int | None


def seated(request: Request, key: Key, authorization: Token = None) -> Seat[AnyRoom]:
    room: AnyRoom = request.app.state.rooms().any(key)
    return Seat(room, room.seat_of(token_of(authorization)))


def drafting(request: Request, key: Key, authorization: Token = None) -> Seat[DraftRoom]:
    room, seat = seated(request, key, authorization)
    if not isinstance(room, DraftRoom):
        raise IllegalMove("this room holds an auction")
    return Seat(room, seat)


def bidding(request: Request, key: Key, authorization: Token = None) -> Seat[AuctionRoom]:
    room, seat = seated(request, key, authorization)
    if not isinstance(room, AuctionRoom):
        raise IllegalMove("this room drafts by turns")
    return Seat(room, seat)


AnySeat = Annotated[Seat[AnyRoom], Depends(seated)]
DraftSeat = Annotated[Seat[DraftRoom], Depends(drafting)]
AuctionSeat = Annotated[Seat[AuctionRoom], Depends(bidding)]


def _add_rooms(app: FastAPI, rooms: Callable[[], Rooms], limits: Limits) -> None:
    app.state.rooms = rooms
    streams = Gate(limits.streams, limits.client_streams)
    new_rooms = Bucket(limits.new_rooms / 3600, limits.new_rooms)

    @app.post("/api/rooms", status_code=201)
    def new_mock(body: NewMock, request: Request) -> dict[str, Any]:
        """A room for a mock draft; the answer holds the first person's token, and an invitation for each other's seat."""
        if new_rooms.take(client_of(request.scope)):
            raise Busy(f"{limits.new_rooms} rooms an hour are enough for one client; wait a while")
        own = None if body.league is None else league_of(body.league, rooms().setup)
        seats = body.seats
        if own is not None and len(seats) == 2:  # who sits in the one seat, and who sits everywhere else
            seats = [seats[team != own[0].you - 1] for team in range(own[0].teams)]
        room, token, invitations = rooms().mock(seats, own=own)
        return {"room": room.key, "token": token, "invitations": invitations}

    @app.get("/api/rooms/{key}/league")
    def about(key: Key) -> dict[str, Any]:
        """What does not change: players, order, slots."""
        return rooms().any(key).about()

    @app.get("/api/rooms/{key}")
    def state(at: AnySeat) -> dict[str, Any]:
        """The room now."""
        return at.room.shown(at.seat)

    @app.get("/api/rooms/{key}/events", response_class=StreamingResponse)
    async def events(at: AnySeat, request: Request) -> StreamingResponse:
        """The room as server-sent events, `room` after everything that happens."""
        return followed(at.room, at.seat, streams, request, "room")

    @app.get("/api/rooms/{key}/advice")
    def advice(at: AnySeat) -> dict[str, Any]:
        """What to take, with survival and the cost of waiting."""
        return at.room.advice(at.seat)

    @app.post("/api/rooms/{key}/picks")
    def pick(at: DraftSeat, body: PickBody) -> dict[str, Any]:
        """A player goes to the team on the clock."""
        at.room.pick(at.seat, body.item, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/undo")
    def undo(at: AnySeat, body: TurnBody) -> dict[str, Any]:
        """Take the last pick back."""
        at.room.undo(at.seat, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/fix")
    def fix(at: DraftSeat, body: PickBody) -> dict[str, Any]:
        """Correct an earlier pick of a live draft."""
        at.room.fix(at.seat, body.turn, body.item)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/auto")
    def auto(at: DraftSeat, body: TurnBody) -> dict[str, Any]:
        """Picks by models: up to one's own in a live draft, one of an absent friend in a mock draft."""
        at.room.auto(at.seat, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/nominate")
    def nominate(at: AuctionSeat, body: PickBody) -> dict[str, Any]:
        """Put a player up for sale; `turn` is the number of sales so far."""
        at.room.nominate(at.seat, body.item, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/bid")
    def bid(at: AuctionSeat, body: BidBody) -> dict[str, Any]:
        """How far one goes for whoever is up, in a mock auction."""
        at.room.bid(at.seat, body.limit, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/sold")
    def sold(at: AuctionSeat, body: SaleBody) -> dict[str, Any]:
        """A sale of a live auction."""
        at.room.sell(at.seat, body.item, body.team, body.price, body.turn)
        return at.room.shown(at.seat)

    @app.post("/api/rooms/{key}/join")
    def join(key: Key, body: JoinRoom) -> dict[str, Any]:
        """Take the seat of an invitation."""
        room = rooms().any(key)
        seat, token = room.join(body.invitation, body.token)
        room.named(seat, body.name)
        return {"seat": seat, "token": token}


def league_of(choice: LeagueChoice, base: Setup) -> tuple[Setup, League]:
    """The league that a visitor describes: a site's preset, a number of teams, an export of players."""
    preset = preset_of(choice.preset) if choice.preset else None
    setup = replace(base, budget=0, names=(), trades={}, keepers={}, you=choice.you)
    if preset is not None:
        setup = replace(setup, preset=preset.name, teams=preset.teams, roster=preset.slots, best_ball=preset.best_ball)
    if choice.teams is not None:
        setup = replace(setup, teams=choice.teams)
    if choice.roster.strip():
        setup = replace(setup, roster=choice.roster.strip())
    scoring = preset.scoring if preset else None
    if choice.catch is not None:
        if scoring is not None and scoring.categories:
            raise OptionError(f"{choice.preset} is scored by categories; points of a reception are football's")
        scoring = replace(scoring or FOOTBALL, catch=choice.catch)
    items = None
    if choice.table.strip():
        text = text_of(choice.table.encode(), "your table")
        if (lines := text.count("\n")) > MOST_LINES:
            raise OptionError(f"your table has {lines} lines; up to {MOST_LINES} are read here")
        export = parse_export(text, "your table", preset.column if preset else None)
        items = merge([export], None, scoring).items
        setup = replace(setup, table=Path("your table"))
    return setup, setup.league(items)
