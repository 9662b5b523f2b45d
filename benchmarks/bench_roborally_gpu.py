"""Claim: at least 50 million turns of RoboRally a second on an H200, from the kernels that the CPU runs: 4 robots, random
programmes, deals and re-entries included, one race a thread.

Several builds of the same kernels are tried on one course: cells of 16 bits or wide ones, the ground and the states in shared
memory or not, sizes of blocks, threads in flight. The fastest then runs on all courses. A build that fails is reported and
passed over. `--minutes` bounds the whole; `--check` runs the narrow cells on the CPU instead and compares them with the wide
ones.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bench_roborally import COURSES, race_on

import stratagem
from stratagem.compile import Bound, cuda_target, specialise
from stratagem.errors import StratagemError
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.deal import deal_hands, draw_docks, fill_registers
from stratagem.games.roborally.heuristics import any_cards, quick_entry
from stratagem.games.roborally.kernels import go_on
from stratagem.games.roborally.layout import DEALING, DOCKING, PHASE, PROGRAMMING, STAYING, is_awake
from stratagem.kernel import (
    CELLS,
    OVER,
    PLAYERS,
    SIZE,
    Ground,
    Moves,
    State,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, generator, seed_stream

cuda: Any = None
TURNS = 100  # a thread and launch
NARROW_BEAMS = 14  # bits of a mask of beams that fit into 16
BLOCK, ROW, GROUND, CELL = 128, 198, 8192, np.int64  # bound for each build


def race_in_step(g: Ground, start: State, s: State, r: Rng, joint: Moves, turns: int) -> None:
    """So many turns, one race after another; what lies between two turns is done before the deal, and all of that before
    the next turn begins, so that the threads of a warp deal together and run their turns together. Each long kernel is
    called from one place, which keeps the code short."""
    for _ in range(turns):
        t = turn(g, s)
        while s[PHASE] != DEALING:
            if t == OVER:
                for i in range(SIZE):
                    s[i] = start[i]
            elif t >= 0:
                play(g, s, t, 0 if s[PHASE] == STAYING else quick_entry(g, s, t))
            elif s[PHASE] == DOCKING:
                draw_docks(g, s, r)
            else:
                fill_registers(g, s, r)
                go_on(g, s)
            t = turn(g, s)
        deal_hands(s, -1, r)
        s[PHASE] = PROGRAMMING  # a turn in which nobody is awake runs too
        for p in range(PLAYERS):
            joint[p] = any_cards(s, p, r) if is_awake(s, p) else -1
        play_together(g, s, joint)


def races(ground: Any, start: Any, seed: int, turns: int, drawn: Any) -> None:
    """Thread i plays so many turns, one race after another; its streams go on with the seed. A row of states in shared
    memory is an odd number of words, so that equal cells lie in different banks."""
    if SHARED_GROUND:
        g = cuda.shared.array(GROUND, CELL)
        for j in range(cuda.threadIdx.x, ground.size, BLOCK):
            g[j] = ground[j]
        cuda.syncthreads()
    else:
        g = ground
    if SHARED_STATES:
        s = cuda.shared.array((BLOCK, ROW), CELL)[cuda.threadIdx.x]
    else:
        s = cuda.local.array(CELLS, CELL)
    i = cuda.grid(1)
    if i < drawn.size:
        r = cuda.local.array(2, np.int64)
        joint = cuda.local.array(PLAYERS, np.int64)
        for j in range(SIZE):
            s[j] = start[j]
        seed_stream(r, seed, i)
        race(g, start, s, r, joint, turns)
        drawn[i] = r[1]


SHARED_GROUND, SHARED_STATES = False, False  # bound for each build
race: Any = race_on  # bound for each build


@dataclass(frozen=True)
class Build:
    """One way to run the kernels."""

    wide: bool = False  # cells of 64 bits; else 16
    in_step: bool = True
    ground: bool = True  # in shared memory
    states: bool = True  # likewise
    block: int = 64
    each: int = 1280  # threads a multiprocessor
    registers: int | None = None

    def __str__(self) -> str:
        shared = [name for name in ("ground", "states") if getattr(self, name)]
        return (
            f"{'64' if self.wide else '16'} bits, {'in step' if self.in_step else 'freely'}, "
            f"shared: {' and '.join(shared) or 'nothing':17} block {self.block:3}, {self.each:4} threads a multiprocessor"
            + (f", at most {self.registers} registers" if self.registers else "")
        )


WIDE = Build(wide=True, in_step=False, ground=False, states=False, block=128, each=1024)
NARROW = Build()
BUILDS = (
    NARROW,
    replace(NARROW, states=False, block=128, each=1024),
    replace(NARROW, states=False, block=128, each=2048),
    replace(NARROW, each=640),
    replace(NARROW, block=32),
    replace(NARROW, ground=False),
)


def compact(game: Any) -> Any:
    """The ground without what a race does not read: where cards lead a robot alone, expected turns and bounds."""
    whole = game.g
    lone, reach, end = (int(whole[at]) for at in (k.LONE_AT, k.REACH_AT, k.TURNS_AT))
    ground = np.concatenate([whole[:lone], whole[reach:end]])
    for at in (k.REACH_AT, k.LEGS_AT, k.TURNS_AT):
        ground[at] -= reach - lone
    ground[k.BOUNDS_AT] = 0
    return ground


def prepare(game: Any, build: Build) -> tuple[dict[str, Any], Any, Any]:
    """Names to bind, the ground and the first state of a build."""
    names = {**game.names["turn"].names, **game.names}
    ground, start = compact(game), game.start().state.copy()
    cell = np.int64 if build.wide else np.int16
    if not build.wide:
        beams = ground[k.HEADER + k.BEAMS : k.HEADER + k.PLANES * int(ground[k.SPACES]) : k.PLANES]
        whole, beams[:] = beams.copy(), 0
        for number in range(int(ground[k.LASERS])):
            beams |= (whole >> number % k.BEAM_BITS & 1) << number % NARROW_BEAMS
        names = {
            name: Bound(value.function, {**value.names, "BEAM_BITS": NARROW_BEAMS})
            if isinstance(value, Bound)
            else value
            for name, value in names.items()
        } | {"BEAM_BITS": NARROW_BEAMS}
        assert ground.min() >= -(1 << 15) and ground.max() < 1 << 15
        ground, start = ground.astype(cell), start.astype(cell)
    row = game.size + game.scratch
    row += row % 2
    names |= {
        "race": race_in_step if build.in_step else race_on,
        "BLOCK": build.block if build.ground or build.states else 0,  # one text for all sizes where none is needed
        "ROW": row if row // 2 % 2 else row + 2,
        "GROUND": -(-len(ground) // 1024) * 1024,  # rounded up: courses alike share one text
        "CELL": cell,
        "SHARED_GROUND": build.ground,
        "SHARED_STATES": build.states,
    }
    return names, ground, start


def measure(game: Any, build: Build, launches: int = 4, turns: int = TURNS) -> tuple[float, float, int]:
    """Turns a second (median without the first launch), seconds of the first, and a check sum of what was drawn."""
    names, ground, start = prepare(game, build)
    run: Any = specialise(races, names | {"cuda": cuda}, target="cuda")
    if build.registers:
        run = cuda.jit(max_registers=build.registers)(run.py_func)
    threads = cuda.get_current_device().MULTIPROCESSOR_COUNT * build.each if hasattr(cuda, "get_current_device") else 4
    on_device, from_start = cuda.to_device(ground), cuda.to_device(start)
    drawn = cuda.to_device(np.zeros(threads, np.int64))
    seconds, check = [], 0
    for launch in range(launches):
        began = time.perf_counter()
        run[-(-threads // build.block), build.block](on_device, from_start, launch, turns, drawn)
        cuda.synchronize()
        seconds.append(time.perf_counter() - began)
        if launch == 0:
            check = int(drawn.copy_to_host()[:1024].sum())
    return threads * turns / statistics.median(seconds[1:]), seconds[0], check


def check_narrow() -> None:
    """The narrow cells on the CPU, by the same typing rules as on a GPU, against the wide ones."""
    for course in COURSES:
        game: Any = stratagem.game("roborally", course=course, robots=4)
        found = []
        for build in (WIDE, replace(WIDE, in_step=True), NARROW):
            names, ground, start = prepare(game, build)
            run = specialise(names.pop("race"), names, label="roborally turns")
            s, r, joint = start.copy(), generator(7), np.zeros(4, np.int64)
            run(ground, start, s, r, joint, 50_000)
            found.append((s[: game.size].tolist(), r.tolist()))
        assert found[1] == found[2], course
        print(f"{course}: 50,000 turns alike with narrow cells, {found[2][1][1]:,} numbers drawn", flush=True)


def main() -> None:
    global cuda
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--minutes", type=float, default=3.0)
    arguments.add_argument("--turns", type=int, default=TURNS, help="turns a thread and launch")
    arguments.add_argument("--threads", type=int, help="threads a multiprocessor, in place of those of the builds")
    arguments.add_argument("--check", action="store_true", help="compare narrow cells with wide ones on the CPU")
    given = arguments.parse_args()
    if given.check:
        check_narrow()
        return
    began = time.perf_counter()
    try:
        cuda = cuda_target()
    except StratagemError as error:
        print(f"skipped: {error}")
        return
    if not cuda.is_available():
        print("skipped: no CUDA GPU was found on this machine")
        return
    game = stratagem.game("roborally", course=COURSES[0], robots=4)
    best: tuple[float, Build] | None = None
    for build in BUILDS:
        if given.threads:
            build = replace(build, each=given.threads, block=min(build.block, given.threads))
        if time.perf_counter() - began > 0.75 * 60 * given.minutes:
            print(f"{build}: left out, the time is up", flush=True)
            continue
        try:
            rate, first, check = measure(game, build, turns=given.turns)
        except Exception as error:
            print(f"{build}: failed ({type(error).__name__}: {str(error).strip().splitlines()[-1:]})", flush=True)
            continue
        print(f"{build}: {rate:>13,.0f} turns/s (first launch {first:.1f} s, check {check})", flush=True)
        if best is None or rate > best[0]:
            best = rate, build
    if best is None:
        return
    print(f"\nthe fastest, {best[1]}:")
    for course in COURSES:
        if time.perf_counter() - began > 60 * given.minutes:
            print("left out, the time is up")
            break
        rate, _, _ = measure(
            stratagem.game("roborally", course=course, robots=4), best[1], launches=6, turns=given.turns
        )
        print(f"| {course} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
