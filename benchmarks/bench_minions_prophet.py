"""Minions: what the network of the prophet costs a position, compiled and in PyTorch, one by one.

    python -m benchmarks.bench_minions_prophet
    python -m benchmarks.bench_minions_prophet --weights prophet.safetensors --boards 1

CPU seconds of one thread, the least of several rounds. Without PyTorch the second line is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.networks.encoder import HEX_IN, HEXES, Shape
from stratagem.games.minions.networks.prophet import Vision, load
from stratagem.games.minions.networks.seers import Eyes
from stratagem.games.minions.state import GameState
from stratagem.rng import generator

ROUNDS = 7
PLIES = 12  # of the script, after which the positions are taken


def positions(boards: int, count: int) -> list[GameState]:
    config = GameConfig.make(("BlackenedShores", "MidnightLake", "BlackenedShores")[:boards])
    rng, found = generator(1), []
    while len(found) < count:
        state = GameState.start(config)
        for _ in range(PLIES + len(found) % 8):
            if state.winner is None:
                state = state.play(state.greedy_turn(rng, wild=True))
        if state.winner is None:
            found.append(state)
    return found


def fastest(work: Callable[[], object], of: int) -> float:
    """Milliseconds of CPU for one of so many."""
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return 1000 * min(took) / of


def main() -> None:
    parser = argparse.ArgumentParser(description="What the prophet's network costs.")
    parser.add_argument("--weights", type=Path, default=None, help="of a trained network; random ones if not given")
    parser.add_argument("--boards", type=int, default=2, choices=(1, 2, 3))
    parser.add_argument("--positions", type=int, default=40)
    given = parser.parse_args()
    shape, draws = Shape(), np.random.default_rng(1)
    drawn = {name: draws.normal(0, 0.1, size).astype(np.float32) for name, size in shape.sizes().items()}
    vision = Vision.of(shape, drawn, {}) if given.weights is None else load(given.weights)
    states = positions(given.boards, given.positions)
    eyes = Eyes(MinionsStaging(states[0].config, EngineOptions(solver=False)), vision, "cpu")
    eyes.say(states[0].array)
    ms = fastest(lambda: [eyes._asked(state.array) for state in states], len(states))
    print(f"compiled, with what it sees: {ms:.3f} ms a position, {ms / given.boards:.3f} ms a board")
    if importlib.util.find_spec("torch") is not None:
        other = in_torch(eyes, states, given.boards)
        print(f"PyTorch, one by one, without what it sees: {other:.3f} ms a position ({other / ms:.1f} times)")


def in_torch(eyes: Eyes, states: list[GameState], boards: int) -> float:
    import torch

    from stratagem.games.minions.networks.prophet_model import Model

    torch.set_num_threads(1)
    model = Model(eyes.vision.shape).eval()
    seen = eyes._rooms.seen
    inputs = (
        torch.from_numpy(seen.token)[None],
        torch.from_numpy(seen.board).view(1, boards, -1),
        torch.from_numpy(seen.stands).view(1, boards, HEXES),
        torch.from_numpy(eyes.place.tiles[: boards * HEXES]).view(1, boards, HEXES),
        torch.from_numpy(seen.reached).view(1, boards, HEXES, HEX_IN),
        torch.ones((1, boards)),
    )
    with torch.no_grad():
        return fastest(lambda: [model(*inputs) for _ in states], len(states))


if __name__ == "__main__":
    main()
