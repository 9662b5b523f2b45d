"""Settings that all searches of whole turns share; each search adds its own beside its template."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from stratagem.errors import OptionError
from stratagem.search.settings import number, whole
from stratagem.search.whole_turns.atoms import Atoms
from stratagem.search.whole_turns.core import AT_RANDOM, GREEDILY, WHOLE_TAIL, TurnTerms

MENDINGS = {"random": AT_RANDOM, "greedy": GREEDILY, "tail": WHOLE_TAIL}
MOST_ROWS = 1_000_000
MOST_PHASES = 10_000


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """The settings of every search of whole turns."""

    turns: int | None = None  # turns to judge, 1 or more; None: by the clock alone
    seed: int = 0
    samples: int | None = None  # worlds with chance and guesses of their own; None: 1, and 8 with dice inside the turn
    distinct: bool = False  # whether different outcomes are counted, which costs time
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter

    outcomes: ClassVar[int] = 1 << 16  # cells of the table in which outcomes are counted

    def __post_init__(self) -> None:
        self.check_whole("turns", 1, 1 << 50)
        self.check_whole("samples", 1, 10_000)
        self.check_one_of("distinct", (True, False))

    @property
    def rows(self) -> int:
        """Rows of genes that the search needs."""
        return 2

    def phases_of(self, atoms: Atoms) -> int:
        """Parts of the budget, after each of which the search commits itself."""
        return 1

    def terms(self, turns: int, seed: int, samples: int = 1) -> TurnTerms:
        """The settings that compiled code reads for one question."""
        return TurnTerms(turns, seed, samples, AT_RANDOM, horizon=0, narrow=0, distinct=int(self.distinct))

    def records(self, atoms: Atoms) -> tuple[Any, ...]:
        """The search's own records: its arrays, and its settings as compiled code reads them."""
        return ()

    def check_whole(self, name: str, low: int, high: int) -> None:
        given = getattr(self, name)
        if given is not None and not low <= whole(name, given) <= high:
            raise OptionError(f"option {name} is {given!r}; it goes from {low} to {high}")

    def check_shares(self, *names: str) -> None:
        for name in names:
            if not 0.0 <= number(name, getattr(self, name)) <= 1.0:
                raise OptionError(f"option {name} is {getattr(self, name)!r}; it goes from 0 to 1")

    def check_not_negative(self, *names: str) -> None:
        for name in names:
            given = number(name, getattr(self, name))
            if not (math.isfinite(given) and given >= 0.0):
                raise OptionError(f"option {name} is {given!r}; it is a number from 0")

    def check_one_of(self, name: str, known: Iterable[Any]) -> None:
        given, known = getattr(self, name), tuple(known)
        if given not in known:
            raise OptionError(f"option {name} is {given!r}; it is one of {', '.join(str(x).lower() for x in known)}")


@dataclass(frozen=True, kw_only=True)
class MendingSettings(TurnSettings):
    """The settings of a search whose turns may have to be repaired."""

    mending: str = "random"  # of genes that cannot be played: random, greedy, or tail (all that follows, greedily)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_one_of("mending", MENDINGS)

    def terms(self, turns: int, seed: int, samples: int = 1) -> TurnTerms:
        return super().terms(turns, seed, samples)._replace(mending=MENDINGS[self.mending])
