"""The contest program for bidding tic-tac-toe: one position on standard input, one decision on standard output.

    X                 the side that this program plays; X is player 1, O player 2
    BID               or PLAY
    1 2               player 1's bids so far, single blanks between; an empty line: no auction yet
    1 0               player 2's bids so far
    X__               the board, three rows of X, O and _
    _O_
    ___

4 gold each; the higher bid wins the right to place a mark and goes to the other player; equal bids are won by the tie
winner, X at first, and then the role passes to the other. The answer is a bid, or `row column` counted from 0.

The program starts afresh for every decision, so it compiles nothing: it looks values up in a table that ships with the
package (`contest_table.py` makes it), of the game in which this side bids at least 1 while it has gold and the other side
may bid 0. Input that contradicts itself is refused, never guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from stratagem.errors import ParseError

GOLD = 4  # each, at the start
TOTAL = 2 * GOLD
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
ROTATED = (6, 3, 0, 7, 4, 1, 8, 5, 2)
MIRRORED = (2, 1, 0, 5, 4, 3, 8, 7, 6)
TABLE = "contest-4-4.npz"

Board = tuple[int, ...]  # nine cells: 0 empty, 1 ours, 2 theirs


@dataclass(frozen=True)
class ContestDecision:
    """What is asked, seen from our side."""

    bidding: bool
    board: Board
    gold: int  # ours; the rest is theirs
    holds: bool  # whether we win the next tie
    side: str = "X"
    bids: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # of players 1 and 2 so far

    def __str__(self) -> str:
        """The position as it was read: board, histories and gold."""
        signs = "_" + self.side + "XO"["XO".index(self.side) - 1]
        rows = ["".join(signs[mark] for mark in self.board[k : k + 3]) for k in (0, 3, 6)]
        gold = (self.gold, TOTAL - self.gold) if self.side == "X" else (TOTAL - self.gold, self.gold)
        reported = (" ".join(map(str, bids)) or "none" for bids in self.bids)
        return "\n".join(
            [
                f"{self.side} is asked to {'bid' if self.bidding else 'play'}",
                f"board {' '.join(rows)}",
                *(f"player {p + 1} ({'XO'[p]}): {gold[p]} gold, bids {one}" for p, one in enumerate(reported)),
                f"the next tie goes to {self.side if self.holds else signs[2]}",
            ]
        )


def read(text: str) -> ContestDecision:
    """The decision asked for, or a ParseError that says what is wrong."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()  # what ends the last line begins no other
    while len(lines) > 7 and not lines[-1].strip():
        lines.pop()
    if len(lines) != 7:
        raise ParseError(
            f"the input has {len(lines)} line{'' if len(lines) == 1 else 's'}; "
            "it takes 7: side, BID or PLAY, two lines of bids (empty if none), three rows"
        )
    side, asked = lines[0].strip(), lines[1].strip()
    if side not in ("X", "O"):
        raise ParseError(f"line 1 is {lines[0]!r}; it names the side, X or O")
    if asked not in ("BID", "PLAY"):
        raise ParseError(f"line 2 is {lines[1]!r}; it is BID or PLAY")
    bids = [_bids(lines[2], 3), _bids(lines[3], 4)]
    if len(bids[0]) != len(bids[1]):
        raise ParseError(f"player 1 has made {len(bids[0])} bids and player 2 {len(bids[1])}; auctions pair them up")
    marks = "".join(_row(lines[4 + k], 5 + k) for k in range(3))
    gold, winners, holder = after_auctions(*bids)
    placed = 9 - marks.count("_")
    expected = placed if asked == "BID" else placed + 1
    if len(winners) != expected:
        raise ParseError(
            f"the board has {placed} marks and there were {len(winners)} auctions; at {asked} there have been {expected}"
        )
    if _line(marks, "X") or _line(marks, "O"):
        raise ParseError("the game is over: the board has three in a row")
    if placed == 9:
        raise ParseError("the game is over: the board is full")
    me = "XO".index(side)
    if asked == "PLAY" and winners[-1] != me:
        raise ParseError(f"{side} is asked to play, but the last auction was won by {'XO'[winners[-1]]}")
    played = winners if asked == "BID" else winners[:-1]
    for p, letter in enumerate("XO"):
        if marks.count(letter) != played.count(p):
            raise ParseError(
                f"the board has {marks.count(letter)} {letter}, but {letter} has won {played.count(p)} of the auctions played"
            )
    board = tuple({"_": 0, side: 1}.get(mark, 2) for mark in marks)
    return ContestDecision(asked == "BID", board, gold[me], holder == me, side, (tuple(bids[0]), tuple(bids[1])))


def _bids(line: str, number: int) -> list[int]:
    line = line.strip(" ")
    if not line:
        return []
    tokens = line.split(" ")
    for token in tokens:
        if not re.fullmatch(r"[0-9]{1,6}", token):
            raise ParseError(
                f"line {number} holds {token!r}; bids are whole numbers from 0, with single blanks between"
            )
    return [int(token) for token in tokens]


def _row(line: str, number: int) -> str:
    row = line.strip()
    if len(row) != 3 or set(row) - set("XO_"):
        raise ParseError(f"line {number} is {line!r}; a row of the board is three of X, O and _")
    return row


def _line(marks: str, letter: str) -> bool:
    return any(all(marks[c] == letter for c in line) for line in LINES)


def after_auctions(first: list[int], second: list[int]) -> tuple[list[int], list[int], int]:
    """The gold of both players after the auctions, who won each, and who wins the next tie."""
    gold, winners, holder = [GOLD, GOLD], [], 0
    for k, pair in enumerate(zip(first, second, strict=True)):
        for p in (0, 1):
            if pair[p] > gold[p]:
                raise ParseError(f"in auction {k + 1} player {p + 1} bid {pair[p]} but had {gold[p]} gold")
        winner = holder if pair[0] == pair[1] else (0 if pair[0] > pair[1] else 1)
        if pair[0] == pair[1]:
            holder = 1 - holder
        gold[winner] -= pair[winner]
        gold[1 - winner] += pair[winner]
        winners.append(winner)
    return gold, winners, holder


# ------------------------------------------------------------------------------------------------------ the decision


@cache
def _table() -> dict[int, list[int]]:
    with (files("stratagem.protocols") / "data" / TABLE).open("rb") as file, np.load(file) as kept:
        return dict(zip(kept["boards"].tolist(), kept["values"].tolist(), strict=True))


def code(board: Board) -> int:
    """A board's number in base 3, the least over the eight symmetries."""
    numbers = []
    for _ in range(2):
        for _ in range(4):
            number = 0
            for mark in board:
                number = number * 3 + mark
            numbers.append(number)
            board = tuple(board[c] for c in ROTATED)
        board = tuple(board[c] for c in MIRRORED)
    return min(numbers)


@cache
def values(board: Board) -> list[int]:
    """For us, by [we win ties * 9 + our gold]: 1 a win, 0 a draw, -1 a loss; ours are at the front of the marks."""
    for mark, result in ((1, 1), (2, -1)):
        if any(all(board[c] == mark for c in line) for line in LINES):
            return [result] * (2 * (TOTAL + 1))
    if 0 not in board:
        return [0] * (2 * (TOTAL + 1))
    return _table()[code(board)]


def place(board: Board, cell: int, mark: int) -> Board:
    return (*board[:cell], mark, *board[cell + 1 :])


def auction(board: Board, gold: int, holds: bool) -> tuple[range, list[list[int]]]:
    """Our bids, and for each the results against all of theirs."""
    empty = [c for c in range(9) if not board[c]]
    ours = [values(place(board, c, 1)) for c in empty]
    theirs = [values(place(board, c, 2)) for c in empty]

    def after(we_win: bool, bid: int, holds: bool) -> int:
        at = (TOTAL + 1) * holds + (gold - bid if we_win else gold + bid)
        return max(row[at] for row in ours) if we_win else min(row[at] for row in theirs)

    bids = range(min(1, gold), gold + 1)
    rows = [
        [after(holds, i, not holds) if i == j else after(i > j, max(i, j), holds) for j in range(TOTAL - gold + 1)]
        for i in bids
    ]
    return bids, rows


def best_bid(board: Board, gold: int, holds: bool) -> tuple[int, float]:
    """The bid that guarantees most, and of those the one that gains most on average if they bid anything; and that average."""
    bids, rows = auction(board, gold, holds)
    _, mean, bid = max((min(row), sum(row) / len(row), -bid) for bid, row in zip(bids, rows, strict=True))
    return -bid, mean


def best_cell(board: Board, gold: int, holds: bool) -> int:
    """The cell that guarantees most, and of those the one that leaves them most room to err in the next auction."""
    ranked = []
    for c in range(9):
        if not board[c]:
            after = place(board, c, 1)
            value = values(after)[(TOTAL + 1) * holds + gold]
            over = any(all(after[k] == 1 for k in line) for line in LINES) or 0 not in after
            # a win now before one later
            ranked.append((value, 2.0 * value if over else best_bid(after, gold, holds)[1], -c))
    return -max(ranked)[2]


def answer(text: str) -> str:
    """The line that the program prints, by the solution; other players are in `contest_players`."""
    asked = read(text)
    if asked.bidding:
        return str(best_bid(asked.board, asked.gold, asked.holds)[0])
    cell = best_cell(asked.board, asked.gold, asked.holds)
    return f"{cell // 3} {cell % 3}"
