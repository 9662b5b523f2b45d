"""The face of a draft: a position is the items taken so far, in order, with commas between: `apple, cherry`."""

from __future__ import annotations

import textwrap

import numpy as np

from stratagem.contract.companions.drawing import Drawing
from stratagem.contract.companions.wording import Wording
from stratagem.contract.game import ArrayGame, ArrayPosition, Option
from stratagem.drawing import LINE, PAPER, SEAT_COLOURS, label, part, picture, tag
from stratagem.errors import IllegalMove, OptionError, Untrusted
from stratagem.games.draft import kernels
from stratagem.kernel import OVER, Ground, State
from stratagem.plans.draft import BETWEEN, MOST_ITEMS, PASS_TEXT, Draft, Node, snake
from stratagem.plans.plan import DRAFT

CELL, ROW, ACROSS = 150, 58, 3
WRAP = 52  # characters of a line of a roster

SAMPLE = Draft(
    ("apple", "banana", "cherry", "date", "elderberry", "fig", "grape", "hazelnut", "imbe"),
    ((9, 8, 7, 6, 5, 4, 3, 2, 1), (6, 9, 3, 8, 1, 7, 5, 2, 4), (7, 2, 9, 4, 8, 1, 3, 6, 5)),
    snake(3, 9),
)


class DraftGame(ArrayGame[ArrayPosition], Drawing, Wording):
    """A draft: take items that others want too; see docs/games/draft.md."""

    name = "draft"
    title = "Draft"
    summary = "take items that others want too; your total is what yours are worth to you"
    brief = (
        "In a fixed order players take one free item each, until the turns are used up. An item may be "
        "worth something else to everybody, and all worths are known. Your payoff is what your own items are worth to "
        "you, so what matters is what will still be there when your turn comes again."
    )
    guide = "A move takes an item by its name."
    plan = DRAFT
    options = (
        Option("file", "", "a JSON file with items, worths and order; a small sample if not given", outside=True),
    )
    rules = kernels
    zero_sum = False
    engine = "strong"  # what `analyse` asks

    def setup(self) -> None:
        dependent = OptionError(
            "worths depend on who holds what in this draft, and the game adds them up; "
            "`stratagem draft solve` and `draft audit` take it"
        )
        try:
            self.draft = draft = Draft.read(self["file"]) if self["file"] else SAMPLE
        except Untrusted:  # it names a function of what everybody holds
            raise dependent from None
        if draft.size > MOST_ITEMS:
            raise OptionError(f"{draft.size} items are too many to play with; at most {MOST_ITEMS}")
        if draft.dependent:
            raise dependent
        if not draft.turns:
            raise OptionError("the order is empty: there is nothing to play")
        draft.check_names()
        self.players = draft.players
        self.seats = tuple(f"player {i + 1}" for i in range(draft.players))
        self.size = kernels.OWNED + draft.players
        self.max_moves = self.move_bound = draft.size
        self.max_length = draft.turns
        totals = np.where(draft.points > 0, draft.points, 0).sum(axis=1).max() * 1e-9
        losses = np.where(draft.points < 0, draft.points, 0).sum(axis=1).min() * 1e-9
        self.payoff_range = (min(float(losses), 0.0) - 1e-6, float(totals) + 1e-6)

    def ground(self) -> Ground:
        draft = self.draft
        limited = sorted(draft.limits)
        masks = [sum(1 << x for x, p in enumerate(draft.positions or ()) if p == name) for name in limited]
        head = [draft.players, draft.size, draft.turns, *draft.order, *draft.points.flat]
        return np.array([*head, len(limited), *(draft.limits[p] for p in limited), *masks], np.int64)

    def node(self, s: State) -> Node:
        """The state as the plans see it."""
        return Node(tuple(int(x) for x in s[kernels.OWNED : self.size]), int(s[kernels.TURN]))

    # -- moves

    def move_text(self, s: State, p: int, m: int) -> str:
        return self.draft.items[m] if m < self.draft.size else PASS_TEXT

    def parse_move(self, s: State, p: int, text: str) -> int:
        text = text.strip()
        legal = self.legal(s, p)
        if text == PASS_TEXT:
            if legal != [self.draft.size]:
                raise IllegalMove(f"{self.seat_name(p)} may not pass: {self.draft.items[legal[0]]} is legal")
            return self.draft.size
        self.draft.apply(self.node(s), self.draft.index(text))  # says why not, if not
        return self.draft.index(text)

    # -- positions

    def state_text(self, position: ArrayPosition) -> str:
        return BETWEEN.join(position.history)

    def parse_state(self, text: str) -> tuple[State, tuple[str, ...]]:
        draft = self.draft
        picks = draft.parse(text)
        node = draft.after(picks)
        s = self.blank()
        s[kernels.TURN] = node.turn
        s[kernels.OWNED : self.size] = node.owned
        return s, tuple(draft.text((x,)) for x in picks)

    def next_seat(self, position: ArrayPosition) -> int:
        return self.draft.order[-1]

    def art(self, position: ArrayPosition) -> str:
        node = self.node(position.state)
        lines = []
        for i, owned in enumerate(node.owned):
            held = [x for x in range(self.draft.size) if owned >> x & 1]
            names = ", ".join(self.draft.items[x] for x in held) or "-"
            lines.append(f"{self.seat_name(i)}: {names} ({self.draft.total(i, owned):g})")
        asked = max(position.turn, 0)
        worths = self.draft.worths[asked]
        free = ", ".join(f"{self.draft.items[x]} {worths[x]:g}" for x in self.draft.free(node))
        if position.turn != OVER:
            lines.append(f"free, with what it is worth to {self.seat_name(asked)}: {free}")
        return "\n".join(lines)

    def draw(self, position: ArrayPosition) -> str:
        node = self.node(position.state)
        legal = set() if position.over else set(self.draft.legal(node))
        content = []
        for x, name in enumerate(self.draft.items):
            left, top = 16 + CELL * (x % ACROSS), 16 + ROW * (x // ACROSS)
            owner = next((i for i, owned in enumerate(node.owned) if owned >> x & 1), None)
            box = tag("rect", x=left, y=top, width=CELL - 6, height=ROW - 6, rx=5, fill=PAPER, stroke=LINE)
            if owner is not None:  # a band of the owner's colour, beside the words and not behind them
                band = SEAT_COLOURS[owner % len(SEAT_COLOURS)]
                box += tag("rect", x=left, y=top, width=10, height=ROW - 6, rx=3, fill=band)
            worths = " ".join(f"{row[x]:g}" for row in self.draft.worths)
            said = f"worth {worths}" if owner is None else f"to {owner + 1}, worth {worths}"
            middle = left + CELL / 2 - 3
            for text, down, size in ((name, 18, 18.0), (said, 39, 15.0)):  # smaller where it would not fit
                box += label(text, middle, top + down, min(size, (CELL - 26) / (0.56 * max(len(text), 1))))
            content.append(part(name, box, f"take {name}, worth {worths} to the players") if x in legal else box)
        y = 32.0 + ROW * -(-self.draft.size // ACROSS)
        for i, owned in enumerate(node.owned):  # rosters, with what they add up to
            names = ", ".join(name for x, name in enumerate(self.draft.items) if owned >> x & 1) or "nothing yet"
            band = SEAT_COLOURS[i % len(SEAT_COLOURS)]
            content.append(tag("rect", x=16, y=y - 9, width=18, height=18, rx=3, fill=band))
            lines = textwrap.wrap(f"{self.seat_name(i)}, {self.draft.total(i, owned):g} in all: {names}", WRAP)
            for k, line in enumerate(lines):
                content.append(label(line, 42 if k == 0 else 58, y, 16, "start"))
                y += 22
            y += 6
        return picture(32 + CELL * ACROSS, y + 4, self.title, f"Draft: {position or 'nothing taken'}", content)

    def tally(self, position: ArrayPosition) -> list[float]:
        return [self.draft.total(i, owned) for i, owned in enumerate(self.node(position.state).owned)]

    def describe(self, position: ArrayPosition, move: str, mover: int, viewer: int | None = None) -> str:
        if move == PASS_TEXT:
            return "passes: nothing fits the roster"
        worth = self.draft.worths[mover][self.draft.index(move)]
        return f"takes {move}, worth {worth:g}"
