"""The face of ASMACAG. A position is `first 3 1 0/0 1124DDH/?9 11223 1122334D`: who decides, actions left, the factor, scores,
hands, the board, and the cards that nobody has seen.

Cards are figures, `D` (double) and `H` (half); `?9` is nine cards that this view does not show, which then are among the unseen.
A move is what is scored, `5-2` (a 5 of the hand on a 2 of the board), or `double` or `half`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.editing import Editing, Field, Sheet
from stratagem.contract.companions.steps import Step, Steps, actions_left
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option, Parts
from stratagem.errors import OptionError, ParseError
from stratagem.games.asmacag import kernels
from stratagem.games.asmacag.kernels import DEALT, EXPONENT, HAND, HELD, LEFT, ON_BOARD, QUEUE, SCORE, SEAT
from stratagem.games.asmacag.view import CardTable, draw
from stratagem.kernel import CHANCE, NOBODY, State
from stratagem.numbers import fraction, whole
from stratagem.plans.plan import ACTIONS

DOUBLE, HALF = "D", "H"
MOST_SHIFTS = 48  # bits that a score may be shifted by: the rest is room for the numbers themselves


UNSEEN = "?"  # a card in the record of a seat that has not seen it


class Asmacag(ArrayGame["AsmacagPosition"], Drawing, Editing, Steps, Wording):
    """ASMACAG: several actions a turn, numbers of the hand on numbers of the board; see docs/games/asmacag.md."""

    name = "asmacag"
    title = "ASMACAG"
    summary = "several actions a turn: numbers of the hand on numbers of the board, and cards that double or halve"
    brief = (
        "A number of your hand goes on a number of the board, and you score the difference times the factor; both cards are "
        "gone, and the factor is one again. A special card doubles or halves the factor, for whoever plays the next number. "
        "A turn is three actions, or as many as the game is set up with. No card is drawn, and when the hands are empty the "
        "higher score wins."
    )
    guide = (
        "A move is 5-2, a 5 of the hand on a 2 of the board, or double, or half. A turn has three of them, "
        "or as many as the game is set up with."
    )
    plan = ACTIONS
    family = "luck"
    seats = ("first", "second")
    hidden = True
    options = (
        Option("actions", 3, "actions of a turn", minimum=1, maximum=20),
        Option("hand", 0, "cards of a hand; 0: three turns' worth", minimum=0, maximum=60),
        Option("board", 0, "cards of the board; 0: two for each of a hand, and two more", minimum=0, maximum=200),
        Option("decks", 0, "decks shuffled together; 0: one for every three actions", minimum=0, maximum=7),
        Option("lowest", 1, "the lowest number", minimum=0, maximum=8),
        Option("highest", 6, "the highest number", minimum=1, maximum=9),
        Option("outer", 5, "cards of the lowest and of the highest number in a deck", minimum=1, maximum=50),
        Option("inner", 8, "cards of each other number", minimum=1, maximum=50),
        Option("doubles", 6, "cards that double", minimum=0, maximum=50),
        Option("halves", 6, "cards that halve", minimum=0, maximum=50),
        Option("payoff", "win", "win: the higher score wins; points: the lead", choices=("win", "points")),
        Option(
            "profile",
            "clean",
            "clean: the rules; published: as the test bed's code has it, where any special card may be played as either",
            choices=("clean", "published"),
        ),
    )
    rules = kernels

    def setup(self) -> None:
        self.actions = self["actions"]
        self.numbers = self["highest"] - self["lowest"] + 1
        if self.numbers < 2:
            raise OptionError(f"highest is {self['highest']} and lowest {self['lowest']}; highest must be the larger")
        self.hand = self["hand"] or 3 * self.actions
        self.on_board = self["board"] or 2 * self.hand + 2
        decks = self["decks"] or -(-self.actions // 3)
        inner = [self["inner"] * decks] * (self.numbers - 2)
        self.deck = (
            self["outer"] * decks,
            *inner,
            self["outer"] * decks,
            self["doubles"] * decks,
            self["halves"] * decks,
        )
        plain = sum(self.deck[: self.numbers])
        if plain < 2 * self.hand + self.on_board:
            raise OptionError(
                f"{plain} number cards do not fill two hands of {self.hand} and a board of {self.on_board}; "
                "ask for more decks, or for fewer cards"
            )
        doubles, halves = self.deck[-2:]
        self.unit = doubles + halves if self["profile"] == "published" else halves
        if self.unit + doubles + (halves if self["profile"] == "published" else 0) > MOST_SHIFTS:
            raise OptionError(
                f"{doubles} cards that double and {halves} that halve make scores that no word holds; "
                f"{MOST_SHIFTS} in all will do, and half as many in the published profile"
            )
        self.kinds = self.numbers + 2
        self.board_at = HAND + 2 * self.kinds
        self.rest_at = self.board_at + self.numbers
        self.size = self.rest_at + self.kinds
        self.max_moves = self.move_bound = self.numbers * self.numbers + 2
        self.max_length = 2 * self.hand + self.on_board + 2 * self.hand
        if self["payoff"] == "points":
            most = (self.numbers - 1) * float((1 << doubles) + 2 * self.hand) + 1.0
            self.payoff_range = (-most, most)

    @property
    def constants(self) -> dict[str, Any]:
        return {
            "NUMBERS": self.numbers,
            "LOWEST": self["lowest"],
            "KINDS": self.kinds,
            "ACTIONS": self.actions,
            "TO_HANDS": 2 * self.hand,
            "TO_DEAL": 2 * self.hand + self.on_board,
            "UNIT": self.unit,
            "BOARD": self.board_at,
            "REST": self.rest_at,
            "POINTS": self["payoff"] == "points",
            "PUBLISHED": self["profile"] == "published",
        }

    def position(self, state: State, history: tuple[str, ...] = (), origin: str | None = None) -> AsmacagPosition:
        return AsmacagPosition(self, state, history, origin)

    def first(self, s: State) -> None:
        s[LEFT] = self.actions
        s[self.rest_at : self.size] = self.deck

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        if p == CHANCE:
            return self.card(int(self.rule(kernels.nth_kind, s, m)))
        if m >= self.numbers * self.numbers:
            return ("double", "half")[m - self.numbers * self.numbers]
        return f"{self.card(m // self.numbers)}-{self.card(m % self.numbers)}"

    def why_illegal(self, s: State, p: int, text: str) -> str:
        if p == CHANCE:
            left = "".join(self.card(c) for c in range(self.kinds) if s[self.rest_at + c])
            return f"{text!r} is no card that can be dealt; left: {left}"
        return (
            f"{text!r} cannot be played here; the hand is {self.cards(s, HAND + p * self.kinds, self.kinds) or 'empty'} and "
            f"the board {self.cards(s, self.board_at, self.numbers)}; a move is one of them on one of these, as in 5-2, "
            "or double, or half"
        )

    def card(self, kind: int) -> str:
        return str(self["lowest"] + kind) if kind < self.numbers else (DOUBLE, HALF)[kind - self.numbers]

    def cards(self, s: State, at: int, kinds: int) -> str:
        return "".join(self.card(c) * int(s[at + c]) for c in range(kinds))

    def hand_text(self, s: State, p: int) -> str:
        """A hand, its specials in the order in which they came where that matters."""
        at = HAND + p * self.kinds
        shown = self.cards(s, at, self.kinds)
        if not shown and s[HELD + p] > 0:
            return f"?{int(s[HELD + p])}"
        if self["profile"] == "published":
            n = int(s[at + self.numbers] + s[at + self.numbers + 1])
            queue = "".join(DOUBLE if int(s[QUEUE + p]) >> i & 1 else HALF for i in range(n))
            shown = self.cards(s, at, self.numbers) + queue
        return shown or "-"

    def score(self, s: State, p: int) -> Fraction:
        return Fraction(int(s[SCORE + p]), 1 << self.unit)

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        s = position.state
        board = self.cards(s, self.board_at, self.numbers)
        rest = self.cards(s, self.rest_at, self.kinds)
        return " ".join(
            (
                self.seats[int(s[SEAT])],
                str(int(s[LEFT])),
                decimal(Fraction(2) ** int(s[EXPONENT])),
                "/".join(decimal(self.score(s, p)) for p in range(2)),
                "/".join(self.hand_text(s, p) for p in range(2)),
                board or "-",
                rest or "-",
            )
        )

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        words = text.split()
        if len(words) != 7 or words[0] not in self.seats or words[3].count("/") != 1 or words[4].count("/") != 1:
            raise ParseError(
                f"position {text!r} is not like 'first 3 1 0/0 1124DDH/?9 11223 1122334D': who decides, actions left, the "
                "factor, scores, hands, the board, unseen cards"
            )
        s = self.blank()
        s[SEAT] = self.seats.index(words[0])
        if not words[1].isdecimal() or not 1 <= int(words[1][:4]) <= self.actions:
            raise ParseError(f"position {text!r}: actions left are {words[1]!r}; they go from 1 to {self.actions}")
        s[LEFT] = whole(words[1])
        s[EXPONENT] = self._exponent(words[2], text)
        for p, (score, hand) in enumerate(zip(words[3].split("/"), words[4].split("/"), strict=True)):
            s[SCORE + p] = self._score(score, text)
            self._read_hand(s, p, hand, text)
        s[ON_BOARD] = self._read(s, self.board_at, self.numbers, words[5], text)
        self._read(s, self.rest_at, self.kinds, words[6], text)
        self._check(s, text)
        return s, ()

    def _exponent(self, word: str, text: str) -> int:
        shifts = self.deck[-1] + (self.deck[-2] if self["profile"] == "published" else 0)
        known = {decimal(Fraction(2) ** e): e for e in range(-shifts, self.deck[-2] + shifts + 1)}
        if word not in known:
            raise ParseError(f"position {text!r}: the factor is {word!r}; it is a power of two, such as 1, 2 or 0.5")
        return known[word]

    def _score(self, word: str, text: str) -> int:
        try:
            found = fraction(word) * (1 << self.unit)
        except ParseError:
            raise ParseError(f"position {text!r}: {word!r} is no score") from None
        if found.denominator != 1 or abs(found) > 1 << 62:
            raise ParseError(f"position {text!r}: no cards make a score of {word!r}")
        return int(found)

    def _read_hand(self, s: State, p: int, word: str, text: str) -> None:
        if word.startswith("?"):
            if not word[1:].isdecimal() or int(word[1:][:4]) > self.hand:
                raise ParseError(f"position {text!r}: {word!r} is no hand; ?{self.hand} is the most that is not seen")
            s[HELD + p] = whole(word[1:])
            return
        s[HELD + p] = self._read(s, HAND + p * self.kinds, self.kinds, word, text)
        if self["profile"] == "published":
            for i, card in enumerate(c for c in word if c in (DOUBLE, HALF)):
                s[QUEUE + p] |= int(card == DOUBLE) << i

    def _read(self, s: State, at: int, kinds: int, word: str, text: str) -> int:
        """Cards into counts; returns how many there are."""
        names = [self.card(c) for c in range(kinds)]
        for card in "" if word == "-" else word:
            if card not in names:
                raise ParseError(f"position {text!r}: {card!r} in {word!r} is no card that lies there")
            s[at + names.index(card)] += 1
        return 0 if word == "-" else len(word)

    def _check(self, s: State, text: str) -> None:
        """As far as counting tells, the position can be reached."""
        for c in range(self.kinds):
            there = int(sum(s[HAND + p * self.kinds + c] for p in range(2)) + s[self.rest_at + c])
            there += int(s[self.board_at + c]) if c < self.numbers else 0
            if there > self.deck[c]:
                raise ParseError(f"position {text!r} has {there} cards {self.card(c)}; there are {self.deck[c]}")
        total = sum(self.deck)
        seen = int(s[ON_BOARD]) + int(sum(s[HAND : HAND + 2 * self.kinds]))
        unseen = int(sum(s[self.rest_at : self.size]))
        covered = sum(int(s[HELD + p]) for p in range(2)) - int(sum(s[HAND : HAND + 2 * self.kinds]))
        rest = unseen - covered  # what is dealt to nobody
        if rest < total - 2 * self.hand - self.on_board:
            raise ParseError(f"position {text!r} has {rest} cards that were not dealt, fewer than the deal leaves")
        held = [int(s[HELD + p]) for p in range(2)]
        if rest > total - 2 * self.hand - self.on_board:  # the deal is not done
            s[DEALT] = total - rest
            whole = s[SEAT] == 0 and s[LEFT] == self.actions and s[EXPONENT] == 0 and not any(s[SCORE : SCORE + 2])
            due = min(int(s[DEALT]), 2 * self.hand)
            if (
                not whole
                or held != [(due + 1) // 2, due // 2]
                or s[ON_BOARD] != s[DEALT] - due
                or seen + covered != s[DEALT]
            ):
                raise ParseError(
                    f"position {text!r} is in the midst of the deal, which gives cards to the hands in turn"
                )
            return
        s[DEALT] = 2 * self.hand + self.on_board
        if max(held) > self.hand or s[ON_BOARD] > self.on_board:
            raise ParseError(f"position {text!r} has more cards in a hand or on the board than are dealt")
        if s[ON_BOARD] > 0 and sum(held) > 0 and not self._in_turn(int(s[SEAT]), self.actions - int(s[LEFT]), held):
            raise ParseError(f"position {text!r} has hands that turns of {self.actions} actions do not lead to")

    def _in_turn(self, mover: int, begun: int, held: list[int]) -> bool:
        """Whether both sides have had their turns, and the mover so many actions of one."""
        used = [self.hand - n for n in held]
        base = used[mover] - begun  # before this turn
        other = base if mover == 0 else min(base + self.actions, self.hand)
        return held[mover] > 0 and base % self.actions == 0 and used[1 - mover] == other

    def next_seat(self, position: ArrayPosition) -> int:
        return int(position.state[SEAT])

    # -- setting up

    def sheet(self, position: ArrayPosition) -> Sheet | None:
        """Cards lie in no places of their own, so all of a position is fields; None while cards are dealt."""
        if position.turn == CHANCE:
            return None
        seat, left, factor, scores, hands, board, _ = self.state_text(position).split()
        kinds = "".join(self.card(c) for c in range(self.kinds))
        fields = [
            Field("seat", "to decide", seat, self.seats),
            Field("left", "actions left", left, tuple(str(n + 1) for n in range(self.actions))),
            Field("factor", "the next number counts", factor),
        ]
        for p, (score, hand) in enumerate(zip(scores.split("/"), hands.split("/"), strict=True)):
            fields.append(Field(f"score {p}", f"points of {self.seats[p]}", score))
            fields.append(Field(f"hand {p}", f"hand of {self.seats[p]}, of {kinds}", hand))
        fields.append(Field("board", "cards on the board", board))
        return Sheet(fields=tuple(fields))

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        """Cards that nobody has seen stay as they were, but for those that lie open now: others take their place."""
        cards = {name: fields[name].replace(" ", "").upper() or "-" for name in ("hand 0", "hand 1", "board")}
        s = position.state
        rest = [int(n) for n in s[self.rest_at : self.size]]
        covered = sum(int(text[1:4]) for text in cards.values() if text.startswith("?") and text[1:4].isdecimal())
        wanted = sum(self.deck) - 2 * self.hand - self.on_board + covered
        room = [n - sum(text.count(self.card(c)) for text in cards.values()) for c, n in enumerate(self.deck)]
        rest = [min(n, max(most, 0)) for n, most in zip(rest, room, strict=True)]
        for c, most in enumerate(room):
            rest[c] += min(max(most - rest[c], 0), max(wanted - sum(rest), 0))
        for c in range(self.kinds):
            rest[c] -= min(rest[c], max(sum(rest) - wanted, 0))
        unseen = "".join(self.card(c) * n for c, n in enumerate(rest)) or "-"
        scores = "/".join(fields[f"score {p}"] or "-" for p in range(2))
        hands = f"{cards['hand 0']}/{cards['hand 1']}"
        return f"{fields['seat']} {fields['left']} {fields['factor'] or '-'} {scores} {hands} {cards['board']} {unseen}"

    # -- drawings and words

    def art(self, position: ArrayPosition) -> str:
        s = position.state
        rows = [f"board  {' '.join(self.cards(s, self.board_at, self.numbers)) or 'empty'}"]
        for p, name in enumerate(self.seats):
            hand = self.hand_text(s, p)
            shown = f"{hand[1:]} cards" if hand.startswith("?") else " ".join(hand)
            rows.append(f"{name:6} {decimal(self.score(s, p)):>5} points   {shown}")
        if not position.over and position.turn != CHANCE:
            factor = decimal(Fraction(2) ** int(s[EXPONENT]))
            rows.append(f"the next number counts {factor} times; {int(s[LEFT])} of {self.actions} actions are left")
        return "\n".join(rows)

    def draw(self, position: ArrayPosition) -> str:
        s = position.state
        hands = []
        for p in range(2):
            hand = self.hand_text(s, p)
            hands.append("?" * int(s[HELD + p]) if hand.startswith("?") else hand.replace("-", ""))
        return draw(
            CardTable(
                self.seats,
                self.cards(s, self.board_at, self.numbers),
                hands,
                [decimal(self.score(s, p)) for p in range(2)],
                decimal(Fraction(2) ** int(s[EXPONENT])),
                int(s[LEFT]),
                position.turn,
            ),
            [] if position.turn < 0 or not hands[position.turn] or hands[position.turn][0] == "?" else position.moves(),
            (self.title, str(position)),
        )

    def pieces(self) -> list[tuple[str, str]]:
        return [
            ("number of a hand", "goes on a number of the board and scores the difference, times the factor"),
            ("number of the board", "is gone once a number was played on it"),
            ("×2, ÷2", "doubles or halves the factor for whoever plays the next number"),
        ]

    def tally(self, position: AsmacagPosition) -> list[float]:
        return [float(self.score(position.state, p)) for p in range(2)]

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if mover == CHANCE:
            dealt = int(position.state[DEALT])
            if dealt >= 2 * self.hand:
                return f"{move} lies on the board"
            known = viewer is None or viewer == dealt % 2
            return f"{self.seats[dealt % 2]} is dealt {move if known and viewer != NOBODY else 'a card'}"
        if "-" not in move:
            return "doubles what the next number counts" if move == "double" else "halves what the next number counts"
        mine, theirs = move.split("-")
        if not (mine.isdecimal() and theirs.isdecimal()):
            return move
        points = (int(mine) - int(theirs)) * Fraction(2) ** int(position.state[EXPONENT])
        return f"plays {mine} on {theirs} for {decimal(points)} point{'' if abs(points) == 1 else 's'}"

    def steps(
        self, position: ArrayPosition, prefix: Sequence[str], following: Parts, seat: int | None = None
    ) -> tuple[Step, ...]:
        return actions_left(int(position.state[LEFT]), self.actions, following)

    def question(self, position: ArrayPosition, seat: int) -> str:
        return f"action {self.actions - int(position.state[LEFT]) + 1} of {self.actions}"

    def heading(self, position: AsmacagPosition) -> str:
        if position.turn == CHANCE:
            return "The deal"
        done = 2 * self.hand - int(position.state[HELD] + position.state[HELD + 1])
        return f"Turn {done // self.actions + 1}"


class AsmacagPosition(ArrayPosition):
    """Of the deal a seat's record tells its own cards and the board's."""

    game: Asmacag

    def game_history(self, seat: int | None) -> tuple[str, ...]:
        deals = [k for k, text in enumerate(self.history) if len(text) == 1]  # which no move of a player is
        reported = list(self.history)
        for dealt, k in enumerate(deals, int(self.state[DEALT]) - len(deals)):
            if dealt < 2 * self.game.hand and dealt % 2 != seat:
                reported[k] = UNSEEN
        return tuple(reported)


def decimal(x: Fraction) -> str:
    """A number whose denominator is a power of two, in full."""
    digits = x.denominator.bit_length() - 1
    if digits == 0:
        return str(x.numerator)
    scaled = abs(x.numerator) * 5**digits
    whole, part = divmod(scaled, 10**digits)
    return f"{'-' if x < 0 else ''}{whole}.{part:0{digits}}"
