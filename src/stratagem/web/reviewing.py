"""Requests about games that are looked back on: the page of a review, the review itself, and records from elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import HTMLResponse

from stratagem.web import pages
from stratagem.web.app import GameLine, Key
from stratagem.web.engines import Engines
from stratagem.web.guard import Bucket, Limits, client_of
from stratagem.web.refusals import Busy
from stratagem.web.reviews import Reviews
from stratagem.web.tables import Tables


def add_reviews(app: FastAPI, tables: Tables, pool: Engines, limits: Limits) -> None:
    reviews = app.state.reviews = Reviews(pool)
    new_records = Bucket(limits.new_tables / 3600, limits.new_tables)

    @app.get("/review/{key}", include_in_schema=False)
    def review_page(key: str) -> HTMLResponse:
        return HTMLResponse(pages.review(tables.get(key).game.title, key))

    @app.post("/api/records", status_code=201)
    def new_record(record: GameLine, request: Request) -> dict[str, Any]:
        """A game that was played elsewhere and is over; `table` opens it here, for looking back and for a review."""
        if new_records.take(client_of(request.scope)):
            raise Busy(f"{limits.new_tables} games an hour are enough for one client; wait a while")
        return {"table": tables.of_record(record.game, record.options, record.moves, record.position).key}

    @app.get("/api/tables/{key}/review")
    def review(key: Key, since: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> dict[str, Any]:
        """The review of a game that is over, as far as it has come: its `state` (`none`, `running`, `stopped`, `failed` or
        `done`), the accuracy of each seat, the worst decisions by their numbers, and the decisions from `since` on."""
        return reviews.shown(tables.get(key), since)

    @app.post("/api/tables/{key}/review")
    def start_review(key: Key, request: Request) -> dict[str, Any]:
        """Review a game that is over, or go on with a review that was stopped. It goes on when nobody looks, and is kept."""
        return reviews.start(tables.get(key), client_of(request.scope))

    @app.delete("/api/tables/{key}/review")
    def stop_review(key: Key) -> dict[str, Any]:
        """Stop a review; what it has found stays."""
        return reviews.stop(tables.get(key))

    @app.get("/api/tables/{key}/review/{ply}")
    def moment(
        key: Key,
        ply: Annotated[int, Path(ge=0, le=1_000_000)],
        seat: Annotated[int | None, Query(ge=0, le=100)] = None,
    ) -> dict[str, Any]:
        """The position before a ply as a seat saw it (without one: with everything), what was decided and what was better."""
        return reviews.moment(tables.get(key), ply, seat)
