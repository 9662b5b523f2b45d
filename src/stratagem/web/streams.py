"""Streams of server-sent events: a table or a room as it changes, and one engine's work."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from stratagem.web.deltas import pieces, telling
from stratagem.web.engines import Job
from stratagem.web.guard import client_of
from stratagem.web.refusals import Busy
from stratagem.web.seats import Seated

STILL_HERE = 15.0  # seconds between signs of life on a silent stream


class Gate:
    """So many streams may be open at once: in all, for one client, and for one client no more than are still free, so that
    those of a few clients never use up all."""

    def __init__(self, room: int, each_client: int) -> None:
        self.room, self.each_client = room, each_client
        self.inside: Counter[str] = Counter()

    def check(self, client: str) -> None:
        mine, free = self.inside[client], self.room - self.inside.total()
        if mine >= min(self.each_client, free):
            raise Busy("too many pages follow games here; close some, or try again later")

    @contextmanager
    def enter(self, client: str) -> Iterator[None]:
        self.inside[client] += 1  # on the one thread of the event loop
        try:
            yield
        finally:
            self.inside[client] -= 1
            self.inside += Counter()  # forget those with none


def event(kind: str, data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(finite(data))}\n\n"


def finite(data: Any) -> Any:
    """The same with null for what JSON has no number for."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(name): finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return data if data is None or isinstance(data, (str, int, bool)) else str(data)


def changes(reported: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """What differs from a state that was sent before. Of the moves, only those after the first `kept`, which stayed; of the
    drawing what is new in it, as `drawing`."""
    found = {name: value for name, value in state.items() if reported[name] != value}
    if "svg" in found:
        found["drawing"] = telling(pieces(reported["svg"]), pieces(found.pop("svg")))
    if "moves" in found:
        before, after = reported["moves"], state["moves"]
        same = (k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
        found["kept"] = next(same, min(len(before), len(after)))
        found["moves"] = after[found["kept"] :]
    return found


async def following(
    place: Seated, seat: int | None, gate: AbstractContextManager[None], kind: str, change: str = ""
) -> AsyncIterator[str]:
    """A table or a room for as long as somebody looks: all of it, as `kind`, and after every change what has become different,
    as `change`; without that, all of it again."""
    loop, wake = asyncio.get_running_loop(), asyncio.Event()

    def ring() -> None:
        loop.call_soon_threadsafe(wake.set)

    with gate:
        await run_in_threadpool(place.listen, ring, seat)
        reported: dict[str, Any] | None = None
        try:
            while True:
                wake.clear()
                state = await run_in_threadpool(place.seen if reported is not None else place.shown, seat)
                yield event(change, changes(reported, state)) if change and reported is not None else event(kind, state)
                reported = state
                while not wake.is_set():
                    try:
                        await asyncio.wait_for(wake.wait(), STILL_HERE)
                    except TimeoutError:
                        yield ": still here\n\n"
        finally:
            place.leave(ring)


def followed(
    place: Seated, seat: int | None, gate: Gate, request: Request, kind: str, change: str = ""
) -> StreamingResponse:
    client = client_of(request.scope)
    gate.check(client)
    return StreamingResponse(following(place, seat, gate.enter(client), kind, change), media_type="text/event-stream")


class _Stream(StreamingResponse):
    """One engine's work as it is reported. Its end stops the engine, also where whoever asked had left before it began."""

    job: Job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.job.stop()


async def job_stream(start: Callable[[Callable[[str, Any], None]], Job]) -> StreamingResponse:
    """Follow one engine's work; refusals come before the stream begins, and its end stops the engine."""
    loop = asyncio.get_running_loop()
    said: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def tell(kind: str, data: Any) -> None:
        loop.call_soon_threadsafe(said.put_nowait, (kind, data))

    job = await run_in_threadpool(start, tell)

    async def follow_job() -> AsyncIterator[str]:
        while True:
            try:
                kind, data = await asyncio.wait_for(said.get(), STILL_HERE)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            yield event(kind, data)
            if kind in ("done", "failed"):
                return

    stream = _Stream(follow_job(), media_type="text/event-stream")
    stream.job = job
    return stream
