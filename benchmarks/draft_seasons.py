"""Claim: the assistant ends ahead in rooms of every kind, whether it hears how they draft, learns it, or hears something wrong.

Mock leagues of 12 on tables from the sample's generator that nothing was tuned on, seats rotated. A row is a room, a policy
and what it believes: `sure` of the truth, `learnt` from the picks, `told` a wrong model as a prior and learning on, `sure of`
a wrong one (what used to be). Beside them the plain policies from the same seats. Auctions: one team bids as advised, the
others up to their values. Points of the starting line-up beyond the mean of the other teams, and the rank, with 95%
intervals. Every draft is appended to a file as a line of JSON, so that a run that was stopped goes on where it was.

    python benchmarks/draft_seasons.py --workers 16 --limit 1500 --out seasons.jsonl [--drafts 72] [--only auction]
"""

from __future__ import annotations

import argparse
import io
import json
import math
import multiprocessing
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

TABLES = (101, 102, 103)  # seeds of the generator
TEAMS = 12
WRONG = {"adp": "vor", "vor": "adp", "need": "adp", "slots": "adp", "mixed": "vor"}


def rows() -> list[dict[str, str]]:
    found = []
    for room in ("adp", "vor", "need", "slots", "mixed"):
        for belief in ("sure", "learnt", f"told {WRONG[room]}", f"sure of {WRONG[room]}"):
            found.append({"kind": "draft", "room": room, "policy": "assistant", "belief": belief})
        for policy in ("vor", "need", "adp"):
            found.append({"kind": "draft", "room": room, "policy": policy, "belief": ""})
    for room in ("value", "table"):
        for policy in ("assistant", "value"):
            found.append({"kind": "auction", "room": room, "policy": policy, "belief": ""})
    return found


def name_of(row: dict[str, str]) -> str:
    return f"{row['kind']} {row['room']:6} {row['policy']:9} {row['belief']}".strip()


def league_of(table: int) -> Any:
    from stratagem.fantasy.league import League
    from stratagem.fantasy.sample import sample_csv
    from stratagem.fantasy.table import parse_table

    return League(parse_table(io.StringIO(sample_csv(table)), f"table {table}"))


_leagues: dict[int, Any] = {}


def play(job: tuple[dict[str, str], int, int]) -> dict[str, Any]:
    """One draft or auction."""
    row, k, simulations = job
    table, team = TABLES[k % len(TABLES)], k // len(TABLES) % TEAMS
    if table not in _leagues:
        _leagues[table] = league_of(table)
    league = _leagues[table]
    began = time.process_time()
    lineups = (
        auction(league, row, team, k, simulations)
        if row["kind"] == "auction"
        else draft(league, row, team, k, simulations)
    )
    mine = lineups[team]
    others = [x for t, x in enumerate(lineups) if t != team]
    return {
        "row": name_of(row),
        "k": k,
        "table": table,
        "team": team,
        "points": round(mine, 2),
        "ahead": round(mine - sum(others) / len(others), 2),
        "rank": 1 + sum(x > mine for x in others),
        "seconds": round(time.process_time() - began, 3),
    }


def draft(league: Any, row: dict[str, str], team: int, seed: int, simulations: int) -> list[float]:
    from stratagem.fantasy.advice import Opponents
    from stratagem.fantasy.mock import mock_draft, others

    belief: Any = None
    if row["belief"].startswith("sure of "):
        belief = Opponents(row["belief"].removeprefix("sure of "))
    elif row["belief"] not in ("", "sure"):
        belief = row["belief"].removeprefix("told ")
    room = mock_draft(
        league,
        team,
        row["policy"],
        others(row["room"], TEAMS),
        seed=seed,
        simulations=simulations,
        believed=belief,
    )
    return [room.lineup(t)[0] for t in range(TEAMS)]


def auction(league: Any, row: dict[str, str], team: int, seed: int, simulations: int) -> list[float]:
    from stratagem.fantasy.auction import Bidder, mock_auction

    bidders = [Bidder(row["room"])] * TEAMS
    bidders[team] = Bidder(row["policy"])
    done = mock_auction(league, bidders, seed=seed, simulations=max(simulations, 32))
    return [done.lineup(t)[0] for t in range(TEAMS)]


def done_before(out: Path) -> list[dict[str, Any]]:
    if not out.exists():
        return []
    return [json.loads(line) for line in out.read_text().splitlines() if line.startswith("{") and line.endswith("}")]


def summary(found: list[dict[str, Any]]) -> None:
    by_row = defaultdict(list)
    for one in found:
        by_row[one["row"]].append(one)
    print("row | drafts | ahead | rank | means of the tables | CPU seconds a draft")
    for row in rows():
        drafts = by_row.get(name_of(row), [])
        if not drafts:
            continue
        ahead = np.array([d["ahead"] for d in drafts])
        half = 1.96 * ahead.std(ddof=1) / math.sqrt(len(ahead)) if len(ahead) > 1 else 0.0
        rank = np.mean([d["rank"] for d in drafts])
        by_table = [[d["ahead"] for d in drafts if d["table"] == t] for t in TABLES]
        tables = [f"{np.mean(values):+.0f}" for values in by_table if values]
        seconds = np.mean([d["seconds"] for d in drafts])
        head = f"{name_of(row):38} | {len(ahead):4} | {ahead.mean():+7.1f} ± {half:5.1f}"
        print(f"{head} | {rank:5.2f} | {' '.join(tables)} | {seconds:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds after which no draft is begun")
    parser.add_argument("--out", type=Path, default=Path("seasons.jsonl"))
    parser.add_argument("--drafts", type=int, default=72)
    parser.add_argument("--simulations", type=int, default=24, help="a candidate")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    asked = parser.parse_args()
    began = time.monotonic()
    before = done_before(asked.out)
    there = {(d["row"], d["k"]) for d in before}
    # draft by draft over all rows, so that a run that is stopped has as many of each
    jobs = [
        (row, k, asked.simulations)
        for k in range(asked.drafts)
        for row in rows()
        if asked.only in name_of(row) and (name_of(row), k) not in there
    ]
    if jobs:
        play((rows()[0], 0, 1))  # compiled once, here, before the workers start
        play((rows()[-2], 0, 1)) if any(job[0]["kind"] == "auction" for job in jobs) else None
        with asked.out.open("a") as out, multiprocessing.get_context("fork").Pool(asked.workers) as pool:
            waiting = []
            for job in jobs:
                while len(waiting) >= 2 * asked.workers:
                    waiting = _collect(waiting, out, before)
                if time.monotonic() - began > asked.limit:
                    break
                waiting.append(pool.apply_async(play, (job,)))
            while waiting:
                waiting = _collect(waiting, out, before)
    summary(before)


def _collect(waiting: list[Any], out: Any, found: list[dict[str, Any]]) -> list[Any]:
    """Write what is done; what is not."""
    left = []
    for one in waiting:
        if one.ready():
            found.append(one.get())
            print(json.dumps(found[-1]), file=out, flush=True)
        else:
            left.append(one)
    if len(left) == len(waiting):
        time.sleep(0.02)
    return left


if __name__ == "__main__":
    main()
