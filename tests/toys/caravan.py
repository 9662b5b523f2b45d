"""A small game in words, for the tests of what people read: a secret cargo each, a road chosen in secret, then turns of parts.

Chance deals the cargoes, which only their holders see; both take a road at once; then each in turn loads and scouts, up to
four parts with `go` at the end, until both have moved twice. The cargoes' names are such as no page would hold by accident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from stratagem import (
    CHANCE,
    OVER,
    TOGETHER,
    Choice,
    Entry,
    Game,
    IllegalMove,
    Line,
    ParseError,
    Player,
    Position,
    Request,
)
from stratagem.contract.companions.wording import Wording
from stratagem.plans.plan import Plan
from stratagem.rng import below

CARGOES = ("saffron", "indigo", "ambergris", "lapis")
ROADS = ("north", "south")
PARTS = ("load", "scout")
HIDDEN = "?"
JOURNEY = Plan("journey", "A move is a day's journey. The engines guess.", by_parts=True, opens="dawn", closes="dusk")


class CaravanPosition(Position):
    def __init__(self, game: Caravan, held: Any = (), history: Any = (), seat: Any = None) -> None:
        self.game, self.held, self.history, self.seat = game, tuple(held), tuple(history), seat
        self.origin = None

    @property
    def turn(self) -> int:
        n = len(self.history)
        return CHANCE if n == 0 else TOGETHER if n == 1 else n % 2 if n < 6 else OVER

    @property
    def asked(self) -> tuple[int, ...]:
        return (0, 1) if self.turn == TOGETHER else super().asked

    def moves(self, seat: int | None = None) -> list[str]:
        if self.turn == CHANCE:
            return [f"{a}/{b}" for a in CARGOES for b in CARGOES if a != b]
        if self.turn == TOGETHER:
            return list(ROADS)
        return [";".join((*parts, "go")) for n in range(4) for parts in product(PARTS, repeat=n)]

    def sample(self, rng: Any, seat: int | None = None) -> str:
        moves = self.moves(seat)
        with np.errstate(over="ignore"):
            return moves[int(below(rng, len(moves)))]

    def play(self, text: str | Sequence[str]) -> CaravanPosition:
        given = text.split(" | ") if isinstance(text, str) else list(text)
        if len(given) != (2 if self.turn == TOGETHER else 1) or any(one not in self.moves(0) for one in given):
            raise IllegalMove(f"{text!r} is no move in {self}")
        held = given[0].split("/") if self.turn == CHANCE else self.held
        return CaravanPosition(self.game, held, (*self.history, " | ".join(given)))

    @property
    def payoff(self) -> tuple[float, ...]:
        loads = [sum(text.count("load") for text in self.history[2 + seat :: 2]) for seat in range(2)]
        sign = (loads[0] > loads[1]) - (loads[0] < loads[1])
        return float(sign), float(-sign)

    def view(self, seat: int | None) -> CaravanPosition:
        if not self.held or self.over:
            return self
        held = tuple(cargo if p == seat else HIDDEN for p, cargo in enumerate(self.held))
        deal = "/".join(held)
        return CaravanPosition(self.game, held, (deal, *self.history[1:]), -1 if seat is None else seat)

    def __str__(self) -> str:
        return " > ".join(self.history) or "start"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaravanPosition) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class Caravan(Game[CaravanPosition], Wording):
    name = "caravan"
    title = "Caravan"
    summary = "a secret cargo, a secret road, and days that are planned"
    plan = JOURNEY
    hidden = True
    seats = ("Ann", "Ben")
    max_length = 6

    def start(self, seed: int | None = None) -> CaravanPosition:
        found = CaravanPosition(self)
        return found if seed is None else found.play(found.moves()[seed % 12])

    def parse(self, text: str) -> CaravanPosition:
        if text.strip() in ("", "start"):
            return self.start()
        deal, *rest = text.split(" > ")
        held = deal.split("/")
        if len(held) != 2 or any(cargo not in (*CARGOES, HIDDEN) for cargo in held):
            raise ParseError(f"{text!r} is no position of caravan")
        found = CaravanPosition(self, held, (deal,))
        for move in rest:
            found = found.play(move)
        return found

    def describe(self, position: CaravanPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if mover == CHANCE:
            return f"the camels carry {' and '.join(move.split('/'))}" if HIDDEN not in move else "the camels are laden"
        if move in ROADS:
            return f"takes the {move}ern road with {position.held[mover]}"
        counted = Counter(move.split(";"))
        return f"loads {position.held[mover]} {counted['load']} times, scouts {counted['scout']} times"

    def differences(self, position: CaravanPosition, moves: Sequence[str]) -> list[list[str]]:
        return [[f"{move.count('load')} loaded"] for move in moves]


class Planner(Player[CaravanPosition]):
    """Compares three days, and loads as often as it was asked before."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        self.name, self.asked = "planner", 0

    def answer(self, request: Request[CaravanPosition]) -> Choice:
        if request.view.turn == TOGETHER:
            return Choice("south", engine=self.name)
        self.asked += 1
        days = [";".join((*["load"] * n, "scout", "go")) for n in (1, 2, 0)]
        return Choice(days[0], 0.25, tuple(Line((day,), 0.25) for day in days[: request.lines]), engine=self.name)


def players(game: Game) -> dict[str, Entry]:
    return {"planner": Entry(Planner, "plans a day")}
