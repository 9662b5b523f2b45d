"""The boards of Skirmish and what kernels ask about their squares: who is near whom, and what lies between."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from stratagem.games.boards import cell_name
from stratagem.games.skirmish.kernels import (
    AROUND,
    BANNERS,
    BESIDE,
    DIRECTIONS,
    FARTHEST,
    GATES,
    LINES,
    NEAR,
    NOWHERE,
    SPRINGS,
    TABLES,
    WALLS,
)
from stratagem.kernel import Ground

PLAIN, BANNER, WALL, SPRING = ".bws"
GATE_SIGNS, TOWER_SIGNS = "12", "Tt"  # of the first side, and of the second

DRAWN = {
    "field": """
        1...w...2
        ..T...t..
        ..s...s..
        .T.....t.
        1...b...2
    """,
    "yard": """
        1..w..2
        ..T.t..
        .T.s.t.
        1..b..2
    """,
    "lane": """
        1.w.s
        T.b.t
        s.w.2
    """,
}


class SkirmishMap:
    """A board by its name."""

    def __init__(self, name: str) -> None:
        rows = DRAWN[name].split()
        self.name, self.rows, self.columns = name, len(rows), len(rows[0])
        self.signs = "".join(rows)
        self.squares = len(self.signs)
        self.names = tuple(cell_name(*divmod(k, self.columns)) for k in range(self.squares))
        self.numbers = {name: k for k, name in enumerate(self.names)}

    def marked(self, sign: str) -> list[int]:
        return [k for k, found in enumerate(self.signs) if found == sign]

    @cached_property
    def gates(self) -> tuple[list[int], list[int]]:
        return self.marked(GATE_SIGNS[0]), self.marked(GATE_SIGNS[1])

    @cached_property
    def towers(self) -> tuple[list[int], list[int]]:
        return self.marked(TOWER_SIGNS[0]), self.marked(TOWER_SIGNS[1])

    def step(self, square: int, across: int, down: int) -> int:
        """The square so many columns and rows on, or NOWHERE."""
        row, column = divmod(square, self.columns)
        inside = 0 <= row + down < self.rows and 0 <= column + across < self.columns
        return (row + down) * self.columns + column + across if inside else NOWHERE

    def offset(self, one: int, other: int) -> tuple[int, int]:
        """Columns and rows from one square to another."""
        return other % self.columns - one % self.columns, other // self.columns - one // self.columns

    def between(self, one: int, other: int) -> list[int]:
        """The squares that the line between two middles crosses, without the two; none for the nearest diagonal.

        A square is crossed where the line passes its inside: its four corners then do not lie on one side of the line.
        """
        across, down = self.offset(one, other)
        if abs(across) == abs(down) == 1:
            return []
        found = []
        for square in range(self.squares):
            x, y = self.offset(one, square)
            if square in (one, other) or not (
                min(0, across) <= x <= max(0, across) and min(0, down) <= y <= max(0, down)
            ):
                continue
            corners = [across * (2 * y + v) - down * (2 * x + u) for u in (-1, 1) for v in (-1, 1)]
            if min(corners) < 0 < max(corners):
                found.append(square)
        return found

    def ground(self) -> Ground:
        """The tables behind the head, which is left for the game to fill in."""
        n = self.squares
        g = np.full(TABLES + (LINES + 2 * n) * n, NOWHERE, np.int64)
        for side in range(2):
            g[GATES + side] = mask(self.gates[side])
        g[BANNERS], g[WALLS], g[SPRINGS] = (mask(self.marked(sign)) for sign in (BANNER, WALL, SPRING))
        for one in range(n):
            apart = [sum(map(abs, self.offset(one, other))) for other in range(n)]
            for d in range(1, FARTHEST + 1):
                g[TABLES + (NEAR + d - 1) * n + one] = mask([k for k in range(n) if 0 < apart[k] <= d])
            g[TABLES + AROUND * n + one] = mask([k for k in range(n) if max(map(abs, self.offset(one, k))) <= 1])
            for k, (across, down) in enumerate(DIRECTIONS):
                g[TABLES + (BESIDE + k) * n + one] = self.step(one, across, down)
            for other in range(n):
                if other != one:
                    across, down = self.offset(one, other)
                    way = (int(np.sign(across)), int(np.sign(down)))
                    g[TABLES + (LINES + one) * n + other] = mask(self.between(one, other))
                    g[TABLES + (LINES + n + one) * n + other] = DIRECTIONS.index(way)
        return g


def mask(squares: list[int]) -> int:
    return sum(1 << square for square in squares)
