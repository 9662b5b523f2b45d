"""What statistics are worth: points by receptions and the like, or by categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stratagem.fantasy.sample import SHAPES

# categories of sports that are not scored by points, by the headings of their tables; those of LESS are better small
CATEGORIES = {
    "baseball": ("r", "hr", "rbi", "sb", "avg", "obp", "w", "sv", "k", "so", "era", "whip"),
    "basketball": ("pts", "reb", "trb", "ast", "stl", "blk", "3pm", "3ptm", "fg%", "ft%", "to"),
}
LESS = {"era", "whip", "to"}
SCALE, MIDDLE = 10.0, 50.0  # of a sum of standard scores, so that it reads like points


@dataclass(frozen=True)
class Scoring:
    """Points for what players do on the field."""

    catch: float = 0.0
    pass_yards: float = 0.04
    pass_touchdown: float = 4.0
    interception: float = -2.0
    yards: float = 0.1  # run or caught
    touchdown: float = 6.0
    fumble: float = -2.0
    categories: tuple[str, ...] = ()  # standard scores of these are added instead

    def points(self, stats: Mapping[str, float]) -> float:
        """The points of a line of statistics."""
        worth = {
            "pass yards": self.pass_yards,
            "pass touchdowns": self.pass_touchdown,
            "pass interceptions": self.interception,
            "rush yards": self.yards,
            "rush touchdowns": self.touchdown,
            "rec catches": self.catch,
            "rec yards": self.yards,
            "rec touchdowns": self.touchdown,
            "fumbles": self.fumble,
        }
        return sum(value * worth.get(name, 0.0) for name, value in stats.items())

    def describe(self) -> str:
        if self.categories:
            return f"by categories: {', '.join(self.categories)}"
        return f"{self.catch:g} a reception, {self.pass_touchdown:g} a touchdown pass"

    def usual(self, position: str, place: int) -> float:
        """The points that the player at a place (from 0) of his position usually has, where only ranks are known."""
        _, best, fades, over = SHAPES.get(position, (0, 250.0, 0.9, 30.0))
        return best * (1 - fades * (1 - math.exp(-place / over)))


FOOTBALL = Scoring()


def category_points(rows: Sequence[Mapping[str, float]], categories: Sequence[str]) -> list[float]:
    """For each player the sum of his standard scores over the categories; who has no number in one stands at its mean."""
    totals = [0.0] * len(rows)
    for category in categories:
        given = [row[category] for row in rows if category in row]
        if len(given) < 2:
            continue
        mean = sum(given) / len(given)
        spread = math.sqrt(sum((x - mean) ** 2 for x in given) / len(given)) or 1.0
        sign = -1.0 if category in LESS else 1.0
        for k, row in enumerate(rows):
            if category in row:
                totals[k] += sign * (row[category] - mean) / spread
    return [MIDDLE + SCALE * total for total in totals]
