"""Work spread over a Ray cluster (extra `cluster`): games of a match, or questions one a line, by the same seeds as at home.

Three kinds of process take part. The *runner* stays what it is: it alone records, shows progress, hears Ctrl-C and resumes. It
starts a *driver* (`python -m stratagem.arena.cluster FILE`), which is the only process that knows Ray: should the cluster go away
and take the driver with it, the runner is still there to say so. On the cluster there is one *host* for each core, an actor that
plays games in a worker process of its own exactly as at home, so that a player that hangs or dies there loses there. A host that
died with its node is replaced, and what it had not handed in is done again elsewhere; what arrives is recorded once, because a
result is taken from one host alone.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from stratagem.errors import OptionError, StratagemError

LOCAL = "local"
MISSING = "a cluster needs Ray, which is not installed: pip install 'stratagem[cluster]'"
POLL = 0.05  # seconds between looks
AHEAD = 0.2  # seconds of work that a host is given at once
MOST_AHEAD = 64
FLYING = 2  # batches that a host has at a time, so that it never waits for the next
LOOK = 5.0  # seconds between counts of the cluster's cores
DEATHS = 20  # hosts that may die with the same piece of work before it is given up
START = 120.0  # seconds for a cluster to answer

Item = tuple[int, Any]  # what it is numbered by, and what it is


# ------------------------------------------------------------------------------------------ beside the runner: its end


class Driver:
    """The driver's process, as the runner sees it: items go in, results come out in any order."""

    def __init__(self, address: str, workers: int | None, kind: str, shared: Any) -> None:
        ours, theirs = socket.socketpair()
        self.address = address
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the driver
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "stratagem.arena.cluster", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=self.errors,
                stderr=self.errors,
                start_new_session=True,  # Ctrl-C is the runner's to handle
            )
        self.pipe: Any = Connection(ours.detach())
        self.pipe.send({"address": address, "workers": workers, "kind": kind, "shared": shared, "folder": os.getcwd()})
        self.size = 0  # cores of the cluster, once it has said so
        self.began = time.monotonic()

    def give(self, items: list[Item]) -> None:
        try:
            self.pipe.send(items)
        except OSError:
            raise StratagemError(self.why_gone()) from None

    def results(self, timeout: float = POLL) -> list[tuple[int, Any]]:
        """What has arrived."""
        found: list[tuple[int, Any]] = []
        try:
            while self.pipe.poll(timeout if not found else 0):
                kind, data = self.pipe.recv()
                if kind == "fault":
                    raise StratagemError(data)
                if kind == "size":
                    self.size = data
                else:
                    found += data
        except (EOFError, OSError):
            raise StratagemError(self.why_gone()) from None
        if not self.size and time.monotonic() - self.began > START:
            raise StratagemError(f"the cluster at {self.address} does not answer in {START:.0f} s; is it running?")
        return found

    def why_gone(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2.0)
        self.errors.seek(0)
        lines = [line for line in self.errors.read()[-20_000:].decode(errors="replace").splitlines() if line.strip()]
        last = f" ({lines[-1].strip()[:200]})" if lines else ""
        return f"the cluster at {self.address} has gone{last}; what arrived is recorded: go on with --resume"

    def close(self) -> None:
        self.pipe.close()  # which ends it, in its own time
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()


def check_address(address: str) -> str:
    """An address as `--cluster` takes it, if Ray is there."""
    if importlib.util.find_spec("ray") is None:
        raise StratagemError(MISSING)
    if address != LOCAL and address != "auto" and ":" not in address:
        raise OptionError(f"cluster {address!r} is not {LOCAL}, auto or the ADDRESS:PORT of a head node")
    return address


def as_done(
    address: str, workers: int | None, function: str, shared: tuple[Any, ...], items: Iterable[Any]
) -> Generator[tuple[int, Any] | None, None, None]:
    """`function(*shared, item)` of every item, on a cluster: (number of the item, result) as they arrive, and None where a
    moment passes without any, so that whoever waits can look at the clock. The function is named `module:function`."""
    driver = Driver(check_address(address), workers, function, shared)
    given = done = 0
    source = iter(items)
    ended = False
    try:
        while not ended or done < given:
            while not ended and given - done < max(driver.size, 1) * FLYING * MOST_AHEAD:
                item = next(source, driver)  # the driver itself is no item
                ended = item is driver
                if not ended:
                    driver.give([(given, item)])
                    given += 1
            found = driver.results()
            done += len(found)
            yield from found
            if not found:
                yield None
    finally:
        driver.close()


def each(
    address: str, workers: int | None, function: str, shared: tuple[Any, ...], items: Iterable[Any]
) -> Iterator[Any]:
    """The same in the order of the items."""
    arrived: dict[int, Any] = {}
    reported = 0
    with contextlib.closing(as_done(address, workers, function, shared, items)) as found:
        for one in found:
            if one is not None:
                arrived[one[0]] = one[1]
            while reported in arrived:
                yield arrived.pop(reported)
                reported += 1


# ------------------------------------------------------------------------------------------------ the driver's process


@dataclass
class _Seat:
    """A host on the cluster and what it was given."""

    actor: Any
    ready: Any  # becomes true when it has started
    started: bool = False
    flying: dict[Any, list[Item]] = field(default_factory=dict)  # by the reference of their result


class _Spread:
    """Spreads items over the hosts of a cluster, whatever becomes of those."""

    def __init__(self, ray: Any, asked: dict[str, Any], send: Callable[[str, Any], None]) -> None:
        self.ray, self.asked, self.send = ray, asked, send
        self.waiting: deque[Item] = deque()
        self.seats: list[_Seat] = []
        self.deaths: dict[int, int] = {}
        self.pace = AHEAD
        self.looked = 0.0
        self.host = ray.remote(num_cpus=1, max_restarts=0)(Host)

    def step(self) -> None:
        self._count()
        self._feed()
        waited = {seat.ready: seat for seat in self.seats if not seat.started}
        waited |= {reference: seat for seat in self.seats for reference in seat.flying}
        if not waited:
            time.sleep(POLL)
            return
        done, _ = self.ray.wait(list(waited), num_returns=len(waited), timeout=POLL)
        for reference in done:
            seat = waited[reference]
            if seat in self.seats:
                self._collect(seat, reference)

    def _count(self) -> None:
        """As many hosts as the cluster has cores now, or as were asked for."""
        if time.monotonic() - self.looked > LOOK or not self.seats:
            self.looked = time.monotonic()
            size = self.asked["workers"] or max(1, int(self.ray.cluster_resources().get("CPU", 0)))
            self.send("size", size)
            needed = min(size, len(self.waiting) + sum(len(batch) for s in self.seats for batch in s.flying.values()))
            while len(self.seats) < needed:
                actor = self.host.remote(self.asked["kind"], self.asked["shared"], self.asked["folder"])
                self.seats.append(_Seat(actor, actor.ready.remote()))

    def _feed(self) -> None:
        for seat in self.seats:
            while seat.started and self.waiting and len(seat.flying) < FLYING:
                fair = -(-len(self.waiting) // (FLYING * len(self.seats)))  # near the end everybody has some
                count = max(1, min(MOST_AHEAD, int(AHEAD / max(self.pace, 1e-6)), fair))
                batch = [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]
                seat.flying[seat.actor.do.remote(batch)] = batch

    def _collect(self, seat: _Seat, reference: Any) -> None:
        try:
            found = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            raise StratagemError(str(error.cause if isinstance(error.cause, StratagemError) else error)) from None
        except self.ray.exceptions.RayError:
            self._bury(seat)
            return
        if reference == seat.ready:
            seat.started = True
            return
        del seat.flying[reference]
        results, seconds = found
        self.pace = 0.5 * self.pace + 0.5 * seconds / max(len(results), 1)
        self.send("done", results)

    def _bury(self, seat: _Seat) -> None:
        """A host has gone, with its node or alone: its work is for others, and another takes its place."""
        self.seats.remove(seat)
        lost = sorted((item for batch in seat.flying.values() for item in batch), key=lambda item: item[0])
        for number, _ in lost[:1]:
            self.deaths[number] = self.deaths.get(number, 0) + 1
            if self.deaths[number] >= DEATHS:
                raise StratagemError(f"{DEATHS} processes of the cluster have died at item {number}")
        self.waiting.extendleft(reversed(lost))
        self.looked = 0.0


class Host:
    """An actor of the cluster: games in a worker process as at home, or a function of ours called again and again."""

    def __init__(self, kind: str, shared: Any, folder: str) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)  # so that games in files are found, and functions of packages there
            sys.path.append(folder)
        self.work: Callable[[list[Item]], list[tuple[int, Any]]]
        if kind == "games":
            from stratagem.arena.runner import Bench

            self.work = Bench(shared).play
        else:
            module, _, name = kind.partition(":")
            function = getattr(importlib.import_module(module), name)
            self.work = lambda items: [(number, function(*shared, item)) for number, item in items]

    def ready(self) -> bool:
        return True

    def do(self, items: list[Item]) -> tuple[list[tuple[int, Any]], float]:
        began = time.monotonic()
        return self.work(items), time.monotonic() - began


def _knock(address: str) -> None:
    """Say at once that nobody is there: Ray itself would look for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5.0).close()
        except OSError as error:
            raise StratagemError(f"the cluster at {address!r} cannot be reached: {error.strerror or error}") from None


def main(connection: int) -> None:
    from stratagem.arena.worker import leave, leave_with_parent

    threading.Thread(target=leave_with_parent, args=(os.getppid(),), daemon=True).start()
    pipe: Any = Connection(connection)
    asked = pipe.recv()

    def send(kind: str, data: Any) -> None:
        pipe.send((kind, data))

    try:
        import ray

        quiet = {"log_to_driver": False, "logging_level": "error"}
        _knock(asked["address"])
        try:
            if asked["address"] == LOCAL:
                ray.init(num_cpus=asked["workers"], include_dashboard=False, **quiet)
            else:
                ray.init(address=asked["address"], **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            line = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            raise StratagemError(f"the cluster at {asked['address']!r} cannot be reached: {line}") from None
        spread = _Spread(ray, asked, send)
        while True:
            while pipe.poll():
                spread.waiting.extend(pipe.recv())
            spread.step()
    except StratagemError as error:
        with contextlib.suppress(OSError):
            send("fault", str(error))
            time.sleep(1.0)  # until it is read
    except (EOFError, OSError):
        pass  # the runner has what it wanted, or is gone
    with contextlib.suppress(Exception):
        ray.shutdown()
    leave()


if __name__ == "__main__":
    from stratagem.arena.cluster import main as run  # under its own name, so that what is sent can be read

    run(int(sys.argv[1]))
