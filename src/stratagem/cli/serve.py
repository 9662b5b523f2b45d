"""`stratagem serve`: play and analyse in the browser."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem import __version__
from stratagem.compile import Compilers, cache_folder
from stratagem.errors import OptionError, StratagemError
from stratagem.readiness import use_levels
from stratagem.registry import game_names

if TYPE_CHECKING:
    from stratagem.store import Records

PORT = 8700  # where a browser finds the server by default
NEXT_PORTS = 20  # that are tried where that one is taken


def serve(
    games: Annotated[list[str] | None, typer.Argument(help="games of your own to offer too: my_game.py")] = None,
    host: Annotated[str, typer.Option(help="the address to listen on; 0.0.0.0 lets others in")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(help="the port, 0: any free one; 8700 or the next free one if left out", min=0, max=65535),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="the games: a file, or postgresql://USER@HOST/DATABASE; the arena's own if nothing is said"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="engines that think at once; 0: none in this process", min=0, max=256)
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="a host name to answer to besides this machine's; *: any")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="the address of a reverse proxy, whose X-Forwarded-For names the visitors; nobody else's is believed"
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="open the browser")] = True,
    warm: Annotated[bool, typer.Option("--warm/--no-warm", help="compile the games' levels meanwhile, once")] = True,
) -> None:
    """Serve the games on this machine: play engines or people, watch, analyse."""
    import uvicorn

    from stratagem.store import open_store
    from stratagem.web.app import create_app
    from stratagem.web.connections import settings

    names = [*(name or []), *([host] if host not in ("0.0.0.0", "::") else [])]
    if host in ("0.0.0.0", "::") and not name:
        names.append(socket.gethostname())
    with listening(host, port, PORT) as listener:
        shown = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)
        url = f"http://{shown}:{listener.getsockname()[1]}/"
        with open_store(store) as records, only_server(records):
            app = create_app(records, workers=count_of(workers), files=games or [], names=names, prepare=warm)
            config = settings(app, tuple(proxy or ()))
            print(f"Stratagem is at {url} (games are kept in {records.address}); Ctrl-C ends it", flush=True)
            if open_browser:
                threading.Timer(0.5, webbrowser.open, (url,)).start()
            # a watcher's stream that is cut off when the server ends is no fault to be reported with a traceback
            logging.getLogger("uvicorn.error").addFilter(_is_a_fault)
            with preparing(warm):
                uvicorn.Server(config).run(sockets=[listener])


def _is_a_fault(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


@contextmanager
def preparing(wanted: bool) -> Iterator[None]:
    """Meanwhile have ready what the front page offers, in a process that gives way to everything else; once."""
    compilers = Compilers(niceness=15)
    if wanted:
        compilers.order(
            {name: partial(use_levels, name) for name in game_names()},
            urgent=False,
            mark=cache_folder() / f"levels-{__version__}.warm",
        )
    try:
        yield
    finally:
        compilers.close()


def engines(
    store: Annotated[str, typer.Option(help="the games: postgresql://USER@HOST/DATABASE")],
    games: Annotated[list[str] | None, typer.Argument(help="games of your own to know too: my_game.py")] = None,
    workers: Annotated[int | None, typer.Option(help="engines that think at once", min=1, max=256)] = None,
) -> None:
    """Let engines of this machine play at the tables that other processes serve from the same store."""
    from stratagem.store import open_store
    from stratagem.web.catalogue import Catalogue
    from stratagem.web.engines import Engines
    from stratagem.web.opening import open_tables

    with open_store(store, create=False) as records:
        if not records.shared:
            raise OptionError(
                f"{records.address} is a file, which one process serves, engines and all; give postgresql://.."
            )
        count = count_of(workers)
        _, close = open_tables(records, Engines(count, files=games or []), Catalogue(games or []), workers=count)
        print(f"{count} engines play at the tables of {records.address}; Ctrl-C ends it", flush=True)
        ended = threading.Event()
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, lambda *_: ended.set())
        ended.wait()
        close()


def count_of(workers: int | None) -> int:
    """As many engines as were asked for, or a core each but one."""
    return max(1, (os.cpu_count() or 2) - 1) if workers is None else workers


def only_server(records: Records) -> AbstractContextManager[None]:
    """Where a store is for one process, nobody else serves from it meanwhile."""
    if records.shared:
        return nullcontext()
    return records.sole(
        "web",
        f"{records.address} is served by another process; several need a store in PostgreSQL (docs/deploy.md), or --store FILE",
    )


def listening(host: str, port: int | None, usual: int) -> socket.socket:
    """A socket that listens at a port, or at the first free one from the usual one on; or a line that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = range(usual, usual + NEXT_PORTS) if port is None else (port,)
    for number in wanted:
        # the protocol is named, for asyncio sends small packets at once only where it is: else each answer waits 40 ms
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen()  # from now on the port is taken, and a browser that asks is answered soon
            return listener
        except OSError as error:
            listener.close()
            if isinstance(error, socket.gaierror):
                raise OptionError(f"{host!r} is no address of this machine") from None
            if error.errno != errno.EADDRINUSE or number == wanted[-1]:
                one, some = f"port {port} of {host} cannot", f"no port from {usual} to {number} of {host} can"
                raise StratagemError(
                    f"{some if port is None else one} be used ({error.strerror}); choose another with --port, or 0 for any"
                ) from None
    raise AssertionError("a range of ports is never empty")
