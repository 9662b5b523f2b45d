"""A turn: the general's part and, for each board, a list of actions; its text, and its words for the kernels.

One action is a part of a move's text, in the words of the engine protocol: `tech 1 0`, `board 0 move c1c0`,
`board 1 move_cyclic c2 d1 d2`, `board 0 attack e4e5`, `board 0 buy S`, `board 0 spawn S d2`. However the parts are mixed,
a turn runs in one order: the techline, then each board in index order with its setup, its attack phase, its spawn phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import IllegalMove, ParseError
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.units import Unit, by_letter, unit_of, units

MOST_PARTS = 20_000  # of one turn; more is not a turn but an attack on the reader

KINDS = {
    "setup": rules.SETUP, "move": rules.MOVE, "move_cyclic": rules.CYCLE, 
    "attack": rules.ATTACK, "blink": rules.BLINKING, "buy": rules.BUY, "spawn": rules.SPAWNS, "resign": rules.RESIGN,
}  # fmt: skip
KIND_NAMES = {number: name for name, number in KINDS.items()}
PHASES = {"setup": 0, "move": 1, "move_cyclic": 1, "attack": 1, "blink": 1, "buy": 2, "spawn": 2, "resign": 3}
FORMS = {
    "setup": "setup N, or setup N and the letter of the unit to keep",
    "move": "move and two hexes without a blank, such as move c1c0",
    "move_cyclic": "move_cyclic and hexes with blanks between, such as move_cyclic c2 d1 d2",
    "attack": "attack and two hexes without a blank, such as attack e4e5",
    "blink": "blink and a hex, such as blink e4",
    "buy": "buy and a unit letter, such as buy S",
    "spawn": "spawn, a unit letter and a hex, such as spawn S d2",
    "resign": "resign alone",
}
BOARD_FORMS = "one of " + ", ".join(KINDS)

REASONS = {
    rules.NO_UNIT: "no unit stands there",
    rules.NOT_YOURS: "the unit belongs to the other side",
    rules.FRESHLY_SPAWNED: "the unit was spawned this turn",
    rules.HAS_MOVED: "the unit has moved already",
    rules.HAS_ATTACKED: "the unit has attacked and may not move any more",
    rules.SAME_HEX: "a move goes to another hex",
    rules.ENEMY_THERE: "an enemy stands on the destination",
    rules.UNREACHABLE: "no free path of the unit's speed leads there over tiles that it may enter",
    rules.FRIEND_THERE: "a unit of one's own stands on the destination: it has to leave first, or move_cyclic moves both",
    rules.REPEATED_HEX: "a hex is named twice",
    rules.SHORT_CYCLE: "a cyclic move has two units or more",
    rules.LUMBERS: "a lumbering unit may not attack in a turn in which it moved",
    rules.NO_TARGET: "no unit stands on the target hex",
    rules.OWN_TARGET: "the target is a unit of one's own",
    rules.OUT_OF_RANGE: "the target is out of range",
    rules.NO_ATTACKS_LEFT: "the unit has no attack left this turn",
    rules.NECROMANCER_IMMUNE: "deathtouch may not be aimed at a necromancer",
    rules.NO_BLINK: "the unit does not have blink",
    rules.WRONG_PHASE: "the phase of this board in which it may come is over",
    rules.NO_SPAWN_PHASE: "this board has no spawn phase this turn",
    rules.NEEDS_SETUP: "this board was reset: its turn begins with a setup",
    rules.NO_SETUP: "this board was not reset: there is no setup",
    rules.SETUP_DONE: "the setup of this board is done",
    rules.NOT_BASIC: "only the basic necromancer, N, can be chosen",
    rules.NOT_IN_ZONE: "the reinforcements hold no such unit",
    rules.MUST_KEEP: "the reinforcements are not empty: name the unit to keep",
    rules.HAS_RESIGNED: "the board was resigned, and nothing else happens on it",
    rules.NOT_ALONE: "resigning replaces the whole turn of a board: there may be no other action on it",
    rules.NOT_FOR_SALE: "units of this type are not for sale",
    rules.NOT_ACQUIRED: "its card has not been acquired before this turn",
    rules.NO_MONEY: "there is not enough money",
    rules.OCCUPIED: "the hex is not empty",
    rules.BAD_TILE: "the unit may not stand on that tile",
    rules.NO_SPAWNER: "no friendly unit with spawn, itself not spawned this turn, is next to the hex",
    rules.END_OF_LINE: "there is no card left to march to",
    rules.CARD_LOCKED: "a card must hold a spell of one's own before it is acquired",
    rules.CARD_TAKEN: "the opponent has acquired the card",
    rules.CARD_OWNED: "the card is acquired already",
    rules.TECH_DONE: "the general has had his turn",
    rules.GAME_ENDED: "the game is over",
    rules.NO_SUCH_BOARD: "there is no such board",
    rules.NO_SUCH_CARD: "there is no card at that position",
}


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise ParseError(f"{what} is {text[:20]!r}; it is a whole number")
    return int(text)


@dataclass(frozen=True)
class Tech:
    """Spells on the techline: cards marched, then the cards at these positions acquired."""

    advance: int = 0
    acquire: tuple[int, ...] = ()

    @property
    def spells(self) -> int:
        return self.advance + len(self.acquire)

    @classmethod
    def parse(cls, words: Sequence[str]) -> Tech:
        if not words:
            raise ParseError("tech lacks the number of cards marched, such as tech 1")
        if len(words) > 64:
            raise ParseError(f"tech names {len(words) - 1} cards; the line has 25")
        advance = _number(words[0], "tech: the number of cards marched")
        return cls(advance, tuple(_number(word, "tech: the position of a card") for word in words[1:]))

    def __str__(self) -> str:
        return " ".join(map(str, ("tech", self.advance, *self.acquire)))

    def words(self) -> list[int]:
        return [rules.TECH, self.advance, len(self.acquire), *self.acquire]


@dataclass(frozen=True)
class BoardAction:
    """One action on one board."""

    kind: str  # setup, move, move_cyclic, attack, blink, buy, spawn, resign
    hexes: tuple[int, ...] = ()
    unit: Unit | None = None  # bought, spawned, or the necromancer of a setup
    keep: Unit | None = None  # the unit that a setup keeps

    @classmethod
    def parse(cls, words: Sequence[str]) -> BoardAction:
        kind = words[0] if words else ""
        if kind in ("cast", "discard"):
            raise ParseError(f"{kind} needs spells, which this profile does not have")
        if kind not in KINDS:
            raise ParseError(f"board action {kind[:20]!r} is unknown; it is {BOARD_FORMS}")
        rest = words[1:]
        form = ParseError(f"{' '.join(words)[:60]!r} is not well formed: write {FORMS[kind]}")
        if kind == "resign":
            if len(rest) > 1:  # one more word is the form that the reference engine reads
                raise form
            return cls(kind)
        if kind in ("move", "attack"):
            if len(rest) != 1 or len(rest[0]) != 4:
                raise form
            return cls(kind, (hex_index(rest[0][:2], f"{kind}: hex"), hex_index(rest[0][2:], f"{kind}: hex")))
        if kind == "move_cyclic":
            if not 1 <= len(rest) <= 100:
                raise form
            return cls(kind, tuple(hex_index(word, "move_cyclic: hex") for word in rest))
        if kind == "setup":
            if not 1 <= len(rest) <= 2:
                raise form
            necromancer = unit_of(rest[0], "setup: necromancer")
            if not necromancer.necromancer:
                raise ParseError(f"setup: {rest[0]!r} is no necromancer; write {FORMS['setup']}")
            return cls(kind, unit=necromancer, keep=unit_of(rest[1], "setup: unit") if len(rest) == 2 else None)
        if len(rest) != (2 if kind == "spawn" else 1):
            raise form
        if kind == "blink":
            return cls(kind, (hex_index(rest[0], "blink: hex"),))
        if len(rest[0]) != 1:
            raise form
        unit = unit_of(rest[0], f"{kind}: unit")
        return cls(kind, (hex_index(rest[1], "spawn: hex"),) if kind == "spawn" else (), unit)

    def __str__(self) -> str:
        names = [hex_name(h) for h in self.hexes]
        if self.kind in ("move", "attack"):
            return f"{self.kind} {''.join(names)}"
        letters = []
        if self.unit is not None:
            letters.append(self.unit.letter if by_letter()[self.unit.letter] == self.unit else self.unit.name)
        if self.keep is not None:
            letters.append(self.keep.letter)
        return " ".join((self.kind, *letters, *names))

    def words(self, board: int) -> list[int]:
        if self.kind == "setup":
            assert self.unit is not None
            arguments = [self.unit.index, self.keep.index if self.keep else -1]
        else:
            arguments = [self.unit.index] if self.unit is not None else []
            arguments += self.hexes
        return [KINDS[self.kind], board, len(arguments), *arguments]


@dataclass(frozen=True)
class GameTurn:
    """A whole turn: spells, the techline, and the actions of each board in the order in which they run."""

    tech: Tech = Tech()
    boards: tuple[tuple[BoardAction, ...], ...] = ()
    spells: tuple[str, ...] = field(default=())  # spells taken, when there are spells; spooky has none
    SEPARATOR: ClassVar[str] = ";"

    def __post_init__(self) -> None:
        # phases in their order, whatever the order given; of several setups the last counts
        ordered = []
        for actions in self.boards:
            setups = [a for a in actions if a.kind == "setup"]
            rest = sorted((a for a in actions if a.kind != "setup"), key=lambda a: PHASES[a.kind])
            ordered.append((*setups[-1:], *rest))
        object.__setattr__(self, "boards", tuple(ordered))

    @classmethod
    def parse(cls, text: str | Iterable[str], boards: int) -> GameTurn:
        """A turn from its text, `;` or line ends between the parts, as typed or as pasted from an engine's output."""
        parts = text.replace("\n", ";").split(";", MOST_PARTS) if isinstance(text, str) else list(text)
        if len(parts) > MOST_PARTS:
            raise ParseError(f"a turn of more than {MOST_PARTS} parts is not read")
        tech = Tech()
        actions: list[list[BoardAction]] = [[] for _ in range(boards)]
        for part in parts:
            found = parse_part(part, boards)
            if isinstance(found, Tech):
                tech = found  # of several the last counts
            elif found is not None:
                actions[found[0]].append(found[1])
        return cls(tech, tuple(map(tuple, actions)))

    def parts(self) -> list[str]:
        """The texts of the parts, in the order in which they run."""
        return [str(self.tech), *(f"board {k} {action}" for k, actions in enumerate(self.boards) for action in actions)]

    def __str__(self) -> str:
        return self.SEPARATOR.join(self.parts())

    def words(self) -> NDArray[np.int64]:
        """The turn for the kernels."""
        found = self.tech.words()
        for k, actions in enumerate(self.boards):
            for action in actions:
                found += action.words(k)
        return np.array(found, np.int64)

    @classmethod
    def from_words(cls, stream: Sequence[int] | NDArray[np.int64], boards: int) -> GameTurn:
        """The turn that kernels wrote."""
        tech = Tech()
        actions: list[list[BoardAction]] = [[] for _ in range(boards)]
        at = 0
        while at < len(stream):
            kind, k, n = int(stream[at]), int(stream[at + 1]), int(stream[at + 2])
            arguments = [int(x) for x in stream[at + 3 : at + 3 + n]]
            if kind == rules.TECH:
                tech = Tech(k, tuple(arguments))
            else:
                actions[k].append(_action(KIND_NAMES[kind], arguments))
            at += 3 + n
        return cls(tech, tuple(map(tuple, actions)))


def _action(kind: str, arguments: list[int]) -> BoardAction:
    if kind == "setup":
        keep = units()[arguments[1]] if arguments[1] >= 0 else None
        return BoardAction(kind, unit=units()[arguments[0]], keep=keep)
    if kind in ("buy", "spawn"):
        return BoardAction(kind, tuple(arguments[1:]), units()[arguments[0]])
    return BoardAction(kind, tuple(arguments))


def parse_part(text: str, boards: int) -> Tech | tuple[int, BoardAction] | None:
    """One part of a turn; None for an empty one and for the lines that frame a turn in the protocol."""
    words = text.split(None, 200)
    if words and words[0] == "action":
        words = words[1:]
    if not words or words[0] in ("turn", "endturn"):
        return None
    if words[0] == "tech":
        return Tech.parse(words[1:])
    if words[0] in ("buy_spell", "give_spell"):
        raise ParseError(f"{words[0]} needs spells, which this profile does not have")
    k = 0
    if words[0] == "board":
        if len(words) < 3:
            raise ParseError(f"{text.strip()[:40]!r} is not well formed: write board, its index and an action")
        k = _number(words[1], "board index")
        words = words[2:]
    elif boards > 1 or words[0] not in (*KINDS, "cast", "discard"):
        raise ParseError(
            f"{text.strip()[:40]!r} is no part of a turn: write tech 1, or board 0 and an action, such as board 0 move c1c0"
        )
    if k >= boards:
        raise ParseError(f"board index {k} is out of range; boards go from 0 to {boards - 1}")
    return k, BoardAction.parse(words)


def illegal(turn: GameTurn, place: int, reason: int) -> IllegalMove:
    """The error for the action at a place of the turn, in words."""
    parts = turn.parts()
    if place >= len(parts):
        return IllegalMove(f"the turn is incomplete: {REASONS[reason]}")
    return IllegalMove(f"{parts[place]!r} is illegal: {REASONS[reason]}")
