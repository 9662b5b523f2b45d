"""Why requests are refused: the errors of the web, their statuses, and what the public is shown.

A game's error says what is wrong with what a visitor gave. An error of the store names files and addresses, so the public
sees its kind, and the log has the rest."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from stratagem.errors import IllegalMove, StratagemError, UnknownName
from stratagem.store.stored import Conflict, DiskFull, StoreError, Unreachable
from stratagem.web.guard import error_page

log = logging.getLogger("stratagem.web")


class NotFound(StratagemError):
    """No such table or room."""


class Forbidden(StratagemError):
    """The token does not open this."""


class Outdated(StratagemError):
    """The game has moved on since the request was made."""


class Busy(StratagemError):
    """More was asked for than is taken on."""


class Problem(BaseModel):
    """Why a request was refused, in one line."""

    error: str


STATUS: dict[type[StratagemError], int] = {
    NotFound: 404,
    Forbidden: 403,
    Outdated: 409,
    Conflict: 409,
    Busy: 503,
    Unreachable: 503,
    DiskFull: 507,
    StoreError: 503,
    IllegalMove: 422,
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": words}
    for status, words in {
        400: "not a request",
        403: "not yours",
        404: "not here",
        409: "the game has moved on",
        413: "too large",
        422: "refused, with the reason",
        429: "too many",
        503: "too busy",
        507: "no room is left on the disk",
    }.items()
}


PUBLIC: dict[type[StratagemError], str] = {
    Conflict: "somebody else was quicker; look again",
    Unreachable: "the games cannot be reached for the moment; what was acknowledged is safe, so try again soon",
    DiskFull: "the server has no room left for this; nothing was changed, and what was acknowledged is safe",
    StoreError: "the games cannot be read or written for the moment; what was acknowledged is safe",
}


def public(error: StratagemError) -> str:
    """What anybody may see of an error, in one line."""
    if isinstance(error, StoreError):
        log.warning("%s", error)
        return PUBLIC[type(error)]
    return " ".join(str(error).split())[:2000]


def add_errors(app: FastAPI) -> None:
    def refuse(request: Request, status: int, line: str) -> JSONResponse | HTMLResponse:
        wants_page = not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")
        if wants_page:
            return HTMLResponse(error_page(status, line), status)
        return JSONResponse({"error": line}, status)

    @app.exception_handler(StratagemError)
    async def of_ours(request: Request, error: StratagemError) -> JSONResponse | HTMLResponse:
        default = 404 if isinstance(error, UnknownName) and request.method == "GET" else 422
        return refuse(request, STATUS.get(type(error), default), public(error))

    @app.exception_handler(RequestValidationError)
    async def of_shape(request: Request, error: RequestValidationError) -> JSONResponse | HTMLResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
        return refuse(request, 422, f"{where[:120]}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse | HTMLResponse:
        line = "there is nothing at this address" if error.status_code == 404 else str(error.detail)
        response = refuse(request, error.status_code, line)
        response.headers.update(error.headers or {})
        return response
