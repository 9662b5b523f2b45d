"""Records of games in one SQLite file: write-ahead log, append-only, safe to kill at any moment.

A game is a row of `games` (rules, options, where it starts, who sits where) and what was added to it since: moves, secret
decisions, notes, a result. Nothing is ever changed or deleted, and triggers see to it. An engine's game is written in one
transaction when it ends (`Store.record`); a person's game is begun with `begin`, and every move is committed by `append`
before it counts, so that a killed server loses nothing.

    with Store("games.sqlite") as store:
        game = store.begin("tictactoe", {"rows": 3}, ["you", "strong"], meta={"token": "..."})
        store.append(game, "b2", ply=0, seat=0, seconds=3.2)
        store.game(game).moves[0].text      # 'b2'

Every writer says at which ply it writes. If the game has moved on in the meantime, `Conflict` is raised and nothing is
written: a move sent twice is played once.

A move's row says "at this ply, this text"; a row without text says "nothing from this ply on", which is a take-back. A
result counts while no row follows it. At TOGETHER a seat's decision waits in `decisions` until the joint move is appended.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from stratagem.errors import StratagemError, UnknownName

APPLICATION = 0x53545247  # "STRG", in the header of the file
VERSION = 1

# Why a game ended. Those of FAULTS name the seat at fault in `Result.seat`.
OVER, TURN_LIMIT, ADJUDICATED, RESIGNED, ABANDONED = "over", "turn limit", "adjudicated", "resigned", "abandoned"
ILLEGAL, CRASH, TIME = "illegal move", "crash", "time"
FAULTS = (ILLEGAL, CRASH, TIME)
REASONS = (OVER, TURN_LIMIT, ADJUDICATED, RESIGNED, ABANDONED, *FAULTS)

SCHEMA = """
CREATE TABLE matches(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, config TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE games(
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, match INTEGER REFERENCES matches(id), number INTEGER,
    game TEXT NOT NULL, options TEXT NOT NULL, origin TEXT, seats TEXT NOT NULL, seed INTEGER NOT NULL,
    meta TEXT, at REAL NOT NULL, UNIQUE(match, number));
CREATE TABLE moves(
    game INTEGER NOT NULL REFERENCES games(id), n INTEGER NOT NULL, ply INTEGER NOT NULL, seat INTEGER, text TEXT,
    seconds REAL, note TEXT, at REAL NOT NULL, PRIMARY KEY(game, n)) WITHOUT ROWID;
CREATE TABLE decisions(
    game INTEGER NOT NULL REFERENCES games(id), n INTEGER NOT NULL, seat INTEGER NOT NULL, text TEXT NOT NULL,
    seconds REAL, at REAL NOT NULL, PRIMARY KEY(game, n, seat)) WITHOUT ROWID;
CREATE TABLE results(
    game INTEGER NOT NULL REFERENCES games(id), n INTEGER NOT NULL, payoff TEXT NOT NULL, reason TEXT NOT NULL,
    seat INTEGER, detail TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY(game, n)) WITHOUT ROWID;
CREATE TABLE notes(
    id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES games(id), data TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX notes_of_game ON notes(game);
"""
TABLES = ("matches", "games", "moves", "decisions", "results", "notes")


class StoreError(StratagemError):
    """The file cannot be read or written, or holds something else."""


class Conflict(StoreError):
    """The game has moved on since the caller looked; nothing was written."""


@dataclass(frozen=True)
class Move:
    """One text of the record: a move, a chance outcome or a joint move."""

    text: str
    seat: int | None = None  # None: chance, or all at once
    seconds: float | None = None  # thought about it
    note: Mapping[str, Any] | None = None  # such as the engine's value
    at: float = 0.0  # wall-clock time, seconds since 1970


@dataclass(frozen=True)
class Decision:
    """A seat's own part of a joint move."""

    seat: int
    text: str
    seconds: float | None = None
    at: float = 0.0


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    payoff: tuple[float, ...]
    reason: str = OVER  # one of REASONS
    seat: int | None = None  # the seat at fault, where there is one
    detail: str = ""  # in words
    at: float = 0.0


@dataclass(frozen=True)
class StoredGame:
    """A game as it stands."""

    id: int
    key: str | None  # unguessable name, for games on the web
    game: str  # name of the game, as `stratagem.game` takes it
    options: dict[str, Any]
    seats: list[str]  # who plays each seat
    origin: str | None = None  # text of the first position; None: the game's start
    seed: int = 0
    match: int | None = None
    number: int | None = None  # of the game in its match's schedule
    meta: dict[str, Any] = field(default_factory=dict)  # opaque to the store; later notes win
    moves: tuple[Move, ...] = ()  # as they stand, after take-backs
    pending: tuple[Decision, ...] = ()  # decided in secret, waiting for the others
    result: Result | None = None
    at: float = 0.0

    @property
    def texts(self) -> list[str]:
        return [move.text for move in self.moves]


@dataclass(frozen=True)
class Match:
    """A configuration under a name; its games are numbered."""

    id: int
    name: str
    config: dict[str, Any]
    at: float


@dataclass(frozen=True)
class Played:
    """A finished engine game, to be recorded whole."""

    number: int | None
    game: str
    options: Mapping[str, Any]
    seats: Sequence[str]
    moves: Sequence[Move]
    result: Result
    decisions: Sequence[tuple[int, Decision]] = ()  # (ply, decision) of the joint moves
    origin: str | None = None
    seed: int = 0
    meta: Mapping[str, Any] | None = None
    at: float = 0.0  # when it began


def default_path() -> Path:
    """Where records go if nothing else is said: STRATAGEM_STORE, or the user's data folder."""
    named = os.environ.get("STRATAGEM_STORE")
    return Path(named) if named else Path(platformdirs.user_data_dir("stratagem")) / "games.sqlite"


class Store:
    """One open file of records. Threads may share a store; processes open their own."""

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
        _check_header(self.path)
        with self._clear_errors():
            self._db = sqlite3.connect(self.path, timeout=wait, isolation_level=None, check_same_thread=False)
            try:
                self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._db.execute("PRAGMA foreign_keys = ON")
                self._db.execute("SELECT count(*) FROM matches").fetchone()
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- one person's game, move by move

    def begin(
        self,
        game: str,
        options: Mapping[str, Any],
        seats: Sequence[str],
        *,
        origin: str | None = None,  # the text of a position; the start if left out
        seed: int = 0,
        key: str | None = None,  # a fresh unguessable one if left out
        meta: Mapping[str, Any] | None = None,
    ) -> int:
        """A new game in progress; its number in the file."""
        begun = Played(None, game, options, seats, (), Result(()), origin=origin, seed=seed, meta=meta, at=time.time())
        with self._write() as db:
            made = self._insert_game(db, None, begun, key or secrets.token_urlsafe(16))
        return made

    def append(
        self,
        game: int,
        text: str,
        *,
        ply: int,
        seat: int | None = None,
        seconds: float | None = None,
        note: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a move, a chance outcome or a joint move; `ply` is how many texts the record has before it."""
        self._add_row(game, ply, text, seat, seconds, note)

    def take_back(self, game: int, *, ply: int, to: int) -> None:
        """Take back the moves from ply `to` on; `ply` is how many texts the record has."""
        if not 0 <= to < ply:
            raise StoreError(f"game {game} has {ply} moves: take back to 0 .. {ply - 1}, not to {to}")
        self._add_row(game, ply, None, None, None, None, at_ply=to)

    def decide(
        self, game: int, seat: int, text: str, *, ply: int, seconds: float | None = None
    ) -> tuple[Decision, ...]:
        """Keep a seat's secret decision of the coming joint move; all decisions that wait, this one included."""
        with self._write() as db:
            n = self._expect(db, game, ply)
            if db.execute("SELECT 1 FROM decisions WHERE game=? AND n=? AND seat=?", (game, n, seat)).fetchone():
                raise Conflict(f"seat {seat} of game {game} has decided already")
            db.execute("INSERT INTO decisions VALUES(?,?,?,?,?,?)", (game, n, seat, text, seconds, time.time()))
            return self._pending(db, game, n)

    def finish(
        self,
        game: int,
        payoff: Sequence[float],
        reason: str = OVER,
        *,
        ply: int,
        seat: int | None = None,
        detail: str = "",
    ) -> None:
        """Write the result; a later take-back makes the game go on."""
        with self._write() as db:
            n = self._expect(db, game, ply)
            self._insert_result(db, game, n, Result(tuple(payoff), reason, seat, detail, time.time()))

    def annotate(self, game: int, **data: Any) -> None:
        """Add to a game's metadata; the newest value of a name counts."""
        with self._write() as db:
            self._log(db, game)
            db.execute("INSERT INTO notes(game, data, at) VALUES(?,?,?)", (game, _dump(data), time.time()))

    # -- engines' games, whole

    def record(self, match: int | None, games: Sequence[Played]) -> list[int]:
        """Write finished games in one transaction; their ids. A number that the match has already is refused."""
        made = []
        with self._write() as db:
            for played in games:
                game = self._insert_game(db, match, played, None)
                at = played.at
                rows = []
                for n, move in enumerate(played.moves):
                    at += move.seconds or 0.0
                    note = None if move.note is None else _dump(move.note)
                    rows.append((game, n, n, move.seat, move.text, move.seconds, note, at))
                db.executemany("INSERT INTO moves VALUES(?,?,?,?,?,?,?,?)", rows)
                db.executemany(
                    "INSERT INTO decisions VALUES(?,?,?,?,?,?)",
                    [(game, ply, d.seat, d.text, d.seconds, rows[ply][7]) for ply, d in played.decisions],
                )
                self._insert_result(db, game, len(rows), played.result)
                made.append(game)
        return made

    def open_match(self, name: str, config: Mapping[str, Any]) -> Match:
        """A new match under a name that no other has."""
        with self._write() as db:
            if db.execute("SELECT 1 FROM matches WHERE name=?", (name,)).fetchone():
                raise Conflict(f"there is a match {name!r} in {self.path} already")
            db.execute("INSERT INTO matches(name, config, at) VALUES(?,?,?)", (name, _dump(config), time.time()))
        return self.match(name)

    def match(self, name: str) -> Match:
        """A match by name."""
        found = [match for match in self.matches() if match.name == name]
        if not found:
            names = [match.name for match in self.matches()]
            raise UnknownName("match", name, names) if names else StoreError(f"{self.path} holds no matches")
        return found[0]

    def matches(self) -> list[Match]:
        with self._read() as db:
            rows = db.execute("SELECT id, name, config, at FROM matches ORDER BY id").fetchall()
        return [Match(id, name, json.loads(config), at) for id, name, config, at in rows]

    def numbers(self, match: int) -> set[int]:
        """The numbers of a match's games that are recorded."""
        with self._read() as db:
            return {row[0] for row in db.execute("SELECT number FROM games WHERE match=?", (match,))}

    def results(self, match: int) -> list[tuple[int, list[str], Result]]:
        """(number, seats, result) of a match's games in the order of its schedule."""
        with self._read() as db:
            rows = db.execute(
                "SELECT g.number, g.seats, r.payoff, r.reason, r.seat, r.detail, r.at FROM games g "
                "JOIN results r ON r.game = g.id WHERE g.match=? ORDER BY g.number",
                (match,),
            ).fetchall()
        return [(number, json.loads(seats), _result(rest)) for number, seats, *rest in rows]

    def distinct(self, match: int) -> int:
        """How many of a match's games differ in their seats or moves."""
        with self._read() as db:
            return int(
                db.execute(
                    "SELECT count(DISTINCT coalesce(seats || (SELECT group_concat(text, ' ; ') FROM moves WHERE game=id), id)) "
                    "FROM games WHERE match=?",
                    (match,),
                ).fetchone()[0]
            )

    # -- reading

    def find(self, key: str) -> int:
        """The id of a game by its key."""
        with self._read() as db:
            row = db.execute("SELECT id FROM games WHERE key=?", (key,)).fetchone()
        if row is None:
            raise StoreError(f"there is no game {key!r} here")
        return int(row[0])

    def game(self, game: int) -> StoredGame:
        """A game as it stands now."""
        with self._read() as db:
            row = db.execute(_GAME + " WHERE id=?", (game,)).fetchone()
            if row is None:
                raise StoreError(f"there is no game {game} in {self.path}")
            return self._stored(db, row)

    def games(
        self, match: int | None = None, *, open_only: bool = False, newest: int | None = None
    ) -> Iterator[StoredGame]:
        """Games in the order they were begun, or the newest ones first; of one match, or all."""
        where, given = ("match=?", [match]) if match is not None else ("1", [])
        if open_only:
            length = "(SELECT count(*) FROM moves m WHERE m.game=games.id)"
            where += f" AND NOT EXISTS(SELECT 1 FROM results r WHERE r.game=games.id AND r.n={length})"
        order = "id" if newest is None else "id DESC"
        limit = "" if newest is None else f" LIMIT {int(newest)}"
        with self._read() as db:
            ids = [row[0] for row in db.execute(f"SELECT id FROM games WHERE {where} ORDER BY {order}{limit}", given)]
        for at in ids:  # one short transaction a game: a long export holds nobody up
            yield self.game(at)

    def decisions(self, game: int) -> list[tuple[int, Decision]]:
        """(ply, decision) of every joint move of a game that stands, and of the one that waits."""
        with self._read() as db:
            rows = db.execute("SELECT n, ply, text FROM moves WHERE game=? ORDER BY n", (game,)).fetchall()
            standing = _standing(rows)
            ply_of = {row[0]: ply for ply, row in enumerate(standing)}
            ply_of[len(rows)] = len(standing)
            found = db.execute(
                "SELECT n, seat, text, seconds, at FROM decisions WHERE game=? ORDER BY n, seat", (game,)
            )
            return [(ply_of[n], Decision(*rest)) for n, *rest in found if n in ply_of]

    def check(self) -> None:
        """Read the whole file for damage; raises StoreError with the first thing found."""
        with self._read() as db:
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreError(f"{self.path} is damaged ({found}); nothing was changed: restore it from a copy")

    # -- within a transaction

    def _expect(self, db: sqlite3.Connection, game: int, ply: int) -> int:
        """The rows of a game's log, if its record is `ply` long and not finished."""
        rows, standing = self._log(db, game)
        if standing != ply:
            raise Conflict(f"game {game} is at ply {standing}, not {ply}: it has moved on")
        if db.execute("SELECT 1 FROM results WHERE game=? AND n=?", (game, rows)).fetchone():
            raise Conflict(f"game {game} is over")
        return rows

    def _log(self, db: sqlite3.Connection, game: int) -> tuple[int, int]:
        """How many rows a game's log has, and how long the record is after take-backs (its last row tells)."""
        row = db.execute("SELECT n, ply, text FROM moves WHERE game=? ORDER BY n DESC LIMIT 1", (game,)).fetchone()
        if row is None:
            if not db.execute("SELECT 1 FROM games WHERE id=?", (game,)).fetchone():
                raise StoreError(f"there is no game {game} in {self.path}")
            return 0, 0
        n, ply, text = row
        return n + 1, ply + (text is not None)

    def _add_row(
        self,
        game: int,
        ply: int,
        text: str | None,
        seat: int | None,
        seconds: float | None,
        note: Mapping[str, Any] | None,
        at_ply: int | None = None,
    ) -> None:
        with self._write() as db:
            if text is None:  # a take-back is allowed after the end
                n, standing = self._log(db, game)
                if standing != ply:
                    raise Conflict(f"game {game} is at ply {standing}, not {ply}: it has moved on")
            else:
                n = self._expect(db, game, ply)
            row = (
                game,
                n,
                ply if at_ply is None else at_ply,
                seat,
                text,
                seconds,
                None if note is None else _dump(note),
            )
            db.execute("INSERT INTO moves VALUES(?,?,?,?,?,?,?,?)", (*row, time.time()))

    def _insert_game(self, db: sqlite3.Connection, match: int | None, played: Played, key: str | None) -> int:
        try:
            row = {
                "key": key,
                "match": match,
                "number": played.number,
                "game": played.game,
                "options": _dump(played.options),
                "origin": played.origin,
                "seats": _dump(list(played.seats)),
                "seed": played.seed,
                "meta": None if played.meta is None else _dump(played.meta),
                "at": played.at,
            }
            named = ", ".join(f":{name}" for name in row)
            made = db.execute(f"INSERT INTO games({', '.join(row)}) VALUES({named})", row)
        except sqlite3.IntegrityError as error:
            raise Conflict(f"game {played.number if key is None else key!r} is recorded already ({error})") from None
        assert made.lastrowid is not None
        return made.lastrowid

    def _insert_result(self, db: sqlite3.Connection, game: int, n: int, result: Result) -> None:
        if result.reason not in REASONS:
            raise StoreError(f"{result.reason!r} is no reason for a game to end; there are {', '.join(REASONS)}")
        row = (game, n, _dump(list(result.payoff)), result.reason, result.seat, result.detail, result.at or time.time())
        db.execute("INSERT INTO results VALUES(?,?,?,?,?,?,?)", row)

    def _pending(self, db: sqlite3.Connection, game: int, n: int) -> tuple[Decision, ...]:
        found = db.execute(
            "SELECT seat, text, seconds, at FROM decisions WHERE game=? AND n=? ORDER BY seat", (game, n)
        )
        return tuple(Decision(*row) for row in found)

    def _stored(self, db: sqlite3.Connection, row: Sequence[Any]) -> StoredGame:
        game, key, match, number, name, options, origin, seats, seed, meta, at = row
        log = db.execute(
            "SELECT n, ply, text, seat, seconds, note, at FROM moves WHERE game=? ORDER BY n", (game,)
        ).fetchall()
        merged = json.loads(meta) if meta else {}
        for (data,) in db.execute("SELECT data FROM notes WHERE game=? ORDER BY id", (game,)):
            merged.update(json.loads(data))
        ended = db.execute(
            "SELECT payoff, reason, seat, detail, at FROM results WHERE game=? AND n=?", (game, len(log))
        ).fetchone()
        return StoredGame(
            id=game,
            key=key,
            game=name,
            options=json.loads(options),
            seats=json.loads(seats),
            origin=origin,
            seed=seed,
            match=match,
            number=number,
            meta=merged,
            at=at,
            moves=tuple(
                Move(text, seat, seconds, json.loads(note) if note else None, when)
                for _, _, text, seat, seconds, note, when in _standing(log)
            ),
            pending=self._pending(db, game, len(log)),
            result=_result(ended) if ended else None,
        )

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
            raise StoreError(_explain(self.path, error)) from error


_GAME = "SELECT id, key, match, number, game, options, origin, seats, seed, meta, at FROM games"


def _standing(log: Sequence[Any]) -> list[Any]:
    """The rows (n, ply, text, ...) that stand after take-backs."""
    line: list[Any] = []
    for row in log:
        del line[row[1] :]
        if row[2] is not None:
            line.append(row)
    return line


def _result(row: Sequence[Any]) -> Result:
    payoff, *rest = row
    return Result(tuple(json.loads(payoff)), *rest)


def _dump(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


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
            db.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA}")
            for table in TABLES:
                for change in ("UPDATE", "DELETE"):
                    db.execute(
                        f"CREATE TRIGGER no_{change.lower()}_of_{table} BEFORE {change} ON {table} "
                        f"BEGIN SELECT RAISE(ABORT, 'records are append-only'); END"
                    )
            db.execute("PRAGMA journal_mode = WAL")
        finally:
            db.close()
        with contextlib.suppress(FileExistsError):  # another process was quicker: use its file
            os.link(temporary, path)
    except sqlite3.Error as error:
        raise StoreError(_explain(path, error)) from error
    finally:
        for leftover in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary + leftover)


def _check_header(path: Path) -> None:
    """Refuse what is not ours before anything is written.

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
        raise StoreError(_explain(path, error)) from error
    if application != APPLICATION:
        raise StoreError(f"{path} is no store of games, but a file of another program; nothing was changed")
    if version != VERSION:
        raise StoreError(f"{path} has records in format {version}; this version of stratagem reads format {VERSION}")


def _explain(path: Path, error: sqlite3.Error) -> str:
    text = str(error)
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"{path} is locked by another process; nothing was written: try again when it has ended"
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return f"{path} is damaged ({text}); nothing was written: restore it from a copy"
    if code.startswith("SQLITE_FULL"):
        return f"{path} cannot grow: the disk is full; what was recorded before is safe"
    if code.startswith("SQLITE_IOERR"):
        return f"{path} cannot be read or written ({text}: is the disk full?); what was recorded before is safe"
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"{path} cannot be opened for writing ({text})"
    return f"{path}: {text}"
