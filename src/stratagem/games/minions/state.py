"""The Python face of a Minions position: `GameState`, its boards and their pieces, over the array of the kernels.

A state is immutable. Between turns it is what the notation says; `during` gives the state in the middle of a turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratagem.errors import IllegalMove
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import turns
from stratagem.games.minions.config import GameConfig, hexes_of
from stratagem.games.minions.maps import HEXES, Map, hex_index, hex_name
from stratagem.games.minions.turn import GameTurn, illegal
from stratagem.games.minions.units import Unit, by_letter, units
from stratagem.kernel import State
from stratagem.rng import Rng

SIDES = ("Yellow", "Blue")
BOARD_STATES = "fn12"  # letters of the state codes: first turn, normal, reset 1, reset 2
CARD_LETTERS = "LUA"


@dataclass(frozen=True)
class Piece:
    """A unit on a board, with what it has done and suffered this turn."""

    unit: Unit
    side: int
    moved: bool = False
    spawned: bool = False
    attacks_used: int = 0
    damage: int = 0

    @classmethod
    def of(cls, cell: int) -> Piece:
        return cls(
            units()[(cell & rules.TYPE_MASK) - 1], rules.owner(cell), bool(cell & rules.MOVED), bool(cell & rules.SPAWNED),
            rules.used(cell), rules.hurt(cell),
        )  # fmt: skip

    @property
    def cell(self) -> int:
        """The word of the kernels."""
        flags = self.moved * rules.MOVED | self.spawned * rules.SPAWNED
        counts = self.attacks_used << rules.USED_SHIFT | self.damage << rules.HURT_SHIFT
        return (self.unit.index + 1) | self.side << rules.SIDE_SHIFT | flags | counts

    @property
    def letter(self) -> str:
        """Upper case for Yellow, lower case for Blue."""
        return self.unit.letter if self.side == 0 else self.unit.letter.lower()

    def __str__(self) -> str:
        return f"{SIDES[self.side]} {self.unit.name}"


class Board:
    """One board of a state."""

    def __init__(self, state: GameState, index: int) -> None:
        self.game = state
        self.index = index
        at = rules.board_of(index)
        self.words = state.array[at : at + rules.BOARD_SIZE]

    @property
    def map(self) -> Map:
        return self.game.config.lands[self.index]

    @property
    def state(self) -> str:
        """`f` first turn, `n` normal, `1` and `2` after a reset."""
        return BOARD_STATES[self.words[rules.MODE]]

    @cached_property
    def pieces(self) -> dict[str, Piece]:
        """The pieces by the name of their hex."""
        cells = self.words[rules.CELL : rules.CELL + HEXES].tolist()
        return {hex_name(h): Piece.of(cell) for h, cell in enumerate(cells) if cell}

    def __getitem__(self, hex_text: str) -> Piece | None:
        hex_index(hex_text)
        return self.pieces.get(hex_text)

    def __iter__(self) -> Iterator[tuple[str, Piece]]:
        return iter(self.pieces.items())

    def reinforcements(self, side: int) -> Counter[Unit]:
        at = rules.ZONE + side * rules.TYPES
        counts = self.words[at : at + rules.TYPES].tolist()
        return Counter({unit: n for unit, n in zip(units(), counts, strict=True) if n})

    def graveyards(self, side: int) -> int:
        """How many graveyards a side holds."""
        return int(rules.graveyards(self.game.config.ground, self.index, self.words, side))

    def income(self, side: int) -> int:
        """What this board would pay the side at the end of its turn."""
        return int(rules.income(self.game.config.ground, self.index, self.words, side))

    def reach(self, hex_text: str) -> list[str]:
        """The hexes that the unit on a hex can go to now, sorted, its own and those of friends included."""
        h = hex_index(hex_text)
        cell = int(self.words[rules.CELL + h])
        if cell == 0:
            raise IllegalMove(f"no unit stands on {hex_text} of board {self.index}")
        g = self.game.config.ground
        if not rules.can_move(g, self.words, h):  # in the middle of a turn
            return [hex_text]
        enemy = rules.foes(self.words, rules.owner(cell))
        found = rules.reach(g, rules.tiles_of(self.index), self.words, h, *enemy)
        return sorted(hex_name(x) for x in hexes_of(*found))

    def key(self) -> int:
        with np.errstate(over="ignore"):
            return int(rules.board_key(self.words))


class GameState:
    """A position of Minions, between turns or in the middle of one."""

    def __init__(self, config: GameConfig, array: State) -> None:
        self.config = config
        self.array = array
        array.setflags(write=False)

    @classmethod
    def blank(cls, config: GameConfig) -> State:
        """The array of an empty position, to be filled."""
        s = np.zeros(rules.BOARD + config.boards * rules.BOARD_SIZE, np.int64)
        s[rules.PLY] = 1
        s[rules.WINNER] = -1
        return s

    @classmethod
    def start(cls, config: GameConfig) -> GameState:
        s = cls.blank(config)
        s[rules.MONEY : rules.MONEY + 2] = config.start_money
        unit = by_letter()[config.switches.start_unit].index
        with np.errstate(over="ignore"):
            for k in range(config.boards):
                b = s[rules.board_of(k) : rules.board_of(k) + rules.BOARD_SIZE]
                rules.lay_out(config.ground, b)
                for side in range(2):
                    rules.stock(b, side, unit, 1)
        return cls(config, s)

    @property
    def side(self) -> int:
        return int(self.array[rules.SIDE])

    @property
    def ply(self) -> int:
        return int(self.array[rules.PLY])

    @property
    def winner(self) -> int | None:
        return int(self.array[rules.WINNER]) if self.array[rules.WINNER] >= 0 else None

    @property
    def money(self) -> tuple[int, int]:
        return int(self.array[rules.MONEY]), int(self.array[rules.MONEY + 1])

    @property
    def points(self) -> tuple[int, int]:
        return int(self.array[rules.POINTS]), int(self.array[rules.POINTS + 1])

    def cards(self, side: int) -> str:
        """The side's cards in techline order: L locked, U unlocked, A acquired."""
        at = rules.CARD + side * rules.CARDS
        return "".join(CARD_LETTERS[x] for x in self.array[at : at + rules.CARDS])

    def for_sale(self, side: int | None = None) -> list[Unit]:
        """The unit types that a side may buy now, money aside."""
        who = self.side if side is None else side
        g = self.config.ground
        return [unit for unit in units() if rules.for_sale(g, self.array, who, unit.index) == rules.LEGAL]

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        return tuple(Board(self, k) for k in range(self.config.boards))

    @property
    def mid_turn(self) -> bool:
        """Whether something of this turn has been done already."""
        s = self.array
        ats = [rules.board_of(k) for k in range(self.config.boards)]
        return bool(s[rules.TECHED] or any(s[at + rules.PHASE] or s[at + rules.RESIGNED] for at in ats))

    def _played(self, turn: GameTurn, lenient: bool, whole: bool) -> State:
        s = self.array.copy()
        wrong = turns.play(self.config.lenient_ground if lenient else self.config.ground, s, turn.words(), whole=whole)
        if wrong:
            raise illegal(turn, wrong // 64, wrong % 64)
        return s

    def play(self, turn: GameTurn, *, lenient: bool = False) -> GameState:
        """The state after a whole turn. An illegal turn raises, naming the first illegal action, and changes nothing."""
        return GameState(self.config, self._played(turn, lenient, True))

    def allows(self, turn: GameTurn, *, lenient: bool = False) -> bool:
        """Whether a turn is legal."""
        g = self.config.lenient_ground if lenient else self.config.ground
        return turns.play(g, self.array.copy(), turn.words()) == rules.LEGAL

    def during(self, turn: GameTurn, *, lenient: bool = False) -> GameState:
        """The state in the middle of a turn, after the actions given."""
        return GameState(self.config, self._played(turn, lenient, False))

    def random_turn(self, rng: Rng) -> GameTurn:
        """A random legal turn."""
        return self._made(turns.RANDOM, rng)

    def greedy_turn(self, rng: Rng, *, wild: bool = False) -> GameTurn:
        """The turn of the scripted general; `wild` varies its choices."""
        return self._made(turns.WILD if wild else turns.GREEDY, rng)

    def _made(self, task: int, rng: Rng) -> GameTurn:
        words = turns.make(self.config.ground, self.array.copy(), rng, task, self.config.boards)
        return GameTurn.from_words(words, self.config.boards)

    def answered(self, turn: GameTurn, rng: Rng) -> tuple[GameState, GameTurn | None]:
        """The state after a legal turn and the scripted answer to it, and the answer; None if the turn ends the game."""
        s = self.array.copy()
        words = turns.make(self.config.ground, s, rng, turns.ANSWER, self.config.boards, turn.words())
        return GameState(self.config, s), GameTurn.from_words(words, self.config.boards) if len(words) else None

    def chance(self, side: int) -> float:
        """A rough probability that a side wins, from what both sides have."""
        return turns.winning_chance(self.config.ground, self.array, side)

    def key(self) -> int:
        """A 64-bit hash of all that affects the future."""
        with np.errstate(over="ignore"):
            return int(rules.key(self.config.ground, self.array))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and self.config == other.config and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.config, self.array.tobytes()))

    def __str__(self) -> str:
        from stratagem.games.minions.notation import extended_fen  # which reads states too, and imports this module

        return extended_fen(self)

    def __repr__(self) -> str:
        return f"parse_fen({str(self)!r}, GameConfig.parse({str(self.config)!r}))"
