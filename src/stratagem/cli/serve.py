"""`stratagem serve`: play and analyse in the browser."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from stratagem import __version__
from stratagem.compile import cache_folder
from stratagem.errors import OptionError, StratagemError


def serve(
    games: Annotated[list[str] | None, typer.Argument(help="games of your own to offer too: my_game.py")] = None,
    host: Annotated[str, typer.Option(help="the address to listen on; 0.0.0.0 lets others in")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="the port; 0: any free one", min=0, max=65535)] = 8700,
    store: Annotated[Path | None, typer.Option(help="the file of games; the arena's own if nothing is said")] = None,
    workers: Annotated[int | None, typer.Option(help="engines that think at once", min=1, max=256)] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="a host name to answer to besides this machine's; *: any")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="open the browser")] = True,
    warm: Annotated[bool, typer.Option("--warm/--no-warm", help="compile the games' levels meanwhile, once")] = True,
) -> None:
    """Serve the games on this machine: play engines or people, watch, analyse."""
    import uvicorn

    from stratagem.store.sqlite import Store
    from stratagem.web.app import create_app

    names = [*(name or []), *([host] if host not in ("0.0.0.0", "::") else [])]
    if host in ("0.0.0.0", "::") and not name:
        names.append(socket.gethostname())
    with listening(host, port) as listener:
        shown = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)
        url = f"http://{shown}:{listener.getsockname()[1]}/"
        with Store(store) as records:
            app = create_app(
                records, workers=workers or max(1, (os.cpu_count() or 2) - 1), files=games or [], names=names
            )
            config = uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=2,
                timeout_keep_alive=30,
                limit_concurrency=2000,
                server_header=False,
                h11_max_incomplete_event_size=32 * 1024,
            )
            print(f"Stratagem is at {url} (games are kept in {records.path}); Ctrl-C ends it", flush=True)
            if open_browser:
                threading.Timer(0.5, webbrowser.open, (url,)).start()
            # a watcher's stream that is cut off when the server ends is no fault to be told with a traceback
            logging.getLogger("uvicorn.error").addFilter(_is_a_fault)
            with warming(warm):
                uvicorn.Server(config).run(sockets=[listener])


def _is_a_fault(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


@contextmanager
def warming(wanted: bool) -> Iterator[None]:
    """Meanwhile compile what the front page offers, in a process that gives way to everything else; once, and never again."""
    mark = cache_folder() / f"levels-{__version__}.warm"
    if not wanted or mark.exists():
        yield
        return
    command = [sys.executable, "-c", WARM, str(mark)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)  # those that it began too
        process.wait()


# The mark is set when nothing is left; a warm-up that is ended early goes on the next time. It ends with the server, also where
# that is killed, and takes those that it began with it.
WARM = """
import os, pathlib, signal, sys, threading, time
def watch(parent):
    while os.getppid() == parent:
        time.sleep(1.0)
    os.killpg(0, signal.SIGTERM)
threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
os.nice(15)
from stratagem.cli import main
try:
    main(["warmup", "--levels", "--jobs", "1"])
except SystemExit as end:
    if not end.code:
        pathlib.Path(sys.argv[1]).touch()
"""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens, or a line that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named, for asyncio sends small packets at once only where it is: else each answer waits 40 ms
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if isinstance(error, socket.gaierror):
            raise OptionError(f"{host!r} is no address of this machine") from None
        raise StratagemError(
            f"port {port} of {host} cannot be used ({error.strerror}); choose another with --port, or 0 for any"
        ) from None
    return listener
