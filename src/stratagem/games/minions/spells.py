"""The spells of the table, from the data file, checked as it is loaded. A spell's number is its place, from 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from stratagem.errors import ParseError, StratagemError
from stratagem.games.minions import layout
from stratagem.games.minions.units import data_rows

TERRAINS = ("flood", "earthquake", "whirlwind", "firestorm")  # in the order of the kernels
UNKNOWN = "unknown"  # the protocol's word for a card of which one sees the back
MANA = {"normal": 0, "sorcery": -1, "cantrip": 1, "double_cantrip": 2}
# what is named behind a spell, by the target that the table gives it
SHAPES = {
    "minion of either side": "hex", "non-persistent minion of either side": "hex", "friendly minion": "hex",
    "friendly necromancer": "hex", "enemy minion": "hex", "hex": "hex", "hex holding a movable terrain tile": "hex",
    "friendly minion and a hex": "pair", "enemy minion and a hex": "pair", "none": "",
    "one of the four movable terrains and a hex": "terrain",
}  # fmt: skip
FORMS = {
    "": "alone", "hex": "and a hex, such as {} e4", "pair": "and two hexes without a blank, such as {} e4e5",
    "terrain": "and a terrain and a hex, such as {} flood e4",
}  # fmt: skip


@dataclass(frozen=True)
class Spell:
    """A spell: what it costs, when it may be played, and what it does, in the words of the table."""

    number: int
    key: str  # its word in turns and state strings
    name: str
    kind: str  # normal, sorcery, cantrip, double_cantrip
    mana: int  # when played
    discard: int  # mana when discarded
    spawn_phase: bool  # whether it may be played in the spawn phase only
    target: str
    condition: str
    effect: str
    copies: int  # in a deck

    @property
    def shape(self) -> str:
        """What is named behind it: nothing, a hex, a pair of hexes, or a terrain and a hex."""
        return SHAPES[self.target]

    @property
    def form(self) -> str:
        return f"cast {self.key} {FORMS[self.shape].format(f'cast {self.key}')}"

    def __str__(self) -> str:
        return self.name


@cache
def spells() -> tuple[Spell, ...]:
    """All spells of the table."""
    found: list[Spell] = []
    for number, row in enumerate(data_rows("spells.csv"), 1):
        key, kind = row["key"], row["type"]
        if kind not in MANA or row["target"] not in SHAPES or row["phase"] not in ("any", "spawn"):
            raise StratagemError(f"data file spells.csv, row {key!r}: type, target or phase is unknown")
        if int(row["mana_when_played"]) != MANA[kind] or int(row["mana_when_discarded"]) != max(MANA[kind], 1):
            raise StratagemError(f"data file spells.csv, row {key!r}: its mana does not fit its type {kind}")
        found.append(
            Spell(
                number, key, row["name"], kind, MANA[kind], max(MANA[kind], 1), row["phase"] == "spawn", row["target"],
                row["condition"], row["effect"], int(row["deck_copies"]),
            )
        )  # fmt: skip
    if len(found) != layout.SPELL_KINDS or len({spell.key for spell in found}) != len(found):
        raise StratagemError(f"data file spells.csv has {len(found)} spells; there are {layout.SPELL_KINDS}, each once")
    return tuple(found)


@cache
def by_key() -> dict[str, Spell]:
    return {spell.key: spell for spell in spells()}


def spell_of(text: str, where: str = "spell") -> Spell:
    """The spell of a word; lower case and underscores are taken too."""
    plain = text.replace("_", "").lower()
    found = by_key().get(text) or next((s for s in spells() if s.key.replace("_", "").lower() == plain), None)
    if found is None:
        raise ParseError(f"{where} {text[:20]!r} is no spell; there are: {', '.join(by_key())}")
    return found


def spell_word(number: int) -> str:
    """The word of a card by its number, `unknown` for one of which only the back is seen."""
    return UNKNOWN if number == layout.UNKNOWN else spells()[number - 1].key


def deck(rare: int = 0) -> list[int]:
    """The copies of each spell in a deck, by its number; `rare`: of each spell that the table defines without copies."""
    return [0, *(spell.copies or rare for spell in spells())]
