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
        """Return a move in words. It is asked before the move is played.

        The default is the move's own text. A game that says more says what the move does, and to whom.

        Args:
            position: the position before the move.
            move: the text of the move.
            mover: the seat that moves, or `CHANCE`.
            viewer: the seat that reads the words and must learn nothing hidden from them; None for everything.
        """
        return move

    def story(self, position: Of, text: str, viewer: int | None = None) -> list[str]:
        """Return what a decision leads to step by step, in sentences. It is asked before the decision is played.

        Args:
            position: the position before the decision.
            text: the text of the move, or of the joint move.
            viewer: the seat that reads the words; None for everything.

        Returns:
            The sentences; none where a move is one step.
        """
        return []

    def question(self, position: Of, seat: int) -> str:
        """Return what a seat is asked to decide, in a few words. The default is nothing: a move of the game.

        Args:
            position: the position as the seat sees it.
            seat: the seat that is asked.
        """
        return ""

    def first_steps(self, position: Of) -> Sequence[str]:
        """Return three steps that lead a beginner through a first plan. The default fits the game's kind of plan.

        Args:
            position: the position in which the beginner decides.
        """
        return [step for step in position.game.plan.first if step]

    def heading(self, position: Of) -> str:
        """Return the heading of the next decision in a record, where several belong together: `Turn 3, A`.

        Args:
            position: the position before the decision.
        """
        return ""

    def outcome(self, position: Of) -> str:
        """Return the result of a finished game in a few words.

        Args:
            position: the finished game's last position.
        """
        game, payoff = position.game, position.payoff
        winners = [seat for seat, x in enumerate(payoff) if x == max(payoff)]
        if len(winners) == game.players:
            return "a draw"
        return " and ".join(game.seat_name(seat) for seat in winners) + (" wins" if len(winners) == 1 else " win")

    def tally(self, position: Of) -> Sequence[float] | None:
        """Return what people count at the end, such as discs: one number a seat.

        Args:
            position: the finished game's last position.

        Returns:
            The numbers; None where people only say who has won.
        """
        return None

    def phrases(
        self, position: Of, parts: Sequence[str], prefix: Sequence[str] = (), seat: int | None = None
    ) -> list[str]:
        """Return the words for the buttons of parts that may come next.

        The default is the parts themselves; where a move has one part, it is the moves in words.

        Args:
            position: the position.
            parts: the parts that may come next.
            prefix: the parts given so far.
            seat: the seat that decides; the one whose turn it is, if not given.
        """
        if position.game.plan.by_parts or prefix:
            return list(parts)
        mover = position.turn if seat is None else seat
        return [self.describe(position, part, mover, seat) for part in parts]

    def differences(self, position: Of, moves: Sequence[str]) -> list[list[str]]:
        """Return, for each of several plans, the parts that not all of them have, in the plan's own order.

        Args:
            position: the position in which the plans are compared.
            moves: the texts of the plans.
        """
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
        """Return where a part of a plan belongs, such as a board. Comparisons of plans are sorted by it.

        Args:
            position: the position.
            part: the text of the part.
        """
        return ""

    def pieces(self) -> Sequence[tuple[str, str]]:
        """Return what there is on the board and in the hands: the name of each, and its numbers or what it does."""
        return ()

    def look(self, position: Of, word: str) -> str | None:
        """Return what there is to know about one thing of the position, such as a territory.

        Args:
            position: the position.
            word: the name of the thing.

        Returns:
            The answer; None where there is no such thing.
        """
        return None
