"""The table of items of a draft: a CSV file with one row an item, our own or a site's export (`imports`).

Columns of our own: `name`, `position` (several with `/`: `RB/WR`) and `points` (projected, or any worth) are needed; `adp`
(average draft position, from 1), `sd` (its spread, in picks), `team`, `tier`, `bye`, `status` and
`price` (what it usually costs in an auction) are optional, and others are kept out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from stratagem.errors import ParseError, UnknownName
from stratagem.numbers import real

NEEDED = ("name", "position", "points")
OPTIONAL = ("adp", "sd", "team", "tier", "bye", "status", "price")
SPREAD_SHARE, SPREAD_LEAST = 0.12, 2.0  # of the average position, where a file gives no spread


@dataclass(frozen=True)
class Item:
    """One row."""

    name: str
    positions: tuple[str, ...]
    points: float
    adp: float
    sd: float
    team: str = ""
    tier: int = 0  # 0: none given
    bye: str = ""
    status: str = ""
    price: float = 0.0  # at auctions; 0: none given

    @property
    def position(self) -> str:
        return "/".join(self.positions)


def read_table(path: str | Path) -> tuple[Item, ...]:
    """The items of a CSV file: one of our own in its order, else an export of a site, by average position."""
    try:
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
            header = {cell.strip().lower() for cell in next(csv.reader(file), [])}
            if header.issuperset(NEEDED):
                file.seek(0)
                return parse_table(file, str(path))
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error.strerror or error}") from None
    except csv.Error:
        pass  # the reader of exports says where
    from stratagem.fantasy.merging import import_table  # it makes items, which are defined here

    return import_table(path)


def write_table(items: Sequence[Item], path: str | Path) -> None:
    """Write items as a table of our own."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*NEEDED, *OPTIONAL))
        for i in items:
            tier, price = i.tier or "", f"{i.price:g}" if i.price else ""
            rows.writerow(
                (i.name, i.position, f"{i.points:g}", f"{i.adp:g}", f"{i.sd:g}", i.team, tier, i.bye, i.status, price)
            )


def parse_table(lines: Iterable[str], source: str) -> tuple[Item, ...]:
    rows = csv.reader(lines)
    header = [cell.strip().lower() for cell in next(rows, [])]
    for column in NEEDED:
        if column not in header:
            raise ParseError(
                f"{source}, row 1: there is no column {column!r}; needed are {', '.join(NEEDED)}; "
                f"{', '.join(OPTIONAL)} are optional"
            )
    for column in set(header):
        if header.count(column) > 1:
            raise ParseError(f"{source}, row 1: the column {column!r} is there twice")
    found: list[tuple[int, dict[str, str]]] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            raise ParseError(
                f"{source}, row {rows.line_num}: {len(row)} cells, but the header has {len(header)} columns"
            )
        cells = {column: cell.strip() for column, cell in zip(header, row, strict=False)}
        found.append((rows.line_num, cells))
    if not found:
        raise ParseError(f"{source} has no rows below its header")
    items: list[Item] = []
    seen: dict[str, int] = {}
    points = [_number(source, number, "points", cells.get("points", "")) for number, cells in found]
    by_points = sorted(range(len(found)), key=lambda k: -points[k])
    place = {k: rank + 1 for rank, k in enumerate(by_points)}
    for k, (number, cells) in enumerate(found):
        name = cells.get("name", "")
        if not name:
            raise ParseError(f"{source}, row {number}, column name: it is empty")
        if name.casefold() in seen:
            raise ParseError(f"{source}, row {number}, column name: {name!r} is in row {seen[name.casefold()]} already")
        seen[name.casefold()] = number
        positions = tuple(dict.fromkeys(p.strip().upper() for p in cells.get("position", "").split("/") if p.strip()))
        if not positions:
            raise ParseError(f"{source}, row {number}, column position: it is empty; write RB, or RB/WR for several")
        adp = float(place[k])
        if cells.get("adp"):
            adp = _number(source, number, "adp", cells["adp"])
            if adp < 0:
                raise ParseError(
                    f"{source}, row {number}, column adp: {cells['adp']!r} is below 0; positions start at 1"
                )
        sd = max(SPREAD_LEAST, SPREAD_SHARE * adp)
        if cells.get("sd"):
            sd = _number(source, number, "sd", cells["sd"])
            if sd < 0:
                raise ParseError(f"{source}, row {number}, column sd: {cells['sd']!r} is below 0; a spread is not")
        tier = 0
        if cells.get("tier"):
            if not (cells["tier"].isdecimal() and len(cells["tier"]) < 10):
                raise ParseError(f"{source}, row {number}, column tier: {cells['tier']!r} is not a whole number")
            tier = int(cells["tier"])
        price = _number(source, number, "price", cells["price"]) if cells.get("price") else 0.0
        rest = (cells.get("team", ""), tier, cells.get("bye", ""), cells.get("status", ""), price)
        items.append(Item(name, positions, points[k], adp, sd, *rest))
    return tuple(items)


def _number(source: str, row: int, column: str, text: str) -> float:
    try:
        return real(text)
    except ParseError:
        raise ParseError(f"{source}, row {row}, column {column}: {text!r} is not a number") from None


def find_item(items: Sequence[Item], text: str) -> int:
    """The index of the item that a text means: its name in any case, or a beginning or part of just one name."""
    wanted = " ".join(text.casefold().split())
    if not wanted:
        raise ParseError("no item was named; type a name or a clear part of it")
    names = [item.name.casefold() for item in items]
    if wanted in names:
        return names.index(wanted)
    for fits in (str.startswith, str.__contains__):
        near = [x for x, name in enumerate(names) if fits(name, wanted)]
        if len(near) == 1:
            return near[0]
        if near:
            shown = ", ".join(items[x].name for x in near[:5]) + (", ..." if len(near) > 5 else "")
            raise ParseError(f"{text!r} may be any of {len(near)} items: {shown}; type more of the name")
    close = get_close_matches(wanted, names, n=5, cutoff=0.75)
    raise UnknownName(
        "item", text, [items[names.index(name)].name for name in close] or [item.name for item in items[:5]]
    )
