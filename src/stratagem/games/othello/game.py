"""The face of othello: text, names and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagem.bits import word
from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet, in_rows, mover, two_sides
from stratagem.contract.companions.puzzling import SOLVE, Puzzles, Puzzling
from stratagem.contract.companions.sgf import BoardRecord, Sgf
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.drawing import BLACK, WHITE
from stratagem.errors import IllegalMove, ParseError
from stratagem.games.boards import cell_name, read_cell, read_rows, write_rows
from stratagem.games.othello import features, kernels
from stratagem.games.othello.view import draw
from stratagem.kernel import OVER, State
from stratagem.plans.bid import Boards

MARKS = "_XO"
PASS = "pass"


class Othello(ArrayGame[ArrayPosition], Drawing, Editing, Puzzles, Sgf, Wording):
    """Othello: enclose discs to turn them over; see docs/games/othello.md."""

    name = "othello"
    title = "Othello"
    summary = "enclose discs to turn them over; most discs win"
    brief = (
        "Two players put discs of their colour on the board in turn. A disc must enclose a straight line of the "
        "other's discs between itself and another of one's own, and all so enclosed are turned over. Who can do "
        "nothing passes; when neither can, most discs win."
    )
    guide = "A move is an empty cell: d3; pass where there is none. X begins."
    sgf = BoardRecord(2, ("size",))
    inks = (
        ("X", "magenta"),
        ("O", "bold"),
    )
    puzzles = (
        Puzzling(
            "find the only move that keeps the best result",
            player="alphabeta:depth=2",
            judge=SOLVE,
            decoy="alphabeta:depth=3",
            margin=1.0,
            options={"size": 6},
            stray=0.2,
            plies=(21, 28),
            share=2,
        ),
    )
    options = (
        Option("size", 8, "cells along an edge", choices=(4, 6, 8)),
        Option(
            "payoff",
            "result",
            "what is won: the game (1, 0, -1), or the difference of discs",
            choices=("result", "discs"),
        ),
    )
    seats = ("X", "O")
    people = ("Black", "White")
    seat_colours = (BLACK, WHITE)
    rules = kernels
    feature_rules = features  # what a network sees
    killers = False  # for alpha-beta: the other side's mobility tells more

    def setup(self) -> None:
        self.side = int(self["size"])
        self.cells = self.side**2
        self.size = 3
        if self.side == 8:  # what a network sees was made for this board
            self.feature_count, self.features_at_once = features.COUNT, features.AT_ONCE
            self.feature_columns = features.shared()
        self.move_bound = self.cells + 1  # the last one passes
        self.max_moves = self.cells  # of any board that can be written down; in play there are never more than 33
        self.max_length = 2 * (self.cells - 4)
        if self["payoff"] == "discs":
            self.payoff_range = (-float(self.cells), float(self.cells))

    @property
    def constants(self) -> dict[str, Any]:
        side, cells = self.side, self.cells

        def of(wanted: Any) -> int:
            return word(sum(1 << c for c in range(cells) if wanted(*divmod(c, side))))

        inside = range(side)
        ways = ((0, 1), (1, 0), (1, -1), (1, 1))
        ends = (0, side - 1)
        return {
            "SIDE": side,
            "CELL_COUNT": cells,
            "STEPS": tuple(down * side + right for down, right in ways),
            "UP": tuple(of(lambda r, c, d=d, e=e: r - d in inside and c - e in inside) for d, e in ways),
            "DOWN": tuple(of(lambda r, c, d=d, e=e: r + d in inside and c + e in inside) for d, e in ways),
            "CORNERS": of(lambda r, c: r in ends and c in ends),
            "NEAR_CORNERS": of(lambda r, c: r in (1, side - 2) and c in (1, side - 2)),
            "EDGE": of(lambda r, c: r in ends or c in ends),
            "DISCS_PAY": self["payoff"] == "discs",
            "WEIGHTS": tuple(weight(side, *divmod(c, side)) for c in range(cells)),
        }

    def first(self, s: State) -> None:
        middle = self.side // 2
        for row, column, seat in (
            (middle - 1, middle - 1, 1),
            (middle - 1, middle, 0),
            (middle, middle - 1, 0),
            (middle, middle, 1),
        ):
            s[seat] |= np.int64(1) << np.int64(row * self.side + column)

    # -- moves: a letter for the column and a number for the row, from the top left; or pass

    def move_text(self, s: State, p: int, m: int) -> str:
        return PASS if m == self.cells else cell_name(*divmod(m, self.side))

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        legal = self.legal(s, p)
        if text == PASS:
            if legal != [self.cells]:
                raise IllegalMove(f"{MARKS[1 + p]} can place a disc, so may not pass; legal: {self._list(s, p, legal)}")
            return self.cells
        row, column = read_cell(text)
        if not (0 <= row < self.side and 0 <= column < self.side):
            last = cell_name(self.side - 1, self.side - 1)
            raise IllegalMove(f"{text!r} names no cell; cells go from a1 (top left) to {last}")
        m = row * self.side + column
        stone = self.stone(s, m)
        if stone:
            raise IllegalMove(f"cell {text} already holds {MARKS[stone]}; legal: {self._list(s, p, legal)}")
        if m not in legal:
            raise IllegalMove(f"a disc on {text} turns nothing over; legal: {self._list(s, p, legal)}")
        return m

    def _list(self, s: State, p: int, legal: list[int]) -> str:
        return " ".join(self.move_text(s, p, m) for m in legal)

    # -- positions

    def stone(self, s: State, c: int) -> int:
        """What lies in a cell: 0 nothing, 1 X, 2 O."""
        return int(s[0] >> c & 1) + 2 * int(s[1] >> c & 1)

    def board_text(self, s: State) -> str:
        return write_rows([self.stone(s, c) for c in range(self.cells)], self.side, MARKS)

    def state_text(self, position: ArrayPosition) -> str:
        turn = position.turn
        return self.board_text(position.state) + ("" if turn == OVER else f":{MARKS[1 + turn]}")

    def parse_board(self, text: str) -> State:
        """The state of a board, the end recognised; X moves if the text does not say."""
        discs, mover = read_rows(text, self.side, self.side, MARKS)
        s = self.blank()
        for seat in (0, 1):
            s[seat] = word(sum(1 << c for c, x in enumerate(discs) if x == 1 + seat))
        s[kernels.TURN] = mover or 0
        if all(self.legal(s, p) == [self.cells] for p in (0, 1)):
            s[kernels.TURN] = OVER
        return s

    def boards(self) -> Boards:
        return Boards(self.board_text, self.parse_board, kernels.TURN)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        s = self.parse_board(text)
        middle = self.side // 2
        for row in (middle - 1, middle):
            for column in (middle - 1, middle):
                if not self.stone(s, row * self.side + column):
                    raise ParseError(
                        f"position {text!r} has no disc on {cell_name(row, column)}, where one never leaves"
                    )
        _, mover = read_rows(text, self.side, self.side, MARKS)
        if mover is None and s[kernels.TURN] != OVER:
            raise ParseError(f"position {text!r} does not say who moves; write :X or :O behind it")
        return s, ()

    def next_seat(self, position: ArrayPosition) -> int:
        return len(position.history) % 2 if position.over else position.turn

    def art(self, position: ArrayPosition) -> str:
        rows = ["  " + " ".join(chr(97 + c) for c in range(self.side))]
        for row in range(self.side):
            discs = (self.stone(position.state, row * self.side + c) for c in range(self.side))
            rows.append(f"{row + 1} " + " ".join("." if x == 0 else MARKS[x] for x in discs))
        return "\n".join(rows)

    def draw(self, position: ArrayPosition) -> str:
        discs = [self.stone(position.state, c) for c in range(self.cells)]
        legal = [] if position.over else position.move_numbers()
        return draw(self.side, discs, legal, PASS, self.title, str(position))

    def sheet(self, position: ArrayPosition) -> Sheet:
        cells = {cell_name(*divmod(c, self.side)): MARKS[self.stone(position.state, c)] for c in range(self.cells)}
        who = mover(MARKS[1 + max(position.turn, 0)], MARKS[1:])
        return Sheet(cells, two_sides(MARKS, ("empty", "X, black", "O, white")), (who,), self.side)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return f"{in_rows(cells, self.side)}:{fields['mover']}"

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if move == PASS:
            return "passes"
        after = position.play(move).state
        changed = sum(self.stone(position.state, c) not in (0, self.stone(after, c)) for c in range(self.cells))
        return f"places a disc on {move} and turns {changed} over"

    def outcome(self, position: ArrayPosition) -> str:
        discs = [int(n) for n in self.tally(position)]
        if discs[0] == discs[1]:
            return f"a draw, {discs[0]} discs each"
        won = int(discs[1] > discs[0])
        return f"{self.people[won]} ({self.seats[won]}) wins, {discs[won]} discs to {discs[1 - won]}"

    def tally(self, position: ArrayPosition) -> list[float]:
        discs = [self.stone(position.state, c) for c in range(self.cells)]
        return [discs.count(1), discs.count(2)]

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        return () if move == PASS else (Mark("last", (move,)),)


def weight(side: int, row: int, column: int) -> int:
    """How good a cell is, roughly: corners, then edges, the middle, and last the cells that give a corner away."""
    row, column = sorted((min(row, side - 1 - row), min(column, side - 1 - column)))
    if side == 4:
        return {(0, 0): 8, (0, 1): -2, (1, 1): 0}[row, column]
    return {(0, 0): 40, (0, 1): -12, (1, 1): -24}.get((row, column), 6 if row == 0 else -2 if row == 1 else 0)
