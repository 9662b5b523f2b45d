"""A network as numbers and as a file: safetensors, with a card in the header that says what it is and how it was made.

The format is a length, a header of JSON and the numbers, so that it is read here without any library. Columns that fit are
written in 8 bits.

A network is whole numbers: columns of int16, layers of int8, biases of int32. `exact` is its slow and obvious form, which the
kernels equal to the last bit.
"""

from __future__ import annotations

import json
import math
import os
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
POLICY_KINDS = {"policy": np.dtype(np.int8), "policy_bias": np.dtype(np.int32)}  # of a network that has a policy
OUTPUTS = 2  # the value and the spread
CARD = "stratagem"  # under which the card stands in the header
LONGEST_HEADER = 1 << 20  # bytes
MOST = int(np.iinfo(np.int16).max)  # that a sum of columns may come to


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    features: int
    width: int = 32
    hidden: int = 16
    views: int = 2  # 1: through the mover's eyes; 2: through both sides'
    policy: int = 0  # outputs that tell which moves are likely to be good; 0: there are none

    def sizes(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {
            "columns": (1 + self.features, self.width),
            "first": (self.hidden, self.views * self.width),
            "first_bias": (self.hidden,),
            "second": (OUTPUTS, self.hidden),
            "second_bias": (OUTPUTS,),
        }
        if self.policy:
            found |= {"policy": (self.policy, self.views * self.width), "policy_bias": (self.policy,)}
        return found


def shape_of(columns: NDArray[Any], first: NDArray[Any], policy: NDArray[Any] | None = None) -> Shape:
    views = max(first.shape[1] // max(columns.shape[1], 1), 1)
    return Shape(len(columns) - 1, columns.shape[1], len(first), views, 0 if policy is None else len(policy))


def cut(x: NDArray[Any]) -> NDArray[np.int64]:
    """What passes from layer to layer."""
    return np.clip(x, 0, 127).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Network:
    """The numbers of a network, and its card: which game it is for, and how it was made."""

    columns: NDArray[np.int16]  # the bias, then a column for each feature
    first: NDArray[np.int8]
    first_bias: NDArray[np.int32]
    second: NDArray[np.int8]
    second_bias: NDArray[np.int32]
    card: dict[str, Any]
    policy: NDArray[np.int8] | None = None  # from the sums, an output a move; None: value and spread alone
    policy_bias: NDArray[np.int32] | None = None

    @property
    def shape(self) -> Shape:
        return shape_of(self.columns, self.first, self.policy)

    def keeps_within(self, at_once: int) -> bool:
        """Whether no sum of so many columns leaves 16 bits."""
        wide = np.abs(self.columns.astype(np.int64))
        return bool((wide[0] + at_once * wide[1:].max(axis=0, initial=0)).max(initial=0) <= MOST)

    def tensors(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in (*KINDS, *(POLICY_KINDS if self.policy is not None else ()))}

    def exact(self, *seen: list[int]) -> tuple[int, int]:
        """Value and spread before the last function, from the columns that the mover (and the other side) see."""
        wide = self.columns.astype(np.int64)
        inside = cut(np.concatenate([wide[0] + wide[[1 + f for f in on]].sum(axis=0) for on in seen]))
        hidden = cut((self.first.astype(np.int64) @ inside + self.first_bias) // 64)
        value, spread = self.second.astype(np.int64) @ hidden + self.second_bias
        return int(value), int(spread)


def save(network: Network, file: Path) -> None:
    """Write a network; the file appears whole or not at all."""
    tensors = network.tensors()
    columns = tensors["columns"]
    if np.abs(columns.astype(np.int64)).max(initial=0) <= np.iinfo(np.int8).max:
        tensors["columns"] = columns.astype(np.int8)  # half the file
    save_tensors(tensors, network.card, file)


def save_tensors(tensors: dict[str, NDArray[Any]], card: dict[str, Any], file: Path) -> None:
    """Write tensors of whole numbers or float32 with a card; the file appears whole or not at all."""
    entries: dict[str, Any] = {"__metadata__": {CARD: json.dumps({"format": FORMAT, **card}, sort_keys=True)}}
    blocks: list[bytes] = []
    at = 0
    for name, x in tensors.items():
        blocks.append(np.ascontiguousarray(x, x.dtype.newbyteorder("<")).tobytes())
        kind = f"{'F' if x.dtype.kind == 'f' else 'I'}{8 * x.itemsize}"
        entries[name] = {"dtype": kind, "shape": x.shape, "data_offsets": (at, at + len(blocks[-1]))}
        at += len(blocks[-1])
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)  # so that the numbers begin at a whole cell
    unfinished = file.with_suffix(f".{os.getpid()}.unfinished")
    unfinished.write_bytes(len(header).to_bytes(8, "little") + header + b"".join(blocks))
    unfinished.replace(file)


def load(file: Path) -> Network:
    """Read a network; whatever is wrong with the file is reported."""
    tensors, card = load_tensors(file)
    if "columns" in tensors and tensors["columns"].dtype == np.int8:
        tensors["columns"] = tensors["columns"].astype(np.int16)
    return checked(tensors, card, str(file))


def load_tensors(file: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The tensors of a file, and its card; whatever is wrong with the file is reported."""
    where = str(file)
    try:
        content = Path(file).read_bytes()
    except FileNotFoundError:
        raise StratagemError(f"there is no file {where!r}") from None
    except OSError as error:
        raise StratagemError(f"{where!r} cannot be read: {error.strerror}") from None
    try:
        length = int.from_bytes(content[:8], "little")
        if len(content) < 8 + length:
            raise ValueError("it ends in the middle of its header")
        if length > LONGEST_HEADER:
            raise ValueError(f"its header has {length:,} bytes")
        header = json.loads(content[8 : 8 + length])
        card = json.loads(header.pop("__metadata__", {}).get(CARD, "null"))
        tensors = {name: _tensor(content[8 + length :], name, entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StratagemError(f"{where!r} is no whole safetensors file: {error}") from None
    if not isinstance(card, dict):
        raise StratagemError(f"{where!r} has no card: it was not written by `stratagem train`")
    if (found := card.pop("format", None)) != FORMAT:
        raise StratagemError(
            f"{where!r} is written in format {found!r}, and this version of Stratagem reads {FORMAT}: train it again"
        )
    return tensors, card


def _tensor(content: bytes, name: str, entry: dict[str, Any]) -> NDArray[Any]:
    kind = np.dtype({"I8": "<i1", "I16": "<i2", "I32": "<i4", "F32": "<f4"}[entry["dtype"]])
    begin, end = entry["data_offsets"]
    shape = entry["shape"]
    if len(shape) > 4 or not all(isinstance(side, int) and 0 <= side < 1 << 31 for side in (*shape, begin, end)):
        raise ValueError(f"{name} has no sound shape")
    size = kind.itemsize * math.prod(shape)
    if end - begin != size or not 0 <= begin <= end:
        raise ValueError(f"{name} of shape {entry['shape']} stands at {begin} to {end}")
    if end > len(content):
        raise ValueError(f"it ends in the middle of {name}")
    return np.frombuffer(content[begin:end], kind).reshape(shape).astype(kind.newbyteorder("="))


def checked(tensors: dict[str, NDArray[Any]], card: dict[str, Any], where: str) -> Network:
    """A network of these tensors, if their kinds and sizes fit together."""
    if missing := sorted(set(KINDS) - set(tensors)):
        made_for = f"{card.get('network', 'network')} of {card.get('game') or 'no game that it names'}"
        raise StratagemError(f"{where!r}, the {made_for}, is no network of this kind: it lacks {', '.join(missing)}")
    columns, first = tensors["columns"], tensors["first"]
    if columns.ndim != 2 or first.ndim != 2:
        raise StratagemError(f"{where!r} has columns or layers that are no tables")
    kinds = KINDS | (POLICY_KINDS if POLICY_KINDS.keys() & tensors.keys() else {})
    if missing := sorted(set(kinds) - set(tensors)):
        raise StratagemError(f"{where!r} lacks {', '.join(missing)}")
    sizes = shape_of(columns, first, tensors.get("policy")).sizes()
    for name, kind in kinds.items():
        if tensors[name].dtype != kind or tensors[name].shape != sizes[name]:
            raise StratagemError(
                f"{name} in {where!r} is {tensors[name].dtype} of {tensors[name].shape}; it should be {kind} of {sizes[name]}"
            )
    return Network(**{name: tensors[name] for name in kinds}, card=card)
