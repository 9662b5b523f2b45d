"""A position laid out for editing: what stands on each place, what may stand there, and the rest of it as fields.

A game that declares `Editing` lays a position out (`sheet`) and writes the text of what was changed (`written`), which
`Game.parse` judges: a sheet knows no rules, and what it says may be impossible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from stratagem.contract.companions.companion import Companion, Of


@dataclass(frozen=True)
class Sign:
    """Something that may stand on a place."""

    text: str  # as a cell holds it
    words: str  # what it is
    counted: bool = False  # whether a number follows it in the cell, such as A3
    usual: int = 3  # the number that is offered first
    only: str = ""  # things of the same name here are one thing, which stands in one place: a robot, however it faces


@dataclass(frozen=True)
class Field:
    """Something of a position that stands on no place."""

    name: str
    words: str  # what it is
    value: str
    choices: tuple[str, ...] = ()  # texts to choose from; none: any text, or a number
    most: int | None = None  # of a whole number from 0: the largest; None: it is a text


@dataclass(frozen=True)
class Sheet:
    cells: Mapping[str, str] = field(default_factory=dict)  # what stands on places, by the drawing's names for them
    signs: tuple[Sign, ...] = ()  # what may stand on one; the first means nothing
    fields: tuple[Field, ...] = ()
    columns: int = 0  # where the cells are rows of a board in the order of its text: how many a row has
    counted: str = "how many"  # what the numbers of signs are

    def json(self) -> dict[str, Any]:
        """Return the sheet as data."""
        return {**asdict(self), "cells": dict(self.cells)}


class Editing(Companion[Of]):
    """Positions that are set up cell by cell."""

    def sheet(self, position: Of) -> Sheet | None:
        """The position laid out for editing, cell by cell; None for one that cannot be set up so."""
        return None

    def written(self, position: Of, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        """The text of a sheet of the position that was changed; `Game.parse` judges it."""
        raise NotImplementedError


def in_rows(cells: Mapping[str, str], columns: int) -> str:
    """The signs of cells in their order, in rows with / between."""
    signs = list(cells.values())
    return "/".join("".join(signs[k : k + columns]) for k in range(0, len(signs), columns))


def two_sides(marks: str, words: Sequence[str]) -> tuple[Sign, ...]:
    """Signs of a board of two colours: an empty cell and one of each side."""
    return tuple(Sign(mark, said) for mark, said in zip(marks, words, strict=True))


def mover(value: str, choices: Sequence[str]) -> Field:
    """The side that is to move."""
    return Field("mover", "to move", value, tuple(choices))
