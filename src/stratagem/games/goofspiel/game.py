"""The face of goofspiel: `4 1,2,3 1,2,3,4/1,2,3,4 0/0` is the open prize, those to come, the hands and the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratagem.contract.companions.drawing import Drawing, Frame
from stratagem.contract.companions.editing import Editing, Field, Sheet
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import JOINT, TOGETHER, ArrayGame, ArrayPosition, Option
from stratagem.errors import ParseError
from stratagem.games.goofspiel import kernels
from stratagem.games.goofspiel.view import draw
from stratagem.kernel import CHANCE, State
from stratagem.plans.plan import BID

SEAT_NAMES = ("first", "second", "third", "fourth", "fifth")
NONE = "-"


class Goofspiel(ArrayGame[ArrayPosition], Drawing, Editing, Wording):
    """Goofspiel: all bid at once for prizes, and each card bids once; see docs/games/goofspiel.md."""

    name = "goofspiel"
    title = "Goofspiel"
    summary = "all bid at once for prizes, and each card bids once"
    brief = (
        "Everyone holds the same cards, one to n, and prizes worth one to n come up one at a time. All bid a card "
        "in secret and at once; the highest takes the prize, a tie for it lets nobody have it, and cards bid are "
        "gone. Most points win."
    )
    guide = "A move is a card of the hand, chosen at once with the other: 4."
    plan = replace(
        BID,
        first=(
            "Click a card of your hand: your secret bid for the prize that lies open.",
            "Commit it. All bids are turned over at once, and the highest one takes the prize.",
            "Each card bids once: keep the high ones for prizes that are worth it.",
        ),
    )
    options = (
        Option("cards", 4, "cards of each hand, and prizes", minimum=1, maximum=13),
        Option("players", 2, "players", minimum=2, maximum=len(SEAT_NAMES)),
        Option("order", "descending", "how the prizes come up", choices=("descending", "ascending", "random")),
        Option(
            "payoff", "points", "points: the lead over the others; win: the most points win", choices=("points", "win")
        ),
    )
    rules = kernels

    def setup(self) -> None:
        self.cards, self.players = self["cards"], self["players"]
        self.seats = SEAT_NAMES[: self.players]
        self.size = kernels.POINTS + 2 * self.players
        self.max_moves = self.cards
        self.move_bound = self.cards + 1  # cards are counted from 1
        self.max_length = 2 * self.cards
        self.prizes = self.cards * (self.cards + 1) // 2
        least = -1.0 / (self.players - 1)
        self.payoff_range = (least, 1.0) if self["payoff"] == "win" else (least * self.prizes, float(self.prizes))

    @property
    def constants(self) -> dict[str, Any]:
        return {
            "SEATS": self.players,
            "CARDS": self.cards,
            "HAND": self.hands,
            "SHUFFLED": self["order"] == "random",
            "DESCENDING": self["order"] == "descending",
            "WIN_OR_LOSE": self["payoff"] == "win",
        }

    @property
    def hands(self) -> int:
        """The offset of the hands in a state."""
        return kernels.POINTS + self.players

    def first(self, s: State) -> None:
        everything = (1 << self.cards) - 1
        s[kernels.DECK] = everything
        s[self.hands : self.size] = everything
        if self["order"] != "random":
            s[kernels.OPEN] = self.cards if self["order"] == "descending" else 1
            s[kernels.DECK] &= ~(1 << (int(s[kernels.OPEN]) - 1))

    def pieces(self) -> list[tuple[str, str]]:
        return [
            ("prize", "worth its number of points; the open one is bid for now"),
            ("card of a hand", "bids its number, once; the highest bid takes the prize, and a tie for it nobody"),
            ("dashed card", "has been played"),
        ]

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        return str(cards_of(int(s[kernels.DECK]))[m]) if p == CHANCE else str(m)

    def why_illegal(self, s: State, p: int, text: str) -> str:
        if p == CHANCE:
            return f"{text!r} is no prize that can come up; left: {listed(int(s[kernels.DECK]))}"
        return f"{text!r} is no card of this hand; it holds {listed(int(s[self.hands + p]))}"

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        s = position.state
        prize = str(int(s[kernels.OPEN])) if s[kernels.OPEN] else NONE
        hands = "/".join(listed(int(mask)) for mask in s[self.hands : self.size])
        points = "/".join(str(int(x)) for x in s[kernels.POINTS : self.hands])
        return f"{prize} {listed(int(s[kernels.DECK]))} {hands} {points}"

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        shape = f"position {text!r} is not like {str(self.start())!r}: the open prize, those to come, hands, points"
        fields = text.split()
        if len(fields) != 4:
            raise ParseError(shape)
        s = self.blank()
        prize, hands, points = fields[0], fields[2].split("/"), fields[3].split("/")
        if len(hands) != self.players or len(points) != self.players or not all(x.isdecimal() for x in points):
            raise ParseError(shape)
        if prize != NONE:
            s[kernels.OPEN] = self._cards(prize, text, "the open prize").bit_length()
        s[kernels.DECK] = deck = self._cards(fields[1], text, "the prizes to come")
        masks = [self._cards(hand, text, f"{name}'s hand") for name, hand in zip(self.seats, hands, strict=True)]
        s[self.hands : self.size] = masks
        s[kernels.POINTS : self.hands] = [int(x[:6]) for x in points]
        self._check(text, s, deck, masks)
        return s, ()

    def _cards(self, text: str, position: str, what: str) -> int:
        if text == NONE:
            return 0
        mask = 0
        for item in text.split(","):
            if (
                not item.isdecimal()
                or not 1 <= int(item[:4]) <= self.cards
                or len(item) > 4
                or mask >> (int(item) - 1) & 1
            ):
                raise ParseError(
                    f"position {position!r}: {what} is {text!r}; it lists different cards from 1 to {self.cards}"
                )
            mask |= 1 << (int(item) - 1)
        return mask

    def _check(self, text: str, s: State, deck: int, hands: list[int]) -> None:
        """A position must be one that the game can reach, as far as counting tells."""
        prize = int(s[kernels.OPEN])
        if prize and deck >> (prize - 1) & 1:
            raise ParseError(f"position {text!r}: prize {prize} lies open and is still to come")
        left = deck.bit_count() + (prize > 0)
        if any(hand.bit_count() != left for hand in hands):
            raise ParseError(f"position {text!r}: every hand holds as many cards as prizes are left, {left} here")
        if not prize and deck and self["order"] != "random":
            raise ParseError(f"position {text!r}: prizes come up {self['order']}, so one lies open while any is left")
        if prize and deck and self["order"] == "descending" and prize < deck.bit_length():
            raise ParseError(f"position {text!r}: prizes come up descending, so {deck.bit_length()} would lie open")
        if prize and deck and self["order"] == "ascending" and prize > (deck & -deck).bit_length():
            raise ParseError(
                f"position {text!r}: prizes come up ascending, so {(deck & -deck).bit_length()} would lie open"
            )
        given = self.prizes - sum(cards_of(deck)) - prize
        if sum(s[kernels.POINTS : self.hands]) > given:
            raise ParseError(f"position {text!r}: the prizes gone are worth {given} points, fewer than were made")

    def next_seat(self, position: ArrayPosition) -> int:
        return 0

    def art(self, position: ArrayPosition) -> str:
        s = position.state
        prize = f"prize {int(s[kernels.OPEN])}" if s[kernels.OPEN] else "no prize lies open"
        rows = [f"{prize}; to come: {listed(int(s[kernels.DECK]))}"]
        for p, name in enumerate(self.seats):
            rows.append(f"{name:8}{int(s[kernels.POINTS + p]):4} points   holds {listed(int(s[self.hands + p]))}")
        return "\n".join(rows)

    def draw(self, position: ArrayPosition) -> str:
        return self._drawn(position)

    def frames(self, position: ArrayPosition, text: str, seat: int | None = None) -> list[Frame]:
        """All cards are turned over at once."""
        if position.turn != TOGETHER:
            return []
        bids = [int(card) for card in text.split(JOINT)]
        points = ", ".join(f"{name} bids {card}" for name, card in zip(self.seats, bids, strict=True))
        return [Frame(self._drawn(position, bids), f"For prize {position.state[kernels.OPEN]}: {points}")]

    def _drawn(self, position: ArrayPosition, bids: Sequence[int] = ()) -> str:
        s = position.state
        return draw(
            int(s[kernels.OPEN]),
            cards_of(int(s[kernels.DECK])),
            self.seats,
            [cards_of(int(mask)) for mask in s[self.hands : self.size]],
            [int(x) for x in s[kernels.POINTS : self.hands]],
            self.cards,
            (self.title, str(position)),
            bids,
        )

    def sheet(self, position: ArrayPosition) -> Sheet:
        s = position.state
        hands, points = s[self.hands : self.size], s[kernels.POINTS : self.hands]
        fields = [Field("prize", "open prize", str(int(s[kernels.OPEN])) if s[kernels.OPEN] else NONE)]
        fields.append(Field("deck", "prizes to come", listed(int(s[kernels.DECK]))))
        for p, name in enumerate(self.seats):
            fields.append(Field(f"hand {p}", f"hand of {name}", listed(int(hands[p]))))
            fields.append(Field(f"points {p}", f"points of {name}", str(int(points[p])), most=self.prizes))
        return Sheet(fields=tuple(fields))

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        hands, points = (
            "/".join(fields[f"{what} {p}"].replace(" ", "") or NONE for p in range(self.players))
            for what in ("hand", "points")
        )
        return f"{fields['prize'] or NONE} {fields['deck'].replace(' ', '') or NONE} {hands} {points}"

    def tally(self, position: ArrayPosition) -> list[float]:
        return [float(x) for x in position.state[kernels.POINTS : self.hands]]

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        return f"the prize is {move}" if mover == CHANCE else f"bids {move}"


def cards_of(mask: int) -> list[int]:
    return [c + 1 for c in range(mask.bit_length()) if mask >> c & 1]


def listed(mask: int) -> str:
    return ",".join(map(str, cards_of(mask))) or NONE
