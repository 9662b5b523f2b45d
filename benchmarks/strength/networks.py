"""What rounding costs a network: in whole numbers against itself in floating point, at an equal depth, by pairs of games from the
same random opening with seats swapped. Other matches of networks are the arena's: `stratagem arena test othello/network
othello/alphabeta --time 0.1 --opening-plies 10`.

    python -m benchmarks.strength.networks othello=FOLDER --pairs 200

FOLDER is what `stratagem train` left. Pairs are written as they end; the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import stratagem
from benchmarks.experiments import ROOT, Result, Task, add_run_flags, run
from stratagem.arena.sprt import Hypotheses, judge
from stratagem.contract.player import Clock
from stratagem.networks import lift
from stratagem.networks.floating import floating, floats_of
from stratagem.rng import generator
from stratagem.search.alphabeta import AlphaBeta

OPENINGS = {"othello": 10, "breakthrough": 8}


@cache
def sides(name: str, folder: str, depth: int) -> tuple[Any, Any]:
    """The player with whole numbers, and the search with floating point."""
    game, place = stratagem.game(name), Path(folder) / "round-1"
    whole = stratagem.player(game, f"network:weights={place / 'network.safetensors'},depth={depth}")
    return whole, AlphaBeta(floating(game, floats_of(place / "checkpoint.pt")))


def play_pair(name: str, folder: str, depth: int, pair: int) -> Result:
    """Points of the whole numbers in a pair: 0 to 2."""
    whole, exact = sides(name, folder, depth)
    points = 0.0
    for seat in range(2):
        position: Any = stratagem.game(name).start()
        draws = generator(pair, 0)
        for _ in range(OPENINGS[name]):
            position = position.play(position.sample(draws))
        while not position.over:
            if position.turn == seat:
                found = whole.choose(position, Clock(None))
            else:
                found = exact.analyse(lift(exact.game, position), Clock(None), depth=depth)
            position = position.play(found.move)
        points += (1 + np.sign(position.payoff[seat])) / 2
    return {"points": float(points)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="GAME=FOLDER", help=f"of {' or '.join(OPENINGS)}")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=200)
    add_run_flags(parser, ROOT / "build" / "networks.jsonl")
    given = parser.parse_args()
    name, _, folder = given.folder.partition("=")
    if name not in OPENINGS or not folder:
        parser.error(f"{given.folder!r} is no GAME=FOLDER; games are {', '.join(OPENINGS)}")
    tasks: list[Task] = [(name, folder, given.depth, pair) for pair in range(given.pairs)]
    counts = [0] * 5  # pairs by points, both lost first
    for result in run(play_pair, tasks, given).values():
        counts[round(2 * result["points"])] += 1
    found = judge(counts, Hypotheses(0.0, 30.0))
    elo = "" if found.elo is None else f", {found.elo:+.0f} ± {found.elo_error or 0:.0f} Elo"
    print(f"{name}, depth {given.depth}: {sum(counts)} pairs {tuple(counts)}{elo}")


if __name__ == "__main__":
    main()
