"""Minions: what an idea of the engine is worth to its turns, where games are too few to tell.

Positions of wild games of the script, one to three boards. On each the engine without networks, and the same engine with one idea
left out, choose a turn in equal time; each turn is then judged by what a longer search of the reply, by the engine with its
networks, leaves. Equal turns cancel out, so that a hundred positions tell what takes hundreds of games. Values go from -1 to 1;
the figure is the mean of what the full engine's turn is worth more, with its 95 % interval. Positions are appended to a file, a
JSON object a line, and the same command goes on from there.

    python -m benchmarks.strength.minions_ideas --positions 100 --clock processor --results ideas.jsonl
    python -m benchmarks.strength.minions_ideas --positions 0 --results ideas.jsonl           # what is known so far
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

import stratagem
from benchmarks.clocks import add_clock, use_clock
from benchmarks.strength.minions_engine import FULL, HAND, MAPS, PAIRINGS
from stratagem.arena.sprt import Z95
from stratagem.contract.player import Clock
from stratagem.games.minions.game import MinionsPosition
from stratagem.rng import generator

FIRST, SPAN = 4, 28  # plies before a position: so many, and up to so many more
JUDGE = 200  # simulations of the reply
IDEAS = {name: pairing.second for name, pairing in PAIRINGS.items() if pairing.group == "ablations"}


def position_of(number: int) -> MinionsPosition:
    """The position of a number: a wild game of the script after some turns, begun again where it was over before."""
    maps = MAPS[number % len(MAPS)]
    techline = "standard" if number // len(MAPS) % 2 == 0 else f"random:{number}"
    game = stratagem.game("minions", maps=",".join(maps), techline=techline)
    draws, plies = generator(number, 7), random.Random(number)
    while True:
        position = game.start()
        assert isinstance(position, MinionsPosition)
        for _ in range(FIRST + plies.randrange(SPAN)):
            position = position.play(str(position.state.greedy_turn(draws, wild=True)))
            if position.over:
                break
        else:
            return position


def worth(position: MinionsPosition, move: str, number: int) -> float:
    """What a turn leaves to its side, after the reply that a longer search finds."""
    side, after = position.turn, position.play(move)
    if after.over:
        return float(after.payoff[side])
    reply = stratagem.player(after.game, f"{FULL}:visits={JUDGE}", seed=number).choose(after, Clock())
    return -float(reply.value)


def looked_at(number: int, seconds: float) -> dict[str, Any]:
    """The turns of all on a position, and what each of them is worth."""
    position = position_of(number)
    turns = {}
    for name, text in {"full": f"{FULL}:{HAND}", **IDEAS}.items():
        player = stratagem.player(position.game, text, seed=number)
        player.search_for(position.state.config)  # compiles or loads
        turns[name] = player.choose(position, Clock(seconds)).move
    values = {move: worth(position, move, number) for move in dict.fromkeys(turns.values())}
    return {
        "position": number,
        "seconds": seconds,
        "worth": {name: round(values[move], 5) for name, move in turns.items()},
        "same": [name for name, move in turns.items() if move == turns["full"]],
    }


def reported(rows: list[dict[str, Any]]) -> str:
    lines = [f"{len(rows)} positions, {', '.join(sorted({str(row['seconds']) for row in rows}))} s a turn"]
    for name in IDEAS:
        gains = [row["worth"]["full"] - row["worth"][name] for row in rows]
        half = Z95 * statistics.stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else math.inf
        same = sum(name in row["same"] for row in rows) / len(rows)
        lines.append(f"{name:16} {statistics.mean(gains):+.4f} ± {half:.4f}   the same turn in {same:.0%}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: what ideas of the engine are worth to its turns.")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.1, help="a turn")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    add_clock(parser)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds until this run ends")
    parser.add_argument("--results", type=Path, default=Path("build") / "minions-ideas.jsonl")
    given = parser.parse_args()
    given.results.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in given.results.read_text().splitlines()] if given.results.exists() else []
    left = [k for k in range(given.positions) if k not in {row["position"] for row in rows}]
    end = time.monotonic() + given.limit
    context = multiprocessing.get_context("spawn")  # a forked search would wait for threads that were not copied
    with context.Pool(given.workers, use_clock, (given.clock,)) as pool:
        for row in pool.imap_unordered(partial(looked_at, seconds=given.seconds), left):
            rows.append(row)
            with given.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            if len(rows) % 10 == 0:
                print(reported(rows), flush=True)
            if time.monotonic() > end:
                break
    print(reported(rows) if rows else "no position yet")


if __name__ == "__main__":
    main()
