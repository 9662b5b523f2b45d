"""The drawing of ASMACAG: the board, both hands with their scores, what the next number counts, and what each number of the hand
would score on each of the board."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from stratagem.drawing import LINE, SEAT_COLOURS, card, label, named, part, picture, spot, tag

CARD = WIDE, HIGH = 34, 46
GAP = 6
LEFT, TOP = 16, 16
A_ROW = 12  # cards
BUTTON, TALL = 74, 58  # a move, at most so wide: as large as a finger on a telephone
ACROSS = LEFT + A_ROW * (WIDE + GAP) + 16
SIGNS = {"D": "×2", "H": "÷2", "?": ""}
CALLED = {"D": "a card that doubles", "H": "a card that halves", "?": "a covered card"}


class CardTable(NamedTuple):
    """What is drawn."""

    seats: Sequence[str]
    board: str
    hands: Sequence[str]
    scores: Sequence[str]
    factor: str
    left: int
    turn: int


def draw(table: CardTable, moves: Sequence[str], words: tuple[str, str]) -> str:
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
            else:
                where = "on the board" if seat is None else f"in the hand of {table.seats[seat]}"
                shown = named(shown, f"{CALLED.get(sign, sign)} {where}")
            content.append(shown)
        y += (-(-max(len(cards), 1) // A_ROW)) * (HIGH + GAP) + 10
    if table.turn >= 0:
        doubled = "" if table.factor == "1" else f"the next number counts {table.factor} times; "
        reported = f"{doubled}actions left: {table.left}"
        content.append(label(reported, 16, y + 8, 14, "start"))
        y += 28
        grid, y = _scores(table, [move for move in moves if "-" in move], y)
        content += grid
    return picture(ACROSS, y + 12, title, f"{title}: {description}", content)


def _scores(table: CardTable, moves: Sequence[str], y: float) -> tuple[list[str], float]:
    """A row a number of the hand and a column a number of the board, in each field what it scores; and where that ends."""
    if not moves:
        return [], y
    pairs = [move.split("-") for move in moves]
    rows, columns = (sorted({pair[k] for pair in pairs}, key=int) for k in range(2))
    left = LEFT + 96.0
    wide = min(BUTTON, (ACROSS - 16 - left) / len(columns) - GAP)
    shown = [label("on the board", LEFT, y + 8, 14, "start")]
    shown += [label(number, left + k * (wide + GAP) + wide / 2, y + 8, 17) for k, number in enumerate(columns)]
    y += 24
    for mine, theirs in pairs:
        x, at = left + columns.index(theirs) * (wide + GAP), y + rows.index(mine) * (TALL + GAP)
        button = tag("rect", x=x, y=at, width=wide, height=TALL, rx=5, fill="#ffffff", stroke=SEAT_COLOURS[table.turn])
        points = float((int(mine) - int(theirs)) * Fraction(table.factor))
        said = f"{points:+g}" if points else "0"
        words = f"{mine} of the hand on {theirs} of the board, for {points:g}"
        shown.append(part(f"{mine}-{theirs}", button + label(said, x + wide / 2, at + TALL / 2, 17), words, table.turn))
    for k, number in enumerate(rows):
        shown.append(label(f"your {number}", LEFT, y + k * (TALL + GAP) + TALL / 2, 16, "start"))
    return shown, y + len(rows) * (TALL + GAP)
