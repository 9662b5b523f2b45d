"""The face of tic-tac-toe: text, names and options."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.game import ArrayGame, ArrayPosition, Option, Position
from stratagem.games.tictactoe import kernels
from stratagem.games.tictactoe.view import draw
from stratagem.kernel import OVER, State

MARKS = "_XO"


class TicTacToe(ArrayGame):
    name = "tictactoe"
    title = "Tic-tac-toe"
    summary = "the (m,n,k) game: a line of k marks on an m by n board wins"
    brief = (
        "Two players put their marks, X and O, into empty cells in turn. Whoever first has a line of marks in a row, a column "
        "or a diagonal wins; a full board without a line is a draw. The board may have other sizes and longer lines."
    )
    options = (
        Option("rows", 3, "rows of the board", minimum=1, maximum=19),
        Option("columns", 3, "columns of the board", minimum=1, maximum=19),
        Option("line", 3, "marks in a row that win", minimum=1, maximum=19),
    )
    seats = ("X", "O")
    rules = kernels
    turn_cell = kernels.TURN

    def setup(self) -> None:
        self.rows, self.columns, self.line = self["rows"], self["columns"], self["line"]
        if self.line > max(self.rows, self.columns):
            raise OptionError(f"a line of {self.line} does not fit on a board of {self.rows} x {self.columns}")
        self.cells = self.rows * self.columns
        self.size = 3 + self.cells
        self.max_moves = self.max_length = self.cells
        self.draws_fill = True
        self.exact_key = self.cells <= 38

    @property
    def constants(self) -> dict[str, Any]:
        return {"ROWS": self.rows, "COLUMNS": self.columns, "LINE": self.line, "CELL_COUNT": self.cells}

    # -- moves: a letter for the column and a number for the row, from the top left: a1

    def move_text(self, s: State, p: int, m: int) -> str:
        return cell_text(m, self.columns)

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        column = ord(text[0]) - ord("a") if text[:1].isalpha() else -1
        row = int(text[1:]) - 1 if text[1:].isdecimal() and len(text) < 5 else -1
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            last = cell_text(self.cells - 1, self.columns)
            raise IllegalMove(f"{text!r} names no cell; cells go from a1 (top left) to {last}")
        cell = row * self.columns + column
        if s[kernels.BOARD + cell]:
            raise IllegalMove(f"cell {text} already holds {MARKS[s[kernels.BOARD + cell]]}; choose an empty one")
        return cell

    # -- positions: X, O and _ row by row

    def state_text(self, position: ArrayPosition) -> str:
        return self.board_text(position.state)

    def board_text(self, s: State) -> str:
        marks = "".join(MARKS[x] for x in s[kernels.BOARD : kernels.BOARD + self.cells])
        if (self.rows, self.columns) == (3, 3):
            return marks
        return "/".join(marks[i : i + self.columns] for i in range(0, self.cells, self.columns))

    def parse_board(self, text: str) -> State:
        """The state of a board with any numbers of marks, X to move, the end recognised; bidding games need this."""
        given = text.strip().upper()
        rows = given.split("/") if "/" in given else [given]
        marks = "".join(rows)
        for character in marks:
            if character not in MARKS:
                raise ParseError(f"position {text!r} holds {character!r}; cells are X, O or _")
        if len(marks) != self.cells or ("/" in given and any(len(row) != self.columns for row in rows)):
            raise ParseError(f"position {text!r} has {len(marks)} cells; the board has {self.rows} x {self.columns}")
        s = self.blank()
        s[kernels.BOARD : kernels.BOARD + self.cells] = [MARKS.index(c) for c in marks]
        s[kernels.MARKS] = self.cells - marks.count("_")
        lines = [self._lines(s, mark) for mark in (1, 2)]
        if all(lines):
            raise ParseError(f"position {text!r} has lines of both X and O: the game ended at the first")
        if any(lines):
            s[kernels.WINNER] = 1 if lines[0] else 2
        if any(lines) or s[kernels.MARKS] == self.cells:
            s[kernels.TURN] = OVER
        return s

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.parse_board(text)
        board = s[kernels.BOARD : kernels.BOARD + self.cells]
        x, o = int(np.count_nonzero(board == 1)), int(np.count_nonzero(board == 2))
        if x - o not in (0, 1):
            raise ParseError(f"position {text!r} has {x} X and {o} O; X moves first, so X has as many as O or one more")
        winner = int(s[kernels.WINNER])
        if winner and (x - o == 1) != (winner == 1):
            raise ParseError(f"position {text!r}: {MARKS[winner]} had won, and play went on after the end")
        if winner and not self._one_last_mark(s, winner):
            raise ParseError(
                f"position {text!r}: its lines cannot come from one last mark, so play went on after the end"
            )
        if s[kernels.TURN] != OVER:
            s[kernels.TURN] = x - o
        return s, ()

    def symmetries(self) -> NDArray[np.int64]:
        board = np.arange(self.cells).reshape(self.rows, self.columns)
        images = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
        if self.rows == self.columns:
            images += [image.T for image in images]
        head = np.arange(kernels.BOARD)
        return np.array([np.concatenate([head, kernels.BOARD + image.ravel()]) for image in images])

    def _lines(self, s: State, mark: int) -> bool:
        return any(s[kernels.BOARD + c] == mark and self._wins(s, c, mark) for c in range(self.cells))

    def _wins(self, s: State, cell: int, mark: int) -> bool:
        board = s[kernels.BOARD : kernels.BOARD + self.cells].reshape(self.rows, self.columns)
        row, column = divmod(cell, self.columns)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            n = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < self.rows and 0 <= c < self.columns and board[r, c] == mark:
                    n, r, c = n + 1, r + sign * down, c + sign * right
            if n >= self.line:
                return True
        return False

    def _one_last_mark(self, s: State, mark: int) -> bool:
        """Whether taking one mark away leaves no line: the game can have ended with that mark."""
        for cell in range(self.cells):
            if s[kernels.BOARD + cell] == mark:
                before = s.copy()
                before[kernels.BOARD + cell] = 0
                if not self._lines(before, mark):
                    return True
        return False

    def next_seat(self, position: Position) -> int:
        assert isinstance(position, ArrayPosition)
        return int(position.state[kernels.MARKS]) % 2

    def art(self, position: ArrayPosition) -> str:
        marks = position.state[kernels.BOARD : kernels.BOARD + self.cells]
        rows = ["   " + " ".join(chr(97 + c) for c in range(self.columns))]
        for r in range(self.rows):
            cells = marks[r * self.columns : (r + 1) * self.columns]
            rows.append(f"{r + 1:2} " + " ".join("." if x == 0 else MARKS[x] for x in cells))
        return "\n".join(rows)

    def draw(self, position: Position) -> str:
        assert isinstance(position, ArrayPosition)
        return draw(self.rows, self.columns, position.state, self.title, str(position))


def cell_text(cell: int, columns: int) -> str:
    return f"{chr(97 + cell % columns)}{cell // columns + 1}"
