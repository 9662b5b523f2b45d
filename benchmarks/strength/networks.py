"""What networks are worth in Elo: pairs of games from the same random opening, seats swapped, as sequential tests.

    quantised     a network in whole numbers against itself in floating point, at an equal depth: what rounding alone costs
    othello, breakthrough, connect4, roborally
                  the network against what the game has without one, at equal time a move
    ladder        everybody against everybody: random, a look ahead of one ply, the search without a network, and the networks of
                  the rounds of a folder

Pairs are written as they end, one JSON object a line; the same command goes on where it stopped. Tests are those of `stratagem
arena test` by pairs (elo0 0, elo1 30, both errors 5 %), stopped at `--pairs` and reported as they stand; `quantised` and `ladder`
play all their pairs. `--weights` names a file for a game (else the one that comes with it), `--folder` what `stratagem train`
left, which `quantised` and `ladder` need. `--write` puts the tables into docs/networks.md and plays nothing.

    python -m benchmarks.strength.networks --only quantised --folder othello=FOLDER --pairs 200 --clock processor
    python -m benchmarks.strength.networks --only othello --time 0.02,0.1,1 --workers 16
    python -m benchmarks.strength.networks --only connect4 --weights connect4=FILE --time 0.1
    python -m benchmarks.strength.networks --only ladder --folder othello=FOLDER --pairs 30 --time 0.02
    python -m benchmarks.strength.networks --write
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import stratagem
from benchmarks.clocks import add_clock
from benchmarks.strength.whole_turns import HYPOTHESES, Test, pairs, put
from stratagem.arena.ratings import Outcome, rate
from stratagem.arena.sprt import judge
from stratagem.contract.player import Clock
from stratagem.networks import lift
from stratagem.networks.floating import floating, floats_of
from stratagem.rng import generator
from stratagem.search.alphabeta import AlphaBeta

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "networks.md"
PLAIN = {"othello": "alphabeta", "breakthrough": "alphabeta", "connect4": "mcts", "roborally": "montecarlo"}
EASY = {"othello": "alphabeta:depth=1", "breakthrough": "alphabeta:depth=1", "connect4": "mcts:simulations=30"}
OPENINGS = {"othello": 10, "breakthrough": 8, "connect4": 6, "roborally": 0}
OPTIONS: dict[str, dict[str, Any]] = {"roborally": {"robots": 2}}
DEPTH = 4  # of `quantised`
FLOAT = "float:"  # before a checkpoint: the network in floating point
BETWEEN_LINES = 10.0  # seconds between two lines of progress


class Meeting(NamedTuple):
    """Who meets whom at what, and by how much they think."""

    group: str
    game: str
    ours: str  # as the tables call them
    theirs: str
    seconds: float | None  # a move; None: by depth
    depth: int | None

    @property
    def limit(self) -> str:
        return f"{self.seconds:g} s a move" if self.seconds is not None else f"depth {self.depth}"

    def __str__(self) -> str:
        return f"{self.group}, {self.game}, {self.limit}: {self.ours} against {self.theirs}"


class Job(NamedTuple):
    """One pair: the meeting, and what its names stand for."""

    meeting: Meeting
    texts: tuple[str, str]
    pair: int
    clock: str


# ------------------------------------------------------------------------------------------------------------- a pair


class FloatPlayer:
    """Alpha-beta to a depth with a network in floating point."""

    def __init__(self, game: Any, checkpoint: str) -> None:
        self.game = floating(game, floats_of(Path(checkpoint)))
        self.search = AlphaBeta(self.game)

    def choose(self, position: Any, depth: int) -> str:
        found = self.search.analyse(lift(self.game, position), Clock(None), depth=depth)
        return found.move


@cache
def rules(game: str) -> Any:
    return stratagem.game(game, **OPTIONS.get(game, {}))


@cache
def player(game: str, text: str, depth: int | None) -> Any:
    if text.startswith(FLOAT):
        return FloatPlayer(rules(game), text.removeprefix(FLOAT))
    if depth is not None:
        text += f"{',' if ':' in text else ':'}depth={depth}"
    return stratagem.player(rules(game), text)


def opening(game: str, pair: int) -> Any:
    """A position after random moves in which somebody is still to move."""
    for number in range(1000):
        position, lots = rules(game).start(), generator(pair, number)
        for _ in range(OPENINGS[game]):
            if not position.over:
                position = position.play(position.sample(lots))
        if not position.over:
            return position
    raise SystemExit(f"no random opening of {game} leaves a game to play")


def played(job: Job, start: Any, seat: int) -> float:
    """Our score of a game that we play from a seat."""
    meeting, position, chance = job.meeting, start, generator(job.pair, 7)
    clock = Clock(meeting.seconds)

    def move(p: int) -> str:
        who: Any = player(meeting.game, job.texts[p != seat], meeting.depth)
        if isinstance(who, FloatPlayer):
            return who.choose(position, meeting.depth or DEPTH)
        return str(who.choose(position.view(p), clock, seat=p).move)

    while not position.over:
        if position.turn >= 0:
            position = position.play(move(position.turn))
        elif position.asked:
            position = position.play([move(p) if p in position.asked else "-" for p in range(2)])
        else:
            position = position.play(position.sample(chance))
    ours, theirs = position.payoff[seat], position.payoff[1 - seat]
    return 0.5 if ours == theirs else float(ours > theirs)


def play_pair(job: Job) -> dict[str, Any]:
    start = opening(job.meeting.game, job.pair)
    scores = [played(job, start, seat) for seat in range(2)]
    return {**job.meeting._asdict(), "pair": job.pair, "scores": scores, "clock": job.clock}


# ----------------------------------------------------------------------------------------------------- what is played


def named(given: list[str] | None, what: str) -> dict[str, Path]:
    """GAME=PATH, by game."""
    found = {}
    for item in given or []:
        game, equals, path = item.partition("=")
        if not equals or game not in PLAIN:
            sys.exit(f"{item!r} is no {what} GAME=PATH; games are {', '.join(PLAIN)}")
        found[game] = Path(path).expanduser().absolute()
    return found


def meetings(given: argparse.Namespace) -> dict[Meeting, tuple[str, str]]:
    """Everything that was asked for, with the players' texts."""
    weights, folders = named(given.weights, "file"), named(given.folder, "folder")
    found: dict[Meeting, tuple[str, str]] = {}
    for group in given.only:
        if group == "quantised":
            for game, folder in folders.items():
                place = folder / "round-1"
                texts = (f"network:weights={place / 'network.safetensors'}", f"{FLOAT}{place / 'checkpoint.pt'}")
                found[Meeting(group, game, "whole numbers", "floating point", None, given.depth)] = texts
        elif group == "ladder":
            for game, folder in folders.items():
                found |= ladder(game, folder, given.time)
        else:
            text = f"network:weights={weights[group]}" if group in weights else "network"
            for seconds in given.time:
                found[Meeting(group, group, "network", PLAIN[group], seconds, None)] = (text, PLAIN[group])
    if not found:
        sys.exit("nothing is to be played: quantised and ladder need --folder GAME=FOLDER")
    return found


def ladder(game: str, folder: Path, times: list[float]) -> dict[Meeting, tuple[str, str]]:
    entrants = {"random": "random", "a look ahead": EASY.get(game, "easy"), "without a network": PLAIN[game]}
    for number in range(1, 100):
        file = folder / f"round-{number}" / "network.safetensors"
        if file.exists():
            entrants[f"network of round {number}"] = f"network:weights={file}"
    names = list(entrants)
    return {
        Meeting("ladder", game, a, b, seconds, None): (entrants[a], entrants[b])
        for seconds in times
        for k, a in enumerate(names)
        for b in names[k + 1 :]
    }


def read(path: Path) -> dict[Meeting, Test]:
    tests: dict[Meeting, Test] = defaultdict(Test)
    for text in path.read_text().splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue  # a run that was killed while it wrote
        tests[Meeting(*(line[name] for name in Meeting._fields))].add(line)
    return tests


def schedule(tests: dict[Meeting, Test], asked: dict[Meeting, tuple[str, str]], given: Any) -> Iterator[Job]:
    """Pairs in turn of all meetings that are open, so that a run that is cut has something of each."""
    known = {meeting: set(tests[meeting].done) for meeting in asked}
    for pair in range(given.pairs):
        for meeting, texts in asked.items():
            whole = meeting.group in ("quantised", "ladder")
            if pair not in known[meeting] and (whole or tests[meeting].open):
                yield Job(meeting, texts, pair, given.clock)


def told(test: Test) -> str:
    counts = all_counts(test)
    found = judge(counts, HYPOTHESES)
    elo = "every game won or lost" if found.elo is None else f"{found.elo:+.0f} ± {found.elo_error or 0:.0f} Elo"
    return f"{sum(counts)} pairs {tuple(counts)}, {elo}, {test.verdict.decision}"


def all_counts(test: Test) -> list[int]:
    """Pairs by what they brought, lost both first; also those that a test did not wait for."""
    counts = [0] * 5
    for line in test.done.values():
        counts[round(2 * sum(line["scores"]))] += 1
    return counts


def compete(given: argparse.Namespace) -> None:
    tests, asked = read(given.results), meetings(given)
    os.environ["STRATAGEM_QUIET"] = "1"  # for the workers
    began = shown = time.monotonic()
    with given.results.open("a") as file:
        jobs = schedule(tests, asked, given)
        for line in pairs(jobs, given.workers, began + given.limit, given.clock, play_pair):
            file.write(json.dumps(line) + "\n")
            file.flush()
            meeting = Meeting(*(line[name] for name in Meeting._fields))
            tests[meeting].add(line)
            if time.monotonic() - shown > BETWEEN_LINES:
                shown = time.monotonic()
                print(f"{shown - began:5.0f} s   {meeting}: {told(tests[meeting])}", flush=True)
    for meeting in asked:
        print(f"{meeting}: {told(tests[meeting])}")


# ----------------------------------------------------------------------------------------------------------- the page


def tables(tests: dict[Meeting, Test]) -> str:
    rows = ["| | pairs (lost both .. won both) | Elo | sequential test |", "|---|---|---|---|"]
    for meeting, test in sorted(tests.items()):
        if meeting.group == "ladder":
            continue
        counts = all_counts(test)
        found = judge(counts, HYPOTHESES)
        elo = "" if found.elo is None else f"{found.elo:+.0f} ± {found.elo_error or 0:.0f}"
        decided = "" if meeting.group == "quantised" else test.verdict.decision
        title = f"{meeting.game}, {meeting.limit}: {meeting.ours} against {meeting.theirs}"
        rows.append(f"| {title} | {', '.join(map(str, counts))} | {elo} | {decided} |")
    for game, seconds in dict.fromkeys((m.game, m.seconds) for m in tests if m.group == "ladder"):
        outcomes, group = [], 0
        for meeting, test in tests.items():
            if (meeting.group, meeting.game, meeting.seconds) != ("ladder", game, seconds):
                continue
            for line in test.done.values():
                group += 1
                for seat, score in enumerate(line["scores"]):
                    order = slice(None, None, 1 - 2 * seat)
                    both, payoff = (meeting.ours, meeting.theirs), (2 * score - 1, 1 - 2 * score)
                    outcomes.append(Outcome(both[order], payoff[order], group))
        rows += [
            "",
            f"The ladder of {game}, {seconds:g} s a move:",
            "",
            "| player | Elo | ± | games |",
            "|---|---|---|---|",
        ]
        rows += [f"| {r.player} | {r.elo:+.0f} | {r.error:.0f} | {r.games} |" for r in rate(outcomes).table]
    return "\n".join(rows)


def write(results: Path) -> None:
    tests = read(results)
    if not tests:
        sys.exit(f"{results} holds no results yet")
    PAGE.write_text(put(PAGE.read_text(), "strength", "\n" + tables(tests) + "\n"))
    print(f"wrote {PAGE.relative_to(ROOT)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=["othello"])
    parser.add_argument("--weights", action="append", help="GAME=FILE; may be repeated")
    parser.add_argument("--folder", action="append", help="GAME=FOLDER of `stratagem train`; may be repeated")
    parser.add_argument("--time", type=lambda text: [float(t) for t in text.split(",")], default=[0.02, 0.1, 1.0])
    parser.add_argument("--depth", type=int, default=DEPTH, help="of quantised")
    parser.add_argument("--pairs", type=int, default=400, help="of a meeting, at most")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="games at once, one a core")
    add_clock(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "networks.jsonl")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    given = parser.parse_args()
    if unknown := set(given.only) - {"quantised", "ladder", *PLAIN}:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are quantised, ladder, {', '.join(PLAIN)}")
    given.results.parent.mkdir(parents=True, exist_ok=True)
    if given.write:
        write(given.results)
        return
    try:
        compete(given)
    except KeyboardInterrupt:
        print("stopped by hand; the same command goes on")


if __name__ == "__main__":
    from benchmarks.strength.networks import main as run  # under its own name, so that workers can read what is sent

    run()
