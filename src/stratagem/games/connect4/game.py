"""The face of connect four: a position is the columns played, `4453`, in the notation that the public solvers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet, in_rows, two_sides
from stratagem.contract.companions.puzzling import SOLVE, Puzzles, Puzzling
from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option, Position
from stratagem.drawing import SEAT_COLOURS
from stratagem.errors import IllegalMove, ParseError
from stratagem.games.boards import line_of, point, winning_line
from stratagem.games.connect4 import cells, features, kernels
from stratagem.games.connect4.view import draw
from stratagem.kernel import OVER, State
from stratagem.plans.bid import Boards

SYMBOLS = "123456789abcdefghijklmnopqrstuvwxyz"  # column names, one character each
LARGEST_BITBOARD = 61
STONES = ".YR"
MOST_DEAD = 4000  # boards that are given up in the search for an order in which stones can have been played
# of the solver on 7 x 6: nodes of random positions with 12 stones, and how many times more one stone less takes
NODES_AT_12, GROWTH = 2.8e5, 2.1


class ConnectFour(ArrayGame[ArrayPosition], Drawing, Editing, Puzzles, Sgf, Wording):
    """Connect four: stones fall into columns, four in a row win; see docs/games/connect4.md."""

    name = "connect4"
    title = "Connect four"
    summary = "stones fall into columns; four in a row win"
    brief = (
        "Two players drop stones into columns in turn; a stone falls to the lowest free cell. Whoever first has four of its "
        "colour in a row, upright, level or slanting, wins; a full board without such a row is a draw."
    )
    guide = "A move is a column: 4. Y is Yellow, R is Red."
    sgf = BoardRecord(size=("width", "height"))
    inks = (
        ("Y", "yellow"),
        ("R", "red"),
    )
    puzzles = (
        Puzzling(
            "find the only move that keeps the best result",
            player="alphabeta:depth=2",
            judge=SOLVE,
            decoy="alphabeta:depth=3",
            margin=1.0,
            stray=0.25,
            plies=(16, 36),
            share=3,
        ),
    )
    options = (
        Option("width", 7, "columns", minimum=1, maximum=len(SYMBOLS)),
        Option("height", 6, "rows", minimum=1, maximum=35),
        Option("line", 4, "stones in a row that win", minimum=2, maximum=35),
    )
    seats = ("Yellow", "Red")
    seat_colours = (SEAT_COLOURS[6], SEAT_COLOURS[5])
    killers = False  # for alpha-beta: threats tell more
    draws_fill = True  # for its solver
    feature_rules = features  # what a network sees
    trained_by = MappingProxyType(
        {"by": "mcts", "opening": 6, "solved": 26, "views": 2, "passes": 6}
        | {"rate": 0.004, "dropped": 0.1, "decay": 0.1, "searched": 0.3}
    )

    def setup(self) -> None:
        self.width, self.height = self["width"], self["height"]
        self.line = self["line"]
        # the bitboards know lines of four, which is the game; other lines are looked for cell by cell
        self.bitboards = self.line == 4 and self.width * (self.height + 1) <= LARGEST_BITBOARD
        self.rules = kernels if self.bitboards else cells
        self.turn_cell = kernels.TURN if self.bitboards else cells.TURN
        self.size = 3 if self.bitboards else 3 + self.width + self.width * self.height
        self.exact_key = self.bitboards
        self.max_moves = self.move_bound = self.width
        self.max_length = self.width * self.height
        if self.bitboards:
            board = self.width * self.height
            self.feature_count, self.features_at_once = 4 * board, 2 * board
            self.policy_count = self.width
            self.feature_mirror = features.mirrored(self.width, self.height)

    @property
    def constants(self) -> dict[str, Any]:
        width, height = self.width, self.height
        if not self.bitboards:
            return {"WIDTH": width, "HEIGHT": height, "BOARD": cells.HEIGHTS + width, "LINE": self.line}
        bottom = sum(1 << column * (height + 1) for column in range(width))
        centre = sorted(range(width), key=lambda column: (abs(2 * column - (width - 1)), column))
        return {
            "WIDTH": width,
            "HEIGHT": height,
            "STRIDE": height + 1,
            "BOTTOM": bottom,
            "FULL": bottom * ((1 << height) - 1),
            "CENTRE_FIRST": tuple(centre),
        }

    def usual_nodes(self, position: Position) -> float | None:
        """By the stones on the usual board: the mean of random positions with 12 to 20, and of the empty board."""
        if (self.width, self.height, self.line) != (7, 6, 4):
            return None
        return NODES_AT_12 * GROWTH ** (12 - len(position.history))

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        return SYMBOLS[m]

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        column = SYMBOLS.find(text) if len(text) == 1 else -1
        if not 0 <= column < self.width:
            raise IllegalMove(f"{text!r} is no column; columns go from 1 to {SYMBOLS[self.width - 1]}")
        if self.column_height(s, column) == self.height:
            raise IllegalMove(f"column {text} is full; open: {' '.join(SYMBOLS[m] for m in sorted(self.legal(s, p)))}")
        return column

    def sgf_move(self, position: ArrayPosition, move: str) -> str:
        """The cell in which the stone comes to rest."""
        column = SYMBOLS.index(move)
        return point(column, self.height - 1 - self.column_height(position.state, column))

    def column_height(self, s: State, column: int) -> int:
        if not self.bitboards:
            return int(s[cells.HEIGHTS + column])
        stones = int(s[0] | s[1]) >> (column * (self.height + 1))
        return (stones & ((1 << self.height) - 1)).bit_count()

    def stone(self, s: State, column: int, row: int) -> int:
        """What lies in a cell: 0 nothing, 1 the first player's, 2 the second's; row 0 is the lowest."""
        if not self.bitboards:
            return int(s[cells.HEIGHTS + self.width + row * self.width + column])
        bit = column * (self.height + 1) + row
        return int(s[0] >> bit & 1) + 2 * int(s[1] >> bit & 1)

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        return "".join(position.history)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.blank()
        holds = self.width * self.height
        if len(text) > holds:
            raise ParseError(f"position {text!r} has {len(text)} stones; the board holds {holds}")
        history = []
        for ply, symbol in enumerate(text.lower()):
            turn = int(self.run("turn", self.g, s))
            if turn == OVER:
                raise ParseError(
                    f"position {text!r}: the game was over after {text[:ply]!r}, and play went on after the end"
                )
            try:
                m = self.parse_move(s, turn, symbol)
            except IllegalMove as error:
                raise ParseError(f"position {text!r}, stone {ply + 1}: {error}") from None
            self.run("play", self.g, s, turn, m)
            history.append(SYMBOLS[m])
        return s, tuple(history)

    # -- boards: rows from the top with / between, where columns played do not tell whose stones they are

    def board_text(self, s: State) -> str:
        rows = ("".join(STONES[self.stone(s, c, r)] for c in range(self.width)) for r in reversed(range(self.height)))
        return "/".join(rows)

    def parse_board(self, text: str) -> State:
        """The state of a board: rows of ., Y and R from the top, any numbers of stones; or columns played in turn."""
        if "/" not in text and not set(text.upper()) & set(STONES):
            return self.parse_state(text)[0]
        rows = text.strip().upper().split("/")
        if len(rows) != self.height or any(len(row) != self.width for row in rows):
            raise ParseError(f"board {text!r} is not {self.height} rows of {self.width} with / between")
        s = self.blank()
        winners = set()
        for row in reversed(rows):
            for column, stone in enumerate(row):
                if stone not in STONES:
                    raise ParseError(f"board {text!r} holds {stone!r}; cells are Y, R or .")
                if stone != STONES[0]:
                    self.run("play", self.g, s, STONES.index(stone) - 1, column)
                    if int(self.run("turn", self.g, s)) == OVER and self.run("count", self.g, s, 0):
                        winners.add(stone)
        if len(winners) == 2:
            raise ParseError(f"board {text!r} has {self.line} in a row of both sides: the game ended at the first")
        if winners:
            s[self.turn_cell] = OVER
        if self.board_text(s) != "/".join(rows):
            raise ParseError(f"board {text!r}: a stone hangs in the air")
        return s

    def boards(self) -> Boards:
        return Boards(self.board_text, self.parse_board, self.turn_cell)

    def art(self, position: ArrayPosition) -> str:
        rows = [
            " ".join(".YR"[self.stone(position.state, column, row)] for column in range(self.width))
            for row in reversed(range(self.height))
        ]
        return "\n".join([*rows, " ".join(SYMBOLS[: self.width])])

    def decisive(self, position: ArrayPosition) -> list[tuple[int, int]]:
        stones = [
            [self.stone(position.state, column, row) for column in range(self.width)]
            for row in reversed(range(self.height))
        ]
        return [(row, 2 * column) for row, column in line_of(stones, self.line)]

    def draw(self, position: ArrayPosition) -> str:
        stones = [[self.stone(position.state, c, r) for r in range(self.height)] for c in range(self.width)]
        return draw(stones, SYMBOLS, self.title, f"columns played: {str(position) or 'none'}")

    def sheet(self, position: ArrayPosition) -> Sheet:
        cells = {
            f"{SYMBOLS[c]}.{r + 1}": STONES[self.stone(position.state, c, r)]
            for r in reversed(range(self.height))
            for c in range(self.width)
        }
        return Sheet(cells, two_sides(STONES, ("empty", "Yellow", "Red")), columns=self.width)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        """The columns in an order in which the stones can have been played, for that is what a position is."""
        text = in_rows(cells, self.width)
        s = self.parse_board(text)
        return self._played(
            text, [[self.stone(s, c, r) for r in range(self.column_height(s, c))] for c in range(self.width)]
        )

    def _played(self, text: str, stones: list[list[int]]) -> str:
        """An order of play: stones are taken back from the end, the last mover's first, and no earlier board is won."""
        total = sum(map(len, stones))
        yellow = sum(column.count(1) for column in stones)
        if 2 * yellow - total not in (0, 1):
            raise ParseError(
                f"board {text!r} has {yellow} Yellow and {total - yellow} Red; Yellow moves first, and they take turns"
            )
        dead: set[tuple[int, ...]] = set()  # heights of boards that no order of play leads to
        order: list[int] = []
        tries = [self._last(stones, total)]
        while len(order) < total:
            if len(dead) > MOST_DEAD:
                raise ParseError(f"board {text!r}: no order of play was found, though there may be one")
            column = next(tries[-1], None)
            if column is not None:
                stone = stones[column].pop()
                if tuple(map(len, stones)) in dead or self._won(stones):
                    stones[column].append(stone)
                    continue
                order.append(column)
                tries.append(self._last(stones, total - len(order)))
                continue
            if not order:
                raise ParseError(f"board {text!r}: in no order can these stones have been played")
            dead.add(tuple(map(len, stones)))
            tries.pop()
            column = order.pop()
            stones[column].append(_owner(total - len(order)))
        return "".join(SYMBOLS[c] for c in reversed(order))

    def _last(self, stones: list[list[int]], count: int) -> Iterator[int]:
        """The columns whose top stone can have been the last of so many."""
        return iter([c for c, column in enumerate(stones) if column and column[-1] == _owner(count)])

    def _won(self, stones: list[list[int]]) -> bool:
        cells = [column[r] if r < len(column) else 0 for r in range(self.height) for column in stones]
        return bool(winning_line(cells, self.width, self.line))

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return f"drops a stone into column {move}"

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        row = self.column_height(position.state, SYMBOLS.index(move))
        return (Mark("last", (f"{move}.{row + 1}",)),)

    def marks(self, position: ArrayPosition) -> tuple[Mark, ...]:
        cells = [self.stone(position.state, c, r) for r in range(self.height) for c in range(self.width)]
        line = winning_line(cells, self.width, self.line)
        return (Mark("line", tuple(f"{SYMBOLS[c % self.width]}.{c // self.width + 1}" for c in line)),) if line else ()


def _owner(count: int) -> int:
    """Whose stone the last of so many is: 1 the first player's, 2 the second's."""
    return 2 - count % 2
