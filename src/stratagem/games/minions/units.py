"""Unit types and techline cards, from the data files, checked as they are loaded."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from stratagem.errors import ParseError, StratagemError

DATA = files("stratagem.games.minions") / "data"
ATTACK_TYPES = ("damage", "flurry", "unsummon", "deathtouch")
FLAGS = ("necromancer", "lumbering", "flying", "persistent", "spawn", "blink", "soul")


@dataclass(frozen=True)
class Unit:
    """A unit type with its printed statistics."""

    index: int
    name: str
    letter: str  # of the notation; all necromancers share N
    group: str  # basic, tech, necromancer_basic, necromancer_advanced, legacy
    attack: str  # damage, flurry, unsummon, deathtouch
    damage: int  # of one attack; 0 where the attack is no damage
    attacks: int  # attacks a turn
    defense: int
    speed: int
    range: int
    cost: int
    rebate: int  # to the owner when the unit is killed
    necromancer: bool
    lumbering: bool
    flying: bool
    persistent: bool
    spawn: bool
    blink: bool
    soul: int  # extra income
    ability: int = 0  # the movable terrain that it can move, as bits: flood, earthquake, whirlwind, firestorm
    mana: int = 0  # a turn, for the board that it stands on
    reinforces: bool = False  # whether it brings a free Zombie a turn
    absent: bool = False  # whether there is no such type

    @property
    def buyable(self) -> bool:
        """Whether the type is ever for sale: Zombie and the units of the techline."""
        return self.group in ("basic", "tech")

    @property
    def keywords(self) -> tuple[str, ...]:
        return tuple(flag for flag in FLAGS if getattr(self, flag))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Card:
    """A card of the techline: a unit type, or one of the three special cards."""

    number: int  # 1..25
    name: str
    letter: str
    unit: Unit | None
    counters: tuple[str, ...]


def data_rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((DATA / name).read_text(encoding="utf-8").splitlines()))


def _wrong(file: str, row: Any, what: str) -> StratagemError:
    return StratagemError(f"data file {file}, row {row!r}: {what}")


@cache
def units() -> tuple[Unit, ...]:
    """All unit types; a type's place is its index."""
    found: list[Unit] = []
    for k, row in enumerate(data_rows("units.csv")):
        name = row["name"]
        try:
            numbers = {key: int(row[key] or 0) for key in
                       ("damage", "num_attacks", "defense", "speed", "range", "cost", "rebate", *FLAGS)}  # fmt: skip
        except ValueError as error:
            raise _wrong("units.csv", name, str(error)) from None
        if int(row["index"]) != k:
            raise _wrong("units.csv", name, f"index is {row['index']}, its place is {k}")
        if row["attack_type"] not in ATTACK_TYPES:
            raise _wrong("units.csv", name, f"attack_type is {row['attack_type']!r}")
        damaging = row["attack_type"] in ("damage", "flurry")
        if damaging != (numbers["damage"] > 0) or not 1 <= numbers["num_attacks"] <= 31:
            raise _wrong("units.csv", name, "damage or num_attacks do not fit the attack_type")
        if not (1 <= numbers["defense"] <= 31 and 0 <= numbers["speed"] <= 6 and 0 <= numbers["range"] <= 3):
            raise _wrong("units.csv", name, "defense, speed or range is out of bounds")
        if any(numbers[flag] not in (0, 1) for flag in FLAGS) or len(row["fen"]) != 1:
            raise _wrong("units.csv", name, "a keyword is not 0 or 1, or fen is not one letter")
        found.append(
            Unit(
                k, name, row["fen"], row["group"], row["attack_type"], numbers["damage"], numbers["num_attacks"],
                numbers["defense"], numbers["speed"], numbers["range"], numbers["cost"], numbers["rebate"],
                *(bool(numbers[flag]) for flag in FLAGS),
            )
        )  # fmt: skip
    letters = [unit.letter for unit in found if unit.group != "necromancer_advanced"]
    if len(set(letters)) != len(letters):
        raise StratagemError("data file units.csv: two unit types share a letter")
    return tuple(found)


ABILITIES = {"move_flood": 1, "move_earthquake": 2, "move_whirlwind": 4, "move_firestorm": 8, "move_any_terrain": 15}


@cache
def live_units() -> tuple[Unit, ...]:
    """The unit types as the live server has them: the data file lists what is different there."""
    found = []
    for unit, row in zip(units(), data_rows("units.csv"), strict=True):
        changes: dict[str, Any] = {}
        for item in filter(None, row["live_server_override"].split(";")):
            name, _, value = item.partition("=")
            if name == "ability":
                changes["ability"] = ABILITIES[value.split()[0]]
            elif name in ("lumbering", "flying", "persistent", "spawn", "blink"):
                changes[name] = value == "1"
            elif name in ("defense", "speed", "range", "soul"):
                changes[name] = int(value)
            elif name == "mana_per_turn":
                changes["mana"] = int(value)
            elif item == "per_turn_reinforcement=Zombie":
                changes["reinforces"] = True
            elif item == "absent":
                changes["absent"] = True
            else:
                raise _wrong("units.csv", unit.name, f"live_server_override {item!r} is unknown")
        found.append(replace(unit, **changes))
    return tuple(found)


@cache
def by_letter() -> dict[str, Unit]:
    """Unit types by the letter of the notation; N is the basic necromancer."""
    return {unit.letter: unit for unit in units() if unit.group != "necromancer_advanced"}


def spaced(name: str) -> str:
    """A name for people, with spaces between its words: that of `BasicNecromancer` is Basic Necromancer."""
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", name)


@cache
def by_name() -> dict[str, Unit]:
    return {unit.name: unit for unit in units()}


def unit_of(text: str, where: str = "unit") -> Unit:
    """The unit type of a letter in either case, or of a name."""
    unit = by_letter().get(text.upper()) if len(text) == 1 else by_name().get(text)
    if unit is None:
        raise ParseError(f"{where} {text[:20]!r} is no unit letter; there are: {' '.join(sorted(by_letter()))}")
    return unit


@cache
def cards() -> tuple[Card, ...]:
    """The 25 cards in their standard order."""
    found: list[Card] = []
    names = {unit.name: unit for unit in units()}
    for k, row in enumerate(data_rows("techline.csv")):
        unit = names.get(row["name"])
        if int(row["tech_number"]) != k + 1 or (row["kind"] == "unit") != (unit is not None):
            raise _wrong("techline.csv", row["name"], "tech_number or kind is wrong")
        if unit is not None and (unit.letter != row["fen"] or unit.group != "tech"):
            raise _wrong("techline.csv", row["name"], "letter or group differs from units.csv")
        found.append(Card(k + 1, row["name"], row["fen"], unit, tuple(row["counters"].split())))
    if len(found) != 25:
        raise StratagemError(f"data file techline.csv has {len(found)} cards; the line has 25")
    return tuple(found)


COPYCAT, THAUMATURGY, METAMAGIC = "1", "2", "3"  # letters of the special cards
