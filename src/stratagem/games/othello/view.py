"""The drawing of othello: discs on a green board."""

from __future__ import annotations

from stratagem.drawing import BLACK, LINE, WHITE, label, moving, part, picture, spot, tag
from stratagem.games.boards import cell_name

CELL = 48
EDGE = 30


def draw(side: int, discs: list[int], legal: list[int], passing: str, title: str, description: str) -> str:
    content: list[str] = []
    for c, disc in enumerate(discs):
        row, column = divmod(c, side)
        x, y = EDGE + column * CELL, EDGE + row * CELL
        square = tag("rect", x=x, y=y, width=CELL, height=CELL, fill="#3f8f6b", stroke="#2f7d5a")
        middle = {"cx": x + CELL / 2, "cy": y + CELL / 2}
        name = cell_name(row, column)
        if disc:
            fill = BLACK if disc == 1 else WHITE
            shown = tag("circle", **middle, r=CELL * 0.4, fill=fill, stroke="#1b1b1b")
            content.append(spot(name, square + moving(("Black", "White")[disc - 1], shown)))
        elif c in legal:
            content.append(part(name, square, f"{name}, empty"))
        else:
            content.append(spot(name, square))
    for k in range(side):
        content.append(label(chr(97 + k), EDGE + (k + 0.5) * CELL, EDGE / 2, 13))
        content.append(label(str(k + 1), EDGE / 2, EDGE + (k + 0.5) * CELL, 13))
    height = EDGE + side * CELL + 12
    if legal == [side * side]:
        button = tag("rect", x=EDGE, y=height, width=90, height=30, rx=6, fill="#ffffff", stroke=LINE)
        content.append(
            part(passing, button + label(passing, EDGE + 45, height + 15, 14), "pass: no disc can be placed")
        )
        height += 42
    return picture(EDGE + side * CELL + 12, height, title, f"{title}: {description}", content)
