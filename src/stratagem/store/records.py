"""Records of games in a database, append-only: what SQLite and PostgreSQL have in common, which is nearly everything.

A game is a row of `games` (rules, options, where it starts, who sits where) and what was added to it since: moves, secret
decisions, claims of seats, notes, a result. Nothing is ever changed or deleted, and triggers see to it (a server forgets old mock
drafts: `sqlite.Store.forget`). An engine's game is
written in one transaction when it ends (`record`); a person's game is begun with `begin`, and every move is committed by
`append` before it counts, so that a killed server loses nothing.

    with open_store("games.sqlite") as store:
        game = store.begin("tictactoe", {"rows": 3}, ["you", "strong"], meta={"token": "..."})
        store.append(game, "b2", ply=0, seat=0, seconds=3.2)
        store.game(game).moves[0].text      # 'b2'

Every writer says at which ply it writes. If the game has moved on in the meantime, `Conflict` is raised and nothing is
written: a move sent twice is played once.

A move's row says "at this ply, this text"; a row without text says "nothing from this ply on", which is a take-back. A
result counts while no row follows it. At TOGETHER a seat's decision waits in `decisions` until the joint move is appended.
"""

from __future__ import annotations

import json
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from stratagem.errors import UnknownName
from stratagem.store.stored import (
    OVER,
    REASONS,
    Conflict,
    Decision,
    Match,
    Move,
    Played,
    Result,
    StoredGame,
    StoreError,
)


class Transaction(Protocol):
    """An open transaction: SQL with `?` for what is given."""

    def execute(self, sql: str, given: Sequence[Any] = (), /) -> Any: ...

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any: ...


class Records(ABC):
    """One open store. Threads may share it; processes open their own."""

    shared = False  # whether several processes may serve games from it side by side
    joined: str  # SQL that puts the texts of a game's moves into one

    @property
    @abstractmethod
    def address(self) -> str:
        """What it is opened by, without any password."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _write(self) -> AbstractContextManager[Transaction]:
        """A transaction that writes."""

    @abstractmethod
    def _read(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one moment and writes nothing."""

    @abstractmethod
    def sole(self, name: str, refusal: str) -> AbstractContextManager[None]:
        """Nobody else has this name meanwhile, or StoreError with the refusal; the system lets go when this process dies."""

    @abstractmethod
    def check(self) -> None:
        """Look for damage; raises StoreError with the first thing found."""

    def follow(self, heard: Callable[[int | None], None]) -> Callable[[], None]:
        """Call `heard` with the id of every game that any process changes (None: some may have been missed), from another
        thread, until the function returned is called. Where only one process serves there is nothing to hear."""
        return lambda: None

    def _hold(self, db: Transaction, game: int) -> None:
        """Keep other writers off a game until the transaction ends, where they are not kept off anyway."""

    def _tell(self, db: Transaction, game: int) -> None:
        """Tell those who follow, once the transaction is committed."""

    def __enter__(self) -> Any:
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
            return self._insert_game(db, None, begun, key or secrets.token_urlsafe(16))

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
            self._tell(db, game)
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
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the result, and what it adds to the metadata with it; a later take-back makes the game go on."""
        with self._write() as db:
            n = self._expect(db, game, ply)
            self._insert_result(db, game, n, Result(tuple(payoff), reason, seat, detail, time.time()))
            if meta is not None:
                self._insert_note(db, game, meta)
            self._tell(db, game)

    def claim(self, game: int, seat: int, token: str) -> None:
        """Take a seat for whoever is known by this token; a seat is taken once, whoever else tries at the same moment."""
        with self._write() as db:
            self._log(db, game)
            if db.execute("SELECT 1 FROM claims WHERE game=? AND seat=?", (game, seat)).fetchone():
                raise Conflict(f"seat {seat} of game {game} is taken")
            db.execute("INSERT INTO claims VALUES(?,?,?,?)", (game, seat, token, time.time()))
            self._tell(db, game)

    def annotate(self, game: int, **data: Any) -> None:
        """Add to a game's metadata; the newest value of a name counts."""
        with self._write() as db:
            self._log(db, game)
            self._insert_note(db, game, data)
            self._tell(db, game)

    def agree(self, game: int, to: str, seat: int, how: Any = True) -> dict[int, Any]:
        """Keep that a seat agrees to something, until the record changes; how all who do want it, in the order in which they
        agreed. A seat agrees once."""
        with self._write() as db:
            n, _ = self._log(db, game)
            agreed = _consents(self._notes(db, game), n).get(to, {})
            if seat in agreed:
                raise Conflict(f"seat {seat} of game {game} has agreed already")
            self._insert_note(db, game, {CONSENT: [n, to, seat, how]})
            self._tell(db, game)
            return {**agreed, seat: how}

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
            row = (name, _dump(config), time.time())
            if (
                db.execute(
                    "INSERT INTO matches(name, config, at) VALUES(?,?,?) ON CONFLICT DO NOTHING RETURNING id", row
                ).fetchone()
                is None
            ):
                raise Conflict(f"there is a match {name!r} in {self.address} already")
        return self.match(name)

    def match(self, name: str) -> Match:
        """A match by name."""
        found = [match for match in self.matches() if match.name == name]
        if not found:
            names = [match.name for match in self.matches()]
            raise UnknownName("match", name, names) if names else StoreError(f"{self.address} holds no matches")
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
                    f"SELECT count(DISTINCT coalesce(seats || (SELECT {self.joined} FROM moves WHERE moves.game=games.id), "
                    "CAST(id AS TEXT))) FROM games WHERE match=?",
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

    def key(self, game: int) -> str | None:
        """The key of a game by its id."""
        with self._read() as db:
            row = db.execute("SELECT key FROM games WHERE id=?", (game,)).fetchone()
        return None if row is None else row[0]

    def game(self, game: int) -> StoredGame:
        """A game as it stands now."""
        with self._read() as db:
            row = db.execute(_GAME + " WHERE id=?", (game,)).fetchone()
            if row is None:
                raise StoreError(f"there is no game {game} in {self.address}")
            return self._stored(db, row)

    def games(
        self, match: int | None = None, *, open_only: bool = False, newest: int | None = None
    ) -> Iterator[StoredGame]:
        """Games in the order they were begun, or the newest ones first; of one match, or all."""
        where, given = ("match=?", [match]) if match is not None else ("1=1", [])
        if open_only:
            length = "(SELECT count(*) FROM moves m WHERE m.game=games.id)"
            where += f" AND NOT EXISTS(SELECT 1 FROM results r WHERE r.game=games.id AND r.n={length})"
        order = "id" if newest is None else "id DESC"
        limit = "" if newest is None else f" LIMIT {int(newest)}"
        for at in self._ids(
            f"WHERE {where} ORDER BY {order}{limit}", given
        ):  # one short transaction a game: a long export holds nobody up
            yield self.game(at)

    def ids(self) -> list[int]:
        """The ids of all games in the order they were begun."""
        return self._ids("ORDER BY id", [])

    def _ids(self, which: str, given: Sequence[Any]) -> list[int]:
        with self._read() as db:
            return [row[0] for row in db.execute(f"SELECT id FROM games {which}", given)]

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

    def changes(self, game: int) -> int:
        """How many rows were ever added to a game: what was read at the same number is still true."""
        with self._read() as db:
            return self._changes(db, game)

    def _changes(self, db: Transaction, game: int) -> int:
        parts = " + ".join(f"(SELECT count(*) FROM {table} WHERE game=?)" for table in GROWING)
        return int(db.execute(f"SELECT {parts}", (game,) * len(GROWING)).fetchone()[0])

    # -- whole games, for copies into another store

    def rows(self, game: int) -> dict[str, list[tuple[Any, ...]]]:
        """All rows that a game has ever had, by table, without what numbers them here."""
        with self._read() as db:
            header = db.execute(_GAME + " WHERE id=?", (game,)).fetchall()
            found = {"games": [tuple(row) for row in header]}
            for table, columns in COPIED.items():
                order = "id" if table == "notes" else "seat" if table == "claims" else "n"
                listed = db.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE game=? ORDER BY {order}", (game,))
                found[table] = [tuple(row) for row in listed.fetchall()]
        return found

    def insert_rows(self, match: int | None, rows: Mapping[str, Sequence[Sequence[Any]]]) -> int:
        """Write the rows of another store's game as a game of this one; its id here."""
        _, key, _, number, name, options, origin, seats, seed, meta, at = rows["games"][0]
        begun = Played(
            number,
            name,
            json.loads(options),
            json.loads(seats),
            (),
            Result(()),
            origin=origin,
            seed=seed,
            meta=json.loads(meta) if meta else None,
            at=at,
        )
        with self._write() as db:
            game = self._insert_game(db, match, begun, key)
            for table, columns in COPIED.items():
                marks = ",".join("?" * (len(columns) + 1))
                db.executemany(
                    f"INSERT INTO {table}(game, {', '.join(columns)}) VALUES({marks})",
                    [(game, *row) for row in rows[table]],
                )
        return game

    def has(self, match: int | None, rows: Mapping[str, Sequence[Sequence[Any]]]) -> bool:
        """Whether a game of another store is here already: by its key, its number in the match, or all that it began with."""
        _, key, _, number, name, _, origin, seats, seed, _, at = rows["games"][0]
        with self._read() as db:
            if key is not None:
                found = db.execute("SELECT 1 FROM games WHERE key=?", (key,))
            elif match is not None:
                found = db.execute("SELECT 1 FROM games WHERE match=? AND number=?", (match, number))
            else:
                same = (name, origin or "", seats, seed, at)
                found = db.execute(
                    "SELECT 1 FROM games WHERE match IS NULL AND key IS NULL AND game=? AND coalesce(origin, '')=? AND seats=? "
                    "AND seed=? AND at=?",
                    same,
                )
            return found.fetchone() is not None

    # -- within a transaction

    def _expect(self, db: Transaction, game: int, ply: int) -> int:
        """The rows of a game's log, if its record is `ply` long and not finished."""
        rows, standing = self._log(db, game)
        if standing != ply:
            raise Conflict(f"game {game} is at ply {standing}, not {ply}: it has moved on")
        if db.execute("SELECT 1 FROM results WHERE game=? AND n=?", (game, rows)).fetchone():
            raise Conflict(f"game {game} is over")
        return rows

    def _log(self, db: Transaction, game: int) -> tuple[int, int]:
        """How many rows a game's log has, and how long the record is after take-backs (its last row tells)."""
        self._hold(db, game)
        row = db.execute("SELECT n, ply, text FROM moves WHERE game=? ORDER BY n DESC LIMIT 1", (game,)).fetchone()
        if row is None:
            if not db.execute("SELECT 1 FROM games WHERE id=?", (game,)).fetchone():
                raise StoreError(f"there is no game {game} in {self.address}")
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
            self._tell(db, game)

    def _insert_game(self, db: Transaction, match: int | None, played: Played, key: str | None) -> int:
        if key is not None and db.execute("SELECT 1 FROM games WHERE key=?", (key,)).fetchone():
            raise Conflict(f"game {key!r} is recorded already")
        row = (
            key,
            match,
            played.number,
            played.game,
            _dump(played.options),
            played.origin,
            _dump(list(played.seats)),
            played.seed,
            None if played.meta is None else _dump(played.meta),
            played.at,
        )
        made = db.execute(
            "INSERT INTO games(key, match, number, game, options, origin, seats, seed, meta, at) "
            "VALUES(?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING RETURNING id",
            row,
        ).fetchone()
        if made is None:
            raise Conflict(f"game {played.number if key is None else key!r} is recorded already")
        return int(made[0])

    def _insert_result(self, db: Transaction, game: int, n: int, result: Result) -> None:
        if result.reason not in REASONS:
            raise StoreError(f"{result.reason!r} is no reason for a game to end; there are {', '.join(REASONS)}")
        row = (game, n, _dump(list(result.payoff)), result.reason, result.seat, result.detail, result.at or time.time())
        db.execute("INSERT INTO results VALUES(?,?,?,?,?,?,?)", row)

    def _insert_note(self, db: Transaction, game: int, data: Mapping[str, Any]) -> None:
        db.execute("INSERT INTO notes(game, data, at) VALUES(?,?,?)", (game, _dump(data), time.time()))

    def _notes(self, db: Transaction, game: int) -> list[dict[str, Any]]:
        return [json.loads(data) for (data,) in db.execute("SELECT data FROM notes WHERE game=? ORDER BY id", (game,))]

    def _pending(self, db: Transaction, game: int, n: int) -> tuple[Decision, ...]:
        found = db.execute(
            "SELECT seat, text, seconds, at FROM decisions WHERE game=? AND n=? ORDER BY seat", (game, n)
        )
        return tuple(Decision(*row) for row in found)

    def _stored(self, db: Transaction, row: Sequence[Any]) -> StoredGame:
        game, key, match, number, name, options, origin, seats, seed, meta, at = row
        log = db.execute(
            "SELECT n, ply, text, seat, seconds, note, at FROM moves WHERE game=? ORDER BY n", (game,)
        ).fetchall()
        merged = json.loads(meta) if meta else {}
        notes = self._notes(db, game)
        for note in notes:
            merged.update({name: value for name, value in note.items() if name != CONSENT})
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
            claims=dict(db.execute("SELECT seat, token FROM claims WHERE game=?", (game,)).fetchall()),
            consents=_consents(notes, len(log)),
            changes=self._changes(db, game),
        )


CONSENT = "consent"  # a note of this name holds [rows of the log, what is agreed to, seat, how]
GROWING = ("moves", "decisions", "results", "notes", "claims")  # what is added to a game that has begun
COPIED = {
    "moves": ("n", "ply", "seat", "text", "seconds", "note", "at"),
    "decisions": ("n", "seat", "text", "seconds", "at"),
    "results": ("n", "payoff", "reason", "seat", "detail", "at"),
    "notes": ("data", "at"),
    "claims": ("seat", "token", "at"),
}  # their columns besides the game
_GAME = "SELECT id, key, match, number, game, options, origin, seats, seed, meta, at FROM games"


def _standing(log: Sequence[Any]) -> list[Any]:
    """The rows (n, ply, text, ...) that stand after take-backs."""
    line: list[Any] = []
    for row in log:
        del line[row[1] :]
        if row[2] is not None:
            line.append(row)
    return line


def _consents(notes: Sequence[Mapping[str, Any]], n: int) -> dict[str, dict[int, Any]]:
    """What seats have agreed to since the log has had so many rows."""
    found: dict[str, dict[int, Any]] = {}
    for rows, to, seat, how in (note[CONSENT] for note in notes if CONSENT in note):
        if rows == n:
            found.setdefault(to, {})[seat] = how
    return found


def _result(row: Sequence[Any]) -> Result:
    payoff, *rest = row
    return Result(tuple(json.loads(payoff)), *rest)


def _dump(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))
