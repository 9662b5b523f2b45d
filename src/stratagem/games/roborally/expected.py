"""Expected turns: for every place, facing and next flag, how many turns a robot alone needs to the last flag.

This is the evaluator `turns`. Value iteration with random hands: deal a hand, find from everywhere the best programme by the
values so far, and move the value there a little towards one turn more than what that programme reaches. A flag touched in
register r ends a turn r / 5 through. This takes some seconds a course, so the values of the shipped courses are in
data/turns.npz (`python -m stratagem.games.roborally.expected` makes it again), and those of other courses go to the cache
folder.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import sys
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stratagem
from stratagem.compile import cache_folder, specialise
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import course_names
from stratagem.games.roborally.deal import (
    deal_hands,
)
from stratagem.games.roborally.heuristics import IN_TURNS, REGISTER_UNITS, TURN_UNITS, search_alone
from stratagem.games.roborally.lone import LOST, bounds
from stratagem.kernel import Ground, State
from stratagem.rng import Rng, generator

HANDS = 600
SHIPPED_HANDS = 2000  # for the shipped courses, whose values need not be waited for
SLOWING, COOLING = 15.0, 0.6  # the weight of hand n is (1 + n / SLOWING) ** -COOLING
MOST_TURNS = 90  # what a place without a way counts
DATA = "data/turns.npz"


def iterate(
    g: Ground, s: State, values: NDArray[np.float64], mean: NDArray[np.float64], hands: int, slowing: float, r: Rng
) -> None:
    """So many hands for every place. The ground, which the search reads, has the values in whole units; `mean` gets their
    average over the second half of the hands, which is far less noisy than the last of them (Polyak and Juditsky 1992)."""
    for number in range(hands):
        deal_hands(s, -1, r)
        weight = (1.0 + number / slowing) ** -COOLING
        share = 1.0 / (number - hands // 2 + 1) if number >= hands // 2 else 0.0
        for flag in range(g[k.FLAGS], 0, -1):
            for node in range(4 * g[k.SPACES]):
                if k.plane(g, node >> 2, k.KIND) != k.FLOOR:
                    continue
                s[k.ROBOTS + k.AT] = node >> 2
                s[k.ROBOTS + k.ARCHIVE] = node >> 2
                s[k.ROBOTS + k.FACING] = node & 3
                s[k.ROBOTS + k.NEXT] = flag
                i = 4 * (flag - 1) * g[k.SPACES] + node
                values[i] += weight * (TURN_UNITS + search_alone(g, s, 0, 0) - values[i])
                mean[i] += share * (values[i] - mean[i])
                g[g[k.TURNS_AT] + i] = min(int(values[i] + 0.5), MOST_TURNS * TURN_UNITS)


def place(g: Ground) -> slice:
    """Where the values lie in a ground: a number for each flag and node."""
    return slice(int(g[k.TURNS_AT]), int(g[k.TURNS_AT]) + 4 * int(g[k.SPACES]) * int(g[k.FLAGS]))


def first_guess(g: Ground) -> NDArray[np.float64]:
    """Four registers of five that lead on, by the evaluator `registers` and its legs."""
    n, flags = int(g[k.SPACES]), int(g[k.FLAGS])
    reach = g[g[k.REACH_AT] : g[k.REACH_AT] + 4 * n * flags].reshape(flags, 4 * n)
    legs = g[g[k.LEGS_AT] + 2 * (flags + 1) :][:flags]
    return np.minimum((reach + legs[:, None]) * TURN_UNITS / 4, MOST_TURNS * TURN_UNITS).ravel()


def compute(game: Any, *, hands: int = HANDS, seed: int = 1) -> NDArray[np.int64]:
    """The values of a game's course, in hundredths of a turn."""
    g, s, r = game.g.copy(), game.blank(), generator(seed)
    s[k.ROBOTS : k.ROBOTS + k.ROBOT * game.players : k.ROBOT] = -1
    values = first_guess(g)
    g[place(g)] = values.astype(np.int64)
    names = {**game.names["turn"].names, "EVALUATOR": IN_TURNS, "PRUNES": False}
    mean = values.copy()
    specialise(iterate, names, label="roborally expected turns")(g, s, values, mean, hands, SLOWING, r)
    return np.minimum(np.rint(mean), MOST_TURNS * TURN_UNITS).astype(np.int64)


def key(g: Ground) -> str:
    """A course by what the values depend on: where cards lead, where the flags are and what can be stood on."""
    planes = g[k.HEADER : int(g[k.LASERS_AT])].reshape(int(g[k.SPACES]), k.PLANES)
    parts = (g[int(g[k.LONE_AT]) : int(g[k.REACH_AT])], planes[:, k.FLAG], planes[:, k.KIND])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:20]


@cache
def shipped() -> dict[str, NDArray[np.int64]]:
    with np.load(BytesIO(files("stratagem.games.roborally").joinpath(DATA).read_bytes())) as stored:
        return {name: stored[name].astype(np.int64) for name in stored.files}


def known(g: Ground) -> NDArray[np.int64] | None:
    """The values of a course if they were computed before, shipped or cached."""
    name = key(g)
    if name in shipped():
        return shipped()[name]
    try:
        with np.load(cache_folder() / f"turns_{name}.npz") as stored:
            return np.array(stored["turns"], np.int64)
    except (OSError, KeyError, ValueError):
        return None


def provide(game: Any) -> None:
    """Make sure that a game's ground has the values; computing them is said, and done once for a course."""
    g, where = game.g, place(game.g)
    if where.start == where.stop or g[where].max() >= 0:
        return
    values = known(g)
    if values is None:
        print(f"computing expected turns on {game.course.name} ...", file=sys.stderr, flush=True)
        values = compute(game)
        try:
            cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
            np.savez_compressed(cache_folder() / f"turns_{key(g)}.npz", turns=values)
        except OSError:
            pass  # the next process computes them again
    writeable = g.flags.writeable
    g.flags.writeable = True
    g[where] = values
    n, flags = int(g[k.SPACES]), [game.course.index(*flag) for flag in game.course.flags]
    nodes = g[int(g[k.LONE_AT]) : int(g[k.REACH_AT])].reshape(k.REGISTERS, 4 * n, -1)
    known_bounds = bounds(nodes, flags, values.reshape(-1, 4 * n), REGISTER_UNITS, LOST * REGISTER_UNITS)
    g[-known_bounds.size :] = known_bounds.ravel()
    g.flags.writeable = writeable


def compute_shipped(name: str) -> tuple[str, NDArray[np.int64]]:
    """The key and the values of a shipped course."""
    game: Any = stratagem.game("roborally", course=name, robots=2)
    values = compute(game, hands=SHIPPED_HANDS)
    docks = [int(game.g[int(game.g[k.DOCKS_AT]) + 2 * d]) for d in range(len(game.course.docks))]
    mean = np.mean([values[4 * d : 4 * d + 4].min() for d in docks]) / TURN_UNITS
    print(f"{name:22} {mean:5.2f} turns from the docks", flush=True)
    return key(game.g), values


def main() -> None:
    """Write the data file of the shipped courses, over all cores."""
    with multiprocessing.get_context("spawn").Pool() as pool:
        found = {name: values.astype(np.int16) for name, values in pool.map(compute_shipped, course_names(), 1)}
    np.savez_compressed(Path(str(files("stratagem.games.roborally").joinpath(DATA))), **found)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
