"""Strength: alpha-beta against random play on boards of normal size, 100 games each, sides alternating.

The claim is 95 % at one second a move. Less time is the harder test; the seconds a move are the first argument.
"""

from __future__ import annotations

import sys
import time

import stratagem
from stratagem import Clock
from stratagem.player import RandomPlayer
from stratagem.search.alphabeta import AlphaBeta

GAMES = ("othello", "hex", "breakthrough")


def points(search, game, games, seconds):
    """Points of alpha-beta: 1 a win, a half a draw."""
    total = 0.0
    for k in range(games):
        other, position = RandomPlayer(game, seed=k), game.start()
        while not position.over:
            if position.turn == k % 2:
                move = search.analyse(position, Clock(seconds)).move
            else:
                move = other.choose(position, Clock(0)).move
            position = position.play(move)
        total += (1 + position.payoff[k % 2]) / 2
    return total


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    for name in GAMES:
        game, began = stratagem.game(name), time.perf_counter()
        won = points(AlphaBeta(game), game, games, seconds)
        print(
            f"{name}: {won:g} of {games} points against random at {seconds:g} s a move ({time.perf_counter() - began:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
