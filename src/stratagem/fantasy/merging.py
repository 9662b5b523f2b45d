"""Several exports as one table of players: numbers that several files give are averaged, gaps are filled by rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stratagem.fantasy.imports import Export, ExportRow, read_export
from stratagem.fantasy.names import Answers, Doubt, Person, match
from stratagem.fantasy.scoring import FOOTBALL, Scoring, category_points
from stratagem.fantasy.table import SPREAD_LEAST, SPREAD_SHARE, Item


@dataclass
class Merged:
    """Several exports as one table."""

    items: tuple[Item, ...]
    doubts: list[Doubt]
    notes: list[str]
    joined: int  # rows of later files that were found in earlier ones


@dataclass
class _Player:
    """One player, with what each file says of him."""

    entries: list[ExportRow]

    @property
    def person(self) -> Person:
        first = self.entries[0]
        return Person(first.name, first.positions, next((e.team for e in self.entries if e.team), ""))

    def mean(self, name: str) -> float | None:
        values = [value for e in self.entries if (value := getattr(e, name)) is not None]
        return sum(values) / len(values) if values else None

    def first(self, name: str) -> str:
        return next((value for e in self.entries if (value := getattr(e, name))), "")


def merge(exports: Sequence[Export], answers: Answers | None = None, scoring: Scoring | None = None) -> Merged:
    """One table from several exports: numbers that several files give are averaged, doubts are reported."""
    answers = answers or Answers()
    players: list[_Player] = []
    doubts: list[Doubt] = []
    notes: list[str] = []
    joined = 0
    for export in exports:
        found, more = match([p.person for p in players], [e.person for e in export.entries], answers)
        doubts += more
        new = []
        for entry, k in zip(export.entries, found, strict=True):
            if k is None:
                new.append(_Player([entry]))
            else:
                players[k].entries.append(entry)
                joined += 1
        players += new
    points = _points(players, scoring, notes)
    items = _items(players, points)
    return Merged(items, doubts, notes, joined)


def _points(players: Sequence[_Player], scoring: Scoring | None, notes: list[str]) -> list[float]:
    """What each player is worth: from statistics under a scoring, as the files say, or by his rank where none says."""
    if scoring is not None and scoring.categories:
        return category_points([_stats(p) for p in players], scoring.categories)
    found: list[float | None] = []
    scored = 0
    for player in players:
        stats = _stats(player)
        if scoring is not None and any(name.split()[0] in ("pass", "rush", "rec") for name in stats):
            found.append(scoring.points(stats))
            scored += 1
        else:
            found.append(player.mean("points"))
    if scored:
        notes.append(f"points of {scored} players were counted from their statistics, {scoring.describe()}")  # type: ignore[union-attr]
    missing = sum(value is None for value in found)
    if missing:
        notes.append(
            f"{missing} players have no projection: their points are made from their rank, by the usual fall of each "
            "position; give a file of projections for better ones"
            if missing == len(found)
            else f"{missing} players have no projection: they get the points of the next one below them at their position"
        )
    return _filled(players, found)


def _stats(player: _Player) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for entry in player.entries:
        for name, value in entry.stats.items():
            found.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in found.items()}


def _order(player: _Player) -> float:
    """Where a player stands, for those without numbers."""
    return next((x for name in ("rank", "adp") if (x := player.mean(name)) is not None), 1e6)


def _filled(players: Sequence[_Player], points: list[float | None]) -> list[float]:
    filled = list(points)
    for position in {p.person.positions[0] for p in players}:
        members = [k for k, p in enumerate(players) if p.person.positions[0] == position]
        known = sorted((x for k in members if (x := points[k]) is not None), reverse=True)
        ranked = sorted((k for k in members if points[k] is None), key=lambda k: _order(players[k]))
        if not known:
            for place, k in enumerate(ranked):
                filled[k] = round(FOOTBALL.usual(position, place), 1)
            continue
        stated = [(_order(players[k]), x) for k in members if (x := points[k]) is not None]
        for k in ranked:
            here = _order(players[k])
            filled[k] = max((x for order, x in stated if order >= here), default=known[-1] * 0.95)
    return [x if x is not None else 0.0 for x in filled]


def _items(players: Sequence[_Player], points: Sequence[float]) -> tuple[Item, ...]:
    places: list[float] = []
    for player in players:
        adp = player.mean("adp")
        places.append(adp if adp is not None else math.inf)
    listed = sum(math.isfinite(x) for x in places)
    # who has no average position comes behind those who have one, by rank and then by points
    rest = sorted(
        (k for k, x in enumerate(places) if not math.isfinite(x)), key=lambda k: (_order(players[k]), -points[k], k)
    )
    behind = max((x for x in places if math.isfinite(x)), default=0.0)
    for place, k in enumerate(rest):
        rank = _order(players[k])
        places[k] = float(place + 1) if not listed else max(rank if rank < 1e6 else 0.0, behind + place + 1)
    items = []
    names: set[str] = set()
    for player, value, adp in zip(players, points, places, strict=True):
        person = player.person
        name = (
            person.name
            if person.name.casefold() not in names
            else f"{person.name} ({person.club or person.positions[0]})"
        )
        names.add(name.casefold())
        spreads = [e.adp for e in player.entries if e.adp is not None]
        sd = player.mean("sd")
        if sd is None:
            apart = max(spreads) - min(spreads) if len(spreads) > 1 else 0.0
            sd = max(SPREAD_LEAST, SPREAD_SHARE * adp, apart / 2)
        items.append(
            Item(
                name,
                person.positions,
                round(value, 2),
                round(adp, 2),
                round(max(sd, 0.5), 2),
                person.club,
                next((e.tier for e in player.entries if e.tier), 0),
                player.first("bye"),
                player.first("status"),
                round(player.mean("price") or 0.0, 2),
            )
        )
    order = sorted(range(len(items)), key=lambda k: (items[k].adp, -items[k].points, k))
    return tuple(items[k] for k in order)


def import_table(path: str | Path) -> tuple[Item, ...]:
    """One export as a table, for commands that take a file."""
    return merge([read_export(path)]).items
