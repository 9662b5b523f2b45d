"""Minions, small positions: does the engine find the best of all turns?

On one board with few units every own turn is listed by the rules' single steps (`atoms`), and every reply to it; a turn is worth
what the engine's own evaluation says after the reply that is worst for it. The engine, given a second, should choose a turn
within 0.01 of the best in at least 95 of 100 positions.

    python benchmarks/strength/minions_small.py [--positions 100] [--seconds 1] [--workers 1]
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import numpy as np

import stratagem
from stratagem.compile import specialise
from stratagem.contract.player import Clock
from stratagem.games.minions import atoms
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.engine.stages import MinionsStaging
from stratagem.games.minions.notation import fen, parse_fen
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.kernel import State

LINE = "L" * 25
CLOSE = 0.01
MOST = 1500  # turns of a side in a position that is taken


@cache
def compiled() -> tuple[Any, Any]:
    names = {"MAGIC": False}
    return specialise(atoms.moves, names, label="minions atoms"), specialise(
        atoms.play, names, label="minions atoms, play"
    )


def outcomes(config: GameConfig, start: State) -> list[State]:
    """Every position that a turn of the side to move can lead to, each once."""
    moves, play = compiled()
    g, out = config.ground, np.zeros(atoms.MAX_ATOMS, np.int64)
    side = int(start[rules.SIDE])
    waiting, seen, found = [start.copy()], {start.tobytes()}, {}
    while waiting:
        s = waiting.pop()
        n = int(moves(g, s, side, out))
        for m in out[:n].tolist():
            if atoms.kind_of(m) == rules.RESIGN:
                continue
            after = s.copy()
            play(g, after, side, m)
            over = after[rules.WINNER] >= 0 or after[rules.PLY] != start[rules.PLY]
            key = after.tobytes()
            if over:
                found[key] = after
            elif key not in seen:
                seen.add(key)
                waiting.append(after)
        if len(seen) > 60 * MOST or len(found) > MOST:
            return []
    return list(found.values())


def worth(staging: MinionsStaging, s: State, side: int) -> float:
    """The engine's evaluation of a position after a turn, a short answer to it included, for a side."""
    if s[rules.WINNER] >= 0:
        return 1.0 if s[rules.WINNER] == side else -1.0
    staging.played(s, b"")
    mover = 1 - int(s[rules.SIDE])
    staging.think(thinking.JUDGE, mover=mover)
    value = float(staging.desk().answer[0])
    return value if mover == side else -value


def after_replies(staging: MinionsStaging, s: State, side: int) -> float:
    """What a position after a side's turn is worth to it: the worst over all replies."""
    if s[rules.WINNER] >= 0:
        return worth(staging, s, side)
    replies = outcomes(staging.config, s)
    return min(worth(staging, reply, side) for reply in replies) if replies else np.nan


def position(number: int) -> GameState | None:
    """A random board with a necromancer and one or two units a side, near each other."""
    lots = random.Random(f"small {number}")
    config = GameConfig.make((lots.choice(("AllLand", "BlackenedShores", "MidnightLake")),), points=1)
    open_hexes = [
        h
        for h in range(100)
        if rules.holds(*rules.open_to(config.ground, rules.tiles_of(0), np.zeros(rules.BOARD_SIZE, np.int64), 0), h)
    ]
    centre = lots.choice(open_hexes)
    near = sorted(open_hexes, key=lambda h: (_apart(centre, h), lots.random()))[:24]
    lots.shuffle(near)
    rows = [[""] * 10 for _ in range(10)]
    letters = "ZSPWGKXALVTHRC"
    for side in range(2):
        men = ["N", *(lots.choice(letters) for _ in range(lots.choice((1, 1, 2)) if side == 0 else 1))]
        for man in men:
            h = near.pop()
            rows[h // 10][h % 10] = man if side == 0 else man.lower()
    text = "/".join(_row(row) for row in rows)
    try:
        return parse_fen(f"0|0 0|0 {LINE}|{LINE} n|||||{text} 0 9", config)
    except stratagem.StratagemError:
        return None


def _apart(a: int, b: int) -> int:
    dx, dy = b % 10 - a % 10, b // 10 - a // 10
    return max(abs(dx), abs(dy), abs(dx + dy))


def _row(row: list[str]) -> str:
    text, empty = "", 0
    for man in row:
        if man:
            text += (str(empty) if empty else "") + man
            empty = 0
        else:
            empty += 1
    if empty == 10:
        return "0"
    return text + (str(empty) if empty else "")


def judged(job: tuple[int, float]) -> dict[str, Any] | None:
    """One position: the best value, and that of the engine's turn; None where it is too large or nothing is at stake."""
    number, seconds = job
    state = position(number)
    if state is None:
        return None
    side, staging = state.side, MinionsStaging(state.config)
    turns = outcomes(state.config, state.array)
    if len(turns) < 10:
        return None
    values = {s.tobytes(): after_replies(staging, s, side) for s in turns}
    if any(np.isnan(v) for v in values.values()):
        return None
    game = stratagem.game("minions", maps=",".join(state.config.maps), points=1)
    player = EnginePlayer(game, seed=number)
    player.search_for(state.config)
    began = time.perf_counter()
    choice = player.choose(game.parse(fen(state)), Clock(seconds))
    took = time.perf_counter() - began
    mine = state.play(GameTurn.parse(choice.move, 1)).array.tobytes()
    return {
        "position": fen(state), "maps": state.config.maps, "turns": len(turns), "best": max(values.values()),
        "worst": min(values.values()), "chosen": values[mine], "move": choice.move, "seconds": round(took, 3),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: the engine against a list of all turns.")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    good = done = 0
    compiled()
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
        number = 0
        while done < given.positions and number < 100 * given.positions:
            jobs = [(number + k, given.seconds) for k in range(2 * given.workers)]
            number += len(jobs)
            for found in pool.map(judged, jobs):
                if found is None or done == given.positions:
                    continue
                done += 1
                near = found["best"] - found["chosen"] <= CLOSE
                good += near
                if not near:
                    print(
                        f"missed by {found['best'] - found['chosen']:.3f} ({found['turns']} turns, range "
                        f"{found['worst']:+.3f} to {found['best']:+.3f}): {found['position']}  {found['move']}",
                        flush=True,
                    )
    print(f"{good} of {done} within {CLOSE} of the best of all turns, {given.seconds} s a turn")


if __name__ == "__main__":
    main()
