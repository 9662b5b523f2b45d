"""Engines for tables that several processes serve: threads that take questions out of the store and have them answered here."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from stratagem.errors import StratagemError
from stratagem.store.queue import Queue, QueuedQuestion
from stratagem.store.stored import StoreError
from stratagem.web.refusals import NotFound
from stratagem.web.tables import Tables

log = logging.getLogger("stratagem.web")

LOOK = 1.0  # seconds after which a thread looks for questions though nobody has notified it of any
PAUSE = 1.0  # seconds before a thread tries again to reach a store that is gone


class Dispatcher:
    """As many threads as there are engines, each with one question at a time."""

    def __init__(self, tables: Tables, queue: Queue, count: int) -> None:
        self.tables, self.queue = tables, queue
        self._reported = threading.Condition()
        self._news = 0
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True, name=f"questions {k}") for k in range(count)]
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        with self._reported:
            self._news += 1
            self._reported.notify_all()

    def close(self) -> None:
        self._closed = True
        self.wake()
        for thread in self._threads:
            thread.join(1.0)

    def _serve(self) -> None:
        while not self._closed:
            try:
                with self.queue.store.own_connection() as db:
                    while not self._closed:
                        seen = self._news
                        with self.queue.taken(db) as question:
                            if question is not None:
                                self._answer(question)
                        if question is not None:
                            self._look_again(question)
                            continue
                        with self._reported:
                            self._reported.wait_for(lambda seen=seen: self._news != seen or self._closed, LOOK)  # type: ignore[misc]
            except StoreError as error:
                if not self._closed:
                    log.warning("questions to engines: %s", error)
                    threading.Event().wait(PAUSE)
            except Exception:
                log.exception("a question to an engine was lost")
                threading.Event().wait(PAUSE)

    def _answer(self, question: QueuedQuestion) -> None:
        try:
            table = self.tables.numbered(question.game)
        except NotFound:
            return
        table.think(question.seat, question.ply)
        if table.finished:
            self.queue.forget(question.game)

    def _look_again(self, question: QueuedQuestion) -> None:
        """The same question may have been asked again while its row was still there, such as after a take-back."""
        with suppress(StratagemError):
            self.tables.numbered(question.game).advance()
