"""Recommendations: each candidate is tried in the same imagined drafts, and what waiting for it costs is shown beside.

A candidate's worth is the mean worth of one's own final roster over simulated drafts in which it is taken now. The other teams
draft by their models, one's own team by the better of two need-aware rules. So it is one step of policy improvement on both.
The chance that an item survives is its share of the simulated drafts in which it is still there at one's next pick.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from stratagem.errors import GameOver, OptionError, UnknownName
from stratagem.fantasy import engine
from stratagem.fantasy.engine import Floats, function_of
from stratagem.fantasy.league import Room
from stratagem.search.budget import Budget
from stratagem.search.settings import settings_of

PER_POSITION = 3  # candidates of one position
REACHED = 0.1  # chance to be there at a later turn from which an item is a candidate for it
MOST_CANDIDATES = 14
CONTINUATIONS = (engine.NEED, engine.SLOTS)  # how the team itself may draft on in simulated drafts
SCENARIOS = 6  # that a belief about the others is drawn into
CHUNK = 32  # simulations between looks at the clock
SEED_STEP = 7919  # between the seeds of two chunks


@dataclass(frozen=True)
class Opponents:
    """Models of the other teams: `adp`, `vor`, `need` or `points`, the same for all or by team; and what is known of them.

    rankings: a team's own list of item indices, best first, instead of the average positions. favourites: a team that takes
    items of a club or a name earlier, by so many picks. runs: how many picks earlier a position is taken for each of the last
    few picks that was of it. spread: how much wider than the table says average positions scatter.
    """

    model: str = "adp"
    by_team: Mapping[int, str] = field(default_factory=dict, hash=False)
    rankings: Mapping[int, Sequence[int]] = field(default_factory=dict, hash=False)
    favourites: Mapping[int, Mapping[str, float]] = field(default_factory=dict, hash=False)
    runs: Mapping[int, float] = field(default_factory=dict, hash=False)
    spread: float = 1.0

    def __post_init__(self) -> None:
        for name in (self.model, *self.by_team.values()):
            if name not in engine.MODELS:
                raise UnknownName("model of a drafter", name, engine.MODELS)

    def code(self, team: int) -> int:
        """The model of a team, as `engine` numbers them."""
        return engine.MODELS[self.by_team.get(team, self.model)]

    def drafters(self, room: Room) -> engine.Drafters:
        """The models of all teams, and what each adds to an item's key, in picks."""
        items = room.league.items
        models = np.array([self.code(team) for team in range(room.league.teams)], np.int64)
        bias = np.zeros((room.league.teams, len(items)))
        for team, ranking in self.rankings.items():
            for place, x in enumerate(ranking):
                bias[team, x] = place + 1 - items[x].adp
        for team, liked in self.favourites.items():
            for x, item in enumerate(items):
                bias[team, x] -= liked.get(item.team, 0.0)
        runs = np.array([self.runs.get(team, 0.0) for team in range(room.league.teams)])
        return engine.Drafters(models, bias, np.minimum(bias.min(axis=1), 0.0), runs)

    def scenarios(self, count: int, seed: int) -> list[Opponents]:
        """What may be the case: this, surely. A `Belief` has several."""
        del count, seed
        return [self]


class Believed(Protocol):
    """What the assistant takes the others to be: an `Opponents` that it is sure of, or a `Belief` learnt from their picks."""

    def scenarios(self, count: int, seed: int) -> list[Opponents]: ...


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
    there: float = 1.0  # chance that it is there when the team picks; 1 where the team is on the clock

    @property
    def cost_of_waiting(self) -> float:
        """What is lost, on average, by taking this position at the next pick instead."""
        return self.value - self.later

    def json(self) -> dict[str, Any]:
        return {
            "item": self.name,
            "position": self.position,
            "worth": round(self.worth, 3),
            "error": round(self.error, 3),
            "value": round(self.value, 3),
            "later": round(self.later, 3),
            "survival": round(self.survival, 4),
            "there": round(self.there, 4),
            "cost_of_waiting": round(self.cost_of_waiting, 3),
            "tier": self.tier or None,
            "tier_left": self.tier_left or None,
            "reason": self.reason,
        }


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
            "team": self.team,
            "turn": self.turn,
            "next_turn": self.next_turn,
            "simulations": self.simulations,
            "seconds": round(self.seconds, 3),
            "recommendations": [r.json() for r in self.recommendations],
            "alerts": list(self.alerts),
        }


@dataclass(frozen=True)
class Span:
    """Simulated drafts from one turn up to another, in which a team drafts by a model of its own."""

    team: int
    own: int  # the model of the team itself, of `engine`
    begin: int  # the first turn simulated
    end: int  # the turn before which they end
    simulations: int = 1  # of each candidate
    seed: int = 0
    candidates: Sequence[int] = (engine.NONE,)  # what the team takes first, in drafts of its own each
    used: int | None = None  # a turn that the candidate uses up


def simulate(
    room: Room, opponents: Opponents, span: Span, *, values: Floats | None = None, stop: engine.Ints | None = None
) -> engine.Simulated:
    """Simulated drafts from a room on. values: what each item is worth to the team, for the expected best left."""
    league, rules = room.league, room.league.arrays.without_replacements()
    drafters = opponents.drafters(room)
    drafters.models[span.team] = span.own
    if span.used is not None:
        forced = rules.forced.copy()
        forced[span.used] = 0  # any item: the turn goes by
        rules = rules._replace(forced=forced)
    if opponents.spread != 1.0:
        rules = rules._replace(sd=rules.sd * opponents.spread)
    none = np.full(len(league.items), engine.NO_WORTH)
    trials = engine.Trials(
        me=span.team,
        begin=span.begin,
        end=span.end,
        simulations=span.simulations,
        seed=span.seed,
        candidates=np.array(span.candidates, np.int64),
        worths=none if values is None else np.where(np.isfinite(values), values, none),
        lately=latest(room),
    )
    found = engine.Simulated.blank(trials, len(league.positions))
    scratch = engine.RoomScratch.of(rules, room.board)
    stop = np.zeros(1, np.int64) if stop is None else stop
    function_of(engine.simulate_template)(rules, drafters, room.board, trials, found, scratch, stop)
    return found


def latest(room: Room) -> engine.Ints:
    """The positions of the last picks as bits, the last one first."""
    found = np.zeros(engine.RUN_WINDOW, np.int64)
    for k, x in enumerate(reversed(room.picks[-engine.RUN_WINDOW :])):
        found[k] = room.league.arrays.positions[x]
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
    room: Room,
    team: int,
    *,
    until: int | None = None,
    opponents: Believed | None = None,
    simulations: int = 1000,
    seed: int = 0,
    values: Floats | None = None,
) -> Survival:
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
    cases = opponents.scenarios(SCENARIOS, seed)
    each = -(-simulations // len(cases))
    found = [
        simulate(room, case, Span(team, engine.WAITS, begin, until, each, seed + k), values=values)
        for k, case in enumerate(cases)
    ]
    gone = np.mean([one.gone for one in found], axis=0)
    expected = np.mean([one.expected for one in found], axis=0)
    return Survival(begin, gone, {p: float(expected[k]) for k, p in enumerate(league.positions)})


def candidates_for(room: Room, team: int, values: Floats, there: Floats | None = None) -> list[int]:
    """The items worth trying: of each position the best few legal ones, the best of all first.

    there: the chance of each item to be there when the team picks, where others pick before it. Unlikely ones are no
    candidates, unless all are unlikely.
    """
    legal = room.legal(team)
    if there is not None:
        legal = [x for x in legal if there[x] >= REACHED] or legal
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


@dataclass(frozen=True)
class AdviceSettings:
    """Parameters of the assistant."""

    simulations: int | None = None  # drafts a candidate; None: 400, or as many as the seconds allow
    seconds: float | None = None  # thinking time; None: no clock
    seed: int = 0
    most: int = 8  # recommendations given
    survival_simulations: int = 1000  # drafts that tell how long items last

    def __post_init__(self) -> None:
        for name in ("simulations", "most", "survival_simulations"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} is {value!r}, which advises nothing; give 1 or more")

    @property
    def wanted(self) -> int:
        """The most drafts a candidate."""
        return self.simulations or (400 if self.seconds is None else 100_000)


def recommend(
    room: Room,
    team: int | None = None,
    *,
    opponents: Believed | None = None,
    only: Sequence[int] | None = None,
    settings: AdviceSettings | None = None,
    **changes: Any,
) -> Advice:
    """What a team should take now (the one on the clock, if not said), by simulation; same seed and simulations, same advice.

    only: the candidates, where not all are wanted. Parameters may be given by name too: `recommend(room, seconds=0.8)`.
    """
    settings = settings_of(AdviceSettings, settings, changes)
    if room.over:
        raise GameOver(f"the draft is over after {room.league.turns} picks: there is nothing to recommend")
    team = room.team if team is None else team
    if not 0 <= team < room.league.teams:
        raise OptionError(f"there is no team {team}; teams go from 0 to {room.league.teams - 1}")
    opponents = opponents or Opponents()
    budget = Budget(settings.seconds)
    turn = room.turn if room.team == team else room.next_turn(team)
    if turn is None:
        raise GameOver(f"team {team + 1} has no pick left")
    values = values_now(room, team)
    after = room.next_turn(team, turn)
    simulations, seed = settings.survival_simulations, settings.seed
    lasting = survival(room, team, until=after, opponents=opponents, simulations=simulations, seed=seed, values=values)
    there = np.array([lasting.at(x, turn) for x in range(len(room.league.items))])
    candidates = list(only) if only is not None else candidates_for(room, team, values, there)
    if not candidates:
        return Advice(team, turn, after, (), ("nothing that is left can complete this roster",), 0, budget.elapsed)
    # where others pick before the team does, it is taken at once all the same: this asks what it is worth to have it
    now = room.team == team
    span = Span(team, engine.NEED, room.turn + now, room.league.turns, used=None if now else turn)
    worths = _final_worths(room, opponents, replace(span, candidates=candidates), settings, budget)
    mean = worths.mean(axis=1)
    order = sorted(range(len(candidates)), key=lambda c: (-round(float(mean[c]), 9), candidates[c]))
    best, done = order[0], worths.shape[1]
    found = []
    for c in order[: settings.most]:
        error = float((worths[best] - worths[c]).std() / math.sqrt(done)) if c != best else 0.0
        one = _recommendation(room, candidates[c], (float(mean[c]), error), values, lasting, after)
        found.append(awaited(room, one, turn, float(there[candidates[c]])))
    return Advice(team, turn, after, tuple(found), tuple(alerts(room, team)), done, budget.elapsed)


def _final_worths(room: Room, opponents: Believed, span: Span, settings: AdviceSettings, budget: Budget) -> Floats:
    """What the team's roster ends up worth [candidates, simulations], by the better way of drafting on for each candidate."""
    chunks: list[Floats] = []
    done = 0
    cases = opponents.scenarios(SCENARIOS, settings.seed)
    most = CHUNK if len(cases) == 1 else max(1, min(CHUNK // 4, settings.wanted // len(cases)))
    # every scenario is looked at once, whatever the clock says: a draft is not to be judged by one guess about the others
    while done < settings.wanted and not (
        settings.seconds is not None and len(chunks) >= len(cases) and (budget.left or 0.0) <= 0
    ):
        size, case = min(most, settings.wanted - done), cases[len(chunks) % len(cases)]
        chunk = replace(span, simulations=size, seed=settings.seed + SEED_STEP * (len(chunks) + 1))
        ways = (simulate(room, case, replace(chunk, own=own)).worth for own in CONTINUATIONS)
        chunks.append(np.stack(list(ways)))
        done += size
    both = np.concatenate(chunks, axis=2)
    way = both.mean(axis=2).argmax(axis=0)
    return both[way, np.arange(len(span.candidates))]


def _recommendation(
    room: Room, x: int, worth: tuple[float, float], values: Floats, lasting: Survival, after: int | None
) -> Recommendation:
    """Item x with the numbers behind it; worth: that of the final roster, and the error of its difference to the best."""
    league, item = room.league, room.league.items[x]
    later = max(lasting.expected[p] for p in item.positions)
    stays = lasting.at(x, after if after is not None else league.turns)
    tier_left = 0
    if item.tier:
        alike = (y for y, other in enumerate(league.items) if other.tier == item.tier and y not in room.taken)
        tier_left = sum(1 for y in alike if set(league.items[y].positions) & set(item.positions))
    value = float(values[x])
    why = reason(room, x, value, later, stays, tier_left, after)
    return Recommendation(x, item.name, item.position, *worth, value, later, stays, item.tier, tier_left, why)


def awaited(room: Room, one: Recommendation, turn: int, there: float) -> Recommendation:
    """A recommendation for a later turn, with the chance that the item is there by then."""
    if turn == room.turn:
        return one
    text = f"there at {room.league.pick_name(turn)} {there:.0%} of the time; {one.reason}"
    return replace(one, there=there, reason=text)


def reason(room: Room, x: int, value: float, later: float, stays: float, tier_left: int, after: int | None) -> str:
    """Why to take an item, in a sentence with the numbers in it."""
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
