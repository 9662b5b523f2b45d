"""The face of breakthrough: text, names and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stratagem.bits import word
from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet, in_rows, mover, two_sides
from stratagem.contract.companions.puzzling import SOLVE, Puzzles, Puzzling
from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.drawing import BLACK, WHITE
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.boards import cell_name, point, read_cell, read_rows, write_rows
from stratagem.games.breakthrough import features, kernels
from stratagem.games.breakthrough.view import draw
from stratagem.kernel import OVER, State
from stratagem.plans.bid import Boards

MARKS = "_WB"


class Breakthrough(ArrayGame[ArrayPosition], Drawing, Editing, Puzzles, Sgf, Wording):
    """Breakthrough: bring one piece to the far row; see docs/games/breakthrough.md."""

    name = "breakthrough"
    title = "Breakthrough"
    summary = "bring one piece to the far row"
    brief = (
        "Two players move a piece in turn, one step straight or slanting towards the far side; only a slanting step "
        "may capture. Whoever brings a piece to the far row, or captures all the others, wins."
    )
    guide = "A move is a step from cell to cell: b2-a3. W moves up, B moves down; slanting steps may capture."
    sgf = BoardRecord(size=("columns", "rows"), colours="WB")
    inks = (
        ("W", "bold"),
        ("B", "magenta"),
    )
    puzzles = (
        Puzzling(
            "find the only move that wins",
            player="alphabeta:depth=2",
            judge=SOLVE,
            decoy="alphabeta:depth=1",
            margin=1.0,
            options={"rows": 5, "columns": 5},
            stray=0.2,
            plies=(12, 60),
            share=3,
        ),
    )
    options = (
        Option("rows", 8, "rows of the board", minimum=3, maximum=32),
        Option("columns", 8, "columns of the board", minimum=2, maximum=21),
        Option("ranks", 2, "rows of pieces a side begins with", minimum=1, maximum=8),
    )
    seats = ("White", "Black")
    seat_colours = (WHITE, BLACK)
    rules = kernels
    feature_rules = features  # what a network sees

    def setup(self) -> None:
        self.rows, self.columns, self.ranks = self["rows"], self["columns"], self["ranks"]
        self.cells = self.rows * self.columns
        if self.cells > 64:
            raise OptionError(f"a board of {self.rows} x {self.columns} has {self.cells} cells; at most 64 fit")
        if 2 * self.ranks > self.rows:
            raise OptionError(f"two armies of {self.ranks} rows do not fit on a board of {self.rows} rows")
        self.size = 3
        self.feature_count, self.features_at_once = 2 * self.cells, self.cells
        self.feature_mirror = features.mirrored(self["rows"], self["columns"])
        self.max_moves = self.move_bound = 3 * self.cells  # a parsed board may hold more pieces than an army
        self.max_length = 2 * self.columns * sum(self.rows - 1 - rank for rank in range(self.ranks))

    @property
    def constants(self) -> dict[str, Any]:
        rows, columns = self.rows, self.columns
        column = sum(1 << (row * columns) for row in range(rows))
        full = (1 << self.cells) - 1
        row = (1 << columns) - 1
        return {
            "ROWS": rows,
            "COLUMNS": columns,
            "FULL": word(full),
            "NOT_LEFT": word(full & ~column),
            "NOT_RIGHT": word(full & ~(column << (columns - 1))),
            "GOALS": (word(row << (rows - 1) * columns), row),
        }

    def first(self, s: State) -> None:
        army = (1 << (self.columns * self.ranks)) - 1
        s[0] = army
        s[1] = word(army << (self.cells - self.columns * self.ranks))

    # -- moves: the two cells with - or, capturing, x between; a1 is at White's left

    def move_text(self, s: State, p: int, m: int) -> str:
        start, end = self.ends(p, m)
        sign = "x" if s[1 - p] >> end & 1 else "-"
        return f"{cell_name(*divmod(start, self.columns))}{sign}{cell_name(*divmod(end, self.columns))}"

    def ends(self, p: int, m: int) -> tuple[int, int]:
        """The cells that a move goes from and to."""
        start, way = divmod(int(m), 3)
        return start, start + (self.columns if p == 0 else -self.columns) + way - 1

    def sgf_move(self, position: ArrayPosition, move: str) -> str:
        """The cells that the step goes from and to."""
        ends = self.ends(position.turn, self.parse_move(position.state, position.turn, move))
        return ":".join(point(c % self.columns, self.rows - 1 - c // self.columns) for c in ends)

    def parse_move(self, s: State, p: int, text: str) -> int:
        given = text.strip().lower().replace("x", "-")
        for m in self.legal(s, p):
            if self.move_text(s, p, m).replace("x", "-") == given:
                return m
        raise IllegalMove(self._why(s, p, text.strip(), given))

    def _why(self, s: State, p: int, text: str, given: str) -> str:
        start, _, end = given.partition("-")
        cells = [read_cell(start), read_cell(end)]
        if not all(0 <= row < self.rows and 0 <= column < self.columns for row, column in cells):
            return f"{text!r} is no move; a move is two cells, such as {self.move_text(s, p, self.legal(s, p)[0])}"
        (row, column), _ = cells
        if not s[p] >> (row * self.columns + column) & 1:
            return f"{self.seats[p]} has no piece on {start}"
        c = row * self.columns + column
        legal = [self.move_text(s, p, m) for m in self.legal(s, p) if m // 3 == c]
        return f"the piece on {start} cannot go to {end}; it can go: {', '.join(legal) or 'nowhere'}"

    # -- positions: the far row first, as White sees the board

    def stone(self, s: State, c: int) -> int:
        """What stands on a cell: 0 nothing, 1 White, 2 Black."""
        return int(s[0] >> c & 1) + 2 * int(s[1] >> c & 1)

    def _seen(self) -> list[int]:
        """The cells from the far left to the near right."""
        return [row * self.columns + column for row in reversed(range(self.rows)) for column in range(self.columns)]

    def board_text(self, s: State) -> str:
        return write_rows([self.stone(s, c) for c in self._seen()], self.columns, MARKS)

    def state_text(self, position: ArrayPosition) -> str:
        turn = position.turn
        return self.board_text(position.state) + ("" if turn == OVER else f":{MARKS[1 + turn]}")

    def parse_board(self, text: str) -> State:
        """The state of a board, the end recognised; White moves if the text does not say."""
        pieces, mover = read_rows(text, self.rows, self.columns, MARKS)
        s = self.blank()
        for seat in (0, 1):
            s[seat] = word(sum(1 << c for c, x in zip(self._seen(), pieces, strict=True) if x == 1 + seat))
        home = [any(self.stone(s, c) == 1 + p for c in self._row(self.rows - 1 if p == 0 else 0)) for p in (0, 1)]
        if all(home):
            raise ParseError(f"position {text!r} has both sides on their far rows: the game ended at the first")
        if not (s[0] or s[1]):
            raise ParseError(f"position {text!r} has no pieces")
        s[kernels.TURN] = OVER if any(home) or not (s[0] and s[1]) else mover or 0
        return s

    def boards(self) -> Boards:
        return Boards(self.board_text, self.parse_board, kernels.TURN)

    def _row(self, row: int) -> range:
        return range(row * self.columns, (row + 1) * self.columns)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.parse_board(text)
        army = self.ranks * self.columns
        for seat in (0, 1):
            held = int(s[seat]).bit_count() if s[seat] >= 0 else 64 - int(~s[seat]).bit_count()
            if held > army:
                raise ParseError(f"position {text!r} has {held} pieces of {self.seats[seat]}; an army has {army}")
            far = [c for c in self._row(self.rows - 1 if seat == 0 else 0) if self.stone(s, c) == 1 + seat]
            if len(far) > 1:
                raise ParseError(f"position {text!r} has {len(far)} pieces on a far row: the game ended at the first")
        _, mover = read_rows(text, self.rows, self.columns, MARKS)
        if mover is None and s[kernels.TURN] != OVER:
            raise ParseError(f"position {text!r} does not say who moves; write :W or :B behind it")
        return s, ()

    def next_seat(self, position: ArrayPosition) -> int:
        return 1 - position.payoff.index(max(position.payoff)) if position.over else position.turn

    def art(self, position: ArrayPosition) -> str:
        lines = []
        for row in reversed(range(self.rows)):
            pieces = (self.stone(position.state, c) for c in self._row(row))
            lines.append(f"{row + 1:2} " + " ".join("." if x == 0 else MARKS[x] for x in pieces))
        return "\n".join([*lines, "   " + " ".join(chr(97 + c) for c in range(self.columns))])

    def draw(self, position: ArrayPosition) -> str:
        s = position.state
        pieces = [self.stone(s, c) for c in range(self.cells)]
        return draw(self.rows, self.columns, pieces, self.title, str(position))

    def sheet(self, position: ArrayPosition) -> Sheet:
        s = position.state
        cells = {cell_name(*divmod(c, self.columns)): MARKS[self.stone(s, c)] for c in self._seen()}
        who = mover(MARKS[1 + max(position.turn, 0)], MARKS[1:])
        return Sheet(cells, two_sides(MARKS, ("empty", "White", "Black")), (who,), self.columns)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return f"{in_rows(cells, self.columns)}:{fields['mover']}"

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        start, end = self._named(position, move, mover)
        return f"{start} takes on {end}" if "x" in move else f"{start} goes to {end}"

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        return (Mark("arrow", self._named(position, move, mover)),)

    def places(self, position: ArrayPosition, part: str, mover: int) -> tuple[str, ...]:
        return self._named(position, part, mover)

    def _named(self, position: ArrayPosition, move: str, mover: int) -> tuple[str, str]:
        start, end = self.ends(mover, self.parse_move(position.state, mover, move))
        return cell_name(*divmod(start, self.columns)), cell_name(*divmod(end, self.columns))
