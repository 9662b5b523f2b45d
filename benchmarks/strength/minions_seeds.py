"""Minions: how far the worth of the chosen turn depends on the seed.

Each position is searched with several seeds. Every turn that was chosen is then judged by two long searches of the reply, with
seeds of their own. The product of what the two say above their means, averaged over the seeds, estimates the variance of the
worth without the noise of the judges. Values go from -1 to 1. Turns are appended to a file, a JSON object a line, so that
another checkout can choose them (`PYTHONPATH=BEFORE/src`) and this one judges both.

    python -m benchmarks.strength.minions_seeds choose turns.jsonl --clock processor
    python -m benchmarks.strength.minions_seeds judge turns.jsonl
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from pathlib import Path
from typing import Any

import stratagem
from benchmarks.clocks import add_clock, use_clock
from benchmarks.strength.minions_engine import FULL
from benchmarks.strength.minions_ideas import position_of
from stratagem.contract.player import Clock

JUDGES = (101, 202)  # seeds


def worth(position: Any, move: str, seed: int, visits: int) -> float:
    """What a turn leaves to its side, after the reply that a long search finds."""
    side, after = position.turn, position.play(move)
    if after.over:
        return float(after.payoff[side])
    return -float(stratagem.player(after.game, f"{FULL}:visits={visits}", seed=seed).choose(after, Clock()).value)


def choose(given: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    known = {(row["position"], row["seed"]) for row in rows}
    with given.file.open("a") as file:
        for number in range(given.positions):
            position = position_of(number)
            for seed in range(given.seeds):
                if (number, seed) in known:
                    continue
                player = stratagem.player(position.game, given.engine, seed=seed)
                player.search_for(position.state.config)  # compiles or loads
                choice = player.choose(position, Clock(given.seconds))
                row = {"position": number, "seed": seed, "move": choice.move, "nodes": choice.nodes}
                file.write(json.dumps(row) + "\n")
                file.flush()


def judge(given: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Judge what was not judged yet, and print the deviation."""
    judged: dict[tuple[int, str], list[float]] = {(row["position"], row["move"]): row.get("worth") for row in rows}
    variances, gains = [], []
    for number in sorted({row["position"] for row in rows}):
        position = position_of(number)
        chosen = [row for row in rows if row["position"] == number]
        for row in chosen:
            key = number, row["move"]
            judged[key] = judged[key] or [worth(position, row["move"], seed, given.visits) for seed in JUDGES]
            row["worth"] = judged[key]
        first, second = ([row["worth"][k] for row in chosen] for k in range(2))
        variances.append(statistics.covariance(first, second))
        gains.append(second[max(range(len(first)), key=first.__getitem__)] - statistics.mean(second))
        given.file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        print(f"position {number}: {len({row['move'] for row in chosen})} turns, {variances[-1]:+.5f}", flush=True)
    mean, half = statistics.mean(variances), 1.96 * statistics.stdev(variances) / math.sqrt(len(variances))
    print(
        f"{len(variances)} positions: deviation {math.sqrt(max(mean, 0)):.3f} "
        f"({math.sqrt(max(mean - half, 0)):.3f} to {math.sqrt(max(mean + half, 0)):.3f}), best of the seeds above "
        f"their mean {statistics.mean(gains):+.3f} ± {1.96 * statistics.stdev(gains) / math.sqrt(len(gains)):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("do", choices=("choose", "judge"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="a turn (default 1)")
    parser.add_argument("--engine", default="engine", help="who chooses (default engine)")
    parser.add_argument("--visits", type=int, default=2000, help="simulations of a judge (default 2000)")
    add_clock(parser)
    given = parser.parse_args()
    use_clock(given.clock)
    given.file.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in given.file.read_text().splitlines()] if given.file.exists() else []
    {"choose": choose, "judge": judge}[given.do](given, rows)


if __name__ == "__main__":
    main()
