"""Strength: alpha-beta against random play on boards of normal size, 100 games each, sides alternating.

The claim is 95 % at one second a move; less time is the harder test. Arguments: seconds a move, games, processes (one a core).
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import stratagem
from stratagem import Clock
from stratagem.contract.player import RandomPlayer
from stratagem.search.alphabeta.deepening import AlphaBeta

GAMES = ("othello", "hex", "breakthrough")


@cache
def search_of(name):
    return AlphaBeta(stratagem.game(name))


def points(name, k, seconds):
    """Points of alpha-beta in game k: 1 a win, a half a draw."""
    search = search_of(name)
    other, position = RandomPlayer(search.game, seed=k), search.game.start()
    while not position.over:
        if position.turn == k % 2:
            move = search.analyse(position, Clock(seconds)).move
        else:
            move = other.choose(position, Clock(0)).move
        position = position.play(move)
    return (1 + position.payoff[k % 2]) / 2


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for name in GAMES:
        search_of(name).search(search_of(name).game.start(), 1)  # compiled once, for all processes
        began = time.perf_counter()
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            won = sum(pool.map(points, [name] * games, range(games), [seconds] * games))
        print(
            f"{name}: {won:g} of {games} points against random at {seconds:g} s a move ({time.perf_counter() - began:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
