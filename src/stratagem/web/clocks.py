"""Clocks of a table: so many seconds for all of one's moves and some more for each (Fischer), or so many for each move.

A seat's clock runs while something is asked of it that it has not decided; where all decide at once, everybody's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from stratagem.errors import OptionError

LONGEST = 24 * 3600.0  # seconds


@dataclass(frozen=True)
class ClockTerms:
    """What was agreed on."""

    seconds: float  # for the whole game, or for each move
    increment: float = 0.0  # that a move brings
    each_move: bool = False

    def __post_init__(self) -> None:
        if not 1.0 <= self.seconds <= LONGEST or not 0.0 <= self.increment <= 3600.0:
            raise OptionError(
                f"a clock of {self.seconds:g} seconds and {self.increment:g} a move is not kept; "
                f"give 1 to {LONGEST:g}, and 0 to 3600 more a move"
            )


class Clocks:
    """What everybody has left. `fall(seat)` is called from another thread when a seat has nothing left."""

    def __init__(
        self, terms: ClockTerms, seats: int, fall: Callable[[int], None], left: Sequence[float] | None = None
    ) -> None:
        self.terms, self.fall = terms, fall
        self.left = list(left or [terms.seconds] * seats)
        self._since: dict[int, float] = {}  # of clocks that run: when they began to
        self._ply = -1
        self._timer: threading.Timer | None = None

    def follow(self, asked: Collection[int], ply: int) -> None:
        """Now these seats decide, so many plies into the game."""
        now = time.monotonic()
        for seat in [seat for seat in self._since if seat not in asked]:
            self.left[seat] = max(self._remaining(seat, now), 0.0) + self.terms.increment
            del self._since[seat]
        if self.terms.each_move and ply != self._ply:
            self.left = [self.terms.seconds] * len(self.left)
            self._since = {}
        self._ply = ply
        for seat in asked:
            self._since.setdefault(seat, now)
        self._wind(now)

    def _remaining(self, seat: int, now: float) -> float:
        return self.left[seat] - (now - self._since[seat] if seat in self._since else 0.0)

    def _wind(self, now: float) -> None:
        """Set the timer to the next clock that falls."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._since:
            first = min(self._since, key=lambda seat: self._remaining(seat, now))
            self._timer = threading.Timer(max(self._remaining(first, now), 0.0) + 0.05, self.fall, (first,))
            self._timer.daemon = True
            self._timer.start()

    def fallen(self, seat: int) -> bool:
        return seat in self._since and self._remaining(seat, time.monotonic()) <= 0.0

    def stop(self) -> None:
        self.follow((), self._ply)

    def shown(self) -> dict[str, Any]:
        """As JSON: what each seat has left, and whose clocks run."""
        now = time.monotonic()
        left = [round(max(self._remaining(seat, now), 0.0), 2) for seat in range(len(self.left))]
        return {"left": left, "running": sorted(self._since), "increment": self.terms.increment}
