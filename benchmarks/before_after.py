"""Is anything slower than it was? Every row of the benchmark table, our side alone, for two source trees.

    python benchmarks/before_after.py BEFORE AFTER [--only NAME ...] [--rounds 15] [--level]

BEFORE and AFTER are checkouts of this repository. With `--level` AFTER is compiled for a level of processors, as `make kernels`
does it, and BEFORE for this processor: give one checkout twice. A round starts a fresh process for each of them, both pinned to
one core, which compile or load what they need and then take turns, a tenth of a second each; the median of a process counts.
What is printed is the ratio of the medians over the rounds, AFTER to BEFORE, in units of work a CPU second, and the interval
that holds it in 95 % of bootstrap samples of the rounds. A row whose interval lies wholly below 0.97 is a regression, and the
exit status says so.

A row is a function of this file that is called in a process of the one tree or the other: it returns the work to measure.
Modules that moved are found by their name now or by their former one; where a call itself has changed, the row asks the tree's
own benchmark, or looks which of the two it has before it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Work = Callable[[], int]  # does some work and returns how much, in the unit of the row
TURN = 0.1  # CPU seconds of one measurement
TURNS = 5  # of a process in a round
REGRESSION = 0.97
LEVEL = "x86-64-v3"  # not read from `stratagem.compile.levels`, which older checkouts lack
FEW = 5  # rounds below which an interval says nothing
ROWS: dict[str, tuple[str, Callable[[], Work]]] = {}  # name: unit, what makes the work


def row(name: str, unit: str) -> Callable[[Callable[[], Work]], Callable[[], Work]]:
    def enter(make: Callable[[], Work]) -> Callable[[], Work]:
        ROWS[name] = unit, make
        return make

    return enter


# ------------------------------------------------------------------------------------------------------------- rows


def moved(now: str, before: str) -> Any:
    """A module by its name now, or by the one that it had in older checkouts."""
    try:
        return import_module(f"stratagem.{now}")
    except ImportError:
        return import_module(f"stratagem.{before}")


def a_game(name: str) -> Any:
    import stratagem

    return stratagem.game(f"{tree()}/examples/notakto.py" if name == "tutorial" else name)


def mcts(name: str, **options: Any) -> Callable[[], Work]:
    def make() -> Work:
        MCTS = moved("search.tree.mcts", "search.mcts").MCTS

        start = a_game(name).start()
        search = MCTS(start.game, **{"exploration": 1.4, "solve": False, "reuse": False, "seed": 7, **options})
        return lambda: int(search.search(start, simulations=10_000)[0])

    return make


def playouts(name: str, number: int, share: str = "uniform") -> Callable[[], Work]:
    def make() -> Work:
        MonteCarlo = moved("search.sampling.montecarlo", "search.montecarlo").MonteCarlo

        start = a_game(name).start()
        search = MonteCarlo(start.game, share=share, seed=7)

        def work() -> int:
            search.estimates(start, simulations=number)
            return number

        return work

    return make


for _name, _number in (("connect4", 100_000), ("breakthrough", 10_000), ("othello", 4_000), ("tictactoe", 100_000)):
    row(f"mcts {_name}", "simulations")(mcts(_name))
    row(f"playouts {_name}", "playouts")(playouts(_name, _number))
row("mcts tutorial", "simulations")(mcts("tutorial"))
row("playouts tutorial", "playouts")(playouts("tutorial", 100_000))
# beside the table: other compositions of the same searches, and calls that are over in a moment
row("mcts connect4 with proofs", "simulations")(mcts("connect4", solve=True))
row("playouts connect4 by ucb", "playouts")(playouts("connect4", 100_000, "ucb"))


@row("short searches", "searches")
def short_searches() -> Work:
    """What a call costs beside its simulations."""
    MCTS = moved("search.tree.mcts", "search.mcts").MCTS

    start = a_game("connect4").start()
    search = MCTS(start.game, reuse=False, seed=7, pool=1000)
    return lambda: sum(search.search(start, simulations=10)[0] // 10 for _ in range(100))


@row("mcts connect4 with priors", "simulations")
def with_priors() -> Work:
    return mcts("connect4", prior=central)()


def central(g: Any, s: Any, p: int, m: int) -> float:
    """A prior kernel: columns near the middle."""
    return 4.0 - abs(m - 3)


def information_sets(rule: str) -> Callable[[], Work]:
    def make() -> Work:
        InformationSets = moved("search.tree.infosets", "search.infosets").InformationSets

        import stratagem

        start = stratagem.game("goofspiel", cards=6, order="ascending").start()
        search = InformationSets(start.game, rule=rule, reuse=False, seed=7)
        return lambda: int(search.search(start, simulations=20_000)[0])

    return make


for _rule in ("rm", "duct", "exp3"):
    row(f"information sets by {_rule}", "simulations")(information_sets(_rule))


def solver(kind: str, positions: int) -> Callable[[], Work]:
    def make() -> Work:
        import bench_connect4_solver as bench

        shortest, longest, _ = bench.SETS[kind]
        batch, engine = bench.positions(shortest, longest, positions, 1), bench.Solver(bench.GAME, table_bits=18)

        def work() -> int:
            bench.ours(engine, batch)
            return positions

        return work

    return make


row("connect-four solver, end", "positions")(solver("end", 1000))
row("connect-four solver, middle", "positions")(solver("middle", 100))


def alphabeta(name: str, depth: int | None, **options: Any) -> Callable[[], Work]:
    def make() -> Work:
        import bench_alphabeta_techniques as bench

        import stratagem
        from stratagem.search.alphabeta import AlphaBeta

        game = stratagem.game(name, **options)
        batch = bench.positions(game, 4, range(4, 12) if depth else range(1, 2))
        search = AlphaBeta(game, table_bits=16)

        def work() -> int:
            search.clear()
            found = [search.solve(position) if depth is None else search.search(position, depth) for position in batch]
            return sum(one.nodes for one in found)

        return work

    return make


row("alpha-beta connect4", "nodes")(alphabeta("connect4", 13))
row("alpha-beta othello", "nodes")(alphabeta("othello", 6))
row("alpha-beta breakthrough", "nodes")(alphabeta("breakthrough", 5))
row("alpha-beta hex", "nodes")(alphabeta("hex", 4, size=7))
row("alpha-beta hex, solved", "nodes")(alphabeta("hex", None, size=4))
row("alpha-beta, short searches", "nodes")(alphabeta("connect4", 2))


@row("perft", "leaves")
def leaves() -> Work:
    from stratagem.search.perft import Perft

    start = a_game("connect4").start()
    search = Perft(start.game)
    return lambda: search.count(start, 7)


@row("minimax", "nodes")
def minimax_nodes() -> Work:
    from stratagem.search.minimax import Minimax

    start = a_game("connect4").start()
    search = Minimax(start.game)
    return lambda: search.search(start, 6).nodes


@row("expectimax", "nodes")
def expectimax_nodes() -> Work:
    from stratagem.search.minimax import Expectimax

    start = a_game("pig").start()
    search = Expectimax(start.game)
    return lambda: search.values(start, 10)[2]


@row("blotto", "games")
def blotto() -> Work:
    from stratagem.games.blotto import Rules
    from stratagem.games.blotto.solve import solve

    rules = Rules.of((10, 9), range(1, 6))

    def work() -> int:
        solve(rules)
        return 1

    return work


def bidding(payment: str, chips: int) -> Callable[[], Work]:
    def make() -> Work:
        import stratagem
        from stratagem.games.bidding.graph import explore
        from stratagem.games.bidding.induction import solve_graph

        base, game = stratagem.game("tictactoe"), stratagem.game("bidding", payment=payment, chips=(chips, 0))
        graph = explore(base, base.start().state)
        return lambda: int(solve_graph(game, graph, (chips, 0), all_splits=True).states)

    return make


row("bidding richman", "states")(bidding("richman", 16))
row("bidding allpay", "states")(bidding("allpay", 8))


def matrices(size: int) -> Callable[[], Work]:
    def make() -> Work:
        import bench_matrix_games as bench

        batch = [*bench.games("whole", size, 200), *bench.games("real", size, 200)]

        def work() -> int:
            for matrix in batch:
                bench.zero_sum(matrix)
            return len(batch)

        return work

    return make


for _size in (3, 5, 10):
    row(f"matrix games {_size} x {_size}", "games")(matrices(_size))


@row("roborally", "turns")
def roborally() -> Work:
    import bench_roborally as bench

    import stratagem

    game = stratagem.game("roborally", course="Risky Exchange", robots=4)
    run = bench.specialise(bench.race_on, {**game.names["turn"].names, **game.names}, label="roborally turns")
    start, r, joint = game.start().state, bench.generator(1), np.zeros(4, np.int64)

    def work() -> int:
        run(game.g, start.copy(), start.copy(), r, joint, 20_000)
        return 20_000

    return work


@row("minions, random turns", "turns")
def minions() -> Work:
    """The profile without spells, on two boards: what the rules of the others cost it."""
    from stratagem.compile import specialise
    from stratagem.games.minions import GameConfig, GameState
    from stratagem.rng import generator

    try:
        random_turns = import_module("minions_work").random_turns
    except ImportError:  # older checkouts have it among the samplers
        random_turns = import_module("stratagem.games.minions.sampling").random_turns
    config = GameConfig.make(("BlackenedShores", "MidnightLake"))
    run = specialise(random_turns, getattr(config, "constants", {}), label="minions random turns")
    start, r, out = GameState.start(config).array, generator(1), np.zeros(1 << 15, np.int64)

    def work() -> int:
        run(config.ground, start.copy(), start, r, out, 5_000)
        return 5_000

    return work


@row("minions, turns judged by the engine", "turns")
def minions_engine() -> Work:
    """Two boards in the middle of a game."""
    import stratagem
    from stratagem.contract.player import Clock
    from stratagem.games.minions.engine.player import EnginePlayer
    from stratagem.rng import generator

    game = stratagem.game("minions", maps="BlackenedShores,MidnightLake")
    position, rng = game.start(), generator(1)
    for _ in range(14):
        position = position.play(str(position.state.greedy_turn(rng, wild=True)))

    def work() -> int:
        return EnginePlayer(game, visits=100, solver=False).choose(position, Clock(None)).nodes or 0

    return work


def risk(players: int, style: str) -> Callable[[], Work]:
    def make() -> Work:
        import bench_risk as bench

        return bench.ours(players, style, 50)

    return make


row("risk, two seats", "games")(risk(2, "expected"))
row("risk, three seats", "games")(risk(3, "expected"))


def whole_turns(name: str, baseline: str, turns: int) -> Callable[[], Work]:
    def make() -> Work:
        import stratagem
        from stratagem.kernel import CHANCE
        from stratagem.rng import generator

        position, rng = stratagem.game(name).start(), generator(1)
        while position.turn == CHANCE:
            position = position.play(position.sample(rng))
        view, seat = position.view(position.turn), position.turn
        search = stratagem.player(position.game, baseline, seed=1).search  # type: ignore[attr-defined]
        return lambda: int(search.consider(search.atoms.state(view), seat, turns=turns).turns)

    return make


for _baseline in ("oep", "atom-mcts", "greedy-turn"):
    row(f"whole turns asmacag {_baseline}", "turns")(whole_turns("asmacag", _baseline, 2000))
    row(f"whole turns skirmish {_baseline}", "turns")(whole_turns("skirmish", _baseline, 500))


# ------------------------------------------------------------------------------------------------- in either process


def tree() -> Path:
    """The checkout that this process measures."""
    return Path(sys.argv[2])


def serve(name: str) -> None:
    """Get ready, say so, and then measure once for each line read, until there are no more."""
    import stratagem

    home = Path(stratagem.__file__).resolve()
    if not home.is_relative_to(tree().resolve()):
        raise SystemExit(f"{tree()} was asked for, and {home} was imported")
    warnings.simplefilter("ignore", DeprecationWarning)
    work = ROWS[name][1]()
    work()
    began, times = time.process_time(), 0
    while time.process_time() - began < TURN or times == 0:
        work()
        times += 1
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.process_time()
        done = sum(work() for _ in range(times))
        print(done / (time.process_time() - began), flush=True)


# ---------------------------------------------------------------------------------------------------------- comparing


def started(checkout: Path, name: str, level: bool = False) -> subprocess.Popen[str]:
    for_level = {"NUMBA_CPU_NAME": LEVEL, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"} if level else {}
    paths = [str(checkout / "src"), str(checkout / "benchmarks")]
    return subprocess.Popen(
        [sys.executable, "-P", __file__, "--serve", str(checkout), name],  # -P: benchmarks are those of the checkout
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "STRATAGEM_QUIET": "1",
            "STRATAGEM_KERNELS": "off",
            **for_level,
        },
    )


def answer(process: subprocess.Popen[str], question: str = "") -> str:
    asked, answers = process.stdin, process.stdout
    assert asked is not None and answers is not None
    if question:
        asked.write(question)
        asked.flush()
    said = answers.readline().strip()
    if not said:
        raise SystemExit(f"a process ended before it had measured: {' '.join(map(str, process.args))}")  # type: ignore[arg-type]
    return said


def one_round(checkouts: list[Path], name: str, level: bool) -> list[float]:
    """The median rate of each checkout in processes of their own, which take turns."""
    processes = [started(checkouts[0], name), started(checkouts[1], name, level)]
    try:
        for process in processes:
            answer(process)
        seen = [[float(answer(process, "measure\n")) for process in processes] for _ in range(TURNS)]
    finally:
        for process in processes:
            process.communicate()
    return [statistics.median(rates) for rates in zip(*seen, strict=True)]


def compare(checkouts: list[Path], name: str, rounds: int, level: bool) -> bool:
    """Print one line for a row; returns whether it is a regression."""
    rates = np.array([one_round(checkouts, name, level) for _ in range(rounds)])
    ratio, low, high = ratio_of_medians(rates)
    before, after = np.median(rates, axis=0)
    unit, slower = ROWS[name][0], high < REGRESSION and rounds >= FEW
    print(
        f"{name:30} {before:>13,.0f} {after:>13,.0f} {unit + '/s':14} ratio {ratio:.3f} [{low:.3f}, {high:.3f}]"
        + ("  REGRESSION" if slower else ""),
        flush=True,
    )
    return slower


def ratio_of_medians(rates: Any, samples: int = 4000) -> tuple[float, float, float]:
    """The ratio of the second column's median to the first's, and the ends of its interval, from rounds drawn again."""
    drawn = np.random.default_rng(0).integers(0, len(rates), (samples, len(rates)))
    medians = np.median(rates[drawn], axis=1)
    low, high = np.quantile(medians[:, 1] / medians[:, 0], (0.025, 0.975))
    before, after = np.median(rates, axis=0)
    return float(after / before), float(low), float(high)


def chosen(wanted: list[str] | None) -> Iterator[str]:
    for name in ROWS:
        if wanted is None or any(name == one or name.startswith(one + " ") for one in wanted):
            yield name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], epilog=f"rows: {'; '.join(ROWS)}")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="rows by name, or by its first words: mcts")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--level", action="store_true", help=f"compile AFTER for {LEVEL}, BEFORE for this processor")
    given = parser.parse_args()
    names = list(chosen(given.only))
    if not names:
        parser.error(f"there is no row {' or '.join(given.only)}; the rows are {'; '.join(ROWS)}")
    if hasattr(os, "sched_setaffinity"):  # the processes started here keep to it too
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'':30} {'before':>13} {'after':>13}")
    return int(sum(compare([given.before, given.after], name, given.rounds, given.level) for name in names) > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[3])
    else:
        sys.exit(main())
