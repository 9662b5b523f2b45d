"""Questions to engines that wait in a store on a server: any process may take one, and one that dies gives its own back.

A question is a row; whoever takes it holds it by a row lock in a transaction that stays open while an engine thinks. If that
process or its machine dies, the server sees the connection end, and the question is there for the next one at once: nothing
has to be timed. A table has a home, the process that took its last question and has its players: the others leave its
questions alone for a moment, so that a search goes on with the tree that it has.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from stratagem.store.postgres import PostgresStore, explained

LOYALTY = 1.0  # seconds that a question is left to the process that has its table's players

TAKE = """
SELECT q.game, q.ply, q.seat FROM queue q LEFT JOIN homes h ON h.game = q.game
WHERE h.home IS NULL OR h.home = %s OR q.at < extract(epoch FROM clock_timestamp()) - %s
ORDER BY q.at FOR UPDATE OF q SKIP LOCKED LIMIT 1
"""


@dataclass(frozen=True)
class QueuedQuestion:
    """Who has to decide where."""

    game: int
    ply: int
    seat: int


@dataclass
class Queue:
    """The questions of a store, as one process sees them."""

    store: PostgresStore
    home: str = field(default_factory=lambda: secrets.token_hex(8))  # what tells this process from the others

    def ask(self, game: int, ply: int, seat: int) -> int:
        """Put a question that is not there yet; how many wait that are older."""
        with self.store.writing() as db:
            db.execute(
                "INSERT INTO queue VALUES(%s, %s, %s, extract(epoch FROM clock_timestamp())) ON CONFLICT DO NOTHING",
                (game, ply, seat),
            )
            self.store.tell(db, game)
            older = "SELECT count(*) FROM queue WHERE at < (SELECT min(at) FROM queue WHERE game=%s)"
            return int(db.execute(older, (game,)).fetchone()[0])

    def forget(self, game: int) -> None:
        """A table needs no home any more."""
        with self.store.writing() as db:
            db.execute("DELETE FROM homes WHERE game=%s AND home=%s", (game, self.home))

    @contextmanager
    def taken(self, db: Any) -> Iterator[QueuedQuestion | None]:
        """The next question that this process may answer, held on a connection of its own until the block ends, and gone from
        the queue if that went well; None if there is none."""
        with explained(self.store.address), db.transaction():
            row = db.execute(TAKE, (self.home, LOYALTY)).fetchone()
            if row is None:
                yield None
                return
            question = QueuedQuestion(*row)
            with self.store.writing() as now:  # seen by others while this one thinks
                now.execute(
                    "INSERT INTO homes VALUES(%s, %s) ON CONFLICT (game) DO UPDATE SET home = excluded.home",
                    (question.game, self.home),
                )
            yield question
            db.execute(
                "DELETE FROM queue WHERE game=%s AND ply=%s AND seat=%s", (question.game, question.ply, question.seat)
            )
