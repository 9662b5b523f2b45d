"""Courses: floors put together, read from the data file or a file of one's own, checked, and laid out as the ground.

The grammar is that of data/boards.json: rows of two-character tokens, walls on edges, lasers, pushers, docks; a course is a
list of turned boards, and flags in order. Coordinates grow to the east and to the south.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.errors import ParseError, UnknownName
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.lone import LOST, bounds, next_nodes, register_distance
from stratagem.kernel import Ground

SIDES = "NESW"
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
ARROWS = "^>v<"
PLAIN, PIT = "..", "()"

Space = tuple[int, int]


@dataclass
class Course:
    """Everything fixed about a race. Spaces are (x, y) of the course."""

    name: str
    cells: dict[Space, str] = field(default_factory=dict)  # tokens of all spaces; what is not here is outside
    walls: set[tuple[int, int, int]] = field(default_factory=set)  # (x, y, side), both sides of every edge
    lasers: list[tuple[int, int, int, int]] = field(default_factory=list)  # x, y, direction, beams
    pushers: dict[Space, tuple[int, tuple[int, ...]]] = field(default_factory=dict)  # direction, registers
    flags: list[Space] = field(default_factory=list)
    docks: list[tuple[int, int, int]] = field(default_factory=list)  # x, y, facing; in order of number
    players: tuple[int, int] = (2, 8)

    _box: tuple[int, Space, Space] = (0, (0, 0), (0, 0))  # corner and size, for so many spaces

    def _measured(self) -> tuple[int, Space, Space]:
        if self._box[0] != len(self.cells):
            xs, ys = [x for x, _ in self.cells], [y for _, y in self.cells]
            corner = min(xs), min(ys)
            self._box = len(self.cells), corner, (max(xs) - corner[0] + 1, max(ys) - corner[1] + 1)
        return self._box

    @property
    def corner(self) -> Space:
        return self._measured()[1]

    @property
    def size(self) -> tuple[int, int]:
        return self._measured()[2]

    def add_wall(self, x: int, y: int, side: int) -> None:
        """A wall belongs to the edge, so the neighbour has it too."""
        dx, dy = STEPS[side]
        self.walls.add((x, y, side))
        self.walls.add((x + dx, y + dy, (side + 2) % 4))

    def index(self, x: int, y: int) -> int:
        """The number of a space in kernels."""
        (left, top), (width, _) = self.corner, self.size
        return (y - top) * width + x - left

    def space(self, index: int) -> Space:
        (left, top), (width, _) = self.corner, self.size
        return index % width + left, index // width + top

    def ground(self) -> Ground:
        """The layout that the kernels read."""
        width, height = self.size
        n = width * height
        g = np.zeros(k.HEADER + k.PLANES * n + 3 * len(self.lasers) + 2 * 8 + (len(self.flags) + 1) * n, np.int64)
        g[k.SPACES], g[k.WIDTH], g[k.FLAGS], g[k.LASERS] = n, width, len(self.flags), len(self.lasers)
        planes = g[k.HEADER : k.HEADER + k.PLANES * n].reshape(n, k.PLANES)
        planes[:, k.NEAR : k.NEAR + 4] = -1
        planes[:, k.KIND] = k.OUTSIDE
        for (x, y), token in self.cells.items():
            here = planes[self.index(x, y)]
            here[k.KIND] = k.HOLE if token == PIT else k.FLOOR
            here[k.COLUMN] = x - self.corner[0]
            for side, (dx, dy) in enumerate(STEPS):
                if (x + dx, y + dy) in self.cells:
                    here[k.NEAR + side] = self.index(x + dx, y + dy)
                if (x, y, side) in self.walls:
                    here[k.WALLS] |= 1 << side
                here[k.SEES + side] = (len(self.ray(x, y, side)) - 1) * (1 if dx else width)
            if token[0] in ARROWS and token[1] in "12":
                here[k.BELT], here[k.SPEED] = ARROWS.index(token[0]) + 1, int(token[1])
            elif token[0] == "g":
                here[k.GEAR] = 1 if token[1] == "+" else 3
            elif token[0] == "w":
                here[k.REPAIR] = int(token[1])
            if (x, y) in self.pushers:
                direction, registers = self.pushers[x, y]
                here[k.PUSHER] = direction + 1
                here[k.PUSHES] = sum(1 << (r - 1) for r in registers)
        for number, (x, y) in enumerate(self.flags):
            planes[self.index(x, y), k.FLAG] = number + 1
        at = k.HEADER + k.PLANES * n
        g[k.LASERS_AT] = at
        for number, (x, y, direction, beams) in enumerate(self.lasers):
            g[at : at + 3] = self.index(x, y), direction, beams
            at += 3
            for crossed in self.ray(x, y, direction):
                planes[self.index(*crossed), k.BEAMS] |= 1 << number % k.BEAM_BITS
        g[k.DOCKS_AT] = at
        for dock in range(8):
            if dock < len(self.docks):
                x, y, facing = self.docks[dock]
                g[at : at + 2] = self.index(x, y), facing
            at += 2
        g[k.WALK_AT] = at
        for number, flag in enumerate(self.flags):
            g[at + number * n : at + (number + 1) * n] = self._walk(flag)
        g[k.LONE_AT] = len(g)
        nodes = next_nodes(planes)
        g[k.REACH_AT] = g[k.LONE_AT] + nodes.size
        reach = [register_distance(nodes, self.index(*flag)) for flag in self.flags]
        g[k.LEGS_AT] = g[k.REACH_AT] + 4 * n * len(reach)
        legs = self._legs(reach)
        g[k.TURNS_AT] = g[k.LEGS_AT] + len(legs)
        turns = np.full(4 * n * len(reach), -1)
        g[k.BOUNDS_AT] = g[k.TURNS_AT] + len(turns)
        to_go = np.array([way + legs[(k.LEGS - 1) * (len(reach) + 1) + j] for j, way in enumerate(reach)]).reshape(
            -1, 4 * n
        )
        by_registers = bounds(nodes, [self.index(*flag) for flag in self.flags], to_go, 1, LOST)
        unknown = np.full(by_registers.size, -k.FAR * k.FAR)
        return np.concatenate([g, nodes.ravel(), *reach, legs, turns, by_registers.ravel(), unknown]).astype(np.int64)

    def _legs(self, reach: list[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """For each measure, and each flag (from 0): from that flag by all later ones to the last, as far as there is a way."""
        legs = np.zeros((k.LEGS, len(self.flags) + 1), np.int64)
        for j in range(len(self.flags) - 2, -1, -1):
            (x, y), (u, v) = self.flags[j], self.flags[j + 1]
            here = self.index(x, y)
            ways = abs(x - u) + abs(y - v), self._walk((u, v))[here], reach[j + 1][4 * here : 4 * here + 4].min()
            legs[:, j] = legs[:, j + 1] + ways
        return legs.ravel()

    def ray(self, x: int, y: int, direction: int) -> list[Space]:
        """The spaces that a beam crosses, its first one included, to the next wall or the outside."""
        dx, dy = STEPS[direction]
        found = [(x, y)]
        while (*found[-1], direction) not in self.walls and (found[-1][0] + dx, found[-1][1] + dy) in self.cells:
            found.append((found[-1][0] + dx, found[-1][1] + dy))
        return found

    def _walk(self, flag: Space) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Steps to a flag over spaces without pits or walls between; FAR where there is no way."""
        width, height = self.size
        steps = np.full(width * height, k.FAR, np.int64)
        steps[self.index(*flag)] = 0
        edge = [flag]
        while edge:
            following = []
            for x, y in edge:
                for side, (dx, dy) in enumerate(STEPS):
                    near = (x + dx, y + dy)
                    walled = (x, y, side) in self.walls
                    if (
                        near in self.cells
                        and self.cells[near] != PIT
                        and not walled
                        and steps[self.index(*near)] == k.FAR
                    ):
                        steps[self.index(*near)] = steps[self.index(x, y)] + 1
                        following.append(near)
            edge = following
        return steps


# ------------------------------------------------------------------------------------------------------- reading


def read_floor(data: dict[str, Any], name: str) -> Course:
    """A floor in the grammar: `cells`, `walls`, `lasers`, `pushers`, `docks`, `flags`; errors say what is wrong and where."""
    floor = Course(name)
    rows = data.get("cells")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) and row.split() for row in rows):
        raise ParseError(f"{name}: cells must be rows of two-character tokens, such as '.. >1 ()'")
    width = len(rows[0].split())
    for y, row in enumerate(rows):
        tokens = row.split()
        if len(tokens) != width:
            raise ParseError(f"{name}: row {y} has {len(tokens)} spaces; row 0 has {width}")
        for x, token in enumerate(tokens):
            if not _known(token):
                raise ParseError(f"{name}: {token!r} at ({x}, {y}) is {_fault(token)}")
            floor.cells[x, y] = token
    for x, y, sides in _entries(data, "walls", 3, name):
        _inside(floor, x, y, "a wall", name)
        if not isinstance(sides, str) or not sides or set(sides) - set(SIDES):
            raise ParseError(f"{name}: the wall at ({x}, {y}) has sides {sides!r}; they are some of NESW")
        for side in sides:
            floor.add_wall(x, y, SIDES.index(side))
    for x, y, direction, beams in _entries(data, "lasers", 4, name):
        _inside(floor, x, y, "a laser", name)
        if not isinstance(beams, int) or not 1 <= beams <= 9:
            raise ParseError(f"{name}: the laser at ({x}, {y}) has {beams!r} beams; from 1 to 9 can be built")
        floor.lasers.append((x, y, _direction(direction, "laser", x, y, name), beams))
    for x, y, direction, registers in _entries(data, "pushers", 4, name):
        _inside(floor, x, y, "a pusher", name)
        if not isinstance(registers, list) or not registers or not all(r in (1, 2, 3, 4, 5) for r in registers):
            raise ParseError(f"{name}: the pusher at ({x}, {y}) has registers {registers!r}; they are some of 1 to 5")
        floor.pushers[x, y] = _direction(direction, "pusher", x, y, name), tuple(registers)
    for (x, y), token in floor.cells.items():
        if token[0] == "p" and (x, y) not in floor.pushers:
            raise ParseError(
                f"{name}: the pusher at ({x}, {y}) is not in the list of pushers, which gives its registers"
            )
    for number, x, y, facing in sorted(_entries(data, "docks", 4, name)):
        _inside(floor, x, y, f"dock {number}", name)
        floor.docks.append((x, y, _direction(facing, "dock", x, y, name)))
    for entry in data.get("flags", []):
        x, y = _pair(entry, "flag", name)
        _add_flag(floor, x, y, name)
    return floor


def _known(token: str) -> bool:
    if token in (PLAIN, PIT, "g+", "g-", "w1", "w2"):
        return True
    if len(token) != 2:
        return False
    return (token[0] in ARROWS and token[1] in "12") or (token[0] == "p" and token[1] in SIDES)


def _fault(token: str) -> str:
    """Why a token is none, and what would be one."""
    if token[0] in ARROWS or (token[1:].isdigit() and token[0] not in "w.("):
        return "no belt: a belt is its direction, one of ^ > v <, and its speed, 1 or 2, such as '>1'"
    if token[0] == "p":
        return "no pusher: one is pN, pE, pS or pW, by the side it pushes to"
    return "no space: one is '..' floor, '()' pit, '>1' or '>2' belt (^ > v <), 'g+' 'g-' gear, 'w1' 'w2' wrench, 'pN' pusher"


def _entries(data: dict[str, Any], what: str, length: int, name: str) -> list[Any]:
    found = data.get(what, [])
    if not isinstance(found, list):
        raise ParseError(f"{name}: {what} must be a list")
    for entry in found:
        if not isinstance(entry, list) or len(entry) != length or not all(isinstance(n, int) for n in entry[:2]):
            raise ParseError(f"{name}: {entry!r} in {what} must be a list of {length}, numbers of a space first")
    return found


def _pair(entry: Any, what: str, name: str) -> Space:
    if not isinstance(entry, list | tuple) or len(entry) != 2 or not all(isinstance(n, int) for n in entry):
        raise ParseError(f"{name}: the {what} {entry!r} must be [x, y]")
    return entry[0], entry[1]


def _inside(floor: Course, x: int, y: int, what: str, name: str) -> None:
    if (x, y) not in floor.cells:
        raise ParseError(f"{name}: {what} at ({x}, {y}) is not on the floor")


def _direction(text: Any, what: str, x: int, y: int, name: str) -> int:
    if text not in tuple(SIDES):
        raise ParseError(f"{name}: the {what} at ({x}, {y}) has direction {text!r}; it is one of N, E, S, W")
    return SIDES.index(text)


def _add_flag(floor: Course, x: int, y: int, name: str) -> None:
    _inside(floor, x, y, f"flag {len(floor.flags) + 1}", name)
    if floor.cells[x, y] == PIT:
        raise ParseError(f"{name}: flag {len(floor.flags) + 1} at ({x}, {y}) stands in a pit")
    if (x, y) in floor.flags:
        raise ParseError(f"{name}: two flags stand at ({x}, {y})")
    floor.flags.append((x, y))


def turned(floor: Course, quarters: int) -> Course:
    """The floor turned clockwise by quarter turns: (x, y) of a w x h floor goes to (h - 1 - y, x)."""
    for _ in range(quarters % 4):
        _, height = floor.size
        new = Course(floor.name)
        for (x, y), token in floor.cells.items():
            new.cells[height - 1 - y, x] = _turned_token(token)
        new.walls = {(height - 1 - y, x, (side + 1) % 4) for x, y, side in floor.walls}
        new.lasers = [(height - 1 - y, x, (d + 1) % 4, beams) for x, y, d, beams in floor.lasers]
        new.pushers = {(height - 1 - y, x): ((d + 1) % 4, r) for (x, y), (d, r) in floor.pushers.items()}
        new.docks = [(height - 1 - y, x, (d + 1) % 4) for x, y, d in floor.docks]
        new.flags = [(height - 1 - y, x) for x, y in floor.flags]
        floor = new
    return floor


def _turned_token(token: str) -> str:
    if token[0] in ARROWS and token[1] in "12":
        return ARROWS[(ARROWS.index(token[0]) + 1) % 4] + token[1]
    if token[0] == "p":
        return "p" + SIDES[(SIDES.index(token[1]) + 1) % 4]
    return token


def build(data: dict[str, Any], boards: dict[str, Any], name: str) -> Course:
    """A course: turned boards at their places, and flags. Walls on edges that boards share all count."""
    course = Course(name)
    placed = data.get("boards")
    if not isinstance(placed, list) or not placed:
        raise ParseError(f"{name}: boards must be a list of {{board, x, y, rot}}")
    for entry in placed:
        try:
            board, dx, dy, rot = entry["board"], int(entry["x"]), int(entry["y"]), int(entry.get("rot", 0))
        except (KeyError, TypeError, ValueError):
            raise ParseError(f"{name}: {entry!r} is not a board with its place: board, x, y, rot") from None
        if board not in boards:
            raise UnknownName("board", str(board), boards)
        if rot % 90:
            raise ParseError(f"{name}: board {board} is turned by {rot} degrees; it is 0, 90, 180 or 270")
        floor = turned(read_floor(boards[board], f"{name}, board {board}"), rot // 90)
        for (x, y), token in floor.cells.items():
            if (x + dx, y + dy) in course.cells:
                raise ParseError(f"{name}: two boards cover ({x + dx}, {y + dy})")
            course.cells[x + dx, y + dy] = token
        course.walls |= {(x + dx, y + dy, side) for x, y, side in floor.walls}
        course.lasers += [(x + dx, y + dy, d, beams) for x, y, d, beams in floor.lasers]
        course.pushers |= {(x + dx, y + dy): pusher for (x, y), pusher in floor.pushers.items()}
        course.docks += [(x + dx, y + dy, d) for x, y, d in floor.docks]
    for x, y, side in list(course.walls):  # edges between boards
        course.add_wall(x, y, side)
    for flag in data.get("flags", []):
        _add_flag(course, *_pair(flag, "flag", name), name)
    players = data.get("players", [2, 8])
    course.players = (int(players[0]), int(players[1]))
    return course


def validate(course: Course) -> list[str]:
    """What a course designer would want to know: one line a fault, none if the course can be raced on."""
    faults = []
    if not course.flags:
        faults.append(f"{course.name}: there is no flag")
    if len(course.docks) < 2:
        faults.append(f"{course.name}: there are {len(course.docks)} docks; at least 2 robots must start")
    for (x, y), token in sorted(course.cells.items()):
        if token[0] not in ARROWS or token[1] not in "12":
            continue
        side = ARROWS.index(token[0])
        near = (x + STEPS[side][0], y + STEPS[side][1])
        if (x, y, side) in course.walls:
            faults.append(f"{course.name}: the belt at ({x}, {y}) runs into the wall on its {SIDES[side]} side")
        other = course.cells.get(near, PLAIN)
        if other[0] in ARROWS and other[1] in "12" and ARROWS.index(other[0]) == (side + 2) % 4:
            faults.append(f"{course.name}: the belts at ({x}, {y}) and {near} run head-on into each other")
    for (x, y), (direction, _) in sorted(course.pushers.items()):
        if (x, y, (direction + 2) % 4) not in course.walls:
            faults.append(f"{course.name}: the pusher at ({x}, {y}) has no wall behind it")
    for x, y, direction, _ in course.lasers:
        if (x, y, (direction + 2) % 4) not in course.walls:
            faults.append(f"{course.name}: the laser at ({x}, {y}) has no wall behind it")
    for number, flag in enumerate(course.flags):
        steps = course._walk(flag)
        if all(steps[course.index(x, y)] >= k.FAR for x, y, _ in course.docks):
            faults.append(f"{course.name}: flag {number + 1} at {flag} cannot be reached from any dock")
    return faults


@cache
def shipped() -> dict[str, Any]:
    text = files("stratagem.games.roborally").joinpath("data/boards.json").read_text()
    found: dict[str, Any] = json.loads(text)
    return found


def course_names() -> list[str]:
    return [course["name"] for course in shipped()["courses"].values()]


def load_course(name: str) -> Course:
    """A course by its name or id, or from a file in the same grammar: `my_course.json`, or `my_course.json:id`."""
    file, _, wanted = name.partition(":")
    if file.endswith(".json"):
        return _from_file(Path(file), wanted)
    data = shipped()
    for key, course in data["courses"].items():
        if name.lower() in (key, course["name"].lower()):
            return build(course, data["boards"], course["name"])
    raise UnknownName("course", name, course_names())


def _from_file(path: Path, wanted: str) -> Course:
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise ParseError(f"the course file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ParseError(f"the course file {path} is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ParseError(f"the course file {path} must hold an object")
    if "cells" in data:
        course = read_floor(data, path.stem)
    else:
        courses: dict[str, Any] = data.get("courses", {})
        if wanted and wanted not in courses:
            raise UnknownName(f"course in {path}", wanted, courses)
        if not wanted and len(courses) != 1:
            raise ParseError(f"{path} holds {len(courses)} courses; name one as {path}:ID")
        key = wanted or next(iter(courses))
        course = build(courses[key], {**shipped()["boards"], **data.get("boards", {})}, courses[key].get("name", key))
    faults = validate(course)
    if faults:
        raise ParseError(faults[0])
    return course
