"""Claim: every level of bidding tic-tac-toe is stronger than those before it. A round robin at 4 chips each, both sides.

Run: python benchmarks/bench_bidding_levels.py [games a pairing and side]
"""

import sys

import stratagem
from stratagem.player import Clock

LEVELS = ("random", "rules", "linesum", "linesum:depth=9", "lookahead:depth=2", "exact")


def play(game, players):
    position = game.start()
    while not position.over:
        if position.turn == stratagem.TOGETHER:
            position = position.play([p.choose(position, Clock(), seat=k).move for k, p in enumerate(players)])
        else:
            position = position.play(players[position.turn].choose(position, Clock(), seat=position.turn).move)
    return position.payoff[0]


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    game = stratagem.game("bidding")
    players = {name: stratagem.player(game, name, seed=k) for k, name in enumerate(LEVELS)}
    print(
        "mean payoff of the row as X (1 a win, 0 a draw, -1 a loss) against the column as O; X holds the marker first"
    )
    print("| as X \\ as O | " + " | ".join(LEVELS) + " | mean as X |")
    print("|---" * (len(LEVELS) + 2) + "|")
    for x in LEVELS:
        row = [sum(play(game, (players[x], players[o])) for _ in range(games)) / games for o in LEVELS]
        print(f"| {x} | " + " | ".join(f"{v:+.2f}" for v in row) + f" | {sum(row) / len(row):+.2f} |", flush=True)


if __name__ == "__main__":
    main()
