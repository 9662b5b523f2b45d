"""How often a player of RoboRally wins against three others that are all alike: 4 robots, 3 lives, its seat rotated over the
docks of the same starts, several courses in turn; over all cores, in parts that can be interrupted and go on.

    python -m benchmarks.strength.roborally --part random     strong, 0.3 s, against three random players, 1000 games
    python -m benchmarks.strength.roborally --part greedy     strong, 0.3 s, against three greedy players, 1000 games
    python -m benchmarks.strength.roborally --part ablations  one option changed at a time, 0.05 s, 400 games each
    python -m benchmarks.strength.roborally                   all of these, one after another
    python -m benchmarks.strength.roborally --hero easy --others greedy --games 40

Games go to `--output` as JSON lines as they end; those that are there already are not played again. `--minutes` is shared
out over the parts, and the table (Markdown, to the standard output) says how many games each row has. Wilson intervals, 95 %.
`--cluster` plays on a Ray cluster: the same starts, deals and seats by number; players that think by the clock may still decide
otherwise, as they may at home.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import stratagem
from benchmarks.spread import add_flag, on_cluster
from stratagem.contract.game import CHANCE, TOGETHER
from stratagem.contract.player import Clock
from stratagem.games.roborally import layout as k
from stratagem.registry import player
from stratagem.rng import generator

ROBOTS = 4
COURSES = "Risky Exchange,Dizzy Dash,Island Hop,Twister"
QUICK = "montecarlo:time=0.05"
ABLATIONS = {  # what each row changes; the default is turns=2, evaluator=turns, playout=best, candidates=0, share=halving,
    # keep=60, common=true, reduce=1
    "default": "",
    "depth": "turns=1 turns=3",
    "evaluator": "evaluator=straight evaluator=walk evaluator=registers",
    "playout": "playout=any playout=reduced playout=straying playout=drawn",
    "allocation": "share=uniform share=ucb common=false",
    "reduction": "reduce=none reduce=0 keep=0",
}


@dataclass(frozen=True)
class Row:
    """One row of the table: so many games of one player against three others."""

    part: str
    hero: str
    others: str
    games: int


def rows_of(part: str, games: int | None) -> list[Row]:
    if part == "ablations":
        found = [
            Row(part, f"{QUICK},{change}" if change else QUICK, "greedy", games or 400)
            for changes in ABLATIONS.values()
            for change in changes.split() or [""]
        ]
        return list(dict.fromkeys(found))
    return [Row(part, "strong", part, games or 1000)]


# ------------------------------------------------------------------------------------------------------------ a game


def one_game(game: Any, names: list[str], seed: int, watch: Callable[[Any], None] | None = None) -> Any:
    """A game between players by name; returns its last position. `watch` is given every position in which somebody decides."""
    table = [player(game, name, seed=seed + p) for p, name in enumerate(names)]
    rng = generator(seed)
    at = game.start()
    while not at.over:
        if at.turn == CHANCE:
            at = at.play(at.sample(rng))
            continue
        if watch is not None:
            watch(at)
        chosen = {p: table[p].choose(at.view(p), Clock(None), seat=p).move for p in at.asked}
        at = at.play([chosen.get(p, "-") for p in range(game.players)] if at.turn == TOGETHER else chosen[at.turn])
    return at


def play(task: tuple[Row, int, str, int]) -> dict[str, Any]:
    """Game `number` of a row: four games in turn have the same start, the hero in another seat."""
    row, number, courses, seed = task
    names = courses.split(",")
    seat, start = number % ROBOTS, number // ROBOTS
    game: Any = stratagem.game("roborally", course=names[start % len(names)], robots=ROBOTS)
    began = time.process_time()
    at = one_game(game, [row.hero if p == seat else row.others for p in range(ROBOTS)], seed + start)
    lost = [3 - int(at.state[k.ROBOTS + k.ROBOT * p + k.LIVES]) for p in range(ROBOTS)]
    flags = [int(at.state[k.ROBOTS + k.ROBOT * p + k.NEXT]) - 1 for p in range(ROBOTS)]
    return {
        "hero": row.hero, "others": row.others, "number": number, "seed": seed, "course": game.course.name, "seat": seat,
        "dock": int(at.state[k.ROBOTS + k.ROBOT * seat + k.DOCK]) + 1, "share": float(at.payoff[seat]),
        "turns": int(at.state[k.TURN]), "by_flags": max(flags) == len(game.course.flags), "flags": flags[seat],
        "lives_lost": lost[seat], "lives_lost_others": (sum(lost) - lost[seat]) / (ROBOTS - 1),
        "cpu": round(time.process_time() - began, 3),
    }  # fmt: skip


def compile_row(task: tuple[Row, str]) -> str:
    """One decision of each player of a row, so that the games find everything compiled."""
    row, courses = task
    os.environ["STRATAGEM_QUIET"] = "1"
    game: Any = stratagem.game("roborally", course=courses.split(",")[0], robots=ROBOTS)
    at = game.start(seed=1)
    for name in (row.hero, row.others):
        move = player(game, name, seed=1).choose(at.view(0), Clock(0.01), seat=0).move
    at.play([move, *(player(game, "random").choose(at.view(p), Clock(None), seat=p).move for p in range(1, ROBOTS))])
    return row.hero


@cache
def compile_once(row: Row, courses: str) -> None:
    compile_row((row, courses))


def play_compiled(*task: Any) -> dict[str, Any]:
    """The same as `play` on a host of a cluster, which compiles before its first game of a row."""
    row, _, courses, _ = task
    compile_once(row, courses)
    return play(task)


# ---------------------------------------------------------------------------------------------------------- the table


def wilson(share: float, n: int) -> tuple[float, float]:
    z = 1.96
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def table(rows: list[Row], found: dict[tuple[str, str], dict[int, dict[str, Any]]]) -> str:
    lines = [
        "| player | against 3 | games | wins | 95% interval | turns | won by flags | lives lost (others) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        games = [game for number, game in found[row.hero, row.others].items() if number < row.games]
        if not games:
            lines.append(f"| `{row.hero}` | `{row.others}` | 0 | | | | | |")
            continue
        mean = {
            name: float(np.mean([game[name] for game in games]))
            for name in ("share", "turns", "by_flags", "lives_lost")
        }
        low, high = wilson(mean["share"], len(games))
        others = np.mean([game["lives_lost_others"] for game in games])
        lines.append(
            f"| `{row.hero}` | `{row.others}` | {len(games)} | {mean['share']:.1%} | {low:.1%} to {high:.1%} "
            f"| {mean['turns']:.1f} | {mean['by_flags']:.0%} | {mean['lives_lost']:.2f} ({others:.2f}) |"
        )
    return "\n".join(lines)


def load(path: Path, seed: int) -> dict[tuple[str, str], dict[int, dict[str, Any]]]:
    """Games of this seed that are in the file, by players and number."""
    found: dict[tuple[str, str], dict[int, dict[str, Any]]] = defaultdict(dict)
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                game = json.loads(line)
            except ValueError:
                continue  # cut off when it was written
            if game["seed"] == seed:
                found[game["hero"], game["others"]][game["number"]] = game
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--part", choices=("random", "greedy", "ablations", "all"), default="all")
    arguments.add_argument("--hero", help="one row of one's own: this player ...")
    arguments.add_argument("--others", default="greedy", help="... against three of these")
    arguments.add_argument("--games", type=int, help="games a row; 1000 and 400 if not given")
    arguments.add_argument("--courses", default=COURSES)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--workers", type=int, default=None, help="one a core if not given")
    add_flag(arguments)
    arguments.add_argument("--minutes", type=float, default=60.0, help="stop then; what is missing can be played later")
    arguments.add_argument("--output", type=Path, default=Path("build/strength-roborally.jsonl"))
    given = arguments.parse_args()
    began = time.monotonic()
    chosen = [given.part] if given.part != "all" else ["random", "greedy", "ablations"]
    rows = [row for part in chosen for row in rows_of(part, given.games)]
    if given.hero:
        rows = [Row("own", given.hero, given.others, given.games or 40)]
    for name in given.courses.split(","):
        stratagem.game("roborally", course=name, robots=ROBOTS)  # an unknown course is said now
    given.output.parent.mkdir(parents=True, exist_ok=True)
    found = load(given.output, given.seed)
    # rows of a part advance together, so that a part cut short has rows of equal length
    tasks = [
        (row, number, given.courses, given.seed)
        for part in dict.fromkeys(row.part for row in rows)
        for number in range(max(row.games for row in rows if row.part == part))
        for row in rows
        if row.part == part and number < row.games and number not in found[row.hero, row.others]
    ]
    until, done = began + 60 * given.minutes, 0
    with given.output.open("a") as file:
        try:
            for game in played(tasks, rows, given, until) if tasks else ():
                file.write(json.dumps(game) + "\n")
                file.flush()
                found[game["hero"], game["others"]][game["number"]] = game
                done += 1
                if done % 10 == 0:
                    shown = f"\r{done} of {len(tasks)} games, {time.monotonic() - began:.0f} s"
                    print(shown, end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("\nstopped by hand; the same command goes on", file=sys.stderr)
    if done < len(tasks):
        print(f"\n{done} of {len(tasks)} games were played", file=sys.stderr)
    print(file=sys.stderr)
    print(table(rows, found))


def played(tasks: list[Any], rows: list[Row], given: argparse.Namespace, until: float) -> Iterator[dict[str, Any]]:
    """Games as they end, until it is time: on this machine, or on a cluster."""
    if given.cluster is not None:
        for _, game in on_cluster(given.cluster, given.workers, play_compiled, tasks, until):
            yield game
        return
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    began = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(given.workers or os.cpu_count() or 1) as pool:
        for number, hero in enumerate(pool.imap_unordered(compile_row, [(row, given.courses) for row in rows])):
            print(f"compiled {number + 1} of {len(rows)}: {hero}", file=sys.stderr, flush=True)
        print(f"compiled after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        results = pool.imap_unordered(play, tasks)
        for _ in tasks:
            try:
                yield results.next(timeout=max(until - time.monotonic(), 0.01))
            except multiprocessing.TimeoutError:
                return


if __name__ == "__main__":
    from benchmarks.strength.roborally import main as run  # under its own name, so that a cluster can read what is sent

    run()
