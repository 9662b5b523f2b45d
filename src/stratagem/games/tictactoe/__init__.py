"""Tic-tac-toe as the (m,n,k) game: any board, any length of line."""

from stratagem.games.tictactoe.game import TicTacToe

__all__ = ["TicTacToe"]
