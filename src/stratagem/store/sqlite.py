"""Records of games in one SQLite file: write-ahead log, append-only, safe to kill at any moment.

`store.records` says what a store is and does; this is the embedded one, for one machine: any number of processes may read
and write the file, one at a time, and one process serves the web from it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from stratagem.store.records import Records
from stratagem.store.schema import NOW, TABLES, VERSIONS, Version
from stratagem.store.stored import (
    ABANDONED,
    ADJUDICATED,
    CRASH,
    FAULTS,
    ILLEGAL,
    OVER,
    REASONS,
    RESIGNED,
    TIME,
    TURN_LIMIT,
    Conflict,
    Decision,
    DiskFull,
    Match,
    Move,
    Played,
    Result,
    StoredGame,
    StoreError,
)

__all__ = [
    "ABANDONED",
    "ADJUDICATED",
    "CRASH",
    "FAULTS",
    "ILLEGAL",
    "OVER",
    "REASONS",
    "RESIGNED",
    "TIME",
    "TURN_LIMIT",
    "Conflict",
    "Decision",
    "Match",
    "Move",
    "Played",
    "Result",
    "Store",
    "StoreError",
    "StoredGame",
    "default_path",
]

APPLICATION = 0x53545247  # "STRG", in the header of the file
TYPES = {"id": "INTEGER PRIMARY KEY", "int": "INTEGER", "real": "REAL", "keyed": " WITHOUT ROWID"}


def default_path() -> Path:
    """Where records go if nothing else is said: STRATAGEM_STORE, or the user's data folder."""
    named = os.environ.get("STRATAGEM_STORE")
    return Path(named) if named else Path(platformdirs.user_data_dir("stratagem")) / "games.sqlite"


class Store(Records):
    """One open file of records. Threads may share a store; processes open their own."""

    joined = "group_concat(text, ' ; ')"

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        create: bool = True,  # make the file if there is none
        durable: bool = False,  # survive a power cut after each commit, not only a killed process; slower
        wait: float = 5.0,  # seconds to wait for another process's write to end
    ) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._lock = threading.RLock()
        if create and not self.path.exists():
            _make(self.path)
        version = _check_header(self.path)
        with self._clear_errors():
            self._db = sqlite3.connect(self.path, timeout=wait, isolation_level=None, check_same_thread=False)
            try:
                self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._db.execute("PRAGMA foreign_keys = ON")
                if version < NOW:
                    self._migrate()
                self._db.execute("SELECT count(*) FROM matches").fetchone()
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @property
    def address(self) -> str:
        return str(self.path)

    @contextlib.contextmanager
    def sole(self, name: str, refusal: str) -> Iterator[None]:
        path = f"{self.path}.{name}.lock"
        with open(path, "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                ours = os.path.exists(path) and os.path.samestat(os.fstat(file.fileno()), os.stat(path))
            except BlockingIOError:
                ours = False
            if not ours:  # held by another, or removed by one that has just ended
                raise StoreError(refusal)
            try:
                yield
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)

    def check(self) -> None:
        """Read the whole file for damage; raises StoreError with the first thing found."""
        with self._read() as db:
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreError(f"{self.path} is damaged ({found}); nothing was changed: restore it from a copy")

    def _migrate(self) -> None:
        """Bring a file of an older version to the present one, whole or not at all."""
        with self._write() as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()  # another process may have been quicker
            for added in VERSIONS[version:]:
                for statement in _statements(added):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {NOW}")

    # -- games that are kept for a while only

    def least_used(self, options: Mapping[str, Any]) -> list[tuple[int, str]]:
        """The ids and keys of the games that began with these options: those first in which nobody has done anything, then
        those in which nothing has happened for longest."""
        moves, claims = (f"(SELECT count(*) FROM {table} WHERE game=games.id)" for table in ("moves", "claims"))
        with self._read() as db:
            return db.execute(
                f"SELECT id, key FROM games WHERE key IS NOT NULL AND options=? ORDER BY {moves} + {claims} > 1, "
                "(SELECT max(at) FROM moves WHERE game=games.id), id",
                (json.dumps(dict(options), separators=(",", ":")),),
            ).fetchall()

    def forget(self, games: Sequence[int]) -> None:
        """Delete whole games, the one exception to records that only grow; the file uses their room again."""
        held = [table for table in TABLES if table not in ("matches", "games")]
        with self._write() as db:
            for table in (*held, "games"):
                db.execute(f"DROP TRIGGER no_delete_of_{table}")
                column = "id" if table == "games" else "game"
                db.executemany(f"DELETE FROM {table} WHERE {column}=?", [(game,) for game in games])
                db.execute(_refusing("DELETE", table))

    # -- transactions

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        yield from self._transaction("BEGIN IMMEDIATE")

    @contextlib.contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        yield from self._transaction("BEGIN")

    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._clear_errors():
            if self._db.in_transaction:  # a read within a read
                yield self._db
                return
            self._db.execute(begin)
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error


def _make(path: Path) -> None:
    """A new file appears whole or not at all, so that a kill here leaves nothing half made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}") from None
    os.close(handle)
    try:
        db = sqlite3.connect(temporary, isolation_level=None)
        try:
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute("BEGIN")  # one write to the disk, not one a statement
            db.execute(f"PRAGMA user_version = {NOW}")
            for version in VERSIONS:
                for statement in _statements(version):
                    db.execute(statement)
            db.execute("COMMIT")
            db.execute("PRAGMA journal_mode = WAL")
        finally:
            db.close()
        with contextlib.suppress(FileExistsError):  # another process was quicker: use its file
            os.link(temporary, path)
    except sqlite3.Error as error:
        raise _explained(path, error) from error
    finally:
        for leftover in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary + leftover)


def _statements(version: Version) -> Iterator[str]:
    """What a version adds to a file, one statement after another."""
    yield from filter(str.strip, version.text.format(**TYPES).split(";"))
    for table in version.tables:
        for change in ("UPDATE", "DELETE"):
            yield _refusing(change, table)


def _refusing(change: str, table: str) -> str:
    """The trigger that keeps a table from a change."""
    return (
        f"CREATE TRIGGER no_{change.lower()}_of_{table} BEFORE {change} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'records are append-only'); END"
    )


def _check_header(path: Path) -> int:
    """The version of a file; refuse what is not ours before anything is written.

    SQLite itself must read the header: opening and closing the file beside it would drop the locks that another
    connection of this process holds on it.
    """
    if not path.is_file():
        raise StoreError(f"there is no store of games at {path}")
    try:
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            application, version = (
                db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
        finally:
            db.close()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise StoreError(
                f"{path} is no store of games (not an SQLite file, or damaged); nothing was changed"
            ) from None
        raise _explained(path, error) from error
    if application != APPLICATION:
        raise StoreError(f"{path} is no store of games, but a file of another program; nothing was changed")
    if not 1 <= version <= NOW:
        raise StoreError(
            f"{path} has records in format {version}; this version of stratagem reads formats up to {NOW}: install a newer one"
        )
    return int(version)


def _explained(path: Path, error: sqlite3.Error) -> StoreError:
    text = str(error)
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_FULL"):
        return DiskFull(f"{path} cannot grow: the disk is full; what was recorded before is safe")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        line = f"{path} is locked by another process; nothing was written: try again when it has ended"
    elif code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        line = f"{path} is damaged ({text}); nothing was written: restore it from a copy"
    elif code.startswith("SQLITE_IOERR"):
        line = f"{path} cannot be read or written ({text}: is the disk full?); what was recorded before is safe"
    elif code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        line = f"{path} cannot be opened for writing ({text})"
    else:
        line = f"{path}: {text}"
    return StoreError(line)
