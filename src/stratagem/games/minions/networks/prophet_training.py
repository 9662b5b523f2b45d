"""Training of the prophet, the seer and the general, which needs PyTorch: one network for the three, and its measures.

Each pass over the turns shuffles them anew; a checkpoint after each appears whole or not at all, and a pass is the same after a
stop. Of every twentieth game nothing is learned: there the network is measured beside the script by hand.

    python -m stratagem.games.minions.networks.prophet_training RECORDS --out prophet.safetensors
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from stratagem.errors import StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.networks.encoder import Shape
from stratagem.games.minions.networks.prophet import GAME, KIND, Vision, save
from stratagem.games.minions.networks.prophet_model import (
    MIRROR,
    Batch,
    Model,
    likelihoods,
    losses,
    purse_chances,
    purse_losses,
)
from stratagem.games.minions.networks.targets import CELLS, MOST_BOARDS, Lessons, all_lessons, make_all
from stratagem.networks.plan import TrainingCourse
from stratagem.networks.training import Say, Teaching, device_of, teach

MOST_GRADIENT = 5.0  # its norm is cut to this
USUAL = TrainingCourse(passes=16, batch=512, rate=2e-3, dropped=0.0, decay=0.01, held=20)
Tell = Callable[[str, Mapping[str, Any]], None]
__all__ = ["USUAL", "Model", "learn", "measures", "prepare", "save", "train"]


def prepare(records: Path, workers: int, tell: Tell) -> None:
    """What training looks at, made over processes and kept beside the records."""
    make_all(records, USUAL.held, workers, tell)


def train(records: Path, course: TrainingCourse, checkpoint: Path, tell: Tell, device: str) -> Vision:
    """A network from all records below a folder, from its checkpoint if there is one."""
    began = time.monotonic()
    lessons = all_lessons(records, course.held, 1, tell)
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
    found = {
        name: torch.from_numpy(getattr(lessons, name)).to(device)
        for name in Lessons._fields
        if not name.startswith("script_")
    }
    return {**found, "mirror": torch.from_numpy(MIRROR).to(device)}


def learn(
    lessons: Lessons, shape: Shape, course: TrainingCourse, checkpoint: Path, say: Say, device: str = "cpu"
) -> tuple[Model, list[dict[str, float]]]:
    """Train from the checkpoint if there is one; `say` is called with every pass."""
    for name in ("token", "share", "purses", "weights"):
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
    """On games held back: the network's losses and hits, and those of the script by hand, made into chances by the
    frequencies of these same games, in its favour. A loss is a mean a unit, or a type and hex."""
    held = np.flatnonzero(lessons.game % every == every - 1)
    if not len(held):
        return {}
    model.eval()
    everything = on_device(lessons, device)
    shape, k = model.shape, model.shape.prophecies
    wanted: list[Any] = []
    placed: list[Any] = []
    sums: defaultdict[str, float] = defaultdict(float)
    for begin in range(0, len(held), batch):
        rows = held[begin : begin + batch]
        some = Batch(everything, torch.from_numpy(rows).to(device), False)
        hexes, boards, general = model.on(some)
        ways = likelihoods(shape, hexes, boards, some)
        sums["mixture"] += float(-(some.weights * ways).sum())
        sums["ways"] += float(some.weights.sum())
        chance = torch.softmax(boards[..., :k], dim=-1)[:, :, None]
        enemy = some.stands > layout.TYPES
        p = (torch.sigmoid(torch.where(enemy[..., None], hexes[..., :k], hexes[..., k : 2 * k])) * chance).sum(dim=-1)
        true = (some.weights[..., None] * some.patterns.float()).sum(dim=2)
        fights = some.weights.sum(dim=2) > 0
        script = torch.from_numpy(lessons.script_wish[begin : begin + batch].astype(np.float32))
        for name, which in (("enemy", enemy), ("own", (some.stands > 0) & ~enemy)):
            at = (which & fights[..., None]).cpu()
            wanted.append((name, p.cpu()[at].numpy(), true.cpu()[at].numpy(), script[at].numpy()))
        said = torch.sigmoid(hexes[..., 2 * k :].unflatten(-1, (2, layout.TYPES)).permute(0, 1, 3, 4, 2)).cpu()
        packed = lessons.script_units[begin : begin + batch]
        by_script = np.unpackbits(packed, axis=-1)[:, : MOST_BOARDS * CELLS].reshape(said.shape)
        for kind, name in enumerate(("placed", "ends")):
            at = some.types[:, :, kind].cpu()
            placed.append(
                (
                    name,
                    said[:, :, kind][at].numpy().ravel(),
                    some.units[:, :, kind].cpu()[at].numpy().ravel(),
                    by_script[:, :, kind][at.numpy()].ravel(),
                )
            )
        used = some.there & (some.types[:, :, 0].any(dim=2))
        sums["purses"] += float(used.sum())
        sums["purse loss"] += float(purse_losses(shape, boards, some)[used].sum())
        likely = some.purses.argmax(dim=2)
        sums["purse hit"] += float((purse_chances(shape, boards, some).argmax(dim=2) == likely)[used].sum())
        evenly = torch.from_numpy(lessons.script_purse[begin : begin + batch].astype(np.int64)).to(device)
        sums["even hit"] += float((evenly == likely)[used].sum())
        chose = some.choices.sum(dim=1) > 0
        best = some.choices.argmax(dim=1)
        sums["choices"] += float(chose.sum())
        sums["hit"] += float((general.masked_fill(~some.open, -1e9).argmax(dim=1) == best)[chose].sum())
        by_hand = torch.from_numpy(lessons.script_choice[rows].astype(np.int64)).to(device)
        sums["script hit"] += float((by_hand == best)[chose].sum())
    found: dict[str, float] = {"turns": float(len(held)), "way to fight, nats": sums["mixture"] / max(sums["ways"], 1)}
    names = {"enemy": "removals", "own": "own units that fight", "placed": "placements", "ends": "destinations"}
    for name, reported in names.items():
        mine = [x for x in (*wanted, *placed) if x[0] == name]
        p, true, hand = (np.concatenate([x[i] for x in mine]).astype(np.float64) for i in (1, 2, 3))
        found[f"{reported}, log loss"] = log_loss(p, true)
        found[f"{reported}, log loss of the script"] = log_loss(by_frequency(hand, true), true)
        found[f"{reported}, log loss of their frequency"] = log_loss(true.mean(), true)
    found["the general's choice, share hit"] = sums["hit"] / max(sums["choices"], 1)
    found["the general's choice, share that the script hits"] = sums["script hit"] / max(sums["choices"], 1)
    found["dollars of a board, log loss"] = sums["purse loss"] / max(sums["purses"], 1)
    found["dollars of a board, share hit"] = sums["purse hit"] / max(sums["purses"], 1)
    found["dollars of a board, share that an even split hits"] = sums["even hit"] / max(sums["purses"], 1)
    return found


def main() -> None:
    """What `stratagem train minions --networks prophet` does after self-play, without the command line's libraries."""
    parser = argparse.ArgumentParser(description="Train the prophet, the seer and the general of Minions from records.")
    parser.add_argument("records", type=Path, help="the folder of the parts of self-play")
    parser.add_argument("--out", type=Path, default=Path("prophet.safetensors"))
    parser.add_argument("--passes", type=int, default=USUAL.passes)
    parser.add_argument("--batch", type=int, default=USUAL.batch)
    parser.add_argument("--rate", type=float, default=USUAL.rate)
    parser.add_argument("--seed", type=int, default=USUAL.seed)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()

    def tell(step: str, news: Mapping[str, Any]) -> None:
        print(step, json.dumps(news), flush=True)

    try:
        course = TrainingCourse(
            passes=given.passes, batch=given.batch, rate=given.rate, dropped=0.0, decay=USUAL.decay, seed=given.seed
        )
        prepare(given.records, given.workers, tell)
        found = train(given.records, course, given.out.with_suffix(".pt"), tell, given.device)
    except StratagemError as error:
        sys.exit(str(error))
    found.card["command"] = f"python -m {__spec__.name} {given.records} --passes {given.passes} --seed {given.seed}"
    save(found, given.out)
    print(json.dumps(found.card["measures on games held back"], indent=1))


if __name__ == "__main__":
    main()
