"""A turn: the general's part and, for each board, a list of actions; its text, and its words for the kernels.

One action is a part of a move's text, in the words of the engine protocol: `tech 1 0`, `board 0 move c1c0`,
`board 1 move_cyclic c2 d1 d2`, `board 0 attack e4e5`, `board 0 buy S`, `board 0 spawn S d2`. However the parts are mixed,
a turn runs in one order: the techline, then the spells that boards take, then each board in index order with its setup,
its attack phase, its spawn phase. `cast` and `discard` may stand in either phase and stay behind the action before them.
`board 0 endphase` may be written where a phase of a board ends; a turn without it says the same, and is what we write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import IllegalMove, ParseError
from stratagem.games.minions import layout
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.spells import TERRAINS, UNKNOWN, Spell, spell_of, spells
from stratagem.games.minions.units import Unit, by_letter, unit_of, units

MOST_PARTS = 20_000  # of one turn; more is not a turn but an attack on the reader

KINDS = {
    "setup": layout.SETUP, "move": layout.MOVE, "move_cyclic": layout.CYCLE, "attack": layout.ATTACK, "blink": layout.BLINKING,
    "buy": layout.BUY, "spawn": layout.SPAWNS, "resign": layout.RESIGN, "cast": layout.CAST, "discard": layout.DISCARD,
    "ability": layout.ABILITY, "teleport": layout.TELEPORT, "rise": layout.RISE,
}  # fmt: skip
KIND_NAMES = {number: name for name, number in KINDS.items()}
PHASES = {
    "setup": 0, "move": 1, "move_cyclic": 1, "attack": 1, "blink": 1, "teleport": 1, "buy": 2, "spawn": 2, "ability": 2,
    "rise": 2, "resign": 3,
}  # fmt: skip
FORMS = {
    "setup": "setup N, or setup N and the letter of the unit to keep",
    "move": "move and two hexes without a blank, such as move c1c0",
    "move_cyclic": "move_cyclic and hexes with blanks between, such as move_cyclic c2 d1 d2",
    "attack": "attack and two hexes without a blank, such as attack e4e5",
    "blink": "blink and a hex, such as blink e4",
    "buy": "buy and a unit letter, such as buy S",
    "spawn": "spawn, a unit letter and a hex, such as spawn S d2",
    "resign": "resign alone",
    "cast": "cast, a spell and what it is aimed at, such as cast fester e4",
    "discard": "discard and a spell, such as discard fester",
    "ability": "ability, the unit's hex, a terrain and a hex, such as ability e4 flood e5",
    "teleport": "teleport and two hexes without a blank, such as teleport h1c7",
    "rise": "rise and the hex of a spawner, such as rise j0",
}
ENDPHASE = "endphase"  # an action of the text alone: in the kernels' words the order of actions says it
BOARD_FORMS = "one of " + ", ".join([*KINDS, ENDPHASE])

REASONS = {
    layout.NO_UNIT: "no unit stands there",
    layout.NOT_YOURS: "the unit belongs to the other side",
    layout.FRESHLY_SPAWNED: "the unit was spawned this turn",
    layout.HAS_MOVED: "the unit has moved already",
    layout.HAS_ATTACKED: "the unit has attacked and may not move any more",
    layout.SAME_HEX: "a move goes to another hex",
    layout.ENEMY_THERE: "an enemy stands on the destination",
    layout.UNREACHABLE: "no free path of the unit's speed leads there over tiles that it may enter",
    layout.FRIEND_THERE: "a unit of one's own stands on the destination: it has to leave first, or move_cyclic moves both",
    layout.REPEATED_HEX: "a hex is named twice",
    layout.SHORT_CYCLE: "a cyclic move has two units or more",
    layout.LUMBERS: "a lumbering unit may not attack in a turn in which it moved",
    layout.NO_TARGET: "no unit stands on the target hex",
    layout.OWN_TARGET: "the target is a unit of one's own",
    layout.OUT_OF_RANGE: "the target is out of range",
    layout.NO_ATTACKS_LEFT: "the unit has no attack left this turn",
    layout.NECROMANCER_IMMUNE: "deathtouch may not be aimed at a necromancer",
    layout.NO_BLINK: "the unit does not have blink",
    layout.WRONG_PHASE: "the phase of this board in which it may come is over",
    layout.NO_SPAWN_PHASE: "this board has no spawn phase this turn",
    layout.NEEDS_SETUP: "this board was reset: its turn begins with a setup",
    layout.NO_SETUP: "this board was not reset: there is no setup",
    layout.SETUP_DONE: "the setup of this board is done",
    layout.NOT_BASIC: "only the basic necromancer, N, can be chosen",
    layout.NOT_IN_ZONE: "the reinforcements hold no such unit",
    layout.MUST_KEEP: "the reinforcements are not empty: name the unit to keep",
    layout.HAS_RESIGNED: "the board was resigned, and nothing else happens on it",
    layout.NOT_ALONE: "resigning replaces the whole turn of a board: there may be no other action on it",
    layout.NOT_FOR_SALE: "units of this type are not for sale",
    layout.NOT_ACQUIRED: "its card has not been acquired before this turn",
    layout.NO_MONEY: "there is not enough money",
    layout.OCCUPIED: "the hex is not empty",
    layout.BAD_TILE: "the unit may not stand on that tile",
    layout.NO_SPAWNER: "no friendly unit with spawn, itself not spawned this turn, is next to the hex",
    layout.END_OF_LINE: "there is no card left to march to",
    layout.CARD_LOCKED: "a card must hold a spell of one's own before it is acquired",
    layout.CARD_TAKEN: "the opponent has acquired the card",
    layout.CARD_OWNED: "the card is acquired already",
    layout.TECH_DONE: "the general has had his turn",
    layout.GAME_ENDED: "the game is over",
    layout.NO_SUCH_BOARD: "there is no such board",
    layout.NO_SUCH_CARD: "there is no card at that position",
    layout.IS_DONE: "the unit was teleported or repositioned and is done for this turn",
    layout.IS_FROZEN: "a spell keeps the unit from attacking",
    layout.MUST_PASS: "the loser of this board passes a turn on it",
    layout.NECROMANCER_USED: "this side has used that necromancer before",
    layout.NOT_ADVANCED: "an advanced necromancer is chosen that this side has not used, such as ArcaneNecromancer",
    layout.NO_SPAWNING_YET: "nothing is spawned from the reinforcements in the first turn on a board",
    layout.NO_SPELLS: "this game has no spells",
    layout.NO_SUCH_SPELL: "there is no such spell",
    layout.NOT_IN_HAND: "the hand of this board does not hold that spell",
    layout.NOT_DRAWN: "that is not among the spells drawn",
    layout.BOARD_TOOK: "a board takes one spell a turn unless Metamagic was acquired before",
    layout.ALL_TAKEN: "as many spells as there are boards have been taken",
    layout.HAND_FULL: "the hand is full",
    layout.FEW_CARDS: "no more extra spells are bought in a turn than cards are known ahead",
    layout.NO_MANA: "the board has not the mana, and its hand could not pay for it",
    layout.NO_MINION: "the spell is for minions, not for necromancers",
    layout.NOT_NECROMANCER: "the spell is for one's own necromancer",
    layout.ENEMY_NEEDED: "the spell is for enemies",
    layout.FRIEND_NEEDED: "the spell is for units of one's own",
    layout.UNHURT: "the target has taken no damage this turn",
    layout.IS_PERSISTENT: "the target is persistent",
    layout.NOT_ADJACENT: "the hex is not next to the unit",
    layout.NO_FRIEND_NEAR: "no friendly unit that was not spawned this turn is next to the hex",
    layout.NOT_GROUND: "the hex is not plain ground",
    layout.NO_LAND: "no movable terrain lies there",
    layout.NO_STRIKER: "no friendly minion that has attacked another enemy this turn has the target in range",
    layout.NO_ABILITY: "the unit cannot move that terrain",
    layout.ABILITY_USED: "the unit has used its ability this turn",
    layout.NO_TELEPORTER: "the unit does not stand on a teleporter",
    layout.HAS_ACTED: "only a unit that has done nothing yet this turn is teleported",
    layout.NO_SPAWNER_TILE: "the hex is no spawner",
    layout.SPAWNER_USED: "a spawner of this board was used this turn",
    layout.NO_THAUMATURGY: "a spell is sold by a side that acquired Thaumaturgy before this turn",
    layout.SPELL_USED: "the free spell has been used or sold",
    layout.AWAITS_DEAL: "the spells of this turn have not been dealt yet",
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
        return [layout.TECH, self.advance, len(self.acquire), *self.acquire]


@dataclass(frozen=True)
class BoardAction:
    """One action on one board."""

    kind: str  # setup, move, move_cyclic, attack, blink, buy, spawn, resign
    hexes: tuple[int, ...] = ()
    unit: Unit | None = None  # bought, spawned, or the necromancer of a setup
    keep: Unit | None = None  # the unit that a setup keeps
    spell: Spell | None = None  # cast or discarded
    terrain: int | None = None  # that Terraform or an ability moves

    @classmethod
    def parse(cls, words: Sequence[str]) -> BoardAction:
        kind = words[0] if words else ""
        if kind == ENDPHASE:
            if len(words) > 1:
                raise ParseError(f"{' '.join(words)[:60]!r} is not well formed: write {ENDPHASE} alone")
            return cls(kind)
        if kind not in KINDS:
            raise ParseError(f"board action {kind[:20]!r} is unknown; it is {BOARD_FORMS}")
        rest = words[1:]
        form = ParseError(f"{' '.join(words)[:60]!r} is not well formed: write {FORMS[kind]}")
        if kind == "resign":
            if len(rest) > 1:  # one more word is the form that the reference engine reads
                raise form
            return cls(kind)
        if kind in ("move", "attack", "teleport"):
            if len(rest) != 1 or len(rest[0]) != 4:
                raise form
            return cls(kind, _hex_pair(rest[0], kind))
        if kind in ("cast", "discard", "ability"):
            return cls._magic(kind, rest, form)
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
        if kind in ("blink", "rise"):
            return cls(kind, (hex_index(rest[0], f"{kind}: hex"),))
        if len(rest[0]) != 1:
            raise form
        unit = unit_of(rest[0], f"{kind}: unit")
        return cls(kind, (hex_index(rest[1], "spawn: hex"),) if kind == "spawn" else (), unit)

    @classmethod
    def _magic(cls, kind: str, rest: Sequence[str], form: ParseError) -> BoardAction:
        if not rest:
            raise form
        if kind == "ability":
            if len(rest) != 3:
                raise form
            hexes = hex_index(rest[0], "ability: hex"), hex_index(rest[2], "ability: hex")
            return cls(kind, hexes, terrain=_terrain(rest[1], "ability"))
        spell = spell_of(rest[0], f"{kind}: spell")
        if kind == "discard":
            if len(rest) != 1:
                raise form
            return cls(kind, spell=spell)
        aim = rest[1:]
        if len(aim) != {"": 0, "terrain": 2}.get(spell.shape, 1):
            raise ParseError(f"{' '.join(rest)[:60]!r} is not well formed: write {spell.form}")
        if spell.shape == "pair":
            return cls(kind, _hex_pair(aim[0], f"cast {spell.key}"), spell=spell)
        terrain = _terrain(aim[0], f"cast {spell.key}") if spell.shape == "terrain" else None
        return cls(kind, tuple(hex_index(h, f"cast {spell.key}: hex") for h in aim[-1:]), spell=spell, terrain=terrain)

    def __str__(self) -> str:
        names = [hex_name(h) for h in self.hexes]
        if self.kind in ("move", "attack", "teleport"):
            return f"{self.kind} {''.join(names)}"
        if self.kind == "ability":
            return f"ability {names[0]} {TERRAINS[self.terrain or 0]} {names[1]}"
        if self.spell is not None:
            terrain = [] if self.terrain is None else [TERRAINS[self.terrain]]
            return " ".join((self.kind, self.spell.key, *terrain, *filter(None, ["".join(names)])))
        letters = []
        if self.unit is not None:
            letters.append(self.unit.letter if by_letter()[self.unit.letter] == self.unit else self.unit.name)
        if self.keep is not None:
            letters.append(self.keep.letter)
        return " ".join((self.kind, *letters, *names))

    @classmethod
    def of(cls, number: int, arguments: Sequence[int]) -> BoardAction:
        """The action of a kind of the kernels with its arguments."""
        kind = KIND_NAMES[number]
        if kind == "setup":
            necromancer, keep = arguments
            return cls(kind, unit=units()[necromancer], keep=units()[keep] if keep >= 0 else None)
        if kind in ("buy", "spawn"):
            return cls(kind, tuple(arguments[1:]), units()[arguments[0]])
        if kind == "ability":
            h, terrain, to = arguments
            return cls(kind, (h, to), terrain=terrain)
        if kind in ("cast", "discard"):
            spell, aim = spells()[arguments[0] - 1], list(arguments[1:])
            moved = aim.pop(0) if spell.shape == "terrain" and aim else None
            return cls(kind, tuple(aim), spell=spell, terrain=moved)
        return cls(kind, tuple(arguments))

    def words(self, board: int) -> list[int]:
        if self.kind == "setup":
            assert self.unit is not None
            arguments = [self.unit.index, self.keep.index if self.keep else -1]
        elif self.kind == "ability":
            arguments = [self.hexes[0], self.terrain or 0, self.hexes[1]]
        else:
            arguments = [self.unit.index] if self.unit is not None else []
            arguments += [self.spell.number] if self.spell is not None else []
            arguments += [self.terrain] if self.terrain is not None else []
            arguments += self.hexes
        return [KINDS[self.kind], board, len(arguments), *arguments]


def _hex_pair(text: str, where: str) -> tuple[int, int]:
    if len(text) != 4:
        raise ParseError(f"{where}: {text[:20]!r} is no pair of hexes: two hexes without a blank, such as e4e5")
    return hex_index(text[:2], f"{where}: hex"), hex_index(text[2:], f"{where}: hex")


def _terrain(text: str, where: str) -> int:
    if text not in TERRAINS:
        raise ParseError(f"{where}: {text[:20]!r} is no movable terrain; there are {', '.join(TERRAINS)}")
    return TERRAINS.index(text)


@dataclass(frozen=True)
class Gift:
    """A board takes one of the spells drawn; None for one of which an onlooker sees the back."""

    board: int
    spell: Spell | None

    def __str__(self) -> str:
        return f"give_spell {self.board} {self.spell.key if self.spell else UNKNOWN}"

    def words(self) -> list[int]:
        return [layout.GIVE, self.board, 1, self.spell.number if self.spell else layout.UNKNOWN]


SOLD = "sell_spell"  # the part that gives up the free spell


def in_phases(actions: Iterable[BoardAction]) -> list[tuple[int, BoardAction]]:
    """Each action with its phase: 0 the setup, 1 attacks, 2 spawning, 3 a resignation.

    What may come in either phase belongs to that of the action before it; spells of the spawn phase belong there. What ends a
    phase is left out: nothing of that phase may follow it.
    """
    phased: list[tuple[int, BoardAction]] = []
    last, ended = 1, 0
    for action in actions:
        if action.kind == ENDPHASE:
            if ended == 2:
                raise ParseError(f"{ENDPHASE} stands a third time on a board, which has two phases")
            ended += 1
            last = 2
            continue
        phase = PHASES.get(action.kind)
        if phase is None:
            phase = 2 if action.kind == "cast" and action.spell and action.spell.spawn_phase else last
        if ended and phase <= ended:
            raise ParseError(f"{str(action)!r} comes after {ENDPHASE}, which ended its phase")
        if phase in (1, 2):
            last = phase
        phased.append((phase, action))
    return phased


def in_order(actions: Iterable[BoardAction]) -> tuple[BoardAction, ...]:
    """Phases in their order, whatever the order given; of several setups the last counts."""
    phased = in_phases(actions)
    setups = [action for phase, action in phased if phase == 0]
    rest = sorted((item for item in phased if item[0] > 0), key=lambda item: item[0])
    return (*setups[-1:], *(action for _, action in rest))


MOVING = tuple(kind for kind, phase in PHASES.items() if phase == 1)  # actions of the attack phase


def before_spawning(actions: Sequence[BoardAction]) -> tuple[BoardAction, ...]:
    """The actions of a board, in their order, up to the first one that begins its spawn phase."""
    spawning = [
        k
        for k, action in enumerate(actions)
        if PHASES.get(action.kind, 0) >= 2 or (action.spell and action.spell.spawn_phase)
    ]
    return tuple(actions[: spawning[0]] if spawning else actions)


@dataclass(frozen=True)
class GameTurn:
    """A whole turn: the techline, the spells taken, and the actions of each board in the order in which they run."""

    tech: Tech = Tech()
    boards: tuple[tuple[BoardAction, ...], ...] = ()
    spells: tuple[Gift, ...] = ()
    sold: bool = False  # whether the free spell is sold
    SEPARATOR: ClassVar[str] = ";"

    def __post_init__(self) -> None:
        object.__setattr__(self, "boards", tuple(in_order(actions) for actions in self.boards))

    @classmethod
    def parse(cls, text: str | Iterable[str], boards: int) -> GameTurn:
        """A turn from its text, `;` or line ends between the parts, as typed or as pasted from an engine's output."""
        parts = text.replace("\n", ";").split(";", MOST_PARTS) if isinstance(text, str) else list(text)
        if len(parts) > MOST_PARTS:
            raise ParseError(f"a turn of more than {MOST_PARTS} parts is not read")
        tech, gifts, sold = Tech(), [], False
        actions: list[list[BoardAction]] = [[] for _ in range(boards)]
        for part in parts:
            found = parse_part(part, boards)
            if isinstance(found, Tech):
                tech = found  # of several the last counts
            elif isinstance(found, Gift):
                gifts.append(found)
            elif isinstance(found, str):
                sold = True
            elif found is not None:
                actions[found[0]].append(found[1])
        return cls(tech, tuple(map(tuple, actions)), tuple(gifts), sold)

    def parts(self, *, endphase: bool = False) -> list[str]:
        """The texts of the parts, in the order in which they run; `endphase`: with what ends each board's attack phase."""
        boards: list[str] = []
        for k, actions in enumerate(self.boards):
            texts = [f"board {k} {action}" for action in actions]
            if endphase and not any(action.kind == "resign" for action in actions):
                texts.insert(sum(phase < 2 for phase, _ in in_phases(actions)), f"board {k} {ENDPHASE}")
            boards += texts
        return [*([SOLD] if self.sold else []), str(self.tech), *map(str, self.spells), *boards]

    def __str__(self) -> str:
        return self.SEPARATOR.join(self.parts())

    def hidden(self) -> GameTurn:
        """The turn as the opponent sees it: which spells boards took is not shown."""
        return replace(self, spells=tuple(Gift(gift.board, None) for gift in self.spells))

    def words(self) -> NDArray[np.int64]:
        """The turn for the kernels."""
        found = [layout.SELL, 0, 0] if self.sold else []
        found += self.tech.words()
        for gift in self.spells:
            found += gift.words()
        for k, actions in enumerate(self.boards):
            for action in actions:
                found += action.words(k)
        return np.array(found, np.int64)

    @classmethod
    def from_words(cls, stream: Sequence[int] | NDArray[np.int64], boards: int) -> GameTurn:
        """The turn that kernels wrote."""
        tech, gifts, sold = Tech(), [], False
        actions: list[list[BoardAction]] = [[] for _ in range(boards)]
        at = 0
        while at < len(stream):
            kind, k, n = int(stream[at]), int(stream[at + 1]), int(stream[at + 2])
            arguments = [int(x) for x in stream[at + 3 : at + 3 + n]]
            if kind == layout.TECH:
                tech = Tech(tech.advance + k, (*tech.acquire, *arguments))  # atoms write one spell each
            elif kind == layout.SELL:
                sold = True
            elif kind == layout.GIVE:
                gifts.append(Gift(k, spells()[arguments[0] - 1] if arguments[0] <= layout.SPELL_KINDS else None))
            else:
                actions[k].append(BoardAction.of(kind, arguments))
            at += 3 + n
        return cls(tech, tuple(map(tuple, actions)), tuple(gifts), sold)


def parse_part(text: str, boards: int) -> Tech | Gift | str | tuple[int, BoardAction] | None:
    """One part of a turn; None for an empty one and for the lines that frame a turn in the protocol."""
    words = text.split(None, 200)
    if words and words[0] == "action":
        words = words[1:]
    if not words or words[0] in ("turn", "endturn"):
        return None
    if words[0] == "tech":
        return Tech.parse(words[1:])
    if words[0] == "buy_spell":
        raise ParseError(
            "buy_spell: extra spells are bought by placing them; write tech with more cards, such as tech 2"
        )
    if words[0] == SOLD:
        if len(words) > 1:
            raise ParseError(f"{text.strip()[:40]!r} is not well formed: write {SOLD} alone")
        return SOLD
    if words[0] == "give_spell":
        if len(words) != 3:
            raise ParseError(
                f"{text.strip()[:40]!r} is not well formed: write give_spell, a board and one of the spells drawn"
            )
        k = _board_index(words[1], boards)
        return Gift(k, None if words[2] == UNKNOWN else spell_of(words[2], "give_spell: spell"))
    k = 0
    if words[0] == "board":
        if len(words) < 3:
            raise ParseError(f"{text.strip()[:40]!r} is not well formed: write board, its index and an action")
        k = _board_index(words[1], boards)
        words = words[2:]
    elif boards > 1 or words[0] not in (*KINDS, ENDPHASE):
        raise ParseError(
            f"{text.strip()[:40]!r} is no part of a turn: write tech 1, or board 0 and an action, such as board 0 move c1c0"
        )
    return k, BoardAction.parse(words)


def board_action(text: str, boards: int) -> tuple[int, BoardAction] | None:
    """The board and the action that a part of a turn is; None for the general's parts, and for those that do nothing."""
    found = parse_part(text, boards)
    return found if isinstance(found, tuple) else None


def _board_index(text: str, boards: int) -> int:
    k = _number(text, "board index")
    if k >= boards:
        raise ParseError(f"board index {k} is out of range; boards go from 0 to {boards - 1}")
    return k


def illegal(turn: GameTurn, place: int, reason: int) -> IllegalMove:
    """The error for the action at a place of the turn, in words."""
    parts = turn.parts()
    if place >= len(parts):
        return IllegalMove(f"the turn is incomplete: {REASONS[reason]}")
    return IllegalMove(f"{parts[place]!r} is illegal: {REASONS[reason]}")
