"""A game for the arena's tests with everything at once: chance, secret joint bids, any number of seats, odd players.

Each round chance names a prize of 1 to 3, then all seats bid 1 to 4 in secret, and the highest bid that nobody else made
takes it. After ROUNDS rounds the most prize money wins. In even rounds the last seat is not asked.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import Any

from stratagem.compile import specialise
from stratagem.contract.game import ArrayGame, Game, Option
from stratagem.contract.player import Choice, Entry, Player, RandomPlayer, Request
from stratagem.errors import StratagemError
from stratagem.kernel import CHANCE, OVER, TOGETHER, Ground, Moves, Payoffs, State

# state: [round, prize or 0, money of each seat..]
ROUND, PRIZE, MONEY = 0, 1, 2
SEATS, ROUNDS = 3, 4


def turn(g: Ground, s: State) -> int:
    if s[ROUND] == ROUNDS:
        return OVER
    return TOGETHER if s[PRIZE] > 0 else CHANCE


def count(g: Ground, s: State, p: int) -> int:
    if p == CHANCE:
        return 3
    return 0 if p == SEATS - 1 and s[ROUND] % 2 == 0 else 4


def move(g: Ground, s: State, p: int, k: int) -> int:
    return k


def odds(g: Ground, s: State, k: int) -> float:
    return 1.0 / 3.0


def play(g: Ground, s: State, p: int, m: int) -> None:
    s[PRIZE] = m + 1


def play_together(g: Ground, s: State, joint: Moves) -> None:
    best = -1
    for p in range(SEATS):
        alone = joint[p] >= 0
        for q in range(SEATS):
            if q != p and joint[q] == joint[p]:
                alone = False
        if alone and (best < 0 or joint[p] > joint[best]):
            best = p
    if best >= 0:
        s[MONEY + best] += s[PRIZE]
    s[PRIZE] = 0
    s[ROUND] += 1


def payoff(g: Ground, s: State, out: Payoffs) -> None:
    for p in range(SEATS):
        out[p] = s[MONEY + p] / (3.0 * ROUNDS)


class Auction(ArrayGame):
    name = "auction"
    title = "Auction"
    options = (
        Option("players", 3, "seats", minimum=2, maximum=5),
        Option("rounds", 4, "rounds", minimum=1, maximum=99),
    )
    zero_sum = False
    payoff_range = (0.0, 1.0)

    def setup(self) -> None:
        self.players = self["players"]
        self.size = 2 + self.players
        self.max_moves = 4

    @property
    def constants(self) -> dict[str, Any]:
        return {"SEATS": self.players, "ROUNDS": self["rounds"]}

    def move_text(self, s: State, p: int, m: int) -> str:
        return str(m + 1)


NUMBER = 0


def plus_number(x: int) -> int:
    return x + NUMBER


class Odd(Player):
    """Plays at random until its n-th decision, then does what its name says."""

    def __init__(self, game: Game, what: str, after: int = 1, seed: int = 0) -> None:
        self.name, self.what, self.left = what, what, after
        self.random = RandomPlayer(game, seed=seed)

    def answer(self, request: Request) -> Choice:
        self.left -= 1
        if self.left < 0:
            if self.what == "crash":
                raise RuntimeError("out of ideas")
            if self.what == "refuse":
                raise StratagemError("no")
            if self.what == "leave":
                raise SystemExit(3)
            if self.what == "hang":
                time.sleep(1000)
            if self.what == "spawn":
                subprocess.run(["sleep", "98765"], check=False)  # a program that never answers
            if self.what == "late":
                time.sleep(1.2)
            if self.what == "compile":
                specialise(plus_number, {"NUMBER": time.time_ns() % 2**31})(1)  # no cache holds it
                time.sleep(1.2)
            if self.what == "spin":
                sum(range(10**12))  # native code that never lets go of the interpreter
            if self.what == "die":
                os.kill(os.getpid(), signal.SIGSEGV)
            if self.what == "cheat":
                return Choice("99")
            if self.what == "mumble":
                return Choice(7)  # type: ignore[arg-type]
            if self.what == "oom":
                os.kill(os.getpid(), signal.SIGKILL)
        return self.random.answer(request)


class Dawdler(Player):
    """Random, a few milliseconds a move."""

    def __init__(self, game: Game, ms: float = 2.0, seed: int = 0) -> None:
        self.name, self.ms = "dawdle", ms
        self.random = RandomPlayer(game, seed=seed)

    def answer(self, request: Request) -> Choice:
        time.sleep(self.ms / 1000)
        return self.random.answer(request)


class Highest(Player):
    """Always bids the most, and says that it is winning."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.name = "highest"

    def answer(self, request: Request) -> Choice:
        return Choice(request.view.moves(request.seat)[-1], value=0.9)


ODD = ("crash", "refuse", "leave", "hang", "late", "compile", "spin", "spawn", "die", "cheat", "mumble", "oom")


def players(game: Game) -> dict[str, Entry]:
    entries = {
        what: Entry(lambda of, what=what, **options: Odd(of, what, **options), what, ("after", "seed")) for what in ODD
    }
    entries["random"] = Entry(RandomPlayer, "any legal move", ("seed",))
    entries["dawdle"] = Entry(Dawdler, "slow", ("ms", "seed"))
    entries["highest"] = Entry(Highest, "bids the most", ("seed",))
    return entries
