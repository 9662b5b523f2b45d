"""A network as numbers and as a file: safetensors, with a card in the header that says what it is and how it was made.

A network is whole numbers: columns of int16, layers of int8, biases of int32. `exact` is its slow and obvious form, which the
kernels equal to the last bit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import StratagemError

FORMAT = 1  # of the file
KINDS = {
    "columns": np.dtype(np.int16),
    "first": np.dtype(np.int8),
    "first_bias": np.dtype(np.int32),
    "second": np.dtype(np.int8),
    "second_bias": np.dtype(np.int32),
}
OUTPUTS = 2  # the value and the spread


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    features: int
    width: int = 32
    hidden: int = 16
    views: int = 2  # 1: through the mover's eyes; 2: through both sides'

    def sizes(self) -> dict[str, tuple[int, ...]]:
        return {
            "columns": (1 + self.features, self.width),
            "first": (self.hidden, self.views * self.width),
            "first_bias": (self.hidden,),
            "second": (OUTPUTS, self.hidden),
            "second_bias": (OUTPUTS,),
        }


def shape_of(columns: NDArray[Any], first: NDArray[Any]) -> Shape:
    return Shape(len(columns) - 1, columns.shape[1], len(first), max(first.shape[1] // max(columns.shape[1], 1), 1))


@dataclass(frozen=True, eq=False)
class Network:
    """The numbers of a network, and its card."""

    columns: NDArray[np.int16]  # the bias, then a column for each feature
    first: NDArray[np.int8]
    first_bias: NDArray[np.int32]
    second: NDArray[np.int8]
    second_bias: NDArray[np.int32]
    card: dict[str, Any]

    @property
    def shape(self) -> Shape:
        return shape_of(self.columns, self.first)

    def tensors(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in KINDS}

    def exact(self, *seen: list[int]) -> tuple[int, int]:
        """Value and spread before the last function, from the features that the mover (and the other side) see."""

        def cut(x: NDArray[Any]) -> NDArray[np.int64]:
            return np.clip(x, 0, 127).astype(np.int64)

        wide = self.columns.astype(np.int64)
        sums = [wide[0] + wide[[1 + f for f in on]].sum(axis=0) for on in seen]
        if any(abs(x).max() > np.iinfo(np.int16).max for x in sums):
            raise StratagemError("a sum of the network's first layer leaves 16 bits: its columns are too large")
        inside = cut(np.concatenate(sums))
        hidden = cut((self.first.astype(np.int64) @ inside + self.first_bias) // 64)
        value, spread = self.second.astype(np.int64) @ hidden + self.second_bias
        return int(value), int(spread)


def save(network: Network, file: Path) -> None:
    from safetensors.numpy import save_file

    header = {"stratagem": json.dumps({"format": FORMAT, **network.card}, sort_keys=True)}
    save_file({name: np.ascontiguousarray(x) for name, x in network.tensors().items()}, file, metadata=header)


def load(file: Path) -> Network:
    """Read a network; whatever is wrong with the file is told."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as opened:
            header = (opened.metadata() or {}).get("stratagem")
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
    except FileNotFoundError:
        raise StratagemError(f"there is no file {str(file)!r}") from None
    except (SafetensorError, OSError) as error:
        raise StratagemError(f"{str(file)!r} is no whole safetensors file: {error}") from None
    if header is None:
        raise StratagemError(f"{str(file)!r} has no card: it was not written by `stratagem train`")
    card = json.loads(header)
    if card.pop("format", None) != FORMAT:
        raise StratagemError(f"{str(file)!r} was written by another version of Stratagem: train it again")
    return checked(tensors, card, str(file))


def checked(tensors: dict[str, NDArray[Any]], card: dict[str, Any], where: str) -> Network:
    """A network of these tensors, if their kinds and sizes fit together."""
    if missing := sorted(set(KINDS) - set(tensors)):
        raise StratagemError(f"{where!r} lacks {', '.join(missing)}")
    columns, first = tensors["columns"], tensors["first"]
    if columns.ndim != 2 or first.ndim != 2:
        raise StratagemError(f"{where!r} has columns or layers that are no tables")
    sizes = shape_of(columns, first).sizes()
    for name, kind in KINDS.items():
        if tensors[name].dtype != kind or tensors[name].shape != sizes[name]:
            raise StratagemError(
                f"{name} in {where!r} is {tensors[name].dtype} of {tensors[name].shape}; it should be {kind} of {sizes[name]}"
            )
    return Network(**{name: tensors[name] for name in KINDS}, card=card)
