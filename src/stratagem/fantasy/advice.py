"""Recommendations: each candidate is tried in the same imagined drafts, and what waiting for it costs is told beside.

A candidate's worth is the mean worth of one's own final roster over simulated drafts in which it is taken now, the other
teams draft by their models and oneself by the better of two need-aware rules: one step of policy improvement on both.
The chance that an item survives is its share of the simulated drafts in which it is still there at one's next pick.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagem.errors import GameOver, OptionError, UnknownName
from stratagem.fantasy import engine
from stratagem.fantasy.engine import Floats, compiled
from stratagem.fantasy.league import Room
from stratagem.search.budget import Stopwatch

PER_POSITION = 3  # candidates of one position
MOST_CANDIDATES = 14
CONTINUATIONS = (engine.NEED, engine.SLOTS)  # how the team itself may draft on in simulated drafts
CHUNK = 32  # simulations between looks at the clock


@dataclass(frozen=True)
class Opponents:
    """Models of the other teams: `adp`, `vor`, `need` or `points`, the same for all or by team; and what is known of them.

    rankings: a team's own list of item indices, best first, instead of the average positions. favourites: a team that takes
    items of a club or a name earlier, by so many picks.
    """

    model: str = "adp"
    by_team: Mapping[int, str] = field(default_factory=dict, hash=False)
    rankings: Mapping[int, Sequence[int]] = field(default_factory=dict, hash=False)
    favourites: Mapping[int, Mapping[str, float]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in (self.model, *self.by_team.values()):
            if name not in engine.MODELS:
                raise UnknownName("model of a drafter", name, engine.MODELS)

    def codes(self, teams: int) -> engine.Ints:
        return np.array([engine.MODELS[self.by_team.get(team, self.model)] for team in range(teams)], np.int64)

    def bias(self, room: Room) -> tuple[Floats, Floats]:
        """What each team adds to an item's key, in picks, and the least of a team's."""
        items = room.league.items
        bias = np.zeros((room.league.teams, len(items)))
        for team, ranking in self.rankings.items():
            for place, x in enumerate(ranking):
                bias[team, x] = place + 1 - items[x].adp
        for team, liked in self.favourites.items():
            for x, item in enumerate(items):
                bias[team, x] -= liked.get(item.team, 0.0)
        return bias, np.minimum(bias.min(axis=1), 0.0)


@dataclass(frozen=True)
class Recommendation:
    """One item to take now, with the numbers behind it."""

    item: int
    name: str
    position: str
    worth: float  # mean worth of the final roster if it is taken now
    error: float  # standard error of its difference to the best, 0 for the best
    value: float  # what it adds to the roster now, over replacements in the open slots
    later: float  # expected value of the best of its position at the next pick
    survival: float  # chance that it is still there at the next pick
    tier: int
    tier_left: int  # free items of its tier and position, itself included; 0 where no tiers are given
    reason: str

    @property
    def cost_of_waiting(self) -> float:
        """What is lost, on average, by taking this position at the next pick instead."""
        return self.value - self.later

    def json(self) -> dict[str, Any]:
        return {
            "item": self.name, "position": self.position, "worth": round(self.worth, 3), "error": round(self.error, 3),
            "value": round(self.value, 3), "later": round(self.later, 3), "survival": round(self.survival, 4),
            "cost_of_waiting": round(self.cost_of_waiting, 3), "tier": self.tier or None,
            "tier_left": self.tier_left or None, "reason": self.reason,
        }  # fmt: skip


@dataclass(frozen=True)
class Advice:
    """Recommendations, best first, and what to look out for."""

    team: int
    turn: int
    next_turn: int | None
    recommendations: tuple[Recommendation, ...]
    alerts: tuple[str, ...]
    simulations: int
    seconds: float

    def json(self) -> dict[str, Any]:
        return {
            "team": self.team, "turn": self.turn, "next_turn": self.next_turn, "simulations": self.simulations,
            "seconds": round(self.seconds, 3), "recommendations": [r.json() for r in self.recommendations],
            "alerts": list(self.alerts),
        }  # fmt: skip


@dataclass(frozen=True)
class Simulated:
    """What `simulate` found; see `engine.simulate_template`."""

    worth: Floats  # [candidates, simulations]
    gone: Floats
    expected: Floats
    when: engine.Ints


def simulate(
    room: Room, team: int, own: int, opponents: Opponents, *, begin: int, end: int, simulations: int, seed: int,
    candidates: Sequence[int] = (-1,), values: Floats | None = None, used: int | None = None, stop: engine.Ints | None = None,
) -> Simulated:  # fmt: skip
    """Simulated drafts of the picks `begin` to `end`; `own` is the model of the team itself.

    values: what each item is worth to the team, for the expected best left. used: a turn that the candidate uses up.
    """
    league, arrays = room.league, room.league.arrays
    bias, least = opponents.bias(room)
    models = opponents.codes(league.teams)
    models[team] = own
    forced = arrays.forced
    if used is not None:
        forced = forced.copy()
        forced[used] = 0
    worths = np.full(len(league.items), -1e300) if values is None else np.where(np.isfinite(values), values, -1e300)
    no_fill = np.zeros_like(arrays.fill)  # a slot that is open when the draft is over stays so
    found = Simulated(
        np.zeros((len(candidates), simulations)), np.zeros((len(league.items), max(end - begin, 1))),
        np.zeros(len(league.positions)), np.zeros(len(league.items), np.int64),
    )  # fmt: skip
    compiled(engine.simulate_template)(
        np.array(candidates, np.int64), simulations, seed, begin, end, team, arrays.order, forced, models, arrays.accepts,
        arrays.positions, arrays.most, arrays.flexible, arrays.points, arrays.vor, arrays.need, arrays.bench, no_fill, worths,
        arrays.adp, arrays.sd, bias, least, arrays.by_adp, arrays.by_vor, arrays.by_points, arrays.by_need,
        *room.board.state, found.worth, found.gone, found.expected, found.when,
        np.zeros(1, np.int64) if stop is None else stop,
    )  # fmt: skip
    return found


def values_now(room: Room, team: int) -> Floats:
    """What each free item would add to a team's roster now, open slots counted at replacement; -inf for taken ones."""
    return room.league.arrays.gains(room.roster(team), room.board.taken)


@dataclass(frozen=True)
class Survival:
    """What simulated drafts say about the picks until a turn."""

    begin: int  # the first turn simulated
    gone: Floats  # [items, turns]: chance that an item is taken at a turn
    expected: dict[str, float]  # by position: expected largest value left at the end

    def at(self, item: int, turn: int) -> float:
        """The chance that an item is still there when a turn comes up."""
        return float(max(0.0, 1.0 - self.gone[item, : max(turn - self.begin, 0)].sum()))


def survival(
    room: Room, team: int, *, until: int | None = None, opponents: Opponents | None = None, simulations: int = 1000,
    seed: int = 0, values: Floats | None = None,
) -> Survival:  # fmt: skip
    """How long items last if a team lets its turns go by, up to a turn (its next one, if not said)."""
    opponents = opponents or Opponents()
    league = room.league
    if room.over:
        raise GameOver("the draft is over: nothing is left to survive")
    begin = room.turn
    if until is None:
        until = room.next_turn(team) if room.team == team else room.next_turn(team, begin - 1)
    until = league.turns if until is None else until
    values = values_now(room, team) if values is None else values
    found = simulate(
        room, team, engine.WAITS, opponents, begin=begin, end=until, simulations=simulations, seed=seed, values=values
    )
    return Survival(begin, found.gone, {p: float(found.expected[k]) for k, p in enumerate(league.positions)})


def candidates_for(room: Room, team: int, values: Floats) -> list[int]:
    """The items worth trying: of each position the best few legal ones, the best of all first."""
    legal = room.legal(team)
    if not legal:
        return []
    vor = room.league.vor
    # the roster's gain first; on the bench, where gains are alike, value over replacement
    ordered = sorted(legal, key=lambda x: (-round(float(values[x]), 6), -vor[x], x))
    found: list[int] = []
    of_position: dict[str, int] = {}
    for x in ordered:
        position = room.league.items[x].position
        if of_position.get(position, 0) < PER_POSITION:
            of_position[position] = of_position.get(position, 0) + 1
            found.append(x)
    return found[:MOST_CANDIDATES]


def recommend(
    room: Room, team: int | None = None, *, opponents: Opponents | None = None, simulations: int | None = None,
    seconds: float | None = None, seed: int = 0, most: int = 8, only: Sequence[int] | None = None,
    survival_simulations: int = 1000,
) -> Advice:  # fmt: skip
    """What a team should take now (the one on the clock, if not said), by simulation; same seed and simulations, same advice."""
    if room.over:
        raise GameOver(f"the draft is over after {room.league.turns} picks: there is nothing to recommend")
    team = room.team if team is None else team
    if not 0 <= team < room.league.teams:
        raise OptionError(f"there is no team {team}; teams go from 0 to {room.league.teams - 1}")
    opponents = opponents or Opponents()
    watch = Stopwatch(seconds)
    league = room.league
    turn = room.turn if room.team == team else room.next_turn(team)
    if turn is None:
        raise GameOver(f"team {team + 1} has no pick left")
    values = values_now(room, team)
    after = room.next_turn(team, turn)
    lasting = survival(
        room, team, until=after, opponents=opponents, seed=seed, values=values, simulations=survival_simulations
    )
    candidates = list(only) if only is not None else candidates_for(room, team, values)
    if not candidates:
        return Advice(team, turn, after, (), ("nothing that is left can complete this roster",), 0, watch.elapsed)
    wanted = simulations or (400 if seconds is None else 100_000)
    chunks: list[Floats] = []
    done = 0
    while done < wanted and not (seconds is not None and done and (watch.left or 0.0) <= 0):
        size = min(CHUNK, wanted - done)
        # where others pick before the team does, it is taken at once all the same: this asks what it is worth to have it
        chunks.append(np.stack([
            simulate(
                room, team, own, opponents, begin=room.turn + (room.team == team), end=league.turns, simulations=size,
                seed=seed + 7919 * (len(chunks) + 1), candidates=candidates, used=None if room.team == team else turn,
            ).worth
            for own in CONTINUATIONS
        ]))  # fmt: skip
        done += size
    # a candidate is worth what the better way of drafting on makes of it
    both = np.concatenate(chunks, axis=2)
    way = both.mean(axis=2).argmax(axis=0)
    worths = both[way, np.arange(len(candidates))]
    mean = worths.mean(axis=1)
    order = sorted(range(len(candidates)), key=lambda c: (-round(float(mean[c]), 9), candidates[c]))
    best = order[0]
    found = []
    for c in order[:most]:
        x = candidates[c]
        item = league.items[x]
        error = float((worths[best] - worths[c]).std() / math.sqrt(done)) if c != best else 0.0
        later = max(lasting.expected[p] for p in item.positions)
        tier_left = sum(
            1 for y, other in enumerate(league.items)
            if item.tier and other.tier == item.tier and y not in room.taken and set(other.positions) & set(item.positions)
        )  # fmt: skip
        stays = lasting.at(x, after if after is not None else league.turns)
        found.append(Recommendation(
            x, item.name, item.position, float(mean[c]), error, float(values[x]), later, stays, item.tier, tier_left,
            _reason(room, x, float(values[x]), later, stays, tier_left, after),
        ))  # fmt: skip
    return Advice(team, turn, after, tuple(found), tuple(alerts(room, team)), done, watch.elapsed)


def _reason(room: Room, x: int, value: float, later: float, stays: float, tier_left: int, after: int | None) -> str:
    item = room.league.items[x]
    if after is None:
        return f"adds {value:.1f}, and it is the last pick"
    text = f"adds {value:.1f}; the best {item.position} at {room.league.pick_name(after)} should add {later:.1f}"
    text += f", and {'it' if stays < 0.995 else 'this one surely'} is still there {stays:.0%} of the time"
    if tier_left == 1:
        text += "; the last of its tier"
    return text


def alerts(room: Room, team: int) -> list[str]:
    """What to look out for: runs on a position, and slots that the last picks must fill."""
    league = room.league
    found = []
    recent = room.picks[-max(5, league.teams // 2) :]
    for position in league.positions:
        run = sum(position in league.items[x].positions for x in recent)
        if len(recent) >= 5 and run >= 4 and run * 5 >= len(recent) * 3:
            found.append(f"a run on {position}: {run} of the last {len(recent)} picks")
    board = room.board
    open_slots = room.open_slots(team)
    spare = int(board.left[team]) - len(open_slots)
    if open_slots and spare <= 1:
        must = f"{int(board.left[team])} picks left, and {len(open_slots)} must fill {', '.join(open_slots)}"
        found.append(must if spare == 0 else f"{must}: only one is free")
    for slot in sorted(set(open_slots)):
        positions = set(slot.split("/"))
        there = sum(1 for x, i in enumerate(league.items) if x not in room.taken and positions & set(i.positions))
        wanted = sum(room.open_slots(other).count(slot) for other in range(league.teams))
        if there <= wanted:
            found.append(f"{slot} runs out: {there} are left, and the teams still start {wanted}")
    return found
