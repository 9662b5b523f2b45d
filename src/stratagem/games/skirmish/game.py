"""The face of Skirmish. A position is `first 1 3 c2T4500,g2t4500 GGBFDE/?6 GBHHMM/GGBBHH`: who is on turn, which turn it is,
points left, the board, the hands and the decks.

A move is an action: `a1-c1`, `c1>d2`, `c1+b1`, `c1=e4`, `guard a1`, `back fire`, `end`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from stratagem.contract.companions.drawing import Drawing, Mark
from stratagem.contract.companions.editing import Editing, Sheet
from stratagem.contract.companions.steps import Step, Steps, actions_left
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option, Parts
from stratagem.errors import IllegalMove
from stratagem.games.skirmish import editing, telling
from stratagem.games.skirmish import kernels as k
from stratagem.games.skirmish.maps import DRAWN, SkirmishMap
from stratagem.games.skirmish.position_text import read, write
from stratagem.games.skirmish.telling import CARD_NAMES, END
from stratagem.games.skirmish.view import art, draw
from stratagem.kernel import CHANCE, Ground, State
from stratagem.plans.plan import ACTIONS

DECKS = {  # cards of each kind, in the order of the kernels
    "standard": (3, 3, 3, 3, 1, 2, 2, 3, 2, 3, 3),
    "small": (2, 2, 2, 2, 1, 1, 1, 2, 1, 2, 2),
    "tiny": (1,) * k.CARDS,
}
USUAL_FIRST = 3  # points of the first turn
BACK = "back "  # before a card that is put back
SIGNS = "-", ">", "+", "="  # goes, strikes, heals, changes places
ACTION = re.compile(r"([a-z]\d+)\s*[->+=x ]?\s*([a-z]\d+)")


UNSEEN = "?"  # a card in the record of a seat that has not seen it


class Skirmish(ArrayGame["SkirmishPosition"], Drawing, Editing, Steps, Wording):
    """Skirmish: two small armies with hidden hands, and turns of five actions; see docs/games/skirmish.md."""

    name = "skirmish"
    title = "Skirmish"
    summary = "two small armies and hidden hands: a turn is five actions of any units and cards"
    brief = (
        "A turn has five action points, the very first has three. Each lets a unit move, strike, heal or change places, or "
        "plays a card: a unit on one of your gates, something to carry, a draught, a fire; or puts one back. Fallen units "
        "can be revived until their side's turn ends. Destroy both enemy towers, or leave the enemy without units. At the "
        "end of a turn hands are filled up to six."
    )
    guide = (
        "Capital letters are the first side's; 1 and 2 are gates, ! banners, # walls, * springs, % what has fallen. a1-c1 "
        "moves, c1>d2 strikes, c1+b1 heals, c1=e4 changes places (a scout); guard a1 brings a unit in, fire e3 and edge c1 "
        "play other cards, back fire puts one back, end ends the turn."
    )
    plan = ACTIONS
    family = "armies"
    seats = ("first", "second")
    hidden = True
    options = (
        Option("map", "field", "the board", choices=tuple(DRAWN)),
        Option("deck", "standard", "cards of each side: 28, 18 or 11", choices=tuple(DECKS)),
        Option("points", 5, "action points of a turn", minimum=2, maximum=20),
        Option(
            "first_points",
            0,
            "action points of the very first turn; 0: three, or as many as a turn has",
            minimum=0,
            maximum=20,
        ),
        Option("turn_cap", 100, "turns after which the game is drawn", minimum=1, maximum=10_000),
        Option(
            "profile",
            "clean",
            "clean: the rules; published: as the test bed's code has them, where a turn is ended early only when nothing "
            "else is possible, and a win in the last turn is none",
            choices=("clean", "published"),
        ),
    )
    rules = k
    engine = "oep"

    def setup(self) -> None:
        self.board = SkirmishMap(self["map"])
        self.deck = DECKS[self["deck"]]
        self.points = self.actions = self["points"]
        self.first_points = self["first_points"] or min(USUAL_FIRST, self.points)
        squares, units = self.board.squares, sum(self.deck[: k.UNITS])
        self.size = k.BOARD + squares
        self.move_bound = (squares + k.CARDS) * squares + k.CARDS + 1
        gates = max(map(len, self.board.gates))
        within = 2 * k.FARTHEST * (k.FARTHEST + 1)  # squares that a unit may act on
        self.max_moves = units * (within + 1) + k.UNITS * gates + squares + k.UNITS * units + k.CARDS + 1
        most = max(self.points, self.first_points) + k.HAND_SIZE
        self.max_length = 2 * k.HAND_SIZE + self["turn_cap"] * most

    @property
    def constants(self) -> dict[str, Any]:
        return {"SQUARES": self.board.squares, "PUBLISHED": self["profile"] == "published"}

    def ground(self) -> Ground:
        g = self.board.ground()
        g[k.POINTS], g[k.FIRST_POINTS], g[k.TURN_CAP] = self.points, self.first_points, self["turn_cap"]
        return g

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> SkirmishPosition:
        return SkirmishPosition(self, state, history, origin)

    def first(self, s: State) -> None:
        s[k.TURN] = 1
        for p in range(2):
            s[k.DECK + p * k.CARDS : k.DECK + (p + 1) * k.CARDS] = self.deck
            for square in self.board.towers[p]:
                k.put(s, square, k.piece(k.TOWER, p, 0, int(k.HEALTH[k.TOWER])))
                s[k.TOWERS + p] |= 1 << square

    # -- moves

    @cached_property
    def end(self) -> int:
        return self.move_bound - 1  # type: ignore[operator]  # set in `setup`

    def move_text(self, s: State, p: int, m: int) -> str:
        if p == CHANCE:
            taker = int(self.rule(k.taker, s))
            return CARD_NAMES[int(self.rule(k.nth_card, s, taker, m))]
        if m == self.end:
            return END
        a, b = divmod(m, self.board.squares)
        if a == self.board.squares + k.CARDS:
            return f"back {CARD_NAMES[b]}"
        if a >= self.board.squares:
            return f"{CARD_NAMES[a - self.board.squares]} {self.board.names[b]}"
        return f"{self.board.names[a]}{SIGNS[self.deed(s, p, a, b)]}{self.board.names[b]}"

    def deed(self, s: State, p: int, a: int, b: int) -> int:
        """What the unit on a square does on another, as an index of SIGNS."""
        if s[k.STANDING + 1 - p] >> b & 1:
            return 1
        ours = (s[k.STANDING + p] | s[k.FALLEN + p]) >> b & 1
        if ours and k.kind_of(int(s[k.BOARD + a])) == k.HEALER:
            return 2
        return 3 if s[k.STANDING + p] >> b & 1 else 0

    def parse_move(self, s: State, p: int, text: str) -> int:
        """The move of a text; a unit's action is known by its two squares, whatever sign stands between them."""
        text = " ".join(text.lower().split())
        if p == CHANCE:
            return super().parse_move(s, p, text)
        m = self._number(text)
        if m is not None and self.run_allowed(s, p, m):
            return m
        raise IllegalMove(telling.why_not(self, s, p, text, m))

    def run_allowed(self, s: State, p: int, m: int) -> bool:
        return bool(self.rule(k.allowed, self.g, s, p, m))

    def _number(self, text: str) -> int | None:
        squares, named = self.board.squares, self.board.numbers
        if text == END:
            return self.end
        word, _, rest = text.partition(" ")
        if word == "back" and rest in CARD_NAMES:
            return (squares + k.CARDS) * squares + CARD_NAMES.index(rest)
        if word in CARD_NAMES and rest in named:
            return (squares + CARD_NAMES.index(word)) * squares + named[rest]
        found = ACTION.fullmatch(text)
        if found and found[1] in named and found[2] in named:
            return named[found[1]] * squares + named[found[2]]
        return None

    def why_illegal(self, s: State, p: int, text: str) -> str:
        left = [self.move_text(s, CHANCE, m) for m in self.legal(s, CHANCE)]
        return f"{text!r} is no card that can be drawn now; it is one of {', '.join(left)}"

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        return write(self, position.state)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        return read(self, text), ()

    def sheet(self, position: ArrayPosition) -> Sheet | None:
        return editing.sheet(self, position)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return editing.written(self, position, cells, fields)

    def next_seat(self, position: ArrayPosition) -> int:
        return int(position.state[k.SEAT])

    def outcome(self, position: ArrayPosition) -> str:
        s = position.state
        if not s[k.WINNER]:
            return f"a draw after {int(s[k.TURN])} turns"
        winner = int(s[k.WINNER]) - 1
        towers = s[k.TOWERS + 1 - winner] == 0
        return f"{self.seats[winner]} wins: the other side's {'towers are destroyed' if towers else 'units are gone'}"

    # -- drawings and words

    def art(self, position: ArrayPosition) -> str:
        return art(self, position)

    def draw(self, position: ArrayPosition) -> str:
        return draw(self, position)

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return telling.describe(self, position.state, move, mover, viewer)

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        found = ACTION.fullmatch(move)
        if found:
            return (Mark("strike" if ">" in move else "arrow", (found[1], found[2])),)
        square = move.rpartition(" ")[2]
        return (Mark("reach", (square,)),) if square in self.board.numbers else ()

    def places(self, position: ArrayPosition, part: str, mover: int) -> tuple[str, ...]:
        found = ACTION.fullmatch(part)
        if found:
            return found[1], found[2]
        return tuple(word for word in part.split() if word in CARD_NAMES or word in self.board.numbers)

    def pieces(self) -> list[tuple[str, str]]:
        return telling.pieces()

    def steps(
        self, position: ArrayPosition, prefix: Sequence[str], following: Parts, seat: int | None = None
    ) -> tuple[Step, ...]:
        left = int(position.state[k.LEFT])
        return actions_left(left, self.first_points if position.state[k.TURN] == 1 else self.points, following)

    def question(self, position: ArrayPosition, seat: int) -> str:
        left = int(position.state[k.LEFT])
        return f"{left} action{'s' * (left != 1)} left"

    def heading(self, position: SkirmishPosition) -> str:
        phase = position.state[k.PHASE]
        return "The deal" if phase == k.DEALING else f"Turn {int(position.state[k.TURN])}"


class SkirmishPosition(ArrayPosition):
    """A seat's record tells what was done; of cards that were drawn or put back, its own."""

    game: Skirmish

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        reported = []
        for text, owner in zip(self.history, self.owners(), strict=True):
            if owner != seat and text in CARD_NAMES:
                text = UNSEEN
            elif owner != seat and text.startswith(BACK):
                text = f"{BACK}{UNSEEN}"
            reported.append(text)
        return tuple(reported)

    def owners(self) -> list[int]:
        """Whose every step of the record was, a draw by chance included: turns end by their points or by word."""
        begun: SkirmishPosition = self.game.start() if self.origin is None else self.game.parse(self.origin)
        s, found = begun.state, []
        seat, left, drawer, dealt = int(s[k.SEAT]), int(s[k.LEFT]), int(s[k.SEAT]), 2 * k.HAND_SIZE
        if s[k.PHASE] == k.DEALING:
            left, dealt = self.game.first_points, int(s[k.HELD] + s[k.HELD + 1])
        elif s[k.PHASE] == k.DRAWING:
            seat, left = 1 - seat, self.game.points
        for text in self.history:
            if text in CARD_NAMES:
                found.append(drawer if dealt == 2 * k.HAND_SIZE else dealt // k.HAND_SIZE)
                dealt += dealt < 2 * k.HAND_SIZE
                continue
            found.append(seat)
            left -= 1
            if text == END or left == 0:
                seat, left, drawer = 1 - seat, self.game.points, seat
        return found
