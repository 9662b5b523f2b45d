"""Compile ahead of need: another process uses engines once, so that what they need lies in the cache when they are asked.

A process and not a thread: it can be ended in the middle of a compilation, and it does not slow down who waits for a keyboard or
serves pages. A mark in the cache says that nothing is left to be done for a game and some engines, so that the next one who
opens it starts without such a process.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stratagem.compile import cache_folder, impatient, telling
from stratagem.contract.game import TOGETHER, UNASKED, Position
from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.registry import game_class, player
from stratagem.rng import Rng, generator

READY = "ready: "  # what the process says before the name of an engine that need not wait any more
BEGUN = "compiling"  # how a notice begins that something is compiled now
DECISIONS = 2  # that an engine makes
LONGEST_WAIT = 50  # moves of others between two of them
NICENESS = 5  # what is done for later gives way to what is done now


class Ahead:
    """The process that compiles for a game's engines, the first ones first."""

    def __init__(self, position: Position, engines: Sequence[str]) -> None:
        self.waiting = list(dict.fromkeys(engines))  # engines that are not ready yet
        self.notice = ""  # what is being compiled, and about how long it takes
        self._process: Any = None
        self._pipe: Connection | None = None
        mark = _mark(position, self.waiting)
        if mark.exists() or not self.waiting:
            self.waiting = []
            return
        fresh = multiprocessing.get_context("spawn")
        self._pipe, there = fresh.Pipe(duplex=False)
        given = (position.game.address, pickle.dumps(position), tuple(self.waiting), str(mark), there)
        self._process = fresh.Process(target=_compile, args=given, daemon=True)
        self._process.start()
        there.close()

    def heard(self, seconds: float) -> bool:
        """Take in one thing that the process says, if it says one within the time."""
        if self._pipe is None or not self.waiting or not self._pipe.poll(seconds):
            return False
        try:
            text = self._pipe.recv()
        except (EOFError, OSError):  # it ended, with or without what was asked of it
            self.waiting, self.notice = [], ""
            return True
        if text.startswith(READY):
            self.waiting.remove(text.removeprefix(READY))
        self.notice = text if text.startswith(BEGUN) and self.waiting else ""
        return True

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join()
        self.waiting, self.notice = [], ""


def _mark(position: Position, engines: Sequence[str]) -> Path:
    from stratagem import __version__

    game = position.game
    what = f"{__version__} {game.address} {sorted(game.chosen.items(), key=lambda item: item[0])} {sorted(engines)}"
    return cache_folder() / f"{hashlib.sha256(what.encode()).hexdigest()[:20]}.warm"


def _compile(address: str, position: bytes, engines: Sequence[str], mark: str, pipe: Connection) -> None:
    """In a process of its own: use every engine once, and say which are ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who began this ends it
    os.nice(NICENESS)
    game_class(address)
    start: Position = pickle.loads(position)
    with telling(pipe.send):
        for engine in engines:
            with suppress(StratagemError):  # the game itself will say what is wrong
                _use(engine, start)
            pipe.send(READY + engine)
        with suppress(StratagemError), impatient():
            _play_on(start)
    if Path(mark).parent.is_dir():
        Path(mark).touch()


def _use(engine: str, position: Position) -> None:
    """Let an engine decide twice: some of what it needs, such as the reuse of a tree, it needs the second time only."""
    thinker, rng = player(position.game, engine), generator(0)
    for _ in range(DECISIONS):
        if not position.asked:
            return
        seat = position.asked[0]
        move = thinker.choose(position.view(seat), Clock(0.0), seat=seat).move
        position = _played(position, {seat: move}, rng)
        for _ in range(LONGEST_WAIT):
            if seat in position.asked or position.over:
                break
            position = _played(position, {}, rng)


def _play_on(position: Position) -> None:
    """A few moves by lot: rules that the interpreter runs at first are compiled for who plays on."""
    rng = generator(1)
    for _ in range(DECISIONS):
        if position.over:
            return
        for seat in position.asked[:1]:
            with suppress(StratagemError):  # too many to be listed
                position.view(seat).moves(seat)
        position = _played(position, {}, rng)


def _played(position: Position, given: dict[int, str], rng: Rng) -> Position:
    """The position after the moves given, and random ones for all who are asked besides."""
    if position.turn != TOGETHER:
        return position.play(given.get(position.turn) or position.sample(rng))
    asked = position.asked
    seats = range(position.game.players)
    return position.play([given.get(p) or (position.sample(rng, p) if p in asked else UNASKED) for p in seats])
