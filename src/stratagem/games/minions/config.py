"""What is fixed before a game of Minions: profile and switches, maps, techline, points to win, starting money."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.games.minions import layout
from stratagem.games.minions.maps import HEXES, Map, distance, map_of, may_enter
from stratagem.games.minions.spells import TERRAINS, deck
from stratagem.games.minions.units import (
    COPYCAT,
    DATA,
    FLAGS,
    METAMAGIC,
    THAUMATURGY,
    Card,
    Unit,
    by_letter,
    cards,
    live_units,
    units,
)
from stratagem.kernel import Ground
from stratagem.rng import Rng, below, generator

MOST_BOARDS = 256
LARGEST = 10**9  # of money, points and plies that are read from text


@dataclass(frozen=True)
class Switches:
    """Where the sources disagree. Defaults of each profile are in data/profiles.json; sections are of the rules page."""

    spell_price: int = 4  # of an extra spell, times the number of boards
    start_unit: str = "I"  # in each side's reinforcements at the start
    setup_unit: str = "Z"  # received free at setup
    blue_money: int = 6  # Blue's compensation, times the number of boards
    income: int = 2  # a board, besides graveyards and soul
    graveyards_to_win: int = 8
    kill_beats_graveyards: bool = False  # a necromancer killed while its side holds 8 graveyards wins the board
    other_maps: bool = False  # maps that the profile does not know, if the rules cover all their tiles
    live_units: bool = False  # the statistics and abilities of the live server
    special_cards: bool = False  # Thaumaturgy and Metamagic have an effect
    split_moves: bool = False  # a unit may spend its speed in several moves
    open_spawn_phase: bool = False  # in states f and 1 all of the spawn phase but spawning from reinforcements is legal
    auto_march: bool = False  # a free spell that was neither placed nor sold marches at the end of the turn
    keep_dearest: bool = False  # a setup that names nothing keeps the dearest unit of the zone
    advanced_necromancers: bool = (
        False  # a setup names an advanced necromancer, never one that the side has used before
    )
    winner_first: bool = False  # the winner of a board moves first on it: after a kill the loser passes (state 0)
    last_board_decides: bool = (
        False  # of two sides that reach the target at once the one credited last wins, not the mover
    )
    larger_pack: int = 1  # which of the two packs of a randomised techline has the odd card
    spells: bool = False  # decks, hands, mana, cast and discard
    rare_spells: int = 0  # copies in a deck of each of the four spells that the table defines with none
    spells_ahead: int = 10  # cards that a side sees beyond its next draw
    hand_limit: int = 100  # cards of a hand: the sources know no limit, arrays do
    gift_to_all: bool = False  # the card given to a board that took none comes even when n have been taken (Metamagic)
    resigned_takes_none: bool = False  # a board that was resigned is given no spell at the end of the turn
    passing_unpaid: bool = False  # a board on which the loser passes (state 0) pays no income
    blink_as_meant: bool = False  # the spell Blink takes persistent minions home too; as coded they suffer 1 damage
    ability_once: bool = False  # a unit uses its ability once a turn; else as often as there is mana
    teleport_late: bool = False  # a unit on a teleporter may be placed in the spawn phase too
    # the rest is accepted from other engines in lenient mode only
    buy_fresh: bool = False  # buying a unit in the turn its card is acquired
    spawned_support: bool = False  # a unit spawned this turn supports spawning
    copycat_at_once: bool = False  # Copycat counts in the turn it is acquired
    acquire_owned: bool = False  # a spell wasted on a card that one owns
    keep_all: bool = False  # a setup that names nothing keeps the whole zone
    lenient_paths: bool = False  # paths may leave the board and come back
    stay_cycles: bool = False  # a cyclic move of one unit: it stays and counts as moved

    def lenient(self) -> Switches:
        """These switches with all that other engines are granted."""
        granted: dict[str, Any] = dict.fromkeys(_profiles()["lenient"], True)
        return replace(self, **granted)


@dataclass(frozen=True)
class Profile:
    """A named set of rules."""

    name: str
    summary: str
    maps: tuple[str, ...]
    tiles: str  # the tiles that its rules cover
    switches: Switches


@cache
def _profiles() -> Any:
    data = json.loads((DATA / "profiles.json").read_text(encoding="utf-8"))
    known = {field.name for field in fields(Switches)}
    for name, entry in data["profiles"].items():
        if set(entry["switches"]) != known:
            wrong = set(entry["switches"]) ^ known
            raise OptionError(f"data file profiles.json: profile {name} has wrong or missing switches {sorted(wrong)}")
    if set(data["lenient"]) - known:
        raise OptionError("data file profiles.json: lenient names an unknown switch")
    return data


def profile_of(name: str) -> Profile:
    known = _profiles()["profiles"]
    if name not in known:
        raise UnknownName("profile of minions", name, known)
    entry = known[name]
    for map_name in entry["maps"]:
        map_of(map_name)
    return Profile(name, entry["summary"], tuple(entry["maps"]), entry["tiles"], Switches(**entry["switches"]))


def parse_switches(text: str, where: str = "option switches") -> dict[str, Any]:
    """Switches with their values, commas or blanks between: `ability_once=true,hand_limit=20`."""
    plain, found = vars(Switches()), {}
    for item in text.replace(",", " ").split():
        name, _, value = item.partition("=")
        if name not in plain:
            raise ParseError(f"{where} names {name[:40]!r}; there are {', '.join(plain)}")
        kind = type(plain[name])
        reported = (
            value.lower() in ("true", "false")
            if kind is bool
            else value.isdecimal()
            if kind is int
            else len(value) == 1
        )
        if not reported or len(value) > 9 or not value.isascii():
            raise ParseError(f"{where}: {name} is {value[:20]!r}; it is like {plain[name]!r}")
        found[name] = value.lower() == "true" if kind is bool else kind(value)
    return found


@dataclass(frozen=True)
class Techline:
    """The order of the 25 cards."""

    letters: str

    @classmethod
    def standard(cls) -> Techline:
        return cls("".join(card.letter for card in cards()))

    @classmethod
    def randomised(cls, seed: int, fixed: int = 2, larger: int = 1) -> Techline:
        """Two packs of the shuffled rest, each sorted, dealt in turn behind the fixed cards; `larger` has the odd one."""
        rng = generator(seed)
        rest = list(range(fixed, 25))
        for i in range(len(rest) - 1, 0, -1):
            j = _draw(rng, i + 1)
            rest[i], rest[j] = rest[j], rest[i]
        half = (len(rest) + (larger == 1)) // 2
        packs = sorted(rest[:half]), sorted(rest[half:])
        dealt = [pack[i] for i in range(len(rest) - half + 1) for pack in packs if i < len(pack)]
        return cls("".join(cards()[c].letter for c in (*range(fixed), *dealt)))

    @classmethod
    def parse(cls, text: str) -> Techline:
        """Card letters with commas between; of a longer word the first letter counts."""
        words = text.split(",")
        known = {card.letter for card in cards()}
        letters = [word[:1].upper() for word in words]
        for place, letter in enumerate(letters):
            if letter not in known:
                raise ParseError(
                    f"techline card {place} is {words[place][:12]!r}; cards are unit letters and 1, 2, 3, with commas between"
                )
        if len(letters) != 25 or len(set(letters)) != 25:
            raise ParseError(
                f"techline has {len(letters)} cards, {len(set(letters))} of them different; it has 25, each once"
            )
        return cls("".join(letters))

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        named = {card.letter: card for card in cards()}
        return tuple(named[letter] for letter in self.letters)

    def __str__(self) -> str:
        return ",".join(self.letters)


def _draw(rng: Rng, n: int) -> int:
    with np.errstate(over="ignore"):
        return int(below(rng, n))


def points_to_win(boards: int) -> int:
    """The target where none is given: one point a board, less one for every four boards."""
    return boards - boards // 4


@dataclass(frozen=True)
class GameConfig:
    """All that does not change during a game."""

    points: int
    maps: tuple[str, ...]
    techline: Techline
    profile: str = "spooky"
    switches: Switches = Switches()
    money: tuple[int, int] | None = None  # at the start; None: 0 and the profile's compensation

    def __post_init__(self) -> None:
        if not 1 <= self.points <= LARGEST:
            raise ParseError(f"points to win are {self.points}; they are 1 or more")
        if not 1 <= len(self.maps) <= MOST_BOARDS:
            raise ParseError(f"maps: {len(self.maps)} are named; a game has 1 to {MOST_BOARDS} boards")
        profile = profile_of(self.profile)
        for name in self.maps:
            foreign = map_of(name).foreign(profile.tiles)
            if foreign:
                raise ParseError(
                    f"maps: {name} has tiles that profile {self.profile} does not have: {', '.join(foreign)}"
                )
            if name not in profile.maps and not self.switches.other_maps:
                raise ParseError(
                    f"maps: {name} is not a map of profile {self.profile}, which has {', '.join(profile.maps)} "
                    "(the switch other_maps admits it)"
                )
        for field, low, high in NUMBERS:
            if not low <= getattr(self.switches, field) <= high:
                raise OptionError(f"switch {field} is {getattr(self.switches, field)!r}; it goes from {low} to {high}")
        if self.switches.spells and not profile.switches.spells:
            raise OptionError(f"profile {self.profile} has no spells; the profile server has them")
        for field in ("start_unit", "setup_unit"):
            letter = getattr(self.switches, field)
            if letter not in by_letter() or by_letter()[letter].necromancer:
                raise OptionError(f"switch {field} is {letter!r}; it is the letter of a unit, such as Z or I")

    @classmethod
    def make(
        cls, maps: tuple[str, ...], *, points: int = 0, techline: Techline | None = None, profile: str = "spooky",
        money: tuple[int, int] | None = None, **switches: Any,
    ) -> GameConfig:  # fmt: skip
        """A configuration with the profile's own switches but those given."""
        chosen = replace(profile_of(profile).switches, **switches)
        return cls(points or points_to_win(len(maps)), maps, techline or Techline.standard(), profile, chosen, money)

    @classmethod
    def parse(cls, text: str, profile: str = "spooky", **switches: Any) -> GameConfig:
        """The configuration string: points, maps with commas between, techline."""
        words = text.split()
        if len(words) != 3:
            lacks = f", and lacks {('points', 'maps', 'techline')[len(words)]}" if len(words) < 3 else ""
            raise ParseError(
                f"config has {len(words)} fields{lacks}; it has three: points to win, maps and techline, "
                f"such as '{DEFAULT_CONFIG}'"
            )
        if not (words[0].isascii() and words[0].isdecimal() and 1 <= len(words[0]) <= 9):
            raise ParseError(f"config: points are {words[0][:20]!r}; they are a whole number of 1 or more")
        return cls.make(
            tuple(words[1].split(",")) if words[1].count(",") < MOST_BOARDS else ("",) * (MOST_BOARDS + 1),
            points=int(words[0]) or -1, techline=Techline.parse(words[2]), profile=profile, **switches,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.points} {','.join(self.maps)} {self.techline}"

    @property
    def boards(self) -> int:
        return len(self.maps)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The unit types with the statistics that these rules give them."""
        return live_units() if self.switches.live_units else units()

    @property
    def spell_price(self) -> int:
        return self.switches.spell_price * self.boards

    @property
    def start_money(self) -> tuple[int, int]:
        return self.money or (0, self.switches.blue_money * self.boards)

    @cached_property
    def lands(self) -> tuple[Map, ...]:
        return tuple(map_of(name) for name in self.maps)

    @cached_property
    def ground(self) -> Ground:
        return self._ground(self.switches)

    @cached_property
    def magical(self) -> bool:
        """Whether there are spells, tiles that act, abilities or split moves."""
        switches, plain = self.switches, Switches()
        acting = any(getattr(switches, name) != getattr(plain, name) for name in MAGIC_SWITCHES)
        return acting or any(set(land.tiles) - set(".wgfae") for land in self.lands)

    @property
    def constants(self) -> dict[str, bool]:
        """What kernels are bound with when they are compiled for this configuration."""
        return {"MAGIC": self.magical}

    @cached_property
    def lenient_ground(self) -> Ground:
        return self._ground(self.switches.lenient())

    def _ground(self, switches: Switches) -> Ground:
        g: Ground = np.zeros(layout.TILES + self.boards * layout.TILES_SIZE, np.int64)
        g[: len(RULE_SWITCHES)] = [getattr(switches, name) for name in RULE_SWITCHES]
        letters = by_letter()
        g[layout.BOARDS : layout.ZOMBIE + 1] = (
            self.boards, self.spell_price, self.points, self.techline.letters.index(COPYCAT),
            letters[switches.setup_unit].index, switches.income, switches.graveyards_to_win, letters["N"].index,
            letters["Z"].index,
        )  # fmt: skip
        for at, letter in ((layout.THAUMATURGY_AT, THAUMATURGY), (layout.METAMAGIC_AT, METAMAGIC)):
            g[at] = self.techline.letters.index(letter) if switches.special_cards else -1
        g[layout.HAS_MANA] = switches.live_units or any("s" in land.tiles for land in self.lands)
        if switches.spells:
            g[layout.HAND_ROOM], g[layout.AHEAD] = switches.hand_limit, switches.spells_ahead
            g[layout.QUEUE_ROOM] = 2 * (self.boards + 1) + switches.spells_ahead
            g[layout.COPIES : layout.TILES] = deck(switches.rare_spells)
        g[layout.CARD_UNIT : layout.CARD_UNIT + 25] = [
            card.unit.index if card.unit else -1 for card in self.techline.cards
        ]
        g[layout.UNIT : layout.TRAIT] = _unit_table(switches.live_units)
        g[layout.TRAIT : layout.DISK] = [
            x for u in self.units for x in (u.ability, u.mana, u.reinforces, u.absent, _passes(u))
        ]
        g[layout.DISK : layout.COPIES] = _disks()
        for k, land in enumerate(self.lands):
            at = layout.tiles_of(k)
            g[at : at + layout.TILES_SIZE] = _tiles(land, switches.live_units)
        g.setflags(write=False)
        return g


RULE_SWITCHES = (
    "kill_beats_graveyards", "buy_fresh", "spawned_support", "copycat_at_once", "acquire_owned", "keep_all",
    "lenient_paths", "stay_cycles", "spells", "split_moves", "open_spawn_phase", "auto_march", "keep_dearest",
    "advanced_necromancers", "winner_first", "last_board_decides", "blink_as_meant", "ability_once", "teleport_late",
    "gift_to_all", "resigned_takes_none", "passing_unpaid",
)  # fmt: skip  # in the order of the kernels
MAGIC_SWITCHES = ("live_units", "special_cards", "split_moves", "spells")
NUMBERS = (
    ("spell_price", 0, 1000), ("blue_money", 0, 1000), ("income", 0, 1000), ("graveyards_to_win", 1, 100),
    ("larger_pack", 1, 2), ("rare_spells", 0, 10), ("spells_ahead", 0, 64), ("hand_limit", 8, 1000),
)  # fmt: skip
ATTACK_KINDS = {
    "damage": layout.DEALS_DAMAGE, "flurry": layout.DEALS_DAMAGE, "unsummon": layout.UNSUMMONS, "deathtouch": layout.DEATHTOUCH,
}  # fmt: skip


def words_of(hexes: set[int]) -> tuple[int, int]:
    """A set of hexes as a bitboard."""
    return sum(1 << h for h in hexes if h < 50), sum(1 << (h - 50) for h in hexes if h >= 50)


def hexes_of(lo: int, hi: int) -> list[int]:
    """The hexes of a bitboard, by index."""
    bits = int(lo) | int(hi) << 50
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


@cache
def _unit_table(live: bool) -> Ground:
    rows = [
        (ATTACK_KINDS[u.attack], u.damage, u.attacks, u.defense, u.speed, u.range, u.cost, u.rebate,
         *(getattr(u, flag) for flag in FLAGS), u.buyable)
        for u in (live_units() if live else units())
    ]  # fmt: skip
    return np.array(rows, np.int64).ravel()


def _passes(unit: Unit) -> int:
    """The kinds of movable terrain that a type may enter, as bits."""
    return sum(may_enter(unit, tile) << k for k, tile in enumerate(MOVABLE))


@cache
def _disks() -> Ground:
    rows = [words_of({h for h in range(HEXES) if distance(a, h) <= r}) for r in range(4) for a in range(HEXES)]
    return np.array(rows, np.int64).ravel()


@cache
def _tiles(land: Map, live: bool = False) -> Ground:
    """The tiles of a map for the kernels; what is movable is not in them, but where it starts is."""
    fixed = "".join("." if tile in MOVABLE else tile for tile in land.tiles)
    rows = [words_of(set(land.graveyards))]
    kinds = live_units() if live else units()
    rows += [words_of({h for h in range(HEXES) if may_enter(u, fixed[h])}) for u in kinds]
    rows += [words_of({h for h in range(HEXES) if fixed[h] == tile}) for tile in ".stzm"]
    start = sum(land.tiles.find(tile) + 1 << layout.LAND_BITS * k for k, tile in enumerate(MOVABLE))
    return np.append(np.array(rows, np.int64).ravel(), start)


MOVABLE = "WEAF"  # starting places of the movable terrain, in the order of the kernels
assert len(MOVABLE) == len(TERRAINS)
DEFAULT_CONFIG = "2 BlackenedShores,MidnightLake S,P,W,G,T,H,K,X,A,U,J,V,M,L,O,C,R,Q,B,E,Y,D,1,2,3"
