"""Rules of connect four on an array of cells, for boards of any size and lines of any length; slower than `kernels.py`."""

from __future__ import annotations

from stratagem.kernel import OVER, Ground, Payoffs, State

# state: [to move or OVER, winner + 1 or 0, stones, height of each column.., cells row by row from the bottom: 0, 1, 2]
TURN, WINNER, STONES, HEIGHTS = 0, 1, 2, 3

# bound for each board
WIDTH, HEIGHT, LINE = 7, 6, 4
BOARD = HEIGHTS + WIDTH


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    n = 0
    for column in range(WIDTH):
        if s[HEIGHTS + column] < HEIGHT:
            n += 1
    return n


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th open column, from the centre outwards."""
    for i in range(WIDTH):
        away = (i + 1) // 2
        column = WIDTH // 2 + (-away if i % 2 else away)
        if s[HEIGHTS + column] < HEIGHT:
            if k == 0:
                return column
            k -= 1
    return -1


def reach(s: State, row: int, column: int, up: int, right: int, stone: int) -> int:
    """How many stones of a colour follow on from a cell in one direction."""
    n = 0
    row += up
    column += right
    while 0 <= row < HEIGHT and 0 <= column < WIDTH and s[BOARD + row * WIDTH + column] == stone and n < LINE - 1:
        n += 1
        row += up
        column += right
    return n


def play(g: Ground, s: State, p: int, m: int) -> None:
    row = s[HEIGHTS + m]
    stone = p + 1
    s[BOARD + row * WIDTH + m] = stone
    s[HEIGHTS + m] += 1
    s[STONES] += 1
    s[TURN] = 1 - p
    if (
        reach(s, row, m, -1, 0, stone) >= LINE - 1
        or reach(s, row, m, 0, 1, stone) + reach(s, row, m, 0, -1, stone) >= LINE - 1
        or reach(s, row, m, 1, 1, stone) + reach(s, row, m, -1, -1, stone) >= LINE - 1
        or reach(s, row, m, 1, -1, stone) + reach(s, row, m, -1, 1, stone) >= LINE - 1
    ):
        s[WINNER] = stone
        s[TURN] = OVER
    elif s[STONES] == WIDTH * HEIGHT:
        s[TURN] = OVER


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 0.0
    if s[WINNER] == 1:
        out[0] = 1.0
    elif s[WINNER] == 2:
        out[0] = -1.0
    out[1] = -out[0]


def left(g: Ground, s: State) -> int:
    return WIDTH * HEIGHT - s[STONES]
