"""ASMACAG once more, with lists of cards and fractions, and every turn tried in turn."""

from __future__ import annotations

from fractions import Fraction

DOUBLE, HALF = "D", "H"


class Plain:
    """A game under way. Cards are figures, D and H, in the order in which they were dealt."""

    def __init__(self, actions: int, hands: list[list[str]], board: list[str], published: bool = False) -> None:
        self.actions, self.published = actions, published
        self.hands, self.board = [list(hand) for hand in hands], list(board)
        self.scores = [Fraction(0), Fraction(0)]
        self.factor, self.seat, self.left = Fraction(1), 0, actions

    def copy(self) -> Plain:
        new = Plain(self.actions, self.hands, self.board, self.published)
        new.scores, new.factor, new.seat, new.left = list(self.scores), self.factor, self.seat, self.left
        return new

    @property
    def over(self) -> bool:
        return not self.board or not (self.hands[0] or self.hands[1])

    def moves(self) -> set[str]:
        hand = self.hands[self.seat]
        found = {f"{a}-{c}" for a in hand if a.isdigit() for c in self.board}
        special = [card for card in hand if not card.isdigit()]
        if self.published and special:
            return found | {"double", "half"}
        return found | {"double" if card == DOUBLE else "half" for card in special}

    def play(self, move: str) -> None:
        hand = self.hands[self.seat]
        if move in ("double", "half"):
            self.factor *= Fraction(2) if move == "double" else Fraction(1, 2)
            if self.published:
                hand.remove(next(card for card in hand if not card.isdigit()))
            else:
                hand.remove(DOUBLE if move == "double" else HALF)
        else:
            mine, theirs = move.split("-")
            hand.remove(mine)
            self.board.remove(theirs)
            self.scores[self.seat] += self.factor * (int(mine) - int(theirs))
            self.factor = Fraction(1)
        self.left -= 1
        if self.left == 0 or not hand:
            self.seat, self.left = 1 - self.seat, self.actions

    def turns(self) -> dict[tuple[str, ...], Plain]:
        """Every turn of whoever decides, with what it leads to."""
        found: dict[tuple[str, ...], Plain] = {}
        waiting: list[tuple[tuple[str, ...], Plain]] = [((), self)]
        while waiting:
            played, state = waiting.pop()
            if played and (state.over or state.seat != self.seat):
                found[played] = state
                continue
            for move in sorted(state.moves()):
                after = state.copy()
                after.play(move)
                waiting.append(((*played, move), after))
        return found

    def best_lead(self) -> Fraction:
        """The best lead that a turn of whoever decides can end with: the ceiling of searches that see their own turn alone."""
        p = self.seat
        return max(state.scores[p] - state.scores[1 - p] for state in self.turns().values())
