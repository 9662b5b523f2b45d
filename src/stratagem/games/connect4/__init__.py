"""Connect four on a board of any size."""

from stratagem.games.connect4.game import ConnectFour

__all__ = ["ConnectFour"]
