"""Training: a network in floating point that keeps within what whole numbers can say, and its whole numbers.

Needs PyTorch (the extra `train`); networks play without it. A checkpoint is written after every pass over the positions and
appears whole or not at all, so that training that was stopped goes on from the last pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from stratagem.errors import OptionError, StratagemError
from stratagem.networks.evaluator import SCALE, TOP
from stratagem.networks.plan import Course
from stratagem.networks.selfplay import Positions
from stratagem.networks.weights import Network, Shape

MOST_WEIGHT = 127 / SCALE  # of a layer
MOST_COLUMN = 1.0  # of a column: so two hundred features stay within 16 bits, and files within 8
COLUMNS = "columns.weight"
SPREAD_SHARE = 0.1  # of what is learned: how far off the value is
Say = Callable[[dict[str, float]], None]


class Model(nn.Module):
    """The network of `evaluator` in floating point."""

    def __init__(self, shape: Shape, dropped: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropped = shape, dropped
        self.columns = nn.EmbeddingBag(shape.features + 1, shape.width, mode="sum", padding_idx=shape.features)
        self.bias = nn.Parameter(torch.full((shape.width,), 0.3))
        self.first = nn.Linear(shape.views * shape.width, shape.hidden)
        self.second = nn.Linear(shape.hidden, 2)
        nn.init.normal_(self.columns.weight, std=0.02)

    def forward(self, *seen: torch.Tensor) -> torch.Tensor:
        more = 1 / (1 - self.dropped) if self.training else 1.0  # for the features that are left out meanwhile
        sums = [more * self.columns(one) + self.bias for one in seen[: self.shape.views]]
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
            return np.clip(np.rint(x.detach().cpu().numpy() * scale), np.iinfo(kind).min, np.iinfo(kind).max).astype(
                kind
            )

        columns = torch.cat([self.bias[None], self.columns.weight[:-1]])
        return Network(
            rounded(columns, TOP, np.int16),
            rounded(self.first.weight, SCALE, np.int8),
            rounded(self.first.bias, TOP * SCALE, np.int32),
            rounded(self.second.weight, SCALE, np.int8),
            rounded(self.second.bias, TOP * SCALE, np.int32),
            card,
        )


def device_of(name: str) -> str:
    """Where it is computed: `cpu`, `cuda`, or `auto` for a GPU where there is one."""
    if name not in ("auto", "cpu", "cuda"):
        raise OptionError(f"device {name!r} is none of auto, cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise OptionError("PyTorch finds no GPU here; give --device cpu")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def train(
    positions: Positions, shape: Shape, course: Course, checkpoint: Path, say: Say, device: str = "cpu"
) -> tuple[Model, list[dict[str, float]]]:
    """Train a network, from its checkpoint if there is one; `say` is told of every pass. Positions name columns, not features."""
    torch.manual_seed(course.seed)
    model = Model(shape, course.dropped).to(device)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for name, p in model.named_parameters() if name == COLUMNS], "weight_decay": course.decay},
            {"params": [p for name, p in model.named_parameters() if name != COLUMNS], "weight_decay": 0.0},
        ],
        lr=course.rate,
    )
    target = course.searched * positions.searched + (1 - course.searched) * positions.result
    if not np.isfinite(target).all():
        raise StratagemError(
            "a position to learn from has no finite value: its file is damaged; remove it to play it again"
        )
    seen = [torch.from_numpy(np.where(x < 0, shape.features, x)).to(device) for x in (positions.own, positions.other)]
    wanted = torch.from_numpy(target.astype(np.float32)).to(device)
    held = positions.game % course.held == course.held - 1
    kept, measured = np.flatnonzero(~held), torch.from_numpy(np.flatnonzero(held)).to(device)
    if not len(kept):
        raise StratagemError(f"{len(positions)} positions teach nothing; play more games")
    done, said = _restore(checkpoint, model, optimiser, device)
    for number in range(done, course.passes):
        torch.manual_seed(course.seed + number)  # whatever was done before: a pass is the same after a stop
        shuffled = torch.from_numpy(np.random.default_rng((course.seed, number)).permutation(kept)).to(device)
        model.train()
        losses = []
        for k in range(0, len(kept), course.batch):
            for group in optimiser.param_groups:
                group["lr"] = course.rate * (1 - (number + k / len(kept)) / course.passes)
            rows = shuffled[k : k + course.batch]
            losses.append(_step(model, optimiser, [_dropped(x[rows], shape, course) for x in seen], wanted[rows]))
        loss = float(torch.stack(losses).mean())
        if not (np.isfinite(loss) and all(torch.isfinite(p).all() for p in model.parameters())):
            raise StratagemError(
                f"training went astray in pass {number + 1} (error {loss:.4g}, weights that are no numbers): "
                "give a smaller --rate, and another --folder"
            )
        said.append({"pass": number + 1, "error": loss, "held": _error(model, seen, wanted, measured)})
        _keep(checkpoint, model, optimiser, number + 1, said)
        say(said[-1])
    return model, said


def judged(found: torch.Tensor) -> torch.Tensor:
    """The value between -1 and 1, as `evaluator.judged` has it."""
    x = found[:, 0]
    return x * torch.rsqrt(1 + x * x)


def _dropped(seen: torch.Tensor, shape: Shape, course: Course) -> torch.Tensor:
    """Some features left out; the model makes up for them."""
    if not course.dropped:
        return seen
    return torch.where(torch.rand(seen.shape, device=seen.device) < course.dropped, shape.features, seen)


def _step(model: Model, optimiser: Any, seen: list[torch.Tensor], wanted: torch.Tensor) -> torch.Tensor:
    found = model(*seen)
    off = judged(found) - wanted
    loss = (off**2).mean() + SPREAD_SHARE * ((found[:, 1] - off.detach().abs()) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    model.keep_within()
    return (off.detach() ** 2).mean()


@torch.no_grad()
def _error(model: Model, seen: list[torch.Tensor], wanted: torch.Tensor, rows: torch.Tensor) -> float:
    """The mean square of what the value is off by, on games that were held back; NaN if there are none."""
    model.eval()
    found = torch.cat([judged(model(*(x[some] for x in seen))) for some in rows.split(1 << 14)] or [wanted[:0]])
    return float(((found - wanted[rows]) ** 2).mean())


def _keep(checkpoint: Path, model: Model, optimiser: Any, done: int, said: list[dict[str, float]]) -> None:
    unfinished = checkpoint.with_suffix(f".{os.getpid()}.unfinished")
    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "done": done, "said": said}
    torch.save(state, unfinished)
    unfinished.replace(checkpoint)


def _restore(checkpoint: Path, model: Model, optimiser: Any, device: str) -> tuple[int, list[dict[str, float]]]:
    if not checkpoint.exists():
        return 0, []
    try:
        found = torch.load(checkpoint, weights_only=True, map_location=device)
        model.load_state_dict(found["model"])
        optimiser.load_state_dict(found["optimiser"])
        return int(found["done"]), list(found["said"])
    except Exception as error:  # whatever a damaged file makes PyTorch raise
        raise StratagemError(f"{str(checkpoint)!r} cannot be read ({error}); remove it to begin anew") from None
