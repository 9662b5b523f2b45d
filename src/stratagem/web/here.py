"""Analysis in the visitor's browser: a position as the arrays that a search begins with, and the module that searches.

A visitor asks once a position, and the engine's work is the browser's. Modules are shipped, else built when they are first asked
for: one at a time, a few an hour for one client, and the server's engine answers meanwhile.
"""

from __future__ import annotations

import logging
import pickle
import threading
from collections import deque
from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request, Response
from pydantic import Field

from stratagem.compile.portable import cannot_build, module_named
from stratagem.compile.processes import Compilers, Order
from stratagem.contract.game import Position
from stratagem.readiness import build_module
from stratagem.search import browser
from stratagem.web.app import GameLine, choice_in_words, position_after
from stratagem.web.catalogue import Catalogue
from stratagem.web.guard import Bucket, client_of
from stratagem.web.refusals import NotFound

MOST_ORDERS = 8  # modules that wait to be built
BUILDS = 30  # modules an hour that one client may have built
MOST_FAILED = 100  # names of modules that could not be built
LONGEST_LINE = 16  # moves whose texts are asked for; a page shows 13
BEING_MADE = "the module of this game is being made"
NO_MODULE = "this server has no module of this game"
log = logging.getLogger("stratagem.web")

ModuleName = Annotated[str, Path(max_length=120, description="as `/api/here` gives it")]
Numbers = Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(max_length=LONGEST_LINE)]


class Lines(GameLine):
    lines: Annotated[list[Numbers], Field(max_length=50)]


class Modules:
    """Has modules built, and knows why one is not there."""

    def __init__(self) -> None:
        self._compilers = Compilers()
        self._clients = Bucket(BUILDS / 3600, BUILDS)
        self._asked: set[str] = set()
        self._failed: deque[str] = deque(maxlen=MOST_FAILED)
        self._lock = threading.Lock()

    def close(self) -> None:
        self._compilers.close()

    def why_not(self, begun: browser.Begun, at: Position, client: str) -> str | None:
        """Why the module of a search is not there, which is then ordered if it can be built; None if it is there."""
        if module_named(begun.module) is not None:
            return None
        name = begun.module
        with self._lock:
            if name in self._failed:
                return NO_MODULE
            if (lacking := cannot_build()) is not None:
                self._note_failed(name, lacking)
                return NO_MODULE
            if name in self._asked:
                return BEING_MADE
            if len(self._asked) >= MOST_ORDERS or self._clients.take(client):
                return "the modules of too many games are asked for at once"
            self._asked.add(name)
        job = partial(build_module, at.game.address, pickle.dumps(at))
        self._compilers.order({name: job}, key=name, urgent=False, tell=partial(self._reported, name))
        return BEING_MADE

    def _reported(self, name: str, order: Order) -> None:
        if order.waiting:
            return
        with self._lock:
            self._asked.discard(name)
            if module_named(name) is None:
                self._note_failed(name, order.failed.get(name, "it cannot be kept"))

    def _note_failed(self, name: str, why: str) -> None:
        """The reason is for the server's log: it may name files."""
        log.warning("no module %s for browsers: %s", name, why)
        self._failed.append(name)


def add_here(app: FastAPI, catalogue: Catalogue) -> Modules:
    """The requests of pages whose engine is in the browser; who adds them closes what builds modules."""
    modules = Modules()

    @app.post("/api/here")
    def here(line: GameLine, request: Request) -> dict[str, Any]:
        """A position as a search in the browser begins it: the module's name, the arrays that it is called with, and the legal
        moves by their numbers. Without a module `why` says what is in its place."""
        at = position_after(catalogue, line)
        begun = browser.begun(at.game, at)
        why = modules.why_not(begun, at, client_of(request.scope))
        if why is not None:
            return {"module": None, "why": why}
        moves = at.moves()
        reported = choice_in_words(at, {"best": moves[0], "lines": [{"moves": [move]} for move in moves]}, at.turn)
        known = zip(begun.numbers, moves, reported["words"], reported["marks"], strict=True)
        return {
            "module": begun.module,
            "manifest": begun.manifest,
            "seat": at.turn,
            "low": at.game.payoff_range[0],
            "moves": [
                {"number": number, "move": move, "words": words, "marks": marks} for number, move, words, marks in known
            ],
        }

    @app.post("/api/here/lines")
    def lines(found: Lines) -> dict[str, Any]:
        """The texts of lines of moves that a search in the browser found, given by their numbers."""
        return {"lines": browser.texts(position_after(catalogue, found), found.lines)}

    @app.get("/modules/{name}.wasm", response_class=Response)
    def module(name: ModuleName) -> Response:
        """A WebAssembly module. Its name holds digests of all that it depends on, so it never changes."""
        found = module_named(name)
        if found is None:
            raise NotFound("there is no module of this name")
        kept = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(found, media_type="application/wasm", headers=kept)

    return modules
