"""What tables need is compiled from the moment they are opened, in a process beside the engines, one table after another.

What is begun for a table is finished, whoever leaves: the next table of the kind finds it in the cache. Only the end of the
server ends it. What the page of a game or of its analysis will need is compiled while somebody reads it; that gives way to
tables, where somebody waits.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from stratagem.ahead import Ahead
from stratagem.contract.game import Game

log = logging.getLogger("stratagem.web")

Tell = Callable[[str | None], None]  # what is being compiled, and about how long it takes; None: all is ready
LOADING = "the engine is loaded"
MOST_PAGES = 8  # that wait to be compiled for; whoever opens more is served when the engine is asked
POLL = 0.2  # seconds between two looks at what the process says


class Preparing:
    """One thread that lets one process at a time compile."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[Any, ...], tuple[Game, tuple[str, ...], list[Tell]]] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True, name="preparing")
        self._thread.start()

    def ask(self, game: Game, engines: Sequence[str], tell: Tell) -> None:
        """Compile for some engines of a game; `tell` is called from another thread, at last with None."""
        with self._changed:
            self._waiting.setdefault(_key(game, engines), (game, tuple(engines), []))[2].append(tell)
            self._changed.notify_all()

    def ask_for_page(self, game: Game, engines: Sequence[str]) -> None:
        """Compile for some engines that are likely to be asked soon, when nobody waits for others."""
        with self._changed:
            if len(self._waiting) < MOST_PAGES:
                self._waiting.setdefault(_key(game, engines), (game, tuple(engines), []))
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(2.0)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                key, (game, engines, listeners) = self._next()
            try:
                self._prepare(game, engines, listeners)
            except Exception:
                log.exception("compiling ahead for %s failed", game.name)
            with self._changed:
                del self._waiting[key]
            self._say(listeners, None)

    def _next(self) -> tuple[tuple[Any, ...], tuple[Game, tuple[str, ...], list[Tell]]]:
        """What is compiled next: for the first table that waits, else for the first page."""
        items = list(self._waiting.items())
        return next((item for item in items if item[1][2]), items[0])

    def _gives_way(self, listeners: list[Tell]) -> bool:
        """Whether a table waits while what is compiled is for a page."""
        with self._changed:
            return not listeners and any(told for _, _, told in self._waiting.values())

    def _prepare(self, game: Game, engines: tuple[str, ...], listeners: list[Tell]) -> None:
        ahead = Ahead(game.start(seed=0), engines)
        try:
            said = ""
            if ahead.waiting:
                self._say(listeners, LOADING)
            while ahead.waiting and not self._closed and not self._gives_way(listeners):
                ahead.heard(POLL)
                if ahead.notice and ahead.notice != said:
                    said = ahead.notice
                    self._say(listeners, said)
        finally:
            ahead.stop()

    def _say(self, listeners: list[Tell], text: str | None) -> None:
        for tell in list(listeners):
            try:
                tell(text)
            except Exception:
                log.exception("a table could not be told what is compiled")


def _key(game: Game, engines: Sequence[str]) -> tuple[Any, ...]:
    return (game.address, tuple(sorted((name, str(value)) for name, value in game.chosen.items())), *sorted(engines))
