"""What may come next in a move that is built part by part, and how a page asks for it."""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.errors import OptionError


@dataclass(frozen=True)
class Form:
    """How a part that is written is filled in: entries with commas between, each with a label of its own."""

    kind: str  # one of FORMS
    labels: tuple[str, ...]  # what each entry is for, in their order
    total: int | None = None  # of numbers: what they add up to
    spare: bool = False  # of numbers: whether a smaller sum will do

    def __post_init__(self) -> None:
        if self.kind not in FORMS:
            raise OptionError(f"a form of kind {self.kind!r} is not known; it is one of {', '.join(FORMS)}")


FORMS = ("numbers", "pieces")  # a field for each; pieces of the drawing (`data-piece`), picked in order


@dataclass(frozen=True)
class Parts:
    """What may follow the parts of a move given so far."""

    next: tuple[str, ...]  # texts of the parts that may come next; for free text a few examples
    complete: bool  # whether the parts given are already a whole move
    free: str | None = None  # where parts are not listed: what to type, in words
    form: Form | None = None  # and how a page asks for it
    grave: tuple[str, ...] = ()  # of `next`, those that give something up: pages set them apart and ask again
