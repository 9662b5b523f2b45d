"""Training of the Oracle, which needs PyTorch: weights are fitted to the records anew, and a network learns what to add to their
log odds.

Both learn who won, mixed with what the next search said (`TrainingCourse.searched`). The measure is the mean log loss of who
won, on games that were held back, beside that of the engine's own weights, and of the weights fitted anew. The network begins as
one that adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from stratagem.errors import StratagemError
from stratagem.games.minions.engine.fitting import logistic
from stratagem.games.minions.engine.scratch import Reals
from stratagem.games.minions.engine.worth import COUNT, SURE, fitted_weights, unfitted_weights
from stratagem.games.minions.networks.features import ODDS, ODDS_AT, ODDS_STEP
from stratagem.games.minions.networks.oracle import GAME, KIND, MOST_COLUMN, SHAPE, sight_version
from stratagem.games.minions.networks.sights import Sights, all_sights
from stratagem.networks.evaluator import ONE, TOP
from stratagem.networks.plan import TrainingCourse
from stratagem.networks.training import FloatNetwork, Teaching, device_of, optimiser_of, teach, with_some_dropped
from stratagem.networks.weights import Network, save

SPREAD_SHARE = 0.1  # of what is learned: how far off the value is
ROUNDED = 1000  # rows on which whole numbers are compared with floating point
OTHERS_SHARE = 0.3  # of a turn that was not played, beside one that was
Tell = Callable[[str, Mapping[str, Any]], None]

USUAL = TrainingCourse(passes=8, batch=512, rate=2e-3, dropped=0.3, decay=2.0, searched=0.5, held=20)
__all__ = ["USUAL", "prepare", "save", "train"]


def prepare(records: Path, workers: int, tell: Tell) -> None:
    """What training looks at, made over processes."""
    all_sights(records, workers, tell)


def train(records: Path, course: TrainingCourse, checkpoint: Path, tell: Tell, device: str) -> Network:
    """An Oracle from all records below a folder, from its checkpoint if there is one."""
    sights = all_sights(records, 1, tell)
    weights = refitted(sights, course)
    model, said = fitted(sights, weights, course, checkpoint, tell, device_of(device))
    card = {
        "game": GAME,
        "network": KIND,
        "features": sight_version(),
        "weights": weights.tolist(),
        "games": len(np.unique(sights.game)),
        "turns": int(sights.played.sum()),
        "rows": len(sights),
        "passes": said,
    }
    network = model.whole(card)
    card["rounding"] = rounding(model, network, with_odds(sights, sights.x @ weights[:COUNT]))
    return network


def held_back(sights: Sights, course: TrainingCourse) -> NDArray[np.bool_]:
    """Rows of games that nothing is learned from."""
    found: NDArray[np.bool_] = sights.game % course.held == course.held - 1
    return found


def wanted(sights: Sights, course: TrainingCourse) -> Reals:
    """The chance of winning that is learned."""
    value = course.searched * sights.searched + (1 - course.searched) * sights.result
    if not (np.isfinite(value).all() and np.isfinite(sights.x).all()):
        raise StratagemError(
            "a turn to learn from has no finite value: its part is damaged; remove it to play it again"
        )
    return np.clip(0.5 + 0.5 * value.astype(np.float64), 0, 1)


def refitted(sights: Sights, course: TrainingCourse) -> Reals:
    """The weights of the hand-written judgement, fitted to turns that were played; with the engine's own spread."""
    rows = sights.played & ~held_back(sights, course)
    if not rows.any():
        raise StratagemError(f"{len(sights)} turns teach nothing; play more games")
    x = sights.x[rows].astype(np.float64)
    found, _ = logistic(x, wanted(sights, course)[rows], unfitted_weights()[:COUNT])
    return np.append(np.round(found, 4), fitted_weights()[COUNT])


def with_odds(sights: Sights, odds: Reals) -> NDArray[np.int16]:
    """What is seen, padded; what is seen of log odds, each row's last, by these."""
    steps = np.clip(np.floor(odds * ODDS_STEP) + ODDS // 2, 0, ODDS - 1)
    found = sights.padded()
    found[np.arange(len(sights)), sights.count - 1] = ODDS_AT + steps.astype(np.int16)
    return found


def fitted(
    sights: Sights, weights: Reals, course: TrainingCourse, checkpoint: Path, tell: Tell, device: str
) -> tuple[FloatNetwork, list[dict[str, float]]]:
    """Train on rows; what every pass came to."""
    torch.manual_seed(course.seed)
    model = new_model(course).to(device)
    optimiser = optimiser_of(model, course)
    data = Data(sights, weights, course, device)
    teaching = Teaching(
        model,
        optimiser,
        lambda rows, rng: _step(model, optimiser, data, rows, course),
        lambda: measured(model, data),
    )

    def say(news: dict[str, float]) -> None:
        tell("training", {**news, "of": course.passes})

    return model, teach(teaching, data.kept, course, checkpoint, say, device)


class Data:
    """Rows as tensors."""

    def __init__(self, sights: Sights, weights: Reals, course: TrainingCourse, device: str) -> None:
        target, held = wanted(sights, course), held_back(sights, course)
        odds = sights.x @ weights[:COUNT]
        self.kept = np.flatnonzero(~held)
        self.seen = torch.from_numpy(with_odds(sights, odds)).to(device)
        self.odds = torch.from_numpy(odds.astype(np.float32)).to(device)
        self.known = torch.from_numpy((sights.x @ fitted_weights()[:COUNT]).astype(np.float32)).to(device)
        self.won = torch.from_numpy(target.astype(np.float32)).to(device)
        self.result = torch.from_numpy(0.5 + 0.5 * sights.result).to(device)
        self.searched = torch.from_numpy(sights.searched).to(device)
        self.weight = torch.from_numpy(np.where(sights.played, 1.0, OTHERS_SHARE).astype(np.float32)).to(device)
        self.held = torch.from_numpy(np.flatnonzero(held & sights.played)).to(device)


def new_model(course: TrainingCourse) -> FloatNetwork:
    """One that corrects nothing yet."""
    model = FloatNetwork(SHAPE, course.dropped)
    nn.init.zeros_(model.second.weight)
    nn.init.zeros_(model.second.bias)
    return model


def _step(model: FloatNetwork, optimiser: Any, data: Data, rows: torch.Tensor, course: TrainingCourse) -> torch.Tensor:
    found = model(with_some_dropped(data.seen[rows].int(), course.dropped, SHAPE.features))
    odds = data.odds[rows] + found[:, 0]
    each = nn.functional.binary_cross_entropy_with_logits(odds, data.won[rows], reduction="none")
    off = (SURE * torch.tanh(0.5 * odds.detach()) - data.searched[rows]).abs()
    loss = (data.weight[rows] * (each + SPREAD_SHARE * (found[:, 1] - off) ** 2)).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    model.keep_within()
    with torch.no_grad():
        model.columns.weight.clamp_(-MOST_COLUMN / TOP, MOST_COLUMN / TOP)
    return each.detach().mean()


@torch.no_grad()
def measured(model: FloatNetwork, data: Data) -> dict[str, float]:
    """The mean log loss of who won on games held back: with the network, by the weights fitted anew, by the engine's own weights
    and by those at their best scale."""
    rows = data.held
    if not len(rows):
        return {}
    odds, known, won = data.odds[rows], data.known[rows], data.result[rows]
    added = torch.cat([model(data.seen[some].int())[:, 0] for some in rows.split(1 << 14)])

    def loss(z: torch.Tensor) -> float:
        return float(nn.functional.binary_cross_entropy_with_logits(z, won))

    scales = np.geomspace(0.25, 4.0, 33).tolist()
    scaled = min(loss(scale * known) for scale in scales)
    return {"held": loss(odds + added), "weights": loss(odds), "engine": loss(known), "scaled": scaled}


@torch.no_grad()
def rounding(model: FloatNetwork, network: Network, seen: NDArray[np.int16]) -> float:
    """How far the network's whole numbers are from its floating point on average, in log odds: over some rows."""
    model.eval()
    some = seen[:: max(len(seen) // ROUNDED, 1)]
    exact = model(torch.from_numpy(some.astype(np.int64)).to(model.bias.device))[:, 0].cpu().numpy()
    whole = [network.exact([f for f in row if f < SHAPE.features])[0] / ONE for row in some.tolist()]
    return round(float(np.abs(np.array(whole) - exact).mean()), 4)
