"""The face of hex: text, names and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet, in_rows, mover, two_sides
from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.errors import IllegalMove, ParseError
from stratagem.games.boards import cell_name, read_cell, read_rows, write_rows
from stratagem.games.hex import kernels
from stratagem.games.hex.view import draw
from stratagem.kernel import OVER, Ground, State
from stratagem.plans.bid import Boards

MARKS = "_XO"
TAKE_OVER = "swap"
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))
LARGEST_EXACT = 38  # cells of a board whose base-3 key fits into a word


class Hex(ArrayGame[ArrayPosition], Drawing, Editing, Sgf, Wording):
    """Hex: join your two edges of a rhombus of hexagons; see docs/games/hex.md."""

    name = "hex"
    title = "Hex"
    summary = "join your two edges of a rhombus of hexagons"
    brief = (
        "Two players put stones on empty cells of a rhombus of hexagons in turn. Each owns two opposite edges and "
        "wins by joining them with a chain of its stones; one of the two always succeeds. With the swap option the "
        "second player may take the first stone over, so that nobody opens too well."
    )
    guide = (
        "X joins the upper and the lower edge, O the left and the right one; each cell touches the two beside it, "
        "the two above it and the two below it as they are drawn. A move is a cell: d4; swap, where it is "
        "offered, takes the first stone over."
    )
    sgf = BoardRecord(11, ("size",))
    inks = (
        ("X", "red"),
        ("O", "blue"),
    )
    options = (
        Option("size", 11, "cells along an edge", minimum=1, maximum=26),
        Option("swap", False, "whether the second player may take the first stone over"),
    )
    seats = ("X", "O")
    rules = kernels
    filled = True  # who wins is a function of who has which cells in the end: random turns can be counted out

    def setup(self) -> None:
        self.side = int(self["size"])
        self.cells = self.side**2
        self.words = (self.cells + 15) // 16
        self.size = kernels.BOARD + self.words
        self.scratch = 3 * self.cells
        self.max_moves = self.move_bound = self.cells + bool(self["swap"])
        self.max_length = self.cells + bool(self["swap"])
        self.exact_key = self.cells <= LARGEST_EXACT

    @property
    def constants(self) -> dict[str, Any]:
        return {
            "SIDE": self.side,
            "CELL_COUNT": self.cells,
            "WORDS": self.words,
            "EDGES": 6 * self.cells,
            "CENTRE_FIRST": 7 * self.cells,
            "SWAP": bool(self["swap"]),
            "SMALL": self.exact_key,
        }

    def ground(self) -> Ground:
        side = self.side
        board = [(row, column) for row in range(side) for column in range(side)]
        neighbours = [
            (row + down) * side + column + right if 0 <= row + down < side and 0 <= column + right < side else -1
            for row, column in board
            for down, right in STEPS
        ]
        edges = [
            (row == 0) + 2 * (row == side - 1) + 4 * (column == 0) + 8 * (column == side - 1) for row, column in board
        ]
        middle = (side - 1) / 2
        centre_first = sorted(
            range(self.cells),
            key=lambda c: abs(c // side - middle) + abs(c % side - middle) + abs(c // side + c % side - 2 * middle),
        )
        return np.array(neighbours + edges + centre_first, np.int64)

    # -- moves: a letter for the column and a number for the row, from the top left; or swap

    def move_text(self, s: State, p: int, m: int) -> str:
        return TAKE_OVER if m == self.cells else cell_name(*divmod(m, self.side))

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        if text == TAKE_OVER:
            if self.cells not in self.legal(s, p):
                raise IllegalMove("swap is only for the second player's first move, with option swap")
            return self.cells
        row, column = read_cell(text)
        if not (0 <= row < self.side and 0 <= column < self.side):
            last = cell_name(self.side - 1, self.side - 1)
            raise IllegalMove(f"{text!r} names no cell; cells go from a1 (top left) to {last}")
        stone = self.stone(s, row * self.side + column)
        if stone:
            raise IllegalMove(f"cell {text} already holds {MARKS[stone]}; choose an empty one")
        return row * self.side + column

    # -- positions

    def stone(self, s: State, c: int) -> int:
        """What lies in a cell: 0 nothing, 1 X, 2 O."""
        return int(kernels.owner(kernels.cell(s, c)))

    def board_text(self, s: State) -> str:
        return write_rows([self.stone(s, c) for c in range(self.cells)], self.side, MARKS)

    def state_text(self, position: ArrayPosition) -> str:
        turn = position.turn
        return self.board_text(position.state) + ("" if turn == OVER else f":{MARKS[1 + turn]}")

    def parse_board(self, text: str) -> State:
        """The state of a board with any numbers of stones, the end recognised; X moves if the text does not say."""
        stones, mover = read_rows(text, self.side, self.side, MARKS)
        s = self.blank()
        for c, stone in enumerate(stones):
            if stone:
                self.run("play", self.g, s, stone - 1, c)
        if s[kernels.WINNER]:
            self.run_clear(s)
        else:
            s[kernels.TURN] = mover or 0
        return s

    def boards(self) -> Boards:
        return Boards(self.board_text, self.parse_board, kernels.TURN)

    def run_clear(self, s: State) -> None:
        """As a finished game is kept: over, and without labels."""
        s[kernels.TURN] = OVER
        for c in range(self.cells):
            kernels.put(s, c, self.stone(s, c))
        s[self.size :] = 0

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.parse_board(text)
        stones, mover = read_rows(text, self.side, self.side, MARKS)
        x, o = stones.count(1), stones.count(2)
        winner = int(s[kernels.WINNER])
        swapped = bool(self["swap"])
        if x - o not in ((0, 1, -1) if swapped else (0, 1)):
            raise ParseError(f"position {text!r} has {x} X and {o} O; X moves first, and they take turns")
        if winner and x - o not in ((1, 0) if winner == 1 else (0, -1))[: 1 + swapped]:
            raise ParseError(f"position {text!r}: {MARKS[winner]} had won, and play went on after the end")
        if winner and not self._one_last_stone(stones, winner):
            raise ParseError(
                f"position {text!r}: no single stone of {MARKS[winner]} can have won it, so play went on after the end"
            )
        if not winner:
            due = x - o if x - o >= 0 else 0
            if mover is not None and mover != due and not (swapped and x == o > 0):
                raise ParseError(
                    f"position {text!r} has {x} X and {o} O, so {MARKS[1 + due]} is to move, not {MARKS[1 + mover]}"
                )
            s[kernels.TURN] = due if mover is None else mover
        return s, ()

    def _one_last_stone(self, stones: list[int], winner: int) -> bool:
        """Whether taking one stone away opens the chain: the game can have ended with that stone."""
        for c, stone in enumerate(stones):
            if stone == winner:
                before = [0 if c == k or x != winner else x for k, x in enumerate(stones)]
                if not self.parse_board(write_rows(before, self.side, MARKS))[kernels.WINNER]:
                    return True
        return False

    def next_seat(self, position: ArrayPosition) -> int:
        winner = int(position.state[kernels.WINNER])
        return winner % 2 if winner else position.turn

    def art(self, position: ArrayPosition) -> str:
        width = len(str(self.side))
        lines = [" " * (width + 1) + " ".join(chr(97 + c) for c in range(self.side))]
        for row in range(self.side):
            stones = (self.stone(position.state, row * self.side + c) for c in range(self.side))
            lines.append(" " * row + f"{row + 1:{width}} " + " ".join("." if x == 0 else MARKS[x] for x in stones))
        return "\n".join(lines)

    def draw(self, position: ArrayPosition) -> str:
        stones = [self.stone(position.state, c) for c in range(self.cells)]
        swap = not position.over and self.cells in position.move_numbers()
        return draw(self.side, stones, TAKE_OVER if swap else None, self.title, str(position))

    def sheet(self, position: ArrayPosition) -> Sheet:
        cells = {cell_name(*divmod(c, self.side)): MARKS[self.stone(position.state, c)] for c in range(self.cells)}
        signs = two_sides(MARKS, ("empty", "X, from top to bottom", "O, from left to right"))
        who = (mover(MARKS[1 + max(position.turn, 0)], MARKS[1:]),) if self["swap"] else ()  # else the stones say it
        return Sheet(cells, signs, who, self.side)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return in_rows(cells, self.side) + (f":{fields['mover']}" if "mover" in fields else "")

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return "takes the first stone over" if move == TAKE_OVER else f"places a stone on {move}"

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        return () if move == TAKE_OVER else (Mark("last", (move,)),)

    def marks(self, position: ArrayPosition) -> tuple[Mark, ...]:
        chain = self.winning_chain(position)
        return (Mark("line", tuple(cell_name(*divmod(c, self.side)) for c in chain)),) if chain else ()

    def winning_chain(self, position: ArrayPosition) -> list[int]:
        """The shortest chain of stones that joins the winner's edges; none while there is no winner."""
        winner = int(position.state[kernels.WINNER])
        if not winner:
            return []
        side = self.side

        def along(c: int) -> int:  # from the edge that the chain begins at
            return c // side if winner == 1 else c % side

        ways = [[c] for c in range(self.cells) if along(c) == 0 and self.stone(position.state, c) == winner]
        seen = {way[0] for way in ways}
        for way in ways:  # which grows: the nearest first
            row, column = divmod(way[-1], side)
            if along(way[-1]) == side - 1:
                return way
            for down, right in STEPS:
                r, c = row + down, column + right
                cell = r * side + c
                if 0 <= r < side and 0 <= c < side and cell not in seen and self.stone(position.state, cell) == winner:
                    seen.add(cell)
                    ways.append([*way, cell])
        return []
