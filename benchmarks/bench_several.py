"""Several processes on one PostgreSQL: writers, kills of the server, and two web processes; what is lost (nothing) and how fast.

    python -m benchmarks.bench_several --only writers   50 processes write games at once: every game once, games a second
    python -m benchmarks.bench_several --only kills     kill -9 of the server, again and again, in one match of the arena
    python -m benchmarks.bench_several --only web       100 games at once by clients that change the process at every request

Each part fails where something is lost, written twice, stale for over a second or seated twice: they are the tests of the store
and of the web in full size. A server of PostgreSQL is started in a temporary folder; without one a line says so.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))


def writers(given: argparse.Namespace) -> None:
    from postgres import Server
    from store.test_store import many_writers

    server = Server()
    try:
        began = time.perf_counter()
        many_writers(server, given.writers, given.games)
        took = time.perf_counter() - began
    finally:
        server.close()
    total = given.writers * given.games
    print(
        f"{given.writers} writers at once, {given.games} games each, a transaction a game: {total} games, each once, in "
        f"{took:.1f} s, {total / took:.0f} a second, starting {given.writers} Pythons included"
    )


def kills(given: argparse.Namespace) -> None:
    """A match goes on through kills: what it heard is recorded is there, every game once, and the games are those at home."""
    from postgres import Server

    from stratagem.arena.config import Config
    from stratagem.arena.playing import play_game
    from stratagem.arena.runner import open_match, run_match
    from stratagem.store import open_store

    config = Config("pig", ("random", "random:seed=1"), {"target": 30}, games=given.match, seed=9)
    server, down = Server(), 0.0
    reported: set[int] = set()
    killed: list[threading.Thread] = []

    def kill() -> None:
        nonlocal down
        began = time.monotonic()
        server.kill()
        server.start()
        down = max(down, time.monotonic() - began)

    def watch(progress: Any, games: list[Any]) -> None:
        reported.update(game.number for game in games)
        if killed and killed[-1].is_alive():
            return  # one at a time
        if progress.done >= (len(killed) + 1) * given.match // (given.kills + 1) and len(killed) < given.kills:
            killed.append(threading.Thread(target=kill))
            killed[-1].start()

    try:
        with open_store(server.address()) as store:
            match = open_match(store, config, "m", resume=False)
            began = time.perf_counter()
            run_match(store, match, workers=given.workers, watch=watch)
            took = time.perf_counter() - began
            for thread in killed:
                thread.join()
            found = {game.number: game.texts for game in store.games(match.id)}
            listed = [number for number, _, _ in store.results(match.id)]
    finally:
        server.close()
    assert sorted(listed) == list(range(given.match)), "every game once"
    assert reported <= set(found), "what was acknowledged is there"
    sample = range(0, given.match, max(1, given.match // 50))
    assert all(found[n] == [move.text for move in play_game(config, config.task(n)).moves] for n in sample)
    print(
        f"{given.match} games of one match and {len(killed)} kill -9 of the server in {took:.0f} s (it was away for up to "
        f"{down:.1f} s): every game once, and as at home"
    )


def web(given: argparse.Namespace) -> None:
    from postgres import Server as Postgres
    from web.serving import Server
    from web.test_processes import many_games

    postgres = Postgres()
    servers = ()
    try:
        address = postgres.address()
        servers = (Server(address, "--workers", "1"), Server(address, "--workers", "1"))
        began = time.perf_counter()
        stale = many_games(servers, given.tables, given.tables)
        took = time.perf_counter() - began
    finally:
        for server in servers:
            server.kill()
        postgres.close()
    assert max(stale) < 1.0
    print(
        f"{given.tables} games at once at two processes in {took:.1f} s: no move lost, no seat given twice; the longest that a "
        f"process was behind what the other had acknowledged: {1000 * max(stale):.0f} ms"
    )


PARTS = {"writers": writers, "kills": kills, "web": web}


def main() -> None:
    from postgres import missing

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=sorted(PARTS))
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--games", type=int, default=20, help="of each writer")
    parser.add_argument("--match", type=int, default=2000, help="games of the match that kills fall into")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2, help="of that match")
    parser.add_argument("--tables", type=int, default=100, help="games at once on the web")
    given = parser.parse_args()
    if why := missing():
        print(f"left out: {why}")
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    for name, part in PARTS.items():
        if given.only in (None, name):
            print(f"-- {name}", flush=True)
            part(given)


if __name__ == "__main__":
    main()
