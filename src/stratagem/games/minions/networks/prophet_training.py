"""Training of the prophet, which needs PyTorch, and its measures.

Each pass over the turns shuffles them anew; a checkpoint after each appears whole or not at all, and a pass is the same after a
stop. Of every twentieth game nothing is learned: there the network is measured beside the script by hand.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.networks.encoder import Shape
from stratagem.games.minions.networks.kept import Tell
from stratagem.games.minions.networks.prophet import GAME, KIND, Vision, save
from stratagem.games.minions.networks.prophet_model import MIRROR, Batch, Model, likelihoods, losses
from stratagem.games.minions.networks.targets import Lessons, all_lessons
from stratagem.networks.plan import TrainingCourse
from stratagem.networks.training import Say, Teaching, device_of, teach

MOST_GRADIENT = 5.0  # its norm is cut to this
USUAL = TrainingCourse(passes=16, batch=512, rate=2e-3, dropped=0.0, decay=0.01, held=20)
__all__ = ["USUAL", "Model", "learn", "measures", "prepare", "save", "train"]


def prepare(records: Path, workers: int, tell: Tell) -> None:
    """What training looks at, made over processes and kept beside the records."""
    all_lessons(records, workers, tell)


def train(records: Path, course: TrainingCourse, checkpoint: Path, tell: Tell, device: str) -> Vision:
    """A network from all records below a folder, from its checkpoint if there is one."""
    began = time.monotonic()
    lessons = all_lessons(records, 1, tell)
    place, shape = device_of(device), Shape()
    model, said = learn(
        lessons,
        shape,
        course,
        checkpoint,
        lambda news: tell("training of the prophet", {**news, "of": course.passes}),
        place,
    )
    found = measures(model, lessons, course.held, place)
    card = {
        "game": GAME,
        "network": KIND,
        "games": len(np.unique(lessons.game)),
        "turns": len(lessons.game),
        "passes": said,
        "measures on games held back": {name: round(x, 4) for name, x in found.items()},
        "seconds": round(time.monotonic() - began, 1),
        "device": place,
    }
    return Vision.of(shape, model.numbers(), card)


# ----------------------------------------------------------------------------------------------------------- training


def on_device(lessons: Lessons, device: str) -> dict[str, torch.Tensor]:
    found = {name: torch.from_numpy(x).to(device) for name, x in lessons._asdict().items()}
    return {**found, "mirror": torch.from_numpy(MIRROR).to(device)}


def learn(
    lessons: Lessons, shape: Shape, course: TrainingCourse, checkpoint: Path, say: Say, device: str = "cpu"
) -> tuple[Model, list[dict[str, float]]]:
    """Train from the checkpoint if there is one; `say` is called with every pass."""
    for name in ("token", "weights"):
        if not np.isfinite(getattr(lessons, name)).all():
            raise StratagemError(f"a turn to learn from has {name} that are no numbers: its file is damaged; remove it")
    torch.manual_seed(course.seed)
    model = Model(shape).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=course.rate, weight_decay=course.decay)
    everything = on_device(lessons, device)
    held = lessons.game % course.held == course.held - 1
    measured = torch.from_numpy(np.flatnonzero(held)).to(device)

    def step(rows: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
        loss = losses(model, Batch(everything, rows, bool(rng.integers(2))))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), MOST_GRADIENT)
        optimiser.step()
        return loss.detach()

    teaching = Teaching(model, optimiser, step, lambda: held_error(model, everything, measured, course.batch))
    return model, teach(teaching, np.flatnonzero(~held), course, checkpoint, say, device)


@torch.no_grad()
def held_error(model: Model, everything: dict[str, torch.Tensor], rows: torch.Tensor, batch: int) -> dict[str, float]:
    """The mean loss on games that were held back."""
    if not len(rows):
        return {}
    found = [float(losses(model, Batch(everything, some, False))) * len(some) for some in rows.split(batch)]
    return {"held": sum(found) / len(rows)}


# ----------------------------------------------------------------------------------------------------------- measures


def by_frequency(said: Any, true: Any) -> Any:
    """Chances from what a rule says between 0 and 1: the frequencies where it says about the same."""
    kinds = np.rint(50 * said).astype(np.int64)
    return (np.bincount(kinds, true) / np.maximum(np.bincount(kinds), 1))[kinds]


def log_loss(p: Any, true: Any) -> float:
    """The mean of it."""
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return float(-(true * np.log(p) + (1 - true) * np.log(1 - p)).mean())


@torch.no_grad()
def measures(model: Model, lessons: Lessons, every: int, device: str, batch: int = 512) -> dict[str, float]:
    """On games held back: the network's losses, and those of the script by hand, made into chances by the frequencies of these
    same games, in its favour. A loss is a mean a unit."""
    held = np.flatnonzero(lessons.game % every == every - 1)
    if not len(held):
        return {}
    model.eval()
    everything, k = on_device(lessons, device), model.shape.prophecies
    said: dict[str, list[Any]] = {"removals": [], "own units that fight": []}
    mixture = ways = 0.0
    for begin in range(0, len(held), batch):
        some = Batch(everything, torch.from_numpy(held[begin : begin + batch]).to(device), False)
        hexes, boards = model.on(some)
        mixture -= float((some.weights * likelihoods(model.shape, hexes, boards, some)).sum())
        ways += float(some.weights.sum())
        chance = torch.softmax(boards, dim=-1)[:, :, None]
        enemy = some.stands > layout.TYPES
        p = (torch.sigmoid(torch.where(enemy[..., None], hexes[..., :k], hexes[..., k:])) * chance).sum(dim=-1)
        true = (some.weights[..., None] * some.patterns.float()).sum(dim=2)
        fights = (some.weights.sum(dim=2) > 0)[..., None]
        script = everything["script"][torch.from_numpy(held[begin : begin + batch]).to(device)].float()
        for rows, which in zip(said.values(), (enemy, (some.stands > 0) & ~enemy), strict=True):
            rows.append(torch.stack([p, true, script])[:, which & fights].cpu().numpy())
    found = {"turns": float(len(held)), "way to fight, nats": mixture / max(ways, 1.0)}
    for name, rows in said.items():
        mine, true, hand = np.concatenate(rows, axis=1).astype(np.float64)
        found[f"{name}, log loss"] = log_loss(mine, true)
        found[f"{name}, log loss of the script"] = log_loss(by_frequency(hand, true), true)
        found[f"{name}, log loss of their frequency"] = log_loss(true.mean(), true)
    return found
