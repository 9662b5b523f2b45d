"""What is fixed before a game of Minions: profile and switches, maps, techline, points to win, starting money."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from stratagem.errors import OptionError, ParseError, UnknownName
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.maps import HEXES, Map, distance, map_of, may_enter
from stratagem.games.minions.units import COPYCAT, DATA, FLAGS, Card, by_letter, cards, units
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
        if "switches" in entry and set(entry["switches"]) != known:
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
    if "switches" not in entry:
        playable = ", ".join(n for n, e in known.items() if "switches" in e)
        raise OptionError(f"profile {name!r} ({entry['summary']}) cannot be played yet; there is: {playable}")
    for map_name in entry["maps"]:
        map_of(map_name)
    return Profile(name, entry["summary"], tuple(entry["maps"]), entry["tiles"], Switches(**entry["switches"]))


@dataclass(frozen=True)
class Techline:
    """The order of the 25 cards."""

    letters: str

    @classmethod
    def standard(cls) -> Techline:
        return cls("".join(card.letter for card in cards()))

    @classmethod
    def randomised(cls, seed: int, fixed: int = 2) -> Techline:
        """Two packs of the shuffled rest, each sorted, dealt in turn behind the fixed cards; the first is the larger."""
        rng = generator(seed)
        rest = list(range(fixed, 25))
        for i in range(len(rest) - 1, 0, -1):
            j = _draw(rng, i + 1)
            rest[i], rest[j] = rest[j], rest[i]
        half = (len(rest) + 1) // 2
        packs = sorted(rest[:half]), sorted(rest[half:])
        dealt = [packs[i % 2][i // 2] for i in range(len(rest))]
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


def compensation(bids: tuple[int, int], rng: Rng) -> tuple[int, int]:
    """The team that plays Blue and its starting money: the lower bidder, the mean; halves go either way by chance."""
    if min(bids) < 0:
        raise OptionError(f"bids are {bids[0]} and {bids[1]}; they are 0 or more")
    blue = 0 if bids[0] < bids[1] else 1 if bids[1] < bids[0] else _draw(rng, 2)
    total = sum(bids)
    return blue, total // 2 + (total % 2 and _draw(rng, 2))


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
    def lenient_ground(self) -> Ground:
        return self._ground(self.switches.lenient())

    def _ground(self, switches: Switches) -> Ground:
        g = np.zeros(rules.TILES + self.boards * rules.TILES_SIZE, np.int64)
        g[: len(RULE_SWITCHES)] = [getattr(switches, name) for name in RULE_SWITCHES]
        letters = by_letter()
        g[rules.BOARDS : rules.ZOMBIE + 1] = (
            self.boards, self.spell_price, self.points, self.techline.letters.index(COPYCAT),
            letters[switches.setup_unit].index, switches.income, switches.graveyards_to_win, letters["N"].index,
            letters["Z"].index,
        )  # fmt: skip
        g[rules.CARD_UNIT : rules.CARD_UNIT + 25] = [
            card.unit.index if card.unit else -1 for card in self.techline.cards
        ]
        g[rules.UNIT : rules.DISK] = _unit_table()
        g[rules.DISK : rules.COPIES] = _disks()
        for k, land in enumerate(self.lands):
            at = rules.tiles_of(k)
            g[at : at + rules.TILES_SIZE] = _tiles(land)
        g.setflags(write=False)
        return g


RULE_SWITCHES = (
    "kill_beats_graveyards", "buy_fresh", "spawned_support", "copycat_at_once", "acquire_owned", "keep_all",
    "lenient_paths", "stay_cycles",
)  # fmt: skip  # in the order of the kernels
ATTACK_KINDS = {
    "damage": rules.DEALS_DAMAGE, "flurry": rules.DEALS_DAMAGE, "unsummon": rules.UNSUMMONS, "deathtouch": rules.DEATHTOUCH,
}  # fmt: skip


def words_of(hexes: set[int]) -> tuple[int, int]:
    """A set of hexes as a bitboard."""
    return sum(1 << h for h in hexes if h < 50), sum(1 << (h - 50) for h in hexes if h >= 50)


def hexes_of(lo: int, hi: int) -> list[int]:
    """The hexes of a bitboard, by index."""
    bits = int(lo) | int(hi) << 50
    return [h for h in range(HEXES) if bits >> h & 1]


@cache
def _unit_table() -> Ground:
    rows = [
        (ATTACK_KINDS[u.attack], u.damage, u.attacks, u.defense, u.speed, u.range, u.cost, u.rebate,
         *(getattr(u, flag) for flag in FLAGS), u.buyable, 0, 0, 0, 0)
        for u in units()
    ]  # fmt: skip
    return np.array(rows, np.int64).ravel()


@cache
def _disks() -> Ground:
    rows = [words_of({h for h in range(HEXES) if distance(a, h) <= r}) for r in range(4) for a in range(HEXES)]
    return np.array(rows, np.int64).ravel()


@cache
def _tiles(land: Map) -> Ground:
    rows = [words_of(set(land.graveyards))]
    rows += [words_of({h for h in range(HEXES) if may_enter(u, land.tiles[h])}) for u in units()]
    rows += [words_of({h for h in range(HEXES) if land.tiles[h] in kinds}) for kinds in (".WEAF", "s", "t", "z", "m")]
    return np.append(np.array(rows, np.int64).ravel(), 0)


DEFAULT_CONFIG = "2 BlackenedShores,MidnightLake S,P,W,G,T,H,K,X,A,U,J,V,M,L,O,C,R,Q,B,E,Y,D,1,2,3"
