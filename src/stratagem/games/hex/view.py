"""The drawing of hex: a rhombus of hexagons, each edge in the colour of the player who must join it."""

from __future__ import annotations

from math import sqrt

from stratagem.drawing import BLACK, LINE, SEAT_COLOURS, label, moving, part, picture, spot, tag
from stratagem.games.boards import cell_name

RADIUS = 20.0
ACROSS = RADIUS * sqrt(3)
MARGIN = 44.0


def centre(row: float, column: float) -> tuple[float, float]:
    return MARGIN + ACROSS * (column + row / 2 + 0.5), MARGIN + RADIUS * (1.5 * row + 1)


def draw(side: int, stones: list[int], swap: str | None, title: str, description: str) -> str:
    content = [_band(side, seat) for seat in (0, 1)]
    for c, stone in enumerate(stones):
        row, column = divmod(c, side)
        x, y = centre(row, column)
        corners = " ".join(
            f"{x + dx * ACROSS / 2:.1f},{y + dy * RADIUS:.1f}"
            for dx, dy in ((0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5))
        )
        hexagon = tag("polygon", points=corners, fill="#ffffff", stroke=LINE, stroke_width=1.5)
        name = cell_name(row, column)
        if stone == 0:
            content.append(part(name, hexagon, f"{name}, empty"))
            continue
        disc = tag("circle", cx=x, cy=y, r=RADIUS * 0.68, fill=SEAT_COLOURS[stone - 1])
        shown = disc + label("XO"[stone - 1], x, y, 15, fill="#ffffff" if stone == 1 else BLACK)
        content.append(spot(name, hexagon + moving("XO"[stone - 1], shown)))
    for k in range(side):
        x, y = centre(-1, k)
        content.append(label(chr(97 + k), x + ACROSS / 4, y - 3, 17))
        x, y = centre(k, -1)
        content.append(label(str(k + 1), x - 5, y, 17))
    right, bottom = centre(side - 1, side - 1)
    height = bottom + RADIUS + 20
    if swap:
        button = tag("rect", x=MARGIN, y=height - 4, width=150, height=30, rx=6, fill="#ffffff", stroke=LINE)
        text = label("take the stone over", MARGIN + 75, height + 11, 13)
        content.append(part(swap, button + text, "swap: take the first stone over"))
        height += 40
    return picture(right + ACROSS / 2 + 24, height, title, f"{title}: {description}", content)


def _band(side: int, seat: int) -> str:
    """A thick line along both edges of a seat, under the cells."""
    first, last = centre(0, 0), centre(side - 1, side - 1)
    near, far = centre(0, side - 1), centre(side - 1, 0)
    pairs = ((first, near), (far, last)) if seat == 0 else ((first, far), (near, last))
    return "".join(
        tag(
            "line",
            x1=round(a[0], 1),
            y1=round(a[1], 1),
            x2=round(b[0], 1),
            y2=round(b[1], 1),
            stroke=SEAT_COLOURS[seat],
            stroke_width=RADIUS * 2.5,
            stroke_linecap="round",
        )
        for a, b in pairs
    )
