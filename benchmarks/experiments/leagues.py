"""Policies of the draft assistant in mock leagues: one team by the policy, the others by average position or by value over
replacement, seats rotated. The assistant, the cost of waiting, kth-best picks, UCT, and the simple models.

    python -m benchmarks.experiments.leagues --workers 16 --limit 550 --write
"""

from __future__ import annotations

import math
import statistics

from benchmarks.experiments import Result, Task, arguments, parts, publish, run
from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.league import League
from stratagem.fantasy.mock import POLICIES, mock_draft
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import read_table

NAME, PAGE = "leagues", "draft-assistant.md"
OTHERS = {"adp": "others by average position and need", "vor": "others by value over replacement"}
SIMULATIONS = 12
EACH = 6


def leagues(policy: str, others: str, first: int, count: int) -> Result:
    league = League(read_table(SAMPLE))
    ahead, ranks = [], []
    for k in range(first, first + count):
        team = k % league.teams
        room = mock_draft(league, team, policy, Opponents(others), seed=k, simulations=SIMULATIONS)
        lineups = [room.lineup(other)[0] for other in range(league.teams)]
        rest = [x for other, x in enumerate(lineups) if other != team]
        ahead.append(lineups[team] - statistics.mean(rest))
        ranks.append(1 + sum(x > lineups[team] for x in rest))
    return {"ahead": ahead, "ranks": ranks}


def shown(values: list[float], sign: str = "+") -> str:
    if len(values) < 2:
        return "not run"
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.mean(values):{sign}.{1 if sign else 2}f} ± {half:.{1 if sign else 2}f}"


def main() -> None:
    given = arguments("leagues", "policies of the draft assistant in mock leagues", games=300).parse_args()
    # all rows advance together, so that a run cut short has rows of equal length
    tasks: list[Task] = [
        (policy, others, *part) for part in parts(given.games, EACH) for others in OTHERS for policy in POLICIES
    ]
    found = run(leagues, tasks, given)
    lines = [f"| policy | drafts | {' | rank | '.join(OTHERS.values())} | rank |", "|---" * 6 + "|"]
    for policy in POLICIES:
        cells, drafts = [], []
        for others in OTHERS:
            rows = [result for task, result in found.items() if task[:2] == (policy, others)]
            drafts.append(sum(len(r["ahead"]) for r in rows))
            cells += [shown([x for r in rows for x in r["ahead"]]), shown([x for r in rows for x in r["ranks"]], "")]
        lines.append(f"| {policy} | {' / '.join(map(str, drafts))} | {' | '.join(cells)} |")
    publish(NAME, PAGE, lines, given.write)


if __name__ == "__main__":
    main()
