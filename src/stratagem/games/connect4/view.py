"""The drawing of connect four."""

from __future__ import annotations

from stratagem.drawing import LINE, PAPER, SEAT_COLOURS, label, moving, part, picture, spot, tag

CELL = 48
COLOURS = (PAPER, SEAT_COLOURS[6], SEAT_COLOURS[5])  # empty, Yellow, Red


def draw(stones: list[list[int]], symbols: str, title: str, description: str) -> str:
    width, height = len(stones), len(stones[0])
    content: list[str] = []
    for c, column in enumerate(stones):
        x = 16 + c * CELL
        back = tag("rect", x=x, y=16, width=CELL, height=height * CELL, fill="#27508c")
        discs = "".join(
            spot(f"{symbols[c]}.{r + 1}", _disc(stone, x + CELL / 2, 16 + (height - r - 0.5) * CELL))
            for r, stone in enumerate(column)
        )
        free = column.count(0)
        name = label(symbols[c], x + CELL / 2, 32 + height * CELL, 15)
        group = back + discs + name
        content.append(part(symbols[c], group, f"column {symbols[c]}, {free} free") if free else group)
    return picture(32 + width * CELL, 48 + height * CELL, title, f"{title}, {description}", content)


def _disc(stone: int, x: float, y: float) -> str:
    """A hole, and the stone in it; Red's has a dot, so that colour is never needed."""
    hole = tag("circle", cx=x, cy=y, r=CELL * 0.4, fill=COLOURS[0], stroke=LINE, stroke_width=1.5)
    if not stone:
        return hole
    shown = tag("circle", cx=x, cy=y, r=CELL * 0.4, fill=COLOURS[stone], stroke="#333333", stroke_width=1.5)
    dot = tag("circle", cx=x, cy=y, r=5, fill="#333333") if stone == 2 else ""
    return hole + moving(("Yellow", "Red")[stone - 1], shown + dot)
