"""Runs a match on worker processes and records every game in the store as it arrives.

The runner alone writes. What it has not recorded was not played: after a kill at any moment, resuming plays exactly the
numbers that are missing. A worker that hangs past a player's clock is killed, and the player loses with the moves so far on
record; so does a player that takes its process down. A worker killed from outside (SIGKILL) costs nobody the game: it is
played again, a few times at most.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import Any

from stratagem.arena.cluster import POLL as CLUSTER_POLL
from stratagem.arena.cluster import Driver, check_address
from stratagem.arena.config import Config, Task, differences
from stratagem.arena.playing import forfeit, opening
from stratagem.arena.worker import HEAD, NOBODY_THINKS, read_journal
from stratagem.errors import StratagemError
from stratagem.store import Records
from stratagem.store.stored import CRASH, TIME, Conflict, Match, Played, Result, StoreError, Unreachable

POLL = 0.1  # seconds between looks at the workers' clocks
AHEAD = 0.1  # seconds of games that a worker is given in advance
MOST_AHEAD = 64
PATIENCE = 60.0  # seconds that a store which went away is waited for
TRIES = 3  # times that a game is begun whose worker was killed from outside


@dataclass
class Progress:
    """How far a match has come; handed to whoever shows it."""

    total: int
    done: int = 0  # recorded, those of earlier sittings included
    fresh: int = 0  # recorded in this sitting
    began: float = field(default_factory=time.monotonic)
    faults: int = 0

    @property
    def speed(self) -> float:
        """Games a second in this sitting."""
        return self.fresh / max(time.monotonic() - self.began, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.done) / self.speed if self.fresh else None


Watch = Callable[
    [Progress, list[Played]], None
]  # called with the games just recorded, and every now and then with none
Stop = Callable[[list[Played]], bool]  # whether the games just recorded settle the match


def open_match(
    store: Records, config: Config, name: str | None = None, *, resume: bool = False, again: bool = False
) -> Match:
    """Return the match of a configuration: one that goes on under the very same terms, or a new one.

    Args:
        resume: refuse to begin one.
        again: begin a new one under the next free name, `NAME-2`, where one of the name is there.
    """
    config.check()
    name = name or config.default_name
    known = {match.name: match for match in store.matches()}
    if again and name in known:
        name = next(free for k in count(2) if (free := f"{name}-{k}") not in known)
    if name not in known:
        if resume:
            raise StoreError(f"there is no match {name!r} in {store.address} to go on with")
        return store.open_match(name, config.json())
    match = known[name]
    changed = differences(Config.from_json(match.config), config)
    if changed:
        raise Conflict(f"match {name!r} has other terms: {'; '.join(changed)}. Keep its terms, or name another match")
    return match


@contextlib.contextmanager
def sole_runner(store: Records, match: Match) -> Iterator[None]:
    """Nobody else runs this match meanwhile; the system lets go when this process dies."""
    with store.sole(f"match{match.id}", f"match {match.name!r} is being played by another process"):
        yield


def run_match(
    store: Records,
    match: Match,
    *,
    workers: int | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    cluster: str | None = None,
) -> Progress:
    """Play all games of a match that are not on record: on this machine, or on a Ray cluster at an address.

    Ctrl-C raises KeyboardInterrupt when what has arrived is recorded."""
    config = Config.from_json(match.config)
    with sole_runner(store, match):
        recorded = store.numbers(match.id)
        missing = deque(number for number in range(config.total) if number not in recorded)
        progress = Progress(config.total, done=len(recorded))
        count = min(workers or os.cpu_count() or 1, max(len(missing), 1))
        if cluster is None:
            runner = _Runner(store, match, config, missing, progress, count)
        else:
            address = check_address(cluster)
            runner = _ClusterRunner(store, match, config, missing, progress, workers or 0, address=address)
        if watch is not None:
            runner.watch = watch
        if stop is not None:
            runner.stop = stop
        return runner.run()


class _Worker:
    """One process and what it was given."""

    def __init__(self, config: Config) -> None:
        ours, theirs = socket.socketpair()
        self.journal = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the worker
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        with theirs:
            files = (theirs.fileno(), self.journal.fileno())
            self.process = subprocess.Popen(
                [sys.executable, "-m", "stratagem.arena.worker", *map(str, files)],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.errors,
                start_new_session=True,  # Ctrl-C is the runner's to handle
            )
        self.pipe: Any = Connection(ours.detach())
        self.given: deque[int] = deque()  # numbers sent and not answered, in order
        self.hung: bytes | None = None  # the journal's head when it was killed for hanging
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # dead already: the next collection finds out
            self.pipe.send(config.json())

    def give(self, number: int) -> None:
        self.given.append(number)
        self.pipe.send(number)

    def head(self) -> bytes:
        return os.pread(self.journal.fileno(), HEAD.size, 0)

    def stop_if_late(self) -> None:
        """Kill the process if a player thinks past its deadline; it is buried when its pipe is seen to close."""
        head = self.head()
        if self.hung is None and len(head) == HEAD.size:
            _, seat, deadline = HEAD.unpack(head)
            if seat != NOBODY_THINKS and time.monotonic() > deadline:
                self.hung = head
                self.kill()

    def end(self) -> int:
        """Wait for a process that has closed its pipe; its exit status."""
        # Only look first: until it is waited for, its number cannot be given to another process.
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.kill()
        return self.process.wait()

    def kill(self) -> None:
        """Kill the process and whatever its players have started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def last_words(self) -> str:
        """The last line that the process wrote to standard error."""
        self.errors.seek(0)
        lines = self.errors.read()[-2000:].decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def close(self) -> None:
        if self.process.returncode is None:  # not yet waited for, so the number is still its own
            self.kill()
            self.process.wait()
        self.pipe.close()
        self.journal.close()
        self.errors.close()


@dataclass
class _Runner:
    """Plays the missing games of a match on a number of workers."""

    store: Records
    match: Match
    config: Config
    missing: deque[int]
    progress: Progress
    count: int  # workers
    watch: Watch = lambda progress, games: None
    stop: Stop = lambda games: False
    workers: list[_Worker] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)  # by game, of those whose worker was killed
    pace: float = AHEAD  # seconds that a worker takes for a game
    interrupted: bool = False

    def run(self) -> Progress:
        settled = False
        try:
            with self._stop_between_games():
                while not settled and not self.interrupted and (self.missing or self._under_way()):
                    self._feed()
                    settled = self._record(self._collect())
                self._record(self._drain())
        finally:
            self._close()
        if self.interrupted:
            raise KeyboardInterrupt
        return self.progress

    def _under_way(self) -> bool:
        return any(worker.given for worker in self.workers)

    def _close(self) -> None:
        for worker in self.workers:
            worker.close()

    @contextlib.contextmanager
    def _stop_between_games(self) -> Iterator[None]:
        """Ctrl-C and a polite kill end the run where nothing is half received; a second one ends it at once."""

        def stop(*_: object) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for s, handler in before.items():
                signal.signal(s, handler)

    def _feed(self) -> None:
        while len(self.workers) < self.count and len(self.missing) > sum(not worker.given for worker in self.workers):
            self.workers.append(_Worker(self.config))
        ahead = max(1, min(MOST_AHEAD, int(AHEAD / max(self.pace, 1e-6))))
        for worker in self.workers:
            while self.missing and len(worker.given) < ahead:
                try:
                    worker.give(self.missing[0])
                except (BrokenPipeError, ConnectionResetError):
                    worker.given.pop()
                    break  # dead: the next collection finds out
                self.missing.popleft()

    def _collect(self) -> list[Played]:
        """Games that have arrived, and those that end because their worker is late or dead."""
        finished: list[Played] = []
        for ready in wait([worker.pipe for worker in self.workers], timeout=POLL):
            worker = next(worker for worker in self.workers if worker.pipe is ready)
            try:
                while True:
                    finished.append(worker.pipe.recv())
                    worker.given.popleft()
                    if not worker.pipe.poll():
                        break
            except (EOFError, ConnectionResetError):
                finished += self._bury(worker)
        for worker in self.workers:
            worker.stop_if_late()
        return finished

    def _bury(self, worker: _Worker) -> list[Played]:
        """Settle the game that a dead worker was at; give its other games to somebody else."""
        code = worker.end()
        number, seat, _, moves = read_journal(worker.journal.fileno())
        hung = worker.hung is not None and worker.hung == worker.head()  # else the answer came while it was killed
        words = worker.last_words()
        self.workers.remove(worker)
        worker.close()
        finished: list[Played] = []
        if not worker.given:
            if number == -1 and code != -signal.SIGKILL:
                raise StratagemError(f"a worker process cannot start (status {code}){words}")
            return []
        current = worker.given[0]
        begun = number == current and seat != NOBODY_THINKS
        if hung and begun:
            task = self.config.task(current)
            detail = f"gave no answer in {self.config.limit(task.seats[seat]):.2f} s"
            finished.append(self._lost(task, seat, TIME, detail, moves))
        elif code != -signal.SIGKILL and begun:
            detail = f"its process died ({signal.Signals(-code).name if code < 0 else f'status {code}'}){words}"
            finished.append(self._lost(self.config.task(current), seat, CRASH, detail[:500], moves))
        else:
            self.tries[current] = self.tries.get(current, 0) + 1
            if self.tries[current] >= TRIES:
                if not begun:
                    raise StratagemError(f"worker processes keep dying at game {current} (status {code}){words}")
                detail = f"its process was killed {TRIES} times (out of memory?)"
                finished.append(self._lost(self.config.task(current), seat, CRASH, detail, moves))
        if finished:
            worker.given.popleft()
        self.missing.extendleft(reversed(worker.given))
        return finished

    def _lost(self, task: Task, seat: int, reason: str, detail: str, moves: list[Any]) -> Played:
        result = Result(forfeit(self.config.rules, seat), reason, seat, detail)
        origin = opening(self.config, task.round).origin
        return Played(
            task.number,
            self.config.game,
            self.config.rules.chosen,
            task.seats,
            moves,
            result,
            (),
            origin,
            task.seed,
            at=time.time(),
        )

    def _drain(self) -> list[Played]:
        finished: list[Played] = []
        for worker in self.workers:
            with contextlib.suppress(EOFError, OSError):
                while worker.pipe.poll():
                    finished.append(worker.pipe.recv())
                    worker.given.popleft()
        return finished

    def _commit(self, games: list[Played]) -> None:
        """Write games, once: a server that goes away in the middle is waited for and asked what it has."""
        until, left = time.monotonic() + PATIENCE, games
        while True:
            try:
                self.store.record(self.match.id, left)
                return
            except Unreachable:
                if time.monotonic() > until or self.interrupted:
                    raise
                time.sleep(POLL)
            with contextlib.suppress(Unreachable):
                recorded = self.store.numbers(self.match.id)
                left = [game for game in games if game.number not in recorded]

    def _record(self, games: list[Played]) -> bool:
        """Commit games; whether they settle the match."""
        if games:
            self._commit(games)
            progress = self.progress
            progress.done += len(games)
            progress.fresh += len(games)
            progress.faults += sum(game.result.seat is not None for game in games)
            self.pace = (time.monotonic() - progress.began) * len(self.workers or [0]) / progress.fresh
        self.watch(self.progress, games)
        return bool(games) and self.stop(games)


@dataclass
class _ClusterRunner(_Runner):
    """The same on a cluster: the games come from its driver."""

    address: str = ""
    driver: Driver | None = None
    given: set[int] = field(default_factory=set)  # numbers sent and not answered

    def _under_way(self) -> bool:
        return bool(self.given)

    def _feed(self) -> None:
        if self.driver is None:
            self.driver = Driver(self.address, self.count or None, "games", self.config.json())
        room = max(2 * MOST_AHEAD * max(self.driver.size, 1) - len(self.given), 0)
        numbers = [self.missing.popleft() for _ in range(min(room, len(self.missing)))]
        if numbers:
            self.driver.give([(number, None) for number in numbers])
            self.given.update(numbers)

    def _collect(self) -> list[Played]:
        assert self.driver is not None
        return [game for number, game in self.driver.results(CLUSTER_POLL) if self._answers(number)]

    def _answers(self, number: int) -> bool:
        """Whether a game was still waited for: one is recorded once, whatever arrives."""
        waited = number in self.given
        self.given.discard(number)
        return waited

    def _drain(self) -> list[Played]:
        if self.driver is None:
            return []
        with contextlib.suppress(StratagemError):
            return [game for number, game in self.driver.results(0.0) if self._answers(number)]
        return []

    def _close(self) -> None:
        if self.driver is not None:
            self.driver.close()


class Bench:
    """One worker process that stays, for a host on a cluster: it judges players that hang or die as a runner at home does."""

    def __init__(self, config: dict[str, Any]) -> None:
        terms = Config.from_json(config)
        nothing: Any = None  # games are handed back, not recorded
        self.runner = _Runner(nothing, nothing, terms, deque(), Progress(0), 1, pace=0.0)

    def play(self, items: list[tuple[int, None]]) -> list[tuple[int, Played]]:
        runner = self.runner
        runner.missing.extend(number for number, _ in items)
        finished: list[Played] = []
        while runner.missing or any(worker.given for worker in runner.workers):
            runner._feed()
            finished += runner._collect()
        return [(game.number, game) for game in finished if game.number is not None]
