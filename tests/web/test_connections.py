"""Connections: half-sent and silent ones end, and never shut others out."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from web.serving import Server

from stratagem.web import connections
from stratagem.web.guard import client_name

HALF = [
    b"",
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n",
    b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\n{",
]


async def reader(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An application that reads the whole request and says that it did."""
    if scope["type"] != "http":
        return
    while (message := await receive())["type"] != "http.disconnect" and message["more_body"]:
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"read"})


@contextlib.contextmanager
def serving(most: int = 100, app: Any = reader, proxies: tuple[str, ...] = ()) -> Iterator[int]:
    """The port of a server in a thread of this process, with so many connections at most."""
    config = connections.settings(app, proxies)
    config.http, config.lifespan = connections.within(most), "off"
    server = uvicorn.Server(config)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


def test_half_sent_and_silent_requests_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(connections, "KEEP_ALIVE", 1)
    with serving() as port, contextlib.ExitStack() as stack:
        for text in HALF:
            held = stack.enter_context(socket.create_connection(("127.0.0.1", port), 120))
            held.sendall(text)
            with contextlib.suppress(ConnectionResetError):
                assert held.recv(100) == b"", "the server ends it and answers nothing"
        client = stack.enter_context(httpx.Client(timeout=120))
        for _ in range(2):
            assert client.get(f"http://127.0.0.1:{port}/").text == "read"
            time.sleep(0.4)  # longer than a request may take: a connection rests for longer


def test_a_client_that_holds_many_connections_loses_its_oldest_and_shuts_nobody_out() -> None:
    with serving(most=40) as port, contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 120)) for _ in range(120)]
        for k, one in enumerate(held):
            with contextlib.suppress(ConnectionError):
                one.sendall(HALF[k % 3])
        for _ in range(20):
            assert httpx.get(f"http://127.0.0.1:{port}/", timeout=120).text == "read"


def test_room_is_made_where_one_client_has_most() -> None:
    """The few connections of another client stay, though they are the oldest."""
    with serving(most=40) as port, contextlib.ExitStack() as stack:

        def open_from(client: str, text: bytes) -> socket.socket:
            one = socket.create_connection(("127.0.0.1", port), 30, source_address=(client, 0))
            with contextlib.suppress(ConnectionError):
                one.sendall(text)
            return stack.enter_context(one)

        try:
            few = [open_from("127.0.0.2", HALF[1]) for _ in range(6)]
        except OSError:
            pytest.skip("this system has one address of its own only")
        for k in range(100):
            open_from("127.0.0.1", HALF[k % 3])
        for one in few:
            one.sendall(b"\r\n")
            answer = b""
            while not answer.endswith(b"0\r\n\r\n") and (more := one.recv(1000)):
                answer += more
            assert b" 200 " in answer and b"read" in answer, answer


def test_a_client_is_an_address_and_of_ipv6_the_network_of_one_customer() -> None:
    assert client_name("2001:db8:1:2:3::4") == client_name("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert client_name("::ffff:10.0.0.7") == client_name("10.0.0.7") == "10.0.0.7"
    assert client_name("2001:db8:1:3::4") != client_name("2001:db8:1:2::4") and client_name("") == ""


@pytest.mark.parametrize(("proxies", "client"), [((), "127.0.0.1"), (("127.0.0.1",), "10.0.0.9")])
def test_the_forwarded_address_counts_only_from_a_named_proxy(proxies: tuple[str, ...], client: str) -> None:
    seen = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])
        await reader(scope, receive, send)

    with serving(app=app, proxies=proxies) as port:
        httpx.get(f"http://127.0.0.1:{port}/", headers={"x-forwarded-for": "10.0.0.9"}, timeout=120)
    assert seen == [client]


def test_missing_descriptors_are_reported_once_and_without_a_traceback() -> None:
    sparing, line = connections.Sparing(), "socket.accept() out of system resource\nsocket: {}"
    records = [
        logging.LogRecord("asyncio", 40, "", 0, line.format(k), None, (OSError, OSError(), None)) for k in range(99)
    ]
    assert [sparing.filter(record) for record in records] == [True] + [False] * 98
    assert records[0].exc_info is None and sparing.filter(logging.LogRecord("asyncio", 40, "", 0, "else", None, None))


def test_a_visitor_does_not_fill_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections.SPARING, "let", {})
    lines: list[str] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: lines.append(record.getMessage()))
    with serving() as port:
        logging.getLogger("uvicorn.error").addHandler(handler)
        try:
            for _ in range(3 * connections.LINES):
                with socket.create_connection(("127.0.0.1", port), 120) as one:
                    one.sendall(b"nonsense\r\n\r\n")
                    assert b" 400 " in one.recv(1000)
            assert len(lines) == connections.LINES and "more of these are left out" in lines[-1]
            monkeypatch.setattr(connections, "QUIET", 0.0)
            with socket.create_connection(("127.0.0.1", port), 120) as one:
                one.sendall(b"nonsense\r\n\r\n")
                assert b" 400 " in one.recv(1000)
            assert len(lines) == connections.LINES + 1, "a minute later there are more"
        finally:
            logging.getLogger("uvicorn.error").removeHandler(handler)


@pytest.mark.slow
def test_more_silent_connections_than_descriptors_leave_the_home_page_and_the_log_alone(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        server = Server(tmp_path / "games.sqlite", "--workers", "0", descriptors=400, log=log)
        try:
            with contextlib.ExitStack() as stack:
                for _ in range(3):
                    for k in range(500):
                        with contextlib.suppress(OSError):
                            held = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 120))
                            held.sendall(HALF[k % 3].replace(b"POST /", b"POST /api/position"))
                    assert httpx.get(server.url + "/", timeout=60).status_code == 200
        finally:
            server.kill()
    assert (tmp_path / "log").stat().st_size < 10_000
