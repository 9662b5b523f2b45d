"""Notakto on one board: both players place crosses, and whoever completes three in a row loses.

A whole game in one file. Try `stratagem play examples/notakto.py`, `stratagem solve examples/notakto.py --json` and
`stratagem analyse examples/notakto.py X___X____`; docs/write-your-own-game.md goes through it part by part.
"""

from stratagem import ArrayGame, ArrayPosition, ParseError, Position
from stratagem.drawing import part, picture, tag
from stratagem.kernel import OVER, Ground, Payoffs, State

TURN, LOSER, MADE, BOARD = 0, 1, 2, 3  # state: [to move or OVER, who lost, crosses made, nine cells: 1 if crossed]
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return 9 - s[MADE]


def move(g: Ground, s: State, p: int, k: int) -> int:
    for cell in range(9):
        if s[BOARD + cell] == 0:
            if k == 0:
                return cell
            k -= 1
    return -1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[BOARD + m] = 1
    s[MADE] += 1
    s[TURN] = 1 - p
    three = 0  # one question at the end is quicker than one a line
    for a, b, c in LINES:
        three |= s[BOARD + a] & s[BOARD + b] & s[BOARD + c]
    if three:
        s[TURN] = OVER
        s[LOSER] = p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[s[LOSER]] = -1.0
    out[1 - s[LOSER]] = 1.0


class Notakto(ArrayGame):
    name, title, summary = "notakto", "Notakto", "crosses only; three in a row lose"
    size, max_moves, max_length = 12, 9, 9

    def move_text(self, s: State, p: int, m: int) -> str:
        return f"{'abc'[m % 3]}{m // 3 + 1}"

    def state_text(self, position: ArrayPosition) -> str:
        return "".join("_X"[x] for x in position.state[BOARD:])

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        if len(text) != 9 or set(text) - set("_X"):
            raise ParseError(f"{text!r} is not nine cells of X and _")
        s = self.blank()
        s[BOARD:] = [mark == "X" for mark in text]
        s[MADE] = text.count("X")
        s[TURN] = s[MADE] % 2
        if any(all(text[cell] == "X" for cell in line) for line in LINES):
            s[LOSER], s[TURN] = 1 - s[TURN], OVER
        return s, ()

    def draw(self, position: Position) -> str:
        cells = []
        for cell, mark in enumerate(str(position)):
            x, y = 10 + 50 * (cell % 3), 10 + 50 * (cell // 3)
            fill = "#444444" if mark == "X" else "#ffffff"
            box = tag("rect", x=x, y=y, width=46, height=46, fill=fill, stroke="#888888")
            name = self.move_text(self.blank(), 0, cell)
            cells.append(box if mark == "X" else part(name, box, f"cross {name}"))
        return picture(166, 166, self.title, str(position), cells)
