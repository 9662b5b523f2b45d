"""Connect four by random play, steps a second, in one run: ours as a PettingZoo environment, PettingZoo's own, pgx on the CPU.

    python -m benchmarks.bench_pettingzoo --seconds 2 --rounds 5

Two tables, for they are two uses of a processor.

*One board, stepped one by one from Python*, as a PettingZoo environment is: ours and PettingZoo's own through the same loop
(`agent_iter`, `last`, `step` with an action drawn from the mask); pgx with `init` and `step` compiled by JAX for one board, its
mask read back and its action drawn by the same code as theirs.

*Many boards at once*: pgx steps a batch from Python, a call a step (`step` vectorised over boards and compiled, actions drawn by
a compiled function, boards that are over begun anew in the same call); the same with a hundred steps in one compiled call, its
best case; and our playouts, one board after another inside one compiled call, on one thread. pgx makes its observation, the
planes of the board, in every step; our playouts make none. JAX uses all cores that it is given; `--cores 1` keeps all
contenders on one.

Rounds alternate between all of them; medians are printed with the range. On a machine that others use too, steps a CPU second say
more than steps a second: the CPU time of all threads is counted. A peer that is not installed is named and left out:
pettingzoo with pygame for PettingZoo's own, pgx with jax.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem.kernel import Ground, Moves, Payoffs, State
from stratagem.rng import Rng, seed_stream
from stratagem.search.sampling.playouts import INLINED, playout, playout_names

BATCHES = (1024, 8192)
UNROLLED = 100  # steps of one compiled call
CAP = 1000  # plies, more than any game has
Measure = Callable[[float], int]  # goes on for so many seconds; the steps that it made


# ------------------------------------------------------------------------------------------- one board, step by step


def loop(env: Any, seconds: float) -> int:
    """Steps of an AEC environment under random legal actions."""
    draws = np.random.default_rng(1)
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        env.reset(seed=steps % 1000)
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(legal[draws.integers(len(legal))]))
            steps += 1
    return steps


def ours(raw: bool) -> Measure:
    from stratagem.protocols.pettingzoo import TurnEnvironment, aec

    env: Any = TurnEnvironment("connect4") if raw else aec("connect4")
    env.reset(seed=0)
    env.step(3)
    return lambda seconds: loop(env, seconds)


def theirs(raw: bool) -> Measure:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.raw_env() if raw else connect_four_v3.env()
    return lambda seconds: loop(env, seconds)


def pgx_one() -> Measure:
    jax, pgx = _pgx()
    env = pgx.make("connect_four")
    init, step = jax.jit(env.init), jax.jit(env.step)

    def run(seconds: float) -> int:
        draws = np.random.default_rng(1)
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            state = init(jax.random.PRNGKey(steps % 1000))
            while not bool(state.terminated):
                legal = np.flatnonzero(np.asarray(state.legal_action_mask))
                state = step(state, int(legal[draws.integers(len(legal))]))
                steps += 1
        return steps

    run(0.01)  # compiles
    return run


def _pgx() -> tuple[Any, Any]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import pgx

    return jax, pgx


# --------------------------------------------------------------------------------------------------- many boards at once


def pgx_many(batch: int, unrolled: int) -> Measure:
    """Batches that go on for ever: every step is a move in a game that goes on."""
    jax, pgx = _pgx()
    env, numpy = pgx.make("connect_four"), jax.numpy

    def step(state: Any, key: Any) -> Any:
        """A random legal move on one board, and the next board at its beginning if that ended the game."""
        action = jax.random.categorical(key, numpy.where(state.legal_action_mask, 0.0, -numpy.inf))
        after, fresh = env.step(state, action), env.init(key)
        return jax.tree_util.tree_map(lambda a, b: numpy.where(after.terminated, b, a), after, fresh)

    def steps(state: Any, key: Any) -> tuple[Any, Any]:
        def one(carry: Any, _: Any) -> tuple[Any, None]:
            state, key = carry
            key, sub = jax.random.split(key)
            return (jax.vmap(step)(state, jax.random.split(sub, batch)), key), None

        return jax.lax.scan(one, (state, key), None, length=unrolled)[0]

    compiled = jax.jit(steps)
    held = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(1), batch)), jax.random.PRNGKey(2)

    def run(seconds: float) -> int:
        nonlocal held
        calls, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            held = jax.block_until_ready(compiled(*held))
            calls += 1
        return calls * batch * unrolled

    run(0.01)  # compiles
    return run


def random_games(g: Ground, start: State, s: State, r: Rng, joint: Moves, out: Payoffs, numbers: Moves) -> int:
    """Games from numbers[1], so many as numbers[2], by the seed numbers[0]; returns their plies."""
    plies = 0
    for i in range(numbers[1], numbers[1] + numbers[2]):
        seed_stream(r, numbers[0], i)
        for k in range(s.shape[0]):
            s[k] = start[k]
        plies += playout(g, s, r, joint, 0, CAP, out)
    return plies


def our_playouts() -> Measure:
    import stratagem
    from stratagem.compile import specialise

    game: Any = stratagem.game("connect4")
    play = specialise(random_games, playout_names(game), label="connect four at random", lean=True, inline=INLINED)
    start = game.start().state.copy()
    room = start.copy(), np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2)

    def run(seconds: float) -> int:
        steps, number, began = 0, 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            steps += play(game.g, start, *room, np.array([1, number, 1000]))
            number += 1000
        return steps

    run(0.01)  # compiles
    return run


# ------------------------------------------------------------------------------------------------------------ the tables

ONE_BY_ONE: dict[str, Callable[[], Measure]] = {
    "stratagem, with PettingZoo's wrappers": lambda: ours(False),
    "PettingZoo's own, with its wrappers": lambda: theirs(False),
    "stratagem, raw": lambda: ours(True),
    "PettingZoo's own, raw": lambda: theirs(True),
    "pgx, one board": pgx_one,
}
AT_ONCE: dict[str, Callable[[], Measure]] = {
    **{f"pgx, {n} boards, a call a step": (lambda n=n: pgx_many(n, 1)) for n in BATCHES},
    **{f"pgx, {n} boards, {UNROLLED} steps a call": (lambda n=n: pgx_many(n, UNROLLED)) for n in BATCHES},
    "stratagem, compiled playouts, one thread": our_playouts,
}


def versions() -> str:
    found = []
    for name in ("stratagem", "pettingzoo", "pgx", "jax", "numba", "numpy"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="contenders whose name holds this")
    parser.add_argument("--cores", type=int, default=0, help="keep all contenders on so many cores")
    given = parser.parse_args()
    if given.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])  # before JAX counts them
    print(f"{versions()}; {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    ready: dict[str, Measure] = {}
    for name, make in (ONE_BY_ONE | AT_ONCE).items():
        if given.only in name:
            try:
                ready[name] = make()
            except ImportError as error:
                print(f"left out: {name} ({error})", flush=True)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ready}
    for _ in range(given.rounds):
        for name, run in ready.items():
            began, spent = time.perf_counter(), time.process_time()
            steps = run(given.seconds)
            found[name].append((steps / (time.process_time() - spent), steps / (time.perf_counter() - began)))
    rounds = f"median of {given.rounds} rounds of {given.seconds:g} s"
    print(f"\n| connect four at random, {rounds} | steps a CPU second | range | steps a second |")
    print("|---|---|---|---|")
    for name, speeds in found.items():
        cpu, wall = zip(*speeds, strict=True)
        span = f"{min(cpu):,.0f} to {max(cpu):,.0f}"
        print(f"| {name} | {statistics.median(cpu):,.0f} | {span} | {statistics.median(wall):,.0f} |")


if __name__ == "__main__":
    main()
