"""What stands before every request: limits on size and rate, the hosts that are answered, and headers that keep a page to
itself. Plain ASGI, so that streams pass through untouched."""

from __future__ import annotations

import asyncio
import html
import ipaddress
import json
import logging
import threading
import time
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("stratagem.web")

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class Limits:
    """What one server takes on."""

    body: int = 64 * 1024  # bytes of a request
    table: int = 2 * 1024 * 1024  # bytes of a request for a draft's room, with its table of players
    rate: float = 300.0  # requests a second of one client, in the long run
    burst: int = 3000  # requests that it may save up
    at_once: int = 8  # requests of one client that are worked on; further ones wait
    tables: int = 2000  # games under way in all; of one client as many as are still free. An hour of silence ends one
    new_tables: int = 600  # an hour, of one client
    new_rooms: int = 60  # for drafts, an hour, of one client
    rooms: int = 1000  # for mock drafts that are kept, beyond which those are forgotten that were used least
    streams: int = 500  # open streams in all; of one client as many as are still free
    client_streams: int = 150  # of one client
    analyses: int = 4  # of one client, under way or waiting
    queue: int = 400  # engine jobs waiting in all
    seconds: float = 60.0  # the longest analysis


class Bucket:
    """Tokens that fill at a rate: each client has one."""

    def __init__(self, rate: float, burst: float, clients: int = 10_000) -> None:
        self.rate, self.burst, self.clients = rate, burst, clients
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> float:
        """0 if the client may go on, else the seconds to wait."""
        now = time.monotonic()
        with self._lock:
            left, at = self._left.pop(client, (self.burst, now))
            left = min(self.burst, left + (now - at) * self.rate)
            allowed = left >= 1.0
            self._left[client] = (left - 1.0 if allowed else left, now)
            if len(self._left) > self.clients:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1.0 - left) / self.rate


class Turns:
    """Lets so many requests of each client be worked on at once. Further ones wait, first come first served, so that one
    client's requests do not fill all threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._gates: dict[str, asyncio.Semaphore] = {}
        self._inside: Counter[str] = Counter()  # and those that wait

    async def take(self, client: str) -> None:
        gate = self._gates.setdefault(client, asyncio.Semaphore(self.most))
        self._inside[client] += 1
        try:
            await gate.acquire()
        except BaseException:
            self._leave(client)
            raise

    def give_back(self, client: str) -> None:
        self._gates[client].release()
        self._leave(client)

    def _leave(self, client: str) -> None:
        self._inside[client] -= 1
        if not self._inside[client]:
            del self._inside[client], self._gates[client]


class Guard:
    """The outermost layer of the server."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: frozenset[str]) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts
        self.bucket = Bucket(limits.rate, limits.burst)
        self.turns = Turns(limits.at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        client = client_of(scope)
        began = working = False

        def rest() -> None:
            nonlocal working
            if working:
                working = False
                self.turns.give_back(client)

        async def send_guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                rest()
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                if not any(name.lower() == b"cache-control" for name, _ in message["headers"]):
                    own.append((b"cache-control", b"no-store"))
                message["headers"] = [*message["headers"], *own]
            await send(message)

        refused = self._refuse(scope, headers)
        if refused is not None:
            await answer(scope, send_guarded, *refused)
            return
        body, more, given = bytearray(), True, False
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # whoever asked has gone
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._most(scope):
                await answer(scope, send_guarded, *self._too_large(scope))
                return

        async def receive_again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self.turns.take(client)  # it is whole: nobody holds a turn by half a request
        working = True
        try:
            await self.app(scope, receive_again, send_guarded)
        except Exception:
            log.exception("%s %s", scope["method"], scope["path"])
            if not began:
                await answer(scope, send_guarded, 500, "something went wrong here; the server's log has the details")
        finally:
            rest()

    def _most(self, scope: Scope) -> int:
        """Bytes that a request may have: a room's may bring a table of players along."""
        return self.limits.table if scope["path"] == "/api/rooms" else self.limits.body

    def _too_large(self, scope: Scope) -> tuple[int, str]:
        return 413, f"the request is larger than {self._most(scope)} bytes"

    def _refuse(
        self, scope: Scope, headers: dict[str, str]
    ) -> tuple[int, str] | tuple[int, str, dict[str, str]] | None:
        """Why a request is not even read."""
        host = headers.get("host", "")
        if not is_address(hostname(host)) and hostname(host) not in self.hosts and "*" not in self.hosts:
            return 400, "this server does not answer to that host name; start it with --name to add one"
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and origin is not None and host_of(origin) != host:
            return 403, "requests from other sites are not answered"
        wait = self.bucket.take(client_of(scope))
        if wait:
            seconds = str(max(1, round(wait)))
            return 429, f"too many requests at once; wait {seconds} s", {"retry-after": seconds}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:15]) > self._most(scope):
            return self._too_large(scope)
        return None


def host_of(origin: str) -> str | None:
    """The host of a site, with its port; None where that is no site."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def hostname(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def is_address(host: str) -> bool:
    """Whether a host is given by number: no other site's name can be made to point here then."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def client_of(scope: Any) -> str:
    client = scope.get("client")
    return client_name(str(client[0])) if client else "somebody"


def client_name(address: str) -> str:
    """By whom limits are counted: an address, of IPv6 the network of 64 bits that one customer has."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped) if mapped is not None else str(ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))


async def answer(scope: Scope, send: Send, status: int, line: str, headers: dict[str, str] | None = None) -> None:
    """A refusal: JSON for programs, a page for people."""
    accepts = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"accept"), "")
    if scope["path"].startswith("/api/") or "text/html" not in accepts:
        kind, body = "application/json", json.dumps({"error": line}).encode()
    else:
        kind, body = "text/html; charset=utf-8", error_page(status, line).encode()
    extra = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    start = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *extra]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def error_page(status: int, line: str) -> str:
    from stratagem.web.pages import page

    heading = {404: "Not here", 429: "A moment, please", 500: "Something went wrong"}.get(status, "This did not work")
    sentence = line[:1].upper() + line[1:] + ("" if line.endswith("?") else ".")
    return page(
        heading,
        f'<section class="card narrow"><h1>{html.escape(heading)}</h1><p>{html.escape(sentence)}</p>'
        '<p><a class="button" href="/">All games</a></p></section>',
    )
