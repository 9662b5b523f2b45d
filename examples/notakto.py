"""Notakto on one board: both players place crosses, and whoever completes three in a row loses.

A whole game in one file. Try `stratagem play examples/notakto.py`, `stratagem solve examples/notakto.py --json` and
`stratagem analyse examples/notakto.py X___X____`; docs/write-your-own-game.md goes through it part by part.
"""

from stratagem import OVER, ArrayGame, ArrayPosition, Drawing, Ground, ParseError, Payoffs, Position, State
from stratagem.drawing import part, picture, tag

TURN, LOSER, MADE, CROSSES = 0, 1, 2, 3  # state: [to move or OVER, who lost, crosses made, the crossed cells as bits]
LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)  # as bits too


def turn(g: Ground, s: State) -> int:
    return s[TURN]


def count(g: Ground, s: State, p: int) -> int:
    return 9 - s[MADE]


def move(g: Ground, s: State, p: int, k: int) -> int:
    for cell in range(9):
        if s[CROSSES] >> cell & 1 == 0:
            if k == 0:
                return cell
            k -= 1
    return -1


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[CROSSES] |= 1 << m
    s[MADE] += 1
    s[TURN] = 1 - p
    three = False  # one question at the end is quicker than one a line
    for line in LINES:
        three |= s[CROSSES] & line == line
    if three:
        s[TURN] = OVER
        s[LOSER] = p


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[s[LOSER]] = -1.0
    out[1 - s[LOSER]] = 1.0


class Notakto(ArrayGame, Drawing):
    name, title, summary = "notakto", "Notakto", "crosses only; three in a row lose"
    size, max_moves, max_length = 4, 9, 9

    def move_text(self, s: State, p: int, m: int) -> str:
        return f"{'abc'[m % 3]}{m // 3 + 1}"

    def state_text(self, position: ArrayPosition) -> str:
        return "".join("_X"[position.state[CROSSES] >> cell & 1] for cell in range(9))

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        if len(text) != 9 or set(text) - set("_X"):
            raise ParseError(f"{text!r} is not nine cells of X and _")
        s = self.blank()
        s[CROSSES] = sum(1 << cell for cell, mark in enumerate(text) if mark == "X")
        s[MADE] = text.count("X")
        s[TURN] = s[MADE] % 2
        if any(s[CROSSES] & line == line for line in LINES):
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
