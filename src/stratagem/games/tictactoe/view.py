"""The drawing of tic-tac-toe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.drawing import LINE, SEAT_COLOURS, label, moving, part, picture, spot, tag

CELL = 60


def draw(rows: int, columns: int, marks: NDArray[np.int64], title: str, description: str) -> str:
    content: list[str] = []
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        x, y = 30 + column * CELL, 30 + row * CELL
        name = f"{chr(97 + column)}{row + 1}"
        square = tag("rect", x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2, fill="#ffffff", stroke=LINE, rx=4)
        mark = marks[cell]
        if mark == 0:
            content.append(part(name, square, f"{name}, empty"))
        else:
            shown = moving("XO"[int(mark) - 1], _mark(int(mark), x + CELL / 2, y + CELL / 2))
            content.append(spot(name, square + shown))
    for column in range(columns):
        content.append(label(chr(97 + column), 30 + column * CELL + CELL / 2, 17, 13))
    for row in range(rows):
        content.append(label(str(row + 1), 15, 30 + row * CELL + CELL / 2, 13))
    return picture(40 + columns * CELL, 40 + rows * CELL, title, f"{title}: {description}", content)


def _mark(mark: int, x: float, y: float) -> str:
    r = CELL * 0.28
    if mark == 1:
        path = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x + r:g} {y - r:g}L{x - r:g} {y + r:g}"
        return tag("path", d=path, stroke=SEAT_COLOURS[0], stroke_width=7, stroke_linecap="round", fill="none")
    return tag("circle", cx=x, cy=y, r=r, stroke=SEAT_COLOURS[1], stroke_width=7, fill="none")
