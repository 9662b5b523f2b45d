"""The server: pages for people, a JSON interface for programs (described at /api/openapi.json), streams for what changes.

A seat's token travels in the `Authorization` header, never in an address: links carry it behind `#`, which browsers keep to
themselves. Handlers are plain functions and run in threads; only streams are asynchronous.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from stratagem import __version__
from stratagem.contract.companions.drawing import Drawing, Frame, Overlays
from stratagem.contract.companions.panels import Finding, answered
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, Game, Position
from stratagem.contract.growing import GrowingPlan
from stratagem.contract.words import folded, in_words
from stratagem.errors import IllegalMove, OptionError, ParseError, StratagemError, UnknownName
from stratagem.plans.plan import PROGRAMME
from stratagem.rng import generator
from stratagem.store import Records
from stratagem.web import pages
from stratagem.web.catalogue import Catalogue, follow
from stratagem.web.deltas import brief_frames
from stratagem.web.engines import Engines, Job, NoEngines, engines
from stratagem.web.guard import Bucket, Guard, Limits, client_of
from stratagem.web.home import home as home_page
from stratagem.web.opening import open_tables
from stratagem.web.packing import Packed
from stratagem.web.people import called, seats_shown
from stratagem.web.qr import qr_code
from stratagem.web.refusals import REFUSALS, Busy, Forbidden, add_errors
from stratagem.web.showing import (
    UNREADABLE,
    apart_from_best,
    edited,
    judged,
    shown_marks,
    shown_parts,
    shown_rules,
    shown_sheet,
    turn_word,
)
from stratagem.web.streams import Gate, followed, job_stream
from stratagem.web.table import Table, plain_options
from stratagem.web.tables import Tables
from stratagem.web.thinking import Question

STATIC = FilePath(__file__).parent / "static"
PANEL_SECONDS = 3.0  # for a question that a position answers itself
MOST_DRAWN = 1000  # outcomes of chance before a position can be set up
ALIKE = 8  # programmes that an engine compares for each one that is shown: many differ only in the number of a card

Name = Annotated[str, StringConstraints(max_length=80)]
Text = Annotated[str, StringConstraints(max_length=20_000)]  # a position, or one move of many parts
Moves = Annotated[list[Text], Field(max_length=5000)]
Key = Annotated[str, Path(max_length=64, description="the table's key, from its link")]
Token = Annotated[str | None, Header(max_length=200, description="`Bearer TOKEN` of a seat; without it: a spectator")]
Prefer = Annotated[str | None, Header(max_length=200, description="`return=minimal`: the stream tells the rest")]
NewToken = Annotated[
    str,
    StringConstraints(min_length=32, max_length=80, pattern=r"^[-_A-Za-z0-9]+$"),
    Field(
        description="the token that the seat shall have, at random; with it a join whose answer was lost is sent again"
    ),
]
Value = str | int | float | bool | list[int] | None


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GameChoice(Body):
    """A game and its options."""

    game: Name
    options: dict[Name, Value] = Field(default_factory=dict, max_length=64)


class GameLine(GameChoice):
    """A position: where it starts (the game's start if left out), and the moves since."""

    position: Text = ""
    moves: Moves = Field(default_factory=list)


class PartsQuestion(GameLine):
    prefix: Moves = Field(default_factory=list)
    seat: int | None = Field(None, ge=0, le=100)
    play: bool = Field(False, description="play it, once it is a whole move of one seat to which nothing can be added")


class Analysis(GameLine):
    engine: Name | None = None
    seconds: float = Field(3.0, gt=0, le=3600)
    lines: int = Field(5, ge=1, le=50)
    session: Name = Field("", description="questions with the same one go on where the engine stopped")
    seat: int | None = Field(None, ge=0, le=100)


class Edit(GameLine):
    """What stands on places and in fields instead of what the position has there."""

    cells: dict[Name, Name] = Field(default_factory=dict, max_length=2000)
    fields: dict[Name, Annotated[str, StringConstraints(max_length=1000)]] = Field(default_factory=dict, max_length=200)


class Look(GameLine):
    """A thing that is pointed at, after the parts of a plan."""

    place: Name
    prefix: Moves = Field(default_factory=list)
    seat: int | None = Field(None, ge=0, le=100)


class PanelQuestion(GameLine):
    panel: Name
    given: dict[Name, Annotated[str, StringConstraints(max_length=1000)]] = Field(default_factory=dict, max_length=16)


class ClockChoice(Body):
    seconds: float = Field(gt=0, le=86_400, description="for the whole game, or for each move")
    increment: float = Field(0.0, ge=0, le=3600, description="seconds that a move brings")
    each_move: bool = False


class NewTable(GameChoice):
    seats: list[Name] = Field(max_length=100, description="who plays each seat: `person`, or an engine's name")
    position: Text = ""
    clock: ClockChoice | None = None


class TableLook(Body):
    place: Name
    prefix: Moves = Field(default_factory=list)


class TablePanel(Body):
    panel: Name
    given: dict[Name, Annotated[str, StringConstraints(max_length=1000)]] = Field(default_factory=dict, max_length=16)


class Shared(Body):
    text: Annotated[str, StringConstraints(min_length=1, max_length=400)] = Field(description="a link, usually")


class TableMove(Body):
    move: Text
    ply: int = Field(ge=0, le=1_000_000, description="moves played so far, as the mover knows it")


class TakeBack(Body):
    ply: int = Field(ge=0, le=1_000_000)


class Prefix(Body):
    prefix: Moves = Field(default_factory=list)
    ply: int | None = Field(
        None,
        ge=0,
        le=1_000_000,
        description="moves played so far; with it, a whole move to which nothing can be added is played at once",
    )


class Again(Body):
    swap: bool = Field(False, description="everybody sits one seat further on")


class Join(Body):
    invitation: Name
    token: NewToken | None = None


def create_app(
    store: Records,
    *,
    limits: Limits | None = None,
    workers: int = 1,
    files: Sequence[str] = (),
    names: Sequence[str] = (),
    prepare: bool = False,
) -> Guard:
    """The server as an ASGI application. `files` are games of your own, `names` host names that it answers to besides
    those of this machine (`*`: any); with `prepare` what a table's engines need is compiled from the moment it is opened."""
    limits = limits or Limits()
    catalogue = Catalogue(files)
    bounds: dict[str, Any] = {
        "longest_queue": limits.queue,
        "each_client": limits.analyses,
        "files": files,
        "prepare": prepare,
    }
    pool = Engines(workers, **bounds) if workers else NoEngines()
    tables, close = open_tables(store, pool, catalogue, workers=workers, kept=limits.tables)

    closing = [close]

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        for end in closing:
            end()

    app = FastAPI(
        title="Stratagem",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses=REFUSALS,
    )
    app.state.tables, app.state.pool = tables, pool
    add_errors(app)
    _add_pages(app, catalogue, tables, drafts=not store.shared)
    _add_positions(app, catalogue, pool, limits)
    _add_editing(app, catalogue)
    _add_tables(app, tables, limits)
    closing.append(_add_more(app, catalogue, tables, pool, limits))
    if not store.shared:  # rooms are one process's
        from stratagem.web.draft import add_mock_rooms  # which stands on this module

        closing.append(add_mock_rooms(app, FilePath(store.address).with_suffix(".rooms.sqlite"), limits))
    app.mount("/static", Static(directory=STATIC))
    app.add_middleware(Packed)
    return Guard(app, limits, frozenset({"127.0.0.1", "localhost", "::1", *(name.lower() for name in names)}))


def _add_more(app: FastAPI, catalogue: Catalogue, tables: Tables, pool: Engines, limits: Limits) -> Callable[[], None]:
    """Reviews, puzzles and engines in browsers, whose modules stand on this one; returns what ends them."""
    from stratagem.web.here import add_here
    from stratagem.web.puzzling import add_mistakes, add_puzzles
    from stratagem.web.reviewing import add_reviews

    add_reviews(app, tables, pool, limits)
    add_puzzles(app, catalogue, pool)
    add_mistakes(app, tables, app.state.reviews, pool)
    return add_here(app, catalogue).close


class Static(StaticFiles):
    """The pages' files; a browser asks each time whether its copy is still good."""

    def file_response(self, *args: Any, **kwargs: Any) -> Any:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


# ------------------------------------------------------------------------------------------------------------- pages


FIRST_OFFERED = ("medium", "strong", "easy")  # whom a game's page seats, the first of them that there is


def _add_pages(app: FastAPI, catalogue: Catalogue, tables: Tables, drafts: bool) -> None:
    def compile_ahead(name: str, engine: str, query: Mapping[str, str]) -> None:
        """From the moment a page is opened: what its engine needs. A wrong option the page itself will tell."""
        known = {option.name for option in catalogue.kind(name).options}
        with suppress(StratagemError):
            game = catalogue.game(name, {key: value for key, value in query.items() if key in known})
            tables.pool.prepare(game, [engine])

    @app.get("/", include_in_schema=False)
    def home() -> HTMLResponse:
        from stratagem.web.puzzling import todays  # which stands on this module

        return HTMLResponse(home_page([catalogue.brief(name) for name in catalogue.names()], todays(), drafts=drafts))

    @app.get("/games/{name}", include_in_schema=False)
    def game_page(name: str) -> HTMLResponse:
        described = catalogue.describe(name)
        offered = [level for level in FIRST_OFFERED if level in described["engines"]] or list(described["engines"])
        compile_ahead(name, offered[0], {})
        return HTMLResponse(pages.game(described, catalogue.start(name)))

    @app.get("/games/{name}/picture.svg", include_in_schema=False)
    def picture(name: str, night: bool = False) -> Response:
        return Response(
            catalogue.picture(name, dark=night),
            media_type="image/svg+xml",
            headers={"cache-control": "public, max-age=3600"},
        )

    @app.get("/play/{key}", include_in_schema=False)
    def play_page(key: str) -> HTMLResponse:
        table = tables.get(key)
        return HTMLResponse(pages.play(table.game.title, key))

    @app.get("/analyse/{name}", include_in_schema=False)
    def analyse_page(name: str, request: Request) -> HTMLResponse:
        described = catalogue.describe(name)
        compile_ahead(name, described["engine"], request.query_params)
        return HTMLResponse(pages.analyse(described))

    @app.get("/edit/{name}", include_in_schema=False)
    def edit_page(name: str) -> HTMLResponse:
        return HTMLResponse(pages.edit(catalogue.describe(name)))

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> HTMLResponse:
        return HTMLResponse((STATIC / "icon.svg").read_text(), media_type="image/svg+xml")


# --------------------------------------------------------------------------------------------- games and positions


def position_after(catalogue: Catalogue, line: GameLine) -> Any:
    game = catalogue.game(line.game, line.options)
    return judged(
        game.start(), lambda: follow(game, line.position.strip() or None, line.moves), "this position cannot be read"
    )


def _add_positions(app: FastAPI, catalogue: Catalogue, pool: Engines, limits: Limits) -> None:
    @app.get("/api/games")
    def games() -> list[dict[str, Any]]:
        """The games there are."""
        return [catalogue.brief(name) for name in catalogue.names()]

    @app.get("/api/games/{name}")
    def one_game(name: Annotated[str, Path(max_length=80)]) -> dict[str, Any]:
        """A game: rules in brief, options, engines."""
        return catalogue.describe(name)

    @app.post("/api/games")
    def game_with_options(choice: GameChoice) -> dict[str, Any]:
        """A game with options: its seats and engines, or why the options make no game."""
        game = catalogue.game(choice.game, choice.options)
        return {
            "game": choice.game,
            "options": plain_options(game),
            "players": game.players,
            "seats": [called(game, p) for p in range(game.players)],
            "engines": list(engines(game)),
        }

    @app.post("/api/position")
    def position(line: GameLine) -> dict[str, Any]:
        """A position by its text and the moves since: its drawing, whose turn it is, what may be played."""
        return shown_position(line, position_after(catalogue, line))

    @app.post("/api/parts")
    def parts(question: PartsQuestion) -> dict[str, Any]:
        """What may come next after the parts of a move given so far; if asked to `play` it, the position after it."""
        at = position_after(catalogue, question)
        plan = GrowingPlan(at, question.seat, tuple(question.prefix))
        if not question.play or at.turn < 0 or not judged(at, lambda: plan.full, UNREADABLE):
            return shown_parts(plan)
        after = judged(at, lambda: at.play(plan.text), UNREADABLE)
        line = question.model_copy(update={"moves": [*question.moves, plan.text]})
        return shown_parts(plan, shown_position(line, after))

    @app.post("/api/panel")
    def panel(question: PanelQuestion) -> dict[str, Any]:
        """The answer to one of the questions that a game declares: words, and moves that can be played."""
        at = position_after(catalogue, question)
        if not at.asked:
            raise IllegalMove("nobody has anything to decide in this position")
        found = answered(at.view(at.asked[0]), question.panel, question.given, min(PANEL_SECONDS, limits.seconds))
        return shown_finding(found)

    @app.post("/api/draw")
    def draw(line: GameLine, seed: int = Query(0, ge=0, lt=2**62), on: bool = False) -> dict[str, Any]:
        """A chance outcome drawn with its odds, by a seed; with `on` all of them until somebody decides."""
        at, rng = position_after(catalogue, line), generator(seed)
        if at.turn != CHANCE:
            raise IllegalMove("chance has nothing to decide in this position")
        outcomes: list[str] = []
        while at.turn == CHANCE and (on or not outcomes) and len(outcomes) < MOST_DRAWN:
            outcomes.append(at.sample(rng))
            at = at.play(outcomes[-1])
        return {"outcome": outcomes[0], "outcomes": outcomes}

    @app.post("/api/frames")
    def frames(line: GameLine) -> dict[str, Any]:
        """The last move of a line, step by step: drawings, each given as what is new in it since the one before, and words."""
        after = position_after(catalogue, line)
        steps = []
        if line.moves:
            before = position_after(catalogue, line.model_copy(update={"moves": line.moves[:-1]}))
            steps = Drawing.of(before.game).frames(before, after.history[-1])
        return {"frames": brief_frames(None, [*steps, Frame(after.svg(), steps[-1].words if steps else "")])}

    @app.post("/api/analyse", response_class=StreamingResponse)
    async def analyse(question: Analysis, request: Request) -> StreamingResponse:
        """An engine's thoughts about a position as server-sent events: `queued` with the place, `thinking`, `report` and
        `done` with a choice, `failed` with a line. Closing the stream stops the engine."""
        at = await run_in_threadpool(position_after, catalogue, question)
        if not at.asked:
            raise IllegalMove("nobody has anything to decide in this position")
        seat = at.asked[0] if question.seat is None else question.seat
        if seat not in at.asked:
            raise IllegalMove(f"seat {seat} has nothing to decide in this position; {at.asked} have")
        known = await run_in_threadpool(engines, at.game)
        engine = question.engine or (await run_in_threadpool(catalogue.describe, question.game))["engine"]
        if engine not in known:
            raise UnknownName(f"engine of {question.game}", engine, known)
        seconds = min(question.seconds, limits.seconds)

        def start(tell: Callable[[str, Any], None]) -> Job:
            client = client_of(request.scope)
            view = at.view(seat)

            def shown(kind: str, data: Any) -> None:
                tell(kind, choice_in_words(view, data, seat, question.lines) if kind in ("report", "done") else data)

            mine = f"analysis {client} {question.session}" if question.session else ""
            lines = question.lines * (ALIKE if at.game.plan is PROGRAMME else 1)
            asked = Question(view, seat, engine, seconds=seconds, lines=lines, table=mine)
            job = Job(asked, shown, client=client)
            pool.submit(job)
            return job

        return await job_stream(start)


def _add_editing(app: FastAPI, catalogue: Catalogue) -> None:
    """Positions looked at and set up place by place, and links as drawings."""

    @app.post("/api/look")
    def look(question: Look) -> dict[str, Any]:
        """What is to be seen about a thing that is pointed at: marks, and words."""
        at = position_after(catalogue, question)
        return shown_overlay(at, question.place, question.prefix, question.seat)

    @app.post("/api/sheet")
    def sheet(line: GameLine, seed: int = Query(0, ge=0, lt=2**62)) -> dict[str, Any]:
        """A position laid out for editing: what stands where, and what may; null for a game that cannot be. What chance
        decides before there is anything to change, such as a deal, is drawn by the seed."""
        at, draws = position_after(catalogue, line), generator(seed)
        drawn = 0
        while at.turn == CHANCE and drawn < MOST_DRAWN and shown_sheet(at) is None:
            at = at.play(at.sample(draws))
            drawn += 1
        return {**shown_draft(at), "drawn": drawn}

    @app.post("/api/edit")
    def edit(change: Edit) -> dict[str, Any]:
        """A position with something else on some places, or why there is no such position."""
        at = edited(position_after(catalogue, change), change.cells, change.fields)
        return shown_draft(at)

    @app.post("/api/qr")
    def qr(shared: Shared) -> dict[str, str]:
        """A QR code of a text, as a drawing. Nothing is kept of it."""
        return {"svg": qr_code(shared.text)}


def shown_draft(at: Position) -> dict[str, Any]:
    return {
        "sheet": shown_sheet(at),
        "text": str(at),
        "svg": at.svg(),
        "turn": turn_word(at),
        "asked": list(at.asked),
        "seats": [called(at.game, p) for p in range(at.game.players)],
    }


def shown_finding(found: Finding) -> dict[str, Any]:
    return {
        "text": found.text,
        "moves": [{"move": move, "words": words} for move, words in found.moves],
        "marks": [mark.json() for mark in found.marks],
    }


def shown_overlay(view: Position, place: str, prefix: Sequence[str], seat: int | None) -> dict[str, Any]:
    marks = judged(view, lambda: Overlays.of(view.game).overlay(view, place, prefix, seat), UNREADABLE)
    return {"marks": [mark.json() for mark in marks], "words": marks[0].words if marks else ""}


def shown_position(line: GameLine, at: Position) -> dict[str, Any]:
    """A position as JSON, with its moves as the record has them."""
    game = at.game
    low, high = game.payoff_range
    texts = list(at.history[len(at.history) - len(line.moves) :]) if line.moves else []
    return {
        "game": line.game,
        "title": game.title,
        "options": plain_options(game),
        "text": str(at),
        "moves": texts,
        "turn": turn_word(at),
        "seat": at.turn if at.turn >= 0 else None,
        "asked": list(at.asked),
        "seats": [game.seat_name(p) for p in range(game.players)],
        "people": seats_shown(game),
        "range": [low, high],
        "zero_sum": game.zero_sum,
        "plan": game.plan.name,
        "value_seat": at.value_seat(),
        "svg": at.svg(),
        "marks": shown_marks(game, partial(Drawing.of(game).marks, at)),
        **_last_move(game, line, texts),
        "parts": {str(p): shown_parts(GrowingPlan(at, p)) for p in at.asked},
        "outcomes": _outcomes(at) if turn_word(at) == "chance" else None,
        "payoff": list(at.payoff) if at.over else None,
        "outcome": Wording.of(game).outcome(at) if at.over else None,
    }


def _last_move(game: Game, line: GameLine, texts: list[str]) -> dict[str, Any]:
    """The last move of a line in words and in marks on the board."""
    if not texts:
        return {"words": None, "trace": []}
    before = follow(game, line.position.strip() or None, texts[:-1])
    return {
        "words": in_words(before, texts[-1]),
        "trace": shown_marks(game, lambda: Drawing.of(game).trace(before, texts[-1], before.turn)),
    }


def move_values(choice: dict[str, Any]) -> dict[str, float]:
    """The values of single moves in a choice as JSON; see `Choice.values`."""
    given: dict[str, float] = choice.get("values") or {}
    return given or {line["moves"][0]: line["value"] for line in choice["lines"] if line.get("value") is not None}


def choice_in_words(view: Position, choice: dict[str, Any], mover: int, most: int | None = None) -> dict[str, Any]:
    """A choice as JSON with what people look at besides: values on the drawing, and what tells long plans apart. With `most`,
    only so many lines, and of those that come to the same only the first."""
    drawing, wording = Drawing.of(view.game), Wording.of(view.game)
    heat = drawing.heat(view, move_values(choice))
    if most is not None:
        choice = {**choice, "lines": _apart(view, choice["lines"], mover)[:most]}
    plans = [line["moves"][0] for line in choice["lines"]]
    if heat:
        choice = {**choice, "svg": heat}
    if view.game.plan.by_parts and len(plans) > 1:
        apart = judged(view, lambda: apart_from_best(view, plans), "these plans cannot be compared")
        choice = {
            **choice,
            "differences": [folded(parts) for parts in wording.differences(view, plans)],
            "apart": apart,
        }
    reported = plans or [choice["best"]]
    return {
        **choice,
        "words": [_described(view, plan, mover) for plan in reported],
        "named": [drawing.named(plan) for plan in reported],
        "marks": [shown_marks(view.game, partial(drawing.trace, view, plan, mover)) for plan in reported],
    }


def _apart(view: Position, lines: list[dict[str, Any]], mover: int) -> list[dict[str, Any]]:
    """Lines without those that read as one before them; of programmes, which are weighed by the same random draws, also without
    those that have the very numbers of one: they lead to the same place."""
    seen: set[Any] = set()
    found = []
    for line in lines:
        alike: set[Any] = {_described(view, line["moves"][0], mover)}
        if view.game.plan is PROGRAMME and line.get("error"):
            alike.add((line["value"], line["error"], line.get("visits")))
        if not seen & alike:
            found.append(line)
        seen |= alike
    return found


def _described(view: Position, plan: str, mover: int) -> str:
    """A candidate in words; its text where the game has no words for it."""
    try:
        return Wording.of(view.game).describe(view, plan, mover, mover)
    except Exception:
        return plan


def _outcomes(position: Any) -> list[str]:
    """Chance outcomes that can be chosen by hand, where they can be listed."""
    try:
        found: list[str] = position.moves()
    except StratagemError:
        return []
    return found[:400]


# ------------------------------------------------------------------------------------------------------------ tables


@dataclass(frozen=True)
class Looking:
    """The table that a request is about, and the seat of its token; None: a spectator."""

    table: Table
    seat: int | None


@dataclass(frozen=True)
class Sitting(Looking):
    """The same, for what takes a seat."""

    seat: int

    def answer(self, prefer: str | None) -> dict[str, Any]:
        """What a seat is shown after it has done something: all, or only how far the table is, where a stream follows it."""
        whole = prefer is None or "return=minimal" not in prefer
        return self.table.shown(self.seat) if whole else self.table.progress()


def looking(request: Request, key: Key, authorization: Token = None) -> Looking:
    table: Table = request.app.state.tables.get(key)
    return Looking(table, table.seat_of(token_of(authorization)))


def sitting(request: Request, key: Key, authorization: Token = None) -> Sitting:
    at = looking(request, key, authorization)
    if at.seat is None:
        raise Forbidden("spectators cannot do this; it takes the token of a seat")
    return Sitting(at.table, at.seat)


Looker = Annotated[Looking, Depends(looking)]
Sitter = Annotated[Sitting, Depends(sitting)]


def token_of(authorization: str | None) -> str | None:
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Forbidden("the authorization is not `Bearer TOKEN`")
    return token.strip()


def _add_tables(app: FastAPI, tables: Tables, limits: Limits) -> None:
    """Tables: set up, looked at, and played at."""
    new_tables = Bucket(limits.new_tables / 3600, limits.new_tables)
    streams = Gate(limits.streams, limits.client_streams)

    def another(request: Request) -> str:
        """Who asks for another game, if there may be one."""
        client = client_of(request.scope)
        tables.make_room(limits.tables, client)
        if new_tables.take(client):
            raise Busy(f"{limits.new_tables} games an hour are enough for one client; wait a while")
        return client

    @app.post("/api/tables", status_code=201)
    def new_table(wanted: NewTable, request: Request) -> dict[str, Any]:
        """Set up a table. The answer holds the token of the first person's seat, and an invitation for each other's."""
        client = another(request)
        clock = None if wanted.clock is None else wanted.clock.model_dump()
        table, tokens, invitations = tables.create(
            wanted.game, wanted.options, wanted.seats, wanted.position, clock, client
        )
        return {"table": table.key, "tokens": tokens, "invitations": invitations}

    @app.get("/api/tables/{key}")
    def table_state(at: Looker) -> dict[str, Any]:
        """The table as a seat or a spectator may see it."""
        return at.table.shown(at.seat)

    @app.get("/api/tables/{key}/events", response_class=StreamingResponse)
    async def events(at: Looker, request: Request) -> StreamingResponse:
        """The table as server-sent events: `table` with all of it, then `change` with what has become different."""
        at.table.client = at.table.client or client_of(
            request.scope
        )  # one loaded from the store has forgotten who set it up
        return followed(at.table, at.seat, streams, request, "table", "change")

    @app.post("/api/tables/{key}/join")
    def join(key: Key, body: Join) -> dict[str, Any]:
        """Take the seat of an invitation; it works once, and the answer holds the seat's token. Sent again with the token
        that the visitor chose, it is answered again."""
        seat, token = tables.get(key).join(body.invitation, body.token)
        return {"seat": seat, "token": token}

    @app.post("/api/tables/{key}/moves")
    def move(at: Sitter, body: TableMove, prefer: Prefer = None) -> dict[str, Any]:
        """Move, or decide in secret where all decide at once."""
        at.table.move(at.seat, body.move, body.ply)
        return at.answer(prefer)

    @app.post("/api/tables/{key}/parts")
    def parts(at: Sitter, body: Prefix, prefer: Prefer = None) -> dict[str, Any]:
        """What may come next after the parts of a move given so far. With a `ply`, a move to which nothing can be added is
        played, and `played` is the table after it."""
        plan, played = at.table.parts(at.seat, body.prefix, body.ply)
        return shown_parts(plan, at.answer(prefer) if played else None)

    @app.get("/api/tables/{key}/rules")
    def rules(at: Looker) -> dict[str, Any]:
        """The rules in brief, the pieces with their numbers, and three steps for a first plan."""
        return shown_rules(at.table.game)

    @app.post("/api/tables/{key}/look")
    def look(at: Looker, body: TableLook) -> dict[str, Any]:
        """What is to be seen about a thing that is pointed at, as the seat may see it: marks, and words."""
        return shown_overlay(at.table.view(at.seat), body.place, body.prefix, at.seat)

    @app.post("/api/tables/{key}/panel")
    def panel(at: Sitter, body: TablePanel) -> dict[str, Any]:
        """The answer to a question that the game declares, against engines alone: words, moves, and marks."""
        return shown_finding(at.table.answer(at.seat, body.panel, body.given, min(PANEL_SECONDS, limits.seconds)))

    @app.post("/api/tables/{key}/back")
    def back(at: Sitter, body: TakeBack, prefer: Prefer = None) -> dict[str, Any]:
        """Take back to the seat's last decision, against engines."""
        at.table.take_back(at.seat, body.ply)
        return at.answer(prefer)

    @app.post("/api/tables/{key}/retry")
    def retry(at: Sitter, prefer: Prefer = None) -> dict[str, Any]:
        """Ask an engine that failed again."""
        at.table.retry()
        return at.answer(prefer)

    _add_endings(app, tables, another)


def _add_endings(app: FastAPI, tables: Tables, another: Callable[[Request], str]) -> None:
    """How a game is ended by consent, looked into, and written down."""

    @app.post("/api/tables/{key}/resign")
    def resign(at: Sitter, prefer: Prefer = None) -> dict[str, Any]:
        """Give the game up, where two play against each other."""
        at.table.resign(at.seat)
        return at.answer(prefer)

    @app.post("/api/tables/{key}/draw")
    def agree_on_a_draw(at: Sitter, prefer: Prefer = None) -> dict[str, Any]:
        """Offer a draw to the other person, or accept theirs."""
        at.table.offer_draw(at.seat)
        return at.answer(prefer)

    @app.post("/api/tables/{key}/rematch")
    def rematch(at: Sitter, body: Again, request: Request) -> dict[str, Any]:
        """Agree to another game like this one when it is over; `next` is its table once all who play have agreed, and each
        seat's token opens it too."""
        if at.table.next is None:
            another(request)
        return {"next": tables.again(at.table, at.seat, body.swap)}

    @app.post("/api/tables/{key}/hint", response_class=StreamingResponse)
    async def hint(at: Sitter, request: Request) -> StreamingResponse:
        """What an engine would do in the seat's place, as server-sent events like those of an analysis."""
        view = await run_in_threadpool(at.table.view, at.seat)

        def start(tell: Callable[[str, Any], None]) -> Job:
            def shown(kind: str, data: Any) -> None:
                tell(kind, choice_in_words(view, data, at.seat) if kind in ("report", "done") else data)

            return at.table.hint(at.seat, client_of(request.scope), shown)

        return await job_stream(start)

    @app.post("/api/tables/{key}/finish", response_class=StreamingResponse)
    async def finish(at: Sitter, body: Prefix, request: Request) -> StreamingResponse:
        """The parts of a plan begun with those that an engine adds, as server-sent events; nothing is played."""

        def start(tell: Callable[[str, Any], None]) -> Job:
            return at.table.finish(at.seat, body.prefix, client_of(request.scope), tell)

        return await job_stream(start)

    @app.get("/api/tables/{key}/frames/{ply}")
    def frames(
        at: Looker,
        ply: Annotated[int, Path(ge=0, le=1_000_000)],
        since: Annotated[int | None, Query(ge=0, le=1_000_000)] = None,
    ) -> dict[str, Any]:
        """How a ply resolved, as drawings that the seat may see, each given as what is new in it since the one before; the
        first by what is new since the drawing of ply `since`, if that is given."""
        return {"ply": ply, "frames": at.table.frames(at.seat, ply, since)}

    @app.get("/api/tables/{key}/record")
    def record(at: Looker) -> JSONResponse:
        """The game on paper: options and moves. While a game with secrets goes on, only what the seat may know."""
        name = f"{at.table.name}-{at.table.key[:8]}.json".replace('"', "")
        return JSONResponse(at.table.record(at.seat), headers={"content-disposition": f'attachment; filename="{name}"'})


__all__ = ["Limits", "OptionError", "ParseError", "create_app"]
