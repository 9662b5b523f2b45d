"""The map: 42 territories in canonical order, 6 continents, 83 edges; read from data/map.json and checked as it is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from stratagem.errors import StratagemError, UnknownName

DATA = files("stratagem.games.risk") / "data"


@dataclass(frozen=True)
class Territory:
    """One territory; its index is its place in every array, bit mask and tie-break."""

    index: int
    id: str
    name: str
    continent: int
    neighbours: tuple[int, ...]  # ascending


@dataclass(frozen=True)
class Continent:
    index: int
    id: str
    name: str
    bonus: int  # armies a turn for the seat that owns all of it
    territories: tuple[int, ...]  # ascending


def _read() -> tuple[tuple[Continent, ...], tuple[Territory, ...], dict[str, int]]:
    data: dict[str, Any] = json.loads((DATA / "map.json").read_text(encoding="utf-8"))
    listed = data["territories"]
    if [entry["index"] for entry in listed] != list(range(len(listed))):
        raise StratagemError("data file map.json: the territories are not in the order of their indices")
    index = {entry["id"]: entry["index"] for entry in listed}
    home = {name: c for c, entry in enumerate(data["continents"]) for name in entry["territories"]}
    territories = tuple(
        Territory(
            entry["index"], entry["id"], entry["name"], home[entry["id"]],
            tuple(sorted(index[name] for name in entry["neighbours"])),
        )
        for entry in listed
    )  # fmt: skip
    continents = tuple(
        Continent(c, entry["id"], entry["name"], entry["bonus"], tuple(sorted(index[t] for t in entry["territories"])))
        for c, entry in enumerate(data["continents"])
    )
    if any(t.index not in territories[n].neighbours for t in territories for n in t.neighbours):
        raise StratagemError("data file map.json: an edge goes one way only")
    known = {_plain(name): t for entry, t in zip(listed, range(len(listed)), strict=True) for name in
             (entry["id"], entry["name"], *data["aliases"].get(entry["id"], ()))}  # fmt: skip
    return continents, territories, known


def _plain(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


CONTINENTS, TERRITORIES, _KNOWN = _read()
COUNT = len(TERRITORIES)
EDGES = tuple((t.index, n) for t in TERRITORIES for n in t.neighbours if t.index < n)
MOST_NEIGHBOURS = max(len(t.neighbours) for t in TERRITORIES)


def territory(text: str) -> int:
    """The index of a territory by its id, name, other printed name, or a beginning that fits only one of them."""
    wanted = _plain(text)
    if wanted in _KNOWN:
        return _KNOWN[wanted]
    fitting = {t for name, t in _KNOWN.items() if wanted and name.startswith(wanted)}
    if len(fitting) == 1:
        return fitting.pop()
    raise UnknownName("territory", text[:40], [TERRITORIES[t].id for t in fitting] or [t.id for t in TERRITORIES])


@cache
def distance(a: int, b: int) -> int:
    """The fewest borders between two territories."""
    seen, reached, steps = {a}, {a}, 0
    while b not in reached:
        reached = {n for t in reached for n in TERRITORIES[t].neighbours} - seen
        seen |= reached
        steps += 1
    return steps
