"""The drawing of ASMACAG: the board, both hands with their scores, and what the next number counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stratagem.drawing import LINE, SEAT_COLOURS, card, label, part, picture, spot, tag

CARD = WIDE, HIGH = 34, 46
GAP = 6
LEFT, TOP = 16, 16
A_ROW = 12  # cards
BUTTON, TALL, BUTTONS = 74, 44, 6  # moves: as large as a finger on a telephone, and how many a row has
SIGNS = {"D": "×2", "H": "÷2", "?": ""}


class Table(NamedTuple):
    """What is drawn."""

    seats: Sequence[str]
    board: str
    hands: Sequence[str]
    scores: Sequence[str]
    factor: str
    left: int
    turn: int


def draw(table: Table, moves: Sequence[str], words: tuple[str, str]) -> str:
    """The table; numbers that may be played on something open a row of what they may be played on."""
    title, description = words
    content, y = [], float(TOP)
    rows: list[tuple[str, str, str, int | None]] = [("board", table.board, LINE, None)]
    rows += [(f"{name}: {table.scores[p]}", table.hands[p], SEAT_COLOURS[p], p) for p, name in enumerate(table.seats)]
    for heading, cards, colour, seat in rows:
        content.append(label(heading, LEFT, y + 8, 14, "start"))
        y += 22
        for k, sign in enumerate(cards):
            x = LEFT + (k % A_ROW) * (WIDE + GAP)
            at = y + (k // A_ROW) * (HIGH + GAP)
            shown = spot(f"card {sign}", card(SIGNS.get(sign, sign), x, at, CARD, colour, sign != "?"))
            move = {"D": "double", "H": "half"}.get(sign, "")
            if seat is not None and seat == table.turn and move in moves:
                shown = part(move, shown, f"{move} what the next number counts", seat)
            content.append(shown)
        y += (-(-max(len(cards), 1) // A_ROW)) * (HIGH + GAP) + 10
    if table.turn >= 0:
        told = f"the next number counts {table.factor} times; actions left: {table.left}"
        content.append(label(told, 16, y + 8, 14, "start"))
        y += 28
        numbers = [move for move in moves if "-" in move]
        for k, move in enumerate(numbers):
            x, at = LEFT + (k % BUTTONS) * (BUTTON + GAP), y + (k // BUTTONS) * (TALL + GAP)
            button = tag(
                "rect", x=x, y=at, width=BUTTON, height=TALL, rx=5, fill="#ffffff", stroke=SEAT_COLOURS[table.turn]
            )
            mine, theirs = move.split("-")
            words_of = f"{mine} of the hand on {theirs} of the board"
            content.append(part(move, button + label(move, x + BUTTON / 2, at + TALL / 2, 17), words_of, table.turn))
        y += -(-len(numbers) // BUTTONS) * (TALL + GAP)
    width = LEFT + A_ROW * (WIDE + GAP) + 16
    return picture(width, y + 12, title, f"{title}: {description}", content)
