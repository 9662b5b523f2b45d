"""Mock drafts: whole drafts against models of stated strength, seeded and replayable, and leagues of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem.errors import UnknownName
from stratagem.fantasy import engine
from stratagem.fantasy.advice import (
    Believed,
    Opponents,
    Span,
    candidates_for,
    recommend,
    simulate,
    survival,
    values_now,
)
from stratagem.fantasy.league import League, Room
from stratagem.fantasy.learning import Learner
from stratagem.plans.draft import Draft
from stratagem.search.drafts import KthDrafter, TooLarge, greedy_pick
from stratagem.search.drafts.uct import DraftUctSettings as UctSettings
from stratagem.search.drafts.uct import uct_drafter

MIXED = "mixed"  # a room in which the teams draft by one model each, in turn
MIXTURE = ("adp", "need", "vor", "slots", "adp")
POLICIES = ("assistant", "waiting", "kth", "uct", "need", "slots", "vor", "points", "adp")
AHEAD = 3  # turns of one's own, the one to be made included, that look-ahead picking considers
POOL = 60  # items it considers: sets hold not many more
UCT_PER_CANDIDATE = 32  # simulations of the policy uct for each one a candidate of the assistant's


def others(name: str, teams: int) -> Opponents:
    """A room by its name: all teams by one model, or `mixed`."""
    if name == MIXED:
        return Opponents(by_team={team: MIXTURE[team % len(MIXTURE)] for team in range(teams)})
    if name not in engine.MODELS:
        raise UnknownName("model of the others", name, [MIXED, *engine.MODELS])
    return Opponents(name)


def draft_on(room: Room, end: int, opponents: Opponents, seed: int) -> Room:
    """The room after the picks up to a turn, all by their models, in the room that the seed imagines."""
    league = room.league
    end = min(end, league.turns)
    if room.turn >= end:
        return room
    team = room.team  # any one: all draft by their models
    span = Span(team, opponents.code(team), room.turn, end, seed=seed)
    when = simulate(room, opponents, span).when
    made = {int(when[x]): int(x) for x in np.flatnonzero(when < end)} | dict(league.keepers)
    return Room(league, (*room.picks, *(made[t] for t in range(room.turn, end))))


def choose(room: Room, policy: str, *, opponents: Believed, seed: int, simulations: int) -> int:
    """The pick of the team on the clock by a policy."""
    if policy == "assistant":
        advice = recommend(room, opponents=opponents, simulations=simulations, seed=seed, survival_simulations=1)
        return advice.recommendations[0].item
    if policy == "waiting":
        values = values_now(room, room.team)
        lasting = survival(room, room.team, opponents=opponents, simulations=200, seed=seed, values=values)
        items = room.league.items
        return max(
            candidates_for(room, room.team, values),
            key=lambda x: (values[x] - max(lasting.expected[p] for p in items[x].positions), room.league.vor[x], -x),
        )
    if policy in ("kth", "uct"):
        return look_ahead(room, policy, seed=seed, simulations=simulations)
    if policy not in engine.MODELS:
        raise UnknownName("policy", policy, POLICIES)
    return draft_on(room, room.turn + 1, Opponents(policy), seed).picks[room.turn]


def look_ahead(room: Room, policy: str, *, seed: int, simulations: int) -> int:
    """The pick by the kth-best rule (ascending) or by UCT, on a draft with static worths cut out of the room.

    The team ranks items by what they add to its roster now, all others by average position, and it looks ahead over its own next
    few turns. Both are rules for static worths: what a pick adds later, once a slot is filled, they do not see.
    """
    team, league = room.team, room.league
    values = values_now(room, team)
    candidates = candidates_for(room, team, values)
    last = room.turn
    for _ in range(AHEAD - 1):
        last = room.next_turn(team, last) or last
    order = [league.order[turn] for turn in range(room.turn, last + 1) if turn not in league.keepers][:POOL]
    free = [int(x) for x in np.flatnonzero(np.isfinite(values)) if int(x) not in league.keepers.values()]
    wanted = sorted(free, key=lambda x: (league.items[x].adp, x))[: max(POOL - len(candidates), len(order))]
    pool = list(dict.fromkeys([*candidates[:POOL], *wanted]))[:POOL]
    order = order[: len(pool)]
    if len(pool) < 2 or len(order) < 2:
        return candidates[0]
    seats = list(dict.fromkeys(order))  # the team itself is on the clock, and so the first
    least = min(float(values[x]) for x in pool)
    own = tuple(float(values[x]) - least if x in candidates else 0.0 for x in pool)
    latest = max(league.items[x].adp for x in pool)
    market = tuple(latest - league.items[x].adp for x in pool)
    draft = Draft(
        tuple(str(x) for x in pool),
        (own, *(market for _ in seats[1:])),
        tuple(seats.index(i) for i in order),
    )
    if policy == "kth":
        try:
            at = KthDrafter(draft, ascending=True, most_states=1 << 16).pick()
        except TooLarge:
            at = greedy_pick(draft)
    else:
        settings = UctSettings(simulations=UCT_PER_CANDIDATE * simulations, nodes=1 << 16, rollout="ranking")
        at = uct_drafter(draft, seed=seed, settings=settings).choose()
    return pool[at] if pool[at] in candidates else candidates[0]


def mock_draft(
    league: League,
    team: int,
    policy: str,
    opponents: Opponents,
    *,
    seed: int = 0,
    simulations: int = 96,
    believed: Opponents | str | None = None,
) -> Room:
    """A whole draft: one team by a policy that believes the others draft as `believed`, the others by their models.

    A belief given by name is what the team has heard, and it goes on learning from the picks; `learnt`: it has heard nothing.
    """
    room = Room(league)
    learner = Learner(league, team, believed) if isinstance(believed, str) else None
    sure = opponents if believed is None or isinstance(believed, str) else believed
    while not room.over:
        turn = room.next_turn(team, room.turn - 1)
        if turn is None:
            return draft_on(room, league.turns, opponents, seed)
        room = draft_on(room, turn, opponents, seed)
        now: Believed = learner.believe(room) if learner is not None and policy == "assistant" else sure
        picked = choose(room, policy, opponents=now, seed=seed * 1000 + room.turn, simulations=simulations)
        room = room.apply(picked)
    return room


@dataclass(frozen=True)
class Standing:
    """How a policy did over many mock drafts."""

    policy: str
    drafts: int
    points: float  # mean of the starting line-up
    points_interval: float  # half width, 95%
    ahead: float  # mean points ahead of the other teams' mean
    ahead_interval: float
    rank: float  # mean rank among the teams, 1 the best
    rank_interval: float

    def json(self) -> dict[str, Any]:
        return {name: round(x, 4) if isinstance(x, float) else x for name, x in vars(self).items()}


def mock_league(
    league: League,
    policy: str,
    opponents: Opponents,
    *,
    drafts: int = 1000,
    seed: int = 0,
    simulations: int = 96,
    believed: Opponents | str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Standing:
    """Mock drafts with seats rotated: the starting line-up's points, and the rank among the teams."""
    points, ahead, ranks = [], [], []
    for k in range(drafts):
        team = k % league.teams
        room = mock_draft(league, team, policy, opponents, seed=seed + k, simulations=simulations, believed=believed)
        lineups = [room.lineup(other)[0] for other in range(league.teams)]
        others = [x for other, x in enumerate(lineups) if other != team]
        points.append(lineups[team])
        ahead.append(lineups[team] - sum(others) / max(len(others), 1))
        ranks.append(1 + sum(x > lineups[team] for x in others))
        if progress:
            progress(k + 1)
    return Standing(policy, drafts, *_mean(points), *_mean(ahead), *_mean(ranks))


def _mean(values: Sequence[float]) -> tuple[float, float]:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), 1.96 * spread / math.sqrt(len(values))
