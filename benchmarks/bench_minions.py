"""Minions: legal random turns a second, and the cost of what a search asks of a board, compiled and interpreted.

The two run in alternation; medians are printed with their ratio. There is no other engine beside them: the ratio is to our
own kernels in the interpreter and says nothing about peers.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.minions_work import attack_sets, random_turns, reach_sets
from stratagem.compile import specialise
from stratagem.games.minions import GameConfig, GameState
from stratagem.games.minions.kernels import income, step
from stratagem.games.minions.layout import BOARD_SIZE, tiles_of
from stratagem.games.minions.maps import hex_index
from stratagem.games.minions.notation import parse_fen
from stratagem.kernel import Ground, State
from stratagem.rng import generator

ROUNDS = 5
MOVE_FROM, MOVE_TO = 500, 501  # cells behind the spare board that hold the move to make


def many_reaches(g: Ground, b: State, out: State, n: int) -> int:
    found = 0
    for i in range(n):
        found += reach_sets(g, 0, b, i & 1, out)
    return found


def many_attacks(g: Ground, b: State, out: State, n: int) -> int:
    found = 0
    for i in range(n):
        found += attack_sets(g, 0, b, i & 1, out)
    return found


def many_copies(g: Ground, b: State, out: State, n: int) -> int:
    for i in range(n):
        out[0] = i
        for k in range(1, BOARD_SIZE):
            out[k] = b[k]
    return out[0]


def many_incomes(g: Ground, b: State, out: State, n: int) -> int:
    found = 0
    for i in range(n):
        found += income(g, 0, b, i & 1)
    return found


def many_moves(g: Ground, b: State, out: State, n: int) -> int:
    """Copy a board and make one move on it."""
    found = 0
    for _ in range(n):
        for k in range(BOARD_SIZE):
            out[k] = b[k]
        found += step(g, tiles_of(0), out, 0, out[MOVE_FROM], out[MOVE_TO])
    return found


def crowded(config: GameConfig) -> GameState:
    """A board of 40 units of many kinds, twenty a side."""
    dice = random.Random(1)
    cells = ["."] * 100
    free = [h for h, tile in enumerate(config.lands[0].tiles) if tile != "w"]
    dice.shuffle(free)
    for k, letter in enumerate("NZZZZSPWGTHKXAUJVMLCnzzzzspwgthkxaujvmlc"):
        cells[free[k]] = letter
    rows = []
    for y in range(10):
        row = "".join(cells[10 * y : 10 * y + 10])
        for gap in range(10, 0, -1):
            row = row.replace("." * gap, str(gap) if gap < 10 else "0")
        rows.append(row)
    locked = "L" * 25
    return parse_fen(f"9|9 0|0 {locked}|{locked} n|||||{'/'.join(rows)} 0 9", config)


def timed(run: Callable[..., Any], *args: Any) -> float:
    began = time.perf_counter()
    run(*args)
    return time.perf_counter() - began


def cost(run: Callable[..., Any], g: Ground, words: State, spare: State, n: int) -> float:
    """Microseconds of one of n repetitions."""
    return timed(run, g, words, spare, n) / n * 1e6


def compare(title: str, unit: str, fast: Callable[[], float], slow: Callable[[], float]) -> None:
    fasts, slows = [], []
    for _ in range(ROUNDS):
        fasts.append(fast())
        slows.append(slow())
    a, b = statistics.median(fasts), statistics.median(slows)
    ratio = max(a / b, b / a)
    print(f"{title:<46} {a:>12,.3f} {unit} compiled {b:>12,.2f} {unit} interpreted   x {ratio:,.0f}", flush=True)


TURNS = 300  # of one run; both versions play the same ones


def turns_a_second(config: GameConfig, run: Callable[..., Any], repeats: int) -> float:
    start = GameState.start(config).array
    out = np.zeros(4096 * (config.boards + 1), np.int64)
    spent = sum(timed(run, config.ground, start.copy(), start, generator(1), out, TURNS) for _ in range(repeats))
    return repeats * TURNS / spent / 1000


def main() -> None:
    fast, slow = specialise(random_turns, {"MAGIC": False}), specialise(random_turns, target="python")
    for names in (("MidnightLake",), ("BlackenedShores", "MidnightLake", "AllLand")):
        config = GameConfig.make(names)
        turns_a_second(config, fast, 1)
        compare(
            f"random legal turns, {len(names)} board{'s' if len(names) > 1 else ''}", "k/s",
            partial(turns_a_second, config, fast, 20), partial(turns_a_second, config, slow, 1),
        )  # fmt: skip

    config = GameConfig.make(("MidnightLake",))
    words = crowded(config).boards[0].words.copy()
    spare = np.zeros(600, np.int64)
    (board,) = crowded(config).boards
    mover, goal = next((h, to) for h, piece in board if piece.side == 0 for to in board.reach(h) if board[to] is None)
    spare[MOVE_FROM], spare[MOVE_TO] = hex_index(mover), hex_index(goal)
    for template, title, n, few in [
        (many_reaches, "reach of all 20 units of a side (40 on board)", 20_000, 20),
        (many_attacks, "attack sets of all 20 units of a side", 20_000, 20),
        (many_copies, "copy of a board", 200_000, 200),
        (many_incomes, "income of a side", 200_000, 200),
        (many_moves, "copy of a board and one move", 100_000, 100),
    ]:
        fast, slow = specialise(template, {"MAGIC": False}), specialise(template, target="python")
        fast(config.ground, words, spare, 1)
        args = (config.ground, words, spare)
        compare(title, "us ", partial(cost, fast, *args, n), partial(cost, slow, *args, few))


if __name__ == "__main__":
    main()
