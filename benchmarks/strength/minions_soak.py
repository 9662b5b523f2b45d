"""Minions: many games of the engine against itself, on one to three boards over all maps, and whether each of them was clean.

Every turn is played by the rules as a referee would: an illegal one, one that spends more than there is, a crash, an answer
later than 5 % of its time or 20 ms, whichever is more, a game without an end: each is counted, with where it happened. Games are
appended to a file, a JSON object a line, and the same command goes on from there.

    python -m benchmarks.strength.minions_soak --games 1000 --nodes 12 --workers 2 --results soak.jsonl
    python -m benchmarks.strength.minions_soak --games 1000 --seconds 0.05 --workers 8 --limit 3000 --results timed.jsonl
    python -m benchmarks.strength.minions_soak --games 200 --seconds 0.02 --profile server --results spells.jsonl
    python -m benchmarks.strength.minions_soak --results soak.jsonl --games 0        # what is known so far

With `--nodes` there is no clock, so that a busy machine tells as much as a quiet one. With `--seconds` lateness is by the
clock and by the CPU time that the process had beyond it: where a machine is busy the first alone says little. What the machine
did during the latest answer of each game is kept (`during`): seconds that a host took from a virtual machine's processors (which
count as CPU time of whoever was at work), seconds in the kernel, page faults.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import time
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import stratagem
from benchmarks.clocks import add_clock, use_clock
from stratagem.contract.game import CHANCE
from stratagem.contract.player import Clock
from stratagem.errors import StratagemError
from stratagem.games.minions.config import profile_of
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.game import MinionsPosition
from stratagem.games.minions.turn import GameTurn
from stratagem.rng import generator

# of `spooky` all maps without tiles that act, as `book` has them
MAPS = {"spooky": profile_of("book").maps, "server": profile_of("server").maps}
PLIES = 500  # a game that is longer has no end
LATE_SHARE, LATE = 0.05, 0.02  # of its time, and seconds: the greater of both is allowed


class Job(NamedTuple):
    number: int
    profile: str
    nodes: int | None
    seconds: float | None


def spends(position: MinionsPosition, turn: GameTurn) -> bool:
    """Whether a turn pays for more than there is money."""
    state = position.state
    bought = sum(a.unit.cost for actions in turn.boards for a in actions if a.kind == "buy" and a.unit is not None)
    return bought + max(turn.tech.spells - 1, 0) * state.config.spell_price > state.money[state.side]


class Machine(NamedTuple):
    """Counters of the machine, or what they grew by."""

    stolen: float  # seconds that the host of a virtual machine took from its processors
    kernel: float  # seconds of this process in the kernel
    faults: int  # pages that this process missed

    @classmethod
    def now(cls) -> Machine:
        used, stat = resource.getrusage(resource.RUSAGE_SELF), Path("/proc/stat")
        ticks = int(stat.read_text().split(maxsplit=9)[8]) if stat.exists() else 0
        return cls(ticks / os.sysconf("SC_CLK_TCK"), used.ru_stime, used.ru_minflt)

    def since(self, before: Machine) -> Machine:
        return Machine(*(round(now - then, 4) for now, then in zip(self, before, strict=True)))


def play(job: Job) -> dict[str, Any]:
    """One game; `fault` says what was wrong with it, and is empty for a clean one."""
    draws = random.Random(f"soak {job.number}")
    known = MAPS[job.profile]
    maps = [known[job.number % len(known)], *draws.choices(known, k=job.number // len(known) % 3)]
    techline = "standard" if draws.random() < 0.5 else f"random:{job.number}"
    reported: dict[str, Any] = {"game": job.number, "maps": maps, "fault": "", "where": ""}
    game = stratagem.game(
        "minions", profile=job.profile, maps=",".join(maps), techline=techline, plies=0, other_maps=True
    )
    text = "engine" if job.nodes is None else f"engine:visits={job.nodes}"
    players = [stratagem.player(game, text, seed=2 * job.number + k) for k in range(2)]
    position, plies, late, overwork = game.start(seed=job.number), 0, 0.0, 0.0
    for player in players:
        assert isinstance(player, EnginePlayer)
        player.search_for(position.state.config)  # compiling is not thinking
    chance, during = generator(job.number, 1), Machine(0.0, 0.0, 0)
    began = time.process_time()
    try:
        while not position.over and plies < PLIES and not reported["fault"]:
            if position.turn == CHANCE:
                position = position.play(position.sample(chance))
                continue
            view, machine = position.view(position.turn), Machine.now()  # whoever asks makes the view
            asked, worked = time.perf_counter(), time.process_time()
            choice = players[position.turn].choose(view, Clock(job.seconds))
            if job.seconds is not None:
                behind = time.perf_counter() - asked - job.seconds
                if behind > late:
                    late, during = behind, Machine.now().since(machine)
                overwork = max(overwork, time.process_time() - worked - job.seconds)
            turn = GameTurn.parse(choice.move, len(maps))
            if spends(position, turn):
                reported.update(fault="overspent", where=f"{position} {choice.move}")
            try:
                position = position.play(choice.move)
            except StratagemError as error:
                reported.update(fault=f"illegal: {error}", where=f"{position} {choice.move}")
            plies += 1
    except Exception:
        reported.update(fault="crash", where=f"{position}\n{traceback.format_exc()}")
    blamed = sum(player.staging.faults for player in players if isinstance(player, EnginePlayer))
    if not reported["fault"]:
        if blamed:
            reported["fault"] = f"{blamed} illegal turns were considered"
        elif not position.over:
            reported["fault"] = "no end"
        elif job.seconds is not None and late > (allowed := max(LATE, LATE_SHARE * job.seconds)):
            reported["fault"] = "late"
            if overwork <= allowed:
                reported["fault"] = "late, but not at work"
            elif overwork - during.stolen <= allowed:
                reported["fault"] = "late, but the host had taken processors away"
    reported.update(
        plies=plies, winner=position.payoff[0] if position.over else None, late=round(late, 4), overwork=round(overwork, 4),
        during=during._asdict(), cpu=round(time.process_time() - began, 3),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )  # fmt: skip
    return reported


def summed(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "no game yet"
    faults: dict[str, int] = {}
    for row in rows:
        kind = row["fault"].split(":")[0]
        faults[kind] = faults.get(kind, 0) + 1
    clean = faults.pop("", 0)
    plies = sum(row["plies"] for row in rows)
    other = ", ".join(f"{n} {kind}" for kind, n in sorted(faults.items())) or "no fault"
    late = sorted(row["late"] for row in rows)
    boards = [sum(len(row["maps"]) == n for row in rows) for n in (1, 2, 3)]
    return (
        f"{len(rows)} games ({boards[0]}, {boards[1]}, {boards[2]} on 1, 2, 3 boards), {clean} clean, {other}; "
        f"{plies / len(rows):.0f} turns a game, {sum(row['cpu'] for row in rows) / max(plies, 1):.3f} CPU s a turn, "
        f"first seat won {sum(row['winner'] == 1 for row in rows)}, latest {1000 * late[-1]:.0f} ms "
        f"(middle of games {1000 * late[len(late) // 2]:.0f} ms), memory at most {max(row['memory'] for row in rows)} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: many games of the engine, and whether each was clean.")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--profile", choices=tuple(MAPS), default="spooky", help="server: with spells, on all maps")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, default=12, help="simulations a turn")
    limit.add_argument("--seconds", type=float, default=None, help="a turn, in place of simulations")
    add_clock(parser)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=None, help="seconds after which no game is begun")
    parser.add_argument("--results", type=Path, default=Path("minions-soak.jsonl"))
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.results.read_text().splitlines()] if given.results.exists() else []
    known = {row["game"] for row in rows}
    nodes = None if given.seconds is not None else given.nodes
    jobs = [Job(k, given.profile, nodes, given.seconds) for k in reversed(range(given.games)) if k not in known]
    end = None if given.limit is None else time.monotonic() + given.limit
    running: set[Future[dict[str, Any]]] = set()
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn"), use_clock, (given.clock,)) as pool:
        try:
            while running or jobs:
                while jobs and len(running) < given.workers and (end is None or time.monotonic() < end):
                    running.add(pool.submit(play, jobs.pop()))
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    row = future.result()
                    rows.append(row)
                    with given.results.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                    if row["fault"]:
                        print(f"game {row['game']} {row['maps']}: {row['fault']}\n  {row['where'][:2000]}", flush=True)
                    elif len(rows) % 20 == 0:
                        print(summed(rows), flush=True)
        except KeyboardInterrupt:
            print("stopped; the same command goes on")
            pool.shutdown(wait=False, cancel_futures=True)
    print(summed(rows))


if __name__ == "__main__":
    main()
