"""The drawing of a race: the floor, beams, flags, robots with their facing, and below it what each robot has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stratagem.drawing import BLACK, INK, LINE, SEAT_COLOURS, WHITE, label, moving, named, picture, piece, spot, tag
from stratagem.games.roborally import layout as k
from stratagem.games.roborally.course import ARROWS, PIT, SIDES, STEPS, Course, Space
from stratagem.kernel import State

CELL, EDGE = 36, 16
WIDE, LINE_HIGH, CARD_WIDE, CARD_HIGH = 440, 26, 46, 32  # of what a robot has
FLOOR, EXPRESS, NORMAL, GEAR, REPAIR, HOLE, BEAM = (
    "#efece5",
    "#a9c7e8",
    "#f3dfa2",
    "#d9c2e0",
    "#cfe8cf",
    "#2b2b2b",
    "#d62728",
)
WAYS = ("up", "to the right", "down", "to the left")
EFFECTS = ((6, "U"), (42, ""), (48, "B"), (66, "1"), (78, "2"), (84, "3"))
MEANINGS = {
    "U": "turn around",
    "L": "turn left",
    "R": "turn right",
    "B": "back up",
    "1": "move 1",
    "2": "move 2",
    "3": "move 3",
}


def card_face(card: int) -> str:
    """What a card does, in a sign."""
    if 6 < card <= 42:
        return "L" if card % 2 else "R"
    return next(sign for last, sign in EFFECTS if card <= last)


def meaning(card: int) -> str:
    """What a card does, in words."""
    return MEANINGS[card_face(card)]


def pieces() -> list[tuple[str, str]]:
    """The cards and the elements of the floor with what they do."""
    return [
        ("move 1, 2, 3", "that many squares ahead, pushing whoever is in the way"),
        ("back up", "one square back, facing the same way"),
        ("turn left, right, U-turn", "on the spot"),
        ("number of a card", "its priority: of one register the higher card moves first"),
        ("belt", "carries one square after every register, an express belt two"),
        ("pusher", "pushes one square in the registers that it names"),
        ("gear", "turns whoever stands on it, left or right"),
        ("laser", "one damage for each beam that hits; robots fire ahead, too"),
        ("flag", "to be touched in order at the end of a register; it is a repair and a new start, too"),
        ("wrench", "repairs one damage at the end of the turn"),
        ("pit, edge", "costs a life; the robot starts anew at its last flag with two damage"),
        ("damage", "one card less each; from five on the last registers are locked"),
    ]


def draw(
    course: Course,
    s: State,
    robots: int,
    title: str,
    description: str,
    ground: str | None = None,
    path: Sequence[str] = (),
) -> str:
    """The race as it stands; `ground` is the drawing of the floor where it is there already, `path` what lies on it."""
    width, height = course.size
    content = [ground or "".join(floor(course)), *path, *standing(course, s, robots)]
    columns = max(width * CELL // WIDE, 1)
    y = EDGE + height * CELL + 12.0
    for first in range(0, robots, columns):
        row = [_status(s, p, EDGE + WIDE * (p - first), y) for p in range(first, min(first + columns, robots))]
        content += [shown for shown, _ in row]
        y += max(high for _, high in row) + 8
    return picture(max(width * CELL, WIDE) + 2 * EDGE, y + EDGE / 2, title, description, content)


def _xy(course: Course, x: int, y: int) -> tuple[float, float]:
    left, top = course.corner
    return EDGE + (x - left) * CELL, EDGE + (y - top) * CELL


def floor(course: Course) -> list[str]:
    """Spaces, beams, walls, flags and docks."""
    content = []
    for (x, y), token in course.cells.items():
        at = _xy(course, x, y)
        pusher = course.pushers.get((x, y))
        space, words = _space(at, token, pusher), tile_words(token, pusher)
        content.append(spot(f"{x},{y}", named(space, words) if words else space))
    for x, y, direction, beams in course.lasers:
        content.append(_beam(course, x, y, direction, beams))
    for number, (x, y, _) in enumerate(course.docks):
        left, top = _xy(course, x, y)
        content.append(label(str(number + 1), left + CELL - 8, top + 9, 13, fill="#66625a"))
    for x, y, side in sorted(course.walls):
        if (x, y) in course.cells:
            left, top = _xy(course, x, y)
            corners = ((0, 0, 1, 0), (1, 0, 1, 1), (0, 1, 1, 1), (0, 0, 0, 1))[side]
            x1, y1, x2, y2 = (CELL * c for c in corners)
            content.append(
                tag("line", x1=left + x1, y1=top + y1, x2=left + x2, y2=top + y2, stroke=INK, stroke_width=4)
            )
    for number, (x, y) in enumerate(course.flags):
        left, top = _xy(course, x, y)
        pole = tag("line", x1=left + 9, y1=top + 5, x2=left + 9, y2=top + CELL - 5, stroke=INK, stroke_width=2)
        cloth = tag("path", d=f"M{left + 9} {top + 4}h22l-5 8.5l5 8.5h-22z", fill="#b34700")
        sign = label(str(number + 1), left + 17, top + 12.5, 14, fill="#ffffff", font_weight="bold")
        content.append(named(pole + cloth + sign, f"flag {number + 1}, touched at the end of a register"))
    return content


def tile_words(token: str, pusher: tuple[int, tuple[int, ...]] | None) -> str:
    """What a space does to whoever stands on it; nothing of plain floor."""
    said = []
    if token == PIT:
        said.append("pit, which costs a life")
    elif token[0] in ARROWS and token[1] in "12":
        kind, carried = ("express belt", "two squares") if token[1] == "2" else ("belt", "one square")
        said.append(f"{kind}, carries {carried} {WAYS[ARROWS.index(token[0])]}")
    elif token[0] == "g":
        said.append(f"gear, turns to the {'right' if token[1] == '+' else 'left'}")
    elif token[0] == "w":
        said.append("wrench, repairs a damage at the end of the turn")
    if pusher is not None:
        said.append(f"pusher, pushes {WAYS[pusher[0]]} in registers {', '.join(map(str, pusher[1]))}")
    return "; ".join(said)


def _space(at: tuple[float, float], token: str, pusher: tuple[int, tuple[int, ...]] | None) -> str:
    left, top = at
    colour = {"g": GEAR, "w": REPAIR}.get(token[0], FLOOR)
    if token == PIT:
        colour = HOLE
    belt = token[0] in ARROWS and token[1] in "12"
    if belt:
        colour = EXPRESS if token[1] == "2" else NORMAL
    shown = tag("rect", x=left, y=top, width=CELL, height=CELL, fill=colour, stroke=LINE, stroke_width=0.7)
    centre = (left + CELL / 2, top + CELL / 2)
    if belt:
        turn = f"rotate({90 * ARROWS.index(token[0])} {centre[0]:g} {centre[1]:g})"
        for k_ in range(int(token[1])):
            y = centre[1] + 4 - 8 * k_ if token[1] == "2" else centre[1]
            d = f"M{centre[0] - 7:g} {y + 5:g}l7 -7l7 7"
            shown += tag("path", d=d, fill="none", stroke="#55524c", stroke_width=2, transform=turn)
    elif token[0] == "g":
        shown += label("↻" if token[1] == "+" else "↺", *centre, 22, fill="#5b2a6e")
    elif token[0] == "w":
        shown += label("✚" if token[1] == "1" else "✚✚", *centre, 14, fill="#2a6e3a")
    if pusher is not None:
        shown += label(
            "▲", *centre, 12, fill="#8a5a00", transform=f"rotate({90 * pusher[0]} {centre[0]:g} {centre[1]:g})"
        )
        shown += label("".join(map(str, pusher[1])), left + 12, top + 8, 13, fill="#8a5a00")
    return shown


def _beam(course: Course, x: int, y: int, direction: int, beams: int) -> str:
    dx, dy = STEPS[direction]
    x1, y1 = _xy(course, x, y)
    x2, y2 = _xy(course, *course.ray(x, y, direction)[-1])
    half = CELL / 2
    return tag(
        "line",
        x1=x1 + half - dx * half,
        y1=y1 + half - dy * half,
        x2=x2 + half + dx * half,
        y2=y2 + half + dy * half,
        stroke=BEAM,
        stroke_width=1.5 * beams,
        stroke_dasharray="6 3",
        opacity=0.75,
    )


def standing(course: Course, s: State, robots: int) -> list[str]:
    """The robots on the floor."""
    content = []
    for p in range(robots):
        start = k.ROBOTS + k.ROBOT * p
        if s[k.PHASE] != k.DOCKING and s[start + k.AT] >= 0:
            x, y = course.space(int(s[start + k.AT]))
            facing = int(s[start + k.FACING])
            shown = figure(*_xy(course, x, y), p, facing, bool(s[start + k.DOWN]))
            name = f"robot {'ABCDEFGH'[p]}"
            damage, down = int(s[start + k.DAMAGE]), ", powered down" if s[start + k.DOWN] else ""
            words = f"{name}, faces {WAYS[facing].removeprefix('to the ')}, damage {damage}{down}"
            content.append(moving(name, named(shown, words), 90 * facing))
    return content


def track(course: Course, p: int, start: Space, steps: Sequence[tuple[Space, int, float] | None]) -> list[str]:
    """A way of robot p: for each register the space, the facing and how likely it is; None where it is destroyed."""
    half = CELL / 2
    points = [start, *(step[0] for step in steps if step)]
    line = " ".join(f"{x + half:g},{y + half:g}" for x, y in (_xy(course, *space) for space in points))
    shown = [
        tag(
            "polyline",
            points=line,
            fill="none",
            stroke=SEAT_COLOURS[p],
            stroke_width=5,
            stroke_linejoin="round",
            opacity=0.6,
        )
    ]
    at: dict[Space, list[str]] = {}
    for register, step in enumerate(steps):
        space = step[0] if step else points[-1]
        at.setdefault(space, []).append(f"{register + 1}" if step else f"{register + 1}✕")
        if step:
            x, y = (c + half for c in _xy(course, *space))
            d = f"M{x - 6:g} {y - 9:g}L{x:g} {y - 17:g}L{x + 6:g} {y - 9:g}z"
            turn = f"rotate({90 * step[1]} {x:g} {y:g})"
            shown.append(tag("path", d=d, fill=SEAT_COLOURS[p], opacity=max(step[2], 0.25), transform=turn))
    for space, names in at.items():
        x, y = (c + half for c in _xy(course, *space))
        words = "".join(names)
        shown.append(
            tag(
                "rect",
                x=x - 4 - 4 * len(words),
                y=y - 8,
                width=8 + 8 * len(words),
                height=16,
                rx=8,
                fill="#ffffff",
                stroke=SEAT_COLOURS[p],
                stroke_width=1.5,
            )
        )
        shown.append(label(words, x, y, 11))
    return shown


def figure(left: float, top: float, p: int, facing: int, down: bool) -> str:
    """A robot from above: tracks, a body with two eyes at its front, its letter; a robot that is powered down is pale."""
    x, y = left + CELL / 2, top + CELL / 2
    tracks = "".join(
        tag(
            "rect",
            x=x + side * 11 - 3,
            y=y - 12,
            width=6,
            height=25,
            rx=2,
            fill="#4a4f57",
            stroke=BLACK,
            stroke_width=1,
        )
        for side in (-1, 1)
    )
    body = tag(
        "rect", x=x - 9.5, y=y - 13.5, width=19, height=26, rx=6, fill=SEAT_COLOURS[p], stroke=BLACK, stroke_width=1.5
    )
    front = tag("path", d=f"M{x - 6:g} {y - 13:g}L{x:g} {y - 18:g}L{x + 6:g} {y - 13:g}z", fill=BLACK)
    eyes = "".join(tag("circle", cx=x + side * 4.5, cy=y - 8.5, r=2.2, fill=WHITE, stroke=BLACK) for side in (-1, 1))
    turned = tag(
        "g", front + tracks + body + eyes, transform=f"rotate({90 * facing} {x:g} {y:g})", opacity=0.5 if down else None
    )
    ink = "#ffffff" if p not in (1, 6) else BLACK
    return turned + label("ABCDEFGH"[p], x, y + (2.5, 0, -2.5, 0)[facing], 12.5, fill=ink, font_weight="bold")


COLUMNS = (24, 50, 106, 196, 262)  # of the table of robots: name, flag, damage, lives, and how it stands


def _standing(s: State, a: State) -> list[str]:
    """How a robot stands, in words: the flag it goes to, damage, lives, and the rest; before the docks are drawn it has nothing
    yet."""
    if s[k.PHASE] == k.DOCKING:
        return ["its dock is to be drawn"]
    words = [f"flag {a[k.NEXT]}", f"damage {a[k.DAMAGE]}"]
    # who races without a life left has them without end
    words.append(f"lives {a[k.LIVES]}" if a[k.LIVES] or a[k.STATUS] == k.GONE else "lives without end")
    words += [("", "waiting", "out")[int(a[k.STATUS])]] if a[k.STATUS] else []
    words += ["powered down"] if a[k.DOWN] else []
    return words + (["announced"] if a[k.ANNOUNCED] == 1 else [])


def _status(s: State, p: int, x: float, y: float) -> tuple[str, float]:
    """What a robot has, and how high that is: its registers and its hand as far as there are any."""
    a = s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)]
    shown = tag("rect", x=x, y=y + 3, width=16, height=16, fill=SEAT_COLOURS[p], stroke=INK)
    words = ["ABCDEFGH"[p], *_standing(s, a)]
    said = f"{words[0]}: {', '.join(words[1:])}"
    words = [word.replace("without end", "∞") for word in words]
    cells = [*words[: len(COLUMNS) - 1], ", ".join(words[len(COLUMNS) - 1 :])]
    if s[k.PHASE] == k.DOCKING:
        cells = ["  ".join(words)]
    row = "".join(
        label(text, x + column, y + 11, 16 if len(text) < 14 else 13, "start", font_weight="bold" if not i else None)
        for i, (column, text) in enumerate(zip(COLUMNS, cells, strict=False))
        if text
    )
    shown += tag("g", tag("title", said) + row)
    high = float(LINE_HIGH)
    for cards, edge in ((a[k.REGISTER : k.REGISTER + 5], INK), (a[k.HAND :], LINE)):
        for j, card in enumerate(int(c) for c in cards):
            if card:
                left = x + (CARD_WIDE + 2) * j
                box = tag(
                    "rect", x=left, y=y + high, width=CARD_WIDE, height=CARD_HIGH, rx=4, fill="#ffffff", stroke=edge
                )
                box += _card(card, left, y + high)
                shown += box if edge == INK else piece(str(card), box, f"{card} {meaning(card)}", p)
        high += CARD_HIGH + 4 if any(cards) else 0
    return shown, high


def _card(card: int, left: float, top: float) -> str:
    """What a card does, as an arrow, and its priority."""
    x, y, face = left + 14, top + CARD_HIGH / 2, card_face(card)
    paths = {
        "L": (f"M{x + 6:g} {y + 10:g}v-8q0 -6 -6 -6h-3", f"M{x - 9:g} {y - 4:g}l7 -5v10z"),
        "R": (f"M{x - 6:g} {y + 10:g}v-8q0 -6 6 -6h3", f"M{x + 9:g} {y - 4:g}l-7 -5v10z"),
        "U": (f"M{x - 6:g} {y + 10:g}v-10q0 -6 6 -6t6 6v3", f"M{x + 6:g} {y + 10:g}l-5 -7h10z"),
        "B": (f"M{x:g} {y - 10:g}v12", f"M{x:g} {y + 11:g}l-6 -9h12z"),
    }
    line, head = paths.get(face, (f"M{x:g} {y + 11:g}v-12", f"M{x:g} {y - 12:g}l-6 9h12z"))
    shown = tag("path", d=line, fill="none", stroke=INK, stroke_width=3) + tag("path", d=head, fill=INK)
    if face in "123":
        shown += label(face, x + 9, y + 6, 13, font_weight="bold")
    return tag("g", shown + label(str(card), left + CARD_WIDE - 12, top + CARD_HIGH / 2, 12, fill="#5a5a58"))


def text_art(
    course: Course, s: State, robots: int, phases: Sequence[str], marks: Mapping[Space, str] | None = None
) -> str:
    """The floor in the letters of its grammar, with columns and rows; robots as name and facing, and marks of two letters."""
    (left, top), (width, height) = course.corner, course.size
    there = {}
    for p in range(robots):
        start = k.ROBOTS + k.ROBOT * p
        if s[k.PHASE] != k.DOCKING and s[start + k.AT] >= 0:
            there[course.space(int(s[start + k.AT]))] = "ABCDEFGH"[p] + "^>v<"[int(s[start + k.FACING])]
    rows = [f"{course.name}: turn {int(s[k.TURN])}, {phases[int(s[k.PHASE])]}"]
    rows.append("   " + "".join(f"{x:>2} " for x in range(left, left + width)).rstrip())
    for y in range(top, top + height):
        row = f"{y:>2} "
        for x in range(left, left + width):
            flag = f"F{course.flags.index((x, y)) + 1}" if (x, y) in course.flags else None
            wall = "|" if (x, y, SIDES.index("E")) in course.walls else " "
            row += there.get((x, y)) or (marks or {}).get((x, y)) or flag or course.cells.get((x, y), "  ")
            row += wall
        rows.append(row.rstrip())
    for p in range(robots):
        a = s[k.ROBOTS + k.ROBOT * p : k.ROBOTS + k.ROBOT * (p + 1)]
        cards = [f"{int(c)}={card_face(int(c))}" for c in a[k.HAND :] if c]
        locked = [f"{r + 1}:{int(c)}={card_face(int(c))}" for r, c in enumerate(a[k.REGISTER : k.HAND]) if c]
        row = f"{'ABCDEFGH'[p]}: {', '.join(_standing(s, a))}"
        row += f", locked {' '.join(locked)}" if locked else ""
        rows.append(row + (f", hand {' '.join(cards)}" if cards else ""))
    return "\n".join(rows)
