"""Looking back on a game: what every decision was worth beside the best one, judged by what the seat knew."""

from stratagem.review.judging import Asked, Asking, Judged, Review, compared, judging, positions_of, review

__all__ = ["Asked", "Asking", "Judged", "Review", "compared", "judging", "positions_of", "review"]
