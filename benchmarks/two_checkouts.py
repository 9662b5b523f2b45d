"""Which of two versions plays better? A match between the players of two checkouts of this repository.

    python benchmarks/two_checkouts.py BEFORE AFTER --game GAME [--option NAME=VALUE] --player PLAYER
        [--before PLAYER] [--seconds 0.1] [--pairs 200] [--sprt 0 30] [--workers 1] [--clock processor] [--seed 0] [--file FILE]

Each side is a process of its own that imports the sources of its checkout alone (`checkout_side.py`) and counts its own
processor time, threads included. Both sides follow the game by their own rules and must agree on it. Two games make a pair: they
share the draws of chance, and the sides change seats (in a game for more than two, a side has every second seat). Games are kept
in FILE, a line each, so that a match goes on where it stopped; the test (`--sprt`) is over pairs in order.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stratagem.arena.ratings import Outcome
from stratagem.arena.sequential import SequentialTest
from stratagem.arena.sprt import Z95, Hypotheses
from stratagem.errors import StratagemError

SIDES = ("before", "after")
CLOCKS = ("wall", "processor")
Answer = dict[str, Any]


class Process:
    """A side at work in its own process."""

    def __init__(self, name: str, checkout: Path, clock: str) -> None:
        self.name = name
        path = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONSAFEPATH": "1"}
        script = Path(__file__).with_name("checkout_side.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(checkout), clock],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=path,
            start_new_session=True,  # Ctrl-C is for the match, which ends its sides itself
        )

    def ask(self, do: str, **more: Any) -> Answer:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise StratagemError(f"the side {self.name!r} ended during {do!r}; its last words are above")
        answer: Answer = json.loads(line)
        if "error" in answer:
            raise StratagemError(f"the side {self.name!r} failed at {do!r}: {answer['error']}")
        return answer


class Table:
    """Both sides, playing one game after the other."""

    def __init__(self, terms: argparse.Namespace) -> None:
        self.terms = terms
        self.sides = [Process(name, getattr(terms, f"{name}_checkout"), terms.clock) for name in SIDES]
        self.game = {"game": terms.game, "options": dict(option.split("=", 1) for option in terms.option)}
        self.players = (terms.before or terms.player, terms.player)
        for side, player in zip(self.sides, self.players, strict=True):
            side.ask("warm_up", **self.game, player=player, seconds=terms.seconds)

    def close(self) -> None:
        for side in self.sides:
            side.process.kill()

    def both(self, do: str, **more: Any) -> Answer:
        """What the sides see after both have done it."""
        before, after = (side.ask(do, **more) for side in self.sides)
        return agreed(before, after)

    def play(self, pair: int, turned: int) -> Answer:
        """Game `turned` (0 or 1) of a pair: `after` has the even seats in game 0, the odd ones in game 1."""
        seed = 1_000_003 * self.terms.seed + pair
        parity = (1 - turned, turned)  # of the seats of `before` and of `after`
        # The same seeds for the same seats in both games of a pair: neither version has its own luck.
        begin = {**self.game, "seeds": [2 * seed, 2 * seed + 1], "chance": seed}
        seen = agreed(
            *(
                side.ask("begin", **begin, player=player, parity=p)
                for side, player, p in zip(self.sides, self.players, parity, strict=True)
            )
        )
        spent = {name: [0.0, 0.0, 0, 0] for name in SIDES}  # seconds of a processor, by the clock, nodes, choices
        while "payoff" not in seen:
            if not seen["asked"]:
                seen = self.both("play", **self.sides[0].ask("sample"))
                continue
            texts: list[Any] = [None] * seen["players"]
            for seat in seen["asked"]:
                side = self.sides[parity.index(seat % 2)]
                choice = side.ask("choose", seat=seat, seconds=self.terms.seconds)
                texts[seat] = choice["move"]
                tally = spent[side.name]
                for i, x in enumerate((choice["processor"], choice["wall"], choice["nodes"], 1)):
                    tally[i] += x
            together = seen["turn"] < 0
            seen = self.both("play", **({"joint": texts} if together else {"move": texts[seen["asked"][0]]}))
        seats = [SIDES[parity.index(p % 2)] for p in range(len(seen["payoff"]))]
        return {"pair": pair, "turned": turned, "seats": seats, **seen, "spent": spent}


def agreed(before: Answer, after: Answer) -> Answer:
    if before != after:
        raise StratagemError(f"the versions disagree on the rules: before sees {before}, after {after}")
    return before


# ---------------------------------------------------------------------------------------------------------------- results


class Match:
    """The games so far, in a file that grows by a line a game."""

    def __init__(self, file: Path, terms: Answer) -> None:
        self.file = file
        self.games: dict[tuple[int, int], Answer] = {}
        if file.exists():
            whole = file.read_text(encoding="utf-8")
            head, *lines = whole[: whole.rfind("\n") + 1].splitlines()  # a line that was cut off is played again
            if json.loads(head) != terms:
                raise StratagemError(f"{file} holds a match of other terms: {head}")
            for line in lines:
                game = json.loads(line)
                self.games[game["pair"], game["turned"]] = game
            file.write_text("".join(line + "\n" for line in (head, *lines)), encoding="utf-8")
        else:
            self._write(terms)

    def _write(self, line: Answer) -> None:
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")

    def add(self, game: Answer) -> None:
        self._write(game)
        self.games[game["pair"], game["turned"]] = game

    def pairs(self) -> Iterator[tuple[Answer, Answer]]:
        """Whole pairs, in order."""
        for pair, turned in sorted(self.games):
            if turned == 0 and (pair, 1) in self.games:
                yield self.games[pair, 0], self.games[pair, 1]


def share(game: Answer, figure: str) -> float:
    """The mean of a figure over the seats of `after`, less that of `before`."""
    mean = {
        side: statistics.mean(x for x, s in zip(game[figure], game["seats"], strict=True) if s == side)
        for side in SIDES
    }
    return mean["after"] - mean["before"]


def judged(match: Match, hypotheses: Hypotheses) -> SequentialTest:
    test = SequentialTest(hypotheses, "after")
    for pair in match.pairs():
        for game in pair:
            lead = share(game, "payoff")
            test.add([Outcome(("after", "before"), (lead, -lead), game["pair"])])
    return test


def with_interval(values: list[float]) -> str:
    error = Z95 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("inf")
    return f"{statistics.mean(values):+.3g} ± {error:.2g}"


def tell(match: Match, test: SequentialTest) -> None:
    pairs = list(match.pairs())
    if not pairs:
        print("no pair is whole yet")
        return
    score = [sum(0.5 * (1 + (share(g, "payoff") > 0) - (share(g, "payoff") < 0)) for g in pair) / 2 for pair in pairs]
    print(f"{len(pairs)} pairs; score of after above one half: {with_interval([x - 0.5 for x in score])}")
    if all(game.get("points") for pair in pairs for game in pair):
        leads = [sum(share(g, "points") for g in pair) / 2 for pair in pairs]
        ahead, behind = sum(x > 0 for x in leads), sum(x < 0 for x in leads)
        print(
            f"points of after ahead of before, a game: {with_interval(leads)}; ahead in {ahead} pairs, behind in {behind}"
        )
    for side in SIDES:
        *totals, choices = (sum(g["spent"][side][i] for pair in pairs for g in pair) for i in range(4))
        processor, wall, nodes = (total / max(choices, 1) for total in totals)
        print(
            f"{side}: {choices:,} choices, {processor:.3f} s of a processor each, {wall:.3f} s by the clock, {nodes:,.0f} nodes"
        )
    v = test.verdict
    print(f"test of {v.counts} pairs, worst first: llr {v.llr:.2f} in ({v.lower:.2f}, {v.upper:.2f}), {v.decision}")


# ------------------------------------------------------------------------------------------------------------------- run


def play_on(match: Match, terms: argparse.Namespace, hypotheses: Hypotheses) -> None:
    wanted: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for game in ((pair, turned) for pair in range(terms.pairs) for turned in (0, 1)):
        if game not in match.games:
            wanted.put(game)
    done: queue.SimpleQueue[Answer | Exception | None] = queue.SimpleQueue()
    ended = threading.Event()
    tables: list[Table] = []

    def work() -> None:
        try:
            table = Table(terms)
            tables.append(table)
            while not ended.is_set():
                try:
                    pair, turned = wanted.get_nowait()
                except queue.Empty:
                    break
                done.put(table.play(pair, turned))
        except Exception as error:
            done.put(error)
        done.put(None)

    for _ in range(terms.workers):
        threading.Thread(target=work, daemon=True).start()
    working = terms.workers
    try:
        while working:
            said = done.get()
            if said is None:
                working -= 1
            elif isinstance(said, Exception):
                if not ended.is_set():
                    raise said
            else:
                match.add(said)
                test = judged(match, hypotheses)
                print(f"\r{len(match.games)} games, llr {test.verdict.llr:.2f}   ", end="", file=sys.stderr, flush=True)
                if test.settled:
                    break
    finally:
        ended.set()
        for table in tables:
            table.close()
        print(file=sys.stderr)


def revision(checkout: Path) -> str:
    """What is compared, so that a file is not continued with other sources."""
    asked = ["git", "-C", str(checkout), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "no repository"


def main() -> int:
    parser = argparse.ArgumentParser(description="Play two checkouts of this repository against each other.")
    parser.add_argument("before_checkout", type=Path, metavar="BEFORE")
    parser.add_argument("after_checkout", type=Path, metavar="AFTER")
    parser.add_argument("--game", required=True, help="name of the game")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    parser.add_argument("--player", required=True, help="the player of both sides")
    parser.add_argument("--before", help="another player for the side BEFORE")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a choice")
    parser.add_argument("--pairs", type=int, default=200, help="the most pairs that are played")
    parser.add_argument("--sprt", type=float, nargs=2, default=(0.0, 30.0), metavar=("ELO0", "ELO1"))
    parser.add_argument("--workers", type=int, default=1, help="games at a time")
    parser.add_argument("--clock", choices=CLOCKS, default="processor", help="what seconds are counted in")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", type=Path, default=Path("two_checkouts.jsonl"))
    terms = parser.parse_args()
    try:
        if any("=" not in option for option in terms.option):
            raise StratagemError("--option takes NAME=VALUE")
        for name in SIDES:
            checkout = getattr(terms, f"{name}_checkout").resolve()
            if not (checkout / "src" / "stratagem").is_dir():
                raise StratagemError(f"{checkout} is no checkout: it has no src/stratagem")
            setattr(terms, f"{name}_checkout", checkout)
        kept = {k: getattr(terms, k) for k in ("game", "option", "player", "before", "seconds", "clock", "seed")}
        kept["revisions"] = [revision(getattr(terms, f"{name}_checkout")) for name in SIDES]
        hypotheses = Hypotheses(*terms.sprt)
        match = Match(terms.file, kept)
        try:
            if not judged(match, hypotheses).settled:
                play_on(match, terms, hypotheses)
        except KeyboardInterrupt:
            print(
                f"stopped; {len(match.games)} games are kept in {terms.file}, and the same command goes on",
                file=sys.stderr,
            )
        tell(match, judged(match, hypotheses))
    except StratagemError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
