"""Do the sampling searches still find what they found? The same seeds in two source trees, compared to the last bit.

    python benchmarks/same_answers.py BEFORE AFTER

BEFORE and AFTER are checkouts of this repository. Each answers in a process of its own: root visits, values and the size of the
tree for every composition of MCTS, the strategies of information sets, the estimates of Monte-Carlo (also on Numba's simulator
of a GPU), the turns of a campaign, the programmes of a robot. A change that is meant to alter nothing alters none of these
lines. Threads that share a tree race, so of those only the sum of visits is reported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SEEDS = (1, 2)


def moved(now: str, before: str) -> Any:
    """A module by its name now, or by the one that it had in older checkouts."""
    try:
        return import_module(f"stratagem.{now}")
    except ImportError:
        return import_module(f"stratagem.{before}")


def central(g: Any, s: Any, p: int, m: int) -> float:
    """A prior kernel: any weights that differ."""
    return float((m * 7 + s[0] + 3 * p) % 5)


def lead(g: Any, s: Any, out: Any) -> None:
    """A value kernel for boards of two words."""
    x = 0.0
    for cell in range(9):
        x += ((s[0] >> cell & 1) - (s[1] >> cell & 1)) * (1.0 + cell % 2) / 20.0
    out[0] = x
    out[1] = -x


def network(states: Any, movers: Any, lists: Any, counts: Any) -> tuple[Any, Any]:
    """Numbers that depend on everything asked about, without meaning."""
    mixed = states.sum(axis=1) % 1009 + movers
    values = ((mixed % 13) - 6) / 10.0
    return (lists * 3 + mixed[:, None]) % 7, np.stack([values, -values], axis=1)


COMPOSITIONS: dict[str, dict[str, Any]] = {
    "uct": {"solve": False},
    "uct with proofs": {},
    "puct": {"prior": central, "solve": False},
    "puct with proofs": {"prior": central},
    "values": {"evaluate": lead, "playout_depth": 1},
    "little exploration, few nodes": {"exploration": 0.3, "pool": 300},
    "a tree a thread": {"threads": 2},
    "network": {"network": network, "batch": 8},
    "network without proofs": {"network": network, "batch": 3, "solve": False},
}


def trees() -> Iterator[tuple[str, Any]]:
    MCTS = moved("search.tree.mcts", "search.mcts").MCTS

    import stratagem

    starts = {
        "tictactoe": stratagem.game("tictactoe").parse("XO__X____"),
        "connect4": stratagem.game("connect4").parse("44"),
        "pig": stratagem.game("pig", target=20).parse("5,3 second 2"),
    }
    for name, start in starts.items():
        for words, options in COMPOSITIONS.items():
            if name == "pig" and ("values" in words):
                continue
            for seed in SEEDS:
                search = MCTS(start.game, seed=seed, **{"pool": 50_000, **options})
                found, position = [], start
                for _ in range(3):  # the second and the third go on with what was known
                    done, _ = search.search(position, simulations=1500)
                    arms = search.arms()
                    rows = [(arm.move, arm.visits, arm.value.hex(), arm.proven, arm.line) for arm in arms]
                    found.append([done, search.nodes_used, rows, [x.hex() for x in search.values()[0]]])
                    position = position.play(search._choice(1, 0, 0.0).move)
                    if position.over or position.turn < 0:
                        break
                yield f"mcts {name}, {words}, seed {seed}", found
    for solve in (True, False):
        search = MCTS(starts["connect4"].game, threads=2, parallel="tree", solve=solve, seed=1, pool=50_000)
        done, _ = search.search(starts["connect4"], simulations=5000)
        yield f"mcts connect4, threads share a tree, solve {solve}", [done, sum(arm.visits for arm in search.arms())]


def kuhn() -> Any:
    """Poker with three cards, a toy of the tests: from the folder that they keep it in now, or kept it in."""
    try:
        from toys.kuhn import Kuhn
    except ImportError:
        from kuhn import Kuhn
    return Kuhn()


def sets() -> Iterator[tuple[str, Any]]:
    Determinised = moved("search.tree.determinised", "search.determinised").Determinised
    InformationSets = moved("search.tree.infosets", "search.infosets").InformationSets

    import stratagem
    from stratagem import Clock

    poker = kuhn()
    starts = {
        "goofspiel": (stratagem.game("goofspiel", cards=4).start(), (0, 1)),
        "bidding": (stratagem.game("bidding", chips=(4, 4)).start(), (0, 1)),
        "tictactoe": (stratagem.game("tictactoe").start(), (0,)),
        "kuhn": (poker.start().play("2").view(0), (0,)),
    }
    for name, (start, seats) in starts.items():
        while start.turn == stratagem.CHANCE:
            start = start.play(start.moves()[0])
        for rule in ("rm", "duct", "exp3"):
            for seed in SEEDS:
                search = InformationSets(start.game, rule=rule, seed=seed, pool=20_000)
                done, _ = search.search(start, simulations=2000)
                found = [search.decision(start, seat) for seat in seats]
                rows = [[one.visits, [x.hex() for x in (*one.strategy, *one.values)]] for one in found]
                yield (
                    f"information sets {name}, {rule}, seed {seed}",
                    [done, rows, [x.hex() for x in search.values()[0]]],
                )
    choice = Determinised(poker, worlds=7, seed=1).analyse(starts["kuhn"][0], Clock(), seat=0, simulations=300, lines=3)
    yield "sampled worlds kuhn", [[line.moves, line.visits, line.value] for line in choice.lines]


def flat(target: str = "cpu") -> Iterator[tuple[str, Any]]:
    MonteCarlo = moved("search.sampling.montecarlo", "search.montecarlo").MonteCarlo

    import stratagem

    goofspiel = stratagem.game("goofspiel", cards=4).start()
    while goofspiel.turn == stratagem.CHANCE:
        goofspiel = goofspiel.play(goofspiel.moves()[0])
    starts = {
        "tictactoe": (stratagem.game("tictactoe").parse("X_O_X____"), {}),
        "tictactoe judged": (stratagem.game("tictactoe").parse("X_O_X____"), {"evaluate": lead, "playout_depth": 2}),
        "goofspiel": (goofspiel, {}),
        "goofspiel kept": (goofspiel, {"remember": True}),
        "kuhn": (kuhn().start().play("2").view(0), {}),
        "pig at chance": (stratagem.game("pig", target=20).parse("5,3 second 2*"), {}),
    }
    for name, (start, options) in starts.items():
        for share in ("uniform", "ucb", "halving") if target == "cpu" else ("uniform", "halving"):
            for more in ({}, {"common": False}, {"threads": 2}) if target == "cpu" else ({}, {"common": False}):
                search = MonteCarlo(start.game, share=share, seed=3, target=target, **options, **more)
                for budget in (7, 300) if target == "cpu" else (60,):
                    found = search.estimates(start, seat=0 if start.seat is not None else None, simulations=budget)
                    rows = [[one.move, one.samples, one.value.hex(), one.error] for one in found]
                    yield f"montecarlo {target} {name}, {share}, {more}, {budget}", rows


def campaign() -> Iterator[tuple[str, Any]]:
    import stratagem
    from stratagem import Clock

    game = stratagem.game("risk", players=3)
    mover, position = stratagem.player(game, "easy", seed=1), game.start()
    while position.turn == stratagem.CHANCE or len(position.history) < 130:
        if position.turn == stratagem.CHANCE:
            position = position.play(position.sample(np.array([1, len(position.history)])))
        else:
            position = position.play(mover.choose(position.view(position.turn), Clock()).move)
    thinker = stratagem.player(
        game, "campaign:samples=60" if "campaign" in stratagem.players(game) else "medium", seed=1
    )
    choice = thinker.choose(position.view(position.turn), Clock(), lines=5)
    yield "campaign risk", [choice.move, [[line.moves, line.visits, line.value] for line in choice.lines]]


def programmes() -> Iterator[tuple[str, Any]]:
    import stratagem
    from stratagem import Clock

    game = stratagem.game("roborally", course="Risky Exchange", robots=2)
    for seed in SEEDS:
        thinker = stratagem.player(game, "montecarlo:simulations=2000", seed=seed)
        position = game.start(seed)
        while position.turn == stratagem.CHANCE:
            position = position.play(position.sample(np.array([seed, len(position.history)])))
        seat = position.asked[0]
        choice = thinker.choose(position.view(seat), Clock(), seat=seat, lines=5)
        rows = [[line.moves, line.visits, line.value] for line in choice.lines]
        yield f"programmes roborally, {seed}", [choice.move, rows]


def answer(checkout: str, part: str) -> None:
    """Print the answers of this tree, a line each."""
    import stratagem

    home = Path(stratagem.__file__).resolve()
    if not home.is_relative_to(Path(checkout).resolve()):
        raise SystemExit(f"{checkout} was asked for, and {home} was imported")
    warnings.simplefilter("ignore")
    rows = (
        flat("cuda") if part == "gpu" else (row for make in (trees, sets, flat, campaign, programmes) for row in make())
    )
    for name, found in rows:
        print(json.dumps([name, found], default=str), flush=True)


def ask(checkout: str, part: str) -> list[str]:
    paths = os.pathsep.join(str(Path(checkout) / folder) for folder in ("src", "tests"))
    simulator = {"NUMBA_ENABLE_CUDASIM": "1"} if part == "gpu" else {}
    done = subprocess.run(
        [sys.executable, "-P", __file__, "--answer", checkout, part],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths, "STRATAGEM_QUIET": "1", **simulator},
    )
    return done.stdout.splitlines()


def main(before: str, after: str) -> int:
    different = 0
    for part in ("cpu", "gpu"):
        old, new = ({json.loads(line)[0]: line for line in ask(checkout, part)} for checkout in (before, after))
        missing = old.keys() ^ new.keys()
        wrong = [name for name in old.keys() & new.keys() if old[name] != new[name]]
        for name in wrong:
            print(f"differs: {name}\n  before {old[name][:400]}\n  after  {new[name][:400]}")
        for name in missing:
            print(f"only in one of them: {name}")
        different += len(missing) + len(wrong)
        print(f"{part}: {len(old)} answers, {len(missing) + len(wrong)} differ", flush=True)
    return int(different > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    else:
        sys.exit(__doc__)
