"""The drawing of breakthrough. A move is made by pointing at its two squares."""

from __future__ import annotations

from stratagem.drawing import BLACK, LINE, WHITE, label, moving, picture, place, tag
from stratagem.games.boards import cell_name

CELL = 48
EDGE = 30
SQUARES = ("#e8dfcb", "#c9b68d")


def draw(rows: int, columns: int, pieces: list[int], title: str, description: str) -> str:
    def middle(cell: int) -> tuple[float, float]:
        row, column = divmod(cell, columns)
        return EDGE + (column + 0.5) * CELL, 12 + (rows - row - 0.5) * CELL

    content: list[str] = []
    for cell, piece in enumerate(pieces):
        x, y = middle(cell)
        row, column = divmod(cell, columns)
        fill = SQUARES[1 - (row + column) % 2]
        square = tag("rect", x=x - CELL / 2, y=y - CELL / 2, width=CELL, height=CELL, fill=fill, stroke=LINE)
        if piece:
            fill = WHITE if piece == 1 else BLACK
            shown = tag("circle", cx=x, cy=y, r=CELL * 0.32, fill=fill, stroke="#1b1b1b", stroke_width=1.5)
            square += moving(("White", "Black")[piece - 1], shown)
        name = cell_name(row, column)
        content.append(place(name, square, f"{name}, {('empty', 'White', 'Black')[piece]}"))
    for column in range(columns):
        content.append(label(cell_name(0, column)[0], EDGE + (column + 0.5) * CELL, 26 + rows * CELL, 13))
    for row in range(rows):
        content.append(label(str(row + 1), EDGE / 2, 12 + (rows - row - 0.5) * CELL, 13))
    return picture(EDGE + columns * CELL + 12, 42 + rows * CELL, title, f"{title}: {description}", content)
