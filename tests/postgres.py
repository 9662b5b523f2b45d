"""A PostgreSQL server of the tests' own: in a temporary folder, run by a user without rights, gone at the end."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PASSWORD = "not a secret"
_names = itertools.count(1)


def binaries() -> Path | None:
    """Where Debian puts the newest server, or the one on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def missing() -> str | None:
    """Why there can be no server here, in a line; None if there can."""
    if binaries() is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed (pip install 'stratagem[postgres]')"
    return None


class Server:
    """One cluster; `start`, `kill` and `start` again keep what it was given."""

    def __init__(self) -> None:
        found = binaries()
        assert found is not None
        self.bin = found
        self.folder = Path(tempfile.mkdtemp(prefix="stratagem-pg-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.user: str | None = None
        if os.getuid() == 0:  # the server refuses to run as root
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(self.folder, self.user)
        password = self.folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        self._run(
            [
                str(self.bin / "initdb"),
                "-D",
                str(self.folder / "data"),
                "-U",
                "owner",
                "--pwfile",
                str(password),
                "--auth-local=trust",
                "--auth-host=scram-sha-256",
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
            ]
        )
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def _as_user(self) -> dict[str, object]:
        if self.user is None:
            return {}
        entry = pwd.getpwnam(self.user)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": str(self.folder)}

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, **self._as_user())  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        log = open(self.folder / "log", "ab")  # noqa: SIM115
        self.process = subprocess.Popen(
            [
                str(self.bin / "postgres"),
                "-D",
                str(self.folder / "data"),
                "-p",
                str(self.port),
                "-k",
                str(self.folder),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "shared_buffers=16MB",
                "-c",
                "max_connections=100",
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **self._as_user(),  # type: ignore[call-overload]
        )
        until = time.monotonic() + 60
        while subprocess.run(
            [str(self.bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]
        ).returncode:
            assert self.process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """kill -9 of the server and of all its processes."""
        assert self.process is not None
        listed = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout
        for pid in (self.process.pid, *map(int, listed.split())):  # each child has a session of its own
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(30)
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def address(self, schema: str | None = None, password: str | None = PASSWORD) -> str:
        """An address of a store of its own: a fresh schema, over TCP with a password."""
        from urllib.parse import quote

        secret = f":{quote(password)}" if password is not None else ""
        return f"postgresql://owner{secret}@127.0.0.1:{self.port}/postgres?schema={schema or f'test_{next(_names)}'}"

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
