"""Bidding over any two-player game: the right to move is auctioned, move by move."""

from stratagem.games.bidding.game import Bidding

__all__ = ["Bidding"]
