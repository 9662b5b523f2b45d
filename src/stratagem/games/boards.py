"""Boards with two colours of stone as text: rows with `/` between and the mover after `:`, as in `_X_/_O_/___:X`."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.errors import ParseError

EMPTY = "_-."  # accepted for an empty cell; the first is written


def write_rows(cells: Sequence[int], columns: int, marks: str) -> str:
    """The rows of a board; a cell is an index into `marks`, whose first is the empty cell."""
    text = "".join(marks[x] for x in cells)
    return "/".join(text[i : i + columns] for i in range(0, len(text), columns))


def read_rows(text: str, rows: int, columns: int, marks: str) -> tuple[list[int], int | None]:
    """The cells of a text, row by row, and the seat after the colon or a blank, None where there is none."""
    given = text.strip().upper()
    board, _, mover = given.replace(":", " ").partition(" ")
    mover = mover.strip()
    if mover and mover not in marks[1:]:
        raise ParseError(f"position {text!r} has {mover!r} to move; the sides are {marks[1]} and {marks[2]}")
    found = board.split("/")
    letters = "".join(found)
    for character in letters:
        if character not in EMPTY and character not in marks:
            raise ParseError(f"position {text!r} holds {character!r}; cells are {marks[1]}, {marks[2]} or {EMPTY[0]}")
    if len(letters) != rows * columns or (len(found) > 1 and any(len(row) != columns for row in found)):
        raise ParseError(
            f"position {text!r} has {len(letters)} cells in {len(found)} rows; the board has {rows} rows of {columns}"
        )
    cells = [0 if character in EMPTY else marks.index(character) for character in letters]
    return cells, marks.index(mover) - 1 if mover else None


def cell_name(row: int, column: int) -> str:
    """A letter for the column, then the row's number."""
    return f"{chr(97 + column)}{row + 1}"


def point(column: int, row: int) -> str:
    """A cell as SGF names it: two letters, counted from the top left, capitals from the 27th on."""
    return "".join(chr(97 + k) if k < 26 else chr(65 + k - 26) for k in (column, row))


def read_cell(text: str) -> tuple[int, int]:
    """Row and column of a cell's name, both from 0; (-1, -1) where the text names none."""
    if text[:1].isascii() and text[:1].isalpha() and text[1:].isascii() and text[1:].isdecimal() and len(text) < 5:
        return int(text[1:]) - 1, ord(text[0].lower()) - ord("a")
    return -1, -1


def winning_line(stones: Sequence[int], columns: int, length: int) -> list[int]:
    """The cells of a line of at least `length` stones alike, row by row; none if there is no such line."""
    rows = len(stones) // columns
    for cell, stone in enumerate(stones):
        row, column = divmod(cell, columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = []
            r, c = row, column
            while stone and 0 <= r < rows and 0 <= c < columns and stones[r * columns + c] == stone:
                line.append(r * columns + c)
                r, c = r + down, c + right
            if len(line) >= length:
                return line
    return []


def line_of(cells: Sequence[Sequence[int]], length: int) -> list[tuple[int, int]]:
    """The first row of so many equal stones, upright, level or slanting: its rows and columns; nothing where there is none."""
    rows, columns = len(cells), len(cells[0])
    for r in range(rows):
        for c in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(r + k * down, c + k * right) for k in range(length)]
                inside = all(0 <= y < rows and 0 <= x < columns for y, x in line)
                if inside and cells[r][c] and all(cells[y][x] == cells[r][c] for y, x in line):
                    return line
    return []
