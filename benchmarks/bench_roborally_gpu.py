"""Claim: at least 50 million turns of RoboRally a second on an H200, from the kernels that the CPU runs: 4 robots, random
programmes, deals and re-entries included, one race a thread.

Several builds of the same kernels are tried on one course: the cells of state and ground narrow or wide, the state in local or
in shared memory, the races of a warp going on in step or each for itself, threads in flight, and a limit on registers. The
fastest then runs on all courses. A build that fails is reported and passed over. `--minutes` bounds the whole; `--check` runs
the narrow cells on the CPU instead and compares them with the wide ones.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

for _name, _now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, _name):  # names that older CUDA targets of Numba still look for at import
        setattr(np, _name, getattr(np, _now))

from bench_roborally import COURSES, race_on  # noqa: E402

import stratagem  # noqa: E402
from stratagem.compile import Bound, specialise  # noqa: E402
from stratagem.games.roborally import kernels as k  # noqa: E402
from stratagem.games.roborally.heuristics import any_cards, quick_entry  # noqa: E402
from stratagem.games.roborally.kernels import PHASE, STAYING, is_awake  # noqa: E402
from stratagem.kernel import (  # noqa: E402
    CELLS,
    CHANCE,
    OVER,
    PLAYERS,
    SIZE,
    TOGETHER,
    Ground,
    Moves,
    State,
    draw,
    play,
    play_together,
    turn,
)
from stratagem.rng import Rng, generator, seed_stream  # noqa: E402

cuda: Any = None
TURNS = 100  # a thread and launch
NARROW_BEAMS = 30  # bits of a mask of beams that fit into 32
BLOCK, ROW, CELL = 128, 302, np.int64  # bound for each build


def race_in_step(g: Ground, start: State, s: State, r: Rng, joint: Moves, turns: int) -> None:
    """So many turns, one race after another; what lies between two turns is done before the next one begins, so that the
    threads of a warp run their turns together."""
    for _ in range(turns):
        t = turn(g, s)
        while t != TOGETHER:
            if t == CHANCE:
                draw(g, s, r)
            elif t == OVER:
                for i in range(SIZE):
                    s[i] = start[i]
            elif s[PHASE] == STAYING:
                play(g, s, t, 0)
            else:
                play(g, s, t, quick_entry(g, s, t))
            t = turn(g, s)
        for p in range(PLAYERS):
            joint[p] = any_cards(s, p, r) if is_awake(s, p) else -1
        play_together(g, s, joint)


def races_local(g: Any, start: Any, seed: int, turns: int, drawn: Any) -> None:
    """Thread i plays so many turns, one race after another; its streams go on with the seed."""
    i = cuda.grid(1)
    if i < drawn.size:
        s = cuda.local.array(CELLS, CELL)
        r = cuda.local.array(2, np.int64)
        joint = cuda.local.array(PLAYERS, np.int64)
        for j in range(SIZE):
            s[j] = start[j]
        seed_stream(r, seed, i)
        race(g, start, s, r, joint, turns)
        drawn[i] = r[1]


def races_shared(g: Any, start: Any, seed: int, turns: int, drawn: Any) -> None:
    """The same with states in shared memory. A row is an odd number of words, so that equal cells lie in different banks."""
    every = cuda.shared.array((BLOCK, ROW), CELL)
    i = cuda.grid(1)
    if i < drawn.size:
        s = every[cuda.threadIdx.x]
        r = cuda.local.array(2, np.int64)
        joint = cuda.local.array(PLAYERS, np.int64)
        for j in range(SIZE):
            s[j] = start[j]
        seed_stream(r, seed, i)
        race(g, start, s, r, joint, turns)
        drawn[i] = r[1]


race: Any = race_on  # bound for each build


@dataclass(frozen=True)
class Build:
    """One way to run the kernels."""

    wide: bool  # cells of 64 bits; else 16 for the state, 32 for the ground
    in_step: bool
    shared: bool = False
    block: int = 128
    each: int = 1024  # threads a multiprocessor
    registers: int | None = None

    def __str__(self) -> str:
        return (
            f"{'64' if self.wide else '16/32'} bits, {'in step' if self.in_step else 'freely':8} "
            f"{'shared' if self.shared else 'local':6} block {self.block:3}, {self.each:4} threads a multiprocessor, "
            f"{f'at most {self.registers} registers' if self.registers else 'any registers'}"
        )


WIDE = Build(wide=True, in_step=False)
STEP = replace(WIDE, in_step=True)
NARROW = replace(STEP, wide=False)
SHARED = replace(NARROW, shared=True, block=64, each=512)
BUILDS = (
    STEP, NARROW, replace(NARROW, each=512), replace(NARROW, each=256), replace(NARROW, each=2048), replace(NARROW, block=64),
    SHARED, replace(SHARED, each=256), replace(SHARED, block=32), replace(SHARED, each=1024), WIDE,
    replace(NARROW, registers=64), replace(SHARED, registers=96), replace(NARROW, registers=128),
)  # fmt: skip


def prepare(game: Any, build: Build) -> tuple[dict[str, Any], Any, Any]:
    """Names to bind, the ground and the first state of a build."""
    names = {**game.names["turn"].names, **game.names}
    ground, start = game.g[: int(game.g[k.TURNS_AT])].copy(), game.start().state.copy()
    if not build.wide:
        beams = ground[k.HEADER + k.BEAMS : k.HEADER + k.PLANES * int(ground[k.SPACES]) : k.PLANES]
        beams[:] = (beams | beams >> NARROW_BEAMS) & ((1 << NARROW_BEAMS) - 1)
        names = {
            name: Bound(value.function, {**value.names, "BEAM_BITS": NARROW_BEAMS})
            if isinstance(value, Bound)
            else value
            for name, value in names.items()
        } | {"BEAM_BITS": NARROW_BEAMS}
        ground, start = ground.astype(np.int32), start.astype(np.int16)
    names["race"] = race_in_step if build.in_step else race_on
    row = game.size + game.scratch
    row += row % 2
    names |= {
        "BLOCK": build.block,
        "ROW": row if row // 2 % 2 else row + 2,
        "CELL": np.int64 if build.wide else np.int16,
    }
    return names, ground, start


def measure(game: Any, build: Build, launches: int = 4, turns: int = TURNS) -> tuple[float, float, int]:
    """Turns a second (median without the first launch), seconds of the first, and a check sum of what was drawn."""
    names, ground, start = prepare(game, build)
    run: Any = specialise(races_shared if build.shared else races_local, names | {"cuda": cuda}, target="cuda")
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
        for build in (WIDE, STEP, NARROW):
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
    arguments.add_argument("--minutes", type=float, default=4.0)
    arguments.add_argument("--turns", type=int, default=TURNS, help="turns a thread and launch")
    arguments.add_argument("--threads", type=int, help="threads a multiprocessor, in place of those of the builds")
    arguments.add_argument("--check", action="store_true", help="compare narrow cells with wide ones on the CPU")
    given = arguments.parse_args()
    if given.check:
        check_narrow()
        return
    began = time.perf_counter()
    try:
        from numba import cuda as found

        if not found.is_available():
            print("skipped: no CUDA GPU was found on this machine")
            return
    except Exception as error:
        print(f"skipped: Numba's CUDA target cannot be loaded here ({type(error).__name__}: {error})")
        return
    cuda = found
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
