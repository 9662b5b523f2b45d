"""The inspection game (Dresher 1962): a smuggler may go out once in so many days, and an inspector can look on a few of them.

Each day both decide at once, the inspector whether to look, the smuggler whether to go. Caught, the smuggler loses 1; unseen,
it gains 1; who never goes gets nothing. Equilibria mix on every day but the last ones, so that a learning rule which does not
converge shows it. The reference for the value is Dresher's recursion.
"""

from functools import cache

from stratagem.contract.game import ArrayGame, Option
from stratagem.kernel import OVER, TOGETHER, Ground, Moves, Payoffs, State

# state: [days left, looks left, 1 caught or -1 got through]
DAYS, LOOKS, RESULT = 0, 1, 2
INSPECTOR, SMUGGLER = 0, 1
STAY, ACT = 0, 1


def turn(g: Ground, s: State) -> int:
    return OVER if s[RESULT] != 0 or s[DAYS] == 0 else TOGETHER


def count(g: Ground, s: State, p: int) -> int:
    return 1 if p == INSPECTOR and s[LOOKS] == 0 else 2


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def play(g: Ground, s: State, p: int, m: int) -> None:
    pass


def play_together(g: Ground, s: State, joint: Moves) -> None:
    s[DAYS] -= 1
    s[LOOKS] -= joint[INSPECTOR]
    if joint[SMUGGLER] == ACT:
        s[RESULT] = 1 if joint[INSPECTOR] == ACT else -1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[INSPECTOR] = s[RESULT]
    out[SMUGGLER] = -s[RESULT]


class Inspection(ArrayGame):
    name = "inspection"
    title = "Inspection game"
    options = (Option("days", 4, "days"), Option("looks", 2, "days on which the inspector can look"))
    size, max_moves = 3, 2

    def setup(self):
        self.max_length = self["days"]

    def first(self, s):
        s[DAYS], s[LOOKS] = self["days"], self["looks"]


@cache
def value(days, looks):
    """To the inspector. A day is the matrix [[look and go, look and stay], [not and go, not and stay]]."""
    if days == 0:
        return 0.0
    if looks == 0:
        return -1.0
    caught, saved, missed, quiet = 1.0, value(days - 1, looks - 1), -1.0, value(days - 1, looks)
    return (caught * quiet - saved * missed) / (caught + quiet - saved - missed)


def day(days, looks):
    """The matrix of a first day, to the inspector: rows stay and look, columns stay and go."""
    return [[value(days - 1, looks), -1.0], [value(days - 1, looks - 1), 1.0]]
