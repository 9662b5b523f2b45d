"""RoboRally, the classic edition: a move is a programme of five cards, and all programmes run at once."""

from stratagem.games.roborally.game import RoboRally

__all__ = ["RoboRally"]
