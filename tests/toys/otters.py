"""A small game with secrets for the web's tests: a hidden animal each, a stake in secret, the dearer stake wins.

Animals are dealt by chance and seen by their holder alone; a stake has two parts, `raise;3` or `fold`. The names are such
as no page would hold by accident."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem import CHANCE, OVER, TOGETHER, Entry, Game, Parts, Position, RandomPlayer
from stratagem.errors import IllegalMove, ParseError
from stratagem.plans.plan import BID
from stratagem.rng import below

ANIMALS = ("zebrafish", "quokka", "axolotl", "pangolin", "okapi", "numbat")
STAKES = ("1", "2", "3")


class OtterPosition(Position):
    def __init__(self, game: Otters, held: Any = (), stakes: Any = (), history: Any = (), seat: Any = None) -> None:
        self.game, self.held, self.stakes, self.history, self.seat = game, held, stakes, history, seat
        self.origin = None

    @property
    def turn(self) -> int:
        return CHANCE if not self.held else OVER if self.stakes else TOGETHER

    @property
    def asked(self) -> tuple[int, ...]:
        return (0, 1) if self.turn == TOGETHER else ()

    def moves(self, seat: int | None = None) -> list[str]:
        if self.turn == CHANCE:
            return [f"{a}/{b}" for a in ANIMALS for b in ANIMALS if a != b]
        return ["fold", *(f"raise;{stake}" for stake in STAKES)]

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        return super().parts(prefix, seat)

    def sample(self, rng: Any, seat: int | None = None) -> str:
        moves = self.moves(seat)
        with np.errstate(over="ignore"):
            return moves[int(below(rng, len(moves)))]

    def play(self, text: str | Sequence[str]) -> OtterPosition:
        if self.turn == CHANCE:
            if text not in self.moves():
                raise IllegalMove(f"{text!r} is no deal")
            return OtterPosition(self.game, tuple(str(text).split("/")), (), (*self.history, str(text)))
        given = text.split(" | ") if isinstance(text, str) else list(text)
        if len(given) != 2 or any(one not in self.moves(0) for one in given):
            raise IllegalMove(f"{text!r} is not two stakes in {self}")
        return OtterPosition(self.game, self.held, tuple(given), (*self.history, " | ".join(given)))

    @property
    def payoff(self) -> tuple[float, ...]:
        worth = [0 if stake == "fold" else int(stake[6:]) + ANIMALS.index(animal)
                 for stake, animal in zip(self.stakes, self.held, strict=True)]  # fmt: skip
        sign = (worth[0] > worth[1]) - (worth[0] < worth[1])
        return (float(sign), float(-sign))

    def view(self, seat: int | None) -> OtterPosition:
        if not self.held or self.stakes:
            return self
        held = tuple(animal if p == seat else "?" for p, animal in enumerate(self.held))
        reported = tuple("?" for _ in self.history)
        return OtterPosition(self.game, held, (), reported, -1 if seat is None else seat)

    def __str__(self) -> str:
        return f"{'/'.join(self.held) or '-'} {'+'.join(self.stakes) or '-'}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OtterPosition) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class Otters(Game):
    name = "otters"
    title = 'Otters <b>&amp; "friends"</b>'
    summary = "a stake on a secret animal <script>alert(1)</script>"
    plan = BID
    hidden = True
    max_length = 2

    def start(self, seed: int | None = None) -> OtterPosition:
        return OtterPosition(self)

    def parse(self, text: str) -> OtterPosition:
        if text.strip() in ("", "start", "- -"):
            return self.start()
        held, _, stakes = text.partition(" ")
        animals = tuple(held.split("/"))
        if len(animals) != 2 or any(animal not in (*ANIMALS, "?") for animal in animals):
            raise ParseError(f"{text!r} is no position of otters")
        position = OtterPosition(self, animals)
        return position if stakes in ("", "-") else position.play(stakes.split("+"))


def players(game: Game) -> dict[str, Entry]:
    return {
        "random": Entry(RandomPlayer, "any stake, all alike"),
        "umi": Entry(RandomPlayer, "runs another program", external=True),
    }
