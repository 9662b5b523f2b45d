"""The ladder of every game's levels: how far `medium` is ahead of `easy`, and `strong` of `medium`.

    python -m benchmarks.strength.ladder [GAME ..] [--pairs 50] [--strong-pairs 10] [--workers 2] [--limit SECONDS] [--write]

Two games make a pair: they begin with the same random moves and the same draws of chance, and the sides change seats. In a game
for more than two, a side has every second seat and wins if its seats earn more on average. Levels play as they are shipped;
seconds are processor time. Games are kept in a file as they end, so that a run goes on where it was stopped, and `--write` puts
the table of all that were played into docs/strength.md.
"""

from __future__ import annotations

import argparse
import math
import statistics
from typing import Any

import stratagem
from benchmarks.clocks import use_clock
from benchmarks.experiments import ROOT, Result, Task, add_run_flags, publish, run
from stratagem.arena.config import Config
from stratagem.arena.config import Task as Seating
from stratagem.arena.playing import play_game
from stratagem.arena.sprt import Z95, elo_of
from stratagem.registry import game_names

STEPS = (("easy", "medium"), ("medium", "strong"))
ENOUGH = 150.0  # Elo that levels should lie apart
OPENINGS = {"tictactoe": 1, "connect4": 2, "hex": 2, "breakthrough": 4, "othello": 4, "nim": 0}  # random plies
OPTIONS: dict[str, dict[str, Any]] = {
    "risk": {"players": 2},
    "roborally": {"robots": 2},
    "minions": {"maps": "AllLand"},
}


WHY = {  # what keeps levels nearer together, by the game and the stronger level
    ("tictactoe", "strong"): "both always draw",
    ("pig", "medium"): "dice decide",
    ("goofspiel", "medium"): "prizes in a random order, bids at once",
    ("draft", "strong"): "every pair is even",
    ("blotto", "medium"): "one decision at once",
    ("blotto", "strong"): "an equilibrium does not exploit errors",
    ("roborally", "strong"): "the luck of the deal; more time finds little",
    ("risk", "medium"): "two seats; with three it wins 83.9 % where 33.3 % is even",
}


def play_pair(game: str, weaker: str, stronger: str, pair: int) -> Result:
    """Return the points of the stronger level in a pair of games: 0 to 2."""
    use_clock("processor")
    options = OPTIONS.get(game, {})
    config = Config(
        game, (weaker, stronger), options, games=2, seed=1, patience=math.inf, opening_plies=OPENINGS.get(game, 0)
    )
    seats = range(stratagem.game(game, **options).players)
    points = 0.0
    for turned in range(2):
        names = tuple((weaker, stronger)[(seat + turned) % 2] for seat in seats)
        played = play_game(config, Seating(2 * pair + turned, names, pair, pair, pair + 1))
        if played.result.seat is not None:
            raise SystemExit(f"{game}: {played.result}")
        earned = {
            side: statistics.mean(x for x, name in zip(played.result.payoff, names, strict=True) if name == side)
            for side in (weaker, stronger)
        }
        difference = earned[stronger] - earned[weaker]
        points += (1 + (difference > 0) - (difference < 0)) / 2
    return {"points": points}


def row(game: str, step: tuple[str, str], points: list[float]) -> str:
    """Return a line of the table: the score of the stronger level, what it is in Elo, and what to think of it."""
    score = statistics.mean(points) / 2
    spread = statistics.stdev(points) / 2 if len(points) > 1 else 0.5
    error = Z95 * spread / math.sqrt(len(points)) if spread > 0.0 else min(0.5, 3 / len(points))  # the rule of three
    elo = elo_of(score)
    gap = f"{elo:+.0f}" if math.isfinite(elo) else "all won" if elo > 0 else "all lost"
    highest = elo_of(min(score + error, 1.0))
    unexplained = f"less than {ENOUGH:.0f}" if highest < ENOUGH else f"{ENOUGH:.0f} is within the interval"
    note = "" if elo >= ENOUGH else WHY.get((game, step[1]), unexplained)
    return f"| {game} | `{step[1]}` over `{step[0]}` | {len(points)} | {score:.1%} ± {error:.1%} | {gap} | {note} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="all games, if none is named")
    parser.add_argument("--pairs", type=int, default=50, help="pairs of medium against easy")
    parser.add_argument("--strong-pairs", type=int, default=10, help="pairs of strong against medium")
    parser.add_argument("--write", action="store_true", help="put the table into docs/strength.md")
    add_run_flags(parser, ROOT / "build" / "ladder.jsonl")
    given = parser.parse_args()
    names = given.games or game_names()
    tasks: list[Task] = []
    for step, pairs in zip(STEPS, (given.pairs, given.strong_pairs), strict=True):
        tasks += [(game, *step, pair) for game in names for pair in range(pairs)]
    points: dict[tuple[str, tuple[str, str]], list[float]] = {}
    for (game, weaker, stronger, _), result in run(play_pair, tasks, given).items():
        points.setdefault((game, (weaker, stronger)), []).append(result["points"])
    lines = ["| game | levels | pairs | score | Elo | |", "|---|---|---|---|---|---|"]
    lines += [row(game, step, points[game, step]) for game in names for step in STEPS if (game, step) in points]
    publish("ladder", "strength.md", lines, given.write)


if __name__ == "__main__":
    main()
