"""What tables need is compiled from the moment they are opened, in a process beside the engines, one table after another.

What is begun is finished, whoever leaves: the next table of the kind finds it in the cache. Only the end of the server ends it.
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
        key = (game.address, tuple(sorted((name, str(value)) for name, value in game.chosen.items())), *sorted(engines))
        with self._changed:
            self._waiting.setdefault(key, (game, tuple(engines), []))[2].append(tell)
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
                key, (game, engines, listeners) = next(iter(self._waiting.items()))
            try:
                self._prepare(game, engines, listeners)
            except Exception:
                log.exception("compiling ahead for %s failed", game.name)
            with self._changed:
                del self._waiting[key]
            self._say(listeners, None)

    def _prepare(self, game: Game, engines: tuple[str, ...], listeners: list[Tell]) -> None:
        ahead = Ahead(game.start(seed=0), engines)
        try:
            said = ""
            if ahead.waiting:
                self._say(listeners, LOADING)
            while ahead.waiting and not self._closed:
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
