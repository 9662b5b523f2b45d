"""What a game says in words: of moves, of what is asked, of how it ended. Everybody who shows games uses the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from stratagem.contract.companions.companion import Companion, Of


class Wording(Companion[Of]):
    """A game that has words of its own."""

    people: ClassVar[tuple[str, ...]] = ()  # what seats are called where those of the notation are signs, such as Black

    def describe(self, position: Of, move: str, mover: int, viewer: int | None = None) -> str:
        """A move in words, asked before it is played: of seat `mover` (or CHANCE), as `viewer` may know it (None: everything).

        The default is the move's own text; a game that says more says what the move does to whom."""
        return move

    def story(self, position: Of, text: str, viewer: int | None = None) -> list[str]:
        """What comes of a decision step by step, in sentences, asked before it; nothing where a move is one step."""
        return []

    def question(self, position: Of, seat: int) -> str:
        """What a seat is asked to decide, in a few words, where that is more than a move of the game; else nothing."""
        return ""

    def first_steps(self, position: Of) -> Sequence[str]:
        """Three steps that lead somebody through a first plan here; the default is those of the kind of plan."""
        return [step for step in position.game.plan.first if step]

    def heading(self, position: Of) -> str:
        """Under which the next decision stands in a record, where several belong together: `Turn 3, A`; else nothing."""
        return ""

    def outcome(self, position: Of) -> str:
        """The result of a finished game in a few words."""
        game, payoff = position.game, position.payoff
        winners = [seat for seat, x in enumerate(payoff) if x == max(payoff)]
        if len(winners) == game.players:
            return "a draw"
        return " and ".join(game.seat_name(seat) for seat in winners) + (" wins" if len(winners) == 1 else " win")

    def tally(self, position: Of) -> Sequence[float] | None:
        """What people count at the end, a number a seat, such as discs; None where they only say who has won."""
        return None

    def phrases(
        self, position: Of, parts: Sequence[str], prefix: Sequence[str] = (), seat: int | None = None
    ) -> list[str]:
        """Parts that may come next, in the words of buttons; where a move has one part, the moves in words."""
        if position.game.plan.by_parts or prefix:
            return list(parts)
        mover = position.turn if seat is None else seat
        return [self.describe(position, part, mover, seat) for part in parts]

    def differences(self, position: Of, moves: Sequence[str]) -> list[list[str]]:
        """For each of several plans, the parts that not all of them have, in its own order."""
        plans = [[part.strip() for part in move.split(";") if part.strip()] for move in moves]
        common = Counter(plans[0]) if plans else Counter()
        for plan in plans[1:]:
            common &= Counter(plan)
        found: list[list[str]] = []
        for plan in plans:
            left = common.copy()
            found.append([])
            for part in plan:
                if left[part] > 0:
                    left[part] -= 1
                else:
                    found[-1].append(part)
        return found

    def group(self, position: Of, part: str) -> str:
        """Where a part of a plan belongs, such as a board; plans that are compared are told apart by these."""
        return ""

    def pieces(self) -> Sequence[tuple[str, str]]:
        """What there is on the board and in the hands: the name of each, and its numbers or what it does."""
        return ()

    def look(self, position: Of, word: str) -> str | None:
        """What there is to know about one thing of the position, such as a territory; None where there is no such thing."""
        return None
