"""A network before its rounding, in floating point: to measure what whole numbers cost.

The kernels stand in for those of `evaluator` by the same names. Sums are made anew for every position, so it is slow; at an equal
depth it looks at what the network in whole numbers looks at, and differs from it by rounding alone.
"""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stratagem.compile import Bound
from stratagem.contract.game import ArrayGame
from stratagem.errors import StratagemError
from stratagem.kernel import Ground, State
from stratagem.networks.evaluator import value
from stratagem.networks.features import bound, check_suits, columns_of, features
from stratagem.networks.networked import appended
from stratagem.networks.weights import Shape, shape_of

# bound for each network and game; places in the ground and the state are in units of 32 bits
WIDTH, HIDDEN, VIEWS, MOST = 32, 16, 1, 1
SUMS, LISTED = 0, 0
COLUMNS, FIRST, FIRST_BIAS, SECOND, SECOND_BIAS = 0, 0, 0, 0, 0
FLOATS = 2  # in a cell


class Floats(NamedTuple):
    """The weights of a network in floating point, 1.0 being what `evaluator.TOP` and `evaluator.SCALE` are in whole numbers."""

    columns: NDArray[np.float32]  # the bias, then a column for each feature
    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]

    @property
    def shape(self) -> Shape:
        return shape_of(self.columns, self.first)


def floats_of(checkpoint: Path) -> Floats:
    """The weights that `stratagem train` left beside a network; needs PyTorch."""
    try:
        import torch
    except ImportError:
        raise StratagemError("a network in floating point is read by PyTorch: pip install 'stratagem[train]'") from None
    try:
        model = torch.load(checkpoint, weights_only=True, map_location="cpu")["model"]
        found = {name: x.numpy().astype(np.float32) for name, x in model.items()}
        return Floats(
            np.concatenate([found["bias"][None], found["columns.weight"][:-1]]),
            *(found[name] for name in ("first.weight", "first.bias", "second.weight", "second.bias")),
        )
    except FileNotFoundError:
        raise StratagemError(f"there is no file {str(checkpoint)!r}; `stratagem train` leaves it in round-1") from None
    except Exception as error:  # whatever a file of another kind makes PyTorch raise
        raise StratagemError(f"{str(checkpoint)!r} is no checkpoint of such a network ({error})") from None


def floating(game: Any, floats: Floats) -> ArrayGame[Any]:
    """The game with a network in floating point as its `value`. Its policy, if it has one, is not used."""
    check_suits(game)
    found: ArrayGame[Any] = copy.copy(game)
    found.__dict__.pop("_face", None)
    columns = columns_of(game)
    if len(floats.columns) != int(columns.max()) + 2:
        raise StratagemError(
            f"the network has {len(floats.columns) - 1} columns; {game!r} wants {int(columns.max()) + 1}"
        )
    ground, places = packed(np.asarray(game.g), floats, columns)
    shape = floats.shape
    end, cells = game.size + game.scratch, -(-shape.views * shape.width // FLOATS)
    found.size, found.scratch = end, cells + game.features_at_once
    low, high = game.payoff_range
    own: dict[str, Any] = {
        **places,
        "WIDTH": shape.width,
        "HIDDEN": shape.hidden,
        "VIEWS": shape.views,
        "MOST": game.features_at_once,
        "SUMS": FLOATS * end,
        "LISTED": end + cells,
        "MIDDLE": (low + high) / 2,
        "HALF": (high - low) / 2,
        "turn": game.names["turn"],
        "features": bound(game, "features"),
    }
    own["judged"] = Bound(judged, own)
    found.__dict__["names"] = {
        **game.names,
        "SIZE": found.size,
        "CELLS": found.size + found.scratch,
        "value": Bound(value, own),
        "judged": own["judged"],
    }
    found.__dict__["g"] = ground
    return found


def packed(ground: Ground, floats: Floats, columns: NDArray[np.int64]) -> tuple[Ground, dict[str, int]]:
    """The game's ground and the network behind it, a column for every feature, and where each part of it stands."""
    each = floats._replace(columns=floats.columns[np.concatenate([[0], 1 + columns])])
    return appended(ground, {name.upper(): part.astype(np.float32) for name, part in each._asdict().items()})


def cut(x: float) -> float:
    return min(max(x, 0.0), 1.0)


def prepare(g: Ground, s: State, side: int) -> None:
    """The sums: the mover's, then the other's if the network looks through both sides' eyes."""
    weights = g.view(np.float32)
    sums = s.view(np.float32)
    listed = s[LISTED : LISTED + MOST]
    for view in range(VIEWS):
        at = SUMS + view * WIDTH
        n = features(g, s, side if view == 0 else 1 - side, listed)
        for i in range(WIDTH):
            sums[at + i] = weights[COLUMNS + i]
        for k in range(n):
            begin = COLUMNS + (1 + listed[k]) * WIDTH
            for i in range(WIDTH):
                sums[at + i] += weights[begin + i]


def head(g: Ground, s: State, side: int, output: int) -> float:
    """What the layers make of the sums: the value (output 0) or the spread (1)."""
    weights = g.view(np.float32)
    sums = s.view(np.float32)
    found = float(weights[SECOND_BIAS + output])
    for j in range(HIDDEN):
        inner = float(weights[FIRST_BIAS + j])
        for i in range(VIEWS * WIDTH):
            inner += cut(float(sums[SUMS + i])) * float(weights[FIRST + VIEWS * WIDTH * j + i])
        found += cut(inner) * float(weights[SECOND + output * HIDDEN + j])
    return found


def judged(g: Ground, s: State, side: int) -> float:
    """What the network thinks of a position for `side`."""
    prepare(g, s, side)
    x = head(g, s, side, 0)
    return x / math.sqrt(1.0 + x * x)
