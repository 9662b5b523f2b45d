"""Minions, small positions: does the engine find the best of all turns?

On one board with few units every own turn is listed by the rules' single steps (`atoms`), and every reply to it; a turn is worth
what the engine's own evaluation says after the reply that is worst for it. The engine, given a second, should choose a turn
within 0.01 of the best in at least 95 of 100 positions. With `--nodes` it is given so many simulations instead of a time, for a
machine that is busy. Lists are long to make (some seconds a position): `--truths FILE` keeps them for the next run of
an engine that judges alike.

    python -m benchmarks.strength.minions_small [--positions 100] [--seconds 1] [--workers 1]
    python -m benchmarks.strength.minions_small --nodes 2000 --positions 40 --truths truths.json [--engine engine:backup=mean]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stratagem
from benchmarks.clocks import add_clock, use_clock
from stratagem.compile import specialise
from stratagem.contract.player import Clock
from stratagem.games.minions import layout
from stratagem.games.minions.atoms import MAX_ATOMS, kind_of
from stratagem.games.minions.atoms import moves as list_atoms
from stratagem.games.minions.atoms import play as play_atom
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.player import EnginePlayer
from stratagem.games.minions.engine.scratch import EngineScratch, Reals
from stratagem.games.minions.engine.stages import MinionsStaging
from stratagem.games.minions.engine.worth import judge
from stratagem.games.minions.layout import PLY, RESIGN, SIDE, WINNER
from stratagem.games.minions.networks.oracle import SHAPE, oracle_names
from stratagem.games.minions.notation import fen, parse_fen
from stratagem.games.minions.state import GameState
from stratagem.games.minions.turn import GameTurn
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, generator

LINE = "L" * 25
CLOSE = 0.01
MOST = 1500  # turns of a side in a position that is taken
WAITING = 4000  # positions in the middle of a turn that wait, at the most
SLOTS = 1 << 18  # of the table of positions that were seen
NO_LUCK = generator(0)  # the short answer needs none
TOO_MANY = -9.0  # what a turn with too many replies is worth


class Room(NamedTuple):
    """What listing turns writes into."""

    waiting: State  # [WAITING * words]: positions in the middle of a turn
    ends: State  # [MOST * words]: positions after one
    seen: State  # [SLOTS]: digests of both
    atoms: State  # [MAX_ATOMS]


def new_room(words: int) -> Room:
    return Room(*(np.zeros(n, np.int64) for n in (WAITING * words, MOST * words, SLOTS, MAX_ATOMS)))


def fresh(s: State, seen: State) -> int:
    """Whether a position was not seen before, which it now is; -1: the table is full."""
    digest = 1469598103934665603
    for x in range(len(s)):
        digest = (digest ^ s[x]) * 1099511628211
        digest ^= (digest >> 29) & 0x7FFFFFFFF
    digest |= 1
    slot = (digest >> 20) & (SLOTS - 1)
    for _ in range(64):
        if seen[slot] == 0:
            seen[slot] = digest
            return 1
        if seen[slot] == digest:
            return 0
        slot = (slot + 1) & (SLOTS - 1)
    return -1


def list_turns(g: Ground, start: State, room: Room) -> int:
    """Every position that a turn of the side to move can lead to, each once, into `room.ends`; returns how many, -1: too many."""
    words, side = len(start), start[SIDE]
    for x in range(SLOTS):
        room.seen[x] = 0
    for x in range(words):
        room.waiting[x] = start[x]
    waiting, ended = 1, 0
    while waiting > 0:
        waiting -= 1
        top = room.waiting[waiting * words : (waiting + 1) * words]
        n = list_atoms(g, top, side, room.atoms)
        if waiting + n + 2 > WAITING or ended + n >= MOST:
            return -1
        base = room.waiting[(WAITING - 1) * words :]  # kept aside: the places from `waiting` on are written over
        for x in range(words):
            base[x] = top[x]
        for i in range(n):
            m = room.atoms[i]
            if kind_of(m) == RESIGN:
                continue
            after = room.waiting[waiting * words : (waiting + 1) * words]
            for x in range(words):
                after[x] = base[x]
            play_atom(g, after, side, m)
            new = fresh(after, room.seen)
            if new < 0:
                return -1
            if new == 0:
                continue
            if after[WINNER] >= 0 or after[PLY] != start[PLY]:
                for x in range(words):
                    room.ends[ended * words + x] = after[x]
                ended += 1
            else:
                waiting += 1
    return ended


def worst_reply(
    g: Ground, s: State, side: int, floor: float, r: Rng, weights: Reals, room: Room, scratch: EngineScratch
) -> float:
    """What a position after a side's turn is worth to it: the least over all replies, or something below the floor."""
    if s[WINNER] >= 0:
        return 1.0 if s[WINNER] == side else -1.0
    n, words = list_turns(g, s, room), len(s)
    if n < 0:
        return TOO_MANY
    least = 1.0
    for i in range(n):
        for x in range(words):
            scratch.s[x] = room.ends[i * words + x]
        if scratch.s[WINNER] >= 0:
            value = 1.0 if scratch.s[WINNER] == side else -1.0
        else:
            judge(g, scratch.s, 1 - side, r, weights, scratch)
            value = -scratch.judged.answer[0]
        least = min(least, value)
        if least < floor:
            break
    return least


@cache
def compiled() -> tuple[Any, Any]:
    names = {"MAGIC": False, **oracle_names(SHAPE)}
    return (
        specialise(list_turns, names, label="minions, all turns"),
        specialise(worst_reply, names, label="minions, all replies"),
    )


def outcomes(config: GameConfig, start: State) -> list[State]:
    """Every position that a turn of the side to move can lead to; none where there are too many."""
    room = new_room(len(start))
    n = int(compiled()[0](config.ground, start, room))
    return [row.copy() for row in room.ends[: max(n, 0) * len(start)].reshape(-1, len(start))]


def name_of(s: State) -> str:
    return blake2b(s.tobytes(), digest_size=8).hexdigest()


class Truth(NamedTuple):
    """What each turn of a position is worth, by the position after it; exact down to the margin below the best."""

    best: float
    values: dict[str, float]


MARGIN = 0.2  # below the best: how far down worths are exact


def truth(state: GameState, staging: MinionsStaging) -> Truth | None:
    """By the engine's own judgement; None where there are too many turns or replies, or nothing is at stake."""
    turns = outcomes(state.config, state.array)
    if len(turns) < 10:
        return None
    worst = compiled()[1]
    room, scratch = new_room(len(state.array)), staging.scratch()
    best, values = -1.0, {}
    for s in turns:
        value = float(worst(state.config.ground, s, state.side, best - MARGIN, NO_LUCK, staging.weights, room, scratch))
        if value == TOO_MANY:
            return None
        values[name_of(s)] = value
        best = max(best, value)
    return Truth(best, values)


def position(number: int) -> GameState | None:
    """A random board with a necromancer and one or two units a side, near each other."""
    draws = random.Random(f"small {number}")
    config = GameConfig.make((draws.choice(("AllLand", "BlackenedShores", "MidnightLake")),), points=1)
    open_hexes = [
        h
        for h in range(100)
        if layout.holds(*layout.open_to(config.ground, layout.tiles_of(0), np.zeros(layout.BOARD_SIZE, np.int64), 0), h)
    ]
    centre = draws.choice(open_hexes)
    near = sorted(open_hexes, key=lambda h: (_apart(centre, h), draws.random()))[:24]
    draws.shuffle(near)
    rows = [[""] * 10 for _ in range(10)]
    letters = "ZSPWGKXALVTHRC"
    for side in range(2):
        men = ["N", *(draws.choice(letters) for _ in range(draws.choice((1, 1, 2)) if side == 0 else 1))]
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


class Job(NamedTuple):
    number: int
    engine: str
    seconds: float | None
    nodes: int | None
    known: tuple[float, dict[str, float]] | None  # the truth, where it was found before
    skipped: bool = False  # known to be no position for this


def judged(job: Job) -> dict[str, Any]:
    """One position: the best value, and that of the engine's turn; only its number where it is too large or nothing is at
    stake."""
    nothing: dict[str, Any] = {"number": job.number, "truth": None}
    state = None if job.skipped else position(job.number)
    if state is None:
        return nothing
    game = stratagem.game("minions", maps=",".join(state.config.maps), points=1)
    player = stratagem.player(game, job.engine, seed=job.number)
    assert isinstance(player, EnginePlayer)
    search = player.search_for(state.config)
    found = Truth(*job.known) if job.known is not None else truth(state, player.staging)
    if found is None:
        return nothing
    began, worked = time.perf_counter(), time.process_time()
    view = game.parse(fen(state))
    if job.nodes is not None:
        choice = player.think(view, simulations=job.nodes)
    else:
        choice = player.choose(view, Clock(job.seconds))
    took, work = time.perf_counter() - began, time.process_time() - worked
    mine = name_of(state.play(GameTurn.parse(choice.move, 1)).array)
    root, proposed = search.root, -1.0
    assert root is not None
    for turn in root.turns:
        player.staging.played(state.array, turn.turn, whole=True)
        proposed = max(proposed, found.values.get(name_of(player.staging.scratch().s), -1.0))
    return {
        "number": job.number, "truth": found, "position": fen(state), "maps": state.config.maps, "chosen": found.values[mine],
        "thought": choice.value, "proposed": proposed, "made": len(root.turns), "move": choice.move, "nodes": choice.nodes,
        "seconds": took, "work": work,
    }  # fmt: skip


def reported(found: dict[str, Any]) -> str:
    """Why a position was missed: the best turn was never proposed, or it was judged wrongly."""
    best = found["truth"].best
    why = "was not proposed" if best - found["proposed"] > CLOSE else "was proposed"
    return (
        f"{found['number']}: missed by {best - found['chosen']:.3f}, the best {why} ({len(found['truth'].values)} turns, "
        f"{found['made']} made, best {best:+.3f}, proposed {found['proposed']:+.3f}, chosen {found['chosen']:+.3f} thought "
        f"{found['thought']:+.3f}, {found['nodes']} nodes): {found['position']}  {found['move']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Minions: the engine against a list of all turns.")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--nodes", type=int, default=None, help="simulations, in place of the seconds")
    parser.add_argument("--engine", default="engine")
    parser.add_argument("--truths", type=Path, default=None, help="a file of lists that were made before, and will be")
    add_clock(parser)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    known: dict[str, Any] = json.loads(given.truths.read_text()) if given.truths and given.truths.exists() else {}
    good = done = made = 0
    nodes = work = 0.0
    compiled()
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn"), use_clock, (given.clock,)) as pool:
        number = 0
        while done < given.positions and number < 100 * given.positions:
            jobs = []
            for k in range(number, number + 4 * given.workers):
                said = known.get(str(k), False)
                seconds = None if given.nodes else given.seconds
                jobs.append(Job(k, given.engine, seconds, given.nodes, said or None, said is None))
            number += len(jobs)
            for found in pool.map(judged, jobs):
                known[str(found["number"])] = found["truth"]
                if found["truth"] is None or done == given.positions:
                    continue
                done += 1
                nodes, work, made = nodes + found["nodes"], work + found["work"], made + found["made"]
                near = found["truth"].best - found["chosen"] <= CLOSE
                good += near
                if not near:
                    print(reported(found), flush=True)
            if given.truths:
                given.truths.write_text(json.dumps(known))
    limit = f"{given.nodes} simulations" if given.nodes else f"{given.seconds} s"
    print(
        f"{good} of {done} within {CLOSE} of the best of all turns, {limit} a turn; on average {nodes / max(done, 1):.0f} "
        f"simulations, {made / max(done, 1):.0f} turns, {work / max(done, 1):.2f} s of CPU"
    )


if __name__ == "__main__":
    main()
