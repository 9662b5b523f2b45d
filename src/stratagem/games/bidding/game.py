"""The face of bidding games.

A position is the base game's board, then the purses with a star at the one who holds the marker or the token, then what is
going on if it is not an auction: `XO_______ @ 3*:5 O moves`. A board alone has the purses and the holder that the options
say. The numbers of marks may be any, since either side may win several auctions in a row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stratagem.contract.companions.drawing import Drawing, Frame, Mark
from stratagem.contract.companions.editing import Editing, Field, Sheet, in_rows
from stratagem.contract.companions.puzzling import Puzzles, Puzzling
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import CHANCE, JOINT, OVER, TOGETHER, ArrayGame, ArrayPosition, Option
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.bidding import kernels
from stratagem.games.bidding.boards import boards_of
from stratagem.games.bidding.kernels import (
    BASE,
    BID,
    BIDS,
    CHOOSE,
    DRAWN,
    FLIP,
    HOLDER,
    MOVE,
    PASSES,
    PASSES_ALLOWED,
    PHASE,
    PURSE,
    TAKE,
    TIE,
    WHO,
)
from stratagem.games.bidding.view import draw, purse_line
from stratagem.kernel import Ground, State
from stratagem.plans import plan as kinds
from stratagem.plans.bid import COIN, PAYMENTS, TAXMAN, TIES, Payment, parse_payment

if TYPE_CHECKING:
    from stratagem.contract.player import Solver

KERNELS = ("turn", "count", "move", "moves", "sample", "play", "payoff")
MOST_CHIPS = 100_000
STAR = "*"


def base_game(text: str) -> ArrayGame:
    """The base game of a text: a name, and its options behind a colon: `hex:size=5`, `nim:heaps=3,4,5`."""
    from stratagem.registry import game_class  # games are found by name only here, and none is imported

    name, colon, listed = text.strip().partition(":")
    if name.endswith(".py") and colon and "=" not in listed.partition(":")[0]:  # a class in a file
        kind, colon, listed = listed.partition(":")
        name = f"{name}:{kind}"
    options: dict[str, str] = {}
    last = ""
    for item in filter(None, listed.split(",")):
        option, equals, value = item.partition("=")
        if equals:
            last = option.strip()
            options[last] = value
        elif last:
            options[last] += "," + item  # a value with commas of its own
        else:
            raise OptionError(f"{item!r} in {text!r} is not NAME=VALUE")
    if name == Bidding.name:
        raise OptionError("bidding over bidding makes no game; name another base game")
    base = game_class(name)(**options)
    if not isinstance(base, ArrayGame):
        raise OptionError(f"{base.name} cannot be bid over: it has no kernels that tell either side's moves")
    if base.players != 2 or not base.zero_sum:
        raise OptionError(f"{base.name} cannot be bid over: it takes two players whose payoffs sum to zero")
    if base.gives("odds") or (base.gives("draw") and base.names["draw"].function.__module__ != "stratagem.kernel"):
        raise OptionError(
            f"{base.name} cannot be bid over: it is a game of chance; choose one without, such as connect4"
        )
    if base.hidden or base.gives("play_together"):
        raise OptionError(f"{base.name} cannot be bid over: its players do not move in turn, all seeing everything")
    return base


MOVING_STEPS = (
    "You have won the bid: click one of the marked places.",
    "Then both of you bid again, in secret.",
    "Keep enough chips for the move that decides.",
)


class Bidding(ArrayGame[ArrayPosition], Drawing, Editing, Puzzles, Wording):
    """Bidding games: a game of two players in which the right to move is auctioned; see docs/games/bidding.md."""

    name = "bidding"
    title = "Bidding"
    summary = "tic-tac-toe or another game for two, with a secret bid for every move"
    brief = (
        "Before every move of a base game both players bid chips for it, at once and in secret. The higher bid moves, and "
        "by the rule of payment the winner or both pay, to the other player or to the bank. Equal bids go by the marker, "
        "a token or a coin. The base game decides who wins; chips left over are worth nothing."
    )
    guide = (
        "Both bid at once: a move is a number of chips, and whoever wins the bid moves on the board next. * marks "
        "who holds the marker, which decides equal bids and then passes to the other player."
    )
    inks = (
        ("X", "red"),
        ("O", "blue"),
    )
    plan = kinds.BID
    engine = "strong"
    presets = (
        ("over connect four", {"over": "connect4", "chips": "20,20"}),
        ("over hex", {"over": "hex:size=5", "chips": "20,20"}),
        ("all pay", {"payment": "allpay", "chips": "8,8"}),
    )
    puzzles = (
        Puzzling(
            "find the only bid or move that keeps the best result",
            player="rules",
            judge="exact",
            decoy="medium",
            margin=1.0,
            options={"chips": (4, 4)},
            stray=0.3,
            share=3,
        ),
        Puzzling(
            "find the only bid or move that keeps the best result with more chips",
            player="rules",
            judge="exact",
            decoy="medium",
            margin=1.0,
            options={"chips": (8, 8)},
            stray=0.3,
            share=2,
        ),
    )
    options = (
        Option("over", "tictactoe", "the base game, its options behind a colon: hex:size=5"),
        Option("payment", "richman", "who pays: richman, poorman, allpay (to the bank), allpay-swap (to each other)"),
        Option("chips", (4, 4), "chips of the first and the second player", minimum=0, maximum=MOST_CHIPS),
        Option("tie", "marker", "who wins equal bids", choices=TIES),
        Option("holder", 0, "the seat that holds the marker or token, or wins fixed ties", choices=(0, 1)),
        Option("min_bid", 0, "the least bid of a player that has chips", choices=(0, 1)),
        Option("cap", 0, "the highest bid; 0: no limit", minimum=0, maximum=MOST_CHIPS),
        Option(
            "mover",
            "winner",
            "who moves: the winner of the auction, or whom the winner chooses",
            choices=("winner", "chosen"),
        ),
    )
    rules = kernels

    def setup(self) -> None:
        self.base = base_game(self["over"])
        self.payment: Payment = parse_payment(self["payment"])
        if self.payment.kind == TAXMAN:
            raise OptionError(
                "taxman divides bids, so it needs money and not chips: use `stratagem bidding threshold`, "
                f"or one of {', '.join(PAYMENTS)}"
            )
        if len(self["chips"]) != 2:
            raise OptionError(f"option chips is {','.join(map(str, self['chips']))}; it takes two numbers, such as 4,4")
        if self["cap"] and self["cap"] < self["min_bid"]:
            raise OptionError(f"a cap of {self['cap']} leaves no bid of at least {self['min_bid']}")
        self.chips: tuple[int, int] = self["chips"]
        self.tie = TIES.index(self["tie"])
        self.boards = boards_of(self.base)
        base = self.base
        self.seats = base.seats
        self.payoff_range = base.payoff_range
        self.title = f"Bidding {base.title.lower()}"  # type: ignore[misc]  # the base game decides
        self.size = BASE + base.size
        self.scratch = base.scratch + base.size
        self.max_moves = max(sum(self.chips) + 1, base.max_moves, 2)
        if base.max_length is not None:
            self.max_length = 4 * PASSES_ALLOWED * base.max_length

    @property
    def constants(self) -> dict[str, Any]:
        base = self.base
        return {
            **{f"base_{name}": base.names[name] for name in KERNELS},
            **({"base_value": base.names["value"]} if base.gives("value") else {}),
            "PAYMENT": self.payment.kind,
            "TIE_RULE": self.tie,
            "MIN_BID": self["min_bid"],
            "CAP": self["cap"],
            "TIES_WAIT": self["tie"] in ("advantage", "coin"),
            "WINNER_CHOOSES": self["mover"] == "chosen",
            "BASE_SIZE": base.size,
            "BASE_COPY": BASE + base.size + base.scratch,
            "TURN_CELL": self.boards.turn_cell,
        }

    @classmethod
    def suggested(cls, option: str) -> tuple[str, ...]:
        return (
            ("tictactoe", "connect4", "hex:size=5", "breakthrough", "othello:size=4", "nim") if option == "over" else ()
        )

    @cached_property
    def names(self) -> dict[str, Any]:
        """The kernels, without those that this auction or base game has no use for."""
        found = dict(super().names)
        if self.tie != COIN:
            del found["odds"]
        if not self.base.gives("value"):
            del found["value"]
        return found

    def ground(self) -> Ground:
        return self.base.ground()

    def first(self, s: State) -> None:
        self.base.first(s[BASE : BASE + self.base.size])
        self._deal(s)

    def _deal(self, s: State) -> None:
        s[PURSE : PURSE + 2] = self.chips
        s[HOLDER] = 0 if self.tie == COIN else self["holder"]
        self.boards.forget_turn(s[BASE:])

    def base_state(self, s: State) -> State:
        """The base game's state within one of ours, as a copy."""
        base = self.base.blank()
        base[: self.base.size] = s[BASE : BASE + self.base.size]
        return base

    def base_position(self, position: ArrayPosition) -> ArrayPosition:
        return self.base.position(self.base_state(position.state))

    # -- moves: a bid; take or leave; a seat's name; a move of the base game

    def move_text(self, s: State, p: int, m: int) -> str:
        if s[PHASE] == BIDS:
            return str(m)
        if s[PHASE] == TIE:
            return "take" if m == TAKE else "leave"
        if s[PHASE] == MOVE:
            return self.base.move_text(self.base_state(s), p, m)
        return self.seats[m]

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip()
        if s[PHASE] == MOVE:
            return self.base.parse_move(self.base_state(s), p, text)
        if s[PHASE] != BIDS:
            return super().parse_move(s, p, text)
        legal = self.legal(s, p)
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise IllegalMove(f"bid {text!r} is not a whole number; {self.seats[p]} may bid {legal[0]} to {legal[-1]}")
        bid = int(text)
        if bid > s[PURSE + p]:
            raise IllegalMove(
                f"bid {bid} exceeds the {s[PURSE + p]} chips of {self.seats[p]}; bid {legal[0]} to {legal[-1]}"
            )
        if not legal[0] <= bid <= legal[-1]:
            raise IllegalMove(f"bid {bid} is out of range; {self.seats[p]} may bid {legal[0]} to {legal[-1]}")
        return bid

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        s = position.state
        stars = ["", ""]
        if self.tie != COIN:
            stars[s[HOLDER]] = STAR
        text = f"{self.boards.text(self.base_state(s))} @ {s[PURSE]}{stars[0]}:{s[PURSE + 1]}{stars[1]}"
        if s[PASSES]:
            text += f" passes {s[PASSES]}"
        if position.turn == OVER or s[PHASE] == BIDS:
            return text
        phase = {TIE: f"tie {s[BID]}", FLIP: f"flip {s[BID]}", CHOOSE: f"{self.seats[s[WHO]]} chooses"}
        return f"{text} {phase.get(int(s[PHASE]), f'{self.seats[s[WHO]]} moves')}"

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        board, at, rest = text.partition("@")
        s = self.blank()
        s[BASE : BASE + self.base.size] = self.boards.parse(board.strip())[: self.base.size]
        self._deal(s)
        if at:
            self._parse_money(s, text, rest)
        return s, ()

    def _parse_money(self, s: State, text: str, rest: str) -> None:
        names = "|".join(map(re.escape, self.seats))
        found = re.fullmatch(
            rf"\s*(\d{{1,6}})(\*?)\s*:\s*(\d{{1,6}})(\*?)(?:\s+passes (\d))?"
            rf"(?:\s+(?:(tie|flip) (\d{{1,6}})|({names}) (moves|chooses)))?\s*",
            rest,
        )
        if not found:
            raise ParseError(f"position {text!r} has {rest.strip()!r} behind @; write purses and holder such as 4*:4")
        first, star, second, other, passes, phase, bid, who, does = found.groups()
        s[PURSE], s[PURSE + 1] = int(first), int(second)
        if int(first) + int(second) > sum(self.chips):
            raise ParseError(f"position {text!r} has {int(first) + int(second)} chips; the game has {sum(self.chips)}")
        if self.payment.conserves and int(first) + int(second) != sum(self.chips):
            raise ParseError(
                f"position {text!r} has {int(first) + int(second)} chips; all {sum(self.chips)} stay in play"
            )
        if self.tie == COIN and (star or other):
            raise ParseError(f"position {text!r} has a star, but ties are decided by a coin")
        if star and other:
            raise ParseError(f"position {text!r} has two stars; one seat holds the marker")
        if self.tie != COIN and not (star or other):
            raise ParseError(f"position {text!r} does not say who holds the marker; write a star, such as 4*:4")
        s[HOLDER] = 1 if other else 0
        s[PASSES] = int(passes or 0)
        if s[PASSES] >= PASSES_ALLOWED:
            s[PHASE], s[PASSES] = DRAWN, PASSES_ALLOWED
        if phase:
            rule = {"tie": TIES.index("advantage"), "flip": COIN}[phase]
            if self.tie != rule or int(bid) > min(s[PURSE], s[PURSE + 1]):
                raise ParseError(f"position {text!r}: there is no {phase} at {bid} in this auction")
            s[PHASE], s[BID] = (TIE if phase == "tie" else FLIP), int(bid)
        if who:
            if does == "chooses" and self["mover"] != "chosen":
                raise ParseError(f"position {text!r}: the winner of an auction moves here, and does not choose")
            s[PHASE], s[WHO] = (CHOOSE if does == "chooses" else MOVE), self.seats.index(who)

    # -- people

    def art(self, position: ArrayPosition) -> str:
        return f"{Drawing.of(self.base).art(self.base_position(position))}\n{purse_line(self, position)}"

    def draw(self, position: ArrayPosition) -> str:
        return draw(self, position)

    def frames(self, position: ArrayPosition, text: str, seat: int | None = None) -> list[Frame]:
        """Both bids are turned over at once; what they bring comes after."""
        if position.turn != TOGETHER:
            return []
        bids = [int(bid) for bid in text.split(JOINT)]
        words = " and ".join(f"{name} bids {bid}" for name, bid in zip(self.seats, bids, strict=True))
        return [Frame(draw(self, position, bids=bids), words)]

    def sheet(self, position: ArrayPosition) -> Sheet | None:
        """The board of the base game, both purses and who holds the marker; bids are made next."""
        base = Editing.of(self.base).sheet(self.base_position(position))
        if base is None or not base.columns:
            return None
        s, most = position.state, sum(self.chips)
        fields = [Field(f"chips {p}", f"chips of {self.seats[p]}", str(int(s[PURSE + p])), most=most) for p in (0, 1)]
        if self.tie != COIN:
            fields.append(Field("marker", "who holds the marker", self.seats[s[HOLDER]], tuple(self.seats)))
        return Sheet(base.cells, base.signs, tuple(fields), base.columns)

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        columns = next(sheet.columns for sheet in (self.sheet(position),) if sheet)
        stars = [STAR if self.tie != COIN and fields["marker"] == name else "" for name in self.seats]
        return f"{in_rows(cells, columns)} @ {fields['chips 0']}{stars[0]}:{fields['chips 1']}{stars[1]}"

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        s = position.state
        if mover == CHANCE:
            return f"the coin falls for {move}"
        if s[PHASE] == BIDS:
            return f"bids {move}"
        if s[PHASE] == TIE:
            return "takes the tie" if move == "take" else "leaves the tie"
        if s[PHASE] == MOVE:
            return Wording.of(self.base).describe(self.base_position(position), move, mover, viewer)
        return f"lets {move} move"

    def trace(self, position: ArrayPosition, move: str, mover: int) -> tuple[Mark, ...]:
        moved = position.state[PHASE] == MOVE and mover >= 0
        return Drawing.of(self.base).trace(self.base_position(position), move, mover) if moved else ()

    def places(self, position: ArrayPosition, part: str, mover: int) -> tuple[str, ...]:
        moved = position.state[PHASE] == MOVE
        return Drawing.of(self.base).places(self.base_position(position), part, mover) if moved else ()

    def marks(self, position: ArrayPosition) -> tuple[Mark, ...]:
        return Drawing.of(self.base).marks(self.base_position(position))

    def pieces(self) -> list[tuple[str, str]]:
        base = Wording.of(self.base).pieces()
        paid = {
            "richman": "the winner pays the other",
            "poorman": "the winner pays the bank",
            "allpay": "both pay the bank",
            "allpay-swap": "both pay each other",
        }
        who = paid.get(self["payment"], f"payment: {self['payment']}")
        chip = ("chip", f"bids for the right to move; {who}")
        marker = [("marker *", "decides equal bids")] if self.tie != COIN else []
        return [chip, *marker, *base]

    def question(self, position: ArrayPosition, seat: int) -> str:
        s = position.state
        if s[PHASE] == BIDS:
            win = "" if self.tie == COIN else " (you win ties)" if s[HOLDER] == seat else " (the other wins ties)"
            return f"bid in secret for the right to move{win}"
        if s[PHASE] == MOVE:
            return "you have won the auction and move"
        return ""

    def first_steps(self, position: ArrayPosition) -> Sequence[str]:
        return MOVING_STEPS if position.state[PHASE] == MOVE else super().first_steps(position)

    def solver(self) -> Solver[ArrayPosition]:
        from stratagem.games.bidding.solver import BiddingSolver  # rules load without what solves them

        return BiddingSolver(self)
