"""The Python face of a Minions position: `GameState`, its boards and their pieces, over the array of the kernels.

A state is immutable. Between turns it is what the notation says; `during` gives the state in the middle of a turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from stratagem.errors import IllegalMove
from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic, turns
from stratagem.games.minions.config import MOVABLE, GameConfig, hexes_of
from stratagem.games.minions.maps import HEXES, Map, hex_index, hex_name
from stratagem.games.minions.pieces import SIDES as SIDES
from stratagem.games.minions.pieces import Piece as Piece
from stratagem.games.minions.spells import TERRAINS, spell_word
from stratagem.games.minions.turn import GameTurn, illegal
from stratagem.games.minions.units import Unit, by_letter
from stratagem.kernel import State
from stratagem.rng import Rng

BOARD_STATES = "fn120"  # letters of the state codes: first turn, normal, reset 1, reset 2, reset 0
CARD_LETTERS = "LUA"


class Board:
    """One board of a state."""

    def __init__(self, state: GameState, index: int) -> None:
        self.game = state
        self.index = index
        at = layout.board_of(index)
        self.words = state.array[at : at + layout.BOARD_SIZE]

    @property
    def map(self) -> Map:
        return self.game.config.lands[self.index]

    @property
    def state(self) -> str:
        """`f` first turn, `n` normal, `1` and `2` after a reset, `0` where the loser passes."""
        return BOARD_STATES[self.words[layout.MODE]]

    @cached_property
    def pieces(self) -> dict[str, Piece]:
        """The pieces by the name of their hex."""
        cells = self.words[layout.CELL : layout.CELL + HEXES].tolist()
        return {hex_name(h): Piece.of(cell, self.game.config) for h, cell in enumerate(cells) if cell}

    def __getitem__(self, hex_text: str) -> Piece | None:
        hex_index(hex_text)
        return self.pieces.get(hex_text)

    def __iter__(self) -> Iterator[tuple[str, Piece]]:
        return iter(self.pieces.items())

    def reinforcements(self, side: int) -> Counter[Unit]:
        at = layout.ZONE + side * layout.TYPES
        counts = self.words[at : at + layout.TYPES].tolist()
        return Counter({unit: n for unit, n in zip(self.game.config.units, counts, strict=True) if n})

    def hand(self, side: int) -> tuple[str, ...]:
        """The words of the spells in a side's hand on this board, oldest first; `unknown` for those not seen."""
        g = self.game.config.ground
        if not self.game.config.switches.spells:
            return ()
        at = int(layout.hand_of(g, self.index, side))
        return tuple(map(spell_word, self.game.array[at + 1 : at + 1 + self.game.array[at]].tolist()))

    @property
    def taken(self) -> int:
        """How many of the spells drawn this board has taken this turn."""
        g = self.game.config.ground
        return int(self.game.array[layout.taken_at(g, self.index)]) if self.game.config.switches.spells else 0

    @property
    def mana(self) -> int:
        """Of the side to move."""
        return int(self.words[layout.MANA])

    @property
    def terrain(self) -> dict[str, str]:
        """The hexes of the movable terrain by its kind."""
        places = ((kind, layout.land_at(self.words, k)) for k, kind in enumerate(TERRAINS))
        return {kind: hex_name(int(h)) for kind, h in places if h >= 0}

    @cached_property
    def tiles(self) -> str:
        """The tiles as they are now, as letters of the map."""
        found = ["." if tile in MOVABLE else tile for tile in self.map.tiles]
        for k, letter in enumerate(MOVABLE):
            h = int(layout.land_at(self.words, k))
            if h >= 0:
                found[h] = letter
        return "".join(found)

    def graveyards(self, side: int) -> int:
        """How many graveyards a side holds."""
        return int(rules.graveyards(self.game.config.ground, self.index, self.words, side))

    def income(self, side: int) -> int:
        """What this board would pay the side at the end of its turn."""
        return int(rules.income(self.game.config.ground, self.index, self.words, side))

    def reach(self, hex_text: str) -> list[str]:
        """The hexes that the unit on a hex can go to now, sorted, its own and those of friends included."""
        h = hex_index(hex_text)
        cell = int(self.words[layout.CELL + h])
        if cell == 0:
            raise IllegalMove(f"no unit stands on {hex_text} of board {self.index}")
        g = self.game.config.ground
        if not layout.can_move(g, self.words, h):  # in the middle of a turn
            return [hex_text]
        enemy = layout.foes(self.words, layout.owner(cell))
        found = layout.reach(g, layout.tiles_of(self.index), self.words, h, *enemy)
        return sorted(hex_name(x) for x in hexes_of(*found))

    def key(self) -> int:
        with np.errstate(over="ignore"):
            return int(layout.board_key(self.words))


class GameState:
    """A position of Minions, between turns or in the middle of one."""

    def __init__(self, config: GameConfig, array: State) -> None:
        self.config = config
        self.array = array
        array.setflags(write=False)

    @classmethod
    def blank(cls, config: GameConfig) -> State:
        """The array of an empty position, to be filled."""
        s = np.zeros(int(layout.magic_of(config.ground)) + int(layout.magic_size(config.ground)), np.int64)
        s[layout.PLY] = 1
        s[layout.WINNER] = -1
        return s

    @classmethod
    def start(cls, config: GameConfig) -> GameState:
        s = cls.blank(config)
        s[layout.MONEY : layout.MONEY + 2] = config.start_money
        unit = by_letter()[config.switches.start_unit].index
        with np.errstate(over="ignore"):
            for k in range(config.boards):
                b = s[layout.board_of(k) : layout.board_of(k) + layout.BOARD_SIZE]
                rules.lay_out(config.ground, k, b)
                for side in range(2):
                    layout.stock(b, side, unit, 1)
            if config.ground[layout.HAS_MANA]:
                magic.begin_turn(config.ground, s)
        return cls(config, s)

    @property
    def side(self) -> int:
        return int(self.array[layout.SIDE])

    @property
    def ply(self) -> int:
        return int(self.array[layout.PLY])

    @property
    def winner(self) -> int | None:
        return int(self.array[layout.WINNER]) if self.array[layout.WINNER] >= 0 else None

    @property
    def money(self) -> tuple[int, int]:
        return int(self.array[layout.MONEY]), int(self.array[layout.MONEY + 1])

    @property
    def points(self) -> tuple[int, int]:
        return int(self.array[layout.POINTS]), int(self.array[layout.POINTS + 1])

    def cards(self, side: int) -> str:
        """The side's cards in techline order: L locked, U unlocked, A acquired."""
        at = layout.CARD + side * layout.CARDS
        return "".join(CARD_LETTERS[x] for x in self.array[at : at + layout.CARDS])

    def for_sale(self, side: int | None = None) -> list[Unit]:
        """The unit types that a side may buy now, money aside."""
        who = self.side if side is None else side
        g = self.config.ground
        kinds = self.config.units
        return [unit for unit in kinds if rules.for_sale(g, self.array, who, unit.index) == layout.LEGAL]

    # -- spells

    @property
    def awaits_deal(self) -> bool:
        """Whether chance is to deal spells before the side to move can do anything."""
        return self.config.switches.spells and self.winner is None and self.array[layout.DRAWN] == 0

    def known(self, side: int) -> tuple[str, ...]:
        """The words of the cards that a side sees ahead: what it has drawn, and what it will draw."""
        if not self.config.switches.spells:
            return ()
        at = int(layout.deck_of(self.config.ground, side))
        n = int(self.array[at + layout.KNOWN])
        return tuple(map(spell_word, self.array[at + layout.QUEUE : at + layout.QUEUE + n].tolist()))

    @property
    def drawn(self) -> tuple[str, ...]:
        """The words of the spells that boards may still take this turn."""
        return self.known(self.side)[: int(self.array[layout.DRAWN])]

    def deal(self, cards: Sequence[int]) -> GameState:
        """The state when chance has shown the side to move these cards, by their numbers."""
        if not self.awaits_deal:
            raise IllegalMove("no spells are to be dealt now")
        s = self.array.copy()
        if magic.deal(self.config.ground, s, np.array(cards, np.int64), len(cards)) != layout.LEGAL:
            need = int(magic.due(self.config.ground, self.array))
            raise IllegalMove(
                f"these {len(cards)} cards cannot be dealt: {SIDES[self.side]} is shown {need}, "
                "and a deck has each spell as often as the table says"
            )
        return GameState(self.config, s)

    def with_drawn(self, cards: Sequence[int]) -> GameState:
        """The state in which these, by their numbers, are the spells drawn this turn: somebody else deals."""
        s = self.array.copy()
        at = int(layout.deck_of(self.config.ground, self.side)) + layout.QUEUE
        if self.awaits_deal or self.mid_turn or len(cards) != s[layout.DRAWN]:
            raise IllegalMove(
                f"{len(cards)} spells cannot be dealt here: {s[layout.DRAWN]} are dealt, at the beginning of a turn"
            )
        s[at : at + len(cards)] = cards
        return GameState(self.config, s)

    def random_deal(self, rng: Rng) -> list[int]:
        """Cards that chance may deal now, with their odds."""
        out = np.zeros(int(self.config.ground[layout.QUEUE_ROOM]) + 1, np.int64)
        n = int(turns.interpreted(magic.random_deal)(self.config.ground, self.array.copy(), rng, out))
        return [int(card) for card in out[:n]]

    def dealt(self, rng: Rng) -> GameState:
        """The state with spells dealt at random, if any are due."""
        return self.deal(self.random_deal(rng)) if self.awaits_deal else self

    def hidden_from(self, side: int) -> GameState:
        """What a side may see; a number that is no side's shows what a spectator sees."""
        s = self.array.copy()
        magic.hide(self.config.ground, s, side)
        return GameState(self.config, s)

    def guessed(self, side: int, rng: Rng) -> GameState:
        """A state that may be the true one as far as a side can tell."""
        s = self.array.copy()
        turns.interpreted(magic.guess)(self.config.ground, s, side, rng)
        return GameState(self.config, s)

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        return tuple(Board(self, k) for k in range(self.config.boards))

    @property
    def mid_turn(self) -> bool:
        """Whether something of this turn has been done already."""
        s = self.array
        ats = [layout.board_of(k) for k in range(self.config.boards)]
        taken = any(board.taken for board in self.boards)
        begun = s[layout.TECHED] or s[layout.SOLD] or taken
        return bool(begun or any(s[at + layout.PHASE] or s[at + layout.RESIGNED] for at in ats))

    def _try(self, turn: GameTurn, s: State, lenient: bool, whole: bool) -> int:
        g = self.config.lenient_ground if lenient else self.config.ground
        return turns.play(g, s, turn.words(), whole=whole, magic=self.config.magical)

    def _played(self, turn: GameTurn, lenient: bool, whole: bool) -> State:
        s = self.array.copy()
        if wrong := self._try(turn, s, lenient, whole):
            raise illegal(turn, wrong // layout.PLACE, wrong % layout.PLACE)
        return s

    def play(self, turn: GameTurn, *, lenient: bool = False) -> GameState:
        """The state after a whole turn. An illegal turn raises, naming the first illegal action, and changes nothing."""
        return GameState(self.config, self._played(turn, lenient, True))

    def during(self, turn: GameTurn, *, lenient: bool = False) -> GameState:
        """The state in the middle of a turn, after the actions given."""
        return GameState(self.config, self._played(turn, lenient, False))

    def allows(self, turn: GameTurn, *, lenient: bool = False) -> bool:
        """Whether a turn is legal."""
        return self._try(turn, self.array.copy(), lenient, True) == layout.LEGAL

    def reaches(self, turn: GameTurn, *, lenient: bool = False) -> bool:
        """Whether the actions given are legal, as the beginning of a turn."""
        return self._try(turn, self.array.copy(), lenient, False) == layout.LEGAL

    def random_turn(self, rng: Rng) -> GameTurn:
        """A random legal turn."""
        return self._made(turns.random_words(self.config, self.array.copy(), rng))

    def greedy_turn(self, rng: Rng, *, wild: bool = False) -> GameTurn:
        """The turn of the scripted general; `wild` varies its choices."""
        return self._made(turns.scripted_words(self.config, self.array.copy(), rng, wild=wild))

    def _made(self, words: layout.Stream) -> GameTurn:
        return GameTurn.from_words(words, self.config.boards)

    def chance(self, side: int) -> float:
        """A rough probability that a side wins, from what both sides have."""
        return turns.winning_chance(self.config.ground, self.array, side)

    def key(self) -> int:
        """A 64-bit hash of all that affects the future."""
        with np.errstate(over="ignore"):
            return int(layout.key(self.config.ground, self.array))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and self.config == other.config and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.config, self.array.tobytes()))

    def __str__(self) -> str:
        from stratagem.games.minions.notation import extended_fen  # which reads states too, and imports this module

        return extended_fen(self)

    def __repr__(self) -> str:
        profile = "" if self.config.profile == "spooky" else f", {self.config.profile!r}"
        return f"parse_fen({str(self)!r}, GameConfig.parse({str(self.config)!r}{profile}))"
