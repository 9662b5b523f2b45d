"""Training: a network in floating point that keeps within what whole numbers can say, and its whole numbers.

Needs PyTorch (the extra `train`); networks play without it. A checkpoint is written after every pass over the positions and appears
whole or not at all, so that training that was stopped goes on from the last pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from stratagem.errors import StratagemError
from stratagem.networks.evaluator import SCALE, TOP
from stratagem.networks.selfplay import Positions
from stratagem.networks.weights import Network, Shape

MOST_WEIGHT = 127 / SCALE  # of a layer
MOST_COLUMN = 1.0  # of a column: so two hundred features stay within 16 bits, and files within 8
SPREAD_SHARE = 0.1  # of what is learned: how far off the value is


@dataclass(frozen=True)
class Course:
    """How a network is trained."""

    passes: int = 12
    batch: int = 1024
    rate: float = 2e-3  # of learning, at the start; it falls to a hundredth of that
    searched: float = 0.0  # the share of the search's value in what is learned; the rest is the result
    held: float = 0.05  # the share of positions that is held back, to measure on
    seed: int = 1


class Model(nn.Module):
    """The network of `evaluator` in floating point."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.columns = nn.EmbeddingBag(shape.features + 1, shape.width, mode="sum", padding_idx=shape.features)
        self.bias = nn.Parameter(torch.full((shape.width,), 0.3))
        self.first = nn.Linear(shape.views * shape.width, shape.hidden)
        self.second = nn.Linear(shape.hidden, 2)
        nn.init.normal_(self.columns.weight, std=0.02)

    def forward(self, *seen: torch.Tensor) -> torch.Tensor:
        sums = [self.columns(one) + self.bias for one in seen[: self.shape.views]]
        inside = torch.cat(sums, dim=1).clamp(0, 1)
        found: torch.Tensor = self.second(self.first(inside).clamp(0, 1))
        return found

    @torch.no_grad()
    def keep_within(self) -> None:
        """Weights that whole numbers can say."""
        self.columns.weight.clamp_(-MOST_COLUMN, MOST_COLUMN)
        for layer in (self.first, self.second):
            layer.weight.clamp_(-MOST_WEIGHT, MOST_WEIGHT)

    @torch.no_grad()
    def whole(self, card: dict[str, Any]) -> Network:
        """The network in whole numbers."""

        def rounded(x: torch.Tensor, scale: float, kind: Any) -> Any:
            return np.clip(np.rint(x.detach().cpu().numpy() * scale), np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)

        columns = torch.cat([self.bias[None], self.columns.weight[:-1]])
        return Network(
            rounded(columns, TOP, np.int16),
            rounded(self.first.weight, SCALE, np.int8),
            rounded(self.first.bias, TOP * SCALE, np.int32),
            rounded(self.second.weight, SCALE, np.int8),
            rounded(self.second.bias, TOP * SCALE, np.int32),
            card,
        )


def train(
    positions: Positions, shape: Shape, course: Course, checkpoint: Path, say: Callable[[dict[str, float]], None]
) -> Model:
    """Train a network, from its checkpoint if there is one; `say` is told of every pass."""
    torch.manual_seed(course.seed)
    model = Model(shape)
    optimiser = torch.optim.Adam(model.parameters(), lr=course.rate)
    target = course.searched * positions.searched + (1 - course.searched) * positions.result
    seen = [torch.from_numpy(np.where(x < 0, shape.features, x)) for x in (positions.own, positions.other)]
    wanted = torch.from_numpy(target.astype(np.float32))
    if not torch.isfinite(wanted).all():
        raise StratagemError("a position to learn from has no finite value: the files are damaged, play them again")
    order = np.random.default_rng(course.seed).permutation(len(positions))
    held, kept = np.split(order, [int(len(order) * course.held)])
    done = _restore(checkpoint, model, optimiser)
    for number in range(done, course.passes):
        shuffled = np.random.default_rng((course.seed, number)).permutation(kept)
        for group in optimiser.param_groups:
            group["lr"] = course.rate * 0.01 ** (number / max(course.passes - 1, 1))
        model.train()
        losses = [_step(model, optimiser, seen, wanted, shuffled[k : k + course.batch]) for k in range(0, len(kept), course.batch)]
        if not np.isfinite(losses).all():
            raise StratagemError(f"training went astray in pass {number + 1}: give a smaller --rate, and begin anew")
        _keep(checkpoint, model, optimiser, number + 1)
        say({"pass": number + 1, "loss": float(np.mean(losses)), "held": _error(model, seen, wanted, held)})
    return model


def judged(found: torch.Tensor) -> torch.Tensor:
    """The value between -1 and 1, as `evaluator.judged` has it."""
    x = found[:, 0]
    return x * torch.rsqrt(1 + x * x)


def _step(model: Model, optimiser: Any, seen: list[torch.Tensor], wanted: torch.Tensor, rows: Any) -> float:
    found = model(*(x[rows] for x in seen))
    off = judged(found) - wanted[rows]
    loss = (off**2).mean() + SPREAD_SHARE * ((found[:, 1] - off.detach().abs()) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    model.keep_within()
    return float((off**2).mean())


@torch.no_grad()
def _error(model: Model, seen: list[torch.Tensor], wanted: torch.Tensor, rows: Any) -> float:
    model.eval()
    found = judged(model(*(x[rows] for x in seen)))
    return float(((found - wanted[rows]) ** 2).mean())


def _keep(checkpoint: Path, model: Model, optimiser: Any, done: int) -> None:
    unfinished = checkpoint.with_suffix(f".{os.getpid()}.unfinished")
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "done": done}, unfinished)
    unfinished.replace(checkpoint)


def _restore(checkpoint: Path, model: Model, optimiser: Any) -> int:
    if not checkpoint.exists():
        return 0
    try:
        found = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(found["model"])
        optimiser.load_state_dict(found["optimiser"])
    except Exception as error:  # whatever a damaged file makes PyTorch raise
        raise StratagemError(f"{str(checkpoint)!r} cannot be read ({error}); remove it to begin anew") from None
    return int(found["done"])
