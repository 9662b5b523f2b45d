"""Advice at once: where simulating drafts would have to wait, `preliminary` answers in closed form.

Its values are those of the best line-up, survival comes from the average positions and their spreads alone, and the cost of
waiting follows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stratagem.compile import answer_now
from stratagem.errors import GameOver
from stratagem.fantasy.advice import (
    Advice,
    AdviceSettings,
    Believed,
    Recommendation,
    alerts,
    awaited,
    candidates_for,
    reason,
    recommend,
    values_now,
)
from stratagem.fantasy.league import Room
from stratagem.fantasy.table import Item
from stratagem.search.settings import settings_of


def advise(room: Room, team: int, *, opponents: Believed, **changes: Any) -> Advice:
    """`recommend`, or a preliminary answer where that would have to wait."""
    return answer_now(
        lambda: recommend(room, team, opponents=opponents, **changes),
        lambda: preliminary(room, team, settings_of(AdviceSettings, None, changes)),
    )


def preliminary(room: Room, team: int, settings: AdviceSettings) -> Advice:
    """Recommendations by the cost of waiting, in closed form."""
    if room.over:
        raise GameOver(f"the draft is over after {room.league.turns} picks: there is nothing to recommend")
    turn = room.turn if room.team == team else room.next_turn(team)
    if turn is None:
        raise GameOver(f"team {team + 1} has no pick left")
    league = room.league
    after = room.next_turn(team, turn)
    end = league.turns if after is None else after
    values = values_now(room, team)
    stays = np.array([_stays(item, room.turn, end) for item in league.items])
    later: dict[str, float] = {}
    for position in league.positions:
        # the best that is left is the first of the list that nobody took
        members = [x for x, item in enumerate(league.items) if position in item.positions and x not in room.taken]
        best, nobody = 0.0, 1.0
        for x in sorted(members, key=lambda x: -values[x])[:40]:
            best += nobody * stays[x] * float(values[x])
            nobody *= 1.0 - stays[x]
        later[position] = best
    found = []
    there = np.array([_stays(item, room.turn, turn) for item in league.items])
    for x in candidates_for(room, team, values, there):
        item = league.items[x]
        wait = max(later[p] for p in item.positions)
        left = sum(
            1
            for y, other in enumerate(league.items)
            if item.tier
            and other.tier == item.tier
            and y not in room.taken
            and set(other.positions) & set(item.positions)
        )
        value = float(values[x])
        why = reason(room, x, value, wait, float(stays[x]), left, after)
        worth = value - wait
        one = Recommendation(
            x, item.name, item.position, worth, 0.0, value, wait, float(stays[x]), item.tier, left, why
        )
        found.append(awaited(room, one, turn, float(there[x])))
    found.sort(key=lambda r: (-r.worth, -league.vor[r.item], r.item))
    reported = ("a preliminary answer: drafts are simulated as soon as they can be", *alerts(room, team))
    return Advice(team, turn, after, tuple(found[: settings.most]), reported, 0, 0.0)


def _stays(item: Item, now: int, end: int) -> float:
    """The chance that an item that is there now is still there at a turn, by its average position alone."""
    here, there = (_beyond((t + 0.5 - item.adp) / max(item.sd, 0.1)) for t in (now, end))
    return min(1.0, there / here) if here > 1e-12 else 0.0


def _beyond(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))
