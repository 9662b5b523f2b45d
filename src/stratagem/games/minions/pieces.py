"""A unit on a board: what it has done and suffered, the spells on it, and the text of all that in a state string."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from stratagem.games.minions import layout
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.maps import hex_index, hex_name
from stratagem.games.minions.units import Unit, units
from stratagem.kernel import Ground

SIDES = ("Yellow", "Blue")

# What a piece has done and suffered: its letter in the state string, in the order there, and its bits in the kernels' cell.
MARKS = {
    "moved": ("m", layout.MOVED), "spawned": ("s", layout.SPAWNED),
    "attacks_used": ("a", layout.COUNT_MASK << layout.USED_SHIFT), "damage": ("d", layout.HURT_MASK << layout.HURT_SHIFT),
    "done": ("x", layout.SPENT), "bonus": ("b", layout.BONUS_MASK << layout.BONUS_SHIFT),
    "shielded": ("h", layout.SHIELDED), "frozen": ("f", layout.FROZEN), "slowed": ("l", layout.SLOWED),
    "shackled": ("c", layout.SHACKLED), "weakened": ("w", layout.WEAK_MASK << layout.WEAK_SHIFT),
    "supporting": ("p", layout.SUPPORTING), "mighty": ("u", layout.MIGHTY),
    "struck": ("v", layout.STRUCK_MASK << layout.STRUCK_SHIFT), "steps": ("n", layout.STEPS_MASK << layout.STEPS_SHIFT),
    "tapped": ("t", layout.TAPPED),
}  # fmt: skip


def _pattern(name: str, letter: str, bits: int) -> str:
    if bits & (bits - 1) == 0:
        return f"(?P<{name}>{letter})?"
    value = r"\*|[a-j][0-9]" if name == "struck" else r"[1-9]\d{0,3}"
    return f"(?:{letter}(?P<{name}>{value}))?"


MARKS_PATTERN = re.compile("".join(_pattern(name, *mark) for name, mark in MARKS.items()), re.ASCII)


def marks_in(cell: int) -> dict[str, Any]:
    """The marks that a cell has: true, or a number where a mark has more than one bit."""
    found: dict[str, Any] = {}
    for name, (_, bits) in MARKS.items():
        if cell & bits:
            lowest = bits & -bits
            found[name] = bits == lowest or (cell & bits) // lowest
    return found


def marks_text(cell: int) -> str:
    """The marks of a cell as the state string has them, such as `ma1d2`."""
    text = ""
    for name, value in marks_in(cell).items():
        number = "" if value is True else value
        if name == "struck":
            number = "*" if value == layout.SEVERAL else hex_name(value - 1)
        text += f"{MARKS[name][0]}{number}"
    return text


def marks_of(text: str) -> int | None:
    """The share of a cell that a text of marks says; None where it is not one, or a number is too large."""
    match = MARKS_PATTERN.fullmatch(text)
    values: dict[str, Any] = {}
    for name, value in match.groupdict().items() if match else ():
        if value and name == "struck":
            values[name] = layout.SEVERAL if value == "*" else hex_index(value) + 1
        elif value:
            values[name] = not value.isdecimal() or int(value)
    cell = sum(value * (MARKS[name][1] & -MARKS[name][1]) for name, value in values.items())
    return cell if match and marks_in(cell) == values else None


@dataclass(frozen=True)
class Modifiers:
    """What spells and tiles have made of a piece. Spells last to the end of the turn of their caster's opponent."""

    done: bool = False  # teleported or repositioned: it does nothing more this turn
    bonus: int = 0  # defense, by Shield and Protection
    shielded: bool = False  # goes to the reinforcements instead of dying
    frozen: bool = False  # cannot attack
    slowed: bool = False  # lumbers
    shackled: bool = False  # speed and range at most 1
    weakened: int = 0  # less damage, or attacks of a flurry
    supporting: bool = False  # has the spawn keyword this turn
    mighty: bool = False  # has at least 2 attacks this turn
    struck: int = 0  # the index + 1 of the hex of the one enemy that it attacked this turn; SEVERAL if it was not one
    steps: int = 0  # of its speed spent, where a move may be split
    tapped: bool = False  # has used its ability, where that counts

    @property
    def names(self) -> tuple[str, ...]:
        """The spells on the piece, in words."""
        words = ["done"] * self.done + ["shielded"] * self.shielded
        words += [f"defense +{self.bonus}"] if self.bonus else []
        words += ["frozen"] * self.frozen + ["slowed"] * self.slowed + ["shackled"] * self.shackled
        words += [f"weakened {self.weakened}"] if self.weakened else []
        return (*words, *["supports spawning"] * self.supporting, *["mighty"] * self.mighty)


def letter_of(cell: int) -> str:
    """The letter of the unit in a cell: upper case for Yellow, lower case for Blue."""
    letter = units()[(cell & layout.TYPE_MASK) - 1].letter
    return letter.lower() if layout.owner(cell) else letter


@dataclass(frozen=True)
class Piece:
    """A unit on a board, with what it has done and suffered this turn and the spells on it."""

    unit: Unit
    side: int
    cell: int  # the word of the kernels
    ground: Ground = field(repr=False, compare=False)
    moved: bool = False
    spawned: bool = False
    attacks_used: int = 0
    damage: int = 0
    spells: Modifiers = Modifiers()

    @classmethod
    def of(cls, cell: int, config: GameConfig) -> Piece:
        unit, marks = config.units[(cell & layout.TYPE_MASK) - 1], marks_in(cell)
        spells = Modifiers(**{name: marks.pop(name) for name in vars(Modifiers()) if name in marks})
        return cls(unit, layout.owner(cell), cell, config.ground, **marks, spells=spells)

    @property
    def defense(self) -> int:
        """Spells counted, damage not."""
        return int(layout.defense(self.ground, self.cell))

    @property
    def now(self) -> Unit:
        """The unit with the statistics that spells have made of it, steps taken aside; terrain goes by the printed ones."""
        g, cell = self.ground, self.cell & ~(layout.STEPS_MASK << layout.STEPS_SHIFT)
        return replace(
            self.unit, attacks=int(layout.attacks(g, cell)), damage=int(layout.damage(g, cell)), defense=self.defense,
            lumbering=bool(layout.lumbers(g, cell)), spawn=self.unit.spawn or self.spells.supporting,
            speed=int(layout.speed(g, cell)), range=int(layout.reaching(g, cell)),
        )  # fmt: skip

    @property
    def letter(self) -> str:
        """Upper case for Yellow, lower case for Blue."""
        return letter_of(self.cell)

    def __str__(self) -> str:
        return f"{SIDES[self.side]} {self.unit.name}"
