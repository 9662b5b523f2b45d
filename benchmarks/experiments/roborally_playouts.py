"""Two questions about RoboRally's Monte-Carlo player at equal time: playouts to the end of the race against a few turns and a
judgement; and programmes drawn uniformly from all cards or from reduced programmes. Races of one player against three others,
its seat rotated over the docks of the same starts.

    python -m benchmarks.experiments.roborally_playouts --workers 16 --limit 550 --write
"""

from __future__ import annotations

import os

from benchmarks.experiments import Result, Task, arguments, parts, publish, run, share
from benchmarks.strength.roborally import COURSES, Row, play

PAGE = "games/roborally.md"
QUICK = "montecarlo:time={time}"
DEPTHS = {  # what the row is called, and what is changed of the player
    "2 turns, best playouts (the default)": "",
    "1 turn": ",turns=1",
    "3 turns": ",turns=3",
    "to the end, best playouts": ",turns=200",
    "2 turns, playouts by reduced programmes": ",playout=reduced",
    "to the end, playouts by reduced programmes": ",turns=200,playout=reduced",
}
ANY, REDUCED = ",playout=any", ",playout=reduced"
DUELS = {  # playouts and arms: one player against three of the other kind
    "playouts `any` against three `reduced`": (ANY, REDUCED),
    "playouts `reduced` against three `any`": (REDUCED, ANY),
    "arms of all cards against three of reduced programmes": (",reduce=none", ",reduce=1"),
    "arms of reduced programmes against three of all cards": (",reduce=1", ",reduce=none"),
}
EACH = 12


def races(hero: str, others: str, first: int, count: int) -> Result:
    os.environ["STRATAGEM_QUIET"] = "1"
    won = sum(play((Row("", hero, others, 0), number, COURSES, 1))["share"] for number in range(first, first + count))
    return {"games": count, "won": won}


def main() -> None:
    parser = arguments("roborally_playouts", "playouts to the end, and how programmes are drawn", games=3000)
    parser.add_argument("--time", type=float, default=0.02, help="seconds a decision")
    parser.add_argument("--only", choices=("depth", "sampling"), default=None)
    given = parser.parse_args()
    quick = QUICK.format(time=given.time)
    rows: list[tuple[str, str, str, str]] = []
    if given.only != "sampling":
        rows += [("depth", name, quick + change, "greedy") for name, change in DEPTHS.items()]
    if given.only != "depth":
        rows += [("sampling", name, quick + hero, quick + others) for name, (hero, others) in DUELS.items()]
    # rows advance together, so that a run cut short has rows of equal length
    tasks: list[Task] = [(hero, others, *part) for part in parts(given.games, EACH) for _, _, hero, others in rows]
    found = run(races, tasks, given)
    for table, heading in (("depth", "against three `greedy`"), ("sampling", "one against three others")):
        lines = [f"| {heading} | races | wins (95 %) |", "|---|---|---|"]
        for kind, name, hero, others in rows:
            if kind != table:
                continue
            results = [result for task, result in found.items() if task[:2] == (hero, others)]
            games, won = sum(r["games"] for r in results), sum(r["won"] for r in results)
            lines.append(f"| {name} | {games} | {share(won, games)} |")
        if len(lines) > 2:
            publish(f"roborally {table}", PAGE, lines, given.write)


if __name__ == "__main__":
    main()
