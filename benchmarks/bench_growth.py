"""Growth of time with depth: plain alpha-beta, and with everything, from the start of each game. A claim about ourselves."""

from __future__ import annotations

import time

import stratagem
from stratagem.search.alphabeta.deepening import PLAIN, AlphaBeta

DEPTHS = {"connect4": range(11, 19), "othello": range(7, 13), "breakthrough": range(5, 10)}
LONGEST = 1.0  # seconds of the deepest search of a row


def deepen(search, game, depth):
    """Seconds of iterative deepening from an empty table."""
    search.clear()
    began = time.process_time()
    for d in range(1, depth + 1):
        search.search(game.start(), d)
    return time.process_time() - began


def main():
    for name, depths in DEPTHS.items():
        game = stratagem.game(name)
        for label, search in (
            ("plain", AlphaBeta(game, PLAIN, table_bits=0, ordered=False)), ("all", AlphaBeta(game)),
        ):  # fmt: skip
            search.search(game.start(), 2)
            row = []
            for depth in depths:
                seconds = min(deepen(search, game, depth) for _ in range(2))
                row.append((depth, seconds))
                if seconds > LONGEST:
                    break
            factor = (row[-1][1] / row[0][1]) ** (1 / max(row[-1][0] - row[0][0], 1))
            steps = ", ".join(f"{depth}: {seconds:.3f}" for depth, seconds in row)
            print(f"growth, {name}, {label:5} x{factor:.2f} a ply; seconds by depth {steps}", flush=True)


if __name__ == "__main__":
    main()
