"""The drawing of breakthrough: every legal move is a short arm of its piece, pointing where it goes. A move is made by
pointing at its two squares."""

from __future__ import annotations

from stratagem.drawing import LINE, label, moving, picture, place, tag
from stratagem.games.boards import cell_name

CELL = 48
EDGE = 30
SQUARES = ("#e8dfcb", "#c9b68d")


def draw(
    rows: int, columns: int, pieces: list[int], moves: list[tuple[int, int, str]], title: str, description: str
) -> str:
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
            fill = "#fbfaf7" if piece == 1 else "#1b1b1b"
            shown = tag("circle", cx=x, cy=y, r=CELL * 0.32, fill=fill, stroke="#1b1b1b", stroke_width=1.5)
            square += moving(("White", "Black")[piece - 1], shown)
        name = cell_name(row, column)
        content.append(place(name, square, f"{name}, {('empty', 'White', 'Black')[piece]}"))
    for start, end, text in moves:
        (x1, y1), (x2, y2) = middle(start), middle(end)
        tip_x, tip_y = x1 + 0.4 * (x2 - x1), y1 + 0.4 * (y2 - y1)
        arm = tag(
            "line",
            x1=x1 + 0.25 * (x2 - x1),
            y1=y1 + 0.25 * (y2 - y1),
            x2=tip_x,
            y2=tip_y,
            stroke="#0072b2",
            stroke_width=3,
            stroke_linecap="round",
        )
        tip = tag("circle", cx=tip_x, cy=tip_y, r=5, fill="#d55e00" if "x" in text else "#0072b2")
        content.append(tag("g", arm + tip, pointer_events="none"))
    for column in range(columns):
        content.append(label(cell_name(0, column)[0], EDGE + (column + 0.5) * CELL, 26 + rows * CELL, 13))
    for row in range(rows):
        content.append(label(str(row + 1), EDGE / 2, 12 + (rows - row - 0.5) * CELL, 13))
    return picture(EDGE + columns * CELL + 12, 42 + rows * CELL, title, f"{title}: {description}", content)
