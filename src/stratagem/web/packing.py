"""Answers packed with gzip for those who take it, streams piece by piece as they come; and HEAD, which is GET without a body."""

from __future__ import annotations

import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST = 600  # bytes of an answer that is worth packing
LEVEL = 5
PACKED = ("text/", "application/json", "application/javascript", "application/wasm", "image/svg+xml")


class Packed:
    """An ASGI application whose answers are packed."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope["method"] == "HEAD":
            return await self.app({**scope, "method": "GET"}, _nobody, _headers_only(send))
        accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
        return await self.app(scope, receive, _Packer(send).send if b"gzip" in accepted else send)


async def _nobody() -> Message:
    """A reader that has gone: a stream ends after its headers."""
    return {"type": "http.disconnect"}


def _headers_only(send: Send) -> Send:
    done = False

    async def headers_only(message: Message) -> None:
        nonlocal done
        if message["type"] == "http.response.start":
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            done = True
        elif not done:
            await send(message)

    return headers_only


class _Packer:
    """Packs one answer; the start waits for the first piece of the body, which says how much there is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._packer: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if message["type"] == "http.response.body":
            body, more = message.get("body", b""), message.get("more_body", False)
            if self._start is not None:
                start, self._start = self._start, None
                if self._worth(start, body, more):
                    self._packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 31)
                    kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
                    kept += [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
                    start = {**start, "headers": kept}
                await self._send(start)
            if self._packer is not None:
                packed = self._packer.compress(body)
                packed += self._packer.flush(zlib.Z_SYNC_FLUSH if more else zlib.Z_FINISH)
                message = {**message, "body": packed}
        await self._send(message)

    def _worth(self, start: Message, body: bytes, more: bool) -> bool:
        headers = {name.lower(): value for name, value in start["headers"]}
        kind = headers.get(b"content-type", b"").decode("latin-1")
        whole = start["status"] in (200, 201) and b"content-encoding" not in headers and b"content-range" not in headers
        return whole and kind.startswith(PACKED) and (more or len(body) >= SMALLEST)
