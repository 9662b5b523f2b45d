"""Drafts as a game: items of a file, taken in turn."""

from stratagem.games.draft.game import DraftGame

__all__ = ["DraftGame"]
