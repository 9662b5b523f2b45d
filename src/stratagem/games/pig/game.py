"""The face of pig: `20,35 first 7` is the scores, the seat to play, and what it has gathered; `*` after that: rolling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.editing import Editing, Field, Sheet, mover
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.drawing import INK, SEAT_COLOURS, die, label, moving, part, picture, tag
from stratagem.errors import IllegalMove, ParseError
from stratagem.games.pig import kernels
from stratagem.kernel import CHANCE, OVER, Ground, State

SEAT_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


class Pig(ArrayGame[ArrayPosition], Drawing, Editing, Wording):
    """Pig: roll or hold; see docs/games/pig.md."""

    name = "pig"
    title = "Pig"
    summary = "roll or hold: a dice game of nerve"
    family = "luck"
    brief = (
        "In your turn you roll a die as often as you like and gather what it shows. A 1 loses all that the turn has gathered "
        "and ends it; holding adds it to your score. Whoever first reaches the target wins."
    )
    guide = "roll or hold. What is gathered counts when it is held; a one loses it."
    options = (
        Option("players", 2, "players", minimum=2, maximum=len(SEAT_NAMES)),
        Option("target", 100, "points that win", minimum=2, maximum=10000),
        Option("faces", 6, "faces of the die", minimum=2, maximum=100),
    )
    rules = kernels
    payoff_range = (-1.0, 1.0)

    def setup(self) -> None:
        self.players = self["players"]
        self.seats = SEAT_NAMES[: self.players]
        self.payoff_range = (-1.0 / (self.players - 1), 1.0)
        self.size = 3 + self.players
        self.max_moves = self.move_bound = 2

    @property
    def constants(self) -> dict[str, Any]:
        return {"SEATS": self.players, "FACES": self["faces"]}

    def ground(self) -> Ground:
        return np.array([self["target"]], np.int64)

    def move_text(self, s: State, p: int, m: int) -> str:
        return str(m + 1) if p == CHANCE else ("roll", "hold")[m]

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip().lower()
        if p == CHANCE:
            if not text.isdecimal() or not 1 <= int(text[:6]) <= self["faces"]:
                raise IllegalMove(f"{text!r} is no roll of the die; it shows 1 to {self['faces']}")
            return int(text) - 1
        if text not in ("roll", "hold"):
            raise IllegalMove(f"{text!r} is no move; write roll or hold")
        if text == "hold" and s[kernels.GATHERED] == 0:
            raise IllegalMove("nothing is gathered yet: a turn begins with roll")
        return ("roll", "hold").index(text)

    def state_text(self, position: ArrayPosition) -> str:
        s = position.state
        scores = ",".join(str(int(x)) for x in s[kernels.SCORE : self.size])
        rolling = "*" if s[kernels.PHASE] == kernels.ROLLING else ""
        return f"{scores} {self.seats[s[kernels.PLAYER]]} {int(s[kernels.GATHERED])}{rolling}"

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        fields = text.split()
        shape = f"position {text!r} is not like {str(self.start())!r}: scores, the seat to play, points gathered"
        if len(fields) != 3:
            raise ParseError(shape)
        scores, seat, gathered = fields[0].split(","), fields[1], fields[2].removesuffix("*")
        if seat not in self.seats:
            raise ParseError(f"position {text!r}: no seat is called {seat!r}; there are {', '.join(self.seats)}")
        if len(scores) != self.players or not all(x.isdecimal() for x in (*scores, gathered)):
            raise ParseError(shape)
        s = self.blank()
        s[kernels.SCORE :] = [int(x[:9]) for x in scores]
        s[kernels.PLAYER] = self.seats.index(seat)
        s[kernels.GATHERED] = int(gathered[:9])
        s[kernels.PHASE] = kernels.ROLLING if fields[2].endswith("*") else kernels.DECIDE
        winners = [p for p in range(self.players) if s[kernels.SCORE + p] >= self["target"]]
        if winners:
            if winners != [s[kernels.PLAYER]] or s[kernels.GATHERED] or fields[2].endswith("*"):
                raise ParseError(
                    f"position {text!r}: a score has reached {self['target']}, and play went on after the end"
                )
            s[kernels.PHASE] = kernels.ENDED
        return s, ()

    def art(self, position: ArrayPosition) -> str:
        s = position.state
        rows = []
        for p, name in enumerate(self.seats):
            here = f"  +{int(s[kernels.GATHERED])} gathered" if p == s[kernels.PLAYER] and position.turn != OVER else ""
            rows.append(f"{name:8}{int(s[kernels.SCORE + p]):5}{here}")
        return "\n".join(rows)

    def draw(self, position: ArrayPosition) -> str:
        s, scale = position.state, 260 / self["target"]
        content: list[str] = []
        for p, name in enumerate(self.seats):
            y = 28.0 + 38 * p
            score = int(s[kernels.SCORE + p])
            content.append(label(name, 16, y, 14, "start"))
            content.append(tag("rect", x=84, y=y - 12, width=260, height=24, fill="#ffffff", stroke="#b8b2a6"))
            content.append(
                tag("rect", x=84, y=y - 12, width=min(score * scale, 260.0), height=24, fill=SEAT_COLOURS[p % 8])
            )
            if p == s[kernels.PLAYER]:
                x = min(84 + score * scale, 344.0)
                width = min(int(s[kernels.GATHERED]) * scale, 344.0 - x)
                content.append(
                    tag("rect", x=x, y=y - 12, width=width, height=24, fill=SEAT_COLOURS[p % 8], opacity=0.45)
                )
            content.append(label(str(score), 352, y, 14, "start"))
        base = 30.0 + 38 * self.players
        for k, text in enumerate(position.moves() if position.turn >= 0 else ()):
            box = tag("rect", x=84 + 100 * k, y=base, width=92, height=46, rx=6, fill="#ffffff", stroke=INK)
            content.append(part(text, box + label(text, 130 + 100 * k, base + 23, 16), text))
        if position.history and position.history[-1].isdecimal():
            content.append(moving("die", die(int(position.history[-1]), 16, base, 46)))
        status = f"gathered {int(s[kernels.GATHERED])}" if position.turn != OVER else self.outcome(position)
        content.append(label(status, 16, base + 64, 14, "start"))
        return picture(400, base + 84, self.title, f"Pig: {position}", content)

    def sheet(self, position: ArrayPosition) -> Sheet:
        s, most = position.state, self["target"] + self["faces"]
        scores = [
            Field(name, f"score of {name}", str(int(s[kernels.SCORE + p])), most=most)
            for p, name in enumerate(self.seats)
        ]
        gathered = Field("gathered", "gathered this turn", str(int(s[kernels.GATHERED])), most=most)
        return Sheet(fields=(*scores, mover(self.seats[s[kernels.PLAYER]], self.seats), gathered))

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return f"{','.join(fields[name] for name in self.seats)} {fields['mover']} {fields['gathered']}"

    def tally(self, position: ArrayPosition) -> list[float]:
        return [float(x) for x in position.state[kernels.SCORE : self.size]]

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        s = position.state
        if mover != CHANCE:
            return {"roll": "rolls", "hold": f"holds with {int(s[kernels.GATHERED])} gathered"}[move]
        name = self.seats[s[kernels.PLAYER]]
        if move == "1":
            return f"{name} rolls a 1 and loses {int(s[kernels.GATHERED])}"
        return f"{name} rolls a {move} and has gathered {int(s[kernels.GATHERED]) + int(move)}"
