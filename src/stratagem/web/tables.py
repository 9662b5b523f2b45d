"""The tables of a server: set up, found again, begun anew, forgotten while nobody plays."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stratagem.errors import IllegalMove, OptionError, StratagemError
from stratagem.store import Records
from stratagem.store.stored import Conflict
from stratagem.web.catalogue import Catalogue
from stratagem.web.clocks import ClockTerms
from stratagem.web.engines import Engines, engines
from stratagem.web.refusals import Busy, NotFound
from stratagem.web.seats import PERSON, digest, opened
from stratagem.web.showing import judged
from stratagem.web.table import AGAIN, Table, plain_options

if TYPE_CHECKING:
    from stratagem.store.queue import Queue  # which needs an extra

log = logging.getLogger("stratagem.web")
LONG = 3600.0  # seconds without anything happening, after which a table is left to the store


class Tables:
    """The tables of a server: new ones, and those that the store remembers."""

    def __init__(
        self, store: Records, pool: Engines, catalogue: Catalogue, *, kept: int = 1000, queue: Queue | None = None
    ) -> None:
        self.store, self.pool, self.catalogue, self.kept = store, pool, catalogue, kept
        self.queue = queue  # where questions to engines wait, if several processes serve; None: in the pool itself
        self._open: OrderedDict[str, Table] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}
        self._numbers: dict[int, str] = {}  # the keys of open tables by their numbers in the store
        self._behind: set[int] = set()  # tables that are about to be refreshed
        self._refreshing = ThreadPoolExecutor(4, thread_name_prefix="refresh") if store.shared else None

    def heard(self, number: int | None) -> None:
        """Some process has changed a game (None: any may have changed)."""
        with self._lock:
            numbers = list(self._numbers) if number is None else [number] if number in self._numbers else []
            fresh = [n for n in numbers if n not in self._behind]
            self._behind.update(fresh)
        for n in fresh:
            if self._refreshing is not None:
                self._refreshing.submit(self._refresh, n)

    def _refresh(self, number: int) -> None:
        with self._lock:
            self._behind.discard(number)
            table = self._open.get(self._numbers.get(number, ""))
        if table is not None:
            try:
                table.refresh()
            except StratagemError as error:
                log.warning("table %s cannot be refreshed: %s", number, error)

    def close(self) -> None:
        if self._refreshing is not None:
            self._refreshing.shutdown(wait=False, cancel_futures=True)

    def numbered(self, number: int) -> Table:
        """A table by its number in the store."""
        with self._lock:
            key = self._numbers.get(number)
        found = key or self.store.key(number)
        if found is None:
            raise NotFound(f"there is no table {number} here")
        return self.get(found)

    def create(
        self,
        name: str,
        options: dict[str, Any],
        seats: Sequence[str],
        origin: str | None = None,
        clock: dict[str, Any] | None = None,
        client: str = "",
    ) -> tuple[Table, dict[int, str], dict[int, str]]:
        """A new table; the tokens of the first person's seat, and invitations for the other people's."""
        game = self.catalogue.game(name, options)
        if clock is not None:
            ClockTerms(**clock)
        if len(seats) != game.players:
            raise OptionError(f"{len(seats)} seats are filled; {game.title} has {game.players}")
        known = engines(game)
        for who in seats:
            if who != PERSON and who not in known:
                raise OptionError(f"a seat is for a {PERSON} or one of {', '.join(known)}, not {who[:40]!r}")
        given = (origin or "").strip()
        origin = str(judged(game.start(), lambda: game.parse(given), "this position cannot be read")) if given else None
        people = [seat for seat, who in enumerate(seats) if who == PERSON]
        tokens, invitations, hashes = opened(people)
        key = secrets.token_urlsafe(12)
        self.store.begin(
            name,
            plain_options(game),
            list(seats),
            origin=origin,
            seed=secrets.randbits(62),
            key=key,
            meta={"web": 1, "clock": clock, **hashes},
        )
        table = self.get(key)
        table.client = client
        table.advance()
        return table, tokens, invitations

    def of_record(self, name: str, options: dict[str, Any], moves: Sequence[str], origin: str | None) -> Table:
        """A table of a game that was played elsewhere and is over: nobody sits at it, and whoever has its link looks on."""
        game = self.catalogue.game(name, options)
        given = (origin or "").strip() or None
        last = judged(game.start(), lambda: game.replay(moves, given), "this record cannot be read")
        if not last.over:
            raise IllegalMove("the game of this record is not over; only whole games are looked back on")
        key, start = secrets.token_urlsafe(12), None if given is None else str(game.parse(given))
        number = self.store.begin(
            name, plain_options(game), [PERSON] * game.players, origin=start, key=key, meta={"web": 1, "record": 1}
        )
        for ply, text in enumerate(last.history[len(last.history) - len(moves) :]):
            self.store.append(number, text, ply=ply)
        self.store.finish(number, last.payoff, ply=len(moves))
        return self.get(key)

    def again(self, table: Table, seat: int, swap: bool) -> str | None:
        """Agree to another game like this one; its table, once everybody who plays has agreed. Each seat's token opens it too,
        and with `swap`, as the first to ask wanted it, everybody sits one seat further on."""
        with table.lock:
            if not table.over:
                raise IllegalMove("the game is not over yet; another one begins after it")
            if table.next is not None:
                return table.next
            if seat not in table.agreed:
                table.agreed = table.agree(AGAIN, seat, swap)
            if table.next is None and set(table.agreed) == set(table.people):
                shift = int(next(iter(table.agreed.values())))
                table.next = self._like(table, shift)
                with table.writing():
                    self.store.annotate(table.number, next=table.next)
            table.changed()
            return table.next

    def _like(self, table: Table, shift: int) -> str:
        """A new table for the same people, each so many seats further on."""
        n = len(table.seats)
        # nobody can guess it who does not know the seed, and every process comes to the same: there is one rematch
        key = digest(f"{table.key} {table.seed} {AGAIN}")[:32]
        moved = {name: {str((int(p) + shift) % n): h for p, h in held.items()} for name, held in table.held().items()}
        with suppress(Conflict):  # another process has begun it
            self.store.begin(
                table.name,
                plain_options(table.game),
                [table.seats[(p - shift) % n] for p in range(n)],
                origin=table.origin,
                seed=secrets.randbits(62),
                key=key,
                meta={"web": 1, "clock": asdict(table.clocks.terms) if table.clocks else None, **moved},
            )
        return key

    def get(self, key: str) -> Table:
        with self._lock:
            table = self._open.get(key)
            if table is not None:
                self._open.move_to_end(key)
            else:
                loading = self._loading.setdefault(key, threading.Lock())
        if table is not None:
            table.refresh()
            return table
        with loading:
            with self._lock:
                if key in self._open:
                    return self._open[key]
            try:
                table = Table(self.store, self.pool, self.catalogue, key, self.queue)
            finally:
                with self._lock:
                    self._loading.pop(key, None)
            with self._lock:
                self._open[key] = table
                self._numbers[table.number] = key
                self._forget()
        with suppress(StratagemError):
            table.advance()
        return table

    def _forget(self) -> None:
        """Drop the tables that nobody looks at: finished ones, and those left alone for long. The store has them."""
        now = time.monotonic()
        for key, table in list(self._open.items()):
            alone = not table.listeners and not table.jobs
            if alone and (now - table.touched > LONG or (table.finished and len(self._open) > self.kept // 2)):
                del self._open[key]
                self._numbers.pop(table.number, None)
                self.pool.forget(key)

    def make_room(self, most: int, client: str) -> None:
        """Refuse another game where a visitor has as many under way as there is still room for: those of a few visitors
        never use up all. Under way is what is not over, and where something happened lately."""
        with self._lock:
            self._forget()
            going_on = [table.client for table in self._open.values() if not table.finished]
        if going_on.count(client) >= most - len(going_on):
            raise Busy(
                f"{len(going_on)} games are under way here, {going_on.count(client)} of them yours; try again later"
            )
