"""Compile while a person thinks: from the moment a game is opened, another process compiles what its engines will need.

What it compiles lies in the cache, where this process finds it. A process and not a thread: it can be ended in the middle, and
it does not slow the keyboard down. A mark in the cache says that nothing is left to be done, so that the next game starts
without it.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stratagem.compile import cache_folder, telling
from stratagem.contract.game import TOGETHER, UNASKED, Position
from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.registry import game_class, player
from stratagem.rng import Rng, generator

READY = "ready: "  # what the process says before the name of an engine that need not wait any more
WORTH_SAYING = 0.5  # seconds of waiting
DECISIONS = 2  # that an engine makes
LONGEST_WAIT = 50  # moves of others between two of them


class Ahead:
    """The process that compiles for a game's engines, the first ones first."""

    def __init__(self, position: Position, engines: Sequence[str]) -> None:
        self.waiting = list(dict.fromkeys(engines))  # engines that are not ready yet
        self._process: Any = None
        mark = _mark(position, self.waiting)
        if mark.exists() or not self.waiting or not sys.stdin.isatty():  # nobody thinks at the other end of a pipe
            self.waiting = []
            return
        fresh = multiprocessing.get_context("spawn")
        self._pipe, there = fresh.Pipe(duplex=False)
        given = (position.game.address, pickle.dumps(position), tuple(self.waiting), str(mark), there)
        self._process = fresh.Process(target=_compile, args=given, daemon=True)
        self._process.start()
        there.close()

    def wait(self, engine: str) -> None:
        """Until an engine need not compile; Ctrl-C is passed on."""
        began, notice, said = time.perf_counter(), "", False
        while engine in self.waiting:
            if self._pipe.poll(0.1):
                try:
                    text = self._pipe.recv()
                except EOFError:  # it ended, with or without what was asked of it
                    self.waiting = []
                    break
                if text.startswith(READY):
                    self.waiting.remove(text.removeprefix(READY))
                else:
                    notice, said = text, False
            if not said and notice and time.perf_counter() - began > WORTH_SAYING:
                print(notice, flush=True)
                said = True

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.join()


def _mark(position: Position, engines: Sequence[str]) -> Path:
    from stratagem import __version__

    game = position.game
    what = f"{__version__} {game.address} {sorted(game.chosen.items(), key=lambda item: item[0])} {sorted(engines)}"
    return cache_folder() / f"{hashlib.sha256(what.encode()).hexdigest()[:20]}.warm"


def _compile(address: str, position: bytes, engines: Sequence[str], mark: str, pipe: Connection) -> None:
    """In a process of its own: use every engine once, and say which are ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who began this ends it
    os.nice(5)
    game_class(address)
    start: Position = pickle.loads(position)
    with telling(pipe.send):
        for engine in engines:
            with suppress(StratagemError):  # the game itself will say what is wrong
                _use(engine, start)
            pipe.send(READY + engine)
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


def _played(position: Position, given: dict[int, str], rng: Rng) -> Position:
    """The position after the moves given, and random ones for all who are asked besides."""
    if position.turn != TOGETHER:
        return position.play(given.get(position.turn) or position.sample(rng))
    asked = position.asked
    seats = range(position.game.players)
    return position.play([given.get(p) or (position.sample(rng, p) if p in asked else UNASKED) for p in seats])
