"""Minions: the engine against the scripts, against itself with less time, and against itself with one idea left out.

Games come in pairs: the same boards and techline with the seats swapped (Yellow wins about three games in four between equals).
The score of a pair is its mean; the test is the sequential one of `stratagem arena test` by pairs (elo0 0, elo1 30), which ends
when one hypothesis is accepted or after `--pairs`, and is reported as it stands. Pairs are appended to a file, a JSON object
a line, as they end; the same command goes on from there.

    python -m benchmarks.strength.minions_engine --list
    python -m benchmarks.strength.minions_engine --only quick --pairs 20 --workers 16
    python -m benchmarks.strength.minions_engine --only greedy,answered-8 --pairs 100 --workers 16 --out minions.jsonl
    python -m benchmarks.strength.minions_engine --only soak --pairs 500 --full --workers 16 --out soak.jsonl
    python -m benchmarks.strength.minions_engine --only ablations --limit 3000 --workers 16 --out minions.jsonl
    python -m benchmarks.strength.minions_engine --only best-backup --nodes 150 --pairs 40 --out nodes.jsonl
    STRATAGEM_PROPHET=prophet.safetensors python -m benchmarks.strength.minions_engine --only prophet,seer --workers 16
    python -m benchmarks.strength.minions_engine --versus engine:oracle=FILE engine:oracle=material --out oracle.jsonl
    python -m benchmarks.strength.minions_engine --out minions.jsonl --write

With `--nodes` the engine is given so many simulations a turn in place of its time (the shorter side of a pairing of unequal times
as many fewer), for a machine that is busy; CPU seconds a turn of both sides are reported, since simulations are not equally dear.
`--write` puts what a file holds into docs/strength.md, in place of the tables of the same groups, and plays nothing.

Needs NumPy, SciPy, Numba and, for the attack solver, python-sat (without it the engine does with its compiled attacks).
"""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import stratagem
from benchmarks.clocks import add_clock
from benchmarks.pairs import keep, kept, played, score
from benchmarks.strength.whole_turns import between, put
from stratagem.arena.sprt import FEWEST, GO_ON, H0, H1, Hypotheses, judge
from stratagem.contract.game import CHANCE
from stratagem.contract.player import Clock
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.rng import generator

PAGE = Path(__file__).parent.parent.parent / "docs" / "strength.md"
PLIES = 400  # after which a game is a draw
MAPS = (
    ("BlackenedShores",),
    ("MidnightLake",),
    ("BlackenedShores", "MidnightLake"),
    ("MidnightLake", "MidnightLake"),
    ("BlackenedShores", "BlackenedShores"),
    ("BlackenedShores", "MidnightLake", "BlackenedShores"),
)
SOAKED = (
    *MAPS,
    ("AllLand",),
    ("AllLand", "MidnightLake"),
    ("AllLand", "AllLand", "BlackenedShores"),
)  # all that there are
SPOOKY, SERVER, BOOK = "spooky", "server", "book"
WITH_SPELLS = (
    ("MidnightLake",),
    ("Apocalypse",),
    ("BlackenedShores", "TreacherousPathways"),
    ("MidnightLake", "SorcerersLair"),
    ("ChaosDiamond",),
    ("TreacherousPathways",),
)
BY_PROFILE = {SPOOKY: MAPS, SERVER: WITH_SPELLS, BOOK: MAPS}
FULL = "engine"
HAND = "oracle=material,prophet=script"  # without a network
FAST = 0.1  # seconds a turn of the ablations


@dataclass(frozen=True)
class Pairing:
    """Two players as people write them, and the seconds a turn of each; `aim` is the score hoped for."""

    first: str
    second: str
    seconds: tuple[float, float]
    aim: float
    group: str
    profile: str = SPOOKY


def ablation(option: str) -> Pairing:
    """What an idea is worth to the engine without networks, whether or not those play better."""
    return Pairing(f"{FULL}:{HAND}", f"{FULL}:{HAND},{option}", (FAST, FAST), 0.5, "ablations")


def networked(*options: str, over: tuple[str, ...] = (), seconds: float = FAST, profile: str = SPOOKY) -> Pairing:
    """The engine with networks against the engine with none or with those of `over`; the weights that come with the game, or of
    STRATAGEM_PROPHET and STRATAGEM_ORACLE."""
    first, second = with_networks(options), with_networks(over)
    group = "networks" if profile == SPOOKY else f"networks-{profile}"
    return Pairing(first, second, (seconds, seconds), 0.55, group, profile)


def with_networks(options: tuple[str, ...]) -> str:
    plain = {"oracle": "material", "prophet": "script"}
    files = {name: f"STRATAGEM_{'ORACLE' if name == 'oracle' else 'PROPHET'}" for name in plain}
    said = {name: os.environ.get(files[name], "network") if name in options else plain[name] for name in plain}
    return f"{FULL}:{','.join(f'{name}={x}' for name, x in said.items())}"


PAIRINGS = {
    "greedy": Pairing(FULL, "greedy", (1.0, 1.0), 0.97, "headline"),
    "answered-8": Pairing(FULL, "answered:turns=8", (1.0, 1.0), 0.90, "headline"),
    "answered-same-time": Pairing(FULL, "answered:turns=10000", (1.0, 1.0), 0.65, "headline"),
    "1s-0.25s": Pairing(FULL, FULL, (1.0, 0.25), 0.60, "time"),
    "0.25s-0.06s": Pairing(FULL, FULL, (0.25, 0.06), 0.60, "time"),
    "soak": Pairing(FULL, FULL, (0.02, 0.02), 0.5, "soak"),
    "greedy-fast": Pairing(FULL, "greedy", (FAST, FAST), 0.9, "quick"),
    "answered-8-fast": Pairing(FULL, "answered:turns=8", (FAST, FAST), 0.8, "quick"),
    "answered-same-fast": Pairing(FULL, "answered:turns=10000", (FAST, FAST), 0.6, "quick"),
    "no-pruning": ablation("pruning=0"),
    "no-reuse": ablation("reuse=false"),
    "no-solver": ablation("solver=false"),
    "best-backup": ablation("backup=best,turn_exploration=0.7"),
    "trust": Pairing(f"{FULL}:trust=30", f"{FULL}:trust=0", (FAST, FAST), 0.5, "trust"),
    "trust-slow": Pairing(f"{FULL}:trust=30", f"{FULL}:trust=0", (1.0, 1.0), 0.5, "trust"),
    "depth-1": Pairing(f"{FULL}:depth=1", FULL, (FAST, FAST), 0.5, "depths"),
    "depth-3": Pairing(f"{FULL}:depth=3", FULL, (FAST, FAST), 0.5, "depths"),
    "depth-1-slow": Pairing(f"{FULL}:depth=1", FULL, (1.0, 1.0), 0.5, "depths"),
    "depth-3-slow": Pairing(f"{FULL}:depth=3", FULL, (1.0, 1.0), 0.5, "depths"),
    "prophet": networked("prophet"),
    "oracle": networked("oracle"),
    "oracle-slow": networked("oracle", seconds=1.0),
    "prophet-beside-oracle": networked("oracle", "prophet", over=("oracle",)),
    "oracle-and-prophet": networked("oracle", "prophet"),
    "oracle-and-prophet-slow": networked("oracle", "prophet", seconds=1.0),
    "oracle-server": networked("oracle", profile=SERVER),
    "prophet-server": networked("oracle", "prophet", over=("oracle",), profile=SERVER),
    "oracle-and-prophet-server": networked("oracle", "prophet", profile=SERVER),
    "oracle-and-prophet-book": networked("oracle", "prophet", profile=BOOK),
}


TITLES = {
    "headline": "The engine against the scripts",
    "time": "The engine with more time, or with two threads",
    "networks": "With networks, against the engine without any",
    "networks-server": "With networks and spells (profile `server`), against the engine without any",
    "networks-book": "With networks in profile `book`, against the engine without any",
    "rounding": "What whole numbers cost",  # played by earlier versions
    "ablations": "The engine without networks, against itself with one idea left out",
    "quick": "A tenth of a second",
    "trust": "What a turn is worth after its replies",
    "depths": "Turns that a walk joins",
}  # of the page, by group

AGAINST = " against "  # in the name of a pairing that `--versus` gave


def pairing_of(name: str) -> Pairing:
    if AGAINST in name:
        first, second = name.split(AGAINST)
        return Pairing(first, second, (FAST, FAST), 0.5, "versus")
    return PAIRINGS[name]


def with_nodes(text: str, nodes: int) -> str:
    """An engine that is given simulations; a script as it is."""
    return f"{text}{',' if ':' in text else ':'}visits={nodes}" if text.startswith(FULL) else text


def play(pairing: Pairing, number: int, swapped: bool, nodes: int | None) -> dict[str, Any]:
    """One game; the score is the first player's."""
    played = SOAKED if pairing.group == "soak" else BY_PROFILE[pairing.profile]
    maps = played[number % len(played)]
    techline = "standard" if number // len(played) % 2 == 0 else f"random:{number}"
    game = stratagem.game("minions", maps=",".join(maps), techline=techline, plies=PLIES, profile=pairing.profile)
    texts = [pairing.first, pairing.second]
    clocks: list[float | None] = list(pairing.seconds)
    if nodes is not None:
        longest = max(pairing.seconds)
        for k, text in enumerate(texts):
            texts[k] = with_nodes(text, max(round(nodes * pairing.seconds[k] / longest), 1))
            clocks[k] = None if text.startswith(FULL) else clocks[k]
    if swapped:
        texts.reverse()
        clocks.reverse()
    players = [stratagem.player(game, text, seed=2 * number + k) for k, text in enumerate(texts)]
    position, plies, worst, deals = game.start(), 0, 0.0, 0
    tried, work = [0, 0], [0.0, 0.0]
    for player in players:
        if isinstance(player, EnginePlayer):
            player.search_for(position.state.config)  # compiles or loads
    while not position.over:
        seat = position.turn
        if seat == CHANCE:  # both games of a pair are dealt the same
            deals += 1
            position = position.play(position.sample(generator(number, deals)))
            continue
        began, worked = time.perf_counter(), time.process_time()
        choice = players[seat].choose(position.view(seat), Clock(clocks[seat]))
        allowed = clocks[seat]
        if allowed is not None and texts[seat].startswith(FULL):
            worst = max(worst, time.perf_counter() - began - allowed)
        tried[seat] += choice.nodes or 0
        work[seat] += time.process_time() - worked
        position = position.play(choice.move)
        plies += 1
    mine = 1 if swapped else 0
    score = 0.5 * (1.0 + float(position.payoff[mine]))
    per_turn = [n / max(plies / 2, 1) for n in tried]
    cpu = [round(x / max(plies / 2, 1), 4) for x in work]
    faults = sum(player.staging.faults for player in players if isinstance(player, EnginePlayer))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # MB, the most so far
    return {
        "score": score,
        "plies": plies,
        "late": round(worst, 4),
        "nodes": round(per_turn[mine], 1),
        "cpu": [cpu[mine], cpu[1 - mine]],
        "faults": faults,
        "memory": held,
    }


def played_pair(job: tuple[str, int, tuple[float, float] | None, int | None]) -> dict[str, Any]:
    name, number, seconds, nodes = job
    pairing = pairing_of(name)
    if seconds is not None:
        pairing = replace(pairing, seconds=seconds)
    games = [play(pairing, number, swapped, nodes) for swapped in (False, True)]
    return {"name": name, "pair": number, "seconds": list(pairing.seconds), "nodes": nodes, "games": games}


class Table:
    """Pairs played so far, by name."""

    def __init__(self, out: Path) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.pairs: dict[str, dict[int, dict[str, Any]]] = {name: {} for name in PAIRINGS}
        for found in kept(out):
            self.enter(found)

    def enter(self, found: dict[str, Any]) -> None:
        self.pairs.setdefault(found["name"], {})[found["pair"]] = found

    def write(self, found: dict[str, Any]) -> None:
        self.enter(found)
        keep(self.out, found)

    def in_order(self, name: str) -> list[dict[str, Any]]:
        """The pairs up to the first that is missing: short games end first, and are not like the rest."""
        rows, found = self.pairs.get(name, {}), []
        while len(found) in rows:
            found.append(rows[len(found)])
        return found

    def counts(self, name: str) -> list[int]:
        """Pairs by what they scored, worst first."""
        found = [0] * 5
        for row in self.in_order(name):
            found[round(2 * sum(game["score"] for game in row["games"]))] += 1
        return found

    def verdict(self, name: str) -> tuple[str, str]:
        """(decision, what is reported)."""
        rows, counts = self.in_order(name), self.counts(name)
        n = len(rows)
        if n == 0:
            return GO_ON, f"{name:20} no pair yet"
        found = judge(counts, Hypotheses(0.0, 30.0))
        games = [game for row in rows for game in row["games"]]
        late = max(game["late"] for game in games)
        plies = sum(game["plies"] for game in games) / len(games)
        nodes = sum(game["nodes"] for game in games) / len(games)
        cpu = [sum(game["cpu"][k] for game in games if "cpu" in game) / len(games) for k in range(2)]
        faults, memory = sum(game["faults"] for game in games), max(game["memory"] for game in games)
        elo = "all won" if found.elo is None else f"Elo {found.elo:+.0f} ± {found.elo_error or 0:.0f}"
        shown = (
            f"{name:20} {n:4} pairs  {scored(counts)}  {elo:16} LLR {found.llr:+6.2f} "
            f"{found.decision if n >= FEWEST else GO_ON:8} aim {pairing_of(name).aim:.0%}  plies {plies:.0f}  "
            f"turns tried {nodes:.0f}  CPU s a turn {cpu[0]:.3f}, {cpu[1]:.3f}  "
            f"latest {1000 * late:+.0f} ms  faults {faults}  memory {memory} MB"
        )
        return (found.decision if n >= FEWEST else GO_ON), shown

    def page(self, known: str = "") -> str:
        """What docs/strength.md says: a table for each group of pairings; those that no pair was played of as they are known."""
        tables = {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in known.split("### ")[1:]}
        for group, title in TITLES.items():
            names = [name for name, pairing in PAIRINGS.items() if pairing.group == group and self.in_order(name)]
            if names:
                head = "| the first | the second | a turn | pairs (lost both .. won both) | score | LLR |"
                tables[title] = "\n".join([head, "|---|---|---|---|---|---|", *map(self.row, names)])
        return "\n".join(f"### {title}\n\n{tables[title]}\n" for title in TITLES.values() if title in tables)

    def row(self, name: str) -> str:
        pairing, counts = PAIRINGS[name], self.counts(name)
        found = judge(counts, Hypotheses(0.0, 30.0))
        settled = {H1: ", passed", H0: ", refused"}.get(found.decision, "") if sum(counts) >= FEWEST else ""
        nodes = self.in_order(name)[0].get("nodes")
        seconds = " and ".join(f"{x:g}" for x in dict.fromkeys(pairing.seconds))
        given = f"{seconds} s" if nodes is None else f"{nodes} simulations"
        return (
            f"| `{shortly(pairing.first)}` | `{shortly(pairing.second)}` | {given} | {', '.join(map(str, counts))} | "
            f"{scored(counts)} | {found.llr:+.1f}{settled} |"
        )


def shortly(player: str) -> str:
    """Without what the engine is anyway, and without the folders of files."""
    return re.sub(r"=[^,=]*/", "=", player)


def scored(counts: list[int]) -> str:
    """The mean score of the first and half its 95 % interval."""
    mean, half = score(counts)
    return f"{mean:.1%} ± {half:.1%}"


def chosen(text: str) -> list[str]:
    """Names of pairings and groups."""
    if not text:
        return list(PAIRINGS)
    found: list[str] = []
    for word in text.split(","):
        group = [word] if word in PAIRINGS else [name for name, pairing in PAIRINGS.items() if pairing.group == word]
        if not group:
            groups = sorted({pairing.group for pairing in PAIRINGS.values()})
            raise SystemExit(f"no pairing or group is called {word!r}; there are {', '.join([*groups, *PAIRINGS])}")
        found += group
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: strength of the engine, by pairs of games.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="", help="names of pairings or groups, with commas between")
    parser.add_argument("--versus", nargs=2, metavar="PLAYER", help="two players of your own choice")
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument(
        "--seconds", type=float, default=None, help="a turn of both sides, instead of the pairing's own"
    )
    parser.add_argument("--workers", type=int, default=None, help="one a core if not given")
    parser.add_argument(
        "--cluster", default=None, help="play on a Ray cluster: local, auto, or ADDRESS:PORT of its head"
    )
    parser.add_argument("--nodes", type=int, default=None, help="simulations a turn of the engine, in place of seconds")
    add_clock(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument("--full", action="store_true", help="play all pairs, whatever the test says")
    parser.add_argument("--out", type=Path, default=Path("build") / "minions-engine.jsonl")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/strength.md")
    given = parser.parse_args()
    if given.write:
        page = PAGE.read_text()
        PAGE.write_text(put(page, "minions", "\n" + Table(given.out).page(between(page, "minions"))))
        return
    if given.list:
        for name, pairing in PAIRINGS.items():
            first, second = pairing.seconds
            print(f"{name:20} {pairing.group:10} {pairing.first} ({first} s) - {pairing.second} ({second} s)")
        return
    names, table = [AGAINST.join(given.versus)] if given.versus else chosen(given.only), Table(given.out)
    seconds = None if given.seconds is None else (given.seconds, given.seconds)
    if given.cluster is None:
        compile_once()  # what the workers then load
    # pairings take turns, so that a run that is cut short tells something of each
    jobs = [
        (name, k, seconds, given.nodes)
        for k in range(given.pairs)
        for name in names
        if k not in table.pairs.get(name, {})
    ]
    if given.cluster is None:
        play_here(jobs, table, given)
    elif jobs:
        play_on_cluster(jobs, table, given)
    print()
    for name in names:
        print(table.verdict(name)[1])


def play_here(jobs: list[Any], table: Table, given: argparse.Namespace) -> None:
    """Pairs in processes of this machine, until the test is settled or it is time."""
    wanted = (job for job in jobs if given.full or table.verdict(job[0])[0] == GO_ON)
    try:
        for found in played(played_pair, wanted, given.workers or os.cpu_count() or 1, given.limit, given.clock):
            table.write(found)
            print(table.verdict(found["name"])[1], flush=True)
    except KeyboardInterrupt:
        print("stopped; the same command goes on")


@cache
def compile_once() -> None:
    game = stratagem.game("minions", maps="BlackenedShores")
    for text in ("engine", "answered:turns=2"):
        stratagem.player(game, text).choose(game.start(), Clock(0.05))


def pair_on_host(*job: Any) -> dict[str, Any]:
    """A pair on a host of a cluster, which compiles before its first one."""
    compile_once()
    return played_pair(job)


def play_on_cluster(jobs: list[Any], table: Table, given: argparse.Namespace) -> None:
    """The same on a Ray cluster; pairs under way at the limit are dropped."""
    from benchmarks.spread import on_cluster  # the script runs without it where there is no cluster

    names, until = {job[0] for job in jobs}, time.monotonic() + given.limit
    try:
        for _, found in on_cluster(given.cluster, given.workers, pair_on_host, jobs, until):
            table.write(found)
            print(table.verdict(found["name"])[1], flush=True)
            if not given.full and all(table.verdict(name)[0] != GO_ON for name in names):
                return
    except KeyboardInterrupt:
        print("stopped; the same command goes on")


if __name__ == "__main__":
    main()
