"""Claim: the draft assistant drafts better line-ups than a public draft tool, fantasyfb, in the same mock leagues.

fantasyfb (on PyPI) is a toolkit for fantasy football whose snake-draft cockpit ranks the players that are left by value over
replacement and by what the roster still needs; that ranking, `view_best`, and the one of the players that the market is
about to take, `view_nearest`, are followed here: their first line that can still complete the roster is the pick. Ours and
theirs take turns in the same rooms: the same table, seat, seed and opponents. Tables are made by the sample's generator from
seeds of their own, so that neither side was tuned on them. The assistant hears how the others
draft; further rows show it learning, misinformed and learning on, and sure of what is wrong. Skipped with a line where
fantasyfb is not installed.

    python benchmarks/bench_drafts_peer.py [DRAFTS] [SIMULATIONS A CANDIDATE]
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from stratagem.fantasy.advice import Opponents, recommend
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.learning import LEARNT, Learner
from stratagem.fantasy.mock import draft_on
from stratagem.fantasy.sample import sample_csv
from stratagem.fantasy.table import parse_table

TABLES = (1, 2, 3)  # seeds of the generator; the sample that ships has 2024
GAMES = 17  # fantasyfb counts points a game
SPEC = {"QB": 1, "RB": 2, "WR": 2, "TE": 1, "W/R/T": 1, "K": 1, "DEF": 1, "BN": 6}  # our default roster in its words
TEAM = "ours"

Picker = Callable[[Room, int], int]


def assistant(opponents: Opponents, simulations: int) -> Picker:
    def pick(room: Room, seed: int) -> int:
        advice = recommend(room, opponents=opponents, simulations=simulations, seed=seed, survival_simulations=1)
        return advice.recommendations[0].item

    return pick


def learning(reported: str, simulations: int) -> Picker:
    """The assistant that hears something about the others, right or wrong, and learns on from their picks."""
    learners: dict[int, Learner] = {}

    def pick(room: Room, seed: int) -> int:
        learner = learners.setdefault(room.team, Learner(room.league, room.team, reported))
        believed = learner.believe(room)
        advice = recommend(room, opponents=believed, simulations=simulations, seed=seed, survival_simulations=1)
        return advice.recommendations[0].item

    return pick


def fantasyfb_board(league: League) -> Any:
    """The table as fantasyfb's board, with its values over replacement."""
    import pandas
    from fantasyfb.drafts.tools import compute_vorp

    rows = [
        {
            "name": item.name,
            "position": item.position.replace("DST", "DEF"),
            "points_rate": item.points / GAMES,
            "player_id_sr": f"item{x}",
            "fantasy_team": None,
            "adp": item.adp,
            "item": x,
        }
        for x, item in enumerate(league.items)
    ]
    return compute_vorp(pandas.DataFrame(rows), SPEC, league.teams)


def cockpit(league: League, view: str) -> Picker:
    from fantasyfb.drafts.snake_cockpit import build_my_roster, view_best, view_nearest

    board = fantasyfb_board(league)
    number = {item.name: x for x, item in enumerate(league.items)}

    def pick(room: Room, seed: int) -> int:
        del seed  # it draws no lots
        now = board.copy()
        owner: list[str | None] = [None] * len(league.items)
        for turn, x in enumerate(room.picks):
            owner[x] = TEAM if league.order[turn] == room.team else "others"
        now["fantasy_team"] = owner
        roster = build_my_roster(now, TEAM, SPEC)
        near = {"pick_overall": room.turn + 1, "num_teams": league.teams, "my_roster": roster}
        lists = [view_nearest(now, **near)] if view == "nearest" else []
        lists.append(view_best(now, my_roster=roster))
        lists.append(view_best(now, my_roster=roster, limit_per_position=len(league.items)))
        legal = set(room.legal())
        return next(x for found in lists for x in (number[name] for name in found["name"]) if x in legal)

    return pick


def draft(league: League, team: int, picker: Picker, others: Opponents, seed: int) -> tuple[Room, float, int]:
    """A whole draft; the CPU seconds that the picker used, and its picks."""
    room, seconds, picks = Room(league), 0.0, 0
    while not room.over:
        turn = room.next_turn(team, room.turn - 1)
        room = draft_on(room, league.turns if turn is None else turn, others, seed)
        if turn is not None:
            began = time.process_time()
            picked = picker(room, seed * 1000 + room.turn)
            seconds += time.process_time() - began
            picks += 1
            room = room.apply(picked)
    return room, seconds, picks


def main(drafts: int = 72, simulations: int = 12) -> None:
    if find_spec("fantasyfb") is None:
        print("skipped: fantasyfb is not installed; pip install fantasyfb brings it")
        return
    leagues = [League(parse_table(io.StringIO(sample_csv(seed)), f"table {seed}")) for seed in TABLES]
    print(
        f"{drafts} drafts, 12 teams, {len(TABLES)} tables of {len(leagues[0].items)}, {simulations} simulations a candidate"
    )
    for model in ("adp", "vor"):
        others = Opponents(model)
        pickers = {
            "stratagem, assistant": [assistant(others, simulations) for _ in leagues],
            "fantasyfb, view_best": [cockpit(league, "best") for league in leagues],
            "fantasyfb, view_nearest": [cockpit(league, "nearest") for league in leagues],
        }
        wrong = "vor" if model == "adp" else "adp"
        pickers["stratagem, learnt"] = [learning(LEARNT, simulations) for _ in leagues]
        pickers[f"stratagem, told {wrong}"] = [learning(wrong, simulations) for _ in leagues]
        pickers[f"stratagem, sure of {wrong}"] = [assistant(Opponents(wrong), simulations) for _ in leagues]
        points: dict[str, list[float]] = {name: [] for name in pickers}
        ahead: dict[str, list[float]] = {name: [] for name in pickers}
        ranks: dict[str, list[int]] = {name: [] for name in pickers}
        used = {name: [0.0, 0] for name in pickers}
        for k in range(drafts):
            which, team = k % len(leagues), k // len(leagues) % 12
            for name, ways in pickers.items():
                room, seconds, picks = draft(leagues[which], team, ways[which], others, seed=k)
                lineups = [room.lineup(other)[0] for other in range(12)]
                points[name].append(lineups[team])
                ahead[name].append(lineups[team] - (sum(lineups) - lineups[team]) / 11)
                ranks[name].append(1 + sum(x > lineups[team] for x in lineups))
                used[name][0] += seconds
                used[name][1] += picks
        ours = np.array(points["stratagem, assistant"])
        for name in pickers:
            more = ours - np.array(points[name])
            print(
                f"against {model:4} {name:24} ahead of the others {_mean(ahead[name])}, rank {np.mean(ranks[name]):.2f}, "
                f"ours more by {_mean(more)}, {1000 * used[name][0] / used[name][1]:.1f} ms a pick",
                flush=True,
            )


def _mean(values: Any) -> str:
    return f"{np.mean(values):+.1f} ± {1.96 * np.std(values, ddof=1) / len(values) ** 0.5:.1f}"


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:3]))
