"""Settings: one frozen dataclass a search, with one line a parameter.

`MCTS(game, MctsSettings(threads=2))` and `MCTS(game, threads=2)` mean the same. What is wrong whatever the game is refused when
the settings are made, what does not suit a game when the search is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np

from stratagem.errors import OptionError

S = TypeVar("S", bound="Any")


def settings_of(kind: type[S], given: S | None, options: dict[str, Any]) -> S:
    """Settings from some made before, options by name, or both: the options change what was given."""
    known = [field.name for field in fields(kind)]
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise OptionError(f"a search takes no option {name!r}; it takes {', '.join(known)}{hint}")
    return kind(**options) if given is None else replace(given, **options)


def whole(name: str, x: Any) -> int:
    """An option that is a whole number, as one; the command line passes on what was typed."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating) or x != x // 1:
        raise OptionError(f"option {name} is {x!r}; it takes a whole number")
    return int(x)


def number(name: str, x: Any) -> float:
    """An option that is a number."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating):
        raise OptionError(f"option {name} is {x!r}; it takes a number")
    return float(x)


def switch(name: str, x: Any) -> bool:
    """An option that is on or off."""
    if not isinstance(x, bool | np.bool_):
        raise OptionError(f"option {name} is {x!r}; it is true or false")
    return bool(x)


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """The settings of every search that samples."""

    exploration: float = (
        1.4  # weight of the bonus for moves tried little, in units of half the range of payoffs; above 0
    )
    simulations: int | None = None  # budget where the call gives none, 1 or more; None: by the clock alone
    strategy: Any = None  # playout strategy: a kernel like sample(g, s, p, r); None: the game's sample
    playout_depth: int | None = None  # plies after which a playout is judged by the value kernel; None: to the end
    evaluate: Any = None  # a kernel value(g, s, out) in place of the game's; implies playout_depth=0 if not given
    playout_cap: int | None = None  # plies after which a playout counts as endless, 1 or more; None: by the game
    open_hands: bool = False  # take a position of a game with secrets as it is, as if all were seen
    seed: int = 0
    target: str = "cpu"  # what it is compiled for; "python" is the interpreter

    work = "simulations searches nothing"  # what to say of a budget of none

    def __post_init__(self) -> None:
        self._hold(exploration=number("exploration", self.exploration))
        if not (math.isfinite(self.exploration) and self.exploration > 0):
            usual = type(self)().exploration
            raise OptionError(
                f"an exploration of {self.exploration!r} makes no search; give a number above 0, {usual:g} is usual"
            )
        if self.simulations is not None:
            self._hold(simulations=self.budget(self.simulations))
        if self.evaluate is not None and self.playout_depth is None:
            self._hold(playout_depth=0)

    def _hold(self, **checked: Any) -> None:
        """Put numbers in the place of what was typed."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def budget(cls, simulations: Any) -> int:
        """A number of simulations, if it is one."""
        if whole("simulations", simulations) < 1:
            raise OptionError(f"a budget of {simulations!r} {cls.work}; give 1 or more")
        return int(simulations)

    def simulations_or(self, given: Any) -> int | None:
        """The budget that a call gives, or else the settings' own."""
        return self.simulations if given is None else self.budget(given)

    @property
    def cut(self) -> int:
        """The depth at which playouts end, where they end at one."""
        return whole("playout_depth", self.playout_depth or 0)
