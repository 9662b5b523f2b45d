"""The face of Colonel Blotto: a one-shot game. A move is `3,4,5`, the units on each front; both are revealed together.

A position is `start`, or the allocations with ` | ` between them, and where ties are tossed for, ` / ` and who won each
tied front: `3,1,1 | 3,2,0 / second`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, JOINT, OVER, TOGETHER, Form, Game, Option, Parts, Position
from stratagem.errors import GameOver, IllegalMove, NotOver, OptionError, ParseError, StratagemError, Unlistable
from stratagem.games.blotto.rules import OBJECTIVES, TIES, Rules
from stratagem.games.blotto.view import battle
from stratagem.plans.allocation import LISTABLE, Plan, allocations, sample
from stratagem.plans.plan import ALLOCATION
from stratagem.rng import Rng, below

if TYPE_CHECKING:
    from stratagem.contract.player import Solver

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TOSSED = " / "
SHOWN = 4096  # moves that are listed


class Blotto(Game["BlottoPosition"], Drawing, Wording):
    """Colonel Blotto: units split over fronts, both at once; see docs/games/blotto.md."""

    name = "blotto"
    title = "Colonel Blotto"
    summary = "split units over fronts, both at once; the larger allocation takes the front"
    brief = (
        "Each player splits a number of units over several fronts, all at once and in secret. On each front "
        "whoever placed more takes what the front is worth, and a tie is settled as the options say. What "
        "counts is the sum of the values taken or, by option, only whether it is the larger sum; in a lottery "
        "each front is shared in proportion to powers of the units."
    )
    guide = "A move is the units for each front, with commas between: 4,3,2,1."
    plan = ALLOCATION
    options = (
        Option("units", (10, 10), "the units of each player, with commas between; two players or more", minimum=0),
        Option("values", "1,2,3,4", "what the fronts are worth, with commas between: 1,2,3 or 0.5,1/3"),
        Option("values_b", "", "what the fronts are worth to the second player, if not the same"),
        Option("objective", "score", "what a player wants: the score, to win, or shares by lottery", OBJECTIVES),
        Option("objective_b", "", "what the second player wants, if not the same", ("", *OBJECTIVES)),
        Option("ties", "split", "a tied front is split, lost, tossed for, or goes to one player", TIES),
        Option("power", "2", "lottery: x units count x to this power"),
        Option("disposal", False, "units may stay unspent"),
        Option("worth", "0", "worth of each unspent unit to its owner"),
    )
    zero_sum = False  # payoffs are scores; with common values they add up to the total, not to nothing
    max_length = 2

    def setup(self) -> None:
        if not 2 <= len(self["units"]) <= len(SEATS):
            raise OptionError(f"option units names {len(self['units'])} players; from 2 to {len(SEATS)} can play")
        self.rules = Rules.of(
            self["units"],
            self["values"],
            self["values_b"] or None,
            self["objective"],
            self["ties"],
            objective_b=self["objective_b"] or None,
            power=self["power"],
            disposal=self["disposal"],
            worth=self["worth"],
        )
        self.players = self.rules.players
        self.seats = SEATS[: self.players]
        self.payoff_range = (0.0, max(self.rules.most(p) for p in range(self.players)))

    def start(self, seed: int | None = None) -> BlottoPosition:
        return BlottoPosition(self)

    def parse(self, text: str) -> BlottoPosition:
        text = text.strip()
        position = BlottoPosition(self)
        if text in ("", "start"):
            return position
        joint, slash, tossed = text.partition(TOSSED)
        try:
            position = position.play(joint)
            return position.play(tossed) if slash else position
        except GameOver:
            raise ParseError(f"position {text!r}: no front is tied, so no coin is tossed") from None
        except StratagemError as error:
            raise ParseError(f"position {text!r}: {error}") from None

    def solver(self) -> Solver[BlottoPosition]:
        from stratagem.games.blotto.answers import BlottoSolver  # rules load without what solves them

        return BlottoSolver(self)

    def draw(self, position: BlottoPosition) -> str:
        return battle(self.rules, dict(enumerate(position.plans)), position.tosses, self.seats)

    def tally(self, position: BlottoPosition) -> Sequence[float] | None:
        return position.payoff if self["objective"] == "score" else None

    def describe(self, position: BlottoPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if mover == CHANCE:
            return f"coins fall for {move}"
        units = move.replace(";", ",").split(",")
        return "sends " + ", ".join(f"{n.strip()} to front {front + 1}" for front, n in enumerate(units))

    def sketch(self, position: BlottoPosition, prefix: Sequence[str], seat: int | None = None) -> str:
        if position.turn == CHANCE or not prefix:
            return position.svg()
        seat = position._seat(seat)
        plan = self.rules.read_plan(";".join(prefix), seat)
        return battle(self.rules, {seat: plan}, None, self.seats, steps=True)

    def art(self, position: BlottoPosition) -> str:
        """A table: a row a front, a column a player."""
        rules, names = self.rules, self.seats
        private = len(set(rules.values)) > 1
        rows = [
            ["front", *([f"value to {name}" for name in names] if private else ["value"]), *(position.plans and names)]
        ]
        for front in range(rules.fronts):
            values = rules.values if private else rules.values[:1]
            rows.append(
                [str(front + 1), *(str(v[front]) for v in values), *(str(plan[front]) for plan in position.plans)]
            )
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        budgets = ", ".join(f"{name} has {units}" for name, units in zip(names, rules.units, strict=True))
        wants = " and ".join(dict.fromkeys(rules.objectives))
        lines.append(f"units: {budgets}; objective: {wants}; a tied front: {rules.ties}")
        if position.tosses:
            lines.append(
                "coins: " + ", ".join(f"front {i + 1} to {names[p]}" for i, p in sorted(position.tosses.items()))
            )
        if position.over:
            lines.append("payoffs: " + ", ".join(f"{n} {x:g}" for n, x in zip(names, position.payoff, strict=True)))
        return "\n".join(lines)


class BlottoPosition(Position):
    """Before the units are placed, after, or after but with coins to toss."""

    def __init__(self, game: Blotto, plans: tuple[Plan, ...] = (), tosses: dict[int, int] | None = None) -> None:
        self.game: Blotto = game
        self.plans = plans
        self.tosses = tosses
        self.origin = None

    @property
    def history(self) -> tuple[str, ...]:  # type: ignore[override]  # it follows from the rest
        if not self.plans:
            return ()
        joint = JOINT.join(",".join(map(str, plan)) for plan in self.plans)
        return (joint,) if self.tosses is None else (joint, self._tossed())

    @property
    def turn(self) -> int:
        if not self.plans:
            return TOGETHER
        return CHANCE if self._tied and self.tosses is None else OVER

    @property
    def asked(self) -> tuple[int, ...]:
        return tuple(range(self.game.players)) if not self.plans else ()

    @property
    def _tied(self) -> list[tuple[int, tuple[int, ...]]]:
        rules = self.game.rules
        return rules.tied(self.plans) if rules.ties == "coin" and set(rules.objectives) != {"lottery"} else []

    def _tossed(self) -> str:
        return ",".join(self.game.seat_name(seat) for _, seat in sorted((self.tosses or {}).items()))

    def _seat(self, seat: int | None) -> int:
        if self.over:
            raise GameOver(f"the game is over ({self.game.outcome(self)}): there is no move to make in {str(self)!r}")
        if seat is None:
            raise StratagemError("all seats decide at once here: say which seat's moves are meant")
        if seat not in self.asked:
            raise IllegalMove(f"{self.game.seat_name(seat)} has nothing to decide in {str(self)!r}")
        return seat

    def moves(self, seat: int | None = None) -> list[str]:
        rules = self.game.rules
        if self.turn == CHANCE:
            ways = 1
            for _, who in self._tied:
                ways *= len(who)
            if ways > SHOWN:
                raise Unlistable(f"{len(self._tied)} coins fall in {ways} ways, too many to list; `sample` tosses them")
            return [",".join(map(self.game.seat_name, way)) for way in product(*(who for _, who in self._tied))]
        seat = self._seat(seat)
        if rules.plans(seat) > min(SHOWN, LISTABLE):
            raise Unlistable(
                f"{rules.units[seat]} units on {rules.fronts} fronts have {rules.plans(seat)} allocations, too many to "
                "list; `sample` draws one"
            )
        return [",".join(map(str, plan[: rules.fronts])) for plan in allocations(rules.units[seat], rules.slots)]

    def sample(self, rng: Rng, seat: int | None = None) -> str:
        rules = self.game.rules
        if self.turn == CHANCE:
            with np.errstate(over="ignore"):  # the generator's arithmetic wraps, on purpose
                return ",".join(self.game.seat_name(who[int(below(rng, len(who)))]) for _, who in self._tied)
        seat = self._seat(seat)
        return ",".join(map(str, sample(rules.units[seat], rules.slots, rng)[: rules.fronts]))

    def parts(self, prefix: Sequence[str] = (), seat: int | None = None) -> Parts:
        if self.turn == CHANCE:
            return super().parts(prefix, seat)
        seat = self._seat(seat)
        rules = self.game.rules
        budget = f"up to {rules.units[seat]}" if rules.disposal else f"{rules.units[seat]} in all"
        free = f"units on each of the {rules.fronts} fronts, with commas between, {budget}"
        if not prefix:
            fronts = tuple(f"front {front + 1}" for front in range(rules.fronts))
            form = Form("numbers", fronts, total=rules.units[seat], spare=rules.disposal)
            return Parts((rules.example(seat),), False, free, form)
        rules.parse_plan(";".join(prefix), seat)
        return Parts((), True, free)

    def play(self, text: str | Sequence[str]) -> BlottoPosition:
        if self.over:
            raise GameOver(f"the game is over ({self.game.outcome(self)}): there is no move to make in {str(self)!r}")
        if self.turn == CHANCE:
            return self._toss(text if isinstance(text, str) else ",".join(text))
        texts = text.split(JOINT.strip()) if isinstance(text, str) else list(text)
        if len(texts) != self.game.players:
            raise IllegalMove(
                f"{text!r} is {len(texts)} of {self.game.players} allocations; write one a player with | between: "
                + JOINT.join(self.game.rules.example(p) for p in range(self.game.players))
            )
        plans = tuple(self.game.rules.parse_plan(item, seat) for seat, item in enumerate(texts))
        return BlottoPosition(self.game, plans)

    def _toss(self, text: str) -> BlottoPosition:
        names = [name.strip() for name in text.split(",")]
        tied = self._tied
        if len(names) != len(tied):
            raise IllegalMove(f"{text!r} names {len(names)} winners; {len(tied)} fronts are tied")
        tosses = {}
        for name, (front, who) in zip(names, tied, strict=True):
            allowed = {self.game.seat_name(seat): seat for seat in who}
            if name not in allowed:
                raise IllegalMove(
                    f"{name!r} cannot win the coin on front {front + 1}; it is one of {', '.join(allowed)}"
                )
            tosses[front] = allowed[name]
        return BlottoPosition(self.game, self.plans, tosses)

    @property
    def payoff(self) -> tuple[float, ...]:
        if not self.over:
            raise NotOver(f"the game is not over in {str(self)!r}, so there are no payoffs")
        return tuple(float(x) for x in self.game.rules.payoffs(self.plans, self.tosses))

    def __str__(self) -> str:
        return TOSSED.join(self.history) or "start"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BlottoPosition)
            and self.game == other.game
            and (self.plans, self.tosses) == (other.plans, other.tosses)
        )

    def __hash__(self) -> int:
        return hash((self.game, str(self)))
