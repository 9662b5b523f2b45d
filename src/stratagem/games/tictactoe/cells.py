"""Rules of the (m,n,k) game on an array of cells, for boards of any size; slower than the bitboards of `kernels.py`."""

from __future__ import annotations

from stratagem.games.tictactoe.kernels import order as order  # the same on every board
from stratagem.kernel import OVER, Ground, Moves, Payoffs, State
from stratagem.rng import Rng, below

# state: [to move or OVER, winner + 1 or 0, marks made, cell 0 .. CELL_COUNT-1 row by row: 0 empty, 1 X, 2 O]
TURN, WINNER, MARKS, BOARD = 0, 1, 2, 3

# bound for each board
ROWS, COLUMNS, LINE, CELL_COUNT = 3, 3, 3, 9


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return CELL_COUNT - s[MARKS]


def move(g: Ground, s: State, p: int, k: int) -> int:
    """The k-th empty cell in reading order."""
    for cell in range(CELL_COUNT):
        if s[BOARD + cell] == 0:
            if k == 0:
                return cell
            k -= 1
    return -1


def moves(g: Ground, s: State, p: int, out: Moves) -> int:
    n = 0
    for cell in range(CELL_COUNT):
        out[n] = cell
        if s[BOARD + cell] == 0:
            n += 1
            if n == CELL_COUNT - s[MARKS]:
                break
    return n


def sample(g: Ground, s: State, p: int, r: Rng) -> int:
    """Cells are drawn until one is empty, while at least a quarter are; then counted."""
    if 4 * (CELL_COUNT - s[MARKS]) >= CELL_COUNT:
        while True:
            cell = below(r, CELL_COUNT)
            if s[BOARD + cell] == 0:
                return cell
    return move(g, s, p, below(r, CELL_COUNT - s[MARKS]))


def reach(s: State, row: int, column: int, down: int, right: int, mark: int) -> int:
    """How many cells of a mark follow on from a cell in one direction."""
    n = 0
    row += down
    column += right
    while 0 <= row < ROWS and 0 <= column < COLUMNS and s[BOARD + row * COLUMNS + column] == mark and n < LINE:
        n += 1
        row += down
        column += right
    return n


def wins(s: State, cell: int, mark: int) -> bool:
    """Whether a mark on a cell is part of a line."""
    row = cell // COLUMNS
    column = cell % COLUMNS
    if reach(s, row, column, 0, 1, mark) + reach(s, row, column, 0, -1, mark) + 1 >= LINE:
        return True
    if reach(s, row, column, 1, 0, mark) + reach(s, row, column, -1, 0, mark) + 1 >= LINE:
        return True
    if reach(s, row, column, 1, 1, mark) + reach(s, row, column, -1, -1, mark) + 1 >= LINE:
        return True
    return reach(s, row, column, 1, -1, mark) + reach(s, row, column, -1, 1, mark) + 1 >= LINE


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[BOARD + m] = p + 1
    s[MARKS] += 1
    s[TURN] = 1 - p
    if wins(s, m, p + 1):
        s[WINNER] = p + 1
        s[TURN] = OVER
    elif s[MARKS] == CELL_COUNT:
        s[TURN] = OVER


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = 0.0
    out[1] = 0.0
    if s[WINNER] > 0:
        out[s[WINNER] - 1] = 1.0
        out[2 - s[WINNER]] = -1.0


def key(g: Ground, s: State) -> int:
    """Base 3 with the turn on top: on boards of this size the number wraps, and searches verify."""
    k = s[TURN] + 1
    for cell in range(CELL_COUNT):
        k = k * 3 + s[BOARD + cell]
    return k


def left(g: Ground, s: State) -> int:
    return CELL_COUNT - s[MARKS]
