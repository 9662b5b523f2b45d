"""A match between two players that ends when the answer is in.

Pairs are judged in the order of the schedule, not as they arrive: short games arrive first, and they are not like the
others. So the verdict depends on the games alone, not on the machine that played them.
"""

from __future__ import annotations

from collections.abc import Iterable

from stratagem.arena.config import Config
from stratagem.arena.ratings import Outcome, share_of_win
from stratagem.arena.sprt import FEWEST, GO_ON, Hypotheses, SprtVerdict, judge
from stratagem.errors import OptionError


class SequentialTest:
    """Whether the first player of a match is stronger than the second, as games come in."""

    def __init__(self, hypotheses: Hypotheses, player: str) -> None:
        """`player` is the one whose strength is tested, as outcomes name it."""
        self.hypotheses = hypotheses
        self.player = player
        self.counts = [0] * 5  # pairs by score of the first player, worst first
        self.next = 0  # the pair to be judged next
        self.waiting: dict[int, list[float]] = {}
        self.verdict = judge(self.counts, self.hypotheses)

    @classmethod
    def of(cls, config: Config) -> SequentialTest:
        """The test of a match's first player against its second."""
        assert config.sprt is not None
        if config.rules.players != 2 or len(config.players) != 2:
            raise OptionError(
                f"a sequential test compares two players of a game for two; {config.rules.name} seats {config.rules.players}"
            )
        return cls(Hypotheses(**config.sprt), config.players[0])

    @property
    def settled(self) -> bool:
        return self.verdict.decision != GO_ON

    def add(self, outcomes: Iterable[Outcome]) -> bool:
        """Take in games; whether the test is settled."""
        for outcome in outcomes:
            score = share_of_win(outcome.payoff, outcome.players.index(self.player))
            self.waiting.setdefault(outcome.group, []).append(score)
        while not self.settled and len(self.waiting.get(self.next, ())) == 2:
            self.counts[round(2 * sum(self.waiting.pop(self.next)))] += 1
            self.next += 1
            found = judge(self.counts, self.hypotheses)
            if self.next < FEWEST and found.decision != GO_ON:
                found = SprtVerdict(**{**vars(found), "decision": GO_ON})
            self.verdict = found
        return self.settled
