"""Risk: search by stages against the campaign sampler at equal time, by rounds with the seats rotated, as a sequential test.

A round is one deal and one stream of dice, played once from every seat: with two seats a pair, with more one seat of the first
player among seats of the second. The score of a round is its mean share of the win. A game that nobody has won after
`TURN_CAP` turns of players is a draw: a share for everybody. The test is that of `stratagem arena test` (normal approximation
by rounds), whose two hypotheses are that the first player is no better than elo0, or at least elo1 better, wins being drawn in
proportion to strengths. It ends when one is accepted, or after `--rounds`, and is reported as it stands.

Rounds are written to a file as they end, one JSON object a line; `--limit` ends a run after so many seconds, compiling
included, and the same command with `--resume` goes on. One process a core: seats think by the clock, so there must not be more
workers than cores. `--cluster` plays the rounds on a Ray cluster: the same deals and dice by their numbers.

    python -m benchmarks.strength.risk_staged --seats 2 --workers 16 --limit 560 --out risk-staged-2.jsonl [--resume]
    python -m benchmarks.strength.risk_staged --seats 3 --workers 16 --limit 560 --out risk-staged-3.jsonl [--resume]
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stratagem
from benchmarks.spread import add_flag, on_cluster
from stratagem.arena.sprt import FEWEST, GO_ON, Hypotheses
from stratagem.contract.player import Clock
from stratagem.games.risk.game import Risk
from stratagem.games.risk.kernels import TURN
from stratagem.rng import generator

TURN_CAP = 300  # turns of players, of all seats together; most games end within 60 of two seats, and 100 of three
WARMING = 2  # turns a seat that compile and load all that is needed
BETWEEN_LINES = 10.0  # seconds between two lines of progress


@dataclass(frozen=True)
class Match:
    """What is played; a file of rounds belongs to one."""

    seats: int = 2
    seconds: float = 0.1  # to think, a turn
    first: str = "staged:draft=random"
    second: str = "campaign:draft=random"

    def seated(self, seat: int) -> list[str]:
        """The players with the first one on a seat."""
        return [self.first if p == seat else self.second for p in range(self.seats)]


class Game(NamedTuple):
    """What became of a game."""

    share: float  # of the win, to the first player
    turns: int
    seconds: float  # in all
    thought: tuple[float, float]  # of them choosing moves: the first player, the others
    plans: tuple[int, int]  # turns that they planned


@cache
def rules(seats: int, cap: int) -> Risk:
    """One object a process: what is compiled for it is found again at once."""
    return Risk(players=seats, claim="deal", turn_cap=cap)


def play(match: Match, number: int, seat: int, cap: int = TURN_CAP) -> Game:
    """A game of round `number` with the first player on a seat."""
    game = rules(match.seats, cap)
    players = [stratagem.player(game, name, seed=17 * number + p) for p, name in enumerate(match.seated(seat))]
    position, chance, clock = game.start(), generator(number, 1), Clock(match.seconds)
    thought, plans = [0.0, 0.0], [0, 0]
    began = time.perf_counter()
    while not position.over:
        p = position.turn
        if p < 0:
            position = position.play(position.sample(chance))
            continue
        view, asked = position.view(p), time.perf_counter()
        choice = players[p].choose(view, clock)
        thought[p != seat] += time.perf_counter() - asked
        plans[p != seat] += bool(choice.nodes)
        position = position.play(choice.move)
    payoff = position.payoff
    drawn = max(payoff) == min(payoff)
    share = 1.0 / match.seats if drawn else float(payoff[seat] == max(payoff))
    took = time.perf_counter() - began
    return Game(share, int(position.state[TURN]), took, (thought[0], thought[1]), (plans[0], plans[1]))


def play_round(job: tuple[Match, int]) -> dict[str, Any]:
    match, number = job
    games = [play(match, number, seat) for seat in range(match.seats)]
    return {
        "round": number,
        "scores": [game.share for game in games],
        "turns": [game.turns for game in games],
        "seconds": round(sum(game.seconds for game in games), 3),
        "thought": [round(sum(game.thought[k] for game in games), 3) for k in (0, 1)],
        "plans": [sum(game.plans[k] for game in games) for k in (0, 1)],
    }


def warm_up(match: Match) -> None:
    """Compile what all workers then load."""
    play(match, 0, 0, cap=WARMING * match.seats)


@cache
def warm_once(match: Match) -> None:
    warm_up(match)


def warm_round(match: Match, number: int) -> dict[str, Any]:
    """A round on a host of a cluster, which has to compile or load everything before its first one."""
    warm_once(match)
    return play_round((match, number))


def begin_worker(match: Match) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends the workers
    warm_up(match)


# ------------------------------------------------------------------------------------------------------------ the test


def share(elo: float, seats: int) -> float:
    """The chance to win of one among equals that it is so much stronger than."""
    strength = 10 ** (elo / 400)
    return strength / (strength + seats - 1)


class Verdict(NamedTuple):
    """Where the test stands."""

    rounds: int = 0
    share: float = math.nan
    half: float = math.nan  # of the 95 % interval
    elo: float = math.nan
    llr: float = 0.0
    decision: str = GO_ON

    def told(self, seats: int) -> str:
        if not self.rounds:
            return "no round yet"
        return (
            f"{self.rounds:4} rounds   {self.share:6.1%} ± {self.half:.1%} of the wins (equal: {1 / seats:.1%})   "
            f"Elo {self.elo:+.0f}   LLR {self.llr:+.2f}   {self.decision}"
        )


def verdict(rounds: Sequence[Sequence[float]], seats: int, hypotheses: Hypotheses) -> Verdict:
    if not rounds:
        return Verdict()
    scores = np.array([np.mean(scores) for scores in rounds])
    mean, variance = float(scores.mean()), max(float(scores.var()), 1e-4)
    s0, s1 = share(hypotheses.elo0, seats), share(hypotheses.elo1, seats)
    llr = len(scores) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    decision = hypotheses.decide(llr) if len(scores) >= FEWEST else GO_ON
    inside = min(max(mean, 1e-3), 1 - 1e-3)
    elo = 400 * math.log10(inside * (seats - 1) / (1 - inside))
    return Verdict(len(scores), mean, 1.96 * math.sqrt(variance / len(scores)), elo, llr, decision)


class Record:
    """The rounds played so far, kept in a file; judged in order, since short games arrive first and are not like the rest."""

    def __init__(self, path: Path, match: Match, hypotheses: Hypotheses, resume: bool) -> None:
        self.path, self.match, self.hypotheses = path, match, hypotheses
        self.done: dict[int, dict[str, Any]] = {}
        self.verdict = Verdict()
        if path.exists() and path.stat().st_size:
            if not resume:
                sys.exit(f"{path} holds rounds already; go on with --resume, or name another file with --out")
            self._read()
        else:
            path.write_text(json.dumps({"match": asdict(match), "turn_cap": TURN_CAP}) + "\n")

    def _read(self) -> None:
        text = self.path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # a run that was killed while it wrote
            self.path.write_text(whole)
        head, *lines = (json.loads(line) for line in whole.splitlines())
        if head != {"match": asdict(self.match), "turn_cap": TURN_CAP}:
            sys.exit(f"{self.path} holds another match: {head!r}; name another file with --out")
        self.done = {line["round"]: line for line in lines}
        self._judge()

    def add(self, line: dict[str, Any]) -> None:
        self.done[line["round"]] = line
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._judge()

    def _judge(self) -> None:
        while self.verdict.decision == GO_ON and self.verdict.rounds in self.done:
            scores = [self.done[n]["scores"] for n in range(self.verdict.rounds + 1)]
            self.verdict = verdict(scores, self.match.seats, self.hypotheses)

    def spent(self) -> str:
        """How the time went."""
        lines = self.done.values()
        seconds = sum(line["seconds"] for line in lines)
        turns = [t for line in lines for t in line["turns"]]
        if not turns:
            return ""
        each = [
            1000 * sum(line["thought"][k] for line in lines) / max(sum(line["plans"][k] for line in lines), 1)
            for k in (0, 1)
        ]
        return (
            f"{len(turns)} games of {np.mean(turns):.0f} turns, {sum(t >= TURN_CAP for t in turns)} stopped at {TURN_CAP}; "
            f"{seconds / len(turns):.1f} s a game, {sum(sum(line['thought']) for line in lines) / seconds:.0%} of it choosing; "
            f"{each[0]:.0f} and {each[1]:.0f} ms a turn"
        )


def rounds(match: Match, numbers: Sequence[int], workers: int, until: float) -> Iterator[dict[str, Any] | None]:
    """Rounds as they end, and None now and then; those under way when it is time are dropped."""
    context = multiprocessing.get_context("spawn")  # a forked process would share this one's threads and locks
    with context.Pool(workers, begin_worker, (match,)) as pool:
        found = pool.imap_unordered(play_round, [(match, n) for n in numbers])
        left = len(numbers)
        while left and time.monotonic() < until:
            try:
                line = found.next(timeout=max(min(5.0, until - time.monotonic()), 0.01))
            except multiprocessing.TimeoutError:
                yield None
                continue
            left -= 1
            yield line


def rounds_on_cluster(
    address: str, workers: int | None, match: Match, numbers: Sequence[int], until: float
) -> Iterator[dict[str, Any]]:
    for _, line in on_cluster(address, workers, warm_round, [(match, n) for n in numbers], until):
        yield line


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Risk: search by stages against the campaign sampler at equal time.")
    parser.add_argument("--seats", type=int, default=2, choices=range(2, 7), help="of a game")
    parser.add_argument("--rounds", type=int, default=400, help="at most")
    parser.add_argument("--seconds", type=float, default=0.1, help="to think, a turn")
    parser.add_argument("--first", default=Match.first)
    parser.add_argument("--second", default=Match.second)
    parser.add_argument("--elo0", type=float, default=0.0)
    parser.add_argument("--elo1", type=float, default=30.0)
    parser.add_argument("--workers", type=int, default=None, help="games at once; one a core if not given")
    add_flag(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument("--out", type=Path, default=None, help="file of rounds; risk-staged-SEATS.jsonl by default")
    parser.add_argument("--resume", action="store_true", help="go on with the rounds of that file")
    return parser.parse_args()


def main() -> None:
    given, began = arguments(), time.monotonic()
    match = Match(given.seats, given.seconds, given.first, given.second)
    out = given.out or Path(f"risk-staged-{given.seats}.jsonl")
    record = Record(out, match, Hypotheses(given.elo0, given.elo1), given.resume)
    print(f"{match.first} against {match.second}, {match.seats} seats, {match.seconds} s a turn; rounds go to {out}")
    todo = [n for n in range(given.rounds) if n not in record.done]
    if record.verdict.decision == GO_ON and todo:
        until = began + given.limit
        if given.cluster is None:
            warm_up(match)
            print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
            played: Iterator[dict[str, Any] | None] = rounds(match, todo, given.workers or os.cpu_count() or 1, until)
        else:
            played = rounds_on_cluster(given.cluster, given.workers, match, todo, until)
        try:
            go_on(record, played, began)
        except KeyboardInterrupt:
            print("stopped by hand")
    left = sum(n not in record.done for n in range(given.rounds))
    settled = record.verdict.decision != GO_ON
    ended = (
        "settled" if settled else f"{left} rounds left; --resume goes on" if left else "all rounds played, undecided"
    )
    print(f"{record.verdict.told(match.seats)}   ({ended})\n{record.spent()}")
    found = record.verdict._asdict() if record.verdict.rounds else {"rounds": 0, "decision": GO_ON}
    print(json.dumps({**found, "seats": match.seats, "turn_cap": TURN_CAP, "ended": ended}))


def go_on(record: Record, played: Iterator[dict[str, Any] | None], began: float) -> None:
    """Record rounds as they end until the test is settled or there are no more."""
    shown, seats = time.monotonic(), record.match.seats
    for line in played:
        if line is not None:
            record.add(line)
        if record.verdict.decision != GO_ON:
            return
        if time.monotonic() - shown >= BETWEEN_LINES:
            shown = time.monotonic()
            print(f"{shown - began:5.0f} s   {len(record.done)} played   {record.verdict.told(seats)}", flush=True)


if __name__ == "__main__":
    from benchmarks.strength.risk_staged import (
        main as run,
    )  # under its own name, so that a cluster can read what is sent

    run()
