"""Claim: the draft assistant ends ahead of drafters by average position and by value over replacement.

Mock leagues of 12 on the sample table, seats rotated: one team by our policy, the other eleven by a model. Beside it, in
the same rooms, the simple policies. Prints the mean points of the starting line-up, points ahead of the other teams' mean
and the mean rank, with 95% intervals.

    python benchmarks/draft_leagues.py [DRAFTS] [SIMULATIONS] [MODEL OF THE OTHERS ...]
"""

from __future__ import annotations

import sys
import time

from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.league import League
from stratagem.fantasy.mock import POLICIES, mock_league
from stratagem.fantasy.sample import SAMPLE
from stratagem.fantasy.table import read_table


def main(drafts: int = 1000, simulations: int = 12, models: tuple[str, ...] = ("adp", "vor")) -> None:
    league = League(read_table(SAMPLE))
    print(f"{drafts} drafts, {simulations} simulations a candidate, 12 teams, {len(league.items)} items")
    for others in models:
        for policy in POLICIES:
            began = time.perf_counter()
            found = mock_league(league, policy, Opponents(others), drafts=drafts, simulations=simulations)
            print(
                f"{policy:10} against {others:4}  points {found.points:7.1f} +- {found.points_interval:4.1f}  "
                f"ahead {found.ahead:7.1f} +- {found.ahead_interval:4.1f}  rank {found.rank:5.2f} +- {found.rank_interval:.2f}"
                f"  ({(time.perf_counter() - began) / drafts:.2f} s a draft)",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:3]), *([tuple(sys.argv[3:])] if len(sys.argv) > 3 else []))
