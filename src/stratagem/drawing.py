"""SVG by small pieces: every game's picture has a title and a description for screen readers, one palette that colour-blind
people can tell apart (after Okabe and Ito), escaped text, and no script or outside reference.

`data-part` marks what can be clicked, with the text of that part of a move; `title` children are its labels. `data-id` names
what stays the same thing when it moves, and `data-at` a place, so that pages can animate and mark what a game declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Seats in order; chosen to differ in lightness as well as in hue.
SEAT_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
INK = "#1b1b1b"
PAPER = "#fbfaf7"
WHITE, BLACK = (
    "#fcfbf8",
    "#1c1b1b",
)  # of stones, and of ink on what keeps its colour in the dark: the same by day and by night
LINE = "#b8b2a6"
FONT = "font-family=\"system-ui, 'DejaVu Sans', sans-serif\""


def tag(name: str, content: str | Iterable[str] = "", /, **attributes: object) -> str:
    """An element; `_` in attribute names becomes `-`, values are escaped, None is left out. Content is markup."""
    body = content if isinstance(content, str) else "".join(content)
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{body}</{name}>" if body else f"<{name}{pairs}/>"


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def label(
    text: str, x: float, y: float, size: float = 14, anchor: str = "middle", fill: str = INK, **more: object
) -> str:
    """A line of text centred on y."""
    return tag(
        "text",
        escape(text),
        x=x,
        y=y,
        font_size=size,
        text_anchor=anchor,
        dominant_baseline="central",
        fill=fill,
        **more,
    )


def icon(shape: str, x: float, y: float, size: float, fill: str = INK) -> str:
    """A picture of one colour around a point; its shape is drawn in a square of 24."""
    scale = size / 24
    place = f"translate({x - size / 2:.1f} {y - size / 2:.1f}) scale({scale:.3g})"
    return tag("path", d=shape, fill=fill, fill_rule="evenodd", transform=place)


def card(sign: str, x: float, y: float, size: tuple[float, float], colour: str, open_: bool) -> str:
    """A playing card with a sign on it, pale where it is not open."""
    wide, high = size
    frame = tag(
        "rect",
        x=x,
        y=y,
        width=wide,
        height=high,
        rx=5,
        fill="#ffffff" if open_ else "#efece5",
        stroke=colour,
        stroke_width=3 if open_ else 1.5,
    )
    return frame + (label(sign, x + wide / 2, y + high / 2, 18, fill=INK) if sign else "")


def part(text: str, content: str, describe: str, seat: int | None = None) -> str:
    """A group that can be clicked: `text` is the part of a move that it stands for, `seat` who alone may make it."""
    return tag(
        "g", tag("title", escape(describe)) + content, data_part=text, data_seat=seat, class_="part", cursor="pointer"
    )


def place(text: str, content: str, describe: str) -> str:
    """A group that can be pointed at: it stands for every part of a move that is about it (`Drawing.places`)."""
    return tag("g", tag("title", escape(describe)) + content, data_place=text)


def piece(text: str, content: str, describe: str, seat: int | None = None) -> str:
    """A group that can be picked where a part of a move is written: `text` goes into it, with commas between."""
    return tag("g", tag("title", escape(describe)) + content, data_piece=text, data_seat=seat)


def named(content: str, words: str) -> str:
    """A group that cannot be clicked, and that says what it is to whoever rests on it."""
    return tag("g", tag("title", escape(words)) + content)


def step(entry: int, by: int, x: float, y: float, what: str) -> str:
    """A round button that makes a number of a form (`Form`) larger or smaller."""
    shown = tag("circle", cx=x, cy=y, r=15, fill="#ffffff", stroke=INK) + label("+" if by > 0 else "−", x, y, 18)
    words = f"{what}, one {'more' if by > 0 else 'less'}"
    return tag("g", tag("title", words) + shown, data_entry=entry, data_by=by)


def moving(name: str, content: str, turn: float | None = None) -> str:
    """A group that is the same thing from one drawing to the next, wherever it stands: pages move it there. Things that are
    alike may share a name; each is then the one that was nearest. `turn`: degrees by which its content is turned."""
    return tag("g", content, data_id=name, data_turn=turn)


def spot(name: str, content: str) -> str:
    """A group that marks find by its name (`Mark.places`), and that cannot be clicked."""
    return tag("g", content, data_at=name)


PIPS = {1: "c", 2: "ai", 3: "aci", 4: "agzi", 5: "agczi", 6: "agdfzi"}  # of a die: letters name places of nine
PLACES = {"a": (-1, -1), "g": (1, -1), "c": (0, 0), "d": (-1, 0), "f": (1, 0), "z": (-1, 1), "i": (1, 1)}


def die(face: int, x: float, y: float, size: float = 32.0) -> str:
    """A die from above; faces beyond six are written."""
    box = tag("rect", x=x, y=y, width=size, height=size, rx=size / 6, fill="#ffffff", stroke=INK, stroke_width=1.5)
    middle = (x + size / 2, y + size / 2)
    if face not in PIPS:
        shown = label(str(face), *middle, size * 0.5)
    else:
        shown = "".join(
            tag("circle", cx=middle[0] + size * 0.26 * dx, cy=middle[1] + size * 0.26 * dy, r=size * 0.09, fill=INK)
            for dx, dy in (PLACES[letter] for letter in PIPS[face])
        )
    return tag("g", tag("title", f"a die that shows {face}") + box + shown)


def picture(width: float, height: float, title: str, description: str, content: Iterable[str]) -> str:
    """The whole drawing."""
    body = tag("title", escape(title)) + tag("desc", escape(description))
    body += tag("rect", x=0, y=0, width=width, height=height, fill=PAPER, rx=6)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" {FONT}>{body}{"".join(content)}</svg>'
    )


def text_card(title: str, text: str) -> str:
    """A plain picture for a game that has none of its own: its text, in fixed width."""
    lines = text.splitlines() or [""]
    width = max(240.0, 9.2 * max(len(line) for line in lines) + 32)
    rows = [
        tag(
            "text",
            escape(line),
            x=16,
            y=52 + 20 * k,
            font_size=15,
            font_family="monospace",
            fill=INK,
            xml__space="preserve",
        )
        for k, line in enumerate(lines)
    ]
    rows = [row.replace("xml--space", "xml:space") for row in rows]
    return picture(width, 60.0 + 20 * len(lines), title, text, [label(title, 16, 22, 15, "start"), *rows])


# ----------------------------------------------------------------------------------------------------------- in the dark

KEPT = frozenset({*SEAT_COLOURS[:7], "#ffd75e", WHITE, BLACK})
PAINT = re.compile(r' (fill|stroke)="(#[0-9a-f]{6})"')
ELEMENT = re.compile(r"<(\w+)( [^<>]*)")


def night(svg: str) -> str:
    """Return a drawing in the colours of dark themes: pale grounds become dark ones of the same hue, dark ink becomes pale, the
    colours of seats stay. The pages' `night.js` does the same to what they show."""

    def element(found: re.Match[str]) -> str:
        name = found[1]
        return f"<{name}" + PAINT.sub(lambda paint: f' {paint[1]}="{_nightly(paint[2], name, paint[1])}"', found[2])

    return ELEMENT.sub(element, svg)


def _nightly(colour: str, element: str, use: str) -> str:
    if colour in KEPT:
        return colour
    rgb = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    total = sum(rgb)
    if element == "text":
        if use == "fill" and total < 360:
            return _pale(rgb, total)
        return _dark(rgb, total) if use == "stroke" and total > 450 else colour
    if total > 450:
        return _dark(rgb, total)
    if use == "stroke":
        return _pale(rgb, total) if total < 260 else colour
    if total >= 180 or element in ("circle", "ellipse"):
        return colour
    return "#050607" if element == "rect" else _pale(rgb, total)  # a hole is darker than the floor


def _dark(rgb: Sequence[int], total: int) -> str:
    parts = [(4 * c - 4 * total / 3 + 180 + 3 * (255 - total / 3)) / 6 + (-4, 0, 8)[k] for k, c in enumerate(rgb)]
    return _hexadecimal(parts)


def _pale(rgb: Sequence[int], total: int) -> str:
    return _hexadecimal([236 + (c - total / 3) / 2 - 0.35 * (total / 3) for c in rgb])


def _hexadecimal(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{min(255, max(0, int(c))):02x}" for c in channels)
