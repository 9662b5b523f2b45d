"""Looking back on a game: what every decision was worth beside the best one, judged by what the seat knew."""

from stratagem.review.judging import (
    Asking,
    JudgedDecision,
    LocalEngine,
    Review,
    compared,
    judging,
    positions_of,
    review,
    weighed,
)

__all__ = [
    "Asking",
    "JudgedDecision",
    "LocalEngine",
    "Review",
    "compared",
    "judging",
    "positions_of",
    "review",
    "weighed",
]
