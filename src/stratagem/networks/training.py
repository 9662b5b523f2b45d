"""Training: a network in floating point that keeps within what whole numbers can say, and its whole numbers.

Needs PyTorch (the extra `train`); networks play without it. A checkpoint is written after every pass over the positions and
appears whole or not at all, so that training that was stopped goes on from the last pass.
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

from stratagem.errors import OptionError, StratagemError
from stratagem.networks.evaluator import SCALE, TOP
from stratagem.networks.plan import TrainingCourse
from stratagem.networks.selfplay import Positions
from stratagem.networks.weights import Network, Shape

MOST_WEIGHT = 127 / SCALE  # of a layer
MOST_COLUMN = 1.0  # of a column: so two hundred features stay within 16 bits, and files within 8
COLUMNS = "columns.weight"
SPREAD_SHARE = 0.1  # of what is learned: how far off the value is
POLICY_SHARE = 0.2  # of what is learned: which moves a search has looked at most
Say = Callable[[dict[str, float]], None]


class FloatNetwork(nn.Module):
    """The network of `evaluator` in floating point."""

    def __init__(self, shape: Shape, dropped: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropped = shape, dropped
        self.columns = nn.EmbeddingBag(shape.features + 1, shape.width, mode="sum", padding_idx=shape.features)
        self.bias = nn.Parameter(torch.full((shape.width,), 0.3))
        self.first = nn.Linear(shape.views * shape.width, shape.hidden)
        self.second = nn.Linear(shape.hidden, 2)
        self.policy = nn.Linear(shape.views * shape.width, shape.policy) if shape.policy else None
        nn.init.normal_(self.columns.weight, std=0.02)

    def forward(self, *seen: torch.Tensor) -> torch.Tensor:
        """A row a position: value, spread, and the outputs of the policy if there is one."""
        more = 1 / (1 - self.dropped) if self.training else 1.0  # for the features that are left out meanwhile
        sums = [more * self.columns(one) + self.bias for one in seen[: self.shape.views]]
        inside = torch.cat(sums, dim=1).clamp(0, 1)
        found: torch.Tensor = self.second(self.first(inside).clamp(0, 1))
        return found if self.policy is None else torch.cat([found, self.policy(inside)], dim=1)

    @torch.no_grad()
    def keep_within(self) -> None:
        """Weights that whole numbers can say."""
        self.columns.weight.clamp_(-MOST_COLUMN, MOST_COLUMN)
        for layer in (self.first, self.second, *([] if self.policy is None else [self.policy])):
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
            None if self.policy is None else rounded(self.policy.weight, SCALE, np.int8),
            None if self.policy is None else rounded(self.policy.bias, TOP * SCALE, np.int32),
        )


def device_of(name: str) -> str:
    """Where it is computed: `cpu`, `cuda`, or `auto` for a GPU where there is one."""
    if name not in ("auto", "cpu", "cuda"):
        raise OptionError(f"device {name!r} is none of auto, cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise OptionError("PyTorch finds no GPU here; give --device cpu")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


# ------------------------------------------------------------------------------------------------------ any network


@dataclass(frozen=True)
class Teaching:
    """How a network learns from rows, whatever they are."""

    model: nn.Module
    optimiser: torch.optim.Optimizer
    step: Callable[[torch.Tensor, np.random.Generator], torch.Tensor]  # learns from some rows; what they were off by
    measure: Callable[[], dict[str, float]]  # on games that were held back; nothing where none were


def teach(
    teaching: Teaching, kept: Any, course: TrainingCourse, checkpoint: Path, say: Say, device: str
) -> list[dict[str, float]]:
    """Pass over the rows `kept` as often as the course says, from the checkpoint if there is one; what every pass came to."""
    if not len(kept):
        raise StratagemError("all games are held back, and nothing is left to learn from: play more games")
    model, optimiser = teaching.model, teaching.optimiser
    done, said = restore(checkpoint, model, optimiser, device)
    for number in range(done, course.passes):
        torch.manual_seed(course.seed + number)  # whatever was done before: a pass is the same after a stop
        rng = np.random.default_rng((course.seed, number))
        shuffled = torch.from_numpy(rng.permutation(kept)).to(device)
        model.train()
        errors = []
        for k in range(0, len(kept), course.batch):
            for group in optimiser.param_groups:
                group["lr"] = course.rate * (1 - (number + k / len(kept)) / course.passes)
            errors.append(teaching.step(shuffled[k : k + course.batch], rng))
        error = float(torch.stack(errors).mean())
        if not (np.isfinite(error) and all(torch.isfinite(p).all() for p in model.parameters())):
            raise StratagemError(
                f"training went astray in pass {number + 1} (error {error:.4g}, weights that are no numbers): "
                "give a smaller --rate, and another --folder"
            )
        model.eval()
        said.append({"pass": number + 1, "error": error, **teaching.measure()})
        keep(checkpoint, model, optimiser, number + 1, said)
        say(said[-1])
    return said


def keep(checkpoint: Path, model: nn.Module, optimiser: Any, done: int, said: list[dict[str, float]]) -> None:
    unfinished = checkpoint.with_suffix(f".{os.getpid()}.unfinished")
    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "done": done, "said": said}
    torch.save(state, unfinished)
    unfinished.replace(checkpoint)


def restore(checkpoint: Path, model: nn.Module, optimiser: Any, device: str) -> tuple[int, list[dict[str, float]]]:
    if not checkpoint.exists():
        return 0, []
    try:
        found = torch.load(checkpoint, weights_only=True, map_location=device)
        model.load_state_dict(found["model"])
        optimiser.load_state_dict(found["optimiser"])
        return int(found["done"]), list(found["said"])
    except Exception as error:  # whatever a damaged file makes PyTorch raise
        raise StratagemError(f"{str(checkpoint)!r} cannot be read ({error}); remove it to begin anew") from None


def optimiser_of(model: FloatNetwork, course: TrainingCourse) -> torch.optim.Optimizer:
    """Columns decay, so that what was seen once is forgotten."""
    return torch.optim.AdamW(
        [
            {"params": [p for name, p in model.named_parameters() if name == COLUMNS], "weight_decay": course.decay},
            {"params": [p for name, p in model.named_parameters() if name != COLUMNS], "weight_decay": 0.0},
        ],
        lr=course.rate,
    )


def with_some_dropped(seen: torch.Tensor, share: float, features: int) -> torch.Tensor:
    """Some features left out; the model makes up for them."""
    if not share:
        return seen
    return torch.where(torch.rand(seen.shape, device=seen.device) < share, features, seen)


# ------------------------------------------------------------------------------------------------- networks of games


def train(
    positions: Positions, shape: Shape, course: TrainingCourse, checkpoint: Path, say: Say, device: str = "cpu"
) -> tuple[FloatNetwork, list[dict[str, float]]]:
    """Train a network, from its checkpoint if there is one; `say` hears of every pass. Positions name columns, not features."""
    torch.manual_seed(course.seed)
    model = FloatNetwork(shape, course.dropped).to(device)
    optimiser = optimiser_of(model, course)
    target = course.searched * positions.searched + (1 - course.searched) * positions.result
    if not np.isfinite(target).all():
        raise StratagemError(
            "a position to learn from has no finite value: its file is damaged; remove it to play it again"
        )
    seen = [torch.from_numpy(np.where(x < 0, shape.features, x)).to(device) for x in (positions.own, positions.other)]
    wanted = torch.from_numpy(_wanted(target, positions, shape)).to(device)
    held = positions.game % course.held == course.held - 1
    measured = torch.from_numpy(np.flatnonzero(held)).to(device)

    def step(rows: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
        left = [with_some_dropped(x[rows], course.dropped, shape.features) for x in seen]
        return _step(model, optimiser, left, wanted[rows])

    teaching = Teaching(model, optimiser, step, lambda: _errors(model, seen, wanted, measured))
    return model, teach(teaching, np.flatnonzero(~held), course, checkpoint, say, device)


def _wanted(target: Any, positions: Positions, shape: Shape) -> Any:
    """What is to be learned, a row a position: the value, and the share of visits of each output of a policy."""
    value = target.astype(np.float32)[:, None]
    if not shape.policy:
        return value
    if positions.policy is None or positions.policy.shape[1] != shape.policy:
        raise StratagemError(
            f"the games to learn from do not say which of {shape.policy} kinds of moves were looked at"
        )
    return np.concatenate([value, positions.policy.astype(np.float32)], axis=1)


def surprise(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """How unlikely the policy takes the moves that a search has looked at: the cross-entropy. Outputs are likely in proportion to
    exp(2 asinh(x)), as `evaluator.prior` has it."""
    likely = torch.log_softmax(2 * torch.asinh(found[:, 2:]), dim=1)
    return -(wanted[:, 1:] * likely).sum(dim=1).mean()


def judged(found: torch.Tensor) -> torch.Tensor:
    """The value between -1 and 1, as `evaluator.judged` has it."""
    x = found[:, 0]
    return x * torch.rsqrt(1 + x * x)


def _step(model: FloatNetwork, optimiser: Any, seen: list[torch.Tensor], wanted: torch.Tensor) -> torch.Tensor:
    found = model(*seen)
    off = judged(found) - wanted[:, 0]
    loss = (off**2).mean() + SPREAD_SHARE * ((found[:, 1] - off.detach().abs()) ** 2).mean()
    if model.policy is not None:
        loss = loss + POLICY_SHARE * surprise(found, wanted)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    model.keep_within()
    return (off.detach() ** 2).mean()


@torch.no_grad()
def _errors(
    model: FloatNetwork, seen: list[torch.Tensor], wanted: torch.Tensor, rows: torch.Tensor
) -> dict[str, float]:
    """On games that were held back: the mean square of what the value is off by, and the policy's surprise."""
    if not len(rows):
        return {}
    found = torch.cat([model(*(x[some] for x in seen)) for some in rows.split(1 << 14)])
    said = {"held": float(((judged(found) - wanted[rows, 0]) ** 2).mean())}
    return said if model.policy is None else {**said, "policy": float(surprise(found, wanted[rows]))}
