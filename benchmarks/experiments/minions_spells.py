"""What spells are worth in Minions: a player that chooses and casts them against the same one that does not, profile `server`;
and how the engine does there against the scripts.

Games come in pairs, with the same deals and the seats swapped. The engine thinks by a number of simulations, so that a busy
machine makes no difference; its turns are compiled (a minute or two, once a machine).

    python -m benchmarks.experiments.minions_spells --workers 16 --limit 500 --write
    python -m benchmarks.experiments.minions_spells --only engine --games 200 --write
"""

from __future__ import annotations

import math
import statistics

import stratagem
from benchmarks.experiments import Result, Task, arguments, known, publish, run
from stratagem.contract.game import CHANCE
from stratagem.contract.player import Clock
from stratagem.games.minions import GameTurn
from stratagem.rng import generator

NAME, PAGE = "minions_spells", "games/minions.md"
PLIES = 200  # after which a game is a draw
MAPS = ("MidnightLake", "Apocalypse", "SorcerersLair", "TreacherousPathways")
PAIRINGS = {  # the first's points are reported
    "engine": ("engine:visits=40,depth=1,solver=false", "engine:visits=40,depth=1,solver=false,spells=false"),
    "greedy": ("greedy", "greedy:spells=false"),
    "engine-greedy": ("engine:visits=100", "greedy"),
    "engine-answered": ("engine:visits=300", "answered:turns=32"),
}


def play(which: str, name: str, pair: int) -> Result:
    """Two games with the same deals: the first of a pairing is Yellow in the first."""
    game = stratagem.game("minions", profile="server", maps=name, points=1, plies=PLIES)
    scores, plies, casts = [], 0, 0
    for seat in range(2):
        texts = PAIRINGS[which] if seat == 0 else PAIRINGS[which][::-1]
        seats = [stratagem.player(game, text, seed=2 * pair + side) for side, text in enumerate(texts)]
        position, deals = game.start(), 0
        while not position.over:
            if position.turn == CHANCE:
                deals += 1
                position = position.play(position.sample(generator(pair, deals)))
                continue
            side = position.turn
            choice = seats[side].choose(position.view(side), Clock(None))
            casts += sum(action.kind == "cast" for action in GameTurn.parse(choice.move, 1).boards[0])
            position = position.play(choice.move)
            plies += 1
        scores.append(0.5 * (1.0 + float(position.payoff[seat])))
    return {"scores": scores, "plies": plies, "casts": casts}


def main() -> None:
    parser = arguments(NAME, "with spells against without", games=200)
    parser.add_argument("--only", choices=list(PAIRINGS), default=None, help="run this pairing alone")
    given = parser.parse_args()
    pairs = max(given.games // (2 * len(MAPS)), 1)
    # maps take turns, so that a run that is cut short tells something of each
    tasks: list[Task] = [(which, name, k) for which in PAIRINGS for k in range(pairs) for name in MAPS]
    run(play, [task for task in tasks if given.only in (None, task[0])], given)
    found = known(given.results)
    lines = [
        "| first | second | map | pairs | points of the first | as Yellow | as Blue | plies a game | casts a game |"
    ]
    lines.append("|---" * 9 + "|")
    for which, (first, second) in PAIRINGS.items():
        for name in (*MAPS, "all"):
            rows = [result for task, result in found.items() if task[0] == which and name in (task[1], "all")]
            if not rows:
                continue
            score = [statistics.mean(result["scores"]) for result in rows]
            half = 1.96 * statistics.stdev(score) / math.sqrt(len(score)) if len(score) > 1 else 0.5
            sides = " | ".join(f"{statistics.mean(result['scores'][side] for result in rows):.1%}" for side in range(2))
            plies, casts = (sum(result[field] for result in rows) / (2 * len(rows)) for field in ("plies", "casts"))
            lines.append(
                f"| `{first}` | `{second}` | {name} | {len(rows)} | {statistics.mean(score):.1%} ± {half:.1%} | "
                f"{sides} | {plies:.0f} | {casts:.1f} |"
            )
    publish("spells", PAGE, lines, given.write)


if __name__ == "__main__":
    main()
