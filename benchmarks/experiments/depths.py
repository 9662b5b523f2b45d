"""Is a deeper search a stronger one? Depth d against d - 1 in five games, both sides of every random opening, seeds fixed.

python -m benchmarks.experiments.depths --workers 16 --limit 500 --write
"""

from __future__ import annotations

from typing import Any

import numpy as np

import stratagem
from benchmarks.experiments import Result, Task, arguments, parts, publish, run, share
from stratagem.contract.game import ArrayGame, ArrayPosition
from stratagem.contract.player import Clock
from stratagem.rng import generator
from stratagem.search.alphabeta.deepening import AlphaBeta

NAME, PAGE = "depths", "search/minimax.md"
GAMES: dict[str, tuple[str, dict[str, Any], int]] = {  # the game, its options, random plies of an opening
    "connect four": ("connect4", {}, 6),
    "othello 6 x 6": ("othello", {"size": 6}, 6),
    "breakthrough 6 x 6": ("breakthrough", {"rows": 6, "columns": 6}, 6),
    "hex 5 x 5": ("hex", {"size": 5}, 2),
    "four in a row on 5 x 5": ("tictactoe", {"rows": 5, "columns": 5, "line": 4}, 4),
}
DEEPEST = 7
EACH = 20  # games of a part


def opening(game: ArrayGame, plies: int, seed: int) -> ArrayPosition:
    """A position after random moves at which the game goes on."""
    r = generator(seed)
    with np.errstate(over="ignore"):
        while True:
            at = game.start()
            for _ in range(plies):
                if at.over:
                    break
                at = at.play(at.sample(r, at.turn))
            if not at.over:
                assert isinstance(at, ArrayPosition)
                return at


def play(name: str, depth: int, first: int, games: int) -> Result:
    """Games first .. first + games - 1: two to an opening, the deeper side to move first in the even ones."""
    which, options, plies = GAMES[name]
    game = stratagem.game(which, **options)
    assert isinstance(game, ArrayGame)
    sides = [AlphaBeta(game, table_bits=18) for _ in range(2)]
    won = drawn = 0
    for number in range(first, first + games):
        at = opening(game, plies, 1000 + number // 2)
        deeper = at.turn if number % 2 == 0 else 1 - at.turn
        while not at.over:
            deep = at.turn == deeper
            chosen = sides[deep].analyse(at, Clock(None), depth=depth if deep else depth - 1)
            at = at.play(chosen.move)
        won += at.payoff[deeper] > 0
        drawn += at.payoff[deeper] == 0
    return {"games": games, "won": int(won), "drawn": int(drawn)}


def main() -> None:
    parser = arguments(NAME, "depth d against d - 1", games=200)
    parser.add_argument("--only", choices=list(GAMES), default=None)
    parser.add_argument("--deepest", type=int, default=DEEPEST)
    given = parser.parse_args()
    names = [given.only] if given.only else list(GAMES)
    tasks: list[Task] = [
        (name, d, first, count)
        for d in range(2, given.deepest + 1)
        for name in names
        for first, count in parts(given.games, EACH)
    ]
    found = run(play, tasks, given)
    lines = [
        f"| depth against depth | {' | '.join(names)} |",
        "|---" * (1 + len(names)) + "|",
    ]
    for d in range(2, given.deepest + 1):
        cells = []
        for name in names:
            rows = [result for task, result in found.items() if task[:2] == (name, d)]
            games = sum(r["games"] for r in rows)
            score = sum(r["won"] + r["drawn"] / 2 for r in rows)
            cells.append(share(score, games) + (f", {games} games" if 0 < games < given.games else ""))
        lines.append(f"| {d} against {d - 1} | {' | '.join(cells)} |")
    publish(NAME, PAGE, lines, given.write)


if __name__ == "__main__":
    main()
