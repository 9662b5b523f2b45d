"""Hexes and maps. A board is a rhombus of 10 x 10 hexes; `c2` is x = 2, y = 2, and its index is 10 * y + x."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from stratagem.errors import ParseError, StratagemError, UnknownName
from stratagem.games.minions.units import DATA, Unit

WIDTH, HEXES = 10, 100
DIRECTIONS = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))  # W NW NE E SE SW

TILES = {
    ".": "ground", "g": "graveyard", "w": "water", "e": "earthquake", "a": "whirlwind", "f": "firestorm",
    "W": "movable flood", "E": "movable earthquake", "A": "movable whirlwind", "F": "movable firestorm",
    "s": "sorcery node", "t": "teleporter", "z": "zombie spawner", "m": "mist",
}  # fmt: skip
GROUND, GRAVEYARD = ".", "g"


def hex_name(h: int) -> str:
    return f"{chr(97 + h % WIDTH)}{h // WIDTH}"


def hex_index(text: str, where: str = "hex") -> int:
    """The index of a hex's name: a file letter a..j and a rank digit 0..9."""
    if len(text) != 2 or text[0] not in "abcdefghij" or text[1] not in "0123456789":
        raise ParseError(f"{where} {text[:20]!r} is no hex: a letter a..j and a digit 0..9, such as c2")
    return (ord(text[1]) - 48) * WIDTH + ord(text[0]) - 97


def apart(a: int, b: int) -> int:
    """The distance of two hexes."""
    dx, dy = b % WIDTH - a % WIDTH, b // WIDTH - a // WIDTH
    return max(abs(dx), abs(dy), abs(dx + dy))


distance = cache(apart)


@cache
def neighbours(h: int) -> tuple[int, ...]:
    x, y = h % WIDTH, h // WIDTH
    around = ((x + dx, y + dy) for dx, dy in DIRECTIONS)
    return tuple(v * WIDTH + u for u, v in around if 0 <= u < WIDTH and 0 <= v < WIDTH)


def may_enter(unit: Unit, tile: str) -> bool:
    """Whether a type may stand on, end on, pass through and be spawned on a tile. Printed statistics count."""
    kind = tile.lower() if tile in "WEAF" else tile
    if kind == "w":
        return unit.flying
    if kind == "e":
        return unit.speed >= 2
    if kind == "a":
        return unit.persistent
    if kind == "f":
        return unit.defense >= 4
    return True


SYMMETRIES = {
    "rotation180": lambda x, y: (9 - x, 9 - y),
    "antidiagonal": lambda x, y: (9 - y, 9 - x),
    "diagonal": lambda x, y: (y, x),
}  # all keep adjacency; the first two swap the start hexes


@dataclass(frozen=True)
class Map:
    """A map: its tiles, row by row."""

    name: str
    category: str
    tiles: str  # 100 letters, by index

    @property
    def graveyards(self) -> tuple[int, ...]:
        return tuple(h for h, tile in enumerate(self.tiles) if tile == GRAVEYARD)

    @property
    def symmetries(self) -> tuple[str, ...]:
        return tuple(
            name for name in SYMMETRIES if all(self.tiles[mirror(name, h)] == t for h, t in enumerate(self.tiles))
        )

    def foreign(self, tiles: str) -> tuple[str, ...]:
        """The kinds of tile on this map that are not among the given ones."""
        return tuple(TILES[tile] for tile in TILES if tile in self.tiles and tile not in tiles)


def mirror(symmetry: str, h: int) -> int:
    """The image of a hex."""
    x, y = SYMMETRIES[symmetry](h % WIDTH, h // WIDTH)
    return int(y * WIDTH + x)


@cache
def maps() -> dict[str, Map]:
    """All maps by name."""
    found: dict[str, Map] = {}
    data = json.loads((DATA / "maps.json").read_text(encoding="utf-8"))
    for entry in data["maps"]:
        name, rows = entry["name"], entry["rows"]
        if len(rows) != WIDTH or any(len(row) != WIDTH for row in rows):
            raise StratagemError(f"data file maps.json: map {name} is not 10 x 10")
        made = Map(name, entry["category"], "".join(rows))
        if set(made.tiles) - set(TILES):
            raise StratagemError(f"data file maps.json: map {name} has tiles {set(made.tiles) - set(TILES)}")
        if [hex_name(h) for h in made.graveyards] != sorted(entry["graveyards"], key=hex_index):
            raise StratagemError(f"data file maps.json: the graveyards of {name} are not those of its rows")
        if any(n in made.graveyards for h in made.graveyards for n in neighbours(h)):
            raise StratagemError(f"data file maps.json: map {name} has adjacent graveyards")
        if set(made.symmetries) != set(entry["symmetry"]):
            raise StratagemError(f"data file maps.json: the symmetries of {name} are {made.symmetries}")
        found[name] = made
    return found


def map_of(name: str) -> Map:
    if name not in maps():
        raise UnknownName("map", name[:40], maps())
    return maps()[name]
