"""A Ray cluster in local nodes against the embedded pool: the same games, kills, overhead, and where one runner saturates.

    python -m benchmarks.bench_cluster --only equal      2,000 games on 2 and on 4 nodes against the embedded run, game for game
    python -m benchmarks.bench_cluster --only kills      ten kill -9 of hosts and nodes in 2,000 games: every game once
    python -m benchmarks.bench_cluster --only overhead   games a minute, Ray against the pool, games of 10 ms, 100 ms and 1 s
    python -m benchmarks.bench_cluster --only limits     a SIMULATION of up to 1,000 workers against the runner's own limits

All nodes are processes of this machine: nothing here measures a network. The last part plays no games: it measures what it costs
a runner to read and record batches of games, and simulates workers that hand theirs in at random moments to one runner with those
costs. `--games`, `--seconds` and `--workers` make it smaller.
"""

from __future__ import annotations

import argparse
import heapq
import pickle
import random
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
SIZES = (10, 100, 300, 1000)  # workers that are simulated
MOST_AT_ONCE = 1024  # games that a runner commits together
AHEAD = 128  # games that a worker has been given beyond those recorded
AUCTION = str(ROOT / "tests" / "toys" / "auction.py")


def cluster_tests() -> ModuleType:
    """The nodes, comparisons and kills of the tests, in full size here."""
    from arena import test_cluster

    return test_cluster


def pace(config: Any, **how: Any) -> tuple[float, float]:
    """Games a minute once the first have arrived, and the seconds until then."""
    from stratagem.arena.runner import open_match, run_match
    from stratagem.store.sqlite import Store

    arrived: list[tuple[float, int]] = []

    def watch(progress: Any, games: list[Any]) -> None:
        if games:
            arrived.append((time.perf_counter(), len(games)))

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite") as store:
        match = open_match(store, config, "m", resume=False)
        began = time.perf_counter()
        run_match(store, match, watch=watch, **how)
    (first, early), (last, _) = arrived[0], arrived[-1]
    return 60 * (config.total - early) / max(last - first, 1e-9), first - began


def play(config: Any, **how: Any) -> tuple[float, dict[int, Any]]:
    """Seconds and games of a match."""
    from stratagem.arena.runner import open_match, run_match
    from stratagem.store.sqlite import Store

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite") as store:
        match = open_match(store, config, "m", resume=False)
        began = time.perf_counter()
        run_match(store, match, **how)
        seconds = time.perf_counter() - began
        return seconds, {game.number: (game.seats, game.texts) for game in store.games()}


def equal(given: argparse.Namespace) -> None:
    from stratagem.arena.config import Config

    tests = cluster_tests()
    config = Config("pig", ("random", "random:seed=1"), {"target": 30}, games=given.games, seed=9)
    seconds, home = play(config, workers=given.workers)
    print(f"embedded: {len(home)} games in {seconds:.1f} s", flush=True)
    for count in (2, 4):
        nodes = tests.Nodes(count, 1)
        try:
            seconds, found = play(config, cluster=nodes.address)
        finally:
            nodes.close()
        same = sum(found[number] == game for number, game in home.items())
        print(
            f"{count} nodes: {len(found)} games in {seconds:.1f} s; {same} of {len(home)} equal game for game",
            flush=True,
        )


def kills(given: argparse.Namespace) -> None:
    tests = cluster_tests()
    nodes = tests.Nodes(2, 1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            tests.killed_again_and_again(nodes, Path(folder), given.games, 10)
            took = time.perf_counter() - began
        print(f"{given.games} games and ten kill -9 in {took:.0f} s: every game once, and as at home")
    finally:
        nodes.close()


def overhead(given: argparse.Namespace) -> None:
    from stratagem.arena.config import Config

    tests = cluster_tests()
    nodes = tests.Nodes(given.workers, 1)
    print(f"{'a game takes':>14} {'pool, games/min':>16} {'Ray, games/min':>16} {'ratio':>6}")
    try:
        for milliseconds in (10, 100, 1000):
            # six decisions a game; each takes a sixth of it, asleep, so that workers need no free cores
            names = tuple(f"dawdle:ms={milliseconds / 6:.3f},seed={k}" for k in range(2))
            games = max(20, 2 * round(1000 * given.seconds * given.workers / milliseconds / 2))
            config = Config(AUCTION, names, {"players": 2}, games=games)
            ways = ({"workers": given.workers}, {"cluster": nodes.address})
            (pool, soon), (spread, later) = (pace(config, **how) for how in ways)
            shown = f"{milliseconds:11} ms {pool:16,.0f} {spread:16,.0f} {spread / pool:6.2f}"
            print(f"{shown}   the first game came after {soon:.1f} s and {later:.1f} s", flush=True)
    finally:
        nodes.close()


def cost_of(batch: int, seconds: float) -> float:
    """CPU seconds that a runner needs to read and record so many games of 60 moves at once, whatever else the machine does."""
    from stratagem.store.sqlite import Move, Played, Result, Store

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite") as store:
        match, number, spent, rounds = store.open_match("m", {}).id, 0, 0.0, 0
        while spent < seconds:
            moves = [Move("roll", k % 2, 0.01) for k in range(60)]
            games = [Played(number + k, "pig", {}, ["a", "b"], moves, Result((1.0, -1.0))) for k in range(batch)]
            packed = pickle.dumps(games)
            began = time.process_time()
            store.record(match, pickle.loads(packed))
            spent += time.process_time() - began
            number, rounds = number + batch, rounds + 1
    return spent / rounds


def simulated(workers: int, length: float, fixed: float, each: float, games: int = 20_000) -> float:
    """Games a second that one runner records of so many workers, whose games take about `length` seconds."""
    draws = random.Random(1)
    ends = [draws.uniform(0.0, 2.0 * length) for _ in range(workers)]  # when each hands in its next game
    heapq.heapify(ends)
    clock, recorded = 0.0, 0
    while recorded < games:
        clock = max(clock, ends[0])  # the runner waits for the first, and takes all that have arrived
        batch = 0
        while ends[0] <= clock and batch < MOST_AT_ONCE:
            # a worker goes on at once, unless the runner is so far behind that it has given it nothing to do
            heapq.heapreplace(ends, max(ends[0], clock - AHEAD * length) + draws.uniform(0.5, 1.5) * length)
            batch += 1
        clock += fixed + each * batch
        recorded += batch
    return recorded / clock


def limits(given: argparse.Namespace) -> None:
    small, large = cost_of(1, given.seconds / 4), cost_of(64, given.seconds / 4)
    each = (large - small) / 63
    fixed = max(small - each, 0.0)
    print(
        f"measured: a commit costs the runner {1e6 * fixed:.0f} us, and each game of 60 moves in it {1e6 * each:.0f} us"
    )
    print("a SIMULATION with those costs, games a second recorded (and of what the workers could play):")
    print(f"{'a game takes':>14}" + "".join(f"{count:>9} workers " for count in SIZES))
    for length in (0.01, 0.1, 1.0, 10.0):
        row = [simulated(count, length, fixed, each) for count in SIZES]
        cells = (f"{speed:9,.0f} ({speed * length / n:4.0%}) " for speed, n in zip(row, SIZES, strict=True))
        print(f"{length:12} s" + "".join(cells), flush=True)


PARTS = {"equal": equal, "kills": kills, "overhead": overhead, "limits": limits}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=sorted(PARTS))
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--workers", type=int, default=2, help="of the embedded pool, and nodes in the overhead table")
    given = parser.parse_args()
    for name, part in PARTS.items():
        if given.only in (None, name):
            if name != "limits":
                try:
                    import ray  # noqa: F401
                except ImportError:
                    print(f"left out: {name} (Ray is not installed: pip install 'stratagem[cluster]')")
                    continue
            print(f"-- {name}", flush=True)
            part(given)


if __name__ == "__main__":
    main()
