"""Claim: sampling search with regret matching plays bidding connect four well above random and rules of thumb; the look ahead
with auctions inside plays it better still. 20 chips each, both sides, one game after another.

Run: python benchmarks/bench_bidding_connect4.py [games a side, 10 if left out] [simulations a decision, 5000 if left out]
"""

from __future__ import annotations

import sys
import time

from bench_bidding_levels import play

import stratagem

OTHERS = ("random", "rules", "lookahead:depth=1", "lookahead:depth=2")


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    simulations = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    game = stratagem.game("bidding", over="connect4", chips=(20, 20))
    name = f"mcts:simulations={simulations}"
    print(f"| {name} against | games | won | drawn | lost | CPU seconds a game |")
    print("|---|---|---|---|---|---|")
    for other in OTHERS:
        ours, theirs = stratagem.player(game, name, seed=1), stratagem.player(game, other, seed=2)
        began = time.process_time()
        results = [play(game, (ours, theirs)) for _ in range(games)]
        results += [-play(game, (theirs, ours)) for _ in range(games)]
        seconds = (time.process_time() - began) / len(results)
        won, drawn, lost = (results.count(x) for x in (1.0, 0.0, -1.0))
        print(f"| {other} | {len(results)} | {won} | {drawn} | {lost} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
