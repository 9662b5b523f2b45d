"""The face of tic-tac-toe: text, names and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet, in_rows, two_sides
from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.boards import cell_name, line_of, read_cell, winning_line, write_rows
from stratagem.games.tictactoe import cells, kernels
from stratagem.games.tictactoe.view import draw
from stratagem.kernel import OVER, State
from stratagem.plans.bid import Boards

MARKS = "_XO"
LARGEST_BITBOARD = 62
LARGEST_EXACT = 30  # cells of which two boards and the turn fit into a key


class TicTacToe(ArrayGame[ArrayPosition], Drawing, Editing, Sgf, Wording):
    """Tic-tac-toe, or any (m,n,k) game: a line of k marks on an m by n board wins; see docs/games/tictactoe.md."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    summary = "three marks in a row win, or a longer line on a larger board"
    brief = (
        "Two players put their marks, X and O, into empty cells in turn. Whoever first has a line of marks in a row, a column "
        "or a diagonal wins; a full board without a line is a draw. The board may have other sizes and longer lines."
    )
    guide = "A move is a cell, its column and its row: b2."
    sgf = BoardRecord(size=("columns", "rows"))
    inks = (
        ("X", "red"),
        ("O", "blue"),
    )
    options = (
        Option("rows", 3, "rows of the board", minimum=1, maximum=19),
        Option("columns", 3, "columns of the board", minimum=1, maximum=19),
        Option("line", 3, "marks in a row that win", minimum=1, maximum=19),
    )
    seats = ("X", "O")
    draws_fill = True  # for alpha-beta

    def setup(self) -> None:
        self.rows, self.columns, self.line = self["rows"], self["columns"], self["line"]
        if self.line > max(self.rows, self.columns):
            raise OptionError(f"a line of {self.line} does not fit on a board of {self.rows} x {self.columns}")
        self.cells = self.rows * self.columns
        self.bitboards = self.cells <= LARGEST_BITBOARD
        self.rules = kernels if self.bitboards else cells
        self.turn_cell = kernels.TURN if self.bitboards else cells.TURN
        self.size = 3 if self.bitboards else cells.BOARD + self.cells
        self.max_moves = self.move_bound = self.max_length = self.cells
        self.exact_key = self.bitboards and self.cells <= LARGEST_EXACT

    @property
    def constants(self) -> dict[str, Any]:
        sizes = {"ROWS": self.rows, "COLUMNS": self.columns, "LINE": self.line, "CELL_COUNT": self.cells}
        if not self.bitboards:
            return sizes
        board = np.arange(self.cells).reshape(self.rows, self.columns)
        begins = [board[:, : max(self.columns - self.line + 1, 0)], board[:, self.line - 1 :]]
        rightward, leftward = (sum(1 << int(cell) for cell in cells_of.flat) for cells_of in begins)
        return {
            **sizes,
            "FULL": (1 << self.cells) - 1,
            "RIGHTWARD": rightward,
            "LEFTWARD": leftward,
            "EXACT": self.exact_key,
        }

    def marked(self, s: State) -> NDArray[np.int64]:
        """What every cell holds, row by row: 0 nothing, 1 X, 2 O."""
        if not self.bitboards:
            return s[cells.BOARD : cells.BOARD + self.cells]
        places = np.arange(self.cells)
        return (s[0] >> places & 1) + 2 * (s[1] >> places & 1)

    # -- moves: a letter for the column and a number for the row, from the top left: a1

    def move_text(self, s: State, p: int, m: int) -> str:
        return cell_name(*divmod(m, self.columns))

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        row, column = read_cell(text)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            last = cell_name(self.rows - 1, self.columns - 1)
            raise IllegalMove(f"{text!r} names no cell; cells go from a1 (top left) to {last}")
        cell = row * self.columns + column
        mark = self.marked(s)[cell]
        if mark:
            raise IllegalMove(f"cell {text} already holds {MARKS[mark]}; choose an empty one")
        return cell

    # -- positions: X, O and _ row by row

    def state_text(self, position: ArrayPosition) -> str:
        return self.board_text(position.state)

    def board_text(self, s: State) -> str:
        text = write_rows(self.marked(s).tolist(), self.columns, MARKS)
        return text.replace("/", "") if (self.rows, self.columns) == (3, 3) else text

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
        board = np.array([MARKS.index(c) for c in marks])
        lines = [self._lines(board, mark) for mark in (1, 2)]
        if all(lines):
            raise ParseError(f"position {text!r} has lines of both X and O: the game ended at the first")
        s = self.blank()
        if self.bitboards:
            s[:2] = [sum(1 << int(cell) for cell in np.flatnonzero(board == mark)) for mark in (1, 2)]
        else:
            s[cells.BOARD : cells.BOARD + self.cells] = board
            s[cells.MARKS] = np.count_nonzero(board)
            s[cells.WINNER] = lines[0] + 2 * lines[1]
        if any(lines) or board.all():
            s[self.turn_cell] = OVER
        return s

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.parse_board(text)
        board = self.marked(s)
        x, o = int(np.count_nonzero(board == 1)), int(np.count_nonzero(board == 2))
        if x - o not in (0, 1):
            raise ParseError(f"position {text!r} has {x} X and {o} O; X moves first, so X has as many as O or one more")
        winner = next((mark for mark in (1, 2) if self._lines(board, mark)), 0)
        if winner and (x - o == 1) != (winner == 1):
            raise ParseError(f"position {text!r}: {MARKS[winner]} had won, and play went on after the end")
        if winner and not self._one_last_mark(board, winner):
            raise ParseError(
                f"position {text!r}: its lines cannot come from one last mark, so play went on after the end"
            )
        if s[self.turn_cell] != OVER:
            s[self.turn_cell] = x - o
        return s, ()

    def boards(self) -> Boards:
        words = 2 if self.bitboards else 0
        return Boards(self.board_text, self.parse_board, self.turn_cell, self.symmetries(), words)

    def symmetries(self) -> NDArray[np.int64]:
        """The turns and reflections of the board, as permutations of the bits of a bitboard or of the cells of a state."""
        board = np.arange(self.cells).reshape(self.rows, self.columns)
        images = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
        if self.rows == self.columns:
            images += [image.T for image in images]
        moved = np.array([image.ravel() for image in images])
        if self.bitboards:
            return moved
        head = np.tile(np.arange(cells.BOARD), (len(images), 1))
        return np.concatenate([head, cells.BOARD + moved], axis=1)

    def _lines(self, board: NDArray[np.int64], mark: int) -> bool:
        """Whether a mark stands LINE in a row somewhere, cell by cell: the check of the kernels' quick ways."""
        own = (board == mark).reshape(self.rows, self.columns)
        for row, column in np.argwhere(own):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                far_row, far_column = row + down * (self.line - 1), column + right * (self.line - 1)
                inside = far_row < self.rows and 0 <= far_column < self.columns
                if inside and all(own[row + i * down, column + i * right] for i in range(self.line)):
                    return True
        return False

    def _one_last_mark(self, board: NDArray[np.int64], mark: int) -> bool:
        """Whether taking one mark away leaves no line: the game can have ended with that mark."""
        for cell in np.flatnonzero(board == mark):
            before = board.copy()
            before[cell] = 0
            if not self._lines(before, mark):
                return True
        return False

    def next_seat(self, position: ArrayPosition) -> int:
        return int(np.count_nonzero(self.marked(position.state))) % 2

    def art(self, position: ArrayPosition) -> str:
        marks = self.marked(position.state)
        rows = ["   " + " ".join(chr(97 + c) for c in range(self.columns))]
        for r in range(self.rows):
            cells = marks[r * self.columns : (r + 1) * self.columns]
            rows.append(f"{r + 1:2} " + " ".join("." if x == 0 else MARKS[x] for x in cells))
        return "\n".join(rows)

    def decisive(self, position: ArrayPosition) -> list[tuple[int, int]]:
        board = self.marked(position.state).reshape(self.rows, self.columns).tolist()
        return [(row + 1, 3 + 2 * column) for row, column in line_of(board, self.line)]

    def draw(self, position: ArrayPosition) -> str:
        return draw(self.rows, self.columns, self.marked(position.state), self.title, str(position))

    def sheet(self, position: ArrayPosition) -> Sheet:
        marks = (MARKS[int(x)] for x in self.marked(position.state))
        cells = {cell_name(*divmod(cell, self.columns)): mark for cell, mark in enumerate(marks)}
        return Sheet(cells, two_sides(MARKS, ("empty", "X", "O")), columns=self.columns)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return in_rows(cells, self.columns)

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return f"marks {move}"

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        return (Mark("last", (move,)),)

    def marks(self, position: ArrayPosition) -> tuple[Mark, ...]:
        line = winning_line([int(x) for x in self.marked(position.state)], self.columns, self.line)
        return (Mark("line", tuple(cell_name(*divmod(cell, self.columns)) for cell in line)),) if line else ()
