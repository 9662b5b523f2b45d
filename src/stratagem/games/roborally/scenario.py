"""Scenarios: given programmes on a given floor, run register by register, for course designers and rule lawyers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem.compile import specialise
from stratagem.drawing import label, picture, tag
from stratagem.errors import ParseError
from stratagem.games.roborally import elements, kernels, view
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import PIT, SIDES, Course, read_floor
from stratagem.kernel import State

KEYS = {"cells", "walls", "lasers", "pushers", "flags", "robots", "program", "registers", "cleanup"}
ROBOT_KEYS = {"damage", "lives", "next", "archive", "pd", "locked"}
FRAME_SECONDS = 1.2


@dataclass
class ScenarioOutcome:
    course: Course
    names: list[str]
    frames: list[State]  # the start, and the state after every register
    answer: dict[str, Any]

    def animation(self) -> str:
        """All frames in one SVG that shows them in turn."""
        width, height = self.course.size
        total = FRAME_SECONDS * len(self.frames)
        content = view.floor(self.course)
        for number, s in enumerate(self.frames):
            shown = "".join(view.standing(self.course, s, len(self.names)))
            shown += label("start" if number == 0 else f"register {number}", view.EDGE, 8, 11, "start")
            marks = "0;" + ";".join(f"{(number + j) / len(self.frames):.4f}" for j in (0, 1))
            values = "hidden;visible;hidden"
            if number == 0:
                marks, values = f"0;{1 / len(self.frames):.4f}", "visible;hidden"
            clock = tag(
                "animate",
                attributeName="visibility",
                values=values,
                keyTimes=marks.replace(";1.0000", ";1"),
                calcMode="discrete",
                dur=f"{total:g}s",
                repeatCount="indefinite",
            )
            content.append(tag("g", shown + clock, visibility="visible" if number == 0 else "hidden"))
        size = 2 * view.EDGE
        return picture(
            width * view.CELL + size,
            height * view.CELL + size,
            "RoboRally: a scenario",
            "register by register",
            content,
        )

    def pictures(self) -> list[str]:
        """One SVG a frame."""
        robots = len(self.names)
        return [
            view.draw(self.course, s, robots, f"register {n}" if n else "start", f"frame {n}")
            for n, s in enumerate(self.frames)
        ]


def run(data: Any) -> ScenarioOutcome:
    """Run a scenario; a mistake in it is a ParseError that says what and where."""
    if not isinstance(data, dict):
        raise ParseError("a scenario is an object with cells, robots and program")
    unknown = sorted(set(data) - KEYS)
    if unknown:
        raise ParseError(f"a scenario has no {unknown[0]!r}; it has {', '.join(sorted(KEYS))}")
    course = read_floor({**{"walls": [], "lasers": [], "pushers": [], "flags": []}, **data}, "scenario")
    robots = data.get("robots")
    if not isinstance(robots, dict) or not 1 <= len(robots) <= 8:
        raise ParseError("robots must be an object of 1 to 8 robots: a name, and [x, y, facing, {...}]")
    names = list(robots)
    n = len(names)
    size = k.ROBOTS + k.ROBOT * n
    s = np.zeros(size + k.SCRATCH, np.int64)
    s[k.PHASE] = k.PROGRAMMING
    for p, name in enumerate(names):
        place_robot(course, _cells(s, p), name, robots[name])
        _cells(s, p)[k.DOCK] = p
    spaces = [int(_cells(s, p)[k.AT]) for p in range(n)]
    for p in range(n):
        if spaces[p] in spaces[:p]:
            other = names[spaces.index(spaces[p])]
            raise ParseError(f"robots {other} and {names[p]} stand on one space, {course.space(spaces[p])}")
    registers = load_programmes(data, names, s)
    if not isinstance(data.get("cleanup", False), bool):
        raise ParseError("cleanup is true or false")
    bound = {"SEATS": n, "SIZE": size}
    g = course.ground()
    register = specialise(elements.run_register, bound, target="python")
    frames = [s[:size].copy()]
    winners = 0
    for r in range(registers):
        winners = int(register(g, s, r))
        frames.append(s[:size].copy())
        if winners:
            break
    if data.get("cleanup") and not winners:
        specialise(kernels.clean_up, bound, target="python")(g, s)
    answer: dict[str, Any] = {name: result(course, _cells(s, p)) for p, name in enumerate(names)}
    flags = len(course.flags)
    answer["winner"] = [name for p, name in enumerate(names) if winners and _cells(s, p)[k.NEXT] > flags]
    return ScenarioOutcome(course, names, frames, answer)


def _cells(s: State, p: int) -> State:
    return s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)]


def place_robot(course: Course, a: State, name: str, entry: Any) -> None:
    if name == "winner":
        raise ParseError("a robot may not be called 'winner', which names the winners in the answer")
    if not isinstance(entry, list) or len(entry) not in (3, 4):
        raise ParseError(f"robot {name}: {entry!r} must be [x, y, facing] or [x, y, facing, {{...}}]")
    more = entry[3] if len(entry) == 4 else {}
    if not isinstance(more, dict) or set(more) - ROBOT_KEYS:
        raise ParseError(f"robot {name}: {more!r} may only have {', '.join(sorted(ROBOT_KEYS))}")
    a[k.AT] = _space(course, entry[:2], f"robot {name}")
    if entry[2] not in tuple(SIDES):
        raise ParseError(f"robot {name}: facing {entry[2]!r} is none of N, E, S, W")
    a[k.FACING] = SIDES.index(entry[2])
    a[k.DAMAGE] = damage = _whole(more.get("damage", 0), f"damage of {name}", 0, 9)
    a[k.LIVES] = _whole(more.get("lives", 3), f"lives of {name}", 1, 99)
    a[k.NEXT] = _whole(more.get("next", 1), f"next flag of {name}", 1, max(len(course.flags), 1))
    a[k.ARCHIVE] = _space(course, more["archive"], f"archive of {name}") if "archive" in more else a[k.AT]
    a[k.FELL] = -1
    if not isinstance(more.get("pd", False), bool):
        raise ParseError(f"robot {name}: pd is true or false")
    a[k.DOWN] = more.get("pd", False)
    locked = more.get("locked", {})
    if not isinstance(locked, dict):
        raise ParseError(f"robot {name}: locked maps registers to cards, like {{'5': 50}}")
    open_ = min(k.REGISTERS, k.HAND_SIZE - damage)
    for register, card in locked.items():
        if register not in ("1", "2", "3", "4", "5"):
            raise ParseError(f"robot {name}: there is no register {register!r} to lock; they are '1' to '5'")
        if int(register) <= open_:
            raise ParseError(
                f"robot {name}: register {register} is not locked with {damage} damage, which leaves {open_} registers open"
            )
        a[k.REGISTER + int(register) - 1] = _whole(card, f"locked card of {name}", 1, k.CARDS)


def load_programmes(data: dict[str, Any], names: list[str], s: State) -> int:
    """Cards into registers; how many registers are to be run."""
    programmes = data.get("program")
    if not isinstance(programmes, dict) or set(programmes) != set(names):
        raise ParseError(f"program must give the cards of each robot: {', '.join(names)}")
    lengths = {}
    for p, name in enumerate(names):
        a, cards = _cells(s, p), programmes[name]
        if (cards is None) != bool(a[k.DOWN]):
            raise ParseError(f"robot {name}: the programme is null if and only if it is powered down (pd)")
        if cards is None:
            continue
        if not isinstance(cards, list) or len(cards) > k.REGISTERS:
            raise ParseError(f"robot {name}: a programme is a list of at most {k.REGISTERS} cards")
        lengths[name] = len(cards)
        for r, card in enumerate(cards):
            card = _whole(card, f"card in register {r + 1} of {name}", 1, k.CARDS)
            if a[k.REGISTER + r] not in (0, card):
                raise ParseError(f"robot {name}: register {r + 1} is locked with card {a[k.REGISTER + r]}, not {card}")
            a[k.REGISTER + r] = card
    cards = [int(c) for p in range(len(names)) for c in _cells(s, p)[k.REGISTER : k.HAND] if c]
    for card in cards:
        if cards.count(card) > 1:
            raise ParseError(f"card {card} is there twice, and every card is unique")
    if "registers" in data:
        registers = _whole(data["registers"], "number of registers", 0, k.REGISTERS)
        for name, length in lengths.items():
            if length < registers:
                raise ParseError(
                    f"robot {name}: the programme has {length} cards, and {registers} registers are to be run"
                )
        return registers
    if len(set(lengths.values())) > 1:
        raise ParseError(
            f"the programmes have different lengths, {lengths}; give as many cards to each, or 'registers'"
        )
    return next(iter(lengths.values()), k.REGISTERS)


def result(course: Course, a: State) -> dict[str, Any]:
    alive = bool(a[k.AT] >= 0)
    at = [*course.space(int(a[k.AT])), SIDES[a[k.FACING]]] if alive else None
    open_ = min(k.REGISTERS, k.HAND_SIZE - int(a[k.DAMAGE]))
    locked = {str(r + 1): int(a[k.REGISTER + r]) for r in range(open_, k.REGISTERS) if a[k.REGISTER + r]}
    return {
        "at": at,
        "alive": alive,
        "damage": int(a[k.DAMAGE]),
        "lives": int(a[k.LIVES]),
        "next": int(a[k.NEXT]),
        "archive": list(course.space(int(a[k.ARCHIVE]))),
        "locked": locked,
    }


def _space(course: Course, entry: Any, what: str) -> int:
    if not isinstance(entry, list) or len(entry) != 2 or not all(type(c) is int for c in entry):
        raise ParseError(f"{what}: {entry!r} is no space; one is [x, y]")
    x, y = entry
    if (x, y) not in course.cells:
        raise ParseError(f"{what}: ({x}, {y}) is not on the floor")
    if course.cells[x, y] == PIT:
        raise ParseError(f"{what}: ({x}, {y}) is a pit")
    return course.index(x, y)


def _whole(value: Any, what: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ParseError(f"the {what} is {value!r}; it is a whole number from {low} to {high}")
    return value
