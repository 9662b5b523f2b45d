"""A turn that was planned once and is carried out decision by decision, as long as everything comes as foreseen."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.contract.game import ArrayGame
from stratagem.kernel import State


class RemainingTurn:
    """The decisions of a turn that are left, and the state in which the next one is due."""

    def __init__(self, game: ArrayGame) -> None:
        self.game = game
        self._left: tuple[int, ...] = ()
        self._due: bytes | None = None

    def plan(self, state: State, turn: Sequence[int]) -> None:
        """Begin a turn at a state."""
        self._left, self._due = tuple(turn), self._key(state)

    def next(self, state: State, mover: int) -> int | None:
        """The decision that the plan has for a state, which is then taken to be made; None where it has none."""
        if not self._left or self._due != self._key(state):
            return None
        m, self._left = self._left[0], self._left[1:]
        after = state.copy()
        self.game.run("play", self.game.g, after, mover, m)
        self._due = self._key(after)
        return m

    def _key(self, state: State) -> bytes:
        return state[: self.game.size].tobytes()
