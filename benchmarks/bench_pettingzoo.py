"""Connect four by random play, steps a second, in one run: ours as a PettingZoo environment, PettingZoo's own, pgx on the CPU.

    python -m benchmarks.bench_pettingzoo --seconds 3 --rounds 5

Rounds alternate between the three, and the median of each is printed with its range. Ours and PettingZoo's own are driven through
the same loop (`agent_iter`, `last`, `step` with an action drawn from the mask). pgx steps batches of boards at once, compiled by
JAX, so its figure is given for one board and for a batch of 1024: other uses of a processor, said apart. A peer that
is not installed is named and left out: pettingzoo with pygame for PettingZoo's own, pgx with jax for the last.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

BATCH = 1024


def loop(env, seconds: float) -> float:
    """Steps a second of an AEC environment under random legal actions."""
    import numpy as np

    lots = np.random.default_rng(1)
    steps, until, began = 0, time.perf_counter() + seconds, time.perf_counter()
    while time.perf_counter() < until:
        env.reset(seed=steps % 1000)
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(legal[lots.integers(len(legal))]))
            steps += 1
    return steps / (time.perf_counter() - began)


def ours(raw: bool) -> Callable[[float], float]:
    from stratagem.protocols.pettingzoo import TurnEnvironment, aec

    env = TurnEnvironment("connect4") if raw else aec("connect4")
    env.reset(seed=0)
    env.step(3)
    return lambda seconds: loop(env, seconds)


def theirs(raw: bool) -> Callable[[float], float]:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.raw_env() if raw else connect_four_v3.env()
    return lambda seconds: loop(env, seconds)


def pgx_batch(batch: int) -> Callable[[float], float]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import pgx

    env = pgx.make("connect_four")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))

    @jax.jit
    def choose(key, mask):
        return jax.random.categorical(key, jax.numpy.where(mask, 0.0, -jax.numpy.inf), axis=1)

    def run(seconds: float) -> float:
        key = jax.random.PRNGKey(1)
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            key, sub = jax.random.split(key)
            state = init(jax.random.split(sub, batch))
            while not bool((state.terminated | state.truncated).all()):
                key, sub = jax.random.split(key)
                steps += int((~state.terminated).sum())
                state = step(state, choose(sub, state.legal_action_mask))
        return steps / (time.perf_counter() - began)

    run(0.01)  # compiles
    return run


CONTENDERS: dict[str, Callable[[], Callable[[float], float]]] = {
    "stratagem, with PettingZoo's wrappers": lambda: ours(False),
    "PettingZoo's own, with its wrappers": lambda: theirs(False),
    "stratagem, raw": lambda: ours(True),
    "PettingZoo's own, raw": lambda: theirs(True),
    "pgx, one board": lambda: pgx_batch(1),
    f"pgx, {BATCH} boards at once": lambda: pgx_batch(BATCH),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="contenders whose name holds this")
    given = parser.parse_args()
    ready: dict[str, Callable[[float], float]] = {}
    for name, make in CONTENDERS.items():
        if given.only in name:
            try:
                ready[name] = make()
            except ImportError as error:
                print(f"left out: {name} ({error})", flush=True)
    found: dict[str, list[float]] = {name: [] for name in ready}
    for _ in range(given.rounds):
        for name, run in ready.items():
            found[name].append(run(given.seconds))
    for name, speeds in found.items():
        print(
            f"{name:40} {statistics.median(speeds):12,.0f} steps a second  ({min(speeds):,.0f} .. {max(speeds):,.0f})"
        )


if __name__ == "__main__":
    main()
