"""Claim: with a hundred games at once against engines on two cores, no request fails, no move is lost, and requests that need
no engine are answered within 200 ms at the 95th percentile.

A server of its own and scripted clients share two cores. The clients play whole games side by side, large ones among them,
build plans part by part, look at pages and play back what happened; every answer is timed, and every move that was accepted
must be in its place in the record. Nobody waits for an engine in a request: its move comes later, as on the page. Time that
other programs took from the two cores is measured and said.

`--json` prints one object instead.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import stratagem

CLIENTS, WANTED = 20, 0.2
# How many of a hundred games are of each kind, and options that keep them short.
MIX: tuple[tuple[int, str, dict[str, Any], str], ...] = (
    (50, "tictactoe", {}, "easy"),
    (20, "connect4", {}, "easy"),
    (10, "bidding", {}, "easy"),
    (10, "blotto", {}, "easy"),
    (5, "roborally", {"robots": 2, "max_turns": 2}, "easy"),
    (5, "minions", {"plies": 6}, "easy"),
)


class Client:
    """One connection; the kind, the seconds and the status of every request are kept."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.done: list[tuple[str, float, int]] = []

    def ask(self, kind: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, str]:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["content-type"] = "application/json"
        began = time.perf_counter()
        self.connection.request("GET" if data is None else "POST", path, data, headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        self.done.append((kind, time.perf_counter() - began, response.status))
        return response.status, text


class Game:
    """One scripted game against an engine."""

    def __init__(self, client: Client, name: str, options: dict[str, Any], engine: str, seed: int) -> None:
        self.client, self.rng = client, random.Random(seed)
        self.game = stratagem.game(name, **options)
        seats = ["person", *[engine] * (self.game.players - 1)]
        status, text = client.ask("new game", "/api/tables", {"game": name, "options": options, "seats": seats})
        assert status == 201, text
        made = json.loads(text)
        self.path, self.token, self.key = f"/api/tables/{made['table']}", made["tokens"]["0"], made["table"]
        self.sent: dict[int, str] = {}  # the ply of every move that was accepted
        self.over = False

    def look(self) -> None:
        """Look at the table and decide if it is our turn."""
        status, text = self.client.ask("table", self.path, None, self.token)
        assert status == 200, text
        state = json.loads(text)
        if state["turn"] == "over":
            self.over = True
            self.check(state)
        elif state["parts"]:
            self.move(state["ply"], state["parts"])
        elif state["ply"] and self.rng.random() < 0.2:
            self.client.ask("playback", f"{self.path}/frames/{state['ply']}", None, self.token)
        elif self.rng.random() < 0.1:
            self.client.ask("page", f"/play/{self.key}")

    def move(self, ply: int, parts: Any) -> None:
        """A whole move, part by part as the page does: the part to which nothing can be added plays it, else a last request."""
        prefix: list[str] = []
        while parts["next"] and not (prefix and parts["complete"]):
            prefix.append(self.rng.choice(parts["next"]))
            body = {"prefix": prefix, "ply": ply}
            status, text = self.client.ask("parts", f"{self.path}/parts", body, self.token)
            assert status == 200, text
            parts = json.loads(text)
        move = ";".join(prefix)
        if parts["played"] is None:
            status, text = self.client.ask("move", f"{self.path}/moves", {"move": move, "ply": ply}, self.token)
            assert status == 200, text
        self.sent[ply] = move

    def check(self, state: Any) -> None:
        """Every move that was accepted is in the record, and the record leads to the position."""
        texts = [move["text"] for move in state["moves"]]
        if self.game.hidden:
            status, text = self.client.ask("record", f"{self.path}/record", None, self.token)
            assert status == 200, text
            texts = json.loads(text)["moves"]
        for ply, move in self.sent.items():
            mine, before = texts[ply].split(" | ")[0], self.game.replay(texts[:ply])
            wanted = before.play(move).history[-1] if before.turn == 0 else before.check(move, 0)
            assert mine == wanted, f"a move was lost: {move!r} at ply {ply}, the record has {mine!r}"
        assert str(self.game.replay(texts)) == state["text"], f"the record of {self.path} leads elsewhere"


def play(client: Client, kinds: list[tuple[str, dict[str, Any], str]], number: int, wrong: list[str]) -> None:
    try:
        games = [Game(client, *kind, seed=100 * number + k) for k, kind in enumerate(kinds)]
        end = time.monotonic() + 240
        while any(not game.over for game in games):
            assert time.monotonic() < end, "a game did not end in four minutes"
            for game in games:
                if not game.over:
                    game.look()
            time.sleep(0.3)
    except BaseException as error:
        wrong.append(f"{type(error).__name__}: {error}"[:400])


def serve(folder: Path) -> tuple[subprocess.Popen[str], int]:
    command = [
        sys.executable,
        "-c",
        "from stratagem.cli import main; main()",
        "serve",
        "--no-open",
        "--no-warm",
        "--port",
        "0",
    ]
    server = subprocess.Popen([*command, "--store", str(folder / "games.sqlite")], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = re.search(r":(\d+)/", server.stdout.readline())
    assert found, "the server did not start"
    for _ in range(200):
        try:
            Client(int(found[1])).ask("", "/")
            break
        except OSError:
            time.sleep(0.05)
    return server, int(found[1])


def cores_busy() -> float:
    """Seconds that all cores together have worked so far; 0 where the system does not say."""
    try:
        words = Path("/proc/stat").read_text().split(None, 8)[1:8]
    except OSError:
        return 0.0
    user, nice, system, _, _, irq, soft = (int(word) for word in words)
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def percentile(seconds: list[float], share: float) -> float:
    return sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)]


def measure(games: int) -> dict[str, Any]:
    cores = len(os.sched_getaffinity(0))
    kinds = [kind for share, *kind in MIX for _ in range(round(share * games / 100))]
    random.Random(1).shuffle(kinds)
    with tempfile.TemporaryDirectory() as folder:
        busy, own, first = cores_busy(), own_seconds(), time.monotonic()
        server, port = serve(Path(folder))
        wrong: list[str] = []
        try:
            play(Client(port), [kind for _, *kind in MIX], 99, wrong)  # what compiles does so now
            clients = [Client(port) for _ in range(CLIENTS)]
            began = time.monotonic()
            threads = [
                threading.Thread(target=play, args=(client, kinds[k::CLIENTS], k, wrong), daemon=True)
                for k, client in enumerate(clients)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(300)
            took = time.monotonic() - began
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(10)
    there = (time.monotonic() - first) * (os.cpu_count() or 1)
    others = max(0.0, cores_busy() - busy - (own_seconds() - own)) / there
    done = [one for client in clients for one in client.done]
    kinds_seen = sorted({kind for kind, _, _ in done})
    figures = {
        kind: {
            "requests": len(found),
            **{f"p{int(100 * share)}": round(1000 * percentile(found, share), 1) for share in (0.5, 0.95, 0.99)},
            "max": round(1000 * max(found), 1),
        }
        for kind in (*kinds_seen, "all")
        if (found := [seconds for k, seconds, _ in done if kind in (k, "all")])
    }
    return {
        "games": len(kinds), "cores": cores, "seconds": round(took, 1), "milliseconds": figures, "wrong": wrong,
        "errors_500": sum(status >= 500 for _, _, status in done), "refused": sum(400 <= s < 500 for _, _, s in done),
        "lost_moves": sum("lost" in line or "elsewhere" in line for line in wrong),
        "others_share": round(min(others, 1.0), 2),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    found = measure(chosen.games)
    if chosen.json:
        print(json.dumps(found))
        return
    print(f"{found['games']} games at once, {CLIENTS} clients, {found['cores']} cores, {found['seconds']} s")
    print(f"{'':10} {'requests':>9} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}   milliseconds")
    for kind, row in found["milliseconds"].items():
        print(f"{kind:10} {row['requests']:9,} {row['p50']:8} {row['p95']:8} {row['p99']:8} {row['max']:8}")
    late = found["milliseconds"]["all"]["p95"]
    print(f"errors 500: {found['errors_500']}, refused: {found['refused']}, lost moves: {found['lost_moves']}")
    print(
        f"95th percentile {late} ms, claimed under {1000 * WANTED:g} ms; others had {found['others_share']:.0%} of the cores"
    )
    for line in found["wrong"]:
        print(f"wrong: {line}")
    sys.exit(1 if found["wrong"] or found["errors_500"] else 0)


if __name__ == "__main__":
    main()
