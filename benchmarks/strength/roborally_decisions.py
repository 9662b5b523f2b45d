"""Which settings of RoboRally's Monte-Carlo player decide better, found with far less luck than whole games have: all of them
decide the same positions, and each programme chosen is judged by full races to the end.

    python -m benchmarks.strength.roborally_decisions --positions 600 --minutes 10

Positions are drawn from races of `medium` against three greedy players. In a judging race the others hold any of the cards
that the seat cannot see and go on as greedy players; the seat goes on by the best programme for a robot alone (by turns). All
programmes of a position meet the same races, so that differences have small errors: a tenth of a percent a decision, where 400
games would have five percent a game. A race has about seven decisions. What is lost: how well the player itself would go on.

`--settings simulations=5000 simulations=100000 best` shows what the player misses. What many simulations win more is lost by
chance. `best` halves the programmes that the player keeps by such full races, others than those that judge: what it wins more is
lost by the model. It may still miss a programme that is better by a little.

`best:others=turns,turns=2` halves by the player's own model: the others write the best programme by turns, and the evaluator
judges after two turns. So `best:turns=2` against it is what right opponents bring, `best:turns=4` what two more turns bring, and
`best` against that what the evaluator costs. `best:keep=200` halves more programmes than the player keeps.
`--turns 3` judges by the evaluator after three turns in place of full races. That is cheaper and has far less noise; it tells
settings apart that share the evaluator, such as those of the prefilter, and says nothing of the evaluator itself.
`--cluster` decides and judges on a Ray cluster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stratagem
from benchmarks.clocks import add_clock, use_clock
from benchmarks.spread import add_flag, on_cluster
from benchmarks.strength.roborally import COURSES, ROBOTS, one_game
from stratagem import kernel
from stratagem.compile import Bound, specialise
from stratagem.contract.game import Position
from stratagem.contract.player import Clock
from stratagem.games.roborally import players
from stratagem.games.roborally.deal import deal_hands
from stratagem.games.roborally.heuristics import best_alone, playout, value
from stratagem.games.roborally.layout import is_awake
from stratagem.kernel import Ground, Moves, Payoffs, State
from stratagem.registry import player
from stratagem.rng import Rng, seed_stream

SETTINGS = (
    "",
    "turns=1",
    "turns=3",
    "evaluator=walk",
    "evaluator=registers",
    "playout=straying",
    "candidates=24",
    "share=ucb",
    "common=false",
    "reduce=0",
    "keep=45",
    "keep=90",
)
RACES = 1500  # that judge a programme
BEST = "best"  # of the programmes that are kept, by full races; `best:OPTIONS` by a model
HALVINGS = ((100, 16), (400, 4), (1600, 1))  # races for each programme, and how many programmes stay
others_programme = others_decide = seat_decides = playout  # bound below
HORIZON = 0  # turns after which the evaluator judges; 0: the end of the race


def judge(
    g: Ground, start: State, seat: int, m: int, races: int, seed: int, s: State, r: Rng, joint: Moves, out: Payoffs
) -> float:
    """The share of races that a seat wins which begins with the programme m, or its chances at the horizon."""
    won = 0.0
    for j in range(races):
        seed_stream(r, seed, j)
        for i in range(kernel.SIZE):
            s[i] = start[i]
        deal_hands(s, seat, r)
        turns = 0
        while True:
            t = kernel.turn(g, s)
            if t == kernel.OVER:
                kernel.payoff(g, s, out)
                won += out[seat]
                break
            if 0 < HORIZON <= turns:
                kernel.value(g, s, out)
                won += out[seat]
                break
            if t == kernel.CHANCE:
                kernel.draw(g, s, r)
            elif t == kernel.TOGETHER:
                for p in range(kernel.PLAYERS):
                    joint[p] = kernel.NO_MOVE
                    if p == seat and turns == 0:
                        joint[p] = m
                    elif is_awake(s, p):
                        joint[p] = seat_decides(g, s, p, r) if p == seat else others_programme(g, s, p, r)
                turns += 1
                kernel.play_together(g, s, joint)
            elif t == seat:
                kernel.play(g, s, t, seat_decides(g, s, t, r))
            else:
                kernel.play(g, s, t, others_decide(g, s, t, r))
    return won / races


class Table:
    """A course with its judge and players, made once a process."""

    def __init__(self, course: str) -> None:
        self.game: Any = stratagem.game("roborally", course=course, robots=ROBOTS)
        self.judge = self.judging()
        self.players: dict[str, Any] = {}
        self.models: dict[str, Any] = {BEST: (self.judge, "montecarlo")}

    def judging(self, others: str = "registers", turns: int = 0) -> Any:
        """Return `judge` for opponents by an evaluator, to the end or so many turns deep."""
        theirs, own = players.constants(self.game, others), players.constants(self.game, "turns")
        names = {
            "others_programme": Bound(best_alone, theirs), "others_decide": Bound(playout, theirs),
            "seat_decides": Bound(playout, own), "value": Bound(value, own), "HORIZON": turns,
        }  # fmt: skip
        return specialise(judge, {**dict(self.game.names["turn"].names), **self.game.names, **names})

    def model(self, name: str) -> tuple[Any, str]:
        """Return what `best` or `best:OPTIONS` halves by, and the player that keeps the programmes to begin with."""
        if name not in self.models:
            given = dict(option.split("=") for option in name.removeprefix(f"{BEST}:").split(","))
            judging = self.judging(given.pop("others", "registers"), int(given.pop("turns", 0)))
            self.models[name] = judging, "montecarlo:" + ",".join(f"{key}={x}" for key, x in given.items())
        found: tuple[Any, str] = self.models[name]
        return found

    def player(self, name: str) -> Any:
        if name not in self.players:
            self.players[name] = player(self.game, name, seed=1)
        return self.players[name]

    def worth(self, view: Any, seat: int, m: int, races: int, seed: int, judging: Any = None) -> float:
        game = self.game
        work = game.blank(), np.zeros(2, np.int64), np.zeros(ROBOTS, np.int64), np.zeros(ROBOTS)
        return float((judging or self.judge)(game.g, view.state.copy(), seat, m, races, seed, *work))

    def best(self, view: Any, seat: int, seed: int, name: str = BEST) -> int:
        """Return the programme kept by the usual player that is best in a model's races, found by halving."""
        judging, keeper = self.model(name)
        left = self.player(keeper.removesuffix(":")).kept(view, seat)
        for number, (races, most) in enumerate(HALVINGS):
            worth = {m: self.worth(view, seat, m, races, seed + number, judging) for m in left}
            left = sorted(left, key=lambda m: -worth[m])[:most]
        return int(left[0])


@cache
def table_of(course: str) -> Table:
    os.environ["STRATAGEM_QUIET"] = "1"
    return Table(course)


Item = tuple[str, int, NDArray[np.int64]]  # a course, a seat and a state in which it writes a programme


def positions(task: tuple[str, int]) -> list[Item]:
    """Where a medium player had to programme in one race against three greedy ones."""
    course, seed = task
    table = table_of(course)
    seat, found = seed % ROBOTS, []

    def watch(at: Any) -> None:
        if at.turn == kernel.TOGETHER and seat in at.asked:
            found.append((course, seat, at.state.copy()))

    one_game(table.game, ["medium" if p == seat else "greedy" for p in range(ROBOTS)], seed, watch)
    return found


def compile_for(task: tuple[Item, str]) -> None:
    (course, seat, state), name = task
    decide(((course, seat, state), 0, (name,), (1, 0)))


@cache
def compile_once(course: str, names: tuple[str, ...]) -> None:
    """Have every player decide once on a course."""
    at = table_of(course).game.start(seed=1)
    for name in names:
        if not name.startswith(BEST):
            table_of(course).player(name).choose(at.view(0), Clock(0.01), seat=0)


def decide_compiled(*task: Any) -> dict[str, tuple[int, float]]:
    """The same as `decide` on a host of a cluster, which compiles before its first decision on a course."""
    (course, _, _), _, names, _ = task
    compile_once(course, names)
    return decide(task)


def positions_of(course: str, seed: int) -> list[Item]:
    return positions((course, seed))


def decide(task: tuple[Item, int, tuple[str, ...], tuple[int, int]]) -> dict[str, tuple[int, float]]:
    """What each player chooses in a position, and what that is worth."""
    (course, seat, state), number, names, (races, turns) = task
    table = table_of(course)
    view: Position = table.game.position(state.copy()).view(seat)
    chosen = {}
    for name in names:
        if name.startswith(BEST):
            chosen[name] = table.best(view, seat, 10**6 + 10 * number, name)
            continue
        move = table.player(name).choose(view, Clock(None), seat=seat).move
        chosen[name] = table.game.parse_move(state, seat, move)
    judging = table.model(f"{BEST}:turns={turns}")[0]
    worth = {m: table.worth(view, seat, m, races, 1000 + number, judging) for m in set(chosen.values())}
    return {name: (m, worth[m]) for name, m in chosen.items()}


def chosen(races: list[list[Item]], given: argparse.Namespace) -> list[Item]:
    """So many of the positions of all races, drawn by the seed."""
    items = [item for race in races for item in race]
    order = np.random.default_rng(given.seed).permutation(len(items))[: given.positions]
    return [items[n] for n in order]


def decisions(names: tuple[str, ...], given: argparse.Namespace) -> Iterator[dict[str, tuple[int, float]]]:
    """What all settings decide in each position, as it is judged, until it is time."""
    end, courses = time.monotonic() + 60 * given.minutes, COURSES.split(",")
    races = [(courses[n % len(courses)], given.seed + n) for n in range(given.positions // 3 + 1)]

    def tasks(items: Sequence[Item]) -> list[Any]:
        return [(item, number, names, (given.races, given.turns)) for number, item in enumerate(items)]

    if given.cluster is not None:
        where = given.cluster, given.workers
        raced = dict(on_cluster(*where, positions_of, races, end))
        if len(raced) < len(races):
            return
        items = chosen([raced[n] for n in range(len(races))], given)
        for _, found in on_cluster(*where, decide_compiled, tasks(items), end):
            yield found
        return
    workers = given.workers or os.cpu_count() or 1
    with multiprocessing.get_context("spawn").Pool(workers, use_clock, (given.clock,)) as pool:
        items = chosen(pool.map(positions, races, 1), given)
        pool.map(compile_for, [(items[0], name) for name in names], 1)
        results = pool.imap_unordered(decide, tasks(items))
        for _ in items:
            try:
                yield results.next(timeout=max(end - time.monotonic(), 0.01))
            except multiprocessing.TimeoutError:
                return


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--time", type=float, default=0.05, help="seconds a decision")
    arguments.add_argument(
        "--settings", nargs="*", default=SETTINGS, help="options of montecarlo; the first is the measure"
    )
    arguments.add_argument("--positions", type=int, default=600)
    arguments.add_argument("--races", type=int, default=RACES)
    arguments.add_argument(
        "--turns", type=int, default=0, help="judge after so many turns by the evaluator; 0: full races"
    )
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--workers", type=int, default=None, help="one a core if not given")
    add_flag(arguments)
    add_clock(arguments)
    arguments.add_argument("--minutes", type=float, default=60.0)
    given = arguments.parse_args()
    names = tuple(
        change if change.startswith(BEST) else f"montecarlo:time={given.time}" + (f",{change}" if change else "")
        for change in given.settings
    )
    found: list[dict[str, tuple[int, float]]] = []
    try:
        for one in decisions(names, given):
            found.append(one)
            print(f"\r{len(found)} of {given.positions} positions", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("\nstopped by hand", file=sys.stderr)
    print(file=sys.stderr)
    if not found:
        sys.exit("no position was decided in time")
    print("| player | positions | won from here | against the first | standard error | the same programme |")
    print("|---|---|---|---|---|---|")
    first = np.array([row[names[0]][1] for row in found])
    for name in names:
        worth = np.array([row[name][1] for row in found])
        same = np.mean([row[name][0] == row[names[0]][0] for row in found])
        difference = worth - first
        error = difference.std() / np.sqrt(max(len(found), 1))
        print(f"| `{name}` | {len(found)} | {worth.mean():.2%} | {difference.mean():+.2%} | {error:.2%} | {same:.0%} |")


if __name__ == "__main__":
    main()
