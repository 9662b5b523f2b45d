"""The face of nim: a position is the heaps, `3,4,5`, and the seat to move if it is the second: `3,4,5 second`."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.editing import Editing, Field, Sheet, mover
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.drawing import SEAT_COLOURS, label, part, picture, tag
from stratagem.errors import IllegalMove, OptionError, ParseError
from stratagem.games.nim import kernels
from stratagem.kernel import OVER, Ground, State
from stratagem.numbers import whole
from stratagem.plans.bid import Boards


class Nim(ArrayGame[ArrayPosition], Drawing, Editing, Wording):
    """Nim: take objects from one heap; see docs/games/nim.md."""

    name = "nim"
    title = "Nim"
    summary = "take objects from one heap; the last object wins"
    brief = (
        "There are heaps of objects. In turn, two players take any number of objects, at least one, from one heap. Whoever "
        "takes the last object wins, or in the misère game loses."
    )
    guide = "A move is a heap and how many to take of it: 2:3 takes three of heap 2."
    inks = (("o", "yellow"),)
    options = (
        Option("heaps", (3, 4, 5), "sizes of the heaps, with commas between", minimum=1, maximum=1000),
        Option("take", 0, "the most objects one move may take; 0: any number", minimum=0, maximum=1000),
        Option("misere", False, "whether the player who takes the last object loses"),
    )
    rules = kernels

    def setup(self) -> None:
        self.heaps: tuple[int, ...] = self["heaps"]
        if not 1 <= len(self.heaps) <= 32:
            raise OptionError(f"option heaps has {len(self.heaps)} heaps; from 1 to 32 can be played")
        self.take = min(self["take"] or max(self.heaps), max(self.heaps))
        self.size = 2 + len(self.heaps)
        self.move_bound = len(self.heaps) * self.take
        self.max_moves = sum(min(heap, self.take) for heap in self.heaps)
        self.max_length = sum(self.heaps)
        self.exact_key = 6 * prod(heap + 1 for heap in self.heaps) < 2**63

    @property
    def constants(self) -> dict[str, Any]:
        return {"HEAPS": len(self.heaps), "MAX_TAKE": self.take, "MISERE": self["misere"]}

    def ground(self) -> Ground:
        return np.array(self.heaps, np.int64)

    def first(self, s: State) -> None:
        s[kernels.HEAP :] = self.heaps

    # -- moves: 2:3 takes 3 objects from the second heap

    def move_text(self, s: State, p: int, m: int) -> str:
        return f"{m // self.take + 1}:{m % self.take + 1}"

    def parse_move(self, s: State, p: int, text: str) -> int:
        heap, colon, taken = text.strip().partition(":")
        if not (colon and heap.isdecimal() and taken.isdecimal() and len(text) < 12):
            raise IllegalMove(f"{text!r} is no move; write heap:objects, for example 1:2")
        h, n = int(heap) - 1, int(taken)
        if not 0 <= h < len(self.heaps):
            raise IllegalMove(f"there is no heap {heap}; heaps go from 1 to {len(self.heaps)}")
        most = min(int(s[kernels.HEAP + h]), self.take)
        if not 1 <= n <= most:
            right = f"from 1 to {most} may be taken" if most else "it is empty"
            raise IllegalMove(f"{n} objects cannot be taken from heap {heap}: {right}")
        return h * self.take + n - 1

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        s = position.state
        text = ",".join(str(int(x)) for x in s[kernels.HEAP : self.size])
        if s[kernels.TURN] == OVER:
            # the one who would move next is the one who did not take the last object
            return text if s[kernels.TAKER] == 1 else f"{text} second"
        return f"{text} second" if s[kernels.TURN] == 1 else text

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        heaps, _, mover = text.partition(" ")
        if mover.strip() not in ("", "first", "second"):
            raise ParseError(f"position {text!r}: the seat to move is {mover.strip()!r}; it is first or second")
        numbers = heaps.split(",")
        if not all(n.strip().isdecimal() for n in numbers) or len(numbers) != len(self.heaps):
            raise ParseError(
                f"position {text!r} is not {len(self.heaps)} heaps, such as {','.join(map(str, self.heaps))!r}"
            )
        s = self.blank()
        for h, n in enumerate(numbers):
            if whole(n) > self.heaps[h]:
                raise ParseError(f"position {text!r}: heap {h + 1} has {n} objects; it starts with {self.heaps[h]}")
            s[kernels.HEAP + h] = whole(n)
        s[kernels.TURN] = 1 if mover.strip() == "second" else 0
        if not s[kernels.HEAP :].any():
            s[kernels.TAKER] = 1 - s[kernels.TURN]
            s[kernels.TURN] = OVER
        return s, ()

    def boards(self) -> Boards:
        return Boards(turn_cell=kernels.TURN)

    def next_seat(self, position: ArrayPosition) -> int:
        return 1 - int(position.state[kernels.TAKER])

    def art(self, position: ArrayPosition) -> str:
        heaps = position.state[kernels.HEAP : self.size]
        return "\n".join(f"{h + 1}: {'o ' * int(n)}" for h, n in enumerate(heaps))

    def draw(self, position: ArrayPosition) -> str:
        content: list[str] = []
        for h, n in enumerate(position.state[kernels.HEAP : self.size]):
            y = 36.0 + 40 * h
            content.append(label(f"heap {h + 1}", 16, y, 14, "start"))
            for k in range(int(n)):
                # clicking the k-th object from the right end takes it and all behind it
                disc = tag("circle", cx=96 + 32 * k, cy=y, r=13, fill=SEAT_COLOURS[0], stroke="#333333")
                taken = int(n) - k
                ok = taken <= self.take
                content.append(part(f"{h + 1}:{taken}", disc, f"take {taken} from heap {h + 1}") if ok else disc)
        width = 120 + 32 * max(self.heaps)
        return picture(width, 32 + 40 * len(self.heaps), self.title, f"Nim: {position}", content)

    def sheet(self, position: ArrayPosition) -> Sheet:
        heaps = position.state[kernels.HEAP : self.size]
        sizes = [Field(str(h + 1), f"heap {h + 1}", str(int(n)), most=self.heaps[h]) for h, n in enumerate(heaps)]
        return Sheet(fields=(*sizes, mover(self.seats[max(position.turn, 0)], self.seats)))

    def written(self, position: ArrayPosition, cells: Mapping[str, str], fields: Mapping[str, str]) -> str:
        return f"{','.join(fields[str(h + 1)] for h in range(len(self.heaps)))} {fields['mover']}"

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        heap, _, taken = move.partition(":")
        return f"takes {taken} from heap {heap}"
