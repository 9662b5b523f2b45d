"""The network of the Death Prophet: its numbers, its file, and whether it fits.

The file is safetensors with a card, read without PyTorch.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.errors import StratagemError
from stratagem.games.minions.networks.encoder import TENSORS, VERSION, Narrow, Shape
from stratagem.games.minions.networks.oracle import SHIPPED as ORACLE
from stratagem.games.minions.networks.oracle import file_named, loaded_once
from stratagem.networks.weights import load_tensors, save_tensors

SCRIPT = "script"
GAME, KIND = "minions", "prophet"
SHIPPED = ORACLE.with_name("prophet.safetensors")


@dataclass(frozen=True, eq=False)
class Vision:
    """A network: its shape, its numbers one tensor behind another, and its card."""

    shape: Shape
    numbers: Narrow
    card: dict[str, Any]

    @classmethod
    def of(cls, shape: Shape, tensors: dict[str, Narrow], card: dict[str, Any], where: str = "the network") -> Vision:
        """A network of these tensors, if their kinds and sizes fit, and all of them are numbers."""
        sizes = shape.sizes()
        if missing := [name for name in TENSORS if name not in tensors]:
            raise StratagemError(f"{where} lacks {', '.join(missing)}")
        for name, size in sizes.items():
            x = tensors[name]
            if x.shape != size or x.dtype != np.float32:
                raise StratagemError(f"{name} in {where} is {x.dtype} of {x.shape}; it should be float32 of {size}")
            if not np.isfinite(x).all():
                raise StratagemError(f"{name} in {where} has entries that are no numbers: train it again")
        return cls(shape, np.concatenate([tensors[name].ravel() for name in sizes]), card)

    def tensors(self) -> dict[str, Narrow]:
        found, at = {}, 0
        for name, size in self.shape.sizes().items():
            found[name] = self.numbers[at : at + int(np.prod(size))].reshape(size)
            at += int(np.prod(size))
        return found


def save(vision: Vision, file: Path) -> None:
    """Write a network; the file appears whole or not at all."""
    own = {"game": GAME, "network": KIND, "version": VERSION, "shape": asdict(vision.shape)}
    save_tensors(vision.tensors(), {**vision.card, **own}, file)


def load(file: Path) -> Vision:
    """Read a network; whatever is wrong with the file is reported."""
    tensors, card = load_tensors(file)
    where = repr(str(file))
    if card.get("game") != GAME or card.get("network") != KIND:
        what = f"{card.get('network', 'network')} of {card.get('game') or 'no game that it names'}"
        raise StratagemError(f"{where} is the {what}; the engine of Minions takes the {KIND} of {GAME}")
    if card.get("version") != VERSION:
        raise StratagemError(
            f"{where} sees version {card.get('version')!r} of what there is to see, and this version of Stratagem shows "
            f"{VERSION}: train it again: stratagem train minions --networks prophet"
        )
    try:
        shape = Shape(**{name: int(x) for name, x in card["shape"].items()})
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StratagemError(f"{where} does not say its shape: {card.get('shape')!r}") from None
    return Vision.of(shape, tensors, card, where)


def vision_of(said: str) -> Vision | None:
    """What the option `prophet` means: `script`, the rules by hand (None); `network`, which comes with the game; or a file."""
    file = file_named("prophet", said, SCRIPT, SHIPPED)
    return None if file is None else loaded_once(load, file)
