"""Whole turns: search by stages against every baseline of the literature at equal time, by pairs, as sequential tests.

A pair is one deal, techline or stream of dice, played once from each seat. Everybody has the same seconds a *turn*, one
thread. A test is that of `stratagem arena test` by pairs: elo0 0, elo1 30, stopped at `--pairs` and reported as it stands. A
game of Minions that nobody has won after 120 plies, or of Risk after 300 turns, is a draw.

Pairs are written to a file as they end, one JSON object a line; the same command goes on where it stopped. `--anatomy`
measures what each baseline does on fixed positions (turns judged a second, different outcomes, genes repaired, the share of the
best turn's value) and writes it to the same file. `--robin` lets everybody meet everybody, `--pairs` pairs each, without a
test that ends them. `--write` puts the tables of a file into docs/search/whole-turns.md and plays nothing.

    python -m benchmarks.strength.whole_turns --time 0.1 --workers 16 --limit 3000 --results whole-turns.jsonl
    python -m benchmarks.strength.whole_turns --only asmacag-9/oep,risk-2 --time 1 --pairs 200 --results whole-turns.jsonl
    python -m benchmarks.strength.whole_turns --anatomy --time 0.1 --results whole-turns.jsonl
    python -m benchmarks.strength.whole_turns --robin --only asmacag-9 --pairs 20 --clock processor --results whole-turns.jsonl
    python -m benchmarks.strength.whole_turns --results whole-turns.jsonl --write
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import stratagem
from benchmarks.clocks import add_clock
from benchmarks.pairs import keep, kept, played, score
from stratagem.arena.ratings import Outcome, rate
from stratagem.arena.sequential import SequentialTest
from stratagem.arena.sprt import Z95, Hypotheses
from stratagem.contract.player import Clock, PlayerText
from stratagem.rng import generator
from stratagem.search.whole_turns import BASELINES

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "search" / "whole-turns.md"
PAIRS = 400
HYPOTHESES = Hypotheses(0.0, 30.0)
BETWEEN_LINES = 10.0  # seconds between two lines of progress
STAGED = "staged"  # search by stages, whatever a game calls its own
ENOUGH = 6  # pairs, before anything is said of them: equals win all of fewer more than once in twenty times, one or the other
NAMED = 10  # baselines that a line has room for
UNCOUNTED = (
    "greedy-action",
    "atom-mcts",
    "ne-mcts",
    "bb-mcts",
    "tbets",
)  # go on from action to action: no row to tell apart
AHEAD, UNDECIDED, BEHIND, UNMET = "ahead", "undecided", "behind", "unmet"


@lru_cache(maxsize=8)
def kept_rules(game: str, options: tuple[tuple[str, Any], ...]) -> Any:
    """A game, the same object for all pairs that play it: what was compiled for it is found again at once."""
    return stratagem.game(game, **dict(options))


@dataclass(frozen=True)
class Ground:
    """What is played, and by whom."""

    name: str
    title: str
    game: str
    options: dict[str, Any]
    ours: str  # search by stages
    per_node: float = 1.0  # of `--nodes`, those that ours counts: simulations that judge one turn, or several
    nodes: str = "simulations"  # the option that takes them
    bred: float = 0.0  # of `--nodes`, the turns that ours breeds before it tries any
    varied: str = ""  # an option that differs from pair to pair, `{}` in its value
    baselines: str = ""  # options of all baselines

    def rules(self, pair: int) -> Any:
        varied = {}
        if self.varied:
            name, _, value = self.varied.partition("=")
            varied[name] = value.format(pair)
        return kept_rules(self.game, tuple({**self.options, **varied}.items()))

    def baseline(self, name: str, nodes: int | None) -> str:
        text = PlayerText.parse(f"{name}:{self.baselines}" if self.baselines else name)
        return str(text if nodes is None else text.having(turns=nodes))

    def staged(self, nodes: int | None) -> str:
        text = PlayerText.parse(self.ours)
        if nodes is None:
            return str(text)
        limits = {self.nodes: max(round(nodes * self.per_node), 1)}
        return str(text.having(**limits, **({"bred": max(round(nodes * self.bred), 1)} if self.bred else {})))

    def player(self, name: str, nodes: int | None) -> str:
        return self.staged(nodes) if name == STAGED else self.baseline(name, nodes)


GROUNDS = {
    ground.name: ground
    for ground in (
        Ground(
            "minions-1",
            "Minions, 1 board",
            "minions",
            {"maps": "BlackenedShores", "plies": 120},
            "engine",
            nodes="visits",
            varied="techline=random:{}",
        ),
        Ground(
            "minions-2",
            "Minions, 2 boards",
            "minions",
            {"plies": 120},
            "engine",
            nodes="visits",
            varied="techline=random:{}",
        ),
        Ground(
            "risk-2",
            "Risk, 2 seats",
            "risk",
            {"players": 2, "claim": "deal", "turn_cap": 300},
            "staged:draft=random",
            per_node=1 / 40,
            nodes="visits",
            baselines="draft=random",
        ),
        *(
            Ground(
                f"asmacag-{actions}",
                f"ASMACAG, {actions} actions",
                "asmacag",
                {"actions": actions},
                STAGED,
                per_node=1 / 1000,  # a trial sees five turns more
                bred=0.5,
            )
            for actions in (3, 6, 9)
        ),
        *(
            Ground(
                f"skirmish-{points}",
                f"Skirmish, {points} points",
                "skirmish",
                {"points": points},
                STAGED,
                per_node=1 / 200,  # a trial sees the reply
                bred=0.5,
            )
            for points in (3, 5, 10, 20)
        ),
    )
}
CLAIMED = ("minions-1", "minions-2", "risk-2", "asmacag-9")  # where a claim is to be made


class Job(NamedTuple):
    """One pair."""

    ground: str
    baseline: str
    seconds: float | None
    nodes: int | None
    ours: str
    pair: int


class Game(NamedTuple):
    """A game as it went; lists are of ours and theirs."""

    score: float  # of ours
    lead: float | None  # in points, where a game has them
    thoughts: int  # turns thought about
    judged: list[int]
    seconds: list[float]


def play(job: Job, seat: int) -> Game:
    """A game with ours on a seat."""
    ground = GROUNDS[job.ground]
    game = ground.rules(job.pair)
    texts = (ground.player(job.ours, job.nodes), ground.player(job.baseline, job.nodes))
    players = [stratagem.player(game, texts[p != seat], seed=31 * job.pair + p) for p in range(2)]
    position, chance, clock = game.start(), generator(job.pair, 1), Clock(job.seconds)
    thoughts, judged, seconds = 0, [0, 0], [0.0, 0.0]
    while not position.over:
        p = position.turn
        if p < 0:
            position = position.play(position.sample(chance))
            continue
        choice = players[p].choose(position.view(p), clock)
        if choice.nodes:
            thoughts += 1
            judged[p != seat] += choice.nodes
            seconds[p != seat] += choice.seconds
        position = position.play(choice.move)
    payoff = position.payoff
    score = 0.5 if payoff[0] == payoff[1] else float(payoff[seat] > payoff[1 - seat])
    points = getattr(game, "score", None)  # of a state and a seat
    lead = None if points is None else float(points(position.state, seat) - points(position.state, 1 - seat))
    return Game(score, lead, thoughts, judged, seconds)


def play_pair(job: Job) -> dict[str, Any]:
    games = [play(job, seat) for seat in range(2)]
    return {
        **job._asdict(),
        "scores": [game.score for game in games],
        "leads": [game.lead for game in games],
        "thoughts": sum(game.thoughts for game in games),
        "judged": [sum(game.judged[k] for game in games) for k in (0, 1)],
        "thought": [round(sum(game.seconds[k] for game in games), 3) for k in (0, 1)],
    }


# --------------------------------------------------------------------------------------------------------- anatomy


def fixed_positions(ground: Ground, number: int) -> Iterator[Any]:
    """Positions at the start of a turn, after some random ones."""
    for k in range(number):
        game, draws = ground.rules(k), generator(k, 2)
        position = game.start(seed=k)
        wanted = k % 4 if ground.game != "risk" else 90 + k % 4  # the setup of Risk is placed first
        for _ in range(wanted * (game.actions if ground.game == "asmacag" else 1)):
            if not position.over:
                position = position.play(position.sample(draws))
        while position.turn < 0 and not position.over:
            position = position.play(position.sample(draws))
        if not position.over:
            yield position


def anatomy(ground: Ground, names: Sequence[str], seconds: float, number: int) -> list[dict[str, Any]]:
    """What baselines do on fixed positions."""
    rows: list[dict[str, Any]] = []
    best: dict[int, float] = {}
    for name in names:
        found = []
        for k, position in enumerate(fixed_positions(ground, number)):
            text = PlayerText.parse(ground.baseline(name, None)).having(distinct=True)
            player = stratagem.player(position.game, str(text), seed=k)
            choice = player.choose(position.view(position.turn), Clock(seconds))
            best[k] = max(best.get(k, -math.inf), choice.value) if not BASELINES[name].ahead else best.get(k, -math.inf)
            found.append(choice)
        n = len(found)
        rows.append(
            {
                "anatomy": name,
                "ground": ground.name,
                "seconds": seconds,
                "positions": n,
                "turns": round(sum(c.nodes for c in found) / max(sum(c.seconds for c in found), 1e-9)),
                "distinct": round(sum(c.details["distinct"] for c in found) / n, 1),
                "mended": round(sum(c.details["mended"] for c in found) / n, 3),
                "values": [c.value for c in found],
            }
        )
    for row in rows:
        values = row.pop("values")
        near = [x >= best[k] - 1e-9 for k, x in enumerate(values)]
        row["best"] = None if BASELINES[row["anatomy"]].ahead else round(sum(near) / len(near), 3)
    return rows


# ------------------------------------------------------------------------------------------------------------ tests


class Test:
    """A sequential test, and all pairs that it was given."""

    def __init__(self) -> None:
        self.done: dict[int, dict[str, Any]] = {}
        self.test = SequentialTest(HYPOTHESES, "ours")

    def add(self, line: dict[str, Any]) -> None:
        self.done[line["pair"]] = line
        names = "ours", "theirs"
        self.test.add(Outcome(names, (2 * x - 1, 1 - 2 * x), line["pair"]) for x in line["scores"])

    @property
    def open(self) -> bool:
        return not self.test.settled

    @property
    def pairs(self) -> int:
        """How many were judged."""
        return self.test.next

    def score(self) -> tuple[float, float]:
        return score(self.test.counts) if self.pairs else (math.nan, math.nan)

    def lead(self) -> str:
        """The points of ours more than theirs a game, where the game has points: deals decide most pairs there."""
        found = [sum(line["leads"]) / 2 for line in self.done.values() if None not in line.get("leads", [None])]
        if len(found) < 2:
            return ""
        half = Z95 * statistics.stdev(found) / math.sqrt(len(found))
        return f"{statistics.mean(found):+.1f} ± {half:.1f} points"

    def said(self) -> str:
        """How search by stages stands: "best" and "better" are said only beyond the interval."""
        if self.pairs < ENOUGH:
            return UNMET
        mean, half = self.score()
        return AHEAD if mean - half > 0.5 else BEHIND if mean + half < 0.5 else UNDECIDED

    def stated(self) -> str:
        mean, half = self.score()
        stated = f"{self.pairs} pairs, {mean:.1%} ± {half:.1%}, LLR {self.test.verdict.llr:+.2f}, {self.test.verdict.decision}"
        return f"{stated}, {self.lead()}" if self.lead() else stated


class Key(NamedTuple):
    """What a test is of."""

    ground: str
    baseline: str
    seconds: float | None
    nodes: int | None
    ours: str = STAGED

    @classmethod
    def of(cls, line: dict[str, Any]) -> Key:
        return cls(line["ground"], line["baseline"], line["seconds"], line["nodes"], line.get("ours", STAGED))

    @property
    def budget(self) -> tuple[float | None, int | None]:
        return self.seconds, self.nodes

    def __str__(self) -> str:
        return f"{self.ground}, {budget_words(*self.budget)}, {self.ours} against {self.baseline}"


def read(path: Path) -> tuple[dict[Key, Test], list[dict[str, Any]]]:
    """The tests of a file, and its anatomies, the last of each."""
    tests: dict[Key, Test] = defaultdict(Test)
    parts: dict[tuple[str, str, float], dict[str, Any]] = {}
    for line in kept(path):
        if "anatomy" in line:
            parts[line["ground"], line["anatomy"], line["seconds"]] = line
        else:
            tests[Key.of(line)].add(line)
    return tests, list(parts.values())


def wanted(only: Sequence[str]) -> list[tuple[str, str]]:
    """Grounds and baselines: all, or `GROUND`, `GROUND/BASELINE`, `/BASELINE`."""
    found = []
    for item in only or CLAIMED:
        ground, _, baseline = item.partition("/")
        for name in [ground] if ground else CLAIMED:
            if name not in GROUNDS:
                sys.exit(f"there is no ground {name!r}; there are {', '.join(GROUNDS)}")
            known = stratagem.registry.players(GROUNDS[name].rules(0))
            if baseline and baseline not in BASELINES:
                sys.exit(f"there is no baseline {baseline!r}; there are {', '.join(BASELINES)}")
            found += [(name, r) for r in ([baseline] if baseline else BASELINES) if r in known]
    return list(dict.fromkeys(found))


def schedule(tests: dict[Key, Test], keys: Sequence[Key], most: int, to_the_end: bool) -> Iterator[Job]:
    """Pairs in turn of all tests that are open, so that a run that is cut has something of each."""
    given = {key: set(tests[key].done) for key in keys}
    for pair in range(most):
        for key in keys:
            if pair not in given[key] and (to_the_end or tests[key].open):
                yield Job(*key, pair)


def meetings(given: argparse.Namespace) -> list[tuple[str, str, str]]:
    """Ground, baseline and who meets it: search by stages each baseline, or in a round robin everybody everybody."""
    found = [(ground, baseline, STAGED) for ground, baseline in wanted(given.only)]
    if given.robin:
        for ground in dict.fromkeys(item[0] for item in found):
            names = [baseline for where, baseline, _ in found if where == ground]
            found += [(ground, b, a) for k, a in enumerate(names) for b in names[k + 1 :]]
    return found


def compete(given: argparse.Namespace, tests: dict[Key, Test]) -> None:
    """Play what is missing."""
    times: list[tuple[float | None, int | None]] = (
        [(None, given.nodes)] if given.nodes else [(t, None) for t in given.time]
    )
    keys = [Key(ground, baseline, *limits, ours) for ground, baseline, ours in meetings(given) for limits in times]
    began, shown = time.monotonic(), time.monotonic()
    jobs = schedule(tests, keys, given.pairs, given.robin)
    for line in played(play_pair, jobs, given.workers, given.limit, given.clock):
        keep(given.results, line)
        key = Key.of(line)
        tests[key].add(line)
        if time.monotonic() - shown > BETWEEN_LINES:
            shown = time.monotonic()
            print(f"{shown - began:5.0f} s   {key}: {tests[key].stated()}", flush=True)
    for key in keys:
        print(f"{key}: {tests[key].stated()}")


# ----------------------------------------------------------------------------------------------------------- the page


def budget_words(seconds: float | None, nodes: int | None) -> str:
    return f"{seconds:g} s a turn" if seconds is not None else f"{nodes:,} turns judged"


Column = tuple[str, str, tuple[float | None, int | None]]  # its heading, the ground and the budget


def percent(x: float) -> str:
    return f"{100 * x:.0f} %"


def cell(test: Test | None) -> str:
    """The score, its interval, and of how many pairs; H1 or H0 where the sequential test has accepted it."""
    if test is None or not test.pairs:
        return ""
    mean, half = test.score()
    if test.said() == UNMET:
        return f"{percent(mean)} of {test.pairs} pairs, too few"
    mark = {AHEAD: "**", BEHIND: "_", UNDECIDED: ""}[test.said()]
    verdict = [] if test.open else [test.test.verdict.decision]
    stated = [f"{test.pairs} pairs", *verdict, *([test.lead()] if test.lead() else [])]
    return f"{mark}{percent(mean)} ± {percent(half)}{mark}, {', '.join(stated)}"


def names_of(baselines: Sequence[str]) -> str:
    return ", ".join(f"`{baseline}`" for baseline in baselines)


def standing(tests: dict[Key, Test], ground: Ground, budget: tuple[float | None, int | None]) -> str:
    """In one line against how many baselines of a ground search by stages is ahead, undecided, behind, and against whom."""
    known = [baseline for baseline in BASELINES if baseline in stratagem.registry.players(ground.rules(0))]
    found: dict[str, list[str]] = {said: [] for said in (AHEAD, UNDECIDED, BEHIND, UNMET)}
    for baseline in known:
        test = tests.get(Key(ground.name, baseline, *budget))
        found[UNMET if test is None else test.said()].append(baseline)
    met = len(known) - len(found[UNMET])
    if not met:
        return f"**{ground.title}, {budget_words(*budget)}**: too few pairs were played to say anything."
    of = f"all {met}" if met == len(known) else f"{met} of {len(known)}"
    stated = [f"search by stages met {of} baselines."]
    for said, words in ((AHEAD, "ahead of"), (UNDECIDED, "undecided against"), (BEHIND, "behind")):
        if found[said]:
            stated.append(f"It is {words} {len(found[said])}: {names_of(found[said])}.")
    if found[BEHIND]:
        stated.append(f"Better here: {names_of(found[BEHIND])}.")
    elif found[AHEAD] == known:
        stated.append("It is the best of them here.")
    else:
        stated.append("So it is not called the best here.")
    if len(found[UNMET]) > NAMED:
        stated.append("The others were not met.")
    elif found[UNMET]:
        stated.append(f"Not met often enough: {names_of(found[UNMET])}.")
    return f"**{ground.title}, {budget_words(*budget)}**: {' '.join(stated)}"


def standings(tests: dict[Key, Test]) -> list[str]:
    """Who is ahead, a line for each ground and budget."""
    played = {(key.ground, key.budget) for key in tests if key.ours == STAGED and tests[key].pairs}
    lines = [
        f"- {standing(tests, ground, budget)}"
        for name, ground in GROUNDS.items()
        for budget in budgets_of(tests)
        if (name, budget) in played
    ]
    return ["### Who is ahead", "", *lines, ""] if lines else []


def place_words(ground: str, budget: tuple[float | None, int | None]) -> str:
    return f"{GROUNDS[ground].title} ({budget_words(*budget).removesuffix(' a turn').removesuffix(' judged')})"


def places(tests: dict[Key, Test]) -> list[str]:
    """A table of what was seen of each baseline: how it stands against search by stages, and its rank among all."""
    rows = []
    for baseline in BASELINES:
        found: dict[str, list[str]] = defaultdict(list)
        for key, test in tests.items():
            if key.baseline == baseline and key.ours == STAGED and test.said() != UNMET:
                found[test.said()].append(place_words(key.ground, key.budget))
        ranks = []
        for ground, budget in robins_of(tests):
            table = [row.player for row in robin(tests, ground, budget)]
            if baseline in table:
                where = place_words(ground, budget)
                ranks.append(f"number {1 + table.index(baseline)} of {len(table)} in {where}")
        if found or ranks:
            cells = ["; ".join(places) for places in (found[BEHIND], found[UNDECIDED], found[AHEAD], ranks)]
            rows.append(f"| `{baseline}` | {' | '.join(cells)} |")
    head = "| baseline | beats search by stages in | undecided in | loses to it in | round robin |"
    return ["### The place of each baseline", "", head, "|---" * 5 + "|", *rows, ""] if rows else []


def scores(tests: dict[Key, Test], title: str, columns: Sequence[Column], least: int = 1) -> list[str]:
    """A table of search by stages against every baseline that it has met in so many columns."""
    rows = [
        title,
        "",
        f"| against | {' | '.join(column[0] for column in columns)} |",
        "|---" * (1 + len(columns)) + "|",
    ]
    for baseline in BASELINES:
        cells = [cell(tests.get(Key(ground, baseline, *budget))) for _, ground, budget in columns]
        if sum(map(bool, cells)) >= least:
            rows.append(f"| `{baseline}` | {' | '.join(cells)} |")
    return [*rows, ""]


def budgets_of(tests: dict[Key, Test]) -> list[tuple[float | None, int | None]]:
    """Those that search by stages has played by, times first, the shortest first."""
    played = {key.budget for key in tests if key.ours == STAGED and tests[key].pairs}
    return sorted(played, key=lambda budget: (budget[0] is None, *(x or 0 for x in budget)))


def all_scores(tests: dict[Key, Test]) -> list[str]:
    """By ground at equal time, by time, and by the length of a turn."""
    rows: list[str] = []
    played = {(key.ground, key.budget) for key in tests if key.ours == STAGED and tests[key].pairs}
    budgets = budgets_of(tests)
    for budget in budgets:
        columns = [(ground.title, name, budget) for name, ground in GROUNDS.items() if (name, budget) in played]
        rows += scores(tests, f"### The score of search by stages, {budget_words(*budget)}", columns)
    for name, ground in GROUNDS.items():
        columns = [(budget_words(*budget), name, budget) for budget in budgets if (name, budget) in played]
        if len(columns) > 1:
            rows += scores(tests, f"### By time: {ground.title}", columns, 2)
    for game in dict.fromkeys(ground.game for ground in GROUNDS.values()):
        for budget in budgets:
            columns = [
                (ground.title.partition(", ")[2], name, budget)
                for name, ground in GROUNDS.items()
                if ground.game == game and (name, budget) in played
            ]
            if len(columns) > 1:
                title = GROUNDS[columns[0][1]].title.partition(",")[0]
                rows += scores(tests, f"### By the size of a turn: {title}, {budget_words(*budget)}", columns)
    if rows:
        rows += [
            "Bold: search by stages is ahead beyond its 95 % interval. Italics: behind beyond it. H1: the sequential test accepts"
            " that it is at least 30 Elo better; H0: that it is no better. Points are its lead a game.",
            "",
        ]
    return rows


def robins_of(tests: dict[Key, Test]) -> list[tuple[str, tuple[float | None, int | None]]]:
    """Grounds and budgets where baselines have met each other."""
    return list(dict.fromkeys((key.ground, key.budget) for key in tests if key.ours != STAGED))


def robin(tests: dict[Key, Test], ground: str, budget: tuple[float | None, int | None]) -> Sequence[Any]:
    """The ratings of all who have met there, best first."""
    outcomes, group = [], 0
    for key, test in tests.items():
        if (key.ground, key.budget) != (ground, budget):
            continue
        for line in test.done.values():
            group += 1
            for seat, x in enumerate(line["scores"]):
                names, payoff = (key.ours, key.baseline), (2 * x - 1, 1 - 2 * x)
                order = slice(None, None, 1 - 2 * seat)
                outcomes.append(Outcome(names[order], payoff[order], group))
    return rate(outcomes).table


def robins(tests: dict[Key, Test]) -> list[str]:
    """A table of ratings for each ground and budget where baselines have met each other."""
    rows: list[str] = []
    for ground, budget in robins_of(tests):
        rows += [f"### Everybody against everybody: {GROUNDS[ground].title}, {budget_words(*budget)}", ""]
        rows += ["| player | Elo | ± | games | score |", "|---|---|---|---|---|"]
        rows += [
            f"| `{row.player}` | {row.elo:+.0f} | {row.error:.0f} | {row.games} | {percent(row.score)} |"
            for row in robin(tests, ground, budget)
        ]
        rows.append("")
    return rows


def tables(tests: dict[Key, Test], parts: list[dict[str, Any]]) -> str:
    """The tables of the page."""
    rows = standings(tests) + all_scores(tests) + robins(tests) + places(tests)
    for seconds in sorted({part["seconds"] for part in parts}):
        for ground in GROUNDS.values():
            found = [part for part in parts if part["ground"] == ground.name and part["seconds"] == seconds]
            if not found:
                continue
            rows += [f"### What the baselines see, {ground.title}, {seconds:g} s a turn", ""]
            rows += [
                "| baseline | turns judged a second | different outcomes | genes repaired | best turn found |",
                "|---|---|---|---|---|",
            ]
            for part in found:
                best = "" if part["best"] is None else percent(part["best"])
                apart = "" if part["anatomy"] in UNCOUNTED else f"{part['distinct']:,}"
                seen = f"{part['turns']:,} | {apart} | {percent(part['mended'])}"
                rows.append(f"| `{part['anatomy']}` | {seen} | {best} |")
            rows += [
                "",
                f"{found[0]['positions']} positions. *Best turn found*: the best that any of those found that judge",
                "",
            ]
            rows[-2] += " their own turn alone; the others judge something else. *Different outcomes* are counted"
            rows[-2] += " where whole turns are rows of genes, not where a search goes from action to action."
    return "\n".join(rows)


def baselines_rows() -> str:
    """Who they are, in rows of the page's first table."""
    head = "| player | search | after | with dice inside the turn |\n|---|---|---|---|\n"
    return head + "\n".join(
        f"| `{r.name}` | {r.title}: {r.summary} | {r.paper} | {r.model} |" for r in BASELINES.values()
    )


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def between(page: str, name: str) -> str:
    """What a page has between the marks of a name."""
    opening, closing = marks(name)
    return page.partition(opening)[2].partition(closing)[0]


def put(page: str, name: str, content: str) -> str:
    """A page with other content between the marks of a name."""
    opening, closing = marks(name)
    before, _, rest = page.partition(opening)
    return f"{before}{opening}\n{content}\n{closing}{rest.partition(closing)[2]}"


def write(results: Path) -> None:
    """Fill in the page: who the baselines are, and what a file of results has shown, if there is one."""
    page = put(PAGE.read_text(), "baselines", baselines_rows())
    tests, parts = read(results)
    if tests or parts:
        page = put(page, "results", "\n" + tables(tests, parts))
    PAGE.write_text(page)
    print(f"wrote {PAGE.relative_to(ROOT)}{'' if tests or parts else f': {results} holds no results yet'}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Search by stages against the baselines of the literature.")
    parser.add_argument(
        "--time", type=lambda text: [float(t) for t in text.split(",")], default=[0.1], help="seconds a turn"
    )
    parser.add_argument("--nodes", type=int, default=None, help="turns judged in place of a time; repeats exactly")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=[], help="GROUND, GROUND/BASELINE or /BASELINE, .."
    )
    parser.add_argument("--pairs", type=int, default=PAIRS, help="at most, a test")
    parser.add_argument("--positions", type=int, default=40, help="of --anatomy")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="games at once, one a core")
    add_clock(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument(
        "--results", type=Path, default=ROOT / "build" / "whole-turns.jsonl", help="the file of results"
    )
    parser.add_argument("--anatomy", action="store_true", help="measure what the baselines do on fixed positions")
    parser.add_argument("--robin", action="store_true", help="everybody meets everybody")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    given.results.parent.mkdir(parents=True, exist_ok=True)
    if given.write:
        write(given.results)
        return
    if given.anatomy:
        asked = wanted(given.only)
        for name in dict.fromkeys(ground for ground, _ in asked):
            names = [baseline for ground, baseline in asked if ground == name]
            for row in anatomy(GROUNDS[name], names, given.time[0], given.positions):
                print(json.dumps(row), flush=True)
                keep(given.results, row)
        return
    tests, _ = read(given.results)
    try:
        compete(given, tests)
    except KeyboardInterrupt:
        print("stopped by hand; the same command goes on")


if __name__ == "__main__":
    main()
