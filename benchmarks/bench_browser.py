"""Claim: tree search in a browser has at least half of its native speed, and visitors who use it cost the server no engine time.

Speed is processor time for the same simulations, in alternation: V8 (Node) with the module and the loader that pages use, and a
process that calls the CPU's code. Both have warmed up. The results are compared, and must be equal.

Visitors open an analysis of connect four at ten positions, all at once. *Server* is the server's engine, *here* what a page with
its own engine asks: the position, the arrays, the module, and twice the texts of lines. Processor time is that of the server and
of all its processes.

`python benchmarks/bench_browser.py` prints both; `--visitors 0` leaves the visitors out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np

import stratagem
from stratagem.search import browser
from stratagem.search.tree.mcts import MCTS

SCRIPT = Path(__file__).resolve().parents[1] / "tests" / "search" / "run_module.mjs"
# simulations of a slice; the games that a tree proves within moments are played on larger boards
CASES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("connect4", {}, 60_000),
    ("othello", {}, 8_000),
    ("hex", {}, 5_000),
    ("breakthrough", {}, 5_000),
    ("tictactoe", {"rows": 5, "columns": 5, "line": 4}, 30_000),
    ("nim", {"heaps": "9,9,9,9"}, 30_000),
    ("pig", {}, 10_000),
)
SLICES = 6  # the first of which is not timed


def native(name: str, options: dict[str, Any], simulations: int) -> dict[str, Any]:
    """What the CPU does, in this process."""
    start = stratagem.game(name, **options).start()
    search = MCTS(start.game, replace(browser.SETTINGS, target="cpu"))
    root = search._begin(start)
    began, done = 0.0, 0
    for k in range(SLICES):
        began = began or (time.process_time() if k else 0.0)
        done += search._simulate(*search._arguments(root, 0, simulations, simulations, np.zeros(1, np.int64)))
    spent = time.process_time() - began
    arms = [[arm.move, arm.visits, arm.value] for arm in search.arms()]
    return {"milliseconds": 1000 * spent, "arms": arms, "done": done}


def compared(name: str, options: dict[str, Any], simulations: int, rounds: int) -> dict[str, Any]:
    start = stratagem.game(name, **options).start()
    begun = browser.begun(start.game, start)
    module = begun.template.module(begun.args)
    side = [sys.executable, __file__, "--native", json.dumps([name, options, simulations])]
    times: dict[str, list[float]] = {"wasm": [], "native": []}
    with tempfile.TemporaryDirectory() as folder:
        low = start.game.payoff_range[0]
        asked = {"manifest": begun.manifest, "seat": start.turn, "low": low, "slices": [simulations] * SLICES}
        Path(folder, "begun.json").write_text(json.dumps(asked))
        Path(folder, "module.wasm").write_bytes(module)
        for _ in range(rounds):
            here = json.loads(subprocess.check_output(["node", str(SCRIPT), folder]))
            there = json.loads(subprocess.check_output(side).splitlines()[-1])
            arms = [[arm["move"], arm["visits"], arm["value"]] for arm in here["found"]["arms"]]
            assert arms == there["arms"], f"{name}: the two do not agree"
            times["wasm"].append(here["milliseconds"])
            times["native"].append(there["milliseconds"])
    found = {side: statistics.median(each) for side, each in times.items()}
    return {
        "game": name,
        **{side: round(x) for side, x in found.items()},
        "share": round(found["native"] / found["wasm"], 2),
        "bytes": len(module),
    }


def processor_seconds(pid: int) -> float:
    """Of a process and of all that it has started, dead or alive."""
    found = 0.0
    parents: dict[int, tuple[int, float]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    for each, (_, spent) in parents.items():
        at = each
        while at not in (0, 1, pid):
            at = parents.get(at, (0, 0.0))[0]
        found += spent if at == pid else 0.0
    return found


def visit(url: str, where: str, number: int, seconds: float) -> int:
    """One visitor; returns the requests."""
    line = {"game": "connect4", "moves": [str(1 + number % 7), str(1 + number // 7 % 7)]}
    with httpx.Client(base_url=url, timeout=3600) as client:
        client.post("/api/position", json=line).raise_for_status()
        if where == "server":
            client.post("/api/analyse", json={**line, "engine": "mcts", "seconds": seconds}).raise_for_status()
            return 2
        reported = client.post("/api/here", json=line).raise_for_status().json()
        client.get(f"/modules/{reported['module']}.wasm").raise_for_status()
        for _ in range(2):
            lines = [[move["number"]] for move in reported["moves"][:5]]
            client.post("/api/here/lines", json={**line, "lines": lines}).raise_for_status()
        return 5


SERVE = """
import sys, uvicorn
from stratagem.store.sqlite import Store
from stratagem.web.app import create_app
from stratagem.web.guard import Limits
app = create_app(Store(sys.argv[1]), limits=Limits(rate=1e6, burst=10**6, analyses=10**4))
uvicorn.run(app, host="127.0.0.1", port=0, log_level="info", access_log=False)
"""


def visited(where: str, visitors: int, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVE, f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            url = next(found[0] for line in server.stderr if (found := re.search(r"http://[\d.:]+", line)))
            visit(url, where, 0, 0.1)  # what is compiled or loaded once
            before, began = processor_seconds(server.pid), time.perf_counter()
            with ThreadPoolExecutor(visitors) as pool:
                requests = sum(pool.map(lambda k: visit(url, where, k, seconds), range(visitors)))
            spent = processor_seconds(server.pid) - before
        finally:
            server.kill()
            server.wait()
    return {
        "where": where,
        "visitors": visitors,
        "requests": requests,
        "processor seconds": round(spent, 2),
        "seconds": round(time.perf_counter() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", help="of those offered; all of them if none is named")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0, help="that a visitor's analysis takes")
    parser.add_argument("--native", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.native:
        print(json.dumps(native(*json.loads(asked.native))))
        return
    for name, options, simulations in CASES:
        if not asked.games or name in asked.games:
            print(json.dumps(compared(name, options, simulations, asked.rounds)), flush=True)
    if asked.visitors:
        for where in ("server", "here"):
            print(json.dumps(visited(where, asked.visitors, asked.seconds)), flush=True)


if __name__ == "__main__":
    main()
