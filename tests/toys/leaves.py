"""Two plies and four leaves whose payoffs are options: exactness is tested on it."""

from stratagem import OVER, ArrayGame, Ground, Option, Payoffs, State


def turn(g: Ground, s: State) -> int:
    return OVER if s[0] >= 3 else 0 if s[0] == 0 else 1


def count(g: Ground, s: State, p: int) -> int:
    return 2


def move(g: Ground, s: State, p: int, k: int) -> int:
    return 2 * s[0] + 1 + k


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[0] = m


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    out[0] = PAID[s[0] - 3]  # noqa: F821 bound for each instance
    out[1] = -out[0]


class Leaves(ArrayGame):
    name = title = "leaves"
    options = (
        Option("paid", "6.0 9.0 2.0 8.0", "to the first player at each leaf"),
        Option("top", 10.0, "the largest payoff"),
        Option("bottom", -10.0, "the least payoff"),
    )
    size, max_moves, max_length = 1, 2, 2

    def setup(self):
        self.payoff_range = (self["bottom"], self["top"])

    @property
    def constants(self):
        return {"PAID": tuple(float(x) for x in self["paid"].split())}
