"""The post-draft report: each team's line-up and grade, steals and reaches, and what each pick cost.

The grade compares a team's starting line-up with what the same seat gets, against the same other models, from three plain
drafters that know no more: by average position, by value over replacement, and by need. The regret of a pick is judged
under the final board: how much better the final roster could have been by taking instead an item that went to another
team, or to nobody, after that pick, all later picks staying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem.fantasy.advice import Opponents
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.mock import draft_on

GRADES = ((1.0, "A"), (0.4, "B"), (-0.4, "C"), (-1.0, "D"))  # standard deviations from the baselines' mean


@dataclass(frozen=True)
class Pick:
    """One pick looked at afterwards."""

    turn: int
    item: int
    early: float  # picks before (+, a reach) or after (-, a steal) its average position
    regret: float
    better: int | None  # the item that would have been better


@dataclass(frozen=True)
class TeamReport:
    team: int
    points: float
    rank: int
    baseline: float  # mean line-up of the plain drafters from the same seat
    grade: str
    complete: bool
    picks: tuple[Pick, ...]


def report(room: Room, *, seed: int = 0, drafts: int = 8) -> list[TeamReport]:
    """The report of a draft, finished or not, team by team."""
    league = room.league
    lineups = [room.lineup(team)[0] for team in range(league.teams)]
    baseline = _baselines(league, seed, drafts)
    spread = max(float(baseline.std()), 1e-9)
    found = []
    for team in range(league.teams):
        sample = baseline[:, team]
        score = (lineups[team] - float(sample.mean())) / spread
        grade = next((name for least, name in GRADES if score >= least), "E")
        picks = tuple(
            _judge(room, t, x) for t, x in enumerate(room.picks) if league.order[t] == team and t not in league.keepers
        )
        found.append(
            TeamReport(
                team,
                lineups[team],
                1 + sum(x > lineups[team] for x in lineups),
                float(sample.mean()),
                grade,
                not room.open_slots(team),
                picks,
            )
        )
    return found


def _baselines(league: League, seed: int, drafts: int) -> Any:
    """Line-up points [draft, team] where all seats draft by one plain model each."""
    rows = []
    for model in ("adp", "vor", "need"):
        for k in range(drafts):
            room = draft_on(Room(league), league.turns, Opponents(model), seed + k)
            rows.append([room.lineup(team)[0] for team in range(league.teams)])
    return np.array(rows)


def _judge(room: Room, turn: int, item: int) -> Pick:
    league, arrays = room.league, room.league.arrays
    team = league.order[turn]
    roster = room.roster(team)
    rest = [x for x in roster if x != item]
    # what was still to be had: all but what went before, what is kept, and what this team took itself
    gone = set(room.picks[:turn]) | set(league.keepers.values()) | set(roster)
    taken = np.zeros(len(league.items), np.int64)
    taken[list(gone)] = 1
    gains = arrays.gains(rest, taken)
    base = arrays.worth(roster) - arrays.worth(rest)
    best = int(np.argmax(gains))
    regret = float(gains[best] - base)
    adp = league.items[item].adp
    if not np.isfinite(regret) or regret <= 1e-9:
        return Pick(turn, item, adp - (turn + 1), 0.0, None)
    return Pick(turn, item, adp - (turn + 1), regret, best)


def report_json(room: Room, teams: list[TeamReport]) -> list[dict[str, Any]]:
    items = room.league.items
    return [
        {
            "team": t.team,
            "points": round(t.points, 2),
            "rank": t.rank,
            "baseline": round(t.baseline, 2),
            "grade": t.grade,
            "complete": t.complete,
            "lineup": {
                f"{s + 1} {'/'.join(room.league.starters[s])}": items[x].name
                for s, x in sorted(room.lineup(t.team)[1].items())
            },
            "picks": [
                {
                    "pick": room.league.pick_name(p.turn),
                    "item": items[p.item].name,
                    "early": round(p.early, 1),
                    "regret": round(p.regret, 2),
                    "better": None if p.better is None else items[p.better].name,
                }
                for p in t.picks
            ],
        }
        for t in teams
    ]


def report_text(room: Room, teams: list[TeamReport], team: int | None = None) -> str:
    """The report for the terminal: a table of teams, then one team's picks (the best one's, if not said)."""
    items = room.league.items
    lines = ["team  rank  line-up  baseline  grade"]
    for t in sorted(teams, key=lambda t: t.rank):
        short = "" if t.complete else f"  open: {', '.join(room.open_slots(t.team))}"
        lines.append(f"{t.team + 1:4}  {t.rank:4}  {t.points:7.1f}  {t.baseline:8.1f}  {t.grade}{short}")
    every = [p for t in teams for p in t.picks]
    for title, chosen in (
        ("steals", sorted(every, key=lambda p: p.early)[:3]),
        ("reaches", sorted(every, key=lambda p: -p.early)[:3]),
    ):
        reported = "; ".join(
            f"{items[p.item].name} at {room.league.pick_name(p.turn)}, {abs(p.early):.0f} picks "
            f"{'late' if p.early < 0 else 'early'}"
            for p in chosen
            if (p.early < 0) == (title == "steals") and abs(p.early) >= 1
        )
        if reported:
            lines.append(f"{title}: {reported}")
    shown = team if team is not None else min(teams, key=lambda t: t.rank).team
    lines.append(f"picks of team {shown + 1}, with what another item would have added under the final board:")
    for p in teams[shown].picks:
        better = "" if p.better is None else f"  {items[p.better].name} would have added {p.regret:.1f}"
        item = items[p.item]
        lines.append(
            f"  {room.league.pick_name(p.turn):>5}  {item.name:24} {item.position:5} {item.points:6.1f}{better}"
        )
    return "\n".join(lines)
