"""Connections of the server: requests arrive whole and in time, and silent ones never shut others out.

uvicorn waits for a request as long as the client likes, and accepts connections until there are no descriptors left. This
module ends a connection whose request does not arrive, keeps their number within the descriptors that the process has, and
makes room by ending those that wait, first of the client that has most of them.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from stratagem.web.guard import client_name

REQUEST_SECONDS = 20.0  # from the first byte of a request to its last; also from the connection to the first byte
UNREAD_SECONDS = 60.0  # that an answer may wait for a client that does not read it
KEEP_ALIVE = 30  # seconds that a connection may rest between two requests
MOST = 4000  # connections at once
LEAST = 32
OTHERS = 256  # descriptors for files, the store and engines
ROOM = 0.75  # of the connections there may be; from there on waiting ones are ended
QUIET = 60.0  # seconds for which the log takes so many lines of one kind
LINES = 20
KINDS = 1000  # of lines, that are remembered


def capacity() -> int:
    """How many connections fit the descriptors of this process, whose limit is raised as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + OTHERS if hard == resource.RLIM_INFINITY else min(MOST + OTHERS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST if soft == resource.RLIM_INFINITY else max(LEAST, min(MOST, soft - OTHERS))


def settings(app: Any, proxies: tuple[str, ...] = ()) -> Config:
    """How uvicorn serves an application; `proxies` are the addresses whose `X-Forwarded-For` is believed."""
    config = Config(
        app,
        http=within(capacity()),
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=KEEP_ALIVE,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        server_header=False,
        h11_max_incomplete_event_size=32 * 1024,
    )
    for name in ("asyncio", "uvicorn.error", "stratagem.web"):  # after uvicorn has set up its own
        logging.getLogger(name).addFilter(SPARING)
    return config


def within(most: int) -> type[PatientProtocol]:
    """The protocol of a server that holds at most so many connections."""
    return type("Protocol", (PatientProtocol,), {"most": most})


class PatientProtocol(H11Protocol):
    """One connection of uvicorn that ends when no whole request arrives in time."""

    most = MOST

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.since = self.loop.time()  # when the wait for this request began
        self.begun = False  # whether a part of it has arrived
        self.unread_since: float | None = None
        self.check: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> bool:
        """Whether it is the client's turn to send something."""
        cycle = self.cycle
        return cycle is None or cycle.more_body or cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > ROOM * self.most:
            self._make_room()
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self.check = self.loop.call_later(REQUEST_SECONDS, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.check is not None:
            self.check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.begun:
            self.begun, self.since = True, self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.begun, self.since = False, self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self.unread_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self.unread_since = None
        super().resume_writing()

    def _check(self) -> None:
        now = self.loop.time()
        patience = REQUEST_SECONDS if self.begun or self.cycle is None else KEEP_ALIVE
        unsent = self.waiting and now - self.since >= patience
        unread = self.unread_since is not None and now - self.unread_since >= UNREAD_SECONDS
        if unsent or unread:
            self.transport.abort()
        else:
            left = patience - (now - self.since) if self.waiting else REQUEST_SECONDS
            self.check = self.loop.call_later(max(left, 1.0), self._check)

    def _make_room(self) -> None:
        """End an eighth of all connections, of those that wait: first of the client with most of them, the oldest first."""
        waiting = [other for other in self.connections if isinstance(other, PatientProtocol) and other.waiting]
        clients = {other: client_name(other.client[0] if other.client else "") for other in waiting}
        each = Counter(clients.values())
        waiting.sort(key=lambda other: (-each[clients[other]], other.since))
        for other in waiting[: max(1, self.most // 8)]:
            if other is not self:
                self.connections.discard(other)  # its end is reported only in the next round of the loop
                other.transport.abort()


class Sparing(logging.Filter):
    """Lets so many lines of a kind through in a minute, so that no visitor fills the log. About missing descriptors, of which
    asyncio writes thousands a second with tracebacks, it lets one through."""

    def __init__(self) -> None:
        super().__init__()
        self.let: dict[str, tuple[float, int]] = {}  # of each kind: when its minute began, and the lines since

    def filter(self, record: logging.LogRecord) -> bool:
        kind = str(record.msg).partition("\n")[0][:200]
        most = LINES
        if "socket.accept() out of system resource" in kind:
            most, record.exc_info = 1, None
        now = time.monotonic()
        began, lines = self.let.get(kind, (now, 0))
        if now - began >= QUIET:
            began, lines = now, 0
        if len(self.let) >= KINDS:
            self.let.clear()
        self.let[kind] = began, lines + 1
        if lines + 1 == most:
            record.msg = f"{record.msg} (more of these are left out for a minute)"
        return lines < most


SPARING = Sparing()  # of this process
