"""Claims: the exact player as X at 4 chips each wins every game against every weaker level of bidding tic-tac-toe, and levels
are as strong as they are said to be: a round robin of all of them, both sides.

    python benchmarks/bench_bidding_levels.py [games a pairing and side, 6 if left out]
    python benchmarks/bench_bidding_levels.py exact [games, 1000 if left out] [levels ...]

Levels that draw no lots (richman, lookahead and exact play this game without) repeat one game; the tests enumerate every
game that any opponent at all can play against the exact player.
"""

from __future__ import annotations

import sys
import time

import stratagem
from stratagem.contract.game import Game
from stratagem.contract.player import Clock, Player

ROUND_ROBIN = (
    "random", "rules", "linesum", "linesum:depth=9", "richman", "lookahead:depth=1", "medium",
    "lookahead:depth=4", "mcts:simulations=300", "mcts:simulations=3000", "exact",
)  # fmt: skip
# by name, every level there is but `strong`, which is `exact` here; mcts and lookahead also with other work than is usual
WEAKER = (
    "random", "rules", "easy", "linesum", "linesum:depth=2", "linesum:depth=9", "richman", "medium", "lookahead:depth=1",
    "lookahead:depth=3", "lookahead:depth=4", "lookahead:time=0.02", "mcts:simulations=30", "mcts:simulations=300",
    "mcts:simulations=3000",
)  # fmt: skip


def play(game: Game, players: tuple[Player, Player]) -> float:
    """The first player's payoff of one game."""
    position = game.start()
    while not position.over:
        if position.turn == stratagem.TOGETHER:
            position = position.play([p.choose(position, Clock(), seat=k).move for k, p in enumerate(players)])
        else:
            position = position.play(players[position.turn].choose(position, Clock(), seat=position.turn).move)
    return position.payoff[0]


def exact_wins(games: int, levels: tuple[str, ...]) -> None:
    game = stratagem.game("bidding")
    exact = stratagem.player(game, "exact")
    print("| exact as X against | games | won | drawn | lost | seconds a game |")
    print("|---|---|---|---|---|---|")
    for k, level in enumerate(levels):
        other = stratagem.player(game, level, seed=k)
        play(game, (exact, other))
        began = time.perf_counter()
        results = [play(game, (exact, other)) for _ in range(games)]
        seconds = (time.perf_counter() - began) / games
        won, drawn, lost = (sum(r == x for r in results) for x in (1, 0, -1))
        print(f"| {level} | {games:,} | {won:,} | {drawn} | {lost} | {seconds:.3f} |", flush=True)


def round_robin(games: int) -> None:
    game = stratagem.game("bidding")
    players = {name: stratagem.player(game, name, seed=k) for k, name in enumerate(ROUND_ROBIN)}
    print(
        f"mean payoff of the row as X (1 a win, 0 a draw, -1 a loss) against the column as O, {games} games each; "
        "X holds the marker first"
    )
    print("| as X \\ as O | " + " | ".join(ROUND_ROBIN) + " | mean as X |")
    print("|---" * (len(ROUND_ROBIN) + 2) + "|")
    for x in ROUND_ROBIN:
        row = [sum(play(game, (players[x], players[o])) for _ in range(games)) / games for o in ROUND_ROBIN]
        print(f"| {x} | " + " | ".join(f"{v:+.2f}" for v in row) + f" | {sum(row) / len(row):+.2f} |", flush=True)


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "exact":
        exact_wins(int(sys.argv[2]) if len(sys.argv) > 2 else 1000, tuple(sys.argv[3:]) or WEAKER)
    else:
        round_robin(int(sys.argv[1]) if len(sys.argv) > 1 else 6)


if __name__ == "__main__":
    main()
