"""Looking back on a game: what every decision was worth beside the best one, judged by what the seat knew."""

from stratagem.review.judging import Judged, Review, review

__all__ = ["Judged", "Review", "review"]
